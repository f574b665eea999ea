/* plan.h: what a run is going to change, computed before anything changes. A plan is a record for the engine plus one line per
 * file for people; applying it decides nothing. */
#ifndef CUDNN_SETUP_PLAN_H
#define CUDNN_SETUP_PLAN_H

#include "cudnn_setup/environment.h"
#include "cudnn_setup/manifest.h"
#include "cudnn_setup/outcome.h"
#include "cudnn_setup/stage.h"
#include "cudnn_setup/transaction.h"

/* What happens to one target. state is a literal, one of those that cs_outcome_file names. */
typedef struct cs_plan_row {
    char *target; /* owned */
    const char *state;
    char *note; /* owned; a sentence for people; NULL: none */
} cs_plan_row;

typedef struct cs_plan {
    cs_record record;
    cs_plan_row *rows;
    size_t row_count;
} cs_plan;

void cs_plan_free(cs_plan *plan);

/* A new transaction id: 32 lower-case hex digits from the system's generator. */
cs_status cs_plan_new_txid(const cs_host *host, char txid[CS_ID_HEX + 1], cs_error *error);

/* ---- looking ---- */

enum { CS_TARGET_TEXT = 257 };

/* What stands at a target. */
typedef struct cs_target {
    bool present;
    cs_file_info info;
    uint8_t sha256[CS_SHA256_SIZE];
    /* The target as the file is spelled on the disk, where letters differ in case ("bin/CUDNN64_8.DLL"): it goes and comes back
     * under that name. "": as it was asked for. */
    char spelled[CS_TARGET_TEXT];
} cs_target;

/* Looks at <tree>\target and hashes it; absent (or its folder absent) is CS_OK with present false; a folder, link or other thing
 * in its place is CS_E_REPARSE. */
cs_status cs_plan_look(const cs_host *host, const char *tree_path, const char *target, cs_target *out, cs_error *error);

/* The same for count targets, several at once where the system has threads; out holds count. sizes: what to expect, for order and
 * progress (step "check"), which hears of a cancel. */
cs_status cs_plan_look_all(const cs_host *host, const char *tree_path, const char *const *targets, const uint64_t *sizes,
                           size_t count, cs_target *out, cs_error *error);

/* The same for a private file; CS_OK with present false if it is not there. */
cs_status cs_plan_look_blob(const cs_host *host, const char *tree_path, const cs_blob *blob, cs_target *out, cs_error *error);

/* target, or how the file found there is spelled. */
const char *cs_plan_spelled(const cs_target *found, const char *target);

bool cs_plan_blob_exists(const cs_host *host, const char *tree_path, const cs_blob *blob);

/* ---- building ---- */

/* Starts a record: tree, txid, kind, and from head (may be NULL) the stack's first keep receipts, what is parked, and the private
 * files that still wait to be dropped. */
cs_status cs_plan_start(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, cs_kind kind,
                        const cs_record *head, size_t keep, cs_error *error);
cs_status cs_plan_add_row(cs_plan *plan, const char *target, const char *state, const char *note, cs_error *error);
/* T -> blob (pass 1) or blob -> T (pass 2). info and sha256 describe the file that moves. */
cs_status cs_plan_add_move(cs_plan *plan, bool to_private, const cs_blob *blob, const char *target, const cs_file_info *info,
                           const uint8_t sha256[CS_SHA256_SIZE], cs_error *error);
cs_status cs_plan_add_cleanup(cs_record *record, const cs_blob *blob, cs_error *error);
cs_status cs_plan_add_parked(cs_plan *plan, const cs_blob *blob, const char *target, const uint8_t sha256[CS_SHA256_SIZE],
                             cs_error *error);
/* Copies the changes into the record. */
cs_status cs_plan_add_changes(cs_plan *plan, const cs_environment_plan *environment, cs_error *error);
/* Appends the folders of target that do not exist in the tree yet (relative, parents first, each once). */
cs_status cs_plan_add_folders(cs_plan *plan, const cs_host *host, const char *tree_path, const char *target, cs_error *error);
/* Puts pass 1 before pass 2, keeping the order within each. */
void cs_plan_order_moves(cs_plan *plan);
/* True if applying it would change a file or a registry value. */
bool cs_plan_changes(const cs_plan *plan);

cs_blob cs_plan_blob(const char *txid, cs_area area, unsigned number);

/* ---- the plans of the verbs ---- */

typedef struct cs_install_input {
    const cs_manifest *manifest;
    cs_trust trust;
    const cs_stage *stage; /* unpacked rows; NULL: nothing is unpacked, every row is as in the newest receipt */
    const cs_record *head; /* NULL: nothing installed */
    const char *folder_id; /* cs_tree_place.folder_id; NULL: "" */
    bool strangers;        /* the tree at this path is not the one of the receipts: none of its files are ours */
    const cs_environment_plan *environment;
    int64_t now;
} cs_install_input;

/* Rows whose content is already right get no move and are not ours; the stack grows by one receipt and is folded by
 * cs_levels_fold. CS_E_REPARSE and the like if a target cannot be replaced. */
cs_status cs_plan_install(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid,
                          const cs_install_input *input, cs_error *error);

/* The net effect of undoing the newest depth receipts of head, folded from the top in memory: where a target holds what the
 * receipt placed, that receipt's old file is due next; otherwise it is somebody else's and every older copy is parked. strangers
 * as above; gone: the tree does not exist any more. Fills everything but the registry changes. */
cs_status cs_plan_undo(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, cs_kind kind,
                       const cs_record *head, size_t depth, bool strangers, bool gone, cs_error *error);

/* Rows of the newest receipt whose file is absent or differs; bad[i] belongs to its rows[i]. */
cs_status cs_plan_find_bad(const cs_host *host, const char *tree_path, const cs_receipt *receipt, bool *bad, size_t *bad_count,
                           cs_error *error);
/* Puts the bad rows back from the stage (rows by target). Registry changes are added by the caller. stage NULL: none is bad. */
cs_status cs_plan_repair(cs_plan *plan, const cs_host *host, const cs_tree *tree, const char *txid, const cs_record *head,
                         const bool *bad, const cs_stage *stage, cs_error *error);

/* ---- telling ---- */

/* Copies rows and registry changes into the outcome. done: what was "new" in the plan has been "placed". */
cs_status cs_plan_report(const cs_plan *plan, const cs_host *host, bool done, cs_outcome *outcome, cs_error *error);
/* Writes the plan into outcome->plan, for people: a line per file, the values entry by entry, the space that is needed, and the
 * programs in outcome->in_use. What /dryrun prints. */
void cs_plan_tell(const cs_plan *plan, const cs_host *host, cs_outcome *outcome);

#endif
