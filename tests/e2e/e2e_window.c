/* What a person sees in the windows of cudnn-setup, for tests that drive them with real keys.
 *
 *   e2e_window dump OUT           every visible dialog of cudnn-setup.exe, in order from the front:
 *                                 window<TAB>handle<TAB>left,top,right,bottom of its client area<TAB>x,y of that on the
 * screen<TAB>text and each of its visible controls, in the order of the Tab key, in the window's coordinates:
 *                                 control<TAB>id<TAB>class<TAB>flags<TAB>left,top,right,bottom<TAB>needs<TAB>text
 *                                 flags: E enabled, F has the focus, D default button; line breaks in a text are '|'
 *   e2e_window measure OUT        the same with needs: width,height in which the whole text can be seen, "-" where that is not
 * known; and after a list each of its cells, the header as row -1: cell<TAB>row<TAB>column<TAB>width that it needs<TAB>width of
 * the column<TAB>text e2e_window clipboard OUT      the text on the clipboard e2e_window query MS           asks these dialogs as
 * a log-off does; ends with 1 if all agree, 2 if one refuses e2e_window press HANDLE ID    the button of a dialog, also of one
 * that is not in front e2e_window drop HANDLE FILE   drops a file on a window, as the Explorer does OUT is UTF-8 and appears
 * whole. All places are in pixels. */
#include <windows.h>

#include <commctrl.h>
#include <shlobj.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "../../installer/wizard_ids.h"

enum { TEXT = 16384, ANSWER_MS = 2000 };

typedef struct sight {
    HANDLE file;
    HWND windows[32];
    int count;
    HWND owner; /* of the controls that are listed */
    HWND focus;
    bool measures;
    HFONT font, heading; /* as the window's controls have them */
} sight;

/* Memory of the window's process, for messages that take a pointer. */
typedef struct remote {
    HANDLE process;
    char *memory;
} remote;

enum { REMOTE_TEXT = 256, REMOTE_SIZE = REMOTE_TEXT + TEXT * sizeof(wchar_t) };

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
    if (IsWindowVisible(window) && !wcscmp(kind, L"#32770") && is_setup(window) && s->count < 32) s->windows[s->count++] = window;
    return TRUE;
}

static bool ask(HWND window, UINT message, WPARAM wide, LPARAM argument, DWORD_PTR *answer) {
    return SendMessageTimeoutW(window, message, wide, argument, SMTO_ABORTIFHUNG, ANSWER_MS, answer) != 0;
}

static long number(HWND window, UINT message, WPARAM wide, LPARAM argument) {
    DWORD_PTR answer = 0;
    return ask(window, message, wide, argument, &answer) ? (long)answer : -1;
}

static void get_text(HWND window, wchar_t text[TEXT]) {
    DWORD_PTR unused;
    text[0] = L'\0';
    ask(window, WM_GETTEXT, TEXT, (LPARAM)text, &unused);
}

static void put_text(const sight *s, wchar_t *text) {
    for (wchar_t *p = text; *p; p++)
        if (*p == L'\r' || *p == L'\n' || *p == L'\t') *p = L'|';
    put(s, text);
}

/* ---- how much room a text needs ---- */

static bool remote_open(remote *r, HWND window) {
    DWORD pid = 0;
    GetWindowThreadProcessId(window, &pid);
    r->process = OpenProcess(PROCESS_VM_OPERATION | PROCESS_VM_READ | PROCESS_VM_WRITE, FALSE, pid);
    r->memory = r->process ? VirtualAllocEx(r->process, NULL, REMOTE_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE) : NULL;
    if (!r->memory && r->process) CloseHandle(r->process);
    return r->memory != NULL;
}

static void remote_close(remote *r) {
    VirtualFreeEx(r->process, r->memory, 0, MEM_RELEASE);
    CloseHandle(r->process);
}

