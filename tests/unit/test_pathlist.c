/* PATH edits as pure functions. Rows of the collected reports that are covered here: P01, P02, P04, P06, P07, P09, P12 (the old
 * bytes come back), V19. The properties over generated values are in test_pathlist_properties.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/text.h"

#define TREE "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"
#define BIN  TREE "\\bin"

/* ---- a machine: variables and links as tables ---- */

typedef struct pair {
    const char *name, *value;
    bool unsettled;
} pair;

static const pair variables[] = {
    {"ProgramFiles", "C:\\Program Files", false},
    {"SystemRoot", "C:\\Windows", false},
    {"CUDA_PATH", TREE, false},
    {"LATE", TREE, true}, /* a REG_EXPAND_SZ value */
    {"NESTED", "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", false},
    {"LOOP", "%LOOP%%LOOP%", false},
    {"QUOTED", "\"" TREE "\"", false},
};

static const pair links[] = {
    {BIN, BIN, false},
    {"C:\\PROGRA~1\\NVIDIA~1\\CUDA\\v10.1\\bin", BIN, false},
    {"D:\\link\\bin", BIN, false},
    {"S:\\bin", BIN, false},
    {"D:\\", "D:\\", false},
    {"S:\\", TREE, false},
    {"c:\\program files\\nvidia gpu computing toolkit\\cuda\\v10.1\\BIN", BIN, false},
};

static unsigned opened_network;

static cs_status variable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (!cs_text_equal_ascii_case(variables[i].name, name)) continue;
        cs_buffer_clear(out);
        cs_buffer_text(out, variables[i].value);
        return CS_OK;
    }
    return CS_E_NOT_FOUND;
}

static bool settled(void *ctx, const char *name) {
    (void)ctx;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (cs_text_equal_ascii_case(variables[i].name, name)) return !variables[i].unsettled;
    return true;
}

static cs_status real_path(void *ctx, const char *path, cs_buffer *out) {
    (void)ctx;
    if (cs_text_starts_with(path, "\\\\")) opened_network++;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        if (!cs_text_equal_ascii_case(links[i].name, path)) continue;
        cs_buffer_clear(out);
        cs_buffer_text(out, links[i].value);
        return CS_OK;
    }
    return CS_E_NOT_FOUND;
}

static const cs_pathlist_folder ours = {BIN, NULL, variable, settled, real_path};

/* ---- values ---- */

static cs_reg_value value_of(uint32_t type, const char *text, size_t terminators) {
    cs_buffer bytes = {0};
    assert_true(cs_utf16le_from_wtf8(&bytes, text, strlen(text)));
    for (size_t i = 0; i < terminators; i++) cs_buffer_append(&bytes, "\0", 2);
    assert_false(bytes.failed);
    return (cs_reg_value){true, type, (uint8_t *)bytes.data, bytes.size};
}

static void assert_value(const cs_reg_value *value, uint32_t type, const char *text, size_t terminators) {
    cs_reg_value expected = value_of(type, text, terminators);
    assert_true(value->present);
    assert_int_equal(value->type, type);
    assert_int_equal(value->size, expected.size);
    if (expected.size) assert_memory_equal(value->bytes, expected.bytes, expected.size);
    cs_reg_value_free(&expected);
}

/* Adds ours to text; the result must be `expected` with everything else kept, a second time changes nothing, and the undo brings
 * the old bytes back. */
