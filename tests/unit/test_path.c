#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/path.h"

static void joins(char separator, const char *folder, const char *relative, const char *expected) {
    cs_buffer out = {0};
    cs_buffer_text(&out, "what stood here before");
    assert_int_equal(cs_path_join(&out, separator, folder, relative, NULL), CS_OK);
    assert_string_equal(out.data, expected);
    cs_buffer_free(&out);
}

static void test_path_join(void **state) {
    (void)state;
    joins('\\', "C:\\cuda", "lib/x64/cudnn.lib", "C:\\cuda\\lib\\x64\\cudnn.lib");
    joins('\\', "C:\\", "bin", "C:\\bin");
    joins('\\', "C:\\a/", "bin", "C:\\a/bin"); /* the folder stays as it was given */
    joins('/', "/opt/cuda", "bin/x.dll", "/opt/cuda/bin/x.dll");
    joins('/', "/", "bin", "/bin");
    joins('/', "", "bin", "bin");
    joins('/', "/a\\b", "c", "/a\\b/c");
}

static void test_path_join_without_memory(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_error error = {0};
    cs_alloc_fail_at(1);
    assert_int_equal(cs_path_join(&out, '/', "/a", "b", &error), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    assert_int_equal(cs_path_join(&out, '/', "/a", "b", &error), CS_OK); /* the buffer is usable again */
    assert_string_equal(out.data, "/a/b");
    cs_buffer_free(&out);
}

static void test_path_name(void **state) {
    (void)state;
    assert_string_equal(cs_path_name("C:\\a\\b.dll"), "b.dll");
    assert_string_equal(cs_path_name("bin/b.dll"), "b.dll");
    assert_string_equal(cs_path_name("b.dll"), "b.dll");
    assert_string_equal(cs_path_name("C:\\a\\"), "");
    assert_string_equal(cs_path_name("a\\b/c"), "c");
    assert_string_equal(cs_path_name(""), "");
}

static void parent(const char *path, const char *expected) {
    cs_buffer out = {0};
    assert_int_equal(cs_path_parent(&out, path, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&out), expected);
    cs_buffer_free(&out);
}

static void test_path_parent(void **state) {
    (void)state;
    parent("C:\\a\\b", "C:\\a");
    parent("C:\\a\\b\\", "C:\\a");
    parent("C:\\a\\\\b", "C:\\a");
    parent("C:\\\\a", "C:\\");
    parent("C:\\a", "C:\\");
    parent("/a/b", "/a");
    parent("/a", "/");
    parent("\\\\server\\share", "\\\\server");
    parent("C:\\", "");
    parent("bin/x.dll", "bin");
    parent("x.dll", "");
    parent("", "");
}

static void test_path_plain_names(void **state) {
    (void)state;
    static const char *const good[] = {"a",
                                       "cudnn64_8.dll",
                                       "NVIDIA_SLA_cuDNN_Support.txt",
                                       "with blank.h",
                                       "a-b.c",
                                       "console",
                                       "con_.txt",
                                       "com.dll",
                                       "com12",
                                       "lpt",
                                       "null.h",
                                       "x.con",
                                       "_",
                                       "0"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(cs_path_plain_name(good[i]));
}

static void test_path_names_that_are_not_plain(void **state) {
    (void)state;
    static const char *const bad[] = {"",     ".",    "..",         ".a",  "a.",  " a",    "a ",  "a/b",
                                      "a\\b", "a:b",  "C:",         "a*",  "a?",  "a<",    "a|",  "a\"",
                                      "a\tb", "a\nb", "\xC3\xA9.h", "a%b", "a$b", "a\x7F", "a'b", "a;b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(cs_path_plain_name(bad[i]));
}

static void test_path_device_names(void **state) {
    (void)state;
    static const char *const bad[] = {"con",  "NUL",    "Prn.txt", "aux.tar.gz", "COM1",  "com9.dll",
                                      "LPT0", "lpt3.h", "NUL .x",  "con .a.b",   "COM1.", "nul.dll"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(cs_path_plain_name(bad[i]));
}

static void test_path_names_have_a_length(void **state) {
    (void)state;
    char name[122];
    memset(name, 'a', sizeof name);
    name[120] = '\0';
    assert_true(cs_path_plain_name(name));
    name[120] = 'a';
    name[121] = '\0';
    assert_false(cs_path_plain_name(name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_join),         cmocka_unit_test(test_path_join_without_memory),
        cmocka_unit_test(test_path_name),         cmocka_unit_test(test_path_parent),
        cmocka_unit_test(test_path_plain_names),  cmocka_unit_test(test_path_names_that_are_not_plain),
        cmocka_unit_test(test_path_device_names), cmocka_unit_test(test_path_names_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
