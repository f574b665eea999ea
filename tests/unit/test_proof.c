#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary_maker.h"
#include "cudnn_setup/proof.h"
#include "verb_case.h"

#define BIN VERB_TREE "\\bin"

static void read_as(const char *answer, bool passes, const char *expected) {
    verb_case c;
    cs_buffer text = {0};
    verb_case_begin(&c);
    memory_host_folder(c.machine, BIN);
    memory_host_short_name(c.machine, BIN, "BIN~1");
    memory_host_link(c.machine, "C:\\cuda-now", VERB_TREE);
    memory_host_link(c.machine, "C:\\bin-now", BIN);
    cs_proof_stage stage = {0};
    bool passed = cs_proof_read_probe(c.host->fs, answer, strlen(answer), 8003, BIN, &stage);
    cs_proof_stage_text(&stage, CS_ENGLISH, &text);
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) cs_buffer_free(&stage.sentence[i]);
    if (!strstr(cs_buffer_string(&text), expected)) print_error("%s\n", cs_buffer_string(&text));
    assert_int_equal(passed, passes);
    assert_non_null(strstr(cs_buffer_string(&text), expected));
    cs_buffer_free(&text);
    verb_case_end(&c);
}

#define MODULE(name, folder) "{\"name\":\"" name "\",\"path\":\"" folder "\\\\" name "\"}"
#define OURS                 "C:\\\\CUDA\\\\v10.1\\\\bin"

static void test_proof_reads_a_good_answer(void **state) {
    (void)state;
    read_as("{\"stage\":2,\"cudnn_version\":8003,\"modules\":[" MODULE("cudnn64_8.dll", OURS) "," MODULE(
                "cudnn_ops_infer64_8.dll", OURS) "," MODULE("cublas64_10.dll", "D:\\\\other") "],\"error\":null}",
            true, "passed: 2 parts loaded from " BIN ", cudnnGetVersion() is 8003");
    read_as("{\"stage\":2,\"cudnn_version\":8003,\"modules\":[" MODULE("cudnn64_8.dll", "c:/cuda/V10.1/BIN") "]}", true,
            "passed: 1 parts");
}

static void test_proof_knows_the_folder_by_any_name(void **state) {
    (void)state;
    static const char *const folders[] = {"C:\\\\CUDA\\\\v10.1\\\\BIN~1", "C:\\\\cuda-now\\\\bin", "C:\\\\bin-now"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char answer[256];
        snprintf(
            answer, sizeof answer,
            "{\"stage\":2,\"cudnn_version\":8003,\"modules\":[{\"name\":\"cudnn64_8.dll\",\"path\":\"%s\\\\cudnn64_8.dll\"}]}",
            folders[i]);
        read_as(answer, true, "passed: 1 parts loaded from " BIN);
    }
}

static void test_proof_reads_a_bad_answer(void **state) {
    (void)state;
    read_as("{\"stage\":2,\"cudnn_version\":0,\"modules\":[],\"error\":\"cublas64_10.dll is absent\"}", false,
            "failed: cublas64_10.dll is absent");
    read_as("{\"stage\":2,\"cudnn_version\":8201,\"modules\":[" MODULE("cudnn64_8.dll", OURS) "],\"error\":null}", false,
            "failed: cudnnGetVersion() is 8201, not 8003");
    read_as("{\"stage\":2,\"cudnn_version\":8003,\"modules\":[" MODULE("cudnn64_8.dll", OURS) "," MODULE(
                "cudnn_ops_infer64_8.dll", "C:\\\\Windows\\\\System32") "],\"error\":null}",
            false, "failed: a part was loaded from elsewhere: C:\\Windows\\System32\\cudnn_ops_infer64_8.dll");
    read_as("{\"stage\":2,\"cudnn_version\":8003,\"modules\":[],\"error\":null}", false,
            "failed: the probe gave no readable answer (it names no module of cuDNN)");
    read_as("", false, "no readable answer");
    read_as("{\"stage\":2", false, "no readable answer");
    read_as("{\"stage\":2,\"modules\":[]}", false, "no readable answer");
    read_as("{\"stage\":2,\"cudnn_version\":\"8003\",\"modules\":7,\"error\":null}", false, "no readable answer");
}

