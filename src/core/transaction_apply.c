/* Steps 7 to 9. Nothing is decided here: any surprise is a failure, and a failure is undone. */
#include "cudnn_setup/progress.h"
#include "engine_mutants.h"
#include "transaction_internal.h"

/* ---- 7: files ---- */

static cs_status make_folders(cs_forward *run, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < run->record->folders.count && status == CS_OK; i++) {
        status = cs_engine_target_path(&run->engine, run->record->folders.items[i], &path, error);
        if (status == CS_OK) status = cs_engine_make_folder(&run->engine, path.data, error);
    }
    cs_buffer_free(&path);
    /* Now each folder has to be there, if anything moves. */
    return status == CS_OK ? cs_engine_guard_record(&run->engine, run->record, !run->record->move_count, error) : status;
}

static cs_status take_away(cs_forward *run, size_t index, cs_error *error) {
    const cs_move *move = &run->record->moves[index];
    cs_buffer path = {0};
    cs_status status = cs_blob_path(run->engine.host, run->engine.tree_path, &move->blob, &path, error);
    if (status == CS_OK) status = cs_engine_rename(&run->engine, run->files[index], path.data, false, error);
    cs_buffer_free(&path);
    return status;
}

/* A file that appeared at the target meanwhile is somebody else's: never replaced, the run is undone. A new file gets the access
 * rights that its neighbours have; an old one keeps its own and gets its times back. */
static cs_status bring_in(cs_forward *run, size_t index, cs_error *error) {
    const cs_move *move = &run->record->moves[index];
    cs_buffer path = {0};
    cs_file *file = run->files[index];
    cs_status status = cs_engine_target_path(&run->engine, move->target, &path, error);
    if (status == CS_OK) status = cs_engine_rename(&run->engine, file, path.data, false, error);
    if (status == CS_OK)
        status = move->blob.area == CS_AREA_NEW ? cs_engine_inherit(&run->engine, file, error)
                                                : cs_engine_set_info(&run->engine, file, &move->info, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status pass(cs_forward *run, bool away, cs_error *error) {
    cs_meter meter = {.host = run->engine.host, .step = "apply", .counts_files = true, .total = run->record->move_count};
    cs_status status = CS_OK;
    for (size_t i = 0; i < run->record->move_count && status == CS_OK; i++) {
        const cs_move *move = &run->record->moves[i];
        if (move->to_private != away) continue;
        meter.file = move->target;
        cs_meter_tell(&meter, i + 1);
        status = away ? take_away(run, i, error) : bring_in(run, i, error);
    }
    return status;
}

cs_status cs_forward_files(cs_forward *run, cs_error *error) {
    cs_status status = make_folders(run, error);
    if (status == CS_OK) status = pass(run, true, error);
    /* The barrier: without it a crash could keep a file's arrival and lose its predecessor's departure. */
    if (status == CS_OK && !CS_MUTANT(BARRIER_MISSING)) status = cs_engine_sync_tree(&run->engine, error);
    if (status == CS_OK) status = cs_forward_cancelled(run, error);
    if (status == CS_OK) status = pass(run, false, error);
    cs_forward_close_files(run);
    return status;
}

/* ---- 8: registry ---- */

static cs_status expect(cs_forward *run, const cs_reg_change *change, const cs_reg_value *value, cs_error *error) {
    const cs_registry *registry = run->engine.host->registry;
    cs_reg_value current = {0};
    cs_status status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &current, error);
    if (status == CS_OK && !cs_reg_value_equal(&current, value))
        status = cs_fail(error, CS_E_CHANGED, "write", change->name, "another program changed it meanwhile");
    cs_reg_value_free(&current);
    return status;
}

static cs_status write_value(cs_forward *run, const cs_reg_change *change, cs_error *error) {
    const cs_registry *registry = run->engine.host->registry;
    cs_status status = expect(run, change, &change->old, error);
    if (status == CS_OK) status = registry->write(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &change->now, error);
    return status == CS_OK ? expect(run, change, &change->now, error) : status;
}

cs_status cs_forward_registry(cs_forward *run, cs_error *error) {
    cs_status status = cs_forward_cancelled(run, error);
    for (size_t i = 0; i < run->record->reg_count && status == CS_OK; i++)
        status = write_value(run, &run->record->regs[i], error);
    return status;
}

/* ---- 9: F4 ---- */

cs_status cs_forward_durable(cs_forward *run, cs_error *error) {
    cs_status status = CS_MUTANT(TREE_UNSYNCED) ? CS_OK : cs_engine_sync_tree(&run->engine, error);
    if (status == CS_OK && run->record->reg_count && !CS_MUTANT(REGISTRY_UNFLUSHED))
        status = cs_engine_flush_environment(&run->engine, error);
    if (status == CS_OK) status = cs_engine_guards_check(&run->engine, error);
    return status == CS_OK ? cs_forward_cancelled(run, error) : status;
}
