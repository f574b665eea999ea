#include "archive_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cudnn_setup/hash.h"

/* A test cannot go on without its own data. */
static void must(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "archive_case: %s\n", what);
    abort();
}

/* ---- the package ---- */

static void make_content(cs_buffer *out, size_t row) {
    uint32_t state = (uint32_t)row * 2654435761u + 1;
    for (size_t line = 0; line < 20 + row * 7; line++) {
        state = state * 1664525u + 1013904223u;
        cs_buffer_format(out, "row %zu line %zu %08lx\r\n", row, line, (unsigned long)state);
    }
}

void package_init(package *pack, size_t count) {
    size_t size = 0;
    memset(pack, 0, sizeof *pack);
    const char *json = cs_manifest_embedded(0, &size);
    must(json && cs_manifest_parse("embedded", json, size, &pack->product, NULL) == CS_OK, "the embedded manifest");
    must(count <= pack->product.file_count, "too many rows");
    pack->count = count;
    for (size_t row = 0; row < count; row++) make_content(&pack->content[row], row);
}

void package_free(package *pack) {
    for (size_t row = 0; row < pack->count; row++) cs_buffer_free(&pack->content[row]);
    cs_manifest_free(&pack->product);
}

const char *package_source(const package *pack, size_t row) { return pack->product.files[row].source; }

/* ---- ZIPs ---- */

static void entry_name(char *out, size_t size, const package_shape *shape, const char *source) {
    snprintf(out, size, "%s%s", shape->root ? shape->root : "", source);
    for (char *p = out; *p; p++) {
        if (shape->backslash && *p == '/') *p = '\\';
        if (shape->upper_case && *p >= 'a' && *p <= 'z') *p = (char)(*p - 32);
    }
}

static void add_folders(zip_writer *writer, const package_shape *shape) {
    static const char *const folders[] = {"", "bin/", "include/", "lib/", "lib/x64/"};
    char name[256];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        entry_name(name, sizeof name, shape, folders[i]);
        if (name[0]) zip_add_folder(writer, name);
    }
}

void package_add(const package *pack, zip_writer *writer, const package_shape *shape) {
    static const package_shape plain = {0};
    char name[256];
    if (!shape) shape = &plain;
    if (shape->folders) add_folders(writer, shape);
    for (size_t i = 0; i < pack->count; i++) {
        size_t row = shape->reversed ? pack->count - 1 - i : i;
        if (row + 1 == shape->without) continue;
        entry_name(name, sizeof name, shape, package_source(pack, row));
        zip_entry entry = {.name = name,
                           .bytes = pack->content[row].data,
                           .size = pack->content[row].size,
                           .method = shape->stored ? ZIP_STORED : ZIP_DEFLATE,
                           .descriptor = shape->descriptors,
                           .no_signature = shape->no_signature,
                           .host = shape->host,
                           .flags = shape->flags,
                           .external = shape->external};
        zip_add(writer, &entry);
    }
}

unsigned char *package_zip(const package *pack, const package_shape *shape, size_t *size) {
    zip_writer writer;
    unsigned char *bytes = NULL;
    zip_begin(&writer, NULL);
    package_add(pack, &writer, shape);
    zip_end(&writer, NULL);
    must(zip_close(&writer, &bytes, size), "writing a ZIP");
    return bytes;
}

/* ---- manifests ---- */

static void hash_hex(const void *bytes, size_t size, char hex[CS_SHA256_HEX + 1]) {
    uint8_t digest[CS_SHA256_SIZE];
    must(cs_sha256_bytes(bytes, size, digest, NULL) == CS_OK, "hashing");
    cs_hex(digest, CS_SHA256_SIZE, hex);
}

static const char *kind_text(cs_role role) {
    static const char *const texts[] = {"dll", "header", "lib", "licence"};
    return texts[role];
}

