/* pages_told.c: what the core says in its own words, for a page. Its sentences advise options too, which somebody who has only a
 * window cannot give; the page has buttons for what can be done there. */
#include <string.h>

#include "cudnn_setup/sentences.h"
#include "pages_internal.h"

/* " /force", "(/manifest:FILE)"; not "include/cudnn.h" nor "MB/s", and not "(/cuda)", which says where a folder was named. */
static bool is_option(const char *text, const char *slash) {
    if (*slash != '/' || slash[1] < 'a' || slash[1] > 'z') return false;
    const char *end = slash + 1;
    while (*end >= 'a' && *end <= 'z') end++;
    if (slash == text) return true;
    return slash[-1] == '(' ? *end != ')' : slash[-1] == ' ' || (unsigned char)slash[-1] >= 0x80;
}

static bool names_option(const char *piece, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (is_option(piece, piece + i)) return true;
    return false;
}

/* Length of the separator at text, from the list; 0: none is there. */
static size_t separator(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strncmp(text, *list, strlen(*list)) == 0) return strlen(*list);
    return 0;
}

static size_t until(const char *text, size_t from, size_t size, const char *const *list) {
    while (from < size && !separator(text + from, list)) from++;
    return from;
}

/* "connect it, or use /force": the first clause, and of the others those that name no option and lean on none that does. Nothing
 * where the first does. */
static void take_sentence(cs_buffer *out, const char *sentence, size_t size) {
    static const char *const clauses[] = {"; ", ", or ", "；", "，或", NULL}, *const anew[] = {"; ", "；", NULL};
    bool left_out = false;
    size_t end = until(sentence, 0, size, clauses);
    if (names_option(sentence, end)) return;
    cs_buffer_append(out, sentence, end);
    while (end < size) {
        size_t start = end;
        end = until(sentence, start + separator(sentence + start, clauses), size, clauses);
        left_out = names_option(sentence + start, end - start) || (left_out && !separator(sentence + start, anew));
        if (!left_out) cs_buffer_append(out, sentence + start, end - start);
    }
}

void page_told(cs_buffer *out, const char *english, cs_language language) {
    static const char *const ends[] = {". ", ".\n", "\n", "。", NULL};
    cs_buffer said = {0}, taken = {0};
    cs_say_sentence(&said, english, language);
    const char *text = cs_buffer_string(&said);
    size_t size = said.size;
    for (size_t at = 0; at < size;) {
        size_t end = until(text, at, size, ends), stop = separator(text + end, ends), before = taken.size;
        take_sentence(&taken, text + at, end - at);
        if (taken.size > before || end == at) cs_buffer_append(&taken, text + end, stop);
        at = end + stop;
    }
    while (taken.size && (taken.data[taken.size - 1] == ' ' || taken.data[taken.size - 1] == '\n'))
        taken.data[--taken.size] = '\0';
    if (taken.size && text[size - 1] == '.' && taken.data[taken.size - 1] != '.') cs_buffer_text(&taken, ".");
    page_text(out, taken.size ? taken.data : text);
    if (said.failed || taken.failed) out->failed = true;
    cs_buffer_free(&said);
    cs_buffer_free(&taken);
}
