/* What every implementation of cs_fs promises, against the real file system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "skip.h"

#include "cudnn_setup/path.h"
#include "temp_folder.h"

static const cs_fs *fs;
static temp_folder scratch;

static int setup(void **state) {
    (void)state;
    fs = cs_fs_real();
    temp_folder_make(&scratch, " [x] & 100% !^';= \xC3\xA9\xE6\x96\x87\xF0\x9F\x98\x80");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    temp_folder_remove(&scratch);
    return 0;
}

static const char *at(const char *relative) { return temp_path(&scratch, relative); }

static cs_file *opened(const char *path, cs_open_mode mode) {
    cs_error error = {0};
    cs_file *file;
    cs_status status = fs->open(fs->ctx, path, mode, &file, &error);
    if (status != CS_OK) {
        char text[2048];
        cs_error_text(&error, text, sizeof text);
        fail_msg("%s", text);
    }
    return file;
}

static cs_status try_open(const char *path, cs_open_mode mode) {
    cs_file *file;
    cs_status status = fs->open(fs->ctx, path, mode, &file, NULL);
    if (status == CS_OK)
        fs->close(fs->ctx, file);
    else
        assert_null(file);
    return status;
}

static cs_file_info info_of(const char *path) {
    cs_file_info info;
    assert_int_equal(fs->stat(fs->ctx, path, &info, NULL), CS_OK);
    return info;
}

static void test_fs_seam_create_refuses_an_existing_name(void **state) {
    (void)state;
    temp_write_text(at("a"), "one");
    cs_error error = {0};
    cs_file *file;
    assert_int_equal(fs->open(fs->ctx, at("a"), CS_OPEN_CREATE, &file, &error), CS_E_EXISTS);
    assert_null(file);
    assert_string_equal(error.operation, "open");
    assert_string_equal(error.path, at("a"));
    assert_true(error.system != 0);
    temp_assert_text(at("a"), "one");
}

static void test_fs_seam_open_of_what_is_absent(void **state) {
    (void)state;
    assert_int_equal(try_open(at("none"), CS_OPEN_READ), CS_E_NOT_FOUND);
    assert_int_equal(try_open(at("none"), CS_OPEN_MOVE), CS_E_NOT_FOUND);
    assert_int_equal(try_open(at("none"), CS_OPEN_FOLDER), CS_E_NOT_FOUND);
    assert_int_equal(try_open(at("none/below"), CS_OPEN_READ), CS_E_NOT_FOUND);
    temp_assert_absent(at("none"));
    assert_false(cs_fs_exists(fs, at("none")));
}

static void test_fs_seam_relative_paths_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"", "x", "./x", "x/y", "C:x", "\\x"};
    cs_file_info info;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(try_open(bad[i], CS_OPEN_READ), CS_E_NAME);
        assert_int_equal(fs->stat(fs->ctx, bad[i], &info, NULL), CS_E_NAME);
        assert_int_equal(fs->make_folder(fs->ctx, bad[i], CS_FOLDER_INHERIT, NULL), CS_E_NAME);
    }
}

static void test_fs_seam_a_folder_is_no_file_and_a_file_no_folder(void **state) {
    (void)state;
    temp_make_folder(at("d"));
    temp_write_text(at("f"), "");
    assert_int_equal(try_open(at("d"), CS_OPEN_READ), CS_E_ACCESS);
    assert_int_equal(try_open(at("d"), CS_OPEN_UPDATE), CS_E_ACCESS);
    assert_int_equal(try_open(at("f"), CS_OPEN_FOLDER), CS_E_NOT_FOUND);
    assert_int_equal(try_open(at("d"), CS_OPEN_FOLDER), CS_OK);
    assert_int_equal(fs->remove_folder(fs->ctx, at("f"), NULL), CS_E_NOT_FOUND);
    temp_assert_text(at("f"), "");
}

static void test_fs_seam_read_and_write_by_offset(void **state) {
    (void)state;
    char bytes[16] = "";
    size_t got = 99;
    cs_file *file = opened(at("f"), CS_OPEN_CREATE);
    assert_int_equal(fs->write(fs->ctx, file, 4, "world", 5, NULL), CS_OK);
    assert_int_equal(fs->write(fs->ctx, file, 0, "hel\0", 4, NULL), CS_OK);
    assert_int_equal(fs->read(fs->ctx, file, 0, bytes, sizeof bytes, &got, NULL), CS_OK);
    assert_int_equal(got, 9);
    assert_memory_equal(bytes, "hel\0world", 9);
    assert_int_equal(fs->read(fs->ctx, file, 7, bytes, 2, &got, NULL), CS_OK);
    assert_int_equal(got, 2);
    assert_memory_equal(bytes, "ld", 2);
    assert_int_equal(fs->read(fs->ctx, file, 9, bytes, 4, &got, NULL), CS_OK);
    assert_int_equal(got, 0);
    assert_int_equal(fs->read(fs->ctx, file, 1000, bytes, 4, &got, NULL), CS_OK);
    assert_int_equal(got, 0);
    fs->close(fs->ctx, file);
}

static void test_fs_seam_set_size_grows_with_zeroes_and_shrinks(void **state) {
    (void)state;
    char bytes[8];
    size_t got;
    cs_file_info info;
    cs_file *file = opened(at("f"), CS_OPEN_CREATE);
    assert_int_equal(fs->set_size(fs->ctx, file, 3000000, NULL), CS_OK);
    assert_int_equal(fs->info(fs->ctx, file, &info, NULL), CS_OK);
    assert_int_equal(info.size, 3000000);
    assert_int_equal(fs->write(fs->ctx, file, 0, "abc", 3, NULL), CS_OK);
    assert_int_equal(fs->set_size(fs->ctx, file, 5, NULL), CS_OK);
    assert_int_equal(fs->read(fs->ctx, file, 0, bytes, sizeof bytes, &got, NULL), CS_OK);
    assert_int_equal(got, 5);
    assert_memory_equal(bytes, "abc\0\0", 5);
    assert_int_equal(fs->set_size(fs->ctx, file, 0, NULL), CS_OK);
    fs->close(fs->ctx, file);
    assert_int_equal(info_of(at("f")).size, 0);
}

static void test_fs_seam_read_denies_writers(void **state) {
    (void)state;
    temp_write_text(at("f"), "x");
    cs_file *reader = opened(at("f"), CS_OPEN_READ);
    assert_int_equal(try_open(at("f"), CS_OPEN_READ), CS_OK);
    assert_int_equal(try_open(at("f"), CS_OPEN_WATCH), CS_OK);
    assert_int_equal(try_open(at("f"), CS_OPEN_MOVE), CS_E_SHARING);
    assert_int_equal(try_open(at("f"), CS_OPEN_UPDATE), CS_E_SHARING);
    assert_int_equal(try_open(at("f"), CS_OPEN_APPEND), CS_E_SHARING);
    assert_int_equal(try_open(at("f"), CS_OPEN_LOCK), CS_E_SHARING);
    fs->close(fs->ctx, reader);
    assert_int_equal(try_open(at("f"), CS_OPEN_MOVE), CS_OK);
    assert_int_equal(try_open(at("f"), CS_OPEN_UPDATE), CS_OK);
}

static void test_fs_seam_watch_denies_nobody(void **state) {
    (void)state;
    temp_write_text(at("f"), "x");
    cs_file *watcher = opened(at("f"), CS_OPEN_WATCH);
    cs_file *writer = opened(at("f"), CS_OPEN_UPDATE);
    assert_int_equal(fs->write(fs->ctx, writer, 1, "y", 1, NULL), CS_OK);
    fs->close(fs->ctx, writer);
    char bytes[2];
    size_t got;
    assert_int_equal(fs->read(fs->ctx, watcher, 0, bytes, 2, &got, NULL), CS_OK);
    assert_int_equal(got, 2);
    assert_memory_equal(bytes, "xy", 2);
    fs->close(fs->ctx, watcher);
}

static void test_fs_seam_lock_is_exclusive_and_ends_with_its_handle(void **state) {
    (void)state;
    cs_file *lock = opened(at("lock"), CS_OPEN_LOCK);
    assert_int_equal(try_open(at("lock"), CS_OPEN_LOCK), CS_E_SHARING);
    assert_int_equal(try_open(at("lock"), CS_OPEN_READ), CS_E_SHARING);
    assert_int_equal(try_open(at("lock"), CS_OPEN_WATCH), CS_E_SHARING);
    assert_int_equal(fs->write(fs->ctx, lock, 0, "\1", 1, NULL), CS_OK);
    assert_int_equal(fs->flush(fs->ctx, lock, NULL), CS_OK);
    fs->close(fs->ctx, lock);
    lock = opened(at("lock"), CS_OPEN_LOCK);
    fs->close(fs->ctx, lock);
    assert_int_equal(info_of(at("lock")).size, 1); /* opening again keeps what is there */
}

