/* What an installation does to CUDA_PATH, CUDA_PATH_V10_1 and PATH in every starting state; the tables here are the ones of
 * docs/environment.md. Rows of the collected reports: P01, P02, P03, P04, P06, P07, P08, P09, V07, V15, V18, V19, A11. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/text.h"
#include "event_recorder.h"
#include "memory_host.h"

#define TREE     "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"
#define BIN      TREE "\\bin"
#define V11      "C:\\CUDA\\v11.1"
#define OLD_PATH "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools"

typedef struct fixture {
    memory_host *machine;
    const cs_host *host;
    event_recorder events;
    cs_environment_plan plan;
    cs_error error;
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->machine = memory_host_new();
    f->host = memory_host_seam(f->machine);
    event_recorder_start(&f->events);
    memory_host_events(f->machine, &f->events.events);
    memory_host_text(f->machine, BIN "\\cudart64_101.dll", "x");
    memory_host_text(f->machine, TREE "\\version.txt", "CUDA Version 10.1.243\r\n");
    memory_host_text(f->machine, V11 "\\bin\\cudart64_110.dll", "x");
    memory_host_text(f->machine, "C:\\second\\v10.1\\bin\\cudart64_101.dll", "x");
    memory_host_folder(f->machine, "C:\\empty");
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    cs_environment_plan_free(&f->plan);
    event_recorder_end(&f->events);
    memory_host_free(f->machine);
    free(f);
    return 0;
}

static void set(fixture *f, const char *name, uint32_t type, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name, type, text);
}

static cs_status plan_with(fixture *f, const char *tree, bool trusted, cs_env_mode mode, bool take) {
    cs_environment_plan_free(&f->plan);
    event_recorder_clear(&f->events);
    f->error = (cs_error){0};
    return cs_environment_plan_install(f->host, tree, trusted, mode, take, &f->plan, &f->error);
}

static void plan(fixture *f) { assert_int_equal(plan_with(f, TREE, true, CS_ENV_ALL, false), CS_OK); }

static const cs_reg_change *change_of(const fixture *f, cs_variable variable) {
    for (size_t i = 0; i < f->plan.count; i++) {
        assert_false(
            cs_reg_value_equal(&f->plan.changes[i].old, &f->plan.changes[i].now)); /* never a change that changes nothing */
        if (f->plan.changes[i].variable == variable) return &f->plan.changes[i];
    }
    return NULL;
}

static void assert_now(const cs_reg_change *change, uint32_t type, const char *text) {
    cs_buffer now = {0};
    assert_non_null(change);
    assert_true(change->now.present);
    assert_int_equal(change->now.type, type);
    assert_int_equal(cs_reg_value_to_text(&change->now, &now, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&now), text);
    cs_buffer_free(&now);
}

static void apply(fixture *f) {
    for (size_t i = 0; i < f->plan.count; i++)
        assert_int_equal(f->host->registry->write(f->host->registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, f->plan.changes[i].name,
                                                  &f->plan.changes[i].now, NULL),
                         CS_OK);
}

/* ---- a plain machine ---- */

static void test_environment_fresh_machine(void **state) {
    fixture *f = *state;
    plan(f);
    assert_int_equal(f->plan.count, 3);
    assert_int_equal(f->plan.changes[0].variable, CS_VARIABLE_CUDA_PATH);
    assert_int_equal(f->plan.changes[1].variable, CS_VARIABLE_CUDA_PATH_V10_1);
    assert_int_equal(f->plan.changes[2].variable, CS_VARIABLE_PATH);
    assert_string_equal(f->plan.changes[0].name, "CUDA_PATH");
    assert_string_equal(f->plan.changes[1].name, "CUDA_PATH_V10_1");
    assert_string_equal(f->plan.changes[2].name, "Path");
    assert_now(&f->plan.changes[0], CS_REG_SZ, TREE); /* as CUDA's installer writes it */
    assert_now(&f->plan.changes[1], CS_REG_SZ, TREE);
    assert_now(&f->plan.changes[2], CS_REG_EXPAND_SZ, BIN ";" OLD_PATH); /* P02, P08: what was there stays unexpanded */
    assert_int_equal(f->plan.changes[2].index, 0);
    assert_int_equal(f->events.warnings, 0);
}

