/* Something else stands where a file, a folder or a drive is due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/text.h"
#include "engine_fixture.h"

#define TX_FRESH FIXTURE_TREE "\\.cudnn-setup\\11111111111111111111111111111111"
#define OLD_PATH "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools"

static void kill_at(void *ctx, memory_host *m, const char *operation, const char *path) {
    const char *const *at = ctx;
    if (strcmp(operation, at[0]) == 0 && cs_text_ends_with_ascii_case(path, at[1]))
        memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_KILL, 1117);
}

/* Ended just before that call. */
static memory_host *run_killed_at(fixture_scenario scenario, const char *operation, const char *suffix) {
    memory_host *m = fixture_machine(scenario);
    const char *at[] = {operation, suffix};
    cs_error error = {0};
    memory_host_hook(m, kill_at, at);
    fixture_run(m, scenario, &error);
    assert_true(memory_host_failed(m));
    assert_int_equal(memory_host_restart(m), 0);
    return m;
}

static memory_host *killed_at(const char *operation, const char *suffix) {
    return run_killed_at(FIXTURE_FRESH, operation, suffix);
}

static void recover_ok(memory_host *m) {
    cs_error error = {0};
    bool did_work;
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    memory_host_trace(m, true);
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    assert_string_equal(memory_host_trace_text(m), "");
    memory_host_trace(m, false);
}

/* ---- a folder where a file is due ---- */

static void test_transaction_places_folder_at_a_target_is_kept(void **state) {
    (void)state;
    memory_host *m = killed_at("rename", "\\committed");
    assert_true(memory_host_delete(m, FIXTURE_HEADER));
    memory_host_text(m, FIXTURE_HEADER "\\theirs.txt", "somebody's");
    uint32_t slept = memory_host_system(m)->slept_ms;
    recover_ok(m);
    assert_int_equal(memory_host_system(m)->slept_ms, slept); /* no scanner to wait for */
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER "\\theirs.txt"), "somebody's");
    assert_string_equal(memory_host_content(m, TX_FRESH "\\old\\01"), "an older header"); /* parked */
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), OLD_PATH);
    memory_host_free(m);
}

static void test_transaction_places_folder_at_a_private_name_is_kept(void **state) {
    (void)state;
    memory_host *m = killed_at("rename", "\\committed");
    assert_true(memory_host_delete(m, TX_FRESH "\\old\\01"));
    memory_host_folder(m, TX_FRESH "\\old\\01");
    recover_ok(m);
    assert_true(memory_host_exists(m, TX_FRESH "\\old\\01"));
    assert_false(memory_host_exists(m, FIXTURE_HEADER));
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    memory_host_free(m);
}

/* ---- another drive under its letter ---- */

static const cs_volume other_disk = {.guid_path = "\\\\?\\Volume{99999999-9999-9999-9999-999999999999}\\",
                                     .filesystem = "NTFS",
                                     .local_fixed = true,
                                     .free_bytes = 1 << 30};

static void other_drive_waits(bool with_tree) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    memory_host_free(m);
    m = killed_at("rename", "\\committed");
    char *state = memory_host_dump(m, FIXTURE_STATE), *values = memory_host_reg_dump(m);
    memory_host_unplug(m, "D:", true);
    memory_host_volume(m, "D:", &other_disk);
    if (with_tree) memory_host_text(m, FIXTURE_DLL, "another disk's");
    cs_error error = {0};
    bool did_work;
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_E_PENDING);
    assert_int_equal(cs_exit_code(error.status), 1604);
    char *state_now = memory_host_dump(m, FIXTURE_STATE), *values_now = memory_host_reg_dump(m);
    assert_non_null(strstr(state_now, "journal"));
    assert_string_equal(values, values_now);
    if (with_tree) assert_string_equal(memory_host_content(m, FIXTURE_DLL), "another disk's");
    memory_host_unplug(m, "D:", false); /* the first one is back */
    recover_ok(m);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before), free(after), free(state), free(state_now), free(values), free(values_now);
    memory_host_free(m);
}

static void test_transaction_places_another_drive_under_the_letter_waits(void **state) {
    (void)state;
    other_drive_waits(false);
}

static void test_transaction_places_another_drive_with_such_a_tree_waits(void **state) {
    (void)state;
    other_drive_waits(true);
}