/* ---- a whole run with a probe that answers ---- */

typedef struct probe {
    const char *answer, *gpu; /* what it prints in each stage; NULL: nothing */
    bool refused, timed_out;
    uint32_t exit_code, gpu_exit;
    cs_status start_status; /* of starting it */
    bool gpu_timed_out;
    unsigned calls, gpu_calls;
    bool as_current;
    bool has_path;
    const char *devices; /* what it says of the GPUs before anything is changed */
    int device_calls;
} probe;

static cs_status run_probe(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    probe *p = ctx;
    if (child->argument_count && !strcmp(child->arguments[0], "/stage:device")) {
        p->device_calls++;
        result->account = "shell user";
        result->refused = p->refused;
        if (p->devices) cs_buffer_text(&result->output, p->devices);
        return p->start_status ? cs_fail(error, p->start_status, "run", child->program, NULL) : CS_OK;
    }
    bool gpu = child->argument_count && !strcmp(child->arguments[0], "/stage:gpu");
    p->calls += !gpu;
    p->gpu_calls += gpu;
    p->as_current = child->as_current && child->argument_count == (gpu ? 2 : 1) &&
                    !strcmp(child->arguments[child->argument_count - 1], "/selftest-as:current");
    assert_string_equal(child->program, VERB_P "\\cudnn-probe.exe");
    for (size_t i = 0; i < child->environment_count; i++)
        if (strstr(child->environment[i], "=" BIN ";") || strstr(child->environment[i], ";" BIN ";")) p->has_path = true;
    if (p->start_status) return cs_fail(error, p->start_status, "run", child->program, NULL);
    result->refused = p->refused;
    result->timed_out = gpu ? p->gpu_timed_out : p->timed_out;
    result->exit_code = gpu ? p->gpu_exit : p->exit_code;
    result->account = "shell user";
    const char *answer = gpu ? p->gpu : p->answer;
    if (answer) cs_buffer_text(&result->output, answer);
    return CS_OK;
}

static const char good[] = "{\"stage\":2,\"cudnn_version\":8003,\"modules\":[" MODULE("cudnn64_8.dll", OURS) "],\"error\":null}";
static const char bad[] = "{\"stage\":2,\"cudnn_version\":0,\"modules\":[],\"error\":\"cublas64_10.dll is absent\"}";

#define CALL                                                                                                                     \
    "{\"operation\":\"convolution-forward\",\"shape\":\"1x1\",\"type\":\"fp32\",\"algorithm\":\"GEMM\",\"outcome\":\"right\","   \
    "\"error\":\"1.2e-07\",\"limit\":\"2.0e-05\",\"workspace\":0,\"first_ns\":40000000,\"later_ns\":21000}"
#define GPU(verdict, sentence)                                                                                                   \
    "{\"stage\":3,\"gpu\":{\"verdict\":\"" verdict "\",\"sentence\":\"" sentence "\",\"chinese\":\"" sentence                    \
    "\",\"versions\":{\"cudnn\":8003,\"runtime\":10010,\"driver\":\"418.96\"},\"devices\":[{\"name\":\"Tesla "                   \
    "T4\",\"capability\":\"7.5\",\"memory_free\":1048576,\"memory_total\":2097152,\"used\":true}],\"runs\":[" CALL "]}}"

static void begin(verb_case *c, probe *p, const char *answer) {
    *p = (probe){.answer = answer, .gpu = GPU("sample", "sample, computed on the CPU")};
    verb_case_begin(c);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_system(c->machine)->run = run_probe;
    memory_host_system(c->machine)->run_ctx = p;
    c->options.selftest = CS_SELFTEST_AUTO;
}

