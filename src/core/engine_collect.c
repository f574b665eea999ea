/* Dropping what no record names: the leavings of a run that ended before its journal, and what a finished one needs no more.
 * Only closed names are dropped, by handle, below held folders; `old` is never touched here. */
#include <string.h>

#include "engine.h"
#include "engine_mutants.h"
#include "record_rules.h"

/* ---- which transactions are named ---- */

static bool names_txid(const cs_record *head, const char *txid) {
    if (!head) return false;
    for (size_t i = 0; i < head->stack_count; i++)
        if (strcmp(head->stack[i].txid, txid) == 0) return true;
    for (size_t i = 0; i < head->parked_count; i++)
        if (strcmp(head->parked[i].blob.txid, txid) == 0) return true;
    return false;
}

typedef struct name_list {
    cs_strings names;
    bool (*wanted)(const char *name, const cs_file_info *info);
    cs_error *error;
} name_list;

static cs_status add_name(void *ctx, const char *name, const cs_file_info *info) {
    name_list *list = ctx;
    return list->wanted(name, info) ? cs_strings_add(&list->names, name, list->error) : CS_OK;
}

static bool is_txid_folder(const char *name, const cs_file_info *info) {
    return info->kind == CS_FILE_FOLDER && strlen(name) == CS_ID_HEX && cs_txid_valid(name);
}

static bool is_number_file(const char *name, const cs_file_info *info) {
    return info->kind == CS_FILE_REGULAR && strlen(name) == 2 && strspn(name, "0123456789") == 2;
}

static bool is_manifest_file(const char *name, const cs_file_info *info) {
    uint8_t digest[CS_SHA256_SIZE];
    return info->kind == CS_FILE_REGULAR && strlen(name) == CS_SHA256_HEX + 5 && strcmp(name + CS_SHA256_HEX, ".json") == 0 &&
           cs_unhex(name, CS_SHA256_HEX, digest, sizeof digest);
}

