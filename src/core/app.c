#include "cudnn_setup/app.h"

#include <string.h>

#include "cudnn_setup/log.h"
#include "cudnn_setup/outfile.h"
#include "cudnn_setup/text.h"

typedef struct run {
    cs_host host; /* the caller's, with the events of this run */
    cs_events events;
    cs_program program;
    const cs_app_front *front;
    const cs_app_verb *verb;
    cs_options options;
    cs_outcome outcome;
    cs_buffer report;
    cs_warnings warnings;
    cs_log log;
    char time[32];
    uint64_t start;
    bool parsed; /* the command line was understood */
    int exit_code;
} run;

static void on_event(void *ctx, const cs_event *event) {
    run *r = ctx;
    cs_log_event(&r->log, event);
    if (event->kind == CS_EVENT_WARNING) cs_warnings_add(&r->warnings, event->id, event->text, NULL);
    if (r->front->event) r->front->event(r->front->ctx, event);
}

static bool on_cancelled(void *ctx) {
    const run *r = ctx;
    return r->front->cancelled && r->front->cancelled(r->front->ctx);
}

/* A warning that carries an error's own words. */
static void warn(run *r, const char *id, const char *what, const cs_error *error) {
    char text[2048];
    cs_error_text(error, text, sizeof text);
    cs_emit(&r->events, CS_EVENT_WARNING, id, "%s: %s", what, text);
}

static void set_outcome(run *r, cs_status status, const cs_error *error, const char *message) {
    r->outcome.status = status;
    r->outcome.result = status == CS_OK            ? CS_RESULT_DONE
                        : status == CS_E_CANCELLED ? CS_RESULT_CANCELLED
                        : status == CS_E_PENDING   ? CS_RESULT_PENDING
                        : status == CS_E_DIFFERS   ? CS_RESULT_DIFFERS
                                                   : CS_RESULT_FAILED;
    if (error) r->outcome.error = *error;
    cs_buffer_clear(&r->outcome.message);
    cs_buffer_text(&r->outcome.message, message);
}

/* An outcome that says nothing says at least what happened. */
static void complete_message(run *r) {
    char text[2048];
    if (r->outcome.message.size) return;
    if (!r->outcome.error.status) {
        cs_buffer_text(&r->outcome.message, cs_status_text(r->outcome.status));
        return;
    }
    cs_error_sentence(&r->outcome.error, text, sizeof text);
    cs_buffer_text(&r->outcome.message, text);
}

/* ---- the command line's paths ---- */

/* \\?\C:\x is C:\x, and \\?\UNC\server\share is \\server\share: so they are read, everywhere. Other device paths name no file by
 * drive and folder. */
static cs_status plain_path(const run *r, cs_buffer *path, cs_error *error) {
    const char *text = cs_buffer_string(path);
    if (r->host.fs->separator != '\\' || !(cs_text_starts_with(text, "\\\\?\\") || cs_text_starts_with(text, "\\\\.\\")))
        return CS_OK;
    bool unc = cs_text_starts_with(text, "\\\\?\\UNC\\"), drive = text[2] == '?' && text[4] && text[5] == ':' && text[6] == '\\';
    if (!unc && !drive)
        return cs_fail(error, CS_E_NAME, NULL, text,
                       "this is a path of a device: write it with its drive letter, as C:\\folder\\file");
    cs_buffer plain = {0};
    cs_buffer_format(&plain, "%s%s", unc ? "\\\\" : "", text + (unc ? 8 : 4));
    cs_buffer_free(path);
    *path = plain;
    return cs_buffer_check(path, error);
}

static cs_status make_absolute(run *r, char **path, bool ours_to_write, cs_error *error) {
    if (!*path) return CS_OK;
    cs_buffer expanded = {0}, absolute = {0};
    cs_status status = CS_OK;
    if (ours_to_write)
        status = cs_outfile_expand(r->host.system, *path, &expanded, error);
    else
        cs_buffer_text(&expanded, *path);
    if (!status) status = cs_buffer_check(&expanded, error);
    if (!status) status = r->front->absolute(r->front->ctx, cs_buffer_string(&expanded), &absolute, error);
    if (!status) status = plain_path(r, &absolute, error);
    if (!status && ours_to_write) status = cs_outfile_check(r->host.fs->separator, cs_buffer_string(&absolute), error);
    char *copy = status ? NULL : cs_strdup(cs_buffer_string(&absolute));
    if (!status && !copy) status = cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    if (!status) {
        cs_free(*path);
        *path = copy;
    }
    cs_buffer_free(&expanded);
    cs_buffer_free(&absolute);
    return status;
}

typedef struct path_option {
    const char *name;
    char **path;
    bool ours_to_write;
} path_option;

/* A path that cannot be made absolute is a bad command line; one of the last three is given up, so that the rest can still be
 * told. */
