#include <inttypes.h>

#include "cudnn_setup/levels.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/verb.h"

static uint64_t old_levels_size(const cs_record *head) {
    uint64_t size = 0;
    for (size_t i = 0; i + CS_LEVELS_KEPT < head->stack_count; i++) size += cs_levels_size(&head->stack[i]);
    return size;
}

static cs_status commit(cs_run *run, const cs_tree *tree, const cs_plan *plan) {
    cs_status status = cs_programs_ensure(&run->session, &run->error);
    if (status != CS_OK) return status;
    status = cs_transaction_begin(&run->session, tree, plan->record.txid, &run->error);
    if (status == CS_OK) status = cs_transaction_commit(&run->session, tree, &plan->record, &run->error);
    if (status != CS_OK && status != CS_E_PENDING) cs_transaction_abandon(&run->session, tree, plan->record.txid, NULL);
    return status;
}

/* The receipts stay, and with them the environment's undo: only what uninstall could have put back goes. */
static cs_status forget_tree(cs_run *run, const cs_known_tree *known, const cs_tree *tree) {
    char txid[CS_ID_HEX + 1];
    cs_plan plan = {0};
    size_t dropped = 0;
    uint64_t size = old_levels_size(&known->head);
    cs_status status = cs_plan_new_txid(run->host, txid, &run->error);
    if (status == CS_OK)
        status = cs_plan_start(&plan, run->host, tree, txid, CS_KIND_FORGET, &known->head, known->head.stack_count, &run->error);
    if (status == CS_OK) status = cs_levels_forget(&plan.record, &dropped, &run->error);
    run->already = status == CS_OK && dropped == 0;
    if (status == CS_OK && dropped && run->changing) status = commit(run, tree, &plan);
    cs_plan_free(&plan);
    if (status != CS_OK) return status;
    if (run->already)
        cs_run_say(run, "There is no undo data older than the newest %d levels in %s. Nothing was changed.", CS_LEVELS_KEPT,
                   tree->path);
    else
        cs_run_say(run, "%s%zu old files (%" PRIu64 " bytes) in %s %s: uninstalling will not bring them back.",
                   run->changing ? "" : "Dry run: ", dropped, size, tree->path,
                   run->changing ? "were dropped" : "would be dropped");
    return CS_OK;
}

static cs_status forget(cs_run *run) {
    size_t index = 0;
    cs_tree_place place = {0};
    cs_status status = cs_trees_choose(run->host, &run->trees, run->options, &index, &run->error);
    if (status != CS_OK) return status;
    const cs_known_tree *known = &run->trees.items[index];
    status = cs_tree_locate(run->host, known, NULL, &place, &run->error);
    if (status == CS_OK) status = cs_run_set_tree(run, &place.tree);
    if (status == CS_OK && place.gone)
        status = cs_fail(&run->error, CS_E_FAILED, "forget", place.tree.path,
                         "the CUDA tree is gone, and its undo data with it. Nothing was changed");
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
