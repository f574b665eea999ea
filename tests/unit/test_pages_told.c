/* What pages say of refusals, to somebody who has a window and no command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../src/core/pages_internal.h"
#include "verb_case.h"

static void test_pages_told_advice_names_no_option(void **state) {
    (void)state;
    static const struct {
        const char *said, *shown;
    } rows[] = {
        {"It holds cuDNN 8.2.1, which is newer than 8.0.3.33. /force replaces it. Nothing was changed",
         "It holds cuDNN 8.2.1, which is newer than 8.0.3.33. Nothing was changed"},
        {"its drive is not there: connect it, or use /force to give up what lies on it. Nothing was changed.",
         "its drive is not there: connect it. Nothing was changed."},
        {"nothing vouches for it. Its sealed manifest (/manifest:FILE) would; /install /unverified:accept takes it unverified",
         "nothing vouches for it."},
        {"Older files kept in .cudnn-setup: 3; /status names them, /forget /force drops them.",
         "Older files kept in .cudnn-setup: 3."},
        {"cannot open C:\\a\\b.zip: include/cudnn.h and 12 MB/s; and so on",
         "cannot open C:\\a\\b.zip: include/cudnn.h and 12 MB/s; and so on"},
        {"No toolkit:\n  C:\\x (/cuda): not usable\nInstall CUDA 10.1, or name its folder with /cuda:DIR. Nothing was changed.",
         "No toolkit:\n  C:\\x (/cuda): not usable\nInstall CUDA 10.1. Nothing was changed."},
        {"较新的版本，或使用 /force 替换。未作更改。", "较新的版本。未作更改。"},
        {"It is not finished yet; /recover goes on, or the next start of Windows does; wait.", "It is not finished yet; wait."},
        {"/recover goes on", "/recover goes on"}, /* nothing else is there to say */
        {"one\n\ntwo.", "one\n\ntwo."},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        page_told(&out, rows[i].said, CS_ENGLISH);
        assert_string_equal(cs_buffer_string(&out), rows[i].shown);
        cs_buffer_free(&out);
    }
}

/* Options are for exit codes, logs and quiet runs: what stands on a page has a button. */
static void test_pages_told_phrases_name_no_option(void **state) {
    (void)state;
    for (int i = 0; i < CS_PHRASE_COUNT; i++)
        for (int language = 0; language < CS_LANGUAGE_COUNT; language++) {
            const char *text = cs_phrase_text((cs_phrase)i, (cs_language)language);
            for (size_t k = 0; text[k] && i != CS_SAY_GUIDE_FIRST; k++)
                if (text[k] == '/' && text[k + 1] >= 'a' && text[k + 1] <= 'z' && (k == 0 || text[k - 1] == ' '))
                    fail_msg("phrase %d: %s", i, text);
        }
}

static const cs_page_row *row(const cs_page *page, cs_phrase name) {
    for (size_t i = 0; i < page->row_count; i++)
        if (strcmp(page->rows[i].name, cs_phrase_text(name, page->language)) == 0) return &page->rows[i];
    fail_msg("no row %s", cs_phrase_text(name, page->language));
    return NULL;
}

static void look(verb_case *c, const char *cuda, cs_survey *machine) {
    cs_options options = c->options;
    options.archive = (char *)(uintptr_t)(VERB_MEDIA "\\p803.zip");
    options.manifest = (char *)(uintptr_t)(VERB_MEDIA "\\p803.json");
    options.cuda = (char *)(uintptr_t)cuda;
    *machine = (cs_survey){0};
    cs_survey_look(c->host, &options, machine);
}

#define SAYS(page, name, text) assert_non_null(strstr(cs_buffer_string(&row(page, name)->sentence), text))

