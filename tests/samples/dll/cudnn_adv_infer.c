/* Sample: a part that holds nothing but its version and the need of others. */
#include "cudnn_adv_infer.h"
#include "sample.h"

SAMPLE_IMPORT int cudnnSampleOpsInfer8003(void);
SAMPLE_EXPORT int cudnnSampleAdvInfer8003(void);

int cudnnSampleAdvInfer8003(void) { return CUDNN_VERSION; }

SAMPLE_EXPORT cudnnStatus_t cudnnAdvInferVersionCheck(void) {
    return cudnnSampleOpsInfer8003() == CUDNN_VERSION ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR;
}
