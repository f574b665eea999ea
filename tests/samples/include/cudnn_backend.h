/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN; the sample has no backend interface. */
#ifndef CUDNN_BACKEND_H_
#define CUDNN_BACKEND_H_

#include "cudnn_cnn_infer.h"

#endif
