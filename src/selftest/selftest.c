/* selftest.c: the order of it all, and what the runs come to. */
#include "cudnn_setup/selftest.h"

#include <string.h>

#include "gpu.h"

static const uint64_t usual_seed = 8003;

static void connect(gpu *g) {
    gpu_bind_driver(g);
    gpu_bind_cudnn(g); /* before the runtime: on Windows it brings the runtime that it was built with */
    gpu_bind_runtime(g);
    gpu_ask_versions(g);
}

/* "Not initialized" has many causes; two can be seen from here: a driver that serves an older CUDA only (from 11 on any driver of
 * the same major number will do), and little memory. */
static cs_gpu_verdict why_not_initialized(const gpu *g) {
    const uint64_t little = UINT64_C(512) << 20;
    int driver = g->out->driver_cuda, runtime = g->out->runtime_version;
    if (driver > 0 && (runtime < 11000 ? driver < runtime : driver / 1000 < runtime / 1000)) return CS_GPU_DRIVER_TOO_OLD;
    return g->out->devices[g->out->device].memory_free < little ? CS_GPU_MEMORY_TAKEN : CS_GPU_NOT_INITIALIZED;
}

static bool create_handle(gpu *g) {
    if (g->stopped) return false;
    int status = g->cudnn.cudnnCreate(&g->handle);
    if (status == CUDNN_OK && g->handle) return true;
    g->handle = NULL;
    cs_gpu_verdict verdict = status == CUDNN_OK ? CS_GPU_NOT_INITIALIZED : gpu_cudnn_verdict(status);
    gpu_stop(g, verdict == CS_GPU_NOT_INITIALIZED ? why_not_initialized(g) : verdict, "cudnnCreate", status);
    return false;
}

/* 16-bit floating point since capability 5.3 (CUDA C Programming Guide, arithmetic instructions). */
static bool has_fp16(const gpu *g) {
    const cs_gpu_device *device = &g->out->devices[g->out->device];
    return device->major * 10 + device->minor >= 53;
}

static void work(gpu *g) {
    gpu_try_convolutions(g, CS_GPU_FP32);
    /* The sample computes in fp32 alone. */
    if (!g->stopped && has_fp16(g) && !g->out->sample) gpu_try_convolutions(g, CS_GPU_FP16);
    if (!g->stopped) gpu_try_layers(g);
    if (!g->stopped) gpu_try_recurrent(g);
}

static bool is_fault(cs_gpu_outcome outcome) {
    switch (outcome) {
    case CS_GPU_RIGHT:
    case CS_GPU_UNSUPPORTED:
    case CS_GPU_NO_ROOM:
    case CS_GPU_LACKING:
        return false;
    default:
        return true;
    }
}

/* Wrong results did not stop the test: the first of them names the verdict. Passing needs results that were right. */
static void conclude(gpu *g) {
    size_t right = 0;
    for (size_t i = 0; i < g->out->run_count && !g->stopped; i++) {
        const cs_gpu_run *run = &g->out->runs[i];
        if (is_fault(run->outcome)) gpu_stop(g, CS_GPU_WRONG_RESULT, run->operation, 0);
        right += run->outcome == CS_GPU_RIGHT;
    }
    if (!g->stopped && !right) gpu_stop(g, CS_GPU_NO_ALGORITHM, NULL, 0);
    if (!g->stopped) g->out->verdict = g->out->sample ? CS_GPU_SAMPLE : CS_GPU_PASSED;
}

static char *copy_text(gpu *g, const char *text) {
    char *copy = cs_strdup(text);
    if (text && !copy) gpu_stop(g, CS_GPU_NO_MEMORY, NULL, 0);
    return copy;
}

static void close_library(gpu *g, cs_library *library) {
    if (library) g->loader->close(g->loader->ctx, library);
}

static void run(gpu *g) {
    g->out->visible_devices = copy_text(g, g->options->visible_devices);
    g->out->driver_version = copy_text(g, g->options->driver_version);
    connect(g);
    gpu_check_parts(g);
    gpu_choose_device(g);
    if (create_handle(g)) work(g);
    conclude(g);
    if (g->handle) g->cudnn.cudnnDestroy(g->handle);
    close_library(g, g->cudnn_library);
    close_library(g, g->runtime_library);
    close_library(g, g->driver_library);
}

static void list(gpu *g) {
    g->out->visible_devices = copy_text(g, g->options->visible_devices);
    gpu_bind_driver(g);
    gpu_list_devices(g);
    if (!g->stopped) g->out->verdict = CS_GPU_PASSED;
    close_library(g, g->driver_library);
}

static bool start(const cs_selftest_options *options, cs_gpu_report *out, void (*steps)(gpu *g)) {
    *out = (cs_gpu_report){.device = -1};
    gpu *g = cs_alloc(1, sizeof *g);
    if (!g) {
        out->verdict = CS_GPU_NO_MEMORY;
    } else {
        g->options = options;
        g->loader = options->loader;
        g->out = out;
        out->sample = options->sample;
        g->random = options->seed ? options->seed : usual_seed;
        steps(g);
        cs_free(g);
    }
    return out->verdict == CS_GPU_PASSED || out->verdict == CS_GPU_SAMPLE;
}

bool cs_selftest_run(const cs_selftest_options *options, cs_gpu_report *out) {
    bool passed = start(options, out, run);
    gpu_say(out);
    return passed;
}

bool cs_selftest_devices(const cs_selftest_options *options, cs_gpu_report *out) { return start(options, out, list); }

void cs_selftest_free(cs_gpu_report *selftest) {
    cs_buffer *const texts[] = {&selftest->sentence,   &selftest->chinese,      &selftest->culprit,
                                &selftest->cudnn_path, &selftest->runtime_path, &selftest->driver_path};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) cs_buffer_free(texts[i]);
    cs_free(selftest->visible_devices);
    cs_free(selftest->driver_version);
    cs_free(selftest->runs);
    *selftest = (cs_gpu_report){.device = -1};
}
