/* What another program or a person does to the memory host's files, and what tests read from them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "memory_internal.h"

static memory_node *must_find(memory_host *host, const char *path) {
    memory_node *node = memory_node_find(host, path, false);
    if (!node) {
        fprintf(stderr, "memory host: no %s\n", path);
        abort();
    }
    return node;
}

static memory_node *make_folders(memory_host *host, const char *path, size_t size) {
    char text[MEMORY_PATH];
    snprintf(text, sizeof text, "%.*s", (int)size, path);
    while (size && text[size - 1] == '\\') text[--size] = '\0';
    memory_node *node = memory_node_find(host, text, true);
    if (node) return node;
    const char *name = cs_path_name(text);
    if (name == text) {
        fprintf(stderr, "memory host: no volume for %s\n", path);
        abort();
    }
    memory_node *parent = make_folders(host, text, (size_t)(name - text));
    return memory_node_add(host, parent, name, CS_FILE_FOLDER);
}

void memory_host_folder(memory_host *host, const char *path) { make_folders(host, path, strlen(path)); }

bool memory_host_file(memory_host *host, const char *path, const void *bytes, size_t size) {
    if (memory_node_find(host, path, false) && !memory_host_delete(host, path)) return false;
    const char *name = cs_path_name(path);
    memory_node *parent = make_folders(host, path, (size_t)(name - path));
    memory_node *node = memory_node_add(host, parent, name, CS_FILE_REGULAR);
    free(node->data);
    node->data = memory_alloc(size + 1);
    if (size) memcpy(node->data, bytes, size);
    node->info.size = size;
    return true;
}

bool memory_host_text(memory_host *host, const char *path, const char *text) {
    return memory_host_file(host, path, text, strlen(text));
}

const char *memory_host_content(memory_host *host, const char *path) {
    memory_node *node = memory_node_find(host, path, true);
    return node && node->info.kind == CS_FILE_REGULAR ? (const char *)node->data : NULL;
}

bool memory_host_exists(memory_host *host, const char *path) { return memory_node_find(host, path, false) != NULL; }

bool memory_host_info(memory_host *host, const char *path, cs_file_info *out) {
    memory_node *node = memory_node_find(host, path, false);
    if (node) *out = node->info;
    return node != NULL;
}

bool memory_host_set_info(memory_host *host, const char *path, uint32_t attributes, int64_t created, int64_t written) {
    memory_node *node = memory_node_find(host, path, false);
    if (!node) return false;
    node->info.attributes = attributes;
    node->info.created = created;
    node->info.written = written;
    return true;
}

void memory_host_flip(memory_host *host, const char *path, size_t offset) {
    memory_node *node = must_find(host, path);
    if (offset >= node->info.size) abort();
    node->data[offset] ^= 1;
}

static bool held(const memory_host *host, const memory_node *node) {
    for (const cs_file *file = host->open_files; file; file = file->next)
        if (file->node == node) return true;
    for (size_t i = 0; i < node->child_count; i++)
        if (held(host, node->children[i])) return true;
    return node->mapped;
}

bool memory_host_delete(memory_host *host, const char *path) {
    memory_node *node = memory_node_find(host, path, false);
    if (!node || held(host, node)) return false;
    memory_node_detach(node);
    memory_node_free(node);
    return true;
}

bool memory_host_move(memory_host *host, const char *path, const char *target) {
    memory_node *node = memory_node_find(host, path, false);
    if (!node || memory_node_find(host, target, false)) return false;
    unsigned share = MEMORY_READ | MEMORY_WRITE | MEMORY_DELETE;
    if (!memory_may(host, node, MEMORY_DELETE, share)) return false;
    if (node->info.kind == CS_FILE_FOLDER && held(host, node)) return false;
    const char *name = cs_path_name(target);
    memory_node *parent = make_folders(host, target, (size_t)(name - target));
    memory_node **children = realloc(parent->children, (parent->child_count + 1) * sizeof(memory_node *));
    if (!children) abort();
    parent->children = children;
    memory_node_detach(node);
    free(node->name);
    node->name = memory_copy_text(name);
    children[parent->child_count++] = node;
    node->parent = parent;
    return true;
}

void memory_host_link(memory_host *host, const char *path, const char *target) {
    const char *name = cs_path_name(path);
    memory_node *parent = make_folders(host, path, (size_t)(name - path));
    memory_node *node = memory_node_add(host, parent, name, CS_FILE_REPARSE);
    node->link = memory_copy_text(target);
}

void memory_host_short_name(memory_host *host, const char *path, const char *name) {
    memory_node *node = must_find(host, path);
    free(node->short_name);
    node->short_name = memory_copy_text(name);
}

void memory_host_security(memory_host *host, const char *path, const char *sddl) {
    memory_node *node = must_find(host, path);
    free(node->sddl);
    node->sddl = memory_copy_text(sddl);
}

void memory_host_map(memory_host *host, const char *path, bool mapped) { must_find(host, path)->mapped = mapped; }

cs_file *memory_host_hold(memory_host *host, const char *path, cs_open_mode mode) {
    memory_fault fault = host->fault;
    memory_hook hook = host->hook;
    unsigned long calls = host->calls;
    bool tracing = host->tracing;
    host->fault = (memory_fault){0};
    host->hook = NULL;
    host->tracing = false;
    cs_file *file = NULL;
    if (host->fs.open(host, path, mode, &file, NULL) != CS_OK) file = NULL;
    host->fault = fault;
    host->hook = hook;
    host->calls = calls;
    host->tracing = tracing;
    return file;
}

void memory_host_unplug(memory_host *host, const char *drive, bool unplugged) {
    for (size_t i = 0; i < host->volume_count; i++)
        if (strcmp(host->volumes[i].drive, drive) == 0) host->volumes[i].unplugged = unplugged;
}

void memory_host_full(memory_host *host, bool full) { host->full = full; }

/* ---- dump ---- */

