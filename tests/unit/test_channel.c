#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/channel.h"
#include "cudnn_setup/proof_detail.h"

typedef struct heard {
    cs_buffer text; /* "kind id text\n" */
    cs_progress progress;
} heard;

static void on_event(void *ctx, const cs_event *event) {
    heard *h = ctx;
    cs_buffer_format(&h->text, "%d %s %s\n", (int)event->kind, event->id, event->text);
    if (event->kind == CS_EVENT_PROGRESS) h->progress = event->progress;
}

static void on_stage(void *ctx, const char *name, const char *chinese) {
    cs_buffer_format(&((heard *)ctx)->text, "stage %s %s\n", name, chinese);
}

static cs_channel_kind read(heard *h, const char *bytes, size_t size) {
    const cs_channel_reader reader = {.ctx = h, .event = on_event, .stage = on_stage};
    return cs_channel_read(&reader, bytes, size);
}

static void test_channel_frames_survive_any_cut(void **state) {
    (void)state;
    cs_buffer sent = {0};
    cs_channel_put(&sent, "first", 5);
    cs_channel_put(&sent, "", 0);
    cs_channel_put(&sent, "the third\0!", 11);
    for (size_t cut = 0; cut <= sent.size; cut++) {
        cs_buffer received = {0};
        size_t count = 0, consumed, size;
        const char *bytes;
        bool bad = false;
        cs_buffer_append(&received, sent.data, cut);
        for (int half = 0; half < 2; half++) {
            while (cs_channel_next(&received, &bytes, &size, &consumed, &bad)) {
                static const size_t sizes[] = {5, 0, 11};
                assert_int_equal(size, sizes[count]);
                count++;
                cs_channel_drop(&received, consumed);
            }
            if (half == 0) cs_buffer_append(&received, sent.data + cut, sent.size - cut);
        }
        assert_false(bad);
        assert_int_equal(count, 3);
        assert_int_equal(received.size, 0);
        cs_buffer_free(&received);
    }
    cs_buffer_free(&sent);
}

static void test_channel_refuses_endless_frames(void **state) {
    (void)state;
    cs_buffer received = {0};
    const char *bytes;
    size_t size, consumed;
    bool bad = false;
    cs_buffer_append(&received, "\xFF\xFF\xFF\x7F....", 8);
    assert_false(cs_channel_next(&received, &bytes, &size, &consumed, &bad));
    assert_true(bad);
    cs_buffer_free(&received);
}

static void test_channel_carries_every_kind_of_event(void **state) {
    (void)state;
    static const char text[] = "a \"text\" in C:\\工具\n";
    for (int kind = CS_EVENT_STEP; kind <= CS_EVENT_WARNING; kind++) {
        heard h = {0};
        cs_buffer sent = {0}, expected = {0};
        const cs_event event = {.kind = (cs_event_kind)kind,
                                .id = "unpack",
                                .text = text,
                                .progress = {.done = 7, .total = UINT64_MAX, .rate = 3, .left_ms = 4000, .counts_files = true}};
        cs_channel_put_event(&sent, &event);
        cs_buffer_format(&expected, "%d unpack %s\n", kind, text);
        assert_int_equal(read(&h, sent.data + CS_CHANNEL_HEAD, sent.size - CS_CHANNEL_HEAD), CS_CHANNEL_EVENT);
        assert_string_equal(cs_buffer_string(&h.text), expected.data);
        if (kind == CS_EVENT_PROGRESS) {
            assert_int_equal(h.progress.done, 7);
            assert_true(h.progress.total > UINT64_C(1) << 52); /* as much as a number in JSON can say */
            assert_int_equal(h.progress.rate, 3);
            assert_int_equal(h.progress.left_ms, 4000);
            assert_true(h.progress.counts_files);
        }
        cs_buffer_free(&sent);
        cs_buffer_free(&expected);
        cs_buffer_free(&h.text);
    }
    heard h = {0};
    cs_buffer sent = {0};
    const cs_event event = {.kind = CS_EVENT_PROGRESS, .id = "a", .progress = {.total = 5, .left_ms = CS_TIME_UNKNOWN}};
    cs_channel_put_event(&sent, &event);
    assert_int_equal(read(&h, sent.data + CS_CHANNEL_HEAD, sent.size - CS_CHANNEL_HEAD), CS_CHANNEL_EVENT);
    assert_true(h.progress.left_ms == CS_TIME_UNKNOWN);
    cs_buffer_clear(&sent);
    cs_channel_put_stage(&sent, "gpu", "没有 GPU");
    assert_int_equal(read(&h, sent.data + CS_CHANNEL_HEAD, sent.size - CS_CHANNEL_HEAD), CS_CHANNEL_STAGE);
    assert_non_null(strstr(h.text.data, "stage gpu 没有 GPU\n"));
    cs_buffer_free(&sent);
    cs_buffer_free(&h.text);
}

