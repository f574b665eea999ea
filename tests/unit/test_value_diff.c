#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/value_diff.h"
#include "memory_host.h"

#define TREE "C:\\CUDA\\v10.1"
#define BIN  TREE "\\bin"

static cs_reg_value text(uint32_t type, const char *content) {
    cs_reg_value value = {0};
    if (content) assert_int_equal(cs_reg_value_from_text(&value, type, content, NULL), CS_OK);
    return value;
}

static cs_reg_value bytes(uint32_t type, const char *content, size_t size) {
    cs_reg_value value = {.present = true, .type = type, .size = size, .bytes = cs_alloc(size, 1)};
    assert_non_null(value.bytes);
    memcpy(value.bytes, content, size);
    return value;
}

/* Takes over the values. */
static void assert_said(cs_variable variable, cs_reg_value old, cs_reg_value now, bool only_changes, const char *expected) {
    memory_host *machine = memory_host_new();
    cs_reg_change change = {.variable = variable, .old = old, .now = now};
    change.name = cs_strdup(variable == CS_VARIABLE_PATH ? "Path" : "CUDA_PATH");
    cs_buffer out = {0};
    cs_value_change_say(&out, memory_host_seam(machine), TREE, &change, " ", only_changes);
    assert_false(out.failed);
    assert_string_equal(cs_buffer_string(&out), expected);
    cs_buffer_free(&out);
    cs_free(change.name);
    cs_reg_value_free(&change.old);
    cs_reg_value_free(&change.now);
    memory_host_free(machine);
}

static void test_value_diff_an_entry_in_front(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_PATH, text(CS_REG_EXPAND_SZ, "%SystemRoot%;;C:\\a"),
                text(CS_REG_EXPAND_SZ, BIN ";%SystemRoot%;;C:\\a"), false,
                " Path (REG_EXPAND_SZ):\n"
                "   + [0] " BIN "   <- ours\n"
                "     [1] %SystemRoot%\n"
                "     [2] (empty)\n"
                "     [3] C:\\a\n");
}

static void test_value_diff_an_entry_taken_out_and_others_changed(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_PATH, text(CS_REG_SZ, "C:\\a;" BIN ";C:\\b;C:\\c"), text(CS_REG_SZ, "C:\\a;C:\\c;C:\\d"), true,
                " Path (REG_SZ):\n"
                "   - [1] " BIN "   <- ours\n"
                "   - [2] C:\\b\n"
                "   + [2] C:\\d\n");
}

static void test_value_diff_quotes_keep_an_entry_together(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_PATH, text(CS_REG_SZ, "\"C:\\x;y\";C:\\a"), text(CS_REG_SZ, "\"C:\\x;y\";C:\\a;" BIN "\\"), false,
                " Path (REG_SZ):\n"
                "     [0] \"C:\\x;y\"\n"
                "     [1] C:\\a\n"
                "   + [2] " BIN "\\   <- ours\n");
}

static void test_value_diff_new_and_removed_values(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_CUDA_PATH, text(0, NULL), text(CS_REG_SZ, TREE), false, " CUDA_PATH (REG_SZ, new):\n   + " TREE "\n");
    assert_said(CS_VARIABLE_CUDA_PATH, text(CS_REG_SZ, TREE), text(0, NULL), false,
                " CUDA_PATH (REG_SZ, removed):\n   - " TREE "\n");
    assert_said(CS_VARIABLE_CUDA_PATH, text(CS_REG_EXPAND_SZ, "%X%;C:\\a"), text(CS_REG_SZ, TREE), false,
                " CUDA_PATH (REG_SZ, was REG_EXPAND_SZ):\n   - %X%;C:\\a\n   + " TREE "\n");
    assert_said(CS_VARIABLE_CUDA_PATH, text(CS_REG_SZ, ""), text(CS_REG_SZ, TREE), false,
                " CUDA_PATH (REG_SZ):\n   - (empty)\n   + " TREE "\n");
}

