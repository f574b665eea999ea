#include "cudnn_setup/pathlist.h"

#include <string.h>

#include "cudnn_setup/text.h"
#include "pathlist_names.h"

/* ---- taking a value apart ---- */

typedef struct span {
    size_t start, end; /* in UTF-16 units */
} span;

/* A value as units and entries. What follows `text` units is terminators. */
typedef struct parts {
    uint16_t *units; /* owned */
    size_t text;
    span *spans; /* owned */
    size_t count;
} parts;

static void parts_free(parts *p) {
    cs_free(p->units);
    cs_free(p->spans);
    *p = (parts){0};
}

static cs_status read_units(const cs_reg_value *value, parts *out, cs_error *error) {
    if (value->type != CS_REG_SZ && value->type != CS_REG_EXPAND_SZ)
        return cs_fail(error, CS_E_FORMAT, "read PATH", NULL, "its type is %u, which is no string", (unsigned)value->type);
    if (value->size % 2)
        return cs_fail(error, CS_E_FORMAT, "read PATH", NULL, "its %llu bytes are no whole number of characters",
                       (unsigned long long)value->size);
    size_t count = value->size / 2;
    out->units = cs_alloc(count + 1, sizeof *out->units);
    if (!out->units) return cs_fail(error, CS_E_NO_MEMORY, "read PATH", NULL, NULL);
    for (size_t i = 0; i < count; i++) out->units[i] = (uint16_t)(value->bytes[2 * i] | value->bytes[2 * i + 1] << 8);
    while (out->text < count && out->units[out->text]) out->text++;
    for (size_t i = out->text; i < count; i++)
        if (out->units[i])
            return cs_fail(
                error, CS_E_FORMAT, "read PATH", NULL,
                "a NUL stands at character %llu of %llu with text behind it: most programs see only the part before it",
                (unsigned long long)out->text, (unsigned long long)count);
    return CS_OK;
}

/* Splits at ';' outside quotes. Quotes pair from the left; a last one without a partner is an ordinary character, as it is for
 * the loader: otherwise all that follows it, our own entry too, would be one entry. */
static cs_status split(parts *p, cs_error *error) {
    size_t quotes = 0, entries = 1;
    for (size_t i = 0; i < p->text; i++) {
        quotes += p->units[i] == '"';
        entries += p->units[i] == ';';
    }
    if (!p->text) return CS_OK;
    p->spans = cs_alloc(entries, sizeof *p->spans);
    if (!p->spans) return cs_fail(error, CS_E_NO_MEMORY, "read PATH", NULL, NULL);
    size_t paired = quotes - quotes % 2, seen = 0, start = 0;
    for (size_t i = 0; i < p->text; i++) {
        if (p->units[i] == '"' && seen < paired) seen++;
        if (p->units[i] != ';' || seen % 2) continue;
        p->spans[p->count++] = (span){start, i};
        start = i + 1;
    }
    p->spans[p->count++] = (span){start, p->text};
    return CS_OK;
}

static cs_status take_apart(const cs_reg_value *value, parts *out, cs_error *error) {
    *out = (parts){0};
    if (!value->present) return CS_OK;
    cs_status status = read_units(value, out, error);
    if (status == CS_OK) status = split(out, error);
    if (status != CS_OK) parts_free(out);
    return status;
}

/* ---- entries ---- */

static cs_status add_entry(const cs_folder_match *match, uint32_t type, const parts *p, size_t i, cs_pathlist *out,
                           cs_error *error) {
    cs_buffer text = {0};
    cs_wtf8_from_utf16(&text, p->units + p->spans[i].start, p->spans[i].end - p->spans[i].start);
    cs_pathlist_entry *entry = &out->items[out->count];
    cs_status status = cs_buffer_check(&text, error);
    if (status == CS_OK)
        status = cs_folder_match_entry(match, type, cs_buffer_string(&text), &entry->ours, &entry->usable, error);
    if (status == CS_OK && !(entry->text = text.data ? text.data : cs_strdup("")))
        status = cs_fail(error, CS_E_NO_MEMORY, "read PATH", NULL, NULL);
    if (status != CS_OK) {
        cs_buffer_free(&text);
        return status;
    }
    out->count++;
    return CS_OK;
}