static void test_fs_seam_update_creates_keeps_and_lets_others_write(void **state) {
    (void)state;
    cs_file *mark = opened(at("mark"), CS_OPEN_UPDATE);
    assert_int_equal(fs->write(fs->ctx, mark, 0, "m", 1, NULL), CS_OK);
    assert_int_equal(try_open(at("mark"), CS_OPEN_UPDATE), CS_OK);
    assert_int_equal(try_open(at("mark"), CS_OPEN_MOVE), CS_E_SHARING);
    assert_int_equal(fs->flush(fs->ctx, mark, NULL), CS_OK);
    fs->close(fs->ctx, mark);
    temp_assert_text(at("mark"), "m");
}

static void test_fs_seam_append_always_writes_at_the_end(void **state) {
    (void)state;
    cs_file *log = opened(at("log"), CS_OPEN_APPEND);
    assert_int_equal(fs->write(fs->ctx, log, 0, "one ", 4, NULL), CS_OK);
    assert_int_equal(fs->write(fs->ctx, log, 0, "two ", 4, NULL), CS_OK);
    assert_int_equal(try_open(at("log"), CS_OPEN_WATCH), CS_OK);
    assert_int_equal(try_open(at("log"), CS_OPEN_APPEND), CS_E_SHARING);
    fs->close(fs->ctx, log);
    log = opened(at("log"), CS_OPEN_APPEND);
    assert_int_equal(fs->write(fs->ctx, log, 0, "three", 5, NULL), CS_OK);
    assert_int_equal(fs->flush(fs->ctx, log, NULL), CS_OK);
    fs->close(fs->ctx, log);
    temp_assert_text(at("log"), "one two three");
}

