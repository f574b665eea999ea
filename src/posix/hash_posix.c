/* hash_posix.c: SHA-256 by libcrypto. */
#include "cudnn_setup/hash.h"

#include <openssl/evp.h>

struct cs_sha256 {
    EVP_MD_CTX *context;
};

static cs_status failed(cs_error *error, const char *what) {
    return cs_fail(error, CS_E_SYSTEM, "SHA-256", NULL, "libcrypto: %s failed", what);
}

cs_status cs_sha256_new(cs_sha256 **out, cs_error *error) {
    *out = NULL;
    cs_sha256 *hash = cs_alloc(1, sizeof *hash);
    if (!hash) return cs_fail(error, CS_E_NO_MEMORY, "SHA-256", NULL, NULL);
    hash->context = EVP_MD_CTX_new();
    if (!hash->context || EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) != 1) {
        cs_sha256_free(hash);
        return failed(error, "EVP_DigestInit_ex");
    }
    *out = hash;
    return CS_OK;
}

cs_status cs_sha256_update(cs_sha256 *hash, const void *bytes, size_t size, cs_error *error) {
    return EVP_DigestUpdate(hash->context, bytes, size) == 1 ? CS_OK : failed(error, "EVP_DigestUpdate");
}

cs_status cs_sha256_finish(cs_sha256 *hash, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    unsigned size = 0;
    if (EVP_DigestFinal_ex(hash->context, digest, &size) != 1 || size != CS_SHA256_SIZE)
        return failed(error, "EVP_DigestFinal_ex");
    return EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1 ? CS_OK : failed(error, "EVP_DigestInit_ex");
}

void cs_sha256_free(cs_sha256 *hash) {
    if (!hash) return;
    EVP_MD_CTX_free(hash->context);
    cs_free(hash);
}
