/* recurrent.c: a small recurrent layer forward and backward, so that adv_infer and adv_train are loaded and seen to compute.
 * h(t) = tanh(W x(t) + R h(t-1) + b), all sequences of the same length, time outermost in memory. */
#include "gpu.h"

#include <math.h>
#include <string.h>

enum { TIME = 3, BATCH = 2, INPUT = 4, HIDDEN = 8, X_COUNT = TIME * BATCH * INPUT, Y_COUNT = TIME * BATCH * HIDDEN };
enum { W_COUNT = HIDDEN * INPUT, R_COUNT = HIDDEN * HIDDEN, STATE = BATCH * HIDDEN };
enum { MOST_WEIGHTS = 1 << 16 }; /* numbers in the weight space; it needs about a hundred */

typedef struct recurrent {
    void *dropout, *rnn, *x_descriptor, *y_descriptor, *h_descriptor, *matrix, *bias;
    double limit;
    size_t weight_count, w_at, r_at, b_at; /* numbers in the weight space, and where its parts begin */
    size_t workspace_size, reserve_size;
    double *x, *hx, *weights, *y, *hy, *dy, *dx, *dhx, *gradient, *nothing;
    void *lengths, *x_device, *hx_device, *weights_device, *y_device, *dy_device, *dx_device, *gradient_device, *hy_device,
        *dhx_device, *workspace, *reserve;
} recurrent;

/* ---- reference ---- */

static void reference_forward(recurrent *l) {
    const double *w = l->weights + l->w_at, *r = l->weights + l->r_at, *b = l->weights + l->b_at, *before = l->hx;
    for (int t = 0; t < TIME; t++) {
        double *h = l->y + t * STATE;
        for (int n = 0; n < BATCH; n++)
            for (int i = 0; i < HIDDEN; i++) {
                double sum = b[i];
                for (int j = 0; j < INPUT; j++) sum += w[i * INPUT + j] * l->x[(t * BATCH + n) * INPUT + j];
                for (int j = 0; j < HIDDEN; j++) sum += r[i * HIDDEN + j] * before[n * HIDDEN + j];
                h[n * HIDDEN + i] = tanh(sum);
            }
        before = h;
    }
    memcpy(l->hy, before, STATE * sizeof *l->hy);
}

/* What one time step hands back: to its input, to the weights, and to the state before it (carried). */
static void step_back(recurrent *l, int t, const double *delta, double *carried) {
    const double *w = l->weights + l->w_at, *r = l->weights + l->r_at, *before = t ? l->y + (t - 1) * STATE : l->hx;
    memset(carried, 0, STATE * sizeof *carried);
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < HIDDEN; i++) {
            double d = delta[n * HIDDEN + i];
            l->gradient[l->b_at + (size_t)i] += d;
            for (int j = 0; j < INPUT; j++) {
                int x = (t * BATCH + n) * INPUT + j;
                l->dx[x] += d * w[i * INPUT + j];
                l->gradient[l->w_at + (size_t)(i * INPUT + j)] += d * l->x[x];
            }
            for (int j = 0; j < HIDDEN; j++) {
                carried[n * HIDDEN + j] += d * r[i * HIDDEN + j];
                l->gradient[l->r_at + (size_t)(i * HIDDEN + j)] += d * before[n * HIDDEN + j];
            }
        }
}

static void reference_backward(recurrent *l) {
    double carried[STATE] = {0}, delta[STATE];
    for (int t = TIME; t-- > 0;) {
        for (int i = 0; i < STATE; i++) {
            double h = l->y[t * STATE + i];
            delta[i] = (l->dy[t * STATE + i] + carried[i]) * (1 - h * h);
        }
        step_back(l, t, delta, carried);
    }
    memcpy(l->dhx, carried, sizeof carried);
}

/* ---- what the library is told ---- */

