#include "cudnn_setup/verb.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/leavings.h"
#include "cudnn_setup/package.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/preflight.h"
#include "cudnn_setup/toolkit.h"

static void start(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    *run = (cs_run){.host = host, .options = options, .outcome = outcome, .session = {.host = host}};
}

cs_status cs_run_begin_locked(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    start(run, host, options, outcome);
    cs_status status = cs_preflight_rights(host, &run->error);
    if (status == CS_OK) status = cs_preflight_platform(host, &run->error);
    if (status == CS_OK) status = cs_session_open(host, &run->session, &run->error);
    run->changing = status == CS_OK;
    return status;
}

cs_status cs_run_recover(cs_run *run, bool *did_work) {
    cs_status status = cs_session_recover(&run->session, did_work, &run->error);
    run->untold = run->session.registry_written;
    return status;
}

cs_status cs_run_begin_changing(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    bool recovered = false;
    cs_status status = cs_run_begin_locked(run, host, options, outcome);
    if (status != CS_OK) return status;
    status = cs_run_recover(run, &recovered);
    /* A tree whose records cannot be believed is no reason to leave the others alone. */
    if (status == CS_E_PENDING && !run->session.unfinished) status = CS_OK;
    if (recovered)
        cs_emit(host->events, CS_EVENT_NOTE, "recover.done", "An interrupted run was found and %s.",
                status == CS_OK ? "brought to a clean state" : "could not be brought to a clean state");
    return status == CS_OK ? cs_run_load_trees(run) : status;
}

static bool is_known(const cs_known_trees *trees, const char *id) {
    for (size_t i = 0; i < trees->count; i++)
        if (strcmp(trees->items[i].id, id) == 0) return true;
    for (size_t i = 0; i < trees->blocked_count; i++)
        if (strcmp(trees->blocked[i].id, id) == 0) return true;
    return false;
}

/* The readable copies tell of an installation whose record is gone. Nothing is done by them; but somebody should know. */
static void tell_lost(const cs_run *run) {
    cs_strings ids = {0};
    cs_error ignored = {0};
    if (cs_derive_status_trees(&run->session, &ids, &ignored) != CS_OK) return;
    for (size_t i = 0; i < ids.count; i++) {
        cs_record copy = {0};
        if (!is_known(&run->trees, ids.items[i]) &&
            cs_derive_read_status(&run->session, ids.items[i], &copy, &ignored) == CS_OK && copy.stack_count)
            cs_emit(
                run->host->events, CS_EVENT_WARNING, "state.lost",
                "The record of the installation in %s is gone from %s\\state (deleted, or an older copy was put back): "
                "cudnn-setup cannot take it back any more. Its files, their undo data in .cudnn-setup, PATH and CUDA_PATH* stay "
                "as they are.",
                copy.tree_path, run->session.programs);
        cs_record_free(&copy);
    }
    cs_strings_free(&ids);
}

void cs_run_tell_unnamed(const cs_run *run, const char *tree_path, const cs_record *head) {
    cs_leavings found;
    cs_error ignored = {0};
    if (cs_leavings_look(run->host, tree_path, head, &found, &ignored) != CS_OK || !found.kept_files) return;
    cs_emit(run->host->events, CS_EVENT_WARNING, "undo.unnamed",
            "%s holds %zu older files (%" PRIu64
            " bytes) in .cudnn-setup\\*\\old that no record names: the records were deleted, or "
            "an older copy of them was put back. They are kept, and nothing puts them back but you.",
            tree_path, found.kept_files, found.kept_bytes);
}

cs_status cs_run_load_trees(cs_run *run) {
    cs_status status = cs_trees_load(&run->session, &run->trees, &run->error);
    if (status == CS_OK && !run->trees.readable_only && run->session.state) tell_lost(run);
    for (size_t i = 0; i < run->trees.blocked_count; i++) {
        const cs_error *error = &run->trees.blocked[i].error;
        cs_emit(run->host->events, CS_EVENT_WARNING, "state.unreadable", "%s: %s.", error->path,
                error->detail[0] ? error->detail : cs_status_text(error->status));
    }
    return status;
}

