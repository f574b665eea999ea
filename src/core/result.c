#include "cudnn_setup/result.h"

#include "cudnn_setup/json.h"
#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/status_view.h"

cs_status cs_warnings_add(cs_warnings *warnings, const char *id, const char *text, cs_error *error) {
    cs_warning warning = {.id = cs_strdup(id), .text = cs_strdup(text)};
    cs_warning *items = cs_realloc(warnings->items, warnings->count + 1, sizeof *items);
    if (items) warnings->items = items;
    if (!items || !warning.id || !warning.text) {
        cs_free(warning.id);
        cs_free(warning.text);
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    warnings->items[warnings->count++] = warning;
    return CS_OK;
}

void cs_warnings_free(cs_warnings *warnings) {
    for (size_t i = 0; i < warnings->count; i++) {
        cs_free(warnings->items[i].id);
        cs_free(warnings->items[i].text);
    }
    cs_free(warnings->items);
    *warnings = (cs_warnings){0};
}

const char *cs_program_text(cs_program program) {
    static const char *const names[] = {
        [CS_PROGRAM_SETUP] = "cudnn-setup", [CS_PROGRAM_DOCTOR] = "cudnn-doctor", [CS_PROGRAM_PROBE] = "cudnn-probe"};
    return names[program];
}

static void put_known(cs_json_writer *json, const char *key, const char *text) {
    if (text) cs_json_put_text(json, key, text);
}

static void put_tree(cs_json_writer *json, const cs_outcome *outcome) {
    if (!outcome->tree_id && !outcome->tree_path) return;
    cs_json_begin(json, "tree", '{');
    put_known(json, "id", outcome->tree_id);
    put_known(json, "path", outcome->tree_path);
    cs_json_end(json, '}');
}

static void put_trust(cs_json_writer *json, const cs_trust *trust) {
    if (trust->kind == CS_TRUST_NONE) return;
    cs_json_begin(json, "trust", '{');
    cs_json_put_text(json, "kind", cs_trust_text(trust->kind));
    if (trust->has_archive_sha256) cs_json_put_hex(json, "archive_sha256", trust->archive_sha256, CS_SHA256_SIZE);
    cs_json_put_hex(json, "manifest_sha256", trust->manifest_sha256, CS_SHA256_SIZE);
    cs_json_put_bool(json, "sample", trust->sample);
    cs_json_end(json, '}');
}

static void put_files(cs_json_writer *json, const cs_outcome *outcome) {
    cs_json_begin(json, "files", '[');
    for (size_t i = 0; i < outcome->file_count; i++) {
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_text(json, "target", outcome->files[i].target);
        cs_json_put_text(json, "state", outcome->files[i].state);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

static void put_registry(cs_json_writer *json, const cs_outcome *outcome) {
    cs_json_begin(json, "registry", '[');
    for (size_t i = 0; i < outcome->value_count; i++) {
        const cs_outcome_value *value = &outcome->values[i];
        cs_json_begin(json, NULL, '{');
        cs_json_put_text(json, "name", value->name);
        cs_json_put_text(json, "type", value->type);
        put_known(json, "old", value->old_text);
        put_known(json, "new", value->new_text);
        cs_value_put_entries(json, &value->diff);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

static void put_proof(cs_json_writer *json, const cs_outcome *outcome) {
    cs_json_begin(json, "proof", '{');
    put_known(json, "files", outcome->proof_files);
    put_known(json, "loading", outcome->proof_loading);
    put_known(json, "gpu", outcome->proof_gpu);
    cs_proof_put_json(json, outcome->proof);
    cs_json_end(json, '}');
}

static void put_in_use(cs_json_writer *json, const cs_holders *holders) {
    cs_json_begin(json, "in_use", '[');
    for (size_t i = 0; i < holders->count; i++) {
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_uint(json, "pid", holders->items[i].pid);
        cs_json_put_text(json, "name", holders->items[i].name);
        cs_json_put_text(json, "module", holders->items[i].module);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

static void put_warnings(cs_json_writer *json, const cs_warnings *warnings) {
    cs_json_begin(json, "warnings", '[');
    for (size_t i = 0; i < warnings->count; i++) {
        cs_json_begin(json, NULL, '{');
        cs_json_put_text(json, "id", warnings->items[i].id);
        cs_json_put_text(json, "text", warnings->items[i].text);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

cs_status cs_result_json(const cs_result_view *view, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    cs_json_writer json = {.out = out, .layout = CS_JSON_PRETTY, .lossy = true};
    const cs_outcome *outcome = view->outcome;
    cs_json_begin(&json, NULL, '{');
    cs_json_put_uint(&json, "schema", CS_RESULT_SCHEMA);
    cs_json_put_text(&json, "program", view->program);
    cs_json_put_text(&json, "verb", view->no_verb ? "none" : cs_verb_text(view->verb));
    cs_json_put_uint(&json, "exit", (uint64_t)view->exit_code);
    cs_json_put_text(&json, "result", cs_result_text(outcome->result));
    cs_json_put_text(&json, "message", cs_buffer_string(&outcome->message));
    if (view->dryrun) cs_json_put_bool(&json, "dryrun", true);
    put_tree(&json, outcome);
    put_trust(&json, &outcome->trust);
    put_files(&json, outcome);
    put_registry(&json, outcome);
    put_proof(&json, outcome);
    put_in_use(&json, &outcome->in_use);
    if (outcome->installations) cs_status_put(outcome->installations, &json);
    put_warnings(&json, view->warnings);
    if (view->log[0]) cs_json_put_text(&json, "log", view->log);
    cs_json_put_uint(&json, "ms", view->ms);
    cs_json_end(&json, '}');
    return cs_json_finish(&json, error);
}
