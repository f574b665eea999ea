#include "cudnn_setup/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "json_check.h"

static void *hook_alloc(size_t size) { return cs_alloc(size, 1); }

/* Where a value stands, as "files[3].target"; the root is "the whole". */
static void place_text(const cs_json_at *at, cs_buffer *out) {
    if (at->parent) place_text(at->parent, out);
    if (!at->parent) return;
    if (!at->key) {
        cs_buffer_format(out, "[%zu]", at->index);
        return;
    }
    if (out->size) cs_buffer_text(out, ".");
    cs_text_visible(out, at->key);
}

/* Takes the error on even when there is no memory for its sentence. */
void cs_json_bad(const cs_json_at *at, const char *format, ...) {
    cs_json_reader *reader = at->reader;
    if (reader->status != CS_OK) return;
    cs_buffer place = {0}, sentence = {0};
    place_text(at, &place);
    va_list arguments;
    va_start(arguments, format);
    cs_buffer_vformat(&sentence, format, arguments);
    va_end(arguments);
    if (place.failed || sentence.failed)
        cs_json_no_memory(reader);
    else
        reader->status = cs_fail(reader->error, CS_E_FORMAT, "read", reader->name, "%.300s%s%s", cs_buffer_string(&place),
                                 place.size ? ": " : "", cs_buffer_string(&sentence));
    cs_buffer_free(&place);
    cs_buffer_free(&sentence);
}

void cs_json_no_memory(cs_json_reader *reader) {
    if (reader->status == CS_OK) reader->status = cs_fail(reader->error, CS_E_NO_MEMORY, "read", reader->name, NULL);
}

/* One object: keys counted first, so that comparing them with each other stays cheap. */
static void check_keys(const cs_json_at *object) {
    size_t count = 0;
    for (const cJSON *key = object->node->child; key; key = key->next)
        if (++count > CS_JSON_MAX_KEYS) {
            cs_json_bad(object, "more than %d keys", CS_JSON_MAX_KEYS);
            return;
        }
    for (const cJSON *key = object->node->child; key; key = key->next)
        for (const cJSON *other = key->next; other; other = other->next)
            if (strcmp(key->string, other->string) == 0) {
                cs_json_at at = {object->reader, object, key->string, 0, key};
                cs_json_bad(&at, "the key appears twice");
                return;
            }
}

/* Recursion is bounded by CS_JSON_MAX_DEPTH, which the checker has enforced. */
static void check_tree(const cs_json_at *at) {
    if (at->reader->status != CS_OK) return;
    bool object = cJSON_IsObject(at->node);
    if (object) check_keys(at);
    size_t index = 0;
    for (const cJSON *child = at->node->child; child; child = child->next) {
        cs_json_at below = {at->reader, at, object ? child->string : NULL, index++, child};
        check_tree(&below);
    }
}

cs_status cs_json_parse(const char *name, const char *bytes, size_t size, const cs_json_limits *limits, cs_json **out,
                        cs_error *error) {
    *out = NULL;
    if (size > limits->max_bytes)
        return cs_fail(error, CS_E_TOO_BIG, "read", name, "%zu bytes; the limit is %zu", size, limits->max_bytes);
    bool rewrite = false;
    cs_status status = cs_json_check(name, bytes, size, limits->lone_surrogates, &rewrite, error);
    if (status != CS_OK) return status;
    /* cJSON wants a terminator, and cannot read a lone surrogate's escape: it gets a copy that has both right. */
    char *copy = cs_alloc(size + 1, 1);
    if (!copy) return cs_fail(error, CS_E_NO_MEMORY, "read", name, NULL);
    size_t copied = cs_json_copy(bytes, size, copy, rewrite);
    cJSON_Hooks hooks = {hook_alloc, cs_free};
    cJSON_InitHooks(&hooks);
    cJSON *root = cJSON_ParseWithLengthOpts(copy, copied + 1, NULL, 1);
    cs_free(copy);
    /* The checker accepts nothing that cJSON refuses, so only memory can be short here. */
    if (!root) return cs_fail(error, CS_E_NO_MEMORY, "read", name, NULL);
    cs_json_reader reader = {name, error, CS_OK};
    cs_json_at at = cs_json_root(&reader, root);
    check_tree(&at);
    if (reader.status == CS_OK)
        *out = root;
    else
        cJSON_Delete(root);
    return reader.status;
}

void cs_json_free(cs_json *root) { cJSON_Delete(root); }

cs_json_at cs_json_root(cs_json_reader *reader, const cs_json *root) { return (cs_json_at){reader, NULL, NULL, 0, root}; }

static bool usable(const cs_json_at *at) { return at->node && at->reader->status == CS_OK; }

cs_json_at cs_json_maybe(const cs_json_at *object, const char *key) {
    cs_json_at at = {object->reader, object, key, 0, NULL};
    if (!usable(object)) return at;
    if (!cJSON_IsObject(object->node)) {
        cs_json_bad(object, "must be an object");
        return at;
    }
    for (const cJSON *child = object->node->child; child; child = child->next)
        if (strcmp(child->string, key) == 0) at.node = child;
    return at;
}

cs_json_at cs_json_get(const cs_json_at *object, const char *key) {
    cs_json_at at = cs_json_maybe(object, key);
    if (usable(object) && !at.node) cs_json_bad(&at, "is missing");
    return at;
}