static void test_environment_second_install_changes_nothing(void **state) {
    fixture *f = *state; /* P09 */
    plan(f);
    apply(f);
    char *before = memory_host_reg_dump(f->machine);
    plan(f);
    assert_int_equal(f->plan.count, 0);
    apply(f);
    char *after = memory_host_reg_dump(f->machine);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void test_environment_planning_writes_nothing(void **state) {
    fixture *f = *state;
    char *before = memory_host_reg_dump(f->machine);
    memory_host_trace(f->machine, true);
    plan(f);
    assert_string_equal(memory_host_trace_text(f->machine), "");
    char *after = memory_host_reg_dump(f->machine);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void test_environment_modes(void **state) {
    fixture *f = *state;
    assert_int_equal(plan_with(f, TREE, true, CS_ENV_PATH, true), CS_OK);
    assert_int_equal(f->plan.count, 1);
    assert_now(change_of(f, CS_VARIABLE_PATH), CS_REG_EXPAND_SZ, BIN ";" OLD_PATH);
    assert_int_equal(plan_with(f, TREE, true, CS_ENV_NONE, true), CS_OK);
    assert_int_equal(f->plan.count, 0);
}

static void test_environment_keeps_the_spelling_of_names(void **state) {
    fixture *f = *state;
    memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
    set(f, "PATH", CS_REG_SZ, "C:\\Tools");
    set(f, "cuda_path", CS_REG_SZ, "");
    plan(f);
    assert_string_equal(change_of(f, CS_VARIABLE_PATH)->name, "PATH");
    assert_string_equal(change_of(f, CS_VARIABLE_CUDA_PATH)->name, "cuda_path");
    assert_now(change_of(f, CS_VARIABLE_PATH), CS_REG_SZ, BIN ";C:\\Tools"); /* P06: the type stays */
}

/* ---- CUDA_PATH ---- */

typedef enum outcome { KEPT_RIGHT, WRITTEN, KEPT_OTHER, TAKEN } outcome;

typedef struct policy_row {
    const char *what;
    uint32_t type; /* 0: absent */
    const char *text;
    outcome cuda_path, take, versioned; /* CUDA_PATH; the same with /cudapath:take; CUDA_PATH_V10_1 with this value */
} policy_row;

static const policy_row policy[] = {
    {"absent", 0, NULL, WRITTEN, WRITTEN, WRITTEN},
    {"empty", CS_REG_SZ, "", WRITTEN, WRITTEN, WRITTEN},
    {"blank", CS_REG_SZ, "  ", WRITTEN, WRITTEN, WRITTEN},
    {"a dot", CS_REG_SZ, ".", WRITTEN, WRITTEN, WRITTEN},
    {"relative", CS_REG_SZ, "CUDA\\v10.1", WRITTEN, WRITTEN, WRITTEN},
    {"without a drive", CS_REG_SZ, "\\CUDA\\v10.1", WRITTEN, WRITTEN, WRITTEN},
    {"right", CS_REG_SZ, TREE, KEPT_RIGHT, KEPT_RIGHT, KEPT_RIGHT},
    {"right in another case", CS_REG_SZ, "c:\\program files\\nvidia gpu computing toolkit\\cuda\\V10.1", KEPT_RIGHT, KEPT_RIGHT,
     KEPT_RIGHT},
    {"right with /", CS_REG_SZ, "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v10.1", KEPT_RIGHT, KEPT_RIGHT, KEPT_RIGHT},
    {"right, expandable", CS_REG_EXPAND_SZ, "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", KEPT_RIGHT, KEPT_RIGHT,
     KEPT_RIGHT},
    {"trailing backslash", CS_REG_SZ, TREE "\\", WRITTEN, WRITTEN, WRITTEN},
    {"quoted", CS_REG_SZ, "\"" TREE "\"", WRITTEN, WRITTEN, WRITTEN},
    {"blanks around", CS_REG_SZ, " " TREE " ", WRITTEN, WRITTEN, WRITTEN},
    {"never expanded", CS_REG_SZ, "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", WRITTEN, WRITTEN, WRITTEN},
    {"an undefined variable", CS_REG_EXPAND_SZ, "%NOBODY%\\v10.1", WRITTEN, WRITTEN, WRITTEN},
    {"a missing folder (V18)", CS_REG_SZ, "C:\\CUDA\\v9.0", WRITTEN, WRITTEN, WRITTEN},
    {"a missing drive", CS_REG_SZ, "X:\\CUDA\\v10.0", WRITTEN, WRITTEN, WRITTEN},
    {"a folder without a toolkit", CS_REG_SZ, "C:\\empty", WRITTEN, WRITTEN, WRITTEN},
    {"another working toolkit (V15)", CS_REG_SZ, V11, KEPT_OTHER, TAKEN, TAKEN},
    {"another working toolkit, quoted", CS_REG_SZ, "\"" V11 "\\\"", KEPT_OTHER, TAKEN, TAKEN},
    {"another working toolkit, expandable", CS_REG_EXPAND_SZ, "%SystemDrive%\\CUDA\\v11.1", KEPT_OTHER, TAKEN, TAKEN},
    {"another 10.1 tree", CS_REG_SZ, "C:\\second\\v10.1", TAKEN, TAKEN, TAKEN},
    {"a network folder", CS_REG_SZ, "\\\\server\\share\\CUDA", KEPT_OTHER, TAKEN, TAKEN},
    {"a number", CS_REG_DWORD, "x", WRITTEN, WRITTEN, WRITTEN},
    {"several strings", CS_REG_MULTI_SZ, TREE, WRITTEN, WRITTEN, WRITTEN},
};

static void check_outcome(fixture *f, const policy_row *row, cs_variable variable, outcome expected) {
    const cs_reg_change *change = change_of(f, variable);
    bool write = expected == WRITTEN || expected == TAKEN;
    if ((change != NULL) != write) fail_msg("%s: %s", row->what, change ? "written" : "kept");
    if (write) assert_now(change, CS_REG_SZ, TREE);
    if (write) assert_int_equal(change->old.present, row->type != 0);
    assert_int_equal(event_recorder_count(&f->events, "cudapath.kept"), expected == KEPT_OTHER);
    assert_int_equal(event_recorder_count(&f->events, "cudapath.taken"), expected == TAKEN);
}

static void never_on_the_network(void *ctx, memory_host *machine, const char *operation, const char *path) {
    (void)ctx, (void)machine;
    if (strncmp(path, "\\\\", 2) == 0 && strcmp(operation, "real path") != 0) fail_msg("%s %s", operation, path);
}

static void test_environment_cuda_path_policy(void **state) {
    fixture *f = *state;
    memory_host_hook(f->machine, never_on_the_network, NULL);
    for (size_t i = 0; i < sizeof policy / sizeof policy[0]; i++) {
        set(f, "CUDA_PATH_V10_1", CS_REG_SZ, TREE);
        memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH");
        if (policy[i].type) set(f, "CUDA_PATH", policy[i].type, policy[i].text);
        plan(f);
        check_outcome(f, &policy[i], CS_VARIABLE_CUDA_PATH, policy[i].cuda_path);
        assert_null(change_of(f, CS_VARIABLE_CUDA_PATH_V10_1));
        assert_int_equal(plan_with(f, TREE, true, CS_ENV_ALL, true), CS_OK);
        check_outcome(f, &policy[i], CS_VARIABLE_CUDA_PATH, policy[i].take);
    }
}

static void test_environment_versioned_variable_is_made_right(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < sizeof policy / sizeof policy[0]; i++) {
        set(f, "CUDA_PATH", CS_REG_SZ, TREE);
        memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1");
        if (policy[i].type) set(f, "CUDA_PATH_V10_1", policy[i].type, policy[i].text);
        plan(f);
        check_outcome(f, &policy[i], CS_VARIABLE_CUDA_PATH_V10_1, policy[i].versioned);
        assert_null(change_of(f, CS_VARIABLE_CUDA_PATH));
    }
}

static void test_environment_damaged_cuda_path_is_written(void **state) {
    fixture *f = *state;
    memory_host_reg_bytes(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "C\0:", 3);
    plan(f);
    assert_now(change_of(f, CS_VARIABLE_CUDA_PATH), CS_REG_SZ, TREE);
    assert_int_equal(change_of(f, CS_VARIABLE_CUDA_PATH)->old.size, 3);
}

static void test_environment_unreadable_toolkit_is_kept(void **state) {
    fixture *f = *state; /* what cannot be looked at may well be in use */
    set(f, "CUDA_PATH", CS_REG_SZ, V11);
    memory_host_fail_on(f->machine, "list", V11 "\\bin", MEMORY_BEFORE, 5);
    plan(f);
    assert_null(change_of(f, CS_VARIABLE_CUDA_PATH));
    assert_int_equal(event_recorder_count(&f->events, "cudapath.kept"), 1);
}

static void test_environment_reports_what_the_user_overrides(void **state) {
    fixture *f = *state;
    memory_host_reg_text(f->machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, V11);
    memory_host_reg_text(f->machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_SZ, TREE);
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "user.overrides"), 1);
    assert_true(event_recorder_says(&f->events, "CUDA_PATH (" V11 ")"));
}

