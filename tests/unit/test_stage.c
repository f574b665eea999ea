#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/stage.h"
#include "verb_case.h"

#define TXID "0123456789abcdef0123456789abcdef"
#define NEW  VERB_TREE "\\.cudnn-setup\\" TXID "\\new"

typedef struct stage_case {
    verb_case c;
    cs_manifest manifest;
    cs_archive *archive;
    cs_trust trust;
    cs_stage stage;
} stage_case;

static void begin(stage_case *s) {
    *s = (stage_case){0};
    verb_case_begin(&s->c);
    verb_case_package(&s->c, "p803", "8.0.3.33", 8003, "803", false);
    memory_host_folder(s->c.machine, NEW);
    assert_int_equal(cs_package_manifest(s->c.host, VERB_MEDIA "\\p803.json", &s->manifest, NULL), CS_OK);
    assert_int_equal(cs_archive_open(s->c.host, VERB_MEDIA "\\p803.zip", &s->archive, NULL), CS_OK);
    assert_int_equal(cs_archive_judge(s->archive, &s->manifest, false, &s->trust, NULL), CS_OK);
    cs_stage_start(&s->stage, s->c.host, VERB_TREE, TXID, &s->manifest);
}

static void end(stage_case *s) {
    cs_stage_end(&s->stage);
    cs_archive_close(s->archive);
    cs_manifest_free(&s->manifest);
    assert_int_equal(memory_host_open_files(s->c.machine), 0);
    verb_case_end(&s->c);
}

static cs_status unpack(stage_case *s, cs_error *error) { return cs_stage_unpack(&s->stage, s->archive, &s->trust, NULL, error); }

static void test_stage_writes_each_row_by_its_number(void **state) {
    (void)state;
    stage_case s;
    begin(&s);
    assert_int_equal(unpack(&s, NULL), CS_OK);
    for (size_t i = 0; i < VERB_ROWS; i++) {
        char path[160];
        cs_file_info info;
        snprintf(path, sizeof path, NEW "\\%02u", (unsigned)i);
        assert_string_equal(memory_host_content(s.c.machine, path), verb_case_content("803", i));
        assert_true(memory_host_info(s.c.machine, path, &info));
        assert_true(cs_file_id_equal(&info.id, &s.stage.infos[i].id));
        assert_int_equal(s.stage.staged[i].size, strlen(verb_case_content("803", i)));
    }
    end(&s);
}

static void test_stage_flushes_each_file(void **state) {
    (void)state;
    stage_case s;
    begin(&s);
    memory_host_trace(s.c.machine, true);
    assert_int_equal(unpack(&s, NULL), CS_OK);
    const char *trace = memory_host_trace_text(s.c.machine);
    size_t flushes = 0;
    for (const char *at = strstr(trace, "flush "); at; at = strstr(at + 1, "flush ")) flushes++;
    assert_int_equal(flushes, VERB_ROWS);
    assert_non_null(strstr(trace, "set size " NEW "\\00"));
    end(&s);
}

static void test_stage_writes_only_wanted_rows_but_checks_all(void **state) {
    (void)state;
    stage_case s;
    begin(&s);
    for (size_t i = 0; i < VERB_ROWS; i++) s.stage.wanted[i] = i == 3;
    assert_int_equal(unpack(&s, NULL), CS_OK);
    assert_true(memory_host_exists(s.c.machine, NEW "\\03"));
    assert_false(memory_host_exists(s.c.machine, NEW "\\00"));
    assert_int_equal(s.stage.staged[0].size, strlen(verb_case_content("803", 0)));
    end(&s);
}

static void test_stage_never_writes_over_a_file(void **state) {
    (void)state;
    stage_case s;
    cs_error error = {0};
    begin(&s);
    memory_host_text(s.c.machine, NEW "\\02", "planted");
    assert_int_equal(unpack(&s, &error), CS_E_EXISTS);
    assert_string_equal(memory_host_content(s.c.machine, NEW "\\02"), "planted");
    end(&s);
}

static void test_stage_full_disk_says_how_much_is_missing(void **state) {
    (void)state;
    stage_case s;
    cs_error error = {0};
    begin(&s);
    const cs_volume volume = {.guid_path = "\\\\?\\Volume{11111111-1111-1111-1111-111111111111}\\",
                              .filesystem = "NTFS",
                              .local_fixed = true,
                              .free_bytes = 100};
    memory_host_volume(s.c.machine, "C:", &volume);
    assert_int_equal(unpack(&s, &error), CS_E_NO_SPACE);
    assert_non_null(strstr(error.detail, "and 100 are free"));
    end(&s);
}

static void test_stage_cancel_ends_it(void **state) {
    (void)state;
    stage_case s;
    begin(&s);
    s.c.cancel_after = 2;
    assert_int_equal(unpack(&s, NULL), CS_E_CANCELLED);
    end(&s);
}

static void test_stage_solid_volumes(void **state) {
    (void)state;
    cs_volume volume = {.filesystem = "NTFS", .local_fixed = true};
    assert_true(cs_stage_is_solid(&volume));
    volume.local_fixed = false;
    assert_false(cs_stage_is_solid(&volume));
    assert_true(cs_stage_is_solid(&(cs_volume){.filesystem = "ReFS", .local_fixed = true}));
    assert_false(cs_stage_is_solid(&(cs_volume){.filesystem = "exFAT", .local_fixed = true}));
    assert_false(cs_stage_is_solid(&(cs_volume){0}));
}

static void test_stage_copies_an_archive_from_a_share(void **state) {
    (void)state;
    stage_case s;
    cs_buffer path = {0};
    bool copied = false;
    begin(&s);
    const cs_volume share = {.guid_path = "\\\\?\\Volume{22222222-2222-2222-2222-222222222222}\\", .filesystem = "NTFS"};
    memory_host_volume(s.c.machine, "D:", &share);
    char *big = malloc(700001);
    memset(big, 'x', 700000);
    big[700000] = '\0';
    memory_host_text(s.c.machine, "D:\\a.zip", big);
    assert_int_equal(cs_stage_archive(s.c.host, VERB_TREE, TXID, "D:\\a.zip", &path, &copied, NULL), CS_OK);
    assert_true(copied);
    assert_string_equal(path.data, VERB_TREE "\\.cudnn-setup\\" TXID "\\archive");
    assert_string_equal(memory_host_content(s.c.machine, path.data), big);
    assert_int_equal(cs_stage_archive(s.c.host, VERB_TREE, TXID, VERB_MEDIA "\\p803.zip", &path, &copied, NULL), CS_OK);
    assert_false(copied);
    assert_string_equal(path.data, VERB_MEDIA "\\p803.zip");
    cs_error error = {0};
    assert_int_equal(cs_stage_archive(s.c.host, VERB_TREE, TXID, "D:\\none.zip", &path, &copied, &error), CS_E_ARCHIVE_OPEN);
    free(big);
    cs_buffer_free(&path);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stage_writes_each_row_by_its_number),
        cmocka_unit_test(test_stage_flushes_each_file),
        cmocka_unit_test(test_stage_writes_only_wanted_rows_but_checks_all),
        cmocka_unit_test(test_stage_never_writes_over_a_file),
        cmocka_unit_test(test_stage_full_disk_says_how_much_is_missing),
        cmocka_unit_test(test_stage_cancel_ends_it),
        cmocka_unit_test(test_stage_solid_volumes),
        cmocka_unit_test(test_stage_copies_an_archive_from_a_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
