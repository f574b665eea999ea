/* Steps 11 and 12: what follows a durable commit. Everything here may be interrupted and done again. */
#include <string.h>

#include "engine.h"
#include "engine_mutants.h"

/* ---- 11: registry, redo ---- */

/* A crash may have lost a write of ours while the commit survived (hive and volume know no common order): put it there now.
 * Anything but the old value is somebody's later word. */
static cs_status redo_value(cs_engine *engine, const cs_reg_change *change, bool *written, cs_error *error) {
    const cs_registry *registry = engine->host->registry;
    cs_reg_value current = {0};
    cs_status status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &current, error);
    if (status == CS_OK && cs_reg_value_equal(&current, &change->old)) {
        status = registry->write(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &change->now, error);
        *written = engine->session->registry_written = true;
    }
    cs_reg_value_free(&current);
    return status;
}

static cs_status redo_registry(cs_engine *engine, const cs_record *record, cs_error *error) {
    bool written = false;
    cs_status status = cs_engine_needs_registry(engine, record, error);
    for (size_t i = 0; i < record->reg_count && status == CS_OK; i++)
        status = redo_value(engine, &record->regs[i], &written, error);
    return status == CS_OK && written ? cs_engine_flush_environment(engine, error) : status;
}

/* ---- 11: names ---- */

/* Files that this transaction took away are known by their ids; what earlier ones kept, by its name in B alone. */
static const cs_file_id *known_id(const cs_record *record, const cs_blob *blob) {
    for (size_t i = 0; i < record->move_count; i++) {
        const cs_move *move = &record->moves[i];
        if (strcmp(move->blob.txid, blob->txid) == 0 && move->blob.area == blob->area && move->blob.number == blob->number)
            return &move->info.id;
    }
    return NULL;
}

/* A name that cannot go now (a DLL that a program still has loaded, a drive that is not there) stays listed for a later run. */
static void drop_listed(cs_engine *engine, const cs_record *record) {
    cs_buffer path = {0};
    if (!cs_engine_has_tree(engine)) return; /* by name alone, below nothing that is held, nothing is dropped */
    for (size_t i = 0; i < record->cleanup_count; i++) {
        const cs_blob *blob = &record->cleanup[i];
        cs_error error = {0};
        cs_status status = cs_blob_path(engine->host, engine->tree_path, blob, &path, &error);
        if (status == CS_OK) status = cs_engine_drop(engine, path.data, known_id(record, blob), &error);
        if (status == CS_OK) continue;
        char text[512];
        cs_error_text(&error, text, sizeof text);
        cs_emit(engine->host->events, CS_EVENT_DETAIL, "clean.later", "a later run drops it: %s", text);
        engine->impatient = true;
    }
    engine->impatient = false;
    cs_buffer_free(&path);
}

static cs_status still_there(cs_engine *engine, const cs_blob *blob, bool *there, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info;
    *there = true;
    cs_status status = cs_blob_path(engine->host, engine->tree_path, blob, &path, error);
    if (status == CS_OK) status = cs_engine_stat(engine, path.data, there, &info, error);
    cs_buffer_free(&path);
    return status;
}

/* Whether anything that the record lists is left in B: names to drop, or parked files. */
static cs_status anything_left(cs_engine *engine, const cs_record *record, bool *left, cs_error *error) {
    cs_tree_state state;
    cs_status status = cs_engine_find_tree(engine, record, &state, error);
    *left = state == CS_TREE_AWAY && record->cleanup_count + record->parked_count > 0;
    if (status != CS_OK || state != CS_TREE_HERE) return status;
    for (size_t i = 0; i < record->cleanup_count && status == CS_OK && !*left; i++)
        status = still_there(engine, &record->cleanup[i], left, error);
    for (size_t i = 0; i < record->parked_count && status == CS_OK && !*left; i++)
        status = still_there(engine, &record->parked[i].blob, left, error);
    return status;
}

/* ---- 11: folders ---- */

static bool keeps_folder(const cs_record *record, const char *folder) {
    for (size_t i = 0; i < record->stack_count; i++)
        for (size_t k = 0; k < record->stack[i].folders.count; k++)
            if (strcmp(record->stack[i].folders.items[k], folder) == 0) return true;
    return false;
}

static cs_status remove_tree_folder(cs_engine *engine, const char *folder, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_target_path(engine, folder, &path, error);
    if (status == CS_OK) {
        cs_engine_unguard(engine, path.data);
        status = cs_engine_remove_if_empty(engine, path.data, error);
    }
    cs_buffer_free(&path);
    return status;
}

/* Folders that receipts made which are no longer in the stack: the former `head` lists them, and it stands until step 12. One
 * that cannot be removed now leaves `committed` for the next run: after step 12 nobody would know of it. */
