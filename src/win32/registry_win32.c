/* registry_win32.c: the registry seam: raw bytes, 64-bit view, nothing expanded. */
#include "win32.h"

#include <string.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/registry.h"

static HKEY root_of(cs_hive hive) { return hive == CS_HKCU ? HKEY_CURRENT_USER : HKEY_LOCAL_MACHINE; }

static cs_status open_key(cs_hive hive, const char *key, REGSAM access, HKEY *out, cs_error *error) {
    *out = NULL;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide(key, "open key", error);
    if (!wide) return error->status;
    LSTATUS code = RegOpenKeyExW(root_of(hive), wide, 0, access | KEY_WOW64_64KEY, out);
    cs_free(wide);
    return code == ERROR_SUCCESS ? CS_OK : cs_fail_win32(error, (uint32_t)code, "open key", key);
}

enum { READ_TRIES = 16 };

/* Size first, then bytes; a value that grows between the two is asked again. The size that counts is that of the last answer. */
static cs_status read_value(HKEY handle, const wchar_t *wide, const char *name, cs_reg_value *out, cs_error *error) {
    DWORD type = 0, size = 0;
    LSTATUS code = RegQueryValueExW(handle, wide, NULL, &type, NULL, &size);
    for (int i = 0; i < READ_TRIES && (code == ERROR_SUCCESS || code == ERROR_MORE_DATA); i++) {
        DWORD room = size < 16 ? 16 : size, got = room;
        uint8_t *bytes = cs_alloc(room, 1);
        if (!bytes) return cs_fail(error, CS_E_NO_MEMORY, "read value", name, NULL);
        code = RegQueryValueExW(handle, wide, NULL, &type, bytes, &got);
        if (code == ERROR_SUCCESS && got <= room) {
            *out = (cs_reg_value){.present = true, .type = type, .bytes = bytes, .size = got};
            if (!got) {
                cs_free(bytes);
                out->bytes = NULL;
            }
            return CS_OK;
        }
        cs_free(bytes);
        size = got > room ? got : room * 2;
    }
    if (code == ERROR_FILE_NOT_FOUND) return CS_OK; /* absent: out stays so */
    return cs_fail_win32(error, code == ERROR_SUCCESS ? ERROR_MORE_DATA : (uint32_t)code, "read value", name);
}

static cs_status reg_read(void *ctx, cs_hive hive, const char *key, const char *name, cs_reg_value *out, cs_error *error) {
    (void)ctx;
    *out = (cs_reg_value){0};
    HKEY handle;
    cs_error local;
    if (!error) error = &local;
    cs_status status = open_key(hive, key, KEY_QUERY_VALUE, &handle, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    wchar_t *wide = cs_wide(name, "read value", error);
    status = wide ? read_value(handle, wide, name, out, error) : error->status;
    cs_free(wide);
    RegCloseKey(handle);
    return status;
}

/* RegSetValueEx looks behind the bytes of a string: where its last unit is no terminator and the next one is, it takes that one
 * too. Something else must stand there for a value without terminator to be stored as it is. */
static uint8_t *padded_copy(const cs_reg_value *value) {
    uint8_t *bytes = cs_alloc(value->size + 4, 1);
    if (!bytes) return NULL;
    if (value->size) memcpy(bytes, value->bytes, value->size);
    memset(bytes + value->size, 0xFF, 4);
    return bytes;
}

static cs_status set_value(cs_hive hive, const char *key, const wchar_t *wide, const cs_reg_value *value, cs_error *error) {
    HKEY handle;
    if (value->size > 0x7FFFFFFF) return cs_fail(error, CS_E_TOO_BIG, "write value", key, NULL);
    wchar_t *wide_key = cs_wide(key, "write value", error);
    if (!wide_key) return error->status;
    uint8_t *bytes = padded_copy(value);
    cs_status status = bytes ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, "write value", key, NULL);
    if (bytes) {
        LSTATUS code = RegCreateKeyExW(root_of(hive), wide_key, 0, NULL, 0, KEY_SET_VALUE | KEY_WOW64_64KEY, NULL, &handle, NULL);
        if (code == ERROR_SUCCESS) {
            code = RegSetValueExW(handle, wide, 0, value->type, bytes, (DWORD)value->size);
            RegCloseKey(handle);
        }
        if (code != ERROR_SUCCESS) status = cs_fail_win32(error, (uint32_t)code, "write value", key);
    }
    cs_free(bytes);
    cs_free(wide_key);
    return status;
}

