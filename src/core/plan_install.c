#include <string.h>

#include "cudnn_setup/levels.h"
#include "cudnn_setup/plan.h"

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

/* Starts the new receipt at the top of the record's stack; the record owns it from then on. */
static cs_status push_receipt(cs_plan *plan, const cs_install_input *input, size_t rows, cs_error *error) {
    cs_record *record = &plan->record;
    cs_receipt *stack = cs_realloc(record->stack, record->stack_count + 1, sizeof *stack);
    if (!stack) return no_memory(error);
    record->stack = stack;
    cs_receipt *receipt = &stack[record->stack_count++];
    *receipt = (cs_receipt){.time = input->now, .cudnn_version = input->manifest->cudnn_version, .trust = input->trust};
    memcpy(receipt->txid, record->txid, sizeof receipt->txid);
    receipt->product = cs_strdup(input->manifest->product);
    receipt->version = cs_strdup(input->manifest->version);
    receipt->rows = cs_alloc(rows, sizeof *receipt->rows);
    return receipt->product && receipt->version && receipt->rows ? CS_OK : no_memory(error);
}

static cs_receipt *top(cs_plan *plan) { return &plan->record.stack[plan->record.stack_count - 1]; }

static cs_receipt_row *add_row(cs_receipt *receipt, const char *target, unsigned number, uint64_t size,
                               const uint8_t sha256[CS_SHA256_SIZE]) {
    cs_receipt_row *row = &receipt->rows[receipt->row_count];
    *row = (cs_receipt_row){.target = cs_strdup(target), .number = number, .size = size};
    memcpy(row->sha256, sha256, sizeof row->sha256);
    if (!row->target) return NULL;
    receipt->row_count++;
    return row;
}

/* A target that must be replaced or made: T -> old if something stands there, new -> T. */
static cs_status plan_placing(cs_plan *plan, const cs_install_input *input, size_t index, cs_receipt_row *row,
                              const cs_target *found, cs_error *error) {
    const cs_blob fresh = cs_plan_blob(plan->record.txid, CS_AREA_NEW, (unsigned)index);
    const cs_blob kept = cs_plan_blob(plan->record.txid, CS_AREA_OLD, (unsigned)index);
    cs_status status = CS_OK;
    row->ours = true;
    if (found->present) {
        row->had_old = true;
        row->old = found->info;
        row->old_target = found->spelled[0] ? cs_strdup(found->spelled) : NULL;
        if (found->spelled[0] && !row->old_target) return no_memory(error);
        memcpy(row->old_sha256, found->sha256, sizeof row->old_sha256);
        status = cs_plan_add_move(plan, true, &kept, cs_plan_spelled(found, row->target), &found->info, found->sha256, error);
    }
    if (status == CS_OK)
        status = cs_plan_add_move(plan, false, &fresh, row->target, &input->stage->infos[index], row->sha256, error);
    return status == CS_OK ? cs_plan_add_row(plan, row->target, found->present ? "replaced" : "new", NULL, error) : status;
}

static cs_status plan_staged(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_install_input *input, size_t index,
                             const cs_target *found, cs_error *error) {
    const cs_manifest_file *file = &input->manifest->files[index];
    const cs_staged *staged = &input->stage->staged[index];
    cs_status status = cs_plan_add_folders(plan, host, tree->path, file->target, error);
    if (status != CS_OK) return status;
    cs_receipt_row *row = add_row(top(plan), file->target, (unsigned)index, staged->size, staged->sha256);
    if (!row) return no_memory(error);
    if (!found->present || memcmp(found->sha256, staged->sha256, CS_SHA256_SIZE) != 0)
        return plan_placing(plan, input, index, row, found, error);
    const cs_blob fresh = cs_plan_blob(plan->record.txid, CS_AREA_NEW, (unsigned)index);
    status = input->stage->wanted[index] ? cs_plan_add_cleanup(&plan->record, &fresh, error) : CS_OK;
    return status == CS_OK ? cs_plan_add_row(plan, file->target, "same", NULL, error) : status;
}

