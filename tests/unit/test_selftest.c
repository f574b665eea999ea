/* What the self-test says of results: right ones pass, and no kind of wrong one does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "fake_cuda.h"

static const cs_gpu_shape small_shapes[] = {
    {"plain", 2, 4, 7, 6, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, true},
    {"strange", 1, 4, 9, 8, 6, 2, 3, 0, 2, 2, 1, 1, 2, 2, false},
};

static cs_selftest_options options;
static cs_gpu_report selftest;

static int set_up(void **state) {
    (void)state;
    fake_cuda_begin();
    options = (cs_selftest_options){.loader = fake_cuda_loader(),
                                    .later_calls = 2,
                                    .shapes = small_shapes,
                                    .shape_count = sizeof small_shapes / sizeof small_shapes[0]};
    selftest = (cs_gpu_report){0};
    return 0;
}

/* Everything that was taken was given back, whatever came out. */
static int tear_down(void **state) {
    (void)state;
    cs_selftest_free(&selftest);
    assert_int_equal(fake.live_memory, 0);
    assert_int_equal(fake.live_objects, 0);
    assert_int_equal(fake.open_libraries, 0);
    return 0;
}

static const cs_gpu_run *find_run(const char *operation, const char *algorithm) {
    for (size_t i = 0; i < selftest.run_count; i++)
        if (!strcmp(selftest.runs[i].operation, operation) && !strcmp(selftest.runs[i].algorithm, algorithm))
            return &selftest.runs[i];
    fail_msg("no run of %s %s", operation, algorithm);
    return NULL;
}

static size_t count_outcome(cs_gpu_outcome outcome) {
    size_t count = 0;
    for (size_t i = 0; i < selftest.run_count; i++) count += selftest.runs[i].outcome == outcome;
    return count;
}

static void expect_verdict(cs_gpu_verdict verdict) {
    bool passed = cs_selftest_run(&options, &selftest);
    assert_string_equal(cs_gpu_verdict_name(selftest.verdict), cs_gpu_verdict_name(verdict));
    assert_int_equal(passed, verdict == CS_GPU_PASSED || verdict == CS_GPU_SAMPLE);
    assert_true(selftest.sentence.size > 0);
}

static void test_selftest_right_results_pass(void **state) {
    (void)state;
    expect_verdict(CS_GPU_PASSED);
    assert_int_equal(selftest.cudnn_version, 8003);
    assert_int_equal(selftest.cudnn_built_for, 10010);
    assert_int_equal(selftest.runtime_version, 10010);
    assert_int_equal(selftest.driver_cuda, 11000);
    assert_string_equal(selftest.cudnn_path.data, "fake/cudnn64_8.dll");
    assert_string_equal(selftest.devices[0].name, "Fake GPU 0");
    assert_int_equal(selftest.devices[0].major, 7);
    assert_int_equal(selftest.devices[0].memory_total, UINT64_C(8) << 30);
    /* Forward: 4 of 8 algorithms, 2 shapes, 2 types. Back, in fp32, on the first shape: 0 and 1 of 6; 0, 1 and 6 of 7. */
    assert_int_equal(count_outcome(CS_GPU_RIGHT), 16 + 2 + 3 + 10);
    assert_int_equal(count_outcome(CS_GPU_UNSUPPORTED), 16 + 4 + 4);
    assert_non_null(strstr(selftest.sentence.data, "all 31 computations"));
    const cs_gpu_run *run = find_run("convolution-forward", "IMPLICIT_GEMM");
    assert_true(run->error > 0 && run->error < 1e-6);
    assert_int_equal(run->later, 2);
    assert_true(run->first_ns > 0 && run->later_ns > 0);
}

static void test_selftest_uses_every_part(void **state) {
    (void)state;
    static const char *const parts[] = {"ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"};
    expect_verdict(CS_GPU_PASSED);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        size_t right = 0;
        for (size_t i = 0; i < selftest.run_count; i++)
            right += selftest.runs[i].outcome == CS_GPU_RIGHT && !strcmp(selftest.runs[i].part, parts[p]);
        assert_true(right > 0);
    }
}