static void test_channel_believes_nothing(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "cancel",
                                      "{}",
                                      "[]",
                                      "{\"event\":7}",
                                      "{\"event\":\"step\"}",
                                      "{\"event\":\"step\",\"id\":\"x\",\"text\":5}",
                                      "{\"event\":\"run\",\"id\":\"x\",\"text\":\"y\"}",
                                      "{\"event\":\"progress\",\"id\":\"x\",\"text\":\"y\",\"done\":-1}",
                                      "{\"event\":\"progress\",\"id\":\"x\",\"text\":\"y\"}",
                                      "{\"event\":\"step\",\"id\":\"x\",\"text\":\"y\"} "
                                      "{\"event\":\"step\",\"id\":\"x\",\"text\":\"y\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        heard h = {0};
        assert_int_equal(read(&h, bad[i], strlen(bad[i])), CS_CHANNEL_NOTHING);
        assert_int_equal(h.text.size, 0);
    }
}

/* ---- the result ---- */

static cs_outcome rich(void) {
    cs_outcome o = {.result = CS_RESULT_DONE,
                    .tree_id = cs_strdup("0123456789abcdef0123456789abcdef"),
                    .tree_path = cs_strdup("C:\\工具\\v10.1"),
                    .trust = {.kind = CS_TRUST_PINNED, .sample = true, .has_archive_sha256 = true}};
    cs_buffer_text(&o.message, "It is done.");
    memset(o.trust.archive_sha256, 0xAB, CS_SHA256_SIZE);
    assert_int_equal(cs_outcome_add_file(&o, "bin/a.dll", "placed", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_value(&o, "PATH", CS_REG_EXPAND_SZ, NULL, "C:\\x;%y%", NULL), CS_OK);
    assert_int_equal(cs_holders_add(&o.in_use, 4711, "python.exe", "C:\\a.dll", NULL), CS_OK);
    o.proof_files = cs_strdup("passed: all");
    o.proof_loading = cs_strdup("passed: 7 parts");
    o.proof_gpu = cs_strdup("skipped: There is no NVIDIA driver on this machine.");
    o.proof = cs_alloc(1, sizeof *o.proof);
    cs_proof_stage_set(&o.proof->loading, CS_GPU_LOADED, NULL);
    cs_proof_stage_set(&o.proof->gpu, CS_GPU_NO_DRIVER, NULL);
    return o;
}

static cs_status round_trip(const cs_outcome *outcome, int code, cs_outcome *back, cs_buffer *log) {
    cs_warnings warnings = {0};
    cs_buffer json = {0};
    const cs_result_view view = {.program = "cudnn-setup",
                                 .verb = CS_VERB_INSTALL,
                                 .exit_code = code,
                                 .outcome = outcome,
                                 .warnings = &warnings,
                                 .report = "",
                                 .log = "C:\\logs\\x.log",
                                 .time = ""};
    assert_int_equal(cs_result_json(&view, &json, NULL), CS_OK);
    heard h = {0};
    assert_int_equal(read(&h, json.data, json.size), CS_CHANNEL_RESULT);
    cs_status status = cs_result_read(json.data, json.size, back, log, NULL);
    for (size_t cut = 0; cut + 2 < json.size; cut += 7) { /* half a result is none */
        cs_outcome none = {0};
        assert_int_not_equal(cs_result_read(json.data, cut, &none, &h.text, NULL), CS_OK);
        assert_null(none.files);
    }
    cs_buffer_free(&h.text);
    cs_buffer_free(&json);
    return status;
}

static void test_channel_result_comes_back(void **state) {
    (void)state;
    cs_outcome o = rich(), back = {0};
    cs_buffer log = {0};
    assert_int_equal(round_trip(&o, 0, &back, &log), CS_OK);
    assert_int_equal(back.status, CS_OK);
    assert_int_equal(back.result, CS_RESULT_DONE);
    assert_string_equal(cs_buffer_string(&back.message), "It is done.");
    assert_string_equal(back.tree_id, o.tree_id);
    assert_string_equal(back.tree_path, o.tree_path);
    assert_int_equal(back.trust.kind, CS_TRUST_PINNED);
    assert_true(back.trust.sample && back.trust.has_archive_sha256);
    assert_memory_equal(back.trust.archive_sha256, o.trust.archive_sha256, CS_SHA256_SIZE);
    assert_int_equal(back.file_count, 1);
    assert_string_equal(back.files[0].state, "placed");
    assert_int_equal(back.value_count, 1);
    assert_string_equal(back.values[0].type, "REG_EXPAND_SZ");
    assert_null(back.values[0].old_text);
    assert_string_equal(back.values[0].new_text, "C:\\x;%y%");
    assert_int_equal(back.in_use.items[0].pid, 4711);
    assert_string_equal(back.proof_loading, "passed: 7 parts");
    assert_int_equal(back.proof->gpu.verdict, CS_GPU_NO_DRIVER);
    assert_string_equal(cs_buffer_string(&back.proof->gpu.sentence[CS_ENGLISH]), "There is no NVIDIA driver on this machine.");
    assert_string_equal(cs_buffer_string(&log), "C:\\logs\\x.log");
    cs_outcome_free(&o);
    cs_outcome_free(&back);
    cs_buffer_free(&log);
}

/* A worker's bytes are believed by nobody: thousands of damaged results are refused or read, and nothing else happens. */
static void test_channel_result_survives_damage(void **state) {
    (void)state;
    cs_outcome o = rich();
    cs_warnings warnings = {0};
    cs_buffer json = {0}, log = {0};
    const cs_result_view view = {
        .program = "cudnn-setup", .outcome = &o, .warnings = &warnings, .report = "", .log = "x", .time = ""};
    uint32_t random = 20200926;
    size_t refused = 0;
    assert_int_equal(cs_result_json(&view, &json, NULL), CS_OK);
    for (int i = 0; i < 4000; i++) {
        cs_outcome back = {0};
        heard h = {0};
        char *bytes = cs_alloc(json.size, 1);
        memcpy(bytes, json.data, json.size);
        for (int k = 0; k <= i % 3; k++) {
            random = random * 1664525u + 1013904223u;
            bytes[(random >> 8) % json.size] = (char)(random & 0x80 ? "{}[]\",:0\\9"[random % 10] : (int)(random >> 24));
        }
        read(&h, bytes, json.size);
        refused += cs_result_read(bytes, json.size, &back, &log, NULL) != CS_OK;
        cs_outcome_free(&back);
        cs_buffer_free(&h.text);
        cs_free(bytes);
    }
    assert_in_range(refused, 1000, 3999);
    cs_outcome_free(&o);
    cs_buffer_free(&json);
    cs_buffer_free(&log);
}

static void test_channel_result_keeps_its_exit_code(void **state) {
    (void)state;
    static const int codes[] = {CS_EXIT_OK,     CS_EXIT_DIFFERS, CS_EXIT_NO_SPACE,     CS_EXIT_RIGHTS,      CS_EXIT_CANCELLED,
                                CS_EXIT_FAILED, CS_EXIT_PENDING, CS_EXIT_NOTHING,      CS_EXIT_BUSY,        CS_EXIT_PLATFORM,
                                CS_EXIT_NEWER,  CS_EXIT_USAGE,   CS_EXIT_ARCHIVE_OPEN, CS_EXIT_ARCHIVE_BAD, CS_EXIT_TOOLKIT};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cs_outcome o = {0}, back = {0};
        cs_buffer log = {0};
        cs_buffer_text(&o.message, "What happened.");
        assert_int_equal(round_trip(&o, codes[i], &back, &log), CS_OK);
        assert_int_equal(cs_exit_code(back.status), codes[i]);
        cs_outcome_free(&o);
        cs_outcome_free(&back);
        cs_buffer_free(&log);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channel_frames_survive_any_cut),      cmocka_unit_test(test_channel_refuses_endless_frames),
        cmocka_unit_test(test_channel_carries_every_kind_of_event), cmocka_unit_test(test_channel_believes_nothing),
        cmocka_unit_test(test_channel_result_comes_back),           cmocka_unit_test(test_channel_result_survives_damage),
        cmocka_unit_test(test_channel_result_keeps_its_exit_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
