/* temp_link.c: symbolic links for tests, which no product code makes. */
#ifndef _WIN32
#define _GNU_SOURCE
#endif
#include "temp_folder.h"

#ifdef _WIN32
#include <windows.h>

#include <string.h>

#include "cudnn_setup/text.h"

/* In Wine's kernel32 only; the result is the system's own name of a file, freed with HeapFree. */
typedef char *(CDECL *unix_name_fn)(const wchar_t *);

static unix_name_fn unix_name_of(void) {
    return (unix_name_fn)(void (*)(void))GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "wine_get_unix_file_name");
}

static bool widen(const char *text, wchar_t *out, size_t room) {
    cs_buffer units = {0};
    bool done = cs_utf16le_from_wtf8(&units, text, strlen(text)) && units.size / 2 < room;
    if (done) memcpy(out, units.data, units.size);
    if (done) out[units.size / 2] = 0;
    cs_buffer_free(&units);
    return done;
}

/* The system's name of a path that need not exist: its folder's, and the last component. */
static bool name_below(const char *path, cs_buffer *out) {
    wchar_t wide[1024];
    const char *name = strrchr(path, '\\');
    if (!name || !widen(path, wide, 1024)) return false;
    *wcsrchr(wide, L'\\') = 0;
    char *folder = unix_name_of()(wide);
    if (!folder) return false;
    cs_buffer_format(out, "%s/%s", folder, name + 1);
    HeapFree(GetProcessHeap(), 0, folder);
    return true;
}

/* Wine runs the programs of the system below it, but hands out no process to wait for: the effect is waited for. */
static bool run_below(const char *program, const char *const *arguments, size_t count, const char *path, bool there) {
    const cs_child child = {
        .program = program, .arguments = arguments, .argument_count = count, .deadline_ms = 5000, .as_current = true};
    cs_child_result result = {0};
    cs_system_real()->run(NULL, &child, &result, NULL);
    cs_buffer_free(&result.output);
    for (int i = 0; i < 400 && cs_fs_exists(cs_fs_real(), path) != there; i++) Sleep(5);
    return cs_fs_exists(cs_fs_real(), path) == there;
}

/* Wine's CreateSymbolicLink is a stub that says TRUE. */
static bool link_below(const char *target, const char *link) {
    cs_buffer from = {0}, to = {0};
    bool done = name_below(target, &to) && name_below(link, &from);
    if (done) {
        const char *arguments[] = {"-s", to.data, from.data};
        done = run_below("Z:\\bin\\ln", arguments, 3, link, true);
    }
    cs_buffer_free(&from);
    cs_buffer_free(&to);
    return done;
}

bool temp_link(const char *target, const char *link) {
    wchar_t wide_target[1024], wide_link[1024];
    if (unix_name_of()) return link_below(target, link);
    if (!widen(target, wide_target, 1024) || !widen(link, wide_link, 1024)) return false;
    DWORD attributes = GetFileAttributesW(wide_target), flags = 2; /* SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE */
    if (attributes & FILE_ATTRIBUTE_DIRECTORY) flags |= SYMBOLIC_LINK_FLAG_DIRECTORY;
    return CreateSymbolicLinkW(wide_link, wide_target, flags) != 0;
}

bool temp_unlink(const char *link) {
    wchar_t wide[1024];
    if (!unix_name_of()) return widen(link, wide, 1024) && (DeleteFileW(wide) || RemoveDirectoryW(wide));
    cs_buffer name = {0};
    bool done = name_below(link, &name);
    if (done) {
        const char *arguments[] = {"-f", name.data};
        done = run_below("Z:\\bin\\rm", arguments, 2, link, false);
    }
    cs_buffer_free(&name);
    return done;
}
#else
#include <unistd.h>

bool temp_link(const char *target, const char *link) { return symlink(target, link) == 0; }

bool temp_unlink(const char *link) { return unlink(link) == 0; }
#endif
