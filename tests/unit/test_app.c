#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/app.h"
#include "cudnn_setup/console.h"
#include "memory_host.h"

#define WORDS(...)     ((const char *const[]){__VA_ARGS__})
#define RUN(s, ...)    run(s, CS_PROGRAM_SETUP, WORDS(__VA_ARGS__), sizeof WORDS(__VA_ARGS__) / sizeof(const char *))
#define DOCTOR(s, ...) run(s, CS_PROGRAM_DOCTOR, WORDS(__VA_ARGS__), sizeof WORDS(__VA_ARGS__) / sizeof(const char *))

#define ELEVATED "C:\\Program Files\\cudnn-setup\\logs\\20261130T023333Z-"
#define USER     "C:\\Users\\user\\AppData\\Local\\cudnn-setup\\logs\\20261130T023333Z-"

/* A machine, a front that remembers, and verbs that do as they are told. */
typedef struct scene {
    memory_host *machine;
    cs_buffer out, err, message, report, log;
    unsigned runs, asked, ended;
    bool refuse, has_options;
    cs_options seen; /* borrowed texts: only flags are looked at later */
    cs_buffer archive;
    cs_console console;
} scene;

static struct {
    scene *now;
    cs_status status;
    cs_result result;
    const char *message, *report;
} told; /* the verbs have no context of their own */

static cs_status work(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    told.now->runs++;
    told.now->seen = *options;
    cs_buffer_text(&told.now->archive, options->archive);
    cs_emit(host->events, CS_EVENT_STEP, "", "Working");
    cs_emit(host->events, CS_EVENT_NOTE, "n", "a note\x1b[0m");
    cs_emit(host->events, CS_EVENT_DETAIL, "d", "a detail");
    cs_emit(host->events, CS_EVENT_WARNING, "w.id", "a warning");
    cs_emit_progress(host->events, &(cs_progress){.step = "s", .file = "file", .done = 1, .total = 2});
    outcome->status = told.status;
    outcome->result = told.result;
    if (told.message) cs_buffer_text(&outcome->message, told.message);
    if (told.status) cs_fail(&outcome->error, told.status, "open", "C:\\x", "sentence");
    return told.status;
}

static cs_status look(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_buffer_text(report, told.report);
    return work(host, options, outcome);
}

static int judge(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    look(host, options, report, outcome);
    return 2;
}

static const cs_app_verb verbs[] = {{.verb = CS_VERB_INSTALL, .changes = true, .operation = work},
                                    {.verb = CS_VERB_UNINSTALL, .changes = true, .operation = work},
                                    {.verb = CS_VERB_VERIFY, .operation = work},
                                    {.verb = CS_VERB_STATUS, .look = look},
                                    {.verb = CS_VERB_DIAGNOSE, .judge = judge}};

static cs_status absolute(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_buffer_clear(out);
    cs_buffer_format(out, "%s%s", path[0] == '\\' || path[1] == ':' ? "" : "C:\\Here\\", path);
    return cs_buffer_check(out, error);
}

static void write(void *ctx, bool to_error, const char *text, size_t size) {
    scene *s = ctx;
    cs_buffer_append(to_error ? &s->err : &s->out, text, size);
}

static void on_begin(void *ctx, const cs_options *options) { cs_console_begin(&((scene *)ctx)->console, options); }
static void on_event(void *ctx, const cs_event *event) { cs_console_event(&((scene *)ctx)->console, event); }

static bool on_confirm(void *ctx, const cs_options *options) {
    (void)options;
    scene *s = ctx;
    s->asked++;
    return !s->refuse;
}

static void on_end(void *ctx, const cs_app_end *end) {
    scene *s = ctx;
    s->ended++;
    s->has_options = end->options != NULL;
    cs_buffer_text(&s->message, end->message);
    cs_buffer_text(&s->report, end->report);
    cs_buffer_text(&s->log, end->log);
    cs_console_end(&s->console, end);
}

static int setup(void **state) {
    static scene s;
    s = (scene){.machine = memory_host_new()};
    s.console = (cs_console){.ctx = &s, .write = write};
    memory_host_system(s.machine)->now = INT64_C(134404796130000000); /* 2026-11-30T02:33:33Z */
    memory_host_folder(s.machine, "C:\\Here");
    memset(&told, 0, sizeof told);
    told.now = &s;
    told.message = "It is done.";
    told.report = "";
    *state = &s;
    return 0;
}

