#include "cudnn_setup/search_order.h"

#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"
#include "cudnn_setup/text.h"
#include "pathlist_names.h"
#include "variables.h"

enum { MAX_DLLS = 4096 }; /* in one folder */

static void place_free(cs_search_place *place) {
    for (size_t i = 0; i < place->count; i++) cs_free(place->dlls[i].name);
    cs_free(place->dlls);
    cs_free(place->written);
    cs_free(place->path);
    cs_free(place->real);
    *place = (cs_search_place){0};
}

void cs_search_order_free(cs_search_order *order) {
    for (size_t i = 0; i < order->count; i++) place_free(&order->items[i]);
    cs_free(order->items);
    *order = (cs_search_order){0};
}

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, "search order", NULL, NULL); }

/* ---- one folder ---- */

static bool starts_with(const char *name, const char *start) {
    for (; *start; name++, start++)
        if ((*name | 32) != (*start | 32)) return false;
    return true;
}

static bool interesting(const char *name) {
    return cs_text_ends_with_ascii_case(name, ".dll") &&
           (starts_with(name, "cudnn") || starts_with(name, "cudart64_") || starts_with(name, "cublas"));
}

static cs_status see_file(void *ctx, const char *name, const cs_file_info *info) {
    cs_search_place *place = ctx;
    if (info->kind == CS_FILE_FOLDER || !interesting(name) || place->count == MAX_DLLS) return CS_OK;
    cs_search_dll *dlls = cs_realloc(place->dlls, place->count + 1, sizeof *dlls);
    if (!dlls) return CS_E_NO_MEMORY;
    place->dlls = dlls;
    dlls[place->count] = (cs_search_dll){.name = cs_strdup(name)};
    if (!dlls[place->count].name) return CS_E_NO_MEMORY;
    place->count++;
    return CS_OK;
}

static int by_name(const void *a, const void *b) {
    return cs_text_compare_ascii_case(((const cs_search_dll *)a)->name, ((const cs_search_dll *)b)->name);
}

static cs_status read_dll(const cs_host *host, const char *folder, cs_search_dll *dll, cs_error *error) {
    cs_buffer path = {0};
    cs_pe pe = {0};
    cs_status status = cs_path_join(&path, host->fs->separator, folder, dll->name, error);
    if (status == CS_OK) {
        dll->status = cs_pe_read(host->fs, path.data, CS_PE_VERSION, &pe, NULL);
        if (dll->status == CS_E_NO_MEMORY) status = no_memory(error);
        dll->machine = pe.machine;
        dll->has_version = pe.has_version;
        memcpy(dll->version, pe.file_version, sizeof dll->version);
        cs_pe_free(&pe);
    }
    cs_buffer_free(&path);
    return status;
}

/* Looks into place->path. Resolving comes first: it refuses a drive that is mapped to the network without opening it. real
 * receives the resolved path. */
static cs_status look(const cs_host *host, cs_search_place *place, cs_buffer *real, cs_error *error) {
    cs_status status = host->fs->real_path(host->fs->ctx, place->path, real, NULL);
    if (status == CS_OK) status = host->fs->list(host->fs->ctx, place->path, see_file, place, NULL);
    place->state = status == CS_OK              ? CS_SEARCH_SEEN
                   : status == CS_E_NOT_FOUND   ? CS_SEARCH_ABSENT
                   : status == CS_E_UNSUPPORTED ? CS_SEARCH_NETWORK
                                                : CS_SEARCH_REFUSED;
    if (status == CS_E_NO_MEMORY) return no_memory(error);
    if (place->count) qsort(place->dlls, place->count, sizeof *place->dlls, by_name);
    status = CS_OK;
    for (size_t i = 0; i < place->count && status == CS_OK; i++) status = read_dll(host, place->path, &place->dlls[i], error);
    return status;
}

/* ---- the list ---- */

/* One reading: the order as it grows. */
typedef struct reading {
    const cs_host *host;
    cs_search_order *order;
} reading;

static bool seen_before(const reading *r, const char *real) {
    for (size_t i = 0; i < r->order->count; i++)
        if (*real && cs_text_equal_ascii_case(r->order->items[i].real, real)) return true;
    return false;
}

static void mark_firsts(const cs_search_order *order, cs_search_place *place) {
    for (size_t i = 0; i < place->count; i++) place->dlls[i].first = !cs_search_order_first(order, place->dlls[i].name, NULL);
}

