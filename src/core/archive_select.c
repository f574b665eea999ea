#include "archive_internal.h"

#include <stdlib.h>
#include <string.h>

/* Room that names may take in a message of CS_ERROR_DETAIL bytes. */
enum { LIST_BYTES = 360 };

void cs_name_list_add(cs_name_list *list, const char *name) {
    list->count++;
    if (list->text.size + strlen(name) > LIST_BYTES) return;
    cs_buffer_format(&list->text, "%s%s", list->shown ? ", " : "", name);
    list->shown++;
}

const char *cs_name_list_text(cs_name_list *list) {
    if (list->count > list->shown)
        cs_buffer_format(&list->text, "%s%zu more", list->shown ? " and " : "", list->count - list->shown);
    list->shown = list->count;
    return cs_buffer_string(&list->text);
}

typedef struct selector {
    const cs_archive *archive;
    const cs_zip_directory *directory;
    const cs_manifest *manifest;
    cs_error *error;
} selector;

static cs_status no_memory(const selector *s) { return cs_fail(s->error, CS_E_NO_MEMORY, "read", s->archive->path, NULL); }

/* ---- doubled names ---- */

typedef struct keyed {
    char *key; /* owned */
    const cs_zip_entry *entry;
} keyed;

static int by_key(const void *a, const void *b) { return strcmp(((const keyed *)a)->key, ((const keyed *)b)->key); }

static cs_status refuse_pair(const selector *s, const keyed *a, const keyed *b) {
    cs_buffer first = {0}, second = {0};
    cs_text_visible(&first, a->entry->name);
    cs_text_visible(&second, b->entry->name);
    cs_status status = first.failed || second.failed ? no_memory(s) : CS_OK;
    bool kinds = a->entry->folder != b->entry->folder || strcmp(a->key, b->key) != 0;
    if (status == CS_OK)
        status = cs_fail(s->error, CS_E_ARCHIVE_BAD, "read", s->archive->path, "the entries \"%.250s\" and \"%.250s\" %s",
                         cs_buffer_string(&first), cs_buffer_string(&second),
                         kinds ? "make one name both a file and a folder" : "have the same name");
    cs_buffer_free(&first);
    cs_buffer_free(&second);
    return status;
}

/* Two names that one file system could take for the same, or a file that other entries use as a folder. Keys sort a folder's
 * content right behind it, so neighbours are enough. */
static cs_status check_neighbours(const selector *s, const keyed *names, size_t count) {
    for (size_t i = 0; i + 1 < count; i++) {
        const keyed *a = &names[i], *b = &names[i + 1];
        size_t size = strlen(a->key);
        bool same = strcmp(a->key, b->key) == 0;
        bool inside = !same && strncmp(a->key, b->key, size) == 0 && b->key[size] == '\1';
        if (same && a->entry->folder && b->entry->folder) continue;
        if (same || (inside && !a->entry->folder)) return refuse_pair(s, a, b);
    }
    return CS_OK;
}

static cs_status check_doubled(const selector *s) {
    size_t count = 0;
    cs_status status = CS_OK;
    keyed *names = cs_alloc(s->directory->count, sizeof *names);
    if (!names) return no_memory(s);
    for (; count < s->directory->count && status == CS_OK; count++) {
        cs_buffer key = {0};
        cs_entry_name_key(&key, s->directory->entries[count].name);
        cs_buffer_append(&key, "", 0); /* an empty key is a string, too */
        names[count] = (keyed){.key = key.data, .entry = &s->directory->entries[count]};
        if (key.failed) status = no_memory(s);
    }
    if (status == CS_OK) {
        qsort(names, count, sizeof *names, by_key);
        status = check_neighbours(s, names, count);
    }
    for (size_t i = 0; i < count; i++) cs_free(names[i].key);
    cs_free(names);
    return status;
}

/* ---- the common folder ---- */

