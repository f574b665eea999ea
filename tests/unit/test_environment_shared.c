/* The environment among other programs: who is told of a change, and what happens when a third program writes to PATH while a run
 * is at work. Rows of the collected reports: P03, P13, P14, P15, P16. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verb_case.h"

#define BIN VERB_TREE "\\bin"

static void begin(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p", "8.0.3.33", 8003, "p", false);
    verb_case_package(c, "q", "8.0.4.30", 8004, "q", false);
}

static memory_system *system_of(verb_case *c) { return memory_host_system(c->machine); }

static const char *path_of(verb_case *c) { return memory_host_reg_get(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"); }

/* ---- telling ---- */

static void test_environment_shared_p16_one_broadcast_after_each_change(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    unsigned *told = &system_of(&c)->broadcasts;
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_int_equal(*told, 1);
    assert_int_equal(system_of(&c)->broadcast_deadline_ms, 5000);
    assert_int_equal(verb_case_install(&c, "p"), 0); /* nothing changes */
    assert_int_equal(*told, 1);
    assert_int_equal(verb_case_install(&c, "q"), 0); /* files change, the environment does not */
    assert_int_equal(*told, 1);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_int_equal(*told, 1);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0); /* of the first: the environment goes back */
    assert_int_equal(*told, 2);
    assert_int_equal(system_of(&c)->broadcast_deadline_ms, 5000);
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_int_equal(*told, 3);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, "C:\\Tools");
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_int_equal(*told, 4);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_int_equal(*told, 5);
    assert_int_equal(system_of(&c)->broadcast_deadline_ms, 5000);
    verb_case_end(&c);
}

/* What PATH was when windows were told. */
static void note_path(void *ctx, memory_host *machine, const char *operation, const char *path) {
    (void)path;
    if (strcmp(operation, "broadcast") != 0) return;
    snprintf(ctx, 512, "%s", memory_host_reg_get(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"));
}

static void test_environment_shared_p16_told_when_it_is_true(void **state) {
    (void)state;
    char seen[512];
    verb_case c;
    begin(&c);
    memory_host_hook(c.machine, note_path, seen);
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_non_null(strstr(seen, BIN));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_null(strstr(seen, BIN));
    verb_case_end(&c);
}

static void test_environment_shared_p14_p15_no_answer_is_a_warning(void **state) {
    (void)state; /* whatever becomes of the broadcast, the installation, rollback and uninstallation are good */
    static const struct {
        cs_broadcast answer;
        bool fails;
        const char *id;
    } rows[] = {{CS_BROADCAST_SOME_HUNG, false, "warning broadcast.hung"},
                {CS_BROADCAST_NEXT_SIGN_IN, false, "warning broadcast.next-sign-in"}, /* session 0: no user's window is there */
                {CS_BROADCAST_SENT, true, "warning broadcast.failed"},
                {CS_BROADCAST_SENT, false, NULL}};
    static cs_status (*const undoing[])(const cs_host *, const cs_options *, cs_outcome *) = {cs_rollback, cs_uninstall};
    for (size_t i = 0; i < 8; i++) {
        verb_case c;
        begin(&c);
        system_of(&c)->broadcast_answer = rows[i / 2].answer;
        if (rows[i / 2].fails) memory_host_fail_on(c.machine, "broadcast", "", MEMORY_BEFORE, 8);
        assert_int_equal(verb_case_install(&c, "p"), 0);
        assert_int_equal(c.outcome.result, CS_RESULT_DONE);
        if (rows[i / 2].id) assert_true(verb_case_told(&c, rows[i / 2].id));
        assert_int_equal(verb_case_run(&c, undoing[i % 2]), 0);
        if (rows[i / 2].id) assert_true(verb_case_told(&c, rows[i / 2].id));
        verb_case_end(&c);
    }
}

static void test_environment_shared_p13_running_programs_keep_the_old(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_true(verb_case_told(&c, "those that run keep the old one"));
    verb_case_end(&c);
}

/* ---- a third program ---- */

typedef struct third {
    unsigned at, seen; /* writes before the at-th read of PATH */
    bool wrote;
} third;

static void write_between(void *ctx, memory_host *machine, const char *operation, const char *path) {
    third *t = ctx;
    size_t size = strlen(path);
    if (strcmp(operation, "reg read") != 0 || size < 5 || strcmp(path + size - 5, "\\Path") != 0 || strstr(path, "HKCU")) return;
    if (++t->seen != t->at) return;
    char text[1024];
    const char *now = memory_host_reg_get(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
    snprintf(text, sizeof text, "%s;E:\\third", now ? now : "");
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, text);
    t->wrote = true;
}

static size_t count_text(const char *text, const char *part) {
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++) count++;
    return count;
}

/* Runs a verb with a third program that writes before each read of PATH in turn; what it wrote is never lost, and ours is there
 * exactly where the run says so. */
static void race(bool install) {
    bool wrote = true;
    unsigned at = 1;
    for (; wrote; at++) {
        verb_case c;
        third t = {.at = at};
        begin(&c);
        if (!install) assert_int_equal(verb_case_install(&c, "p"), 0);
        memory_host_hook(c.machine, write_between, &t);
        int code = install ? verb_case_install(&c, "p") : verb_case_run(&c, cs_uninstall);
        memory_host_hook(c.machine, NULL, NULL);
        wrote = t.wrote;
        if (code != 0 && code != 1603) fail_msg("read %u: exit %d", at, code);
        if (count_text(path_of(&c), "E:\\third") != wrote) fail_msg("read %u: %s", at, path_of(&c));
        bool ours = install ? code == 0 : code != 0;
        if (count_text(path_of(&c), BIN) != ours) fail_msg("read %u, exit %d: %s", at, code, path_of(&c));
        verb_case_end(&c);
    }
    assert_true(at > 3); /* planned, compared before the journal, compared before the write */
}

static void test_environment_shared_p03_third_program_writes_during_an_install(void **state) {
    (void)state;
    race(true);
}

static void test_environment_shared_p03_third_program_writes_during_an_uninstall(void **state) {
    (void)state;
    race(false);
}

static void test_environment_shared_p03_short_reads_write_nothing(void **state) {
    (void)state; /* a read that does not give all of it (ERROR_MORE_DATA): the old bytes are there afterwards */
    verb_case c;
    begin(&c);
    char *before = verb_case_dump(&c);
    memory_host_fail_on(c.machine, "reg read", "\\Path", MEMORY_BEFORE, 234);
    assert_int_equal(verb_case_install(&c, "p"), 1603);
    memory_host_restart(c.machine);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment_shared_p16_one_broadcast_after_each_change),
        cmocka_unit_test(test_environment_shared_p16_told_when_it_is_true),
        cmocka_unit_test(test_environment_shared_p14_p15_no_answer_is_a_warning),
        cmocka_unit_test(test_environment_shared_p13_running_programs_keep_the_old),
        cmocka_unit_test(test_environment_shared_p03_third_program_writes_during_an_install),
        cmocka_unit_test(test_environment_shared_p03_third_program_writes_during_an_uninstall),
        cmocka_unit_test(test_environment_shared_p03_short_reads_write_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
