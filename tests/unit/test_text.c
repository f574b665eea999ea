#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/text.h"

static void test_text_compares_ascii_without_case(void **state) {
    (void)state;
    assert_true(cs_text_equal_ascii_case("CuDNN64_8.DLL", "cudnn64_8.dll"));
    assert_false(cs_text_equal_ascii_case("a", "ab"));
    assert_false(cs_text_equal_ascii_case("[", "{")); /* neighbours of the letters are not letters */
    assert_false(cs_text_equal_ascii_case("@", "`"));
    assert_false(cs_text_equal_ascii_case("\xC3\x84", "\xC3\xA4")); /* only ASCII */
    assert_true(cs_text_compare_ascii_case("B", "a") > 0);
    assert_true(cs_text_compare_ascii_case("a", "\xC3\xA4") < 0);
    assert_true(cs_text_compare_ascii_case(NULL, "") < 0);
    assert_true(cs_text_compare_ascii_case("", NULL) > 0);
    assert_int_equal(cs_text_compare_ascii_case(NULL, NULL), 0);
}

static void test_text_prefixes_and_suffixes(void **state) {
    (void)state;
    assert_true(cs_text_starts_with("bin/x", "bin/"));
    assert_true(cs_text_starts_with("bin/x", ""));
    assert_false(cs_text_starts_with("bi", "bin"));
    assert_false(cs_text_starts_with("Bin/x", "bin/"));
    assert_true(cs_text_ends_with_ascii_case("A.ZIP", ".zip"));
    assert_false(cs_text_ends_with_ascii_case("zip", ".zip"));
    assert_true(cs_text_ends_with_ascii_case("x", ""));
}

static void test_text_utf8_valid(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        bool valid;
    } rows[] = {{"", true},
                {"ascii", true},
                {"\xC2\x80", true},
                {"\xDF\xBF", true},
                {"\xE0\xA0\x80", true},
                {"\xEF\xBF\xBF", true},
                {"\xF0\x90\x80\x80", true},
                {"\xF4\x8F\xBF\xBF", true},
                {"\xC0\x80", false},         /* overlong */
                {"\xC1\xBF", false},         /* overlong */
                {"\xE0\x9F\xBF", false},     /* overlong */
                {"\xF0\x8F\xBF\xBF", false}, /* overlong */
                {"\xF4\x90\x80\x80", false}, /* above U+10FFFF */
                {"\xF5\x80\x80\x80", false},
                {"\xED\xA0\x80", false}, /* a surrogate */
                {"\xED\xBF\xBF", false},
                {"\x80", false}, /* continuation without a start */
                {"\xC3", false}, /* cut */
                {"\xE2\x82", false},
                {"\xC3(", false},
                {"\xFF", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cs_utf8_valid(rows[i].bytes, strlen(rows[i].bytes)), rows[i].valid);
    assert_true(cs_utf8_valid("a\0b", 3));
}

static void test_text_utf8_decode(void **state) {
    (void)state;
    uint32_t code = 0;
    assert_int_equal(cs_utf8_decode("\xF0\x9F\x98\x80", 4, false, &code), 4);
    assert_int_equal(code, 0x1F600);
    assert_int_equal(cs_utf8_decode("\xF0\x9F\x98\x80", 3, false, &code), 0);
    assert_int_equal(cs_utf8_decode("\xED\xA0\x80", 3, true, &code), 3);
    assert_int_equal(code, 0xD800);
    assert_int_equal(cs_utf8_decode("\xED\xA0\x80", 3, false, &code), 0);
    assert_int_equal(cs_utf8_decode("", 0, true, &code), 0);
}

static void test_text_hex_round_trip(void **state) {
    (void)state;
    const uint8_t bytes[] = {0x00, 0x1F, 0xA0, 0xFF};
    uint8_t back[4] = {0};
    char text[9];
    cs_hex(bytes, sizeof bytes, text);
    assert_string_equal(text, "001fa0ff");
    assert_true(cs_unhex(text, 8, back, 4));
    assert_memory_equal(back, bytes, 4);
    assert_true(cs_unhex("001FA0fF", 8, back, 4));
    assert_memory_equal(back, bytes, 4);
    cs_hex(bytes, 0, text);
    assert_string_equal(text, "");
}

