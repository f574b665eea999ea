/* What /status tells machines; docs/result.schema.json describes it. */
#include "cudnn_setup/status_view.h"
#include "cudnn_setup/text.h"
#include "cudnn_setup/wording.h"
#include "record_rules.h"

static void put_known(cs_json_writer *json, const char *key, const char *text) {
    if (text) cs_json_put_text(json, key, text);
}

static void put_time(const cs_status_view *view, cs_json_writer *json, int64_t time) {
    char text[32];
    cs_buffer local = {0};
    cs_time_text(time, text);
    cs_json_put_text(json, "time", text);
    if (cs_say_local_time(&local, view->host, time)) cs_json_put_text(json, "local_time", cs_buffer_string(&local));
    cs_buffer_free(&local);
}

static void put_trust(cs_json_writer *json, const cs_trust *trust, bool builtin) {
    if (trust->kind == CS_TRUST_NONE) return;
    cs_json_begin_line(json, "trust", '{');
    cs_json_put_text(json, "kind", cs_trust_text(trust->kind));
    if (trust->has_archive_sha256) cs_json_put_hex(json, "archive_sha256", trust->archive_sha256, CS_SHA256_SIZE);
    cs_json_put_hex(json, "manifest_sha256", trust->manifest_sha256, CS_SHA256_SIZE);
    cs_json_put_bool(json, "builtin", builtin);
    cs_json_put_bool(json, "sample", trust->sample);
    cs_json_end(json, '}');
}

/* ---- values ---- */

static void put_type(cs_json_writer *json, const cs_reg_change *change) {
    cs_buffer type = {0};
    cs_value_type(&type, change->now.present ? change->now.type : change->old.type);
    cs_json_put_text(json, "type", cs_buffer_string(&type));
    cs_buffer_free(&type);
}

