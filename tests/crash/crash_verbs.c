#include "crash_verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/hash.h"
#include "cudnn_setup/plan.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/trees.h"

unsigned crash_rows = 3;

typedef struct work {
    const cs_host *host;
    cs_session session;
    cs_tree_place place;
    cs_known_tree known;
    bool has_head, begun;
    char txid[CS_ID_HEX + 1];
    cs_environment_plan environment;
    cs_stage stage;
    cs_plan plan;
    cs_error *error;
} work;

/* ---- the package ---- */

static const char *const targets[CRASH_ROWS_MAX] = {"bin/cudnn64_8.dll", "include/cudnn.h", "lib/x64/cudnn.lib",
                                                    "NVIDIA_SLA_cuDNN_Support.txt"};
static const char *const roles[CRASH_ROWS_MAX] = {"dll", "header", "lib", "licence"};

const char *crash_target(unsigned row) { return targets[row]; }

const char *crash_row_text(const char *version, unsigned row) {
    static char texts[16][32];
    static unsigned next;
    char *text = texts[next++ % 16];
    snprintf(text, sizeof texts[0], "%s row %u", version, row);
    return text;
}

static const cs_manifest *manifest_of(const char *version) {
    static cs_manifest both[2];
    cs_manifest *manifest = &both[strcmp(version, "8.0.3") == 0];
    if (manifest->file_count) return manifest;
    cs_buffer json = {0};
    cs_error error = {0};
    cs_buffer_format(&json,
                     "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"%s.33\", \"cudnn_version\": %u, \"cuda\": \"10.1\", "
                     "\"sample\": true, \"archive\": {\"names\": [\"sample.zip\"]}, \"files\": [",
                     version, strcmp(version, "8.0.3") == 0 ? 8003u : 8002u);
    for (unsigned i = 0; i < crash_rows; i++) {
        uint8_t digest[CS_SHA256_SIZE];
        char hex[CS_SHA256_HEX + 1];
        const char *text = crash_row_text(version, i);
        if (cs_sha256_bytes(text, strlen(text), digest, NULL) != CS_OK) abort();
        cs_hex(digest, sizeof digest, hex);
        cs_buffer_format(&json, "%s{\"source\": \"%s\", \"target\": \"%s\", \"kind\": \"%s\", \"size\": %u, \"sha256\": \"%s\"}",
                         i ? ", " : "", targets[i], targets[i], roles[i], (unsigned)strlen(text), hex);
    }
    cs_buffer_text(&json, "]}");
    if (cs_manifest_parse("sample", json.data, json.size, manifest, &error) != CS_OK) {
        char line[1024];
        cs_error_text(&error, line, sizeof line);
        fprintf(stderr, "crash explorer: %s\n", line);
        abort();
    }
    cs_buffer_free(&json);
    return manifest;
}

/* ---- the parts of a run ---- */

static const cs_record *head_of(const work *w) { return w->has_head ? &w->known.head : NULL; }

static const cs_receipt *top_of(const work *w) { return cs_trees_top(&w->known.head); }

static cs_status find_tree(work *w) {
    cs_status status = cs_tree_open(w->host, CRASH_TREE, &w->place.tree, w->error);
    bool gone = status == CS_E_NOT_FOUND;
    cs_strings trees = {0};
    if (status == CS_OK) memcpy(w->known.id, w->place.tree.id, sizeof w->known.id);
    if (gone) {
        status = cs_session_trees(&w->session, &trees, w->error);
        if (status == CS_OK && trees.count == 1) memcpy(w->known.id, trees.items[0], sizeof w->known.id);
    }
    cs_strings_free(&trees);
    if (status != CS_OK) return status;
    status = cs_session_head(&w->session, w->known.id, &w->known.head, &w->known.pending, w->error);
    w->has_head = status == CS_OK;
    if (status == CS_E_NOTHING) status = CS_OK;
    if (status == CS_OK && gone) status = cs_tree_locate(w->host, &w->known, NULL, &w->place, w->error);
    return status;
}

static cs_status begin(work *w) {
    cs_status status = cs_programs_ensure(&w->session, w->error);
    if (status == CS_OK) status = cs_plan_new_txid(w->host, w->txid, w->error);
    if (status == CS_OK) status = cs_transaction_begin(&w->session, &w->place.tree, w->txid, w->error);
    w->begun = status == CS_OK;
    return status;
}

/* What cs_stage_unpack does, with bytes from memory. */
static cs_status stage_row(work *w, unsigned row, const char *text) {
    const cs_sink sink = cs_stage_sink(&w->stage);
    cs_status status = sink.begin(sink.ctx, row, strlen(text), w->error);
    if (status == CS_OK) status = sink.write(sink.ctx, row, text, strlen(text), w->error);
    return status == CS_OK ? sink.end(sink.ctx, row, &w->stage.staged[row], w->error) : status;
}

static cs_status stage(work *w, const cs_manifest *manifest, const char *version, const bool *only) {
    cs_stage_start(&w->stage, w->host, w->place.tree.path, w->txid, manifest);
    cs_status status = CS_OK;
    for (unsigned i = 0; i < manifest->file_count && status == CS_OK; i++) {
        w->stage.wanted[i] = !only || only[i];
        w->stage.staged[i].size = manifest->files[i].size;
        memcpy(w->stage.staged[i].sha256, manifest->files[i].sha256, CS_SHA256_SIZE);
        status = stage_row(w, i, crash_row_text(version, i));
    }
    cs_stage_end(&w->stage);
    return status;
}

static cs_status commit(work *w, bool *done) {
    cs_status status = cs_transaction_commit(&w->session, &w->place.tree, &w->plan.record, w->error);
    if (status == CS_OK) *done = true;
    return status;
}

