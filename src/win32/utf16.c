/* utf16.c: WTF-8 to UTF-16 and back, and paths as the wide functions want them. */
#include "win32.h"

#include <string.h>

#include "cudnn_setup/text.h"

/* prefix, then text from skip on. */
static wchar_t *widen(const char *prefix, const char *text, size_t size, const char *operation, const char *whole,
                      cs_error *error) {
    cs_buffer units = {0};
    bool valid = cs_utf16le_from_wtf8(&units, prefix, strlen(prefix)) && cs_utf16le_from_wtf8(&units, text, size);
    cs_buffer_append(&units, "\0", 2);
    if (valid && !units.failed) {
        wchar_t *wide = cs_alloc(units.size, 1); /* a copy, aligned for wchar_t by its type */
        if (wide) memcpy(wide, units.data, units.size);
        cs_buffer_free(&units);
        if (!wide) cs_fail(error, CS_E_NO_MEMORY, operation, whole, NULL);
        return wide;
    }
    cs_buffer_free(&units);
    if (valid)
        cs_fail(error, CS_E_NO_MEMORY, operation, whole, NULL);
    else
        cs_fail(error, CS_E_NAME, operation, whole, "not UTF-8");
    return NULL;
}

wchar_t *cs_wide(const char *text, const char *operation, cs_error *error) {
    return widen("", text, strlen(text), operation, text, error);
}

static bool is_drive(const char *path) {
    return ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':' && path[2] == '\\';
}

/* No empty component, no "." or "..", and none of the characters that mean a stream, a device or a pattern. */
static bool plain_components(const char *path) {
    for (;;) {
        size_t size = strcspn(path, "\\");
        if (size == 0 || (size == 1 && path[0] == '.') || (size == 2 && path[0] == '.' && path[1] == '.')) return false;
        for (size_t i = 0; i < size; i++)
            if ((unsigned char)path[i] < 0x20 || strchr("/:*?\"<>|", path[i])) return false;
        if (!path[size]) return true;
        path += size + 1;
        if (!*path) return true; /* a separator at the end */
    }
}

wchar_t *cs_wide_path(const char *path, const char *operation, cs_error *error) {
    const char *rest = path ? path : "", *prefix = "\\\\?\\";
    bool drive = is_drive(rest), share = !drive && rest[0] == '\\' && rest[1] == '\\';
    if (share) {
        prefix = "\\\\?\\UNC\\";
        rest += 2;
    }
    const char *components = drive ? rest + 3 : rest;
    bool root = drive && !*components;
    if (!(drive || share) || !(root || plain_components(components))) {
        cs_fail(error, CS_E_NAME, operation, path, "not an absolute path");
        return NULL;
    }
    size_t size = strlen(rest);
    if (!root && rest[size - 1] == '\\') size--;
    return widen(prefix, rest, size, operation, path, error);
}

void cs_narrow_units(cs_buffer *out, const wchar_t *text, size_t count) { cs_wtf8_from_utf16(out, text, count); }

void cs_narrow(cs_buffer *out, const wchar_t *text) { cs_narrow_units(out, text, wcslen(text)); }

void cs_narrow_path(cs_buffer *out, const wchar_t *path) {
    static const wchar_t local[] = L"\\\\?\\", share[] = L"\\\\?\\UNC\\";
    if (wcsncmp(path, share, 8) == 0) {
        cs_buffer_text(out, "\\\\");
        path += 8;
    } else if (wcsncmp(path, local, 4) == 0) {
        path += 4;
    }
    cs_narrow(out, path);
}