/* ---- PATH ---- */

static void test_environment_untrusted_tree_goes_to_the_end(void **state) {
    fixture *f = *state; /* A11: usually on another drive */
    cs_volume d = {.guid_path = "\\\\?\\Volume{d}\\", .filesystem = "NTFS", .local_fixed = true};
    memory_host_volume(f->machine, "D:", &d);
    memory_host_text(f->machine, "D:\\sdk\\NVIDIA_CUDA\\v10.1\\bin\\cudart64_101.dll", "x");
    assert_int_equal(plan_with(f, "D:\\sdk\\NVIDIA_CUDA\\v10.1", false, CS_ENV_ALL, false), CS_OK);
    assert_now(change_of(f, CS_VARIABLE_PATH), CS_REG_EXPAND_SZ, OLD_PATH ";D:\\sdk\\NVIDIA_CUDA\\v10.1\\bin");
    assert_int_equal(change_of(f, CS_VARIABLE_PATH)->index, 3);
    assert_int_equal(event_recorder_count(&f->events, "path.untrusted-tree"), 1);
}

static void test_environment_present_entry_is_left(void **state) {
    fixture *f = *state; /* V19: several toolkits on PATH */
    set(f, "Path", CS_REG_EXPAND_SZ,
        V11 "\\bin;C:\\CUDA\\v10.0\\bin;%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\BIN\\");
    plan(f);
    assert_null(change_of(f, CS_VARIABLE_PATH));
    assert_true(event_recorder_says(&f->events, "entry 3"));
}

