#include <stdio.h>
#include <string.h>

#include "cudnn_setup/preflight.h"
#include "cudnn_setup/verb.h"
#include "cudnn_setup/wording.h"

typedef struct counts {
    size_t removed, restored, kept, missing;
} counts;

static counts count(const cs_outcome *outcome) {
    counts c = {0};
    for (size_t i = 0; i < outcome->file_count; i++) {
        const char *state = outcome->files[i].state;
        c.removed += strcmp(state, "removed") == 0;
        c.restored += strcmp(state, "restored") == 0;
        c.kept += strcmp(state, "kept") == 0;
        c.missing += strcmp(state, "missing") == 0;
    }
    return c;
}

/* What stays behind in .cudnn-setup, and how it goes. */
static void say_kept_aside(cs_run *run) {
    if (!run->kept_aside) return;
    cs_buffer_format(&run->outcome->message,
                     " Older files kept in .cudnn-setup, because they were not ours to replace: %zu; /status names them, /forget "
                     "/force drops them.",
                     run->kept_aside);
}

/* The files look like ours and are not: what was done has to be told from what was not. */
static void say_strangers(const cs_run *run, const counts *c, cs_buffer *out) {
    cs_buffer_format(
        out,
        run->changing
            ? "no file was removed, since the folder there is another one than the one that was installed into (copied, restored "
              "from a backup, or CUDA installed anew), and its files count as somebody else's. %sPATH and CUDA_PATH* stay; our "
              "record of it and the entry in Apps & Features are gone"
            : "no file would be removed, since the folder there is another one than the one that was installed into (copied, "
              "restored from a backup, or CUDA installed anew), and its files count as somebody else's. %sPATH and CUDA_PATH* "
              "would stay; our record of it and the entry in Apps & Features would go",
        c->kept ? "They, " : "");
}

static void say_counts(const counts *c, cs_buffer *out) {
    cs_say_part(out, c->removed, c->removed == 1 ? "file removed" : "files removed");
    cs_say_part(out, c->restored, c->restored == 1 ? "older file put back" : "older files put back");
    cs_say_part(out, c->kept, "left alone, since somebody changed it after us");
    cs_say_part(out, c->missing, "removed by somebody already");
    if (!out->size) cs_buffer_text(out, "no file had to be changed");
}

/* The verb, as done or as it would be. */
static void say_verb(cs_run *run, bool everything, const char *what, const char *parts) {
    const char *tree = run->outcome->tree_path;
    if (everything)
        cs_run_say(run, run->changing ? "%s is uninstalled from %s: %s." : "%s would be uninstalled from %s: %s.", what, tree,
                   parts);
    else
        cs_run_say(run, run->changing ? "%s is rolled back in %s: %s." : "%s would be rolled back in %s: %s.", what, tree, parts);
    if (!run->changing) cs_buffer_text(&run->outcome->message, " Nothing was changed.");
}

/* what is copied from the newest receipt, because the receipts are gone by now. */
static void say_undone(cs_run *run, bool everything, const char *what, bool gone) {
    const counts c = count(run->outcome);
    cs_buffer parts = {0};
    if (gone)
        cs_buffer_text(&parts, run->changing
                                   ? "the CUDA tree is gone, so only the environment and our own files were cleaned"
                                   : "the CUDA tree is gone, so only the environment and our own files would be cleaned");
    else if (run->strangers)
        say_strangers(run, &c, &parts);
    else
        say_counts(&c, &parts);
    say_verb(run, everything, what, cs_buffer_string(&parts));
    if (parts.failed) run->outcome->message.failed = true;
    cs_buffer_free(&parts);
}

/* As cs_tree_locate: a link or a file in its place is not the tree. */
static bool is_gone(const cs_run *run, const cs_known_tree *known) {
    const cs_fs *fs = run->host->fs;
    cs_file_info info;
    cs_status status = fs->stat(fs->ctx, known->head.tree_path, &info, NULL);
    return status == CS_E_NOT_FOUND || (status == CS_OK && info.kind != CS_FILE_FOLDER);
}

/* Where nothing of ours can be put back, the version before is not in place again: uninstalling or installing ends that, rolling
 * back does not. */
static cs_status check_rollback(cs_run *run, const cs_known_tree *known) {
    cs_tree_place place = {0};
    cs_status status = cs_tree_locate(run->host, known, NULL, &place, &run->error);
    if (status == CS_OK && place.gone && !place.away)
        status = cs_fail(&run->error, CS_E_FAILED, "roll back", place.tree.path,
                         "the CUDA tree is gone, and nothing can be put back there; /uninstall cleans what is left. Nothing was "
                         "changed");
    else if (status == CS_OK && place.strangers)
        status =
            cs_fail(&run->error, CS_E_FAILED, "roll back", place.tree.path,
                    "another folder than the one that was installed into stands there (copied, restored, or CUDA installed "
                    "anew), and its files count as somebody else's; install again to renew the records, or /uninstall. Nothing "
                    "was changed");
    cs_tree_place_free(&place);
    return status;
}

static cs_status undo(cs_run *run, bool everything) {
    size_t index = 0;
    char what[160];
    cs_status status = cs_trees_choose(run->host, &run->trees, run->options, &index, &run->error);
    if (status != CS_OK) return status;
    const cs_known_tree *known = &run->trees.items[index];
    const cs_receipt *top = cs_trees_top(&known->head);
    snprintf(what, sizeof what, "%.60s %.60s%s", top->product, top->version, cs_trust_mark(&top->trust));
    cs_run_tell_trust(run, &top->trust);
    bool gone = is_gone(run, known);
    if (!everything) status = check_rollback(run, known);
    if (status != CS_OK) return status;
    size_t depth = everything ? known->head.stack_count : 1;
    size_t left = known->head.stack_count - depth;
    char previous[160] = "";
    if (left)
        snprintf(previous, sizeof previous,
                 run->changing ? " %.60s %.60s is in place again." : " %.60s %.60s would be in place again.",
                 known->head.stack[left - 1].product, known->head.stack[left - 1].version);
    status = cs_undo_levels(run, known, depth, everything ? CS_KIND_UNINSTALL : CS_KIND_ROLLBACK);
    if (status != CS_OK) return status;
    say_undone(run, everything, what, gone);
    cs_buffer_text(&run->outcome->message, previous);
    say_kept_aside(run);
    return CS_OK;
}

static cs_status run_undo(const cs_host *host, const cs_options *options, cs_outcome *outcome, bool everything) {
    cs_run run;
    cs_status status = options->dryrun ? cs_run_begin_reading(&run, host, options, outcome)
                                       : cs_run_begin_changing(&run, host, options, outcome);
    if (status == CS_OK && options->dryrun) status = cs_preflight_platform(host, &run.error);
    if (status == CS_OK && options->dryrun) status = cs_run_refuse_pending(&run);
    if (status == CS_OK) status = undo(&run, everything);
    return cs_run_end(&run, status);
}

cs_status cs_uninstall(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    return run_undo(host, options, outcome, true);
}

cs_status cs_rollback(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    return run_undo(host, options, outcome, false);
}
