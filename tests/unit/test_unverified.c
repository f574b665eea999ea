#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "binary_maker.h"
#include "cudnn_setup/archive.h"
#include "cudnn_setup/cudnn_header.h"
#include "memory_host.h"

/* A copy of four files that passes; each test damages one of them. Rows: licence, DLL, header, library. */
enum { ROWS = 4 };
static const char *const paths[ROWS] = {"C:\\b\\new\\00", "C:\\b\\new\\01", "C:\\b\\new\\02", "C:\\b\\new\\03"};
static const char sound_header[] =
    "/* text */\r\n#define CUDNN_MAJOR 8\r\n#define CUDNN_MINOR 0\r\n#define CUDNN_PATCHLEVEL 3\r\n"
    "#define CUDNN_VERSION (CUDNN_MAJOR * 1000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\r\n";
static const char manifest_text[] =
    "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"8.0.3.33\", \"cudnn_version\": 8003, \"cuda\": \"10.1\", \"sample\": "
    "true,"
    "\"archive\": {\"names\": [\"a.zip\"], \"sha256\": \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"},"
    "\"files\": [{\"source\": \"l.txt\", \"target\": \"l.txt\", \"kind\": \"licence\"},"
    "{\"source\": \"bin/cudnn64_8.dll\", \"target\": \"bin/cudnn64_8.dll\", \"kind\": \"dll\"},"
    "{\"source\": \"include/cudnn_version.h\", \"target\": \"include/cudnn_version.h\", \"kind\": \"header\"},"
    "{\"source\": \"lib/x64/cudnn.lib\", \"target\": \"lib/x64/cudnn.lib\", \"kind\": \"lib\"}]}";

typedef struct copy {
    memory_host *host;
    cs_manifest manifest;
    cs_signature signature;
    cs_status signature_status;
    unsigned signatures_asked;
} copy;

static cs_status signature(void *ctx, const char *path, cs_signature *out, cs_error *error) {
    copy *c = ctx;
    c->signatures_asked++;
    assert_string_equal(path, paths[1]);
    *out = c->signature;
    return c->signature_status == CS_OK ? CS_OK : cs_fail(error, c->signature_status, "signature", path, NULL);
}

static void put_dll(copy *c, uint8_t *file) {
    assert_true(memory_host_file(c->host, paths[1], file, PE_SIZE));
    cs_free(file);
}

static void put_library(copy *c, const char *dll) {
    cs_buffer library = {0};
    library_begin(&library);
    library_short(&library, CS_PE_MACHINE_X64, "cudnnCreate", dll);
    assert_true(memory_host_file(c->host, paths[3], library.data, library.size));
    cs_buffer_free(&library);
}

static int setup(void **state) {
    copy *c = cs_alloc(1, sizeof *c);
    assert_non_null(c);
    c->host = memory_host_new();
    assert_int_equal(cs_manifest_parse("test", manifest_text, strlen(manifest_text), &c->manifest, NULL), CS_OK);
    memory_host_text(c->host, paths[0], "licence");
    put_dll(c, pe_make_dll());
    memory_host_text(c->host, paths[2], sound_header);
    put_library(c, "CUDNN64_8.dll");
    memory_host_system(c->host)->signature = signature;
    memory_host_system(c->host)->signature_ctx = c;
    *state = c;
    return 0;
}

static int teardown(void **state) {
    copy *c = *state;
    memory_host_free(c->host);
    cs_manifest_free(&c->manifest);
    cs_free(c);
    return 0;
}

static cs_status check(copy *c, cs_error *error) {
    return cs_archive_check_unverified(memory_host_seam(c->host), &c->manifest, paths, error);
}

static void refused(copy *c, const char *target, const char *expected) {
    cs_error error = {0};
    assert_int_equal(check(c, &error), CS_E_ARCHIVE_BAD);
    assert_string_equal(error.path, target);
    assert_string_equal(error.detail, expected);
    assert_int_equal(cs_exit_code(error.status), 1620);
    assert_int_equal(memory_host_open_files(c->host), 0);
}

