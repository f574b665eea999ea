/* Progress: how often, how fast, how long still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/progress.h"

typedef struct scene {
    uint64_t now;
    unsigned events;
    cs_progress last;
    char id[16], text[16];
    bool cancelled;
    cs_system system;
    cs_events listener;
    cs_host host;
} scene;

static uint64_t ticks(void *ctx) { return ((const scene *)ctx)->now; }

static void emit(void *ctx, const cs_event *event) {
    scene *s = ctx;
    assert_int_equal(event->kind, CS_EVENT_PROGRESS);
    s->events++;
    s->last = event->progress;
    strncpy(s->id, event->id, sizeof s->id - 1);
    strncpy(s->text, event->text, sizeof s->text - 1);
}

static bool cancelled(void *ctx) { return ((const scene *)ctx)->cancelled; }

static cs_meter start(scene *s, uint64_t total) {
    *s = (scene){.now = 5000, .system = {.ctx = s, .ticks = ticks}, .listener = {.ctx = s, .emit = emit, .cancelled = cancelled}};
    s->host = (cs_host){.system = &s->system, .events = &s->listener};
    return (cs_meter){.host = &s->host, .step = "unpack", .file = "bin\\a.dll", .total = total};
}

static void test_progress_ten_times_a_second_and_at_the_end(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 1000000);
    for (uint64_t done = 0; done < 1000000; done += 1000, s.now++) assert_int_equal(cs_meter_step(&meter, done), CS_OK);
    assert_int_equal(s.events, 10); /* one second: at 0, 100, ... 900 ms */
    assert_int_equal(cs_meter_step(&meter, 1000000), CS_OK);
    assert_int_equal(s.events, 11);
    assert_int_equal(s.last.done, 1000000);
    assert_int_equal(s.last.total, 1000000);
    assert_int_equal(s.last.left_ms, 0);
    assert_string_equal(s.id, "unpack");
    assert_string_equal(s.last.step, "unpack");
    assert_string_equal(s.text, "bin\\a.dll");
    assert_false(s.last.counts_files);
}

static void test_progress_first_event_knows_no_rate(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 100);
    cs_meter_tell(&meter, 10);
    assert_int_equal(s.events, 1);
    assert_int_equal(s.last.rate, 0);
    assert_true(s.last.left_ms == CS_TIME_UNKNOWN);
}

static void test_progress_rate_and_time_left(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 10000000);
    for (uint64_t done = 0; done <= 5000000; done += 100000, s.now += 100) cs_meter_tell(&meter, done);
    assert_int_equal(s.last.rate, 1000000); /* a steady million a second */
    assert_int_equal(s.last.left_ms, 5000);
}

/* Twice as slow for a tenth of a second moves the rate by a twentieth of the difference; for good, it follows within seconds. */
static void test_progress_rate_is_smoothed(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 100000000);
    uint64_t done = 0;
    for (int i = 0; i < 20; i++, s.now += 100) cs_meter_tell(&meter, done += 100000);
    uint64_t before = s.last.rate;
    cs_meter_tell(&meter, done += 50000);
    assert_int_equal(s.last.rate, before - 25000);
    for (int i = 0; i < 60; i++) s.now += 100, cs_meter_tell(&meter, done += 50000);
    assert_in_range(s.last.rate, 500000, 530000);
}

static void test_progress_stalled_or_backwards_clock(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 100);
    cs_meter_tell(&meter, 10);
    s.now += 100;
    cs_meter_tell(&meter, 10);
    assert_true(s.last.left_ms == CS_TIME_UNKNOWN); /* nothing came: no rate */
    s.now += 100;
    cs_meter_tell(&meter, 5); /* a retried file */
    assert_int_equal(s.last.done, 5);
    meter.total = 0;
    s.now += 100;
    cs_meter_tell(&meter, 0);
    assert_int_equal(s.last.left_ms, 0);
}

static void test_progress_cancelled_is_heard_at_each_step(void **state) {
    (void)state;
    scene s;
    cs_meter meter = start(&s, 100);
    assert_int_equal(cs_meter_step(&meter, 1), CS_OK);
    s.cancelled = true;
    assert_int_equal(cs_meter_step(&meter, 2), CS_E_CANCELLED);
    cs_meter_tell(&meter, 100); /* telling does not ask */
    assert_int_equal(s.last.done, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress_ten_times_a_second_and_at_the_end),
        cmocka_unit_test(test_progress_first_event_knows_no_rate),
        cmocka_unit_test(test_progress_rate_and_time_left),
        cmocka_unit_test(test_progress_rate_is_smoothed),
        cmocka_unit_test(test_progress_stalled_or_backwards_clock),
        cmocka_unit_test(test_progress_cancelled_is_heard_at_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
