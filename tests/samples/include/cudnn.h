/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_H_
#define CUDNN_H_

#include "cudnn_version.h"

#include "cudnn_ops_infer.h"
#include "cudnn_ops_train.h"

#include "cudnn_adv_infer.h"
#include "cudnn_adv_train.h"

#include "cudnn_cnn_infer.h"
#include "cudnn_cnn_train.h"

#include "cudnn_backend.h"

#endif