static void test_text_unhex_refuses_everything_else(void **state) {
    (void)state;
    uint8_t back[4];
    assert_false(cs_unhex("001fa0f", 7, back, 4));
    assert_false(cs_unhex("001fa0ff00", 10, back, 4));
    assert_false(cs_unhex("001fa0fg", 8, back, 4));
    assert_false(cs_unhex("0x1fa0ff", 8, back, 4));
    assert_false(cs_unhex(" 01fa0ff", 8, back, 4));
    assert_false(cs_unhex("001fa0f\0", 8, back, 4));
}

static void visible(const char *text, const char *expected) {
    cs_buffer out = {0};
    cs_text_visible(&out, text);
    assert_string_equal(cs_buffer_string(&out), expected);
    cs_buffer_free(&out);
}

static void test_text_visible_leaves_ordinary_text(void **state) {
    (void)state;
    visible("", "");
    visible("C:\\Program Files\\\xE4\xB8\xAD\xE6\x96\x87 [x] & %", "C:\\Program Files\\\xE4\xB8\xAD\xE6\x96\x87 [x] & %");
    visible("\xF0\x9F\x98\x80\xC3\xA9", "\xF0\x9F\x98\x80\xC3\xA9");
}

static void test_text_visible_shows_what_could_deceive(void **state) {
    (void)state;
    visible("a\x1B[31mred", "a\\u{1b}[31mred");
    visible("line\r\nline\t", "line\\u{d}\\u{a}line\\u{9}");
    visible("\x7F\xC2\x9B", "\\u{7f}\\u{9b}");
    visible("cod\xE2\x80\xAEgpj.exe", "cod\\u{202e}gpj.exe");    /* right-to-left override */
    visible("\xE2\x81\xA6x\xE2\x81\xA9", "\\u{2066}x\\u{2069}"); /* isolates */
    visible("a\xE2\x80\x8B"
            "b",
            "a\\u{200b}b");
    visible("\xEF\xBB\xBFx", "\\u{feff}x");
    visible("\xED\xA0\x80", "\\u{d800}");
}

static void test_text_visible_shows_invalid_bytes(void **state) {
    (void)state;
    visible("a\xFF"
            "b",
            "a\\u{ff}b");
    visible("\xC3", "\\u{c3}");
    visible("\xC0\x80", "\\u{c0}\\u{80}");
}

static void round_trip(const uint16_t *units, size_t count, const char *expected) {
    cs_buffer text = {0}, back = {0};
    cs_wtf8_from_utf16(&text, units, count);
    assert_string_equal(cs_buffer_string(&text), expected);
    assert_true(cs_utf16le_from_wtf8(&back, cs_buffer_string(&text), text.size));
    assert_int_equal(back.size, 2 * count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal((unsigned char)back.data[2 * i], units[i] & 0xFF);
        assert_int_equal((unsigned char)back.data[2 * i + 1], units[i] >> 8);
    }
    cs_buffer_free(&text);
    cs_buffer_free(&back);
}

