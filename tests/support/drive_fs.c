#include "drive_fs.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/text.h"

cs_status drive_fs_inside(const drive_fs *drives, const char *path, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    bool c = path[0] == 'C' || path[0] == 'c', z = path[0] == 'Z' || path[0] == 'z';
    if (!(c || z) || path[1] != ':' || path[2] != '\\') return cs_fail(error, CS_E_NAME, "find drive", path, NULL);
    if (c) cs_buffer_text(out, drives->root);
    size_t start = out->size;
    cs_buffer_text(out, path + 2);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '\\') out->data[i] = '/';
    while (out->size > 1 && out->data[out->size - 1] == '/') out->data[--out->size] = '\0';
    return cs_buffer_check(out, error);
}

cs_status drive_fs_outside(const drive_fs *drives, const char *path, cs_buffer *out, cs_error *error) {
    size_t size = strlen(drives->root);
    bool c = strncmp(path, drives->root, size) == 0 && (path[size] == '/' || !path[size]);
    cs_buffer_clear(out);
    cs_buffer_text(out, c ? "C:" : "Z:");
    cs_buffer_text(out, c ? path + size : path);
    if (out->size == 2) cs_buffer_text(out, "\\");
    for (size_t i = 2; i < out->size; i++)
        if (out->data[i] == '/') out->data[i] = '\\';
    return cs_buffer_check(out, error);
}

/* Messages name files as the product knows them. */
static cs_status told(const drive_fs *drives, cs_status status, cs_error *error) {
    cs_buffer path = {0};
    if (status && error && error->path[0] == '/' && drive_fs_outside(drives, error->path, &path, NULL) == CS_OK)
        snprintf(error->path, sizeof error->path, "%s", path.data);
    cs_buffer_free(&path);
    return status;
}

/* ---- open files are the inner seam's ---- */

static void fs_close(void *ctx, cs_file *file) {
    const drive_fs *d = ctx;
    d->inner->close(d->inner->ctx, file);
}

static cs_status fs_read(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->read(d->inner->ctx, file, offset, bytes, size, got, error), error);
}

static cs_status fs_write(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->write(d->inner->ctx, file, offset, bytes, size, error), error);
}

static cs_status fs_set_size(void *ctx, cs_file *file, uint64_t size, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->set_size(d->inner->ctx, file, size, error), error);
}

static cs_status fs_flush(void *ctx, cs_file *file, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->flush(d->inner->ctx, file, error), error);
}

static cs_status fs_info(void *ctx, cs_file *file, cs_file_info *out, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->info(d->inner->ctx, file, out, error), error);
}

static cs_status fs_remove(void *ctx, cs_file *file, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->remove(d->inner->ctx, file, error), error);
}

static cs_status fs_set_info(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->set_info(d->inner->ctx, file, info, error), error);
}

static cs_status fs_inherit_security(void *ctx, cs_file *file, cs_error *error) {
    const drive_fs *d = ctx;
    return told(d, d->inner->inherit_security(d->inner->ctx, file, error), error);
}

/* ---- calls with a path ---- */

/* Translates path into `inside`, makes the call (an expression that uses d, in and inside.data), and frees. */
#define WITH_PATH(path, call)                                                                                                    \
    do {                                                                                                                         \
        const drive_fs *d = ctx;                                                                                                 \
        const cs_fs *in = d->inner;                                                                                              \
        cs_buffer inside = {0};                                                                                                  \
        cs_status status = drive_fs_inside(d, path, &inside, error);                                                             \
        if (!status) status = told(d, call, error);                                                                              \
        cs_buffer_free(&inside);                                                                                                 \
        return status;                                                                                                           \
    } while (0)

static cs_status fs_open(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    *out = NULL;
    WITH_PATH(path, in->open(in->ctx, inside.data, mode, out, error));
}

static cs_status fs_rename(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error) {
    WITH_PATH(new_path, in->rename(in->ctx, file, inside.data, replace, error));
}

static cs_status fs_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error) {
    WITH_PATH(path, in->stat(in->ctx, inside.data, out, error));
}

static cs_status fs_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error) {
    WITH_PATH(path, in->make_folder(in->ctx, inside.data, security, error));
}

static cs_status fs_remove_folder(void *ctx, const char *path, cs_error *error) {
    WITH_PATH(path, in->remove_folder(in->ctx, inside.data, error));
}

static cs_status fs_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error) {
    WITH_PATH(path, in->list(in->ctx, inside.data, entry, entry_ctx, error));
}

static cs_status fs_sync_folder(void *ctx, const char *path, cs_error *error) {
    WITH_PATH(path, in->sync_folder(in->ctx, inside.data, error));
}

static cs_status fs_security(void *ctx, const char *path, cs_security *out, cs_error *error) {
    *out = (cs_security){0};
    WITH_PATH(path, in->security(in->ctx, inside.data, out, error));
}

/* Every drive is a fixed disk with NTFS. */
static cs_status fs_volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    const drive_fs *d = ctx;
    cs_buffer inside = {0};
    *out = (cs_volume){0};
    cs_status status = drive_fs_inside(d, path, &inside, error);
    if (!status) status = told(d, d->inner->volume(d->inner->ctx, inside.data, out, error), error);
    snprintf(out->filesystem, sizeof out->filesystem, "NTFS");
    out->local_fixed = true;
    cs_buffer_free(&inside);
    return status;
}

static cs_status fs_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    const drive_fs *d = ctx;
    cs_buffer inside = {0}, real = {0};
    cs_status status = drive_fs_inside(d, path, &inside, error);
    if (!status) status = told(d, d->inner->real_path(d->inner->ctx, inside.data, &real, error), error);
    if (!status) status = drive_fs_outside(d, cs_buffer_string(&real), out, error);
    cs_buffer_free(&inside);
    cs_buffer_free(&real);
    return status;
}

cs_status drive_fs_init(drive_fs *drives, const cs_fs *inner, const char *root, cs_error *error) {
    *drives = (drive_fs){.inner = inner, .root = cs_strdup(root)};
    if (!drives->root) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    drives->seam = (cs_fs){.ctx = drives,
                           .separator = '\\',
                           .open = fs_open,
                           .close = fs_close,
                           .read = fs_read,
                           .write = fs_write,
                           .set_size = fs_set_size,
                           .flush = fs_flush,
                           .info = fs_info,
                           .rename = fs_rename,
                           .remove = fs_remove,
                           .set_info = fs_set_info,
                           .inherit_security = fs_inherit_security,
                           .stat = fs_stat,
                           .make_folder = fs_make_folder,
                           .remove_folder = fs_remove_folder,
                           .list = fs_list,
                           .sync_folder = fs_sync_folder,
                           .volume = fs_volume,
                           .security = fs_security,
                           .real_path = fs_real_path};
    return CS_OK;
}

void drive_fs_free(drive_fs *drives) { cs_free(drives->root); }
