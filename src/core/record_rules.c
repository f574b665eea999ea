#include "record_rules.h"

#include <string.h>

#include "cudnn_setup/manifest.h"
#include "cudnn_setup/path.h"

const char *const cs_kind_names[5] = {"install", "uninstall", "rollback", "repair", "forget"};
const char *const cs_area_names[2] = {"new", "old"};
const char *const cs_variable_names[3] = {"PATH", "CUDA_PATH", "CUDA_PATH_V10_1"};
const char *const cs_trust_names[4] = {"none", "pinned", "sealed", "unverified"};

/* ---- single values ---- */

bool cs_txid_valid(const char *text) {
    for (size_t i = 0; i < CS_ID_HEX; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9', letter = text[i] >= 'a' && text[i] <= 'f';
        if (!digit && !letter) return false;
    }
    return text[CS_ID_HEX] == '\0';
}

bool cs_target_valid(const char *target) {
    static const struct {
        const char *folder, *suffix;
    } forms[] = {{"bin/", ".dll"}, {"include/", ".h"}, {"lib/x64/", ".lib"}, {"", ".txt"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!cs_text_starts_with(target, forms[i].folder)) continue;
        const char *name = target + strlen(forms[i].folder);
        if (cs_path_plain_name(name) && strlen(name) > strlen(forms[i].suffix) &&
            cs_text_ends_with_ascii_case(name, forms[i].suffix))
            return true;
    }
    return false;
}

bool cs_target_folder_valid(const char *folder) {
    static const char *const folders[] = {"bin", "include", "lib", "lib/x64"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strcmp(folder, folders[i]) == 0) return true;
    return false;
}

/* No empty, "." or ".." component; that nothing of the sort hides behind "\\?\" or a server's name follows from the start. */
bool cs_tree_path_valid(const char *path) {
    size_t size = strlen(path), start = 0;
    bool drive = size >= 3 && path[1] == ':' && path[2] == '\\' &&
                 ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z'));
    if (drive)
        start = 3;
    else if (path[0] == '/')
        start = 1;
    else
        return false;
    if (size > CS_RECORD_MAX_PATH || size == start) return false;
    const char *const separators = drive ? "\\/" : "/";
    for (size_t at = start; at <= size;) {
        size_t length = strcspn(path + at, separators);
        if (length == 0 || strspn(path + at, ".") == length) return false;
        at += length + 1;
    }
    return true;
}

bool cs_blob_equal(const cs_blob *a, const cs_blob *b) {
    return a->area == b->area && a->number == b->number && strcmp(a->txid, b->txid) == 0;
}

/* ---- between fields ---- */

typedef struct checker {
    const char *name;
    cs_error *error;
} checker;

static cs_status bad(const checker *c, const char *place, size_t index, const char *what) {
    return cs_fail(c->error, CS_E_FORMAT, "check", c->name, "%s[%zu]: %s", place, index, what);
}

static cs_status check_blob(const checker *c, const char *place, size_t index, const cs_blob *blob) {
    if (!cs_txid_valid(blob->txid)) return bad(c, place, index, "its transaction id is not 32 hex digits");
    if (blob->number >= CS_RECORD_NUMBERS) return bad(c, place, index, "its row number is above 99");
    return CS_OK;
}

/* Pass 1 fills this transaction's own old\; pass 2 empties its own new\ or an earlier old\. */
static cs_status check_move(const checker *c, const cs_record *record, size_t index) {
    const cs_move *move = &record->moves[index];
    cs_status status = check_blob(c, "moves", index, &move->blob);
    if (status != CS_OK) return status;
    if (!move->target || !cs_target_valid(move->target)) return bad(c, "moves", index, "not a target that we may touch");
    bool own = strcmp(move->blob.txid, record->txid) == 0;
    if (move->to_private && (!own || move->blob.area != CS_AREA_OLD))
        return bad(c, "moves", index, "a file is taken away into this transaction's old folder only");
    if (!move->to_private && own != (move->blob.area == CS_AREA_NEW))
        return bad(c, "moves", index, "a file comes from this transaction's new folder or an earlier one's old folder only");
    if (index && move->to_private && !record->moves[index - 1].to_private)
        return bad(c, "moves", index, "files are taken away before others come");
    for (size_t i = 0; i < index; i++) {
        const cs_move *other = &record->moves[i];
        if (cs_blob_equal(&other->blob, &move->blob)) return bad(c, "moves", index, "the same private file twice");
        if (other->to_private == move->to_private && cs_text_equal_ascii_case(other->target, move->target))
            return bad(c, "moves", index, "the same target twice");
    }
    return CS_OK;
}

