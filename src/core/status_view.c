#include "cudnn_setup/status_view.h"

#include <string.h>

const char *cs_value_fate_word(cs_value_fate fate) {
    static const char *const words[CS_VALUE_FATES] = {
        [CS_VALUE_WRITTEN] = "as-written", [CS_VALUE_EDITED] = "edited",      [CS_VALUE_BEFORE] = "as-before",
        [CS_VALUE_OTHER] = "other",        [CS_VALUE_REPLACED] = "rewritten", [CS_VALUE_UNREADABLE] = "unreadable"};
    return words[fate];
}

static void free_level(cs_status_level *level) {
    for (size_t i = 0; i < level->value_count; i++) {
        cs_value_diff_free(&level->values[i].diff);
        cs_reg_value_free(&level->values[i].now);
    }
    cs_free(level->values);
}

static void free_tree(cs_status_tree *tree) {
    for (size_t i = 0; i < tree->level_count; i++) free_level(&tree->levels[i]);
    cs_free(tree->levels);
    for (size_t i = 0; i < tree->work_count; i++) {
        cs_free(tree->works[i].path);
        cs_free(tree->works[i].problem);
    }
    cs_free(tree->works);
    for (size_t i = 0; i < tree->file_count; i++) {
        cs_free(tree->files[i].path);
        cs_free(tree->files[i].target);
    }
    cs_free(tree->files);
    cs_free(tree->problem);
    cs_free(tree->private_problem);
    cs_plan_free(&tree->rollback.plan);
    cs_plan_free(&tree->uninstall.plan);
    cs_free(tree->rollback.problem);
    cs_free(tree->uninstall.problem);
    cs_record_free(&tree->known.head);
}

void cs_status_view_free(cs_status_view *view) {
    for (size_t i = 0; i < view->tree_count; i++) free_tree(&view->trees[i]);
    cs_free(view->trees);
    cs_strings_free(&view->not_seen);
    *view = (cs_status_view){0};
}

/* ---- which trees ---- */

static bool is_meant(const cs_run *run, const cs_status_view *view, size_t index, size_t by_path) {
    const cs_options *options = run->options;
    if (options->tree) return cs_text_equal_ascii_case(view->trees[index].known.id, options->tree);
    return !options->cuda || index == by_path;
}

/* The same way of finding a tree by its path as every other verb has. */
static cs_status find_by_path(const cs_run *run, const cs_status_view *view, size_t *out, cs_error *error) {
    cs_known_trees known = {.count = view->tree_count};
    *out = view->tree_count;
    if (!run->options->cuda || !view->tree_count) return CS_OK;
    known.items = cs_alloc(view->tree_count, sizeof *known.items);
    if (!known.items) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < view->tree_count; i++) {
        known.items[i] = view->trees[i].known; /* borrowed */
        if (!known.items[i].head.tree_path) known.items[i].head.tree_path = "";
    }
    *out = cs_trees_find(run->host, &known, run->options->cuda);
    cs_free(known.items);
    return CS_OK;
}

static cs_status choose(cs_run *run, cs_status_view *view) {
    size_t by_path = 0, kept = 0;
    cs_status status = find_by_path(run, view, &by_path, &run->error);
    if (status != CS_OK || (!run->options->tree && !run->options->cuda)) return status;
    for (size_t i = 0; i < view->tree_count; i++) {
        if (is_meant(run, view, i, by_path))
            view->trees[kept++] = view->trees[i];
        else
            free_tree(&view->trees[i]);
    }
    view->tree_count = kept;
    const char *wanted = run->options->tree ? run->options->tree : run->options->cuda;
    return kept ? CS_OK : cs_fail(&run->error, CS_E_NOTHING, NULL, wanted, "cudnn-setup has not installed anything there");
}

/* The levels of all trees first: which value is whose takes them all. */
cs_status cs_status_gather(cs_run *run, bool effects, cs_status_view *out) {
    *out = (cs_status_view){.host = run->host};
    cs_status status = cs_status_gather_records(run, out);
    for (size_t i = 0; i < out->tree_count && status == CS_OK; i++) status = cs_status_gather_levels(run, out, &out->trees[i]);
    if (status == CS_OK) status = choose(run, out);
    for (size_t i = 0; i < out->tree_count && status == CS_OK; i++) {
        status = cs_status_gather_folder(run, &out->trees[i]);
        if (status == CS_OK) status = cs_status_gather_private(run, &out->trees[i]);
        if (status == CS_OK && effects) status = cs_status_gather_effects(run, &out->trees[i]);
    }
    return status;
}
