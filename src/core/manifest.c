#include "cudnn_setup/manifest.h"

#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/path.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MAX_SIZE     (UINT64_C(8) << 30) /* bytes of one file or of the archive: far above any cuDNN, far below overflow */

enum { MAX_NAMES = 16, MAX_WRONG = 64, MAX_NEEDS = 32, MAX_PATH_TEXT = 240, MAX_SENTENCE = 400 };

static const char *const role_names[] = {"dll", "header", "lib", "licence"};

void cs_manifest_free(cs_manifest *m) {
    cs_free(m->product);
    cs_free(m->version);
    cs_free(m->cuda);
    cs_strings_free(&m->archive_names);
    for (size_t i = 0; i < m->file_count; i++) {
        cs_free(m->files[i].source);
        cs_free(m->files[i].target);
    }
    cs_free(m->files);
    for (size_t i = 0; i < m->wrong_archive_count; i++) {
        cs_free(m->wrong_archives[i].name);
        cs_free(m->wrong_archives[i].what);
    }
    cs_free(m->wrong_archives);
    cs_free(m->driver_min);
    cs_free(m->compute_min);
    cs_free(m->compute_max);
    cs_strings_free(&m->needs);
    cs_buffer_free(&m->bytes);
    *m = (cs_manifest){0};
}

const char *cs_role_text(cs_role role) { return role_names[role]; }

size_t cs_manifest_find_target(const cs_manifest *manifest, const char *target) {
    for (size_t i = 0; i < manifest->file_count; i++)
        if (cs_text_equal_ascii_case(manifest->files[i].target, target)) return i;
    return CS_MANIFEST_MAX_FILES;
}

/* ---- text of certain forms ---- */

/* Numbers of 1 to 5 digits joined by dots, without leading zeros; their count, 0 if it is something else. */
static size_t dotted(const char *text, uint32_t numbers[4]) {
    size_t count = 0;
    for (;;) {
        size_t digits = strspn(text, "0123456789");
        if (count == 4 || digits == 0 || digits > 5 || (digits > 1 && text[0] == '0')) return 0;
        uint32_t value = 0;
        for (size_t i = 0; i < digits; i++) value = value * 10 + (uint32_t)(text[i] - '0');
        numbers[count++] = value;
        text += digits;
        if (*text == '\0') return count;
        if (*text++ != '.') return 0;
    }
}

static char *read_dotted(cs_json_at at, size_t parts, uint32_t numbers[4]) {
    char *text = cs_json_text_copy(at, 1, 23);
    if (text && dotted(text, numbers) != parts) cs_json_bad(&at, "must be %zu numbers joined by dots", parts);
    return text;
}

static char *read_sentence(cs_json_at at, size_t max) {
    char *text = cs_json_text_copy(at, 1, max);
    for (const char *p = text; p && *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) {
            cs_json_bad(&at, "has control characters");
            break;
        }
    return text;
}

static char *read_plain_name(cs_json_at at) {
    char *text = cs_json_text_copy(at, 1, 120);
    if (text && !cs_path_plain_name(text)) cs_json_bad(&at, "is not a plain file name");
    return text;
}

/* A list of plain file names, each once. suffix may be NULL. */
static void read_names(cs_json_at array, size_t min, size_t max, const char *suffix, cs_strings *out) {
    cs_json_count(&array, min, max);
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) {
        char *name = read_plain_name(item);
        if (name && suffix && !cs_text_ends_with_ascii_case(name, suffix)) cs_json_bad(&item, "must end with %s", suffix);
        for (size_t i = 0; name && i < out->count; i++)
            if (cs_text_equal_ascii_case(name, out->items[i])) cs_json_bad(&item, "the same name as item %zu", i);
        if (name && cs_strings_add(out, name, NULL) != CS_OK) cs_json_no_memory(item.reader);
        cs_free(name);
    }
}

/* ---- files ---- */

/* Relative, with '/', every component a plain name: nothing that could leave a folder. */
static bool plain_path(const char *path) {
    char name[MAX_PATH_TEXT + 1];
    for (;;) {
        size_t size = strcspn(path, "/");
        if (size > MAX_PATH_TEXT) return false;
        memcpy(name, path, size);
        name[size] = '\0';
        if (!cs_path_plain_name(name)) return false;
        if (path[size] == '\0') return true;
        path += size + 1;
    }
}

static char *read_path(cs_json_at at) {
    char *text = cs_json_text_copy(at, 1, MAX_PATH_TEXT);
    if (text && !plain_path(text)) cs_json_bad(&at, "is not a relative path of plain names joined by '/'");
    return text;
}

