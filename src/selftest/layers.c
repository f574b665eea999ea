/* layers.c: the kinds of layer beside convolution, once each, so that ops_infer and ops_train are loaded and seen to compute. */
#include "gpu.h"

#include <math.h>
#include <string.h>

enum { N = 4, C = 16, SIDE = 14, PLANE = SIDE * SIDE, COUNT = N * C * PLANE };
enum { POOLED = 7, POOLED_COUNT = N * C * POOLED * POOLED, WINDOW = 3, PAD = 1, STRIDE = 2 };

static const double epsilon = 1e-5, factor = 0.25; /* of batch normalisation; epsilon is cuDNN's least */
static const float one = 1, zero = 0;

typedef struct layer {
    void *x_descriptor, *y_descriptor, *parameters_descriptor; /* N C SIDE SIDE, N C POOLED POOLED, 1 C 1 1 */
    void *operation;                                           /* descriptor of pooling or activation */
    double *x, *dy, *wanted;
    void *x_device, *dy_device, *y_device; /* the forward result, where a backward call wants it */
    void *result;
    /* batch normalisation */
    double *scale, *bias, *mean, *variance;
    void *scale_device, *bias_device, *mean_device, *variance_device;
    void *saved_mean, *saved_deviation;
} layer;

static void *upload_new(gpu *g, const double *values, size_t count) {
    void *memory = gpu_memory(g, NULL, count * sizeof(float));
    if (memory) gpu_upload(g, NULL, memory, CS_GPU_FP32, values, count);
    return memory;
}

static bool describe(gpu *g, void **descriptor, int n, int c, int side) {
    return gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", g->cudnn.cudnnCreateTensorDescriptor(descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetTensor4dDescriptor",
                        g->cudnn.cudnnSetTensor4dDescriptor(*descriptor, CUDNN_NCHW, CUDNN_FLOAT, n, c, side, side));
}

static bool begin(gpu *g, layer *l) {
    *l = (layer){0};
    if (g->stopped || !describe(g, &l->x_descriptor, N, C, SIDE) || !describe(g, &l->y_descriptor, N, C, POOLED) ||
        !describe(g, &l->parameters_descriptor, 1, C, 1))
        return false;
    l->x = gpu_numbers(g, COUNT);
    l->dy = gpu_numbers(g, COUNT);
    l->wanted = gpu_numbers(g, COUNT);
    gpu_fill(g, l->x, COUNT, CS_GPU_FP32, 2);
    gpu_fill(g, l->dy, COUNT, CS_GPU_FP32, 1);
    l->x_device = upload_new(g, l->x, COUNT);
    l->dy_device = upload_new(g, l->dy, COUNT);
    return !g->stopped;
}

static void end(gpu *g, layer *l) {
    gpu_free_all(g);
    if (l->x_descriptor) g->cudnn.cudnnDestroyTensorDescriptor(l->x_descriptor);
    if (l->y_descriptor) g->cudnn.cudnnDestroyTensorDescriptor(l->y_descriptor);
    if (l->parameters_descriptor) g->cudnn.cudnnDestroyTensorDescriptor(l->parameters_descriptor);
}

/* One call with one output of count numbers. */
static void measure(gpu *g, layer *l, const char *operation, const char *part, const char *algorithm, const char *name,
                    int (*function)(gpu *, void *), size_t count) {
    cs_gpu_run *run = gpu_run_add(g, operation, part, "4x16x14x14", algorithm, CS_GPU_FP32);
    l->result = gpu_memory(g, run, count * sizeof(float));
    const gpu_output output = {.memory = l->result, .count = count, .type = CS_GPU_FP32, .wanted = l->wanted};
    const gpu_call call = {.name = name,
                           .function = function,
                           .ctx = l,
                           .outputs = &output,
                           .output_count = 1,
                           .limit = gpu_limit(CS_GPU_FP32, false),
                           .required = true};
    gpu_measure(g, run, &call);
}

/* ---- pooling ---- */

static int pooling_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnPoolingForward(g->handle, l->operation, &one, l->x_descriptor, l->x_device, &zero, l->y_descriptor,
                                        l->result);
}

/* The average is over the whole window, padding included; the maximum over what lies inside. */
static double pooled(const double *plane, int row, int column, bool average) {
    double sum = 0, most = -INFINITY;
    for (int i = 0; i < WINDOW; i++)
        for (int j = 0; j < WINDOW; j++) {
            int y = row * STRIDE - PAD + i, x = column * STRIDE - PAD + j;
            if (y < 0 || x < 0 || y >= SIDE || x >= SIDE) continue;
            double value = plane[y * SIDE + x];
            sum += value;
            if (value > most) most = value;
        }
    return average ? sum / (WINDOW * WINDOW) : most;
}

