#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/undo_data.h"
#include "cudnn_setup/verb.h"
#include "cudnn_setup/wording.h"
#include "cudnn_setup/workers.h"

enum { NAMES_SHOWN = 5 };

typedef struct findings {
    size_t files, bad_files, missing, values;
    size_t other_folders, gone, away; /* trees */
    size_t undo_files, undo_bad;
    cs_buffer names;
} findings;

/* The rows of one tree, and what became of each. */
typedef struct states {
    const cs_host *host;
    const char *tree_path;
    const cs_receipt *receipt;
    const char **items; /* literals */
} states;

/* Looks at one file without keeping anybody else from it. */
static cs_status state_of(const cs_host *host, const char *path, const cs_receipt_row *row, cs_each *each, const char **state,
                          cs_error *error) {
    const cs_fs *fs = host->fs;
    uint8_t digest[CS_SHA256_SIZE];
    cs_file *file = NULL;
    cs_file_info info;
    cs_status status = fs->stat(fs->ctx, path, &info, error);
    if (status == CS_OK && info.kind != CS_FILE_REGULAR) { /* opened as a file, a folder would only say "access denied" */
        *state = "differs";
        return CS_OK;
    }
    if (status == CS_OK) status = fs->open(fs->ctx, path, CS_OPEN_WATCH, &file, error);
    if (status == CS_E_NOT_FOUND) {
        *state = "missing";
        return CS_OK;
    }
    if (status == CS_OK) status = fs->info(fs->ctx, file, &info, error);
    *state = "differs";
    if (status == CS_OK && info.kind == CS_FILE_REGULAR && info.size == row->size) {
        status = cs_each_sha256(each, row->target, fs, file, digest, error);
        if (status == CS_OK && memcmp(digest, row->sha256, sizeof digest) == 0) *state = "ok";
    }
    fs->close(fs->ctx, file);
    return status == CS_E_REPARSE ? CS_OK : status;
}

static void note_name(findings *f, const char *name, const char *state) {
    size_t count = f->bad_files + f->values;
    if (count > 1 && count <= NAMES_SHOWN + 1) cs_buffer_text(&f->names, ", ");
    if (count <= NAMES_SHOWN) cs_buffer_format(&f->names, strcmp(state, "missing") == 0 ? "%s missing" : "%s differs", name);
    if (count == NAMES_SHOWN + 1) cs_buffer_text(&f->names, "and more");
}

static cs_status look_at_row(void *ctx, size_t index, cs_each *each, cs_error *error) {
    const states *s = ctx;
    const cs_receipt_row *row = &s->receipt->rows[index];
    cs_buffer path = {0};
    cs_status status = cs_each_done(each, 0, row->target);
    if (status == CS_OK) status = cs_path_join(&path, s->host->fs->separator, s->tree_path, row->target, error);
    if (status == CS_OK) status = state_of(s->host, path.data, row, each, &s->items[index], error);
    cs_buffer_free(&path);
    return status;
}

static cs_status look_at_rows(states *s, cs_error *error) {
    size_t count = s->receipt->row_count;
    cs_meter meter = {.host = s->host, .step = "verify"};
    uint64_t *sizes = cs_alloc(count + 1, sizeof *sizes);
    s->items = cs_alloc(count + 1, sizeof *s->items);
    cs_status status = sizes && s->items ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < count && status == CS_OK; i++) meter.total += sizes[i] = s->receipt->rows[i].size;
    if (status == CS_OK) status = cs_workers_each(&meter, count, sizes, look_at_row, s, error);
    cs_free(sizes);
    return status;
}

static cs_status note_row(cs_run *run, const char *tree_path, const cs_receipt_row *row, const char *state, findings *f) {
    cs_buffer path = {0};
    cs_status status = cs_path_join(&path, run->host->fs->separator, tree_path, row->target, &run->error);
    if (status == CS_OK) status = cs_outcome_add_file(run->outcome, row->target, state, &run->error);
    f->files++;
    if (status == CS_OK && strcmp(state, "ok") != 0) {
        f->bad_files++;
        f->missing += strcmp(state, "missing") == 0 && cs_text_ends_with_ascii_case(row->target, ".dll");
        note_name(f, row->target, state);
        cs_emit(run->host->events, CS_EVENT_NOTE, "verify.file", "%s: %s", path.data, state);
    }
    cs_buffer_free(&path);
    return status;
}

