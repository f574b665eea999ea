/* The crash store's files as the seam sees them. Sharing rules are held by the memory host's tests; here only those of folders
 * count, since they decide whether a folder can go. */
#include <stdlib.h>
#include <string.h>

#include "crash_store.h"

#define CLOCK INT64_C(132500000000000000) /* stands still: images stay comparable */

static crash_handle *handle_of(cs_file *file) { return (crash_handle *)(void *)file; }

static cs_status fail(cs_error *error, uint32_t code, const char *operation, const char *path) {
    return cs_fail_win32(error, code, operation, path);
}

static const crash_entry *entry_of(const crash_handle *handle) {
    const crash_machine *machine = handle->machine;
    uint16_t path = handle->folder ? handle->path : machine->where[handle->file];
    return &machine->now.at[path];
}

static const char *path_of(const crash_handle *handle) {
    uint16_t path = handle->machine->where[handle->file];
    return crash_path_text(path ? path : handle->path);
}

static crash_handle *new_handle(crash_machine *machine, uint16_t file, uint16_t path) {
    for (size_t i = 0; i < CRASH_HANDLES; i++) {
        crash_handle *handle = &machine->handles[i];
        if (handle->file) continue;
        *handle = (crash_handle){.machine = machine, .file = file, .path = path};
        return handle;
    }
    abort();
}

static uint16_t new_file(crash_machine *machine) {
    if (machine->now.next_file + 2 >= CRASH_FILES) abort();
    uint16_t file = ++machine->now.next_file;
    machine->durable.next_file = file; /* ids are never used twice, whatever is lost */
    machine->foreign[file] = false;
    return file;
}

/* There is no room for one thing more. */
static bool is_full(const crash_machine *machine) { return machine->room != CRASH_ROOM && machine->calls >= machine->full_from; }

static bool is_locked(const crash_machine *machine, uint16_t file) {
    for (size_t i = 0; i < CRASH_HANDLES; i++)
        if (machine->handles[i].file == file && machine->handles[i].locked) return true;
    return false;
}

static uint32_t open_code(crash_machine *machine, uint16_t path, cs_open_mode mode, crash_handle **out) {
    const crash_entry *entry = &machine->now.at[path];
    bool creates = mode == CS_OPEN_CREATE || mode == CS_OPEN_UPDATE || mode == CS_OPEN_LOCK || mode == CS_OPEN_APPEND;
    if (!entry->file) {
        if (!machine->now.at[crash_path_parent(path)].file) return 3;
        if (!creates) return 2;
        if (is_full(machine)) return 112;
        uint16_t file = new_file(machine);
        crash_apply(
            machine,
            (crash_op){
                .kind = OP_MAKE, .a = path, .file = file, .content = CRASH_EMPTY, .meta = crash_meta(0x20, CLOCK, CLOCK, false)});
    } else {
        if (mode == CS_OPEN_CREATE) return 80;
        if (crash_is_folder(entry) != (mode == CS_OPEN_FOLDER)) return crash_is_folder(entry) ? 5 : 267;
        if (is_locked(machine, entry->file)) return 32;
    }
    crash_handle *handle = new_handle(machine, machine->now.at[path].file, path);
    handle->folder = mode == CS_OPEN_FOLDER;
    handle->write = creates;
    handle->may_delete = mode == CS_OPEN_CREATE || mode == CS_OPEN_MOVE;
    handle->append = mode == CS_OPEN_APPEND;
    handle->locked = mode == CS_OPEN_LOCK;
    *out = handle;
    return 0;
}

static cs_status fs_open(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    static const char *const names[] = {"open read",   "open watch", "open move",   "create",
                                        "open update", "open lock",  "open append", "open folder"};
    crash_handle *handle = NULL;
    bool after;
    uint32_t fault = crash_step(ctx, names[mode], path, &after);
    uint32_t code = fault && !after ? fault : open_code(ctx, crash_path(path), mode, &handle);
    if (!code && fault) handle->file = 0; /* the caller never sees the handle */
    if (!code) code = fault;
    if (code) return fail(error, code, "open", path);
    *out = (cs_file *)(void *)handle;
    return CS_OK;
}

