/* command_line.c: arguments and environment in the forms that CreateProcess wants.
 * Source: Microsoft, "CommandLineToArgvW" and "Parsing C command-line arguments"; "CreateProcessW" for the environment block. */
#include "run_win32.h"

#include <stdlib.h>
#include <string.h>

/* Backslashes mean themselves except before a quotation mark: there, and before the closing one, they are doubled. */
static void quote(cs_buffer *out, const char *text) {
    if (*text && !strpbrk(text, " \t\n\v\"")) {
        cs_buffer_text(out, text);
        return;
    }
    cs_buffer_text(out, "\"");
    for (;;) {
        size_t slashes = strspn(text, "\\");
        text += slashes;
        size_t copies = !*text ? 2 * slashes : *text == '"' ? 2 * slashes + 1 : slashes;
        for (size_t i = 0; i < copies; i++) cs_buffer_text(out, "\\");
        if (!*text) break;
        cs_buffer_append(out, text++, 1);
    }
    cs_buffer_text(out, "\"");
}

wchar_t *cs_command_line(const cs_child *child, cs_error *error) {
    cs_buffer line = {0};
    cs_buffer_format(&line, "\"%s\"", child->program); /* the first word knows no escapes, and a path no quotes */
    for (size_t i = 0; i < child->argument_count; i++) {
        cs_buffer_text(&line, " ");
        quote(&line, child->arguments[i]);
    }
    wchar_t *wide = cs_buffer_check(&line, error) == CS_OK ? cs_wide(line.data, "run", error) : NULL;
    cs_buffer_free(&line);
    if (wide && wcslen(wide) > 32766) {
        cs_free(wide);
        cs_fail(error, CS_E_TOO_BIG, "run", child->program, "the command line is longer than 32,766 units");
        return NULL;
    }
    return wide;
}

static int name_size(const wchar_t *variable) {
    const wchar_t *end = *variable ? wcschr(variable + 1, L'=') : NULL; /* "=C:" is a name too */
    return end ? (int)(end - variable) : (int)wcslen(variable);
}

static int compare_variables(const void *a, const void *b) {
    const wchar_t *const *left = a, *const *right = b;
    return CompareStringOrdinal(*left, name_size(*left), *right, name_size(*right), TRUE) - CSTR_EQUAL;
}

static wchar_t *join(wchar_t **variables, size_t count) {
    size_t units = 2, at = 0;
    for (size_t i = 0; i < count; i++) units += wcslen(variables[i]) + 1;
    wchar_t *block = cs_alloc(units, sizeof *block); /* zeroed: ends with two terminators even when empty */
    for (size_t i = 0; block && i < count; i++) {
        size_t size = wcslen(variables[i]) + 1;
        memcpy(block + at, variables[i], size * sizeof *block);
        at += size;
    }
    return block;
}

cs_status cs_environment_block(const cs_child *child, wchar_t **out, cs_error *error) {
    *out = NULL;
    if (!child->environment) return CS_OK;
    cs_status status = CS_OK;
    wchar_t **variables = cs_alloc(child->environment_count + 1, sizeof *variables);
    if (!variables) return cs_fail(error, CS_E_NO_MEMORY, "run", child->program, NULL);
    size_t count = 0;
    while (status == CS_OK && count < child->environment_count) {
        variables[count] = cs_wide(child->environment[count], "run", error);
        if (variables[count])
            count++;
        else
            status = error->status;
    }
    if (status == CS_OK) {
        qsort(variables, count, sizeof *variables, compare_variables);
        *out = join(variables, count);
        if (!*out) status = cs_fail(error, CS_E_NO_MEMORY, "run", child->program, NULL);
    }
    for (size_t i = 0; i < count; i++) cs_free(variables[i]);
    cs_free(variables);
    return status;
}
