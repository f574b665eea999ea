/* The second and the third page, widths, and the way from page to page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/pages.h"
#include "cudnn_setup/proof_detail.h"

static const cs_page_row *row(const cs_page *page, cs_phrase name) {
    for (size_t i = 0; i < page->row_count; i++)
        if (strcmp(page->rows[i].name, cs_phrase_text(name, page->language)) == 0) return &page->rows[i];
    fail_msg("no row %s", cs_phrase_text(name, page->language));
    return NULL;
}

static cs_outcome done(void) {
    cs_outcome o = {.tree_path = cs_strdup("C:\\CUDA\\v10.1"), .trust = {.kind = CS_TRUST_PINNED}};
    assert_int_equal(cs_outcome_add_file(&o, "bin/cudnn64_8.dll", "placed", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_file(&o, "include/cudnn.h", "replaced", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_value(&o, "CUDA_PATH", CS_REG_SZ, NULL, "C:\\CUDA\\v10.1", NULL), CS_OK);
    o.proof_files = cs_strdup("passed: a new program finds all 7 DLLs in C:\\CUDA\\v10.1\\bin");
    o.proof_loading = cs_strdup("passed: 7 parts loaded");
    o.proof_gpu = cs_strdup("passed: right");
    o.proof = cs_alloc(1, sizeof *o.proof);
    cs_facts facts = {0};
    cs_facts_set(&facts, CS_FACT_DEVICE, "GTX 1080");
    cs_facts_set(&facts, CS_FACT_COUNT_RIGHT, "110");
    cs_facts_set(&facts, CS_FACT_PERCENT, "4");
    cs_proof_stage_set(&o.proof->gpu, CS_GPU_PASSED, &facts);
    cs_facts_free(&facts);
    static const uint64_t times[][2] = {{1900000000, 400000}, {20500000, 44000}, {900000, 41000}};
    o.proof->calls = cs_alloc(4, sizeof *o.proof->calls);
    for (; o.proof->call_count < 3; o.proof->call_count++)
        o.proof->calls[o.proof->call_count] = (cs_proof_call){
            .outcome = cs_strdup("right"), .first_ns = times[o.proof->call_count][0], .later_ns = times[o.proof->call_count][1]};
    o.proof->calls[o.proof->call_count++] = (cs_proof_call){.outcome = cs_strdup("unsupported"), .first_ns = 9000000000};
    return o;
}

static void test_end_installed_and_works(void **state) {
    (void)state;
    cs_outcome o = done();
    cs_page page = {0};
    cs_ending e = {
        .verb = CS_VERB_INSTALL, .outcome = &o, .log = "C:\\logs\\x.log", .version = "8.0.3.33", .programs = "PyCharm"};
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 is installed and works");
    assert_int_equal(row(&page, CS_SAY_RESULT_GPU)->mark, CS_MARK_OK);
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_GPU)->sentence.data, "GTX 1080: all 110 computations"));
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_GPU)->sentence.data, "first call took 1.9 s, a typical later one 44 µs"));
    assert_int_equal(row(&page, CS_SAY_RESULT_NEXT)->mark, CS_MARK_WARNING);
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_NEXT)->sentence.data, "PyCharm"));
    assert_true(page.offers & CS_OFFER_REPORT && !(page.offers & CS_OFFER_TRY_AGAIN));
    cs_page_result(&e, CS_CHINESE, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 已安装并可用");
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_GPU)->sentence.data, "GTX 1080 上计算正确"));
    cs_buffer text = {0};
    cs_page_copy(&page, &text);
    assert_non_null(strstr(text.data, "[正常] GPU: cuDNN 在 GTX 1080 上计算正确"));
    assert_non_null(strstr(text.data, "C:\\logs\\x.log"));
    cs_buffer_free(&text);
    cs_page_free(&page);
    cs_outcome_free(&o);
}

static void test_end_never_claims_more_than_was_seen(void **state) {
    (void)state;
    cs_outcome o = done();
    cs_page page = {0};
    cs_ending e = {.verb = CS_VERB_INSTALL, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_free(o.proof_gpu);
    o.proof_gpu = cs_strdup("skipped: no driver");
    cs_proof_stage_set(&o.proof->gpu, CS_GPU_NO_DRIVER, NULL);
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 is installed");
    assert_int_equal(row(&page, CS_SAY_RESULT_GPU)->mark, CS_MARK_NOTE);
    o.trust.kind = CS_TRUST_UNVERIFIED;
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "An unverified copy of cuDNN 8.0.3 is installed");
    o.trust.sample = true;
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "The sample of cuDNN 8.0.3 is installed");
    cs_free(o.proof_loading);
    o.proof_loading = cs_strdup("failed: a part is missing");
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 is installed, but the test found a fault");
    assert_ptr_equal(page.rows[page.selected].name, cs_phrase_text(CS_SAY_RESULT_LOADING, CS_ENGLISH));
    cs_page_free(&page);
    cs_outcome_free(&o);
}

/* Each code has its heading, says how the computer is now, and what to do. */
static void test_end_of_each_exit_code(void **state) {
    (void)state;
    static const struct {
        int code;
        bool as_before, again;
    } rows[] = {{CS_EXIT_NO_SPACE, true, true}, {CS_EXIT_RIGHTS, true, true},       {CS_EXIT_CANCELLED, true, true},
                {CS_EXIT_FAILED, true, true},   {CS_EXIT_PENDING, false, true},     {CS_EXIT_NOTHING, true, true},
                {CS_EXIT_BUSY, true, true},     {CS_EXIT_ARCHIVE_OPEN, true, true}, {CS_EXIT_ARCHIVE_BAD, true, true},
                {CS_EXIT_PLATFORM, true, true}, {CS_EXIT_NEWER, true, true},        {CS_EXIT_USAGE, true, true},
                {CS_EXIT_TOOLKIT, true, true}};
    for (int language = 0; language < CS_LANGUAGE_COUNT; language++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            cs_outcome o = {0};
            cs_page page = {0};
            cs_buffer_text(&o.message, "C:\\x: the reason. Everything is as before.");
            cs_ending e = {
                .verb = CS_VERB_INSTALL, .exit_code = rows[i].code, .outcome = &o, .log = "C:\\l.log", .version = "8.0.3.33"};
            cs_page_result(&e, (cs_language)language, &page);
            assert_string_equal(cs_buffer_string(&page.heading), cs_say_exit(rows[i].code, (cs_language)language));
            assert_non_null(strstr(row(&page, CS_SAY_RESULT_DETAIL)->sentence.data, "the reason"));
            assert_string_equal(
                cs_buffer_string(&row(&page, CS_SAY_RESULT_NOW)->found),
                cs_phrase_text(rows[i].as_before ? CS_SAY_AS_BEFORE : CS_SAY_NOT_AS_BEFORE, (cs_language)language));
            for (size_t k = 0; k < page.row_count; k++) assert_true(page.rows[k].sentence.size > 0); /* each explains itself */
            assert_int_equal(!!(page.offers & CS_OFFER_TRY_AGAIN), rows[i].again);
            cs_page_free(&page);
            cs_outcome_free(&o);
        }
}