/* Every kind of wrong result in every call that has one. */
static void test_selftest_wrong_results_fail(void **state) {
    (void)state;
    static const char *const functions[] = {"cudnnConvolutionForward",
                                            "cudnnConvolutionBackwardData",
                                            "cudnnConvolutionBackwardFilter",
                                            "cudnnPoolingForward",
                                            "cudnnActivationForward",
                                            "cudnnActivationBackward",
                                            "cudnnSoftmaxForward",
                                            "cudnnBatchNormalizationForwardInference",
                                            "cudnnBatchNormalizationForwardTraining",
                                            "cudnnRNNForward",
                                            "cudnnRNNBackwardData_v8"};
    static const struct {
        fake_wrong wrong;
        cs_gpu_outcome outcome;
    } kinds[] = {{FAKE_ONE_NUMBER, CS_GPU_WRONG},      {FAKE_SMALL, CS_GPU_WRONG},       {FAKE_NAN, CS_GPU_NOT_A_NUMBER},
                 {FAKE_INFINITE, CS_GPU_NOT_A_NUMBER}, {FAKE_NOTHING, CS_GPU_UNTOUCHED}, {FAKE_TRUNCATED, CS_GPU_UNTOUCHED},
                 {FAKE_TOO_MUCH, CS_GPU_OVERRUN}};
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            fake.wrong = kinds[k].wrong;
            fake.wrong_in = functions[f];
            expect_verdict(CS_GPU_WRONG_RESULT);
            assert_true(count_outcome(kinds[k].outcome) > 0);
            cs_selftest_free(&selftest);
        }
}

/* The gradient of the weights is added to what was there, so that nothing can be left out of it unseen. */
static void test_selftest_wrong_gradient_fails(void **state) {
    (void)state;
    static const fake_wrong kinds[] = {FAKE_ONE_NUMBER, FAKE_SMALL, FAKE_NAN, FAKE_NOTHING, FAKE_TOO_MUCH};
    fake.wrong_in = "cudnnRNNBackwardWeights_v8";
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        fake.wrong = kinds[k];
        expect_verdict(CS_GPU_WRONG_RESULT);
        assert_true(find_run("recurrent-backward-weights", "tanh")->outcome >= CS_GPU_WRONG);
        cs_selftest_free(&selftest);
    }
}

static void test_selftest_wrong_later_call_fails(void **state) {
    (void)state;
    fake.wrong = FAKE_ONE_NUMBER;
    fake.wrong_in = "cudnnSoftmaxForward";
    fake.wrong_after = 2; /* the first and one later one are right */
    expect_verdict(CS_GPU_WRONG_RESULT);
    assert_int_equal(find_run("softmax-forward", "accurate")->outcome, CS_GPU_WRONG);
    assert_int_equal(count_outcome(CS_GPU_WRONG), 1);
    assert_non_null(strstr(selftest.sentence.data, "softmax-forward"));
    assert_non_null(strstr(selftest.sentence.data, "1 of 55 are wrong"));
    assert_non_null(strstr(selftest.sentence.data, " differs from the reference: "));
    assert_non_null(strstr(selftest.chinese.data, "（与参考结果不符）"));
}

/* A wrong first result is not forgotten because the later ones are right. */
static void test_selftest_wrong_first_call_fails(void **state) {
    (void)state;
    fake.wrong = FAKE_NAN;
    fake.wrong_in = "cudnnConvolutionForward";
    fake.algorithms = 1;
    expect_verdict(CS_GPU_WRONG_RESULT);
    assert_int_equal(find_run("convolution-forward", "IMPLICIT_GEMM")->outcome, CS_GPU_NOT_A_NUMBER);
    assert_non_null(strstr(selftest.sentence.data, " is not a number in places: "));
    assert_non_null(strstr(selftest.chinese.data, "（部分结果不是数）"));
    assert_int_equal(find_run("convolution-forward", "GEMM")->outcome, CS_GPU_UNSUPPORTED);
}

static void test_selftest_unsupported_algorithm_is_said(void **state) {
    (void)state;
    fake.algorithms = 2;
    fake.claims_workspace = true; /* the call itself says so */
    expect_verdict(CS_GPU_PASSED);
    const cs_gpu_run *run = find_run("convolution-forward", "WINOGRAD");
    assert_int_equal(run->outcome, CS_GPU_UNSUPPORTED);
    assert_int_equal(run->status, CUDNN8_NOT_SUPPORTED);
    assert_int_equal(run->first_ns, 0);
    assert_int_equal(find_run("convolution-forward", "IMPLICIT_PRECOMP_GEMM")->outcome, CS_GPU_RIGHT);
}