static void fs_close(void *ctx, cs_file *file) {
    (void)ctx;
    if (file) handle_of(file)->file = 0;
}

static cs_status fs_read(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    crash_machine *machine = ctx;
    crash_handle *handle = handle_of(file);
    const crash_entry *entry = entry_of(handle);
    bool after;
    uint32_t code = crash_step(ctx, "read", path_of(handle), &after);
    if (code) return fail(error, code, "read", path_of(handle));
    crash_class class = crash_path_class(machine->where[handle->file]);
    if (class == CLASS_MARK || class == CLASS_LOCK || class == CLASS_RESERVE) machine->read_mark = true;
    size_t stored;
    uint64_t length;
    const char *content = crash_content_bytes(entry->content, &stored, &length);
    uint64_t left = offset < length ? length - offset : 0;
    *got = size < left ? size : (size_t)left;
    memset(bytes, 0, *got);
    if (offset < stored) memcpy(bytes, content + offset, stored - offset < *got ? stored - (size_t)offset : *got);
    return CS_OK;
}

static void set_content(crash_machine *machine, crash_handle *handle, uint16_t content) {
    uint16_t path = machine->where[handle->file];
    crash_apply(machine, (crash_op){.kind = OP_DATA, .a = path, .file = handle->file, .content = content});
}

static uint32_t write_code(crash_machine *machine, crash_handle *handle, uint64_t offset, const void *bytes, size_t size) {
    if (!handle->write) return 5;
    size_t stored;
    uint64_t length;
    const char *content = crash_content_bytes(entry_of(handle)->content, &stored, &length);
    if (handle->append) offset = length;
    uint64_t end = offset + size;
    if (end > length && is_full(machine)) return 112;
    size_t total = stored > end ? stored : (size_t)end;
    char *fresh = calloc(1, total + 1);
    if (!fresh) abort();
    memcpy(fresh, content, stored);
    if (size) memcpy(fresh + offset, bytes, size);
    set_content(machine, handle, crash_content(fresh, total, length > end ? length : end));
    free(fresh);
    return 0;
}

static cs_status fs_write(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after;
    uint32_t fault = crash_step(ctx, "write", path_of(handle), &after);
    uint32_t code = fault && !after ? fault : write_code(ctx, handle, offset, bytes, size);
    if (!code) code = fault;
    return code ? fail(error, code, "write", path_of(handle)) : CS_OK;
}

static uint32_t resize_code(crash_machine *machine, crash_handle *handle, uint64_t size) {
    if (!handle->write) return 5;
    size_t stored;
    uint64_t length;
    const void *content = crash_content_bytes(entry_of(handle)->content, &stored, &length);
    if (size > length && is_full(machine)) return 112;
    set_content(machine, handle, crash_content(content, stored < size ? stored : (size_t)size, size));
    return 0;
}

static cs_status fs_set_size(void *ctx, cs_file *file, uint64_t size, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after;
    uint32_t fault = crash_step(ctx, "set size", path_of(handle), &after);
    uint32_t code = fault && !after ? fault : resize_code(ctx, handle, size);
    if (!code) code = fault;
    return code ? fail(error, code, "set size", path_of(handle)) : CS_OK;
}

static cs_status fs_flush(void *ctx, cs_file *file, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after;
    uint32_t fault = crash_step(ctx, "flush", path_of(handle), &after);
    uint32_t code = fault && !after ? fault : handle->write ? 0 : 5;
    if (!code) {
        crash_sync_file(ctx, handle->file);
        code = fault;
    }
    return code ? fail(error, code, "flush", path_of(handle)) : CS_OK;
}

