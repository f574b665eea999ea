/* frameworks_look.c: one site-packages folder: the distributions in it that the table knows, and a cuDNN of their own. */
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"
#include "cudnn_setup/text.h"
#include "frameworks_internal.h"

static void free_framework(cs_framework *f) {
    char *const texts[] = {f->name, f->distribution, f->version, f->folder, f->cuda, f->cudnn, f->loads, f->found};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) cs_free(texts[i]);
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) cs_buffer_free(&f->sentence[i]);
}

void cs_frameworks_free(cs_frameworks *frameworks) {
    for (size_t i = 0; i < frameworks->count; i++) free_framework(&frameworks->items[i]);
    cs_free(frameworks->items);
    cs_strings_free(&frameworks->folders);
    *frameworks = (cs_frameworks){0};
}

/* ---- the folder ---- */

typedef struct listing {
    const cs_frameworks_table *table;
    cs_strings infos; /* names of the folders that tell of distributions in the table */
    size_t entries;
} listing;

/* "torch" of "torch-1.8.1+cu101.dist-info". Source: Python's "Recording installed projects". */
static bool split_info(const char *name, cs_buffer *distribution, cs_buffer *version) {
    static const char *const endings[] = {".dist-info", ".egg-info"};
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (!cs_text_ends_with_ascii_case(name, endings[i])) continue;
        const char *dash = memchr(name, '-', size - ending);
        if (!dash || dash == name) return false;
        const char *start = dash + 1;
        size_t count = size - ending - (size_t)(start - name);
        const char *more = memchr(start, '-', count); /* an egg's version may be followed by "-py3.7" */
        if (more) count = (size_t)(more - start);
        cs_buffer_append(distribution, name, (size_t)(dash - name));
        cs_buffer_append(version, start, count);
        return count > 0;
    }
    return false;
}

static cs_status note_info(void *ctx, const char *name, const cs_file_info *info) {
    listing *l = ctx;
    cs_buffer distribution = {0}, version = {0};
    cs_status status = CS_OK;
    if (++l->entries > FRAMEWORKS_MAX_ENTRIES) return CS_E_TOO_BIG;
    if (info->kind != CS_FILE_OTHER && split_info(name, &distribution, &version) && l->infos.count < FRAMEWORKS_MAX_FOUND &&
        cs_frameworks_table_find(l->table, cs_buffer_string(&distribution)))
        status = cs_strings_add(&l->infos, name, NULL);
    cs_buffer_free(&distribution);
    cs_buffer_free(&version);
    return status;
}

/* ---- a cuDNN of its own ---- */

static cs_status note_cudnn(void *ctx, const char *name, const cs_file_info *info) {
    cs_buffer *best = ctx;
    if (info->kind != CS_FILE_REGULAR || !cs_text_ends_with_ascii_case(name, ".dll")) return CS_OK;
    char start[9] = {0};
    memcpy(start, name, strlen(name) < 8 ? strlen(name) : 8);
    if (!cs_text_equal_ascii_case(start, "cudnn64_")) return CS_OK;
    if (best->size && cs_text_compare_ascii_case(best->data, name) >= 0) return CS_OK;
    cs_buffer_clear(best);
    cs_buffer_text(best, name);
    return best->failed ? CS_E_NO_MEMORY : CS_OK;
}

/* "torch\lib\cudnn64_7.dll, version 7.6.5.0"; appends nothing if there is none. */
static void find_own(const cs_fs *fs, const char *site_packages, const char *below, cs_buffer *out) {
    cs_buffer folder = {0}, name = {0}, path = {0};
    cs_pe pe = {0};
    if (cs_path_join(&folder, fs->separator, site_packages, below, NULL) == CS_OK &&
        fs->list(fs->ctx, folder.data, note_cudnn, &name, NULL) == CS_OK && name.size &&
        cs_path_join(&path, fs->separator, folder.data, name.data, NULL) == CS_OK) {
        cs_buffer_text(out, path.data + strlen(site_packages) + 1);
        if (cs_pe_read(fs, path.data, CS_PE_VERSION, &pe, NULL) == CS_OK && pe.has_version)
            cs_buffer_format(out, ", version %u.%u.%u.%u", pe.file_version[0], pe.file_version[1], pe.file_version[2],
                             pe.file_version[3]);
        cs_pe_free(&pe);
    }
    cs_buffer_free(&folder);
    cs_buffer_free(&name);
    cs_buffer_free(&path);
}

/* ---- one framework ---- */

/* What the distribution itself says its version is, from the first lines of its METADATA (a folder's name may have lost
 * characters); false: it does not say. Source: Python's "Core metadata specifications". */
static bool read_version(const cs_fs *fs, const char *site_packages, const char *info, cs_buffer *out) {
    enum { HEAD = 8192 };
    cs_buffer folder = {0}, path = {0};
    cs_file *file = NULL;
    size_t got = 0;
    char *head = cs_alloc(HEAD + 1, 1);
    bool opened = head && cs_path_join(&folder, fs->separator, site_packages, info, NULL) == CS_OK &&
                  cs_path_join(&path, fs->separator, folder.data, "METADATA", NULL) == CS_OK &&
                  fs->open(fs->ctx, path.data, CS_OPEN_WATCH, &file, NULL) == CS_OK;
    bool read = opened && fs->read(fs->ctx, file, 0, head, HEAD, &got, NULL) == CS_OK;
    if (opened) fs->close(fs->ctx, file);
    if (read) head[got] = '\0';
    for (char *line = read ? head : NULL; line && !out->size;) {
        size_t size = strcspn(line, "\r\n");
        if (!size) break; /* the headers end */
        if (cs_text_starts_with(line, "Version: ") && size > 9 && size < 9 + 64) cs_buffer_append(out, line + 9, size - 9);
        line = line[size] ? line + size + strspn(line + size, "\r") : NULL;
        if (line && *line == '\n') line++;
    }
    cs_free(head);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return out->size > 0;
}

