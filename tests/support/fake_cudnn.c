/* fake_cudnn.c: the part of the fake that is cuDNN, without its recurrent layers (fake_recurrent.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cudnn.h"

int fake_create(void **object) {
    *object = calloc(1, sizeof(fake_object));
    if (!*object) return CUDNN8_ALLOC_FAILED;
    fake.live_objects++;
    return CUDNN_OK;
}

int fake_destroy(void *object) {
    if (object) fake.live_objects--;
    free(object);
    return CUDNN_OK;
}

#define OBJECT(kind)                                                                                                             \
    int fake_cudnnCreate##kind(void **object) {                                                                                  \
        int status = fake_answer("cudnnCreate" #kind);                                                                           \
        return status ? status : fake_create(object);                                                                            \
    }                                                                                                                            \
    int fake_cudnnDestroy##kind(void *object) { return fake_destroy(object); }

OBJECT(TensorDescriptor)
OBJECT(FilterDescriptor)
OBJECT(ConvolutionDescriptor)
OBJECT(PoolingDescriptor)
OBJECT(ActivationDescriptor)

size_t fake_cudnnGetVersion(void) { return fake.cudnn_version; }
size_t fake_cudnnGetCudartVersion(void) { return fake.built_for; }
const char *fake_cudnnGetErrorString(int status) { return status ? "CUDNN_STATUS_FAKE" : "CUDNN_STATUS_SUCCESS"; }

int fake_cudnnOpsInferVersionCheck(void) { return fake_answer("cudnnOpsInferVersionCheck"); }
int fake_cudnnOpsTrainVersionCheck(void) { return fake_answer("cudnnOpsTrainVersionCheck"); }
int fake_cudnnCnnInferVersionCheck(void) { return fake_answer("cudnnCnnInferVersionCheck"); }
int fake_cudnnCnnTrainVersionCheck(void) { return fake_answer("cudnnCnnTrainVersionCheck"); }
int fake_cudnnAdvInferVersionCheck(void) { return fake_answer("cudnnAdvInferVersionCheck"); }
int fake_cudnnAdvTrainVersionCheck(void) { return fake_answer("cudnnAdvTrainVersionCheck"); }

int fake_cudnnCreate(void **handle) {
    int status = fake_answer("cudnnCreate");
    return status ? status : fake_create(handle);
}

int fake_cudnnDestroy(void *handle) { return fake_destroy(handle); }

/* ---- descriptors ---- */

int fake_cudnnSetTensor4dDescriptor(void *descriptor, int format, int type, int n, int c, int h, int w) {
    *(fake_object *)descriptor = (fake_object){.type = type, .size = {n, c, h, w}};
    return format == CUDNN_NCHW ? fake_answer("cudnnSetTensor4dDescriptor") : CUDNN8_NOT_SUPPORTED;
}

int fake_cudnnSetTensorNdDescriptor(void *descriptor, int type, int count, const int *sizes, const int *strides) {
    fake_object *o = descriptor;
    if (count != 3 || strides[2] != 1 || strides[1] != sizes[2] || strides[0] != sizes[1] * sizes[2]) return CUDNN8_BAD_PARAM;
    *o = (fake_object){.type = type, .size = {sizes[0], sizes[1], sizes[2], 1}};
    return fake_answer("cudnnSetTensorNdDescriptor");
}

int fake_cudnnSetFilter4dDescriptor(void *descriptor, int type, int format, int k, int c, int h, int w) {
    *(fake_object *)descriptor = (fake_object){.type = type, .size = {k, c, h, w}};
    return format == CUDNN_NCHW ? fake_answer("cudnnSetFilter4dDescriptor") : CUDNN8_NOT_SUPPORTED;
}

int fake_cudnnSetConvolution2dDescriptor(void *descriptor, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                                         int dilation_w, int mode, int compute_type) {
    fake_object *o = descriptor;
    *o = (fake_object){.pad = {pad_h, pad_w}, .stride = {stride_h, stride_w}, .dilation = {dilation_h, dilation_w}, .groups = 1};
    return mode == CUDNN_MODE_CROSS_CORRELATION && compute_type == CUDNN_FLOAT ? fake_answer("cudnnSetConvolution2dDescriptor")
                                                                               : CUDNN8_NOT_SUPPORTED;
}

