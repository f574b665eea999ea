#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine_fixture.h"

static void show(const cs_error *error) {
    char text[2048];
    cs_error_text(error, text, sizeof text);
    fprintf(stderr, "  %s\n", text);
}

static void run_ok(memory_host *m, fixture_scenario scenario) {
    cs_error error = {0};
    cs_status status = fixture_run(m, scenario, &error);
    if (status != CS_OK) show(&error);
    assert_int_equal(status, CS_OK);
    assert_int_equal(memory_host_open_files(m), 0);
}

static void test_transaction_fresh_places_files_and_values(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    run_ok(m, FIXTURE_FRESH);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "file 0 of 8.0.2");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "file 1 of 8.0.2");
    assert_string_equal(memory_host_content(m, FIXTURE_LIB), "file 2 of 8.0.2");
    assert_string_equal(memory_host_reg_get(m, CS_HKLM, CS_KEY_ENVIRONMENT, "PATH"),
                        FIXTURE_TREE "\\bin;%SystemRoot%\\system32;%SystemRoot%;C:\\Tools");
    assert_string_equal(memory_host_content(m, FIXTURE_TREE "\\.cudnn-setup\\11111111111111111111111111111111\\old\\01"),
                        "an older header");
    memory_host_free(m);
}

static void test_transaction_uninstall_gives_everything_back(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    run_ok(m, FIXTURE_FRESH);
    run_ok(m, FIXTURE_UNINSTALL);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

static void test_transaction_rollback_gives_the_older_one_back(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_OVER_OURS);
    char *before = fixture_public(m);
    run_ok(m, FIXTURE_OVER_OURS);
    assert_string_equal(memory_host_content(m, FIXTURE_LIB), "file 2 of 8.0.3");
    run_ok(m, FIXTURE_ROLLBACK);
    char *after = fixture_public(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    memory_host_free(m);
}

static void test_transaction_repair_puts_the_files_back(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_REPAIR);
    run_ok(m, FIXTURE_REPAIR);
    assert_string_equal(memory_host_content(m, FIXTURE_DLL), "file 0 of 8.0.2");
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "file 1 of 8.0.2");
    run_ok(m, FIXTURE_UNINSTALL);
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "an older header");
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction_fresh_places_files_and_values),
        cmocka_unit_test(test_transaction_uninstall_gives_everything_back),
        cmocka_unit_test(test_transaction_rollback_gives_the_older_one_back),
        cmocka_unit_test(test_transaction_repair_puts_the_files_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
