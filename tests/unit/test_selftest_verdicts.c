/* Every failure its own verdict: what each state of a machine or an installation is called, and whom it blames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "fake_cuda.h"

static const cs_gpu_shape shape = {"plain", 1, 2, 5, 4, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1, true};
static cs_selftest_options options;
static cs_gpu_report selftest;

static int set_up(void **state) {
    (void)state;
    fake_cuda_begin();
    options = (cs_selftest_options){.loader = fake_cuda_loader(), .later_calls = 1, .shapes = &shape, .shape_count = 1};
    selftest = (cs_gpu_report){0};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    cs_selftest_free(&selftest);
    assert_int_equal(fake.live_memory, 0);
    assert_int_equal(fake.live_objects, 0);
    assert_int_equal(fake.open_libraries, 0);
    return 0;
}

/* says: what the sentence must hold */
static void expect(cs_gpu_verdict verdict, cs_gpu_blame blame, const char *says) {
    cs_selftest_free(&selftest);
    bool passed = cs_selftest_run(&options, &selftest);
    assert_string_equal(cs_gpu_verdict_name(selftest.verdict), cs_gpu_verdict_name(verdict));
    assert_int_equal(cs_gpu_blame_of(selftest.verdict), blame);
    assert_int_equal(passed, verdict == CS_GPU_PASSED);
    if (!strstr(selftest.sentence.data, says)) fail_msg("\"%s\" does not say \"%s\"", selftest.sentence.data, says);
}

static void test_verdict_cudnn_absent(void **state) {
    (void)state;
    fake.absent = "cudnn64_8.dll";
    expect(CS_GPU_CUDNN_ABSENT, CS_GPU_BLAME_INSTALLATION, "cannot load cudnn64_8.dll (error 126)");
    assert_int_equal(selftest.system, 126);
    assert_int_equal(selftest.runtime_version, 10010); /* looked at all the same */
}

static void test_verdict_damaged_library_keeps_its_code(void **state) {
    (void)state;
    fake.absent = "cudnn64_8.dll";
    fake.absent_status = CS_E_SYSTEM;
    fake.absent_system = 193;
    expect(CS_GPU_CUDNN_ABSENT, CS_GPU_BLAME_INSTALLATION, "(error 193)");
}

/* Each of the six in turn; the seventh is cudnn64_8.dll itself, above. */
static void test_verdict_part_missing(void **state) {
    (void)state;
    const cs_cudnn_names *names = &fake_cuda_loader()->cudnn[0];
    size_t count = 0;
    for (; names->parts[count]; count++) {
        fake.absent = names->parts[count];
        expect(CS_GPU_PART_MISSING, CS_GPU_BLAME_INSTALLATION, names->parts[count]);
        assert_string_equal(selftest.culprit.data, names->parts[count]);
        assert_int_equal(selftest.cudnn_version, 8003);
    }
    assert_int_equal(count, 6);
}

static void test_verdict_runtime_absent(void **state) {
    (void)state;
    fake.absent = "cudart64_101.dll";
    expect(CS_GPU_RUNTIME_ABSENT, CS_GPU_BLAME_INSTALLATION, "cudart64_101.dll");
}

/* Every function that must be there, one after the other. */
static void test_verdict_symbol_missing(void **state) {
    (void)state;
    enum { CORE = 1, FULL = 1, EXTRA = 0 };
#define NAME(result, name, need, parameters) {#name, need},
    static const struct {
        const char *name;
        int needed;
    } functions[] = {CUDA_RUNTIME_FUNCTIONS(NAME) CUDNN_FUNCTIONS(NAME)};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        fake.missing = functions[i].name;
        if (functions[i].needed) {
            expect(CS_GPU_SYMBOL_MISSING, CS_GPU_BLAME_INSTALLATION, functions[i].name);
            assert_string_equal(selftest.culprit.data, functions[i].name);
        } else {
            expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "computes right");
        }
    }
}

