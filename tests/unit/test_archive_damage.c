/* Damaged archives, archives that lie about sizes, and a machine that fails while one is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_case.h"

enum { ROWS = 3 };

static void assert_contains(const char *text, const char *part) {
    if (strstr(text, part)) return;
    print_error("\"%s\" is not in \"%s\"\n", part, text);
    fail();
}

/* ---- truncation and changed bytes ---- */

static void test_archive_damage_truncated_at_every_byte(void **state) {
    (void)state;
    static const package_shape shapes[] = {{.root = "cuda/"}, {.descriptors = true}, {.stored = true, .backslash = true}};
    package pack;
    cs_manifest manifest = {0};
    package_init(&pack, ROWS);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        size_t whole;
        unsigned char *zip = package_zip(&pack, &shapes[i], &whole);
        for (size_t size = 0; size < whole; size++) {
            archive_run run;
            archive_run_init(&run, zip, size);
            assert_int_equal(archive_run_go(&run, &manifest), CS_E_ARCHIVE_BAD);
            assert_int_equal(run.begun, 0);
            archive_run_free(&run);
        }
        free(zip);
    }
    cs_manifest_free(&manifest);
    package_free(&pack);
}

/* Every mutant is refused, or its files are exactly right (a byte that decides nothing was hit). */
static void assert_mutant(const package *pack, const cs_manifest *manifest, const unsigned char *zip, size_t size) {
    archive_run run;
    archive_run_init(&run, zip, size);
    cs_status status = archive_run_go(&run, manifest);
    if (status == CS_OK)
        assert_true(archive_run_exact(&run, pack));
    else
        assert_int_equal(status, CS_E_ARCHIVE_BAD);
    assert_int_equal(memory_host_open_files(run.host), 0);
    archive_run_free(&run);
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void test_archive_damage_every_byte_changed_once(void **state) {
    (void)state;
    package pack;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, ROWS);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/", .descriptors = true}, &size);
    for (size_t at = 0; at < size; at++) {
        unsigned char kept = zip[at];
        zip[at] = (unsigned char)(kept ^ (1u << at % 8));
        assert_mutant(&pack, &manifest, zip, size);
        zip[at] = kept;
    }
    free(zip);
    cs_manifest_free(&manifest);
    package_free(&pack);
}

static void test_archive_damage_random_bytes_changed(void **state) {
    (void)state;
    package pack;
    cs_manifest manifest = {0};
    size_t size;
    uint32_t random = 2463534242u;
    package_init(&pack, ROWS);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/", .folders = true}, &size);
    unsigned char *mutant = malloc(size);
    assert_non_null(mutant);
    for (int round = 0; round < 3000; round++) {
        memcpy(mutant, zip, size);
        size_t changes = 1 + next_random(&random) % 8;
        /* half of the rounds change the directory and its end, where the decisions are */
        size_t from = round % 2 ? 0 : size - size / 4;
        for (size_t i = 0; i < changes; i++)
            mutant[from + next_random(&random) % (size - from)] = (unsigned char)next_random(&random);
        assert_mutant(&pack, &manifest, mutant, size);
    }
    free(mutant);
    free(zip);
    cs_manifest_free(&manifest);
    package_free(&pack);
}

/* ---- entries that lie ---- */

/* A package of one row, packed as the entry says. */
static void run_one(const zip_entry *lying, manifest_trust trust, archive_run *run) {
    package pack;
    cs_manifest manifest = {0};
    zip_writer writer;
    unsigned char *zip;
    size_t size;
    zip_entry entry = *lying;
    package_init(&pack, 1);
    entry.name = package_source(&pack, 0);
    if (!entry.bytes && !entry.produce) {
        entry.bytes = pack.content[0].data;
        entry.size = pack.content[0].size;
    }
    if (entry.lie_size && entry.size_lie == 0) entry.size_lie = pack.content[0].size;
    zip_begin(&writer, NULL);
    zip_add(&writer, &entry);
    zip_end(&writer, NULL);
    assert_true(zip_close(&writer, &zip, &size));
    package_manifest(&pack, trust, zip, size, NULL, 0, &manifest);
    archive_run_init(run, zip, size);
    run->keep_nothing = true;
    archive_run_go(run, &manifest);
    free(zip);
    cs_manifest_free(&manifest);
    package_free(&pack);
}

