#include <string.h>

#include "cudnn_setup/preflight.h"
#include "cudnn_setup/wording.h"
#include "install_work.h"

/* What repairing holds beside the installation's own work. */
typedef struct repairing {
    cs_install_work work;
    bool bad[CS_MANIFEST_MAX_FILES]; /* by row of the newest receipt */
    size_t bad_count;
} repairing;

/* The manifest was kept with the receipt; one named on the command line counts only if it is the same one. */
static cs_status get_manifest(repairing *r, const cs_receipt *top) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_status status = CS_E_NOTHING;
    if (run->session.state)
        status = cs_session_kept_manifest(&run->session, work->place.tree.id, top->trust.manifest_sha256, &work->manifest,
                                          &run->error);
    if (status == CS_OK || !run->options->manifest) return status;
    status = cs_package_manifest(run->host, run->options->manifest, &work->manifest, &run->error);
    if (status == CS_OK && memcmp(work->manifest.sha256, top->trust.manifest_sha256, CS_SHA256_SIZE) != 0)
        status = cs_fail(&run->error, CS_E_ARCHIVE_BAD, "read", run->options->manifest, "not the manifest that was installed by");
    return status;
}

static cs_status check_place(cs_run *run, const cs_tree_place *place) {
    const char *why = NULL;
    if (place->away)
        why = "its drive is not there, or another one has its letter: connect it";
    else if (place->gone)
        why = "the CUDA tree is gone: install CUDA again, then cuDNN";
    else if (place->strangers)
        why = "another folder than the one that was installed into stands there (CUDA installed anew, or the tree copied or "
              "restored): install cuDNN again to renew the records";
    return why ? cs_fail(&run->error, CS_E_FAILED, "repair", place->tree.path, "%s. Nothing was changed", why) : CS_OK;
}

static cs_status choose(repairing *r) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_status status = cs_trees_choose(run->host, &run->trees, run->options, &work->known, &run->error);
    if (status == CS_OK) status = cs_tree_locate(run->host, &run->trees.items[work->known], NULL, &work->place, &run->error);
    if (status == CS_OK) status = cs_run_set_tree(run, &work->place.tree);
    return status == CS_OK ? check_place(run, &work->place) : status;
}

static cs_status find_damage(repairing *r, const cs_record *head) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    const cs_receipt *top = cs_trees_top(head);
    if (top->row_count > CS_MANIFEST_MAX_FILES) return cs_fail(&run->error, CS_E_TOO_BIG, "repair", NULL, NULL);
    cs_emit(run->host->events, CS_EVENT_STEP, "check", "Checking the files in %s", work->place.tree.path);
    cs_status status = cs_plan_find_bad(run->host, work->place.tree.path, top, r->bad, &r->bad_count, &run->error);
    if (status == CS_OK)
        status = cs_run_check_environment(run, work->place.tree.path, head, false, &work->environment, &run->error);
    return status;
}

static cs_status get_files(repairing *r, const cs_receipt *top) {
    cs_install_work *work = &r->work;
    work->repairing = true;
    cs_status status = get_manifest(r, top);
    for (size_t i = 0; i < top->row_count && status == CS_OK; i++) {
        size_t row = cs_manifest_find_target(&work->manifest, top->rows[i].target);
        if (r->bad[i] && row < work->manifest.file_count) work->only[row] = true;
    }
    if (status == CS_OK) status = cs_install_get_archive(work);
    return status == CS_OK ? cs_install_stage(work) : status;
}

static cs_status make_plan(repairing *r, const cs_record *head) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_plan_free(&work->plan);
    cs_status status = cs_plan_repair(&work->plan, run->host, &work->place.tree, work->txid, head, r->bad,
                                      work->staged ? &work->stage : NULL, &run->error);
    if (status == CS_OK) status = cs_plan_add_changes(&work->plan, &work->environment, &run->error);
    if (status == CS_OK)
        status = cs_preflight_in_use(run->host, &work->plan, run->options->inuse_aside, run->outcome, &run->error);
    return status;
}

static cs_status commit(repairing *r) {
    cs_run *run = &r->work.run;
    if (cs_cancelled(run->host->events)) return cs_fail(&run->error, CS_E_CANCELLED, NULL, NULL, NULL);
    cs_emit(run->host->events, CS_EVENT_STEP, "apply", "Putting the files back in %s", r->work.place.tree.path);
    return cs_transaction_commit(&run->session, &r->work.place.tree, &r->work.plan.record, &run->error);
}

