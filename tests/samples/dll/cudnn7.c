/* Sample: an older cuDNN, one DLL for everything. */
#include <stddef.h>

#include "sample.h"

SAMPLE_EXPORT size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) { return 7605; }