static void test_end_of_verify_names_what_differs(void **state) {
    (void)state;
    cs_outcome o = {0};
    cs_page page = {0};
    assert_int_equal(cs_outcome_add_file(&o, "bin/a.dll", "ok", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_file(&o, "bin/b.dll", "differs", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_file(&o, "include/c.h", "missing", NULL), CS_OK);
    cs_ending e = {.verb = CS_VERB_VERIFY, .exit_code = CS_EXIT_DIFFERS, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_RESULT_CHANGED)->sentence),
                        "Not as installed: bin/b.dll, include/c.h.");
    assert_true(page.offers & CS_OFFER_REPAIR);
    cs_page_free(&page);
    cs_outcome_free(&o);
}

static void test_end_without_a_change_says_so(void **state) {
    (void)state;
    static const struct {
        cs_verb verb;
        cs_result result;
        const char *says;
    } rows[] = {{CS_VERB_VERIFY, CS_RESULT_DONE, "nothing was changed"},
                {CS_VERB_REPAIR, CS_RESULT_ALREADY, "nothing was changed"},
                {CS_VERB_INSTALL, CS_RESULT_ALREADY, "nothing was changed"},
                {CS_VERB_INSTALL, CS_RESULT_DONE, "2 files are in place"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_outcome o = done();
        cs_page page = {0};
        o.result = rows[i].result;
        cs_ending e = {.verb = rows[i].verb, .outcome = &o, .log = "", .version = "8.0.3.33"};
        cs_page_result(&e, CS_ENGLISH, &page);
        assert_non_null(strstr(row(&page, CS_SAY_RESULT_CHANGED)->sentence.data, rows[i].says));
        cs_page_free(&page);
        cs_outcome_free(&o);
    }
}

static void test_end_of_uninstall_counts(void **state) {
    (void)state;
    cs_outcome o = {.tree_path = cs_strdup("C:\\CUDA")};
    cs_page page = {0};
    assert_int_equal(cs_outcome_add_file(&o, "bin/a.dll", "removed", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_file(&o, "include/cudnn.h", "restored", NULL), CS_OK);
    cs_ending e = {.verb = CS_VERB_UNINSTALL, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN is uninstalled");
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_RESULT_CHANGED)->sentence),
                        "Files removed from C:\\CUDA: 1. Older files that are back: 1.");
    cs_page_free(&page);
    cs_outcome_free(&o);
}

