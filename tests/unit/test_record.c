#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../src/core/record_rules.h"
#include "engine_fixture.h"

static void write_fixture(cs_buffer *out) {
    cs_record record;
    cs_error error = {0};
    fixture_record(&record);
    assert_int_equal(cs_record_write(&record, out, &error), CS_OK);
    cs_record_free(&record);
}

static void test_record_starts_with_its_own_hash(void **state) {
    (void)state;
    cs_buffer text = {0};
    write_fixture(&text);
    assert_memory_equal(text.data, "{\"format\":1,\"sha256\":\"", 22);
    static const char next[] = "\",\"tree\":\"0123456789abcdef0123456789abcdef\",\"path\":";
    assert_memory_equal(text.data + 22 + 64, next, sizeof next - 1);
    assert_null(strchr(text.data, '\n'));
    cs_buffer_free(&text);
}

static void test_record_round_trip_is_exact(void **state) {
    (void)state;
    cs_buffer text = {0}, again = {0};
    cs_record record;
    cs_error error = {0};
    write_fixture(&text);
    assert_int_equal(cs_record_read("r", text.data, text.size, &record, &error), CS_OK);
    assert_string_equal(record.tree_path, "C:\\Programme \xC3\xA4\xED\xA0\x80\\v10.1");
    assert_int_equal(record.kind, CS_KIND_INSTALL);
    assert_int_equal(record.move_count, 2);
    const cs_move *move = &record.moves[0];
    assert_true(move->to_private && move->blob.area == CS_AREA_OLD && move->blob.number == 3);
    assert_true(move->info.id.volume == UINT64_C(0xFEDCBA9876543210) && move->info.id.id[3] == 255);
    assert_true(move->info.size == UINT64_MAX && move->info.attributes == 0xFFFFFFFF);
    assert_true(move->info.created == INT64_MIN && move->info.accessed == -1 && move->info.written == INT64_MAX);
    assert_int_equal(move->sha256[31], 0xAB);
    assert_int_equal(record.folders.count, 2);
    assert_string_equal(record.regs[0].name, "pAtH");
    assert_int_equal(record.regs[0].index, 7);
    assert_true(record.regs[0].old.present && record.regs[0].old.type == 77 && record.regs[0].old.size == 3);
    assert_true(record.regs[0].now.present && record.regs[0].now.size == 0 && !record.regs[0].now.bytes);
    const cs_receipt *receipt = &record.stack[0];
    assert_true(receipt->time == INT64_C(132500000000000001) && receipt->cudnn_version == 8003);
    assert_true(receipt->trust.kind == CS_TRUST_UNVERIFIED && receipt->trust.has_archive_sha256);
    assert_true(receipt->rows[0].had_old && receipt->rows[0].old.written == 17 && !receipt->rows[1].had_old);
    assert_int_equal(receipt->rows[1].number, 99);
    assert_int_equal(record.parked[0].blob.number, 42);
    assert_int_equal(record.cleanup_count, 1);
    assert_int_equal(cs_record_write(&record, &again, &error), CS_OK);
    assert_int_equal(text.size, again.size);
    assert_memory_equal(text.data, again.data, text.size);
    cs_record_free(&record);
    cs_buffer_free(&text);
    cs_buffer_free(&again);
}

static void test_record_absent_value_stays_absent(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_record record;
    cs_error error = {0};
    fixture_record(&record);
    cs_reg_value_free(&record.regs[0].old);
    assert_int_equal(cs_record_write(&record, &text, &error), CS_OK);
    cs_record_free(&record);
    assert_int_equal(cs_record_read("r", text.data, text.size, &record, &error), CS_OK);
    assert_false(record.regs[0].old.present);
    assert_true(record.regs[0].now.present);
    cs_record_free(&record);
    cs_buffer_free(&text);
}

