/* Invariants 5, 7, 8 and 10: what has to hold of every change, looked at before it happens. */
#include <stdio.h>
#include <string.h>

#include "crash_inside.h"
#include "cudnn_setup/text.h"

static bool is_durable(crash_explorer *e, uint16_t content) { return content && crash_is_valid_record(e, content); }

/* ---- 5 ---- */

static bool is_public(const crash_op *op) {
    if (op->kind == OP_REG) return crash_slot_is_environment(op->a);
    crash_class a = crash_path_class(op->a), b = op->kind == OP_RENAME ? crash_path_class(op->b) : CLASS_FOREIGN;
    if (op->kind == OP_DATA || op->kind == OP_META) return a == CLASS_TARGET;
    return a == CLASS_TARGET || a == CLASS_TARGET_FOLDER || b == CLASS_TARGET;
}

/* A journal or a commit of the tree is durable; of any tree for what belongs to none. */
static bool has_begun(crash_explorer *e, unsigned tree) {
    for (unsigned i = 1; i <= CRASH_TREES; i++) {
        crash_records durable = crash_records_of(&e->machine.durable, i);
        if ((!tree || tree == i) && (is_durable(e, durable.journal) || is_durable(e, durable.committed))) return true;
    }
    return false;
}

/* An old file may go when a durable commit lists it, or later, when what is durable is the head that lists it. */
static bool may_drop_old(crash_explorer *e, const crash_records *durable, uint16_t path) {
    cs_blob blob;
    if (!crash_blob_of(path, &blob)) return false;
    if (durable->committed) return crash_lists_blob(crash_parsed_record(e, durable->committed), &blob);
    return !durable->journal && crash_lists_blob(crash_parsed_record(e, durable->head), &blob);
}

void crash_inv5_durable_before_it_matters(crash_explorer *e, const crash_op *op) {
    unsigned tree = op->kind == OP_REG ? 0 : crash_path_tree(op->a);
    if (is_public(op) && !has_begun(e, tree)) crash_note_bad(e, INV_ORDER, "a public change before the journal is durable");
    if (op->kind != OP_REMOVE) return;
    crash_records durable = crash_records_of(&e->machine.durable, tree);
    crash_class class = crash_path_class(op->a);
    if (class == CLASS_OLD && !may_drop_old(e, &durable, op->a))
        crash_note_bad(e, INV_ORDER, "an old file is dropped before a durable commit lists it");
    if (class == CLASS_NEW && is_durable(e, durable.journal))
        crash_note_bad(e, INV_ORDER, "a new file is dropped while the journal may come back");
    if (class == CLASS_TARGET) crash_note_bad(e, INV_ORDER, "a target is deleted instead of moved");
}

/* ---- 7 ---- */

/* Some record that stands now moves this very file. */
static bool is_recorded(crash_explorer *e, const crash_records *now, uint16_t file) {
    const uint16_t all[] = {now->journal, now->committed, now->undone, now->head};
    for (size_t i = 0; i < 4; i++)
        if (crash_move_of(crash_parsed_record(e, all[i]), file)) return true;
    return false;
}

static bool moves_blob(const cs_record *record, const cs_blob *blob) {
    for (size_t i = 0; record && i < record->move_count; i++) {
        const cs_blob *one = &record->moves[i].blob;
        if (one->area == blob->area && one->number == blob->number && strcmp(one->txid, blob->txid) == 0) return true;
    }
    return false;
}

/* A staged file or a copied archive that no record speaks of, or what a record lists for dropping by its name. */
static bool is_nameless_or_listed(crash_explorer *e, const crash_records *now, uint16_t path) {
    cs_blob blob;
    if (crash_path_class(path) == CLASS_ARCHIVE) return true;
    if (!crash_blob_of(path, &blob)) return false;
    if (crash_lists_blob(crash_parsed_record(e, now->committed), &blob)) return true;
    if (crash_lists_blob(crash_parsed_record(e, now->head), &blob)) return true;
    if (blob.area == CS_AREA_OLD) return false;
    const uint16_t all[] = {now->journal, now->committed, now->undone};
    for (size_t i = 0; i < 3; i++)
        if (moves_blob(crash_parsed_record(e, all[i]), &blob)) return false;
    return true;
}

