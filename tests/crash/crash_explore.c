/* One job: a run's crash images, each recovered, and the images of that recovery, to the fixpoint. */
#include "crash_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cudnn_setup/transaction.h"

enum { MARK_MUST = 1 };

/* ---- collecting images ---- */

void crash_explorer_push(crash_explorer *e, const crash_image *image) {
    if (e->stack_count == e->stack_capacity) {
        e->stack_capacity = e->stack_capacity ? 2 * e->stack_capacity : 1024;
        e->stack = realloc(e->stack, e->stack_capacity * sizeof *e->stack);
        if (!e->stack) abort();
    }
    crash_image *top = &e->stack[e->stack_count++];
    *top = *image;
    top->must = e->must;
    top->step = (uint16_t)e->step;
    top->from = (uint16_t)(e->depth + 1);
}

static void collect(void *ctx, const crash_image *image) {
    crash_explorer *e = ctx;
    bool fresh;
    /* What success was reported for is another state: only After will do for it. */
    uint8_t *mark = crash_set_add(&e->seen, image->hash, &fresh);
    if (!fresh && (*mark & MARK_MUST || !e->must)) return;
    if (e->must) *mark |= MARK_MUST;
    if (fresh) crash_check_image(e, image);
    if (!e->limits->states || e->seen.count < e->limits->states)
        crash_explorer_push(e, image);
    else
        e->result->complete = false;
}

static void after_change(void *ctx, crash_machine *machine, const crash_op *op) {
    crash_explorer *e = ctx;
    (void)machine;
    e->result->operations++;
    if (e->done) e->must = 1;
    crash_images_after(&e->images, op);
}

static void before_change(void *ctx, crash_machine *machine, const crash_op *op) {
    (void)machine;
    crash_check_change(ctx, op);
}

/* ---- running ---- */

void crash_explorer_watch(crash_explorer *e, bool forward, uint16_t must) {
    e->machine.ctx = e;
    e->machine.hook = after_change;
    e->machine.check = before_change;
    e->forward = forward;
    e->must = must;
    e->images.sampled = false;
}

uint64_t crash_step_seed(size_t step) { return 1000 + step; }

cs_status crash_scenario_step(crash_machine *machine, const crash_image *from, crash_verb verb, size_t step, crash_image *out) {
    cs_error error = {0};
    crash_machine_load(machine, from);
    cs_status status = crash_verb_run(machine, verb, crash_step_seed(step), NULL, &error);
    crash_machine_save(machine, out);
    if (status == CS_OK) {
        crash_machine_load(machine, out);
        status = crash_verb_run(machine, CRASH_RECOVER, 1, NULL, &error);
        crash_machine_save(machine, out);
    }
    if (status != CS_OK) {
        char text[1024];
        cs_error_text(&error, text, sizeof text);
        fprintf(stderr, "crash explorer: a run without a crash failed: %s\n", text);
    }
    return status;
}

void crash_scenario_base(const crash_scenario *scenario, unsigned environment, crash_machine *machine, crash_image *out) {
    scenario->machine(out, environment);
    crash_image_hash(out);
    for (size_t i = 0; i < scenario->before_count; i++)
        if (crash_scenario_step(machine, out, scenario->before[i], 100 + i, out) != CS_OK) abort();
    if (scenario->meddle) scenario->meddle(out);
    if (crash_scenario_step(machine, out, CRASH_RECOVER, 200, out) != CS_OK) abort();
}

/* What is gone after a step, and only if its record's cleanup says so. */
static void note_vanishing(crash_explorer *e, const crash_image *before, const crash_image *after) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (before->at[i].file && crash_is_kept_class(crash_path_class((uint16_t)i)) &&
            !crash_has_file(after, before->at[i].file))
            e->may_vanish[before->at[i].file] = true;
}

bool crash_explorer_prepare(crash_explorer *e, const crash_scenario *scenario, unsigned environment) {
    crash_scenario_base(scenario, environment, &e->machine, &e->stable[0]);
    for (size_t i = 0; i < scenario->step_count; i++) {
        if (crash_scenario_step(&e->machine, &e->stable[i], scenario->steps[i], i, &e->stable[i + 1]) != CS_OK) return false;
        note_vanishing(e, &e->stable[i], &e->stable[i + 1]);
    }
    e->stable_count = scenario->step_count + 1;
    return true;
}