static void test_end_of_a_test_of_the_gpu(void **state) {
    (void)state;
    cs_outcome o = done();
    cs_page page = {0};
    static const cs_phrase headings[] = {CS_SAY_DONE_TEST, CS_SAY_UNFIT_TEST, CS_SAY_FAULT_TEST};
    for (int code = 0; code < 3; code++) {
        cs_ending e = {.verb = CS_VERB_PROBE, .exit_code = code, .outcome = &o, .log = "", .version = "8.0.3.33"};
        cs_page_result(&e, CS_CHINESE, &page);
        assert_string_equal(cs_buffer_string(&page.heading), cs_phrase_text(headings[code], CS_CHINESE));
        assert_false(page.offers & CS_OFFER_TRY_AGAIN);
    }
    cs_page_free(&page);
    cs_outcome_free(&o);
}

/* An administrator's window says why it does not test, and not that a command line was wrong. */
static void test_end_of_a_test_that_is_refused(void **state) {
    (void)state;
    cs_outcome o = {0};
    cs_page page = {0};
    cs_fail(&o.error, CS_E_USAGE, "probe", NULL, "not with administrator rights");
    cs_buffer_text(&o.message, "not with administrator rights, because it loads what PATH names");
    cs_ending e = {.verb = CS_VERB_PROBE, .exit_code = CS_EXIT_USAGE, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "The test does not run with administrator rights");
    assert_ptr_equal(page.rows[page.selected].name, cs_phrase_text(CS_SAY_RESULT_DETAIL, CS_ENGLISH));
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_DETAIL)->sentence.data, "it loads what PATH names"));
    assert_non_null(strstr(row(&page, CS_SAY_RESULT_NEXT)->sentence.data, "ordinary user"));
    o.error.operation = "/json"; /* another reason keeps its own words */
    cs_page_result(&e, CS_CHINESE, &page);
    assert_string_equal(cs_buffer_string(&page.heading), cs_say_exit(CS_EXIT_USAGE, CS_CHINESE));
    cs_page_free(&page);
    cs_outcome_free(&o);
}