static void test_proof_after_an_installation(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(c.outcome.proof_files, "passed: a new program finds all 2 DLLs in " BIN);
    assert_string_equal(c.outcome.proof_loading,
                        "passed: 1 parts loaded from " BIN ", cudnnGetVersion() is 8003 (as shell user, machine values only)");
    assert_string_equal(c.outcome.proof_gpu, "skipped: sample, computed on the CPU (as shell user, machine values only)");
    assert_int_equal(p.gpu_calls, 1);
    assert_int_equal(p.calls, 1);
    assert_true(p.has_path);
    assert_false(p.as_current);
    c.options.selftest_as_current = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(p.as_current);
    assert_true(verb_case_told(&c, "warning proof.as-current"));
    verb_case_end(&c);
}

/* ---- before anything is changed ---- */

static void test_proof_tells_of_the_machine_first(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.devices = "{\"gpu\":{\"verdict\":\"passed\",\"devices\":[{\"name\":\"RTX 3080\",\"capability\":\"8.6\"}]}}";
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 52), 14u << 16 | 1131);
    assert_true(memory_host_file(c.machine, "C:\\Windows\\System32\\nvcuda.dll", file, PE_SIZE));
    cs_free(file);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(p.device_calls, 1);
    const char *told = cs_buffer_string(&c.told);
    const char *driver = strstr(told, "warning machine.driver"), *gpu = strstr(told, "warning machine.gpu");
    const char *unpacked = strstr(told, "step unpack");
    assert_non_null(driver);
    assert_non_null(gpu);
    assert_non_null(unpacked);
    assert_true(driver < unpacked && gpu < unpacked);
    assert_non_null(strstr(told, "RTX 3080 has compute capability 8.6; CUDA 10.1 serves 3.0 to 7.5."));
    assert_non_null(strstr(told, "The NVIDIA driver 411.31 is too old"));
    c.options.selftest = CS_SELFTEST_SKIP; /* starts no program */
    p.device_calls = 0;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(p.device_calls, 0);
    verb_case_end(&c);
}

/* ---- the GPU stage ---- */

static void gpu_says(probe *p, verb_case *c, int exit, const char *expected) {
    c->options.selftest = CS_SELFTEST_REQUIRE;
    int code = verb_case_install(c, "p803");
    if (!c->outcome.proof_gpu || !strstr(c->outcome.proof_gpu, expected)) print_error("%s\n", c->outcome.proof_gpu);
    assert_non_null(strstr(c->outcome.proof_gpu, expected));
    assert_int_equal(code, exit);
    assert_int_equal(p->gpu_calls, 1);
}

static void test_proof_computes(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    c.not_a_sample = true;
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    p.gpu = GPU("passed", "cuDNN computes right on Tesla T4");
    gpu_says(&p, &c, 0, "passed: cuDNN computes right on Tesla T4");
    const cs_proof_detail *detail = c.outcome.proof;
    assert_string_equal(detail->device, "Tesla T4");
    assert_string_equal(detail->driver, "418.96");
    assert_int_equal(detail->call_count, 1);
    assert_string_equal(detail->calls[0].error, "1.2e-07");
    assert_int_equal(detail->calls[0].later_ns, 21000);
    assert_true(verb_case_told(&c, "detail proof.call: convolution-forward, 1x1, fp32, GEMM: right, error 1.2e-07"));
    verb_case_end(&c);
}

/* Whatever the library says: the package is called a sample. */
static void test_proof_of_a_sample_never_says_gpu(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.gpu = GPU("passed", "cuDNN computes right on Tesla T4");
    gpu_says(&p, &c, 0, "skipped: this package is a sample");
    assert_null(strstr(c.outcome.proof_gpu, "computes right"));
    verb_case_end(&c);
}

/* What the machine cannot is no failure of the installation, even where the proof is required. */
static void test_proof_of_a_machine_that_cannot(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.gpu = GPU("no-driver", "There is no NVIDIA driver on this machine.");
    gpu_says(&p, &c, 0, "skipped: There is no NVIDIA driver");
    assert_false(verb_case_told(&c, "warning proof: Proof 3"));
    verb_case_end(&c);
    begin(&c, &p, good);
    p.gpu = GPU("device-too-new", "GeForce RTX 3080 has compute capability 8.6");
    gpu_says(&p, &c, 0, "skipped: GeForce RTX 3080");
    assert_true(verb_case_told(&c, "warning proof: Proof 3, GPU: skipped: GeForce RTX 3080"));
    verb_case_end(&c);
}

