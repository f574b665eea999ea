/* Paths, contents and registry values as small numbers, so that an image is small and its hash cheap. They are interned for the
 * life of the process; a job starts in a process of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_store.h"
#include "cudnn_setup/text.h"

enum { CONTENTS = 16384, METAS = 64, VALUES = 512, PATH_BUCKETS = 1024, CONTENT_BUCKETS = 32768 };

static void full(const char *what) {
    fprintf(stderr, "crash explorer: no room for more %s\n", what);
    abort();
}

static void *keep(const void *bytes, size_t size) {
    void *copy = malloc(size + 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    ((char *)copy)[size] = '\0';
    return copy;
}

static uint32_t hash_bytes(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* ---- paths ---- */

typedef struct path_row {
    char *text;
    crash_class class;
    uint16_t parent, next;
    unsigned tree;
} path_row;

static path_row paths[CRASH_PATHS];
static uint16_t path_buckets[PATH_BUCKETS];
static unsigned path_count = 1; /* 0: no path */

static bool below(const char *path, const char *folder, const char **rest) {
    size_t size = strlen(folder);
    if (strncmp(path, folder, size) != 0 || path[size] != '\\') return false;
    *rest = path + size + 1;
    return true;
}

static bool is_hex(const char *text, size_t size) { return strspn(text, "0123456789abcdef") >= size; }

static crash_class class_in_state(const char *rest) {
    static const struct {
        const char *name;
        crash_class class;
    } names[] = {{"journal.tmp", CLASS_TEMPORARY}, {"journal", CLASS_JOURNAL},   {"committed", CLASS_COMMITTED},
                 {"undone", CLASS_UNDONE},         {"head", CLASS_HEAD},         {"intent", CLASS_INTENT},
                 {"reserve", CLASS_RESERVE},       {"manifests", CLASS_MANIFEST}};
    if (strcmp(rest, "lock") == 0) return CLASS_LOCK;
    if (!is_hex(rest, 32)) return CLASS_FOREIGN;
    if (!rest[32]) return CLASS_S;
    if (rest[32] != '\\') return CLASS_FOREIGN;
    rest += 33;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(rest, names[i].name) == 0) return names[i].class;
    bool manifest = strncmp(rest, "manifests\\", 10) == 0 && is_hex(rest + 10, 64) && strcmp(rest + 74, ".json") == 0;
    return manifest ? CLASS_MANIFEST : CLASS_FOREIGN;
}

static crash_class class_in_p(const char *rest) {
    static const char *const programs[] = {"cudnn-setup.exe", "cudnn-doctor.exe", "cudnn-probe.exe"};
    if (strcmp(rest, "state") == 0) return CLASS_STATE;
    if (strcmp(rest, "status") == 0) return CLASS_P_STATUS;
    if (strncmp(rest, "status\\", 7) == 0 && is_hex(rest + 7, 32) &&
        (strcmp(rest + 39, ".json") == 0 || strcmp(rest + 39, ".json.tmp") == 0))
        return CLASS_P_STATUS;
    if (strncmp(rest, "state\\", 6) == 0) return class_in_state(rest + 6);
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(programs[i]);
        if (strncmp(rest, programs[i], size) == 0 && (!rest[size] || strcmp(rest + size, ".tmp") == 0)) return CLASS_P_PROGRAM;
    }
    if (rest[0] == '~' && is_hex(rest + 1, 16) && strcmp(rest + 17, ".old") == 0) return CLASS_P_ASIDE;
    return CLASS_FOREIGN;
}

static bool is_number(const char *text) { return strspn(text, "0123456789") == 2 && !text[2]; }

static crash_class class_in_b(const char *rest) {
    if (!is_hex(rest, 32)) return CLASS_FOREIGN;
    if (!rest[32]) return CLASS_B_FOLDER;
    if (rest[32] != '\\') return CLASS_FOREIGN;
    rest += 33;
    if (strcmp(rest, "new") == 0 || strcmp(rest, "old") == 0) return CLASS_B_FOLDER;
    if (strcmp(rest, "mark") == 0) return CLASS_MARK;
    if (strcmp(rest, "archive") == 0) return CLASS_ARCHIVE;
    if (strncmp(rest, "new\\", 4) == 0 && is_number(rest + 4)) return CLASS_NEW;
    if (strncmp(rest, "old\\", 4) == 0 && is_number(rest + 4)) return CLASS_OLD;
    return CLASS_FOREIGN;
}

