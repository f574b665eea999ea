/* Every starting state and what setup does with it. The tables are computed by running the code on a machine in memory and must
 * stand, word for word, in docs/environment.md.
 * Rows of the collected reports: P01, P02, P04, P06, P07, P09, V15, V18. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/text.h"
#include "document_table.h"

#define TREE TABLE_TREE
#define BIN  TREE "\\bin"
#define V11  TABLE_V11

static cs_buffer document; /* all tables */

static const cs_reg_change *change_of(const cs_environment_plan *plan, cs_variable variable) {
    for (size_t i = 0; i < plan->count; i++)
        if (plan->changes[i].variable == variable) return &plan->changes[i];
    return NULL;
}

static void put_value(const cs_reg_value *value, cs_buffer *out) {
    cs_buffer text = {0};
    assert_int_equal(cs_reg_value_to_text(value, &text, NULL), CS_OK);
    if (text.size > 200) cs_buffer_format(out, "%u characters, ours in front", (unsigned)text.size);
    if (text.size <= 200) table_code(cs_buffer_string(&text), out);
    cs_buffer_free(&text);
}

/* ---- planning, and taking it back ---- */

static void apply(table_machine *f, const cs_environment_plan *plan) {
    const cs_registry *registry = f->host->registry;
    for (size_t i = 0; i < plan->count; i++)
        assert_int_equal(
            registry->write(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, plan->changes[i].name, &plan->changes[i].now, NULL),
            CS_OK);
}

/* Installs twice and uninstalls: the second time nothing changes, and afterwards every byte is as before. */
static void there_and_back(table_machine *f, const cs_environment_plan *plan, bool trusted, bool take) {
    cs_environment_plan again, undo;
    cs_receipt receipt = {.regs = plan->changes, .reg_count = plan->count};
    char *before = memory_host_reg_dump(f->machine);
    apply(f, plan);
    assert_int_equal(cs_environment_plan_install(f->host, TREE, trusted, CS_ENV_ALL, take, &again, NULL), CS_OK);
    assert_int_equal(again.count, 0);
    assert_int_equal(cs_environment_plan_undo(f->host, TREE, &receipt, 1, NULL, 0, &undo, NULL), CS_OK);
    apply(f, &undo);
    char *after = memory_host_reg_dump(f->machine);
    assert_string_equal(before, after);
    free(before), free(after);
    cs_environment_plan_free(&again);
    cs_environment_plan_free(&undo);
}

/* ---- PATH ---- */

typedef struct path_row {
    const char *state;
    const char *name; /* NULL: absent */
    uint32_t type;
    const char *text; /* its text; filled up with 'a' to `units` */
    size_t units;
    size_t cut, terminators; /* bytes less at the end; terminators */
    bool untrusted;
} path_row;

#define SZ     CS_REG_SZ
#define EXPAND CS_REG_EXPAND_SZ

