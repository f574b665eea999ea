#include "remote.h"

#include <shellapi.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/channel.h"
#include "cudnn_setup/diagnose.h"
#include "cudnn_setup/handed.h"
#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/text.h"
#include "pipe.h"
#include "worker.h"

enum { CONNECT_MS = 60000, LISTEN_MS = 50, END_MS = 15000, WRITE_MS = 2000 };

static HWND asking_window;

void remote_set_window(HWND window) { asking_window = window; }

/* One run of a worker. */
typedef struct remote {
    const cs_host *host;
    const cs_options *options;
    cs_outcome *outcome;
    cs_error *error;
    cs_file *archive; /* held until the worker has ended */
    pipe_end pipe;
    HANDLE process;
    char id[PIPE_ID_HEX + 1];
    bool elevated;  /* this window is: no question is asked, and the proof is the worker's */
    bool cancelled; /* said to the worker */
    bool answered;
    cs_buffer chinese_loading, chinese_gpu, log;
} remote;

/* ---- the worker's command line ---- */

static bool places(const cs_options *options) { return options->verb == CS_VERB_INSTALL || options->verb == CS_VERB_REPAIR; }

/* The window proves as its user; a required proof is the worker's, since it may have to take the installation back. */
static bool proves_here(const remote *r) {
    return !r->elevated && places(r->options) && r->options->selftest == CS_SELFTEST_AUTO && !r->options->selftest_as_current;
}

static cs_status make_words(remote *r, cs_strings *out) {
    cs_options plan = *r->options; /* borrowed strings */
    char word[128];
    plan.program = CS_PROGRAM_SETUP;
    plan.ui = CS_UI_QUIET;
    plan.log = plan.json = plan.report = plan.lang = NULL; /* the window writes these, with its user's rights */
    if (proves_here(r)) plan.selftest = CS_SELFTEST_SKIP;
    snprintf(word, sizeof word, WORKER_WORD "%s:%lx:%llx", r->id, (unsigned long)GetCurrentProcessId(),
             r->archive ? (unsigned long long)cs_handed_value(r->archive) : 0);
    cs_status status = cs_strings_add(out, word, r->error);
    return status == CS_OK ? cs_options_words(&plan, out, r->error) : status;
}

/* As CommandLineToArgvW takes it apart again. Source: Microsoft, "CommandLineToArgvW". */
static void quote(cs_buffer *out, const char *text) {
    cs_buffer_text(out, "\"");
    for (;;) {
        size_t slashes = strspn(text, "\\");
        text += slashes;
        for (size_t i = 0; i < (*text ? slashes : 2 * slashes); i++) cs_buffer_text(out, "\\");
        if (!*text) break;
        cs_buffer_append(out, text++, 1); /* no word holds a quotation mark: options refuse it */
    }
    cs_buffer_text(out, "\"");
}

static cs_status make_line(remote *r, const char *program, cs_buffer *out) {
    cs_strings words = {0};
    cs_status status = make_words(r, &words);
    if (program) quote(out, program);
    for (size_t i = 0; status == CS_OK && i < words.count; i++) {
        if (out->size) cs_buffer_text(out, " ");
        quote(out, words.items[i]);
    }
    cs_strings_free(&words);
    return status == CS_OK ? cs_buffer_check(out, r->error) : status;
}

/* ---- starting it ---- */

static cs_status start_here(remote *r, const char *program) {
    cs_buffer line = {0}, wide_program = {0}, wide_line = {0};
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_FORCEOFFFEEDBACK};
    PROCESS_INFORMATION process = {0};
    cs_status status = make_line(r, program, &line);
    const wchar_t *name = common_wide(&wide_program, program);
    wchar_t *words = (wchar_t *)(uintptr_t)common_wide(&wide_line, cs_buffer_string(&line)); /* CreateProcessW writes to it */
    if (status == CS_OK && (!name || !words)) status = cs_fail(r->error, CS_E_NAME, "run", program, NULL);
    if (status == CS_OK && !CreateProcessW(name, words, NULL, NULL, FALSE, 0, NULL, NULL, &start, &process))
        status = cs_fail_win32(r->error, GetLastError(), "run", program);
    if (status == CS_OK) CloseHandle(process.hThread);
    r->process = process.hProcess;
    cs_buffer_free(&line);
    cs_buffer_free(&wide_program);
    cs_buffer_free(&wide_line);
    return status;
}

static cs_status declined(remote *r) {
    cs_buffer_text(&r->outcome->message, "The elevation was declined. Everything is as before.");
    return cs_fail(r->error, CS_E_CANCELLED, NULL, NULL, NULL);
}

