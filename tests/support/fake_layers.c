/* fake_layers.c: pooling, activation, softmax, batch normalisation and the recurrent layer of the fake cuDNN, fp32 only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cudnn.h"

enum { MOST = 1 << 14 };
static float scratch[MOST];

int fake_cudnnPoolingForward(void *handle, const void *pooling, const void *alpha, const void *x_descriptor, const void *x,
                             const void *beta, const void *y_descriptor, void *y) {
    const fake_object *p = pooling, *xd = x_descriptor, *yd = y_descriptor;
    (void)handle, (void)alpha, (void)beta;
    int status = fake_answer("cudnnPoolingForward"), plane = yd->size[2] * yd->size[3];
    for (int i = 0; i < (int)fake_count(yd) && !status; i++) {
        const float *from = (const float *)x + i / plane * xd->size[2] * xd->size[3];
        float sum = 0, most = -HUGE_VALF;
        for (int t = 0; t < p->size[0] * p->size[1]; t++) {
            int h = i % plane / yd->size[3] * p->stride[0] - p->pad[0] + t / p->size[1];
            int w = i % yd->size[3] * p->stride[1] - p->pad[1] + t % p->size[1];
            if (h < 0 || w < 0 || h >= xd->size[2] || w >= xd->size[3]) continue;
            sum += from[h * xd->size[3] + w];
            most = fmaxf(most, from[h * xd->size[3] + w]);
        }
        scratch[i] = p->mode == CUDNN_MAX_POOLING ? most : sum / (float)(p->size[0] * p->size[1]);
    }
    if (!status) fake_finish("cudnnPoolingForward", y, CUDNN_FLOAT, scratch, fake_count(yd));
    return status;
}

int fake_cudnnActivationForward(void *handle, void *activation, const void *alpha, const void *x_descriptor, const void *x,
                                const void *beta, const void *y_descriptor, void *y) {
    (void)handle, (void)activation, (void)alpha, (void)x_descriptor, (void)beta;
    int status = fake_answer("cudnnActivationForward");
    size_t count = fake_count(y_descriptor);
    for (size_t i = 0; i < count; i++) scratch[i] = tanhf(((const float *)x)[i]);
    if (!status) fake_finish("cudnnActivationForward", y, CUDNN_FLOAT, scratch, count);
    return status;
}

int fake_cudnnActivationBackward(void *handle, void *activation, const void *alpha, const void *y_descriptor, const void *y,
                                 const void *dy_descriptor, const void *dy, const void *x_descriptor, const void *x,
                                 const void *beta, const void *dx_descriptor, void *dx) {
    (void)handle, (void)activation, (void)alpha, (void)y_descriptor, (void)dy_descriptor, (void)x_descriptor, (void)x, (void)beta;
    int status = fake_answer("cudnnActivationBackward");
    size_t count = fake_count(dx_descriptor);
    for (size_t i = 0; i < count; i++) {
        float h = ((const float *)y)[i];
        scratch[i] = ((const float *)dy)[i] * (1 - h * h);
    }
    if (!status) fake_finish("cudnnActivationBackward", dx, CUDNN_FLOAT, scratch, count);
    return status;
}

int fake_cudnnSoftmaxForward(void *handle, int algorithm, int mode, const void *alpha, const void *x_descriptor, const void *x,
                             const void *beta, const void *y_descriptor, void *y) {
    const fake_object *d = x_descriptor;
    (void)handle, (void)alpha, (void)beta;
    if (algorithm != CUDNN_SOFTMAX_ACCURATELY || mode != CUDNN_SOFTMAX_BY_CHANNEL) return CUDNN8_NOT_SUPPORTED;
    int status = fake_answer("cudnnSoftmaxForward"), plane = d->size[2] * d->size[3];
    for (int i = 0; i < d->size[0] * plane; i++) {
        int first = i / plane * d->size[1] * plane + i % plane;
        float sum = 0;
        for (int c = 0; c < d->size[1]; c++) sum += expf(((const float *)x)[first + c * plane]);
        for (int c = 0; c < d->size[1]; c++) scratch[first + c * plane] = expf(((const float *)x)[first + c * plane]) / sum;
    }
    if (!status) fake_finish("cudnnSoftmaxForward", y, CUDNN_FLOAT, scratch, fake_count(y_descriptor));
    return status;
}

/* ---- batch normalisation ---- */

static void normalise(const fake_object *d, const float *x, int c, float scale, float bias, float mean, float variance,
                      double epsilon) {
    int plane = d->size[2] * d->size[3];
    for (int i = 0; i < d->size[0] * plane; i++) {
        int at = (i / plane * d->size[1] + c) * plane + i % plane;
        scratch[at] = scale * (x[at] - mean) / sqrtf(variance + (float)epsilon) + bias;
    }
}

int fake_cudnnBatchNormalizationForwardInference(void *handle, int mode, const void *alpha, const void *beta,
                                                 const void *x_descriptor, const void *x, const void *y_descriptor, void *y,
                                                 const void *parameters, const void *scale, const void *bias, const void *mean,
                                                 const void *variance, double epsilon) {
    const fake_object *d = x_descriptor;
    (void)handle, (void)mode, (void)alpha, (void)beta, (void)parameters;
    int status = fake_answer("cudnnBatchNormalizationForwardInference");
    for (int c = 0; c < d->size[1]; c++)
        normalise(d, x, c, ((const float *)scale)[c], ((const float *)bias)[c], ((const float *)mean)[c],
                  ((const float *)variance)[c], epsilon);
    if (!status) fake_finish("cudnnBatchNormalizationForwardInference", y, CUDNN_FLOAT, scratch, fake_count(y_descriptor));
    return status;
}

static void statistics(const fake_object *d, const float *x, int c, float *mean, float *variance) {
    int plane = d->size[2] * d->size[3], count = d->size[0] * plane;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        double value = x[(i / plane * d->size[1] + c) * plane + i % plane];
        sum += value;
        squares += value * value;
    }
    *mean = (float)(sum / count);
    *variance = (float)(squares / count - sum / count * (sum / count));
}

int fake_cudnnBatchNormalizationForwardTraining(void *handle, int mode, const void *alpha, const void *beta,
                                                const void *x_descriptor, const void *x, const void *y_descriptor, void *y,
                                                const void *parameters, const void *scale, const void *bias, double factor,
                                                void *running_mean, void *running_variance, double epsilon, void *saved_mean,
                                                void *saved_inverse_deviation) {
    const fake_object *d = x_descriptor;
    float *running[] = {running_mean, running_variance}, *saved[] = {saved_mean, saved_inverse_deviation}, f = (float)factor;
    (void)handle, (void)mode, (void)alpha, (void)beta, (void)parameters;
    int status = fake_answer("cudnnBatchNormalizationForwardTraining"), count = d->size[0] * d->size[2] * d->size[3];
    for (int c = 0; c < d->size[1] && !status; c++) {
        float mean, variance;
        statistics(d, x, c, &mean, &variance);
        normalise(d, x, c, ((const float *)scale)[c], ((const float *)bias)[c], mean, variance, epsilon);
        running[0][c] = f * mean + (1 - f) * running[0][c];
        running[1][c] = f * variance * (float)count / (float)(count - 1) + (1 - f) * running[1][c];
        saved[0][c] = mean;
        saved[1][c] = 1 / sqrtf(variance + (float)epsilon);
    }
    if (!status) fake_finish("cudnnBatchNormalizationForwardTraining", y, CUDNN_FLOAT, scratch, fake_count(y_descriptor));
    return status;
}