static void test_archive_damage_wrong_crc(void **state) {
    (void)state;
    for (int trust = PINNED; trust <= SEALED; trust++)
        for (int descriptor = 0; descriptor <= 1; descriptor++) {
            archive_run run;
            zip_entry entry = {.method = ZIP_DEFLATE, .descriptor = descriptor, .lie_crc = true, .crc_lie = 1};
            run_one(&entry, (manifest_trust)trust, &run);
            assert_int_equal(run.status, CS_E_ARCHIVE_BAD);
            assert_contains(run.message, "The archive is damaged: download it again");
            assert_int_equal(run.ended, 0);
            archive_run_free(&run);
        }
}

static void test_archive_damage_wrong_compressed_size(void **state) {
    (void)state;
    static const uint64_t lies[] = {0, 1, 100, 0x7FFFFFFF};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        for (int trust = PINNED; trust <= SEALED; trust++) {
            archive_run run;
            run_one(&(zip_entry){.method = ZIP_DEFLATE, .lie_compressed = true, .compressed_lie = lies[i]}, (manifest_trust)trust,
                    &run);
            assert_int_equal(run.status, CS_E_ARCHIVE_BAD);
            assert_int_equal(run.ended, 0);
            archive_run_free(&run);
        }
}

static void zeros(void *ctx, uint64_t offset, void *out, size_t size) {
    (void)ctx;
    (void)offset;
    memset(out, 0, size);
}

/* Z10: the directory promises what the manifest says, the data goes on: nothing beyond the promise is written. */
static void test_archive_z10_bomb_stops_at_the_promised_size(void **state) {
    (void)state;
    for (int trust = PINNED; trust <= SEALED; trust++)
        for (int descriptor = 0; descriptor <= 1; descriptor++) {
            archive_run run;
            zip_entry entry = {.method = ZIP_DEFLATE,
                               .level = 9,
                               .produce = zeros,
                               .size = UINT64_C(64) << 20,
                               .descriptor = descriptor,
                               .lie_size = true};
            run_one(&entry, (manifest_trust)trust, &run);
            assert_int_equal(run.status, CS_E_ARCHIVE_BAD);
            assert_contains(run.message, "more bytes than the archive says: stopped there");
            assert_int_equal(run.begun, 1);
            assert_true(run.written <= run.promised[0]);
            assert_int_equal(run.ended, 0);
            archive_run_free(&run);
        }
}

static void test_archive_z10_one_byte_more_and_one_less(void **state) {
    (void)state;
    package pack;
    package_init(&pack, 1);
    uint64_t size = pack.content[0].size;
    package_free(&pack);
    for (int method = ZIP_STORED; method <= ZIP_DEFLATE; method += ZIP_DEFLATE)
        for (int64_t more = -1; more <= 1; more += 2) {
            archive_run run;
            zip_entry entry = {.method = method, .lie_size = true, .size_lie = (uint64_t)((int64_t)size + more)};
            run_one(&entry, PINNED, &run); /* the pinned hash is right: only the entry contradicts itself */
            assert_int_equal(run.status, CS_E_ARCHIVE_BAD);
            assert_true(run.written <= run.promised[0]);
            assert_int_equal(run.ended, 0);
            archive_run_free(&run);
        }
}

static void test_archive_z10_declared_size_is_bounded_without_a_sealed_one(void **state) {
    (void)state;
    archive_run run;
    run_one(&(zip_entry){.method = ZIP_DEFLATE, .lie_size = true, .size_lie = (UINT64_C(2) << 30) + 1}, PINNED, &run);
    assert_int_equal(run.status, CS_E_ARCHIVE_BAD);
    assert_contains(run.message, "1 of 1 files are larger than any cuDNN file");
    assert_int_equal(run.begun, 0);
    archive_run_free(&run);
}

