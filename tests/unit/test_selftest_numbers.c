/* The yardstick itself: half precision, the comparison, and the reference against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../../src/selftest/gpu.h"

static void assert_near(double value, double wanted, double by) {
    if (!(fabs(value - wanted) <= by)) fail_msg("%.17g is not %.17g", value, wanted);
}

static void test_half_known_values(void **state) {
    (void)state;
    /* IEEE 754 binary16 */
    static const struct {
        double value;
        uint16_t bits;
    } rows[] = {{0, 0x0000},        {-0.0, 0x8000},        {1, 0x3C00},
                {-2, 0xC000},       {65504, 0x7BFF},       {0x1p-14, 0x0400},
                {0x1p-24, 0x0001},  {0x1.ff8p-15, 0x03FF}, {0.333251953125, 0x3555},
                {INFINITY, 0x7C00}, {1 + 0x1p-10, 0x3C01}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(gpu_half_from_double(rows[i].value), rows[i].bits);
        double back = gpu_half_to_double(rows[i].bits);
        assert_memory_equal(&back, &rows[i].value, sizeof back);
    }
}

static void test_half_rounds_to_even(void **state) {
    (void)state;
    assert_int_equal(gpu_half_from_double(1 + 0x1p-11), 0x3C00); /* half way: to the even one below */
    assert_int_equal(gpu_half_from_double(1 + 3 * 0x1p-11), 0x3C02);
    assert_int_equal(gpu_half_from_double(1 + 0x1.01p-11), 0x3C01);
    assert_int_equal(gpu_half_from_double(0x1.ffep+0), 0x4000); /* into the next power of two */
    assert_int_equal(gpu_half_from_double(65519), 0x7BFF);
    assert_int_equal(gpu_half_from_double(65520), 0x7C00);
    assert_int_equal(gpu_half_from_double(0x1p-26), 0);
    assert_int_equal(gpu_half_from_double(NAN) & 0x7FFF, 0x7E00);
}

static void test_half_round_trip(void **state) {
    (void)state;
    for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
        double value = gpu_half_to_double((uint16_t)bits);
        if ((bits & 0x7C00) == 0x7C00 && (bits & 0x3FF)) continue; /* not a number */
        assert_int_equal(gpu_half_from_double(value), bits);
    }
}

static void test_fill_is_exact_and_spread(void **state) {
    (void)state;
    static gpu g;
    static double values[4096];
    for (int type = CS_GPU_FP32; type <= CS_GPU_FP16; type++) {
        double sum = 0, squares = 0;
        g.random = 1;
        gpu_fill(&g, values, 4096, (cs_gpu_type)type, 1);
        for (size_t i = 0; i < 4096; i++) {
            assert_true(values[i] >= -1 && values[i] < 1);
            double back = type == CS_GPU_FP16 ? gpu_half_to_double(gpu_half_from_double(values[i])) : (double)(float)values[i];
            assert_memory_equal(&back, &values[i], sizeof back);
            sum += values[i] / 4096;
            squares += values[i] * values[i] / 4096;
        }
        assert_near(sum, 0, 0.05);
        assert_near(squares, 1.0 / 3, 0.03);
    }
}

static void test_compare_measures(void **state) {
    (void)state;
    const double wanted[] = {3, 4, 0, 0};
    const float right[] = {3, 4, 0, 0}, off[] = {3, 4.5F, 0, 0};
    gpu_difference d = gpu_compare(right, CS_GPU_FP32, wanted, 4);
    assert_near(d.norm, 0, 0);
    assert_int_equal(gpu_judge(&d, 1e-9), CS_GPU_RIGHT);
    d = gpu_compare(off, CS_GPU_FP32, wanted, 4);
    assert_near(d.norm, 0.1, 1e-12);
    assert_near(d.worst, 0.5 / 2.5, 1e-12); /* the root mean square of 3, 4, 0, 0 is 2.5 */
    assert_int_equal(gpu_judge(&d, 0.11), CS_GPU_RIGHT);
    assert_int_equal(gpu_judge(&d, 0.09), CS_GPU_WRONG);
}

