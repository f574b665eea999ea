#include <string.h>

#include "cudnn_setup/give_up.h"
#include "cudnn_setup/levels.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/verb.h"
#include "cudnn_setup/wording.h"

/* What goes, counted while it is told file by file. */
typedef struct dropping {
    cs_run *run;
    const char *tree_path;
    size_t files, parked;
    uint64_t bytes;
} dropping;

static void tell(dropping *d, const char *target, const cs_blob *blob, uint64_t size, const char *what) {
    d->files++;
    d->bytes += size;
    cs_buffer line = {0};
    cs_text_visible(&line, target);
    cs_buffer_format(&line, ", %s: ", what);
    cs_text_visible(&line, d->tree_path);
    cs_buffer_format(&line, "\\.cudnn-setup\\%s\\old\\%02u, ", blob->txid, blob->number);
    cs_say_bytes(&line, size);
    if (d->run->changing)
        cs_emit(d->run->host->events, CS_EVENT_NOTE, "forget.file", "Drops %s", cs_buffer_string(&line));
    else
        cs_buffer_format(&d->run->outcome->plan, "  would drop %s\n", cs_buffer_string(&line));
    cs_buffer_free(&line);
}

/* ---- older levels ---- */

static void tell_levels(dropping *d, const cs_record *head) {
    for (size_t i = 0; i + CS_LEVELS_KEPT < head->stack_count; i++)
        for (size_t j = 0; j < head->stack[i].row_count; j++) {
            const cs_receipt_row *row = &head->stack[i].rows[j];
            if (!row->ours || !row->had_old) continue;
            const cs_blob blob = cs_plan_blob(head->stack[i].txid, CS_AREA_OLD, row->number);
            tell(d, row->target, &blob, row->old.size, "the file that stood there before");
        }
}

/* ---- what is kept aside: only by /force, for nothing else ever drops it ---- */

static cs_status forget_parked(dropping *d, cs_record *record, cs_error *error) {
    const cs_host *host = d->run->host;
    cs_status status = CS_OK;
    for (size_t i = 0; i < record->parked_count && status == CS_OK; i++) {
        cs_parked *parked = &record->parked[i];
        cs_target found = {0};
        if (!cs_plan_blob_exists(host, d->tree_path, &parked->blob)) continue;
        cs_plan_look_blob(host, d->tree_path, &parked->blob, &found, NULL); /* for its size only */
        tell(d, parked->target, &parked->blob, found.info.size, "kept aside");
        d->parked++;
        status = cs_plan_add_cleanup(record, &parked->blob, error);
    }
    for (size_t i = 0; i < record->parked_count && status == CS_OK; i++) cs_free(record->parked[i].target);
    if (status == CS_OK) record->parked_count = 0;
    return status;
}

/* ---- one tree ---- */

static cs_status commit(cs_run *run, const cs_tree *tree, const cs_plan *plan) {
    cs_status status = cs_programs_ensure(&run->session, &run->error);
    if (status != CS_OK) return status;
    status = cs_transaction_begin(&run->session, tree, plan->record.txid, &run->error);
    if (status == CS_OK) status = cs_transaction_commit(&run->session, tree, &plan->record, &run->error);
    if (status != CS_OK && status != CS_E_PENDING) cs_transaction_abandon(&run->session, tree, plan->record.txid, NULL);
    return status;
}

static void say(cs_run *run, const dropping *d) {
    if (run->already) {
        cs_run_say(run, "There is no undo data older than the newest %d levels in %s%s. Nothing was changed.", CS_LEVELS_KEPT,
                   d->tree_path, run->options->force ? ", and nothing is kept aside" : "");
        return;
    }
    cs_buffer bytes = {0};
    cs_say_bytes(&bytes, d->bytes);
    const char *size = cs_buffer_string(&bytes);
    if (run->changing)
        cs_run_say(run,
                   d->files == 1 ? "%zu old file (%s) in %s was dropped: uninstalling will not bring it back."
                                 : "%zu old files (%s) in %s were dropped: uninstalling will not bring them back.",
                   d->files, size, d->tree_path);
    else
        cs_run_say(run,
                   d->files == 1 ? "Dry run: %zu old file (%s) in %s would be dropped: uninstalling will not bring it back. "
                                   "Nothing was changed."
                                 : "Dry run: %zu old files (%s) in %s would be dropped: uninstalling will not bring them back. "
                                   "Nothing was changed.",
                   d->files, size, d->tree_path);
    cs_buffer_free(&bytes);
}

