/* Section 3 over every tree of P\state. */
#include <string.h>

#include "cudnn_setup/derive.h"
#include "engine.h"

static bool is_pending(const cs_state_names *names) { return names->journal || names->committed || names->undone; }

/* Finishes or undoes. *settled: the tree was also collected. */
static cs_status finish_pending(cs_engine *engine, const cs_tree_records *state, bool *settled, cs_error *error) {
    const cs_record *record = &state->pending;
    cs_emit(engine->host->events, CS_EVENT_NOTE, "recover",
            state->names.committed ? "Finishing an interrupted change of %s" : "Taking back an interrupted change of %s",
            record->tree_path);
    *settled = state->names.committed;
    if (state->names.committed) return cs_engine_clean(engine, record, error);
    return state->names.journal ? cs_engine_undo(engine, record, error) : cs_engine_finish_undone(engine, record, error);
}

/* A tree that only an intent knows: its run ended before the journal. A torn intent was never acted upon. */
static cs_status collect_by_intent(cs_session *session, const char *tree_id, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_read_intent(session, tree_id, &path, error);
    bool torn = status == CS_E_FORMAT || status == CS_E_TOO_BIG || status == CS_E_NOT_FOUND;
    if (status == CS_OK || torn) {
        cs_engine engine = cs_engine_start(session, tree_id, torn ? NULL : path.data, NULL);
        cs_engine_collect_quietly(&engine, NULL);
        cs_engine_end(&engine);
        status = CS_OK;
    }
    cs_buffer_free(&path);
    return status;
}

/* A run that ended before its journal may have been at work where the tree is now, not where the record has it. */
static void collect_elsewhere(cs_session *session, const char *tree_id, const cs_record *known, const cs_record *head) {
    cs_buffer path = {0};
    cs_error ignored = {0};
    if (cs_engine_read_intent(session, tree_id, &path, &ignored) == CS_OK && strcmp(path.data, known->tree_path) != 0) {
        cs_engine engine = cs_engine_start(session, tree_id, path.data, NULL);
        cs_engine_collect_quietly(&engine, head);
        cs_engine_end(&engine);
    }
    cs_buffer_free(&path);
}

static cs_status recover_loaded(cs_session *session, const char *tree_id, const cs_tree_records *state, cs_error *error) {
    bool pending = is_pending(&state->names), settled = false;
    const cs_record *known = pending ? &state->pending : state->names.head ? &state->head : NULL;
    if (!known) return collect_by_intent(session, tree_id, error);
    cs_engine engine = cs_engine_start(session, tree_id, known->tree_path, known->txid);
    cs_status status = CS_OK;
    if (pending) status = finish_pending(&engine, state, &settled, error);
    if (pending && status == CS_OK) *(state->names.committed ? &session->finished : &session->taken_back) += 1;
    if (status == CS_OK && state->names.intent)
        collect_elsewhere(session, tree_id, known, settled ? known : state->names.head ? &state->head : NULL);
    if (status == CS_OK && !settled) {
        if (state->names.head)
            cs_engine_clean_head(&engine, &state->head);
        else
            cs_engine_collect_quietly(&engine, NULL);
    }
    cs_engine_end(&engine);
    return status;
}

bool cs_session_is_set_aside(const cs_session *session, const char *tree_id) {
    for (size_t i = 0; i < session->set_aside.count; i++)
        if (strcmp(session->set_aside.items[i], tree_id) == 0) return true;
    return false;
}

/* Whatever is wrong with a tree's records is that tree's affair. Without memory nothing is known of any. */
static bool set_aside(cs_session *session, const char *tree_id, cs_status status) {
    return status != CS_E_NO_MEMORY && cs_strings_add(&session->set_aside, tree_id, NULL) == CS_OK;
}

static cs_status recover_tree(cs_session *session, const char *tree_id, bool *did_work, cs_error *error) {
    cs_tree_records state;
    cs_engine engine = cs_engine_start(session, tree_id, NULL, NULL);
    cs_status status = cs_engine_load_records(&engine, &state, error);
    bool loaded = status == CS_OK;
    if (loaded && is_pending(&state.names)) *did_work = true;
    /* Never read: it may be torn, and nothing was done under it. */
    if (status == CS_OK && state.names.temporary) status = cs_engine_drop_state(&engine, "journal.tmp", error);
    cs_engine_end(&engine);
    if (status == CS_OK) status = recover_loaded(session, tree_id, &state, error);
    cs_tree_records_free(&state);
    if (status != CS_OK && (loaded || !set_aside(session, tree_id, status))) session->unfinished = true;
    return status;
}

static void report(const cs_session *session, const char *tree_id, const cs_error *error) {
    char text[1024];
    cs_error_text(error, text, sizeof text);
    cs_emit(session->host->events, CS_EVENT_WARNING, "recover.pending", "tree %s: %s", tree_id, text);
}

/* Derived state follows the records; a run that ended between the two left the service on. */
static void derive(cs_session *session, bool did_work) {
    const cs_system *system = session->host->system;
    cs_error error = {0};
    if (!did_work && !system->recovery_service(system->ctx)) return;
    if (cs_derive(session, &error) == CS_OK) return;
    char text[1024];
    cs_error_text(&error, text, sizeof text);
    cs_emit(session->host->events, CS_EVENT_WARNING, "derive.failed", "%s", text);
}

cs_status cs_session_recover(cs_session *session, bool *did_work, cs_error *error) {
    cs_error unused = {0}, first = {0};
    cs_strings trees = {0};
    if (!error) error = &unused;
    *did_work = false;
    session->unfinished = false;
    cs_strings_free(&session->set_aside);
    cs_status status = cs_session_trees(session, &trees, error);
    if (status != CS_OK) session->unfinished = true;
    if (status != CS_OK) return status;
    for (size_t i = 0; i < trees.count; i++) {
        cs_error one = {0};
        if (recover_tree(session, trees.items[i], did_work, &one) == CS_OK) continue;
        /* One that was set aside is told of where the trees are loaded, with the way out. */
        if (!cs_session_is_set_aside(session, trees.items[i])) report(session, trees.items[i], &one);
        if (first.status == CS_OK) first = one;
    }
    cs_strings_free(&trees);
    derive(session, *did_work);
    if (first.status == CS_OK) return CS_OK;
    char text[512];
    cs_error_text(&first, text, sizeof text);
    return cs_fail(error, CS_E_PENDING, "recover", NULL, "%s: %s",
                   session->unfinished ? "interrupted work cannot be finished now" : "a record cannot be believed", text);
}
