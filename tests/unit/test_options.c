#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/options.h"

#define WORDS(...)                ((const char *const[]){__VA_ARGS__})
#define COUNT(...)                (sizeof WORDS(__VA_ARGS__) / sizeof(const char *))
#define SETUP(...)                parse(CS_PROGRAM_SETUP, WORDS(__VA_ARGS__), COUNT(__VA_ARGS__))
#define DOCTOR(...)               parse(CS_PROGRAM_DOCTOR, WORDS(__VA_ARGS__), COUNT(__VA_ARGS__))
#define REFUSED(part, ...)        refused(CS_PROGRAM_SETUP, part, WORDS(__VA_ARGS__), COUNT(__VA_ARGS__))
#define DOCTOR_REFUSED(part, ...) refused(CS_PROGRAM_DOCTOR, part, WORDS(__VA_ARGS__), COUNT(__VA_ARGS__))

#define ID "0123456789abcdef0123456789abcdef"

static cs_options parse(cs_program program, const char *const *words, size_t count) {
    cs_options options;
    cs_error error = {0};
    cs_status status = cs_options_parse(program, words, count, &options, &error);
    if (status) print_error("%s: %s\n", error.path, error.detail);
    assert_int_equal(status, CS_OK);
    return options;
}

/* The line is refused with 1639, and the sentence or the word it names holds part. */
static void refused(cs_program program, const char *part, const char *const *words, size_t count) {
    cs_options options;
    cs_error error = {0};
    assert_int_equal(cs_options_parse(program, words, count, &options, &error), CS_E_USAGE);
    assert_int_equal(cs_exit_code(error.status), 1639);
    if (!strstr(error.detail, part) && !strstr(error.path, part))
        fail_msg("\"%s\" not in: %s: %s", part, error.path, error.detail);
    assert_null(options.archive);
    assert_null(options.cuda);
    cs_options_free(&options);
}

/* Where the result goes is kept of a bad command line, whether it stands before the bad word or behind it. */
static void test_options_bad_line_keeps_its_outputs(void **state) {
    (void)state;
    static const char *const words[] = {"/json:r.json", "/uninstall", "/log",           "l.log",
                                        "/bogus",       "/quiet",     "/report=p.html", "/json:s"};
    cs_options o;
    cs_error error = {0};
    assert_int_equal(cs_options_parse(CS_PROGRAM_SETUP, words, sizeof words / sizeof words[0], &o, &error), CS_E_USAGE);
    assert_string_equal(error.path, "/bogus");
    assert_string_equal(o.json, "r.json");
    assert_string_equal(o.log, "l.log");
    assert_string_equal(o.report, "p.html");
    assert_int_equal(o.ui, CS_UI_QUIET);
    assert_true(o.verb_given);
    assert_int_equal(o.verb, CS_VERB_UNINSTALL);
    cs_options_free(&o);
    static const char *const bad[] = {"/json:C:\\dir\" /quiet"};
    assert_int_equal(cs_options_parse(CS_PROGRAM_SETUP, bad, 1, &o, &error), CS_E_USAGE);
    assert_null(o.json);
    assert_false(o.verb_given);
    cs_options_free(&o);
}

static void test_options_nothing_is_install(void **state) {
    (void)state;
    cs_options o;
    assert_int_equal(cs_options_parse(CS_PROGRAM_SETUP, NULL, 0, &o, NULL), CS_OK);
    assert_int_equal(o.verb, CS_VERB_INSTALL);
    assert_false(o.verb_given);
    assert_int_equal(o.ui, CS_UI_FULL);
    assert_int_equal(o.env, CS_ENV_ALL);
    assert_int_equal(o.selftest, CS_SELFTEST_AUTO);
    assert_false(o.cudapath_take || o.inuse_aside || o.unverified_accept || o.force || o.dryrun || o.norestart);
    cs_options_free(&o);
}

