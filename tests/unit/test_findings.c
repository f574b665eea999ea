/* What the doctor finds and explains: one test for each row of the collected reports, by the row's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/doctor/doctor.h"
#include "binary_maker.h"
#include "cudnn_setup/diagnose.h"
#include "memory_host.h"

#define TREE "C:\\CUDA\\v10.1"
#define BIN  TREE "\\bin"

static const char *const parts[] = {"cudnn64_8.dll",           "cudnn_ops_infer64_8.dll", "cudnn_ops_train64_8.dll",
                                    "cudnn_cnn_infer64_8.dll", "cudnn_cnn_train64_8.dll", "cudnn_adv_infer64_8.dll",
                                    "cudnn_adv_train64_8.dll"};
enum { PARTS = sizeof parts / sizeof parts[0] };

typedef struct fixture {
    memory_host *machine;
    cs_buffer report;
    cs_outcome outcome;
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->machine = memory_host_new();
    memory_host_text(f->machine, BIN "\\cudart64_101.dll", "x");
    memory_host_text(f->machine, TREE "\\version.txt", "CUDA Version 10.1.243\r\n");
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_SZ, TREE);
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, TREE);
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, BIN);
    *state = f;
    return 0;
}

static void clear(fixture *f) {
    cs_buffer_free(&f->report);
    cs_outcome_free(&f->outcome);
    f->outcome = (cs_outcome){0};
}

static int end(void **state) {
    fixture *f = *state;
    clear(f);
    memory_host_free(f->machine);
    free(f);
    return 0;
}

static void path(fixture *f, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, text);
}

static void put(fixture *f, const char *folder, const char *name, unsigned major, unsigned minor, unsigned third) {
    char file[512];
    uint8_t *dll = pe_make_dll();
    put32(pe_at(dll, PE_VERSION_INFO) + 48, (uint32_t)major << 16 | minor);
    put32(pe_at(dll, PE_VERSION_INFO) + 52, (uint32_t)third << 16 | 33);
    snprintf(file, sizeof file, "%s\\%s", folder, name);
    assert_true(memory_host_file(f->machine, file, dll, PE_SIZE));
    cs_free(dll);
}

/* The whole set of 8.0.3. */
static void put_set(fixture *f, const char *folder) {
    for (size_t i = 0; i < PARTS; i++) put(f, folder, parts[i], 8, 0, 3);
}

static void take(fixture *f, const char *folder, const char *name) {
    char file[512];
    snprintf(file, sizeof file, "%s\\%s", folder, name);
    assert_true(memory_host_delete(f->machine, file));
}

static cs_status find(fixture *f) {
    clear(f);
    return cs_doctor_findings(memory_host_seam(f->machine), NULL, &f->report, &f->outcome);
}

static void assert_says(fixture *f, const char *text) {
    if (!strstr(cs_buffer_string(&f->report), text)) fail_msg("no \"%s\" in:\n%s", text, cs_buffer_string(&f->report));
}

/* The finding is there, and as bad as that. */
static void assert_found(fixture *f, cs_status status, const char *text) {
    cs_status found = find(f);
    if (found != status) fail_msg("%d, not %d:\n%s", found, status, cs_buffer_string(&f->report));
    assert_says(f, text);
}

static void assert_explained(fixture *f, const char *text) {
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DIAGNOSE};
    clear(f);
    cs_diagnose(memory_host_seam(f->machine), &options, &f->report, &f->outcome);
    const char *known = strstr(cs_buffer_string(&f->report), "Good to know\n");
    assert_non_null(known);
    if (!strstr(known, text)) fail_msg("no \"%s\" in:\n%s", text, known);
}

static void test_findings_nothing_on_a_healthy_machine(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_system(f->machine)->own_path = "C:\\Windows;" BIN;
    cs_status status = find(f);
    assert_string_equal(cs_buffer_string(&f->report), "");
    assert_int_equal(status, CS_OK);
}

/* ---- section 3: wrong version, several versions ---- */

static void test_findings_v01_program_for_cudnn_7(void **state) {
    assert_explained(*state, "asks for cudnn64_7.dll was built for cuDNN 7");
    assert_explained(*state, "it needs cuDNN 7.6.x");
}

static void test_findings_v02_7_is_really_8(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    put(f, BIN, "cudnn64_7.dll", 7, 6, 5);
    assert_int_equal(find(f), CS_OK); /* 7.6 beside 8.0 is right */
    put(f, BIN, "cudnn64_7.dll", 8, 0, 3);
    assert_found(f, CS_E_NOTHING, "cudnn64_7.dll in " BIN " is really version 8.0.3: a renamed file");
}

