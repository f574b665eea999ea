/* The same job for many things, with and without threads: each once, the first failure by index, a cancel heard by all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/workers.h"
#include "memory_host.h"

enum { THINGS = 200 };

typedef struct scene {
    cs_system system;
    cs_events events;
    cs_host host;
    cs_meter meter;
    unsigned processors;
    atomic_uint runs[THINGS];
    atomic_uint begun;
    size_t order[THINGS]; /* of the beginnings */
    bool fails[THINGS];
    size_t cancels_at; /* index that makes the user cancel; THINGS: none */
    atomic_bool cancelled;
    uint32_t pause_ms;
    size_t comes_first; /* the others wait for this one; THINGS: for none */
    size_t late;        /* takes its time; THINGS: none */
    atomic_bool waited_in_vain;
    unsigned events_seen;
    uint64_t last_done;
} scene;

static unsigned processors(void *ctx) { return ((const scene *)ctx)->processors; }

static uint64_t ticks(void *ctx) {
    (void)ctx;
    return cs_system_real()->ticks(cs_system_real()->ctx);
}

static unsigned together(void *ctx, const cs_team *team) {
    (void)ctx;
    return cs_system_real()->together(cs_system_real()->ctx, team);
}

static void emit(void *ctx, const cs_event *event) {
    scene *s = ctx;
    s->events_seen++;
    s->last_done = event->progress.done;
}

static bool cancelled(void *ctx) { return atomic_load(&((scene *)ctx)->cancelled); }

static void start(scene *s, unsigned threads) {
    memset(s, 0, sizeof *s);
    s->processors = threads ? threads - 1 : 1;
    s->cancels_at = s->comes_first = s->late = THINGS;
    s->system = (cs_system){.ctx = s, .processors = processors, .ticks = ticks, .together = threads ? together : NULL};
    s->events = (cs_events){.ctx = s, .emit = emit, .cancelled = cancelled};
    s->host = (cs_host){.system = &s->system, .events = &s->events};
    s->meter = (cs_meter){.host = &s->host, .step = "check", .total = THINGS * 10};
}

static void wait_for_first(scene *s) {
    for (int i = 0; i < 2000 && !atomic_load(&s->runs[s->comes_first]); i++) cs_system_real()->sleep(cs_system_real()->ctx, 5);
    if (!atomic_load(&s->runs[s->comes_first])) atomic_store(&s->waited_in_vain, true);
}

static cs_status job(void *ctx, size_t index, cs_each *each, cs_error *error) {
    scene *s = ctx;
    atomic_fetch_add(&s->runs[index], 1);
    s->order[atomic_fetch_add(&s->begun, 1)] = index;
    if (s->comes_first < THINGS && index != s->comes_first && !atomic_load(&s->waited_in_vain)) wait_for_first(s);
    if (index == s->cancels_at) atomic_store(&s->cancelled, true);
    if (index == s->late) cs_system_real()->sleep(cs_system_real()->ctx, 50);
    if (s->pause_ms) cs_system_real()->sleep(cs_system_real()->ctx, s->pause_ms);
    if (s->fails[index]) return cs_fail(error, CS_E_CHANGED, "check", NULL, "thing %u", (unsigned)index);
    cs_status status = cs_each_done(each, 4, "a");
    return status == CS_OK ? cs_each_done(each, 6, NULL) : status;
}

