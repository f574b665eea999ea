/* What installers do to people's PATH, and that this one does not: one test for each row of the collected reports, by the row's
 * name, with whole runs on a machine in memory. P03 and P13 to P16 are in test_environment_shared.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/search_order.h"
#include "verb_case.h"

#define BIN VERB_TREE "\\bin"

static void begin(verb_case *c) {
    verb_case_begin(c);
    verb_case_package(c, "p", "8.0.3.33", 8003, "p", false);
}

static void set_path(verb_case *c, uint32_t type, const char *text) {
    memory_host_reg_text(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", type, text);
}

static cs_reg_value path_of(verb_case *c) {
    const cs_registry *registry = c->host->registry;
    cs_reg_value value = {0};
    assert_int_equal(registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", &value, NULL), CS_OK);
    return value;
}

/* PATH is this text, of this type, with one terminator. */
static void assert_path(verb_case *c, uint32_t type, const char *text) {
    cs_reg_value now = path_of(c), expected = {0};
    assert_int_equal(cs_reg_value_from_text(&expected, type, text, NULL), CS_OK);
    assert_true(cs_reg_value_equal(&now, &expected));
    cs_reg_value_free(&now);
    cs_reg_value_free(&expected);
}

/* install → expected (NULL: unchanged) → the same again → uninstall → every byte of tree and registry as before. */
static void cycle(verb_case *c, uint32_t type, const char *text, const char *expected) {
    set_path(c, type, text);
    char *before = verb_case_dump(c);
    assert_int_equal(verb_case_install(c, "p"), 0);
    assert_path(c, type, expected ? expected : text);
    assert_int_equal(verb_case_install(c, "p"), 0);
    assert_path(c, type, expected ? expected : text);
    assert_int_equal(verb_case_run(c, cs_uninstall), 0);
    char *after = verb_case_dump(c);
    assert_string_equal(before, after);
    free(before), free(after);
}

static char *text_of_length(size_t length, const char *before) {
    char *text = malloc(length + strlen(before) + 1);
    assert_non_null(text);
    memcpy(text, before, strlen(before));
    for (size_t i = 0; i < length; i++) text[strlen(before) + i] = i % 60 == 59 ? ';' : (char)('a' + i % 26);
    text[length + strlen(before)] = '\0';
    return text;
}

static void check_lengths(const size_t *lengths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        verb_case c;
        begin(&c);
        char *text = text_of_length(lengths[i], ""), *expected = text_of_length(lengths[i], BIN ";");
        if (lengths[i] + strlen(BIN ";") <= 32766) {
            cycle(&c, CS_REG_EXPAND_SZ, text, expected);
        } else {
            set_path(&c, CS_REG_EXPAND_SZ, text);
            char *before = verb_case_dump(&c);
            assert_int_equal(verb_case_install(&c, "p"), 1603);
            char *after = verb_case_dump(&c);
            assert_string_equal(before, after);
            assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "32766"));
            free(before), free(after);
        }
        free(text), free(expected);
        verb_case_end(&c);
    }
}

static void test_path_damage_p01_cut_by_setx(void **state) {
    (void)state;
    static const size_t lengths[] = {1023, 1024, 1025, 2047, 2048, 4095, 8191, 32700, 32766};
    check_lengths(lengths, sizeof lengths / sizeof lengths[0]);
}

static void test_path_damage_p02_user_path_folded_into_the_machines(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    memory_host_reg_text(c.machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "%USERPROFILE%\\own;C:\\mine");
    cycle(&c, CS_REG_EXPAND_SZ, "%SystemRoot%\\system32;%SystemRoot%;C:\\Tools",
          BIN ";%SystemRoot%\\system32;%SystemRoot%;C:\\Tools");
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKCU, CS_KEY_USER_ENVIRONMENT, "Path"), "%USERPROFILE%\\own;C:\\mine");
    verb_case_end(&c);
}

static void test_path_damage_p04_fixed_limits(void **state) {
    (void)state;
    static const size_t lengths[] = {917, 1486, 16384};
    check_lengths(lengths, sizeof lengths / sizeof lengths[0]);
}

static void test_path_damage_p06_type_flipped(void **state) {
    (void)state; /* REG_EXPAND_SZ without any % stays what it is, and so does REG_SZ with one */
    verb_case c;
    begin(&c);
    cycle(&c, CS_REG_EXPAND_SZ, "C:\\a;C:\\b", BIN ";C:\\a;C:\\b");
    cycle(&c, CS_REG_SZ, "%SystemRoot%;C:\\b", BIN ";%SystemRoot%;C:\\b");
    verb_case_end(&c);
}

static void test_path_damage_p07_variables_in_variables(void **state) {
    (void)state; /* what we write is literal; an entry over an expandable variable does not count, and is called doubtful */
    verb_case c;
    cs_search_order order;
    cs_buffer text = {0};
    begin(&c);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "LATE", CS_REG_EXPAND_SZ, "%SystemDrive%\\CUDA\\v10.1");
    cycle(&c, CS_REG_EXPAND_SZ, "%LATE%\\bin;C:\\b", BIN ";%LATE%\\bin;C:\\b");
    assert_int_equal(cs_search_order_read(c.host, NULL, &order, NULL), CS_OK);
    cs_search_order_report(&order, &text);
    assert_non_null(strstr(text.data, "%LATE%\\bin = " BIN));
    assert_non_null(strstr(text.data, "may stay unexpanded"));
    cs_search_order_free(&order);
    cs_buffer_free(&text);
    verb_case_end(&c);
}

