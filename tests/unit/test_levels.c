#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/levels.h"

static const char *const targets[] = {"bin/a.dll", "include/b.h", "lib/x64/c.lib"};

static void digest(uint8_t out[CS_SHA256_SIZE], unsigned content) {
    memset(out, 0, CS_SHA256_SIZE);
    out[0] = (uint8_t)content;
}

static void add_row(cs_receipt *receipt, unsigned target, unsigned number, unsigned content, bool ours, unsigned old) {
    receipt->rows = cs_realloc(receipt->rows, receipt->row_count + 1, sizeof *receipt->rows);
    cs_receipt_row *row = &receipt->rows[receipt->row_count++];
    *row = (cs_receipt_row){
        .target = cs_strdup(targets[target]), .number = number, .size = content, .ours = ours, .had_old = old != 0};
    digest(row->sha256, content);
    if (old) {
        digest(row->old_sha256, old);
        row->old.size = old;
    }
}

static void add_change(cs_receipt *receipt, cs_variable variable, const char *name, const char *old, const char *now) {
    receipt->regs = cs_realloc(receipt->regs, receipt->reg_count + 1, sizeof *receipt->regs);
    cs_reg_change *change = &receipt->regs[receipt->reg_count++];
    *change = (cs_reg_change){.variable = variable, .name = cs_strdup(name)};
    if (old) assert_int_equal(cs_reg_value_from_text(&change->old, CS_REG_SZ, old, NULL), CS_OK);
    if (now) assert_int_equal(cs_reg_value_from_text(&change->now, CS_REG_SZ, now, NULL), CS_OK);
}

static void begin(cs_record *record, unsigned count) {
    *record = (cs_record){.stack = cs_alloc(count, sizeof *record->stack), .stack_count = count};
    for (unsigned i = 0; i < count; i++) {
        cs_receipt *receipt = &record->stack[i];
        memset(receipt->txid, '0' + (int)i, CS_ID_HEX);
        receipt->time = i;
        receipt->cudnn_version = 8001 + i;
        receipt->product = cs_strdup("cuDNN");
        char version[16];
        snprintf(version, sizeof version, "8.0.%u", i + 1);
        receipt->version = cs_strdup(version);
    }
}

static const cs_receipt_row *row_of(const cs_receipt *receipt, unsigned target) {
    for (size_t i = 0; i < receipt->row_count; i++)
        if (strcmp(receipt->rows[i].target, targets[target]) == 0) return &receipt->rows[i];
    return NULL;
}

static void test_levels_fold_joins_the_two_oldest(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_row(&record.stack[0], 0, 0, 10, true, 5);
    add_row(&record.stack[0], 1, 1, 11, true, 0);
    add_row(&record.stack[1], 0, 0, 20, true, 10);
    add_row(&record.stack[1], 1, 1, 11, false, 0);
    add_row(&record.stack[1], 2, 2, 22, true, 0);
    assert_int_equal(cs_strings_add(&record.stack[0].folders, "include", NULL), CS_OK);
    assert_int_equal(cs_strings_add(&record.stack[1].folders, "lib", NULL), CS_OK);
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 3);
    const cs_receipt *folded = &record.stack[0];
    assert_string_equal(folded->txid, "00000000000000000000000000000000");
    assert_string_equal(folded->version, "8.0.2");
    assert_int_equal(folded->cudnn_version, 8002);
    assert_int_equal(folded->row_count, 3);
    assert_int_equal(row_of(folded, 0)->sha256[0], 20);
    assert_int_equal(row_of(folded, 0)->old_sha256[0], 5);
    assert_true(row_of(folded, 1)->ours);
    assert_false(row_of(folded, 1)->had_old);
    assert_int_equal(row_of(folded, 2)->sha256[0], 22);
    assert_int_equal(row_of(folded, 2)->number, 2);
    assert_int_equal(folded->folders.count, 2);
    assert_int_equal(record.cleanup_count, 1);
    assert_string_equal(record.cleanup[0].txid, "11111111111111111111111111111111");
    assert_int_equal(record.cleanup[0].area, CS_AREA_OLD);
    assert_int_equal(record.cleanup[0].number, 0);
    assert_string_equal(record.stack[1].version, "8.0.3");
    cs_record_free(&record);
}

static void test_levels_fold_leaves_three(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 3);
    add_row(&record.stack[0], 0, 0, 10, true, 5);
    add_row(&record.stack[1], 0, 0, 20, true, 10);
    add_row(&record.stack[2], 0, 0, 30, true, 20);
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 3);
    assert_int_equal(record.cleanup_count, 0);
    cs_record_free(&record);
}

static void test_levels_fold_keeps_what_somebody_else_made(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_row(&record.stack[0], 0, 0, 10, true, 5);
    add_row(&record.stack[1], 0, 0, 20, true, 99); /* not what the first one placed */
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 4);
    assert_int_equal(record.cleanup_count, 0);
    cs_record_free(&record);
}

static void test_levels_fold_keeps_an_old_file_that_the_first_did_not_place(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_row(&record.stack[0], 0, 0, 10, false, 0); /* was right before us: the user's own */
    add_row(&record.stack[1], 0, 0, 20, true, 10);
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 4);
    cs_record_free(&record);
}

