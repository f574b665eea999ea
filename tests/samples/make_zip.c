#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/host.h"
#include "cudnn_setup/manifest.h"
#include "make_sample.h"
#include "zip_writer.h"

/* ---- what each row holds ---- */

/* Sizes of the DLLs of cuDNN 8.2.1 in MB, scaled so that the whole is about 700 MB (the sizes of 8.0.3 are published nowhere). */
typedef struct dll_size {
    const char *name;
    uint64_t bytes;
} dll_size;

static const dll_size full_sizes[] = {
    {"bin/cudnn_cnn_infer64_8.dll", 327000000}, {"bin/cudnn_ops_infer64_8.dll", 140700000},
    {"bin/cudnn_cnn_train64_8.dll", 87300000},  {"bin/cudnn_adv_infer64_8.dll", 67200000},
    {"bin/cudnn_adv_train64_8.dll", 44600000},  {"bin/cudnn_ops_train64_8.dll", 29800000},
};

static const char licence[] = "A sample made for the tests of cudnn-setup.\n"
                              "It stands for the licence text of NVIDIA's package and is not that text.\n";

/* cudnn.lib imports from cudnn64_8.dll, cudnn_ops_infer.lib from cudnn_ops_infer64_8.dll, and so on: each library comes under
 * two names. */
static void library_name(const char *source, char *out, size_t size) {
    const char *stem = source + strlen("lib/x64/");
    int length = (int)(strlen(stem) - strlen(".lib"));
    bool long_name = length > 4 && strncmp(stem + length - 4, "64_8", 4) == 0;
    snprintf(out, size, "lib/%.*s%s.lib", length, stem, long_name ? "" : "64_8");
}

static cs_buffer row_content(const maker *m, const cs_manifest_file *file) {
    char name[256];
    cs_buffer bytes = {0};
    if (file->role == CS_ROLE_LICENCE) {
        append_crlf(&bytes, licence, sizeof licence - 1);
    } else if (file->role == CS_ROLE_HEADER) {
        cs_buffer text = read_file(m->dlls, file->source);
        append_crlf(&bytes, text.data, text.size);
        cs_buffer_free(&text);
    } else if (file->role == CS_ROLE_LIB) {
        library_name(file->source, name, sizeof name);
        bytes = read_file(m->dlls, name);
    } else {
        bytes = read_file(m->dlls, file->source);
    }
    if (bytes.failed) die("no memory", file->source);
    return bytes;
}

/* ---- the large rows: a real DLL, followed by bytes that deflate to about 0.42 ---- */

typedef struct filler {
    const cs_buffer *head;
    uint64_t seed;
} filler;

enum { CELL = 64, RANDOM = 19, PHRASES = 256, PHRASE = CELL - RANDOM };

static uint64_t mix(uint64_t x) { /* splitmix64; source: Sebastiano Vigna, public domain */
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static void words(uint64_t seed, unsigned char *out, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
        uint64_t value = mix(seed + i);
        for (size_t b = 0; b < 8 && i + b < size; b++) out[i + b] = (unsigned char)(value >> (8 * b));
    }
}

/* 19 bytes that do not compress, then one of 256 phrases of 45. */
static void cell(uint64_t seed, uint64_t number, unsigned char out[CELL]) {
    static unsigned char phrases[PHRASES][PHRASE];
    static bool made;
    for (size_t i = 0; i < PHRASES && !made; i++) words(mix(i), phrases[i], PHRASE);
    made = true;
    uint64_t random = mix(seed ^ number * 4);
    words(random, out, RANDOM);
    memcpy(out + RANDOM, phrases[random % PHRASES], PHRASE);
}

static void fill(void *ctx, uint64_t offset, void *out, size_t size) {
    const filler *f = ctx;
    unsigned char *bytes = out;
    while (size) {
        unsigned char block[CELL];
        size_t count;
        if (offset < f->head->size) {
            count = (size_t)(f->head->size - offset) < size ? (size_t)(f->head->size - offset) : size;
            memcpy(bytes, f->head->data + offset, count);
        } else {
            uint64_t at = offset - f->head->size;
            size_t start = (size_t)(at % CELL);
            cell(f->seed, at / CELL, block);
            count = CELL - start < size ? CELL - start : size;
            memcpy(bytes, block + start, count);
        }
        bytes += count;
        offset += count;
        size -= count;
    }
}

static uint64_t size_of_row(const char *source, bool full, size_t content) {
    for (size_t i = 0; full && i < sizeof full_sizes / sizeof full_sizes[0]; i++)
        if (strcmp(full_sizes[i].name, source) == 0) return full_sizes[i].bytes;
    return content;
}

/* ---- the ZIP and its manifest ---- */

