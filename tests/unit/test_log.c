#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/log.h"
#include "memory_host.h"

#define LOGS "C:\\Program Files\\cudnn-setup\\logs"

/* 2026-11-30T02:33:33Z */
enum { SECOND = 10000000 };
#define TIME INT64_C(134404796130000000)

static memory_host *new_machine(void) {
    memory_host *machine = memory_host_new();
    memory_host_system(machine)->now = TIME;
    return machine;
}

static void test_log_names(void **state) {
    (void)state;
    static const char *const good[] = {"20261130T023333Z-install-4711.log", "20261130T023333Z-search-order-1.log",
                                       "20261130T023333Z-usage-4294967295.log"};
    static const char *const bad[] = {"20261130T023333Z-install-4711.log.bak",
                                      "20261130T023333Z-install-4711.txt",
                                      "20261130T023333Z-install-.log",
                                      "20261130T023333Z--1.log",
                                      "20261130T023333Z-Install-1.log",
                                      "20261130T023333-install-1.log",
                                      "2026113T023333Z-install-1.log",
                                      "20261130T0233333Z-install-1.log",
                                      "20261130T023333Z-install-12345678901.log",
                                      "x20261130T023333Z-install-1.log",
                                      "",
                                      "20261130T"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(cs_log_is_name(good[i], ".log"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(cs_log_is_name(bad[i], ".log"));
}

static void test_log_elevated_place_and_lines(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", NULL, &log, NULL), CS_OK);
    assert_string_equal(log.path, LOGS "\\20261130T023333Z-install-4242.log");
    cs_log_write(&log, "note", "a.b", "one\x1b[2J\ntwo");
    memory_host_system(machine)->now += SECOND;
    cs_event progress = {.kind = CS_EVENT_PROGRESS, .id = "", .text = "file"};
    cs_log_event(&log, &progress);
    cs_event warning = {.kind = CS_EVENT_WARNING, .id = "x", .text = "w\xE4\xB8\x8B"};
    cs_log_event(&log, &warning);
    assert_int_equal(cs_log_close(&log, NULL), CS_OK);
    assert_string_equal(memory_host_content(machine, LOGS "\\20261130T023333Z-install-4242.log"),
                        "2026-11-30T02:33:33Z note    [a.b] one\\u{1b}[2J\r\n2026-11-30T02:33:33Z note    [a.b] two\r\n"
                        "2026-11-30T02:33:34Z warning [x] w\xE4\xB8\x8B\r\n");
    assert_int_equal(memory_host_open_files(machine), 0);
    memory_host_free(machine);
}

static void test_log_unelevated_place(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    memory_host_system(machine)->administrator = false;
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "status", NULL, &log, NULL), CS_OK);
    assert_string_equal(log.path, "C:\\Users\\user\\AppData\\Local\\cudnn-setup\\logs\\20261130T023333Z-status-4242.log");
    assert_false(memory_host_exists(machine, "C:\\Program Files\\cudnn-setup"));
    cs_buffer beside = {0};
    assert_int_equal(cs_log_beside(&log, ".html", &beside, NULL), CS_OK);
    assert_string_equal(beside.data, "C:\\Users\\user\\AppData\\Local\\cudnn-setup\\logs\\20261130T023333Z-status-4242.html");
    cs_buffer_free(&beside);
    cs_log_close(&log, NULL);
    memory_host_free(machine);
}

static void add_logs(memory_host *machine, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        char path[128];
        snprintf(path, sizeof path, LOGS "\\202511%02uT000000Z-install-1.log", i + 1);
        memory_host_text(machine, path, "old");
        snprintf(path, sizeof path, LOGS "\\202511%02uT000000Z-install-1.html", i + 1);
        memory_host_text(machine, path, "old");
    }
}