static void test_proof_of_a_wrong_result_takes_the_installation_back(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.gpu = GPU("wrong-result", "differs from the reference");
    gpu_says(&p, &c, 1603, "failed: differs from the reference");
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

static void test_proof_knows_how_the_child_ended(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.gpu_timed_out = true;
    gpu_says(&p, &c, 1603, "failed: the probe did not end within 60 s");
    verb_case_end(&c);
    begin(&c, &p, good);
    p.gpu_exit = 0xC0000005;
    gpu_says(&p, &c, 1603, "failed: the probe crashed in a library that it had loaded (exception 0xC0000005)");
    assert_int_equal(c.outcome.proof->gpu.verdict, CS_GPU_CRASHED);
    verb_case_end(&c);
    begin(&c, &p, good);
    p.gpu_exit = 0xC0000409;
    gpu_says(&p, &c, 1603, "failed: a library ended the probe (0xC0000409)");
    assert_int_equal(c.outcome.proof->gpu.verdict, CS_GPU_GAVE_UP);
    verb_case_end(&c);
    begin(&c, &p, good);
    p.gpu = "{\"stage\":3,\"gpu\":{\"verdict\":\"unheard-of\"}}";
    gpu_says(&p, &c, 1603, "failed: the probe gave no readable answer");
    verb_case_end(&c);
}

/* What does not load is not tried on the GPU. */
static void test_proof_does_not_compute_what_does_not_load(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    p.exit_code = 0xC0000005;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_non_null(strstr(c.outcome.proof_loading, "failed: the probe crashed"));
    assert_string_equal(c.outcome.proof_gpu, "skipped: it does not load");
    assert_int_equal(p.gpu_calls, 0);
    verb_case_end(&c);
}

static void test_proof_that_fails_is_a_warning(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, bad);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(verb_case_told(&c, "warning proof: Proof 2, loading: failed: cublas64_10.dll is absent"));
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    verb_case_end(&c);
}

static void test_proof_required_and_failed_takes_the_installation_back(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, bad);
    verb_case_put(&c, "include/cudnn.h", "older header");
    char *before = verb_case_dump(&c);
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 1603);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "taken back"));
    /* What is reported is the rollback alone: each target once, and the values on their way back. */
    assert_int_equal(c.outcome.file_count, VERB_ROWS);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "restored");
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "removed");
    for (size_t i = 0; i < c.outcome.value_count; i++)
        for (size_t j = 0; j < i; j++) assert_string_not_equal(c.outcome.values[i].name, c.outcome.values[j].name);
    assert_true(c.outcome.value_count > 0);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_proof_required_of_what_was_there_takes_nothing_back(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    char *before = verb_case_dump(&c);
    p.answer = bad;
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 1603);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

/* Real DLLs, which need nothing, right after the commit. */
static void make_sound(void *ctx, memory_host *machine, const char *operation, const char *path) {
    static const char *const names[] = {BIN "\\cudnn64_8.dll", BIN "\\cudnn_ops_infer64_8.dll"};
    (void)ctx;
    (void)path;
    if (strcmp(operation, "broadcast") != 0) return;
    uint8_t *file = pe_make_headers();
    for (size_t i = 0; i < 2; i++) assert_true(memory_host_file(machine, names[i], file, PE_SIZE));
    cs_free(file);
}

static void test_proof_that_cannot_run_never_fails(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, NULL);
    p.refused = true;
    memory_host_hook(c.machine, make_sound, NULL);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(c.outcome.proof_loading,
                        "skipped: there is no account without administrator rights to run it in; by their "
                        "import tables the 2 parts miss nothing");
    assert_int_equal(c.outcome.proof->loading.verdict, CS_GPU_NO_ACCOUNT);
    assert_string_equal(c.outcome.proof_gpu, "skipped: it was not loaded");
    memory_host_hook(c.machine, NULL, NULL);
    verb_case_end(&c);
}

