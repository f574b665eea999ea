/* Section 3 of docs/transaction.md: taking an uncommitted transaction back. The same function serves a run that fails and the
 * next start after a crash. Each step looks at names and file ids alone and may be interrupted and done again. Nothing here
 * creates a file or writes file data, `mark` and `lock` excepted: a full disk does not stop it. */
#include "cudnn_setup/environment.h"
#include "cudnn_setup/hash.h"
#include "engine.h"
#include "engine_mutants.h"

/* ---- 2: registry ---- */

static cs_status write_back(cs_engine *engine, const char *name, const cs_reg_value *value, cs_error *error) {
    const cs_registry *registry = engine->host->registry;
    cs_reg_value found = {0};
    cs_status status = registry->write(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, name, value, error);
    engine->session->registry_written = true;
    if (status == CS_OK) status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, name, &found, error);
    if (status == CS_OK && !cs_reg_value_equal(&found, value))
        status = cs_fail(error, CS_E_CHANGED, "write", name, "it does not read back as it was written");
    cs_reg_value_free(&found);
    return status;
}

static cs_status undo_value(cs_engine *engine, const cs_reg_change *change, cs_error *error) {
    const cs_registry *registry = engine->host->registry;
    cs_reg_value current = {0}, back = {0};
    bool changed = false;
    cs_status status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &current, error);
    if (CS_MUTANT(NO_PATH_MERGE) && status == CS_OK && !cs_reg_value_equal(&current, &change->now)) goto out;
    if (status == CS_OK)
        status = cs_environment_undo_value(engine->host, engine->tree_path, change, &current, &back, &changed, error);
    if (status == CS_OK && changed) status = write_back(engine, change->name, &back, error);
out:
    cs_reg_value_free(&current);
    cs_reg_value_free(&back);
    return status;
}

static cs_status undo_registry(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_status status = cs_engine_needs_registry(engine, record, error);
    for (size_t i = record->reg_count; i-- > 0 && status == CS_OK;) status = undo_value(engine, &record->regs[i], error);
    return status;
}

/* ---- 2: moves ---- */

typedef struct move_paths {
    cs_buffer private_name, target;
} move_paths;

static cs_status find_paths(cs_engine *engine, const cs_move *move, move_paths *out, cs_error *error) {
    cs_status status = cs_blob_path(engine->host, engine->tree_path, &move->blob, &out->private_name, error);
    return status == CS_OK ? cs_engine_target_path(engine, move->target, &out->target, error) : status;
}

static void free_paths(move_paths *paths) {
    cs_buffer_free(&paths->private_name);
    cs_buffer_free(&paths->target);
}

/* "The name is taken" ends an attempt for good: it had better be true. */
static cs_status confirm_taken(cs_engine *engine, const char *path, cs_error *error) {
    cs_file_info info;
    bool there = false;
    cs_error look = {0};
    if (cs_engine_stat(engine, path, &there, &info, &look) == CS_OK && there) return CS_OK;
    return cs_fail(error, CS_E_SYSTEM, "rename", path, "the system says that the name is taken, and it is not");
}

#ifdef CS_ENGINE_MUTANTS
#include <string.h>

static bool has_recorded_content(cs_engine *engine, const cs_move *move, cs_file *file) {
    uint8_t digest[CS_SHA256_SIZE];
    return cs_sha256_file(engine->fs, file, digest, NULL, NULL, NULL, NULL) == CS_OK &&
           memcmp(digest, move->sha256, sizeof digest) == 0;
}
#endif

static bool is_recorded(cs_engine *engine, const cs_move *move, cs_file *file, const cs_file_info *info) {
#ifdef CS_ENGINE_MUTANTS
    if (CS_MUTANT(UNDO_BY_CONTENT)) return has_recorded_content(engine, move, file);
    if (CS_MUTANT(NO_FILE_IDS) || CS_MUTANT(NO_IDS_NO_MARKER)) return true;
#else
    (void)engine;
    (void)file;
#endif
    return cs_file_id_equal(&info->id, &move->info.id);
}

/* Renames from to to if from is the recorded file. moved false: it is not there, or somebody else's, or the name is taken. */
static cs_status move_recorded(cs_engine *engine, const cs_move *move, const char *from, const char *to, cs_file **file,
                               bool *moved, cs_error *error) {
    cs_file_info info;
    *moved = false;
    *file = NULL;
    cs_status status = cs_engine_open_file(engine, from, file, &info, error);
    if (status == CS_E_NOT_FOUND || status == CS_E_REPARSE) return CS_OK;
    if (status != CS_OK) return status;
    if (!is_recorded(engine, move, *file, &info)) return CS_OK;
    status = cs_engine_rename(engine, *file, to, CS_MUTANT(UNDO_REPLACES), error);
    if (status == CS_E_NO_SPACE && !CS_MUTANT(RESERVE_KEPT) && cs_engine_drop_state(engine, "reserve", error) == CS_OK)
        status = cs_engine_rename(engine, *file, to, false, error);
    *moved = status == CS_OK;
    return status == CS_E_EXISTS ? confirm_taken(engine, to, error) : status;
}