static const path_row paths[] = {
    {"no value", NULL, 0, "", 0, 0, 0, false},
    {"an empty value", "Path", EXPAND, "", 0, 0, 1, false},
    {"an empty value without terminator", "Path", EXPAND, "", 0, 0, 0, false},
    {"entries of others", "Path", EXPAND, "%SystemRoot%;C:\\Tools", 0, 0, 1, false},
    {"the same under the name `PATH`", "PATH", EXPAND, "C:\\Tools", 0, 0, 1, false},
    {"the same, ordinary users can write to the tree", "Path", EXPAND, "C:\\Tools", 0, 0, 1, true},
    {"REG_SZ that holds `%`", "Path", SZ, "%SystemRoot%;C:\\Tools", 0, 0, 1, false},
    {"no terminator", "Path", EXPAND, "C:\\Tools", 0, 0, 0, false},
    {"three terminators", "Path", EXPAND, "C:\\Tools", 0, 0, 3, false},
    {"a `;` at the end", "Path", EXPAND, "C:\\Tools;", 0, 0, 1, false},
    {"a `;` at the end, untrusted tree", "Path", EXPAND, "C:\\Tools;", 0, 0, 1, true},
    {"empty entries", "Path", EXPAND, ";;C:\\Tools;;", 0, 0, 1, false},
    {"`;` inside quotes", "Path", EXPAND, "\"C:\\a;b\";C:\\Tools", 0, 0, 1, false},
    {"a quote without a partner", "Path", EXPAND, "\"C:\\a;C:\\Tools", 0, 0, 1, true},
    {"a lone surrogate", "Path", EXPAND, "C:\\\xED\xA0\x80;C:\\Tools", 0, 0, 1, false},
    {"our entry", "Path", EXPAND, "C:\\Tools;" BIN, 0, 0, 1, false},
    {"our entry in other letters, with `/` and a `\\` at the end", "Path", EXPAND, "c:/cuda/V10.1/BIN\\;C:\\Tools", 0, 0, 1,
     false},
    {"our entry with `.` and `..`", "Path", EXPAND, TREE "\\lib\\..\\.\\bin", 0, 0, 1, false},
    {"our entry through a junction", "Path", EXPAND, "C:\\link\\bin", 0, 0, 1, false},
    {"our entry through `%SystemDrive%`", "Path", EXPAND, "%SystemDrive%\\CUDA\\v10.1\\bin", 0, 0, 1, false},
    {"our entry through `%CUDA_PATH%`, a REG_SZ", "Path", EXPAND, "%CUDA_PATH%\\bin", 0, 0, 1, false},
    {"the same in a REG_SZ, which is never expanded", "Path", SZ, "%CUDA_PATH%\\bin", 0, 0, 1, false},
    {"our entry through `%LATE%`, itself expandable", "Path", EXPAND, "%LATE%\\bin", 0, 0, 1, false},
    {"our entry through an undefined variable", "Path", EXPAND, "%NOBODY%\\bin", 0, 0, 1, false},
    {"our entry in quotes", "Path", EXPAND, "\"" BIN "\";C:\\Tools", 0, 0, 1, false},
    {"our entry with a blank behind it", "Path", EXPAND, BIN " ;C:\\Tools", 0, 0, 1, false},
    {"our entry with a `\\\\?\\` prefix", "Path", EXPAND, "\\\\?\\" BIN, 0, 0, 1, false},
    {"another toolkit with its own `cudnn64_8.dll`, and our entry behind it", "Path", EXPAND, V11 "\\bin;" BIN, 0, 0, 1, false},
    {"the same, without our entry", "Path", EXPAND, V11 "\\bin", 0, 0, 1, false},
    {"a network folder", "Path", EXPAND, "\\\\server\\share\\bin", 0, 0, 1, false},
    {"2,047 characters afterwards", "Path", EXPAND, "C:\\", 2047 - sizeof BIN, 0, 1, false},
    {"2,048 characters afterwards", "Path", EXPAND, "C:\\", 2048 - sizeof BIN, 0, 1, false},
    {"32,766 characters afterwards", "Path", EXPAND, "C:\\", 32766 - sizeof BIN, 0, 1, false},
    {"32,767 characters afterwards", "Path", EXPAND, "C:\\", 32767 - sizeof BIN, 0, 1, false},
    {"REG_MULTI_SZ", "Path", CS_REG_MULTI_SZ, "C:\\Tools", 0, 0, 2, false},
    {"a number", "Path", CS_REG_DWORD, "C:", 0, 0, 0, false},
    {"an odd number of bytes", "Path", EXPAND, "C:\\Tools", 0, 1, 1, false},
    {"a NUL with text behind it", "Path", EXPAND, "C:\\a\x01hidden", 0, 0, 1, false},
};