static void test_path_damage_p08_retyped_by_the_api(void **state) {
    (void)state; /* %...% of others is neither expanded nor retyped, whatever it names */
    verb_case c;
    begin(&c);
    cycle(&c, CS_REG_EXPAND_SZ, "%PATH%;%NOBODY%;%%;100%;%JAVA_HOME%\\bin", BIN ";%PATH%;%NOBODY%;%%;100%;%JAVA_HOME%\\bin");
    verb_case_end(&c);
}

static void test_path_damage_p09_added_again_and_again(void **state) {
    (void)state;
    static const char *const there[] = {BIN,
                                        BIN "\\",
                                        "c:\\CUDA\\V10.1\\BIN",
                                        "C:/CUDA/v10.1/bin",
                                        "%SystemDrive%\\CUDA\\v10.1\\bin",
                                        "C:\\CUDA\\.\\x\\..\\v10.1\\bin",
                                        "C:\\CUDASH~1\\v10.1\\bin"};
    for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) {
        char text[128];
        verb_case c;
        begin(&c);
        memory_host_short_name(c.machine, "C:\\CUDA", "CUDASH~1");
        snprintf(text, sizeof text, "C:\\a;%s;C:\\b", there[i]);
        cycle(&c, CS_REG_EXPAND_SZ, text, NULL);
        verb_case_end(&c);
    }
    verb_case c;
    begin(&c);
    cycle(&c, CS_REG_EXPAND_SZ, "\"" BIN "\";C:\\b", BIN ";\"" BIN "\";C:\\b"); /* quoted: once beside it, and never again */
    verb_case_end(&c);
}

/* Notes whether the old bytes lie in P\state when PATH is written. */
static void look_for_backup(void *ctx, memory_host *machine, const char *operation, const char *path) {
    static const char hex[] = "43003a005c006f006c0064005f006f006e006500"; /* C:\old_one */
    size_t size = strlen(path);
    if (strcmp(operation, "reg write") != 0 || size < 5 || strcmp(path + size - 5, "\\Path") != 0) return;
    char *state = memory_host_dump(machine, VERB_P "\\state");
    *(int *)ctx = strstr(state, hex) ? 1 : -1;
    free(state);
}

static void test_path_damage_p12_no_backup(void **state) {
    (void)state; /* value and type are in the journal before the first write, and in the receipt ever after */
    verb_case c;
    int found = 0;
    begin(&c);
    set_path(&c, CS_REG_EXPAND_SZ, "C:\\old_one");
    memory_host_hook(c.machine, look_for_backup, &found);
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_int_equal(found, 1);
    memory_host_hook(c.machine, NULL, NULL);
    char *kept = memory_host_dump(c.machine, VERB_P "\\state");
    assert_non_null(strstr(kept, "43003a005c006f006c0064005f006f006e006500"));
    free(kept);
    verb_case_end(&c);
}

static void test_path_damage_a11_toolkit_on_another_drive(void **state) {
    (void)state; /* staged on the tree's own volume; ordinary users can write there: PATH's end */
    static char tree[] = "D:\\sdk\\NVIDIA_CUDA\\v10.1";
    static const cs_volume d = {
        .guid_path = "\\\\?\\Volume{d}\\", .filesystem = "NTFS", .local_fixed = true, .free_bytes = 1 << 30};
    verb_case c;
    begin(&c);
    memory_host_volume(c.machine, "D:", &d);
    memory_host_text(c.machine, "D:\\sdk\\NVIDIA_CUDA\\v10.1\\bin\\cudart64_101.dll", "x");
    memory_host_text(c.machine, "D:\\sdk\\NVIDIA_CUDA\\v10.1\\version.txt", "CUDA Version 10.1.243");
    memory_host_security(c.machine, "D:\\sdk", "O:BAG:SYD:AI(A;OICIID;FA;;;BA)(A;ID;0x1301bf;;;AU)");
    set_path(&c, CS_REG_EXPAND_SZ, "C:\\a");
    char *before = verb_case_dump(&c), *drive = memory_host_dump(c.machine, "D:\\sdk");
    c.options.cuda = tree;
    memory_host_trace(c.machine, true);
    assert_int_equal(verb_case_install(&c, "p"), 0);
    assert_path(&c, CS_REG_EXPAND_SZ, "C:\\a;D:\\sdk\\NVIDIA_CUDA\\v10.1\\bin");
    assert_true(verb_case_told(&c, "path.untrusted-tree"));
    const char *trace = memory_host_trace_text(c.machine);
    assert_non_null(strstr(trace, "D:\\sdk\\NVIDIA_CUDA\\v10.1\\.cudnn-setup\\"));
    assert_null(strstr(trace, "C:\\CUDA\\v10.1\\.cudnn-setup"));
    c.options.cuda = NULL;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *after = verb_case_dump(&c), *drive_after = memory_host_dump(c.machine, "D:\\sdk");
    assert_string_equal(before, after);
    assert_string_equal(drive, drive_after);
    free(before), free(after), free(drive), free(drive_after);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_damage_p01_cut_by_setx),
        cmocka_unit_test(test_path_damage_p02_user_path_folded_into_the_machines),
        cmocka_unit_test(test_path_damage_p04_fixed_limits),
        cmocka_unit_test(test_path_damage_p06_type_flipped),
        cmocka_unit_test(test_path_damage_p07_variables_in_variables),
        cmocka_unit_test(test_path_damage_p08_retyped_by_the_api),
        cmocka_unit_test(test_path_damage_p09_added_again_and_again),
        cmocka_unit_test(test_path_damage_p12_no_backup),
        cmocka_unit_test(test_path_damage_a11_toolkit_on_another_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
