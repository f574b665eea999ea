/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_ADV_TRAIN_H_
#define CUDNN_ADV_TRAIN_H_

#include "cudnn_adv_infer.h"

#ifdef __cplusplus
extern "C" {
#endif

cudnnStatus_t cudnnAdvTrainVersionCheck(void);

#ifdef __cplusplus
}
#endif

#endif
