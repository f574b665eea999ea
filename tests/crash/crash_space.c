/* The disk is full: creating, growing and renaming answer 112. Once from each call of a run on; and in the recovery from every
 * image, where deleting `reserve` makes room, and where nothing does. */
#include <stdio.h>
#include <string.h>

#include "crash_faults.h"

static void collect(void *ctx, const crash_image *image) {
    crash_explorer *e = ctx;
    bool fresh;
    uint8_t *mark = crash_set_add(&e->seen, image->hash, &fresh);
    if (!fresh && (*mark & 1 || !e->must)) return;
    if (e->must) *mark |= 1;
    if (fresh) crash_check_image(e, image);
    if (!e->limits->states || e->seen.count < e->limits->states)
        crash_explorer_push(e, image);
    else
        e->result->complete = false;
}

/* Each tree gives up its own, for itself: one that was looked at before waits for the next recovery. */
static bool has_reserve(const crash_image *image, unsigned tree) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file && crash_path_class((uint16_t)i) == CLASS_RESERVE && crash_path_tree((uint16_t)i) == tree)
            return true;
    return false;
}

/* Trees that are still not at rest; with_reserve: that could have made room for themselves. */
static unsigned count_waiting(const crash_image *left, const crash_image *from, bool with_reserve) {
    unsigned count = 0;
    for (unsigned tree = 1; tree <= CRASH_TREES; tree++)
        count += crash_is_pending(left, tree) && (!with_reserve || has_reserve(from, tree));
    return count;
}

/* Another recovery, with room again, ends it. */
static void finish(crash_explorer *e, const crash_image *from, const crash_image *left) {
    crash_image final;
    crash_told told;
    crash_machine_load(&e->machine, left);
    crash_explorer_watch(e, false, from->must);
    if (crash_verb_run(&e->machine, crash_explorer_recovery(e, left), 1, &told) != CS_OK)
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &told, "with room again it cannot be finished");
    crash_machine_save(&e->machine, &final);
    crash_inv1_before_or_after(e, from, &final);
    crash_inv3_success_is_kept(e, from, &final);
}

static void recover_without_room(crash_explorer *e, const crash_image *from, crash_room room) {
    crash_image left;
    e->step = from->step;
    crash_machine_load(&e->machine, from);
    crash_explorer_watch(e, false, from->must);
    e->machine.room = room;
    e->result->runs++;
    e->allocated = cs_alloc_live;
    cs_status status = crash_verb_run(&e->machine, crash_explorer_recovery(e, from), 1, &e->told);
    crash_judge_leaks(e);
    crash_machine_save(&e->machine, &left);
    if (status != CS_OK && status != CS_E_PENDING) crash_note_fault(e, INV_REPORT, &e->told, "neither success nor 1604");
    if (status != CS_OK && room == CRASH_ROOM_IN_RESERVE && count_waiting(&left, from, true))
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, "there was room in `reserve`, and it did not help");
    if (status != CS_OK && count_waiting(from, from, false) && !count_waiting(&left, from, false))
        crash_note_fault(e, INV_REPORT, &e->told, "1604, and nothing waits");
    finish(e, from, &left);
}

/* ---- a run on a disk that fills up ---- */

static void judge_run(crash_explorer *e, cs_status status, const crash_image *left) {
    const crash_image *before = &e->stable[0], *after = &e->stable[1];
    crash_image final;
    crash_told later;
    char where[150];
    const crash_fault none = {.at = 1};
    crash_machine_load(&e->machine, left);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, &later) != CS_OK)
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &later, "with room again it cannot be finished");
    crash_machine_save(&e->machine, &final);
    bool committed = e->told.durable || crash_records_of(left, 1).committed;
    bool is_after = crash_is_after(e, &final, after, &none, where, sizeof where);
    if ((status == CS_OK || committed) && !is_after) crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, where);
    if (status == CS_OK || committed) return;
    crash_image_difference(&final, before, where, sizeof where);
    if (crash_state_hash(&final) != crash_state_hash(before)) crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, where);
    if (status != CS_E_PENDING && !crash_is_public_same(left, before))
        crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, "failed, and not everything is as before");
}

/* false: the run had fewer calls. */
static bool run_until_full(crash_explorer *e, unsigned long call, crash_room room) {
    crash_image left;
    char what[64];
    crash_machine_load(&e->machine, &e->stable[0]);
    crash_explorer_watch(e, true, 0);
    e->machine.hook = NULL;
    e->machine.room = room;
    e->machine.full_from = call;
    e->result->runs++;
    e->allocated = cs_alloc_live;
    snprintf(what, sizeof what, "full from call %lu on", call);
    e->label = what;
    cs_status status = crash_verb_run(&e->machine, (crash_verb)e->scenario->steps[0], crash_step_seed(0), &e->told);
    bool reached = e->machine.calls >= call, waits = e->machine.room == CRASH_ROOM_IN_RESERVE;
    crash_judge_leaks(e);
    crash_machine_save(&e->machine, &left);
    if (room == CRASH_ROOM_IN_RESERVE && status == CS_E_PENDING && (!waits || count_waiting(&left, &left, true)))
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, "there was room in `reserve`, and it did not help");
    judge_run(e, status, &left);
    e->label = NULL;
    return reached;
}

void crash_space(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                 crash_result *out) {
    static crash_explorer e;
    crash_explorer_init(&e, scenario, model, limits, collect, out);
    if (!crash_explorer_prepare(&e, environment)) {
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a crash fails");
        crash_explorer_end(&e);
        return;
    }
    for (unsigned long call = 1; run_until_full(&e, call, CRASH_ROOM_IN_RESERVE); call++) run_until_full(&e, call, CRASH_NO_ROOM);
    crash_explorer_forward(&e);
    while (e.stack_count && crash_result_bad(out) < limits->bad) {
        const crash_image from = e.stack[--e.stack_count];
        recover_without_room(&e, &from, CRASH_ROOM_IN_RESERVE);
        recover_without_room(&e, &from, CRASH_NO_ROOM);
    }
    if (e.stack_count) out->complete = false;
    crash_explorer_end(&e);
}
