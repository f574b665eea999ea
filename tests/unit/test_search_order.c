/* What a new process finds, in which order. Rows of the collected reports: F01, F02, V07, V08, V14, V19, L03, L09, P02, P07. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary_maker.h"
#include "cudnn_setup/environment.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"
#include "memory_host.h"

#define TREE "C:\\CUDA\\v10.1"
#define BIN  TREE "\\bin"

typedef struct fixture {
    memory_host *machine;
    const cs_host *host;
    cs_search_order order;
    cs_strings child;
    cs_buffer text;
} fixture;

static int start(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->machine = memory_host_new();
    f->host = memory_host_seam(f->machine);
    *state = f;
    return 0;
}

static int end(void **state) {
    fixture *f = *state;
    cs_search_order_free(&f->order);
    cs_strings_free(&f->child);
    cs_buffer_free(&f->text);
    memory_host_free(f->machine);
    free(f);
    return 0;
}

static void machine_path(fixture *f, uint32_t type, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", type, text);
}
static void user_value(fixture *f, const char *name, uint32_t type, const char *text) {
    memory_host_reg_text(f->machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, name, type, text);
}
static void machine_value(fixture *f, const char *name, uint32_t type, const char *text) {
    memory_host_reg_text(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name, type, text);
}

static void put_dll(fixture *f, const char *path) {
    uint8_t *dll = pe_make_dll(); /* version 8.0.3.33, x64 */
    memory_host_file(f->machine, path, dll, PE_SIZE);
    cs_free(dll);
}

static void look(fixture *f) {
    cs_search_order_free(&f->order);
    assert_int_equal(cs_search_order_read(f->host, NULL, &f->order, NULL), CS_OK);
}

/* The place number i of PATH. */
static const cs_search_place *entry(fixture *f, size_t i) {
    assert_true(f->order.count > 5 + i);
    return &f->order.items[5 + i];
}

static void never_on_the_network(void *ctx, memory_host *machine, const char *operation, const char *path) {
    (void)ctx, (void)machine;
    if (strncmp(path, "\\\\", 2) == 0 || strncmp(path, "//", 2) == 0) fail_msg("%s %s", operation, path);
}

static void test_search_order_of_windows(void **state) {
    fixture *f = *state;
    static const cs_search_kind kinds[] = {CS_SEARCH_PROGRAM,      CS_SEARCH_SYSTEM,       CS_SEARCH_SYSTEM_16,
                                           CS_SEARCH_WINDOWS,      CS_SEARCH_CURRENT,      CS_SEARCH_MACHINE_PATH,
                                           CS_SEARCH_MACHINE_PATH, CS_SEARCH_MACHINE_PATH, CS_SEARCH_USER_PATH};
    user_value(f, "Path", CS_REG_EXPAND_SZ, "%USERPROFILE%\\bin");
    memory_host_folder(f->machine, "C:\\Users\\user\\bin");
    look(f);
    assert_int_equal(f->order.count, sizeof kinds / sizeof kinds[0]);
    for (size_t i = 0; i < f->order.count; i++) assert_int_equal(f->order.items[i].kind, kinds[i]);
    assert_int_equal(f->order.items[0].state, CS_SEARCH_OPEN);
    assert_string_equal(f->order.items[1].path, "C:\\Windows\\System32");
    assert_int_equal(f->order.items[2].state, CS_SEARCH_ABSENT); /* no Windows\System here */
    assert_int_equal(f->order.items[4].state, CS_SEARCH_OPEN);
    assert_int_equal(entry(f, 0)->state, CS_SEARCH_REPEATED); /* %SystemRoot%\system32 */
    assert_string_equal(entry(f, 0)->written, "%SystemRoot%\\system32");
    assert_string_equal(entry(f, 0)->path, "C:\\Windows\\system32");
    assert_int_equal(entry(f, 2)->state, CS_SEARCH_ABSENT);
    assert_string_equal(entry(f, 3)->path, "C:\\Users\\user\\bin");
    assert_int_equal(entry(f, 3)->state, CS_SEARCH_SEEN);
}