/* P\state is for administrators only; without it P\status tells what anybody may know. */
static cs_status open_status_only(cs_run *run) {
    const cs_host *host = run->host;
    cs_buffer parent = {0}, path = {0};
    cs_status status = host->system->folder(host->system->ctx, CS_FOLDER_PROGRAM_FILES, &parent, &run->error);
    if (status == CS_OK) status = cs_path_join(&path, host->fs->separator, parent.data, CS_NAME_PROGRAMS, &run->error);
    run->session = (cs_session){.host = host};
    if (status == CS_OK) {
        run->session.programs = cs_strdup(path.data);
        if (!run->session.programs) status = cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    cs_buffer_free(&parent);
    cs_buffer_free(&path);
    return status;
}

/* Without P\state there is nothing, but perhaps there was. */
static void tell_of_nothing(cs_run *run) {
    if (open_status_only(run) == CS_OK) tell_lost(run);
    cs_session_close(&run->session);
    run->session = (cs_session){.host = run->host};
    run->error = (cs_error){0};
}

cs_status cs_run_begin_reading(cs_run *run, const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    start(run, host, options, outcome);
    cs_status status = cs_session_open_reading(host, &run->session, &run->error);
    if (status == CS_E_NOTHING) {
        tell_of_nothing(run);
        return CS_OK;
    }
    if (status == CS_E_ACCESS) status = open_status_only(run);
    return status == CS_OK ? cs_run_load_trees(run) : status;
}

cs_status cs_run_refuse_pending(cs_run *run) {
    if (!run->trees.pending) return CS_OK;
    return cs_fail(&run->error, CS_E_PENDING, NULL, NULL,
                   "an interrupted run has not been finished or undone yet; cudnn-setup /recover, any other changing run, or the "
                   "next start of Windows does that");
}

void cs_run_say(cs_run *run, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cs_buffer_clear(&run->outcome->message);
    cs_buffer_vformat(&run->outcome->message, format, arguments);
    va_end(arguments);
}

static cs_result result_of(const cs_run *run, cs_status status) {
    switch (status) {
    case CS_OK:
        return run->already ? CS_RESULT_ALREADY : CS_RESULT_DONE;
    case CS_E_CANCELLED:
        return CS_RESULT_CANCELLED;
    case CS_E_PENDING:
        return CS_RESULT_PENDING;
    case CS_E_DIFFERS:
        return CS_RESULT_DIFFERS;
    default:
        return CS_RESULT_FAILED;
    }
}

/* What the machine is like after a failure; "" where the error's own sentence says it. */
static const char *aftermath(const cs_run *run, cs_status status) {
    if (strstr(run->error.detail, "othing was changed") || strstr(run->error.detail, "as before")) return "";
    if (status == CS_E_PENDING) return run->changing ? " Interrupted work is pending: cudnn-setup /recover goes on." : "";
    if (status == CS_E_CANCELLED) return " Everything is as before.";
    if (status == CS_E_DIFFERS || status == CS_E_NOTHING) return "";
    if (status == CS_E_USAGE) return " Nothing was changed.";
    return run->changing ? " Everything is as before." : " Nothing was changed.";
}

/* What to do about a failure of the system whose sentence does not say it. */
static const char *next_step(const cs_error *error) {
    if (error->detail[0]) return "";
    switch (error->status) {
    case CS_E_ACCESS:
        return " Its access rights, or a program such as a virus scanner, keep it shut: look there, then try again.";
    case CS_E_SHARING:
    case CS_E_MAPPED:
        return " Close the program that uses it, then try again.";
    case CS_E_IO:
        return " The disk, or the way to it, may be failing: check that first.";
    case CS_E_NO_SPACE:
        return " Free some space on that drive, then try again.";
    case CS_E_NO_MEMORY:
        return " Close other programs, then try again.";
    default:
        return "";
    }
}

static void write_message(cs_run *run, cs_status status) {
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    if (run->outcome->message.size || status == CS_OK) return;
    if (!run->error.status) cs_fail(&run->error, status, NULL, NULL, NULL);
    cs_error_sentence(&run->error, text, sizeof text);
    cs_run_say(run, "%s%s%s", text, next_step(&run->error), aftermath(run, status));
}

void cs_run_derive(cs_run *run) {
    cs_error error = {0};
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    run->derived = true;
    if (cs_derive(&run->session, &error) == CS_OK) return;
    cs_error_text(&error, text, sizeof text);
    cs_emit(run->host->events, CS_EVENT_WARNING, "derive.failed",
            "What follows from the receipts (Apps & Features, status, programs) could not all be brought up to date: %s. The "
            "next run "
            "tries again.",
            text);
}

static void broadcast(cs_run *run) {
    enum { DEADLINE_MS = 5000 };
    const cs_host *host = run->host;
    cs_broadcast answer = CS_BROADCAST_SENT;
    cs_error error = {0};
    run->untold = false;
    cs_status status = host->system->broadcast_environment(host->system->ctx, DEADLINE_MS, &answer, &error);
    if (status != CS_OK)
        cs_emit(host->events, CS_EVENT_WARNING, "broadcast.failed",
                "Running programs could not be told that the environment changed (%s): sign out and in, or restart them.",
                cs_status_text(status));
    else if (answer == CS_BROADCAST_SOME_HUNG)
        cs_emit(host->events, CS_EVENT_WARNING, "broadcast.hung",
                "Some windows did not answer in time; programs started from them may keep the old environment.");
    else if (answer == CS_BROADCAST_NEXT_SIGN_IN)
        cs_emit(host->events, CS_EVENT_WARNING, "broadcast.next-sign-in", "The new environment is seen after the next sign-in.");
    else
        cs_emit(host->events, CS_EVENT_NOTE, "broadcast.sent",
                "Programs started from now on see the new environment; those that run keep the old one.");
}

void cs_run_broadcast(cs_run *run, const cs_record *record) {
    if (record->reg_count) broadcast(run);
}

/* What a plan that was made without rights could not take into account. */
static void say_unseen(cs_run *run) {
    const cs_system *system = run->host->system;
    if (system->is_administrator(system->ctx)) return;
    cs_buffer_format(&run->outcome->plan,
                     "Not seen without administrator rights: %sprograms of other accounts that have files loaded.\n",
                     run->trees.readable_only ? "the records themselves (the copy that anybody may read was used), pending work "
                                                "tree by tree, and "
                                              : "");
}

cs_status cs_run_end(cs_run *run, cs_status status) {
    if (run->changing && status != CS_E_PENDING && !run->derived) cs_run_derive(run);
    if (run->untold) broadcast(run);
    if (run->options->dryrun) say_unseen(run);
    run->outcome->status = status;
    run->outcome->result = result_of(run, status);
    write_message(run, status);
    if (status != CS_OK) run->outcome->error = run->error;
    cs_trees_free(&run->trees);
    cs_session_close(&run->session);
    return status;
}

cs_status cs_run_set_tree(cs_run *run, const cs_tree *tree) {
    cs_outcome *outcome = run->outcome;
    cs_free(outcome->tree_id);
    cs_free(outcome->tree_path);
    outcome->tree_id = cs_strdup(tree->id);
    outcome->tree_path = cs_strdup(tree->path);
    return outcome->tree_id && outcome->tree_path ? CS_OK : cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
}

cs_status cs_run_forgive(cs_run *run, cs_status status) {
    if (status == CS_OK) return CS_OK;
    cs_emit(run->host->events, CS_EVENT_WARNING, "report.incomplete",
            "The change is made, but what there is to say of it is not complete (%s).", cs_status_text(status));
    run->error = (cs_error){0};
    return CS_OK;
}

void cs_run_tell_trust(cs_run *run, const cs_trust *trust) {
    char archive[CS_SHA256_HEX + 1] = "", manifest[CS_SHA256_HEX + 1];
    const cs_events *events = run->host->events;
    run->outcome->trust = *trust;
    cs_hex(trust->manifest_sha256, CS_SHA256_SIZE, manifest);
    if (trust->has_archive_sha256) cs_hex(trust->archive_sha256, CS_SHA256_SIZE, archive);
    const char *sample = trust->sample ? " This is a sample, not NVIDIA's package." : "";
    /* Who named the hash matters as much as the hash: a manifest of the caller's own is the caller's word. */
    const char *whose = cs_package_is_builtin(trust->manifest_sha256) ? "built into cudnn-setup" : "given by /manifest";
    switch (trust->kind) {
    case CS_TRUST_PINNED:
        cs_emit(events, CS_EVENT_NOTE, "trust",
                "Trust: the archive as a whole, SHA-256 %s, named by a manifest %s, SHA-256 %s.%s", archive, whose, manifest,
                sample);
        break;
    case CS_TRUST_SEALED:
        cs_emit(events, CS_EVENT_NOTE, "trust", "Trust: each file by a sealed manifest %s, SHA-256 %s.%s", whose, manifest,
                sample);
        break;
    case CS_TRUST_UNVERIFIED:
        cs_emit(events, CS_EVENT_WARNING, "trust.unverified",
                "Unverified copy: nobody vouches for this archive (SHA-256 %s); only names, versions and signatures were looked "
                "at.%s",
                archive, sample);
        break;
    case CS_TRUST_NONE:
        break;
    }
}

bool cs_run_tree_is_trusted(const cs_run *run, const char *cuda, const char *tree_path) {
    cs_host quiet = *run->host; /* what there is to say about a toolkit is said when one is chosen */
    cs_toolkits toolkits = {0};
    bool trusted = false;
    quiet.events = NULL;
    if (cs_toolkit_detect(&quiet, cuda, tree_path, &toolkits, NULL) == CS_OK && toolkits.count)
        trusted = toolkits.items[0].trusted;
    cs_toolkits_free(&toolkits);
    return trusted;
}

/* When the receipts last changed the variable; INT64_MIN: never. */
static int64_t last_change(const cs_record *head, cs_variable variable) {
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < head->stack_count; i++)
        for (size_t j = 0; j < head->stack[i].reg_count; j++)
            if (head->stack[i].regs[j].variable == variable && head->stack[i].time > last) last = head->stack[i].time;
    return last;
}

