/* frameworks.c: where the Python environments of a machine are. */
#include "cudnn_setup/frameworks.h"

#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"
#include "frameworks_internal.h"

static cs_status look_below(frameworks_search *s, const char *root, const char *below) {
    cs_buffer path = {0};
    cs_status status = cs_path_join(&path, s->host->fs->separator, root, below, NULL);
    if (status == CS_OK) status = frameworks_look(s, path.data);
    cs_buffer_free(&path);
    return status == CS_E_NO_MEMORY ? status : CS_OK;
}

/* The root of an environment on Windows: python.exe and Lib lie in it. */
static cs_status look_at_root(frameworks_search *s, const char *root) {
    return *root ? look_below(s, root, "Lib/site-packages") : CS_OK;
}

/* ---- PATH ---- */

/* A virtual environment's python.exe lies in Scripts. */
static cs_status look_at_program_folder(frameworks_search *s, const char *folder) {
    cs_buffer parent = {0};
    bool scripts = cs_text_equal_ascii_case(cs_path_name(folder), "Scripts");
    if (scripts && cs_path_parent(&parent, folder, NULL) != CS_OK) cs_buffer_clear(&parent);
    cs_status status = look_at_root(s, scripts ? cs_buffer_string(&parent) : folder);
    cs_buffer_free(&parent);
    return status;
}

static bool has_python(const cs_fs *fs, const char *folder) {
    cs_buffer path = {0};
    bool has = cs_path_join(&path, fs->separator, folder, "python.exe", NULL) == CS_OK && cs_fs_exists(fs, path.data);
    cs_buffer_free(&path);
    return has;
}

static cs_status look_on_path(frameworks_search *s) {
    cs_search_order order = {0};
    cs_status status = cs_search_order_read(s->host, NULL, &order, NULL);
    bool read = status == CS_OK;
    if (status != CS_E_NO_MEMORY) status = CS_OK;
    for (size_t i = 0; i < order.count && read && status == CS_OK; i++) {
        const cs_search_place *place = &order.items[i];
        bool in_path = place->kind == CS_SEARCH_MACHINE_PATH || place->kind == CS_SEARCH_USER_PATH;
        if (in_path && place->state == CS_SEARCH_NETWORK) s->out->skipped++;
        if (in_path && place->state == CS_SEARCH_SEEN && place->path && has_python(s->host->fs, place->path))
            status = look_at_program_folder(s, place->path);
    }
    cs_search_order_free(&order);
    return status;
}

/* ---- the registry: PEP 514 ---- */

enum { MAX_KEYS = 64 };

static cs_status note_key(void *ctx, const char *name) {
    cs_strings *keys = ctx;
    return keys->count == MAX_KEYS ? CS_OK : cs_strings_add(keys, name, NULL);
}

static cs_status look_at_tag(frameworks_search *s, cs_hive hive, const char *company, const char *tag) {
    const cs_registry *registry = s->host->registry;
    cs_buffer key = {0}, path = {0};
    cs_reg_value value = {0};
    cs_buffer_format(&key, "SOFTWARE\\Python\\%s\\%s\\InstallPath", company, tag);
    cs_status status = cs_buffer_check(&key, NULL);
    if (status == CS_OK && registry->read(registry->ctx, hive, key.data, "", &value, NULL) == CS_OK && value.present &&
        value.type == CS_REG_SZ && cs_reg_value_to_text(&value, &path, NULL) == CS_OK) {
        while (path.size > 3 && (path.data[path.size - 1] == '\\' || path.data[path.size - 1] == '/'))
            path.data[--path.size] = '\0';
        status = look_at_root(s, cs_buffer_string(&path));
    }
    cs_reg_value_free(&value);
    cs_buffer_free(&key);
    cs_buffer_free(&path);
    return status;
}

