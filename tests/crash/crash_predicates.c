/* What has to hold of every image and of every change. */
#include <stdio.h>
#include <string.h>

#include "crash_inside.h"
#include "cudnn_setup/transaction.h"

const char *crash_invariant_name(crash_invariant invariant) {
    static const char *const names[INVARIANTS] = {
        [0] = "",
        [INV_BEFORE_OR_AFTER] = "1 before or after",
        [INV_IDEMPOTENT] = "2 second recovery writes nothing",
        [INV_SUCCESS_KEPT] = "3 success is kept",
        [INV_JOURNAL] = "4 one valid record",
        [INV_ORDER] = "5 durable before changed or dropped",
        [INV_CONSERVATION] = "6 no content lost",
        [INV_FOREIGN_FILE] = "7 other files untouched",
        [INV_RECOVERY_WRITES] = "8 recovery writes no data",
        [INV_SERVICE] = "9 service has its program",
        [INV_CLOSED_NAMES] = "10 closed names",
        [INV_UNDO_IS_APPLY] = "11 undo is apply backwards",
    };
    return names[invariant];
}

uint64_t crash_result_bad(const crash_result *result) {
    uint64_t sum = 0;
    for (size_t i = 0; i < INVARIANTS; i++) sum += result->bad[i];
    return sum;
}

void crash_note_bad(crash_explorer *e, crash_invariant invariant, const char *text) {
    char *sample = e->result->sample[invariant];
    if (!e->result->bad[invariant])
        snprintf(sample, CRASH_SAMPLE_TEXT, "%s%s%s", e->label ? e->label : "", e->label ? ": " : "", text);
    e->result->bad[invariant]++;
}

/* ---- predicates on images ---- */

static bool is_valid_record(crash_explorer *e, uint16_t content) {
    if (!e->valid[content]) {
        size_t size;
        uint64_t length;
        cs_record record = {0};
        const char *bytes = crash_content_bytes(content, &size, &length);
        bool valid = size == length && cs_record_read("journal", bytes, size, &record, NULL) == CS_OK;
        cs_record_free(&record);
        e->valid[content] = valid ? 1 : 2;
    }
    return e->valid[content] == 1;
}

crash_records crash_records_of(const crash_image *image) {
    crash_records found = {0};
    for (unsigned i = 1; i < crash_path_count(); i++) {
        if (!image->at[i].file) continue;
        crash_class class = crash_path_class((uint16_t)i);
        if (class == CLASS_JOURNAL) found.journal = image->at[i].content;
        if (class == CLASS_COMMITTED) found.committed = image->at[i].content;
        if (class == CLASS_UNDONE) found.undone = image->at[i].content;
        if (class == CLASS_HEAD) found.head = image->at[i].content;
    }
    return found;
}

static void check_records(crash_explorer *e, const crash_records *found) {
    int count = (found->journal != 0) + (found->committed != 0) + (found->undone != 0);
    if (count > 1) crash_note_bad(e, INV_JOURNAL, "more than one of journal, committed and undone");
    uint16_t all[] = {found->journal, found->committed, found->undone, found->head};
    for (size_t i = 0; i < 4; i++)
        if (all[i] && !is_valid_record(e, all[i])) crash_note_bad(e, INV_JOURNAL, "a torn record under a final name");
}

bool crash_is_kept_class(crash_class class) { return class == CLASS_TARGET || class == CLASS_OLD || class == CLASS_NEW; }

bool crash_has_file(const crash_image *image, uint16_t file) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file == file) return crash_is_kept_class(crash_path_class((uint16_t)i));
    return false;
}

/* A valid record, parsed once. NULL: there is no room for it. */
static const cs_record *parsed_record(crash_explorer *e, uint16_t content) {
    for (size_t i = 0; i < CRASH_PARSED; i++) {
        if (e->parsed[i].content == content) return &e->parsed[i].record;
        if (e->parsed[i].content) continue;
        size_t size;
        uint64_t length;
        const char *bytes = crash_content_bytes(content, &size, &length);
        if (cs_record_read("committed", bytes, size, &e->parsed[i].record, NULL) != CS_OK) return NULL;
        e->parsed[i].content = content;
        return &e->parsed[i].record;
    }
    return NULL;
}

void crash_records_free(crash_explorer *e) {
    for (size_t i = 0; i < CRASH_PARSED; i++) cs_record_free(&e->parsed[i].record);
}

static bool lists_blob(const cs_record *record, const cs_blob *blob) {
    for (size_t i = 0; i < record->cleanup_count; i++) {
        const cs_blob *one = &record->cleanup[i];
        if (one->area == blob->area && one->number == blob->number && strcmp(one->txid, blob->txid) == 0) return true;
    }
    return false;
}

/* The committed record says that this file, which stood at path, is to be dropped. */
static bool is_listed(crash_explorer *e, uint16_t committed, uint16_t file, uint16_t path) {
    if (!is_valid_record(e, committed)) return false;
    const cs_record *record = parsed_record(e, committed);
    if (!record) return false;
    for (size_t i = 0; i < record->move_count; i++) {
        const cs_move *move = &record->moves[i];
        if (move->to_private && (move->info.id.id[0] | move->info.id.id[1] << 8) == file) return lists_blob(record, &move->blob);
    }
    if (crash_path_class(path) != CLASS_OLD) return false;
    const char *text = crash_path_text(path);
    size_t size = strlen(text); /* ...\<32 hex>\old\NN */
    cs_blob blob = {.area = CS_AREA_OLD, .number = (unsigned)(text[size - 2] - '0') * 10 + (unsigned)(text[size - 1] - '0')};
    memcpy(blob.txid, text + size - 39, CS_ID_HEX);
    return lists_blob(record, &blob);
}

