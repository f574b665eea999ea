/* crash_jobs.h: jobs in processes of their own, a few at a time. */
#ifndef CRASH_JOBS_H
#define CRASH_JOBS_H

#include "crash_explore.h"

typedef struct crash_job crash_job;
typedef void (*crash_work)(const crash_job *job, crash_result *result);

struct crash_job {
    crash_work work;
    const crash_scenario *scenario;
    unsigned environment, rows;
    crash_model model;
    int mutant;
    crash_limits limits;
    bool deep, all_codes;
    crash_result result; /* filled by crash_jobs_run */
    bool crashed;        /* the process ended before it was done */
};

/* Runs all of them, `parallel` at a time; the results are in the jobs afterwards. */
void crash_jobs_run(crash_job *jobs, size_t count, unsigned parallel);

#endif
