/* Making things durable. A flush that failed may have dropped what it could not write: it is never tried again, it is a failure.
 */
#include "engine.h"
#include "engine_mutants.h"

/* FlushFileBuffers needs a handle with write access, and a file system flushes its log when there is something to write: so a
 * file of our own gets one byte rewritten. */
static cs_status touch(const cs_fs *fs, cs_file *file, cs_error *error) {
    cs_status status = fs->write(fs->ctx, file, 0, ".", 1, error);
    if (status == CS_OK) status = fs->flush(fs->ctx, file, error);
    if (CS_MUTANT(FLUSH_RETRIED) && status != CS_OK) status = fs->flush(fs->ctx, file, error);
    return status;
}

static cs_status touch_mark(cs_engine *engine, const char *path, cs_error *error) {
    cs_file *file = NULL;
    cs_status status = cs_engine_open(engine, path, CS_OPEN_UPDATE, &file, error);
    if (status != CS_OK) return status;
    status = touch(engine->fs, file, error);
    engine->fs->close(engine->fs->ctx, file);
    return status;
}

static cs_status mark_path(cs_engine *engine, cs_buffer *out, cs_error *error) {
    return cs_engine_private_path(engine->host, engine->tree_path, engine->txid, "mark", out, error);
}

cs_status cs_engine_make_mark(cs_engine *engine, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = mark_path(engine, &path, error);
    if (status == CS_OK) status = touch_mark(engine, path.data, error);
    cs_buffer_free(&path);
    return status;
}

/* A mark that is gone (collected with its transaction, or deleted by somebody) is not made again: recovery creates no file. The
 * folders are flushed all the same. */
static cs_status sync_mark(cs_engine *engine, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info;
    bool there = false;
    cs_status status = mark_path(engine, &path, error);
    if (status == CS_OK) status = cs_engine_stat(engine, path.data, &there, &info, error);
    if (status == CS_OK && there) status = touch_mark(engine, path.data, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_engine_sync_tree(cs_engine *engine, cs_error *error) {
    if (!cs_engine_has_tree(engine)) return CS_OK;
    cs_status status = engine->txid[0] ? sync_mark(engine, error) : CS_OK;
    for (size_t i = 0; i < engine->guard_count && status == CS_OK; i++)
        status = engine->fs->sync_folder(engine->fs->ctx, engine->guards[i].path, error);
    return status;
}

cs_status cs_engine_sync_state(cs_engine *engine, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_buffer path = {0};
    cs_status status = touch(fs, engine->session->lock, error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, NULL, &path, error);
    if (status == CS_OK) status = fs->sync_folder(fs->ctx, path.data, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_engine_flush_environment(cs_engine *engine, cs_error *error) {
    const cs_registry *registry = engine->host->registry;
    return registry->flush(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, error);
}

cs_status cs_engine_needs_registry(const cs_engine *engine, const cs_record *record, cs_error *error) {
    if (engine->host->registry || !record->reg_count) return CS_OK;
    return cs_fail(error, CS_E_UNSUPPORTED, "open", CS_KEY_ENVIRONMENT, "there is no registry here");
}
