/* The third part of /status: what lies in <tree>\.cudnn-setup besides the undo data that receipts name. Nothing in it is believed
 * beyond its names and sizes. */
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/status_view.h"
#include "engine.h"

typedef struct looking {
    cs_run *run;
    cs_status_tree *tree;
    char txid[CS_ID_HEX + 1]; /* whose folder is listed */
    cs_area area;
    cs_strings txids;
} looking;

static const cs_record *head_of(const looking *l) { return &l->tree->known.head; }

/* ---- what records name ---- */

static bool is_blob(const cs_blob *blob, const char *txid, cs_area area, unsigned number) {
    return blob->area == area && blob->number == number && strcmp(blob->txid, txid) == 0;
}

static bool in_receipt(const looking *l, unsigned number) {
    for (size_t i = 0; i < head_of(l)->stack_count; i++) {
        const cs_receipt *receipt = &head_of(l)->stack[i];
        if (l->area != CS_AREA_OLD || strcmp(receipt->txid, l->txid) != 0) continue;
        for (size_t j = 0; j < receipt->row_count; j++)
            if (receipt->rows[j].number == number && receipt->rows[j].ours && receipt->rows[j].had_old) return true;
    }
    return false;
}

static const cs_parked *parked_of(const looking *l, unsigned number) {
    for (size_t i = 0; i < head_of(l)->parked_count; i++)
        if (is_blob(&head_of(l)->parked[i].blob, l->txid, l->area, number)) return &head_of(l)->parked[i];
    return NULL;
}

static bool in_cleanup(const looking *l, unsigned number) {
    for (size_t i = 0; i < head_of(l)->cleanup_count; i++)
        if (is_blob(&head_of(l)->cleanup[i], l->txid, l->area, number)) return true;
    return false;
}

/* ---- the list ---- */