static void test_environment_quoted_twin_is_left_and_said(void **state) {
    fixture *f = *state;
    set(f, "Path", CS_REG_EXPAND_SZ, "\"" BIN "\";C:\\Tools");
    plan(f);
    assert_now(change_of(f, CS_VARIABLE_PATH), CS_REG_EXPAND_SZ, BIN ";\"" BIN "\";C:\\Tools");
    assert_int_equal(event_recorder_count(&f->events, "path.quoted-twin"), 1);
}

static void test_environment_entry_over_an_expandable_variable_does_not_count(void **state) {
    fixture *f = *state; /* P07 */
    set(f, "CUDA_PATH", CS_REG_EXPAND_SZ, TREE);
    set(f, "Path", CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin;C:\\Tools");
    plan(f);
    assert_now(change_of(f, CS_VARIABLE_PATH), CS_REG_EXPAND_SZ, BIN ";%CUDA_PATH%\\bin;C:\\Tools");
    set(f, "CUDA_PATH", CS_REG_SZ, TREE);
    plan(f);
    assert_null(change_of(f, CS_VARIABLE_PATH));
}

static void test_environment_says_where_another_cudnn_comes_first(void **state) {
    fixture *f = *state; /* V07, F02 */
    memory_host_text(f->machine, V11 "\\bin\\cudnn64_8.dll", "x");
    memory_host_text(f->machine, "C:\\late\\cudnn64_8.dll", "x");
    set(f, "Path", CS_REG_EXPAND_SZ, V11 "\\bin;\\\\server\\share;Z:\\x;" BIN ";C:\\late");
    memory_host_hook(f->machine, never_on_the_network, NULL);
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "path.other-cudnn-first"), 1);
    assert_true(event_recorder_says(&f->events, V11 "\\bin holds another"));
    memory_host_text(f->machine, "C:\\Windows\\System32\\cudnn64_8.dll", "x");
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "path.other-cudnn-first"), 2);
}

