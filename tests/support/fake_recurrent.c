/* fake_recurrent.c: one tanh layer of the fake cuDNN. The object keeps: size = {input, hidden}; data: {time, batch, vector}.
 * Weight space: four numbers of nothing, R, W, b (an order of its own, so that nobody relies on one). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cudnn.h"

#define OBJECT(kind)                                                                                                             \
    int fake_cudnnCreate##kind(void **object) {                                                                                  \
        int status = fake_answer("cudnnCreate" #kind);                                                                           \
        return status ? status : fake_create(object);                                                                            \
    }                                                                                                                            \
    int fake_cudnnDestroy##kind(void *object) { return fake_destroy(object); }

OBJECT(DropoutDescriptor)
OBJECT(RNNDescriptor)
OBJECT(RNNDataDescriptor)

int fake_cudnnSetDropoutDescriptor(void *descriptor, void *handle, float dropout, void *states, size_t size,
                                   unsigned long long seed) {
    (void)descriptor, (void)handle, (void)states, (void)size, (void)seed;
    return dropout > 0 ? CUDNN8_NOT_SUPPORTED : fake_answer("cudnnSetDropoutDescriptor");
}

int fake_cudnnSetRNNDescriptor_v8(void *descriptor, int algorithm, int cell, int bias, int direction, int input, int type,
                                  int precision, int math, int32_t input_size, int32_t hidden_size, int32_t projection,
                                  int32_t layers, void *dropout, uint32_t flags) {
    if (math == CUDNN_MATH_FMA && fake.refuses_fma) return CUDNN8_NOT_SUPPORTED;
    if (algorithm != CUDNN_RNN_STANDARD || cell != CUDNN_RNN_CELL_TANH || bias != CUDNN_RNN_BIAS_INPUT ||
        direction != CUDNN_RNN_ONE_WAY || input != CUDNN_RNN_LINEAR_INPUT || type != CUDNN_FLOAT || precision != CUDNN_FLOAT ||
        layers != 1 || projection != hidden_size || !dropout || flags != CUDNN_RNN_PADDED_IO)
        return CUDNN8_BAD_PARAM;
    *(fake_object *)descriptor = (fake_object){.size = {input_size, hidden_size}};
    return fake_answer("cudnnSetRNNDescriptor_v8");
}

int fake_cudnnSetRNNDataDescriptor(void *descriptor, int type, int layout, int longest, int batch, int vector, const int *lengths,
                                   void *padding) {
    for (int i = 0; i < batch; i++)
        if (lengths[i] != longest) return CUDNN8_NOT_SUPPORTED;
    if (type != CUDNN_FLOAT || layout != CUDNN_RNN_SEQUENCE_UNPACKED || !padding) return CUDNN8_BAD_PARAM;
    *(fake_object *)descriptor = (fake_object){.size = {longest, batch, vector, 1}};
    return fake_answer("cudnnSetRNNDataDescriptor");
}

enum { GAP = 4 };

static int r_count(const fake_object *rnn) { return rnn->size[1] * rnn->size[1]; }
static int w_count(const fake_object *rnn) { return rnn->size[0] * rnn->size[1]; }

int fake_cudnnGetRNNWeightSpaceSize(void *handle, void *rnn, size_t *size) {
    const fake_object *o = rnn;
    (void)handle;
    *size = (size_t)(GAP + r_count(o) + w_count(o) + o->size[1]) * sizeof(float);
    return fake_answer("cudnnGetRNNWeightSpaceSize");
}

int fake_cudnnGetRNNWeightParams(void *handle, void *rnn, int32_t layer, size_t size, const void *weights, int32_t which,
                                 void *matrix_descriptor, void **matrix, void *bias_descriptor, void **bias) {
    const fake_object *o = rnn;
    float *start = (float *)(uintptr_t)weights;
    (void)handle, (void)size, (void)matrix_descriptor, (void)bias_descriptor;
    *matrix = which == 0 ? start + GAP + r_count(o) : start + GAP;
    *bias = which == 0 ? start + GAP + r_count(o) + w_count(o) : NULL;
    return layer ? CUDNN8_BAD_PARAM : fake_answer("cudnnGetRNNWeightParams");
}

int fake_cudnnGetRNNTempSpaceSizes(void *handle, void *rnn, int mode, void *x, size_t *workspace, size_t *reserve) {
    (void)handle, (void)rnn, (void)x;
    *workspace = 64;
    *reserve = 128;
    return mode == CUDNN_FORWARD_TRAINING ? fake_answer("cudnnGetRNNTempSpaceSizes") : CUDNN8_NOT_SUPPORTED;
}

/* One number of the next state. */
static float next_state(const fake_object *rnn, const float *weights, const float *x, const float *before, int i) {
    const float *r = weights + GAP, *w = r + r_count(rnn), *b = w + w_count(rnn);
    float sum = b[i];
    for (int j = 0; j < rnn->size[0]; j++) sum += w[i * rnn->size[0] + j] * x[j];
    for (int j = 0; j < rnn->size[1]; j++) sum += r[i * rnn->size[1] + j] * before[j];
    return tanhf(sum);
}

