#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/operations.h"
#include "memory_host.h"

#define TREE "C:\\CUDA\\v10.1"

static void add_toolkit(memory_host *machine) {
    memory_host_text(machine, TREE "\\bin\\cudart64_101.dll", "x");
    memory_host_text(machine, TREE "\\bin\\nvcc.exe", "x");
    memory_host_text(machine, TREE "\\version.txt", "CUDA Version 10.1.243\r\n");
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_SZ, TREE);
}

static void test_doctor_detect_names_the_toolkit(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    add_toolkit(machine);
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DETECT};
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_detect(memory_host_seam(machine), &options, &report, &outcome), CS_OK);
    assert_string_equal(cs_buffer_string(&outcome.message), "The CUDA toolkit is " TREE " (10.1.243).");
    assert_string_equal(outcome.tree_path, TREE);
    assert_non_null(strstr(cs_buffer_string(&report), TREE " (CUDA_PATH_V10_1): taken"));
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
    memory_host_free(machine);
}

static void test_doctor_detect_without_toolkit_is_1642(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DETECT};
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_exit_code(cs_detect(memory_host_seam(machine), &options, &report, &outcome)), 1642);
    assert_int_equal(outcome.status, CS_E_TOOLKIT);
    assert_int_equal(outcome.result, CS_RESULT_FAILED);
    assert_null(outcome.tree_path);
    assert_true(report.size > 0);
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
    memory_host_free(machine);
}

static void search_with(memory_host *machine, char *cuda, cs_status expected, const char *message) {
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_SEARCH_ORDER, .cuda = cuda};
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_show_search_order(memory_host_seam(machine), &options, &report, &outcome), expected);
    assert_string_equal(cs_buffer_string(&outcome.message), message);
    if (!expected) assert_non_null(strstr(cs_buffer_string(&report), "System32"));
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
}

static void search(memory_host *machine, const char *message) { search_with(machine, NULL, CS_OK, message); }

static void test_doctor_search_order_says_what_comes_first(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, TREE "\\bin");
    search(machine, "A new program finds no cudnn64_8.dll.");
    memory_host_text(machine, TREE "\\bin\\cudnn64_8.dll", "not a DLL");
    search(machine, "A new program finds cudnn64_8.dll in " TREE "\\bin (machine PATH, no version in it). It is no sound DLL.");
    memory_host_free(machine);
}

static void test_doctor_search_order_of_a_named_toolkit(void **state) {
    (void)state;
    static char cuda[] = "c:/cuda/V10.1/", none[] = "C:\\nowhere";
    memory_host *machine = memory_host_new();
    add_toolkit(machine);
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, "C:\\other;C:\\else");
    search_with(machine, cuda, CS_OK,
                "A new program finds no cudnn64_8.dll. " TREE
                "\\bin is not in the search order: new programs find nothing in it.");
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, "C:\\other;" TREE "\\bin");
    search_with(machine, cuda, CS_OK,
                "A new program finds no cudnn64_8.dll. " TREE "\\bin is place 7, but holds no cudnn64_8.dll.");
    memory_host_text(machine, TREE "\\bin\\cudnn64_8.dll", "x");
    search_with(machine, cuda, CS_OK,
                "A new program finds cudnn64_8.dll in " TREE
                "\\bin (machine PATH, no version in it). It is no sound DLL. That is the "
                "toolkit in question.");
    memory_host_text(machine, "C:\\other\\cudnn64_8.dll", "x");
    search_with(machine, cuda, CS_OK,
                "A new program finds cudnn64_8.dll in C:\\other (machine PATH, no version in it). It is no sound DLL. " TREE
                "\\bin comes later, as place 7: its own cudnn64_8.dll is hidden.");
    search_with(machine, none, CS_E_TOOLKIT, "C:\\nowhere is no usable CUDA 10.1 toolkit: the folder does not exist.");
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doctor_detect_names_the_toolkit),
        cmocka_unit_test(test_doctor_detect_without_toolkit_is_1642),
        cmocka_unit_test(test_doctor_search_order_says_what_comes_first),
        cmocka_unit_test(test_doctor_search_order_of_a_named_toolkit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
