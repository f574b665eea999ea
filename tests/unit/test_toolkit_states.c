/* Which folder is taken as the CUDA toolkit, and where its entry goes in PATH: tables that are computed here and must stand in
 * docs/environment.md. Rows of the collected reports: V15, V18, V22, A11, F06, F10, L10. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "cudnn_setup/toolkit.h"
#include "document_table.h"

#define TREE TABLE_TREE
#define V11  TABLE_V11

static cs_buffer document; /* all tables */

#define SZ CS_REG_SZ

/* ---- the toolkit ---- */

typedef struct toolkit_row {
    const char *state;
    const char *named; /* /cuda: */
    const char *files[4], *version;
    const char *link, *security, *secured; /* a link's name in it; an access list and the folder that has it */
} toolkit_row;

#define RUNTIME TREE "\\bin\\cudart64_101.dll"
#define STRICT  "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
#define MODIFY  "O:BAG:SYD:AI(A;OICIID;FA;;;BA)(A;ID;0x1301bf;;;AU)"
#define DIGITS  "0123456789012345678901234567890123456789"
#define LONG    DIGITS DIGITS DIGITS DIGITS DIGITS DIGITS

static const toolkit_row toolkits[] = {
    {"10.1.105", TREE, {RUNTIME}, "CUDA Version 10.1.105", NULL, NULL, NULL},
    {"10.1.168", TREE, {RUNTIME}, "CUDA Version 10.1.168", NULL, NULL, NULL},
    {"10.1.243 with a patch", TREE, {RUNTIME}, "CUDA Version 10.1.243\r\nCUDA Patch Version 10.1.1\r\n", NULL, NULL, NULL},
    {"no version.txt", TREE, {RUNTIME}, NULL, NULL, NULL, NULL},
    {"10.2 in a folder named v10.1", TREE, {RUNTIME}, "CUDA Version 10.2.89", NULL, NULL, NULL},
    {"version.txt with something else", TREE, {RUNTIME}, "hello", NULL, NULL, NULL},
    {"another version's runtime", TREE, {TREE "\\bin\\cudart64_100.dll"}, NULL, NULL, NULL, NULL},
    {"a 32-bit toolkit", TREE, {TREE "\\bin\\cudart32_101.dll"}, NULL, NULL, NULL, NULL},
    {"only a patch was installed", TREE, {TREE "\\bin\\cublas64_10.dll"}, "CUDA Version 10.1.243", NULL, NULL, NULL},
    {"an unpacked cuDNN that was renamed to v10.1",
     TREE,
     {TREE "\\bin\\cudnn64_8.dll", TREE "\\include\\cudnn.h"},
     NULL,
     NULL,
     NULL,
     NULL},
    {"a nested copy of cuDNN from an earlier attempt",
     TREE,
     {RUNTIME, TREE "\\cuda\\bin\\cudnn64_8.dll"},
     "CUDA Version 10.1.243",
     NULL,
     NULL,
     NULL},
    {"an empty folder", "C:\\empty", {NULL}, NULL, NULL, NULL, NULL},
    {"no such folder", "C:\\nowhere", {NULL}, NULL, NULL, NULL, NULL},
    {"quoted, with blanks, `/` and a `\\` at the end",
     " \"c:/cuda/V10.1/\" ",
     {RUNTIME},
     "CUDA Version 10.1.243",
     NULL,
     NULL,
     NULL},
    {"relative", "v10.1", {RUNTIME}, NULL, NULL, NULL, NULL},
    {"without a drive", "\\CUDA\\v10.1", {RUNTIME}, NULL, NULL, NULL, NULL},
    {"a whole drive", "C:\\", {NULL}, NULL, NULL, NULL, NULL},
    {"a network folder", "\\\\server\\share\\v10.1", {NULL}, NULL, NULL, NULL, NULL},
    {"a link as the root", "C:\\link", {RUNTIME}, "CUDA Version 10.1.243", NULL, NULL, NULL},
    {"a link for `bin`", TREE, {"C:\\else\\cudart64_101.dll"}, "CUDA Version 10.1.243", TREE "\\bin", NULL, NULL},
    {"a path so long that a DLL's name passes 259 characters",
     "C:\\" LONG,
     {"C:\\" LONG "\\bin\\cudart64_101.dll"},
     NULL,
     NULL,
     NULL,
     NULL},
    {"ordinary users can write to it", TREE, {RUNTIME}, "CUDA Version 10.1.243", NULL, MODIFY, TREE},
    {"ordinary users can write to the folder above", TREE, {RUNTIME}, "CUDA Version 10.1.243", NULL, MODIFY, "C:\\CUDA"},
    {"on another drive, where users may write",
     "D:\\sdk\\v10.1",
     {"D:\\sdk\\v10.1\\bin\\cudart64_101.dll"},
     NULL,
     NULL,
     MODIFY,
     "D:\\sdk"},
};

static void make_toolkit(table_machine *f, const toolkit_row *row) {
    static const char *const folders[] = {"C:\\", "D:\\", "C:\\CUDA", TREE, TREE "\\bin"};
    memory_host_delete(f->machine, TREE);
    memory_host_folder(f->machine, TREE);
    for (size_t i = 0; i < 4 && row->files[i]; i++) memory_host_text(f->machine, row->files[i], "x");
    if (row->version) memory_host_text(f->machine, TREE "\\version.txt", row->version);
    if (row->link) memory_host_link(f->machine, row->link, "C:\\else");
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (memory_host_exists(f->machine, folders[i])) memory_host_security(f->machine, folders[i], STRICT);
    if (row->security) memory_host_security(f->machine, row->secured, row->security);
}

