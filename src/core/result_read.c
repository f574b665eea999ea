/* result_read.c: a /json result read back, as the window has it from the worker. */
#include <string.h>

#include "cudnn_setup/channel.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/proof_detail.h"

enum { MAX_TEXT = 1024 * 1024, MAX_ITEMS = 100000 };

static cs_status status_of_exit(int code) {
    for (int status = CS_STATUS_COUNT - 1; status > CS_E_FORMAT; status--)
        if (cs_exit_code((cs_status)status) == code && status != CS_E_IN_USE) return (cs_status)status;
    return code == CS_EXIT_OK ? CS_OK : code == CS_EXIT_NO_SPACE ? CS_E_NO_SPACE : CS_E_FAILED;
}

static char *maybe_text(const cs_json_at *object, const char *key) {
    return cs_json_text_copy(cs_json_maybe(object, key), 0, MAX_TEXT);
}

static void read_trust(const cs_json_at *root, cs_trust *trust) {
    static const char *const kinds[] = {"none", "pinned", "sealed", "unverified"};
    cs_json_at at = cs_json_maybe(root, "trust");
    if (!at.node) return;
    trust->kind = (cs_trust_kind)cs_json_choice(cs_json_get(&at, "kind"), kinds, 4);
    trust->sample = cs_json_bool(cs_json_get(&at, "sample"));
    cs_json_hex(cs_json_get(&at, "manifest_sha256"), trust->manifest_sha256, CS_SHA256_SIZE);
    cs_json_at archive = cs_json_maybe(&at, "archive_sha256");
    trust->has_archive_sha256 = archive.node != NULL;
    if (archive.node) cs_json_hex(archive, trust->archive_sha256, CS_SHA256_SIZE);
}

static void read_tree(const cs_json_at *root, cs_outcome *out) {
    cs_json_at tree = cs_json_maybe(root, "tree");
    if (!tree.node) return;
    out->tree_id = maybe_text(&tree, "id");
    out->tree_path = maybe_text(&tree, "path");
}

static void read_files(const cs_json_at *root, cs_outcome *out) {
    cs_json_at files = cs_json_get(root, "files");
    size_t count = cs_json_count(&files, 0, MAX_ITEMS);
    for (cs_json_at item = {0}; out->file_count < count && cs_json_each(&files, &item);)
        if (cs_outcome_add_file(out, cs_json_text(cs_json_get(&item, "target"), 1, MAX_TEXT),
                                cs_json_text(cs_json_get(&item, "state"), 1, MAX_TEXT), NULL) != CS_OK)
            cs_json_no_memory(root->reader);
}

static void read_values(const cs_json_at *root, cs_outcome *out) {
    cs_json_at values = cs_json_get(root, "registry");
    size_t count = cs_json_count(&values, 0, MAX_ITEMS);
    out->values = count ? cs_alloc(count, sizeof *out->values) : NULL;
    if (count && !out->values) cs_json_no_memory(root->reader);
    for (cs_json_at item = {0}; out->value_count < count && cs_json_each(&values, &item);) {
        cs_outcome_value *value = &out->values[out->value_count++];
        value->name = cs_json_text_copy(cs_json_get(&item, "name"), 1, MAX_TEXT);
        value->type = cs_json_text_copy(cs_json_get(&item, "type"), 1, MAX_TEXT);
        value->old_text = maybe_text(&item, "old");
        value->new_text = maybe_text(&item, "new");
    }
}

static void read_in_use(const cs_json_at *root, cs_outcome *out) {
    cs_json_at holders = cs_json_get(root, "in_use");
    cs_json_count(&holders, 0, MAX_ITEMS);
    for (cs_json_at item = {0}; cs_json_each(&holders, &item);)
        if (cs_holders_add(&out->in_use, (uint32_t)cs_json_uint(cs_json_get(&item, "pid"), UINT32_MAX),
                           cs_json_text(cs_json_get(&item, "name"), 0, MAX_TEXT),
                           cs_json_text(cs_json_get(&item, "module"), 0, MAX_TEXT), NULL) != CS_OK)
            cs_json_no_memory(root->reader);
}

/* ---- the proof ---- */

