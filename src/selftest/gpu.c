/* gpu.c: the first failure, and memory on both sides. */
#include "gpu.h"

#include <string.h>

void gpu_stop(gpu *g, cs_gpu_verdict verdict, const char *culprit, int status) {
    if (g->stopped) return;
    g->stopped = true;
    g->out->verdict = verdict;
    g->out->status = status;
    if (culprit) cs_buffer_text(&g->out->culprit, culprit);
}

static void fail_run(cs_gpu_run *run, const char *call, int status) {
    if (!run) return;
    run->outcome = CS_GPU_FAILED;
    run->status = status;
    run->call = call;
}

bool gpu_cuda_ok(gpu *g, cs_gpu_run *run, const char *call, int status) {
    if (status == CUDA_SUCCESS_) return !g->stopped;
    fail_run(run, call, status);
    gpu_stop(g, gpu_cuda_verdict(status), call, status);
    return false;
}

/* The same status has different causes: what is known of the machine by now tells them apart. */
bool gpu_cudnn_ok(gpu *g, cs_gpu_run *run, const char *call, int status) {
    if (status == CUDNN_OK) return !g->stopped;
    fail_run(run, call, status);
    gpu_stop(g, gpu_cudnn_verdict(status), call, status);
    return false;
}

double *gpu_numbers(gpu *g, size_t count) {
    if (g->stopped) return NULL;
    double *numbers = g->number_count < GPU_MAX_BLOCKS ? cs_alloc(count ? count : 1, sizeof *numbers) : NULL;
    if (!numbers) {
        gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
        return NULL;
    }
    g->numbers[g->number_count++] = numbers;
    return numbers;
}

void *gpu_memory(gpu *g, cs_gpu_run *run, size_t size) {
    void *memory = NULL;
    if (g->stopped) return NULL;
    if (g->block_count == GPU_MAX_BLOCKS) {
        gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
        return NULL;
    }
    if (!gpu_cuda_ok(g, run, "cudaMalloc", g->cuda.cudaMalloc(&memory, size + GPU_GUARD))) return NULL;
    g->blocks[g->block_count++] = (gpu_block){.memory = memory, .size = size};
    if (!gpu_cuda_ok(g, run, "cudaMemset", g->cuda.cudaMemset(memory, GPU_POISON, size + GPU_GUARD))) return NULL;
    return memory;
}

void gpu_upload(gpu *g, cs_gpu_run *run, void *to, cs_gpu_type type, const double *values, size_t count) {
    if (g->stopped) return;
    void *raw = cs_alloc(count ? count : 1, gpu_type_size(type));
    if (!raw) {
        gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
        return;
    }
    gpu_encode(raw, type, values, count);
    gpu_cuda_ok(g, run, "cudaMemcpy", g->cuda.cudaMemcpy(to, raw, count * gpu_type_size(type), CUDA_HOST_TO_DEVICE));
    cs_free(raw);
}

void gpu_free_all(gpu *g) {
    while (g->block_count) g->cuda.cudaFree(g->blocks[--g->block_count].memory);
    while (g->number_count) cs_free(g->numbers[--g->number_count]);
}
