#include "cudnn_setup/trees.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/path.h"
#include "engine.h"

const cs_receipt *cs_trees_top(const cs_record *head) {
    return head && head->stack_count ? &head->stack[head->stack_count - 1] : NULL;
}

void cs_trees_free(cs_known_trees *trees) {
    for (size_t i = 0; i < trees->count; i++) cs_record_free(&trees->items[i].head);
    cs_free(trees->items);
    for (size_t i = 0; i < trees->blocked_count; i++) cs_free(trees->blocked[i].path);
    cs_free(trees->blocked);
    *trees = (cs_known_trees){0};
}

/* Adds a tree; takes over what head owns. */
static cs_status add(cs_known_trees *trees, const char *id, cs_record *head, cs_pending pending, cs_error *error) {
    cs_known_tree *items = cs_realloc(trees->items, trees->count + 1, sizeof *items);
    if (!items) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    trees->items = items;
    cs_known_tree *tree = &trees->items[trees->count++];
    *tree = (cs_known_tree){.head = *head, .pending = pending};
    memcpy(tree->id, id, sizeof tree->id);
    *head = (cs_record){0};
    trees->pending = trees->pending || pending != CS_PENDING_NONE;
    return CS_OK;
}

/* What a person can do about it: each of these ends the matter, and none of them is another run of /recover. */
static const char *way_out(const cs_error *error) {
    if (error->status == CS_E_ACCESS) return "give Administrators and SYSTEM the right to read it again";
    if (error->status == CS_E_UNSUPPORTED) return "use the newer cudnn-setup";
    return "put the right one back from a backup, or move what does not belong there elsewhere";
}

/* Another program, perhaps another run of ours, has it open at this moment: no reason to give anything up. */
static bool is_passing(const cs_error *error) { return error->status == CS_E_SHARING || error->status == CS_E_MAPPED; }

static cs_status add_blocked(cs_known_trees *trees, const cs_session *session, const char *id, const cs_error *error,
                             cs_error *out_error) {
    cs_record copy = {0};
    cs_buffer detail = {0};
    cs_blocked_tree *items = cs_realloc(trees->blocked, trees->blocked_count + 1, sizeof *items);
    if (!items) return cs_fail(out_error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    trees->blocked = items;
    cs_blocked_tree *tree = &items[trees->blocked_count++];
    *tree = (cs_blocked_tree){.error = *error};
    memcpy(tree->id, id, sizeof tree->id);
    /* For people only: nothing is ever done by the readable copy. */
    if (cs_derive_read_status(session, id, &copy, NULL) == CS_OK) tree->path = cs_strdup(copy.tree_path);
    cs_record_free(&copy);
    if (trees->readable_only) return CS_OK;
    const char *why = error->detail[0] ? error->detail : cs_status_text(error->status);
    const char *path = tree->path ? tree->path : "";
    if (is_passing(error))
        cs_buffer_format(
            &detail,
            *path ? "%.300s. Nothing of this installation (%.160s) is touched while it is so; other CUDA trees are not "
                    "concerned. Try again when it is closed. Nothing was changed"
                  : "%.300s. Nothing of this installation%s is touched while it is so; other CUDA trees are not "
                    "concerned. Try again when it is closed. Nothing was changed",
            why, path);
    else
        cs_buffer_format(
            &detail,
            *path ? "%.300s. Nothing of this installation (%.160s) is touched while it is so; other CUDA trees are not "
                    "concerned. To go on, %s, or give the record up with cudnn-setup /forget /force /tree:%s. Nothing "
                    "was changed"
                  : "%.300s. Nothing of this installation%s is touched while it is so; other CUDA trees are not "
                    "concerned. To go on, %s, or give the record up with cudnn-setup /forget /force /tree:%s. Nothing "
                    "was changed",
            why, path, way_out(error), id);
    snprintf(tree->error.detail, sizeof tree->error.detail, "%s", cs_buffer_string(&detail));
    tree->error.status = CS_E_PENDING;
    cs_buffer_free(&detail);
    return CS_OK;
}

static bool is_administrator(const cs_session *session) {
    const cs_system *system = session->host->system;
    return system->is_administrator(system->ctx);
}

static cs_status load_one(const cs_session *session, const char *id, cs_known_trees *out, cs_error *error) {
    cs_record head = {0};
    cs_pending pending = CS_PENDING_NONE;
    cs_error one = {0};
    cs_status status = cs_session_head(session, id, &head, &pending, &one);
    if (status == CS_OK || status == CS_E_NOTHING) out->pending = out->pending || pending != CS_PENDING_NONE;
    if (status == CS_OK)
        status = add(out, id, &head, pending, error);
    else if (status == CS_E_NOTHING)
        status = CS_OK;
    else if (status == CS_E_NO_MEMORY || (status == CS_E_ACCESS && !session->lock && !is_administrator(session)))
        status = cs_fail(error, status, one.operation, one.path, NULL);
    else
        status = add_blocked(out, session, id, &one, error);
    cs_record_free(&head);
    return status;
}

static cs_status load_state(const cs_session *session, const cs_strings *ids, cs_known_trees *out, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < ids->count && status == CS_OK; i++) status = load_one(session, ids->items[i], out, error);
    return status;
}

