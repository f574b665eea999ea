/* Sample: a part that holds nothing but its version and the need of others. */
#include "cudnn_adv_train.h"
#include "sample.h"

SAMPLE_IMPORT int cudnnSampleOpsInfer8003(void);
SAMPLE_IMPORT int cudnnSampleOpsTrain8003(void);
SAMPLE_IMPORT int cudnnSampleAdvInfer8003(void);
SAMPLE_EXPORT int cudnnSampleAdvTrain8003(void);

int cudnnSampleAdvTrain8003(void) { return CUDNN_VERSION; }

SAMPLE_EXPORT cudnnStatus_t cudnnAdvTrainVersionCheck(void) {
    return cudnnSampleOpsInfer8003() == CUDNN_VERSION && cudnnSampleOpsTrain8003() == CUDNN_VERSION &&
                   cudnnSampleAdvInfer8003() == CUDNN_VERSION
               ? CUDNN_STATUS_SUCCESS
               : CUDNN_STATUS_INTERNAL_ERROR;
}
