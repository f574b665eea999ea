/* The table of verdicts: every row complete in both languages, and the report that shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/text.h"

static bool has_chinese(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text >= 0xE4 && (unsigned char)*text <= 0xE9) return true; /* U+4000 to U+9FFF in UTF-8 */
    return false;
}

/* The facts that a sentence speaks of, as bits; fails on a name that is none and on brackets that do not close. */
static uint64_t facts_of(const char *pattern) {
    uint64_t found = 0;
    int depth = 0;
    for (const char *at = pattern; *at; at++) {
        depth += (*at == '[') - (*at == ']');
        assert_true(depth == 0 || depth == 1);
        if (*at != '{') continue;
        const char *end = strchr(at, '}');
        int fact = 0;
        assert_non_null(end);
        while (fact < CS_FACT_COUNT && (strlen(cs_fact_name((cs_fact)fact)) != (size_t)(end - at - 1) ||
                                        strncmp(cs_fact_name((cs_fact)fact), at + 1, (size_t)(end - at - 1)) != 0))
            fact++;
        if (fact == CS_FACT_COUNT) fail_msg("unknown fact in \"%s\"", pattern);
        found |= UINT64_C(1) << fact;
    }
    assert_int_equal(depth, 0);
    return found;
}

static void test_verdict_rows_are_complete(void **state) {
    (void)state;
    for (int i = 0; i < CS_GPU_VERDICT_COUNT; i++) {
        cs_gpu_verdict verdict = (cs_gpu_verdict)i, found;
        const char *name = cs_gpu_verdict_name(verdict);
        assert_non_null(name);
        assert_true(cs_gpu_verdict_of_name(name, &found));
        assert_int_equal(found, verdict);
        const char *english = cs_verdict_pattern(verdict, CS_ENGLISH), *chinese = cs_verdict_pattern(verdict, CS_CHINESE);
        assert_true(*english && !has_chinese(english));
        assert_true(has_chinese(chinese));
        if (facts_of(english) != facts_of(chinese)) fail_msg("%s: the languages speak of different facts", name);
        bool needs_advice = verdict > CS_GPU_LOADED;
        assert_int_equal(*cs_verdict_advice(verdict, CS_ENGLISH) != '\0', needs_advice);
        assert_int_equal(has_chinese(cs_verdict_advice(verdict, CS_CHINESE)), needs_advice);
    }
}

/* What the machine cannot is never a failure of the installation; what the files lack always is one. */
static void test_verdict_kinds_follow_the_blame(void **state) {
    (void)state;
    for (int i = 0; i < CS_GPU_VERDICT_COUNT; i++) {
        cs_gpu_verdict verdict = (cs_gpu_verdict)i;
        cs_verdict_kind kind = cs_verdict_kind_of(verdict);
        switch (cs_gpu_blame_of(verdict)) {
        case CS_GPU_BLAME_INSTALLATION:
        case CS_GPU_BLAME_UNKNOWN:
            assert_int_equal(kind, CS_VERDICT_FAILED);
            break;
        case CS_GPU_BLAME_MACHINE:
            assert_true(kind == CS_VERDICT_SKIPPED || kind == CS_VERDICT_UNFIT);
            break;
        case CS_GPU_BLAME_NOBODY:
            assert_true(kind == CS_VERDICT_PASSED || kind == CS_VERDICT_SKIPPED);
            break;
        }
        if (kind != CS_VERDICT_FAILED) assert_null(strstr(cs_verdict_pattern(verdict, CS_ENGLISH), "broken"));
    }
    assert_int_equal(cs_verdict_kind_of(CS_GPU_SAMPLE), CS_VERDICT_SKIPPED);
}

static void says(cs_gpu_verdict verdict, const cs_facts *facts, const char *expected) {
    cs_buffer text = {0};
    cs_verdict_say(verdict, CS_ENGLISH, facts, &text);
    assert_string_equal(cs_buffer_string(&text), expected);
    cs_buffer_free(&text);
}