static void test_verdict_parts_mixed(void **state) {
    (void)state;
    static const char *const checks[] = {"cudnnOpsInferVersionCheck", "cudnnOpsTrainVersionCheck", "cudnnCnnInferVersionCheck",
                                         "cudnnCnnTrainVersionCheck", "cudnnAdvInferVersionCheck", "cudnnAdvTrainVersionCheck"};
    static const char *const parts[] = {"ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"};
    fake.failing_status = CUDNN8_VERSION_MISMATCH;
    for (size_t i = 0; i < 6; i++) {
        fake.failing = checks[i];
        expect(CS_GPU_PARTS_MIXED, CS_GPU_BLAME_INSTALLATION, parts[i]);
    }
}

static void test_verdict_runtime_mixed(void **state) {
    (void)state;
    fake.built_for = 10020;
    expect(CS_GPU_RUNTIME_MIXED, CS_GPU_BLAME_INSTALLATION,
           "built for CUDA 10.2, but the runtime that was found is of CUDA 10.1");
    fake.built_for = 11020;
    fake.runtime_version = 11080; /* from 11 on any of the same major number will do */
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "");
    fake.runtime_version = 12000;
    expect(CS_GPU_RUNTIME_MIXED, CS_GPU_BLAME_INSTALLATION, "CUDA 12.0");
}

/* G05: only other graphics: there is no driver, and cuDNN is not called broken. */
static void test_verdict_no_driver(void **state) {
    (void)state;
    fake.absent = "nvcuda.dll";
    fake.driver_cuda = 0;
    fake.count_status = CUDA_INSUFFICIENT_DRIVER; /* what the runtime says of none, too */
    expect(CS_GPU_NO_DRIVER, CS_GPU_BLAME_MACHINE, "no NVIDIA driver");
    fake.absent = NULL; /* a DLL of it that was left behind */
    expect(CS_GPU_NO_DRIVER, CS_GPU_BLAME_MACHINE, "no NVIDIA driver");
}

/* G04. */
static void test_verdict_driver_too_old(void **state) {
    (void)state;
    fake.driver_cuda = 10000;
    fake.count_status = CUDA_INSUFFICIENT_DRIVER;
    options.driver_version = "411.31";
    expect(CS_GPU_DRIVER_TOO_OLD, CS_GPU_BLAME_MACHINE,
           "The NVIDIA driver 411.31 is too old: it serves CUDA 10.0, and CUDA 10.1 is installed, which needs driver 418.96");
    assert_string_equal(selftest.driver_version, "411.31");
}

static void test_verdict_driver_states(void **state) {
    (void)state;
    fake.count_status = CUDA_DRIVER_MISMATCH;
    expect(CS_GPU_DRIVER_MISMATCH, CS_GPU_BLAME_MACHINE, "different versions (error 803)");
    fake.count_status = CUDA_UNKNOWN;
    expect(CS_GPU_DRIVER_BROKEN, CS_GPU_BLAME_MACHINE, "cudaGetDeviceCount answered 999");
    fake.count_status = CUDA_INITIALIZATION;
    expect(CS_GPU_DRIVER_BROKEN, CS_GPU_BLAME_MACHINE, "answered 3");
}

/* G06. */
static void test_verdict_no_device(void **state) {
    (void)state;
    fake.count_status = CUDA_NO_DEVICE;
    expect(CS_GPU_NO_DEVICE, CS_GPU_BLAME_MACHINE, "no GPU");
    fake.count_status = 0;
    fake.device_count = 0;
    expect(CS_GPU_NO_DEVICE, CS_GPU_BLAME_MACHINE, "no GPU");
    assert_int_equal(selftest.device, -1);
}

/* G06. */
static void test_verdict_device_hidden(void **state) {
    (void)state;
    fake.count_status = CUDA_NO_DEVICE;
    options.visible_devices = "-1";
    expect(CS_GPU_DEVICE_HIDDEN, CS_GPU_BLAME_MACHINE, "CUDA_VISIBLE_DEVICES is set to \"-1\"");
    options.visible_devices = "";
    expect(CS_GPU_DEVICE_HIDDEN, CS_GPU_BLAME_MACHINE, "set to \"\"");
}

