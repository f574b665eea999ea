/* event_recorder.h: keeps what a run tells, for tests. */
#ifndef EVENT_RECORDER_H
#define EVENT_RECORDER_H

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/events.h"

typedef struct event_recorder {
    cs_events events; /* hand out its address; ctx points at this recorder, which therefore must not move */
    cs_buffer text;   /* one line per event but progress: "warning path.long: text" */
    unsigned warnings;
} event_recorder;

void event_recorder_start(event_recorder *recorder); /* any content: overwrites */
void event_recorder_clear(event_recorder *recorder);
void event_recorder_end(event_recorder *recorder);
/* How many warnings had this id. */
unsigned event_recorder_count(const event_recorder *recorder, const char *id);
/* True if some event's line contains text. */
bool event_recorder_says(const event_recorder *recorder, const char *text);

#endif
