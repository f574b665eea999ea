/* The machine: what programs see, what is durable, and what lies between. */
#include "crash_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *crash_model_name(crash_model model) {
    static const char *const names[CRASH_MODELS] = {"N", "H", "HX", "N1", "H1"};
    return names[model];
}

static bool one_volume(crash_model model) { return model == CRASH_N1 || model == CRASH_H1; }
static bool whole_volume_flush(crash_model model) { return model == CRASH_N || one_volume(model); }

crash_log crash_log_of(const crash_machine *machine, uint16_t path) {
    return one_volume(machine->model) || crash_path_text(path)[0] == 'C' ? LOG_S : LOG_T;
}

/* ---- hashes ---- */

uint64_t crash_mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

bool crash_is_folder(const crash_entry *entry) { return entry->file && entry->meta == CRASH_META_FOLDER; }

/* Ids count where a record can name them: targets and private files. What lies in `mark`, `lock` and `reserve` is never read. */
uint64_t crash_entry_hash(uint16_t path, const crash_entry *entry) {
    if (!entry->file) return 0;
    crash_class class = crash_path_class(path);
    bool by_id = class == CLASS_TARGET || class == CLASS_NEW || class == CLASS_OLD || class == CLASS_FOREIGN;
    bool no_content = class == CLASS_LOCK || class == CLASS_MARK || class == CLASS_RESERVE;
    uint64_t file = by_id && !crash_is_folder(entry) ? entry->file : crash_is_folder(entry) ? 0xFFFF : 0xFFFE;
    uint64_t content = no_content ? 0 : entry->content, meta = by_id ? entry->meta : 0;
    return crash_mix((uint64_t)path << 48 ^ file << 32 ^ content << 16 ^ meta);
}

uint64_t crash_reg_hash(uint16_t slot, uint16_t value) {
    return value ? crash_mix(UINT64_C(0xABCD) << 48 ^ (uint64_t)slot << 16 ^ value) : 0;
}

void crash_image_hash(crash_image *image) {
    image->hash = 0;
    for (unsigned i = 1; i < crash_path_count(); i++) image->hash += crash_entry_hash((uint16_t)i, &image->at[i]);
    for (unsigned i = 0; i < CRASH_SLOTS; i++) image->hash += crash_reg_hash((uint16_t)i, image->reg[i]);
}

/* ---- acting on an image ---- */

void crash_image_folder(crash_image *image, const char *text) {
    uint16_t path = crash_path(text);
    if (image->at[path].file) return;
    if (crash_path_parent(path)) crash_image_folder(image, crash_path_text(crash_path_parent(path)));
    image->at[path] = (crash_entry){++image->next_file, 0, CRASH_META_FOLDER};
    crash_image_hash(image);
}

static uint16_t put(crash_image *image, const char *text, uint16_t content, uint16_t meta) {
    uint16_t path = crash_path(text);
    crash_image_folder(image, crash_path_text(crash_path_parent(path)));
    image->at[path] = (crash_entry){++image->next_file, content, meta};
    crash_image_hash(image);
    return image->at[path].file;
}

uint16_t crash_image_text(crash_image *image, const char *text, const char *content, uint32_t attributes, int64_t time) {
    size_t size = strlen(content);
    return put(image, text, crash_content(content, size, size), crash_meta(attributes, time, time + 1, true));
}

uint16_t crash_image_file(crash_image *image, const char *path, const void *bytes, size_t size) {
    return put(image, path, crash_content(bytes, size, size), crash_meta(0x20, 0, 0, true));
}

void crash_image_delete(crash_image *image, const char *text) {
    const char *rest = text;
    size_t size = strlen(text);
    for (unsigned i = 1; i < crash_path_count(); i++) {
        rest = crash_path_text((uint16_t)i);
        if (strncmp(rest, text, size) == 0 && (!rest[size] || rest[size] == '\\')) image->at[i] = (crash_entry){0};
    }
    crash_image_hash(image);
}

void crash_image_value(crash_image *image, const char *key, const char *name, uint32_t type, const char *text) {
    cs_reg_value value = {0};
    if (text && cs_reg_value_from_text(&value, type, text, NULL) != CS_OK) abort();
    image->reg[crash_slot(CS_HKLM, key, name)] = crash_value(&value);
    cs_reg_value_free(&value);
    crash_image_hash(image);
}

/* ---- starting and stopping ---- */

void crash_machine_init(crash_machine *machine, crash_model model) {
    memset(machine, 0, sizeof *machine);
    machine->model = model;
    machine->random = 1;
    crash_content("", 0, 0);
    crash_meta(0x10, 0, 0, false);
    crash_fs_init(machine);
    crash_registry_init(machine);
    crash_system_init(machine);
}

