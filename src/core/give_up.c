#include "cudnn_setup/give_up.h"

#include <string.h>

#include "engine.h"
#include "record_rules.h"

#define FOLDER "given-up"
enum { COPIES = 100 };

/* In this order an interruption leaves no journal without what came after it. */
static const char *const record_names[] = {"head", "undone", "committed", "journal"};
enum { RECORD_NAMES = sizeof record_names / sizeof record_names[0] };

/* ---- before anything is done ---- */

static cs_status check_one(cs_engine *engine, const char *name, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info = {0};
    bool there = false;
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, name, &path, error);
    if (status == CS_OK) status = cs_engine_stat(engine, path.data, &there, &info, error);
    if (status == CS_OK && there && info.kind == CS_FILE_FOLDER) {
        status = cs_engine_remove_if_empty(engine, path.data, error);
        if (status == CS_OK) status = cs_engine_stat(engine, path.data, &there, &info, error);
    }
    if (status == CS_OK && there && info.kind != CS_FILE_REGULAR)
        status =
            cs_fail(error, CS_E_FAILED, "give up", path.data,
                    "a folder or a link stands there in place of a record: move it elsewhere by hand, then try again. Nothing "
                    "was changed");
    cs_buffer_free(&path);
    return status;
}

/* ---- moving ---- */

static cs_status join(cs_engine *engine, const char *a, const char *b, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    cs_buffer_format(out, "%s%c%s", a, engine->fs->separator, b);
    return cs_buffer_check(out, error);
}

static cs_status make_folder(cs_engine *engine, const char *path, bool may_exist, cs_error *error) {
    cs_status status = cs_engine_make_folder(engine, path, error);
    return status == CS_E_EXISTS && may_exist ? CS_OK : status;
}

/* P\state\given-up\<tree>-NN, the first that is free. */
static cs_status make_place(cs_engine *engine, cs_buffer *where, cs_error *error) {
    cs_buffer parent = {0};
    cs_status status = join(engine, engine->session->state, FOLDER, &parent, error);
    if (status == CS_OK) status = make_folder(engine, parent.data, true, error);
    for (unsigned i = 0; status == CS_OK; i++) {
        cs_buffer_clear(where);
        cs_buffer_format(where, "%s%c%s-%02u", parent.data, engine->fs->separator, engine->tree_id, i);
        status = cs_buffer_check(where, error);
        if (status == CS_OK) status = make_folder(engine, where->data, false, error);
        if (status != CS_E_EXISTS || i + 1 == COPIES) break;
        status = CS_OK;
    }
    cs_buffer_free(&parent);
    return status;
}

static cs_status move_one(cs_engine *engine, const char *from, const char *to, cs_error *error) {
    cs_file *file = NULL;
    cs_file_info info;
    cs_status status = cs_engine_open_file(engine, from, &file, &info, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    status = cs_engine_rename(engine, file, to, false, error);
    engine->fs->close(engine->fs->ctx, file);
    return status;
}

static cs_status move_record(cs_engine *engine, const char *name, const char *where, cs_error *error) {
    cs_buffer from = {0}, to = {0};
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, name, &from, error);
    if (status == CS_OK) status = join(engine, where, name, &to, error);
    if (status == CS_OK) status = move_one(engine, from.data, to.data, error);
    cs_buffer_free(&from);
    cs_buffer_free(&to);
    return status;
}

static cs_status note_manifest(void *ctx, const char *name, const cs_file_info *info) {
    uint8_t digest[CS_SHA256_SIZE];
    bool ours = info->kind == CS_FILE_REGULAR && strlen(name) == CS_SHA256_HEX + 5 &&
                strcmp(name + CS_SHA256_HEX, ".json") == 0 && cs_unhex(name, CS_SHA256_HEX, digest, sizeof digest);
    return ours ? cs_strings_add(ctx, name, NULL) : CS_OK;
}

/* Without them a record that somebody mends by hand could not be repaired from. */
static cs_status move_manifests(cs_engine *engine, const char *where, cs_error *error) {
    cs_buffer folder = {0}, to = {0}, one = {0}, target = {0};
    cs_strings names = {0};
    cs_status status = cs_engine_state_path(engine->session, engine->tree_id, "manifests", &folder, error);
    if (status == CS_OK) status = engine->fs->list(engine->fs->ctx, folder.data, note_manifest, &names, error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    if (status == CS_OK && names.count) status = join(engine, where, "manifests", &to, error);
    if (status == CS_OK && names.count) status = make_folder(engine, to.data, true, error);
    for (size_t i = 0; i < names.count && status == CS_OK; i++) {
        status = join(engine, folder.data, names.items[i], &one, error);
        if (status == CS_OK) status = join(engine, to.data, names.items[i], &target, error);
        if (status == CS_OK) status = move_one(engine, one.data, target.data, error);
    }
    if (status == CS_OK) status = cs_engine_remove_if_empty(engine, folder.data, error);
    cs_strings_free(&names);
    cs_buffer_free(&folder);
    cs_buffer_free(&to);
    cs_buffer_free(&one);
    cs_buffer_free(&target);
    return status;
}

/* What decides nothing goes; an intent stays, for it leads to what may be collected. */
static cs_status tidy(cs_engine *engine, const char *where, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_buffer path = {0};
    cs_status status = cs_engine_drop_state(engine, "journal.tmp", error);
    if (status == CS_OK) status = cs_engine_drop_state(engine, "reserve", error);
    if (status == CS_OK) status = fs->sync_folder(fs->ctx, where, error);
    if (status == CS_OK) status = cs_engine_sync_state(engine, error);
    if (status == CS_OK) status = cs_engine_state_path(engine->session, engine->tree_id, NULL, &path, error);
    if (status == CS_OK) status = cs_engine_remove_if_empty(engine, path.data, error);
    if (status == CS_OK) status = fs->sync_folder(fs->ctx, engine->session->state, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_session_give_up(cs_session *session, const char *tree_id, cs_buffer *where, cs_error *error) {
    cs_error unused = {0};
    cs_engine engine = cs_engine_start(session, tree_id, NULL, NULL);
    cs_status status = CS_OK;
    if (!error) error = &unused;
    for (size_t i = 0; i < RECORD_NAMES && status == CS_OK; i++) status = check_one(&engine, record_names[i], error);
    if (status == CS_OK) status = make_place(&engine, where, error);
    if (status == CS_OK) status = move_manifests(&engine, cs_buffer_string(where), error);
    for (size_t i = 0; i < RECORD_NAMES && status == CS_OK; i++)
        status = move_record(&engine, record_names[i], cs_buffer_string(where), error);
    if (status == CS_OK) status = tidy(&engine, cs_buffer_string(where), error);
    cs_engine_end(&engine);
    return status;
}