static int teardown(void **state) {
    scene *s = *state;
    assert_int_equal(memory_host_open_files(s->machine), 0);
    cs_buffer *all[] = {&s->out, &s->err, &s->message, &s->report, &s->log, &s->archive};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cs_buffer_free(all[i]);
    memory_host_free(s->machine);
    return 0;
}

static int run(scene *s, cs_program program, const char *const *words, size_t count) {
    cs_app_front front = {.ctx = s,
                          .version = "1.2.3",
                          .absolute = absolute,
                          .begin = on_begin,
                          .event = on_event,
                          .confirm = on_confirm,
                          .end = on_end};
    int code =
        cs_app_run_verbs(memory_host_seam(s->machine), program, words, count, &front, verbs, sizeof verbs / sizeof verbs[0]);
    assert_int_equal(s->ended, 1);
    return code;
}

static const char *content(scene *s, const char *path) {
    const char *text = memory_host_content(s->machine, path);
    assert_non_null(text);
    return text;
}

static void test_app_runs_the_verb_and_logs_it(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/quiet", "/archive:a.zip"), 0);
    assert_int_equal(s->runs, 1);
    assert_int_equal(s->asked, 0);
    assert_string_equal(s->archive.data, "C:\\Here\\a.zip");
    assert_string_equal(cs_buffer_string(&s->log), ELEVATED "install-4242.log");
    const char *log = content(s, ELEVATED "install-4242.log");
    static const char *const parts[] = {"cudnn-setup 1.2.3, process 4242, administrator\r\n",
                                        "[run.argument] /archive:a.zip\r\n",
                                        "step    Working\r\n",
                                        "note    [n] a note\\u{1b}[0m\r\n",
                                        "detail  [d] a detail\r\n",
                                        "warning [w.id] a warning\r\n",
                                        "result  It is done.\r\n",
                                        "end     exit code 0\r\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(log, parts[i])) fail_msg("not in the log: %s", parts[i]);
    assert_null(strstr(log, "file"));
    assert_non_null(strstr(content(s, ELEVATED "install-4242.html"), "<h1>It is done.</h1>"));
}

static void test_app_quiet_success_prints_nothing(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/quiet"), 0);
    assert_string_equal(cs_buffer_string(&s->out), "");
    assert_string_equal(cs_buffer_string(&s->err), "");
}

static void test_app_tells_steps_notes_and_warnings(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/passive"), 0);
    assert_string_equal(cs_buffer_string(&s->out), "Working\n  a note\\u{1b}[0m\nIt is done.\n");
    assert_string_equal(cs_buffer_string(&s->err), "warning: a warning\n");
}

static void test_app_failure_names_the_log(void **state) {
    scene *s = *state;
    told.status = CS_E_ARCHIVE_BAD;
    told.result = CS_RESULT_FAILED;
    told.message = NULL;
    assert_int_equal(RUN(s, "/quiet"), 1620);
    assert_string_equal(cs_buffer_string(&s->out), "");
    assert_string_equal(cs_buffer_string(&s->err), "C:\\x: sentence.\nLog: " ELEVATED "install-4242.log\n");
    assert_non_null(strstr(content(s, ELEVATED "install-4242.log"), "end     exit code 1620\r\n"));
}

static void test_app_json_on_success_and_failure(void **state) {
    scene *s = *state;
    told.status = CS_E_NO_SPACE;
    told.result = CS_RESULT_FAILED;
    assert_int_equal(RUN(s, "/quiet", "/json:r.json"), 112);
    const char *json = content(s, "C:\\Here\\r.json");
    assert_non_null(strstr(json, "\"verb\": \"install\""));
    assert_non_null(strstr(json, "\"exit\": 112"));
    assert_non_null(strstr(json, "\"result\": \"failed\""));
    assert_non_null(strstr(json, "\"id\": \"w.id\""));
    assert_non_null(strstr(json, "\"log\": \"C:\\\\Program Files\\\\cudnn-setup\\\\logs\\\\20261130T023333Z-install-4242.log\""));
}

/* The window was closed before any run: the result is written all the same, and nothing else is. */
static void test_app_that_was_not_begun_writes_its_result(void **state) {
    scene *s = *state;
    const cs_app_front front = {.version = "1.2.3", .absolute = absolute};
    const char *const words[] = {"/uninstall", "/json:r.json"};
    const char *const bad[] = {"/json:C:\\Nowhere\\r.json"};
    const cs_host *host = memory_host_seam(s->machine);
    assert_int_equal(cs_app_run_unbegun(host, CS_PROGRAM_SETUP, words, 2, &front, CS_E_CANCELLED, "Nothing was changed."), 1602);
    const char *json = content(s, "C:\\Here\\r.json");
    assert_non_null(strstr(json, "\"verb\": \"uninstall\",\n  \"exit\": 1602"));
    assert_non_null(strstr(json, "\"result\": \"cancelled\""));
    assert_non_null(strstr(json, "Nothing was changed."));
    assert_int_equal(cs_app_run_unbegun(host, CS_PROGRAM_SETUP, words, 2, &front, CS_OK, "It is there."), 0);
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"result\": \"already\""));
    assert_int_equal(cs_app_run_unbegun(host, CS_PROGRAM_SETUP, bad, 1, &front, CS_E_CANCELLED, "x"), 1639);
    assert_false(memory_host_exists(s->machine, "C:\\Program Files\\cudnn-setup")); /* no log */
    assert_int_equal(s->runs + s->asked + s->ended, 0);
}

