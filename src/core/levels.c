#include "cudnn_setup/levels.h"

#include <string.h>

#include "cudnn_setup/plan.h"

enum { MAX_NUMBER = 99 };

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

static cs_receipt_row *find_row(const cs_receipt *receipt, const char *target) {
    for (size_t i = 0; i < receipt->row_count; i++)
        if (strcmp(receipt->rows[i].target, target) == 0) return &receipt->rows[i];
    return NULL;
}

static cs_reg_change *find_change(const cs_receipt *receipt, cs_variable variable) {
    for (size_t i = 0; i < receipt->reg_count; i++)
        if (receipt->regs[i].variable == variable) return &receipt->regs[i];
    return NULL;
}

/* Only what we placed ourselves may be folded away: every old file of the newer receipt must be exactly the older one's. And the
 * one receipt made of both names the newer one's manifest, of which a file that only the older package had is no row. */
static bool can_fold(const cs_receipt *older, const cs_receipt *newer) {
    for (size_t i = 0; i < older->row_count; i++)
        if (!find_row(newer, older->rows[i].target)) return false;
    for (size_t i = 0; i < newer->row_count; i++) {
        const cs_receipt_row *row = &newer->rows[i];
        if (!row->ours || !row->had_old) continue;
        const cs_receipt_row *below = find_row(older, row->target);
        if (!below || !below->ours || memcmp(below->sha256, row->old_sha256, CS_SHA256_SIZE) != 0) return false;
    }
    for (size_t i = 0; i < newer->reg_count; i++) {
        const cs_reg_change *below = find_change(older, newer->regs[i].variable);
        if (below && !cs_reg_value_equal(&below->now, &newer->regs[i].old)) return false; /* somebody edited in between */
    }
    return true;
}

static bool number_is_free(const cs_receipt *receipt, unsigned number) {
    for (size_t i = 0; i < receipt->row_count; i++)
        if (receipt->rows[i].number == number) return false;
    return true;
}

static cs_status add_row(cs_receipt *into, const cs_receipt_row *from, cs_error *error) {
    unsigned number = 0;
    while (number <= MAX_NUMBER && !number_is_free(into, number)) number++;
    if (number > MAX_NUMBER) return cs_fail(error, CS_E_TOO_BIG, "fold", from->target, "too many files in one receipt");
    cs_receipt_row row = *from;
    row.number = number;
    row.target = cs_strdup(from->target);
    row.old_target = cs_strdup(from->old_target);
    cs_receipt_row *rows = cs_realloc(into->rows, into->row_count + 1, sizeof *rows);
    if (rows) into->rows = rows;
    if (!rows || !row.target || (from->old_target && !row.old_target)) {
        cs_free(row.target);
        cs_free(row.old_target);
        return no_memory(error);
    }
    into->rows[into->row_count++] = row;
    return CS_OK;
}

static cs_status fold_rows(cs_receipt *into, const cs_receipt *newer, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < newer->row_count && status == CS_OK; i++) {
        const cs_receipt_row *from = &newer->rows[i];
        cs_receipt_row *row = find_row(into, from->target);
        if (!row) {
            status = add_row(into, from, error);
            continue;
        }
        row->size = from->size;
        memcpy(row->sha256, from->sha256, sizeof row->sha256);
        row->ours = row->ours || from->ours;
    }
    return status;
}

static void drop_change(cs_receipt *receipt, size_t at) {
    cs_reg_change_free(&receipt->regs[at]);
    receipt->reg_count--;
    for (size_t i = at; i < receipt->reg_count; i++) receipt->regs[i] = receipt->regs[i + 1];
}

static cs_status add_change(cs_receipt *into, const cs_reg_change *from, cs_error *error) {
    cs_reg_change *regs = cs_realloc(into->regs, into->reg_count + 1, sizeof *regs);
    if (!regs) return no_memory(error);
    into->regs = regs;
    into->regs[into->reg_count] = (cs_reg_change){0};
    cs_status status = cs_reg_change_copy(&into->regs[into->reg_count], from, error);
    if (status == CS_OK) into->reg_count++;
    return status;
}