static void test_verdict_leaves_out_what_is_not_known(void **state) {
    (void)state;
    cs_facts facts = {0};
    cs_facts_set(&facts, CS_FACT_DEVICE, "Tesla T4");
    says(CS_GPU_MEMORY_TAKEN, &facts, "Tesla T4 has too little free memory.");
    cs_facts_set(&facts, CS_FACT_FREE, "100");
    says(CS_GPU_MEMORY_TAKEN, &facts, "Tesla T4 has too little free memory.");
    cs_facts_set(&facts, CS_FACT_TOTAL, "%d", 8192);
    says(CS_GPU_MEMORY_TAKEN, &facts,
         "Tesla T4 has too little free memory: 100 of 8192 MiB are free, other programs have the rest.");
    says(CS_GPU_DEVICE_HIDDEN, &facts, "CUDA_VISIBLE_DEVICES is set to \"\", which leaves no GPU visible.");
    says(CS_GPU_NO_DRIVER, NULL, "There is no NVIDIA driver on this machine. cuDNN itself may be in order.");
    cs_facts_free(&facts);
}

static void test_verdict_unknown_numbers_and_names(void **state) {
    (void)state;
    cs_gpu_verdict verdict;
    assert_false(cs_gpu_verdict_of_name("unheard-of", &verdict));
    assert_string_equal(cs_gpu_verdict_name(CS_GPU_VERDICT_COUNT), "unknown");
    says(CS_GPU_VERDICT_COUNT, NULL, "");
    assert_int_equal(cs_verdict_kind_of(CS_GPU_VERDICT_COUNT), CS_VERDICT_FAILED);
}

/* ---- the report ---- */

#define CALL(algorithm, first, later)                                                                                            \
    "{\"operation\":\"convolution-forward\",\"shape\":\"<b>\",\"type\":\"fp32\",\"algorithm\":\"" algorithm                      \
    "\",\"outcome\":\"right\",\"error\":\"1.2e-07\",\"limit\":\"2.0e-05\",\"first_ns\":" first ",\"later_ns\":" later "}"

static const char answer[] =
    "{\"gpu\":{\"verdict\":\"passed\",\"sentence\":\"right\",\"chinese\":\"right\",\"versions\":{\"cudnn\":8003,"
    "\"runtime\":10010,\"driver_cuda\":10020},\"visible_devices\":\"1\",\"devices\":[{\"name\":\"first\",\"capability\":\"8.6\","
    "\"used\":false},{\"name\":\"GPU & co\",\"capability\":\"7.5\",\"used\":true}],\"runs\":[" CALL(
        "GEMM", "40000000", "21000") "," CALL("FFT", "2000000", "90000") "," CALL("GEMM", "50000", "20000") "]}}";

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) count++;
    return count;
}

static void test_verdict_report_of_a_passed_proof(void **state) {
    (void)state;
    cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
    cs_buffer out = {0};
    assert_true(cs_proof_read_gpu(answer, strlen(answer), detail));
    assert_string_equal(detail->device, "GPU & co");
    assert_string_equal(detail->visible_devices, "1");
    cs_proof_put_html(detail, CS_ENGLISH, &out);
    assert_non_null(strstr(out.data, "GPU &amp; co"));
    assert_null(strstr(out.data, "<b>"));
    assert_non_null(strstr(out.data, "CUDA 10.2"));
    assert_int_equal(count_of(out.data, "<rect"), 4); /* two algorithms, two bars each */
    assert_non_null(strstr(out.data, "40.0 ms"));     /* the slowest first call of GEMM */
    assert_null(strstr(out.data, "width=\"0\""));     /* no bar without a length */
    assert_non_null(strstr(out.data, "up to 1905 times as long"));
    assert_non_null(strstr(out.data, "a slow first call is no fault"));
    assert_int_equal(count_of(out.data, "<line"), 5); /* 10 us, where the shortest bar begins, to 100 ms */
    assert_int_equal(count_of(out.data, "<td>convolution-forward</td>"), 3);
    cs_buffer_free(&out);
    cs_proof_detail_free(detail);
}

