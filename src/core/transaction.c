#include "cudnn_setup/transaction.h"

#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/programs.h"
#include "engine_mutants.h"
#include "record_rules.h"
#include "transaction_internal.h"

enum { RESERVE_BYTES = 1024 * 1024 };

/* ---- what both ends need ---- */

cs_status cs_forward_cancelled(const cs_forward *run, cs_error *error) {
    if (!cs_cancelled(run->engine.host->events)) return CS_OK;
    return cs_fail(error, CS_E_CANCELLED, NULL, NULL, "everything is as before");
}

void cs_forward_close_files(cs_forward *run) {
    for (size_t i = 0; run->files && i < run->record->move_count; i++) {
        run->engine.fs->close(run->engine.fs->ctx, run->files[i]);
        run->files[i] = NULL;
    }
}

/* A new transaction needs a clean state. */
static cs_status expect_nothing_pending(cs_engine *engine, cs_error *error) {
    cs_state_names names;
    if (cs_session_is_set_aside(engine->session, engine->tree_id))
        return cs_fail(error, CS_E_PENDING, "begin", engine->tree_path,
                       "its records cannot be read or are damaged: nothing of it is touched");
    cs_status status = cs_engine_state_names(engine, &names, error);
    if (status == CS_OK && (names.journal || names.committed || names.undone))
        status = cs_fail(error, CS_E_PENDING, "begin", engine->tree_path, "run /recover first");
    return status;
}

/* ---- 3: intent and B ---- */

static cs_status make_private(cs_engine *engine, const char *txid, const char *name, bool may_exist, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_private_path(engine->host, engine->tree_path, txid, name, &path, error);
    if (status == CS_OK) status = cs_engine_make_folder(engine, path.data, error);
    if (status == CS_E_EXISTS && may_exist) status = CS_OK;
    cs_buffer_free(&path);
    return status;
}

static cs_status guard_transaction(cs_engine *engine, const char *name, cs_error *error) {
    cs_buffer relative = {0};
    cs_buffer_format(&relative, CS_NAME_PRIVATE "/%s%s", engine->txid, name);
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = cs_engine_guard(engine, relative.data, error);
    cs_buffer_free(&relative);
    return status;
}

/* Each folder is held as soon as it is there, so that the next one is made inside it and nowhere else. */
static cs_status make_private_folders(cs_engine *engine, cs_error *error) {
    cs_status status = make_private(engine, NULL, NULL, true, error);
    if (status == CS_OK) status = cs_engine_guard(engine, CS_NAME_PRIVATE, error);
    if (status == CS_OK) status = make_private(engine, engine->txid, NULL, false, error);
    if (status == CS_OK) status = guard_transaction(engine, "", error);
    if (status == CS_OK) status = make_private(engine, engine->txid, "new", false, error);
    if (status == CS_OK) status = make_private(engine, engine->txid, "old", false, error);
    if (status == CS_OK) status = guard_transaction(engine, "/new", error);
    if (status == CS_OK) status = guard_transaction(engine, "/old", error);
    if (status == CS_OK) status = cs_engine_make_mark(engine, error);
    return status == CS_OK ? cs_engine_sync_tree(engine, error) : status;
}

/* A tree that was located as gone has no volume: there is nothing to move in it, and no B to move it to. */
static bool was_there(const cs_tree *tree) { return tree->volume[0] != '\0'; }

static cs_status hold_root(cs_engine *engine, const cs_tree *tree, cs_error *error) {
    cs_status status = cs_engine_guard(engine, "", error);
    if (status == CS_E_NOT_FOUND) return cs_fail(error, CS_E_CHANGED, "begin", tree->path, "the folder is gone");
    if (status == CS_OK && !cs_file_id_equal(&engine->guards[0].id, &tree->root))
        status = cs_fail(error, CS_E_CHANGED, "begin", tree->path, "another folder stands in its place");
    return status;
}

