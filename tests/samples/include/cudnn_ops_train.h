/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_OPS_TRAIN_H_
#define CUDNN_OPS_TRAIN_H_

#include "cudnn_ops_infer.h"

#ifdef __cplusplus
extern "C" {
#endif

cudnnStatus_t cudnnOpsTrainVersionCheck(void);

#ifdef __cplusplus
}
#endif

#endif