static void test_fs_seam_rename_without_replacing(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    temp_write_text(at("b"), "B");
    temp_make_folder(at("d"));
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->rename(fs->ctx, file, at("b"), false, NULL), CS_E_EXISTS);
    assert_int_equal(fs->rename(fs->ctx, file, at("d"), false, NULL), CS_E_EXISTS);
    temp_assert_text(at("b"), "B");
    assert_int_equal(fs->rename(fs->ctx, file, at("d/c"), false, NULL), CS_OK);
    temp_assert_absent(at("a"));
    assert_int_equal(fs->rename(fs->ctx, file, at("a"), false, NULL), CS_OK); /* the handle stays usable */
    assert_int_equal(fs->rename(fs->ctx, file, at("none/a"), false, NULL), CS_E_NOT_FOUND);
    fs->close(fs->ctx, file);
    temp_assert_text(at("a"), "A");
    temp_assert_absent(at("d/c"));
}

static void test_fs_seam_rename_replacing(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    temp_write_text(at("b"), "B");
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    cs_file *holder = opened(at("b"), CS_OPEN_READ);
    assert_int_not_equal(fs->rename(fs->ctx, file, at("b"), true, NULL), CS_OK);
    fs->close(fs->ctx, holder);
    assert_int_equal(fs->rename(fs->ctx, file, at("b"), true, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_absent(at("a"));
    temp_assert_text(at("b"), "A");
}

static void test_fs_seam_identity_survives_a_rename_and_not_a_copy(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    temp_write_text(at("copy"), "A");
    temp_make_folder(at("d"));
    cs_file_info before = info_of(at("a")), other = info_of(at("copy")), by_handle;
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->info(fs->ctx, file, &by_handle, NULL), CS_OK);
    assert_true(cs_file_id_equal(&before.id, &by_handle.id));
    assert_int_equal(fs->rename(fs->ctx, file, at("d/b"), false, NULL), CS_OK);
    fs->close(fs->ctx, file);
    cs_file_info after = info_of(at("d/b"));
    assert_true(cs_file_id_equal(&before.id, &after.id));
    assert_false(cs_file_id_equal(&before.id, &other.id));
    assert_int_equal(before.id.volume, other.id.volume);
    assert_int_equal(after.links, 1);
    assert_int_equal(after.size, 1);
    assert_int_equal(after.kind, CS_FILE_REGULAR);
}

static void test_fs_seam_remove_by_handle(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_absent(at("a"));
    file = opened(at("a"), CS_OPEN_CREATE);
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_absent(at("a"));
}

static void test_fs_seam_remove_follows_the_file_and_not_the_name(void **state) {
    (void)state;
    temp_write_text(at("a"), "mine");
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->rename(fs->ctx, file, at("b"), false, NULL), CS_OK);
    temp_write_text(at("a"), "somebody else's");
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_absent(at("b"));
    temp_assert_text(at("a"), "somebody else's");
}

