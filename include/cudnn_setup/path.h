/* path.h: paths as text. UTF-8. The core writes relative paths with '/', the seam's own separator is cs_fs.separator. */
#ifndef CUDNN_SETUP_PATH_H
#define CUDNN_SETUP_PATH_H

#include <stdbool.h>

#include "cudnn_setup/buffer.h"

/* out = folder + separator + relative, with every '/' of relative turned into separator. Replaces what out held. */
cs_status cs_path_join(cs_buffer *out, char separator, const char *folder, const char *relative, cs_error *error);

/* Points at the last component ("" after a trailing separator). Both '/' and '\\' separate. */
const char *cs_path_name(const char *path);

/* out = path without its last component and without a trailing separator, except for a root such as "C:\" or "/". */
cs_status cs_path_parent(cs_buffer *out, const char *path, cs_error *error);

/* True for one plain file name: 1 to 120 bytes of letters, digits, '.', '_', '-' and ' ', neither starting nor ending with
 * '.' or ' ', and not a device name (CON, NUL, COM1.txt, ...). */
bool cs_path_plain_name(const char *name);

/* True for a name that Windows takes for a device whatever the folder: CON, NUL, COM1.txt, ... */
bool cs_path_device_name(const char *name);

#endif
