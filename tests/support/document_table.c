#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "document_table.h"

void table_machine_begin(table_machine *m) {
    static const cs_volume d = {.guid_path = "\\\\?\\Volume{d}\\", .filesystem = "NTFS", .local_fixed = true};
    m->machine = memory_host_new();
    m->host = memory_host_seam(m->machine);
    event_recorder_start(&m->events);
    memory_host_events(m->machine, &m->events.events);
    memory_host_volume(m->machine, "D:", &d);
    memory_host_text(m->machine, TABLE_TREE "\\bin\\cudart64_101.dll", "x");
    memory_host_text(m->machine, TABLE_TREE "\\version.txt", "CUDA Version 10.1.243\r\n");
    memory_host_text(m->machine, TABLE_V11 "\\bin\\cudart64_110.dll", "x");
    memory_host_text(m->machine, TABLE_V11 "\\bin\\cudnn64_8.dll", "x");
    memory_host_text(m->machine, "C:\\two\\v10.1\\bin\\cudart64_101.dll", "x");
    memory_host_folder(m->machine, "C:\\empty");
    memory_host_link(m->machine, "C:\\link", TABLE_TREE);
    memory_host_reg_delete(m->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path");
}

void table_machine_end(table_machine *m) {
    event_recorder_end(&m->events);
    memory_host_free(m->machine);
}

void table_machine_set(table_machine *m, const char *name, uint32_t type, const char *text) {
    memory_host_reg_text(m->machine, CS_HKLM, CS_KEY_ENVIRONMENT, name, type, text);
}

/* T for the tree, so that the tables stay narrow. */
void table_short(const char *text, cs_buffer *out) {
    static const char *const trees[] = {TABLE_TREE, TABLE_STANDARD};
    while (*text) {
        size_t size = 0;
        for (size_t i = 0; i < sizeof trees / sizeof trees[0] && !size; i++)
            if (cs_text_starts_with(text, trees[i])) size = strlen(trees[i]);
        cs_buffer_append(out, size ? "T" : text, 1);
        text += size ? size : 1;
    }
}

void table_code(const char *text, cs_buffer *out) {
    cs_buffer visible = {0};
    cs_text_visible(&visible, text);
    cs_buffer_text(out, *text ? "`" : "empty");
    table_short(cs_buffer_string(&visible), out);
    if (*text) cs_buffer_text(out, "`");
    cs_buffer_free(&visible);
}

/* The warnings' ids, each once, in the order in which they were said. */
void table_said(const event_recorder *events, cs_buffer *out) {
    size_t start = out->size;
    for (const char *p = cs_buffer_string(&events->text); (p = strstr(p, "warning ")) != NULL;) {
        char id[64] = "`";
        p += strlen("warning ");
        size_t size = strcspn(p, ":");
        if (size > sizeof id - 3 || memchr(p, ' ', size)) continue;
        memcpy(id + 1, p, size);
        id[size + 1] = '`';
        if (strstr(cs_buffer_string(out) + start, id)) continue;
        if (out->size > start) cs_buffer_text(out, ", ");
        cs_buffer_text(out, id);
    }
}

static char *read_file(const char *path) {
    enum { ROOM = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be opened", path);
    char *text = calloc(1, ROOM);
    assert_non_null(text);
    size_t size = fread(text, 1, ROOM - 1, file);
    fclose(file);
    assert_true(size > 0 && size < ROOM - 1);
    return text;
}

static void write_copy(const cs_buffer *tables) {
    const char *path = getenv("CUDNN_SETUP_STATES");
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file) return;
    fwrite(tables->data, 1, tables->size, file);
    fclose(file);
}

void table_check(const char *path, const char *mark, cs_buffer *tables) {
    char first[160];
    snprintf(first, sizeof first, "<!-- computed by %s -->\n", mark);
    assert_false(tables->failed);
    write_copy(tables);
    char *text = read_file(path), *start = strstr(text, first), *end = start ? strstr(start, "<!-- end -->") : NULL;
    if (!end) fail_msg("%s has no place for the tables of %s", path, mark);
    start += strlen(first);
    bool same = (size_t)(end - start) == tables->size && memcmp(start, tables->data, tables->size) == 0;
    if (!same) {
        *end = '\0';
        print_error("the document says:\n%s\nthe code does:\n%s", start, cs_buffer_string(tables));
    }
    free(text);
    cs_buffer_free(tables);
    assert_true(same);
}