static const unsigned thread_counts[] = {0, 2, 3, 9}; /* 0: the seam has none */
enum { COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

static void test_workers_do_each_thing_once(void **state) {
    (void)state;
    scene s;
    for (size_t n = 0; n < COUNTS; n++) {
        start(&s, thread_counts[n]);
        assert_int_equal(cs_workers_each(&s.meter, THINGS, NULL, job, &s, NULL), CS_OK);
        for (size_t i = 0; i < THINGS; i++) assert_int_equal(atomic_load(&s.runs[i]), 1);
        if (thread_counts[n]) continue;
        for (size_t i = 0; i < THINGS; i++) assert_int_equal(s.order[i], i);
        assert_int_equal(s.last_done, THINGS * 10);
    }
}

static void test_workers_begin_with_the_largest(void **state) {
    (void)state;
    scene s;
    uint64_t sizes[THINGS];
    for (size_t i = 0; i < THINGS; i++) sizes[i] = i == 77 ? 1000 : 1;
    for (size_t n = 0; n < COUNTS; n++) {
        start(&s, thread_counts[n]);
        if (thread_counts[n]) s.comes_first = 77; /* were it not dealt first, all would wait for it */
        assert_int_equal(cs_workers_each(&s.meter, THINGS, sizes, job, &s, NULL), CS_OK);
        assert_false(atomic_load(&s.waited_in_vain));
        if (!thread_counts[n]) assert_int_equal(s.order[77], 77);
    }
}

static void test_workers_return_the_first_failure(void **state) {
    (void)state;
    scene s;
    for (size_t n = 0; n < COUNTS; n++)
        for (int round = 0; round < 20; round++) {
            cs_error error = {0};
            start(&s, thread_counts[n]);
            s.fails[31] = s.fails[32] = s.fails[33] = s.fails[150] = true;
            assert_int_equal(cs_workers_each(&s.meter, THINGS, NULL, job, &s, &error), CS_E_CHANGED);
            assert_string_equal(error.detail, "thing 31");
            for (size_t i = 0; i < 31; i++) assert_int_equal(atomic_load(&s.runs[i]), 1);
            if (!thread_counts[n]) assert_int_equal(atomic_load(&s.begun), 32);
        }
}

/* A later one may fail when the first is known already. */
static void test_workers_a_later_failure_hides_no_earlier_one(void **state) {
    (void)state;
    scene s;
    cs_error error = {0};
    start(&s, 3);
    s.comes_first = 1; /* both have begun, then */
    s.fails[0] = s.fails[1] = true;
    s.late = 1;
    assert_int_equal(cs_workers_each(&s.meter, 2, NULL, job, &s, &error), CS_E_CHANGED);
    assert_int_equal(atomic_load(&s.runs[1]), 1);
    assert_string_equal(error.detail, "thing 0");
}

typedef struct hashes {
    const cs_fs *fs;
    uint8_t digests[2][CS_SHA256_SIZE];
} hashes;

static cs_status hash_one(void *ctx, size_t index, cs_each *each, cs_error *error) {
    hashes *h = ctx;
    cs_file *file = NULL;
    cs_status status = h->fs->open(h->fs->ctx, index ? "C:\\b" : "C:\\a", CS_OPEN_READ, &file, error);
    if (status == CS_OK) status = cs_each_sha256(each, "x", h->fs, file, h->digests[index], error);
    h->fs->close(h->fs->ctx, file);
    return status;
}

/* Several blocks each: what is told is what was hashed, no byte twice. */
static void test_workers_hash_and_tell_of_it(void **state) {
    (void)state;
    enum { SIZE = 3 * 1024 * 1024 + 1 };
    scene s;
    memory_host *machine = memory_host_new();
    hashes h = {.fs = memory_host_seam(machine)->fs};
    uint8_t *bytes = cs_alloc(SIZE, 1), wanted[CS_SHA256_SIZE];
    assert_non_null(bytes);
    memset(bytes, 'x', SIZE);
    assert_true(memory_host_file(machine, "C:\\a", bytes, SIZE));
    assert_true(memory_host_file(machine, "C:\\b", bytes, SIZE));
    assert_int_equal(cs_sha256_bytes(bytes, SIZE, wanted, NULL), CS_OK);
    start(&s, 0);
    s.meter.total = 2 * SIZE;
    assert_int_equal(cs_workers_each(&s.meter, 2, NULL, hash_one, &h, NULL), CS_OK);
    assert_int_equal(s.last_done, 2 * SIZE);
    for (size_t i = 0; i < 2; i++) assert_memory_equal(h.digests[i], wanted, CS_SHA256_SIZE);
    cs_free(bytes);
    memory_host_free(machine);
}

static void test_workers_hear_a_cancel(void **state) {
    (void)state;
    scene s;
    for (size_t n = 0; n < COUNTS; n++) {
        cs_error error = {0};
        start(&s, thread_counts[n]);
        s.cancels_at = 3;
        s.pause_ms = thread_counts[n] ? 20 : 0; /* the listener is asked every CS_TEAM_WAIT_MS */
        assert_int_equal(cs_workers_each(&s.meter, THINGS, NULL, job, &s, &error), CS_E_CANCELLED);
        assert_int_equal(error.status, CS_E_CANCELLED);
        assert_true(atomic_load(&s.begun) < THINGS);
    }
}

static void test_workers_with_nothing_to_do(void **state) {
    (void)state;
    scene s;
    start(&s, 3);
    assert_int_equal(cs_workers_each(&s.meter, 0, NULL, job, &s, NULL), CS_OK);
    assert_int_equal(cs_workers_each(&s.meter, 1, NULL, job, &s, NULL), CS_OK);
    assert_int_equal(atomic_load(&s.begun), 1);
}

static void test_workers_without_memory(void **state) {
    (void)state;
    scene s;
    start(&s, 3);
    cs_alloc_fail_at(1);
    assert_int_equal(cs_workers_each(&s.meter, THINGS, NULL, job, &s, NULL), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    assert_int_equal(atomic_load(&s.begun), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_do_each_thing_once),
        cmocka_unit_test(test_workers_begin_with_the_largest),
        cmocka_unit_test(test_workers_return_the_first_failure),
        cmocka_unit_test(test_workers_hear_a_cancel),
        cmocka_unit_test(test_workers_a_later_failure_hides_no_earlier_one),
        cmocka_unit_test(test_workers_hash_and_tell_of_it),
        cmocka_unit_test(test_workers_with_nothing_to_do),
        cmocka_unit_test(test_workers_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