int fake_cudnnSetConvolutionGroupCount(void *descriptor, int groups) {
    ((fake_object *)descriptor)->groups = groups;
    return fake_answer("cudnnSetConvolutionGroupCount");
}

int fake_cudnnSetConvolutionMathType(void *descriptor, int math) {
    (void)descriptor;
    if (math == CUDNN_MATH_FMA && fake.refuses_fma) return CUDNN8_BAD_PARAM;
    fake.math = math;
    return fake_answer("cudnnSetConvolutionMathType");
}

int fake_cudnnSetPooling2dDescriptor(void *descriptor, int mode, int nan_mode, int height, int width, int pad_h, int pad_w,
                                     int stride_h, int stride_w) {
    (void)nan_mode;
    *(fake_object *)descriptor =
        (fake_object){.mode = mode, .size = {height, width}, .pad = {pad_h, pad_w}, .stride = {stride_h, stride_w}};
    return fake_answer("cudnnSetPooling2dDescriptor");
}

int fake_cudnnSetActivationDescriptor(void *descriptor, int mode, int nan_mode, double coefficient) {
    (void)nan_mode;
    (void)coefficient;
    ((fake_object *)descriptor)->mode = mode;
    return mode == CUDNN_TANH ? fake_answer("cudnnSetActivationDescriptor") : CUDNN8_NOT_SUPPORTED;
}

/* ---- convolution ---- */

static int extent(const fake_object *c, int axis, int input, int filter) {
    return (input + 2 * c->pad[axis] - c->dilation[axis] * (filter - 1) - 1) / c->stride[axis] + 1;
}

int fake_cudnnGetConvolution2dForwardOutputDim(const void *convolution, const void *x, const void *w, int *n, int *c, int *height,
                                               int *width) {
    const fake_object *cd = convolution, *xd = x, *wd = w;
    *n = xd->size[0];
    *c = wd->size[0];
    *height = extent(cd, 0, xd->size[2], wd->size[2]);
    *width = extent(cd, 1, xd->size[3], wd->size[3]);
    return fake_answer("cudnnGetConvolution2dForwardOutputDim");
}

static int offered(int algorithm) { return fake.algorithms >> algorithm & 1U ? CUDNN_OK : fake.unsupported; }

static int answer_workspace(const char *function, int algorithm, size_t *size) {
    *size = fake.workspace;
    int status = fake.claims_workspace ? CUDNN_OK : offered(algorithm);
    return status ? status : fake_answer(function);
}

int fake_cudnnGetConvolutionForwardWorkspaceSize(void *handle, const void *x, const void *w, const void *convolution,
                                                 const void *y, int algorithm, size_t *size) {
    (void)handle, (void)x, (void)w, (void)convolution, (void)y;
    return answer_workspace("cudnnGetConvolutionForwardWorkspaceSize", algorithm, size);
}

int fake_cudnnGetConvolutionBackwardDataWorkspaceSize(void *handle, const void *w, const void *dy, const void *convolution,
                                                      const void *dx, int algorithm, size_t *size) {
    (void)handle, (void)w, (void)dy, (void)convolution, (void)dx;
    return answer_workspace("cudnnGetConvolutionBackwardDataWorkspaceSize", algorithm, size);
}

int fake_cudnnGetConvolutionBackwardFilterWorkspaceSize(void *handle, const void *x, const void *dy, const void *convolution,
                                                        const void *dw, int algorithm, size_t *size) {
    (void)handle, (void)x, (void)dy, (void)convolution, (void)dw;
    return answer_workspace("cudnnGetConvolutionBackwardFilterWorkspaceSize", algorithm, size);
}

typedef struct operands {
    const fake_object *x, *w, *y, *c;
    const void *x_data, *w_data, *y_data; /* the one that is computed is NULL */
    float *out;
} operands;

static size_t at(const fake_object *o, int a, int b, int c, int d) {
    return (((size_t)a * (size_t)o->size[1] + (size_t)b) * (size_t)o->size[2] + (size_t)c) * (size_t)o->size[3] + (size_t)d;
}

