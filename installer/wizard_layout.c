/* wizard_layout.c: places and sizes, from the font and the lengths of the texts; marks as shapes. */
#include "wizard_internal.h"

#include <string.h>

/* ---- fonts ---- */

void wizard_make_fonts(wizard *w) {
    LOGFONTW font;
    w->font = (HFONT)SendMessageW(w->window, WM_GETFONT, 0, 0);
    if (!w->font || !GetObjectW(w->font, sizeof font, &font)) return;
    font.lfHeight = MulDiv(font.lfHeight, 4, 3);
    font.lfWeight = FW_SEMIBOLD;
    w->heading_font = CreateFontIndirectW(&font);
    if (w->heading_font) SendDlgItemMessageW(w->window, IDC_HEADING, WM_SETFONT, (WPARAM)w->heading_font, FALSE);
}

/* ---- marks ---- */

static POINT at(int size, int x, int y) { return (POINT){MulDiv(size, x, 16), MulDiv(size, y, 16)}; }

static void lines(HDC dc, int size, const int (*points)[2], int count) {
    POINT first = at(size, points[0][0], points[0][1]);
    MoveToEx(dc, first.x, first.y, NULL);
    for (int i = 1; i < count; i++) {
        POINT next = at(size, points[i][0], points[i][1]);
        LineTo(dc, next.x, next.y);
    }
}

static void draw_mark(HDC dc, int size, cs_mark mark) {
    static const int check[][2] = {{2, 8}, {6, 12}, {14, 3}}, cross_a[][2] = {{3, 3}, {13, 13}},
                     cross_b[][2] = {{13, 3}, {3, 13}};
    static const int triangle[][2] = {{8, 1}, {15, 14}, {1, 14}, {8, 1}}, shout[][2] = {{8, 5}, {8, 10}},
                     dot[][2] = {{8, 12}, {8, 12}};
    static const int stem[][2] = {{8, 7}, {8, 12}}, head[][2] = {{8, 4}, {8, 4}};
    static const int left[][2] = {{3, 8}, {3, 8}}, middle[][2] = {{8, 8}, {8, 8}}, right[][2] = {{13, 8}, {13, 8}};
    POINT low = at(size, 1, 1), high = at(size, 15, 15);
    switch (mark) {
    case CS_MARK_OK:
        lines(dc, size, check, 3);
        break;
    case CS_MARK_NOTE:
        Ellipse(dc, low.x, low.y, high.x, high.y);
        lines(dc, size, stem, 2);
        lines(dc, size, head, 2);
        break;
    case CS_MARK_WARNING:
        lines(dc, size, triangle, 4);
        lines(dc, size, shout, 2);
        lines(dc, size, dot, 2);
        break;
    case CS_MARK_BAD:
        lines(dc, size, cross_a, 2);
        lines(dc, size, cross_b, 2);
        break;
    default:
        lines(dc, size, left, 2);
        lines(dc, size, middle, 2);
        lines(dc, size, right, 2);
    }
    /* LineTo leaves the last point out. */
    if (mark == CS_MARK_WARNING || mark == CS_MARK_NOTE) {
        POINT end = at(size, 8, mark == CS_MARK_NOTE ? 4 : 12);
        SetPixel(dc, end.x, end.y, RGB(0, 0, 0));
    }
}

/* Room for the shape, and a gap before the text. */
static int mark_width(int size) { return size + size / 3; }

