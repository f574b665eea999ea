/* The second part of /status: what each receipt says, and how the registry's values stand now. */
#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/status_view.h"
#include "environment_values.h"
#include "variables.h"

static bool changes(const cs_receipt *receipt, cs_variable variable) {
    for (size_t i = 0; i < receipt->reg_count; i++)
        if (receipt->regs[i].variable == variable) return true;
    return false;
}

/* PATH has an entry of each tree; the other two belong to whoever wrote them last. */
static bool written_again(const cs_status_view *view, const cs_record *head, size_t index, cs_variable variable) {
    for (size_t i = index + 1; i < head->stack_count; i++)
        if (changes(&head->stack[i], variable)) return true;
    if (variable == CS_VARIABLE_PATH) return false;
    for (size_t i = 0; i < view->tree_count; i++) {
        const cs_record *other = &view->trees[i].known.head;
        for (size_t j = 0; other != head && j < other->stack_count; j++)
            if (other->stack[j].time > head->stack[index].time && changes(&other->stack[j], variable)) return true;
    }
    return false;
}

/* Where our folder stands in PATH now. */
static cs_status find_place(const cs_host *host, const char *tree_path, cs_status_value *value, cs_error *error) {
    cs_variables variables = {host, false};
    cs_buffer bin = {0};
    cs_pathlist list = {0};
    cs_status status = cs_environment_bin(host, tree_path, &bin, error);
    if (status == CS_OK) {
        cs_pathlist_folder folder = cs_variables_folder(&variables, bin.data);
        status = cs_pathlist_parse(&value->now, &folder, &list, error);
    }
    for (size_t i = list.count; i-- > 0;)
        if (list.items[i].ours) value->has_place = true, value->place = i;
    cs_pathlist_free(&list);
    cs_buffer_free(&bin);
    return status == CS_E_FORMAT ? CS_OK : status;
}

static cs_status judge_value(const cs_host *host, const char *tree_path, cs_status_value *value, cs_error *error) {
    const cs_reg_change *change = value->change;
    char *name = NULL;
    cs_status status = host->registry ? cs_environment_read(host, change->variable, &name, &value->now, error) : CS_E_UNSUPPORTED;
    cs_free(name);
    value->fate = CS_VALUE_UNREADABLE;
    if (status != CS_OK) return status == CS_E_NO_MEMORY ? status : CS_OK;
    if (change->variable == CS_VARIABLE_PATH) status = find_place(host, tree_path, value, error);
    value->fate = cs_reg_value_equal(&value->now, &change->now)   ? CS_VALUE_WRITTEN
                  : cs_reg_value_equal(&value->now, &change->old) ? CS_VALUE_BEFORE
                  : value->has_place                              ? CS_VALUE_EDITED
                                                                  : CS_VALUE_OTHER;
    return status;
}

static cs_status read_values(cs_run *run, const cs_status_view *view, const cs_record *head, size_t index,
                             cs_status_level *level) {
    const cs_receipt *receipt = level->receipt;
    cs_status status = CS_OK;
    if (!receipt->reg_count) return CS_OK;
    level->values = cs_alloc(receipt->reg_count, sizeof *level->values);
    if (!level->values) return cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < receipt->reg_count && status == CS_OK; i++) {
        cs_status_value *value = &level->values[level->value_count++];
        value->change = &receipt->regs[i];
        status = cs_value_diff_make(run->host, head->tree_path, value->change, &value->diff, &run->error);
        if (status != CS_OK) break;
        if (written_again(view, head, index, value->change->variable))
            value->fate = CS_VALUE_REPLACED;
        else
            status = judge_value(run->host, head->tree_path, value, &run->error);
    }
    return status;
}

static void count_rows(const cs_run *run, const cs_record *head, cs_status_level *level) {
    const cs_receipt *receipt = level->receipt;
    for (size_t i = 0; i < receipt->row_count; i++) {
        const cs_receipt_row *row = &receipt->rows[i];
        level->ours += row->ours;
        level->already += !row->ours;
        if (!row->ours || !row->had_old) continue;
        const cs_blob blob = cs_plan_blob(receipt->txid, CS_AREA_OLD, row->number);
        level->undo_files++;
        if (cs_plan_blob_exists(run->host, head->tree_path, &blob))
            level->undo_bytes += row->old.size;
        else
            level->undo_absent++;
    }
}

/* A program without a manifest of its own knows none as its own. */
static bool is_builtin(const cs_host *host, const cs_trust *trust) {
    cs_manifest manifest = {0};
    bool same = cs_package_manifest(host, NULL, &manifest, NULL) == CS_OK &&
                memcmp(manifest.sha256, trust->manifest_sha256, CS_SHA256_SIZE) == 0;
    cs_manifest_free(&manifest);
    return same;
}

cs_status cs_status_gather_levels(cs_run *run, const cs_status_view *view, cs_status_tree *tree) {
    const cs_record *head = &tree->known.head;
    cs_status status = CS_OK;
    if (!head->stack_count) return CS_OK;
    tree->levels = cs_alloc(head->stack_count, sizeof *tree->levels);
    if (!tree->levels) return cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = head->stack_count; i-- > 0 && status == CS_OK;) {
        cs_status_level *level = &tree->levels[tree->level_count++];
        level->receipt = &head->stack[i];
        level->builtin = is_builtin(run->host, &level->receipt->trust);
        count_rows(run, head, level);
        status = read_values(run, view, head, i, level);
    }
    return status;
}