static bool remote_put(const remote *r, size_t at, const void *bytes, size_t size) {
    return WriteProcessMemory(r->process, r->memory + at, bytes, size, NULL);
}

static bool remote_get(const remote *r, size_t at, void *bytes, size_t size) {
    return ReadProcessMemory(r->process, r->memory + at, bytes, size, NULL);
}

/* Of a dialog's font as its template names it, and of the heading: a third larger and bold (installer/wizard_layout.c). That they
 * are the controls' own is proved by the list, which measures itself. */
static void make_fonts(sight *s) {
    HDC dc = GetDC(NULL);
    LOGFONTW font = {.lfHeight = -MulDiv(9, GetDeviceCaps(dc, LOGPIXELSY), 72),
                     .lfWeight = FW_NORMAL,
                     .lfCharSet = DEFAULT_CHARSET,
                     .lfFaceName = L"Segoe UI"};
    ReleaseDC(NULL, dc);
    s->font = CreateFontIndirectW(&font);
    font.lfHeight = MulDiv(font.lfHeight, 4, 3);
    font.lfWeight = FW_SEMIBOLD;
    s->heading = CreateFontIndirectW(&font);
}

static SIZE drawn(HFONT font, const wchar_t *text, int width, UINT how) {
    RECT area = {0, 0, width, 0};
    HDC dc = GetDC(NULL);
    HGDIOBJ old = SelectObject(dc, font);
    DrawTextW(dc, text, -1, &area, DT_CALCRECT | how);
    SelectObject(dc, old);
    ReleaseDC(NULL, dc);
    return (SIZE){area.right, area.bottom};
}

/* What a button says of itself. */
static bool ideal(HWND button, SIZE *out) {
    remote r;
    DWORD_PTR answer = 0;
    SIZE none = {0, 0};
    if (!remote_open(&r, button)) return false;
    bool known = remote_put(&r, 0, &none, sizeof none) && ask(button, BCM_GETIDEALSIZE, 0, (LPARAM)r.memory, &answer) && answer &&
                 remote_get(&r, 0, out, sizeof *out);
    remote_close(&r);
    return known;
}

static bool needs(const sight *s, HWND control, const wchar_t *kind, const wchar_t *text, SIZE *out) {
    RECT area;
    bool ours = GetDlgItem(s->owner, IDC_ROWS) || GetDlgItem(s->owner, IDC_TEXT); /* a question has the system's font */
    int id = GetDlgCtrlID(control);
    GetClientRect(control, &area);
    if (!wcscmp(kind, L"Button")) return ideal(control, out);
    if (!ours) return false;
    if (!wcscmp(kind, L"Static")) {
        bool prefix = !(GetWindowLongW(control, GWL_STYLE) & SS_NOPREFIX);
        *out = drawn(id == IDC_HEADING ? s->heading : s->font, text, area.right, DT_WORDBREAK | (prefix ? 0 : DT_NOPREFIX));
        return true;
    }
    if (!wcscmp(kind, L"ComboBox")) {
        *out = drawn(s->font, text, 0, DT_SINGLELINE | DT_NOPREFIX);
        out->cx += GetSystemMetrics(SM_CXVSCROLL) + 4 * GetSystemMetrics(SM_CXEDGE);
        return true;
    }
    if (!wcscmp(kind, L"Edit")) { /* its lines can be scrolled */
        *out = (SIZE){0, number(control, EM_GETLINECOUNT, 0, 0) * drawn(s->font, L"Hg", 0, DT_SINGLELINE).cy};
        return true;
    }
    return false;
}

/* ---- the list ---- */

static bool string_width(const remote *r, HWND list, const wchar_t *text, long *out) {
    if (!remote_put(r, REMOTE_TEXT, text, (wcslen(text) + 1) * sizeof *text)) return false;
    *out = number(list, LVM_GETSTRINGWIDTHW, 0, (LPARAM)(r->memory + REMOTE_TEXT));
    return *out >= 0;
}