static void test_environment_says_where_another_cuda_comes_first(void **state) {
    fixture *f = *state; /* 10.2 has a cublas64_10.dll too */
    memory_host_text(f->machine, BIN "\\cublas64_10.dll", "x");
    memory_host_text(f->machine, "C:\\CUDA\\v10.2\\bin\\cublas64_10.dll", "x");
    memory_host_text(f->machine, "C:\\CUDA\\v10.2\\bin\\cudart64_102.dll", "x");
    set(f, "Path", CS_REG_SZ, "C:\\CUDA\\v10.2\\bin;" BIN);
    plan(f);
    assert_null(change_of(f, CS_VARIABLE_PATH));
    assert_int_equal(event_recorder_count(&f->events, "path.other-cuda-first"), 1);
    assert_true(event_recorder_says(&f->events, "C:\\CUDA\\v10.2\\bin holds another cublas64_10.dll"));
    assert_int_equal(event_recorder_count(&f->events, "path.other-cudnn-first"), 0);
    set(f, "Path", CS_REG_SZ, BIN ";C:\\CUDA\\v10.2\\bin");
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "path.other-cuda-first"), 0);
}

static void test_environment_of_another_account_is_not_judged(void **state) {
    fixture *f = *state; /* HKCU is the administrator's whose password was typed in */
    memory_host_reg_text(f->machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, V11);
    memory_host_system(f->machine)->account = CS_ACCOUNT_OTHER;
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "user.overrides"), 0);
    assert_true(event_recorder_says(&f->events, "note user.not-seen"));
    memory_host_system(f->machine)->account = CS_ACCOUNT_DESKTOP;
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "user.overrides"), 1);
    assert_false(event_recorder_says(&f->events, "user.not-seen"));
}

static void set_long_path(fixture *f, size_t units) {
    char *text = malloc(units + 1);
    assert_non_null(text);
    memset(text, 'a', units);
    memcpy(text, "C:\\", 3);
    text[units] = '\0';
    set(f, "Path", CS_REG_EXPAND_SZ, text);
    free(text);
}

static void test_environment_path_length(void **state) {
    fixture *f = *state; /* P01, P04 */
    size_t added = strlen(BIN) + 1;
    set_long_path(f, 2047 - added);
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "path.long"), 0);
    set_long_path(f, 2048 - added);
    plan(f);
    assert_int_equal(event_recorder_count(&f->events, "path.long"), 1);
    assert_true(event_recorder_says(&f->events, "2048 characters"));
    set_long_path(f, 32767 - added);
    assert_int_equal(plan_with(f, TREE, true, CS_ENV_ALL, false), CS_E_TOO_BIG);
    assert_int_equal(f->plan.count, 0);
    assert_non_null(strstr(f->error.detail, "32767"));
    assert_non_null(strstr(f->error.detail, "/env:none"));
}

static void test_environment_path_that_is_no_string_is_refused(void **state) {
    fixture *f = *state;
    set(f, "Path", CS_REG_MULTI_SZ, "C:\\Tools");
    assert_int_equal(plan_with(f, TREE, true, CS_ENV_ALL, false), CS_E_FORMAT);
    assert_int_equal(f->plan.count, 0);
    assert_non_null(strstr(f->error.detail, "/env:none"));
}

static void test_environment_failed_read_is_never_an_empty_path(void **state) {
    fixture *f = *state; /* P03 */
    static const char *const names[] = {"\\Path", "\\CUDA_PATH", "\\CUDA_PATH_V10_1"};
    for (size_t i = 0; i < 3; i++) {
        memory_host_fail_on(f->machine, "reg read", names[i], MEMORY_BEFORE, 234); /* ERROR_MORE_DATA */
        assert_int_not_equal(plan_with(f, TREE, true, CS_ENV_ALL, false), CS_OK);
        assert_int_equal(f->plan.count, 0);
        assert_int_equal(f->error.system, 234);
        memory_host_restart(f->machine);
    }
}

static void test_environment_tree_that_path_cannot_name(void **state) {
    fixture *f = *state;
    memory_host_text(f->machine, "C:\\a;b\\v10.1\\bin\\cudart64_101.dll", "x");
    assert_int_equal(plan_with(f, "C:\\a;b\\v10.1", true, CS_ENV_ALL, false), CS_OK);
    assert_null(change_of(f, CS_VARIABLE_PATH));
    assert_now(change_of(f, CS_VARIABLE_CUDA_PATH), CS_REG_SZ, "C:\\a;b\\v10.1");
    assert_int_equal(event_recorder_count(&f->events, "path.cannot-name"), 1);
    apply(f);
    assert_int_equal(plan_with(f, "C:\\a;b\\v10.1", true, CS_ENV_ALL, false), CS_OK);
    assert_int_equal(f->plan.count, 0);
}