/* The wanted names in a folder; an absent folder has none. */
static cs_status list_names(cs_engine *engine, const char *path, name_list *list, cs_error *error) {
    list->error = error;
    cs_status status = engine->fs->list(engine->fs->ctx, path, add_name, list, error);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

/* ---- B ---- */

static cs_status drop_new(cs_engine *engine, const char *folder, cs_error *error) {
    name_list list = {.wanted = is_number_file};
    cs_buffer path = {0};
    cs_status status = list_names(engine, folder, &list, error);
    for (size_t i = 0; i < list.names.count && status == CS_OK; i++) {
        cs_buffer_clear(&path);
        cs_buffer_format(&path, "%s%c%s", folder, engine->fs->separator, list.names.items[i]);
        status = cs_buffer_check(&path, error);
        if (status == CS_OK) status = cs_engine_drop(engine, path.data, NULL, error);
    }
    cs_strings_free(&list.names);
    cs_buffer_free(&path);
    return status;
}

/* Our own handle would keep the folder from going; its parent stays held. */
static cs_status remove_folder(cs_engine *engine, const char *path, cs_error *error) {
    cs_engine_unguard(engine, path);
    return cs_engine_remove_if_empty(engine, path, error);
}

static cs_status private_path(cs_engine *engine, const char *txid, const char *name, cs_buffer *out, cs_error *error) {
    return cs_engine_private_path(engine->host, engine->tree_path, txid, name, out, error);
}

static cs_status drop_private(cs_engine *engine, const char *txid, const char *name, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = private_path(engine, txid, name, &path, error);
    if (status == CS_OK) status = cs_engine_drop(engine, path.data, NULL, error);
    cs_buffer_free(&path);
    return status;
}

/* B\txid\new, if it is there and a folder. */
static cs_status empty_new_folder(cs_engine *engine, const char *txid, cs_error *error) {
    cs_buffer relative = {0}, path = {0};
    cs_buffer_format(&relative, CS_NAME_PRIVATE "/%s/new", txid);
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = private_path(engine, txid, "new", &path, error);
    if (status == CS_OK) status = cs_engine_guard(engine, relative.data, error);
    if (status == CS_OK) status = drop_new(engine, path.data, error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    if (status == CS_OK) status = remove_folder(engine, path.data, error);
    cs_buffer_free(&relative);
    cs_buffer_free(&path);
    return status;
}

static cs_status remove_private_folder(cs_engine *engine, const char *txid, const char *name, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = private_path(engine, txid, name, &path, error);
    if (status == CS_OK) status = remove_folder(engine, path.data, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status is_there(cs_engine *engine, const char *txid, const char *name, bool *there, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info;
    *there = true;
    cs_status status = private_path(engine, txid, name, &path, error);
    if (status == CS_OK) status = cs_engine_stat(engine, path.data, there, &info, error);
    cs_buffer_free(&path);
    return status;
}

/* A folder that stays is flushed if something in it went: nothing points to it any more once `intent` is gone. */
static cs_status flush_kept(cs_engine *engine, const char *txid, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = private_path(engine, txid, NULL, &path, error);
    if (status == CS_OK) status = engine->fs->sync_folder(engine->fs->ctx, path.data, error);
    cs_buffer_free(&path);
    return status;
}

/* An `old` that is not empty holds somebody's file: it stays, and so does its folder. */
static cs_status collect_transaction(cs_engine *engine, const char *txid, bool *gone, cs_error *error) {
    cs_buffer relative = {0};
    bool had_new = false, had_mark = false, there = true;
    cs_buffer_format(&relative, CS_NAME_PRIVATE "/%s", txid);
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = cs_engine_guard(engine, relative.data, error);
    if (status == CS_OK) status = is_there(engine, txid, "new", &had_new, error);
    if (status == CS_OK) status = is_there(engine, txid, "mark", &had_mark, error);
    if (status == CS_OK) status = empty_new_folder(engine, txid, error);
    if (status == CS_OK) status = remove_private_folder(engine, txid, "old", error);
    if (status == CS_OK) status = drop_private(engine, txid, "archive", error);
    if (status == CS_OK) status = drop_private(engine, txid, "mark", error);
    if (status == CS_OK) status = remove_private_folder(engine, txid, NULL, error);
    if (status == CS_OK) status = is_there(engine, txid, NULL, &there, error);
    if (status == CS_OK && !there) *gone = true;
    if (status == CS_OK && there && (had_new || had_mark)) status = flush_kept(engine, txid, error);
    cs_buffer_free(&relative);
    return status;
}

/* Of a transaction that a receipt or a parked row names only what is no use after its end goes. */
static cs_status collect_leavings(cs_engine *engine, const char *txid, cs_error *error) {
    cs_buffer relative = {0};
    cs_buffer_format(&relative, CS_NAME_PRIVATE "/%s", txid);
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = cs_engine_guard(engine, relative.data, error);
    if (status == CS_OK) status = drop_private(engine, txid, "archive", error);
    if (status == CS_OK) status = empty_new_folder(engine, txid, error);
    if (status == CS_OK) status = remove_private_folder(engine, txid, "old", error);
    cs_buffer_free(&relative);
    return status;
}

/* B, where it is still there for other transactions, and the folder that it was in. */
static cs_status sync_removals(cs_engine *engine, const char *path, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_file_info info;
    bool there = false;
    cs_status status = cs_engine_stat(engine, path, &there, &info, error);
    if (status == CS_OK && there) status = fs->sync_folder(fs->ctx, path, error);
    return status == CS_OK ? fs->sync_folder(fs->ctx, engine->tree_path, error) : status;
}

static cs_status collect_private(cs_engine *engine, const cs_record *head, cs_error *error) {
    cs_buffer path = {0};
    name_list list = {.wanted = is_txid_folder};
    cs_status status = private_path(engine, NULL, NULL, &path, error);
    if (status == CS_OK) status = cs_engine_guard(engine, CS_NAME_PRIVATE, error);
    if (status == CS_OK) status = list_names(engine, path.data, &list, error);
    bool collected = false;
    for (size_t i = 0; i < list.names.count && status == CS_OK; i++) {
        const char *txid = list.names.items[i];
        status =
            names_txid(head, txid) ? collect_leavings(engine, txid, error) : collect_transaction(engine, txid, &collected, error);
    }
    /* With nothing of ours in it the tree is left as it was found. */
    bool tidied = status == CS_OK && (collected || !list.names.count);
    if (tidied) status = remove_folder(engine, path.data, error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    /* `mark` is gone, so the folder is all that can be flushed: `intent` must not go before what it stands for. */
    if (status == CS_OK && tidied) status = sync_removals(engine, path.data, error);
    cs_strings_free(&list.names);
    cs_buffer_free(&path);
    return status;
}

/* ---- S ---- */

static bool names_manifest(const cs_record *head, const char *name) {
    char hex[CS_SHA256_HEX + 1];
    for (size_t i = 0; head && i < head->stack_count; i++) {
        cs_hex(head->stack[i].trust.manifest_sha256, CS_SHA256_SIZE, hex);
        if (strncmp(name, hex, CS_SHA256_HEX) == 0) return true;
    }
    return false;
}

static cs_status collect_manifests(cs_engine *engine, const cs_record *head, cs_error *error) {
    cs_buffer folder = {0}, name = {0};
    name_list list = {.wanted = is_manifest_file};
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, "manifests", &folder, error);
    if (status == CS_OK) status = list_names(engine, folder.data, &list, error);
    for (size_t i = 0; i < list.names.count && status == CS_OK; i++) {
        if (names_manifest(head, list.names.items[i])) continue;
        cs_buffer_clear(&name);
        cs_buffer_format(&name, "manifests/%s", list.names.items[i]);
        status = cs_buffer_check(&name, error);
        if (status == CS_OK) status = cs_engine_drop_state(engine, name.data, error);
    }
    if (status == CS_OK && !head) status = cs_engine_remove_if_empty(engine, folder.data, error);
    cs_strings_free(&list.names);
    cs_buffer_free(&folder);
    cs_buffer_free(&name);
    return status;
}

/* One that leads to another path stays until that path was collected. A torn one was never acted upon. */
static cs_status drop_intent(cs_engine *engine, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_read_intent(engine->session, engine->tree_id, &path, error);
    bool elsewhere = status == CS_OK && engine->tree_path && strcmp(path.data, engine->tree_path) != 0;
    cs_buffer_free(&path);
    if (status == CS_E_NOT_FOUND || elsewhere) return CS_OK;
    if (status != CS_OK && status != CS_E_FORMAT && status != CS_E_TOO_BIG) return status;
    return cs_engine_drop_state(engine, "intent", error);
}

cs_status cs_engine_collect(cs_engine *engine, const cs_record *head, cs_error *error) {
    cs_buffer path = {0};
    cs_tree_state state = CS_TREE_GONE;
    cs_engine_unguard_all(engine);
    cs_status status = engine->tree_path ? cs_engine_find_tree(engine, NULL, &state, error) : CS_OK;
    if (status != CS_OK || state == CS_TREE_AWAY) return status; /* what lies there waits, and so does what points to it */
    if (state == CS_TREE_HERE) status = collect_private(engine, head, error);
    if (status == CS_OK) status = collect_manifests(engine, head, error);
    if (status == CS_OK) status = cs_engine_drop_state(engine, "reserve", error);
    /* Last: as long as it is there, a later run knows where to look. */
    if (status == CS_OK) status = drop_intent(engine, error);
    if (CS_MUTANT(RESTLESS) && status == CS_OK) status = cs_engine_sync_state(engine, error);
    if (status == CS_OK && !head) status = cs_engine_state_path(engine->session, engine->tree_id, NULL, &path, error);
    if (status == CS_OK && !head) status = cs_engine_remove_if_empty(engine, path.data, error);
    cs_engine_unguard_all(engine);
    cs_buffer_free(&path);
    return status;
}
