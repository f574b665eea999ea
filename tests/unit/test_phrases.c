#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/phrases.h"
#include "cudnn_setup/text.h"

/* The fields of a phrase, each once, in the order of their names: "{a}{b}". */
static void fields_of(const char *text, cs_buffer *out) {
    cs_strings names = {0};
    for (const char *at = text; (at = strchr(at, '{')) != NULL; at++) {
        cs_buffer name = {0};
        cs_buffer_append(&name, at, strcspn(at, "}") + 1);
        size_t i = 0;
        while (i < names.count && strcmp(names.items[i], name.data) != 0) i++;
        if (i == names.count) assert_int_equal(cs_strings_add(&names, name.data, NULL), CS_OK);
        cs_buffer_free(&name);
    }
    for (size_t i = 0; i < names.count; i++)
        for (size_t k = i + 1; k < names.count; k++)
            if (strcmp(names.items[i], names.items[k]) > 0) {
                char *item = names.items[i];
                names.items[i] = names.items[k];
                names.items[k] = item;
            }
    for (size_t i = 0; i < names.count; i++) cs_buffer_text(out, names.items[i]);
    cs_strings_free(&names);
}

static void test_phrases_are_all_there_in_both_languages(void **state) {
    (void)state;
    for (int i = 0; i < CS_PHRASE_COUNT; i++)
        for (int language = 0; language < CS_LANGUAGE_COUNT; language++) {
            const char *text = cs_phrase_text((cs_phrase)i, (cs_language)language);
            if (!*text) fail_msg("phrase %d is missing in language %d", i, language);
            assert_true(cs_utf8_valid(text, strlen(text)));
        }
    assert_string_equal(cs_phrase_text(CS_PHRASE_COUNT, CS_ENGLISH), "");
}

static void test_phrases_have_the_same_fields_in_both_languages(void **state) {
    (void)state;
    for (int i = 0; i < CS_PHRASE_COUNT; i++) {
        cs_buffer english = {0}, chinese = {0};
        fields_of(cs_phrase_text((cs_phrase)i, CS_ENGLISH), &english);
        fields_of(cs_phrase_text((cs_phrase)i, CS_CHINESE), &chinese);
        if (strcmp(cs_buffer_string(&english), cs_buffer_string(&chinese)) != 0)
            fail_msg("phrase %d: %s and %s", i, cs_buffer_string(&english), cs_buffer_string(&chinese));
        cs_buffer_free(&english);
        cs_buffer_free(&chinese);
    }
}

/* The same letter in both languages, so that people who know one find it in the other; in Chinese it stands in brackets. */
static void test_phrases_have_the_same_keys_in_both_languages(void **state) {
    (void)state;
    size_t with = 0;
    for (int i = 0; i < CS_PHRASE_COUNT; i++) {
        const char *english = strchr(cs_phrase_text((cs_phrase)i, CS_ENGLISH), '&');
        const char *chinese = strchr(cs_phrase_text((cs_phrase)i, CS_CHINESE), '&');
        if (english && english[1] == ' ') english = NULL; /* "Apps & Features" in a text */
        if (!english && !chinese) continue;
        with++;
        if (!english || !chinese || (english[1] | 32) != (chinese[1] | 32) || chinese[-1] != '(' || chinese[2] != ')')
            fail_msg("phrase %d: %s and %s", i, cs_phrase_text((cs_phrase)i, CS_ENGLISH),
                     cs_phrase_text((cs_phrase)i, CS_CHINESE));
    }
    assert_true(with >= 15);
}

/* What stands on one page may not share a letter. */
static void test_phrases_do_not_share_keys_on_a_page(void **state) {
    (void)state;
    static const cs_phrase pages[][16] = {
        {CS_SAY_INSTALL, CS_SAY_CHECK_AGAIN, CS_SAY_CHOOSE_ARCHIVE, CS_SAY_CHOOSE_TOOLKIT, CS_SAY_WHAT_CHANGES, CS_SAY_LICENCE,
         CS_SAY_TOOLKIT_LIST, CS_SAY_TAKE_CUDA_PATH, CS_SAY_UNINSTALL, CS_SAY_ROLL_BACK, CS_SAY_UNVERIFIED, CS_SAY_COPY_DETAILS},
        {CS_SAY_RECOVER, CS_SAY_CHECK_AGAIN, CS_SAY_COPY_DETAILS},
        {CS_SAY_VERIFY, CS_SAY_REPAIR, CS_SAY_ROLL_BACK, CS_SAY_UNINSTALL, CS_SAY_TEST_GPU, CS_SAY_COPY_DETAILS,
         CS_SAY_CHOOSE_TOOLKIT, CS_SAY_CHOOSE_ARCHIVE, CS_SAY_CHECK_AGAIN, CS_SAY_TOOLKIT_LIST},
        {CS_SAY_OPEN_REPORT, CS_SAY_COPY_DETAILS, CS_SAY_TRY_AGAIN, CS_SAY_REPAIR, CS_SAY_CHECK_AGAIN, CS_SAY_CHOOSE_ARCHIVE,
         CS_SAY_CHOOSE_TOOLKIT}};
    for (size_t p = 0; p < sizeof pages / sizeof pages[0]; p++) {
        char seen[32] = "";
        for (size_t i = 0; i < 16 && pages[p][i]; i++) {
            char key = (char)(strchr(cs_phrase_text(pages[p][i], CS_ENGLISH), '&')[1] | 32);
            if (strchr(seen, key)) fail_msg("page %zu: two of '%c'", p, key);
            seen[strlen(seen)] = key;
        }
    }
}

