/* Undoing a PATH edit, with and without other hands at work in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "pathlist_case.h"

/* old text → ours added → current text: what the undo makes of it. */
static void check_undo(const char *old_text, cs_pathlist_place place, const char *current_text, const char *expected) {
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, old_text, 1), out = {0}, back = {0};
    cs_reg_value current = value_of(CS_REG_EXPAND_SZ, current_text, 1);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, place, &out, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_value(&back, CS_REG_EXPAND_SZ, expected, 1);
    assert_int_equal(changed, strcmp(current_text, expected) != 0);
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&back);
    cs_reg_value_free(&current);
}
/* ---- undoing ---- */

static void test_pathlist_undo_keeps_what_others_did(void **state) {
    (void)state;
    check_undo("C:\\a", CS_PATH_FRONT, BIN ";C:\\a;D:\\new", "C:\\a;D:\\new");
    check_undo("C:\\a", CS_PATH_FRONT, "D:\\new;" BIN ";C:\\a", "D:\\new;C:\\a");
    check_undo("C:\\a", CS_PATH_END, "C:\\a;" BIN ";D:\\new", "C:\\a;D:\\new");
    check_undo("C:\\a;", CS_PATH_END, "D:\\new;C:\\a;" BIN ";", "D:\\new;C:\\a;");
    check_undo("C:\\a", CS_PATH_FRONT, "C:\\a;" BIN, "C:\\a");               /* moved */
    check_undo("C:\\a", CS_PATH_FRONT, "%CUDA_PATH%\\bin\\;C:\\a", "C:\\a"); /* respelled */
    check_undo("C:\\a", CS_PATH_FRONT, "\"" BIN "\";C:\\a", "C:\\a");        /* quoted by somebody */
    check_undo("C:\\a", CS_PATH_FRONT, "D:\\b;C:\\a", "D:\\b;C:\\a");        /* gone already */
    check_undo("C:\\a", CS_PATH_FRONT, "", "");                              /* emptied by somebody */
    check_undo("", CS_PATH_FRONT, "D:\\new;" BIN, "D:\\new");
}

static void test_pathlist_undo_takes_one_of_two(void **state) {
    (void)state;
    check_undo("\"" BIN "\";C:\\a", CS_PATH_FRONT, "D:\\new;\"" BIN "\";" BIN ";C:\\a", "D:\\new;\"" BIN "\";C:\\a");
    check_undo("C:\\a", CS_PATH_FRONT, BIN ";" BIN ";C:\\a", BIN ";C:\\a");           /* somebody added it once more: one stays */
    check_undo("C:\\a", CS_PATH_END, "C:\\a;" BIN ";D:\\b;" BIN, "C:\\a;D:\\b;" BIN); /* the one at our place */
    check_undo("C:\\a", CS_PATH_FRONT, BIN "\\;" BIN ";C:\\a;D:\\b", BIN "\\;C:\\a;D:\\b"); /* the one spelled our way */
    /* An addition is never undone by adding, even where our entry and the older twin are both gone. */
    check_undo("\"" BIN "\";C:\\a", CS_PATH_FRONT, "C:\\a;D:\\b", "C:\\a;D:\\b");
}

static void test_pathlist_undo_of_a_removal(void **state) {
    (void)state;
    static const struct {
        const char *current, *expected;
        size_t index;
    } rows[] = {
        {"C:\\a;D:\\b", BIN "\\;C:\\a;D:\\b", 0}, /* as written: the old bytes */
        {"C:\\a;D:\\b;E:\\new", BIN "\\;C:\\a;D:\\b;E:\\new", 0},
        {"C:\\a;D:\\b;E:\\new", "C:\\a;D:\\b;E:\\new;" BIN "\\", 9},
        {"E:\\new", BIN "\\;E:\\new", 0},
        {"C:\\a;E:\\new;", "C:\\a;E:\\new;" BIN "\\;", 5},
        {"C:\\a;" BIN ";E:\\new", "C:\\a;" BIN ";E:\\new", 0}, /* back already */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_reg_value old = value_of(CS_REG_SZ, BIN "\\;C:\\a;D:\\b", 1), written = value_of(CS_REG_SZ, "C:\\a;D:\\b", 1);
        cs_reg_value current = value_of(CS_REG_SZ, rows[i].current, 1), out = {0};
        bool changed;
        assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, rows[i].index, &out, &changed, NULL), CS_OK);
        assert_value(&out, CS_REG_SZ, rows[i].expected, 1);
        assert_int_equal(changed, strcmp(rows[i].current, rows[i].expected) != 0);
        cs_reg_value_free(&old);
        cs_reg_value_free(&written);
        cs_reg_value_free(&current);
        cs_reg_value_free(&out);
    }
}

static void test_pathlist_undo_of_a_value_somebody_deleted(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_SZ, "C:\\a", 1), written = {0}, current = {0}, out = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL), CS_OK);
    assert_false(changed);
    assert_false(out.present);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
}

static void test_pathlist_undo_refuses_what_became_no_string(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_SZ, "C:\\a", 1), written = {0}, out = {0};
    cs_reg_value current = value_of(CS_REG_MULTI_SZ, "C:\\a", 2);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL), CS_E_FORMAT);
    assert_false(out.present);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
    cs_reg_value_free(&current);
}

static void test_pathlist_survives_failed_allocations(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "\"" BIN "\";%NESTED%\\bin;C:\\a", 1), written = {0};
    cs_reg_value current = value_of(CS_REG_EXPAND_SZ, BIN ";\"" BIN "\";%NESTED%\\bin;C:\\a;D:\\b", 1);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    unsigned failures = 0;
    for (unsigned long n = 1; n <= 400; n++) {
        cs_reg_value out = {0};
        cs_alloc_fail_at(n);
        cs_status status = cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL);
        cs_alloc_fail_at(0);
        if (status == CS_OK) {
            assert_value(&out, CS_REG_EXPAND_SZ, "\"" BIN "\";%NESTED%\\bin;C:\\a;D:\\b", 1);
        } else {
            assert_int_equal(status, CS_E_NO_MEMORY);
            assert_false(out.present);
            failures++;
        }
        cs_reg_value_free(&out);
    }
    assert_true(failures > 50);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
    cs_reg_value_free(&current);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_undo_keeps_what_others_did),
        cmocka_unit_test(test_pathlist_undo_takes_one_of_two),
        cmocka_unit_test(test_pathlist_undo_of_a_removal),
        cmocka_unit_test(test_pathlist_undo_of_a_value_somebody_deleted),
        cmocka_unit_test(test_pathlist_undo_refuses_what_became_no_string),
        cmocka_unit_test(test_pathlist_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
