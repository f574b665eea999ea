#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "binary_maker.h"
#include "cudnn_setup/preflight.h"
#include "verb_case.h"

#define GUID "\\\\?\\Volume{11111111-1111-1111-1111-111111111111}\\"

static void set_volume(verb_case *c, const char *filesystem, bool fixed, uint64_t free_bytes) {
    cs_volume volume = {.guid_path = GUID, .local_fixed = fixed, .free_bytes = free_bytes};
    strncpy(volume.filesystem, filesystem, sizeof volume.filesystem - 1);
    memory_host_volume(c->machine, "C:", &volume);
}

static cs_status volume_check(verb_case *c, bool force, cs_error *error) {
    return cs_preflight_volume(c->host, VERB_TREE, force, error);
}

static void test_preflight_volume_kinds(void **state) {
    (void)state;
    verb_case c;
    cs_error error = {0};
    verb_case_begin(&c);
    set_volume(&c, "NTFS", true, 1);
    assert_int_equal(volume_check(&c, false, &error), CS_OK);
    assert_string_equal(cs_buffer_string(&c.told), "");
    set_volume(&c, "ReFS", true, 1);
    assert_int_equal(volume_check(&c, false, &error), CS_OK);
    assert_true(verb_case_told(&c, "warning volume.refs"));
    set_volume(&c, "FAT32", true, 1);
    assert_int_equal(volume_check(&c, false, &error), CS_E_UNSUPPORTED);
    assert_non_null(strstr(error.detail, "FAT32"));
    set_volume(&c, "NTFS", false, 1);
    assert_int_equal(volume_check(&c, false, &error), CS_E_UNSUPPORTED);
    assert_int_equal(cs_exit_code(error.status), 1603);
    assert_non_null(strstr(error.detail, "not on a fixed disk"));
    assert_int_equal(volume_check(&c, true, &error), CS_OK);
    assert_true(verb_case_told(&c, "warning volume.no-promise"));
    verb_case_end(&c);
}

static void test_preflight_space_has_both_numbers(void **state) {
    (void)state;
    verb_case c;
    cs_error error = {0};
    verb_case_begin(&c);
    set_volume(&c, "NTFS", true, UINT64_C(500000000));
    assert_int_equal(cs_preflight_space(c.host, VERB_TREE, 400000000, &error), CS_OK);
    assert_int_equal(cs_preflight_space(c.host, VERB_TREE, 700000000, &error), CS_E_NO_SPACE);
    assert_int_equal(cs_exit_code(error.status), 112);
    assert_non_null(strstr(error.detail, "717 MB are needed and 500 MB are free"));
    assert_int_equal(cs_preflight_space(c.host, VERB_TREE, UINT64_MAX, &error), CS_E_NO_SPACE);
    verb_case_end(&c);
}

static uint32_t present(verb_case *c) { return cs_preflight_present_version(c->host, VERB_TREE, 8003); }

static void put_header(verb_case *c, const char *text) { verb_case_put(c, "include/cudnn_version.h", text); }

static void test_preflight_version_of_the_header(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    assert_int_equal(present(&c), 0);
    put_header(&c, "#define CUDNN_MAJOR 8\r\n#define CUDNN_MINOR 0\r\n#define CUDNN_PATCHLEVEL 4\r\n");
    assert_int_equal(present(&c), 8004);
    put_header(&c, "/* none */");
    assert_int_equal(present(&c), 0);
    put_header(&c, "#define CUDNN_MAJOR_X 8\n#define   CUDNN_MAJOR\t8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1\n");
    assert_int_equal(present(&c), 8201);
    put_header(&c, "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n");
    assert_int_equal(present(&c), 0); /* another major version is not in the way: its DLLs have other names */
    put_header(&c, "#define CUDNN_MAJOR 8000000\n");
    assert_int_equal(present(&c), 0);
    /* What is not one plain definition of each is not known, and no guess is made. */
    put_header(&c, "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n");
    assert_int_equal(present(&c), 0);
    put_header(&c, "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_MINOR 4\n#define CUDNN_PATCHLEVEL 1\n");
    assert_int_equal(present(&c), 0);
    put_header(&c, "// #define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1\n");
    assert_int_equal(present(&c), 0);
    put_header(&c, "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 10\n#define CUDNN_PATCHLEVEL 0\n");
    assert_int_equal(present(&c), 0); /* not 8.0.0 */
    verb_case_end(&c);
}