static bool set_layer(gpu *g, recurrent *l) {
    const cudnn_library *d = &g->cudnn;
    bool fma = true;
    int status = CUDNN_OK;
    for (int math = CUDNN_MATH_FMA;; math = CUDNN_MATH_DEFAULT) {
        status = d->cudnnSetRNNDescriptor_v8(l->rnn, CUDNN_RNN_STANDARD, CUDNN_RNN_CELL_TANH, CUDNN_RNN_BIAS_INPUT,
                                             CUDNN_RNN_ONE_WAY, CUDNN_RNN_LINEAR_INPUT, CUDNN_FLOAT, CUDNN_FLOAT, math, INPUT,
                                             HIDDEN, HIDDEN, 1, l->dropout, CUDNN_RNN_PADDED_IO);
        if (status == CUDNN_OK || math == CUDNN_MATH_DEFAULT) break;
        fma = false;
    }
    l->limit = gpu_limit(CS_GPU_FP32, gpu_reduces(g, fma));
    return gpu_cudnn_ok(g, NULL, "cudnnSetRNNDescriptor_v8", status);
}

static bool set_data(gpu *g, void **descriptor, int vector) {
    static const int lengths[BATCH] = {TIME, TIME};
    float padding = 0;
    return gpu_cudnn_ok(g, NULL, "cudnnCreateRNNDataDescriptor", g->cudnn.cudnnCreateRNNDataDescriptor(descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetRNNDataDescriptor",
                        g->cudnn.cudnnSetRNNDataDescriptor(*descriptor, CUDNN_FLOAT, CUDNN_RNN_SEQUENCE_UNPACKED, TIME, BATCH,
                                                           vector, lengths, &padding));
}

static bool describe(gpu *g, recurrent *l) {
    static const int sizes[] = {1, BATCH, HIDDEN}, strides[] = {STATE, HIDDEN, 1};
    const cudnn_library *d = &g->cudnn;
    return gpu_cudnn_ok(g, NULL, "cudnnCreateDropoutDescriptor", d->cudnnCreateDropoutDescriptor(&l->dropout)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetDropoutDescriptor",
                        d->cudnnSetDropoutDescriptor(l->dropout, g->handle, 0, NULL, 0, 0)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateRNNDescriptor", d->cudnnCreateRNNDescriptor(&l->rnn)) && set_layer(g, l) &&
           set_data(g, &l->x_descriptor, INPUT) && set_data(g, &l->y_descriptor, HIDDEN) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", d->cudnnCreateTensorDescriptor(&l->h_descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetTensorNdDescriptor",
                        d->cudnnSetTensorNdDescriptor(l->h_descriptor, CUDNN_FLOAT, 3, sizes, strides)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", d->cudnnCreateTensorDescriptor(&l->matrix)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", d->cudnnCreateTensorDescriptor(&l->bias));
}

/* Where the library keeps a matrix (0: W and b, 1: R) in the weight space. */
static bool find_weights(gpu *g, recurrent *l, int which, size_t *matrix_at, size_t count, size_t *bias_at) {
    void *matrix = NULL, *bias = NULL;
    int status = g->cudnn.cudnnGetRNNWeightParams(g->handle, l->rnn, 0, l->weight_count * sizeof(float), l->weights_device, which,
                                                  l->matrix, &matrix, l->bias, &bias);
    if (!gpu_cudnn_ok(g, NULL, "cudnnGetRNNWeightParams", status)) return false;
    size_t start = (size_t)(uintptr_t)l->weights_device;
    *matrix_at = ((size_t)(uintptr_t)matrix - start) / sizeof(float);
    bool inside = matrix && count <= l->weight_count && *matrix_at <= l->weight_count - count;
    if (inside && bias_at) {
        *bias_at = ((size_t)(uintptr_t)bias - start) / sizeof(float);
        inside = bias && *bias_at <= l->weight_count - HIDDEN;
    }
    if (!inside) gpu_stop(g, CS_GPU_WRONG_RESULT, "cudnnGetRNNWeightParams", 0);
    return inside;
}

static bool ask_sizes(gpu *g, recurrent *l) {
    size_t bytes = 0;
    if (!gpu_cudnn_ok(g, NULL, "cudnnGetRNNWeightSpaceSize", g->cudnn.cudnnGetRNNWeightSpaceSize(g->handle, l->rnn, &bytes)) ||
        !gpu_cudnn_ok(g, NULL, "cudnnGetRNNTempSpaceSizes",
                      g->cudnn.cudnnGetRNNTempSpaceSizes(g->handle, l->rnn, CUDNN_FORWARD_TRAINING, l->x_descriptor,
                                                         &l->workspace_size, &l->reserve_size)))
        return false;
    l->weight_count = bytes / sizeof(float);
    if (l->weight_count >= W_COUNT + R_COUNT + HIDDEN && l->weight_count <= MOST_WEIGHTS) return true;
    gpu_stop(g, CS_GPU_WRONG_RESULT, "cudnnGetRNNWeightSpaceSize", 0);
    return false;
}

static void *upload_new(gpu *g, const double *values, size_t count) {
    void *memory = gpu_memory(g, NULL, count * sizeof(float));
    if (memory) gpu_upload(g, NULL, memory, CS_GPU_FP32, values, count);
    return memory;
}

static void make_memory(gpu *g, recurrent *l) {
    static const int32_t lengths[BATCH] = {TIME, TIME};
    l->lengths = gpu_memory(g, NULL, sizeof lengths);
    l->weights_device = gpu_memory(g, NULL, l->weight_count * sizeof(float));
    l->gradient_device = gpu_memory(g, NULL, l->weight_count * sizeof(float));
    l->y_device = gpu_memory(g, NULL, Y_COUNT * sizeof(float));
    l->hy_device = gpu_memory(g, NULL, STATE * sizeof(float));
    l->dx_device = gpu_memory(g, NULL, X_COUNT * sizeof(float));
    l->dhx_device = gpu_memory(g, NULL, STATE * sizeof(float));
    l->workspace = l->workspace_size ? gpu_memory(g, NULL, l->workspace_size) : NULL;
    l->reserve = l->reserve_size ? gpu_memory(g, NULL, l->reserve_size) : NULL;
    if (!g->stopped)
        gpu_cuda_ok(g, NULL, "cudaMemcpy", g->cuda.cudaMemcpy(l->lengths, lengths, sizeof lengths, CUDA_HOST_TO_DEVICE));
}

static bool make_data(gpu *g, recurrent *l) {
    if (!ask_sizes(g, l)) return false;
    struct {
        double **numbers;
        size_t count;
        double scale; /* 0: a result */
    } const all[] = {{&l->x, X_COUNT, 1},
                     {&l->hx, STATE, 1},
                     {&l->weights, l->weight_count, 0.5},
                     {&l->dy, Y_COUNT, 1},
                     {&l->y, Y_COUNT, 0},
                     {&l->hy, STATE, 0},
                     {&l->dx, X_COUNT, 0},
                     {&l->dhx, STATE, 0},
                     {&l->gradient, l->weight_count, 0},
                     {&l->nothing, l->weight_count, 0}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i].numbers = gpu_numbers(g, all[i].count);
        if (all[i].scale > 0) gpu_fill(g, *all[i].numbers, all[i].count, CS_GPU_FP32, all[i].scale);
    }
    make_memory(g, l);
    if (g->stopped || !find_weights(g, l, 0, &l->w_at, W_COUNT, &l->b_at) || !find_weights(g, l, 1, &l->r_at, R_COUNT, NULL))
        return false;
    l->x_device = upload_new(g, l->x, X_COUNT);
    l->hx_device = upload_new(g, l->hx, STATE);
    l->dy_device = upload_new(g, l->dy, Y_COUNT);
    gpu_upload(g, NULL, l->weights_device, CS_GPU_FP32, l->weights, l->weight_count);
    if (g->stopped) return false;
    reference_forward(l);
    reference_backward(l);
    return true;
}

