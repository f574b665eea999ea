/* wizard_layout.c: places and sizes, from the font and the lengths of the texts. */
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

/* The bits of the offers as they stand on the screen: choosing a folder is beside choosing the archive. */
static const int screen_order[] = {0, 1, 2, 16, 3, 4, 5, 6, 7, 8, 9, 15, 11, 12, 13, 14};
enum { BUTTONS = sizeof screen_order / sizeof screen_order[0] };
_Static_assert((int)BUTTONS == (int)OFFERS - 1, "every offer but the box is a button");

/* The other offers from left to right, in as many rows as they need, the last of them at y; returns the top of the first. */
static int place_offers(const wizard *w, int left, int right, int y, int height) {
    int gap = units(w, 4, 0).cx, primary = primary_control(w), rows = 1, x = left, widths[BUTTONS] = {0};
    for (int i = 0; i < BUTTONS; i++) {
        int control = IDC_OFFER + screen_order[i];
        if (control == primary || !is_shown(w, control)) continue;
        widths[i] = button_width(w, control);
        if (x > left && x + widths[i] > right) rows++, x = left;
        x += widths[i] + gap;
    }
    int step = height + units(w, 0, 3).cy, top = y - (rows - 1) * step, row = top;
    x = left;
    for (int i = 0; i < BUTTONS; i++) {
        if (!widths[i]) continue;
        if (x > left && x + widths[i] > right) row += step, x = left;
        place(w, IDC_OFFER + screen_order[i], x, row, widths[i], height);
        x += widths[i] + gap;
    }
    return top;
}

/* ---- texts that have to fit ---- */

int wizard_text_width(const wizard *w, const char *text) {
    cs_buffer wide = {0};
    SIZE size = {0};
    const wchar_t *units = common_wide(&wide, text);
    HDC dc = GetDC(w->window);
    HGDIOBJ old = SelectObject(dc, w->font);
    if (units) GetTextExtentPoint32W(dc, units, (int)wcslen(units), &size);
    SelectObject(dc, old);
    ReleaseDC(w->window, dc);
    cs_buffer_free(&wide);
    return size.cx;
}

void wizard_elide(const wizard *w, cs_buffer *out, const char *text, int pixels, bool middle) {
    enum { LEAST = 3 };
    size_t low = LEAST, high = cs_text_columns(text);
    cs_buffer part = {0};
    if (high <= LEAST || wizard_text_width(w, text) <= pixels) {
        cs_buffer_text(out, text);
        return;
    }
    while (low + 1 < high) { /* low fits, or is the least; high does not */
        size_t width = (low + high) / 2;
        cs_buffer_clear(&part);
        (middle ? cs_elide : cs_elide_end)(&part, text, width);
        *(wizard_text_width(w, cs_buffer_string(&part)) <= pixels ? &low : &high) = width;
    }
    (middle ? cs_elide : cs_elide_end)(out, text, low);
    cs_buffer_free(&part);
}

/* ---- columns ---- */

enum { COLUMNS = 4, FOUND = 1 };

static const char *cell_text(const wizard *w, const cs_page_row *row, int column) {
    return column == 0   ? row->name
           : column == 1 ? cs_buffer_string(&row->found)
           : column == 2 ? cs_buffer_string(&row->means)
                         : cs_mark_text(row->mark, w->language);
}

/* What the widest text of the column needs, its header with it. */
static int column_need(const wizard *w, int column) {
    static const cs_phrase names[COLUMNS] = {CS_SAY_COLUMN_PART, CS_SAY_COLUMN_FOUND, CS_SAY_COLUMN_MEANS, CS_SAY_COLUMN_MARK};
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    int most = wizard_text_width(w, cs_phrase_text(names[column], w->language)) + units(w, 10, 0).cx;
    SendMessageW(list, LVM_SETCOLUMNWIDTH, (WPARAM)column, MAKELPARAM(LVSCW_AUTOSIZE, 0));
    int said = (int)SendMessageW(list, LVM_GETCOLUMNWIDTH, (WPARAM)column, 0); /* by the list, which knows its own edges */
    int edges = units(w, 8, 0).cx + (column ? 0 : wizard_mark_width(w));
    if (said > most) most = said;
    for (size_t i = 0; i < w->page.row_count; i++) {
        int cell = wizard_text_width(w, cell_text(w, &w->page.rows[i], column)) + edges;
        if (cell > most) most = cell;
    }
    return most;
}

