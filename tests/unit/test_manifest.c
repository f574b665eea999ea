#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "cudnn_setup/archive.h"
#include "cudnn_setup/manifest.h"

/* A small sound manifest; tests replace one piece of it and say which place the error must name. */
static const char sound[] =
    "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"8.0.3.33\", \"cudnn_version\": 8003, \"cuda\": \"10.1\",\n"
    " \"sample\": true,\n"
    " \"archive\": {\"names\": [\"a.zip\"], \"sha256\": \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"},\n"
    " \"files\": [\n"
    "  {\"source\": \"licence.txt\", \"target\": \"licence.txt\", \"kind\": \"licence\"},\n"
    "  {\"source\": \"bin/one.dll\", \"target\": \"bin/one.dll\", \"kind\": \"dll\"},\n"
    "  {\"source\": \"include/one.h\", \"target\": \"include/one.h\", \"kind\": \"header\"},\n"
    "  {\"source\": \"lib/x64/one.lib\", \"target\": \"lib/x64/one.lib\", \"kind\": \"lib\"}],\n"
    " \"wrong_archives\": [{\"name\": \"b.zip\", \"what\": \"another\",\n"
    "  \"sha256\": \"ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}],\n"
    " \"driver_min\": \"418.96\", \"compute_min\": \"3.0\", \"compute_max\": \"7.5\", \"needs\": [\"cudart64_101.dll\"]}";

static cs_status parse(const char *text, cs_manifest *out, cs_error *error) {
    return cs_manifest_parse("test.json", text, strlen(text), out, error);
}

/* sound with the first occurrence of from replaced. */
static void replaced(cs_buffer *out, const char *from, const char *to) {
    const char *at = strstr(sound, from);
    assert_non_null(at);
    cs_buffer_append(out, sound, (size_t)(at - sound));
    cs_buffer_text(out, to);
    cs_buffer_text(out, at + strlen(from));
}

static void refused(const char *from, const char *to, const char *expected) {
    cs_buffer text = {0};
    cs_manifest manifest = {0};
    cs_error error = {0};
    replaced(&text, from, to);
    assert_int_equal(parse(text.data, &manifest, &error), CS_E_FORMAT);
    assert_string_equal(error.detail, expected);
    assert_string_equal(error.path, "test.json");
    assert_null(manifest.product);
    assert_int_equal(manifest.file_count, 0);
    cs_buffer_free(&text);
}

static void accepted(const char *from, const char *to, cs_manifest *out) {
    cs_buffer text = {0};
    cs_error error = {0};
    replaced(&text, from, to);
    cs_status status = parse(text.data, out, &error);
    if (status != CS_OK) print_error("%s\n", error.detail);
    assert_int_equal(status, CS_OK);
    cs_buffer_free(&text);
}

static void test_manifest_reads_every_field(void **state) {
    (void)state;
    cs_manifest m = {0};
    assert_int_equal(parse(sound, &m, NULL), CS_OK);
    assert_string_equal(m.product, "cuDNN");
    assert_string_equal(m.version, "8.0.3.33");
    assert_int_equal(m.cudnn_version, 8003);
    assert_string_equal(m.cuda, "10.1");
    assert_true(m.sample);
    assert_false(m.sealed);
    assert_int_equal(m.archive_names.count, 1);
    assert_true(m.has_archive_sha256);
    assert_int_equal(m.archive_sha256[1], 0x11);
    assert_false(m.has_archive_size);
    assert_int_equal(m.file_count, 4);
    assert_int_equal(m.files[0].role, CS_ROLE_LICENCE);
    assert_int_equal(m.files[3].role, CS_ROLE_LIB);
    assert_string_equal(m.files[3].target, "lib/x64/one.lib");
    assert_int_equal(m.wrong_archive_count, 1);
    assert_string_equal(m.wrong_archives[0].what, "another");
    assert_string_equal(m.driver_min, "418.96");
    assert_string_equal(m.compute_max, "7.5");
    assert_string_equal(m.needs.items[0], "cudart64_101.dll");
    assert_int_equal(m.bytes.size, strlen(sound));
    cs_manifest_free(&m);
}

