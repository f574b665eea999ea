/* channel.h: what worker and window say to each other, as bytes: frames of a length (4 bytes, little-endian) and that many bytes.
 * The worker sends events as JSON objects, {"event":"step","id":"unpack","text":"..."}, and last the /json result. The window
 * sends one word. Whoever reads believes nothing: bounds, strict JSON, closed names. */
#ifndef CUDNN_SETUP_CHANNEL_H
#define CUDNN_SETUP_CHANNEL_H

#include "cudnn_setup/events.h"
#include "cudnn_setup/result.h"

enum { CS_CHANNEL_MAX_FRAME = 8 * 1024 * 1024, CS_CHANNEL_HEAD = 4 };

#define CS_CHANNEL_CANCEL "cancel" /* the window's one word */

/* Appends a frame that holds these bytes. */
void cs_channel_put(cs_buffer *out, const void *bytes, size_t size);

/* The first whole frame of what was received: true with its bytes (they stay in received) and how much to drop afterwards. False:
 * there is none yet, or, with *bad set, the length is beyond the bound. */
bool cs_channel_next(const cs_buffer *received, const char **bytes, size_t *size, size_t *consumed, bool *bad);
/* Takes the first bytes away. */
void cs_channel_drop(cs_buffer *received, size_t size);

/* Appends an event as a frame. */
void cs_channel_put_event(cs_buffer *out, const cs_event *event);
/* A stage of the proof in the language that the result does not have: {"event":"stage"}. name: "loading" or "gpu". */
void cs_channel_put_stage(cs_buffer *out, const char *name, const char *chinese);

typedef enum cs_channel_kind { CS_CHANNEL_NOTHING, CS_CHANNEL_EVENT, CS_CHANNEL_STAGE, CS_CHANNEL_RESULT } cs_channel_kind;

/* Reads a frame. tell is called for an event, stage for a stage of the proof, with what lives until it returns. RESULT: the bytes
 * are for cs_result_read. NOTHING: it is none of these, and is to be dropped. */
typedef struct cs_channel_reader {
    void *ctx;
    void (*event)(void *ctx, const cs_event *event);
    void (*stage)(void *ctx, const char *name, const char *chinese);
} cs_channel_reader;
cs_channel_kind cs_channel_read(const cs_channel_reader *reader, const char *bytes, size_t size);

/* What a /json result tells, as an outcome: status by its exit code, result, message, tree, trust, files, values (without their
 * entries), proof, programs in the way. warnings of it are not taken: they came as events. log is replaced. CS_E_FORMAT, with
 * the outcome empty. */
cs_status cs_result_read(const char *bytes, size_t size, cs_outcome *outcome, cs_buffer *log, cs_error *error);

#endif
