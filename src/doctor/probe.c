/* probe.c: the proof once more, of what is installed, whenever a user asks: the doctor's verb `probe`. The doctor itself loads
 * nothing: cudnn-probe.exe does, as this user. */
#include <string.h>

#include "cudnn_setup/diagnose.h"
#include "cudnn_setup/proof.h"
#include "doctor.h"

static int judge_stage(const cs_proof_stage *stage) {
    if (!stage->known) return CS_DIAGNOSIS_HEALTHY;
    switch (cs_verdict_kind_of(stage->verdict)) {
    case CS_VERDICT_FAILED:
        return CS_DIAGNOSIS_BROKEN;
    case CS_VERDICT_UNFIT:
        return CS_DIAGNOSIS_WARNINGS;
    default:
        return stage->verdict >= CS_GPU_REFUSED ? CS_DIAGNOSIS_WARNINGS : CS_DIAGNOSIS_HEALTHY; /* it could not be looked at */
    }
}

static void tell_stage(cs_buffer *report, const char *name, const char *text, const cs_proof_stage *stage) {
    const char *advice = stage && stage->known ? cs_verdict_advice(stage->verdict, CS_ENGLISH) : "";
    cs_buffer_format(report, "%s: %s\n", name, text ? text : "skipped");
    if (*advice) cs_buffer_format(report, "  %s\n", advice);
}

static cs_status prove(cs_run *run) {
    static const cs_record nothing_placed;
    size_t index = 0;
    cs_status status = cs_run_refuse_pending(run);
    if (status == CS_OK) status = cs_trees_choose(run->host, &run->trees, run->options, &index, &run->error);
    if (status != CS_OK) return status;
    const cs_known_tree *known = &run->trees.items[index];
    const cs_receipt *top = cs_trees_top(&known->head);
    cs_tree tree = {.path = known->head.tree_path};
    memcpy(tree.id, known->id, sizeof tree.id);
    cs_run_tell_trust(run, &top->trust);
    status = cs_run_set_tree(run, &tree);
    if (status == CS_OK) cs_proof_run(run, tree.path, top, &nothing_placed);
    return status;
}

/* An elevated doctor starts nothing that loads what PATH names, unless told to in words. */
static cs_status refuse_rights(const cs_host *host, const cs_options *options, cs_error *error) {
    if (options->selftest_as_current || !host->system->is_administrator(host->system->ctx)) return CS_OK;
    return cs_fail(error, CS_E_USAGE, "probe", NULL,
                   "not with administrator rights, because it loads what PATH names: start cudnn-doctor as an ordinary user");
}

int cs_doctor_probe(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    if (status == CS_OK) status = refuse_rights(host, options, &run.error);
    if (status == CS_OK) status = prove(&run);
    int result = CS_DIAGNOSIS_HEALTHY;
    const cs_proof_detail *detail = outcome->proof;
    if (status == CS_OK && detail) {
        const int stages[] = {judge_stage(&detail->loading), judge_stage(&detail->gpu),
                              outcome->proof_files && cs_text_starts_with(outcome->proof_files, "failed") ? CS_DIAGNOSIS_BROKEN
                                                                                                          : CS_DIAGNOSIS_HEALTHY};
        for (size_t i = 0; i < 3; i++)
            if (stages[i] > result) result = stages[i];
        tell_stage(report, "Files", outcome->proof_files, NULL);
        tell_stage(report, "Loading", outcome->proof_loading, &detail->loading);
        tell_stage(report, "GPU", outcome->proof_gpu, &detail->gpu);
        cs_run_say(&run, "%s",
                   result == CS_DIAGNOSIS_BROKEN     ? "A stage of the proof failed."
                   : result == CS_DIAGNOSIS_WARNINGS ? "Nothing is broken, but the proof is not complete on this machine."
                                                     : "The proof found nothing wrong.");
    }
    status = cs_run_end(&run, status);
    if (status != CS_OK) return cs_exit_code(status);
    if (result == CS_DIAGNOSIS_BROKEN) outcome->result = CS_RESULT_DIFFERS;
    return result;
}