static void test_options_doctor_without_verb_diagnoses(void **state) {
    (void)state;
    cs_options o;
    assert_int_equal(cs_options_parse(CS_PROGRAM_DOCTOR, NULL, 0, &o, NULL), CS_OK);
    assert_int_equal(o.verb, CS_VERB_DIAGNOSE);
    cs_options_free(&o);
}

static void test_options_every_spelling(void **state) {
    (void)state;
    static const char *const lines[][2] = {{"/cuda:C:\\x", NULL}, {"-cuda:C:\\x", NULL}, {"--cuda=C:\\x", NULL},
                                           {"/CuDa=C:\\x", NULL}, {"/cuda", "C:\\x"},    {"--CUDA", "C:\\x"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cs_options o = parse(CS_PROGRAM_SETUP, lines[i], lines[i][1] ? 2 : 1);
        assert_string_equal(o.cuda, "C:\\x");
        cs_options_free(&o);
    }
}

static void test_options_value_keeps_colons_and_equals(void **state) {
    (void)state;
    cs_options o = SETUP("/archive:C:\\a=b;c\\x.zip", "--cuda=D:\\v=1:2");
    assert_string_equal(o.archive, "C:\\a=b;c\\x.zip");
    assert_string_equal(o.cuda, "D:\\v=1:2");
    cs_options_free(&o);
}

static void test_options_value_keeps_every_byte(void **state) {
    (void)state;
    cs_options o = SETUP("/archive", "C:\\\xE4\xB8\x8B\xE8\xBD\xBD [x] & %y%!^';\\Z.zip");
    assert_string_equal(o.archive, "C:\\\xE4\xB8\x8B\xE8\xBD\xBD [x] & %y%!^';\\Z.zip");
    cs_options_free(&o);
}

static void test_options_value_after_a_separator_may_start_like_an_option(void **state) {
    (void)state;
    cs_options o = SETUP("/cuda:/opt/cuda", "/archive:-x.zip");
    assert_string_equal(o.cuda, "/opt/cuda");
    assert_string_equal(o.archive, "-x.zip");
    cs_options_free(&o);
}

static void test_options_every_install_option(void **state) {
    (void)state;
    cs_options o = SETUP("/install", "/quiet", "/archive:a.zip", "/cuda:c", "/manifest:m", "/log:l", "/json:j", "/lang:ZH-cn",
                         "/norestart", "/env:path", "/selftest:require", "/inuse:aside", "/unverified:accept",
                         "/selftest-as:current", "/report:r", "/force", "/dryrun");
    assert_true(o.verb_given);
    assert_int_equal(o.ui, CS_UI_QUIET);
    assert_string_equal(o.archive, "a.zip");
    assert_string_equal(o.cuda, "c");
    assert_string_equal(o.manifest, "m");
    assert_string_equal(o.log, "l");
    assert_string_equal(o.json, "j");
    assert_string_equal(o.lang, "zh-CN");
    assert_string_equal(o.report, "r");
    assert_int_equal(o.env, CS_ENV_PATH);
    assert_int_equal(o.selftest, CS_SELFTEST_REQUIRE);
    assert_true(o.norestart && o.inuse_aside && o.unverified_accept && o.selftest_as_current && o.force && o.dryrun);
    cs_options_free(&o);
}

static void test_options_every_choice(void **state) {
    (void)state;
    cs_options o = SETUP("/env:NONE", "/cudapath:keep", "/selftest:skip", "/inuse:fail", "/passive", "/lang:en");
    assert_int_equal(o.env, CS_ENV_NONE);
    assert_int_equal(o.selftest, CS_SELFTEST_SKIP);
    assert_int_equal(o.ui, CS_UI_PASSIVE);
    assert_false(o.cudapath_take || o.inuse_aside);
    assert_string_equal(o.lang, "en");
    cs_options_free(&o);
    o = SETUP("/env:all", "/cudapath:take", "/selftest:auto");
    assert_int_equal(o.env, CS_ENV_ALL);
    assert_true(o.cudapath_take);
    assert_int_equal(o.selftest, CS_SELFTEST_AUTO);
    cs_options_free(&o);
}

typedef struct verb_word {
    const char *word;
    cs_verb verb;
} verb_word;

static void test_options_every_verb_of_setup(void **state) {
    (void)state;
    static const verb_word verbs[] = {
        {"/install", CS_VERB_INSTALL}, {"/uninstall", CS_VERB_UNINSTALL}, {"/rollback", CS_VERB_ROLLBACK},
        {"/repair", CS_VERB_REPAIR},   {"/recover", CS_VERB_RECOVER},     {"/forget", CS_VERB_FORGET},
        {"/verify", CS_VERB_VERIFY},   {"--status", CS_VERB_STATUS},      {"-UNINSTALL", CS_VERB_UNINSTALL}};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        cs_options o = parse(CS_PROGRAM_SETUP, &verbs[i].word, 1);
        assert_int_equal(o.verb, verbs[i].verb);
        assert_true(o.verb_given);
        cs_options_free(&o);
    }
}

