#include "cudnn_setup/archive.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/manifest.h"

static void put_strings(cs_json_writer *w, const char *key, const cs_strings *list) {
    cs_json_begin(w, key, '[');
    for (size_t i = 0; i < list->count; i++) cs_json_put_text(w, NULL, list->items[i]);
    cs_json_end(w, ']');
}

static void put_archive(cs_json_writer *w, const cs_manifest *m) {
    cs_json_begin(w, "archive", '{');
    put_strings(w, "names", &m->archive_names);
    if (m->has_archive_sha256) cs_json_put_hex(w, "sha256", m->archive_sha256, CS_SHA256_SIZE);
    if (m->has_archive_size) cs_json_put_uint(w, "size", m->archive_size);
    cs_json_end(w, '}');
}

/* One row per line: people compare such lists. staged NULL: the manifest's own seal, if it has one. */
static void put_files(cs_json_writer *w, const cs_manifest *m, const cs_staged *staged) {
    cs_json_begin(w, "files", '[');
    for (size_t i = 0; i < m->file_count; i++) {
        const cs_manifest_file *file = &m->files[i];
        cs_json_begin_line(w, NULL, '{');
        cs_json_put_text(w, "source", file->source);
        cs_json_put_text(w, "target", file->target);
        cs_json_put_text(w, "kind", cs_role_text(file->role));
        if (staged || m->sealed) {
            cs_json_put_uint(w, "size", staged ? staged[i].size : file->size);
            cs_json_put_hex(w, "sha256", staged ? staged[i].sha256 : file->sha256, CS_SHA256_SIZE);
        }
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
}

static void put_wrong_archives(cs_json_writer *w, const cs_manifest *m) {
    cs_json_begin(w, "wrong_archives", '[');
    for (size_t i = 0; i < m->wrong_archive_count; i++) {
        cs_json_begin(w, NULL, '{');
        cs_json_put_text(w, "name", m->wrong_archives[i].name);
        cs_json_put_hex(w, "sha256", m->wrong_archives[i].sha256, CS_SHA256_SIZE);
        cs_json_put_text(w, "what", m->wrong_archives[i].what);
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
}

static cs_status write(const cs_manifest *m, const cs_staged *staged, cs_buffer *out, cs_error *error) {
    cs_json_writer w = {.out = out, .layout = CS_JSON_PRETTY};
    cs_json_begin(&w, NULL, '{');
    cs_json_put_uint(&w, "schema", 1);
    cs_json_put_text(&w, "product", m->product);
    cs_json_put_text(&w, "version", m->version);
    cs_json_put_uint(&w, "cudnn_version", m->cudnn_version);
    cs_json_put_text(&w, "cuda", m->cuda);
    cs_json_put_bool(&w, "sample", m->sample);
    put_archive(&w, m);
    put_files(&w, m, staged);
    if (m->wrong_archive_count) put_wrong_archives(&w, m);
    if (m->driver_min) cs_json_put_text(&w, "driver_min", m->driver_min);
    if (m->compute_min) cs_json_put_text(&w, "compute_min", m->compute_min);
    if (m->compute_max) cs_json_put_text(&w, "compute_max", m->compute_max);
    if (m->needs.count) put_strings(&w, "needs", &m->needs);
    cs_json_end(&w, '}');
    return cs_json_finish(&w, error);
}

cs_status cs_manifest_write(const cs_manifest *manifest, cs_buffer *out, cs_error *error) {
    return write(manifest, NULL, out, error);
}

cs_status cs_manifest_seal(const cs_manifest *manifest, const cs_staged *staged, cs_buffer *out, cs_error *error) {
    return write(manifest, staged, out, error);
}
