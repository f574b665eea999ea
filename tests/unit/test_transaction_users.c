/* Other programs and people act while a transaction runs, between a crash and the recovery, and on the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/text.h"
#include "engine_fixture.h"

#define TX_FRESH  FIXTURE_TREE "\\.cudnn-setup\\11111111111111111111111111111111"
#define TX_SECOND FIXTURE_TREE "\\.cudnn-setup\\22222222222222222222222222222222"

/* Does something when the seam is first asked for an operation on a path with this end; and again every time with always. */
typedef struct trigger {
    const char *operation, *suffix;
    void (*act)(memory_host *m);
    unsigned hits;
    bool always;
} trigger;

static void hook(void *ctx, memory_host *m, const char *operation, const char *path) {
    trigger *t = ctx;
    if (strcmp(operation, t->operation) != 0 || !cs_text_ends_with_ascii_case(path, t->suffix)) return;
    if (t->hits++ == 0 || t->always) t->act(m);
}

static void kill_now(memory_host *m) { memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_KILL, 1117); }

/* Runs the scenario up to that call. */
static memory_host *killed_at(fixture_scenario scenario, const char *operation, const char *suffix) {
    memory_host *m = fixture_machine(scenario);
    trigger t = {operation, suffix, kill_now, 0, false};
    cs_error error = {0};
    memory_host_hook(m, hook, &t);
    assert_int_not_equal(fixture_run(m, scenario, &error), CS_OK);
    assert_int_equal(t.hits > 0, 1);
    assert_int_equal(memory_host_restart(m), 0);
    return m;
}

static cs_status run_with(memory_host *m, fixture_scenario scenario, trigger *t, cs_error *error) {
    *error = (cs_error){0};
    memory_host_hook(m, hook, t);
    cs_status status = fixture_run(m, scenario, error);
    assert_true(t->hits > 0);
    assert_int_equal(memory_host_restart(m), 0);
    return status;
}

static void recover_ok(memory_host *m) {
    cs_error error = {0};
    bool did_work;
    cs_status status = fixture_recover(m, &did_work, &error);
    if (status != CS_OK) {
        char text[1024];
        cs_error_text(&error, text, sizeof text);
        fail_msg("recovery: %s", text);
    }
    memory_host_trace(m, true);
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
    assert_string_equal(memory_host_trace_text(m), "");
    memory_host_trace(m, false);
}

/* ---- between crash and recovery ---- */

static void test_transaction_users_replaced_file_is_kept(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_OVER_OURS, "rename", "\\committed");
    memory_host_text(m, FIXTURE_DLL, "somebody's");
    recover_ok(m);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "somebody's");
    assert_string_equal(memory_host_content(m, TX_SECOND "\\old\\00"), "file 0 of 8.0.2");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "file 1 of 8.0.2");
    assert_false(memory_host_exists(m, TX_SECOND "\\new"));
    assert_false(memory_host_exists(m, TX_SECOND "\\mark"));
    memory_host_free(m);
}

static void test_transaction_users_identical_copy_is_theirs(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    memory_host_text(m, FIXTURE_LIB, "file 2 of 8.0.2");
    cs_file_info mine, found;
    assert_true(memory_host_info(m, FIXTURE_LIB, &mine));
    recover_ok(m);
    assert_true(memory_host_info(m, FIXTURE_LIB, &found));
    assert_true(cs_file_id_equal(&mine.id, &found.id));
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    memory_host_free(m);
}

static void test_transaction_users_deleted_file_lets_the_old_one_back(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    memory_host_free(m);
    m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    assert_true(memory_host_delete(m, FIXTURE_HEADER));
    recover_ok(m);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

static void test_transaction_users_created_file_is_kept(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "new\\02 -> " FIXTURE_LIB);
    memory_host_text(m, FIXTURE_LIB, "somebody's");
    recover_ok(m);
    assert_string_equal(memory_host_content(m, FIXTURE_LIB), "somebody's");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "an older header");
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup"));
    memory_host_free(m);
}

static void test_transaction_users_path_edit_survives_the_undo(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    memory_host_reg_text(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ,
                         "C:\\First;" FIXTURE_TREE "\\bin;%SystemRoot%\\system32;%SystemRoot%;C:\\Tools;C:\\Last");
    recover_ok(m);
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"),
                        "C:\\First;%SystemRoot%\\system32;%SystemRoot%;C:\\Tools;C:\\Last");
    assert_null(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1"));
    memory_host_free(m);
}

static void test_transaction_users_deleted_private_folder_does_not_stop_recovery(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    assert_true(memory_host_delete(m, FIXTURE_TREE "\\.cudnn-setup"));
    recover_ok(m);
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    assert_false(memory_host_exists(m, FIXTURE_HEADER)); /* its only copy was deleted with the folder */
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup"));
    memory_host_free(m);
}

