/* workers.h: several threads on one heap of work, if the system has threads; else the caller alone. */
#ifndef CUDNN_SETUP_WORKERS_H
#define CUDNN_SETUP_WORKERS_H

#include "cudnn_setup/system.h"

/* How many threads jobs that could all run at once deserve: one more than there are processors, so that one that waits for the
 * disk leaves none idle. 1: the caller had better do it alone. system may be NULL. */
unsigned cs_workers_for(const cs_system *system, size_t jobs);

/* Runs the team; where there are no threads, work(arg, 0) in the calling thread, after alone(arg). */
void cs_workers_run(const cs_system *system, const cs_team *team, void (*alone)(void *arg));

#endif
