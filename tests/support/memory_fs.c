/* The memory host's files as the seam sees them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "memory_internal.h"

/* Windows: a new opener's access must be shared by all present ones, and the other way round. */
bool memory_may(memory_host *host, const memory_node *node, unsigned access, unsigned share) {
    for (const cs_file *file = host->open_files; file; file = file->next)
        if (file->node == node && ((access & ~file->share) || (file->access & ~share))) return false;
    return true;
}

cs_file *memory_open_node(memory_host *host, memory_node *node, unsigned access, unsigned share) {
    cs_file *file = memory_alloc(sizeof *file);
    *file = (cs_file){.host = host, .node = node, .access = access, .share = share, .next = host->open_files};
    host->open_files = file;
    return file;
}

typedef struct mode_row {
    unsigned access, share;
    bool create, must_create;
} mode_row;

static const mode_row modes[] = {
    [CS_OPEN_READ] = {MEMORY_READ, MEMORY_READ, false, false},
    [CS_OPEN_WATCH] = {MEMORY_READ, MEMORY_READ | MEMORY_WRITE | MEMORY_DELETE, false, false},
    [CS_OPEN_MOVE] = {MEMORY_READ | MEMORY_DELETE, MEMORY_READ, false, false},
    [CS_OPEN_CREATE] = {MEMORY_READ | MEMORY_WRITE | MEMORY_DELETE, MEMORY_READ, true, true},
    [CS_OPEN_UPDATE] = {MEMORY_READ | MEMORY_WRITE, MEMORY_READ | MEMORY_WRITE, true, false},
    [CS_OPEN_LOCK] = {MEMORY_READ | MEMORY_WRITE, 0, true, false},
    [CS_OPEN_APPEND] = {MEMORY_WRITE, MEMORY_READ, true, false},
    [CS_OPEN_FOLDER] = {MEMORY_READ, MEMORY_READ | MEMORY_WRITE, false, false},
};

static memory_node *find_parent(memory_host *host, const char *path) {
    cs_buffer parent = {0};
    char text[MEMORY_PATH];
    size_t size = strlen(path);
    while (size && path[size - 1] != '\\') size--;
    snprintf(text, sizeof text, "%.*s", (int)size, path);
    cs_buffer_free(&parent);
    memory_node *node = memory_node_find(host, text, true);
    return node && node->info.kind == CS_FILE_FOLDER ? node : NULL;
}

/* 0, or the Win32 code that opening gives. */
static uint32_t open_code(memory_host *host, const char *path, cs_open_mode mode, cs_file **out) {
    const mode_row *row = &modes[mode];
    memory_node *node = memory_node_find(host, path, false);
    if (!node) {
        memory_node *parent = find_parent(host, path);
        if (!parent) return 3;
        if (!row->create) return 2;
        if (host->full) return 112;
        node = memory_node_add(host, parent, cs_path_name(path), CS_FILE_REGULAR);
    } else {
        if (row->must_create) return 80;
        if (node->delete_pending) return 5;
        bool folder = node->info.kind == CS_FILE_FOLDER;
        if (folder != (mode == CS_OPEN_FOLDER) && node->info.kind != CS_FILE_REPARSE) return folder ? 5 : 267;
        if ((row->access & MEMORY_WRITE) && (node->info.attributes & 1)) return 5;
    }
    if (!memory_may(host, node, row->access, row->share)) return 32;
    if (node->mapped && (row->access & MEMORY_WRITE)) return 32;
    *out = memory_open_node(host, node, row->access, row->share);
    (*out)->append = mode == CS_OPEN_APPEND;
    return 0;
}

static const char *mode_text(cs_open_mode mode) {
    static const char *const texts[] = {"open read",   "open watch", "open move",   "create",
                                        "open update", "open lock",  "open append", "open folder"};
    return texts[mode];
}

static void close_file(cs_file *file) {
    memory_host *host = file->host;
    for (cs_file **at = &host->open_files; *at; at = &(*at)->next) {
        if (*at != file) continue;
        *at = file->next;
        break;
    }
    memory_node *node = file->node;
    free(file);
    for (cs_file *other = host->open_files; other; other = other->next)
        if (other->node == node) return;
    if (!node->delete_pending) return;
    memory_node_detach(node);
    memory_node_free(node);
}

