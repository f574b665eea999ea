/* SHA-256 of an open file: block edges, progress, cancelling, read errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/hash.h"
#include "memory_host.h"

enum { BLOCK = 128 * 1024 }; /* what the code reads at a time: the sizes below lie around it */

static cs_file *open_file(memory_host *host, const void *bytes, size_t size) {
    cs_file *file = NULL;
    const cs_fs *fs = memory_host_seam(host)->fs;
    assert_true(memory_host_file(host, "C:\\file", bytes, size));
    assert_int_equal(fs->open(fs->ctx, "C:\\file", CS_OPEN_READ, &file, NULL), CS_OK);
    return file;
}

static cs_status count_calls(void *ctx, uint64_t done) {
    uint64_t *seen = ctx;
    seen[0]++;
    seen[1] = done;
    return seen[2] && seen[0] == seen[2] ? CS_E_CANCELLED : CS_OK;
}

static void test_hash_file_equals_the_hash_of_its_bytes(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t have[CS_SHA256_SIZE], want[CS_SHA256_SIZE];
        uint64_t size = 99, seen[3] = {0};
        unsigned char *bytes = malloc(sizes[i] + 1);
        memory_host *host = memory_host_new();
        assert_non_null(bytes);
        for (size_t at = 0; at < sizes[i]; at++) bytes[at] = (unsigned char)(at * 31 + i);
        cs_file *file = open_file(host, bytes, sizes[i]);
        const cs_fs *fs = memory_host_seam(host)->fs;
        assert_int_equal(cs_sha256_file(fs, file, have, &size, count_calls, seen, NULL), CS_OK);
        assert_int_equal(cs_sha256_bytes(bytes, sizes[i], want, NULL), CS_OK);
        assert_memory_equal(have, want, CS_SHA256_SIZE);
        assert_int_equal(size, sizes[i]);
        assert_int_equal(seen[0], sizes[i] / BLOCK + 1);
        assert_int_equal(seen[1], sizes[i]);
        fs->close(fs->ctx, file);
        memory_host_free(host);
        free(bytes);
    }
}

static void test_hash_file_stops_when_progress_says_so(void **state) {
    (void)state;
    static const unsigned char bytes[3 * BLOCK];
    uint8_t digest[CS_SHA256_SIZE];
    uint64_t seen[3] = {0, 0, 2};
    cs_error error = {0};
    memory_host *host = memory_host_new();
    cs_file *file = open_file(host, bytes, sizeof bytes);
    const cs_fs *fs = memory_host_seam(host)->fs;
    assert_int_equal(cs_sha256_file(fs, file, digest, NULL, count_calls, seen, &error), CS_E_CANCELLED);
    assert_int_equal(error.status, CS_E_CANCELLED);
    assert_int_equal(seen[1], 2 * BLOCK);
    fs->close(fs->ctx, file);
    memory_host_free(host);
}

static void test_hash_file_reports_a_failed_read(void **state) {
    (void)state;
    static const unsigned char bytes[2 * BLOCK];
    for (unsigned long n = 1; n <= 3; n++) {
        uint8_t digest[CS_SHA256_SIZE];
        cs_error error = {0};
        memory_host *host = memory_host_new();
        cs_file *file = open_file(host, bytes, sizeof bytes);
        const cs_fs *fs = memory_host_seam(host)->fs;
        memory_host_fail_at(host, n, MEMORY_BEFORE, MEMORY_ONCE, 1117);
        assert_int_equal(cs_sha256_file(fs, file, digest, NULL, NULL, NULL, &error), CS_E_IO);
        assert_int_equal(error.system, 1117);
        fs->close(fs->ctx, file);
        memory_host_free(host);
    }
}

static void test_hash_file_out_of_memory(void **state) {
    (void)state;
    uint8_t digest[CS_SHA256_SIZE];
    cs_error error = {0};
    memory_host *host = memory_host_new();
    cs_file *file = open_file(host, "abc", 3);
    const cs_fs *fs = memory_host_seam(host)->fs;
    cs_alloc_fail_at(1);
    assert_int_equal(cs_sha256_file(fs, file, digest, NULL, NULL, NULL, &error), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    fs->close(fs->ctx, file);
    memory_host_free(host);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_file_equals_the_hash_of_its_bytes),
        cmocka_unit_test(test_hash_file_stops_when_progress_says_so),
        cmocka_unit_test(test_hash_file_reports_a_failed_read),
        cmocka_unit_test(test_hash_file_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