static void test_record_every_changed_byte_is_noticed(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_record record;
    write_fixture(&text);
    for (size_t i = 0; i < text.size; i++) {
        cs_error error = {0};
        text.data[i] ^= 1;
        cs_status status = cs_record_read("r", text.data, text.size, &record, &error);
        if (status != CS_E_FORMAT && status != CS_E_UNSUPPORTED) fail_msg("byte %zu: status %d", i, (int)status);
        assert_null(record.tree_path);
        text.data[i] ^= 1;
    }
    cs_buffer_free(&text);
}

static void test_record_every_shorter_text_is_refused(void **state) {
    (void)state;
    cs_buffer text = {0};
    cs_record record;
    cs_error error = {0};
    write_fixture(&text);
    for (size_t size = 0; size < text.size; size++)
        assert_int_equal(cs_record_read("r", text.data, size, &record, &error), CS_E_FORMAT);
    cs_buffer_append(&text, " ", 1);
    assert_int_equal(cs_record_read("r", text.data, text.size, &record, &error), CS_E_FORMAT);
    cs_buffer_free(&text);
}

static void test_record_newer_format_is_told_apart(void **state) {
    (void)state;
    static const char *const newer[] = {"{\"format\":2}", "{\"format\":10,\"sha256\":\"\"}",
                                        "{\"format\":999999999999999999999}"};
    static const char *const broken[] = {
        "", "{\"format\":0}", "{\"format\":}", "{\"format\":01}", "{\"format\":1}", "{ \"format\":2}"};
    cs_record record;
    cs_error error = {0};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cs_record_read("r", newer[i], strlen(newer[i]), &record, &error), CS_E_UNSUPPORTED);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(cs_record_read("r", broken[i], strlen(broken[i]), &record, &error), CS_E_FORMAT);
}

/* Replaces the first from by to and seals the text again: what a careful forger would hand in. */
static cs_status read_forged(const char *from, const char *to, cs_error *error) {
    cs_buffer text = {0}, forged = {0};
    cs_record record;
    write_fixture(&text);
    char *found = strstr(text.data, from);
    if (!found) fail_msg("no %s in %s", from, text.data);
    cs_buffer_append(&forged, text.data, (size_t)(found - text.data));
    cs_buffer_text(&forged, to);
    cs_buffer_text(&forged, found + strlen(from));
    memset(forged.data + 22, '0', 64);
    assert_int_equal(cs_seal_end("r", &forged, error), CS_OK);
    cs_status status = cs_record_read("r", forged.data, forged.size, &record, error);
    if (status == CS_OK) cs_record_free(&record);
    cs_buffer_free(&text);
    cs_buffer_free(&forged);
    return status;
}