static void check_add(uint32_t type, const char *text, size_t terminators, cs_pathlist_place place, const char *expected,
                      size_t expected_index) {
    cs_reg_value old = value_of(type, text, terminators), out = {0}, again = {0}, back = {0};
    size_t index = 99;
    bool changed = false;
    assert_int_equal(cs_pathlist_add(&old, &ours, place, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_int_equal(index, expected_index);
    assert_value(&out, type, expected, old.size ? terminators : 1);
    assert_int_equal(cs_pathlist_add(&out, &ours, place, &again, &index, &changed, NULL), CS_OK);
    assert_false(changed);
    assert_int_equal(index, expected_index);
    assert_true(cs_reg_value_equal(&again, &out));
    assert_int_equal(cs_pathlist_undo(&out, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_true(cs_reg_value_equal(&back, &old));
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
    cs_reg_value_free(&back);
}

/* old text → ours added → current text: what the undo makes of it. */
static void check_undo(const char *old_text, cs_pathlist_place place, const char *current_text, const char *expected) {
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, old_text, 1), out = {0}, back = {0};
    cs_reg_value current = value_of(CS_REG_EXPAND_SZ, current_text, 1);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, place, &out, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_value(&back, CS_REG_EXPAND_SZ, expected, 1);
    assert_int_equal(changed, strcmp(current_text, expected) != 0);
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&back);
    cs_reg_value_free(&current);
}

/* ---- splitting ---- */

static void check_split(const char *text, size_t count, const char *const *expected) {
    cs_reg_value value = value_of(CS_REG_SZ, text, 1);
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&value, NULL, &list, NULL), CS_OK);
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++) assert_string_equal(list.items[i].text, expected[i]);
    cs_pathlist_free(&list);
    cs_reg_value_free(&value);
}

static void test_pathlist_splits_outside_quotes(void **state) {
    (void)state;
    check_split("", 0, NULL);
    check_split("C:\\a", 1, (const char *[]){"C:\\a"});
    check_split("C:\\a;", 2, (const char *[]){"C:\\a", ""});
    check_split(";;", 3, (const char *[]){"", "", ""});
    check_split("C:\\a;;D:\\b", 3, (const char *[]){"C:\\a", "", "D:\\b"});
    check_split("\"C:\\a;b\";D:\\c", 2, (const char *[]){"\"C:\\a;b\"", "D:\\c"});
    check_split("C:\\\"a;b\"\\c;d", 2, (const char *[]){"C:\\\"a;b\"\\c", "d"});
    check_split("\"C:\\a;b;c", 3, (const char *[]){"\"C:\\a", "b", "c"});     /* a quote without a partner */
    check_split("\"a;b\";\"c;d", 3, (const char *[]){"\"a;b\"", "\"c", "d"}); /* a pair, then one without */
    check_split(" C:\\a ; D:\\b", 2, (const char *[]){" C:\\a ", " D:\\b"});
    check_split("C:\\\xC3\xA4;D:\\\xED\xA0\x80", 2, (const char *[]){"C:\\\xC3\xA4", "D:\\\xED\xA0\x80"}); /* a lone surrogate */
}

static void test_pathlist_absent_value_has_no_entries(void **state) {
    (void)state;
    cs_reg_value absent = {0};
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&absent, &ours, &list, NULL), CS_OK);
    assert_int_equal(list.count, 0);
}

static void test_pathlist_refuses_what_is_no_string(void **state) {
    (void)state;
    static const uint32_t types[] = {CS_REG_NONE, CS_REG_BINARY, CS_REG_DWORD, CS_REG_MULTI_SZ, CS_REG_QWORD, 6, 99};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        cs_reg_value value = value_of(types[i], "C:\\a", 1), out = {0};
        cs_pathlist list;
        cs_error error = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_parse(&value, &ours, &list, NULL), CS_E_FORMAT);
        assert_int_equal(cs_pathlist_add(&value, &ours, CS_PATH_FRONT, &out, &index, &changed, &error), CS_E_FORMAT);
        assert_false(changed);
        assert_false(out.present);
        assert_non_null(strstr(error.detail, "no string"));
        cs_reg_value_free(&value);
    }
}

