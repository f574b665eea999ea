/* reference.c: convolution as it is defined, in double precision. Plain loops; only the innermost is kept free of tests, because
 * the shapes are tried often. */
#include "gpu.h"

#include <string.h>

static int output_size(int input, int pad, int filter, int dilation, int stride) {
    int reach = dilation * (filter - 1) + 1;
    return input + 2 * pad < reach ? 0 : (input + 2 * pad - reach) / stride + 1;
}

bool gpu_shape_output(const cs_gpu_shape *s, int *height, int *width) {
    *height = *width = 0;
    if (s->n < 1 || s->c < 1 || s->h < 1 || s->w < 1 || s->k < 1 || s->r < 1 || s->s < 1 || s->groups < 1) return false;
    if (s->pad_h < 0 || s->pad_w < 0 || s->stride_h < 1 || s->stride_w < 1 || s->dilation_h < 1 || s->dilation_w < 1)
        return false;
    if (s->c % s->groups || s->k % s->groups) return false;
    *height = output_size(s->h, s->pad_h, s->r, s->dilation_h, s->stride_h);
    *width = output_size(s->w, s->pad_w, s->s, s->dilation_w, s->stride_w);
    return *height > 0 && *width > 0;
}

/* Which outputs of a line meet the input for one tap: first to end, exclusive. */
static void meeting(int input, int output, int offset, int stride, int *first, int *end) {
    *first = offset < 0 ? (-offset + stride - 1) / stride : 0;
    *end = offset >= input ? 0 : (input - 1 - offset) / stride + 1;
    if (*end > output) *end = output;
}

/* Where one tap of one filter touches one line of input and one line of output. */
typedef struct tap {
    size_t x, w, y; /* offsets of the first numbers */
    int stride, count;
} tap;

typedef void (*tap_function)(const tap *t, const double *a, const double *b, double *out);

/* Calls work for every tap that meets the input: the three directions differ in nothing else. */
static void each_tap(const cs_gpu_shape *s, tap_function work, const double *a, const double *b, double *out) {
    int p, q, channels = s->c / s->groups, filters = s->k / s->groups;
    if (!gpu_shape_output(s, &p, &q)) return;
    for (int n = 0; n < s->n; n++)
        for (int k = 0; k < s->k; k++)
            for (int c = 0; c < channels; c++)
                for (int r = 0; r < s->r; r++)
                    for (int column = 0; column < s->s; column++) {
                        int offset = column * s->dilation_w - s->pad_w, first, end;
                        int channel = k / filters * channels + c;
                        meeting(s->w, q, offset, s->stride_w, &first, &end);
                        for (int y = 0; y < p && first < end; y++) {
                            int line = y * s->stride_h + r * s->dilation_h - s->pad_h;
                            if (line < 0 || line >= s->h) continue;
                            size_t x_line = ((size_t)n * (size_t)s->c + (size_t)channel) * (size_t)s->h + (size_t)line;
                            const tap t = {
                                .x = x_line * (size_t)s->w + (size_t)(first * s->stride_w + offset),
                                .w = (((size_t)k * (size_t)channels + (size_t)c) * (size_t)s->r + (size_t)r) * (size_t)s->s +
                                     (size_t)column,
                                .y = (((size_t)n * (size_t)s->k + (size_t)k) * (size_t)p + (size_t)y) * (size_t)q + (size_t)first,
                                .stride = s->stride_w,
                                .count = end - first};
                            work(&t, a, b, out);
                        }
                    }
}

static void forward_tap(const tap *t, const double *x, const double *w, double *y) {
    const double *from = x + t->x;
    double *to = y + t->y, factor = w[t->w];
    for (int i = 0; i < t->count; i++) to[i] += from[(size_t)i * (size_t)t->stride] * factor;
}

static void data_tap(const tap *t, const double *w, const double *dy, double *dx) {
    const double *from = dy + t->y;
    double *to = dx + t->x, factor = w[t->w];
    for (int i = 0; i < t->count; i++) to[(size_t)i * (size_t)t->stride] += from[i] * factor;
}

static void filter_tap(const tap *t, const double *x, const double *dy, double *dw) {
    const double *from = x + t->x, *with = dy + t->y;
    double sum = 0;
    for (int i = 0; i < t->count; i++) sum += from[(size_t)i * (size_t)t->stride] * with[i];
    dw[t->w] += sum;
}

static void zero(double *numbers, size_t count) { memset(numbers, 0, count * sizeof *numbers); }

void gpu_reference_forward(const cs_gpu_shape *s, const double *x, const double *w, double *y) {
    int p, q;
    if (!gpu_shape_output(s, &p, &q)) return;
    zero(y, (size_t)s->n * (size_t)s->k * (size_t)p * (size_t)q);
    each_tap(s, forward_tap, x, w, y);
}

void gpu_reference_backward_data(const cs_gpu_shape *s, const double *w, const double *dy, double *dx) {
    zero(dx, (size_t)s->n * (size_t)s->c * (size_t)s->h * (size_t)s->w);
    each_tap(s, data_tap, w, dy, dx);
}

void gpu_reference_backward_filter(const cs_gpu_shape *s, const double *x, const double *dy, double *dw) {
    zero(dw, (size_t)s->k * (size_t)(s->c / s->groups) * (size_t)s->r * (size_t)s->s);
    each_tap(s, filter_tap, x, dy, dw);
}