static void write_toolkit_row(const toolkit_row *row) {
    table_machine f;
    cs_toolkits found;
    table_machine_begin(&f);
    make_toolkit(&f, row);
    assert_int_equal(cs_toolkit_detect(f.host, "10.1", row->named, &found, NULL), CS_OK);
    assert_int_equal(found.count, 1);
    const cs_toolkit_candidate *one = &found.items[0];
    cs_buffer_format(&document, "| %s | %s | ", row->state, one->usable ? "taken" : "refused with 1642");
    table_short(one->reason, &document);
    cs_buffer_text(&document, " | ");
    if (one->usable) cs_buffer_text(&document, one->trusted ? "front" : "end: ");
    if (one->usable && !one->trusted) table_short(one->untrusted_why, &document);
    cs_buffer_text(&document, " | ");
    table_said(&f.events, &document);
    cs_buffer_text(&document, " |\n");
    cs_toolkits_free(&found);
    table_machine_end(&f);
}

static void test_toolkit_states_toolkit(void **state) {
    (void)state;
    cs_buffer_text(&document, "| the folder | verdict | why | our PATH entry | said |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof toolkits / sizeof toolkits[0]; i++) write_toolkit_row(&toolkits[i]);
    cs_buffer_text(&document, "\n");
}

/* Which of several candidates is taken: what is left of an installation. */
static const struct {
    const char *state;
    const char *versioned, *key, *cuda; /* CUDA_PATH_V10_1, the registry key, CUDA_PATH */
    bool standard, elsewhere, second;   /* which trees are there: the default folder, C:\CUDA\v10.1, C:\two\v10.1 */
} leftovers[] = {
    {"nothing at all", NULL, NULL, NULL, false, false, false},
    {"only the default folder", NULL, NULL, NULL, true, false, false},
    {"only CUDA_PATH_V10_1", TREE, NULL, NULL, false, true, false},
    {"CUDA_PATH_V10_1, but its folder is gone", TREE, NULL, NULL, false, false, false},
    {"the same, and the default folder", TREE, NULL, NULL, true, false, false},
    {"only the registry key", NULL, TREE, NULL, false, true, false},
    {"only CUDA_PATH", NULL, NULL, TREE, false, true, false},
    {"CUDA_PATH names 11.1, the default folder is 10.1", NULL, NULL, V11, true, false, false},
    {"two 10.1 trees: CUDA_PATH_V10_1 and CUDA_PATH", TREE, NULL, "C:\\two\\v10.1", false, true, true},
    {"two 10.1 trees: the registry key and the default folder", NULL, "C:\\two\\v10.1", NULL, true, false, true},
    {"a folder that nothing names", NULL, NULL, NULL, false, true, false},
};
#define STANDARD "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"

static void test_toolkit_states_leftovers(void **state) {
    (void)state;
    cs_buffer_text(&document, "| what is left of CUDA 10.1 | taken | named by |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof leftovers / sizeof leftovers[0]; i++) {
        table_machine f;
        cs_toolkits found;
        table_machine_begin(&f);
        if (!leftovers[i].elsewhere) memory_host_delete(f.machine, TREE);
        if (!leftovers[i].second) memory_host_delete(f.machine, "C:\\two");
        if (leftovers[i].standard) memory_host_text(f.machine, STANDARD "\\bin\\cudart64_101.dll", "x");
        if (leftovers[i].versioned) table_machine_set(&f, "CUDA_PATH_V10_1", SZ, leftovers[i].versioned);
        if (leftovers[i].cuda) table_machine_set(&f, "CUDA_PATH", SZ, leftovers[i].cuda);
        if (leftovers[i].key) memory_host_reg_text(f.machine, CS_HKLM, CS_KEY_CUDA "\\v10.1", "InstallDir", SZ, leftovers[i].key);
        assert_int_equal(cs_toolkit_detect(f.host, "10.1", NULL, &found, NULL), CS_OK);
        cs_buffer_format(&document, "| %s | ", leftovers[i].state);
        if (found.chosen < found.count) {
            const cs_toolkit_candidate *one = &found.items[found.chosen];
            if (strcmp(one->path, STANDARD) == 0)
                cs_buffer_text(&document, "the default folder");
            else
                table_code(one->path, &document);
            cs_buffer_format(&document, " | %s |\n", cs_toolkit_source_text(one->source));
        } else {
            cs_buffer_text(&document, "none: 1642 | |\n");
        }
        cs_toolkits_free(&found);
        table_machine_end(&f);
    }
}

/* ---- the document ---- */

static void test_toolkit_states_stand_in_the_document(void **state) {
    (void)state;
    table_check(CS_TEST_DOCS "/environment.md", "tests/unit/test_toolkit_states.c", &document);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolkit_states_toolkit),
        cmocka_unit_test(test_toolkit_states_leftovers),
        cmocka_unit_test(test_toolkit_states_stand_in_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
