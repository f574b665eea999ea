/* PATH edits, by properties over generated values: the same values in every run. Row P01, P02, P04, P06 and P09 of the collected
 * reports are instances of these. CUDNN_SETUP_PROPERTY_CASES asks for another number of cases than the default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/text.h"
#include "path_maker.h"

#define check(condition) path_maker_check(number, old, condition)

/* b is a with one run of bytes put in. */
static bool is_insertion(const cs_reg_value *a, const cs_reg_value *b) {
    size_t front = 0, back = 0;
    while (front < a->size && front < b->size && a->bytes[front] == b->bytes[front]) front++;
    while (back < a->size && back < b->size && a->bytes[a->size - 1 - back] == b->bytes[b->size - 1 - back]) back++;
    return b->size > a->size && front + back >= a->size;
}

static size_t count_ours(const cs_reg_value *value, const cs_pathlist_folder *folder, size_t *usable_at) {
    cs_pathlist list;
    size_t count = 0;
    assert_int_equal(cs_pathlist_parse(value, folder, &list, NULL), CS_OK);
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].ours && list.items[i].usable && usable_at) *usable_at = i;
        count += list.items[i].ours;
    }
    cs_pathlist_free(&list);
    return count;
}

/* Nothing but our entry and one ';' came in, and a terminator where there was not one byte. */
static bool is_our_insertion(const cs_reg_value *a, const cs_reg_value *b) {
    size_t text = a->size >= 2 && (a->bytes[0] || a->bytes[1]);
    return is_insertion(a, b) && b->size - a->size == 2 * (strlen(OURS) + text + !a->size);
}

/* Install, install again, uninstall. */
static void check_round_trip(unsigned long number, const cs_reg_value *old) {
    cs_reg_value out = {0}, again = {0}, back = {0};
    size_t index, second, usable = SIZE_MAX;
    bool changed;
    assert_int_equal(cs_pathlist_add(old, &path_maker_ours, path_maker_place(), &out, &index, &changed, NULL), CS_OK);
    check(changed != cs_reg_value_equal(old, &out));
    if (changed) check(is_our_insertion(old, &out));
    if (old->present) check(out.type == old->type);
    check(count_ours(&out, &path_maker_ours, &usable) == count_ours(old, &path_maker_ours, NULL) + changed);
    check(usable != SIZE_MAX);
    assert_int_equal(cs_pathlist_add(&out, &path_maker_ours, path_maker_place(), &again, &second, &changed, NULL), CS_OK);
    check(!changed && cs_reg_value_equal(&again, &out));
    assert_int_equal(cs_pathlist_undo(&out, old, &out, &path_maker_ours, index, &back, &changed, NULL), CS_OK);
    check(cs_reg_value_equal(&back, old));
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
    cs_reg_value_free(&back);
}

static void test_pathlist_properties_round_trip(void **state) {
    (void)state;
    path_maker_seed(1);
    for (unsigned long number = 0; number < path_maker_wanted(); number++) {
        cs_reg_value old = path_maker_any();
        check_round_trip(number, &old);
        cs_reg_value_free(&old);
        path_maker_cases++;
    }
}

/* ---- edits by others in between ---- */

/* Other programs put in, take out and append entries that are not ours. */
static cs_reg_value edited(const cs_reg_value *value) {
    cs_pathlist list;
    cs_buffer text = {0};
    assert_int_equal(cs_pathlist_parse(value, &path_maker_ours, &list, NULL), CS_OK);
    size_t put = path_maker_below(list.count + 1), drop = path_maker_below(list.count + 1);
    bool first = true;
    for (size_t i = 0; i <= list.count; i++) {
        for (int which = 0; which < 2; which++) {
            const char *entry = which ? (i < list.count ? list.items[i].text : NULL) : (i == put ? "E:\\new" : NULL);
            if (!entry || (which && i == drop && !list.items[i].ours)) continue;
            if (!first) cs_buffer_text(&text, ";");
            first = false;
            cs_buffer_text(&text, entry);
        }
    }
    cs_reg_value out = path_maker_value(value->type, &text, 1);
    cs_buffer_free(&text);
    cs_pathlist_free(&list);
    return out;
}

