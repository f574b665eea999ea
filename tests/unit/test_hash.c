/* SHA-256 against the examples of FIPS 180-2, and the running form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/hash.h"

static void assert_digest(const uint8_t digest[CS_SHA256_SIZE], const char *hex) {
    char text[CS_SHA256_HEX + 1];
    cs_hex(digest, CS_SHA256_SIZE, text);
    assert_string_equal(text, hex);
}

static void test_hash_empty(void **state) {
    (void)state;
    uint8_t digest[CS_SHA256_SIZE];
    assert_int_equal(cs_sha256_bytes("", 0, digest, NULL), CS_OK);
    assert_digest(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void test_hash_fips_one_block(void **state) {
    (void)state;
    uint8_t digest[CS_SHA256_SIZE];
    assert_int_equal(cs_sha256_bytes("abc", 3, digest, NULL), CS_OK);
    assert_digest(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_hash_fips_two_blocks(void **state) {
    (void)state;
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t digest[CS_SHA256_SIZE];
    assert_int_equal(cs_sha256_bytes(text, sizeof text - 1, digest, NULL), CS_OK);
    assert_digest(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_hash_fips_million_in_uneven_pieces(void **state) {
    (void)state;
    char block[997];
    uint8_t digest[CS_SHA256_SIZE];
    cs_sha256 *hash;
    memset(block, 'a', sizeof block);
    assert_int_equal(cs_sha256_new(&hash, NULL), CS_OK);
    for (size_t left = 1000000; left;) {
        size_t size = left < sizeof block ? left : sizeof block;
        assert_int_equal(cs_sha256_update(hash, block, size, NULL), CS_OK);
        left -= size;
    }
    assert_int_equal(cs_sha256_finish(hash, digest, NULL), CS_OK);
    cs_sha256_free(hash);
    assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_hash_is_ready_for_the_next_message(void **state) {
    (void)state;
    uint8_t digest[CS_SHA256_SIZE];
    cs_sha256 *hash;
    assert_int_equal(cs_sha256_new(&hash, NULL), CS_OK);
    assert_int_equal(cs_sha256_update(hash, "something else", 14, NULL), CS_OK);
    assert_int_equal(cs_sha256_finish(hash, digest, NULL), CS_OK);
    assert_int_equal(cs_sha256_update(hash, "abc", 3, NULL), CS_OK);
    assert_int_equal(cs_sha256_finish(hash, digest, NULL), CS_OK);
    cs_sha256_free(hash);
    assert_digest(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_hash_free_accepts_null(void **state) {
    (void)state;
    cs_sha256_free(NULL);
    cs_sha256 *hash = NULL;
    cs_alloc_fail_at(1);
    assert_int_equal(cs_sha256_new(&hash, NULL), CS_E_NO_MEMORY);
    assert_null(hash);
    cs_alloc_fail_at(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_empty),
        cmocka_unit_test(test_hash_fips_one_block),
        cmocka_unit_test(test_hash_fips_two_blocks),
        cmocka_unit_test(test_hash_fips_million_in_uneven_pieces),
        cmocka_unit_test(test_hash_is_ready_for_the_next_message),
        cmocka_unit_test(test_hash_free_accepts_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
