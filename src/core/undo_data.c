#include "cudnn_setup/undo_data.h"

#include <string.h>

#include "cudnn_setup/plan.h"
#include "engine.h"

enum { NAMES_SHOWN = 5 };

void cs_undo_data_free(cs_undo_data *data) {
    cs_buffer_free(&data->names);
    *data = (cs_undo_data){0};
}

static void note(cs_undo_data *data, const char *target, bool missing) {
    size_t count = data->missing + data->damaged;
    if (count && count <= NAMES_SHOWN) cs_buffer_text(&data->names, ", ");
    if (count < NAMES_SHOWN) cs_buffer_format(&data->names, missing ? "%s missing" : "%s damaged", target);
    if (count == NAMES_SHOWN) cs_buffer_text(&data->names, "and more");
    *(missing ? &data->missing : &data->damaged) += 1;
}

static cs_status look_at_size(const cs_host *host, const char *tree_path, const cs_blob *blob, cs_target *out, cs_error *error) {
    cs_buffer path = {0};
    *out = (cs_target){0};
    cs_status status = cs_blob_path(host, tree_path, blob, &path, error);
    if (status == CS_OK) status = host->fs->stat(host->fs->ctx, path.data, &out->info, error);
    out->present = status == CS_OK;
    if (status == CS_OK && out->info.kind != CS_FILE_REGULAR) status = CS_E_REPARSE;
    cs_buffer_free(&path);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

static cs_status look_at_row(const cs_host *host, const char *tree_path, const char *txid, const cs_receipt_row *row, bool hash,
                             cs_undo_data *data, cs_error *error) {
    const cs_blob blob = cs_plan_blob(txid, CS_AREA_OLD, row->number);
    cs_target found = {0};
    cs_error one = {0};
    cs_status status =
        hash ? cs_plan_look_blob(host, tree_path, &blob, &found, &one) : look_at_size(host, tree_path, &blob, &found, &one);
    data->files++;
    data->bytes += row->old.size;
    if (status == CS_E_NO_MEMORY) return cs_fail(error, status, NULL, NULL, NULL);
    bool right = found.info.size == row->old.size && (!hash || memcmp(found.sha256, row->old_sha256, CS_SHA256_SIZE) == 0);
    if (status == CS_E_REPARSE || (status == CS_OK && found.present && !right))
        note(data, row->target, false);
    else if (status == CS_OK && !found.present)
        note(data, row->target, true);
    else if (status != CS_OK)
        data->unknown++;
    return CS_OK;
}

cs_status cs_undo_data_look(const cs_host *host, const char *tree_path, const cs_record *head, bool hash, cs_undo_data *out,
                            cs_error *error) {
    cs_status status = CS_OK;
    *out = (cs_undo_data){0};
    for (size_t i = 0; i < head->stack_count; i++)
        for (size_t j = 0; j < head->stack[i].row_count && status == CS_OK; j++) {
            const cs_receipt_row *row = &head->stack[i].rows[j];
            if (row->ours && row->had_old) status = look_at_row(host, tree_path, head->stack[i].txid, row, hash, out, error);
        }
    return status == CS_OK ? cs_buffer_check(&out->names, error) : status;
}
