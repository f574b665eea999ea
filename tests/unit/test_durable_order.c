/* What has to be on the disk before the thing that points to it goes. Found by the crash explorer; here as single cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "engine_fixture.h"
#include "verb_case.h"

#define TX_FRESH FIXTURE_TREE "\\.cudnn-setup\\11111111111111111111111111111111"

static void kill_at(void *ctx, memory_host *m, const char *operation, const char *path) {
    const char *const *wanted = ctx;
    size_t size = strlen(path), end = strlen(wanted[1]);
    if (strcmp(operation, wanted[0]) == 0 && size >= end && strcmp(path + size - end, wanted[1]) == 0)
        memory_host_fail_at(m, 0, MEMORY_BEFORE, MEMORY_KILL, 1117);
}

/* A first installation that ends at this call; then the recovery, traced. */
static memory_host *recovered_after(const char *operation, const char *suffix, void (*meddle)(memory_host *m)) {
    const char *wanted[2] = {operation, suffix};
    bool did_work;
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    memory_host_hook(m, kill_at, wanted);
    assert_int_not_equal(fixture_run(m, FIXTURE_FRESH, NULL), CS_OK);
    memory_host_restart(m);
    if (meddle) meddle(m);
    memory_host_trace(m, true);
    assert_int_equal(fixture_recover(m, &did_work, NULL), CS_OK);
    return m;
}

static void assert_before(const char *trace, const char *first, const char *second) {
    const char *one = strstr(trace, first), *two = strstr(trace, second);
    assert_non_null(one);
    assert_non_null(two);
    assert_true(one < two);
}

static void empty_b(memory_host *m) { assert_true(memory_host_delete(m, TX_FRESH)); }

static void test_durable_order_empty_folder_before_intent(void **state) {
    (void)state;
    memory_host *m = recovered_after("create", "journal.tmp", empty_b);
    assert_false(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup"));
    const char *trace = memory_host_trace_text(m), *removal = strstr(trace, "remove folder " FIXTURE_TREE "\\.cudnn-setup\n");
    assert_non_null(removal);
    assert_before(removal, "sync folder " FIXTURE_TREE "\n", "\\intent\n");
    memory_host_free(m);
}

static void put_header(memory_host *m) { assert_true(memory_host_text(m, FIXTURE_HEADER, "somebody's own")); }

/* The old header cannot go back: it stays in B, and what is left of the transaction around it goes for good. */
static void test_durable_order_kept_folder_before_intent(void **state) {
    (void)state;
    memory_host *m = recovered_after("reg write", "CUDA_PATH_V10_1", put_header);
    assert_string_equal(memory_host_content(m, FIXTURE_HEADER), "somebody's own");
    assert_string_equal(memory_host_content(m, TX_FRESH "\\old\\01"), "an older header");
    assert_false(memory_host_exists(m, TX_FRESH "\\new"));
    const char *trace = memory_host_trace_text(m), *removal = strstr(trace, "remove folder " TX_FRESH "\\new\n");
    assert_non_null(removal);
    assert_before(removal, "sync folder " TX_FRESH "\n", "\\intent\n");
    memory_host_free(m);
}

static void test_durable_order_service_off_before_its_program(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    memory_host_trace(c.machine, true);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    const char *off = strstr(memory_host_trace_text(c.machine), "service off\n");
    assert_non_null(off);
    assert_before(off, "reg flush", "remove " VERB_P "\\cudnn-setup.exe\n");
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durable_order_empty_folder_before_intent),
        cmocka_unit_test(test_durable_order_kept_folder_before_intent),
        cmocka_unit_test(test_durable_order_service_off_before_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
