/* Unpacking with several threads, on real files: the same outcome as with one, whatever their number and whoever is first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_case.h"
#include "cudnn_setup/workers.h"
#include "temp_folder.h"

enum { ALL = 31, LARGE = 1300 * 1024 };

static _Thread_local int is_main;
static _Thread_local char this_thread; /* its address tells threads apart */
static atomic_uint seen_elsewhere;     /* calls to the listener from another thread */

/* What one unpacking is given, and what came of it. */
typedef struct scene {
    temp_folder folder;
    cs_fs fs;
    cs_system system;
    cs_events events;
    cs_host host;
    unsigned workers;
    bool no_threads;
    /* the sink */
    cs_buffer files[CS_MANIFEST_MAX_FILES];
    atomic_uint begun, ended, writes;
    _Atomic(const char *) writer[CS_MANIFEST_MAX_FILES];
    atomic_uint passed_on; /* blocks that another thread wrote than the block before */
    int failing_row;       /* -1: none */
    cs_status failing_status;
    uint32_t slow_end_ms, slow_write_ms, slow_flush_ms;
    atomic_uint writing, most_writing; /* threads at once */
    atomic_uint flushing;              /* the same */
    atomic_uint beside_a_flush;        /* blocks that were written meanwhile */
    /* the file */
    uint64_t failing_read; /* at this offset; 0: none */
    uint32_t slow_read_ms, slow_start_ms;
    /* the listener */
    atomic_bool cancel;
    atomic_uint_least64_t cancel_asked; /* milliseconds */
    uint64_t cancel_heard;
    unsigned begun_when_heard;
    unsigned events_seen;
    uint64_t last_done, total;
    cs_buffer details;
    /* results */
    cs_status status;
    cs_error error;
    char message[2048];
    cs_staged staged[CS_MANIFEST_MAX_FILES];
} scene;

static uint64_t now(const scene *s) { return s->system.ticks(s->system.ctx); }

/* ---- the world around ---- */

static unsigned processors(void *ctx) { return ((const scene *)ctx)->workers - 1; }

static scene *scene_of_system;

static uint64_t real_ticks(void *ctx) {
    (void)ctx;
    return cs_system_real()->ticks(cs_system_real()->ctx);
}

static unsigned together(void *ctx, const cs_team *team) {
    const scene *s = ctx;
    return s->no_threads ? 0 : cs_system_real()->together(cs_system_real()->ctx, team);
}

static cs_status read_file(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    const scene *s = scene_of_system;
    if (s->failing_read && offset <= s->failing_read && s->failing_read < offset + size)
        return cs_fail(error, CS_E_IO, "read", "disk", "sector not found");
    if (s->slow_start_ms && offset == 0) s->system.sleep(s->system.ctx, s->slow_start_ms);
    if (s->slow_read_ms) s->system.sleep(s->system.ctx, s->slow_read_ms);
    return cs_fs_real()->read(ctx, file, offset, bytes, size, got, error);
}

static void emit(void *ctx, const cs_event *event) {
    scene *s = ctx;
    if (!is_main) atomic_fetch_add(&seen_elsewhere, 1);
    if (event->kind == CS_EVENT_DETAIL) cs_buffer_format(&s->details, "%s\n", event->text);
    if (event->kind != CS_EVENT_PROGRESS) return;
    s->events_seen++;
    s->last_done = event->progress.done;
    s->total = event->progress.total;
}

static bool cancelled(void *ctx) {
    scene *s = ctx;
    if (!is_main) atomic_fetch_add(&seen_elsewhere, 1);
    if (!atomic_load(&s->cancel)) return false;
    if (!s->cancel_heard) {
        s->cancel_heard = now(s);
        s->begun_when_heard = atomic_load(&s->begun);
    }
    return true;
}

static cs_status sink_begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    scene *s = ctx;
    (void)size, (void)error;
    atomic_fetch_add(&s->begun, 1);
    cs_buffer_clear(&s->files[row]);
    return CS_OK;
}

static cs_status sink_write(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    scene *s = ctx;
    atomic_fetch_add(&s->writes, 1);
    const char *before = atomic_exchange(&s->writer[row], &this_thread);
    if (before && before != &this_thread) atomic_fetch_add(&s->passed_on, 1);
    unsigned at_once = atomic_fetch_add(&s->writing, 1) + 1, most = atomic_load(&s->most_writing);
    while (at_once > most && !atomic_compare_exchange_weak(&s->most_writing, &most, at_once)) continue;
    if (atomic_load(&s->flushing)) atomic_fetch_add(&s->beside_a_flush, 1);
    if (s->slow_write_ms) s->system.sleep(s->system.ctx, s->slow_write_ms);
    atomic_fetch_sub(&s->writing, 1);
    if ((int)row == s->failing_row) return cs_fail(error, s->failing_status, "write", "row", "failed on purpose");
    cs_buffer_append(&s->files[row], bytes, size);
    return cs_buffer_check(&s->files[row], error);
}

