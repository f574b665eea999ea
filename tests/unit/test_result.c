#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/json.h"
#include "cudnn_setup/result.h"
#include "cudnn_setup/text.h"

static void fill(cs_outcome *outcome) {
    outcome->status = CS_E_IN_USE;
    outcome->result = CS_RESULT_FAILED;
    cs_buffer_text(&outcome->message, "Programs hold the files: <python> & \"more\".");
    outcome->tree_id = cs_strdup("0123456789abcdef0123456789abcdef");
    outcome->tree_path = cs_strdup("C:\\CUDA <v10.1>\\\xE2\x80\xAE");
    outcome->trust = (cs_trust){.kind = CS_TRUST_SEALED, .sample = true};
    memset(outcome->trust.manifest_sha256, 0xAB, CS_SHA256_SIZE);
    assert_int_equal(cs_outcome_add_file(outcome, "bin/cudnn64_8.dll", "replaced", NULL), CS_OK);
    assert_int_equal(cs_outcome_add_value(outcome, "Path", CS_REG_EXPAND_SZ, NULL, "C:\\x;%y%", NULL), CS_OK);
    outcome->proof_files = cs_strdup("passed");
    assert_int_equal(cs_holders_add(&outcome->in_use, 7, "python.exe", "C:\\x.dll", NULL), CS_OK);
}

static cs_result_view view_of(const cs_outcome *outcome, const cs_warnings *warnings) {
    return (cs_result_view){.program = "cudnn-setup",
                            .version = "1.2.3",
                            .verb = CS_VERB_INSTALL,
                            .exit_code = 1603,
                            .outcome = outcome,
                            .warnings = warnings,
                            .report = "",
                            .log = "C:\\l.log",
                            .time = "2026-11-30T02:33:33Z",
                            .ms = 12};
}

static void test_result_json_whole(void **state) {
    (void)state;
    cs_outcome outcome = {0};
    cs_warnings warnings = {0};
    cs_buffer out = {0};
    fill(&outcome);
    assert_int_equal(cs_warnings_add(&warnings, "a.b", "w", NULL), CS_OK);
    cs_result_view view = view_of(&outcome, &warnings);
    assert_int_equal(cs_result_json(&view, &out, NULL), CS_OK);
    assert_true(cs_text_starts_with(out.data, CS_RESULT_JSON_START));
    assert_string_equal(out.data,
                        "{\n"
                        "  \"schema\": 1,\n"
                        "  \"program\": \"cudnn-setup\",\n"
                        "  \"verb\": \"install\",\n"
                        "  \"exit\": 1603,\n"
                        "  \"result\": \"failed\",\n"
                        "  \"message\": \"Programs hold the files: <python> & \\\"more\\\".\",\n"
                        "  \"tree\": {\n"
                        "    \"id\": \"0123456789abcdef0123456789abcdef\",\n"
                        "    \"path\": \"C:\\\\CUDA <v10.1>\\\\\xE2\x80\xAE\"\n"
                        "  },\n"
                        "  \"trust\": {\n"
                        "    \"kind\": \"sealed\",\n"
                        "    \"manifest_sha256\": \"abababababababababababababababababababababababababababababababab\",\n"
                        "    \"sample\": true\n"
                        "  },\n"
                        "  \"files\": [\n"
                        "    {\"target\": \"bin/cudnn64_8.dll\", \"state\": \"replaced\"}\n"
                        "  ],\n"
                        "  \"registry\": [\n"
                        "    {\n"
                        "      \"name\": \"Path\",\n"
                        "      \"type\": \"REG_EXPAND_SZ\",\n"
                        "      \"new\": \"C:\\\\x;%y%\"\n"
                        "    }\n"
                        "  ],\n"
                        "  \"proof\": {\n"
                        "    \"files\": \"passed\"\n"
                        "  },\n"
                        "  \"in_use\": [\n"
                        "    {\"pid\": 7, \"name\": \"python.exe\", \"module\": \"C:\\\\x.dll\"}\n"
                        "  ],\n"
                        "  \"warnings\": [\n"
                        "    {\n"
                        "      \"id\": \"a.b\",\n"
                        "      \"text\": \"w\"\n"
                        "    }\n"
                        "  ],\n"
                        "  \"log\": \"C:\\\\l.log\",\n"
                        "  \"ms\": 12\n"
                        "}\n");
    cs_buffer_free(&out);
    cs_warnings_free(&warnings);
    cs_outcome_free(&outcome);
}

