/* crash_inside.h: what the parts of the explorer share: one job at work. */
#ifndef CRASH_INSIDE_H
#define CRASH_INSIDE_H

#include <time.h>

#include "crash_explore.h"
#include "cudnn_setup/record.h"

enum { CRASH_STABLE_MAX = CRASH_STEPS_MAX + 1, CRASH_PARSED = 16 };

typedef struct crash_explorer {
    crash_machine machine;
    crash_images images;
    crash_set seen, applying, settled; /* applying: targets and private files of every image with a journal of a forward run */
    crash_image *stack;
    size_t stack_count, stack_capacity;
    crash_image stable[CRASH_STABLE_MAX]; /* before the first step, and after each */
    size_t stable_count;
    bool may_vanish[CRASH_FILES]; /* of what was in the tree before: dropped by an After */
    bool meddled;                 /* somebody acted before this recovery */
    bool forward;                 /* a verb runs, not a recovery */
    size_t step;
    bool done; /* the engine has reported success of this step */
    uint16_t must, depth;
    uint8_t valid[8192]; /* by content: 1 a valid record, 2 not */
    struct {
        uint16_t content;
        cs_record record;
    } parsed[CRASH_PARSED]; /* committed records, for their cleanup */
    struct timespec start;
    const crash_limits *limits;
    const char *label; /* put before what is bad; NULL: nothing */
    crash_result *result;
} crash_explorer;

typedef struct crash_records {
    uint16_t journal, committed, undone, head; /* contents; 0: absent */
} crash_records;

void crash_records_free(crash_explorer *e);
crash_records crash_records_of(const crash_image *image);
bool crash_has_file(const crash_image *image, uint16_t file); /* as a target or a private file */
bool crash_is_kept_class(crash_class class);

void crash_note_bad(crash_explorer *e, crash_invariant invariant, const char *text);
/* The predicates: on a new image, and on a change that is about to happen. */
void crash_check_image(crash_explorer *e, const crash_image *image);
void crash_check_change(crash_explorer *e, const crash_op *op);

/* ---- running ---- */
void crash_explorer_init(crash_explorer *e, crash_model model, const crash_limits *limits, crash_emit emit, crash_result *result);
/* The stable states of the scenario. */
bool crash_explorer_prepare(crash_explorer *e, const crash_scenario *scenario, unsigned environment);
/* From now on every change is checked, and its images are collected. */
void crash_explorer_watch(crash_explorer *e, bool forward, uint16_t must);
void crash_explorer_forward(crash_explorer *e, const crash_scenario *scenario);
void crash_explorer_push(crash_explorer *e, const crash_image *image);
/* Recovers from; on success the machine afterwards is in final. */
bool crash_explorer_recover(crash_explorer *e, const crash_image *from, crash_image *final);
void crash_explorer_end(crash_explorer *e);

#endif
