/* crash_explorer: see usage(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_jobs.h"
#include "crash_mutants.h"
#include "crash_tables.h"

enum { JOBS_MAX = 2048 };

typedef struct wishes {
    bool deep, mutants, faults, table;
    const char *scenario, *model;
    unsigned parallel;
} wishes;

static crash_job jobs[JOBS_MAX];
static size_t job_count;
static unsigned long passed, failed;

static int usage(void) {
    puts("usage: crash_explorer [--deep | --mutants | --faults] [--table] [--scenario TEXT] [--model N|H|HX|N1|H1] [--jobs N]\n"
         "Cuts the power at every moment of every run, and of every recovery from that; see docs/transaction.md.\n"
         "--deep: four rows, no limits, every stage and code; hours. --mutants: the engine with one fault of its own at a\n"
         "time, alone. --faults: failing calls alone, with every code; seven minutes of processor time. --table: the tables\n"
         "of docs/transaction.md instead of a line a job. --tell: every bad state, to standard error.");
    return 2;
}

static void explore(const crash_job *job, crash_result *result) {
    crash_explore(job->scenario, job->environment, job->model, &job->limits, result);
}

static void with_users(const crash_job *job, crash_result *result) {
    crash_users(job->scenario, job->environment, job->model, &job->limits, result);
}

static void with_faults(const crash_job *job, crash_result *result) {
    crash_faults(job->scenario, job->environment, job->model, &job->limits, job->all_codes, result);
}

static void with_recovery_faults(const crash_job *job, crash_result *result) {
    crash_recovery_faults(job->scenario, job->environment, job->model, &job->limits, job->all_codes, job->deep, result);
}

static void without_space(const crash_job *job, crash_result *result) {
    crash_space(job->scenario, job->environment, job->model, &job->limits, result);
}

/* Which check sees what a mutant leaves out, beside the power cuts; NULL: those alone do. */
static crash_work second_check(cs_mutant which) {
    switch (which) {
    case CS_MUTANT_UNDO_BY_CONTENT:
    case CS_MUTANT_NO_FILE_IDS:
    case CS_MUTANT_NO_PATH_MERGE:
    case CS_MUTANT_NO_IDS_NO_MARKER:
    case CS_MUTANT_UNDO_REPLACES:
        return with_users;
    case CS_MUTANT_RESERVE_KEPT:
        return without_space;
    case CS_MUTANT_FLUSH_RETRIED:
    case CS_MUTANT_WARNING_MISSING:
    case CS_MUTANT_PENDING_HIDDEN:
        return with_faults;
    default:
        return NULL;
    }
}

/* A mutant is judged by both; what the second one finds is added. */
static void mutant(const crash_job *job, crash_result *result) {
    crash_result other;
    cs_engine_mutant = (cs_mutant)job->mutant;
    explore(job, result);
    crash_work second = job->model == CRASH_N ? second_check(cs_engine_mutant) : NULL;
    if (!second) return;
    second(job, &other);
    for (int i = 0; i < INVARIANTS; i++) {
        if (!result->bad[i]) memcpy(result->sample[i], other.sample[i], CRASH_SAMPLE_TEXT);
        result->bad[i] += other.bad[i];
    }
    result->states += other.states;
    result->seconds = other.seconds;
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
                job->limits = (crash_limits){.subsets = w->deep ? 14 : 11, .states = w->deep ? 0 : 20000, .bad = 100};
                job->deep = w->deep;
            }
}

static void add_users(const wishes *w) {
    for (size_t i = 0; i < crash_scenario_count; i++)
        for (unsigned environment = 0; environment < (w->deep ? CRASH_ENVIRONMENTS : 1u); environment++) {
            if (!is_wanted(w, &crash_scenarios[i], CRASH_N)) continue;
            crash_job *job = add_job(with_users, &crash_scenarios[i], environment, 3, CRASH_N);
            job->limits = (crash_limits){.subsets = 11, .bad = 100};
        }
}

/* These need every failing call of a run to be looked at: two runs are enough. */
static bool needs_faults(int number) { return second_check((cs_mutant)number) == with_faults; }

/* One that starts from each kind of machine is enough, unless there is much time. */
static bool shows_mutants(const wishes *w, const crash_scenario *scenario) {
    static const char *const names[] = {"fresh, folders missing",  "over 7.6",        "over our 8.0.2", "uninstall back to 7.6",
                                        "rollback of the upgrade", "repair of damage"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(scenario->name, names[i]) == 0) return true;
    return w->deep && scenario->step_count == 1;
}

