#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/buffer.h"

static void test_buffer_starts_empty(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    assert_string_equal(cs_buffer_string(&buffer), "");
    assert_int_equal(cs_buffer_check(&buffer, NULL), CS_OK);
    cs_buffer_free(&buffer);
}

static void test_buffer_is_always_terminated(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    for (size_t i = 0; i < 1000; i++) {
        cs_buffer_append(&buffer, "x", 1);
        assert_int_equal(buffer.size, i + 1);
        assert_int_equal(buffer.data[buffer.size], 0);
        assert_true(buffer.capacity > buffer.size);
    }
    cs_buffer_append(&buffer, NULL, 0);
    assert_int_equal(buffer.size, 1000);
    cs_buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.capacity, 0);
}

static void test_buffer_keeps_nul_bytes(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    cs_buffer_append(&buffer, "a\0b", 3);
    cs_buffer_text(&buffer, "c");
    cs_buffer_text(&buffer, NULL);
    assert_int_equal(buffer.size, 4);
    assert_memory_equal(buffer.data, "a\0bc", 5);
    cs_buffer_free(&buffer);
}

static void test_buffer_formats_beyond_its_room(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    cs_buffer_text(&buffer, "<");
    cs_buffer_format(&buffer, "%0500d|%s|%zu", 7, "text", (size_t)12);
    assert_int_equal(buffer.size, 1 + 500 + 1 + 4 + 1 + 2);
    assert_string_equal(buffer.data + 500, "7|text|12");
    cs_buffer_free(&buffer);
}

static void test_buffer_clear_keeps_the_memory(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    cs_buffer_text(&buffer, "something");
    char *data = buffer.data;
    buffer.failed = true;
    cs_buffer_clear(&buffer);
    assert_int_equal(buffer.size, 0);
    assert_false(buffer.failed);
    assert_string_equal(cs_buffer_string(&buffer), "");
    cs_buffer_text(&buffer, "new");
    assert_ptr_equal(buffer.data, data);
    cs_buffer_free(&buffer);
}

static void test_buffer_remembers_a_failed_allocation(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    cs_error error = {0};
    cs_buffer_text(&buffer, "kept");
    cs_alloc_fail_at(1);
    cs_buffer_format(&buffer, "%0100d", 1);
    assert_true(buffer.failed);
    cs_buffer_text(&buffer, "x"); /* would fit, and does nothing: nobody may see text with a hole */
    assert_string_equal(buffer.data, "kept");
    assert_int_equal(cs_buffer_check(&buffer, &error), CS_E_NO_MEMORY);
    assert_int_equal(error.status, CS_E_NO_MEMORY);
    cs_buffer_free(&buffer);
    assert_int_equal(cs_buffer_check(&buffer, NULL), CS_OK);
}

static void test_buffer_refuses_impossible_sizes(void **state) {
    (void)state;
    cs_buffer buffer = {0};
    cs_buffer_text(&buffer, "x");
    cs_buffer_append(&buffer, "y", SIZE_MAX - 1);
    assert_true(buffer.failed);
    assert_int_equal(buffer.size, 1);
    cs_buffer_free(&buffer);
}

static void test_alloc_is_zeroed_and_checks_overflow(void **state) {
    (void)state;
    unsigned char *memory = cs_alloc(100, 3);
    assert_non_null(memory);
    for (size_t i = 0; i < 300; i++) assert_int_equal(memory[i], 0);
    cs_free(memory);
    volatile size_t huge = SIZE_MAX / 2 + 2; /* hidden from the compiler, which would warn */
    assert_null(cs_alloc(huge, 2));
    assert_null(cs_realloc(NULL, huge, 2));
    cs_free(NULL);
}

static void test_alloc_fails_once_at_the_chosen_call(void **state) {
    (void)state;
    cs_alloc_fail_at(3);
    void *a = cs_alloc(1, 1), *b = cs_realloc(NULL, 1, 1);
    char *c = cs_strdup("x"), *d = cs_strdup("y");
    assert_non_null(a);
    assert_non_null(b);
    assert_null(c);
    assert_string_equal(d, "y");
    cs_free(a);
    cs_free(b);
    cs_free(d);
    cs_alloc_fail_at(1);
    cs_alloc_fail_at(0);
    a = cs_alloc(1, 1);
    assert_non_null(a);
    cs_free(a);
    assert_null(cs_strdup(NULL));
}

static void test_strings_copies_what_is_added(void **state) {
    (void)state;
    cs_strings list = {0};
    char text[] = "first";
    assert_int_equal(cs_strings_add(&list, text, NULL), CS_OK);
    text[0] = 'F';
    assert_int_equal(cs_strings_add(&list, "", NULL), CS_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0], "first");
    assert_string_equal(list.items[1], "");
    cs_strings_free(&list);
    assert_int_equal(list.count, 0);
    assert_null(list.items);
}

static void test_strings_survive_failed_allocations(void **state) {
    (void)state;
    cs_strings list = {0};
    cs_error error = {0};
    assert_int_equal(cs_strings_add(&list, "kept", NULL), CS_OK);
    for (unsigned long n = 1; n <= 2; n++) {
        cs_alloc_fail_at(n);
        assert_int_equal(cs_strings_add(&list, "lost", &error), CS_E_NO_MEMORY);
        cs_alloc_fail_at(0);
        assert_int_equal(list.count, 1);
        assert_string_equal(list.items[0], "kept");
    }
    cs_strings_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer_starts_empty),
        cmocka_unit_test(test_buffer_is_always_terminated),
        cmocka_unit_test(test_buffer_keeps_nul_bytes),
        cmocka_unit_test(test_buffer_formats_beyond_its_room),
        cmocka_unit_test(test_buffer_clear_keeps_the_memory),
        cmocka_unit_test(test_buffer_remembers_a_failed_allocation),
        cmocka_unit_test(test_buffer_refuses_impossible_sizes),
        cmocka_unit_test(test_alloc_is_zeroed_and_checks_overflow),
        cmocka_unit_test(test_alloc_fails_once_at_the_chosen_call),
        cmocka_unit_test(test_strings_copies_what_is_added),
        cmocka_unit_test(test_strings_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
