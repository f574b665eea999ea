/* Folders held open while we work below them: nobody can rename or swap a folder that a handle without delete sharing holds, so
 * the path of a target means the same folder from the first check to the last rename. */
#include <string.h>

#include "cudnn_setup/path.h"
#include "engine.h"

static cs_guard *find(cs_engine *engine, const char *path) {
    for (size_t i = 0; i < engine->guard_count; i++)
        if (strcmp(engine->guards[i].path, path) == 0) return &engine->guards[i];
    return NULL;
}

/* The open folder is a folder, no link, and still what its name leads to. */
static cs_status check(cs_engine *engine, const char *path, cs_file *handle, cs_file_id *id, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_file_info held, named;
    cs_status status = fs->info(fs->ctx, handle, &held, error);
    if (status == CS_OK) status = fs->stat(fs->ctx, path, &named, error);
    if (status != CS_OK) return status;
    if (held.kind != CS_FILE_FOLDER || named.kind != CS_FILE_FOLDER)
        return cs_fail(error, CS_E_REPARSE, "hold", path, "a link or a file stands where a folder of the CUDA tree is due");
    if (!cs_file_id_equal(&held.id, &named.id)) return cs_fail(error, CS_E_CHANGED, "hold", path, "somebody swapped the folder");
    *id = held.id;
    return CS_OK;
}