static void test_transaction_users_deleted_tree_still_frees_the_registry(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    assert_true(memory_host_delete(m, FIXTURE_TREE));
    recover_ok(m);
    assert_null(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1"));
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"),
                        "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools");
    char *left = memory_host_dump(m, FIXTURE_STATE);
    assert_memory_equal(left, "lock ", 5);
    assert_null(strchr(strchr(left, '\n') + 1, '\n'));
    free(left);
    assert_false(memory_host_exists(m, FIXTURE_TREE));
    memory_host_free(m);
}

static void test_transaction_users_new_tree_at_the_path_is_somebody_elses(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    assert_true(memory_host_delete(m, FIXTURE_TREE));
    memory_host_text(m, FIXTURE_DLL, "another installation's");
    recover_ok(m);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "another installation's");
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"),
                        "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools");
    memory_host_free(m);
}

static void test_transaction_users_absent_drive_waits(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    memory_host_free(m);
    m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    char *crashed = fixture_state(m);
    memory_host_unplug(m, "D:", true);
    cs_error error = {0};
    bool did_work;
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_E_PENDING);
    memory_host_unplug(m, "D:", false);
    char *found = fixture_state(m);
    assert_string_equal(crashed, found);
    recover_ok(m);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(crashed);
    free(found);
    free(after);
    memory_host_free(m);
}

static void test_transaction_users_swapped_folder_is_refused(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    memory_host_text(m, "D:\\elsewhere\\cudnn64_8.dll", "a victim");
    assert_true(memory_host_move(m, FIXTURE_TREE "\\bin", FIXTURE_TREE "\\bin.aside"));
    memory_host_link(m, FIXTURE_TREE "\\bin", "D:\\elsewhere");
    cs_error error = {0};
    bool did_work;
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_E_PENDING);
    assert_string_equal(memory_host_content(m, "D:\\elsewhere\\cudnn64_8.dll"), "a victim");
    memory_host_free(m);
}

/* ---- while it runs ---- */

static void put_dll(memory_host *m) { assert_true(memory_host_text(m, FIXTURE_DLL, "somebody's")); }

static void test_transaction_users_file_that_appears_is_never_replaced(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    trigger t = {"rename", "new\\00 -> " FIXTURE_DLL, put_dll, 0, false};
    cs_error error;
    assert_int_equal(run_with(m, FIXTURE_FRESH, &t, &error), CS_E_EXISTS);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "somebody's");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "an older header");
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\lib"));
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup"));
    memory_host_free(m);
}

static void test_transaction_users_change_after_the_plan_stops_before_the_journal(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_OVER_OURS);
    trigger t = {"open move", "\\bin\\cudnn64_8.dll", put_dll, 0, false};
    cs_error error;
    assert_int_equal(run_with(m, FIXTURE_OVER_OURS, &t, &error), CS_E_CHANGED);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "somebody's");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "file 1 of 8.0.2");
    assert_false(memory_host_exists(m, TX_SECOND));
    memory_host_free(m);
}

static void edit_path(memory_host *m) { memory_host_reg_text(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, "C:\\Other"); }

static unsigned path_reads;
static void edit_path_late(memory_host *m) {
    if (++path_reads == 3) edit_path(m); /* read by the plan, by the check, and now before the write */
}

static void test_transaction_users_path_change_while_it_runs_is_undone_around(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    trigger t = {"reg read", "\\Path", edit_path_late, 0, true};
    cs_error error;
    path_reads = 0;
    assert_int_equal(run_with(m, FIXTURE_FRESH, &t, &error), CS_E_FAILED);
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), "C:\\Other");
    assert_null(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1"));
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    memory_host_free(m);
}