typedef struct text_out {
    char *text;
    size_t size;
} text_out;

static void put(text_out *out, const char *text, size_t size) {
    char *more = realloc(out->text, out->size + size + 1);
    if (!more) abort();
    out->text = more;
    memcpy(more + out->size, text, size);
    out->size += size;
    more[out->size] = '\0';
}

static int compare_nodes(const void *a, const void *b) {
    return strcmp((*(memory_node *const *)a)->name, (*(memory_node *const *)b)->name);
}

static void dump(text_out *out, const memory_node *folder, const char *prefix) {
    memory_node **children = memory_alloc(folder->child_count * sizeof(memory_node *));
    if (folder->child_count) memcpy(children, folder->children, folder->child_count * sizeof(memory_node *));
    if (folder->child_count) qsort(children, folder->child_count, sizeof(memory_node *), compare_nodes);
    for (size_t i = 0; i < folder->child_count; i++) {
        const memory_node *node = children[i];
        char path[MEMORY_PATH], line[MEMORY_PATH + 128];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "\\" : "", node->name);
        if (node->info.kind == CS_FILE_FOLDER) {
            snprintf(line, sizeof line, "%s\\\n", path);
            put(out, line, strlen(line));
            dump(out, node, path);
            continue;
        }
        snprintf(line, sizeof line, "%s a=%x c=%lld w=%lld n=%llu ", path, (unsigned)node->info.attributes,
                 (long long)node->info.created, (long long)node->info.written, (unsigned long long)node->info.size);
        put(out, line, strlen(line));
        put(out, (const char *)node->data, (size_t)node->info.size);
        put(out, "\n", 1);
    }
    free(children);
}

char *memory_host_dump(memory_host *host, const char *path) {
    text_out out = {0};
    put(&out, "", 0);
    memory_node *node = memory_node_find(host, path, false);
    if (node) dump(&out, node, "");
    return out.text;
}
