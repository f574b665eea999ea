/* archive_case.h: a package, its manifests, ZIPs of it in every shape, and a run of the archive module over one of them. */
#ifndef TESTS_ARCHIVE_CASE_H
#define TESTS_ARCHIVE_CASE_H

#include "cudnn_setup/archive.h"
#include "memory_host.h"
#include "zip_writer.h"

/* The first count rows of the product's own manifest with content of our own. */
typedef struct package {
    cs_manifest product; /* names come from it */
    size_t count;
    cs_buffer content[CS_MANIFEST_MAX_FILES];
} package;

/* count: 1 to 31. */
void package_init(package *pack, size_t count);
void package_free(package *pack);
const char *package_source(const package *pack, size_t row);

/* How a ZIP of the package is laid out. Zeroed: no root folder, '/', no folder entries, deflated, sizes in front. */
typedef struct package_shape {
    const char *root; /* "cuda/"; NULL: none */
    bool backslash, folders, descriptors, no_signature, stored, reversed, upper_case;
    size_t without; /* row + 1 to leave out; 0: none */
    uint8_t host;
    uint32_t external;
    uint16_t flags;
} package_shape;

/* Adds the package's entries; the caller adds its own and ends the ZIP. shape may be NULL. */
void package_add(const package *pack, zip_writer *writer, const package_shape *shape);
/* A whole ZIP. Owned by the caller: free. */
unsigned char *package_zip(const package *pack, const package_shape *shape, size_t *size);

typedef enum manifest_trust { PINNED, SEALED } manifest_trust;

/* A manifest of the package as JSON, parsed. archive: its bytes' hash is pinned; wrong: a known wrong archive's bytes
 * ("wrong.zip", "the wrong one for this test"), both may be NULL. */
void package_manifest(const package *pack, manifest_trust trust, const void *archive, size_t archive_size, const void *wrong,
                      size_t wrong_size, cs_manifest *out);

/* One run: open, judge, extract into memory. */
typedef struct archive_run {
    memory_host *host;
    bool accept_unverified;
    const char *name; /* of the file; NULL: "package.zip" */
    cs_events events;
    /* results */
    cs_status status;
    cs_error error;
    char message[2048]; /* what people read */
    cs_trust trust;
    cs_staged staged[CS_MANIFEST_MAX_FILES];
    cs_strings extras;
    cs_buffer files[CS_MANIFEST_MAX_FILES];
    uint64_t promised[CS_MANIFEST_MAX_FILES];
    unsigned begun, ended;
    size_t largest_write;
    uint64_t written;
    bool keep_nothing; /* count, but keep no bytes */
} archive_run;

/* Puts the bytes on a new machine in memory; ends with archive_run_free. */
void archive_run_init(archive_run *run, const void *zip, size_t size);
cs_status archive_run_go(archive_run *run, const cs_manifest *manifest);
/* Empties the results for another go. */
void archive_run_clear(archive_run *run);
void archive_run_free(archive_run *run);
/* True if every row holds exactly the package's bytes, size, CRC and SHA-256. */
bool archive_run_exact(const archive_run *run, const package *pack);

#endif