static void test_transaction_users_open_file_is_waited_for_and_reported(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_OVER_OURS);
    char *before = fixture_public(m);
    cs_file *held = memory_host_hold(m, FIXTURE_DLL, CS_OPEN_READ);
    cs_error error = {0};
    assert_int_equal(fixture_run(m, FIXTURE_OVER_OURS, &error), CS_E_SHARING);
    assert_int_equal(memory_host_system(m)->slept_ms, 5000);
    memory_host_seam(m)->fs->close(memory_host_seam(m)->fs->ctx, held);
    char *after = fixture_public(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

static void test_transaction_users_loaded_file_is_dropped_by_a_later_run(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    cs_error error = {0};
    assert_int_equal(fixture_run(m, FIXTURE_FRESH, &error), CS_OK);
    memory_host_map(m, FIXTURE_DLL, true);
    assert_int_equal(fixture_run(m, FIXTURE_UNINSTALL, &error), CS_OK);
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    assert_true(memory_host_exists(m, TX_SECOND "\\old\\00"));
    recover_ok(m); /* still loaded: nothing happens, and nothing is pending */
    assert_true(memory_host_exists(m, TX_SECOND "\\old\\00"));
    memory_host_map(m, TX_SECOND "\\old\\00", false);
    recover_ok(m);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

/* ---- records ---- */

static char *find_journal(memory_host *m) {
    char *names = memory_host_dump(m, FIXTURE_STATE);
    char *end = strstr(names, "\\journal ");
    assert_non_null(end);
    char *start = end;
    while (start > names && start[-1] != '\n') start--;
    char *path = calloc(512, 1);
    assert_non_null(path);
    snprintf(path, 512, "%s\\%.*s\\journal", FIXTURE_STATE, (int)(end - start), start);
    free(names);
    return path;
}

/* Recovery says 1604 and touches nothing. */
static void expect_untouched(memory_host *m) {
    char *before = fixture_state(m);
    cs_error error = {0};
    bool did_work;
    memory_host_trace(m, true);
    assert_int_equal(fixture_recover(m, &did_work, &error), CS_E_PENDING);
    if (strstr(memory_host_trace_text(m), "service")) fail_msg("the service was touched");
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(fixture_run(m, FIXTURE_OVER_OURS, &error), CS_E_PENDING);
}

static void test_transaction_users_tampered_journal_is_not_acted_upon(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    char *path = find_journal(m);
    cs_file_info info;
    assert_true(memory_host_info(m, path, &info));
    for (size_t at = 0; at < info.size; at += 97) {
        memory_host *copy = memory_host_clone(m);
        memory_host_flip(copy, path, at);
        expect_untouched(copy);
        memory_host_free(copy);
    }
    free(path);
    memory_host_free(m);
}

static void test_transaction_users_torn_journal_is_not_acted_upon(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    char *path = find_journal(m);
    char *text = calloc(strlen(memory_host_content(m, path)) + 1, 1);
    assert_non_null(text);
    memcpy(text, memory_host_content(m, path), strlen(memory_host_content(m, path)));
    static const size_t sizes[] = {0, 1, 20, 86, 500};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memory_host_file(m, path, text, sizes[i]);
        expect_untouched(m);
    }
    free(text);
    free(path);
    memory_host_free(m);
}

static void test_transaction_users_newer_format_is_left_to_the_newer_program(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    char *path = find_journal(m);
    memory_host_text(m, path, "{\"format\":2,\"something\":\"else\"}");
    expect_untouched(m);
    free(path);
    memory_host_free(m);
}

static void test_transaction_users_two_records_at_once_are_not_acted_upon(void **state) {
    (void)state;
    memory_host *m = killed_at(FIXTURE_FRESH, "rename", "\\committed");
    char *path = find_journal(m);
    char other[600];
    snprintf(other, sizeof other, "%.*sundone", (int)(strlen(path) - strlen("journal")), path);
    memory_host_text(m, other, memory_host_content(m, path));
    expect_untouched(m);
    free(path);
    memory_host_free(m);
}

static void test_transaction_users_unfinished_journal_file_is_deleted_unread(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    memory_host_free(m);
    m = killed_at(FIXTURE_FRESH, "flush", "\\journal.tmp");
    recover_ok(m);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

/* ---- the commit ---- */

static bool committed;
static void after_commit(void *ctx, memory_host *m, const char *operation, const char *path) {
    (void)ctx;
    if (strcmp(operation, "rename") == 0 && cs_text_ends_with_ascii_case(path, "\\committed")) committed = true;
    if (committed && strcmp(operation, "flush") == 0) memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_ONCE, 1117);
}

static void test_transaction_users_failed_flush_of_the_commit_is_pending(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_UNINSTALL);
    cs_error error = {0};
    committed = false;
    memory_host_hook(m, after_commit, NULL);
    assert_int_equal(fixture_run(m, FIXTURE_UNINSTALL, &error), CS_E_PENDING);
    memory_host_restart(m);
    assert_true(memory_host_exists(m, TX_SECOND "\\old\\00")); /* nothing was dropped yet */
    assert_false(memory_host_exists(m, FIXTURE_DLL));
    recover_ok(m);
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup"));
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "an older header");
    memory_host_free(m);
}

static size_t at(const char *trace, const char *line) {
    const char *found = strstr(trace, line);
    if (!found) fail_msg("no %s in\n%s", line, trace);
    return (size_t)(found - trace);
}

