/* Sample: zlibwapi.dll, which cuDNN 8.3 and newer need. */
#include "sample.h"

SAMPLE_EXPORT int sampleZlib(void);
int sampleZlib(void) { return 1; }
