#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/programs.h"
#include "verb_case.h"

static void begin_installed(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(c, "p803"), 0);
}

static void test_verify_of_a_whole_installation_is_0(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    char *before = memory_host_dump(c.machine, "C:");
    memory_host_trace(c.machine, true);
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_string_equal(memory_host_trace_text(c.machine), "");
    assert_int_equal(c.outcome.file_count, VERB_ROWS);
    for (size_t i = 0; i < VERB_ROWS; i++) assert_string_equal(verb_case_state(&c, verb_targets[i]), "ok");
    assert_int_equal(c.outcome.trust.kind, CS_TRUST_PINNED);
    assert_string_equal(cs_buffer_string(&c.outcome.message),
                        "All 6 files and our environment values are as installed (sample).");
    char *after = memory_host_dump(c.machine, "C:");
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_verify_of_a_folder_in_place_of_a_file_differs(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_delete(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll");
    memory_host_folder(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll");
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "differs");
    verb_case_end(&c);
}

static void test_verify_and_the_others_tell_the_trust(void **state) {
    (void)state;
    static const cs_operation verbs[] = {cs_verify, cs_repair, cs_rollback};
    verb_case c;
    begin_installed(&c);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        assert_int_equal(verb_case_run(&c, verbs[i]), 0);
        assert_true(verb_case_told(&c, "note trust: Trust: the archive as a whole, SHA-256 "));
        assert_true(verb_case_told(&c, ", named by a manifest given by /manifest, SHA-256 ")); /* not ours: the caller's word */
    }
    verb_case_end(&c);
}

static void test_verify_names_the_file_with_one_flipped_byte(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_flip(c.machine, VERB_TREE "\\bin\\cudnn_ops_infer64_8.dll", 0);
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_int_equal(c.outcome.result, CS_RESULT_DIFFERS);
    assert_string_equal(verb_case_state(&c, "bin/cudnn_ops_infer64_8.dll"), "differs");
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "ok");
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "1 of 6 files"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "bin/cudnn_ops_infer64_8.dll differs"));
    verb_case_end(&c);
}

static void test_verify_of_a_missing_file_names_the_quarantine(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_delete(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll");
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "missing");
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "quarantine"));
    verb_case_end(&c);
}

static void test_verify_of_a_longer_file_needs_no_hash(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    verb_case_put(&c, "include/cudnn.h", "a much longer text than the one that was installed there in the first place");
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "differs");
    verb_case_end(&c);
}

static void test_verify_reports_a_changed_environment_value(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "C:\\nowhere");
    assert_int_equal(verb_case_run(&c, cs_verify), 13);
    assert_int_equal(c.outcome.value_count, 1);
    assert_string_equal(c.outcome.values[0].name, "CUDA_PATH");
    assert_string_equal(c.outcome.values[0].old_text, "C:\\nowhere");
    assert_string_equal(c.outcome.values[0].new_text, VERB_TREE);
    verb_case_end(&c);
}

static void test_verify_ignores_values_that_are_not_ours(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    c.options.env = CS_ENV_NONE;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "C:\\nowhere");
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    verb_case_end(&c);
}

/* The process ends at one call of the seam, counted from the start of an installation. */
static bool kill_at(verb_case *c, unsigned long n) {
    memory_host_fail_at(c->machine, n, MEMORY_BEFORE, MEMORY_KILL, 5);
    c->options.archive = VERB_MEDIA "\\p803.zip";
    c->options.manifest = VERB_MEDIA "\\p803.json";
    cs_install(c->host, &c->options, &c->outcome);
    c->options.archive = c->options.manifest = NULL;
    bool struck = memory_host_failed(c->machine);
    memory_host_restart(c->machine);
    return struck;
}

static bool has_journal(verb_case *c) {
    char *dump = memory_host_dump(c->machine, VERB_P "\\state");
    bool found = strstr(dump, "\\journal|") || strstr(dump, "\\journal ") || strstr(dump, "\\journal\t");
    free(dump);
    return found;
}