static void test_transaction_users_order_of_durability(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_error error = {0};
    memory_host_trace(m, true);
    assert_int_equal(fixture_run(m, FIXTURE_FRESH, &error), CS_OK);
    const char *t = memory_host_trace_text(m);
    size_t staged = at(t, "flush " TX_FRESH "\\new\\03"), tmp = at(t, "\\journal.tmp\n");
    const char *after_name = strstr(t, "\\journal\n");
    assert_non_null(after_name);
    size_t named = (size_t)(after_name - t), f3 = named + at(after_name, "flush " FIXTURE_STATE "\\lock");
    size_t reserve = at(t, "\\reserve\n"), service = at(t, "service on"), folders = at(t, "make folder " FIXTURE_TREE "\\lib\n");
    size_t away = at(t, "rename " FIXTURE_HEADER " -> "), arrive = at(t, "-> " FIXTURE_DLL);
    const char *after_away = t + away;
    size_t barrier = away + at(after_away, "flush " TX_FRESH "\\mark");
    size_t value = at(t, "reg write " CS_KEY_ENVIRONMENT "\\Path"), hive = at(t, "reg flush " CS_KEY_ENVIRONMENT);
    size_t commit = at(t, "\\committed\n"), f5 = commit + at(t + commit, "flush " FIXTURE_STATE "\\lock");
    size_t head = at(t, "\\head\n");
    const size_t order[] = {staged,  tmp,    named, f3,   reserve, service, folders, away,
                            barrier, arrive, value, hive, commit,  f5,      head};
    for (size_t i = 1; i < sizeof order / sizeof order[0]; i++)
        if (order[i - 1] >= order[i]) fail_msg("step %zu comes before step %zu in\n%s", i, i - 1, t);
    memory_host_free(m);
}

/* ---- no space ---- */

static void test_transaction_users_recovery_needs_no_space(void **state) {
    (void)state;
    memory_host *base = fixture_machine(FIXTURE_OVER_OURS);
    char *before = fixture_state(base);
    memory_host *m = memory_host_clone(base);
    cs_error error = {0};
    assert_int_equal(fixture_run(m, FIXTURE_OVER_OURS, &error), CS_OK);
    unsigned long calls = memory_host_calls(m);
    char *after = fixture_state(m);
    memory_host_free(m);
    for (unsigned long call = 1; call <= calls; call += 3) {
        bool did_work;
        m = memory_host_clone(base);
        memory_host_fail_at(m, call, MEMORY_BEFORE, MEMORY_KILL, 1117);
        fixture_run(m, FIXTURE_OVER_OURS, &error);
        memory_host_restart(m);
        memory_host_full(m, true);
        assert_int_equal(fixture_recover(m, &did_work, &error), CS_OK);
        char *found = fixture_state(m);
        if (strcmp(found, before) != 0) assert_string_equal(found, after);
        free(found);
        memory_host_free(m);
    }
    free(before);
    free(after);
    memory_host_free(base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction_users_replaced_file_is_kept),
        cmocka_unit_test(test_transaction_users_identical_copy_is_theirs),
        cmocka_unit_test(test_transaction_users_deleted_file_lets_the_old_one_back),
        cmocka_unit_test(test_transaction_users_created_file_is_kept),
        cmocka_unit_test(test_transaction_users_path_edit_survives_the_undo),
        cmocka_unit_test(test_transaction_users_deleted_private_folder_does_not_stop_recovery),
        cmocka_unit_test(test_transaction_users_deleted_tree_still_frees_the_registry),
        cmocka_unit_test(test_transaction_users_new_tree_at_the_path_is_somebody_elses),
        cmocka_unit_test(test_transaction_users_absent_drive_waits),
        cmocka_unit_test(test_transaction_users_swapped_folder_is_refused),
        cmocka_unit_test(test_transaction_users_file_that_appears_is_never_replaced),
        cmocka_unit_test(test_transaction_users_change_after_the_plan_stops_before_the_journal),
        cmocka_unit_test(test_transaction_users_path_change_while_it_runs_is_undone_around),
        cmocka_unit_test(test_transaction_users_open_file_is_waited_for_and_reported),
        cmocka_unit_test(test_transaction_users_loaded_file_is_dropped_by_a_later_run),
        cmocka_unit_test(test_transaction_users_tampered_journal_is_not_acted_upon),
        cmocka_unit_test(test_transaction_users_torn_journal_is_not_acted_upon),
        cmocka_unit_test(test_transaction_users_newer_format_is_left_to_the_newer_program),
        cmocka_unit_test(test_transaction_users_two_records_at_once_are_not_acted_upon),
        cmocka_unit_test(test_transaction_users_unfinished_journal_file_is_deleted_unread),
        cmocka_unit_test(test_transaction_users_failed_flush_of_the_commit_is_pending),
        cmocka_unit_test(test_transaction_users_order_of_durability),
        cmocka_unit_test(test_transaction_users_recovery_needs_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
