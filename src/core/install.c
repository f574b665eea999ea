#include <string.h>

#include "cudnn_setup/preflight.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/proof.h"
#include "cudnn_setup/toolkit.h"
#include "cudnn_setup/wording.h"
#include "install_work.h"

const cs_record *cs_install_head(const cs_install_work *work) {
    return work->known < work->run.trees.count ? &work->run.trees.items[work->known].head : NULL;
}

/* ---- which tree ---- */

static cs_status refuse_toolkits(cs_run *run, const cs_manifest *manifest, const cs_toolkits *toolkits) {
    cs_buffer text = {0};
    cs_toolkits_explain(toolkits, &text);
    cs_run_say(run,
               "There is no usable CUDA %s toolkit:\n%sInstall CUDA %s, or name its folder with /cuda:DIR. Nothing was changed.",
               manifest->cuda, cs_buffer_string(&text), manifest->cuda);
    cs_buffer_free(&text);
    return cs_fail(&run->error, CS_E_TOOLKIT, NULL, NULL, "install CUDA %s, or name its folder with /cuda:DIR", manifest->cuda);
}

/* /tree: names one of our trees; its recorded path is then what /cuda: would be. */
static cs_status wanted_path(cs_run *run, const char **out) {
    size_t index = 0;
    *out = run->options->cuda;
    if (!run->options->tree) return CS_OK;
    cs_status status = cs_trees_choose(run->host, &run->trees, run->options, &index, &run->error);
    if (status == CS_OK) *out = run->trees.items[index].head.tree_path;
    return status;
}

static cs_status choose_tree(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_toolkits toolkits = {0};
    const char *wanted = NULL;
    cs_status status = wanted_path(run, &wanted);
    if (status == CS_OK) status = cs_toolkit_detect(run->host, work->manifest.cuda, wanted, &toolkits, &run->error);
    if (status == CS_OK && toolkits.chosen >= toolkits.count) status = refuse_toolkits(run, &work->manifest, &toolkits);
    if (status == CS_OK) {
        const cs_toolkit_candidate *chosen = &toolkits.items[toolkits.chosen];
        cs_emit(run->host->events, CS_EVENT_NOTE, "toolkit", "CUDA %s: %s (%s). %s", work->manifest.cuda, chosen->path,
                cs_toolkit_source_text(chosen->source), chosen->reason ? chosen->reason : "");
        work->trusted = chosen->trusted;
        work->known = cs_trees_find(run->host, &run->trees, chosen->path);
        size_t blocked = cs_trees_find_blocked(run->host, &run->trees, chosen->path);
        if (blocked < run->trees.blocked_count)
            status = cs_trees_refuse_blocked(&run->trees, blocked, &run->error);
        else
            status = work->known < run->trees.count
                         ? cs_tree_locate(run->host, &run->trees.items[work->known], chosen->path, &work->place, &run->error)
                         : cs_tree_open(run->host, chosen->path, &work->place.tree, &run->error);
    }
    cs_toolkits_free(&toolkits);
    return status == CS_OK ? cs_run_set_tree(run, &work->place.tree) : status;
}

/* The folder that a receipt was about may stand elsewhere under its old identity, while a new tree has taken its path. */
static cs_status check_identity(cs_install_work *work) {
    const cs_known_trees *trees = &work->run.trees;
    for (size_t i = 0; i < trees->count; i++)
        if (i != work->known && strcmp(trees->items[i].id, work->place.tree.id) == 0)
            return cs_fail(
                &work->run.error, CS_E_FAILED, "look at", work->place.tree.path,
                "this folder's identity belongs to the installation in %s; uninstall that one first. Nothing was changed",
                trees->items[i].head.tree_path);
    return CS_OK;
}

/* ---- is it there already ---- */

static bool same_package(const cs_receipt *top, const cs_install_work *work, bool judged) {
    if (judged && work->trust.has_archive_sha256 && top->trust.has_archive_sha256)
        return memcmp(top->trust.archive_sha256, work->trust.archive_sha256, CS_SHA256_SIZE) == 0 &&
               top->trust.kind == work->trust.kind;
    return top->trust.kind != CS_TRUST_UNVERIFIED && top->trust.kind != CS_TRUST_NONE &&
           memcmp(top->trust.manifest_sha256, work->manifest.sha256, CS_SHA256_SIZE) == 0;
}

