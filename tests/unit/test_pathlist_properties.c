/* PATH edits, by properties over generated values: the same values in every run. Row P01, P02, P04, P06 and P09 of the collected
 * reports are instances of these. CUDNN_SETUP_PROPERTY_CASES asks for another number of cases than the default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/text.h"

#define OURS  "C:\\Program Files\\CUDA\\v10.1\\bin"
#define OTHER "D:\\CUDA\\v10.1\\bin"

static unsigned long cases_wanted(void) {
    const char *text = getenv("CUDNN_SETUP_PROPERTY_CASES");
    unsigned long count = text ? strtoul(text, NULL, 10) : 0;
    return count ? count : 20000;
}

/* Source: Sebastiano Vigna, SplitMix64 (public domain reference). */
static uint64_t random_state;
static uint64_t next_random(void) {
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
static size_t below(size_t bound) { return (size_t)(next_random() % bound); }

static cs_status variable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx;
    const char *value = cs_text_equal_ascii_case(name, "ProgramFiles") ? "C:\\Program Files"
                        : cs_text_equal_ascii_case(name, "CUDA_PATH")  ? "%ProgramFiles%\\CUDA\\v10.1"
                                                                       : NULL;
    if (!value) return CS_E_NOT_FOUND;
    cs_buffer_clear(out);
    cs_buffer_text(out, value);
    return CS_OK;
}

static cs_status real_path(void *ctx, const char *path, cs_buffer *out) {
    (void)ctx;
    if (!cs_text_equal_ascii_case(path, OURS) && !cs_text_equal_ascii_case(path, "C:\\PROGRA~1\\CUDA\\v10.1\\bin"))
        return CS_E_NOT_FOUND;
    cs_buffer_clear(out);
    cs_buffer_text(out, OURS);
    return CS_OK;
}

static const cs_pathlist_folder ours = {OURS, NULL, variable, NULL, real_path};
static const cs_pathlist_folder other = {OTHER, NULL, variable, NULL, NULL};

/* ---- generating ---- */

static const char *const whole_entries[] = {
    "C:\\Windows\\system32",
    "%SystemRoot%",
    "%ProgramFiles%\\Git\\cmd",
    "",
    "\"C:\\a;b\"",
    " D:\\blanks ",
    "\\\\server\\share\\bin",
    "relative",
    "C:\\\xC3\xA4\xE4\xB8\xAD\xF0\x9F\x98\x80",
    OTHER "2",
    OURS,
    OURS "\\",
    "c:/program files/cuda/V10.1/bin",
    "\"" OURS "\"",
    "%ProgramFiles%\\CUDA\\v10.1\\bin",
    "%CUDA_PATH%\\bin",
    "C:\\PROGRA~1\\CUDA\\v10.1\\bin",
    OURS " ",
};
enum { FOREIGN = 10, WHOLE = sizeof whole_entries / sizeof whole_entries[0] };

/* Pieces that break every rule: quotes without partners, lone surrogates, '%' alone. */
static const char *const pieces[] = {
    "\"", ";", ";;", " ", "%", "%CUDA_PATH%", "\\bin", OURS, "C:", "a", "\xED\xA0\x80", "\xED\xB0\x80", "/", ".", "\xC3\x9F"};

static cs_reg_value to_value(uint32_t type, const cs_buffer *text, size_t terminators) {
    cs_buffer bytes = {0};
    if (!cs_utf16le_from_wtf8(&bytes, cs_buffer_string(text), text->size)) cs_buffer_clear(&bytes);
    for (size_t i = 0; i < terminators; i++) cs_buffer_append(&bytes, "\0", 2);
    assert_false(bytes.failed);
    return (cs_reg_value){true, type, (uint8_t *)bytes.data, bytes.size};
}

static uint32_t any_string_type(void) { return below(3) ? CS_REG_EXPAND_SZ : CS_REG_SZ; }

static cs_reg_value entries_value(size_t most, size_t kinds) {
    cs_buffer text = {0};
    size_t count = below(most + 1);
    for (size_t i = 0; i < count; i++) {
        if (i) cs_buffer_text(&text, ";");
        cs_buffer_text(&text, whole_entries[below(kinds)]);
    }
    cs_reg_value value = to_value(any_string_type(), &text, below(8) ? 1 : below(3));
    cs_buffer_free(&text);
    return value;
}

static cs_reg_value wild_value(void) {
    cs_buffer text = {0};
    for (size_t i = below(14); i; i--) cs_buffer_text(&text, pieces[below(sizeof pieces / sizeof pieces[0])]);
    cs_reg_value value = to_value(any_string_type(), &text, below(8) ? 1 : below(3));
    cs_buffer_free(&text);
    return value;
}

static cs_reg_value any_value(void) {
    if (below(200) == 0) return (cs_reg_value){0};
    return below(2) ? wild_value() : entries_value(9, WHOLE);
}