static void test_selftest_understands_cudnn_9(void **state) {
    (void)state;
    fake.unsupported = 3002; /* CUDNN_STATUS_NOT_SUPPORTED_SHAPE */
    expect_verdict(CS_GPU_PASSED);
    assert_int_equal(find_run("convolution-forward", "GEMM")->status, 3002);
    fake.unsupported = 2000; /* CUDNN_STATUS_BAD_PARAM */
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_EXECUTION_FAILED);
}

static void test_selftest_no_algorithm_fails(void **state) {
    (void)state;
    fake.algorithms = 0;
    expect_verdict(CS_GPU_NO_ALGORITHM);
    assert_string_equal(selftest.culprit.data, "cudnnConvolutionForward");
    assert_int_equal(count_outcome(CS_GPU_RIGHT), 0);
}

static void test_selftest_no_backward_algorithm_fails(void **state) {
    (void)state;
    fake.algorithms = 0x80; /* of the three directions the forward one alone has a number 7 */
    expect_verdict(CS_GPU_NO_ALGORITHM);
    assert_string_equal(selftest.culprit.data, "cudnnConvolutionBackwardData");
}

static void test_selftest_layer_must_be_offered(void **state) {
    (void)state;
    fake.failing = "cudnnSoftmaxForward";
    fake.failing_status = CUDNN8_NOT_SUPPORTED;
    expect_verdict(CS_GPU_NO_ALGORITHM);
    assert_string_equal(selftest.culprit.data, "cudnnSoftmaxForward");
}

static void test_selftest_call_that_fails_later_fails(void **state) {
    (void)state;
    fake.failing = "cudnnConvolutionForward";
    fake.failing_status = CUDNN8_NOT_SUPPORTED; /* no excuse for what worked before */
    fake.failing_after = 2;
    expect_verdict(CS_GPU_EXECUTION_FAILED);
    assert_int_equal(find_run("convolution-forward", "IMPLICIT_GEMM")->outcome, CS_GPU_FAILED);
}

static void test_selftest_kernel_failure_is_named(void **state) {
    (void)state;
    fake.failing = "cudaDeviceSynchronize";
    fake.failing_status = CUDA_LAUNCH_FAILURE;
    fake.failing_after = 1; /* after the preparation: at the end of the first convolution */
    expect_verdict(CS_GPU_EXECUTION_FAILED);
    assert_string_equal(selftest.culprit.data, "cudnnConvolutionForward");
    assert_int_equal(selftest.status, CUDA_LAUNCH_FAILURE);
    assert_non_null(strstr(selftest.sentence.data, "719"));
}

static void test_selftest_large_workspace_is_not_tried(void **state) {
    (void)state;
    fake.workspace = (size_t)257 << 20;
    expect_verdict(CS_GPU_NO_ALGORITHM);
    assert_int_equal(find_run("convolution-forward", "IMPLICIT_GEMM")->outcome, CS_GPU_NO_ROOM);
    fake.workspace = 4096;
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    assert_int_equal(find_run("convolution-forward", "IMPLICIT_GEMM")->workspace, 4096);
}

static void test_selftest_keeps_to_fp32(void **state) {
    (void)state;
    fake.runtime_version = 11000;
    fake.built_for = 11000;
    fake.devices[0].major = 8;
    expect_verdict(CS_GPU_PASSED);
    assert_true(find_run("convolution-forward", "IMPLICIT_GEMM")->limit < 1e-4);
    fake.refuses_fma = true; /* TF32 cannot be kept out */
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    assert_true(find_run("convolution-forward", "IMPLICIT_GEMM")->limit > 1e-3);
    fake.devices[0].major = 7; /* has none */
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    assert_true(find_run("convolution-forward", "IMPLICIT_GEMM")->limit < 1e-4);
}

