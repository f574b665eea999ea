#include <inttypes.h>
#include <string.h>

#include "cudnn_setup/json.h"
#include "cudnn_setup/text.h"

static bool one_line(const cs_json_writer *w) { return w->layout == CS_JSON_COMPACT || w->line_depth; }

static void new_line(cs_json_writer *w) {
    cs_buffer_text(w->out, "\n");
    for (unsigned i = 0; i < w->depth; i++) cs_buffer_text(w->out, "  ");
}

static bool is_surrogate(uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

static void put_code(cs_json_writer *w, uint32_t code, const char *bytes, size_t length) {
    static const char shorts[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (code == '"' || code == '\\')
        cs_buffer_format(w->out, "\\%c", (int)code);
    else if (code < sizeof shorts && shorts[code])
        cs_buffer_format(w->out, "\\%c", shorts[code]);
    else if (code < 0x20 || code == 0x7F || is_surrogate(code))
        cs_buffer_format(w->out, "\\u%04x", (unsigned)code);
    else
        cs_buffer_append(w->out, bytes, length);
}

static void put_string(cs_json_writer *w, const char *text) {
    size_t size = strlen(text), length;
    uint32_t previous = 0;
    cs_buffer_text(w->out, "\"");
    for (size_t at = 0; at < size; at += length) {
        uint32_t code = 0;
        length = cs_utf8_decode(text + at, size - at, true, &code);
        /* Two halves in a row would be read back as one character: such bytes are not WTF-8. */
        bool pair = length && previous >= 0xD800 && previous <= 0xDBFF && code >= 0xDC00 && code <= 0xDFFF;
        if (!length || pair) {
            w->bad_text = w->bad_text || !w->lossy;
            cs_buffer_text(w->out, "\xEF\xBF\xBD");
            if (!length) length = 1;
            code = 0;
        } else {
            put_code(w, code, text + at, length);
        }
        previous = code;
    }
    cs_buffer_text(w->out, "\"");
}

static void put_key(cs_json_writer *w, const char *key) {
    if (w->comma) cs_buffer_text(w->out, w->line_depth && w->layout == CS_JSON_PRETTY ? ", " : ",");
    if (w->depth && !one_line(w)) new_line(w);
    if (!key) return;
    put_string(w, key);
    cs_buffer_text(w->out, w->layout == CS_JSON_PRETTY ? ": " : ":");
}

void cs_json_begin(cs_json_writer *w, const char *key, char bracket) {
    put_key(w, key);
    cs_buffer_append(w->out, &bracket, 1);
    w->depth++;
    if (w->line_depth) w->line_depth++;
    w->comma = false;
}

void cs_json_begin_line(cs_json_writer *w, const char *key, char bracket) {
    bool nested = w->line_depth != 0;
    cs_json_begin(w, key, bracket);
    if (!nested) w->line_depth = 1;
}

void cs_json_end(cs_json_writer *w, char bracket) {
    w->depth--;
    if (w->comma && !one_line(w)) new_line(w);
    if (w->line_depth) w->line_depth--;
    cs_buffer_append(w->out, &bracket, 1);
    w->comma = true;
}

void cs_json_put_text(cs_json_writer *w, const char *key, const char *text) {
    put_key(w, key);
    put_string(w, text);
    w->comma = true;
}

void cs_json_put_uint(cs_json_writer *w, const char *key, uint64_t value) {
    w->bad_text = w->bad_text || value > CS_JSON_MAX_UINT;
    put_key(w, key);
    cs_buffer_format(w->out, "%" PRIu64, value);
    w->comma = true;
}

void cs_json_put_decimal(cs_json_writer *w, const char *key, uint64_t value) {
    put_key(w, key);
    cs_buffer_format(w->out, "\"%" PRIu64 "\"", value);
    w->comma = true;
}

void cs_json_put_signed_decimal(cs_json_writer *w, const char *key, int64_t value) {
    put_key(w, key);
    cs_buffer_format(w->out, "\"%" PRId64 "\"", value);
    w->comma = true;
}

void cs_json_put_bool(cs_json_writer *w, const char *key, bool value) {
    put_key(w, key);
    cs_buffer_text(w->out, value ? "true" : "false");
    w->comma = true;
}

void cs_json_put_hex(cs_json_writer *w, const char *key, const uint8_t *bytes, size_t size) {
    put_key(w, key);
    cs_buffer_text(w->out, "\"");
    for (size_t i = 0; i < size; i++) {
        char digits[3];
        cs_hex(bytes + i, 1, digits);
        cs_buffer_append(w->out, digits, 2);
    }
    cs_buffer_text(w->out, "\"");
    w->comma = true;
}

cs_status cs_json_finish(cs_json_writer *w, cs_error *error) {
    if (w->layout == CS_JSON_PRETTY) cs_buffer_text(w->out, "\n");
    if (w->bad_text) return cs_fail(error, CS_E_FORMAT, "write JSON", NULL, "text that is not Unicode, or a number beyond 2^53");
    return cs_buffer_check(w->out, error);
}
