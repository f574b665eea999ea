#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary_maker.h"
#include "cudnn_setup/programs.h"
#include "verb_case.h"

#define SETUP  VERB_P "\\" CS_PROGRAM_NAME_SETUP
#define DOCTOR VERB_P "\\" CS_PROGRAM_NAME_DOCTOR

static void begin(verb_case *c, cs_session *session) {
    verb_case_begin(c);
    assert_int_equal(cs_session_open(c->host, session, NULL), CS_OK);
}

static void end(verb_case *c, cs_session *session) {
    cs_session_close(session);
    verb_case_end(c);
}

static void ensure(cs_session *session) {
    cs_error error = {0};
    assert_int_equal(cs_programs_ensure(session, &error), CS_OK);
}

/* A PE file whose version resource says this. */
static uint8_t *program_of_version(unsigned high, unsigned low) {
    uint8_t *file = pe_make_dll();
    static const uint8_t signature[] = {0xBD, 0x04, 0xEF, 0xFE}; /* VS_FIXEDFILEINFO */
    for (size_t i = 0; i + 16 < PE_SIZE; i++)
        if (memcmp(file + i, signature, sizeof signature) == 0) {
            put32(file + i + 8, high);
            put32(file + i + 12, low);
            return file;
        }
    fail_msg("no version resource");
    return file;
}

static void test_programs_are_placed_once(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    ensure(&session);
    assert_string_equal(memory_host_content(c.machine, SETUP), "setup itself");
    assert_string_equal(memory_host_content(c.machine, DOCTOR), "the doctor");
    char *before = memory_host_dump(c.machine, VERB_P);
    ensure(&session);
    char *after = memory_host_dump(c.machine, VERB_P);
    assert_string_equal(before, after);
    assert_null(strstr(after, ".tmp"));
    free(before), free(after);
    end(&c, &session);
}

static void test_programs_that_differ_are_replaced(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    memory_host_text(c.machine, SETUP, "an older setup");
    memory_host_text(c.machine, SETUP ".tmp", "half of a copy");
    ensure(&session);
    assert_string_equal(memory_host_content(c.machine, SETUP), "setup itself");
    char *after = memory_host_dump(c.machine, VERB_P);
    assert_null(strstr(after, ".tmp"));
    assert_null(strstr(after, ".old"));
    free(after);
    end(&c, &session);
}

static void test_programs_never_replace_a_newer_one(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    uint8_t *newer = program_of_version(2 << 16, 0), *older = program_of_version(1 << 16, 5 << 16);
    memory_host_file(c.machine, VERB_MEDIA "\\cudnn-setup.exe", older, PE_SIZE);
    memory_host_file(c.machine, SETUP, newer, PE_SIZE);
    ensure(&session);
    assert_memory_equal(memory_host_content(c.machine, SETUP), newer, PE_SIZE);
    assert_true(verb_case_told(&c, "note program.newer"));
    memory_host_file(c.machine, VERB_MEDIA "\\cudnn-setup.exe", newer, PE_SIZE);
    memory_host_start_program(c.machine, VERB_MEDIA "\\cudnn-setup.exe");
    memory_host_file(c.machine, SETUP, older, PE_SIZE);
    ensure(&session);
    assert_memory_equal(memory_host_content(c.machine, SETUP), newer, PE_SIZE);
    cs_free(newer);
    cs_free(older);
    end(&c, &session);
}

/* Whoever may write to the folder that setup was started from can rename it and put another file there. */
static void test_programs_copy_what_runs(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    memory_host_start_program(c.machine, VERB_MEDIA "\\cudnn-setup.exe");
    assert_true(memory_host_move(c.machine, VERB_MEDIA "\\cudnn-setup.exe", VERB_MEDIA "\\renamed.exe"));
    memory_host_text(c.machine, VERB_MEDIA "\\cudnn-setup.exe", "an impostor");
    ensure(&session);
    assert_string_equal(memory_host_content(c.machine, SETUP), "setup itself");
    assert_int_equal(memory_host_open_files(c.machine), 1); /* the session's lock */
    end(&c, &session);
}

static void test_programs_that_run_are_moved_aside(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    memory_host_text(c.machine, DOCTOR, "an older doctor");
    memory_host_map(c.machine, DOCTOR, true);
    ensure(&session);
    assert_string_equal(memory_host_content(c.machine, DOCTOR), "the doctor");
    char *after = memory_host_dump(c.machine, VERB_P);
    char *aside = strstr(after, "~");
    assert_non_null(aside);
    char path[200];
    snprintf(path, sizeof path, VERB_P "\\%.21s", aside);
    assert_true(cs_programs_is_aside(path + strlen(VERB_P "\\")));
    assert_string_equal(memory_host_content(c.machine, path), "an older doctor");
    memory_host_map(c.machine, path, false);
    ensure(&session); /* a later run */
    assert_false(memory_host_exists(c.machine, path));
    free(after);
    end(&c, &session);
}

/* A virus scanner holds the doctor's new copy: it gets its name only after so many refusals. */
typedef struct scanner {
    unsigned refusals, tries;
} scanner;

static void scan(void *ctx, memory_host *machine, const char *operation, const char *path) {
    scanner *s = ctx;
    if (strcmp(operation, "rename") != 0) return;
    bool naming = strstr(path, CS_PROGRAM_NAME_DOCTOR ".tmp -> ") != NULL;
    bool refused = naming && s->tries++ < s->refusals;
    memory_host_fail_on(machine, "rename", refused ? CS_PROGRAM_NAME_DOCTOR : "\\no such name", MEMORY_BEFORE, 32);
}

