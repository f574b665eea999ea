#include "cudnn_setup/events.h"

#include <stdarg.h>
#include <stddef.h>

#include "cudnn_setup/buffer.h"

void cs_emit(const cs_events *events, cs_event_kind kind, const char *id, const char *format, ...) {
    if (!events || !events->emit) return;
    cs_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    cs_buffer_vformat(&text, format, arguments);
    va_end(arguments);
    cs_event event = {.kind = kind, .id = id ? id : "", .text = text.failed ? format : cs_buffer_string(&text)};
    events->emit(events->ctx, &event);
    cs_buffer_free(&text);
}

void cs_emit_progress(const cs_events *events, const cs_progress *progress) {
    if (!events || !events->emit) return;
    cs_event event = {
        .kind = CS_EVENT_PROGRESS, .id = progress->step, .text = progress->file ? progress->file : "", .progress = *progress};
    events->emit(events->ctx, &event);
}

bool cs_cancelled(const cs_events *events) { return events && events->cancelled && events->cancelled(events->ctx); }
