#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "binary_maker.h"
#include "cudnn_setup/diagnose.h"
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

/* ---- needs ---- */

static void needs(memory_host *machine, char *dll, cs_status expected, const char *message, const char *text) {
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_NEEDS, .dll = dll};
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_show_needs(memory_host_seam(machine), &options, &report, &outcome), expected);
    assert_string_equal(cs_buffer_string(&outcome.message), message);
    assert_string_equal(cs_buffer_string(&report), text);
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
}

static void put(memory_host *machine, const char *path, uint8_t *file) {
    assert_true(memory_host_file(machine, path, file, PE_SIZE));
    cs_free(file);
}

static void test_doctor_needs_of_a_dll(void **state) {
    (void)state;
    static char dll[] = "C:\\new\\one.dll", absent[] = "C:\\new\\none.dll";
    memory_host *machine = memory_host_new();
    memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, TREE "\\bin");
    put(machine, dll, pe_make_dll());
    put(machine, TREE "\\bin\\cublas64_10.dll", pe_make_dll());
    put(machine, "C:\\Windows\\System32\\KERNEL32.dll", pe_make_dll());
    put(machine, "C:\\new\\old.dll", pe_make_dll());
    needs(machine, dll, CS_OK, "1 DLL was read; 2 of the files that they need cannot be found by new programs.",
          "C:\\new\\one.dll: x64, version 8.0.3.33\n"
          "  needs KERNEL32.dll: C:\\Windows\\System32 (System32)\n"
          "  needs cublas64_10.dll: " TREE "\\bin (machine PATH)\n"
          "  needs at first use new.dll: in no folder that new programs search\n"
          "  needs at first use old.dll: only beside it, in a folder that new programs do not search\n");
    needs(machine, absent, CS_E_NOT_FOUND, "", "");
    memory_host_text(machine, absent, "no DLL");
    needs(machine, absent, CS_E_FAILED, "", "C:\\new\\none.dll: the DOS header lies beyond the end of the file\n");
    memory_host_free(machine);
}

static void test_doctor_needs_of_a_folder(void **state) {
    (void)state;
    static char folder[] = "C:\\set", empty[] = "C:\\empty";
    memory_host *machine = memory_host_new();
    put(machine, "C:\\set\\b.DLL", pe_make_linked("api-ms-win-core-file-l1-1-0.dll", "x", NULL));
    put(machine, "C:\\set\\a.dll", pe_make_linked("zlibwapi.dll", "deflate", NULL));
    put(machine, "C:\\set\\d.dll", pe_make_headers());
    memory_host_text(machine, "C:\\set\\c.dll", "no DLL");
    memory_host_text(machine, "C:\\set\\e.txt", "no DLL");
    memory_host_folder(machine, empty);
    needs(
        machine, folder, CS_OK,
        "3 DLLs were read, 1 could not be; 1 of the files that they need cannot be found by new programs. zlibwapi.dll is needed "
        "by cuDNN 8.3 and newer only: this is not 8.0.3.",
        "C:\\set\\a.dll: x64\n"
        "  needs zlibwapi.dll: in no folder that new programs search\n"
        "\nC:\\set\\b.DLL: x64\n"
        "  needs api-ms-win-core-file-l1-1-0.dll: Windows itself\n"
        "\nC:\\set\\c.dll: the DOS header lies beyond the end of the file\n"
        "\nC:\\set\\d.dll: x64\n"
        "  needs nothing\n");
    needs(machine, empty, CS_E_NOT_FOUND, "", "");
    memory_host_free(machine);
}

static void test_doctor_needs_says_where_it_stops(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    for (unsigned i = 0; i < 260; i++) {
        char path[64];
        snprintf(path, sizeof path, "C:\\many\\%u.dll", i);
        put(machine, path, pe_make_headers());
    }
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_NEEDS, .dll = (char[]){"C:\\many"}};
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_show_needs(memory_host_seam(machine), &options, &report, &outcome), CS_OK);
    assert_string_equal(cs_buffer_string(&outcome.message),
                        "256 DLLs were read, 4 more were not looked at; new programs find all that those need that were read.");
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doctor_detect_names_the_toolkit),
        cmocka_unit_test(test_doctor_detect_without_toolkit_is_1642),
        cmocka_unit_test(test_doctor_search_order_says_what_comes_first),
        cmocka_unit_test(test_doctor_search_order_of_a_named_toolkit),
        cmocka_unit_test(test_doctor_needs_of_a_dll),
        cmocka_unit_test(test_doctor_needs_of_a_folder),
        cmocka_unit_test(test_doctor_needs_says_where_it_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
