/* environment.h: what an installation does to PATH, CUDA_PATH and CUDA_PATH_V10_1, decided before anything is written. */
#ifndef CUDNN_SETUP_ENVIRONMENT_H
#define CUDNN_SETUP_ENVIRONMENT_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/options.h"
#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/record.h"

typedef struct cs_environment_plan {
    cs_reg_change *changes; /* owned; only values that change; CUDA_PATH* first, then PATH */
    size_t count;
} cs_environment_plan;

/* docs/environment.md tells what is done in every starting state. tree_path: the CUDA tree; trusted: nobody but administrators
 * can write to it (else PATH's end, and said). Emits notes and warnings through host->events: what is kept and why, a quoted
 * twin, another toolkit's cudnn64_8.dll that comes first, HKCU values that override ours, PATH beyond 2,047. A read that fails is
 * an error, never an empty value. */
cs_status cs_environment_plan_install(const cs_host *host, const char *tree_path, bool trusted, cs_env_mode mode,
                                      bool take_cuda_path, cs_environment_plan *out, cs_error *error);

/* Notes in the plan of an installation what lies below a value that it takes over from another installation of ours. receipts:
 * those of every tree, this one's too. */
cs_status cs_environment_note_below(cs_environment_plan *plan, const cs_receipt *const *receipts, size_t count, cs_error *error);

/* The changes that undo receipts: folds reg changes from the newest to the oldest by the registry rule, against what the registry
 * holds now. Used by uninstall and rollback. drop: the receipts to undo, oldest first. others: the receipts that stay, of every
 * tree: a value that one of them wrote stays, and none comes back whose writer is gone. */
cs_status cs_environment_plan_undo(const cs_host *host, const char *tree_path, const cs_receipt *drop, size_t count,
                                   const cs_receipt *const *others, size_t other_count, cs_environment_plan *out,
                                   cs_error *error);

/* The registry rule for one change (docs/transaction.md, "Registry rule"): what the value must become to undo it. */
cs_status cs_environment_undo_value(const cs_host *host, const char *tree_path, const cs_reg_change *change,
                                    const cs_reg_value *current, cs_reg_value *out, bool *changed, cs_error *error);

void cs_environment_plan_free(cs_environment_plan *plan);
void cs_reg_change_free(cs_reg_change *change);
cs_status cs_reg_change_copy(cs_reg_change *out, const cs_reg_change *from, cs_error *error);

/* What a new program would find in its environment, as "NAME=value" strings for cs_child. own_account: it runs as the account of
 * this process; otherwise this process's HKCU and profile are somebody else's, and the machine's values are all there is. Built
 * from the registry and an allow-list, never from our own environment: PATH (machine, then user, expanded), the folders that
 * Windows names, TEMP, CUDA_PATH*, CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, and CUDA_CACHE_DISABLE=1. Nothing that makes CUDA,
 * cuDNN, .NET or Python load or write something else gets through. Sorted by name, as Windows wants it. out starts empty. */
cs_status cs_environment_for_child(const cs_host *host, bool own_account, cs_strings *out, cs_error *error);

#endif
