#include "cudnn_setup/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long fail_countdown; /* tests only; see cs_alloc_fail_at */

void cs_alloc_fail_at(unsigned long n) { fail_countdown = n; }

static bool fails_now(void) { return fail_countdown && --fail_countdown == 0; }

#ifdef CS_COUNT_ALLOCATIONS
long cs_alloc_live; /* tests only: what is allocated now; one thread */
#define COUNT(change) (cs_alloc_live += (change))
#else
#define COUNT(change) ((void)0)
#endif

void *cs_alloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    void *memory = fails_now() ? NULL : calloc(count, size);
    COUNT(memory != NULL);
    return memory;
}

void *cs_realloc(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    bool fresh = memory == NULL;
    void *moved = fails_now() ? NULL : realloc(memory, count * size);
    COUNT(fresh && moved);
    (void)fresh;
    return moved;
}

void cs_free(void *memory) {
    COUNT(memory ? -1 : 0);
    free(memory);
}

char *cs_strdup(const char *text) {
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = cs_alloc(size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void cs_buffer_free(cs_buffer *buffer) {
    cs_free(buffer->data);
    *buffer = (cs_buffer){0};
}

void cs_buffer_clear(cs_buffer *buffer) {
    buffer->size = 0;
    buffer->failed = false;
    if (buffer->data) buffer->data[0] = '\0';
}

/* Makes room for more bytes and the terminator. */
static bool reserve(cs_buffer *buffer, size_t more) {
    if (buffer->failed) return false;
    if (more >= SIZE_MAX / 2 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    size_t need = buffer->size + more + 1;
    if (need <= buffer->capacity) return true;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < need) capacity *= 2;
    char *data = cs_realloc(buffer->data, capacity, 1);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void cs_buffer_append(cs_buffer *buffer, const void *bytes, size_t size) {
    if (!reserve(buffer, size)) return;
    if (size) memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void cs_buffer_text(cs_buffer *buffer, const char *text) {
    if (text) cs_buffer_append(buffer, text, strlen(text));
}

void cs_buffer_vformat(cs_buffer *buffer, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size < 0)
        buffer->failed = true;
    else if (reserve(buffer, (size_t)size)) {
        vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

void cs_buffer_format(cs_buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cs_buffer_vformat(buffer, format, arguments);
    va_end(arguments);
}

const char *cs_buffer_string(const cs_buffer *buffer) { return buffer->data ? buffer->data : ""; }

cs_status cs_buffer_check(const cs_buffer *buffer, cs_error *error) {
    return buffer->failed ? cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL) : CS_OK;
}

cs_status cs_strings_add(cs_strings *list, const char *text, cs_error *error) {
    char *copy = cs_strdup(text);
    char **items = copy ? cs_realloc(list->items, list->count + 1, sizeof *items) : NULL;
    if (!items) {
        cs_free(copy);
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    list->items = items;
    list->items[list->count++] = copy;
    return CS_OK;
}

void cs_strings_free(cs_strings *list) {
    for (size_t i = 0; i < list->count; i++) cs_free(list->items[i]);
    cs_free(list->items);
    *list = (cs_strings){0};
}
