/* Between two runs somebody damages, copies, restores or deletes the records: that tree alone is left alone, the others go on,
 * and what is said names the file and ends the matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/record.h"
#include "verb_case.h"

#define SECOND "C:\\second"

typedef struct two_trees {
    verb_case c;
    char first[CS_ID_HEX + 1], second[CS_ID_HEX + 1];
} two_trees;

static void begin(two_trees *t) {
    verb_case_begin(&t->c);
    memory_host_text(t->c.machine, SECOND "\\bin\\cudart64_101.dll", "the CUDA runtime");
    memory_host_text(t->c.machine, SECOND "\\version.txt", "CUDA Version 10.1.243\n");
    verb_case_put(&t->c, "include/cudnn.h", "older header");
    verb_case_package(&t->c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&t->c, "p803"), 0);
    snprintf(t->first, sizeof t->first, "%s", t->c.outcome.tree_id);
    t->c.options.cuda = SECOND;
    assert_int_equal(verb_case_install(&t->c, "p803"), 0);
    snprintf(t->second, sizeof t->second, "%s", t->c.outcome.tree_id);
    t->c.options.cuda = NULL;
}

static void state_path(const char *id, const char *name, char out[256]) {
    snprintf(out, 256, VERB_P "\\state\\%s%s%s", id, name ? "\\" : "", name ? name : "");
}

static int run_on(two_trees *t, cs_operation verb, char *id) {
    t->c.options.tree = id;
    int code = verb_case_run(&t->c, verb);
    t->c.options.tree = NULL;
    return code;
}

static int status_of(two_trees *t, cs_buffer *report) {
    cs_buffer_clear(report);
    cs_outcome_free(&t->c.outcome);
    cs_buffer_clear(&t->c.told);
    cs_status status = cs_show_status(t->c.host, &t->c.options, report, &t->c.outcome);
    verb_case_assert_closed(&t->c);
    return cs_exit_code(status);
}

static bool says(two_trees *t, const char *text) { return strstr(cs_buffer_string(&t->c.outcome.message), text) != NULL; }

/* ---- ways to spoil the first tree's records ---- */

static void empty_head(two_trees *t) {
    char path[256];
    state_path(t->first, "head", path);
    assert_true(memory_host_text(t->c.machine, path, ""));
}

static void flip_head(two_trees *t) {
    char path[256];
    state_path(t->first, "head", path);
    memory_host_flip(t->c.machine, path, 200);
}

static void garble_head(two_trees *t) {
    char path[256];
    state_path(t->first, "head", path);
    assert_true(memory_host_text(t->c.machine, path, "hello, this is no record at all"));
}

static void newer_head(two_trees *t) {
    char path[256];
    state_path(t->first, "head", path);
    assert_true(memory_host_text(t->c.machine, path, "{\"format\":2,\"whatever\":true}"));
}

static void folder_for_head(two_trees *t) {
    char path[256], below[260];
    state_path(t->first, "head", path);
    assert_true(memory_host_delete(t->c.machine, path));
    snprintf(below, sizeof below, "%s\\x", path);
    memory_host_folder(t->c.machine, below);
}

static void foreign_head(two_trees *t) {
    char from[256], path[256];
    state_path(t->second, "head", from);
    state_path(t->first, "head", path);
    char *copy = cs_strdup(memory_host_content(t->c.machine, from));
    assert_true(memory_host_text(t->c.machine, path, copy));
    cs_free(copy);
}

static void plant_journal(two_trees *t) {
    char from[256], path[256];
    state_path(t->first, "head", from);
    state_path(t->first, "journal", path);
    char *copy = cs_strdup(memory_host_content(t->c.machine, from));
    assert_true(memory_host_text(t->c.machine, path, copy));
    cs_free(copy);
}

static void damage_journal(two_trees *t) {
    char path[256];
    state_path(t->first, "journal", path);
    assert_true(memory_host_text(t->c.machine, path, "torn"));
}

static void two_of_three(two_trees *t) {
    char path[256];
    plant_journal(t);
    state_path(t->first, "undone", path);
    assert_true(memory_host_text(t->c.machine, path, "torn"));
}

static void deny_head(two_trees *t) { memory_host_fail_on(t->c.machine, "open read", "head", MEMORY_BEFORE, 5); }

