/* The end-to-end tests' own eyes and hands inside Wine: what a shell script cannot see from outside.
 *
 *   e2e_helper tree DIR OUT               every file and folder below DIR: name, attributes, size, last write time
 *   e2e_helper reg-get KEY NAME OUT       type and bytes of a value of HKLM
 *   e2e_helper reg-tree OUT KEY...        every key and value below keys such as HKLM\System, as in a .reg file; an absent key:
 *                                         nothing
 *   e2e_helper reg-set KEY NAME TYPE HEX  sets it (HEX "-": no bytes, "@FILE": the file's); TYPE "delete" removes it
 *   e2e_helper listen OUT READY STOP      a top-level window that writes each WM_SETTINGCHANGE it receives, until STOP exists
 *   e2e_helper hang READY STOP            a top-level window that never answers, until STOP exists
 *   e2e_helper hold DLL|DLL... READY STOP loads DLLs and keeps them, until STOP exists; READY holds its process id
 *   e2e_helper lock FILE READY STOP       opens a file without sharing it, until STOP exists
 *   e2e_helper load NAME OUT              LoadLibraryW(NAME) in this process's own search order: path or error number
 *   e2e_helper use NAME OUT               LoadLibraryW(NAME) and its cudnnCreate, at whose call it loads its parts: the status
 *   e2e_helper attributes FILE HEX        sets file attributes
 *   e2e_helper endsession NAME how        asks each window of that class as a log-off does; "ends" or "goes-on"
 *   e2e_helper note OUT TEXT              writes TEXT: where it is started in a program's place, what that was asked for
 *   e2e_helper restricted COMMAND-LINE    runs it with Administrators taken out of the token; ends with its exit code
 * Files are written as UTF-8 and appear whole (written beside, then renamed). */
#include <windows.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef struct output {
    HANDLE file;
    wchar_t final[MAX_PATH * 4], temporary[MAX_PATH * 4];
} output;

static bool output_open(output *out, const wchar_t *path) {
    if (swprintf(out->final, sizeof out->final / sizeof *out->final, L"%ls", path) < 0) return false;
    if (swprintf(out->temporary, sizeof out->temporary / sizeof *out->temporary, L"%ls.part", path) < 0) return false;
    out->file = CreateFileW(out->temporary, GENERIC_WRITE, FILE_SHARE_READ, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    return out->file != INVALID_HANDLE_VALUE;
}

static void output_text(output *out, const wchar_t *text) {
    char bytes[8192];
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, NULL, NULL);
    DWORD written;
    if (size > 1) WriteFile(out->file, bytes, (DWORD)size - 1, &written, NULL);
}

static bool output_close(output *out) {
    CloseHandle(out->file);
    return MoveFileExW(out->temporary, out->final, MOVEFILE_REPLACE_EXISTING) != 0;
}

static bool touch(const wchar_t *path) {
    output out;
    return output_open(&out, path) && output_close(&out);
}

static bool exists(const wchar_t *path) { return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES; }

static void list_folder(output *out, const wchar_t *folder, const wchar_t *relative) {
    wchar_t pattern[4096], name[4096], line[8192];
    swprintf(pattern, 4096, L"\\\\?\\%ls\\*", folder);
    WIN32_FIND_DATAW found;
    HANDLE search = FindFirstFileW(pattern, &found);
    if (search == INVALID_HANDLE_VALUE) return;
    do {
        if (!wcscmp(found.cFileName, L".") || !wcscmp(found.cFileName, L"..")) continue;
        swprintf(name, 4096, L"%ls%ls%ls", relative, *relative ? L"\\" : L"", found.cFileName);
        bool is_folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        unsigned long long size = (unsigned long long)found.nFileSizeHigh << 32 | found.nFileSizeLow;
        unsigned long long time =
            (unsigned long long)found.ftLastWriteTime.dwHighDateTime << 32 | found.ftLastWriteTime.dwLowDateTime;
        swprintf(line, 8192, L"%ls\t%lx\t%llu\t%llu\n", name, (unsigned long)found.dwFileAttributes, is_folder ? 0ULL : size,
                 is_folder ? 0ULL : time);
        output_text(out, line);
        if (is_folder) {
            wchar_t below[4096];
            swprintf(below, 4096, L"%ls\\%ls", folder, found.cFileName);
            list_folder(out, below, name);
        }
    } while (FindNextFileW(search, &found));
    FindClose(search);
}

