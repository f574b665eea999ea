/* The calls and allocations of recoveries fail, from what a killed run leaves at each of its stages; and those of a run that
 * takes its own changes back. Whatever fails, it ends as if nothing had failed, or says 1604 and the next recovery ends so. */
#include "crash_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES_MAX = 400, STAGES_BY_DEFAULT = 5 };

/* What killed programs leave: every change that was made, and nothing else lost. */
typedef struct stages {
    crash_image *images;
    size_t count;
    uint64_t last; /* the stage of the last one */
    bool all;
} stages;

/* Which records stand, and what kind of name was changed: images of one stage have the same work before them. */
static uint64_t stage_of(const crash_machine *machine, const crash_op *op) {
    crash_records found = crash_records_of(&machine->now, 1);
    uint64_t records = (found.journal != 0) | (found.committed != 0) << 1 | (found.undone != 0) << 2 | (found.head != 0) << 3;
    uint64_t class = op->kind == OP_REG ? 100 : (uint64_t)crash_path_class(op->a);
    return records << 32 | class << 8 | (uint64_t)op->kind | 1u << 16;
}

static void add_stage(void *ctx, crash_machine *machine, const crash_op *op) {
    stages *s = ctx;
    if (op->kind == OP_FLUSH) return;
    uint64_t stage = stage_of(machine, op);
    if ((!s->all && stage == s->last) || s->count == STAGES_MAX) return;
    s->last = stage;
    crash_machine_save(machine, &s->images[s->count++]);
}

static void watch_stages(crash_machine *machine, stages *s) {
    machine->ctx = s;
    machine->hook = add_stage;
}

/* Those of the run, and of the recoveries from them. */
static void find_stages(crash_explorer *e, stages *s) {
    crash_machine_load(&e->machine, &e->start);
    watch_stages(&e->machine, s);
    crash_verb_run(&e->machine, (crash_verb)e->scenario->steps[0], crash_step_seed(0), NULL);
    size_t forward = s->count;
    for (size_t i = 0; i < forward; i += s->all ? 1 : 1 + forward / 3) {
        crash_machine_load(&e->machine, &s->images[forward - 1 - i]);
        watch_stages(&e->machine, s);
        crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL);
    }
}

/* ---- recoveries ---- */

typedef struct from {
    const crash_image *image;
    crash_image end; /* where an undisturbed recovery ends */
} from;

static cs_status recover(crash_explorer *e, const crash_image *image, const crash_fault *fault) {
    crash_machine_load(&e->machine, image);
    crash_explorer_watch(e, false, 0);
    e->machine.hook = NULL;
    if (e->failed_allocation) e->machine.check = NULL; /* reading records takes memory too */
    e->machine.fault = *fault;
    e->result->runs++;
    e->allocated = cs_alloc_live;
    return crash_verb_run(&e->machine, CRASH_RECOVER, 1, &e->told);
}

static bool is_pending(const crash_image *image) {
    for (unsigned tree = 1; tree <= CRASH_TREES; tree++)
        if (crash_is_pending(image, tree)) return true;
    return false;
}

static void judge_recovery(crash_explorer *e, cs_status status, const from *f) {
    const crash_fault fault = e->machine.fault;
    bool changed = e->machine.changes != 0;
    crash_image left, final;
    crash_told later;
    char where[150];
    crash_machine_save(&e->machine, &left);
    crash_machine_load(&e->machine, &left);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, &later) != CS_OK)
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &later, "it cannot be finished later");
    crash_machine_save(&e->machine, &final);
    crash_image_difference(&final, &f->end, where, sizeof where);
    if (crash_state_hash(&final) != crash_state_hash(&f->end)) crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, where);
    if (status != CS_OK) crash_judge_message(e, status, &fault, &e->told);
    if (status != CS_OK && status != CS_E_PENDING && changed && !crash_is_public_same(&left, f->image))
        crash_note_fault(e, INV_REPORT, &e->told, "changes were made, and it is not 1604");
    if (status == CS_OK && is_pending(&left) && !crash_has_warned(e))
        crash_note_fault(e, INV_REPORT, &e->told, "success, and work is pending");
    crash_image_difference(&left, &f->end, where, sizeof where);
    if (status == CS_OK && !crash_is_public_same(&left, &f->end)) crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, where);
}

static crash_fault fail_in_recovery(crash_explorer *e, const crash_fault *fault, void *ctx) {
    const from *f = ctx;
    char what[700];
    e->label = e->machine.fault.path;
    cs_status status = recover(e, f->image, fault);
    const crash_fault struck = e->machine.fault;
    snprintf(what, sizeof what, "recovery, %s %u %s%s %.200s", struck.operation, fault->code, fault->after ? "after" : "before",
             fault->for_good ? " for good" : "", struck.path);
    e->label = what;
    if (struck.struck) crash_judge_leaks(e);
    if (struck.struck) judge_recovery(e, status, f);
    e->label = NULL;
    return struck;
}

