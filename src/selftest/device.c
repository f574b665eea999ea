/* device.c: whether there is a GPU that can be used, and which. */
#include "gpu.h"

#include <string.h>

/* CUDA 10.1 has code for capability 3.0 to 7.5 (NVIDIA, CUDA 10.1 release notes and nvcc's list of architectures). Of other
 * runtimes this program knows nothing and lets them judge. */
enum { RUNTIME_JUDGED = 10010, OLDEST_CAPABILITY = 30, NEWEST_CAPABILITY = 75 };

/* With less free than this the context of a GPU hardly fits, let alone cuDNN's code. */
static const uint64_t least_memory = UINT64_C(128) << 20;

static void ask_name(gpu *g, cs_gpu_device *device) {
    int handle = 0;
    if (g->has_driver && g->driver.cuDeviceGet(&handle, device->ordinal) == CUDA_SUCCESS_ &&
        g->driver.cuDeviceGetName(device->name, sizeof device->name, handle) == CUDA_SUCCESS_) {
        device->name[sizeof device->name - 1] = '\0';
        return;
    }
    device->name[0] = '\0';
    char *properties = g->cuda.cudaGetDeviceProperties ? cs_alloc(CUDA_PROPERTIES_BYTES, 1) : NULL;
    if (properties && g->cuda.cudaGetDeviceProperties(properties, device->ordinal) == CUDA_SUCCESS_)
        memcpy(device->name, properties, sizeof device->name - 1);
    cs_free(properties);
}

static cs_gpu_verdict judge_capability(const gpu *g, const cs_gpu_device *device) {
    int capability = device->major * 10 + device->minor;
    if (g->out->runtime_version != RUNTIME_JUDGED) return CS_GPU_PASSED;
    if (capability > NEWEST_CAPABILITY) return CS_GPU_DEVICE_TOO_NEW;
    return capability < OLDEST_CAPABILITY ? CS_GPU_DEVICE_TOO_OLD : CS_GPU_PASSED;
}

static void unfit(cs_gpu_device *device, cs_gpu_verdict verdict, int status) {
    if (device->fit != CS_GPU_PASSED) return;
    device->fit = verdict;
    device->status = status;
}

/* The steps that touch the device: a context is made by the question for memory. */
static void try_device(gpu *g, cs_gpu_device *device) {
    size_t available = 0, total = 0;
    int status = g->cuda.cudaSetDevice(device->ordinal);
    if (status == CUDA_SUCCESS_) status = g->cuda.cudaMemGetInfo(&available, &total);
    if (status != CUDA_SUCCESS_) {
        g->cuda.cudaGetLastError(); /* forgets it: the next device starts clean */
        unfit(device, gpu_cuda_verdict(status), status);
        return;
    }
    device->memory_free = available;
    device->memory_total = total;
    if (available < least_memory) unfit(device, CS_GPU_MEMORY_TAKEN, 0);
}

static void look_at(gpu *g, int ordinal) {
    cs_gpu_device *device = &g->out->devices[g->out->device_count++];
    *device = (cs_gpu_device){.ordinal = ordinal};
    ask_name(g, device);
    int status = g->cuda.cudaDeviceGetAttribute(&device->major, CUDA_ATTRIBUTE_MAJOR, ordinal), mode = 0;
    if (status == CUDA_SUCCESS_) status = g->cuda.cudaDeviceGetAttribute(&device->minor, CUDA_ATTRIBUTE_MINOR, ordinal);
    if (status != CUDA_SUCCESS_) {
        unfit(device, gpu_cuda_verdict(status), status);
        return;
    }
    unfit(device, judge_capability(g, device), 0);
    if (g->cuda.cudaDeviceGetAttribute(&mode, CUDA_ATTRIBUTE_COMPUTE_MODE, ordinal) == CUDA_SUCCESS_ &&
        mode == CUDA_COMPUTE_PROHIBITED)
        unfit(device, CS_GPU_DEVICE_BUSY, 0);
    if (device->fit == CS_GPU_PASSED && g->out->device < 0) try_device(g, device);
    if (device->fit == CS_GPU_PASSED && g->out->device < 0) g->out->device = (int)(device - g->out->devices);
}

