/* What every implementation of cs_registry promises, against the real registry (HKCU, below a key of its own). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "skip.h"

#include "cudnn_setup/host.h"
#include "cudnn_setup/text.h"

static const cs_registry *registry;
static char top[80], key[120];

static cs_status take_name(void *ctx, const char *name) { return cs_strings_add(ctx, name, NULL); }

static int setup(void **state) {
    (void)state;
    registry = cs_registry_real();
    if (!registry) return 0;
    uint8_t random[8];
    char hex[2 * sizeof random + 1];
    assert_int_equal(cs_system_real()->random(NULL, random, sizeof random, NULL), CS_OK);
    cs_hex(random, sizeof random, hex);
    snprintf(top, sizeof top, "Software\\cudnn-setup-test-%s", hex);
    snprintf(key, sizeof key, "%s\\\xC3\xA9 [x] & 100%%", top);
    return 0;
}

static void remove_key(const char *path) {
    cs_strings names = {0};
    cs_reg_value absent = {0};
    if (registry->list_values(registry->ctx, CS_HKCU, path, take_name, &names, NULL) == CS_OK)
        for (size_t i = 0; i < names.count; i++)
            assert_int_equal(registry->write(registry->ctx, CS_HKCU, path, names.items[i], &absent, NULL), CS_OK);
    cs_strings_free(&names);
    if (registry->list_keys(registry->ctx, CS_HKCU, path, take_name, &names, NULL) == CS_OK)
        for (size_t i = 0; i < names.count; i++) {
            cs_buffer child = {0};
            cs_buffer_format(&child, "%s\\%s", path, names.items[i]);
            remove_key(child.data);
            cs_buffer_free(&child);
        }
    cs_strings_free(&names);
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, path, NULL), CS_OK);
}

static int teardown(void **state) {
    (void)state;
    if (registry) remove_key(top);
    return 0;
}

static void need_registry(void) {
    if (!registry) SKIP("this system has no registry");
}

static cs_status put(const char *name, uint32_t type, const void *bytes, size_t size) {
    union {
        const void *in;
        uint8_t *out;
    } pointer = {bytes};
    const cs_reg_value value = {.present = true, .type = type, .bytes = pointer.out, .size = size};
    return registry->write(registry->ctx, CS_HKCU, key, name, &value, NULL);
}

static cs_reg_value get(const char *name) {
    cs_reg_value value;
    assert_int_equal(registry->read(registry->ctx, CS_HKCU, key, name, &value, NULL), CS_OK);
    return value;
}

static void assert_round_trip(uint32_t type, const void *bytes, size_t size) {
    assert_int_equal(put("value", type, bytes, size), CS_OK);
    cs_reg_value value = get("value");
    assert_true(value.present);
    assert_int_equal(value.type, type);
    assert_int_equal(value.size, size);
    if (size)
        assert_memory_equal(value.bytes, bytes, size);
    else
        assert_null(value.bytes);
    cs_reg_value_free(&value);
}

static void test_registry_seam_absent_key_and_value(void **state) {
    (void)state;
    need_registry();
    cs_reg_value value = get("value");
    assert_false(value.present);
    assert_int_equal(put("other", CS_REG_SZ, "\0\0", 2), CS_OK);
    value = get("value");
    assert_false(value.present);
    assert_null(value.bytes);
}

static void test_registry_seam_raw_bytes_of_every_type(void **state) {
    (void)state;
    need_registry();
    static const char path[] = "%\0P\0A\0T\0H\0%\0;\0C\0:\0\\\0x\0;\0;\0\"\0D\0:\0\\\0\"\0\0"; /* one terminator in all */
    assert_round_trip(CS_REG_SZ, path, sizeof path);
    assert_round_trip(CS_REG_EXPAND_SZ, path, sizeof path);
    assert_round_trip(CS_REG_MULTI_SZ, "a\0\0\0b\0\0\0\0", 10);
    assert_round_trip(CS_REG_BINARY, "\0\1\2\3\377", 5);
    assert_round_trip(CS_REG_DWORD, "\1\2\3\4", 4);
    assert_round_trip(CS_REG_QWORD, "\1\2\3\4\5\6\7\10", 8);
    assert_round_trip(CS_REG_NONE, "x", 1);
    assert_round_trip(77, "unknown type", 12);
}

