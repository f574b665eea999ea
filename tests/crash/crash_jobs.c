#include "crash_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_child(const crash_job *job, crash_result *result) {
    fflush(NULL);
    crash_rows = job->rows;
    job->work(job, result);
    fflush(NULL);
    _exit(0);
}

static void reap(crash_job *jobs, const pid_t *pids, size_t count, unsigned *running) {
    int state = 0;
    pid_t pid = wait(&state);
    for (size_t i = 0; pid > 0 && i < count; i++) {
        if (pids[i] != pid) continue;
        jobs[i].crashed = !WIFEXITED(state) || WEXITSTATUS(state) != 0;
        --*running;
    }
}

void crash_jobs_run(crash_job *jobs, size_t count, unsigned parallel) {
    size_t size = (count + 1) * sizeof(crash_result);
    crash_result *results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *pids = calloc(count + 1, sizeof *pids);
    unsigned running = 0;
    if (results == MAP_FAILED || !pids) abort();
    fflush(NULL);
    for (size_t i = 0; i < count; i++) {
        if (running == parallel) reap(jobs, pids, count, &running);
        pids[i] = fork();
        if (pids[i] == 0) run_child(&jobs[i], &results[i]);
        if (pids[i] > 0)
            running++;
        else
            jobs[i].crashed = true;
    }
    while (running) reap(jobs, pids, count, &running);
    for (size_t i = 0; i < count; i++) jobs[i].result = results[i];
    free(pids);
    munmap(results, size);
}