static void test_findings_v03_renamed_to_an_older_name(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    put(f, "C:\\app", "cudnn64_6.dll", 5, 1, 10);
    path(f, BIN ";C:\\app");
    assert_found(f, CS_E_NOTHING, "cudnn64_6.dll in C:\\app is really version 5.1.10");
    assert_says(f, "a program that asks for cudnn64_6.dll needs cuDNN 6");
    assert_explained(f, "Renaming or copying cudnn64_8.dll to that name does not help");
}

static void test_findings_v05_known_programs(void **state) {
    assert_explained(*state, "cupy-cuda101");
    assert_explained(*state, "ML.NET: 7.6.4");
}

static void test_findings_v06_numbers_of_cuda_and_cudnn(void **state) {
    fixture *f = *state;
    assert_explained(f, "\"cuDNN 10.1\" does not exist");
    char archive[] = "C:\\media\\cudnn-10.1-windows10-x64-v7.6.5.32.zip";
    cs_options options = {.program = CS_PROGRAM_SETUP, .verb = CS_VERB_INSTALL, .ui = CS_UI_QUIET, .archive = archive};
    memory_host_text(f->machine, archive, "not the archive");
    clear(f);
    assert_int_equal(cs_exit_code(cs_install(memory_host_seam(f->machine), &options, &f->outcome)), 1620);
    assert_non_null(strstr(cs_buffer_string(&f->outcome.message), "7.6.5.32"));
}

static void test_findings_v07_two_on_path(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    put_set(f, "C:\\other");
    path(f, BIN ";C:\\other");
    assert_found(f, CS_E_NOTHING, "cudnn64_8.dll comes first from " BIN ", and is also in C:\\other");
}

static void test_findings_v08_older_one_first(void **state) {
    fixture *f = *state;
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    put_set(f, BIN);
    put(f, "C:\\old", "cudnn64_8.dll", 8, 0, 1);
    path(f, "C:\\old;" BIN);
    assert_int_equal(cs_doctor_search(memory_host_seam(f->machine), NULL, &report, &outcome), CS_OK);
    assert_non_null(strstr(cs_buffer_string(&outcome.message), "finds cudnn64_8.dll in C:\\old (machine PATH, version 8.0.1"));
    assert_non_null(strstr(cs_buffer_string(&report), "hidden by an earlier one"));
    assert_found(f, CS_E_DIFFERS, "cudnn_ops_infer64_8.dll comes from " BIN ", but cudnn64_8.dll from C:\\old");
    cs_buffer_free(&report);
    cs_outcome_free(&outcome);
}

static void test_findings_v09_header_and_library_differ(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_text(f->machine, TREE "\\include\\cudnn_version.h",
                     "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 3\n");
    assert_int_equal(find(f), CS_OK);
    memory_host_text(f->machine, TREE "\\include\\cudnn_version.h",
                     "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n");
    assert_found(f, CS_E_DIFFERS, "says 8.1.0, but cudnn64_8.dll in " BIN " is 8.0.3");
}

static void test_findings_v10_wheels_bring_their_own(void **state) {
    assert_explained(*state, "CuPy and other wheels bring a cuDNN of their own in site-packages");
}

static void test_findings_v11_ours_before_a_newer_one(void **state) {
    assert_explained(*state, "compiled for a newer one: then its own folder has to come first");
}

static void test_findings_v12_partial_set(void **state) {
    fixture *f = *state; /* a program's folder with three of the seven */
    put_set(f, BIN);
    for (size_t i = 1; i < 4; i++) put(f, "C:\\app", parts[i], 8, 0, 3);
    path(f, BIN ";C:\\app");
    assert_found(f, CS_E_NOTHING, "C:\\app holds 3 of the 7 DLLs of cuDNN 8");
    path(f, "C:\\app;" BIN); /* now the parts come from there */
    assert_found(f, CS_E_DIFFERS, "cudnn_ops_infer64_8.dll comes from C:\\app, but cudnn64_8.dll from " BIN);
}

static void test_findings_v13_versions_mixed(void **state) {
    fixture *f = *state; /* CUDNN_STATUS_VERSION_MISMATCH; the verdict for the status itself is in test_selftest_verdicts.c */
    put_set(f, BIN);
    put(f, BIN, "cudnn_cnn_infer64_8.dll", 8, 0, 5);
    assert_found(f, CS_E_DIFFERS,
                 "cudnn_cnn_infer64_8.dll in " BIN " is version 8.0.5.33, but cudnn64_8.dll beside it is 8.0.3.33");
    assert_says(f, "CUDNN_STATUS_VERSION_MISMATCH (14)");
}

