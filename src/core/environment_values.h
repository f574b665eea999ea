/* environment_values.h: what planning and undoing share. Private to environment. */
#ifndef CS_ENVIRONMENT_VALUES_H
#define CS_ENVIRONMENT_VALUES_H

#include "cudnn_setup/environment.h"
#include "variables.h"

/* "PATH", "CUDA_PATH", "CUDA_PATH_V10_1": for messages. */
const char *cs_environment_label(cs_variable variable);
/* Under which name a new value is created: "Path", ... */
const char *cs_environment_new_name(cs_variable variable);

/* Reads the machine's value and the spelling of its name (owned by the caller; the usual one if the value is absent). */
cs_status cs_environment_read(const cs_host *host, cs_variable variable, char **name, cs_reg_value *out, cs_error *error);

/* Our folder in PATH: <tree>\bin. Replaces out. */
cs_status cs_environment_bin(const cs_host *host, const char *tree_path, cs_buffer *out, cs_error *error);

/* Appends a change old -> now to the plan, with copies; nothing if they are equal. */
cs_status cs_environment_add_change(cs_environment_plan *plan, cs_variable variable, const char *name, const cs_reg_value *old,
                                    const cs_reg_value *now, size_t index, cs_error *error);

/* The change by which the newest of these receipts wrote this value; NULL if none did. */
const cs_reg_change *cs_environment_writer(const cs_receipt *const *receipts, size_t count, cs_variable variable,
                                           const cs_reg_value *value);

/* What an undo of the change goes back to, given the receipts that stay: its old value, or, where that was written by an
 * installation that is gone, the newest value below it whose writer is still there or who has none. Borrowed from change. */
const cs_reg_value *cs_environment_old(const cs_reg_change *change, const cs_receipt *const *others, size_t count);

/* A value for messages: its text, or what is wrong with it. Control characters are shown. Replaces out. */
void cs_environment_show(const cs_reg_value *value, cs_buffer *out);

/* Says what there is to say of a PATH as it will be: entries for our folder that the loader cannot use, and libraries of the same
 * names that come before the ones in bin. */
cs_status cs_environment_report_path(const cs_host *host, const char *bin, const cs_reg_value *now, cs_error *error);

#endif
