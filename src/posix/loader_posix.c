/* loader_posix.c: shared libraries by bare name, as the dynamic linker finds them (LD_LIBRARY_PATH, its cache). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <time.h>

#include "cudnn_setup/loader.h"
#include "cudnn_setup/text.h"

struct cs_library {
    void *handle;
};

static const char *const driver_names[] = {"libcuda.so.1", NULL};
/* Newest first: an older one beside it would be asked to serve a cuDNN that was built for the newer. */
static const char *const runtime_names[] = {"libcudart.so.13",   "libcudart.so.12",   "libcudart.so.11.0",
                                            "libcudart.so.10.2", "libcudart.so.10.1", NULL};
static const cs_cudnn_names cudnn_names[] = {
    {"libcudnn.so.9",
     {"libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_adv.so.9", "libcudnn_heuristic.so.9",
      "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9"}},
    {"libcudnn.so.8",
     {"libcudnn_ops_infer.so.8", "libcudnn_ops_train.so.8", "libcudnn_cnn_infer.so.8", "libcudnn_cnn_train.so.8",
      "libcudnn_adv_infer.so.8", "libcudnn_adv_train.so.8"}}};

static cs_status open_library(void *ctx, const char *name, cs_library **out, cs_error *error) {
    (void)ctx;
    *out = NULL;
    if (strchr(name, '/')) return cs_fail(error, CS_E_NAME, "load", name, "a bare file name is wanted");
    cs_library *library = cs_alloc(1, sizeof *library);
    if (!library) return cs_fail(error, CS_E_NO_MEMORY, "load", name, NULL);
    library->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library->handle) {
        *out = library;
        return CS_OK;
    }
    cs_free(library);
    const char *reason = dlerror();
    bool absent = reason && strstr(reason, "cannot open shared object file: No such file") && cs_text_starts_with(reason, name);
    return cs_fail(error, absent ? CS_E_NOT_FOUND : CS_E_SYSTEM, "load", name, "%s", reason ? reason : "no reason given");
}

static cs_function find_symbol(void *ctx, cs_library *library, const char *name) {
    (void)ctx;
    void *address = dlsym(library->handle, name);
    cs_function function;
    memcpy(&function, &address, sizeof function); /* ISO C has no such conversion; POSIX promises that it means what it should */
    return function;
}

static void append_path(void *ctx, cs_library *library, cs_buffer *out) {
    (void)ctx;
    struct link_map *map = NULL;
    if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) cs_buffer_text(out, map->l_name);
}

static void close_library(void *ctx, cs_library *library) {
    (void)ctx;
    cs_free(library);
}

static uint64_t nanoseconds(void *ctx) {
    (void)ctx;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

cs_loader cs_loader_system(void) {
    return (cs_loader){.open = open_library,
                       .symbol = find_symbol,
                       .where = append_path,
                       .close = close_library,
                       .nanoseconds = nanoseconds,
                       .driver = driver_names,
                       .runtime = runtime_names,
                       .cudnn = cudnn_names,
                       .cudnn_count = sizeof cudnn_names / sizeof cudnn_names[0]};
}
