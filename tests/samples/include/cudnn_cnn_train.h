/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_CNN_TRAIN_H_
#define CUDNN_CNN_TRAIN_H_

#include "cudnn_cnn_infer.h"

#ifdef __cplusplus
extern "C" {
#endif

cudnnStatus_t cudnnCnnTrainVersionCheck(void);

#ifdef __cplusplus
}
#endif

#endif