/* A device that does not fit may be the one that CUDA_VISIBLE_DEVICES left: every such sentence says that it is set. */
static void test_verdict_visible_devices_are_told(void **state) {
    (void)state;
    static const char said[] = "; CUDA_VISIBLE_DEVICES is set to \"1\".";
    options.visible_devices = "1";
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, said);
    fake.devices[0].major = 8;
    expect(CS_GPU_DEVICE_TOO_NEW, CS_GPU_BLAME_MACHINE, said);
    fake.devices[0].major = 2;
    expect(CS_GPU_DEVICE_TOO_OLD, CS_GPU_BLAME_MACHINE, said);
    fake.devices[0].major = 7;
    fake.devices[0].mode = CUDA_COMPUTE_PROHIBITED;
    expect(CS_GPU_DEVICE_BUSY, CS_GPU_BLAME_MACHINE, said);
    fake.devices[0].mode = 0;
    fake.devices[0].available = (size_t)100 << 20;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, said);
    assert_non_null(strstr(selftest.chinese.data, "；CUDA_VISIBLE_DEVICES 设为“1”。"));
}

/* G01, G02, G09, G12: a GPU that is too new for CUDA 10.1, or too old. */
static void test_verdict_capability(void **state) {
    (void)state;
    fake.devices[0].major = 8;
    fake.devices[0].minor = 6;
    expect(CS_GPU_DEVICE_TOO_NEW, CS_GPU_BLAME_MACHINE, "8.6, and CUDA 10.1 has no code for GPUs newer than 7.5");
    fake.devices[0].major = 2;
    fake.devices[0].minor = 1;
    expect(CS_GPU_DEVICE_TOO_OLD, CS_GPU_BLAME_MACHINE, "2.1, and CUDA 10.1 serves 3.0 and newer");
    fake.devices[0].major = 3;
    fake.devices[0].minor = 0;
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "computes right");
    fake.devices[0].major = 9; /* no judgement of a runtime that is not known */
    fake.runtime_version = 13000;
    fake.built_for = 13000;
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "computes right");
}

static void test_verdict_device_busy(void **state) {
    (void)state;
    fake.devices[0].mode = CUDA_COMPUTE_PROHIBITED;
    expect(CS_GPU_DEVICE_BUSY, CS_GPU_BLAME_MACHINE, "compute mode");
    fake.devices[0].mode = 0;
    fake.devices[0].memory_status = CUDA_DEVICES_UNAVAILABLE;
    expect(CS_GPU_DEVICE_BUSY, CS_GPU_BLAME_MACHINE, "compute mode");
}

static void test_verdict_next_device_is_taken(void **state) {
    (void)state;
    fake.device_count = 4;
    fake.devices[0].major = 8;
    fake.devices[1].set_status = CUDA_DEVICES_UNAVAILABLE;
    fake.devices[2].available = (size_t)100 << 20;
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "Fake GPU 3");
    assert_int_equal(selftest.device, 3);
    assert_int_equal(selftest.devices[0].fit, CS_GPU_DEVICE_TOO_NEW);
    assert_int_equal(selftest.devices[1].fit, CS_GPU_DEVICE_BUSY);
    assert_int_equal(selftest.devices[1].status, CUDA_DEVICES_UNAVAILABLE);
    assert_int_equal(selftest.devices[2].fit, CS_GPU_MEMORY_TAKEN);
    assert_int_equal(fake.current, 3);
}

static void test_verdict_name_without_the_driver(void **state) {
    (void)state;
    fake.absent = "nvcuda.dll"; /* but the runtime finds a device */
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "Fake properties 0");
    assert_int_equal(selftest.driver_path.size, 0);
}

/* Which GPUs there are, of the driver alone: neither CUDA nor cuDNN has to be there. */
static void expect_devices(cs_gpu_verdict verdict, size_t count) {
    cs_selftest_free(&selftest);
    assert_int_equal(cs_selftest_devices(&options, &selftest), verdict == CS_GPU_PASSED);
    assert_string_equal(cs_gpu_verdict_name(selftest.verdict), cs_gpu_verdict_name(verdict));
    assert_int_equal(selftest.device_count, count);
}

