/* Sample: cudnn64_8.dll. It holds no work of its own: at the first use of a function it loads the part that has it, by bare name,
 * and ends the process with the loader's error on standard error if that fails, as the real one does. */
#include <windows.h>

#include <stdio.h>

#include "cudnn.h"
#include "sample.h"
#include "sample_fault.h"

typedef enum part { OPS_INFER, OPS_TRAIN, CNN_INFER, CNN_TRAIN, ADV_INFER, ADV_TRAIN } part;

static const wchar_t *const part_names[] = {L"cudnn_ops_infer64_8.dll", L"cudnn_ops_train64_8.dll", L"cudnn_cnn_infer64_8.dll",
                                            L"cudnn_cnn_train64_8.dll", L"cudnn_adv_infer64_8.dll", L"cudnn_adv_train64_8.dll"};

typedef void (*any_function)(void);

/* With the exit code of a fail-fast, but without its error reporting, which a test machine may answer with a debugger. */
static void give_up(part from, const char *function) {
    DWORD error = GetLastError();
    if (function)
        fprintf(stderr, "Could not find %s in library %ls. Error code %lu\n", function, part_names[from], error);
    else
        fprintf(stderr, "Could not load library %ls. Error code %lu\n", part_names[from], error);
    fflush(stderr);
    TerminateProcess(GetCurrentProcess(), STATUS_STACK_BUFFER_OVERRUN);
}

static any_function find(part from, const char *function) {
    HMODULE module = LoadLibraryW(part_names[from]); /* counted, never freed: it stays for the process */
    if (!module) give_up(from, NULL);
    FARPROC found = GetProcAddress(module, function);
    if (!found) give_up(from, function);
    return (any_function)found;
}

