/* Every call of the seam fails, before and after doing its work, once and for good, with every code that can come; and every
 * allocation. What the run reports and what it leaves have to agree. */
#include "crash_faults.h"

#include <stdio.h>
#include <string.h>

/* left, with what follows from the heads as it is after a run without a fault: it decides nothing, and the next run puts it
 * right. */
static crash_image without_derived(const crash_explorer *e, const crash_image *left) {
    crash_image image = *left;
    const crash_image *after = &e->stable[1];
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_class class = crash_path_class((uint16_t)i);
        if (class == CLASS_P || class == CLASS_P_PROGRAM || class == CLASS_P_STATUS) image.at[i] = after->at[i];
    }
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++)
        if (!crash_slot_is_environment(slot) && slot != crash_slot_service()) image.reg[slot] = after->reg[slot];
    crash_image_hash(&image);
    return image;
}

/* Success, and not everything of it is done: somebody has to be told. */
static void judge_success(crash_explorer *e, const crash_image *left, const crash_image *final, const crash_fault *fault) {
    char where[150];
    const crash_image decided = without_derived(e, left);
    if (!crash_is_after(e, final, &e->stable[1], fault, where, sizeof where))
        crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, where);
    else if (!crash_is_after(e, &decided, &e->stable[1], fault, where, sizeof where) && !crash_has_warned(e))
        crash_note_fault(e, INV_REPORT, &e->told, where);
}

/* A commit whose flush failed stands; everything else is taken back, now or (1604) by the next run. */
static void judge_failure(crash_explorer *e, cs_status status, const crash_image *left, const crash_image *final,
                          const crash_fault *fault) {
    const crash_image *before = &e->stable[0];
    char where[150];
    crash_judge_message(e, status, fault, &e->told);
    if (e->told.durable) crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, "it is final, and the run says that it failed");
    bool committed = status == CS_E_PENDING && crash_records_of(left, 1).committed;
    if (committed) {
        if (!crash_is_after(e, final, &e->stable[1], fault, where, sizeof where))
            crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, where);
        return;
    }
    crash_image_difference(final, before, where, sizeof where);
    if (crash_state_hash(final) != crash_state_hash(before)) crash_note_fault(e, INV_BEFORE_OR_AFTER, &e->told, where);
    if (status != CS_E_PENDING && !crash_is_public_same(left, before))
        crash_note_fault(e, INV_SUCCESS_KEPT, &e->told, "failed, and not everything is as before");
}

/* After the run, and after the next one has recovered. */
static void judge(crash_explorer *e, cs_status status) {
    const crash_fault fault = e->machine.fault;
    crash_image left, final;
    crash_told later;
    crash_machine_save(&e->machine, &left);
    crash_machine_load(&e->machine, &left);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, &later) != CS_OK)
        crash_note_fault(e, INV_BEFORE_OR_AFTER, &later, "the next run cannot recover");
    crash_machine_save(&e->machine, &final);
    if (status == CS_OK)
        judge_success(e, &left, &final, &fault);
    else
        judge_failure(e, status, &left, &final, &fault);
}

static cs_status run(crash_explorer *e, const crash_fault *fault) {
    crash_machine_load(&e->machine, &e->stable[0]);
    crash_explorer_watch(e, true, 0);
    e->machine.hook = NULL;                            /* no power cuts here */
    if (e->failed_allocation) e->machine.check = NULL; /* reading records takes memory too */
    e->machine.fault = *fault;
    e->result->runs++;
    e->allocated = cs_alloc_live;
    return crash_verb_run(&e->machine, (crash_verb)e->scenario->steps[0], crash_step_seed(0), &e->told);
}

static crash_fault fail_call(crash_explorer *e, const crash_fault *fault, void *ctx) {
    char what[700];
    (void)ctx;
    e->label = e->machine.fault.path;
    cs_status status = run(e, fault);
    const crash_fault struck = e->machine.fault;
    snprintf(what, sizeof what, "%s %u %s%s %.200s", struck.operation, fault->code, fault->after ? "after" : "before",
             fault->for_good ? " for good" : "", struck.path);
    e->label = what;
    if (struck.struck) crash_judge_leaks(e);
    if (struck.struck) judge(e, status);
    e->label = NULL;
    return struck;
}

static void fail_allocation(crash_explorer *e, void *ctx) {
    const crash_fault none = {0};
    (void)ctx;
    cs_alloc_fail_at(e->failed_allocation);
    cs_status status = run(e, &none);
    if (crash_allocation_was_left()) e->failed_allocation = 0;
    crash_judge_leaks(e);
    judge(e, status);
}

bool crash_allocation_was_left(void) {
    void *probe = cs_alloc(1, 1); /* the numbers go up by one: the first that did not strike strikes here */
    bool left = probe == NULL;
    cs_free(probe);
    cs_alloc_fail_at(0);
    return left;
}

void crash_faults(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits, bool all,
                  crash_result *out) {
    static crash_explorer e;
    crash_explorer_init(&e, scenario, model, limits, NULL, out);
    if (crash_explorer_prepare(&e, environment)) {
        const crash_fault none = {0};
        e.meddled = true;
        run(&e, &none);
        e.usual_warnings = e.told.warnings;
        crash_fail_calls(&e, 1, all, fail_call, NULL);
        crash_fail_allocations(&e, fail_allocation, NULL);
    } else {
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a fault fails");
    }
    crash_explorer_end(&e);
}
