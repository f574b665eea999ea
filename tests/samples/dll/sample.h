/* sample.h: what the sample DLLs share. They stand in for cuDNN and CUDA in tests, compute on the CPU and say "sample" in their
 * version resources. Each part of cuDNN exports one symbol that carries the version in its name, and imports those of the parts
 * it needs: an absent part gives loader error 126, one of another version 127, as with the real ones. */
#ifndef SAMPLE_H
#define SAMPLE_H

#define SAMPLE_EXPORT __declspec(dllexport)
#define SAMPLE_IMPORT __declspec(dllimport)

/* The layout of the descriptors, private to the sample's parts. */
struct cudnnContext {
    void *stream;
    void *cublas;
};

struct cudnnTensorStruct {
    int type, n, c, h, w;
};

struct cudnnFilterStruct {
    int type, k, c, h, w;
};

struct cudnnPoolingStruct {
    int mode, h, w, pad_h, pad_w, stride_h, stride_w;
};

struct cudnnActivationStruct {
    int mode;
    double coefficient;
};

struct cudnnConvolutionStruct {
    int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, groups, math;
};

#endif