/* Somebody may have deleted our folders; what has to go back needs them. */
static cs_status make_private_folders(cs_engine *engine, const cs_blob *blob, cs_error *error) {
    const char *const steps[] = {NULL, blob->txid, blob->txid};
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < 3 && status == CS_OK; i++) {
        const char *name = i < 2 ? NULL : blob->area == CS_AREA_NEW ? "new" : "old";
        bool there = false;
        cs_file_info info;
        status = cs_engine_private_path(engine->host, engine->tree_path, steps[i], name, &path, error);
        if (status == CS_OK) status = cs_engine_stat(engine, path.data, &there, &info, error);
        if (status == CS_OK && !there) status = cs_engine_make_folder(engine, path.data, error);
    }
    cs_buffer_free(&path);
    return status;
}

/* private -> T was done if the private name is gone and T holds the recorded file. */
static cs_status take_back_placed(cs_engine *engine, const cs_move *move, cs_error *error) {
    move_paths paths = {0};
    cs_file *file = NULL;
    cs_file_info info;
    bool there = false, moved;
    cs_status status = find_paths(engine, move, &paths, error);
    if (status == CS_OK) status = cs_engine_stat(engine, paths.private_name.data, &there, &info, error);
    if (status == CS_OK && !there) status = make_private_folders(engine, &move->blob, error);
    if (status == CS_OK && !there)
        status = move_recorded(engine, move, paths.target.data, paths.private_name.data, &file, &moved, error);
    engine->fs->close(engine->fs->ctx, file);
    free_paths(&paths);
    return status;
}

static void report_parked(cs_engine *engine, const move_paths *paths) {
    cs_emit(engine->host->events, CS_EVENT_WARNING, "file.parked",
            "%s is another program's file now and is kept; the file that stood there before stays at %s", paths->target.data,
            paths->private_name.data);
}

/* An earlier undo may have ended between the rename and this. Who wrote to the file since has the last word on it. */
static cs_status repeat_info(cs_engine *engine, const cs_move *move, const char *target, cs_error *error) {
    cs_file *file = NULL;
    cs_file_info now;
    const cs_file_info *info = &move->info;
    bool there = false;
    cs_status status = cs_engine_stat(engine, target, &there, &now, error);
    if (status != CS_OK || !there || now.kind != CS_FILE_REGULAR || !cs_file_id_equal(&now.id, &info->id)) return status;
    if (now.size != info->size || now.written != info->written) return CS_OK;
    if (now.created == info->created && now.attributes == info->attributes) return CS_OK;
    status = cs_engine_open_file(engine, target, &file, &now, error);
    if (status == CS_OK && cs_file_id_equal(&now.id, &info->id)) status = cs_engine_set_info(engine, file, info, error);
    engine->fs->close(engine->fs->ctx, file);
    return status == CS_E_NOT_FOUND || status == CS_E_REPARSE ? CS_OK : status;
}

/* T -> old was done if the private name exists. */
static cs_status bring_back_old(cs_engine *engine, const cs_move *move, cs_error *error) {
    move_paths paths = {0};
    cs_file *file = NULL;
    cs_file_info info;
    bool there = false, moved = false;
    cs_status status = find_paths(engine, move, &paths, error);
    if (status == CS_OK) status = cs_engine_stat(engine, paths.private_name.data, &there, &info, error);
    if (status == CS_OK && there) {
        status = move_recorded(engine, move, paths.private_name.data, paths.target.data, &file, &moved, error);
        if (status == CS_OK && moved) status = cs_engine_set_info(engine, file, &move->info, error);
        if (status == CS_OK && !moved) report_parked(engine, &paths);
    } else if (status == CS_OK) {
        status = repeat_info(engine, move, paths.target.data, error);
    }
    engine->fs->close(engine->fs->ctx, file);
    free_paths(&paths);
    return status;
}

static cs_status undo_moves(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = record->move_count; i-- > 0 && status == CS_OK;)
        if (!record->moves[i].to_private) status = take_back_placed(engine, &record->moves[i], error);
    /* Without this barrier a crash could keep a later rename and lose an earlier one: two files for one name. */
    if (status == CS_OK && !CS_MUTANT(BARRIER_MISSING)) status = cs_engine_sync_tree(engine, error);
    for (size_t i = record->move_count; i-- > 0 && status == CS_OK;)
        if (record->moves[i].to_private) status = bring_back_old(engine, &record->moves[i], error);
    return status;
}

