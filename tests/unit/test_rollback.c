#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "verb_case.h"

static void install(verb_case *c, const char *name, const char *version, unsigned number, const char *tag) {
    verb_case_package(c, name, version, number, tag, false);
    int code = verb_case_install(c, name);
    if (code) print_error("%s\n", cs_buffer_string(&c->outcome.message));
    assert_int_equal(code, 0);
}

static void assert_content(verb_case *c, const char *tag) {
    for (size_t i = 0; i < VERB_ROWS; i++) assert_string_equal(verb_case_get(c, verb_targets[i]), verb_case_content(tag, i));
}

static void test_rollback_gives_the_version_before(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *first = verb_case_dump(&c);
    install(&c, "p802", "8.0.2.39", 8002, "802");
    char *entry = memory_host_reg_dump(c.machine);
    install(&c, "p803", "8.0.3.33", 8003, "803");
    assert_string_equal(verb_case_state(&c, "NVIDIA_SLA_cuDNN_Support.txt"), "same");
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_content(&c, "802");
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "8.0.2.39 is in place again"));
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    char *entry_after = memory_host_reg_dump(c.machine);
    assert_string_equal(entry, entry_after);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *last = verb_case_dump(&c);
    assert_string_equal(first, last);
    verb_case_assert_clean(&c);
    free(first), free(last), free(entry), free(entry_after);
    verb_case_end(&c);
}

static void test_rollback_of_the_only_level_is_an_uninstall(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    install(&c, "p803", "8.0.3.33", 8003, "803");
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    assert_int_equal(verb_case_run(&c, cs_rollback), 1605);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_rollback_twice_then_uninstall_after_four_installs(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    install(&c, "a", "8.0.1.1", 8001, "a");
    install(&c, "b", "8.0.2.1", 8002, "b");
    install(&c, "c", "8.0.3.1", 8003, "c");
    install(&c, "d", "8.0.4.1", 8004, "d");
    char *tree = memory_host_dump(c.machine, VERB_TREE);
    assert_null(strstr(tree, "cudnn.h as in package a")); /* folded away: ours, and two levels are kept above it */
    assert_non_null(strstr(tree, "cudnn.h as in package b"));
    assert_non_null(strstr(tree, "older header"));
    free(tree);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_content(&c, "c");
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_content(&c, "b");
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_rollback_never_folds_somebody_elses_file_away(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install(&c, "a", "8.0.1.1", 8001, "a");
    verb_case_put(&c, "include/cudnn.h", "mine, in between");
    install(&c, "b", "8.0.2.1", 8002, "b");
    install(&c, "c", "8.0.3.1", 8003, "c");
    install(&c, "d", "8.0.4.1", 8004, "d");
    for (int i = 0; i < 3; i++) assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "mine, in between");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "mine, in between");
    assert_null(verb_case_get(&c, "lib/x64/cudnn.lib"));
    verb_case_end(&c);
}

static void test_rollback_forget_drops_only_the_first_files(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "a", "8.0.1.1", 8001, "a");
    install(&c, "b", "8.0.2.1", 8002, "b");
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    install(&c, "c", "8.0.3.1", 8003, "c");
    char *before = verb_case_dump(&c);
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.plan), "would drop include/cudnn.h, the file that stood there before"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "Dry run: 1 old file (12 bytes)"));
    c.options.dryrun = false;
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_true(verb_case_told(&c, "note forget.file: Drops include/cudnn.h, the file that stood there before: "));
    char *tree = memory_host_dump(c.machine, VERB_TREE);
    assert_null(strstr(tree, "older header"));
    free(tree);
    assert_content(&c, "c");
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_content(&c, "a");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_null(verb_case_get(&c, "include/cudnn.h"));
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

/* The name in a listing, with its letters as they are. */
static bool is_spelled(verb_case *c, const char *name) {
    char *tree = memory_host_dump(c->machine, VERB_TREE);
    bool found = strstr(tree, name) != NULL;
    free(tree);
    return found;
}

static void test_rollback_and_uninstall_bring_files_back_as_they_were_spelled(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "bin/CUDNN64_8.DLL", "older DLL");
    verb_case_put(&c, "lib/x64/Cudnn.Lib", "older library");
    char *before = verb_case_dump(&c);
    install(&c, "p802", "8.0.2.39", 8002, "802");
    assert_true(is_spelled(&c, "cudnn64_8.dll") && !is_spelled(&c, "CUDNN64_8.DLL"));
    char *first = memory_host_dump(c.machine, VERB_TREE "\\bin");
    install(&c, "p803", "8.0.3.33", 8003, "803");
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    char *again = memory_host_dump(c.machine, VERB_TREE "\\bin");
    assert_string_equal(first, again);
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_true(is_spelled(&c, "CUDNN64_8.DLL") && is_spelled(&c, "Cudnn.Lib"));
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after), free(first), free(again);
    verb_case_end(&c);
}

static void stop_at_barrier(void *ctx, memory_host *m, const char *operation, const char *path) {
    (void)m;
    verb_case *c = ctx;
    if (strcmp(operation, "rename") == 0 && strstr(path, "\\new\\")) c->cancel_after = 1;
}

/* The same in an undo: the names of a run that is taken back. */
static void test_rollback_of_a_cancelled_install_keeps_the_spelling(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "bin/CUDNN64_8.DLL", "older DLL");
    char *before = verb_case_dump(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_hook(c.machine, stop_at_barrier, &c);
    assert_int_equal(verb_case_install(&c, "p803"), 1602);
    memory_host_hook(c.machine, NULL, NULL);
    c.cancel_after = 0;
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rollback_gives_the_version_before),
        cmocka_unit_test(test_rollback_of_the_only_level_is_an_uninstall),
        cmocka_unit_test(test_rollback_twice_then_uninstall_after_four_installs),
        cmocka_unit_test(test_rollback_never_folds_somebody_elses_file_away),
        cmocka_unit_test(test_rollback_forget_drops_only_the_first_files),
        cmocka_unit_test(test_rollback_and_uninstall_bring_files_back_as_they_were_spelled),
        cmocka_unit_test(test_rollback_of_a_cancelled_install_keeps_the_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