static cs_status absolute_paths(run *r, cs_error *error) {
    cs_options *o = &r->options;
    const path_option rows[] = {{"/log", &o->log, true},          {"/json", &o->json, true},  {"/report", &o->report, true},
                                {"/archive", &o->archive, false}, {"/cuda", &o->cuda, false}, {"/manifest", &o->manifest, false},
                                {"/out", &o->out, true},          {"/dll", &o->dll, false}};
    cs_status first = CS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_error one = {0};
        cs_status status = make_absolute(r, rows[i].path, rows[i].ours_to_write, &one);
        if (!status) continue;
        if (status == CS_E_NAME) one.status = status = CS_E_USAGE;
        one.operation = rows[i].name;
        if (rows[i].ours_to_write) {
            cs_free(*rows[i].path);
            *rows[i].path = NULL;
        }
        if (!first) *error = one;
        if (!first) first = status;
    }
    return first;
}

/* One path given twice, or a file there that is not an earlier one of ours: said before anything is done, since the end of a run
 * is too late to lose somebody's archive. */
static cs_status check_outputs(run *r, cs_error *error) {
    const cs_options *o = &r->options;
    const struct {
        const char *name, *path, *start;
        bool output;
    } rows[] = {{"/json", o->json, CS_RESULT_JSON_START, true},
                {"/report", o->report, CS_RESULT_HTML_START, true},
                {"/log", o->log, NULL, true},
                {"/out", o->out, NULL, false},
                {"/archive", o->archive, NULL, false},
                {"/manifest", o->manifest, NULL, false}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    for (size_t i = 0; i < COUNT; i++) {
        if (!rows[i].path || !rows[i].output) continue;
        for (size_t k = i + 1; k < COUNT; k++)
            if (rows[k].path && cs_text_equal_ascii_case(rows[i].path, rows[k].path))
                return cs_fail(error, CS_E_USAGE, rows[i].name, rows[i].path, "%s names the same file", rows[k].name);
        cs_status status = cs_outfile_check_present(r->host.fs, rows[i].path, rows[i].start, error);
        if (status == CS_OK) continue;
        error->operation = rows[i].name;
        return status;
    }
    return CS_OK;
}

/* A path that the caller must not have written to: the run still tells its result on the console. */
static void forget_outputs(cs_options *o) {
    char **const paths[] = {&o->json, &o->report, &o->log};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cs_free(*paths[i]);
        *paths[i] = NULL;
    }
}

/* One whose folder is not there is forgotten alone: the others can still tell of it. */
static cs_status check_folders(run *r, cs_error *error) {
    const struct {
        const char *name;
        char **path;
    } rows[] = {{"/json", &r->options.json}, {"/report", &r->options.report}, {"/log", &r->options.log}};
    cs_status first = CS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_error one = {0};
        cs_status status = *rows[i].path ? cs_outfile_check_folder(r->host.fs, *rows[i].path, &one) : CS_OK;
        if (status == CS_OK) continue;
        one.operation = rows[i].name;
        if (!first) *error = one;
        if (!first) first = status;
        cs_free(*rows[i].path);
        *rows[i].path = NULL;
    }
    return first;
}

/* Paths that the command line named; of a bad one only those where its failure is told. */
static void check_paths(run *r, cs_status *status, cs_error *error) {
    cs_error one = {0};
    cs_status first = absolute_paths(r, &one);
    cs_error taken = {0};
    if (check_outputs(r, &taken) != CS_OK) {
        forget_outputs(&r->options);
        if (!first) one = taken;
        if (!first) first = taken.status;
    }
    cs_error lost = {0};
    if (check_folders(r, &lost) != CS_OK && !first) {
        one = lost;
        first = lost.status;
    }
    if (*status || !first) return;
    *status = first;
    *error = one;
}

/* ---- log ---- */

static void open_log(run *r, const char *verb) {
    cs_error error = {0};
    if (r->options.log && cs_log_open(&r->host, verb, r->options.log, &r->log, &error) != CS_OK)
        warn(r, "log.given", "The log goes to its usual place, since it cannot be written where /log says", &error);
    if (!r->log.file && cs_log_open(&r->host, verb, NULL, &r->log, &error) != CS_OK)
        warn(r, "log.failed", "There is no log of this run", &error);
}

