#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/outfile.h"
#include "memory_host.h"

typedef struct name_row {
    const char *path, *part;
} name_row;

static void test_outfile_refuses_names(void **state) {
    (void)state;
    static const name_row rows[] = {{"x.log", "not a full path"},
                                    {"\\x.log", "not a full path"},
                                    {"C:x.log", "not a full path"},
                                    {"\\\\server\\x.log", "not a full path"},
                                    {"\\\\?\\C:\\x.log", "device path"},
                                    {"\\\\.\\NUL", "device path"},
                                    {"\\\\.\\C:\\x.log", "device path"},
                                    {"C:\\x.log:stream", "stream"},
                                    {"C:\\x::$DATA", "stream"},
                                    {"C:\\NUL", "device"},
                                    {"C:\\con.log", "device"},
                                    {"C:\\com1\\x.log", "device"},
                                    {"C:\\a\\..\\x.log", "\"..\""},
                                    {"C:\\.\\x.log", "\".\""},
                                    {"C:\\a\\\\x.log", "empty name"},
                                    {"C:\\a\\", "empty name"},
                                    {"C:\\", "empty name"},
                                    {"C:\\x.log.", "dot or a blank"},
                                    {"C:\\x.log ", "dot or a blank"},
                                    {"C:\\a \\x.log", "dot or a blank"},
                                    {"C:\\x?.log", "no file name holds"},
                                    {"C:\\a/x.log", "no file name holds"},
                                    {"C:\\x\n.log", "control character"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_error error = {0};
        if (cs_outfile_check('\\', rows[i].path, &error) != CS_E_NAME) fail_msg("accepted: %s", rows[i].path);
        if (!strstr(error.detail, rows[i].part)) fail_msg("%s: \"%s\" not in \"%s\"", rows[i].path, rows[i].part, error.detail);
    }
}

static void test_outfile_accepts_names(void **state) {
    (void)state;
    static const char *const paths[] = {"C:\\x.log", "d:\\a b\\\xE4\xB8\x8B\xE8\xBD\xBD [x] & %y%!^';=.log",
                                        "\\\\server\\share\\x.log", "C:\\console\\comx.log"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) assert_int_equal(cs_outfile_check('\\', paths[i], NULL), CS_OK);
    assert_int_equal(cs_outfile_check('/', "/tmp/a:b.log", NULL), CS_OK);
    assert_int_equal(cs_outfile_check('/', "/tmp/../b.log", NULL), CS_E_NAME);
    assert_int_equal(cs_outfile_check('/', "b.log", NULL), CS_E_NAME);
}

static void test_outfile_expands_the_computer_name_only(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_system(machine)->computer_name = "PC-7";
    cs_buffer out = {0};
    assert_int_equal(
        cs_outfile_expand(memory_host_seam(machine)->system, "C:\\%ComputerName%\\%TEMP%-%COMPUTERNAME%%x", &out, NULL), CS_OK);
    assert_string_equal(out.data, "C:\\PC-7\\%TEMP%-PC-7%x");
    cs_buffer_free(&out);
    memory_host_free(machine);
}

/* Appends text to path; what the opening answered. */
static cs_status append(memory_host *machine, const char *path, bool elevated, const char *text) {
    const cs_fs *fs = memory_host_seam(machine)->fs;
    cs_file *file;
    cs_status status = cs_outfile_append(fs, path, elevated, &file, NULL);
    if (!status) status = fs->write(fs->ctx, file, 0, text, strlen(text), NULL);
    fs->close(fs->ctx, file);
    assert_int_equal(memory_host_open_files(machine), 0);
    return status;
}

static void test_outfile_append_keeps_what_is_there(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_text(machine, "C:\\Logs\\x.log", "old\n");
    assert_int_equal(append(machine, "C:\\Logs\\x.log", true, "new\n"), CS_OK);
    assert_string_equal(memory_host_content(machine, "C:\\Logs\\x.log"), "old\nnew\n");
    assert_int_equal(append(machine, "C:\\Logs\\y.log", false, "y\n"), CS_OK);
    assert_string_equal(memory_host_content(machine, "C:\\Logs\\y.log"), "y\n");
    memory_host_free(machine);
}

static void test_outfile_append_makes_no_folder(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    assert_int_equal(append(machine, "C:\\None\\x.log", true, "x"), CS_E_NOT_FOUND);
    assert_false(memory_host_exists(machine, "C:\\None"));
    memory_host_free(machine);
}

static void test_outfile_elevated_follows_no_link(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_folder(machine, "C:\\Secret");
    memory_host_link(machine, "C:\\Logs", "C:\\Secret");
    assert_int_not_equal(append(machine, "C:\\Logs\\x.log", true, "x"), CS_OK);
    assert_false(memory_host_exists(machine, "C:\\Secret\\x.log"));
    memory_host_text(machine, "C:\\Secret\\target", "t");
    memory_host_folder(machine, "C:\\Here");
    memory_host_link(machine, "C:\\Here\\x.log", "C:\\Secret\\target");
    assert_int_not_equal(append(machine, "C:\\Here\\x.log", true, "x"), CS_OK);
    assert_string_equal(memory_host_content(machine, "C:\\Secret\\target"), "t");
    memory_host_free(machine);
}

static void test_outfile_elevated_appends_to_no_users_file(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_text(machine, "C:\\Logs\\x.log", "theirs");
    memory_host_security(machine, "C:\\Logs\\x.log", "O:S-1-5-21-1-2-3-1001G:SYD:(A;;FA;;;WD)");
    assert_int_equal(append(machine, "C:\\Logs\\x.log", true, "x"), CS_E_ACCESS);
    assert_string_equal(memory_host_content(machine, "C:\\Logs\\x.log"), "theirs");
    assert_int_equal(append(machine, "C:\\Logs\\x.log", false, "x"), CS_OK);
    memory_host_free(machine);
}

static void test_outfile_replace_writes_beside_and_renames(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_text(machine, "C:\\Out\\r.json", "a much longer old text");
    cs_file_info before, after;
    assert_true(memory_host_info(machine, "C:\\Out\\r.json", &before));
    assert_int_equal(cs_outfile_replace(memory_host_seam(machine), "C:\\Out\\r.json", true, "new", 3, NULL), CS_OK);
    assert_string_equal(memory_host_content(machine, "C:\\Out\\r.json"), "new");
    assert_true(memory_host_info(machine, "C:\\Out\\r.json", &after));
    assert_false(cs_file_id_equal(&before.id, &after.id));
    assert_int_equal(memory_host_open_files(machine), 0);
    memory_host_free(machine);
}

static void test_outfile_replace_failing_leaves_the_old_one(void **state) {
    (void)state;
    static const char *const operations[] = {"write", "flush", "rename"};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        memory_host *machine = memory_host_new();
        memory_host_text(machine, "C:\\Out\\r.json", "old");
        char *before = memory_host_dump(machine, "C:\\Out");
        memory_host_fail_on(machine, operations[i], "", MEMORY_BEFORE, 1117);
        assert_int_equal(cs_outfile_replace(memory_host_seam(machine), "C:\\Out\\r.json", true, "new", 3, NULL), CS_E_IO);
        assert_true(memory_host_failed(machine));
        memory_host_restart(machine);
        char *after = memory_host_dump(machine, "C:\\Out");
        assert_string_equal(before, after);
        free(before);
        free(after);
        memory_host_free(machine);
    }
}