static void test_verdict_devices_of_the_driver(void **state) {
    (void)state;
    fake.device_count = 2;
    fake.devices[1].major = 8;
    fake.devices[1].minor = 6;
    expect_devices(CS_GPU_PASSED, 2);
    assert_string_equal(selftest.devices[1].name, "Fake GPU 1");
    assert_int_equal(selftest.devices[1].major * 10 + selftest.devices[1].minor, 86);
    assert_int_equal(selftest.runtime_path.size + selftest.cudnn_path.size, 0);
    fake.failing = "cuDeviceGetName"; /* a name is not what it is asked for */
    fake.failing_status = CUDA_UNKNOWN;
    expect_devices(CS_GPU_PASSED, 2);
    assert_string_equal(selftest.devices[1].name, "");
    fake.failing = "cuInit";
    expect_devices(CS_GPU_DRIVER_BROKEN, 0);
    fake.failing_status = CUDA_NO_DEVICE;
    expect_devices(CS_GPU_NO_DEVICE, 0);
    options.visible_devices = "-1";
    expect_devices(CS_GPU_DEVICE_HIDDEN, 0);
    assert_string_equal(selftest.visible_devices, "-1");
    fake.failing = "cuDeviceGetAttribute";
    options.visible_devices = NULL;
    expect_devices(CS_GPU_NO_DEVICE, 0);
    fake.failing = NULL;
    fake.device_count = 0;
    expect_devices(CS_GPU_NO_DEVICE, 0);
    fake.missing = "cuDeviceGetCount";
    expect_devices(CS_GPU_DRIVER_BROKEN, 0);
    fake.absent = "nvcuda.dll";
    expect_devices(CS_GPU_NO_DRIVER, 0);
}

/* G07: "not initialized" for want of memory; of a driver or of a GPU that is too old it is said before that, above. */
static void test_verdict_memory_taken(void **state) {
    (void)state;
    fake.devices[0].available = (size_t)100 << 20;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "100 of 8192 MiB");
    fake.devices[0].memory_status = CUDA_MEMORY_ALLOCATION; /* so little that the question itself fails */
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "has too little free memory.");
    fake.devices[0].memory_status = 0;
    fake.devices[0].available = (size_t)400 << 20;
    fake.failing = "cudnnCreate";
    fake.failing_status = CUDNN8_NOT_INITIALIZED;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "400 of 8192 MiB");
    fake.devices[0].available = (size_t)4 << 30;
    fake.failing_status = CUDNN8_ALLOC_FAILED;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "too little free memory");
    fake.failing = "cudaMalloc";
    fake.failing_status = CUDA_MEMORY_ALLOCATION;
    fake.failing_after = 5;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "too little free memory");
}

/* The same call, different statuses, different verdicts (G07). */
static void test_verdict_statuses_of_create(void **state) {
    (void)state;
    static const struct {
        int status;
        cs_gpu_verdict verdict;
        cs_gpu_blame blame;
        const char *says;
    } rows[] = {{CUDNN8_NOT_INITIALIZED, CS_GPU_NOT_INITIALIZED, CS_GPU_BLAME_UNKNOWN, "cudnnCreate answered 1"},
                {CUDNN9_NOT_INITIALIZED, CS_GPU_NOT_INITIALIZED, CS_GPU_BLAME_UNKNOWN, "1001"},
                {CUDNN8_ARCH_MISMATCH, CS_GPU_DEVICE_UNSERVED, CS_GPU_BLAME_MACHINE, "no code for Fake GPU 0"},
                {CUDNN8_VERSION_MISMATCH, CS_GPU_PARTS_MIXED, CS_GPU_BLAME_INSTALLATION, "two versions are mixed"},
                {CUDNN9_VERSION_MISMATCH, CS_GPU_PARTS_MIXED, CS_GPU_BLAME_INSTALLATION, "two versions are mixed"},
                {CUDNN9_LOADING_FAILED, CS_GPU_PART_MISSING, CS_GPU_BLAME_INSTALLATION, "cannot be loaded"},
                {CUDNN9_PART_UNAVAILABLE, CS_GPU_PART_MISSING, CS_GPU_BLAME_INSTALLATION, "cannot be loaded"},
                {CUDNN9_INCOMPATIBLE_DRIVER, CS_GPU_DRIVER_TOO_OLD, CS_GPU_BLAME_MACHINE, "too old"},
                {CUDNN9_INCOMPATIBLE_RUNTIME, CS_GPU_RUNTIME_MIXED, CS_GPU_BLAME_INSTALLATION, "built for"},
                {CUDNN9_HOST_ALLOCATION_FAILED, CS_GPU_NO_MEMORY, CS_GPU_BLAME_MACHINE, "out of memory"},
                {CUDNN8_INTERNAL_ERROR, CS_GPU_EXECUTION_FAILED, CS_GPU_BLAME_UNKNOWN, "cudnnCreate failed on Fake GPU 0"},
                {CUDNN9_EXECUTION_FAILED, CS_GPU_EXECUTION_FAILED, CS_GPU_BLAME_UNKNOWN, "error 5000"}};
    fake.failing = "cudnnCreate";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake.failing_status = rows[i].status;
        expect(rows[i].verdict, rows[i].blame, rows[i].says);
    }
}