/* ---- the calls; each backward one follows the forward one whose reserve it reads ---- */

static int forward_call(gpu *g, void *ctx) {
    recurrent *l = ctx;
    return g->cudnn.cudnnRNNForward(g->handle, l->rnn, CUDNN_FORWARD_TRAINING, l->lengths, l->x_descriptor, l->x_device,
                                    l->y_descriptor, l->y_device, l->h_descriptor, l->hx_device, l->hy_device, NULL, NULL, NULL,
                                    l->weight_count * sizeof(float), l->weights_device, l->workspace_size, l->workspace,
                                    l->reserve_size, l->reserve);
}

static int data_call(gpu *g, void *ctx) {
    recurrent *l = ctx;
    return g->cudnn.cudnnRNNBackwardData_v8(g->handle, l->rnn, l->lengths, l->y_descriptor, l->y_device, l->dy_device,
                                            l->x_descriptor, l->dx_device, l->h_descriptor, l->hx_device, NULL, l->dhx_device,
                                            NULL, NULL, NULL, NULL, l->weight_count * sizeof(float), l->weights_device,
                                            l->workspace_size, l->workspace, l->reserve_size, l->reserve);
}

static int weights_call(gpu *g, void *ctx) {
    recurrent *l = ctx;
    return g->cudnn.cudnnRNNBackwardWeights_v8(g->handle, l->rnn, CUDNN_GRADIENT_ADD, l->lengths, l->x_descriptor, l->x_device,
                                               l->h_descriptor, l->hx_device, l->y_descriptor, l->y_device,
                                               l->weight_count * sizeof(float), l->gradient_device, l->workspace_size,
                                               l->workspace, l->reserve_size, l->reserve);
}