static void test_app_json_that_cannot_be_written_is_said(void **state) {
    scene *s = *state;
    memory_host_folder(s->machine, "C:\\Full");
    memory_host_fail_on(s->machine, "create", ".tmp", MEMORY_BEFORE, 5);
    assert_int_equal(RUN(s, "/passive", "/json:C:\\Full\\r.json"), 0);
    assert_int_equal(s->runs, 1);
    assert_non_null(strstr(cs_buffer_string(&s->err), "warning: The JSON result cannot be written: cannot open C:\\Full"));
    assert_non_null(strstr(content(s, ELEVATED "install-4242.log"), "[json.failed]"));
}

static void test_app_accepts_what_it_would_begin(void **state) {
    scene *s = *state;
    const cs_app_front front = {.ctx = s, .absolute = absolute};
    static const struct {
        const char *word;
        bool accepted;
    } rows[] = {{"/json:r.json", true},
                {"/log:C:\\Here\\NUL", false},
                {"/json:C:\\Nowhere\\r.json", false},
                {"/quite", false},
                {"/passive", true}};
    memory_host_folder(s->machine, "C:\\Here");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cs_app_accepts(memory_host_seam(s->machine), CS_PROGRAM_SETUP, &rows[i].word, 1, &front),
                         rows[i].accepted);
    assert_int_equal(s->runs, 0);
    assert_false(memory_host_exists(s->machine, "C:\\Here\\r.json"));
    s->ended = 1;
}

static void test_app_output_into_no_folder_is_a_bad_command_line(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/quiet", "/json:C:\\Nowhere\\r.json"), 1639);
    s->ended = 0;
    assert_int_equal(RUN(s, "/quiet", "/log:C:\\Nowhere\\x.log"), 1639);
    assert_int_equal(s->runs, 0);
    assert_non_null(strstr(cs_buffer_string(&s->err), "there is no folder C:\\Nowhere"));
}

static void test_app_bad_output_name_is_a_bad_command_line(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/quiet", "/log:C:\\Here\\NUL", "/json:r.json"), 1639);
    assert_int_equal(s->runs, 0);
    assert_non_null(strstr(cs_buffer_string(&s->message), "is a device"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"exit\": 1639"));
}

static void test_app_unelevated_change_is_740(void **state) {
    scene *s = *state;
    memory_host_system(s->machine)->administrator = false;
    assert_int_equal(RUN(s, "/quiet", "/json:r.json"), 740);
    assert_int_equal(s->runs, 0);
    assert_false(memory_host_exists(s->machine, "C:\\Program Files\\cudnn-setup"));
    assert_non_null(strstr(content(s, USER "install-4242.log"), "exit code 740"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"exit\": 740"));
}

static void test_app_unelevated_may_look_and_try(void **state) {
    scene *s = *state;
    memory_host_system(s->machine)->administrator = false;
    assert_int_equal(RUN(s, "/quiet", "/dryrun"), 0);
    assert_int_equal(s->runs, 1);
    assert_true(s->seen.dryrun);
    assert_false(memory_host_exists(s->machine, USER "install-4242.html"));
}

