#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/plan.h"
#include "verb_case.h"

static void install_803(verb_case *c) {
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    int code = verb_case_install(c, "p803");
    if (code) print_error("%s\n%s\n", cs_buffer_string(&c->outcome.message), cs_buffer_string(&c->told));
    assert_int_equal(code, 0);
}

static void assert_placed(verb_case *c, const char *tag) {
    for (size_t i = 0; i < VERB_ROWS; i++) {
        const char *found = verb_case_get(c, verb_targets[i]);
        assert_non_null(found);
        assert_string_equal(found, verb_case_content(tag, i));
    }
}

static void test_install_places_every_file(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install_803(&c);
    assert_placed(&c, "803");
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_int_equal(c.outcome.file_count, VERB_ROWS);
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "placed");
    assert_string_equal(c.outcome.tree_path, VERB_TREE);
    assert_int_equal(c.outcome.trust.kind, CS_TRUST_PINNED);
    assert_true(c.outcome.trust.sample);
    assert_string_equal(cs_buffer_string(&c.outcome.message),
                        "cuDNN 8.0.3.33 for CUDA 10.1 (sample) is installed in C:\\CUDA\\v10.1: 6 files placed.");
    assert_int_equal(memory_host_system(c.machine)->broadcasts, 1);
    assert_false(memory_host_system(c.machine)->service);
    verb_case_end(&c);
}

static void test_install_writes_the_environment(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    memory_host_reg_text(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "%SystemRoot%;C:\\tools");
    install_803(&c);
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path"),
                        VERB_TREE "\\bin;%SystemRoot%;C:\\tools");
    assert_string_equal(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"), VERB_TREE);
    assert_int_equal(c.outcome.value_count, 2);
    assert_string_equal(c.outcome.values[0].name, "CUDA_PATH");
    assert_null(c.outcome.values[0].old_text);
    assert_string_equal(c.outcome.values[1].type, "REG_EXPAND_SZ");
    verb_case_end(&c);
}

static void test_install_again_changes_nothing(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install_803(&c);
    char *before = verb_case_dump(&c), *programs = memory_host_dump(c.machine, VERB_P);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "same");
    assert_false(verb_case_told(&c, "step unpack"));
    char *after = verb_case_dump(&c), *programs_after = memory_host_dump(c.machine, VERB_P);
    assert_string_equal(before, after);
    assert_string_equal(programs, programs_after);
    assert_int_equal(memory_host_system(c.machine)->broadcasts, 1);
    free(before), free(after), free(programs), free(programs_after);
    verb_case_end(&c);
}

