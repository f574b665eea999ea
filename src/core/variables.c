#include "variables.h"

#include <string.h>

#include "cudnn_setup/text.h"

#define KEY_VERSION  "SOFTWARE\\Microsoft\\Windows\\CurrentVersion"
#define KEY_PROFILES "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\ProfileList"
#define KEY_VOLATILE "Volatile Environment"

/* The variables that Windows makes itself, before any value is expanded. Source: Microsoft, "Recognized environment variables"
 * (USMT reference), and the registry values they come from. */
typedef struct own_variable {
    const char *name;
    cs_folder folder; /* where key is NULL */
    const char *key, *value;
} own_variable;

static const own_variable own[] = {
    {"SystemRoot", CS_FOLDER_WINDOWS, NULL, NULL},
    {"windir", CS_FOLDER_WINDOWS, NULL, NULL},
    {"ProgramFiles", CS_FOLDER_PROGRAM_FILES, NULL, NULL},
    {"ProgramW6432", CS_FOLDER_PROGRAM_FILES, NULL, NULL},
    {"ProgramFiles(x86)", CS_FOLDER_PROGRAM_FILES, KEY_VERSION, "ProgramFilesDir (x86)"},
    {"CommonProgramFiles", CS_FOLDER_PROGRAM_FILES, KEY_VERSION, "CommonFilesDir"},
    {"CommonProgramW6432", CS_FOLDER_PROGRAM_FILES, KEY_VERSION, "CommonW6432Dir"},
    {"CommonProgramFiles(x86)", CS_FOLDER_PROGRAM_FILES, KEY_VERSION, "CommonFilesDir (x86)"},
    {"ProgramData", CS_FOLDER_PROGRAM_FILES, KEY_PROFILES, "ProgramData"},
    {"ALLUSERSPROFILE", CS_FOLDER_PROGRAM_FILES, KEY_PROFILES, "ProgramData"},
    {"PUBLIC", CS_FOLDER_PROGRAM_FILES, KEY_PROFILES, "Public"},
};

static const own_variable *find_own(const char *name) {
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (cs_text_equal_ascii_case(own[i].name, name)) return &own[i];
    return NULL;
}

static cs_status folder(const cs_variables *variables, cs_folder which, cs_buffer *out) {
    cs_status status = variables->host->system->folder(variables->host->system->ctx, which, out, NULL);
    return status == CS_OK || status == CS_E_NO_MEMORY ? status : CS_E_NOT_FOUND;
}

static cs_status system_drive(const cs_variables *variables, cs_buffer *out) {
    cs_status status = folder(variables, CS_FOLDER_WINDOWS, out);
    if (status == CS_OK && out->size > 2) out->data[out->size = 2] = '\0';
    return status;
}

/* Only %SystemDrive% and %SystemRoot% stand in the values that Windows makes its own variables of. */
static cs_status only_roots(void *ctx, const char *name, cs_buffer *out) {
    if (cs_text_equal_ascii_case(name, "SystemDrive")) return system_drive(ctx, out);
    if (cs_text_equal_ascii_case(name, "SystemRoot")) return folder(ctx, CS_FOLDER_WINDOWS, out);
    return CS_E_NOT_FOUND;
}

/* The text of a string value as it stands; CS_E_NOT_FOUND if it is absent or no string. settled: REG_SZ. */
static cs_status read_text(const cs_variables *variables, cs_hive hive, const char *key, const char *name, cs_buffer *out,
                           bool *settled) {
    cs_reg_value value = {0};
    const cs_registry *registry = variables->host->registry;
    if (!registry) return CS_E_NOT_FOUND;
    cs_status status = registry->read(registry->ctx, hive, key, name, &value, NULL);
    bool text = value.present && (value.type == CS_REG_SZ || value.type == CS_REG_EXPAND_SZ);
    if (settled) *settled = value.type == CS_REG_SZ;
    if (status == CS_OK) status = text ? cs_reg_value_to_text(&value, out, NULL) : CS_E_NOT_FOUND;
    cs_reg_value_free(&value);
    return status;
}

static cs_status get_own(const cs_variables *variables, const own_variable *row, cs_buffer *out) {
    if (!row->key) return folder(variables, row->folder, out);
    cs_buffer raw = {0};
    cs_pathlist_folder roots = {.path = "", .ctx = (void *)(uintptr_t)variables, .variable = only_roots};
    cs_status status = read_text(variables, CS_HKLM, row->key, row->value, &raw, NULL);
    if (status == CS_OK) status = cs_pathlist_expand(&roots, cs_buffer_string(&raw), out, NULL, NULL);
    cs_buffer_free(&raw);
    return status;
}

