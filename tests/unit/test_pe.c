#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "skip.h"

#include "binary_maker.h"
#include "cudnn_setup/host.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"

static void refused(uint8_t *file, unsigned parts, const char *expected) {
    cs_pe pe = {0};
    cs_error error = {0};
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, parts, &pe, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, expected);
    assert_string_equal(error.path, "test.dll");
    assert_int_equal(pe.imports.count + pe.exports.count + pe.delay_imports.count, 0);
    cs_free(file);
}

static void test_pe_reads_everything(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    cs_pe pe = {0};
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_ALL, &pe, NULL), CS_OK);
    assert_int_equal(pe.machine, CS_PE_MACHINE_X64);
    assert_true(pe.dll);
    assert_false(pe.signed_);
    assert_true(pe.has_version);
    assert_int_equal(pe.file_version[0], 8);
    assert_int_equal(pe.file_version[1], 0);
    assert_int_equal(pe.file_version[2], 3);
    assert_int_equal(pe.file_version[3], 33);
    assert_int_equal(pe.product_version[2], 243);
    assert_int_equal(pe.imports.count, 2);
    assert_string_equal(pe.imports.items[1], "cublas64_10.dll");
    assert_int_equal(pe.delay_imports.count, 2);
    assert_string_equal(pe.delay_imports.items[0], "new.dll");
    assert_string_equal(pe.delay_imports.items[1], "old.dll");
    assert_int_equal(pe.exports.count, 2);
    assert_string_equal(pe.exports.items[0], "first");
    cs_pe_free(&pe);
    cs_free(file);
}

static void test_pe_reads_only_what_is_asked(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    cs_pe pe = {0};
    put32(pe_at(file, PE_IMPORTS + 12), 0x9000); /* broken, and not looked at */
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_VERSION, &pe, NULL), CS_OK);
    assert_true(pe.has_version);
    assert_int_equal(pe.imports.count, 0);
    assert_int_equal(pe.exports.count, 0);
    cs_pe_free(&pe);
    cs_free(file);
}

static void test_pe_without_tables_is_sound(void **state) {
    (void)state;
    uint8_t *file = pe_make_headers();
    cs_pe pe = {0};
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_ALL, &pe, NULL), CS_OK);
    assert_false(pe.has_version);
    assert_int_equal(pe.imports.count + pe.exports.count + pe.delay_imports.count, 0);
    cs_free(file);
}

static void test_pe_sees_the_certificate_table(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    cs_pe pe = {0};
    pe_put_directory(file, 4, 0x800, 8);
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_HEADER, &pe, NULL), CS_OK);
    assert_true(pe.signed_);
    cs_free(file);
}

static void test_pe_reads_32_bit_headers(void **state) {
    (void)state;
    uint8_t *file = pe_make_headers();
    put16(file + 0x84, CS_PE_MACHINE_X86);
    put16(file + 0x96, 0x0102);
    put16(file + PE_OPTIONAL, 0x10B);
    put32(file + PE_OPTIONAL + 92, 16);
    put32(file + PE_OPTIONAL + 96 + 8, PE_IMPORTS);
    put32(pe_at(file, PE_IMPORTS + 12), PE_IMPORTS + 0x50);
    pe_put_name(file, PE_IMPORTS + 0x50, "USER32.dll");
    cs_pe pe = {0};
    assert_int_equal(cs_pe_parse("test.exe", file, PE_SIZE, CS_PE_ALL, &pe, NULL), CS_OK);
    assert_int_equal(pe.machine, CS_PE_MACHINE_X86);
    assert_false(pe.dll);
    assert_int_equal(pe.imports.count, 1);
    assert_string_equal(pe.imports.items[0], "USER32.dll");
    cs_pe_free(&pe);
    cs_free(file);
}

static void test_pe_refuses_what_is_no_pe(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    file[0] = 'Z';
    refused(file, CS_PE_HEADER, "not a program or DLL: it does not start with MZ");
    file = pe_make_dll();
    file[0x80] = 'N';
    refused(file, CS_PE_HEADER, "there is no PE header");
    file = pe_make_dll();
    put32(file + 60, 0xFFFFFFFF);
    refused(file, CS_PE_HEADER, "the PE header lies beyond the end of the file");
    file = pe_make_dll();
    put16(file + PE_OPTIONAL, 0x107);
    refused(file, CS_PE_HEADER, "the optional header is of an unknown kind");
    file = pe_make_dll();
    put16(file + 0x94, 100);
    refused(file, CS_PE_HEADER, "the optional header is too short");
}

