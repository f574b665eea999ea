#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/plan.h"

enum { MAX_NUMBER = 99 };

/* What becomes of one target while the receipts are folded from the top. */
typedef struct fate {
    const char *target;           /* borrowed from a receipt */
    cs_target found;              /* on disk now */
    cs_target current;            /* after the receipts folded so far; only present and sha256 count */
    bool blocked;                 /* somebody else's: nothing below this level may touch it */
    bool changed;                 /* at least one level was undone */
    const cs_receipt_row *source; /* whose old file is due here; NULL: nothing is */
    const char *source_txid;
} fate;

typedef struct folding {
    cs_plan *plan;
    const cs_host *host;
    const cs_tree *tree;
    bool strangers, gone;
    fate *fates;
    size_t count;
} folding;

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

static fate *known_fate(folding *f, const char *target) {
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->fates[i].target, target) == 0) return &f->fates[i];
    return NULL;
}

/* A target that cannot be looked at as a file (a folder or a link stands there) is somebody else's too. */
static cs_status add_fate(folding *f, const char *target, cs_error *error) {
    if (f->count > MAX_NUMBER) return cs_fail(error, CS_E_TOO_BIG, "plan", target, "too many files in one transaction");
    fate one = {.target = target, .blocked = f->strangers || f->gone};
    if (!f->gone) {
        cs_status status = cs_plan_look(f->host, f->tree->path, target, &one.found, error);
        if (status == CS_E_REPARSE) {
            one.blocked = true;
            one.found = (cs_target){.present = true};
        } else if (status != CS_OK) {
            return status;
        }
    }
    one.current = one.found;
    fate *fates = cs_realloc(f->fates, f->count + 1, sizeof *fates);
    if (!fates) return no_memory(error);
    f->fates = fates;
    f->fates[f->count++] = one;
    return CS_OK;
}

static bool blob_exists(const folding *f, const cs_blob *blob) {
    return !f->gone && cs_plan_blob_exists(f->host, f->tree->path, blob);
}

static cs_status park(folding *f, const char *txid, const cs_receipt_row *row, cs_error *error) {
    const cs_blob blob = cs_plan_blob(txid, CS_AREA_OLD, row->number);
    return blob_exists(f, &blob) ? cs_plan_add_parked(f->plan, &blob, row->target, row->old_sha256, error) : CS_OK;
}

static cs_status drop(folding *f, const char *txid, const cs_receipt_row *row, cs_error *error) {
    const cs_blob blob = cs_plan_blob(txid, CS_AREA_OLD, row->number);
    return blob_exists(f, &blob) ? cs_plan_add_cleanup(&f->plan->record, &blob, error) : CS_OK;
}

static bool holds(const cs_target *target, const uint8_t sha256[CS_SHA256_SIZE]) {
    return target->present && memcmp(target->sha256, sha256, CS_SHA256_SIZE) == 0;
}

/* One row of one receipt, from the top. */
static cs_status fold_row(folding *f, const cs_receipt *receipt, const cs_receipt_row *row, cs_error *error) {
    cs_status status = known_fate(f, row->target) ? CS_OK : add_fate(f, row->target, error);
    fate *one = known_fate(f, row->target);
    if (!one) return status;
    bool was_done = row->had_old ? holds(&one->current, row->old_sha256) : !one->current.present;
    /* Ours that somebody deleted is undone all the same: nobody's file stands where the old one belongs. */
    bool ours = holds(&one->current, row->sha256) || (row->had_old && !one->current.present);
    if (!one->blocked && ours) {
        if (one->source) status = drop(f, one->source_txid, one->source, error);
        one->changed = true;
        one->source = row->had_old ? row : NULL;
        one->source_txid = receipt->txid;
        one->current.present = row->had_old;
        memcpy(one->current.sha256, row->old_sha256, CS_SHA256_SIZE);
        return status;
    }
    if (!one->blocked && was_done) return row->had_old ? drop(f, receipt->txid, row, error) : CS_OK;
    one->blocked = true;
    return row->had_old ? park(f, receipt->txid, row, error) : CS_OK;
}

/* The old file that is due, checked by its hash. *usable false: it is not what the receipt says, or not there. */
static cs_status check_source(folding *f, const fate *one, cs_target *blob_now, bool *usable, cs_error *error) {
    const cs_blob blob = cs_plan_blob(one->source_txid, CS_AREA_OLD, one->source->number);
    cs_status status = cs_plan_look_blob(f->host, f->tree->path, &blob, blob_now, error);
    *usable = status == CS_OK && holds(blob_now, one->source->old_sha256);
    if (status == CS_E_REPARSE) return CS_OK;
    if (status == CS_OK && !*usable && blob_now->present)
        status = cs_plan_add_parked(f->plan, &blob, one->target, one->source->old_sha256, error);
    return status;
}