/* G07: one status, a text for each cause that can be seen; a GPU that is too old is told before. */
static void test_verdict_not_initialized_has_causes(void **state) {
    (void)state;
    fake.failing = "cudnnCreate";
    fake.failing_status = CUDNN8_NOT_INITIALIZED;
    expect(CS_GPU_NOT_INITIALIZED, CS_GPU_BLAME_UNKNOWN, "nothing that was looked at explains it");
    fake.devices[0].available = (size_t)400 << 20;
    expect(CS_GPU_MEMORY_TAKEN, CS_GPU_BLAME_MACHINE, "400 of 8192 MiB");
    fake.driver_cuda = 10000; /* says more than the memory does */
    expect(CS_GPU_DRIVER_TOO_OLD, CS_GPU_BLAME_MACHINE, "it serves CUDA 10.0, and CUDA 10.1 is installed");
    fake.devices[0].available = (size_t)4 << 30;
    fake.runtime_version = 11080;
    fake.built_for = 11080;
    fake.driver_cuda = 11000;
    expect(CS_GPU_NOT_INITIALIZED, CS_GPU_BLAME_UNKNOWN, "cudnnCreate answered 1");
    fake.driver_cuda = 10020;
    expect(CS_GPU_DRIVER_TOO_OLD, CS_GPU_BLAME_MACHINE, "it serves CUDA 10.2");
    fake.runtime_version = 10010;
    fake.built_for = 10010;
    fake.devices[0].major = 2;
    expect(CS_GPU_DEVICE_TOO_OLD, CS_GPU_BLAME_MACHINE, "serves 3.0 and newer only");
}

/* G01 as the library tells it, and G10. */
static void test_verdict_statuses_of_a_kernel(void **state) {
    (void)state;
    fake.failing = "cudaDeviceSynchronize";
    fake.failing_status = CUDA_LAUNCH_TIMEOUT;
    expect(CS_GPU_WATCHDOG, CS_GPU_BLAME_MACHINE, "took too long");
    fake.failing_status = CUDA_NO_KERNEL_IMAGE;
    expect(CS_GPU_DEVICE_UNSERVED, CS_GPU_BLAME_MACHINE, "answered 209");
    fake.failing = "cudnnConvolutionForward";
    fake.failing_status = CUDNN8_EXECUTION_FAILED;
    expect(CS_GPU_EXECUTION_FAILED, CS_GPU_BLAME_UNKNOWN, "cudnnConvolutionForward failed on Fake GPU 0 (error 8)");
}

/* Whatever function fails, from whatever call on: it does not pass, and everything is given back. */
static void test_verdict_every_call_may_fail(void **state) {
    (void)state;
    /* Not asked for results: names, versions, what is freed, and what is asked for nothing but to forget an error. */
    static const char *const harmless[] = {"cudaRuntimeGetVersion", "cudaDriverGetVersion", "cudaGetDeviceProperties", "cudaFree",
                                           "cudaGetLastError",      "cudaGetErrorName",     "cudaGetDeviceCount"};
    static const struct {
        const char *name;
        int status;
    } functions[] = {
#define RUNTIME_NAME(result, name, need, parameters) {#name, CUDA_LAUNCH_FAILURE},
#define CUDNN_NAME(result, name, need, parameters)   {#name, CUDNN8_INTERNAL_ERROR},
        CUDA_RUNTIME_FUNCTIONS(RUNTIME_NAME) CUDNN_FUNCTIONS(CUDNN_NAME)};
    size_t tried = 0;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        bool skip_it = strstr(functions[i].name, "Destroy") || !strncmp(functions[i].name, "cudnnGetVersion", 15) ||
                       !strcmp(functions[i].name, "cudnnGetCudartVersion") || !strcmp(functions[i].name, "cudnnGetErrorString");
        for (size_t h = 0; h < sizeof harmless / sizeof harmless[0]; h++) skip_it |= !strcmp(functions[i].name, harmless[h]);
        for (unsigned after = 0; after < 3 && !skip_it; after++) {
            fake.failing = functions[i].name;
            fake.failing_status = functions[i].status;
            fake.failing_after = after;
            cs_selftest_free(&selftest);
            bool passed = cs_selftest_run(&options, &selftest);
            /* Some are called once or twice only. */
            if (passed && !fake.failing_after && after == 0) fail_msg("passed although %s failed", functions[i].name);
            if (!passed) tried++;
            assert_int_equal(fake.live_memory + fake.live_objects, 0);
        }
    }
    assert_true(tried > 80);
}

