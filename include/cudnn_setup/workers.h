/* workers.h: several threads on one heap of work, if the system has threads; else the caller alone. */
#ifndef CUDNN_SETUP_WORKERS_H
#define CUDNN_SETUP_WORKERS_H

#include "cudnn_setup/hash.h"
#include "cudnn_setup/progress.h"

/* How many threads jobs that could all run at once deserve: one more than there are processors, so that one that waits for the
 * disk leaves none idle. 1: the caller had better do it alone. system may be NULL. */
unsigned cs_workers_for(const cs_system *system, size_t jobs);

/* Runs the team; where there are no threads, work(arg, 0) in the calling thread, after alone(arg). */
void cs_workers_run(const cs_system *system, const cs_team *team, void (*alone)(void *arg));

/* ---- the same job for many things ---- */

/* The run that a job belongs to. */
typedef struct cs_each cs_each;

/* Does the job for thing index. A job must touch nothing but its own thing. */
typedef cs_status (*cs_each_job)(void *ctx, size_t index, cs_each *each, cs_error *error);

/* Calls job for every index below count: in this order where there are no threads, else several at once, the one with the largest
 * of sizes first (bytes; may be NULL). Of several failures the first by index is returned; what comes after it in the order is
 * not begun any more. meter tells of bytes and hears of a cancel (CS_E_CANCELLED, with a text); its total is the caller's. */
cs_status cs_workers_each(cs_meter *meter, size_t count, const uint64_t *sizes, cs_each_job job, void *ctx, cs_error *error);
/* For a job, at least every few blocks: so many more bytes are done, of file (borrowed until the end; NULL: no news).
 * CS_E_CANCELLED, without an error text: give up. */
cs_status cs_each_done(cs_each *each, uint64_t bytes, const char *file);

/* For a job: cs_sha256_file of its thing, told as cs_each_done tells, under name (borrowed until the end). each NULL: nobody is
 * told. */
cs_status cs_each_sha256(cs_each *each, const char *name, const cs_fs *fs, cs_file *file, uint8_t digest[CS_SHA256_SIZE],
                         cs_error *error);

#endif