/* Nothing is loaded, but what import tables say is told: these files are no DLLs at all. */
static void test_proof_looks_where_it_cannot_run(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, NULL);
    p.refused = true;
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 1603);
    assert_string_equal(c.outcome.proof_loading, "failed: " BIN "\\cudnn64_8.dll is not a DLL, or is damaged.");
    verb_case_end(&c);
}

/* Files that are all there, of two versions: what the loader would answer with 127 is found in the import tables. */
static void make_mixed(void *ctx, memory_host *machine, const char *operation, const char *path) {
    static const char *const names[] = {BIN "\\cudnn64_8.dll", BIN "\\cudnn_ops_infer64_8.dll"};
    (void)ctx;
    (void)path;
    if (strcmp(operation, "broadcast") != 0) return;
    uint8_t *files[] = {pe_make_linked("cudnn_ops_infer64_8.dll", "opsInfer8003", "cudnnGetVersion"),
                        pe_make_linked(NULL, NULL, "opsInfer8100")};
    for (size_t i = 0; i < 2; i++) {
        assert_true(memory_host_file(machine, names[i], files[i], PE_SIZE));
        cs_free(files[i]);
    }
}

static void test_proof_looks_at_functions_too(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, NULL);
    p.refused = true;
    memory_host_hook(c.machine, make_mixed, NULL);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(c.outcome.proof_loading,
                        "failed: " BIN "\\cudnn_ops_infer64_8.dll lacks the function opsInfer8003, which " BIN
                        "\\cudnn64_8.dll imports: it is of another version than expected.");
    assert_int_equal(c.outcome.proof->loading.verdict, CS_GPU_FUNCTION_ABSENT);
    memory_host_hook(c.machine, NULL, NULL);
    verb_case_end(&c);
}

/* The program is gone: nothing can be said, and nothing is failed for it. */
static void test_proof_that_cannot_be_started(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, NULL);
    p.start_status = CS_E_ACCESS;
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_non_null(strstr(c.outcome.proof_loading, "skipped: the probe could not be run"));
    assert_int_equal(c.outcome.proof->loading.verdict, CS_GPU_NOT_RUN);
    assert_string_equal(c.outcome.proof_gpu, "skipped: it was not loaded");
    verb_case_end(&c);
}

static void test_proof_that_never_ends_has_failed(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, NULL);
    p.timed_out = true;
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 1603);
    assert_non_null(strstr(c.outcome.proof_loading, "failed: the probe did not end"));
    verb_case_end(&c);
}

static void test_proof_names_the_copy_that_comes_first(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    memory_host_text(c.machine, "C:\\Windows\\System32\\cudnn64_8.dll", "somebody copied it here");
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_non_null(strstr(c.outcome.proof_files, "failed: a new program finds cudnn64_8.dll in C:\\Windows\\System32"));
    assert_true(verb_case_told(&c, "note proof.other: Also on the way: cudnn64_8.dll"));
    verb_case_end(&c);
}

static void test_proof_of_a_junction_in_path(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(
        &c, &p,
        "{\"stage\":2,\"cudnn_version\":8003,\"modules\":[" MODULE("cudnn64_8.dll", "C:\\\\cuda-now\\\\bin") "],\"error\":null}");
    memory_host_link(c.machine, "C:\\cuda-now", VERB_TREE);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, "C:\\cuda-now\\bin");
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(c.outcome.proof_files, "passed: a new program finds all 2 DLLs in " BIN);
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"), "C:\\cuda-now\\bin");
    verb_case_end(&c);
}

static void test_proof_without_an_entry_in_path_says_so(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    c.options.env = CS_ENV_NONE;
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_non_null(strstr(c.outcome.proof_files, "is not in its PATH"));
    assert_non_null(strstr(c.outcome.proof_files, "skipped: /env:none"));
    assert_string_equal(c.outcome.proof_loading, "skipped: /env:none; PATH does not lead to this tree");
    assert_int_equal(p.calls, 0);
    verb_case_end(&c);
}