/* The scenarios' rows; everything else in the tree is not ours to touch. */
static crash_class class_in_tree(const char *rest) {
    static const char *const targets[] = {"bin\\cudnn64_8.dll", "include\\cudnn.h", "lib\\x64\\cudnn.lib",
                                          "NVIDIA_SLA_cuDNN_Support.txt"};
    static const char *const folders[] = {"bin", "include", "lib", "lib\\x64"};
    const char *inner;
    if (strcmp(rest, ".cudnn-setup") == 0) return CLASS_B;
    if (below(rest, ".cudnn-setup", &inner)) return class_in_b(inner);
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(rest, targets[i]) == 0) return CLASS_TARGET;
        if (strcmp(rest, folders[i]) == 0) return CLASS_TARGET_FOLDER;
    }
    return CLASS_FOREIGN;
}

static crash_class classify(const char *path) {
    const char *rest;
    if (strcmp(path, CRASH_P) == 0) return CLASS_P;
    if (below(path, CRASH_P, &rest)) return class_in_p(rest);
    if (below(path, CRASH_TREE, &rest) || below(path, CRASH_OTHER_TREE, &rest)) return class_in_tree(rest);
    return CLASS_FOREIGN;
}

static char tree_ids[CRASH_TREES + 1][33];

static unsigned find_tree(const char *path) {
    static const char *const roots[] = {NULL, CRASH_TREE, CRASH_OTHER_TREE};
    const char *rest;
    for (unsigned i = 1; i <= CRASH_TREES; i++) {
        size_t size = strlen(tree_ids[i]);
        if (below(path, roots[i], &rest)) return i;
        bool named = below(path, CRASH_STATE, &rest) || below(path, CRASH_P "\\status", &rest);
        if (size && named && strncmp(rest, tree_ids[i], size) == 0) return i;
    }
    return 0;
}

static uint16_t parent_of(const char *path) {
    const char *slash = strrchr(path, '\\');
    if (!slash || !slash[1]) return 0; /* "C:\" */
    size_t size = (size_t)(slash - path);
    char text[512];
    if (size >= sizeof text - 2) full("path");
    memcpy(text, path, size);
    text[size] = '\0';
    if (size == 2) memcpy(text + 2, "\\", 2);
    return crash_path(text);
}

uint16_t crash_path(const char *path) {
    uint32_t bucket = hash_bytes(path, strlen(path)) % PATH_BUCKETS;
    for (uint16_t i = path_buckets[bucket]; i; i = paths[i].next)
        if (strcmp(paths[i].text, path) == 0) return i;
    uint16_t parent = parent_of(path);
    if (path_count == CRASH_PATHS) full("paths");
    uint16_t row = (uint16_t)path_count++;
    paths[row] = (path_row){keep(path, strlen(path)), classify(path), parent, path_buckets[bucket], find_tree(path)};
    path_buckets[bucket] = row;
    return row;
}

const char *crash_path_text(uint16_t path) { return path ? paths[path].text : ""; }
crash_class crash_path_class(uint16_t path) { return paths[path].class; }
uint16_t crash_path_parent(uint16_t path) { return paths[path].parent; }
unsigned crash_path_count(void) { return path_count; }

static uint16_t record_paths[CRASH_TREES + 1][CLASS_HEAD - CLASS_JOURNAL + 1];

void crash_name_tree(unsigned tree, const char *id) {
    static const char *const names[] = {"journal", "committed", "undone", "head"};
    memcpy(tree_ids[tree], id, sizeof tree_ids[0]);
    for (unsigned i = 1; i < path_count; i++) paths[i].tree = find_tree(paths[i].text);
    for (int class = CLASS_JOURNAL; class <= CLASS_HEAD; class ++) {
        char path[256];
        snprintf(path, sizeof path, CRASH_STATE "\\%s\\%s", id, names[class - CLASS_JOURNAL]);
        record_paths[tree][class - CLASS_JOURNAL] = crash_path(path);
    }
}

uint16_t crash_record_path(unsigned tree, crash_class class) { return record_paths[tree][class - CLASS_JOURNAL]; }

unsigned crash_path_tree(uint16_t path) { return paths[path].tree; }

/* ---- contents ---- */

typedef struct content_row {
    void *bytes;
    size_t size;
    uint64_t length;
    uint16_t next, torn, zero;
} content_row;

static content_row contents[CONTENTS];
static uint16_t content_buckets[CONTENT_BUCKETS];
static unsigned content_count;

static uint16_t add_content(const void *bytes, size_t size, uint64_t length, uint32_t bucket) {
    if (content_count == CONTENTS) full("contents");
    uint16_t row = (uint16_t)content_count++;
    contents[row] = (content_row){keep(bytes, size), size, length, content_buckets[bucket], 0, 0};
    content_buckets[bucket] = row;
    return row;
}