static cs_status add_value(cs_run *run, const cs_reg_change *change) {
    cs_buffer is = {0}, should = {0};
    bool has_is = change->old.present && cs_reg_value_to_text(&change->old, &is, NULL) == CS_OK;
    bool has_should = change->now.present && cs_reg_value_to_text(&change->now, &should, NULL) == CS_OK;
    cs_status status =
        cs_outcome_add_value(run->outcome, change->name, change->now.present ? change->now.type : change->old.type,
                             has_is ? cs_buffer_string(&is) : NULL, has_should ? cs_buffer_string(&should) : NULL, &run->error);
    cs_buffer_free(&is);
    cs_buffer_free(&should);
    return status;
}

static cs_status check_values(cs_run *run, const char *tree_path, const cs_record *head, findings *f) {
    cs_environment_plan plan = {0};
    cs_error error = {0};
    cs_status status = cs_run_check_environment(run, tree_path, head, true, &plan, &error);
    if (status == CS_E_FORMAT || status == CS_E_TOO_BIG) { /* a value that we once wrote cannot even be read as one */
        f->values++;
        note_name(f, error.path[0] ? error.path : "PATH", "differs");
        status = CS_OK;
    } else if (status != CS_OK) {
        run->error = error;
    }
    for (size_t i = 0; i < plan.count && status == CS_OK; i++) {
        f->values++;
        note_name(f, plan.changes[i].name, "differs");
        cs_emit(run->host->events, CS_EVENT_NOTE, "verify.value", "%s is not as it was written.", plan.changes[i].name);
        status = add_value(run, &plan.changes[i]);
    }
    cs_environment_plan_free(&plan);
    return status;
}

/* Another folder at the path may hold the same files: they are nobody's that we know, and uninstall will leave them. */
static cs_status check_place(cs_run *run, const cs_known_tree *known, bool *other, findings *f) {
    cs_tree_place place = {0};
    cs_status status = cs_tree_locate(run->host, known, NULL, &place, &run->error);
    *other = status == CS_OK && (place.gone || place.strangers);
    if (status == CS_OK && place.gone) {
        f->gone++;
        f->away += place.away;
        cs_emit(run->host->events, CS_EVENT_WARNING, "tree.gone",
                "%s is not there: it was deleted or moved, or its drive is away.", known->head.tree_path);
    } else if (status == CS_OK && place.strangers) {
        f->other_folders++;
        cs_emit(run->host->events, CS_EVENT_WARNING, "tree.other-folder",
                "%s is another folder than the one that was installed into (copied, restored or made anew): its files count as "
                "somebody else's, and uninstall leaves them.",
                known->head.tree_path);
    }
    cs_tree_place_free(&place);
    return status;
}

/* Not a difference of the installation: it works, only the way back is not whole. */
static cs_status check_undo_data(cs_run *run, const cs_known_tree *known, findings *f) {
    cs_undo_data data;
    cs_status status = cs_undo_data_look(run->host, known->head.tree_path, &known->head, true, &data, &run->error);
    if (status == CS_OK) cs_run_tell_unnamed(run, known->head.tree_path, &known->head);
    f->undo_files += data.files;
    f->undo_bad += data.missing + data.damaged;
    if (status == CS_OK && data.missing + data.damaged)
        cs_emit(
            run->host->events, CS_EVENT_WARNING, "undo.incomplete",
            "Of %zu older files that uninstall or rollback would put back in %s, %zu are missing and %zu damaged: %s. They will "
            "not come back; everything else will.",
            data.files, known->head.tree_path, data.missing, data.damaged, cs_buffer_string(&data.names));
    if (status == CS_OK && data.unknown)
        cs_emit(run->host->events, CS_EVENT_NOTE, "undo.unknown", "%zu older files in %s could not be looked at.", data.unknown,
                known->head.tree_path);
    cs_undo_data_free(&data);
    return status;
}

static cs_status check_tree(cs_run *run, const cs_known_tree *known, findings *f) {
    const cs_receipt *top = cs_trees_top(&known->head);
    const cs_tree tree = {.path = known->head.tree_path};
    cs_tree named = tree;
    memcpy(named.id, known->id, sizeof named.id);
    cs_emit(run->host->events, CS_EVENT_STEP, "verify", "Verifying %s %s in %s", top->product, top->version, tree.path);
    cs_run_tell_trust(run, &top->trust);
    bool gone = false;
    cs_status status = cs_run_set_tree(run, &named);
    if (status == CS_OK) status = check_place(run, known, &gone, f);
    states rows = {.host = run->host, .tree_path = tree.path, .receipt = top};
    if (status == CS_OK) status = look_at_rows(&rows, &run->error);
    for (size_t i = 0; i < top->row_count && status == CS_OK; i++)
        status = note_row(run, tree.path, &top->rows[i], rows.items[i], f);
    cs_free(rows.items);
    if (status == CS_OK) status = check_values(run, tree.path, &known->head, f);
    return status == CS_OK && !gone ? check_undo_data(run, known, f) : status;
}