static void test_findings_v14_twenty_copies(void **state) {
    fixture *f = *state; /* still one line, and the table has one line per place and DLL, in the order of the search */
    char folder[64];
    cs_buffer list = {0}, report = {0};
    cs_outcome outcome = {0};
    put_set(f, BIN);
    cs_buffer_text(&list, BIN);
    for (unsigned i = 0; i < 19; i++) {
        snprintf(folder, sizeof folder, "C:\\copy%02u", i);
        put_set(f, folder);
        cs_buffer_format(&list, ";%s", folder);
    }
    path(f, list.data);
    assert_found(f, CS_E_NOTHING, "is also in C:\\copy00, C:\\copy01, C:\\copy02 and 16 more");
    assert_null(strstr(cs_buffer_string(&f->report), "copy03"));
    assert_int_equal(cs_doctor_search(memory_host_seam(f->machine), NULL, &report, &outcome), CS_OK);
    size_t lines = 0, winners = 0;
    for (const char *p = report.data; (p = strchr(p, '\n')) != NULL; p++) lines++;
    for (const char *p = report.data; (p = strstr(p, "      * cudnn")) != NULL; p++) winners++;
    assert_int_equal(lines, 5 + 20 * (1 + PARTS) + 1 + 1); /* cudart too */
    assert_int_equal(winners, PARTS);
    cs_buffer_free(&list);
    cs_buffer_free(&report);
    cs_outcome_free(&outcome);
}

static void test_findings_v15_cuda_path_of_another_toolkit(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_text(f->machine, "C:\\CUDA\\v11.1\\bin\\cudart64_110.dll", "x");
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "C:\\CUDA\\v11.1");
    assert_found(f, CS_E_NOTHING, "CUDA_PATH names C:\\CUDA\\v11.1, which is no usable CUDA 10.1 toolkit");
    assert_says(f, "cudart64_110.dll");
}

static void test_findings_v18_stale_cuda_path(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "C:\\CUDA\\v9.0");
    assert_found(f, CS_E_NOTHING,
                 "CUDA_PATH names C:\\CUDA\\v9.0, which is no usable CUDA 10.1 toolkit: the folder does not exist");
}

static void test_findings_v19_several_toolkits_on_path(void **state) {
    fixture *f = *state; /* three CUDA bins: ours is found by what is in it, wherever it stands */
    put_set(f, BIN);
    memory_host_text(f->machine, "C:\\CUDA\\v9.0\\bin\\nvcc.exe", "x");
    memory_host_text(f->machine, "C:\\CUDA\\v10.2\\bin\\nvcc.exe", "x");
    path(f, "C:\\CUDA\\v9.0\\bin;C:\\CUDA\\v10.2\\bin;" BIN);
    assert_int_equal(find(f), CS_OK);
}

static void test_findings_v21_nvcc_and_nvidia_smi(void **state) {
    assert_explained(*state, "nvidia-smi shows the newest CUDA version that the driver can serve");
}

static void test_findings_v22_only_a_patch(void **state) {
    fixture *f = *state;
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DIAGNOSE};
    take(f, BIN, "cudart64_101.dll");
    memory_host_text(f->machine, BIN "\\cublas64_10.dll", "x");
    assert_int_equal(cs_diagnose(memory_host_seam(f->machine), &options, &f->report, &f->outcome), CS_DIAGNOSIS_BROKEN);
    assert_says(f, "the base toolkit is not (wholly) installed");
}

static void test_findings_v23_names_of_other_builds(void **state) {
    assert_explained(*state, "CUDNN_PATH, CUDNN_HOME, CUDNN_ROOT_DIR, CUDNN_INCLUDE_DIR");
}

/* ---- section 4: what only has to be said ---- */

static void test_findings_p12_path_from_before(void **state) {
    assert_explained(*state, "show the value from before its own change");
}

static void test_findings_p13_new_console(void **state) { assert_explained(*state, "open a new console"); }

/* ---- section 1: not found although it is installed ---- */

static void test_findings_f01_files_but_no_path(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    path(f, "C:\\Windows");
    assert_found(f, CS_E_DIFFERS, "cudnn64_8.dll is in " BIN ", but that folder is not in PATH");
}