static void test_manifest_embedded_is_the_product(void **state) {
    (void)state;
    size_t size = 0;
    const char *bytes = cs_manifest_embedded(0, &size);
    assert_non_null(bytes);
    cs_manifest m = {0};
    cs_error error = {0};
    cs_status status = cs_manifest_parse("embedded", bytes, size, &m, &error);
    if (status != CS_OK) print_error("%s\n", error.detail);
    assert_int_equal(status, CS_OK);
    assert_int_equal(m.file_count, 31);
    assert_int_equal(m.wrong_archive_count, 7);
    assert_false(m.sample);
    assert_false(m.sealed);
    size_t roles[4] = {0};
    for (size_t i = 0; i < m.file_count; i++) roles[m.files[i].role]++;
    assert_int_equal(roles[CS_ROLE_DLL], 7);
    assert_int_equal(roles[CS_ROLE_HEADER], 9);
    assert_int_equal(roles[CS_ROLE_LIB], 14);
    assert_int_equal(roles[CS_ROLE_LICENCE], 1);
    char hex[CS_SHA256_HEX + 1];
    cs_hex(m.archive_sha256, CS_SHA256_SIZE, hex);
    assert_string_equal(hex, "9749e8a8f1dc0cfbb8a70d91825d0c5864426b44c3371ada1e077d8bd86b129f");
    cs_manifest_free(&m);
    assert_null(cs_manifest_embedded(1, &size));
}

static void test_manifest_embedded_is_canonical(void **state) {
    (void)state;
    size_t size = 0;
    const char *bytes = cs_manifest_embedded(0, &size);
    cs_manifest m = {0};
    cs_buffer out = {0};
    assert_int_equal(cs_manifest_parse("embedded", bytes, size, &m, NULL), CS_OK);
    assert_int_equal(cs_manifest_write(&m, &out, NULL), CS_OK);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, bytes, size);
    cs_buffer_free(&out);
    cs_manifest_free(&m);
}

static void test_manifest_finds_targets_without_case(void **state) {
    (void)state;
    cs_manifest m = {0};
    assert_int_equal(parse(sound, &m, NULL), CS_OK);
    assert_int_equal(cs_manifest_find_target(&m, "bin/one.dll"), 1);
    assert_int_equal(cs_manifest_find_target(&m, "Include/ONE.h"), 2);
    assert_int_equal(cs_manifest_find_target(&m, "bin/two.dll"), CS_MANIFEST_MAX_FILES);
    cs_manifest_free(&m);
}

static void test_manifest_refuses_another_schema(void **state) {
    (void)state;
    refused("\"schema\": 1,", "\"schema\": 2, \"news\": true,", "schema: this program reads schema 1 only");
    refused("\"schema\": 1,", "", "schema: is missing");
    refused("\"schema\": 1,", "\"schema\": \"1\",", "schema: must be a number");
}

static void test_manifest_refuses_unknown_keys(void **state) {
    (void)state;
    refused("\"cuda\"", "\"Cuda\"", "Cuda: unknown key");
    refused("{\"names\"", "{\"url\": \"x\", \"names\"", "archive.url: unknown key");
    refused("\"kind\": \"dll\"", "\"kind\": \"dll\", \"mode\": 7", "files[1].mode: unknown key");
    refused("\"name\": \"b.zip\"", "\"nam\": \"b.zip\"", "wrong_archives[0].nam: unknown key");
}

static void test_manifest_refuses_duplicate_keys(void **state) {
    (void)state;
    refused("\"cuda\": \"10.1\",", "\"cuda\": \"10.1\", \"cud\\u0061\": \"10.1\",", "cuda: the key appears twice");
    refused("\"kind\": \"dll\"", "\"kind\": \"dll\", \"kind\": \"dll\"", "files[1].kind: the key appears twice");
}

