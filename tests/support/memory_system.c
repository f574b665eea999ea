#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "memory_internal.h"

void memory_host_resource(memory_host *host, const char *name, const void *bytes, size_t size) {
    memory_resource *items = realloc(host->resources, (host->resource_count + 1) * sizeof *items);
    if (!items) abort();
    host->resources = items;
    items[host->resource_count] = (memory_resource){memory_copy_text(name), memory_alloc(size), size};
    memcpy(items[host->resource_count++].bytes, bytes, size);
}

/* A call that gives a text. */
static cs_status give_text(memory_host *host, const char *operation, const char *text, cs_buffer *out, cs_error *error) {
    bool after;
    uint32_t code = memory_step(host, operation, text, false, &after);
    if (code) return cs_fail_win32(error, code, operation, text);
    cs_buffer_clear(out);
    cs_buffer_text(out, text);
    return cs_buffer_check(out, error);
}

static cs_status system_folder(void *ctx, cs_folder which, cs_buffer *out, cs_error *error) {
    static const char *const folders[] = {"C:\\Program Files", "C:\\Users\\user\\AppData\\Local", "C:\\Users\\user\\Downloads",
                                          "C:\\Windows\\System32", "C:\\Windows"};
    return give_text(ctx, "known folder", folders[which], out, error);
}

static int64_t system_now(void *ctx) { return ((memory_host *)ctx)->system.now; }
static uint64_t system_ticks(void *ctx) { return (uint64_t)((memory_host *)ctx)->system.now / 10000; }

static void system_sleep(void *ctx, uint32_t milliseconds) {
    memory_host *host = ctx;
    host->system.slept_ms += milliseconds;
    if (!host->system.frozen) host->system.now += (int64_t)milliseconds * 10000;
}

static cs_status system_random(void *ctx, void *bytes, size_t size, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "random", "", false, &after);
    if (code) return cs_fail_win32(error, code, "random", NULL);
    uint8_t *out = bytes;
    for (size_t i = 0; i < size; i++) {
        host->random = host->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        out[i] = (uint8_t)(host->random >> 56);
    }
    return CS_OK;
}

static uint32_t system_process_id(void *ctx) {
    (void)ctx;
    return 4242;
}

static unsigned system_processors(void *ctx) {
    (void)ctx;
    return 4;
}

static bool system_local_offset(void *ctx, int64_t filetime, int32_t *minutes) {
    (void)filetime;
    *minutes = ((memory_host *)ctx)->system.local_minutes;
    return true;
}

static cs_account system_account(void *ctx) { return ((memory_host *)ctx)->system.account; }

static cs_status system_own_variable(void *ctx, const char *name, cs_buffer *out, cs_error *error) {
    const memory_system *system = &((memory_host *)ctx)->system;
    const char *path = cs_text_equal_ascii_case(name, "PATH")          ? system->own_path
                       : cs_text_equal_ascii_case(name, "VIRTUAL_ENV") ? system->own_virtual_env
                                                                       : NULL;
    if (!path) return cs_fail(error, CS_E_NOT_FOUND, "own environment", name, NULL);
    cs_buffer_clear(out);
    cs_buffer_text(out, path);
    return cs_buffer_check(out, error);
}

static bool system_is_administrator(void *ctx) { return ((memory_host *)ctx)->system.administrator; }
static const char *system_wine_version(void *ctx) { return ((memory_host *)ctx)->system.wine_version; }
static void system_platform(void *ctx, cs_platform *out) { *out = ((memory_host *)ctx)->system.platform; }

static cs_status system_computer_name(void *ctx, cs_buffer *out, cs_error *error) {
    return give_text(ctx, "computer name", ((memory_host *)ctx)->system.computer_name, out, error);
}

static cs_status system_program_path(void *ctx, cs_buffer *out, cs_error *error) {
    return give_text(ctx, "program path", ((memory_host *)ctx)->system.program_path, out, error);
}

void memory_host_start_program(memory_host *host, const char *path) {
    memory_system *system = &host->system;
    cs_file_info info;
    if (!memory_host_info(host, path, &info)) abort();
    if (path != system->program_path) snprintf(system->program_path, sizeof system->program_path, "%s", path);
    snprintf(system->program_held, sizeof system->program_held, "%s", path);
    system->program_id = info.id;
}

static memory_node *node_of_id(memory_node *node, const cs_file_id *id) {
    if (cs_file_id_equal(&node->info.id, id)) return node;
    for (size_t i = 0; i < node->child_count; i++) {
        memory_node *found = node_of_id(node->children[i], id);
        if (found) return found;
    }
    return NULL;
}