/* A repair that found no archive lets one be chosen. */
static void test_end_without_an_archive_offers_to_choose_one(void **state) {
    (void)state;
    cs_outcome o = {0};
    cs_page page = {0};
    const int codes[] = {CS_EXIT_ARCHIVE_OPEN, CS_EXIT_ARCHIVE_BAD, CS_EXIT_FAILED};
    for (size_t i = 0; i < 3; i++) {
        cs_ending e = {.verb = CS_VERB_REPAIR, .exit_code = codes[i], .outcome = &o, .log = "", .version = "8.0.3.33"};
        cs_page_result(&e, CS_ENGLISH, &page);
        assert_int_equal(!!(page.offers & CS_OFFER_ARCHIVE), codes[i] != CS_EXIT_FAILED);
    }
    cs_page_free(&page);
}

/* ---- the second page ---- */

static void assert_says(const cs_progress *p, cs_language language, const char *expected) {
    cs_buffer out = {0};
    cs_progress_say(p, language, &out);
    assert_string_equal(cs_buffer_string(&out), expected);
    cs_buffer_free(&out);
}

static void test_progress_tells_amount_rate_and_time(void **state) {
    (void)state;
    cs_progress p = {.step = "unpack", .file = "bin/cudnn64_8.dll", .left_ms = CS_TIME_UNKNOWN};
    assert_int_equal(cs_progress_share(&p), -1);
    assert_says(&p, CS_ENGLISH, "");
    p.total = 700000000;
    assert_says(&p, CS_ENGLISH, "0 bytes of 700.0 MB");
    p.done = 350000000, p.rate = 700000000, p.left_ms = 500;
    assert_says(&p, CS_ENGLISH, "350.0 MB of 700.0 MB · 700.0 MB/s · about 1 s left");
    assert_says(&p, CS_CHINESE, "350.0 MB / 700.0 MB · 700.0 MB/秒 · 剩余约 1 秒");
    assert_int_equal(cs_progress_share(&p), 500);
    p.left_ms = 699000;
    assert_says(&p, CS_ENGLISH, "350.0 MB of 700.0 MB · 700.0 MB/s · about 12 min left");
    p.done = p.total;
    assert_says(&p, CS_ENGLISH, "700.0 MB of 700.0 MB");
    assert_int_equal(cs_progress_share(&p), 1000);
    const cs_progress files = {.counts_files = true, .done = 12, .total = 31, .left_ms = CS_TIME_UNKNOWN};
    assert_says(&files, CS_ENGLISH, "12 of 31 files");
    assert_says(&files, CS_CHINESE, "12 / 31 个文件");
}

static void test_progress_survives_odd_numbers(void **state) {
    (void)state;
    cs_progress p = {.done = 10, .total = 5, .left_ms = 7};
    cs_buffer out = {0};
    assert_int_equal(cs_progress_share(&p), 1000);
    assert_says(&p, CS_ENGLISH, "10 bytes of 5 bytes");
    p = (cs_progress){.done = UINT64_MAX - 1, .total = UINT64_MAX, .rate = 1, .left_ms = UINT64_MAX - 1};
    assert_in_range(cs_progress_share(&p), 999, 1000);
    cs_progress_say(&p, CS_ENGLISH, &out);
    cs_buffer_free(&out);
}

static void test_steps_have_names_in_both_languages(void **state) {
    (void)state;
    assert_string_equal(cs_page_step("unpack", "x", CS_ENGLISH), "Verifying and unpacking");
    assert_string_equal(cs_page_step("unpack", "x", CS_CHINESE), "校验并解压");
    assert_string_equal(cs_page_step("new-one", "What it says", CS_CHINESE), "What it says");
    cs_buffer out = {0};
    cs_page_doing(&out, CS_VERB_INSTALL, "8.0.3.33", CS_ENGLISH);
    assert_string_equal(cs_buffer_string(&out), "Installing cuDNN 8.0.3");
    cs_buffer_clear(&out);
    cs_page_doing(&out, CS_VERB_PROBE, "8.0.3.33", CS_CHINESE);
    assert_string_equal(cs_buffer_string(&out), "正在测试 GPU");
    cs_buffer_free(&out);
}