static void test_pe_refuses_bad_sections(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    put16(file + 0x86, 97);
    refused(file, CS_PE_HEADER, "more than 96 sections");
    file = pe_make_dll();
    put32(file + PE_SECTION + 16, 0x601);
    refused(file, CS_PE_HEADER, "the file is cut short: it ends before its last section");
    file = pe_make_dll();
    put32(file + PE_SECTION + 20, 0xFFFFFF00);
    refused(file, CS_PE_HEADER, "the file is cut short: it ends before its last section");
}

static void test_pe_refuses_bad_imports(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    pe_put_directory(file, 1, 0x15F0, 60);
    refused(file, CS_PE_IMPORTS, "the import table is outside every section");
    file = pe_make_dll();
    put32(pe_at(file, PE_IMPORTS + 12), 0x2000);
    refused(file, CS_PE_IMPORTS, "the name of an imported DLL is not a name");
    file = pe_make_dll();
    memset(pe_at(file, PE_IMPORTS + 0x50), 'a', 0x600 - 0x150); /* no terminator before the section ends */
    refused(file, CS_PE_IMPORTS, "the name of an imported DLL is not a name");
    file = pe_make_dll();
    pe_put_name(file, PE_IMPORTS + 0x50, "bad\nname.dll");
    refused(file, CS_PE_IMPORTS, "the name of an imported DLL is not a name");
    file = pe_make_dll();
    put32(pe_at(file, PE_DELAY + 36), 0x500); /* below the base it counts from */
    refused(file, CS_PE_IMPORTS, "the name of a delay-imported DLL is not a name");
}

static void test_pe_refuses_endless_imports(void **state) {
    (void)state;
    size_t size = PE_RAW + 0x6000;
    uint8_t *file = cs_alloc(size, 1);
    assert_non_null(file);
    uint8_t *headers = pe_make_headers();
    memcpy(file, headers, PE_SIZE);
    cs_free(headers);
    put32(file + PE_SECTION + 8, 0x6000);
    put32(file + PE_SECTION + 16, 0x6000);
    pe_put_directory(file, 1, PE_RVA, 20);
    pe_put_name(file, 0x6F00, "x.dll");
    for (uint32_t i = 0; i < 1030; i++) put32(pe_at(file, PE_RVA + 20 * i + 12), 0x6F00);
    cs_pe pe = {0};
    cs_error error = {0};
    assert_int_equal(cs_pe_parse("test.dll", file, size, CS_PE_ALL, &pe, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, "more than 1024 imported DLLs");
    cs_free(file);
}

static void test_pe_refuses_bad_exports(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_EXPORTS + 24), 65537);
    refused(file, CS_PE_EXPORTS, "more than 65536 exported names");
    file = pe_make_dll();
    put32(pe_at(file, PE_EXPORTS + 24), 65536);
    put32(pe_at(file, PE_EXPORTS + 32), 0xFFFFFFF0);
    refused(file, CS_PE_EXPORTS, "the table of exported names is outside every section");
    file = pe_make_dll();
    put32(pe_at(file, PE_EXPORTS + 0x44), 0x9000);
    refused(file, CS_PE_EXPORTS, "the name of an export is not a name");
}

static void test_pe_refuses_bad_version_resources(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_RESOURCES + 28), 0x80000000u); /* the tree leads back to its root */
    refused(file, CS_PE_VERSION, "the tree of resources is not three levels deep");
    file = pe_make_dll();
    put32(pe_at(file, PE_RESOURCES + 28), 0x60);
    refused(file, CS_PE_VERSION, "the tree of resources is not three levels deep");
    file = pe_make_dll();
    put16(pe_at(file, PE_RESOURCES + 12), 4095);
    refused(file, CS_PE_VERSION, "more than 4096 entries in a resource table");
    file = pe_make_dll();
    put32(pe_at(file, PE_RESOURCES + 0x64), 91);
    refused(file, CS_PE_VERSION, "the version resource has an impossible size");
    file = pe_make_dll();
    put32(pe_at(file, PE_RESOURCES + 0x64), 65537);
    refused(file, CS_PE_VERSION, "the version resource has an impossible size");
    file = pe_make_dll();
    put16(pe_at(file, PE_VERSION_INFO + 6), 'X');
    refused(file, CS_PE_VERSION, "the version resource does not start with its key");
    file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 40), 0);
    refused(file, CS_PE_VERSION, "the version resource has no version numbers");
}

static void test_pe_without_version_among_resources(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_RESOURCES + 24), 17);
    cs_pe pe = {0};
    assert_int_equal(cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_VERSION, &pe, NULL), CS_OK);
    assert_false(pe.has_version);
    cs_free(file);
}

