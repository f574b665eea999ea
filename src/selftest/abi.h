/* abi.h: what this program must know of CUDA's and cuDNN's binary interface, since it is built without their headers.
 *
 * Every call used here takes numbers, pointers and opaque handles only: no structure crosses the border, so its layout, which
 * changed from release to release, is no matter. (One exception: the device's name, see CUDA_PROPERTIES_BYTES.) Enumerations are
 * 32-bit integers. CUDART's and cuDNN's functions are declared __stdcall on Windows, which on x64 is the one calling convention
 * there is; on Linux it is the system's.
 *
 * Sources: NVIDIA's CUDA Runtime API and Driver API references (10.1: the error numbers are those of the driver API since that
 * release), the cuDNN API references 8.0.2 to 8.0.5 and 9; the wrapper that JuliaGPU/CUDA.jl generated from the headers of
 * cuDNN 8.0.4 (lib/cudnn/libcudnn_common.jl, libcudnn.jl). By those references 8.0.3 and 8.0.4 added no function that is used
 * here. Where CUDA's and cuDNN's headers are found, tests/gpu/check_abi.c compares every constant below with them. */
#ifndef CUDNN_SETUP_SELFTEST_ABI_H
#define CUDNN_SETUP_SELFTEST_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ---- CUDA runtime ---- */

/* cudaError_t */
enum {
    CUDA_SUCCESS_ = 0,
    CUDA_MEMORY_ALLOCATION = 2,
    CUDA_INITIALIZATION = 3,
    CUDA_STUB_LIBRARY = 34,
    CUDA_INSUFFICIENT_DRIVER = 35,
    CUDA_DEVICES_UNAVAILABLE = 46,
    CUDA_INVALID_DEVICE_FUNCTION = 98,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_NO_KERNEL_IMAGE = 209,
    CUDA_UNSUPPORTED_PTX = 222,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_LAUNCH_FAILURE = 719,
    CUDA_DRIVER_MISMATCH = 803,
    CUDA_COMPAT_NOT_SUPPORTED = 804,
    CUDA_UNKNOWN = 999
};

enum { CUDA_HOST_TO_DEVICE = 1, CUDA_DEVICE_TO_HOST = 2 }; /* cudaMemcpyKind */

/* cudaDeviceAttr, and CUdevice_attribute with the same numbers */
enum { CUDA_ATTRIBUTE_COMPUTE_MODE = 20, CUDA_ATTRIBUTE_MAJOR = 75, CUDA_ATTRIBUTE_MINOR = 76 };
enum { CUDA_COMPUTE_PROHIBITED = 2 }; /* cudaComputeMode */

/* cudaDeviceProp begins with char name[256] in every release (8.0 to 13.0); the rest is not looked at. Its size was never above
 * 1100 bytes: this much memory holds any of them. Asked only where the driver API does not give the name. */
enum { CUDA_PROPERTIES_BYTES = 16384 };

/* ---- cuDNN ---- */

/* cudnnStatus_t up to 8.x; 9 numbers them by thousands (status.c) */
enum {
    CUDNN_OK = 0,
    CUDNN8_NOT_INITIALIZED = 1,
    CUDNN8_ALLOC_FAILED = 2,
    CUDNN8_BAD_PARAM = 3,
    CUDNN8_INTERNAL_ERROR = 4,
    CUDNN8_ARCH_MISMATCH = 6,
    CUDNN8_EXECUTION_FAILED = 8,
    CUDNN8_NOT_SUPPORTED = 9,
    CUDNN8_RUNTIME_PREREQUISITE_MISSING = 11,
    CUDNN8_VERSION_MISMATCH = 14,
    CUDNN9_NOT_INITIALIZED = 1001,
    CUDNN9_VERSION_MISMATCH = 1002,
    CUDNN9_LOADING_FAILED = 1008,
    CUDNN9_NOT_SUPPORTED = 3000,
    CUDNN9_INCOMPATIBLE_DRIVER = 3005,
    CUDNN9_INCOMPATIBLE_RUNTIME = 3006,
    CUDNN9_ARCH_MISMATCH = 3007,
    CUDNN9_PREREQUISITE_MISSING = 3008,
    CUDNN9_PART_UNAVAILABLE = 3009,
    CUDNN9_INTERNAL_ERROR = 4000,
    CUDNN9_HOST_ALLOCATION_FAILED = 4003,
    CUDNN9_DEVICE_ALLOCATION_FAILED = 4004,
    CUDNN9_EXECUTION_FAILED = 5000
};