static void check_target(const cs_json_at *at, const char *target, cs_role role) {
    static const struct {
        const char *folder, *suffix, *form;
    } forms[] = {{"bin/", ".dll", "bin/*.dll"},
                 {"include/", ".h", "include/*.h"},
                 {"lib/x64/", ".lib", "lib/x64/*.lib"},
                 {"", ".txt", "*.txt in the root"}};
    size_t folder = strlen(forms[role].folder), suffix = strlen(forms[role].suffix), size = strlen(target);
    bool fits = size > folder + suffix && strncmp(target, forms[role].folder, folder) == 0 &&
                strcmp(target + size - suffix, forms[role].suffix) == 0 && !strchr(target + folder, '/');
    if (!fits) cs_json_bad(at, "a %s has to go to %s", role_names[role], forms[role].form);
}

/* The paths of a row against those of the rows before it. */
static void check_twins(const cs_json_at *row, const cs_manifest *m, const cs_manifest_file *file) {
    for (const cs_manifest_file *other = m->files; other < file; other++) {
        size_t index = (size_t)(other - m->files);
        cs_json_at source = cs_json_get(row, "source"), target = cs_json_get(row, "target"), kind = cs_json_get(row, "kind");
        if (cs_text_equal_ascii_case(other->source, file->source)) cs_json_bad(&source, "the same source as files[%zu]", index);
        if (cs_text_equal_ascii_case(other->target, file->target)) cs_json_bad(&target, "the same target as files[%zu]", index);
        if (file->role == CS_ROLE_LICENCE && other->role == CS_ROLE_LICENCE)
            cs_json_bad(&kind, "a second licence; files[%zu] is one", index);
    }
}

static void read_seal(const cs_json_at *row, cs_manifest *m, cs_manifest_file *file, bool first) {
    cs_json_at size = cs_json_maybe(row, "size"), hash = cs_json_maybe(row, "sha256");
    bool has_both = size.node && hash.node, has_one = size.node || hash.node;
    if (first) m->sealed = has_both;
    if (has_one && !has_both)
        cs_json_bad(size.node ? &hash : &size, "is missing: size and sha256 stand together or not at all");
    else if (has_both != m->sealed)
        cs_json_bad(row, m->sealed ? "size and sha256 are missing, but other rows have them"
                                   : "has size and sha256, but rows before it have not");
    if (!has_both) return;
    file->size = cs_json_uint(size, MAX_SIZE);
    if (file->size == 0) cs_json_bad(&size, "must be at least 1");
    cs_json_hex(hash, file->sha256, CS_SHA256_SIZE);
}

static void read_file_row(const cs_json_at *row, cs_manifest *m, cs_manifest_file *file) {
    static const char *const keys[] = {"source", "target", "kind", "size", "sha256"};
    cs_json_keys(row, keys, COUNT(keys));
    cs_json_at target = cs_json_get(row, "target");
    file->source = read_path(cs_json_get(row, "source"));
    file->target = read_path(target);
    file->role = (cs_role)cs_json_choice(cs_json_get(row, "kind"), role_names, COUNT(role_names));
    if (row->reader->status != CS_OK) return;
    check_target(&target, file->target, file->role);
    check_twins(row, m, file);
    read_seal(row, m, file, file == m->files);
}

static void read_files(cs_json_at array, cs_manifest *m) {
    size_t count = cs_json_count(&array, 1, CS_MANIFEST_MAX_FILES);
    if (!count) return;
    m->files = cs_alloc(count, sizeof *m->files);
    if (!m->files) {
        cs_json_no_memory(array.reader);
        return;
    }
    m->file_count = count;
    for (cs_json_at row = {0}; cs_json_each(&array, &row);) read_file_row(&row, m, &m->files[row.index]);
}

/* ---- archives ---- */

static void read_archive(cs_json_at archive, cs_manifest *m) {
    static const char *const keys[] = {"names", "sha256", "size"};
    cs_json_keys(&archive, keys, COUNT(keys));
    read_names(cs_json_get(&archive, "names"), 1, MAX_NAMES, NULL, &m->archive_names);
    /* Without a seal on its files a manifest can only vouch for the archive as a whole. */
    cs_json_at hash = m->sealed ? cs_json_maybe(&archive, "sha256") : cs_json_get(&archive, "sha256");
    m->has_archive_sha256 = hash.node != NULL;
    if (hash.node) cs_json_hex(hash, m->archive_sha256, CS_SHA256_SIZE);
    cs_json_at size = cs_json_maybe(&archive, "size");
    m->has_archive_size = size.node != NULL;
    if (!size.node) return;
    m->archive_size = cs_json_uint(size, MAX_SIZE);
    if (m->archive_size == 0) cs_json_bad(&size, "must be at least 1");
}