/* The sentence is what follows "passed: "; in Chinese the same until somebody says more. */
static void read_stage(const cs_json_at *verdicts, const char *key, const char *told, cs_proof_stage *stage) {
    cs_json_at name = cs_json_maybe(verdicts, key);
    if (!name.node) return;
    stage->known = cs_gpu_verdict_of_name(cs_json_text(name, 1, MAX_TEXT), &stage->verdict);
    const char *colon = told ? strstr(told, ": ") : NULL;
    for (int i = 0; stage->known && i < CS_LANGUAGE_COUNT; i++)
        cs_buffer_text(&stage->sentence[i], colon ? colon + 2 : told ? told : "");
}

static void read_calls(const cs_json_at *proof, cs_proof_detail *detail) {
    cs_json_at calls = cs_json_maybe(proof, "calls");
    size_t count = calls.node ? cs_json_count(&calls, 0, MAX_ITEMS) : 0;
    detail->calls = count ? cs_alloc(count, sizeof *detail->calls) : NULL;
    if (count && !detail->calls) cs_json_no_memory(proof->reader);
    for (cs_json_at item = {0}; detail->calls && detail->call_count < count && cs_json_each(&calls, &item);) {
        cs_json_at first = cs_json_maybe(&item, "first_ns"), later = cs_json_maybe(&item, "later_ns");
        cs_proof_call *call = &detail->calls[detail->call_count++];
        call->operation = maybe_text(&item, "operation");
        call->outcome = maybe_text(&item, "outcome");
        if (first.node) call->first_ns = cs_json_uint(first, CS_JSON_MAX_UINT);
        if (later.node) call->later_ns = cs_json_uint(later, CS_JSON_MAX_UINT);
    }
}

static void read_proof(const cs_json_at *root, cs_outcome *out) {
    cs_json_at proof = cs_json_get(root, "proof"), verdicts;
    out->proof_files = maybe_text(&proof, "files");
    out->proof_loading = maybe_text(&proof, "loading");
    out->proof_gpu = maybe_text(&proof, "gpu");
    verdicts = cs_json_maybe(&proof, "verdicts");
    if (!verdicts.node) return;
    out->proof = cs_alloc(1, sizeof *out->proof);
    if (!out->proof) {
        cs_json_no_memory(root->reader);
        return;
    }
    read_stage(&verdicts, "loading", out->proof_loading, &out->proof->loading);
    read_stage(&verdicts, "gpu", out->proof_gpu, &out->proof->gpu);
    read_calls(&proof, out->proof);
}

static void read_all(const cs_json_at *root, cs_outcome *out, cs_buffer *log) {
    static const char *const results[] = {"done", "already", "cancelled", "failed", "pending", "differs"};
    out->status = status_of_exit((int)cs_json_uint(cs_json_get(root, "exit"), 65535));
    out->result = (cs_result)cs_json_choice(cs_json_get(root, "result"), results, 6);
    cs_buffer_text(&out->message, cs_json_text(cs_json_get(root, "message"), 1, MAX_TEXT));
    cs_json_at path = cs_json_maybe(root, "log");
    cs_buffer_clear(log);
    if (path.node) cs_buffer_text(log, cs_json_text(path, 0, MAX_TEXT));
    read_tree(root, out);
    read_trust(root, &out->trust);
    read_files(root, out);
    read_values(root, out);
    read_proof(root, out);
    read_in_use(root, out);
}

cs_status cs_result_read(const char *bytes, size_t size, cs_outcome *outcome, cs_buffer *log, cs_error *error) {
    const cs_json_limits limits = {.max_bytes = CS_CHANNEL_MAX_FRAME, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_json_reader reader = {.name = "the worker's result", .error = error};
    cs_status status = cs_json_parse(reader.name, bytes, size, &limits, &json, error);
    if (status != CS_OK) return status;
    cs_json_at root = cs_json_root(&reader, json);
    if (cs_json_uint(cs_json_get(&root, "schema"), CS_RESULT_SCHEMA) == CS_RESULT_SCHEMA) read_all(&root, outcome, log);
    cs_json_free(json);
    if (reader.status == CS_OK) status = cs_buffer_check(&outcome->message, error);
    if (reader.status != CS_OK) status = reader.status;
    if (status != CS_OK) cs_outcome_free(outcome);
    return status;
}
