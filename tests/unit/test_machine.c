/* Whether a machine can use the package, said before anything is installed (G01, G02, G04, G05, G06, G09, G12). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "binary_maker.h"
#include "cudnn_setup/machine.h"
#include "memory_host.h"

#define NVCUDA "C:\\Windows\\System32\\nvcuda.dll"

static memory_host *host;
static cs_manifest manifest;
static cs_machine machine;

static int set_up(void **state) {
    (void)state;
    static char cuda[] = "10.1", driver[] = "418.96", least[] = "3.0", most[] = "7.5";
    host = memory_host_new();
    machine = (cs_machine){0};
    manifest = (cs_manifest){.cuda = cuda, .driver_min = driver, .compute_min = least, .compute_max = most};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    cs_machine_free(&machine);
    memory_host_free(host);
    return 0;
}

static void expect(cs_fit fit, cs_fit wanted, const cs_buffer *sentence, const char *english, const char *chinese) {
    assert_int_equal(fit, wanted);
    assert_string_equal(cs_buffer_string(&sentence[CS_ENGLISH]), english);
    if (!strstr(cs_buffer_string(&sentence[CS_CHINESE]), chinese))
        fail_msg("\"%s\" does not say \"%s\"", cs_buffer_string(&sentence[CS_CHINESE]), chinese);
}

/* ---- the driver ---- */

static void put_driver(unsigned third, unsigned fourth) {
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 52), third << 16 | fourth);
    assert_true(memory_host_file(host, NVCUDA, file, PE_SIZE));
    cs_free(file);
}

static void expect_driver(cs_fit wanted, const char *english, const char *chinese) {
    cs_machine_read_driver(memory_host_seam(host), &manifest, &machine);
    expect(machine.driver_fit, wanted, machine.driver_sentence, english, chinese);
}

static void test_machine_driver(void **state) {
    (void)state;
    expect_driver(CS_FIT_ABSENT, "There is no NVIDIA driver on this machine: cuDNN has nothing to run on.", "没有 NVIDIA");
    assert_true(memory_host_text(host, NVCUDA, "no DLL"));
    expect_driver(CS_FIT_UNKNOWN, "The version of the NVIDIA driver cannot be read.", "无法读取");
    put_driver(14, 1131);
    expect_driver(CS_FIT_BAD,
                  "The NVIDIA driver 411.31 is too old: CUDA 10.1 needs 418.96 or newer. cuDNN can be installed, but it will not "
                  "work before the driver is updated.",
                  "411.31 太旧");
    put_driver(14, 1895);
    assert_int_equal((cs_machine_read_driver(memory_host_seam(host), &manifest, &machine), machine.driver_fit), CS_FIT_BAD);
    put_driver(14, 1896);
    expect_driver(CS_FIT_GOOD, "NVIDIA driver 418.96; CUDA 10.1 needs 418.96 or newer.", "418.96");
    put_driver(15, 8015);
    expect_driver(CS_FIT_GOOD, "NVIDIA driver 580.15; CUDA 10.1 needs 418.96 or newer.", "580.15");
    assert_string_equal(machine.driver.data, "580.15");
    manifest.driver_min = NULL;
    cs_machine_read_driver(memory_host_seam(host), &manifest, &machine);
    assert_int_equal(machine.driver_fit, CS_FIT_UNKNOWN);
    assert_string_equal(cs_buffer_string(&machine.driver_sentence[CS_ENGLISH]), "NVIDIA driver 580.15.");
}

/* ---- the GPUs ---- */

#define DEVICE(name, capability) "{\"name\":\"" name "\",\"capability\":\"" capability "\"}"
#define ANSWER(verdict, devices) "{\"stage\":0,\"gpu\":{\"verdict\":\"" verdict "\",\"devices\":[" devices "]}}"

static void expect_gpu(const char *answer, cs_fit wanted, const char *english, const char *chinese) {
    assert_true(cs_machine_read_devices(answer, strlen(answer), &manifest, &machine));
    expect(machine.gpu_fit, wanted, machine.gpu_sentence, english, chinese);
}

static void test_machine_gpu(void **state) {
    (void)state;
    expect_gpu(ANSWER("passed", DEVICE("GTX 1080", "6.1")), CS_FIT_GOOD,
               "GTX 1080 has compute capability 6.1; CUDA 10.1 serves 3.0 to 7.5.", "GTX 1080 的计算能力为 6.1");
    expect_gpu(
        ANSWER("passed", DEVICE("RTX 3080", "8.6")), CS_FIT_BAD,
        "RTX 3080 has compute capability 8.6; CUDA 10.1 serves 3.0 to 7.5. This GPU needs a newer CUDA with its own cuDNN: "
        "installing this one will not help.",
        "没有帮助");
    assert_int_equal(machine.devices[0].fit, CS_GPU_DEVICE_TOO_NEW);
    expect_gpu(ANSWER("passed", DEVICE("", "2.1")), CS_FIT_BAD,
               "GPU has compute capability 2.1; CUDA 10.1 serves 3.0 to 7.5. This GPU needs an older CUDA: installing this cuDNN "
               "will not help.",
               "更旧的 CUDA");
    assert_int_equal(machine.devices[0].fit, CS_GPU_DEVICE_TOO_OLD);
    /* Capabilities are pairs of numbers, not fractions. */
    expect_gpu(ANSWER("passed", DEVICE("X", "12.0")), CS_FIT_BAD,
               "X has compute capability 12.0; CUDA 10.1 serves 3.0 to 7.5. This GPU needs a newer CUDA with its own cuDNN: "
               "installing this one will not help.",
               "12.0");
    /* One that fits is enough, wherever it is. */
    expect_gpu(ANSWER("passed", DEVICE("RTX 3080", "8.6") "," DEVICE("T4", "7.5")), CS_FIT_GOOD,
               "T4 has compute capability 7.5; CUDA 10.1 serves 3.0 to 7.5.", "T4");
    assert_int_equal(machine.device_count, 2);
    manifest.compute_min = manifest.compute_max = NULL;
    expect_gpu(ANSWER("passed", DEVICE("H200", "9.0")), CS_FIT_UNKNOWN,
               "H200 has compute capability 9.0; CUDA 10.1 serves ? to ?.", "H200");
}