static void test_manifest_refuses_wrong_types(void **state) {
    (void)state;
    refused("\"product\": \"cuDNN\"", "\"product\": 5", "product: must be a string");
    refused("\"cudnn_version\": 8003", "\"cudnn_version\": \"8003\"", "cudnn_version: must be a number");
    refused("\"sample\": true", "\"sample\": 1", "sample: must be true or false");
    refused("\"sample\": true", "\"sample\": null", "sample: must be true or false");
    refused("[\"cudart64_101.dll\"]", "\"cudart64_101.dll\"", "needs: must be an array");
    refused("{\"source\": \"bin/one.dll\", \"target\": \"bin/one.dll\", \"kind\": \"dll\"}", "7", "files[1]: must be an object");
}

static void test_manifest_refuses_missing_keys(void **state) {
    (void)state;
    refused("\"product\": \"cuDNN\",", "", "product: is missing");
    refused("\"sample\": true,", "", "sample: is missing");
    refused("\"target\": \"bin/one.dll\",", "", "files[1].target: is missing");
    refused("\"source\": \"bin/one.dll\",", "", "files[1].source: is missing");
    refused("{\"names\": [\"a.zip\"],", "{", "archive.names: is missing");
}

static void test_manifest_refuses_bad_hashes(void **state) {
    (void)state;
    refused("\"00112233", "\"0011223", "archive.sha256: must be 64 lower-case hexadecimal digits");
    refused("\"00112233", "\"0011223g", "archive.sha256: must be 64 lower-case hexadecimal digits");
    refused("8899aabb", "8899AABB", "archive.sha256: must be 64 lower-case hexadecimal digits");
    refused("\"ff112233", "\"00112233", "wrong_archives[0].sha256: is the hash of the right archive");
}

static void test_manifest_refuses_an_unsealed_one_without_archive_hash(void **state) {
    (void)state;
    refused(", \"sha256\": \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"", "",
            "archive.sha256: is missing");
}

static void test_manifest_refuses_path_escapes(void **state) {
    (void)state;
    static const char *const targets[] = {"../one.dll",     "bin/../one.dll", "/bin/one.dll",  "bin//one.dll", "bin\\\\one.dll",
                                          "C:/bin/one.dll", "bin/one.dll/",   "bin/NUL.dll",   "bin/one.dll ", "bin/o:ne.dll",
                                          "./bin/one.dll",  "bin/.dll",       "bin/\u00e9.dll"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        cs_buffer row = {0};
        cs_buffer_format(&row, "\"target\": \"%s\"", targets[i]);
        refused("\"target\": \"bin/one.dll\"", row.data, "files[1].target: is not a relative path of plain names joined by '/'");
        cs_buffer_clear(&row);
        cs_buffer_format(&row, "\"source\": \"%s\"", targets[i]);
        refused("\"source\": \"bin/one.dll\"", row.data, "files[1].source: is not a relative path of plain names joined by '/'");
        cs_buffer_free(&row);
    }
}

static void test_manifest_refuses_targets_outside_the_set(void **state) {
    (void)state;
    static const char *const targets[] = {"one.dll",     "bin/sub/one.dll", "include/one.dll",
                                          "bin/one.exe", "Bin/one.dll",     "bin/one.DLL"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        cs_buffer row = {0};
        cs_buffer_format(&row, "\"target\": \"%s\"", targets[i]);
        refused("\"target\": \"bin/one.dll\"", row.data, "files[1].target: a dll has to go to bin/*.dll");
        cs_buffer_free(&row);
    }
    refused("\"target\": \"lib/x64/one.lib\"", "\"target\": \"lib/Win32/one.lib\"",
            "files[3].target: a lib has to go to lib/x64/*.lib");
    refused("\"target\": \"include/one.h\"", "\"target\": \"include/one.hpp\"",
            "files[2].target: a header has to go to include/*.h");
    refused("\"target\": \"licence.txt\"", "\"target\": \"bin/licence.txt\"",
            "files[0].target: a licence has to go to *.txt in the root");
}