enum { CUDNN_FLOAT = 0, CUDNN_HALF = 2 };                                   /* cudnnDataType_t */
enum { CUDNN_NCHW = 0 };                                                    /* cudnnTensorFormat_t */
enum { CUDNN_MATH_DEFAULT = 0, CUDNN_MATH_TENSOR = 1, CUDNN_MATH_FMA = 3 }; /* cudnnMathType_t; FMA since 8.0 */
enum { CUDNN_MODE_CROSS_CORRELATION = 1 };                                  /* cudnnConvolutionMode_t */
enum { CUDNN_IGNORE_NAN = 0 };                                              /* cudnnNanPropagation_t */
enum { CUDNN_MAX_POOLING = 0, CUDNN_AVERAGE_POOLING_WITH_PADDING = 1 };     /* cudnnPoolingMode_t */
enum { CUDNN_TANH = 2 };                                                    /* cudnnActivationMode_t */
enum { CUDNN_SOFTMAX_ACCURATELY = 1, CUDNN_SOFTMAX_BY_CHANNEL = 1 };        /* cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t */
enum { CUDNN_BATCH_NORM_SPATIAL = 1 };                                      /* cudnnBatchNormMode_t */

/* cudnnConvolutionFwdAlgo_t, cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdFilterAlgo_t: numbered from 0 */
enum { CUDNN_FORWARD_ALGORITHMS = 8, CUDNN_BACKWARD_DATA_ALGORITHMS = 6, CUDNN_BACKWARD_FILTER_ALGORITHMS = 7 };

enum { CUDNN_RNN_STANDARD = 0 };          /* cudnnRNNAlgo_t */
enum { CUDNN_RNN_CELL_TANH = 1 };         /* cudnnRNNMode_t */
enum { CUDNN_RNN_BIAS_INPUT = 1 };        /* cudnnRNNBiasMode_t: CUDNN_RNN_SINGLE_INP_BIAS */
enum { CUDNN_RNN_ONE_WAY = 0 };           /* cudnnDirectionMode_t */
enum { CUDNN_RNN_LINEAR_INPUT = 0 };      /* cudnnRNNInputMode_t */
enum { CUDNN_RNN_SEQUENCE_UNPACKED = 0 }; /* cudnnRNNDataLayout_t */
enum { CUDNN_RNN_PADDED_IO = 1 };         /* auxFlags: CUDNN_RNN_PADDED_IO_ENABLED; the v8 calls want it for unpacked data */
enum { CUDNN_FORWARD_TRAINING = 1 };      /* cudnnForwardMode_t */
enum { CUDNN_GRADIENT_ADD = 0 };          /* cudnnWgradMode_t: the only one that 8.x has */

/* ---- the functions ----
 * X(result, name, need, parameters). need: CORE, without which nothing works; FULL, which every cuDNN 8.0.3 to 9 has, but this
 * project's sample has not; EXTRA, which some releases lack. A missing CORE or FULL function is a verdict that names it. */

#define CUDA_DRIVER_FUNCTIONS(X)                                                                                                 \
    X(int, cuInit, CORE, (unsigned flags))                                                                                       \
    X(int, cuDriverGetVersion, CORE, (int *version))                                                                             \
    X(int, cuDeviceGet, CORE, (int *device, int ordinal))                                                                        \
    X(int, cuDeviceGetName, CORE, (char *name, int size, int device))                                                            \
    X(int, cuDeviceGetCount, CORE, (int *count))                                                                                 \
    X(int, cuDeviceGetAttribute, CORE, (int *value, int attribute, int device))

