#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"
#include "engine.h"
#include "record_rules.h"

enum { LOCK_TRIES = 3, LOCK_WAIT_MS = 250 };

/* ---- P and P\state ---- */

static cs_status find_places(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    cs_buffer folder = {0}, path = {0};
    cs_status status = host->system->folder(host->system->ctx, CS_FOLDER_PROGRAM_FILES, &folder, error);
    if (status == CS_OK) status = cs_path_join(&path, host->fs->separator, folder.data, CS_NAME_PROGRAMS, error);
    if (status == CS_OK) session->programs = cs_strdup(path.data);
    if (status == CS_OK) status = cs_path_join(&path, host->fs->separator, folder.data, CS_NAME_PROGRAMS "/state", error);
    if (status == CS_OK) session->state = cs_strdup(path.data);
    if (status == CS_OK && (!session->programs || !session->state)) status = cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    return status;
}

/* All authority lies in these folders: a link, or somebody else who can write, would be somebody else's word in our mouth. */
static cs_status check_ours(const cs_fs *fs, const char *path, cs_error *error) {
    cs_file_info info;
    cs_status status = fs->stat(fs->ctx, path, &info, error);
    if (status != CS_OK) return status;
    if (info.kind != CS_FILE_FOLDER)
        return cs_fail(error, CS_E_REPARSE, "check", path, "a link or a file stands where a folder of cudnn-setup is due");
    cs_security security = {0};
    char why[256];
    status = fs->security(fs->ctx, path, &security, error);
    if (status != CS_OK) return status;
    bool ours = cs_security_ours(&security, why, sizeof why);
    cs_security_free(&security);
    if (ours) return CS_OK;
    return cs_fail(error, CS_E_FAILED, "check", path,
                   "cudnn-setup keeps its records only where administrators alone can write: %s", why);
}

/* Held while it is looked at, so that what is checked is what is used. */
static cs_status ensure_folder(const cs_fs *fs, const char *path, cs_folder_security security, bool *created, cs_error *error) {
    cs_status status = fs->make_folder(fs->ctx, path, security, error);
    *created = status == CS_OK;
    if (status != CS_OK && status != CS_E_EXISTS) return status;
    cs_file *held = NULL;
    status = fs->open(fs->ctx, path, CS_OPEN_FOLDER, &held, error);
    if (status != CS_OK) return status;
    status = check_ours(fs, path, error);
    fs->close(fs->ctx, held);
    return status;
}

static cs_status take_lock(cs_session *session, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_buffer path = {0};
    cs_status status = cs_path_join(&path, fs->separator, session->state, "lock", error);
    if (status == CS_OK) status = fs->open(fs->ctx, path.data, CS_OPEN_LOCK, &session->lock, error);
    /* A scanner looks at what the run before has just closed. Another run takes longer than this. */
    for (unsigned i = 0; i < LOCK_TRIES && status == CS_E_SHARING; i++) {
        session->host->system->sleep(session->host->system->ctx, LOCK_WAIT_MS);
        status = fs->open(fs->ctx, path.data, CS_OPEN_LOCK, &session->lock, error);
    }
    if (status == CS_E_SHARING)
        status = cs_fail(error, CS_E_BUSY, "lock", path.data, "another run of cudnn-setup is at work; try again when it is done");
    cs_buffer_free(&path);
    return status;
}

cs_status cs_session_open(const cs_host *host, cs_session *out, cs_error *error) {
    cs_error unused = {0};
    if (!error) error = &unused;
    *out = (cs_session){.host = host};
    cs_status status = find_places(out, error);
    if (status == CS_OK) status = ensure_folder(host->fs, out->programs, CS_FOLDER_INHERIT, &out->created_programs, error);
    if (status == CS_OK) status = ensure_folder(host->fs, out->state, CS_FOLDER_STATE, &out->created_state, error);
    if (status == CS_OK) status = take_lock(out, error);
    if (status != CS_OK) cs_session_close(out);
    return status;
}

