#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/result.h"
#include "cudnn_setup/status_view.h"
#include "verb_case.h"

#define NOVEMBER_2026 INT64_C(134404796130000000) /* 2026-11-30T02:33:33Z */

typedef struct scene {
    verb_case c;
    cs_buffer report, json;
    int code;
} scene;

static void begin(scene *s) {
    *s = (scene){0};
    verb_case_begin(&s->c);
    memory_host_system(s->c.machine)->now = NOVEMBER_2026 - 10000000;
    memory_host_system(s->c.machine)->local_minutes = 480;
}

static void end(scene *s) {
    cs_buffer_free(&s->report);
    cs_buffer_free(&s->json);
    verb_case_end(&s->c);
}

static void install(scene *s, const char *name, const char *version, unsigned number, const char *tag) {
    verb_case_package(&s->c, name, version, number, tag, false);
    assert_int_equal(verb_case_install(&s->c, name), 0);
}

/* Asks and keeps both answers. Looking writes nothing and leaves nothing open. */
static void ask(scene *s) {
    verb_case *c = &s->c;
    cs_warnings none = {0};
    cs_verb verb = c->options.verb;
    cs_outcome_free(&c->outcome);
    cs_buffer_clear(&s->report);
    cs_buffer_clear(&c->told);
    c->options.verb = CS_VERB_STATUS;
    memory_host_trace(c->machine, true);
    cs_status status = cs_show_status(c->host, &c->options, &s->report, &c->outcome);
    assert_string_equal(memory_host_trace_text(c->machine), "");
    memory_host_trace(c->machine, false);
    c->options.verb = verb;
    assert_int_equal(status, c->outcome.status);
    assert_true(c->outcome.message.size > 0);
    verb_case_assert_closed(c);
    s->code = cs_exit_code(status);
    cs_result_view view = {.program = "cudnn-setup", .verb = CS_VERB_STATUS, .exit_code = s->code, .outcome = &c->outcome};
    view.warnings = &none;
    view.report = cs_buffer_string(&s->report);
    view.log = view.time = "";
    assert_int_equal(cs_result_json(&view, &s->json, NULL), CS_OK);
}

#define SAID(s, text)                                                                                                            \
    do {                                                                                                                         \
        if (!strstr(cs_buffer_string(&(s)->report), text)) fail_msg("not said: %s\n%s", text, cs_buffer_string(&(s)->report));   \
    } while (0)
#define UNSAID(s, text) assert_null(strstr(cs_buffer_string(&(s)->report), text))
#define JSON(s, text)                                                                                                            \
    do {                                                                                                                         \
        if (!strstr(cs_buffer_string(&(s)->json), text)) fail_msg("not in JSON: %s\n%s", text, cs_buffer_string(&(s)->json));    \
    } while (0)
#define MESSAGE(s, text) assert_non_null(strstr(cs_buffer_string(&(s)->c.outcome.message), text))

/* The folder of the only tree's state, or a name in it. */
static const char *state_path(scene *s, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, VERB_P "\\state\\%s\\%s", s->c.outcome.tree_id, name);
    return path;
}