static void fill_info(uint16_t path, const crash_entry *entry, cs_file_info *out) {
    size_t stored;
    uint64_t length;
    bool inherited;
    *out = (cs_file_info){.links = 1};
    crash_content_bytes(entry->content, &stored, &length);
    out->kind = crash_is_folder(entry) ? CS_FILE_FOLDER : CS_FILE_REGULAR;
    out->size = out->kind == CS_FILE_FOLDER ? 0 : length;
    out->id.volume = crash_path_text(path)[0] == 'C' ? 1 : 2;
    out->id.id[0] = (uint8_t)entry->file;
    out->id.id[1] = (uint8_t)(entry->file >> 8);
    crash_meta_get(entry->meta, out, &inherited);
}

static cs_status fs_info(void *ctx, cs_file *file, cs_file_info *out, cs_error *error) {
    crash_machine *machine = ctx;
    crash_handle *handle = handle_of(file);
    bool after;
    uint32_t code = crash_step(ctx, "info", path_of(handle), &after);
    if (code) return fail(error, code, "info", path_of(handle));
    fill_info(machine->where[handle->file], entry_of(handle), out);
    return CS_OK;
}

static uint32_t rename_code(crash_machine *machine, crash_handle *handle, const char *text, bool replace) {
    uint16_t from = machine->where[handle->file], to = crash_path(text);
    if (!handle->may_delete) return 5;
    if (from == to) return 0; /* done before, though it was reported as failed */
    if (!from) return 2;
    if (!machine->now.at[crash_path_parent(to)].file) return 3;
    if (crash_path_text(from)[0] != text[0]) return 17;
    if (is_full(machine)) return 112;
    const crash_entry there = machine->now.at[to];
    if (there.file && there.file != handle->file) {
        if (!replace) return 183;
        if (crash_is_folder(&there)) return 5;
        if (machine->model == CRASH_HX) {
            crash_apply(machine, (crash_op){.kind = OP_REMOVE, .a = to, .file = there.file});
        } else {
            /* One step on the disk: the name changes hands. */
            machine->where[there.file] = 0;
            crash_apply(machine, (crash_op){.kind = OP_RENAME, .a = from, .b = to, .file = handle->file, .content = there.file});
            return 0;
        }
    }
    crash_apply(machine, (crash_op){.kind = OP_RENAME, .a = from, .b = to, .file = handle->file});
    return 0;
}

static cs_status fs_rename(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after;
    const char *from = path_of(handle);
    uint32_t fault = crash_step(ctx, "rename", from, &after);
    uint32_t code = fault && !after ? fault : rename_code(ctx, handle, new_path, replace);
    if (!code) code = fault;
    return code ? fail(error, code, "rename", from) : CS_OK;
}

static uint32_t remove_code(crash_machine *machine, crash_handle *handle) {
    cs_file_info info;
    bool inherited;
    crash_meta_get(entry_of(handle)->meta, &info, &inherited);
    if (!machine->where[handle->file]) return 0; /* done before, though it was reported as failed */
    machine->denied = machine->denied || handle->file == machine->running;
    if (!handle->may_delete || info.attributes & 1 || handle->file == machine->running) return 5;
    if (machine->room == CRASH_ROOM_IN_RESERVE && crash_path_class(machine->where[handle->file]) == CLASS_RESERVE)
        machine->room = CRASH_ROOM;
    crash_apply(machine, (crash_op){.kind = OP_REMOVE, .a = machine->where[handle->file], .file = handle->file});
    return 0;
}

static cs_status fs_remove(void *ctx, cs_file *file, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after;
    const char *path = path_of(handle);
    uint32_t fault = crash_step(ctx, "remove", path, &after);
    uint32_t code = fault && !after ? fault : remove_code(ctx, handle);
    if (!code) code = fault;
    return code ? fail(error, code, "remove", path) : CS_OK;
}