cs_status cs_session_open_reading(const cs_host *host, cs_session *out, cs_error *error) {
    cs_error unused = {0};
    if (!error) error = &unused;
    *out = (cs_session){.host = host};
    cs_file_info info;
    cs_status status = find_places(out, error);
    if (status == CS_OK) status = host->fs->stat(host->fs->ctx, out->state, &info, error);
    if (status == CS_E_NOT_FOUND)
        status = cs_fail(error, CS_E_NOTHING, "open", out->state, "cudnn-setup has installed nothing here");
    if (status != CS_OK) cs_session_close(out);
    return status;
}

void cs_session_close(cs_session *session) {
    cs_session_unhold(session);
    if (session->host && session->lock) session->host->fs->close(session->host->fs->ctx, session->lock);
    cs_free(session->programs);
    cs_free(session->state);
    cs_strings_free(&session->set_aside);
    *session = (cs_session){0};
}

/* ---- trees ---- */

/* A root such as "C:\" keeps its separator. */
static char *without_trailing_separator(const char *path) {
    char *copy = cs_strdup(path);
    size_t size = copy ? strlen(copy) : 0;
    while (size > 1 && (copy[size - 1] == '\\' || copy[size - 1] == '/') && copy[size - 2] != ':') copy[--size] = '\0';
    return copy;
}

static cs_status tree_id(const char *volume, const cs_file_id *root, char id[CS_ID_HEX + 1], cs_error *error) {
    cs_buffer bytes = {0};
    uint8_t digest[CS_SHA256_SIZE];
    cs_buffer_append(&bytes, volume, strlen(volume) + 1); /* with its zero byte */
    cs_buffer_append(&bytes, root->id, sizeof root->id);
    cs_status status = cs_buffer_check(&bytes, error);
    if (status == CS_OK) status = cs_sha256_bytes(bytes.data, bytes.size, digest, error);
    if (status == CS_OK) cs_hex(digest, CS_ID_HEX / 2, id);
    cs_buffer_free(&bytes);
    return status;
}

cs_status cs_tree_open(const cs_host *host, const char *path, cs_tree *out, cs_error *error) {
    const cs_fs *fs = host->fs;
    *out = (cs_tree){0};
    out->path = without_trailing_separator(path);
    if (!out->path) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_file_info info;
    cs_volume volume = {0};
    cs_status status = fs->stat(fs->ctx, out->path, &info, error);
    if (status == CS_OK && info.kind != CS_FILE_FOLDER)
        status = cs_fail(error, CS_E_REPARSE, "open", out->path, "a link or a file, and a CUDA tree is a folder");
    if (status == CS_OK) status = fs->volume(fs->ctx, out->path, &volume, error);
    if (status == CS_OK) status = tree_id(volume.guid_path, &info.id, out->id, error);
    if (status != CS_OK) {
        cs_tree_free(out);
        return status;
    }
    memcpy(out->volume, volume.guid_path, sizeof out->volume);
    out->root = info.id;
    return CS_OK;
}

void cs_tree_free(cs_tree *tree) {
    cs_free(tree->path);
    *tree = (cs_tree){0};
}

typedef struct tree_list {
    cs_strings *out;
    cs_error *error;
} tree_list;

static cs_status add_tree(void *ctx, const char *name, const cs_file_info *info) {
    tree_list *list = ctx;
    if (info->kind != CS_FILE_FOLDER || strlen(name) != CS_ID_HEX || !cs_txid_valid(name)) return CS_OK;
    return cs_strings_add(list->out, name, list->error);
}

static int compare_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

cs_status cs_session_trees(const cs_session *session, cs_strings *out, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    tree_list list = {out, error};
    *out = (cs_strings){0};
    cs_status status = fs->list(fs->ctx, session->state, add_tree, &list, error);
    if (status != CS_OK)
        cs_strings_free(out);
    else if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_text);
    return status;
}
