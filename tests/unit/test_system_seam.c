/* What every implementation of cs_system promises, against the real system. Started with arguments, the program is its own
 * child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "skip.h"

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "platform.h"

static const cs_system *sys;
static const cs_fs *fs;
static temp_folder scratch;
static cs_buffer program;

static bool on_windows(void) { return cs_registry_real() != NULL; }

/* ---- the child ---- */

static void echo(const cs_strings *arguments) {
    for (size_t i = 1; i < arguments->count; i++) printf("[%s]\n", arguments->items[i]);
}

static void print_holders_of_this_program(void) {
    cs_holders holders = {0};
    const char *paths[] = {program.data};
    cs_status status = sys->holders(sys->ctx, paths, 1, &holders, NULL);
    printf("%d\n", status);
    for (size_t i = 0; i < holders.count; i++) printf("%u %s\n", (unsigned)holders.items[i].pid, holders.items[i].name);
    cs_holders_free(&holders);
}

static int be_child(const cs_strings *arguments) {
    const char *verb = arguments->items[0];
    platform_binary_output();
    if (strcmp(verb, "echo") == 0) echo(arguments);
    if (strcmp(verb, "exit") == 0) return atoi(arguments->items[1]);
    if (strcmp(verb, "sleep") == 0) {
        printf("before");
        fflush(stdout);
        sys->sleep(sys->ctx, 60000);
    }
    if (strcmp(verb, "hidden") == 0) printf("%s", platform_started_hidden() ? "hidden" : "shown");
    if (strcmp(verb, "much") == 0)
        for (int i = 0; i < 3 * 1024 * 1024 / 16; i++) fputs("0123456789abcdef", stdout);
    if (strcmp(verb, "environment") == 0)
        for (size_t i = 1; i < arguments->count; i++) {
            const char *value = getenv(arguments->items[i]);
            printf("%s=%s\n", arguments->items[i], value ? value : "(none)");
        }
    if (strcmp(verb, "read") == 0) {
        FILE *file = fopen(arguments->items[1], "rb");
        printf("%s", file ? "there" : "not there");
        if (file) fclose(file);
    }
    if (strcmp(verb, "holders") == 0) print_holders_of_this_program();
    return 0;
}

/* ---- the tests ---- */

static int setup(void **state) {
    (void)state;
    temp_folder_make(&scratch, " \xC3\xA9");
    platform_known_folders(&scratch);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    temp_folder_remove(&scratch);
    return 0;
}

static cs_child_result run(const char *const *arguments, size_t count, uint32_t deadline_ms) {
    cs_child child = {
        .program = program.data, .arguments = arguments, .argument_count = count, .deadline_ms = deadline_ms, .as_current = true};
    cs_child_result result;
    cs_error error = {0};
    cs_status status = sys->run(sys->ctx, &child, &result, &error);
    if (status != CS_OK) {
        char text[2048];
        cs_error_text(&error, text, sizeof text);
        fail_msg("%s", text);
    }
    assert_false(result.refused);
    assert_string_equal(result.account, "this user");
    return result;
}

static void test_system_seam_random_differs(void **state) {
    (void)state;
    uint8_t a[32] = {0}, b[32] = {0}, zero[32] = {0};
    assert_int_equal(sys->random(sys->ctx, a, sizeof a, NULL), CS_OK);
    assert_int_equal(sys->random(sys->ctx, b, sizeof b, NULL), CS_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_memory_not_equal(a, zero, sizeof a);
}

static void test_system_seam_clocks(void **state) {
    (void)state;
    int64_t now = sys->now(sys->ctx);
    uint64_t ticks = sys->ticks(sys->ctx);
    assert_true(now > 132223104000000000); /* 2020 */
    assert_true(now < 160000000000000000); /* 2108 */
    sys->sleep(sys->ctx, 50);
    uint64_t passed = sys->ticks(sys->ctx) - ticks;
    assert_true(passed >= 30);
    assert_true(passed < 20000);
    assert_true(sys->now(sys->ctx) - now >= 300000);
}

/* No place is more than 14 hours from UTC, and offsets are quarters of an hour since long before these moments. */
static void test_system_seam_time_zone(void **state) {
    (void)state;
    static const int64_t moments[] = {INT64_C(134404796130000000),
                                      INT64_C(134250000000000000)}; /* a winter's and a summer's day */
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        int32_t minutes = 9999;
        assert_true(sys->local_offset(sys->ctx, moments[i], &minutes));
        assert_in_range((uintmax_t)(minutes + 14 * 60), 0, 28 * 60);
        assert_int_equal(minutes % 15, 0);
    }
}