static void test_record_forged_text_is_refused(void **state) {
    (void)state;
    static const char *const forgeries[][2] = {
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"include/../../x.h\""},
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"C:/Windows/x.h\""},
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"include/a/x.h\""},
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"include/CON.h\""},
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"include/cudnn.h:stream\""},
        {"\"target\":\"include/cudnn.h\"", "\"target\":\"bin/evil.exe\""},
        {"\"number\":3", "\"number\":100"},
        {"\"number\":3", "\"number\":-1"},
        {"\"number\":3", "\"number\":3.5"},
        {"\"number\":3", "\"number\":\"3\""},
        {"\"area\":\"old\"", "\"area\":\"..\""},
        {"\"area\":\"old\"", "\"area\":\"new\""}, /* away into new */
        {"\"kind\":\"install\"", "\"kind\":\"Install\""},
        {"\"kind\":\"install\"", "\"kind\":\"install\",\"extra\":1"},
        {"\"kind\":\"install\"", "\"kind\":\"install\",\"kind\":\"repair\""},
        {"\"folders\":[\"lib\",\"lib/x64\"]", "\"folders\":[\"..\"]"},
        {"\"folders\":[\"lib\",\"lib/x64\"]", "\"folders\":[\"lib/x64\",\"lib\"]"},
        {"\"folders\":[\"lib\",\"lib/x64\"]", "\"folders\":[\"lib\",\"lib\"]"},
        {"\"variable\":\"PATH\"", "\"variable\":\"PATHEXT\""},
        {"\"variable\":\"PATH\"", "\"variable\":\"CUDA_PATH\""}, /* spelled pAtH */
        {"\"name\":\"pAtH\"", "\"name\":\"ComSpec\""},
        {"\"old\":{\"type\":77,\"bytes\":\"000000\"}", "\"old\":{\"type\":2,\"bytes\":\"\"}"}, /* changes nothing */
        {"\"bytes\":\"000000\"", "\"bytes\":\"00000\""},
        {"\"bytes\":\"000000\"", "\"bytes\":\"00000G\""},
        {"\"path\":\"C:\\\\Programme", "\"path\":\"\\\\\\\\server\\\\share"},
        {"\"path\":\"C:\\\\Programme", "\"path\":\"\\\\\\\\?\\\\C:\\\\Programme"},
        {"\"path\":\"C:\\\\Programme", "\"path\":\"C:\\\\..\\\\Programme"},
        {"\"path\":\"C:\\\\Programme", "\"path\":\"Programme"},
        {"\"txid\":\"22222222222222222222222222222222\",\"kind\"", "\"txid\":\"2222222222222222222222222222222/\",\"kind\""},
        {"\"txid\":\"22222222222222222222222222222222\",\"kind\"", "\"txid\":\"2222\",\"kind\""},
        {"\"away\":false", "\"away\":true"},
        {"\"away\":true", "\"away\":null"},
        {"\"size\":\"18446744073709551615\"", "\"size\":\"18446744073709551616\""},
        {"\"sha256\":\"abab", "\"sha256\":\"ABAB"},
        {"\"written\":\"9223372036854775807\"", "\"written\":\"9223372036854775808\""},
        {"\"parked\":[{", "\"parked\":[{},{"},
        {"\"parked\":[{\"txid\":\"33333333333333333333333333333333\",\"area\":\"old\"",
         "\"parked\":[{\"txid\":\"33333333333333333333333333333333\",\"area\":\"new\""},
        {"\"cleanup\":[{\"txid\":\"22222222222222222222222222222222\",\"area\":\"old\",\"number\":3}]",
         "\"cleanup\":[{\"txid\":\"11111111111111111111111111111111\",\"area\":\"old\",\"number\":0}]"}, /* a receipt's old file
                                                                                                          */
        {"\"cleanup\":[{\"txid\":\"22222222222222222222222222222222\",\"area\":\"old\",\"number\":3}]",
         "\"cleanup\":[{\"txid\":\"33333333333333333333333333333333\",\"area\":\"old\",\"number\":42}]"}, /* a parked file */
        {"\"kind\":\"unverified\"", "\"kind\":\"trusted\""},
        {"\"ours\":true", "\"ours\":1"},
        {"\"ours\":true", "\"ours\":false"}, /* and yet it kept an old file */
        {"\"product\":\"cuDNN\"", "\"product\":\"cu\\u0000DNN\""},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        cs_error error = {0};
        cs_status status = read_forged(forgeries[i][0], forgeries[i][1], &error);
        if (status != CS_E_FORMAT) fail_msg("%s: status %d", forgeries[i][1], (int)status);
        if (!error.detail[0]) fail_msg("%s: refused without a place", forgeries[i][1]);
    }
    cs_error error = {0};
    assert_int_equal(read_forged("\"kind\":\"install\"", "\"kind\":\"repair\"", &error), CS_OK); /* the forging itself works */
}

static void test_record_writer_refuses_what_the_reader_would(void **state) {
    (void)state;
    cs_record record;
    cs_buffer text = {0};
    cs_error error = {0};
    fixture_record(&record);
    cs_move swap = record.moves[0];
    record.moves[0] = record.moves[1];
    record.moves[1] = swap;
    assert_int_equal(cs_record_write(&record, &text, &error), CS_E_FORMAT);
    assert_non_null(strstr(error.detail, "moves[1]"));
    record.moves[1] = record.moves[0];
    record.moves[0] = swap;
    record.moves[1].blob.number = 100;
    assert_int_equal(cs_record_write(&record, &text, &error), CS_E_FORMAT);
    record.moves[1].blob.number = 3;
    memcpy(record.stack[0].txid, "zz", 2);
    assert_int_equal(cs_record_write(&record, &text, &error), CS_E_FORMAT);
    assert_non_null(strstr(error.detail, "stack[0]"));
    cs_record_free(&record);
    cs_buffer_free(&text);
}