void crash_inv7_only_recorded_files(crash_explorer *e, const crash_op *op) {
    char text[CRASH_SAMPLE_TEXT - 64];
    if (op->kind == OP_MAKE || op->kind == OP_REG) return;
    crash_class class = crash_path_class(op->a);
    snprintf(text, sizeof text, "%.150s, file %u", crash_path_text(op->a), op->file);
    if (e->machine.foreign[op->file]) crash_note_bad(e, INV_FOREIGN_FILE, text);
    if (!crash_is_kept_class(class) && class != CLASS_ARCHIVE) return;
    crash_records now = crash_records_of(&e->machine.now, crash_path_tree(op->a));
    bool mine = is_recorded(e, &now, op->file) || is_nameless_or_listed(e, &now, op->a);
    if (!mine) crash_note_bad(e, INV_FOREIGN_FILE, text);
}

/* ---- 8 ---- */

/* What follows from the heads, and what the next run needs to begin: written again at the end of any run. */
static bool is_derived(crash_class class) {
    return class == CLASS_P || class == CLASS_P_PROGRAM || class == CLASS_P_ASIDE || class == CLASS_P_STATUS ||
           class == CLASS_STATE;
}

void crash_inv8_recovery_writes_no_data(crash_explorer *e, const crash_op *op) {
    if (e->forward || (op->kind != OP_MAKE && op->kind != OP_DATA)) return;
    crash_class class = crash_path_class(op->a);
    if (is_derived(class) || class == CLASS_MARK || class == CLASS_LOCK) return;
    crash_note_bad(e, INV_RECOVERY_WRITES, crash_path_text(op->a));
}

/* ---- 10 ---- */

static bool is_our_value(uint16_t slot) {
    static const char *const names[] = {"Path", "CUDA_PATH", "CUDA_PATH_V10_1"};
    cs_hive hive;
    const char *key, *name;
    if (slot == crash_slot_service()) return true;
    if (!crash_slot_find(slot, &hive, &key, &name) || hive != CS_HKLM) return false;
    for (size_t i = 0; i < 3 && crash_slot_is_environment(slot); i++)
        if (cs_text_equal_ascii_case(name, names[i])) return true;
    return cs_text_starts_with(key, CS_KEY_UNINSTALL "\\cudnn-setup-");
}

void crash_inv10_closed_names(crash_explorer *e, const crash_op *op) {
    char text[CRASH_SAMPLE_TEXT - 64];
    if (op->kind == OP_REG) {
        if (!is_our_value(op->a)) crash_note_bad(e, INV_CLOSED_NAMES, crash_slot_text(op->a));
        return;
    }
    bool foreign =
        crash_path_class(op->a) == CLASS_FOREIGN || (op->kind == OP_RENAME && crash_path_class(op->b) == CLASS_FOREIGN);
    snprintf(text, sizeof text, "%.150s %.150s", crash_path_text(op->a), op->kind == OP_RENAME ? crash_path_text(op->b) : "");
    if (foreign) crash_note_bad(e, INV_CLOSED_NAMES, text);
    /* Where the other tree has nothing to be finished, a run on the first has no business there. */
    if (crash_path_tree(op->a) == 2 && !e->scenario->interrupted[0]) crash_note_bad(e, INV_CLOSED_NAMES, text);
}

void crash_check_change(crash_explorer *e, const crash_op *op) {
    crash_inv5_durable_before_it_matters(e, op);
    crash_inv7_only_recorded_files(e, op);
    crash_inv8_recovery_writes_no_data(e, op);
    crash_inv10_closed_names(e, op);
}