/* ---- the verbs ---- */

static cs_status install(work *w, const char *version, bool *done) {
    const cs_manifest *manifest = manifest_of(version);
    cs_status status =
        cs_environment_plan_install(w->host, w->place.tree.path, true, CS_ENV_ALL, false, &w->environment, w->error);
    if (status == CS_OK) status = begin(w);
    if (status == CS_OK) status = stage(w, manifest, version, NULL);
    cs_install_input input = {.manifest = manifest,
                              .trust = {.kind = CS_TRUST_SEALED, .sample = true},
                              .stage = &w->stage,
                              .head = head_of(w),
                              .environment = &w->environment,
                              .now = w->host->system->now(w->host->system->ctx)};
    memcpy(input.trust.manifest_sha256, manifest->sha256, CS_SHA256_SIZE);
    if (status == CS_OK) status = cs_plan_install(&w->plan, w->host, &w->place.tree, w->txid, &input, w->error);
    if (status != CS_OK) return status;
    const cs_receipt *top = w->has_head ? top_of(w) : NULL;
    if (top && !cs_plan_changes(&w->plan) && top->cudnn_version == manifest->cudnn_version)
        return cs_transaction_abandon(&w->session, &w->place.tree, w->txid, w->error);
    status = cs_session_keep_manifest(&w->session, w->place.tree.id, manifest, w->error);
    return status == CS_OK ? commit(w, done) : status;
}

static cs_status undo(work *w, cs_kind kind, size_t depth, bool *done) {
    const cs_record *head = head_of(w);
    if (!head || !head->stack_count) return cs_fail(w->error, CS_E_NOTHING, "undo", CRASH_TREE, NULL);
    if (depth > head->stack_count) depth = head->stack_count;
    cs_status status = begin(w);
    if (status == CS_OK)
        status = cs_environment_plan_undo(w->host, head->tree_path, &head->stack[head->stack_count - depth], depth, NULL, 0,
                                          &w->environment, w->error);
    if (status == CS_OK)
        status = cs_plan_undo(&w->plan, w->host, &w->place.tree, w->txid, kind, head, depth, w->place.strangers, w->place.gone,
                              w->error);
    if (status == CS_OK) status = cs_plan_add_changes(&w->plan, &w->environment, w->error);
    return status == CS_OK ? commit(w, done) : status;
}

static cs_status repair(work *w, bool *done) {
    const cs_record *head = head_of(w);
    bool bad[CS_MANIFEST_MAX_FILES] = {false};
    size_t count = 0;
    if (!head || !head->stack_count) return cs_fail(w->error, CS_E_NOTHING, "repair", CRASH_TREE, NULL);
    const char *version = top_of(w)->cudnn_version == 8003 ? "8.0.3" : "8.0.2";
    cs_status status = cs_plan_find_bad(w->host, w->place.tree.path, top_of(w), bad, &count, w->error);
    if (status == CS_OK)
        status = cs_environment_plan_install(w->host, w->place.tree.path, true, CS_ENV_ALL, false, &w->environment, w->error);
    if (status != CS_OK || (!count && !w->environment.count)) return status;
    status = begin(w);
    if (status == CS_OK && count) status = stage(w, manifest_of(version), version, bad);
    if (status == CS_OK)
        status = cs_plan_repair(&w->plan, w->host, &w->place.tree, w->txid, head, bad, count ? &w->stage : NULL, w->error);
    if (status == CS_OK) status = cs_plan_add_changes(&w->plan, &w->environment, w->error);
    return status == CS_OK ? commit(w, done) : status;
}

static cs_status act(work *w, crash_verb verb, bool *done) {
    switch (verb) {
    case CRASH_INSTALL_802:
        return install(w, "8.0.2", done);
    case CRASH_INSTALL_803:
        return install(w, "8.0.3", done);
    case CRASH_UNINSTALL:
        return undo(w, CS_KIND_UNINSTALL, SIZE_MAX, done);
    case CRASH_ROLLBACK:
        return undo(w, CS_KIND_ROLLBACK, 1, done);
    case CRASH_REPAIR:
        return repair(w, done);
    default:
        return CS_OK;
    }
}

static void release(work *w) {
    cs_plan_free(&w->plan);
    cs_environment_plan_free(&w->environment);
    cs_record_free(&w->known.head);
    cs_tree_place_free(&w->place);
}

cs_status crash_verb_run(crash_machine *machine, crash_verb verb, uint64_t seed, bool *done, cs_error *error) {
    bool did_work, unused = false;
    cs_error ignored = {0};
    work w = {.host = &machine->host, .error = error ? error : &ignored};
    if (!done) done = &unused;
    if (verb == CRASH_INSTALL_802 || verb == CRASH_INSTALL_803 || verb == CRASH_REPAIR) { /* made before anything can fail */
        manifest_of("8.0.2");
        manifest_of("8.0.3");
    }
    machine->random = seed;
    cs_status status = cs_session_open(w.host, &w.session, w.error);
    if (status != CS_OK) return status;
    status = cs_session_recover(&w.session, &did_work, w.error);
    if (status == CS_OK && verb != CRASH_RECOVER) status = find_tree(&w);
    if (status == CS_OK) status = act(&w, verb, done);
    if (status != CS_OK && status != CS_E_PENDING && w.begun && !*done)
        cs_transaction_abandon(&w.session, &w.place.tree, w.txid, NULL);
    /* A failure here is a warning, as in every verb. */
    cs_derive(&w.session, &ignored);
    release(&w);
    cs_session_close(&w.session);
    return status;
}