/* The folder of the user's own files, where Windows has not noted it in the registry. */
static cs_status profile(const cs_variables *variables, cs_buffer *out) {
    static const char tail[] = "\\AppData\\Local";
    cs_status status = folder(variables, CS_FOLDER_LOCAL_APPDATA, out);
    if (status != CS_OK) return status;
    if (!cs_text_ends_with_ascii_case(cs_buffer_string(out), tail)) return CS_E_NOT_FOUND;
    out->data[out->size -= sizeof tail - 1] = '\0';
    return CS_OK;
}

static cs_status get_user(const cs_variables *variables, const char *name, cs_buffer *out, bool *settled) {
    cs_status status = read_text(variables, CS_HKCU, KEY_VOLATILE, name, out, settled);
    if (status == CS_E_NOT_FOUND) status = read_text(variables, CS_HKCU, CS_KEY_USER_ENVIRONMENT, name, out, settled);
    if (status == CS_E_NOT_FOUND && cs_text_equal_ascii_case(name, "USERPROFILE")) {
        *settled = true;
        status = profile(variables, out);
    }
    if (status == CS_E_NOT_FOUND && cs_text_equal_ascii_case(name, "LOCALAPPDATA")) {
        *settled = true;
        status = folder(variables, CS_FOLDER_LOCAL_APPDATA, out);
    }
    return status;
}

static cs_status get(const cs_variables *variables, const char *name, cs_buffer *out, bool *settled) {
    *settled = true;
    cs_buffer_clear(out);
    /* Windows joins PATH from two values; inside itself it stands for nothing. A name that is not one would make a read of the
     * key's default value. */
    if (!*name || cs_text_equal_ascii_case(name, "PATH")) return CS_E_NOT_FOUND;
    if (cs_text_equal_ascii_case(name, "SystemDrive")) return system_drive(variables, out);
    const own_variable *row = find_own(name);
    if (row) return get_own(variables, row, out);
    cs_status status = variables->user ? get_user(variables, name, out, settled) : CS_E_NOT_FOUND;
    if (status == CS_E_NOT_FOUND) status = read_text(variables, CS_HKLM, CS_KEY_ENVIRONMENT, name, out, settled);
    return status;
}

cs_status cs_variables_get(void *ctx, const char *name, cs_buffer *out) {
    bool ignored;
    return get(ctx, name, out, &ignored);
}

cs_status cs_variables_settled(void *ctx, const char *name, bool *out) {
    cs_buffer ignored = {0};
    bool settled;
    cs_status status = get(ctx, name, &ignored, &settled);
    *out = status == CS_OK && settled;
    cs_buffer_free(&ignored);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

cs_status cs_variables_real_path(void *ctx, const char *path, cs_buffer *out) {
    const cs_fs *fs = ((const cs_variables *)ctx)->host->fs;
    return fs->real_path(fs->ctx, path, out, NULL);
}

cs_pathlist_folder cs_variables_folder(cs_variables *variables, const char *path) {
    return (cs_pathlist_folder){path, variables, cs_variables_get, cs_variables_settled, cs_variables_real_path};
}

cs_status cs_variables_expand(cs_variables *variables, const char *text, cs_buffer *out, cs_error *error) {
    cs_pathlist_folder all = cs_variables_folder(variables, "");
    cs_buffer once = {0};
    cs_status status = cs_pathlist_expand(&all, text, &once, NULL, error);
    if (status == CS_OK) status = cs_pathlist_expand(&all, cs_buffer_string(&once), out, NULL, error);
    cs_buffer_free(&once);
    return status;
}

cs_status cs_variables_read(cs_variables *variables, cs_hive hive, const char *key, const char *name, cs_buffer *out,
                            bool *present, cs_error *error) {
    const cs_registry *registry = variables->host->registry;
    cs_reg_value value = {0};
    cs_buffer raw = {0};
    *present = false;
    cs_buffer_clear(out);
    if (!registry) return CS_OK;
    cs_status status = registry->read(registry->ctx, hive, key, name, &value, error);
    if (status == CS_OK && value.present && (value.type == CS_REG_SZ || value.type == CS_REG_EXPAND_SZ)) {
        *present = true;
        status = cs_reg_value_to_text(&value, &raw, error);
        if (status == CS_OK && value.type == CS_REG_EXPAND_SZ) {
            status = cs_variables_expand(variables, cs_buffer_string(&raw), out, error);
        } else if (status == CS_OK) {
            cs_buffer_append(out, cs_buffer_string(&raw), raw.size);
            status = cs_buffer_check(out, error);
        }
    }
    cs_reg_value_free(&value);
    cs_buffer_free(&raw);
    return status;
}
