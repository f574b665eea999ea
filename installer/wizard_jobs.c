/* wizard_jobs.c: what takes time, in threads that post what they have to the window. None touches the window's own data but the
 * fields that say so. */
#include "wizard_internal.h"

#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/sentences.h"
#include "cudnn_setup/text.h"
#include "remote.h"

void wizard_event_free(wizard_event *event) {
    if (!event) return;
    cs_free(event->id);
    cs_free(event->text);
    cs_free(event);
}

void wizard_end_free(wizard_end *end) {
    if (!end) return;
    cs_page_free(&end->page);
    cs_buffer_free(&end->report);
    cs_free(end);
}

static bool start(DWORD(WINAPI *work)(void *), void *ctx, HANDLE *kept) {
    HANDLE thread = CreateThread(NULL, 0, work, ctx, 0, NULL);
    if (thread && kept)
        *kept = thread;
    else if (thread)
        CloseHandle(thread);
    return thread != NULL;
}

/* ---- looking ---- */

typedef struct look_job {
    wizard *w; /* window, host and look_number are read */
    LONG number;
    cs_options options; /* borrowed from the command line, but for: */
    char *archive, *cuda;
} look_job;

static void free_look(look_job *job) {
    cs_free(job->archive);
    cs_free(job->cuda);
    cs_free(job);
}

static bool is_stale(void *ctx) {
    look_job *job = ctx;
    return InterlockedCompareExchange(&job->w->look_number, 0, 0) != job->number;
}

static DWORD WINAPI look(void *ctx) {
    look_job *job = ctx;
    const cs_events events = {.ctx = job, .cancelled = is_stale};
    cs_host host = job->w->host;
    cs_survey *survey = cs_alloc(1, sizeof *survey);
    host.events = &events;
    if (survey) cs_survey_look(&host, &job->options, survey);
    if (survey && (is_stale(job) || !PostMessageW(job->w->window, MESSAGE_LOOKED, (WPARAM)job->number, (LPARAM)survey))) {
        cs_survey_free(survey);
        cs_free(survey);
    }
    free_look(job);
    return 0;
}

void wizard_look(wizard *w) {
    look_job *job = cs_alloc(1, sizeof *job);
    if (!job) return;
    *job = (look_job){.w = w, .number = InterlockedIncrement(&w->look_number), .options = *w->options};
    job->archive = cs_strdup(w->archive ? w->archive : w->options->archive);
    job->cuda = cs_strdup(w->cuda ? w->cuda : w->options->cuda);
    job->options.archive = job->archive;
    job->options.cuda = job->cuda;
    if (w->cuda) job->options.tree = NULL;
    job->options.ui = CS_UI_FULL;
    job->options.unverified_accept = w->options->unverified_accept || w->unverified;
    if (!start(look, job, NULL)) free_look(job);
}

static DWORD WINAPI ask_gpus(void *ctx) {
    const wizard *w = ctx;
    const cs_system *system = w->host.system;
    cs_manifest manifest = {0};
    cs_buffer program = {0};
    cs_machine *answer = cs_alloc(1, sizeof *answer);
    bool asked = answer && system->program_path(system->ctx, &program, NULL) == CS_OK &&
                 cs_package_manifest(&w->host, w->options->manifest, &manifest, NULL) == CS_OK;
    if (asked) cs_machine_ask(&w->host, program.data, w->options->selftest_as_current, &manifest, answer);
    if (answer && !PostMessageW(w->window, MESSAGE_GPUS, 0, (LPARAM)answer)) {
        cs_machine_free(answer);
        cs_free(answer);
    }
    cs_manifest_free(&manifest);
    cs_buffer_free(&program);
    return 0;
}

void wizard_ask_gpus(wizard *w) { start(ask_gpus, w, NULL); }

/* ---- running ---- */

typedef struct run_job {
    wizard *w; /* window, host, words, program and cancel are read; nothing else of it is changed while a run is at work */
    cs_buffer version;
    bool posted;
} run_job;

static void on_event(void *ctx, const cs_event *event) {
    run_job *job = ctx;
    if (event->kind != CS_EVENT_STEP && event->kind != CS_EVENT_PROGRESS) return;
    wizard_event *copy = cs_alloc(1, sizeof *copy);
    if (!copy) return;
    *copy = (wizard_event){.kind = event->kind, .id = cs_strdup(event->id), .text = cs_strdup(event->text ? event->text : "")};
    copy->progress = event->progress;
    copy->progress.step = copy->id;
    copy->progress.file = copy->text;
    if (!copy->id || !copy->text || !PostMessageW(job->w->window, MESSAGE_EVENT, 0, (LPARAM)copy)) wizard_event_free(copy);
}

