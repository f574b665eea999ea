/* PATH under several hands: three trees with several levels each are installed, rolled back and uninstalled in any order, while
 * other programs edit PATH. Whatever the order, the others' entries stay as the others left them, and in the end nothing of ours
 * is left. Generated sequences, the same in every run; row P09 of the collected reports is an instance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "path_maker.h"

enum { TREES = 3, LEVELS = 3 };

static const cs_pathlist_folder *const folders[TREES] = {&path_maker_ours, &path_maker_other, &path_maker_third};

/* What one installation did to PATH. */
typedef struct level {
    cs_reg_value old, now;
    size_t index;
} level;

typedef struct machine {
    cs_reg_value start, path;
    level levels[TREES][LEVELS];
    size_t depth[TREES];
    cs_strings others; /* their entries, as they have to be */
    bool edited;       /* by others */
    unsigned long number;
} machine;

#define check(m, condition) path_maker_check((m)->number, &(m)->path, condition)

static void set_path(machine *m, cs_reg_value *value) {
    cs_reg_value_free(&m->path);
    m->path = *value;
    *value = (cs_reg_value){0};
}

/* The tree that an entry belongs to; TREES: none. */
static size_t owner(const machine *m, size_t entry) {
    for (size_t t = 0; t < TREES; t++) {
        cs_pathlist list;
        assert_int_equal(cs_pathlist_parse(&m->path, folders[t], &list, NULL), CS_OK);
        bool ours = list.items[entry].ours;
        cs_pathlist_free(&list);
        if (ours) return t;
    }
    return TREES;
}

/* PATH as texts, and each one's owner. */
typedef struct view {
    cs_pathlist list;
    size_t owners[64];
} view;

static view look(const machine *m) {
    view v;
    assert_int_equal(cs_pathlist_parse(&m->path, NULL, &v.list, NULL), CS_OK);
    assert_true(v.list.count <= 64);
    for (size_t i = 0; i < v.list.count; i++) v.owners[i] = owner(m, i);
    return v;
}

/* One empty entry alone is written as nothing. */
static size_t real_count(const cs_strings *list) { return list->count == 1 && !list->items[0][0] ? 0 : list->count; }

static void check_others(machine *m) {
    view v = look(m);
    cs_strings found = {0};
    for (size_t i = 0; i < v.list.count; i++)
        if (v.owners[i] == TREES) assert_int_equal(cs_strings_add(&found, v.list.items[i].text, NULL), CS_OK);
    check(m, real_count(&found) == real_count(&m->others));
    for (size_t i = 0; i < real_count(&found); i++) check(m, strcmp(found.items[i], m->others.items[i]) == 0);
    cs_strings_free(&found);
    cs_pathlist_free(&v.list);
}

static size_t count_of(const machine *m, size_t tree) {
    cs_pathlist list;
    size_t count = 0;
    assert_int_equal(cs_pathlist_parse(&m->path, folders[tree], &list, NULL), CS_OK);
    for (size_t i = 0; i < list.count; i++) count += list.items[i].ours;
    cs_pathlist_free(&list);
    return count;
}

/* ---- ours ---- */

static void install(machine *m, size_t tree) {
    cs_reg_value out = {0};
    size_t index;
    bool changed;
    if (m->depth[tree] == LEVELS) return;
    assert_int_equal(cs_pathlist_add(&m->path, folders[tree], path_maker_place(), &out, &index, &changed, NULL), CS_OK);
    if (changed) { /* a second installation changes nothing, and leaves nothing to undo */
        level *l = &m->levels[tree][m->depth[tree]++];
        assert_int_equal(cs_reg_value_copy(&l->old, &m->path, NULL), CS_OK);
        assert_int_equal(cs_reg_value_copy(&l->now, &out, NULL), CS_OK);
        l->index = index;
    }
    set_path(m, &out);
}

static void roll_back(machine *m, size_t tree) {
    cs_reg_value out = {0};
    bool changed;
    if (!m->depth[tree]) return;
    level *l = &m->levels[tree][--m->depth[tree]];
    size_t before = count_of(m, tree);
    assert_int_equal(cs_pathlist_undo(&m->path, &l->old, &l->now, folders[tree], l->index, &out, &changed, NULL), CS_OK);
    set_path(m, &out);
    check(m, before - count_of(m, tree) <= 1);
    cs_reg_value_free(&l->old);
    cs_reg_value_free(&l->now);
}

static void uninstall(machine *m, size_t tree) {
    while (m->depth[tree]) roll_back(m, tree);
    check(m, count_of(m, tree) == 0);
}

/* ---- others ---- */

static void write_texts(machine *m, const cs_strings *texts, uint32_t type) {
    cs_buffer text = {0};
    for (size_t i = 0; i < texts->count; i++) {
        if (i) cs_buffer_text(&text, ";");
        cs_buffer_text(&text, texts->items[i]);
    }
    cs_reg_value out = path_maker_value(type, &text, 1);
    set_path(m, &out);
    cs_buffer_free(&text);
}