/* It overwrites the reserve with what the weights' gradient then needs, so that it runs on a fresh forward pass each time. */
static int forward_and_data_call(gpu *g, void *ctx) {
    int status = forward_call(g, ctx);
    return status == CUDNN_OK ? data_call(g, ctx) : status;
}

static void measure(gpu *g, recurrent *l, const char *operation, const char *part, const char *name,
                    int (*function)(gpu *, void *), const gpu_output *outputs, size_t output_count) {
    const gpu_call call = {.name = name,
                           .function = function,
                           .ctx = l,
                           .outputs = outputs,
                           .output_count = output_count,
                           .limit = l->limit,
                           .required = true};
    cs_gpu_run *run = gpu_run_add(g, operation, part, "3 steps of 2x4 to 8", "tanh", CS_GPU_FP32);
    if (run) run->workspace = l->workspace_size;
    gpu_measure(g, run, &call);
}

static void release(gpu *g, recurrent *l) {
    gpu_free_all(g);
    void *const tensors[] = {l->h_descriptor, l->matrix, l->bias};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        if (tensors[i]) g->cudnn.cudnnDestroyTensorDescriptor(tensors[i]);
    if (l->x_descriptor) g->cudnn.cudnnDestroyRNNDataDescriptor(l->x_descriptor);
    if (l->y_descriptor) g->cudnn.cudnnDestroyRNNDataDescriptor(l->y_descriptor);
    if (l->rnn) g->cudnn.cudnnDestroyRNNDescriptor(l->rnn);
    if (l->dropout) g->cudnn.cudnnDestroyDropoutDescriptor(l->dropout);
}

void gpu_try_recurrent(gpu *g) {
    recurrent l = {0};
    if (gpu_lacks(g, (cs_function)g->cudnn.cudnnRNNForward, "recurrent-forward", "adv_infer", CS_GPU_FP32)) return;
    if (describe(g, &l) && make_data(g, &l)) {
        const gpu_output forward[] = {{l.y_device, Y_COUNT, CS_GPU_FP32, l.y, NULL},
                                      {l.hy_device, STATE, CS_GPU_FP32, l.hy, NULL}};
        const gpu_output data[] = {{l.dx_device, X_COUNT, CS_GPU_FP32, l.dx, NULL},
                                   {l.dhx_device, STATE, CS_GPU_FP32, l.dhx, NULL}};
        const gpu_output gradient[] = {{l.gradient_device, l.weight_count, CS_GPU_FP32, l.gradient, l.nothing}};
        measure(g, &l, "recurrent-forward", "adv_infer", "cudnnRNNForward", forward_call, forward, 2);
        measure(g, &l, "recurrent-backward-data", "adv_train", "cudnnRNNBackwardData_v8", forward_and_data_call, data, 2);
        measure(g, &l, "recurrent-backward-weights", "adv_train", "cudnnRNNBackwardWeights_v8", weights_call, gradient, 1);
    }
    release(g, &l);
}
