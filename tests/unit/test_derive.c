#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/derive.h"
#include "verb_case.h"

static const char *entry(verb_case *c, const char *value) {
    char key[160];
    snprintf(key, sizeof key, VERB_ENTRIES "%s", c->outcome.tree_id);
    return memory_host_reg_get(c->machine, CS_HKLM, key, value);
}

static void begin_installed(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(c, "p803"), 0);
}

/* Derives once more, as every run does at its end. */
static void derive_again(verb_case *c) {
    cs_session session = {0};
    cs_error error = {0};
    assert_int_equal(cs_session_open(c->host, &session, NULL), CS_OK);
    assert_int_equal(cs_derive(&session, &error), CS_OK);
    cs_session_close(&session);
}

typedef struct letting_go {
    cs_file *file;
} letting_go;

/* A virus scanner closes the file while the run waits for it. */
static void let_go_after_a_while(void *ctx, memory_host *machine, const char *operation, const char *path) {
    letting_go *scanner = ctx;
    (void)operation, (void)path;
    if (!scanner->file || memory_host_system(machine)->slept_ms < 1000) return;
    const cs_fs *fs = memory_host_seam(machine)->fs;
    fs->close(fs->ctx, scanner->file);
    scanner->file = NULL;
}

static void test_derive_writes_the_entry(void **state) {
    (void)state;
    verb_case c;
    char expected[200];
    begin_installed(&c);
    assert_string_equal(entry(&c, "DisplayName"), "cuDNN 8.0.3.33 for CUDA 10.1 (sample)");
    assert_string_equal(entry(&c, "DisplayVersion"), "8.0.3.33");
    assert_string_equal(entry(&c, "InstallLocation"), VERB_TREE);
    assert_string_equal(entry(&c, "Publisher"), "cudnn-setup project");
    snprintf(expected, sizeof expected, "\"" VERB_P "\\cudnn-setup.exe\" /uninstall /tree:%s", c.outcome.tree_id);
    assert_string_equal(entry(&c, "UninstallString"), expected);
    snprintf(expected, sizeof expected, "\"" VERB_P "\\cudnn-setup.exe\" /uninstall /tree:%s /quiet", c.outcome.tree_id);
    assert_string_equal(entry(&c, "QuietUninstallString"), expected);
    char *dump = memory_host_reg_dump(c.machine);
    assert_non_null(strstr(dump, "|EstimatedSize|4|01000000"));
    assert_non_null(strstr(dump, "|NoModify|4|01000000"));
    free(dump);
    verb_case_end(&c);
}

static void test_derive_twice_writes_nothing(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    char *before = memory_host_dump(c.machine, VERB_P), *registry = memory_host_reg_dump(c.machine);
    cs_session session = {0};
    assert_int_equal(cs_session_open(c.host, &session, NULL), CS_OK);
    memory_host_trace(c.machine, true);
    assert_int_equal(cs_derive(&session, NULL), CS_OK);
    assert_string_equal(memory_host_trace_text(c.machine), "");
    cs_session_close(&session);
    char *after = memory_host_dump(c.machine, VERB_P), *registry_after = memory_host_reg_dump(c.machine);
    assert_string_equal(before, after);
    assert_string_equal(registry, registry_after);
    free(before), free(after), free(registry), free(registry_after);
    verb_case_end(&c);
}

static void test_derive_mends_what_somebody_changed(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    char key[160], path[200];
    snprintf(key, sizeof key, VERB_ENTRIES "%s", c.outcome.tree_id);
    snprintf(path, sizeof path, VERB_P "\\status\\%s.json", c.outcome.tree_id);
    memory_host_reg_text(c.machine, CS_HKLM, key, "UninstallString", CS_REG_SZ, "C:\\evil.exe");
    memory_host_delete(c.machine, path);
    derive_again(&c);
    assert_non_null(strstr(entry(&c, "UninstallString"), "cudnn-setup.exe"));
    assert_true(memory_host_exists(c.machine, path));
    verb_case_end(&c);
}