static void test_verdict_report_in_chinese(void **state) {
    (void)state;
    cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
    cs_buffer out = {0};
    assert_true(cs_proof_read_gpu(answer, strlen(answer), detail));
    cs_proof_put_html(detail, CS_CHINESE, &out);
    static const char *const words[] = {"<td>设备</td><td>GPU &amp; co</td>", "首次运行较慢属正常", "1905 倍", "<th>算法</th>",
                                        "<td>正确</td>"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(out.data, words[i])) fail_msg("no %s in %s", words[i], out.data);
    assert_null(strstr(out.data, "First call"));
    assert_null(strstr(out.data, "Device"));
    cs_buffer_clear(&out);
    cs_proof_stage_text(&detail->gpu, CS_CHINESE, &out);
    assert_string_equal(out.data, "通过：right");
    cs_buffer_free(&out);
    cs_proof_detail_free(detail);
}

/* No warm-up, no talk of one. */
static void test_verdict_report_of_equal_calls(void **state) {
    (void)state;
    static const char equal[] =
        "{\"gpu\":{\"verdict\":\"passed\",\"sentence\":\"a\",\"chinese\":\"a\",\"versions\":{\"cudnn\":8003},"
        "\"devices\":[],\"runs\":[" CALL("GEMM", "1000", "1000") "]}}";
    cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
    cs_buffer out = {0};
    assert_true(cs_proof_read_gpu(equal, strlen(equal), detail));
    cs_proof_put_html(detail, CS_ENGLISH, &out);
    assert_non_null(strstr(out.data, "about as long as the later ones"));
    assert_null(strstr(out.data, "warm-up"));
    assert_int_equal(count_of(out.data, "<rect"), 2);
    cs_buffer_free(&out);
    cs_proof_detail_free(detail);
}

static void test_verdict_report_without_a_gpu(void **state) {
    (void)state;
    cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
    cs_buffer out = {0};
    cs_proof_put_html(NULL, CS_ENGLISH, &out);
    assert_int_equal(out.size, 0);
    cs_proof_stage_set(&detail->gpu, CS_GPU_NO_DRIVER, NULL);
    cs_proof_put_html(detail, CS_ENGLISH, &out);
    assert_non_null(strstr(out.data, "install its driver"));
    assert_null(strstr(out.data, "<svg"));
    cs_buffer_free(&out);
    cs_proof_detail_free(detail);
}

static void test_verdict_answers_that_cannot_be_read(void **state) {
    (void)state;
    static const char *const answers[] = {
        "",
        "{",
        "[]",
        "{\"gpu\":7}",
        "{\"gpu\":{\"verdict\":\"passed\"}}",
        "{\"gpu\":{\"verdict\":\"unheard-of\"}}",
        "{\"gpu\":{\"verdict\":\"passed\",\"sentence\":\"a\",\"chinese\":\"a\",\"versions\":{\"cudnn\":8003},\"devices\":[],"
        "\"runs\":[{}]}}",
        "{\"gpu\":{\"verdict\":\"passed\",\"sentence\":\"a\",\"chinese\":\"a\",\"versions\":{},\"devices\":[3],\"runs\":[]}}"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        cs_proof_detail *detail = cs_alloc(1, sizeof *detail);
        assert_false(cs_proof_read_gpu(answers[i], strlen(answers[i]), detail));
        assert_int_equal(detail->gpu.verdict, CS_GPU_NO_ANSWER);
        assert_non_null(strstr(cs_buffer_string(&detail->gpu.sentence[CS_ENGLISH]), "no readable answer"));
        cs_buffer page = {0};
        cs_proof_put_html(detail, CS_ENGLISH, &page); /* nothing half read is shown */
        assert_int_equal(detail->call_count, 0);
        cs_buffer_free(&page);
        cs_proof_detail_free(detail);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict_rows_are_complete),
        cmocka_unit_test(test_verdict_kinds_follow_the_blame),
        cmocka_unit_test(test_verdict_leaves_out_what_is_not_known),
        cmocka_unit_test(test_verdict_unknown_numbers_and_names),
        cmocka_unit_test(test_verdict_report_of_a_passed_proof),
        cmocka_unit_test(test_verdict_report_in_chinese),
        cmocka_unit_test(test_verdict_report_of_equal_calls),
        cmocka_unit_test(test_verdict_report_without_a_gpu),
        cmocka_unit_test(test_verdict_answers_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