/* An entry whose name ends in a row's source; root bytes stand before it. */
typedef struct match {
    const char *name;
    size_t root, entry, row;
} match;

typedef struct matches {
    match *items;
    size_t count, capacity;
} matches;

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static int by_root(const void *a, const void *b) {
    const match *left = a, *right = b;
    for (size_t i = 0; i < left->root && i < right->root; i++) {
        int difference = lower(left->name[i]) - lower(right->name[i]);
        if (difference) return difference;
    }
    return left->root < right->root ? -1 : left->root > right->root;
}

static bool add_match(matches *list, const match *item) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        match *items = cs_realloc(list->items, capacity, sizeof *items);
        if (!items) return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *item;
    return true;
}

/* The rows by their sources, so that a name is looked up instead of compared with each. */
typedef struct sought {
    const char *source;
    size_t row;
} sought;

static int by_source(const void *a, const void *b) {
    return cs_text_compare_ascii_case(((const sought *)a)->source, ((const sought *)b)->source);
}

static bool add_name(const selector *s, const sought *rows, size_t e, matches *list) {
    const char *name = s->directory->entries[e].name;
    for (const char *tail = name; tail; tail = strchr(tail, '/') ? strchr(tail, '/') + 1 : NULL) {
        const sought key = {.source = tail};
        const sought *found = bsearch(&key, rows, s->manifest->file_count, sizeof key, by_source);
        if (!found) continue;
        const match item = {.name = name, .root = (size_t)(tail - name), .entry = e, .row = found->row};
        if (!add_match(list, &item)) return false;
    }
    return true;
}

/* No two rows have the same source: the manifest's reader refuses them. */
static cs_status find_matches(const selector *s, matches *list) {
    sought *rows = cs_alloc(s->manifest->file_count + 1, sizeof *rows);
    bool fine = rows != NULL;
    for (size_t row = 0; fine && row < s->manifest->file_count; row++)
        rows[row] = (sought){.source = s->manifest->files[row].source, .row = row};
    if (fine) qsort(rows, s->manifest->file_count, sizeof *rows, by_source);
    for (size_t e = 0; fine && e < s->directory->count; e++) fine = add_name(s, rows, e, list);
    cs_free(rows);
    return fine ? CS_OK : no_memory(s);
}

/* The group of matches with the most rows; doubled names were refused before, so each row stands in a group once. *others:
 * further groups of the same size. */
static size_t best_group(const matches *list, size_t *size, size_t *others) {
    size_t best = 0, start = 0;
    *size = *others = 0;
    for (size_t i = 1; i <= list->count; i++) {
        if (i < list->count && by_root(&list->items[start], &list->items[i]) == 0) continue;
        if (i - start > *size) {
            best = start;
            *size = i - start;
            *others = 0;
        } else if (i - start == *size) {
            ++*others;
        }
        start = i;
    }
    return best;
}

/* ---- what is missing, what is of the wrong kind or size ---- */

static cs_status refuse_missing(const selector *s, const bool *found, size_t have) {
    cs_name_list missing = {0};
    for (size_t row = 0; row < s->manifest->file_count; row++) {
        if (found[row]) continue;
        cs_name_list_add(&missing, s->manifest->files[row].source);
        cs_emit(s->archive->host->events, CS_EVENT_DETAIL, "archive.missing", "missing in the ZIP: %s",
                s->manifest->files[row].source);
    }
    const char *names = cs_name_list_text(&missing);
    cs_status status = missing.text.failed ? no_memory(s)
                                           : cs_fail(s->error, CS_E_ARCHIVE_BAD, "read", s->archive->path,
                                                     "it is not the expected package: %zu of %zu files are in it; missing: %s",
                                                     have, s->manifest->file_count, names);
    cs_buffer_free(&missing.text);
    return status;
}

