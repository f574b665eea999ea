/* Sample: the forward convolution on the CPU, by three of the eight algorithms. */
#include <math.h>
#include <stdlib.h>

#include "cudnn_cnn_infer.h"
#include "sample.h"
#include "sample_fault.h"

/* What a build with a fault has otherwise. */
#ifndef SAMPLE_RESULT_FACTOR
#define SAMPLE_RESULT_FACTOR 1.0f
#endif
#ifndef SAMPLE_STATUS
#define SAMPLE_STATUS CUDNN_STATUS_SUCCESS
#endif

SAMPLE_IMPORT int cudnnSampleOpsInfer8003(void);
SAMPLE_IMPORT int cudaRuntimeGetVersion(int *version);
SAMPLE_EXPORT int cudnnSampleCnnInfer8003(void);

#ifdef SAMPLE_NEEDS_ZLIB
SAMPLE_IMPORT int sampleZlib(void);
SAMPLE_EXPORT int cudnnSampleCompressed(void);
int cudnnSampleCompressed(void) { return sampleZlib(); }
#endif

int cudnnSampleCnnInfer8003(void) { return CUDNN_VERSION; }

SAMPLE_EXPORT cudnnStatus_t cudnnCnnInferVersionCheck(void) {
    int runtime = 0;
    return cudnnSampleOpsInfer8003() == CUDNN_VERSION && cudaRuntimeGetVersion(&runtime) == 0 ? CUDNN_STATUS_SUCCESS
                                                                                              : CUDNN_STATUS_INTERNAL_ERROR;
}

/* ---- descriptors ---- */

