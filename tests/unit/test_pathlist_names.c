/* Which folder a PATH entry names and whether the loader can use it. Rows of the collected reports: P03, P07, P09, V19. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "document_table.h"
#include "pathlist_case.h"

/* ---- the two questions ---- */

typedef struct spelling {
    uint32_t type;
    const char *text;
    bool ours, usable;
} spelling;

static const spelling spellings[] = {
    {CS_REG_SZ, BIN, true, true},
    {CS_REG_SZ, BIN "\\", true, true},
    {CS_REG_SZ, BIN "\\\\", true, true},
    {CS_REG_SZ, "c:\\PROGRAM FILES\\nvidia gpu computing toolkit\\cuda\\V10.1\\BIN", true, true},
    {CS_REG_SZ, "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin", true, true},
    {CS_REG_SZ, TREE "\\.\\lib\\..\\bin", true, true},
    {CS_REG_SZ, BIN ".", true, true},
    {CS_REG_SZ, "\"" BIN "\"", true, false},
    {CS_REG_SZ, "\"" BIN, true, false},
    {CS_REG_SZ, "C:\\\"Program Files\"\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", true, false},
    {CS_REG_SZ, " " BIN, true, false},
    {CS_REG_SZ, BIN " ", true, false},
    {CS_REG_SZ, BIN "\t", true, false},
    {CS_REG_SZ, "\\\\?\\" BIN, true, false},
    {CS_REG_SZ, "\\\\.\\" BIN, true, false},
    {CS_REG_SZ, "C:\\PROGRA~1\\NVIDIA~1\\CUDA\\v10.1\\bin", true, true}, /* 8.3 */
    {CS_REG_SZ, "D:\\link\\bin", true, true},                            /* a junction on a drive that all have */
    {CS_REG_SZ, "S:\\bin", true, false},                                 /* subst: of one sign-in alone */
    {CS_REG_EXPAND_SZ, "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", true, true},
    {CS_REG_EXPAND_SZ, "%programfiles%/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin/", true, true},
    {CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin", true, true},
    {CS_REG_SZ, "%CUDA_PATH%\\bin", true, false},     /* REG_SZ is never expanded */
    {CS_REG_EXPAND_SZ, "%LATE%\\bin", true, false},   /* P07: may stay unexpanded */
    {CS_REG_EXPAND_SZ, "%NESTED%\\bin", true, false}, /* P07: only its first level is expanded */
    {CS_REG_EXPAND_SZ, "%QUOTED%\\bin", true, false}, /* the quotes arrive with the value */
    {CS_REG_EXPAND_SZ, "%NOBODY%\\bin", false, false},
    {CS_REG_EXPAND_SZ, "%LOOP%", false, false},
    {CS_REG_EXPAND_SZ, "%%\\bin", false, false},
    {CS_REG_SZ, "", false, false},
    {CS_REG_SZ, "bin", false, false},
    {CS_REG_SZ, "C:bin", false, false},
    {CS_REG_SZ, ".", false, false},
    {CS_REG_SZ, "\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", false, false}, /* drive of the caller */
    {CS_REG_SZ, TREE, false, true},
    {CS_REG_SZ, BIN "\\x64", false, true},
    {CS_REG_SZ, BIN "2", false, true},
    {CS_REG_SZ, "D:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", false, true},
    {CS_REG_SZ, "\\\\server\\c$\\bin", false, true},
    {CS_REG_SZ, "\\\\?\\UNC\\server\\share\\bin", false, false},
    {CS_REG_EXPAND_SZ, "%CUDA_PATH", false, false}, /* a '%' without a partner */
    {CS_REG_EXPAND_SZ, "%SystemRoot%\\..\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", true, true},
    {CS_REG_SZ, "\"" BIN "\\\"", true, false},
    {CS_REG_SZ, "\\\\?\\C:\\PROGRA~1\\NVIDIA~1\\CUDA\\v10.1\\bin", true, false},
};

static void test_pathlist_names_and_usable(void **state) {
    (void)state; /* P09 and P07 */
    pathlist_case_network = 0;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        cs_reg_value value = value_of(spellings[i].type, spellings[i].text, 1);
        cs_pathlist list;
        assert_int_equal(cs_pathlist_parse(&value, &ours, &list, NULL), CS_OK);
        assert_int_equal(list.count, spellings[i].text[0] ? 1 : 0);
        if (list.count && (list.items[0].ours != spellings[i].ours || list.items[0].usable != spellings[i].usable))
            fail_msg("%s: ours %d, usable %d", spellings[i].text, list.items[0].ours, list.items[0].usable);
        cs_pathlist_free(&list);
        cs_reg_value_free(&value);
    }
    assert_int_equal(pathlist_case_network, 0);
}

