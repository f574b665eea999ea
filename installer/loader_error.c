#include "loader_error.h"

#include <string.h>

#include "common.h"
#include "cudnn_setup/text.h"

static void append_wide(cs_buffer *out, const wchar_t *text) {
    cs_buffer_append(out, text, wcslen(text) * sizeof *text);
    cs_buffer_append(out, L";", sizeof(wchar_t));
}

/* The program's folder, System32, System, Windows, the current folder, PATH. Source: Microsoft, "Dynamic-link library search
 * order", safe search mode. NULL without memory. */
static wchar_t *search_folders(void) {
    enum { UNITS = 32768 };
    cs_buffer all = {0};
    wchar_t *part = cs_alloc(UNITS, sizeof *part);
    if (!part) return NULL;
    DWORD size = GetModuleFileNameW(NULL, part, UNITS);
    while (size && part[size - 1] != L'\\') size--;
    if (size) part[size - 1] = L'\0';
    append_wide(&all, part);
    if (GetSystemDirectoryW(part, UNITS)) append_wide(&all, part);
    size = GetWindowsDirectoryW(part, UNITS - 16);
    if (size) {
        memcpy(part + size, L"\\System", sizeof L"\\System");
        append_wide(&all, part);
        part[size] = L'\0';
        append_wide(&all, part);
    }
    if (GetCurrentDirectoryW(UNITS, part)) append_wide(&all, part);
    size = GetEnvironmentVariableW(L"PATH", part, UNITS);
    if (size && size < UNITS) append_wide(&all, part);
    cs_free(part);
    cs_buffer_append(&all, L"", sizeof(wchar_t));
    if (!all.failed) return (wchar_t *)(void *)all.data;
    cs_buffer_free(&all);
    return NULL;
}

static bool find(void *ctx, const char *name, cs_buffer *path) {
    enum { UNITS = 32768 };
    const wchar_t *folders = ctx;
    cs_buffer wide = {0};
    const wchar_t *text = common_wide(&wide, name);
    wchar_t *found = cs_alloc(UNITS, sizeof *found);
    DWORD size = text && found ? SearchPathW(folders, text, NULL, UNITS, found, NULL) : 0;
    bool is = size && size < UNITS;
    if (is) cs_wtf8_from_utf16(path, (const uint16_t *)found, size);
    cs_free(found);
    cs_buffer_free(&wide);
    return is && !path->failed;
}

static bool is_loaded(void *ctx, const char *name) {
    (void)ctx;
    cs_buffer wide = {0};
    const wchar_t *text = common_wide(&wide, name);
    bool loaded = text && GetModuleHandleW(text);
    cs_buffer_free(&wide);
    return loaded;
}

void loader_explain(const cs_fs *fs, const char *name, uint32_t code, cs_loader_reason *out) {
    wchar_t *folders = search_folders();
    const cs_loader_view view = {.ctx = folders, .find = find, .is_loaded = is_loaded};
    *out = (cs_loader_reason){.verdict = CS_GPU_NOT_LOADED};
    if (folders)
        cs_loader_explain(fs, &view, name, code, out);
    else
        cs_buffer_text(&out->file, name);
    cs_free(folders);
}