#define CUDA_RUNTIME_FUNCTIONS(X)                                                                                                \
    X(int, cudaRuntimeGetVersion, CORE, (int *version))                                                                          \
    X(int, cudaDriverGetVersion, CORE, (int *version))                                                                           \
    X(int, cudaGetDeviceCount, CORE, (int *count))                                                                               \
    X(int, cudaDeviceGetAttribute, CORE, (int *value, int attribute, int device))                                                \
    X(int, cudaGetDeviceProperties, EXTRA, (void *properties, int device))                                                       \
    X(int, cudaSetDevice, CORE, (int device))                                                                                    \
    X(int, cudaMemGetInfo, CORE, (size_t * available, size_t * total))                                                           \
    X(int, cudaMalloc, CORE, (void **memory, size_t size))                                                                       \
    X(int, cudaFree, CORE, (void *memory))                                                                                       \
    X(int, cudaMemcpy, CORE, (void *to, const void *from, size_t size, int kind))                                                \
    X(int, cudaMemset, CORE, (void *memory, int value, size_t size))                                                             \
    X(int, cudaDeviceSynchronize, CORE, (void))                                                                                  \
    X(int, cudaGetLastError, CORE, (void))                                                                                       \
    X(const char *, cudaGetErrorName, CORE, (int error))