static cs_status fs_open(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    bool after;
    bool changing = modes[mode].create && !memory_node_find(ctx, path, false);
    uint32_t fault = memory_step(ctx, changing && mode != CS_OPEN_CREATE ? "create" : mode_text(mode), path, changing, &after);
    if (fault && !after) return cs_fail_win32(error, fault, "open", path);
    uint32_t code = open_code(ctx, path, mode, out);
    if (code) return cs_fail_win32(error, code, "open", path);
    if (!fault) return CS_OK;
    close_file(*out);
    *out = NULL;
    return cs_fail_win32(error, fault, "open", path);
}

/* Closing is the one call that a killed program's system still does for it: never counted. */
static void fs_close(void *ctx, cs_file *file) {
    (void)ctx;
    if (file) close_file(file);
}

static uint32_t file_step(cs_file *file, const char *operation, bool changing, bool *after, char path[MEMORY_PATH]) {
    memory_node_path(file->host, file->node, path);
    return memory_step(file->host, operation, path, changing, after);
}

static cs_status fs_read(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "read", false, &after, path);
    if (fault) return cs_fail_win32(error, fault, "read", path);
    uint64_t left = offset < file->node->info.size ? file->node->info.size - offset : 0;
    *got = size < left ? size : (size_t)left;
    if (*got) memcpy(bytes, file->node->data + offset, *got);
    return CS_OK;
}

static uint32_t resize(memory_host *host, memory_node *node, uint64_t size) {
    if (size > node->info.size && host->full) return 112;
    if (size > SIZE_MAX / 4) return 112;
    uint8_t *data = realloc(node->data, (size_t)size + 1);
    if (!data) abort();
    if (size > node->info.size) memset(data + node->info.size, 0, (size_t)(size - node->info.size));
    data[size] = 0;
    node->data = data;
    node->info.size = size;
    return 0;
}

static uint32_t write_code(cs_file *file, uint64_t offset, const void *bytes, size_t size) {
    memory_node *node = file->node;
    if (!(file->access & MEMORY_WRITE)) return 5;
    if (file->append) offset = node->info.size;
    if (offset + size > node->info.size) {
        uint32_t code = resize(file->host, node, offset + size);
        if (code) return code;
    }
    if (size) memcpy(node->data + offset, bytes, size);
    node->info.written = file->host->system.now;
    return 0;
}

static cs_status fs_write(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "write", true, &after, path);
    uint32_t code = fault && !after ? fault : write_code(file, offset, bytes, size);
    if (!code) code = fault;
    return code ? cs_fail_win32(error, code, "write", path) : CS_OK;
}

static cs_status fs_set_size(void *ctx, cs_file *file, uint64_t size, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "set size", true, &after, path);
    uint32_t code = fault;
    if (!fault || after) {
        code = file->access & MEMORY_WRITE ? resize(file->host, file->node, size) : 5;
        if (!code) code = fault;
    }
    return code ? cs_fail_win32(error, code, "set size", path) : CS_OK;
}

static cs_status fs_flush(void *ctx, cs_file *file, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t code = file_step(file, "flush", true, &after, path);
    if (!code && !(file->access & MEMORY_WRITE)) code = 5; /* FlushFileBuffers needs write access */
    return code ? cs_fail_win32(error, code, "flush", path) : CS_OK;
}

static cs_status fs_info(void *ctx, cs_file *file, cs_file_info *out, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t code = file_step(file, "info", false, &after, path);
    if (code) return cs_fail_win32(error, code, "info", path);
    *out = file->node->info;
    return CS_OK;
}