static void test_search_order_finds_the_libraries(void **state) {
    fixture *f = *state;
    static const char *const names[] = {"CUBLAS64_10.dll", "cublasLt64_10.dll", "cudart64_101.dll", "cudnn64_8.dll"};
    machine_path(f, CS_REG_EXPAND_SZ, BIN);
    for (size_t i = 4; i--;) {
        char path[128];
        snprintf(path, sizeof path, BIN "\\%s", names[i]);
        put_dll(f, path);
    }
    memory_host_text(f->machine, BIN "\\cudart32_101.dll", "x");
    memory_host_text(f->machine, BIN "\\cudnn.lib", "x");
    memory_host_text(f->machine, BIN "\\nvrtc64_101_0.dll", "x");
    memory_host_folder(f->machine, BIN "\\cudnn_folder.dll");
    look(f);
    assert_int_equal(entry(f, 0)->count, 4);
    for (size_t i = 0; i < 4; i++) {
        const cs_search_dll *dll = &entry(f, 0)->dlls[i];
        assert_string_equal(dll->name, names[i]);
        assert_true(dll->first);
        assert_true(dll->has_version);
        assert_int_equal(dll->version[0] * 1000 + dll->version[2] * 100 + dll->version[3], 8333);
        assert_int_equal(dll->machine, CS_PE_MACHINE_X64);
    }
}

static void test_search_order_first_copy_wins(void **state) {
    fixture *f = *state; /* V07, V08, F02: System32 before PATH, machine before user, earlier before later */
    const cs_search_place *place;
    machine_path(f, CS_REG_EXPAND_SZ, "C:\\one;" BIN);
    user_value(f, "PATH", CS_REG_SZ, "C:\\user");
    put_dll(f, "C:\\user\\cudnn64_8.dll");
    put_dll(f, BIN "\\CUDNN64_8.DLL");
    look(f);
    assert_non_null(cs_search_order_first(&f->order, "cudnn64_8.dll", &place));
    assert_string_equal(place->path, BIN);
    put_dll(f, "C:\\one\\cudnn64_8.dll");
    look(f);
    assert_non_null(cs_search_order_first(&f->order, "cudnn64_8.dll", &place));
    assert_string_equal(place->path, "C:\\one");
    put_dll(f, "C:\\Windows\\System32\\cudnn64_8.dll");
    look(f);
    assert_true(cs_search_order_first(&f->order, "cudnn64_8.dll", &place)->first);
    assert_int_equal(place->kind, CS_SEARCH_SYSTEM);
    assert_false(entry(f, 0)->dlls[0].first);
    assert_false(entry(f, 1)->dlls[0].first);
    assert_null(cs_search_order_first(&f->order, "cudnn64_7.dll", NULL));
}

static void test_search_order_opens_no_network(void **state) {
    fixture *f = *state;
    memory_host_hook(f->machine, never_on_the_network, NULL);
    machine_path(f, CS_REG_EXPAND_SZ, "\\\\server\\share\\bin;//server/share;\\\\?\\UNC\\server\\share;\\\\.\\pipe\\x");
    look(f);
    assert_int_equal(f->order.count, 9);
    for (size_t i = 0; i < 4; i++) assert_int_equal(entry(f, i)->state, CS_SEARCH_NETWORK);
}

static void test_search_order_unusable_entries(void **state) {
    fixture *f = *state;
    static const cs_search_state expected[] = {CS_SEARCH_UNUSABLE, CS_SEARCH_UNUSABLE, CS_SEARCH_UNUSABLE, CS_SEARCH_UNUSABLE,
                                               CS_SEARCH_UNUSABLE, CS_SEARCH_SEEN,     CS_SEARCH_REPEATED};
    put_dll(f, BIN "\\cudnn64_8.dll");
    machine_path(f, CS_REG_EXPAND_SZ, "\"" BIN "\"; " BIN ";" BIN " ;.;%NOBODY%\\bin;;" BIN ";c:/cuda/V10.1/bin/");
    look(f);
    assert_int_equal(f->order.count, 5 + sizeof expected / sizeof expected[0]); /* the empty entry is none */
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) assert_int_equal(entry(f, i)->state, expected[i]);
}

