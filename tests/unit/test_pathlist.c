/* PATH edits as pure functions: splitting and adding. Rows of the collected reports that are covered here: P01, P02, P04, P06,
 * P12 (the old bytes come back). The properties over generated values are in test_pathlist_properties.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "pathlist_case.h"

/* Adds ours to text; the result must be `expected` with everything else kept, a second time changes nothing, and the undo brings
 * the old bytes back. */
static void check_add(uint32_t type, const char *text, size_t terminators, cs_pathlist_place place, const char *expected,
                      size_t expected_index) {
    cs_reg_value old = value_of(type, text, terminators), out = {0}, again = {0}, back = {0};
    size_t index = 99;
    bool changed = false;
    assert_int_equal(cs_pathlist_add(&old, &ours, place, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_int_equal(index, expected_index);
    assert_value(&out, type, expected, old.size ? terminators : 1);
    assert_int_equal(cs_pathlist_add(&out, &ours, place, &again, &index, &changed, NULL), CS_OK);
    assert_false(changed);
    assert_int_equal(index, expected_index);
    assert_true(cs_reg_value_equal(&again, &out));
    assert_int_equal(cs_pathlist_undo(&out, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_true(cs_reg_value_equal(&back, &old));
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
    cs_reg_value_free(&back);
}

/* ---- splitting ---- */

static void check_split(const char *text, size_t count, const char *const *expected) {
    cs_reg_value value = value_of(CS_REG_SZ, text, 1);
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&value, NULL, &list, NULL), CS_OK);
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++) assert_string_equal(list.items[i].text, expected[i]);
    cs_pathlist_free(&list);
    cs_reg_value_free(&value);
}

static void test_pathlist_splits_outside_quotes(void **state) {
    (void)state;
    check_split("", 0, NULL);
    check_split("C:\\a", 1, (const char *[]){"C:\\a"});
    check_split("C:\\a;", 2, (const char *[]){"C:\\a", ""});
    check_split(";;", 3, (const char *[]){"", "", ""});
    check_split("C:\\a;;D:\\b", 3, (const char *[]){"C:\\a", "", "D:\\b"});
    check_split("\"C:\\a;b\";D:\\c", 2, (const char *[]){"\"C:\\a;b\"", "D:\\c"});
    check_split("C:\\\"a;b\"\\c;d", 2, (const char *[]){"C:\\\"a;b\"\\c", "d"});
    check_split("\"C:\\a;b;c", 3, (const char *[]){"\"C:\\a", "b", "c"});     /* a quote without a partner */
    check_split("\"a;b\";\"c;d", 3, (const char *[]){"\"a;b\"", "\"c", "d"}); /* a pair, then one without */
    check_split(" C:\\a ; D:\\b", 2, (const char *[]){" C:\\a ", " D:\\b"});
    check_split("C:\\\xC3\xA4;D:\\\xED\xA0\x80", 2, (const char *[]){"C:\\\xC3\xA4", "D:\\\xED\xA0\x80"}); /* a lone surrogate */
}

static void test_pathlist_absent_value_has_no_entries(void **state) {
    (void)state;
    cs_reg_value absent = {0};
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&absent, &ours, &list, NULL), CS_OK);
    assert_int_equal(list.count, 0);
}

static void test_pathlist_refuses_what_is_no_string(void **state) {
    (void)state;
    static const uint32_t types[] = {CS_REG_NONE, CS_REG_BINARY, CS_REG_DWORD, CS_REG_MULTI_SZ, CS_REG_QWORD, 6, 99};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        cs_reg_value value = value_of(types[i], "C:\\a", 1), out = {0};
        cs_pathlist list;
        cs_error error = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_parse(&value, &ours, &list, NULL), CS_E_FORMAT);
        assert_int_equal(cs_pathlist_add(&value, &ours, CS_PATH_FRONT, &out, &index, &changed, &error), CS_E_FORMAT);
        assert_false(changed);
        assert_false(out.present);
        assert_non_null(strstr(error.detail, "no string"));
        cs_reg_value_free(&value);
    }
}

