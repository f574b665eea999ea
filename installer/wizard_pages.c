/* wizard_pages.c: pages into controls. */
#include "wizard_internal.h"

#include <string.h>

#include "cudnn_setup/text.h"

static const struct {
    unsigned offer;
    cs_phrase phrase;
} captions[] = {{CS_OFFER_INSTALL, CS_SAY_INSTALL},        {CS_OFFER_CHECK_AGAIN, CS_SAY_CHECK_AGAIN},
                {CS_OFFER_ARCHIVE, CS_SAY_CHOOSE_ARCHIVE}, {CS_OFFER_CHANGES, CS_SAY_WHAT_CHANGES},
                {CS_OFFER_LICENCE, CS_SAY_LICENCE},        {CS_OFFER_VERIFY, CS_SAY_VERIFY},
                {CS_OFFER_REPAIR, CS_SAY_REPAIR},          {CS_OFFER_ROLL_BACK, CS_SAY_ROLL_BACK},
                {CS_OFFER_UNINSTALL, CS_SAY_UNINSTALL},    {CS_OFFER_TEST, CS_SAY_TEST_GPU},
                {CS_OFFER_TRY_AGAIN, CS_SAY_TRY_AGAIN},    {CS_OFFER_REPORT, CS_SAY_OPEN_REPORT},
                {CS_OFFER_COPY, CS_SAY_COPY_DETAILS},      {CS_OFFER_RECOVER, CS_SAY_RECOVER},
                {CS_OFFER_UNVERIFIED, CS_SAY_UNVERIFIED},  {CS_OFFER_TOOLKIT, CS_SAY_CHOOSE_TOOLKIT}};

static const int page_two[] = {IDC_STEP, IDC_PROGRESS, IDC_FILE, IDC_AMOUNT};

void wizard_set_text(HWND window, int control, const char *text) {
    cs_buffer lines = {0}, wide = {0};
    for (const char *p = text; *p; p++) {
        if (*p == '\n') cs_buffer_append(&lines, "\r", 1);
        cs_buffer_append(&lines, p, 1);
    }
    const wchar_t *units = common_wide(&wide, cs_buffer_string(&lines));
    SetDlgItemTextW(window, control, units ? units : L"");
    cs_buffer_free(&lines);
    cs_buffer_free(&wide);
}

static void show(wizard *w, int control, bool shown) { ShowWindow(GetDlgItem(w->window, control), shown ? SW_SHOWNA : SW_HIDE); }

bool wizard_offers(const wizard *w, unsigned offer) { return w->page.offers & offer; }

int wizard_control_of(unsigned offer) {
    int bit = 0;
    while (1u << bit != offer) bit++;
    return IDC_OFFER + bit;
}

static void show_offers(wizard *w) {
    for (size_t i = 0; i < sizeof captions / sizeof captions[0]; i++) {
        int control = wizard_control_of(captions[i].offer);
        wizard_set_text(w->window, control, cs_phrase_text(captions[i].phrase, w->language));
        show(w, control, w->page.offers & captions[i].offer);
    }
    SendDlgItemMessageW(w->window, IDC_OFFER, BCM_SETSHIELD, 0, !w->elevated);
    bool closing = w->at == CS_AT_RESULT || (w->survey && w->survey->same_package);
    wizard_set_text(w->window, IDCANCEL, cs_phrase_text(closing ? CS_SAY_CLOSE : CS_SAY_CANCEL, w->language));
}

static void set_default(wizard *w) {
    /* IDOK is no button: while it looks Enter does nothing. */
    int control = w->page.primary ? wizard_control_of(w->page.primary) : w->at == CS_AT_LOOKING ? IDOK : IDCANCEL;
    for (int i = 0; i < OFFERS; i++)
        if (i != OFFER_BOX) SendDlgItemMessageW(w->window, IDC_OFFER + i, BM_SETSTYLE, BS_PUSHBUTTON, TRUE);
    SendDlgItemMessageW(w->window, IDCANCEL, BM_SETSTYLE, BS_PUSHBUTTON, TRUE);
    SendMessageW(w->window, DM_SETDEFID, (WPARAM)control, 0);
    SendDlgItemMessageW(w->window, control, BM_SETSTYLE, BS_DEFPUSHBUTTON, TRUE);
}

/* ---- the list ---- */