static int command_tree(wchar_t **arguments) {
    output out;
    if (!output_open(&out, arguments[1])) return 1;
    list_folder(&out, arguments[0], L"");
    return output_close(&out) ? 0 : 1;
}

static int command_reg_get(wchar_t **arguments) {
    HKEY key;
    output out;
    if (!output_open(&out, arguments[2])) return 1;
    LSTATUS status = RegOpenKeyExW(HKEY_LOCAL_MACHINE, arguments[0], 0, KEY_READ | KEY_WOW64_64KEY, &key);
    static BYTE bytes[256 * 1024];
    DWORD size = sizeof bytes, type = 0;
    if (status == ERROR_SUCCESS) {
        status = RegQueryValueExW(key, arguments[1], NULL, &type, bytes, &size);
        RegCloseKey(key);
    }
    if (status == ERROR_SUCCESS) {
        wchar_t text[64];
        swprintf(text, 64, L"%lu ", (unsigned long)type);
        output_text(&out, text);
        for (DWORD i = 0; i < size; i++) {
            swprintf(text, 64, L"%02x", bytes[i]);
            output_text(&out, text);
        }
    } else {
        output_text(&out, L"absent");
    }
    return output_close(&out) ? 0 : 1;
}

/* ---- reg-tree ---- */

/* As in a .reg file, in quotes. */
static void quoted(FILE *out, const wchar_t *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == L'\\' || *text == L'"') fputc('\\', out);
        char bytes[8];
        wchar_t one[3] = {text[0], 0, 0};
        if (text[0] >= 0xD800 && text[0] < 0xDC00 && text[1]) one[1] = *++text;
        int size = WideCharToMultiByte(CP_UTF8, 0, one, -1, bytes, sizeof bytes, NULL, NULL);
        if (size > 1) fwrite(bytes, 1, (size_t)size - 1, out);
    }
    fputc('"', out);
}

/* Whether quotes can say the value whole: one terminator, at its end, and nothing that breaks a line. */
static bool is_plain(const BYTE *bytes, DWORD size) {
    if (size < 2 || size % 2) return false;
    for (DWORD i = 0; i < size; i += 2) {
        unsigned unit = bytes[i] | (unsigned)bytes[i + 1] << 8;
        if (i + 2 == size ? unit != 0 : unit < 0x20 || (unit >= 0xD800 && unit < 0xE000)) return false;
    }
    return true;
}

static void write_value(FILE *out, const wchar_t *name, DWORD type, const BYTE *bytes, DWORD size) {
    if (*name)
        quoted(out, name);
    else
        fputc('@', out);
    fputc('=', out);
    if (type == REG_SZ && is_plain(bytes, size)) {
        quoted(out, (const wchar_t *)(const void *)bytes);
    } else if (type == REG_DWORD && size == 4) {
        fprintf(out, "dword:%02x%02x%02x%02x", bytes[3], bytes[2], bytes[1], bytes[0]);
    } else {
        fprintf(out, type == REG_BINARY ? "hex:" : "hex(%lx):", (unsigned long)type);
        for (DWORD i = 0; i < size; i++) fprintf(out, "%s%02x", i ? "," : "", bytes[i]);
    }
    fputc('\n', out);
}

/* What could not be read, and why: the registry's calls return their errors instead of leaving them in GetLastError. */
static bool unread(const char *call, const wchar_t *full, LSTATUS status) {
    fprintf(stderr, "e2e_helper reg-tree: %s: error %ld: %ls\n", call, (long)status, full);
    return false;
}

/* A key that goes away meanwhile is not there: what others do is no fault. */
static bool is_gone(LSTATUS status) { return status == ERROR_FILE_NOT_FOUND || status == ERROR_KEY_DELETED; }

static bool write_key(FILE *out, HKEY parent, const wchar_t *name, const wchar_t *full);

/* The longest value of a key may grow between two calls. */
static LSTATUS read_value(HKEY key, DWORD index, wchar_t name[16384], DWORD *type, BYTE **bytes, DWORD *room, DWORD *size) {
    for (;;) {
        DWORD length = 16384;
        *size = *room;
        LSTATUS status = RegEnumValueW(key, index, name, &length, NULL, type, *bytes, size);
        if (status != ERROR_MORE_DATA) return status;
        DWORD wanted = (*size > *room ? *size : *room) * 2;
        BYTE *grown = wanted > *room ? realloc(*bytes, wanted) : NULL;
        if (!grown) return ERROR_NOT_ENOUGH_MEMORY;
        *bytes = grown;
        *room = wanted;
    }
}

