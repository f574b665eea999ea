/* What uninstalling and rolling back make of the environment, with and without other programs at work in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "event_recorder.h"
#include "memory_host.h"

#define TREE   "C:\\CUDA\\v10.1"
#define BIN    TREE "\\bin"
#define B_TREE "D:\\CUDA\\v10.1"
#define C_TREE "C:\\third\\v10.1"
#define V11    "C:\\CUDA\\v11.1"

enum { MOST = 8 };

typedef struct fixture {
    memory_host *machine;
    const cs_host *host;
    event_recorder events;
    cs_receipt receipts[MOST]; /* time and regs only */
    bool gone[MOST];           /* undone */
    size_t count;
    char *before; /* the registry at the start of the test */
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->machine = memory_host_new();
    f->host = memory_host_seam(f->machine);
    event_recorder_start(&f->events);
    memory_host_events(f->machine, &f->events.events);
    cs_volume d = {.guid_path = "\\\\?\\Volume{d}\\", .filesystem = "NTFS", .local_fixed = true};
    memory_host_volume(f->machine, "D:", &d);
    memory_host_text(f->machine, BIN "\\cudart64_101.dll", "x");
    memory_host_text(f->machine, B_TREE "\\bin\\cudart64_101.dll", "x");
    memory_host_text(f->machine, C_TREE "\\bin\\cudart64_101.dll", "x");
    memory_host_text(f->machine, V11 "\\bin\\cudart64_110.dll", "x");
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < f->count; i++) {
        for (size_t r = 0; r < f->receipts[i].reg_count; r++) cs_reg_change_free(&f->receipts[i].regs[r]);
        cs_free(f->receipts[i].regs);
    }
    event_recorder_end(&f->events);
    memory_host_free(f->machine);
    free(f->before);
    free(f);
    return 0;
}

static void apply(fixture *f, const cs_environment_plan *plan) {
    for (size_t i = 0; i < plan->count; i++)
        assert_int_equal(f->host->registry->write(f->host->registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, plan->changes[i].name,
                                                  &plan->changes[i].now, NULL),
                         CS_OK);
}

/* The receipts that are in force, without those from `drop` on. */
static size_t in_force(const fixture *f, const cs_receipt *drop, size_t count, const cs_receipt **out) {
    size_t found = 0;
    for (size_t i = 0; i < f->count; i++) {
        const cs_receipt *receipt = &f->receipts[i];
        bool dropped = receipt >= drop && receipt < drop + count;
        if (!f->gone[i] && !dropped) out[found++] = receipt;
    }
    return found;
}

/* Plans and applies an installation; its changes become a receipt. */
static cs_receipt *install(fixture *f, const char *tree, bool trusted, bool take) {
    cs_environment_plan plan;
    if (!f->before) f->before = memory_host_reg_dump(f->machine);
    const cs_receipt *known[MOST];
    size_t known_count = in_force(f, f->receipts, 0, known);
    assert_true(f->count < MOST);
    assert_int_equal(cs_environment_plan_install(f->host, tree, trusted, CS_ENV_ALL, take, &plan, NULL), CS_OK);
    assert_int_equal(cs_environment_note_below(&plan, known, known_count, NULL), CS_OK);
    apply(f, &plan);
    cs_receipt *receipt = &f->receipts[f->count++];
    receipt->time = (int64_t)f->count;
    receipt->regs = plan.changes; /* handed over */
    receipt->reg_count = plan.count;
    event_recorder_clear(&f->events);
    return receipt;
}

static void undo(fixture *f, const char *tree, const cs_receipt *drop, size_t count, cs_environment_plan *plan) {
    const cs_receipt *others[MOST];
    size_t other_count = in_force(f, drop, count, others);
    assert_int_equal(cs_environment_plan_undo(f->host, tree, drop, count, others, other_count, plan, NULL), CS_OK);
    for (size_t i = 0; i < count; i++) f->gone[(size_t)(drop - f->receipts) + i] = true;
    for (size_t i = 0; i < plan->count; i++) assert_false(cs_reg_value_equal(&plan->changes[i].old, &plan->changes[i].now));
    apply(f, plan);
}

