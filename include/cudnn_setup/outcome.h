/* outcome.h: what a run found and did: the one source of the exit code, the last line of the log and the /json object. */
#ifndef CUDNN_SETUP_OUTCOME_H
#define CUDNN_SETUP_OUTCOME_H

#include "cudnn_setup/archive.h"
#include "cudnn_setup/options.h"
#include "cudnn_setup/registry.h"
#include "cudnn_setup/system.h"
#include "cudnn_setup/value_diff.h"

typedef enum cs_result {
    CS_RESULT_DONE,
    CS_RESULT_ALREADY,
    CS_RESULT_CANCELLED,
    CS_RESULT_FAILED,
    CS_RESULT_PENDING,
    CS_RESULT_DIFFERS
} cs_result;

const char *cs_result_text(cs_result result);

typedef struct cs_outcome_file {
    char *target; /* owned */
    char *state;  /* owned: placed, replaced, same, restored, removed, kept, missing, differs, ok, new */
} cs_outcome_file;

typedef struct cs_outcome_value {
    char *name, *type, *old_text, *new_text; /* owned; NULL text: absent */
    cs_value_diff diff;                      /* owned; empty where the change is not known entry by entry */
} cs_outcome_value;

typedef struct cs_outcome {
    cs_status status; /* exit code by cs_exit_code */
    cs_result result;
    cs_error error;            /* zero if none */
    cs_buffer message;         /* a sentence for people */
    char *tree_id, *tree_path; /* owned; NULL: none */
    cs_trust trust;
    cs_outcome_file *files;
    size_t file_count;
    cs_outcome_value *values;
    size_t value_count;
    char *proof_files, *proof_loading, *proof_gpu; /* owned: "passed", "skipped: why", "failed: why"; NULL: did not run */
    struct cs_proof_detail *proof;                 /* owned (proof_detail.h); NULL: neither of the last two stages ran */
    cs_holders in_use;
    struct cs_status_view *installations; /* owned; what /status found (status_view.h); NULL: another verb */
    cs_buffer plan;                       /* for people: what a dry run would do; empty otherwise */
} cs_outcome;

void cs_outcome_free(cs_outcome *outcome);
/* Forgets the files and values: what they tell has been taken back. */
void cs_outcome_clear_changes(cs_outcome *outcome);
cs_status cs_outcome_add_file(cs_outcome *outcome, const char *target, const char *state, cs_error *error);
cs_status cs_outcome_add_value(cs_outcome *outcome, const char *name, uint32_t type, const char *old_text, const char *new_text,
                               cs_error *error);

#endif