static void fail_allocation_in_recovery(crash_explorer *e, void *ctx) {
    const crash_fault none = {0};
    const from *f = ctx;
    cs_alloc_fail_at(e->failed_allocation);
    cs_status status = recover(e, f->image, &none);
    if (crash_allocation_was_left()) e->failed_allocation = 0;
    crash_judge_leaks(e);
    judge_recovery(e, status, f);
}

static void fail_recoveries(crash_explorer *e, const stages *s, bool all_codes) {
    static from f;
    for (size_t i = 0; i < s->count && crash_result_bad(e->result) < e->limits->bad; i++) {
        if (!s->all && i % (1 + s->count / STAGES_BY_DEFAULT)) continue;
        f.image = &s->images[i];
        crash_machine_load(&e->machine, f.image);
        if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, &e->told) != CS_OK)
            crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, "a recovery without a fault fails");
        crash_machine_save(&e->machine, &f.end);
        e->usual_warnings = e->told.warnings;
        bool fresh;
        crash_set_add(&e->seen, f.image->hash, &fresh);
        if (!fresh) continue;
        e->stage = i;
        crash_fail_calls(e, 1, all_codes, fail_in_recovery, &f);
        if (s->all || i % 8 == 0) crash_fail_allocations(e, fail_allocation_in_recovery, &f);
    }
}

/* ---- a run that takes its changes back ---- */

/* The user cancels when all is done but the commit. */
static cs_status run_cancelled(crash_explorer *e, const crash_fault *fault) {
    crash_machine_load(&e->machine, &e->stable[0]);
    crash_explorer_watch(e, true, 0);
    e->machine.hook = NULL;
    e->machine.fault = *fault;
    e->machine.cancel_step = "registry";
    e->machine.cancel_after = 2;
    e->result->runs++;
    e->allocated = cs_alloc_live;
    return crash_verb_run(&e->machine, (crash_verb)e->scenario->steps[0], crash_step_seed(0), &e->told);
}

static void judge_undo(crash_explorer *e, cs_status status, const char *what) {
    crash_image left, final;
    crash_told later;
    char where[150];
    e->label = what;
    crash_judge_leaks(e);
    crash_machine_save(&e->machine, &left);
    crash_machine_load(&e->machine, &left);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, &later) != CS_OK)
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &later, "it cannot be finished later");
    crash_machine_save(&e->machine, &final);
    crash_image_difference(&final, &e->stable[0], where, sizeof where);
    if (crash_state_hash(&final) != crash_state_hash(&e->stable[0])) crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, where);
    if (status != CS_E_CANCELLED && status != CS_E_PENDING) crash_note_fault(e, INV_REPORT, &e->told, "neither 1602 nor 1604");
    if (status == CS_E_CANCELLED && !crash_is_public_same(&left, &e->stable[0]))
        crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, "cancelled, and not everything is as before");
    e->label = NULL;
}

static crash_fault fail_in_undo(crash_explorer *e, const crash_fault *fault, void *ctx) {
    char what[700];
    (void)ctx;
    e->label = e->machine.fault.path;
    cs_status status = run_cancelled(e, fault);
    e->label = NULL;
    const crash_fault struck = e->machine.fault;
    snprintf(what, sizeof what, "taking back, %s %u %s%s %.200s", struck.operation, fault->code,
             fault->after ? "after" : "before", fault->for_good ? " for good" : "", struck.path);
    if (struck.struck) judge_undo(e, status, what);
    return struck;
}

static void fail_undo(crash_explorer *e, bool all) {
    const crash_fault none = {0};
    cs_status status = run_cancelled(e, &none);
    unsigned long first = e->told.undo_call;
    if (first) judge_undo(e, status, "cancelled");
    if (first) crash_fail_calls(e, first, all, fail_in_undo, NULL);
}

void crash_recovery_faults(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                           bool all_codes, bool all_stages, crash_result *out) {
    static crash_explorer e;
    stages s = {.images = calloc(STAGES_MAX, sizeof *s.images), .all = all_stages};
    if (!s.images) abort();
    crash_explorer_init(&e, scenario, model, limits, NULL, out);
    if (crash_explorer_prepare(&e, environment)) {
        e.meddled = true;
        find_stages(&e, &s);
        fail_recoveries(&e, &s, all_codes);
        if (!scenario->interrupted[0]) fail_undo(&e, all_codes);
    } else {
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a fault fails");
    }
    free(s.images);
    crash_explorer_end(&e);
}
