/* hash.h: SHA-256 by the system's library: CNG (bcrypt.dll) on Windows, libcrypto on Linux. Linked per platform. */
#ifndef CUDNN_SETUP_HASH_H
#define CUDNN_SETUP_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/fs.h"
#include "cudnn_setup/text.h"

typedef struct cs_sha256 cs_sha256;

/* A new running hash; the caller ends it with cs_sha256_free (which accepts NULL). */
cs_status cs_sha256_new(cs_sha256 **out, cs_error *error);
cs_status cs_sha256_update(cs_sha256 *hash, const void *bytes, size_t size, cs_error *error);
/* Writes the digest and makes the object ready for the next message. */
cs_status cs_sha256_finish(cs_sha256 *hash, uint8_t digest[CS_SHA256_SIZE], cs_error *error);
void cs_sha256_free(cs_sha256 *hash);

/* One call for bytes in memory. */
cs_status cs_sha256_bytes(const void *bytes, size_t size, uint8_t digest[CS_SHA256_SIZE], cs_error *error);

/* Hash of a whole open file, read by offset in blocks. progress(ctx, bytes so far) may be NULL; returning CS_E_CANCELLED from
 * it ends the work. size_out may be NULL. */
typedef cs_status (*cs_hash_progress)(void *ctx, uint64_t done);
cs_status cs_sha256_file(const cs_fs *fs, cs_file *file, uint8_t digest[CS_SHA256_SIZE], uint64_t *size_out,
                         cs_hash_progress progress, void *ctx, cs_error *error);

#endif