/* One product: into the output, the input's gradient or the filter's gradient. */
static void multiply(const operands *o, size_t x, size_t w, size_t y) {
    int type = o->x->type;
    if (!o->y_data)
        o->out[y] += fake_number(o->x_data, type, x) * fake_number(o->w_data, type, w);
    else if (!o->x_data)
        o->out[x] += fake_number(o->y_data, type, y) * fake_number(o->w_data, type, w);
    else
        o->out[w] += fake_number(o->x_data, type, x) * fake_number(o->y_data, type, y);
}

static void at_output(const operands *o, int n, int k, int row, int column) {
    int channels = o->w->size[1], group = k / (o->y->size[1] / o->c->groups);
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < o->w->size[2]; i++)
            for (int j = 0; j < o->w->size[3]; j++) {
                int h = row * o->c->stride[0] - o->c->pad[0] + i * o->c->dilation[0];
                int w = column * o->c->stride[1] - o->c->pad[1] + j * o->c->dilation[1];
                if (h < 0 || w < 0 || h >= o->x->size[2] || w >= o->x->size[3]) continue;
                multiply(o, at(o->x, n, group * channels + c, h, w), at(o->w, k, c, i, j), at(o->y, n, k, row, column));
            }
}

size_t fake_count(const fake_object *o) {
    return (size_t)o->size[0] * (size_t)o->size[1] * (size_t)o->size[2] * (size_t)o->size[3];
}

static int convolve(const char *function, int algorithm, operands *o, const fake_object *result, void *to) {
    int status = offered(algorithm);
    if (status == CUDNN_OK) status = fake_answer(function);
    if (status) return status;
    o->out = calloc(fake_count(result), sizeof *o->out);
    if (!o->out) return CUDNN8_ALLOC_FAILED;
    for (int n = 0; n < o->y->size[0]; n++)
        for (int k = 0; k < o->y->size[1]; k++)
            for (int h = 0; h < o->y->size[2]; h++)
                for (int w = 0; w < o->y->size[3]; w++) at_output(o, n, k, h, w);
    fake_finish(function, to, result->type, o->out, fake_count(result));
    free(o->out);
    return CUDNN_OK;
}

int fake_cudnnConvolutionForward(void *handle, const void *alpha, const void *x_descriptor, const void *x,
                                 const void *w_descriptor, const void *w, const void *convolution, int algorithm, void *workspace,
                                 size_t workspace_size, const void *beta, const void *y_descriptor, void *y) {
    (void)handle, (void)alpha, (void)beta;
    if (workspace_size < fake.workspace || (workspace_size && !workspace)) return CUDNN8_BAD_PARAM;
    operands o = {x_descriptor, w_descriptor, y_descriptor, convolution, x, w, NULL, NULL};
    return convolve("cudnnConvolutionForward", algorithm, &o, y_descriptor, y);
}

int fake_cudnnConvolutionBackwardData(void *handle, const void *alpha, const void *w_descriptor, const void *w,
                                      const void *dy_descriptor, const void *dy, const void *convolution, int algorithm,
                                      void *workspace, size_t workspace_size, const void *beta, const void *dx_descriptor,
                                      void *dx) {
    (void)handle, (void)alpha, (void)beta, (void)workspace, (void)workspace_size;
    operands o = {dx_descriptor, w_descriptor, dy_descriptor, convolution, NULL, w, dy, NULL};
    return convolve("cudnnConvolutionBackwardData", algorithm, &o, dx_descriptor, dx);
}

int fake_cudnnConvolutionBackwardFilter(void *handle, const void *alpha, const void *x_descriptor, const void *x,
                                        const void *dy_descriptor, const void *dy, const void *convolution, int algorithm,
                                        void *workspace, size_t workspace_size, const void *beta, const void *dw_descriptor,
                                        void *dw) {
    (void)handle, (void)alpha, (void)beta, (void)workspace, (void)workspace_size;
    operands o = {x_descriptor, dw_descriptor, dy_descriptor, convolution, x, NULL, dy, NULL};
    return convolve("cudnnConvolutionBackwardFilter", algorithm, &o, dw_descriptor, dw);
}