/* A folder that is chosen is judged as one that /cuda names: the same reasons, and nothing else is taken in its place. */
static void test_pages_told_of_a_chosen_folder(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    look(&c, "C:\\Users\\me\\Downloads", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(machine.status, CS_E_TOOLKIT);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_CUDA)->found), "C:\\Users\\me\\Downloads");
    SAYS(&page, CS_SAY_ROW_CUDA,
         "C:\\Users\\me\\Downloads cannot be used: the folder does not exist. Choose the folder of CUDA 10.1");
    assert_int_equal(page.primary, CS_OFFER_TOOLKIT);
    assert_true(page.offers & CS_OFFER_TOOLKIT && page.offers & CS_OFFER_CHECK_AGAIN && !(page.offers & CS_OFFER_INSTALL));
    cs_survey_free(&machine);
    look(&c, VERB_TREE, &machine);
    cs_page_ready(&machine, CS_CHINESE, &page);
    assert_int_equal(page.primary, CS_OFFER_INSTALL);
    assert_true(page.offers & CS_OFFER_TOOLKIT); /* the one that is wanted may be another */
    SAYS(&page, CS_SAY_ROW_CUDA, "将安装到 " VERB_TREE);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_told_where_no_toolkit_is(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_reg_delete(c.machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1");
    assert_true(memory_host_delete(c.machine, "C:\\CUDA"));
    look(&c, NULL, &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(machine.status, CS_E_TOOLKIT);
    assert_int_equal(row(&page, CS_SAY_ROW_CUDA)->mark, CS_MARK_BAD);
    SAYS(&page, CS_SAY_ROW_CUDA, "Install CUDA 10.1 from NVIDIA, then check again");
    SAYS(&page, CS_SAY_ROW_CUDA, "\\CUDA\\v10.1: the folder does not exist"); /* where it was looked for, and what is there */
    assert_true(page.offers & CS_OFFER_TOOLKIT);
    assert_int_equal(page.primary, CS_OFFER_CHECK_AGAIN);
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_NOTE); /* not looked at */
    assert_non_null(strstr(page.line.data, "the row marked \"Stops it\""));
    for (size_t i = 0; i < page.row_count; i++) /* there is no place for one */
        assert_ptr_not_equal(page.rows[i].name, cs_phrase_text(CS_SAY_ROW_CUDNN, CS_ENGLISH));
    cs_free(machine.archive);
    machine.archive = NULL;
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_non_null(strstr(page.line.data, "rows marked")); /* neither is there */
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_told_of_a_newer_cudnn(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "include/cudnn_version.h", "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1\n");
    look(&c, NULL, &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(machine.status, CS_E_NEWER);
    SAYS(&page, CS_SAY_ROW_CUDNN, "cuDNN 8.2.1 is in this toolkit already");
    SAYS(&page, CS_SAY_ROW_CUDNN, "choose its folder");
    assert_true(page.offers & CS_OFFER_TOOLKIT && !(page.offers & CS_OFFER_UNINSTALL));
    cs_survey_free(&machine);
    assert_true(memory_host_delete(c.machine, VERB_TREE "\\include\\cudnn_version.h"));
    verb_case_package(&c, "p821", "8.2.1.32", 8201, "821", false);
    assert_int_equal(verb_case_install(&c, "p821"), 0);
    verb_case_put(&c, "include/cudnn_version.h", "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1\n");
    look(&c, NULL, &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    SAYS(&page, CS_SAY_ROW_CUDNN, "Uninstall takes it out");
    assert_true(page.offers & CS_OFFER_UNINSTALL);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

/* What a window can be asked to undo without naming it. */
static void test_pages_told_what_is_installed(void **state) {
    (void)state;
    verb_case c;
    cs_strings trees = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    cs_survey_installed(c.host, &c.options, &trees);
    assert_int_equal(trees.count, 0);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    cs_survey_installed(c.host, &c.options, &trees);
    assert_int_equal(trees.count, 1);
    assert_string_equal(trees.items[0], VERB_TREE);
    cs_strings_free(&trees);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_told_advice_names_no_option), cmocka_unit_test(test_pages_told_phrases_name_no_option),
        cmocka_unit_test(test_pages_told_of_a_chosen_folder),     cmocka_unit_test(test_pages_told_where_no_toolkit_is),
        cmocka_unit_test(test_pages_told_of_a_newer_cudnn),       cmocka_unit_test(test_pages_told_what_is_installed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
