/* events.h: what a run tells while it works. The log, the JSON result, /passive and the wizard all listen to the same events. */
#ifndef CUDNN_SETUP_EVENTS_H
#define CUDNN_SETUP_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cudnn_setup/status.h"

typedef enum cs_event_kind {
    CS_EVENT_STEP,     /* a step begins: text names it */
    CS_EVENT_PROGRESS, /* done of total bytes; text is the file at work */
    CS_EVENT_NOTE,     /* a fact for the log and for people */
    CS_EVENT_DETAIL,   /* a fact for the log only */
    CS_EVENT_WARNING   /* goes to the result's warnings[] with its id */
} cs_event_kind;

typedef struct cs_event {
    cs_event_kind kind;
    const char *id;   /* stable name such as "path.untrusted-tree"; "" for notes without one */
    const char *text; /* UTF-8, one line */
    uint64_t done, total;
} cs_event;

typedef struct cs_events {
    void *ctx;
    void (*emit)(void *ctx, const cs_event *event); /* NULL: nobody listens */
    bool (*cancelled)(void *ctx);                   /* NULL: never */
} cs_events;

void cs_emit(const cs_events *events, cs_event_kind kind, const char *id, const char *format, ...) CS_PRINTF(4, 5);
void cs_emit_progress(const cs_events *events, const char *item, uint64_t done, uint64_t total);
bool cs_cancelled(const cs_events *events);

#endif
