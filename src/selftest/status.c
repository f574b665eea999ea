/* status.c: what the statuses of the CUDA runtime and of cuDNN amount to. */
#include "gpu.h"

/* cuDNN 9 puts its statuses into families of a thousand each; 8.x counts from 1. */
static bool in_family(int status, int first) { return status >= first && status < first + 1000; }

gpu_status_kind gpu_cudnn_kind(int status) {
    if (status == CUDNN_OK) return GPU_STATUS_OK;
    if (status == CUDNN8_NOT_SUPPORTED || status == CUDNN8_RUNTIME_PREREQUISITE_MISSING) return GPU_STATUS_UNSUPPORTED;
    if (!in_family(status, CUDNN9_NOT_SUPPORTED)) return GPU_STATUS_FAILED;
    switch (status) { /* those of the family that no other shape or algorithm would mend */
    case CUDNN9_INCOMPATIBLE_DRIVER:
    case CUDNN9_INCOMPATIBLE_RUNTIME:
    case CUDNN9_ARCH_MISMATCH:
    case CUDNN9_PART_UNAVAILABLE:
        return GPU_STATUS_FAILED;
    default:
        return GPU_STATUS_UNSUPPORTED;
    }
}

cs_gpu_verdict gpu_cudnn_verdict(int status) {
    switch (status) {
    case CUDNN_OK:
        return CS_GPU_PASSED;
    case CUDNN8_NOT_INITIALIZED:
    case CUDNN9_NOT_INITIALIZED:
        return CS_GPU_NOT_INITIALIZED;
    case CUDNN8_ALLOC_FAILED:
    case CUDNN9_DEVICE_ALLOCATION_FAILED:
        return CS_GPU_MEMORY_TAKEN;
    case CUDNN9_HOST_ALLOCATION_FAILED:
        return CS_GPU_NO_MEMORY;
    case CUDNN8_ARCH_MISMATCH:
    case CUDNN9_ARCH_MISMATCH:
        return CS_GPU_DEVICE_UNSERVED;
    case CUDNN8_VERSION_MISMATCH:
    case CUDNN9_VERSION_MISMATCH:
        return CS_GPU_PARTS_MIXED;
    case CUDNN9_LOADING_FAILED:
    case CUDNN9_PART_UNAVAILABLE:
        return CS_GPU_PART_MISSING;
    case CUDNN9_INCOMPATIBLE_DRIVER:
        return CS_GPU_DRIVER_TOO_OLD;
    case CUDNN9_INCOMPATIBLE_RUNTIME:
        return CS_GPU_RUNTIME_MIXED;
    default:
        return CS_GPU_EXECUTION_FAILED;
    }
}

cs_gpu_verdict gpu_cuda_verdict(int status) {
    switch (status) {
    case CUDA_SUCCESS_:
        return CS_GPU_PASSED;
    case CUDA_MEMORY_ALLOCATION:
        return CS_GPU_MEMORY_TAKEN;
    case CUDA_INSUFFICIENT_DRIVER:
        return CS_GPU_DRIVER_TOO_OLD;
    case CUDA_NO_DEVICE:
    case CUDA_INVALID_DEVICE:
        return CS_GPU_NO_DEVICE;
    case CUDA_DEVICES_UNAVAILABLE:
        return CS_GPU_DEVICE_BUSY;
    case CUDA_INVALID_DEVICE_FUNCTION:
    case CUDA_NO_KERNEL_IMAGE:
    case CUDA_UNSUPPORTED_PTX:
        return CS_GPU_DEVICE_UNSERVED;
    case CUDA_LAUNCH_TIMEOUT:
        return CS_GPU_WATCHDOG;
    case CUDA_DRIVER_MISMATCH:
    case CUDA_COMPAT_NOT_SUPPORTED:
        return CS_GPU_DRIVER_MISMATCH;
    case CUDA_INITIALIZATION:
    case CUDA_STUB_LIBRARY:
    case CUDA_UNKNOWN:
        return CS_GPU_DRIVER_BROKEN;
    default:
        return CS_GPU_EXECUTION_FAILED;
    }
}