SAMPLE_EXPORT cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *convolution) {
    if (!convolution) return CUDNN_STATUS_BAD_PARAM;
    *convolution = calloc(1, sizeof **convolution);
    if (!*convolution) return CUDNN_STATUS_ALLOC_FAILED;
    (*convolution)->groups = 1;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h, int pad_w,
                                                            int stride_h, int stride_w, int dilation_h, int dilation_w,
                                                            cudnnConvolutionMode_t mode, cudnnDataType_t compute_type) {
    if (!convolution || pad_h < 0 || pad_w < 0 || stride_h <= 0 || stride_w <= 0 || dilation_h <= 0 || dilation_w <= 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (compute_type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
    *convolution = (struct cudnnConvolutionStruct){.pad_h = pad_h,
                                                   .pad_w = pad_w,
                                                   .stride_h = stride_h,
                                                   .stride_w = stride_w,
                                                   .dilation_h = dilation_h,
                                                   .dilation_w = dilation_w,
                                                   .mode = mode,
                                                   .math = convolution->math,
                                                   .groups = convolution->groups};
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int group_count) {
    if (!convolution || group_count <= 0) return CUDNN_STATUS_BAD_PARAM;
    convolution->groups = group_count;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int *group_count) {
    if (!convolution || !group_count) return CUDNN_STATUS_BAD_PARAM;
    *group_count = convolution->groups;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math_type) {
    if (!convolution) return CUDNN_STATUS_BAD_PARAM;
    convolution->math = math_type;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t convolution, cudnnMathType_t *math_type) {
    if (!convolution || !math_type) return CUDNN_STATUS_BAD_PARAM;
    *math_type = (cudnnMathType_t)convolution->math;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
    free(convolution);
    return CUDNN_STATUS_SUCCESS;
}

static int extent(int in, int pad, int filter, int dilation, int stride) {
    int reach = dilation * (filter - 1) + 1;
    return in + 2 * pad < reach ? 0 : (in + 2 * pad - reach) / stride + 1;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t convolution,
                                                                  const cudnnTensorDescriptor_t x,
                                                                  const cudnnFilterDescriptor_t w, int *n, int *c, int *height,
                                                                  int *width) {
    if (!convolution || !x || !w || convolution->groups <= 0) return CUDNN_STATUS_BAD_PARAM;
    if (x->c != w->c * convolution->groups || w->k % convolution->groups) return CUDNN_STATUS_BAD_PARAM;
    *n = x->n;
    *c = w->k;
    *height = extent(x->h, convolution->pad_h, w->h, convolution->dilation_h, convolution->stride_h);
    *width = extent(x->w, convolution->pad_w, w->w, convolution->dilation_w, convolution->stride_w);
    return *height > 0 && *width > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

/* ---- algorithms ---- */

/* One convolution, all its descriptors checked against each other. */
typedef struct problem {
    const struct cudnnTensorStruct *x, *y;
    const struct cudnnFilterStruct *w;
    const struct cudnnConvolutionStruct *conv;
    int filters, channels; /* of one group */
} problem;

static cudnnStatus_t understand(problem *p, cudnnHandle_t handle, const struct cudnnTensorStruct *x,
                                const struct cudnnFilterStruct *w, const struct cudnnConvolutionStruct *conv,
                                const struct cudnnTensorStruct *y) {
    int n, c, height, width;
    if (!handle || !y) return CUDNN_STATUS_BAD_PARAM;
    cudnnStatus_t status =
        cudnnGetConvolution2dForwardOutputDim((cudnnConvolutionDescriptor_t)(size_t)conv, (cudnnTensorDescriptor_t)(size_t)x,
                                              (cudnnFilterDescriptor_t)(size_t)w, &n, &c, &height, &width);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    if (y->n != n || y->c != c || y->h != height || y->w != width) return CUDNN_STATUS_BAD_PARAM;
    *p = (problem){x, y, w, conv, w->k / conv->groups, w->c};
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t workspace_size(const problem *p, cudnnConvolutionFwdAlgo_t algorithm, size_t *bytes) {
    *bytes = 0;
    switch (algorithm) {
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM:
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
        *bytes = (size_t)p->channels * (size_t)(p->w->h * p->w->w) * 2 * sizeof(int); /* asked for as the real one does; unused */
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM: /* the unrolled input of one group of one image */
        *bytes = (size_t)p->channels * (size_t)(p->w->h * p->w->w) * (size_t)(p->y->h * p->y->w) * sizeof(float);
        return CUDNN_STATUS_SUCCESS;
    default:
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t handle, int *count) {
    if (!handle || !count) return CUDNN_STATUS_BAD_PARAM;
    *count = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t list_algorithms(const problem *p, int requested, int *returned, cudnnConvolutionFwdAlgoPerf_t *results) {
    if (requested <= 0 || !returned || !results) return CUDNN_STATUS_BAD_PARAM;
    int count = requested < CUDNN_CONVOLUTION_FWD_ALGO_COUNT ? requested : CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
    for (int i = 0; i < count; i++) {
        cudnnConvolutionFwdAlgoPerf_t *result = &results[i];
        *result = (cudnnConvolutionFwdAlgoPerf_t){.algo = (cudnnConvolutionFwdAlgo_t)i, .determinism = CUDNN_DETERMINISTIC};
        result->status = workspace_size(p, result->algo, &result->memory);
        result->time = result->status == CUDNN_STATUS_SUCCESS ? 0.001f * (float)(i + 1) : -1.0f;
    }
    *returned = count;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                                   const cudnnFilterDescriptor_t w,
                                                                   const cudnnConvolutionDescriptor_t convolution,
                                                                   const cudnnTensorDescriptor_t y, int requested, int *returned,
                                                                   cudnnConvolutionFwdAlgoPerf_t *results) {
    problem p;
    cudnnStatus_t status = understand(&p, handle, x, w, convolution, y);
    return status == CUDNN_STATUS_SUCCESS ? list_algorithms(&p, requested, returned, results) : status;
}

SAMPLE_EXPORT cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                                 const cudnnFilterDescriptor_t w,
                                                                 const cudnnConvolutionDescriptor_t convolution,
                                                                 const cudnnTensorDescriptor_t y, int requested, int *returned,
                                                                 cudnnConvolutionFwdAlgoPerf_t *results) {
    return cudnnGetConvolutionForwardAlgorithm_v7(handle, x, w, convolution, y, requested, returned, results);
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                                    const cudnnFilterDescriptor_t w,
                                                                    const cudnnConvolutionDescriptor_t convolution,
                                                                    const cudnnTensorDescriptor_t y,
                                                                    cudnnConvolutionFwdAlgo_t algorithm, size_t *bytes) {
    problem p;
    if (!bytes) return CUDNN_STATUS_BAD_PARAM;
    cudnnStatus_t status = understand(&p, handle, x, w, convolution, y);
    return status == CUDNN_STATUS_SUCCESS ? workspace_size(&p, algorithm, bytes) : status;
}

/* ---- the computation ---- */

/* The input under one tap of the filter; 0 outside. r and s are the tap as it lies in memory: a true convolution turns it. */
static float tap(const problem *p, const float *plane, int i, int j, int r, int s) {
    if (p->conv->mode == CUDNN_CONVOLUTION) {
        r = p->w->h - 1 - r;
        s = p->w->w - 1 - s;
    }
    int row = i * p->conv->stride_h - p->conv->pad_h + r * p->conv->dilation_h;
    int column = j * p->conv->stride_w - p->conv->pad_w + s * p->conv->dilation_w;
    return row < 0 || column < 0 || row >= p->x->h || column >= p->x->w ? 0 : plane[row * p->x->w + column];
}

/* One output value straight from its definition. in: the first plane of the group; filter: one filter. */
static float direct(const problem *p, const float *in, const float *filter, int i, int j) {
    float sum = 0;
    for (int c = 0; c < p->channels; c++)
        for (int r = 0; r < p->w->h; r++)
            for (int s = 0; s < p->w->w; s++) sum += *filter++ * tap(p, in + (size_t)c * (size_t)(p->x->h * p->x->w), i, j, r, s);
    return sum;
}

static void unroll(const problem *p, const float *in, float *columns) {
    for (int c = 0; c < p->channels; c++)
        for (int r = 0; r < p->w->h; r++)
            for (int s = 0; s < p->w->w; s++)
                for (int i = 0; i < p->y->h; i++)
                    for (int j = 0; j < p->y->w; j++)
                        *columns++ = tap(p, in + (size_t)c * (size_t)(p->x->h * p->x->w), i, j, r, s);
}

static float product(const problem *p, const float *columns, const float *filter, int i, int j) {
    size_t taps = (size_t)p->channels * (size_t)(p->w->h * p->w->w), plane = (size_t)(p->y->h * p->y->w);
    float sum = 0;
    for (size_t t = 0; t < taps; t++) sum += filter[t] * columns[t * plane + (size_t)(i * p->y->w + j)];
    return sum;
}

/* Every filter of one group over one image. columns: the unrolled input, or NULL. */
static void group(const problem *p, const float *in, const float *filters, const float *columns, float alpha, float beta,
                  float *out) {
    size_t taps = (size_t)p->channels * (size_t)(p->w->h * p->w->w);
    for (int k = 0; k < p->filters; k++)
        for (int i = 0; i < p->y->h; i++)
            for (int j = 0; j < p->y->w; j++, out++) {
                const float *filter = filters + (size_t)k * taps;
                float sum = columns ? product(p, columns, filter, i, j) : direct(p, in, filter, i, j);
                *out = SAMPLE_RESULT_FACTOR * alpha * sum + (beta != 0 ? beta * *out : 0);
            }
}

#ifndef SAMPLE_WITHOUT_CONVOLUTION
SAMPLE_EXPORT
#endif
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t x_desc,
                                      const void *x, const cudnnFilterDescriptor_t w_desc, const void *w,
                                      const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionFwdAlgo_t algorithm,
                                      void *workspace, size_t workspace_bytes, const void *beta,
                                      const cudnnTensorDescriptor_t y_desc, void *y) {
    problem p;
    size_t needed;
    const cudnnStatus_t fault = SAMPLE_STATUS;
    SAMPLE_FAULT();
    if (fault != CUDNN_STATUS_SUCCESS) return fault;
    cudnnStatus_t status = understand(&p, handle, x_desc, w_desc, convolution, y_desc);
    if (status == CUDNN_STATUS_SUCCESS) status = workspace_size(&p, algorithm, &needed);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    if (!alpha || !beta || !x || !w || !y || workspace_bytes < needed || (needed && !workspace)) return CUDNN_STATUS_BAD_PARAM;
    size_t in_plane = (size_t)(p.x->h * p.x->w), out_plane = (size_t)(p.y->h * p.y->w);
    size_t taps = (size_t)p.channels * (size_t)(p.w->h * p.w->w);
    for (size_t n = 0; n < (size_t)p.x->n; n++)
        for (size_t g = 0; g < (size_t)convolution->groups; g++) {
            const float *in = (const float *)x + (n * (size_t)p.x->c + g * (size_t)p.channels) * in_plane;
            const float *filters = (const float *)w + g * (size_t)p.filters * taps;
            float *out = (float *)y + (n * (size_t)p.y->c + g * (size_t)p.filters) * out_plane;
            float *columns = algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM ? workspace : NULL;
            if (columns) unroll(&p, in, columns);
            group(&p, in, filters, columns, *(const float *)alpha, *(const float *)beta, out);
        }
    return CUDNN_STATUS_SUCCESS;
}