int fake_cudnnRNNForward(void *handle, void *rnn, int mode, const int32_t *lengths, void *x_descriptor, const void *x,
                         void *y_descriptor, void *y, void *h_descriptor, const void *hx, void *hy, void *c_descriptor,
                         const void *cx, void *cy, size_t weight_size, const void *weights, size_t workspace_size,
                         void *workspace, size_t reserve_size, void *reserve) {
    const fake_object *o = rnn, *xd = x_descriptor;
    (void)handle, (void)mode, (void)y_descriptor, (void)h_descriptor, (void)c_descriptor, (void)cx, (void)cy, (void)weight_size;
    int hidden = o->size[1], state = xd->size[1] * hidden, status = fake_answer("cudnnRNNForward");
    size_t count = (size_t)xd->size[0] * (size_t)state;
    if (lengths[0] != xd->size[0] || workspace_size != 64 || reserve_size != 128) return CUDNN8_BAD_PARAM;
    memset(workspace, 1, workspace_size);
    memset(reserve, 1, reserve_size);
    float *out = calloc(count, sizeof *out);
    if (!out) return CUDNN8_ALLOC_FAILED;
    const float *before = hx;
    for (int t = 0; t < xd->size[0]; t++) {
        for (int i = 0; i < state; i++)
            out[t * state + i] = next_state(o, weights, (const float *)x + (t * xd->size[1] + i / hidden) * o->size[0],
                                            before + i / hidden * hidden, i % hidden);
        before = out + t * state;
    }
    if (!status) fake_finish("cudnnRNNForward", y, CUDNN_FLOAT, out, count);
    if (!status) memcpy(hy, before, (size_t)state * sizeof *before);
    free(out);
    return status;
}

/* The way back through time, for the input (dx, dhx) or for the weights (gradient); the others are NULL. */
typedef struct backward {
    const fake_object *rnn, *x_data;
    const float *x, *hx, *y, *dy, *weights;
    float *dx, *dhx, *gradient;
} backward;

static void one_delta(const backward *b, int t, int n, int i, float delta, float *carried) {
    int input = b->rnn->size[0], hidden = b->rnn->size[1], state = b->x_data->size[1] * hidden;
    const float *r = b->weights + GAP, *w = r + r_count(b->rnn), *before = t ? b->y + (t - 1) * state : b->hx;
    for (int j = 0; j < input; j++) {
        int at = (t * b->x_data->size[1] + n) * input + j;
        b->dx[at] += delta * w[i * input + j];
        b->gradient[GAP + r_count(b->rnn) + i * input + j] += delta * b->x[at];
    }
    for (int j = 0; j < hidden; j++) {
        carried[n * hidden + j] += delta * r[i * hidden + j];
        b->gradient[GAP + i * hidden + j] += delta * before[n * hidden + j];
    }
    b->gradient[GAP + r_count(b->rnn) + w_count(b->rnn) + i] += delta;
}

