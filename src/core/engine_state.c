/* S: the folder of one tree in P\state, and its closed list of names. */
#include <string.h>

#include "cudnn_setup/json.h"
#include "engine.h"
#include "engine_mutants.h"
#include "record_rules.h"

enum { INTENT_MAX_BYTES = 256 * 1024 };

static cs_status state_path(const cs_engine *engine, const char *name, cs_buffer *out, cs_error *error) {
    return cs_engine_state_path(engine->session, engine->tree_id, name, out, error);
}

static cs_status look(cs_engine *engine, const char *name, bool *there, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info;
    cs_status status = state_path(engine, name, &path, error);
    if (status == CS_OK) status = cs_engine_stat(engine, path.data, there, &info, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_engine_state_names(cs_engine *engine, cs_state_names *out, cs_error *error) {
    *out = (cs_state_names){0};
    cs_status status = look(engine, "journal", &out->journal, error);
    if (status == CS_OK) status = look(engine, "committed", &out->committed, error);
    if (status == CS_OK) status = look(engine, "undone", &out->undone, error);
    if (status == CS_OK) status = look(engine, "head", &out->head, error);
    if (status == CS_OK) status = look(engine, "intent", &out->intent, error);
    if (status == CS_OK) status = look(engine, "journal.tmp", &out->temporary, error);
    return status;
}

/* Without the lock this is a look by whoever wants one, perhaps without the right to: no waiting. Opened as a file, a folder
 * would only say "access denied". */
static cs_status read_patiently(const cs_session *session, const char *path, size_t limit, cs_buffer *out, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    unsigned tries = 0;
    cs_file_info info;
    cs_status status = fs->stat(fs->ctx, path, &info, error);
    if (status == CS_OK && info.kind != CS_FILE_REGULAR)
        return cs_fail(error, CS_E_FORMAT, "read", path, "a folder or a link stands where a file of ours is due");
    do status = cs_fs_read_all(session->host->fs, path, limit, out, error);
    while (session->lock && cs_engine_again(session->host, status, error, &tries));
    return status;
}

cs_status cs_engine_read_record(const cs_session *session, const char *tree_id, const char *name, cs_record *out,
                                cs_error *error) {
    cs_buffer path = {0}, bytes = {0};
    *out = (cs_record){0};
    cs_status status = cs_engine_state_path(session, tree_id, name, &path, error);
    if (status == CS_OK) status = read_patiently(session, path.data, CS_RECORD_MAX_BYTES, &bytes, error);
    if (status == CS_OK) status = cs_record_read(path.data, cs_buffer_string(&bytes), bytes.size, out, error);
    if (status == CS_OK && strcmp(out->tree_id, tree_id) != 0) {
        cs_record_free(out);
        status = cs_fail(error, CS_E_FORMAT, "read", path.data, "it is another tree's record");
    }
    cs_buffer_free(&path);
    cs_buffer_free(&bytes);
    return status;
}

/* After an error: whether the rename happened all the same. */
static bool has_become(cs_engine *engine, const char *source, const char *target) {
    bool from = true, to = false;
    cs_file_info info;
    cs_error ignored = {0};
    return cs_engine_stat(engine, source, &from, &info, &ignored) == CS_OK && !from &&
           cs_engine_stat(engine, target, &to, &info, &ignored) == CS_OK && to;
}

cs_status cs_engine_rename_state(cs_engine *engine, const char *from, const char *to, bool replace, cs_error *error) {
    cs_buffer source = {0}, target = {0};
    cs_file *file = NULL;
    cs_file_info info;
    cs_status status = state_path(engine, from, &source, error);
    if (status == CS_OK) status = state_path(engine, to, &target, error);
    if (status == CS_OK) status = cs_engine_open_file(engine, source.data, &file, &info, error);
    if (status == CS_OK) {
        status = cs_engine_rename(engine, file, target.data, replace, error);
        /* A folder's entry list may need a block more: that is what the reserve was kept for. */
        if (status == CS_E_NO_SPACE && !CS_MUTANT(RESERVE_KEPT) && cs_engine_drop_state(engine, "reserve", error) == CS_OK)
            status = cs_engine_rename(engine, file, target.data, replace, error);
        engine->fs->close(engine->fs->ctx, file);
        if (status != CS_OK && has_become(engine, source.data, target.data)) status = CS_OK;
    }
    cs_buffer_free(&source);
    cs_buffer_free(&target);
    return status;
}

cs_status cs_engine_drop_state(cs_engine *engine, const char *name, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = state_path(engine, name, &path, error);
    if (status == CS_OK) status = cs_engine_drop(engine, path.data, NULL, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_engine_make_state(cs_engine *engine, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_buffer path = {0};
    cs_status status = state_path(engine, NULL, &path, error);
    if (status == CS_OK) status = cs_engine_make_folder(engine, path.data, error);
    /* A folder that is there already lies below P\state, where only administrators can have made it. */
    if (status == CS_OK)
        status = fs->sync_folder(fs->ctx, engine->session->state, error);
    else if (status == CS_E_EXISTS)
        status = CS_OK;
    cs_buffer_free(&path);
    return status;
}

/* ---- intent ---- */

static cs_status intent_bytes(const cs_engine *engine, cs_buffer *out, cs_error *error) {
    cs_json_writer w = {.out = out, .layout = CS_JSON_COMPACT};
    cs_seal_begin(&w);
    cs_json_put_text(&w, "path", engine->tree_path);
    cs_json_put_text(&w, "txid", engine->txid);
    cs_json_end(&w, '}');
    cs_status status = cs_json_finish(&w, error);
    return status == CS_OK ? cs_seal_end("intent", out, error) : status;
}

/* An intent that already names this tree serves: only its path decides anything, and writing over it could tear it. */
static bool intent_serves(const cs_engine *engine) {
    cs_buffer path = {0};
    cs_error ignored;
    bool serves = cs_engine_read_intent(engine->session, engine->tree_id, &path, &ignored) == CS_OK &&
                  strcmp(path.data, engine->tree_path) == 0;
    cs_buffer_free(&path);
    return serves;
}

cs_status cs_engine_write_intent(cs_engine *engine, cs_error *error) {
    if (intent_serves(engine)) return CS_OK;
    cs_buffer path = {0}, bytes = {0};
    cs_status status = cs_engine_drop_state(engine, "intent", error);
    if (status == CS_OK) status = state_path(engine, "intent", &path, error);
    if (status == CS_OK) status = intent_bytes(engine, &bytes, error);
    if (status == CS_OK) status = cs_engine_write_file(engine, path.data, bytes.data, bytes.size, NULL, error);
    if (status == CS_OK) status = cs_engine_sync_state(engine, error);
    cs_buffer_free(&path);
    cs_buffer_free(&bytes);
    return status;
}

static cs_status parse_intent(const char *name, const cs_buffer *bytes, cs_buffer *path, cs_error *error) {
    static const char *const keys[] = {"format", "sha256", "path", "txid"};
    cs_status status = cs_seal_check(name, cs_buffer_string(bytes), bytes->size, error);
    if (status != CS_OK) return status;
    const cs_json_limits limits = {.max_bytes = INTENT_MAX_BYTES, .lone_surrogates = true};
    cs_json *json = NULL;
    status = cs_json_parse(name, bytes->data, bytes->size, &limits, &json, error);
    if (status != CS_OK) return status;
    cs_json_reader reader = {.name = name, .error = error};
    cs_json_at root = cs_json_root(&reader, json);
    cs_json_keys(&root, keys, sizeof keys / sizeof keys[0]);
    cs_json_at at = cs_json_get(&root, "path");
    const char *text = cs_json_text(at, 1, CS_RECORD_MAX_PATH);
    if (*text && !cs_tree_path_valid(text)) cs_json_bad(&at, "not an absolute local path");
    cs_buffer_clear(path);
    cs_buffer_text(path, text);
    status = reader.status;
    cs_json_free(json);
    return status == CS_OK ? cs_buffer_check(path, error) : status;
}

cs_status cs_engine_read_intent(const cs_session *session, const char *tree_id, cs_buffer *path, cs_error *error) {
    cs_buffer name = {0}, bytes = {0};
    cs_status status = cs_engine_state_path(session, tree_id, "intent", &name, error);
    if (status == CS_OK) status = read_patiently(session, name.data, INTENT_MAX_BYTES, &bytes, error);
    if (status == CS_OK) status = parse_intent(name.data, &bytes, path, error);
    cs_buffer_free(&name);
    cs_buffer_free(&bytes);
    return status;
}
