/* json.h: strict reading and canonical writing of everything that is stored as JSON.
 *
 * Reading: our own checker walks the raw bytes first (grammar of RFC 8259, valid UTF-8, no byte order mark, depth 8, numbers that
 * are integers of at most 16 characters, no \u0000), then cJSON builds the tree, then every object is checked for duplicate keys.
 * cJSON never sees text that the checker refused, and nobody but json.c includes its header.
 *
 * Lone surrogates (Windows names that are not UTF-16) are written as \udXXX by the writer, so that the file stays valid UTF-8.
 * The reader refuses them, as manifests want it, unless cs_json_limits.lone_surrogates is set, as records do: then they come
 * back as the three bytes of WTF-8. Raw surrogate bytes are refused always.
 *
 * 64-bit numbers (ids, times) are written as decimal strings: JSON numbers are exact only below 2^53. */
#ifndef CUDNN_SETUP_JSON_H
#define CUDNN_SETUP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"

typedef struct cJSON cs_json;

enum { CS_JSON_MAX_DEPTH = 8, CS_JSON_MAX_NUMBER = 16, CS_JSON_MAX_KEYS = 64 };
#define CS_JSON_MAX_UINT UINT64_C(9007199254740991) /* 2^53 - 1 */

typedef struct cs_json_limits {
    size_t max_bytes; /* CS_E_TOO_BIG above */
    bool lone_surrogates;
} cs_json_limits;

/* The whole of bytes is one JSON value and white space. name is what messages call it. CS_E_FORMAT with line and column or the
 * place, CS_E_TOO_BIG, CS_E_NO_MEMORY. *out is owned by the caller (cs_json_free) and NULL on failure. */
cs_status cs_json_parse(const char *name, const char *bytes, size_t size, const cs_json_limits *limits, cs_json **out,
                        cs_error *error);
void cs_json_free(cs_json *root); /* accepts NULL */

/* ---- reading the tree ----
 * The reader remembers the first failure; everything after it does nothing and gives empty values, so that a sequence of reads
 * needs one check at its end. Errors read "<name>: malformed: files[3].target: ...". */
typedef struct cs_json_reader {
    const char *name;
    cs_error *error;  /* may be NULL */
    cs_status status; /* CS_OK until the first failure */
} cs_json_reader;

/* One value and the way to it. node NULL: absent, or after a failure. Holds pointers to its parents: lives no longer than they.
 */
typedef struct cs_json_at {
    cs_json_reader *reader;
    const struct cs_json_at *parent;
    const char *key; /* NULL: item of an array, or the root */
    size_t index;
    const cs_json *node;
} cs_json_at;

cs_json_at cs_json_root(cs_json_reader *reader, const cs_json *root);
/* The value of key in an object; its absence is a failure for get and node == NULL for maybe. */
cs_json_at cs_json_get(const cs_json_at *object, const char *key);
cs_json_at cs_json_maybe(const cs_json_at *object, const char *key);
/* Fails unless at is an object all of whose keys are in the list. */
void cs_json_keys(const cs_json_at *object, const char *const *keys, size_t count);
/* Number of items, after checking that at is an array with min to max of them; 0 on failure. */
size_t cs_json_count(const cs_json_at *array, size_t min, size_t max);
/* Walks an array: for (cs_json_at item = {0}; cs_json_each(&array, &item);) ...; ends at once after a failure. */
bool cs_json_each(const cs_json_at *array, cs_json_at *item);

/* A string of min to max bytes; borrowed from the tree; "" on failure. */
const char *cs_json_text(cs_json_at at, size_t min, size_t max);
/* The same, copied: owned by the caller; NULL on failure, which includes lack of memory, or when at is absent. */
char *cs_json_text_copy(cs_json_at at, size_t min, size_t max);
uint64_t cs_json_uint(cs_json_at at, uint64_t max); /* a number from 0 to max, at most CS_JSON_MAX_UINT */
bool cs_json_bool(cs_json_at at);
uint64_t cs_json_decimal(cs_json_at at);       /* a string: 0 to 2^64 - 1, no sign, no leading zeros */
int64_t cs_json_signed_decimal(cs_json_at at); /* a string: the same with an optional '-' and the range of int64_t; no "-0" */
/* A string of exactly 2 * size lower-case hex digits into bytes (untouched on failure). */
void cs_json_hex(cs_json_at at, uint8_t *bytes, size_t size);
/* A string of lower-case hex digits for at most max bytes. *bytes: owned, NULL when there are none. */
void cs_json_hex_bytes(cs_json_at at, size_t max, uint8_t **bytes, size_t *size);
/* Index of the string in a closed list; 0 on failure. */
size_t cs_json_choice(cs_json_at at, const char *const *choices, size_t count);
/* Records a failure of this place with the caller's own sentence (unless one is recorded already): CS_E_FORMAT. */
void cs_json_bad(const cs_json_at *at, const char *format, ...) CS_PRINTF(2, 3);
/* Records CS_E_NO_MEMORY. */
void cs_json_no_memory(cs_json_reader *reader);

/* ---- writing ----
 * Appends to out: keys in the order of the calls, UTF-8, "\n" line ends. key is NULL for items of an array and for the root. */
typedef enum cs_json_layout {
    CS_JSON_COMPACT, /* no white space at all */
    CS_JSON_PRETTY,  /* two spaces per level */
} cs_json_layout;

typedef struct cs_json_writer {
    cs_buffer *out;
    cs_json_layout layout;
    bool lossy; /* bytes that are not WTF-8 become U+FFFD; otherwise they are a failure (CS_E_FORMAT) */
    /* private */
    unsigned depth, line_depth;
    bool comma, bad_text;
} cs_json_writer;

void cs_json_begin(cs_json_writer *writer, const char *key, char bracket); /* '{' or '[' */
/* The same, all on one line even in the pretty layout, as everything inside. */
void cs_json_begin_line(cs_json_writer *writer, const char *key, char bracket);
void cs_json_end(cs_json_writer *writer, char bracket); /* '}' or ']' */
void cs_json_put_text(cs_json_writer *writer, const char *key, const char *text);
void cs_json_put_uint(cs_json_writer *writer, const char *key, uint64_t value);          /* at most CS_JSON_MAX_UINT */
void cs_json_put_decimal(cs_json_writer *writer, const char *key, uint64_t value);       /* as a string */
void cs_json_put_signed_decimal(cs_json_writer *writer, const char *key, int64_t value); /* as a string */
void cs_json_put_bool(cs_json_writer *writer, const char *key, bool value);
void cs_json_put_hex(cs_json_writer *writer, const char *key, const uint8_t *bytes, size_t size);
/* Ends the text (a final line end in the pretty layout). CS_E_NO_MEMORY, or CS_E_FORMAT for text that is not WTF-8 or a number
 * beyond CS_JSON_MAX_UINT. */
cs_status cs_json_finish(cs_json_writer *writer, cs_error *error);

#endif