void crash_machine_load(crash_machine *machine, const crash_image *image) {
    machine->durable = *image;
    machine->now = *image;
    memset(machine->where, 0, sizeof machine->where[0] * (image->next_file + 2u));
    for (unsigned i = 1; i < crash_path_count(); i++) {
        const crash_entry *entry = &image->at[i];
        if (!entry->file) continue;
        machine->where[entry->file] = (uint16_t)i;
        machine->dur_content[entry->file] = entry->content;
    }
    machine->pending_count = 0;
    memset(machine->handles, 0, sizeof machine->handles);
    machine->fault = (crash_fault){0};
    machine->calls = 0;
    machine->room = CRASH_ROOM;
    machine->full_from = 0;
    machine->cancel_step = NULL;
    machine->program = NULL;
    machine->running = 0;
    machine->denied = false;
    machine->hook = NULL;
    machine->check = NULL;
    machine->changes = machine->swept = 0;
    machine->slept_ms = 0;
    machine->pauses = machine->longest_row = 0;
}

void crash_machine_save(const crash_machine *machine, crash_image *out) {
    *out = machine->now;
    crash_image_hash(out);
}

size_t crash_machine_open_files(const crash_machine *machine) {
    size_t count = 0;
    for (size_t i = 0; i < CRASH_HANDLES; i++) count += machine->handles[i].file != 0;
    return count;
}

/* ---- calls ---- */

static uint32_t hash_text(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static bool is_same_call(const crash_fault *fault, const char *operation, const char *path) {
    return strcmp(operation, fault->operation) == 0 && strcmp(path, fault->path) == 0;
}

/* The call that was struck, again, with nothing between: tried again. */
static void note_repeat(crash_machine *machine, const char *operation, const char *path) {
    crash_fault *fault = &machine->fault;
    bool next = fault->struck && machine->calls == fault->last + 1 && is_same_call(fault, operation, path);
    if (!next || !machine->paused) machine->pauses = 0; /* without a pause it is another attempt of its own */
    if (next && !machine->paused) fault->hasty = true;
    if (next) fault->repeats++;
    machine->paused = false;
}

static bool strikes(crash_machine *machine, const char *operation, const char *path) {
    crash_fault *fault = &machine->fault;
    if (!fault->at || machine->calls < fault->at) return false;
    if (machine->calls == fault->at) {
        snprintf(fault->operation, sizeof fault->operation, "%s", operation);
        snprintf(fault->path, sizeof fault->path, "%s", path);
        fault->path_hash = hash_text(path);
        return true;
    }
    return fault->for_good && hash_text(path) == fault->path_hash && is_same_call(fault, operation, path);
}

uint32_t crash_step(crash_machine *machine, const char *operation, const char *path, bool *after) {
    machine->calls++;
    *after = false;
    if (!machine->fault.at) return 0;
    note_repeat(machine, operation, path);
    if (!strikes(machine, operation, path)) return 0;
    machine->fault.struck = true;
    machine->fault.last = machine->calls;
    *after = machine->fault.after;
    return machine->fault.code;
}

/* ---- changes ---- */

static bool has_children(const crash_image *image, uint16_t folder) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file && crash_path_parent((uint16_t)i) == folder) return true;
    return false;
}

/* Whether a disk in this state can have the change: what it needs is there. */
bool crash_may_apply(const crash_image *image, const crash_op *op) {
    switch (op->kind) {
    case OP_MAKE:
        return !image->at[op->a].file && image->at[crash_path_parent(op->a)].file;
    case OP_RENAME: /* onto whatever has the name there: where the predecessor's leaving is lost, its name is lost with it */
        return image->at[op->a].file == op->file && image->at[crash_path_parent(op->b)].file;
    case OP_REMOVE:
        return image->at[op->a].file == op->file && !(crash_is_folder(&image->at[op->a]) && has_children(image, op->a));
    case OP_META:
        return image->at[op->a].file == op->file || image->at[op->b].file == op->file;
    default:
        return true;
    }
}

void crash_change(crash_image *image, const crash_op *op) {
    switch (op->kind) {
    case OP_MAKE:
        image->at[op->a] = (crash_entry){op->file, op->content, op->meta};
        break;
    case OP_RENAME:
        image->at[op->b] = image->at[op->a];
        image->at[op->a] = (crash_entry){0};
        break;
    case OP_REMOVE:
        image->at[op->a] = (crash_entry){0};
        break;
    case OP_META:
        image->at[image->at[op->a].file == op->file ? op->a : op->b].meta = op->meta;
        break;
    case OP_REG:
        image->reg[op->a] = op->meta;
        break;
    case OP_DATA:
        image->at[op->a].content = op->content;
        break;
    default:
        break;
    }
}

void crash_apply(crash_machine *machine, crash_op op) {
    if (op.kind != OP_REG) op.log = crash_log_of(machine, op.a);
    if (machine->check) machine->check(machine->ctx, machine, &op);
    crash_change(&machine->now, &op);
    if (op.kind == OP_MAKE || op.kind == OP_DATA) machine->where[op.file] = op.a;
    if (op.kind == OP_RENAME) machine->where[op.file] = op.b;
    if (op.kind == OP_REMOVE) machine->where[op.file] = 0;
    if (op.kind == OP_MAKE) machine->dur_content[op.file] = op.content;
    machine->changes++;
    if (op.kind == OP_REMOVE && crash_path_class(op.a) == CLASS_P_ASIDE) machine->swept++;
    if (op.kind != OP_DATA) {
        if (machine->pending_count == CRASH_PENDING) {
            machine->overflow = true;
            return;
        }
        machine->pending[machine->pending_count++] = op;
    }
    if (machine->hook) machine->hook(machine->ctx, machine, &op);
}