static void test_registry_seam_odd_sizes_missing_terminators_and_embedded_nul(void **state) {
    (void)state;
    need_registry();
    static const char more[] = "a\0b\0\0\0c"; /* what lies behind the bytes is not taken along */
    assert_round_trip(CS_REG_SZ, more, 4);
    assert_round_trip(CS_REG_EXPAND_SZ, more, 3);
    assert_round_trip(CS_REG_SZ, "a\0b\0", 4);          /* no terminator */
    assert_round_trip(CS_REG_EXPAND_SZ, "a\0b\0c", 5);  /* odd */
    assert_round_trip(CS_REG_SZ, "a\0\0\0b\0\0\0", 8);  /* text behind a NUL */
    assert_round_trip(CS_REG_SZ, "a\0\0\0\0\0\0\0", 8); /* three terminators */
    assert_round_trip(CS_REG_SZ, "\0\xD8x\0\0\0", 6);   /* a lone surrogate */
    assert_round_trip(CS_REG_DWORD, "\1\2\3", 3);
    assert_round_trip(CS_REG_SZ, "", 0);
    assert_round_trip(CS_REG_EXPAND_SZ, "\0\0", 2);
}

static void test_registry_seam_eighty_kilobytes(void **state) {
    (void)state;
    need_registry();
    enum { SIZE = 80 * 1024 };
    char *bytes = cs_alloc(SIZE, 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) bytes[i] = (char)(i * 31 + i / 256);
    assert_round_trip(CS_REG_EXPAND_SZ, bytes, SIZE);
    cs_free(bytes);
}

static void test_registry_seam_spelling_of_a_name_stays(void **state) {
    (void)state;
    need_registry();
    cs_buffer name = {0};
    assert_int_equal(put("Path", CS_REG_SZ, "a\0\0", 4), CS_OK);
    assert_int_equal(registry->value_name(registry->ctx, CS_HKCU, key, "PATH", &name, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&name), "Path");
    assert_int_equal(put("PATH", CS_REG_SZ, "b\0\0", 4), CS_OK);
    assert_int_equal(registry->value_name(registry->ctx, CS_HKCU, key, "path", &name, NULL), CS_OK);
    assert_string_equal(cs_buffer_string(&name), "Path"); /* writing under another spelling keeps the old one */
    cs_reg_value value = get("pAtH");
    assert_memory_equal(value.bytes, "b\0\0", 4);
    cs_reg_value_free(&value);
    assert_int_equal(registry->value_name(registry->ctx, CS_HKCU, key, "Pathological", &name, NULL), CS_E_NOT_FOUND);
    assert_int_equal(registry->value_name(registry->ctx, CS_HKCU, "Software\\no such key of ours", "x", &name, NULL),
                     CS_E_NOT_FOUND);
    cs_buffer_free(&name);
}

static void test_registry_seam_deleting_values(void **state) {
    (void)state;
    need_registry();
    cs_reg_value absent = {0};
    assert_int_equal(registry->write(registry->ctx, CS_HKCU, key, "value", &absent, NULL), CS_OK); /* no key even */
    assert_int_equal(put("value", CS_REG_SZ, "\0\0", 2), CS_OK);
    assert_int_equal(registry->write(registry->ctx, CS_HKCU, key, "VALUE", &absent, NULL), CS_OK);
    assert_false(get("value").present);
    assert_int_equal(registry->write(registry->ctx, CS_HKCU, key, "value", &absent, NULL), CS_OK);
}