/* Somebody puts another file of the same size there right after the commit. */
static void replace_at_broadcast(void *ctx, memory_host *machine, const char *operation, const char *path) {
    (void)path;
    const char *size = ctx;
    if (strcmp(operation, "broadcast") == 0) memory_host_text(machine, BIN "\\cudnn64_8.dll", size);
}

static void test_proof_knows_a_file_that_was_not_placed(void **state) {
    (void)state;
    verb_case c;
    probe p;
    char other[256];
    begin(&c, &p, good);
    snprintf(other, sizeof other, "%s", verb_case_content("803", 0));
    other[0] = '!';
    memory_host_hook(c.machine, replace_at_broadcast, other);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(c.outcome.proof_files, "failed: cudnn64_8.dll in " BIN " is not the file that was placed there");
    memory_host_hook(c.machine, NULL, NULL);
    verb_case_end(&c);
}

static void test_proof_of_a_repair(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    memory_host_flip(c.machine, BIN "\\cudnn64_8.dll", 3);
    c.options.selftest = CS_SELFTEST_REQUIRE;
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    assert_string_equal(c.outcome.proof_files, "passed: a new program finds all 2 DLLs in " BIN);
    assert_int_equal(p.calls, 2);
    memory_host_flip(c.machine, BIN "\\cudnn64_8.dll", 3);
    p.answer = bad;
    assert_int_equal(verb_case_run(&c, cs_repair), 1603);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "What was put right stays"));
    assert_string_equal(verb_case_get(&c, "bin/cudnn64_8.dll"), verb_case_content("803", 0));
    assert_int_equal(verb_case_run(&c, cs_repair), 1603);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "changed nothing"));
    verb_case_end(&c);
}

static void test_proof_skipped_on_request(void **state) {
    (void)state;
    verb_case c;
    probe p;
    begin(&c, &p, good);
    c.options.selftest = CS_SELFTEST_SKIP;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(p.calls, 0);
    assert_string_equal(c.outcome.proof_loading, "skipped: /selftest:skip");
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proof_reads_a_good_answer),
        cmocka_unit_test(test_proof_knows_the_folder_by_any_name),
        cmocka_unit_test(test_proof_reads_a_bad_answer),
        cmocka_unit_test(test_proof_after_an_installation),
        cmocka_unit_test(test_proof_tells_of_the_machine_first),
        cmocka_unit_test(test_proof_computes),
        cmocka_unit_test(test_proof_of_a_sample_never_says_gpu),
        cmocka_unit_test(test_proof_of_a_machine_that_cannot),
        cmocka_unit_test(test_proof_of_a_wrong_result_takes_the_installation_back),
        cmocka_unit_test(test_proof_knows_how_the_child_ended),
        cmocka_unit_test(test_proof_does_not_compute_what_does_not_load),
        cmocka_unit_test(test_proof_that_fails_is_a_warning),
        cmocka_unit_test(test_proof_required_and_failed_takes_the_installation_back),
        cmocka_unit_test(test_proof_required_of_what_was_there_takes_nothing_back),
        cmocka_unit_test(test_proof_that_cannot_run_never_fails),
        cmocka_unit_test(test_proof_looks_where_it_cannot_run),
        cmocka_unit_test(test_proof_looks_at_functions_too),
        cmocka_unit_test(test_proof_that_cannot_be_started),
        cmocka_unit_test(test_proof_that_never_ends_has_failed),
        cmocka_unit_test(test_proof_names_the_copy_that_comes_first),
        cmocka_unit_test(test_proof_of_a_junction_in_path),
        cmocka_unit_test(test_proof_without_an_entry_in_path_says_so),
        cmocka_unit_test(test_proof_knows_a_file_that_was_not_placed),
        cmocka_unit_test(test_proof_of_a_repair),
        cmocka_unit_test(test_proof_skipped_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