static void test_status_report_one_installation(void **state) {
    (void)state;
    scene s;
    begin(&s);
    verb_case_put(&s.c, "include/cudnn.h", "older header");
    verb_case_put(&s.c, "NVIDIA_SLA_cuDNN_Support.txt", verb_case_content("803", 5));
    install(&s, "p803", "8.0.3.33", 8003, "803");
    ask(&s);
    assert_int_equal(s.code, 0);
    MESSAGE(&s, "cuDNN 8.0.3.33 (sample) is installed in " VERB_TREE ".");
    SAID(&s, VERB_TREE "\n  id: ");
    SAID(&s, "  last change: install, 20");
    SAID(&s, "  Installed: cuDNN 8.0.3.33, 2026-11-30 02:33:33 UTC (2026-11-30 10:33:33 here, UTC+08:00)\n");
    SAID(&s, "    trust: a sample, not NVIDIA's package; the archive as a whole, pinned by a manifest that this program does not "
             "carry (archive SHA-256 ");
    SAID(&s, "    files: 5 placed by us, 1 right already and not ours\n");
    SAID(&s, "    undo data: 1 older file, 12 bytes\n");
    SAID(&s, "    CUDA_PATH (REG_SZ, new):\n      + " VERB_TREE "\n      now: as written\n");
    SAID(&s, "      + [0] " VERB_TREE "\\bin   <- ours\n");
    SAID(&s, "      now: as written; our folder is entry [0]\n");
    SAID(&s, "  What /rollback or /uninstall would do now:\n    files: 4 removed, 1 put back\n");
    SAID(&s, "      - [0] " VERB_TREE "\\bin   <- ours\n");
    UNSAID(&s, "What /rollback would");
    UNSAID(&s, "Undo data in all");
    UNSAID(&s, "Kept aside");
    UNSAID(&s, "administrator");
    JSON(&s, "\"source\": \"records\",\n  \"recovery_service\": false,\n  \"running\": false,\n  \"not_seen\": []");
    JSON(&s, "\"folder\": \"here\"");
    JSON(&s, "\"kind\": \"install\",\n          \"product\": \"cuDNN\",\n          \"version\": \"8.0.3.33\"");
    JSON(&s, "\"time\": \"2026-11-30T02:33:33Z\",\n          \"local_time\": \"2026-11-30T10:33:33+08:00\"");
    JSON(&s, "\"builtin\": false, \"sample\": true");
    JSON(&s,
         "\"files_ours\": 5,\n          \"files_already_right\": 1,\n          \"undo_files\": 1,\n          \"undo_bytes\": 12");
    JSON(&s, "{\"change\": \"added\", \"index\": 0, \"text\": \"C:\\\\CUDA\\\\v10.1\\\\bin\", \"ours\": true}");
    JSON(&s, "\"state\": \"as-written\",\n              \"place\": 0");
    JSON(&s, "\"rollback\": {\n        \"removed\": 4,\n        \"restored\": 1,\n        \"same\": 0,\n        \"kept\": 0");
    end(&s);
}

static void test_status_report_the_stack_newest_first(void **state) {
    (void)state;
    scene s;
    begin(&s);
    verb_case_put(&s.c, "include/cudnn.h", "older header");
    install(&s, "p802", "8.0.2.39", 8002, "802");
    install(&s, "p803", "8.0.3.33", 8003, "803");
    ask(&s);
    assert_int_equal(s.code, 0);
    const char *now = strstr(s.report.data, "  Installed: cuDNN 8.0.3.33, ");
    const char *before = strstr(s.report.data, "  Before that: cuDNN 8.0.2.39, ");
    assert_non_null(now);
    assert_non_null(before);
    assert_true(now < before);
    SAID(&s, "    undo data: 5 older files, ");
    SAID(&s, "    undo data: 1 older file, 12 bytes\n");
    SAID(&s, "\n  Undo data in all: ");
    SAID(&s, "  What /rollback would do now:\n    files: 5 put back; then cuDNN 8.0.2.39 is in place again\n");
    SAID(&s, "  What /uninstall would do now:\n    files: 5 removed, 1 put back\n");
    JSON(&s, "\"cudnn_version\": 8003");
    JSON(&s, "\"cudnn_version\": 8002");
    end(&s);
}

static void test_status_report_sealed_and_unverified_trust(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_trust trust = {.kind = CS_TRUST_SEALED};
    cs_status_say_trust(&out, &trust, true);
    assert_non_null(strstr(out.data, "each file, sealed by the built-in manifest (manifest SHA-256 000"));
    cs_buffer_clear(&out);
    trust = (cs_trust){.kind = CS_TRUST_PINNED, .has_archive_sha256 = true};
    cs_status_say_trust(&out, &trust, true);
    assert_non_null(strstr(out.data, "the archive as a whole, pinned by the built-in manifest (archive SHA-256 000"));
    cs_buffer_clear(&out);
    trust.kind = CS_TRUST_UNVERIFIED;
    cs_status_say_trust(&out, &trust, false);
    assert_non_null(strstr(out.data, "unverified copy, nobody vouches for it (archive SHA-256 000"));
    cs_buffer_free(&out);
}