/* FileRenameInfo opens the new name's folder for writing: a handle that does not share that forbids it. */
static uint32_t rename_code(cs_file *file, const char *new_path, bool replace) {
    memory_host *host = file->host;
    memory_node *parent = find_parent(host, new_path);
    if (!(file->access & MEMORY_DELETE)) return 5;
    if (!parent) return 3;
    if (parent->info.id.volume != file->node->info.id.volume) return 17;
    if (!memory_may(host, parent, MEMORY_WRITE, MEMORY_READ | MEMORY_WRITE | MEMORY_DELETE)) return 32;
    memory_node *other = memory_node_find(host, new_path, false);
    if (other && other != file->node) {
        if (!replace) return 183;
        if (other->info.kind == CS_FILE_FOLDER || other->info.attributes & 1 || other->mapped || other->delete_pending) return 5;
        for (const cs_file *open = host->open_files; open; open = open->next)
            if (open->node == other) return 5;
        memory_node_detach(other);
        memory_node_free(other);
    }
    char name[MEMORY_PATH];
    snprintf(name, sizeof name, "%s", cs_path_name(new_path));
    memory_node *node = file->node;
    memory_node_detach(node);
    free(node->name);
    node->name = memory_copy_text(name);
    memory_node **children = realloc(parent->children, (parent->child_count + 1) * sizeof(memory_node *));
    if (!children) abort();
    parent->children = children;
    children[parent->child_count++] = node;
    node->parent = parent;
    return 0;
}

static cs_status fs_rename(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error) {
    memory_host *host = ctx;
    char path[MEMORY_PATH], both[2 * MEMORY_PATH + 8];
    bool after;
    memory_node_path(host, file->node, path);
    snprintf(both, sizeof both, "%s -> %s", path, new_path);
    uint32_t fault = memory_step(host, "rename", both, true, &after);
    uint32_t code = fault && !after ? fault : rename_code(file, new_path, replace);
    if (!code) code = fault;
    return code ? cs_fail_win32(error, code, "rename", path) : CS_OK;
}

static cs_status fs_remove(void *ctx, cs_file *file, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "remove", true, &after, path);
    uint32_t code = fault;
    if (!fault || after) {
        memory_node *node = file->node;
        if (!(file->access & MEMORY_DELETE) || (node->info.attributes & 1) || node->mapped) {
            if (!fault) memory_untrace(file->host);
            return cs_fail_win32(error, 5, "remove", path);
        }
        node->delete_pending = true;
    }
    return code ? cs_fail_win32(error, code, "remove", path) : CS_OK;
}

static cs_status fs_set_info(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "set info", true, &after, path);
    if (fault && !after) return cs_fail_win32(error, fault, "set info", path);
    if (!(file->access & MEMORY_DELETE)) return cs_fail_win32(error, 5, "set info", path);
    file->node->info.attributes = info->attributes;
    file->node->info.created = info->created;
    file->node->info.accessed = info->accessed;
    file->node->info.written = info->written;
    return fault ? cs_fail_win32(error, fault, "set info", path) : CS_OK;
}

static cs_status fs_inherit_security(void *ctx, cs_file *file, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)ctx;
    uint32_t fault = file_step(file, "inherit", true, &after, path);
    if (fault && !after) return cs_fail_win32(error, fault, "inherit security", path);
    if (file->node->parent) {
        free(file->node->sddl);
        file->node->sddl = memory_copy_text(file->node->parent->sddl);
    }
    return fault ? cs_fail_win32(error, fault, "inherit security", path) : CS_OK;
}

static cs_status fs_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "stat", path, false, &after);
    if (code) return cs_fail_win32(error, code, "stat", path);
    memory_node *node = memory_node_find(ctx, path, false);
    if (!node) return cs_fail_win32(error, find_parent(ctx, path) ? 2 : 3, "stat", path);
    if (node->delete_pending) return cs_fail_win32(error, 5, "stat", path);
    *out = node->info;
    return CS_OK;
}

static cs_status fs_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t fault = memory_step(host, "make folder", path, true, &after);
    if (fault && !after) return cs_fail_win32(error, fault, "make folder", path);
    memory_node *parent = find_parent(host, path);
    uint32_t code = !parent ? 3 : memory_node_find(host, path, false) ? 183 : host->full ? 112 : 0;
    if (code) {
        if (!fault) memory_untrace(host);
        return cs_fail_win32(error, code, "make folder", path);
    }
    memory_node *node = memory_node_add(host, parent, cs_path_name(path), CS_FILE_FOLDER);
    if (security == CS_FOLDER_STATE) {
        free(node->sddl);
        node->sddl = memory_copy_text("O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
    }
    return fault ? cs_fail_win32(error, fault, "make folder", path) : CS_OK;
}

