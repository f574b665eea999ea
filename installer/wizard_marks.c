/* wizard_marks.c: the marks as shapes, in the system's colour for text. */
#include "wizard_internal.h"

#include <string.h>

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
    case CS_MARK_FAULT:
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

static int mark_size(const wizard *w) {
    HDC dc = GetDC(w->window);
    int size = MulDiv(16, GetDeviceCaps(dc, LOGPIXELSY), 96);
    ReleaseDC(w->window, dc);
    return size;
}

int wizard_mark_width(const wizard *w) { return mark_width(mark_size(w)); }

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
    int size = mark_size(w);
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