static void try_pooling(gpu *g, bool average) {
    layer l;
    if (gpu_lacks(g, (cs_function)g->cudnn.cudnnPoolingForward, "pooling-forward", "ops_infer", CS_GPU_FP32)) return;
    if (begin(g, &l) &&
        gpu_cudnn_ok(g, NULL, "cudnnCreatePoolingDescriptor", g->cudnn.cudnnCreatePoolingDescriptor(&l.operation)) &&
        gpu_cudnn_ok(g, NULL, "cudnnSetPooling2dDescriptor",
                     g->cudnn.cudnnSetPooling2dDescriptor(l.operation,
                                                          average ? CUDNN_AVERAGE_POOLING_WITH_PADDING : CUDNN_MAX_POOLING,
                                                          CUDNN_IGNORE_NAN, WINDOW, WINDOW, PAD, PAD, STRIDE, STRIDE))) {
        for (int i = 0; i < POOLED_COUNT; i++) {
            int at = i % (POOLED * POOLED);
            l.wanted[i] = pooled(l.x + i / (POOLED * POOLED) * PLANE, at / POOLED, at % POOLED, average);
        }
        measure(g, &l, "pooling-forward", "ops_infer", average ? "average" : "maximum", "cudnnPoolingForward", pooling_call,
                POOLED_COUNT);
    }
    if (l.operation) g->cudnn.cudnnDestroyPoolingDescriptor(l.operation);
    end(g, &l);
}

/* ---- activation ---- */

static int activation_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnActivationForward(g->handle, l->operation, &one, l->x_descriptor, l->x_device, &zero, l->x_descriptor,
                                           l->result);
}

static int activation_backward_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnActivationBackward(g->handle, l->operation, &one, l->x_descriptor, l->y_device, l->x_descriptor,
                                            l->dy_device, l->x_descriptor, l->x_device, &zero, l->x_descriptor, l->result);
}

static void try_activation(gpu *g, bool backward) {
    layer l;
    const char *operation = backward ? "activation-backward" : "activation-forward", *part = backward ? "ops_train" : "ops_infer";
    if (gpu_lacks(g, backward ? (cs_function)g->cudnn.cudnnActivationBackward : (cs_function)g->cudnn.cudnnActivationForward,
                  operation, part, CS_GPU_FP32))
        return;
    if (begin(g, &l) &&
        gpu_cudnn_ok(g, NULL, "cudnnCreateActivationDescriptor", g->cudnn.cudnnCreateActivationDescriptor(&l.operation)) &&
        gpu_cudnn_ok(g, NULL, "cudnnSetActivationDescriptor",
                     g->cudnn.cudnnSetActivationDescriptor(l.operation, CUDNN_TANH, CUDNN_IGNORE_NAN, 0))) {
        for (int i = 0; i < COUNT; i++) l.wanted[i] = (float)tanh(l.x[i]); /* as the backward call will be given it */
        if (backward) {
            l.y_device = upload_new(g, l.wanted, COUNT);
            for (int i = 0; i < COUNT; i++) l.wanted[i] = l.dy[i] * (1 - l.wanted[i] * l.wanted[i]);
            measure(g, &l, operation, part, "tanh", "cudnnActivationBackward", activation_backward_call, COUNT);
        } else {
            measure(g, &l, operation, part, "tanh", "cudnnActivationForward", activation_call, COUNT);
        }
    }
    if (l.operation) g->cudnn.cudnnDestroyActivationDescriptor(l.operation);
    end(g, &l);
}

/* ---- softmax ---- */

static int softmax_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnSoftmaxForward(g->handle, CUDNN_SOFTMAX_ACCURATELY, CUDNN_SOFTMAX_BY_CHANNEL, &one, l->x_descriptor,
                                        l->x_device, &zero, l->x_descriptor, l->result);
}

static void try_softmax(gpu *g) {
    layer l;
    if (gpu_lacks(g, (cs_function)g->cudnn.cudnnSoftmaxForward, "softmax-forward", "ops_infer", CS_GPU_FP32)) return;
    if (begin(g, &l)) {
        for (int n = 0; n < N; n++)
            for (int at = 0; at < PLANE; at++) {
                const double *x = l.x + n * C * PLANE + at;
                double sum = 0;
                for (int c = 0; c < C; c++) sum += exp(x[c * PLANE]);
                for (int c = 0; c < C; c++) l.wanted[(n * C + c) * PLANE + at] = exp(x[c * PLANE]) / sum;
            }
        measure(g, &l, "softmax-forward", "ops_infer", "accurate", "cudnnSoftmaxForward", softmax_call, COUNT);
    }
    end(g, &l);
}

/* ---- batch normalisation ---- */

static int inference_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnBatchNormalizationForwardInference(
        g->handle, CUDNN_BATCH_NORM_SPATIAL, &one, &zero, l->x_descriptor, l->x_device, l->x_descriptor, l->result,
        l->parameters_descriptor, l->scale_device, l->bias_device, l->mean_device, l->variance_device, epsilon);
}

static int training_call(gpu *g, void *ctx) {
    layer *l = ctx;
    return g->cudnn.cudnnBatchNormalizationForwardTraining(g->handle, CUDNN_BATCH_NORM_SPATIAL, &one, &zero, l->x_descriptor,
                                                           l->x_device, l->x_descriptor, l->result, l->parameters_descriptor,
                                                           l->scale_device, l->bias_device, factor, l->mean_device,
                                                           l->variance_device, epsilon, l->saved_mean, l->saved_deviation);
}

