/* Every call of the seam fails, before and after doing; the process ends at every call; people act in between. Whatever happens,
 * the next run ends in exactly the state before or exactly the state after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/buffer.h"
#include "engine_fixture.h"

/* A scenario with its two ends. */
typedef struct ends {
    fixture_scenario scenario;
    memory_host *base;
    char *before, *after;
    unsigned long calls;
} ends;

static ends make_ends(fixture_scenario scenario) {
    ends e = {.scenario = scenario, .base = fixture_machine(scenario)};
    e.before = fixture_state(e.base);
    memory_host *m = memory_host_clone(e.base);
    cs_error error = {0};
    if (fixture_run(m, scenario, &error) != CS_OK) fail_msg("%s does not run", fixture_name(scenario));
    e.calls = memory_host_calls(m);
    e.after = fixture_state(m);
    assert_string_not_equal(e.before, e.after);
    memory_host_free(m);
    return e;
}

static void free_ends(ends *e) {
    memory_host_free(e->base);
    free(e->before);
    free(e->after);
}

/* What went wrong, where: for the message of a failed test. */
typedef struct place {
    const ends *e;
    unsigned long call;
    const char *how;
    uint32_t code;
    cs_status status;
    const cs_error *error;
} place;

static void complain(const place *p, const char *what, const char *state) {
    char text[2048] = "";
    if (p->error) cs_error_text(p->error, text, sizeof text);
    fprintf(stderr, "%s, call %lu, %s %u: status %d (%s): %s\n", fixture_name(p->e->scenario), p->call, p->how, (unsigned)p->code,
            (int)p->status, text, what);
    if (state) fprintf(stderr, "--- before\n%s--- after\n%s--- found\n%s", p->e->before, p->e->after, state);
    fail_msg("%s", what);
}

/* Recovers and checks that the machine is at one of its two ends, and that recovering once more writes nothing. */
static bool recover_to_an_end(memory_host *m, const place *p) {
    cs_error error = {0};
    bool did_work;
    if (fixture_recover(m, &did_work, &error) != CS_OK) {
        place q = *p;
        q.error = &error;
        complain(&q, "recovery does not finish", NULL);
    }
    char *state = fixture_state(m);
    bool is_before = strcmp(state, p->e->before) == 0, is_after = strcmp(state, p->e->after) == 0;
    if (!is_before && !is_after) complain(p, "neither before nor after", state);
    free(state);
    memory_host_trace(m, true);
    if (fixture_recover(m, &did_work, &error) != CS_OK) complain(p, "a second recovery fails", NULL);
    if (did_work || memory_host_trace_text(m)[0]) complain(p, "a second recovery writes", memory_host_trace_text(m));
    if (memory_host_system(m)->service) complain(p, "the recovery service is still on", NULL);
    return is_after;
}

/* ---- faults ---- */

static void check_fault(const ends *e, unsigned long call, memory_when when, memory_span span, uint32_t code) {
    memory_host *m = memory_host_clone(e->base);
    cs_error error = {0};
    memory_host_fail_at(m, call, when, span, code);
    cs_status status = fixture_run(m, e->scenario, &error);
    place p = {e, call, when == MEMORY_BEFORE ? "before" : "after", code, status, &error};
    if (memory_host_restart(m)) complain(&p, "files are left open", NULL);
    if (status != CS_OK && error.status != status) complain(&p, "the error says something else", NULL);
    char *visible = fixture_public(m);
    bool is_after = recover_to_an_end(m, &p);
    char *settled = fixture_public(m);
    if (status == CS_OK && !is_after) complain(&p, "success was reported, and the state is the one before", NULL);
    if (status != CS_OK && status != CS_E_PENDING && is_after)
        complain(&p, "failure was reported, and the state is the one after", NULL);
    if (status != CS_OK && status != CS_E_PENDING && strcmp(visible, settled) != 0)
        complain(&p, "failure was reported, and not everything was as before", visible);
    free(visible);
    free(settled);
    memory_host_free(m);
}

/* every: each call meets each kind; else the kinds take turns, and all calls meet a few. */
static void check_faults(fixture_scenario scenario, bool every) {
    static const struct {
        memory_when when;
        memory_span span;
        uint32_t code;
    } kinds[] = {
        {MEMORY_BEFORE, MEMORY_FOR_GOOD, 5},    {MEMORY_AFTER, MEMORY_FOR_GOOD, 5}, {MEMORY_BEFORE, MEMORY_ONCE, 32},
        {MEMORY_AFTER, MEMORY_ONCE, 32},        {MEMORY_BEFORE, MEMORY_ONCE, 112},  {MEMORY_AFTER, MEMORY_ONCE, 112},
        {MEMORY_BEFORE, MEMORY_FOR_GOOD, 1117}, {MEMORY_AFTER, MEMORY_ONCE, 1117},  {MEMORY_BEFORE, MEMORY_ONCE, 23},
        {MEMORY_BEFORE, MEMORY_ONCE, 183},
    };
    ends e = make_ends(scenario);
    for (unsigned long call = 1; call <= e.calls; call++)
        for (size_t k = every ? 0 : call % 4; k < sizeof kinds / sizeof kinds[0]; k += every ? 1 : 4)
            check_fault(&e, call, kinds[k].when, kinds[k].span, kinds[k].code);
    free_ends(&e);
}

