#include "cudnn_setup/path.h"

#include <string.h>

#include "cudnn_setup/text.h"

static bool is_separator(char c) { return c == '/' || c == '\\'; }

cs_status cs_path_join(cs_buffer *out, char separator, const char *folder, const char *relative, cs_error *error) {
    cs_buffer_clear(out);
    cs_buffer_text(out, folder);
    if (out->size && !is_separator(out->data[out->size - 1])) cs_buffer_append(out, &separator, 1);
    size_t start = out->size;
    cs_buffer_text(out, relative);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '/') out->data[i] = separator;
    return cs_buffer_check(out, error);
}

const char *cs_path_name(const char *path) {
    const char *name = path;
    for (const char *p = path; *p; p++)
        if (is_separator(*p)) name = p + 1;
    return name;
}

cs_status cs_path_parent(cs_buffer *out, const char *path, cs_error *error) {
    size_t size = strlen(path);
    while (size && is_separator(path[size - 1])) size--;
    while (size && !is_separator(path[size - 1])) size--;
    /* Separators at the start, and the one after a drive's colon, belong to a root. */
    size_t root = strspn(path, "/\\");
    if (path[0] && path[1] == ':' && is_separator(path[2])) root = 3;
    while (size > root && is_separator(path[size - 1])) size--;
    cs_buffer_clear(out);
    cs_buffer_append(out, path, size);
    return cs_buffer_check(out, error);
}

/* Source: Microsoft, "Naming Files, Paths, and Namespaces": reserved with or without an extension; the
 * superscript digits 1 to 3 count as digits. */
bool cs_path_device_name(const char *name) {
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"};
    char stem[9];
    size_t size = strcspn(name, ".");
    while (size && name[size - 1] == ' ') size--;
    if (size == 0 || size >= sizeof stem) return false;
    memcpy(stem, name, size);
    stem[size] = '\0';
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (cs_text_equal_ascii_case(stem, devices[i])) return true;
    bool superscript = size == 5 && (strcmp(stem + 3, "\xC2\xB9") == 0 || strcmp(stem + 3, "\xC2\xB2") == 0 ||
                                     strcmp(stem + 3, "\xC2\xB3") == 0);
    if (!superscript && (size != 4 || stem[3] < '0' || stem[3] > '9')) return false;
    stem[3] = '\0';
    return cs_text_equal_ascii_case(stem, "COM") || cs_text_equal_ascii_case(stem, "LPT");
}

bool cs_path_plain_name(const char *name) {
    size_t size = strlen(name);
    if (size == 0 || size > 120 || cs_path_device_name(name)) return false;
    if (name[0] == '.' || name[0] == ' ' || name[size - 1] == '.' || name[size - 1] == ' ') return false;
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '_' && c != '-' && c != ' ') return false;
    }
    return true;
}