/* "Already so" needs no unpacking: the receipt knows the hash of each file. judged: the archive's own hash is known by now. */
static cs_status look_for_same(cs_install_work *work, bool judged) {
    const cs_receipt *top = cs_trees_top(cs_install_head(work));
    if (!top || work->place.strangers || !same_package(top, work, judged)) return CS_OK;
    bool *bad = cs_alloc(top->row_count, sizeof *bad);
    size_t count = 0;
    if (!bad) return cs_fail(&work->run.error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_status status = cs_plan_find_bad(work->run.host, work->place.tree.path, top, bad, &count, &work->run.error);
    cs_free(bad);
    work->rows_right = status == CS_OK && count == 0;
    if (work->rows_right && !judged) work->trust = top->trust;
    return status;
}

/* ---- the plan ---- */

static cs_status plan_environment(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_environment_plan_free(&work->environment);
    if (!run->host->registry) return CS_OK;
    const cs_receipt **receipts = NULL;
    size_t count = 0;
    cs_status status = cs_environment_plan_install(run->host, work->place.tree.path, work->trusted, run->options->env,
                                                   run->options->cudapath_take, &work->environment, &run->error);
    if (status == CS_OK) status = cs_trees_receipts(&run->trees, NULL, 0, &receipts, &count, &run->error);
    if (status == CS_OK) status = cs_environment_note_below(&work->environment, receipts, count, &run->error);
    cs_free(receipts);
    return status;
}

static cs_status make_plan(cs_install_work *work) {
    cs_run *run = &work->run;
    const cs_install_input input = {.manifest = &work->manifest,
                                    .trust = work->trust,
                                    .stage = work->staged ? &work->stage : NULL,
                                    .head = cs_install_head(work),
                                    .folder_id = work->place.folder_id,
                                    .strangers = work->place.strangers,
                                    .environment = &work->environment,
                                    .now = run->host->system->now(run->host->system->ctx)};
    cs_plan_free(&work->plan);
    cs_status status = cs_plan_install(&work->plan, run->host, &work->place.tree, work->txid, &input, &run->error);
    if (status != CS_OK) return status;
    return cs_preflight_in_use(run->host, &work->plan, run->options->inuse_aside, run->outcome, &run->error);
}

/* A receipt that says something else of the same files was edited, or is another package's. */
static bool says_the_same(const cs_receipt *fresh, const cs_receipt *top) {
    for (size_t i = 0; i < fresh->row_count; i++) {
        size_t k = 0;
        while (k < top->row_count && strcmp(top->rows[k].target, fresh->rows[i].target) != 0) k++;
        if (k == top->row_count || memcmp(top->rows[k].sha256, fresh->rows[i].sha256, CS_SHA256_SIZE) != 0) return false;
    }
    return fresh->row_count == top->row_count;
}

/* Nothing to place and nothing to write, and the receipt would say what the newest one says. */
static bool nothing_to_do(const cs_install_work *work) {
    const cs_receipt *top = cs_trees_top(cs_install_head(work));
    return top && !work->place.strangers && !cs_plan_changes(&work->plan) && top->trust.kind == work->trust.kind &&
           top->cudnn_version == work->manifest.cudnn_version && says_the_same(cs_trees_top(&work->plan.record), top);
}

static cs_status commit(cs_install_work *work) {
    cs_run *run = &work->run;
    if (cs_cancelled(run->host->events)) return cs_fail(&run->error, CS_E_CANCELLED, NULL, NULL, NULL);
    cs_status status = cs_session_keep_manifest(&run->session, work->place.tree.id, &work->manifest, &run->error);
    if (status != CS_OK) return status;
    cs_emit(run->host->events, CS_EVENT_STEP, "apply", "Placing the files in %s", work->place.tree.path);
    return cs_transaction_commit(&run->session, &work->place.tree, &work->plan.record, &run->error);
}

/* Somebody may change a file or a value between the plan and the act: planned again, once. */
static cs_status plan_and_commit(cs_install_work *work) {
    cs_status status = make_plan(work);
    if (status != CS_OK) return status;
    if (nothing_to_do(work)) {
        work->run.already = true;
        return CS_OK;
    }
    status = commit(work);
    if (status != CS_E_CHANGED) return status;
    cs_emit(work->run.host->events, CS_EVENT_NOTE, "plan.again", "Something changed meanwhile (%s); planning again.",
            work->run.error.path);
    status = plan_environment(work);
    if (status == CS_OK) status = make_plan(work);
    return status == CS_OK ? commit(work) : status;
}

/* ---- the run ---- */

/* Recover, preflight: everything up to the archive. */
static cs_status prepare(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_status status = cs_package_manifest(run->host, run->options->manifest, &work->manifest, &run->error);
    if (status == CS_OK) cs_proof_tell_driver(run, &work->manifest);
    if (status == CS_OK) status = choose_tree(work);
    if (status == CS_OK) status = check_identity(work);
    if (status == CS_OK) cs_run_tell_unnamed(run, work->place.tree.path, cs_install_head(work));
    if (status == CS_OK) status = cs_preflight_volume(run->host, work->place.tree.path, run->options->force, &run->error);
    if (status == CS_OK)
        status = cs_preflight_newer(run->host, work->place.tree.path, &work->manifest, run->options->force, &run->error);
    if (status == CS_OK) status = plan_environment(work);
    return status == CS_OK ? look_for_same(work, false) : status;
}

static cs_status get_package(cs_install_work *work) {
    if (work->rows_right) return CS_OK;
    cs_status status = cs_install_get_archive(work);
    if (status == CS_OK) status = look_for_same(work, true);
    if (work->rows_right) cs_install_drop_archive(work); /* it was judged and is not unpacked */
    if (status == CS_OK && cs_cancelled(work->run.host->events))
        status = cs_fail(&work->run.error, CS_E_CANCELLED, NULL, NULL, NULL);
    return status;
}

static void count_rows(const cs_outcome *outcome, size_t *fresh, size_t *replaced, size_t *same) {
    *fresh = *replaced = *same = 0;
    for (size_t i = 0; i < outcome->file_count; i++) {
        const char *state = outcome->files[i].state;
        *fresh += strcmp(state, "placed") == 0 || strcmp(state, "new") == 0;
        *replaced += strcmp(state, "replaced") == 0;
        *same += strcmp(state, "same") == 0;
    }
}

static bool is_ours(const cs_record *record, const char *target) {
    for (size_t i = 0; i < record->stack_count; i++)
        for (size_t k = 0; k < record->stack[i].row_count; k++) {
            const cs_receipt_row *row = &record->stack[i].rows[k];
            if (row->ours && strcmp(row->target, target) == 0) return true;
        }
    return false;
}

/* Files that somebody else put there, or that we put there and the record of it is lost: uninstalling will leave them, and nobody
 * should be surprised by that. */
static void tell_found(const cs_install_work *work) {
    enum { NAMES = 3 };
    cs_buffer names = {0};
    size_t count = 0;
    for (size_t i = 0; i < work->plan.row_count; i++) {
        const cs_plan_row *row = &work->plan.rows[i];
        if (strcmp(row->state, "same") != 0 || is_ours(&work->plan.record, row->target)) continue;
        if (count < NAMES) cs_buffer_format(&names, "%s%s", count ? ", " : "", row->target);
        if (count++ == NAMES) cs_buffer_text(&names, " and more");
    }
    if (count)
        cs_emit(work->run.host->events, CS_EVENT_WARNING, "files.found",
                "%zu of %zu files were there already, byte for byte (%s): they are not cudnn-setup's, so uninstalling will leave "
                "them.",
                count, work->plan.row_count, cs_buffer_string(&names));
    cs_buffer_free(&names);
}

static cs_status report(cs_install_work *work) {
    cs_run *run = &work->run;
    const cs_manifest *m = &work->manifest;
    size_t fresh, replaced, same;
    cs_buffer counts = {0};
    cs_status status = cs_plan_report(&work->plan, run->host, run->changing && !run->already, run->outcome, &run->error);
    count_rows(run->outcome, &fresh, &replaced, &same);
    if (!run->already) tell_found(work);
    cs_say_part(&counts, fresh, run->changing ? "files placed" : "files new");
    cs_say_part(&counts, replaced, "replaced");
    cs_say_part(&counts, same, "already right");
    const char *mark = cs_trust_mark(&work->trust), *tree = work->place.tree.path;
    if (run->already)
        cs_run_say(run, "%s %s for CUDA %s%s is already installed in %s: all %zu files are right. Nothing was changed.",
                   m->product, m->version, m->cuda, mark, tree, run->outcome->file_count);
    else
        cs_run_say(run,
                   run->changing ? "%s %s for CUDA %s%s is installed in %s: %s."
                                 : "Dry run: %s %s for CUDA %s%s would be installed in %s: %s. Nothing was changed.",
                   m->product, m->version, m->cuda, mark, tree, cs_buffer_string(&counts));
    cs_buffer_free(&counts);
    return status;
}

static cs_status install_really(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_status status = get_package(work);
    if (status != CS_OK) return status;
    cs_run_tell_trust(run, &work->trust);
    if (work->rows_right && !work->environment.count) {
        status = cs_plan_new_txid(run->host, work->txid, &run->error);
        run->already = true;
        return status == CS_OK ? make_plan(work) : status;
    }
    status = work->rows_right ? cs_install_begin(work) : cs_install_stage(work);
    return status == CS_OK ? plan_and_commit(work) : status;
}

bool cs_install_proved(cs_install_work *work, size_t *index) {
    cs_run *run = &work->run;
    cs_known_trees fresh = {0};
    cs_status status = cs_trees_load(&run->session, &fresh, &run->error);
    if (status != CS_OK) {
        cs_run_forgive(run, status);
        return true;
    }
    cs_trees_free(&run->trees);
    run->trees = fresh;
    *index = 0;
    while (*index < fresh.count && strcmp(fresh.items[*index].id, work->place.tree.id) != 0) ++*index;
    const cs_receipt *top = *index < fresh.count ? cs_trees_top(&fresh.items[*index].head) : NULL;
    return !top || cs_proof_run(run, work->place.tree.path, top, &work->plan.record) ||
           run->options->selftest != CS_SELFTEST_REQUIRE;
}

/* The proof never fails an installation, except where it was required: then this run's change is taken back. */
static cs_status prove(cs_install_work *work) {
    cs_run *run = &work->run;
    size_t index;
    if (cs_install_proved(work, &index)) return CS_OK;
    if (run->already) {
        cs_run_say(run, "The proof failed, and it was required. This run had changed nothing, so nothing was taken back.");
        return cs_fail(&run->error, CS_E_FAILED, "prove", work->place.tree.path, "the proof was required and failed");
    }
    cs_status status = cs_undo_levels(run, &run->trees.items[index], 1, CS_KIND_ROLLBACK);
    if (status == CS_OK) {
        cs_run_say(run, "The proof failed, and it was required: the installation was taken back. Everything is as before.");
        return cs_fail(&run->error, CS_E_FAILED, "prove", work->place.tree.path, "the proof was required and failed");
    }
    cs_run_say(run,
               "The proof failed, and it was required; taking the installation back failed too (%s). cudnn-setup /rollback or "
               "/recover goes on.",
               cs_status_text(status));
    return cs_fail(&run->error, CS_E_PENDING, "take back", work->place.tree.path, "the proof failed, and so did the rollback");
}

static cs_status dry_run(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_status status = cs_preflight_platform(run->host, &run->error);
    if (status == CS_OK) status = cs_run_refuse_pending(run);
    if (status == CS_OK) status = prepare(work);
    if (status == CS_OK) status = get_package(work);
    if (status == CS_OK) cs_run_tell_trust(run, &work->trust);
    if (status == CS_OK)
        status = work->rows_right ? cs_plan_new_txid(run->host, work->txid, &run->error) : cs_install_stage(work);
    if (status == CS_OK) status = make_plan(work);
    if (work->plan.row_count) cs_plan_tell(&work->plan, run->host, run->outcome);
    if (status == CS_OK) run->already = nothing_to_do(work);
    return status == CS_OK ? report(work) : status;
}

static cs_status real_run(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_status status = prepare(work);
    if (status == CS_OK) status = install_really(work);
    if (status != CS_E_PENDING && (status != CS_OK || run->already)) cs_install_abandon(work);
    if (status != CS_OK) return status;
    cs_run_forgive(run, report(work));
    cs_run_derive(run);
    if (!run->already) cs_run_broadcast(run, &work->plan.record);
    return prove(work);
}

cs_status cs_install(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_install_work work = {0};
    cs_status status;
    if (options->dryrun) {
        status = cs_run_begin_reading(&work.run, host, options, outcome);
        if (status == CS_OK) status = dry_run(&work);
    } else {
        status = cs_run_begin_changing(&work.run, host, options, outcome);
        if (status == CS_OK) status = real_run(&work);
    }
    cs_install_end(&work);
    return cs_run_end(&work.run, status);
}
