#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/channel.h"
#include "cudnn_setup/handed.h"
#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/text.h"
#include "pipe.h"
#include "session_end.h"

enum { WRITE_MS = 5000, CANCEL_BYTES = 64 };

typedef struct worker {
    pipe_end pipe;
    CRITICAL_SECTION lock; /* of writing */
    char id[PIPE_ID_HEX + 1];
    uint32_t window;
    uint64_t archive;
    bool by_name; /* the window's handle could not be used */
} worker;

bool worker_is(const cs_strings *words) { return words->count && cs_text_starts_with(words->items[0], WORKER_WORD); }

static bool take_number(const char **at, uint64_t most, uint64_t *out) {
    char *end = NULL;
    *out = strtoull(*at, &end, 16);
    bool good = end != *at && *out <= most && (*end == ':' || !*end);
    *at = *end ? end + 1 : end;
    return good;
}

static bool take_word(worker *w, const char *word) {
    const char *at = word + sizeof WORKER_WORD - 1;
    uint8_t bytes[PIPE_ID_HEX / 2];
    uint64_t process = 0;
    if (strlen(at) < PIPE_ID_HEX + 1 || at[PIPE_ID_HEX] != ':' || !cs_unhex(at, PIPE_ID_HEX, bytes, sizeof bytes)) return false;
    memcpy(w->id, at, PIPE_ID_HEX);
    at += PIPE_ID_HEX + 1;
    bool good = take_number(&at, UINT32_MAX, &process) && take_number(&at, UINT64_MAX, &w->archive) && !*at;
    w->window = (uint32_t)process;
    return good;
}

/* The window's word, or its end: both mean cancel. */
static DWORD WINAPI hear(void *ctx) {
    worker *w = ctx;
    cs_buffer heard = {0};
    for (;;) {
        const char *bytes;
        size_t size, consumed;
        bool bad = false;
        pipe_answer answer = pipe_read(&w->pipe, &heard, INFINITE);
        while (cs_channel_next(&heard, &bytes, &size, &consumed, &bad)) {
            if (size == sizeof CS_CHANNEL_CANCEL - 1 && memcmp(bytes, CS_CHANNEL_CANCEL, size) == 0) common_ask_cancel();
            cs_channel_drop(&heard, consumed);
        }
        if (answer == PIPE_ENDED) common_ask_cancel();
        if (answer == PIPE_ENDED || bad || heard.size > CANCEL_BYTES) break; /* nothing else is listened to */
    }
    cs_buffer_free(&heard);
    return 0;
}

static void send(worker *w, cs_buffer *frames) {
    EnterCriticalSection(&w->lock);
    if (!frames->failed) pipe_write(&w->pipe, frames->data, frames->size, WRITE_MS);
    LeaveCriticalSection(&w->lock);
    cs_buffer_free(frames);
}

static void on_event(void *ctx, const cs_event *event) {
    cs_buffer frame = {0};
    cs_channel_put_event(&frame, event);
    send(ctx, &frame);
}

static void on_begin(void *ctx, const cs_options *options) {
    (void)options;
    session_end_hear();
    const cs_event event = {.kind = CS_EVENT_NOTE,
                            .id = "archive.by-name",
                            .text = "The archive that the window has open could not be taken over; it is opened by its name."};
    if (((worker *)ctx)->by_name) on_event(ctx, &event);
}

static void put_stage(cs_buffer *out, const char *name, const cs_proof_stage *stage) {
    if (stage->known) cs_channel_put_stage(out, name, cs_buffer_string(&stage->sentence[CS_CHINESE]));
}

static void on_end(void *ctx, const cs_app_end *end) {
    cs_buffer frames = {0}, result = {0};
    if (!end->result || !end->outcome) return;
    if (end->outcome->proof) {
        put_stage(&frames, "loading", &end->outcome->proof->loading);
        put_stage(&frames, "gpu", &end->outcome->proof->gpu);
    }
    if (cs_result_json(end->result, &result, NULL) == CS_OK) cs_channel_put(&frames, result.data, result.size);
    cs_buffer_free(&result);
    send(ctx, &frames);
}

/* The archive is read through the window's handle, under the name that the command line gives it. */
static cs_status take_archive(const worker *w, const cs_strings *words, cs_host *host, cs_error *error) {
    static const char option[] = "/archive:";
    for (size_t i = 1; w->archive && i < words->count; i++)
        if (cs_text_starts_with(words->items[i], option))
            return cs_handed_take(w->window, w->archive, words->items[i] + sizeof option - 1, &host->fs, error);
    return CS_OK;
}

int worker_run(const cs_strings *words) {
    static worker w; /* the thread that hears may outlive this function */
    cs_host host = common_host();
    InitializeCriticalSection(&w.lock);
    if (!take_word(&w, words->items[0])) return CS_EXIT_USAGE;
    if (pipe_open(&w.pipe, w.id, w.window, NULL) != CS_OK) return CS_EXIT_FAILED; /* nobody to tell */
    w.by_name = take_archive(&w, words, &host, NULL) != CS_OK;                    /* as any run would then, and it is said */
    if (w.by_name) host = common_host();
    HANDLE thread = CreateThread(NULL, 0, hear, &w, 0, NULL);
    if (!thread) return CS_EXIT_FAILED;
    CloseHandle(thread);
    cs_app_front front = {.ctx = &w,
                          .version = CUDNN_SETUP_VERSION,
                          .absolute = common_absolute,
                          .begin = on_begin,
                          .event = on_event,
                          .cancelled = common_cancelled,
                          .end = on_end};
    return cs_app_run(&host, CS_PROGRAM_SETUP, (const char *const *)words->items + 1, words->count - 1, &front);
}