static cs_status remove_left_folders(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_record before = {0};
    cs_status status = cs_engine_read_record(engine->session, engine->tree_id, "head", &before, error);
    if (status != CS_OK) return status == CS_E_NOT_FOUND ? CS_OK : status;
    for (size_t i = before.stack_count; i-- > 0 && status == CS_OK;) {
        const cs_strings *folders = &before.stack[i].folders;
        for (size_t k = folders->count; k-- > 0 && status == CS_OK;)
            if (!keeps_folder(record, folders->items[k])) status = remove_tree_folder(engine, folders->items[k], error);
    }
    cs_record_free(&before);
    /* Those that are not empty stay, and are flushed with the others. */
    return status == CS_OK ? cs_engine_guard_record(engine, record, true, error) : status;
}

/* ---- 12 ---- */

static cs_status become_head(cs_engine *engine, cs_error *error) {
    cs_status status = cs_engine_rename_state(engine, "committed", "head", true, error);
    return status == CS_OK ? cs_engine_sync_state(engine, error) : status;
}

/* A head that says nothing more: nothing installed, nothing to drop, nothing parked. */
static cs_status drop_empty_head(cs_engine *engine, const cs_record *record, bool *dropped, cs_error *error) {
    bool left = true;
    *dropped = false;
    if (record->stack_count) return CS_OK;
    cs_status status = anything_left(engine, record, &left, error);
    if (status != CS_OK || left) return status;
    status = cs_engine_drop_state(engine, "head", error);
    if (status == CS_OK) status = cs_engine_sync_state(engine, error);
    *dropped = status == CS_OK;
    return status;
}

void cs_engine_collect_quietly(cs_engine *engine, const cs_record *head) {
    cs_error error = {0};
    if (cs_engine_collect(engine, head, &error) == CS_OK) return;
    char text[512];
    cs_error_text(&error, text, sizeof text);
    cs_emit(engine->host->events, CS_EVENT_WARNING, "collect.later", "Not everything could be tidied up; a later run does it: %s",
            text);
}

/* From here on the change is finished; what cannot be tidied up now, every later run tries again. */
static void finish_head(cs_engine *engine, const cs_record *record) {
    bool dropped = false;
    cs_error error = {0};
    if (drop_empty_head(engine, record, &dropped, &error) != CS_OK) {
        char text[512];
        cs_error_text(&error, text, sizeof text);
        cs_emit(engine->host->events, CS_EVENT_WARNING, "clean.later",
                "Not everything could be tidied up; a later run does it: %s", text);
    }
    cs_engine_collect_quietly(engine, dropped ? NULL : record);
}

cs_status cs_engine_clean(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_engine_unguard_all(engine);
    cs_status status = cs_engine_guard_record(engine, record, true, error);
    /* Found under its name is not yet durable: the run that renamed it may have ended before its flush. */
    if (status == CS_OK && !CS_MUTANT(COMMIT_UNSYNCED)) status = cs_engine_sync_state(engine, error);
    if (status == CS_OK) status = redo_registry(engine, record, error);
    if (status == CS_OK) drop_listed(engine, record);
    if (status == CS_OK && cs_engine_has_tree(engine)) status = remove_left_folders(engine, record, error);
    /* Before the list of what was to be dropped goes, the drops have to be durable. */
    if (status == CS_OK) status = cs_engine_sync_tree(engine, error);
    if (status == CS_OK) status = become_head(engine, error);
    if (status == CS_OK) finish_head(engine, record);
    return status;
}

/* ---- later runs ---- */

static cs_status count_left(cs_engine *engine, const cs_record *head, size_t *count, cs_error *error) {
    cs_status status = CS_OK;
    *count = 0;
    for (size_t i = 0; i < head->cleanup_count && status == CS_OK; i++) {
        bool there = false;
        status = still_there(engine, &head->cleanup[i], &there, error);
        if (there) ++*count;
    }
    return status;
}

/* Without waiting: what was in use for an earlier run's whole patience is no scanner's. */
static cs_status drop_again(cs_engine *engine, const cs_record *head, cs_error *error) {
    size_t before = 0, after = 0;
    cs_tree_state state;
    cs_status status = cs_engine_find_tree(engine, head, &state, error);
    if (status != CS_OK || state != CS_TREE_HERE) return status;
    status = count_left(engine, head, &before, error);
    if (status != CS_OK || !before) return status;
    status = cs_engine_guard_record(engine, head, true, error);
    if (status != CS_OK) return status;
    engine->impatient = true;
    drop_listed(engine, head);
    status = count_left(engine, head, &after, error);
    return status == CS_OK && after < before ? cs_engine_sync_tree(engine, error) : status;
}

void cs_engine_clean_head(cs_engine *engine, const cs_record *head) {
    cs_error error = {0};
    if (drop_again(engine, head, &error) == CS_OK) {
        finish_head(engine, head);
        return;
    }
    char text[512];
    cs_error_text(&error, text, sizeof text);
    cs_emit(engine->host->events, CS_EVENT_DETAIL, "clean.later", "a later run goes on: %s", text);
}