/* ---- a link where the tree was ---- */

static void test_transaction_places_link_at_the_root_ends_an_uninstall_without_files(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_GONE);
    memory_host_text(m, "D:\\victim\\bin\\cudnn64_8.dll", "somebody's");
    memory_host_text(m, "D:\\victim\\.cudnn-setup\\11111111111111111111111111111111\\old\\01", "somebody's");
    memory_host_link(m, FIXTURE_TREE, "D:\\victim");
    char *before = memory_host_dump(m, "D:\\victim");
    cs_error error = {0};
    assert_int_equal(fixture_run(m, FIXTURE_GONE, &error), CS_OK);
    recover_ok(m);
    char *after = memory_host_dump(m, "D:\\victim"), *left = memory_host_dump(m, FIXTURE_STATE);
    assert_string_equal(before, after);
    assert_memory_equal(left, "lock ", 5);
    assert_null(strchr(strchr(left, '\n') + 1, '\n'));
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), OLD_PATH);
    free(before), free(after), free(left);
    memory_host_free(m);
}

/* ---- recovery's word about the environment ---- */

static bool recovery_writes_values(memory_host *m) {
    cs_session session;
    cs_error error = {0};
    bool did_work;
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_false(session.registry_written);
    assert_int_equal(cs_session_recover(&session, &did_work, &error), CS_OK);
    assert_true(did_work);
    bool written = session.registry_written;
    cs_session_close(&session);
    return written;
}

static void test_transaction_places_recovery_says_that_it_wrote_values(void **state) {
    (void)state;
    memory_host *m = killed_at("rename", "\\committed"); /* undone */
    assert_true(recovery_writes_values(m));
    memory_host_free(m);
    m = killed_at("rename", "\\new\\00 -> " FIXTURE_DLL); /* before any value was written */
    assert_false(recovery_writes_values(m));
    memory_host_free(m);
    m = killed_at("rename", "\\head"); /* finished; nothing was lost */
    assert_false(recovery_writes_values(m));
    memory_host_free(m);
    m = killed_at("rename", "\\head"); /* finished; the hive lost a value */
    memory_host_reg_text(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, OLD_PATH);
    assert_true(recovery_writes_values(m));
    memory_host_free(m);
}

/* ---- times ---- */

static void times_after_an_interrupted_undo(int64_t written, int64_t expect_created) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_file_info info, found;
    assert_true(memory_host_info(m, FIXTURE_HEADER, &info));
    memory_host_free(m);
    m = killed_at("rename", "\\committed");
    const char *at[] = {"set info", FIXTURE_HEADER};
    cs_error error = {0};
    bool did_work;
    memory_host_hook(m, kill_at, at);
    assert_int_not_equal(fixture_recover(m, &did_work, &error), CS_OK);
    memory_host_restart(m);
    assert_true(memory_host_exists(m, FIXTURE_HEADER));
    /* Windows gives a new name the creation time that a file of this name had a moment ago. */
    assert_true(memory_host_set_info(m, FIXTURE_HEADER, 0x20, info.created + 1000, written ? written : info.written));
    recover_ok(m);
    assert_true(memory_host_info(m, FIXTURE_HEADER, &found));
    assert_true(found.created == (expect_created ? expect_created : info.created));
    assert_true(found.written == (written ? written : info.written));
    memory_host_free(m);
}

static void test_transaction_places_interrupted_undo_still_gives_times_back(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_file_info info;
    assert_true(memory_host_info(m, FIXTURE_HEADER, &info));
    memory_host_free(m);
    times_after_an_interrupted_undo(0, 0);
    times_after_an_interrupted_undo(info.written + 5, info.created + 1000); /* somebody wrote to it: theirs */
}

/* ---- a tree that comes and goes, or moved ---- */

static void bring_tree_back(void *ctx, memory_host *m, const char *operation, const char *path) {
    unsigned *count = ctx;
    if (strcmp(operation, "write") == 0 && cs_text_ends_with_ascii_case(path, "\\lock") && !(*count)++)
        assert_true(memory_host_move(m, "D:\\aside", FIXTURE_TREE));
}