static void test_search_order_splits_as_the_loader_does(void **state) {
    fixture *f = *state; /* at every ';', in quotes too, and in what a variable brings along */
    machine_value(f, "TWO", CS_REG_SZ, "C:\\a;C:\\b");
    memory_host_folder(f->machine, "C:\\a");
    memory_host_folder(f->machine, "C:\\b");
    machine_path(f, CS_REG_EXPAND_SZ, "\"C:\\x;" BIN ";C:\\y\";%TWO%");
    memory_host_folder(f->machine, BIN);
    look(f);
    assert_int_equal(f->order.count, 10);
    assert_int_equal(entry(f, 0)->state, CS_SEARCH_UNUSABLE);
    assert_int_equal(entry(f, 1)->state, CS_SEARCH_SEEN);
    assert_string_equal(entry(f, 3)->path, "C:\\a");
    assert_string_equal(entry(f, 4)->path, "C:\\b");
    assert_string_equal(entry(f, 4)->written, "%TWO%");
}

static void test_search_order_expands_as_windows_does(void **state) {
    fixture *f = *state; /* P07 */
    memory_host_folder(f->machine, BIN);
    machine_value(f, "CUDA_PATH", CS_REG_EXPAND_SZ, "%SystemDrive%\\CUDA\\v10.1");
    machine_path(f, CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin");
    look(f);
    assert_string_equal(entry(f, 0)->path, BIN);
    assert_true(entry(f, 0)->doubtful);
    machine_value(f, "CUDA_PATH", CS_REG_SZ, TREE);
    look(f);
    assert_false(entry(f, 0)->doubtful);
    machine_path(f, CS_REG_SZ, "%CUDA_PATH%\\bin"); /* a REG_SZ is never expanded */
    look(f);
    assert_int_equal(entry(f, 0)->state, CS_SEARCH_UNUSABLE);
}

static void test_search_order_broken_libraries(void **state) {
    fixture *f = *state; /* L09 */
    uint8_t *x86 = pe_make_dll();
    put16(x86 + 0x84, CS_PE_MACHINE_X86);
    memory_host_file(f->machine, BIN "\\cudnn64_7.dll", x86, PE_SIZE);
    cs_free(x86);
    memory_host_text(f->machine, BIN "\\cudnn64_8.dll", "<html>");
    machine_path(f, CS_REG_SZ, BIN);
    look(f);
    cs_search_order_report(&f->order, &f->text);
    assert_non_null(strstr(f->text.data, "* cudnn64_8.dll  not a sound DLL"));
    assert_int_equal(entry(f, 0)->dlls[1].status, CS_E_FORMAT);
}

static void test_search_order_unreadable_folder(void **state) {
    fixture *f = *state;
    memory_host_folder(f->machine, BIN);
    machine_path(f, CS_REG_SZ, BIN ";C:\\Tools");
    memory_host_fail_on(f->machine, "list", BIN, MEMORY_BEFORE, 5);
    look(f);
    assert_int_equal(entry(f, 0)->state, CS_SEARCH_REFUSED);
    assert_int_equal(f->order.count, 7);
}

static void test_search_order_failed_read_is_an_error(void **state) {
    fixture *f = *state;
    memory_host_fail_on(f->machine, "reg read", "Environment\\Path", MEMORY_BEFORE, 234);
    assert_int_not_equal(cs_search_order_read(f->host, NULL, &f->order, NULL), CS_OK);
    assert_int_equal(f->order.count, 0);
}

static void test_search_order_report(void **state) {
    fixture *f = *state; /* V14: one line per place, the winner marked, nothing that moves a cursor */
    put_dll(f, "C:\\one\\cudnn64_8.dll");
    put_dll(f, BIN "\\cudnn64_8.dll");
    machine_value(f, "CUDA_PATH", CS_REG_SZ, TREE);
    machine_path(f, CS_REG_EXPAND_SZ, "C:\\one;%CUDA_PATH%\\bin;C:\\\x1B[2J;\\\\server\\share");
    look(f);
    cs_search_order_report(&f->order, &f->text);
    assert_string_equal(f->text.data, "  1  program's folder  (differs from program to program)\n"
                                      "  2  System32          C:\\Windows\\System32\n"
                                      "  3  System            C:\\Windows\\System  (no such folder)\n"
                                      "  4  Windows           C:\\Windows\n"
                                      "  5  current folder    (differs from program to program)\n"
                                      "  6  machine PATH      C:\\one\n"
                                      "      * cudnn64_8.dll  8.0.3.33\n"
                                      "  7  machine PATH      %CUDA_PATH%\\bin = " BIN "\n"
                                      "        cudnn64_8.dll  8.0.3.33  hidden by an earlier one\n"
                                      "  8  machine PATH      C:\\\\u{1b}[2J  (no such folder)\n"
                                      "  9  machine PATH      \\\\server\\share  (on the network: not opened)\n"
                                      "2 cuDNN and CUDA libraries; * is the one that a new program loads\n");
}

static void test_search_order_program_folder_comes_first(void **state) {
    fixture *f = *state;
    put_dll(f, "C:\\App\\cudnn64_8.dll");
    put_dll(f, "C:\\Windows\\System32\\cudnn64_8.dll");
    assert_int_equal(cs_search_order_read(f->host, "C:\\App", &f->order, NULL), CS_OK);
    assert_int_equal(f->order.items[0].count, 1);
    assert_true(f->order.items[0].dlls[0].first);
    assert_false(f->order.items[1].dlls[0].first);
}

static void test_search_order_of_another_account(void **state) {
    fixture *f =
        *state; /* elevated with an administrator's password: HKCU is the administrator's, and says nothing of the user */
    put_dll(f, "C:\\admin\\cudnn64_8.dll");
    machine_path(f, CS_REG_SZ, "C:\\Tools");
    user_value(f, "Path", CS_REG_SZ, "C:\\admin");
    memory_host_system(f->machine)->account = CS_ACCOUNT_OTHER;
    look(f);
    assert_int_equal(entry(f, 1)->state, CS_SEARCH_ANOTHERS);
    assert_int_equal(entry(f, 1)->count, 0);
    assert_null(cs_search_order_first(&f->order, "cudnn64_8.dll", NULL));
    cs_search_order_report(&f->order, &f->text);
    assert_non_null(strstr(f->text.data, "C:\\admin  (of another account"));
    assert_non_null(strstr(f->text.data, "The user at the desktop is another one"));
    memory_host_system(f->machine)->account = CS_ACCOUNT_ALONE; /* session 0 */
    look(f);
    cs_buffer_clear(&f->text);
    cs_search_order_report(&f->order, &f->text);
    assert_non_null(strstr(f->text.data, "that of the account this program runs under"));
    memory_host_system(f->machine)->account = CS_ACCOUNT_DESKTOP;
    look(f);
    assert_int_equal(entry(f, 1)->state, CS_SEARCH_SEEN);
    assert_non_null(cs_search_order_first(&f->order, "cudnn64_8.dll", NULL));
}

static void test_search_order_of_a_path_to_come(void **state) {
    fixture *f = *state;
    cs_reg_value value = {0};
    put_dll(f, BIN "\\cudnn64_8.dll");
    machine_path(f, CS_REG_SZ, "C:\\Tools");
    assert_int_equal(cs_reg_value_from_text(&value, CS_REG_EXPAND_SZ, "%SystemDrive%\\CUDA\\v10.1\\bin;C:\\Tools", NULL), CS_OK);
    assert_int_equal(cs_search_order_plan(f->host, &value, &f->order, NULL), CS_OK);
    assert_int_equal(cs_search_order_find(f->host, &f->order, "c:/cuda/v10.1/BIN"), 5);
    assert_int_equal(cs_search_order_find(f->host, &f->order, "C:\\nowhere"), f->order.count);
    assert_string_equal(entry(f, 0)->real, BIN);
    assert_int_equal(entry(f, 0)->count, 1);
    cs_reg_value_free(&value);
}

static void test_search_order_survives_failed_allocations(void **state) {
    fixture *f = *state; /* an error, or the whole order */
    unsigned failures = 0;
    cs_buffer whole = {0};
    put_dll(f, "C:\\one\\cudnn64_8.dll");
    put_dll(f, BIN "\\cudnn64_8.dll");
    machine_path(f, CS_REG_EXPAND_SZ, "C:\\one;%SystemRoot%;C:\\CUDA\\x\\..\\v10.1\\bin;\"C:\\q\"");
    look(f);
    cs_search_order_report(&f->order, &whole);
    for (unsigned long n = 1; n <= 400; n++) {
        cs_search_order_free(&f->order);
        cs_alloc_fail_at(n);
        cs_status status = cs_search_order_read(f->host, NULL, &f->order, NULL);
        cs_alloc_fail_at(0);
        failures += status != CS_OK;
        if (status != CS_OK) {
            assert_int_equal(status, CS_E_NO_MEMORY);
            assert_int_equal(f->order.count, 0);
            continue;
        }
        cs_buffer_clear(&f->text);
        cs_search_order_report(&f->order, &f->text);
        if (strcmp(f->text.data, whole.data) != 0) fail_msg("allocation %lu: %s", n, f->text.data);
    }
    assert_true(failures > 50 && failures < 400);
    cs_buffer_free(&whole);
}

/* ---- the environment of a child ---- */

static const char *child_value(fixture *f, const char *name) {
    size_t size = strlen(name);
    for (size_t i = 0; i < f->child.count; i++)
        if (strncmp(f->child.items[i], name, size) == 0 && f->child.items[i][size] == '=') return f->child.items[i] + size + 1;
    return NULL;
}

static void make_child(fixture *f) {
    cs_strings_free(&f->child);
    assert_int_equal(cs_environment_for_child(f->host, true, &f->child, NULL), CS_OK);
}

static void test_environment_child_path_and_folders(void **state) {
    fixture *f = *state;
    machine_path(f, CS_REG_EXPAND_SZ, "%SystemRoot%\\system32;" BIN);
    user_value(f, "Path", CS_REG_EXPAND_SZ, "%USERPROFILE%\\bin");
    user_value(f, "TEMP", CS_REG_EXPAND_SZ, "%USERPROFILE%\\AppData\\Local\\Temp");
    make_child(f);
    assert_string_equal(child_value(f, "PATH"), "C:\\Windows\\system32;" BIN ";C:\\Users\\user\\bin");
    assert_string_equal(child_value(f, "SystemRoot"), "C:\\Windows");
    assert_string_equal(child_value(f, "windir"), "C:\\Windows");
    assert_string_equal(child_value(f, "SystemDrive"), "C:");
    assert_string_equal(child_value(f, "ComSpec"), "C:\\Windows\\System32\\cmd.exe");
    assert_string_equal(child_value(f, "ProgramFiles"), "C:\\Program Files");
    assert_string_equal(child_value(f, "USERPROFILE"), "C:\\Users\\user");
    assert_string_equal(child_value(f, "TEMP"), "C:\\Users\\user\\AppData\\Local\\Temp");
    assert_string_equal(child_value(f, "TMP"), "C:\\Users\\user\\AppData\\Local\\Temp"); /* not set: the usual place */
    assert_string_equal(child_value(f, "CUDA_CACHE_DISABLE"), "1");
}

static void test_environment_child_allow_list(void **state) {
    fixture *f = *state;
    static const char *const dropped[] = {"CUDA_INJECTION64_PATH",
                                          "NVTX_INJECTION64_PATH",
                                          "CUDNN_LOGINFO_DBG",
                                          "CUDNN_LOGDEST_DBG",
                                          "COR_PROFILER",
                                          "COR_ENABLE_PROFILING",
                                          "CORECLR_PROFILER",
                                          "PYTHONPATH",
                                          "PYTHONHOME",
                                          "__COMPAT_LAYER",
                                          "CUDA_CACHE_PATH",
                                          "CUDA_FORCE_PTX_JIT",
                                          "NOBODY",
                                          "CUDA_PATHX",
                                          "QT_PLUGIN_PATH"};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        machine_value(f, dropped[i], CS_REG_SZ, "C:\\evil");
        user_value(f, dropped[i], CS_REG_SZ, "C:\\evil");
    }
    machine_value(f, "CUDA_CACHE_DISABLE", CS_REG_SZ, "0");
    machine_value(f, "CUDA_PATH", CS_REG_SZ, TREE);
    machine_value(f, "CUDA_PATH_V10_1", CS_REG_SZ, TREE);
    machine_value(f, "CUDA_PATH_V11_1", CS_REG_SZ, "C:\\CUDA\\v11.1");
    machine_value(f, "CUDA_VISIBLE_DEVICES", CS_REG_SZ, "0,1");
    user_value(f, "CUDA_VISIBLE_DEVICES", CS_REG_SZ, "1"); /* the user's wins */
    machine_value(f, "PATHEXT", CS_REG_SZ, ".COM;.EXE");
    make_child(f);
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) assert_null(child_value(f, dropped[i]));
    for (size_t i = 0; i < f->child.count; i++) assert_null(strstr(f->child.items[i], "evil"));
    assert_string_equal(child_value(f, "CUDA_PATH"), TREE);
    assert_string_equal(child_value(f, "CUDA_PATH_V10_1"), TREE);
    assert_string_equal(child_value(f, "CUDA_PATH_V11_1"), "C:\\CUDA\\v11.1");
    assert_string_equal(child_value(f, "CUDA_VISIBLE_DEVICES"), "1");
    assert_string_equal(child_value(f, "PATHEXT"), ".COM;.EXE");
    assert_string_equal(child_value(f, "CUDA_CACHE_DISABLE"), "1");
}