static void test_fs_seam_read_handles_change_nothing(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    cs_file *file = opened(at("a"), CS_OPEN_READ);
    assert_int_equal(fs->write(fs->ctx, file, 0, "x", 1, NULL), CS_E_ACCESS);
    assert_int_equal(fs->set_size(fs->ctx, file, 0, NULL), CS_E_ACCESS);
    assert_int_equal(fs->rename(fs->ctx, file, at("b"), false, NULL), CS_E_ACCESS);
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_E_ACCESS);
    fs->close(fs->ctx, file);
    temp_assert_text(at("a"), "A");
}

static void test_fs_seam_flush_needs_write_access(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->flush(fs->ctx, file, NULL), CS_E_ACCESS);
    fs->close(fs->ctx, file);
    file = opened(at("b"), CS_OPEN_CREATE);
    assert_int_equal(fs->write(fs->ctx, file, 0, "x", 1, NULL), CS_OK);
    assert_int_equal(fs->flush(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
}

static void test_fs_seam_times_and_attributes_come_back(void **state) {
    (void)state;
    temp_write_text(at("a"), "A");
    cs_file_info wanted = info_of(at("a"));
    wanted.attributes = 0x1; /* read-only */
    wanted.written = 132000000123456700;
    wanted.accessed = 132000000765432100;
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->set_info(fs->ctx, file, &wanted, NULL), CS_OK);
    fs->close(fs->ctx, file);
    cs_file_info got = info_of(at("a"));
    assert_int_equal(got.written, wanted.written);
    assert_int_equal(got.accessed, wanted.accessed);
    assert_int_equal(got.attributes & 1, 1);
    file = opened(at("a"), CS_OPEN_MOVE); /* a read-only file still moves, but is not deleted */
    assert_int_equal(fs->rename(fs->ctx, file, at("b"), false, NULL), CS_OK);
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_E_ACCESS);
    wanted.attributes = 0x80;
    wanted.written = 0; /* left as it is */
    assert_int_equal(fs->set_info(fs->ctx, file, &wanted, NULL), CS_OK);
    fs->close(fs->ctx, file);
    got = info_of(at("b"));
    assert_int_equal(got.attributes & 1, 0);
    assert_int_equal(got.written, 132000000123456700);
}

