#include "cudnn_setup/record.h"

#include <string.h>

#include "cudnn_setup/environment.h"

static void free_regs(cs_reg_change *regs, size_t count) {
    for (size_t i = 0; i < count; i++) cs_reg_change_free(&regs[i]);
    cs_free(regs);
}

void cs_receipt_free(cs_receipt *receipt) {
    cs_free(receipt->product);
    cs_free(receipt->version);
    for (size_t i = 0; i < receipt->row_count; i++) {
        cs_free(receipt->rows[i].target);
        cs_free(receipt->rows[i].old_target);
    }
    cs_free(receipt->rows);
    free_regs(receipt->regs, receipt->reg_count);
    cs_strings_free(&receipt->folders);
    *receipt = (cs_receipt){0};
}

void cs_record_free(cs_record *record) {
    cs_free(record->tree_path);
    for (size_t i = 0; i < record->move_count; i++) cs_free(record->moves[i].target);
    cs_free(record->moves);
    cs_strings_free(&record->folders);
    free_regs(record->regs, record->reg_count);
    for (size_t i = 0; i < record->stack_count; i++) cs_receipt_free(&record->stack[i]);
    cs_free(record->stack);
    for (size_t i = 0; i < record->parked_count; i++) cs_free(record->parked[i].target);
    cs_free(record->parked);
    cs_free(record->cleanup);
    *record = (cs_record){0};
}

static cs_status no_memory(cs_error *error) { return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

static cs_status copy_rows(cs_receipt *out, const cs_receipt *from, cs_error *error) {
    if (!from->row_count) return CS_OK;
    out->rows = cs_alloc(from->row_count, sizeof *out->rows);
    if (!out->rows) return no_memory(error);
    for (size_t i = 0; i < from->row_count; i++) {
        out->rows[i] = from->rows[i];
        out->rows[i].target = cs_strdup(from->rows[i].target);
        out->rows[i].old_target = cs_strdup(from->rows[i].old_target);
        out->row_count = i + 1;
        if (!out->rows[i].target || (from->rows[i].old_target && !out->rows[i].old_target)) return no_memory(error);
    }
    return CS_OK;
}

static cs_status copy_regs(cs_receipt *out, const cs_receipt *from, cs_error *error) {
    if (!from->reg_count) return CS_OK;
    out->regs = cs_alloc(from->reg_count, sizeof *out->regs);
    if (!out->regs) return no_memory(error);
    for (size_t i = 0; i < from->reg_count; i++) {
        cs_status status = cs_reg_change_copy(&out->regs[i], &from->regs[i], error);
        if (status != CS_OK) return status;
        out->reg_count = i + 1;
    }
    return CS_OK;
}

static cs_status copy_receipt(cs_receipt *out, const cs_receipt *from, cs_error *error) {
    memcpy(out->txid, from->txid, sizeof out->txid);
    out->time = from->time;
    out->cudnn_version = from->cudnn_version;
    out->trust = from->trust;
    out->product = cs_strdup(from->product);
    out->version = cs_strdup(from->version);
    if (!out->product || !out->version) return no_memory(error);
    cs_status status = copy_rows(out, from, error);
    if (status == CS_OK) status = copy_regs(out, from, error);
    for (size_t i = 0; i < from->folders.count && status == CS_OK; i++)
        status = cs_strings_add(&out->folders, from->folders.items[i], error);
    return status;
}

cs_status cs_receipt_copy(cs_receipt *out, const cs_receipt *from, cs_error *error) {
    *out = (cs_receipt){0};
    cs_status status = copy_receipt(out, from, error);
    if (status != CS_OK) cs_receipt_free(out);
    return status;
}
