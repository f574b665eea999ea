#include "cudnn_setup/json.h"
#include "record_rules.h"

static void put_blob(cs_json_writer *w, const cs_blob *blob) {
    cs_json_put_text(w, "txid", blob->txid);
    cs_json_put_text(w, "area", cs_area_names[blob->area]);
    cs_json_put_uint(w, "number", blob->number);
}

static void put_times(cs_json_writer *w, const cs_file_info *info) {
    cs_json_put_decimal(w, "size", info->size);
    cs_json_put_uint(w, "attributes", info->attributes);
    cs_json_put_signed_decimal(w, "created", info->created);
    cs_json_put_signed_decimal(w, "accessed", info->accessed);
    cs_json_put_signed_decimal(w, "written", info->written);
}

static void put_move(cs_json_writer *w, const cs_move *move) {
    cs_json_begin(w, NULL, '{');
    cs_json_put_bool(w, "away", move->to_private);
    put_blob(w, &move->blob);
    cs_json_put_text(w, "target", move->target);
    cs_json_put_decimal(w, "volume", move->info.id.volume);
    cs_json_put_hex(w, "id", move->info.id.id, sizeof move->info.id.id);
    put_times(w, &move->info);
    cs_json_put_hex(w, "sha256", move->sha256, sizeof move->sha256);
    cs_json_end(w, '}');
}

static void put_strings(cs_json_writer *w, const char *key, const cs_strings *list) {
    cs_json_begin(w, key, '[');
    for (size_t i = 0; i < list->count; i++) cs_json_put_text(w, NULL, list->items[i]);
    cs_json_end(w, ']');
}

/* An absent value has no key: an unknown or absent fact is never null. */
static void put_value(cs_json_writer *w, const char *key, const cs_reg_value *value) {
    if (!value->present) return;
    cs_json_begin(w, key, '{');
    cs_json_put_uint(w, "type", value->type);
    cs_json_put_hex(w, "bytes", value->bytes, value->size);
    cs_json_end(w, '}');
}

static void put_below(cs_json_writer *w, const cs_reg_change *change) {
    if (!change->below_count) return;
    cs_json_begin(w, "below", '[');
    for (size_t i = 0; i < change->below_count; i++) {
        const cs_reg_value *value = &change->below[i];
        cs_json_begin(w, NULL, '{');
        if (value->present) cs_json_put_uint(w, "type", value->type);
        if (value->present) cs_json_put_hex(w, "bytes", value->bytes, value->size);
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
}

static void put_regs(cs_json_writer *w, const cs_reg_change *regs, size_t count) {
    cs_json_begin(w, "regs", '[');
    for (size_t i = 0; i < count; i++) {
        cs_json_begin(w, NULL, '{');
        cs_json_put_text(w, "variable", cs_variable_names[regs[i].variable]);
        cs_json_put_text(w, "name", regs[i].name);
        put_value(w, "old", &regs[i].old);
        put_value(w, "now", &regs[i].now);
        cs_json_put_uint(w, "index", regs[i].index);
        put_below(w, &regs[i]);
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
}

static void put_trust(cs_json_writer *w, const cs_trust *trust) {
    cs_json_begin(w, "trust", '{');
    cs_json_put_text(w, "kind", cs_trust_names[trust->kind]);
    cs_json_put_bool(w, "sample", trust->sample);
    if (trust->has_archive_sha256) cs_json_put_hex(w, "archive_sha256", trust->archive_sha256, CS_SHA256_SIZE);
    cs_json_put_hex(w, "manifest_sha256", trust->manifest_sha256, CS_SHA256_SIZE);
    cs_json_end(w, '}');
}

static void put_row(cs_json_writer *w, const cs_receipt_row *row) {
    cs_json_begin(w, NULL, '{');
    cs_json_put_text(w, "target", row->target);
    cs_json_put_uint(w, "number", row->number);
    cs_json_put_decimal(w, "size", row->size);
    cs_json_put_hex(w, "sha256", row->sha256, CS_SHA256_SIZE);
    cs_json_put_bool(w, "ours", row->ours);
    if (row->had_old) {
        cs_json_begin(w, "old", '{');
        put_times(w, &row->old);
        cs_json_put_hex(w, "sha256", row->old_sha256, CS_SHA256_SIZE);
        if (row->old_target) cs_json_put_text(w, "target", row->old_target);
        cs_json_end(w, '}');
    }
    cs_json_end(w, '}');
}

static void put_receipt(cs_json_writer *w, const cs_receipt *receipt) {
    cs_json_begin(w, NULL, '{');
    cs_json_put_text(w, "txid", receipt->txid);
    cs_json_put_signed_decimal(w, "time", receipt->time);
    cs_json_put_text(w, "product", receipt->product);
    cs_json_put_text(w, "version", receipt->version);
    cs_json_put_uint(w, "cudnn_version", receipt->cudnn_version);
    put_trust(w, &receipt->trust);
    cs_json_begin(w, "rows", '[');
    for (size_t i = 0; i < receipt->row_count; i++) put_row(w, &receipt->rows[i]);
    cs_json_end(w, ']');
    put_regs(w, receipt->regs, receipt->reg_count);
    put_strings(w, "folders", &receipt->folders);
    cs_json_end(w, '}');
}

static void put_private_lists(cs_json_writer *w, const cs_record *record) {
    cs_json_begin(w, "parked", '[');
    for (size_t i = 0; i < record->parked_count; i++) {
        cs_json_begin(w, NULL, '{');
        put_blob(w, &record->parked[i].blob);
        cs_json_put_text(w, "target", record->parked[i].target);
        cs_json_put_hex(w, "sha256", record->parked[i].sha256, CS_SHA256_SIZE);
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
    cs_json_begin(w, "cleanup", '[');
    for (size_t i = 0; i < record->cleanup_count; i++) {
        cs_json_begin(w, NULL, '{');
        put_blob(w, &record->cleanup[i]);
        cs_json_end(w, '}');
    }
    cs_json_end(w, ']');
}

static void put_body(cs_json_writer *w, const cs_record *record) {
    cs_json_put_text(w, "tree", record->tree_id);
    cs_json_put_text(w, "path", record->tree_path);
    if (record->folder_id[0]) cs_json_put_text(w, "folder", record->folder_id);
    if (record->volume) cs_json_put_decimal(w, "volume", record->volume);
    cs_json_put_text(w, "txid", record->txid);
    cs_json_put_text(w, "kind", cs_kind_names[record->kind]);
    cs_json_begin(w, "moves", '[');
    for (size_t i = 0; i < record->move_count; i++) put_move(w, &record->moves[i]);
    cs_json_end(w, ']');
    put_strings(w, "folders", &record->folders);
    put_regs(w, record->regs, record->reg_count);
    cs_json_begin(w, "stack", '[');
    for (size_t i = 0; i < record->stack_count; i++) put_receipt(w, &record->stack[i]);
    cs_json_end(w, ']');
    put_private_lists(w, record);
}

cs_status cs_record_write(const cs_record *record, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    cs_status status = cs_record_check("the record", record, error);
    if (status != CS_OK) return status;
    cs_json_writer w = {.out = out, .layout = CS_JSON_COMPACT};
    cs_seal_begin(&w);
    put_body(&w, record);
    cs_json_end(&w, '}');
    status = cs_json_finish(&w, error);
    return status == CS_OK ? cs_seal_end("the record", out, error) : status;
}