static void test_findings_f02_shadow_in_system32(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    put_set(f, "C:\\Windows\\System32");
    assert_found(f, CS_E_NOTHING, "lies in C:\\Windows\\System32, which Windows searches before PATH");
}

static void test_findings_f03_f04_python_from_the_store(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_text(f->machine, "C:\\Users\\user\\AppData\\Local\\Microsoft\\WindowsApps\\python.exe", "");
    memory_host_text(f->machine, "C:\\Python37\\python.exe", "");
    path(f, BIN ";C:\\Users\\user\\AppData\\Local\\Microsoft\\WindowsApps;C:\\Python37");
    assert_found(f, CS_E_NOTHING, "Python from the Microsoft Store is packaged");
    path(f, BIN ";C:\\Python37;C:\\Users\\user\\AppData\\Local\\Microsoft\\WindowsApps");
    assert_int_equal(find(f), CS_OK);
}

static void test_findings_f06_f07_nested_folder(void **state) {
    fixture *f = *state;
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DIAGNOSE};
    put(f, TREE "\\cuda\\bin", "cudnn64_8.dll", 8, 0, 3);
    memory_host_text(f->machine, TREE "\\cuda\\include\\cudnn.h", "x");
    cs_diagnose(memory_host_seam(f->machine), &options, &f->report, &f->outcome);
    assert_says(f, "a folder \"cuda\" lies in it");
}

static void test_findings_f09_f15_l13_explained(void **state) {
    assert_explained(*state, "A bin folder beside a program is not searched");
    assert_explained(*state, "The number in cudnn64_8.dll is cuDNN's own version");
    assert_explained(*state, "copy none of them to a program's folder or to System32");
}

static void test_findings_f10_unpacked_somewhere(void **state) {
    fixture *f = *state;
    put_set(f, "C:\\cuda\\bin");
    assert_found(f, CS_E_NOTHING, "cudnn64_8.dll lies in C:\\cuda\\bin, where nothing looks");
}

static void test_findings_f11_each_part_missing(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < PARTS; i++) {
        char text[128];
        put_set(f, BIN);
        take(f, BIN, parts[i]);
        if (i) {
            snprintf(text, sizeof text, "%s is missing: cudnn64_8.dll in " BIN " loads it", parts[i]);
            assert_found(f, CS_E_DIFFERS, text);
            assert_says(f, "error 126");
        } else {
            assert_found(f, CS_E_NOTHING, BIN " holds 6 of the 7 DLLs");
        }
    }
}

static void test_findings_f12_one_of_seven(void **state) {
    fixture *f = *state;
    put(f, BIN, "cudnn64_8.dll", 8, 0, 3);
    assert_found(f, CS_E_DIFFERS, "The whole set of 7 DLLs is needed");
}

static void test_findings_f14_full_path_is_not_enough(void **state) {
    assert_explained(*state, "Loading it by its full path is not enough: its folder has to be in PATH");
}

static void test_findings_f16_started_before(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    memory_host_system(f->machine)->own_path = "C:\\Windows";
    assert_found(f, CS_E_NOTHING, "this console was started before it had");
    memory_host_system(f->machine)->own_path = "C:\\Windows;c:/cuda/v10.1/BIN/";
    assert_int_equal(find(f), CS_OK);
}

/* ---- section 2: the loader's errors ---- */

static void test_findings_l01_l12_no_zlib_for_803(void **state) {
    assert_explained(*state, "8.0.3 does not need that file, and fetching it mends nothing");
}

static void test_findings_l03_newer_before_ours(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    for (size_t i = 0; i < PARTS; i++) put(f, "C:\\newer", parts[i], 8, 4, 0);
    path(f, "C:\\newer;" BIN);
    assert_found(f, CS_E_NOTHING, "cudnn64_8.dll comes first from C:\\newer, and is also in " BIN);
}

static void test_findings_l05_l06_part_of_another_version(void **state) {
    fixture *f = *state;
    for (size_t i = 1; i < PARTS; i++) {
        char text[128];
        put_set(f, BIN);
        put(f, BIN, parts[i], 8, 1, 0);
        snprintf(text, sizeof text, "%s in " BIN " is version 8.1.0.33, but cudnn64_8.dll beside it is 8.0.3.33", parts[i]);
        assert_found(f, CS_E_DIFFERS, text);
        assert_says(f, "error 127");
    }
}

