/* The first part of /status: the records, and what is pending. */
#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/status_view.h"
#include "engine.h"

enum { SENTENCE = CS_ERROR_PATH + CS_ERROR_DETAIL + 256 };

static cs_status no_memory(cs_run *run) { return cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL); }

static cs_status not_seen(cs_run *run, cs_status_view *view, const char *sentence) {
    return cs_strings_add(&view->not_seen, sentence, &run->error);
}

/* An error in words, owned by the caller; lack of memory is the run's own failure. */
static cs_status problem_text(cs_run *run, const cs_error *error, char **out) {
    char text[SENTENCE];
    cs_error_text(error, text, sizeof text);
    cs_free(*out);
    *out = cs_strdup(text);
    return *out && error->status != CS_E_NO_MEMORY ? CS_OK : no_memory(run);
}

static cs_status add_tree(cs_run *run, cs_status_view *view, const char *id, cs_status_tree **out) {
    cs_status_tree *trees = cs_realloc(view->trees, view->tree_count + 1, sizeof *trees);
    if (!trees) return no_memory(run);
    view->trees = trees;
    *out = &trees[view->tree_count++];
    **out = (cs_status_tree){.folder = CS_STATUS_UNKNOWN};
    memcpy((*out)->known.id, id, CS_ID_HEX);
    return CS_OK;
}

static cs_status keep_record(cs_run *run, cs_status_tree *tree, cs_status status, const cs_error *error) {
    tree->has_record = status == CS_OK;
    if (status == CS_OK || status == CS_E_NOT_FOUND || status == CS_E_NOTHING) return CS_OK;
    tree->problem_status = status;
    return problem_text(run, error, &tree->problem);
}

static void file_time(const cs_run *run, const char *path, bool *has, int64_t *time) {
    const cs_fs *fs = run->host->fs;
    cs_file_info info;
    *has = fs->stat(fs->ctx, path, &info, NULL) == CS_OK;
    if (*has) *time = info.written;
}

/* ---- with the right to look into P\state ---- */

static cs_status add_work(cs_run *run, cs_status_tree *tree, const char *name, cs_status_work **out) {
    cs_status_work *works = cs_realloc(tree->works, tree->work_count + 1, sizeof *works);
    if (!works) return no_memory(run);
    tree->works = works;
    *out = &works[tree->work_count++];
    **out = (cs_status_work){.name = name};
    cs_buffer path = {0};
    if (cs_engine_state_path(&run->session, tree->known.id, name, &path, NULL) == CS_OK)
        file_time(run, path.data, &(*out)->has_time, &(*out)->time);
    cs_buffer_free(&path);
    return CS_OK;
}

static cs_status read_work(cs_run *run, cs_status_tree *tree, const char *name) {
    cs_status_work *work = NULL;
    cs_record record = {0};
    cs_error error = {0};
    cs_status status = add_work(run, tree, name, &work);
    if (status != CS_OK) return status;
    if (cs_engine_read_record(&run->session, tree->known.id, name, &record, &error) != CS_OK)
        return problem_text(run, &error, &work->problem);
    work->readable = true;
    work->kind = record.kind;
    work->values = record.reg_count;
    for (size_t i = 0; i < record.move_count; i++) { /* a file that is replaced has two moves */
        bool first = true;
        for (size_t j = 0; j < i; j++) first = first && strcmp(record.moves[j].target, record.moves[i].target) != 0;
        work->files += first;
    }
    work->path = cs_strdup(record.tree_path);
    if (!tree->known.head.tree_path && work->path) tree->known.head.tree_path = cs_strdup(record.tree_path);
    cs_record_free(&record);
    return work->path ? CS_OK : no_memory(run);
}

static cs_status read_intent(cs_run *run, cs_status_tree *tree) {
    cs_status_work *work = NULL;
    cs_buffer path = {0};
    cs_error error = {0};
    cs_status status = add_work(run, tree, "intent", &work);
    if (status != CS_OK) return status;
    if (cs_engine_read_intent(&run->session, tree->known.id, &path, &error) != CS_OK) {
        status = problem_text(run, &error, &work->problem);
    } else {
        work->readable = true;
        work->path = cs_strdup(cs_buffer_string(&path));
        if (!work->path) status = no_memory(run);
        if (!tree->known.head.tree_path && work->path) tree->known.head.tree_path = cs_strdup(work->path);
    }
    cs_buffer_free(&path);
    return status;
}