/* No usable answer to "how many devices": no driver, one that is too old, or none visible. */
static void explain_none(gpu *g, int status) {
    cs_gpu_verdict verdict = status == CUDA_SUCCESS_ ? CS_GPU_NO_DEVICE : gpu_cuda_verdict(status);
    /* 0 is documented as "no driver", whatever lies about of one. */
    if (g->out->driver_cuda <= 0 && (!g->driver_library || verdict == CS_GPU_DRIVER_TOO_OLD)) verdict = CS_GPU_NO_DRIVER;
    if (verdict == CS_GPU_NO_DEVICE && g->out->visible_devices) verdict = CS_GPU_DEVICE_HIDDEN;
    gpu_stop(g, verdict, "cudaGetDeviceCount", status);
}

void gpu_choose_device(gpu *g) {
    int count = 0;
    if (g->stopped) return;
    if (g->has_driver) g->driver.cuInit(0); /* names are asked of the driver; what it lacks the runtime reports */
    int status = g->cuda.cudaGetDeviceCount(&count);
    if (status != CUDA_SUCCESS_ || count < 1) {
        explain_none(g, status);
        return;
    }
    for (int i = 0; i < count && i < CS_GPU_MAX_DEVICES; i++) look_at(g, i);
    if (g->out->device >= 0) {
        const cs_gpu_device *device = &g->out->devices[g->out->device];
        gpu_cuda_ok(g, NULL, "cudaSetDevice", g->cuda.cudaSetDevice(device->ordinal));
        g->workspace_limit = device->memory_free / 4 < UINT64_C(256) << 20 ? device->memory_free / 4 : UINT64_C(256) << 20;
    } else {
        gpu_stop(g, g->out->devices[0].fit, NULL, g->out->devices[0].status);
    }
}

/* ---- the driver alone ---- */

static void list_one(gpu *g, int ordinal) {
    int handle = 0, major = 0, minor = 0;
    if (g->driver.cuDeviceGet(&handle, ordinal) != CUDA_SUCCESS_) return;
    if (g->driver.cuDeviceGetAttribute(&major, CUDA_ATTRIBUTE_MAJOR, handle) != CUDA_SUCCESS_) return;
    if (g->driver.cuDeviceGetAttribute(&minor, CUDA_ATTRIBUTE_MINOR, handle) != CUDA_SUCCESS_) return;
    cs_gpu_device *device = &g->out->devices[g->out->device_count++];
    *device = (cs_gpu_device){.ordinal = ordinal, .major = major, .minor = minor};
    if (g->driver.cuDeviceGetName(device->name, sizeof device->name, handle) != CUDA_SUCCESS_) device->name[0] = '\0';
    device->name[sizeof device->name - 1] = '\0';
}

void gpu_list_devices(gpu *g) {
    int count = 0, version = 0;
    if (!g->has_driver) {
        gpu_stop(g, g->driver_library ? CS_GPU_DRIVER_BROKEN : CS_GPU_NO_DRIVER, "cuInit", 0);
        return;
    }
    if (g->driver.cuDriverGetVersion(&version) == CUDA_SUCCESS_) g->out->driver_cuda = version;
    int status = g->driver.cuInit(0);
    if (status == CUDA_SUCCESS_) status = g->driver.cuDeviceGetCount(&count);
    for (int i = 0; status == CUDA_SUCCESS_ && i < count && i < CS_GPU_MAX_DEVICES; i++) list_one(g, i);
    if (g->out->device_count) return;
    cs_gpu_verdict verdict = status == CUDA_SUCCESS_ ? CS_GPU_NO_DEVICE : gpu_cuda_verdict(status);
    if (verdict == CS_GPU_NO_DEVICE && g->out->visible_devices) verdict = CS_GPU_DEVICE_HIDDEN;
    gpu_stop(g, verdict, "cuInit", status);
}
