/* sentences.c: a sentence matched against the catalogue, its fields read back, and the Chinese filled in with them. */
#include "sentence_table.h"

enum { MAX_FIELDS = 16, MAX_ROW_STEPS = 20000, ROW_STEPS = 32, MAX_CANDIDATES = 32, MAX_TEXT = 16 * 1024 };

static const sentence_part *const parts[] = {&sentence_archive, &sentence_calls,   &sentence_records,
                                             &sentence_runs,    &sentence_toolkit, &sentence_usage};
enum { PARTS = sizeof parts / sizeof parts[0] };

const cs_sentence *cs_sentence_at(size_t index) {
    for (size_t i = 0; i < PARTS; i++) {
        if (index < parts[i]->count) return &parts[i]->rows[index];
        index -= parts[i]->count;
    }
    return NULL;
}

/* ---- formats ---- */

typedef enum piece_kind { PIECE_END, PIECE_LITERAL, PIECE_TEXT, PIECE_NUMBER } piece_kind;

typedef struct piece {
    piece_kind kind;
    slice literal;
    const char *next;
} piece;

/* The size of a conversion such as "%zu" or "%.300s"; 0 where '%' begins none. */
static size_t conversion_size(const char *at) {
    size_t size = 1 + strspn(at + 1, "-+#.*0123456789hlzjtI");
    return at[size] && strchr("sduxXc", at[size]) ? size + 1 : 0;
}

static piece next_piece(const char *format) {
    size_t size = strcspn(format, "%");
    if (!size && !*format) return (piece){.kind = PIECE_END, .next = format};
    if (!size && format[1] == '%') return (piece){PIECE_LITERAL, {format, 1}, format + 2};
    size_t conversion = size ? 0 : conversion_size(format);
    if (conversion) {
        char last = format[conversion - 1];
        return (piece){.kind = last == 's' || last == 'c' ? PIECE_TEXT : PIECE_NUMBER, .next = format + conversion};
    }
    if (!size) size = 1 + strcspn(format + 1, "%"); /* a '%' that is just that */
    return (piece){PIECE_LITERAL, {format, size}, format + size};
}

/* How much of the format is fixed: the row with more of it is the one that is meant. */
static size_t literal_size(const char *format) {
    size_t size = 0;
    for (piece p = next_piece(format); p.kind != PIECE_END; p = next_piece(p.next)) size += p.literal.size;
    return size;
}

/* The literal in the text, at *at or behind. */
static bool find(slice text, slice literal, size_t *at) {
    while (*at + literal.size <= text.size) {
        const char *first = memchr(text.at + *at, literal.at[0], text.size - literal.size + 1 - *at);
        if (!first) return false;
        *at = (size_t)(first - text.at);
        if (slice_starts(slice_from(text, *at), literal.at, literal.size)) return true;
        ++*at;
    }
    return false;
}

/* ---- filling in ---- */

static bool say_row(sentence_search *s, slice text, bool continuing, cs_buffer *out);

typedef struct matching {
    sentence_search *s;
    const cs_sentence *row;
    size_t steps;
    slice fields[MAX_FIELDS];
    size_t count;
    cs_buffer *out;
} matching;

static bool say_lines(sentence_search *s, slice text, cs_buffer *out) {
    while (text.size) {
        const char *end = memchr(text.at, '\n', text.size);
        size_t size = end ? (size_t)(end - text.at) : text.size;
        if (!sentence_say(s, (slice){text.at, size}, out)) return false;
        if (end) cs_buffer_text(out, "\n");
        text = slice_from(text, size + (end != NULL));
    }
    return true;
}

static void take_back(cs_buffer *out, size_t start) {
    if (out->data) out->data[out->size = start] = '\0';
}

/* A part may hold such a comma of its own. */
static bool say_list(sentence_search *s, slice text, const char *comma, cs_buffer *out) {
    size_t start = out->size;
    for (size_t i = 0; i + 2 <= text.size; i++) {
        if (memcmp(text.at + i, comma, 2) != 0) continue;
        if (sentence_row(s, (slice){text.at, i}, out) && !sentence_spent(s)) {
            cs_buffer_text(out, *comma == ';' ? "；" : "，");
            s->depth++;
            bool said = say_list(s, slice_from(text, i + 2), comma, out);
            s->depth--;
            if (said) return true;
        }
        take_back(out, start);
    }
    return sentence_row(s, text, out);
}

/* Names, with " and 5 more" behind them perhaps; or a sentence in place of a value. */
static void say_names(sentence_search *s, slice text, cs_buffer *out) {
    if (sentence_row(s, text, out)) return;
    size_t start = out->size;
    for (size_t at = text.size; at-- > 1;) {
        if (text.at[at] != ' ') continue;
        cs_buffer_append(out, text.at, at);
        if (say_row(s, slice_from(text, at), true, out)) return;
        take_back(out, start);
    }
    cs_buffer_append(out, text.at, text.size);
}

