#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/json.h"

static const cs_json_limits strict = {1000, false}, lone = {1000, true};

static cs_status parse(const char *text, const cs_json_limits *limits, cs_json **out, cs_error *error) {
    return cs_json_parse("test.json", text, strlen(text), limits, out, error);
}

static void refused(const char *text, const char *expected) {
    cs_json *json = NULL;
    cs_error error = {0};
    assert_int_equal(parse(text, &strict, &json, &error), CS_E_FORMAT);
    assert_null(json);
    assert_string_equal(error.path, "test.json");
    assert_string_equal(error.detail, expected);
}

static cs_json *accepted(const char *text, const cs_json_limits *limits) {
    cs_json *json = NULL;
    cs_error error = {0};
    cs_status status = parse(text, limits, &json, &error);
    if (status != CS_OK) print_error("%s: %s\n", text, error.detail);
    assert_int_equal(status, CS_OK);
    assert_non_null(json);
    return json;
}

static void test_json_accepts_every_kind_of_value(void **state) {
    (void)state;
    static const char *const texts[] = {"{}",
                                        "[]",
                                        " \t\r\n{ } \n",
                                        "\"\"",
                                        "0",
                                        "-17",
                                        "true",
                                        "false",
                                        "null",
                                        "[1, \"a\", {\"b\": []}, null]",
                                        "[[[]]]",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
                                        "\"\xC3\xA9\x7F\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) cs_json_free(accepted(texts[i], &strict));
}

static void test_json_refuses_what_is_no_json(void **state) {
    (void)state;
    refused("", "line 1, column 1: the text ends where a value is expected");
    refused("{\"a\": 1", "line 1, column 8: ',' or '}' is expected");
    refused("[1 2]", "line 1, column 4: ',' or ']' is expected");
    refused("[1,]", "line 1, column 4: not a JSON value");
    refused("{\"a\": 1,}", "line 1, column 9: a key in quotes is expected");
    refused("{a: 1}", "line 1, column 2: a key in quotes is expected");
    refused("{\"a\" 1}", "line 1, column 6: ':' is expected");
    refused("{\n  \"a\": tru\n}", "line 2, column 8: not a JSON value");
    refused("'a'", "line 1, column 1: not a JSON value");
    refused("\"a", "line 1, column 1: a string without an end");
    refused("\"a\nb\"", "line 1, column 3: a control character inside a string");
    refused("\"\\x\"", "line 1, column 2: not an escape sequence");
    refused("\"\\u12g4\"", "line 1, column 2: not an escape sequence");
    refused("/* c */ 1", "line 1, column 1: not a JSON value");
    refused("nul", "line 1, column 1: not a JSON value");
}

static void test_json_refuses_text_after_the_value(void **state) {
    (void)state;
    refused("{} x", "line 1, column 4: more text after the value");
    refused("1 2", "line 1, column 3: more text after the value");
    cs_json *json = NULL;
    cs_error error = {0};
    assert_int_equal(cs_json_parse("test.json", "{}\0", 3, &strict, &json, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, "line 1, column 3: more text after the value");
    assert_int_equal(cs_json_parse("test.json", "{} x", 2, &strict, &json, &error), CS_OK); /* the size decides, no terminator */
    cs_json_free(json);
}

static void test_json_refuses_other_encodings(void **state) {
    (void)state;
    refused("\xEF\xBB\xBF{}", "line 1, column 1: a byte order mark is not allowed");
    refused("\"\xFF\"", "line 1, column 2: not valid UTF-8");
    refused("\"a\xC0\x80\"", "line 1, column 3: not valid UTF-8");
    refused("[\"ok\",\n\"\xED\xA0\x80\"]", "line 2, column 2: not valid UTF-8");
    refused("\"\xF4\x90\x80\x80\"", "line 1, column 2: not valid UTF-8");
}

static void test_json_refuses_nul(void **state) {
    (void)state;
    refused("{\"a\": \"b\\u0000c\"}", "line 1, column 9: \\u0000 is not allowed");
    refused("{\"\\u0000\": 1}", "line 1, column 3: \\u0000 is not allowed");
}

static void test_json_refuses_lone_surrogates(void **state) {
    (void)state;
    refused("\"\\ud800\"", "line 1, column 2: half of a surrogate pair");
    refused("\"\\udc00\\ud800\"", "line 1, column 2: half of a surrogate pair");
    refused("\"\\ud800\\u0041\"", "line 1, column 2: half of a surrogate pair");
}

static void test_json_reads_lone_surrogates_where_allowed(void **state) {
    (void)state;
    cs_json *json = accepted("[\"a\\ud800b\\\\\\udfff\\ud83d\\ude00\"]", &lone);
    cs_json_reader reader = {"t", NULL, CS_OK};
    cs_json_at root = cs_json_root(&reader, json), item = {0};
    assert_true(cs_json_each(&root, &item));
    assert_string_equal(cs_json_text(item, 0, 100), "a\xED\xA0\x80"
                                                    "b\\\xED\xBF\xBF\xF0\x9F\x98\x80");
    cs_json_free(json);
    cs_error error = {0};
    assert_int_equal(parse("\"\xED\xA0\x80\"", &lone, &json, &error), CS_E_FORMAT); /* raw bytes never */
    assert_int_equal(parse("\"\\ud800\\u0000\"", &lone, &json, &error), CS_E_FORMAT);
}

static void test_json_bounds_numbers(void **state) {
    (void)state;
    cs_json_free(accepted("[9007199254740991, -123456789012345]", &strict));
    refused("12345678901234567", "line 1, column 1: a number of more than 16 characters");
    refused("-1234567890123456", "line 1, column 1: a number of more than 16 characters");
    refused("1.5", "line 1, column 1: only whole numbers are allowed");
    refused("1e3", "line 1, column 1: only whole numbers are allowed");
    refused("01", "line 1, column 1: a number with leading zeros");
    refused("-", "line 1, column 1: not a JSON value");
    refused("+1", "line 1, column 1: not a JSON value");
    refused("NaN", "line 1, column 1: not a JSON value");
}

static void test_json_bounds_depth(void **state) {
    (void)state;
    cs_json_free(accepted("[[[[[[[[1]]]]]]]]", &strict));
    cs_json_free(accepted("{\"a\":[{\"a\":[{\"a\":[{\"a\":[]}]}]}]}", &strict));
    refused("[[[[[[[[[1]]]]]]]]]", "line 1, column 9: nested more than 8 levels deep");
}

static void test_json_bounds_size(void **state) {
    (void)state;
    char text[1002];
    memset(text, ' ', sizeof text);
    text[0] = '1';
    cs_json *json = NULL;
    cs_error error = {0};
    assert_int_equal(cs_json_parse("big", text, 1000, &strict, &json, &error), CS_OK);
    cs_json_free(json);
    assert_int_equal(cs_json_parse("big", text, 1001, &strict, &json, &error), CS_E_TOO_BIG);
    assert_null(json);
    assert_string_equal(error.detail, "1001 bytes; the limit is 1000");
}

static void test_json_refuses_duplicate_keys_at_every_level(void **state) {
    (void)state;
    refused("{\"a\": 1, \"b\": 2, \"a\": 3}", "a: the key appears twice");
    refused("{\"a\": 1, \"\\u0061\": 3}", "a: the key appears twice");
    refused("[{}, {\"x\": [{\"k\": 1, \"k\": 1}]}]", "[1].x[0].k: the key appears twice");
    cs_json_free(accepted("{\"a\": 1, \"A\": 2}", &strict)); /* keys differ by case */
}

static void test_json_bounds_the_keys_of_an_object(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_buffer_text(&text, "{");
    for (int i = 0; i < 64; i++) cs_buffer_format(&text, "%s\"k%d\":1", i ? "," : "", i);
    cs_buffer_text(&text, "}");
    cs_json_free(accepted(text.data, &strict));
    text.data[text.size - 1] = ',';
    cs_buffer_text(&text, "\"k64\":1}");
    refused(text.data, "more than 64 keys");
    cs_buffer_free(&text);
}

static void test_json_survives_every_failed_allocation(void **state) {
    (void)state;
    static const char text[] = "{\"a\": [1, \"x\", {\"b\": \"\\ud800\"}], \"c\": null}";
    unsigned long n = 1;
    for (;; n++) {
        cs_json *json = NULL;
        cs_error error = {0};
        cs_alloc_fail_at(n);
        cs_status status = parse(text, &lone, &json, &error);
        cs_alloc_fail_at(0);
        cs_json_free(json);
        if (status == CS_OK) break;
        assert_int_equal(status, CS_E_NO_MEMORY);
        assert_null(json);
    }
    assert_true(n > 8);
}

/* ---- reading the tree ---- */

typedef struct reading {
    cs_json *json;
    cs_error error;
    cs_json_reader reader;
    cs_json_at root;
} reading;

static void start(reading *r, const char *text) {
    *r = (reading){.json = accepted(text, &strict)};
    r->reader = (cs_json_reader){"test.json", &r->error, CS_OK};
    r->root = cs_json_root(&r->reader, r->json);
}

static void finish_sound(reading *r) {
    assert_int_equal(r->reader.status, CS_OK);
    cs_json_free(r->json);
}

static void finish_refused(reading *r, const char *expected) {
    assert_int_equal(r->reader.status, CS_E_FORMAT);
    assert_int_equal(r->error.status, CS_E_FORMAT);
    assert_string_equal(r->error.detail, expected);
    cs_json_free(r->json);
}

static void test_json_reader_gives_values(void **state) {
    (void)state;
    reading r;
    uint8_t hash[4] = {0}, *bytes = NULL;
    size_t size = 0;
    static const char *const colours[] = {"red", "green"};
    start(&r, "{\"t\": \"text\", \"n\": 42, \"b\": true, \"d\": \"18446744073709551615\", \"s\": \"-9223372036854775808\","
              " \"h\": \"00ff10a0\", \"x\": \"abcdef\", \"e\": \"\", \"c\": \"green\"}");
    assert_string_equal(cs_json_text(cs_json_get(&r.root, "t"), 4, 4), "text");
    assert_int_equal(cs_json_uint(cs_json_get(&r.root, "n"), 42), 42);
    assert_true(cs_json_bool(cs_json_get(&r.root, "b")));
    assert_true(cs_json_decimal(cs_json_get(&r.root, "d")) == UINT64_MAX);
    assert_true(cs_json_signed_decimal(cs_json_get(&r.root, "s")) == INT64_MIN);
    cs_json_hex(cs_json_get(&r.root, "h"), hash, 4);
    assert_int_equal(hash[3], 0xA0);
    cs_json_hex_bytes(cs_json_get(&r.root, "x"), 3, &bytes, &size);
    assert_int_equal(size, 3);
    assert_int_equal(bytes[2], 0xEF);
    cs_free(bytes);
    cs_json_hex_bytes(cs_json_get(&r.root, "e"), 3, &bytes, &size);
    assert_null(bytes);
    assert_int_equal(cs_json_choice(cs_json_get(&r.root, "c"), colours, 2), 1);
    assert_null(cs_json_maybe(&r.root, "absent").node);
    assert_null(cs_json_maybe(&r.root, "T").node);
    finish_sound(&r);
}

static void test_json_reader_names_the_place(void **state) {
    (void)state;
    reading r;
    start(&r, "{\"files\": [{}, {\"target\": 5}]}");
    cs_json_at files = cs_json_get(&r.root, "files");
    for (cs_json_at row = {0}; cs_json_each(&files, &row);)
        if (row.index == 1) (void)cs_json_text(cs_json_get(&row, "target"), 0, 10);
    finish_refused(&r, "files[1].target: must be a string");
}

static void test_json_reader_shows_hostile_keys_visibly(void **state) {
    (void)state;
    reading r;
    start(&r, "{\"a\\u001b[31m\\u202e\": 1}");
    cs_json_keys(&r.root, NULL, 0);
    finish_refused(&r, "a\\u{1b}[31m\\u{202e}: unknown key");
}

static void test_json_reader_keeps_the_first_failure(void **state) {
    (void)state;
    reading r;
    start(&r, "{\"a\": 1, \"b\": \"x\"}");
    assert_string_equal(cs_json_text(cs_json_get(&r.root, "a"), 0, 10), "");
    assert_int_equal(cs_json_uint(cs_json_get(&r.root, "b"), 10), 0);
    assert_null(cs_json_text_copy(cs_json_get(&r.root, "b"), 0, 10));
    assert_null(cs_json_get(&r.root, "absent").node);
    cs_json_bad(&r.root, "later");
    finish_refused(&r, "a: must be a string");
}

static void test_json_reader_checks_types_and_bounds(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {{"{\"n\": 43}", "n: must be from 0 to 42"},
                 {"{\"n\": -1}", "n: must be from 0 to 42"},
                 {"{\"n\": \"4\"}", "n: must be a number"},
                 {"{\"n\": true}", "n: must be a number"},
                 {"{\"n\": null}", "n: must be a number"},
                 {"{\"m\": 1}", "n: is missing"},
                 {"{\"n\": 9007199254740993}", "n: must be from 0 to 42"},
                 {"[1]", "must be an object"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading r;
        start(&r, cases[i].text);
        assert_int_equal(cs_json_uint(cs_json_get(&r.root, "n"), 42), 0);
        finish_refused(&r, cases[i].expected);
    }
}

static void test_json_reader_never_rounds_numbers(void **state) {
    (void)state;
    reading r;
    start(&r, "{\"n\": 9007199254740991}");
    assert_true(cs_json_uint(cs_json_get(&r.root, "n"), UINT64_MAX) == CS_JSON_MAX_UINT);
    finish_sound(&r);
    start(&r, "{\"n\": 9007199254740992}");
    (void)cs_json_uint(cs_json_get(&r.root, "n"), UINT64_MAX);
    finish_refused(&r, "n: must be from 0 to 9007199254740991");
}

static void test_json_reader_checks_decimal_strings(void **state) {
    (void)state;
    static const char *const bad[] = {"", "01", "-1", "+1", "1x", " 1", "18446744073709551616", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cs_buffer text = {0};
        reading r;
        cs_buffer_format(&text, "{\"d\": \"%s\"}", bad[i]);
        start(&r, text.data);
        assert_true(cs_json_decimal(cs_json_get(&r.root, "d")) == 0);
        finish_refused(&r, "d: must be a decimal number below 2^64, as a string");
        cs_buffer_free(&text);
    }
    static const char *const bad_signed[] = {"-0", "--1", "-", "9223372036854775808", "-9223372036854775809"};
    for (size_t i = 0; i < sizeof bad_signed / sizeof bad_signed[0]; i++) {
        cs_buffer text = {0};
        reading r;
        cs_buffer_format(&text, "{\"d\": \"%s\"}", bad_signed[i]);
        start(&r, text.data);
        assert_true(cs_json_signed_decimal(cs_json_get(&r.root, "d")) == 0);
        finish_refused(&r, "d: must be a decimal number of 64 bits, as a string");
        cs_buffer_free(&text);
    }
}

static void test_json_reader_checks_hex(void **state) {
    (void)state;
    static const char *const bad[] = {"", "00ff10", "00ff10a0a0", "00FF10A0", "00ff10g0", "00ff10a"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cs_buffer text = {0};
        reading r;
        uint8_t hash[4] = {7, 7, 7, 7};
        cs_buffer_format(&text, "{\"h\": \"%s\"}", bad[i]);
        start(&r, text.data);
        cs_json_hex(cs_json_get(&r.root, "h"), hash, 4);
        finish_refused(&r, "h: must be 8 lower-case hexadecimal digits");
        cs_buffer_free(&text);
    }
    reading r;
    uint8_t *bytes = NULL;
    size_t size = 9;
    start(&r, "{\"h\": \"00ff10\"}");
    cs_json_hex_bytes(cs_json_get(&r.root, "h"), 2, &bytes, &size);
    assert_null(bytes);
    assert_int_equal(size, 0);
    finish_refused(&r, "h: must be lower-case hexadecimal digits for at most 2 bytes");
}

static void test_json_reader_bounds_arrays_and_text(void **state) {
    (void)state;
    reading r;
    start(&r, "{\"a\": [1, 2, 3], \"t\": \"\xC3\xA9\xC3\xA9\"}");
    cs_json_at array = cs_json_get(&r.root, "a");
    assert_int_equal(cs_json_count(&array, 3, 3), 3);
    assert_string_equal(cs_json_text(cs_json_get(&r.root, "t"), 4, 4), "\xC3\xA9\xC3\xA9"); /* bytes, not characters */
    assert_int_equal(cs_json_count(&array, 0, 2), 0);
    finish_refused(&r, "a: has 3 items; 0 to 2 are allowed");
    start(&r, "{\"t\": \"abc\"}");
    (void)cs_json_text(cs_json_get(&r.root, "t"), 0, 2);
    finish_refused(&r, "t: has 3 bytes; 0 to 2 are allowed");
    start(&r, "{\"a\": {}}");
    array = cs_json_get(&r.root, "a");
    cs_json_at item = {0};
    assert_false(cs_json_each(&array, &item));
    finish_refused(&r, "a: must be an array");
}

static void test_json_reader_closes_lists(void **state) {
    (void)state;
    reading r;
    static const char *const keys[] = {"a", "b"};
    start(&r, "{\"a\": \"red\", \"b\": 1}");
    cs_json_keys(&r.root, keys, 2);
    assert_int_equal(cs_json_choice(cs_json_get(&r.root, "a"), keys, 2), 0);
    finish_refused(&r, "a: must be one of a, b");
    start(&r, "{\"a\": 1, \"B\": 1}");
    cs_json_keys(&r.root, keys, 2);
    finish_refused(&r, "B: unknown key");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_accepts_every_kind_of_value),
        cmocka_unit_test(test_json_refuses_what_is_no_json),
        cmocka_unit_test(test_json_refuses_text_after_the_value),
        cmocka_unit_test(test_json_refuses_other_encodings),
        cmocka_unit_test(test_json_refuses_nul),
        cmocka_unit_test(test_json_refuses_lone_surrogates),
        cmocka_unit_test(test_json_reads_lone_surrogates_where_allowed),
        cmocka_unit_test(test_json_bounds_numbers),
        cmocka_unit_test(test_json_bounds_depth),
        cmocka_unit_test(test_json_bounds_size),
        cmocka_unit_test(test_json_refuses_duplicate_keys_at_every_level),
        cmocka_unit_test(test_json_bounds_the_keys_of_an_object),
        cmocka_unit_test(test_json_survives_every_failed_allocation),
        cmocka_unit_test(test_json_reader_gives_values),
        cmocka_unit_test(test_json_reader_names_the_place),
        cmocka_unit_test(test_json_reader_shows_hostile_keys_visibly),
        cmocka_unit_test(test_json_reader_keeps_the_first_failure),
        cmocka_unit_test(test_json_reader_checks_types_and_bounds),
        cmocka_unit_test(test_json_reader_never_rounds_numbers),
        cmocka_unit_test(test_json_reader_checks_decimal_strings),
        cmocka_unit_test(test_json_reader_checks_hex),
        cmocka_unit_test(test_json_reader_bounds_arrays_and_text),
        cmocka_unit_test(test_json_reader_closes_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