static void test_environment_child_is_sorted_and_single(void **state) {
    fixture *f = *state;
    machine_value(f, "cuda_path", CS_REG_SZ, "a");
    user_value(f, "CUDA_PATH", CS_REG_SZ, "b");
    make_child(f);
    unsigned copies = 0;
    for (size_t i = 0; i < f->child.count; i++) {
        if (i) assert_true(cs_text_compare_ascii_case(f->child.items[i - 1], f->child.items[i]) < 0);
        copies += cs_text_equal_ascii_case(f->child.items[i], "cuda_path=b");
    }
    assert_int_equal(copies, 1);
}

static void test_environment_child_failed_read_is_an_error(void **state) {
    fixture *f = *state;
    memory_host_fail_on(f->machine, "reg read", "Environment\\Path", MEMORY_BEFORE, 5);
    assert_int_equal(cs_environment_for_child(f->host, true, &f->child, NULL), CS_E_ACCESS);
    assert_int_equal(f->child.count, 0);
}

static void test_environment_child_of_another_account(void **state) {
    fixture *f = *state;
    machine_path(f, CS_REG_EXPAND_SZ, "%SystemRoot%\\system32;" BIN);
    machine_value(f, "TEMP", CS_REG_EXPAND_SZ, "%SystemRoot%\\TEMP");
    user_value(f, "Path", CS_REG_SZ, "C:\\Users\\user\\bin");
    user_value(f, "TEMP", CS_REG_SZ, "C:\\Users\\user\\temp");
    user_value(f, "CUDA_VISIBLE_DEVICES", CS_REG_SZ, "1");
    assert_int_equal(cs_environment_for_child(f->host, false, &f->child, NULL), CS_OK);
    assert_string_equal(child_value(f, "PATH"), "C:\\Windows\\system32;" BIN);
    assert_string_equal(child_value(f, "TEMP"), "C:\\Windows\\TEMP");
    assert_null(child_value(f, "CUDA_VISIBLE_DEVICES"));
    for (size_t i = 0; i < f->child.count; i++) assert_null(strstr(f->child.items[i], "C:\\Users\\user"));
}

