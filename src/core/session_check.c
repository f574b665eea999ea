/* The records of one tree, read and found whole and consistent with each other before anything is believed. What no run of ours
 * leaves behind was damaged, restored by halves or planted: then nothing of this tree is touched. */
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "engine.h"
#include "record_rules.h"

static bool is_pending(const cs_state_names *names) { return names->journal || names->committed || names->undone; }

static const char *pending_name(const cs_state_names *names) {
    return names->journal ? "journal" : names->committed ? "committed" : "undone";
}

static cs_status bad(const cs_engine *engine, const char *name, const char *what, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, name, &path, error);
    if (status == CS_OK) status = cs_fail(error, CS_E_FORMAT, "read", path.data, "%s", what);
    cs_buffer_free(&path);
    return status;
}

static cs_status check_names(const cs_engine *engine, const cs_state_names *names, cs_error *error) {
    if (names->journal + names->committed + names->undone <= 1) return CS_OK;
    return bad(engine, NULL, "more than one of journal, committed and undone stand there, and no run leaves that", error);
}

/* ---- a journal that follows the head ---- */

/* A transaction has an id of its own: one that the head knows is finished, and its journal is a copy that somebody put there. */
static bool knows_txid(const cs_record *head, const char *txid) {
    if (strcmp(head->txid, txid) == 0) return true;
    for (size_t i = 0; i < head->stack_count; i++)
        if (strcmp(head->stack[i].txid, txid) == 0) return true;
    for (size_t i = 0; i < head->parked_count; i++)
        if (strcmp(head->parked[i].blob.txid, txid) == 0) return true;
    return false;
}

static cs_status check_follows(const cs_engine *engine, const cs_tree_records *records, cs_error *error) {
    if (!records->names.head || !is_pending(&records->names) || !knows_txid(&records->head, records->pending.txid)) return CS_OK;
    return bad(engine, pending_name(&records->names), "it belongs to a change that is finished: an old copy was put there",
               error);
}

/* ---- targets ---- */

static bool contains_ascii_case(const char *text, const char *part) {
    char piece[16];
    size_t size = strlen(part);
    for (; strlen(text) >= size; text++) {
        snprintf(piece, sizeof piece, "%.*s", (int)size, text);
        if (cs_text_equal_ascii_case(piece, part)) return true;
    }
    return false;
}

/* Where the manifest itself is gone, the names of cuDNN's own files are as far as a record's word goes: nothing of CUDA's. */
static bool is_cudnn_name(const char *target) {
    const char *name = cs_path_name(target);
    if (name == target) return contains_ascii_case(name, "cudnn");
    char start[6];
    snprintf(start, sizeof start, "%s", name);
    return cs_text_equal_ascii_case(start, "cudnn");
}

static cs_status find_manifest(const cs_session *session, const char *tree_id, const uint8_t sha256[CS_SHA256_SIZE],
                               cs_manifest *out, bool *there, cs_error *error) {
    static const uint8_t none[CS_SHA256_SIZE]; /* no manifest has this hash */
    *there = false;
    if (memcmp(sha256, none, sizeof none) == 0) return CS_OK;
    cs_status status = cs_session_kept_manifest(session, tree_id, sha256, out, error);
    *there = status == CS_OK;
    size_t size = 0;
    const char *bytes = NULL;
    for (size_t i = 0; status != CS_OK && status != CS_E_NO_MEMORY && (bytes = cs_manifest_embedded(i, &size)) != NULL; i++) {
        status = cs_manifest_parse("the built-in manifest", bytes, size, out, error);
        *there = status == CS_OK && memcmp(out->sha256, sha256, CS_SHA256_SIZE) == 0;
        if (*there) return CS_OK;
        cs_manifest_free(out);
        status = status == CS_E_NO_MEMORY ? status : CS_E_NOT_FOUND;
    }
    return status == CS_E_NO_MEMORY ? status : CS_OK;
}

