#include "cudnn_setup/text.h"

#include <stdio.h>
#include <string.h>

static unsigned char fold(char c) { return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

int cs_text_compare_ascii_case(const char *a, const char *b) {
    if (!a || !b) return (a ? 1 : 0) - (b ? 1 : 0);
    while (*a && fold(*a) == fold(*b)) a++, b++;
    return (int)fold(*a) - (int)fold(*b);
}

bool cs_text_equal_ascii_case(const char *a, const char *b) { return cs_text_compare_ascii_case(a, b) == 0; }

bool cs_text_starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

bool cs_text_ends_with_ascii_case(const char *text, const char *suffix) {
    size_t size = strlen(text), tail = strlen(suffix);
    return size >= tail && cs_text_equal_ascii_case(text + size - tail, suffix);
}

size_t cs_utf8_decode(const char *bytes, size_t size, bool surrogates, uint32_t *out) {
    const unsigned char *p = (const unsigned char *)bytes;
    if (!size) return 0;
    if (p[0] < 0x80) {
        *out = p[0];
        return 1;
    }
    size_t length = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || size < length) return 0;
    uint32_t code = p[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (p[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10FFFF) return 0;
    if (!surrogates && code >= 0xD800 && code <= 0xDFFF) return 0;
    *out = code;
    return length;
}

bool cs_utf8_valid(const char *bytes, size_t size) {
    uint32_t code;
    for (size_t at = 0, length; at < size; at += length)
        if ((length = cs_utf8_decode(bytes + at, size - at, false, &code)) == 0) return false;
    return true;
}

void cs_hex(const uint8_t *bytes, size_t size, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * size] = '\0';
}

static int nibble(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool cs_unhex(const char *text, size_t text_size, uint8_t *bytes, size_t size) {
    if (text_size != 2 * size) return false;
    for (size_t i = 0; i < size; i++) {
        int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Characters that could move a cursor, hide text or turn its direction. Source: Unicode, Bidi_Control and general category C. */
static bool must_escape(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           (code >= 0xD800 && code <= 0xDFFF) || (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);
}

void cs_text_visible(cs_buffer *out, const char *text) {
    size_t size = strlen(text), length;
    for (size_t at = 0; at < size; at += length) {
        uint32_t code = 0;
        length = cs_utf8_decode(text + at, size - at, true, &code);
        if (!length) {
            cs_buffer_format(out, "\\u{%02x}", (unsigned char)text[at]);
            length = 1;
        } else if (must_escape(code)) {
            cs_buffer_format(out, "\\u{%x}", (unsigned)code);
        } else {
            cs_buffer_append(out, text + at, length);
        }
    }
}

static void encode(cs_buffer *out, uint32_t code) {
    char bytes[4];
    size_t size;
    if (code < 0x80) {
        bytes[0] = (char)code;
        size = 1;
    } else if (code < 0x800) {
        bytes[0] = (char)(0xC0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3F));
        size = 2;
    } else if (code < 0x10000) {
        bytes[0] = (char)(0xE0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (code & 0x3F));
        size = 3;
    } else {
        bytes[0] = (char)(0xF0 | code >> 18);
        bytes[1] = (char)(0x80 | (code >> 12 & 0x3F));
        bytes[2] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[3] = (char)(0x80 | (code & 0x3F));
        size = 4;
    }
    cs_buffer_append(out, bytes, size);
}

static bool is_high(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
static bool is_low(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/* Appends the ASCII units at the start in one go and returns how many there were. */
static size_t encode_ascii(cs_buffer *out, const uint16_t *units, size_t count) {
    char bytes[256];
    size_t used = 0;
    while (used < count && used < sizeof bytes && units[used] < 0x80) {
        bytes[used] = (char)units[used];
        used++;
    }
    if (used) cs_buffer_append(out, bytes, used);
    return used;
}

void cs_wtf8_from_utf16(cs_buffer *out, const uint16_t *units, size_t count) {
    for (size_t i = 0; i < count; i++) {
        i += encode_ascii(out, units + i, count - i);
        if (i == count) break;
        uint32_t code = units[i];
        if (is_high(code) && i + 1 < count && is_low(units[i + 1])) {
            code = 0x10000 + ((code - 0xD800) << 10) + (units[i + 1] - 0xDC00u);
            i++;
        }
        encode(out, code);
    }
}

bool cs_utf16le_from_wtf8(cs_buffer *out, const char *bytes, size_t size) {
    uint32_t previous = 0;
    for (size_t at = 0, length; at < size; at += length) {
        uint32_t code;
        if ((length = cs_utf8_decode(bytes + at, size - at, true, &code)) == 0) return false;
        if (is_high(previous) && is_low(code)) return false; /* a pair must be one four-byte sequence */
        previous = code;
        uint32_t high = code, low = 0;
        if (code >= 0x10000) {
            high = 0xD800 + ((code - 0x10000) >> 10);
            low = 0xDC00 + ((code - 0x10000) & 0x3FF);
        }
        char pair[4] = {(char)(high & 0xFF), (char)(high >> 8), (char)(low & 0xFF), (char)(low >> 8)};
        cs_buffer_append(out, pair, low ? 4 : 2);
    }
    return true;
}

/* Days to civil date. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". */
void cs_time_text(int64_t filetime, char *out) {
    int64_t seconds = filetime / 10000000;
    int64_t days = seconds / 86400, rest = seconds % 86400;
    int64_t z = days + 584694; /* days from 0000-03-01 to 1601-01-01 */
    int64_t era = z / 146097, day_of_era = z % 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153;
    int day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
    int month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    int year = (int)(year_of_era + era * 400 + (month <= 2 ? 1 : 0));
    char text[64];
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, (int)(rest / 3600), (int)(rest / 60 % 60),
             (int)(rest % 60));
    memcpy(out, text, 20);
    out[20] = '\0';
}