static void test_value_diff_what_is_no_text_is_described(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_CUDA_PATH, bytes(CS_REG_DWORD, "\1\0\0\0", 4), text(CS_REG_SZ, TREE), false,
                " CUDA_PATH (REG_SZ, was REG_DWORD):\n   - (REG_DWORD, 4 bytes: no text)\n   + " TREE "\n");
    assert_said(CS_VARIABLE_PATH, bytes(CS_REG_SZ, "a\0;", 3), text(CS_REG_SZ, "C:\\a;C:\\b"), false,
                " Path (REG_SZ):\n   - (REG_SZ, 3 bytes: damaged)\n   + C:\\a;C:\\b\n");
}

static void test_value_diff_shows_every_character(void **state) {
    (void)state;
    assert_said(CS_VARIABLE_PATH, text(CS_REG_SZ, "C:\\a\nb"), text(CS_REG_SZ, "C:\\a\nb;C:\\\xE2\x80\xAEtxt\x1b[0m"), false,
                " Path (REG_SZ):\n"
                "     [0] C:\\a\\u{a}b\n"
                "   + [1] C:\\\\u{202e}txt\\u{1b}[0m\n");
}

static void test_value_diff_of_very_many_entries_stays_bounded(void **state) {
    (void)state;
    enum { COUNT = 16000 };
    char *left = malloc(2 * COUNT + 1), *right = malloc(2 * COUNT + 1);
    assert_non_null(left);
    assert_non_null(right);
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(left + 2 * i, "a;", 2);
        memcpy(right + 2 * i, i % 2 ? "a;" : "b;", 2);
    }
    left[2 * COUNT] = right[2 * COUNT] = '\0';
    memory_host *machine = memory_host_new();
    cs_reg_change change = {.variable = CS_VARIABLE_PATH, .old = text(CS_REG_SZ, left), .now = text(CS_REG_SZ, right)};
    cs_value_diff diff = {0};
    assert_int_equal(cs_value_diff_make(memory_host_seam(machine), TREE, &change, &diff, NULL), CS_OK);
    size_t out = 0, in = 0, both = 0;
    for (size_t i = 0; i < diff.count; i++) {
        out += diff.items[i].mark == '-';
        in += diff.items[i].mark == '+';
        both += diff.items[i].mark == ' ';
    }
    assert_int_equal(out + both, COUNT + 1); /* and the empty one behind the last ';' */
    assert_int_equal(in + both, COUNT + 1);
    cs_value_diff_free(&diff);
    cs_reg_value_free(&change.old);
    cs_reg_value_free(&change.now);
    free(left), free(right);
    memory_host_free(machine);
}

static void test_value_diff_survives_every_failing_allocation(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    cs_reg_change change = {.variable = CS_VARIABLE_PATH,
                            .old = text(CS_REG_SZ, "C:\\a;C:\\b;C:\\c"),
                            .now = text(CS_REG_SZ, BIN ";C:\\b;C:\\x;C:\\c")};
    for (unsigned long n = 1;; n++) {
        cs_value_diff diff = {0};
        cs_alloc_fail_at(n);
        cs_status status = cs_value_diff_make(memory_host_seam(machine), TREE, &change, &diff, NULL);
        cs_alloc_fail_at(0);
        if (status == CS_OK) assert_int_equal(diff.count, 5);
        if (status != CS_OK) assert_int_equal(status, CS_E_NO_MEMORY);
        if (status != CS_OK) assert_int_equal(diff.count, 0);
        cs_value_diff_free(&diff);
        if (status == CS_OK) break;
    }
    cs_reg_value_free(&change.old);
    cs_reg_value_free(&change.now);
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_diff_an_entry_in_front),
        cmocka_unit_test(test_value_diff_an_entry_taken_out_and_others_changed),
        cmocka_unit_test(test_value_diff_quotes_keep_an_entry_together),
        cmocka_unit_test(test_value_diff_new_and_removed_values),
        cmocka_unit_test(test_value_diff_what_is_no_text_is_described),
        cmocka_unit_test(test_value_diff_shows_every_character),
        cmocka_unit_test(test_value_diff_of_very_many_entries_stays_bounded),
        cmocka_unit_test(test_value_diff_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