static void set_path(table_machine *f, const path_row *row) {
    cs_buffer text = {0}, bytes = {0};
    if (!row->name) return;
    cs_buffer_text(&text, row->text);
    while (text.size < row->units) cs_buffer_text(&text, "a");
    assert_true(cs_utf16le_from_wtf8(&bytes, cs_buffer_string(&text), text.size));
    for (size_t i = 0; i + 1 < bytes.size; i += 2)
        if (bytes.data[i] == 1) bytes.data[i] = 0; /* the NUL */
    for (size_t i = 0; i < row->terminators; i++) cs_buffer_append(&bytes, "\0", 2);
    memory_host_reg_bytes(f->machine, CS_HKLM, CS_KEY_ENVIRONMENT, row->name, row->type, bytes.data ? bytes.data : "",
                          bytes.size - row->cut);
    cs_buffer_free(&text);
    cs_buffer_free(&bytes);
}

static void write_path_row(const path_row *row) {
    table_machine f;
    cs_environment_plan plan;
    cs_error error = {0};
    table_machine_begin(&f);
    table_machine_set(&f, "CUDA_PATH", SZ, TREE);
    table_machine_set(&f, "CUDA_PATH_V10_1", SZ, TREE);
    table_machine_set(&f, "LATE", EXPAND, "%SystemDrive%\\CUDA\\v10.1");
    set_path(&f, row);
    char *before = memory_host_reg_dump(f.machine);
    cs_status status = cs_environment_plan_install(f.host, TREE, !row->untrusted, CS_ENV_ALL, false, &plan, &error);
    cs_buffer_format(&document, "| %s | ", row->state);
    if (!row->units && row->terminators + row->cut < 2 && row->type <= EXPAND && !strchr(row->text, 1) && row->name)
        table_code(row->text, &document);
    cs_buffer_text(&document, " | ");
    if (status != CS_OK) {
        cs_buffer_format(&document, "refused with %d, nothing is changed; `/env:none` goes on", cs_exit_code(status));
        assert_int_equal(plan.count, 0);
        assert_int_equal(cs_environment_plan_install(f.host, TREE, true, CS_ENV_NONE, false, &plan, NULL), CS_OK);
    } else if (!plan.count) {
        cs_buffer_text(&document, "unchanged");
    } else {
        const cs_reg_change *change = change_of(&plan, CS_VARIABLE_PATH);
        assert_non_null(change);
        assert_int_equal(plan.count, 1);
        assert_int_equal(change->now.type, row->name ? row->type : EXPAND);
        assert_string_equal(change->name, row->name ? row->name : "Path");
        put_value(&change->now, &document);
    }
    cs_buffer_text(&document, " | ");
    table_said(&f.events, &document);
    cs_buffer_text(&document, " |\n");
    char *after = memory_host_reg_dump(f.machine);
    assert_string_equal(before, after); /* planning writes nothing */
    if (status == CS_OK) there_and_back(&f, &plan, !row->untrusted, false);
    cs_environment_plan_free(&plan);
    free(before), free(after);
    table_machine_end(&f);
}

