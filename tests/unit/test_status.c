#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "cudnn_setup/status.h"

static void test_status_every_one_has_its_own_text(void **state) {
    (void)state;
    for (int a = 0; a < CS_STATUS_COUNT; a++) {
        assert_non_null(cs_status_text((cs_status)a));
        assert_true(strlen(cs_status_text((cs_status)a)) > 0);
        for (int b = 0; b < a; b++) assert_string_not_equal(cs_status_text((cs_status)a), cs_status_text((cs_status)b));
    }
    assert_string_equal(cs_status_text(CS_STATUS_COUNT), "unknown status");
    assert_string_equal(cs_status_text((cs_status)-1), "unknown status");
}

static void test_status_exit_codes_are_the_documented_ones(void **state) {
    (void)state;
    static const struct {
        cs_status status;
        int code;
    } rows[] = {{CS_OK, 0},
                {CS_E_DIFFERS, 13},
                {CS_E_NO_SPACE, 112},
                {CS_E_RIGHTS, 740},
                {CS_E_CANCELLED, 1602},
                {CS_E_FAILED, 1603},
                {CS_E_IN_USE, 1603},
                {CS_E_SHARING, 1603},
                {CS_E_NO_MEMORY, 1603},
                {CS_E_CHANGED, 1603},
                {CS_E_PENDING, 1604},
                {CS_E_NOTHING, 1605},
                {CS_E_BUSY, 1618},
                {CS_E_ARCHIVE_OPEN, 1619},
                {CS_E_ARCHIVE_BAD, 1620},
                {CS_E_PLATFORM, 1633},
                {CS_E_NEWER, 1638},
                {CS_E_USAGE, 1639},
                {CS_E_TOOLKIT, 1642}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) assert_int_equal(cs_exit_code(rows[i].status), rows[i].code);
    assert_int_equal(cs_exit_code(CS_STATUS_COUNT), 1603);
    assert_int_equal(cs_exit_code((cs_status)-1), 1603);
}

static void test_status_only_success_exits_with_0(void **state) {
    (void)state;
    for (int status = 1; status < CS_STATUS_COUNT; status++) assert_int_not_equal(cs_exit_code((cs_status)status), 0);
}

static void test_status_from_win32_codes(void **state) {
    (void)state;
    static const struct {
        uint32_t code;
        cs_status status;
    } rows[] = {
        {0, CS_OK},          {2, CS_E_NOT_FOUND}, {3, CS_E_NOT_FOUND},    {5, CS_E_ACCESS},      {32, CS_E_SHARING},
        {33, CS_E_SHARING},  {80, CS_E_EXISTS},   {112, CS_E_NO_SPACE},   {145, CS_E_NOT_EMPTY}, {183, CS_E_EXISTS},
        {1314, CS_E_ACCESS}, {1224, CS_E_MAPPED}, {1223, CS_E_CANCELLED}, {31, CS_E_SYSTEM},     {0xFFFFFFFF, CS_E_SYSTEM}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cs_status_from_win32(rows[i].code), rows[i].status);
}

static void test_status_from_errno_values(void **state) {
    (void)state;
    assert_int_equal(cs_status_from_errno(0), CS_OK);
    assert_int_equal(cs_status_from_errno(ENOENT), CS_E_NOT_FOUND);
    assert_int_equal(cs_status_from_errno(EEXIST), CS_E_EXISTS);
    assert_int_equal(cs_status_from_errno(ENOSPC), CS_E_NO_SPACE);
    assert_int_equal(cs_status_from_errno(EACCES), CS_E_ACCESS);
    assert_int_equal(cs_status_from_errno(9999), CS_E_SYSTEM);
}

static void test_status_a_failure_without_a_code_is_still_one(void **state) {
    (void)state;
    cs_error error = {0};
    assert_int_equal(cs_fail_win32(&error, 0, "rename", "C:\\x"), CS_E_SYSTEM);
    assert_int_equal(error.status, CS_E_SYSTEM);
    assert_int_equal(cs_fail_errno(&error, 0, "rename", "/x"), CS_E_SYSTEM);
}

