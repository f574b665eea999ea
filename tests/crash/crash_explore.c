#include "crash_explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cudnn_setup/transaction.h"

enum { STABLE_MAX = CRASH_STEPS_MAX + 1, MARK_MUST = 1 };

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

/* ---- one job ---- */

typedef struct explorer {
    crash_machine machine;
    crash_images images;
    crash_set seen, applying, settled; /* applying: targets and private files of every image with a journal of a forward run */
    crash_image *stack;
    size_t stack_count, stack_capacity;
    crash_image stable[STABLE_MAX]; /* before the first step, and after each */
    size_t stable_count;
    bool may_vanish[CRASH_FILES]; /* of what was in the tree before: dropped by an After */
    bool forward;                 /* a verb runs, not a recovery */
    size_t step;
    bool done; /* the engine has reported success of this step */
    uint16_t must, depth;
    uint8_t valid[8192]; /* by content: 1 a valid record, 2 not */
    const crash_limits *limits;
    crash_result *result;
} explorer;

static void note_bad(explorer *e, crash_invariant invariant, const char *text) {
    char *sample = e->result->sample[invariant];
    if (!e->result->bad[invariant]) snprintf(sample, CRASH_SAMPLE_TEXT, "%s", text);
    e->result->bad[invariant]++;
}

/* ---- predicates on images ---- */

static bool is_valid_record(explorer *e, uint16_t content) {
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

typedef struct records {
    uint16_t journal, committed, undone, head; /* contents; 0: absent */
} records;

static records records_of(const crash_image *image) {
    records found = {0};
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

static void check_records(explorer *e, const records *found) {
    int count = (found->journal != 0) + (found->committed != 0) + (found->undone != 0);
    if (count > 1) note_bad(e, INV_JOURNAL, "more than one of journal, committed and undone");
    uint16_t all[] = {found->journal, found->committed, found->undone, found->head};
    for (size_t i = 0; i < 4; i++)
        if (all[i] && !is_valid_record(e, all[i])) note_bad(e, INV_JOURNAL, "a torn record under a final name");
}

static bool is_kept_class(crash_class class) { return class == CLASS_TARGET || class == CLASS_OLD || class == CLASS_NEW; }

static bool has_file(const crash_image *image, uint16_t file) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file == file) return is_kept_class(crash_path_class((uint16_t)i));
    return false;
}

/* Every content that stood in the tree at one of the stable states that this image can end in is still there. */
static void check_conservation(explorer *e, const crash_image *image, const records *found) {
    const crash_image *before = &e->stable[e->forward ? e->step : 0];
    if (e->stable_count > 2 && !e->forward) return; /* of several steps the base is not known any more */
    for (unsigned i = 1; i < crash_path_count(); i++) {
        const crash_entry *entry = &before->at[i];
        crash_class class = crash_path_class((uint16_t)i);
        if (!entry->file || (class != CLASS_TARGET && class != CLASS_OLD) || has_file(image, entry->file)) continue;
        bool committed = found->committed || (!found->journal && !found->undone);
        if (committed && e->may_vanish[entry->file]) continue;
        char text[256];
        snprintf(text, sizeof text, "what stood at %s is nowhere", crash_path_text((uint16_t)i));
        note_bad(e, INV_CONSERVATION, text);
    }
}

static void check_service(explorer *e, const crash_image *image) {
    static uint16_t program, content;
    if (!program) {
        program = crash_path(CRASH_P "\\cudnn-setup.exe");
        content = crash_content("the program", 11, 11);
    }
    if (image->reg[crash_slot_service()] && image->at[program].content != content)
        note_bad(e, INV_SERVICE, "the recovery service is on and its program is not there");
}

static uint64_t tree_hash(const crash_image *image) {
    uint64_t hash = 0;
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_entry entry = image->at[i];
        crash_class class = crash_path_class((uint16_t)i);
        if (!entry.file || !(is_kept_class(class) || class == CLASS_TARGET_FOLDER)) continue;
        if (!crash_is_folder(&entry)) entry.meta = 2; /* rights and times are put right on the way */
        hash += crash_entry_hash((uint16_t)i, &entry);
    }
    return hash;
}

/* The tree alone: registry and volume have no common order, so only each for itself can be one of a forward run's. */
static void check_undo(explorer *e, const crash_image *image, const records *found) {
    bool fresh;
    if (!found->journal) return;
    if (e->forward)
        crash_set_add(&e->applying, tree_hash(image), &fresh);
    else if (!crash_set_has(&e->applying, tree_hash(image)))
        note_bad(e, INV_UNDO_IS_APPLY, "the tree in the middle of an undo is none that the run could leave");
}

/* ---- collecting images ---- */

static void push(explorer *e, const crash_image *image) {
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
    explorer *e = ctx;
    bool fresh;
    /* What success was reported for is another state: only After will do for it. */
    uint8_t *mark = crash_set_add(&e->seen, image->hash, &fresh);
    if (!fresh && (*mark & MARK_MUST || !e->must)) return;
    if (e->must) *mark |= MARK_MUST;
    if (fresh) {
        records found = records_of(image);
        check_records(e, &found);
        check_conservation(e, image, &found);
        check_service(e, image);
        check_undo(e, image, &found);
    }
    if (!e->limits->states || e->seen.count < e->limits->states)
        push(e, image);
    else
        e->result->complete = false;
}

