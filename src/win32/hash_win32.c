/* hash_win32.c: SHA-256 by CNG. bcrypt.dll is loaded from System32 when first needed (it is no known DLL). */
#include "win32.h"

#include <bcrypt.h>

#include "cudnn_setup/hash.h"

typedef NTSTATUS(WINAPI *open_fn)(BCRYPT_ALG_HANDLE *, LPCWSTR, LPCWSTR, ULONG);
typedef NTSTATUS(WINAPI *close_fn)(BCRYPT_ALG_HANDLE, ULONG);
typedef NTSTATUS(WINAPI *create_fn)(BCRYPT_ALG_HANDLE, BCRYPT_HASH_HANDLE *, PUCHAR, ULONG, PUCHAR, ULONG, ULONG);
typedef NTSTATUS(WINAPI *data_fn)(BCRYPT_HASH_HANDLE, PUCHAR, ULONG, ULONG);
typedef NTSTATUS(WINAPI *destroy_fn)(BCRYPT_HASH_HANDLE);

struct cs_sha256 {
    open_fn open;
    close_fn close;
    create_fn create;
    data_fn hash_data, finish;
    destroy_fn destroy;
    BCRYPT_ALG_HANDLE algorithm;
    BCRYPT_HASH_HANDLE running;
};

static bool load(cs_sha256 *hash) {
    static const wchar_t bcrypt[] = L"bcrypt.dll";
    hash->open = (open_fn)cs_late(bcrypt, "BCryptOpenAlgorithmProvider");
    hash->close = (close_fn)cs_late(bcrypt, "BCryptCloseAlgorithmProvider");
    hash->create = (create_fn)cs_late(bcrypt, "BCryptCreateHash");
    hash->hash_data = (data_fn)cs_late(bcrypt, "BCryptHashData");
    hash->finish = (data_fn)cs_late(bcrypt, "BCryptFinishHash");
    hash->destroy = (destroy_fn)cs_late(bcrypt, "BCryptDestroyHash");
    return hash->open && hash->close && hash->create && hash->hash_data && hash->finish && hash->destroy;
}

static cs_status failed(cs_error *error, const char *what, NTSTATUS code) {
    cs_status status = cs_fail(error, CS_E_SYSTEM, "SHA-256", NULL, "%s failed", what);
    if (error) error->system = (uint32_t)code;
    return status;
}

static cs_status begin(cs_sha256 *hash, cs_error *error) {
    NTSTATUS code = hash->create(hash->algorithm, &hash->running, NULL, 0, NULL, 0, 0);
    return code < 0 ? failed(error, "BCryptCreateHash", code) : CS_OK;
}

cs_status cs_sha256_new(cs_sha256 **out, cs_error *error) {
    *out = NULL;
    cs_sha256 *hash = cs_alloc(1, sizeof *hash);
    if (!hash) return cs_fail(error, CS_E_NO_MEMORY, "SHA-256", NULL, NULL);
    if (!load(hash)) {
        cs_free(hash);
        return cs_fail(error, CS_E_UNSUPPORTED, "SHA-256", NULL, "bcrypt.dll cannot be loaded");
    }
    NTSTATUS code = hash->open(&hash->algorithm, BCRYPT_SHA256_ALGORITHM, NULL, 0);
    cs_status status = code < 0 ? failed(error, "BCryptOpenAlgorithmProvider", code) : begin(hash, error);
    if (status == CS_OK)
        *out = hash;
    else
        cs_sha256_free(hash);
    return status;
}

cs_status cs_sha256_update(cs_sha256 *hash, const void *bytes, size_t size, cs_error *error) {
    union {
        const void *in;
        PUCHAR out;
    } at = {bytes}; /* CNG's parameter lacks the const that it honours */
    while (size) {
        ULONG part = size < 0x40000000 ? (ULONG)size : 0x40000000;
        NTSTATUS code = hash->hash_data(hash->running, at.out, part, 0);
        if (code < 0) return failed(error, "BCryptHashData", code);
        at.out += part;
        size -= part;
    }
    return CS_OK;
}

cs_status cs_sha256_finish(cs_sha256 *hash, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    NTSTATUS code = hash->finish(hash->running, digest, CS_SHA256_SIZE, 0);
    if (code < 0) return failed(error, "BCryptFinishHash", code);
    hash->destroy(hash->running);
    hash->running = NULL;
    return begin(hash, error);
}

void cs_sha256_free(cs_sha256 *hash) {
    if (!hash) return;
    if (hash->running) hash->destroy(hash->running);
    if (hash->algorithm) hash->close(hash->algorithm, 0);
    cs_free(hash);
}