/* A copy that cannot be read decides nothing: an administrator's run writes it anew. */
static cs_status load_status(const cs_session *session, cs_known_trees *out, cs_error *error) {
    const cs_system *system = session->host->system;
    cs_strings ids = {0};
    out->readable_only = true;
    out->pending = system->recovery_service(system->ctx);
    cs_status status = cs_derive_status_trees(session, &ids, error);
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) {
        cs_record head = {0};
        cs_error one = {0};
        status = cs_derive_read_status(session, ids.items[i], &head, &one);
        if (status == CS_OK)
            status = add(out, ids.items[i], &head, CS_PENDING_NONE, error);
        else if (status != CS_E_NO_MEMORY)
            status = add_blocked(out, session, ids.items[i], &one, error);
        cs_record_free(&head);
    }
    cs_strings_free(&ids);
    return status;
}

cs_status cs_trees_load(const cs_session *session, cs_known_trees *out, cs_error *error) {
    *out = (cs_known_trees){0};
    if (!session->programs) return CS_OK;
    cs_strings ids = {0};
    cs_status status = session->state ? cs_session_trees(session, &ids, error) : CS_E_ACCESS;
    if (status == CS_OK) status = load_state(session, &ids, out, error);
    cs_strings_free(&ids);
    if (status == CS_E_ACCESS && !session->lock) {
        cs_trees_free(out);
        status = load_status(session, out, error);
    }
    if (status != CS_OK) cs_trees_free(out);
    return status;
}

cs_status cs_trees_receipts(const cs_known_trees *trees, const char *skip, size_t skip_depth, const cs_receipt ***out,
                            size_t *count, cs_error *error) {
    size_t room = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < trees->count; i++) room += trees->items[i].head.stack_count;
    if (!room) return CS_OK;
    *out = cs_alloc(room, sizeof(const cs_receipt *));
    if (!*out) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < trees->count; i++) {
        const cs_record *head = &trees->items[i].head;
        size_t left = head->stack_count;
        if (skip && strcmp(trees->items[i].id, skip) == 0) left -= skip_depth < left ? skip_depth : left;
        for (size_t j = 0; j < left; j++) (*out)[(*count)++] = &head->stack[j];
    }
    return CS_OK;
}

void cs_tree_place_free(cs_tree_place *place) {
    cs_tree_free(&place->tree);
    *place = (cs_tree_place){0};
}

/* The folder that the receipts are about. */
static const char *folder_of(const cs_known_tree *known) { return known->head.folder_id[0] ? known->head.folder_id : known->id; }

static bool is_away(const cs_host *host, const cs_known_tree *known, const char *path) {
    cs_session session = {.host = host};
    cs_engine engine = cs_engine_start(&session, known->id, path, NULL);
    cs_tree_state state = CS_TREE_GONE;
    cs_error ignored = {0};
    engine.impatient = true;
    return cs_engine_find_tree(&engine, &known->head, &state, &ignored) == CS_OK && state == CS_TREE_AWAY;
}

cs_status cs_tree_locate(const cs_host *host, const cs_known_tree *known, const char *path, cs_tree_place *out, cs_error *error) {
    *out = (cs_tree_place){0};
    /* Where our files were a link is as good as nothing; where files are to go it is refused. */
    bool link_is_gone = !path;
    if (!path) path = known->head.tree_path;
    cs_status status = cs_tree_open(host, path, &out->tree, error);
    bool link = status == CS_E_REPARSE && link_is_gone;
    if (link)
        cs_emit(host->events, CS_EVENT_WARNING, "tree.link",
                "A link or a file stands at %s where the CUDA tree was: what is behind it is not touched.", path);
    if (status == CS_E_NOT_FOUND || link) {
        out->gone = true;
        out->away = is_away(host, known, path);
        out->tree = (cs_tree){.path = cs_strdup(path)};
        status = out->tree.path ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    } else if (status == CS_OK) {
        out->strangers = strcmp(out->tree.id, folder_of(known)) != 0;
        if (strcmp(out->tree.id, known->id) != 0) memcpy(out->folder_id, out->tree.id, sizeof out->folder_id);
    }
    memcpy(out->tree.id, known->id, sizeof out->tree.id);
    return status;
}

/* ---- choosing ---- */