static cs_status list_entries(const cs_reg_value *value, const parts *p, const cs_pathlist_folder *folder, cs_pathlist *out,
                              cs_error *error) {
    *out = (cs_pathlist){0};
    if (!p->count) return CS_OK;
    out->items = cs_alloc(p->count, sizeof *out->items);
    if (!out->items) return cs_fail(error, CS_E_NO_MEMORY, "read PATH", NULL, NULL);
    cs_folder_match match;
    cs_status status = cs_folder_match_begin(folder, &match, error);
    for (size_t i = 0; i < p->count && status == CS_OK; i++) status = add_entry(&match, value->type, p, i, out, error);
    cs_folder_match_end(&match);
    if (status != CS_OK) cs_pathlist_free(out);
    return status;
}

cs_status cs_pathlist_parse(const cs_reg_value *value, const cs_pathlist_folder *folder, cs_pathlist *out, cs_error *error) {
    *out = (cs_pathlist){0};
    parts p;
    cs_status status = take_apart(value, &p, error);
    if (status == CS_OK) status = list_entries(value, &p, folder, out, error);
    parts_free(&p);
    return status;
}

void cs_pathlist_free(cs_pathlist *list) {
    for (size_t i = 0; i < list->count; i++) cs_free(list->items[i].text);
    cs_free(list->items);
    *list = (cs_pathlist){0};
}

/* ---- edits: one cut, one insertion, every other byte as it was ---- */

/* out = value with units [start, end) replaced by insert. */
static cs_status splice(const cs_reg_value *value, size_t start, size_t end, const cs_buffer *insert, cs_reg_value *out,
                        cs_error *error) {
    size_t before = 2 * start, after = value->size - 2 * end, size = before + insert->size + after;
    uint8_t *bytes = NULL;
    if (size) {
        bytes = cs_alloc(size, 1);
        if (!bytes) return cs_fail(error, CS_E_NO_MEMORY, "edit PATH", NULL, NULL);
        if (before) memcpy(bytes, value->bytes, before);
        if (insert->size) memcpy(bytes + before, insert->data, insert->size);
        if (after) memcpy(bytes + before + insert->size, value->bytes + 2 * end, after);
    }
    *out = (cs_reg_value){true, value->present ? value->type : (uint32_t)CS_REG_EXPAND_SZ, bytes, size};
    return CS_OK;
}

/* out = value with text as entry number *index, which is set to where it ended up. Beyond the last entry means the end; an empty
 * entry there ("C:\\a;") stays the last. Taking the entry out again is the exact inverse, whatever others did around it. */
static cs_status insert_entry(const cs_reg_value *value, const parts *p, const char *text, size_t *index, cs_reg_value *out,
                              cs_error *error) {
    static const char separator[] = {';', 0}, terminator[] = {0, 0};
    cs_buffer insert = {0};
    bool trailing = p->count > 1 && p->spans[p->count - 1].start == p->text;
    if (*index >= p->count) *index = p->count - trailing;
    bool before = *index < p->count;
    size_t at = before ? p->spans[*index].start : p->text;
    if (!before && p->text) cs_buffer_append(&insert, separator, 2);
    bool valid = cs_utf16le_from_wtf8(&insert, text, strlen(text));
    if (before) cs_buffer_append(&insert, separator, 2);
    cs_status status = valid ? cs_buffer_check(&insert, error) : cs_fail(error, CS_E_NAME, "edit PATH", text, "not UTF-8");
    size_t units = p->text + insert.size / 2;
    if (status == CS_OK && units > CS_PATH_LIMIT_UNITS)
        status = cs_fail(error, CS_E_TOO_BIG, "edit PATH", NULL,
                         "PATH has %llu characters and would have %llu; Windows takes at most %d. Shorten it first",
                         (unsigned long long)p->text, (unsigned long long)units, (int)CS_PATH_LIMIT_UNITS);
    if (!value->size) cs_buffer_append(&insert, terminator, 2);
    if (status == CS_OK) status = cs_buffer_check(&insert, error);
    if (status == CS_OK) status = splice(value, at, at, &insert, out, error);
    cs_buffer_free(&insert);
    return status;
}

/* out = value without entry number index and one ';' beside it. */
static cs_status remove_entry(const cs_reg_value *value, const parts *p, size_t index, cs_reg_value *out, cs_error *error) {
    const cs_buffer nothing = {0};
    size_t start = p->spans[index].start, end = p->spans[index].end;
    if (index + 1 < p->count)
        end = p->spans[index + 1].start;
    else if (index)
        start = p->spans[index - 1].end;
    return splice(value, start, end, &nothing, out, error);
}