static void test_pathlist_refuses_damaged_strings(void **state) {
    (void)state;
    uint8_t odd[] = {'C', 0, ':', 0, 0}, hidden[] = {'C', 0, 0, 0, 'D', 0, 0, 0};
    cs_reg_value values[] = {{true, CS_REG_SZ, odd, sizeof odd}, {true, CS_REG_EXPAND_SZ, hidden, sizeof hidden}};
    for (size_t i = 0; i < 2; i++) {
        cs_reg_value out = {0};
        size_t index;
        bool changed;
        cs_error error = {0};
        assert_int_equal(cs_pathlist_add(&values[i], &ours, CS_PATH_END, &out, &index, &changed, &error), CS_E_FORMAT);
        assert_false(out.present);
        assert_non_null(strstr(error.detail, i ? "NUL" : "5 bytes"));
    }
}

/* ---- adding ---- */

static void test_pathlist_adds_in_front_and_at_the_end(void **state) {
    (void)state;
    check_add(CS_REG_EXPAND_SZ, "C:\\a;D:\\b", 1, CS_PATH_FRONT, BIN ";C:\\a;D:\\b", 0);
    check_add(CS_REG_EXPAND_SZ, "C:\\a;D:\\b", 1, CS_PATH_END, "C:\\a;D:\\b;" BIN, 2);
    check_add(CS_REG_SZ, "C:\\a;", 1, CS_PATH_END, "C:\\a;" BIN ";", 1);
    check_add(CS_REG_SZ, "C:\\a;", 1, CS_PATH_FRONT, BIN ";C:\\a;", 0);
    check_add(CS_REG_SZ, ";", 1, CS_PATH_END, ";" BIN ";", 1);
    check_add(CS_REG_SZ, ";;", 1, CS_PATH_FRONT, BIN ";;;", 0);
    check_add(CS_REG_SZ, "", 1, CS_PATH_FRONT, BIN, 0);
    check_add(CS_REG_SZ, "", 1, CS_PATH_END, BIN, 0);
    check_add(CS_REG_SZ, "", 0, CS_PATH_END, BIN, 0);
    check_add(CS_REG_SZ, "\"C:\\a;b", 1, CS_PATH_END, "\"C:\\a;b;" BIN, 2); /* behind a quote without a partner */
}

static void test_pathlist_keeps_type_terminators_and_expandable_text(void **state) {
    (void)state; /* P02, P06: unexpanded text stays; a value without any % keeps its type */
    check_add(CS_REG_EXPAND_SZ, "%SystemRoot%\\system32;C:\\a", 1, CS_PATH_FRONT, BIN ";%SystemRoot%\\system32;C:\\a", 0);
    check_add(CS_REG_EXPAND_SZ, "C:\\a", 1, CS_PATH_FRONT, BIN ";C:\\a", 0);
    check_add(CS_REG_SZ, "%SystemRoot%\\system32", 1, CS_PATH_FRONT, BIN ";%SystemRoot%\\system32", 0);
    check_add(CS_REG_SZ, "C:\\a", 0, CS_PATH_FRONT, BIN ";C:\\a", 0);
    check_add(CS_REG_SZ, "C:\\a", 0, CS_PATH_END, "C:\\a;" BIN, 1);
    check_add(CS_REG_SZ, "C:\\a", 3, CS_PATH_END, "C:\\a;" BIN, 1);
    check_add(CS_REG_SZ, "C:\\\xED\xA0\x80;\xED\xB0\x80", 1, CS_PATH_END, "C:\\\xED\xA0\x80;\xED\xB0\x80;" BIN, 2);
}