static void test_manifest_refuses_kinds_that_do_not_fit(void **state) {
    (void)state;
    refused("\"kind\": \"dll\"", "\"kind\": \"lib\"", "files[1].target: a lib has to go to lib/x64/*.lib");
    refused("\"kind\": \"dll\"", "\"kind\": \"exe\"", "files[1].kind: must be one of dll, header, lib, licence");
    refused("\"kind\": \"dll\"", "\"kind\": \"DLL\"", "files[1].kind: must be one of dll, header, lib, licence");
}

static void test_manifest_refuses_twins(void **state) {
    (void)state;
    refused("{\"source\": \"include/one.h\", \"target\": \"include/one.h\", \"kind\": \"header\"}",
            "{\"source\": \"bin/two.dll\", \"target\": \"bin/ONE.dll\", \"kind\": \"dll\"}",
            "files[2].target: the same target as files[1]");
    refused("{\"source\": \"include/one.h\", \"target\": \"include/one.h\", \"kind\": \"header\"}",
            "{\"source\": \"bin/One.dll\", \"target\": \"bin/two.dll\", \"kind\": \"dll\"}",
            "files[2].source: the same source as files[1]");
    refused("{\"source\": \"include/one.h\", \"target\": \"include/one.h\", \"kind\": \"header\"}",
            "{\"source\": \"other.txt\", \"target\": \"other.txt\", \"kind\": \"licence\"}",
            "files[2].kind: a second licence; files[0] is one");
    refused("[\"a.zip\"]", "[\"a.zip\", \"A.ZIP\"]", "archive.names[1]: the same name as item 0");
}

static void test_manifest_refuses_half_a_seal(void **state) {
    (void)state;
    static const char hash[] = "\"sha256\": \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"";
    cs_buffer row = {0};
    cs_buffer_format(&row, "\"kind\": \"dll\", \"size\": 5, %s", hash);
    refused("\"kind\": \"dll\"", row.data, "files[1]: has size and sha256, but rows before it have not");
    cs_buffer_clear(&row);
    cs_buffer_format(&row, "\"kind\": \"licence\", \"size\": 5, %s", hash);
    refused("\"kind\": \"licence\"", row.data, "files[1]: size and sha256 are missing, but other rows have them");
    refused("\"kind\": \"licence\"", "\"kind\": \"licence\", \"size\": 5",
            "files[0].sha256: is missing: size and sha256 stand together or not at all");
    cs_buffer_clear(&row);
    cs_buffer_format(&row, "\"kind\": \"licence\", \"size\": 0, %s", hash);
    refused("\"kind\": \"licence\"", row.data, "files[0].size: must be at least 1");
    cs_buffer_clear(&row);
    cs_buffer_format(&row, "\"kind\": \"licence\", \"size\": 8589934593, %s", hash);
    refused("\"kind\": \"licence\"", row.data, "files[0].size: must be from 0 to 8589934592");
    cs_buffer_free(&row);
}

static void test_manifest_refuses_versions_that_contradict(void **state) {
    (void)state;
    refused("\"cudnn_version\": 8003", "\"cudnn_version\": 8004", "cudnn_version: does not fit version 8.0.3.33");
    refused("8.0.3.33", "8.0.3", "version: must be 4 numbers joined by dots");
    refused("8.0.3.33", "8.0.03.33", "version: must be 4 numbers joined by dots");
    refused("\"10.1\"", "\"10.1.243\"", "cuda: must be 2 numbers joined by dots");
    refused("\"3.0\"", "\"8.0\"", "compute_max: is below compute_min");
    refused("418.96", "418,96", "driver_min: must be 2 numbers joined by dots");
}

static void test_manifest_leaves_unknown_facts_absent(void **state) {
    (void)state;
    cs_manifest m = {0};
    accepted("\"driver_min\": \"418.96\", \"compute_min\": \"3.0\", \"compute_max\": \"7.5\", \"needs\": [\"cudart64_101.dll\"]",
             "\"compute_min\": \"3.0\"", &m);
    assert_null(m.driver_min);
    assert_null(m.compute_max);
    assert_int_equal(m.needs.count, 0);
    cs_buffer out = {0};
    assert_int_equal(cs_manifest_write(&m, &out, NULL), CS_OK);
    assert_null(strstr(out.data, "driver_min"));
    assert_null(strstr(out.data, "needs"));
    assert_null(strstr(out.data, "\"size\""));
    cs_buffer_free(&out);
    cs_manifest_free(&m);
    refused("\"driver_min\": \"418.96\"", "\"driver_min\": null", "driver_min: must be a string");
    refused("[\"cudart64_101.dll\"]", "[]", "needs: has 0 items; 1 to 32 are allowed");
}