static bool on_cancelled(void *ctx) {
    run_job *job = ctx;
    return InterlockedCompareExchange(&job->w->cancel, 0, 0) != 0;
}

/* Beside the log, unless it was asked for elsewhere. */
static void name_report(const cs_app_end *end, cs_buffer *out) {
    static const char extension[] = ".log";
    size_t size = strlen(end->log);
    if (end->options && end->options->report)
        cs_buffer_text(out, end->options->report);
    else if (end->options && !end->options->log && cs_text_ends_with_ascii_case(end->log, extension))
        cs_buffer_format(out, "%.*s.html", (int)(size - sizeof extension + 1), end->log);
}

static void on_end(void *ctx, const cs_app_end *end) {
    run_job *job = ctx;
    cs_buffer programs = {0};
    wizard_end *out = cs_alloc(1, sizeof *out);
    if (!out || !end->outcome) {
        cs_free(out);
        return;
    }
    out->exit_code = end->exit_code;
    name_report(end, &out->report);
    if (end->exit_code == CS_EXIT_OK && end->outcome->value_count) wizard_running_programs(&programs);
    const cs_ending ending = {.verb = job->w->verb,
                              .exit_code = end->exit_code,
                              .outcome = end->outcome,
                              .warnings = end->result->warnings,
                              .log = end->log,
                              .version = cs_buffer_string(&job->version),
                              .programs = cs_buffer_string(&programs)};
    cs_page_result(&ending, job->w->language, &out->page);
    if (!out->report.size) out->page.offers &= ~(unsigned)CS_OFFER_REPORT;
    cs_buffer_free(&programs);
    job->posted = PostMessageW(job->w->window, MESSAGE_ENDED, 0, (LPARAM)out);
    if (!job->posted) wizard_end_free(out);
}

static DWORD WINAPI run(void *ctx) {
    run_job *job = ctx;
    wizard *w = job->w;
    wizard_begin_com(); /* for starting an elevated worker */
    cs_app_front front = {.ctx = job,
                          .version = CUDNN_SETUP_VERSION,
                          .absolute = common_absolute,
                          .event = on_event,
                          .cancelled = on_cancelled,
                          .end = on_end};
    cs_app_run_verbs(&w->host, w->program, (const char *const *)w->words.items, w->words.count, &front, remote_verbs,
                     remote_verb_count);
    if (!job->posted) PostMessageW(w->window, MESSAGE_ENDED, 0, 0);
    cs_buffer_free(&job->version);
    cs_free(job);
    return 0;
}

bool wizard_start_run(wizard *w) {
    run_job *job = cs_alloc(1, sizeof *job);
    if (!job) return false;
    job->w = w;
    cs_buffer_text(&job->version, w->survey && w->survey->manifest.version ? w->survey->manifest.version : "8.0.3");
    InterlockedExchange(&w->cancel, 0);
    InterlockedIncrement(&w->look_number); /* a look that is under way is of no use any more */
    wizard_await(w, 0);
    if (start(run, job, &w->thread)) return true;
    cs_buffer_free(&job->version);
    cs_free(job);
    return false;
}

void wizard_await(wizard *w, DWORD timeout_ms) {
    if (!w->thread) return;
    if (timeout_ms) WaitForSingleObject(w->thread, timeout_ms);
    CloseHandle(w->thread);
    w->thread = NULL;
}

/* ---- the licence ---- */

static DWORD WINAPI read_licence(void *ctx) {
    wizard *w = ctx;
    cs_buffer *text = cs_alloc(1, sizeof *text);
    cs_error error = {0};
    if (!text) return 0;
    if (cs_survey_licence(&w->host, w->read_survey, text, &error) != CS_OK) {
        char why[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
        cs_error_sentence(&error, why, sizeof why);
        cs_buffer detail = {0};
        cs_say_sentence(&detail, why, w->language);
        cs_buffer_clear(text);
        cs_say(text, CS_SAY_LICENCE_UNREAD, w->language, "detail", cs_buffer_string(&detail), NULL);
        cs_buffer_free(&detail);
    }
    if (!PostMessageW(w->window, MESSAGE_LICENCE, 0, (LPARAM)text)) {
        cs_buffer_free(text);
        cs_free(text);
    }
    return 0;
}

void wizard_read_licence(wizard *w) {
    if (w->read_survey) return;
    w->read_survey = w->survey;
    if (!start(read_licence, w, NULL)) w->read_survey = NULL;
}
