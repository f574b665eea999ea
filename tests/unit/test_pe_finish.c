/* The step after linking (cmake/tools/pe_finish.h), on a small x64 program made here. */
#include "pe_finish.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    PE = 0x80,
    FILE_HEADER = PE + 4,
    OPTIONAL = FILE_HEADER + 20,
    OPTIONAL_SIZE = 112 + 16 * 8,
    SECTIONS = OPTIONAL + OPTIONAL_SIZE,
    RDATA = 0x400,
    RDATA_ADDRESS = 0x4000,
    RDATA_SIZE = 0x200,
    MARKER = RDATA + 0x20,
    RSRC = RDATA + RDATA_SIZE,
    IMAGE_SIZE = RSRC + 0x200,
    CHECKSUM = OPTIONAL + 64,
    DLL_FLAGS = OPTIONAL + 70,
    LOAD_CONFIG = OPTIONAL + 112 + 8 * 10,
};

static uint8_t image[IMAGE_SIZE];

static void put(size_t at, int bytes, uint32_t value) {
    for (int i = 0; i < bytes; i++) image[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get(size_t at, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)image[at + (size_t)i] << (8 * i);
    return value;
}

static void put_section(size_t index, const char *name, uint32_t address, uint32_t raw) {
    size_t at = SECTIONS + 40 * index;
    memset(image + at, 0, 40);
    memcpy(image + at, name, strlen(name));
    put(at + 8, 4, RDATA_SIZE);
    put(at + 12, 4, address);
    put(at + 16, 4, RDATA_SIZE);
    put(at + 20, 4, raw);
}

static void put_load_config(size_t at) {
    memcpy(image + at, PE_FINISH_MARKER, PE_FINISH_MARKER_SIZE);
    put(at + PE_FINISH_MARKER_SIZE, 4, PE_FINISH_LOAD_CONFIG_SIZE);
    put(at + PE_FINISH_MARKER_SIZE + 78, 2, 0x0800);
}

/* A program as the linker leaves it: ASLR, high entropy and DEP on, no swap bits, no directory, no checksum. */
static void make_image(void) {
    memset(image, 0, sizeof image);
    memcpy(image, "MZ", 2);
    put(60, 4, PE);
    memcpy(image + PE, "PE\0\0", 4);
    put(FILE_HEADER, 2, 0x8664);
    put(FILE_HEADER + 2, 2, 2);
    put(FILE_HEADER + 16, 2, OPTIONAL_SIZE);
    put(FILE_HEADER + 18, 2, 0x022e);
    put(OPTIONAL, 2, 0x20b);
    put(DLL_FLAGS, 2, 0x0160);
    put(OPTIONAL + 108, 4, 16);
    put_section(0, ".rdata", RDATA_ADDRESS, RDATA);
    put_section(1, ".rsrc", 0x5000, RSRC);
    put_load_config(MARKER);
}

static void test_pe_finish_sets_flags(void **state) {
    (void)state;
    make_image();
    assert_null(pe_finish(image, sizeof image, false));
    assert_int_equal(get(FILE_HEADER + 18, 2), 0x0e2e);
    assert_int_equal(get(DLL_FLAGS, 2), 0x8160);
    assert_int_equal(get(LOAD_CONFIG, 4), 0);
    assert_int_equal(get(LOAD_CONFIG + 4, 4), 0);
}

static void test_pe_finish_points_at_load_config(void **state) {
    (void)state;
    make_image();
    assert_null(pe_finish(image, sizeof image, true));
    assert_int_equal(get(LOAD_CONFIG, 4), RDATA_ADDRESS + 0x20 + PE_FINISH_MARKER_SIZE);
    assert_int_equal(get(LOAD_CONFIG + 4, 4), 112);
}

static void test_pe_finish_ignores_embedded_program(void **state) {
    (void)state;
    make_image();
    put_load_config(RSRC + 0x40);
    assert_null(pe_finish(image, sizeof image, true));
    assert_int_equal(get(LOAD_CONFIG, 4), RDATA_ADDRESS + 0x20 + PE_FINISH_MARKER_SIZE);
}

/* The published algorithm by hand, on bytes whose sum is known: every word but the field's own two, with carries, plus the size.
 */
static void test_pe_finish_checksum_value(void **state) {
    (void)state;
    const uint8_t odd[9] = {0xff, 0xff, 0x02, 0x00, 0x11, 0x22, 0x33, 0x44, 0x05};
    assert_int_equal(pe_finish_checksum(odd, sizeof odd, 4), 2 + 5 + 9);
}

static void test_pe_finish_checksum_written(void **state) {
    (void)state;
    make_image();
    assert_null(pe_finish(image, sizeof image, true));
    assert_int_not_equal(get(CHECKSUM, 4), 0);
    assert_int_equal(get(CHECKSUM, 4), pe_finish_checksum(image, sizeof image, CHECKSUM));
}

static void test_pe_finish_again_changes_nothing(void **state) {
    (void)state;
    uint8_t once[IMAGE_SIZE];
    make_image();
    assert_null(pe_finish(image, sizeof image, true));
    memcpy(once, image, sizeof once);
    assert_null(pe_finish(image, sizeof image, true));
    assert_memory_equal(once, image, sizeof once);
}

static void test_pe_finish_refuses_weak_programs(void **state) {
    (void)state;
    static const uint32_t missing[] = {0x0020, 0x0040, 0x0100};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        make_image();
        put(DLL_FLAGS, 2, 0x0160 & ~missing[i]);
        assert_string_equal(pe_finish(image, sizeof image, true), "linked without ASLR, high entropy or DEP");
    }
    make_image();
    put(FILE_HEADER + 18, 2, 0x022f);
    assert_string_equal(pe_finish(image, sizeof image, true), "linked without ASLR, high entropy or DEP");
}

