/* crash_inside.h: what the parts of the explorer share: one job at work. */
#ifndef CRASH_INSIDE_H
#define CRASH_INSIDE_H

#include <time.h>

#include "crash_explore.h"
#include "cudnn_setup/record.h"

enum { CRASH_STABLE_MAX = CRASH_STEPS_MAX + 1, CRASH_PARSED = 64, CRASH_CONTENTS = 16384 };

typedef struct crash_explorer {
    crash_machine machine;
    crash_images images;
    const crash_scenario *scenario;
    unsigned environment;
    crash_set seen, applying, settled; /* applying: targets and private files of every image with a journal of a forward run */
    crash_image *stack;
    size_t stack_count, stack_capacity;
    crash_image start;                    /* where the first step begins: the first stable state, or two interrupted runs */
    crash_image stable[CRASH_STABLE_MAX]; /* before the first step, and after each */
    size_t stable_count;
    bool may_vanish[CRASH_STEPS_MAX][CRASH_FILES]; /* in a step: of what was in the tree before, what After has not any more */
    bool meddled;                                  /* somebody acted before this recovery */
    bool forward;                                  /* a verb runs, not a recovery */
    size_t step;
    crash_told told; /* by the run at work */
    uint16_t must, depth;
    size_t stage;                    /* of recoveries with failing calls: which of the images it starts from */
    unsigned usual_warnings;         /* that the same run gives without a fault */
    long allocated;                  /* before the run at work */
    unsigned long failed_allocation; /* the number of the one that fails; 0: none, or it was one more than there are */
    uint8_t valid[CRASH_CONTENTS];   /* by content: 1 a valid record, 2 not */
    struct {
        uint16_t content;
        cs_record record;
    } parsed[CRASH_PARSED]; /* records, parsed once */
    const crash_limits *limits;
    const char *label; /* put before what is bad; NULL: nothing */
    crash_result *result;
} crash_explorer;

void crash_note_bad(crash_explorer *e, crash_invariant invariant, const char *text);
/* The run at work has warned of something that it does not warn of otherwise. */
bool crash_has_warned(const crash_explorer *e);

/* ---- records (crash_records.c) ---- */
typedef struct crash_records {
    uint16_t journal, committed, undone, head; /* contents; 0: absent */
} crash_records;

crash_records crash_records_of(const crash_image *image, unsigned tree);
/* Whether the tree has a journal, committed or undone. */
bool crash_is_pending(const crash_image *image, unsigned tree);
bool crash_is_valid_record(crash_explorer *e, uint16_t content);
/* A valid record; NULL for a content that is none, or 0. */
const cs_record *crash_parsed_record(crash_explorer *e, uint16_t content);
void crash_records_free(crash_explorer *e);
bool crash_lists_blob(const cs_record *record, const cs_blob *blob); /* in its cleanup */
/* The private file that the path names. false: it names none. */
bool crash_blob_of(uint16_t path, cs_blob *out);
/* The record moves the file of that id. */
const cs_move *crash_move_of(const cs_record *record, uint16_t file);

/* ---- the invariants of docs/transaction.md, by their numbers ---- */
/* crash_ends.c: where runs and recoveries end. */
uint64_t crash_state_hash(const crash_image *image); /* without what no state is made of */
void crash_inv1_before_or_after(crash_explorer *e, const crash_image *from, const crash_image *final);
void crash_inv2_second_writes_nothing(crash_explorer *e, const crash_image *final);
void crash_inv3_success_is_kept(crash_explorer *e, const crash_image *from, const crash_image *final);
/* crash_predicates.c: every image. */
void crash_inv4_one_valid_record(crash_explorer *e, const crash_image *image);
void crash_inv6_nothing_is_lost(crash_explorer *e, const crash_image *image);
void crash_inv9_service_has_its_program(crash_explorer *e, const crash_image *image);
void crash_inv11_undo_is_apply_backwards(crash_explorer *e, const crash_image *image);
/* crash_changes.c: every change, before it happens. */
void crash_inv5_durable_before_it_matters(crash_explorer *e, const crash_op *op);
void crash_inv7_only_recorded_files(crash_explorer *e, const crash_op *op);
void crash_inv8_recovery_writes_no_data(crash_explorer *e, const crash_op *op);
void crash_inv10_closed_names(crash_explorer *e, const crash_op *op);
/* All of them that apply. */
void crash_check_image(crash_explorer *e, const crash_image *image);
void crash_check_change(crash_explorer *e, const crash_op *op);

bool crash_has_file(const crash_image *image, uint16_t file); /* as a target or a private file */
bool crash_is_kept_class(crash_class class);

/* ---- running (crash_explore.c) ---- */
void crash_explorer_init(crash_explorer *e, const crash_scenario *scenario, crash_model model, const crash_limits *limits,
                         crash_emit emit, crash_result *result);
/* The stable states of the scenario. */
bool crash_explorer_prepare(crash_explorer *e, unsigned environment);
/* From now on every change is checked, and its images are collected. */
void crash_explorer_watch(crash_explorer *e, bool forward, uint16_t must);
/* Every step without a crash, from state to state. */
void crash_explorer_forward(crash_explorer *e);
void crash_explorer_push(crash_explorer *e, const crash_image *image);
/* How this machine is recovered: by the program in P if the scenario's runs are started from there and it is whole. */
crash_verb crash_explorer_recovery(const crash_explorer *e, const crash_image *from);
/* Recovers from; on success the machine afterwards is in final. */
bool crash_explorer_recover(crash_explorer *e, const crash_image *from, crash_image *final);
void crash_explorer_end(crash_explorer *e);

#endif
