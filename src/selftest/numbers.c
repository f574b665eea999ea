/* numbers.c: the numbers that go to the device and come back, and how far they may be off. */
#include "gpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t gpu_type_size(cs_gpu_type type) { return type == CS_GPU_FP16 ? sizeof(uint16_t) : sizeof(float); }

/* Not by isnan and its kind: some C libraries make macros of them that narrow their argument. */
static bool is_finite(double value) { return fabs(value) <= DBL_MAX; }

/* IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. */
uint16_t gpu_half_from_double(double value) {
    uint16_t sign = copysign(1, value) < 0 ? 0x8000 : 0;
    double size = fabs(value);
    if (!(size < 65520)) return (uint16_t)(sign | (size >= 65520 ? 0x7C00 : 0x7E00)); /* rounds above 65504; not a number */
    int exponent = -13;
    if (size >= 0x1p-14) frexp(size, &exponent);          /* smaller numbers are subnormal and share the least exponent */
    double steps = nearbyint(ldexp(size, 11 - exponent)); /* of the last place; ties to even */
    return (uint16_t)(sign | (uint16_t)(((exponent + 13) << 10) + (int)steps));
}

double gpu_half_to_double(uint16_t bits) {
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double size;
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        size = ldexp(fraction, -24);
    else
        size = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

void gpu_encode(void *to, cs_gpu_type type, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (type == CS_GPU_FP16)
            ((uint16_t *)to)[i] = gpu_half_from_double(values[i]);
        else
            ((float *)to)[i] = (float)values[i];
    }
}

/* splitmix64 (Steele, Lea, Flood 2014): the same data on every machine. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void gpu_fill(gpu *g, double *values, size_t count, cs_gpu_type type, double scale) {
    const unsigned bits = type == CS_GPU_FP16 ? 11 : 24; /* of the significand */
    const double half = ldexp(1, (int)bits - 1);
    if (!values) return;
    for (size_t i = 0; i < count; i++) values[i] = ((double)(next_random(&g->random) >> (64 - bits)) - half) / half * scale;
}

static double decode(const void *raw, cs_gpu_type type, size_t i, bool *poisoned) {
    if (type == CS_GPU_FP16) {
        uint16_t bits = ((const uint16_t *)raw)[i];
        *poisoned = bits == UINT16_MAX;
        return gpu_half_to_double(bits);
    }
    uint32_t bits;
    float value;
    memcpy(&bits, (const uint32_t *)raw + i, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    *poisoned = bits == UINT32_MAX;
    return value;
}

gpu_difference gpu_compare(const void *raw, cs_gpu_type type, const double *wanted, size_t count) {
    gpu_difference difference = {0};
    double deviation = 0, size = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        bool poisoned;
        double value = decode(raw, type, i, &poisoned);
        size += wanted[i] * wanted[i];
        if (poisoned) {
            difference.untouched++;
        } else if (!is_finite(value)) {
            difference.not_finite++;
        } else {
            double off = fabs(value - wanted[i]);
            deviation += off * off;
            if (off > largest) largest = off;
        }
    }
    /* A reference of zeros allows no deviation at all: then these are infinite unless there is none. */
    difference.norm = deviation > 0 ? sqrt(deviation / size) : 0;
    difference.worst = largest > 0 ? largest / sqrt(size / (double)count) : 0;
    return difference;
}

cs_gpu_outcome gpu_judge(const gpu_difference *difference, double limit) {
    if (difference->untouched) return CS_GPU_UNTOUCHED;
    if (difference->not_finite) return CS_GPU_NOT_A_NUMBER;
    if (!(difference->norm <= limit) || !(difference->worst <= limit * CS_GPU_WORST_FACTOR)) return CS_GPU_WRONG;
    return CS_GPU_RIGHT;
}

/* fp32: one rounding is 2^-24 = 6e-8. Sums of the few hundred to few thousand products here, in any order, come to 1e-7 to 1e-6
 * in relative norm; FFT and Winograd, which compute in transformed space, to a few 1e-6 (4.1e-6 was the most in 13 runs on an
 * H200, for the filter's gradient). 2e-5 leaves room for other GPUs and is a twentieth of one rounding to the 10-bit mantissa of
 * TF32 (2^-11), so that a library that silently computes in less than fp32 is found: with TF32 let in on purpose, the same GPU
 * came to 2.6e-4. cuDNN is asked for plain multiplication and addition (CUDNN_FMA_MATH), which keeps TF32 out. Where it refuses
 * that on a GPU that has TF32 (capability 8.0 and newer), the limit is 16 roundings of a 10-bit mantissa.
 * fp16: inputs are exact, sums are made in fp32, the result is rounded once, by at most 2^-11 = 4.9e-4 and 2.1e-4 on average.
 * Algorithms that transform in fp16, which older GPUs have, cost some roundings more: 1e-2 is 20 of them.
 * A single number may be off by CS_GPU_WORST_FACTOR times the limit, measured in the reference's root mean square: errors are
 * spread like noise, whose largest among a million is below 6 times its norm, so that one wrong number in a large result, which
 * hardly moves the norm, does not pass. */
double gpu_limit(cs_gpu_type type, bool reduced) {
    if (type == CS_GPU_FP16) return 1e-2;
    return reduced ? 16 * 0x1p-11 : 2e-5;
}

bool gpu_reduces(const gpu *g, bool fma_accepted) {
    return !fma_accepted && g->out->device >= 0 && g->out->devices[g->out->device].major >= 8;
}
