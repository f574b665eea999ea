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

/* A first installation that ended just before that call. */
static memory_host *killed_at(const char *operation, const char *suffix) {
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    const char *at[] = {operation, suffix};
    cs_error error = {0};
    memory_host_hook(m, kill_at, at);
    assert_int_not_equal(fixture_run(m, FIXTURE_FRESH, &error), CS_OK);
    assert_true(memory_host_failed(m));
    assert_int_equal(memory_host_restart(m), 0);
    return m;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction_places_folder_at_a_target_is_kept),
        cmocka_unit_test(test_transaction_places_folder_at_a_private_name_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