static void test_text_wtf8_round_trips(void **state) {
    (void)state;
    static const uint16_t plain[] = {'C', ':', '\\', 0xE9, 0x4E2D, 0xFFFF};
    static const uint16_t pair[] = {0xD83D, 0xDE00, 'x'};
    static const uint16_t edges[] = {0xD800, 0xDC00, 0xDBFF, 0xDFFF};
    static const uint16_t lone_high[] = {'a', 0xD800, 'b'};
    static const uint16_t lone_low[] = {0xDC00, 0xD800};
    static const uint16_t high_at_end[] = {0xDBFF};
    static const uint16_t high_before_pair[] = {0xD83D, 0xD83D, 0xDE00};
    static const uint16_t mark[] = {0xFEFF, 'x'};
    round_trip(plain, 6, "C:\\\xC3\xA9\xE4\xB8\xAD\xEF\xBF\xBF");
    round_trip(pair, 3, "\xF0\x9F\x98\x80x");
    round_trip(edges, 4, "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
    round_trip(lone_high, 3,
               "a\xED\xA0\x80"
               "b");
    round_trip(lone_low, 2, "\xED\xB0\x80\xED\xA0\x80");
    round_trip(high_at_end, 1, "\xED\xAF\xBF");
    round_trip(high_before_pair, 3, "\xED\xA0\xBD\xF0\x9F\x98\x80");
    round_trip(mark, 2, "\xEF\xBB\xBFx");
    round_trip(plain, 0, "");
}

static void test_text_every_unit_round_trips(void **state) {
    (void)state;
    cs_buffer text = {0}, back = {0};
    for (uint32_t unit = 0; unit <= 0xFFFF; unit++) {
        uint16_t one = (uint16_t)unit;
        cs_buffer_clear(&text);
        cs_buffer_clear(&back);
        cs_wtf8_from_utf16(&text, &one, 1);
        assert_true(cs_utf16le_from_wtf8(&back, text.data, text.size));
        assert_int_equal(back.size, 2);
        assert_int_equal((unsigned char)back.data[0] | (unsigned char)back.data[1] << 8, unit);
    }
    cs_buffer_free(&text);
    cs_buffer_free(&back);
}

static void test_text_utf16_refuses_what_is_no_wtf8(void **state) {
    (void)state;
    static const char *const bad[] = {"\xFF", "\xC0\x80", "\xE2\x82", "\xED\xA0\xBD\xED\xB8\x80", "\xF4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cs_buffer out = {0};
        assert_false(cs_utf16le_from_wtf8(&out, bad[i], strlen(bad[i])));
        cs_buffer_free(&out);
    }
}

static void test_text_times(void **state) {
    (void)state;
    static const struct {
        int64_t filetime;
        const char *text;
    } rows[] = {{INT64_C(0), "1601-01-01T00:00:00Z"},
                {INT64_C(116444736000000000), "1970-01-01T00:00:00Z"},
                {INT64_C(116444735990000000), "1969-12-31T23:59:59Z"},
                {INT64_C(31292351990000000), "1700-02-28T23:59:59Z"},
                {INT64_C(31292352000000000), "1700-03-01T00:00:00Z"},
                {INT64_C(125963012960000000), "2000-02-29T12:34:56Z"},
                {INT64_C(126227807990000000), "2000-12-31T23:59:59Z"},
                {INT64_C(134404796130000000), "2026-11-30T02:33:33Z"},
                {INT64_C(157519296000000000), "2100-02-28T00:00:00Z"},
                {INT64_C(157520160000000000), "2100-03-01T00:00:00Z"},
                {INT64_C(2650467743990000000), "9999-12-31T23:59:59Z"},
                {INT64_C(116444736000000000) - 1, "1969-12-31T23:59:59Z"}};
    char text[21];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_time_text(rows[i].filetime, text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_compares_ascii_without_case),
        cmocka_unit_test(test_text_prefixes_and_suffixes),
        cmocka_unit_test(test_text_utf8_valid),
        cmocka_unit_test(test_text_utf8_decode),
        cmocka_unit_test(test_text_hex_round_trip),
        cmocka_unit_test(test_text_unhex_refuses_everything_else),
        cmocka_unit_test(test_text_visible_leaves_ordinary_text),
        cmocka_unit_test(test_text_visible_shows_what_could_deceive),
        cmocka_unit_test(test_text_visible_shows_invalid_bytes),
        cmocka_unit_test(test_text_wtf8_round_trips),
        cmocka_unit_test(test_text_every_unit_round_trips),
        cmocka_unit_test(test_text_utf16_refuses_what_is_no_wtf8),
        cmocka_unit_test(test_text_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
