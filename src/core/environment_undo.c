#include "environment_values.h"

#include <string.h>

#include "cudnn_setup/path.h"

/* ---- the registry rule for one value ---- */

static cs_status undo_path(const cs_host *host, const char *tree_path, const cs_reg_change *change, const cs_reg_value *current,
                           cs_reg_value *out, bool *changed, cs_error *error) {
    cs_variables variables = {host, false};
    cs_buffer bin = {0};
    cs_error reason = {0};
    cs_status status = cs_environment_bin(host, tree_path, &bin, error);
    if (status == CS_OK) {
        cs_pathlist_folder folder = cs_variables_folder(&variables, bin.data);
        status = cs_pathlist_undo(current, &change->old, &change->now, &folder, change->index, out, changed, &reason);
        if (status == CS_E_FORMAT || status == CS_E_TOO_BIG || status == CS_E_NAME) {
            /* Somebody made something of PATH that cannot be edited: theirs to mend, and no reason to stop the undo. */
            cs_emit(host->events, CS_EVENT_WARNING, "path.kept", "PATH was changed by another program and is left as it is: %s",
                    reason.detail);
            *changed = false;
            status = cs_reg_value_copy(out, current, error);
        } else if (status != CS_OK && error) {
            *error = reason;
        }
    }
    cs_buffer_free(&bin);
    return status;
}

static cs_status undo_variable(const cs_host *host, const cs_reg_change *change, const cs_reg_value *current, cs_reg_value *out,
                               bool *changed, cs_error *error) {
    bool written = cs_reg_value_equal(current, &change->now);
    *changed = written && !cs_reg_value_equal(current, &change->old);
    if (!written && !cs_reg_value_equal(current, &change->old)) {
        cs_buffer now = {0};
        cs_environment_show(current, &now);
        cs_emit(host->events, CS_EVENT_WARNING, "environment.kept",
                "%s no longer holds what this program wrote and is left as it is (%s)", cs_environment_label(change->variable),
                cs_buffer_string(&now));
        cs_buffer_free(&now);
    }
    return cs_reg_value_copy(out, written ? &change->old : current, error);
}

cs_status cs_environment_undo_value(const cs_host *host, const char *tree_path, const cs_reg_change *change,
                                    const cs_reg_value *current, cs_reg_value *out, bool *changed, cs_error *error) {
    *out = (cs_reg_value){0};
    *changed = false;
    if (change->variable == CS_VARIABLE_PATH) return undo_path(host, tree_path, change, current, out, changed, error);
    return undo_variable(host, change, current, out, changed, error);
}

/* ---- undoing receipts ---- */

/* What one undo works on. */
typedef struct undoing {
    const cs_host *host;
    const char *tree_path;
    const cs_receipt *drop; /* oldest first */
    size_t count;
    const cs_receipt *const *others; /* that stay */
    size_t other_count;
    cs_reg_value path_now;
} undoing;

/* How often a PATH value names <tree>\<name>. */
static cs_status count_entries(const cs_host *host, const char *tree_path, const char *name, const cs_reg_value *value,
                               size_t *count, cs_error *error) {
    cs_variables variables = {host, false};
    cs_buffer path = {0};
    cs_pathlist list = {0};
    *count = 0;
    cs_status status = cs_path_join(&path, host->fs->separator, tree_path, name, error);
    if (status == CS_OK) {
        cs_pathlist_folder folder = cs_variables_folder(&variables, path.data);
        status = cs_pathlist_parse(value, &folder, &list, error);
        if (status == CS_E_FORMAT) status = CS_OK; /* no list: it names nothing */
    }
    for (size_t i = 0; i < list.count; i++) *count += list.items[i].ours;
    cs_pathlist_free(&list);
    cs_buffer_free(&path);
    return status;
}

static const cs_reg_change *find_change(const cs_receipt *receipt, cs_variable variable) {
    for (size_t i = 0; i < receipt->reg_count; i++)
        if (receipt->regs[i].variable == variable) return &receipt->regs[i];
    return NULL;
}

/* Has CUDA's own installer run on this tree since the receipt? It writes bin and libnvvp into PATH together
 * (docs/environment.md), so libnvvp stands there now and did not when we wrote. A receipt that left PATH alone cannot tell. */
static cs_status cuda_reinstalled(const cs_host *host, const char *tree_path, const cs_receipt *receipt,
                                  const cs_reg_value *path_now, bool *out, cs_error *error) {
    const cs_reg_change *change = find_change(receipt, CS_VARIABLE_PATH);
    size_t then = 0, now = 0;
    *out = false;
    if (!change) return CS_OK;
    cs_status status = count_entries(host, tree_path, "libnvvp", &change->now, &then, error);
    if (status == CS_OK) status = count_entries(host, tree_path, "libnvvp", path_now, &now, error);
    *out = status == CS_OK && now > then;
    return status;
}

