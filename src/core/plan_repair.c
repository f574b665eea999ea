#include <stdio.h>
#include <string.h>

#include "cudnn_setup/plan.h"

static bool is_bad(const cs_target *found, const cs_receipt_row *row) {
    return !found->present || found->info.size != row->size || memcmp(found->sha256, row->sha256, CS_SHA256_SIZE) != 0;
}

cs_status cs_plan_find_bad(const cs_host *host, const char *tree_path, const cs_receipt *receipt, bool *bad, size_t *bad_count,
                           cs_error *error) {
    size_t count = receipt->row_count;
    const char **targets = cs_alloc(count + 1, sizeof *targets);
    uint64_t *sizes = cs_alloc(count + 1, sizeof *sizes);
    cs_target *found = cs_alloc(count + 1, sizeof *found);
    *bad_count = 0;
    cs_status status = targets && sizes && found ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < count && status == CS_OK; i++) {
        targets[i] = receipt->rows[i].target;
        sizes[i] = receipt->rows[i].size;
    }
    if (status == CS_OK) status = cs_plan_look_all(host, tree_path, targets, sizes, count, found, error);
    for (size_t i = 0; i < count && status == CS_OK; i++) {
        bad[i] = is_bad(&found[i], &receipt->rows[i]);
        *bad_count += bad[i];
    }
    cs_free(targets);
    cs_free(sizes);
    cs_free(found);
    return status;
}

/* A content that lies in B already: as what stood there before an installation, or kept aside by an earlier repair. */
static bool is_kept_already(const cs_record *record, const cs_host *host, const cs_tree *tree, const char *target,
                            const uint8_t sha256[CS_SHA256_SIZE]) {
    for (size_t i = 0; i < record->parked_count; i++) {
        const cs_parked *parked = &record->parked[i];
        if (strcmp(parked->target, target) == 0 && memcmp(parked->sha256, sha256, CS_SHA256_SIZE) == 0 &&
            cs_plan_blob_exists(host, tree->path, &parked->blob))
            return true;
    }
    for (size_t i = 0; i < record->stack_count; i++)
        for (size_t k = 0; k < record->stack[i].row_count; k++) {
            const cs_receipt_row *row = &record->stack[i].rows[k];
            const cs_blob blob = cs_plan_blob(record->stack[i].txid, CS_AREA_OLD, row->number);
            if (row->had_old && strcmp(row->target, target) == 0 && memcmp(row->old_sha256, sha256, CS_SHA256_SIZE) == 0 &&
                cs_plan_blob_exists(host, tree->path, &blob))
                return true;
        }
    return false;
}

/* What stood there is somebody's edit or damage, and nobody can tell which: it is kept aside, once for each content. */
static cs_status keep_aside(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_blob *blob, const char *target,
                            const cs_target *found, bool *kept, cs_error *error) {
    *kept = !is_kept_already(&plan->record, host, tree, target, found->sha256);
    return *kept ? cs_plan_add_parked(plan, blob, target, found->sha256, error) : cs_plan_add_cleanup(&plan->record, blob, error);
}

/* The staged row must be what the receipt says: another archive of the same version would silently change the package. */
static cs_status check_staged(const cs_receipt_row *row, const cs_stage *stage, size_t *index, cs_error *error) {
    *index = cs_manifest_find_target(stage->manifest, row->target);
    if (*index >= stage->manifest->file_count)
        return cs_fail(error, CS_E_ARCHIVE_BAD, "repair", row->target, "the archive's manifest does not name this file");
    if (memcmp(stage->staged[*index].sha256, row->sha256, CS_SHA256_SIZE) != 0)
        return cs_fail(error, CS_E_ARCHIVE_BAD, "repair", row->target, "the archive holds another file than the one installed");
    return CS_OK;
}

static cs_status plan_bad(cs_plan *plan, const cs_host *host, const cs_tree *tree, const cs_receipt_row *row,
                          const cs_stage *stage, cs_error *error) {
    size_t index = 0;
    cs_target found = {0};
    char note[160] = "";
    bool kept = false;
    cs_status status = check_staged(row, stage, &index, error);
    if (status != CS_OK) return status;
    const cs_blob fresh = cs_plan_blob(plan->record.txid, CS_AREA_NEW, (unsigned)index);
    const cs_blob aside = cs_plan_blob(plan->record.txid, CS_AREA_OLD, (unsigned)index);
    status = cs_plan_add_folders(plan, host, tree->path, row->target, error);
    if (status == CS_OK) status = cs_plan_look(host, tree->path, row->target, &found, error);
    if (status == CS_OK && found.present) {
        status = cs_plan_add_move(plan, true, &aside, cs_plan_spelled(&found, row->target), &found.info, found.sha256, error);
        if (status == CS_OK) status = keep_aside(plan, host, tree, &aside, row->target, &found, &kept, error);
    }
    if (status == CS_OK) status = cs_plan_add_move(plan, false, &fresh, row->target, &stage->infos[index], row->sha256, error);
    if (kept)
        snprintf(note, sizeof note, "the file that stood there is kept as .cudnn-setup\\%s\\old\\%02u", aside.txid, aside.number);
    return status == CS_OK ? cs_plan_add_row(plan, row->target, "restored", note[0] ? note : NULL, error) : status;
}

cs_status cs_plan_repair(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, const cs_record *head,
                         const bool *bad, const cs_stage *stage, cs_error *error) {
    const cs_receipt *newest = &head->stack[head->stack_count - 1];
    cs_status status = cs_plan_start(plan, host, tree, txid, CS_KIND_REPAIR, head, head->stack_count, error);
    for (size_t i = 0; i < newest->row_count && status == CS_OK; i++) {
        status = bad[i] ? plan_bad(plan, host, tree, &newest->rows[i], stage, error)
                        : cs_plan_add_row(plan, newest->rows[i].target, "same", NULL, error);
    }
    cs_plan_order_moves(plan);
    return status;
}