static void test_options_doctor_verbs_with_and_without_slash(void **state) {
    (void)state;
    static const verb_word verbs[] = {{"verify", CS_VERB_VERIFY},
                                      {"/verify", CS_VERB_VERIFY},
                                      {"Status", CS_VERB_STATUS},
                                      {"search-order", CS_VERB_SEARCH_ORDER},
                                      {"--detect", CS_VERB_DETECT}};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        cs_options o = parse(CS_PROGRAM_DOCTOR, &verbs[i].word, 1);
        assert_int_equal(o.verb, verbs[i].verb);
        cs_options_free(&o);
    }
}

static void test_options_seal_takes_the_next_word(void **state) {
    (void)state;
    cs_options o = DOCTOR("seal", "D:\\renamed.bin", "/manifest:m.json", "/out:x.json");
    assert_int_equal(o.verb, CS_VERB_SEAL);
    assert_string_equal(o.archive, "D:\\renamed.bin");
    assert_string_equal(o.manifest, "m.json");
    assert_string_equal(o.out, "x.json");
    cs_options_free(&o);
}

static void test_options_needs_takes_the_next_word(void **state) {
    (void)state;
    cs_options o = DOCTOR("needs", "D:\\cuda\\bin");
    assert_int_equal(o.verb, CS_VERB_NEEDS);
    assert_string_equal(o.dll, "D:\\cuda\\bin");
    assert_null(o.archive);
    cs_options_free(&o);
    static const char *const lines[][3] = {{"needs"}, {"needs", "a.dll", "b.dll"}, {"a.dll", "needs"}, {"status", "/dll:a.dll"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cs_error error = {0};
        size_t count = 0;
        while (count < 3 && lines[i][count]) count++;
        assert_int_equal(cs_options_parse(CS_PROGRAM_DOCTOR, lines[i], count, &o, &error), CS_E_USAGE);
        cs_options_free(&o);
    }
}

static void test_options_dropped_zip_is_the_archive(void **state) {
    (void)state;
    cs_options o = SETUP("C:\\Users\\x\\Downloads\\cuDNN.ZIP");
    assert_int_equal(o.verb, CS_VERB_INSTALL);
    assert_string_equal(o.archive, "C:\\Users\\x\\Downloads\\cuDNN.ZIP");
    cs_options_free(&o);
}

static void test_options_tree_id_is_lower_case(void **state) {
    (void)state;
    cs_options o = SETUP("/uninstall", "/tree:0123456789ABCDEF0123456789abcdef");
    assert_string_equal(o.tree, ID);
    cs_options_free(&o);
}

static void test_options_lines_that_setup_registers(void **state) {
    (void)state;
    cs_options o = SETUP("/uninstall", "/tree:" ID, "/quiet");
    assert_int_equal(o.verb, CS_VERB_UNINSTALL);
    assert_int_equal(o.ui, CS_UI_QUIET);
    cs_options_free(&o);
    o = SETUP("/recover", "/quiet");
    assert_int_equal(o.verb, CS_VERB_RECOVER);
    cs_options_free(&o);
}

static void test_options_help_wins(void **state) {
    (void)state;
    static const char *const words[] = {"/?", "-?", "--help", "-h", "/HELP"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        cs_options o = SETUP("/uninstall", words[i], "/env:none");
        assert_int_equal(o.verb, CS_VERB_HELP);
        cs_options_free(&o);
    }
}

static void test_options_unknown_words(void **state) {
    (void)state;
    REFUSED("no such option", "/quite");
    REFUSED("no such option", "--");
    REFUSED("no such option", "/");
    REFUSED("no such option", "/arch:x.zip");
    REFUSED("no such option", "/archives:x.zip");
    REFUSED("neither an option", "install");
    REFUSED("neither an option", "x.tgz");
    REFUSED("neither an option", "");
    DOCTOR_REFUSED("neither an option", "seel", "x.zip");
}

static void test_options_of_another_program(void **state) {
    (void)state;
    REFUSED("no such option", "/seal");
    REFUSED("no such option", "/out:x");
    DOCTOR_REFUSED("no such option", "/install");
    DOCTOR_REFUSED("no such option", "verify", "/dryrun");
    refused(CS_PROGRAM_PROBE, "no such option", WORDS("/quiet"), 1);
    refused(CS_PROGRAM_PROBE, "no such option", WORDS("/?"), 1);
}

static void test_options_probe(void **state) {
    (void)state;
    cs_options o = parse(CS_PROGRAM_PROBE, WORDS("/selftest-as:current"), 1);
    assert_int_equal(o.verb, CS_VERB_PROBE);
    assert_true(o.selftest_as_current);
    cs_options_free(&o);
}

static void test_options_missing_values(void **state) {
    (void)state;
    static const char *const names[] = {"/archive",  "/cuda",     "/manifest", "/log",    "/json", "/lang",       "/env",
                                        "/cudapath", "/selftest", "/inuse",    "/report", "/tree", "/unverified", "/selftest-as"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        refused(CS_PROGRAM_SETUP, "the value is missing", &names[i], 1);
        REFUSED("is an option", names[i], "/quiet");
        REFUSED("is an option", names[i], "-quiet");
        cs_buffer word = {0};
        cs_buffer_format(&word, "%s:", names[i]);
        REFUSED("the value is missing", cs_buffer_string(&word));
        REFUSED("the value is missing", names[i], "");
        cs_buffer_free(&word);
    }
    DOCTOR_REFUSED("the value is missing", "seal", "x.zip", "/out");
}

static void test_options_values_where_none_belong(void **state) {
    (void)state;
    static const char *const words[] = {"/quiet:yes",   "/passive=1",   "/force:",      "/dryrun:x",
                                        "/norestart:0", "/install:now", "/verify:C:\\x"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) refused(CS_PROGRAM_SETUP, "takes no value", &words[i], 1);
}

static void test_options_flags_swallow_no_word(void **state) {
    (void)state;
    REFUSED("neither an option", "/quiet", "yes");
    REFUSED("no .zip archive", "/norestart", "C:\\x");
    REFUSED("no .zip archive", "C:\\Users\\me\\cudnn.tgz");
    DOCTOR_REFUSED("neither an option", "C:\\x");
}

static void test_options_wrong_choices(void **state) {
    (void)state;
    REFUSED("all|path|none", "/env:some");
    REFUSED("all|path|none", "/env:al");
    REFUSED("all|path|none", "/env:all|path");
    REFUSED("keep|take", "/cudapath:give");
    REFUSED("auto|require|skip", "/selftest", "no");
    REFUSED("fail|aside", "/inuse:kill");
    REFUSED("accept", "/unverified:yes");
    REFUSED("current", "/selftest-as:system");
    REFUSED("en|zh-CN", "/lang:de");
}

static void test_options_wrong_tree_ids(void **state) {
    (void)state;
    REFUSED("32 hexadecimal", "/uninstall", "/tree:0123");
    REFUSED("32 hexadecimal", "/uninstall", "/tree:0123456789abcdef0123456789abcdeg");
    REFUSED("32 hexadecimal", "/uninstall", "/tree:" ID "0");
    REFUSED("32 hexadecimal", "/uninstall", "/tree:..\\..\\x");
}

static void test_options_duplicates(void **state) {
    (void)state;
    REFUSED("is given twice", "/quiet", "-QUIET");
    REFUSED("is given twice", "/archive:a.zip", "/archive:a.zip");
    REFUSED("is given twice", "/log:a", "--log=b");
    REFUSED("is given twice", "/env:all", "/env:none");
    REFUSED("is given twice", "/uninstall", "/uninstall");
    REFUSED("second archive", "/archive:a.zip", "b.zip");
    REFUSED("is given twice", "b.zip", "/archive:a.zip");
    REFUSED("second archive", "a.zip", "b.zip");
}

static void test_options_conflicts(void **state) {
    (void)state;
    REFUSED("/install stands before it", "/install", "/uninstall");
    REFUSED("/verify stands before it", "/verify", "/status");
    REFUSED("contradict", "/quiet", "/passive");
    REFUSED("both name the installation", "/uninstall", "/cuda:x", "/tree:" ID);
    REFUSED("needs /env:all", "/cudapath:take", "/env:none");
    REFUSED("needs /env:all", "/cudapath:take", "/env:path");
    DOCTOR_REFUSED("/status stands before it", "status", "verify");
}

static void test_options_meaningless_for_the_verb(void **state) {
    (void)state;
    static const char *const lines[][2] = {{"/uninstall", "/archive:a.zip"},   {"/uninstall", "a.zip"},
                                           {"/uninstall", "/manifest:m"},      {"/uninstall", "/env:none"},
                                           {"/uninstall", "/selftest:skip"},   {"/verify", "/dryrun"},
                                           {"/verify", "/inuse:aside"},        {"/status", "/force"},
                                           {"/recover", "/inuse:aside"},       {"/recover", "/cuda:x"},
                                           {"/forget", "/archive:a.zip"},      {"/rollback", "/unverified:accept"},
                                           {"/repair", "/cudapath:take"},      {"/recover", "/force"},
                                           {"/rollback", "/selftest:require"}, {"/rollback", "/selftest-as:current"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) refused(CS_PROGRAM_SETUP, "does not go with", lines[i], 2);
    REFUSED("does not go with /recover", "/recover", "/tree:" ID);
    DOCTOR_REFUSED("does not go with seal", "seal", "a.zip", "/out:x", "/cuda:y");
    DOCTOR_REFUSED("does not go with verify", "verify", "a.zip");
    DOCTOR_REFUSED("does not go with the diagnosis", "/out:x");
}

static void test_options_seal_needs_archive_and_out(void **state) {
    (void)state;
    DOCTOR_REFUSED("the archive is missing", "seal", "/out:x");
    DOCTOR_REFUSED("the new manifest is missing", "seal", "a.zip");
}

static void test_options_quotation_mark_is_explained(void **state) {
    (void)state;
    REFUSED("closing quotation mark", "/cuda:C:\\dir\" /quiet");
    REFUSED("closing quotation mark", "/cuda", "C:\\dir\" /quiet");
    REFUSED("closing quotation mark", "C:\\dir\" a.zip");
    REFUSED("closing quotation mark", "/quiet\"");
}

static void test_options_out_of_memory_is_not_usage(void **state) {
    (void)state;
    cs_options o;
    cs_alloc_fail_at(1);
    assert_int_equal(cs_options_parse(CS_PROGRAM_SETUP, WORDS("/cuda:x"), 1, &o, NULL), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    assert_null(o.cuda);
}

static void test_options_help_lists_what_is_accepted(void **state) {
    (void)state;
    cs_buffer help = {0};
    cs_options_help(CS_PROGRAM_SETUP, &help);
    static const char *const parts[] = {"/install ", "/archive:ZIP", "/env:all|path|none", "/selftest:auto|require|skip",
                                        "/?",        "1642  "};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) assert_non_null(strstr(cs_buffer_string(&help), parts[i]));
    assert_null(strstr(cs_buffer_string(&help), "/seal"));
    size_t codes = 0;
    const char *line = strstr(cs_buffer_string(&help), "Exit codes:\n");
    assert_non_null(line);
    for (; (line = strchr(line, '\n')) && line[1]; line++) codes++;
    assert_int_equal(codes, 15);
    cs_buffer_free(&help);
    cs_options_help(CS_PROGRAM_DOCTOR, &help);
    assert_non_null(strstr(cs_buffer_string(&help), "/search-order"));
    assert_null(strstr(cs_buffer_string(&help), "/uninstall"));
    cs_buffer_free(&help);
}

/* Every line of options starts its explanation in the same column, and none is wider than 120 characters. */
static void test_options_help_is_aligned(void **state) {
    (void)state;
    cs_buffer help = {0};
    cs_options_help(CS_PROGRAM_SETUP, &help);
    size_t column = 0;
    for (const char *line = cs_buffer_string(&help); *line; line = strchr(line, '\n') + 1) {
        size_t size = strcspn(line, "\n");
        assert_in_range(size, 0, 120);
        if (strncmp(line, "  /", 3) != 0) continue;
        size_t at = strcspn(line + 2, " ") + 2;
        while (line[at] == ' ') at++;
        if (!column) column = at;
        assert_int_equal(at, column);
    }
    assert_true(column > 20);
    cs_buffer_free(&help);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_bad_line_keeps_its_outputs),
        cmocka_unit_test(test_options_nothing_is_install),
        cmocka_unit_test(test_options_doctor_without_verb_diagnoses),
        cmocka_unit_test(test_options_every_spelling),
        cmocka_unit_test(test_options_value_keeps_colons_and_equals),
        cmocka_unit_test(test_options_value_keeps_every_byte),
        cmocka_unit_test(test_options_value_after_a_separator_may_start_like_an_option),
        cmocka_unit_test(test_options_every_install_option),
        cmocka_unit_test(test_options_every_choice),
        cmocka_unit_test(test_options_every_verb_of_setup),
        cmocka_unit_test(test_options_doctor_verbs_with_and_without_slash),
        cmocka_unit_test(test_options_seal_takes_the_next_word),
        cmocka_unit_test(test_options_needs_takes_the_next_word),
        cmocka_unit_test(test_options_dropped_zip_is_the_archive),
        cmocka_unit_test(test_options_tree_id_is_lower_case),
        cmocka_unit_test(test_options_lines_that_setup_registers),
        cmocka_unit_test(test_options_help_wins),
        cmocka_unit_test(test_options_unknown_words),
        cmocka_unit_test(test_options_of_another_program),
        cmocka_unit_test(test_options_probe),
        cmocka_unit_test(test_options_missing_values),
        cmocka_unit_test(test_options_values_where_none_belong),
        cmocka_unit_test(test_options_flags_swallow_no_word),
        cmocka_unit_test(test_options_wrong_choices),
        cmocka_unit_test(test_options_wrong_tree_ids),
        cmocka_unit_test(test_options_duplicates),
        cmocka_unit_test(test_options_conflicts),
        cmocka_unit_test(test_options_meaningless_for_the_verb),
        cmocka_unit_test(test_options_seal_needs_archive_and_out),
        cmocka_unit_test(test_options_quotation_mark_is_explained),
        cmocka_unit_test(test_options_out_of_memory_is_not_usage),
        cmocka_unit_test(test_options_help_lists_what_is_accepted),
        cmocka_unit_test(test_options_help_is_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