static void read_wrong_archive(const cs_json_at *row, cs_manifest *m, cs_wrong_archive *wrong) {
    static const char *const keys[] = {"name", "sha256", "what"};
    cs_json_keys(row, keys, COUNT(keys));
    wrong->name = read_plain_name(cs_json_get(row, "name"));
    wrong->what = read_sentence(cs_json_get(row, "what"), MAX_SENTENCE);
    cs_json_at hash = cs_json_get(row, "sha256");
    cs_json_hex(hash, wrong->sha256, CS_SHA256_SIZE);
    if (row->reader->status != CS_OK) return;
    if (m->has_archive_sha256 && memcmp(wrong->sha256, m->archive_sha256, CS_SHA256_SIZE) == 0)
        cs_json_bad(&hash, "is the hash of the right archive");
    for (const cs_wrong_archive *other = m->wrong_archives; other < wrong; other++)
        if (memcmp(wrong->sha256, other->sha256, CS_SHA256_SIZE) == 0)
            cs_json_bad(&hash, "the same hash as wrong_archives[%zu]", (size_t)(other - m->wrong_archives));
}

static void read_wrong_archives(cs_json_at array, cs_manifest *m) {
    size_t count = cs_json_count(&array, 1, MAX_WRONG);
    if (!count) return;
    m->wrong_archives = cs_alloc(count, sizeof *m->wrong_archives);
    if (!m->wrong_archives) {
        cs_json_no_memory(array.reader);
        return;
    }
    m->wrong_archive_count = count;
    for (cs_json_at row = {0}; cs_json_each(&array, &row);) read_wrong_archive(&row, m, &m->wrong_archives[row.index]);
}

/* ---- the whole ---- */

static void read_version(const cs_json_at *root, cs_manifest *m) {
    uint32_t n[4] = {0};
    m->product = read_sentence(cs_json_get(root, "product"), 64);
    m->version = read_dotted(cs_json_get(root, "version"), 4, n);
    cs_json_at number = cs_json_get(root, "cudnn_version");
    m->cudnn_version = (uint32_t)cs_json_uint(number, 999999);
    if (root->reader->status != CS_OK) return;
    /* Source: CUDNN_VERSION in cudnn_version.h, which changed its formula with cuDNN 9. */
    uint64_t low = (uint64_t)n[1] * 100 + n[2], major = n[0];
    if (m->cudnn_version != major * (major < 9 ? 1000 : 10000) + low) cs_json_bad(&number, "does not fit version %s", m->version);
}

static void read_limits(const cs_json_at *root, cs_manifest *m) {
    uint32_t driver[4] = {0}, least[4] = {0}, most[4] = {0};
    cs_json_at at = cs_json_maybe(root, "driver_min");
    if (at.node) m->driver_min = read_dotted(at, 2, driver);
    at = cs_json_maybe(root, "compute_min");
    if (at.node) m->compute_min = read_dotted(at, 2, least);
    at = cs_json_maybe(root, "compute_max");
    if (at.node) m->compute_max = read_dotted(at, 2, most);
    if (m->compute_min && m->compute_max && (least[0] > most[0] || (least[0] == most[0] && least[1] > most[1])))
        cs_json_bad(&at, "is below compute_min");
}

static void read_root(const cs_json_at *root, cs_manifest *m) {
    static const char *const keys[] = {"schema",      "product",     "version", "cudnn_version",  "cuda",
                                       "sample",      "archive",     "files",   "wrong_archives", "driver_min",
                                       "compute_min", "compute_max", "needs"};
    /* First, so that a newer format is called that and not blamed for its keys. */
    cs_json_at schema = cs_json_get(root, "schema");
    if (cs_json_uint(schema, CS_JSON_MAX_UINT) != 1) cs_json_bad(&schema, "this program reads schema 1 only");
    cs_json_keys(root, keys, COUNT(keys));
    uint32_t cuda[4];
    read_version(root, m);
    m->cuda = read_dotted(cs_json_get(root, "cuda"), 2, cuda);
    m->sample = cs_json_bool(cs_json_get(root, "sample"));
    read_files(cs_json_get(root, "files"), m);
    read_archive(cs_json_get(root, "archive"), m);
    read_wrong_archives(cs_json_maybe(root, "wrong_archives"), m);
    read_limits(root, m);
    read_names(cs_json_maybe(root, "needs"), 1, MAX_NEEDS, ".dll", &m->needs);
}

cs_status cs_manifest_parse(const char *name, const char *bytes, size_t size, cs_manifest *out, cs_error *error) {
    static const cs_json_limits limits = {CS_MANIFEST_MAX_BYTES, false};
    cs_json *json = NULL;
    cs_status status = cs_json_parse(name, bytes, size, &limits, &json, error);
    if (status != CS_OK) return status;
    cs_json_reader reader = {name, error, CS_OK};
    cs_json_at root = cs_json_root(&reader, json);
    read_root(&root, out);
    cs_json_free(json);
    status = reader.status;
    if (status == CS_OK) {
        cs_buffer_append(&out->bytes, bytes, size);
        status = cs_buffer_check(&out->bytes, error);
    }
    if (status == CS_OK) status = cs_sha256_bytes(bytes, size, out->sha256, error);
    if (status != CS_OK) cs_manifest_free(out);
    return status;
}