static void test_manifest_refuses_too_many_rows(void **state) {
    (void)state;
    cs_buffer rows = {0};
    for (int i = 0; i < 65; i++)
        cs_buffer_format(&rows, "{\"source\": \"bin/f%d.dll\", \"target\": \"bin/f%d.dll\", \"kind\": \"dll\"}, ", i, i);
    cs_buffer from = {0};
    cs_buffer_text(&from, "{\"source\": \"licence.txt\"");
    cs_buffer_text(&rows, from.data);
    refused(from.data, rows.data, "files: has 69 items; 1 to 64 are allowed");
    cs_buffer_free(&rows);
    cs_buffer_free(&from);
}

static void test_manifest_refuses_more_than_a_megabyte(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_buffer_text(&text, sound);
    while (text.size < CS_MANIFEST_MAX_BYTES) cs_buffer_text(&text, " ");
    cs_manifest m = {0};
    cs_error error = {0};
    assert_int_equal(cs_manifest_parse("big", text.data, text.size, &m, &error), CS_OK);
    cs_manifest_free(&m);
    cs_buffer_text(&text, " ");
    assert_int_equal(cs_manifest_parse("big", text.data, text.size, &m, &error), CS_E_TOO_BIG);
    assert_string_equal(error.detail, "1048577 bytes; the limit is 1048576");
    cs_buffer_free(&text);
}

static void test_manifest_seal_loads_and_is_stable(void **state) {
    (void)state;
    cs_manifest m = {0}, sealed = {0};
    cs_buffer once = {0}, twice = {0};
    cs_staged staged[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        staged[i].size = 1000 + i;
        memset(staged[i].sha256, (int)(0xA0 + i), CS_SHA256_SIZE);
    }
    assert_int_equal(parse(sound, &m, NULL), CS_OK);
    assert_int_equal(cs_manifest_seal(&m, staged, &once, NULL), CS_OK);
    assert_int_equal(cs_manifest_parse("sealed", once.data, once.size, &sealed, NULL), CS_OK);
    assert_true(sealed.sealed);
    assert_true(sealed.sample);
    assert_int_equal(sealed.file_count, 4);
    assert_int_equal(sealed.files[2].size, 1002);
    assert_memory_equal(sealed.files[3].sha256, staged[3].sha256, CS_SHA256_SIZE);
    assert_memory_equal(sealed.archive_sha256, m.archive_sha256, CS_SHA256_SIZE);
    assert_string_equal(sealed.driver_min, "418.96");
    assert_int_equal(cs_manifest_write(&sealed, &twice, NULL), CS_OK);
    assert_string_equal(once.data, twice.data);
    cs_buffer_free(&once);
    cs_buffer_free(&twice);
    cs_manifest_free(&m);
    cs_manifest_free(&sealed);
}

static void test_manifest_sealed_may_lack_the_archive_hash(void **state) {
    (void)state;
    cs_manifest m = {0}, sealed = {0};
    cs_buffer out = {0};
    cs_staged staged[4] = {{.size = 1}, {.size = 2}, {.size = 3}, {.size = 4}};
    assert_int_equal(parse(sound, &m, NULL), CS_OK);
    m.has_archive_sha256 = false;
    assert_int_equal(cs_manifest_seal(&m, staged, &out, NULL), CS_OK);
    assert_int_equal(cs_manifest_parse("sealed", out.data, out.size, &sealed, NULL), CS_OK);
    assert_false(sealed.has_archive_sha256);
    cs_manifest_free(&m);
    cs_manifest_free(&sealed);
    cs_buffer_free(&out);
}

