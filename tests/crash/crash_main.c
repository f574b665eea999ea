/* crash_explorer: see usage(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_jobs.h"

enum { JOBS_MAX = 2048 };

typedef struct wishes {
    bool deep, mutants;
    const char *scenario, *model;
    unsigned parallel;
} wishes;

static crash_job jobs[JOBS_MAX];
static size_t job_count;
static unsigned long passed, failed;

static int usage(void) {
    puts("usage: crash_explorer [--deep] [--mutants] [--scenario TEXT] [--model N|H|HX|N1|H1] [--jobs N]\n"
         "Cuts the power at every moment of every run, and of every recovery from that; see docs/transaction.md.");
    return 2;
}

static void explore(const crash_job *job, crash_result *result) {
    crash_explore(job->scenario, job->environment, job->model, &job->limits, result);
}

static crash_job *add_job(crash_work work, const crash_scenario *scenario, unsigned environment, unsigned rows,
                          crash_model model) {
    if (job_count == JOBS_MAX) abort();
    crash_job *job = &jobs[job_count++];
    *job = (crash_job){.work = work, .scenario = scenario, .environment = environment, .rows = rows, .model = model};
    return job;
}

static bool is_wanted(const wishes *w, const crash_scenario *scenario, crash_model model) {
    if (w->scenario && !strstr(scenario->name, w->scenario)) return false;
    return !w->model || strcmp(w->model, crash_model_name(model)) == 0;
}

static void add_explorations(const wishes *w) {
    for (size_t i = 0; i < crash_scenario_count; i++)
        for (unsigned environment = 0; environment < CRASH_ENVIRONMENTS; environment++)
            for (int model = 0; model < CRASH_MODELS; model++) {
                const crash_scenario *scenario = &crash_scenarios[i];
                if (!is_wanted(w, scenario, (crash_model)model)) continue;
                crash_job *job = add_job(explore, scenario, environment, w->deep ? 4 : 3, (crash_model)model);
                job->limits = (crash_limits){.subsets = w->deep ? 14 : 11, .states = w->deep ? 0 : 20000};
                job->deep = w->deep;
            }
}

static void print_bad(const crash_result *result) {
    for (int i = 1; i < INVARIANTS; i++)
        if (result->bad[i])
            printf("      %s: %llu, such as: %s\n", crash_invariant_name((crash_invariant)i), (unsigned long long)result->bad[i],
                   result->sample[i]);
}

static void print_explorations(void) {
    crash_result all = {0};
    printf("%-30s %-3s %-5s %9s %10s %8s %5s %5s\n", "scenario", "env", "model", "operations", "raw images", "states", "depth",
           "bad");
    for (size_t i = 0; i < job_count; i++) {
        const crash_job *job = &jobs[i];
        const crash_result *r = &job->result;
        uint64_t bad = crash_result_bad(r) + job->crashed;
        printf("%-30s %-3u %-5s %9llu %10llu %8llu %5llu %5llu%s%s\n", job->scenario->name, job->environment,
               crash_model_name(job->model), (unsigned long long)r->operations, (unsigned long long)r->raw,
               (unsigned long long)r->states, (unsigned long long)r->depth, (unsigned long long)bad,
               r->complete ? "" : "  cut at the limit", job->crashed ? "  the explorer itself crashed" : "");
        print_bad(r);
        all.operations += r->operations;
        all.raw += r->raw;
        all.states += r->states;
        bad ? failed++ : passed++;
    }
    printf("%-40s %9llu %10llu %8llu\n\n", "all", (unsigned long long)all.operations, (unsigned long long)all.raw,
           (unsigned long long)all.states);
    job_count = 0;
}

int main(int argc, char **argv) {
    wishes w = {.parallel = 2};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--deep") == 0) {
            w.deep = true;
        } else if (strcmp(argv[i], "--mutants") == 0) {
            w.mutants = true;
        } else if (next && strcmp(argv[i], "--scenario") == 0) {
            w.scenario = argv[++i];
        } else if (next && strcmp(argv[i], "--model") == 0) {
            w.model = argv[++i];
        } else if (next && strcmp(argv[i], "--jobs") == 0) {
            w.parallel = (unsigned)strtoul(argv[++i], NULL, 10);
        } else {
            return usage();
        }
    }
    if (!w.parallel) return usage();
    add_explorations(&w);
    crash_jobs_run(jobs, job_count, w.parallel);
    print_explorations();
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed ? 1 : 0;
}
