#include "cudnn_setup/fs.h"

#include <string.h>

bool cs_file_id_equal(const cs_file_id *a, const cs_file_id *b) {
    return a->volume == b->volume && memcmp(a->id, b->id, sizeof a->id) == 0;
}

/* Reads what is there, one byte beyond the limit at most: a file can grow after its size was asked. */
static cs_status read_blocks(const cs_fs *fs, cs_file *file, const char *path, size_t limit, cs_buffer *out, cs_error *error) {
    char block[16384];
    for (;;) {
        size_t want = limit - out->size < sizeof block ? limit - out->size + 1 : sizeof block, got = 0;
        cs_status status = fs->read(fs->ctx, file, out->size, block, want, &got, error);
        if (status != CS_OK) return status;
        if (got > limit - out->size)
            return cs_fail(error, CS_E_TOO_BIG, "read", path, "more than %llu bytes", (unsigned long long)limit);
        cs_buffer_append(out, block, got);
        status = cs_buffer_check(out, error);
        if (status != CS_OK || got < want) return status;
    }
}

cs_status cs_fs_read_all(const cs_fs *fs, const char *path, size_t limit, cs_buffer *out, cs_error *error) {
    cs_file *file;
    cs_buffer_clear(out);
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_READ, &file, error);
    if (status != CS_OK) return status;
    status = read_blocks(fs, file, path, limit, out, error);
    fs->close(fs->ctx, file);
    if (status != CS_OK) cs_buffer_clear(out);
    return status;
}

bool cs_fs_exists(const cs_fs *fs, const char *path) {
    cs_file_info info;
    return fs->stat(fs->ctx, path, &info, NULL) != CS_E_NOT_FOUND;
}
