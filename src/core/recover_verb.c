#include "cudnn_setup/preflight.h"
#include "cudnn_setup/verb.h"

/* A changing run whose only work is the recovery that every changing run begins with. */
static cs_status recover(cs_run *run) {
    bool worked = false;
    cs_status status = cs_run_recover(run, &worked);
    if (status != CS_OK) return status;
    run->already = !worked;
    cs_run_say(run, worked ? "The interrupted run was brought to a clean state."
                           : "No interrupted work was found. Nothing was changed.");
    return CS_OK;
}

static cs_status look(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    if (status == CS_OK) {
        run.already = !run.trees.pending;
        cs_run_say(&run, run.trees.pending
                             ? "Dry run: interrupted work was found and would be finished or undone. Nothing was changed."
                             : "Dry run: no interrupted work was found. Nothing was changed.");
    }
    return cs_run_end(&run, status);
}

cs_status cs_recover(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run;
    if (options->dryrun) return look(host, options, outcome);
    cs_status status = cs_run_begin_locked(&run, host, options, outcome);
    if (status == CS_OK) status = recover(&run);
    return cs_run_end(&run, status);
}