/* A value belongs to the last installation that wrote it, whichever tree that was for; each tree has an entry of its own in PATH.
 */
static bool is_responsible(const cs_run *run, const cs_record *head, cs_variable variable) {
    int64_t last = last_change(head, variable);
    if (last == INT64_MIN || variable == CS_VARIABLE_PATH) return last != INT64_MIN;
    for (size_t i = 0; i < run->trees.count; i++)
        if (last_change(&run->trees.items[i].head, variable) > last) return false;
    return true;
}

/* The version of CUDA stands in the kept manifest; the built-in one does where that cannot be read. */
static void cuda_version(const cs_run *run, const cs_record *head, cs_buffer *out) {
    cs_manifest manifest = {0};
    const cs_receipt *top = cs_trees_top(head);
    cs_status status = CS_E_NOTHING;
    if (run->session.state && top)
        status = cs_session_kept_manifest(&run->session, head->tree_id, top->trust.manifest_sha256, &manifest, NULL);
    if (status != CS_OK) status = cs_package_manifest(run->host, NULL, &manifest, NULL);
    cs_buffer_text(out, status == CS_OK ? manifest.cuda : "");
    cs_manifest_free(&manifest);
}

cs_status cs_run_check_environment(cs_run *run, const char *tree_path, const cs_record *head, bool quiet,
                                   cs_environment_plan *out, cs_error *error) {
    cs_host host = *run->host;
    if (quiet) host.events = NULL;
    if (!host.registry) return CS_OK;
    cs_buffer cuda = {0};
    cuda_version(run, head, &cuda);
    bool trusted = cs_run_tree_is_trusted(run, cs_buffer_string(&cuda), tree_path);
    cs_buffer_free(&cuda);
    cs_status status = cs_environment_plan_install(&host, tree_path, trusted, CS_ENV_ALL,
                                                   is_responsible(run, head, CS_VARIABLE_CUDA_PATH), out, error);
    for (size_t i = out->count; i-- > 0;) {
        if (is_responsible(run, head, out->changes[i].variable)) continue;
        cs_reg_change_free(&out->changes[i]);
        out->count--;
        for (size_t j = i; j < out->count; j++) out->changes[j] = out->changes[j + 1];
    }
    return status;
}