/* Another spelling of a tree's folder that others may have made of our entry. */
static void respell(size_t tree, cs_buffer *out) {
    static const char *const before[] = {"", "\"", "", " "}, *const after[] = {"\\", "\"", "\\.", ""};
    size_t which = path_maker_below(4);
    cs_buffer_text(out, before[which]);
    cs_buffer_text(out, folders[tree]->path);
    cs_buffer_text(out, after[which]);
}

typedef enum edit { ADD, DROP, MOVE, RESPELL, RETYPE, EDITS } edit;

/* Builds the new list with one entry treated; who owns what decides what the others' own list becomes. */
static void edit_path(machine *m, edit what) {
    view v = look(m);
    cs_strings texts = {0}, others = {0};
    size_t at = path_maker_below(v.list.count + 1), put = path_maker_below(v.list.count + 1);
    const char *fresh = path_maker_entries[path_maker_below(PATH_MAKER_FOREIGN)];
    if (what == MOVE && at < v.list.count) fresh = v.list.items[at].text;
    bool foreign = at < v.list.count && v.owners[at] == TREES, puts = what == ADD || (what == MOVE && at < v.list.count);
    for (size_t i = 0; i <= v.list.count; i++) {
        cs_buffer text = {0};
        if (puts && i == put) {
            assert_int_equal(cs_strings_add(&texts, fresh, NULL), CS_OK);
            if (what == ADD || foreign) assert_int_equal(cs_strings_add(&others, fresh, NULL), CS_OK);
        }
        bool taken = i == at && (what == MOVE || what == DROP);
        if (i == v.list.count || taken) continue;
        if (what == RESPELL && i == at && !foreign)
            respell(v.owners[i], &text);
        else
            cs_buffer_text(&text, v.list.items[i].text);
        assert_int_equal(cs_strings_add(&texts, cs_buffer_string(&text), NULL), CS_OK);
        if (v.owners[i] == TREES) assert_int_equal(cs_strings_add(&others, cs_buffer_string(&text), NULL), CS_OK);
        cs_buffer_free(&text);
    }
    uint32_t type = what != RETYPE ? m->path.type : m->path.type == CS_REG_SZ ? CS_REG_EXPAND_SZ : CS_REG_SZ;
    write_texts(m, &texts, type);
    cs_strings_free(&m->others);
    m->others = others;
    m->edited = true;
    cs_strings_free(&texts);
    cs_pathlist_free(&v.list);
}

/* ---- sequences ---- */

static void begin(machine *m, unsigned long number) {
    *m = (machine){.number = number};
    do {
        cs_reg_value_free(&m->path);
        m->path = path_maker_list(5, PATH_MAKER_FOREIGN);
    } while (m->path.size < 2);
    assert_int_equal(cs_reg_value_copy(&m->start, &m->path, NULL), CS_OK);
    view v = look(m);
    for (size_t i = 0; i < v.list.count; i++) assert_int_equal(cs_strings_add(&m->others, v.list.items[i].text, NULL), CS_OK);
    cs_pathlist_free(&v.list);
}

static void step(machine *m, bool others) {
    size_t tree = path_maker_below(TREES), what = path_maker_below(others ? 8 : 5);
    if (what < 3)
        install(m, tree);
    else if (what == 3)
        roll_back(m, tree);
    else if (what == 4)
        uninstall(m, tree);
    else
        edit_path(m, (edit)path_maker_below(EDITS));
    check_others(m);
}

static void finish(machine *m) {
    size_t first = path_maker_below(TREES);
    for (size_t i = 0; i < TREES; i++) {
        uninstall(m, (first + i) % TREES);
        check_others(m);
    }
    if (!m->edited) check(m, cs_reg_value_equal(&m->path, &m->start)); /* every byte, and the type */
    cs_reg_value_free(&m->start);
    cs_reg_value_free(&m->path);
    cs_strings_free(&m->others);
    path_maker_cases++;
}

static void run(uint64_t seed, unsigned long count, bool others) {
    path_maker_seed(seed);
    for (unsigned long number = 0; number < count; number++) {
        machine m;
        begin(&m, number);
        for (size_t i = 3 + path_maker_below(8); i; i--) step(&m, others);
        finish(&m);
    }
}

static void test_pathlist_orders_alone(void **state) {
    (void)state;
    run(11, path_maker_wanted() / 10, false);
}

static void test_pathlist_orders_with_others_at_work(void **state) {
    (void)state;
    run(12, path_maker_wanted() / 10, true);
}

static void test_pathlist_orders_number_of_cases(void **state) {
    (void)state;
    assert_int_equal(path_maker_cases, path_maker_wanted() / 10 * 2);
    path_maker_report();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pathlist_orders_alone),
        cmocka_unit_test(test_pathlist_orders_with_others_at_work),
        cmocka_unit_test(test_pathlist_orders_number_of_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