static void test_pe_finish_refuses_other_files(void **state) {
    (void)state;
    make_image();
    image[0] = 'N';
    assert_string_equal(pe_finish(image, sizeof image, true), "no DOS header");
    make_image();
    image[PE] = 'N';
    assert_string_equal(pe_finish(image, sizeof image, true), "no PE header");
    make_image();
    put(FILE_HEADER, 2, 0x014c);
    assert_string_equal(pe_finish(image, sizeof image, true), "not an x64 program");
    make_image();
    put(OPTIONAL, 2, 0x10b);
    assert_string_equal(pe_finish(image, sizeof image, true), "not PE32+");
    make_image();
    put(OPTIONAL + 108, 4, 10);
    assert_string_equal(pe_finish(image, sizeof image, true), "too few data directories");
}

static void test_pe_finish_refuses_bad_load_config(void **state) {
    (void)state;
    make_image();
    image[MARKER] = 'x';
    assert_string_equal(pe_finish(image, sizeof image, true), "no marked load configuration");
    make_image();
    put_load_config(RDATA + 0x100);
    assert_string_equal(pe_finish(image, sizeof image, true), "several marked load configurations");
    make_image();
    put(MARKER + PE_FINISH_MARKER_SIZE, 4, 148);
    assert_string_equal(pe_finish(image, sizeof image, true), "the marked load configuration has another size");
    make_image();
    memcpy(image + SECTIONS, ".other", 6);
    assert_string_equal(pe_finish(image, sizeof image, true), "no section .rdata within the file");
    make_image();
    put(SECTIONS + 20, 4, IMAGE_SIZE - 8);
    assert_string_equal(pe_finish(image, sizeof image, true), "no section .rdata within the file");
}

/* Every shorter file, and headers that point anywhere: refused or finished, never a byte outside (the sanitizer watches a copy
 * of exactly that size). */
static void test_pe_finish_stays_within_bounds(void **state) {
    (void)state;
    static const uint32_t values[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xfffffff0, 0xffffffff};
    size_t refused = 0;
    for (size_t size = 0; size < RDATA + RDATA_SIZE; size++) {
        make_image();
        uint8_t *copy = malloc(size ? size : 1);
        memcpy(copy, image, size);
        if (pe_finish(copy, size, true)) refused++;
        free(copy);
    }
    assert_int_equal(refused, RDATA + RDATA_SIZE);
    for (size_t at = 60; at < SECTIONS + 80; at++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            make_image();
            put(at, 4, values[i]);
            pe_finish(image, sizeof image, true);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pe_finish_sets_flags),
        cmocka_unit_test(test_pe_finish_points_at_load_config),
        cmocka_unit_test(test_pe_finish_ignores_embedded_program),
        cmocka_unit_test(test_pe_finish_checksum_value),
        cmocka_unit_test(test_pe_finish_checksum_written),
        cmocka_unit_test(test_pe_finish_again_changes_nothing),
        cmocka_unit_test(test_pe_finish_refuses_weak_programs),
        cmocka_unit_test(test_pe_finish_refuses_other_files),
        cmocka_unit_test(test_pe_finish_refuses_bad_load_config),
        cmocka_unit_test(test_pe_finish_stays_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