void package_manifest(const package *pack, manifest_trust trust, const void *archive, size_t archive_size, const void *wrong,
                      size_t wrong_size, cs_manifest *out) {
    cs_buffer json = {0};
    char hex[CS_SHA256_HEX + 1];
    cs_buffer_text(&json, "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"8.0.3.33\", \"cudnn_version\": 8003, "
                          "\"cuda\": \"10.1\", \"sample\": false, \"archive\": {\"names\": [\"right.zip\"]");
    hash_hex(archive ? archive : "none", archive ? archive_size : 4, hex);
    cs_buffer_format(&json, ", \"sha256\": \"%s\"}, \"files\": [", hex);
    for (size_t row = 0; row < pack->count; row++) {
        const cs_manifest_file *file = &pack->product.files[row];
        cs_buffer_format(&json, "%s{\"source\": \"%s\", \"target\": \"%s\", \"kind\": \"%s\"", row ? ", " : "", file->source,
                         file->target, kind_text(file->role));
        hash_hex(pack->content[row].data, pack->content[row].size, hex);
        if (trust == SEALED) cs_buffer_format(&json, ", \"size\": %zu, \"sha256\": \"%s\"", pack->content[row].size, hex);
        cs_buffer_text(&json, "}");
    }
    hash_hex(wrong ? wrong : "no other", wrong ? wrong_size : 8, hex);
    cs_buffer_format(&json,
                     "], \"wrong_archives\": [{\"name\": \"wrong.zip\", \"sha256\": \"%s\", \"what\": \"the wrong one for this "
                     "test\"}], \"needs\": [\"cudart64_101.dll\"]}",
                     hex);
    cs_error error = {0};
    cs_status status = cs_manifest_parse("test", json.data, json.size, out, &error);
    must(status == CS_OK, error.detail);
    cs_buffer_free(&json);
}

/* ---- runs ---- */

static cs_status run_begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    archive_run *run = ctx;
    (void)error;
    run->begun++;
    run->promised[row] = size;
    return CS_OK;
}

static cs_status run_write(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    archive_run *run = ctx;
    if (size > run->largest_write) run->largest_write = size;
    run->written += size;
    if (run->keep_nothing) return CS_OK;
    cs_buffer_append(&run->files[row], bytes, size);
    return cs_buffer_check(&run->files[row], error);
}

static cs_status run_end(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    archive_run *run = ctx;
    (void)row;
    (void)staged;
    (void)error;
    run->ended++;
    return CS_OK;
}

static void run_path(const archive_run *run, char *out, size_t size) {
    snprintf(out, size, "C:\\Downloads\\%s", run->name ? run->name : "package.zip");
}

void archive_run_init(archive_run *run, const void *zip, size_t size) {
    memset(run, 0, sizeof *run);
    run->host = memory_host_new();
    must(run->host && memory_host_file(run->host, "C:\\Downloads\\package.zip", zip, size), "a file in memory");
}

static cs_status go(archive_run *run, const cs_manifest *manifest) {
    char path[512];
    cs_archive *archive = NULL;
    cs_sink sink = {.ctx = run, .begin = run_begin, .write = run_write, .end = run_end};
    run_path(run, path, sizeof path);
    cs_status status = cs_archive_open(memory_host_seam(run->host), path, &archive, &run->error);
    if (status == CS_OK) status = cs_archive_judge(archive, manifest, run->accept_unverified, &run->trust, &run->error);
    if (status == CS_OK)
        status = cs_archive_extract(archive, manifest, &run->trust, &sink, run->staged, &run->extras, &run->error);
    cs_archive_close(archive);
    return status;
}

cs_status archive_run_go(archive_run *run, const cs_manifest *manifest) {
    if (run->events.emit || run->events.cancelled) memory_host_events(run->host, &run->events);
    run->status = go(run, manifest);
    if (run->status != CS_OK) cs_error_text(&run->error, run->message, sizeof run->message);
    return run->status;
}

void archive_run_clear(archive_run *run) {
    for (size_t row = 0; row < CS_MANIFEST_MAX_FILES; row++) cs_buffer_free(&run->files[row]);
    cs_strings_free(&run->extras);
    memset(run->staged, 0, sizeof run->staged);
    memset(&run->error, 0, sizeof run->error);
    run->message[0] = '\0';
    run->begun = run->ended = 0;
    run->written = 0;
}

void archive_run_free(archive_run *run) {
    archive_run_clear(run);
    memory_host_free(run->host);
}

bool archive_run_exact(const archive_run *run, const package *pack) {
    for (size_t row = 0; row < pack->count; row++) {
        const cs_buffer *want = &pack->content[row], *have = &run->files[row];
        uint8_t digest[CS_SHA256_SIZE];
        must(cs_sha256_bytes(want->data, want->size, digest, NULL) == CS_OK, "hashing");
        if (have->size != want->size || memcmp(have->data, want->data, want->size) != 0) return false;
        if (run->staged[row].size != want->size || run->promised[row] != want->size) return false;
        if (run->staged[row].crc32 != (uint32_t)crc32(0, (const Bytef *)want->data, (uInt)want->size)) return false;
        if (memcmp(run->staged[row].sha256, digest, sizeof digest) != 0) return false;
    }
    return run->begun == pack->count && run->ended == pack->count;
}
