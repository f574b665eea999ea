#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "verb_case.h"

static void begin_installed(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(c, "p803"), 0);
}

static void assert_right(verb_case *c) {
    for (size_t i = 0; i < VERB_ROWS; i++) assert_string_equal(verb_case_get(c, verb_targets[i]), verb_case_content("803", i));
    assert_int_equal(verb_case_run(c, cs_verify), 0);
}

static void test_repair_puts_damaged_and_missing_files_back(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", 3);
    memory_host_delete(c.machine, VERB_TREE "\\lib\\x64\\cudnn.lib");
    assert_int_equal(verb_case_run(&c, cs_repair), 0); /* the archive is found beside the program by the kept manifest's name */
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "restored");
    assert_string_equal(verb_case_state(&c, "lib/x64/cudnn.lib"), "restored");
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "same");
    assert_right(&c);
    verb_case_end(&c);
}

/* The damaged or edited files that repairing kept aside. */
static void drop_kept(verb_case *c) {
    c->options.force = true;
    assert_int_equal(verb_case_run(c, cs_forget), 0);
    assert_int_equal(c->outcome.result, CS_RESULT_DONE);
    c->options.force = false;
}

static void test_repair_keeps_an_edited_file_and_says_where(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    verb_case_put(&c, "include/cudnn.h", "my own edit");
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "would be kept aside"));
    c.options.dryrun = false;
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_true(verb_case_told(&c, "warning repair.kept: include/cudnn.h: the file that stood there is kept as .cudnn-setup\\"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "kept aside in .cudnn-setup"));
    assert_right(&c);
    char *tree = memory_host_dump(c.machine, VERB_TREE);
    assert_non_null(strstr(tree, "my own edit"));
    free(tree);
    /* The same content once more is not kept twice. */
    verb_case_put(&c, "include/cudnn.h", "my own edit");
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_false(verb_case_told(&c, "warning repair.kept"));
    tree = memory_host_dump(c.machine, VERB_TREE);
    assert_null(strstr(strstr(tree, "my own edit") + 1, "my own edit"));
    free(tree);
    c.options.force = c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.plan), "  would drop include/cudnn.h, kept aside: " VERB_TREE));
    c.options.force = c.options.dryrun = false;
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY); /* not without /force */
    drop_kept(&c);
    tree = memory_host_dump(c.machine, VERB_TREE);
    assert_null(strstr(tree, "my own edit"));
    free(tree);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

static void test_repair_leaves_the_undo_of_the_installation(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    verb_case_put(&c, "include/cudnn.h", "damaged");
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_right(&c);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "older header");
    drop_kept(&c);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_repair_of_what_is_right_changes_nothing(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    char *before = verb_case_dump(&c);
    memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_repair_puts_environment_values_right_without_an_archive(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\tools");
    memory_host_reg_delete(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH");
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), VERB_TREE "\\bin;C:\\tools");
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"), VERB_TREE);
    assert_right(&c);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), "C:\\tools");
    assert_null(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"));
    verb_case_end(&c);
}

static void test_repair_without_its_archive_is_1619(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", 3);
    memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    char *before = verb_case_dump(&c);
    assert_int_equal(verb_case_run(&c, cs_repair), 1619);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_repair_with_another_archive_is_1620(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    verb_case_package(&c, "other", "8.0.3.33", 8003, "other", false);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", 3);
    char *before = verb_case_dump(&c);
    c.options.archive = VERB_MEDIA "\\other.zip";
    assert_int_equal(verb_case_run(&c, cs_repair), 1620);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_repair_dryrun_changes_nothing(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", 3);
    char *before = memory_host_dump(c.machine, "C:");
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "restored");
    char *after = memory_host_dump(c.machine, "C:");
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_repair_with_the_tree_gone_says_so(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_delete(c.machine, VERB_TREE);
    assert_int_equal(verb_case_run(&c, cs_repair), 1603);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "is gone"));
    assert_false(memory_host_exists(c.machine, VERB_TREE));
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repair_puts_damaged_and_missing_files_back),
        cmocka_unit_test(test_repair_keeps_an_edited_file_and_says_where),
        cmocka_unit_test(test_repair_leaves_the_undo_of_the_installation),
        cmocka_unit_test(test_repair_of_what_is_right_changes_nothing),
        cmocka_unit_test(test_repair_puts_environment_values_right_without_an_archive),
        cmocka_unit_test(test_repair_without_its_archive_is_1619),
        cmocka_unit_test(test_repair_with_another_archive_is_1620),
        cmocka_unit_test(test_repair_dryrun_changes_nothing),
        cmocka_unit_test(test_repair_with_the_tree_gone_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
