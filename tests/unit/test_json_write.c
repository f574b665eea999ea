#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/json.h"

static cs_json *read_back(const cs_buffer *text) {
    static const cs_json_limits limits = {1000, true};
    cs_json *json = NULL;
    assert_int_equal(cs_json_parse("written", text->data, text->size, &limits, &json, NULL), CS_OK);
    return json;
}

static void test_json_writer_pretty_layout(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_json_writer w = {.out = &out, .layout = CS_JSON_PRETTY};
    cs_json_begin(&w, NULL, '{');
    cs_json_put_text(&w, "t", "x");
    cs_json_begin(&w, "list", '[');
    cs_json_begin_line(&w, NULL, '{');
    cs_json_put_uint(&w, "n", 1);
    cs_json_begin(&w, "inner", '[');
    cs_json_put_bool(&w, NULL, true);
    cs_json_put_bool(&w, NULL, false);
    cs_json_end(&w, ']');
    cs_json_end(&w, '}');
    cs_json_begin_line(&w, NULL, '[');
    cs_json_end(&w, ']');
    cs_json_end(&w, ']');
    cs_json_begin(&w, "empty", '{');
    cs_json_end(&w, '}');
    cs_json_end(&w, '}');
    assert_int_equal(cs_json_finish(&w, NULL), CS_OK);
    assert_string_equal(out.data, "{\n  \"t\": \"x\",\n  \"list\": [\n    {\"n\": 1, \"inner\": [true, false]},\n    []\n  ],\n"
                                  "  \"empty\": {}\n}\n");
    cs_buffer_free(&out);
}

static void test_json_writer_compact_layout(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_json_writer w = {.out = &out};
    cs_json_begin(&w, NULL, '{');
    cs_json_put_decimal(&w, "d", UINT64_MAX);
    cs_json_put_signed_decimal(&w, "s", INT64_MIN);
    cs_json_put_hex(&w, "h", (const uint8_t *)"\x00\xFF", 2);
    cs_json_begin(&w, "a", '[');
    cs_json_put_uint(&w, NULL, CS_JSON_MAX_UINT);
    cs_json_put_text(&w, NULL, "");
    cs_json_end(&w, ']');
    cs_json_end(&w, '}');
    assert_int_equal(cs_json_finish(&w, NULL), CS_OK);
    assert_string_equal(out.data, "{\"d\":\"18446744073709551615\",\"s\":\"-9223372036854775808\",\"h\":\"00ff\","
                                  "\"a\":[9007199254740991,\"\"]}");
    cs_buffer_free(&out);
}

static void test_json_writer_escapes(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_json_writer w = {.out = &out};
    cs_json_put_text(&w, NULL, "\"\\/\b\f\n\r\t\x01\x1F\x7F\xC3\xA9\xED\xA0\x80");
    assert_int_equal(cs_json_finish(&w, NULL), CS_OK);
    assert_string_equal(out.data, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\xC3\xA9\\ud800\"");
    cs_buffer_free(&out);
}

static void test_json_text_survives_the_round_trip(void **state) {
    (void)state;
    static const char *const texts[] = {"C:\\Program Files\\NVIDIA",
                                        "\xED\xA0\x80x\xED\xBF\xBF",
                                        "\xF0\x9F\x98\x80",
                                        "\x01\n\"",
                                        "\xED\xBF\xBF\xED\xA0\x80",
                                        "\\ud800",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cs_buffer out = {0};
        cs_json_writer w = {.out = &out};
        cs_json_put_text(&w, NULL, texts[i]);
        assert_int_equal(cs_json_finish(&w, NULL), CS_OK);
        cs_json *json = read_back(&out);
        cs_json_reader reader = {"t", NULL, CS_OK};
        assert_string_equal(cs_json_text(cs_json_root(&reader, json), 0, 100), texts[i]);
        assert_int_equal(reader.status, CS_OK);
        cs_json_free(json);
        cs_buffer_free(&out);
    }
}

static void test_json_writer_refuses_bytes_that_are_no_text(void **state) {
    (void)state;
    static const char *const texts[] = {"\xFF", "a\xC0\x80", "\xED\xA0\xBD\xED\xB8\x80"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cs_buffer out = {0};
        cs_error error = {0};
        cs_json_writer w = {.out = &out}, lossy = {.out = &out, .lossy = true};
        cs_json_put_text(&w, NULL, texts[i]);
        assert_int_equal(cs_json_finish(&w, &error), CS_E_FORMAT);
        cs_buffer_clear(&out);
        cs_json_put_text(&lossy, NULL, texts[i]);
        assert_int_equal(cs_json_finish(&lossy, &error), CS_OK);
        assert_non_null(strstr(out.data, "\xEF\xBF\xBD"));
        cs_json_free(read_back(&out));
        cs_buffer_free(&out);
    }
    cs_buffer out = {0};
    cs_json_writer w = {.out = &out};
    cs_json_put_uint(&w, NULL, CS_JSON_MAX_UINT + 1);
    assert_int_equal(cs_json_finish(&w, NULL), CS_E_FORMAT);
    cs_buffer_free(&out);
}

static void test_json_writer_reports_lack_of_memory(void **state) {
    (void)state;
    cs_buffer out = {0};
    cs_json_writer w = {.out = &out};
    cs_alloc_fail_at(1);
    cs_json_put_text(&w, NULL, "x");
    cs_alloc_fail_at(0);
    assert_int_equal(cs_json_finish(&w, NULL), CS_E_NO_MEMORY);
    cs_buffer_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_writer_pretty_layout),
        cmocka_unit_test(test_json_writer_compact_layout),
        cmocka_unit_test(test_json_writer_escapes),
        cmocka_unit_test(test_json_text_survives_the_round_trip),
        cmocka_unit_test(test_json_writer_refuses_bytes_that_are_no_text),
        cmocka_unit_test(test_json_writer_reports_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
