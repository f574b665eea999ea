/* Raw registry values: copies, comparison, and text in and out of UTF-16LE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/registry.h"

static cs_reg_value raw(uint32_t type, const void *bytes, size_t size) {
    cs_reg_value view = {.present = true, .type = type, .size = size}, copy = {0};
    union {
        const void *in;
        uint8_t *out;
    } pointer = {bytes};
    view.bytes = pointer.out;
    assert_int_equal(cs_reg_value_copy(&copy, &view, NULL), CS_OK);
    return copy;
}

static void test_registry_value_from_text_has_one_terminator(void **state) {
    (void)state;
    cs_reg_value value = {0};
    assert_int_equal(cs_reg_value_from_text(&value, CS_REG_EXPAND_SZ, "a\xC3\xA9\xF0\x9F\x98\x80", NULL), CS_OK);
    static const uint8_t expected[] = {'a', 0, 0xE9, 0, 0x3D, 0xD8, 0x00, 0xDE, 0, 0};
    assert_true(value.present);
    assert_int_equal(value.type, CS_REG_EXPAND_SZ);
    assert_int_equal(value.size, sizeof expected);
    assert_memory_equal(value.bytes, expected, sizeof expected);
    cs_reg_value_free(&value);
    assert_false(value.present);
}

static void test_registry_value_from_text_empty(void **state) {
    (void)state;
    cs_reg_value value = {0};
    assert_int_equal(cs_reg_value_from_text(&value, CS_REG_SZ, "", NULL), CS_OK);
    assert_int_equal(value.size, 2);
    assert_memory_equal(value.bytes, "\0\0", 2);
    cs_reg_value_free(&value);
}

static void test_registry_value_from_text_refuses_what_is_not_utf8(void **state) {
    (void)state;
    cs_reg_value value = {0};
    cs_error error = {0};
    assert_int_equal(cs_reg_value_from_text(&value, CS_REG_SZ, "a\xFF", &error), CS_E_FORMAT);
    assert_false(value.present);
    assert_null(value.bytes);
}

static void test_registry_value_to_text_stops_at_the_first_nul(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_reg_value value = raw(CS_REG_SZ, "C\0:\0\0\0x\0\0", 10);
    assert_int_equal(cs_reg_value_to_text(&value, &text, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&text), "C:");
    cs_reg_value_free(&value);
    cs_buffer_free(&text);
}

static void test_registry_value_to_text_without_terminator_and_with_odd_size(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_reg_value value = raw(CS_REG_EXPAND_SZ, "C\0:\0\\", 5);
    assert_int_equal(cs_reg_value_to_text(&value, &text, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&text), "C:");
    cs_reg_value_free(&value);
    value = raw(CS_REG_SZ, "", 0);
    assert_int_equal(cs_reg_value_to_text(&value, &text, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&text), "");
    cs_reg_value_free(&value);
    cs_buffer_free(&text);
}

static void test_registry_value_to_text_refuses_other_types_and_absence(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_error error = {0};
    cs_reg_value value = raw(CS_REG_DWORD, "\1\0\0\0", 4), absent = {0};
    assert_int_equal(cs_reg_value_to_text(&value, &text, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, "type 4 is not a string");
    assert_int_equal(cs_reg_value_to_text(&absent, &text, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, "absent");
    cs_reg_value_free(&value);
    cs_buffer_free(&text);
}

static void test_registry_value_lone_surrogate_survives(void **state) {
    (void)state;
    cs_buffer text = {0};
    static const uint8_t bytes[] = {'a', 0, 0x00, 0xD8, 'b', 0, 0, 0};
    cs_reg_value value = raw(CS_REG_SZ, bytes, sizeof bytes), back = {0};
    assert_int_equal(cs_reg_value_to_text(&value, &text, NULL), CS_OK);
    assert_int_equal(cs_reg_value_from_text(&back, CS_REG_SZ, cs_buffer_string(&text), NULL), CS_OK);
    assert_true(cs_reg_value_equal(&value, &back));
    cs_reg_value_free(&value);
    cs_reg_value_free(&back);
    cs_buffer_free(&text);
}

static void test_registry_value_equal_looks_at_presence_type_and_bytes(void **state) {
    (void)state;
    cs_reg_value a = raw(CS_REG_SZ, "a\0\0", 4), b = raw(CS_REG_EXPAND_SZ, "a\0\0", 4), c = raw(CS_REG_SZ, "a\0\0", 3),
                 d = raw(CS_REG_SZ, "b\0\0", 4), empty = raw(CS_REG_SZ, "", 0), absent = {0}, same = {0};
    assert_int_equal(cs_reg_value_copy(&same, &a, NULL), CS_OK);
    assert_true(cs_reg_value_equal(&a, &same));
    assert_ptr_not_equal(a.bytes, same.bytes);
    assert_false(cs_reg_value_equal(&a, &b));
    assert_false(cs_reg_value_equal(&a, &c));
    assert_false(cs_reg_value_equal(&a, &d));
    assert_false(cs_reg_value_equal(&empty, &absent));
    assert_true(cs_reg_value_equal(&empty, &empty));
    assert_true(cs_reg_value_equal(&absent, &absent));
    cs_reg_value *all[] = {&a, &b, &c, &d, &empty, &same};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cs_reg_value_free(all[i]);
}

static void test_registry_value_out_of_memory(void **state) {
    (void)state;
    cs_reg_value value = raw(CS_REG_SZ, "a\0\0", 4), copy = {0};
    cs_alloc_fail_at(1);
    assert_int_equal(cs_reg_value_copy(&copy, &value, NULL), CS_E_NO_MEMORY);
    cs_alloc_fail_at(1);
    assert_int_equal(cs_reg_value_from_text(&copy, CS_REG_SZ, "text", NULL), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    assert_false(copy.present);
    cs_reg_value_free(&value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry_value_from_text_has_one_terminator),
        cmocka_unit_test(test_registry_value_from_text_empty),
        cmocka_unit_test(test_registry_value_from_text_refuses_what_is_not_utf8),
        cmocka_unit_test(test_registry_value_to_text_stops_at_the_first_nul),
        cmocka_unit_test(test_registry_value_to_text_without_terminator_and_with_odd_size),
        cmocka_unit_test(test_registry_value_to_text_refuses_other_types_and_absence),
        cmocka_unit_test(test_registry_value_lone_surrogate_survives),
        cmocka_unit_test(test_registry_value_equal_looks_at_presence_type_and_bytes),
        cmocka_unit_test(test_registry_value_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
