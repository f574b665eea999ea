/* manifest.h: what a package contains, strictly read from JSON (manifests/schema.json describes the format). */
#ifndef CUDNN_SETUP_MANIFEST_H
#define CUDNN_SETUP_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/text.h"

enum { CS_MANIFEST_MAX_BYTES = 1024 * 1024, CS_MANIFEST_MAX_FILES = 64 };

typedef enum cs_role { CS_ROLE_DLL, CS_ROLE_HEADER, CS_ROLE_LIB, CS_ROLE_LICENCE } cs_role;

typedef struct cs_manifest_file {
    char *source; /* path in the archive below any root folder, with '/' */
    char *target; /* relative to the CUDA tree, with '/': bin/x.dll, include/x.h, lib/x64/x.lib, x.txt */
    cs_role role;
    uint64_t size;                  /* only in a sealed manifest */
    uint8_t sha256[CS_SHA256_SIZE]; /* only in a sealed manifest */
} cs_manifest_file;

typedef struct cs_wrong_archive {
    char *name;
    char *what; /* "right CUDA, wrong cuDNN: ..." */
    uint8_t sha256[CS_SHA256_SIZE];
} cs_wrong_archive;

typedef struct cs_manifest {
    char *product;          /* "cuDNN" */
    char *version;          /* "8.0.3.33" */
    uint32_t cudnn_version; /* 8003 */
    char *cuda;             /* "10.1" */
    bool sample;
    bool sealed; /* every file has size and sha256 */
    cs_strings archive_names;
    bool has_archive_sha256, has_archive_size;
    uint8_t archive_sha256[CS_SHA256_SIZE];
    uint64_t archive_size;
    cs_manifest_file *files;
    size_t file_count;
    cs_wrong_archive *wrong_archives;
    size_t wrong_archive_count;
    char *driver_min;                /* "418.96"; NULL: unknown */
    char *compute_min, *compute_max; /* "3.0", "7.5"; NULL: unknown */
    cs_strings needs;                /* DLLs the package needs from elsewhere */
    cs_buffer bytes;                 /* the JSON as it was read: kept beside the receipts */
    uint8_t sha256[CS_SHA256_SIZE];  /* of those bytes */
} cs_manifest;

/* Reads a manifest strictly; CS_E_FORMAT or CS_E_TOO_BIG with error->detail naming the place ("files[3].target: ..."). name is
 * what messages call it. *out starts as {0} and is empty again on failure. */
cs_status cs_manifest_parse(const char *name, const char *bytes, size_t size, cs_manifest *out, cs_error *error);
void cs_manifest_free(cs_manifest *manifest);

/* The manifests built into the program: index 0 is the product's own. NULL past the end. */
const char *cs_manifest_embedded(size_t index, size_t *size);

/* The row of a target, or CS_MANIFEST_MAX_FILES. */
size_t cs_manifest_find_target(const cs_manifest *manifest, const char *target);

/* Writes the sealed form of manifest: the same facts plus size and hash of each file (staged[i] belongs to files[i]), in a
 * canonical layout that cs_manifest_parse accepts. Appends to out. */
struct cs_staged;
cs_status cs_manifest_seal(const cs_manifest *manifest, const struct cs_staged *staged, cs_buffer *out, cs_error *error);

#endif