static void go_back(const backward *b) {
    enum { STATE_MOST = 64 };
    float carried[2][STATE_MOST] = {{0}};
    int hidden = b->rnn->size[1], state = b->x_data->size[1] * hidden;
    for (int t = b->x_data->size[0] - 1; t >= 0; t--) {
        memset(carried[1], 0, sizeof carried[1]);
        for (int i = 0; i < state; i++) {
            float h = b->y[t * state + i];
            one_delta(b, t, i / hidden, i % hidden, (b->dy[t * state + i] + carried[0][i]) * (1 - h * h), carried[1]);
        }
        memcpy(carried[0], carried[1], sizeof carried[0]);
    }
    memcpy(b->dhx, carried[0], (size_t)state * sizeof(float));
}

/* The reserve of a real library keeps what the forward and the data pass leave for the weights: here, the arguments. */
static const float *kept_dy, *kept_weights;

enum { SCRATCH = 1024 };
static float dx_scratch[SCRATCH], gradient_scratch[SCRATCH], x_scratch[SCRATCH];

int fake_cudnnRNNBackwardData_v8(void *handle, void *rnn, const int32_t *lengths, void *y_descriptor, const void *y,
                                 const void *dy, void *x_descriptor, void *dx, void *h_descriptor, const void *hx,
                                 const void *dhy, void *dhx, void *c_descriptor, const void *cx, const void *dcy, void *dcx,
                                 size_t weight_size, const void *weights, size_t workspace_size, void *workspace,
                                 size_t reserve_size, void *reserve) {
    (void)handle, (void)lengths, (void)y_descriptor, (void)h_descriptor, (void)dhy, (void)c_descriptor, (void)cx, (void)dcy;
    (void)dcx, (void)weight_size, (void)workspace, (void)workspace_size, (void)reserve_size, (void)reserve;
    int status = fake_answer("cudnnRNNBackwardData_v8");
    if (status) return status;
    memset(dx_scratch, 0, sizeof dx_scratch);
    const backward b = {rnn, x_descriptor, x_scratch, hx, y, dy, weights, dx_scratch, dhx, gradient_scratch};
    go_back(&b);
    kept_dy = dy;
    kept_weights = weights;
    fake_finish("cudnnRNNBackwardData_v8", dx, CUDNN_FLOAT, dx_scratch, fake_count(x_descriptor));
    return CUDNN_OK;
}

int fake_cudnnRNNBackwardWeights_v8(void *handle, void *rnn, int mode, const int32_t *lengths, void *x_descriptor, const void *x,
                                    void *h_descriptor, const void *hx, void *y_descriptor, const void *y, size_t weight_size,
                                    void *gradient, size_t workspace_size, void *workspace, size_t reserve_size, void *reserve) {
    float dhx[64];
    (void)handle, (void)lengths, (void)h_descriptor, (void)y_descriptor, (void)workspace, (void)workspace_size;
    (void)reserve_size, (void)reserve;
    int status = mode == CUDNN_GRADIENT_ADD ? fake_answer("cudnnRNNBackwardWeights_v8") : CUDNN8_NOT_SUPPORTED;
    if (status) return status;
    size_t count = weight_size / sizeof(float);
    memcpy(gradient_scratch, gradient, weight_size);
    const backward b = {rnn, x_descriptor, x, hx, y, kept_dy, kept_weights, dx_scratch, dhx, gradient_scratch};
    go_back(&b);
    fake_finish("cudnnRNNBackwardWeights_v8", gradient, CUDNN_FLOAT, gradient_scratch, count);
    return CUDNN_OK;
}
