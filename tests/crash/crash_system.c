/* The crash store's registry and system. Time stands still and chance is seeded, so that the journal's bytes are the same in
 * every run of a job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_store.h"
#include "cudnn_setup/text.h"

#define CLOCK INT64_C(132500000000000000)

/* ---- registry ---- */

static crash_log hive_of(cs_hive hive, const char *key) {
    return hive == CS_HKLM && cs_text_starts_with(key, "SYSTEM\\") ? LOG_SYSTEM : LOG_SOFTWARE;
}

static cs_status reg_read(void *ctx, cs_hive hive, const char *key, const char *name, cs_reg_value *out, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t code = crash_step(machine, "reg read", name, &after);
    if (code) return cs_fail_win32(error, code, "read", name);
    if (!crash_value_get(machine->now.reg[crash_slot(hive, key, name)], out))
        return cs_fail(error, CS_E_NO_MEMORY, "read", name, NULL);
    return CS_OK;
}

static cs_status reg_write(void *ctx, cs_hive hive, const char *key, const char *name, const cs_reg_value *value,
                           cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t fault = crash_step(machine, "reg write", name, &after);
    if (fault && !after) return cs_fail_win32(error, fault, "write", name);
    uint16_t slot = crash_slot(hive, key, name), fresh = crash_value(value);
    if (machine->now.reg[slot] != fresh)
        crash_apply(machine, (crash_op){.kind = OP_REG, .log = hive_of(hive, key), .a = slot, .meta = fresh});
    return fault ? cs_fail_win32(error, fault, "write", name) : CS_OK;
}

static cs_status reg_value_name(void *ctx, cs_hive hive, const char *key, const char *name, cs_buffer *out, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    const char *slot_key, *slot_name;
    cs_hive slot_hive;
    uint32_t code = crash_step(machine, "reg name", name, &after);
    uint16_t slot = crash_slot(hive, key, name);
    if (!code && !machine->now.reg[slot]) code = 2;
    if (code) return cs_fail_win32(error, code, "read", name);
    crash_slot_find(slot, &slot_hive, &slot_key, &slot_name);
    cs_buffer_clear(out);
    cs_buffer_text(out, slot_name);
    return cs_buffer_check(out, error);
}

/* Tells each different next component below key: values (end true) or keys. */
static cs_status list_names(crash_machine *machine, cs_hive hive, const char *key, bool values, cs_reg_entry entry,
                            void *entry_ctx) {
    const char *slot_key, *name;
    cs_hive slot_hive;
    char told[CRASH_SLOTS][128];
    size_t count = 0;
    for (uint16_t slot = 0; crash_slot_find(slot, &slot_hive, &slot_key, &name); slot++) {
        size_t size = strlen(key);
        if (slot_hive != hive || !machine->now.reg[slot] || !cs_text_starts_with(slot_key, key)) continue;
        if (values != !slot_key[size] || (!values && slot_key[size] != '\\')) continue;
        const char *text = values ? name : slot_key + size + 1;
        size_t length = strcspn(text, "\\");
        if (length >= sizeof told[0]) abort();
        memcpy(told[count], text, length);
        told[count][length] = '\0';
        bool known = false;
        for (size_t i = 0; i < count; i++) known = known || strcmp(told[i], told[count]) == 0;
        if (!known) count++;
    }
    cs_status status = CS_OK;
    for (size_t i = 0; i < count && status == CS_OK; i++) status = entry(entry_ctx, told[i]);
    return status;
}

static cs_status reg_list_values(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "reg list", key, &after);
    return code ? cs_fail_win32(error, code, "list", key) : list_names(ctx, hive, key, true, entry, entry_ctx);
}

static cs_status reg_list_keys(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "reg list", key, &after);
    return code ? cs_fail_win32(error, code, "list", key) : list_names(ctx, hive, key, false, entry, entry_ctx);
}

/* A key is there as long as a value of it is. */
static cs_status reg_remove_empty_key(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    crash_machine *machine = ctx;
    const char *slot_key, *name;
    cs_hive slot_hive;
    bool after;
    uint32_t code = crash_step(machine, "reg remove key", key, &after);
    for (uint16_t slot = 0; !code && crash_slot_find(slot, &slot_hive, &slot_key, &name); slot++)
        if (slot_hive == hive && machine->now.reg[slot] && cs_text_starts_with(slot_key, key)) code = 145;
    return code ? cs_fail_win32(error, code, "remove key", key) : CS_OK;
}

