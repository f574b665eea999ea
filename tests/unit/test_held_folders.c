/* The folders that are staged into are held from the beginning of a transaction to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine_fixture.h"

#define HELD_TXID "abcdefabcdefabcdefabcdefabcdefab"
#define HELD_B    FIXTURE_TREE "\\.cudnn-setup"
#define HELD_TX   HELD_B "\\" HELD_TXID

/* Whether somebody could put something else in the place of one of them. */
static bool can_swap_any(memory_host *m) {
    static const char *const paths[] = {HELD_TX "\\new", HELD_TX "\\old", HELD_TX, HELD_B, FIXTURE_TREE};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (memory_host_move(m, paths[i], "D:\\aside")) return true;
    return false;
}

static void begin_held(memory_host *m, cs_session *session, cs_tree *tree) {
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), session, &error), CS_OK);
    assert_int_equal(cs_tree_open(memory_host_seam(m), FIXTURE_TREE, tree, &error), CS_OK);
    assert_int_equal(cs_transaction_begin(session, tree, HELD_TXID, &error), CS_OK);
    assert_false(can_swap_any(m));
}

static void test_held_folders_staging_folders_are_held_until_abandoned(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_session session;
    cs_tree tree;
    cs_error error = {0};
    begin_held(m, &session, &tree);
    /* A plan that is not true any more: nothing is done, and what was staged waits for another plan. */
    cs_record record = {.tree_path = tree.path, .kind = CS_KIND_INSTALL, .folders = {0}};
    char *made[] = {"include"}; /* is there already */
    memcpy(record.tree_id, tree.id, sizeof record.tree_id);
    memcpy(record.txid, HELD_TXID, sizeof record.txid);
    record.folders = (cs_strings){.items = made, .count = 1};
    assert_int_equal(cs_transaction_commit(&session, &tree, &record, &error), CS_E_CHANGED);
    assert_false(can_swap_any(m));
    assert_int_equal(cs_transaction_abandon(&session, &tree, HELD_TXID, &error), CS_OK);
    assert_int_equal(memory_host_open_files(m), 1); /* the lock */
    assert_true(memory_host_move(m, FIXTURE_TREE, "D:\\aside"));
    cs_tree_free(&tree);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_held_folders_staging_folders_are_let_go_with_the_session(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_session session;
    cs_tree tree;
    begin_held(m, &session, &tree);
    cs_tree_free(&tree);
    cs_session_close(&session);
    assert_int_equal(memory_host_open_files(m), 0);
    memory_host_free(m);
}

static void test_held_folders_begin_refuses_a_tree_that_was_swapped(void **state) {
    (void)state;
    static const struct {
        bool folder, link;
        cs_status status;
    } cases[] = {{false, false, CS_E_CHANGED}, {true, false, CS_E_CHANGED}, {false, true, CS_E_REPARSE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memory_host *m = fixture_machine(FIXTURE_FRESH);
        cs_session session;
        cs_tree tree;
        cs_error error = {0};
        assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
        assert_int_equal(cs_tree_open(memory_host_seam(m), FIXTURE_TREE, &tree, &error), CS_OK);
        assert_true(memory_host_move(m, FIXTURE_TREE, "D:\\aside"));
        memory_host_folder(m, "D:\\victim");
        if (cases[i].folder) memory_host_folder(m, FIXTURE_TREE);
        if (cases[i].link) memory_host_link(m, FIXTURE_TREE, "D:\\victim");
        assert_int_equal(cs_transaction_begin(&session, &tree, HELD_TXID, &error), cases[i].status);
        assert_false(memory_host_exists(m, HELD_B));
        assert_false(memory_host_exists(m, "D:\\victim\\.cudnn-setup"));
        assert_false(memory_host_exists(m, "D:\\aside\\.cudnn-setup"));
        cs_tree_free(&tree);
        cs_session_close(&session);
        memory_host_free(m);
    }
}

static void test_held_folders_drops_the_copied_archive_below_held_folders(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_session session;
    cs_tree tree;
    cs_error error = {0};
    begin_held(m, &session, &tree);
    assert_int_equal(cs_transaction_drop_archive(&session, &tree, HELD_TXID, &error), CS_OK); /* there is none */
    memory_host_text(m, HELD_TX "\\archive", "a copy");
    assert_true(memory_host_set_info(m, HELD_TX "\\archive", 0x1, 1, 1)); /* as its source was */
    assert_int_equal(cs_transaction_drop_archive(&session, &tree, HELD_TXID, &error), CS_OK);
    assert_false(memory_host_exists(m, HELD_TX "\\archive"));
    assert_int_equal(cs_transaction_abandon(&session, &tree, HELD_TXID, &error), CS_OK);
    memory_host_text(m, HELD_TX "\\archive", "somebody's"); /* nothing is held: nothing is touched */
    assert_int_equal(cs_transaction_drop_archive(&session, &tree, HELD_TXID, &error), CS_OK);
    assert_true(memory_host_exists(m, HELD_TX "\\archive"));
    cs_tree_free(&tree);
    cs_session_close(&session);
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_folders_staging_folders_are_held_until_abandoned),
        cmocka_unit_test(test_held_folders_staging_folders_are_let_go_with_the_session),
        cmocka_unit_test(test_held_folders_begin_refuses_a_tree_that_was_swapped),
        cmocka_unit_test(test_held_folders_drops_the_copied_archive_below_held_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
