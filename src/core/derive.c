#include "cudnn_setup/derive.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/programs.h"
#include "derive_entry.h"
#include "engine.h"
#include "engine_mutants.h"

#define STATUS_FOLDER "status"
enum { READ_ONLY = 0x1 };

/* What the heads say, gathered once. */
typedef struct facts {
    cs_strings ids;       /* every tree with state */
    cs_strings installed; /* those with a receipt, as far as anybody knows */
    cs_strings readable;  /* those of them whose records can be read: what is written follows from these */
    bool pending;
    cs_status unread; /* the first head that could be read when the run began and not now */
    cs_error why;
} facts;

static void keep_first(cs_status *first, cs_error *error, cs_status status, const cs_error *one) {
    if (status == CS_OK || *first != CS_OK) return;
    *first = status;
    if (error) *error = *one;
}

static bool contains(const cs_strings *list, const char *text) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0) return true;
    return false;
}

/* ---- P\status ---- */

static cs_status status_path(const cs_session *session, const char *name, const char *suffix, cs_buffer *out, cs_error *error) {
    cs_buffer relative = {0};
    cs_buffer_format(&relative, STATUS_FOLDER "%s%s%s", *name ? "/" : "", name, suffix);
    cs_status status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = cs_path_join(out, session->host->fs->separator, session->programs, relative.data, error);
    cs_buffer_free(&relative);
    return status;
}

/* The engine's file calls, with its retries, on files outside every tree. */
static cs_engine files_of(const cs_session *session) { return (cs_engine){.host = session->host, .fs = session->host->fs}; }

static cs_status remove_file(const cs_session *session, const char *path, cs_error *error) {
    cs_engine files = files_of(session);
    return cs_engine_drop(&files, path, NULL, error);
}

/* No rename replaces a read-only file. What is told here can be told again: it goes first. */
static cs_status make_way(const cs_session *session, const char *path, cs_error *error) {
    cs_engine files = files_of(session);
    cs_file_info info;
    bool present = false;
    cs_status status = cs_engine_stat(&files, path, &present, &info, error);
    if (status != CS_OK || !present || !(info.attributes & READ_ONLY)) return status;
    return cs_engine_drop(&files, path, NULL, error);
}

/* Writes the new file beside the old one and renames it over, so that a reader never sees half of it. */
static cs_status replace_file(const cs_session *session, const char *path, const char *temporary, const cs_buffer *bytes,
                              cs_error *error) {
    cs_engine files = files_of(session);
    cs_file *file = NULL;
    cs_status status = remove_file(session, temporary, error);
    if (status == CS_OK) status = cs_engine_open(&files, temporary, CS_OPEN_CREATE, &file, error);
    if (status == CS_OK) status = files.fs->write(files.fs->ctx, file, 0, bytes->data, bytes->size, error);
    if (status == CS_OK) status = files.fs->flush(files.fs->ctx, file, error);
    if (status == CS_OK) status = make_way(session, path, error);
    if (status == CS_OK) status = cs_engine_rename(&files, file, path, true, error);
    files.fs->close(files.fs->ctx, file);
    return status;
}

static cs_status write_status(const cs_session *session, const cs_record *head, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_buffer folder = {0}, path = {0}, temporary = {0}, wanted = {0}, present = {0};
    cs_status status = cs_record_write(head, &wanted, error);
    if (status == CS_OK) status = status_path(session, "", "", &folder, error);
    if (status == CS_OK) status = status_path(session, head->tree_id, ".json", &path, error);
    if (status == CS_OK) status = status_path(session, head->tree_id, ".json.tmp", &temporary, error);
    bool same = status == CS_OK && cs_fs_read_all(fs, path.data, CS_RECORD_MAX_BYTES, &present, NULL) == CS_OK &&
                present.size == wanted.size && memcmp(present.data, wanted.data, wanted.size) == 0;
    if (status == CS_OK && !same) {
        status = fs->make_folder(fs->ctx, folder.data, CS_FOLDER_INHERIT, error);
        if (status == CS_E_EXISTS) status = CS_OK;
        if (status == CS_OK) status = replace_file(session, path.data, temporary.data, &wanted, error);
        if (status == CS_OK) status = fs->sync_folder(fs->ctx, folder.data, error);
    }
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
    cs_buffer_free(&temporary);
    cs_buffer_free(&wanted);
    cs_buffer_free(&present);
    return status;
}

typedef struct id_list {
    cs_strings *out;
    cs_error *error;
} id_list;

/* "<32 hex>.json" and nothing else. */
static cs_status note_status_file(void *ctx, const char *name, const cs_file_info *info) {
    id_list *list = ctx;
    char id[CS_ID_HEX + 1];
    if (info->kind != CS_FILE_REGULAR || strlen(name) != CS_ID_HEX + 5 || strcmp(name + CS_ID_HEX, ".json") != 0) return CS_OK;
    if (strspn(name, "0123456789abcdef") != CS_ID_HEX) return CS_OK;
    memcpy(id, name, CS_ID_HEX);
    id[CS_ID_HEX] = '\0';
    return cs_strings_add(list->out, id, list->error);
}

static void sort(cs_strings *list) {
    for (size_t i = 1; i < list->count; i++)
        for (size_t j = i; j && strcmp(list->items[j - 1], list->items[j]) > 0; j--) {
            char *item = list->items[j];
            list->items[j] = list->items[j - 1];
            list->items[j - 1] = item;
        }
}