static void test_verify_with_pending_work_is_1604(void **state) {
    (void)state;
    unsigned pending = 0;
    for (unsigned long n = 1; n < 2000; n += 7) {
        verb_case c;
        verb_case_begin(&c);
        verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
        bool struck = kill_at(&c, n);
        if (struck && has_journal(&c)) {
            pending++;
            assert_int_equal(verb_case_run(&c, cs_verify), 1604);
            assert_int_equal(c.outcome.result, CS_RESULT_PENDING);
            assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "/recover"));
            assert_int_equal(verb_case_run(&c, cs_recover), 0);
            assert_int_equal(c.outcome.result, CS_RESULT_DONE);
            int code = verb_case_run(&c, cs_verify);
            assert_true(code == 0 || code == 1605);
        }
        verb_case_end(&c);
        if (!struck) break;
    }
    assert_true(pending > 3);
}

static void test_verify_killed_anywhere_then_recovered_is_before_or_after(void **state) {
    (void)state;
    unsigned before_count = 0, after_count = 0;
    for (unsigned long n = 1; n < 2000; n += 5) {
        verb_case c;
        verb_case_begin(&c);
        verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
        verb_case_put(&c, "include/cudnn.h", "older header");
        char *before = verb_case_dump(&c);
        bool struck = kill_at(&c, n);
        assert_int_equal(verb_case_run(&c, cs_recover), 0);
        int code = verb_case_run(&c, cs_verify);
        if (code == 0) {
            after_count++;
            assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
        } else {
            before_count++;
            assert_int_equal(code, 1605);
        }
        char *after = verb_case_dump(&c);
        assert_string_equal(before, after);
        verb_case_assert_clean(&c);
        free(before), free(after);
        verb_case_end(&c);
        if (!struck) break;
    }
    assert_true(before_count > 5);
    assert_true(after_count > 1);
}

static void note_environment(verb_case *c, char out[512]) {
    static const char *const names[] = {"Path", "CUDA_PATH", "CUDA_PATH_V10_1"};
    *out = '\0';
    for (size_t i = 0; i < 3; i++) {
        const char *text = memory_host_reg_get(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, names[i]);
        size_t size = strlen(out);
        snprintf(out + size, 512 - size, "%s=%s\n", names[i], text ? text : "(absent)");
    }
}

/* An installation ends at call n; then a verb begins by recovering. True if that changed the environment; it is told then, once,
 * and only then. */
static bool recover_tells(unsigned long n, cs_operation verb, bool *struck) {
    verb_case c;
    char before[512], after[512];
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    *struck = kill_at(&c, n);
    note_environment(&c, before);
    unsigned told = memory_host_system(c.machine)->broadcasts;
    verb_case_run(&c, verb);
    note_environment(&c, after);
    bool changed = strcmp(before, after) != 0;
    assert_int_equal(memory_host_system(c.machine)->broadcasts - told, changed ? 1 : 0);
    verb_case_end(&c);
    return changed;
}

static void test_verify_recovery_tells_of_the_environment(void **state) {
    (void)state;
    unsigned changed = 0;
    bool struck = true;
    for (unsigned long n = 1; struck && n < 2000; n += 3) {
        if (!recover_tells(n, cs_recover, &struck)) continue;
        changed++;
        assert_true(recover_tells(n, cs_rollback, &struck)); /* nothing installed is left to roll back: recovery alone */
    }
    assert_true(changed > 3);
}

static void test_verify_without_rights_reads_the_readable_copy(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_system(c.machine)->administrator = false;
    memory_host_fail_on(c.machine, "list", "\\cudnn-setup\\state", MEMORY_BEFORE, 5);
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_int_equal(c.outcome.file_count, VERB_ROWS);
    memory_host_system(c.machine)->service = true; /* the only sign of pending work that anybody may see */
    assert_int_equal(verb_case_run(&c, cs_verify), 1604);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify_of_a_whole_installation_is_0),
        cmocka_unit_test(test_verify_of_a_folder_in_place_of_a_file_differs),
        cmocka_unit_test(test_verify_and_the_others_tell_the_trust),
        cmocka_unit_test(test_verify_names_the_file_with_one_flipped_byte),
        cmocka_unit_test(test_verify_of_a_missing_file_names_the_quarantine),
        cmocka_unit_test(test_verify_of_a_longer_file_needs_no_hash),
        cmocka_unit_test(test_verify_reports_a_changed_environment_value),
        cmocka_unit_test(test_verify_ignores_values_that_are_not_ours),
        cmocka_unit_test(test_verify_with_pending_work_is_1604),
        cmocka_unit_test(test_verify_killed_anywhere_then_recovered_is_before_or_after),
        cmocka_unit_test(test_verify_recovery_tells_of_the_environment),
        cmocka_unit_test(test_verify_without_rights_reads_the_readable_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