static void add_mutants(const wishes *w) {
    static const crash_model models[] = {CRASH_N, CRASH_H};
    for (int number = 1; number < CS_MUTANTS; number++)
        for (size_t i = 0; i < crash_scenario_count; i++)
            for (size_t k = 0; k < 2; k++) {
                if (!is_wanted(w, &crash_scenarios[i], models[k]) || !shows_mutants(w, &crash_scenarios[i])) continue;
                if (needs_faults(number) && (k || (i && strcmp(crash_scenarios[i].name, "over our 8.0.2") != 0))) continue;
                crash_job *job = add_job(mutant, &crash_scenarios[i], 0, 3, models[k]);
                job->mutant = number;
                job->limits =
                    (crash_limits){.subsets = w->deep ? 10 : 7, .states = w->deep ? 20000 : 1200, .bad = w->deep ? 2000 : 100};
            }
}

static bool is_named(const crash_scenario *scenario, const char *name) { return strcmp(scenario->name, name) == 0; }

static bool shows_faults(const wishes *w, const crash_scenario *scenario) {
    static const char *const names[] = {"fresh, folders missing", "over our 8.0.2", "uninstall back to 7.6",
                                        "uninstall from P, running", "two trees interrupted"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_named(scenario, names[i])) return true;
    return shows_mutants(w, scenario) && (w->deep || w->faults);
}

static void add_faults(const wishes *w) {
    for (size_t i = 0; i < crash_scenario_count; i++) {
        if (!is_wanted(w, &crash_scenarios[i], CRASH_N) || !shows_faults(w, &crash_scenarios[i])) continue;
        for (int k = crash_scenarios[i].interrupted[0] ? 1 : 0; k < 2; k++) {
            crash_job *job = add_job(k ? with_recovery_faults : with_faults, &crash_scenarios[i], 0, 3, CRASH_N);
            job->deep = w->deep;
            job->all_codes = w->deep || w->faults;
            job->limits.bad = 100;
        }
    }
}

static void add_space(const wishes *w) {
    for (size_t i = 0; i < crash_scenario_count; i++) {
        bool shown = shows_mutants(w, &crash_scenarios[i]) || crash_scenarios[i].interrupted[0] || w->deep;
        if (!is_wanted(w, &crash_scenarios[i], CRASH_N) || !shown) continue;
        crash_job *job = add_job(without_space, &crash_scenarios[i], 0, 3, CRASH_N);
        job->limits = (crash_limits){.subsets = 11, .states = w->deep ? 0 : 3000, .bad = 100};
    }
}

static void print_bad(const crash_result *result) {
    for (int i = 1; i < INVARIANTS; i++)
        if (result->bad[i])
            printf("      %s: %llu, such as: %s\n", crash_invariant_name((crash_invariant)i), (unsigned long long)result->bad[i],
                   result->sample[i]);
}

static void print_job(const crash_job *job) {
    const crash_result *r = &job->result;
    uint64_t bad = crash_result_bad(r) + job->crashed;
    printf("%-30s %-3u %-5s %9llu %10llu %8llu %5llu %5llu%s%s\n", job->scenario->name, job->environment,
           crash_model_name(job->model), (unsigned long long)r->operations, (unsigned long long)r->raw,
           (unsigned long long)r->states, (unsigned long long)r->depth, (unsigned long long)bad,
           r->complete ? "" : "  cut at the limit", job->crashed ? "  the explorer itself crashed" : "");
    print_bad(r);
}

static void count_jobs(void) {
    for (size_t i = 0; i < job_count; i++) crash_result_bad(&jobs[i].result) + jobs[i].crashed ? failed++ : passed++;
}

static void print_jobs(const wishes *w, const char *title) {
    crash_result all = {0};
    count_jobs();
    if (w->table) {
        job_count = 0;
        return;
    }
    printf("%s\n%-30s %-3s %-5s %9s %10s %8s %5s %5s\n", title, "scenario", "env", "model", "operations", "raw images", "states",
           "depth", "bad");
    for (size_t i = 0; i < job_count; i++) {
        print_job(&jobs[i]);
        all.operations += jobs[i].result.operations;
        all.raw += jobs[i].result.raw;
        all.states += jobs[i].result.states;
        all.seconds += jobs[i].result.seconds;
    }
    printf("%-40s %9llu %10llu %8llu   in %.1f s of processor time\n\n", "all", (unsigned long long)all.operations,
           (unsigned long long)all.raw, (unsigned long long)all.states, all.seconds);
    job_count = 0;
}

