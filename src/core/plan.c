#include "cudnn_setup/plan.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"
#include "engine.h"

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

void cs_plan_free(cs_plan *plan) {
    cs_record_free(&plan->record);
    for (size_t i = 0; i < plan->row_count; i++) {
        cs_free(plan->rows[i].target);
        cs_free(plan->rows[i].note);
    }
    cs_free(plan->rows);
    *plan = (cs_plan){0};
}

cs_status cs_plan_new_txid(const cs_host *host, char txid[CS_ID_HEX + 1], cs_error *error) {
    uint8_t bytes[CS_ID_HEX / 2];
    cs_status status = host->system->random(host->system->ctx, bytes, sizeof bytes, error);
    if (status == CS_OK) cs_hex(bytes, sizeof bytes, txid);
    return status;
}

cs_blob cs_plan_blob(const char *txid, cs_area area, unsigned number) {
    cs_blob blob = {.area = area, .number = number};
    memcpy(blob.txid, txid, sizeof blob.txid);
    return blob;
}

/* ---- building ---- */

cs_status cs_plan_add_row(cs_plan *plan, const char *target, const char *state, const char *note, cs_error *error) {
    cs_plan_row row = {.target = cs_strdup(target), .state = state, .note = cs_strdup(note)};
    cs_plan_row *rows = cs_realloc(plan->rows, plan->row_count + 1, sizeof *rows);
    if (rows) plan->rows = rows;
    if (!rows || !row.target || (note && !row.note)) {
        cs_free(row.target);
        cs_free(row.note);
        return no_memory(error);
    }
    plan->rows[plan->row_count++] = row;
    return CS_OK;
}

cs_status cs_plan_add_move(cs_plan *plan, bool to_private, const cs_blob *blob, const char *target, const cs_file_info *info,
                           const uint8_t sha256[CS_SHA256_SIZE], cs_error *error) {
    cs_record *record = &plan->record;
    cs_move move = {.to_private = to_private, .blob = *blob, .target = cs_strdup(target), .info = *info};
    memcpy(move.sha256, sha256, sizeof move.sha256);
    cs_move *moves = cs_realloc(record->moves, record->move_count + 1, sizeof *moves);
    if (moves) record->moves = moves;
    if (!moves || !move.target) {
        cs_free(move.target);
        return no_memory(error);
    }
    record->moves[record->move_count++] = move;
    return CS_OK;
}

cs_status cs_plan_add_cleanup(cs_record *record, const cs_blob *blob, cs_error *error) {
    cs_blob *blobs = cs_realloc(record->cleanup, record->cleanup_count + 1, sizeof *blobs);
    if (!blobs) return no_memory(error);
    record->cleanup = blobs;
    record->cleanup[record->cleanup_count++] = *blob;
    return CS_OK;
}

cs_status cs_plan_add_parked(cs_plan *plan, const cs_blob *blob, const char *target, const uint8_t sha256[CS_SHA256_SIZE],
                             cs_error *error) {
    cs_record *record = &plan->record;
    cs_parked parked = {.blob = *blob, .target = cs_strdup(target)};
    memcpy(parked.sha256, sha256, sizeof parked.sha256);
    cs_parked *list = cs_realloc(record->parked, record->parked_count + 1, sizeof *list);
    if (list) record->parked = list;
    if (!list || !parked.target) {
        cs_free(parked.target);
        return no_memory(error);
    }
    record->parked[record->parked_count++] = parked;
    return CS_OK;
}

cs_status cs_plan_add_changes(cs_plan *plan, const cs_environment_plan *environment, cs_error *error) {
    cs_record *record = &plan->record;
    for (size_t i = 0; i < environment->count; i++) {
        cs_reg_change *regs = cs_realloc(record->regs, record->reg_count + 1, sizeof *regs);
        if (!regs) return no_memory(error);
        record->regs = regs;
        record->regs[record->reg_count] = (cs_reg_change){0};
        cs_status status = cs_reg_change_copy(&record->regs[record->reg_count], &environment->changes[i], error);
        if (status != CS_OK) return status;
        record->reg_count++;
    }
    return CS_OK;
}

