#include "cudnn_setup/leavings.h"
#include "cudnn_setup/preflight.h"
#include "cudnn_setup/status_view.h"
#include "cudnn_setup/verb.h"
#include "cudnn_setup/wording.h"

/* ---- what a run left that ended before its change began ---- */

typedef struct remains {
    size_t files;
    uint64_t bytes;
} remains;

static cs_status add_remains(void *ctx, const char *tree_path, const cs_leavings *found) {
    remains *sum = ctx;
    (void)tree_path;
    sum->files += found->files;
    sum->bytes += found->bytes;
    return CS_OK;
}

/* Only to tell of it: a place that cannot be looked at now is no failure. */
static remains look_for_remains(const cs_run *run) {
    remains sum = {0};
    cs_error ignored = {0};
    if (cs_leavings_find(&run->session, add_remains, &sum, &ignored) != CS_OK)
        cs_emit(run->host->events, CS_EVENT_DETAIL, "recover.remains", "what interrupted runs left could not all be looked at");
    return sum;
}

/* Which way it went: people have to know what they have now. */
static void say_ways(const cs_session *session, cs_buffer *out) {
    unsigned finished = session->finished, back = session->taken_back;
    if (back)
        cs_buffer_format(out,
                         back == 1 ? "%u interrupted change was taken back: everything is as before."
                                   : "%u interrupted changes were taken back: everything is as before.",
                         back);
    if (back) cs_buffer_text(out, " ");
    if (finished)
        cs_buffer_format(out,
                         finished == 1 ? "%u interrupted change was finished: what was installed or undone stays so."
                                       : "%u interrupted changes were finished: what was installed or undone stays so.",
                         finished);
    if (finished) cs_buffer_text(out, " ");
    cs_buffer_text(out, "Nothing is pending any more.");
}

/* What became of the interrupted change, and of the files that such a run had unpacked. */
static void say(cs_run *run, bool worked, const remains *dropped) {
    cs_buffer text = {0}, bytes = {0};
    bool real = run->changing;
    run->already = !worked && !dropped->files;
    if (worked && real)
        say_ways(&run->session, &text);
    else if (worked)
        cs_buffer_text(&text, "Interrupted work was found and would be finished or undone.");
    else
        cs_buffer_text(&text, dropped->files ? "No interrupted change was found." : "No interrupted work was found.");
    if (dropped->files) {
        cs_say_bytes(&bytes, dropped->bytes);
        cs_buffer_format(&text,
                         !real                 ? " Files that an interrupted run had unpacked would be dropped: %zu (%s)."
                         : dropped->files == 1 ? " %zu file (%s) that an interrupted run had unpacked was dropped."
                                               : " %zu files (%s) that an interrupted run had unpacked were dropped.",
                         dropped->files, cs_buffer_string(&bytes));
    }
    cs_run_say(run, real ? "%s" : "Dry run: %s", cs_buffer_string(&text));
    if (!real || run->already) cs_buffer_text(&run->outcome->message, " Nothing was changed.");
    cs_buffer_free(&text);
    cs_buffer_free(&bytes);
}

/* A changing run whose only work is the recovery that every changing run begins with. A tree whose records cannot be believed
 * keeps it from being done, and its own sentence says what ends that. */
static cs_status recover(cs_run *run) {
    bool worked = false;
    const remains before = look_for_remains(run);
    cs_status status = cs_run_recover(run, &worked);
    const remains after = look_for_remains(run);
    const remains dropped = {before.files > after.files ? before.files - after.files : 0,
                             before.bytes > after.bytes ? before.bytes - after.bytes : 0};
    if (status == CS_E_PENDING && !run->session.unfinished) {
        /* Without one by now, the recovery could not read what can be read again: it waits for the next run. */
        cs_status loaded = cs_run_load_trees(run);
        if (loaded != CS_OK) status = loaded;
        if (loaded == CS_OK && run->trees.blocked_count) return cs_trees_refuse_blocked(&run->trees, 0, &run->error);
    }
    if (status == CS_OK) say(run, worked, &dropped);
    return status;
}

/* For people, tree by tree: what would be finished or taken back. */
static cs_status tell_pending(cs_run *run) {
    cs_status_view view = {.host = run->host};
    cs_status status = cs_status_gather_records(run, &view);
    if (status == CS_OK) cs_status_say_pending(&view, &run->outcome->plan);
    cs_status_view_free(&view);
    return status;
}

static cs_status look(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    if (status == CS_OK && run.trees.blocked_count && !run.trees.readable_only)
        status = cs_trees_refuse_blocked(&run.trees, 0, &run.error);
    if (status == CS_OK) {
        const remains found = look_for_remains(&run);
        say(&run, run.trees.pending, &found);
        status = tell_pending(&run);
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