/* Every content that stood in the tree at one of the stable states that this image can end in is still there. */
static void check_conservation(crash_explorer *e, const crash_image *image, const crash_records *found) {
    const crash_image *before = &e->stable[e->forward ? e->step : 0];
    if (e->stable_count > 2 && !e->forward) return; /* of several steps the base is not known any more */
    for (unsigned i = 1; i < crash_path_count(); i++) {
        const crash_entry *entry = &before->at[i];
        crash_class class = crash_path_class((uint16_t)i);
        if (!entry->file || (class != CLASS_TARGET && class != CLASS_OLD) || crash_has_file(image, entry->file)) continue;
        bool committed = found->committed || (!found->journal && !found->undone);
        bool listed = !found->committed || is_listed(e, found->committed, entry->file, (uint16_t)i);
        if (committed && listed && e->may_vanish[entry->file]) continue;
        char text[256];
        snprintf(text, sizeof text, "what stood at %s is nowhere", crash_path_text((uint16_t)i));
        crash_note_bad(e, INV_CONSERVATION, text);
    }
}

static void check_service(crash_explorer *e, const crash_image *image) {
    static uint16_t program, content;
    if (!program) {
        program = crash_path(CRASH_P "\\cudnn-setup.exe");
        content = crash_content("the program", 11, 11);
    }
    if (image->reg[crash_slot_service()] && image->at[program].content != content)
        crash_note_bad(e, INV_SERVICE, "the recovery service is on and its program is not there");
}

static uint64_t tree_hash(const crash_image *image) {
    uint64_t hash = 0;
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_entry entry = image->at[i];
        crash_class class = crash_path_class((uint16_t)i);
        if (!entry.file || !(crash_is_kept_class(class) || class == CLASS_TARGET_FOLDER)) continue;
        if (!crash_is_folder(&entry)) entry.meta = 2; /* rights and times are put right on the way */
        hash += crash_entry_hash((uint16_t)i, &entry);
    }
    return hash;
}

/* The tree alone: registry and volume have no common order, so only each for itself can be one of a forward run's. */
static void check_undo(crash_explorer *e, const crash_image *image, const crash_records *found) {
    bool fresh;
    if (!found->journal) return;
    if (e->forward)
        crash_set_add(&e->applying, tree_hash(image), &fresh);
    else if (!crash_set_has(&e->applying, tree_hash(image)))
        crash_note_bad(e, INV_UNDO_IS_APPLY, "the tree in the middle of an undo is none that the run could leave");
}

/* ---- predicates on operations ---- */

static bool is_public(const crash_op *op) {
    if (op->kind == OP_REG) return crash_slot_is_environment(op->a);
    crash_class a = crash_path_class(op->a), b = op->kind == OP_RENAME ? crash_path_class(op->b) : CLASS_FOREIGN;
    if (op->kind == OP_DATA || op->kind == OP_META) return a == CLASS_TARGET;
    return a == CLASS_TARGET || a == CLASS_TARGET_FOLDER || b == CLASS_TARGET;
}

static void check_order(crash_explorer *e, const crash_op *op) {
    crash_records durable = crash_records_of(&e->machine.durable);
    bool journal = durable.journal && is_valid_record(e, durable.journal);
    bool committed = durable.committed && is_valid_record(e, durable.committed);
    if (is_public(op) && !journal && !committed) crash_note_bad(e, INV_ORDER, "a public change before the journal is durable");
    if (op->kind != OP_REMOVE) return;
    crash_class class = crash_path_class(op->a);
    if (class == CLASS_OLD && !committed && (journal || !durable.head))
        crash_note_bad(e, INV_ORDER, "an old file is dropped before the commit is durable");
    if (class == CLASS_NEW && journal) crash_note_bad(e, INV_ORDER, "a new file is dropped while the journal may come back");
    if (class == CLASS_TARGET) crash_note_bad(e, INV_ORDER, "a target is deleted instead of moved");
}

static void check_names(crash_explorer *e, const crash_op *op) {
    char text[CRASH_SAMPLE_TEXT - 64];
    if (op->kind == OP_REG) return;
    bool foreign =
        crash_path_class(op->a) == CLASS_FOREIGN || (op->kind == OP_RENAME && crash_path_class(op->b) == CLASS_FOREIGN);
    snprintf(text, sizeof text, "%.150s %.150s", crash_path_text(op->a), op->kind == OP_RENAME ? crash_path_text(op->b) : "");
    if (foreign) crash_note_bad(e, INV_CLOSED_NAMES, text);
    if (e->machine.foreign[op->file] && op->kind != OP_MAKE) crash_note_bad(e, INV_FOREIGN_FILE, text);
}

static bool is_derived(crash_class class) {
    return class == CLASS_P || class == CLASS_P_PROGRAM || class == CLASS_P_STATUS || class == CLASS_STATE;
}

static void check_recovery(crash_explorer *e, const crash_op *op) {
    if (e->forward || (op->kind != OP_MAKE && op->kind != OP_DATA)) return;
    crash_class class = crash_path_class(op->a);
    if (is_derived(class) || class == CLASS_MARK || class == CLASS_LOCK) return;
    crash_note_bad(e, INV_RECOVERY_WRITES, crash_path_text(op->a));
}

void crash_check_change(crash_explorer *e, const crash_op *op) {
    check_order(e, op);
    check_names(e, op);
    check_recovery(e, op);
}

void crash_check_image(crash_explorer *e, const crash_image *image) {
    crash_records found = crash_records_of(image);
    check_records(e, &found);
    check_service(e, image);
    if (e->meddled) return; /* what somebody did is judged by crash_users.c */
    check_conservation(e, image, &found);
    check_undo(e, image, &found);
}
