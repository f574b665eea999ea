/* memory_internal.h: what the parts of the memory host share. */
#ifndef MEMORY_INTERNAL_H
#define MEMORY_INTERNAL_H

#include "memory_host.h"

enum { MEMORY_PATH = 2048 };

typedef struct memory_node {
    char *name;
    char *short_name, *link, *sddl;
    cs_file_info info;
    uint8_t *data; /* one byte longer than info.size, and that one 0 */
    struct memory_node *parent;
    struct memory_node **children;
    size_t child_count;
    bool delete_pending, mapped;
} memory_node;

struct cs_file {
    memory_host *host;
    memory_node *node;
    unsigned access, share;
    bool append;
    cs_file *next;
};

typedef struct memory_value {
    char *name;
    uint32_t type;
    uint8_t *bytes;
    size_t size;
} memory_value;

typedef struct memory_key {
    cs_hive hive;
    char *path;
    memory_value *values;
    size_t count;
} memory_key;

typedef struct memory_volume {
    char drive[3];
    cs_volume volume;
    memory_node *root;
    bool unplugged;
} memory_volume;

typedef struct memory_resource {
    char *name;
    void *bytes;
    size_t size;
} memory_resource;

typedef struct memory_fault {
    unsigned long at; /* 0: none */
    memory_when when;
    memory_span span;
    uint32_t code;
    bool struck;
    char operation[32];
    char path[MEMORY_PATH]; /* of the call it struck, or the suffix */
    bool by_suffix;
} memory_fault;

struct memory_host {
    cs_fs fs;
    cs_registry registry;
    cs_system system_calls;
    cs_host seam;

    memory_volume volumes[4];
    size_t volume_count;
    uint64_t next_id;
    cs_file *open_files;
    bool full;

    memory_key *keys;
    size_t key_count;
    cs_buffer reg_text;

    memory_system system;
    memory_resource *resources;
    size_t resource_count;
    uint64_t random;

    unsigned long calls;
    memory_fault fault;
    memory_hook hook;
    void *hook_ctx;
    bool tracing;
    char *trace;
    size_t trace_size, trace_last; /* trace_last: where the last line starts */
};

/* One call of the seam begins. A code other than 0: fail with it, and do the work first if *after. changing: worth a trace. */
uint32_t memory_step(memory_host *host, const char *operation, const char *path, bool changing, bool *after);

/* The call that memory_step just traced changed nothing after all. */
void memory_untrace(memory_host *host);

void *memory_alloc(size_t size); /* zeroed; ends the test program when memory is short */
char *memory_copy_text(const char *text);

void memory_fs_init(memory_host *host);
void memory_fs_free(memory_host *host);
void memory_fs_clone(memory_host *to, const memory_host *from);
memory_node *memory_node_find(memory_host *host, const char *path, bool follow_last);
void memory_node_path(const memory_host *host, const memory_node *node, char out[MEMORY_PATH]);
memory_node *memory_node_add(memory_host *host, memory_node *parent, const char *name, cs_file_kind kind);
void memory_node_detach(memory_node *node);
void memory_node_free(memory_node *node);
memory_volume *memory_volume_of(memory_host *host, const char *path);
cs_file *memory_open_node(memory_host *host, memory_node *node, unsigned access, unsigned share);
enum { MEMORY_READ = 1, MEMORY_WRITE = 2, MEMORY_DELETE = 4 };
bool memory_may(memory_host *host, const memory_node *node, unsigned access, unsigned share);

void memory_registry_init(memory_host *host);
void memory_registry_free(memory_host *host);
void memory_registry_clone(memory_host *to, const memory_host *from);
void memory_system_init(memory_host *host);

#endif
