#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verb_case.h"

static void install(verb_case *c, const char *name, const char *tag) {
    verb_case_package(c, name, "8.0.3.33", 8003, tag, false);
    int code = verb_case_install(c, name);
    if (code) print_error("%s\n", cs_buffer_string(&c->outcome.message));
    assert_int_equal(code, 0);
}

static void test_uninstall_gives_everything_back(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    install(&c, "p803", "803");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(cs_buffer_string(&c.outcome.message),
                        "cuDNN 8.0.3.33 (sample) is uninstalled from C:\\CUDA\\v10.1: 5 files removed, 1 older file put back.");
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_nothing_is_1605(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    assert_int_equal(verb_case_run(&c, cs_rollback), 1605);
    assert_int_equal(verb_case_run(&c, cs_repair), 1605);
    assert_int_equal(verb_case_run(&c, cs_forget), 1605);
    assert_int_equal(verb_case_run(&c, cs_verify), 1605);
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

static void test_uninstall_of_a_stack_gives_the_first_state(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    verb_case_put(&c, "lib/x64/cudnn.lib", "older library");
    char *before = verb_case_dump(&c);
    install(&c, "p802", "802");
    install(&c, "p803", "803");
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), verb_case_content("803", 2));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_puts_back_what_stood_under_a_deleted_file(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    install(&c, "p802", "802");
    install(&c, "p803", "803");
    memory_host_delete(c.machine, VERB_TREE "\\include\\cudnn.h");
    memory_host_delete(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll"); /* nothing stood there before the first */
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), verb_case_content("802", 2));
    memory_host_delete(c.machine, VERB_TREE "\\include\\cudnn.h");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "restored");
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_keeps_somebody_elses_file(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "p803", "803");
    verb_case_put(&c, "include/cudnn.h", "mine");
    verb_case_put(&c, "bin/cudnn64_8.dll", "mine too");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "mine");
    assert_string_equal(verb_case_get(&c, "bin/cudnn64_8.dll"), "mine too");
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "kept");
    assert_true(verb_case_told(&c, "warning undo.kept: include/cudnn.h"));
    assert_null(verb_case_get(&c, "lib/x64/cudnn.lib"));
    char *tree = memory_host_dump(c.machine, VERB_TREE);
    assert_non_null(strstr(tree, "older header")); /* parked in B, never dropped */
    free(tree);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    verb_case_end(&c);
}

static void test_uninstall_leaves_a_removed_file_removed(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install(&c, "p803", "803");
    memory_host_delete(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "same"); /* absent, and was new: done */
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

static void test_uninstall_accepts_an_old_file_that_is_back_already(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "p803", "803");
    verb_case_put(&c, "include/cudnn.h", "older header"); /* System Restore */
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "same");
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "older header");
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

/* The path of the only old file in B. */
static cs_status note_old(void *ctx, const char *name, const cs_file_info *info) {
    (void)info;
    cs_buffer_format(ctx, "\\%s", name);
    return CS_OK;
}

static void find_old(verb_case *c, cs_buffer *out) {
    cs_buffer txid = {0};
    cs_buffer_text(out, VERB_TREE "\\.cudnn-setup");
    assert_int_equal(c->host->fs->list(c->host->fs->ctx, out->data, note_old, &txid, NULL), CS_OK);
    cs_buffer_format(out, "%s\\old\\02", txid.data);
    cs_buffer_free(&txid);
}

static void test_uninstall_does_not_put_a_damaged_old_file_back(void **state) {
    (void)state;
    verb_case c;
    cs_buffer old = {0};
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "p803", "803");
    find_old(&c, &old);
    assert_string_equal(memory_host_content(c.machine, old.data), "older header");
    memory_host_flip(c.machine, old.data, 1);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_true(verb_case_told(&c, "warning undo.old-damaged: include/cudnn.h"));
    assert_null(verb_case_get(&c, "include/cudnn.h"));
    assert_true(memory_host_exists(c.machine, old.data));
    cs_buffer_free(&old);
    verb_case_end(&c);
}

