#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "skip.h"

#include "binary_maker.h"
#include "cudnn_setup/host.h"
#include "cudnn_setup/import_library.h"
#include "cudnn_setup/path.h"

static cs_status parse(const cs_buffer *library, cs_strings *dlls, cs_error *error) {
    return cs_import_library_parse("test.lib", (const uint8_t *)library->data, library->size, dlls, error);
}

static void refused(cs_buffer *library, const char *expected) {
    cs_strings dlls = {0};
    cs_error error = {0};
    assert_int_equal(parse(library, &dlls, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, expected);
    cs_strings_free(&dlls);
    cs_buffer_free(library);
}

/* The two forms in one library: a symbol table, a descriptor object, short imports. */
static void make_library(cs_buffer *out) {
    library_begin(out);
    library_member(out, "/", "\0\0\0\0abc", 7);
    library_object(out, CS_PE_MACHINE_X64, ".idata$6", "cudnn64_8.dll\0", 14);
    library_short(out, CS_PE_MACHINE_X64, "cudnnCreate", "cudnn64_8.dll");
    library_short(out, CS_PE_MACHINE_X64, "cudnnOther", "CUDNN64_8.dll");
}

static void test_import_library_reads_short_imports(void **state) {
    (void)state;
    cs_buffer library = {0};
    cs_strings dlls = {0};
    library_begin(&library);
    library_short(&library, CS_PE_MACHINE_X64, "one", "a.dll");
    library_short(&library, CS_PE_MACHINE_X64, "two", "b.dll");
    library_short(&library, CS_PE_MACHINE_X64, "three", "A.DLL");
    assert_int_equal(parse(&library, &dlls, NULL), CS_OK);
    assert_int_equal(dlls.count, 2);
    assert_string_equal(dlls.items[0], "a.dll");
    assert_string_equal(dlls.items[1], "b.dll");
    cs_strings_free(&dlls);
    cs_buffer_free(&library);
}

static void test_import_library_reads_gnu_objects(void **state) {
    (void)state;
    cs_buffer library = {0};
    cs_strings dlls = {0};
    library_begin(&library);
    library_object(&library, CS_PE_MACHINE_X64, ".idata$7", "cudnn64_8.dll\0\0\0", 16);
    library_object(&library, CS_PE_MACHINE_X64, ".idata$6", "\1\0cudnnCreate.dll", 18); /* a function's hint and name */
    library_object(&library, CS_PE_MACHINE_X64, ".idata$2", "\0\0\0\0", 4);
    assert_int_equal(parse(&library, &dlls, NULL), CS_OK);
    assert_int_equal(dlls.count, 1);
    assert_string_equal(dlls.items[0], "cudnn64_8.dll");
    cs_strings_free(&dlls);
    cs_buffer_free(&library);
}

static void test_import_library_reads_both_forms(void **state) {
    (void)state;
    cs_buffer library = {0};
    cs_strings dlls = {0};
    make_library(&library);
    assert_int_equal(parse(&library, &dlls, NULL), CS_OK);
    assert_int_equal(dlls.count, 1);
    cs_strings_free(&dlls);
    cs_buffer_free(&library);
}

static void test_import_library_refuses_other_files(void **state) {
    (void)state;
    cs_buffer library = {0};
    cs_buffer_text(&library, "!<thin>\nmore");
    refused(&library, "is not a library");
    cs_buffer_text(&library, "!<arch");
    refused(&library, "the archive header lies beyond the end of the file");
    library_begin(&library);
    refused(&library, "imports nothing");
    library_begin(&library);
    library_object(&library, CS_PE_MACHINE_X64, ".idata$5", "\0\0\0\0", 4);
    refused(&library, "imports nothing");
}

static void test_import_library_refuses_code(void **state) {
    (void)state;
    cs_buffer library = {0};
    make_library(&library);
    library_object(&library, CS_PE_MACHINE_X64, ".text", "\xC3\0\0\0", 4);
    refused(&library, "holds an object that is not an import");
}

static void test_import_library_refuses_other_processors(void **state) {
    (void)state;
    cs_buffer library = {0};
    library_begin(&library);
    library_short(&library, CS_PE_MACHINE_X86, "one", "a.dll");
    refused(&library, "is not for x64");
    library_begin(&library);
    library_object(&library, CS_PE_MACHINE_ARM64, ".idata$7", "a.dll\0", 6);
    refused(&library, "is not for x64");
}

static void test_import_library_refuses_imports_without_a_dll(void **state) {
    (void)state;
    static const char *const names[] = {"", "a.exe", ".dll", "a b.dll", "a\x01.dll"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cs_buffer library = {0};
        library_begin(&library);
        library_short(&library, CS_PE_MACHINE_X64, "one", names[i]);
        refused(&library, "an import does not name its DLL");
    }
}

static void test_import_library_refuses_bad_sizes(void **state) {
    (void)state;
    cs_buffer library = {0};
    make_library(&library);
    library.data[8 + 48] = 'x';
    refused(&library, "has a malformed member header");
    make_library(&library);
    memcpy(library.data + 8 + 48, "9999999999", 10);
    refused(&library, "is cut short");
    library_begin(&library);
    library_member(&library, "a/", "short", 5);
    refused(&library, "holds a member that is too short");
    library_begin(&library);
    library_short(&library, CS_PE_MACHINE_X64, "one", "a.dll");
    put32((uint8_t *)library.data + 8 + 60 + 12, 0xFFFFFFFF);
    refused(&library, "an import is longer than its place");
    library_begin(&library);
    library_object(&library, CS_PE_MACHINE_X64, ".idata$7", "a.dll\0", 6);
    put32((uint8_t *)library.data + 8 + 60 + 36, 7);
    refused(&library, "a section is outside its object");
}

static void test_import_library_survives_every_truncation(void **state) {
    (void)state;
    cs_buffer library = {0};
    make_library(&library);
    size_t cut = 0, sound = 0;
    for (size_t size = 0; size < library.size; size++) {
        uint8_t *bytes = cs_alloc(size ? size : 1, 1);
        assert_non_null(bytes);
        memcpy(bytes, library.data, size);
        cs_strings dlls = {0};
        cs_status status = cs_import_library_parse("cut.lib", bytes, size, &dlls, NULL);
        assert_true(status == CS_OK || status == CS_E_FORMAT);
        if (status == CS_OK)
            sound++;
        else
            cut++;
        cs_strings_free(&dlls);
        cs_free(bytes);
    }
    assert_int_equal(sound + cut, library.size);
    assert_true(sound <= 4); /* only where a member ends, with or without its padding byte */
    cs_buffer_free(&library);
}

static void test_import_library_survives_every_flip(void **state) {
    (void)state;
    cs_buffer library = {0};
    make_library(&library);
    size_t malformed = 0;
    for (size_t bit = 0; bit < 8 * library.size; bit++) {
        cs_strings dlls = {0};
        library.data[bit / 8] = (char)(library.data[bit / 8] ^ (1 << bit % 8));
        cs_status status = parse(&library, &dlls, NULL);
        library.data[bit / 8] = (char)(library.data[bit / 8] ^ (1 << bit % 8));
        assert_true(status == CS_OK || status == CS_E_FORMAT);
        if (status == CS_E_FORMAT) malformed++;
        cs_strings_free(&dlls);
    }
    assert_true(malformed > 200);
    cs_buffer_free(&library);
}

/* The library that the cross linker wrote beside pe_sample.dll. */
static void test_import_library_reads_a_linked_one(void **state) {
    (void)state;
#ifdef HAVE_PE_SAMPLE
    const cs_system *system = cs_system_real();
    cs_buffer own = {0}, folder = {0}, path = {0};
    assert_int_equal(system->program_path(system->ctx, &own, NULL), CS_OK);
    assert_int_equal(cs_path_parent(&folder, own.data, NULL), CS_OK);
    assert_int_equal(cs_path_join(&path, cs_fs_real()->separator, folder.data, "pe_sample.lib", NULL), CS_OK);
    cs_strings dlls = {0};
    cs_error error = {0};
    cs_status status = cs_import_library_read(cs_fs_real(), path.data, &dlls, &error);
    if (status != CS_OK) print_error("%s: %s\n", error.path, error.detail);
    assert_int_equal(status, CS_OK);
    assert_int_equal(dlls.count, 1);
    assert_string_equal(dlls.items[0], "pe_sample.dll");
    cs_strings_free(&dlls);
    cs_buffer_free(&own);
    cs_buffer_free(&folder);
    cs_buffer_free(&path);
#else
    SKIP("no cross compiler for Windows");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import_library_reads_short_imports),
        cmocka_unit_test(test_import_library_reads_gnu_objects),
        cmocka_unit_test(test_import_library_reads_both_forms),
        cmocka_unit_test(test_import_library_refuses_other_files),
        cmocka_unit_test(test_import_library_refuses_code),
        cmocka_unit_test(test_import_library_refuses_other_processors),
        cmocka_unit_test(test_import_library_refuses_imports_without_a_dll),
        cmocka_unit_test(test_import_library_refuses_bad_sizes),
        cmocka_unit_test(test_import_library_survives_every_truncation),
        cmocka_unit_test(test_import_library_survives_every_flip),
        cmocka_unit_test(test_import_library_reads_a_linked_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