uint16_t crash_content(const void *bytes, size_t size, uint64_t length) {
    const unsigned char *at = bytes;
    if (!content_count) {
        content_count = 1; /* 0: none */
        add_content("", 0, 0, 0);
    }
    while (size && !at[size - 1]) size--; /* one form: trailing zeros are length */
    if (!length) return CRASH_EMPTY;
    uint32_t bucket = (hash_bytes(bytes, size) ^ (uint32_t)length * 2654435761u) % CONTENT_BUCKETS;
    for (uint16_t i = content_buckets[bucket]; i; i = contents[i].next)
        if (contents[i].size == size && contents[i].length == length && memcmp(contents[i].bytes, bytes, size) == 0) return i;
    return add_content(bytes, size, length, bucket);
}

const void *crash_content_bytes(uint16_t content, size_t *size, uint64_t *length) {
    *size = contents[content].size;
    *length = contents[content].length;
    return contents[content].bytes;
}

/* The first half arrived. */
uint16_t crash_content_torn(uint16_t content) {
    content_row *row = &contents[content];
    if (!row->torn) {
        uint16_t torn = crash_content(row->bytes, row->size / 2, row->length);
        contents[content].torn = torn;
    }
    return contents[content].torn;
}

uint16_t crash_content_zero(uint16_t content) {
    if (!contents[content].zero) {
        uint16_t zero = crash_content("", 0, contents[content].length);
        contents[content].zero = zero;
    }
    return contents[content].zero;
}

/* ---- attributes and times ---- */

typedef struct meta_row {
    uint32_t attributes;
    int64_t created, written;
    bool inherited;
} meta_row;

static meta_row metas[METAS];
static unsigned meta_count;

uint16_t crash_meta(uint32_t attributes, int64_t created, int64_t written, bool inherited) {
    if (!meta_count) {
        metas[CRASH_META_FOLDER].attributes = 0x10;
        meta_count = CRASH_META_FOLDER + 1;
    }
    if (attributes & 0x10) return CRASH_META_FOLDER;
    for (unsigned i = CRASH_META_FOLDER + 1; i < meta_count; i++)
        if (metas[i].attributes == attributes && metas[i].created == created && metas[i].written == written &&
            metas[i].inherited == inherited)
            return (uint16_t)i;
    if (meta_count == METAS) full("attributes");
    metas[meta_count] = (meta_row){attributes, created, written, inherited};
    return (uint16_t)meta_count++;
}

void crash_meta_get(uint16_t meta, cs_file_info *out, bool *inherited) {
    const meta_row *row = &metas[meta];
    out->attributes = row->attributes;
    out->created = out->accessed = row->created;
    out->written = row->written;
    *inherited = row->inherited;
}

/* ---- registry ---- */

typedef struct slot_row {
    cs_hive hive;
    char *key, *name, *text;
} slot_row;

static slot_row slots[CRASH_SLOTS];
static unsigned slot_count;

static cs_reg_value values[VALUES];
static unsigned value_count = 1; /* 0: absent */

uint16_t crash_value(const cs_reg_value *value) {
    if (!value->present) return 0;
    for (unsigned i = 1; i < value_count; i++)
        if (cs_reg_value_equal(&values[i], value)) return (uint16_t)i;
    if (value_count == VALUES) full("registry values");
    values[value_count] = *value;
    values[value_count].bytes = keep(value->bytes, value->size);
    return (uint16_t)value_count++;
}

bool crash_value_get(uint16_t value, cs_reg_value *out) {
    *out = (cs_reg_value){0};
    return !value || cs_reg_value_copy(out, &values[value], NULL) == CS_OK;
}

uint16_t crash_slot(cs_hive hive, const char *key, const char *name) {
    for (unsigned i = 0; i < slot_count; i++)
        if (slots[i].hive == hive && cs_text_equal_ascii_case(slots[i].name, name) && cs_text_equal_ascii_case(slots[i].key, key))
            return (uint16_t)i;
    if (slot_count == CRASH_SLOTS) full("registry names");
    char text[512];
    snprintf(text, sizeof text, "%s\\%s", key, name);
    slots[slot_count] = (slot_row){hive, keep(key, strlen(key)), keep(name, strlen(name)), keep(text, strlen(text))};
    return (uint16_t)slot_count++;
}

bool crash_slot_find(uint16_t slot, cs_hive *hive, const char **key, const char **name) {
    if (slot >= slot_count) return false;
    *hive = slots[slot].hive;
    *key = slots[slot].key;
    *name = slots[slot].name;
    return true;
}

const char *crash_slot_text(uint16_t slot) { return slot < slot_count ? slots[slot].text : ""; }

bool crash_slot_is_environment(uint16_t slot) {
    return slot < slot_count && cs_text_equal_ascii_case(slots[slot].key, CS_KEY_ENVIRONMENT);
}

uint16_t crash_slot_service(void) { return crash_slot(CS_HKLM, "SYSTEM\\CurrentControlSet\\Services\\cudnn-setup-recover", ""); }
