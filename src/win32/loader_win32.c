/* loader_win32.c: DLLs by bare name, in the order in which any program finds them. */
#include <string.h>

#include "cudnn_setup/loader.h"
#include "win32.h"

struct cs_library {
    HMODULE module;
};

/* CUDA 10.1 and the parts of cuDNN 8 by their file names on Windows: this is the pair that the product installs. */
static const char *const driver_names[] = {"nvcuda.dll", NULL};
static const char *const runtime_names[] = {"cudart64_101.dll", NULL};
static const cs_cudnn_names cudnn_names[] = {{"cudnn64_8.dll",
                                              {"cudnn_ops_infer64_8.dll", "cudnn_ops_train64_8.dll", "cudnn_cnn_infer64_8.dll",
                                               "cudnn_cnn_train64_8.dll", "cudnn_adv_infer64_8.dll", "cudnn_adv_train64_8.dll"}}};

/* 126 is said of the library and of what it needs alike: it is not in the table of codes, where it would mean a file. */
static cs_status fail_load(const char *name, cs_error *error) {
    DWORD code = GetLastError();
    if (code != ERROR_MOD_NOT_FOUND) return cs_fail_win32(error, code, "load", name);
    cs_fail(error, CS_E_NOT_FOUND, "load", name, NULL);
    if (error) error->system = code;
    return CS_E_NOT_FOUND;
}

static cs_status open_library(void *ctx, const char *name, cs_library **out, cs_error *error) {
    (void)ctx;
    *out = NULL;
    if (strpbrk(name, "\\/:")) return cs_fail(error, CS_E_NAME, "load", name, "a bare file name is wanted");
    cs_library *library = cs_alloc(1, sizeof *library);
    if (!library) return cs_fail(error, CS_E_NO_MEMORY, "load", name, NULL);
    wchar_t *wide = cs_wide(name, "load", error);
    library->module = wide ? LoadLibraryW(wide) : NULL;
    cs_status status = !wide ? CS_E_NAME : library->module ? CS_OK : fail_load(name, error);
    cs_free(wide);
    if (status == CS_OK)
        *out = library;
    else
        cs_free(library);
    return status;
}

static cs_function find_symbol(void *ctx, cs_library *library, const char *name) {
    (void)ctx;
    return (cs_function)GetProcAddress(library->module, name);
}

static void append_path(void *ctx, cs_library *library, cs_buffer *out) {
    enum { UNITS = 32768 };
    (void)ctx;
    wchar_t *path = cs_alloc(UNITS, sizeof *path);
    DWORD size = path ? GetModuleFileNameW(library->module, path, UNITS) : 0;
    if (size && size < UNITS) cs_narrow_units(out, path, size);
    cs_free(path);
}

static void close_library(void *ctx, cs_library *library) {
    (void)ctx;
    cs_free(library);
}

static uint64_t nanoseconds(void *ctx) {
    (void)ctx;
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    uint64_t ticks = (uint64_t)count.QuadPart, second = (uint64_t)frequency.QuadPart;
    return ticks / second * 1000000000U + ticks % second * 1000000000U / second;
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