static cs_status fs_remove_folder(void *ctx, const char *path, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t fault = memory_step(host, "remove folder", path, true, &after);
    if (fault && !after) return cs_fail_win32(error, fault, "remove folder", path);
    memory_node *node = memory_node_find(host, path, false);
    uint32_t code = !node                                                                                ? 2
                    : node->info.kind != CS_FILE_FOLDER                                                  ? 267
                    : node->child_count                                                                  ? 145
                    : !memory_may(host, node, MEMORY_DELETE, MEMORY_READ | MEMORY_WRITE | MEMORY_DELETE) ? 32
                                                                                                         : 0;
    if (code) {
        if (!fault) memory_untrace(host);
        return cs_fail_win32(error, code, "remove folder", path);
    }
    memory_node_detach(node);
    memory_node_free(node);
    return fault ? cs_fail_win32(error, fault, "remove folder", path) : CS_OK;
}

typedef struct listed {
    char *name;
    cs_file_info info;
} listed;

static int compare_listed(const void *a, const void *b) { return strcmp(((const listed *)a)->name, ((const listed *)b)->name); }

static cs_status fs_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "list", path, false, &after);
    memory_node *node = memory_node_find(ctx, path, false);
    if (!code && !node) code = 3;
    if (!code && node->info.kind != CS_FILE_FOLDER) code = 267;
    if (code) return cs_fail_win32(error, code, "list", path);
    /* A copy, because the caller may change the folder while it is told. */
    size_t count = node->child_count;
    listed *items = memory_alloc(count * sizeof *items);
    for (size_t i = 0; i < count; i++) items[i] = (listed){memory_copy_text(node->children[i]->name), node->children[i]->info};
    qsort(items, count, sizeof *items, compare_listed);
    cs_status status = CS_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == CS_OK) status = entry(entry_ctx, items[i].name, &items[i].info);
        free(items[i].name);
    }
    free(items);
    return status == CS_OK ? CS_OK : cs_fail(error, status, "list", path, NULL);
}

static cs_status fs_sync_folder(void *ctx, const char *path, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "sync folder", path, true, &after);
    memory_node *node = memory_node_find(ctx, path, false);
    if (!code && (!node || node->info.kind != CS_FILE_FOLDER)) code = 3;
    return code ? cs_fail_win32(error, code, "sync folder", path) : CS_OK;
}

static cs_status fs_volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "volume", path, false, &after);
    memory_volume *volume = memory_volume_of(ctx, path);
    if (!code && !volume) code = 3;
    if (code) return cs_fail_win32(error, code, "volume", path);
    *out = volume->volume;
    return CS_OK;
}

static cs_status fs_security(void *ctx, const char *path, cs_security *out, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "security", path, false, &after);
    memory_node *node = memory_node_find(ctx, path, false);
    if (!code && !node) code = 2;
    if (code) return cs_fail_win32(error, code, "security", path);
    return cs_security_from_sddl(node->sddl, out, error);
}

static cs_status fs_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    bool after;
    uint32_t code = memory_step(ctx, "real path", path, false, &after);
    if (code) return cs_fail_win32(error, code, "real path", path);
    if (path[0] == '\\') return cs_fail(error, CS_E_UNSUPPORTED, "real path", path, NULL);
    memory_node *node = memory_node_find(ctx, path, true);
    if (!node) return cs_fail_win32(error, 2, "real path", path);
    char real[MEMORY_PATH];
    memory_node_path(ctx, node, real);
    cs_buffer_clear(out);
    cs_buffer_text(out, real);
    return cs_buffer_check(out, error);
}

void memory_fs_init(memory_host *host) {
    host->fs = (cs_fs){
        .ctx = host,
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