static void undo_and_forget(fixture *f, const char *tree, const cs_receipt *drop, size_t count) {
    cs_environment_plan plan;
    undo(f, tree, drop, count, &plan);
    cs_environment_plan_free(&plan);
}

static void set(fixture *f, const char *name, uint32_t type, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name, type, text);
}

static void assert_text(fixture *f, const char *name, const char *expected) {
    const char *text = memory_host_reg_get(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name);
    if (!expected)
        assert_null(text);
    else {
        assert_non_null(text);
        assert_string_equal(text, expected);
    }
}

static void assert_as_before(fixture *f) {
    char *now = memory_host_reg_dump(f->machine);
    assert_string_equal(now, f->before);
    free(now);
}

static void test_environment_undo_gives_every_value_back(void **state) {
    fixture *f = *state; /* bytes, types, names and absence */
    memory_host_reg_bytes(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "PATH", CS_REG_EXPAND_SZ, "C\0:\0\\\0a\0;\0", 10);
    set(f, "CUDA_PATH", CS_REG_EXPAND_SZ, "%SystemDrive%\\gone\\");
    install(f, TREE, true, false);
    assert_text(f, "CUDA_PATH_V10_1", TREE);
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_as_before(f);
    assert_int_equal(f->events.warnings, 0);
}

static void test_environment_undo_order_and_index(void **state) {
    fixture *f = *state;
    cs_environment_plan plan;
    install(f, TREE, false, false);
    undo(f, TREE, f->receipts, 1, &plan);
    assert_int_equal(plan.count, 3);
    assert_int_equal(plan.changes[0].variable, CS_VARIABLE_CUDA_PATH);
    assert_int_equal(plan.changes[1].variable, CS_VARIABLE_CUDA_PATH_V10_1);
    assert_int_equal(plan.changes[2].variable, CS_VARIABLE_PATH);
    assert_int_equal(plan.changes[2].index, 3); /* where our entry stood */
    cs_environment_plan_free(&plan);
}

static void test_environment_undo_of_an_undo(void **state) {
    fixture *f = *state; /* an uninstall that fails half way puts our entry back, also into a PATH that was edited meanwhile */
    cs_environment_plan plan;
    install(f, TREE, true, false);
    undo(f, TREE, f->receipts, 1, &plan);
    const char *path = memory_host_reg_get(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
    assert_null(strstr(path, BIN));
    set(f, "Path", CS_REG_EXPAND_SZ, "E:\\new;C:\\Tools");
    for (size_t i = plan.count; i--;) {
        cs_reg_value current = {0}, out = {0};
        bool changed;
        const cs_registry *registry = f->host->registry;
        assert_int_equal(registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, plan.changes[i].name, &current, NULL), CS_OK);
        assert_int_equal(cs_environment_undo_value(f->host, TREE, &plan.changes[i], &current, &out, &changed, NULL), CS_OK);
        assert_true(changed);
        assert_int_equal(registry->write(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, plan.changes[i].name, &out, NULL), CS_OK);
        cs_reg_value_free(&current);
        cs_reg_value_free(&out);
    }
    assert_text(f, "Path", BIN ";E:\\new;C:\\Tools");
    assert_text(f, "CUDA_PATH", TREE);
    assert_text(f, "CUDA_PATH_V10_1", TREE);
    cs_environment_plan_free(&plan);
}

static void test_environment_undo_keeps_edits_by_others(void **state) {
    fixture *f = *state;
    set(f, "Path", CS_REG_EXPAND_SZ, "C:\\Tools");
    set(f, "CUDA_PATH", CS_REG_SZ, "");
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_EXPAND_SZ, "E:\\first;C:\\Tools;c:/cuda/V10.1/bin/;E:\\last"); /* moved and respelled, too */
    set(f, "CUDA_PATH", CS_REG_SZ, V11);                                                 /* another toolkit was installed */
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", "E:\\first;C:\\Tools;E:\\last");
    assert_text(f, "CUDA_PATH", V11);
    assert_text(f, "CUDA_PATH_V10_1", NULL);
    assert_int_equal(event_recorder_count(&f->events, "environment.kept"), 1);
    assert_true(event_recorder_says(&f->events, V11));
}

