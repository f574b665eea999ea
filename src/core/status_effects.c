/* The last part of /status: where the tree is, and what rollback and uninstall would do in it now. */
#include <string.h>

#include "cudnn_setup/status_view.h"
#include "engine.h"

/* What there is to say is in the view, not among the run's notes. */
static cs_host quiet_host(const cs_run *run) {
    cs_host quiet = *run->host;
    quiet.events = NULL;
    return quiet;
}

static cs_status problem(cs_run *run, const cs_error *error, char **out) {
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    cs_error_text(error, text, sizeof text);
    *out = cs_strdup(text);
    return *out && error->status != CS_E_NO_MEMORY ? CS_OK : cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
}

cs_status cs_status_gather_folder(cs_run *run, cs_status_tree *tree) {
    static const cs_status_folder folders[] = {[CS_TREE_HERE] = CS_STATUS_HERE,
                                               [CS_TREE_GONE] = CS_STATUS_GONE,
                                               [CS_TREE_AWAY] = CS_STATUS_AWAY,
                                               [CS_TREE_LINK] = CS_STATUS_LINK};
    const cs_record *head = &tree->known.head;
    cs_host quiet = quiet_host(run);
    cs_tree_place place = {0};
    cs_tree_state state;
    cs_error error = {0};
    if (!head->tree_path) return CS_OK;
    cs_engine engine = cs_engine_start(&run->session, tree->known.id, head->tree_path, NULL);
    engine.impatient = true; /* a look does not wait for scanners */
    cs_status status = cs_engine_find_tree(&engine, head, &state, &error);
    cs_engine_end(&engine);
    if (status == CS_OK) tree->folder = folders[state];
    if (status == CS_OK && state == CS_TREE_HERE) {
        status = cs_tree_locate(&quiet, &tree->known, NULL, &place, &error);
        if (status == CS_OK && place.strangers) tree->folder = CS_STATUS_STRANGE;
        cs_tree_place_free(&place);
    }
    return status == CS_E_NO_MEMORY ? cs_fail(&run->error, CS_E_NO_MEMORY, NULL, NULL, NULL) : CS_OK;
}

static void count_states(cs_status_effect *effect) {
    for (size_t i = 0; i < effect->plan.row_count; i++) {
        const char *state = effect->plan.rows[i].state;
        effect->restored += strcmp(state, "restored") == 0;
        effect->removed += strcmp(state, "removed") == 0;
        effect->kept += strcmp(state, "kept") == 0;
        effect->missing += strcmp(state, "missing") == 0;
        effect->same += strcmp(state, "same") == 0;
    }
}

static cs_status plan_undo(cs_run *run, const cs_status_tree *tree, size_t depth, cs_kind kind, cs_plan *plan, cs_error *error) {
    const cs_record *head = &tree->known.head;
    const cs_receipt *drop = &head->stack[head->stack_count - depth];
    cs_host quiet = quiet_host(run);
    cs_tree_place place = {0};
    cs_environment_plan environment = {0};
    const cs_receipt **others = NULL;
    size_t count = 0;
    char txid[CS_ID_HEX + 1];
    cs_status status = cs_tree_locate(&quiet, &tree->known, NULL, &place, error);
    if (status == CS_OK) status = cs_plan_new_txid(&quiet, txid, error);
    if (status == CS_OK && quiet.registry && !place.strangers) {
        status = cs_trees_receipts(&run->trees, tree->known.id, depth, &others, &count, error);
        if (status == CS_OK)
            status = cs_environment_plan_undo(&quiet, head->tree_path, drop, depth, others, count, &environment, error);
        cs_free(others);
    }
    if (status == CS_OK)
        status = cs_plan_undo(plan, &quiet, &place.tree, txid, kind, head, depth, place.strangers, place.gone, error);
    if (status == CS_OK) status = cs_plan_add_changes(plan, &environment, error);
    cs_environment_plan_free(&environment);
    cs_tree_place_free(&place);
    return status;
}

static cs_status gather_one(cs_run *run, const cs_status_tree *tree, size_t depth, cs_kind kind, cs_status_effect *effect) {
    cs_error error = {0};
    effect->asked = true;
    cs_status status = CS_OK;
    if (tree->known.pending != CS_PENDING_NONE)
        status = cs_fail(&error, CS_E_PENDING, NULL, NULL, "the interrupted work comes first: cudnn-setup /recover");
    else if (tree->folder == CS_STATUS_AWAY)
        status = cs_fail(&error, CS_E_NOT_FOUND, NULL, tree->known.head.tree_path,
                         "its drive is not there, or another one has its letter; connect it first (/force gives up what lies on "
                         "it)");
    else
        status = plan_undo(run, tree, depth, kind, &effect->plan, &error);
    if (status != CS_OK) return problem(run, &error, &effect->problem);
    count_states(effect);
    return CS_OK;
}

cs_status cs_status_gather_effects(cs_run *run, cs_status_tree *tree) {
    size_t count = tree->known.head.stack_count;
    if (!count) return CS_OK;
    cs_status status = count > 1 ? gather_one(run, tree, 1, CS_KIND_ROLLBACK, &tree->rollback) : CS_OK;
    return status == CS_OK ? gather_one(run, tree, count, CS_KIND_UNINSTALL, &tree->uninstall) : status;
}