static void set_meta(crash_machine *machine, crash_handle *handle, uint16_t meta) {
    uint16_t path = machine->where[handle->file];
    if (machine->now.at[path].meta == meta) return;
    /* The change belongs to the file: it reaches the disk under whichever of the names the file has there. */
    uint16_t other = path;
    for (size_t i = machine->pending_count; i-- > 0;) {
        const crash_op *op = &machine->pending[i];
        if (op->kind == OP_RENAME && op->file == handle->file && op->b == path) other = op->a;
    }
    crash_apply(machine, (crash_op){.kind = OP_META, .a = path, .b = other, .file = handle->file, .meta = meta});
}

static cs_status fs_set_info(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after, inherited;
    cs_file_info old;
    const char *path = path_of(handle);
    uint32_t fault = crash_step(ctx, "set info", path, &after);
    if (fault && !after) return fail(error, fault, "set info", path);
    if (!handle->may_delete) return fail(error, 5, "set info", path);
    crash_meta_get(entry_of(handle)->meta, &old, &inherited);
    set_meta(ctx, handle, crash_meta(info->attributes, info->created, info->written, inherited));
    return fault ? fail(error, fault, "set info", path) : CS_OK;
}

static cs_status fs_inherit_security(void *ctx, cs_file *file, cs_error *error) {
    crash_handle *handle = handle_of(file);
    bool after, inherited;
    cs_file_info info;
    const char *path = path_of(handle);
    uint32_t fault = crash_step(ctx, "inherit", path, &after);
    if (fault && !after) return fail(error, fault, "inherit", path);
    crash_meta_get(entry_of(handle)->meta, &info, &inherited);
    set_meta(ctx, handle, crash_meta(info.attributes, info.created, info.written, true));
    return fault ? fail(error, fault, "inherit", path) : CS_OK;
}

static cs_status fs_stat(void *ctx, const char *text, cs_file_info *out, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t code = crash_step(ctx, "stat", text, &after);
    if (code) return fail(error, code, "stat", text);
    uint16_t path = crash_path(text);
    const crash_entry *entry = &machine->now.at[path];
    if (!entry->file) return fail(error, machine->now.at[crash_path_parent(path)].file ? 2 : 3, "stat", text);
    fill_info(path, entry, out);
    return CS_OK;
}

static uint32_t make_folder_code(crash_machine *machine, const char *text) {
    uint16_t path = crash_path(text);
    if (!machine->now.at[crash_path_parent(path)].file) return 3;
    if (machine->now.at[path].file) return 183;
    if (is_full(machine)) return 112;
    crash_apply(machine, (crash_op){.kind = OP_MAKE, .a = path, .file = new_file(machine), .meta = CRASH_META_FOLDER});
    return 0;
}

static cs_status fs_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error) {
    bool after;
    (void)security;
    uint32_t fault = crash_step(ctx, "make folder", path, &after);
    uint32_t code = fault && !after ? fault : make_folder_code(ctx, path);
    if (!code) code = fault;
    return code ? fail(error, code, "make folder", path) : CS_OK;
}

static uint32_t remove_folder_code(crash_machine *machine, uint16_t path) {
    const crash_entry entry = machine->now.at[path];
    if (!entry.file) return machine->now.at[crash_path_parent(path)].file ? 2 : 3;
    if (!crash_is_folder(&entry)) return 267;
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (machine->now.at[i].file && crash_path_parent((uint16_t)i) == path) return 145;
    for (size_t i = 0; i < CRASH_HANDLES; i++)
        if (machine->handles[i].file == entry.file) return 32;
    crash_apply(machine, (crash_op){.kind = OP_REMOVE, .a = path, .file = entry.file});
    return 0;
}