/* A mutant that nothing catches is a hole in the explorer. */
static bool print_mutant(const wishes *w, int number) {
    uint64_t bad[INVARIANTS] = {0}, all = 0, caught_in = 0;
    const crash_job *example = NULL;
    for (size_t i = 0; i < job_count; i++) {
        if (jobs[i].mutant != number) continue;
        uint64_t here = crash_result_bad(&jobs[i].result) + jobs[i].crashed;
        if (here && !example) example = &jobs[i];
        all += here;
        caught_in += here != 0;
        for (int k = 0; k < INVARIANTS; k++) bad[k] += jobs[i].result.bad[k];
    }
    if (w->table) return all != 0;
    printf("%-46s %8llu %9llu  by", crash_mutant_name((cs_mutant)number), (unsigned long long)all, (unsigned long long)caught_in);
    for (int k = 1; k < INVARIANTS; k++)
        if (bad[k]) printf(" %d:%llu", k, (unsigned long long)bad[k]);
    printf("%s\n", all ? "" : " NOTHING: NOT CAUGHT");
    if (example) printf("      first: %s, %s\n", example->scenario->name, crash_model_name(example->model));
    return all != 0;
}

static void print_mutants(const wishes *w) {
    double seconds = 0;
    if (!w->table) printf("mutants of the engine\n%-46s %8s %9s\n", "mutant", "bad", "jobs");
    for (int number = 1; number < CS_MUTANTS; number++) print_mutant(w, number) ? passed++ : failed++;
    for (size_t i = 0; i < job_count; i++) seconds += jobs[i].result.seconds;
    if (w->table)
        printf("\n");
    else
        printf("in %.1f s of processor time\n\n", seconds);
    job_count = 0;
}

/* Runs the jobs that were added, and prints them. */
static void run_check(const wishes *w, const char *title, const char *name, void (*add)(const wishes *w)) {
    add(w);
    crash_jobs_run(jobs, job_count, w->parallel);
    if (w->table && add == add_explorations) crash_table_scenarios(jobs, job_count);
    if (w->table) crash_table_check(name, jobs, job_count);
    print_jobs(w, title);
}

static void run_faults(const wishes *w) {
    run_check(w, "every call and every allocation fails, also those of recoveries (operations: faults)",
              "failing calls and allocations, in runs, recoveries and undos", add_faults);
}

static void run_mutants(const wishes *w) {
    add_mutants(w);
    crash_jobs_run(jobs, job_count, w->parallel);
    if (w->table) crash_table_mutants(jobs, job_count);
    print_mutants(w);
}

static void run_all(const wishes *w) {
    run_check(w, "power cuts", "power cuts, to a fixpoint", add_explorations);
    run_check(w, "power cuts, and somebody acts before the recovery", "somebody acts between the cut and the recovery",
              add_users);
    run_check(w, "no space, with and without the reserve", "no space, with and without the reserve", add_space);
    run_faults(w);
    if (!w->scenario && !w->model) run_mutants(w); /* of a selection nobody can say that a mutant is not caught */
}

/* false: usage. */
static bool read_words(int argc, char **argv, wishes *w) {
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--deep") == 0)
            w->deep = true;
        else if (strcmp(argv[i], "--mutants") == 0)
            w->mutants = true;
        else if (strcmp(argv[i], "--faults") == 0)
            w->faults = true;
        else if (strcmp(argv[i], "--table") == 0)
            w->table = true;
        else if (strcmp(argv[i], "--tell") == 0)
            crash_tell_all = true;
        else if (next && strcmp(argv[i], "--scenario") == 0)
            w->scenario = argv[++i];
        else if (next && strcmp(argv[i], "--model") == 0)
            w->model = argv[++i];
        else if (next && strcmp(argv[i], "--jobs") == 0)
            w->parallel = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            return false;
    }
    return w->parallel != 0;
}

int main(int argc, char **argv) {
    wishes w = {.parallel = 2};
    if (!read_words(argc, argv, &w)) return usage();
    if (w.mutants)
        run_mutants(&w);
    else if (w.faults)
        run_faults(&w);
    else
        run_all(&w);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed ? 1 : 0;
}
