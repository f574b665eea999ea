#include "cudnn_setup/leavings.h"

#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/path.h"
#include "engine.h"
#include "record_rules.h"

/* ---- one folder ---- */

static bool is_named(const cs_record *head, const char *txid) {
    if (!head) return false;
    for (size_t i = 0; i < head->stack_count; i++)
        if (strcmp(head->stack[i].txid, txid) == 0) return true;
    for (size_t i = 0; i < head->parked_count; i++)
        if (strcmp(head->parked[i].blob.txid, txid) == 0) return true;
    return false;
}

/* What the head still lists to be dropped is said elsewhere. */
static bool is_listed(const cs_record *head, const char *txid, cs_area area, const char *number) {
    for (size_t i = 0; head && i < head->cleanup_count; i++) {
        const cs_blob *blob = &head->cleanup[i];
        if (blob->area == area && strcmp(blob->txid, txid) == 0 &&
            blob->number == (unsigned)(number[0] - '0') * 10 + (unsigned)(number[1] - '0'))
            return true;
    }
    return false;
}

typedef struct counter {
    const cs_record *head;
    const char *txid;
    cs_area area;
    size_t files;
    uint64_t bytes;
} counter;

static cs_status count_blob(void *ctx, const char *name, const cs_file_info *info) {
    counter *c = ctx;
    bool number = info->kind == CS_FILE_REGULAR && strlen(name) == 2 && strspn(name, "0123456789") == 2;
    if (!number || is_listed(c->head, c->txid, c->area, name)) return CS_OK;
    c->files++;
    c->bytes += info->size;
    return CS_OK;
}

/* Nothing is followed: a link in place of a folder of ours has nothing of ours. */
static cs_status list_folder(const cs_host *host, const char *path, cs_list_entry entry, void *ctx, cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_file_info info;
    cs_status status = fs->stat(fs->ctx, path, &info, error);
    if (status == CS_OK && info.kind == CS_FILE_FOLDER) status = fs->list(fs->ctx, path, entry, ctx, error);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

static cs_status count_area(const cs_host *host, const char *tree_path, counter *c, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = cs_engine_private_path(host, tree_path, c->txid, c->area == CS_AREA_NEW ? "new" : "old", &path, error);
    if (status == CS_OK) status = list_folder(host, path.data, count_blob, c, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status count_archive(const cs_host *host, const char *tree_path, const char *txid, cs_leavings *out, cs_error *error) {
    cs_buffer path = {0};
    cs_file_info info;
    cs_status status = cs_engine_private_path(host, tree_path, txid, "archive", &path, error);
    if (status == CS_OK) status = host->fs->stat(host->fs->ctx, path.data, &info, error);
    if (status == CS_OK && info.kind == CS_FILE_REGULAR) {
        out->files++;
        out->bytes += info.size;
    }
    cs_buffer_free(&path);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

static cs_status look_at(const cs_host *host, const char *tree_path, const cs_record *head, const char *txid, cs_leavings *out,
                         cs_error *error) {
    counter fresh = {.head = head, .txid = txid, .area = CS_AREA_NEW}, kept = {.head = head, .txid = txid, .area = CS_AREA_OLD};
    cs_status status = count_area(host, tree_path, &fresh, error);
    if (status == CS_OK && !is_named(head, txid)) status = count_area(host, tree_path, &kept, error);
    if (status == CS_OK) status = count_archive(host, tree_path, txid, out, error);
    out->files += fresh.files;
    out->bytes += fresh.bytes;
    out->kept_files += kept.files;
    out->kept_bytes += kept.bytes;
    return status;
}

static cs_status note_txid(void *ctx, const char *name, const cs_file_info *info) {
    if (info->kind != CS_FILE_FOLDER || strlen(name) != CS_ID_HEX || !cs_txid_valid(name)) return CS_OK;
    return cs_strings_add(ctx, name, NULL);
}

cs_status cs_leavings_look(const cs_host *host, const char *tree_path, const cs_record *head, cs_leavings *out, cs_error *error) {
    cs_buffer path = {0};
    cs_strings names = {0};
    *out = (cs_leavings){0};
    cs_status status = cs_engine_private_path(host, tree_path, NULL, NULL, &path, error);
    if (status == CS_OK) status = list_folder(host, path.data, note_txid, &names, error);
    for (size_t i = 0; i < names.count && status == CS_OK; i++)
        status = look_at(host, tree_path, head, names.items[i], out, error);
    cs_strings_free(&names);
    cs_buffer_free(&path);
    return status;
}

/* ---- all places ---- */

typedef struct finder {
    const cs_session *session;
    cs_leavings_each each;
    void *ctx;
    cs_error *error;
} finder;

static cs_status tell(const finder *f, const char *path, const cs_record *head) {
    cs_leavings found;
    cs_status status = cs_leavings_look(f->session->host, path, head, &found, f->error);
    return status == CS_OK ? f->each(f->ctx, path, &found) : status;
}

/* A run that ended before its journal may have been at work where the tree is now, not where its head has it. */
static cs_status find_of_intent(const finder *f, const char *tree_id, const cs_record *head) {
    cs_buffer path = {0};
    cs_error ignored = {0};
    cs_status status = CS_OK;
    if (cs_engine_read_intent(f->session, tree_id, &path, &ignored) == CS_OK &&
        (!head || strcmp(path.data, head->tree_path) != 0))
        status = tell(f, path.data, head);
    cs_buffer_free(&path);
    return status;
}

static cs_status find_of_tree(const finder *f, const char *tree_id) {
    cs_record head = {0};
    cs_pending pending = CS_PENDING_NONE;
    cs_error one = {0};
    cs_status status = cs_session_head(f->session, tree_id, &head, &pending, &one);
    bool there = status == CS_OK, none = status == CS_E_NOTHING;
    if (status == CS_E_NO_MEMORY) return cs_fail(f->error, status, NULL, NULL, NULL);
    status = CS_OK;
    if (pending == CS_PENDING_NONE && there) status = tell(f, head.tree_path, &head);
    if (pending == CS_PENDING_NONE && (there || none) && status == CS_OK)
        status = find_of_intent(f, tree_id, there ? &head : NULL);
    cs_record_free(&head);
    return status;
}

cs_status cs_leavings_find(const cs_session *session, cs_leavings_each each, void *ctx, cs_error *error) {
    const finder f = {session, each, ctx, error};
    cs_strings ids = {0};
    if (!session->state) return CS_OK;
    cs_status status = cs_session_trees(session, &ids, error);
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) status = find_of_tree(&f, ids.items[i]);
    cs_strings_free(&ids);
    return status;
}