static void test_pathlist_creates_an_absent_value(void **state) {
    (void)state;
    cs_reg_value absent = {0}, out = {0}, back = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&absent, &ours, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_value(&out, CS_REG_EXPAND_SZ, BIN, 1);
    assert_int_equal(cs_pathlist_undo(&out, &absent, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_false(back.present);
    /* Respelled meanwhile, still alone: absent again. */
    cs_reg_value respelled = value_of(CS_REG_EXPAND_SZ, "C:/program files/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin/", 1);
    assert_int_equal(cs_pathlist_undo(&respelled, &absent, &out, &ours, index, &back, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_false(back.present);
    cs_reg_value_free(&out);
    cs_reg_value_free(&respelled);
}

static size_t units_of(const cs_reg_value *value) { return value->size / 2 - 1; }

static cs_reg_value long_value(size_t units) {
    cs_reg_value value = {true, CS_REG_EXPAND_SZ, cs_alloc(2 * units + 2, 1), 2 * units + 2};
    assert_non_null(value.bytes);
    for (size_t i = 0; i < units; i++) value.bytes[2 * i] = (uint8_t)(i % 61 == 60 ? ';' : 'a' + i % 26);
    return value;
}

static void test_pathlist_limit(void **state) {
    (void)state; /* P01, P04: no length is cut, up to what Windows takes */
    static const size_t lengths[] = {917, 1023, 1024, 1025, 1486, 2047, 2048, 4095, 8191, 16000, 32766, 32767};
    size_t added = strlen(BIN) + 1;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        cs_reg_value old = long_value(lengths[i]), out = {0}, back = {0};
        size_t index;
        bool changed;
        cs_error error = {0};
        cs_status status = cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &out, &index, &changed, &error);
        if (lengths[i] + added > CS_PATH_LIMIT_UNITS) {
            char number[32];
            snprintf(number, sizeof number, "would have %u", (unsigned)(lengths[i] + added));
            assert_int_equal(status, CS_E_TOO_BIG);
            assert_false(out.present);
            assert_non_null(strstr(error.detail, number));
            assert_non_null(strstr(error.detail, "32766"));
        } else {
            assert_int_equal(status, CS_OK);
            assert_int_equal(units_of(&out), lengths[i] + added);
            assert_memory_equal(out.bytes + 2 * added, old.bytes, old.size);
            assert_int_equal(cs_pathlist_undo(&out, &old, &out, &ours, index, &back, &changed, NULL), CS_OK);
            assert_true(cs_reg_value_equal(&back, &old));
        }
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
        cs_reg_value_free(&back);
    }
}

static void test_pathlist_limit_is_exact(void **state) {
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        cs_reg_value old = long_value(CS_PATH_LIMIT_UNITS - strlen(BIN) - 1 + extra), out = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_END, &out, &index, &changed, NULL), extra ? CS_E_TOO_BIG : CS_OK);
        assert_int_equal(out.present ? units_of(&out) : 0, extra ? 0 : CS_PATH_LIMIT_UNITS);
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
    }
}

static void test_pathlist_refuses_a_folder_that_path_cannot_carry(void **state) {
    (void)state;
    static const char *const names[] = {"C:\\a;b\\v10.1\\bin", "C:\\%SystemRoot%\\bin", "\\\\?\\C:\\bin", "bin", "C:bin"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        cs_pathlist_folder folder = ours;
        folder.path = names[i];
        cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "C:\\a", 1), out = {0};
        size_t index;
        bool changed;
        assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_END, &out, &index, &changed, NULL), CS_E_NAME);
        assert_false(changed);
        assert_false(out.present);
        cs_reg_value_free(&old);
    }
}

static void test_pathlist_carries_percent_signs_that_name_nothing(void **state) {
    (void)state;
    cs_pathlist_folder folder = ours;
    folder.path = "C:\\100% [a] & %nobody% ! ^ ' =\\bin";
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "C:\\a", 1), out = {0}, again = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
    assert_true(changed);
    assert_int_equal(cs_pathlist_add(&out, &folder, CS_PATH_FRONT, &again, &index, &changed, NULL), CS_OK);
    assert_false(changed);
    cs_reg_value_free(&old);
    cs_reg_value_free(&out);
    cs_reg_value_free(&again);
}

/* ---- the two questions ---- */

typedef struct spelling {
    uint32_t type;
    const char *text;
    bool ours, usable;
} spelling;