static void test_pe_survives_every_truncation(void **state) {
    (void)state;
    uint8_t *whole = pe_make_dll();
    for (size_t size = 0; size < PE_SIZE; size++) {
        uint8_t *cut = cs_alloc(size ? size : 1, 1);
        assert_non_null(cut);
        memcpy(cut, whole, size);
        cs_pe pe = {0};
        assert_int_equal(cs_pe_parse("cut.dll", cut, size, CS_PE_ALL, &pe, NULL), CS_E_FORMAT);
        cs_free(cut);
    }
    cs_free(whole);
}

static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void test_pe_survives_random_damage(void **state) {
    (void)state;
    uint32_t seed = 20200924;
    size_t sound = 0, malformed = 0;
    for (int round = 0; round < 20000; round++) {
        uint8_t *file = pe_make_dll();
        for (uint32_t flips = 1 + next_random(&seed) % 6; flips; flips--)
            file[next_random(&seed) % PE_SIZE] ^= (uint8_t)(1u << next_random(&seed) % 8);
        cs_pe pe = {0};
        cs_status status = cs_pe_parse("damaged.dll", file, PE_SIZE, CS_PE_ALL, &pe, NULL);
        if (status == CS_OK)
            sound++;
        else if (status == CS_E_FORMAT)
            malformed++;
        cs_pe_free(&pe);
        cs_free(file);
    }
    assert_int_equal(sound + malformed, 20000);
    assert_true(malformed > 1000); /* the damage does reach what is read */
}

static void test_pe_survives_every_failed_allocation(void **state) {
    (void)state;
    uint8_t *file = pe_make_dll();
    unsigned long n = 1;
    for (;; n++) {
        cs_pe pe = {0};
        cs_alloc_fail_at(n);
        cs_status status = cs_pe_parse("test.dll", file, PE_SIZE, CS_PE_ALL, &pe, NULL);
        cs_alloc_fail_at(0);
        cs_pe_free(&pe);
        if (status == CS_OK) break;
        assert_int_equal(status, CS_E_NO_MEMORY);
    }
    assert_int_equal(n, 13); /* six names, two allocations each */
    cs_free(file);
}

/* A DLL that the cross compiler made (tests/pe_sample/pe_sample.c), beside this program; read through the real file system. */
static void test_pe_reads_a_compiled_dll(void **state) {
    (void)state;
#ifdef HAVE_PE_SAMPLE
    const cs_system *system = cs_system_real();
    cs_buffer own = {0}, folder = {0}, path = {0};
    assert_int_equal(system->program_path(system->ctx, &own, NULL), CS_OK);
    assert_int_equal(cs_path_parent(&folder, own.data, NULL), CS_OK);
    assert_int_equal(cs_path_join(&path, cs_fs_real()->separator, folder.data, "pe_sample.dll", NULL), CS_OK);
    cs_pe pe = {0};
    cs_error error = {0};
    cs_status status = cs_pe_read(cs_fs_real(), path.data, CS_PE_ALL, &pe, &error);
    if (status != CS_OK) print_error("%s: %s\n", error.path, error.detail);
    assert_int_equal(status, CS_OK);
    assert_int_equal(pe.machine, CS_PE_MACHINE_X64);
    assert_true(pe.dll);
    assert_true(pe.has_version);
    assert_int_equal(pe.file_version[0], 8);
    assert_int_equal(pe.file_version[3], 33);
    assert_int_equal(pe.product_version[0], 10);
    assert_int_equal(pe.exports.count, 2);
    assert_string_equal(pe.exports.items[0], "pe_sample_one");
    bool kernel32 = false;
    for (size_t i = 0; i < pe.imports.count; i++)
        if (strcmp(pe.imports.items[i], "KERNEL32.dll") == 0) kernel32 = true;
    assert_true(kernel32);
    cs_pe_free(&pe);
    cs_buffer_free(&own);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
#else
    SKIP("no cross compiler for Windows");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pe_reads_everything),
        cmocka_unit_test(test_pe_reads_only_what_is_asked),
        cmocka_unit_test(test_pe_without_tables_is_sound),
        cmocka_unit_test(test_pe_sees_the_certificate_table),
        cmocka_unit_test(test_pe_reads_32_bit_headers),
        cmocka_unit_test(test_pe_refuses_what_is_no_pe),
        cmocka_unit_test(test_pe_refuses_bad_sections),
        cmocka_unit_test(test_pe_refuses_bad_imports),
        cmocka_unit_test(test_pe_refuses_endless_imports),
        cmocka_unit_test(test_pe_refuses_bad_exports),
        cmocka_unit_test(test_pe_refuses_bad_version_resources),
        cmocka_unit_test(test_pe_without_version_among_resources),
        cmocka_unit_test(test_pe_survives_every_truncation),
        cmocka_unit_test(test_pe_survives_random_damage),
        cmocka_unit_test(test_pe_survives_every_failed_allocation),
        cmocka_unit_test(test_pe_reads_a_compiled_dll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