static void test_app_asks_only_interactive_changes(void **state) {
    scene *s = *state;
    s->refuse = true;
    assert_int_equal(RUN(s, "/uninstall"), 1602);
    assert_int_equal(s->asked, 1);
    assert_int_equal(s->runs, 0);
    assert_string_equal(cs_buffer_string(&s->message), "Cancelled. Everything is as before.");
}

static void test_app_asks_nothing_before_looking(void **state) {
    scene *s = *state;
    s->refuse = true;
    told.report = "All is well.\n";
    assert_int_equal(RUN(s, "/status"), 0);
    assert_int_equal(s->asked, 0);
    assert_string_equal(cs_buffer_string(&s->report), "All is well.\n");
    assert_non_null(strstr(cs_buffer_string(&s->out), "All is well.\nIt is done.\n"));
    assert_non_null(strstr(content(s, ELEVATED "status-4242.html"), "<pre>All is well.\n</pre>"));
}

static void test_app_usage_error_is_logged(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/quite", "/json:r.json"), 1639);
    assert_false(s->has_options);
    assert_int_equal(s->runs, 0);
    assert_non_null(strstr(cs_buffer_string(&s->err), "/quite: no such option; /? lists them. Nothing was changed."));
    assert_non_null(strstr(content(s, ELEVATED "usage-4242.log"), "[run.argument] /quite\r\n"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"verb\": \"none\",\n  \"exit\": 1639"));
}

static void test_app_usage_error_names_the_verb(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/uninstall", "/bogus", "/quiet", "/json:r.json", "/log:C:\\Here\\l.log"), 1639);
    assert_int_equal(s->runs, 0);
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"verb\": \"uninstall\",\n  \"exit\": 1639"));
    assert_non_null(strstr(content(s, "C:\\Here\\l.log"), "exit code 1639"));
}

static void test_app_help_leaves_no_trace(void **state) {
    scene *s = *state;
    assert_int_equal(RUN(s, "/?", "/json:r.json"), 0);
    assert_false(memory_host_exists(s->machine, "C:\\Here\\r.json"));
    assert_true(s->has_options);
    assert_non_null(strstr(cs_buffer_string(&s->out), "Exit codes:\n"));
    assert_string_equal(cs_buffer_string(&s->log), "");
    assert_false(memory_host_exists(s->machine, "C:\\Program Files\\cudnn-setup"));
}

static void test_app_given_log_and_report(void **state) {
    scene *s = *state;
    memory_host_system(s->machine)->computer_name = "PC-7";
    assert_int_equal(RUN(s, "/quiet", "/log:%COMPUTERNAME%.log", "/report:r.html"), 0);
    assert_non_null(strstr(content(s, "C:\\Here\\PC-7.log"), "exit code 0"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.html"), "<h1>It is done.</h1>"));
    assert_false(memory_host_exists(s->machine, "C:\\Program Files\\cudnn-setup"));
}

static void test_app_log_that_cannot_be_opened_goes_to_its_usual_place(void **state) {
    scene *s = *state;
    memory_host_folder(s->machine, "C:\\Full");
    memory_host_fail_on(s->machine, "create", "x.log", MEMORY_BEFORE, 5);
    assert_int_equal(RUN(s, "/passive", "/log:C:\\Full\\x.log"), 0);
    assert_int_equal(s->runs, 1);
    assert_non_null(strstr(cs_buffer_string(&s->err),
                           "warning: The log goes to its usual place, since it cannot be written where /log says"));
    assert_string_equal(cs_buffer_string(&s->log), ELEVATED "install-4242.log");
}

static void test_app_without_any_log_goes_on(void **state) {
    scene *s = *state;
    memory_host_text(s->machine, "C:\\Program Files\\cudnn-setup", "a file in the way");
    assert_int_equal(RUN(s, "/passive", "/json:r.json"), 0);
    assert_int_equal(s->runs, 1);
    assert_non_null(strstr(cs_buffer_string(&s->err), "warning: There is no log of this run"));
    const char *json = content(s, "C:\\Here\\r.json");
    assert_non_null(strstr(json, "\"id\": \"log.failed\""));
    assert_null(strstr(json, "\"log\":"));
}

static void test_app_log_that_breaks_is_said(void **state) {
    scene *s = *state;
    memory_host_fail_on(s->machine, "write", ".log", MEMORY_BEFORE, 112);
    assert_int_equal(RUN(s, "/passive"), 0);
    assert_int_equal(s->runs, 1);
    assert_non_null(strstr(cs_buffer_string(&s->err), "warning: The log of this run is not complete"));
    memory_host_restart(s->machine);
}

static void test_app_wine_is_said_in_log_and_result(void **state) {
    scene *s = *state;
    memory_host_system(s->machine)->wine_version = "8.0";
    assert_int_equal(RUN(s, "/quiet", "/json:r.json"), 0);
    assert_non_null(strstr(content(s, ELEVATED "install-4242.log"), "Wine 8.0: access rights not checked"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"wine.rights\""));
}

static void test_app_diagnosis_has_its_own_exit_code(void **state) {
    scene *s = *state;
    told.report = "Broken.\n";
    assert_int_equal(DOCTOR(s, "/json:r.json"), 2);
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"exit\": 2"));
    assert_non_null(strstr(content(s, "C:\\Here\\r.json"), "\"verb\": \"diagnose\""));
}