static cs_status read_works(cs_run *run, cs_status_tree *tree) {
    cs_engine engine = cs_engine_start(&run->session, tree->known.id, NULL, NULL);
    cs_state_names names = {0};
    cs_error error = {0};
    cs_status status = cs_engine_state_names(&engine, &names, &error);
    cs_engine_end(&engine);
    if (status != CS_OK) return tree->problem ? CS_OK : problem_text(run, &error, &tree->problem);
    if (names.journal) status = read_work(run, tree, "journal");
    if (status == CS_OK && names.committed) status = read_work(run, tree, "committed");
    if (status == CS_OK && names.undone) status = read_work(run, tree, "undone");
    /* An intent beside a journal is the journal's own. */
    if (status == CS_OK && !tree->work_count && (names.intent || names.temporary)) status = read_intent(run, tree);
    tree->known.pending = names.committed ? CS_PENDING_COMMITTED
                          : names.undone  ? CS_PENDING_UNDONE
                          : names.journal ? CS_PENDING_JOURNAL
                                          : CS_PENDING_NONE;
    return status;
}

/* The other verbs' own word on a tree that they leave alone: with the way out. */
static cs_status take_blocked(cs_run *run, cs_status_tree *tree) {
    for (size_t i = 0; i < run->trees.blocked_count; i++) {
        const cs_blocked_tree *blocked = &run->trees.blocked[i];
        if (strcmp(blocked->id, tree->known.id) != 0) continue;
        if (blocked->path && !tree->known.head.tree_path) tree->known.head.tree_path = cs_strdup(blocked->path);
        cs_buffer text = {0};
        cs_buffer_format(&text, "%s: %s", blocked->error.path, blocked->error.detail);
        cs_free(tree->problem);
        tree->problem = cs_strdup(cs_buffer_string(&text));
        cs_buffer_free(&text);
        return tree->problem ? CS_OK : no_memory(run);
    }
    return CS_OK;
}

static cs_status read_state_tree(cs_run *run, cs_status_view *view, const char *id) {
    cs_status_tree *tree = NULL;
    cs_error error = {0};
    cs_buffer path = {0};
    cs_status status = add_tree(run, view, id, &tree);
    if (status != CS_OK) return status;
    status = cs_session_head(&run->session, id, &tree->known.head, NULL, &error);
    /* No rights, and no damage: the readable copy is for that. */
    if (status == CS_E_ACCESS && !run->host->system->is_administrator(run->host->system->ctx)) return status;
    status = keep_record(run, tree, status, &error);
    /* What stands beside a head and cannot be believed is no reason not to show the head. */
    if (status == CS_OK && tree->problem)
        tree->has_record = cs_engine_read_record(&run->session, id, "head", &tree->known.head, NULL) == CS_OK;
    if (status == CS_OK && cs_engine_state_path(&run->session, id, "head", &path, NULL) == CS_OK)
        file_time(run, path.data, &tree->has_time, &tree->time);
    if (status == CS_OK) status = read_works(run, tree);
    if (status == CS_OK) status = take_blocked(run, tree);
    cs_buffer_free(&path);
    if (status == CS_OK && !tree->has_record && !tree->problem && !tree->work_count) view->tree_count--; /* an empty folder */
    return status;
}

static cs_status read_state(cs_run *run, cs_status_view *view) {
    cs_strings ids = {0};
    cs_status status = run->session.state ? cs_session_trees(&run->session, &ids, &run->error) : CS_E_ACCESS;
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) status = read_state_tree(run, view, ids.items[i]);
    cs_strings_free(&ids);
    return status;
}

/* ---- without ---- */