static void test_derive_status_holds_the_stack(void **state) {
    (void)state;
    verb_case c;
    cs_record record = {0};
    cs_session session = {0};
    begin_installed(&c);
    assert_int_equal(cs_session_open_reading(c.host, &session, NULL), CS_OK);
    assert_int_equal(cs_derive_read_status(&session, c.outcome.tree_id, &record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 1);
    assert_int_equal(record.stack[0].row_count, VERB_ROWS);
    assert_int_equal(record.stack[0].reg_count, 2);
    assert_string_equal(record.tree_path, VERB_TREE);
    assert_int_equal(cs_derive_read_status(&session, "00000000000000000000000000000000", &(cs_record){0}, NULL), CS_E_NOTHING);
    cs_record_free(&record);
    cs_session_close(&session);
    verb_case_end(&c);
}

/* Neither a scanner nor a read-only attribute keeps the status from being told. */
static void test_derive_status_is_written_over_a_read_only_one(void **state) {
    (void)state;
    verb_case c;
    char path[256];
    begin_installed(&c);
    snprintf(path, sizeof path, VERB_P "\\status\\%s.json", c.outcome.tree_id);
    memory_host_text(c.machine, path, "not ours");
    assert_true(memory_host_set_info(c.machine, path, 0x1, 0, 0));
    cs_file *scanner = memory_host_hold(c.machine, path, CS_OPEN_READ);
    assert_non_null(scanner);
    letting_go let_go = {.file = scanner};
    memory_host_hook(c.machine, let_go_after_a_while, &let_go);
    derive_again(&c);
    memory_host_hook(c.machine, NULL, NULL);
    assert_null(let_go.file);
    assert_string_not_equal(memory_host_content(c.machine, path), "not ours");
    cs_file_info info;
    assert_true(memory_host_info(c.machine, path, &info));
    assert_int_equal(info.attributes & 0x1, 0);
    verb_case_end(&c);
}

static void test_derive_drops_entries_of_trees_that_are_gone(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    const char *stale = VERB_ENTRIES "0123456789abcdef0123456789abcdef", *theirs = CS_KEY_UNINSTALL "\\cudnn-setup-other";
    memory_host_reg_text(c.machine, CS_HKLM, stale, "DisplayName", CS_REG_SZ, "stale");
    memory_host_reg_text(c.machine, CS_HKLM, theirs, "DisplayName", CS_REG_SZ, "not one of ours");
    memory_host_text(c.machine, VERB_P "\\status\\0123456789abcdef0123456789abcdef.json", "stale");
    memory_host_text(c.machine, VERB_P "\\status\\note.txt", "somebody's");
    derive_again(&c);
    assert_null(memory_host_reg_get(c.machine, CS_HKLM, stale, "DisplayName"));
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, theirs, "DisplayName"), "not one of ours");
    assert_false(memory_host_exists(c.machine, VERB_P "\\status\\0123456789abcdef0123456789abcdef.json"));
    assert_true(memory_host_exists(c.machine, VERB_P "\\status\\note.txt"));
    verb_case_end(&c);
}

static void test_derive_leaves_a_key_with_somebody_elses_value(void **state) {
    (void)state;
    verb_case c;
    char key[160];
    begin_installed(&c);
    snprintf(key, sizeof key, VERB_ENTRIES "%s", c.outcome.tree_id);
    memory_host_reg_text(c.machine, CS_HKLM, key, "Note", CS_REG_SZ, "theirs");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_null(memory_host_reg_get(c.machine, CS_HKLM, key, "DisplayName"));
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, key, "Note"), "theirs");
    verb_case_end(&c);
}

static void test_derive_turns_a_forgotten_service_off(void **state) {
    (void)state;
    verb_case c;
    begin_installed(&c);
    memory_host_system(c.machine)->service = true;
    derive_again(&c);
    assert_false(memory_host_system(c.machine)->service);
    verb_case_end(&c);
}

/* The service helps after a crash only; without it the work goes on. */
static void test_derive_a_service_that_cannot_be_had_is_a_warning(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_fail_on(c.machine, "service", "on", MEMORY_BEFORE, 1072); /* marked for deletion */
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(memory_host_failed(c.machine));
    assert_true(verb_case_told(&c, "warning service.unavailable"));
    assert_string_equal(verb_case_get(&c, verb_targets[0]), verb_case_content("803", 0));
    assert_false(memory_host_system(c.machine)->service);
    verb_case_end(&c);
}

static void test_derive_failure_is_a_warning(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_fail_on(c.machine, "reg write", "DisplayVersion", MEMORY_BEFORE, 5);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(verb_case_told(&c, "warning derive.failed"));
    memory_host_restart(c.machine);
    derive_again(&c);
    assert_string_equal(entry(&c, "DisplayVersion"), "8.0.3.33");
    verb_case_end(&c);
}

/* What the records say cannot be told again then: what was derived stays, and it is said. */
static void test_derive_a_head_that_cannot_be_read_now_is_said(void **state) {
    (void)state;
    verb_case c;
    cs_session session = {0};
    cs_error error = {0};
    begin_installed(&c);
    assert_int_equal(cs_session_open(c.host, &session, NULL), CS_OK);
    memory_host_fail_on(c.machine, "open read", "head", MEMORY_BEFORE, 23);
    assert_int_not_equal(cs_derive(&session, &error), CS_OK);
    assert_true(memory_host_failed(c.machine));
    assert_string_equal(error.path + strlen(error.path) - 4, "head");
    assert_string_equal(entry(&c, "DisplayVersion"), "8.0.3.33");
    cs_session_close(&session);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derive_writes_the_entry),
        cmocka_unit_test(test_derive_twice_writes_nothing),
        cmocka_unit_test(test_derive_mends_what_somebody_changed),
        cmocka_unit_test(test_derive_status_holds_the_stack),
        cmocka_unit_test(test_derive_status_is_written_over_a_read_only_one),
        cmocka_unit_test(test_derive_drops_entries_of_trees_that_are_gone),
        cmocka_unit_test(test_derive_leaves_a_key_with_somebody_elses_value),
        cmocka_unit_test(test_derive_turns_a_forgotten_service_off),
        cmocka_unit_test(test_derive_a_service_that_cannot_be_had_is_a_warning),
        cmocka_unit_test(test_derive_failure_is_a_warning),
        cmocka_unit_test(test_derive_a_head_that_cannot_be_read_now_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