static void put_library(verb_case *c, unsigned major, unsigned minor, unsigned patch) {
    uint8_t *file = pe_make_dll();
    static const uint8_t signature[] = {0xBD, 0x04, 0xEF, 0xFE}; /* VS_FIXEDFILEINFO */
    for (size_t i = 0; i + 16 < PE_SIZE; i++)
        if (memcmp(file + i, signature, sizeof signature) == 0) {
            put32(file + i + 8, major << 16 | minor);
            put32(file + i + 12, patch << 16);
        }
    assert_true(memory_host_file(c->machine, VERB_TREE "\\bin\\cudnn64_8.dll", file, PE_SIZE));
    cs_free(file);
}

static void test_preflight_version_is_the_higher_of_both(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    put_header(&c, "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 2\n");
    put_library(&c, 8, 4, 1);
    assert_int_equal(present(&c), 8401);
    put_library(&c, 8, 0, 1);
    assert_int_equal(present(&c), 8002);
    put_library(&c, 6, 14, 11); /* the display driver's numbering */
    assert_int_equal(present(&c), 8002);
    verb_case_put(&c, "bin/cudnn64_8.dll", "no DLL");
    assert_int_equal(present(&c), 8002);
    verb_case_end(&c);
}

static void test_preflight_newer_needs_force(void **state) {
    (void)state;
    verb_case c;
    cs_error error = {0};
    const cs_manifest manifest = {.product = (char *)"cuDNN", .version = (char *)"8.0.3.33", .cudnn_version = 8003};
    verb_case_begin(&c);
    put_library(&c, 8, 0, 3);
    assert_int_equal(cs_preflight_newer(c.host, VERB_TREE, &manifest, false, &error), CS_OK);
    put_library(&c, 8, 0, 4);
    assert_int_equal(cs_preflight_newer(c.host, VERB_TREE, &manifest, false, &error), CS_E_NEWER);
    assert_non_null(strstr(error.detail, "cuDNN 8.0.4"));
    assert_int_equal(cs_preflight_newer(c.host, VERB_TREE, &manifest, true, &error), CS_OK);
    verb_case_end(&c);
}

static void test_preflight_rights_and_platform(void **state) {
    (void)state;
    verb_case c;
    cs_error error = {0};
    verb_case_begin(&c);
    assert_int_equal(cs_preflight_rights(c.host, &error), CS_OK);
    assert_int_equal(cs_preflight_platform(c.host, &error), CS_OK);
    memory_host_system(c.machine)->administrator = false;
    assert_int_equal(cs_preflight_rights(c.host, &error), CS_E_RIGHTS);
    memory_host_system(c.machine)->platform.x64 = false;
    assert_int_equal(cs_preflight_platform(c.host, &error), CS_E_PLATFORM);
    verb_case_end(&c);
}

/* A plan that moves the DLLs of the tree. */
static void fill_plan(cs_plan *plan, const char *target) {
    const cs_blob blob = {.txid = "00000000000000000000000000000000", .area = CS_AREA_OLD};
    const uint8_t digest[CS_SHA256_SIZE] = {0};
    plan->record.tree_path = cs_strdup(VERB_TREE);
    for (size_t i = 0; i < VERB_ROWS; i++)
        assert_int_equal(cs_plan_add_row(plan, verb_targets[i], "replaced", NULL, NULL), CS_OK);
    assert_int_equal(cs_plan_add_move(plan, true, &blob, target, &(cs_file_info){0}, digest, NULL), CS_OK);
}