static void test_environment_undo_leaves_a_path_that_was_ruined(void **state) {
    fixture *f = *state; /* the undo goes on with the rest */
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_MULTI_SZ, "C:\\x");
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", "C:\\x");
    assert_text(f, "CUDA_PATH", NULL);
    assert_int_equal(event_recorder_count(&f->events, "path.kept"), 1);
}

static void test_environment_undo_after_the_value_was_deleted(void **state) {
    fixture *f = *state;
    install(f, TREE, true, false);
    memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
    memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1");
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", NULL);
    assert_text(f, "CUDA_PATH", NULL);
    assert_text(f, "CUDA_PATH_V10_1", NULL);
}

static void test_environment_undo_folds_receipts(void **state) {
    fixture *f = *state; /* two installs with other hands between them, undone at once */
    set(f, "CUDA_PATH", CS_REG_SZ, V11);
    install(f, TREE, true, false); /* CUDA_PATH is kept */
    assert_int_equal(f->receipts[0].reg_count, 2);
    install(f, TREE, true, true); /* now taken */
    assert_int_equal(f->receipts[1].reg_count, 1);
    undo_and_forget(f, TREE, f->receipts, 2);
    assert_as_before(f);
}

static void test_environment_rollback_undoes_the_newest_alone(void **state) {
    fixture *f = *state;
    set(f, "CUDA_PATH", CS_REG_SZ, V11);
    install(f, TREE, true, false);
    install(f, TREE, true, true);
    undo_and_forget(f, TREE, &f->receipts[1], 1);
    assert_text(f, "CUDA_PATH", V11);
    assert_text(f, "CUDA_PATH_V10_1", TREE);
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_as_before(f);
}

static void test_environment_two_trees_newest_first(void **state) {
    fixture *f = *state;
    install(f, TREE, true, false);
    install(f, B_TREE, false, false);
    assert_text(f, "CUDA_PATH", B_TREE);
    undo_and_forget(f, B_TREE, &f->receipts[1], 1);
    assert_text(f, "CUDA_PATH", TREE);
    undo_and_forget(f, TREE, &f->receipts[0], 1);
    assert_as_before(f);
}

static void test_environment_two_trees_oldest_first(void **state) {
    fixture *f = *state; /* the variables belong to the last install; with its own uninstall the first one's do not come back */
    install(f, TREE, true, false);
    install(f, B_TREE, false, false);
    undo_and_forget(f, TREE, &f->receipts[0], 1);
    assert_text(f, "CUDA_PATH", B_TREE);
    assert_text(f, "CUDA_PATH_V10_1", B_TREE);
    assert_text(f, "Path", "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools;" B_TREE "\\bin");
    assert_int_equal(f->events.warnings, 0);
    undo_and_forget(f, B_TREE, &f->receipts[1], 1);
    assert_as_before(f);
    assert_int_equal(f->events.warnings, 0);
}

/* Starting states of the three values; "-" is an absent one. */
static const char *const starts[][2] = {{"%SystemRoot%;C:\\Tools", "-"}, {"-", "-"}, {"", V11}, {"C:\\Tools;", "C:\\gone"}};

static void start_with(fixture *f, size_t which) {
    static const char *const names[] = {"Path", "CUDA_PATH"};
    for (size_t i = 0; i < 2; i++) {
        memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, names[i]);
        if (strcmp(starts[which][i], "-") != 0) set(f, names[i], CS_REG_EXPAND_SZ, starts[which][i]);
    }
}

