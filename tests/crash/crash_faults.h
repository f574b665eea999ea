/* crash_faults.h: what the checks with failing calls share. */
#ifndef CRASH_FAULTS_H
#define CRASH_FAULTS_H

#include "crash_inside.h"

/* Tries a fault: returns what it struck, or false in struck when the run has no such call. */
typedef crash_fault (*crash_try)(crash_explorer *e, const crash_fault *fault, void *ctx);

/* Fails call after call from `first` on, with every code that can come for it (without all: every third), before and after doing,
 * once and for good. */
void crash_fail_calls(crash_explorer *e, unsigned long first, bool all, crash_try try, void *ctx);
/* Fails allocation after allocation of run, which then judges. */
void crash_fail_allocations(crash_explorer *e, void (*run)(crash_explorer *e, void *ctx), void *ctx);

/* Whether the allocation that was to fail was one more than the run had; ends it. */
bool crash_allocation_was_left(void);

/* The targets and the environment are the same: what a user sees. */
bool crash_is_public_same(const crash_image *a, const crash_image *b);
/* image is After, but for what another run may do differently (ids, records that name them). where: the first difference. */
bool crash_is_after(const crash_explorer *e, const crash_image *image, const crash_image *after, const crash_fault *fault,
                    char *where, size_t size);

/* After any run: nothing stays open or allocated, and only what may be tried again was, as often as it may. */
void crash_judge_leaks(crash_explorer *e);
/* After a failure: a documented exit code, and one message that names the path. */
void crash_judge_message(crash_explorer *e, cs_status status, const crash_fault *fault, const crash_told *told);
void crash_note_fault(crash_explorer *e, crash_invariant invariant, const crash_told *told, const char *text);

extern long cs_alloc_live; /* of the core, in this build */

#endif
