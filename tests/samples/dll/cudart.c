/* Sample: cudart64_101.dll. Device memory is ordinary memory, streams do their work at once, and there is one device, the CPU. */
#include <windows.h>

#include <stdlib.h>
#include <string.h>

#include "sample.h"

/* What a build with a fault has otherwise: statuses are CUDA's own numbers. */
#ifndef SAMPLE_VERSION
#define SAMPLE_VERSION 10010
#endif
#ifndef SAMPLE_DRIVER
#define SAMPLE_DRIVER 10010
#endif
#ifndef SAMPLE_COUNT
#define SAMPLE_COUNT 1
#endif
#ifndef SAMPLE_COUNT_STATUS
#define SAMPLE_COUNT_STATUS SUCCESS
#endif
#ifndef SAMPLE_CONTEXT_STATUS
#define SAMPLE_CONTEXT_STATUS SUCCESS
#endif
#ifndef SAMPLE_WORK_STATUS
#define SAMPLE_WORK_STATUS SUCCESS
#endif
#ifndef SAMPLE_MAJOR
#define SAMPLE_MAJOR 7
#define SAMPLE_MINOR 5
#endif
#ifndef SAMPLE_MODE
#define SAMPLE_MODE 0
#endif
#ifndef SAMPLE_FREE
#define SAMPLE_FREE DEVICE_BYTES
#endif

enum { SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, NO_DEVICE = 100, INVALID_DEVICE = 101 };
enum { DEVICE_BYTES = 1 << 30, ATTRIBUTE_MODE = 20, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

/* The beginning of CUDA 10.1's cudaDeviceProp; the rest of the caller's structure is left alone. */
typedef struct device_properties {
    char name[256];
    char uuid[16], luid[8];
    unsigned node_mask;
    size_t total_memory, shared_memory;
    int registers, warp;
    size_t pitch;
    int threads, threads_dim[3], grid[3], clock;
    size_t constant_memory;
    int major, minor;
} device_properties;

SAMPLE_EXPORT int cudaRuntimeGetVersion(int *version);
SAMPLE_EXPORT int cudaDriverGetVersion(int *version);
SAMPLE_EXPORT int cudaGetDeviceCount(int *count);
SAMPLE_EXPORT int cudaGetDevice(int *device);
SAMPLE_EXPORT int cudaSetDevice(int device);
SAMPLE_EXPORT int cudaGetDeviceProperties(device_properties *out, int device);
SAMPLE_EXPORT int cudaDeviceGetAttribute(int *value, int attribute, int device);
SAMPLE_EXPORT int cudaDeviceSynchronize(void);
SAMPLE_EXPORT int cudaDeviceReset(void);
SAMPLE_EXPORT int cudaMemGetInfo(size_t *available, size_t *total);
SAMPLE_EXPORT int cudaMalloc(void **out, size_t size);
SAMPLE_EXPORT int cudaFree(void *memory);
SAMPLE_EXPORT int cudaMemcpy(void *to, const void *from, size_t size, int kind);
SAMPLE_EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream);
#ifndef SAMPLE_WITHOUT_MEMSET
SAMPLE_EXPORT int cudaMemset(void *memory, int value, size_t size);
#endif
SAMPLE_EXPORT int cudaStreamCreate(void **stream);
SAMPLE_EXPORT int cudaStreamDestroy(void *stream);
SAMPLE_EXPORT int cudaStreamSynchronize(void *stream);
SAMPLE_EXPORT int cudaEventCreate(void **event);
SAMPLE_EXPORT int cudaEventDestroy(void *event);
SAMPLE_EXPORT int cudaEventRecord(void *event, void *stream);
SAMPLE_EXPORT int cudaEventSynchronize(void *event);
SAMPLE_EXPORT int cudaEventElapsedTime(float *milliseconds, void *start, void *end);
SAMPLE_EXPORT int cudaGetLastError(void);
SAMPLE_EXPORT const char *cudaGetErrorName(int error);
SAMPLE_EXPORT const char *cudaGetErrorString(int error);

static int last_error;

static int answer(int error) {
    if (error) last_error = error;
    return error;
}

static int give(int *out, int value) {
    if (!out) return answer(INVALID_VALUE);
    *out = value;
    return SUCCESS;
}

int cudaRuntimeGetVersion(int *version) { return give(version, SAMPLE_VERSION); }
int cudaDriverGetVersion(int *version) { return give(version, SAMPLE_DRIVER); }

/* As the real one: CUDA_VISIBLE_DEVICES that names no device hides them all. */
static int is_hidden(void) {
    wchar_t value[8];
    SetLastError(ERROR_SUCCESS);
    DWORD size = GetEnvironmentVariableW(L"CUDA_VISIBLE_DEVICES", value, 8);
    if (!size) return GetLastError() == ERROR_SUCCESS;
    return value[0] < L'0' || value[0] > L'9';
}