static cs_status look_in_hive(frameworks_search *s, cs_hive hive) {
    const cs_registry *registry = s->host->registry;
    cs_strings companies = {0};
    cs_status status = registry->list_keys(registry->ctx, hive, "SOFTWARE\\Python", note_key, &companies, NULL);
    if (status != CS_E_NO_MEMORY) status = CS_OK;
    for (size_t i = 0; i < companies.count && status == CS_OK; i++) {
        cs_buffer key = {0};
        cs_strings tags = {0};
        if (!cs_text_equal_ascii_case(companies.items[i], "PyLauncher")) { /* reserved: no Python of its own */
            cs_buffer_format(&key, "SOFTWARE\\Python\\%s", companies.items[i]);
            status = registry->list_keys(registry->ctx, hive, cs_buffer_string(&key), note_key, &tags, NULL);
            if (status != CS_E_NO_MEMORY) status = CS_OK;
            for (size_t t = 0; t < tags.count && status == CS_OK; t++)
                status = look_at_tag(s, hive, companies.items[i], tags.items[t]);
        }
        cs_strings_free(&tags);
        cs_buffer_free(&key);
    }
    cs_strings_free(&companies);
    return status;
}

/* ---- the user's own folders ---- */

/* C:\Users\name of C:\Users\name\AppData\Local; false where the folder is elsewhere. */
static bool find_profile(const char *local, cs_buffer *out) {
    cs_buffer data = {0};
    bool usual = cs_path_parent(&data, local, NULL) == CS_OK && cs_text_equal_ascii_case(cs_path_name(local), "Local") &&
                 cs_text_equal_ascii_case(cs_path_name(cs_buffer_string(&data)), "AppData") &&
                 cs_path_parent(out, data.data, NULL) == CS_OK && out->size;
    cs_buffer_free(&data);
    return usual;
}

/* One path a line; conda adds each environment that it makes. */
static cs_status look_at_conda(frameworks_search *s, const char *profile) {
    enum { MAX_LIST = 1024 * 1024 };
    cs_buffer path = {0}, text = {0};
    cs_status status = cs_path_join(&path, s->host->fs->separator, profile, ".conda/environments.txt", NULL);
    cs_status read = status == CS_OK ? cs_fs_read_all(s->host->fs, path.data, MAX_LIST, &text, NULL) : status;
    for (char *line = read == CS_OK ? text.data : NULL; line && status == CS_OK;) {
        size_t size = strcspn(line, "\r\n");
        char *next = line[size] ? line + size + 1 : NULL;
        line[size] = '\0';
        status = look_at_root(s, line);
        line = next;
    }
    cs_buffer_free(&path);
    cs_buffer_free(&text);
    return status == CS_E_NO_MEMORY || read == CS_E_NO_MEMORY ? CS_E_NO_MEMORY : CS_OK;
}

typedef struct folders {
    const char *start;
    cs_strings names;
} folders;

static cs_status note_folder(void *ctx, const char *name, const cs_file_info *info) {
    folders *f = ctx;
    char head[64] = {0};
    size_t size = strlen(f->start);
    memcpy(head, name, strlen(name) < size ? strlen(name) : size);
    if (info->kind != CS_FILE_FOLDER || !cs_text_equal_ascii_case(head, f->start) || f->names.count == MAX_KEYS) return CS_OK;
    return cs_strings_add(&f->names, name, NULL);
}

/* Calls look for each folder in <base>/<below> whose name begins so. */
static cs_status each_folder(frameworks_search *s, const char *base, const char *below, const char *start,
                             cs_status (*look)(frameworks_search *s, const char *folder)) {
    const cs_fs *fs = s->host->fs;
    folders found = {.start = start};
    cs_buffer in = {0}, path = {0};
    cs_status status = cs_path_join(&in, fs->separator, base, below, NULL);
    if (status == CS_OK && fs->list(fs->ctx, in.data, note_folder, &found, NULL) == CS_E_NO_MEMORY) status = CS_E_NO_MEMORY;
    for (size_t i = 0; i < found.names.count && status == CS_OK; i++) {
        status = cs_path_join(&path, fs->separator, in.data, found.names.items[i], NULL);
        if (status == CS_OK) status = look(s, path.data);
    }
    cs_strings_free(&found.names);
    cs_buffer_free(&in);
    cs_buffer_free(&path);
    return status;
}

static cs_status look_at_version(frameworks_search *s, const char *folder) { return look_below(s, folder, "site-packages"); }