/* Without a crash, every image on the way is collected; so is what follows the report of success. */
void crash_explorer_forward(crash_explorer *e, const crash_scenario *scenario) {
    for (e->step = 0; e->step < scenario->step_count; e->step++) {
        e->done = false;
        crash_machine_load(&e->machine, &e->stable[e->step]);
        crash_explorer_watch(e, true, 0);
        cs_status status = crash_verb_run(&e->machine, scenario->steps[e->step], crash_step_seed(e->step), &e->done, NULL);
        e->result->runs++;
        if (status != CS_OK) crash_note_bad(e, INV_BEFORE_OR_AFTER, "the run itself failed");
        e->must = 1;
        crash_images_after(&e->images, NULL);
    }
}

static void check_second(crash_explorer *e, const crash_image *final) {
    bool fresh;
    crash_set_add(&e->settled, final->hash, &fresh);
    if (!fresh) return;
    crash_machine_load(&e->machine, final);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL, NULL) != CS_OK)
        crash_note_bad(e, INV_IDEMPOTENT, "a second recovery fails");
    else if (e->machine.changes)
        crash_note_bad(e, INV_IDEMPOTENT, "a second recovery changes something");
}

static void judge(crash_explorer *e, const crash_image *from, const crash_image *final) {
    if (final->hash == e->stable[from->step + 1].hash) return;
    if (final->hash == e->stable[from->step].hash) {
        if (from->must) crash_note_bad(e, INV_SUCCESS_KEPT, "success was reported, and it was lost");
        return;
    }
    char with_before[160], with_after[160], text[CRASH_SAMPLE_TEXT - 40];
    crash_image_difference(final, &e->stable[from->step], with_before, sizeof with_before);
    crash_image_difference(final, &e->stable[from->step + 1], with_after, sizeof with_after);
    snprintf(text, sizeof text, "not before (%s), not after (%s)", with_before, with_after);
    crash_note_bad(e, from->must ? INV_SUCCESS_KEPT : INV_BEFORE_OR_AFTER, text);
}

bool crash_explorer_recover(crash_explorer *e, const crash_image *from, crash_image *final) {
    cs_error error = {0};
    crash_machine_load(&e->machine, from);
    e->step = from->step;
    e->depth = from->from;
    e->done = false;
    if (e->depth > e->result->depth) e->result->depth = e->depth;
    crash_explorer_watch(e, false, from->must);
    e->result->runs++;
    cs_status status = crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL, &error);
    if (crash_machine_open_files(&e->machine)) crash_note_bad(e, INV_BEFORE_OR_AFTER, "recovery leaves files open");
    crash_machine_save(&e->machine, final);
    if (status == CS_OK) return true;
    char line[CRASH_SAMPLE_TEXT - 40];
    cs_error_text(&error, line, sizeof line);
    crash_note_bad(e, INV_BEFORE_OR_AFTER, line);
    return false;
}

void crash_explorer_init(crash_explorer *e, crash_model model, const crash_limits *limits, crash_emit emit,
                         crash_result *result) {
    memset(e, 0, sizeof *e);
    clock_gettime(CLOCK_MONOTONIC, &e->start);
    *result = (crash_result){.complete = true};
    crash_machine_init(&e->machine, model);
    e->images = (crash_images){.machine = &e->machine, .emit = emit, .ctx = e, .limit = limits->subsets};
    e->limits = limits;
    e->result = result;
}

void crash_explorer_end(crash_explorer *e) {
    struct timespec end;
    crash_result *out = e->result;
    if (e->machine.overflow) crash_note_bad(e, INV_BEFORE_OR_AFTER, "the explorer's tables are too small");
    if (e->machine.read_mark) crash_note_bad(e, INV_RECOVERY_WRITES, "mark, lock or reserve was read");
    out->raw = e->images.raw;
    out->holes = e->images.holes;
    out->states = e->seen.count;
    crash_set_free(&e->seen);
    crash_set_free(&e->applying);
    crash_set_free(&e->settled);
    free(e->stack);
    crash_records_free(e);
    clock_gettime(CLOCK_MONOTONIC, &end);
    out->seconds = (double)(end.tv_sec - e->start.tv_sec) + (double)(end.tv_nsec - e->start.tv_nsec) / 1e9;
}

void crash_explore(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                   crash_result *out) {
    static crash_explorer e; /* one job in a process */
    crash_explorer_init(&e, model, limits, collect, out);
    if (crash_explorer_prepare(&e, scenario, environment))
        crash_explorer_forward(&e, scenario);
    else
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a crash fails");
    while (e.stack_count && crash_result_bad(out) < limits->bad) {
        const crash_image from = e.stack[--e.stack_count];
        crash_image final;
        if (!crash_explorer_recover(&e, &from, &final)) continue;
        judge(&e, &from, &final);
        check_second(&e, &final);
    }
    if (e.stack_count) out->complete = false;
    crash_explorer_end(&e);
}
