/* What /status tells people. */
#include <string.h>

#include "cudnn_setup/status_view.h"
#include "cudnn_setup/text.h"
#include "cudnn_setup/wording.h"
#include "record_rules.h"

/* Text from records, the registry and the disk: one line stays one line. */
static void visible(cs_buffer *out, const char *before, const char *text, const char *after) {
    cs_buffer_text(out, before);
    cs_text_visible(out, text ? text : "(unknown)");
    cs_buffer_text(out, after);
}

/* ---- trust ---- */

static void say_hash(cs_buffer *out, const char *what, const uint8_t sha256[CS_SHA256_SIZE]) {
    char hex[CS_SHA256_HEX + 1];
    cs_hex(sha256, CS_SHA256_SIZE, hex);
    cs_buffer_format(out, "%s SHA-256 %s", what, hex);
}

void cs_status_say_trust(cs_buffer *out, const cs_trust *trust, bool builtin) {
    const char *manifest = builtin ? "the built-in manifest" : "a manifest that this program does not carry";
    if (trust->sample) cs_buffer_text(out, "a sample, not NVIDIA's package; ");
    switch (trust->kind) {
    case CS_TRUST_PINNED:
        cs_buffer_format(out, "the archive as a whole, pinned by %s (", manifest);
        break;
    case CS_TRUST_SEALED:
        cs_buffer_format(out, "each file, sealed by %s (", manifest);
        break;
    case CS_TRUST_UNVERIFIED:
        cs_buffer_text(out, "unverified copy, nobody vouches for it (");
        break;
    case CS_TRUST_NONE:
        cs_buffer_text(out, "none (");
        break;
    }
    if (trust->has_archive_sha256) say_hash(out, "archive", trust->archive_sha256);
    if (trust->has_archive_sha256) cs_buffer_text(out, ", ");
    say_hash(out, "manifest", trust->manifest_sha256);
    cs_buffer_text(out, ")");
}

/* ---- one receipt ---- */

static void say_fate(const cs_status_value *value, cs_buffer *out) {
    switch (value->fate) {
    case CS_VALUE_WRITTEN:
        cs_buffer_text(out, "now: as written");
        break;
    case CS_VALUE_EDITED:
        cs_buffer_text(out, "now: edited by somebody since");
        break;
    case CS_VALUE_BEFORE:
        cs_buffer_text(out, "now: as it was before, so somebody put it back");
        break;
    case CS_VALUE_OTHER:
        cs_buffer_text(out, value->change->variable == CS_VARIABLE_PATH ? "now: changed by somebody, and our folder is not in it"
                                                                        : "now: changed by somebody to ");
        if (value->change->variable != CS_VARIABLE_PATH) cs_value_show(out, &value->now);
        break;
    case CS_VALUE_REPLACED:
        cs_buffer_text(out, "written again by a newer installation");
        break;
    case CS_VALUE_UNREADABLE:
    case CS_VALUE_FATES:
        cs_buffer_text(out, "now: cannot be read");
        break;
    }
    if (value->has_place) cs_buffer_format(out, "; our folder is entry [%zu]", value->place);
    cs_buffer_text(out, "\n");
}

static void say_value(const cs_status_view *view, const char *tree_path, const cs_status_value *value, cs_buffer *out) {
    cs_value_change_say(out, view->host, tree_path, value->change, "    ", false);
    cs_buffer_text(out, "      ");
    say_fate(value, out);
}

static void say_level(const cs_status_view *view, const cs_status_tree *tree, size_t index, cs_buffer *out) {
    const cs_status_level *level = &tree->levels[index];
    const cs_receipt *receipt = level->receipt;
    cs_buffer counts = {0};
    cs_buffer_text(out, index ? "\n  Before that: " : "\n  Installed: ");
    visible(out, "", receipt->product, " ");
    visible(out, "", receipt->version, ", ");
    cs_say_time(out, view->host, receipt->time);
    cs_buffer_text(out, "\n    trust: ");
    cs_status_say_trust(out, &receipt->trust, level->builtin);
    cs_say_part(&counts, level->ours, "placed by us");
    cs_say_part(&counts, level->already, "right already and not ours");
    cs_buffer_format(out, "\n    files: %s\n    undo data: ", cs_buffer_string(&counts));
    cs_say_count(out, level->undo_files, "older file", "older files");
    if (level->undo_files) cs_buffer_text(out, ", ");
    if (level->undo_files) cs_say_bytes(out, level->undo_bytes);
    if (level->undo_absent) cs_buffer_format(out, "; %zu of them not there any more", level->undo_absent);
    cs_buffer_text(out, "\n");
    for (size_t i = 0; i < level->value_count; i++) say_value(view, tree->known.head.tree_path, &level->values[i], out);
    cs_buffer_free(&counts);
}