static const spelling spellings[] = {
    {CS_REG_SZ, BIN, true, true},
    {CS_REG_SZ, BIN "\\", true, true},
    {CS_REG_SZ, BIN "\\\\", true, true},
    {CS_REG_SZ, "c:\\PROGRAM FILES\\nvidia gpu computing toolkit\\cuda\\V10.1\\BIN", true, true},
    {CS_REG_SZ, "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin", true, true},
    {CS_REG_SZ, TREE "\\.\\lib\\..\\bin", true, true},
    {CS_REG_SZ, BIN ".", true, true},
    {CS_REG_SZ, "\"" BIN "\"", true, false},
    {CS_REG_SZ, "\"" BIN, true, false},
    {CS_REG_SZ, "C:\\\"Program Files\"\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", true, false},
    {CS_REG_SZ, " " BIN, true, false},
    {CS_REG_SZ, BIN " ", true, false},
    {CS_REG_SZ, BIN "\t", true, false},
    {CS_REG_SZ, "\\\\?\\" BIN, true, false},
    {CS_REG_SZ, "\\\\.\\" BIN, true, false},
    {CS_REG_SZ, "C:\\PROGRA~1\\NVIDIA~1\\CUDA\\v10.1\\bin", true, true}, /* 8.3 */
    {CS_REG_SZ, "D:\\link\\bin", true, true},                            /* a junction on a drive that all have */
    {CS_REG_SZ, "S:\\bin", true, false},                                 /* subst: of one sign-in alone */
    {CS_REG_EXPAND_SZ, "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", true, true},
    {CS_REG_EXPAND_SZ, "%programfiles%/NVIDIA GPU Computing Toolkit/CUDA/v10.1/bin/", true, true},
    {CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin", true, true},
    {CS_REG_SZ, "%CUDA_PATH%\\bin", true, false},     /* REG_SZ is never expanded */
    {CS_REG_EXPAND_SZ, "%LATE%\\bin", true, false},   /* P07: may stay unexpanded */
    {CS_REG_EXPAND_SZ, "%NESTED%\\bin", true, false}, /* P07: only its first level is expanded */
    {CS_REG_EXPAND_SZ, "%QUOTED%\\bin", true, false}, /* the quotes arrive with the value */
    {CS_REG_EXPAND_SZ, "%NOBODY%\\bin", false, false},
    {CS_REG_EXPAND_SZ, "%LOOP%", false, false},
    {CS_REG_EXPAND_SZ, "%%\\bin", false, false},
    {CS_REG_SZ, "", false, false},
    {CS_REG_SZ, "bin", false, false},
    {CS_REG_SZ, "C:bin", false, false},
    {CS_REG_SZ, ".", false, false},
    {CS_REG_SZ, "\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", false, false}, /* drive of the caller */
    {CS_REG_SZ, TREE, false, true},
    {CS_REG_SZ, BIN "\\x64", false, true},
    {CS_REG_SZ, BIN "2", false, true},
    {CS_REG_SZ, "D:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1\\bin", false, true},
    {CS_REG_SZ, "\\\\server\\c$\\bin", false, true},
};

static void test_pathlist_names_and_usable(void **state) {
    (void)state; /* P09 and P07 */
    opened_network = 0;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        cs_reg_value value = value_of(spellings[i].type, spellings[i].text, 1);
        cs_pathlist list;
        assert_int_equal(cs_pathlist_parse(&value, &ours, &list, NULL), CS_OK);
        assert_int_equal(list.count, spellings[i].text[0] ? 1 : 0);
        if (list.count && (list.items[0].ours != spellings[i].ours || list.items[0].usable != spellings[i].usable))
            fail_msg("%s: ours %d, usable %d", spellings[i].text, list.items[0].ours, list.items[0].usable);
        cs_pathlist_free(&list);
        cs_reg_value_free(&value);
    }
    assert_int_equal(opened_network, 0);
}

