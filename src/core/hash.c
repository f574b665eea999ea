#include "cudnn_setup/hash.h"

#include "cudnn_setup/buffer.h"

/* Large enough to keep the calls few, small enough to stay in the processor's cache. */
enum { BLOCK = 128 * 1024 };

cs_status cs_sha256_bytes(const void *bytes, size_t size, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    cs_sha256 *hash;
    cs_status status = cs_sha256_new(&hash, error);
    if (status != CS_OK) return status;
    status = cs_sha256_update(hash, bytes, size, error);
    if (status == CS_OK) status = cs_sha256_finish(hash, digest, error);
    cs_sha256_free(hash);
    return status;
}

static cs_status hash_blocks(const cs_fs *fs, cs_file *file, cs_sha256 *hash, void *block, uint64_t *size,
                             cs_hash_progress progress, void *ctx, cs_error *error) {
    size_t got = BLOCK;
    while (got == BLOCK) {
        cs_status status = fs->read(fs->ctx, file, *size, block, BLOCK, &got, error);
        if (status == CS_OK) status = cs_sha256_update(hash, block, got, error);
        if (status != CS_OK) return status;
        *size += got;
        if (progress) status = progress(ctx, *size);
        if (status != CS_OK) return cs_fail(error, status, "hash", NULL, NULL);
    }
    return CS_OK;
}

cs_status cs_sha256_file(const cs_fs *fs, cs_file *file, uint8_t digest[CS_SHA256_SIZE], uint64_t *size_out,
                         cs_hash_progress progress, void *ctx, cs_error *error) {
    uint64_t size = 0;
    cs_sha256 *hash = NULL;
    void *block = cs_alloc(BLOCK, 1);
    cs_status status = block ? cs_sha256_new(&hash, error) : cs_fail(error, CS_E_NO_MEMORY, "hash", NULL, NULL);
    if (status == CS_OK) status = hash_blocks(fs, file, hash, block, &size, progress, ctx, error);
    if (status == CS_OK) status = cs_sha256_finish(hash, digest, error);
    if (status == CS_OK && size_out) *size_out = size;
    cs_sha256_free(hash);
    cs_free(block);
    return status;
}
