/* Several trees in one state folder: what is wrong with the records of one is that tree's affair alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/operations.h"
#include "cudnn_setup/text.h"
#include "engine_fixture.h"

#define OTHER_ID "abababababababababababababababab"
#define OTHER_S  FIXTURE_STATE "\\" OTHER_ID
#define TXID     "44444444444444444444444444444444"

/* A machine with the fixture's tree installed and another tree's folder in the state, which holds this. */
static memory_host *machine_with(const char *name, const char *content) {
    memory_host *m = fixture_machine(FIXTURE_UNINSTALL);
    char path[256];
    snprintf(path, sizeof path, OTHER_S "\\%s", name);
    if (content) assert_true(memory_host_text(m, path, content));
    return m;
}

/* The other tree is refused and untouched; the fixture's tree can be worked on. */
static void expect_only_the_other_refused(memory_host *m) {
    const cs_host *host = memory_host_seam(m);
    cs_session session;
    cs_tree tree, other = {.id = OTHER_ID, .path = (char *)"D:\\elsewhere"};
    cs_error error = {0};
    bool did_work;
    char *before = memory_host_dump(m, OTHER_S);
    assert_int_equal(cs_session_open(host, &session, &error), CS_OK);
    assert_int_equal(cs_session_recover(&session, &did_work, &error), CS_E_PENDING);
    assert_false(session.unfinished);
    assert_int_equal(session.set_aside.count, 1);
    assert_true(cs_session_is_set_aside(&session, OTHER_ID));
    assert_int_equal(cs_transaction_begin(&session, &other, TXID, &error), CS_E_PENDING);
    assert_int_equal(cs_tree_open(host, FIXTURE_TREE, &tree, &error), CS_OK);
    assert_false(cs_session_is_set_aside(&session, tree.id));
    assert_int_equal(cs_transaction_begin(&session, &tree, TXID, &error), CS_OK);
    assert_int_equal(cs_transaction_abandon(&session, &tree, TXID, &error), CS_OK);
    cs_tree_free(&tree);
    cs_session_close(&session);
    char *after = memory_host_dump(m, OTHER_S);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(memory_host_open_files(m), 0);
}

static void test_transaction_trees_damaged_head_blocks_its_own_tree_only(void **state) {
    (void)state;
    memory_host *m = machine_with("head", "{\"format\":1,\"sha256\":\"half of a rec");
    expect_only_the_other_refused(m);
    memory_host_free(m);
}

static void test_transaction_trees_damaged_journal_blocks_its_own_tree_only(void **state) {
    (void)state;
    memory_host *m = machine_with("journal", "nothing of a record");
    expect_only_the_other_refused(m);
    memory_host_free(m);
}

static void test_transaction_trees_two_records_block_their_own_tree_only(void **state) {
    (void)state;
    memory_host *m = machine_with("journal", "one");
    assert_true(memory_host_text(m, OTHER_S "\\committed", "two"));
    expect_only_the_other_refused(m);
    memory_host_free(m);
}

static void test_transaction_trees_unreadable_head_blocks_its_own_tree_only(void **state) {
    (void)state;
    memory_host *m = machine_with("head", "whatever it is");
    memory_host_fail_on(m, "open watch", OTHER_ID "\\head", MEMORY_BEFORE, 1117);
    memory_host_fail_on(m, "open read", OTHER_ID "\\head", MEMORY_BEFORE, 1117);
    expect_only_the_other_refused(m);
    memory_host_free(m);
}

/* Looking at the journal fails the so-manieth time. */
static void fail_one_look(void *ctx, memory_host *m, const char *operation, const char *path) {
    unsigned *left = ctx;
    if (!*left || strcmp(operation, "stat") != 0 || !cs_text_ends_with_ascii_case(path, "\\journal") || --*left) return;
    memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_ONCE, 1117);
}

static void kill_at_commit(void *ctx, memory_host *m, const char *operation, const char *path) {
    (void)ctx;
    if (strcmp(operation, "rename") == 0 && cs_text_ends_with_ascii_case(path, "\\committed"))
        memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_KILL, 1117);
}

