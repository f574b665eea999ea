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
    if (e->told.durable) e->must = 1;
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

/* Runs a verb on an image without crash, fault or hook; the machine afterwards, settled by a recovery, goes to out. */
static cs_status run_settled(crash_machine *machine, const crash_image *from, unsigned verb, size_t step, crash_image *out) {
    crash_told told;
    crash_machine_load(machine, from);
    cs_status status = crash_verb_run(machine, (crash_verb)verb, crash_step_seed(step), &told);
    crash_machine_save(machine, out);
    if (status == CS_OK) {
        crash_machine_load(machine, out);
        status = crash_verb_run(machine, CRASH_RECOVER, 1, &told);
        crash_machine_save(machine, out);
    }
    if (status != CS_OK) fprintf(stderr, "crash explorer: a run without a crash failed: %s\n", told.message);
    return status;
}

/* The trees' folders in P\state go by their ids. */
static void name_trees(crash_machine *machine, const crash_image *image) {
    static const char *const roots[] = {CRASH_TREE, CRASH_OTHER_TREE};
    const cs_host host = {.fs = &machine->fs, .registry = &machine->registry, .system = &machine->system};
    crash_machine_load(machine, image);
    for (unsigned i = 0; i < CRASH_TREES; i++) {
        cs_tree tree = {0};
        if (cs_tree_open(&host, roots[i], &tree, NULL) != CS_OK) abort();
        crash_name_tree(i + 1, tree.id);
        cs_tree_free(&tree);
    }
}

/* ---- interrupted runs ---- */

/* Remembers the machine just before the commit, with the environment as it was. */
static void before_commit(void *ctx, crash_machine *machine, const crash_op *op) {
    crash_image *out = ctx;
    if (op->kind == OP_RENAME && crash_path_class(op->b) == CLASS_COMMITTED) *out = machine->now;
}

/* Adds a run of verb on base, ended before its commit, to image: its tree's names and files. */
static void add_interrupted(crash_machine *machine, const crash_image *base, unsigned verb, size_t number, crash_image *image) {
    crash_image from = *base, left = {0};
    unsigned tree = verb & CRASH_ON_OTHER ? 2 : 1;
    from.next_file = (uint16_t)(base->next_file + 200 * (number + 1)); /* ids are never used twice */
    crash_machine_load(machine, &from);
    machine->ctx = &left;
    machine->check = before_commit;
    if (crash_verb_run(machine, (crash_verb)(verb & ~(unsigned)CRASH_INTERRUPTED), 300 + number, NULL) != CS_OK) abort();
    if (!left.next_file) abort();
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_class class = crash_path_class((uint16_t)i);
        bool program = class == CLASS_P || class == CLASS_P_PROGRAM || class == CLASS_STATE || class == CLASS_LOCK;
        if (crash_path_tree((uint16_t)i) == tree || (program && !image->at[i].file)) image->at[i] = left.at[i];
    }
    if (left.next_file > image->next_file) image->next_file = left.next_file;
    image->reg[crash_slot_service()] = left.reg[crash_slot_service()];
    crash_image_hash(image);
}

/* ---- stable states ---- */

static void find_base(crash_explorer *e, unsigned environment) {
    const crash_scenario *scenario = e->scenario;
    crash_image *out = &e->stable[0];
    scenario->machine(out, environment);
    crash_image_hash(out);
    name_trees(&e->machine, out);
    for (size_t i = 0; i < scenario->before_count; i++)
        if (run_settled(&e->machine, out, scenario->before[i], 100 + i, out) != CS_OK) abort();
    if (scenario->meddle) scenario->meddle(out);
    if (run_settled(&e->machine, out, CRASH_RECOVER, 200, out) != CS_OK) abort();
    e->start = *out;
    for (size_t i = 0; i < 2 && scenario->interrupted[i]; i++)
        add_interrupted(&e->machine, out, scenario->interrupted[i], i, &e->start);
}

/* What is gone after a step, and only if its record's cleanup says so. */
static void note_vanishing(crash_explorer *e, size_t step) {
    const crash_image *before = &e->stable[step], *after = &e->stable[step + 1];
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (before->at[i].file && crash_is_kept_class(crash_path_class((uint16_t)i)) &&
            !crash_has_file(after, before->at[i].file))
            e->may_vanish[step][before->at[i].file] = true;
}

bool crash_explorer_prepare(crash_explorer *e, unsigned environment) {
    const crash_scenario *scenario = e->scenario;
    e->environment = environment;
    find_base(e, environment);
    for (size_t i = 0; i < scenario->step_count; i++) {
        const crash_image *from = i ? &e->stable[i] : &e->start;
        if (run_settled(&e->machine, from, scenario->steps[i], i, &e->stable[i + 1]) != CS_OK) return false;
        note_vanishing(e, i);
    }
    e->stable_count = scenario->step_count + 1;
    return true;
}