void cs_json_keys(const cs_json_at *object, const char *const *keys, size_t count) {
    if (!usable(object)) return;
    if (!cJSON_IsObject(object->node)) {
        cs_json_bad(object, "must be an object");
        return;
    }
    for (const cJSON *child = object->node->child; child; child = child->next) {
        size_t i = 0;
        while (i < count && strcmp(child->string, keys[i]) != 0) i++;
        if (i < count) continue;
        cs_json_at at = {object->reader, object, child->string, 0, child};
        cs_json_bad(&at, "unknown key");
        return;
    }
}

size_t cs_json_count(const cs_json_at *array, size_t min, size_t max) {
    if (!usable(array)) return 0;
    if (!cJSON_IsArray(array->node)) {
        cs_json_bad(array, "must be an array");
        return 0;
    }
    size_t count = 0;
    for (const cJSON *child = array->node->child; child; child = child->next) count++;
    if (count < min || count > max) {
        cs_json_bad(array, "has %zu items; %zu to %zu are allowed", count, min, max);
        return 0;
    }
    return count;
}

bool cs_json_each(const cs_json_at *array, cs_json_at *item) {
    if (!usable(array)) return false;
    if (!item->node) {
        if (!cJSON_IsArray(array->node)) {
            cs_json_bad(array, "must be an array");
            return false;
        }
        *item = (cs_json_at){array->reader, array, NULL, 0, array->node->child};
    } else {
        item->node = item->node->next;
        item->index++;
    }
    return item->node != NULL;
}

static const char *string_of(const cs_json_at *at) {
    if (!usable(at)) return NULL;
    if (cJSON_IsString(at->node)) return at->node->valuestring;
    cs_json_bad(at, "must be a string");
    return NULL;
}

const char *cs_json_text(cs_json_at at, size_t min, size_t max) {
    const char *text = string_of(&at);
    if (!text) return "";
    size_t size = strlen(text);
    if (size >= min && size <= max) return text;
    cs_json_bad(&at, "has %zu bytes; %zu to %zu are allowed", size, min, max);
    return "";
}

char *cs_json_text_copy(cs_json_at at, size_t min, size_t max) {
    const char *text = cs_json_text(at, min, max);
    if (!usable(&at)) return NULL;
    char *copy = cs_strdup(text);
    if (!copy) cs_json_no_memory(at.reader);
    return copy;
}

uint64_t cs_json_uint(cs_json_at at, uint64_t max) {
    if (!usable(&at)) return 0;
    if (max > CS_JSON_MAX_UINT) max = CS_JSON_MAX_UINT;
    if (!cJSON_IsNumber(at.node))
        cs_json_bad(&at, "must be a number");
    else if (at.node->valuedouble < 0 || at.node->valuedouble > (double)max)
        cs_json_bad(&at, "must be from 0 to %" PRIu64, max);
    else
        return (uint64_t)at.node->valuedouble;
    return 0;
}

bool cs_json_bool(cs_json_at at) {
    if (!usable(&at)) return false;
    if (!cJSON_IsBool(at.node)) cs_json_bad(&at, "must be true or false");
    return cJSON_IsTrue(at.node) != 0;
}

/* Canonical decimal digits of a number that is at most max. */
static bool read_decimal(const char *text, uint64_t max, uint64_t *out) {
    uint64_t value = 0;
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (max - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

uint64_t cs_json_decimal(cs_json_at at) {
    const char *text = string_of(&at);
    uint64_t value = 0;
    if (text && !read_decimal(text, UINT64_MAX, &value)) cs_json_bad(&at, "must be a decimal number below 2^64, as a string");
    return value;
}

int64_t cs_json_signed_decimal(cs_json_at at) {
    const char *text = string_of(&at);
    if (!text) return 0;
    bool negative = text[0] == '-';
    uint64_t size = 0;
    if (!read_decimal(text + (negative ? 1 : 0), (uint64_t)INT64_MAX + (negative ? 1 : 0), &size) || (negative && !size)) {
        cs_json_bad(&at, "must be a decimal number of 64 bits, as a string");
        return 0;
    }
    if (!negative) return (int64_t)size;
    return -(int64_t)(size - 1) - 1;
}

static bool lower_hex(const char *text) { return strspn(text, "0123456789abcdef") == strlen(text); }

void cs_json_hex(cs_json_at at, uint8_t *bytes, size_t size) {
    const char *text = string_of(&at);
    if (!text) return;
    if (!lower_hex(text) || !cs_unhex(text, strlen(text), bytes, size))
        cs_json_bad(&at, "must be %zu lower-case hexadecimal digits", 2 * size);
}

void cs_json_hex_bytes(cs_json_at at, size_t max, uint8_t **bytes, size_t *size) {
    *bytes = NULL;
    *size = 0;
    const char *text = string_of(&at);
    if (!text) return;
    size_t digits = strlen(text);
    if (!lower_hex(text) || digits % 2 || digits / 2 > max) {
        cs_json_bad(&at, "must be lower-case hexadecimal digits for at most %zu bytes", max);
        return;
    }
    if (!digits) return;
    *bytes = cs_alloc(digits / 2, 1);
    if (!*bytes) {
        cs_json_no_memory(at.reader);
        return;
    }
    *size = digits / 2;
    (void)cs_unhex(text, digits, *bytes, *size);
}

size_t cs_json_choice(cs_json_at at, const char *const *choices, size_t count) {
    const char *text = string_of(&at);
    if (!text) return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, choices[i]) == 0) return i;
    cs_buffer list = {0};
    for (size_t i = 0; i < count; i++) cs_buffer_format(&list, "%s%s", i ? ", " : "", choices[i]);
    cs_json_bad(&at, "must be one of %s", cs_buffer_string(&list));
    cs_buffer_free(&list);
    return 0;
}
