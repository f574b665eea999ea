#include "json_check.h"

#include <stdint.h>
#include <string.h>

#include "cudnn_setup/json.h"
#include "cudnn_setup/text.h"

typedef struct checker {
    const char *name;
    const char *bytes;
    size_t size, at;
    bool lone_surrogates, found_lone;
    cs_error *error;
} checker;

static cs_status refuse(checker *c, size_t at, const char *what) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column++;
        if (c->bytes[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return cs_fail(c->error, CS_E_FORMAT, "read", c->name, "line %zu, column %zu: %s", line, column, what);
}

static int peek(const checker *c) { return c->at < c->size ? (unsigned char)c->bytes[c->at] : -1; }

static void skip_space(checker *c) {
    while (peek(c) == ' ' || peek(c) == '\t' || peek(c) == '\n' || peek(c) == '\r') c->at++;
}

/* The four digits after "\u"; -1 if they are not there. */
static int32_t unit_at(const char *bytes, size_t size, size_t at) {
    uint8_t pair[2];
    if (size - at < 6 || bytes[at] != '\\' || bytes[at + 1] != 'u' || !cs_unhex(bytes + at + 2, 4, pair, 2)) return -1;
    return (int32_t)((uint32_t)pair[0] << 8 | pair[1]);
}

static bool is_high(int32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
static bool is_low(int32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/* Length of the escape at a backslash: 2, 6, or 12 for a surrogate pair. 0 if malformed. *lone: a surrogate without its twin. */
static size_t escape_length(const char *bytes, size_t size, size_t at, bool *lone, bool *zero) {
    *lone = *zero = false;
    if (size - at < 2) return 0;
    if (bytes[at + 1] != 'u') return bytes[at + 1] != '\0' && strchr("\"\\/bfnrt", bytes[at + 1]) ? 2 : 0;
    int32_t unit = unit_at(bytes, size, at);
    if (unit < 0) return 0;
    *zero = unit == 0;
    if (is_high(unit) && size - at >= 12 && is_low(unit_at(bytes, size, at + 6))) return 12;
    *lone = is_high(unit) || is_low(unit);
    return 6;
}

static cs_status check_string(checker *c) {
    size_t start = c->at++;
    while (c->at < c->size && c->bytes[c->at] != '"') {
        unsigned char byte = (unsigned char)c->bytes[c->at];
        if (byte < 0x20) return refuse(c, c->at, "a control character inside a string");
        if (byte != '\\') {
            c->at++;
            continue;
        }
        bool lone, zero;
        size_t length = escape_length(c->bytes, c->size, c->at, &lone, &zero);
        if (!length) return refuse(c, c->at, "not an escape sequence");
        if (zero) return refuse(c, c->at, "\\u0000 is not allowed");
        if (lone && !c->lone_surrogates) return refuse(c, c->at, "half of a surrogate pair");
        c->found_lone = c->found_lone || lone;
        c->at += length;
    }
    if (c->at == c->size) return refuse(c, start, "a string without an end");
    c->at++;
    return CS_OK;
}

static bool is_digit(int byte) { return byte >= '0' && byte <= '9'; }

static cs_status check_number(checker *c) {
    size_t start = c->at;
    if (peek(c) == '-') c->at++;
    if (!is_digit(peek(c))) return refuse(c, start, "not a JSON value");
    if (peek(c) == '0' && c->at + 1 < c->size && is_digit((unsigned char)c->bytes[c->at + 1]))
        return refuse(c, start, "a number with leading zeros");
    while (is_digit(peek(c))) c->at++;
    if (c->at - start > CS_JSON_MAX_NUMBER) return refuse(c, start, "a number of more than 16 characters");
    if (peek(c) == '.' || peek(c) == 'e' || peek(c) == 'E') return refuse(c, start, "only whole numbers are allowed");
    return CS_OK;
}

static cs_status check_word(checker *c, const char *word) {
    size_t length = strlen(word);
    if (c->size - c->at < length || memcmp(c->bytes + c->at, word, length) != 0) return refuse(c, c->at, "not a JSON value");
    c->at += length;
    return CS_OK;
}

static cs_status check_value(checker *c, unsigned depth);

static cs_status check_key(checker *c) {
    skip_space(c);
    if (peek(c) != '"') return refuse(c, c->at, "a key in quotes is expected");
    cs_status status = check_string(c);
    if (status != CS_OK) return status;
    skip_space(c);
    if (peek(c) != ':') return refuse(c, c->at, "':' is expected");
    c->at++;
    return CS_OK;
}

/* An object or array; recursion ends at CS_JSON_MAX_DEPTH. */
static cs_status check_container(checker *c, unsigned depth) {
    if (depth > CS_JSON_MAX_DEPTH) return refuse(c, c->at, "nested more than 8 levels deep");
    bool object = peek(c) == '{';
    int end = object ? '}' : ']';
    c->at++;
    skip_space(c);
    if (peek(c) == end) {
        c->at++;
        return CS_OK;
    }
    for (;;) {
        cs_status status = object ? check_key(c) : CS_OK;
        if (status == CS_OK) status = check_value(c, depth);
        if (status != CS_OK) return status;
        skip_space(c);
        int byte = peek(c);
        if (byte != ',' && byte != end) return refuse(c, c->at, object ? "',' or '}' is expected" : "',' or ']' is expected");
        c->at++;
        if (byte == end) return CS_OK;
    }
}

static cs_status check_value(checker *c, unsigned depth) {
    skip_space(c);
    switch (peek(c)) {
    case '{':
    case '[':
        return check_container(c, depth + 1);
    case '"':
        return check_string(c);
    case 't':
        return check_word(c, "true");
    case 'f':
        return check_word(c, "false");
    case 'n':
        return check_word(c, "null");
    case -1:
        return refuse(c, c->at, "the text ends where a value is expected");
    default:
        return check_number(c);
    }
}

/* First byte that is not part of well-formed UTF-8; only called when there is one. */
static size_t first_invalid(const char *bytes, size_t size) {
    size_t at = 0;
    uint32_t code;
    for (size_t length; at < size && (length = cs_utf8_decode(bytes + at, size - at, false, &code)) != 0;) at += length;
    return at;
}

cs_status cs_json_check(const char *name, const char *bytes, size_t size, bool lone_surrogates, bool *found_lone,
                        cs_error *error) {
    checker c = {name, bytes, size, 0, lone_surrogates, false, error};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) return refuse(&c, 0, "a byte order mark is not allowed");
    if (!cs_utf8_valid(bytes, size)) return refuse(&c, first_invalid(bytes, size), "not valid UTF-8");
    cs_status status = check_value(&c, 0);
    if (status != CS_OK) return status;
    skip_space(&c);
    if (c.at != size) return refuse(&c, c.at, "more text after the value");
    *found_lone = c.found_lone;
    return CS_OK;
}

size_t cs_json_copy(const char *bytes, size_t size, char *out, bool rewrite) {
    if (!rewrite) {
        memcpy(out, bytes, size);
        return size;
    }
    size_t used = 0;
    /* In checked text a backslash only stands inside strings, at the start of an escape. */
    for (size_t at = 0; at < size;) {
        bool lone = false, zero = false;
        size_t length = bytes[at] == '\\' ? escape_length(bytes, size, at, &lone, &zero) : 1;
        if (lone) {
            uint32_t unit = (uint32_t)unit_at(bytes, size, at);
            out[used++] = (char)(0xE0 | unit >> 12);
            out[used++] = (char)(0x80 | (unit >> 6 & 0x3F));
            out[used++] = (char)(0x80 | (unit & 0x3F));
        } else {
            memcpy(out + used, bytes + at, length);
            used += length;
        }
        at += length;
    }
    return used;
}
