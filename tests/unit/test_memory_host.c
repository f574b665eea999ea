#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory_host.h"

static void test_memory_host_file_round_trip(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_fs *fs = memory_host_seam(m)->fs;
    cs_file *file = NULL;
    cs_error error = {0};
    assert_int_equal(fs->open(fs->ctx, "C:\\nowhere\\x", CS_OPEN_CREATE, &file, &error), CS_E_NOT_FOUND);
    assert_int_equal(fs->open(fs->ctx, "C:\\x", CS_OPEN_CREATE, &file, &error), CS_OK);
    assert_int_equal(fs->write(fs->ctx, file, 0, "hello", 5, &error), CS_OK);
    cs_file *second = NULL;
    assert_int_equal(fs->open(fs->ctx, "c:\\X", CS_OPEN_READ, &second, &error), CS_E_SHARING);
    assert_int_equal(fs->rename(fs->ctx, file, "C:\\y", false, &error), CS_OK);
    cs_file_info before, after;
    assert_int_equal(fs->info(fs->ctx, file, &before, &error), CS_OK);
    fs->close(fs->ctx, file);
    assert_true(memory_host_info(m, "C:\\Y", &after));
    assert_memory_equal(&before.id, &after.id, sizeof before.id);
    assert_string_equal(memory_host_content(m, "C:\\y"), "hello");
    assert_int_equal(fs->open(fs->ctx, "C:\\y", CS_OPEN_CREATE, &file, &error), CS_E_EXISTS);
    assert_int_equal(fs->open(fs->ctx, "C:\\y", CS_OPEN_MOVE, &file, &error), CS_OK);
    assert_int_equal(fs->remove(fs->ctx, file, &error), CS_OK);
    assert_true(memory_host_exists(m, "C:\\y"));
    fs->close(fs->ctx, file);
    assert_false(memory_host_exists(m, "C:\\y"));
    assert_int_equal(memory_host_open_files(m), 0);
    memory_host_free(m);
}

static void test_memory_host_share_modes(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    memory_host_text(m, "C:\\d\\a", "1");
    cs_file *watch = memory_host_hold(m, "C:\\d\\a", CS_OPEN_WATCH);
    assert_non_null(watch);
    assert_null(memory_host_hold(m, "C:\\d\\a", CS_OPEN_LOCK));
    cs_file *guard = memory_host_hold(m, "C:\\d", CS_OPEN_FOLDER);
    assert_non_null(guard);
    assert_false(memory_host_move(m, "C:\\d", "C:\\e"));
    const cs_fs *fs = memory_host_seam(m)->fs;
    fs->close(fs->ctx, watch);
    fs->close(fs->ctx, guard);
    cs_file *lock = memory_host_hold(m, "C:\\d\\a", CS_OPEN_LOCK);
    assert_non_null(lock);
    assert_null(memory_host_hold(m, "C:\\d\\a", CS_OPEN_LOCK));
    fs->close(fs->ctx, lock);
    memory_host_free(m);
}

static void test_memory_host_faults(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_fs *fs = memory_host_seam(m)->fs;
    cs_error error = {0};
    memory_host_fail_at(m, 1, MEMORY_AFTER, MEMORY_ONCE, 1117);
    assert_int_equal(fs->make_folder(fs->ctx, "C:\\d", CS_FOLDER_INHERIT, &error), CS_E_IO);
    assert_int_equal(error.system, 1117);
    assert_true(memory_host_exists(m, "C:\\d"));
    memory_host_fail_at(m, 2, MEMORY_BEFORE, MEMORY_KILL, 1117);
    assert_int_equal(fs->make_folder(fs->ctx, "C:\\e", CS_FOLDER_INHERIT, &error), CS_OK);
    assert_int_equal(fs->make_folder(fs->ctx, "C:\\f", CS_FOLDER_INHERIT, &error), CS_E_IO);
    assert_int_equal(fs->make_folder(fs->ctx, "C:\\g", CS_FOLDER_INHERIT, &error), CS_E_IO);
    assert_false(memory_host_exists(m, "C:\\f"));
    assert_int_equal(memory_host_restart(m), 0);
    assert_int_equal(fs->make_folder(fs->ctx, "C:\\g", CS_FOLDER_INHERIT, &error), CS_OK);
    memory_host_free(m);
}

static void test_memory_host_registry(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_registry *registry = memory_host_seam(m)->registry;
    cs_error error = {0};
    cs_buffer name = {0};
    assert_int_equal(registry->value_name(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, "PATH", &name, &error), CS_OK);
    assert_string_equal(name.data, "Path");
    cs_buffer_free(&name);
    char *before = memory_host_reg_dump(m);
    memory_host_reg_text(m, CS_HKLM, "SOFTWARE\\a\\b", "v", CS_REG_SZ, "x");
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, "software\\A\\b", "V"), "x");
    memory_host_reg_delete(m, CS_HKLM, "SOFTWARE\\a\\b", "v");
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKLM, "SOFTWARE\\a\\b", &error), CS_OK);
    char *after = memory_host_reg_dump(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

static void test_memory_host_clone_is_equal_and_apart(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    memory_host_text(m, "C:\\d\\a", "1");
    memory_host *copy = memory_host_clone(m);
    char *one = memory_host_dump(m, "C:\\"), *two = memory_host_dump(copy, "C:\\");
    assert_string_equal(one, two);
    free(two);
    memory_host_text(copy, "C:\\d\\a", "2");
    two = memory_host_dump(copy, "C:\\");
    assert_string_not_equal(one, two);
    free(one);
    free(two);
    assert_string_equal(memory_host_content(m, "C:\\d\\a"), "1");
    memory_host_free(m);
    memory_host_free(copy);
}

static void test_memory_host_links_and_short_names(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_fs *fs = memory_host_seam(m)->fs;
    memory_host_text(m, "C:\\Long Name\\bin\\a", "1");
    memory_host_short_name(m, "C:\\Long Name", "LONGNA~1");
    memory_host_link(m, "C:\\j", "C:\\Long Name");
    cs_buffer real = {0};
    cs_error error = {0};
    assert_int_equal(fs->real_path(fs->ctx, "c:\\longna~1\\BIN", &real, &error), CS_OK);
    assert_string_equal(real.data, "C:\\Long Name\\bin");
    assert_int_equal(fs->real_path(fs->ctx, "C:\\j\\bin", &real, &error), CS_OK);
    assert_string_equal(real.data, "C:\\Long Name\\bin");
    assert_int_equal(fs->real_path(fs->ctx, "\\\\server\\share", &real, &error), CS_E_UNSUPPORTED);
    cs_file_info info;
    assert_int_equal(fs->stat(fs->ctx, "C:\\j", &info, &error), CS_OK);
    assert_int_equal(info.kind, CS_FILE_REPARSE);
    cs_buffer_free(&real);
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_host_file_round_trip),
        cmocka_unit_test(test_memory_host_share_modes),
        cmocka_unit_test(test_memory_host_faults),
        cmocka_unit_test(test_memory_host_registry),
        cmocka_unit_test(test_memory_host_clone_is_equal_and_apart),
        cmocka_unit_test(test_memory_host_links_and_short_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
