/* convolution.c: every algorithm of the three directions of convolution, on several shapes. */
#include "gpu.h"

#include <string.h>

/* Every kernel here takes far less than a millisecond on any GPU that CUDA 10.1 serves: the 2 seconds after which Windows ends
 * the work of a GPU with a display are far away. */
static const cs_gpu_shape default_shapes[] = {
    {"1x1", 8, 64, 28, 28, 64, 1, 1, 0, 0, 1, 1, 1, 1, 1, false},
    {"3x3 pad 1", 8, 32, 28, 28, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},
    {"3x3 pad 1, one image", 1, 32, 56, 56, 48, 3, 3, 1, 1, 1, 1, 1, 1, 1, false},
    {"5x5 stride 2", 8, 16, 31, 31, 32, 5, 5, 2, 2, 2, 2, 1, 1, 1, false},
    {"3x3 depthwise", 8, 32, 28, 28, 32, 3, 3, 1, 1, 1, 1, 1, 1, 32, false},
    {"3x3 in 4 groups", 8, 32, 14, 14, 64, 3, 3, 1, 1, 1, 1, 1, 1, 4, false},
    {"3x3 dilated by 2", 1, 32, 28, 28, 32, 3, 3, 2, 2, 1, 1, 2, 2, 1, false},
    {"odd sizes", 3, 5, 17, 23, 7, 3, 5, 1, 2, 1, 1, 1, 1, 1, true},
};

/* What the sample is tried on: the same kinds, small enough for a processor. */
static const cs_gpu_shape sample_shapes[] = {
    {"1x1", 2, 16, 14, 14, 16, 1, 1, 0, 0, 1, 1, 1, 1, 1, false},
    {"3x3 pad 1", 2, 8, 14, 14, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},
    {"5x5 stride 2", 2, 4, 15, 15, 8, 5, 5, 2, 2, 2, 2, 1, 1, 1, false},
    {"3x3 depthwise", 1, 8, 14, 14, 8, 3, 3, 1, 1, 1, 1, 1, 1, 8, false},
    {"3x3 dilated by 2", 1, 8, 14, 14, 8, 3, 3, 2, 2, 1, 1, 2, 2, 1, false},
    {"odd sizes", 3, 5, 17, 23, 7, 3, 5, 1, 2, 1, 1, 1, 1, 1, true},
};

const cs_gpu_shape *cs_gpu_default_shapes(size_t *count) {
    *count = sizeof default_shapes / sizeof default_shapes[0];
    return default_shapes;
}

/* One shape in one type: what the library is told, and the data. A row per direction leads through all of it alike. */
typedef struct convolution {
    const cs_gpu_shape *shape;
    cs_gpu_type type;
    double limit;
    void *x_descriptor, *w_descriptor, *y_descriptor, *descriptor;
    size_t x_count, w_count, y_count;
    double *x, *w, *y;                    /* on the host: the inputs of all directions */
    void *x_device, *w_device, *y_device; /* the same on the device */
    double *wanted;
    void *result;
    int algorithm;
    void *workspace;
    size_t workspace_size;
} convolution;

typedef struct direction {
    const char *operation, *part, *function;
    const char *const *algorithms;
    int algorithm_count;
    int (*workspace)(gpu *g, convolution *c, size_t *size);
    int (*call)(gpu *g, void *ctx);
    size_t (*prepare)(convolution *c); /* fills wanted; how many numbers come out */
} direction;

