/* bench_many: unpacks, hashes and writes a ZIP of very many entries as the product would, if its bounds let it.
 *
 *   bench_many many ARCHIVE FOLDER      every entry becomes FOLDER/<number>
 *
 * Compiled with CS_BENCH_BOUNDS; the archive counts as pinned. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_internal.h"
#include "cudnn_setup/path.h"

static cs_host host;
static const char *folder;
static cs_file *files[CS_MANIFEST_MAX_FILES];
static uint64_t offsets[CS_MANIFEST_MAX_FILES];
static cs_staged staged[CS_MANIFEST_MAX_FILES];

static void check(cs_status status, const cs_error *error) {
    char text[2048];
    if (status == CS_OK) return;
    cs_error_text(error, text, sizeof text);
    fprintf(stderr, "bench_many: %s\n", text);
    exit(1);
}

static cs_status begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    cs_buffer path = {0};
    (void)ctx;
    cs_buffer_format(&path, "%s%c%zu", folder, host.fs->separator, row);
    cs_status status = host.fs->open(host.fs->ctx, cs_buffer_string(&path), CS_OPEN_CREATE, &files[row], error);
    if (status == CS_OK) status = host.fs->set_size(host.fs->ctx, files[row], size, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status write_block(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    cs_status status = host.fs->write(host.fs->ctx, files[row], offsets[row], bytes, size, error);
    offsets[row] += size;
    return status;
}

static cs_status end(void *ctx, size_t row, const cs_staged *result, cs_error *error) {
    (void)ctx, (void)result, (void)error;
    host.fs->close(host.fs->ctx, files[row]);
    return CS_OK;
}

/* A manifest that names every entry of the archive. */
static void name_all(const cs_archive *archive, cs_manifest *manifest) {
    cs_zip_directory directory;
    cs_error error = {0};
    check(cs_zip_directory_read(archive, false, &directory, &error), &error);
    manifest->files = calloc(directory.count, sizeof *manifest->files);
    if (!manifest->files) exit(1);
    manifest->file_count = directory.count;
    for (size_t i = 0; i < directory.count; i++)
        manifest->files[i].source = manifest->files[i].target = cs_strdup(directory.entries[i].name);
    cs_zip_directory_free(&directory);
}

int main(int argc, char **argv) {
    if (argc != 4 || strcmp(argv[1], "many") != 0) {
        fprintf(stderr, "usage: bench_many many ARCHIVE FOLDER\n");
        return 2;
    }
    cs_archive *archive = NULL;
    cs_manifest manifest = {0};
    cs_error error = {0};
    const cs_trust trust = {.kind = CS_TRUST_PINNED};
    const cs_sink sink = {.begin = begin, .write = write_block, .end = end};
    host = (cs_host){.fs = cs_fs_real(), .system = cs_system_real()};
    folder = argv[3];
    check(host.fs->make_folder(host.fs->ctx, folder, CS_FOLDER_INHERIT, &error), &error);
    check(cs_archive_open(&host, argv[2], &archive, &error), &error);
    name_all(archive, &manifest);
    check(cs_archive_extract(archive, &manifest, &trust, &sink, staged, NULL, &error), &error);
    printf("entries %zu\n", manifest.file_count);
    cs_archive_close(archive);
    return 0;
}
