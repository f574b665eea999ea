#include "loader_error.h"

#include <inttypes.h>
#include <string.h>

#include "common.h"
#include "cudnn_setup/pe.h"
#include "cudnn_setup/text.h"

enum { MAX_FILES = 512, MAX_DEPTH = 32 };

typedef struct walk {
    const cs_fs *fs;
    wchar_t *folders; /* in the order of the loader, separated by ';' */
    cs_strings seen;
    cs_strings found; /* full paths of the imports that were found outside the system's folder */
    loader_reason *out;
} walk;

void loader_reason_free(loader_reason *reason) {
    cs_buffer_free(&reason->file);
    cs_buffer_free(&reason->needed_by);
    cs_buffer_free(&reason->text);
    reason->fault = LOADER_UNKNOWN;
}

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

/* The file that the loader would take for a bare name; false if there is none. */
static bool find(const walk *w, const char *name, cs_buffer *path) {
    enum { UNITS = 32768 };
    cs_buffer wide = {0};
    const wchar_t *text = common_wide(&wide, name);
    wchar_t *found = cs_alloc(UNITS, sizeof *found);
    DWORD size = text && found ? SearchPathW(w->folders, text, NULL, UNITS, found, NULL) : 0;
    bool is = size && size < UNITS;
    if (is) cs_wtf8_from_utf16(path, (const uint16_t *)found, size);
    cs_free(found);
    cs_buffer_free(&wide);
    return is && !path->failed;
}

static bool is_loaded(const char *name) {
    cs_buffer wide = {0};
    const wchar_t *text = common_wide(&wide, name);
    bool loaded = text && GetModuleHandleW(text);
    cs_buffer_free(&wide);
    return loaded;
}

/* Names that the loader resolves without a file. Source: Microsoft, "Windows API sets". */
static bool is_api_set(const char *name) { return _strnicmp(name, "api-", 4) == 0 || _strnicmp(name, "ext-", 4) == 0; }

static bool is_seen(walk *w, const char *name) {
    for (size_t i = 0; i < w->seen.count; i++)
        if (cs_text_equal_ascii_case(w->seen.items[i], name)) return true;
    return w->seen.count >= MAX_FILES || cs_strings_add(&w->seen, name, NULL) != CS_OK;
}

static bool blame(walk *w, loader_fault fault, const char *file, const char *parent, const char *sentence) {
    w->out->fault = fault;
    cs_buffer_text(&w->out->file, file);
    cs_buffer_text(&w->out->needed_by, parent);
    cs_buffer_format(&w->out->text, "%s %s", file, sentence);
    if (parent[0]) cs_buffer_format(&w->out->text, "; %s needs it", parent);
    return true;
}

static bool judge(walk *w, const char *name, const char *parent, unsigned depth);

static bool judge_imports(walk *w, const char *path, const cs_pe *pe, unsigned depth) {
    for (size_t i = 0; i < pe->imports.count; i++)
        if (judge(w, pe->imports.items[i], path, depth + 1)) return true;
    return false;
}

static bool judge_file(walk *w, const char *path, const char *parent, unsigned depth) {
    cs_pe pe = {0};
    cs_status status = cs_pe_read(w->fs, path, CS_PE_IMPORTS, &pe, NULL);
    bool bad = false;
    if (status == CS_E_FORMAT || status == CS_E_TOO_BIG)
        bad = blame(w, LOADER_NOT_A_DLL, path, parent, "is not a DLL, or is damaged");
    else if (status)
        bad = blame(w, LOADER_UNREADABLE, path, parent, "cannot be read with these rights");
    else if (pe.machine != CS_PE_MACHINE_X64)
        bad = blame(w, LOADER_OTHER_MACHINE, path, parent, "is for another processor than x64");
    else
        bad = judge_imports(w, path, &pe, depth);
    cs_pe_free(&pe);
    return bad;
}

/* True once something is to blame. */
static bool judge(walk *w, const char *name, const char *parent, unsigned depth) {
    if (depth > MAX_DEPTH || is_api_set(name) || is_loaded(name) || is_seen(w, name)) return false;
    cs_buffer path = {0};
    bool bad;
    if (!find(w, name, &path)) {
        bad = blame(w, LOADER_ABSENT, name, parent, "is in no folder that Windows searches");
    } else {
        cs_strings_add(&w->found, path.data, NULL);
        bad = judge_file(w, path.data, parent, depth);
    }
    cs_buffer_free(&path);
    return bad;
}

/* 127 says that a function is missing: some DLL on the way is another version than the one that was meant. */
static void list_found(const walk *w, cs_buffer *out) {
    cs_buffer_text(out, "a DLL on the way lacks a function, so it is another version than expected; looked at:");
    for (size_t i = 0; i < w->found.count; i++) cs_buffer_format(out, " %s", w->found.items[i]);
}

void loader_explain(const cs_fs *fs, const char *name, uint32_t code, loader_reason *out) {
    *out = (loader_reason){0};
    walk w = {.fs = fs, .folders = search_folders(), .out = out};
    if (w.folders && !judge(&w, name, "", 0)) {
        if (code == ERROR_PROC_NOT_FOUND)
            list_found(&w, &out->text);
        else
            cs_buffer_format(&out->text, "error %" PRIu32 "; nothing wrong was found in the files that it needs", code);
    }
    if (!w.folders) cs_buffer_format(&out->text, "error %" PRIu32, code);
    cs_free(w.folders);
    cs_strings_free(&w.seen);
    cs_strings_free(&w.found);
}