static bool is_meant(const cs_run *run, const cs_known_tree *known, size_t index, size_t chosen) {
    bool named = run->options->tree || run->options->cuda;
    return known->head.stack_count && (!named || index == chosen);
}

static const char *trust_words(const cs_run *run) {
    if (run->outcome->trust.kind == CS_TRUST_UNVERIFIED) return " (unverified copy: nobody vouches for what was installed)";
    return run->outcome->trust.sample ? " (sample)" : "";
}

static void say_undo(cs_run *run, const findings *f) {
    if (!f->undo_bad) return;
    cs_buffer_format(&run->outcome->message, " Of %zu older files that uninstall would put back, %zu are missing or damaged.",
                     f->undo_files, f->undo_bad);
}

/* "2 of 31 files and 1 environment value differ from what was installed: ..." */
static void say_counts(cs_run *run, const findings *f) {
    cs_buffer counts = {0};
    cs_say_files_and_values(&counts, f->bad_files, f->files, f->values);
    cs_run_say(run, "%s %s from what was installed: %s.", cs_buffer_string(&counts),
               f->bad_files + f->values == 1 ? "differs" : "differ", cs_buffer_string(&f->names));
    cs_buffer_free(&counts);
}

static void say_differences(cs_run *run, const findings *f) {
    const char *virus =
        f->missing && !f->gone ? " A missing DLL is often in an antivirus program's quarantine: look there first." : "";
    say_counts(run, f);
    if (f->away)
        cs_buffer_text(&run->outcome->message,
                       " The drive of the CUDA tree is not there, or another one has its letter: connect it first.");
    else if (f->gone)
        cs_buffer_text(&run->outcome->message, " The CUDA tree is gone: cudnn-setup /uninstall cleans what is left of the "
                                               "installation; for a new one install CUDA, then cuDNN.");
    else
        cs_buffer_format(&run->outcome->message, " cudnn-setup /repair puts that right.%s", virus);
}

/* What to do about another folder is not to repair. */
static void say_other_folder(cs_run *run, const findings *f) {
    if (f->bad_files || f->values)
        say_counts(run, f);
    else
        cs_run_say(run, "All %zu files are as installed%s.", f->files, trust_words(run));
    cs_buffer_text(
        &run->outcome->message,
        " But the CUDA tree is another folder than the one that was installed into (copied, restored or made anew): its "
        "files count as somebody else's, and uninstall would leave them. Install again to renew the records.");
}

static cs_status judge(cs_run *run, const findings *f, size_t trees) {
    bool same = !f->bad_files && !f->values && !f->other_folders && !f->gone;
    if (same)
        cs_run_say(run, "All %zu files%s and our environment values are as installed%s.", f->files,
                   trees > 1 ? " of all CUDA trees" : "", trust_words(run));
    else if (f->other_folders)
        say_other_folder(run, f);
    else
        say_differences(run, f);
    say_undo(run, f);
    return same ? CS_OK : cs_fail(&run->error, CS_E_DIFFERS, "verify", run->outcome->tree_path, NULL);
}

static cs_status verify(cs_run *run) {
    findings f = {0};
    size_t chosen = 0, trees = 0;
    cs_status status = cs_run_refuse_pending(run);
    if (status == CS_OK && (run->options->tree || run->options->cuda))
        status = cs_trees_choose(run->host, &run->trees, run->options, &chosen, &run->error);
    for (size_t i = 0; i < run->trees.count && status == CS_OK; i++) {
        if (!is_meant(run, &run->trees.items[i], i, chosen)) continue;
        trees++;
        status = check_tree(run, &run->trees.items[i], &f);
    }
    bool named = run->options->tree || run->options->cuda;
    if (status == CS_OK && !named && run->trees.blocked_count) status = cs_trees_refuse_blocked(&run->trees, 0, &run->error);
    if (status == CS_OK && !trees)
        status = cs_fail(&run->error, CS_E_NOTHING, NULL, NULL, "cudnn-setup has not installed anything on this machine");
    if (status == CS_OK) status = judge(run, &f, trees);
    cs_buffer_free(&f.names);
    return status;
}

cs_status cs_verify(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    if (status == CS_OK) status = verify(&run);
    return cs_run_end(&run, status);
}