static void log_head(run *r, const char *const *arguments, size_t count) {
    cs_platform platform = {0};
    const cs_system *system = r->host.system;
    system->platform(system->ctx, &platform);
    cs_emit(&r->events, CS_EVENT_DETAIL, "run.program", "%s %s, process %u, %s", cs_program_text(r->program),
            r->front->version ? r->front->version : "(version unknown)", (unsigned)system->process_id(system->ctx),
            r->log.elevated ? "administrator" : "not elevated");
    cs_emit(&r->events, CS_EVENT_DETAIL, "run.system", "%s", platform.text);
    for (size_t i = 0; i < count; i++) cs_emit(&r->events, CS_EVENT_DETAIL, "run.argument", "%s", arguments[i]);
    const char *wine = system->wine_version(system->ctx);
    if (wine) cs_emit(&r->events, CS_EVENT_WARNING, "wine.rights", "Wine %s: access rights not checked", wine);
}

/* ---- the verb ---- */

static const cs_app_verb *find_verb(const cs_app_verb *verbs, size_t count, cs_verb verb) {
    for (size_t i = 0; i < count; i++)
        if (verbs[i].verb == verb) return &verbs[i];
    return NULL;
}

static bool has_rights(run *r) {
    if (!r->verb->changes || r->options.dryrun || r->host.system->is_administrator(r->host.system->ctx)) return true;
    cs_error error = {0};
    cs_fail(&error, CS_E_RIGHTS, NULL, NULL, NULL);
    set_outcome(r, CS_E_RIGHTS, &error,
                "Administrator rights are needed: start the program with \"Run as administrator\" or from a deployment tool. "
                "Nothing was changed.");
    return false;
}

static bool is_confirmed(run *r) {
    if (!r->verb->changes || r->options.dryrun || r->options.ui != CS_UI_FULL || !r->front->confirm) return true;
    if (r->front->confirm(r->front->ctx, &r->options)) return true;
    cs_error error = {0};
    cs_fail(&error, CS_E_CANCELLED, NULL, NULL, NULL);
    set_outcome(r, CS_E_CANCELLED, &error, "Cancelled. Everything is as before.");
    return false;
}

static void do_verb(run *r) {
    if (r->options.lang && strcmp(r->options.lang, "en") != 0)
        cs_emit(&r->events, CS_EVENT_NOTE, "lang.english",
                "The window and the report are in that language; the log, this console and /json stay in English.");
    if (has_rights(r) && is_confirmed(r)) {
        if (r->verb->operation)
            r->verb->operation(&r->host, &r->options, &r->outcome);
        else if (r->verb->look)
            r->verb->look(&r->host, &r->options, &r->report, &r->outcome);
        else {
            r->exit_code = r->verb->judge(&r->host, &r->options, &r->report, &r->outcome);
            complete_message(r);
            return;
        }
    }
    r->exit_code = cs_exit_code(r->outcome.status);
    complete_message(r);
}

/* ---- what is written at the end ---- */

/* A verb that looks has a report, a dry run a plan. */
static const char *report_text(const run *r) { return cs_buffer_string(r->report.size ? &r->report : &r->outcome.plan); }

static cs_result_view view_of(const run *r) {
    const cs_system *system = r->host.system;
    return (cs_result_view){.program = cs_program_text(r->program),
                            .version = r->front->version,
                            .verb = r->options.verb,
                            .no_verb = !r->parsed && !r->options.verb_given,
                            .dryrun = r->options.dryrun,
                            .language = r->options.lang && strcmp(r->options.lang, "zh-CN") == 0 ? CS_CHINESE : CS_ENGLISH,
                            .exit_code = r->exit_code,
                            .outcome = &r->outcome,
                            .warnings = &r->warnings,
                            .report = report_text(r),
                            .log = r->log.path ? r->log.path : "",
                            .time = r->time,
                            .ms = system->ticks(system->ctx) - r->start};
}

typedef cs_status (*render)(const cs_result_view *view, cs_buffer *out, cs_error *error);

/* A failure is a warning: the work is done, whatever becomes of its description. */
static void write_result(run *r, const char *path, render make, const char *id, const char *what) {
    cs_buffer text = {0};
    cs_error error = {0};
    cs_result_view view = view_of(r);
    cs_status status = make(&view, &text, &error);
    if (!status) status = cs_outfile_replace(&r->host, path, r->log.elevated, text.data, text.size, &error);
    if (status) warn(r, id, what, &error);
    cs_buffer_free(&text);
}

/* The report lies beside the usual log; a log that the caller placed gets no neighbour that nobody asked for, and a dry run
 * writes nothing that nobody asked for. */
static void write_report(run *r) {
    cs_buffer path = {0};
    if (r->options.report)
        cs_buffer_text(&path, r->options.report);
    else if (!r->options.log && !r->options.dryrun && r->parsed)
        cs_log_beside(&r->log, ".html", &path, NULL);
    if (path.size) write_result(r, path.data, cs_result_html, "report.failed", "The HTML report cannot be written");
    cs_buffer_free(&path);
}