static void test_install_already_needs_no_archive(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    install_803(&c);
    assert_true(memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip"));
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    verb_case_end(&c);
}

static void test_install_over_older_keeps_the_old_files(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_put(&c, "include/cudnn.h", "the header of 7.6");
    verb_case_put(&c, "lib/x64/cudnn.lib", "the library of 7.6");
    assert_true(memory_host_set_info(c.machine, VERB_TREE "\\include\\cudnn.h", 0x21, 1000000, 2000000));
    char *before = verb_case_dump(&c);
    install_803(&c);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "replaced");
    assert_placed(&c, "803");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "restored");
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "removed");
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    verb_case_assert_clean(&c);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_install_over_hand_copied_files_leaves_them(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    for (size_t i = 0; i < VERB_ROWS; i++) verb_case_put(&c, verb_targets[i], verb_case_content("803", i));
    char *before = verb_case_dump(&c);
    install_803(&c);
    for (size_t i = 0; i < VERB_ROWS; i++) assert_string_equal(verb_case_state(&c, verb_targets[i]), "same");
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_int_equal(verb_case_run(&c, cs_verify), 0);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_install_makes_missing_folders_and_takes_them_away(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    memory_host_delete(c.machine, VERB_TREE "\\include");
    memory_host_delete(c.machine, VERB_TREE "\\lib");
    char *before = verb_case_dump(&c);
    install_803(&c);
    assert_placed(&c, "803");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    verb_case_end(&c);
}

static void test_install_of_the_environment_alone_unpacks_nothing(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    c.options.env = CS_ENV_NONE;
    install_803(&c);
    assert_int_equal(c.outcome.value_count, 0);
    c.options.env = CS_ENV_ALL;
    assert_true(memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip"));
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_int_equal(c.outcome.value_count, 2);
    assert_int_equal(verb_case_run(&c, cs_rollback), 0);
    assert_placed(&c, "803");
    assert_null(memory_host_reg_get(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"));
    verb_case_end(&c);
}

static void test_install_with_a_sealed_manifest(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "sealed", "8.0.3.33", 8003, "803", true);
    assert_int_equal(verb_case_install(&c, "sealed"), 0);
    assert_int_equal(c.outcome.trust.kind, CS_TRUST_SEALED);
    assert_placed(&c, "803");
    verb_case_end(&c);
}

static void test_install_finds_the_archive_beside_the_program(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_text(c.machine, VERB_MEDIA "\\cudnn-aaa.zip", "no archive at all");
    c.options.manifest = VERB_MEDIA "\\p803.json";
    assert_int_equal(verb_case_run(&c, cs_install), 0);
    assert_placed(&c, "803");
    verb_case_end(&c);
}

static void test_install_takes_the_first_archive_that_passes(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_move(c.machine, VERB_MEDIA "\\p803.zip", VERB_MEDIA "\\cudnn-zzz.zip");
    memory_host_text(c.machine, VERB_MEDIA "\\cudnn-aaa.zip", "no archive at all");
    c.options.manifest = VERB_MEDIA "\\p803.json";
    assert_int_equal(verb_case_run(&c, cs_install), 0);
    assert_true(verb_case_told(&c, "note archive.passed-over"));
    assert_placed(&c, "803");
    verb_case_end(&c);
}

/* Refusals leave the machine as it was. */
static void refused(verb_case *c, int expected, const char *word) {
    char *before = verb_case_dump(c);
    int code = verb_case_install(c, "p803");
    if (code != expected || !strstr(cs_buffer_string(&c->outcome.message), word))
        print_error("%d %s\n", code, cs_buffer_string(&c->outcome.message));
    assert_int_equal(code, expected);
    assert_non_null(strstr(cs_buffer_string(&c->outcome.message), word));
    char *after = verb_case_dump(c);
    assert_string_equal(before, after);
    verb_case_assert_clean(c);
    free(before), free(after);
}

static void test_install_missing_archive_is_1619(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    refused(&c, 1619, "p803.zip");
    verb_case_end(&c);
}

static void test_install_no_archive_anywhere_is_1619(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    c.options.manifest = VERB_MEDIA "\\p803.json";
    assert_int_equal(verb_case_run(&c, cs_install), 1619);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), VERB_MEDIA));
    verb_case_end(&c);
}

static void test_install_changed_archive_is_1620(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_flip(c.machine, VERB_MEDIA "\\p803.zip", 60);
    refused(&c, 1620, "p803.zip");
    verb_case_end(&c);
}

static void test_install_sample_without_its_manifest_is_1620(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    c.options.archive = VERB_MEDIA "\\p803.zip";
    assert_int_equal(verb_case_run(&c, cs_install), 1620);
    assert_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    verb_case_end(&c);
}

static void test_install_bad_manifest_is_1603(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_text(c.machine, VERB_MEDIA "\\p803.json", "{\"schema\": 2}");
    refused(&c, 1603, "p803.json");
    verb_case_end(&c);
}

static void test_install_without_a_toolkit_is_1642(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_delete(c.machine, VERB_TREE "\\bin\\cudart64_101.dll");
    refused(&c, 1642, "cudart64_101.dll");
    verb_case_end(&c);
}

static void test_install_without_rights_is_740(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_system(c.machine)->administrator = false;
    refused(&c, 740, "elevated");
    assert_false(memory_host_exists(c.machine, VERB_P));
    verb_case_end(&c);
}