static void test_selftest_fp16_only_where_it_is(void **state) {
    (void)state;
    fake.devices[0].major = 5;
    fake.devices[0].minor = 2;
    expect_verdict(CS_GPU_PASSED);
    for (size_t i = 0; i < selftest.run_count; i++) assert_int_equal(selftest.runs[i].type, CS_GPU_FP32);
    fake.devices[0].minor = 3;
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    size_t halves = 0;
    for (size_t i = 0; i < selftest.run_count; i++) halves += selftest.runs[i].type == CS_GPU_FP16;
    assert_int_equal(halves, 16);
}

/* A sample never says that a GPU works, and need not have what the real library has. */
static void test_selftest_sample_says_sample(void **state) {
    (void)state;
    options.sample = true;
    fake.missing = "cudnnConvolutionBackwardData";
    expect_verdict(CS_GPU_SAMPLE);
    assert_non_null(strstr(selftest.sentence.data, "sample, computed on the CPU"));
    assert_null(strstr(selftest.sentence.data, "Fake GPU"));
    assert_int_equal(count_outcome(CS_GPU_LACKING), 1);
    fake.wrong = FAKE_ONE_NUMBER;
    fake.wrong_in = "cudnnConvolutionForward";
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_WRONG_RESULT);
}

static void test_selftest_same_seed_same_data(void **state) {
    (void)state;
    double first, second;
    expect_verdict(CS_GPU_PASSED);
    first = find_run("convolution-forward", "IMPLICIT_GEMM")->error;
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    second = find_run("convolution-forward", "IMPLICIT_GEMM")->error;
    assert_memory_equal(&first, &second, sizeof first);
    options.seed = 7;
    cs_selftest_free(&selftest);
    expect_verdict(CS_GPU_PASSED);
    second = find_run("convolution-forward", "IMPLICIT_GEMM")->error;
    assert_memory_not_equal(&first, &second, sizeof first);
}

/* Each allocation fails in turn: never a pass, never a leak. */
static void test_selftest_survives_lack_of_memory(void **state) {
    (void)state;
    options.shape_count = 1;
    options.later_calls = 1;
    fake.algorithms = 1;
    options.visible_devices = "0";
    unsigned long n = 0;
    for (bool done = false; !done;) {
        cs_alloc_fail_at(++n);
        bool passed = cs_selftest_run(&options, &selftest);
        cs_alloc_fail_at(0);
        /* What is only told (paths, names, the sentence) may be lost to it; results may not. */
        done = passed && !selftest.sentence.failed && selftest.sentence.size && !selftest.cudnn_path.failed &&
               !selftest.runtime_path.failed && !selftest.driver_path.failed;
        if (!passed) assert_int_equal(selftest.verdict, CS_GPU_NO_MEMORY);
        cs_selftest_free(&selftest);
        assert_int_equal(fake.live_memory + fake.live_objects + fake.open_libraries, 0);
    }
    assert_true(n > 50);
}

static void test_selftest_default_shapes_are_sound(void **state) {
    (void)state;
    size_t count = 0, groups = 0, dilated = 0, single = 0, backward = 0;
    const cs_gpu_shape *shapes = cs_gpu_default_shapes(&count);
    assert_true(count >= 8);
    for (size_t i = 0; i < count; i++) {
        const cs_gpu_shape *s = &shapes[i];
        assert_int_equal(s->c % s->groups, 0);
        assert_int_equal(s->k % s->groups, 0);
        groups += s->groups == s->c;
        dilated += s->dilation_h > 1;
        single += s->n == 1;
        backward += s->backward;
    }
    assert_true(groups && dilated && single && backward);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(test_selftest_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(right_results_pass),
                                       CASE(uses_every_part),
                                       CASE(wrong_results_fail),
                                       CASE(wrong_gradient_fails),
                                       CASE(wrong_later_call_fails),
                                       CASE(wrong_first_call_fails),
                                       CASE(unsupported_algorithm_is_said),
                                       CASE(understands_cudnn_9),
                                       CASE(no_algorithm_fails),
                                       CASE(no_backward_algorithm_fails),
                                       CASE(layer_must_be_offered),
                                       CASE(call_that_fails_later_fails),
                                       CASE(kernel_failure_is_named),
                                       CASE(large_workspace_is_not_tried),
                                       CASE(keeps_to_fp32),
                                       CASE(fp16_only_where_it_is),
                                       CASE(sample_says_sample),
                                       CASE(same_seed_same_data),
                                       CASE(survives_lack_of_memory),
                                       CASE(default_shapes_are_sound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
