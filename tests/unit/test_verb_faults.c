#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "verb_case.h"

/* One call of the seam or one allocation fails somewhere in a verb. Whatever the exit code then says must be true of the machine,
 * and the machine must end, after /recover and /uninstall, as it was before everything. */

enum { STEP = 3 }; /* every third call: the whole program stays within seconds under the sanitizers */

static bool is_documented(int code) {
    static const int codes[] = {0, 13, 112, 740, 1602, 1603, 1604, 1605, 1618, 1619, 1620, 1633, 1638, 1639, 1642};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] == code) return true;
    return false;
}

static char *begin(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(c, "include/cudnn.h", "older header");
    return verb_case_dump(c);
}

static int run_install(verb_case *c) {
    c->options.archive = VERB_MEDIA "\\p803.zip";
    c->options.manifest = VERB_MEDIA "\\p803.json";
    int code = cs_exit_code(cs_install(c->host, &c->options, &c->outcome));
    c->options.archive = c->options.manifest = NULL;
    return code;
}

static int run_uninstall(verb_case *c) { return cs_exit_code(cs_uninstall(c->host, &c->options, &c->outcome)); }

static bool is_whole(verb_case *c, const char *before) {
    char *now = verb_case_dump(c);
    bool same = strcmp(before, now) == 0;
    free(now);
    return same;
}

static void assert_ends_as_before(verb_case *c, const char *before, unsigned long n) {
    assert_int_equal(memory_host_restart(c->machine), 0); /* nothing was left open */
    int code = verb_case_run(c, cs_recover);
    if (code) print_error("fault %lu: recover: %d %s\n", n, code, cs_buffer_string(&c->outcome.message));
    assert_int_equal(code, 0);
    code = verb_case_run(c, cs_uninstall);
    assert_true(code == 0 || code == 1605);
    if (!is_whole(c, before)) {
        char *now = verb_case_dump(c);
        print_error("fault %lu: before:\n%s\nnow:\n%s\n", n, before, now);
        free(now);
    }
    assert_true(is_whole(c, before));
    verb_case_assert_clean(c);
}

static void assert_true_code(verb_case *c, int code, const char *before, unsigned long n, bool installing) {
    if (!is_documented(code)) print_error("fault %lu: exit code %d\n", n, code);
    assert_true(is_documented(code));
    if (code == 0 && installing) assert_string_equal(verb_case_get(c, "include/cudnn.h"), verb_case_content("803", 2));
    if (code != 0 && code != 1604 && installing) {
        if (!is_whole(c, before))
            print_error("fault %lu: %d, but the machine changed: %s\n", n, code, cs_buffer_string(&c->told));
        assert_true(is_whole(c, before)); /* a failure other than 1604 has changed nothing */
    }
}

static void check_install(memory_when when) {
    for (unsigned long n = 1; n < 5000; n += STEP) {
        verb_case c;
        char *before = begin(&c);
        memory_host_fail_at(c.machine, n, when, MEMORY_ONCE, 5);
        int code = run_install(&c);
        bool struck = memory_host_failed(c.machine);
        memory_host_restart(c.machine);
        assert_true_code(&c, code, before, n, true);
        assert_ends_as_before(&c, before, n);
        free(before);
        verb_case_end(&c);
        if (!struck) {
            assert_int_equal(code, 0);
            return;
        }
    }
    fail_msg("never ran to its end");
}

static void test_verb_faults_install_one_call_fails(void **state) {
    (void)state;
    check_install(MEMORY_BEFORE);
}

static void test_verb_faults_install_one_call_fails_after_its_work(void **state) {
    (void)state;
    check_install(MEMORY_AFTER);
}

static void test_verb_faults_uninstall_one_call_fails(void **state) {
    (void)state;
    for (unsigned long n = 1; n < 5000; n += STEP) {
        verb_case c;
        char *before = begin(&c);
        assert_int_equal(run_install(&c), 0);
        cs_outcome_free(&c.outcome);
        memory_host_fail_at(c.machine, n, n % 2 ? MEMORY_BEFORE : MEMORY_AFTER, MEMORY_ONCE, 5);
        int code = run_uninstall(&c);
        bool struck = memory_host_failed(c.machine);
        memory_host_restart(c.machine);
        assert_true_code(&c, code, before, n, false);
        assert_ends_as_before(&c, before, n);
        free(before);
        verb_case_end(&c);
        if (!struck) return;
    }
    fail_msg("never ran to its end");
}

static void test_verb_faults_install_one_allocation_fails(void **state) {
    (void)state;
    for (unsigned long n = 1; n < 20000; n += 17) {
        verb_case c;
        char *before = begin(&c);
        memory_host_events(c.machine, NULL); /* an event that cannot be told is no failure of the verb */
        cs_alloc_fail_at(n);
        int code = run_install(&c);
        cs_alloc_fail_at(0);
        memory_host_events(c.machine, &c.events);
        assert_true_code(&c, code, before, n, true);
        assert_ends_as_before(&c, before, n);
        bool done = code == 0 && n > 3000;
        free(before);
        verb_case_end(&c);
        if (done) return;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verb_faults_install_one_call_fails),
        cmocka_unit_test(test_verb_faults_install_one_call_fails_after_its_work),
        cmocka_unit_test(test_verb_faults_uninstall_one_call_fails),
        cmocka_unit_test(test_verb_faults_install_one_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
