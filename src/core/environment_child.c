#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "variables.h"

/* ---- which names may come from the registry ---- */

/* Everything else is left out: CUDA_INJECTION*, NVTX_INJECTION*, CUDNN_LOG*, COR_*, CORECLR_*, PYTHON*, __COMPAT_LAYER and their
 * kind make a program load or write what it was not asked to. */
static bool allowed(const char *name) {
    static const char *const names[] = {
        "CUDA_PATH",       "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",      "OS",
        "PATHEXT",         "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER",
        "PROCESSOR_LEVEL", "PROCESSOR_REVISION",
    };
    static const char versioned[] = "CUDA_PATH_V";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cs_text_equal_ascii_case(name, names[i])) return true;
    if (strlen(name) < sizeof versioned) return false;
    char head[sizeof versioned];
    memcpy(head, name, sizeof versioned - 1);
    head[sizeof versioned - 1] = '\0';
    return cs_text_equal_ascii_case(head, versioned) && !strchr(name, '=');
}

/* ---- the list ---- */

static bool has_name(const char *entry, const char *name) {
    size_t size = strlen(name);
    if (strlen(entry) <= size || entry[size] != '=') return false;
    for (size_t i = 0; i < size; i++) {
        char a[2] = {entry[i], '\0'}, b[2] = {name[i], '\0'};
        if (!cs_text_equal_ascii_case(a, b)) return false;
    }
    return true;
}

/* Sets NAME=value, in place of an earlier value of that name. */
static cs_status set(cs_strings *out, const char *name, const char *value, cs_error *error) {
    cs_buffer text = {0};
    cs_buffer_format(&text, "%s=%s", name, value);
    cs_status status = cs_buffer_check(&text, error);
    for (size_t i = 0; i < out->count && status == CS_OK; i++) {
        if (!has_name(out->items[i], name)) continue;
        cs_free(out->items[i]);
        out->items[i] = text.data;
        return CS_OK;
    }
    if (status == CS_OK) status = cs_strings_add(out, text.data, error);
    cs_buffer_free(&text);
    return status;
}

typedef struct building {
    const cs_host *host;
    cs_strings *out;
    bool user;        /* the user's values count too */
    cs_strings names; /* found in the key at work */
} building;

static cs_status note_name(void *ctx, const char *name) {
    building *b = ctx;
    return allowed(name) ? cs_strings_add(&b->names, name, NULL) : CS_OK;
}

/* The allowed values of one key; the user's come second and win. */
static cs_status add_key(building *b, cs_hive hive, const char *key, cs_error *error) {
    const cs_registry *registry = b->host->registry;
    cs_variables variables = {b->host, hive == CS_HKCU};
    cs_buffer text = {0};
    cs_status status = registry->list_values(registry->ctx, hive, key, note_name, b, error);
    if (status == CS_E_NOT_FOUND && hive == CS_HKCU) status = CS_OK; /* an account that never set a variable */
    for (size_t i = 0; i < b->names.count && status == CS_OK; i++) {
        bool present;
        status = cs_variables_read(&variables, hive, key, b->names.items[i], &text, &present, error);
        if (status == CS_OK && present) status = set(b->out, b->names.items[i], cs_buffer_string(&text), error);
    }
    cs_strings_free(&b->names);
    cs_buffer_free(&text);
    return status;
}

/* Windows' own names. One that cannot be had is left out. */
static cs_status add_own(building *b, cs_error *error) {
    static const char *const names[] = {
        "SystemRoot",
        "windir",
        "SystemDrive",
        "ProgramFiles",
        "ProgramW6432",
        "ProgramFiles(x86)",
        "CommonProgramFiles",
        "CommonProgramW6432",
        "CommonProgramFiles(x86)",
        "ProgramData",
        "ALLUSERSPROFILE",
        "PUBLIC",
        "USERPROFILE",
        "LOCALAPPDATA",
        "APPDATA",
        "USERNAME",
        "USERDOMAIN",
        "HOMEDRIVE",
        "HOMEPATH",
    };
    cs_variables variables = {b->host, b->user};
    cs_buffer value = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == CS_OK; i++) {
        status = cs_variables_get(&variables, names[i], &value);
        if (status == CS_OK) status = cs_buffer_check(&value, error);
        if (status == CS_OK) status = set(b->out, names[i], cs_buffer_string(&value), error);
        if (status == CS_E_NOT_FOUND)
            status = CS_OK;
        else if (status != CS_OK)
            cs_fail(error, status, "read environment", names[i], NULL);
    }
    cs_buffer_free(&value);
    return status;
}