static void forget_receipts(fixture *f) {
    for (size_t i = 0; i < f->count; i++) {
        for (size_t r = 0; r < f->receipts[i].reg_count; r++) cs_reg_change_free(&f->receipts[i].regs[r]);
        cs_free(f->receipts[i].regs);
        f->receipts[i] = (cs_receipt){0};
        f->gone[i] = false;
    }
    f->count = 0;
    free(f->before);
    f->before = NULL;
}

static void test_environment_three_trees_in_any_order(void **state) {
    fixture *f = *state; /* every order of installing and of uninstalling: bytes, types and absence */
    static const char *const trees[] = {TREE, B_TREE, C_TREE};
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t n = 0; n < 4 * 6 * 6 * 2; n++) {
        const size_t *in = orders[n / 8 % 6], *out = orders[n / 48];
        start_with(f, n % 4);
        for (size_t i = 0; i < 3; i++) install(f, trees[in[i]], i != 1, n / 4 % 2 != 0);
        for (size_t i = 0; i < 3; i++) {
            size_t receipt = out[i];
            undo_and_forget(f, trees[in[receipt]], &f->receipts[receipt], 1);
        }
        assert_as_before(f);
        forget_receipts(f);
    }
}

static void test_environment_a_tree_that_came_back(void **state) {
    fixture *f = *state; /* A, B, A out, A again, B out, A out */
    set(f, "CUDA_PATH", CS_REG_SZ, "C:\\gone");
    install(f, TREE, true, false);
    install(f, B_TREE, true, false);
    undo_and_forget(f, TREE, &f->receipts[0], 1);
    install(f, TREE, true, true);
    assert_text(f, "CUDA_PATH", TREE);
    undo_and_forget(f, B_TREE, &f->receipts[1], 1);
    assert_text(f, "CUDA_PATH", TREE);
    undo_and_forget(f, TREE, &f->receipts[2], 1);
    assert_as_before(f);
}

static void test_environment_what_others_wrote_between_trees_comes_back(void **state) {
    fixture *f = *state; /* not what lay below it */
    install(f, TREE, true, false);
    set(f, "CUDA_PATH", CS_REG_SZ, V11);
    memory_host_reg_delete(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1");
    install(f, B_TREE, true, true);
    undo_and_forget(f, TREE, &f->receipts[0], 1);
    undo_and_forget(f, B_TREE, &f->receipts[1], 1);
    assert_text(f, "CUDA_PATH", V11);
    assert_text(f, "CUDA_PATH_V10_1", NULL);
}

static void test_environment_cuda_installed_again(void **state) {
    fixture *f = *state; /* its installer writes bin and libnvvp and both variables: ours are its own now */
    set(f, "Path", CS_REG_EXPAND_SZ, "C:\\Tools");
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_EXPAND_SZ, BIN ";" TREE "\\libnvvp;C:\\Tools"); /* it found bin there and added the rest */
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", BIN ";" TREE "\\libnvvp;C:\\Tools");
    assert_text(f, "CUDA_PATH", TREE);
    assert_text(f, "CUDA_PATH_V10_1", TREE);
    assert_int_equal(event_recorder_count(&f->events, "environment.cuda-reinstalled"), 3);
}

static void test_environment_cuda_installed_again_with_an_entry_of_its_own(void **state) {
    fixture *f = *state;
    set(f, "Path", CS_REG_EXPAND_SZ, "C:\\Tools");
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_EXPAND_SZ, BIN ";" TREE "\\libnvvp;" BIN ";C:\\Tools");
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", TREE "\\libnvvp;" BIN ";C:\\Tools"); /* one goes, one stays */
    assert_text(f, "CUDA_PATH_V10_1", TREE);
}

static void test_environment_libnvvp_from_before_proves_nothing(void **state) {
    fixture *f = *state;
    set(f, "Path", CS_REG_EXPAND_SZ, TREE "\\libnvvp;C:\\Tools");
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_EXPAND_SZ, BIN ";" TREE "\\libnvvp;C:\\Tools;E:\\new");
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", TREE "\\libnvvp;C:\\Tools;E:\\new");
    assert_text(f, "CUDA_PATH_V10_1", NULL);
}

