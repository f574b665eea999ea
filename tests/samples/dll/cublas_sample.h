/* cublas_sample.h: the few functions of cuBLAS 10 and cuBLASLt 10 that the samples export and import. */
#ifndef CUBLAS_SAMPLE_H
#define CUBLAS_SAMPLE_H

#include <stddef.h>

__declspec(dllimport) int cublasCreate_v2(void **handle);
__declspec(dllimport) int cublasDestroy_v2(void *handle);
__declspec(dllimport) size_t cublasLtGetVersion(void);

#endif
