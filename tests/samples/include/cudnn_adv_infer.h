/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_ADV_INFER_H_
#define CUDNN_ADV_INFER_H_

#include "cudnn_ops_infer.h"

#ifdef __cplusplus
extern "C" {
#endif

cudnnStatus_t cudnnAdvInferVersionCheck(void);

#ifdef __cplusplus
}
#endif

#endif