/* The end of a run is too late to find out that its result would replace somebody's archive. */
static void test_app_replaces_nothing_but_an_earlier_result(void **state) {
    static const char *const words[][2] = {{"/json:a.zip", NULL},
                                           {"/report:a.zip", NULL},
                                           {"/log:a.zip", NULL},
                                           {"/json:r.json", "/report:R.JSON"},
                                           {"/log:r.json", "/json:r.json"},
                                           {"/json:b.zip", "/archive:B.zip"}};
    scene *s = *state;
    memory_host_file(s->machine, "C:\\Here\\a.zip", "PK\3\4", 5);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        s->ended = 0;
        int code = words[i][1] ? RUN(s, "/quiet", words[i][0], words[i][1]) : RUN(s, "/quiet", words[i][0]);
        assert_int_equal(code, 1639);
        assert_int_equal(s->runs, 0);
        assert_string_equal(content(s, "C:\\Here\\a.zip"), "PK\3\4");
        assert_null(memory_host_content(s->machine, "C:\\Here\\r.json"));
    }
    for (unsigned i = 1; i <= 2; i++) {
        s->ended = 0;
        assert_int_equal(RUN(s, "/quiet", "/json:r.json", "/report:r.html", "/log:r.log"), 0);
        assert_int_equal(s->runs, i);
    }
}

static void test_app_verb_without_an_operation(void **state) {
    scene *s = *state;
    assert_int_equal(DOCTOR(s, "detect"), 1603);
    assert_non_null(strstr(cs_buffer_string(&s->message), "cannot detect"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_app_runs_the_verb_and_logs_it),
        TEST(test_app_quiet_success_prints_nothing),
        TEST(test_app_tells_steps_notes_and_warnings),
        TEST(test_app_failure_names_the_log),
        TEST(test_app_json_on_success_and_failure),
        TEST(test_app_that_was_not_begun_writes_its_result),
        TEST(test_app_json_that_cannot_be_written_is_said),
        TEST(test_app_accepts_what_it_would_begin),
        TEST(test_app_output_into_no_folder_is_a_bad_command_line),
        TEST(test_app_bad_output_name_is_a_bad_command_line),
        TEST(test_app_unelevated_change_is_740),
        TEST(test_app_unelevated_may_look_and_try),
        TEST(test_app_asks_only_interactive_changes),
        TEST(test_app_asks_nothing_before_looking),
        TEST(test_app_usage_error_is_logged),
        TEST(test_app_usage_error_names_the_verb),
        TEST(test_app_help_leaves_no_trace),
        TEST(test_app_given_log_and_report),
        TEST(test_app_log_that_cannot_be_opened_goes_to_its_usual_place),
        TEST(test_app_without_any_log_goes_on),
        TEST(test_app_log_that_breaks_is_said),
        TEST(test_app_wine_is_said_in_log_and_result),
        TEST(test_app_replaces_nothing_but_an_earlier_result),
        TEST(test_app_diagnosis_has_its_own_exit_code),
        TEST(test_app_verb_without_an_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