/* false: there are not so many looks at it. */
static bool recover_without_look(unsigned number, const char *before) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    const cs_options options = {.verb = CS_VERB_RECOVER, .ui = CS_UI_QUIET};
    cs_outcome outcome = {0};
    cs_error error = {0};
    memory_host_system(m)->administrator = true;
    memory_host_hook(m, kill_at_commit, NULL);
    fixture_run(m, FIXTURE_FRESH, &error);
    assert_int_equal(memory_host_restart(m), 0);
    memory_host_hook(m, fail_one_look, &number);
    int code = cs_exit_code(cs_recover(memory_host_seam(m), &options, &outcome));
    bool struck = !number;
    cs_outcome_free(&outcome);
    memory_host_restart(m);
    if (code != CS_EXIT_PENDING) {
        char *after = fixture_state(m);
        assert_int_equal(code, 0);
        assert_string_equal(before, after);
        free(after);
    }
    memory_host_free(m);
    return struck;
}

/* What could not be looked at for a moment is pending all the same: /recover does not say that it is done. */
static void test_transaction_trees_unreadable_for_a_moment_is_not_recovered(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    unsigned number = 1;
    while (recover_without_look(number, before)) number++;
    assert_true(number > 2);
    free(before);
    memory_host_free(m);
}

static void kill_after_commit(void *ctx, memory_host *m, const char *operation, const char *path) {
    (void)ctx;
    if (strcmp(operation, "rename") == 0 && cs_text_ends_with_ascii_case(path, "\\committed"))
        memory_host_fail_at(m, 0, MEMORY_AFTER, MEMORY_KILL, 1117);
}

static void assert_recovery_says(memory_hook kill, const char *words) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    const cs_options options = {.verb = CS_VERB_RECOVER, .ui = CS_UI_QUIET};
    cs_outcome outcome = {0};
    cs_error error = {0};
    memory_host_system(m)->administrator = true;
    memory_host_hook(m, kill, NULL);
    fixture_run(m, FIXTURE_FRESH, &error);
    memory_host_restart(m);
    assert_int_equal(cs_exit_code(cs_recover(memory_host_seam(m), &options, &outcome)), 0);
    assert_string_equal(cs_buffer_string(&outcome.message), words);
    cs_outcome_free(&outcome);
    memory_host_free(m);
}

static void test_transaction_trees_recovery_says_which_way_it_went(void **state) {
    (void)state;
    assert_recovery_says(kill_at_commit,
                         "1 interrupted change was taken back: everything is as before. Nothing is pending any more.");
    assert_recovery_says(kill_after_commit,
                         "1 interrupted change was finished: what was installed or undone stays so. Nothing is "
                         "pending any more.");
}

/* Whole records whose work cannot be finished now stop everything: the environment is half changed. */
static void test_transaction_trees_unfinished_work_is_no_damage(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_session session;
    cs_error error = {0};
    bool did_work;
    memory_host_fail_on(m, "reg flush", "Environment", MEMORY_BEFORE, 1018);
    fixture_run(m, FIXTURE_FRESH, &error);
    assert_int_equal(error.status, CS_E_PENDING);
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_session_recover(&session, &did_work, &error), CS_E_PENDING);
    assert_true(session.unfinished);
    assert_int_equal(session.set_aside.count, 0);
    cs_session_close(&session);
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction_trees_damaged_head_blocks_its_own_tree_only),
        cmocka_unit_test(test_transaction_trees_damaged_journal_blocks_its_own_tree_only),
        cmocka_unit_test(test_transaction_trees_two_records_block_their_own_tree_only),
        cmocka_unit_test(test_transaction_trees_unreadable_head_blocks_its_own_tree_only),
        cmocka_unit_test(test_transaction_trees_unreadable_for_a_moment_is_not_recovered),
        cmocka_unit_test(test_transaction_trees_recovery_says_which_way_it_went),
        cmocka_unit_test(test_transaction_trees_unfinished_work_is_no_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