static void test_unverified_accepts_a_sound_copy(void **state) {
    copy *c = *state;
    cs_error error = {0};
    assert_int_equal(check(c, &error), CS_OK);
    assert_int_equal(c->signatures_asked, 1);
    assert_int_equal(memory_host_open_files(c->host), 0);
}

static void test_unverified_refuses_other_processors(void **state) {
    uint8_t *file = pe_make_dll();
    put16(file + 0x84, CS_PE_MACHINE_ARM64);
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "it is not for x64; this copy is not what it should be");
}

static void test_unverified_refuses_programs(void **state) {
    uint8_t *file = pe_make_dll();
    put16(file + 0x96, 0x0022);
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "it is a program, not a DLL; this copy is not what it should be");
}

static void test_unverified_refuses_dlls_without_exports(void **state) {
    uint8_t *file = pe_make_dll();
    pe_put_directory(file, 0, 0, 0);
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "it exports nothing; this copy is not what it should be");
}

static void test_unverified_refuses_dlls_without_version(void **state) {
    uint8_t *file = pe_make_dll();
    pe_put_directory(file, 2, 0, 0);
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "has no version resource; this copy is not what it should be");
}

static void test_unverified_refuses_what_is_no_dll(void **state) {
    copy *c = *state;
    memory_host_text(c->host, paths[1], "<html>");
    refused(c, "bin/cudnn64_8.dll", "the DOS header lies beyond the end of the file; this copy is not what it should be");
}

static void test_unverified_refuses_contradicting_resources(void **state) {
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 52), 4u << 16 | 30); /* file version 8.0.4.30 */
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "its version resource says 8.0.4; this copy is not cuDNN 8.0.3.33");
    file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 56), 8u << 16 | 1); /* product version 8.1.243.7 */
    put_dll(*state, file);
    refused(*state, "bin/cudnn64_8.dll", "its version resource says 8.1.243; this copy is not cuDNN 8.0.3.33");
}

static void test_unverified_accepts_other_numberings(void **state) {
    copy *c = *state;
    uint8_t *file = pe_make_dll();
    put32(pe_at(file, PE_VERSION_INFO + 48), 6u << 16 | 14);
    put32(pe_at(file, PE_VERSION_INFO + 52), 11u << 16 | 1000);
    put_dll(c, file);
    assert_int_equal(check(c, NULL), CS_OK);
}

static void test_unverified_refuses_other_macros(void **state) {
    copy *c = *state;
    memory_host_text(c->host, paths[2], "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 5\n");
    refused(c, "include/cudnn_version.h", "its macros say 7.6.5; this copy is not cuDNN 8.0.3.33");
    memory_host_text(c->host, paths[2], "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 0\n");
    refused(c, "include/cudnn_version.h",
            "it does not define CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL once each; this copy is not what it should be");
    memory_host_text(c->host, paths[2], "");
    refused(c, "include/cudnn_version.h",
            "it does not define CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL once each; this copy is not what it should be");
}

static void test_unverified_refuses_huge_headers(void **state) {
    copy *c = *state;
    cs_buffer text = {0};
    cs_buffer_text(&text, sound_header);
    while (text.size <= 1024 * 1024) cs_buffer_text(&text, "/* */\n");
    assert_true(memory_host_file(c->host, paths[2], text.data, text.size));
    cs_buffer_free(&text);
    refused(c, "include/cudnn_version.h",
            "it is longer than 1 MiB, and a version header is a few kB; this copy is not what it should be");
}

static void test_unverified_refuses_foreign_libraries(void **state) {
    copy *c = *state;
    put_library(c, "evil.dll");
    refused(c, "lib/x64/cudnn.lib", "it imports from evil.dll, which is not part of cuDNN");
    memory_host_text(c->host, paths[3], "!<arch>\n");
    refused(c, "lib/x64/cudnn.lib", "imports nothing; this copy is not what it should be");
}

static void test_unverified_judges_signatures(void **state) {
    copy *c = *state;
    c->signature = CS_SIGNATURE_NVIDIA;
    assert_int_equal(check(c, NULL), CS_OK);
    c->signature = CS_SIGNATURE_OTHER;
    refused(c, "bin/cudnn64_8.dll", "it is signed by somebody other than NVIDIA; this copy is not what it should be");
    c->signature = CS_SIGNATURE_BROKEN;
    refused(c, "bin/cudnn64_8.dll", "its signature is broken; this copy is not what it should be");
}