/* ---- widths ---- */

static void test_elide_keeps_both_ends(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t width;
        const char *expected;
    } rows[] = {{"C:\\short", 20, "C:\\short"},
                {"C:\\Users\\someone\\Downloads\\cudnn.zip", 21, "C:\\Use…oads\\cudnn.zip"},
                {"", 5, ""},
                {"abcdef", 6, "abcdef"},
                {"abcdefg", 6, "a…defg"},
                {"abcdefg", 1, "…fg"},
                {"中文文件夹名称很长", 9, "中…称很长"},
                {"工具\\v10.1", 11, "工具\\v10.1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        cs_elide(&out, rows[i].text, rows[i].width);
        assert_string_equal(cs_buffer_string(&out), rows[i].expected);
        if (rows[i].width >= 3) assert_true(cs_text_columns(cs_buffer_string(&out)) <= rows[i].width);
        cs_buffer_free(&out);
    }
}

static void test_elide_never_cuts_a_character(void **state) {
    (void)state;
    const char *text = "C:\\工具 é\\名称\\\xF0\x9F\x98\x80\\cudnn-10.1-windows10-x64-v8.0.3.33.zip";
    for (size_t width = 3; width < 70; width++) {
        cs_buffer out = {0};
        cs_elide(&out, text, width);
        assert_true(cs_text_columns(cs_buffer_string(&out)) <= width);
        size_t left = out.size;
        for (const char *p = out.data; left;) {
            uint32_t c;
            size_t size = cs_utf8_decode(p, left, false, &c);
            assert_true(size > 0);
            p += size;
            left -= size;
        }
        cs_buffer_free(&out);
    }
}

static void test_elide_end_keeps_the_beginning(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t width;
        const char *expected;
    } rows[] = {{"Everything is as before.", 30, "Everything is as before."},
                {"Everything is as before.", 10, "Everythin…"},
                {"一切与之前相同", 6, "一切…"},
                {"abcdef", 1, "ab…"},
                {"", 0, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        cs_elide_end(&out, rows[i].text, rows[i].width);
        assert_string_equal(cs_buffer_string(&out), rows[i].expected);
        cs_buffer_free(&out);
    }
}

/* What the core says begins in lower case after "passed: "; a name stays as it is. */
static void test_end_rows_begin_with_a_capital_letter(void **state) {
    (void)state;
    static const struct {
        const char *told, *shown;
        cs_mark mark;
    } rows[] = {{"failed: another cudnn64_8.dll comes first", "Another cudnn64_8.dll comes first", CS_MARK_FAULT},
                {"failed: cudnn64_8.dll is not found", "cudnn64_8.dll is not found", CS_MARK_FAULT},
                {"passed: cudnnGetVersion() is 8003", "cudnnGetVersion() is 8003", CS_MARK_OK},
                {"skipped", "Not tried", CS_MARK_NOTE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_outcome o = {.proof_loading = cs_strdup(rows[i].told)};
        cs_page page = {0};
        cs_ending e = {.verb = CS_VERB_INSTALL, .outcome = &o, .log = "", .version = "8.0.3.33"};
        cs_page_result(&e, CS_ENGLISH, &page);
        assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_RESULT_LOADING)->found), rows[i].shown);
        assert_int_equal(row(&page, CS_SAY_RESULT_LOADING)->mark, rows[i].mark); /* "Stops it" would be wrong: it is installed */
        cs_page_free(&page);
        cs_outcome_free(&o);
    }
}

/* Which way it went is the run's own to tell. */
static void test_end_of_a_recovery_says_what_became_of_it(void **state) {
    (void)state;
    cs_outcome o = {0};
    cs_page page = {0};
    cs_ending e = {.verb = CS_VERB_RECOVER, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_buffer_text(&o.message, "The interrupted installation was undone.");
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_RESULT_CHANGED)->found), "The interrupted installation was undone.");
    assert_int_equal(page.primary, CS_OFFER_CHECK_AGAIN);
    cs_page_free(&page);
    cs_outcome_free(&o);
}