static void log_tail(run *r) {
    cs_log_write(&r->log, "result", "", cs_buffer_string(&r->outcome.message));
    if (*report_text(r)) cs_log_write(&r->log, "report", "", report_text(r));
    cs_buffer line = {0};
    cs_buffer_format(&line, "exit code %d", r->exit_code);
    cs_log_write(&r->log, "end", "", line.failed ? "exit" : cs_buffer_string(&line));
    cs_buffer_free(&line);
}

static int finish(run *r) {
    write_report(r);
    if (r->options.json) write_result(r, r->options.json, cs_result_json, "json.failed", "The JSON result cannot be written");
    log_tail(r);
    if (r->log.lost) warn(r, "log.lost", "The log of this run is not complete", &r->log.error);
    cs_buffer path = {0};
    cs_buffer_text(&path, r->log.path);
    cs_log_close(&r->log, NULL);
    cs_result_view view = view_of(r);
    view.log = cs_buffer_string(&path);
    cs_app_end end = {.exit_code = r->exit_code,
                      .options = r->parsed ? &r->options : NULL,
                      .message = cs_buffer_string(&r->outcome.message),
                      .report = report_text(r),
                      .log = cs_buffer_string(&path),
                      .outcome = &r->outcome,
                      .result = &view};
    if (r->front->end) r->front->end(r->front->ctx, &end);
    cs_buffer_free(&path);
    cs_buffer_free(&r->report);
    cs_outcome_free(&r->outcome);
    cs_warnings_free(&r->warnings);
    cs_options_free(&r->options);
    return r->exit_code;
}

static int help(run *r) {
    cs_options_help(r->program, &r->report);
    cs_app_end end = {
        .exit_code = CS_EXIT_OK, .options = &r->options, .message = "", .report = cs_buffer_string(&r->report), .log = ""};
    if (r->front->end) r->front->end(r->front->ctx, &end);
    cs_buffer_free(&r->report);
    cs_options_free(&r->options);
    return CS_EXIT_OK;
}

static int refuse(run *r, cs_status status, const cs_error *error) {
    char text[2048];
    cs_error_sentence(error, text, sizeof text);
    set_outcome(r, status, error, text);
    if (status == CS_E_USAGE)
        cs_buffer_text(&r->outcome.message,
                       strstr(text, "/?") ? " Nothing was changed." : " Nothing was changed; /? shows the options.");
    r->exit_code = cs_exit_code(status);
    return finish(r);
}

static cs_status start(run *r, const cs_host *host, const char *const *arguments, size_t count, cs_error *error) {
    r->host = *host;
    r->events = (cs_events){.ctx = r, .emit = on_event, .cancelled = on_cancelled};
    r->host.events = &r->events;
    r->start = host->system->ticks(host->system->ctx);
    cs_time_text(host->system->now(host->system->ctx), r->time);
    cs_status status = cs_options_parse(r->program, arguments, count, &r->options, error);
    r->parsed = status == CS_OK;
    return status;
}

int cs_app_run_verbs(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                     const cs_app_front *front, const cs_app_verb *verbs, size_t verb_count) {
    run r = {.program = program, .front = front};
    cs_error error = {0};
    cs_status status = start(&r, host, arguments, count, &error);
    if (r.parsed && r.options.verb == CS_VERB_HELP) return help(&r);
    if (front->begin) front->begin(front->ctx, &r.options);
    check_paths(&r, &status, &error);
    open_log(&r, r.parsed ? cs_verb_text(r.options.verb) : "usage");
    log_head(&r, arguments, count);
    r.verb = find_verb(verbs, verb_count, r.options.verb);
    if (!status && !r.verb)
        status = cs_fail(&error, CS_E_UNSUPPORTED, NULL, NULL, "this program cannot %s", cs_verb_text(r.options.verb));
    if (status || !r.verb) return refuse(&r, status, &error);
    do_verb(&r);
    return finish(&r);
}

bool cs_app_accepts(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                    const cs_app_front *front) {
    run r = {.program = program, .front = front};
    cs_error error = {0};
    cs_status status = start(&r, host, arguments, count, &error);
    check_paths(&r, &status, &error);
    cs_warnings_free(&r.warnings);
    cs_options_free(&r.options);
    return status == CS_OK;
}

int cs_app_run_unbegun(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                       const cs_app_front *front, cs_status status, const char *message) {
    run r = {.program = program, .front = front};
    cs_error error = {0};
    cs_status bad = start(&r, host, arguments, count, &error);
    check_paths(&r, &bad, &error);
    r.log = (cs_log){.host = &r.host, .elevated = host->system->is_administrator(host->system->ctx)};
    if (bad) return refuse(&r, bad, &error);
    if (status) cs_fail(&error, status, NULL, NULL, NULL);
    set_outcome(&r, status, &error, message);
    if (!status) r.outcome.result = CS_RESULT_ALREADY;
    r.exit_code = cs_exit_code(status);
    return finish(&r);
}
