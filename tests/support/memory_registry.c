#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "memory_internal.h"

static memory_key *find_key(memory_host *host, cs_hive hive, const char *path) {
    for (size_t i = 0; i < host->key_count; i++)
        if (host->keys[i].hive == hive && cs_text_equal_ascii_case(host->keys[i].path, path)) return &host->keys[i];
    return NULL;
}

static memory_value *find_value(memory_key *key, const char *name) {
    for (size_t i = 0; key && i < key->count; i++)
        if (cs_text_equal_ascii_case(key->values[i].name, name)) return &key->values[i];
    return NULL;
}

static memory_key *add_key(memory_host *host, cs_hive hive, const char *path) {
    memory_key *key = find_key(host, hive, path);
    if (key) return key;
    memory_key *keys = realloc(host->keys, (host->key_count + 1) * sizeof *keys);
    if (!keys) abort();
    host->keys = keys;
    keys[host->key_count] = (memory_key){.hive = hive, .path = memory_copy_text(path)};
    return &keys[host->key_count++];
}

static void set_value(memory_host *host, cs_hive hive, const char *path, const char *name, uint32_t type, const void *bytes,
                      size_t size) {
    memory_key *key = add_key(host, hive, path);
    memory_value *value = find_value(key, name);
    if (!value) {
        memory_value *values = realloc(key->values, (key->count + 1) * sizeof *values);
        if (!values) abort();
        key->values = values;
        value = &values[key->count++];
        *value = (memory_value){.name = memory_copy_text(name)};
    }
    free(value->bytes);
    value->type = type;
    value->size = size;
    value->bytes = memory_alloc(size);
    if (size) memcpy(value->bytes, bytes, size);
}

static void delete_value(memory_key *key, const char *name) {
    memory_value *value = find_value(key, name);
    if (!value) return;
    free(value->name);
    free(value->bytes);
    *value = key->values[--key->count];
}

static void delete_key(memory_host *host, memory_key *key) {
    for (size_t i = 0; i < key->count; i++) {
        free(key->values[i].name);
        free(key->values[i].bytes);
    }
    free(key->values);
    free(key->path);
    *key = host->keys[--host->key_count];
}

/* True if path lies below parent; *name receives the next component. */
static bool below(const char *path, const char *parent, const char **name) {
    size_t size = strlen(parent);
    if (strlen(path) <= size + 1 || path[size] != '\\') return false;
    char start[MEMORY_PATH];
    snprintf(start, sizeof start, "%.*s", (int)size, path);
    *name = path + size + 1;
    return cs_text_equal_ascii_case(start, parent);
}

/* ---- acting as another program ---- */

void memory_host_reg_bytes(memory_host *host, cs_hive hive, const char *key, const char *name, uint32_t type, const void *bytes,
                           size_t size) {
    set_value(host, hive, key, name, type, bytes, size);
}

void memory_host_reg_text(memory_host *host, cs_hive hive, const char *key, const char *name, uint32_t type, const char *text) {
    cs_buffer bytes = {0};
    if (!cs_utf16le_from_wtf8(&bytes, text, strlen(text))) abort();
    cs_buffer_append(&bytes, "\0", 2);
    if (bytes.failed) abort();
    set_value(host, hive, key, name, type, bytes.data, bytes.size);
    cs_buffer_free(&bytes);
}

void memory_host_reg_delete(memory_host *host, cs_hive hive, const char *key, const char *name) {
    memory_key *found = find_key(host, hive, key);
    if (found) delete_value(found, name);
}