/* The handles: cudnnHandle_t and the descriptors are pointers to what only cuDNN knows. */
#define CUDNN_FUNCTIONS(X)                                                                                                       \
    X(size_t, cudnnGetVersion, CORE, (void))                                                                                     \
    X(size_t, cudnnGetCudartVersion, CORE, (void))                                                                               \
    X(const char *, cudnnGetErrorString, CORE, (int status))                                                                     \
    X(int, cudnnOpsInferVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnOpsTrainVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnCnnInferVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnCnnTrainVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnAdvInferVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnAdvTrainVersionCheck, EXTRA, (void))                                                                             \
    X(int, cudnnCreate, CORE, (void **handle))                                                                                   \
    X(int, cudnnDestroy, CORE, (void *handle))                                                                                   \
    X(int, cudnnCreateTensorDescriptor, CORE, (void **descriptor))                                                               \
    X(int, cudnnSetTensor4dDescriptor, CORE, (void *descriptor, int format, int type, int n, int c, int h, int w))               \
    X(int, cudnnSetTensorNdDescriptor, FULL, (void *descriptor, int type, int count, const int *sizes, const int *strides))      \
    X(int, cudnnDestroyTensorDescriptor, CORE, (void *descriptor))                                                               \
    X(int, cudnnCreateFilterDescriptor, CORE, (void **descriptor))                                                               \
    X(int, cudnnSetFilter4dDescriptor, CORE, (void *descriptor, int type, int format, int k, int c, int h, int w))               \
    X(int, cudnnDestroyFilterDescriptor, CORE, (void *descriptor))                                                               \
    X(int, cudnnCreateConvolutionDescriptor, CORE, (void **descriptor))                                                          \
    X(int, cudnnSetConvolution2dDescriptor, CORE,                                                                                \
      (void *descriptor, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode,             \
       int compute_type))                                                                                                        \
    X(int, cudnnSetConvolutionGroupCount, CORE, (void *descriptor, int groups))                                                  \
    X(int, cudnnSetConvolutionMathType, CORE, (void *descriptor, int math))                                                      \
    X(int, cudnnDestroyConvolutionDescriptor, CORE, (void *descriptor))                                                          \
    X(int, cudnnGetConvolution2dForwardOutputDim, CORE,                                                                          \
      (const void *convolution, const void *x, const void *w, int *n, int *c, int *height, int *width))                          \
    X(int, cudnnGetConvolutionForwardWorkspaceSize, CORE,                                                                        \
      (void *handle, const void *x, const void *w, const void *convolution, const void *y, int algorithm, size_t *size))         \
    X(int, cudnnConvolutionForward, CORE,                                                                                        \
      (void *handle, const void *alpha, const void *x_descriptor, const void *x, const void *w_descriptor, const void *w,        \
       const void *convolution, int algorithm, void *workspace, size_t workspace_size, const void *beta,                         \
       const void *y_descriptor, void *y))                                                                                       \
    X(int, cudnnGetConvolutionBackwardDataWorkspaceSize, FULL,                                                                   \
      (void *handle, const void *w, const void *dy, const void *convolution, const void *dx, int algorithm, size_t *size))       \
    X(int, cudnnConvolutionBackwardData, FULL,                                                                                   \
      (void *handle, const void *alpha, const void *w_descriptor, const void *w, const void *dy_descriptor, const void *dy,      \
       const void *convolution, int algorithm, void *workspace, size_t workspace_size, const void *beta,                         \
       const void *dx_descriptor, void *dx))                                                                                     \
    X(int, cudnnGetConvolutionBackwardFilterWorkspaceSize, FULL,                                                                 \
      (void *handle, const void *x, const void *dy, const void *convolution, const void *dw, int algorithm, size_t *size))       \
    X(int, cudnnConvolutionBackwardFilter, FULL,                                                                                 \
      (void *handle, const void *alpha, const void *x_descriptor, const void *x, const void *dy_descriptor, const void *dy,      \
       const void *convolution, int algorithm, void *workspace, size_t workspace_size, const void *beta,                         \
       const void *dw_descriptor, void *dw))                                                                                     \
    X(int, cudnnCreatePoolingDescriptor, FULL, (void **descriptor))                                                              \
    X(int, cudnnSetPooling2dDescriptor, FULL,                                                                                    \
      (void *descriptor, int mode, int nan_mode, int height, int width, int pad_h, int pad_w, int stride_h, int stride_w))       \
    X(int, cudnnDestroyPoolingDescriptor, FULL, (void *descriptor))                                                              \
    X(int, cudnnPoolingForward, FULL,                                                                                            \
      (void *handle, const void *pooling, const void *alpha, const void *x_descriptor, const void *x, const void *beta,          \
       const void *y_descriptor, void *y))                                                                                       \
    X(int, cudnnCreateActivationDescriptor, FULL, (void **descriptor))                                                           \
    X(int, cudnnSetActivationDescriptor, FULL, (void *descriptor, int mode, int nan_mode, double coefficient))                   \
    X(int, cudnnDestroyActivationDescriptor, FULL, (void *descriptor))                                                           \
    X(int, cudnnActivationForward, FULL,                                                                                         \
      (void *handle, void *activation, const void *alpha, const void *x_descriptor, const void *x, const void *beta,             \
       const void *y_descriptor, void *y))                                                                                       \
    X(int, cudnnActivationBackward, FULL,                                                                                        \
      (void *handle, void *activation, const void *alpha, const void *y_descriptor, const void *y, const void *dy_descriptor,    \
       const void *dy, const void *x_descriptor, const void *x, const void *beta, const void *dx_descriptor, void *dx))          \
    X(int, cudnnSoftmaxForward, FULL,                                                                                            \
      (void *handle, int algorithm, int mode, const void *alpha, const void *x_descriptor, const void *x, const void *beta,      \
       const void *y_descriptor, void *y))                                                                                       \
    X(int, cudnnBatchNormalizationForwardInference, FULL,                                                                        \
      (void *handle, int mode, const void *alpha, const void *beta, const void *x_descriptor, const void *x,                     \
       const void *y_descriptor, void *y, const void *parameters, const void *scale, const void *bias, const void *mean,         \
       const void *variance, double epsilon))                                                                                    \
    X(int, cudnnBatchNormalizationForwardTraining, FULL,                                                                         \
      (void *handle, int mode, const void *alpha, const void *beta, const void *x_descriptor, const void *x,                     \
       const void *y_descriptor, void *y, const void *parameters, const void *scale, const void *bias, double factor,            \
       void *running_mean, void *running_variance, double epsilon, void *saved_mean, void *saved_inverse_deviation))             \
    X(int, cudnnCreateDropoutDescriptor, FULL, (void **descriptor))                                                              \
    X(int, cudnnSetDropoutDescriptor, FULL,                                                                                      \
      (void *descriptor, void *handle, float dropout, void *states, size_t size, unsigned long long seed))                       \
    X(int, cudnnDestroyDropoutDescriptor, FULL, (void *descriptor))                                                              \
    X(int, cudnnCreateRNNDescriptor, FULL, (void **descriptor))                                                                  \
    X(int, cudnnSetRNNDescriptor_v8, FULL,                                                                                       \
      (void *descriptor, int algorithm, int cell, int bias, int direction, int input, int type, int precision, int math,         \
       int32_t input_size, int32_t hidden_size, int32_t projection, int32_t layers, void *dropout, uint32_t flags))              \
    X(int, cudnnDestroyRNNDescriptor, FULL, (void *descriptor))                                                                  \
    X(int, cudnnCreateRNNDataDescriptor, FULL, (void **descriptor))                                                              \
    X(int, cudnnSetRNNDataDescriptor, FULL,                                                                                      \
      (void *descriptor, int type, int layout, int longest, int batch, int vector, const int *lengths, void *padding))           \
    X(int, cudnnDestroyRNNDataDescriptor, FULL, (void *descriptor))                                                              \
    X(int, cudnnGetRNNWeightSpaceSize, FULL, (void *handle, void *rnn, size_t *size))                                            \
    X(int, cudnnGetRNNWeightParams, FULL,                                                                                        \
      (void *handle, void *rnn, int32_t layer, size_t size, const void *weights, int32_t which, void *matrix_descriptor,         \
       void **matrix, void *bias_descriptor, void **bias))                                                                       \
    X(int, cudnnGetRNNTempSpaceSizes, FULL, (void *handle, void *rnn, int mode, void *x, size_t *workspace, size_t *reserve))    \
    X(int, cudnnRNNForward, FULL,                                                                                                \
      (void *handle, void *rnn, int mode, const int32_t *lengths, void *x_descriptor, const void *x, void *y_descriptor,         \
       void *y, void *h_descriptor, const void *hx, void *hy, void *c_descriptor, const void *cx, void *cy, size_t weight_size,  \
       const void *weights, size_t workspace_size, void *workspace, size_t reserve_size, void *reserve))                         \
    X(int, cudnnRNNBackwardData_v8, FULL,                                                                                        \
      (void *handle, void *rnn, const int32_t *lengths, void *y_descriptor, const void *y, const void *dy, void *x_descriptor,   \
       void *dx, void *h_descriptor, const void *hx, const void *dhy, void *dhx, void *c_descriptor, const void *cx,             \
       const void *dcy, void *dcx, size_t weight_size, const void *weights, size_t workspace_size, void *workspace,              \
       size_t reserve_size, void *reserve))                                                                                      \
    X(int, cudnnRNNBackwardWeights_v8, FULL,                                                                                     \
      (void *handle, void *rnn, int mode, const int32_t *lengths, void *x_descriptor, const void *x, void *h_descriptor,         \
       const void *hx, void *y_descriptor, const void *y, size_t weight_size, void *gradient, size_t workspace_size,             \
       void *workspace, size_t reserve_size, void *reserve))

/* A type and a parameter list cannot stand in parentheses: NOLINTNEXTLINE(bugprone-macro-parentheses) */
#define CS_ABI_MEMBER(result, name, need, parameters) result(*name) parameters;

typedef struct cuda_driver {
    CUDA_DRIVER_FUNCTIONS(CS_ABI_MEMBER)
} cuda_driver;

typedef struct cuda_runtime {
    CUDA_RUNTIME_FUNCTIONS(CS_ABI_MEMBER)
} cuda_runtime;

typedef struct cudnn_library {
    CUDNN_FUNCTIONS(CS_ABI_MEMBER)
} cudnn_library;

#endif
