/* Invariants 1, 2 and 3: where runs and recoveries end. */
#include <stdio.h>

#include "crash_inside.h"

/* A program that had to go while it ran is there until the restart, or until another run looks into P: no part of any state. */
uint64_t crash_state_hash(const crash_image *image) {
    uint64_t hash = image->hash;
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (crash_path_class((uint16_t)i) == CLASS_P_ASIDE) hash -= crash_entry_hash((uint16_t)i, &image->at[i]);
    return hash;
}

static bool is_same(const crash_image *a, const crash_image *b) { return crash_state_hash(a) == crash_state_hash(b); }

static bool has_aside(const crash_image *image) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file && crash_path_class((uint16_t)i) == CLASS_P_ASIDE) return true;
    return false;
}

void crash_inv1_before_or_after(crash_explorer *e, const crash_image *from, const crash_image *final) {
    const crash_image *before = &e->stable[from->step], *after = &e->stable[from->step + 1];
    if (is_same(final, after) || is_same(final, before)) return;
    char with_before[160], with_after[160], text[CRASH_SAMPLE_TEXT - 40];
    crash_image_difference(final, before, with_before, sizeof with_before);
    crash_image_difference(final, after, with_after, sizeof with_after);
    snprintf(text, sizeof text, "not before (%.150s), not after (%.150s)", with_before, with_after);
    crash_note_bad(e, from->must ? INV_SUCCESS_KEPT : INV_BEFORE_OR_AFTER, text);
}

void crash_inv2_second_writes_nothing(crash_explorer *e, const crash_image *final) {
    bool fresh;
    crash_set_add(&e->settled, final->hash, &fresh);
    if (!fresh) return;
    crash_machine_load(&e->machine, final);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL) != CS_OK)
        crash_note_bad(e, INV_IDEMPOTENT, "a second recovery fails");
    else if (e->machine.changes != e->machine.swept)
        crash_note_bad(e, INV_IDEMPOTENT, "a second recovery changes something");
    else if (has_aside(&e->machine.now))
        crash_note_bad(e, INV_IDEMPOTENT, "a second recovery leaves a program that was put aside");
}

void crash_inv3_success_is_kept(crash_explorer *e, const crash_image *from, const crash_image *final) {
    if (!from->must || !is_same(final, &e->stable[from->step])) return;
    if (!is_same(final, &e->stable[from->step + 1])) crash_note_bad(e, INV_SUCCESS_KEPT, "success was reported, and it was lost");
}
