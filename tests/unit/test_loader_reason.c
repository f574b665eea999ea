/* Why a DLL does not load, told from files alone: also what Wine cannot show (127). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "binary_maker.h"
#include "cudnn_setup/driver.h"
#include "cudnn_setup/loader_reason.h"
#include "memory_host.h"

#define BIN "C:\\CUDA\\bin\\"

static memory_host *machine;
static const cs_host *host;
static cs_loader_reason reason;

static void put_dll(const char *name, const char *dll, const char *function, const char *exported) {
    uint8_t *file = pe_make_linked(dll, function, exported);
    char path[128] = BIN;
    strncat(path, name, sizeof path - strlen(path) - 1);
    assert_true(memory_host_file(machine, path, file, PE_SIZE));
    cs_free(file);
}

static bool find(void *ctx, const char *name, cs_buffer *path) {
    (void)ctx;
    cs_buffer_format(path, BIN "%s", name);
    return memory_host_exists(machine, cs_buffer_string(path));
}

static bool is_loaded(void *ctx, const char *name) {
    (void)ctx;
    return strcmp(name, "KERNEL32.dll") == 0;
}

static int set_up(void **state) {
    (void)state;
    machine = memory_host_new();
    host = memory_host_seam(machine);
    put_dll("cudnn_ops_infer64_8.dll", "cublas64_10.dll", "cublasCreate_v2", "opsInfer8003");
    put_dll("cudnn_cnn_infer64_8.dll", "cudnn_ops_infer64_8.dll", "opsInfer8003", "cnnInfer8003");
    put_dll("cublas64_10.dll", "KERNEL32.dll", "Sleep", "cublasCreate_v2");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    cs_loader_reason_free(&reason);
    memory_host_free(machine);
    return 0;
}

/* name does not load with this code: what is said, in both languages. */
static void expect(const char *name, uint32_t code, cs_gpu_verdict verdict, const char *english, const char *chinese) {
    const cs_loader_view view = {.find = find, .is_loaded = is_loaded};
    cs_buffer text[CS_LANGUAGE_COUNT] = {{0}};
    cs_facts facts = {0};
    cs_loader_reason_free(&reason);
    cs_loader_explain(host->fs, &view, name, code, &reason);
    cs_loader_reason_facts(&reason, code, &facts);
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) cs_verdict_say(reason.verdict, (cs_language)i, &facts, &text[i]);
    assert_string_equal(cs_gpu_verdict_name(reason.verdict), cs_gpu_verdict_name(verdict));
    assert_string_equal(cs_buffer_string(&text[CS_ENGLISH]), english);
    assert_non_null(strstr(cs_buffer_string(&text[CS_CHINESE]), chinese));
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) cs_buffer_free(&text[i]);
    cs_facts_free(&facts);
}

/* F11: each of the seven in turn. */
static void test_reason_of_126_each_part(void **state) {
    (void)state;
    static const char *const parts[] = {"cudnn64_8.dll",           "cudnn_ops_infer64_8.dll", "cudnn_ops_train64_8.dll",
                                        "cudnn_cnn_infer64_8.dll", "cudnn_cnn_train64_8.dll", "cudnn_adv_infer64_8.dll",
                                        "cudnn_adv_train64_8.dll"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char english[256], path[128] = BIN;
        strncat(path, parts[i], sizeof path - strlen(path) - 1);
        if (memory_host_exists(machine, path)) assert_true(memory_host_delete(machine, path));
        snprintf(english, sizeof english,
                 i ? "cuDNN's part %s cannot be loaded (error 126); without it cuDNN ends the program that uses it."
                   : "A new program cannot load %s (error 126): it is in no folder that Windows searches.",
                 parts[i]);
        expect(parts[i], 126, i ? CS_GPU_PART_MISSING : CS_GPU_CUDNN_ABSENT, english, parts[i]);
    }
}

/* L01, L03, L12: zlibwapi.dll is wanted by another cuDNN than 8.0.3, and whoever has this one is not sent to fetch it. */
static void test_reason_of_zlib(void **state) {
    (void)state;
    put_dll("cudnn_cnn_infer64_8.dll", "zlibwapi.dll", "deflate", "cnnInfer8400");
    expect("cudnn_cnn_infer64_8.dll", 126, CS_GPU_NEWER_PART,
           "zlibwapi.dll is absent, which cuDNN 8.3 and newer need and 8.0.3 does not: " BIN
           "cudnn_cnn_infer64_8.dll is of such a newer cuDNN (error 126).",
           "8.0.3 不需要");
    assert_string_equal(cs_gpu_verdict_name(reason.verdict), "newer-part");
    assert_non_null(strstr(cs_verdict_advice(reason.verdict, CS_ENGLISH), "Do not fetch that file"));
    assert_non_null(strstr(cs_verdict_advice(reason.verdict, CS_CHINESE), "不要下载"));
}

static void test_reason_of_126(void **state) {
    (void)state;
    expect("cudnn64_8.dll", 126, CS_GPU_CUDNN_ABSENT,
           "A new program cannot load cudnn64_8.dll (error 126): it is in no folder that Windows searches.", "（错误 126）");
    expect("cudnn_adv_train64_8.dll", 126, CS_GPU_PART_MISSING,
           "cuDNN's part cudnn_adv_train64_8.dll cannot be loaded (error 126); without it cuDNN ends the program that uses it.",
           "cudnn_adv_train64_8.dll");
}

/* L02. Two steps away: the absent file is named, not the one that was asked for. */
static void test_reason_of_126_names_what_is_absent(void **state) {
    (void)state;
    assert_true(memory_host_delete(machine, BIN "cublas64_10.dll"));
    expect("cudnn_cnn_infer64_8.dll", 126, CS_GPU_DEPENDENCY_ABSENT,
           "cublas64_10.dll is in no folder that Windows searches; " BIN "cudnn_ops_infer64_8.dll needs it (error 126).",
           "cudnn_ops_infer64_8.dll 需要它");
    assert_string_equal(reason.file.data, "cublas64_10.dll");
}