/* The receipts stay, and with them the environment's undo: only what uninstall could have put back goes. */
static cs_status forget_tree(cs_run *run, const cs_known_tree *known, const cs_tree *tree) {
    char txid[CS_ID_HEX + 1];
    cs_plan plan = {0};
    size_t levels = 0;
    dropping d = {.run = run, .tree_path = tree->path};
    cs_status status = cs_plan_new_txid(run->host, txid, &run->error);
    if (status == CS_OK)
        status = cs_plan_start(&plan, run->host, tree, txid, CS_KIND_FORGET, &known->head, known->head.stack_count, &run->error);
    if (status == CS_OK) tell_levels(&d, &known->head);
    if (status == CS_OK) status = cs_levels_forget(&plan.record, &levels, &run->error);
    if (status == CS_OK && run->options->force) status = forget_parked(&d, &plan.record, &run->error);
    run->already = status == CS_OK && levels + d.parked == 0;
    if (status == CS_OK && !run->already && run->changing) status = commit(run, tree, &plan);
    cs_plan_free(&plan);
    if (status == CS_OK) say(run, &d);
    return status;
}

/* ---- which tree ---- */

static bool is_forgettable(const cs_run *run, const cs_known_tree *known) {
    return known->head.stack_count || (run->options->force && known->head.parked_count);
}

/* By /force also a tree with nothing installed any more but files that are kept aside. */
static cs_status choose(cs_run *run, size_t *index) {
    cs_error error = {0};
    size_t count = 0;
    cs_status status = cs_trees_choose(run->host, &run->trees, run->options, index, &error);
    if (status == CS_E_NOTHING && run->options->force)
        for (size_t i = 0; i < run->trees.count; i++) {
            const cs_known_tree *known = &run->trees.items[i];
            const char *id = run->options->tree;
            if (!is_forgettable(run, known) || (id && !cs_text_equal_ascii_case(id, known->id))) continue;
            *index = i;
            count++;
        }
    if (count == 1) return CS_OK;
    if (status != CS_OK) run->error = error;
    return status;
}

/* ---- records that cannot be believed ---- */

static size_t find_blocked(const cs_run *run) {
    size_t i = 0;
    while (i < run->trees.blocked_count &&
           (!run->options->tree || !cs_text_equal_ascii_case(run->trees.blocked[i].id, run->options->tree)))
        i++;
    return i;
}

static cs_status give_up(cs_run *run, const cs_blocked_tree *blocked) {
    cs_buffer where = {0};
    const char *path = blocked->path ? blocked->path : "its CUDA tree";
    cs_status status = run->changing ? cs_session_give_up(&run->session, blocked->id, &where, &run->error) : CS_OK;
    const cs_tree tree = {.path = (char *)(uintptr_t)path};
    cs_tree named = tree;
    memcpy(named.id, blocked->id, sizeof named.id);
    if (status == CS_OK && blocked->path) status = cs_run_set_tree(run, &named);
    if (status == CS_OK && run->changing)
        cs_run_say(
            run,
            "The record of installation %s was given up: it is kept in %s, and cudnn-setup does not know the installation any "
            "more. The files in %s, the older ones in its .cudnn-setup folder, PATH and CUDA_PATH* stay as they are; moving "
            "the record back undoes this.",
            blocked->id, cs_buffer_string(&where), path);
    else if (status == CS_OK)
        cs_run_say(
            run,
            "Dry run: the record of installation %s would be given up and kept in P\\state\\given-up; the files in %s, the older "
            "ones in its .cudnn-setup folder, PATH and CUDA_PATH* would stay as they are. Nothing was changed.",
            blocked->id, path);
    cs_buffer_free(&where);
    return status;
}

static cs_status forget(cs_run *run) {
    size_t index = 0, blocked = find_blocked(run);
    cs_tree_place place = {0};
    if (run->options->force && blocked < run->trees.blocked_count) return give_up(run, &run->trees.blocked[blocked]);
    cs_status status = choose(run, &index);
    if (status != CS_OK) return status;
    const cs_known_tree *known = &run->trees.items[index];
    status = cs_tree_locate(run->host, known, NULL, &place, &run->error);
    if (status == CS_OK) status = cs_run_set_tree(run, &place.tree);
    if (status == CS_OK && place.gone)
        status = cs_fail(&run->error, CS_E_FAILED, "forget", place.tree.path, "%s. Nothing was changed",
                         place.away ? "its drive is not there, or another one has its letter: connect it"
                                    : "the CUDA tree is gone, and its undo data with it; /uninstall cleans what is left");
    if (status == CS_OK) status = forget_tree(run, known, &place.tree);
    cs_tree_place_free(&place);
    return status;
}

cs_status cs_forget(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run;
    cs_status status = options->dryrun ? cs_run_begin_reading(&run, host, options, outcome)
                                       : cs_run_begin_changing(&run, host, options, outcome);
    if (status == CS_OK && options->dryrun) status = cs_run_refuse_pending(&run);
    if (status == CS_OK) status = forget(&run);
    return cs_run_end(&run, status);
}