static bool cell_text(const remote *r, HWND list, int row, int column, wchar_t text[TEXT]) {
    DWORD_PTR unused;
    wchar_t *place = (wchar_t *)(void *)(r->memory + REMOTE_TEXT);
    LVITEMW item = {.iSubItem = column, .pszText = place, .cchTextMax = TEXT};
    HDITEMW name = {.mask = HDI_TEXT, .pszText = place, .cchTextMax = TEXT};
    HWND header = (HWND)(LONG_PTR)number(list, LVM_GETHEADER, 0, 0);
    if (row < 0)
        return remote_put(r, 0, &name, sizeof name) && ask(header, HDM_GETITEMW, (WPARAM)column, (LPARAM)r->memory, &unused) &&
               remote_get(r, REMOTE_TEXT, text, TEXT * sizeof *text);
    return remote_put(r, 0, &item, sizeof item) && ask(list, LVM_GETITEMTEXTW, (WPARAM)row, (LPARAM)r->memory, &unused) &&
           remote_get(r, REMOTE_TEXT, text, TEXT * sizeof *text);
}

static void put_cell(const sight *s, const remote *r, HWND list, int row, int column) {
    enum { PADDING = 12 }; /* left and right of a text, as LVSCW_AUTOSIZE adds it */
    static wchar_t text[TEXT];
    wchar_t line[96];
    long width = 0;
    if (!cell_text(r, list, row, column, text) || !string_width(r, list, text, &width)) {
        put(s, L"cell\t-\n");
        return;
    }
    /* The mark, and the gap behind it: installer/wizard_layout.c. */
    int image = column == 0 && row >= 0 ? GetSystemMetrics(SM_CXSMICON) * 4 / 3 : 0;
    swprintf(line, 96, L"cell\t%d\t%d\t%ld\t%ld\t", row, column, width + PADDING + image,
             number(list, LVM_GETCOLUMNWIDTH, (WPARAM)column, 0));
    put(s, line);
    put_text(s, text);
    put(s, L"\n");
}

static void put_cells(const sight *s, HWND list) {
    static const wchar_t sample[] = L"Hg \x5b89\x88c5 0123 iiii WWWW";
    remote r;
    long width = 0, count = number(list, LVM_GETITEMCOUNT, 0, 0);
    if (!remote_open(&r, list)) return;
    if (!string_width(&r, list, sample, &width) || width != drawn(s->font, sample, 0, DT_SINGLELINE).cx)
        put(s, L"cell\tanother font\n");
    for (int row = -1; row < count; row++)
        for (int column = 0; column < 4; column++) put_cell(s, &r, list, row, column);
    remote_close(&r);
}

/* ---- windows ---- */

static BOOL CALLBACK put_control(HWND control, LPARAM argument) {
    const sight *s = (const sight *)argument;
    static wchar_t text[TEXT];
    wchar_t kind[64] = L"", line[256], room[32] = L"-";
    RECT area;
    SIZE size;
    if (GetParent(control) != s->owner || !IsWindowVisible(control)) return TRUE;
    GetClassNameW(control, kind, 64);
    GetWindowRect(control, &area);
    MapWindowPoints(NULL, s->owner, (POINT *)&area, 2);
    get_text(control, text);
    if (s->measures && needs(s, control, kind, text, &size)) swprintf(room, 32, L"%ld,%ld", size.cx, size.cy);
    bool is_default = number(control, WM_GETDLGCODE, 0, 0) & DLGC_DEFPUSHBUTTON;
    swprintf(line, 256, L"control\t%d\t%ls\t%ls%ls%ls\t%ld,%ld,%ld,%ld\t%ls\t", GetDlgCtrlID(control), kind,
             IsWindowEnabled(control) ? L"E" : L"", control == s->focus ? L"F" : L"", is_default ? L"D" : L"", area.left,
             area.top, area.right, area.bottom, room);
    put(s, line);
    put_text(s, text);
    put(s, L"\n");
    if (s->measures && GetDlgCtrlID(control) == IDC_ROWS) put_cells(s, control);
    return TRUE;
}