static void test_levels_fold_keeps_a_file_that_only_the_first_package_had(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_row(&record.stack[0], 0, 0, 10, true, 5);
    add_row(&record.stack[0], 1, 1, 11, true, 0); /* the second one's manifest does not name it */
    add_row(&record.stack[1], 0, 0, 20, true, 10);
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 4);
    assert_int_equal(record.cleanup_count, 0);
    cs_record_free(&record);
}

static void test_levels_fold_joins_environment_changes(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_change(&record.stack[0], CS_VARIABLE_CUDA_PATH, "CUDA_PATH", NULL, "A");
    add_change(&record.stack[0], CS_VARIABLE_CUDA_PATH_V10_1, "CUDA_PATH_V10_1", "A", "B");
    add_change(&record.stack[1], CS_VARIABLE_CUDA_PATH, "CUDA_PATH", "A", "B");
    add_change(&record.stack[1], CS_VARIABLE_CUDA_PATH_V10_1, "CUDA_PATH_V10_1", "B",
               "A"); /* back again: nothing is left of it */
    add_change(&record.stack[1], CS_VARIABLE_PATH, "Path", "x", "y");
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 3);
    const cs_receipt *folded = &record.stack[0];
    assert_int_equal(folded->reg_count, 2);
    assert_int_equal(folded->regs[0].variable, CS_VARIABLE_CUDA_PATH);
    assert_false(folded->regs[0].old.present);
    cs_buffer text = {0};
    assert_int_equal(cs_reg_value_to_text(&folded->regs[0].now, &text, NULL), CS_OK);
    assert_string_equal(text.data, "B");
    assert_int_equal(folded->regs[1].variable, CS_VARIABLE_PATH);
    cs_buffer_free(&text);
    cs_record_free(&record);
}

static void test_levels_fold_keeps_an_edit_in_between(void **state) {
    (void)state;
    cs_record record;
    begin(&record, 4);
    add_change(&record.stack[0], CS_VARIABLE_PATH, "Path", "x", "ours;x");
    add_change(&record.stack[1], CS_VARIABLE_PATH, "Path", "x;theirs", "ours;x;theirs");
    assert_int_equal(cs_levels_fold(&record, NULL), CS_OK);
    assert_int_equal(record.stack_count, 4);
    cs_record_free(&record);
}

static void test_levels_forget_drops_below_the_newest_two(void **state) {
    (void)state;
    cs_record record;
    size_t dropped = 0;
    begin(&record, 3);
    add_row(&record.stack[0], 0, 4, 10, true, 5);
    add_row(&record.stack[0], 1, 5, 11, true, 0);
    add_row(&record.stack[1], 0, 0, 20, true, 10);
    add_row(&record.stack[2], 0, 0, 30, true, 20);
    assert_int_equal(cs_levels_size(&record.stack[0]), 5);
    assert_int_equal(cs_levels_forget(&record, &dropped, NULL), CS_OK);
    assert_int_equal(dropped, 1);
    assert_int_equal(record.cleanup_count, 1);
    assert_int_equal(record.cleanup[0].number, 4);
    assert_false(record.stack[0].rows[0].had_old);
    assert_true(record.stack[0].rows[0].ours);
    assert_true(record.stack[1].rows[0].had_old);
    assert_true(record.stack[2].rows[0].had_old);
    assert_int_equal(cs_levels_size(&record.stack[0]), 0);
    assert_int_equal(cs_levels_forget(&record, &dropped, NULL), CS_OK);
    assert_int_equal(dropped, 0);
    cs_record_free(&record);
}

static void test_levels_fold_survives_no_memory(void **state) {
    (void)state;
    for (unsigned long n = 1; n < 200; n++) {
        cs_record record;
        begin(&record, 4);
        add_row(&record.stack[0], 0, 0, 10, true, 5);
        add_row(&record.stack[1], 0, 0, 20, true, 10);
        add_row(&record.stack[1], 2, 2, 22, true, 0);
        add_change(&record.stack[0], CS_VARIABLE_CUDA_PATH, "CUDA_PATH", NULL, "A");
        add_change(&record.stack[1], CS_VARIABLE_CUDA_PATH, "CUDA_PATH", "A", "B");
        cs_alloc_fail_at(n);
        cs_status status = cs_levels_fold(&record, NULL);
        cs_alloc_fail_at(0);
        assert_true(status == CS_OK || status == CS_E_NO_MEMORY);
        assert_int_equal(record.stack_count, status == CS_OK ? 3 : 4);
        cs_record_free(&record);
        if (status == CS_OK) return;
    }
    fail_msg("never succeeded");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_fold_joins_the_two_oldest),
        cmocka_unit_test(test_levels_fold_leaves_three),
        cmocka_unit_test(test_levels_fold_keeps_what_somebody_else_made),
        cmocka_unit_test(test_levels_fold_keeps_an_old_file_that_the_first_did_not_place),
        cmocka_unit_test(test_levels_fold_keeps_a_file_that_only_the_first_package_had),
        cmocka_unit_test(test_levels_fold_joins_environment_changes),
        cmocka_unit_test(test_levels_fold_keeps_an_edit_in_between),
        cmocka_unit_test(test_levels_forget_drops_below_the_newest_two),
        cmocka_unit_test(test_levels_fold_survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