static const cs_registry *whole_registry;

static cs_status list_without_user(void *ctx, cs_hive hive, const char *key, cs_reg_entry each, void *each_ctx, cs_error *error) {
    if (hive == CS_HKCU) return cs_fail_win32(error, 2, "list", key);
    return whole_registry->list_values(ctx, hive, key, each, each_ctx, error);
}

static void test_environment_child_of_a_user_without_variables(void **state) {
    fixture *f = *state;
    machine_path(f, CS_REG_SZ, BIN);
    whole_registry = f->host->registry;
    cs_registry registry = *whole_registry;
    cs_host host = *f->host;
    registry.list_values = list_without_user;
    host.registry = &registry;
    assert_int_equal(cs_environment_for_child(&host, true, &f->child, NULL), CS_OK);
    assert_string_equal(child_value(f, "PATH"), BIN);
}

#define search_test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        search_test(test_search_order_of_windows),
        search_test(test_search_order_finds_the_libraries),
        search_test(test_search_order_first_copy_wins),
        search_test(test_search_order_opens_no_network),
        search_test(test_search_order_unusable_entries),
        search_test(test_search_order_splits_as_the_loader_does),
        search_test(test_search_order_expands_as_windows_does),
        search_test(test_search_order_broken_libraries),
        search_test(test_search_order_unreadable_folder),
        search_test(test_search_order_failed_read_is_an_error),
        search_test(test_search_order_report),
        search_test(test_search_order_program_folder_comes_first),
        search_test(test_search_order_of_another_account),
        search_test(test_search_order_of_a_path_to_come),
        search_test(test_search_order_survives_failed_allocations),
        search_test(test_environment_child_path_and_folders),
        search_test(test_environment_child_allow_list),
        search_test(test_environment_child_is_sorted_and_single),
        search_test(test_environment_child_of_another_account),
        search_test(test_environment_child_of_a_user_without_variables),
        search_test(test_environment_child_failed_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
