#include "cudnn_setup/hash.h"

cs_status cs_sha256_bytes(const void *bytes, size_t size, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    cs_sha256 *hash;
    cs_status status = cs_sha256_new(&hash, error);
    if (status != CS_OK) return status;
    status = cs_sha256_update(hash, bytes, size, error);
    if (status == CS_OK) status = cs_sha256_finish(hash, digest, error);
    cs_sha256_free(hash);
    return status;
}
