#include <string.h>

#include "cudnn_setup/hash.h"
#include "record_rules.h"

static const char opening[] = "{\"format\":";
static const char opening_1[] = "{\"format\":1,\"sha256\":\"";
enum { OPENING = sizeof opening - 1, OPENING_1 = sizeof opening_1 - 1 };

void cs_seal_begin(cs_json_writer *writer) {
    char zeros[CS_SHA256_HEX + 1];
    memset(zeros, '0', CS_SHA256_HEX);
    zeros[CS_SHA256_HEX] = '\0';
    cs_json_begin(writer, NULL, '{');
    cs_json_put_uint(writer, "format", CS_RECORD_FORMAT);
    cs_json_put_text(writer, "sha256", zeros);
}

cs_status cs_seal_end(const char *name, cs_buffer *out, cs_error *error) {
    if (out->size > CS_RECORD_MAX_BYTES)
        return cs_fail(error, CS_E_TOO_BIG, "write", name, "%zu bytes, and %d are allowed", out->size, (int)CS_RECORD_MAX_BYTES);
    uint8_t digest[CS_SHA256_SIZE];
    char hex[CS_SHA256_HEX + 1];
    cs_status status = cs_sha256_bytes(out->data, out->size, digest, error);
    if (status != CS_OK) return status;
    cs_hex(digest, sizeof digest, hex);
    memcpy(out->data + OPENING_1, hex, CS_SHA256_HEX);
    return CS_OK;
}

/* A format number above ours: some later program's file, however it goes on. */
static bool is_newer(const char *bytes, size_t size) {
    if (size <= OPENING || memcmp(bytes, opening, OPENING) != 0) return false;
    size_t digits = 0;
    while (OPENING + digits < size && bytes[OPENING + digits] >= '0' && bytes[OPENING + digits] <= '9') digits++;
    if (digits == 0 || bytes[OPENING] == '0') return false;
    return digits > 1 || bytes[OPENING] > '0' + CS_RECORD_FORMAT;
}

static cs_status hash_with_zeros(const char *bytes, size_t size, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    char zeros[CS_SHA256_HEX];
    memset(zeros, '0', sizeof zeros);
    cs_sha256 *hash = NULL;
    cs_status status = cs_sha256_new(&hash, error);
    if (status == CS_OK) status = cs_sha256_update(hash, bytes, OPENING_1, error);
    if (status == CS_OK) status = cs_sha256_update(hash, zeros, sizeof zeros, error);
    size_t rest = OPENING_1 + CS_SHA256_HEX;
    if (status == CS_OK) status = cs_sha256_update(hash, bytes + rest, size - rest, error);
    if (status == CS_OK) status = cs_sha256_finish(hash, digest, error);
    cs_sha256_free(hash);
    return status;
}

cs_status cs_seal_check(const char *name, const char *bytes, size_t size, cs_error *error) {
    if (is_newer(bytes, size))
        return cs_fail(error, CS_E_UNSUPPORTED, "read", name, "written by a newer cudnn-setup: use that one");
    if (size > CS_RECORD_MAX_BYTES) return cs_fail(error, CS_E_TOO_BIG, "read", name, NULL);
    if (size <= OPENING_1 + CS_SHA256_HEX || memcmp(bytes, opening_1, OPENING_1) != 0)
        return cs_fail(error, CS_E_FORMAT, "read", name, "does not start as our records do");
    uint8_t digest[CS_SHA256_SIZE];
    char hex[CS_SHA256_HEX + 1];
    cs_status status = hash_with_zeros(bytes, size, digest, error);
    if (status != CS_OK) return status;
    cs_hex(digest, sizeof digest, hex);
    if (memcmp(hex, bytes + OPENING_1, CS_SHA256_HEX) != 0)
        return cs_fail(error, CS_E_FORMAT, "read", name, "its own SHA-256 does not match: damaged or changed");
    return CS_OK;
}