static void normalise(layer *l, int c, double mean, double variance) {
    for (int n = 0; n < N; n++)
        for (int at = 0; at < PLANE; at++) {
            int i = (n * C + c) * PLANE + at;
            l->wanted[i] = l->scale[c] * (l->x[i] - mean) / sqrt(variance + epsilon) + l->bias[c];
        }
}

static void statistics(const layer *l, int c, double *mean, double *variance) {
    *mean = *variance = 0;
    for (int n = 0; n < N; n++)
        for (int at = 0; at < PLANE; at++) *mean += l->x[(n * C + c) * PLANE + at] / (N * PLANE);
    for (int n = 0; n < N; n++)
        for (int at = 0; at < PLANE; at++) {
            double off = l->x[(n * C + c) * PLANE + at] - *mean;
            *variance += off * off / (N * PLANE);
        }
}

/* What the layer knows before: scale, bias, and statistics of earlier data (a variance is positive). */
static bool begin_normalisation(gpu *g, layer *l) {
    if (!begin(g, l)) return false;
    double **const all[] = {&l->scale, &l->bias, &l->mean, &l->variance};
    for (size_t i = 0; i < 4; i++) {
        *all[i] = gpu_numbers(g, C);
        gpu_fill(g, *all[i], C, CS_GPU_FP32, 0.5);
    }
    if (g->stopped) return false;
    for (int c = 0; c < C; c++) {
        l->scale[c] = (float)(1 + l->scale[c]);
        l->variance[c] = (float)(1 + l->variance[c]);
    }
    l->scale_device = upload_new(g, l->scale, C);
    l->bias_device = upload_new(g, l->bias, C);
    l->mean_device = upload_new(g, l->mean, C);
    l->variance_device = upload_new(g, l->variance, C);
    return !g->stopped;
}

static void try_inference(gpu *g) {
    layer l;
    if (gpu_lacks(g, (cs_function)g->cudnn.cudnnBatchNormalizationForwardInference, "batch-normalisation-inference", "ops_infer",
                  CS_GPU_FP32))
        return;
    if (begin_normalisation(g, &l)) {
        for (int c = 0; c < C; c++) normalise(&l, c, l.mean[c], l.variance[c]);
        measure(g, &l, "batch-normalisation-inference", "ops_infer", "spatial", "cudnnBatchNormalizationForwardInference",
                inference_call, COUNT);
    }
    end(g, &l);
}

/* The result, the running statistics (the new ones by `factor`, the variance of a sample: divided by one less) and what is saved
 * for the way back. */
static void measure_training(gpu *g, layer *l) {
    double *running_mean = gpu_numbers(g, C), *running_variance = gpu_numbers(g, C), *mean = gpu_numbers(g, C),
           *deviation = gpu_numbers(g, C);
    l->result = gpu_memory(g, NULL, COUNT * sizeof(float));
    l->saved_mean = gpu_memory(g, NULL, C * sizeof(float));
    l->saved_deviation = gpu_memory(g, NULL, C * sizeof(float));
    cs_gpu_run *run = gpu_run_add(g, "batch-normalisation-training", "ops_train", "4x16x14x14", "spatial", CS_GPU_FP32);
    if (g->stopped) return;
    for (int c = 0; c < C; c++) {
        double variance;
        statistics(l, c, &mean[c], &variance);
        normalise(l, c, mean[c], variance);
        deviation[c] = 1 / sqrt(variance + epsilon);
        running_mean[c] = factor * mean[c] + (1 - factor) * l->mean[c];
        running_variance[c] = factor * variance * (N * PLANE) / (N * PLANE - 1) + (1 - factor) * l->variance[c];
    }
    const gpu_output outputs[] = {{l->result, COUNT, CS_GPU_FP32, l->wanted, NULL},
                                  {l->mean_device, C, CS_GPU_FP32, running_mean, l->mean},
                                  {l->variance_device, C, CS_GPU_FP32, running_variance, l->variance},
                                  {l->saved_mean, C, CS_GPU_FP32, mean, NULL},
                                  {l->saved_deviation, C, CS_GPU_FP32, deviation, NULL}};
    const gpu_call call = {.name = "cudnnBatchNormalizationForwardTraining",
                           .function = training_call,
                           .ctx = l,
                           .outputs = outputs,
                           .output_count = sizeof outputs / sizeof outputs[0],
                           .limit = gpu_limit(CS_GPU_FP32, false),
                           .required = true};
    gpu_measure(g, run, &call);
}

static void try_training(gpu *g) {
    layer l;
    if (gpu_lacks(g, (cs_function)g->cudnn.cudnnBatchNormalizationForwardTraining, "batch-normalisation-training", "ops_train",
                  CS_GPU_FP32))
        return;
    if (begin_normalisation(g, &l)) measure_training(g, &l);
    end(g, &l);
}

void gpu_try_layers(gpu *g) {
    try_pooling(g, false);
    try_pooling(g, true);
    try_activation(g, false);
    try_activation(g, true);
    try_softmax(g);
    try_inference(g);
    try_training(g);
}