static void test_archive_z10_total_size_is_bounded(void **state) {
    (void)state;
    package pack;
    archive_run run;
    zip_writer writer;
    cs_manifest manifest = {0};
    unsigned char *zip;
    size_t size;
    package_init(&pack, 5);
    zip_begin(&writer, NULL);
    for (size_t row = 0; row < 5; row++)
        zip_add(&writer, &(zip_entry){.name = package_source(&pack, row),
                                      .bytes = "x",
                                      .size = 1,
                                      .method = ZIP_DEFLATE,
                                      .lie_size = true,
                                      .size_lie = UINT64_C(2) << 30});
    zip_end(&writer, NULL);
    assert_true(zip_close(&writer, &zip, &size));
    package_manifest(&pack, PINNED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    run.accept_unverified = true;
    assert_int_equal(archive_run_go(&run, &manifest), CS_E_ARCHIVE_BAD);
    assert_contains(run.message, "1 of 5 files are larger than any cuDNN file");
    assert_int_equal(run.begun, 0);
    archive_run_free(&run);
    free(zip);
    cs_manifest_free(&manifest);
    package_free(&pack);
}

static void test_archive_large_file_arrives_in_small_blocks(void **state) {
    (void)state;
    for (int method = ZIP_STORED; method <= ZIP_DEFLATE; method += ZIP_DEFLATE) {
        archive_run run;
        run_one(&(zip_entry){.method = method, .produce = zeros, .size = 5000001}, PINNED, &run);
        assert_int_equal(run.status, CS_OK);
        assert_int_equal(run.written, 5000001);
        assert_int_equal(run.staged[0].size, 5000001);
        assert_in_range(run.largest_write, 1, 256 * 1024);
        archive_run_free(&run);
    }
}

/* ---- a machine that fails ---- */

/* Both ways of judging, with every allocation of ours failing once: out of memory or success, nothing else, nothing leaks. */
static void test_archive_out_of_memory_at_every_allocation(void **state) {
    (void)state;
    package pack;
    size_t size;
    package_init(&pack, ROWS);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/", .folders = true}, &size);
    for (int trust = PINNED; trust <= SEALED; trust++) {
        cs_manifest manifest = {0};
        cs_status status = CS_E_NO_MEMORY;
        unsigned long n = 1;
        package_manifest(&pack, (manifest_trust)trust, zip, size, NULL, 0, &manifest);
        for (; status != CS_OK; n++) {
            archive_run run;
            archive_run_init(&run, zip, size);
            cs_alloc_fail_at(n);
            status = archive_run_go(&run, &manifest);
            cs_alloc_fail_at(0);
            if (status == CS_OK)
                assert_true(archive_run_exact(&run, &pack));
            else
                assert_int_equal(status, CS_E_NO_MEMORY);
            assert_int_equal(memory_host_open_files(run.host), 0);
            archive_run_free(&run);
            assert_true(n < 500);
        }
        assert_true(n > 20); /* there were allocations to fail */
        cs_manifest_free(&manifest);
    }
    free(zip);
    package_free(&pack);
}

/* The same with an archive that is refused: the reason may be lost to memory, but nothing leaks and nothing is accepted. */
static void test_archive_out_of_memory_while_refusing(void **state) {
    (void)state;
    package pack;
    size_t size;
    cs_manifest manifest = {0};
    package_init(&pack, ROWS);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/", .without = 2}, &size);
    package_manifest(&pack, SEALED, NULL, 0, zip, size, &manifest);
    for (unsigned long n = 1; n < 60; n++) {
        archive_run run;
        archive_run_init(&run, zip, size);
        cs_alloc_fail_at(n);
        cs_status status = archive_run_go(&run, &manifest);
        cs_alloc_fail_at(0);
        assert_true(status == CS_E_NO_MEMORY || status == CS_E_ARCHIVE_BAD);
        assert_int_equal(run.begun, 0);
        archive_run_free(&run);
    }
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

/* Every call to the files fails once with "device error": that is the answer, not "bad archive". */
static void test_archive_read_errors_are_reported_as_such(void **state) {
    (void)state;
    package pack;
    size_t size;
    package_init(&pack, ROWS);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    for (int trust = PINNED; trust <= SEALED; trust++) {
        cs_manifest manifest = {0};
        unsigned long n = 1;
        package_manifest(&pack, (manifest_trust)trust, zip, size, NULL, 0, &manifest);
        for (bool failed = true; failed; n++) {
            archive_run run;
            archive_run_init(&run, zip, size);
            memory_host_fail_at(run.host, n, MEMORY_BEFORE, MEMORY_ONCE, 1117);
            cs_status status = archive_run_go(&run, &manifest);
            failed = memory_host_failed(run.host);
            if (failed && status != CS_OK) {
                assert_true(status == CS_E_IO || status == CS_E_ARCHIVE_OPEN);
                assert_int_equal(run.error.system, 1117);
            } else {
                assert_int_equal(status, CS_OK); /* no call was left to fail, or it was the closing one */
            }
            assert_int_equal(memory_host_open_files(run.host), 0);
            archive_run_free(&run);
            assert_true(n < 200);
        }
        assert_true(n > 6);
        cs_manifest_free(&manifest);
    }
    free(zip);
    package_free(&pack);
}

static cs_status refuse_begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    (void)ctx;
    (void)size;
    return row == 1 ? cs_fail(error, CS_E_NO_SPACE, "create", "row 1", NULL) : CS_OK;
}

static cs_status take_write(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    (void)row;
    (void)bytes;
    (void)size;
    (void)error;
    return CS_OK;
}

static cs_status take_end(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    (void)row;
    (void)staged;
    (void)error;
    ++*(unsigned *)ctx;
    return CS_OK;
}

static void test_archive_failing_sink_stops_with_its_own_error(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    cs_archive *archive = NULL;
    cs_error error = {0};
    cs_trust trust;
    unsigned ended = 0;
    size_t size;
    cs_sink sink = {.ctx = &ended, .begin = refuse_begin, .write = take_write, .end = take_end};
    package_init(&pack, ROWS);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    assert_int_equal(cs_archive_open(memory_host_seam(run.host), "C:\\Downloads\\package.zip", &archive, &error), CS_OK);
    assert_int_equal(cs_archive_judge(archive, &manifest, false, &trust, &error), CS_OK);
    assert_int_equal(cs_archive_extract(archive, &manifest, &trust, &sink, run.staged, NULL, &error), CS_E_NO_SPACE);
    assert_string_equal(error.path, "row 1");
    assert_int_equal(ended, 1);
    cs_archive_close(archive);
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_damage_truncated_at_every_byte),
        cmocka_unit_test(test_archive_damage_every_byte_changed_once),
        cmocka_unit_test(test_archive_damage_random_bytes_changed),
        cmocka_unit_test(test_archive_damage_wrong_crc),
        cmocka_unit_test(test_archive_damage_wrong_compressed_size),
        cmocka_unit_test(test_archive_z10_bomb_stops_at_the_promised_size),
        cmocka_unit_test(test_archive_z10_one_byte_more_and_one_less),
        cmocka_unit_test(test_archive_z10_declared_size_is_bounded_without_a_sealed_one),
        cmocka_unit_test(test_archive_z10_total_size_is_bounded),
        cmocka_unit_test(test_archive_large_file_arrives_in_small_blocks),
        cmocka_unit_test(test_archive_out_of_memory_at_every_allocation),
        cmocka_unit_test(test_archive_out_of_memory_while_refusing),
        cmocka_unit_test(test_archive_read_errors_are_reported_as_such),
        cmocka_unit_test(test_archive_failing_sink_stops_with_its_own_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
