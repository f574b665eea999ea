#include "fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/selftest/gpu.h"

fake_cuda fake;

struct cs_library {
    char name[64];
};

typedef struct function_row {
    const char *name;
    cs_function function;
} function_row;

#define ROW(result, name, need, parameters) {#name, (cs_function)fake_##name},

static const function_row functions[] = {CUDA_DRIVER_FUNCTIONS(ROW) CUDA_RUNTIME_FUNCTIONS(ROW) CUDNN_FUNCTIONS(ROW)};

void fake_cuda_begin(void) {
    fake = (fake_cuda){.absent_status = CS_E_NOT_FOUND,
                       .absent_system = 126,
                       .algorithms = 0xC3, /* 0, 1, 6, 7 */
                       .unsupported = CUDNN8_NOT_SUPPORTED,
                       .device_count = 1,
                       .runtime_version = 10010,
                       .driver_cuda = 11000,
                       .cudnn_version = 8003,
                       .built_for = 10010};
    for (int i = 0; i < FAKE_DEVICES; i++)
        fake.devices[i] = (fake_device){.major = 7, .minor = 5, .available = (size_t)7 << 30, .total = (size_t)8 << 30};
}

/* ---- the loader ---- */

static bool same(const char *a, const char *b) { return a && strcmp(a, b) == 0; }

static cs_status open_library(void *ctx, const char *name, cs_library **out, cs_error *error) {
    (void)ctx;
    *out = NULL;
    if (same(fake.absent, name)) {
        cs_fail(error, fake.absent_status, "load", name, NULL);
        if (error) error->system = fake.absent_system;
        return fake.absent_status;
    }
    *out = malloc(sizeof **out);
    if (!*out) return cs_fail(error, CS_E_NO_MEMORY, "load", name, NULL);
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
    fake.open_libraries++;
    return CS_OK;
}

static cs_function find_symbol(void *ctx, cs_library *library, const char *name) {
    (void)ctx;
    const char *prefix = strstr(library->name, "cudnn") ? "cudnn" : strstr(library->name, "cudart") ? "cuda" : "cu";
    if (same(fake.missing, name) || strncmp(name, prefix, strlen(prefix)) != 0) return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (same(functions[i].name, name)) return functions[i].function;
    return NULL;
}

static void append_path(void *ctx, cs_library *library, cs_buffer *out) {
    (void)ctx;
    cs_buffer_format(out, "fake/%s", library->name);
}

static void close_library(void *ctx, cs_library *library) {
    (void)ctx;
    fake.open_libraries--;
    free(library);
}

static uint64_t nanoseconds(void *ctx) {
    (void)ctx;
    return fake.clock += 1000;
}

const cs_loader *fake_cuda_loader(void) {
    static const char *const driver[] = {"nvcuda.dll", NULL};
    static const char *const runtime[] = {"cudart64_101.dll", NULL};
    static const cs_cudnn_names names[] = {{"cudnn64_8.dll",
                                            {"cudnn_ops_infer64_8.dll", "cudnn_ops_train64_8.dll", "cudnn_cnn_infer64_8.dll",
                                             "cudnn_cnn_train64_8.dll", "cudnn_adv_infer64_8.dll", "cudnn_adv_train64_8.dll"}}};
    static const cs_loader loader = {.open = open_library,
                                     .symbol = find_symbol,
                                     .where = append_path,
                                     .close = close_library,
                                     .nanoseconds = nanoseconds,
                                     .driver = driver,
                                     .runtime = runtime,
                                     .cudnn = names,
                                     .cudnn_count = 1};
    return &loader;
}

/* ---- misbehaving ---- */

int fake_answer(const char *function) {
    fake.calls++;
    fake.clock += 5000;
    if (!same(fake.failing, function)) return 0;
    if (fake.failing_after) {
        fake.failing_after--;
        return 0;
    }
    if (fake.failing_times && --fake.failing_times == 0) fake.failing = NULL;
    return fake.failing_status;
}

float fake_number(const void *numbers, int type, size_t i) {
    return type == CUDNN_HALF ? (float)gpu_half_to_double(((const uint16_t *)numbers)[i]) : ((const float *)numbers)[i];
}

static void put_number(void *numbers, int type, size_t i, float value) {
    if (type == CUDNN_HALF)
        ((uint16_t *)numbers)[i] = gpu_half_from_double(value);
    else
        ((float *)numbers)[i] = value;
}

