/* A sample made for the tests of cudnn-setup. Not NVIDIA's cuDNN. */
#ifndef CUDNN_VERSION_H_
#define CUDNN_VERSION_H_

#define CUDNN_MAJOR      8
#define CUDNN_MINOR      0
#define CUDNN_PATCHLEVEL 3

#define CUDNN_VERSION (CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)

#endif