static void put_window(sight *s, HWND window) {
    static wchar_t text[TEXT];
    wchar_t line[128];
    RECT client;
    POINT corner = {0, 0};
    GUITHREADINFO info = {.cbSize = sizeof info};
    GetClientRect(window, &client);
    ClientToScreen(window, &corner);
    GetGUIThreadInfo(GetWindowThreadProcessId(window, NULL), &info);
    s->owner = window;
    s->focus = info.hwndFocus;
    swprintf(line, 128, L"window\t%lu\t%ld,%ld,%ld,%ld\t%ld,%ld\t", (unsigned long)(ULONG_PTR)window, client.left, client.top,
             client.right, client.bottom, corner.x, corner.y);
    put(s, line);
    get_text(window, text);
    put_text(s, text);
    put(s, L"\n");
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

static HWND window_of(const wchar_t *handle) { return (HWND)(ULONG_PTR)wcstoul(handle, NULL, 10); }

static int press(wchar_t **words) {
    for (; words[0] && words[1]; words += 2) {
        HWND button = GetDlgItem(window_of(words[0]), (int)wcstoul(words[1], NULL, 10));
        if (!button || !PostMessageW(button, BM_CLICK, 0, 0)) return 1;
    }
    return 0;
}

/* The system hands such memory over to the window's process. Source: Microsoft, shlobj_core.h: DROPFILES. */
static int drop(const wchar_t *handle, const wchar_t *file) {
    HWND window = window_of(handle);
    DWORD pid = 0;
    DROPFILES head = {.pFiles = sizeof head, .fWide = TRUE};
    size_t size = (wcslen(file) + 2) * sizeof *file;
    GetWindowThreadProcessId(window, &pid);
    HANDLE process = OpenProcess(PROCESS_VM_OPERATION | PROCESS_VM_WRITE, FALSE, pid);
    char *memory = process ? VirtualAllocEx(process, NULL, sizeof head + size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE) : NULL;
    bool made = memory && WriteProcessMemory(process, memory, &head, sizeof head, NULL) &&
                WriteProcessMemory(process, memory + sizeof head, file, size - sizeof *file, NULL);
    return made && PostMessageW(window, WM_DROPFILES, (WPARAM)memory, 0) ? 0 : 1;
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

static int write_out(sight *s, const wchar_t *command, const wchar_t *path) {
    wchar_t part[MAX_PATH * 4];
    swprintf(part, MAX_PATH * 4, L"%ls.part", path);
    s->file = CreateFileW(part, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (s->file == INVALID_HANDLE_VALUE) return 65;
    s->measures = !wcscmp(command, L"measure");
    if (s->measures) make_fonts(s);
    int code = s->measures || !wcscmp(command, L"dump") ? dump(s) : !wcscmp(command, L"clipboard") ? clipboard(s) : 64;
    CloseHandle(s->file);
    return MoveFileExW(part, path, MOVEFILE_REPLACE_EXISTING) ? code : 66;
}

int wmain(int count, wchar_t **words) {
    static sight s;
    int code = 64;
    SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_SYSTEM_AWARE); /* or it would be told other places than the window has */
    EnumWindows(take_window, (LPARAM)&s);
    if (count >= 4 && !wcscmp(words[1], L"press")) code = press(words + 2);
    if (count == 4 && !wcscmp(words[1], L"drop")) code = drop(words[2], words[3]);
    if (count == 3) code = !wcscmp(words[1], L"query") ? query(&s, words[2]) : write_out(&s, words[1], words[2]);
    TerminateProcess(GetCurrentProcess(), (UINT)code); /* Wine takes a second to end a program in the usual way */
    return code;
}
