/* crash_explore.h: every crash image of one run, each recovered, every crash image of that recovery too, until there is no new
 * one; and what has to hold of each. */
#ifndef CRASH_EXPLORE_H
#define CRASH_EXPLORE_H

#include "crash_images.h"
#include "crash_verbs.h"

/* The invariants of docs/transaction.md, numbered as there. */
typedef enum crash_invariant {
    INV_BEFORE_OR_AFTER = 1,
    INV_IDEMPOTENT,
    INV_SUCCESS_KEPT,
    INV_JOURNAL,
    INV_ORDER,
    INV_CONSERVATION,
    INV_FOREIGN_FILE,
    INV_RECOVERY_WRITES,
    INV_SERVICE,
    INV_CLOSED_NAMES,
    INV_UNDO_IS_APPLY,
    INV_REPORT, /* not of the eleven: exit code, message, warning, retries and leaks after a failed call */
    INVARIANTS
} crash_invariant;

const char *crash_invariant_name(crash_invariant invariant);

enum { CRASH_STEPS_MAX = 4, CRASH_SAMPLE_TEXT = 400 };

typedef struct crash_scenario {
    const char *name;
    void (*machine)(crash_image *image, unsigned environment); /* the machine as it was found */
    unsigned before[CRASH_STEPS_MAX];                          /* verbs, done without a crash */
    size_t before_count;
    void (*meddle)(crash_image *image); /* what somebody does then; NULL: nothing */
    unsigned interrupted[2]; /* CRASH_INTERRUPTED and a verb: runs of which each has a journal; the recovery is explored */
    unsigned steps[CRASH_STEPS_MAX]; /* verbs; explored: a crash at any moment of them */
    size_t step_count;
} crash_scenario;

enum { CRASH_INTERRUPTED = 64 };

extern const crash_scenario crash_scenarios[];
extern const size_t crash_scenario_count;
enum { CRASH_ENVIRONMENTS = 3 };

typedef struct crash_limits {
    size_t subsets; /* complete subsets up to so many pending changes */
    size_t states;  /* stop after so many distinct states; 0: never */
    uint64_t bad;   /* stop after so many bad states */
} crash_limits;

typedef struct crash_result {
    uint64_t operations, raw, states, holes, runs;
    uint64_t bad[INVARIANTS];
    uint64_t depth;
    bool complete;                              /* the fixpoint was reached */
    char sample[INVARIANTS][CRASH_SAMPLE_TEXT]; /* of the first bad state of each */
    double seconds;
} crash_result;

extern bool crash_tell_all; /* every bad state goes to standard error */

uint64_t crash_result_bad(const crash_result *result);

void crash_explore(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                   crash_result *out);

/* The same with somebody acting between the crash and the recovery. */
void crash_users(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                 crash_result *out);

/* Fails every call and every allocation of the scenario's first step; operations counts the faults. all: with every code. */
void crash_faults(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits, bool all,
                  crash_result *out);

/* The same of recoveries from what that step leaves at its stages, and of its own taking back. */
void crash_recovery_faults(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                           bool all_codes, bool all_stages, crash_result *out);

/* The disk is full: from each call of the first step on, and in the recovery of every image, with and without `reserve`. */
void crash_space(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                 crash_result *out);

/* ---- shared with the other checks (users, faults) ---- */
uint64_t crash_step_seed(size_t step);
/* First difference of two images, for reports. */
void crash_image_difference(const crash_image *a, const crash_image *b, char *text, size_t size);
/* A whole image as lines. */
void crash_image_print(const crash_image *image);

#endif
