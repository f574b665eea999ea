/* measure.c: one call of the library, timed and compared. */
#include "gpu.h"

#include <string.h>

enum { USUAL_LATER_CALLS = 5, MOST_LATER_CALLS = 64 };

cs_gpu_run *gpu_run_add(gpu *g, const char *operation, const char *part, const char *shape, const char *algorithm,
                        cs_gpu_type type) {
    if (g->stopped) return NULL;
    cs_gpu_run *runs = cs_realloc(g->out->runs, g->out->run_count + 1, sizeof *runs);
    if (!runs) {
        gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
        return NULL;
    }
    g->out->runs = runs;
    runs += g->out->run_count++;
    *runs = (cs_gpu_run){.operation = operation, .part = part, .shape = shape, .algorithm = algorithm, .type = type};
    return runs;
}

bool gpu_lacks(gpu *g, cs_function function, const char *operation, const char *part, cs_gpu_type type) {
    if (g->stopped || function) return g->stopped;
    cs_gpu_run *run = gpu_run_add(g, operation, part, "", "", type);
    if (run) run->outcome = CS_GPU_LACKING;
    return true;
}

static void prepare(gpu *g, cs_gpu_run *run, const gpu_call *call) {
    for (size_t i = 0; i < call->output_count && !g->stopped; i++) {
        const gpu_output *output = &call->outputs[i];
        size_t size = output->count * gpu_type_size(output->type);
        if (output->initial)
            gpu_upload(g, run, output->memory, output->type, output->initial, output->count);
        else
            gpu_cuda_ok(g, run, "cudaMemset", g->cuda.cudaMemset(output->memory, GPU_POISON, size));
    }
    if (!g->stopped) gpu_cuda_ok(g, run, "cudaDeviceSynchronize", g->cuda.cudaDeviceSynchronize());
}

/* Time of one call to its end on the device. False if it failed, or, the first time, if the library does not offer it: what it
 * did once it has to do again. */
static bool call_once(gpu *g, cs_gpu_run *run, const gpu_call *call, bool first, uint64_t *nanoseconds) {
    prepare(g, run, call);
    if (g->stopped) return false;
    uint64_t start = g->loader->nanoseconds(g->loader->ctx);
    int status = call->function(g, call->ctx);
    int finished = status == CUDNN_OK ? g->cuda.cudaDeviceSynchronize() : CUDA_SUCCESS_;
    *nanoseconds = g->loader->nanoseconds(g->loader->ctx) - start;
    if (first && gpu_cudnn_kind(status) == GPU_STATUS_UNSUPPORTED) {
        run->outcome = CS_GPU_UNSUPPORTED;
        run->status = status;
        run->call = call->name;
        return false;
    }
    /* A kernel that failed shows up here, under the name of the call that started it. */
    return gpu_cudnn_ok(g, run, call->name, status) && gpu_cuda_ok(g, run, call->name, finished);
}

/* The worst of what was seen stays: a later call that happens to be right does not hide an earlier one that was not. */
static void note(cs_gpu_run *run, cs_gpu_outcome outcome, const gpu_difference *difference) {
    if (run->outcome == CS_GPU_RIGHT) run->outcome = outcome;
    if (difference->norm > run->error) run->error = difference->norm;
    if (difference->worst > run->worst) run->worst = difference->worst;
}

static bool guard_intact(gpu *g, const void *memory, const unsigned char *guard) {
    size_t i = 0;
    for (size_t b = 0; b < g->block_count; b++)
        if (g->blocks[b].memory == memory)
            for (i = 0; i < GPU_GUARD && guard[i] == GPU_POISON; i++) continue;
    return i == GPU_GUARD;
}

static void compare(gpu *g, cs_gpu_run *run, const gpu_call *call) {
    for (size_t i = 0; i < call->output_count && !g->stopped; i++) {
        const gpu_output *output = &call->outputs[i];
        size_t size = output->count * gpu_type_size(output->type);
        unsigned char *raw = cs_alloc(size + GPU_GUARD, 1);
        if (!raw) {
            gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
            return;
        }
        if (gpu_cuda_ok(g, run, "cudaMemcpy", g->cuda.cudaMemcpy(raw, output->memory, size + GPU_GUARD, CUDA_DEVICE_TO_HOST))) {
            gpu_difference difference = gpu_compare(raw, output->type, output->wanted, output->count);
            note(run, gpu_judge(&difference, call->limit), &difference);
            if (!guard_intact(g, output->memory, raw + size)) note(run, CS_GPU_OVERRUN, &difference);
        }
        cs_free(raw);
    }
}

static uint64_t median(uint64_t *times, unsigned count) {
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = i; j > 0 && times[j - 1] > times[j]; j--) {
            uint64_t swap = times[j];
            times[j] = times[j - 1];
            times[j - 1] = swap;
        }
    return times[count / 2];
}

void gpu_measure(gpu *g, cs_gpu_run *run, const gpu_call *call) {
    uint64_t times[MOST_LATER_CALLS];
    unsigned later = g->options->later_calls ? g->options->later_calls : USUAL_LATER_CALLS;
    if (g->stopped || !run) return;
    if (later > MOST_LATER_CALLS) later = MOST_LATER_CALLS;
    run->limit = call->limit;
    if (!call_once(g, run, call, true, &run->first_ns)) {
        if (run->outcome != CS_GPU_UNSUPPORTED) return;
        run->first_ns = 0;
        if (call->required) gpu_stop(g, CS_GPU_NO_ALGORITHM, call->name, run->status);
        return;
    }
    compare(g, run, call);
    while (run->later < later && call_once(g, run, call, false, &times[run->later])) run->later++;
    if (run->later) run->later_ns = median(times, run->later);
    if (run->later == later) compare(g, run, call);
}