static void test_record_too_big_is_said_before_it_is_written(void **state) {
    (void)state;
    cs_record record;
    cs_buffer text = {0};
    cs_error error = {0};
    fixture_record(&record);
    cs_reg_value_free(&record.regs[0].old);
    cs_reg_change *regs = cs_realloc(record.regs, 3, sizeof *regs);
    assert_non_null(regs);
    record.regs = regs;
    regs[2] = regs[0];
    regs[0] = (cs_reg_change){.variable = CS_VARIABLE_CUDA_PATH, .name = cs_strdup("CUDA_PATH")};
    regs[1] = (cs_reg_change){.variable = CS_VARIABLE_CUDA_PATH_V10_1, .name = cs_strdup("CUDA_PATH_V10_1")};
    record.reg_count = 3;
    for (size_t i = 0; i < 3; i++) {
        cs_reg_value_free(&regs[i].now);
        regs[i].now = (cs_reg_value){true, 1, cs_alloc(1024 * 1024, 1), 1024 * 1024};
        regs[i].old = (cs_reg_value){true, 2, cs_alloc(1024 * 1024, 1), 1024 * 1024};
    }
    assert_int_equal(cs_record_write(&record, &text, &error), CS_E_TOO_BIG);
    cs_record_free(&record);
    cs_buffer_free(&text);
}

static void test_record_target_rules(void **state) {
    (void)state;
    static const char *const good[] = {"bin/cudnn64_8.dll", "include/cudnn.h", "lib/x64/cudnn.lib", "NVIDIA_SLA.txt",
                                       "bin/x.DLL"};
    static const char *const bad[] = {"",           "bin/",         "bin/.dll",      "bin\\x.dll", "bin/x.dll/", "bin/../x.dll",
                                      "x.dll",      "lib/x.lib",    "lib/x64/x.dll", "/x.txt",     "bin/x.dll ", "include/x.hpp",
                                      ".cudnn.txt", "bin/a b?.dll", "bin/nul.dll"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!cs_target_valid(good[i])) fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (cs_target_valid(bad[i])) fail_msg("%s is accepted", bad[i]);
}

