#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cudnn_setup/wording.h"
#include "memory_host.h"

#define MOMENT INT64_C(134404796130000000) /* 2026-11-30T02:33:33Z */

static void test_wording_counts(void **state) {
    (void)state;
    static const struct {
        size_t count;
        const char *text;
    } rows[] = {{0, "no files"}, {1, "1 file"}, {2, "2 files"}, {31, "31 files"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        cs_say_count(&out, rows[i].count, "file", "files");
        assert_string_equal(out.data, rows[i].text);
        cs_buffer_free(&out);
    }
}

static void test_wording_parts_leave_zeros_out(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_say_part(&out, 0, "replaced");
    assert_string_equal(cs_buffer_string(&out), "");
    cs_say_part(&out, 29, "placed");
    cs_say_part(&out, 0, "replaced");
    cs_say_part(&out, 2, "already right");
    assert_string_equal(cs_buffer_string(&out), "29 placed, 2 already right");
    cs_buffer_free(&out);
}

static void test_wording_sizes(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {{0, "0 bytes"},         {1, "1 byte"},        {999, "999 bytes"},      {1000, "1.0 kB"},
                {12345, "12.3 kB"},     {999999, "999.9 kB"}, {402123456, "402.1 MB"}, {UINT64_C(1234567890), "1.2 GB"},
                {UINT64_MAX, "18.4 EB"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        cs_say_bytes(&out, rows[i].bytes);
        assert_string_equal(out.data, rows[i].text);
        cs_buffer_free(&out);
    }
}

static void assert_times(int32_t minutes, const char *people, const char *machines) {
    memory_host *machine = memory_host_new();
    memory_host_system(machine)->local_minutes = minutes;
    cs_buffer out = {0};
    cs_say_time(&out, memory_host_seam(machine), MOMENT);
    assert_string_equal(out.data, people);
    cs_buffer_clear(&out);
    assert_true(cs_say_local_time(&out, memory_host_seam(machine), MOMENT));
    assert_string_equal(out.data, machines);
    cs_buffer_free(&out);
    memory_host_free(machine);
}

static void test_wording_times_say_the_offset(void **state) {
    (void)state;
    assert_times(0, "2026-11-30 02:33:33 UTC", "2026-11-30T02:33:33+00:00");
    assert_times(480, "2026-11-30 02:33:33 UTC (2026-11-30 10:33:33 here, UTC+08:00)", "2026-11-30T10:33:33+08:00");
    assert_times(-210, "2026-11-30 02:33:33 UTC (2026-11-29 23:03:33 here, UTC-03:30)", "2026-11-29T23:03:33-03:30");
}

static void test_wording_times_without_a_time_zone(void **state) {
    (void)state;
    memory_host *machine = memory_host_new();
    cs_system system = *memory_host_seam(machine)->system;
    cs_host host = *memory_host_seam(machine);
    system.local_offset = NULL;
    host.system = &system;
    cs_buffer out = {0};
    assert_false(cs_say_local_time(&out, &host, MOMENT));
    cs_say_time(&out, &host, MOMENT);
    assert_string_equal(out.data, "2026-11-30 02:33:33 UTC");
    cs_buffer_free(&out);
    memory_host_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wording_counts),
        cmocka_unit_test(test_wording_parts_leave_zeros_out),
        cmocka_unit_test(test_wording_sizes),
        cmocka_unit_test(test_wording_times_say_the_offset),
        cmocka_unit_test(test_wording_times_without_a_time_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