static float spoiled(fake_wrong wrong, float value, size_t i, size_t count) {
    if (wrong == FAKE_SMALL) return value * 1.001F;
    if (i != count / 2) return value;
    if (wrong == FAKE_ONE_NUMBER) return value + 1;
    if (wrong == FAKE_NAN || wrong == FAKE_INFINITE) {
        const uint32_t bits = wrong == FAKE_NAN ? 0x7FC00000 : 0x7F800000;
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

void fake_finish(const char *function, void *result, int type, const float *values, size_t count) {
    fake_wrong wrong = same(fake.wrong_in, function) ? fake.wrong : FAKE_RIGHT;
    if (wrong != FAKE_RIGHT && fake.wrong_after) {
        fake.wrong_after--;
        wrong = FAKE_RIGHT;
    }
    if (wrong == FAKE_NOTHING) return;
    size_t end = wrong == FAKE_TRUNCATED ? count - 1 : count;
    for (size_t i = 0; i < end; i++) put_number(result, type, i, spoiled(wrong, values[i], i, count));
    if (wrong == FAKE_TOO_MUCH) put_number(result, type, count, 1);
}

/* ---- the driver ---- */

int fake_cuInit(unsigned flags) { return flags ? 1 : fake_answer("cuInit"); }

int fake_cuDriverGetVersion(int *version) {
    *version = fake.driver_cuda;
    return fake_answer("cuDriverGetVersion");
}

int fake_cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return fake_answer("cuDeviceGet");
}

int fake_cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return fake_answer("cuDeviceGetName");
}

int fake_cuDeviceGetCount(int *count) {
    *count = fake.device_count;
    int status = fake_answer("cuDeviceGetCount");
    return status ? status : fake.count_status;
}

int fake_cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == CUDA_ATTRIBUTE_MAJOR ? fake.devices[device].major : fake.devices[device].minor;
    return fake_answer("cuDeviceGetAttribute");
}

/* ---- the runtime ---- */

int fake_cudaRuntimeGetVersion(int *version) {
    *version = fake.runtime_version;
    return fake_answer("cudaRuntimeGetVersion");
}

int fake_cudaDriverGetVersion(int *version) {
    *version = fake.driver_cuda;
    return fake_answer("cudaDriverGetVersion");
}

int fake_cudaGetDeviceCount(int *count) {
    *count = fake.count_status ? 0 : fake.device_count;
    return fake.count_status;
}

int fake_cudaDeviceGetAttribute(int *value, int attribute, int device) {
    const fake_device *d = &fake.devices[device];
    *value = attribute == CUDA_ATTRIBUTE_MAJOR ? d->major : attribute == CUDA_ATTRIBUTE_MINOR ? d->minor : d->mode;
    return fake_answer("cudaDeviceGetAttribute");
}

int fake_cudaGetDeviceProperties(void *properties, int device) {
    snprintf(properties, 256, "Fake properties %d", device);
    return fake_answer("cudaGetDeviceProperties");
}

int fake_cudaSetDevice(int device) {
    fake.current = device;
    return fake.devices[device].set_status ? fake.devices[device].set_status : fake_answer("cudaSetDevice");
}

int fake_cudaMemGetInfo(size_t *available, size_t *total) {
    *available = fake.devices[fake.current].available;
    *total = fake.devices[fake.current].total;
    return fake.devices[fake.current].memory_status ? fake.devices[fake.current].memory_status : fake_answer("cudaMemGetInfo");
}

int fake_cudaMalloc(void **memory, size_t size) {
    int status = fake_answer("cudaMalloc");
    *memory = status ? NULL : malloc(size);
    if (*memory) fake.live_memory++;
    return status || *memory ? status : CUDA_MEMORY_ALLOCATION;
}

int fake_cudaFree(void *memory) {
    if (memory) fake.live_memory--;
    free(memory);
    return fake_answer("cudaFree");
}

int fake_cudaMemcpy(void *to, const void *from, size_t size, int kind) {
    if (kind != CUDA_HOST_TO_DEVICE && kind != CUDA_DEVICE_TO_HOST) return 21; /* cudaErrorInvalidMemcpyDirection */
    memcpy(to, from, size);
    return fake_answer("cudaMemcpy");
}

int fake_cudaMemset(void *memory, int value, size_t size) {
    memset(memory, value, size);
    return fake_answer("cudaMemset");
}

int fake_cudaDeviceSynchronize(void) { return fake_answer("cudaDeviceSynchronize"); }
int fake_cudaGetLastError(void) { return fake_answer("cudaGetLastError"); }
const char *fake_cudaGetErrorName(int error) { return error ? "cudaErrorFake" : "cudaSuccess"; }