/* Who has cancelled knows why: how the computer is now comes first. */
static void test_end_of_a_cancelled_run_says_first_how_it_is(void **state) {
    (void)state;
    cs_outcome o = {0};
    cs_page page = {0};
    cs_ending e = {.verb = CS_VERB_INSTALL, .exit_code = CS_EXIT_CANCELLED, .outcome = &o, .log = "", .version = "8.0.3.33"};
    cs_buffer_text(&o.message, "cannot unpack C:\\x.zip: cancelled");
    cs_page_result(&e, CS_ENGLISH, &page);
    assert_ptr_equal(page.rows[page.selected].name, cs_phrase_text(CS_SAY_RESULT_NOW, CS_ENGLISH));
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_RESULT_DETAIL)->found), "Cannot unpack C:\\x.zip: cancelled");
    cs_page_free(&page);
    cs_outcome_free(&o);
}

/* ---- from page to page ---- */

static void test_window_goes_from_page_to_page(void **state) {
    (void)state;
    static const cs_stage_of_window next[][5] = {
        /*                  LOOKED          START          ENDED         AGAIN          CLOSE */
        [CS_AT_LOOKING] = {CS_AT_READY, CS_AT_LOOKING, CS_AT_LOOKING, CS_AT_LOOKING, CS_AT_END},
        [CS_AT_READY] = {CS_AT_READY, CS_AT_WORKING, CS_AT_READY, CS_AT_LOOKING, CS_AT_END},
        [CS_AT_WORKING] = {CS_AT_WORKING, CS_AT_WORKING, CS_AT_RESULT, CS_AT_WORKING, CS_AT_STOPPING},
        [CS_AT_STOPPING] = {CS_AT_STOPPING, CS_AT_STOPPING, CS_AT_RESULT, CS_AT_STOPPING, CS_AT_STOPPING},
        [CS_AT_RESULT] = {CS_AT_RESULT, CS_AT_WORKING, CS_AT_RESULT, CS_AT_LOOKING, CS_AT_END},
        [CS_AT_END] = {CS_AT_END, CS_AT_END, CS_AT_END, CS_AT_END, CS_AT_END}};
    for (int at = CS_AT_LOOKING; at <= CS_AT_END; at++)
        for (int event = CS_WINDOW_LOOKED; event <= CS_WINDOW_CLOSE; event++)
            assert_int_equal(cs_window_next((cs_stage_of_window)at, (cs_window_event)event), next[at][event]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_installed_and_works),
        cmocka_unit_test(test_end_never_claims_more_than_was_seen),
        cmocka_unit_test(test_end_of_each_exit_code),
        cmocka_unit_test(test_end_of_verify_names_what_differs),
        cmocka_unit_test(test_end_without_a_change_says_so),
        cmocka_unit_test(test_end_of_uninstall_counts),
        cmocka_unit_test(test_end_of_a_test_of_the_gpu),
        cmocka_unit_test(test_end_of_a_test_that_is_refused),
        cmocka_unit_test(test_end_without_an_archive_offers_to_choose_one),
        cmocka_unit_test(test_progress_tells_amount_rate_and_time),
        cmocka_unit_test(test_progress_survives_odd_numbers),
        cmocka_unit_test(test_steps_have_names_in_both_languages),
        cmocka_unit_test(test_elide_keeps_both_ends),
        cmocka_unit_test(test_elide_never_cuts_a_character),
        cmocka_unit_test(test_elide_end_keeps_the_beginning),
        cmocka_unit_test(test_end_rows_begin_with_a_capital_letter),
        cmocka_unit_test(test_end_of_a_recovery_says_what_became_of_it),
        cmocka_unit_test(test_end_of_a_cancelled_run_says_first_how_it_is),
        cmocka_unit_test(test_window_goes_from_page_to_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
