#include "file_registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "memory_host.h"

struct file_registry {
    memory_host *machine;
    const cs_registry *memory;
    char *path;
    cs_registry seam;
};

static cs_status save(file_registry *r, cs_error *error) {
    cs_buffer beside = {0};
    cs_buffer_format(&beside, "%s.tmp", r->path);
    char *text = memory_host_reg_dump(r->machine);
    FILE *file = fopen(cs_buffer_string(&beside), "wb");
    bool fine = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0) fine = false;
    fine = fine && rename(cs_buffer_string(&beside), r->path) == 0;
    free(text);
    cs_buffer_free(&beside);
    return fine ? CS_OK : cs_fail(error, CS_E_IO, "write registry file", r->path, NULL);
}

static cs_status reg_read(void *ctx, cs_hive hive, const char *key, const char *name, cs_reg_value *out, cs_error *error) {
    const file_registry *r = ctx;
    return r->memory->read(r->memory->ctx, hive, key, name, out, error);
}

static cs_status reg_write(void *ctx, cs_hive hive, const char *key, const char *name, const cs_reg_value *value,
                           cs_error *error) {
    file_registry *r = ctx;
    cs_status status = r->memory->write(r->memory->ctx, hive, key, name, value, error);
    return status ? status : save(r, error);
}

static cs_status reg_value_name(void *ctx, cs_hive hive, const char *key, const char *name, cs_buffer *out, cs_error *error) {
    const file_registry *r = ctx;
    return r->memory->value_name(r->memory->ctx, hive, key, name, out, error);
}

static cs_status reg_list_values(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    const file_registry *r = ctx;
    return r->memory->list_values(r->memory->ctx, hive, key, entry, entry_ctx, error);
}

static cs_status reg_list_keys(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    const file_registry *r = ctx;
    return r->memory->list_keys(r->memory->ctx, hive, key, entry, entry_ctx, error);
}

static cs_status reg_remove_empty_key(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    file_registry *r = ctx;
    cs_status status = r->memory->remove_empty_key(r->memory->ctx, hive, key, error);
    return status ? status : save(r, error);
}

static cs_status reg_flush(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    (void)ctx, (void)hive, (void)key, (void)error;
    return CS_OK; /* every change is in the file already */
}

/* "HKLM key|name|type|hex"; lines without '|' name keys and are made by their values. Cuts line. */
static bool load_line(memory_host *machine, char *line) {
    char *name = strchr(line, '|'), *type = name ? strchr(name + 1, '|') : NULL, *hex = type ? strchr(type + 1, '|') : NULL;
    if (!name) return true;
    if (!hex || (strncmp(line, "HKLM ", 5) != 0 && strncmp(line, "HKCU ", 5) != 0)) return false;
    *name++ = *type++ = *hex++ = '\0';
    size_t size = strlen(hex) / 2;
    uint8_t *bytes = calloc(size + 1, 1);
    bool fine = bytes && cs_unhex(hex, strlen(hex), bytes, size);
    if (fine)
        memory_host_reg_bytes(machine, line[2] == 'L' ? CS_HKLM : CS_HKCU, line + 5, name, (uint32_t)strtoul(type, NULL, 10),
                              bytes, size);
    free(bytes);
    return fine;
}

/* The machine in memory is born with an environment; here the file alone says what there is. */
static bool clear(memory_host *machine) {
    char *text = memory_host_reg_dump(machine);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = strchr(line, '|'), *end = name ? strchr(name + 1, '|') : NULL;
        if (!end) continue;
        *name++ = *end = '\0';
        memory_host_reg_delete(machine, line[2] == 'L' ? CS_HKLM : CS_HKCU, line + 5, name);
    }
    free(text);
    return true;
}

static bool load(file_registry *r) {
    FILE *file = fopen(r->path, "rb");
    if (!file) return true;
    cs_buffer text = {0};
    char block[4096];
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) cs_buffer_append(&text, block, got);
    bool fine = !ferror(file) && !text.failed;
    fclose(file);
    for (char *line = text.data; fine && line && *line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        fine = load_line(r->machine, line);
        line = end ? end + 1 : NULL;
    }
    cs_buffer_free(&text);
    return fine;
}

file_registry *file_registry_open(const char *path) {
    file_registry *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->machine = memory_host_new();
    r->memory = memory_host_seam(r->machine)->registry;
    r->path = cs_strdup(path);
    r->seam = (cs_registry){.ctx = r,
                            .read = reg_read,
                            .write = reg_write,
                            .value_name = reg_value_name,
                            .list_values = reg_list_values,
                            .list_keys = reg_list_keys,
                            .remove_empty_key = reg_remove_empty_key,
                            .flush = reg_flush};
    if (r->path && clear(r->machine) && load(r)) return r;
    fprintf(stderr, "%s: not a registry file\n", path);
    file_registry_close(r);
    return NULL;
}

void file_registry_close(file_registry *r) {
    if (!r) return;
    memory_host_free(r->machine);
    cs_free(r->path);
    free(r);
}

const cs_registry *file_registry_seam(const file_registry *r) { return &r->seam; }