/* What pip installs for one user: AppData\Roaming\Python\Python37\site-packages. */
static cs_status look_at_users(frameworks_search *s, const char *profile) {
    return each_folder(s, profile, "AppData/Roaming/Python", "Python3", look_at_version);
}

static cs_status look_at_package(frameworks_search *s, const char *folder) {
    return each_folder(s, folder, "LocalCache/local-packages", "Python3", look_at_version);
}

/* Python from the Store keeps what pip installs among the data of its package. */
static cs_status look_at_store(frameworks_search *s, const char *local) {
    return each_folder(s, local, "Packages", "PythonSoftwareFoundation.Python.", look_at_package);
}

/* Resolving refuses what is on the network without opening it. */
static bool is_local(const cs_fs *fs, const char *folder) {
    cs_buffer real = {0};
    bool local = fs->real_path(fs->ctx, folder, &real, NULL) == CS_OK;
    cs_buffer_free(&real);
    return local;
}

static cs_status look_at_user(frameworks_search *s) {
    const cs_system *system = s->host->system;
    cs_buffer local = {0}, profile = {0};
    cs_status status = CS_OK;
    bool known = system->folder(system->ctx, CS_FOLDER_LOCAL_APPDATA, &local, NULL) == CS_OK && local.size;
    if (known && is_local(s->host->fs, local.data)) {
        bool usual = find_profile(local.data, &profile);
        if (usual) status = look_at_conda(s, profile.data);
        if (usual && status == CS_OK) status = look_at_users(s, profile.data);
        if (status == CS_OK) status = look_at_store(s, local.data);
    }
    cs_buffer_free(&local);
    cs_buffer_free(&profile);
    return status;
}

/* The environment that the user works in; whoever has administrator rights goes by nobody's variables. */
static cs_status look_at_variables(frameworks_search *s) {
    static const char *const names[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const cs_system *system = s->host->system;
    cs_status status = CS_OK;
    if (system->is_administrator(system->ctx)) return CS_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == CS_OK; i++) {
        cs_buffer root = {0};
        if (system->own_variable(system->ctx, names[i], &root, NULL) == CS_OK) status = look_at_root(s, cs_buffer_string(&root));
        cs_buffer_free(&root);
    }
    return status;
}

/* ---- all of it ---- */

static cs_status find_all(frameworks_search *s) {
    cs_status status = look_on_path(s);
    if (status == CS_OK && s->host->registry) status = look_in_hive(s, CS_HKCU);
    if (status == CS_OK && s->host->registry) status = look_in_hive(s, CS_HKLM);
    if (status == CS_OK) status = look_at_user(s);
    return status == CS_OK ? look_at_variables(s) : status;
}

static cs_status run(const cs_host *host, const char *site_packages, cs_frameworks *out, cs_error *error) {
    cs_frameworks_table table = {0};
    frameworks_search s = {.host = host, .table = &table, .out = out};
    size_t size = 0;
    const char *bytes = cs_frameworks_embedded(0, &size);
    cs_status status = cs_frameworks_table_parse("the built-in compatibility table", bytes, size, &table, error);
    if (status == CS_OK) {
        status = site_packages ? frameworks_look(&s, site_packages) : find_all(&s);
        if (status != CS_OK) cs_fail(error, status, "look for frameworks", NULL, NULL);
    }
    cs_strings_free(&s.seen);
    cs_frameworks_table_free(&table);
    return status;
}

cs_status cs_frameworks_find(const cs_host *host, cs_frameworks *out, cs_error *error) { return run(host, NULL, out, error); }

cs_status cs_frameworks_look(const cs_host *host, const char *site_packages, cs_frameworks *out, cs_error *error) {
    return run(host, site_packages, out, error);
}

void cs_frameworks_tell(const cs_frameworks *frameworks, cs_language language, cs_buffer *out) {
    for (size_t i = 0; i < frameworks->count; i++) {
        const cs_framework *f = &frameworks->items[i];
        cs_text_visible(out, cs_buffer_string(&f->sentence[language]));
        cs_buffer_text(out, language == CS_CHINESE ? "（" : " (");
        cs_text_visible(out, f->folder);
        cs_buffer_text(out, language == CS_CHINESE ? "）\n" : ")\n");
    }
}