static void test_pathlist_present_means_named_and_usable(void **state) {
    (void)state; /* P09: no second entry for a usable one; one for an unusable twin, and then never another */
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        cs_reg_value old = value_of(spellings[i].type, spellings[i].text, 1), out = {0}, again = {0};
        size_t index;
        bool changed, there = spellings[i].ours && spellings[i].usable;
        assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_OK);
        assert_int_equal(changed, !there);
        assert_int_equal(cs_reg_value_equal(&out, &old), there);
        assert_int_equal(cs_pathlist_add(&out, &ours, CS_PATH_FRONT, &again, &index, &changed, NULL), CS_OK);
        assert_false(changed);
        cs_reg_value_free(&old);
        cs_reg_value_free(&out);
        cs_reg_value_free(&again);
    }
}

static void test_pathlist_non_ascii_case_needs_the_disk(void **state) {
    (void)state; /* text alone folds ASCII; the resolved path decides the rest */
    cs_pathlist_folder folder = {"C:\\\xC3\x84\\bin", NULL, NULL, NULL, NULL};
    cs_reg_value value = value_of(CS_REG_SZ, "c:\\\xC3\x84\\BIN;C:\\\xC3\xA4\\bin", 1);
    cs_pathlist list;
    assert_int_equal(cs_pathlist_parse(&value, &folder, &list, NULL), CS_OK);
    assert_true(list.items[0].ours);
    assert_false(list.items[1].ours);
    cs_pathlist_free(&list);
    cs_reg_value_free(&value);
}

static void test_pathlist_same_text_and_network(void **state) {
    (void)state;
    assert_true(cs_pathlist_same_text("\\\\Server\\Share\\x\\", "//server/share/X"));
    assert_true(cs_pathlist_same_text("\\\\?\\UNC\\server\\share", "\\\\server\\share"));
    assert_true(cs_pathlist_same_text("C:\\..\\a", "c:/A"));
    assert_true(cs_pathlist_same_text("C:\\", "\"c:/\""));
    assert_false(cs_pathlist_same_text("a", "a")); /* no place of its own */
    assert_false(cs_pathlist_same_text("C:\\a", "C:\\a\\b"));
    assert_true(cs_pathlist_is_network("\\\\server\\share"));
    assert_true(cs_pathlist_is_network(" \"//server/share\""));
    assert_true(cs_pathlist_is_network("\\\\?\\UNC\\server\\share"));
    assert_false(cs_pathlist_is_network("\\\\?\\C:\\x"));
    assert_false(cs_pathlist_is_network("C:\\x"));
    assert_false(cs_pathlist_is_network(""));
}

static void test_pathlist_expands_once(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
        bool complete;
    } rows[] = {
        {"%SystemRoot%\\x;%NOBODY%\\y", "C:\\Windows\\x;%NOBODY%\\y", false},
        {"%systemroot%", "C:\\Windows", true},
        {"100%;%SystemRoot%", "100%;C:\\Windows", false}, /* the '%' of "100%" opens no name */
        {"%NESTED%", "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", true},
        {"%LATE%", TREE, false},
        {"%", "%", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_buffer out = {0};
        bool complete;
        assert_int_equal(cs_pathlist_expand(&ours, rows[i].text, &out, &complete, NULL), CS_OK);
        assert_string_equal(cs_buffer_string(&out), rows[i].expected);
        assert_int_equal(complete, rows[i].complete);
        cs_buffer_free(&out);
    }
}

static cs_status unreadable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx, (void)name, (void)out;
    return CS_E_ACCESS;
}

static void test_pathlist_a_variable_that_cannot_be_read_is_an_error(void **state) {
    (void)state; /* P03: never treated as empty */
    cs_pathlist_folder folder = {BIN, NULL, unreadable, NULL, NULL};
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "%CUDA_PATH%\\bin", 1), out = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &folder, CS_PATH_FRONT, &out, &index, &changed, NULL), CS_E_ACCESS);
    assert_false(out.present);
    cs_reg_value_free(&old);
}

/* ---- undoing ---- */