static cs_status add_file(looking *l, cs_status_what what, const char *path, const char *target, bool there, uint64_t size) {
    cs_status_tree *tree = l->tree;
    cs_status_file *files = cs_realloc(tree->files, tree->file_count + 1, sizeof *files);
    if (files) tree->files = files;
    cs_status_file one = {.what = what, .path = cs_strdup(path), .target = cs_strdup(target), .there = there, .size = size};
    if (!files || !one.path || (target && !one.target)) {
        cs_free(one.path);
        cs_free(one.target);
        return cs_fail(&l->run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    files[tree->file_count++] = one;
    return CS_OK;
}

/* A name in B\txid or in its new or old; name NULL: the folder itself. */
static cs_status path_of(const looking *l, const char *part, const char *name, cs_buffer *out, cs_error *error) {
    const cs_host *host = l->run->host;
    cs_status status = cs_engine_private_path(host, head_of(l)->tree_path, l->txid[0] ? l->txid : NULL, part, out, error);
    if (status != CS_OK || !name) return status;
    cs_buffer_format(out, "%c%s", host->fs->separator, name);
    return cs_buffer_check(out, error);
}

static cs_status note_number(void *ctx, const char *name, const cs_file_info *info) {
    looking *l = ctx;
    cs_buffer path = {0};
    if (info->kind != CS_FILE_REGULAR || strlen(name) != 2 || strspn(name, "0123456789") != 2) return CS_OK;
    unsigned number = (unsigned)(name[0] - '0') * 10 + (unsigned)(name[1] - '0');
    if (in_receipt(l, number)) return CS_OK;
    const cs_parked *parked = parked_of(l, number);
    cs_status_what what = parked                   ? CS_PRIVATE_PARKED
                          : in_cleanup(l, number)  ? CS_PRIVATE_WAITING
                          : l->area == CS_AREA_OLD ? CS_PRIVATE_UNNAMED
                                                   : CS_PRIVATE_LEFTOVER;
    cs_status status = path_of(l, l->area == CS_AREA_NEW ? "new" : "old", name, &path, &l->run->error);
    if (status == CS_OK) status = add_file(l, what, path.data, parked ? parked->target : NULL, true, info->size);
    cs_buffer_free(&path);
    return status;
}

static cs_status note_txid(void *ctx, const char *name, const cs_file_info *info) {
    looking *l = ctx;
    if (info->kind != CS_FILE_FOLDER || strlen(name) != CS_ID_HEX || strspn(name, "0123456789abcdef") != CS_ID_HEX) return CS_OK;
    return cs_strings_add(&l->txids, name, &l->run->error);
}

/* Lists a folder that is one: a link there leads to somebody else's. */
static cs_status list_folder(looking *l, const char *part, cs_list_entry note) {
    const cs_fs *fs = l->run->host->fs;
    cs_buffer path = {0};
    cs_file_info info;
    cs_error error = {0};
    cs_status status = path_of(l, part, NULL, &path, &error);
    if (status == CS_OK) status = fs->stat(fs->ctx, path.data, &info, &error);
    if (status == CS_OK && info.kind == CS_FILE_FOLDER) status = fs->list(fs->ctx, path.data, note, l, &error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    if (status != CS_OK && status != CS_E_NO_MEMORY && !l->tree->private_problem) {
        char text[CS_ERROR_PATH + 128];
        cs_error_text(&error, text, sizeof text);
        l->tree->private_problem = cs_strdup(text);
        status = l->tree->private_problem ? CS_OK : CS_E_NO_MEMORY;
    }
    cs_buffer_free(&path);
    if (status == CS_E_NO_MEMORY) return cs_fail(&l->run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    return CS_OK;
}

static cs_status note_archive(looking *l) {
    const cs_fs *fs = l->run->host->fs;
    cs_buffer path = {0};
    cs_file_info info;
    cs_status status = path_of(l, "archive", NULL, &path, &l->run->error);
    if (status == CS_OK && fs->stat(fs->ctx, path.data, &info, NULL) == CS_OK && info.kind == CS_FILE_REGULAR)
        status = add_file(l, CS_PRIVATE_LEFTOVER, path.data, NULL, true, info.size);
    cs_buffer_free(&path);
    return status;
}

/* Parked files that are named and not there any more: whoever looks for one has to be told. */
static cs_status add_absent(looking *l) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (size_t i = 0; i < head_of(l)->parked_count && status == CS_OK; i++) {
        const cs_parked *parked = &head_of(l)->parked[i];
        bool found = false;
        status = cs_blob_path(l->run->host, head_of(l)->tree_path, &parked->blob, &path, &l->run->error);
        for (size_t j = 0; j < l->tree->file_count && status == CS_OK; j++)
            found = found || strcmp(l->tree->files[j].path, path.data) == 0;
        if (status == CS_OK && !found) status = add_file(l, CS_PRIVATE_PARKED, path.data, parked->target, false, 0);
    }
    cs_buffer_free(&path);
    return status;
}

static cs_status look_at_transaction(looking *l, const char *txid) {
    memcpy(l->txid, txid, CS_ID_HEX);
    l->area = CS_AREA_OLD;
    cs_status status = list_folder(l, "old", note_number);
    l->area = CS_AREA_NEW;
    if (status == CS_OK) status = list_folder(l, "new", note_number);
    return status == CS_OK ? note_archive(l) : status;
}

cs_status cs_status_gather_private(cs_run *run, cs_status_tree *tree) {
    looking l = {.run = run, .tree = tree};
    /* While work is pending its files are in the middle of their way: the journal, not this list, says what they are. */
    if (!tree->known.head.tree_path || tree->known.pending != CS_PENDING_NONE) return CS_OK;
    if (tree->folder != CS_STATUS_HERE && tree->folder != CS_STATUS_STRANGE) return CS_OK;
    cs_status status = list_folder(&l, NULL, note_txid);
    for (size_t i = 0; i < l.txids.count && status == CS_OK; i++) status = look_at_transaction(&l, l.txids.items[i]);
    if (status == CS_OK) status = add_absent(&l);
    cs_strings_free(&l.txids);
    return status;
}
