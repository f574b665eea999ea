/* bind.c: finds the libraries by bare name and their functions by theirs, and asks for versions. */
#include "gpu.h"

#include <string.h>

typedef enum need { CORE, FULL, EXTRA } need;

typedef struct symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
    need need;
} symbol;

#define SYMBOL(table, name, need)                      {#name, offsetof(table, name), need},
#define DRIVER_SYMBOL(result, name, need, parameters)  SYMBOL(cuda_driver, name, need)
#define RUNTIME_SYMBOL(result, name, need, parameters) SYMBOL(cuda_runtime, name, need)
#define CUDNN_SYMBOL(result, name, need, parameters)   SYMBOL(cudnn_library, name, need)

static const symbol driver_symbols[] = {CUDA_DRIVER_FUNCTIONS(DRIVER_SYMBOL)};
static const symbol runtime_symbols[] = {CUDA_RUNTIME_FUNCTIONS(RUNTIME_SYMBOL)};
static const symbol cudnn_symbols[] = {CUDNN_FUNCTIONS(CUDNN_SYMBOL)};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Fills the table; the name of the first function that must be there and is not, or NULL. */
static const char *find_symbols(gpu *g, cs_library *library, const symbol *symbols, size_t count, void *table) {
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        cs_function function = g->loader->symbol(g->loader->ctx, library, symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
        bool needed = symbols[i].need == CORE || (symbols[i].need == FULL && !g->out->sample);
        if (!function && needed && !missing) missing = symbols[i].name;
    }
    return missing;
}

/* The first of names that can be opened. Otherwise the error of the first name, which is the one to tell, unless another was
 * there but could not be loaded. */
static cs_library *open_first(gpu *g, const char *const *names, cs_error *error) {
    cs_library *library = NULL;
    for (size_t i = 0; names[i]; i++) {
        cs_error each = {0};
        cs_status status = g->loader->open(g->loader->ctx, names[i], &library, &each);
        if (status == CS_OK) return library;
        if (i == 0 || (error->status == CS_E_NOT_FOUND && status != CS_E_NOT_FOUND)) *error = each;
    }
    return NULL;
}

static void absent(gpu *g, cs_gpu_verdict verdict, const char *name, const cs_error *error) {
    if (g->stopped) return;
    g->out->system = error->system;
    gpu_stop(g, verdict, name, 0);
}

void gpu_bind_driver(gpu *g) {
    cs_error error = {0};
    g->driver_library = open_first(g, g->loader->driver, &error);
    if (!g->driver_library) return;
    g->loader->where(g->loader->ctx, g->driver_library, &g->out->driver_path);
    g->has_driver = !find_symbols(g, g->driver_library, driver_symbols, COUNT(driver_symbols), &g->driver);
}

/* Also when cuDNN is not there: its version and the driver's help to explain that. */
void gpu_bind_runtime(gpu *g) {
    cs_error error = {0};
    g->runtime_library = open_first(g, g->loader->runtime, &error);
    if (!g->runtime_library) {
        absent(g, CS_GPU_RUNTIME_ABSENT, g->loader->runtime[0], &error);
        return;
    }
    g->loader->where(g->loader->ctx, g->runtime_library, &g->out->runtime_path);
    const char *missing = find_symbols(g, g->runtime_library, runtime_symbols, COUNT(runtime_symbols), &g->cuda);
    if (missing) gpu_stop(g, CS_GPU_SYMBOL_MISSING, missing, 0);
}

/* Each part by bare name, as the main library itself will ask for it: one that is absent makes that library end the process. */
static void open_parts(gpu *g, const cs_cudnn_names *names) {
    for (size_t i = 0; i < CS_LIBRARY_PARTS && names->parts[i] && !g->stopped; i++) {
        cs_error error = {0};
        cs_library *part = NULL;
        if (g->loader->open(g->loader->ctx, names->parts[i], &part, &error) != CS_OK)
            absent(g, CS_GPU_PART_MISSING, names->parts[i], &error);
        else
            g->loader->close(g->loader->ctx, part);
    }
}

void gpu_bind_cudnn(gpu *g) {
    cs_error error = {0};
    const cs_cudnn_names *names = NULL;
    if (g->stopped) return;
    for (size_t i = 0; i < g->loader->cudnn_count && !g->cudnn_library; i++) {
        const char *const main[] = {g->loader->cudnn[i].main, NULL};
        cs_error each = {0};
        names = &g->loader->cudnn[i];
        g->cudnn_library = open_first(g, main, &each);
        if (i == 0) error = each;
    }
    if (!g->cudnn_library) {
        absent(g, CS_GPU_CUDNN_ABSENT, g->loader->cudnn[0].main, &error);
        return;
    }
    g->loader->where(g->loader->ctx, g->cudnn_library, &g->out->cudnn_path);
    if (g->loader->symbol(g->loader->ctx, g->cudnn_library, CS_SAMPLE_MARK)) g->out->sample = true;
    open_parts(g, names);
    const char *missing = find_symbols(g, g->cudnn_library, cudnn_symbols, COUNT(cudnn_symbols), &g->cudnn);
    if (missing) gpu_stop(g, CS_GPU_SYMBOL_MISSING, missing, 0);
}

/* Versions are asked even of a library that lacks something else: they explain it. */
void gpu_ask_versions(gpu *g) {
    int version = 0;
    if (g->cudnn.cudnnGetVersion) g->out->cudnn_version = g->cudnn.cudnnGetVersion();
    if (g->cudnn.cudnnGetCudartVersion) g->out->cudnn_built_for = g->cudnn.cudnnGetCudartVersion();
    if (g->cuda.cudaRuntimeGetVersion && g->cuda.cudaRuntimeGetVersion(&version) == CUDA_SUCCESS_)
        g->out->runtime_version = version;
    version = 0;
    if (g->cuda.cudaDriverGetVersion && g->cuda.cudaDriverGetVersion(&version) == CUDA_SUCCESS_) g->out->driver_cuda = version;
}

/* cuDNN's own question whether a part is of the main library's version (8.x; 9 asks by itself). */
static void check_part(gpu *g, int (*check)(void), const char *name) {
    if (!check || g->stopped) return;
    int status = check();
    if (status != CUDNN_OK) gpu_stop(g, CS_GPU_PARTS_MIXED, name, status);
}

/* From CUDA 11 on a runtime serves what was built for any other of the same major number. */
static bool same_runtime(uint64_t built_for, uint64_t runtime) {
    return built_for / 1000 >= 11 ? built_for / 1000 == runtime / 1000 : built_for / 10 == runtime / 10;
}

void gpu_check_parts(gpu *g) {
    check_part(g, g->cudnn.cudnnOpsInferVersionCheck, "ops_infer");
    check_part(g, g->cudnn.cudnnOpsTrainVersionCheck, "ops_train");
    check_part(g, g->cudnn.cudnnCnnInferVersionCheck, "cnn_infer");
    check_part(g, g->cudnn.cudnnCnnTrainVersionCheck, "cnn_train");
    check_part(g, g->cudnn.cudnnAdvInferVersionCheck, "adv_infer");
    check_part(g, g->cudnn.cudnnAdvTrainVersionCheck, "adv_train");
    if (g->stopped || !g->out->cudnn_built_for || g->out->runtime_version <= 0) return;
    if (!same_runtime(g->out->cudnn_built_for, (uint64_t)g->out->runtime_version)) gpu_stop(g, CS_GPU_RUNTIME_MIXED, NULL, 0);
}