static cs_status plan_all_staged(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_install_input *input,
                                 cs_error *error) {
    size_t count = input->manifest->file_count;
    const char *targets[CS_MANIFEST_MAX_FILES];
    uint64_t sizes[CS_MANIFEST_MAX_FILES];
    cs_target *found = cs_alloc(count, sizeof *found);
    if (!found) return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        targets[i] = input->manifest->files[i].target;
        sizes[i] = input->stage->staged[i].size;
    }
    cs_status status = cs_plan_look_all(host, tree->path, targets, sizes, count, found, error);
    for (size_t i = 0; i < count && status == CS_OK; i++) status = plan_staged(plan, host, tree, input, i, &found[i], error);
    cs_free(found);
    return status;
}

/* Nothing is unpacked: the files were found right against the newest receipt, only the environment changes. */
static cs_status plan_same(cs_plan *plan, const cs_receipt *newest, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < newest->row_count && status == CS_OK; i++) {
        const cs_receipt_row *from = &newest->rows[i];
        if (!add_row(top(plan), from->target, from->number, from->size, from->sha256)) return no_memory(error);
        status = cs_plan_add_row(plan, from->target, "same", NULL, error);
    }
    return status;
}

static cs_status copy_changes(cs_plan *plan, cs_error *error) {
    const cs_record *record = &plan->record;
    cs_receipt *receipt = top(plan);
    if (!record->reg_count) return CS_OK;
    receipt->regs = cs_alloc(record->reg_count, sizeof *receipt->regs);
    if (!receipt->regs) return no_memory(error);
    for (size_t i = 0; i < record->reg_count; i++) {
        cs_status status = cs_reg_change_copy(&receipt->regs[i], &record->regs[i], error);
        if (status != CS_OK) return status;
        receipt->reg_count++;
    }
    return CS_OK;
}

static cs_status copy_folders(cs_plan *plan, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < plan->record.folders.count && status == CS_OK; i++)
        status = cs_strings_add(&top(plan)->folders, plan->record.folders.items[i], error);
    return status;
}

/* A tree that was made anew at the path: its files and its environment are CUDA's own, so nothing of the old receipts is left to
 * undo. What they kept stays, if a backup brought it along. */
static cs_status park_strangers(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_record *head, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < head->stack_count; i++)
        for (size_t j = 0; j < head->stack[i].row_count && status == CS_OK; j++) {
            const cs_receipt_row *row = &head->stack[i].rows[j];
            const cs_blob blob = cs_plan_blob(head->stack[i].txid, CS_AREA_OLD, row->number);
            if (row->had_old && cs_plan_blob_exists(host, tree->path, &blob))
                status = cs_plan_add_parked(plan, &blob, row->target, row->old_sha256, error);
        }
    return status;
}

cs_status cs_plan_install(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid,
                          const cs_install_input *input, cs_error *error) {
    const cs_record *head = input->head;
    const cs_receipt *newest = head && head->stack_count ? &head->stack[head->stack_count - 1] : NULL;
    size_t rows = input->stage ? input->manifest->file_count : newest ? newest->row_count : 0;
    if (!rows) return cs_fail(error, CS_E_FAILED, "plan", tree->path, "nothing was unpacked");
    cs_status status =
        cs_plan_start(plan, host, tree, txid, CS_KIND_INSTALL, head, head && !input->strangers ? head->stack_count : 0, error);
    if (status == CS_OK && head && input->strangers) status = park_strangers(plan, host, tree, head, error);
    if (input->folder_id) memcpy(plan->record.folder_id, input->folder_id, sizeof plan->record.folder_id);
    if (status == CS_OK) status = push_receipt(plan, input, rows, error);
    if (status == CS_OK && !input->stage && newest) status = plan_same(plan, newest, error);
    if (status == CS_OK && input->stage) status = plan_all_staged(plan, host, tree, input, error);
    if (status == CS_OK) status = cs_plan_add_changes(plan, input->environment, error);
    if (status == CS_OK) status = copy_changes(plan, error);
    if (status == CS_OK) status = copy_folders(plan, error);
    if (status == CS_OK) status = cs_levels_fold(&plan->record, error);
    cs_plan_order_moves(plan);
    return status;
}