static const char *const forward_names[CUDNN_FORWARD_ALGORITHMS] = {
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"};
static const char *const data_names[CUDNN_BACKWARD_DATA_ALGORITHMS] = {"0",          "1",        "FFT",
                                                                       "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"};
static const char *const filter_names[CUDNN_BACKWARD_FILTER_ALGORITHMS] = {
    "0", "1", "FFT", "3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"};

static const float one = 1, zero = 0; /* cuDNN takes its factors as float for fp32 and for fp16 */

static int forward_workspace(gpu *g, convolution *c, size_t *size) {
    return g->cudnn.cudnnGetConvolutionForwardWorkspaceSize(g->handle, c->x_descriptor, c->w_descriptor, c->descriptor,
                                                            c->y_descriptor, c->algorithm, size);
}

static int forward_call(gpu *g, void *ctx) {
    convolution *c = ctx;
    return g->cudnn.cudnnConvolutionForward(g->handle, &one, c->x_descriptor, c->x_device, c->w_descriptor, c->w_device,
                                            c->descriptor, c->algorithm, c->workspace, c->workspace_size, &zero, c->y_descriptor,
                                            c->result);
}

static size_t forward_prepare(convolution *c) {
    gpu_reference_forward(c->shape, c->x, c->w, c->wanted);
    return c->y_count;
}

static int data_workspace(gpu *g, convolution *c, size_t *size) {
    return g->cudnn.cudnnGetConvolutionBackwardDataWorkspaceSize(g->handle, c->w_descriptor, c->y_descriptor, c->descriptor,
                                                                 c->x_descriptor, c->algorithm, size);
}

static int data_call(gpu *g, void *ctx) {
    convolution *c = ctx;
    return g->cudnn.cudnnConvolutionBackwardData(g->handle, &one, c->w_descriptor, c->w_device, c->y_descriptor, c->y_device,
                                                 c->descriptor, c->algorithm, c->workspace, c->workspace_size, &zero,
                                                 c->x_descriptor, c->result);
}

static size_t data_prepare(convolution *c) {
    gpu_reference_backward_data(c->shape, c->w, c->y, c->wanted);
    return c->x_count;
}

static int filter_workspace(gpu *g, convolution *c, size_t *size) {
    return g->cudnn.cudnnGetConvolutionBackwardFilterWorkspaceSize(g->handle, c->x_descriptor, c->y_descriptor, c->descriptor,
                                                                   c->w_descriptor, c->algorithm, size);
}

static int filter_call(gpu *g, void *ctx) {
    convolution *c = ctx;
    return g->cudnn.cudnnConvolutionBackwardFilter(g->handle, &one, c->x_descriptor, c->x_device, c->y_descriptor, c->y_device,
                                                   c->descriptor, c->algorithm, c->workspace, c->workspace_size, &zero,
                                                   c->w_descriptor, c->result);
}

static size_t filter_prepare(convolution *c) {
    gpu_reference_backward_filter(c->shape, c->x, c->y, c->wanted);
    return c->w_count;
}

static const direction forward = {
    "convolution-forward", "cnn_infer",    "cudnnConvolutionForward", forward_names, CUDNN_FORWARD_ALGORITHMS, forward_workspace,
    forward_call,          forward_prepare};
static const direction backward_data = {"convolution-backward-data",
                                        "cnn_infer",
                                        "cudnnConvolutionBackwardData",
                                        data_names,
                                        CUDNN_BACKWARD_DATA_ALGORITHMS,
                                        data_workspace,
                                        data_call,
                                        data_prepare};
static const direction backward_filter = {"convolution-backward-filter",
                                          "cnn_train",
                                          "cudnnConvolutionBackwardFilter",
                                          filter_names,
                                          CUDNN_BACKWARD_FILTER_ALGORITHMS,
                                          filter_workspace,
                                          filter_call,
                                          filter_prepare};

/* ---- one shape ---- */

static bool create_descriptors(gpu *g, convolution *c) {
    const cudnn_library *d = &g->cudnn;
    return gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", d->cudnnCreateTensorDescriptor(&c->x_descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateTensorDescriptor", d->cudnnCreateTensorDescriptor(&c->y_descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateFilterDescriptor", d->cudnnCreateFilterDescriptor(&c->w_descriptor)) &&
           gpu_cudnn_ok(g, NULL, "cudnnCreateConvolutionDescriptor", d->cudnnCreateConvolutionDescriptor(&c->descriptor));
}

/* fp32 by plain multiplication and addition; fp16 with matrix units where the GPU has them. What is refused falls back to the
 * library's own choice, and the limit then allows for what that may be. */
static bool set_math(gpu *g, convolution *c) {
    const cs_gpu_device *device = &g->out->devices[g->out->device];
    int wanted = c->type == CS_GPU_FP32 ? CUDNN_MATH_FMA : device->major >= 7 ? CUDNN_MATH_TENSOR : CUDNN_MATH_DEFAULT;
    bool accepted = g->cudnn.cudnnSetConvolutionMathType(c->descriptor, wanted) == CUDNN_OK;
    if (!accepted && !gpu_cudnn_ok(g, NULL, "cudnnSetConvolutionMathType",
                                   g->cudnn.cudnnSetConvolutionMathType(c->descriptor, CUDNN_MATH_DEFAULT)))
        return false;
    c->limit = gpu_limit(c->type, gpu_reduces(g, accepted));
    return true;
}

static bool describe(gpu *g, convolution *c, int height, int width) {
    const cs_gpu_shape *s = c->shape;
    const cudnn_library *d = &g->cudnn;
    int type = c->type == CS_GPU_FP16 ? CUDNN_HALF : CUDNN_FLOAT;
    return create_descriptors(g, c) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetTensor4dDescriptor",
                        d->cudnnSetTensor4dDescriptor(c->x_descriptor, CUDNN_NCHW, type, s->n, s->c, s->h, s->w)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetTensor4dDescriptor",
                        d->cudnnSetTensor4dDescriptor(c->y_descriptor, CUDNN_NCHW, type, s->n, s->k, height, width)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetFilter4dDescriptor",
                        d->cudnnSetFilter4dDescriptor(c->w_descriptor, type, CUDNN_NCHW, s->k, s->c / s->groups, s->r, s->s)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetConvolution2dDescriptor",
                        d->cudnnSetConvolution2dDescriptor(c->descriptor, s->pad_h, s->pad_w, s->stride_h, s->stride_w,
                                                           s->dilation_h, s->dilation_w, CUDNN_MODE_CROSS_CORRELATION,
                                                           CUDNN_FLOAT)) &&
           gpu_cudnn_ok(g, NULL, "cudnnSetConvolutionGroupCount", d->cudnnSetConvolutionGroupCount(c->descriptor, s->groups)) &&
           set_math(g, c);
}

/* The library must think of the same output as the reference does. */
static bool agree_on_output(gpu *g, convolution *c, int height, int width) {
    int n = 0, k = 0, h = 0, w = 0;
    int status = g->cudnn.cudnnGetConvolution2dForwardOutputDim(c->descriptor, c->x_descriptor, c->w_descriptor, &n, &k, &h, &w);
    if (!gpu_cudnn_ok(g, NULL, "cudnnGetConvolution2dForwardOutputDim", status)) return false;
    if (n == c->shape->n && k == c->shape->k && h == height && w == width) return true;
    gpu_stop(g, CS_GPU_WRONG_RESULT, "cudnnGetConvolution2dForwardOutputDim", 0);
    return false;
}

static bool make_data(gpu *g, convolution *c) {
    size_t size = gpu_type_size(c->type);
    c->x = gpu_numbers(g, c->x_count);
    c->w = gpu_numbers(g, c->w_count);
    c->y = gpu_numbers(g, c->y_count);
    size_t most = c->x_count > c->y_count ? c->x_count : c->y_count;
    c->wanted = gpu_numbers(g, most > c->w_count ? most : c->w_count);
    c->x_device = gpu_memory(g, NULL, c->x_count * size);
    c->w_device = gpu_memory(g, NULL, c->w_count * size);
    c->y_device = gpu_memory(g, NULL, c->y_count * size);
    if (g->stopped) return false;
    gpu_fill(g, c->x, c->x_count, c->type, 1);
    gpu_fill(g, c->w, c->w_count, c->type, 1);
    gpu_fill(g, c->y, c->y_count, c->type, 1);
    gpu_upload(g, NULL, c->x_device, c->type, c->x, c->x_count);
    gpu_upload(g, NULL, c->w_device, c->type, c->w, c->w_count);
    gpu_upload(g, NULL, c->y_device, c->type, c->y, c->y_count);
    return !g->stopped;
}

/* ---- one direction ---- */

/* The memory that the algorithm asks for, poisoned as well: nothing promises it to be zero. False if it is not to be tried. */
static bool make_workspace(gpu *g, cs_gpu_run *run, const direction *d, convolution *c) {
    size_t size = 0;
    int status = d->workspace(g, c, &size);
    c->workspace = NULL;
    c->workspace_size = 0;
    if (gpu_cudnn_kind(status) == GPU_STATUS_UNSUPPORTED) {
        run->outcome = CS_GPU_UNSUPPORTED;
        run->status = status;
        return false;
    }
    if (!gpu_cudnn_ok(g, run, d->function, status)) return false;
    run->workspace = size;
    if (size > g->workspace_limit) {
        run->outcome = CS_GPU_NO_ROOM;
        return false;
    }
    if (size) c->workspace = gpu_memory(g, run, size);
    c->workspace_size = size;
    return !g->stopped;
}

static void release_last(gpu *g) { g->cuda.cudaFree(g->blocks[--g->block_count].memory); }

static bool was_tried(cs_gpu_outcome outcome) {
    return outcome != CS_GPU_UNSUPPORTED && outcome != CS_GPU_NO_ROOM && outcome != CS_GPU_LACKING;
}

/* Every algorithm. Not one that could be tried is a failure: each direction has algorithms that serve every shape. */
static void try_direction(gpu *g, const direction *d, convolution *c) {
    unsigned tried = 0;
    size_t count = d->prepare(c);
    c->result = gpu_memory(g, NULL, count * gpu_type_size(c->type));
    if (g->stopped) return;
    const gpu_output output = {.memory = c->result, .count = count, .type = c->type, .wanted = c->wanted};
    const gpu_call call = {
        .name = d->function, .function = d->call, .ctx = c, .outputs = &output, .output_count = 1, .limit = c->limit};
    for (c->algorithm = 0; c->algorithm < d->algorithm_count && !g->stopped; c->algorithm++) {
        cs_gpu_run *run = gpu_run_add(g, d->operation, d->part, c->shape->name, d->algorithms[c->algorithm], c->type);
        if (!run) break;
        run->limit = c->limit;
        if (make_workspace(g, run, d, c)) gpu_measure(g, run, &call);
        if (c->workspace) release_last(g);
        tried += was_tried(run->outcome);
    }
    if (!g->stopped) release_last(g);
    if (!tried) gpu_stop(g, CS_GPU_NO_ALGORITHM, d->function, 0);
}

static void try_shape(gpu *g, const cs_gpu_shape *shape, cs_gpu_type type) {
    convolution c = {.shape = shape, .type = type};
    int height, width;
    if (!gpu_shape_output(shape, &height, &width)) {
        gpu_stop(g, CS_GPU_EXECUTION_FAILED, shape->name, 0);
        return;
    }
    c.x_count = (size_t)shape->n * (size_t)shape->c * (size_t)shape->h * (size_t)shape->w;
    c.w_count = (size_t)shape->k * (size_t)(shape->c / shape->groups) * (size_t)shape->r * (size_t)shape->s;
    c.y_count = (size_t)shape->n * (size_t)shape->k * (size_t)height * (size_t)width;
    if (describe(g, &c, height, width) && agree_on_output(g, &c, height, width) && make_data(g, &c)) {
        try_direction(g, &forward, &c);
        /* In fp32 only: that the code is there and works does not depend on the type. */
        if (shape->backward && type == CS_GPU_FP32) {
            if (!gpu_lacks(g, (cs_function)g->cudnn.cudnnConvolutionBackwardData, backward_data.operation, backward_data.part,
                           type))
                try_direction(g, &backward_data, &c);
            if (!gpu_lacks(g, (cs_function)g->cudnn.cudnnConvolutionBackwardFilter, backward_filter.operation,
                           backward_filter.part, type))
                try_direction(g, &backward_filter, &c);
        }
    }
    gpu_free_all(g);
    if (c.x_descriptor) g->cudnn.cudnnDestroyTensorDescriptor(c.x_descriptor);
    if (c.y_descriptor) g->cudnn.cudnnDestroyTensorDescriptor(c.y_descriptor);
    if (c.w_descriptor) g->cudnn.cudnnDestroyFilterDescriptor(c.w_descriptor);
    if (c.descriptor) g->cudnn.cudnnDestroyConvolutionDescriptor(c.descriptor);
}

void gpu_try_convolutions(gpu *g, cs_gpu_type type) {
    size_t count = g->options->shape_count;
    const cs_gpu_shape *shapes = g->options->shapes;
    if (!shapes && g->out->sample) {
        shapes = sample_shapes;
        count = sizeof sample_shapes / sizeof sample_shapes[0];
    }
    if (!shapes) shapes = cs_gpu_default_shapes(&count);
    for (size_t i = 0; i < count && !g->stopped; i++) try_shape(g, &shapes[i], type);
}
