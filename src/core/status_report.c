/* The verb /status: gathers, tells, and says in one sentence and one exit code how things stand. */
#include <string.h>

#include "cudnn_setup/status_view.h"
#include "cudnn_setup/wording.h"

typedef struct tally {
    size_t installed, pending, damaged, aside, left;
} tally;

static tally count(const cs_status_view *view) {
    tally t = {0};
    for (size_t i = 0; i < view->tree_count; i++) {
        const cs_status_tree *tree = &view->trees[i];
        bool torn = false;
        for (size_t j = 0; j < tree->work_count; j++) torn = torn || (tree->works[j].problem && tree->known.pending);
        t.installed += tree->level_count > 0;
        t.pending += tree->known.pending != CS_PENDING_NONE;
        t.damaged += tree->problem || torn;
        for (size_t j = 0; j < tree->file_count && !tree->level_count; j++) {
            cs_status_what what = tree->files[j].what;
            *(what == CS_PRIVATE_PARKED || what == CS_PRIVATE_UNNAMED ? &t.aside : &t.left) += 1;
        }
    }
    if (view->copy && view->service && !t.pending) t.pending = 1;
    return t;
}

/* The tree of the outcome is the first with an installation; the report has them all. */
static cs_status name_first(cs_run *run, const cs_status_view *view) {
    for (size_t i = 0; i < view->tree_count; i++) {
        const cs_status_tree *found = &view->trees[i];
        if (!found->level_count) continue;
        cs_tree tree = {.path = found->known.head.tree_path};
        memcpy(tree.id, found->known.id, sizeof tree.id);
        run->outcome->trust = found->levels[0].receipt->trust;
        return cs_run_set_tree(run, &tree);
    }
    return CS_OK;
}

static void say_installed(cs_run *run, const cs_status_view *view, const tally *t) {
    cs_buffer trees = {0};
    const cs_status_tree *one = NULL;
    for (size_t i = 0; i < view->tree_count && !one; i++)
        if (view->trees[i].level_count) one = &view->trees[i];
    if (t->installed == 1 && one)
        cs_run_say(run, "%s %s%s is installed in %s.", one->levels[0].receipt->product, one->levels[0].receipt->version,
                   cs_trust_mark(&one->levels[0].receipt->trust), one->known.head.tree_path);
    else
        cs_say_count(&trees, t->installed, "CUDA tree", "CUDA trees");
    if (trees.size) cs_run_say(run, "cudnn-setup has installed cuDNN in %s.", trees.data);
    cs_buffer_free(&trees);
}

static cs_status conclude_damage(cs_run *run, const cs_status_view *view) {
    if (view->copy) {
        cs_run_say(run, "The readable copy of what is installed is missing or damaged. The records themselves may be sound: "
                        "cudnn-setup /status as an administrator reads them, and the next changing run writes the copy again.");
        return cs_fail(&run->error, CS_E_FAILED, NULL, NULL, NULL);
    }
    cs_run_say(run,
               "A record of cudnn-setup cannot be used: the report says which one, why, and the way out. Other CUDA trees are "
               "not concerned.");
    return cs_fail(&run->error, CS_E_PENDING, NULL, NULL, NULL);
}

static cs_status conclude(cs_run *run, const cs_status_view *view) {
    const tally t = count(view);
    if (t.damaged && !(view->copy && t.installed)) return conclude_damage(run, view);
    if (t.pending) {
        cs_run_say(run, view->running ? "A run of cudnn-setup is at work now; what it changes is not finished yet."
                                      : "An interrupted run has not been finished or undone yet: cudnn-setup /recover, any other "
                                        "changing run, or the next start of Windows does that.");
        return cs_fail(&run->error, CS_E_PENDING, NULL, NULL, NULL);
    }
    if (t.installed) {
        say_installed(run, view, &t);
        return CS_OK;
    }
    cs_run_say(run, "cudnn-setup has nothing installed on this machine.");
    cs_buffer *message = &run->outcome->message;
    if (t.aside) cs_buffer_text(message, " Files that it kept aside are still there.");
    if (t.left) cs_buffer_text(message, " What an interrupted run left is dropped by the next changing run, /recover for one.");
    return cs_fail(&run->error, CS_E_NOTHING, NULL, NULL, NULL);
}

/* Hashing every file takes as long as verifying: the diagnosis, which verifies anyway, leaves it out. */
static cs_status look(cs_run *run, cs_status_view *view, cs_buffer *report) {
    cs_status status = cs_status_gather(run, run->options->verb == CS_VERB_STATUS, view);
    if (status != CS_OK) return status;
    cs_status_say(view, report);
    status = cs_buffer_check(report, &run->error);
    if (status == CS_OK) status = name_first(run, view);
    return status == CS_OK ? conclude(run, view) : status;
}

cs_status cs_show_status(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    /* A record that the others cannot go on with is what this verb is asked about. */
    if (status != CS_OK && status != CS_E_NO_MEMORY && run.session.programs) {
        run.error = (cs_error){0};
        status = CS_OK;
    }
    if (status == CS_OK) {
        outcome->installations = cs_alloc(1, sizeof *outcome->installations);
        status = outcome->installations ? look(&run, outcome->installations, report)
                                        : cs_fail(&run.error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    return cs_run_end(&run, status);
}