static cs_status choose_root(const selector *s, const matches *list, cs_zip_selection *out) {
    bool found[CS_MANIFEST_MAX_FILES] = {false};
    size_t size, others, start = best_group(list, &size, &others);
    for (size_t i = start; i < start + size; i++) {
        found[list->items[i].row] = true;
        out->entry_of_row[list->items[i].row] = list->items[i].entry;
    }
    if (size < s->manifest->file_count) return refuse_missing(s, found, size);
    if (others)
        return cs_fail(s->error, CS_E_ARCHIVE_BAD, "read", s->archive->path,
                       "it holds the whole package %zu times, in %zu folders", others + 1, others + 1);
    return CS_OK;
}

static cs_status refuse_list(const selector *s, cs_name_list *list, const char *what) {
    if (list->count == 0) return CS_OK;
    const char *names = cs_name_list_text(list);
    if (list->text.failed) return no_memory(s);
    return cs_fail(s->error, CS_E_ARCHIVE_BAD, "read", s->archive->path, "%zu of %zu files %s: %s", list->count,
                   s->manifest->file_count, what, names);
}

static cs_status check_rows(const selector *s, cs_zip_selection *out) {
    cs_name_list folders = {0}, sizes = {0}, huge = {0};
    out->total = 0;
    for (size_t row = 0; row < s->manifest->file_count; row++) {
        const cs_manifest_file *file = &s->manifest->files[row];
        const cs_zip_entry *entry = &s->directory->entries[out->entry_of_row[row]];
        if (entry->folder) cs_name_list_add(&folders, file->source);
        if (s->manifest->sealed ? entry->size != file->size : false) cs_name_list_add(&sizes, file->source);
        if (entry->size > CS_ZIP_MAX_FILE || out->total + entry->size > CS_ZIP_MAX_TOTAL)
            cs_name_list_add(&huge, file->source);
        else
            out->total += entry->size;
    }
    cs_status status = refuse_list(s, &folders, "are folders in the ZIP");
    if (status == CS_OK) status = refuse_list(s, &sizes, "have another size than the manifest says");
    if (status == CS_OK) status = refuse_list(s, &huge, "are larger than any cuDNN file");
    cs_buffer_free(&folders.text);
    cs_buffer_free(&sizes.text);
    cs_buffer_free(&huge.text);
    return status;
}

static cs_status add_extra(const selector *s, const char *name, cs_strings *extras) {
    cs_buffer visible = {0};
    cs_text_visible(&visible, name);
    cs_status status = cs_buffer_check(&visible, s->error);
    if (status == CS_OK) status = cs_strings_add(extras, cs_buffer_string(&visible), s->error);
    cs_buffer_free(&visible);
    return status;
}

static cs_status list_extras(const selector *s, const cs_zip_selection *selection, cs_strings *extras) {
    bool *taken = cs_alloc(s->directory->count, sizeof *taken);
    cs_status status = taken ? CS_OK : no_memory(s);
    for (size_t row = 0; taken && row < s->manifest->file_count; row++) taken[selection->entry_of_row[row]] = true;
    for (size_t e = 0; e < s->directory->count && status == CS_OK; e++)
        if (!taken[e] && !s->directory->entries[e].folder) status = add_extra(s, s->directory->entries[e].name, extras);
    cs_free(taken);
    return status;
}

cs_status cs_zip_select(const cs_archive *archive, const cs_zip_directory *directory, const cs_manifest *manifest,
                        cs_zip_selection *out, cs_strings *extras, cs_error *error) {
    selector s = {.archive = archive, .directory = directory, .manifest = manifest, .error = error};
    matches list = {0};
    cs_status status = check_doubled(&s);
    if (status == CS_OK) status = find_matches(&s, &list);
    if (status == CS_OK) {
        if (list.count) qsort(list.items, list.count, sizeof *list.items, by_root);
        status = choose_root(&s, &list, out);
    }
    cs_free(list.items);
    if (status == CS_OK) status = check_rows(&s, out);
    if (status == CS_OK && extras) status = list_extras(&s, out, extras);
    return status;
}
