#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/pages.h"
#include "verb_case.h"

static void look(verb_case *c, const char *package, cs_survey *machine) {
    char archive[128], manifest[128];
    cs_options options = c->options;
    snprintf(archive, sizeof archive, VERB_MEDIA "\\%s.zip", package ? package : "");
    snprintf(manifest, sizeof manifest, VERB_MEDIA "\\%s.json", package ? package : "p803");
    options.archive = package ? archive : NULL;
    options.manifest = manifest;
    *machine = (cs_survey){0};
    char *before = verb_case_dump(c);
    cs_survey_look(c->host, &options, machine);
    char *after = verb_case_dump(c);
    assert_string_equal(before, after); /* looking changes nothing */
    assert_int_equal(memory_host_open_files(c->machine), 0);
    free(before), free(after);
}

static const cs_page_row *row(const cs_page *page, cs_phrase name) {
    for (size_t i = 0; i < page->row_count; i++)
        if (strcmp(page->rows[i].name, cs_phrase_text(name, page->language)) == 0) return &page->rows[i];
    fail_msg("no row %s", cs_phrase_text(name, page->language));
    return NULL;
}

#define SAYS(page, name, text) assert_non_null(strstr(cs_buffer_string(&row(page, name)->sentence), text))

static void test_pages_ready_for_an_installation(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 for CUDA 10.1");
    assert_string_equal(cs_buffer_string(&page.line), "Ready to install. One thing to know."); /* it is a sample */
    assert_int_equal(page.primary, CS_OFFER_INSTALL);
    assert_true(page.offers & CS_OFFER_LICENCE && page.offers & CS_OFFER_CHANGES && !(page.offers & CS_OFFER_CUDA_PATH));
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_ARCHIVE)->found), "p803.zip");
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "sample");
    assert_int_equal(row(&page, CS_SAY_ROW_CUDA)->mark, CS_MARK_OK);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_CUDA)->means), "10.1.243");
    SAYS(&page, CS_SAY_ROW_CUDA, VERB_TREE);
    assert_int_equal(row(&page, CS_SAY_ROW_DRIVER)->mark, CS_MARK_NOTE);
    assert_int_equal(row(&page, CS_SAY_ROW_GPU)->mark, CS_MARK_NOTE); /* without a driver nobody is asked */
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_GPU)->found), "none");
    SAYS(&page, CS_SAY_ROW_GPU, "no NVIDIA driver");
    machine.machine.driver_fit = CS_FIT_GOOD;
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(row(&page, CS_SAY_ROW_GPU)->mark, CS_MARK_BUSY);
    assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_OK);
    assert_ptr_equal(page.rows[page.selected].name, cs_phrase_text(CS_SAY_ROW_ARCHIVE, CS_ENGLISH));
    cs_page_ready(&machine, CS_CHINESE, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "用于 CUDA 10.1 的 cuDNN 8.0.3");
    assert_string_equal(cs_buffer_string(&page.line), "可以安装，有一项需要注意。");
    SAYS(&page, CS_SAY_ROW_CUDA, "将安装到 " VERB_TREE);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_real_archive_is_all_well(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    c.not_a_sample = true;
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.line), "Ready to install.");
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_OK);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "SHA-256");
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_older_cudnn_is_replaced_and_said(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    cs_buffer text = {0};
    verb_case_begin(&c);
    c.not_a_sample = true;
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "include/cudnn.h", "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 5\n");
    verb_case_put(&c, "lib/x64/cudnn.lib", "the library of 7.6");
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_CUDNN)->found), "7.6.5");
    assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_WARNING);
    SAYS(&page, CS_SAY_ROW_CUDNN, "cudnn.h and cudnn.lib of 7.6.5 are replaced and come back");
    assert_string_equal(cs_buffer_string(&page.line), "Ready to install. One thing to know.");
    cs_page_changes(&machine, CS_ENGLISH, &text);
    assert_non_null(strstr(text.data, "2 × replaced"));
    assert_non_null(strstr(text.data, "    include/cudnn.h\n"));
    assert_non_null(strstr(text.data, "CUDA_PATH (REG_SZ)\n    before: (absent)\n    after: " VERB_TREE "\n"));
    cs_buffer_clear(&text);
    cs_page_changes(&machine, CS_CHINESE, &text);
    assert_non_null(strstr(text.data, "更改前: （不存在）"));
    cs_buffer_free(&text);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_wrong_archive_stops_it(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_true(memory_host_text(c.machine, VERB_MEDIA "\\p803.zip", "PK\003\004 and then something else"));
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_CHINESE, &page);
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_BAD);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "这不是所需的压缩包，或者它已损坏。");
    assert_int_equal(page.primary, CS_OFFER_ARCHIVE);
    assert_false(page.offers & CS_OFFER_INSTALL);
    assert_false(page.offers & CS_OFFER_UNVERIFIED); /* it begins as a ZIP and is none */
    assert_int_equal(page.selected, 0);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.line), "It cannot be installed yet: the row marked \"Stops it\" says why.");
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

