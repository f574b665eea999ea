/* What a person sees in the windows of cudnn-setup, for tests that drive them with real keys.
 *
 *   e2e_window dump OUT        every visible dialog of cudnn-setup.exe, in order from the front:
 *                              window<TAB>text<TAB>left,top,right,bottom of its client area
 *                              and each of its visible controls, in the order of the Tab key, in the window's coordinates:
 *                              control<TAB>id<TAB>class<TAB>flags<TAB>left,top,right,bottom<TAB>text
 *                              flags: E enabled, F has the focus, D default button; line breaks in a text are '|'
 *   e2e_window clipboard OUT   the text on the clipboard
 *   e2e_window query MS        asks these dialogs as a log-off does; ends with 1 if all agree, 2 if one refuses
 * OUT is UTF-8 and appears whole. */
#include <windows.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

enum { TEXT = 16384 };

typedef struct sight {
    HANDLE file;
    HWND windows[16];
    int count;
    HWND owner; /* of the controls that are listed */
    HWND focus;
} sight;

static void put(const sight *s, const wchar_t *text) {
    static char bytes[TEXT * 4];
    DWORD written;
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, NULL, NULL);
    if (size > 1) WriteFile(s->file, bytes, (DWORD)size - 1, &written, NULL);
}

static bool is_setup(HWND window) {
    wchar_t path[MAX_PATH * 2] = L"";
    DWORD pid = 0, size = MAX_PATH * 2;
    GetWindowThreadProcessId(window, &pid);
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    bool named = process && QueryFullProcessImageNameW(process, 0, path, &size);
    if (process) CloseHandle(process);
    return named && wcsstr(path, L"cudnn-setup.exe") != NULL;
}

static BOOL CALLBACK take_window(HWND window, LPARAM argument) {
    sight *s = (sight *)argument;
    wchar_t kind[32] = L"";
    GetClassNameW(window, kind, 32);
    if (IsWindowVisible(window) && !wcscmp(kind, L"#32770") && is_setup(window) && s->count < 16) s->windows[s->count++] = window;
    return TRUE;
}

static void put_text(const sight *s, HWND window) {
    static wchar_t text[TEXT];
    text[0] = L'\0';
    SendMessageTimeoutW(window, WM_GETTEXT, TEXT, (LPARAM)text, SMTO_ABORTIFHUNG, 2000, NULL);
    for (wchar_t *p = text; *p; p++)
        if (*p == L'\r' || *p == L'\n' || *p == L'\t') *p = L'|';
    put(s, text);
}

static BOOL CALLBACK put_control(HWND control, LPARAM argument) {
    const sight *s = (const sight *)argument;
    wchar_t kind[64] = L"", line[256];
    RECT area;
    if (GetParent(control) != s->owner || !IsWindowVisible(control)) return TRUE;
    GetClassNameW(control, kind, 64);
    GetWindowRect(control, &area);
    MapWindowPoints(NULL, s->owner, (POINT *)&area, 2);
    bool is_default = SendMessageW(control, WM_GETDLGCODE, 0, 0) & DLGC_DEFPUSHBUTTON;
    swprintf(line, 256, L"control\t%d\t%ls\t%ls%ls%ls\t%ld,%ld,%ld,%ld\t", GetDlgCtrlID(control), kind,
             IsWindowEnabled(control) ? L"E" : L"", control == s->focus ? L"F" : L"", is_default ? L"D" : L"", area.left,
             area.top, area.right, area.bottom);
    put(s, line);
    put_text(s, control);
    put(s, L"\n");
    return TRUE;
}

static void put_window(sight *s, HWND window) {
    wchar_t line[128];
    RECT client;
    GUITHREADINFO info = {.cbSize = sizeof info};
    GetClientRect(window, &client);
    GetGUIThreadInfo(GetWindowThreadProcessId(window, NULL), &info);
    s->owner = window;
    s->focus = info.hwndFocus;
    put(s, L"window\t");
    put_text(s, window);
    swprintf(line, 128, L"\t%ld,%ld,%ld,%ld\n", client.left, client.top, client.right, client.bottom);
    put(s, line);
    EnumChildWindows(window, put_control, (LPARAM)s);
}

static int dump(sight *s) {
    for (int i = 0; i < s->count; i++) put_window(s, s->windows[i]);
    return 0;
}

static int clipboard(sight *s) {
    if (!OpenClipboard(NULL)) return 1;
    HANDLE memory = GetClipboardData(CF_UNICODETEXT);
    const wchar_t *text = memory ? GlobalLock(memory) : NULL;
    if (text) put(s, text);
    if (text) GlobalUnlock(memory);
    CloseClipboard();
    return text ? 0 : 1;
}

static int query(const sight *s, const wchar_t *ms) {
    bool all = true;
    for (int i = 0; i < s->count; i++) {
        DWORD_PTR answer = 0;
        if (!SendMessageTimeoutW(s->windows[i], WM_QUERYENDSESSION, 0, 0, SMTO_NORMAL, (UINT)wcstoul(ms, NULL, 10), &answer))
            return 3;
        all = all && answer;
    }
    return all ? 1 : 2;
}

int wmain(int count, wchar_t **words) {
    wchar_t part[MAX_PATH * 4];
    static sight s;
    if (count != 3) return 64;
    EnumWindows(take_window, (LPARAM)&s);
    if (!wcscmp(words[1], L"query")) TerminateProcess(GetCurrentProcess(), (UINT)query(&s, words[2]));
    swprintf(part, MAX_PATH * 4, L"%ls.part", words[2]);
    s.file = CreateFileW(part, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (s.file == INVALID_HANDLE_VALUE) return 65;
    int code = !wcscmp(words[1], L"dump") ? dump(&s) : !wcscmp(words[1], L"clipboard") ? clipboard(&s) : 64;
    CloseHandle(s.file);
    if (!MoveFileExW(part, words[2], MOVEFILE_REPLACE_EXISTING)) code = 66;
    TerminateProcess(GetCurrentProcess(), (UINT)code); /* Wine takes a second to end a program in the usual way */
    return code;
}
