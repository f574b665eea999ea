#include "cudnn_setup/value_diff.h"

#include <string.h>

#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/text.h"
#include "environment_values.h"
#include "variables.h"

enum { TABLE_MAX = 1 << 20 }; /* cells of the comparison; beyond, what differs is shown as all out and all in */

void cs_value_type(cs_buffer *out, uint32_t type) {
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {{CS_REG_SZ, "REG_SZ"},       {CS_REG_EXPAND_SZ, "REG_EXPAND_SZ"}, {CS_REG_BINARY, "REG_BINARY"},
                 {CS_REG_DWORD, "REG_DWORD"}, {CS_REG_MULTI_SZ, "REG_MULTI_SZ"},   {CS_REG_QWORD, "REG_QWORD"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].type == type) {
            cs_buffer_text(out, names[i].name);
            return;
        }
    cs_buffer_format(out, "type %u", (unsigned)type);
}

static bool is_text(const cs_reg_value *value) { return value->type == CS_REG_SZ || value->type == CS_REG_EXPAND_SZ; }

/* What is no text is described; brackets keep it apart from a text that says the same. */
static void describe(cs_buffer *out, const cs_reg_value *value) {
    cs_buffer_text(out, "(");
    cs_value_type(out, value->type);
    cs_buffer_format(out, ", %zu byte%s: %s)", value->size, value->size == 1 ? "" : "s", is_text(value) ? "damaged" : "no text");
}

void cs_value_show(cs_buffer *out, const cs_reg_value *value) {
    cs_buffer text = {0};
    if (!value->present)
        cs_buffer_text(out, "(absent)");
    else if (!is_text(value) || cs_reg_value_to_text(value, &text, NULL) != CS_OK)
        describe(out, value);
    else if (text.size)
        cs_text_visible(out, text.data);
    else
        cs_buffer_text(out, "(empty)");
    cs_buffer_free(&text);
}

/* ---- the entries of one side ---- */

static cs_status whole_value(const cs_reg_value *value, cs_pathlist *out, cs_error *error) {
    cs_buffer text = {0};
    if (!value->present) return CS_OK;
    if (!is_text(value) || value->size % 2 || cs_reg_value_to_text(value, &text, NULL) != CS_OK) {
        cs_buffer_clear(&text);
        describe(&text, value);
    }
    cs_status status = cs_buffer_check(&text, error);
    if (status == CS_OK) out->items = cs_alloc(1, sizeof *out->items);
    if (status == CS_OK && out->items) out->items[0].text = cs_strdup(cs_buffer_string(&text));
    if (status == CS_OK && out->items) out->count = 1;
    if (status == CS_OK && (!out->items || !out->items[0].text)) status = cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_buffer_free(&text);
    return status;
}

/* Without a registry there are no variables to expand: names are compared as text. */
static cs_status split(const cs_host *host, const char *tree_path, const cs_reg_value *value, cs_pathlist *out, cs_error *error) {
    cs_variables variables = {host, false};
    cs_buffer bin = {0};
    cs_status status = cs_environment_bin(host, tree_path, &bin, error);
    if (status == CS_OK) {
        cs_pathlist_folder folder = host->registry ? cs_variables_folder(&variables, bin.data) : (cs_pathlist_folder){0};
        folder.path = bin.data;
        status = cs_pathlist_parse(value, &folder, out, error);
    }
    cs_buffer_free(&bin);
    return status;
}

/* *list goes to false where one of the sides is no list. */
static cs_status read_side(const cs_host *host, const char *tree_path, const cs_reg_value *value, bool *list, cs_pathlist *out,
                           cs_error *error) {
    if (!*list) return whole_value(value, out, error);
    cs_status status = split(host, tree_path, value, out, error);
    if (status != CS_E_FORMAT) return status;
    *list = false;
    return CS_OK;
}

/* ---- comparing ---- */

static void add(cs_value_diff *out, char mark, size_t index, cs_pathlist_entry *entry) {
    out->items[out->count++] = (cs_value_entry){.mark = mark, .index = index, .text = entry->text, .ours = entry->ours};
    entry->text = NULL;
}

static bool same(const cs_pathlist *before, size_t i, const cs_pathlist *after, size_t j) {
    return strcmp(before->items[i].text, after->items[j].text) == 0;
}

/* What lies between the common start and the common end of two lists. */
typedef struct middle {
    cs_pathlist *before, *after;
    size_t start, before_end, after_end;
    uint16_t *lengths; /* of the longest common subsequence from (i, j) on, row by row; NULL: too many to compare */
} middle;

static uint16_t *cell(const middle *m, size_t i, size_t j) {
    return &m->lengths[(i - m->start) * (m->after_end - m->start + 1) + (j - m->start)];
}

static cs_status fill(middle *m, cs_error *error) {
    size_t rows = m->before_end - m->start + 1, columns = m->after_end - m->start + 1;
    if (rows == 1 || columns == 1 || rows > TABLE_MAX / columns) return CS_OK;
    m->lengths = cs_alloc(rows * columns, sizeof *m->lengths);
    if (!m->lengths) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = m->before_end; i-- > m->start;)
        for (size_t j = m->after_end; j-- > m->start;) {
            uint16_t down = *cell(m, i + 1, j), right = *cell(m, i, j + 1);
            *cell(m, i, j) = same(m->before, i, m->after, j) ? (uint16_t)(*cell(m, i + 1, j + 1) + 1)
                             : down > right                  ? down
                                                             : right;
        }
    return CS_OK;
}