/* Without a crash, every image on the way is collected; so is what follows the report of success. */
void crash_explorer_forward(crash_explorer *e) {
    const crash_scenario *scenario = e->scenario;
    for (e->step = 0; e->step < scenario->step_count; e->step++) {
        unsigned verb = scenario->steps[e->step];
        crash_machine_load(&e->machine, e->step ? &e->stable[e->step] : &e->start);
        e->told = (crash_told){0};
        crash_explorer_watch(e, (verb & CRASH_VERB_MASK) != CRASH_RECOVER, 0);
        cs_status status = crash_verb_run(&e->machine, (crash_verb)verb, crash_step_seed(e->step), &e->told);
        e->result->runs++;
        if (status != CS_OK) crash_note_bad(e, INV_BEFORE_OR_AFTER, "the run itself failed");
        e->must = 1;
        crash_images_after(&e->images, NULL);
    }
}

crash_verb crash_explorer_recovery(const crash_explorer *e, const crash_image *from) {
    static uint16_t program, content;
    if (!program) {
        program = crash_path(CRASH_P "\\cudnn-setup.exe");
        content = crash_content("the program", 11, 11);
    }
    bool from_p = e->scenario->steps[0] & CRASH_FROM_P && from->at[program].file && from->at[program].content == content;
    return (crash_verb)(from_p ? CRASH_RECOVER | CRASH_FROM_P : CRASH_RECOVER);
}

bool crash_explorer_recover(crash_explorer *e, const crash_image *from, crash_image *final) {
    crash_told told;
    crash_machine_load(&e->machine, from);
    e->step = from->step;
    e->depth = from->from;
    e->told = (crash_told){0};
    if (e->depth > e->result->depth) e->result->depth = e->depth;
    crash_explorer_watch(e, false, from->must);
    e->result->runs++;
    cs_status status = crash_verb_run(&e->machine, crash_explorer_recovery(e, from), 1, &told);
    if (crash_machine_open_files(&e->machine)) crash_note_bad(e, INV_BEFORE_OR_AFTER, "recovery leaves files open");
    crash_machine_save(&e->machine, final);
    if (status == CS_OK) return true;
    char line[CRASH_SAMPLE_TEXT - 40];
    snprintf(line, sizeof line, "%.350s", told.message);
    crash_note_bad(e, INV_BEFORE_OR_AFTER, line);
    return false;
}

void crash_explorer_init(crash_explorer *e, const crash_scenario *scenario, crash_model model, const crash_limits *limits,
                         crash_emit emit, crash_result *result) {
    memset(e, 0, sizeof *e);
    *result = (crash_result){.complete = true};
    crash_machine_init(&e->machine, model);
    e->scenario = scenario;
    e->images = (crash_images){.machine = &e->machine, .emit = emit, .ctx = e, .limit = limits->subsets};
    e->limits = limits;
    e->result = result;
}

void crash_explorer_end(crash_explorer *e) {
    struct timespec end;
    crash_result *out = e->result;
    if (e->machine.overflow) crash_note_bad(e, INV_BEFORE_OR_AFTER, "the explorer's tables are too small");
    if (e->machine.scheduled_live_name)
        crash_note_bad(e, INV_CLOSED_NAMES, "a name that a later run may need is to be deleted at the next restart");
    if (e->machine.read_mark) crash_note_bad(e, INV_RECOVERY_WRITES, "mark, lock or reserve was read");
    out->raw = e->images.raw;
    out->holes = e->images.holes;
    out->states = e->seen.count;
    crash_set_free(&e->seen);
    crash_set_free(&e->applying);
    crash_set_free(&e->settled);
    free(e->stack);
    crash_records_free(e);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end); /* a job has a process of its own */
    out->seconds = (double)end.tv_sec + (double)end.tv_nsec / 1e9;
}

void crash_explore(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                   crash_result *out) {
    static crash_explorer e; /* one job in a process */
    crash_explorer_init(&e, scenario, model, limits, collect, out);
    if (crash_explorer_prepare(&e, environment))
        crash_explorer_forward(&e);
    else
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a crash fails");
    while (e.stack_count && crash_result_bad(out) < limits->bad) {
        const crash_image from = e.stack[--e.stack_count];
        crash_image final;
        if (!crash_explorer_recover(&e, &from, &final)) continue;
        crash_inv1_before_or_after(&e, &from, &final);
        crash_inv3_success_is_kept(&e, &from, &final);
        crash_inv2_second_writes_nothing(&e, &final);
    }
    if (e.stack_count) out->complete = false;
    crash_explorer_end(&e);
}
