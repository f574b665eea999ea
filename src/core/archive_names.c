#include "archive_internal.h"

#include <string.h>

#include "cudnn_setup/path.h"

static bool is_separator(char c) { return c == '/' || c == '\\'; }

/* In a name that is not UTF-8 a backslash behind a high byte is usually the second half of a character (GBK, Shift-JIS), not a
 * separator. */
static bool separates(const char *name, size_t at, bool utf8) {
    if (name[at] == '/') return true;
    return name[at] == '\\' && (utf8 || at == 0 || (unsigned char)name[at - 1] < 0x80);
}

/* Counts every backslash as a separator, whatever the encoding: this rule must not be fooled. */
static bool steps_up(const char *raw, size_t size) {
    size_t start = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && !is_separator(raw[i])) continue;
        if (i - start == 2 && raw[start] == '.' && raw[start + 1] == '.') return true;
        start = i + 1;
    }
    return false;
}

static const char *characters_fault(const char *raw, size_t size, bool utf8) {
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)raw[i];
        if (c < 0x20 || c == 0x7F) return "holds a control character";
        if (c == ':') return "holds ':', a drive or a stream";
        if (c == '|' && !utf8 && i > 0 && (unsigned char)raw[i - 1] >= 0x80) continue; /* half a character, as above */
        if (strchr("<>\"|?*", c)) return "holds a character that Windows does not allow in names";
    }
    return NULL;
}

static const char *component_fault(const char *component, size_t size) {
    char text[CS_ZIP_MAX_NAME + 1];
    if (size == 0) return "has an empty part";
    if (component[size - 1] == '.' || component[size - 1] == ' ') return "has a part that ends in a dot or a blank";
    memcpy(text, component, size);
    text[size] = '\0';
    return cs_path_device_name(text) ? "is that of a device" : NULL;
}

static bool leads_with_dot(const char *raw, size_t size) { return size >= 2 && raw[0] == '.' && is_separator(raw[1]); }

const char *cs_entry_name_fault(const char *raw, size_t size, bool flagged_utf8) {
    if (size == 0) return "is empty";
    if (size > CS_ZIP_MAX_NAME) return "is too long";
    if (is_separator(raw[0])) return "is an absolute path";
    if (steps_up(raw, size)) return "leads out of the archive (\"..\")";
    bool utf8 = cs_utf8_valid(raw, size);
    if (flagged_utf8 && !utf8) return "is said to be UTF-8 and is not";
    const char *fault = characters_fault(raw, size, utf8);
    size_t start = leads_with_dot(raw, size) ? 2 : 0;
    for (size_t i = start; i <= size && !fault; i++) {
        if (i < size && !separates(raw, i, utf8)) continue;
        if (i == size && start == size) break; /* a folder's name ends in a separator */
        fault = component_fault(raw + start, i - start);
        start = i + 1;
    }
    return fault;
}

char *cs_entry_name_normal(const char *raw, size_t size) {
    bool utf8 = cs_utf8_valid(raw, size);
    size_t start = leads_with_dot(raw, size) ? 2 : 0;
    size_t end = size > start && separates(raw, size - 1, utf8) ? size - 1 : size;
    char *name = cs_alloc(end - start + 1, 1);
    if (!name) return NULL;
    for (size_t i = start; i < end; i++) name[i - start] = separates(raw, i, utf8) ? '/' : raw[i];
    return name;
}

/* ---- the same name to a file system that ignores case ---- */

typedef struct fold_range {
    uint32_t first, last;
    int32_t delta;
    uint32_t step; /* every step-th character of the range folds */
} fold_range;

/* Source: Unicode, CaseFolding.txt, status C, for the letters of European scripts; full-width forms and the signs that Unicode
 * or people take for an ASCII letter are folded to it. */
static const fold_range fold_ranges[] = {
    {0x41, 0x5A, 32, 1},                /* A to Z */
    {0xC0, 0xD6, 32, 1},                /* Latin-1 capitals */
    {0xD8, 0xDE, 32, 1},                /* the rest of them */
    {0x100, 0x12E, 1, 2},               /* Latin Extended-A, capital and small in turn */
    {0x130, 0x130, 0x69 - 0x130, 1},    /* capital I with dot */
    {0x131, 0x131, 0x69 - 0x131, 1},    /* dotless i */
    {0x132, 0x136, 1, 2},               /* Latin Extended-A goes on */
    {0x139, 0x147, 1, 2},               /* with odd capitals */
    {0x14A, 0x176, 1, 2},               /* and even ones again */
    {0x179, 0x17D, 1, 2},               /* Z with accents */
    {0x17F, 0x17F, 0x73 - 0x17F, 1},    /* long s */
    {0x391, 0x3A9, 32, 1},              /* Greek */
    {0x3C2, 0x3C2, 1, 1},               /* final sigma */
    {0x400, 0x40F, 80, 1},              /* Cyrillic */
    {0x410, 0x42F, 32, 1},              /* Cyrillic */
    {0x2024, 0x2024, 0x2E - 0x2024, 1}, /* one dot leader */
    {0x212A, 0x212A, 0x6B - 0x212A, 1}, /* Kelvin sign */
    {0x212B, 0x212B, 0xE5 - 0x212B, 1}, /* Angstrom sign */
    {0xFF01, 0xFF20, -0xFEE0, 1},       /* full-width digits and signs */
    {0xFF21, 0xFF3A, 0x61 - 0xFF21, 1}, /* full-width capitals */
    {0xFF3B, 0xFF5E, -0xFEE0, 1},       /* full-width small letters and signs */
};

/* Characters that take no room on the screen. */
static bool is_invisible(uint32_t c) { return c == 0xAD || (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF; }

static uint32_t folded(uint32_t c) {
    for (size_t i = 0; i < sizeof fold_ranges / sizeof fold_ranges[0]; i++) {
        const fold_range *range = &fold_ranges[i];
        if (c >= range->first && c <= range->last && (c - range->first) % range->step == 0)
            return (uint32_t)((int32_t)c + range->delta);
    }
    return c;
}

/* The next character of valid UTF-8. */
static uint32_t next_character(const char **at) {
    const unsigned char *p = (const unsigned char *)*at;
    size_t more = p[0] < 0x80 ? 0 : p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 : 3;
    static const unsigned char masks[] = {0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = p[0] & masks[more];
    for (size_t i = 1; i <= more; i++) c = c << 6 | (p[i] & 0x3F);
    *at += more + 1;
    return c;
}

static void append_character(cs_buffer *out, uint32_t c) {
    char bytes[4];
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(leads[size] | c);
    cs_buffer_append(out, bytes, size);
}

void cs_entry_name_key(cs_buffer *out, const char *name) {
    bool utf8 = cs_utf8_valid(name, strlen(name));
    for (const char *at = name; *at;) {
        uint32_t c = utf8 ? next_character(&at) : (unsigned char)*at++;
        if (utf8 && is_invisible(c)) continue;
        if (utf8 || c < 0x80) c = folded(c);
        if (c == '/') c = 1;
        if (utf8) {
            append_character(out, c);
        } else {
            char byte = (char)c;
            cs_buffer_append(out, &byte, 1);
        }
    }
}