/* ---- adding ---- */

/* Can PATH carry this folder in a value of this type at all? */
static cs_status check_folder(const cs_pathlist_folder *folder, uint32_t type, cs_error *error) {
    if (strpbrk(folder->path, ";\""))
        return cs_fail(error, CS_E_NAME, "edit PATH", folder->path,
                       "PATH cannot carry a folder with ';' in its name: Windows would read it as two");
    cs_folder_match match;
    bool ours = false, usable = false;
    cs_status status = cs_folder_match_begin(folder, &match, error);
    if (status != CS_OK) return status;
    status = cs_folder_match_entry(&match, type, folder->path, &ours, &usable, error);
    cs_folder_match_end(&match);
    if (status == CS_OK && (!ours || !usable))
        status = cs_fail(error, CS_E_NAME, "edit PATH", folder->path, "%s",
                         strchr(folder->path, '%') ? "Windows would expand the %...% in its name to something else"
                                                   : "PATH cannot carry this name");
    return status;
}

static cs_status add_to(const cs_reg_value *old, const parts *p, const cs_pathlist_folder *folder, cs_pathlist_place place,
                        cs_reg_value *out, size_t *index, bool *changed, cs_error *error) {
    cs_pathlist list;
    cs_status status = list_entries(old, p, folder, &list, error);
    if (status != CS_OK) return status;
    for (size_t i = 0; i < list.count && !*index; i++)
        if (list.items[i].ours && list.items[i].usable) *index = i + 1;
    cs_pathlist_free(&list);
    if (*index) {
        --*index;
        return cs_reg_value_copy(out, old, error);
    }
    status = check_folder(folder, old->present ? old->type : (uint32_t)CS_REG_EXPAND_SZ, error);
    if (status != CS_OK) return status;
    *index = place == CS_PATH_FRONT ? 0 : p->count;
    status = insert_entry(old, p, folder->path, index, out, error);
    *changed = status == CS_OK;
    return status;
}

cs_status cs_pathlist_add(const cs_reg_value *old, const cs_pathlist_folder *folder, cs_pathlist_place place, cs_reg_value *out,
                          size_t *index, bool *changed, cs_error *error) {
    *changed = false;
    *index = 0;
    parts p;
    cs_status status = take_apart(old, &p, error);
    if (status == CS_OK) status = add_to(old, &p, folder, place, out, index, changed, error);
    parts_free(&p);
    return status;
}

/* ---- undoing ---- */

static size_t count_ours(const cs_pathlist *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) count += list->items[i].ours;
    return count;
}

/* Marks in `list` every entry of ours that stands, letter for letter, in `other` too, each of those once. marks has list->count
 * fields, all false. */
static cs_status mark_shared(const cs_pathlist *list, const cs_pathlist *other, bool *marks, cs_error *error) {
    bool *used = cs_alloc(other->count + 1, sizeof *used);
    if (!used) return cs_fail(error, CS_E_NO_MEMORY, "edit PATH", NULL, NULL);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < other->count && list->items[i].ours && !marks[i]; j++) {
            if (used[j] || !other->items[j].ours || strcmp(list->items[i].text, other->items[j].text) != 0) continue;
            marks[i] = used[j] = true;
        }
    }
    cs_free(used);
    return CS_OK;
}

static size_t distance(size_t a, size_t b) { return a < b ? b - a : a - b; }

/* The entry of ours in `list` that is not one of `other`'s: the one spelled as we write it if there is one, else any other
 * spelling; the nearest to index among equals. list->count if there is none. */
static cs_status find_surplus(const cs_pathlist *list, const cs_pathlist *other, const char *literal, size_t index, size_t *out,
                              cs_error *error) {
    bool *marks = cs_alloc(list->count + 1, sizeof *marks);
    if (!marks) return cs_fail(error, CS_E_NO_MEMORY, "edit PATH", NULL, NULL);
    cs_status status = mark_shared(list, other, marks, error);
    bool exact = false;
    *out = list->count;
    for (size_t i = 0; i < list->count && status == CS_OK; i++) {
        if (!list->items[i].ours || marks[i]) continue;
        bool same = strcmp(list->items[i].text, literal) == 0;
        if (*out == list->count || same > exact || (same == exact && distance(i, index) < distance(*out, index))) {
            *out = i;
            exact = same;
        }
    }
    cs_free(marks);
    return status;
}