/* Windows asks the user. */
static cs_status start_elevated(remote *r, const char *program) {
    cs_buffer line = {0}, wide_program = {0}, wide_line = {0};
    cs_status status = make_line(r, NULL, &line);
    SHELLEXECUTEINFOW run = {.cbSize = sizeof run,
                             .fMask = SEE_MASK_NOCLOSEPROCESS | SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI,
                             .hwnd = asking_window,
                             .lpVerb = L"runas",
                             .nShow = SW_HIDE};
    run.lpFile = common_wide(&wide_program, program);
    run.lpParameters = common_wide(&wide_line, cs_buffer_string(&line));
    if (status == CS_OK && (!run.lpFile || !run.lpParameters)) status = cs_fail(r->error, CS_E_NAME, "run", program, NULL);
    if (status == CS_OK && !ShellExecuteExW(&run)) {
        DWORD code = GetLastError();
        status = code == ERROR_CANCELLED ? declined(r) : cs_fail_win32(r->error, code, "run", program);
    }
    r->process = run.hProcess;
    if (status == CS_OK && !r->process) status = cs_fail(r->error, CS_E_FAILED, "run", program, "Windows gave no process");
    cs_buffer_free(&line);
    cs_buffer_free(&wide_program);
    cs_buffer_free(&wide_line);
    return status;
}

static cs_status start(remote *r) {
    cs_buffer program = {0};
    const cs_system *system = r->host->system;
    cs_status status = system->program_path(system->ctx, &program, r->error);
    if (status == CS_OK) status = r->elevated ? start_here(r, program.data) : start_elevated(r, program.data);
    cs_buffer_free(&program);
    if (status == CS_OK && !pipe_await_client(&r->pipe, GetProcessId(r->process), r->process, CONNECT_MS))
        status = cs_fail(r->error, CS_E_FAILED, "run", NULL, "the worker did not start. Nothing was changed");
    return status;
}

/* ---- listening to it ---- */

/* What the window's own log says of itself already. */
static bool is_own(const char *id) { return cs_text_starts_with(id, "run.") || strcmp(id, "wine.rights") == 0; }

static void on_event(void *ctx, const cs_event *event) {
    remote *r = ctx;
    const cs_events *events = r->host->events;
    if (!is_own(event->id) && events && events->emit) events->emit(events->ctx, event);
}

static void on_stage(void *ctx, const char *name, const char *chinese) {
    remote *r = ctx;
    cs_buffer *out = strcmp(name, "gpu") == 0 ? &r->chinese_gpu : &r->chinese_loading;
    cs_buffer_clear(out);
    cs_buffer_text(out, chinese);
}

static void set_chinese(cs_proof_stage *stage, const cs_buffer *text) {
    if (!stage->known || !text->size) return;
    cs_buffer_clear(&stage->sentence[CS_CHINESE]);
    cs_buffer_text(&stage->sentence[CS_CHINESE], text->data);
}

static void take_result(remote *r, const char *bytes, size_t size) {
    if (r->answered || cs_result_read(bytes, size, r->outcome, &r->log, r->error) != CS_OK) return;
    r->answered = true;
    if (!r->outcome->proof) return;
    set_chinese(&r->outcome->proof->loading, &r->chinese_loading);
    set_chinese(&r->outcome->proof->gpu, &r->chinese_gpu);
}

static void say_cancel(remote *r) {
    cs_buffer frame = {0};
    if (r->cancelled || !cs_cancelled(r->host->events)) return;
    r->cancelled = true;
    cs_channel_put(&frame, CS_CHANNEL_CANCEL, sizeof CS_CHANNEL_CANCEL - 1);
    pipe_write(&r->pipe, frame.data, frame.size, WRITE_MS);
    cs_buffer_free(&frame);
}

static void listen(remote *r) {
    const cs_channel_reader reader = {.ctx = r, .event = on_event, .stage = on_stage};
    cs_buffer received = {0};
    pipe_answer answer;
    bool bad = false;
    do {
        const char *bytes;
        size_t size, consumed;
        answer = pipe_read(&r->pipe, &received, LISTEN_MS);
        say_cancel(r);
        while (cs_channel_next(&received, &bytes, &size, &consumed, &bad)) {
            if (cs_channel_read(&reader, bytes, size) == CS_CHANNEL_RESULT) take_result(r, bytes, size);
            cs_channel_drop(&received, consumed);
        }
    } while (answer != PIPE_ENDED && !bad && !r->answered);
    cs_buffer_free(&received);
}