static void test_registry_seam_lists(void **state) {
    (void)state;
    need_registry();
    cs_strings names = {0};
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    assert_int_equal(put("one", CS_REG_SZ, "\0\0", 2), CS_OK);
    assert_int_equal(put("\xE6\x96\x87 [1]", CS_REG_DWORD, "\0\0\0\0", 4), CS_OK);
    assert_int_equal(put(longest, CS_REG_SZ, "\0\0", 2), CS_OK);
    assert_int_equal(registry->list_values(registry->ctx, CS_HKCU, key, take_name, &names, NULL), CS_OK);
    assert_int_equal(names.count, 3);
    unsigned seen = 0;
    for (size_t i = 0; i < names.count; i++) {
        if (strcmp(names.items[i], "one") == 0) seen |= 1;
        if (strcmp(names.items[i], "\xE6\x96\x87 [1]") == 0) seen |= 2;
        if (strcmp(names.items[i], longest) == 0) seen |= 4;
    }
    assert_int_equal(seen, 7);
    cs_strings_free(&names);
    assert_int_equal(registry->list_keys(registry->ctx, CS_HKCU, top, take_name, &names, NULL), CS_OK);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0], "\xC3\xA9 [x] & 100%");
    cs_strings_free(&names);
    assert_int_equal(registry->list_keys(registry->ctx, CS_HKCU, "Software\\no such key of ours", take_name, &names, NULL),
                     CS_E_NOT_FOUND);
}

static void test_registry_seam_only_empty_keys_are_removed(void **state) {
    (void)state;
    need_registry();
    cs_reg_value absent = {0};
    assert_int_equal(put("value", CS_REG_SZ, "\0\0", 2), CS_OK);
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, top, NULL), CS_E_NOT_EMPTY); /* a subkey */
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, key, NULL), CS_E_NOT_EMPTY); /* a value */
    assert_int_equal(registry->write(registry->ctx, CS_HKCU, key, "value", &absent, NULL), CS_OK);
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, key, NULL), CS_OK);
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, key, NULL), CS_OK); /* absent */
    assert_int_equal(registry->remove_empty_key(registry->ctx, CS_HKCU, top, NULL), CS_OK);
}

static void test_registry_seam_flush(void **state) {
    (void)state;
    need_registry();
    assert_int_equal(put("value", CS_REG_SZ, "\0\0", 2), CS_OK);
    assert_int_equal(registry->flush(registry->ctx, CS_HKCU, key, NULL), CS_OK);
    assert_int_equal(registry->flush(registry->ctx, CS_HKCU, "Software\\no such key of ours", NULL), CS_E_NOT_FOUND);
}

static void test_registry_seam_the_machine_environment_can_be_read(void **state) {
    (void)state;
    need_registry();
    cs_buffer name = {0};
    cs_reg_value value;
    assert_int_equal(registry->value_name(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, "PATH", &name, NULL), CS_OK);
    assert_int_equal(registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, name.data, &value, NULL), CS_OK);
    assert_true(value.present);
    assert_true(value.type == CS_REG_SZ || value.type == CS_REG_EXPAND_SZ);
    assert_true(value.size > 2);
    cs_reg_value_free(&value);
    cs_buffer_free(&name);
}

static void test_registry_seam_out_of_memory(void **state) {
    (void)state;
    need_registry();
    cs_reg_value value;
    assert_int_equal(put("value", CS_REG_SZ, "\0\0", 2), CS_OK);
    for (unsigned long n = 1; n < 20; n++) {
        cs_alloc_fail_at(n);
        cs_status status = registry->read(registry->ctx, CS_HKCU, key, "value", &value, NULL);
        cs_alloc_fail_at(0);
        if (status == CS_OK) {
            assert_true(n > 2); /* key and value names at least */
            assert_true(value.present);
            cs_reg_value_free(&value);
            return;
        }
        assert_int_equal(status, CS_E_NO_MEMORY);
        assert_false(value.present);
    }
    fail();
}

#define with_key(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        with_key(test_registry_seam_absent_key_and_value),
        with_key(test_registry_seam_raw_bytes_of_every_type),
        with_key(test_registry_seam_odd_sizes_missing_terminators_and_embedded_nul),
        with_key(test_registry_seam_eighty_kilobytes),
        with_key(test_registry_seam_spelling_of_a_name_stays),
        with_key(test_registry_seam_deleting_values),
        with_key(test_registry_seam_lists),
        with_key(test_registry_seam_only_empty_keys_are_removed),
        with_key(test_registry_seam_flush),
        with_key(test_registry_seam_the_machine_environment_can_be_read),
        with_key(test_registry_seam_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