/* ---- 3 ---- */

static cs_status remove_made_folders(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = record->folders.count; i-- > 0 && status == CS_OK;) {
        status = cs_engine_target_path(engine, record->folders.items[i], &path, error);
        if (status != CS_OK) break;
        cs_engine_unguard(engine, path.data);
        status = cs_engine_remove_if_empty(engine, path.data, error);
    }
    cs_buffer_free(&path);
    /* Those that are not empty stay, and are flushed with the others. */
    return status == CS_OK ? cs_engine_guard_record(engine, record, true, error) : status;
}

/* Without both flushes an undone installation could come back half after its journal is gone. */
static cs_status make_undo_durable(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_status status = CS_MUTANT(UNDO_TREE_UNSYNCED) ? CS_OK : cs_engine_sync_tree(engine, error);
    return status == CS_OK && record->reg_count && !CS_MUTANT(UNDO_REGISTRY_UNFLUSHED)
               ? cs_engine_flush_environment(engine, error)
               : status;
}

/* ---- 4 and 5 ---- */

static cs_status mark_undone(cs_engine *engine, cs_error *error) {
    cs_status status = cs_engine_rename_state(engine, "journal", "undone", false, error);
    return status == CS_OK ? cs_engine_sync_state(engine, error) : status;
}

/* One that is in use stays for a later collection: nothing names its transaction any more. */
static void drop_staged(cs_engine *engine, const cs_record *record) {
    cs_buffer path = {0};
    for (size_t i = 0; i < record->move_count; i++) {
        const cs_move *move = &record->moves[i];
        cs_error ignored = {0};
        if (move->blob.area != CS_AREA_NEW) continue;
        cs_status status = cs_blob_path(engine->host, engine->tree_path, &move->blob, &path, &ignored);
        if (status == CS_OK) status = cs_engine_drop(engine, path.data, &move->info.id, &ignored);
        if (status != CS_OK) engine->impatient = true;
    }
    engine->impatient = false;
    cs_buffer_free(&path);
}

cs_status cs_engine_finish_undone(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_engine_unguard_all(engine);
    cs_status status = cs_engine_guard_record(engine, record, true, error);
    /* Seen under its name is not yet durable; `new` may go only when it is. */
    if (status == CS_OK) status = cs_engine_sync_state(engine, error);
    if (status == CS_OK) drop_staged(engine, record);
    if (status == CS_OK) status = cs_engine_sync_tree(engine, error);
    if (status == CS_OK) status = cs_engine_drop_state(engine, "undone", error);
    return status == CS_OK ? cs_engine_sync_state(engine, error) : status;
}

/* A tree that is not there on a drive that is: its files are gone, and registry and records are put right without them. On a
 * drive that is not there they may come back: everything waits. */
static cs_status check_drive(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_tree_state state;
    if (cs_engine_has_tree(engine)) return CS_OK;
    cs_status status = cs_engine_find_tree(engine, record, &state, error);
    if (status == CS_OK && state == CS_TREE_AWAY)
        status = cs_fail(error, CS_E_NOT_FOUND, "find", engine->tree_path,
                         "its drive is not there, or another one under its letter; connect it and run /recover");
    return status;
}

cs_status cs_engine_undo(cs_engine *engine, const cs_record *record, cs_error *error) {
    cs_engine_unguard_all(engine);
    cs_status status = cs_engine_guard_record(engine, record, true, error);
    if (status == CS_OK) status = check_drive(engine, record, error);
    if (status == CS_OK) status = undo_registry(engine, record, error);
    if (status == CS_OK && cs_engine_has_tree(engine)) status = undo_moves(engine, record, error);
    if (status == CS_OK && cs_engine_has_tree(engine)) status = remove_made_folders(engine, record, error);
    if (status == CS_OK) status = make_undo_durable(engine, record, error);
    if (status == CS_OK && (CS_MUTANT(NO_UNDONE_MARKER) || CS_MUTANT(NO_IDS_NO_MARKER))) {
        drop_staged(engine, record);
        return cs_engine_drop_state(engine, "journal", error);
    }
    if (CS_MUTANT(RECOVERY_CREATES) && status == CS_OK && cs_engine_drop_state(engine, "intent", error) == CS_OK)
        status = cs_engine_write_intent(engine, error);
    if (status == CS_OK) status = mark_undone(engine, error);
    return status == CS_OK ? cs_engine_finish_undone(engine, record, error) : status;
}
