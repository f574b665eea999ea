/* Sample: a part that holds nothing but its version and the need of others. */
#include "cudnn_ops_train.h"
#include "sample.h"

#ifndef SAMPLE_PART_VERSION
#define SAMPLE_PART_VERSION CUDNN_VERSION
#endif

SAMPLE_IMPORT int cudnnSampleOpsInfer8003(void);
SAMPLE_EXPORT int cudnnSampleOpsTrain8003(void);

int cudnnSampleOpsTrain8003(void) { return CUDNN_VERSION; }

SAMPLE_EXPORT cudnnStatus_t cudnnOpsTrainVersionCheck(void) {
    return cudnnSampleOpsInfer8003() == SAMPLE_PART_VERSION ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_INTERNAL_ERROR;
}