/* Only what could be tried is offered a second step. */
static void test_pages_copy_that_could_be_taken_unverified(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    char *manifest = cs_strdup(memory_host_content(c.machine, VERB_MEDIA "\\p803.json"));
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "other", false);
    assert_true(memory_host_text(c.machine, VERB_MEDIA "\\p803.json", manifest));
    cs_free(manifest);
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(machine.status, CS_E_ARCHIVE_BAD);
    assert_true(page.offers & CS_OFFER_UNVERIFIED);
    cs_survey_free(&machine);
    c.options.unverified_accept = true;
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_false(page.offers & CS_OFFER_UNVERIFIED);
    cs_survey_free(&machine);
    c.options.unverified_accept = false;
    assert_true(memory_host_text(c.machine, VERB_MEDIA "\\p803.zip", ""));
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_false(page.offers & CS_OFFER_UNVERIFIED);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_no_archive_says_which(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_true(memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip"));
    look(&c, NULL, &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_null(machine.archive);
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_BAD);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "Get p803.zip from NVIDIA");
    assert_int_equal(page.primary, CS_OFFER_ARCHIVE);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_installed_already(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_string_equal(cs_buffer_string(&page.heading), "cuDNN 8.0.3 is installed");
    assert_string_equal(cs_buffer_string(&page.line), "All 6 files are right. What would you like to do?");
    assert_int_equal(page.primary, CS_OFFER_VERIFY);
    assert_true(page.offers & CS_OFFER_UNINSTALL && page.offers & CS_OFFER_TEST && !(page.offers & CS_OFFER_ROLL_BACK));
    cs_survey_free(&machine);
    assert_true(memory_host_delete(c.machine, VERB_TREE "\\bin\\cudnn64_8.dll"));
    assert_true(memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip"));
    look(&c, NULL, &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(page.primary, CS_OFFER_REPAIR);
    assert_non_null(strstr(page.line.data, "not as installed"));
    assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_FAULT);
    SAYS(&page, CS_SAY_ROW_CUDNN, "Not as installed: bin/cudnn64_8.dll.");
    assert_ptr_equal(page.rows[page.selected].name, cs_phrase_text(CS_SAY_ROW_CUDNN, CS_ENGLISH));
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_NOTE);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "choose it here");
    assert_true(page.offers & CS_OFFER_ARCHIVE);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

/* Every file is as its record says: no archive, or a manifest that names another one, is no fault of what is installed. */
static void test_pages_installed_needs_no_archive(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip"));
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "other", false);
    for (int there = 1; there >= 0; there--) {
        look(&c, there ? "p803" : NULL, &machine);
        cs_page_ready(&machine, CS_ENGLISH, &page);
        assert_true(machine.same_package);
        assert_string_equal(cs_buffer_string(&page.line), "All 6 files are right. What would you like to do?");
        assert_int_equal(page.primary, CS_OFFER_VERIFY);
        assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_WARNING);
        assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_CUDNN)->means), "sample installed");
        SAYS(&page, CS_SAY_ROW_CUDNN, "every file is right.\nIt is a sample made by this project");
        SAYS(&page, CS_SAY_ROW_CUDA, "cuDNN is in " VERB_TREE);
        machine.outcome.trust = (cs_trust){.kind = CS_TRUST_UNVERIFIED};
        cs_page_ready(&machine, CS_ENGLISH, &page);
        assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_CUDNN)->means), "unverified copy");
        SAYS(&page, CS_SAY_ROW_CUDNN, "It is an unverified copy");
        machine.outcome.trust = (cs_trust){.kind = CS_TRUST_PINNED};
        cs_page_ready(&machine, CS_ENGLISH, &page);
        assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_OK);
        assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, there ? CS_MARK_OK : CS_MARK_NOTE);
        SAYS(&page, CS_SAY_ROW_ARCHIVE, "for Repair only");
        cs_survey_free(&machine);
        memory_host_delete(c.machine, VERB_MEDIA "\\p803.zip");
    }
    cs_page_free(&page);
    verb_case_end(&c);
}