static void walk(const middle *m, cs_value_diff *out) {
    size_t i = m->start;
    size_t j = i;
    while (i < m->before_end || j < m->after_end) {
        bool both = i < m->before_end && j < m->after_end && m->lengths;
        if (both && same(m->before, i, m->after, j)) {
            add(out, ' ', j, &m->after->items[j]);
            i++, j++;
        } else if (i < m->before_end && (!both || *cell(m, i + 1, j) >= *cell(m, i, j + 1))) {
            add(out, '-', i, &m->before->items[i]);
            i++;
        } else {
            add(out, '+', j, &m->after->items[j]);
            j++;
        }
    }
}

static cs_status compare(cs_pathlist *before, cs_pathlist *after, cs_value_diff *out, cs_error *error) {
    middle m = {.before = before, .after = after, .before_end = before->count, .after_end = after->count};
    out->items = cs_alloc(before->count + after->count + 1, sizeof *out->items);
    if (!out->items) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    while (m.start < before->count && m.start < after->count && same(before, m.start, after, m.start)) m.start++;
    while (m.before_end > m.start && m.after_end > m.start && same(before, m.before_end - 1, after, m.after_end - 1))
        m.before_end--, m.after_end--;
    cs_status status = fill(&m, error);
    if (status != CS_OK) return status;
    for (size_t j = 0; j < m.start; j++) add(out, ' ', j, &after->items[j]);
    walk(&m, out);
    for (size_t j = m.after_end; j < after->count; j++) add(out, ' ', j, &after->items[j]);
    cs_free(m.lengths);
    return CS_OK;
}

cs_status cs_value_diff_make(const cs_host *host, const char *tree_path, const cs_reg_change *change, cs_value_diff *out,
                             cs_error *error) {
    cs_pathlist before = {0}, after = {0};
    *out = (cs_value_diff){.list = change->variable == CS_VARIABLE_PATH};
    bool wanted = out->list;
    cs_status status = read_side(host, tree_path, &change->old, &out->list, &before, error);
    if (status == CS_OK) status = read_side(host, tree_path, &change->now, &out->list, &after, error);
    if (status == CS_OK && wanted && !out->list) { /* one side is no list: both are shown whole */
        cs_pathlist_free(&before);
        cs_pathlist_free(&after);
        status = whole_value(&change->old, &before, error);
        if (status == CS_OK) status = whole_value(&change->now, &after, error);
    }
    if (status == CS_OK) status = compare(&before, &after, out, error);
    if (status != CS_OK) cs_value_diff_free(out);
    cs_pathlist_free(&before);
    cs_pathlist_free(&after);
    return status;
}

void cs_value_diff_free(cs_value_diff *diff) {
    for (size_t i = 0; i < diff->count; i++) cs_free(diff->items[i].text);
    cs_free(diff->items);
    *diff = (cs_value_diff){0};
}

/* ---- saying ---- */

void cs_value_diff_say(cs_buffer *out, const cs_value_diff *diff, const char *indent, bool only_changes) {
    for (size_t i = 0; i < diff->count; i++) {
        const cs_value_entry *entry = &diff->items[i];
        if (only_changes && entry->mark == ' ') continue;
        cs_buffer_format(out, "%s%c ", indent, entry->mark);
        if (diff->list) cs_buffer_format(out, "[%zu] ", entry->index);
        if (*entry->text)
            cs_text_visible(out, entry->text);
        else
            cs_buffer_text(out, "(empty)");
        cs_buffer_text(out, entry->ours ? "   <- ours\n" : "\n");
    }
}

void cs_value_change_say(cs_buffer *out, const cs_host *host, const char *tree_path, const cs_reg_change *change,
                         const char *indent, bool only_changes) {
    cs_value_diff diff = {0};
    cs_buffer deeper = {0};
    const cs_reg_value *old = &change->old, *now = &change->now;
    cs_buffer_text(out, indent);
    cs_text_visible(out, change->name);
    cs_buffer_text(out, " (");
    cs_value_type(out, now->present ? now->type : old->type);
    if (old->present && now->present && old->type != now->type) {
        cs_buffer_text(out, ", was ");
        cs_value_type(out, old->type);
    }
    cs_buffer_text(out, !old->present ? ", new):\n" : !now->present ? ", removed):\n" : "):\n");
    cs_buffer_format(&deeper, "%s  ", indent);
    if (cs_value_diff_make(host, tree_path, change, &diff, NULL) == CS_OK)
        cs_value_diff_say(out, &diff, cs_buffer_string(&deeper), only_changes);
    else
        out->failed = true;
    cs_value_diff_free(&diff);
    cs_buffer_free(&deeper);
}

void cs_value_put_entries(cs_json_writer *json, const cs_value_diff *diff) {
    if (!diff->list) return;
    cs_json_begin(json, "entries", '[');
    for (size_t i = 0; i < diff->count; i++) {
        const cs_value_entry *entry = &diff->items[i];
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_text(json, "change", entry->mark == '+' ? "added" : entry->mark == '-' ? "removed" : "same");
        cs_json_put_uint(json, "index", entry->index);
        cs_json_put_text(json, "text", entry->text);
        if (entry->ours) cs_json_put_bool(json, "ours", true);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}