/* ---- what is pending ---- */

static void say_future(const cs_status_work *work, cs_buffer *out) {
    if (!work->readable)
        visible(out, "cannot be read, so /recover touches nothing: ", work->problem, "");
    else if (strcmp(work->name, "committed") == 0)
        cs_buffer_text(out, "it had been carried out; /recover clears up after it");
    else if (strcmp(work->name, "undone") == 0)
        cs_buffer_text(out, "it has been taken back; /recover clears up after it");
    else
        cs_buffer_text(out, "/recover takes back what was done of it");
}

static void say_work(const cs_status_view *view, const cs_status_work *work, cs_buffer *out) {
    bool intent = strcmp(work->name, "intent") == 0;
    cs_buffer_text(out, intent ? "  An installation that was prepared and not begun" : "  Interrupted");
    if (!intent) cs_buffer_format(out, " %s", work->readable ? cs_kind_names[work->kind] : "work");
    if (work->has_time) cs_buffer_text(out, intent ? ", of " : " of ");
    if (work->has_time) cs_say_time(out, view->host, work->time);
    if (intent) {
        cs_buffer_text(out, "; the next changing run, /recover for one, drops what was unpacked");
        if (work->path) visible(out, " in ", work->path, "");
    } else {
        if (work->readable) cs_buffer_text(out, ", about ");
        if (work->readable) cs_say_count(out, work->files, "file", "files");
        if (work->readable) cs_buffer_text(out, " and ");
        if (work->readable) cs_say_count(out, work->values, "environment value", "environment values");
        cs_buffer_text(out, ": ");
        say_future(work, out);
    }
    cs_buffer_text(out, ".\n");
}

/* ---- files of ours in the tree ---- */

static void say_files(const cs_status_tree *tree, cs_status_what what, cs_buffer *out) {
    static const char *const titles[CS_PRIVATE_COUNT] = {
        [CS_PRIVATE_PARKED] = "Kept aside, since they were not ours to delete; only /forget /force drops them:",
        [CS_PRIVATE_UNNAMED] = "Older files that no record names; nothing of ours deletes them:",
        [CS_PRIVATE_WAITING] = "No longer needed; the next changing run deletes them:",
        [CS_PRIVATE_LEFTOVER] = "Left over from an interrupted unpacking; the next changing run deletes them:"};
    bool titled = false;
    for (size_t i = 0; i < tree->file_count; i++) {
        const cs_status_file *file = &tree->files[i];
        if (file->what != what) continue;
        if (!titled) cs_buffer_format(out, "\n  %s\n", titles[what]);
        titled = true;
        visible(out, "    ", file->path, ", ");
        if (file->there)
            cs_say_bytes(out, file->size);
        else
            cs_buffer_text(out, "not there any more");
        if (file->target) visible(out, ", was ", file->target, "");
        cs_buffer_text(out, "\n");
    }
}

/* ---- what undoing would do ---- */

static void say_names(const cs_plan *plan, const char *state, const char *title, cs_buffer *out) {
    bool any = false;
    for (size_t i = 0; i < plan->row_count; i++) {
        if (strcmp(plan->rows[i].state, state) != 0) continue;
        cs_buffer_text(out, any ? ", " : title);
        cs_text_visible(out, plan->rows[i].target);
        any = true;
    }
    if (any) cs_buffer_text(out, "\n");
}

static void say_counts(const cs_status_effect *effect, const cs_receipt *after, cs_buffer *out) {
    cs_buffer counts = {0};
    cs_say_part(&counts, effect->removed, "removed");
    cs_say_part(&counts, effect->restored, "put back");
    cs_say_part(&counts, effect->same, "already as before");
    cs_say_part(&counts, effect->kept, "kept, changed by somebody");
    cs_say_part(&counts, effect->missing, "missing, removed by somebody");
    cs_buffer_format(out, "files: %s", counts.size ? counts.data : "nothing to change");
    if (after) visible(out, "; then ", after->product, " ");
    if (after) visible(out, "", after->version, " is in place again");
    cs_buffer_text(out, "\n");
    cs_buffer_free(&counts);
}