static const struct {
    const char *name;
    void (*spoil)(two_trees *t);
    const char *file, *word;
} spoils[] = {
    {"emptied", empty_head, "\\head", "does not start as our records do"},
    {"one byte changed", flip_head, "\\head", "SHA-256 does not match"},
    {"garbage", garble_head, "\\head", "does not start as our records do"},
    {"a newer format", newer_head, "\\head", "newer cudnn-setup"},
    {"a folder", folder_for_head, "\\head", "a folder or a link"},
    {"another tree's", foreign_head, "\\head", "another tree's record"},
    {"a planted journal", plant_journal, "\\journal", "change that is finished"},
    {"a damaged journal", damage_journal, "\\journal", "does not start as our records do"},
    {"two of three", two_of_three, "", "more than one of journal"},
};
enum { SPOILS = sizeof spoils / sizeof spoils[0] };

/* Neither the tree nor its undo data nor its records nor PATH. */
static void assert_untouched(two_trees *t, const char *tree, const char *state) {
    char path[256];
    state_path(t->first, NULL, path);
    char *tree_now = memory_host_dump(t->c.machine, VERB_TREE), *state_now = memory_host_dump(t->c.machine, path);
    assert_string_equal(tree, tree_now);
    assert_string_equal(state, state_now);
    assert_non_null(strstr(memory_host_reg_get(t->c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), VERB_TREE "\\bin"));
    free(tree_now), free(state_now);
}

static void assert_refused(two_trees *t, size_t k, int code) {
    if (code != 1604) print_error("%s: %d %s\n", spoils[k].name, code, cs_buffer_string(&t->c.outcome.message));
    assert_int_equal(code, 1604);
    assert_int_equal(t->c.outcome.result, CS_RESULT_PENDING);
    assert_true(says(t, spoils[k].file) && says(t, t->first));
    if (!says(t, spoils[k].word)) print_error("%s\n", cs_buffer_string(&t->c.outcome.message));
    assert_true(says(t, spoils[k].word));
    assert_true(says(t, "/forget /force /tree:") && says(t, "Nothing was changed"));
    assert_false(says(t, "/recover")); /* which would only say the same again */
}

