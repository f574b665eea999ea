/* console.h: a run told on two streams of text, as cudnn-doctor and cudnn-setup in a console do it. */
#ifndef CUDNN_SETUP_CONSOLE_H
#define CUDNN_SETUP_CONSOLE_H

#include "cudnn_setup/app.h"

typedef struct cs_console {
    void *ctx;
    /* UTF-8 text, whole lines with "\n", control and direction characters shown as \u{...}. */
    void (*write)(void *ctx, bool to_error, const char *text, size_t size);
    bool quiet; /* set by cs_console_begin: only what went wrong, and what was asked for */
} cs_console;

void cs_console_begin(cs_console *console, const cs_options *options);
/* Steps and notes to standard output, warnings to standard error; details and progress are not told. */
void cs_console_event(cs_console *console, const cs_event *event);
/* The report, then the message (to standard error with the name of the log when the run failed). */
void cs_console_end(cs_console *console, const cs_app_end *end);

#endif