static void test_pathlist_undo_keeps_what_others_did(void **state) {
    (void)state;
    check_undo("C:\\a", CS_PATH_FRONT, BIN ";C:\\a;D:\\new", "C:\\a;D:\\new");
    check_undo("C:\\a", CS_PATH_FRONT, "D:\\new;" BIN ";C:\\a", "D:\\new;C:\\a");
    check_undo("C:\\a", CS_PATH_END, "C:\\a;" BIN ";D:\\new", "C:\\a;D:\\new");
    check_undo("C:\\a;", CS_PATH_END, "D:\\new;C:\\a;" BIN ";", "D:\\new;C:\\a;");
    check_undo("C:\\a", CS_PATH_FRONT, "C:\\a;" BIN, "C:\\a");               /* moved */
    check_undo("C:\\a", CS_PATH_FRONT, "%CUDA_PATH%\\bin\\;C:\\a", "C:\\a"); /* respelled */
    check_undo("C:\\a", CS_PATH_FRONT, "\"" BIN "\";C:\\a", "C:\\a");        /* quoted by somebody */
    check_undo("C:\\a", CS_PATH_FRONT, "D:\\b;C:\\a", "D:\\b;C:\\a");        /* gone already */
    check_undo("C:\\a", CS_PATH_FRONT, "", "");                              /* emptied by somebody */
    check_undo("", CS_PATH_FRONT, "D:\\new;" BIN, "D:\\new");
}

static void test_pathlist_undo_takes_one_of_two(void **state) {
    (void)state;
    check_undo("\"" BIN "\";C:\\a", CS_PATH_FRONT, "D:\\new;\"" BIN "\";" BIN ";C:\\a", "D:\\new;\"" BIN "\";C:\\a");
    check_undo("C:\\a", CS_PATH_FRONT, BIN ";" BIN ";C:\\a", BIN ";C:\\a");           /* somebody added it once more: one stays */
    check_undo("C:\\a", CS_PATH_END, "C:\\a;" BIN ";D:\\b;" BIN, "C:\\a;D:\\b;" BIN); /* the one at our place */
    check_undo("C:\\a", CS_PATH_FRONT, BIN "\\;" BIN ";C:\\a;D:\\b", BIN "\\;C:\\a;D:\\b"); /* the one spelled our way */
    /* An addition is never undone by adding, even where our entry and the older twin are both gone. */
    check_undo("\"" BIN "\";C:\\a", CS_PATH_FRONT, "C:\\a;D:\\b", "C:\\a;D:\\b");
}

static void test_pathlist_undo_of_a_removal(void **state) {
    (void)state;
    static const struct {
        const char *current, *expected;
        size_t index;
    } rows[] = {
        {"C:\\a;D:\\b", BIN "\\;C:\\a;D:\\b", 0}, /* as written: the old bytes */
        {"C:\\a;D:\\b;E:\\new", BIN "\\;C:\\a;D:\\b;E:\\new", 0},
        {"C:\\a;D:\\b;E:\\new", "C:\\a;D:\\b;E:\\new;" BIN "\\", 9},
        {"E:\\new", BIN "\\;E:\\new", 0},
        {"C:\\a;E:\\new;", "C:\\a;E:\\new;" BIN "\\;", 5},
        {"C:\\a;" BIN ";E:\\new", "C:\\a;" BIN ";E:\\new", 0}, /* back already */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cs_reg_value old = value_of(CS_REG_SZ, BIN "\\;C:\\a;D:\\b", 1), written = value_of(CS_REG_SZ, "C:\\a;D:\\b", 1);
        cs_reg_value current = value_of(CS_REG_SZ, rows[i].current, 1), out = {0};
        bool changed;
        assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, rows[i].index, &out, &changed, NULL), CS_OK);
        assert_value(&out, CS_REG_SZ, rows[i].expected, 1);
        assert_int_equal(changed, strcmp(rows[i].current, rows[i].expected) != 0);
        cs_reg_value_free(&old);
        cs_reg_value_free(&written);
        cs_reg_value_free(&current);
        cs_reg_value_free(&out);
    }
}