static bool write_values(FILE *out, HKEY key, const wchar_t *full) {
    static BYTE *bytes;
    static DWORD room;
    static wchar_t name[16384];
    if (!bytes) bytes = malloc(room = 65536);
    for (DWORD i = 0;; i++) {
        DWORD type, size;
        LSTATUS status = bytes ? read_value(key, i, name, &type, &bytes, &room, &size) : ERROR_NOT_ENOUGH_MEMORY;
        if (status == ERROR_NO_MORE_ITEMS || is_gone(status)) return true;
        if (status != ERROR_SUCCESS) return unread("RegEnumValueW", full, status);
        write_value(out, name, type, bytes, size);
    }
}

static bool write_keys(FILE *out, HKEY key, const wchar_t *full) {
    for (DWORD i = 0;; i++) {
        wchar_t name[256], below[4096];
        DWORD length = 256;
        LSTATUS status = RegEnumKeyExW(key, i, name, &length, NULL, NULL, NULL, NULL);
        if (status == ERROR_NO_MORE_ITEMS || is_gone(status)) return true;
        if (status != ERROR_SUCCESS) return unread("RegEnumKeyExW", full, status);
        if (swprintf(below, 4096, L"%ls\\%ls", full, name) < 0) return unread("its name", full, ERROR_FILENAME_EXCED_RANGE);
        if (!write_key(out, key, name, below)) return false;
    }
}

static bool write_key(FILE *out, HKEY parent, const wchar_t *name, const wchar_t *full) {
    HKEY key;
    LSTATUS status = RegOpenKeyExW(parent, name, 0, KEY_READ | KEY_WOW64_64KEY, &key);
    if (is_gone(status)) return true;
    if (status != ERROR_SUCCESS) return unread("RegOpenKeyExW", full, status);
    if (key == HKEY_PERFORMANCE_TEXT || key == HKEY_PERFORMANCE_NLSTEXT)
        return true; /* Perflib\\009 leads there: not in the hive */
    char utf8[8192];
    bool done = WideCharToMultiByte(CP_UTF8, 0, full, -1, utf8, sizeof utf8, NULL, NULL) > 0;
    if (done)
        fprintf(out, "[%s]\n", utf8);
    else
        unread("its name", full, (LSTATUS)GetLastError());
    done = done && write_values(out, key, full) && write_keys(out, key, full);
    RegCloseKey(key);
    return done;
}

static int command_reg_tree(int count, wchar_t **arguments) {
    static const struct {
        const wchar_t *prefix, *name;
        HKEY key;
    } roots[] = {{L"HKLM\\", L"HKEY_LOCAL_MACHINE", HKEY_LOCAL_MACHINE}, {L"HKCU\\", L"HKEY_CURRENT_USER", HKEY_CURRENT_USER}};
    FILE *out = _wfopen(arguments[0], L"wb");
    bool done = out != NULL;
    for (int i = 1; i < count && done; i++) {
        wchar_t full[4096];
        size_t root = wcsncmp(arguments[i], roots[0].prefix, 5) ? 1 : 0;
        done = !wcsncmp(arguments[i], roots[root].prefix, 5) &&
               swprintf(full, 4096, L"%ls\\%ls", roots[root].name, arguments[i] + 5) > 0 &&
               write_key(out, roots[root].key, arguments[i] + 5, full);
    }
    if (out && (ferror(out) || fclose(out))) {
        fprintf(stderr, "e2e_helper reg-tree: cannot write %ls: errno %d\n", arguments[0], errno);
        done = false;
    }
    return done ? 0 : 1;
}