static cs_status fs_remove_folder(void *ctx, const char *path, cs_error *error) {
    bool after;
    uint32_t fault = crash_step(ctx, "remove folder", path, &after);
    uint32_t code = fault && !after ? fault : remove_folder_code(ctx, crash_path(path));
    if (!code) code = fault;
    return code ? fail(error, code, "remove folder", path) : CS_OK;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(crash_path_text(*(const uint16_t *)a), crash_path_text(*(const uint16_t *)b));
}

static cs_status fs_list(void *ctx, const char *text, cs_list_entry entry, void *entry_ctx, cs_error *error) {
    crash_machine *machine = ctx;
    uint16_t names[CRASH_PATHS], folder = crash_path(text);
    crash_entry found[CRASH_PATHS];
    size_t count = 0;
    bool after;
    uint32_t code = crash_step(ctx, "list", text, &after);
    if (!code && !machine->now.at[folder].file) code = 3;
    if (!code && !crash_is_folder(&machine->now.at[folder])) code = 267;
    if (code) return fail(error, code, "list", text);
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (machine->now.at[i].file && crash_path_parent((uint16_t)i) == folder) names[count++] = (uint16_t)i;
    qsort(names, count, sizeof names[0], compare_paths);
    /* What is listed is what was there when the listing began. */
    for (size_t i = 0; i < count; i++) found[i] = machine->now.at[names[i]];
    for (size_t i = 0; i < count; i++) {
        cs_file_info info;
        fill_info(names[i], &found[i], &info);
        cs_status status = entry(entry_ctx, strrchr(crash_path_text(names[i]), '\\') + 1, &info);
        if (status != CS_OK) return cs_fail(error, status, "list", text, NULL);
    }
    return CS_OK;
}

static cs_status fs_sync_folder(void *ctx, const char *text, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint16_t path = crash_path(text);
    uint32_t fault = crash_step(ctx, "sync folder", text, &after);
    uint32_t code = fault && !after ? fault : crash_is_folder(&machine->now.at[path]) ? 0 : 3;
    if (!code) {
        crash_sync_folder(machine, path);
        code = fault;
    }
    return code ? fail(error, code, "sync", text) : CS_OK;
}

static cs_status fs_volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "volume", path, &after);
    if (code) return fail(error, code, "volume", path);
    *out = (cs_volume){.filesystem = "NTFS", .local_fixed = true, .free_bytes = UINT64_C(1) << 40};
    const char *guid = path[0] == 'C' ? "\\\\?\\Volume{c}\\" : "\\\\?\\Volume{d}\\";
    memcpy(out->guid_path, guid, strlen(guid) + 1);
    return CS_OK;
}

/* Everything here belongs to Administrators; the rules themselves have tests of their own. */
static cs_status fs_security(void *ctx, const char *path, cs_security *out, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "security", path, &after);
    *out = (cs_security){.owner = "S-1-5-32-544"};
    return code ? fail(error, code, "security", path) : CS_OK;
}

static cs_status fs_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "real path", path, &after);
    if (code) return fail(error, code, "real path", path);
    crash_machine *machine = ctx;
    if (path[0] == '\\' || !machine->now.at[crash_path(path)].file) return fail(error, 2, "real path", path);
    cs_buffer_clear(out);
    cs_buffer_text(out, path);
    return cs_buffer_check(out, error);
}

void crash_fs_init(crash_machine *machine) {
    machine->fs = (cs_fs){
        .ctx = machine,
        .separator = '\\',
        .open = fs_open,
        .close = fs_close,
        .read = fs_read,
        .write = fs_write,
        .set_size = fs_set_size,
        .flush = fs_flush,
        .info = fs_info,
        .rename = fs_rename,
        .remove = fs_remove,
        .set_info = fs_set_info,
        .inherit_security = fs_inherit_security,
        .stat = fs_stat,
        .make_folder = fs_make_folder,
        .remove_folder = fs_remove_folder,
        .list = fs_list,
        .sync_folder = fs_sync_folder,
        .volume = fs_volume,
        .security = fs_security,
        .real_path = fs_real_path,
    };
}