static void set_cell(HWND list, int row, int column, const char *text, int image) {
    cs_buffer wide = {0};
    const wchar_t *units = common_wide(&wide, text);
    LVITEMW item = {.mask = LVIF_TEXT, .iItem = row, .iSubItem = column, .pszText = (wchar_t *)(uintptr_t)(units ? units : L"")};
    if (column == 0) {
        item.mask |= LVIF_IMAGE;
        item.iImage = image;
        SendMessageW(list, LVM_INSERTITEMW, 0, (LPARAM)&item);
    } else {
        SendMessageW(list, LVM_SETITEMW, 0, (LPARAM)&item);
    }
    cs_buffer_free(&wide);
}

void wizard_set_cell(wizard *w, int row, int column, const char *text) {
    set_cell(GetDlgItem(w->window, IDC_ROWS), row, column, text, 0);
}

static void name_found(const wizard *w, HWND list) {
    cs_buffer wide = {0};
    cs_phrase name = w->at == CS_AT_RESULT ? CS_SAY_COLUMN_RESULT : CS_SAY_COLUMN_FOUND;
    const wchar_t *units = common_wide(&wide, cs_phrase_text(name, w->language));
    LVCOLUMNW column = {.mask = LVCF_TEXT, .pszText = (wchar_t *)(uintptr_t)(units ? units : L"")};
    SendMessageW(list, LVM_SETCOLUMNW, 1, (LPARAM)&column);
    cs_buffer_free(&wide);
}

static void make_columns(wizard *w, HWND list) {
    static const cs_phrase names[] = {CS_SAY_COLUMN_PART, CS_SAY_COLUMN_FOUND, CS_SAY_COLUMN_MEANS, CS_SAY_COLUMN_MARK};
    HWND header = (HWND)SendMessageW(list, LVM_GETHEADER, 0, 0);
    if (SendMessageW(header, HDM_GETITEMCOUNT, 0, 0) > 0) return;
    SendMessageW(list, LVM_SETEXTENDEDLISTVIEWSTYLE, 0, LVS_EX_FULLROWSELECT | LVS_EX_LABELTIP | LVS_EX_DOUBLEBUFFER);
    for (int i = 0; i < 4; i++) {
        cs_buffer wide = {0};
        const wchar_t *units = common_wide(&wide, cs_phrase_text(names[i], w->language));
        LVCOLUMNW column = {
            .mask = LVCF_TEXT | LVCF_SUBITEM, .iSubItem = i, .pszText = (wchar_t *)(uintptr_t)(units ? units : L"")};
        SendMessageW(list, LVM_INSERTCOLUMNW, (WPARAM)i, (LPARAM)&column);
        cs_buffer_free(&wide);
    }
}

static void select_row(wizard *w, HWND list, int row) {
    LVITEMW item = {.stateMask = LVIS_SELECTED | LVIS_FOCUSED, .state = LVIS_SELECTED | LVIS_FOCUSED};
    SendMessageW(list, LVM_SETITEMSTATE, (WPARAM)row, (LPARAM)&item);
    SendMessageW(list, LVM_ENSUREVISIBLE, (WPARAM)row, FALSE);
    wizard_show_selection(w);
}

static void fill_rows(wizard *w) {
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    w->filling = true;
    make_columns(w, list);
    name_found(w, list);
    SendMessageW(list, LVM_DELETEALLITEMS, 0, 0);
    for (size_t i = 0; i < w->page.row_count; i++) {
        const cs_page_row *row = &w->page.rows[i];
        set_cell(list, (int)i, 0, row->name, (int)row->mark);
        set_cell(list, (int)i, 1, cs_buffer_string(&row->found), 0);
        set_cell(list, (int)i, 2, cs_buffer_string(&row->means), 0);
        set_cell(list, (int)i, 3, cs_mark_text(row->mark, w->language), 0);
    }
    w->filling = false;
    if (w->page.row_count)
        select_row(w, list, (int)w->page.selected);
    else
        wizard_set_text(w->window, IDC_EXPLAIN, "");
}

void wizard_show_selection(wizard *w) {
    LRESULT row = SendDlgItemMessageW(w->window, IDC_ROWS, LVM_GETNEXTITEM, (WPARAM)-1, LVNI_SELECTED);
    if (w->filling || row < 0 || (size_t)row >= w->page.row_count) return;
    wizard_set_text(w->window, IDC_EXPLAIN, cs_buffer_string(&w->page.rows[row].sentence));
}

/* ---- toolkits, where there are several ---- */