static void test_verdict_names_are_distinct(void **state) {
    (void)state;
    for (int a = 0; a < CS_GPU_VERDICT_COUNT; a++)
        for (int b = a + 1; b < CS_GPU_VERDICT_COUNT; b++)
            assert_string_not_equal(cs_gpu_verdict_name((cs_gpu_verdict)a), cs_gpu_verdict_name((cs_gpu_verdict)b));
    assert_string_equal(cs_gpu_verdict_name(CS_GPU_VERDICT_COUNT), "unknown");
    assert_string_equal(cs_gpu_outcome_name(CS_GPU_OVERRUN), "overrun");
}

static void test_verdict_json_holds_it_all(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_error error = {0};
    cs_json *json = NULL;
    cs_json_writer writer = {.out = &text, .layout = CS_JSON_PRETTY, .lossy = true};
    options.visible_devices = "0";
    expect(CS_GPU_PASSED, CS_GPU_BLAME_NOBODY, "");
    cs_selftest_put_json(&writer, NULL, &selftest);
    assert_int_equal(cs_json_finish(&writer, &error), CS_OK);
    const cs_json_limits limits = {.max_bytes = 1 << 20};
    assert_int_equal(cs_json_parse("selftest", text.data, text.size, &limits, &json, &error), CS_OK);
    cs_json_reader reader = {.name = "selftest", .error = &error};
    cs_json_at root = cs_json_root(&reader, json), versions = cs_json_get(&root, "versions");
    assert_string_equal(cs_json_text(cs_json_get(&root, "verdict"), 1, 64), "passed");
    assert_string_equal(cs_json_text(cs_json_get(&root, "blame"), 1, 64), "nobody");
    assert_string_equal(cs_json_text(cs_json_get(&root, "visible_devices"), 1, 64), "0");
    assert_int_equal(cs_json_uint(cs_json_get(&versions, "cudnn"), 100000), 8003);
    cs_json_at runs = cs_json_get(&root, "runs"), devices = cs_json_get(&root, "devices"), first = {0};
    assert_int_equal(cs_json_count(&runs, 1, 1000), selftest.run_count);
    assert_int_equal(cs_json_count(&devices, 1, 1), 1);
    assert_true(cs_json_each(&runs, &first));
    assert_string_equal(cs_json_text(cs_json_get(&first, "outcome"), 1, 64), "right");
    assert_string_equal(cs_json_text(cs_json_get(&first, "limit"), 1, 64), "2.000e-05");
    assert_int_equal(reader.status, CS_OK);
    cs_json_free(json);
    cs_buffer_free(&text);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(test_verdict_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(cudnn_absent),
                                       CASE(damaged_library_keeps_its_code),
                                       CASE(part_missing),
                                       CASE(runtime_absent),
                                       CASE(symbol_missing),
                                       CASE(parts_mixed),
                                       CASE(runtime_mixed),
                                       CASE(no_driver),
                                       CASE(driver_too_old),
                                       CASE(driver_states),
                                       CASE(no_device),
                                       CASE(device_hidden),
                                       CASE(capability),
                                       CASE(device_busy),
                                       CASE(next_device_is_taken),
                                       CASE(name_without_the_driver),
                                       CASE(visible_devices_are_told),
                                       CASE(devices_of_the_driver),
                                       CASE(not_initialized_has_causes),
                                       CASE(memory_taken),
                                       CASE(statuses_of_create),
                                       CASE(statuses_of_a_kernel),
                                       CASE(every_call_may_fail),
                                       CASE(names_are_distinct),
                                       CASE(json_holds_it_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