/* It ended without a word: whether it had begun to change something is in its journal only. */
static cs_status lost(remote *r) {
    DWORD code = 0;
    GetExitCodeProcess(r->process, &code);
    cs_buffer_format(&r->outcome->message,
                     "The worker ended without an answer (exit code %lu). What it had begun is undone or finished by cudnn-setup "
                     "/recover, or at the next start of Windows.",
                     (unsigned long)code);
    return cs_fail(r->error, CS_E_PENDING, NULL, NULL, NULL);
}

static cs_status await(remote *r) {
    listen(r);
    WaitForSingleObject(r->process, END_MS);
    if (!r->answered) return lost(r);
    if (r->log.size) cs_emit(r->host->events, CS_EVENT_NOTE, "worker.log", "The worker's own log: %s", r->log.data);
    return r->outcome->status;
}

/* ---- the proof ---- */

static void move_proof(cs_outcome *to, cs_outcome *from) {
    cs_free(to->proof_files);
    cs_free(to->proof_loading);
    cs_free(to->proof_gpu);
    cs_proof_detail_free(to->proof);
    to->proof_files = from->proof_files;
    to->proof_loading = from->proof_loading;
    to->proof_gpu = from->proof_gpu;
    to->proof = from->proof;
    from->proof_files = from->proof_loading = from->proof_gpu = NULL;
    from->proof = NULL;
}

static void prove(remote *r) {
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_PROBE, .ui = CS_UI_QUIET, .tree = r->outcome->tree_id};
    cs_outcome proof = {0};
    cs_buffer report = {0};
    if (!r->outcome->tree_id) return;
    cs_doctor_probe(r->host, &options, &report, &proof);
    if (proof.proof_files) move_proof(r->outcome, &proof);
    cs_buffer_free(&report);
    cs_outcome_free(&proof);
}

/* ---- all of it ---- */

static cs_status prepare(remote *r) {
    uint8_t random[PIPE_ID_HEX / 2];
    uint64_t size = 0;
    const cs_system *system = r->host->system;
    cs_status status = CS_OK;
    if (places(r->options) && r->options->archive)
        status = cs_archive_open_file(r->host, r->options->archive, &r->archive, &size, r->error);
    if (status == CS_OK) status = system->random(system->ctx, random, sizeof random, r->error);
    if (status != CS_OK) return status;
    cs_hex(random, sizeof random, r->id);
    return pipe_make(&r->pipe, r->id, r->error);
}

static void finish(remote *r) {
    pipe_close(&r->pipe);
    if (r->process) CloseHandle(r->process);
    r->host->fs->close(r->host->fs->ctx, r->archive);
    cs_buffer_free(&r->chinese_loading);
    cs_buffer_free(&r->chinese_gpu);
    cs_buffer_free(&r->log);
}

static cs_status run_remotely(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_error error = {0};
    remote *r = cs_alloc(1, sizeof *r);
    if (!r) return outcome->status = cs_fail(&outcome->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    *r = (remote){.host = host, .options = options, .outcome = outcome, .error = &error};
    r->elevated = host->system->is_administrator(host->system->ctx);
    cs_emit(host->events, CS_EVENT_STEP, "worker", "Starting the worker");
    cs_status status = prepare(r);
    if (status == CS_OK) status = start(r);
    bool ran = status == CS_OK;
    if (ran) status = await(r);
    if (status == CS_OK && proves_here(r)) prove(r);
    finish(r);
    cs_free(r);
    if (ran && status != CS_E_PENDING) return status;
    outcome->status = status;
    outcome->result = status == CS_E_CANCELLED ? CS_RESULT_CANCELLED
                      : status == CS_E_PENDING ? CS_RESULT_PENDING
                                               : CS_RESULT_FAILED;
    outcome->error = error;
    return status;
}

const cs_app_verb remote_verbs[] = {
    {.verb = CS_VERB_INSTALL, .operation = run_remotely},  {.verb = CS_VERB_UNINSTALL, .operation = run_remotely},
    {.verb = CS_VERB_ROLLBACK, .operation = run_remotely}, {.verb = CS_VERB_REPAIR, .operation = run_remotely},
    {.verb = CS_VERB_RECOVER, .operation = run_remotely},  {.verb = CS_VERB_FORGET, .operation = run_remotely},
    {.verb = CS_VERB_VERIFY, .operation = cs_verify},      {.verb = CS_VERB_PROBE, .judge = cs_doctor_probe},
};

const size_t remote_verb_count = sizeof remote_verbs / sizeof remote_verbs[0];