static bool has_folder(const cs_strings *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (cs_text_equal_ascii_case(list->items[i], name)) return true;
    return false;
}

cs_status cs_plan_add_folders(cs_plan *plan, const cs_host *host, const char *tree_path, const char *target, cs_error *error) {
    cs_buffer path = {0}, folder = {0};
    cs_status status = CS_OK;
    for (const char *slash = strchr(target, '/'); slash && status == CS_OK; slash = strchr(slash + 1, '/')) {
        cs_buffer_clear(&folder);
        cs_buffer_append(&folder, target, (size_t)(slash - target));
        cs_file_info info;
        status = cs_buffer_check(&folder, error);
        if (status != CS_OK || has_folder(&plan->record.folders, folder.data)) continue;
        status = cs_path_join(&path, host->fs->separator, tree_path, folder.data, error);
        if (status == CS_OK) status = host->fs->stat(host->fs->ctx, path.data, &info, error);
        if (status == CS_E_NOT_FOUND)
            status = cs_strings_add(&plan->record.folders, folder.data, error);
        else if (status == CS_OK && info.kind != CS_FILE_FOLDER)
            status = cs_fail(error, CS_E_REPARSE, "look at", path.data, "a folder is due here");
    }
    cs_buffer_free(&path);
    cs_buffer_free(&folder);
    return status;
}

/* A private file that an earlier run could not drop stays listed for as long as it is there. */
static cs_status keep_cleanup(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_record *head, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < head->cleanup_count && status == CS_OK; i++)
        if (cs_plan_blob_exists(host, tree->path, &head->cleanup[i]))
            status = cs_plan_add_cleanup(&plan->record, &head->cleanup[i], error);
    return status;
}

static cs_status copy_stack(cs_record *record, const cs_record *head, size_t keep, cs_error *error) {
    if (!keep) return CS_OK;
    record->stack = cs_alloc(keep, sizeof *record->stack);
    if (!record->stack) return no_memory(error);
    for (size_t i = 0; i < keep; i++) {
        cs_status status = cs_receipt_copy(&record->stack[i], &head->stack[i], error);
        if (status != CS_OK) return status;
        record->stack_count++;
    }
    return CS_OK;
}

cs_status cs_plan_start(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, cs_kind kind,
                        const cs_record *head, size_t keep, cs_error *error) {
    cs_record *record = &plan->record;
    memcpy(record->tree_id, tree->id, sizeof record->tree_id);
    memcpy(record->txid, txid, sizeof record->txid);
    record->kind = kind;
    record->volume = tree->root.volume || !head ? tree->root.volume : head->volume; /* a tree that is gone keeps its last one */
    record->tree_path = cs_strdup(tree->path);
    if (!record->tree_path) return no_memory(error);
    if (!head) return CS_OK;
    memcpy(record->folder_id, head->folder_id, sizeof record->folder_id);
    cs_status status = copy_stack(record, head, keep, error);
    for (size_t i = 0; i < head->parked_count && status == CS_OK; i++)
        status = cs_plan_add_parked(plan, &head->parked[i].blob, head->parked[i].target, head->parked[i].sha256, error);
    return status == CS_OK ? keep_cleanup(plan, host, tree, head, error) : status;
}

void cs_plan_order_moves(cs_plan *plan) {
    cs_move *moves = plan->record.moves;
    size_t first = 0; /* moves[0..first) are pass 1; insertion keeps the order within each pass */
    for (size_t i = 0; i < plan->record.move_count; i++) {
        if (!moves[i].to_private) continue;
        cs_move move = moves[i];
        for (size_t j = i; j > first; j--) moves[j] = moves[j - 1];
        moves[first++] = move;
    }
}

bool cs_plan_changes(const cs_plan *plan) { return plan->record.move_count || plan->record.reg_count; }