static void add_row(const maker *m, zip_writer *writer, const cs_manifest_file *file, size_t row, bool full) {
    char name[256];
    cs_buffer content = row_content(m, file);
    uint64_t size = size_of_row(file->source, full, content.size);
    filler f = {.head = &content, .seed = mix(row)};
    snprintf(name, sizeof name, "cuda/%s", file->source);
    zip_entry entry = {.name = name, .size = size, .method = ZIP_DEFLATE, .external = 0x20, .level = full ? 1 : 9};
    if (size == content.size) {
        entry.bytes = content.data;
    } else {
        entry.produce = fill;
        entry.produce_ctx = &f;
    }
    zip_add(writer, &entry);
    cs_buffer_free(&content);
}

static void write_zip(const maker *m, const cs_manifest *manifest, const char *name, bool full) {
    static const char *const folders[] = {"cuda/", "cuda/bin/", "cuda/include/", "cuda/lib/", "cuda/lib/x64/"};
    zip_writer writer;
    FILE *file = create_file(m->out, name);
    zip_begin(&writer, file);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) zip_add_folder(&writer, folders[i]);
    for (size_t row = 0; row < manifest->file_count; row++) add_row(m, &writer, &manifest->files[row], row, full);
    zip_end(&writer, NULL);
    if (!zip_close(&writer, NULL, NULL) || fclose(file) != 0) die("cannot write", name);
}

static void hash_zip(const char *folder, const char *name, uint64_t *size, char hex[CS_SHA256_HEX + 1]) {
    cs_buffer path = path_of(folder, name);
    uint8_t digest[CS_SHA256_SIZE];
    cs_file *file = NULL;
    const cs_fs *fs = cs_fs_real();
    if (fs->open(fs->ctx, path.data, CS_OPEN_READ, &file, NULL) != CS_OK ||
        cs_sha256_file(fs, file, digest, size, NULL, NULL, NULL) != CS_OK)
        die("cannot read", path.data);
    fs->close(fs->ctx, file);
    cs_hex(digest, CS_SHA256_SIZE, hex);
    cs_buffer_free(&path);
}

static const char *kind_text(cs_role role) {
    static const char *const texts[] = {"dll", "header", "lib", "licence"};
    return texts[role];
}

static void write_manifest(const maker *m, const cs_manifest *product, const char *zip, const char *json) {
    cs_buffer text = {0};
    char hex[CS_SHA256_HEX + 1];
    uint64_t size = 0;
    hash_zip(m->out, zip, &size, hex);
    cs_buffer_format(&text,
                     "{\n  \"schema\": 1,\n  \"product\": \"%s\",\n  \"version\": \"%s\",\n  \"cudnn_version\": %" PRIu32 ",\n"
                     "  \"cuda\": \"%s\",\n  \"sample\": true,\n",
                     product->product, product->version, product->cudnn_version, product->cuda);
    cs_buffer_format(&text,
                     "  \"archive\": {\n    \"names\": [\"%s\"],\n    \"sha256\": \"%s\",\n    \"size\": %" PRIu64 "\n  },\n",
                     zip, hex, size);
    cs_buffer_text(&text, "  \"files\": [\n");
    for (size_t row = 0; row < product->file_count; row++) {
        const cs_manifest_file *file = &product->files[row];
        cs_buffer_format(&text, "    {\"source\": \"%s\", \"target\": \"%s\", \"kind\": \"%s\"}%s\n", file->source, file->target,
                         kind_text(file->role), row + 1 < product->file_count ? "," : "");
    }
    cs_buffer_text(&text, "  ],\n"
                          "  \"driver_min\": \"418.96\",\n  \"compute_min\": \"3.0\",\n  \"compute_max\": \"7.5\",\n  \"needs\": "
                          "[\"cudart64_101.dll\", \"cublas64_10.dll\", \"cublasLt64_10.dll\"]\n}\n");
    if (text.failed) die("no memory", json);
    cs_manifest check = {0};
    cs_error error = {0};
    if (cs_manifest_parse(json, text.data, text.size, &check, &error) != CS_OK) die("its own manifest is refused", error.detail);
    cs_manifest_free(&check);
    write_file(m->out, json, text.data, text.size);
    cs_buffer_free(&text);
}

void make_package(const maker *m, bool full_size) {
    cs_manifest product = {0};
    size_t size = 0;
    const char *embedded = cs_manifest_embedded(0, &size);
    const char *zip = full_size ? "cudnn-sample-fullsize.zip" : "cudnn-sample.zip";
    if (!embedded || cs_manifest_parse("embedded", embedded, size, &product, NULL) != CS_OK) die("cannot read", "its manifest");
    write_zip(m, &product, zip, full_size);
    write_manifest(m, &product, zip, full_size ? "cudnn-sample-fullsize.json" : "cudnn-sample.json");
    cs_manifest_free(&product);
}