/* One value in the three forms that the undo needs. */
typedef struct view {
    parts p;
    cs_pathlist list;
} view;

static void view_free(view *v) {
    parts_free(&v->p);
    cs_pathlist_free(&v->list);
}

static cs_status view_read(const cs_reg_value *value, const cs_pathlist_folder *folder, view *out, cs_error *error) {
    *out = (view){0};
    cs_status status = take_apart(value, &out->p, error);
    if (status == CS_OK) status = list_entries(value, &out->p, folder, &out->list, error);
    if (status != CS_OK) view_free(out);
    return status;
}

/* Takes one surplus entry out of *value. */
static cs_status undo_addition(cs_reg_value *value, const view *now, const cs_reg_value *old, const view *before,
                               const cs_pathlist_folder *folder, size_t index, cs_error *error) {
    size_t at = 0;
    cs_status status = find_surplus(&now->list, &before->list, folder->path, index, &at, error);
    if (status != CS_OK || at == now->list.count) return status;
    cs_reg_value out = {0};
    bool same_type = !old->present || old->type == value->type;
    if (now->p.count == 1 && !before->p.text && same_type)
        status = cs_reg_value_copy(&out, old, error); /* nothing else is in it: absent or empty again */
    else
        status = remove_entry(value, &now->p, at, &out, error);
    if (status != CS_OK) return status;
    cs_reg_value_free(value);
    *value = out;
    return CS_OK;
}

/* Puts one entry that `before` has and `now` lacks back into *value. */
static cs_status undo_removal(cs_reg_value *value, const view *now, const view *before, const cs_pathlist_folder *folder,
                              size_t index, cs_error *error) {
    size_t from = 0;
    cs_status status = find_surplus(&before->list, &now->list, folder->path, index, &from, error);
    if (status != CS_OK || from == before->list.count) return status;
    cs_reg_value out = {0};
    status = insert_entry(value, &now->p, before->list.items[from].text, &index, &out, error);
    if (status != CS_OK) return status;
    cs_reg_value_free(value);
    *value = out;
    return CS_OK;
}

/* One step towards the count of `old`; *moved is false when there is nothing to do. */
static cs_status undo_step(cs_reg_value *value, const cs_reg_value *old, const view *before, bool removing,
                           const cs_pathlist_folder *folder, size_t index, bool *moved, cs_error *error) {
    view now;
    cs_status status = view_read(value, folder, &now, error);
    if (status != CS_OK) return status;
    size_t have = count_ours(&now.list), want = count_ours(&before->list);
    *moved = removing ? have > want : have < want;
    if (*moved && removing) status = undo_addition(value, &now, old, before, folder, index, error);
    if (*moved && !removing) status = undo_removal(value, &now, before, folder, index, error);
    view_free(&now);
    return status;
}

static cs_status undo_merge(const cs_reg_value *old, const cs_reg_value *written, const cs_pathlist_folder *folder, size_t index,
                            cs_reg_value *value, cs_error *error) {
    view before, after = {0};
    cs_status status = view_read(old, folder, &before, error);
    if (status == CS_OK) status = view_read(written, folder, &after, error);
    if (status == CS_OK) {
        size_t old_count = count_ours(&before.list), new_count = count_ours(&after.list);
        bool moved = true;
        for (size_t left = distance(old_count, new_count); left && moved && status == CS_OK; left--)
            status = undo_step(value, old, &before, new_count > old_count, folder, index, &moved, error);
    }
    view_free(&before);
    view_free(&after);
    return status;
}

cs_status cs_pathlist_undo(const cs_reg_value *current, const cs_reg_value *old, const cs_reg_value *written,
                           const cs_pathlist_folder *folder, size_t index, cs_reg_value *out, bool *changed, cs_error *error) {
    *changed = false;
    bool whole = cs_reg_value_equal(current, written);
    cs_status status = cs_reg_value_copy(out, whole ? old : current, error);
    if (status == CS_OK && !whole && !cs_reg_value_equal(current, old))
        status = undo_merge(old, written, folder, index, out, error);
    if (status != CS_OK) {
        cs_reg_value_free(out);
        return status;
    }
    *changed = !cs_reg_value_equal(out, current);
    return CS_OK;
}