static void test_transaction_places_nothing_is_dropped_below_a_tree_that_is_not_held(void **state) {
    (void)state;
    static const char blob[] = FIXTURE_TREE "\\.cudnn-setup\\22222222222222222222222222222222\\old\\00";
    memory_host *m = run_killed_at(FIXTURE_REPAIR, "remove", "\\old\\00");
    assert_true(memory_host_exists(m, blob));
    assert_true(memory_host_move(m, FIXTURE_TREE, "D:\\aside"));
    unsigned count = 0;
    cs_error error = {0};
    bool did_work;
    memory_host_hook(m, bring_tree_back, &count);
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    assert_int_not_equal(count, 0);
    memory_host_hook(m, NULL, NULL);
    assert_true(memory_host_exists(m, blob)); /* listed: the next run has the tree again */
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    assert_false(memory_host_exists(m, blob));
    memory_host_free(m);
}

/* ---- a folder that the system calls not empty ---- */

/* What a scanner's handle keeps from going is no reason to forget the folder that it is in. */
static void folder_said_to_be_full(const char *suffix) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = memory_host_dump(m, FIXTURE_TREE);
    memory_host_free(m);
    m = killed_at("rename", "\\journal");
    cs_error error = {0};
    bool did_work;
    memory_host_fail_on(m, "remove folder", suffix, MEMORY_BEFORE, 145);
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    assert_int_equal(memory_host_restart(m), 0);
    recover_ok(m);
    char *after = memory_host_dump(m, FIXTURE_TREE), *state = memory_host_dump(m, FIXTURE_STATE);
    assert_string_equal(before, after);
    assert_null(strstr(state, "intent"));
    free(before), free(after), free(state);
    memory_host_free(m);
}

static void test_transaction_places_emptied_folder_is_come_back_for(void **state) {
    (void)state;
    folder_said_to_be_full("\\new");
    folder_said_to_be_full("\\old");
    folder_said_to_be_full("\\11111111111111111111111111111111");
    folder_said_to_be_full("\\.cudnn-setup");
}

#define MOVED "D:\\moved"
#define TX    "abcdefabcdefabcdefabcdefabcdefab"

static void test_transaction_places_leavings_are_looked_for_where_intent_says(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_OVER_OURS); /* one receipt, about FIXTURE_TREE */
    cs_session session;
    cs_tree tree;
    cs_error error = {0};
    assert_true(memory_host_move(m, FIXTURE_TREE, MOVED));
    char *before = memory_host_dump(m, MOVED), *state_before = memory_host_dump(m, FIXTURE_STATE);
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_tree_open(memory_host_seam(m), MOVED, &tree, &error), CS_OK);
    assert_int_equal(cs_transaction_begin(&session, &tree, TX, &error), CS_OK);
    memory_host_text(m, MOVED "\\.cudnn-setup\\" TX "\\new\\00", "staged");
    memory_host_text(m, MOVED "\\.cudnn-setup\\" TX "\\archive", "a copy");
    cs_tree_free(&tree);
    cs_session_close(&session); /* the run ends here */
    recover_ok(m);
    char *after = memory_host_dump(m, MOVED), *state_after = memory_host_dump(m, FIXTURE_STATE);
    assert_false(memory_host_exists(m, MOVED "\\.cudnn-setup\\" TX));
    assert_string_equal(before, after);
    assert_int_equal(strstr(state_after, "intent") != NULL, strstr(state_before, "intent") != NULL);
    free(before), free(after), free(state_before), free(state_after);
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction_places_folder_at_a_target_is_kept),
        cmocka_unit_test(test_transaction_places_folder_at_a_private_name_is_kept),
        cmocka_unit_test(test_transaction_places_another_drive_under_the_letter_waits),
        cmocka_unit_test(test_transaction_places_another_drive_with_such_a_tree_waits),
        cmocka_unit_test(test_transaction_places_link_at_the_root_ends_an_uninstall_without_files),
        cmocka_unit_test(test_transaction_places_recovery_says_that_it_wrote_values),
        cmocka_unit_test(test_transaction_places_interrupted_undo_still_gives_times_back),
        cmocka_unit_test(test_transaction_places_nothing_is_dropped_below_a_tree_that_is_not_held),
        cmocka_unit_test(test_transaction_places_emptied_folder_is_come_back_for),
        cmocka_unit_test(test_transaction_places_leavings_are_looked_for_where_intent_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