static void test_pathlist_refuses_damaged_strings(void **state) {
    (void)state;
    uint8_t odd[] = {'C', 0, ':', 0, 0}, hidden[] = {'C', 0, 0, 0, 'D', 0, 0, 0};
    cs_reg_value values[] = {{true, CS_REG_SZ, odd, sizeof odd}, {true, CS_REG_EXPAND_SZ, hidden, sizeof hidden}};
    for (size_t i = 0; i < 2; i++) {
        cs_reg_value out = {0};
        size_t index;
        bool changed;
        cs_error error = {0};
        assert_int_equal(cs_pathlist_add(&values[i], &ours, CS_PATH_END, &out, &index, &changed, &error), CS_E_FORMAT);
        assert_false(out.present);
        assert_non_null(strstr(error.detail, i ? "NUL" : "5 bytes"));
    }
}
/* ---- adding ---- */

static void test_pathlist_adds_in_front_and_at_the_end(void **state) {
    (void)state;
    check_add(CS_REG_EXPAND_SZ, "C:\\a;D:\\b", 1, CS_PATH_FRONT, BIN ";C:\\a;D:\\b", 0);
    check_add(CS_REG_EXPAND_SZ, "C:\\a;D:\\b", 1, CS_PATH_END, "C:\\a;D:\\b;" BIN, 2);
    check_add(CS_REG_SZ, "C:\\a;", 1, CS_PATH_END, "C:\\a;" BIN ";", 1);
    check_add(CS_REG_SZ, "C:\\a;", 1, CS_PATH_FRONT, BIN ";C:\\a;", 0);
    check_add(CS_REG_SZ, ";", 1, CS_PATH_END, ";" BIN ";", 1);
    check_add(CS_REG_SZ, ";;", 1, CS_PATH_FRONT, BIN ";;;", 0);
    check_add(CS_REG_SZ, "", 1, CS_PATH_FRONT, BIN, 0);
    check_add(CS_REG_SZ, "", 1, CS_PATH_END, BIN, 0);
    check_add(CS_REG_SZ, "", 0, CS_PATH_END, BIN, 0);
    check_add(CS_REG_SZ, "\"C:\\a;b", 1, CS_PATH_END, "\"C:\\a;b;" BIN, 2); /* behind a quote without a partner */
}

static void test_pathlist_keeps_type_terminators_and_expandable_text(void **state) {
    (void)state; /* P02, P06: unexpanded text stays; a value without any % keeps its type */
    check_add(CS_REG_EXPAND_SZ, "%SystemRoot%\\system32;C:\\a", 1, CS_PATH_FRONT, BIN ";%SystemRoot%\\system32;C:\\a", 0);
    check_add(CS_REG_EXPAND_SZ, "C:\\a", 1, CS_PATH_FRONT, BIN ";C:\\a", 0);
    check_add(CS_REG_SZ, "%SystemRoot%\\system32", 1, CS_PATH_FRONT, BIN ";%SystemRoot%\\system32", 0);
    check_add(CS_REG_SZ, "C:\\a", 0, CS_PATH_FRONT, BIN ";C:\\a", 0);
    check_add(CS_REG_SZ, "C:\\a", 0, CS_PATH_END, "C:\\a;" BIN, 1);
    check_add(CS_REG_SZ, "C:\\a", 3, CS_PATH_END, "C:\\a;" BIN, 1);
    check_add(CS_REG_SZ, "C:\\\xED\xA0\x80;\xED\xB0\x80", 1, CS_PATH_END, "C:\\\xED\xA0\x80;\xED\xB0\x80;" BIN, 2);
}