static void test_install_on_old_windows_is_1633(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_system(c.machine)->platform.windows_10 = false;
    refused(&c, 1633, "Windows 10");
    memory_host_system(c.machine)->platform.windows_10 = true;
    memory_host_system(c.machine)->platform.x64 = false;
    refused(&c, 1633, "x64");
    verb_case_end(&c);
}

static void test_install_while_another_runs_is_1618(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_text(c.machine, VERB_P "\\state\\lock", "");
    cs_file *held = memory_host_hold(c.machine, VERB_P "\\state\\lock", CS_OPEN_LOCK);
    assert_non_null(held);
    c.options.archive = VERB_MEDIA "\\p803.zip";
    c.options.manifest = VERB_MEDIA "\\p803.json";
    cs_status status = cs_install(c.host, &c.options, &c.outcome);
    assert_int_equal(cs_exit_code(status), 1618);
    assert_null(verb_case_get(&c, "bin/cudnn64_8.dll"));
    c.host->fs->close(c.host->fs->ctx, held);
    verb_case_end(&c);
}

static void test_install_without_space_is_112(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    cs_volume volume = {.guid_path = "\\\\?\\Volume{11111111-1111-1111-1111-111111111111}\\",
                        .filesystem = "NTFS",
                        .local_fixed = true,
                        .free_bytes = 1000};
    memory_host_volume(c.machine, "C:", &volume);
    refused(&c, 112, "are free");
    verb_case_end(&c);
}

static void test_install_disk_full_while_unpacking_is_112(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_fail_on(c.machine, "write", "\\new\\03", MEMORY_BEFORE, 112);
    refused(&c, 112, "include/cudnn_version.h");
    verb_case_end(&c);
}

static void test_install_over_newer_is_1638(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "include/cudnn_version.h",
                  "#define CUDNN_MAJOR 8\r\n#define CUDNN_MINOR 2\r\n#define CUDNN_PATCHLEVEL 1\r\n");
    refused(&c, 1638, "8.2.1");
    c.options.force = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(verb_case_told(&c, "warning version.newer"));
    assert_placed(&c, "803");
    verb_case_end(&c);
}

static void test_install_in_use_is_1603_with_the_names(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "bin/cudnn64_8.dll", "an older one");
    cs_holders_add(&memory_host_system(c.machine)->holders, 77, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    refused(&c, 1603, "python.exe (process 77)");
    assert_int_equal(c.outcome.in_use.count, 1);
    c.options.inuse_aside = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(verb_case_told(&c, "warning in-use.aside"));
    verb_case_end(&c);
}

static void test_install_on_another_file_system_needs_force(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    cs_volume volume = {.guid_path = "\\\\?\\Volume{11111111-1111-1111-1111-111111111111}\\",
                        .filesystem = "exFAT",
                        .local_fixed = true,
                        .free_bytes = UINT64_C(1) << 40};
    memory_host_volume(c.machine, "C:", &volume);
    refused(&c, 1603, "exFAT");
    c.options.force = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(verb_case_told(&c, "warning volume.no-promise"));
    verb_case_end(&c);
}

/* Puts the package's archive on a share. */
static void move_to_share(verb_case *c) {
    cs_volume share = {
        .guid_path = "\\\\?\\Volume{22222222-2222-2222-2222-222222222222}\\", .filesystem = "NTFS", .free_bytes = 1};
    memory_host_volume(c->machine, "D:", &share);
    assert_true(memory_host_move(c->machine, VERB_MEDIA "\\p803.zip", VERB_MEDIA "\\kept.zip"));
    size_t size = 0;
    cs_file_info info;
    assert_true(memory_host_info(c->machine, VERB_MEDIA "\\kept.zip", &info));
    size = (size_t)info.size;
    void *bytes = malloc(size);
    memcpy(bytes, memory_host_content(c->machine, VERB_MEDIA "\\kept.zip"), size);
    assert_true(memory_host_file(c->machine, "D:\\share\\p803.zip", bytes, size));
    free(bytes);
}