/* Drawn black on white; what is black becomes the system's colour for text, the rest is transparent. */
static HBITMAP make_mark(int size, cs_mark mark) {
    int width = mark_width(size);
    BITMAPINFO info = {
        .bmiHeader = {.biSize = sizeof info.bmiHeader, .biWidth = width, .biHeight = -size, .biPlanes = 1, .biBitCount = 32}};
    uint32_t *pixels = NULL;
    HDC dc = CreateCompatibleDC(NULL);
    HBITMAP bitmap = CreateDIBSection(dc, &info, DIB_RGB_COLORS, (void **)&pixels, NULL, 0);
    if (bitmap && pixels) {
        COLORREF text = GetSysColor(COLOR_WINDOWTEXT);
        uint32_t colour = 0xFF000000u | (uint32_t)GetRValue(text) << 16 | (uint32_t)GetGValue(text) << 8 | GetBValue(text);
        LOGBRUSH black = {BS_SOLID, RGB(0, 0, 0), 0};
        HPEN pen = ExtCreatePen(PS_GEOMETRIC | PS_ENDCAP_ROUND, (DWORD)(size / 9 > 1 ? size / 9 : 1), &black, 0, NULL);
        HGDIOBJ old = SelectObject(dc, bitmap), old_pen = SelectObject(dc, pen);
        memset(pixels, 0xFF, (size_t)width * (size_t)size * sizeof *pixels);
        draw_mark(dc, size, mark);
        GdiFlush();
        for (int i = 0; i < width * size; i++) pixels[i] = (pixels[i] & 0xFFFFFF) == 0 ? colour : 0;
        SelectObject(dc, old_pen);
        SelectObject(dc, old);
        DeleteObject(pen);
    }
    DeleteDC(dc);
    return bitmap;
}

void wizard_make_marks(wizard *w) {
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    HDC dc = GetDC(w->window);
    int size = MulDiv(16, GetDeviceCaps(dc, LOGPIXELSY), 96);
    ReleaseDC(w->window, dc);
    HIMAGELIST fresh = wizard_comctl.list_create(mark_width(size), size, ILC_COLOR32, CS_MARK_COUNT, 0);
    for (int i = 0; fresh && i < CS_MARK_COUNT; i++) {
        HBITMAP bitmap = make_mark(size, (cs_mark)i);
        if (!bitmap) continue;
        wizard_comctl.list_add(fresh, bitmap, NULL);
        DeleteObject(bitmap);
    }
    SendMessageW(list, LVM_SETIMAGELIST, LVSIL_SMALL, (LPARAM)fresh);
    if (w->marks) wizard_comctl.list_destroy(w->marks);
    w->marks = fresh;
}

/* ---- places ---- */

/* Dialog units into pixels. */
static SIZE units(const wizard *w, int x, int y) {
    RECT area = {0, 0, x, y};
    MapDialogRect(w->window, &area);
    return (SIZE){area.right, area.bottom};
}

static void place(const wizard *w, int control, int x, int y, int width, int height) {
    SetWindowPos(GetDlgItem(w->window, control), NULL, x, y, width, height, SWP_NOZORDER | SWP_NOACTIVATE);
}

static int button_width(const wizard *w, int control) {
    wchar_t text[128];
    RECT area = {0};
    HWND button = GetDlgItem(w->window, control);
    int size = GetWindowTextW(button, text, 128);
    HDC dc = GetDC(button);
    HGDIOBJ old = SelectObject(dc, w->font);
    DrawTextW(dc, text, size, &area, DT_CALCRECT | DT_SINGLELINE);
    SelectObject(dc, old);
    ReleaseDC(button, dc);
    int least = units(w, 50, 0).cx, wanted = area.right + units(w, 14, 0).cx;
    if (control == IDC_OFFER && !w->elevated) wanted += units(w, 12, 0).cx; /* the shield */
    return wanted > least ? wanted : least;
}

static bool is_shown(const wizard *w, int control) {
    return GetWindowLongPtrW(GetDlgItem(w->window, control), GWL_STYLE) & WS_VISIBLE;
}

static int primary_control(const wizard *w) {
    for (int i = 0; i < OFFERS; i++)
        if (w->page.primary == 1u << i) return IDC_OFFER + i;
    return 0;
}