static void after_change(void *ctx, crash_machine *machine, const crash_op *op) {
    explorer *e = ctx;
    (void)machine;
    e->result->operations++;
    if (e->done) e->must = 1;
    crash_images_after(&e->images, op);
}

/* ---- predicates on operations ---- */

static bool is_public(const crash_op *op) {
    if (op->kind == OP_REG) return crash_slot_is_environment(op->a);
    crash_class a = crash_path_class(op->a), b = op->kind == OP_RENAME ? crash_path_class(op->b) : CLASS_FOREIGN;
    if (op->kind == OP_DATA || op->kind == OP_META) return a == CLASS_TARGET;
    return a == CLASS_TARGET || a == CLASS_TARGET_FOLDER || b == CLASS_TARGET;
}

static void check_order(explorer *e, const crash_op *op) {
    records durable = records_of(&e->machine.durable);
    bool journal = durable.journal && is_valid_record(e, durable.journal);
    bool committed = durable.committed && is_valid_record(e, durable.committed);
    if (is_public(op) && !journal && !committed) note_bad(e, INV_ORDER, "a public change before the journal is durable");
    if (op->kind != OP_REMOVE) return;
    crash_class class = crash_path_class(op->a);
    if (class == CLASS_OLD && !committed && (journal || !durable.head))
        note_bad(e, INV_ORDER, "an old file is dropped before the commit is durable");
    if (class == CLASS_NEW && journal) note_bad(e, INV_ORDER, "a new file is dropped while the journal may come back");
    if (class == CLASS_TARGET) note_bad(e, INV_ORDER, "a target is deleted instead of moved");
}

static void check_names(explorer *e, const crash_op *op) {
    char text[CRASH_SAMPLE_TEXT - 64];
    if (op->kind == OP_REG) return;
    bool foreign =
        crash_path_class(op->a) == CLASS_FOREIGN || (op->kind == OP_RENAME && crash_path_class(op->b) == CLASS_FOREIGN);
    snprintf(text, sizeof text, "%.150s %.150s", crash_path_text(op->a), op->kind == OP_RENAME ? crash_path_text(op->b) : "");
    if (foreign) note_bad(e, INV_CLOSED_NAMES, text);
    if (e->machine.foreign[op->file] && op->kind != OP_MAKE) note_bad(e, INV_FOREIGN_FILE, text);
}

static bool is_derived(crash_class class) {
    return class == CLASS_P || class == CLASS_P_PROGRAM || class == CLASS_P_STATUS || class == CLASS_STATE;
}

static void check_recovery(explorer *e, const crash_op *op) {
    if (e->forward || (op->kind != OP_MAKE && op->kind != OP_DATA)) return;
    crash_class class = crash_path_class(op->a);
    if (is_derived(class) || class == CLASS_MARK || class == CLASS_LOCK) return;
    note_bad(e, INV_RECOVERY_WRITES, crash_path_text(op->a));
}

static void before_change(void *ctx, crash_machine *machine, const crash_op *op) {
    explorer *e = ctx;
    (void)machine;
    check_order(e, op);
    check_names(e, op);
    check_recovery(e, op);
}

/* ---- running ---- */

static void watch(explorer *e, bool forward, uint16_t must) {
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
static void note_vanishing(explorer *e, const crash_image *before, const crash_image *after) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (before->at[i].file && is_kept_class(crash_path_class((uint16_t)i)) && !has_file(after, before->at[i].file))
            e->may_vanish[before->at[i].file] = true;
}

static bool prepare(explorer *e, const crash_scenario *scenario, unsigned environment) {
    crash_scenario_base(scenario, environment, &e->machine, &e->stable[0]);
    for (size_t i = 0; i < scenario->step_count; i++) {
        if (crash_scenario_step(&e->machine, &e->stable[i], scenario->steps[i], i, &e->stable[i + 1]) != CS_OK) return false;
        note_vanishing(e, &e->stable[i], &e->stable[i + 1]);
    }
    e->stable_count = scenario->step_count + 1;
    return true;
}

/* Without a crash, every image on the way is collected; so is what follows the report of success. */
static void run_forward(explorer *e, const crash_scenario *scenario) {
    for (e->step = 0; e->step < scenario->step_count; e->step++) {
        e->done = false;
        crash_machine_load(&e->machine, &e->stable[e->step]);
        watch(e, true, 0);
        cs_status status = crash_verb_run(&e->machine, scenario->steps[e->step], crash_step_seed(e->step), &e->done, NULL);
        e->result->runs++;
        if (status != CS_OK) note_bad(e, INV_BEFORE_OR_AFTER, "the run itself failed");
        e->must = 1;
        crash_images_after(&e->images, NULL);
    }
}