static void test_pathlist_creates_an_absent_value(void **state) {
    (void)state;
    cs_reg_value absent = {0}, out = {0}, back = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&absent, &ours, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_value(&out, CS_REG_EXPAND_SZ, BIN, 1);
    assert_int_equal(cs_pathlist_undo(&out, &absent, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_false(back.present);
    /* Respelled meanwhile, still alone: absent again. */
    cs_reg_value respelled = value_of(CS_REG_EXPAND_SZ, "C:/program files/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin/", 1);
    assert_int_equal(cs_pathlist_undo(&respelled, &absent, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_false(back.present);
    cs_reg_value_free(&out);
    cs_reg_value_free(&respelled);
}

static size_t units_of(const cs_reg_value *value) { return value->size / 2 - 1; }

static cs_reg_value long_value(size_t units) {
    cs_reg_value value = {true, CS_REG_EXPAND_SZ, cs_alloc(2 * units + 2, 1), 2 * units + 2};
    assert_non_null(value.bytes);
    for (size_t i = 0; i < units; i++) value.bytes[2 * i] = (uint8_t)(i % 61 == 60 ? ';' : 'a' + i % 26);
    return value;
}

static void test_pathlist_limit(void **state) {
    (void)state; /* P01, P04: no length is cut, up to what Windows takes */
    static const size_t lengths[] = {917, 1023, 1024, 1025, 1486, 2047, 2048, 4095, 8191, 16000, 32766, 32767};
    size_t added = strlen(BIN) + 1;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        cs_reg_value old = long_value(lengths[i]), out = {0}, back = {0};
        size_t index;
        bool changed;
        cs_error error = {0};
        cs_status status = cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &out, &index, &changed, &error);
        if (lengths[i] + added > CS_PATH_LIMIT_UNITS) {
            char number[32];
            snprintf(number, sizeof number, "would have %u", (unsigned)(lengths[i] + added));
            assert_int_equal(status, CS_E_TOO_BIG);
            assert_false(out.present);
            assert_non_null(strstr(error.detail, number));
            assert_non_null(strstr(error.detail, "32766"));
        } else {
            assert_int_equal(status, CS_OK);
            assert_int_equal(units_of(&out), lengths[i] + added);
            assert_memory_equal(out.bytes + 2 * added, old.bytes, old.size);
            assert_int_equal(cs_pathlist_undo(&out, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
            assert_true(cs_reg_value_equal(&back, &old));
        }
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
        cs_reg_value_free(&back);
    }
}

static void test_pathlist_limit_is_exact(void **state) {
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        cs_reg_value old = long_value(CS_PATH_LIMIT_UNITS - strlen(BIN) - 1 + extra), out = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_END, &out, &index, &changed, NULL), extra ? CS_E_TOO_BIG : CS_OK);
        assert_int_equal(out.present ? units_of(&out) : 0, extra ? 0 : CS_PATH_LIMIT_UNITS);
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
    }
}

static void test_pathlist_refuses_a_folder_that_path_cannot_carry(void **state) {
    (void)state;
    static const char *const names[] = {"C:\\a;b\\v10.1\\bin", "C:\\%SystemRoot%\\bin", "\\\\?\\C:\\bin", "bin", "C:bin"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cs_pathlist_folder folder = ours;
        folder.path = names[i];
        cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "C:\\a", 1), out = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_END, &out, &index, &changed, NULL), CS_E_NAME);
        assert_false(changed);
        assert_false(out.present);
        cs_reg_value_free(&old);
    }
}

static void test_pathlist_carries_percent_signs_that_name_nothing(void **state) {
    (void)state;
    cs_pathlist_folder folder = ours;
    folder.path = "C:\\100% [a] & %nobody% ! ^ ' =\\bin";
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "C:\\a", 1), out = {0}, again = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_int_equal(cs_pathlist_add(&out, &folder, CS_PATH_FRONT, &again, &index, &changed, NULL), CS_OK);
    assert_false(changed);
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_splits_outside_quotes),
        cmocka_unit_test(test_pathlist_absent_value_has_no_entries),
        cmocka_unit_test(test_pathlist_refuses_what_is_no_string),
        cmocka_unit_test(test_pathlist_refuses_damaged_strings),
        cmocka_unit_test(test_pathlist_adds_in_front_and_at_the_end),
        cmocka_unit_test(test_pathlist_keeps_type_terminators_and_expandable_text),
        cmocka_unit_test(test_pathlist_creates_an_absent_value),
        cmocka_unit_test(test_pathlist_limit),
        cmocka_unit_test(test_pathlist_limit_is_exact),
        cmocka_unit_test(test_pathlist_refuses_a_folder_that_path_cannot_carry),
        cmocka_unit_test(test_pathlist_carries_percent_signs_that_name_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