static void test_system_seam_process(void **state) {
    (void)state;
    cs_buffer name = {0};
    assert_true(sys->process_id(sys->ctx) > 0);
    assert_in_range(sys->processors(sys->ctx), 1, 4096);
    assert_true(cs_text_starts_with(cs_path_name(program.data), "test_system_seam"));
    cs_file_info info;
    assert_int_equal(fs->stat(fs->ctx, program.data, &info, NULL), CS_OK);
    assert_int_equal(info.kind, CS_FILE_REGULAR);
    assert_int_equal(sys->computer_name(sys->ctx, &name, NULL), CS_OK);
    assert_true(name.size > 0);
    cs_buffer_free(&name);
}

/* The file that runs, whatever its name is by now. */
static void test_system_seam_program_file(void **state) {
    (void)state;
    cs_file *file = NULL, *again = NULL, *other = NULL;
    cs_file_info by_path, by_file;
    assert_int_equal(sys->program_file(sys->ctx, &file, NULL), CS_OK);
    assert_int_equal(sys->program_file(sys->ctx, &again, NULL), CS_OK);
    assert_int_equal(fs->stat(fs->ctx, program.data, &by_path, NULL), CS_OK);
    assert_int_equal(fs->info(fs->ctx, file, &by_file, NULL), CS_OK);
    assert_true(cs_file_id_equal(&by_path.id, &by_file.id));
    fs->close(fs->ctx, file);
    cs_buffer aside = {0};
    cs_buffer_format(&aside, "%s.aside", program.data);
    assert_int_equal(fs->open(fs->ctx, program.data, CS_OPEN_MOVE, &other, NULL), CS_OK);
    assert_int_equal(fs->rename(fs->ctx, other, aside.data, false, NULL), CS_OK);
    char start[2] = "";
    size_t got = 0;
    assert_int_equal(sys->program_file(sys->ctx, &file, NULL), CS_OK);
    assert_int_equal(fs->read(fs->ctx, file, 0, start, sizeof start, &got, NULL), CS_OK);
    assert_memory_equal(start,
                        on_windows() ? "MZ"
                                     : "\x7F"
                                       "E",
                        2);
    assert_int_equal(fs->info(fs->ctx, file, &by_file, NULL), CS_OK);
    assert_memory_equal(by_path.id.id, by_file.id.id, sizeof by_file.id.id); /* Wine loses the volume after a rename */
    assert_int_equal(fs->rename(fs->ctx, other, program.data, false, NULL), CS_OK);
    fs->close(fs->ctx, other);
    fs->close(fs->ctx, again);
    fs->close(fs->ctx, file);
    cs_buffer_free(&aside);
}

static void test_system_seam_platform(void **state) {
    (void)state;
    cs_platform platform;
    sys->platform(sys->ctx, &platform);
    assert_true(platform.x64);
    assert_int_equal(platform.windows_10, on_windows());
    assert_int_equal(platform.build >= 10240, on_windows());
    assert_non_null(strstr(platform.text, on_windows() ? "Windows 10.0." : "Linux "));
    const char *wine = sys->wine_version(sys->ctx);
    assert_int_equal(wine != NULL, cs_text_starts_with(platform.text, "Wine "));
    if (wine) assert_non_null(strstr(platform.text, wine));
}

