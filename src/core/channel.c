#include "cudnn_setup/channel.h"

#include <string.h>

#include "cudnn_setup/json.h"

enum { MAX_TEXT = 1024 * 1024, MAX_ID = 128 };

static const char *const kinds[] = {[CS_EVENT_STEP] = "step",
                                    [CS_EVENT_PROGRESS] = "progress",
                                    [CS_EVENT_NOTE] = "note",
                                    [CS_EVENT_DETAIL] = "detail",
                                    [CS_EVENT_WARNING] = "warning"};
static const char stage_word[] = "stage";

/* ---- frames ---- */

void cs_channel_put(cs_buffer *out, const void *bytes, size_t size) {
    unsigned char head[CS_CHANNEL_HEAD];
    for (int i = 0; i < CS_CHANNEL_HEAD; i++) head[i] = (unsigned char)(size >> (8 * i) & 0xFF);
    cs_buffer_append(out, head, sizeof head);
    cs_buffer_append(out, bytes, size);
}

bool cs_channel_next(const cs_buffer *received, const char **bytes, size_t *size, size_t *consumed, bool *bad) {
    size_t length = 0;
    *bad = false;
    if (received->size < CS_CHANNEL_HEAD) return false;
    for (int i = 0; i < CS_CHANNEL_HEAD; i++) length |= (size_t)(unsigned char)received->data[i] << (8 * i);
    *bad = length > CS_CHANNEL_MAX_FRAME;
    if (*bad || received->size - CS_CHANNEL_HEAD < length) return false;
    *bytes = received->data + CS_CHANNEL_HEAD;
    *size = length;
    *consumed = CS_CHANNEL_HEAD + length;
    return true;
}

void cs_channel_drop(cs_buffer *received, size_t size) {
    memmove(received->data, received->data + size, received->size - size);
    received->size -= size;
    received->data[received->size] = '\0';
}

/* ---- writing ---- */

static uint64_t bounded(uint64_t number) { return number < CS_JSON_MAX_UINT ? number : CS_JSON_MAX_UINT; }

static void put_progress(cs_json_writer *json, const cs_progress *p) {
    cs_json_put_bool(json, "files", p->counts_files);
    cs_json_put_uint(json, "done", bounded(p->done));
    cs_json_put_uint(json, "total", bounded(p->total));
    cs_json_put_uint(json, "rate", bounded(p->rate));
    if (p->left_ms != CS_TIME_UNKNOWN) cs_json_put_uint(json, "left_ms", bounded(p->left_ms));
}

static void put_object(cs_buffer *out, const char *kind, const char *id, const char *text, const cs_progress *progress) {
    cs_buffer object = {0};
    cs_json_writer json = {.out = &object, .layout = CS_JSON_COMPACT, .lossy = true};
    cs_json_begin(&json, NULL, '{');
    cs_json_put_text(&json, "event", kind);
    cs_json_put_text(&json, "id", id);
    cs_json_put_text(&json, "text", text ? text : "");
    if (progress) put_progress(&json, progress);
    cs_json_end(&json, '}');
    if (cs_json_finish(&json, NULL) == CS_OK) cs_channel_put(out, object.data, object.size);
    cs_buffer_free(&object);
}

void cs_channel_put_event(cs_buffer *out, const cs_event *event) {
    put_object(out, kinds[event->kind], event->id ? event->id : "", event->text,
               event->kind == CS_EVENT_PROGRESS ? &event->progress : NULL);
}

void cs_channel_put_stage(cs_buffer *out, const char *name, const char *chinese) {
    put_object(out, stage_word, name, chinese, NULL);
}

/* ---- reading ---- */

static cs_progress read_progress(const cs_json_at *root, const char *step, const char *file) {
    cs_json_at left = cs_json_maybe(root, "left_ms");
    return (cs_progress){.step = step,
                         .file = file,
                         .counts_files = cs_json_bool(cs_json_get(root, "files")),
                         .done = cs_json_uint(cs_json_get(root, "done"), CS_JSON_MAX_UINT),
                         .total = cs_json_uint(cs_json_get(root, "total"), CS_JSON_MAX_UINT),
                         .rate = cs_json_uint(cs_json_get(root, "rate"), CS_JSON_MAX_UINT),
                         .left_ms = left.node ? cs_json_uint(left, CS_JSON_MAX_UINT) : CS_TIME_UNKNOWN};
}

static cs_channel_kind read_event(const cs_channel_reader *to, const cs_json_at *root) {
    const char *kind = cs_json_text(cs_json_get(root, "event"), 1, MAX_ID);
    cs_event event = {.id = cs_json_text(cs_json_get(root, "id"), 0, MAX_ID),
                      .text = cs_json_text(cs_json_get(root, "text"), 0, MAX_TEXT)};
    if (root->reader->status == CS_OK && strcmp(kind, stage_word) == 0) {
        to->stage(to->ctx, event.id, event.text);
        return CS_CHANNEL_STAGE;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i]) != 0) continue;
        event.kind = (cs_event_kind)i;
        if (event.kind == CS_EVENT_PROGRESS) event.progress = read_progress(root, event.id, event.text);
        if (root->reader->status != CS_OK) return CS_CHANNEL_NOTHING;
        to->event(to->ctx, &event);
        return CS_CHANNEL_EVENT;
    }
    return CS_CHANNEL_NOTHING;
}

cs_channel_kind cs_channel_read(const cs_channel_reader *reader, const char *bytes, size_t size) {
    const cs_json_limits limits = {.max_bytes = CS_CHANNEL_MAX_FRAME, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_json_reader strict = {.name = "the worker's message"};
    if (cs_json_parse(strict.name, bytes, size, &limits, &json, NULL) != CS_OK) return CS_CHANNEL_NOTHING;
    cs_json_at root = cs_json_root(&strict, json);
    cs_channel_kind kind = cs_json_maybe(&root, "schema").node  ? CS_CHANNEL_RESULT
                           : cs_json_maybe(&root, "event").node ? read_event(reader, &root)
                                                                : CS_CHANNEL_NOTHING;
    cs_json_free(json);
    return kind;
}