static cs_status check_folders(const checker *c, const cs_strings *folders) {
    for (size_t i = 0; i < folders->count; i++) {
        if (!cs_target_folder_valid(folders->items[i])) return bad(c, "folders", i, "not a folder that we may make");
        for (size_t k = 0; k < i; k++)
            if (strcmp(folders->items[k], folders->items[i]) == 0) return bad(c, "folders", i, "the same folder twice");
        if (i && cs_text_starts_with(folders->items[i - 1], folders->items[i]))
            return bad(c, "folders", i, "a parent comes after its child");
    }
    return CS_OK;
}

static cs_status check_regs(const checker *c, const cs_reg_change *regs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const cs_reg_change *reg = &regs[i];
        if ((size_t)reg->variable >= sizeof cs_variable_names / sizeof cs_variable_names[0])
            return bad(c, "regs", i, "not a value that we may touch");
        if (!reg->name || !cs_text_equal_ascii_case(reg->name, cs_variable_names[reg->variable]))
            return bad(c, "regs", i, "its spelling is another value's");
        if (cs_reg_value_equal(&reg->old, &reg->now)) return bad(c, "regs", i, "changes nothing");
        if (reg->old.size > CS_RECORD_MAX_VALUE || reg->now.size > CS_RECORD_MAX_VALUE) return bad(c, "regs", i, "too long");
        if (reg->below_count > CS_RECORD_MAX_BELOW) return bad(c, "regs", i, "too many older values");
        for (size_t k = 0; k < reg->below_count; k++)
            if (reg->below[k].size > CS_RECORD_MAX_VALUE) return bad(c, "regs", i, "too long");
        /* A folded undo may hold a value twice only by mistake: its old would be ambiguous. */
        for (size_t k = 0; k < i; k++)
            if (regs[k].variable == reg->variable) return bad(c, "regs", i, "the same value twice");
        if (i && regs[i - 1].variable == CS_VARIABLE_PATH) return bad(c, "regs", i, "PATH comes last");
    }
    return CS_OK;
}

static cs_status check_rows(const checker *c, const cs_receipt *receipt) {
    for (size_t i = 0; i < receipt->row_count; i++) {
        const cs_receipt_row *row = &receipt->rows[i];
        if (!row->target || !cs_target_valid(row->target)) return bad(c, "rows", i, "not a target that we may touch");
        if (row->number >= CS_RECORD_NUMBERS) return bad(c, "rows", i, "its row number is above 99");
        if (row->had_old && !row->ours) return bad(c, "rows", i, "kept an old file without placing one");
        if (row->old_target &&
            (!row->had_old || !cs_target_valid(row->old_target) || !cs_text_equal_ascii_case(row->old_target, row->target)))
            return bad(c, "rows", i, "its old file's spelling is another target's");
        for (size_t k = 0; k < i; k++) {
            bool same_old = receipt->rows[k].number == row->number && receipt->rows[k].had_old && row->had_old;
            if (same_old) return bad(c, "rows", i, "the same old file twice");
            if (cs_text_equal_ascii_case(receipt->rows[k].target, row->target)) return bad(c, "rows", i, "the same target twice");
        }
    }
    return CS_OK;
}