static void test_programs_that_cannot_be_replaced_stay(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    scanner for_good = {.refusals = 1000};
    begin(&c, &session);
    memory_host_text(c.machine, DOCTOR, "an older doctor");
    memory_host_map(c.machine, DOCTOR, true);
    memory_host_hook(c.machine, scan, &for_good);
    assert_int_not_equal(cs_programs_ensure(&session, NULL), CS_OK);
    memory_host_hook(c.machine, NULL, NULL);
    assert_int_equal(for_good.tries, 11);
    assert_string_equal(memory_host_content(c.machine, DOCTOR), "an older doctor");
    char *after = memory_host_dump(c.machine, VERB_P);
    assert_null(strchr(after, '~'));
    free(after);
    end(&c, &session);
}

static void test_programs_wait_for_a_scanner(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    scanner once = {.refusals = 3};
    begin(&c, &session);
    memory_host_text(c.machine, DOCTOR, "an older doctor");
    memory_host_hook(c.machine, scan, &once);
    ensure(&session);
    memory_host_hook(c.machine, NULL, NULL);
    assert_int_equal(once.tries, 4);
    assert_string_equal(memory_host_content(c.machine, DOCTOR), "the doctor");
    end(&c, &session);
}

static void test_programs_read_only_ones_are_collected(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    ensure(&session);
    assert_true(memory_host_set_info(c.machine, DOCTOR, 0x1, 0, 0));
    assert_int_equal(cs_programs_collect(&session, NULL), CS_OK);
    assert_false(memory_host_exists(c.machine, DOCTOR));
    assert_int_equal(memory_host_system(c.machine)->restart_deletes.count, 0);
    end(&c, &session);
}

static void test_programs_without_a_resource_are_a_warning(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    memory_host_fail_on(c.machine, "resource", CS_PROGRAM_NAME_PROBE, MEMORY_BEFORE, 2);
    ensure(&session);
    assert_true(verb_case_told(&c, "warning program.missing"));
    assert_true(memory_host_exists(c.machine, DOCTOR));
    assert_false(memory_host_exists(c.machine, VERB_P "\\" CS_PROGRAM_NAME_PROBE));
    memory_host_restart(c.machine);
    end(&c, &session);
}

static void test_programs_running_from_p_copy_nothing_over_themselves(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    ensure(&session);
    snprintf(memory_host_system(c.machine)->program_path, 512, "%s", SETUP);
    memory_host_map(c.machine, SETUP, true);
    char *before = memory_host_dump(c.machine, VERB_P);
    ensure(&session);
    char *after = memory_host_dump(c.machine, VERB_P);
    assert_string_equal(before, after);
    free(before), free(after);
    end(&c, &session);
}

static void test_programs_uninstall_from_p_retires_the_running_copy(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    snprintf(memory_host_system(c.machine)->program_path, 512, "%s", SETUP);
    memory_host_map(c.machine, SETUP, true);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    const cs_strings *deletes = &memory_host_system(c.machine)->restart_deletes;
    assert_int_equal(deletes->count, 1);
    assert_true(cs_programs_is_aside(strrchr(deletes->items[0], '\\') + 1));
    assert_string_equal(memory_host_content(c.machine, deletes->items[0]), "setup itself");
    assert_false(memory_host_exists(c.machine, SETUP));
    assert_false(memory_host_exists(c.machine, DOCTOR));
    verb_case_end(&c);
}

static void test_programs_collecting_leaves_other_files(void **state) {
    (void)state;
    verb_case c;
    cs_session session;
    begin(&c, &session);
    ensure(&session);
    memory_host_text(c.machine, VERB_P "\\notes.txt", "somebody's");
    memory_host_text(c.machine, VERB_P "\\logs\\~0123456789abcdef.old", "not directly in P");
    memory_host_text(c.machine, VERB_P "\\~0123456789abcdef.old", "ours");
    assert_int_equal(cs_programs_collect(&session, NULL), CS_OK);
    assert_false(memory_host_exists(c.machine, SETUP));
    assert_false(memory_host_exists(c.machine, VERB_P "\\~0123456789abcdef.old"));
    assert_true(memory_host_exists(c.machine, VERB_P "\\notes.txt"));
    assert_true(memory_host_exists(c.machine, VERB_P "\\logs\\~0123456789abcdef.old"));
    end(&c, &session);
}

static void test_programs_aside_names(void **state) {
    (void)state;
    assert_true(cs_programs_is_aside("~0123456789abcdef.old"));
    assert_false(cs_programs_is_aside("~0123456789ABCDEF.old"));
    assert_false(cs_programs_is_aside("~0123456789abcde.old"));
    assert_false(cs_programs_is_aside("~0123456789abcdef0.old"));
    assert_false(cs_programs_is_aside("0123456789abcdef0.old"));
    assert_false(cs_programs_is_aside("~0123456789abcdef.exe"));
    assert_false(cs_programs_is_aside(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_are_placed_once),
        cmocka_unit_test(test_programs_that_differ_are_replaced),
        cmocka_unit_test(test_programs_never_replace_a_newer_one),
        cmocka_unit_test(test_programs_copy_what_runs),
        cmocka_unit_test(test_programs_that_run_are_moved_aside),
        cmocka_unit_test(test_programs_that_cannot_be_replaced_stay),
        cmocka_unit_test(test_programs_wait_for_a_scanner),
        cmocka_unit_test(test_programs_read_only_ones_are_collected),
        cmocka_unit_test(test_programs_without_a_resource_are_a_warning),
        cmocka_unit_test(test_programs_running_from_p_copy_nothing_over_themselves),
        cmocka_unit_test(test_programs_uninstall_from_p_retires_the_running_copy),
        cmocka_unit_test(test_programs_collecting_leaves_other_files),
        cmocka_unit_test(test_programs_aside_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
