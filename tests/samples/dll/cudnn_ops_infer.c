/* Sample: handles, tensors, filters, pooling, activation, softmax on the CPU. */
#include <math.h>
#include <stdlib.h>

#include "cublas_sample.h"
#include "cudnn_ops_infer.h"
#include "sample.h"

#ifndef SAMPLE_MARK
#define SAMPLE_MARK cudnnSampleOpsInfer8003
#endif
SAMPLE_EXPORT int SAMPLE_MARK(void);
int SAMPLE_MARK(void) { return CUDNN_VERSION; }

SAMPLE_EXPORT cudnnStatus_t cudnnOpsInferVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }

/* ---- handles ---- */

#ifndef SAMPLE_CREATE_STATUS
#define SAMPLE_CREATE_STATUS CUDNN_STATUS_SUCCESS
#endif

SAMPLE_EXPORT cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
    const cudnnStatus_t fault = SAMPLE_CREATE_STATUS;
    if (fault != CUDNN_STATUS_SUCCESS) return fault;
    if (!handle) return CUDNN_STATUS_BAD_PARAM;
    *handle = calloc(1, sizeof **handle);
    if (!*handle) return CUDNN_STATUS_ALLOC_FAILED;
    if (cublasCreate_v2(&(*handle)->cublas) == 0 && cublasLtGetVersion() != 0) return CUDNN_STATUS_SUCCESS;
    free(*handle);
    *handle = NULL;
    return CUDNN_STATUS_NOT_INITIALIZED;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    if (!handle) return CUDNN_STATUS_SUCCESS;
    cublasDestroy_v2(handle->cublas);
    free(handle);
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudnnStream_t stream) {
    if (!handle) return CUDNN_STATUS_BAD_PARAM;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudnnStream_t *stream) {
    if (!handle || !stream) return CUDNN_STATUS_BAD_PARAM;
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- tensors and filters ---- */

static cudnnStatus_t make(void **out, size_t size) {
    if (!out) return CUDNN_STATUS_BAD_PARAM;
    *out = calloc(1, size);
    return *out ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

SAMPLE_EXPORT cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensor) {
    return make((void **)tensor, sizeof **tensor);
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                                       cudnnDataType_t type, int n, int c, int h, int w) {
    if (!tensor || n <= 0 || c <= 0 || h <= 0 || w <= 0) return CUDNN_STATUS_BAD_PARAM;
    if (format != CUDNN_TENSOR_NCHW || type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
    *tensor = (struct cudnnTensorStruct){.type = type, .n = n, .c = c, .h = h, .w = w};
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t tensor, cudnnDataType_t *type, int *n,
                                                       int *c, int *h, int *w, int *n_stride, int *c_stride, int *h_stride,
                                                       int *w_stride) {
    if (!tensor) return CUDNN_STATUS_BAD_PARAM;
    *type = (cudnnDataType_t)tensor->type;
    *n = tensor->n;
    *c = tensor->c;
    *h = tensor->h;
    *w = tensor->w;
    *n_stride = tensor->c * tensor->h * tensor->w;
    *c_stride = tensor->h * tensor->w;
    *h_stride = tensor->w;
    *w_stride = 1;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
    free(tensor);
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filter) {
    return make((void **)filter, sizeof **filter);
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                                       cudnnTensorFormat_t format, int k, int c, int h, int w) {
    if (!filter || k <= 0 || c <= 0 || h <= 0 || w <= 0) return CUDNN_STATUS_BAD_PARAM;
    if (format != CUDNN_TENSOR_NCHW || type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED;
    *filter = (struct cudnnFilterStruct){.type = type, .k = k, .c = c, .h = h, .w = w};
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t filter, cudnnDataType_t *type,
                                                       cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w) {
    if (!filter) return CUDNN_STATUS_BAD_PARAM;
    *type = (cudnnDataType_t)filter->type;
    *format = CUDNN_TENSOR_NCHW;
    *k = filter->k;
    *c = filter->c;
    *h = filter->h;
    *w = filter->w;
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
    free(filter);
    return CUDNN_STATUS_SUCCESS;
}

/* ---- pooling ---- */

SAMPLE_EXPORT cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *pooling) {
    return make((void **)pooling, sizeof **pooling);
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t pooling, cudnnPoolingMode_t mode,
                                                        cudnnNanPropagation_t nan_mode, int height, int width, int pad_h,
                                                        int pad_w, int stride_h, int stride_w) {
    (void)nan_mode;
    if (!pooling || height <= 0 || width <= 0 || pad_h < 0 || pad_w < 0 || stride_h <= 0 || stride_w <= 0)
        return CUDNN_STATUS_BAD_PARAM;
    *pooling = (struct cudnnPoolingStruct){mode, height, width, pad_h, pad_w, stride_h, stride_w};
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t pooling) {
    free(pooling);
    return CUDNN_STATUS_SUCCESS;
}

static float pool(const struct cudnnPoolingStruct *p, const float *plane, int rows, int columns, int top, int left) {
    double sum = 0, largest = -HUGE_VAL;
    int count = 0;
    for (int i = top; i < top + p->h; i++)
        for (int j = left; j < left + p->w; j++) {
            if (i < 0 || j < 0 || i >= rows || j >= columns) continue;
            double value = plane[i * columns + j];
            if (value > largest) largest = value;
            sum += value;
            count++;
        }
    if (p->mode == CUDNN_POOLING_MAX) return (float)largest;
    if (p->mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) count = p->h * p->w;
    return count ? (float)(sum / count) : 0;
}

/* y = alpha * value + beta * y, with y never read where beta is 0. */
static void blend(float *y, const void *alpha, const void *beta, double value) {
    float a = *(const float *)alpha, b = *(const float *)beta;
    *y = (float)(a * value + (b != 0 ? (double)b * *y : 0));
}

SAMPLE_EXPORT cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling, const void *alpha,
                                                const cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                                const cudnnTensorDescriptor_t y_desc, void *y) {
    if (!handle || !pooling || !x_desc || !y_desc || x_desc->n != y_desc->n || x_desc->c != y_desc->c)
        return CUDNN_STATUS_BAD_PARAM;
    float *out = y;
    for (int plane = 0; plane < y_desc->n * y_desc->c; plane++)
        for (int i = 0; i < y_desc->h; i++)
            for (int j = 0; j < y_desc->w; j++) {
                const float *in = (const float *)x + (size_t)plane * (size_t)(x_desc->h * x_desc->w);
                float value = pool(pooling, in, x_desc->h, x_desc->w, i * pooling->stride_h - pooling->pad_h,
                                   j * pooling->stride_w - pooling->pad_w);
                blend(out++, alpha, beta, value);
            }
    return CUDNN_STATUS_SUCCESS;
}

/* ---- activation and softmax ---- */

SAMPLE_EXPORT cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *activation) {
    return make((void **)activation, sizeof **activation);
}