static void say_effect(const cs_status_view *view, const cs_status_tree *tree, const char *verb, const cs_status_effect *effect,
                       const cs_receipt *after, cs_buffer *out) {
    if (!effect->asked) return;
    cs_buffer_format(out, "\n  What %s would do now:\n    ", verb);
    if (effect->problem) {
        visible(out, "cannot be told: ", effect->problem, ".\n");
        return;
    }
    say_counts(effect, after, out);
    say_names(&effect->plan, "kept", "    kept: ", out);
    say_names(&effect->plan, "missing", "    missing: ", out);
    for (size_t i = 0; i < effect->plan.record.reg_count; i++)
        cs_value_change_say(out, view->host, tree->known.head.tree_path, &effect->plan.record.regs[i], "    ", true);
}

/* ---- a tree ---- */

static void say_folder(const cs_status_tree *tree, cs_buffer *out) {
    static const char *const sentences[CS_STATUS_FOLDERS] = {
        [CS_STATUS_GONE] = "The folder is not there any more; /uninstall cleans the environment and our own files.",
        [CS_STATUS_LINK] = "A link or a file stands in its place; what is behind it is not touched.",
        [CS_STATUS_AWAY] = "Its drive is not there, or another one has its letter.",
        [CS_STATUS_STRANGE] = "CUDA was installed anew there: the files in it are not ours.",
        [CS_STATUS_UNKNOWN] = "The folder cannot be looked at."};
    if (tree->known.head.tree_path && sentences[tree->folder]) cs_buffer_format(out, "  %s\n", sentences[tree->folder]);
}

static void say_head(const cs_status_view *view, const cs_status_tree *tree, cs_buffer *out) {
    visible(out, "", tree->known.head.tree_path ? tree->known.head.tree_path : "A CUDA tree whose place is not known", "\n");
    cs_buffer_format(out, "  id: %s\n", tree->known.id);
    if (tree->has_record) cs_buffer_format(out, "  last change: %s", cs_kind_names[tree->known.head.kind]);
    if (tree->has_record && tree->has_time) cs_buffer_text(out, ", ");
    if (tree->has_record && tree->has_time) cs_say_time(out, view->host, tree->time);
    if (tree->has_record) cs_buffer_text(out, "\n");
    say_folder(tree, out);
    if (tree->problem)
        visible(out, view->copy ? "  Its readable copy cannot be used: " : "  Its record cannot be used: ", tree->problem, ".\n");
    for (size_t i = 0; i < tree->work_count; i++) say_work(view, &tree->works[i], out);
}

static void say_total(const cs_status_tree *tree, cs_buffer *out) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < tree->level_count; i++) bytes += tree->levels[i].undo_bytes;
    if (tree->level_count < 2) return;
    cs_buffer_text(out, "\n  Undo data in all: ");
    cs_say_bytes(out, bytes);
    cs_buffer_text(out, "\n");
}

static void say_tree(const cs_status_view *view, const cs_status_tree *tree, cs_buffer *out) {
    size_t levels = tree->level_count;
    say_head(view, tree, out);
    for (size_t i = 0; i < levels; i++) say_level(view, tree, i, out);
    say_total(tree, out);
    for (size_t what = 0; what < CS_PRIVATE_COUNT; what++) say_files(tree, (cs_status_what)what, out);
    if (tree->private_problem) visible(out, "\n  Our private folder could not be looked through: ", tree->private_problem, ".\n");
    say_effect(view, tree, "/rollback", &tree->rollback, levels > 1 ? tree->levels[1].receipt : NULL, out);
    say_effect(view, tree, levels > 1 ? "/uninstall" : "/rollback or /uninstall", &tree->uninstall, NULL, out);
}

void cs_status_say_pending(const cs_status_view *view, cs_buffer *out) {
    for (size_t i = 0; i < view->tree_count; i++) {
        const cs_status_tree *tree = &view->trees[i];
        if (!tree->work_count) continue;
        visible(out, "", tree->known.head.tree_path ? tree->known.head.tree_path : "A CUDA tree whose place is not known", "\n");
        for (size_t k = 0; k < tree->work_count; k++) say_work(view, &tree->works[k], out);
    }
}

void cs_status_say(const cs_status_view *view, cs_buffer *out) {
    for (size_t i = 0; i < view->tree_count; i++) {
        if (i) cs_buffer_text(out, "\n");
        say_tree(view, &view->trees[i], out);
    }
    if (view->running) cs_buffer_text(out, "\nAnother run of cudnn-setup is at work now: what is pending is its work.\n");
    if (view->not_seen.count)
        cs_buffer_text(out, view->tree_count ? "\nNot seen without administrator rights:\n"
                                             : "Not seen without administrator rights:\n");
    for (size_t i = 0; i < view->not_seen.count; i++) cs_buffer_format(out, "  %s\n", view->not_seen.items[i]);
}
