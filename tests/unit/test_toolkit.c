/* Which CUDA toolkit is taken, and why another is not. Rows of the collected reports: V15, V18, V22, F06, F10, L10, A11. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/toolkit.h"
#include "event_recorder.h"
#include "memory_host.h"

#define DEFAULT "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"
#define ROOT    "C:\\CUDA\\v10.1"

typedef struct fixture {
    memory_host *machine;
    const cs_host *host;
    event_recorder events;
    cs_toolkits found;
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->machine = memory_host_new();
    f->host = memory_host_seam(f->machine);
    event_recorder_start(&f->events);
    memory_host_events(f->machine, &f->events.events);
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    cs_toolkits_free(&f->found);
    event_recorder_end(&f->events);
    memory_host_free(f->machine);
    free(f);
    return 0;
}

static void make_file(fixture *f, const char *root, const char *relative, const char *content) {
    char path[1024];
    snprintf(path, sizeof path, "%s\\%s", root, relative);
    assert_true(memory_host_text(f->machine, path, content));
}

static void make_toolkit(fixture *f, const char *root, const char *version) {
    make_file(f, root, "bin\\cudart64_101.dll", "x");
    make_file(f, root, "version.txt", version);
}

static void set(fixture *f, const char *name, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name, CS_REG_SZ, text);
}

static void set_key(fixture *f, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_CUDA "\\v10.1", "InstallDir", CS_REG_SZ, text);
}

static const cs_toolkit_candidate *detect(fixture *f, const char *option) {
    cs_toolkits_free(&f->found);
    event_recorder_clear(&f->events);
    assert_int_equal(cs_toolkit_detect(f->host, "10.1", option, &f->found, NULL), CS_OK);
    return f->found.chosen < f->found.count ? &f->found.items[f->found.chosen] : NULL;
}

/* /cuda:option is refused, with this in its reason. */
static void assert_refused(fixture *f, const char *option, const char *reason) {
    assert_null(detect(f, option));
    assert_int_equal(f->found.count, 1);
    assert_false(f->found.items[0].usable);
    if (!strstr(f->found.items[0].reason, reason)) fail_msg("%s: %s", option, f->found.items[0].reason);
}

static void assert_taken(fixture *f, const char *option, const char *path) {
    const cs_toolkit_candidate *chosen = detect(f, option);
    if (!chosen) fail_msg("%s: %s", option ? option : "", f->found.count ? f->found.items[0].reason : "nothing found");
    assert_string_equal(chosen->path, path);
}

/* ---- order ---- */

static void test_toolkit_default_folder(void **state) {
    fixture *f = *state; /* only the folder is left */
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243\r\n");
    assert_taken(f, NULL, DEFAULT);
    assert_int_equal(f->found.items[0].source, CS_TOOLKIT_DEFAULT);
    assert_string_equal(f->found.items[0].version, "10.1.243");
    assert_true(f->found.items[0].trusted);
    assert_int_equal(f->events.warnings, 0);
}

static void test_toolkit_nothing_found(void **state) {
    fixture *f = *state;
    assert_null(detect(f, NULL));
    assert_int_equal(f->found.count, 1);
    assert_int_equal(f->found.chosen, 1);
    assert_string_equal(f->found.items[0].reason, "the folder does not exist");
}

static void test_toolkit_order_of_sources(void **state) {
    fixture *f = *state;
    static const char *const roots[] = {"C:\\a", "C:\\b", "C:\\c", DEFAULT};
    for (size_t i = 0; i < 4; i++) make_toolkit(f, roots[i], "CUDA Version 10.1.105");
    set(f, "CUDA_PATH_V10_1", "C:\\a");
    set_key(f, "C:\\b");
    set(f, "CUDA_PATH", "C:\\c");
    for (size_t first = 0; first < 4; first++) {
        assert_taken(f, NULL, roots[first]);
        assert_int_equal(f->found.count, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(f->found.items[i].source, CS_TOOLKIT_CUDA_PATH_V + (int)i);
            assert_string_equal(f->found.items[i].path, roots[i]);
        }
        char cudart[128];
        snprintf(cudart, sizeof cudart, "%s\\bin\\cudart64_101.dll", roots[first]);
        memory_host_delete(f->machine, cudart);
    }
    assert_null(detect(f, NULL));
}