/* The index of path in the list, where it stands afterwards, without its middle where it is long; CB_ERR: no memory. */
static LRESULT list_toolkit(wizard *w, HWND box, const char *path) {
    for (size_t i = 0; i < w->listed.count; i++)
        if (cs_text_equal_ascii_case(w->listed.items[i], path)) return (LRESULT)i;
    cs_buffer part = {0}, wide = {0};
    RECT area = {0};
    GetClientRect(box, &area);
    wizard_elide(w, &part, path, area.right - 2 * GetSystemMetrics(SM_CXVSCROLL), true);
    const wchar_t *units = common_wide(&wide, cs_buffer_string(&part));
    LRESULT at = CB_ERR;
    if (units && cs_strings_add(&w->listed, path, NULL) == CS_OK) at = SendMessageW(box, CB_ADDSTRING, 0, (LPARAM)units);
    cs_buffer_free(&part);
    cs_buffer_free(&wide);
    return at;
}

/* Those that can be used. Once one was chosen the list stays, with that among them; where it was refused none is selected. */
void wizard_fill_toolkits(wizard *w) {
    HWND box = GetDlgItem(w->window, IDC_TOOLKITS);
    const cs_toolkits *all = &w->survey->toolkits;
    LRESULT chosen = CB_ERR;
    if (!w->cuda) {
        SendMessageW(box, CB_RESETCONTENT, 0, 0);
        cs_strings_free(&w->listed);
    }
    for (size_t i = 0; i < all->count; i++) {
        LRESULT at = all->items[i].usable ? list_toolkit(w, box, all->items[i].path) : CB_ERR;
        if (i == all->chosen) chosen = at;
    }
    SendMessageW(box, CB_SETCURSEL, (WPARAM)chosen, 0);
}

static bool shows_toolkits(const wizard *w) {
    HWND box = GetDlgItem(w->window, IDC_TOOLKITS);
    LRESULT least = SendMessageW(box, CB_GETCURSEL, 0, 0) == CB_ERR ? 1 : 2; /* one that is taken anyway is no choice */
    return w->at == CS_AT_READY && SendMessageW(box, CB_GETCOUNT, 0, 0) >= least;
}

/* ---- the pages ---- */

static void show_cuda_path(wizard *w) {
    bool shown = w->at == CS_AT_READY && wizard_offers(w, CS_OFFER_CUDA_PATH);
    if (shown) {
        cs_buffer text = {0}, now = {0};
        int width = wizard_width(w), box = width / 16; /* more than the box itself takes */
        cs_say(&text, CS_SAY_TAKE_CUDA_PATH, w->language, "now", "", NULL);
        wizard_elide(w, &now, w->survey->other_toolkit, width - box - wizard_text_width(w, cs_buffer_string(&text)), true);
        cs_buffer_clear(&text);
        cs_say(&text, CS_SAY_TAKE_CUDA_PATH, w->language, "now", cs_buffer_string(&now), NULL);
        wizard_set_text(w->window, IDC_CUDA_PATH, cs_buffer_string(&text));
        cs_buffer_free(&text);
        cs_buffer_free(&now);
    }
    show(w, IDC_CUDA_PATH, shown);
}

/* A path may be longer than the window is wide. */
static void show_line(wizard *w) {
    cs_buffer line = {0};
    wizard_elide(w, &line, cs_buffer_string(&w->page.line), wizard_width(w), true);
    wizard_set_text(w->window, IDC_LINE, cs_buffer_string(&line));
    cs_buffer_free(&line);
}

/* The keyboard goes to the list when a page appears: its name is what the page says. */
static void name_controls(wizard *w) {
    cs_buffer name = {0};
    cs_buffer_format(&name, "%s. %s", cs_buffer_string(&w->page.heading), cs_buffer_string(&w->page.line));
    wizard_name_control(GetDlgItem(w->window, IDC_ROWS), cs_buffer_string(&name));
    wizard_name_control(GetDlgItem(w->window, IDC_EXPLAIN), cs_phrase_text(CS_SAY_NAME_EXPLAIN, w->language));
    cs_buffer_free(&name);
}

void wizard_show_page(wizard *w) {
    for (size_t i = 0; i < sizeof page_two / sizeof page_two[0]; i++) show(w, page_two[i], false);
    show_line(w);
    name_controls(w);
    bool several = shows_toolkits(w);
    show(w, IDC_TOOLKITS_LABEL, several);
    show(w, IDC_TOOLKITS, several);
    show_cuda_path(w);
    show_offers(w);
    fill_rows(w);
    show(w, IDC_ROWS, true);
    show(w, IDC_EXPLAIN, true);
    EnableWindow(GetDlgItem(w->window, IDCANCEL), TRUE);
    wizard_lay_out(w);
    set_default(w);
    HWND list = GetDlgItem(w->window, IDC_ROWS);
    SendMessageW(w->window, WM_NEXTDLGCTL, (WPARAM)(w->page.row_count ? list : GetDlgItem(w->window, IDCANCEL)), TRUE);
    wizard_set_text(w->window, IDC_HEADING, cs_buffer_string(&w->page.heading)); /* last: who sees it sees the whole page */
}