static void test_status_report_edited_values(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p803", "8.0.3.33", 8003, "803");
    memory_host_reg_text(s.c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\new;c:/cuda/V10.1/bin/;C:\\x");
    memory_host_reg_text(s.c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "D:\\other");
    ask(&s);
    SAID(&s, "now: edited by somebody since; our folder is entry [1]\n");
    SAID(&s, "now: changed by somebody to D:\\other\n");
    JSON(&s, "\"state\": \"edited\",\n              \"place\": 1");
    JSON(&s, "\"state\": \"other\"");
    memory_host_reg_text(s.c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\new");
    memory_host_reg_delete(s.c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH");
    ask(&s);
    SAID(&s, "now: changed by somebody, and our folder is not in it\n");
    SAID(&s, "now: as it was before, so somebody put it back\n");
    JSON(&s, "\"state\": \"as-before\"");
    memory_host_fail_on(s.c.machine, "reg read", "CUDA_PATH", MEMORY_BEFORE, 5);
    ask(&s);
    assert_int_equal(s.code, 0);
    SAID(&s, "now: cannot be read\n");
    SAID(&s, "cannot be told: ");
    JSON(&s, "\"state\": \"unreadable\"");
    end(&s);
}

static void test_status_report_what_undoing_leaves_to_others(void **state) {
    (void)state;
    scene s;
    begin(&s);
    verb_case_put(&s.c, "include/cudnn.h", "older header");
    install(&s, "p803", "8.0.3.33", 8003, "803");
    verb_case_put(&s.c, "bin/cudnn64_8.dll", "somebody's");
    memory_host_delete(s.c.machine, VERB_TREE "\\lib\\x64\\cudnn.lib");
    ask(&s);
    SAID(&s, "1 kept, changed by somebody");
    SAID(&s, "    kept: bin/cudnn64_8.dll\n");
    JSON(&s, "{\"target\": \"bin/cudnn64_8.dll\", \"state\": \"kept\"}");
    JSON(&s, "\"kept\": 1");
    memory_host_delete(s.c.machine, VERB_TREE);
    ask(&s);
    assert_int_equal(s.code, 0);
    SAID(&s, "  The folder is not there any more; /uninstall cleans the environment and our own files.\n");
    SAID(&s, "    undo data: 1 older file, 0 bytes; 1 of them not there any more\n");
    JSON(&s, "\"folder\": \"gone\"");
    end(&s);
}

static void test_status_report_parked_and_unnamed_files(void **state) {
    (void)state;
    scene s;
    begin(&s);
    verb_case_put(&s.c, "include/cudnn.h", "older header");
    install(&s, "p802", "8.0.2.39", 8002, "802");
    install(&s, "p803", "8.0.3.33", 8003, "803");
    verb_case_put(&s.c, "include/cudnn.h", "somebody's");
    assert_int_equal(verb_case_run(&s.c, cs_uninstall), 0);
    memory_host_text(s.c.machine, VERB_TREE "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\old\\07", "of nobody");
    memory_host_text(s.c.machine, VERB_TREE "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\new\\03", "torn");
    memory_host_text(s.c.machine, VERB_TREE "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\archive", "a copy");
    memory_host_text(s.c.machine, VERB_TREE "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\old\\readme", "not ours");
    ask(&s);
    assert_int_equal(s.code, 1605);
    MESSAGE(&s, "nothing installed on this machine. Files that it kept aside are still there. What an interrupted run left is "
                "dropped by the next changing run");
    SAID(&s,
         "Kept aside, since they were not ours to delete; only /forget /force drops them:\n    " VERB_TREE "\\.cudnn-setup\\");
    SAID(&s, ", 12 bytes, was include/cudnn.h\n");
    SAID(&s, "Older files that no record names; nothing of ours deletes them:\n    " VERB_TREE
             "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\old\\07, 9 bytes\n");
    SAID(&s, "Left over from an interrupted unpacking; the next changing run deletes them:\n    " VERB_TREE
             "\\.cudnn-setup\\00112233445566778899aabbccddeeff\\new\\03, 4 bytes\n");
    SAID(&s, "\\archive, 6 bytes\n");
    UNSAID(&s, "readme");
    JSON(&s, "\"bytes\": 12}");
    JSON(&s, "\"unnamed\": [\n");
    JSON(&s, "\"receipts\": []");
    end(&s);
}

/* A DLL that a program still has loaded cannot be deleted: it waits. */
static void test_status_report_files_that_wait(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    memory_host_map(s.c.machine, VERB_TREE "\\bin\\cudnn64_8.dll", true);
    assert_int_equal(verb_case_run(&s.c, cs_uninstall), 0);
    ask(&s);
    assert_int_equal(s.code, 1605);
    SAID(&s, "No longer needed; the next changing run deletes them:\n    " VERB_TREE "\\.cudnn-setup\\");
    JSON(&s, "\"waiting\": [\n");
    end(&s);
}

/* Ends a run at the first rename after its journal. */
static void kill_at(void *ctx, memory_host *host, const char *operation, const char *path) {
    const char *name = ctx;
    if (strcmp(operation, "rename") != 0 || !strstr(path, name)) return;
    memory_host_fail_at(host, 1, MEMORY_BEFORE, MEMORY_KILL, 31);
}

/* An installation of 8.0.3 that the hook kills, and the next start of the machine. */
static void install_and_die(scene *s, memory_hook hook, void *ctx) {
    char archive[] = VERB_MEDIA "\\p803.zip", manifest[] = VERB_MEDIA "\\p803.json";
    verb_case_package(&s->c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_hook(s->c.machine, hook, ctx);
    s->c.options.archive = archive, s->c.options.manifest = manifest;
    cs_outcome_free(&s->c.outcome);
    cs_install(s->c.host, &s->c.options, &s->c.outcome);
    s->c.options.archive = s->c.options.manifest = NULL;
    memory_host_restart(s->c.machine);
}

static void test_status_report_an_interrupted_run(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install_and_die(&s, kill_at, "bin\\cudnn64_8.dll");
    ask(&s);
    assert_int_equal(s.code, 1604);
    MESSAGE(&s, "An interrupted run has not been finished or undone yet: cudnn-setup /recover");
    SAID(&s, VERB_TREE "\n  id: ");
    SAID(&s, "  Interrupted install of ");
    SAID(&s, " about 6 files and 2 environment values: /recover takes back what was done of it.\n");
    JSON(&s, "{\"what\": \"journal\", \"kind\": \"install\", \"time\": \"");
    JSON(&s, "\"files\": 6, \"values\": 2, \"path\": \"C:\\\\CUDA\\\\v10.1\"");
    JSON(&s, "\"recovery_service\": true");
    s.c.options.dryrun = true;
    assert_int_equal(verb_case_run(&s.c, cs_recover), 0);
    assert_non_null(strstr(cs_buffer_string(&s.c.outcome.plan), VERB_TREE "\n  Interrupted install of "));
    s.c.options.dryrun = false;
    assert_int_equal(verb_case_run(&s.c, cs_recover), 0);
    ask(&s);
    assert_int_equal(s.code, 1605);
    UNSAID(&s, "Interrupted");
    end(&s);
}

/* Uninstalls, ends at the first rename of that name, and asks. */
static void uninstall_killed_at(scene *s, char *name) {
    begin(s);
    install(s, "p802", "8.0.2.39", 8002, "802");
    memory_host_hook(s->c.machine, kill_at, name);
    cs_outcome_free(&s->c.outcome);
    cs_uninstall(s->c.host, &s->c.options, &s->c.outcome);
    memory_host_restart(s->c.machine);
    ask(s);
    assert_int_equal(s->code, 1604);
    SAID(s, "  Interrupted uninstall of ");
    UNSAID(s, "prepared and not begun");
    JSON(s, "\"kind\": \"uninstall\"");
}

static void test_status_report_an_interrupted_uninstall(void **state) {
    (void)state;
    scene s;
    char moving[] = "cudnn64_8.dll", committed[] = "committed";
    uninstall_killed_at(&s, moving);
    SAID(&s, "/recover takes back what was done of it.\n");
    SAID(&s, "cannot be told: the interrupted work comes first: cudnn-setup /recover.\n");
    end(&s);
    uninstall_killed_at(&s, committed);
    SAID(&s, "it had been carried out; /recover clears up after it.\n");
    end(&s);
}

static void kill_at_temporary_journal(void *ctx, memory_host *host, const char *operation, const char *path) {
    (void)ctx;
    if (strcmp(operation, "write") == 0 && strstr(path, "journal.tmp"))
        memory_host_fail_at(host, 1, MEMORY_BEFORE, MEMORY_KILL, 31);
}

/* A run that was killed while it unpacked changed nothing: it is told, and is no pending work. */
static void test_status_report_only_leavings(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install_and_die(&s, kill_at_temporary_journal, NULL);
    ask(&s);
    assert_int_equal(s.code, 1605);
    MESSAGE(&s, "nothing installed on this machine. What an interrupted run left is dropped by the next changing run");
    end(&s);
}

static void test_status_report_an_interrupted_unpacking(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    install_and_die(&s, kill_at_temporary_journal, NULL);
    ask(&s);
    assert_int_equal(s.code, 0);
    SAID(&s, "  An installation that was prepared and not begun, of ");
    SAID(&s, "; the next changing run, /recover for one, drops what was unpacked in " VERB_TREE ".\n");
    SAID(&s, "Left over from an interrupted unpacking; the next changing run deletes them:\n    " VERB_TREE "\\.cudnn-setup\\");
    JSON(&s, "{\"what\": \"intent\", \"time\": ");
    assert_int_equal(verb_case_run(&s.c, cs_recover), 0);
    ask(&s);
    UNSAID(&s, "prepared");
    UNSAID(&s, "Left over");
    end(&s);
}

static void test_status_report_damaged_records(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    memory_host_flip(s.c.machine, state_path(&s, "head"), 200);
    ask(&s);
    assert_int_equal(s.code, 1604);
    MESSAGE(&s, "A record of cudnn-setup cannot be used");
    SAID(&s, VERB_TREE "\n  id: ");
    SAID(&s, "  Its record cannot be used: ");
    SAID(&s, "\\head: its own SHA-256 does not match");
    SAID(&s, "/forget /force /tree:");
    JSON(&s, "\"folder\": \"here\",\n      \"problem\": \"");
    end(&s);
}

static void test_status_report_two_pending_names(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    memory_host_text(s.c.machine, state_path(&s, "journal"), "torn");
    memory_host_text(s.c.machine, state_path(&s, "undone"), "torn, too");
    ask(&s);
    assert_int_equal(s.code, 1604);
    SAID(&s, "cannot be read, so /recover touches nothing: ");
    JSON(&s, "{\"what\": \"journal\", \"time\": ");
    JSON(&s, "{\"what\": \"undone\", \"time\": ");
    SAID(&s, "  Installed: cuDNN 8.0.2.39, ");
    end(&s);
}

static void without_rights(scene *s) {
    memory_host_system(s->c.machine)->administrator = false;
    memory_host_fail_on(s->c.machine, "list", "\\cudnn-setup\\state", MEMORY_BEFORE, 5);
}

static void test_status_report_without_rights(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    without_rights(&s);
    ask(&s);
    assert_int_equal(s.code, 0);
    SAID(&s, "  Installed: cuDNN 8.0.2.39, ");
    SAID(&s, "  What /rollback or /uninstall would do now:\n    files: 6 removed\n");
    SAID(&s, "\nNot seen without administrator rights:\n  The records themselves");
    JSON(&s, "\"source\": \"copy\"");
    JSON(&s, "\"not_seen\": [\n    \"The records themselves");
    memory_host_system(s.c.machine)->service = true; /* the only sign of pending work that anybody may see */
    ask(&s);
    assert_int_equal(s.code, 1604);
    JSON(&s, "\"recovery_service\": true");
    end(&s);
}

/* The folder may be listed, and what is in it may not be read. */
static void test_status_report_with_half_the_rights(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    memory_host_fail_on(s.c.machine, "open read", "\\head", MEMORY_BEFORE, 5);
    ask(&s); /* an administrator: the rights are damaged */
    assert_int_equal(s.code, 1604);
    SAID(&s, "  Its record cannot be used: ");
    memory_host_system(s.c.machine)->administrator = false;
    ask(&s);
    assert_int_equal(s.code, 0);
    JSON(&s, "\"source\": \"copy\"");
    SAID(&s, "  Installed: cuDNN 8.0.2.39, ");
    end(&s);
}

static void test_status_report_readable_copy_damaged_or_lost(void **state) {
    (void)state;
    static const char *const contents[] = {NULL, "", "{}", "MZ\x90 foreign bytes"};
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        scene s;
        char path[256];
        begin(&s);
        install(&s, "p802", "8.0.2.39", 8002, "802");
        snprintf(path, sizeof path, VERB_P "\\status\\%s.json", s.c.outcome.tree_id);
        assert_true(memory_host_exists(s.c.machine, path));
        if (contents[i])
            memory_host_text(s.c.machine, path, contents[i]);
        else
            memory_host_delete(s.c.machine, path);
        memory_host_text(s.c.machine, VERB_P "\\status\\readme.txt", "somebody's");
        without_rights(&s);
        ask(&s);
        assert_int_equal(s.code, 1603);
        MESSAGE(&s, "The readable copy of what is installed is missing or damaged.");
        SAID(&s, "  Its readable copy cannot be used: ");
        if (!contents[i]) SAID(&s, "Apps & Features has an entry of it");
        UNSAID(&s, "readme");
        end(&s);
    }
}

static void second_tree(scene *s) {
    static const char *const files[][2] = {{"C:\\second\\bin\\cudart64_101.dll", "the CUDA runtime"},
                                           {"C:\\second\\version.txt", "CUDA Version 10.1.105\n"}};
    char cuda[] = "C:\\second";
    for (size_t i = 0; i < 2; i++) memory_host_text(s->c.machine, files[i][0], files[i][1]);
    memory_host_folder(s->c.machine, "C:\\second\\include");
    memory_host_folder(s->c.machine, "C:\\second\\lib\\x64");
    s->c.options.cuda = cuda;
    assert_int_equal(verb_case_install(&s->c, "p803"), 0);
    s->c.options.cuda = NULL;
}

static void test_status_report_several_trees(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p803", "8.0.3.33", 8003, "803");
    char *first = cs_strdup(s.c.outcome.tree_id);
    second_tree(&s);
    ask(&s);
    assert_int_equal(s.code, 0);
    MESSAGE(&s, "in 2 CUDA trees");
    SAID(&s, VERB_TREE "\n  id: ");
    SAID(&s, "C:\\second\n  id: ");
    SAID(&s, "written again by a newer installation\n");
    JSON(&s, "\"state\": \"rewritten\"");
    s.c.options.tree = first;
    ask(&s);
    assert_int_equal(s.code, 0);
    SAID(&s, VERB_TREE "\n  id: ");
    UNSAID(&s, "C:\\second\n  id: ");
    SAID(&s, "written again by a newer installation\n"); /* the other tree counts, shown or not */
    s.c.options.tree = NULL;
    char cuda[] = "c:/SECOND/";
    s.c.options.cuda = cuda;
    ask(&s);
    SAID(&s, "C:\\second\n  id: ");
    UNSAID(&s, VERB_TREE "\n  id: ");
    char nowhere[] = "C:\\nowhere";
    s.c.options.cuda = nowhere;
    ask(&s);
    assert_int_equal(s.code, 1605);
    MESSAGE(&s, "C:\\nowhere");
    s.c.options.cuda = NULL;
    cs_free(first);
    end(&s);
}

static void test_status_report_of_nothing(void **state) {
    (void)state;
    scene s;
    begin(&s);
    ask(&s);
    assert_int_equal(s.code, 1605);
    assert_string_equal(cs_buffer_string(&s.report), "");
    MESSAGE(&s, "cudnn-setup has nothing installed on this machine.");
    JSON(&s, "\"installations\": []");
    assert_false(memory_host_exists(s.c.machine, VERB_P));
    end(&s);
}

static void test_status_report_a_run_at_work(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    cs_file *lock = memory_host_hold(s.c.machine, VERB_P "\\state\\lock", CS_OPEN_LOCK);
    assert_non_null(lock);
    cs_buffer report = {0};
    s.c.options.verb = CS_VERB_STATUS;
    cs_outcome_free(&s.c.outcome);
    assert_int_equal(cs_show_status(s.c.host, &s.c.options, &report, &s.c.outcome), CS_OK);
    assert_non_null(strstr(report.data, "Another run of cudnn-setup is at work now"));
    s.c.host->fs->close(s.c.host->fs->ctx, lock);
    cs_buffer_free(&report);
    end(&s);
}

static void test_status_report_for_the_diagnosis_hashes_nothing(void **state) {
    (void)state;
    scene s;
    begin(&s);
    install(&s, "p802", "8.0.2.39", 8002, "802");
    cs_buffer report = {0};
    s.c.options.verb = CS_VERB_DIAGNOSE;
    cs_outcome_free(&s.c.outcome);
    assert_int_equal(cs_show_status(s.c.host, &s.c.options, &report, &s.c.outcome), CS_OK);
    assert_non_null(strstr(report.data, "  Installed: cuDNN 8.0.2.39"));
    assert_null(strstr(report.data, "would do now"));
    cs_buffer_free(&report);
    end(&s);
}

static void test_status_report_survives_every_failing_allocation(void **state) {
    (void)state;
    scene s;
    begin(&s);
    verb_case_put(&s.c, "include/cudnn.h", "older header");
    install(&s, "p802", "8.0.2.39", 8002, "802");
    install(&s, "p803", "8.0.3.33", 8003, "803");
    s.c.options.verb = CS_VERB_STATUS;
    cs_status status = CS_E_NO_MEMORY;
    unsigned long n = 0;
    for (n = 1; status != CS_OK && n < 20000; n += 1 + n / 40) {
        cs_buffer report = {0};
        cs_outcome_free(&s.c.outcome);
        cs_alloc_fail_at(n);
        status = cs_show_status(s.c.host, &s.c.options, &report, &s.c.outcome);
        cs_alloc_fail_at(0);
        verb_case_assert_closed(&s.c);
        cs_buffer_free(&report);
    }
    assert_int_equal(status, CS_OK);
    assert_true(n > 100);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_report_one_installation),
        cmocka_unit_test(test_status_report_the_stack_newest_first),
        cmocka_unit_test(test_status_report_sealed_and_unverified_trust),
        cmocka_unit_test(test_status_report_edited_values),
        cmocka_unit_test(test_status_report_what_undoing_leaves_to_others),
        cmocka_unit_test(test_status_report_parked_and_unnamed_files),
        cmocka_unit_test(test_status_report_files_that_wait),
        cmocka_unit_test(test_status_report_an_interrupted_run),
        cmocka_unit_test(test_status_report_an_interrupted_uninstall),
        cmocka_unit_test(test_status_report_only_leavings),
        cmocka_unit_test(test_status_report_an_interrupted_unpacking),
        cmocka_unit_test(test_status_report_damaged_records),
        cmocka_unit_test(test_status_report_two_pending_names),
        cmocka_unit_test(test_status_report_without_rights),
        cmocka_unit_test(test_status_report_with_half_the_rights),
        cmocka_unit_test(test_status_report_readable_copy_damaged_or_lost),
        cmocka_unit_test(test_status_report_several_trees),
        cmocka_unit_test(test_status_report_of_nothing),
        cmocka_unit_test(test_status_report_a_run_at_work),
        cmocka_unit_test(test_status_report_for_the_diagnosis_hashes_nothing),
        cmocka_unit_test(test_status_report_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