/* after = before without exactly one entry of ours. */
static bool lost_one_of_ours(const cs_reg_value *before, const cs_reg_value *after) {
    cs_pathlist a, b;
    assert_int_equal(cs_pathlist_parse(before, &path_maker_ours, &a, NULL), CS_OK);
    assert_int_equal(cs_pathlist_parse(after, &path_maker_ours, &b, NULL), CS_OK);
    size_t i = 0, j = 0, lost = 0;
    bool good = true;
    for (; i < a.count && good; i++) {
        if (j < b.count && strcmp(a.items[i].text, b.items[j].text) == 0)
            j++;
        else
            good = a.items[i].ours && ++lost == 1;
    }
    good = good && j == b.count && lost == 1;
    cs_pathlist_free(&a);
    cs_pathlist_free(&b);
    return good;
}

/* Ours is added, others edit, ours goes. False where ours was there before: then there is nothing to undo. */
static bool check_edits(unsigned long number, const cs_reg_value *old) {
    cs_reg_value written = {0}, back = {0};
    size_t index;
    bool added, changed;
    assert_int_equal(cs_pathlist_add(old, &path_maker_ours, path_maker_place(), &written, &index, &added, NULL), CS_OK);
    if (added) {
        cs_reg_value current = edited(&written);
        assert_int_equal(cs_pathlist_undo(&current, old, &written, &path_maker_ours, index, &back, &changed, NULL), CS_OK);
        check(changed);
        if (count_ours(&current, &path_maker_ours, NULL) > 1 || current.size > 2 * strlen(OURS) + 2)
            check(lost_one_of_ours(&current, &back));
        check(count_ours(&back, &path_maker_ours, NULL) == count_ours(old, &path_maker_ours, NULL));
        check(back.type == old->type);
        cs_reg_value_free(&current);
        cs_reg_value_free(&back);
    }
    cs_reg_value_free(&written);
    return added;
}

static void test_pathlist_properties_edits_by_others_survive(void **state) {
    (void)state;
    path_maker_seed(2);
    unsigned long checked = 0;
    for (unsigned long number = 0; checked < path_maker_wanted(); number++) {
        cs_reg_value old = path_maker_list(7, path_maker_below(3) ? PATH_MAKER_FOREIGN : PATH_MAKER_ENTRIES);
        checked += check_edits(number, &old);
        cs_reg_value_free(&old);
    }
    path_maker_cases += checked;
}