/* Takes over *place, whose path is set where the folder is known. */
static cs_status append(reading *r, cs_search_place *place, cs_error *error) {
    cs_buffer real = {0};
    cs_status status = CS_OK;
    if (place->state == CS_SEARCH_SEEN) {
        status = r->host->fs->real_path(r->host->fs->ctx, place->path, &real, NULL);
        if (status == CS_E_NO_MEMORY)
            no_memory(error);
        else if (status == CS_OK && seen_before(r, real.data))
            place->state = CS_SEARCH_REPEATED;
        else
            status = look(r->host, place, &real, error);
    }
    if (status == CS_OK) mark_firsts(r->order, place);
    if (status == CS_OK && !(place->real = cs_strdup(cs_buffer_string(&real)))) status = no_memory(error);
    cs_search_place *items = status == CS_OK ? cs_realloc(r->order->items, r->order->count + 1, sizeof *items) : NULL;
    if (items) {
        r->order->items = items;
        items[r->order->count++] = *place;
        *place = (cs_search_place){0};
    } else if (status == CS_OK) {
        status = no_memory(error);
    }
    place_free(place);
    cs_buffer_free(&real);
    return status;
}

/* path NULL: not known here. */
static cs_status append_fixed(reading *r, cs_search_kind kind, const char *path, cs_error *error) {
    cs_search_place place = {.kind = kind, .state = path ? CS_SEARCH_SEEN : CS_SEARCH_OPEN, .path = cs_strdup(path)};
    if (path && !place.path) return no_memory(error);
    return append(r, &place, error);
}

static cs_status append_known(reading *r, cs_search_kind kind, cs_folder which, const char *below, cs_error *error) {
    const cs_system *system = r->host->system;
    cs_buffer folder = {0}, path = {0};
    cs_status status = system->folder(system->ctx, which, &folder, error);
    if (status == CS_OK && below) status = cs_path_join(&path, r->host->fs->separator, folder.data, below, error);
    if (status == CS_OK) status = append_fixed(r, kind, below ? path.data : folder.data, error);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return status;
}

/* ---- PATH ---- */

/* The loader takes the characters between two ';' as they are. */
static cs_search_state judge_text(const char *text, bool *starved) {
    cs_buffer canonical = {0};
    size_t size = strlen(text);
    cs_search_state state = CS_SEARCH_UNUSABLE;
    if (cs_pathlist_is_network(text)) {
        state = CS_SEARCH_NETWORK;
    } else if (!strchr(text, '"') && text[0] != ' ' && text[size - 1] != ' ' && text[size - 1] != '\t') {
        cs_path_canonical(&canonical, text);
        if (canonical.size) state = CS_SEARCH_SEEN;
        *starved = canonical.failed;
    }
    cs_buffer_free(&canonical);
    return state;
}

static cs_status append_entry(reading *r, cs_search_kind kind, const char *written, const char *text, size_t size, bool doubtful,
                              cs_error *error) {
    cs_buffer path = {0};
    if (!size) return CS_OK; /* an empty entry is nothing to Windows */
    cs_buffer_append(&path, text, size);
    cs_search_place place = {.kind = kind, .written = cs_strdup(written), .path = path.data, .doubtful = doubtful};
    if (path.failed || !place.written) {
        place_free(&place);
        return no_memory(error);
    }
    bool starved = false;
    place.state = judge_text(place.path, &starved);
    if (kind == CS_SEARCH_USER_PATH && r->order->account == CS_ACCOUNT_OTHER) place.state = CS_SEARCH_ANOTHERS;
    if (starved) {
        place_free(&place);
        return no_memory(error);
    }
    return append(r, &place, error);
}

/* One entry as written; a variable in it may stand for several folders. */
static cs_status append_written(reading *r, cs_search_kind kind, uint32_t type, const char *written, cs_error *error) {
    cs_variables variables = {r->host, kind == CS_SEARCH_USER_PATH};
    cs_pathlist_folder all = cs_variables_folder(&variables, "");
    cs_buffer text = {0};
    bool complete = true;
    cs_status status = CS_OK;
    if (type == CS_REG_EXPAND_SZ) {
        status = cs_pathlist_expand(&all, written, &text, &complete, error);
        if (status == CS_OK) status = cs_variables_expand(&variables, written, &text, error);
    } else {
        cs_buffer_text(&text, written);
    }
    if (status == CS_OK) status = cs_buffer_check(&text, error);
    const char *p = cs_buffer_string(&text);
    while (status == CS_OK) {
        size_t size = strcspn(p, ";");
        status = append_entry(r, kind, written, p, size, !complete, error);
        if (!p[size]) break;
        p += size + 1;
    }
    cs_buffer_free(&text);
    return status;
}

