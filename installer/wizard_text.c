/* wizard_text.c: a window with a text to read: the licence, the guide, what will change. */
#include "wizard_internal.h"

/* Columns of a text in columns, and of the rest: as wide as a line that is easy to read. */
enum { COLUMNS = 84 };

typedef struct text_view {
    wizard *w;
    const char *title, *text;
    bool columns;
    HFONT font; /* owned; NULL: the dialog's */
    SIZE least;
} text_view;

/* As large as the dialog's, each character as wide as any other. */
static HFONT make_font(HWND window) {
    static const wchar_t face[] = L"Consolas"; /* or whatever fixed font there is in its place */
    LOGFONTW font;
    HFONT dialog = (HFONT)SendMessageW(window, WM_GETFONT, 0, 0);
    if (!dialog || !GetObjectW(dialog, sizeof font, &font)) return NULL;
    font.lfPitchAndFamily = FIXED_PITCH | FF_MODERN;
    for (size_t i = 0; i < sizeof face / sizeof face[0]; i++) font.lfFaceName[i] = face[i];
    return CreateFontIndirectW(&font);
}

static int column_width(HWND edit) {
    TEXTMETRICW metrics = {0};
    HDC dc = GetDC(edit);
    HGDIOBJ old = SelectObject(dc, (HFONT)SendMessageW(edit, WM_GETFONT, 0, 0));
    GetTextMetricsW(dc, &metrics);
    SelectObject(dc, old);
    ReleaseDC(edit, dc);
    return metrics.tmAveCharWidth;
}

static void lay_out(HWND window) {
    RECT client, margin = {7, 7, 60, 15}; /* and a button's size, in dialog units */
    GetClientRect(window, &client);
    MapDialogRect(window, &margin);
    int width = client.right - 2 * margin.left, top = client.bottom - margin.top - margin.bottom;
    SetWindowPos(GetDlgItem(window, IDC_TEXT), NULL, margin.left, margin.top, width, top - 2 * margin.top,
                 SWP_NOZORDER | SWP_NOACTIVATE);
    SetWindowPos(GetDlgItem(window, IDOK), NULL, client.right - margin.left - margin.right, top, margin.right, margin.bottom,
                 SWP_NOZORDER | SWP_NOACTIVATE);
}

/* Wide enough for its columns, but not for more than the screen has. */
static void widen(text_view *view, HWND window) {
    RECT frame, margin = {9, 0, 0, 0}, work = {0};
    HWND edit = GetDlgItem(window, IDC_TEXT);
    MONITORINFO monitor = {.cbSize = sizeof monitor};
    GetWindowRect(window, &frame);
    view->least = (SIZE){(frame.right - frame.left) / 2, (frame.bottom - frame.top) / 2};
    MapDialogRect(window, &margin);
    if (GetMonitorInfoW(MonitorFromWindow(window, MONITOR_DEFAULTTONEAREST), &monitor)) work = monitor.rcWork;
    int wanted =
        COLUMNS * column_width(edit) + GetSystemMetrics(SM_CXVSCROLL) + 2 * margin.left + 2 * GetSystemMetrics(SM_CXSIZEFRAME);
    int room = work.right - work.left, width = frame.right - frame.left;
    if (wanted < width) wanted = width;
    if (wanted > room && room > width) wanted = room;
    int left = frame.left - (wanted - width) / 2;
    if (left + wanted > work.right) left = work.right - wanted;
    SetWindowPos(window, NULL, left < work.left ? work.left : left, frame.top, wanted, frame.bottom - frame.top,
                 SWP_NOZORDER | SWP_NOACTIVATE);
}

/* A dialog selects all of an edit control that gets the keyboard, unless that says that it has nothing to select. */
static WNDPROC edit_messages;
static LRESULT CALLBACK on_edit(HWND edit, UINT message, WPARAM wide, LPARAM argument) {
    LRESULT answer = CallWindowProcW(edit_messages, edit, message, wide, argument);
    return message == WM_GETDLGCODE ? answer & ~(LRESULT)DLGC_HASSETSEL : answer;
}

static void begin(text_view *view, HWND window) {
    cs_buffer title = {0};
    HWND edit = GetDlgItem(window, IDC_TEXT);
    const wchar_t *name = common_wide(&title, view->title);
    if (name) SetWindowTextW(window, name);
    cs_buffer_free(&title);
    if (view->columns) view->font = make_font(window);
    if (view->font) SendMessageW(edit, WM_SETFONT, (WPARAM)view->font, FALSE);
    edit_messages = (WNDPROC)SetWindowLongPtrW(edit, GWLP_WNDPROC, (LONG_PTR)on_edit);
    SendMessageW(edit, EM_SETLIMITTEXT, 0, 0);
    wizard_set_text(window, IDC_TEXT, view->text);
    wizard_name_control(edit, view->title);
    wizard_set_text(window, IDOK, cs_phrase_text(CS_SAY_CLOSE, view->w->language));
    widen(view, window);
    lay_out(window);
    view->w->text_window = window;
    SetFocus(edit);
}

static INT_PTR CALLBACK on_text(HWND window, UINT message, WPARAM wide, LPARAM argument) {
    text_view *view = (text_view *)GetWindowLongPtrW(window, DWLP_USER);
    switch (message) {
    case WM_INITDIALOG:
        SetWindowLongPtrW(window, DWLP_USER, argument);
        begin((text_view *)argument, window);
        return FALSE; /* the focus is set already */
    case WM_SIZE:
        lay_out(window);
        return TRUE;
    case WM_GETMINMAXINFO:
        if (view) ((MINMAXINFO *)argument)->ptMinTrackSize = (POINT){view->least.cx, view->least.cy};
        return TRUE;
    case WM_COMMAND:
        if (LOWORD(wide) == IDOK || LOWORD(wide) == IDCANCEL) EndDialog(window, 0);
        return TRUE;
    default:
        return FALSE;
    }
}

void wizard_show_text(wizard *w, const char *title, const char *text, bool columns) {
    text_view view = {.w = w, .title = title, .text = text, .columns = columns};
    DialogBoxParamW(GetModuleHandleW(NULL), MAKEINTRESOURCEW(IDD_TEXT), w->window, on_text, (LPARAM)&view);
    w->text_window = NULL;
    if (view.font) DeleteObject(view.font);
}