static void test_toolkit_option_is_the_only_candidate(void **state) {
    fixture *f = *state;
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    assert_refused(f, "C:\\nowhere", "does not exist");
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    assert_taken(f, ROOT, ROOT);
    assert_int_equal(f->found.count, 1);
    assert_int_equal(f->found.items[0].source, CS_TOOLKIT_OPTION);
}

static void test_toolkit_same_folder_appears_once(void **state) {
    fixture *f = *state;
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    set(f, "CUDA_PATH_V10_1", DEFAULT);
    set(f, "CUDA_PATH", "c:/program files/nvidia gpu computing toolkit/cuda/V10.1/");
    set_key(f, DEFAULT "\\");
    assert_taken(f, NULL, DEFAULT);
    assert_int_equal(f->found.count, 1);
    assert_int_equal(f->found.items[0].source, CS_TOOLKIT_CUDA_PATH_V);
}

static void test_toolkit_newer_cuda_path_does_not_hide_it(void **state) {
    fixture *f = *state; /* V15 */
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    make_file(f, "C:\\CUDA\\v11.1", "bin\\cudart64_110.dll", "x");
    set(f, "CUDA_PATH", "C:\\CUDA\\v11.1");
    assert_taken(f, NULL, DEFAULT);
    assert_int_equal(f->found.count, 2);
    assert_non_null(strstr(f->found.items[0].reason, "cudart64_110.dll"));
}

static void test_toolkit_stale_variables_are_passed_over(void **state) {
    fixture *f = *state; /* V18 */
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.168");
    set(f, "CUDA_PATH_V10_1", "C:\\gone");
    set(f, "CUDA_PATH", "");
    assert_taken(f, NULL, DEFAULT);
    assert_int_equal(f->found.count, 3);
    assert_string_equal(f->found.items[0].reason, "the folder does not exist");
    assert_string_equal(f->found.items[1].reason, "it is empty");
}

static void test_toolkit_only_the_registry_key_is_left(void **state) {
    fixture *f = *state;
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    set_key(f, ROOT);
    assert_taken(f, NULL, ROOT);
    assert_int_equal(f->found.items[0].source, CS_TOOLKIT_REGISTRY_KEY);
}

static void test_toolkit_32_bit_view_is_not_asked(void **state) {
    fixture *f = *state;
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    memory_host_reg_text(f->machine, CS_HKLM, "SOFTWARE\\WOW6432Node\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v10.1",
                         "InstallDir", CS_REG_SZ, ROOT);
    assert_null(detect(f, NULL));
}

static void test_toolkit_expandable_value(void **state) {
    fixture *f = *state;
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_EXPAND_SZ,
                         "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1");
    assert_taken(f, NULL, DEFAULT);
    assert_int_equal(f->found.items[0].source, CS_TOOLKIT_CUDA_PATH_V);
}

static void test_toolkit_failed_read_is_an_error(void **state) {
    fixture *f = *state;
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    memory_host_fail_on(f->machine, "reg read", "CUDA_PATH", MEMORY_BEFORE, 5);
    assert_int_equal(cs_toolkit_detect(f->host, "10.1", NULL, &f->found, NULL), CS_E_ACCESS);
    assert_int_equal(f->found.count, 0);
}

/* ---- how a folder may be named ---- */

static void test_toolkit_spellings_of_the_path(void **state) {
    fixture *f = *state;
    static const char *const good[] = {ROOT,           ROOT "\\",    ROOT "\\\\",    "c:/cuda/V10.1",
                                       "\"" ROOT "\"", " " ROOT " ", "\\\\?\\" ROOT, "C:\\CUDA\\x\\..\\v10.1\\."};
    static const char *const bad[] = {"", "  ", "\"\"", ".", "v10.1", "C:v10.1", "\\CUDA\\v10.1", "C:", "C:\\"};
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_taken(f, good[i], ROOT);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(detect(f, bad[i]));
        assert_non_null(strstr(f->found.items[0].reason, i < 3   ? "empty"
                                                         : i < 7 ? "not a full path"
                                                         : i < 8 ? "full path"
                                                                 : "drive"));
    }
}