/* L05, L06: parts of two versions. */
static void test_reason_of_127(void **state) {
    (void)state;
    put_dll("cudnn_ops_infer64_8.dll", "cublas64_10.dll", "cublasCreate_v2", "opsInfer8100");
    expect("cudnn_cnn_infer64_8.dll", 127, CS_GPU_FUNCTION_ABSENT,
           BIN "cudnn_ops_infer64_8.dll lacks the function opsInfer8003, which " BIN
               "cudnn_cnn_infer64_8.dll imports: it is of another version than expected (error 127).",
           "缺少");
    assert_string_equal(reason.function.data, "opsInfer8003");
    /* Files that fit each other all the same: the code alone has to do. */
    put_dll("cudnn_ops_infer64_8.dll", "cublas64_10.dll", "cublasCreate_v2", "opsInfer8003");
    expect("cudnn_cnn_infer64_8.dll", 127, CS_GPU_FUNCTION_ABSENT,
           BIN "cudnn_cnn_infer64_8.dll is of another version than expected (error 127).", "版本与预期不同（错误 127）");
}

/* L09: a 32-bit DLL, a text under the name of one, an empty file. */
static void test_reason_of_193(void **state) {
    (void)state;
    uint8_t *file = pe_make_headers();
    put16(file + 0x84, CS_PE_MACHINE_X86);
    assert_true(memory_host_file(machine, BIN "cublas64_10.dll", file, PE_SIZE));
    cs_free(file);
    expect("cudnn_ops_infer64_8.dll", 193, CS_GPU_OTHER_MACHINE,
           BIN "cublas64_10.dll is for another processor than x64; " BIN "cudnn_ops_infer64_8.dll needs it (error 193).",
           "64 位");
    assert_true(memory_host_text(machine, BIN "cublas64_10.dll", "a text that was renamed"));
    expect("cudnn_ops_infer64_8.dll", 193, CS_GPU_DAMAGED,
           BIN "cublas64_10.dll is not a DLL, or is damaged; " BIN "cudnn_ops_infer64_8.dll needs it (error 193).", "已损坏");
    assert_true(memory_host_text(machine, BIN "cudnn_ops_infer64_8.dll", ""));
    expect("cudnn_ops_infer64_8.dll", 193, CS_GPU_DAMAGED, BIN "cudnn_ops_infer64_8.dll is not a DLL, or is damaged (error 193).",
           "已损坏");
}

static void test_reason_of_5(void **state) {
    (void)state;
    memory_host_fail_on(machine, "open watch", "cublas64_10.dll", MEMORY_BEFORE, 5);
    expect("cudnn_ops_infer64_8.dll", 5, CS_GPU_ACCESS_DENIED,
           BIN "cublas64_10.dll cannot be read with this user's rights; " BIN "cudnn_ops_infer64_8.dll needs it (error 5).",
           "没有读取");
    memory_host_fail_on(machine, "open watch", "no such file", MEMORY_BEFORE, 5);
    /* It can be read but not executed: the code says so. */
    expect("cublas64_10.dll", 5, CS_GPU_ACCESS_DENIED, BIN "cublas64_10.dll cannot be read with this user's rights (error 5).",
           "（错误 5）");
}

static void test_reason_of_other_codes(void **state) {
    (void)state;
    expect("cublas64_10.dll", 1114, CS_GPU_NOT_LOADED,
           BIN "cublas64_10.dll cannot be loaded (error 1114); nothing wrong was found in the files that it needs.", "1114");
}

/* Files that import each other end the walk. */
static void test_reason_of_a_circle(void **state) {
    (void)state;
    put_dll("cublas64_10.dll", "cudnn_ops_infer64_8.dll", "opsInfer8003", "cublasCreate_v2");
    expect("cudnn_ops_infer64_8.dll", 1114, CS_GPU_NOT_LOADED,
           BIN "cudnn_ops_infer64_8.dll cannot be loaded (error 1114); nothing wrong was found in the files that it needs.",
           "1114");
}

/* ---- the driver's version ---- */

static void test_reason_driver_number(void **state) {
    (void)state;
    static const struct {
        uint16_t file[4];
        const char *number;
    } rows[] = {{{25, 21, 14, 1896}, "418.96"},
                {{26, 21, 14, 3160}, "431.60"},
                {{31, 0, 15, 2849}, "528.49"},
                {{32, 0, 15, 8015}, "580.15"},
                {{24, 21, 14, 1131}, "411.31"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer text = {0};
        cs_driver_number(rows[i].file, &text);
        assert_string_equal(text.data, rows[i].number);
        cs_buffer_free(&text);
    }
}

static void test_reason_driver_version_of_a_file(void **state) {
    (void)state;
    cs_buffer text = {0};
    assert_false(cs_driver_version(host, &text));
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 52), 14u << 16 | 1896);
    assert_true(memory_host_file(machine, "C:\\Windows\\System32\\nvcuda.dll", file, PE_SIZE));
    cs_free(file);
    assert_true(cs_driver_version(host, &text));
    assert_string_equal(text.data, "418.96");
    cs_buffer_free(&text);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(test_reason_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(of_126),
                                       CASE(of_126_each_part),
                                       CASE(of_zlib),
                                       CASE(of_126_names_what_is_absent),
                                       CASE(of_127),
                                       CASE(of_193),
                                       CASE(of_5),
                                       CASE(of_other_codes),
                                       CASE(of_a_circle),
                                       CASE(driver_number),
                                       CASE(driver_version_of_a_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