static void test_findings_l07_another_major(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    put(f, "C:\\wheel\\nvidia\\cudnn\\bin", "cudnn64_9.dll", 9, 1, 0);
    path(f, BIN ";C:\\wheel\\nvidia\\cudnn\\bin");
    assert_found(f, CS_E_NOTHING, "cudnn64_9.dll lies in C:\\wheel\\nvidia\\cudnn\\bin");
    assert_says(f, "WinError 127");
}

static void test_findings_l08_set_of_torch(void **state) {
    fixture *f = *state;
    put_set(f, BIN);
    for (size_t i = 0; i < PARTS; i++) put(f, "C:\\py\\torch\\lib", parts[i], 8, 2, 1);
    path(f, "C:\\py\\torch\\lib;" BIN);
    assert_found(f, CS_E_NOTHING, "comes first from C:\\py\\torch\\lib, and is also in " BIN);
}

static void test_findings_l11_numbers_in_both_languages(void **state) {
    assert_explained(*state, "126 \"The specified module could not be found.\" \"找不到指定的模块。\"");
    assert_explained(*state, "182 \"The operating system cannot run %1.\" \"操作系统无法运行 %1。\"");
    assert_explained(*state, "193 \"%1 is not a valid Win32 application.\" \"%1 不是有效的 Win32 应用程序。\"");
    assert_explained(*state, "127 \"The specified procedure could not be found.\"");
    assert_explained(*state, "5 \"Access is denied.\"");
}

/* ---- section 7 ---- */

static void test_findings_g11_linux_beside_windows(void **state) {
    fixture *f = *state;
    cs_options options = {.program = CS_PROGRAM_DOCTOR, .verb = CS_VERB_DIAGNOSE};
    cs_diagnose(memory_host_seam(f->machine), &options, &f->report, &f->outcome);
    assert_null(strstr(cs_buffer_string(&f->report), "WSL"));
    memory_host_reg_text(f->machine, CS_HKCU, "Software\\Microsoft\\Windows\\CurrentVersion\\Lxss\\{guid}", "DistributionName",
                         CS_REG_SZ, "Debian");
    assert_explained(f, "WSL): it uses none of these DLLs");
}

static void test_findings_survive_failed_allocations(void **state) {
    fixture *f = *state;
    unsigned failures = 0;
    put_set(f, BIN);
    put_set(f, "C:\\other");
    path(f, BIN ";C:\\other");
    for (unsigned long n = 1; n <= 600; n++) {
        clear(f);
        cs_alloc_fail_at(n);
        cs_status status = cs_doctor_findings(memory_host_seam(f->machine), NULL, &f->report, &f->outcome);
        cs_alloc_fail_at(0);
        failures += status == CS_E_NO_MEMORY;
    }
    assert_true(failures > 100);
}

#define finding(name) cmocka_unit_test_setup_teardown(test_findings_##name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        finding(nothing_on_a_healthy_machine),
        finding(v01_program_for_cudnn_7),
        finding(v02_7_is_really_8),
        finding(v03_renamed_to_an_older_name),
        finding(v05_known_programs),
        finding(v06_numbers_of_cuda_and_cudnn),
        finding(v07_two_on_path),
        finding(v08_older_one_first),
        finding(v09_header_and_library_differ),
        finding(v10_wheels_bring_their_own),
        finding(v11_ours_before_a_newer_one),
        finding(v12_partial_set),
        finding(v13_versions_mixed),
        finding(v14_twenty_copies),
        finding(v15_cuda_path_of_another_toolkit),
        finding(v18_stale_cuda_path),
        finding(v19_several_toolkits_on_path),
        finding(v21_nvcc_and_nvidia_smi),
        finding(v22_only_a_patch),
        finding(v23_names_of_other_builds),
        finding(p12_path_from_before),
        finding(p13_new_console),
        finding(f01_files_but_no_path),
        finding(f02_shadow_in_system32),
        finding(f03_f04_python_from_the_store),
        finding(f06_f07_nested_folder),
        finding(f09_f15_l13_explained),
        finding(f10_unpacked_somewhere),
        finding(f11_each_part_missing),
        finding(f12_one_of_seven),
        finding(f14_full_path_is_not_enough),
        finding(f16_started_before),
        finding(l01_l12_no_zlib_for_803),
        finding(l03_newer_before_ours),
        finding(l05_l06_part_of_another_version),
        finding(l07_another_major),
        finding(l08_set_of_torch),
        finding(l11_numbers_in_both_languages),
        finding(g11_linux_beside_windows),
        finding(survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