static cs_status delete_value(cs_hive hive, const char *key, const wchar_t *wide, cs_error *error) {
    HKEY handle;
    cs_status status = open_key(hive, key, KEY_SET_VALUE, &handle, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    LSTATUS code = RegDeleteValueW(handle, wide);
    RegCloseKey(handle);
    return code == ERROR_SUCCESS || code == ERROR_FILE_NOT_FOUND ? CS_OK
                                                                 : cs_fail_win32(error, (uint32_t)code, "delete value", key);
}

static cs_status reg_write(void *ctx, cs_hive hive, const char *key, const char *name, const cs_reg_value *value,
                           cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide(name, "write value", error);
    if (!wide) return error->status;
    cs_status status = value->present ? set_value(hive, key, wide, value, error) : delete_value(hive, key, wide, error);
    cs_free(wide);
    return status;
}

enum { NAME_UNITS = 16384 }; /* the longest value name has 16,383; a key's has 255 */

/* One name of a key; CS_E_NOT_FOUND behind the last. */
static cs_status name_at(HKEY handle, bool keys, DWORD index, wchar_t *name, const char *key, cs_error *error) {
    DWORD size = NAME_UNITS;
    LSTATUS code = keys ? RegEnumKeyExW(handle, index, name, &size, NULL, NULL, NULL, NULL)
                        : RegEnumValueW(handle, index, name, &size, NULL, NULL, NULL, NULL);
    if (code == ERROR_NO_MORE_ITEMS) return CS_E_NOT_FOUND;
    return code == ERROR_SUCCESS ? CS_OK : cs_fail_win32(error, (uint32_t)code, "list", key);
}

typedef cs_status (*name_taker)(void *ctx, const wchar_t *name, cs_error *error);

static cs_status each_name(cs_hive hive, const char *key, bool keys, name_taker take, void *ctx, cs_error *error) {
    HKEY handle;
    cs_status status = open_key(hive, key, keys ? KEY_ENUMERATE_SUB_KEYS : KEY_QUERY_VALUE, &handle, error);
    if (status != CS_OK) return status;
    wchar_t *name = cs_alloc(NAME_UNITS, sizeof *name);
    if (!name) status = cs_fail(error, CS_E_NO_MEMORY, "list", key, NULL);
    for (DWORD i = 0; status == CS_OK; i++) {
        status = name_at(handle, keys, i, name, key, error);
        if (status == CS_E_NOT_FOUND) {
            status = CS_OK;
            break;
        }
        if (status == CS_OK) status = take(ctx, name, error);
    }
    cs_free(name);
    RegCloseKey(handle);
    return status;
}

typedef struct search {
    const wchar_t *wanted;
    cs_buffer *out;
    bool found;
} search;

static cs_status compare_name(void *ctx, const wchar_t *name, cs_error *error) {
    search *s = ctx;
    if (CompareStringOrdinal(name, -1, s->wanted, -1, TRUE) != CSTR_EQUAL) return CS_OK; /* as the registry compares */
    s->found = true;
    cs_buffer_clear(s->out);
    cs_narrow(s->out, name);
    return cs_buffer_check(s->out, error);
}

static cs_status reg_value_name(void *ctx, cs_hive hive, const char *key, const char *name, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide(name, "value name", error);
    if (!wide) return error->status;
    search s = {.wanted = wide, .out = out};
    cs_status status = each_name(hive, key, false, compare_name, &s, error);
    cs_free(wide);
    if (status == CS_OK && !s.found) status = cs_fail(error, CS_E_NOT_FOUND, "value name", name, NULL);
    return status;
}

typedef struct listing {
    cs_reg_entry entry;
    void *ctx;
} listing;

static cs_status give_name(void *ctx, const wchar_t *name, cs_error *error) {
    listing *l = ctx;
    cs_buffer text = {0};
    cs_narrow(&text, name);
    cs_status status = cs_buffer_check(&text, error);
    if (status == CS_OK) status = l->entry(l->ctx, cs_buffer_string(&text));
    cs_buffer_free(&text);
    return status;
}

static cs_status reg_list_values(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    (void)ctx;
    listing l = {entry, entry_ctx};
    return each_name(hive, key, false, give_name, &l, error);
}

static cs_status reg_list_keys(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error) {
    (void)ctx;
    listing l = {entry, entry_ctx};
    return each_name(hive, key, true, give_name, &l, error);
}

static cs_status reg_remove_empty_key(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    (void)ctx;
    HKEY handle;
    DWORD keys = 0, values = 0;
    cs_error local;
    if (!error) error = &local;
    cs_status status = open_key(hive, key, KEY_QUERY_VALUE, &handle, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    LSTATUS code = RegQueryInfoKeyW(handle, NULL, NULL, NULL, &keys, NULL, NULL, &values, NULL, NULL, NULL, NULL);
    RegCloseKey(handle);
    if (code != ERROR_SUCCESS) return cs_fail_win32(error, (uint32_t)code, "remove key", key);
    if (keys || values) return cs_fail(error, CS_E_NOT_EMPTY, "remove key", key, NULL);
    wchar_t *wide = cs_wide(key, "remove key", error);
    if (!wide) return error->status;
    code = RegDeleteKeyExW(root_of(hive), wide, KEY_WOW64_64KEY, 0);
    cs_free(wide);
    return code == ERROR_SUCCESS || code == ERROR_FILE_NOT_FOUND ? CS_OK
                                                                 : cs_fail_win32(error, (uint32_t)code, "remove key", key);
}

static cs_status reg_flush(void *ctx, cs_hive hive, const char *key, cs_error *error) {
    (void)ctx;
    HKEY handle;
    cs_status status = open_key(hive, key, KEY_QUERY_VALUE, &handle, error);
    if (status != CS_OK) return status;
    LSTATUS code = RegFlushKey(handle);
    RegCloseKey(handle);
    return code == ERROR_SUCCESS ? CS_OK : cs_fail_win32(error, (uint32_t)code, "flush key", key);
}

const cs_registry *cs_registry_real(void) {
    static const cs_registry registry = {
        .read = reg_read,
        .write = reg_write,
        .value_name = reg_value_name,
        .list_values = reg_list_values,
        .list_keys = reg_list_keys,
        .remove_empty_key = reg_remove_empty_key,
        .flush = reg_flush,
    };
    return &registry;
}
