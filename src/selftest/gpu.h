/* gpu.h: what the parts of the self-test share. Everything hangs on one `gpu`, which remembers the first failure: after it,
 * every step does nothing, so that a sequence of steps needs one check at its end. */
#ifndef CUDNN_SETUP_SELFTEST_GPU_H
#define CUDNN_SETUP_SELFTEST_GPU_H

#include "abi.h"
#include "cudnn_setup/selftest.h"

enum { GPU_MAX_BLOCKS = 48, GPU_GUARD = 4096, GPU_POISON = 0xFF };

typedef struct gpu_block {
    void *memory;
    size_t size; /* without the guard behind it */
} gpu_block;

typedef struct gpu {
    const cs_selftest_options *options;
    const cs_loader *loader;
    cs_gpu_report *out;
    cs_library *driver_library, *runtime_library, *cudnn_library;
    cuda_driver driver;
    cuda_runtime cuda;
    cudnn_library cudnn;
    bool has_driver; /* cuda_driver is bound */
    void *handle;    /* of cuDNN */
    bool stopped;    /* out->verdict says why */
    uint64_t random; /* state of the generator */
    uint64_t workspace_limit;
    gpu_block blocks[GPU_MAX_BLOCKS]; /* on the device, in the order of their making */
    size_t block_count;
    double *numbers[GPU_MAX_BLOCKS]; /* on the host */
    size_t number_count;
} gpu;

/* ---- failures (gpu.c) ---- */

/* Ends the test with a verdict. culprit: a name, or NULL. The first one counts. */
void gpu_stop(gpu *g, cs_gpu_verdict verdict, const char *culprit, int status);
/* True if status is success; otherwise the verdict that a status of the runtime, or of cuDNN, amounts to. run may be NULL. */
bool gpu_cuda_ok(gpu *g, cs_gpu_run *run, const char *call, int status);
bool gpu_cudnn_ok(gpu *g, cs_gpu_run *run, const char *call, int status);

/* ---- statuses (status.c) ---- */

typedef enum gpu_status_kind {
    GPU_STATUS_OK,
    GPU_STATUS_UNSUPPORTED, /* not offered: no fault */
    GPU_STATUS_FAILED       /* the verdict says more */
} gpu_status_kind;

gpu_status_kind gpu_cudnn_kind(int status);
cs_gpu_verdict gpu_cudnn_verdict(int status);
cs_gpu_verdict gpu_cuda_verdict(int status);

/* ---- binding (bind.c) and devices (device.c) ---- */

void gpu_bind_runtime(gpu *g);
void gpu_bind_cudnn(gpu *g);
void gpu_bind_driver(gpu *g); /* its absence is no verdict yet */
void gpu_ask_versions(gpu *g);
void gpu_check_parts(gpu *g);
void gpu_choose_device(gpu *g);
void gpu_list_devices(gpu *g); /* of the driver alone */

/* ---- numbers (numbers.c) ---- */

size_t gpu_type_size(cs_gpu_type type);
uint16_t gpu_half_from_double(double value); /* to the nearest, ties to even */
double gpu_half_to_double(uint16_t bits);
void gpu_encode(void *to, cs_gpu_type type, const double *values, size_t count);
/* count numbers in [-1, 1), random and exact in the type, times scale, which is a power of two. */
void gpu_fill(gpu *g, double *values, size_t count, cs_gpu_type type, double scale);

typedef struct gpu_difference {
    double norm, worst;
    size_t untouched, not_finite;
} gpu_difference;

/* Of raw numbers as the device left them from what they should be. Poisoned numbers count as untouched, not as NaN. */
gpu_difference gpu_compare(const void *raw, cs_gpu_type type, const double *wanted, size_t count);
cs_gpu_outcome gpu_judge(const gpu_difference *difference, double limit);

/* What a result may deviate by; why so much is said at the definition. reduced: matrix units may shorten fp32's mantissa. */
double gpu_limit(cs_gpu_type type, bool reduced);
bool gpu_reduces(const gpu *g, bool fma_accepted);

/* ---- memory: what was made is freed together (gpu.c) ---- */

double *gpu_numbers(gpu *g, size_t count);              /* zeroed; NULL once stopped */
void *gpu_memory(gpu *g, cs_gpu_run *run, size_t size); /* poisoned, with a poisoned guard behind it; NULL once stopped */
void gpu_upload(gpu *g, cs_gpu_run *run, void *to, cs_gpu_type type, const double *values, size_t count);
void gpu_free_all(gpu *g);

/* ---- one measured and judged call (measure.c) ---- */

cs_gpu_run *gpu_run_add(gpu *g, const char *operation, const char *part, const char *shape, const char *algorithm,
                        cs_gpu_type type);

typedef struct gpu_output {
    void *memory;
    size_t count;
    cs_gpu_type type;
    const double *wanted;
    const double *initial; /* what it holds before each call; NULL: poison */
} gpu_output;

typedef struct gpu_call {
    const char *name; /* the library's function */
    int (*function)(gpu *g, void *ctx);
    void *ctx;
    const gpu_output *outputs;
    size_t output_count;
    double limit;
    bool required; /* there is no other algorithm: not to offer it is a failure */
} gpu_call;

/* Calls it first + later times, each on fresh outputs, compares the first and the last result and fills run. */
void gpu_measure(gpu *g, cs_gpu_run *run, const gpu_call *call);

/* ---- the work ---- */

/* Sizes of the output; false if the shape makes no sense. */
bool gpu_shape_output(const cs_gpu_shape *shape, int *height, int *width);
/* y from x and w; dx from dy and w; dw from x and dy: NCHW and KCRS, in double precision (reference.c). */
void gpu_reference_forward(const cs_gpu_shape *shape, const double *x, const double *w, double *y);
void gpu_reference_backward_data(const cs_gpu_shape *shape, const double *w, const double *dy, double *dx);
void gpu_reference_backward_filter(const cs_gpu_shape *shape, const double *x, const double *dy, double *dw);

void gpu_try_convolutions(gpu *g, cs_gpu_type type); /* convolution.c */
void gpu_try_layers(gpu *g);                         /* layers.c: pooling, activation, softmax, batch normalisation */
void gpu_try_recurrent(gpu *g);                      /* recurrent.c */

/* Adds a run that was not tried because the library (a sample) lacks the function; true if so. */
bool gpu_lacks(gpu *g, cs_function function, const char *operation, const char *part, cs_gpu_type type);

/* ---- facts.c ---- */
void gpu_say(cs_gpu_report *out); /* fills out->sentence and out->chinese */

#endif