static void test_environment_states_path(void **state) {
    (void)state;
    cs_buffer_text(&document, "| PATH before | as it stands | becomes | said |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) write_path_row(&paths[i]);
    cs_buffer_text(&document, "\n");
}

/* ---- CUDA_PATH ---- */

typedef struct cuda_row {
    const char *state;
    uint32_t type; /* 0: absent */
    const char *text;
} cuda_row;

static const cuda_row cudas[] = {
    {"absent", 0, ""},
    {"empty", SZ, ""},
    {"blank", SZ, "  "},
    {"`.`", SZ, "."},
    {"relative", SZ, "CUDA\\v10.1"},
    {"without a drive", SZ, "\\CUDA\\v10.1"},
    {"right", SZ, TREE},
    {"right in other letters, with `/`", SZ, "c:/cuda/V10.1"},
    {"right through a variable of Windows", EXPAND, "%SystemDrive%\\CUDA\\v10.1"},
    {"the same in a REG_SZ, which is never expanded", SZ, "%SystemDrive%\\CUDA\\v10.1"},
    {"quoted", SZ, "\"" TREE "\""},
    {"a `\\` at the end", SZ, TREE "\\"},
    {"blanks around it", SZ, " " TREE " "},
    {"a link to the tree", SZ, "C:\\link"},
    {"`bin` of the tree", SZ, BIN},
    {"a missing folder", SZ, "C:\\CUDA\\v9.0"},
    {"a missing drive", SZ, "X:\\CUDA\\v10.0"},
    {"a folder without a toolkit", SZ, "C:\\empty"},
    {"an undefined variable", EXPAND, "%NOBODY%\\v10.1"},
    {"another working toolkit", SZ, V11},
    {"another working toolkit, quoted, with a `\\`", SZ, "\"" V11 "\\\""},
    {"a second 10.1 tree", SZ, "C:\\two\\v10.1"},
    {"a network folder", SZ, "\\\\server\\share\\v10.1"},
    {"a number", CS_REG_DWORD, "C:"},
    {"REG_MULTI_SZ", CS_REG_MULTI_SZ, TREE},
};

static void write_cuda_cell(const cuda_row *row, const char *name, cs_variable variable, bool take) {
    table_machine f;
    cs_environment_plan plan;
    table_machine_begin(&f);
    table_machine_set(&f, "Path", SZ, BIN);
    table_machine_set(&f, "CUDA_PATH", SZ, TREE);
    table_machine_set(&f, "CUDA_PATH_V10_1", SZ, TREE);
    memory_host_reg_delete(f.machine, CS_HKLM, CS_KEY_ENVIRONMENT, name);
    if (row->type) table_machine_set(&f, name, row->type, row->text);
    assert_int_equal(cs_environment_plan_install(f.host, TREE, true, CS_ENV_ALL, take, &plan, NULL), CS_OK);
    const cs_reg_change *change = change_of(&plan, variable);
    assert_int_equal(plan.count, change ? 1 : 0);
    if (change) put_value(&change->now, &document);
    if (!change) cs_buffer_text(&document, "unchanged");
    if (f.events.warnings) cs_buffer_text(&document, ", said: ");
    table_said(&f.events, &document);
    cs_buffer_text(&document, " | ");
    there_and_back(&f, &plan, true, take);
    cs_environment_plan_free(&plan);
    table_machine_end(&f);
}

static void test_environment_states_cuda_path(void **state) {
    (void)state;
    cs_buffer_text(&document, "| before | as it stands | CUDA_PATH becomes | with `/cudapath:take` | CUDA_PATH_V10_1 becomes |\n"
                              "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof cudas / sizeof cudas[0]; i++) {
        cs_buffer_format(&document, "| %s | ", cudas[i].state);
        if (cudas[i].text[strspn(cudas[i].text, " ")] && cudas[i].type <= EXPAND) table_code(cudas[i].text, &document);
        cs_buffer_text(&document, " | ");
        write_cuda_cell(&cudas[i], "CUDA_PATH", CS_VARIABLE_CUDA_PATH, false);
        write_cuda_cell(&cudas[i], "CUDA_PATH", CS_VARIABLE_CUDA_PATH, true);
        write_cuda_cell(&cudas[i], "CUDA_PATH_V10_1", CS_VARIABLE_CUDA_PATH_V10_1, false);
        document.size--; /* the blank behind the last '|' */
        cs_buffer_text(&document, "\n");
    }
    cs_buffer_text(&document, "\n");
}

/* ---- the document ---- */

static void test_environment_states_stand_in_the_document(void **state) {
    (void)state;
    table_check(CS_TEST_DOCS "/environment.md", "tests/unit/test_environment_states.c", &document);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment_states_path),
        cmocka_unit_test(test_environment_states_cuda_path),
        cmocka_unit_test(test_environment_states_stand_in_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