/* Names that are not UTF-8 must not spoil the object for its readers. */
static void test_result_json_stays_valid(void **state) {
    (void)state;
    cs_outcome outcome = {0};
    cs_warnings warnings = {0};
    cs_buffer out = {0};
    cs_buffer_text(&outcome.message, "line\nbreak\t\x01 lone \xED\xA0\x80 broken \xFF end");
    cs_result_view view = view_of(&outcome, &warnings);
    view.log = "";
    assert_int_equal(cs_result_json(&view, &out, NULL), CS_OK);
    assert_true(cs_utf8_valid(out.data, out.size));
    cs_json_limits limits = {.max_bytes = 1 << 20, .lone_surrogates = true};
    cs_json *root = NULL;
    cs_error error = {0};
    assert_int_equal(cs_json_parse("result", out.data, out.size, &limits, &root, &error), CS_OK);
    cs_json_reader reader = {.name = "result", .error = &error};
    cs_json_at at = cs_json_root(&reader, root);
    assert_string_equal(cs_json_text(cs_json_get(&at, "message"), 0, 200),
                        "line\nbreak\t\x01 lone \xED\xA0\x80 broken \xEF\xBF\xBD end");
    assert_null(cs_json_maybe(&at, "log").node);
    assert_null(cs_json_maybe(&at, "tree").node);
    assert_null(cs_json_maybe(&at, "trust").node);
    assert_int_equal(cs_json_count(&(cs_json_at){.reader = &reader, .node = cs_json_get(&at, "files").node}, 0, 9), 0);
    cs_json_free(root);
    cs_buffer_free(&out);
    cs_outcome_free(&outcome);
}

static void test_result_html_escapes_everything(void **state) {
    (void)state;
    cs_outcome outcome = {0};
    cs_warnings warnings = {0};
    cs_buffer out = {0};
    fill(&outcome);
    assert_int_equal(cs_warnings_add(&warnings, "<script>", "</td><img src='x'>\x1b[2J", NULL), CS_OK);
    cs_result_view view = view_of(&outcome, &warnings);
    view.report = "first <b>\nsecond";
    assert_int_equal(cs_result_html(&view, &out, NULL), CS_OK);
    assert_true(cs_text_starts_with(out.data, CS_RESULT_HTML_START));
    assert_non_null(strstr(out.data, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    assert_non_null(strstr(out.data, "<h1>Programs hold the files: &lt;python&gt; &amp; &quot;more&quot;.</h1>"));
    assert_non_null(strstr(out.data, "C:\\CUDA &lt;v10.1&gt;\\\\u{202e}"));
    assert_non_null(strstr(out.data, "&lt;script&gt;"));
    assert_non_null(strstr(out.data, "&lt;/td&gt;&lt;img src=&#39;x&#39;&gt;\\u{1b}[2J"));
    assert_non_null(strstr(out.data, "<pre>first &lt;b&gt;\nsecond</pre>"));
    assert_null(strstr(out.data, "<script"));
    assert_null(strstr(out.data, "<img"));
    assert_null(strstr(out.data, "http:"));
    assert_null(strstr(out.data, "https:"));
    cs_buffer_free(&out);
    cs_warnings_free(&warnings);
    cs_outcome_free(&outcome);
}

/* What is known is in Chinese, whatever it holds is escaped; what is not known says that it is English. */
static void test_result_html_in_chinese(void **state) {
    (void)state;
    cs_outcome outcome = {0};
    cs_warnings warnings = {0};
    cs_buffer out = {0};
    fill(&outcome);
    assert_int_equal(cs_warnings_add(&warnings, "wine.rights", "Wine <8>: access rights not checked", NULL), CS_OK);
    assert_int_equal(cs_warnings_add(&warnings, "a.b", "nobody knows this", NULL), CS_OK);
    cs_result_view view = view_of(&outcome, &warnings);
    view.language = CS_CHINESE;
    assert_int_equal(cs_result_html(&view, &out, NULL), CS_OK);
    assert_non_null(strstr(out.data, "<h1 lang=\"en\">Programs hold the files: "));
    assert_non_null(strstr(out.data, "<td>Wine &lt;8&gt;：未检查访问权限</td>"));
    assert_non_null(strstr(out.data, "<td>nobody knows this</td>"));
    assert_non_null(strstr(out.data, "<td>验证：文件</td><td>通过</td>"));
    cs_buffer_clear(&outcome.message);
    cs_buffer_text(&outcome.message, "Cannot open C:\\<a>: access denied (5). Nothing was changed.");
    assert_int_equal(cs_result_html(&view, &out, NULL), CS_OK);
    assert_non_null(strstr(out.data, "<h1>无法打开 C:\\&lt;a&gt;：拒绝访问（5）。未作任何更改。</h1>"));
    cs_buffer_free(&out);
    cs_warnings_free(&warnings);
    cs_outcome_free(&outcome);
}

static void test_result_without_memory(void **state) {
    (void)state;
    cs_outcome outcome = {0};
    cs_warnings warnings = {0};
    cs_result_view view = view_of(&outcome, &warnings);
    for (unsigned long n = 1; n <= 3; n++) {
        cs_buffer out = {0};
        cs_alloc_fail_at(n);
        cs_status json = cs_result_json(&view, &out, NULL);
        cs_alloc_fail_at(0);
        assert_true(json == CS_E_NO_MEMORY);
        cs_buffer_free(&out);
        cs_alloc_fail_at(n);
        cs_status html = cs_result_html(&view, &out, NULL);
        cs_alloc_fail_at(0);
        assert_true(html == CS_E_NO_MEMORY);
        cs_buffer_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_json_whole),
        cmocka_unit_test(test_result_json_stays_valid),
        cmocka_unit_test(test_result_html_escapes_everything),
        cmocka_unit_test(test_result_html_in_chinese),
        cmocka_unit_test(test_result_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
