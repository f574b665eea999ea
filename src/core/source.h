/* source.h: untrusted bytes read by offset, in memory or in a file of any size. Private to the readers of binary formats. */
#ifndef CUDNN_SETUP_SOURCE_H
#define CUDNN_SETUP_SOURCE_H

#include "cudnn_setup/fs.h"

typedef struct cs_source {
    const char *name; /* for messages */
    uint64_t size;
    const uint8_t *bytes; /* NULL: read from the file */
    const cs_fs *fs;
    cs_file *file;
} cs_source;

cs_source cs_source_memory(const char *name, const void *bytes, size_t size);
/* Opens path for reading without locking others out. Ends with cs_source_close (which accepts one in memory). */
cs_status cs_source_open(const cs_fs *fs, const char *path, cs_source *out, cs_error *error);
void cs_source_close(cs_source *source);

/* All of size bytes at offset, or CS_E_FORMAT saying that `what` lies beyond the end of the file. */
cs_status cs_source_read(const cs_source *source, uint64_t offset, void *bytes, size_t size, const char *what, cs_error *error);
cs_status cs_source_bad(const cs_source *source, cs_error *error, const char *what);

uint16_t cs_le16(const uint8_t *p);
uint32_t cs_le32(const uint8_t *p);
uint64_t cs_le64(const uint8_t *p);

#endif