static void check_second(explorer *e, const crash_image *final) {
    bool fresh;
    crash_set_add(&e->settled, final->hash, &fresh);
    if (!fresh) return;
    crash_machine_load(&e->machine, final);
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL, NULL) != CS_OK)
        note_bad(e, INV_IDEMPOTENT, "a second recovery fails");
    else if (e->machine.changes)
        note_bad(e, INV_IDEMPOTENT, "a second recovery changes something");
}

static void judge(explorer *e, const crash_image *from, const crash_image *final) {
    if (final->hash == e->stable[from->step + 1].hash) return;
    if (final->hash == e->stable[from->step].hash) {
        if (from->must) note_bad(e, INV_SUCCESS_KEPT, "success was reported, and it was lost");
        return;
    }
    char with_before[160], with_after[160], text[CRASH_SAMPLE_TEXT - 40];
    crash_image_difference(final, &e->stable[from->step], with_before, sizeof with_before);
    crash_image_difference(final, &e->stable[from->step + 1], with_after, sizeof with_after);
    snprintf(text, sizeof text, "not before (%s), not after (%s)", with_before, with_after);
    note_bad(e, from->must ? INV_SUCCESS_KEPT : INV_BEFORE_OR_AFTER, text);
}

static void recover_one(explorer *e, const crash_image *from) {
    crash_image final;
    cs_error error = {0};
    crash_machine_load(&e->machine, from);
    e->step = from->step;
    e->depth = from->from;
    e->done = false;
    if (e->depth > e->result->depth) e->result->depth = e->depth;
    watch(e, false, from->must);
    e->result->runs++;
    cs_status status = crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL, &error);
    if (status != CS_OK) {
        char line[CRASH_SAMPLE_TEXT - 40];
        cs_error_text(&error, line, sizeof line);
        note_bad(e, INV_BEFORE_OR_AFTER, line);
        return;
    }
    if (crash_machine_open_files(&e->machine)) note_bad(e, INV_BEFORE_OR_AFTER, "recovery leaves files open");
    crash_machine_save(&e->machine, &final);
    judge(e, from, &final);
    check_second(e, &final);
}

void crash_explore(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                   crash_result *out) {
    static explorer e; /* one job in a process */
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    memset(&e, 0, sizeof e);
    *out = (crash_result){.complete = true};
    crash_machine_init(&e.machine, model);
    e.images = (crash_images){.machine = &e.machine, .emit = collect, .ctx = &e, .limit = limits->subsets};
    e.limits = limits;
    e.result = out;
    if (!prepare(&e, scenario, environment)) {
        note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a crash fails");
    } else {
        run_forward(&e, scenario);
        while (e.stack_count) {
            const crash_image from = e.stack[--e.stack_count];
            recover_one(&e, &from);
        }
    }
    if (e.machine.overflow) note_bad(&e, INV_BEFORE_OR_AFTER, "the explorer's tables are too small");
    if (e.machine.read_mark) note_bad(&e, INV_RECOVERY_WRITES, "mark, lock or reserve was read");
    out->raw = e.images.raw;
    out->holes = e.images.holes;
    out->states = e.seen.count;
    crash_set_free(&e.seen);
    crash_set_free(&e.applying);
    crash_set_free(&e.settled);
    free(e.stack);
    clock_gettime(CLOCK_MONOTONIC, &end);
    out->seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}

/* ---- reports ---- */

static const char *short_text(uint16_t content) {
    size_t size;
    uint64_t length;
    static char texts[4][24];
    static unsigned next;
    const char *bytes = crash_content_bytes(content, &size, &length);
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%.20s", bytes ? bytes : "");
    return text;
}

void crash_image_difference(const crash_image *a, const crash_image *b, char *text, size_t size) {
    snprintf(text, size, "the same");
    for (unsigned i = 1; i < crash_path_count(); i++) {
        if (crash_entry_hash((uint16_t)i, &a->at[i]) == crash_entry_hash((uint16_t)i, &b->at[i])) continue;
        snprintf(text, size, "%.110s %s %u/%u/%u is %u/%u/%u", crash_path_text((uint16_t)i), short_text(a->at[i].content),
                 a->at[i].file, a->at[i].content, a->at[i].meta, b->at[i].file, b->at[i].content, b->at[i].meta);
        return;
    }
    for (uint16_t i = 0; i < CRASH_SLOTS; i++)
        if (a->reg[i] != b->reg[i]) {
            snprintf(text, size, "%.110s %u is %u", crash_slot_text(i), a->reg[i], b->reg[i]);
            return;
        }
}

void crash_image_print(const crash_image *image) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (image->at[i].file)
            printf("  %s file=%u meta=%u %s\n", crash_path_text((uint16_t)i), image->at[i].file, image->at[i].meta,
                   crash_is_folder(&image->at[i]) ? "" : short_text(image->at[i].content));
    for (uint16_t i = 0; i < CRASH_SLOTS; i++)
        if (image->reg[i]) printf("  %s = %u\n", crash_slot_text(i), image->reg[i]);
}
