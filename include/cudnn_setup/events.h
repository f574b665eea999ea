/* events.h: what a run tells while it works. The log, the JSON result, /passive and the wizard all listen to the same events. */
#ifndef CUDNN_SETUP_EVENTS_H
#define CUDNN_SETUP_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cudnn_setup/status.h"

typedef enum cs_event_kind {
    CS_EVENT_STEP,     /* a step begins: text names it */
    CS_EVENT_PROGRESS, /* how far a step has come: progress; text is the file at work */
    CS_EVENT_NOTE,     /* a fact for the log and for people */
    CS_EVENT_DETAIL,   /* a fact for the log only */
    CS_EVENT_WARNING   /* goes to the result's warnings[] with its id */
} cs_event_kind;

/* How far one step has come. Told at most ten times a second (cs_meter, progress.h), and once more at the step's end. */
typedef struct cs_progress {
    const char *step;     /* the id of the CS_EVENT_STEP that it belongs to: "archive", "unpack", "apply", ... */
    const char *file;     /* at work: a target such as "bin\\cudnn64_8.dll", or the archive's name; UTF-8 */
    bool counts_files;    /* done, total and rate are files; else bytes */
    uint64_t done, total; /* done == total: the step's last one */
    uint64_t rate;        /* a second, smoothed over about two; 0: not known yet */
    uint64_t left_ms;     /* milliseconds at this rate; CS_TIME_UNKNOWN */
} cs_progress;

#define CS_TIME_UNKNOWN UINT64_MAX

typedef struct cs_event {
    cs_event_kind kind;
    const char *id;       /* stable name such as "path.untrusted-tree"; "" for notes without one; a progress's step */
    const char *text;     /* UTF-8, one line */
    cs_progress progress; /* of CS_EVENT_PROGRESS; zero in the others */
} cs_event;

/* Whoever listens. Both are called by the thread that runs the verb only, whatever works beside it, and must return soon. */
typedef struct cs_events {
    void *ctx;
    void (*emit)(void *ctx, const cs_event *event); /* NULL: nobody listens */
    bool (*cancelled)(void *ctx);                   /* NULL: never */
} cs_events;

void cs_emit(const cs_events *events, cs_event_kind kind, const char *id, const char *format, ...) CS_PRINTF(4, 5);
void cs_emit_progress(const cs_events *events, const cs_progress *progress);
bool cs_cancelled(const cs_events *events);

#endif