static bool same_path(const char *a, const char *b) {
    size_t left = strlen(a), right = strlen(b);
    while (left > 3 && (a[left - 1] == '\\' || a[left - 1] == '/')) left--;
    while (right > 3 && (b[right - 1] == '\\' || b[right - 1] == '/')) right--;
    if (left != right) return false;
    for (size_t i = 0; i < left; i++) {
        char x[2] = {a[i] == '/' ? '\\' : a[i], 0}, y[2] = {b[i] == '/' ? '\\' : b[i], 0};
        if (!cs_text_equal_ascii_case(x, y)) return false;
    }
    return true;
}

size_t cs_trees_find(const cs_host *host, const cs_known_trees *trees, const char *path) {
    cs_tree tree = {0};
    size_t found = trees->count;
    if (cs_tree_open(host, path, &tree, NULL) == CS_OK)
        for (size_t i = 0; i < trees->count && found == trees->count; i++)
            if (strcmp(folder_of(&trees->items[i]), tree.id) == 0) found = i;
    for (size_t i = 0; i < trees->count && found == trees->count; i++)
        if (same_path(trees->items[i].head.tree_path, path)) found = i;
    cs_tree_free(&tree);
    return found;
}

/* ---- blocked ones ---- */

size_t cs_trees_find_blocked(const cs_host *host, const cs_known_trees *trees, const char *path) {
    cs_tree tree = {0};
    size_t found = trees->blocked_count;
    bool there = cs_tree_open(host, path, &tree, NULL) == CS_OK;
    for (size_t i = 0; i < trees->blocked_count && found == trees->blocked_count; i++) {
        const cs_blocked_tree *one = &trees->blocked[i];
        if ((there && strcmp(one->id, tree.id) == 0) || (one->path && same_path(one->path, path))) found = i;
    }
    cs_tree_free(&tree);
    return found;
}

cs_status cs_trees_refuse_blocked(const cs_known_trees *trees, size_t index, cs_error *error) {
    cs_status status = trees->readable_only ? CS_E_FAILED : CS_E_PENDING;
    if (error) *error = trees->blocked[index].error;
    if (error) error->status = status;
    return status;
}

static cs_status nothing(const char *path, cs_error *error) {
    return cs_fail(error, CS_E_NOTHING, "look for", path, "cudnn-setup has not installed anything there. Nothing was changed");
}

static cs_status choose_by_id(const cs_known_trees *trees, const char *id, size_t *index, cs_error *error) {
    for (size_t i = 0; i < trees->count; i++)
        if (trees->items[i].head.stack_count && cs_text_equal_ascii_case(trees->items[i].id, id)) {
            *index = i;
            return CS_OK;
        }
    for (size_t i = 0; i < trees->blocked_count; i++)
        if (cs_text_equal_ascii_case(trees->blocked[i].id, id)) return cs_trees_refuse_blocked(trees, i, error);
    return cs_fail(error, CS_E_NOTHING, NULL, NULL, "no installation has the id %s; /status shows them. Nothing was changed", id);
}

static cs_status choose_only(const cs_known_trees *trees, size_t *index, cs_error *error) {
    size_t count = 0;
    cs_buffer ids = {0};
    for (size_t i = 0; i < trees->count; i++) {
        if (!trees->items[i].head.stack_count) continue;
        if (count++) cs_buffer_text(&ids, ", ");
        cs_buffer_format(&ids, "/tree:%s (%s)", trees->items[i].id, trees->items[i].head.tree_path);
        *index = i;
    }
    if (!count && trees->blocked_count) return cs_trees_refuse_blocked(trees, 0, error);
    for (size_t i = 0; i < trees->blocked_count; i++) {
        if (count++) cs_buffer_text(&ids, ", ");
        cs_buffer_format(&ids, "/tree:%s (its record cannot be read)", trees->blocked[i].id);
    }
    cs_status status = cs_buffer_check(&ids, error);
    if (status == CS_OK && !count)
        status = cs_fail(error, CS_E_NOTHING, NULL, NULL, "cudnn-setup has not installed anything on this machine");
    if (status == CS_OK && count > 1)
        status = cs_fail(error, CS_E_USAGE, NULL, NULL, "several CUDA trees have an installation; say which one: %s", ids.data);
    cs_buffer_free(&ids);
    return status;
}

cs_status cs_trees_choose(const cs_host *host, const cs_known_trees *trees, const cs_options *options, size_t *index,
                          cs_error *error) {
    if (options->tree) return choose_by_id(trees, options->tree, index, error);
    if (!options->cuda) return choose_only(trees, index, error);
    *index = cs_trees_find(host, trees, options->cuda);
    if (*index < trees->count && trees->items[*index].head.stack_count) return CS_OK;
    size_t blocked = cs_trees_find_blocked(host, trees, options->cuda);
    return blocked < trees->blocked_count ? cs_trees_refuse_blocked(trees, blocked, error) : nothing(options->cuda, error);
}