static void test_environment_odd_but_possible_tree_names(void **state) {
    fixture *f = *state;
    static const char *const trees[] = {"C:\\[x] & 100% ! ^ ' =\\v10.1", "C:\\\xC3\xA4 \xE4\xB8\xAD\\v10.1", "C:\\%x%\\v10.1"};
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        memory_host_folder(f->machine, trees[i]);
        assert_int_equal(plan_with(f, trees[i], true, CS_ENV_ALL, false), CS_OK);
        assert_non_null(change_of(f, CS_VARIABLE_PATH));
        apply(f);
        assert_int_equal(plan_with(f, trees[i], true, CS_ENV_ALL, false), CS_OK);
        assert_int_equal(f->plan.count, 0);
    }
}

static bool same_plan(const cs_environment_plan *a, const cs_environment_plan *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->changes[i].variable != b->changes[i].variable || a->changes[i].index != b->changes[i].index ||
            !cs_reg_value_equal(&a->changes[i].old, &b->changes[i].old) ||
            !cs_reg_value_equal(&a->changes[i].now, &b->changes[i].now) || strcmp(a->changes[i].name, b->changes[i].name) != 0)
            return false;
    return true;
}

/* Each allocation fails in turn: an error before any change, or the same plan; never another decision. Returns the failures. */
static unsigned fail_each_allocation(fixture *f) {
    unsigned failures = 0;
    cs_environment_plan whole, result;
    assert_int_equal(cs_environment_plan_install(f->host, TREE, true, CS_ENV_ALL, false, &whole, NULL), CS_OK);
    for (unsigned long n = 1; n <= 500; n++) {
        cs_alloc_fail_at(n);
        cs_status status = cs_environment_plan_install(f->host, TREE, true, CS_ENV_ALL, false, &result, NULL);
        cs_alloc_fail_at(0);
        if (status == CS_OK && !same_plan(&result, &whole)) fail_msg("allocation %lu: another plan", n);
        if (status != CS_OK) assert_int_equal(status, CS_E_NO_MEMORY);
        if (status != CS_OK) assert_int_equal(result.count, 0);
        failures += status != CS_OK;
        cs_environment_plan_free(&result);
    }
    cs_environment_plan_free(&whole);
    return failures;
}

static void test_environment_survives_failed_allocations(void **state) {
    fixture *f = *state;
    memory_host_events(f->machine, NULL);
    set(f, "Path", CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin;\"" BIN "\";" OLD_PATH);
    for (size_t i = 0; i < sizeof policy / sizeof policy[0]; i++) {
        memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH");
        if (policy[i].type) set(f, "CUDA_PATH", policy[i].type, policy[i].text);
        unsigned failures = fail_each_allocation(f);
        assert_true(failures > 50 && failures < 500);
    }
}

#define environment_test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        environment_test(test_environment_fresh_machine),
        environment_test(test_environment_second_install_changes_nothing),
        environment_test(test_environment_planning_writes_nothing),
        environment_test(test_environment_modes),
        environment_test(test_environment_keeps_the_spelling_of_names),
        environment_test(test_environment_cuda_path_policy),
        environment_test(test_environment_versioned_variable_is_made_right),
        environment_test(test_environment_damaged_cuda_path_is_written),
        environment_test(test_environment_unreadable_toolkit_is_kept),
        environment_test(test_environment_reports_what_the_user_overrides),
        environment_test(test_environment_untrusted_tree_goes_to_the_end),
        environment_test(test_environment_present_entry_is_left),
        environment_test(test_environment_quoted_twin_is_left_and_said),
        environment_test(test_environment_entry_over_an_expandable_variable_does_not_count),
        environment_test(test_environment_says_where_another_cudnn_comes_first),
        environment_test(test_environment_says_where_another_cuda_comes_first),
        environment_test(test_environment_of_another_account_is_not_judged),
        environment_test(test_environment_path_length),
        environment_test(test_environment_path_that_is_no_string_is_refused),
        environment_test(test_environment_failed_read_is_never_an_empty_path),
        environment_test(test_environment_tree_that_path_cannot_name),
        environment_test(test_environment_odd_but_possible_tree_names),
        environment_test(test_environment_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
