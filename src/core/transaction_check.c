/* Step 4: nothing is believed that was seen earlier. Every file is opened so that nobody can write to it any more, and compared
 * with the record through the handle that will move it. */
#include <string.h>

#include "cudnn_setup/workers.h"
#include "transaction_internal.h"

static cs_status changed(cs_error *error, const char *path, const char *what) {
    return cs_fail(error, CS_E_CHANGED, "check", path, "%s", what);
}

static cs_status open_checked(cs_forward *run, const char *path, const cs_move *move, cs_file **out, cs_error *error) {
    cs_file_info info;
    cs_status status = cs_engine_open_file(&run->engine, path, out, &info, error);
    if (status == CS_E_NOT_FOUND) return changed(error, path, "it is gone");
    if (status != CS_OK) return status;
    if (!cs_file_id_equal(&info.id, &move->info.id)) return changed(error, path, "another file stands in its place");
    return info.size == move->info.size ? CS_OK : changed(error, path, "its size changed");
}

static bool is_taken_away(const cs_record *record, const char *target) {
    for (size_t i = 0; i < record->move_count; i++)
        if (record->moves[i].to_private && cs_text_equal_ascii_case(record->moves[i].target, target)) return true;
    return false;
}

/* A name that is to be free must be free. */
static cs_status check_absent(cs_forward *run, const char *path, cs_error *error) {
    bool there = false;
    cs_file_info info;
    cs_status status = cs_engine_stat(&run->engine, path, &there, &info, error);
    return status == CS_OK && there ? changed(error, path, "somebody put it there") : status;
}

static cs_status check_move(cs_forward *run, size_t index, cs_error *error) {
    const cs_move *move = &run->record->moves[index];
    cs_buffer target = {0}, blob = {0};
    cs_status status = cs_engine_target_path(&run->engine, move->target, &target, error);
    if (status == CS_OK) status = cs_blob_path(run->engine.host, run->engine.tree_path, &move->blob, &blob, error);
    const char *from = cs_buffer_string(move->to_private ? &target : &blob),
               *to = cs_buffer_string(move->to_private ? &blob : &target);
    if (status == CS_OK) status = open_checked(run, from, move, &run->files[index], error);
    if (status == CS_OK && (move->to_private || !is_taken_away(run->record, move->target))) status = check_absent(run, to, error);
    cs_buffer_free(&target);
    cs_buffer_free(&blob);
    return status;
}

/* ---- contents, through the handles that were just opened ---- */

static cs_status check_content(void *ctx, size_t index, cs_each *each, cs_error *error) {
    const cs_forward *run = ctx;
    const cs_move *move = &run->record->moves[index];
    uint8_t digest[CS_SHA256_SIZE];
    cs_status status = cs_each_sha256(each, move->target, run->engine.fs, run->files[index], digest, error);
    if (status != CS_OK || memcmp(digest, move->sha256, sizeof digest) == 0) return status;
    return changed(error, move->target, "its content changed");
}

static cs_status check_contents(cs_forward *run, cs_error *error) {
    size_t count = run->record->move_count;
    cs_meter meter = {.host = run->engine.host, .step = "apply"};
    uint64_t *sizes = cs_alloc(count + 1, sizeof *sizes);
    if (!sizes) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++) meter.total += sizes[i] = run->record->moves[i].info.size;
    cs_status status = cs_workers_each(&meter, count, sizes, check_content, run, error);
    cs_free(sizes);
    return status == CS_E_CANCELLED ? cs_forward_cancelled(run, error) : status;
}

static cs_status check_value(cs_forward *run, const cs_reg_change *change, cs_error *error) {
    const cs_registry *registry = run->engine.host->registry;
    cs_reg_value current = {0};
    cs_status status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change->name, &current, error);
    if (status == CS_OK && !cs_reg_value_equal(&current, &change->old))
        status = changed(error, change->name, "its value changed");
    cs_reg_value_free(&current);
    return status;
}

static cs_status check_folders(cs_forward *run, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < run->record->folders.count && status == CS_OK; i++) {
        status = cs_engine_target_path(&run->engine, run->record->folders.items[i], &path, error);
        if (status == CS_OK) status = check_absent(run, path.data, error);
    }
    cs_buffer_free(&path);
    return status;
}

/* The tree's folder is the one that the plan was made for. With the folder gone only registry and records can change. */
static cs_status check_tree(cs_forward *run, cs_error *error) {
    const cs_engine *engine = &run->engine;
    if (!cs_engine_has_tree(engine))
        return run->record->move_count || run->record->folders.count ? changed(error, engine->tree_path, "the folder is gone")
                                                                     : CS_OK;
    bool planned = run->tree->volume[0] != '\0'; /* else planned for a tree that was gone */
    if (!planned || !cs_file_id_equal(&engine->guards[0].id, &run->tree->root))
        return changed(error, engine->tree_path, "another folder stands in its place");
    return CS_OK;
}

cs_status cs_forward_check(cs_forward *run, cs_error *error) {
    cs_status status = cs_engine_guard_record(&run->engine, run->record, true, error);
    if (status == CS_OK) status = check_tree(run, error);
    if (status == CS_OK) status = check_folders(run, error);
    if (status == CS_OK) status = cs_engine_needs_registry(&run->engine, run->record, error);
    for (size_t i = 0; i < run->record->reg_count && status == CS_OK; i++)
        status = check_value(run, &run->record->regs[i], error);
    for (size_t i = 0; i < run->record->move_count && status == CS_OK; i++) status = check_move(run, i, error);
    return status == CS_OK ? check_contents(run, error) : status;
}
