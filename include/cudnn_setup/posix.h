/* posix.h: what the seam on Linux needs from the programs that use it there (tests, fuzzers, native twins). POSIX only. */
#ifndef CUDNN_SETUP_POSIX_H
#define CUDNN_SETUP_POSIX_H

#include "cudnn_setup/status.h"

/* Linux has no known folders: they lie below this root ("Program Files", "Users/user/AppData/Local", "Users/user/Downloads",
 * "Windows/System32", "Windows"), which are created here. Embedded resources are the files of root/resources. Without a call
 * the environment variable CUDNN_SETUP_ROOT gives the root; without either, folder() answers CS_E_UNSUPPORTED and resource()
 * CS_E_NOT_FOUND. root: an existing folder, absolute; copied. */
cs_status cs_system_posix_set_root(const char *root, cs_error *error);

#endif
