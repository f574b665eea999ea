/* The tree of names behind the memory host's files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "memory_internal.h"

static const char default_sddl[] = "O:BAG:SYD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";

memory_volume *memory_volume_of(memory_host *host, const char *path) {
    for (size_t i = 0; i < host->volume_count; i++) {
        const char *drive = host->volumes[i].drive;
        if (host->volumes[i].unplugged) continue;
        if (strlen(path) >= 2 && path[1] == ':' && (path[0] | 0x20) == (drive[0] | 0x20)) return &host->volumes[i];
    }
    return NULL;
}

static memory_node *find_child(const memory_node *folder, const char *name) {
    for (size_t i = 0; i < folder->child_count; i++) {
        memory_node *child = folder->children[i];
        if (cs_text_equal_ascii_case(child->name, name)) return child;
        if (child->short_name && cs_text_equal_ascii_case(child->short_name, name)) return child;
    }
    return NULL;
}

static memory_node *find(memory_host *host, const char *path, bool follow_last, unsigned depth) {
    memory_volume *volume = memory_volume_of(host, path);
    if (!volume || depth > 8) return NULL;
    memory_node *node = volume->root;
    const char *p = path + 2;
    while (*p) {
        p += strspn(p, "\\/");
        size_t size = strcspn(p, "\\/");
        if (!size) break;
        char name[MEMORY_PATH];
        snprintf(name, sizeof name, "%.*s", (int)size, p);
        p += size;
        node = node->info.kind == CS_FILE_FOLDER ? find_child(node, name) : NULL;
        if (!node) return NULL;
        if (node->link && (*p || follow_last)) node = find(host, node->link, true, depth + 1);
        if (!node) return NULL;
    }
    return node;
}

memory_node *memory_node_find(memory_host *host, const char *path, bool follow_last) { return find(host, path, follow_last, 0); }

void memory_node_path(const memory_host *host, const memory_node *node, char out[MEMORY_PATH]) {
    if (node->parent) {
        char folder[MEMORY_PATH];
        memory_node_path(host, node->parent, folder);
        size_t size = strlen(folder);
        bool separator = size && folder[size - 1] == '\\';
        if (size + strlen(node->name) + 2 > MEMORY_PATH) abort();
        memcpy(out, folder, size);
        if (!separator) out[size++] = '\\';
        memcpy(out + size, node->name, strlen(node->name) + 1);
        return;
    }
    snprintf(out, MEMORY_PATH, "(deleted)");
    for (size_t i = 0; i < host->volume_count; i++)
        if (host->volumes[i].root == node) snprintf(out, MEMORY_PATH, "%s\\", host->volumes[i].drive);
}

static void attach(memory_node *parent, memory_node *node) {
    memory_node **children = realloc(parent->children, (parent->child_count + 1) * sizeof(memory_node *));
    if (!children) abort();
    parent->children = children;
    children[parent->child_count++] = node;
    node->parent = parent;
}

memory_node *memory_node_add(memory_host *host, memory_node *parent, const char *name, cs_file_kind kind) {
    memory_node *node = memory_alloc(sizeof *node);
    node->name = memory_copy_text(name);
    node->sddl = memory_copy_text(parent ? parent->sddl : default_sddl);
    node->data = memory_alloc(1);
    node->info.kind = kind;
    node->info.links = 1;
    node->info.attributes = kind == CS_FILE_FOLDER ? 0x10 : kind == CS_FILE_REPARSE ? 0x410 : 0x20;
    node->info.created = node->info.accessed = node->info.written = host->system.now;
    node->info.id.volume = parent ? parent->info.id.volume : 0;
    uint64_t id = host->next_id++;
    for (size_t i = 0; i < 8; i++) node->info.id.id[i] = (uint8_t)(id >> (8 * i));
    if (parent) attach(parent, node);
    return node;
}

void memory_node_detach(memory_node *node) {
    memory_node *parent = node->parent;
    if (!parent) return;
    for (size_t i = 0; i < parent->child_count; i++) {
        if (parent->children[i] != node) continue;
        parent->children[i] = parent->children[--parent->child_count];
        break;
    }
    node->parent = NULL;
}

void memory_node_free(memory_node *node) {
    for (size_t i = 0; i < node->child_count; i++) memory_node_free(node->children[i]);
    free(node->children);
    free(node->name);
    free(node->short_name);
    free(node->link);
    free(node->sddl);
    free(node->data);
    free(node);
}

static char *copy_optional(const char *text) { return text ? memory_copy_text(text) : NULL; }

static void copy_children(memory_node *to, const memory_node *from);

static memory_node *copy_node(const memory_node *from) {
    memory_node *node = memory_alloc(sizeof *node);
    node->name = memory_copy_text(from->name);
    node->short_name = copy_optional(from->short_name);
    node->link = copy_optional(from->link);
    node->sddl = memory_copy_text(from->sddl);
    node->info = from->info;
    node->data = memory_alloc((size_t)from->info.size + 1);
    memcpy(node->data, from->data, (size_t)from->info.size);
    node->mapped = from->mapped;
    copy_children(node, from);
    return node;
}

static void copy_children(memory_node *to, const memory_node *from) {
    for (size_t i = 0; i < from->child_count; i++)
        if (!from->children[i]->delete_pending) attach(to, copy_node(from->children[i]));
}

void memory_fs_clone(memory_host *to, const memory_host *from) {
    for (size_t i = 0; i < from->volume_count; i++) {
        to->volumes[i] = from->volumes[i];
        to->volumes[i].root = copy_node(from->volumes[i].root);
    }
    to->volume_count = from->volume_count;
    to->next_id = from->next_id;
    to->full = from->full;
}

void memory_fs_free(memory_host *host) {
    while (host->open_files) host->fs.close(host, host->open_files);
    for (size_t i = 0; i < host->volume_count; i++) memory_node_free(host->volumes[i].root);
    host->volume_count = 0;
}

void memory_host_volume(memory_host *host, const char *drive, const cs_volume *volume) {
    memory_volume *found = memory_volume_of(host, drive);
    if (!found) {
        if (host->volume_count == sizeof host->volumes / sizeof host->volumes[0]) abort();
        found = &host->volumes[host->volume_count++];
        snprintf(found->drive, sizeof found->drive, "%s", drive);
        found->root = memory_node_add(host, NULL, drive, CS_FILE_FOLDER);
        found->root->info.id.volume = 0x1000u * host->volume_count + (uint64_t)(unsigned char)drive[0];
    }
    found->volume = *volume;
}