static void test_uninstall_with_the_tree_gone_cleans_the_rest(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\tools");
    char *before = memory_host_reg_dump(c.machine);
    install(&c, "p803", "803");
    memory_host_delete(c.machine, "C:\\CUDA");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "is gone"));
    char *after = memory_host_reg_dump(c.machine);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    assert_false(memory_host_exists(c.machine, "C:\\CUDA"));
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_with_a_link_for_the_tree_cleans_the_rest(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    char *before = memory_host_reg_dump(c.machine);
    install(&c, "p803", "803");
    assert_true(memory_host_move(c.machine, VERB_TREE, "C:\\moved"));
    memory_host_link(c.machine, VERB_TREE, "C:\\moved");
    char *tree = memory_host_dump(c.machine, "C:\\moved");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_true(verb_case_told(&c, "warning tree.link"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "is gone"));
    char *after = memory_host_reg_dump(c.machine), *tree_after = memory_host_dump(c.machine, "C:\\moved");
    assert_string_equal(before, after);
    assert_string_equal(tree, tree_after);
    assert_true(memory_host_delete(c.machine, VERB_TREE)); /* the link */
    verb_case_assert_clean(&c);
    free(before), free(after), free(tree), free(tree_after);
    verb_case_end(&c);
}

static void test_uninstall_in_a_new_tree_at_the_path_touches_none_of_its_files(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install(&c, "p803", "803");
    memory_host_delete(c.machine, VERB_TREE);
    verb_case_put(&c, "bin/cudnn64_8.dll", verb_case_content("803", 0));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_get(&c, "bin/cudnn64_8.dll"), verb_case_content("803", 0));
    assert_true(verb_case_told(&c, "warning environment.kept"));
    assert_non_null(strstr(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), VERB_TREE "\\bin"));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    verb_case_end(&c);
}

static void test_uninstall_after_installing_into_a_new_tree_at_the_path(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "p803", "803");
    char *first = cs_strdup(c.outcome.tree_id);
    memory_host_delete(c.machine, VERB_TREE);
    verb_case_put(&c, "bin/cudart64_101.dll", "the CUDA runtime");
    verb_case_put(&c, "version.txt", "CUDA Version 10.1.243\n");
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_string_equal(c.outcome.tree_id, first); /* the same tree, never doubled */
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", 0);
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "removed");
    assert_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    assert_non_null(strstr(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), VERB_TREE "\\bin"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "/forget /force"));
    c.options.force = true; /* what repairing kept aside */
    assert_int_equal(verb_case_run(&c, cs_forget), 0);
    verb_case_assert_clean(&c);
    cs_free(first);
    verb_case_end(&c);
}

static void test_uninstall_with_several_trees_must_be_told_which(void **state) {
    (void)state;
    verb_case c;
    char tree[80], *first;
    verb_case_begin(&c);
    memory_host_text(c.machine, "C:\\second\\bin\\cudart64_101.dll", "the CUDA runtime");
    memory_host_text(c.machine, "C:\\second\\version.txt", "CUDA Version 10.1.243\n");
    char *before = verb_case_dump(&c);
    install(&c, "p803", "803");
    first = cs_strdup(c.outcome.tree_id);
    c.options.cuda = "C:\\second";
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    snprintf(tree, sizeof tree, "%s", c.outcome.tree_id);
    c.options.cuda = NULL;
    assert_string_not_equal(tree, first);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1639);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), tree));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), first));
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_int_equal(c.outcome.file_count, 2 * VERB_ROWS);
    c.options.tree = tree;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_false(memory_host_exists(c.machine, "C:\\second\\bin\\cudnn64_8.dll"));
    assert_non_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    c.options.tree = NULL;
    c.options.cuda = "c:/cuda/V10.1/";
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    cs_free(first);
    free(before), free(after);
    verb_case_end(&c);
}

/* An upgrade drops the middle level's files in the same run: nothing waits. */
static void test_status_counts_only_what_still_waits(void **state) {
    (void)state;
    verb_case c;
    cs_buffer report = {0};
    verb_case_begin(&c);
    install(&c, "p802", "802");
    install(&c, "p803", "803");
    install(&c, "p804", "804");
    cs_outcome_free(&c.outcome);
    assert_int_equal(cs_show_status(c.host, &c.options, &report, &c.outcome), CS_OK);
    assert_non_null(strstr(report.data, "8.0.3.33"));
    assert_null(strstr(report.data, "waiting to be dropped"));
    cs_buffer_free(&report);
    verb_case_end(&c);
}