/* A variable's name, a program's: no sentence. */
static bool is_short_name(slice text) {
    enum { EXTENSION = 5 };
    bool blank = memchr(text.at, ' ', text.size) != NULL, mark = false;
    for (size_t i = 0; i + 1 < text.size; i++) mark = mark || (strchr(":;,.", text.at[i]) && text.at[i + 1] == ' ');
    mark = mark || (text.size && strchr(":;,.", text.at[text.size - 1]));
    size_t end = text.size > EXTENSION ? text.size - EXTENSION : 0;
    return text.size && !mark && (!blank || memchr(text.at + end, '.', text.size - end) != NULL);
}

/* Fields hold names and values; what goes on with another sentence is none, and was not meant to be one. */
static bool holds_sentence(slice text) {
    for (size_t i = 0; i + 2 < text.size; i++)
        if (text.at[i] == '.' && text.at[i + 1] == ' ' && text.at[i + 2] >= 'A' && text.at[i + 2] <= 'Z') return true;
    return false;
}

static bool say_field(const matching *m, size_t field, char how) {
    if (field >= m->count) return false;
    slice text = m->fields[field];
    if (how == '*') return !text.size || sentence_say(m->s, text, m->out);
    if (how == ',') return say_list(m->s, text, ", ", m->out);
    if (how == ';') return say_list(m->s, text, "; ", m->out);
    if (how == '/') return say_lines(m->s, text, m->out);
    if (how == '#') return sentence_name(m->s, text, m->out);
    if (holds_sentence(text) || (how == '!' && !is_short_name(text))) return false;
    if (how == '?')
        say_names(m->s, text, m->out);
    else
        cs_buffer_append(m->out, text.at, text.size);
    return true;
}

static bool fill_in(const matching *m) {
    size_t start = m->out->size;
    for (const char *at = m->row->chinese; *at;) {
        size_t plain = strcspn(at, "{");
        cs_buffer_append(m->out, at, plain);
        at += plain;
        if (!*at) break;
        size_t field = 0, digits = strspn(at + 1, "0123456789");
        for (size_t i = 0; i < digits; i++) field = field * 10 + (size_t)(at[1 + i] - '0');
        char how = at[1 + digits];
        if (!say_field(m, field - 1, how)) {
            take_back(m->out, start);
            return false;
        }
        at += 1 + digits + (how == '}' ? 1 : 2);
    }
    return true;
}

/* ---- matching ---- */

static bool fits(matching *m, const char *format, slice text);

/* Where the field may end, from *size on. Where the format goes on with another field at once, that one is nothing, or begins as
 * what continues a sentence does. */
static bool next_end(const piece *after, slice text, size_t *size) {
    if (after->kind == PIECE_LITERAL) return find(text, after->literal, size);
    const piece second = next_piece(after->next);
    for (*size += *size == 0; *size <= text.size; ++*size) {
        const slice rest = slice_from(text, *size);
        if (!rest.size || memchr(" ,;", rest.at[0], 3) ||
            (second.literal.size && slice_starts(rest, second.literal.at, second.literal.size)))
            return true;
    }
    return false;
}

/* The shortest field first: what follows it is where it stands first, unless the rest says otherwise. */
static bool fits_text(matching *m, const piece *p, slice text) {
    const piece after = next_piece(p->next);
    size_t field = m->count++;
    if (after.kind == PIECE_END) {
        m->fields[field] = text;
        bool said = fill_in(m);
        m->count = field;
        return said;
    }
    for (size_t size = 0; m->steps < MAX_ROW_STEPS && next_end(&after, text, &size); size++) {
        m->steps++;
        m->fields[field] = (slice){text.at, size};
        m->count = field + 1;
        if (fits(m, p->next, slice_from(text, size))) return true;
    }
    m->count = field;
    return false;
}

static bool fits_number(matching *m, const piece *p, slice text) {
    size_t size = text.size && text.at[0] == '-';
    while (size < text.size && text.at[size] >= '0' && text.at[size] <= '9') size++;
    if (!size) return false;
    m->fields[m->count++] = (slice){text.at, size};
    bool good = fits(m, p->next, slice_from(text, size));
    if (!good) m->count--;
    return good;
}

static bool fits(matching *m, const char *format, slice text) {
    const piece p = next_piece(format);
    if (p.kind == PIECE_END) return text.size == 0 && fill_in(m);
    if (p.kind == PIECE_LITERAL)
        return slice_starts(text, p.literal.at, p.literal.size) && fits(m, p.next, slice_from(text, p.literal.size));
    if (m->count == MAX_FIELDS) return false;
    return p.kind == PIECE_TEXT ? fits_text(m, &p, text) : fits_number(m, &p, text);
}