static void test_environment_undo_without_the_tree(void **state) {
    fixture *f = *state; /* the folder was deleted: its entry is found by its text */
    install(f, TREE, true, false);
    assert_true(memory_host_delete(f->machine, TREE));
    const char *path = memory_host_reg_get(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
    char edited[512];
    assert_true(strlen(path) + 10 < sizeof edited);
    memcpy(edited, path, strlen(path) + 1);
    memcpy(edited + strlen(path), ";E:\\new", 8);
    set(f, "Path", CS_REG_EXPAND_SZ, edited);
    undo_and_forget(f, TREE, f->receipts, 1);
    assert_text(f, "Path", "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools;E:\\new");
    assert_text(f, "CUDA_PATH", NULL);
}

static void test_environment_undo_failed_read_is_an_error(void **state) {
    fixture *f = *state;
    cs_environment_plan plan;
    install(f, TREE, true, false);
    memory_host_fail_on(f->machine, "reg read", "\\Path", MEMORY_BEFORE, 5);
    assert_int_equal(cs_environment_plan_undo(f->host, TREE, f->receipts, 1, NULL, 0, &plan, NULL), CS_E_ACCESS);
    assert_int_equal(plan.count, 0);
}

static void test_environment_undo_of_nothing_reads_nothing(void **state) {
    fixture *f = *state;
    cs_receipt empty = {0};
    cs_environment_plan plan;
    unsigned long calls = memory_host_calls(f->machine);
    assert_int_equal(cs_environment_plan_undo(f->host, TREE, &empty, 1, NULL, 0, &plan, NULL), CS_OK);
    assert_int_equal(plan.count, 0);
    assert_int_equal(memory_host_calls(f->machine), calls);
}

static void test_environment_undo_survives_failed_allocations(void **state) {
    fixture *f = *state;
    unsigned failures = 0;
    install(f, TREE, true, false);
    set(f, "Path", CS_REG_EXPAND_SZ, "E:\\new;" BIN ";C:\\Tools");
    memory_host_events(f->machine, NULL);
    for (unsigned long n = 1; n <= 400; n++) {
        cs_environment_plan plan;
        cs_alloc_fail_at(n);
        cs_status status = cs_environment_plan_undo(f->host, TREE, f->receipts, 1, NULL, 0, &plan, NULL);
        cs_alloc_fail_at(0);
        failures += status != CS_OK;
        assert_int_equal(plan.count, status == CS_OK ? 3 : 0);
        cs_environment_plan_free(&plan);
    }
    assert_true(failures > 50);
}

#define undo_test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        undo_test(test_environment_undo_gives_every_value_back),
        undo_test(test_environment_undo_order_and_index),
        undo_test(test_environment_undo_of_an_undo),
        undo_test(test_environment_undo_keeps_edits_by_others),
        undo_test(test_environment_undo_leaves_a_path_that_was_ruined),
        undo_test(test_environment_undo_after_the_value_was_deleted),
        undo_test(test_environment_undo_folds_receipts),
        undo_test(test_environment_rollback_undoes_the_newest_alone),
        undo_test(test_environment_two_trees_newest_first),
        undo_test(test_environment_two_trees_oldest_first),
        undo_test(test_environment_three_trees_in_any_order),
        undo_test(test_environment_a_tree_that_came_back),
        undo_test(test_environment_what_others_wrote_between_trees_comes_back),
        undo_test(test_environment_cuda_installed_again),
        undo_test(test_environment_cuda_installed_again_with_an_entry_of_its_own),
        undo_test(test_environment_libnvvp_from_before_proves_nothing),
        undo_test(test_environment_undo_without_the_tree),
        undo_test(test_environment_undo_failed_read_is_an_error),
        undo_test(test_environment_undo_of_nothing_reads_nothing),
        undo_test(test_environment_undo_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