static cs_status check_rows(const cs_engine *engine, const char *name, const cs_receipt *receipt, cs_error *error) {
    cs_manifest manifest = {0};
    cs_error ignored = {0};
    bool there = false;
    char what[CS_RECORD_MAX_TEXT + 80];
    cs_status status =
        find_manifest(engine->session, engine->tree_id, receipt->trust.manifest_sha256, &manifest, &there, &ignored);
    if (status != CS_OK && error) *error = ignored;
    for (size_t i = 0; i < receipt->row_count && status == CS_OK; i++) {
        const char *target = receipt->rows[i].target;
        if (there ? cs_manifest_find_target(&manifest, target) < manifest.file_count : is_cudnn_name(target)) continue;
        snprintf(what, sizeof what, "it names %s, which is none of the package's files", target);
        status = bad(engine, name, what, error);
    }
    cs_manifest_free(&manifest);
    return status;
}

static cs_status check_stack(const cs_engine *engine, const char *name, const cs_record *record, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < record->stack_count && status == CS_OK; i++)
        status = check_rows(engine, name, &record->stack[i], error);
    return status;
}

static bool has_row(const cs_record *record, const char *target) {
    for (size_t i = 0; i < record->stack_count; i++)
        for (size_t k = 0; k < record->stack[i].row_count; k++)
            if (cs_text_equal_ascii_case(record->stack[i].rows[k].target, target)) return true;
    return false;
}

/* What moves is a row of the receipts before or after it. Under `committed` nothing moves any more, and the head that knew what
 * left may be gone. */
static cs_status check_moves(const cs_engine *engine, const cs_tree_records *records, cs_error *error) {
    char what[CS_RECORD_MAX_TEXT + 80];
    for (size_t i = 0; !records->names.committed && i < records->pending.move_count; i++) {
        const char *target = records->pending.moves[i].target;
        if (has_row(&records->pending, target) || has_row(&records->head, target)) continue;
        snprintf(what, sizeof what, "it moves %s, which no receipt names", target);
        return bad(engine, pending_name(&records->names), what, error);
    }
    return CS_OK;
}

/* ---- all of it ---- */

static cs_status load(cs_engine *engine, cs_tree_records *out, cs_error *error) {
    cs_status status = cs_engine_state_names(engine, &out->names, error);
    if (status == CS_OK) status = check_names(engine, &out->names, error);
    if (status == CS_OK && out->names.head)
        status = cs_engine_read_record(engine->session, engine->tree_id, "head", &out->head, error);
    if (status == CS_OK && is_pending(&out->names))
        status = cs_engine_read_record(engine->session, engine->tree_id, pending_name(&out->names), &out->pending, error);
    if (status == CS_OK) status = check_follows(engine, out, error);
    if (status == CS_OK) status = check_stack(engine, "head", &out->head, error);
    if (status == CS_OK) status = check_stack(engine, pending_name(&out->names), &out->pending, error);
    return status == CS_OK ? check_moves(engine, out, error) : status;
}

cs_status cs_engine_load_records(cs_engine *engine, cs_tree_records *out, cs_error *error) {
    cs_error unused = {0};
    *out = (cs_tree_records){0};
    return load(engine, out, error ? error : &unused);
}

void cs_tree_records_free(cs_tree_records *records) {
    cs_record_free(&records->pending);
    cs_record_free(&records->head);
}

cs_status cs_session_head(const cs_session *session, const char *tree, cs_record *out, cs_pending *pending, cs_error *error) {
    cs_session reading = *session; /* nothing of it is changed */
    cs_engine engine = cs_engine_start(&reading, tree, NULL, NULL);
    cs_tree_records records;
    engine.impatient = !session->lock; /* a look by whoever wants one, perhaps without the right to: no waiting */
    *out = (cs_record){0};
    cs_status status = cs_engine_load_records(&engine, &records, error);
    const cs_state_names *names = &records.names;
    if (pending)
        *pending = names->committed ? CS_PENDING_COMMITTED
                   : names->undone  ? CS_PENDING_UNDONE
                   : names->journal ? CS_PENDING_JOURNAL
                                    : CS_PENDING_NONE;
    if (status == CS_OK && !names->committed && !names->head)
        status = cs_fail(error, CS_E_NOTHING, "read", tree, "nothing of ours is installed in this tree");
    if (status == CS_OK) {
        cs_record *from = names->committed ? &records.pending : &records.head;
        *out = *from;
        *from = (cs_record){0};
    }
    cs_tree_records_free(&records);
    return status;
}
