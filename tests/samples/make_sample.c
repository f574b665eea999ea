/* make_sample: writes the sample archive, the sample toolkit and the rest that tests install into and from.
 *
 *   make_sample sample   --dlls DIR --out DIR   cudnn-sample.zip (31 files) and cudnn-sample.json, its pinned manifest
 *   make_sample fullsize --dlls DIR --out DIR   the same with the sizes of the real package: 290 MB, 700 MB unpacked
 *   make_sample toolkit  --dlls DIR --out DIR   a CUDA 10.1 tree
 *   make_sample old76    --dlls DIR --out DIR   a cuDNN 7.6 as people copy it into a tree by hand
 *
 * The same input gives the same bytes. */
#include "make_sample.h"

#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/path.h"

enum { READ_LIMIT = 64 * 1024 * 1024 };

void die(const char *what, const char *path) {
    fprintf(stderr, "make_sample: %s: %s\n", what, path);
    exit(1);
}

static void die_of(const cs_error *error) {
    char text[2048];
    cs_error_text(error, text, sizeof text);
    die("failed", text);
}

cs_buffer path_of(const char *folder, const char *name) {
    cs_buffer path = {0};
    cs_error error = {0};
    if (cs_path_join(&path, cs_fs_real()->separator, folder, name, &error) != CS_OK) die_of(&error);
    return path;
}

cs_buffer read_file(const char *folder, const char *name) {
    cs_buffer path = path_of(folder, name), bytes = {0};
    cs_error error = {0};
    if (cs_fs_read_all(cs_fs_real(), path.data, READ_LIMIT, &bytes, &error) != CS_OK) die_of(&error);
    cs_buffer_free(&path);
    return bytes;
}

static void make_folders(const char *path) {
    cs_buffer parent = {0};
    cs_error error = {0};
    const cs_fs *fs = cs_fs_real();
    if (cs_path_parent(&parent, path, &error) != CS_OK) die_of(&error);
    if (parent.size && strcmp(parent.data, path) != 0 && !cs_fs_exists(fs, parent.data)) {
        make_folders(parent.data);
        cs_status status = fs->make_folder(fs->ctx, parent.data, CS_FOLDER_INHERIT, &error);
        if (status != CS_OK && status != CS_E_EXISTS) die_of(&error);
    }
    cs_buffer_free(&parent);
}

FILE *create_file(const char *folder, const char *name) {
    cs_buffer path = path_of(folder, name);
    make_folders(path.data);
    FILE *file = fopen(path.data, "w+b");
    if (!file) die("cannot create", path.data);
    cs_buffer_free(&path);
    return file;
}

void write_file(const char *folder, const char *name, const void *bytes, size_t size) {
    FILE *file = create_file(folder, name);
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0) die("cannot write", name);
}

void append_crlf(cs_buffer *out, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) cs_buffer_text(out, "\r");
        cs_buffer_append(out, text + i, 1);
    }
}

static const char *option(int count, char **words, const char *name) {
    for (int i = 2; i + 1 < count; i += 2)
        if (strcmp(words[i], name) == 0) return words[i + 1];
    return NULL;
}

int main(int count, char **words) {
    maker m = {.dlls = option(count, words, "--dlls"), .out = option(count, words, "--out")};
    const char *kind = count == 6 ? words[1] : "";
    if (!m.dlls || !m.out || count != 6) die("usage", "make_sample sample|fullsize|toolkit|old76 --dlls DIR --out DIR");
    if (strcmp(kind, "sample") == 0)
        make_package(&m, false);
    else if (strcmp(kind, "fullsize") == 0)
        make_package(&m, true);
    else if (strcmp(kind, "toolkit") == 0)
        make_toolkit(&m);
    else if (strcmp(kind, "old76") == 0)
        make_old76(&m);
    else
        die("unknown kind", kind);
    return 0;
}