/* Is what we wrote CUDA's as well by now, so that it has to stay? A PATH with one more entry than both need is no such case. */
static cs_status belongs_to_cuda(const cs_host *host, const char *tree_path, const cs_receipt *receipt,
                                 const cs_reg_change *change, const cs_reg_value *path_now, const cs_reg_value *value, bool *out,
                                 cs_error *error) {
    size_t before = 0, now = 0;
    cs_status status = cuda_reinstalled(host, tree_path, receipt, path_now, out, error);
    if (status != CS_OK || !*out) return status;
    if (change->variable != CS_VARIABLE_PATH) {
        *out = cs_reg_value_equal(value, &change->now);
    } else {
        status = count_entries(host, tree_path, "bin", &change->old, &before, error);
        if (status == CS_OK) status = count_entries(host, tree_path, "bin", value, &now, error);
        *out = status == CS_OK && now == before + 1;
    }
    if (*out)
        cs_emit(host->events, CS_EVENT_WARNING, "environment.cuda-reinstalled",
                "CUDA was installed again after cuDNN: its installer counts on %s, which is left as it is",
                cs_environment_label(change->variable));
    return status;
}

/* Another installation of ours wrote the value that stands there now: it stays, and nothing is amiss. */
static bool is_anothers(const undoing *u, const cs_reg_change *change, const cs_reg_value *value) {
    if (change->variable == CS_VARIABLE_PATH || cs_reg_value_equal(value, &change->now)) return false;
    if (!cs_environment_writer(u->others, u->other_count, change->variable, value)) return false;
    cs_emit(u->host->events, CS_EVENT_DETAIL, "", "%s was written by another installation, which is still there, and stays",
            cs_environment_label(change->variable));
    return true;
}

/* Undoes one receipt's change of a variable on *value. */
static cs_status undo_one(const undoing *u, const cs_receipt *receipt, const cs_reg_change *change, cs_reg_value *value,
                          cs_error *error) {
    bool keep = false, changed = false;
    cs_reg_value out = {0};
    cs_status status = belongs_to_cuda(u->host, u->tree_path, receipt, change, &u->path_now, value, &keep, error);
    if (status != CS_OK || keep || is_anothers(u, change, value)) return status;
    cs_reg_change due = *change; /* borrowed */
    if (change->variable != CS_VARIABLE_PATH || !cs_reg_value_equal(value, &change->now))
        due.old = *cs_environment_old(change, u->others, u->other_count);
    status = cs_environment_undo_value(u->host, u->tree_path, &due, value, &out, &changed, error);
    if (status != CS_OK) return status;
    cs_reg_value_free(value);
    *value = out;
    return CS_OK;
}

/* The first entry at which two PATH values differ: where ours is taken out or put in. */
static cs_status first_difference(const cs_reg_value *a, const cs_reg_value *b, size_t *index, cs_error *error) {
    cs_pathlist left = {0}, right = {0};
    *index = 0;
    cs_status status = cs_pathlist_parse(a, NULL, &left, error);
    if (status == CS_OK) status = cs_pathlist_parse(b, NULL, &right, error);
    if (status == CS_E_FORMAT) status = CS_OK; /* an old value that is no list: the position means nothing */
    while (*index < left.count && *index < right.count && strcmp(left.items[*index].text, right.items[*index].text) == 0)
        ++*index;
    cs_pathlist_free(&left);
    cs_pathlist_free(&right);
    return status;
}

/* Folds the receipts on the variable's present value. */
static cs_status undo_all(const undoing *u, cs_variable variable, cs_environment_plan *out, cs_error *error) {
    char *name = NULL;
    cs_reg_value current = {0}, value = {0};
    size_t index = 0;
    bool touched = false;
    for (size_t i = 0; i < u->count; i++) touched = touched || find_change(&u->drop[i], variable);
    if (!touched) return CS_OK;
    cs_status status = cs_environment_read(u->host, variable, &name, &current, error);
    if (status == CS_OK) status = cs_reg_value_copy(&value, &current, error);
    for (size_t i = u->count; i-- && status == CS_OK;) {
        const cs_reg_change *change = find_change(&u->drop[i], variable);
        if (!change) continue;
        if (!current.present && change->name) { /* it comes back under the name it had */
            cs_free(name);
            name = cs_strdup(change->name);
            if (!name) status = cs_fail(error, CS_E_NO_MEMORY, "plan environment", NULL, NULL);
        }
        if (status == CS_OK) status = undo_one(u, &u->drop[i], change, &value, error);
    }
    if (status == CS_OK && variable == CS_VARIABLE_PATH) status = first_difference(&current, &value, &index, error);
    if (status == CS_OK) status = cs_environment_add_change(out, variable, name, &current, &value, index, error);
    cs_free(name);
    cs_reg_value_free(&current);
    cs_reg_value_free(&value);
    return status;
}

cs_status cs_environment_plan_undo(const cs_host *host, const char *tree_path, const cs_receipt *drop, size_t count,
                                   const cs_receipt *const *others, size_t other_count, cs_environment_plan *out,
                                   cs_error *error) {
    static const cs_variable order[] = {CS_VARIABLE_CUDA_PATH, CS_VARIABLE_CUDA_PATH_V10_1, CS_VARIABLE_PATH};
    undoing u = {host, tree_path, drop, count, others, other_count, {0}};
    bool touched = false;
    char *name = NULL;
    *out = (cs_environment_plan){0};
    for (size_t i = 0; i < count; i++) touched = touched || drop[i].reg_count;
    if (!touched) return CS_OK;
    cs_status status = cs_environment_read(host, CS_VARIABLE_PATH, &name, &u.path_now, error);
    for (size_t i = 0; i < sizeof order / sizeof order[0] && status == CS_OK; i++) status = undo_all(&u, order[i], out, error);
    if (status != CS_OK) cs_environment_plan_free(out);
    cs_free(name);
    cs_reg_value_free(&u.path_now);
    return status;
}