static void test_machine_no_gpu(void **state) {
    (void)state;
    expect_gpu(ANSWER("no-driver", ""), CS_FIT_ABSENT, "There is no NVIDIA driver on this machine. cuDNN itself may be in order.",
               "没有 NVIDIA 驱动程序");
    expect_gpu(ANSWER("no-device", ""), CS_FIT_ABSENT, "The NVIDIA driver finds no GPU that it serves.", "没有找到");
    expect_gpu("{\"gpu\":{\"verdict\":\"device-hidden\",\"visible_devices\":\"-1\",\"devices\":[]}}", CS_FIT_BAD,
               "CUDA_VISIBLE_DEVICES is set to \"-1\", which leaves no GPU visible.", "CUDA_VISIBLE_DEVICES");
    expect_gpu(ANSWER("driver-broken", ""), CS_FIT_UNKNOWN, "Which GPUs there are could not be found out.", "无法查明");
}

static void test_machine_answers_that_cannot_be_read(void **state) {
    (void)state;
    static const char *const answers[] = {"",
                                          "[]",
                                          "{\"gpu\":{}}",
                                          ANSWER("no such verdict", ""),
                                          ANSWER("passed", "{\"name\":\"X\"}"),
                                          ANSWER("passed", DEVICE("X", "7")),
                                          ANSWER("passed", DEVICE("X", "7.")),
                                          ANSWER("passed", DEVICE("X", ".5")),
                                          ANSWER("passed", DEVICE("X", "7.5.1")),
                                          ANSWER("passed", DEVICE("X", "-7.5")),
                                          ANSWER("passed", DEVICE("X", "7777.5")),
                                          ANSWER("passed", "7")};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (cs_machine_read_devices(answers[i], strlen(answers[i]), &manifest, &machine)) fail_msg("read: %s", answers[i]);
        expect(machine.gpu_fit, CS_FIT_UNKNOWN, machine.gpu_sentence, "Which GPUs there are could not be found out.", "无法查明");
        assert_int_equal(machine.device_count, 0);
    }
    char many[2048] = "{\"gpu\":{\"verdict\":\"passed\",\"devices\":[" DEVICE("X", "7.5");
    for (int i = 0; i < CS_GPU_MAX_DEVICES; i++) strncat(many, "," DEVICE("X", "7.5"), sizeof many - strlen(many) - 1);
    strncat(many, "]}}", sizeof many - strlen(many) - 1);
    assert_false(cs_machine_read_devices(many, strlen(many), &manifest, &machine));
}

/* ---- asking ---- */

static cs_child_result answer;
static const char *answer_text;
static bool as_current;

static cs_status run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    (void)ctx, (void)error;
    assert_string_equal(child->program, "C:\\P\\cudnn-probe.exe");
    assert_string_equal(child->arguments[0], "/stage:device");
    assert_int_equal(child->deadline_ms, CS_MACHINE_DEADLINE_MS);
    assert_int_equal(child->argument_count, as_current ? 2 : 1);
    assert_int_equal(child->as_current, as_current);
    *result = answer;
    cs_buffer_text(&result->output, answer_text);
    return CS_OK;
}

static bool ask(void) {
    return cs_machine_ask(memory_host_seam(host), "C:\\P\\cudnn-probe.exe", as_current, &manifest, &machine);
}

static void test_machine_asks_the_probe(void **state) {
    (void)state;
    answer = (cs_child_result){.account = "this user"};
    answer_text = ANSWER("passed", DEVICE("GTX 1080", "6.1"));
    memory_host_system(host)->run = run;
    assert_false(ask()); /* there is no probe */
    assert_int_equal(machine.gpu_fit, CS_FIT_UNKNOWN);
    assert_true(memory_host_text(host, "C:\\P\\cudnn-probe.exe", "x"));
    assert_true(ask());
    assert_int_equal(machine.gpu_fit, CS_FIT_GOOD);
    as_current = true;
    assert_true(ask());
    as_current = false;
    answer.timed_out = true;
    assert_false(ask());
    assert_int_equal(machine.device_count, 0);
    answer = (cs_child_result){.refused = true};
    assert_false(ask());
    assert_true(machine.gpu_sentence[CS_ENGLISH].size > 0);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(test_machine_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(driver), CASE(gpu), CASE(no_gpu), CASE(answers_that_cannot_be_read),
                                       CASE(asks_the_probe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