static cs_status apply(repairing *r, const cs_record *head) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_status status = commit(r);
    if (status != CS_E_CHANGED) return status;
    cs_environment_plan_free(&work->environment);
    status = cs_run_check_environment(run, work->place.tree.path, head, true, &work->environment, &run->error);
    if (status == CS_OK) status = make_plan(r, head);
    return status == CS_OK ? commit(r) : status;
}

static cs_status repair_damage(repairing *r, const cs_record *head) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_status status = CS_OK;
    if (r->bad_count)
        status = get_files(r, cs_trees_top(head));
    else if (run->changing)
        status = cs_install_begin(work);
    else
        status = cs_plan_new_txid(run->host, work->txid, &run->error);
    if (status == CS_OK) status = make_plan(r, head);
    if (!run->changing && work->plan.row_count) cs_plan_tell(&work->plan, run->host, run->outcome);
    if (status == CS_OK && run->changing) status = apply(r, head);
    return status;
}

/* Whoever edited one of the files finds the edit again. */
static size_t tell_kept(const repairing *r) {
    const cs_run *run = &r->work.run;
    size_t count = 0;
    for (size_t i = 0; i < r->work.plan.row_count; i++) {
        const cs_plan_row *row = &r->work.plan.rows[i];
        if (!row->note) continue;
        count++;
        if (run->changing) /* a dry run's plan says it */
            cs_emit(run->host->events, CS_EVENT_WARNING, "repair.kept", "%s: %s in %s.", row->target, row->note,
                    r->work.place.tree.path);
    }
    return count;
}

static cs_status report(repairing *r, const cs_receipt *top) {
    cs_run *run = &r->work.run;
    cs_status status = CS_OK;
    if (run->already) {
        for (size_t i = 0; i < top->row_count && status == CS_OK; i++)
            status = cs_outcome_add_file(run->outcome, top->rows[i].target, "same", &run->error);
        cs_run_say(run, "All %zu files and our environment values in %s are right. Nothing was changed.", top->row_count,
                   r->work.place.tree.path);
        return status;
    }
    status = cs_plan_report(&r->work.plan, run->host, run->changing, run->outcome, &run->error);
    cs_buffer counts = {0};
    cs_say_files_and_values(&counts, r->bad_count, top->row_count, r->work.environment.count);
    cs_run_say(run, run->changing ? "%s put right in %s." : "Dry run: %s would be put right in %s. Nothing was changed.",
               cs_buffer_string(&counts), r->work.place.tree.path);
    cs_buffer_free(&counts);
    size_t kept = tell_kept(r);
    if (kept)
        cs_buffer_format(
            &run->outcome->message,
            run->changing
                ? " What stood in place of %zu of them is kept aside in .cudnn-setup; /status names it, /forget /force drops it."
                : " What stood in place of %zu of them would be kept aside in .cudnn-setup; /status names it, /forget /force "
                  "drops it.",
            kept);
    return status;
}

/* A repair that is taken back would bring the damage back: what was put right stays, and only the run fails. */
static cs_status prove(repairing *r) {
    cs_run *run = &r->work.run;
    size_t index;
    if (cs_install_proved(&r->work, &index)) return CS_OK;
    cs_run_say(run,
               run->already
                   ? "The proof failed, and it was required. This run had changed nothing, so nothing was taken back."
                   : "The proof failed, and it was required. What was put right stays; /rollback takes the installation back.");
    return cs_fail(&run->error, CS_E_FAILED, "prove", r->work.place.tree.path, "the proof was required and failed");
}

static cs_status repair(repairing *r) {
    cs_install_work *work = &r->work;
    cs_run *run = &work->run;
    cs_status status = choose(r);
    if (status != CS_OK) return status;
    const cs_record *head = &run->trees.items[work->known].head;
    cs_run_tell_trust(run, &cs_trees_top(head)->trust);
    status = find_damage(r, head);
    if (status != CS_OK) return status;
    run->already = !r->bad_count && !work->environment.count;
    if (!run->already) status = repair_damage(r, head);
    if (status != CS_OK && status != CS_E_PENDING) cs_install_abandon(work);
    if (status != CS_OK) return status;
    cs_run_forgive(run, report(r, cs_trees_top(head)));
    if (!run->changing) return CS_OK;
    if (!run->already) {
        cs_run_derive(run);
        cs_run_broadcast(run, &work->plan.record);
    }
    return prove(r);
}

cs_status cs_repair(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    repairing r = {0};
    cs_run *run = &r.work.run;
    cs_status status =
        options->dryrun ? cs_run_begin_reading(run, host, options, outcome) : cs_run_begin_changing(run, host, options, outcome);
    if (status == CS_OK && options->dryrun) status = cs_run_refuse_pending(run);
    if (status == CS_OK) status = repair(&r);
    cs_install_end(&r.work);
    return cs_run_end(run, status);
}