static cs_pathlist_place any_place(void) { return below(2) ? CS_PATH_FRONT : CS_PATH_END; }

/* ---- checking ---- */

static void explain_failure(unsigned long number, const char *what, const cs_reg_value *value) {
    cs_buffer hex = {0};
    for (size_t i = 0; i < value->size; i++) cs_buffer_format(&hex, "%02x", value->bytes[i]);
    fail_msg("case %lu: %s: type %u, bytes %s", number, what, (unsigned)value->type, cs_buffer_string(&hex));
}

#define check(condition) ((condition) ? (void)0 : explain_failure(number, #condition, old))

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

/* Install, install again, uninstall. */
static void check_round_trip(unsigned long number, const cs_reg_value *old) {
    cs_reg_value out = {0}, again = {0}, back = {0};
    size_t index, second, usable = SIZE_MAX;
    bool changed;
    assert_int_equal(cs_pathlist_add(old, &ours, any_place(), &out, &index, &changed, NULL), CS_OK);
    check(changed != cs_reg_value_equal(old, &out));
    if (changed && old->size) check(is_insertion(old, &out) && out.type == old->type);
    check(count_ours(&out, &ours, &usable) == count_ours(old, &ours, NULL) + changed);
    check(usable != SIZE_MAX);
    assert_int_equal(cs_pathlist_add(&out, &ours, any_place(), &again, &second, &changed, NULL), CS_OK);
    check(!changed && cs_reg_value_equal(&again, &out));
    assert_int_equal(cs_pathlist_undo(&out, old, &out, &ours, index, &back, &changed, NULL), CS_OK);
    check(cs_reg_value_equal(&back, old));
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
    cs_reg_value_free(&back);
}

static void test_pathlist_properties_round_trip(void **state) {
    (void)state;
    random_state = 1;
    unsigned long wanted = cases_wanted();
    for (unsigned long number = 0; number < wanted; number++) {
        cs_reg_value old = any_value();
        check_round_trip(number, &old);
        cs_reg_value_free(&old);
    }
    print_message("%lu generated values: installed, installed again, uninstalled\n", wanted);
}

/* ---- edits by others in between ---- */

/* Other programs put in, take out and append entries that are not ours. */
static cs_reg_value edited(const cs_reg_value *value) {
    cs_pathlist list;
    cs_buffer text = {0};
    assert_int_equal(cs_pathlist_parse(value, &ours, &list, NULL), CS_OK);
    size_t put = below(list.count + 1), drop = below(list.count + 1);
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
    cs_reg_value out = to_value(value->type, &text, 1);
    cs_buffer_free(&text);
    cs_pathlist_free(&list);
    return out;
}

/* after = before without exactly one entry of ours. */
static bool lost_one_of_ours(const cs_reg_value *before, const cs_reg_value *after) {
    cs_pathlist a, b;
    assert_int_equal(cs_pathlist_parse(before, &ours, &a, NULL), CS_OK);
    assert_int_equal(cs_pathlist_parse(after, &ours, &b, NULL), CS_OK);
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

static void test_pathlist_properties_edits_by_others_survive(void **state) {
    (void)state;
    random_state = 2;
    unsigned long wanted = cases_wanted(), added = 0;
    for (unsigned long number = 0; number < wanted; number++) {
        cs_reg_value value = entries_value(7, below(3) ? FOREIGN : WHOLE), written = {0}, back = {0};
        const cs_reg_value *old = &value;
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_add(old, &ours, any_place(), &written, &index, &changed, NULL), CS_OK);
        if (changed) {
            added++;
            cs_reg_value current = edited(&written);
            assert_int_equal(cs_pathlist_undo(&current, old, &written, &ours, index, &back, &changed, NULL), CS_OK);
            check(changed);
            if (count_ours(&current, &ours, NULL) > 1 || current.size > 2 * strlen(OURS) + 2)
                check(lost_one_of_ours(&current, &back));
            check(count_ours(&back, &ours, NULL) == count_ours(old, &ours, NULL));
            check(back.type == old->type);
            cs_reg_value_free(&current);
            cs_reg_value_free(&back);
        }
        cs_reg_value_free(&written);
        cs_reg_value_free(&value);
    }
    assert_true(added > wanted / 3);
    print_message("%lu generated values: edited by others between install and uninstall\n", added);
}

