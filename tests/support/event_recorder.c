#include "event_recorder.h"

#include <stdio.h>
#include <string.h>

static void record(void *ctx, const cs_event *event) {
    static const char *const kinds[] = {"step", "progress", "note", "detail", "warning"};
    event_recorder *recorder = ctx;
    if (event->kind == CS_EVENT_PROGRESS) return;
    recorder->warnings += event->kind == CS_EVENT_WARNING;
    cs_buffer_format(&recorder->text, "%s %s: %s\n", kinds[event->kind], event->id, event->text);
}

void event_recorder_start(event_recorder *recorder) { *recorder = (event_recorder){.events = {.ctx = recorder, .emit = record}}; }

void event_recorder_clear(event_recorder *recorder) {
    cs_buffer_clear(&recorder->text);
    recorder->warnings = 0;
}

void event_recorder_end(event_recorder *recorder) { cs_buffer_free(&recorder->text); }

unsigned event_recorder_count(const event_recorder *recorder, const char *id) {
    char line[128];
    unsigned count = 0;
    snprintf(line, sizeof line, "warning %s: ", id);
    for (const char *p = cs_buffer_string(&recorder->text); (p = strstr(p, line)) != NULL; p += strlen(line)) count++;
    return count;
}

bool event_recorder_says(const event_recorder *recorder, const char *text) {
    return strstr(cs_buffer_string(&recorder->text), text) != NULL;
}