static void test_log_keeps_the_newest_twenty(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    add_logs(machine, 22);
    assert_true(memory_host_set_info(machine, LOGS "\\20251101T000000Z-install-1.log", 0x1, 0, 0)); /* read-only */
    memory_host_text(machine, LOGS "\\notes.log", "mine");
    memory_host_text(machine, LOGS "\\20251101T000000Z-install-1.log.bak", "mine");
    memory_host_folder(machine, LOGS "\\20251101T000000Z-verify-1.log");
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", NULL, &log, NULL), CS_OK);
    cs_log_close(&log, NULL);
    assert_false(memory_host_exists(machine, LOGS "\\20251101T000000Z-install-1.log"));
    assert_false(memory_host_exists(machine, LOGS "\\20251103T000000Z-install-1.log"));
    assert_false(memory_host_exists(machine, LOGS "\\20251103T000000Z-install-1.html"));
    assert_true(memory_host_exists(machine, LOGS "\\20251104T000000Z-install-1.log"));
    assert_true(memory_host_exists(machine, LOGS "\\20251122T000000Z-install-1.log"));
    assert_true(memory_host_exists(machine, LOGS "\\notes.log"));
    assert_true(memory_host_exists(machine, LOGS "\\20251101T000000Z-install-1.log.bak"));
    assert_true(memory_host_exists(machine, LOGS "\\20251101T000000Z-verify-1.log"));
    memory_host_free(machine);
}

static void test_log_one_in_use_is_not_missed(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    add_logs(machine, 20);
    cs_file *held = memory_host_hold(machine, LOGS "\\20251101T000000Z-install-1.log", CS_OPEN_READ);
    assert_non_null(held);
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", NULL, &log, NULL), CS_OK);
    cs_log_close(&log, NULL);
    assert_true(memory_host_exists(machine, LOGS "\\20251101T000000Z-install-1.log"));
    memory_host_seam(machine)->fs->close(memory_host_seam(machine)->fs->ctx, held);
    memory_host_free(machine);
}

static void refused_folder(memory_host *machine, cs_status expected) {
    cs_log log;
    cs_error error = {0};
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", NULL, &log, &error), expected);
    assert_null(log.file);
    assert_null(log.path);
    cs_log_write(&log, "note", "", "goes nowhere");
    assert_int_equal(cs_log_close(&log, NULL), CS_OK);
    assert_int_equal(memory_host_open_files(machine), 0);
    memory_host_free(machine);
}

static void test_log_elevated_refuses_a_users_folder(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    memory_host_folder(machine, "C:\\Program Files\\cudnn-setup");
    memory_host_security(machine, "C:\\Program Files\\cudnn-setup", "O:S-1-5-21-1-2-3-1001G:SYD:(A;OICI;FA;;;WD)");
    refused_folder(machine, CS_E_ACCESS);
}

static void test_log_elevated_refuses_a_link(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    memory_host_folder(machine, "C:\\Program Files\\cudnn-setup");
    memory_host_folder(machine, "C:\\Elsewhere");
    memory_host_link(machine, LOGS, "C:\\Elsewhere");
    refused_folder(machine, CS_E_REPARSE);
}

static void test_log_that_fails_remembers_the_first_failure(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", NULL, &log, NULL), CS_OK);
    cs_log_write(&log, "note", "", "one");
    memory_host_fail_on(machine, "write", ".log", MEMORY_BEFORE, 112);
    cs_log_write(&log, "note", "", "two");
    assert_true(log.lost);
    cs_error error = {0};
    assert_int_equal(cs_log_close(&log, &error), CS_E_NO_SPACE);
    assert_int_equal(error.system, 112);
    memory_host_restart(machine);
    assert_string_equal(memory_host_content(machine, LOGS "\\20261130T023333Z-install-4242.log"),
                        "2026-11-30T02:33:33Z note    one\r\n");
    memory_host_free(machine);
}

static void test_log_given_path_is_appended_to(void **state) {
    (void)state;
    memory_host *machine = new_machine();
    memory_host_text(machine, "C:\\Fleet\\x.log", "before\r\n");
    cs_log log;
    assert_int_equal(cs_log_open(memory_host_seam(machine), "install", "C:\\Fleet\\x.log", &log, NULL), CS_OK);
    cs_log_write(&log, "step", "", "go");
    cs_log_close(&log, NULL);
    assert_string_equal(memory_host_content(machine, "C:\\Fleet\\x.log"), "before\r\n2026-11-30T02:33:33Z step    go\r\n");
    assert_false(memory_host_exists(machine, LOGS));
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_names),
        cmocka_unit_test(test_log_elevated_place_and_lines),
        cmocka_unit_test(test_log_unelevated_place),
        cmocka_unit_test(test_log_keeps_the_newest_twenty),
        cmocka_unit_test(test_log_one_in_use_is_not_missed),
        cmocka_unit_test(test_log_elevated_refuses_a_users_folder),
        cmocka_unit_test(test_log_elevated_refuses_a_link),
        cmocka_unit_test(test_log_that_fails_remembers_the_first_failure),
        cmocka_unit_test(test_log_given_path_is_appended_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
