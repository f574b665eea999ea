/* pages_guide.c: a document of the project, written in Markdown, as plain text: headings, paragraphs, lists, tables of two
 * columns and blocks of commands, which is what the documents use. A paragraph is one line, which the window wraps as wide as it
 * is. */
#include <string.h>

#include "pages_internal.h"

enum { WIDTH = 80, CELL = 36, CODE = 4 };

typedef struct guide {
    cs_buffer *out;
    cs_buffer words;   /* of the paragraph that is being read, in one line */
    const char *first; /* what stands before it */
    size_t cell;       /* width of the first column of the table that is being read; 0: none is */
    bool code;
} guide;

static void blanks(cs_buffer *out, size_t count) {
    while (count--) cs_buffer_text(out, " ");
}

/* `code`, **bold** and [text](address) lose their marks. */
static void put_inline(cs_buffer *out, const char *text, size_t size) {
    bool link = false;
    for (size_t i = 0; i < size; i++) {
        const char *close = text[i] == ']' && link && i + 1 < size && text[i + 1] == '(' ? memchr(text + i, ')', size - i) : NULL;
        if (close) {
            i = (size_t)(close - text);
            link = false;
        } else if (text[i] == '[' && memchr(text + i, ']', size - i)) {
            link = true;
        } else if (text[i] == '*' && i + 1 < size && text[i + 1] == '*') {
            i++;
        } else if (text[i] != '`') {
            cs_buffer_append(out, text + i, 1);
        }
    }
}

static size_t columns_of(const char *text, size_t size) {
    cs_buffer part = {0};
    cs_buffer_append(&part, text, size);
    size_t columns = cs_text_columns(cs_buffer_string(&part));
    cs_buffer_free(&part);
    return columns;
}

/* Words to lines that begin in the column hang, where the first is already. */
static void wrap(cs_buffer *out, const char *words, size_t hang) {
    size_t at = hang;
    bool begun = false;
    while (*words) {
        size_t size = strcspn(words, " "), columns = columns_of(words, size);
        if (begun && at + 1 + columns > WIDTH) {
            cs_buffer_text(out, "\n");
            blanks(out, hang);
            at = hang;
        } else if (begun) {
            cs_buffer_text(out, " ");
            at++;
        }
        cs_buffer_append(out, words, size);
        at += columns;
        begun = true;
        words += size;
        words += strspn(words, " ");
    }
    cs_buffer_text(out, "\n");
}

static void end_paragraph(guide *g) {
    if (g->words.size) {
        cs_buffer plain = {0};
        put_inline(&plain, g->words.data, g->words.size);
        cs_buffer_format(g->out, "%s%s\n", g->first, cs_buffer_string(&plain));
        if (plain.failed) g->out->failed = true;
        cs_buffer_free(&plain);
    }
    cs_buffer_clear(&g->words);
    g->first = "";
}

static void put_heading(guide *g, const char *line, size_t size) {
    size_t level = 0, before = g->out->size;
    while (level < size && line[level] == '#') level++;
    size_t skip = level < size ? level + 1 : level;
    put_inline(g->out, line + skip, size - skip);
    size_t columns = columns_of(cs_buffer_string(g->out) + before, g->out->size - before);
    cs_buffer_text(g->out, "\n");
    while (columns--) cs_buffer_text(g->out, level == 1 ? "=" : "-");
    cs_buffer_text(g->out, "\n");
}

/* ---- tables ---- */

/* The text of the cell at *at, which moves on; false: the row has ended. */
static bool next_cell(const char **at, const char *end, cs_buffer *cell) {
    const char *start = *at + (*at < end && **at == '|');
    cs_buffer_clear(cell);
    if (start >= end) return false;
    const char *bar = memchr(start, '|', (size_t)(end - start)), *stop = bar ? bar : end;
    *at = stop;
    while (start < stop && *start == ' ') start++;
    while (stop > start && stop[-1] == ' ') stop--;
    put_inline(cell, start, (size_t)(stop - start));
    return true;
}

/* As wide as the widest first cell of the rows that follow. */
static size_t measure_table(const char *line, const char *end) {
    size_t widest = 0;
    cs_buffer cell = {0};
    while (line < end && *line == '|') {
        const char *stop = memchr(line, '\n', (size_t)(end - line)), *at = line;
        if (!stop) stop = end;
        if (next_cell(&at, stop, &cell) && cs_text_columns(cs_buffer_string(&cell)) > widest)
            widest = cs_text_columns(cs_buffer_string(&cell));
        line = stop < end ? stop + 1 : end;
    }
    cs_buffer_free(&cell);
    return (widest > CELL ? CELL : widest) + 2;
}

static void put_row(guide *g, const char *line, size_t size) {
    const char *at = line, *end = line + size;
    cs_buffer cell = {0};
    if (strncmp(line, "|---", 4) == 0) return;
    if (!next_cell(&at, end, &cell)) return;
    size_t columns = cs_text_columns(cs_buffer_string(&cell));
    cs_buffer_text(g->out, cs_buffer_string(&cell));
    if (columns + 2 > g->cell) {
        cs_buffer_text(g->out, "\n");
        columns = 0;
    }
    blanks(g->out, g->cell - columns);
    if (next_cell(&at, end, &cell)) wrap(g->out, cs_buffer_string(&cell), g->cell);
    cs_buffer_free(&cell);
}

/* ---- lines ---- */

static void take_line(guide *g, const char *line, size_t size, const char *end) {
    bool fence = size >= 3 && strncmp(line, "```", 3) == 0, row = !g->code && size && *line == '|';
    if (!row) g->cell = 0;
    if (fence) {
        end_paragraph(g);
        g->code = !g->code;
    } else if (g->code) {
        blanks(g->out, CODE);
        cs_buffer_append(g->out, line, size);
        cs_buffer_text(g->out, "\n");
    } else if (!size) {
        end_paragraph(g);
        cs_buffer_text(g->out, "\n");
    } else if (*line == '#') {
        end_paragraph(g);
        put_heading(g, line, size);
    } else if (row) {
        end_paragraph(g);
        if (!g->cell) g->cell = measure_table(line, end);
        put_row(g, line, size);
    } else {
        bool item = size > 2 && strncmp(line, "- ", 2) == 0;
        size_t skip = item ? 2 : 0;
        while (!item && skip < size && line[skip] == ' ') skip++;
        if (item) {
            end_paragraph(g);
            g->first = "- ";
        }
        if (g->words.size) cs_buffer_text(&g->words, " ");
        cs_buffer_append(&g->words, line + skip, size - skip);
    }
}

void cs_page_guide(const char *document, size_t size, cs_language language, cs_buffer *out) {
    guide g = {.out = out, .first = ""};
    cs_buffer text = {0}; /* ends in a 0, as a resource does not */
    cs_buffer_append(&text, document, size);
    cs_buffer_format(out, "%s\n\n", cs_phrase_text(CS_SAY_GUIDE_FIRST, language));
    const char *line = cs_buffer_string(&text), *end = line + text.size;
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        take_line(&g, line, length && line[length - 1] == '\r' ? length - 1 : length, end);
        line += length + (stop != NULL);
    }
    end_paragraph(&g);
    if (g.words.failed || text.failed) out->failed = true;
    cs_buffer_free(&g.words);
    cs_buffer_free(&text);
}