static void put_side(cs_json_writer *json, const char *key, const cs_reg_value *value) {
    cs_buffer text = {0};
    if (value->present && cs_reg_value_to_text(value, &text, NULL) == CS_OK) cs_json_put_text(json, key, cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void put_change(cs_json_writer *json, const cs_reg_change *change, const cs_value_diff *diff) {
    cs_json_put_text(json, "name", change->name);
    put_type(json, change);
    put_side(json, "old", &change->old);
    put_side(json, "new", &change->now);
    cs_value_put_entries(json, diff);
}

static void put_values(cs_json_writer *json, const cs_status_level *level) {
    cs_json_begin(json, "registry", '[');
    for (size_t i = 0; i < level->value_count; i++) {
        const cs_status_value *value = &level->values[i];
        cs_json_begin(json, NULL, '{');
        put_change(json, value->change, &value->diff);
        cs_json_put_text(json, "state", cs_value_fate_word(value->fate));
        if (value->has_place) cs_json_put_uint(json, "place", value->place);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

/* ---- a tree ---- */

static void put_level(const cs_status_view *view, cs_json_writer *json, const cs_status_level *level) {
    const cs_receipt *receipt = level->receipt;
    cs_json_begin(json, NULL, '{');
    cs_json_put_text(json, "kind", "install");
    cs_json_put_text(json, "product", receipt->product);
    cs_json_put_text(json, "version", receipt->version);
    cs_json_put_uint(json, "cudnn_version", receipt->cudnn_version);
    put_time(view, json, receipt->time);
    put_trust(json, &receipt->trust, level->builtin);
    cs_json_put_uint(json, "files_ours", level->ours);
    cs_json_put_uint(json, "files_already_right", level->already);
    cs_json_put_uint(json, "undo_files", level->undo_files);
    cs_json_put_uint(json, "undo_bytes", level->undo_bytes);
    if (level->undo_absent) cs_json_put_uint(json, "undo_absent", level->undo_absent);
    put_values(json, level);
    cs_json_end(json, '}');
}

static void put_works(const cs_status_view *view, cs_json_writer *json, const cs_status_tree *tree) {
    cs_json_begin(json, "pending", '[');
    for (size_t i = 0; i < tree->work_count; i++) {
        const cs_status_work *work = &tree->works[i];
        bool record = work->readable && cs_text_compare_ascii_case(work->name, "intent") != 0;
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_text(json, "what", work->name);
        if (record) cs_json_put_text(json, "kind", cs_kind_names[work->kind]);
        if (work->has_time) put_time(view, json, work->time);
        if (record) cs_json_put_uint(json, "files", work->files);
        if (record) cs_json_put_uint(json, "values", work->values);
        put_known(json, "path", work->path);
        put_known(json, "problem", work->problem);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

static void put_files(cs_json_writer *json, const cs_status_tree *tree, cs_status_what what) {
    static const char *const keys[CS_PRIVATE_COUNT] = {[CS_PRIVATE_PARKED] = "parked",
                                                       [CS_PRIVATE_UNNAMED] = "unnamed",
                                                       [CS_PRIVATE_WAITING] = "waiting",
                                                       [CS_PRIVATE_LEFTOVER] = "leftovers"};
    cs_json_begin(json, keys[what], '[');
    for (size_t i = 0; i < tree->file_count; i++) {
        const cs_status_file *file = &tree->files[i];
        if (file->what != what) continue;
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_text(json, "path", file->path);
        put_known(json, "target", file->target);
        if (file->there) cs_json_put_uint(json, "bytes", file->size);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
}

static void put_effect(const cs_status_view *view, cs_json_writer *json, const char *tree_path, const char *key,
                       const cs_status_effect *effect) {
    if (!effect->asked) return;
    cs_json_begin(json, key, '{');
    if (effect->problem) {
        cs_json_put_text(json, "problem", effect->problem);
        cs_json_end(json, '}');
        return;
    }
    cs_json_put_uint(json, "removed", effect->removed);
    cs_json_put_uint(json, "restored", effect->restored);
    cs_json_put_uint(json, "same", effect->same);
    cs_json_put_uint(json, "kept", effect->kept);
    cs_json_put_uint(json, "missing", effect->missing);
    cs_json_begin(json, "files", '[');
    for (size_t i = 0; i < effect->plan.row_count; i++) {
        cs_json_begin_line(json, NULL, '{');
        cs_json_put_text(json, "target", effect->plan.rows[i].target);
        cs_json_put_text(json, "state", effect->plan.rows[i].state);
        cs_json_end(json, '}');
    }
    cs_json_end(json, ']');
    cs_json_begin(json, "registry", '[');
    for (size_t i = 0; i < effect->plan.record.reg_count; i++) {
        const cs_reg_change *change = &effect->plan.record.regs[i];
        cs_value_diff diff = {0};
        cs_json_begin(json, NULL, '{');
        if (cs_value_diff_make(view->host, tree_path, change, &diff, NULL) != CS_OK) json->out->failed = true;
        put_change(json, change, &diff);
        cs_json_end(json, '}');
        cs_value_diff_free(&diff);
    }
    cs_json_end(json, ']');
    cs_json_end(json, '}');
}

static void put_tree(const cs_status_view *view, cs_json_writer *json, const cs_status_tree *tree) {
    static const char *const folders[CS_STATUS_FOLDERS] = {
        [CS_STATUS_HERE] = "here", [CS_STATUS_GONE] = "gone",       [CS_STATUS_LINK] = "link",
        [CS_STATUS_AWAY] = "away", [CS_STATUS_STRANGE] = "strange", [CS_STATUS_UNKNOWN] = "unknown"};
    cs_json_begin(json, NULL, '{');
    cs_json_put_text(json, "id", tree->known.id);
    put_known(json, "path", tree->known.head.tree_path);
    cs_json_put_text(json, "folder", folders[tree->folder]);
    put_known(json, "problem", tree->problem);
    if (tree->has_record) {
        cs_json_begin_line(json, "last_change", '{');
        cs_json_put_text(json, "kind", cs_kind_names[tree->known.head.kind]);
        if (tree->has_time) put_time(view, json, tree->time);
        cs_json_end(json, '}');
    }
    cs_json_begin(json, "receipts", '[');
    for (size_t i = 0; i < tree->level_count; i++) put_level(view, json, &tree->levels[i]);
    cs_json_end(json, ']');
    put_works(view, json, tree);
    for (size_t what = 0; what < CS_PRIVATE_COUNT; what++) put_files(json, tree, (cs_status_what)what);
    put_known(json, "private_problem", tree->private_problem);
    put_effect(view, json, tree->known.head.tree_path, "rollback", tree->level_count > 1 ? &tree->rollback : &tree->uninstall);
    put_effect(view, json, tree->known.head.tree_path, "uninstall", &tree->uninstall);
    cs_json_end(json, '}');
}

void cs_status_put(const cs_status_view *view, cs_json_writer *json) {
    cs_json_begin(json, "installations", '[');
    for (size_t i = 0; i < view->tree_count; i++) put_tree(view, json, &view->trees[i]);
    cs_json_end(json, ']');
    cs_json_put_text(json, "source", view->copy ? "copy" : "records");
    cs_json_put_bool(json, "recovery_service", view->service);
    cs_json_put_bool(json, "running", view->running);
    cs_json_begin(json, "not_seen", '[');
    for (size_t i = 0; i < view->not_seen.count; i++) cs_json_put_text(json, NULL, view->not_seen.items[i]);
    cs_json_end(json, ']');
}