/* One wrong number among very many moves the norm little: the largest deviation finds it. */
static void test_compare_finds_one_among_many(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    static double wanted[COUNT];
    static float found[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        wanted[i] = i % 2 ? 1 : -1;
        found[i] = (float)wanted[i];
    }
    const double limit = gpu_limit(CS_GPU_FP32, false);
    found[77] += 0.004F;
    gpu_difference d = gpu_compare(found, CS_GPU_FP32, wanted, COUNT);
    assert_true(d.norm < limit);
    assert_int_equal(gpu_judge(&d, limit), CS_GPU_WRONG);
    found[77] -= 0.004F;
    d = gpu_compare(found, CS_GPU_FP32, wanted, COUNT);
    assert_int_equal(gpu_judge(&d, limit), CS_GPU_RIGHT);
}

static void test_compare_knows_poison_and_nan(void **state) {
    (void)state;
    const double wanted[] = {1, 1, 1};
    uint32_t bits[] = {0x3F800000, 0xFFFFFFFF, 0x7FC00000}; /* 1, poison, a NaN */
    gpu_difference d = gpu_compare(bits, CS_GPU_FP32, wanted, 3);
    assert_int_equal(d.untouched, 1);
    assert_int_equal(d.not_finite, 1);
    assert_int_equal(gpu_judge(&d, 1e9), CS_GPU_UNTOUCHED);
    bits[1] = 0x3F800000;
    d = gpu_compare(bits, CS_GPU_FP32, wanted, 3);
    assert_int_equal(gpu_judge(&d, 1e9), CS_GPU_NOT_A_NUMBER);
    const uint16_t halves[] = {0x3C00, 0xFFFF, 0x7C00};
    d = gpu_compare(halves, CS_GPU_FP16, wanted, 3);
    assert_int_equal(d.untouched, 1);
    assert_int_equal(d.not_finite, 1);
    gpu_difference none = {.norm = NAN}, worst = {.worst = NAN};
    assert_int_equal(gpu_judge(&none, 1e9), CS_GPU_WRONG);
    assert_int_equal(gpu_judge(&worst, 1e9), CS_GPU_WRONG);
}

static void test_compare_with_zeros_allows_nothing(void **state) {
    (void)state;
    const double wanted[] = {0, 0};
    float found[] = {0, 0};
    gpu_difference d = gpu_compare(found, CS_GPU_FP32, wanted, 2);
    assert_int_equal(gpu_judge(&d, 1e-9), CS_GPU_RIGHT);
    found[0] = 1e-30F;
    d = gpu_compare(found, CS_GPU_FP32, wanted, 2);
    assert_int_equal(gpu_judge(&d, 1e9), CS_GPU_WRONG);
}

/* 1 2 3 / 4 5 6 / 7 8 9 with the filter 1 0 / 0 -1, no padding: each number less the one right below it. */
static void test_reference_by_hand(void **state) {
    (void)state;
    const cs_gpu_shape shape = {"", 1, 1, 3, 3, 1, 2, 2, 0, 0, 1, 1, 1, 1, 1, false};
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, w[] = {1, 0, 0, -1}, dy[] = {1, 10, 100, 1000};
    double y[4], dx[9], dw[4];
    gpu_reference_forward(&shape, x, w, y);
    for (int i = 0; i < 4; i++) assert_near(y[i], -4, 0);
    gpu_reference_backward_data(&shape, w, dy, dx);
    const double dx_wanted[] = {1, 10, 0, 100, 999, -10, 0, -100, -1000};
    for (int i = 0; i < 9; i++) assert_near(dx[i], dx_wanted[i], 0);
    gpu_reference_backward_filter(&shape, x, dy, dw);
    const double dw_wanted[] = {5421, 6532, 8754, 9865};
    for (int i = 0; i < 4; i++) assert_near(dw[i], dw_wanted[i], 0);
}

