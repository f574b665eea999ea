#include "cudnn_setup/outcome.h"

#include <stdio.h>

#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/status_view.h"

const char *cs_result_text(cs_result result) {
    switch (result) {
    case CS_RESULT_DONE:
        return "done";
    case CS_RESULT_ALREADY:
        return "already";
    case CS_RESULT_CANCELLED:
        return "cancelled";
    case CS_RESULT_FAILED:
        return "failed";
    case CS_RESULT_PENDING:
        return "pending";
    case CS_RESULT_DIFFERS:
        return "differs";
    }
    return "failed";
}

void cs_outcome_clear_changes(cs_outcome *outcome) {
    for (size_t i = 0; i < outcome->file_count; i++) {
        cs_free(outcome->files[i].target);
        cs_free(outcome->files[i].state);
    }
    cs_free(outcome->files);
    for (size_t i = 0; i < outcome->value_count; i++) {
        cs_free(outcome->values[i].name);
        cs_free(outcome->values[i].type);
        cs_free(outcome->values[i].old_text);
        cs_free(outcome->values[i].new_text);
        cs_value_diff_free(&outcome->values[i].diff);
    }
    cs_free(outcome->values);
    outcome->files = NULL;
    outcome->values = NULL;
    outcome->file_count = outcome->value_count = 0;
}

void cs_outcome_free(cs_outcome *outcome) {
    cs_buffer_free(&outcome->message);
    cs_free(outcome->tree_id);
    cs_free(outcome->tree_path);
    cs_outcome_clear_changes(outcome);
    cs_free(outcome->proof_files);
    cs_free(outcome->proof_loading);
    cs_free(outcome->proof_gpu);
    cs_proof_detail_free(outcome->proof);
    cs_holders_free(&outcome->in_use);
    if (outcome->installations) cs_status_view_free(outcome->installations);
    cs_free(outcome->installations);
    cs_buffer_free(&outcome->plan);
    *outcome = (cs_outcome){0};
}

cs_status cs_outcome_add_file(cs_outcome *outcome, const char *target, const char *state, cs_error *error) {
    cs_outcome_file file = {.target = cs_strdup(target), .state = cs_strdup(state)};
    cs_outcome_file *files = cs_realloc(outcome->files, outcome->file_count + 1, sizeof *files);
    if (files) outcome->files = files;
    if (!files || !file.target || !file.state) {
        cs_free(file.target);
        cs_free(file.state);
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    outcome->files[outcome->file_count++] = file;
    return CS_OK;
}

static char *type_name(uint32_t type) {
    char number[24];
    switch (type) {
    case CS_REG_SZ:
        return cs_strdup("REG_SZ");
    case CS_REG_EXPAND_SZ:
        return cs_strdup("REG_EXPAND_SZ");
    case CS_REG_BINARY:
        return cs_strdup("REG_BINARY");
    case CS_REG_DWORD:
        return cs_strdup("REG_DWORD");
    case CS_REG_MULTI_SZ:
        return cs_strdup("REG_MULTI_SZ");
    case CS_REG_QWORD:
        return cs_strdup("REG_QWORD");
    default:
        snprintf(number, sizeof number, "type %u", (unsigned)type);
        return cs_strdup(number);
    }
}

cs_status cs_outcome_add_value(cs_outcome *outcome, const char *name, uint32_t type, const char *old_text, const char *new_text,
                               cs_error *error) {
    cs_outcome_value value = {
        .name = cs_strdup(name), .type = type_name(type), .old_text = cs_strdup(old_text), .new_text = cs_strdup(new_text)};
    cs_outcome_value *values = cs_realloc(outcome->values, outcome->value_count + 1, sizeof *values);
    if (values) outcome->values = values;
    if (!values || !value.name || !value.type || (old_text && !value.old_text) || (new_text && !value.new_text)) {
        cs_free(value.name);
        cs_free(value.type);
        cs_free(value.old_text);
        cs_free(value.new_text);
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    outcome->values[outcome->value_count++] = value;
    return CS_OK;
}
