/* verb.h: what all verbs do the same way: begin (checks, lock, recovery), choose a tree, end (derived state, lock, outcome). For
 * the operations' own files. */
#ifndef CUDNN_SETUP_VERB_H
#define CUDNN_SETUP_VERB_H

#include "cudnn_setup/operations.h"
#include "cudnn_setup/plan.h"
#include "cudnn_setup/trees.h"

typedef struct cs_run {
    const cs_host *host;
    const cs_options *options;
    cs_outcome *outcome;
    cs_session session; /* holds the lock in a changing run */
    bool changing;
    cs_known_trees trees;
    cs_error error; /* of the failure that ends the run */
    bool already;   /* nothing had to be done */
    bool derived;   /* derived state is up to date */
    bool untold;    /* recovery changed the environment, and nobody has been told yet */
    /* Of cs_undo_levels, for what there is to say of it. */
    bool strangers;    /* another folder stands at the path: nothing in it was ours to undo */
    size_t kept_aside; /* older files that stay in .cudnn-setup because they were not ours to replace */
} cs_run;

/* The first half of the next: rights, platform and lock, without the recovery. */
cs_status cs_run_begin_locked(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome);

/* A changing run (not with /dryrun): rights, platform, lock, recovery to a clean state, then the known trees. CS_E_PENDING if the
 * interrupted work cannot be finished. */
cs_status cs_run_begin_changing(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome);

/* The recovery itself. What it changed in the environment is told at the run's end, unless the run tells of a change of its own.
 */
cs_status cs_run_recover(cs_run *run, bool *did_work);

/* Loads the known trees, with a warning for each that is blocked. Part of beginning; a verb that changed the records loads again
 * by cs_trees_load. */
cs_status cs_run_load_trees(cs_run *run);

/* Warns of older files in the tree's .cudnn-setup that no record names. head: NULL if there is none. */
void cs_run_tell_unnamed(const cs_run *run, const char *tree_path, const cs_record *head);

/* A run that only looks (also /dryrun of a changing verb): creates nothing, takes no lock. No P\state: no trees. */
cs_status cs_run_begin_reading(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome);

/* CS_E_PENDING with what to do if interrupted work was found by a reading run. */
cs_status cs_run_refuse_pending(cs_run *run);

/* Brings derived state up to date (derive.h); a failure is a warning. */
void cs_run_derive(cs_run *run);

/* Ends it: derived state after a changing run, what recovery changed in the environment is told, the lock, and the outcome's
 * status, result, error, and message (the verb's own, or the error's with what was and was not changed). Returns status. */
cs_status cs_run_end(cs_run *run, cs_status status);

/* Puts the tree into the outcome. */
cs_status cs_run_set_tree(cs_run *run, const cs_tree *tree);

/* The verb's own sentence; replaces an earlier one. */
void cs_run_say(cs_run *run, const char *format, ...) CS_PRINTF(2, 3);

/* Once the change is made, nothing that only tells of it may turn the run into a failure: CS_OK, and a warning if status is
 * anything else. */
cs_status cs_run_forgive(cs_run *run, cs_status status);

/* Says in a note what the trust in the installed or offered package rests on, and puts it into the outcome. */
void cs_run_tell_trust(cs_run *run, const cs_trust *trust);

/* The bounded broadcast after the environment changed; its failure is a warning. */
void cs_run_broadcast(cs_run *run, const cs_record *record);

/* What would make our environment values right again: those that the receipts changed and that are not as they were left. quiet:
 * no notes. Used by verify and repair. */
cs_status cs_run_check_environment(cs_run *run, const char *tree_path, const cs_record *head, bool quiet,
                                   cs_environment_plan *out, cs_error *error);

/* The CUDA tree's bin is safe to put in front of PATH (threat rule 3). */
bool cs_run_tree_is_trusted(const cs_run *run, const char *cuda, const char *tree_path);

/* Undoes the newest depth receipts of a tree in one transaction; used by uninstall, rollback and a failed required proof. */
cs_status cs_undo_levels(cs_run *run, const cs_known_tree *known, size_t depth, cs_kind kind);

#endif
