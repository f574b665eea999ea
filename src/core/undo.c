#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/preflight.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/verb.h"
#include "engine.h"

/* What undoing holds while it works. */
typedef struct undoing {
    cs_run *run;
    const cs_known_tree *known;
    size_t depth;
    cs_kind kind;
    cs_tree_place place;
    cs_environment_plan environment;
    char txid[CS_ID_HEX + 1];
    bool begun;
    cs_plan plan;
} undoing;

static const cs_receipt *dropped(const undoing *u) { return &u->known->head.stack[u->known->head.stack_count - u->depth]; }

static cs_status undo_environment(undoing *u, const cs_receipt *drop) {
    cs_run *run = u->run;
    const cs_receipt **others;
    size_t count;
    cs_status status = cs_trees_receipts(&run->trees, u->known->id, u->depth, &others, &count, &run->error);
    if (status == CS_OK)
        status = cs_environment_plan_undo(run->host, u->known->head.tree_path, drop, u->depth, others, count, &u->environment,
                                          &run->error);
    cs_free(others);
    return status;
}

/* A tree whose records cannot be read may have written what one of ours found: without its receipts nobody can say that it is
 * gone, so what was found comes back, and nothing that lay below it. */
static cs_status undo_environment_beside_blocked(undoing *u) {
    cs_receipt *copies = cs_alloc(u->depth, sizeof *copies);
    cs_status status = copies ? CS_OK : cs_fail(&u->run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < u->depth && status == CS_OK; i++) {
        status = cs_receipt_copy(&copies[i], &dropped(u)[i], &u->run->error);
        for (size_t k = 0; k < copies[i].reg_count; k++) {
            cs_reg_change *change = &copies[i].regs[k];
            while (change->below_count) cs_reg_value_free(&change->below[--change->below_count]);
        }
    }
    if (status == CS_OK) status = undo_environment(u, copies);
    for (size_t i = 0; copies && i < u->depth; i++) cs_receipt_free(&copies[i]);
    cs_free(copies);
    return status;
}

static cs_status plan_environment(undoing *u) {
    const cs_host *host = u->run->host;
    cs_environment_plan_free(&u->environment);
    if (!host->registry) return CS_OK;
    cs_status status = u->run->trees.blocked_count ? undo_environment_beside_blocked(u) : undo_environment(u, dropped(u));
    if (status != CS_OK || !u->place.strangers) return status;
    if (u->environment.count)
        cs_emit(
            host->events, CS_EVENT_WARNING, "environment.kept",
            "Another folder stands at %s (CUDA installed anew, or the tree copied or restored): PATH and CUDA_PATH* are its own "
            "too and stay.",
            u->place.tree.path);
    cs_environment_plan_free(&u->environment);
    return CS_OK;
}

static cs_status make_plan(undoing *u) {
    cs_run *run = u->run;
    cs_plan_free(&u->plan);
    cs_status status = plan_environment(u);
    if (status == CS_OK)
        status = cs_plan_undo(&u->plan, run->host, &u->place.tree, u->txid, u->kind, &u->known->head, u->depth,
                              u->place.strangers, u->place.gone, &run->error);
    if (status == CS_OK) status = cs_plan_add_changes(&u->plan, &u->environment, &run->error);
    if (status == CS_OK) status = cs_preflight_in_use(run->host, &u->plan, run->options->inuse_aside, run->outcome, &run->error);
    return status;
}

static cs_status begin(undoing *u) {
    cs_run *run = u->run;
    cs_status status = cs_programs_ensure(&run->session, &run->error);
    if (status != CS_OK) return status;
    u->begun = true; /* also when it fails half-way: something of it may be there to be dropped */
    return cs_transaction_begin(&run->session, &u->place.tree, u->txid, &run->error);
}

static cs_status commit(undoing *u) {
    cs_run *run = u->run;
    if (cs_cancelled(run->host->events)) return cs_fail(&run->error, CS_E_CANCELLED, NULL, NULL, NULL);
    cs_emit(run->host->events, CS_EVENT_STEP, "apply", "Changing the files in %s", u->place.tree.path);
    cs_status status = cs_transaction_commit(&run->session, &u->place.tree, &u->plan.record, &run->error);
    if (status != CS_E_CHANGED) return status;
    cs_emit(run->host->events, CS_EVENT_NOTE, "plan.again", "Something changed meanwhile (%s); planning again.", run->error.path);
    status = make_plan(u);
    return status == CS_OK ? cs_transaction_commit(&run->session, &u->place.tree, &u->plan.record, &run->error) : status;
}

static void abandon(undoing *u) {
    cs_error error = {0};
    if (u->begun && cs_transaction_abandon(&u->run->session, &u->place.tree, u->txid, &error) != CS_OK)
        cs_emit(u->run->host->events, CS_EVENT_WARNING, "abandon.failed",
                "What was prepared could not all be dropped (%s); the next run tries again.", cs_status_text(error.status));
}

static cs_status apply(undoing *u) {
    cs_run *run = u->run;
    cs_status status = begin(u);
    if (status == CS_OK) status = commit(u);
    if (status != CS_OK) {
        if (status != CS_E_PENDING) abandon(u);
        return status;
    }
    cs_run_derive(run);
    cs_run_broadcast(run, &u->plan.record);
    return CS_OK;
}

/* A deleted tree has nothing to lose. A drive that is only away does: its undo data would be given up. */
static cs_status check_drive(undoing *u) {
    cs_run *run = u->run;
    if (!u->place.away || run->options->force) return CS_OK;
    return cs_fail(&run->error, CS_E_FAILED, "look for", u->place.tree.path,
                   "its drive is not there, or another one under its letter: connect it, or use /force to give up what lies on "
                   "it. Nothing was changed");
}

cs_status cs_undo_levels(cs_run *run, const cs_known_tree *known, size_t depth, cs_kind kind) {
    undoing u = {.run = run, .known = known, .depth = depth, .kind = kind};
    if (depth > known->head.stack_count) u.depth = known->head.stack_count;
    cs_status status = cs_tree_locate(run->host, known, NULL, &u.place, &run->error);
    if (status == CS_OK) status = check_drive(&u);
    if (status == CS_OK) status = cs_run_set_tree(run, &u.place.tree);
    if (status == CS_OK) status = cs_plan_new_txid(run->host, u.txid, &run->error);
    if (status == CS_OK) cs_emit(run->host->events, CS_EVENT_STEP, "plan", "Checking the files in %s", u.place.tree.path);
    if (status == CS_OK && !u.place.gone) cs_run_tell_unnamed(run, u.place.tree.path, &known->head);
    if (status == CS_OK) status = make_plan(&u);
    if (!run->changing && u.plan.row_count) cs_plan_tell(&u.plan, run->host, run->outcome);
    if (status == CS_OK && run->changing) status = apply(&u);
    if (status == CS_OK) cs_outcome_clear_changes(run->outcome); /* of an installation that this takes back */
    run->strangers = u.place.strangers;
    run->kept_aside = u.plan.record.parked_count;
    if (status == CS_OK) cs_run_forgive(run, cs_plan_report(&u.plan, run->host, run->changing, run->outcome, &run->error));
    cs_plan_free(&u.plan);
    cs_environment_plan_free(&u.environment);
    cs_tree_place_free(&u.place);
    return status;
}