static cs_status remove_present(folding *f, size_t index, cs_error *error) {
    const fate *one = &f->fates[index];
    const cs_blob blob = cs_plan_blob(f->plan->record.txid, CS_AREA_OLD, (unsigned)index);
    const char *spelled = cs_plan_spelled(&one->found, one->target);
    cs_status status = cs_plan_add_move(f->plan, true, &blob, spelled, &one->found.info, one->found.sha256, error);
    return status == CS_OK ? cs_plan_add_cleanup(&f->plan->record, &blob, error) : status;
}

static cs_status put_back(folding *f, const fate *one, const cs_target *blob_now, cs_error *error) {
    const cs_blob blob = cs_plan_blob(one->source_txid, CS_AREA_OLD, one->source->number);
    cs_file_info info = one->source->old; /* attributes and times as they were before us; the file itself is the one in B */
    info.kind = CS_FILE_REGULAR;
    info.id = blob_now->info.id;
    info.size = blob_now->info.size;
    const char *target = one->source->old_target ? one->source->old_target : one->target;
    return cs_plan_add_move(f->plan, false, &blob, target, &info, blob_now->sha256, error);
}

static cs_status plan_changed(folding *f, size_t index, cs_error *error) {
    const fate *one = &f->fates[index];
    if (one->source && holds(&one->found, one->source->old_sha256)) {
        cs_status status = drop(f, one->source_txid, one->source, error);
        return status == CS_OK ? cs_plan_add_row(f->plan, one->target, "same", NULL, error) : status;
    }
    if (!one->source && !one->found.present) return cs_plan_add_row(f->plan, one->target, "removed", NULL, error);
    cs_target blob_now = {0};
    bool usable = false;
    cs_status status = one->source ? check_source(f, one, &blob_now, &usable, error) : CS_OK;
    if (status == CS_OK && one->found.present) status = remove_present(f, index, error);
    if (status == CS_OK && usable) status = put_back(f, one, &blob_now, error);
    if (status == CS_OK && usable) status = cs_plan_add_folders(f->plan, f->host, f->tree->path, one->target, error);
    if (status != CS_OK) return status;
    const char *note = one->source && !usable ? "the old copy is not what was saved, so it was not put back" : NULL;
    if (note) cs_emit(f->host->events, CS_EVENT_WARNING, "undo.old-damaged", "%s: %s.", one->target, note);
    return cs_plan_add_row(f->plan, one->target, usable ? "restored" : "removed", note, error);
}

static const char *why_blocked(const folding *f, const fate *one) {
    if (f->strangers) return "in another folder than the one that was installed into: somebody else's";
    return one->found.present ? "changed since it was placed: it is somebody else's and stays"
                              : "removed since it was placed: nothing was put back";
}

static cs_status plan_blocked(folding *f, const fate *one, cs_error *error) {
    if (f->gone) return cs_plan_add_row(f->plan, one->target, "missing", "the CUDA tree is gone", error);
    const char *note = why_blocked(f, one);
    if (!f->strangers) /* of another folder one sentence says it for all */
        cs_emit(f->host->events, CS_EVENT_WARNING, "undo.kept", "%s: %s.", one->target, note);
    return cs_plan_add_row(f->plan, one->target, one->found.present ? "kept" : "missing", note, error);
}

static cs_status plan_fate(folding *f, size_t index, cs_error *error) {
    const fate *one = &f->fates[index];
    if (one->changed) return plan_changed(f, index, error);
    if (one->blocked) return plan_blocked(f, one, error);
    return cs_plan_add_row(f->plan, one->target, "same", NULL, error);
}

cs_status cs_plan_undo(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, cs_kind kind,
                       const cs_record *head, size_t depth, bool strangers, bool gone, cs_error *error) {
    size_t keep = depth < head->stack_count ? head->stack_count - depth : 0;
    folding f = {.plan = plan, .host = host, .tree = tree, .strangers = strangers, .gone = gone};
    cs_status status = cs_plan_start(plan, host, tree, txid, kind, head, keep, error);
    for (size_t i = head->stack_count; i-- > keep && status == CS_OK;) {
        const cs_receipt *receipt = &head->stack[i];
        for (size_t j = 0; j < receipt->row_count && status == CS_OK; j++)
            if (receipt->rows[j].ours) status = fold_row(&f, receipt, &receipt->rows[j], error);
    }
    for (size_t i = 0; i < f.count && status == CS_OK; i++) status = plan_fate(&f, i, error);
    cs_plan_order_moves(plan);
    cs_free(f.fates);
    return status;
}