static cs_status count_entry(void *ctx, const char *name, const cs_file_info *info) {
    unsigned *seen = ctx;
    if (strcmp(name, "file") == 0) {
        assert_int_equal(info->kind, CS_FILE_REGULAR);
        assert_int_equal(info->size, 5);
        *seen += 1;
    } else if (strcmp(name, "folder") == 0) {
        assert_int_equal(info->kind, CS_FILE_FOLDER);
        assert_int_equal(info->attributes & 0x10, 0x10);
        *seen += 10;
    } else if (strcmp(name, "\xE6\x96\x87 [1] & %x% ;'=") == 0) {
        *seen += 100;
    } else {
        *seen += 100000;
    }
    return CS_OK;
}

static cs_status stop_at_once(void *ctx, const char *name, const cs_file_info *info) {
    (void)name, (void)info;
    ++*(unsigned *)ctx;
    return CS_E_CANCELLED;
}

static void test_fs_seam_list(void **state) {
    (void)state;
    unsigned seen = 0;
    assert_int_equal(fs->list(fs->ctx, scratch.path, count_entry, &seen, NULL), CS_OK);
    assert_int_equal(seen, 0);
    temp_write_text(at("file"), "12345");
    temp_make_folder(at("folder"));
    temp_write_text(at("\xE6\x96\x87 [1] & %x% ;'="), "");
    assert_int_equal(fs->list(fs->ctx, scratch.path, count_entry, &seen, NULL), CS_OK);
    assert_int_equal(seen, 111);
    seen = 0;
    assert_int_equal(fs->list(fs->ctx, scratch.path, stop_at_once, &seen, NULL), CS_E_CANCELLED);
    assert_int_equal(seen, 1);
    assert_int_equal(fs->list(fs->ctx, at("none"), count_entry, &seen, NULL), CS_E_NOT_FOUND);
}

static cs_status count_all(void *ctx, const char *name, const cs_file_info *info) {
    (void)name, (void)info;
    ++*(unsigned *)ctx;
    return CS_OK;
}

static void test_fs_seam_list_many(void **state) {
    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        char name[80];
        snprintf(name, sizeof name, "a rather long name, so that one block of entries is not enough %04u", i);
        temp_write_text(at(name), "");
    }
    unsigned seen = 0;
    assert_int_equal(fs->list(fs->ctx, scratch.path, count_all, &seen, NULL), CS_OK);
    assert_int_equal(seen, 600);
}