static cs_status system_program_file(void *ctx, cs_file **out, cs_error *error) {
    memory_host *host = ctx;
    memory_system *system = &host->system;
    bool after;
    *out = NULL;
    uint32_t code = memory_step(host, "program file", system->program_path, false, &after);
    if (!code && strcmp(system->program_held, system->program_path) != 0) {
        if (memory_host_exists(host, system->program_path))
            memory_host_start_program(host, system->program_path);
        else
            code = 2;
    }
    if (code) return cs_fail_win32(error, code, "program file", system->program_path);
    memory_node *node = NULL;
    for (size_t i = 0; i < host->volume_count && !node; i++) node = node_of_id(host->volumes[i].root, &system->program_id);
    if (!node) return cs_fail_win32(error, 2, "program file", system->program_path);
    *out = memory_open_node(host, node, MEMORY_READ, MEMORY_READ | MEMORY_DELETE);
    return CS_OK;
}

static cs_status system_resource(void *ctx, const char *name, const void **bytes, size_t *size, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "resource", name, false, &after);
    if (code) return cs_fail_win32(error, code, "resource", name);
    for (size_t i = 0; i < host->resource_count; i++) {
        if (strcmp(host->resources[i].name, name) != 0) continue;
        *bytes = host->resources[i].bytes;
        *size = host->resources[i].size;
        return CS_OK;
    }
    return cs_fail(error, CS_E_NOT_FOUND, "resource", name, NULL);
}

static cs_status system_set_recovery_service(void *ctx, bool on, const char *program, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "service", on ? "on" : "off", true, &after);
    if (code && !after) return cs_fail_win32(error, code, "service", program);
    host->system.service = on;
    if (on) snprintf(host->system.service_program, sizeof host->system.service_program, "%s", program ? program : "");
    return code ? cs_fail_win32(error, code, "service", program) : CS_OK;
}

static bool system_recovery_service(void *ctx) { return ((memory_host *)ctx)->system.service; }

static cs_status system_broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    host->system.broadcast_deadline_ms = deadline_ms;
    uint32_t code = memory_step(host, "broadcast", "", true, &after);
    if (code && !after) return cs_fail_win32(error, code, "broadcast", NULL);
    host->system.broadcasts++;
    *out = host->system.broadcast_answer;
    return code ? cs_fail_win32(error, code, "broadcast", NULL) : CS_OK;
}

static cs_status system_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "holders", count ? paths[0] : "", false, &after);
    if (code) return cs_fail_win32(error, code, "holders", NULL);
    for (size_t i = 0; i < host->system.holders.count; i++) {
        const cs_holder *holder = &host->system.holders.items[i];
        for (size_t k = 0; k < count; k++) {
            if (!cs_text_equal_ascii_case(holder->module, paths[k])) continue;
            cs_status status = cs_holders_add(out, holder->pid, holder->name, holder->module, error);
            if (status != CS_OK) return status;
        }
    }
    return CS_OK;
}

static cs_status system_delete_at_restart(void *ctx, const char *path, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "delete at restart", path, true, &after);
    if (code && !after) return cs_fail_win32(error, code, "delete at restart", path);
    cs_status status = cs_strings_add(&host->system.restart_deletes, path, error);
    if (status != CS_OK) return status;
    return code ? cs_fail_win32(error, code, "delete at restart", path) : CS_OK;
}

static cs_status system_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "run", child->program, true, &after);
    if (code) return cs_fail_win32(error, code, "run", child->program);
    if (!host->system.run) return cs_fail(error, CS_E_UNSUPPORTED, "run", child->program, NULL);
    return host->system.run(host->system.run_ctx, child, result, error);
}

static cs_status system_signature(void *ctx, const char *path, cs_signature *out, cs_error *error) {
    memory_host *host = ctx;
    bool after;
    uint32_t code = memory_step(host, "signature", path, false, &after);
    if (code) return cs_fail_win32(error, code, "signature", path);
    if (!host->system.signature) return cs_fail(error, CS_E_UNSUPPORTED, "signature", path, NULL);
    return host->system.signature(host->system.signature_ctx, path, out, error);
}

void memory_system_init(memory_host *host) {
    host->system = (memory_system){
        .now = INT64_C(132500000000000000), /* in November 2020 */
        .administrator = true,
        .platform = {.build = 19045, .windows_10 = true, .x64 = true, .text = "Windows 10.0.19045 x64"},
        .computer_name = "MEMORY",
        .program_path = "C:\\Users\\user\\Downloads\\cudnn-setup.exe",
    };
    host->random = 1;
    host->system_calls = (cs_system){
        .ctx = host,
        .folder = system_folder,
        .now = system_now,
        .local_offset = system_local_offset,
        .ticks = system_ticks,
        .sleep = system_sleep,
        .random = system_random,
        .process_id = system_process_id,
        .processors = system_processors,
        .is_administrator = system_is_administrator,
        .wine_version = system_wine_version,
        .platform = system_platform,
        .computer_name = system_computer_name,
        .program_path = system_program_path,
        .program_file = system_program_file,
        .resource = system_resource,
        .set_recovery_service = system_set_recovery_service,
        .recovery_service = system_recovery_service,
        .account = system_account,
        .own_variable = system_own_variable,
        .broadcast_environment = system_broadcast,
        .holders = system_holders,
        .delete_at_restart = system_delete_at_restart,
        .run = system_run,
        .signature = system_signature,
    };
}
