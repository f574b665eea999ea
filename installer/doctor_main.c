/* doctor_main.c: cudnn-doctor, a console program that looks and changes nothing. */
#include "common.h"

typedef struct doctor {
    common_streams streams;
    cs_console console;
} doctor;

static void on_begin(void *ctx, const cs_options *options) { cs_console_begin(&((doctor *)ctx)->console, options); }
static void on_event(void *ctx, const cs_event *event) { cs_console_event(&((doctor *)ctx)->console, event); }
static void on_end(void *ctx, const cs_app_end *end) { cs_console_end(&((doctor *)ctx)->console, end); }

int wmain(void) {
    common_guard(true);
    common_hear_cancel();
    doctor d = {0};
    common_streams_open(&d.streams, false);
    d.console = (cs_console){.ctx = &d.streams, .write = common_write};
    cs_app_front front = {.ctx = &d,
                          .version = CUDNN_SETUP_VERSION,
                          .absolute = common_absolute,
                          .begin = on_begin,
                          .event = on_event,
                          .cancelled = common_cancelled,
                          .end = on_end};
    cs_strings words = {0};
    cs_host host = common_host();
    int code = common_arguments(&words, NULL) == CS_OK
                   ? cs_app_run(&host, CS_PROGRAM_DOCTOR, (const char *const *)words.items, words.count, &front)
                   : CS_EXIT_FAILED;
    cs_strings_free(&words);
    return code;
}