/* Two trees, undone in either order, with nobody else at work: the old bytes. */
static void check_two_trees(unsigned long number, const cs_reg_value *old) {
    cs_reg_value one = {0}, two = {0}, left = {0}, back = {0};
    size_t first, second;
    bool changed;
    assert_int_equal(cs_pathlist_add(old, &path_maker_ours, path_maker_place(), &one, &first, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_add(&one, &path_maker_other, path_maker_place(), &two, &second, &changed, NULL), CS_OK);
    if (path_maker_below(2)) {
        assert_int_equal(cs_pathlist_undo(&two, &one, &two, &path_maker_other, second, &left, &changed, NULL), CS_OK);
        assert_int_equal(cs_pathlist_undo(&left, old, &one, &path_maker_ours, first, &back, &changed, NULL), CS_OK);
    } else {
        assert_int_equal(cs_pathlist_undo(&two, old, &one, &path_maker_ours, first, &left, &changed, NULL), CS_OK);
        assert_int_equal(cs_pathlist_undo(&left, &one, &two, &path_maker_other, second, &back, &changed, NULL), CS_OK);
    }
    check(cs_reg_value_equal(&back, old));
    cs_reg_value_free(&one);
    cs_reg_value_free(&two);
    cs_reg_value_free(&left);
    cs_reg_value_free(&back);
}

static void test_pathlist_properties_two_trees_in_any_order(void **state) {
    (void)state;
    path_maker_seed(3);
    unsigned long checked = 0;
    for (unsigned long number = 0; checked < path_maker_wanted(); number++) {
        cs_reg_value old = path_maker_below(2) ? path_maker_wild() : path_maker_list(9, PATH_MAKER_ENTRIES);
        /* A value without one byte cannot be told from "" here; what knows of both trees can (test_environment_undo.c). */
        if (old.size) check_two_trees(number, &old), checked++;
        cs_reg_value_free(&old);
    }
    path_maker_cases += checked;
}

/* ---- every length and every type ---- */

enum { MOST_UNITS = 32767, TYPES = 12 }; /* REG_NONE to REG_QWORD */

/* Long entries, so that the time goes into lengths. */
static cs_reg_value value_of_length(size_t units) {
    enum { ENTRY = 4000 };
    cs_reg_value value = {true, CS_REG_NONE, cs_alloc(2 * units + 2, 1), 2 * units + 2};
    assert_non_null(value.bytes);
    for (size_t i = 0; i < units; i++) value.bytes[2 * i] = (uint8_t)(i % ENTRY == ENTRY - 1 ? ';' : 'a' + i % 26);
    return value;
}

/* Identical bytes and type come back, or it is refused before any change. True if it was refused. */
static bool check_length(size_t units, const cs_reg_value *old) {
    unsigned long number = (unsigned long)units;
    cs_reg_value out = {0}, back = {0};
    size_t index;
    bool changed, text = old->type == CS_REG_SZ || old->type == CS_REG_EXPAND_SZ;
    bool fits = units + strlen(OURS) + (units > 0) <= CS_PATH_LIMIT_UNITS;
    cs_status status =
        cs_pathlist_add(old, &path_maker_ours, units % 2 ? CS_PATH_FRONT : CS_PATH_END, &out, &index, &changed, NULL);
    check(status == (!text ? CS_E_FORMAT : fits ? CS_OK : CS_E_TOO_BIG));
    check(out.present == (text && fits) && changed == (text && fits));
    if (status == CS_OK) {
        check(is_our_insertion(old, &out) && out.type == old->type);
        assert_int_equal(cs_pathlist_undo(&out, old, &out, &path_maker_ours, index, &back, &changed, NULL), CS_OK);
        check(cs_reg_value_equal(&back, old));
    }
    cs_reg_value_free(&out);
    cs_reg_value_free(&back);
    return status != CS_OK;
}

/* In a run with many cases every length from 0 to 32,767; else the ends and some in between. */
static void test_pathlist_properties_every_length_and_type(void **state) {
    (void)state;
    size_t refused = 0, lengths = 0, step = path_maker_wanted() >= 100000 ? 1 : 37;
    for (size_t units = 0; units <= MOST_UNITS; units += units < 2100 || units > 32600 ? 1 : step, lengths++) {
        cs_reg_value value = value_of_length(units);
        for (uint32_t type = 0; type < TYPES; type++) {
            value.type = type;
            refused += check_length(units, &value);
        }
        cs_reg_value_free(&value);
    }
    if (step == 1) assert_int_equal(lengths, MOST_UNITS + 1);
    assert_int_equal(refused, (TYPES - 2) * lengths + 2 * (strlen(OURS) + 2));
    path_maker_cases += (unsigned long)lengths * TYPES;
}

/* ---- damage ---- */

/* Makes something of a value that is no string list. False if this one does not lend itself to it. */
static bool damage(cs_reg_value *value) {
    static const uint32_t types[] = {CS_REG_NONE, CS_REG_BINARY, CS_REG_DWORD, CS_REG_MULTI_SZ, CS_REG_QWORD};
    size_t units = value->size / 2;
    switch (path_maker_below(3)) {
    case 0:
        value->type = types[path_maker_below(sizeof types / sizeof types[0])];
        return true;
    case 1: /* an odd number of bytes */
        if (value->size) value->size--;
        return value->size % 2 != 0;
    default: /* a NUL with text behind it */
        if (units < 4 || !value->bytes[0] || !value->bytes[value->size - 4] || value->bytes[value->size - 2]) return false;
        memset(value->bytes, 0, 2);
        return true;
    }
}

static void test_pathlist_properties_damage_is_refused(void **state) {
    (void)state;
    path_maker_seed(4);
    unsigned long checked = 0;
    for (unsigned long number = 0; checked < path_maker_wanted(); number++) {
        cs_reg_value value = path_maker_wild(), out = {0};
        const cs_reg_value *old = &value;
        size_t index;
        bool changed;
        if (damage(&value)) {
            check(cs_pathlist_add(old, &path_maker_ours, path_maker_place(), &out, &index, &changed, NULL) == CS_E_FORMAT);
            check(!changed && !out.present);
            checked++;
        }
        cs_reg_value_free(&value);
    }
    path_maker_cases += checked;
}

static void test_pathlist_properties_number_of_cases(void **state) {
    (void)state;
    assert_true(path_maker_cases >= 4 * path_maker_wanted() + 2100 * TYPES);
    path_maker_report();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_properties_round_trip),
        cmocka_unit_test(test_pathlist_properties_edits_by_others_survive),
        cmocka_unit_test(test_pathlist_properties_two_trees_in_any_order),
        cmocka_unit_test(test_pathlist_properties_every_length_and_type),
        cmocka_unit_test(test_pathlist_properties_damage_is_refused),
        cmocka_unit_test(test_pathlist_properties_number_of_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
