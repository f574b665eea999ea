/* pages_text.c: widths, elision, and rows. */
#include <string.h>

#include "cudnn_setup/text.h"
#include "pages_internal.h"

/* Wide in a proportional font as in a console: Hangul, kana, ideographs, full-width forms (Unicode, EastAsianWidth: W and F, by
 * blocks). */
static bool is_wide(uint32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

/* Bytes of the character at text, and its columns. What is no UTF-8 counts byte by byte. */
static size_t step(const char *text, size_t left, size_t *columns) {
    uint32_t c = 0;
    size_t size = cs_utf8_decode(text, left, true, &c);
    *columns = size && is_wide(c) ? 2 : 1;
    return size ? size : 1;
}

size_t cs_text_columns(const char *text) {
    size_t all = 0, columns;
    for (size_t left = strlen(text); left;) {
        size_t size = step(text, left, &columns);
        all += columns;
        text += size;
        left -= size;
    }
    return all;
}

void cs_elide(cs_buffer *out, const char *text, size_t width) {
    size_t all = cs_text_columns(text), size = strlen(text), columns;
    if (all <= width) {
        cs_buffer_text(out, text);
        return;
    }
    if (width < 3) width = 3;
    size_t front = (width - 1) / 3, back = width - 1 - front, at = 0, used = 0; /* the end of a path says more than its start */
    while (at < size) {
        size_t next = step(text + at, size - at, &columns);
        if (used + columns > front) break;
        used += columns;
        at += next;
    }
    cs_buffer_append(out, text, at);
    cs_buffer_text(out, "…");
    for (size_t skipped = used; at < size && all - skipped > back;) {
        at += step(text + at, size - at, &columns);
        skipped += columns;
    }
    cs_buffer_text(out, text + at);
}

void cs_elide_end(cs_buffer *out, const char *text, size_t width) {
    size_t size = strlen(text), at = 0, used = 0, columns;
    if (cs_text_columns(text) <= width) {
        cs_buffer_text(out, text);
        return;
    }
    if (width < 3) width = 3;
    while (at < size) {
        size_t next = step(text + at, size - at, &columns);
        if (used + columns > width - 1) break;
        used += columns;
        at += next;
    }
    cs_buffer_append(out, text, at);
    cs_buffer_text(out, "…");
}

void page_text(cs_buffer *out, const char *text) {
    for (const char *p = text; *p;) {
        size_t size = strcspn(p, "\n");
        cs_buffer line = {0};
        cs_buffer_append(&line, p, size);
        cs_text_visible(out, cs_buffer_string(&line));
        if (p[size]) cs_buffer_text(out, "\n");
        if (line.failed) out->failed = true;
        cs_buffer_free(&line);
        p += size + (p[size] != '\0');
    }
}

void page_capital(cs_buffer *text) {
    size_t word = strspn(cs_buffer_string(text), "abcdefghijklmnopqrstuvwxyz");
    if (word && (text->data[word] == ' ' || text->data[word] == ',')) text->data[0] = (char)(text->data[0] - 'a' + 'A');
}

void page_path(cs_buffer *out, const char *path, size_t width) {
    cs_buffer visible = {0};
    page_text(&visible, path);
    cs_elide(out, cs_buffer_string(&visible), width);
    cs_buffer_free(&visible);
}

void page_say_different(cs_buffer *out, const cs_outcome *outcome, cs_language language) {
    enum { SHOWN = 6 };
    cs_buffer names = {0};
    size_t shown = 0;
    for (size_t i = 0; i < outcome->file_count; i++) {
        const char *state = outcome->files[i].state;
        if (strcmp(state, "missing") != 0 && strcmp(state, "differs") != 0) continue;
        const char *comma = language == CS_CHINESE ? "，" : ", ";
        if (shown < SHOWN) cs_buffer_format(&names, "%s%s", shown ? comma : "", outcome->files[i].target);
        if (shown++ == SHOWN) cs_buffer_format(&names, "%s…", comma);
    }
    if (shown) cs_say(out, CS_SAY_FILES_DIFFER, language, "names", cs_buffer_string(&names), NULL);
    cs_buffer_free(&names);
}

void page_start(cs_page *page, cs_language language) {
    cs_page_free(page);
    page->language = language;
}

cs_page_row *page_row(cs_page *page, cs_phrase name, cs_mark mark) {
    if (page->row_count < CS_PAGE_ROWS) page->row_count++;
    cs_page_row *row = &page->rows[page->row_count - 1];
    row->name = cs_phrase_text(name, page->language);
    row->mark = mark;
    return row;
}

void cs_page_free(cs_page *page) {
    for (size_t i = 0; i < page->row_count; i++) {
        cs_buffer_free(&page->rows[i].found);
        cs_buffer_free(&page->rows[i].means);
        cs_buffer_free(&page->rows[i].sentence);
    }
    cs_buffer_free(&page->heading);
    cs_buffer_free(&page->line);
    *page = (cs_page){0};
}

const char *cs_mark_text(cs_mark mark, cs_language language) {
    return cs_phrase_text((cs_phrase)(CS_SAY_MARK_OK + (int)mark), language);
}

void cs_page_version(cs_buffer *out, const char *version) {
    size_t size = 0;
    for (int dots = 0; version[size] && (version[size] != '.' || ++dots < 3);) size++;
    cs_buffer_append(out, version, size);
}

void cs_page_copy(const cs_page *page, cs_buffer *out) {
    cs_buffer_format(out, "%s\n%s\n", cs_buffer_string(&page->heading), cs_buffer_string(&page->line));
    for (size_t i = 0; i < page->row_count; i++) {
        const cs_page_row *row = &page->rows[i];
        cs_buffer_format(out, "\n[%s] %s: %s", cs_mark_text(row->mark, page->language), row->name, cs_buffer_string(&row->found));
        if (row->means.size) cs_buffer_format(out, " (%s)", row->means.data);
        if (row->sentence.size && strcmp(row->sentence.data, cs_buffer_string(&row->found)) != 0)
            cs_buffer_format(out, "\n    %s", row->sentence.data);
    }
    cs_buffer_text(out, "\n");
}