static void test_outfile_replace_elevated_follows_no_link(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_folder(machine, "C:\\Secret");
    memory_host_link(machine, "C:\\Out", "C:\\Secret");
    assert_int_not_equal(cs_outfile_replace(memory_host_seam(machine), "C:\\Out\\r.json", true, "new", 3, NULL), CS_OK);
    assert_false(memory_host_exists(machine, "C:\\Secret\\r.json"));
    memory_host_free(machine);
}

static void test_outfile_its_folder_has_to_be_there(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    const cs_fs *fs = memory_host_seam(machine)->fs;
    cs_error error = {0};
    memory_host_folder(machine, "C:\\Out");
    assert_int_equal(cs_outfile_check_folder(fs, "C:\\Out\\r.json", NULL), CS_OK);
    assert_int_equal(cs_outfile_check_folder(fs, "C:\\r.json", NULL), CS_OK);
    assert_int_equal(cs_outfile_check_folder(fs, "C:\\Out\\no\\r.json", &error), CS_E_USAGE);
    assert_string_equal(error.detail, "there is no folder C:\\Out\\no");
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outfile_its_folder_has_to_be_there),
        cmocka_unit_test(test_outfile_refuses_names),
        cmocka_unit_test(test_outfile_accepts_names),
        cmocka_unit_test(test_outfile_expands_the_computer_name_only),
        cmocka_unit_test(test_outfile_append_keeps_what_is_there),
        cmocka_unit_test(test_outfile_append_makes_no_folder),
        cmocka_unit_test(test_outfile_elevated_follows_no_link),
        cmocka_unit_test(test_outfile_elevated_appends_to_no_users_file),
        cmocka_unit_test(test_outfile_replace_writes_beside_and_renames),
        cmocka_unit_test(test_outfile_replace_failing_leaves_the_old_one),
        cmocka_unit_test(test_outfile_replace_elevated_follows_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