/* What Repair would not take is said of the archive, and the files are named. */
static void test_pages_damaged_with_a_wrong_archive(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_true(memory_host_text(c.machine, VERB_TREE "\\include\\cudnn.h", "edited"));
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_OK);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "Repair takes from it");
    cs_survey_free(&machine);
    assert_true(memory_host_text(c.machine, VERB_MEDIA "\\p803.zip", "<!DOCTYPE html><html>"));
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_CHINESE, &page);
    assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_FAULT);
    SAYS(&page, CS_SAY_ROW_CUDNN, "include/cudnn.h");
    assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_NOTE);
    SAYS(&page, CS_SAY_ROW_ARCHIVE, "这不是所需的压缩包");
    assert_int_equal(page.primary, CS_OFFER_REPAIR);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_programs_in_the_way_are_named(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_page page = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    verb_case_put(&c, "bin/cudnn64_8.dll", "another build");
    memory_system *system = memory_host_system(c.machine);
    assert_int_equal(cs_holders_add(&system->holders, 4711, "pycharm64.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL), CS_OK);
    look(&c, "p803", &machine);
    cs_page_ready(&machine, CS_ENGLISH, &page);
    assert_int_equal(row(&page, CS_SAY_ROW_PROGRAMS)->mark, CS_MARK_BAD);
    assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_PROGRAMS)->found), "pycharm64.exe (4711)");
    assert_int_equal(page.primary, CS_OFFER_CHECK_AGAIN);
    cs_page_free(&page);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static cs_survey built_in(void) {
    cs_survey survey = {0};
    size_t size = 0;
    const char *bytes = cs_manifest_embedded(0, &size);
    assert_int_equal(cs_manifest_parse("built in", bytes, size, &survey.manifest, NULL), CS_OK);
    return survey;
}