/* Of a sentence the end is left out, since the explanation shows all of it; of a path or a name the middle. */
static void fit_cells(wizard *w, int column, int pixels) {
    for (size_t i = 0; i < w->page.row_count; i++) {
        const cs_page_row *row = &w->page.rows[i];
        const char *text = cell_text(w, row, column);
        bool path = (text[0] && text[1] == ':') || text[0] == '\\';
        bool sentence = w->at == CS_AT_RESULT && !path;
        cs_buffer part = {0};
        wizard_elide(w, &part, text, pixels, !sentence);
        if (part.size && strcmp(part.data, text) != 0) wizard_set_cell(w, (int)i, column, part.data);
        cs_buffer_free(&part);
    }
}

/* Each as wide as it needs; what was found gets what is left. */
void wizard_size_columns(wizard *w) {
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    RECT area;
    int widths[COLUMNS];
    GetWindowRect(list, &area);
    bool scrolls = (LRESULT)w->page.row_count > SendMessageW(list, LVM_GETCOUNTPERPAGE, 0, 0);
    int inner = area.right - area.left - 2 * GetSystemMetrics(SM_CXEDGE) - 1;
    if (scrolls) inner -= GetSystemMetrics(SM_CXVSCROLL);
    for (int i = 0; i < COLUMNS; i++) widths[i] = column_need(w, i);
    if (w->at == CS_AT_RESULT) widths[2] = 0; /* the third page has no such column */
    int left = inner - widths[0] - widths[2] - widths[3], least = inner / 4, padding = units(w, 8, 0).cx;
    if (left < least) {
        widths[2] -= least - left;
        left = least;
        fit_cells(w, 2, widths[2] - padding);
    }
    if (left < widths[FOUND]) fit_cells(w, FOUND, left - padding);
    widths[FOUND] = left;
    for (int i = 0; i < COLUMNS; i++) SendMessageW(list, LVM_SETCOLUMNWIDTH, (WPARAM)i, MAKELPARAM(widths[i], 0));
}

/* ---- the Tab key ---- */

/* As the eye goes: what Enter means stands in the last line, before Cancel. */
static void order_buttons(const wizard *w) {
    enum { HOW = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE };
    int primary = primary_control(w);
    for (int i = 0; i < BUTTONS; i++)
        if (IDC_OFFER + screen_order[i] != primary)
            SetWindowPos(GetDlgItem(w->window, IDC_OFFER + screen_order[i]), HWND_BOTTOM, 0, 0, 0, 0, HOW);
    if (primary) SetWindowPos(GetDlgItem(w->window, primary), HWND_BOTTOM, 0, 0, 0, 0, HOW);
    SetWindowPos(GetDlgItem(w->window, IDCANCEL), HWND_BOTTOM, 0, 0, 0, 0, HOW);
}

void wizard_fit_screen(const wizard *w) {
    MONITORINFO monitor = {.cbSize = sizeof monitor};
    RECT window;
    if (!GetMonitorInfoW(MonitorFromWindow(w->window, MONITOR_DEFAULTTONEAREST), &monitor)) return;
    if (!GetWindowRect(w->window, &window)) return;
    const RECT *work = &monitor.rcWork;
    int width = window.right - window.left, height = window.bottom - window.top;
    int room = work->right - work->left, rise = work->bottom - work->top;
    if (width <= room && height <= rise) return;
    width = width < room ? width : room;
    height = height < rise ? height : rise;
    SetWindowPos(w->window, NULL, work->left + (room - width) / 2, work->top + (rise - height) / 2, width, height,
                 SWP_NOZORDER | SWP_NOACTIVATE);
}

int wizard_width(const wizard *w) {
    RECT client;
    GetClientRect(w->window, &client);
    return client.right - 2 * units(w, 9, 0).cx;
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
    wizard_size_columns(w);
    order_buttons(w);
    InvalidateRect(w->window, NULL, TRUE);
}