static cs_status check_receipt(const checker *c, const cs_record *record, size_t index) {
    const cs_receipt *receipt = &record->stack[index];
    if (!cs_txid_valid(receipt->txid)) return bad(c, "stack", index, "its transaction id is not 32 hex digits");
    if (!receipt->product || !receipt->version) return bad(c, "stack", index, "says nothing of what it installed");
    if (receipt->row_count > CS_MANIFEST_MAX_FILES) return bad(c, "stack", index, "too many rows");
    for (size_t i = 0; i < index; i++)
        if (strcmp(record->stack[i].txid, receipt->txid) == 0) return bad(c, "stack", index, "the same transaction twice");
    cs_status status = check_rows(c, receipt);
    if (status == CS_OK) status = check_regs(c, receipt->regs, receipt->reg_count);
    return status == CS_OK ? check_folders(c, &receipt->folders) : status;
}

/* Something that the stack or a parked row still needs may never be dropped. */
static bool is_needed(const cs_record *record, const cs_blob *blob) {
    for (size_t i = 0; i < record->parked_count; i++)
        if (cs_blob_equal(&record->parked[i].blob, blob)) return true;
    if (blob->area != CS_AREA_OLD) return false;
    for (size_t i = 0; i < record->stack_count; i++) {
        if (strcmp(record->stack[i].txid, blob->txid) != 0) continue;
        for (size_t k = 0; k < record->stack[i].row_count; k++)
            if (record->stack[i].rows[k].had_old && record->stack[i].rows[k].number == blob->number) return true;
    }
    return false;
}

static cs_status check_private_lists(const checker *c, const cs_record *record) {
    for (size_t i = 0; i < record->parked_count; i++) {
        cs_status status = check_blob(c, "parked", i, &record->parked[i].blob);
        if (status != CS_OK) return status;
        if (record->parked[i].blob.area != CS_AREA_OLD) return bad(c, "parked", i, "only old files are parked");
        if (!record->parked[i].target || !cs_target_valid(record->parked[i].target))
            return bad(c, "parked", i, "not a target that we may touch");
    }
    for (size_t i = 0; i < record->cleanup_count; i++) {
        cs_status status = check_blob(c, "cleanup", i, &record->cleanup[i]);
        if (status != CS_OK) return status;
        if (is_needed(record, &record->cleanup[i])) return bad(c, "cleanup", i, "is still needed");
    }
    return CS_OK;
}

static cs_status check_counts(const checker *c, const cs_record *record) {
    if (record->move_count > CS_RECORD_MAX_MOVES) return bad(c, "moves", record->move_count, "too many");
    if (record->stack_count > CS_RECORD_MAX_STACK) return bad(c, "stack", record->stack_count, "too many");
    if (record->parked_count > CS_RECORD_MAX_BLOBS) return bad(c, "parked", record->parked_count, "too many");
    if (record->cleanup_count > CS_RECORD_MAX_BLOBS) return bad(c, "cleanup", record->cleanup_count, "too many");
    return CS_OK;
}

cs_status cs_record_check(const char *name, const cs_record *record, cs_error *error) {
    checker c = {name, error};
    if (!cs_txid_valid(record->tree_id)) return cs_fail(error, CS_E_FORMAT, "check", name, "tree: not 32 hex digits");
    if (!cs_txid_valid(record->txid)) return cs_fail(error, CS_E_FORMAT, "check", name, "txid: not 32 hex digits");
    if (!record->tree_path || !cs_tree_path_valid(record->tree_path))
        return cs_fail(error, CS_E_FORMAT, "check", name, "path: not an absolute local path");
    if (record->folder_id[0] && (!cs_txid_valid(record->folder_id) || strcmp(record->folder_id, record->tree_id) == 0))
        return cs_fail(error, CS_E_FORMAT, "check", name, "folder: not another identity than the tree's");
    cs_status status = check_counts(&c, record);
    for (size_t i = 0; i < record->move_count && status == CS_OK; i++) status = check_move(&c, record, i);
    if (status == CS_OK) status = check_folders(&c, &record->folders);
    if (status == CS_OK) status = check_regs(&c, record->regs, record->reg_count);
    for (size_t i = 0; i < record->stack_count && status == CS_OK; i++) status = check_receipt(&c, record, i);
    return status == CS_OK ? check_private_lists(&c, record) : status;
}