/* Defines the exported function `name`: finds it in its part and hands the arguments on. */
#define FORWARD(from, name, parameters, arguments)                                                                               \
    SAMPLE_EXPORT cudnnStatus_t name parameters {                                                                                \
        typedef cudnnStatus_t(*function) parameters;                                                                             \
        return ((function)find(from, #name))arguments;                                                                           \
    }

SAMPLE_IMPORT int cudaRuntimeGetVersion(int *version);

/* By this the self-test knows that no GPU computes here (CS_SAMPLE_MARK in include/cudnn_setup/selftest.h). */
SAMPLE_EXPORT int cudnnSetupSampleOnTheCpu(void);
int cudnnSetupSampleOnTheCpu(void) { return 1; }

#ifndef SAMPLE_SHIM_VERSION
#define SAMPLE_SHIM_VERSION CUDNN_VERSION
#endif
SAMPLE_EXPORT size_t cudnnGetVersion(void) {
    SAMPLE_FAULT();
    return SAMPLE_SHIM_VERSION;
}

SAMPLE_EXPORT size_t cudnnGetCudartVersion(void) {
    int version = 0;
    return cudaRuntimeGetVersion(&version) == 0 ? 10010 : 0; /* what it was built for, whatever was found */
}

SAMPLE_EXPORT const char *cudnnGetErrorString(cudnnStatus_t status) {
    static const char *const texts[] = {
        "CUDNN_STATUS_SUCCESS",       "CUDNN_STATUS_NOT_INITIALIZED", "CUDNN_STATUS_ALLOC_FAILED",
        "CUDNN_STATUS_BAD_PARAM",     "CUDNN_STATUS_INTERNAL_ERROR",  "CUDNN_STATUS_INVALID_VALUE",
        "CUDNN_STATUS_ARCH_MISMATCH", "CUDNN_STATUS_MAPPING_ERROR",   "CUDNN_STATUS_EXECUTION_FAILED",
        "CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_LICENSE_ERROR"};
    return (unsigned)status < sizeof texts / sizeof texts[0] ? texts[status] : "CUDNN_UNKNOWN_STATUS";
}

FORWARD(OPS_INFER, cudnnOpsInferVersionCheck, (void), ())
FORWARD(OPS_TRAIN, cudnnOpsTrainVersionCheck, (void), ())
FORWARD(CNN_INFER, cudnnCnnInferVersionCheck, (void), ())
FORWARD(CNN_TRAIN, cudnnCnnTrainVersionCheck, (void), ())
FORWARD(ADV_INFER, cudnnAdvInferVersionCheck, (void), ())
FORWARD(ADV_TRAIN, cudnnAdvTrainVersionCheck, (void), ())

FORWARD(OPS_INFER, cudnnCreate, (cudnnHandle_t * handle), (handle))
FORWARD(OPS_INFER, cudnnDestroy, (cudnnHandle_t handle), (handle))
FORWARD(OPS_INFER, cudnnSetStream, (cudnnHandle_t handle, cudnnStream_t stream), (handle, stream))
FORWARD(OPS_INFER, cudnnGetStream, (cudnnHandle_t handle, cudnnStream_t *stream), (handle, stream))
FORWARD(OPS_INFER, cudnnCreateTensorDescriptor, (cudnnTensorDescriptor_t * tensor), (tensor))
FORWARD(OPS_INFER, cudnnSetTensor4dDescriptor,
        (cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c, int h, int w),
        (tensor, format, type, n, c, h, w))
FORWARD(OPS_INFER, cudnnGetTensor4dDescriptor,
        (const cudnnTensorDescriptor_t tensor, cudnnDataType_t *type, int *n, int *c, int *h, int *w, int *n_stride,
         int *c_stride, int *h_stride, int *w_stride),
        (tensor, type, n, c, h, w, n_stride, c_stride, h_stride, w_stride))
FORWARD(OPS_INFER, cudnnDestroyTensorDescriptor, (cudnnTensorDescriptor_t tensor), (tensor))
FORWARD(OPS_INFER, cudnnCreateFilterDescriptor, (cudnnFilterDescriptor_t * filter), (filter))
FORWARD(OPS_INFER, cudnnSetFilter4dDescriptor,
        (cudnnFilterDescriptor_t filter, cudnnDataType_t type, cudnnTensorFormat_t format, int k, int c, int h, int w),
        (filter, type, format, k, c, h, w))
FORWARD(OPS_INFER, cudnnGetFilter4dDescriptor,
        (const cudnnFilterDescriptor_t filter, cudnnDataType_t *type, cudnnTensorFormat_t *format, int *k, int *c, int *h,
         int *w),
        (filter, type, format, k, c, h, w))
FORWARD(OPS_INFER, cudnnDestroyFilterDescriptor, (cudnnFilterDescriptor_t filter), (filter))
FORWARD(OPS_INFER, cudnnCreatePoolingDescriptor, (cudnnPoolingDescriptor_t * pooling), (pooling))
FORWARD(OPS_INFER, cudnnSetPooling2dDescriptor,
        (cudnnPoolingDescriptor_t pooling, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan_mode, int height, int width,
         int pad_h, int pad_w, int stride_h, int stride_w),
        (pooling, mode, nan_mode, height, width, pad_h, pad_w, stride_h, stride_w))
FORWARD(OPS_INFER, cudnnDestroyPoolingDescriptor, (cudnnPoolingDescriptor_t pooling), (pooling))
FORWARD(OPS_INFER, cudnnPoolingForward,
        (cudnnHandle_t handle, const cudnnPoolingDescriptor_t pooling, const void *alpha, const cudnnTensorDescriptor_t x_desc,
         const void *x, const void *beta, const cudnnTensorDescriptor_t y_desc, void *y),
        (handle, pooling, alpha, x_desc, x, beta, y_desc, y))
FORWARD(OPS_INFER, cudnnCreateActivationDescriptor, (cudnnActivationDescriptor_t * activation), (activation))
FORWARD(OPS_INFER, cudnnSetActivationDescriptor,
        (cudnnActivationDescriptor_t activation, cudnnActivationMode_t mode, cudnnNanPropagation_t nan_mode, double coefficient),
        (activation, mode, nan_mode, coefficient))
FORWARD(OPS_INFER, cudnnDestroyActivationDescriptor, (cudnnActivationDescriptor_t activation), (activation))
FORWARD(OPS_INFER, cudnnActivationForward,
        (cudnnHandle_t handle, cudnnActivationDescriptor_t activation, const void *alpha, const cudnnTensorDescriptor_t x_desc,
         const void *x, const void *beta, const cudnnTensorDescriptor_t y_desc, void *y),
        (handle, activation, alpha, x_desc, x, beta, y_desc, y))
FORWARD(OPS_INFER, cudnnSoftmaxForward,
        (cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void *alpha,
         const cudnnTensorDescriptor_t x_desc, const void *x, const void *beta, const cudnnTensorDescriptor_t y_desc, void *y),
        (handle, algorithm, mode, alpha, x_desc, x, beta, y_desc, y))

FORWARD(CNN_INFER, cudnnCreateConvolutionDescriptor, (cudnnConvolutionDescriptor_t * convolution), (convolution))
FORWARD(CNN_INFER, cudnnSetConvolution2dDescriptor,
        (cudnnConvolutionDescriptor_t convolution, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
         int dilation_w, cudnnConvolutionMode_t mode, cudnnDataType_t compute_type),
        (convolution, pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, compute_type))
FORWARD(CNN_INFER, cudnnSetConvolutionGroupCount, (cudnnConvolutionDescriptor_t convolution, int group_count),
        (convolution, group_count))
FORWARD(CNN_INFER, cudnnGetConvolutionGroupCount, (cudnnConvolutionDescriptor_t convolution, int *group_count),
        (convolution, group_count))
FORWARD(CNN_INFER, cudnnSetConvolutionMathType, (cudnnConvolutionDescriptor_t convolution, cudnnMathType_t math_type),
        (convolution, math_type))
FORWARD(CNN_INFER, cudnnGetConvolutionMathType, (cudnnConvolutionDescriptor_t convolution, cudnnMathType_t *math_type),
        (convolution, math_type))
FORWARD(CNN_INFER, cudnnDestroyConvolutionDescriptor, (cudnnConvolutionDescriptor_t convolution), (convolution))
FORWARD(CNN_INFER, cudnnGetConvolution2dForwardOutputDim,
        (const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w, int *n,
         int *c, int *height, int *width),
        (convolution, x, w, n, c, height, width))
FORWARD(CNN_INFER, cudnnGetConvolutionForwardAlgorithmMaxCount, (cudnnHandle_t handle, int *count), (handle, count))
FORWARD(CNN_INFER, cudnnGetConvolutionForwardAlgorithm_v7,
        (cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
         const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y, int requested, int *returned,
         cudnnConvolutionFwdAlgoPerf_t *results),
        (handle, x, w, convolution, y, requested, returned, results))
FORWARD(CNN_INFER, cudnnFindConvolutionForwardAlgorithm,
        (cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
         const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y, int requested, int *returned,
         cudnnConvolutionFwdAlgoPerf_t *results),
        (handle, x, w, convolution, y, requested, returned, results))
FORWARD(CNN_INFER, cudnnGetConvolutionForwardWorkspaceSize,
        (cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
         const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y, cudnnConvolutionFwdAlgo_t algorithm,
         size_t *bytes),
        (handle, x, w, convolution, y, algorithm, bytes))
FORWARD(CNN_INFER, cudnnConvolutionForward,
        (cudnnHandle_t handle, const void *alpha, const cudnnTensorDescriptor_t x_desc, const void *x,
         const cudnnFilterDescriptor_t w_desc, const void *w, const cudnnConvolutionDescriptor_t convolution,
         cudnnConvolutionFwdAlgo_t algorithm, void *workspace, size_t workspace_bytes, const void *beta,
         const cudnnTensorDescriptor_t y_desc, void *y),
        (handle, alpha, x_desc, x, w_desc, w, convolution, algorithm, workspace, workspace_bytes, beta, y_desc, y))