/* The house's words: no shouting, no begging, no blaming. */
static void test_phrases_keep_the_tone(void **state) {
    (void)state;
    static const char *const never[] = {"!",  "lease ", "error occurred", "Oops", "Sorry", "sorry", "successfully",
                                        "！", "抱歉",   "成功地"};
    for (int i = 0; i < CS_PHRASE_COUNT; i++)
        for (int language = 0; language < CS_LANGUAGE_COUNT; language++)
            for (size_t n = 0; n < sizeof never / sizeof never[0]; n++)
                if (strstr(cs_phrase_text((cs_phrase)i, (cs_language)language), never[n]))
                    fail_msg("phrase %d says \"%s\"", i, never[n]);
}

static void test_phrases_fill_in_fields(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_say(&out, CS_SAY_AMOUNT, CS_ENGLISH, "total", "696.9 MB", "done", "421.0 MB", NULL);
    assert_string_equal(cs_buffer_string(&out), "421.0 MB of 696.9 MB");
    cs_buffer_clear(&out);
    cs_say(&out, CS_SAY_DOING_INSTALL, CS_CHINESE, "version", "8.0.3", NULL);
    assert_string_equal(cs_buffer_string(&out), "正在安装 cuDNN 8.0.3");
    cs_buffer_clear(&out);
    cs_say(&out, CS_SAY_AMOUNT, CS_ENGLISH, "done", "{total}", "total", NULL, NULL);
    assert_string_equal(cs_buffer_string(&out), "{total} of ?");
    cs_buffer_free(&out);
}

static void test_phrases_know_every_exit_code(void **state) {
    (void)state;
    static const int codes[] = {CS_EXIT_DIFFERS,      CS_EXIT_NO_SPACE,    CS_EXIT_RIGHTS, CS_EXIT_CANCELLED, CS_EXIT_FAILED,
                                CS_EXIT_PENDING,      CS_EXIT_NOTHING,     CS_EXIT_BUSY,   CS_EXIT_PLATFORM,  CS_EXIT_NEWER,
                                CS_EXIT_ARCHIVE_OPEN, CS_EXIT_ARCHIVE_BAD, CS_EXIT_USAGE,  CS_EXIT_TOOLKIT};
    for (int language = 0; language < CS_LANGUAGE_COUNT; language++)
        for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
            const char *meaning = cs_say_exit(codes[i], (cs_language)language);
            assert_true(*meaning);
            assert_true(*cs_say_exit_advice(codes[i], (cs_language)language));
            if (codes[i] != CS_EXIT_FAILED) assert_string_not_equal(meaning, cs_say_exit(CS_EXIT_FAILED, (cs_language)language));
        }
    assert_string_equal(cs_say_exit(CS_EXIT_OK, CS_CHINESE), "完成");
    assert_string_equal(cs_say_exit_advice(CS_EXIT_OK, CS_ENGLISH), "");
    assert_string_equal(cs_say_exit(4711, CS_ENGLISH), cs_say_exit(CS_EXIT_FAILED, CS_ENGLISH));
}

static void test_phrases_choose_a_language_by_its_tag(void **state) {
    (void)state;
    static const char *const chinese[] = {"zh-CN", "zh", "ZH-cn", "zh-Hans-SG", "zh-SG", "zh-Hans"};
    static const char *const english[] = {"en", "en-US", "de-DE", "zh-TW", "zh-Hant-HK", "zh-HK", "zha", "", "z"};
    for (size_t i = 0; i < sizeof chinese / sizeof chinese[0]; i++) assert_int_equal(cs_language_of_tag(chinese[i]), CS_CHINESE);
    for (size_t i = 0; i < sizeof english / sizeof english[0]; i++) assert_int_equal(cs_language_of_tag(english[i]), CS_ENGLISH);
    assert_int_equal(cs_language_of_tag(NULL), CS_ENGLISH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phrases_are_all_there_in_both_languages),
        cmocka_unit_test(test_phrases_have_the_same_fields_in_both_languages),
        cmocka_unit_test(test_phrases_have_the_same_keys_in_both_languages),
        cmocka_unit_test(test_phrases_do_not_share_keys_on_a_page),
        cmocka_unit_test(test_phrases_keep_the_tone),
        cmocka_unit_test(test_phrases_fill_in_fields),
        cmocka_unit_test(test_phrases_know_every_exit_code),
        cmocka_unit_test(test_phrases_choose_a_language_by_its_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
