/* import_library.h: a bounded reader of import libraries (COFF archives): which DLLs do they import from? Reads both forms: the
 * short import objects of Microsoft's tools and the small objects of GNU dlltool. A library that holds anything else (code of its
 * own, another processor) is CS_E_FORMAT with a sentence. Source: Microsoft, "PE Format", "Archive (Library) File Format". */
#ifndef CUDNN_SETUP_IMPORT_LIBRARY_H
#define CUDNN_SETUP_IMPORT_LIBRARY_H

#include <stdint.h>

#include "cudnn_setup/fs.h"

/* dlls receives the DLLs' names as written, each once (compared without case), at least one on success. It starts as {0} or with
 * names to keep; cs_strings_free ends it. Reads by offset, whatever the file's size. */
cs_status cs_import_library_read(const cs_fs *fs, const char *path, cs_strings *dlls, cs_error *error);
cs_status cs_import_library_parse(const char *name, const uint8_t *bytes, size_t size, cs_strings *dlls, cs_error *error);

#endif
