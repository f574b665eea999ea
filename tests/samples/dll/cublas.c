/* Sample: cublas64_10.dll. */
#include <stdlib.h>

#include "sample.h"

enum { SUCCESS = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7 };

SAMPLE_EXPORT int cublasCreate_v2(void **handle);
SAMPLE_EXPORT int cublasDestroy_v2(void *handle);
SAMPLE_EXPORT int cublasGetVersion_v2(void *handle, int *version);

int cublasCreate_v2(void **handle) {
    if (!handle) return INVALID_VALUE;
    *handle = malloc(1);
    return *handle ? SUCCESS : ALLOC_FAILED;
}

int cublasDestroy_v2(void *handle) {
    if (!handle) return NOT_INITIALIZED;
    free(handle);
    return SUCCESS;
}

int cublasGetVersion_v2(void *handle, int *version) {
    (void)handle;
    if (!version) return INVALID_VALUE;
    *version = 10202;
    return SUCCESS;
}
