/* sentence_table.h: the catalogue's parts, by topic, and what the sentence of a failed call is made of. Private to sentences.c
 * and sentence_error.c. */
#ifndef CUDNN_SETUP_SENTENCE_TABLE_H
#define CUDNN_SETUP_SENTENCE_TABLE_H

#include <string.h>

#include "cudnn_setup/sentences.h"

/* A piece of text: not terminated. */
typedef struct slice {
    const char *at;
    size_t size;
} slice;

typedef struct sentence_part {
    const cs_sentence *rows;
    size_t count;
} sentence_part;

extern const sentence_part sentence_archive, sentence_calls, sentence_records, sentence_runs, sentence_toolkit, sentence_usage;

enum { SENTENCE_VAIN = 128, SENTENCE_STEPS = 400000, SENTENCE_DEPTH = 12 };

/* One looking-up, whole and in parts. */
typedef struct sentence_search {
    size_t steps; /* taken so far, of a bounded number */
    unsigned depth;
    unsigned copied; /* looking up in a copy, whose address another one may have later */
    slice vain[SENTENCE_VAIN];
    size_t vain_count;
} sentence_search;

/* No more of it: what is not found by now stays English. */
static inline bool sentence_spent(const sentence_search *s) { return s->steps >= SENTENCE_STEPS || s->depth >= SENTENCE_DEPTH; }

/* Appends the Chinese of a text in parts or as one; false, with nothing appended, where it is not known. */
bool sentence_say(sentence_search *s, slice text, cs_buffer *out);
/* The same by one row of the catalogue only. */
bool sentence_row(sentence_search *s, slice text, cs_buffer *out);
/* Appends a path or a name in one word as it is, or a known sentence's Chinese; false for anything else. */
bool sentence_name(sentence_search *s, slice text, cs_buffer *out);
/* The same for what cs_error_text composes; and as cs_error_sentence makes a sentence of it. */
bool sentence_error(sentence_search *s, slice text, cs_buffer *out);
bool sentence_of_error(sentence_search *s, slice text, cs_buffer *out);

static inline bool slice_starts(slice text, const char *with, size_t size) {
    return text.size >= size && memcmp(text.at, with, size) == 0;
}
static inline slice slice_from(slice text, size_t at) { return (slice){text.at + at, text.size - at}; }

#endif
