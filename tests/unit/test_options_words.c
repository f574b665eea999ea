#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/options.h"

static void assert_text(const char *a, const char *b) {
    if (a && b)
        assert_string_equal(a, b);
    else
        assert_true(!a && !b);
}

static void assert_same(const cs_options *a, const cs_options *b) {
    assert_int_equal(a->verb, b->verb);
    assert_int_equal(a->ui, b->ui);
    assert_text(a->archive, b->archive);
    assert_text(a->cuda, b->cuda);
    assert_text(a->tree, b->tree);
    assert_text(a->manifest, b->manifest);
    assert_text(a->out, b->out);
    assert_text(a->log, b->log);
    assert_text(a->json, b->json);
    assert_text(a->report, b->report);
    assert_text(a->lang, b->lang);
    assert_int_equal(a->env, b->env);
    assert_int_equal(a->cudapath_take, b->cudapath_take);
    assert_int_equal(a->selftest, b->selftest);
    assert_int_equal(a->selftest_as_current, b->selftest_as_current);
    assert_int_equal(a->inuse_aside, b->inuse_aside);
    assert_int_equal(a->unverified_accept, b->unverified_accept);
    assert_int_equal(a->force, b->force);
    assert_int_equal(a->dryrun, b->dryrun);
    assert_int_equal(a->norestart, b->norestart);
    assert_int_equal(a->stage_gpu, b->stage_gpu);
}

/* Parsed, written, parsed again: the same options, and the same words from them. */
static void round_trip(cs_program program, const char *const *line, size_t count) {
    cs_options first, second;
    cs_strings words = {0}, again = {0};
    cs_error error = {0};
    if (cs_options_parse(program, line, count, &first, &error) != CS_OK) fail_msg("%s: %s", line[0], error.detail);
    assert_int_equal(cs_options_words(&first, &words, NULL), CS_OK);
    assert_int_equal(cs_options_parse(program, (const char *const *)words.items, words.count, &second, &error), CS_OK);
    assert_same(&first, &second);
    assert_int_equal(cs_options_words(&second, &again, NULL), CS_OK);
    assert_int_equal(words.count, again.count);
    for (size_t i = 0; i < words.count; i++) assert_string_equal(words.items[i], again.items[i]);
    cs_strings_free(&words);
    cs_strings_free(&again);
    cs_options_free(&first);
    cs_options_free(&second);
}

#define LINE(program, ...)                                                                                                       \
    round_trip(CS_PROGRAM_##program, (const char *const[]){__VA_ARGS__},                                                         \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void test_words_give_the_options_again(void **state) {
    (void)state;
    LINE(SETUP, "C:\\some folder\\x.zip");
    LINE(SETUP, "/install", "/quiet", "/archive:C:\\工具\\a b.zip", "/cuda:C:\\CUDA", "/manifest:m.json", "/log:l", "/json:j",
         "/lang:zh-CN", "/norestart", "/env:path", "/selftest:require", "/selftest-as:current", "/inuse:aside",
         "/unverified:accept", "/force", "/dryrun", "/report:r.html");
    LINE(SETUP, "/cudapath:take", "/passive");
    LINE(SETUP, "/env:none", "/selftest:skip");
    LINE(SETUP, "/repair", "/tree:0123456789abcdef0123456789abcdef", "/archive:-odd.zip");
    LINE(SETUP, "/uninstall", "/quiet");
    LINE(SETUP, "/rollback", "/force");
    LINE(SETUP, "/recover");
    LINE(SETUP, "/forget");
    LINE(SETUP, "/verify", "/cuda:/odd");
    LINE(SETUP, "/status");
    LINE(DOCTOR, "seal", "a.zip", "/out:m.json");
    LINE(DOCTOR, "search-order", "/cuda:C:\\x");
    LINE(DOCTOR, "/json:j");
    LINE(PROBE, "/stage:gpu", "/selftest-as:current");
}

static void test_words_say_little(void **state) {
    (void)state;
    cs_options o = {.program = CS_PROGRAM_SETUP, .verb = CS_VERB_INSTALL, .ui = CS_UI_QUIET, .archive = (char[]){"C:\\a.zip"}};
    cs_strings words = {0};
    assert_int_equal(cs_options_words(&o, &words, NULL), CS_OK);
    assert_int_equal(words.count, 3);
    assert_string_equal(words.items[0], "/install");
    assert_string_equal(words.items[1], "/quiet");
    assert_string_equal(words.items[2], "/archive:C:\\a.zip");
    cs_strings_free(&words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_give_the_options_again),
        cmocka_unit_test(test_words_say_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