static cs_status add_command_processor(building *b, cs_error *error) {
    cs_buffer folder = {0}, path = {0};
    cs_status status = b->host->system->folder(b->host->system->ctx, CS_FOLDER_SYSTEM, &folder, error);
    if (status == CS_OK) status = cs_path_join(&path, b->host->fs->separator, folder.data, "cmd.exe", error);
    if (status == CS_OK) status = set(b->out, "ComSpec", path.data, error);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return status;
}

static cs_status add_temporary(building *b, const char *name, cs_error *error) {
    cs_variables variables = {b->host, b->user};
    cs_buffer text = {0}, local = {0};
    bool present;
    cs_status status = cs_variables_read(&variables, b->user ? CS_HKCU : CS_HKLM,
                                         b->user ? CS_KEY_USER_ENVIRONMENT : CS_KEY_ENVIRONMENT, name, &text, &present, error);
    if (status == CS_OK && b->user && !text.size && cs_variables_get(&variables, "LOCALAPPDATA", &local) == CS_OK)
        status = cs_path_join(&text, b->host->fs->separator, cs_buffer_string(&local), "Temp", error);
    if (status == CS_OK && text.size) status = set(b->out, name, text.data, error);
    cs_buffer_free(&text);
    cs_buffer_free(&local);
    return status;
}

/* The machine's PATH, then the user's where that counts, as Windows joins them at sign-in. */
static cs_status add_path(building *b, cs_error *error) {
    cs_variables machine = {b->host, false}, user = {b->host, true};
    cs_buffer path = {0}, own = {0};
    bool present;
    cs_status status = cs_variables_read(&machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", &path, &present, error);
    if (status == CS_OK && b->user)
        status = cs_variables_read(&user, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "Path", &own, &present, error);
    if (status == CS_OK && own.size) {
        if (path.size && path.data[path.size - 1] != ';') cs_buffer_append(&path, ";", 1);
        cs_buffer_append(&path, own.data, own.size);
        status = cs_buffer_check(&path, error);
    }
    if (status == CS_OK) status = set(b->out, "PATH", cs_buffer_string(&path), error);
    cs_buffer_free(&path);
    cs_buffer_free(&own);
    return status;
}

static int by_text(const void *a, const void *b) { return cs_text_compare_ascii_case(*(char *const *)a, *(char *const *)b); }

cs_status cs_environment_for_child(const cs_host *host, bool own_account, cs_strings *out, cs_error *error) {
    building b = {.host = host, .out = out, .user = own_account};
    *out = (cs_strings){0};
    if (!host->registry) return cs_fail(error, CS_E_UNSUPPORTED, "read environment", NULL, "this system has no registry");
    cs_status status = add_key(&b, CS_HKLM, CS_KEY_ENVIRONMENT, error);
    if (status == CS_OK && own_account) status = add_key(&b, CS_HKCU, CS_KEY_USER_ENVIRONMENT, error);
    if (status == CS_OK) status = add_own(&b, error);
    if (status == CS_OK) status = add_command_processor(&b, error);
    if (status == CS_OK) status = add_temporary(&b, "TEMP", error);
    if (status == CS_OK) status = add_temporary(&b, "TMP", error);
    if (status == CS_OK) status = add_path(&b, error);
    /* Compiled kernels must be those of this installation, not yesterday's. */
    if (status == CS_OK) status = set(out, "CUDA_CACHE_DISABLE", "1", error);
    if (status != CS_OK)
        cs_strings_free(out);
    else
        qsort(out->items, out->count, sizeof *out->items, by_text);
    return status;
}