static void never_opened(void *ctx, memory_host *machine, const char *operation, const char *path) {
    (void)ctx, (void)machine;
    if (path[0] == '\\' || path[0] == 'Z') fail_msg("%s %s", operation, path);
}

static void test_toolkit_network_folder_is_refused_unopened(void **state) {
    fixture *f = *state;
    memory_host_hook(f->machine, never_opened, NULL);
    assert_refused(f, "\\\\server\\share\\v10.1", "network");
    assert_refused(f, "//server/share/v10.1", "network");
    assert_refused(f, "\\\\?\\UNC\\server\\share\\v10.1", "network");
}

static cs_status mapped_drive(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx, (void)out;
    return cs_fail(error, CS_E_UNSUPPORTED, "real path", path, NULL);
}

static void test_toolkit_network_drive_is_refused_unopened(void **state) {
    fixture *f = *state;
    cs_fs fs = *f->host->fs;
    cs_host host = *f->host;
    fs.real_path = mapped_drive; /* as Windows' own does for a drive that is mapped to the network */
    host.fs = &fs;
    memory_host_hook(f->machine, never_opened, NULL);
    assert_int_equal(cs_toolkit_detect(&host, "10.1", "Z:\\v10.1", &f->found, NULL), CS_OK);
    assert_int_equal(f->found.chosen, 1);
    assert_non_null(strstr(f->found.items[0].reason, "network drive"));
}

static void test_toolkit_path_too_long(void **state) {
    fixture *f = *state; /* the longest DLL's full name: 259 characters, and not one more */
    char root[400] = "C:\\";
    size_t room = 259 - strlen("\\bin\\cudnn_adv_infer64_8.dll");
    for (size_t size = 3; size < room; size++) root[size] = size % 40 == 2 ? '\\' : 'x';
    root[room] = '\0';
    make_toolkit(f, root, "CUDA Version 10.1.243");
    assert_taken(f, root, root);
    root[room] = 'x';
    root[room + 1] = '\0';
    make_toolkit(f, root, "CUDA Version 10.1.243");
    assert_refused(f, root, "260 characters");
    assert_non_null(strstr(f->found.items[0].reason, "259"));
}

static void test_toolkit_long_path_counts_characters_as_windows_does(void **state) {
    fixture *f = *state; /* 120 characters of three bytes and 100 of four (two units each) */
    cs_buffer root = {0};
    cs_buffer_text(&root, "C:\\");
    for (int i = 0; i < 120; i++) cs_buffer_text(&root, "\xE4\xB8\xAD");
    make_toolkit(f, root.data, "CUDA Version 10.1.243");
    assert_taken(f, root.data, root.data);
    for (int i = 0; i < 100; i++) cs_buffer_text(&root, "\xF0\x9F\x98\x80");
    make_toolkit(f, root.data, "CUDA Version 10.1.243");
    assert_refused(f, root.data, "351 characters");
    cs_buffer_free(&root);
}

/* ---- links ---- */

static void test_toolkit_links(void **state) {
    fixture *f = *state;
    make_toolkit(f, "C:\\real\\v10.1", "CUDA Version 10.1.243");
    memory_host_folder(f->machine, "C:\\CUDA");
    memory_host_link(f->machine, ROOT, "C:\\real\\v10.1");
    assert_refused(f, ROOT, "link");
    /* A link above: the toolkit is known by its real place from then on. */
    memory_host_link(f->machine, "C:\\above", "C:\\real");
    assert_taken(f, "C:\\above\\v10.1", "C:\\real\\v10.1");
    memory_host_folder(f->machine, "C:\\elsewhere");
    memory_host_link(f->machine, "C:\\real\\v10.1\\include", "C:\\elsewhere");
    assert_refused(f, "C:\\real\\v10.1", "include in it is a link");
}