void wizard_show_rows(wizard *w) {
    LRESULT row = SendDlgItemMessageW(w->window, IDC_ROWS, LVM_GETNEXTITEM, (WPARAM)-1, LVNI_SELECTED);
    if (row >= 0 && (size_t)row < w->page.row_count) w->page.selected = (size_t)row;
    show_line(w);
    fill_rows(w);
    wizard_size_columns(w);
}

static void set_marquee(wizard *w, bool on) {
    HWND bar = GetDlgItem(w->window, IDC_PROGRESS);
    LONG_PTR style = GetWindowLongPtrW(bar, GWL_STYLE), wanted = on ? style | PBS_MARQUEE : style & ~(LONG_PTR)PBS_MARQUEE;
    if (style == wanted) return;
    SetWindowLongPtrW(bar, GWL_STYLE, wanted);
    SendMessageW(bar, PBM_SETMARQUEE, on, 0);
}

void wizard_show_working(wizard *w) {
    cs_buffer heading = {0};
    const char *version = w->survey && w->survey->manifest.version ? w->survey->manifest.version : "";
    cs_page_doing(&heading, w->verb, *version ? version : "8.0.3", w->language);
    SetFocus(GetDlgItem(w->window, IDCANCEL));
    for (int i = 0; i < OFFERS; i++)
        if (i != OFFER_BOX) show(w, IDC_OFFER + i, false);
    static const int page_one[] = {IDC_TOOLKITS_LABEL, IDC_TOOLKITS, IDC_ROWS, IDC_EXPLAIN, IDC_CUDA_PATH};
    for (size_t i = 0; i < sizeof page_one / sizeof page_one[0]; i++) show(w, page_one[i], false);
    wizard_set_text(w->window, IDC_HEADING, cs_buffer_string(&heading));
    wizard_name_control(GetDlgItem(w->window, IDC_PROGRESS), cs_buffer_string(&heading));
    wizard_set_text(w->window, IDC_LINE, "");
    wizard_set_text(w->window, IDC_STEP, cs_phrase_text(CS_SAY_STEP_START, w->language));
    wizard_set_text(w->window, IDC_FILE, "");
    wizard_set_text(w->window, IDC_AMOUNT, "");
    wizard_set_text(w->window, IDCANCEL, cs_phrase_text(CS_SAY_CANCEL, w->language));
    SendDlgItemMessageW(w->window, IDC_PROGRESS, PBM_SETRANGE32, 0, 1000);
    SendDlgItemMessageW(w->window, IDC_PROGRESS, PBM_SETPOS, 0, 0);
    set_marquee(w, true);
    for (size_t i = 0; i < sizeof page_two / sizeof page_two[0]; i++) show(w, page_two[i], true);
    cs_page_free(&w->page);
    wizard_lay_out(w);
    set_default(w);
    SendMessageW(w->window, WM_NEXTDLGCTL, (WPARAM)GetDlgItem(w->window, IDCANCEL), TRUE);
    wizard_taskbar(w, -1);
    cs_buffer_free(&heading);
}

void wizard_show_event(wizard *w, const wizard_event *event) {
    cs_buffer text = {0};
    if (event->kind == CS_EVENT_STEP) {
        const char *step = cs_page_step(event->id, event->text, w->language);
        if (w->at == CS_AT_STOPPING)
            step = cs_phrase_text(wizard_changes(w) ? CS_SAY_STOPPING : CS_SAY_STOPPING_LOOK, w->language);
        wizard_set_text(w->window, IDC_STEP, step);
        wizard_set_text(w->window, IDC_FILE, "");
        wizard_set_text(w->window, IDC_AMOUNT, "");
        set_marquee(w, true);
        wizard_taskbar(w, -1);
    } else if (w->at != CS_AT_STOPPING) { /* what is still told of the work that stops is no news */
        int share = cs_progress_share(&event->progress);
        set_marquee(w, share < 0);
        if (share >= 0) SendDlgItemMessageW(w->window, IDC_PROGRESS, PBM_SETPOS, (WPARAM)share, 0);
        wizard_taskbar(w, share);
        wizard_elide(w, &text, event->text, wizard_width(w), true);
        wizard_set_text(w->window, IDC_FILE, cs_buffer_string(&text));
        cs_buffer_clear(&text);
        cs_progress_say(&event->progress, w->language, &text);
        wizard_set_text(w->window, IDC_AMOUNT, cs_buffer_string(&text));
    }
    cs_buffer_free(&text);
}
