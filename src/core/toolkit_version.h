/* toolkit_version.h: a toolkit's version.txt and the names that follow from a version. Private to toolkit. */
#ifndef CS_TOOLKIT_VERSION_H
#define CS_TOOLKIT_VERSION_H

#include "cudnn_setup/host.h"

typedef enum cs_version_file {
    CS_VERSION_FILE_ABSENT,
    CS_VERSION_FILE_STRANGE, /* there, but not to be read or without "CUDA Version <numbers>" in its first line */
    CS_VERSION_FILE_FOUND
} cs_version_file;

/* Reads <path>/version.txt ("CUDA Version 10.1.243"). *version: owned by the caller; NULL unless found. CS_E_NO_MEMORY is the
 * only failure. */
cs_status cs_toolkit_version(const cs_host *host, const char *path, cs_version_file *out, char **version);
/* The number in the first line of a version.txt; an empty out if it holds none. Replaces out. */
void cs_toolkit_parse_version(const char *text, size_t size, cs_buffer *out);
/* "10.1.243" and "10.1" are a "10.1"; "10.10.5" is not. */
bool cs_toolkit_version_is(const char *version, const char *cuda);
/* "10.1" to "cudart64_101.dll". */
void cs_toolkit_cudart_name(const char *cuda, char *out, size_t size);

#endif