/* A GPU that CUDA 10.1 cannot serve is told before anything is installed, and stops nothing. */
static void test_pages_judge_the_gpu(void **state) {
    (void)state;
    static const struct {
        const char *verdict, *devices;
        cs_mark mark;
        const char *found;
    } rows[] = {
        {"passed", "{\"name\":\"GTX 1080\",\"capability\":\"6.1\"}", CS_MARK_OK, "GTX 1080, 6.1"},
        {"passed", "{\"name\":\"RTX 3090\",\"capability\":\"8.6\"},{\"name\":\"T4\",\"capability\":\"7.5\"}", CS_MARK_OK,
         "T4, 7.5"},
        {"passed", "{\"name\":\"RTX 3090\",\"capability\":\"8.6\"}", CS_MARK_WARNING, "RTX 3090, 8.6"},
        {"no-driver", "", CS_MARK_NOTE, "none"},
        {"driver-broken", "", CS_MARK_NOTE, "unknown"},
        {"nothing", "", CS_MARK_NOTE, "unknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_survey survey = built_in();
        cs_machine answer = {0};
        cs_page page = {0};
        cs_buffer json = {0};
        cs_page_ready(&survey, CS_ENGLISH, &page);
        assert_int_equal(row(&page, CS_SAY_ROW_GPU)->mark, CS_MARK_BUSY);
        cs_buffer_format(&json, "{\"gpu\":{\"verdict\":\"%s\",\"devices\":[%s]}}", rows[i].verdict, rows[i].devices);
        cs_machine_read_devices(json.data, json.size, &survey.manifest, &answer);
        cs_survey_take_gpus(&survey, &answer);
        cs_page_ready(&survey, CS_ENGLISH, &page);
        const cs_page_row *gpu = row(&page, CS_SAY_ROW_GPU);
        assert_int_equal(gpu->mark, rows[i].mark);
        assert_string_equal(cs_buffer_string(&gpu->found), rows[i].found);
        assert_string_equal(cs_buffer_string(&gpu->means), "3.0 to 7.5");
        assert_true(gpu->sentence.size > 0);
        cs_buffer_free(&json);
        cs_page_free(&page);
        cs_survey_free(&survey);
    }
}

static void test_pages_judge_the_driver(void **state) {
    (void)state;
    static const struct {
        cs_fit fit;
        const char *driver;
        cs_mark mark;
        const char *found;
    } rows[] = {{CS_FIT_GOOD, "456.71", CS_MARK_OK, "456.71"},
                {CS_FIT_BAD, "418.95", CS_MARK_WARNING, "418.95"},
                {CS_FIT_ABSENT, "", CS_MARK_NOTE, "无"},
                {CS_FIT_UNKNOWN, "", CS_MARK_NOTE, "未知"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_survey survey = built_in();
        cs_page page = {0};
        survey.machine.driver_fit = rows[i].fit;
        cs_buffer_text(&survey.machine.driver, rows[i].driver);
        cs_page_ready(&survey, CS_CHINESE, &page);
        assert_int_equal(row(&page, CS_SAY_ROW_DRIVER)->mark, rows[i].mark);
        assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_DRIVER)->found), rows[i].found);
        assert_string_equal(cs_buffer_string(&row(&page, CS_SAY_ROW_DRIVER)->means), "418.96 或更新");
        cs_page_free(&page);
        cs_survey_free(&survey);
    }
}

static void test_pages_tell_of_frameworks(void **state) {
    (void)state;
    static const struct {
        cs_serves serves;
        cs_mark mark;
        const char *means;
    } rows[] = {{CS_SERVES_YES, CS_MARK_OK, "can use it"},
                {CS_SERVES_NO, CS_MARK_WARNING, "needs another"},
                {CS_SERVES_OWN, CS_MARK_NOTE, "brings its own"},
                {CS_SERVES_NONE, CS_MARK_NOTE, "needs none"},
                {CS_SERVES_UNKNOWN, CS_MARK_NOTE, "not known"}};
    enum { MANY = 40 };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_survey survey = built_in();
        cs_page page = {0};
        size_t count = i ? 1 : MANY; /* more than a page holds: the rest is left out */
        survey.frameworks.items = cs_alloc(count, sizeof *survey.frameworks.items);
        survey.frameworks.count = count;
        for (size_t k = 0; k < count; k++) {
            cs_framework *one = &survey.frameworks.items[k];
            *one = (cs_framework){.name = cs_strdup("PyTorch"), .version = cs_strdup("1.8.1+cu101"), .serves = rows[i].serves};
            cs_buffer_text(&one->sentence[CS_ENGLISH], "What it means.");
        }
        cs_page_ready(&survey, CS_ENGLISH, &page);
        const cs_page_row *found = &page.rows[5];
        assert_string_equal(found->name, "PyTorch");
        assert_string_equal(cs_buffer_string(&found->found), "1.8.1+cu101");
        assert_string_equal(cs_buffer_string(&found->means), rows[i].means);
        assert_string_equal(cs_buffer_string(&found->sentence), "What it means.");
        assert_int_equal(found->mark, rows[i].mark);
        cs_page_free(&page);
        cs_survey_free(&survey);
    }
}

