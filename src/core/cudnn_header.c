#include "cudnn_setup/cudnn_header.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Moves *at over blanks, then over word, which has to end there. */
static bool skip_word(const char **at, const char *end, const char *word) {
    size_t size = strlen(word);
    while (*at < end && is_blank(**at)) (*at)++;
    if ((size_t)(end - *at) < size || memcmp(*at, word, size) != 0) return false;
    *at += size;
    return true;
}

/* The number that ends a definition; -1 if it is anything but that. A comment may follow. */
static int32_t read_number(const char *at, const char *end) {
    int32_t value = 0;
    size_t digits = 0;
    if (at == end || !is_blank(*at)) return -1;
    while (at < end && is_blank(*at)) at++;
    for (; at < end && *at >= '0' && *at <= '9' && digits < 5; at++, digits++) value = value * 10 + (*at - '0');
    while (at < end && (is_blank(*at) || *at == '\r')) at++;
    bool comment = end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
    return digits >= 1 && digits <= 4 && (at == end || comment) ? value : -1;
}

bool cs_cudnn_header_version(const char *text, size_t size, uint32_t version[3]) {
    static const char *const names[] = {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"};
    unsigned found[3] = {0};
    const char *end = text + size, *line_end;
    for (const char *line = text; line < end; line = line_end < end ? line_end + 1 : end) {
        line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end) line_end = end;
        const char *at = line;
        if (!skip_word(&at, line_end, "#") || !skip_word(&at, line_end, "define")) continue;
        for (size_t i = 0; i < 3; i++) {
            const char *after = at;
            if (!skip_word(&after, line_end, names[i])) continue;
            if (after < line_end && !is_blank(*after) && *after != '\r') continue; /* a longer name */
            int32_t value = read_number(after, line_end);
            if (value < 0 || found[i]++) return false;
            version[i] = (uint32_t)value;
        }
    }
    return found[0] == 1 && found[1] == 1 && found[2] == 1;
}