static char *copy(const char *text, bool *failed) {
    char *result = cs_strdup(text);
    if (text && !result) *failed = true;
    return result;
}

/* Everything of *f but what it says. */
static bool fill(const cs_fs *fs, const cs_table_framework *known, const char *site_packages, const char *distribution,
                 const char *version, cs_framework *f) {
    const cs_table_row *row = cs_frameworks_table_row(known, version);
    cs_buffer found = {0};
    bool failed = false;
    for (size_t i = 0; i < known->own.count && !found.size; i++) find_own(fs, site_packages, known->own.items[i], &found);
    f->name = copy(known->name, &failed);
    f->distribution = copy(distribution, &failed);
    f->version = copy(version, &failed);
    f->folder = copy(site_packages, &failed);
    f->cuda = copy(row ? row->cuda : NULL, &failed);
    f->cudnn = copy(row ? row->cudnn : NULL, &failed);
    f->loads = copy(row ? row->loads : NULL, &failed);
    f->found = copy(found.size ? found.data : NULL, &failed);
    f->serves = found.size ? CS_SERVES_OWN : row ? row->serves : CS_SERVES_UNKNOWN; /* what lies there is what it uses */
    failed |= found.failed;
    cs_buffer_free(&found);
    return !failed;
}

static cs_status add(frameworks_search *s, const char *site_packages, const char *info) {
    cs_buffer distribution = {0}, version = {0}, told = {0};
    cs_framework f = {0};
    cs_status status = CS_OK;
    if (s->out->count < FRAMEWORKS_MAX_FOUND && split_info(info, &distribution, &version)) {
        const cs_table_framework *known = cs_frameworks_table_find(s->table, cs_buffer_string(&distribution));
        bool says = read_version(s->host->fs, site_packages, info, &told);
        bool filled = known && fill(s->host->fs, known, site_packages, cs_buffer_string(&distribution),
                                    cs_buffer_string(says ? &told : &version), &f);
        for (int i = 0; i < CS_LANGUAGE_COUNT && filled; i++) {
            cs_frameworks_say(s->table, &f, (cs_language)i, &f.sentence[i]);
            filled = !f.sentence[i].failed;
        }
        cs_framework *items = filled ? cs_realloc(s->out->items, s->out->count + 1, sizeof *items) : NULL;
        if (items) {
            s->out->items = items;
            items[s->out->count++] = f;
        } else {
            free_framework(&f);
            status = CS_E_NO_MEMORY;
        }
    }
    cs_buffer_free(&distribution);
    cs_buffer_free(&version);
    cs_buffer_free(&told);
    return status;
}

static void sort(cs_strings *names) {
    for (size_t i = 1; i < names->count; i++)
        for (size_t j = i; j && cs_text_compare_ascii_case(names->items[j - 1], names->items[j]) > 0; j--) {
            char *item = names->items[j];
            names->items[j] = names->items[j - 1];
            names->items[j - 1] = item;
        }
}

/* Resolving comes first: it refuses what is on the network without opening it. */
static bool is_new(frameworks_search *s, const char *site_packages, cs_status *status) {
    const cs_fs *fs = s->host->fs;
    cs_buffer real = {0};
    cs_status resolved = fs->real_path(fs->ctx, site_packages, &real, NULL);
    bool fresh = resolved == CS_OK;
    if (resolved == CS_E_UNSUPPORTED) s->out->skipped++;
    for (size_t i = 0; i < s->seen.count && fresh; i++)
        fresh = !cs_text_equal_ascii_case(s->seen.items[i], cs_buffer_string(&real));
    if (fresh && s->seen.count == FRAMEWORKS_MAX_FOLDERS) {
        s->out->skipped++;
        fresh = false;
    }
    if (resolved == CS_E_NO_MEMORY) *status = CS_E_NO_MEMORY;
    if (fresh) *status = cs_strings_add(&s->seen, cs_buffer_string(&real), NULL);
    cs_buffer_free(&real);
    return fresh && *status == CS_OK;
}

cs_status frameworks_look(frameworks_search *search, const char *site_packages) {
    const cs_fs *fs = search->host->fs;
    listing l = {.table = search->table};
    cs_status status = CS_OK;
    if (!is_new(search, site_packages, &status)) return status;
    cs_status listed = fs->list(fs->ctx, site_packages, note_info, &l, NULL);
    if (listed == CS_E_NO_MEMORY) status = listed;
    if (listed == CS_E_TOO_BIG) search->out->skipped++; /* what was seen of it counts all the same */
    if (status == CS_OK && (listed == CS_OK || listed == CS_E_TOO_BIG))
        status = cs_strings_add(&search->out->folders, site_packages, NULL);
    sort(&l.infos);
    for (size_t i = 0; i < l.infos.count && status == CS_OK; i++) status = add(search, site_packages, l.infos.items[i]);
    cs_strings_free(&l.infos);
    return status;
}