/* Padding 1, stride 2, dilation 2 on one line: 1 2 3 4 5 with the filter 10 1 reads x[2i-1] and x[2i+1]. */
static void test_reference_pads_strides_and_dilates(void **state) {
    (void)state;
    const cs_gpu_shape shape = {"", 1, 1, 1, 5, 1, 1, 2, 0, 1, 1, 2, 1, 2, 1, false};
    const double x[] = {1, 2, 3, 4, 5}, w[] = {10, 1};
    double y[3];
    int height, width;
    assert_true(gpu_shape_output(&shape, &height, &width));
    assert_int_equal(height, 1);
    assert_int_equal(width, 3);
    gpu_reference_forward(&shape, x, w, y);
    assert_near(y[0], 2, 0);
    assert_near(y[1], 24, 0);
    assert_near(y[2], 40, 0);
}

/* Two groups: the second filter sees the second channel alone. */
static void test_reference_groups(void **state) {
    (void)state;
    const cs_gpu_shape shape = {"", 2, 2, 1, 1, 2, 1, 1, 0, 0, 1, 1, 1, 1, 2, false};
    const double x[] = {1, 2, 3, 4}, w[] = {10, 100};
    double y[4], dw[2];
    gpu_reference_forward(&shape, x, w, y);
    const double wanted[] = {10, 200, 30, 400}, dy[] = {1, 1, 1, 1};
    for (int i = 0; i < 4; i++) assert_near(y[i], wanted[i], 0);
    gpu_reference_backward_filter(&shape, x, dy, dw);
    assert_near(dw[0], 4, 0);
    assert_near(dw[1], 6, 0);
}

static void test_shape_nonsense_is_refused(void **state) {
    (void)state;
    const cs_gpu_shape good = {"", 1, 4, 3, 3, 4, 3, 3, 0, 0, 1, 1, 1, 1, 2, false};
    cs_gpu_shape bad[8];
    int height, width;
    assert_true(gpu_shape_output(&good, &height, &width));
    for (size_t i = 0; i < 8; i++) bad[i] = good;
    bad[0].groups = 3;
    bad[1].n = 0;
    bad[2].stride_w = 0;
    bad[3].r = 4; /* larger than the input */
    bad[4].pad_h = -1;
    bad[5].dilation_w = 2;
    bad[6].groups = 0;
    bad[7].k = 5;
    for (size_t i = 0; i < 8; i++) assert_false(gpu_shape_output(&bad[i], &height, &width));
}

static void test_limits_are_ordered(void **state) {
    (void)state;
    assert_true(gpu_limit(CS_GPU_FP32, false) < 0x1p-11 / 20); /* TF32 would be found */
    assert_true(gpu_limit(CS_GPU_FP32, true) < gpu_limit(CS_GPU_FP16, true));
    assert_true(gpu_limit(CS_GPU_FP16, false) <= 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_half_known_values),
                                       cmocka_unit_test(test_half_rounds_to_even),
                                       cmocka_unit_test(test_half_round_trip),
                                       cmocka_unit_test(test_fill_is_exact_and_spread),
                                       cmocka_unit_test(test_compare_measures),
                                       cmocka_unit_test(test_compare_finds_one_among_many),
                                       cmocka_unit_test(test_compare_knows_poison_and_nan),
                                       cmocka_unit_test(test_compare_with_zeros_allows_nothing),
                                       cmocka_unit_test(test_reference_by_hand),
                                       cmocka_unit_test(test_reference_pads_strides_and_dilates),
                                       cmocka_unit_test(test_reference_groups),
                                       cmocka_unit_test(test_shape_nonsense_is_refused),
                                       cmocka_unit_test(test_limits_are_ordered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