SAMPLE_EXPORT cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation, cudnnActivationMode_t mode,
                                                         cudnnNanPropagation_t nan_mode, double coefficient) {
    (void)nan_mode;
    if (!activation) return CUDNN_STATUS_BAD_PARAM;
    *activation = (struct cudnnActivationStruct){mode, coefficient};
    return CUDNN_STATUS_SUCCESS;
}

SAMPLE_EXPORT cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t activation) {
    free(activation);
    return CUDNN_STATUS_SUCCESS;
}

static size_t elements(const struct cudnnTensorStruct *t) { return (size_t)t->n * (size_t)t->c * (size_t)t->h * (size_t)t->w; }

SAMPLE_EXPORT cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t activation,
                                                   const void *alpha, const cudnnTensorDescriptor_t x_desc, const void *x,
                                                   const void *beta, const cudnnTensorDescriptor_t y_desc, void *y) {
    if (!handle || !activation || !x_desc || !y_desc || elements(x_desc) != elements(y_desc)) return CUDNN_STATUS_BAD_PARAM;
    for (size_t i = 0; i < elements(x_desc); i++) {
        double value = ((const float *)x)[i];
        if (activation->mode == CUDNN_ACTIVATION_SIGMOID) value = 1 / (1 + exp(-value));
        if (activation->mode == CUDNN_ACTIVATION_RELU) value = value > 0 ? value : 0;
        if (activation->mode == CUDNN_ACTIVATION_TANH) value = tanh(value);
        blend((float *)y + i, alpha, beta, value);
    }
    return CUDNN_STATUS_SUCCESS;
}

/* Softmax over count values that lie step apart. */
static void softmax(const float *x, float *y, size_t count, size_t step, int logarithm, const void *alpha, const void *beta) {
    double largest = x[0], sum = 0;
    for (size_t i = 1; i < count; i++) largest = x[i * step] > largest ? x[i * step] : largest;
    for (size_t i = 0; i < count; i++) sum += exp(x[i * step] - largest);
    for (size_t i = 0; i < count; i++) {
        double value = x[i * step] - largest;
        blend(y + i * step, alpha, beta, logarithm ? value - log(sum) : exp(value) / sum);
    }
}

SAMPLE_EXPORT cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                                const void *alpha, const cudnnTensorDescriptor_t x_desc, const void *x,
                                                const void *beta, const cudnnTensorDescriptor_t y_desc, void *y) {
    if (!handle || !x_desc || !y_desc || elements(x_desc) != elements(y_desc)) return CUDNN_STATUS_BAD_PARAM;
    size_t plane = (size_t)x_desc->h * (size_t)x_desc->w, channels = (size_t)x_desc->c;
    int logarithm = algorithm == CUDNN_SOFTMAX_LOG;
    for (size_t n = 0; n < (size_t)x_desc->n; n++) {
        const float *in = (const float *)x + n * channels * plane;
        float *out = (float *)y + n * channels * plane;
        if (mode == CUDNN_SOFTMAX_MODE_INSTANCE)
            softmax(in, out, channels * plane, 1, logarithm, alpha, beta);
        else
            for (size_t at = 0; at < plane; at++) softmax(in + at, out + at, channels, plane, logarithm, alpha, beta);
    }
    return CUDNN_STATUS_SUCCESS;
}