static void test_pages_read_the_licence(void **state) {
    (void)state;
    verb_case c;
    cs_survey machine;
    cs_buffer text = {0};
    verb_case_begin(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    look(&c, "p803", &machine);
    assert_int_equal(cs_survey_licence(c.host, &machine, &text, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&text), "the licence, the same in every package\n");
    cs_survey_free(&machine);
    look(&c, NULL, &machine);
    cs_free(machine.archive);
    machine.archive = NULL;
    assert_int_equal(cs_survey_licence(c.host, &machine, &text, NULL), CS_E_FORMAT);
    cs_buffer_free(&text);
    cs_survey_free(&machine);
    verb_case_end(&c);
}

static void test_pages_interrupted_work_comes_first(void **state) {
    (void)state;
    for (int same = 0; same < 2; same++) {
        cs_survey survey = built_in();
        cs_page page = {0};
        survey.status = CS_E_PENDING;
        survey.same_package = same;
        cs_buffer_text(&survey.outcome.message, "an interrupted run has not been finished");
        cs_page_ready(&survey, CS_ENGLISH, &page);
        assert_int_equal(page.primary, CS_OFFER_RECOVER);
        assert_false(page.offers & (CS_OFFER_INSTALL | CS_OFFER_UNINSTALL));
        /* What is installed is not stopped from being installed. */
        cs_phrase name = same ? CS_SAY_ROW_CHECK : CS_SAY_ROW_RUN;
        assert_int_equal(row(&page, name)->mark, same ? CS_MARK_FAULT : CS_MARK_BAD);
        SAYS(&page, name, "An interrupted run has not been finished");
        SAYS(&page, name, "The records decide which");
        assert_int_equal(row(&page, CS_SAY_ROW_ARCHIVE)->mark, CS_MARK_NOTE);
        assert_null(strstr(cs_buffer_string(&row(&page, CS_SAY_ROW_ARCHIVE)->sentence), "choose it here")); /* no button does */
        SAYS(&page, CS_SAY_ROW_CUDNN, same ? "not known yet" : "a run that was interrupted"); /* nothing is judged by halves */
        assert_int_equal(row(&page, CS_SAY_ROW_CUDNN)->mark, CS_MARK_NOTE);
        cs_page_free(&page);
        cs_survey_free(&survey);
    }
}

static void test_pages_while_looking(void **state) {
    (void)state;
    cs_page page = {0};
    cs_page_ready(NULL, CS_ENGLISH, &page);
    assert_int_equal(page.row_count, 0);
    assert_int_equal(page.offers, 0);
    assert_non_null(strstr(page.line.data, "Nothing is changed"));
    cs_page_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_ready_for_an_installation),
        cmocka_unit_test(test_pages_real_archive_is_all_well),
        cmocka_unit_test(test_pages_older_cudnn_is_replaced_and_said),
        cmocka_unit_test(test_pages_wrong_archive_stops_it),
        cmocka_unit_test(test_pages_copy_that_could_be_taken_unverified),
        cmocka_unit_test(test_pages_no_archive_says_which),
        cmocka_unit_test(test_pages_installed_already),
        cmocka_unit_test(test_pages_installed_needs_no_archive),
        cmocka_unit_test(test_pages_damaged_with_a_wrong_archive),
        cmocka_unit_test(test_pages_programs_in_the_way_are_named),
        cmocka_unit_test(test_pages_judge_the_gpu),
        cmocka_unit_test(test_pages_judge_the_driver),
        cmocka_unit_test(test_pages_tell_of_frameworks),
        cmocka_unit_test(test_pages_read_the_licence),
        cmocka_unit_test(test_pages_interrupted_work_comes_first),
        cmocka_unit_test(test_pages_while_looking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