static cs_status sink_end(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    scene *s = ctx;
    (void)row, (void)staged, (void)error;
    if (s->slow_end_ms) {
        if (!atomic_exchange(&s->cancel, true)) atomic_store(&s->cancel_asked, now(s));
        s->system.sleep(s->system.ctx, s->slow_end_ms);
    }
    atomic_fetch_add(&s->flushing, 1);
    if (s->slow_flush_ms) s->system.sleep(s->system.ctx, s->slow_flush_ms);
    atomic_fetch_sub(&s->flushing, 1);
    atomic_fetch_add(&s->ended, 1);
    return CS_OK;
}

static void scene_make(scene *s) {
    *s = (scene){.failing_row = -1, .workers = 4};
    is_main = 1;
    temp_folder_make(&s->folder, "");
    s->fs = *cs_fs_real();
    s->fs.read = read_file;
    s->system = *cs_system_real();
    s->system.ctx = s;
    s->system.processors = processors;
    s->system.together = together;
    s->system.ticks = real_ticks;
    s->events = (cs_events){.ctx = s, .emit = emit, .cancelled = cancelled};
    s->host = (cs_host){.fs = &s->fs, .system = &s->system, .events = &s->events};
    scene_of_system = s;
}

static void scene_clear(scene *s) {
    for (size_t i = 0; i < CS_MANIFEST_MAX_FILES; i++) cs_buffer_free(&s->files[i]);
    cs_buffer_free(&s->details);
    atomic_store(&s->begun, 0);
    atomic_store(&s->ended, 0);
    atomic_store(&s->writes, 0);
    atomic_store(&s->most_writing, 0);
    atomic_store(&s->beside_a_flush, 0);
    for (size_t i = 0; i < CS_MANIFEST_MAX_FILES; i++) atomic_store(&s->writer[i], NULL);
    s->error = (cs_error){0};
    s->events_seen = 0;
    s->last_done = 0;
    memset(s->staged, 0, sizeof s->staged);
}

static void scene_remove(scene *s) {
    scene_clear(s);
    temp_folder_remove(&s->folder);
}

/* Unpacks path; the outcome stands in the scene. */
static cs_status go(scene *s, const char *path, const cs_manifest *manifest) {
    cs_archive *archive = NULL;
    cs_trust trust = {0};
    const cs_sink sink = {.ctx = s, .begin = sink_begin, .write = sink_write, .end = sink_end};
    scene_clear(s);
    s->status = cs_archive_open(&s->host, path, &archive, &s->error);
    if (s->status == CS_OK) s->status = cs_archive_judge(archive, manifest, true, &trust, &s->error);
    if (s->status == CS_OK) s->status = cs_archive_extract(archive, manifest, &trust, &sink, s->staged, NULL, &s->error);
    cs_archive_close(archive);
    cs_error_text(&s->error, s->message, sizeof s->message);
    return s->status;
}

/* A package some of whose files are large, and its ZIP. */
typedef struct parcel {
    package pack;
    cs_manifest manifest;
    unsigned char *zip;
    size_t size;
} parcel;

static uint32_t seed = 1;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }

static void parcel_make(parcel *p, manifest_trust trust, const package_shape *shape) {
    package_init(&p->pack, ALL);
    for (size_t row = 0; row < ALL; row += 5) { /* each a batch of its own, the first the largest */
        cs_buffer *content = &p->pack.content[row];
        for (size_t i = 0; content->size < LARGE - row * 9000; i++) {
            char piece[512];
            memset(piece, (int)(i & 127), sizeof piece);
            for (size_t k = 0; k < 128; k++) piece[k * 4] = (char)next();
            cs_buffer_append(content, piece, sizeof piece);
        }
    }
    p->zip = package_zip(&p->pack, shape, &p->size);
    p->manifest = (cs_manifest){0};
    package_manifest(&p->pack, trust, p->zip, p->size, NULL, 0, &p->manifest);
}

static void parcel_free(parcel *p) {
    cs_manifest_free(&p->manifest);
    package_free(&p->pack);
    free(p->zip);
}

