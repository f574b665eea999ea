#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/preflight.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/proof.h"
#include "install_work.h"

/* Steps 2 and 3, first part. Once per run: also an archive that must be copied needs B. */
static cs_status begin(cs_install_work *work, cs_error *error) {
    if (work->begun) return CS_OK;
    cs_session *session = &work->run.session;
    cs_emit(work->run.host->events, CS_EVENT_STEP, "programs", "Placing our programs in %s", session->programs);
    cs_status status = cs_programs_ensure(session, error);
    if (status == CS_OK) status = cs_plan_new_txid(work->run.host, work->txid, error);
    if (status != CS_OK) return status;
    if (!work->repairing) cs_proof_tell_gpus(&work->run, &work->manifest);
    work->begun = true; /* also when it fails half-way: something of it may be there to be dropped */
    return cs_transaction_begin(session, &work->place.tree, work->txid, error);
}

cs_status cs_install_begin(cs_install_work *work) { return begin(work, &work->run.error); }

/* B\archive, which only a copied archive makes. What cannot go now is dropped with the rest of B. */
static void remove_copy(cs_install_work *work) {
    if (work->begun) cs_transaction_drop_archive(&work->run.session, &work->place.tree, work->txid, NULL);
}

void cs_install_drop_archive(cs_install_work *work) {
    cs_archive_close(work->archive); /* a copy of it in B can only go when it is closed */
    work->archive = NULL;
    remove_copy(work);
}

/* An archive on a share or a stick could be swapped behind our back: a copy on the tree's volume is used. A dry run writes
 * nothing and takes it where it is. */
static cs_status fetch(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    cs_install_work *work = ctx;
    const cs_host *host = work->run.host;
    cs_volume volume = {0};
    bool solid = host->fs->volume(host->fs->ctx, path, &volume, NULL) == CS_OK && cs_stage_is_solid(&volume);
    if (solid || !work->run.changing || !cs_fs_exists(host->fs, path)) {
        cs_buffer_text(out, path);
        return cs_buffer_check(out, error);
    }
    bool copied = false;
    cs_status status = begin(work, error);
    if (status != CS_OK) return status;
    remove_copy(work); /* of a candidate that was refused */
    return cs_stage_archive(host, work->place.tree.path, work->txid, path, out, &copied, error);
}

cs_status cs_install_get_archive(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_strings candidates = {0};
    uint64_t need = 0;
    cs_options options = *run->options;                    /* borrowed strings */
    if (work->repairing) options.unverified_accept = true; /* what is unpacked must be what the receipt says anyway */
    cs_status status = cs_package_find(run->host, run->options, &work->manifest, &candidates, &run->error);
    if (status == CS_OK)
        status = cs_package_open(run->host, &options, &work->manifest, &candidates, fetch, work, &work->archive, &work->trust,
                                 &run->error);
    if (status == CS_OK) status = cs_archive_measure(work->archive, &work->manifest, &work->trust, &need, &run->error);
    if (status == CS_OK) status = cs_preflight_space(run->host, work->place.tree.path, need, &run->error);
    cs_strings_free(&candidates);
    return status;
}

/* ---- staging ---- */

static void tell_extras(const cs_run *run, const cs_strings *extras) {
    for (size_t i = 0; i < extras->count; i++)
        cs_emit(run->host->events, CS_EVENT_NOTE, "archive.extra", "The archive also holds %s: not in the manifest, not written.",
                extras->items[i]);
}

static cs_status check_unverified(cs_install_work *work) {
    cs_run *run = &work->run;
    if (work->trust.kind != CS_TRUST_UNVERIFIED || work->repairing) return CS_OK; /* a repair compares with the receipt */
    if (!run->changing) {
        cs_emit(run->host->events, CS_EVENT_WARNING, "dryrun.unverified",
                "A dry run unpacks nothing, so versions and signatures in this unverified copy were not looked at.");
        return CS_OK;
    }
    cs_strings paths = {0};
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < work->manifest.file_count && status == CS_OK; i++) {
        const cs_blob blob = cs_plan_blob(work->txid, CS_AREA_NEW, (unsigned)i);
        status = cs_blob_path(run->host, work->place.tree.path, &blob, &path, &run->error);
        if (status == CS_OK) status = cs_strings_add(&paths, path.data, &run->error);
    }
    if (status == CS_OK)
        status = cs_archive_check_unverified(run->host, &work->manifest, (const char *const *)paths.items, &run->error);
    cs_strings_free(&paths);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_install_stage(cs_install_work *work) {
    cs_run *run = &work->run;
    cs_strings extras = {0};
    cs_status status = CS_OK;
    if (run->changing)
        status = begin(work, &run->error);
    else
        status = cs_plan_new_txid(run->host, work->txid, &run->error);
    if (status != CS_OK) return status;
    cs_emit(run->host->events, CS_EVENT_STEP, "unpack", run->changing ? "Verifying and unpacking" : "Verifying");
    cs_stage_start(&work->stage, run->host, work->place.tree.path, work->txid, &work->manifest);
    work->staged = true;
    for (size_t i = 0; i < work->manifest.file_count; i++)
        work->stage.wanted[i] = run->changing && (!work->repairing || work->only[i]);
    status = cs_stage_unpack(&work->stage, work->archive, &work->trust, &extras, &run->error);
    if (status == CS_OK) tell_extras(run, &extras);
    cs_install_drop_archive(work);
    if (status == CS_OK) status = check_unverified(work);
    cs_strings_free(&extras);
    return status;
}

void cs_install_end(cs_install_work *work) {
    cs_stage_end(&work->stage);
    cs_archive_close(work->archive);
    work->archive = NULL;
    cs_plan_free(&work->plan);
    cs_environment_plan_free(&work->environment);
    cs_tree_place_free(&work->place);
    cs_manifest_free(&work->manifest);
}

void cs_install_abandon(cs_install_work *work) {
    cs_error error = {0};
    cs_stage_end(&work->stage);
    cs_archive_close(work->archive); /* B\archive can only go when it is closed */
    work->archive = NULL;
    if (!work->begun) return;
    work->begun = false;
    if (cs_transaction_abandon(&work->run.session, &work->place.tree, work->txid, &error) != CS_OK)
        cs_emit(work->run.host->events, CS_EVENT_WARNING, "abandon.failed",
                "What was unpacked could not all be dropped (%s); the next run tries again.", cs_status_text(error.status));
}