static void test_install_copies_an_archive_that_is_not_local(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    move_to_share(&c);
    c.options.archive = "D:\\share\\p803.zip";
    c.options.manifest = VERB_MEDIA "\\p803.json";
    assert_int_equal(verb_case_run(&c, cs_install), 0);
    assert_true(verb_case_told(&c, "note archive.copied"));
    assert_placed(&c, "803");
    c.options.archive = c.options.manifest = NULL;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

/* The same archive under another manifest is only known once it was copied and judged; the copy is then in nobody's way. */
static void test_install_drops_the_copy_of_what_is_installed(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    verb_case_package(&c, "again", "8.0.3.33", 8003, "803", false); /* other names, so another manifest */
    move_to_share(&c);
    memory_host_reg_delete(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH"); /* there is something to commit */
    uint32_t slept = memory_host_system(c.machine)->slept_ms;
    c.options.archive = "D:\\share\\p803.zip";
    c.options.manifest = VERB_MEDIA "\\again.json";
    assert_int_equal(verb_case_run(&c, cs_install), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_true(verb_case_told(&c, "note archive.copied"));
    assert_int_equal(memory_host_system(c.machine)->slept_ms, slept);
    char *left = memory_host_dump(c.machine, VERB_TREE "\\.cudnn-setup");
    assert_null(strstr(left, "archive"));
    free(left);
    c.options.archive = c.options.manifest = NULL;
    verb_case_end(&c);
}

/* A virus scanner holds a file for a moment: whichever call it refuses, the look is repeated. */
static void test_install_looks_again_where_a_scanner_is(void **state) {
    (void)state;
    for (unsigned long n = 1; n <= 4; n++) {
        verb_case c;
        cs_target found;
        verb_case_begin(&c);
        verb_case_put(&c, "include/cudnn.h", "older header");
        memory_host_fail_at(c.machine, n, MEMORY_BEFORE, MEMORY_ONCE, n % 2 ? 5 : 32);
        assert_int_equal(cs_plan_look(c.host, VERB_TREE, "include/cudnn.h", &found, NULL), CS_OK);
        assert_true(memory_host_failed(c.machine));
        assert_true(found.present);
        assert_int_equal(found.info.size, strlen("older header"));
        assert_true(memory_host_system(c.machine)->slept_ms > 0);
        verb_case_assert_closed(&c);
        verb_case_end(&c);
    }
}

static void test_install_cancelled_at_any_moment_changes_nothing(void **state) {
    (void)state;
    for (unsigned n = 1; n < 40; n++) {
        verb_case c;
        verb_case_begin(&c);
        verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
        verb_case_put(&c, "include/cudnn.h", "older");
        char *before = verb_case_dump(&c);
        c.cancel_after = n;
        int code = verb_case_install(&c, "p803");
        bool ended = code == 0;
        if (!ended) {
            assert_int_equal(code, 1602);
            assert_int_equal(c.outcome.result, CS_RESULT_CANCELLED);
            char *after = verb_case_dump(&c);
            assert_string_equal(before, after);
            verb_case_assert_clean(&c);
            free(after);
        }
        free(before);
        verb_case_end(&c);
        if (ended) {
            assert_true(n > 2); /* it was heard at least twice */
            return;
        }
    }
    fail_msg("never ran to its end");
}

static void test_install_dryrun_changes_nothing(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "include/cudnn.h", "older");
    memory_host_system(c.machine)->administrator = false;
    char *before = memory_host_dump(c.machine, "C:"), *registry = memory_host_reg_dump(c.machine);
    c.options.dryrun = true;
    memory_host_trace(c.machine, true);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(memory_host_trace_text(c.machine), "");
    assert_string_equal(verb_case_state(&c, "include/cudnn.h"), "replaced");
    assert_string_equal(verb_case_state(&c, "bin/cudnn64_8.dll"), "new");
    assert_non_null(strstr(cs_buffer_string(&c.outcome.plan), "  replaced  include/cudnn.h\n"));
    assert_non_null(strstr(cs_buffer_string(&c.outcome.plan), "    + [0] " VERB_TREE "\\bin   <- ours\n"));
    assert_int_equal(c.outcome.value_count, 2);
    char *after = memory_host_dump(c.machine, "C:"), *registry_after = memory_host_reg_dump(c.machine);
    assert_string_equal(before, after);
    assert_string_equal(registry, registry_after);
    free(before), free(after), free(registry), free(registry_after);
    verb_case_end(&c);
}

static void test_install_dryrun_exits_as_the_run_would(void **state) {
    (void)state;
    verb_case c;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    c.options.dryrun = true;
    memory_host_flip(c.machine, VERB_MEDIA "\\p803.zip", 60);
    assert_int_equal(verb_case_install(&c, "p803"), 1620);
    memory_host_flip(c.machine, VERB_MEDIA "\\p803.zip", 60);
    verb_case_put(&c, "bin/cudnn64_8.dll", "older");
    cs_holders_add(&memory_host_system(c.machine)->holders, 77, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    assert_int_equal(verb_case_install(&c, "p803"), 1603);
    assert_false(memory_host_exists(c.machine, VERB_P));
    verb_case_end(&c);
}

/* Somebody replaces a target right before it is checked for the last time. */
static void replace_header(void *ctx, memory_host *machine, const char *operation, const char *path) {
    bool *done = ctx;
    if (*done || strcmp(operation, "write") != 0 || !strstr(path, "\\manifests\\")) return;
    *done = memory_host_text(machine, VERB_TREE "\\include\\cudnn.h", "somebody's newest");
}

static void test_install_plans_again_after_a_change(void **state) {
    (void)state;
    verb_case c;
    bool done = false;
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "include/cudnn.h", "older");
    memory_host_hook(c.machine, replace_header, &done);
    int code = verb_case_install(&c, "p803");
    assert_true(done);
    assert_int_equal(code, 0);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(verb_case_get(&c, "include/cudnn.h"), "somebody's newest");
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_install_places_every_file),
        cmocka_unit_test(test_install_writes_the_environment),
        cmocka_unit_test(test_install_again_changes_nothing),
        cmocka_unit_test(test_install_already_needs_no_archive),
        cmocka_unit_test(test_install_over_older_keeps_the_old_files),
        cmocka_unit_test(test_install_over_hand_copied_files_leaves_them),
        cmocka_unit_test(test_install_makes_missing_folders_and_takes_them_away),
        cmocka_unit_test(test_install_of_the_environment_alone_unpacks_nothing),
        cmocka_unit_test(test_install_with_a_sealed_manifest),
        cmocka_unit_test(test_install_finds_the_archive_beside_the_program),
        cmocka_unit_test(test_install_takes_the_first_archive_that_passes),
        cmocka_unit_test(test_install_missing_archive_is_1619),
        cmocka_unit_test(test_install_no_archive_anywhere_is_1619),
        cmocka_unit_test(test_install_changed_archive_is_1620),
        cmocka_unit_test(test_install_sample_without_its_manifest_is_1620),
        cmocka_unit_test(test_install_bad_manifest_is_1603),
        cmocka_unit_test(test_install_without_a_toolkit_is_1642),
        cmocka_unit_test(test_install_without_rights_is_740),
        cmocka_unit_test(test_install_on_old_windows_is_1633),
        cmocka_unit_test(test_install_while_another_runs_is_1618),
        cmocka_unit_test(test_install_without_space_is_112),
        cmocka_unit_test(test_install_disk_full_while_unpacking_is_112),
        cmocka_unit_test(test_install_over_newer_is_1638),
        cmocka_unit_test(test_install_in_use_is_1603_with_the_names),
        cmocka_unit_test(test_install_on_another_file_system_needs_force),
        cmocka_unit_test(test_install_copies_an_archive_that_is_not_local),
        cmocka_unit_test(test_install_drops_the_copy_of_what_is_installed),
        cmocka_unit_test(test_install_looks_again_where_a_scanner_is),
        cmocka_unit_test(test_install_cancelled_at_any_moment_changes_nothing),
        cmocka_unit_test(test_install_dryrun_changes_nothing),
        cmocka_unit_test(test_install_dryrun_exits_as_the_run_would),
        cmocka_unit_test(test_install_plans_again_after_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