static void test_preflight_in_use_names_each_program_once(void **state) {
    (void)state;
    verb_case c;
    cs_plan plan = {0};
    cs_error error = {0};
    verb_case_begin(&c);
    verb_case_put(&c, "bin/cudnn64_8.dll", "older");
    verb_case_put(&c, "bin/cudnn_ops_infer64_8.dll", "older");
    cs_holders *holders = &memory_host_system(c.machine)->holders;
    cs_holders_add(holders, 7, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    cs_holders_add(holders, 7, "python.exe", VERB_TREE "\\bin\\cudnn_ops_infer64_8.dll", NULL);
    cs_holders_add(holders, 9, "train.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    fill_plan(&plan, "bin/cudnn_ops_infer64_8.dll");
    assert_int_equal(cs_preflight_in_use(c.host, &plan, false, &c.outcome, &error), CS_E_IN_USE);
    assert_non_null(strstr(error.detail, "python.exe (process 7) with cudnn64_8.dll, cudnn_ops_infer64_8.dll; "
                                         "train.exe (process 9) with cudnn64_8.dll."));
    assert_true(verb_case_told(&c, "note in-use"));
    assert_non_null(
        strstr(cs_buffer_string(&c.told), "python.exe (process 7) holds " VERB_TREE "\\bin\\cudnn_ops_infer64_8.dll"));
    assert_int_equal(cs_preflight_in_use(c.host, &plan, true, &c.outcome, &error), CS_OK);
    assert_int_equal(c.outcome.in_use.count, 3);
    cs_plan_free(&plan);
    verb_case_end(&c);
}

/* The sentence has to fit; the log has them all. */
static void test_preflight_in_use_counts_what_it_does_not_name(void **state) {
    (void)state;
    verb_case c;
    cs_plan plan = {0};
    cs_error error = {0};
    char name[32], module[96];
    verb_case_begin(&c);
    cs_holders *holders = &memory_host_system(c.machine)->holders;
    for (size_t row = 0; row < VERB_ROWS; row++) {
        if (!strstr(verb_targets[row], ".dll")) continue;
        verb_case_put(&c, verb_targets[row], "older");
        snprintf(module, sizeof module, VERB_TREE "\\bin\\%s", strrchr(verb_targets[row], '/') + 1);
        for (uint32_t pid = 1; pid <= 9; pid++) {
            snprintf(name, sizeof name, "program%u.exe", (unsigned)pid);
            cs_holders_add(holders, pid, name, module, NULL);
        }
    }
    fill_plan(&plan, "bin/cudnn64_8.dll");
    assert_int_equal(cs_preflight_in_use(c.host, &plan, false, &c.outcome, &error), CS_E_IN_USE);
    assert_non_null(strstr(error.detail, "program4.exe (process 4)"));
    assert_null(strstr(error.detail, "program5.exe"));
    assert_non_null(strstr(error.detail, "and 5 more programs. Close them"));
    assert_non_null(strstr(error.detail, "Nothing was changed"));
    assert_non_null(strstr(cs_buffer_string(&c.told), "program9.exe (process 9) holds"));
    assert_int_equal(c.outcome.in_use.count, holders->count);
    cs_plan_free(&plan);
    verb_case_end(&c);
}

static void test_preflight_in_use_matters_only_for_libraries(void **state) {
    (void)state;
    verb_case c;
    cs_plan plan = {0};
    verb_case_begin(&c);
    verb_case_put(&c, "bin/cudnn64_8.dll", "older");
    cs_holders_add(&memory_host_system(c.machine)->holders, 7, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    fill_plan(&plan, "include/cudnn.h");
    assert_int_equal(cs_preflight_in_use(c.host, &plan, false, &c.outcome, NULL), CS_OK);
    assert_int_equal(c.outcome.in_use.count, 0);
    cs_plan_free(&plan);
    verb_case_end(&c);
}

static void test_preflight_in_use_unknown_is_a_warning(void **state) {
    (void)state;
    verb_case c;
    cs_plan plan = {0};
    verb_case_begin(&c);
    verb_case_put(&c, "bin/cudnn64_8.dll", "older");
    fill_plan(&plan, "bin/cudnn64_8.dll");
    memory_host_fail_on(c.machine, "holders", "cudnn64_8.dll", MEMORY_BEFORE, 5);
    assert_int_equal(cs_preflight_in_use(c.host, &plan, false, &c.outcome, NULL), CS_OK);
    assert_true(verb_case_told(&c, "warning in-use.unknown"));
    memory_host_restart(c.machine);
    cs_plan_free(&plan);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preflight_volume_kinds),
        cmocka_unit_test(test_preflight_space_has_both_numbers),
        cmocka_unit_test(test_preflight_version_of_the_header),
        cmocka_unit_test(test_preflight_version_is_the_higher_of_both),
        cmocka_unit_test(test_preflight_newer_needs_force),
        cmocka_unit_test(test_preflight_rights_and_platform),
        cmocka_unit_test(test_preflight_in_use_names_each_program_once),
        cmocka_unit_test(test_preflight_in_use_counts_what_it_does_not_name),
        cmocka_unit_test(test_preflight_in_use_matters_only_for_libraries),
        cmocka_unit_test(test_preflight_in_use_unknown_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
