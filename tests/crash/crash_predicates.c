/* Invariants 4, 6, 9 and 11: what has to hold of every image. */
#include <stdio.h>
#include <string.h>

#include "crash_inside.h"
#include "cudnn_setup/transaction.h"

bool crash_tell_all;

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
        [INV_REPORT] = "what a failed call leads to",
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
    if (crash_tell_all)
        fprintf(stderr, "%s, %u, %s: %s: %s%s%s\n", e->scenario->name, e->environment, crash_model_name(e->machine.model),
                crash_invariant_name(invariant), e->label ? e->label : "", e->label ? ": " : "", text);
    if (!e->result->bad[invariant])
        snprintf(sample, CRASH_SAMPLE_TEXT, "%s%s%s", e->label ? e->label : "", e->label ? ": " : "", text);
    e->result->bad[invariant]++;
}

/* ---- 4 ---- */

void crash_inv4_one_valid_record(crash_explorer *e, const crash_image *image) {
    for (unsigned tree = 1; tree <= CRASH_TREES; tree++) {
        crash_records found = crash_records_of(image, tree);
        int count = (found.journal != 0) + (found.committed != 0) + (found.undone != 0);
        if (count > 1) crash_note_bad(e, INV_JOURNAL, "more than one of journal, committed and undone");
        const uint16_t all[] = {found.journal, found.committed, found.undone, found.head};
        for (size_t i = 0; i < 4; i++)
            if (all[i] && !crash_is_valid_record(e, all[i])) crash_note_bad(e, INV_JOURNAL, "a torn record under a final name");
    }
}

/* ---- 6 ---- */

bool crash_is_kept_class(crash_class class) { return class == CLASS_TARGET || class == CLASS_OLD || class == CLASS_NEW; }

bool crash_has_file(const crash_image *image, uint16_t file) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file == file) return crash_is_kept_class(crash_path_class((uint16_t)i));
    return false;
}

/* The committed record says that this file, which stood at path, is to be dropped. */
static bool is_listed(crash_explorer *e, uint16_t committed, uint16_t file, uint16_t path) {
    cs_blob blob;
    const cs_record *record = crash_parsed_record(e, committed);
    if (!record) return false;
    const cs_move *move = crash_move_of(record, file);
    if (move && move->to_private) return crash_lists_blob(record, &move->blob);
    return crash_blob_of(path, &blob) && crash_lists_blob(record, &blob);
}

/* Every content that stood in a tree before the step that this image comes from is still there, unless that step is final and its
 * record lists it. */
void crash_inv6_nothing_is_lost(crash_explorer *e, const crash_image *image) {
    const crash_image *before = &e->stable[e->step];
    for (unsigned i = 1; i < crash_path_count(); i++) {
        const crash_entry *entry = &before->at[i];
        crash_class class = crash_path_class((uint16_t)i);
        if (!entry->file || (class != CLASS_TARGET && class != CLASS_OLD) || crash_has_file(image, entry->file)) continue;
        crash_records found = crash_records_of(image, crash_path_tree((uint16_t)i));
        bool final = found.committed || (!found.journal && !found.undone);
        bool listed = !found.committed || is_listed(e, found.committed, entry->file, (uint16_t)i);
        if (final && listed && e->may_vanish[e->step][entry->file]) continue;
        char text[256];
        snprintf(text, sizeof text, "what stood at %s is nowhere", crash_path_text((uint16_t)i));
        crash_note_bad(e, INV_CONSERVATION, text);
    }
}

/* ---- 9 ---- */

void crash_inv9_service_has_its_program(crash_explorer *e, const crash_image *image) {
    static uint16_t program, content;
    if (!program) {
        program = crash_path(CRASH_P "\\cudnn-setup.exe");
        content = crash_content("the program", 11, 11);
    }
    if (image->reg[crash_slot_service()] && image->at[program].content != content)
        crash_note_bad(e, INV_SERVICE, "the recovery service is on and its program is not there");
}

/* ---- 11 ---- */

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
void crash_inv11_undo_is_apply_backwards(crash_explorer *e, const crash_image *image) {
    bool fresh;
    if (!crash_records_of(image, 1).journal || e->scenario->interrupted[0]) return;
    if (e->forward)
        crash_set_add(&e->applying, tree_hash(image), &fresh);
    else if (!crash_set_has(&e->applying, tree_hash(image)))
        crash_note_bad(e, INV_UNDO_IS_APPLY, "the tree in the middle of an undo is none that the run could leave");
}

void crash_check_image(crash_explorer *e, const crash_image *image) {
    crash_inv4_one_valid_record(e, image);
    crash_inv9_service_has_its_program(e, image);
    if (e->meddled) return; /* what somebody did is judged by crash_users.c */
    crash_inv6_nothing_is_lost(e, image);
    crash_inv11_undo_is_apply_backwards(e, image);
}