static void test_unverified_goes_on_where_signatures_cannot_be_judged(void **state) {
    copy *c = *state;
    c->signature_status = CS_E_UNSUPPORTED;
    assert_int_equal(check(c, NULL), CS_OK);
    c->signature_status = CS_E_ACCESS;
    assert_int_equal(check(c, NULL), CS_E_ACCESS);
}

static void test_unverified_needs_the_version_header(void **state) {
    copy *c = *state;
    cs_error error = {0};
    c->manifest.files[2].target[strlen("include/cudnn_v")] = '0'; /* another name */
    assert_int_equal(check(c, &error), CS_E_ARCHIVE_BAD);
    assert_string_equal(error.detail, "the manifest has no cudnn_version.h that could tell the version");
}

static void test_unverified_keeps_system_errors(void **state) {
    copy *c = *state;
    cs_error error = {0};
    memory_host_delete(c->host, paths[1]);
    assert_int_equal(check(c, &error), CS_E_NOT_FOUND);
    assert_string_equal(error.path, paths[1]);
    put_dll(c, pe_make_dll());
    unsigned long n = 1;
    for (;; n++) {
        cs_alloc_fail_at(n);
        cs_status status = check(c, &error);
        cs_alloc_fail_at(0);
        assert_int_equal(memory_host_open_files(c->host), 0);
        if (status == CS_OK) break;
        assert_int_equal(status, CS_E_NO_MEMORY);
    }
    assert_true(n > 14);
}

/* ---- the macros on their own ---- */

static bool version(const char *text, uint32_t out[3]) { return cs_cudnn_header_version(text, strlen(text), out); }

static void test_header_reads_the_three_macros(void **state) {
    (void)state;
    uint32_t v[3];
    assert_true(version(sound_header, v));
    assert_int_equal(v[0], 8);
    assert_int_equal(v[1], 0);
    assert_int_equal(v[2], 3);
    assert_true(version("#define CUDNN_PATCHLEVEL 5 // x\n # define\tCUDNN_MAJOR\t7\n#define CUDNN_MINOR 6/* y */", v));
    assert_int_equal(v[0], 7);
    assert_int_equal(v[1], 6);
    assert_int_equal(v[2], 5);
}

static void test_header_refuses_everything_else(void **state) {
    (void)state;
    uint32_t v[3];
    static const char rest[] = "#define CUDNN_MINOR 0\n#define CUDNN_PATCHLEVEL 3\n";
    static const char *const majors[] = {"",
                                         "#define CUDNN_MAJOR\n",
                                         "#define CUDNN_MAJOR x\n",
                                         "#define CUDNN_MAJOR (8)\n",
                                         "#define CUDNN_MAJOR 8 9\n",
                                         "#define CUDNN_MAJOR 12345\n",
                                         "#define CUDNN_MAJOR -8\n",
                                         "#define CUDNN_MAJOR_X 8\n",
                                         "#define CUDNN_MAJOR8\n",
                                         "// #define CUDNN_MAJOR 8\n",
                                         "#define CUDNN_MAJOR 8\n#define CUDNN_MAJOR 8\n"};
    for (size_t i = 0; i < sizeof majors / sizeof majors[0]; i++) {
        cs_buffer text = {0};
        cs_buffer_format(&text, "%s%s", majors[i], rest);
        assert_false(version(text.data, v));
        cs_buffer_free(&text);
    }
    assert_false(cs_cudnn_header_version(sound_header, 60, v)); /* cut */
    assert_false(cs_cudnn_header_version("", 0, v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unverified_accepts_a_sound_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_other_processors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_dlls_without_exports, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_dlls_without_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_what_is_no_dll, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_contradicting_resources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_accepts_other_numberings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_other_macros, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_huge_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_refuses_foreign_libraries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_judges_signatures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_goes_on_where_signatures_cannot_be_judged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_needs_the_version_header, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unverified_keeps_system_errors, setup, teardown),
        cmocka_unit_test(test_header_reads_the_three_macros),
        cmocka_unit_test(test_header_refuses_everything_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