static void test_fs_seam_folders(void **state) {
    (void)state;
    temp_make_folder(at("d"));
    assert_int_equal(fs->make_folder(fs->ctx, at("d"), CS_FOLDER_INHERIT, NULL), CS_E_EXISTS);
    assert_int_equal(fs->make_folder(fs->ctx, at("none/d"), CS_FOLDER_INHERIT, NULL), CS_E_NOT_FOUND);
    temp_write_text(at("d/f"), "");
    assert_int_equal(fs->make_folder(fs->ctx, at("d/f"), CS_FOLDER_INHERIT, NULL), CS_E_EXISTS);
    assert_int_equal(fs->remove_folder(fs->ctx, at("d"), NULL), CS_E_NOT_EMPTY);
    cs_file *file = opened(at("d/f"), CS_OPEN_MOVE);
    assert_int_equal(fs->remove(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
    assert_int_equal(fs->sync_folder(fs->ctx, at("d"), NULL), CS_OK);
    assert_int_equal(fs->remove_folder(fs->ctx, at("d"), NULL), CS_OK);
    temp_assert_absent(at("d"));
    assert_int_equal(fs->sync_folder(fs->ctx, at("d"), NULL), CS_E_NOT_FOUND);
    assert_int_equal(fs->remove_folder(fs->ctx, at("d"), NULL), CS_E_NOT_FOUND);
}

static void test_fs_seam_guard_keeps_the_folder_and_hinders_nothing_of_ours(void **state) {
    (void)state;
    temp_make_folder(at("bin"));
    temp_make_folder(at("new"));
    temp_write_text(at("new/00"), "new");
    temp_write_text(at("bin/x.dll"), "old");
    cs_file *bin = opened(at("bin"), CS_OPEN_FOLDER), *new = opened(at("new"), CS_OPEN_FOLDER);
    assert_int_equal(try_open(at("bin"), CS_OPEN_FOLDER), CS_OK);
    cs_file *old = opened(at("bin/x.dll"), CS_OPEN_MOVE), *fresh = opened(at("new/00"), CS_OPEN_MOVE);
    assert_int_equal(fs->rename(fs->ctx, old, at("new/old"), false, NULL), CS_OK);
    assert_int_equal(fs->rename(fs->ctx, fresh, at("bin/x.dll"), false, NULL), CS_OK);
    assert_int_equal(fs->remove(fs->ctx, old, NULL), CS_OK);
    fs->close(fs->ctx, old);
    fs->close(fs->ctx, fresh);
    temp_make_folder(at("bin/sub"));
    assert_int_equal(fs->remove_folder(fs->ctx, at("bin/sub"), NULL), CS_OK);
    assert_int_equal(fs->sync_folder(fs->ctx, at("bin"), NULL), CS_OK);
    unsigned seen = 0;
    assert_int_equal(fs->list(fs->ctx, at("bin"), count_all, &seen, NULL), CS_OK);
    assert_int_equal(seen, 1);
    assert_int_equal(fs->remove_folder(fs->ctx, at("new"), NULL), CS_E_SHARING);
    fs->close(fs->ctx, new);
    assert_int_equal(fs->remove_folder(fs->ctx, at("new"), NULL), CS_OK);
    fs->close(fs->ctx, bin);
    temp_assert_text(at("bin/x.dll"), "new");
}

static void test_fs_seam_links_are_refused(void **state) {
    (void)state;
    temp_make_folder(at("real"));
    temp_write_text(at("real/f"), "x");
    if (!temp_link(at("real"), at("link"))) SKIP("this system lets a test make no link");
    assert_int_equal(info_of(at("link")).kind, CS_FILE_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_FOLDER), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_UPDATE) == CS_OK, 0);
    unsigned seen = 0;
    assert_int_equal(fs->list(fs->ctx, at("link"), count_all, &seen, NULL), CS_E_REPARSE);
    assert_int_equal(fs->remove_folder(fs->ctx, at("link"), NULL), CS_E_REPARSE);
    assert_int_equal(fs->sync_folder(fs->ctx, at("link"), NULL), CS_E_REPARSE);
    assert_int_equal(seen, 0);
    temp_assert_text(at("real/f"), "x");
}

/* The bytes may come from a share: such a file is copied before it is believed. */
static void test_fs_seam_behind_a_symbolic_link_nothing_is_local(void **state) {
    (void)state;
    cs_buffer real = {0};
    cs_volume volume;
    temp_make_folder(at("real"));
    temp_write_text(at("real/f"), "x");
    if (!temp_link(at("real"), at("link"))) SKIP("this system lets a test make no link");
    cs_status status = fs->real_path(fs->ctx, at("link/f"), &real, NULL);
    cs_buffer_free(&real);
    if (status != CS_E_UNSUPPORTED) SKIP("links are not told from junctions here");
    assert_int_equal(fs->volume(fs->ctx, at("link/f"), &volume, NULL), CS_OK);
    assert_false(volume.local_fixed);
    assert_string_equal(volume.guid_path, "");
    assert_int_equal(fs->volume(fs->ctx, at("real/f"), &volume, NULL), CS_OK);
    assert_true(volume.local_fixed);
}

static void test_fs_seam_link_to_a_file_is_refused(void **state) {
    (void)state;
    if (cs_system_real()->wine_version(NULL)) SKIP("Wine shows links to folders only");
    temp_write_text(at("real"), "x");
    if (!temp_link(at("real"), at("link"))) SKIP("this system lets a test make no link");
    assert_int_equal(try_open(at("link"), CS_OPEN_READ), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_WATCH), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_MOVE), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_UPDATE), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_LOCK), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_APPEND), CS_E_REPARSE);
    assert_int_equal(try_open(at("link"), CS_OPEN_CREATE), CS_E_EXISTS);
    temp_assert_text(at("real"), "x");
}

