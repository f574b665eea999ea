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