cs_status cs_transaction_begin(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error) {
    cs_error unused = {0};
    if (!error) error = &unused;
    if (!cs_txid_valid(txid)) return cs_fail(error, CS_E_NAME, "begin", txid, "not a transaction id");
    cs_engine engine = cs_engine_start(session, tree->id, tree->path, txid);
    cs_status status = expect_nothing_pending(&engine, error);
    if (status == CS_OK) status = cs_engine_make_state(&engine, error);
    if (status == CS_OK) status = cs_engine_write_intent(&engine, error);
    if (status == CS_OK && was_there(tree)) status = hold_root(&engine, tree, error);
    if (status == CS_OK && was_there(tree)) status = make_private_folders(&engine, error);
    if (status == CS_OK) cs_engine_give_guards(&engine); /* whatever is staged is staged below held folders */
    cs_engine_end(&engine);
    return status;
}

cs_status cs_transaction_drop_archive(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error) {
    if (!session->held_count) return CS_OK;
    cs_engine engine = cs_engine_start(session, tree->id, tree->path, txid);
    cs_buffer path = {0};
    cs_status status = cs_engine_private_path(engine.host, tree->path, txid, "archive", &path, error);
    if (status == CS_OK) status = cs_engine_drop(&engine, path.data, NULL, error);
    cs_buffer_free(&path);
    cs_engine_end(&engine);
    return status;
}