static void test_between_a_spoiled_record_blocks_its_own_tree_alone(void **state) {
    (void)state;
    static const cs_operation verbs[] = {cs_uninstall, cs_rollback, cs_repair, cs_forget, cs_verify};
    for (size_t k = 0; k < SPOILS; k++) {
        two_trees t;
        char path[256];
        begin(&t);
        spoils[k].spoil(&t);
        state_path(t.first, NULL, path);
        char *tree = memory_host_dump(t.c.machine, VERB_TREE), *before = memory_host_dump(t.c.machine, path);
        for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) assert_refused(&t, k, run_on(&t, verbs[v], t.first));
        assert_refused(&t, k, verb_case_run(&t.c, cs_recover));
        t.c.options.cuda = VERB_TREE;
        assert_refused(&t, k, verb_case_install(&t.c, "p803"));
        t.c.options.cuda = NULL;
        assert_untouched(&t, tree, before);
        /* The other tree does not notice, but for a warning. */
        assert_int_equal(run_on(&t, cs_verify, t.second), 0);
        assert_true(verb_case_told(&t.c, "warning state.unreadable: "));
        memory_host_flip(t.c.machine, SECOND "\\bin\\cudnn64_8.dll", 0);
        assert_int_equal(run_on(&t, cs_repair, t.second), 0);
        assert_int_equal(run_on(&t, cs_uninstall, t.second), 0);
        assert_false(memory_host_exists(t.c.machine, SECOND "\\bin\\cudnn64_8.dll"));
        /* The blocked one is still installed, as far as anybody knows: what it wrote comes back. */
        assert_string_equal(memory_host_reg_get(t.c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"), VERB_TREE);
        assert_true(verb_case_told(&t.c, "warning state.unreadable: "));
        assert_untouched(&t, tree, before);
        /* Its entry in Apps & Features, the readable copy and the programs are still there. */
        snprintf(path, sizeof path, VERB_P "\\status\\%s.json", t.first);
        assert_true(memory_host_exists(t.c.machine, path));
        assert_true(memory_host_exists(t.c.machine, VERB_P "\\cudnn-setup.exe"));
        snprintf(path, sizeof path, VERB_ENTRIES "%s", t.first);
        assert_non_null(memory_host_reg_get(t.c.machine, CS_HKLM, path, "UninstallString"));
        free(tree), free(before);
        verb_case_end(&t.c);
    }
}

static void test_between_several_are_not_guessed_at_when_one_is_blocked(void **state) {
    (void)state;
    two_trees t;
    begin(&t);
    empty_head(&t);
    assert_int_equal(verb_case_run(&t.c, cs_uninstall), 1639);
    assert_true(says(&t, t.first) && says(&t, t.second) && says(&t, "cannot be read"));
    assert_true(memory_host_exists(t.c.machine, SECOND "\\bin\\cudnn64_8.dll"));
    verb_case_end(&t.c);
}

static void test_between_status_shows_what_is_blocked_and_the_rest(void **state) {
    (void)state;
    two_trees t;
    cs_buffer report = {0};
    begin(&t);
    assert_int_equal(status_of(&t, &report), 0);
    empty_head(&t);
    assert_int_equal(status_of(&t, &report), 1604);
    assert_non_null(strstr(report.data, SECOND));
    assert_non_null(strstr(report.data, t.first));
    assert_non_null(strstr(report.data, "/forget /force /tree:"));
    assert_int_equal(verb_case_run(&t.c, cs_verify), 1604); /* nobody can say that all is right */
    cs_buffer_free(&report);
    verb_case_end(&t.c);
}

static void test_between_access_denied_is_no_readable_copys_business_for_an_administrator(void **state) {
    (void)state;
    two_trees t;
    cs_buffer report = {0};
    begin(&t);
    deny_head(&t);
    assert_int_equal(status_of(&t, &report), 1604);
    assert_non_null(strstr(report.data, "access denied"));
    assert_int_equal(run_on(&t, cs_uninstall, t.first), 1604);
    assert_true(says(&t, "right to read"));
    memory_host_restart(t.c.machine);
    assert_int_equal(status_of(&t, &report), 0);
    cs_buffer_free(&report);
    verb_case_end(&t.c);
}

/* Another run may have it open just now: nobody is told to give anything up. */
static void test_between_a_record_that_is_in_use_is_tried_again(void **state) {
    (void)state;
    two_trees t;
    begin(&t);
    memory_host_fail_on(t.c.machine, "open read", "head", MEMORY_BEFORE, 32);
    assert_int_equal(run_on(&t, cs_verify, t.first), 1604);
    assert_true(says(&t, "Try again"));
    assert_false(says(&t, "/forget"));
    memory_host_restart(t.c.machine);
    assert_int_equal(run_on(&t, cs_verify, t.first), 0);
    verb_case_end(&t.c);
}

static void test_between_a_user_reads_the_copies_that_can_be_read(void **state) {
    (void)state;
    two_trees t;
    char path[256];
    cs_buffer report = {0};
    begin(&t);
    memory_host_system(t.c.machine)->administrator = false;
    memory_host_fail_on(t.c.machine, "list", "\\state", MEMORY_BEFORE, 5);
    assert_int_equal(status_of(&t, &report), 0);
    snprintf(path, sizeof path, VERB_P "\\status\\%s.json", t.first);
    memory_host_flip(t.c.machine, path, 300);
    assert_int_equal(status_of(&t, &report), 0);
    assert_non_null(strstr(report.data, SECOND));
    assert_true(verb_case_told(&t.c, "warning state.unreadable: "));
    assert_int_equal(run_on(&t, cs_verify, t.second), 0);
    assert_int_equal(run_on(&t, cs_verify, t.first), 1603);
    memory_host_restart(t.c.machine);
    memory_host_system(t.c.machine)->administrator = true;
    assert_int_equal(run_on(&t, cs_repair, t.second), 0); /* nothing to do, and yet the copy is written anew */
    memory_host_system(t.c.machine)->administrator = false;
    memory_host_fail_on(t.c.machine, "list", "\\state", MEMORY_BEFORE, 5);
    assert_int_equal(status_of(&t, &report), 0);
    assert_non_null(strstr(report.data, VERB_TREE));
    cs_buffer_free(&report);
    verb_case_end(&t.c);
}

/* ---- the way out ---- */

static void test_between_forget_by_force_gives_a_record_up_and_keeps_it(void **state) {
    (void)state;
    for (size_t k = 0; k < SPOILS; k++) {
        two_trees t;
        char path[256], aside[256], *tree, *record = NULL;
        if (spoils[k].spoil == folder_for_head) continue;
        begin(&t);
        spoils[k].spoil(&t);
        state_path(t.first, "head", path);
        record = cs_strdup(memory_host_content(t.c.machine, path));
        tree = memory_host_dump(t.c.machine, VERB_TREE);
        t.c.options.force = t.c.options.dryrun = true;
        assert_int_equal(run_on(&t, cs_forget, t.first), 0);
        assert_true(says(&t, "Dry run") && says(&t, "Nothing was changed"));
        assert_true(memory_host_exists(t.c.machine, path));
        t.c.options.dryrun = false;
        assert_int_equal(run_on(&t, cs_forget, t.first), 0);
        t.c.options.force = false;
        snprintf(aside, sizeof aside, VERB_P "\\state\\given-up\\%s-00\\head", t.first);
        assert_string_equal(memory_host_content(t.c.machine, aside), record);
        assert_true(says(&t, "given-up") && says(&t, VERB_TREE));
        assert_false(memory_host_exists(t.c.machine, path));
        char *now = memory_host_dump(t.c.machine, VERB_TREE);
        assert_string_equal(tree, now);
        free(now);
        assert_int_equal(verb_case_run(&t.c, cs_recover), 0);
        assert_int_equal(run_on(&t, cs_uninstall, t.first), 1605);
        assert_int_equal(run_on(&t, cs_uninstall, t.second), 0);
        assert_non_null(verb_case_get(&t.c, "bin/cudnn64_8.dll"));
        /* Installing again is a new start, and giving up again takes the next place. */
        t.c.options.cuda = VERB_TREE;
        assert_int_equal(verb_case_install(&t.c, "p803"), 0);
        t.c.options.cuda = NULL;
        assert_true(memory_host_text(t.c.machine, path, "spoiled again"));
        t.c.options.force = true;
        assert_int_equal(run_on(&t, cs_forget, t.first), 0);
        snprintf(aside, sizeof aside, VERB_P "\\state\\given-up\\%s-01\\head", t.first);
        assert_string_equal(memory_host_content(t.c.machine, aside), "spoiled again");
        cs_free(record);
        free(tree);
        verb_case_end(&t.c);
    }
}

static void test_between_a_given_up_record_can_be_brought_back(void **state) {
    (void)state;
    two_trees t;
    char path[256], aside[256];
    begin(&t);
    plant_journal(&t);
    t.c.options.force = true;
    assert_int_equal(run_on(&t, cs_forget, t.first), 0);
    t.c.options.force = false;
    static const char *const names[] = {"head", "manifests"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(aside, sizeof aside, VERB_P "\\state\\given-up\\%s-00\\%s", t.first, names[i]);
        state_path(t.first, names[i], path);
        assert_true(memory_host_move(t.c.machine, aside, path));
    }
    assert_int_equal(run_on(&t, cs_verify, t.first), 0);
    assert_int_equal(run_on(&t, cs_uninstall, t.first), 0);
    assert_string_equal(verb_case_get(&t.c, "include/cudnn.h"), "older header");
    verb_case_end(&t.c);
}

static void test_between_a_folder_for_a_record_has_to_be_moved_by_hand(void **state) {
    (void)state;
    two_trees t;
    char path[256];
    begin(&t);
    folder_for_head(&t);
    t.c.options.force = true;
    assert_int_equal(run_on(&t, cs_forget, t.first), 1603);
    assert_true(says(&t, "by hand") && says(&t, "\\head"));
    state_path(t.first, "head\\x", path);
    assert_true(memory_host_delete(t.c.machine, path));
    assert_int_equal(run_on(&t, cs_forget, t.first), 0); /* an empty one holds nothing to be lost */
    verb_case_end(&t.c);
}

static void test_between_forget_without_force_or_the_id_gives_nothing_up(void **state) {
    (void)state;
    two_trees t;
    begin(&t);
    empty_head(&t);
    assert_int_equal(run_on(&t, cs_forget, t.first), 1604);
    verb_case_end(&t.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_a_spoiled_record_blocks_its_own_tree_alone),
        cmocka_unit_test(test_between_several_are_not_guessed_at_when_one_is_blocked),
        cmocka_unit_test(test_between_status_shows_what_is_blocked_and_the_rest),
        cmocka_unit_test(test_between_access_denied_is_no_readable_copys_business_for_an_administrator),
        cmocka_unit_test(test_between_a_record_that_is_in_use_is_tried_again),
        cmocka_unit_test(test_between_a_user_reads_the_copies_that_can_be_read),
        cmocka_unit_test(test_between_forget_by_force_gives_a_record_up_and_keeps_it),
        cmocka_unit_test(test_between_a_given_up_record_can_be_brought_back),
        cmocka_unit_test(test_between_a_folder_for_a_record_has_to_be_moved_by_hand),
        cmocka_unit_test(test_between_forget_without_force_or_the_id_gives_nothing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