/* ---- making durable ---- */

/* Applies the marked pending changes to the durable base, in order, and forgets them. */
static void settle(crash_machine *machine, const bool *keep) {
    size_t left = 0;
    for (size_t i = 0; i < machine->pending_count; i++) {
        const crash_op *op = &machine->pending[i];
        if (keep[i] && crash_may_apply(&machine->durable, op)) {
            crash_change(&machine->durable, op);
            if (op->kind == OP_MAKE) machine->durable.at[op->a].content = machine->dur_content[op->file];
        } else if (!keep[i]) {
            machine->pending[left++] = *op;
        }
    }
    bool any = left != machine->pending_count;
    machine->pending_count = left;
    const crash_op flush = {.kind = OP_FLUSH};
    if (any && machine->hook) machine->hook(machine->ctx, machine, &flush);
}

static bool touches(const crash_op *op, uint16_t path) {
    return op->a == path || ((op->kind == OP_RENAME || op->kind == OP_META) && op->b == path);
}

static bool within(uint16_t path, uint16_t folder) {
    for (; path; path = crash_path_parent(path))
        if (path == folder) return true;
    return false;
}

/* later cannot be on the disk without earlier. */
static bool depends(const crash_op *later, const crash_op *earlier) {
    if (later->log != earlier->log || later->kind == OP_REG) return false;
    const uint16_t names[2] = {later->a, later->kind == OP_RENAME ? later->b : 0};
    for (size_t i = 0; i < 2; i++) {
        if (!names[i]) continue;
        if (touches(earlier, names[i])) return true;
        if (earlier->kind == OP_MAKE && within(names[i], earlier->a)) return true;
    }
    bool of_folder = later->kind == OP_REMOVE || later->kind == OP_MAKE;
    return of_folder && (within(earlier->a, later->a) || (earlier->kind == OP_RENAME && within(earlier->b, later->a)));
}

static void close_over(const crash_machine *machine, bool *keep) {
    for (size_t i = machine->pending_count; i-- > 0;)
        for (size_t k = 0; keep[i] && k < i; k++)
            if (depends(&machine->pending[i], &machine->pending[k])) keep[k] = true;
}

static void mark_log(const crash_machine *machine, crash_log log, bool *keep) {
    for (size_t i = 0; i < machine->pending_count; i++) keep[i] = keep[i] || machine->pending[i].log == log;
}

void crash_sync_folder(crash_machine *machine, uint16_t folder) {
    bool keep[CRASH_PENDING] = {false};
    if (whole_volume_flush(machine->model)) {
        /* Synchronising a folder is the protocol's second half; the first, `mark` or `lock`, has flushed the log already. */
        if (one_volume(machine->model)) mark_log(machine, crash_log_of(machine, folder), keep);
    }
    for (size_t i = 0; i < machine->pending_count; i++) {
        const crash_op *op = &machine->pending[i];
        if (op->kind == OP_REG || op->log != crash_log_of(machine, folder)) continue;
        bool in = crash_path_parent(op->a) == folder || op->a == folder;
        if (op->kind == OP_RENAME || op->kind == OP_META) in = in || crash_path_parent(op->b) == folder;
        keep[i] = keep[i] || in;
    }
    close_over(machine, keep);
    /* A prefix model knows no holes. */
    if (machine->model == CRASH_N || machine->model == CRASH_N1) {
        size_t last = 0;
        for (size_t i = 0; i < machine->pending_count; i++)
            if (keep[i]) last = i + 1;
        for (size_t i = 0; i < last; i++)
            if (machine->pending[i].log == crash_log_of(machine, folder)) keep[i] = true;
    }
    settle(machine, keep);
}

void crash_sync_file(crash_machine *machine, uint16_t file) {
    bool keep[CRASH_PENDING] = {false};
    uint16_t path = machine->where[file];
    machine->dur_content[file] = machine->now.at[path].content;
    for (unsigned i = 1; i < crash_path_count(); i++) /* its durable name may still be another */
        if (machine->durable.at[i].file == file) machine->durable.at[i].content = machine->now.at[path].content;
    if (whole_volume_flush(machine->model)) {
        mark_log(machine, crash_log_of(machine, path), keep);
    } else {
        for (size_t i = 0; i < machine->pending_count; i++)
            keep[i] = machine->pending[i].kind != OP_REG && touches(&machine->pending[i], path);
        close_over(machine, keep);
    }
    settle(machine, keep);
}

void crash_sync_hive(crash_machine *machine, crash_log hive) {
    bool keep[CRASH_PENDING] = {false};
    mark_log(machine, hive, keep);
    settle(machine, keep);
}