static void test_toolkit_link_for_the_runtime_does_not_count(void **state) {
    fixture *f = *state;
    make_file(f, ROOT, "version.txt", "CUDA Version 10.1.243");
    make_file(f, "C:\\real", "cudart64_101.dll", "x");
    memory_host_folder(f->machine, ROOT "\\bin");
    memory_host_link(f->machine, ROOT "\\bin\\cudart64_101.dll", "C:\\real\\cudart64_101.dll");
    assert_refused(f, ROOT, "cudart64_101.dll is missing");
}

/* ---- content ---- */

static void test_toolkit_versions(void **state) {
    fixture *f = *state;
    static const struct {
        const char *text, *version, *refusal;
    } rows[] = {
        {"CUDA Version 10.1.105", "10.1.105", NULL},
        {"CUDA Version 10.1.168\n", "10.1.168", NULL},
        {"CUDA Version 10.1.243\r\nCUDA Patch Version 10.1.1\r\n", "10.1.243", NULL},
        {"\xEF\xBB\xBF"
         "CUDA Version 10.1.243 ",
         "10.1.243", NULL},
        {"CUDA Version 10.1", "10.1", NULL},
        {"CUDA Version 10.2.89", "10.2.89", "says 10.2.89, not 10.1"},
        {"CUDA Version 10.10.5", "10.10.5", "says 10.10.5"},
        {"CUDA Version 110.1", "110.1", "says 110.1"},
        {"CUDA Version ", NULL, "does not say"},
        {"CUDA Version 10.1x", NULL, "does not say"},
        {"CUDA Version .10.1", NULL, "does not say"},
        {"cuda version 10.1.243", NULL, "does not say"},
        {"", NULL, "does not say"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_toolkit(f, ROOT, rows[i].text);
        if (rows[i].refusal)
            assert_refused(f, ROOT, rows[i].refusal);
        else
            assert_taken(f, ROOT, ROOT);
        if (rows[i].version)
            assert_string_equal(f->found.items[0].version, rows[i].version);
        else
            assert_null(f->found.items[0].version);
    }
}

static void test_toolkit_huge_version_file_is_refused(void **state) {
    fixture *f = *state;
    cs_buffer text = {0};
    cs_buffer_text(&text, "CUDA Version 10.1.243\n");
    for (int i = 0; i < 5000; i++) cs_buffer_text(&text, "................");
    make_toolkit(f, ROOT, text.data);
    cs_buffer_free(&text);
    assert_refused(f, ROOT, "does not say");
}

static void test_toolkit_without_version_file(void **state) {
    fixture *f = *state; /* taken for its runtime library, and said */
    make_file(f, ROOT, "bin\\cudart64_101.dll", "x");
    assert_taken(f, ROOT, ROOT);
    assert_null(f->found.items[0].version);
    assert_int_equal(event_recorder_count(&f->events, "toolkit.no-version-file"), 1);
}

static void test_toolkit_incomplete_installation(void **state) {
    fixture *f = *state; /* V22: only a patch was installed */
    make_file(f, ROOT, "version.txt", "CUDA Version 10.1.243");
    make_file(f, ROOT, "bin\\cublas64_10.dll", "x");
    assert_refused(f, ROOT, "base toolkit is not");
    memory_host_delete(f->machine, ROOT "\\version.txt");
    assert_refused(f, ROOT, "no CUDA toolkit in it");
    memory_host_folder(f->machine, "C:\\CUDA\\v10.1b");
    assert_refused(f, "C:\\CUDA\\v10.1b", "no CUDA toolkit in it");
}

static void test_toolkit_folder_in_place_of_the_runtime(void **state) {
    fixture *f = *state;
    make_file(f, ROOT, "version.txt", "CUDA Version 10.1.243");
    memory_host_folder(f->machine, ROOT "\\bin\\cudart64_101.dll");
    assert_refused(f, ROOT, "cudart64_101.dll is missing");
}

static void test_toolkit_cudnn_folder_renamed(void **state) {
    fixture *f = *state; /* F10 */
    make_file(f, ROOT, "bin\\cudnn64_8.dll", "x");
    make_file(f, ROOT, "include\\cudnn.h", "x");
    assert_refused(f, ROOT, "cuDNN without a CUDA toolkit");
}

static void test_toolkit_32_bit_only(void **state) {
    fixture *f = *state; /* L10 */
    make_file(f, ROOT, "bin\\cudart32_101.dll", "x");
    assert_refused(f, ROOT, "32-bit");
}

static void test_toolkit_is_a_file(void **state) {
    fixture *f = *state;
    make_file(f, "C:\\CUDA", "v10.1", "x");
    assert_refused(f, ROOT, "not a folder");
}

static void test_toolkit_nested_copy_is_reported(void **state) {
    fixture *f = *state; /* F06, F07 */
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    make_file(f, ROOT, "cuda\\include\\cudnn.h", "x");
    assert_taken(f, ROOT, ROOT);
    assert_int_equal(event_recorder_count(&f->events, "toolkit.nested-cuda"), 1);
    assert_non_null(strstr(f->found.items[0].reason, "one level too deep"));
}

/* ---- trust ---- */

#define STRICT "O:BAG:SYD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"

static void test_toolkit_trust(void **state) {
    fixture *f = *state;
    static const struct {
        const char *folder, *sddl;
        bool trusted;
    } rows[] = {
        {ROOT, STRICT, true},
        {ROOT, "O:BAG:SYD:(A;OICI;FA;;;BA)(A;;0x2;;;BU)", false}, /* add a file */
        {ROOT, "O:BAG:SYD:(A;OICI;FA;;;BA)(A;;0x4;;;AU)", false}, /* add a subfolder */
        {ROOT "\\bin", "O:BAG:SYD:(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;AU)", false},
        {"C:\\CUDA", "O:BAG:SYD:(A;OICI;FA;;;BA)(A;;0x40;;;BU)", false}, /* delete a child: swap the toolkit */
        {"C:\\CUDA", "O:BAG:SYD:(A;OICI;FA;;;BA)(A;;0x4;;;BU)", true},   /* another folder beside it is harmless */
        {"C:\\", "O:BAG:SYD:(A;OICI;FA;;;BA)(A;;0x40000;;;WD)", false},  /* change the access rights */
        {ROOT, "O:BUG:SYD:(A;OICI;FA;;;BA)", false},                     /* the owner can change them */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_toolkit(f, ROOT, "CUDA Version 10.1.243");
        memory_host_security(f->machine, "C:\\", STRICT);
        memory_host_security(f->machine, "C:\\CUDA", STRICT);
        memory_host_security(f->machine, ROOT, STRICT);
        memory_host_security(f->machine, ROOT "\\bin", STRICT);
        memory_host_security(f->machine, rows[i].folder, rows[i].sddl);
        const cs_toolkit_candidate *chosen = detect(f, ROOT);
        assert_non_null(chosen); /* untrusted is usable all the same: A11 */
        if (chosen->trusted != rows[i].trusted)
            fail_msg("row %u: %s", (unsigned)i, chosen->untrusted_why ? chosen->untrusted_why : "trusted");
        if (!rows[i].trusted) assert_int_equal(strncmp(chosen->untrusted_why, rows[i].folder, strlen(rows[i].folder)), 0);
    }
}

static void test_toolkit_unreadable_rights_are_no_trust(void **state) {
    fixture *f = *state;
    make_toolkit(f, ROOT, "CUDA Version 10.1.243");
    memory_host_fail_on(f->machine, "security", ROOT, MEMORY_BEFORE, 5);
    const cs_toolkit_candidate *chosen = detect(f, ROOT);
    assert_non_null(chosen);
    assert_false(chosen->trusted);
    assert_non_null(strstr(chosen->untrusted_why, "cannot be read"));
}

static void test_toolkit_survives_failed_allocations(void **state) {
    fixture *f = *state; /* an error, or the same answer: want of memory never makes a toolkit unusable or untrusted */
    unsigned failures = 0;
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    make_file(f, "C:\\CUDA\\v11.1", "bin\\cudart64_110.dll", "x");
    set(f, "CUDA_PATH_V10_1", "C:\\CUDA\\v11.1");
    set(f, "CUDA_PATH", DEFAULT);
    memory_host_events(f->machine, NULL);
    for (unsigned long n = 1; n <= 300; n++) {
        cs_toolkits found;
        cs_alloc_fail_at(n);
        cs_status status = cs_toolkit_detect(f->host, "10.1", NULL, &found, NULL);
        cs_alloc_fail_at(0);
        failures += status != CS_OK;
        if (status == CS_OK) {
            assert_int_equal(found.count, 2);
            assert_int_equal(found.chosen, 1);
            assert_string_equal(found.items[0].reason,
                                "it is a toolkit of another version: bin holds cudart64_110.dll, not cudart64_101.dll");
            assert_string_equal(found.items[1].version, "10.1.243");
            assert_true(found.items[1].trusted);
        } else {
            assert_int_equal(status, CS_E_NO_MEMORY);
            assert_int_equal(found.count, 0);
        }
        cs_toolkits_free(&found);
    }
    assert_true(failures > 50 && failures < 300);
}

/* ---- text ---- */

static void test_toolkit_explains(void **state) {
    fixture *f = *state;
    cs_buffer text = {0};
    make_toolkit(f, DEFAULT, "CUDA Version 10.1.243");
    set(f, "CUDA_PATH_V10_1", "C:\\gone\x1B[2J");
    detect(f, NULL);
    cs_toolkits_explain(&f->found, &text);
    assert_string_equal(
        text.data, "  C:\\gone\\u{1b}[2J (CUDA_PATH_V10_1): not usable, the folder does not exist\n"
                   "  " DEFAULT " (the default folder): taken, bin\\cudart64_101.dll is there and version.txt says 10.1.243\n");
    cs_buffer_free(&text);
}

#define toolkit_test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        toolkit_test(test_toolkit_default_folder),
        toolkit_test(test_toolkit_nothing_found),
        toolkit_test(test_toolkit_order_of_sources),
        toolkit_test(test_toolkit_option_is_the_only_candidate),
        toolkit_test(test_toolkit_same_folder_appears_once),
        toolkit_test(test_toolkit_newer_cuda_path_does_not_hide_it),
        toolkit_test(test_toolkit_stale_variables_are_passed_over),
        toolkit_test(test_toolkit_only_the_registry_key_is_left),
        toolkit_test(test_toolkit_32_bit_view_is_not_asked),
        toolkit_test(test_toolkit_expandable_value),
        toolkit_test(test_toolkit_failed_read_is_an_error),
        toolkit_test(test_toolkit_spellings_of_the_path),
        toolkit_test(test_toolkit_network_folder_is_refused_unopened),
        toolkit_test(test_toolkit_network_drive_is_refused_unopened),
        toolkit_test(test_toolkit_path_too_long),
        toolkit_test(test_toolkit_long_path_counts_characters_as_windows_does),
        toolkit_test(test_toolkit_links),
        toolkit_test(test_toolkit_link_for_the_runtime_does_not_count),
        toolkit_test(test_toolkit_versions),
        toolkit_test(test_toolkit_huge_version_file_is_refused),
        toolkit_test(test_toolkit_without_version_file),
        toolkit_test(test_toolkit_incomplete_installation),
        toolkit_test(test_toolkit_folder_in_place_of_the_runtime),
        toolkit_test(test_toolkit_cudnn_folder_renamed),
        toolkit_test(test_toolkit_32_bit_only),
        toolkit_test(test_toolkit_is_a_file),
        toolkit_test(test_toolkit_nested_copy_is_reported),
        toolkit_test(test_toolkit_trust),
        toolkit_test(test_toolkit_unreadable_rights_are_no_trust),
        toolkit_test(test_toolkit_survives_failed_allocations),
        toolkit_test(test_toolkit_explains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
