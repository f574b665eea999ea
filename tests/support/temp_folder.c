#include "temp_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"

static const char *temp_root(void) {
    static const char *const variables[] = {"TEMP", "TMPDIR"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *root = getenv(variables[i]);
        if (root && *root) return root;
    }
    return "/tmp";
}

static void check(cs_status status, const cs_error *error) {
    if (status == CS_OK) return;
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 128];
    cs_error_text(error, text, sizeof text);
    fail_msg("%s", text);
}

void temp_folder_make(temp_folder *folder, const char *suffix) {
    const cs_system *system = cs_system_real();
    cs_error error = {0};
    cs_buffer name = {0}, path = {0};
    uint8_t random[8];
    char hex[2 * sizeof random + 1];
    *folder = (temp_folder){0};
    check(system->random(system->ctx, random, sizeof random, &error), &error);
    cs_hex(random, sizeof random, hex);
    cs_buffer_format(&name, "cudnn-setup-test-%s%s", hex, suffix);
    check(cs_path_join(&path, cs_fs_real()->separator, temp_root(), name.data, &error), &error);
    temp_make_folder(path.data);
    folder->path = path.data;
    cs_buffer_free(&name);
}

const char *temp_path(temp_folder *folder, const char *relative) {
    cs_error error = {0};
    cs_buffer path = {0};
    check(cs_path_join(&path, cs_fs_real()->separator, folder->path, relative, &error), &error);
    check(cs_strings_add(&folder->paths, path.data, &error), &error);
    cs_buffer_free(&path);
    return folder->paths.items[folder->paths.count - 1];
}

void temp_make_folder(const char *path) {
    const cs_fs *fs = cs_fs_real();
    cs_error error = {0};
    check(fs->make_folder(fs->ctx, path, CS_FOLDER_INHERIT, &error), &error);
}

void temp_write(const char *path, const void *bytes, size_t size) {
    const cs_fs *fs = cs_fs_real();
    cs_error error = {0};
    cs_file *file;
    check(fs->open(fs->ctx, path, CS_OPEN_CREATE, &file, &error), &error);
    check(fs->write(fs->ctx, file, 0, bytes, size, &error), &error);
    fs->close(fs->ctx, file);
}

void temp_write_text(const char *path, const char *text) { temp_write(path, text, strlen(text)); }

void temp_assert_text(const char *path, const char *text) {
    cs_error error = {0};
    cs_buffer found = {0};
    check(cs_fs_read_all(cs_fs_real(), path, 1 << 20, &found, &error), &error);
    assert_string_equal(cs_buffer_string(&found), text);
    cs_buffer_free(&found);
}

void temp_assert_absent(const char *path) {
    cs_file_info info;
    assert_int_equal(cs_fs_real()->stat(NULL, path, &info, NULL), CS_E_NOT_FOUND);
}

static cs_status remember(void *ctx, const char *name, const cs_file_info *info) {
    (void)info;
    return cs_strings_add(ctx, name, NULL);
}

static void remove_file(const char *path, const cs_file_info *info) {
    const cs_fs *fs = cs_fs_real();
    cs_error error = {0};
    cs_file *file;
    if (info->kind == CS_FILE_REPARSE) {
        assert_true(temp_unlink(path));
        return;
    }
    check(fs->open(fs->ctx, path, CS_OPEN_MOVE, &file, &error), &error);
    cs_file_info writable = *info;
    writable.attributes = 0x80;
    check(fs->set_info(fs->ctx, file, &writable, &error), &error);
    check(fs->remove(fs->ctx, file, &error), &error);
    fs->close(fs->ctx, file);
}

static void remove_tree(const char *path) {
    const cs_fs *fs = cs_fs_real();
    cs_error error = {0};
    cs_strings names = {0};
    cs_buffer child = {0};
    check(fs->list(fs->ctx, path, remember, &names, &error), &error);
    for (size_t i = 0; i < names.count; i++) {
        cs_file_info info;
        cs_buffer_clear(&child);
        cs_buffer_format(&child, "%s%c%s", path, fs->separator, names.items[i]);
        check(fs->stat(fs->ctx, child.data, &info, &error), &error);
        if (info.kind == CS_FILE_FOLDER)
            remove_tree(child.data);
        else
            remove_file(child.data, &info);
    }
    cs_buffer_free(&child);
    cs_strings_free(&names);
    check(fs->remove_folder(fs->ctx, path, &error), &error);
}

void temp_folder_remove(temp_folder *folder) {
    if (folder->path) remove_tree(folder->path);
    cs_free(folder->path);
    cs_strings_free(&folder->paths);
    *folder = (temp_folder){0};
}