static cs_status note_entry(void *ctx, const char *name) {
    static const char prefix[] = CS_DERIVE_ENTRY_PREFIX;
    const char *id = name + sizeof prefix - 1;
    if (!cs_text_starts_with(name, prefix) || strlen(id) != CS_ID_HEX || strspn(id, "0123456789abcdef") != CS_ID_HEX)
        return CS_OK;
    return cs_strings_add(ctx, id, NULL);
}

/* Apps & Features names a tree whose readable copy is lost. */
static cs_status add_lost(cs_run *run, cs_status_view *view) {
    const cs_registry *registry = run->host->registry;
    cs_strings ids = {0};
    cs_status status = CS_OK;
    if (!registry) return CS_OK;
    registry->list_keys(registry->ctx, CS_HKLM, CS_KEY_UNINSTALL, note_entry, &ids, NULL);
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) {
        cs_status_tree *tree = NULL;
        bool known = false;
        for (size_t j = 0; j < view->tree_count; j++) known = known || strcmp(view->trees[j].known.id, ids.items[i]) == 0;
        if (known) continue;
        status = add_tree(run, view, ids.items[i], &tree);
        if (status != CS_OK) break;
        tree->problem_status = CS_E_NOT_FOUND;
        tree->problem = cs_strdup("Apps & Features has an entry of it, and its readable copy in the status folder is missing");
        if (!tree->problem) status = no_memory(run);
    }
    cs_strings_free(&ids);
    return status;
}

static cs_status read_copy(cs_run *run, cs_status_view *view, const char *id) {
    cs_status_tree *tree = NULL;
    cs_error error = {0};
    cs_buffer path = {0};
    cs_status status = add_tree(run, view, id, &tree);
    if (status != CS_OK) return status;
    status = cs_derive_read_status(&run->session, id, &tree->known.head, &error);
    if (status == CS_E_NOTHING) cs_fail(&error, status = CS_E_CHANGED, "read", id, "it has just been removed");
    status = keep_record(run, tree, status, &error);
    cs_buffer_format(&path, "%s%cstatus%c%s.json", run->session.programs, run->host->fs->separator, run->host->fs->separator, id);
    if (status == CS_OK && !path.failed && tree->has_record) file_time(run, path.data, &tree->has_time, &tree->time);
    cs_buffer_free(&path);
    return status;
}

static cs_status read_copies(cs_run *run, cs_status_view *view) {
    cs_strings ids = {0};
    view->copy = true;
    cs_status status = not_seen(run, view,
                                "The records themselves, which administrators alone may read: this is the readable copy that "
                                "the last run left.");
    if (status == CS_OK)
        status = not_seen(run, view,
                          "Which work is pending, and in which tree: only whether the recovery service is registered can be "
                          "seen, and it is there as long as work is pending.");
    if (status == CS_OK) status = cs_derive_status_trees(&run->session, &ids, &run->error);
    for (size_t i = 0; i < ids.count && status == CS_OK; i++) status = read_copy(run, view, ids.items[i]);
    cs_strings_free(&ids);
    return status == CS_OK ? add_lost(run, view) : status;
}

/* ---- both ---- */

/* A run at work holds the lock with share 0; the file itself stays after a run. Nothing is created. */
static bool is_running(const cs_run *run) {
    const cs_fs *fs = run->host->fs;
    cs_buffer path = {0};
    cs_file *file = NULL;
    if (!run->session.state || cs_path_join(&path, fs->separator, run->session.state, "lock", NULL) != CS_OK) return false;
    cs_status status = fs->open(fs->ctx, path.data, CS_OPEN_WATCH, &file, NULL);
    fs->close(fs->ctx, file);
    cs_buffer_free(&path);
    return status == CS_E_SHARING;
}

cs_status cs_status_gather_records(cs_run *run, cs_status_view *out) {
    const cs_system *system = run->host->system;
    if (!run->session.programs) return CS_OK; /* no P\state: nothing was ever installed */
    out->service = system->recovery_service(system->ctx);
    cs_status status = read_state(run, out);
    if (status == CS_E_ACCESS) {
        cs_status_view empty = {.host = out->host, .service = out->service};
        cs_status_view_free(out);
        *out = empty;
        return read_copies(run, out);
    }
    out->running = is_running(run);
    return status;
}
