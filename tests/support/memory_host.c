#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "memory_internal.h"

void *memory_alloc(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory) abort();
    return memory;
}

char *memory_copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(memory_alloc(size), text, size);
}

/* ---- counting, tracing, failing ---- */

static void trace(memory_host *host, const char *operation, const char *path) {
    size_t more = strlen(operation) + strlen(path) + 2;
    char *text = realloc(host->trace, host->trace_size + more + 1);
    if (!text) abort();
    host->trace = text;
    host->trace_last = host->trace_size;
    snprintf(text + host->trace_size, more + 1, "%s %s\n", operation, path);
    host->trace_size += more;
}

void memory_untrace(memory_host *host) {
    if (!host->tracing || host->trace_size == host->trace_last) return;
    host->trace_size = host->trace_last;
    host->trace[host->trace_size] = '\0';
}

static bool strikes(memory_host *host, const char *operation, const char *path) {
    memory_fault *fault = &host->fault;
    if (fault->by_suffix) {
        return strcmp(operation, fault->operation) == 0 && cs_text_ends_with_ascii_case(path, fault->path);
    }
    if (!fault->at) return false;
    if (host->calls == fault->at) {
        snprintf(fault->operation, sizeof fault->operation, "%s", operation);
        snprintf(fault->path, sizeof fault->path, "%s", path);
        return true;
    }
    if (host->calls < fault->at || fault->span == MEMORY_ONCE) return false;
    if (fault->span == MEMORY_KILL) return true;
    return strcmp(operation, fault->operation) == 0 && strcmp(path, fault->path) == 0;
}

uint32_t memory_step(memory_host *host, const char *operation, const char *path, bool changing, bool *after) {
    host->calls++;
    *after = false;
    if (host->hook) host->hook(host->hook_ctx, host, operation, path);
    bool strike = strikes(host, operation, path);
    if (strike) {
        host->fault.struck = true;
        /* A killed program does nothing more: only the first call of the kill may be done. */
        bool later = host->fault.span == MEMORY_KILL && host->calls != host->fault.at;
        *after = host->fault.when == MEMORY_AFTER && !later;
    }
    if (host->tracing && changing && (!strike || *after)) trace(host, operation, path);
    return strike ? host->fault.code : 0;
}

unsigned long memory_host_calls(const memory_host *host) { return host->calls; }

void memory_host_fail_at(memory_host *host, unsigned long n, memory_when when, memory_span span, uint32_t code) {
    host->fault = (memory_fault){.at = host->calls + n, .when = when, .span = span, .code = code};
}

void memory_host_fail_on(memory_host *host, const char *operation, const char *suffix, memory_when when, uint32_t code) {
    host->fault = (memory_fault){.when = when, .span = MEMORY_FOR_GOOD, .code = code, .by_suffix = true};
    snprintf(host->fault.operation, sizeof host->fault.operation, "%s", operation);
    snprintf(host->fault.path, sizeof host->fault.path, "%s", suffix);
}

bool memory_host_failed(const memory_host *host) { return host->fault.struck; }

void memory_host_hook(memory_host *host, memory_hook hook, void *ctx) {
    host->hook = hook;
    host->hook_ctx = ctx;
}

void memory_host_trace(memory_host *host, bool on) {
    host->tracing = on;
    host->trace_size = host->trace_last = 0;
    if (host->trace) host->trace[0] = '\0';
}

const char *memory_host_trace_text(const memory_host *host) { return host->trace ? host->trace : ""; }

size_t memory_host_restart(memory_host *host) {
    host->fault = (memory_fault){0};
    host->hook = NULL;
    host->calls = 0;
    return memory_host_open_files(host);
}

size_t memory_host_open_files(const memory_host *host) {
    size_t count = 0;
    for (const cs_file *file = host->open_files; file; file = file->next) count++;
    return count;
}

/* ---- the machine ---- */

static memory_host *new_machine(void) {
    memory_host *host = memory_alloc(sizeof *host);
    host->next_id = 1;
    memory_fs_init(host);
    memory_registry_init(host);
    memory_system_init(host);
    host->seam = (cs_host){.fs = &host->fs, .registry = &host->registry, .system = &host->system_calls};
    return host;
}

memory_host *memory_host_new(void) {
    memory_host *host = new_machine();
    cs_volume c = {.guid_path = "\\\\?\\Volume{00000000-0000-0000-0000-00000000000c}\\",
                   .filesystem = "NTFS",
                   .local_fixed = true,
                   .free_bytes = UINT64_C(1) << 40};
    memory_host_volume(host, "C:", &c);
    memory_host_folder(host, "C:\\Program Files");
    memory_host_folder(host, "C:\\Windows\\System32");
    memory_host_folder(host, "C:\\Users\\user\\AppData\\Local");
    memory_host_folder(host, "C:\\Users\\user\\Downloads");
    memory_host_reg_text(host, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ,
                         "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools");
    return host;
}

memory_host *memory_host_clone(const memory_host *from) {
    memory_host *host = new_machine();
    memory_fs_clone(host, from);
    memory_registry_clone(host, from);
    host->system = from->system;
    host->system.restart_deletes = (cs_strings){0};
    host->system.holders = (cs_holders){0};
    for (size_t i = 0; i < from->system.restart_deletes.count; i++)
        if (cs_strings_add(&host->system.restart_deletes, from->system.restart_deletes.items[i], NULL) != CS_OK) abort();
    for (size_t i = 0; i < from->resource_count; i++)
        memory_host_resource(host, from->resources[i].name, from->resources[i].bytes, from->resources[i].size);
    host->random = from->random;
    return host;
}

static void free_holders(cs_holders *holders) {
    for (size_t i = 0; i < holders->count; i++) {
        cs_free(holders->items[i].name);
        cs_free(holders->items[i].module);
    }
    cs_free(holders->items);
}

void memory_host_free(memory_host *host) {
    if (!host) return;
    memory_fs_free(host);
    memory_registry_free(host);
    cs_strings_free(&host->system.restart_deletes);
    free_holders(&host->system.holders);
    for (size_t i = 0; i < host->resource_count; i++) {
        free(host->resources[i].name);
        free(host->resources[i].bytes);
    }
    free(host->resources);
    free(host->trace);
    free(host);
}

const cs_host *memory_host_seam(memory_host *host) { return &host->seam; }
void memory_host_events(memory_host *host, const cs_events *events) { host->seam.events = events; }
memory_system *memory_host_system(memory_host *host) { return &host->system; }