/* The present head, or nothing: what the collecting may not touch. */
static cs_status read_head(const cs_engine *engine, cs_record *out, bool *there, cs_error *error) {
    cs_status status = cs_engine_read_record(engine->session, engine->tree_id, "head", out, error);
    *there = status == CS_OK;
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

cs_status cs_transaction_abandon(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error) {
    cs_error unused = {0};
    if (!error) error = &unused;
    cs_engine engine = cs_engine_start(session, tree->id, tree->path, txid);
    cs_record head = {0};
    bool there = false;
    cs_engine_take_guards(&engine); /* they end with this run of the engine, whatever it comes to */
    cs_status status = expect_nothing_pending(&engine, error);
    if (status == CS_OK) status = read_head(&engine, &head, &there, error);
    if (status == CS_OK) status = cs_engine_collect(&engine, there ? &head : NULL, error);
    cs_record_free(&head);
    cs_engine_end(&engine);
    return status;
}

/* ---- 5: the journal ---- */

static cs_status put_journal(cs_forward *run, const cs_buffer *bytes, cs_error *error) {
    cs_engine *engine = &run->engine;
    cs_buffer path = {0}, name = {0};
    cs_file *file = NULL;
    const char *temporary = CS_MUTANT(OTHER_NAME) ? "journal.new" : "journal.tmp";
    cs_status status = cs_engine_drop_state(engine, temporary, error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, temporary, &path, error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, "journal", &name, error);
    if (status == CS_OK) status = cs_engine_write_file(engine, path.data, bytes->data, bytes->size, &file, error);
    if (status == CS_OK) status = cs_engine_rename(engine, file, name.data, false, error);
    engine->fs->close(engine->fs->ctx, file);
    cs_buffer_free(&path);
    cs_buffer_free(&name);
    /* F3: durable, under its name, before anything below. */
    return status == CS_OK && !CS_MUTANT(JOURNAL_NAME_UNSYNCED) ? cs_engine_sync_state(engine, error) : status;
}

/* Room for the undo on a disk that fills up meanwhile. */
static cs_status make_reserve(cs_forward *run, cs_error *error) {
    cs_engine *engine = &run->engine;
    cs_buffer path = {0};
    cs_file *file = NULL;
    cs_status status = cs_engine_drop_state(engine, "reserve", error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, "reserve", &path, error);
    if (status == CS_OK) status = cs_engine_open(engine, path.data, CS_OPEN_CREATE, &file, error);
    if (status == CS_OK) status = engine->fs->set_size(engine->fs->ctx, file, RESERVE_BYTES, error);
    engine->fs->close(engine->fs->ctx, file);
    cs_buffer_free(&path);
    return status;
}

/* ---- 6 ---- */

static cs_status turn_service_on(cs_forward *run, cs_error *error) {
    const cs_host *host = run->engine.host;
    cs_buffer program = {0};
    cs_status status = cs_path_join(&program, host->fs->separator, run->engine.session->programs, CS_PROGRAM_NAME_SETUP, error);
    if (status == CS_OK) status = host->system->set_recovery_service(host->system->ctx, true, program.data, error);
    if (status == CS_OK && host->registry) status = host->registry->flush(host->registry->ctx, CS_HKLM, CS_KEY_SERVICES, error);
    cs_buffer_free(&program);
    return status;
}

/* A crash from here on is found by the service at the next start of Windows; its program is in P since step 2. Without it (an
 * older one may be marked for deletion, or a policy forbids services) the journal alone is enough for /recover. */
static void ask_for_service(cs_forward *run) {
    cs_error error = {0};
    if (turn_service_on(run, &error) == CS_OK) return;
    char text[512];
    cs_error_text(&error, text, sizeof text);
    cs_emit(
        run->engine.host->events, CS_EVENT_WARNING, "service.unavailable",
        "a crash or power cut during this run would not be mended by itself at the next start of Windows, but by the next run "
        "or by /recover: %s",
        text);
}

/* ---- the run ---- */

/* Before the journal. A failure here has changed nothing. */
static cs_status prepare(cs_forward *run, cs_buffer *journal, cs_error *error) {
    cs_status status = expect_nothing_pending(&run->engine, error);
    if (status == CS_OK) status = cs_record_write(run->record, journal, error);
    if (status == CS_OK) status = cs_forward_check(run, error);
    /* F2: the staged files were flushed one by one; their names are made durable here. */
    if (status == CS_OK) status = cs_engine_sync_tree(&run->engine, error);
    return status == CS_OK ? cs_forward_cancelled(run, error) : status;
}

/* From the journal to everything durable. A failure in here is undone. */
static cs_status apply(cs_forward *run, const cs_buffer *journal, cs_error *error) {
    const cs_events *events = run->engine.host->events;
    cs_emit(events, CS_EVENT_STEP, "journal", "Recording what is going to change");
    cs_status status = put_journal(run, journal, error);
    run->journaled = status == CS_OK;
    if (status == CS_OK) status = make_reserve(run, error);
    if (status == CS_OK) ask_for_service(run);
    if (status == CS_OK) cs_emit(events, CS_EVENT_STEP, "files", "Changing files");
    if (status == CS_OK) status = cs_forward_files(run, error);
    if (status == CS_OK) cs_emit(events, CS_EVENT_STEP, "registry", "Changing the environment");
    if (status == CS_OK) status = cs_forward_registry(run, error);
    return status == CS_OK ? cs_forward_durable(run, error) : status;
}

/* What is under which name after a failure: journal (undo it), nothing (nothing was done), anything else (touch nothing). */
static cs_status undo_journal(cs_forward *run, cs_error *error) {
    cs_engine *engine = &run->engine;
    cs_state_names names;
    cs_status status = cs_engine_state_names(engine, &names, error);
    if (status == CS_OK && (names.committed || names.undone || (run->journaled && !names.journal)))
        status = cs_fail(error, CS_E_FORMAT, "undo", engine->tree_path, "the records are not as this run left them");
    if (status == CS_OK && names.temporary) status = cs_engine_drop_state(engine, "journal.tmp", error);
    if (status == CS_OK && names.journal) status = cs_engine_undo(engine, run->record, error);
    return status;
}

static void collect_after_undo(cs_forward *run) {
    cs_record head = {0};
    bool there = false;
    cs_error ignored = {0};
    if (read_head(&run->engine, &head, &there, &ignored) == CS_OK) cs_engine_collect_quietly(&run->engine, there ? &head : NULL);
    cs_record_free(&head);
}

/* Leaves *error as the failure that led here, or CS_E_PENDING if the undo cannot be finished now. */
static cs_status take_back(cs_forward *run, cs_error *error) {
    cs_error cause = *error, undo = {0};
    cs_forward_close_files(run);
    cs_emit(run->engine.host->events, CS_EVENT_STEP, "undo", "Taking the changes back");
    if (undo_journal(run, &undo) == CS_OK || CS_MUTANT(PENDING_HIDDEN)) {
        collect_after_undo(run);
        *error = cause;
        /* What was staged is gone with the undo: planning again is no use. */
        if (error->status == CS_E_CHANGED) error->status = CS_E_FAILED;
        return error->status;
    }
    char first[256], second[256];
    cs_error_text(&cause, first, sizeof first);
    cs_error_text(&undo, second, sizeof second);
    return cs_fail(error, CS_E_PENDING, "undo", run->engine.tree_path, "%s; taking it back is not finished: %s", first, second);
}

/* 10, the one moment at which the new state becomes the true one. */
static cs_status commit(cs_forward *run, cs_error *error) {
    cs_engine *engine = &run->engine;
    cs_emit(engine->host->events, CS_EVENT_STEP, "commit", "Making it final");
    cs_status status = cs_engine_rename_state(engine, "journal", "committed", false, error);
    if (status != CS_OK) return take_back(run, error);
    cs_error flush = {0};
    if (CS_MUTANT(COMMIT_UNSYNCED) || cs_engine_sync_state(engine, &flush) == CS_OK) return CS_OK;
    char text[512];
    cs_error_text(&flush, text, sizeof text);
    return cs_fail(error, CS_E_PENDING, "commit", engine->tree_path,
                   "the change is made but may not survive a power cut; /recover goes on: %s", text);
}

/* 11 and 12: the new state stands whatever happens here. */
static void clean(cs_forward *run) {
    cs_error error = {0};
    cs_emit(run->engine.host->events, CS_EVENT_STEP, "clean", "Tidying up");
    if (cs_engine_clean(&run->engine, run->record, &error) == CS_OK || CS_MUTANT(WARNING_MISSING)) return;
    char text[512];
    cs_error_text(&error, text, sizeof text);
    cs_emit(run->engine.host->events, CS_EVENT_WARNING, "clean.incomplete", "the next run finishes tidying up: %s", text);
}

static cs_status run_forward(cs_forward *run, cs_error *error) {
    cs_buffer journal = {0};
    cs_status status = prepare(run, &journal, error);
    if (status == CS_OK) {
        status = apply(run, &journal, error);
        status = status == CS_OK ? commit(run, error) : take_back(run, error);
        if (status == CS_OK) clean(run);
    } else {
        cs_engine_give_guards(&run->engine); /* nothing was done: what is staged stays held for another plan, or to be dropped */
    }
    cs_buffer_free(&journal);
    return status;
}

cs_status cs_transaction_commit(cs_session *session, const cs_tree *tree, const cs_record *record, cs_error *error) {
    cs_error unused = {0};
    if (!error) error = &unused;
    if (strcmp(record->tree_id, tree->id) != 0 || strcmp(record->tree_path, tree->path) != 0)
        return cs_fail(error, CS_E_CHANGED, "begin", tree->path, "the plan is for another tree");
    cs_forward run = {.engine = cs_engine_start(session, tree->id, tree->path, record->txid), .tree = tree, .record = record};
    cs_engine_take_guards(&run.engine);
    run.files = cs_alloc(record->move_count + 1, sizeof(cs_file *));
    cs_status status = run.files ? run_forward(&run, error) : cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_forward_close_files(&run);
    cs_free(run.files);
    cs_engine_end(&run.engine);
    return status;
}