static void test_status_error_carries_everything(void **state) {
    (void)state;
    cs_error error = {0};
    char text[256];
    assert_int_equal(cs_fail_win32(&error, 32, "rename", "C:\\a\\b"), CS_E_SHARING);
    assert_int_equal(error.system, 32);
    assert_string_equal(error.operation, "rename");
    assert_string_equal(error.path, "C:\\a\\b");
    cs_error_text(&error, text, sizeof text);
    assert_string_equal(text, "cannot rename C:\\a\\b: in use by another program (32)");
    assert_int_equal(cs_fail(&error, CS_E_FORMAT, "read", "m.json", "%s: %d", "files[3]", 7), CS_E_FORMAT);
    assert_int_equal(error.system, 0);
    cs_error_text(&error, text, sizeof text);
    assert_string_equal(text, "m.json: files[3]: 7");
    assert_int_equal(cs_fail(&error, CS_E_NO_MEMORY, NULL, NULL, NULL), CS_E_NO_MEMORY);
    cs_error_text(&error, text, sizeof text);
    assert_string_equal(text, "out of memory");
}

static const char *sentence(cs_status status, const char *operation, const char *path, const char *detail) {
    static char text[256];
    cs_error error = {0};
    cs_fail(&error, status, operation, path, detail ? "%s" : NULL, detail);
    cs_error_sentence(&error, text, sizeof text);
    return text;
}

static void test_status_sentences_read_as_such(void **state) {
    (void)state;
    assert_string_equal(sentence(CS_E_USAGE, NULL, "/cuda:", "the value is missing"), "/cuda: the value is missing.");
    assert_string_equal(sentence(CS_E_USAGE, "/json", "C:\\x\\nul", "\"nul\" is a device"),
                        "/json C:\\x\\nul: \"nul\" is a device.");
    assert_string_equal(sentence(CS_E_USAGE, NULL, NULL, "several trees"), "Several trees.");
    assert_string_equal(sentence(CS_E_FORMAT, "read PATH", NULL, "its type is 4"), "Cannot read PATH: its type is 4.");
    assert_string_equal(sentence(CS_E_ACCESS, "stat", "C:\\x", NULL), "Cannot look at C:\\x: access denied.");
    assert_string_equal(sentence(CS_E_NO_SPACE, "check the volume of", "c:\\x", "3 MB are needed."), "c:\\x: 3 MB are needed.");
    assert_string_equal(sentence(CS_E_NO_MEMORY, NULL, NULL, NULL), "Out of memory.");
}

static void test_status_errors_may_go_nowhere(void **state) {
    (void)state;
    assert_int_equal(cs_fail(NULL, CS_E_IO, "read", "x", "%d", 1), CS_E_IO);
    assert_int_equal(cs_fail_win32(NULL, 5, "read", "x"), CS_E_ACCESS);
    assert_int_equal(cs_fail_errno(NULL, ENOENT, "read", NULL), CS_E_NOT_FOUND);
}

static void test_status_long_paths_keep_both_ends(void **state) {
    (void)state;
    char path[3000];
    cs_error error = {0};
    memset(path, 'x', sizeof path);
    memcpy(path, "C:\\start", 8);
    memcpy(path + sizeof path - 10, "\\file.dll", 10);
    cs_fail(&error, CS_E_IO, "read", path, NULL);
    assert_true(strlen(error.path) < CS_ERROR_PATH);
    assert_true(strlen(error.path) > CS_ERROR_PATH - 8);
    assert_memory_equal(error.path, "C:\\start", 8);
    assert_string_equal(error.path + strlen(error.path) - 9, "\\file.dll");
    assert_non_null(strstr(error.path, "x...x"));
    path[CS_ERROR_PATH - 1] = '\0'; /* the longest that fits */
    cs_fail(&error, CS_E_IO, "read", path, NULL);
    assert_string_equal(error.path, path);
}

static void test_status_text_is_cut_to_its_room(void **state) {
    (void)state;
    cs_error error = {0};
    char text[12];
    memset(text, '#', sizeof text);
    cs_fail(&error, CS_E_IO, "read", "C:\\a long path", "sentence");
    cs_error_text(&error, text, 11);
    assert_int_equal(strlen(text), 10);
    assert_int_equal(text[11], '#');
    assert_memory_equal(text, "C:\\a long p", 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_every_one_has_its_own_text),
        cmocka_unit_test(test_status_exit_codes_are_the_documented_ones),
        cmocka_unit_test(test_status_only_success_exits_with_0),
        cmocka_unit_test(test_status_from_win32_codes),
        cmocka_unit_test(test_status_from_errno_values),
        cmocka_unit_test(test_status_a_failure_without_a_code_is_still_one),
        cmocka_unit_test(test_status_error_carries_everything),
        cmocka_unit_test(test_status_sentences_read_as_such),
        cmocka_unit_test(test_status_errors_may_go_nowhere),
        cmocka_unit_test(test_status_long_paths_keep_both_ends),
        cmocka_unit_test(test_status_text_is_cut_to_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
