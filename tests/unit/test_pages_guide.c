/* A document of the project as plain text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/pages.h"

static char *guide(cs_buffer *out, const char *document, cs_language language) {
    cs_page_guide(document, strlen(document), language, out);
    assert_false(out->failed);
    char *first = strstr(out->data, "\n\n"); /* whom it is for stands in the first lines */
    assert_non_null(first);
    return first + 2;
}

static void test_pages_guide_reads_as_plain_text(void **state) {
    (void)state;
    static const char document[] = "# Deployment\n"
                                   "\n"
                                   "For `cudnn-setup.exe`: **two**\n"
                                   "lines, see [the codes](exit-codes.md).\n"
                                   "\n"
                                   "## Commands\n"
                                   "```\n"
                                   "setup.exe /quiet  `as it is`\n"
                                   "```\n"
                                   "- **A file**: one\n"
                                   "  more line\n"
                                   "- last\n"
                                   "\n"
                                   "| code | tell |\n"
                                   "|---|---|\n"
                                   "| `0` | success |\n"
                                   "| 1603 with programs | retry |\n";
    cs_buffer out = {0};
    assert_string_equal(guide(&out, document, CS_ENGLISH), "Deployment\n"
                                                           "==========\n"
                                                           "\n"
                                                           "For cudnn-setup.exe: two lines, see the codes.\n"
                                                           "\n"
                                                           "Commands\n"
                                                           "--------\n"
                                                           "    setup.exe /quiet  `as it is`\n"
                                                           "- A file: one more line\n"
                                                           "- last\n"
                                                           "\n"
                                                           "code                tell\n"
                                                           "0                   success\n"
                                                           "1603 with programs  retry\n");
    cs_buffer_free(&out);
}

static void test_pages_guide_keeps_tables_to_their_columns(void **state) {
    (void)state;
    static const char document[] = "- one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen\n"
                                   "\n"
                                   "| a cell that is wider than the first column may be, and stands alone | the second |\n"
                                   "| b | one two three four five six seven eight nine ten eleven twelve thirteen |";
    cs_buffer out = {0};
    assert_string_equal(guide(&out, document, CS_ENGLISH),
                        "- one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen\n"
                        "\n"
                        "a cell that is wider than the first column may be, and stands alone\n"
                        "                                      the second\n"
                        "b                                     one two three four five six seven eight\n"
                        "                                      nine ten eleven twelve thirteen\n");
    cs_buffer_free(&out);
}

static void test_pages_guide_says_in_chinese_that_it_is_english(void **state) {
    (void)state;
    cs_buffer out = {0};
    assert_string_equal(guide(&out, "text\r\nmore\r\n", CS_CHINESE), "text more\n");
    assert_non_null(strstr(out.data, "正文为英文"));
    cs_buffer_clear(&out);
    assert_string_equal(guide(&out, "", CS_ENGLISH), "");
    static const char *const odd[] = {"|", "||", "| a", "|---", "#", "```", "[", "[a](", "**", "- ", "|\n|\n"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) { /* nothing is read past its end */
        cs_buffer_clear(&out);
        guide(&out, odd[i], CS_ENGLISH);
    }
    cs_buffer_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_guide_reads_as_plain_text),
        cmocka_unit_test(test_pages_guide_keeps_tables_to_their_columns),
        cmocka_unit_test(test_pages_guide_says_in_chinese_that_it_is_english),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