/* Two trees, undone in either order, with nobody else at work: the old bytes. */
static void check_two_trees(unsigned long number, const cs_reg_value *old) {
    cs_reg_value one = {0}, two = {0}, left = {0}, back = {0};
    size_t first, second;
    bool changed;
    assert_int_equal(cs_pathlist_add(old, &ours, any_place(), &one, &first, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_add(&one, &other, any_place(), &two, &second, &changed, NULL), CS_OK);
    if (below(2)) {
        assert_int_equal(cs_pathlist_undo(&two, &one, &two, &other, second, &left, &changed, NULL), CS_OK);
        assert_int_equal(cs_pathlist_undo(&left, old, &one, &ours, first, &back, &changed, NULL), CS_OK);
    } else {
        assert_int_equal(cs_pathlist_undo(&two, old, &one, &ours, first, &left, &changed, NULL), CS_OK);
        assert_int_equal(cs_pathlist_undo(&left, &one, &two, &other, second, &back, &changed, NULL), CS_OK);
    }
    check(cs_reg_value_equal(&back, old));
    cs_reg_value_free(&one);
    cs_reg_value_free(&two);
    cs_reg_value_free(&left);
    cs_reg_value_free(&back);
}

static void test_pathlist_properties_two_trees_in_any_order(void **state) {
    (void)state;
    random_state = 3;
    unsigned long wanted = cases_wanted();
    for (unsigned long number = 0; number < wanted; number++) {
        cs_reg_value old = below(2) ? wild_value() : entries_value(9, WHOLE);
        if (old.size) check_two_trees(number, &old); /* a value without one byte cannot be told from "" once others edit it */
        cs_reg_value_free(&old);
    }
    print_message("%lu generated values: two trees installed and undone in any order\n", wanted);
}

/* ---- every length ---- */

static cs_reg_value value_of_length(size_t units, uint32_t type, size_t entry) {
    cs_reg_value value = {true, type, cs_alloc(2 * units + 2, 1), 2 * units + 2};
    assert_non_null(value.bytes);
    for (size_t i = 0; i < units; i++) value.bytes[2 * i] = (uint8_t)(i % entry == entry - 1 ? ';' : 'a' + i % 26);
    return value;
}

/* Every length once per type: in long entries, so that the time goes into lengths. */
static void test_pathlist_properties_every_length(void **state) {
    (void)state;
    size_t refused = 0, step = cases_wanted() >= 100000 ? 1 : 37;
    for (size_t units = 0; units <= 32767; units += units < 2100 || units > 32600 ? 1 : step) {
        for (uint32_t type = CS_REG_SZ; type <= CS_REG_EXPAND_SZ; type++) {
            unsigned long number = (unsigned long)units;
            cs_reg_value value = value_of_length(units, type, 4000), out = {0}, back = {0};
            const cs_reg_value *old = &value;
            size_t index;
            bool changed, fits = units + strlen(OURS) + (units > 0) <= CS_PATH_LIMIT_UNITS;
            cs_status status = cs_pathlist_add(old, &ours, units % 2 ? CS_PATH_FRONT : CS_PATH_END, &out, &index, &changed, NULL);
            check(status == (fits ? CS_OK : CS_E_TOO_BIG));
            check(out.present == fits);
            refused += !fits;
            if (fits) {
                check(is_insertion(old, &out));
                assert_int_equal(cs_pathlist_undo(&out, old, &out, &ours, index, &back, &changed, NULL), CS_OK);
                check(cs_reg_value_equal(&back, old));
            }
            cs_reg_value_free(&value);
            cs_reg_value_free(&out);
            cs_reg_value_free(&back);
        }
    }
    assert_int_equal(refused, 2 * (strlen(OURS) + 2));
}

/* What is no string is refused at every length, and so is an odd byte or text behind a NUL. */
static void test_pathlist_properties_damage_is_refused(void **state) {
    (void)state;
    static const uint32_t types[] = {CS_REG_NONE, CS_REG_BINARY, CS_REG_DWORD, CS_REG_MULTI_SZ, CS_REG_QWORD};
    random_state = 4;
    unsigned long wanted = cases_wanted();
    for (unsigned long number = 0; number < wanted; number++) {
        cs_reg_value value = wild_value(), out = {0};
        const cs_reg_value *old = &value;
        size_t kind = below(3), index, units = value.size / 2;
        bool changed, damaged = true;
        if (kind == 0) {
            value.type = types[below(sizeof types / sizeof types[0])];
        } else if (kind == 1) {
            if (value.size) value.size--; /* an odd number of bytes */
            damaged = value.size % 2 != 0;
        } else {
            damaged = units > 3 && value.bytes[0] && value.bytes[value.size - 4] && value.bytes[value.size - 2] == 0;
            if (damaged) memset(value.bytes, 0, 2);
        }
        if (damaged) {
            check(cs_pathlist_add(old, &ours, any_place(), &out, &index, &changed, NULL) == CS_E_FORMAT);
            check(!changed && !out.present);
        }
        cs_reg_value_free(&value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_properties_round_trip),
        cmocka_unit_test(test_pathlist_properties_edits_by_others_survive),
        cmocka_unit_test(test_pathlist_properties_two_trees_in_any_order),
        cmocka_unit_test(test_pathlist_properties_every_length),
        cmocka_unit_test(test_pathlist_properties_damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