static void test_manifest_survives_every_failed_allocation(void **state) {
    (void)state;
    cs_error error = {0};
    unsigned long n = 1;
    for (;; n++) {
        cs_manifest m = {0};
        cs_alloc_fail_at(n);
        cs_status status = parse(sound, &m, &error);
        cs_alloc_fail_at(0);
        if (status == CS_OK) {
            cs_manifest_free(&m);
            break;
        }
        assert_int_equal(status, CS_E_NO_MEMORY);
        assert_null(m.files);
    }
    assert_true(n > 100); /* as many allocations as that were failed, one by one */
}

static void test_manifest_writing_survives_failed_allocations(void **state) {
    (void)state;
    cs_manifest m = {0};
    assert_int_equal(parse(sound, &m, NULL), CS_OK);
    unsigned long n = 1;
    for (cs_status status = CS_E_NO_MEMORY; status != CS_OK; n++) {
        cs_buffer out = {0};
        cs_alloc_fail_at(n);
        status = cs_manifest_write(&m, &out, NULL);
        cs_alloc_fail_at(0);
        if (status != CS_OK) assert_int_equal(status, CS_E_NO_MEMORY);
        cs_buffer_free(&out);
    }
    assert_true(n > 4);
    cs_manifest_free(&m);
}

static void test_manifest_survives_every_truncation_and_flip(void **state) {
    (void)state;
    size_t size = strlen(sound);
    for (size_t length = 0; length < size; length++) {
        cs_manifest m = {0};
        assert_int_equal(cs_manifest_parse("cut", sound, length, &m, NULL), CS_E_FORMAT);
    }
    char text[sizeof sound];
    for (size_t at = 0; at < size; at++) {
        cs_manifest m = {0};
        memcpy(text, sound, sizeof sound);
        text[at] = (char)(text[at] ^ (1 << at % 8));
        /* Some flips give another sound manifest (a letter in a sentence): what counts is that nothing else happens. */
        cs_status status = cs_manifest_parse("flip", text, size, &m, NULL);
        assert_true(status == CS_OK || status == CS_E_FORMAT);
        cs_manifest_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifest_reads_every_field),
        cmocka_unit_test(test_manifest_embedded_is_the_product),
        cmocka_unit_test(test_manifest_embedded_is_canonical),
        cmocka_unit_test(test_manifest_finds_targets_without_case),
        cmocka_unit_test(test_manifest_refuses_another_schema),
        cmocka_unit_test(test_manifest_refuses_unknown_keys),
        cmocka_unit_test(test_manifest_refuses_duplicate_keys),
        cmocka_unit_test(test_manifest_refuses_wrong_types),
        cmocka_unit_test(test_manifest_refuses_missing_keys),
        cmocka_unit_test(test_manifest_refuses_bad_hashes),
        cmocka_unit_test(test_manifest_refuses_an_unsealed_one_without_archive_hash),
        cmocka_unit_test(test_manifest_refuses_path_escapes),
        cmocka_unit_test(test_manifest_refuses_targets_outside_the_set),
        cmocka_unit_test(test_manifest_refuses_kinds_that_do_not_fit),
        cmocka_unit_test(test_manifest_refuses_twins),
        cmocka_unit_test(test_manifest_refuses_half_a_seal),
        cmocka_unit_test(test_manifest_refuses_versions_that_contradict),
        cmocka_unit_test(test_manifest_leaves_unknown_facts_absent),
        cmocka_unit_test(test_manifest_refuses_too_many_rows),
        cmocka_unit_test(test_manifest_refuses_more_than_a_megabyte),
        cmocka_unit_test(test_manifest_seal_loads_and_is_stable),
        cmocka_unit_test(test_manifest_sealed_may_lack_the_archive_hash),
        cmocka_unit_test(test_manifest_survives_every_failed_allocation),
        cmocka_unit_test(test_manifest_writing_survives_failed_allocations),
        cmocka_unit_test(test_manifest_survives_every_truncation_and_flip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