/* The loader knows no quotes: it splits at every ';'. */
static cs_status append_path(reading *r, cs_search_kind kind, const cs_reg_value *value, cs_error *error) {
    cs_buffer text = {0};
    cs_status status = CS_OK;
    if ((value->type == CS_REG_SZ || value->type == CS_REG_EXPAND_SZ) && value->present)
        status = cs_reg_value_to_text(value, &text, error);
    for (char *p = text.data; p && status == CS_OK;) {
        char *end = strchr(p, ';');
        if (end) *end = '\0';
        if (*p) status = append_written(r, kind, value->type, p, error);
        p = end ? end + 1 : NULL;
    }
    cs_buffer_free(&text);
    return status;
}

static cs_status append_registry(reading *r, cs_search_kind kind, cs_hive hive, const char *key, cs_error *error) {
    const cs_registry *registry = r->host->registry;
    cs_reg_value value = {0};
    if (!registry) return CS_OK;
    cs_status status = registry->read(registry->ctx, hive, key, "Path", &value, error);
    if (status == CS_OK) status = append_path(r, kind, &value, error);
    cs_reg_value_free(&value);
    return status;
}

static cs_status read_order(const cs_host *host, const char *program_folder, const cs_reg_value *machine_path,
                            cs_search_order *out, cs_error *error) {
    *out = (cs_search_order){.account = host->system->account(host->system->ctx)};
    reading r = {.host = host, .order = out};
    cs_status status = append_fixed(&r, CS_SEARCH_PROGRAM, program_folder, error);
    if (status == CS_OK) status = append_known(&r, CS_SEARCH_SYSTEM, CS_FOLDER_SYSTEM, NULL, error);
    if (status == CS_OK) status = append_known(&r, CS_SEARCH_SYSTEM_16, CS_FOLDER_WINDOWS, "System", error);
    if (status == CS_OK) status = append_known(&r, CS_SEARCH_WINDOWS, CS_FOLDER_WINDOWS, NULL, error);
    if (status == CS_OK) status = append_fixed(&r, CS_SEARCH_CURRENT, NULL, error);
    if (status == CS_OK)
        status = machine_path ? append_path(&r, CS_SEARCH_MACHINE_PATH, machine_path, error)
                              : append_registry(&r, CS_SEARCH_MACHINE_PATH, CS_HKLM, CS_KEY_ENVIRONMENT, error);
    if (status == CS_OK) status = append_registry(&r, CS_SEARCH_USER_PATH, CS_HKCU, CS_KEY_USER_ENVIRONMENT, error);
    if (status != CS_OK) cs_search_order_free(out);
    return status;
}

cs_status cs_search_order_read(const cs_host *host, const char *program_folder, cs_search_order *out, cs_error *error) {
    return read_order(host, program_folder, NULL, out, error);
}

cs_status cs_search_order_plan(const cs_host *host, const cs_reg_value *machine_path, cs_search_order *out, cs_error *error) {
    return read_order(host, NULL, machine_path, out, error);
}

const cs_search_place *cs_search_order_locate(const cs_host *host, const cs_search_order *order, const char *name,
                                              cs_buffer *path) {
    for (size_t i = 0; i < order->count; i++) {
        const cs_search_place *place = &order->items[i];
        cs_file_info info;
        if (place->state != CS_SEARCH_SEEN || !place->path) continue;
        cs_buffer_clear(path);
        if (cs_path_join(path, host->fs->separator, place->path, name, NULL) == CS_OK &&
            host->fs->stat(host->fs->ctx, path->data, &info, NULL) == CS_OK && info.kind != CS_FILE_FOLDER)
            return place;
    }
    cs_buffer_clear(path);
    return NULL;
}

size_t cs_search_order_find(const cs_host *host, const cs_search_order *order, const char *folder) {
    cs_buffer real = {0};
    size_t found = 0;
    bool known = host->fs->real_path(host->fs->ctx, folder, &real, NULL) == CS_OK && real.size;
    for (; found < order->count; found++) {
        const cs_search_place *place = &order->items[found];
        if (place->state != CS_SEARCH_SEEN && place->state != CS_SEARCH_ABSENT) continue;
        if (known && cs_text_equal_ascii_case(place->real, real.data)) break;
        if (place->path && cs_pathlist_same_text(place->path, folder)) break;
    }
    cs_buffer_free(&real);
    return found;
}

const cs_search_dll *cs_search_order_first(const cs_search_order *order, const char *name, const cs_search_place **place) {
    for (size_t i = 0; i < order->count; i++) {
        for (size_t d = 0; d < order->items[i].count; d++) {
            if (!cs_text_equal_ascii_case(order->items[i].dlls[d].name, name)) continue;
            if (place) *place = &order->items[i];
            return &order->items[i].dlls[d];
        }
    }
    return NULL;
}