static cs_status reg_flush(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    bool after;
    uint32_t fault = crash_step(ctx, "reg flush", key, &after);
    if (!fault || after) crash_sync_hive(ctx, hive_of(hive, key));
    return fault ? cs_fail_win32(error, fault, "flush", key) : CS_OK;
}

void crash_registry_init(crash_machine *machine) {
    machine->registry = (cs_registry){
        .ctx = machine,
        .read = reg_read,
        .write = reg_write,
        .value_name = reg_value_name,
        .list_values = reg_list_values,
        .list_keys = reg_list_keys,
        .remove_empty_key = reg_remove_empty_key,
        .flush = reg_flush,
    };
}

/* ---- system ---- */

static cs_status sys_folder(void *ctx, cs_folder which, cs_buffer *out, cs_error *error) {
    static const char *const folders[] = {"C:\\Program Files", "C:\\Users\\user\\AppData\\Local", "C:\\Users\\user\\Downloads",
                                          "C:\\Windows\\System32", "C:\\Windows"};
    bool after;
    uint32_t code = crash_step(ctx, "known folder", folders[which], &after);
    if (code) return cs_fail_win32(error, code, "known folder", folders[which]);
    cs_buffer_clear(out);
    cs_buffer_text(out, folders[which]);
    return cs_buffer_check(out, error);
}

static int64_t sys_now(void *ctx) {
    (void)ctx;
    return CLOCK;
}

static uint64_t sys_ticks(void *ctx) { return ((crash_machine *)ctx)->slept_ms; }
static void sys_sleep(void *ctx, uint32_t milliseconds) {
    crash_machine *machine = ctx;
    machine->slept_ms += milliseconds;
    machine->paused = true;
    if (++machine->pauses > machine->longest_row) machine->longest_row = machine->pauses;
}

/* For the names of programs put aside: chance never hits one that is taken, and images stay comparable. */
static uint64_t free_name(const crash_machine *machine) {
    for (uint64_t number = 1;; number++) {
        char path[128];
        snprintf(path, sizeof path, CRASH_P "\\~%016llx.old", (unsigned long long)number);
        if (!machine->now.at[crash_path(path)].file) return number;
    }
}

static cs_status sys_random(void *ctx, void *bytes, size_t size, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t code = crash_step(machine, "random", "", &after);
    if (code) return cs_fail_win32(error, code, "random", NULL);
    uint64_t name = size == 8 ? free_name(machine) : 0;
    for (size_t i = 0; i < size; i++) {
        if (size != 8) machine->random = crash_mix(machine->random);
        ((uint8_t *)bytes)[i] = (uint8_t)(size == 8 ? name >> 8 * (7 - i) : machine->random);
    }
    return CS_OK;
}

static uint32_t sys_process_id(void *ctx) {
    (void)ctx;
    return 4242;
}

static unsigned sys_processors(void *ctx) {
    (void)ctx;
    return 2;
}

static bool sys_is_administrator(void *ctx) {
    (void)ctx;
    return true;
}

static const char *sys_wine_version(void *ctx) {
    (void)ctx;
    return NULL;
}

static void sys_platform(void *ctx, cs_platform *out) {
    (void)ctx;
    *out = (cs_platform){.build = 19045, .windows_10 = true, .x64 = true, .text = "Windows 10.0.19045 x64"};
}

static cs_status sys_computer_name(void *ctx, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_buffer_clear(out);
    cs_buffer_text(out, "CRASH");
    return cs_buffer_check(out, error);
}

static cs_status sys_program_path(void *ctx, cs_buffer *out, cs_error *error) {
    const crash_machine *machine = ctx;
    cs_buffer_clear(out);
    cs_buffer_text(out, machine->program);
    return cs_buffer_check(out, error);
}

void crash_start_program(crash_machine *machine, const char *path) {
    machine->program = path;
    machine->running = path ? machine->now.at[crash_path(path)].file : 0;
}