int cudaGetDeviceCount(int *count) {
    if (is_hidden()) return answer(NO_DEVICE);
    return SAMPLE_COUNT_STATUS ? answer(SAMPLE_COUNT_STATUS) : give(count, SAMPLE_COUNT);
}

int cudaGetDevice(int *device) { return give(device, 0); }
int cudaSetDevice(int device) { return answer(device >= 0 && device < SAMPLE_COUNT ? SUCCESS : INVALID_DEVICE); }

int cudaGetDeviceProperties(device_properties *out, int device) {
    if (!out) return answer(INVALID_VALUE);
    if (device < 0 || device >= SAMPLE_COUNT) return answer(INVALID_DEVICE);
    *out =
        (device_properties){.name = "Sample device (the CPU)", .total_memory = DEVICE_BYTES, .warp = 32, .major = 7, .minor = 5};
    return SUCCESS;
}

int cudaDeviceGetAttribute(int *value, int attribute, int device) {
    if (device < 0 || device >= SAMPLE_COUNT) return answer(INVALID_DEVICE);
    /* Of two devices the first is one that CUDA 10.1 cannot serve. */
    if (attribute == ATTRIBUTE_MAJOR) return give(value, SAMPLE_COUNT == 2 && device == 0 ? 8 : SAMPLE_MAJOR);
    if (attribute == ATTRIBUTE_MINOR) return give(value, SAMPLE_MINOR);
    if (attribute == ATTRIBUTE_MODE) return give(value, SAMPLE_MODE);
    return answer(INVALID_VALUE);
}

int cudaDeviceSynchronize(void) { return answer(SAMPLE_WORK_STATUS); }
int cudaDeviceReset(void) { return SUCCESS; }

int cudaMemGetInfo(size_t *available, size_t *total) {
    if (!available || !total) return answer(INVALID_VALUE);
    *available = SAMPLE_FREE;
    *total = DEVICE_BYTES;
    return answer(SAMPLE_CONTEXT_STATUS);
}

int cudaMalloc(void **out, size_t size) {
    if (!out) return answer(INVALID_VALUE);
    *out = size ? malloc(size) : NULL;
    return answer(*out || !size ? SUCCESS : MEMORY_ALLOCATION);
}

int cudaFree(void *memory) {
    free(memory);
    return SUCCESS;
}

int cudaMemcpy(void *to, const void *from, size_t size, int kind) {
    (void)kind;
    if (size && (!to || !from)) return answer(INVALID_VALUE);
    if (size) memmove(to, from, size);
    return SUCCESS;
}

int cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
    (void)stream;
    return cudaMemcpy(to, from, size, kind);
}

#ifndef SAMPLE_WITHOUT_MEMSET
int cudaMemset(void *memory, int value, size_t size) {
    if (size && !memory) return answer(INVALID_VALUE);
    if (size) memset(memory, value, size);
    return SUCCESS;
}
#endif

int cudaStreamCreate(void **stream) { return cudaMalloc(stream, 1); }
int cudaStreamDestroy(void *stream) { return cudaFree(stream); }
int cudaStreamSynchronize(void *stream) {
    (void)stream;
    return SUCCESS;
}

int cudaEventCreate(void **event) { return cudaMalloc(event, sizeof(LARGE_INTEGER)); }
int cudaEventDestroy(void *event) { return cudaFree(event); }

int cudaEventRecord(void *event, void *stream) {
    (void)stream;
    if (!event) return answer(INVALID_VALUE);
    QueryPerformanceCounter(event);
    return SUCCESS;
}

int cudaEventSynchronize(void *event) { return answer(event ? SUCCESS : INVALID_VALUE); }

int cudaEventElapsedTime(float *milliseconds, void *start, void *end) {
    LARGE_INTEGER frequency;
    if (!milliseconds || !start || !end || !QueryPerformanceFrequency(&frequency)) return answer(INVALID_VALUE);
    LONGLONG ticks = ((LARGE_INTEGER *)end)->QuadPart - ((LARGE_INTEGER *)start)->QuadPart;
    *milliseconds = (float)((double)ticks * 1000 / (double)frequency.QuadPart);
    return SUCCESS;
}

int cudaGetLastError(void) {
    int error = last_error;
    last_error = SUCCESS;
    return error;
}

const char *cudaGetErrorName(int error) {
    switch (error) {
    case SUCCESS:
        return "cudaSuccess";
    case INVALID_VALUE:
        return "cudaErrorInvalidValue";
    case MEMORY_ALLOCATION:
        return "cudaErrorMemoryAllocation";
    case INVALID_DEVICE:
        return "cudaErrorInvalidDevice";
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(int error) { return cudaGetErrorName(error); }