static void test_record_tree_path_rules(void **state) {
    (void)state;
    static const char *const good[] = {"C:\\CUDA", "d:\\a b\\v10.1", "/opt/cuda", "C:\\..a\\b.."};
    static const char *const bad[] = {"",           "C:",           "C:\\",     "C:CUDA", "CUDA", "\\\\s\\x", "C:\\a\\",
                                      "C:\\a\\\\b", "C:\\a\\..\\b", "C:\\.\\b", "/a//b",  "/",    "1:\\a",    "C:\\a/../b"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!cs_tree_path_valid(good[i])) fail_msg("%s is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (cs_tree_path_valid(bad[i])) fail_msg("%s is accepted", bad[i]);
}

static void test_record_receipt_copy_is_deep(void **state) {
    (void)state;
    cs_record record;
    cs_receipt copy;
    cs_error error = {0};
    fixture_record(&record);
    assert_int_equal(cs_receipt_copy(&copy, &record.stack[0], &error), CS_OK);
    cs_record_free(&record);
    assert_string_equal(copy.rows[1].target, "lib/x64/cudnn.lib");
    assert_string_equal(copy.version, "8.0.3.33");
    cs_receipt_free(&copy);
}

static void test_record_out_of_memory(void **state) {
    (void)state;
    cs_record record, back;
    cs_receipt copy;
    cs_buffer text = {0};
    cs_error error = {0};
    fixture_record(&record);
    cs_status status = CS_E_NO_MEMORY;
    for (unsigned long n = 1; status != CS_OK; n++) {
        cs_buffer_free(&text);
        cs_alloc_fail_at(n);
        status = cs_record_write(&record, &text, &error);
        cs_alloc_fail_at(0);
        if (status != CS_OK) assert_int_equal(status, CS_E_NO_MEMORY);
    }
    status = CS_E_NO_MEMORY;
    for (unsigned long n = 1; status != CS_OK; n++) {
        cs_alloc_fail_at(n);
        status = cs_record_read("r", text.data, text.size, &back, &error);
        cs_alloc_fail_at(0);
        if (status != CS_OK) assert_int_equal(status, CS_E_NO_MEMORY);
    }
    cs_record_free(&back);
    status = CS_E_NO_MEMORY;
    for (unsigned long n = 1; status != CS_OK; n++) {
        cs_alloc_fail_at(n);
        status = cs_receipt_copy(&copy, &record.stack[0], &error);
        cs_alloc_fail_at(0);
    }
    cs_receipt_free(&copy);
    cs_record_free(&record);
    cs_buffer_free(&text);
}

/* Gives the change two older values: an absent one and a string. */
static void add_below(cs_record *record) {
    cs_reg_change *change = &record->regs[0];
    change->below = cs_alloc(2, sizeof *change->below);
    assert_non_null(change->below);
    change->below_count = 2;
    assert_int_equal(cs_reg_value_from_text(&change->below[1], CS_REG_SZ, "C:\\gone", NULL), CS_OK);
}

static void test_record_older_values_are_kept(void **state) {
    (void)state; /* what lay below another installation's value */
    cs_record record, back = {0};
    cs_buffer text = {0};
    cs_error error = {0};
    fixture_record(&record);
    assert_int_equal(record.reg_count, 1);
    add_below(&record);
    assert_int_equal(cs_record_write(&record, &text, &error), CS_OK);
    cs_status status = CS_E_NO_MEMORY;
    for (unsigned long n = 1; status == CS_E_NO_MEMORY; n++) {
        cs_alloc_fail_at(n);
        status = cs_record_read("r", text.data, text.size, &back, &error);
        cs_alloc_fail_at(0);
    }
    assert_int_equal(status, CS_OK);
    const cs_reg_change *change = &back.regs[0];
    assert_int_equal(change->below_count, 2);
    assert_false(change->below[0].present);
    assert_true(cs_reg_value_equal(&change->below[1], &record.regs[0].below[1]));
    cs_record_free(&back);
    record.regs[0].below_count = 0;
    cs_reg_value_free(&record.regs[0].below[1]);
    cs_free(record.regs[0].below);
    record.regs[0].below = cs_alloc(CS_RECORD_MAX_BELOW + 1, sizeof(cs_reg_value));
    record.regs[0].below_count = CS_RECORD_MAX_BELOW + 1;
    assert_int_equal(cs_record_write(&record, &text, &error), CS_E_FORMAT);
    cs_record_free(&record);
    cs_buffer_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record_older_values_are_kept),
        cmocka_unit_test(test_record_starts_with_its_own_hash),
        cmocka_unit_test(test_record_round_trip_is_exact),
        cmocka_unit_test(test_record_absent_value_stays_absent),
        cmocka_unit_test(test_record_every_changed_byte_is_noticed),
        cmocka_unit_test(test_record_every_shorter_text_is_refused),
        cmocka_unit_test(test_record_newer_format_is_told_apart),
        cmocka_unit_test(test_record_forged_text_is_refused),
        cmocka_unit_test(test_record_writer_refuses_what_the_reader_would),
        cmocka_unit_test(test_record_too_big_is_said_before_it_is_written),
        cmocka_unit_test(test_record_target_rules),
        cmocka_unit_test(test_record_tree_path_rules),
        cmocka_unit_test(test_record_receipt_copy_is_deep),
        cmocka_unit_test(test_record_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