static void test_uninstall_unknown_tree_is_1605(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install(&c, "p803", "803");
    c.options.tree = "00000000000000000000000000000000";
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    assert_non_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    verb_case_end(&c);
}

static void test_uninstall_in_use_is_1603(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install(&c, "p803", "803");
    char *before = verb_case_dump(&c);
    cs_holders_add(&memory_host_system(c.machine)->holders, 77, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1603);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "python.exe"));
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    c.options.inuse_aside = true;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_of_a_loaded_library_waits_for_a_later_run(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    char *before = verb_case_dump(&c);
    install(&c, "p803", "803");
    memory_host_map(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", true);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    assert_true(memory_host_exists(c.machine, VERB_TREE "\\.cudnn-setup"));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    cs_buffer txid = {0}, path = {0};
    c.host->fs->list(c.host->fs->ctx, VERB_TREE "\\.cudnn-setup", note_old, &txid, NULL);
    cs_buffer_format(&path, VERB_TREE "\\.cudnn-setup%s\\old\\00", cs_buffer_string(&txid));
    memory_host_map(c.machine, path.data, false);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 1605);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    cs_buffer_free(&txid);
    cs_buffer_free(&path);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_uninstall_dryrun_changes_nothing(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "older header");
    install(&c, "p803", "803");
    char *before = memory_host_dump(c.machine, "C:"), *registry = memory_host_reg_dump(c.machine);
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "would be uninstalled from C:\\CUDA\\v10.1"));
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "restored");
    assert_non_null(strstr(cs_buffer_string(&c.outcome.plan), "  removed   bin/cudnn64_8.dll\n"));
    char *after = memory_host_dump(c.machine, "C:"), *registry_after = memory_host_reg_dump(c.machine);
    assert_string_equal(before, after);
    assert_string_equal(registry, registry_after);
    free(before), free(after), free(registry), free(registry_after);
    verb_case_end(&c);
}

static void test_uninstall_removes_only_its_entry_from_an_edited_path(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\tools");
    install(&c, "p803", "803");
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ,
                         "C:\\first;" VERB_TREE "\\bin;C:\\tools;C:\\last");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), "C:\\first;C:\\tools;C:\\last");
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uninstall_gives_everything_back),
        cmocka_unit_test(test_uninstall_nothing_is_1605),
        cmocka_unit_test(test_uninstall_of_a_stack_gives_the_first_state),
        cmocka_unit_test(test_uninstall_puts_back_what_stood_under_a_deleted_file),
        cmocka_unit_test(test_uninstall_keeps_somebody_elses_file),
        cmocka_unit_test(test_uninstall_leaves_a_removed_file_removed),
        cmocka_unit_test(test_uninstall_accepts_an_old_file_that_is_back_already),
        cmocka_unit_test(test_uninstall_does_not_put_a_damaged_old_file_back),
        cmocka_unit_test(test_uninstall_with_the_tree_gone_cleans_the_rest),
        cmocka_unit_test(test_uninstall_with_a_link_for_the_tree_cleans_the_rest),
        cmocka_unit_test(test_uninstall_in_a_new_tree_at_the_path_touches_none_of_its_files),
        cmocka_unit_test(test_uninstall_after_installing_into_a_new_tree_at_the_path),
        cmocka_unit_test(test_uninstall_with_several_trees_must_be_told_which),
        cmocka_unit_test(test_status_counts_only_what_still_waits),
        cmocka_unit_test(test_uninstall_unknown_tree_is_1605),
        cmocka_unit_test(test_uninstall_in_use_is_1603),
        cmocka_unit_test(test_uninstall_of_a_loaded_library_waits_for_a_later_run),
        cmocka_unit_test(test_uninstall_dryrun_changes_nothing),
        cmocka_unit_test(test_uninstall_removes_only_its_entry_from_an_edited_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