/* Bottom right: what Enter means, then Cancel or Close. */
static void place_bottom(const wizard *w, int right, int y, int height) {
    int gap = units(w, 4, 0).cx, primary = primary_control(w), width = button_width(w, IDCANCEL);
    place(w, IDCANCEL, right - width, y, width, height);
    if (!primary || !is_shown(w, primary)) return;
    int more = button_width(w, primary);
    place(w, primary, right - width - gap - more, y, more, height);
}

/* The other offers from left to right, in as many rows as they need, the last of them at y; returns the top of the first. */
static int place_offers(const wizard *w, int left, int right, int y, int height) {
    int gap = units(w, 4, 0).cx, primary = primary_control(w), rows = 1, x = left, widths[OFFERS] = {0};
    for (int i = 0; i < OFFERS; i++) {
        int control = IDC_OFFER + i;
        if (control == primary || control == IDC_OFFER + OFFER_BOX || !is_shown(w, control)) continue;
        widths[i] = button_width(w, control);
        if (x > left && x + widths[i] > right) rows++, x = left;
        x += widths[i] + gap;
    }
    int step = height + units(w, 0, 3).cy, top = y - (rows - 1) * step, row = top;
    x = left;
    for (int i = 0; i < OFFERS; i++) {
        if (!widths[i]) continue;
        if (x > left && x + widths[i] > right) row += step, x = left;
        place(w, IDC_OFFER + i, x, row, widths[i], height);
        x += widths[i] + gap;
    }
    return top;
}

static void size_columns(const wizard *w, int width) {
    static const int ready[] = {18, 38, 27, 17}, result[] = {16, 68, 0, 16};
    const int *shares = w->at == CS_AT_RESULT ? result : ready;
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    bool scrolls = (LRESULT)w->page.row_count > SendMessageW(list, LVM_GETCOUNTPERPAGE, 0, 0);
    int inner = width - (scrolls ? GetSystemMetrics(SM_CXVSCROLL) : 0) - 2 * GetSystemMetrics(SM_CXEDGE) - 1, left = inner;
    for (int i = 0; i < 4; i++) {
        int column = i < 3 ? MulDiv(inner, shares[i], 100) : left;
        SendMessageW(list, LVM_SETCOLUMNWIDTH, (WPARAM)i, MAKELPARAM(column, 0));
        left -= column;
    }
}

void wizard_lay_out(wizard *w) {
    RECT client;
    GetClientRect(w->window, &client);
    SIZE margin = units(w, 9, 8), line = units(w, 0, 10), button = units(w, 0, 15), gap = units(w, 4, 4);
    int left = margin.cx, right = client.right - margin.cx, width = right - left, y = margin.cy;
    place(w, IDC_HEADING, left, y, width, units(w, 0, 16).cy);
    y += units(w, 0, 17).cy;
    place(w, IDC_LINE, left, y, width, line.cy);
    y += line.cy + gap.cy;
    int bottom = client.bottom - units(w, 0, 6).cy - button.cy;
    place_bottom(w, right, bottom, button.cy);
    int low = place_offers(w, left, right, bottom - button.cy - gap.cy, button.cy) - gap.cy;
    if (is_shown(w, IDC_CUDA_PATH)) {
        place(w, IDC_CUDA_PATH, left, low - line.cy, width, line.cy);
        low -= line.cy + gap.cy;
    }
    if (is_shown(w, IDC_TOOLKITS)) {
        int label = units(w, 62, 0).cx;
        place(w, IDC_TOOLKITS_LABEL, left, y + units(w, 0, 2).cy, label, line.cy);
        place(w, IDC_TOOLKITS, left + label, y, width - label, units(w, 0, 100).cy);
        y += units(w, 0, 16).cy;
    }
    int explain = units(w, 0, 37).cy;
    place(w, IDC_EXPLAIN, left, low - explain, width, explain);
    place(w, IDC_ROWS, left, y, width, low - explain - gap.cy - y);
    size_columns(w, width);
    InvalidateRect(w->window, NULL, TRUE);
}