/* Wherever its file is by now. */
static cs_status sys_program_file(void *ctx, cs_file **out, cs_error *error) {
    crash_machine *machine = ctx;
    const char *path = crash_path_text(machine->where[machine->running]);
    return machine->fs.open(machine->fs.ctx, *path ? path : machine->program, CS_OPEN_WATCH, out, error);
}

static cs_status sys_resource(void *ctx, const char *name, const void **bytes, size_t *size, cs_error *error) {
    bool after;
    uint32_t code = crash_step(ctx, "resource", name, &after);
    if (code) return cs_fail_win32(error, code, "resource", name);
    if (strcmp(name, "cudnn-doctor.exe") != 0) return cs_fail(error, CS_E_NOT_FOUND, "resource", name, NULL);
    *bytes = "the doctor";
    *size = 10;
    return CS_OK;
}

static cs_status sys_set_recovery_service(void *ctx, bool on, const char *program, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t fault = crash_step(machine, "service", program ? program : "recovery service", &after);
    if (fault && !after) return cs_fail_win32(error, fault, "service", program ? program : "recovery service");
    uint16_t slot = crash_slot_service(), fresh = 0;
    if (on) {
        cs_reg_value value = {0};
        if (cs_reg_value_from_text(&value, CS_REG_SZ, program, NULL) != CS_OK)
            return cs_fail(error, CS_E_NO_MEMORY, "service", program, NULL);
        fresh = crash_value(&value);
        cs_reg_value_free(&value);
    }
    if (machine->now.reg[slot] != fresh)
        crash_apply(machine, (crash_op){.kind = OP_REG, .log = LOG_SYSTEM, .a = slot, .meta = fresh});
    return fault ? cs_fail_win32(error, fault, "service", program ? program : "recovery service") : CS_OK;
}

static bool sys_recovery_service(void *ctx) { return ((crash_machine *)ctx)->now.reg[crash_slot_service()] != 0; }

static cs_account sys_account(void *ctx) {
    (void)ctx;
    return CS_ACCOUNT_ALONE;
}

static cs_status sys_own_variable(void *ctx, const char *name, cs_buffer *out, cs_error *error) {
    (void)ctx, (void)out;
    return cs_fail(error, CS_E_NOT_FOUND, "own environment", name, NULL);
}

static cs_status sys_broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error) {
    (void)ctx;
    (void)deadline_ms;
    (void)error;
    *out = CS_BROADCAST_SENT;
    return CS_OK;
}

static cs_status sys_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error) {
    (void)ctx;
    (void)paths;
    (void)count;
    (void)out;
    (void)error;
    return CS_OK;
}

static cs_status sys_delete_at_restart(void *ctx, const char *path, cs_error *error) {
    crash_machine *machine = ctx;
    bool after;
    uint32_t code = crash_step(ctx, "delete at restart", path, &after);
    if (crash_path_class(crash_path(path)) != CLASS_P_ASIDE) machine->scheduled_live_name = true;
    return code ? cs_fail_win32(error, code, "delete at restart", path) : CS_OK;
}

static cs_status sys_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    (void)ctx;
    (void)result;
    return cs_fail(error, CS_E_UNSUPPORTED, "run", child->program, NULL);
}

static cs_status sys_signature(void *ctx, const char *path, cs_signature *out, cs_error *error) {
    (void)ctx;
    (void)out;
    return cs_fail(error, CS_E_UNSUPPORTED, "signature", path, NULL);
}

void crash_system_init(crash_machine *machine) {
    machine->system = (cs_system){
        .ctx = machine,
        .folder = sys_folder,
        .now = sys_now,
        .ticks = sys_ticks,
        .sleep = sys_sleep,
        .random = sys_random,
        .process_id = sys_process_id,
        .processors = sys_processors,
        .is_administrator = sys_is_administrator,
        .wine_version = sys_wine_version,
        .platform = sys_platform,
        .computer_name = sys_computer_name,
        .program_path = sys_program_path,
        .program_file = sys_program_file,
        .resource = sys_resource,
        .set_recovery_service = sys_set_recovery_service,
        .recovery_service = sys_recovery_service,
        .account = sys_account,
        .own_variable = sys_own_variable,
        .broadcast_environment = sys_broadcast,
        .holders = sys_holders,
        .delete_at_restart = sys_delete_at_restart,
        .run = sys_run,
        .signature = sys_signature,
    };
}