static void test_pathlist_names_stand_in_the_document(void **state) {
    (void)state;
    cs_buffer table = {0};
    cs_buffer_text(&table, "| written | type | names | usable |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (!spellings[i].text[0]) continue;
        cs_reg_value value = value_of(spellings[i].type, spellings[i].text, 1);
        cs_pathlist list;
        assert_int_equal(cs_pathlist_parse(&value, &ours, &list, NULL), CS_OK);
        cs_buffer_text(&table, "| ");
        table_code(spellings[i].text, &table);
        cs_buffer_format(&table, " | %s | %s | %s |\n", spellings[i].type == CS_REG_SZ ? "REG_SZ" : "REG_EXPAND_SZ",
                         list.items[0].ours ? "yes" : "no", list.items[0].usable ? "yes" : "no");
        cs_pathlist_free(&list);
        cs_reg_value_free(&value);
    }
    table_check(CS_TEST_DOCS "/environment.md", "tests/unit/test_pathlist_names.c", &table);
}

static void test_pathlist_present_means_named_and_usable(void **state) {
    (void)state; /* P09: no second entry for a usable one; one for an unusable twin, and then never another */
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        cs_reg_value old = value_of(spellings[i].type, spellings[i].text, 1), out = {0}, again = {0};
        size_t index;
        bool changed, there = spellings[i].ours && spellings[i].usable;
        assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
        assert_int_equal(changed, !there);
        assert_int_equal(cs_reg_value_equal(&out, &old), there);
        assert_int_equal(cs_pathlist_add(&out, &ours, CS_PATH_FRONT, &again, &index, &changed, NULL), CS_OK);
        assert_false(changed);
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
        cs_reg_value_free(&again);
    }
}

static void test_pathlist_non_ascii_case_needs_the_disk(void **state) {
    (void)state; /* text alone folds ASCII; the resolved path decides the rest */
    cs_pathlist_folder folder = {"C:\\\xC3\x84\\bin", NULL, NULL, NULL, NULL};
    cs_reg_value value = value_of(CS_REG_SZ, "c:\\\xC3\x84\\BIN;C:\\\xC3\xA4\\bin", 1);
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&value, &folder, &list, NULL), CS_OK);
    assert_true(list.items[0].ours);
    assert_false(list.items[1].ours);
    cs_pathlist_free(&list);
    cs_reg_value_free(&value);
}

static void test_pathlist_same_text_and_network(void **state) {
    (void)state;
    assert_true(cs_pathlist_same_text("\\\\Server\\Share\\x\\", "//server/share/X"));
    assert_true(cs_pathlist_same_text("\\\\?\\UNC\\server\\share", "\\\\server\\share"));
    assert_true(cs_pathlist_same_text("C:\\..\\a", "c:/A"));
    assert_true(cs_pathlist_same_text("C:\\", "\"c:/\""));
    assert_false(cs_pathlist_same_text("a", "a")); /* no place of its own */
    assert_false(cs_pathlist_same_text("C:\\a", "C:\\a\\b"));
    assert_true(cs_pathlist_is_network("\\\\server\\share"));
    assert_true(cs_pathlist_is_network(" \"//server/share\""));
    assert_true(cs_pathlist_is_network("\\\\?\\UNC\\server\\share"));
    assert_false(cs_pathlist_is_network("\\\\?\\C:\\x"));
    assert_false(cs_pathlist_is_network("C:\\x"));
    assert_false(cs_pathlist_is_network(""));
}

static void test_pathlist_expands_once(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
        bool complete;
    } rows[] = {
        {"%SystemRoot%\\x;%NOBODY%\\y", "C:\\Windows\\x;%NOBODY%\\y", false},
        {"%systemroot%", "C:\\Windows", true},
        {"100%;%SystemRoot%", "100%;C:\\Windows", false}, /* the '%' of "100%" opens no name */
        {"%NESTED%", "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", true},
        {"%LATE%", TREE, false},
        {"%", "%", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        bool complete;
        assert_int_equal(cs_pathlist_expand(&ours, rows[i].text, &out, &complete, NULL), CS_OK);
        assert_string_equal(cs_buffer_string(&out), rows[i].expected);
        assert_int_equal(complete, rows[i].complete);
        cs_buffer_free(&out);
    }
}

static cs_status unreadable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx, (void)name, (void)out;
    return CS_E_ACCESS;
}

static void test_pathlist_a_variable_that_cannot_be_read_is_an_error(void **state) {
    (void)state; /* P03: never treated as empty */
    cs_pathlist_folder folder = {BIN, NULL, unreadable, NULL, NULL};
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin", 1), out = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_E_ACCESS);
    assert_false(out.present);
    cs_reg_value_free(&old);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_names_and_usable),
        cmocka_unit_test(test_pathlist_names_stand_in_the_document),
        cmocka_unit_test(test_pathlist_present_means_named_and_usable),
        cmocka_unit_test(test_pathlist_non_ascii_case_needs_the_disk),
        cmocka_unit_test(test_pathlist_same_text_and_network),
        cmocka_unit_test(test_pathlist_expands_once),
        cmocka_unit_test(test_pathlist_a_variable_that_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