/* Whether the fixed parts stand in the text in their order: what most rows fail at, in one pass. */
static bool could_fit(const char *format, slice text) {
    bool anywhere = false;
    for (piece p = next_piece(format); p.kind != PIECE_END; p = next_piece(p.next)) {
        if (p.kind != PIECE_LITERAL) {
            anywhere = true;
            continue;
        }
        size_t at = 0;
        if (anywhere && next_piece(p.next).kind == PIECE_END && text.size >= p.literal.size) at = text.size - p.literal.size;
        if (anywhere ? !find(text, p.literal, &at) : !slice_starts(text, p.literal.at, p.literal.size)) return false;
        text = slice_from(text, at + p.literal.size);
        anywhere = false;
    }
    return anywhere || !text.size;
}

typedef struct candidate {
    const cs_sentence *row;
    size_t literal;
} candidate;

static void add_candidate(candidate *found, size_t *count, const cs_sentence *row) {
    const candidate one = {row, literal_size(row->english)};
    if (*count == MAX_CANDIDATES && found[*count - 1].literal >= one.literal) return;
    size_t at = *count < MAX_CANDIDATES ? (*count)++ : MAX_CANDIDATES - 1;
    for (; at > 0 && found[at - 1].literal < one.literal; at--) found[at] = found[at - 1];
    found[at] = one;
}

/* The rows that could be meant, those with the most fixed text first. */
static size_t find_candidates(slice text, bool continuing, candidate *found) {
    size_t count = 0;
    for (size_t i = 0; i < PARTS; i++)
        for (const cs_sentence *row = parts[i]->rows; row < parts[i]->rows + parts[i]->count; row++) {
            if (row->english[0] != text.at[0] && (continuing || row->english[0] != '%')) continue;
            if (could_fit(row->english, text)) add_candidate(found, &count, row);
        }
    return count;
}

/* continuing: a row that begins with a field is none that continues another. */
static bool say_row(sentence_search *s, slice text, bool continuing, cs_buffer *out) {
    candidate found[MAX_CANDIDATES];
    bool good = false;
    if (!text.size || sentence_spent(s)) return false;
    s->steps += ROW_STEPS + text.size / ROW_STEPS;
    s->depth++;
    size_t count = find_candidates(text, continuing, found);
    for (size_t i = 0; i < count && !good && found[i].literal; i++) {
        matching m = {.s = s, .row = found[i].row, .out = out};
        good = fits(&m, found[i].row->english, text);
        s->steps += m.steps + 1;
    }
    s->depth--;
    return good;
}

bool sentence_row(sentence_search *s, slice text, cs_buffer *out) { return say_row(s, text, false, out); }

/* ---- sentences that continue others ---- */

/* What is appended to a sentence begins with a blank or with punctuation, in the source too, or is one more whole sentence: from
 * the end towards the front. */
static bool say_tail(sentence_search *s, slice text, size_t at, cs_buffer *out) {
    char c = text.at[at];
    if (c != ' ' && c != ';' && c != ',') return false;
    if (say_row(s, slice_from(text, at), true, out)) return true;
    return c == ' ' && text.at[at - 1] == '.' && text.at[text.size - 1] == '.' && sentence_row(s, slice_from(text, at + 1), out);
}

static bool say_continued(sentence_search *s, slice text, cs_buffer *out) {
    size_t start = out->size;
    cs_buffer tail = {0};
    bool good = false;
    for (size_t at = text.size; !good && at-- > 1 && !sentence_spent(s);) {
        cs_buffer_clear(&tail);
        if (!say_tail(s, text, at, &tail)) continue;
        good = sentence_say(s, (slice){text.at, at}, out);
        if (good) cs_buffer_append(out, cs_buffer_string(&tail), tail.size);
    }
    if (tail.failed) out->failed = true;
    if (!good) take_back(out, start);
    cs_buffer_free(&tail);
    return good;
}

/* What was looked up in vain is not looked up again: a sentence may be taken apart in several ways. */
static bool is_vain(const sentence_search *s, slice text) {
    for (size_t i = 0; i < s->vain_count; i++)
        if (s->vain[i].at == text.at && s->vain[i].size == text.size) return true;
    return false;
}

bool sentence_say(sentence_search *s, slice text, cs_buffer *out) {
    if (!text.size || sentence_spent(s) || is_vain(s, text)) return false;
    s->depth++;
    bool good = say_continued(s, text, out) || sentence_row(s, text, out) || sentence_error(s, text, out) ||
                sentence_of_error(s, text, out);
    s->depth--;
    if (!good && !s->copied && s->vain_count < SENTENCE_VAIN) s->vain[s->vain_count++] = text;
    return good;
}

bool cs_sentence_chinese(cs_buffer *out, const char *text) {
    const slice whole = {text, strlen(text)};
    sentence_search search = {0};
    return whole.size <= MAX_TEXT && sentence_say(&search, whole, out);
}

void cs_say_sentence(cs_buffer *out, const char *text, cs_language language) {
    if (language != CS_CHINESE || !cs_sentence_chinese(out, text)) cs_buffer_text(out, text);
}