static void test_recover_fault_fresh(void **state) {
    (void)state;
    check_faults(FIXTURE_FRESH, true);
}

static void test_recover_fault_over_ours(void **state) {
    (void)state;
    check_faults(FIXTURE_OVER_OURS, false);
}

static void test_recover_fault_uninstall(void **state) {
    (void)state;
    check_faults(FIXTURE_UNINSTALL, false);
}

static void test_recover_fault_rollback(void **state) {
    (void)state;
    check_faults(FIXTURE_ROLLBACK, false);
}

static void test_recover_fault_repair(void **state) {
    (void)state;
    check_faults(FIXTURE_REPAIR, false);
}

static void test_recover_fault_gone(void **state) {
    (void)state;
    check_faults(FIXTURE_GONE, false);
}

/* ---- kills ---- */

static memory_host *killed_run(const ends *e, unsigned long call) {
    memory_host *m = memory_host_clone(e->base);
    cs_error error = {0};
    memory_host_fail_at(m, call, MEMORY_BEFORE, MEMORY_KILL, 1117);
    fixture_run(m, e->scenario, &error);
    memory_host_restart(m);
    return m;
}

static void test_recover_kill_at_every_call(void **state) {
    (void)state;
    for (fixture_scenario s = 0; s < FIXTURE_SCENARIOS; s++) {
        ends e = make_ends(s);
        unsigned long befores = 0, afters = 0;
        for (unsigned long call = 1; call <= e.calls; call++) {
            memory_host *m = killed_run(&e, call);
            place p = {&e, call, "killed", 0, CS_OK, NULL};
            if (recover_to_an_end(m, &p))
                afters++;
            else
                befores++;
            memory_host_free(m);
        }
        assert_true(befores > 0 && afters > 0);
        free_ends(&e);
    }
}

/* The recovery is killed as well, at each of its calls. */
static void kill_recovery(const ends *e, unsigned long call) {
    memory_host *crashed = killed_run(e, call);
    for (unsigned long n = 1;; n++) {
        memory_host *m = memory_host_clone(crashed);
        cs_error error = {0};
        bool did_work;
        memory_host_fail_at(m, n, MEMORY_BEFORE, MEMORY_KILL, 1117);
        fixture_recover(m, &did_work, &error);
        bool struck = memory_host_failed(m);
        memory_host_restart(m);
        place p = {e, call, "recovery killed at", (uint32_t)n, CS_OK, NULL};
        recover_to_an_end(m, &p);
        memory_host_free(m);
        if (!struck) break;
    }
    memory_host_free(crashed);
}

static void test_recover_kill_in_recovery(void **state) {
    (void)state;
    for (fixture_scenario s = 0; s < FIXTURE_SCENARIOS; s++) {
        ends e = make_ends(s);
        for (unsigned long call = 1 + (unsigned long)s; call <= e.calls; call += 61) kill_recovery(&e, call);
        free_ends(&e);
    }
}

/* ---- memory ---- */

static void test_recover_out_of_memory(void **state) {
    (void)state;
    static const fixture_scenario scenarios[] = {FIXTURE_OVER_OURS, FIXTURE_UNINSTALL};
    for (size_t s = 0; s < 2; s++) {
        ends e = make_ends(scenarios[s]);
        cs_status status = CS_E_NO_MEMORY;
        for (unsigned long n = 1; status != CS_OK || n < 50; n++) {
            memory_host *m = memory_host_clone(e.base);
            cs_error error = {0};
            cs_alloc_fail_at(n);
            status = fixture_run(m, scenarios[s], &error);
            cs_alloc_fail_at(0);
            place p = {&e, n, "out of memory", 0, status, &error};
            if (memory_host_restart(m)) complain(&p, "files are left open", NULL);
            bool is_after = recover_to_an_end(m, &p);
            if (status == CS_OK && !is_after) complain(&p, "success without the state after", NULL);
            if (status != CS_OK && status != CS_E_PENDING && is_after) complain(&p, "failure with the state after", NULL);
            memory_host_free(m);
            assert_true(n < 20000);
        }
        free_ends(&e);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recover_kill_at_every_call), cmocka_unit_test(test_recover_kill_in_recovery),
        cmocka_unit_test(test_recover_out_of_memory),      cmocka_unit_test(test_recover_fault_fresh),
        cmocka_unit_test(test_recover_fault_over_ours),    cmocka_unit_test(test_recover_fault_uninstall),
        cmocka_unit_test(test_recover_fault_rollback),     cmocka_unit_test(test_recover_fault_repair),
        cmocka_unit_test(test_recover_fault_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
