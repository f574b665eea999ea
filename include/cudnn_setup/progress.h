/* progress.h: tells how far a step has come, seldom enough to cost nothing, and hears whether the run was cancelled. */
#ifndef CUDNN_SETUP_PROGRESS_H
#define CUDNN_SETUP_PROGRESS_H

#include "cudnn_setup/host.h"

/* Filled by the caller up to total; the rest starts as zero. For the thread that runs the verb. */
typedef struct cs_meter {
    const cs_host *host;
    const char *step; /* the id of the step's event; a literal */
    const char *file; /* at work; borrowed */
    bool counts_files;
    uint64_t total;
    bool started;
    uint64_t next_tick, last_tick, last_done, rate;
} cs_meter;

/* done of total by now. Emits an event if the last one is a tenth of a second old, the first time, and when done reaches total
 * (without a clock: every time). */
void cs_meter_tell(cs_meter *meter, uint64_t done);
/* The same, after asking: CS_E_CANCELLED, without an error text, if the run was cancelled. */
cs_status cs_meter_step(cs_meter *meter, uint64_t done);

#endif