static cs_status fold_changes(cs_receipt *into, const cs_receipt *newer, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < newer->reg_count && status == CS_OK; i++) {
        cs_reg_change *below = find_change(into, newer->regs[i].variable);
        if (!below) {
            status = add_change(into, &newer->regs[i], error);
            continue;
        }
        cs_reg_value now = {0};
        status = cs_reg_value_copy(&now, &newer->regs[i].now, error);
        if (status != CS_OK) break;
        cs_reg_value_free(&below->now);
        below->now = now;
        if (cs_reg_value_equal(&below->old, &below->now)) drop_change(into, (size_t)(below - into->regs));
    }
    return status;
}

static cs_status fold_folders(cs_receipt *into, const cs_receipt *newer, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < newer->folders.count && status == CS_OK; i++) {
        bool there = false;
        for (size_t j = 0; j < into->folders.count; j++)
            there = there || !strcmp(into->folders.items[j], newer->folders.items[i]);
        if (!there) status = cs_strings_add(&into->folders, newer->folders.items[i], error);
    }
    return status;
}

static cs_status fold_names(cs_receipt *into, const cs_receipt *newer, cs_error *error) {
    char *product = cs_strdup(newer->product), *version = cs_strdup(newer->version);
    if (!product || !version) {
        cs_free(product);
        cs_free(version);
        return no_memory(error);
    }
    cs_free(into->product);
    cs_free(into->version);
    into->product = product;
    into->version = version;
    into->cudnn_version = newer->cudnn_version;
    into->time = newer->time;
    into->trust = newer->trust;
    return CS_OK;
}

static cs_status drop_blob(cs_record *record, const char *txid, unsigned number, cs_error *error) {
    const cs_blob blob = cs_plan_blob(txid, CS_AREA_OLD, number);
    return cs_plan_add_cleanup(record, &blob, error);
}

/* Makes one receipt of the two oldest. */
static cs_status fold_oldest(cs_record *record, cs_error *error) {
    cs_receipt *older = &record->stack[0], *newer = &record->stack[1];
    cs_receipt folded = {0};
    cs_status status = cs_receipt_copy(&folded, older, error);
    if (status == CS_OK) status = fold_rows(&folded, newer, error);
    if (status == CS_OK) status = fold_changes(&folded, newer, error);
    if (status == CS_OK) status = fold_folders(&folded, newer, error);
    if (status == CS_OK) status = fold_names(&folded, newer, error);
    for (size_t i = 0; i < newer->row_count && status == CS_OK; i++)
        if (newer->rows[i].ours && newer->rows[i].had_old) status = drop_blob(record, newer->txid, newer->rows[i].number, error);
    if (status != CS_OK) {
        cs_receipt_free(&folded);
        return status;
    }
    cs_receipt_free(older);
    cs_receipt_free(newer);
    record->stack[0] = folded;
    record->stack_count--;
    for (size_t i = 1; i < record->stack_count; i++) record->stack[i] = record->stack[i + 1];
    return CS_OK;
}

cs_status cs_levels_fold(cs_record *record, cs_error *error) {
    cs_status status = CS_OK;
    while (status == CS_OK && record->stack_count > CS_LEVELS_KEPT + 1 && can_fold(&record->stack[0], &record->stack[1]))
        status = fold_oldest(record, error);
    return status;
}

cs_status cs_levels_forget(cs_record *record, size_t *dropped, cs_error *error) {
    *dropped = 0;
    for (size_t i = 0; i + CS_LEVELS_KEPT < record->stack_count; i++) {
        cs_receipt *receipt = &record->stack[i];
        for (size_t j = 0; j < receipt->row_count; j++) {
            cs_receipt_row *row = &receipt->rows[j];
            if (!row->ours || !row->had_old) continue;
            cs_status status = drop_blob(record, receipt->txid, row->number, error);
            if (status != CS_OK) return status;
            row->had_old = false;
            cs_free(row->old_target);
            row->old_target = NULL;
            row->old = (cs_file_info){0};
            memset(row->old_sha256, 0, sizeof row->old_sha256);
            ++*dropped;
        }
    }
    return CS_OK;
}

uint64_t cs_levels_size(const cs_receipt *receipt) {
    uint64_t size = 0;
    for (size_t i = 0; i < receipt->row_count; i++)
        if (receipt->rows[i].ours && receipt->rows[i].had_old) size += receipt->rows[i].old.size;
    return size;
}