static void test_pathlist_undo_of_a_value_somebody_deleted(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_SZ, "C:\\a", 1), written = {0}, current = {0}, out = {0};
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL), CS_OK);
    assert_false(changed);
    assert_false(out.present);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
}

static void test_pathlist_undo_refuses_what_became_no_string(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_SZ, "C:\\a", 1), written = {0}, out = {0};
    cs_reg_value current = value_of(CS_REG_MULTI_SZ, "C:\\a", 2);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    assert_int_equal(cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL), CS_E_FORMAT);
    assert_false(out.present);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
    cs_reg_value_free(&current);
}

static void test_pathlist_survives_failed_allocations(void **state) {
    (void)state;
    cs_reg_value old = value_of(CS_REG_EXPAND_SZ, "\"" BIN "\";%NESTED%\\bin;C:\\a", 1), written = {0};
    cs_reg_value current = value_of(CS_REG_EXPAND_SZ, BIN ";\"" BIN "\";%NESTED%\\bin;C:\\a;D:\\b", 1);
    size_t index;
    bool changed;
    assert_int_equal(cs_pathlist_add(&old, &ours, CS_PATH_FRONT, &written, &index, &changed, NULL), CS_OK);
    unsigned failures = 0;
    for (unsigned long n = 1; n <= 400; n++) {
        cs_reg_value out = {0};
        cs_alloc_fail_at(n);
        cs_status status = cs_pathlist_undo(&current, &old, &written, &ours, index, &out, &changed, NULL);
        cs_alloc_fail_at(0);
        if (status == CS_OK) {
            assert_value(&out, CS_REG_EXPAND_SZ, "\"" BIN "\";%NESTED%\\bin;C:\\a;D:\\b", 1);
        } else {
            assert_int_equal(status, CS_E_NO_MEMORY);
            assert_false(out.present);
            failures++;
        }
        cs_reg_value_free(&out);
    }
    assert_true(failures > 50);
    cs_reg_value_free(&old);
    cs_reg_value_free(&written);
    cs_reg_value_free(&current);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_splits_outside_quotes),
        cmocka_unit_test(test_pathlist_absent_value_has_no_entries),
        cmocka_unit_test(test_pathlist_refuses_what_is_no_string),
        cmocka_unit_test(test_pathlist_refuses_damaged_strings),
        cmocka_unit_test(test_pathlist_adds_in_front_and_at_the_end),
        cmocka_unit_test(test_pathlist_keeps_type_terminators_and_expandable_text),
        cmocka_unit_test(test_pathlist_creates_an_absent_value),
        cmocka_unit_test(test_pathlist_limit),
        cmocka_unit_test(test_pathlist_limit_is_exact),
        cmocka_unit_test(test_pathlist_refuses_a_folder_that_path_cannot_carry),
        cmocka_unit_test(test_pathlist_carries_percent_signs_that_name_nothing),
        cmocka_unit_test(test_pathlist_names_and_usable),
        cmocka_unit_test(test_pathlist_present_means_named_and_usable),
        cmocka_unit_test(test_pathlist_non_ascii_case_needs_the_disk),
        cmocka_unit_test(test_pathlist_same_text_and_network),
        cmocka_unit_test(test_pathlist_expands_once),
        cmocka_unit_test(test_pathlist_a_variable_that_cannot_be_read_is_an_error),
        cmocka_unit_test(test_pathlist_undo_keeps_what_others_did),
        cmocka_unit_test(test_pathlist_undo_takes_one_of_two),
        cmocka_unit_test(test_pathlist_undo_of_a_removal),
        cmocka_unit_test(test_pathlist_undo_of_a_value_somebody_deleted),
        cmocka_unit_test(test_pathlist_undo_refuses_what_became_no_string),
        cmocka_unit_test(test_pathlist_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
