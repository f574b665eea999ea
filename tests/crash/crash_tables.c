#include "crash_tables.h"

#include <stdio.h>
#include <string.h>

#include "crash_mutants.h"

/* 1234567 as "1,234,567". Lives until the eighth call from now. */
static const char *grouped(uint64_t value) {
    static char texts[8][32];
    static unsigned next;
    char digits[24], *out = texts[next++ % 8];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

static void print_scenario(const crash_job *jobs, size_t count, const crash_scenario *scenario) {
    uint64_t states[CRASH_MODELS] = {0}, operations = 0, images = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].scenario != scenario) continue;
        any = true;
        states[jobs[i].model] += jobs[i].result.states;
        operations += jobs[i].result.operations;
        images += jobs[i].result.raw;
    }
    if (!any) return;
    printf("| %s |", scenario->name);
    for (int model = 0; model < CRASH_MODELS; model++) printf(" %s |", grouped(states[model]));
    printf(" %s | %s |\n", grouped(operations), grouped(images));
}

void crash_table_scenarios(const crash_job *jobs, size_t count) {
    printf("| scenario |");
    for (int model = 0; model < CRASH_MODELS; model++) printf(" %s |", crash_model_name((crash_model)model));
    printf(" operations | images |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < crash_scenario_count; i++) print_scenario(jobs, count, &crash_scenarios[i]);
    printf("\n");
}

void crash_table_check(const char *name, const crash_job *jobs, size_t count) {
    static bool begun;
    crash_result all = {0};
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        all.operations += jobs[i].result.operations;
        all.raw += jobs[i].result.raw;
        all.states += jobs[i].result.states;
        bad += crash_result_bad(&jobs[i].result) + jobs[i].crashed;
    }
    if (!begun) printf("| check | operations | images | distinct states | bad |\n|---|---|---|---|---|\n");
    begun = true;
    printf("| %s | %s | %s | %s | %s |\n", name, grouped(all.operations), all.raw ? grouped(all.raw) : "",
           all.raw ? grouped(all.states) : "", grouped(bad));
}

static void print_mutant(const crash_job *jobs, size_t count, int number) {
    uint64_t bad[INVARIANTS] = {0}, all = 0, caught_in = 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].mutant != number) continue;
        uint64_t here = crash_result_bad(&jobs[i].result) + jobs[i].crashed;
        all += here;
        caught_in += here != 0;
        for (int k = 0; k < INVARIANTS; k++) bad[k] += jobs[i].result.bad[k];
    }
    printf("| %s | %s | %s |", crash_mutant_name((cs_mutant)number), grouped(all), grouped(caught_in));
    for (int k = 1; k < INVARIANTS; k++) {
        if (!bad[k]) continue;
        if (k == INV_REPORT)
            printf(" report");
        else
            printf(" %d", k);
    }
    printf(" |\n");
}

void crash_table_mutants(const crash_job *jobs, size_t count) {
    printf("\n| fault put into the engine | bad states | jobs | invariants |\n|---|---|---|---|\n");
    for (int number = 1; number < CS_MUTANTS; number++) print_mutant(jobs, count, number);
}
