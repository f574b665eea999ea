/* buffer.h: a growable byte string. Starts empty ({0}), always NUL-terminated when it owns memory, remembers a failed
 * allocation so that a sequence of appends needs one check at its end. */
#ifndef CUDNN_SETUP_BUFFER_H
#define CUDNN_SETUP_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "cudnn_setup/status.h"

typedef struct cs_buffer {
    char *data;  /* owned; NULL while empty; data[size] is 0 */
    size_t size; /* bytes in use, without the terminator */
    size_t capacity;
    bool failed; /* an allocation failed: further appends do nothing */
} cs_buffer;

/* Every allocation of the product goes through these three, so that tests can make the n-th one fail. */
void *cs_alloc(size_t count, size_t size); /* zeroed, overflow-checked; NULL on failure */
void *cs_realloc(void *memory, size_t count, size_t size);
void cs_free(void *memory);
char *cs_strdup(const char *text); /* NULL on failure or for NULL */
/* Test hook: allocation number n (1 = the next) fails once; 0 turns it off. */
void cs_alloc_fail_at(unsigned long n);

void cs_buffer_free(cs_buffer *buffer);  /* leaves it empty and usable */
void cs_buffer_clear(cs_buffer *buffer); /* size 0, keeps the memory and clears `failed` */
void cs_buffer_append(cs_buffer *buffer, const void *bytes, size_t size);
void cs_buffer_text(cs_buffer *buffer, const char *text);
void cs_buffer_format(cs_buffer *buffer, const char *format, ...) CS_PRINTF(2, 3);
void cs_buffer_vformat(cs_buffer *buffer, const char *format, va_list arguments);
/* The text, never NULL ("" while empty). Stays owned by the buffer. */
const char *cs_buffer_string(const cs_buffer *buffer);
/* CS_E_NO_MEMORY if any append failed, else CS_OK. */
cs_status cs_buffer_check(const cs_buffer *buffer, cs_error *error);

/* A list of owned UTF-8 strings. Starts as {0}. */
typedef struct cs_strings {
    char **items;
    size_t count;
} cs_strings;

cs_status cs_strings_add(cs_strings *list, const char *text, cs_error *error); /* copies text */
void cs_strings_free(cs_strings *list);

#endif
