/* Sample: cublasLt64_10.dll. */
#include <stddef.h>

#include "sample.h"

SAMPLE_EXPORT size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void) { return 10202; }