const char *memory_host_reg_get(memory_host *host, cs_hive hive, const char *key, const char *name) {
    memory_value *value = find_value(find_key(host, hive, key), name);
    if (!value) return NULL;
    uint16_t *units = memory_alloc(value->size);
    size_t count = 0;
    while (2 * count + 1 < value->size) {
        units[count] = (uint16_t)(value->bytes[2 * count] | value->bytes[2 * count + 1] << 8);
        if (!units[count]) break;
        count++;
    }
    cs_buffer_clear(&host->reg_text);
    cs_wtf8_from_utf16(&host->reg_text, units, count);
    free(units);
    return cs_buffer_string(&host->reg_text);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *value_line(const memory_key *key, const memory_value *value) {
    cs_buffer line = {0};
    cs_buffer_format(&line, "%s %s|%s|%u|", key->hive == CS_HKLM ? "HKLM" : "HKCU", key->path, value->name,
                     (unsigned)value->type);
    for (size_t i = 0; i < value->size; i++) cs_buffer_format(&line, "%02x", value->bytes[i]);
    char *text = memory_copy_text(cs_buffer_string(&line));
    cs_buffer_free(&line);
    return text;
}

char *memory_host_reg_dump(memory_host *host) {
    size_t count = 0, room = 0;
    for (size_t i = 0; i < host->key_count; i++) room += host->keys[i].count + 1;
    char **lines = memory_alloc((room + 1) * sizeof *lines);
    for (size_t i = 0; i < host->key_count; i++) {
        const memory_key *key = &host->keys[i];
        lines[count] = memory_alloc(strlen(key->path) + 8);
        snprintf(lines[count++], strlen(key->path) + 8, "%s %s", key->hive == CS_HKLM ? "HKLM" : "HKCU", key->path);
        for (size_t v = 0; v < key->count; v++) lines[count++] = value_line(key, &key->values[v]);
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    size_t size = 1;
    for (size_t i = 0; i < count; i++) size += strlen(lines[i]) + 1;
    char *text = memory_alloc(size), *end = text;
    for (size_t i = 0; i < count; i++) {
        end += snprintf(end, size - (size_t)(end - text), "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
    return text;
}

/* ---- the seam ---- */

static uint32_t step(memory_host *host, const char *operation, const char *key, const char *name, bool changing, bool *after,
                     char path[MEMORY_PATH]) {
    snprintf(path, MEMORY_PATH, "%s%s%s", key, name ? "\\" : "", name ? name : "");
    return memory_step(host, operation, path, changing, after);
}

static cs_status registry_read(void *ctx, cs_hive hive, const char *key, const char *name, cs_reg_value *out, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg read", key, name, false, &after, path);
    if (code) return cs_fail_win32(error, code, "read", path);
    memory_value *value = find_value(find_key(ctx, hive, key), name);
    if (!value) {
        *out = (cs_reg_value){0};
        return CS_OK;
    }
    cs_reg_value found = {.present = true, .type = value->type, .bytes = value->size ? value->bytes : NULL, .size = value->size};
    *out = (cs_reg_value){0};
    return cs_reg_value_copy(out, &found, error);
}

static cs_status registry_write(void *ctx, cs_hive hive, const char *key, const char *name, const cs_reg_value *value,
                                cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg write", key, name, true, &after, path);
    if (code && !after) return cs_fail_win32(error, code, "write", path);
    if (value->present) {
        set_value(ctx, hive, key, name, value->type, value->bytes, value->size);
    } else {
        memory_key *found = find_key(ctx, hive, key);
        if (found) delete_value(found, name);
    }
    return code ? cs_fail_win32(error, code, "write", path) : CS_OK;
}

static cs_status registry_value_name(void *ctx, cs_hive hive, const char *key, const char *name, cs_buffer *out,
                                     cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg name", key, name, false, &after, path);
    if (code) return cs_fail_win32(error, code, "read", path);
    memory_value *value = find_value(find_key(ctx, hive, key), name);
    if (!value) return cs_fail_win32(error, 2, "read", path);
    cs_buffer_clear(out);
    cs_buffer_text(out, value->name);
    return cs_buffer_check(out, error);
}

static cs_status registry_list_values(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx,
                                      cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg list", key, NULL, false, &after, path);
    if (code) return cs_fail_win32(error, code, "list", path);
    memory_key *found = find_key(ctx, hive, key);
    for (size_t i = 0; found && i < found->count; i++) {
        cs_status status = entry(entry_ctx, found->values[i].name);
        if (status != CS_OK) return cs_fail(error, status, "list", path, NULL);
    }
    return CS_OK;
}

static cs_status registry_list_keys(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx,
                                    cs_error *error) {
    memory_host *host = ctx;
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg list", key, NULL, false, &after, path);
    if (code) return cs_fail_win32(error, code, "list", path);
    for (size_t i = 0; i < host->key_count; i++) {
        const char *rest;
        if (host->keys[i].hive != hive || !below(host->keys[i].path, key, &rest)) continue;
        size_t size = strcspn(rest, "\\");
        bool seen = false; /* "a\b" and "a\c" are one subkey "a" */
        for (size_t k = 0; k < i && !seen; k++) {
            const char *other;
            seen = host->keys[k].hive == hive && below(host->keys[k].path, key, &other) && strcspn(other, "\\") == size &&
                   strncmp(other, rest, size) == 0;
        }
        if (seen) continue;
        char name[MEMORY_PATH];
        snprintf(name, sizeof name, "%.*s", (int)size, rest);
        cs_status status = entry(entry_ctx, name);
        if (status != CS_OK) return cs_fail(error, status, "list", path, NULL);
    }
    return CS_OK;
}

static cs_status registry_remove_empty_key(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    memory_host *host = ctx;
    char path[MEMORY_PATH];
    bool after;
    uint32_t code = step(ctx, "reg remove", key, NULL, true, &after, path);
    if (code && !after) return cs_fail_win32(error, code, "remove", path);
    memory_key *found = find_key(host, hive, key);
    bool full = found && found->count;
    for (size_t i = 0; i < host->key_count; i++) {
        const char *rest;
        if (host->keys[i].hive == hive && below(host->keys[i].path, key, &rest)) full = true;
    }
    if (full) return cs_fail_win32(error, 145, "remove", path);
    if (found) delete_key(host, found);
    return code ? cs_fail_win32(error, code, "remove", path) : CS_OK;
}

static cs_status registry_flush(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    char path[MEMORY_PATH];
    bool after;
    (void)hive;
    uint32_t code = step(ctx, "reg flush", key, NULL, true, &after, path);
    return code ? cs_fail_win32(error, code, "flush", path) : CS_OK;
}

void memory_registry_init(memory_host *host) {
    host->registry = (cs_registry){
        .ctx = host,
        .read = registry_read,
        .write = registry_write,
        .value_name = registry_value_name,
        .list_values = registry_list_values,
        .list_keys = registry_list_keys,
        .remove_empty_key = registry_remove_empty_key,
        .flush = registry_flush,
    };
}

void memory_registry_free(memory_host *host) {
    while (host->key_count) delete_key(host, host->keys);
    free(host->keys);
    host->keys = NULL;
    cs_buffer_free(&host->reg_text);
}

void memory_registry_clone(memory_host *to, const memory_host *from) {
    for (size_t i = 0; i < from->key_count; i++) {
        const memory_key *key = &from->keys[i];
        add_key(to, key->hive, key->path);
        for (size_t v = 0; v < key->count; v++)
            set_value(to, key->hive, key->path, key->values[v].name, key->values[v].type, key->values[v].bytes,
                      key->values[v].size);
    }
}