cs_status cs_derive_status_trees(const cs_session *session, cs_strings *out, cs_error *error) {
    cs_buffer folder = {0};
    id_list list = {.out = out, .error = error};
    cs_status status = status_path(session, "", "", &folder, error);
    if (status == CS_OK) status = session->host->fs->list(session->host->fs->ctx, folder.data, note_status_file, &list, error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    sort(out);
    cs_buffer_free(&folder);
    return status;
}

cs_status cs_derive_read_status(const cs_session *session, const char *tree_id, cs_record *out, cs_error *error) {
    cs_buffer path = {0}, bytes = {0};
    cs_status status = status_path(session, tree_id, ".json", &path, error);
    if (status == CS_OK) status = cs_fs_read_all(session->host->fs, path.data, CS_RECORD_MAX_BYTES, &bytes, error);
    if (status == CS_E_NOT_FOUND) status = cs_fail(error, CS_E_NOTHING, "read", path.data, NULL);
    if (status == CS_OK) status = cs_record_read(path.data, cs_buffer_string(&bytes), bytes.size, out, error);
    cs_buffer_free(&path);
    cs_buffer_free(&bytes);
    return status;
}

static cs_status drop_status_files(const cs_session *session, const facts *known, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_strings ids = {0};
    cs_buffer path = {0};
    cs_status status = cs_derive_status_trees(session, &ids, error);
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) {
        if (contains(&known->installed, ids.items[i])) continue;
        status = status_path(session, ids.items[i], ".json", &path, error);
        if (status == CS_OK) status = remove_file(session, path.data, error);
        if (status == CS_OK) status = status_path(session, ids.items[i], ".json.tmp", &path, error);
        if (status == CS_OK) status = remove_file(session, path.data, error);
    }
    if (status == CS_OK && !known->installed.count) {
        status = status_path(session, "", "", &path, error);
        if (status == CS_OK) status = fs->remove_folder(fs->ctx, path.data, error);
        if (status == CS_E_NOT_FOUND || status == CS_E_NOT_EMPTY) status = CS_OK; /* somebody else's file in it stays */
    }
    cs_strings_free(&ids);
    cs_buffer_free(&path);
    return status;
}

/* ---- all of it ---- */

/* A tree whose records cannot be read may well be installed: what was derived from them stays as it is. */
static cs_status gather_one(const cs_session *session, const char *id, facts *out, cs_error *error) {
    cs_record head = {0};
    cs_error one = {0};
    cs_pending pending = CS_PENDING_NONE;
    cs_status status = cs_session_head(session, id, &head, &pending, &one);
    bool installed = status == CS_OK && head.stack_count, blocked = status != CS_OK && status != CS_E_NOTHING;
    out->pending = out->pending || pending != CS_PENDING_NONE;
    cs_record_free(&head);
    if (status == CS_E_NO_MEMORY && error) *error = one;
    if (status == CS_E_NO_MEMORY) return status;
    if (blocked && !cs_session_is_set_aside(session, id)) keep_first(&out->unread, &out->why, status, &one);
    status = installed || blocked ? cs_strings_add(&out->installed, id, error) : CS_OK;
    return status == CS_OK && installed ? cs_strings_add(&out->readable, id, error) : status;
}

static cs_status gather(const cs_session *session, facts *out, cs_error *error) {
    cs_status status = cs_session_trees(session, &out->ids, error);
    for (size_t i = 0; i < out->ids.count && status == CS_OK; i++) status = gather_one(session, out->ids.items[i], out, error);
    return status;
}

static cs_status derive_tree(const cs_session *session, const char *id, cs_error *error) {
    cs_record head = {0};
    cs_error one = {0};
    cs_status first = cs_session_head(session, id, &head, NULL, error);
    if (first == CS_OK) {
        first = write_status(session, &head, error);
        keep_first(&first, error, cs_derive_entry_write(session, &head, &one), &one);
    }
    cs_record_free(&head);
    return first;
}

/* Durable at once: a service that came back after a crash would look for a program that is gone. */
static cs_status turn_service_off(const cs_host *host, cs_error *error) {
    cs_status status = host->system->set_recovery_service(host->system->ctx, false, NULL, error);
    if (status != CS_OK || !host->registry || CS_MUTANT(SERVICE_UNFLUSHED)) return status;
    return host->registry->flush(host->registry->ctx, CS_HKLM, CS_KEY_SERVICES, error);
}

cs_status cs_derive(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    facts known = {0};
    cs_error one = {0};
    cs_status first = gather(session, &known, error);
    if (first == CS_OK) {
        for (size_t i = 0; i < known.readable.count; i++)
            keep_first(&first, error, derive_tree(session, known.readable.items[i], &one), &one);
        keep_first(&first, error, drop_status_files(session, &known, &one), &one);
        cs_status off = CS_OK;
        if (!known.pending && host->system->recovery_service(host->system->ctx)) off = turn_service_off(host, &one);
        keep_first(&first, error, off, &one);
        if (!known.pending && !known.installed.count && off == CS_OK)
            keep_first(&first, error, cs_programs_collect(session, &one), &one);
        keep_first(&first, error, cs_derive_entry_drop_others(session, &known.installed, &one), &one);
        keep_first(&first, error, known.unread, &known.why);
    }
    cs_strings_free(&known.ids);
    cs_strings_free(&known.installed);
    cs_strings_free(&known.readable);
    return first;
}