static void test_fs_seam_long_paths(void **state) {
    (void)state;
    cs_buffer path = {0};
    cs_buffer_text(&path, "long");
    for (unsigned i = 0; i < 4; i++) {
        temp_make_folder(at(path.data));
        cs_buffer_format(&path, "/%0100u", i);
    }
    temp_write_text(at(path.data), "deep");
    assert_true(strlen(at(path.data)) > 260);
    temp_assert_text(at(path.data), "deep");
    cs_file *file = opened(at(path.data), CS_OPEN_MOVE);
    assert_int_equal(fs->rename(fs->ctx, file, at("short"), false, NULL), CS_OK);
    assert_int_equal(fs->rename(fs->ctx, file, at(path.data), false, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_text(at(path.data), "deep");
    cs_buffer_free(&path);
}

static void test_fs_seam_volume(void **state) {
    (void)state;
    cs_volume folder, file;
    temp_write_text(at("f"), "");
    assert_int_equal(fs->volume(fs->ctx, scratch.path, &folder, NULL), CS_OK);
    assert_int_equal(fs->volume(fs->ctx, at("f"), &file, NULL), CS_OK);
    assert_string_equal(folder.guid_path, file.guid_path);
    assert_true(strlen(folder.guid_path) > 6);
    assert_true(strlen(folder.filesystem) > 1);
    assert_true(folder.free_bytes > 0);
    assert_true(folder.local_fixed);
    assert_int_equal(fs->volume(fs->ctx, at("none"), &folder, NULL), CS_E_NOT_FOUND);
}

static void test_fs_seam_security_of_our_folders(void **state) {
    (void)state;
    cs_security security;
    char why[200];
    assert_int_equal(fs->make_folder(fs->ctx, at("state"), CS_FOLDER_STATE, NULL), CS_OK);
    assert_int_equal(fs->security(fs->ctx, at("state"), &security, NULL), CS_OK);
    assert_true(strncmp(security.owner, "S-1-", 4) == 0);
    assert_true(security.count > 0);
    assert_false(security.null_dacl);
    if (!cs_security_ours(&security, why, sizeof why)) fail_msg("%s", why);
    cs_security_free(&security);
    assert_int_equal(fs->security(fs->ctx, at("none"), &security, NULL), CS_E_NOT_FOUND);
    assert_null(security.aces);
}

static void test_fs_seam_inherit_security_after_a_move(void **state) {
    (void)state;
    temp_make_folder(at("d"));
    temp_write_text(at("a"), "A");
    cs_file *file = opened(at("a"), CS_OPEN_MOVE);
    assert_int_equal(fs->rename(fs->ctx, file, at("d/a"), false, NULL), CS_OK);
    assert_int_equal(fs->inherit_security(fs->ctx, file, NULL), CS_OK);
    fs->close(fs->ctx, file);
    temp_assert_text(at("d/a"), "A");
    file = opened(at("d/a"), CS_OPEN_MOVE); /* still ours to move */
    assert_int_equal(fs->rename(fs->ctx, file, at("a"), false, NULL), CS_OK);
    fs->close(fs->ctx, file);
}

static void test_fs_seam_real_path(void **state) {
    (void)state;
    cs_buffer folder = {0}, real = {0};
    temp_make_folder(at("d"));
    temp_write_text(at("d/f"), "");
    assert_int_equal(fs->real_path(fs->ctx, at("d"), &folder, NULL), CS_OK);
    assert_int_equal(fs->real_path(fs->ctx, at("d/f"), &real, NULL), CS_OK);
    assert_true(strncmp(real.data, folder.data, folder.size) == 0);
    assert_string_equal(cs_path_name(real.data), "f");
    assert_int_equal(real.size, folder.size + 2);
    assert_int_equal(fs->real_path(fs->ctx, at("none"), &real, NULL), CS_E_NOT_FOUND);
    cs_buffer_free(&folder);
    cs_buffer_free(&real);
}

static void test_fs_seam_read_all_is_bounded(void **state) {
    (void)state;
    cs_buffer bytes = {0};
    temp_write_text(at("f"), "12345");
    assert_int_equal(cs_fs_read_all(fs, at("f"), 5, &bytes, NULL), CS_OK);
    assert_string_equal(bytes.data, "12345");
    assert_int_equal(cs_fs_read_all(fs, at("f"), 4, &bytes, NULL), CS_E_TOO_BIG);
    assert_int_equal(bytes.size, 0);
    assert_int_equal(cs_fs_read_all(fs, at("none"), 4, &bytes, NULL), CS_E_NOT_FOUND);
    assert_true(cs_fs_exists(fs, at("f")));
    assert_true(cs_fs_exists(fs, scratch.path));
    cs_buffer_free(&bytes);
}

static void test_fs_seam_separators_at_the_end_are_the_same_folder(void **state) {
    (void)state;
    cs_buffer path = {0};
    cs_buffer_format(&path, "%s%c", scratch.path, fs->separator);
    cs_file_info plain = info_of(scratch.path), trailing = info_of(path.data);
    assert_true(cs_file_id_equal(&plain.id, &trailing.id));
    cs_file *guard = opened(path.data, CS_OPEN_FOLDER);
    fs->close(fs->ctx, guard);
    cs_buffer_free(&path);
}

#define with_scratch(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        with_scratch(test_fs_seam_create_refuses_an_existing_name),
        with_scratch(test_fs_seam_open_of_what_is_absent),
        with_scratch(test_fs_seam_relative_paths_are_refused),
        with_scratch(test_fs_seam_a_folder_is_no_file_and_a_file_no_folder),
        with_scratch(test_fs_seam_read_and_write_by_offset),
        with_scratch(test_fs_seam_set_size_grows_with_zeroes_and_shrinks),
        with_scratch(test_fs_seam_read_denies_writers),
        with_scratch(test_fs_seam_watch_denies_nobody),
        with_scratch(test_fs_seam_lock_is_exclusive_and_ends_with_its_handle),
        with_scratch(test_fs_seam_update_creates_keeps_and_lets_others_write),
        with_scratch(test_fs_seam_append_always_writes_at_the_end),
        with_scratch(test_fs_seam_rename_without_replacing),
        with_scratch(test_fs_seam_rename_replacing),
        with_scratch(test_fs_seam_identity_survives_a_rename_and_not_a_copy),
        with_scratch(test_fs_seam_remove_by_handle),
        with_scratch(test_fs_seam_remove_follows_the_file_and_not_the_name),
        with_scratch(test_fs_seam_read_handles_change_nothing),
        with_scratch(test_fs_seam_flush_needs_write_access),
        with_scratch(test_fs_seam_times_and_attributes_come_back),
        with_scratch(test_fs_seam_list),
        with_scratch(test_fs_seam_list_many),
        with_scratch(test_fs_seam_folders),
        with_scratch(test_fs_seam_guard_keeps_the_folder_and_hinders_nothing_of_ours),
        with_scratch(test_fs_seam_links_are_refused),
        with_scratch(test_fs_seam_behind_a_symbolic_link_nothing_is_local),
        with_scratch(test_fs_seam_link_to_a_file_is_refused),
        with_scratch(test_fs_seam_long_paths),
        with_scratch(test_fs_seam_volume),
        with_scratch(test_fs_seam_security_of_our_folders),
        with_scratch(test_fs_seam_inherit_security_after_a_move),
        with_scratch(test_fs_seam_real_path),
        with_scratch(test_fs_seam_read_all_is_bounded),
        with_scratch(test_fs_seam_separators_at_the_end_are_the_same_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