static void test_system_seam_known_folders(void **state) {
    (void)state;
    static const struct {
        cs_folder which;
        const char *end;
    } rows[] = {{CS_FOLDER_PROGRAM_FILES, "Program Files"},
                {CS_FOLDER_LOCAL_APPDATA, "Local"},
                {CS_FOLDER_DOWNLOADS, "Downloads"},
                {CS_FOLDER_SYSTEM, "System32"},
                {CS_FOLDER_WINDOWS, "Windows"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer path = {0};
        assert_int_equal(sys->folder(sys->ctx, rows[i].which, &path, NULL), CS_OK);
        assert_true(cs_text_ends_with_ascii_case(path.data, rows[i].end));
        if (rows[i].which != CS_FOLDER_DOWNLOADS) assert_true(cs_fs_exists(fs, path.data));
        cs_buffer_free(&path);
    }
}

static void test_system_seam_absent_resource(void **state) {
    (void)state;
    const void *bytes;
    size_t size;
    assert_int_equal(sys->resource(sys->ctx, "no-such-program.exe", &bytes, &size, NULL), CS_E_NOT_FOUND);
}

static void test_system_seam_run_hands_arguments_over_exactly(void **state) {
    (void)state;
    static const char *const arguments[] = {"echo",   "",      "a b",     "a\\",      "a b\\",    "\"",    "a\"b",
                                            "a\\\"b", "\\\\",  "C:\\x\\", "\\\\s\\t", "\xC3\xA9", "tab\t", "a\\\\\" b\\\\",
                                            "%PATH%", "^&|<>", "/x:y",    "'"};
    enum { COUNT = sizeof arguments / sizeof arguments[0] };
    cs_buffer expected = {0};
    for (size_t i = 1; i < COUNT; i++) cs_buffer_format(&expected, "[%s]\n", arguments[i]);
    cs_child_result result = run(arguments, COUNT, 60000);
    assert_int_equal(result.exit_code, 0);
    assert_false(result.timed_out);
    assert_string_equal(cs_buffer_string(&result.output), expected.data);
    cs_buffer_free(&result.output);
    cs_buffer_free(&expected);
}

static void test_system_seam_run_gives_the_exit_code(void **state) {
    (void)state;
    static const char *const arguments[] = {"exit", "77"};
    cs_child_result result = run(arguments, 2, 60000);
    assert_int_equal(result.exit_code, 77);
    assert_int_equal(result.output.size, 0);
    cs_buffer_free(&result.output);
}

static void test_system_seam_run_ends_at_the_deadline(void **state) {
    (void)state;
    static const char *const arguments[] = {"sleep"};
    uint64_t start = sys->ticks(sys->ctx);
    cs_child_result result = run(arguments, 1, 3000);
    assert_true(result.timed_out);
    assert_true(sys->ticks(sys->ctx) - start < 30000);
    assert_string_equal(cs_buffer_string(&result.output), "before");
    assert_int_not_equal(result.exit_code, 0);
    cs_buffer_free(&result.output);
}

/* A quiet run must not flash a console window. */
static void test_system_seam_run_shows_no_window(void **state) {
    (void)state;
    const char *arguments[] = {"hidden"};
    cs_child_result result = run(arguments, 1, 60000);
    assert_string_equal(cs_buffer_string(&result.output), "hidden");
    cs_buffer_free(&result.output);
}

static void test_system_seam_run_bounds_the_output(void **state) {
    (void)state;
    static const char *const arguments[] = {"much"};
    cs_child_result result = run(arguments, 1, 60000);
    assert_int_equal(result.output.size, 1 << 20);
    assert_memory_equal(result.output.data, "0123456789abcdef", 16);
    assert_int_equal(result.exit_code, 0);
    cs_buffer_free(&result.output);
}

static void test_system_seam_run_environment_and_folder(void **state) {
    (void)state;
    static const char *const variables[] = {"environment", "ZETA", "CUDNN_TEST_ALPHA", "CUDNN_SETUP_ABSENT", "HOME"};
    static const char *const environment[] = {"ZETA=z=1", "SystemRoot=C:\\windows", "CUDNN_TEST_ALPHA=a b"};
    static const char *const read[] = {"read", "here.txt"};
    temp_write_text(temp_path(&scratch, "here.txt"), "");
    cs_child child = {.program = program.data,
                      .arguments = variables,
                      .argument_count = 5,
                      .environment = environment,
                      .environment_count = 3,
                      .deadline_ms = 60000,
                      .as_current = true};
    cs_child_result result;
    assert_int_equal(sys->run(sys->ctx, &child, &result, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&result.output),
                        "ZETA=z=1\nCUDNN_TEST_ALPHA=a b\nCUDNN_SETUP_ABSENT=(none)\nHOME=(none)\n");
    cs_buffer_free(&result.output);
    child = (cs_child){.program = program.data,
                       .arguments = read,
                       .argument_count = 2,
                       .folder = scratch.path,
                       .deadline_ms = 60000,
                       .as_current = true};
    assert_int_equal(sys->run(sys->ctx, &child, &result, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&result.output), "there");
    cs_buffer_free(&result.output);
    child.folder = NULL;
    assert_int_equal(sys->run(sys->ctx, &child, &result, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&result.output), "not there");
    cs_buffer_free(&result.output);
}

static void test_system_seam_run_of_an_absent_program(void **state) {
    (void)state;
    cs_child_result result;
    const cs_child child = {.program = temp_path(&scratch, "none.exe"), .deadline_ms = 1000, .as_current = true};
    assert_int_equal(sys->run(sys->ctx, &child, &result, NULL), CS_E_NOT_FOUND);
    const cs_child relative = {.program = "none.exe", .deadline_ms = 1000, .as_current = true};
    assert_int_not_equal(sys->run(sys->ctx, &relative, &result, NULL), CS_OK);
}

static void test_system_seam_run_never_hands_on_administrator_rights(void **state) {
    (void)state;
    static const char *const arguments[] = {"exit", "5"};
    cs_child child = {.program = program.data, .arguments = arguments, .argument_count = 2, .deadline_ms = 60000};
    cs_child_result result;
    cs_status status = sys->run(sys->ctx, &child, &result, NULL);
    if (!sys->is_administrator(sys->ctx)) {
        assert_int_equal(status, CS_OK);
        assert_int_equal(result.exit_code, 5);
        assert_string_equal(result.account, "this user");
    } else if (result.refused) {
        assert_int_equal(status, CS_OK);
        assert_int_equal(result.output.size, 0);
    } else {
        assert_string_not_equal(result.account, "this user");
    }
    cs_buffer_free(&result.output);
}

static void test_system_seam_holders_names_another_process(void **state) {
    (void)state;
    static const char *const arguments[] = {"holders"};
    char expected[64];
    cs_child_result result = run(arguments, 1, 60000);
    snprintf(expected, sizeof expected, "\n%u test_system_seam", (unsigned)sys->process_id(sys->ctx));
    const char *output = cs_buffer_string(&result.output);
    assert_true(output[0] == '0'); /* CS_OK */
    const char *found = strstr(output, expected);
    assert_non_null(found);
    assert_null(strstr(found + 1, expected)); /* once */
    cs_buffer_free(&result.output);
}

static void test_system_seam_holders_of_a_free_file(void **state) {
    (void)state;
    cs_holders holders = {0};
    const char *paths[] = {temp_path(&scratch, "free.dll"), temp_path(&scratch, "absent.dll")};
    temp_write_text(paths[0], "MZ");
    assert_int_equal(sys->holders(sys->ctx, paths, 2, &holders, NULL), CS_OK);
    assert_int_equal(holders.count, 0);
    cs_holders_free(&holders);
}

static void test_system_seam_recovery_service(void **state) {
    (void)state;
    if (!on_windows()) {
        assert_int_equal(sys->set_recovery_service(sys->ctx, true, program.data, NULL), CS_E_UNSUPPORTED);
        assert_false(sys->recovery_service(sys->ctx));
        return;
    }
    if (!sys->is_administrator(sys->ctx) || sys->recovery_service(sys->ctx))
        SKIP("needs an administrator and no recovery service");
    const cs_registry *registry = cs_registry_real();
    cs_reg_value value;
    cs_buffer text = {0}, expected = {0};
    assert_int_equal(sys->set_recovery_service(sys->ctx, true, program.data, NULL), CS_OK);
    assert_true(sys->recovery_service(sys->ctx));
    assert_int_equal(sys->set_recovery_service(sys->ctx, true, program.data, NULL), CS_OK);
    assert_int_equal(registry->read(registry->ctx, CS_HKLM, "SYSTEM\\CurrentControlSet\\Services\\cudnn-setup-recover",
                                    "ImagePath", &value, NULL),
                     CS_OK);
    assert_int_equal(cs_reg_value_to_text(&value, &text, NULL), CS_OK);
    cs_buffer_format(&expected, "\"%s\" /recover /quiet", program.data);
    assert_string_equal(text.data, expected.data);
    cs_reg_value_free(&value);
    cs_buffer_free(&text);
    cs_buffer_free(&expected);
    assert_int_equal(sys->set_recovery_service(sys->ctx, false, NULL, NULL), CS_OK);
    assert_false(sys->recovery_service(sys->ctx));
    assert_int_equal(sys->set_recovery_service(sys->ctx, false, NULL, NULL), CS_OK);
    assert_int_equal(sys->set_recovery_service(sys->ctx, true, "C:\\x\" /evil", NULL), CS_E_NAME);
}

/* A list of services that somebody has open keeps a deleted service alive. */
static void test_system_seam_service_marked_for_deletion(void **state) {
    (void)state;
    if (!on_windows()) SKIP("Linux has no services");
    if (!sys->is_administrator(sys->ctx) || sys->recovery_service(sys->ctx))
        SKIP("needs an administrator and no recovery service");
    assert_int_equal(sys->set_recovery_service(sys->ctx, true, program.data, NULL), CS_OK);
    void *held = platform_hold_service("cudnn-setup-recover");
    assert_non_null(held);
    assert_int_equal(sys->set_recovery_service(sys->ctx, false, NULL, NULL), CS_OK);
    assert_false(sys->recovery_service(sys->ctx));
    assert_int_equal(sys->set_recovery_service(sys->ctx, false, NULL, NULL), CS_OK);
    cs_error error = {0};
    assert_int_not_equal(sys->set_recovery_service(sys->ctx, true, program.data, &error), CS_OK);
    assert_int_equal(error.system, 1072);
    platform_release_service(held);
    assert_int_equal(sys->set_recovery_service(sys->ctx, true, program.data, NULL), CS_OK);
    assert_true(sys->recovery_service(sys->ctx));
    assert_int_equal(sys->set_recovery_service(sys->ctx, false, NULL, NULL), CS_OK);
}

static void test_system_seam_delete_at_restart(void **state) {
    (void)state;
    static const char key[] = "SYSTEM\\CurrentControlSet\\Control\\Session Manager", name[] = "PendingFileRenameOperations";
    const char *path = temp_path(&scratch, "old");
    temp_write_text(path, "");
    if (!on_windows()) {
        assert_int_equal(sys->delete_at_restart(sys->ctx, path, NULL), CS_E_UNSUPPORTED);
        return;
    }
    if (!sys->is_administrator(sys->ctx)) SKIP("needs an administrator");
    const cs_registry *registry = cs_registry_real();
    cs_reg_value before, after;
    assert_int_equal(registry->read(registry->ctx, CS_HKLM, key, name, &before, NULL), CS_OK);
    assert_int_equal(sys->delete_at_restart(sys->ctx, path, NULL), CS_OK);
    assert_int_equal(registry->read(registry->ctx, CS_HKLM, key, name, &after, NULL), CS_OK);
    assert_true(after.present);
    assert_int_equal(after.type, CS_REG_MULTI_SZ);
    assert_true(after.size > before.size + 2 * strlen("cudnn-setup-test"));
    assert_int_equal(registry->write(registry->ctx, CS_HKLM, key, name, &before, NULL), CS_OK);
    cs_reg_value_free(&before);
    cs_reg_value_free(&after);
}

static void test_system_seam_own_account_and_variables(void **state) {
    (void)state;
    cs_buffer value = {0};
    cs_account account = sys->account(sys->ctx);
    assert_true(account == CS_ACCOUNT_DESKTOP || account == CS_ACCOUNT_OTHER || account == CS_ACCOUNT_ALONE);
    if (!on_windows()) assert_int_equal(account, CS_ACCOUNT_ALONE);
    assert_int_equal(sys->own_variable(sys->ctx, "PATH", &value, NULL), CS_OK);
    assert_true(value.size > 0);
    assert_int_equal(sys->own_variable(sys->ctx, "CUDNN_SETUP_NO_SUCH_VARIABLE", &value, NULL), CS_E_NOT_FOUND);
    cs_buffer_free(&value);
}

static void test_system_seam_broadcast_is_bounded(void **state) {
    (void)state;
    cs_broadcast out;
    uint64_t start = sys->ticks(sys->ctx);
    cs_status status = sys->broadcast_environment(sys->ctx, 1000, &out, NULL);
    assert_int_equal(status, on_windows() ? CS_OK : CS_E_UNSUPPORTED);
    assert_true(sys->ticks(sys->ctx) - start < 20000);
}

static void test_system_seam_signature_of_an_unsigned_program(void **state) {
    (void)state;
    cs_signature signature;
    cs_status status = sys->signature(sys->ctx, program.data, &signature, NULL);
    assert_int_equal(status, on_windows() ? CS_OK : CS_E_UNSUPPORTED);
    assert_int_equal(signature, CS_SIGNATURE_NONE);
    if (on_windows()) {
        const char *path = temp_path(&scratch, "no.dll");
        temp_write_text(path, "not a PE file");
        assert_int_not_equal(sys->signature(sys->ctx, path, &signature, NULL), CS_OK);
    }
}

#define with_scratch(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static int run_all(void) {
    const struct CMUnitTest tests[] = {
        with_scratch(test_system_seam_random_differs),
        with_scratch(test_system_seam_clocks),
        with_scratch(test_system_seam_time_zone),
        with_scratch(test_system_seam_process),
        with_scratch(test_system_seam_program_file),
        with_scratch(test_system_seam_platform),
        with_scratch(test_system_seam_known_folders),
        with_scratch(test_system_seam_absent_resource),
        with_scratch(test_system_seam_run_hands_arguments_over_exactly),
        with_scratch(test_system_seam_run_gives_the_exit_code),
        with_scratch(test_system_seam_run_ends_at_the_deadline),
        with_scratch(test_system_seam_run_shows_no_window),
        with_scratch(test_system_seam_run_bounds_the_output),
        with_scratch(test_system_seam_run_environment_and_folder),
        with_scratch(test_system_seam_run_of_an_absent_program),
        with_scratch(test_system_seam_run_never_hands_on_administrator_rights),
        with_scratch(test_system_seam_holders_names_another_process),
        with_scratch(test_system_seam_holders_of_a_free_file),
        with_scratch(test_system_seam_recovery_service),
        with_scratch(test_system_seam_service_marked_for_deletion),
        with_scratch(test_system_seam_delete_at_restart),
        with_scratch(test_system_seam_own_account_and_variables),
        with_scratch(test_system_seam_broadcast_is_bounded),
        with_scratch(test_system_seam_signature_of_an_unsigned_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv) {
    cs_strings arguments = {0};
    sys = cs_system_real();
    fs = cs_fs_real();
    platform_arguments(argc, argv, &arguments);
    if (sys->program_path(sys->ctx, &program, NULL) != CS_OK) return 99;
    int code = arguments.count ? be_child(&arguments) : run_all();
    cs_strings_free(&arguments);
    cs_buffer_free(&program);
    return code;
}