static void assert_exact(const scene *s, const parcel *p) {
    for (size_t row = 0; row < ALL; row++) {
        assert_int_equal(s->files[row].size, p->pack.content[row].size);
        assert_memory_equal(cs_buffer_string(&s->files[row]), p->pack.content[row].data, p->pack.content[row].size);
    }
}

/* ---- tests ---- */

static void test_archive_workers_unpack_the_same_files(void **state) {
    (void)state;
    static const package_shape shapes[] = {{0}, {.stored = true}, {.descriptors = true, .reversed = true, .root = "cuda/"}};
    scene s;
    scene_make(&s);
    for (size_t shape = 0; shape < 3; shape++) {
        parcel p;
        cs_staged first[CS_MANIFEST_MAX_FILES];
        char name[16];
        parcel_make(&p, shape % 2 ? SEALED : PINNED, &shapes[shape]);
        snprintf(name, sizeof name, "%u.zip", (unsigned)shape);
        const char *path = temp_path(&s.folder, name);
        temp_write(path, p.zip, p.size);
        for (s.workers = 1; s.workers <= 9; s.workers += s.workers < 4 ? 1 : 5) {
            assert_int_equal(go(&s, path, &p.manifest), CS_OK);
            assert_exact(&s, &p);
            assert_int_equal(atomic_load(&s.ended), ALL);
            assert_int_equal(s.last_done, s.total);
            if (s.workers == 1)
                memcpy(first, s.staged, sizeof first);
            else
                assert_memory_equal(first, s.staged, sizeof first);
        }
        parcel_free(&p);
    }
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

/* One file that is larger than all others together: a second worker joins the one that has it. */
static void parcel_make_giant(parcel *p, manifest_trust trust) {
    parcel_make(p, trust, NULL);
    cs_buffer *content = &p->pack.content[12];
    while (content->size < 14 * 1024 * 1024) {
        uint32_t piece[256];
        for (size_t k = 0; k < 256; k++) piece[k] = k % 3 ? next() : (uint32_t)content->size;
        cs_buffer_append(content, piece, sizeof piece);
    }
    cs_manifest_free(&p->manifest);
    free(p->zip);
    p->zip = package_zip(&p->pack, NULL, &p->size);
    p->manifest = (cs_manifest){0};
    package_manifest(&p->pack, trust, p->zip, p->size, NULL, 0, &p->manifest);
}

static void test_archive_workers_share_a_giant_file(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make_giant(&p, SEALED);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    for (int n = 0; n < 6; n++) {
        s.workers = 2 + (unsigned)n % 3;
        assert_int_equal(go(&s, path, &p.manifest), CS_OK);
        assert_exact(&s, &p);
        assert_int_equal(s.last_done, s.total);
    }
    assert_true(atomic_load(&s.passed_on) > 0); /* two did work on it */
    s.workers = 3;
    s.failing_row = 12;
    s.failing_status = CS_E_NO_SPACE;
    assert_int_equal(go(&s, path, &p.manifest), CS_E_NO_SPACE);
    s.failing_row = -1;
    s.failing_read = p.size / 2;
    assert_int_equal(go(&s, path, &p.manifest), CS_E_IO);
    s.failing_read = 0;
    for (int n = 0; n < 5; n++) { /* damage in the middle of it */
        char alone[sizeof s.message], name[16];
        unsigned char *copy = malloc(p.size);
        memcpy(copy, p.zip, p.size);
        copy[p.size / 4 + next() % (p.size / 2)] ^= (unsigned char)(1 + next() % 255);
        snprintf(name, sizeof name, "d%d.zip", n);
        const char *damaged = temp_path(&s.folder, name);
        temp_write(damaged, copy, p.size);
        free(copy);
        s.workers = 1;
        assert_int_equal(go(&s, damaged, &p.manifest), CS_E_ARCHIVE_BAD);
        snprintf(alone, sizeof alone, "%s", s.message);
        s.workers = 3;
        assert_int_equal(go(&s, damaged, &p.manifest), CS_E_ARCHIVE_BAD);
        assert_string_equal(s.message, alone);
    }
    parcel_free(&p);
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

static void test_archive_workers_without_threads(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    s.no_threads = true;
    assert_int_equal(go(&s, path, &p.manifest), CS_OK);
    assert_exact(&s, &p);
    s.no_threads = false;
    s.system.together = NULL;
    assert_int_equal(go(&s, path, &p.manifest), CS_OK);
    assert_exact(&s, &p);
    parcel_free(&p);
    scene_remove(&s);
}

static void test_archive_workers_how_many(void **state) {
    (void)state;
    scene s;
    scene_make(&s);
    s.workers = 9; /* processors + 1 */
    assert_int_equal(cs_workers_for(&s.system, 100), 9);
    assert_int_equal(cs_workers_for(&s.system, 3), 3);
    assert_int_equal(cs_workers_for(&s.system, 1), 1);
    s.workers = 200;
    assert_int_equal(cs_workers_for(&s.system, 100), CS_TEAM_MAX);
    s.system.together = NULL;
    assert_int_equal(cs_workers_for(&s.system, 100), 1);
    assert_int_equal(cs_workers_for(NULL, 100), 1);
    scene_remove(&s);
}

/* One worker more than processors, for those that wait for a flush; never more at work than processors. */
static void test_archive_workers_have_a_seat_for_each_processor(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    s.slow_write_ms = 10;
    for (s.workers = 2; s.workers <= 4; s.workers++) {
        assert_int_equal(go(&s, path, &p.manifest), CS_OK);
        assert_int_equal(atomic_load(&s.most_writing), s.workers - 1);
        assert_int_equal(atomic_load(&s.ended), ALL);
    }
    s.slow_flush_ms = 10;
    s.workers = 2;
    assert_int_equal(go(&s, path, &p.manifest), CS_OK);
    assert_int_equal(atomic_load(&s.most_writing), 1);
    assert_true(atomic_load(&s.beside_a_flush) > 0);
    parcel_free(&p);
    scene_remove(&s);
}

/* Damage in several places at once: whichever worker is first, the sentence is that of one worker alone. */
static void test_archive_workers_report_the_same_damage(void **state) {
    (void)state;
    scene s;
    parcel p;
    unsigned refused = 0;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    for (int n = 0; n < 10; n++) {
        char alone[sizeof s.message], name[16];
        cs_status status = CS_OK;
        unsigned char *copy = malloc(p.size);
        memcpy(copy, p.zip, p.size);
        for (int k = 0; k < 1 + n % 5; k++) copy[next() % (p.size - 4000)] ^= (unsigned char)(1 + next() % 255);
        snprintf(name, sizeof name, "%d.zip", n);
        const char *path = temp_path(&s.folder, name);
        temp_write(path, copy, p.size);
        free(copy);
        for (s.workers = 1; s.workers <= 6; s.workers += 1 + s.workers % 2) {
            go(&s, path, &p.manifest);
            if (s.workers == 1) {
                status = s.status;
                snprintf(alone, sizeof alone, "%s", s.message);
            }
            assert_int_equal(s.status, status);
            assert_string_equal(s.message, alone);
        }
        refused += status == CS_E_ARCHIVE_BAD;
    }
    assert_true(refused > 7);
    parcel_free(&p);
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

/* Other content than the sealed one: all names, in the archive's order, and nothing is written once one is known. */
static void test_archive_workers_name_all_wrong_files(void **state) {
    (void)state;
    scene s;
    parcel p;
    char alone[sizeof s.message] = "";
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    for (size_t row = 0; row < ALL; row += 9) p.manifest.files[row].sha256[5] ^= 1;
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    for (s.workers = 1; s.workers <= 7; s.workers += 3) {
        assert_int_equal(go(&s, path, &p.manifest), CS_E_ARCHIVE_BAD);
        if (s.workers == 1) snprintf(alone, sizeof alone, "%s", s.message);
        assert_string_equal(s.message, alone);
        assert_non_null(strstr(s.message, "4 of 31 files have another SHA-256"));
        for (size_t row = 0; row < ALL; row += 9)
            assert_non_null(strstr(cs_buffer_string(&s.details), p.manifest.files[row].source));
        assert_true(atomic_load(&s.ended) <= ALL - 4);
    }
    parcel_free(&p);
    scene_remove(&s);
}

/* A full disk or an unreadable sector ends all at once, with its own error. */
static void test_archive_workers_stop_when_one_fails(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    for (s.workers = 1; s.workers <= 5; s.workers += 2) {
        s.failing_row = 0; /* the largest: begun first */
        s.failing_status = CS_E_NO_SPACE;
        s.slow_write_ms = s.workers > 1 ? 20 : 0;
        assert_int_equal(go(&s, path, &p.manifest), CS_E_NO_SPACE);
        assert_non_null(strstr(s.message, "failed on purpose"));
        assert_true(atomic_load(&s.begun) <= s.workers); /* what the others had begun by then */
        assert_true(atomic_load(&s.writes) <= 2 * s.workers);
        s.failing_row = -1;
        s.slow_write_ms = 0;
        s.failing_read = p.size / 2;
        assert_int_equal(go(&s, path, &p.manifest), CS_E_IO);
        assert_non_null(strstr(s.message, "sector not found"));
        s.failing_read = 0;
    }
    parcel_free(&p);
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

/* Cancelled while every worker waits for the disk: heard within 200 ms all the same, and nothing new begins after that. */
static void test_archive_workers_cancel_is_heard_during_a_flush(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    s.workers = 2;
    s.slow_end_ms = 600;
    assert_int_equal(go(&s, path, &p.manifest), CS_E_CANCELLED);
    assert_int_equal(s.error.status, CS_E_CANCELLED);
    uint64_t asked = atomic_load(&s.cancel_asked);
    print_message("cancel heard after %d ms\n", (int)(s.cancel_heard - asked));
    assert_true(s.cancel_heard + 1 >= asked); /* the flag is up a moment before the time is taken */
    assert_true(s.cancel_heard <= asked + 200);
    assert_true(atomic_load(&s.begun) <= s.begun_when_heard + 1); /* one may have been between the question and its begin */
    assert_true(atomic_load(&s.ended) < ALL);
    parcel_free(&p);
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

/* The archive's own hash is taken by two threads in turns: its failures and a cancel are its own. */
static void test_archive_workers_hash_in_turns(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, PINNED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    for (int n = 0; n < 10; n++) {
        s.failing_read = 1 + next() % (p.size - 2);
        assert_int_equal(go(&s, path, &p.manifest), CS_E_IO);
        assert_non_null(strstr(s.message, "sector not found"));
        assert_int_equal(atomic_load(&s.begun), 0);
    }
    s.failing_read = 0;
    s.slow_read_ms = 20;
    atomic_store(&s.cancel, true);
    assert_int_equal(go(&s, path, &p.manifest), CS_E_CANCELLED);
    assert_int_equal(s.error.status, CS_E_CANCELLED);
    assert_int_equal(atomic_load(&s.begun), 0);
    atomic_store(&s.cancel, false);
    s.slow_read_ms = 0;
    p.manifest.archive_sha256[0] ^= 1; /* and what is found is compared */
    p.manifest.has_archive_sha256 = true;
    cs_trust trust = {0};
    cs_archive *archive = NULL;
    assert_int_equal(cs_archive_open(&s.host, path, &archive, &s.error), CS_OK);
    assert_int_equal(cs_archive_judge(archive, &p.manifest, false, &trust, &s.error), CS_E_ARCHIVE_BAD);
    p.manifest.archive_sha256[0] ^= 1;
    assert_true(p.size > 2 * 256 * 1024); /* blocks for both */
    s.slow_start_ms = 50;                 /* whoever has the second block has it first, and has to wait */
    assert_int_equal(cs_archive_judge(archive, &p.manifest, false, &trust, &s.error), CS_OK);
    assert_int_equal(trust.kind, CS_TRUST_PINNED);
    cs_archive_close(archive);
    parcel_free(&p);
    scene_remove(&s);
    assert_int_equal(atomic_load(&seen_elsewhere), 0);
}

static void test_archive_workers_tell_progress_ten_times_a_second(void **state) {
    (void)state;
    scene s;
    parcel p;
    scene_make(&s);
    parcel_make(&p, SEALED, NULL);
    const char *path = temp_path(&s.folder, "a.zip");
    temp_write(path, p.zip, p.size);
    s.slow_write_ms = 20;
    for (s.workers = 1; s.workers <= 4; s.workers += 3) {
        uint64_t start = now(&s);
        assert_int_equal(go(&s, path, &p.manifest), CS_OK);
        uint64_t took = now(&s) - start;
        assert_true(took >= 200);
        assert_in_range(s.events_seen, 2, took / 100 + 2);
        assert_int_equal(s.last_done, s.total);
    }
    parcel_free(&p);
    scene_remove(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_workers_unpack_the_same_files),
        cmocka_unit_test(test_archive_workers_share_a_giant_file),
        cmocka_unit_test(test_archive_workers_without_threads),
        cmocka_unit_test(test_archive_workers_how_many),
        cmocka_unit_test(test_archive_workers_have_a_seat_for_each_processor),
        cmocka_unit_test(test_archive_workers_report_the_same_damage),
        cmocka_unit_test(test_archive_workers_name_all_wrong_files),
        cmocka_unit_test(test_archive_workers_stop_when_one_fails),
        cmocka_unit_test(test_archive_workers_cancel_is_heard_during_a_flush),
        cmocka_unit_test(test_archive_workers_hash_in_turns),
        cmocka_unit_test(test_archive_workers_tell_progress_ten_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