static cs_status add(cs_engine *engine, const char *path, cs_error *error) {
    if (find(engine, path)) return CS_OK;
    cs_guard guard = {.path = cs_strdup(path)};
    cs_guard *guards = cs_realloc(engine->guards, engine->guard_count + 1, sizeof *guards);
    if (guards) engine->guards = guards;
    if (!guard.path || !guards) {
        cs_free(guard.path);
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    cs_status status = cs_engine_open(engine, path, CS_OPEN_FOLDER, &guard.handle, error);
    if (status == CS_OK) {
        status = check(engine, path, guard.handle, &guard.id, error);
        if (status != CS_OK) engine->fs->close(engine->fs->ctx, guard.handle);
    }
    if (status != CS_OK) {
        cs_free(guard.path);
        return status;
    }
    engine->guards[engine->guard_count++] = guard;
    return CS_OK;
}

/* The root first, then each component below it. */
cs_status cs_engine_guard(cs_engine *engine, const char *relative, cs_error *error) {
    cs_buffer path = {0}, part = {0};
    cs_status status = add(engine, engine->tree_path, error);
    for (const char *at = relative; *at && status == CS_OK;) {
        at += strcspn(at, "/");
        cs_buffer_clear(&part);
        cs_buffer_append(&part, relative, (size_t)(at - relative));
        status = cs_buffer_check(&part, error);
        if (status == CS_OK) status = cs_engine_target_path(engine, part.data, &path, error);
        if (status == CS_OK) status = add(engine, path.data, error);
        if (*at) at++;
    }
    cs_buffer_free(&path);
    cs_buffer_free(&part);
    return status;
}

static cs_status guard_or_skip(cs_engine *engine, const char *relative, bool missing_ok, cs_error *error) {
    cs_status status = cs_engine_guard(engine, relative, error);
    return status == CS_E_NOT_FOUND && missing_ok ? CS_OK : status;
}

static cs_status guard_blob(cs_engine *engine, const char *txid, const char *area, bool missing_ok, cs_error *error) {
    cs_buffer relative = {0};
    cs_buffer_format(&relative, CS_NAME_PRIVATE "/%s%s%s", txid, area ? "/" : "", area ? area : "");
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = guard_or_skip(engine, relative.data, missing_ok, error);
    cs_buffer_free(&relative);
    return status;
}

static cs_status guard_target(cs_engine *engine, const char *target, bool missing_ok, cs_error *error) {
    const char *name = strrchr(target, '/');
    if (!name) return CS_OK; /* the root is held already */
    cs_buffer folder = {0};
    cs_buffer_append(&folder, target, (size_t)(name - target));
    cs_status status = cs_buffer_check(&folder, error);
    if (status == CS_OK) status = guard_or_skip(engine, folder.data, missing_ok, error);
    cs_buffer_free(&folder);
    return status;
}

static cs_status guard_root(cs_engine *engine, const cs_record *record, bool missing_ok, cs_error *error) {
    cs_tree_state state = CS_TREE_HERE;
    cs_status status = missing_ok ? cs_engine_find_tree(engine, record, &state, error) : CS_OK;
    if (status != CS_OK) return status;
    if (state == CS_TREE_LINK && record->move_count + record->folders.count)
        return cs_fail(error, CS_E_REPARSE, "hold", engine->tree_path, "a link or a file stands where the CUDA tree was");
    return state == CS_TREE_HERE ? guard_or_skip(engine, "", missing_ok, error) : CS_OK;
}

cs_status cs_engine_guard_record(cs_engine *engine, const cs_record *record, bool missing_ok, cs_error *error) {
    cs_status status = guard_root(engine, record, missing_ok, error);
    if (status != CS_OK || !cs_engine_has_tree(engine)) return status;
    status = guard_blob(engine, record->txid, NULL, missing_ok, error);
    for (size_t i = 0; i < record->move_count && status == CS_OK; i++) {
        const cs_move *move = &record->moves[i];
        status = guard_blob(engine, move->blob.txid, move->blob.area == CS_AREA_NEW ? "new" : "old", missing_ok, error);
        if (status == CS_OK) status = guard_target(engine, move->target, missing_ok, error);
    }
    for (size_t i = 0; i < record->cleanup_count && status == CS_OK; i++) {
        const cs_blob *blob = &record->cleanup[i];
        status = guard_blob(engine, blob->txid, blob->area == CS_AREA_NEW ? "new" : "old", true, error);
    }
    return status;
}

cs_status cs_engine_guards_check(cs_engine *engine, cs_error *error) {
    for (size_t i = 0; i < engine->guard_count; i++) {
        cs_guard *guard = &engine->guards[i];
        cs_file_id id;
        cs_status status = check(engine, guard->path, guard->handle, &id, error);
        if (status != CS_OK) return status;
        if (!cs_file_id_equal(&id, &guard->id)) return cs_fail(error, CS_E_CHANGED, "hold", guard->path, NULL);
    }
    return CS_OK;
}

static void release(cs_engine *engine, cs_guard *guard) {
    engine->fs->close(engine->fs->ctx, guard->handle);
    cs_free(guard->path);
}

void cs_engine_unguard(cs_engine *engine, const char *path) {
    cs_guard *guard = find(engine, path);
    if (!guard) return;
    release(engine, guard);
    size_t after = engine->guard_count - (size_t)(guard - engine->guards) - 1;
    memmove(guard, guard + 1, after * sizeof *guard);
    engine->guard_count--;
}

void cs_engine_unguard_all(cs_engine *engine) {
    while (engine->guard_count) release(engine, &engine->guards[--engine->guard_count]);
    cs_free(engine->guards);
    engine->guards = NULL;
}

static void take_over(cs_guard **to, size_t *to_count, cs_guard **from, size_t *from_count) {
    *to = *from;
    *to_count = *from_count;
    *from = NULL;
    *from_count = 0;
}

void cs_session_unhold(cs_session *session) {
    cs_engine former = {.host = session->host, .fs = session->host ? session->host->fs : NULL};
    take_over(&former.guards, &former.guard_count, &session->held, &session->held_count);
    cs_engine_unguard_all(&former);
}

void cs_engine_give_guards(cs_engine *engine) {
    cs_session_unhold(engine->session);
    take_over(&engine->session->held, &engine->session->held_count, &engine->guards, &engine->guard_count);
}

void cs_engine_take_guards(cs_engine *engine) {
    cs_engine_unguard_all(engine);
    take_over(&engine->guards, &engine->guard_count, &engine->session->held, &engine->session->held_count);
}

bool cs_engine_has_tree(const cs_engine *engine) { return engine->guard_count != 0; }

/* The path's own folder; of a root, and of what has none, nothing. */
static cs_status parent_of(cs_buffer *path, cs_error *error) {
    cs_buffer parent = {0};
    cs_status status = cs_path_parent(&parent, path->data, error);
    if (status == CS_OK && parent.size == path->size) cs_buffer_clear(&parent);
    cs_buffer_free(path);
    *path = parent;
    return status;
}

/* Any folder above it tells whether its drive is there: no link leads to a tree (none is accepted above one). */
static cs_status find_above(cs_engine *engine, bool *found, cs_file_info *info, cs_error *error) {
    cs_buffer path = {0};
    cs_buffer_text(&path, engine->tree_path);
    cs_status status = cs_buffer_check(&path, error);
    *found = false;
    if (status == CS_OK) status = parent_of(&path, error);
    while (status == CS_OK && path.size && !*found) {
        status = cs_engine_stat(engine, path.data, found, info, error);
        if (status == CS_OK && !*found) status = parent_of(&path, error);
    }
    cs_buffer_free(&path);
    return status;
}

/* Which volume the record is about; 0: unknown. */
static uint64_t volume_of(const cs_record *record) {
    if (!record) return 0;
    if (record->volume) return record->volume;
    return record->move_count ? record->moves[0].info.id.volume : 0;
}

cs_status cs_engine_find_tree(cs_engine *engine, const cs_record *record, cs_tree_state *state, cs_error *error) {
    cs_file_info info = {0};
    bool there = false, above = false;
    *state = CS_TREE_AWAY;
    cs_status status = cs_engine_stat(engine, engine->tree_path, &there, &info, error);
    if (status == CS_OK && !there) status = find_above(engine, &above, &info, error);
    if (status != CS_OK || (!there && !above)) return status;
    uint64_t volume = volume_of(record);
    if (volume && volume != info.id.volume) return CS_OK;
    *state = !there ? CS_TREE_GONE : info.kind == CS_FILE_FOLDER ? CS_TREE_HERE : CS_TREE_LINK;
    return CS_OK;
}