/* The bytes of a HEX argument, followed by what is no terminator: RegSetValueEx looks behind an unterminated string's end. */
static BYTE *hex_argument(const wchar_t *text, DWORD *size) {
    bool in_file = text[0] == '@';
    HANDLE file = INVALID_HANDLE_VALUE;
    *size = in_file || !wcscmp(text, L"-") ? 0 : (DWORD)wcslen(text) / 2;
    if (in_file) {
        file = CreateFileW(text + 1, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
        if (file == INVALID_HANDLE_VALUE) return NULL;
        *size = GetFileSize(file, NULL);
    }
    BYTE *bytes = malloc(*size + 8u);
    if (!bytes) return NULL;
    memset(bytes, 'x', *size + 8u);
    if (in_file) {
        if (!ReadFile(file, bytes, *size, size, NULL)) *size = 0;
        CloseHandle(file);
    }
    for (DWORD i = 0; !in_file && i < *size; i++) {
        wchar_t pair[3] = {text[2 * i], text[2 * i + 1], 0};
        bytes[i] = (BYTE)wcstoul(pair, NULL, 16);
    }
    return bytes;
}

static int command_reg_set(wchar_t **arguments) {
    HKEY key;
    if (RegCreateKeyExW(HKEY_LOCAL_MACHINE, arguments[0], 0, NULL, 0, KEY_WRITE | KEY_WOW64_64KEY, NULL, &key, NULL)) return 1;
    LSTATUS status = ERROR_INVALID_DATA;
    DWORD size;
    BYTE *bytes = NULL;
    if (!wcscmp(arguments[2], L"delete"))
        status = RegDeleteValueW(key, arguments[1]);
    else if ((bytes = hex_argument(arguments[3], &size)) != NULL)
        status = RegSetValueExW(key, arguments[1], 0, wcstoul(arguments[2], NULL, 10), bytes, size);
    free(bytes);
    RegCloseKey(key);
    return status == ERROR_SUCCESS ? 0 : 1;
}

static const wchar_t *listen_path;

static LRESULT CALLBACK window_procedure(HWND window, UINT message, WPARAM wide, LPARAM argument) {
    if (message == WM_SETTINGCHANGE) {
        const wchar_t *text = argument ? (const wchar_t *)argument : L"";
        HANDLE file = CreateFileW(listen_path, FILE_APPEND_DATA, FILE_SHARE_READ, NULL, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
        output out = {.file = file};
        if (file != INVALID_HANDLE_VALUE) {
            output_text(&out, text);
            output_text(&out, L"\n");
            CloseHandle(file);
        }
        return 0;
    }
    return DefWindowProcW(window, message, wide, argument);
}

static HWND make_window(void) {
    WNDCLASSW class_ = {.lpfnWndProc = window_procedure, .hInstance = GetModuleHandleW(NULL), .lpszClassName = L"e2e_helper"};
    RegisterClassW(&class_);
    return CreateWindowExW(0, L"e2e_helper", L"e2e_helper", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 10, 10, 200, 100, NULL, NULL,
                           class_.hInstance, NULL);
}

static int command_listen(wchar_t **arguments) {
    listen_path = arguments[0];
    if (!make_window() || !touch(arguments[1])) return 1;
    while (!exists(arguments[2])) {
        MSG message;
        MsgWaitForMultipleObjects(0, NULL, FALSE, 100, QS_ALLINPUT);
        while (PeekMessageW(&message, NULL, 0, 0, PM_REMOVE)) DispatchMessageW(&message);
    }
    return 0;
}

static void wait_for(const wchar_t *path) {
    while (!exists(path)) Sleep(100);
}

static int command_hang(wchar_t **arguments) {
    if (!make_window() || !touch(arguments[0])) return 1;
    wait_for(arguments[1]);
    return 0;
}

static bool say_process(const wchar_t *path) {
    output out;
    wchar_t text[16];
    if (!output_open(&out, path)) return false;
    swprintf(text, 16, L"%lu", (unsigned long)GetCurrentProcessId());
    output_text(&out, text);
    return output_close(&out);
}

static int command_hold(wchar_t **arguments) {
    for (wchar_t *name = arguments[0], *next; name; name = next) {
        next = wcschr(name, L'|');
        if (next) *next++ = L'\0';
        if (!LoadLibraryW(name)) return 1;
    }
    if (!say_process(arguments[1])) return 1;
    wait_for(arguments[2]);
    return 0;
}

static int command_lock(wchar_t **arguments) {
    HANDLE file = CreateFileW(arguments[0], GENERIC_READ, 0, NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE || !touch(arguments[1])) return 1;
    wait_for(arguments[2]);
    CloseHandle(file);
    return 0;
}

static int command_load(wchar_t **arguments) {
    output out;
    if (!output_open(&out, arguments[1])) return 1;
    HMODULE module = LoadLibraryW(arguments[0]);
    wchar_t text[4096];
    if (!module)
        swprintf(text, 4096, L"error %lu", (unsigned long)GetLastError());
    else if (!GetModuleFileNameW(module, text, 4096))
        swprintf(text, 4096, L"loaded");
    output_text(&out, text);
    size_t(WINAPI * version)(void) = NULL;
    FARPROC address = module ? GetProcAddress(module, "cudnnGetVersion") : NULL;
    memcpy(&version, &address, sizeof version);
    if (version) {
        swprintf(text, 4096, L"\nversion %zu", version());
        output_text(&out, text);
    }
    return output_close(&out) ? 0 : 1;
}

/* Loads cuDNN and uses it for the first time, when it loads its parts. */
static int command_use(wchar_t **arguments) {
    output out;
    int (*create)(void **handle) = NULL;
    void *handle = NULL;
    HMODULE module = LoadLibraryW(arguments[0]);
    FARPROC address = module ? GetProcAddress(module, "cudnnCreate") : NULL;
    memcpy(&create, &address, sizeof create);
    if (!create) return 1;
    wchar_t text[64];
    swprintf(text, 64, L"status %d", create(&handle));
    if (!output_open(&out, arguments[1])) return 1;
    output_text(&out, text);
    return output_close(&out) ? 0 : 1;
}

static int command_attributes(wchar_t **arguments) {
    return SetFileAttributesW(arguments[0], wcstoul(arguments[1], NULL, 16)) ? 0 : 1;
}

/* The question and the answer that the system sends. A window may keep the last message for good: its program is to end
 * meanwhile. */
static int command_endsession(wchar_t **arguments) {
    bool ends = !wcscmp(arguments[1], L"ends");
    DWORD_PTR agreed = 0, unused;
    int asked = 0;
    for (HWND window = FindWindowExW(NULL, NULL, arguments[0], NULL); window;
         window = FindWindowExW(NULL, window, arguments[0], NULL)) {
        if (!SendMessageTimeoutW(window, WM_QUERYENDSESSION, 0, 0, SMTO_NORMAL, 5000, &agreed) || !agreed) return 1;
        asked++;
        SendMessageTimeoutW(window, WM_ENDSESSION, ends, 0, SMTO_NORMAL, 200, &unused);
    }
    return asked == 1 ? 0 : 1;
}

static int command_note(wchar_t **arguments) {
    output out;
    if (!output_open(&out, arguments[0])) return 1;
    output_text(&out, arguments[1]);
    return output_close(&out) ? 0 : 1;
}

static int command_restricted(wchar_t **arguments) {
    BYTE sid[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof sid, code = 1;
    SID_AND_ATTRIBUTES disabled = {.Sid = sid};
    HANDLE token, restricted;
    STARTUPINFOW startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
    startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    PROCESS_INFORMATION process;
    if (!CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, sid, &size)) return 1;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &token)) return 1;
    if (!CreateRestrictedToken(token, 0, 1, &disabled, 0, NULL, 0, NULL, &restricted)) return 1;
    if (!CreateProcessAsUserW(restricted, NULL, arguments[0], NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) return 1;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}

/* 1 is never without a word. */
static int told(const wchar_t *command, int code) {
    if (code == 1) fprintf(stderr, "e2e_helper %ls: error %lu\n", command, (unsigned long)GetLastError());
    return code;
}

int wmain(int count, wchar_t **arguments) {
    static const struct {
        const wchar_t *name;
        int arguments;
        int (*run)(wchar_t **);
    } commands[] = {
        {L"tree", 2, command_tree},
        {L"reg-get", 3, command_reg_get},
        {L"reg-set", 4, command_reg_set},
        {L"listen", 3, command_listen},
        {L"hang", 2, command_hang},
        {L"hold", 3, command_hold},
        {L"load", 2, command_load},
        {L"use", 2, command_use},
        {L"lock", 3, command_lock},
        {L"attributes", 2, command_attributes},
        {L"endsession", 2, command_endsession},
        {L"note", 2, command_note},
        {L"restricted", 1, command_restricted},
    };
    if (count > 3 && !wcscmp(arguments[1], L"reg-tree")) return told(arguments[1], command_reg_tree(count - 2, arguments + 2));
    for (size_t i = 0; count > 1 && i < sizeof commands / sizeof commands[0]; i++)
        if (!wcscmp(arguments[1], commands[i].name) && count - 2 == commands[i].arguments)
            return told(arguments[1], commands[i].run(arguments + 2));
    fputs("e2e_helper: bad arguments\n", stderr);
    return 2;
}
