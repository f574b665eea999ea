/* wizard_shell.c: what the window asks of Windows: libraries, questions, files, the clipboard. */
#include "wizard_internal.h"
#include "wizard.h"

#include <commdlg.h>
#include <shellapi.h>
#include <string.h>
#include <tlhelp32.h>

#include "cudnn_setup/text.h"

enum { PATH_UNITS = 32768 };

wizard_controls wizard_comctl;

/* Not by a cast from one function type to another: the compiler is right to mistrust that. */
bool wizard_bind(HMODULE module, const char *name, void *slot) {
    FARPROC address = module ? GetProcAddress(module, name) : NULL;
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

bool wizard_shell_begin(void) {
    HMODULE module = LoadLibraryExW(L"comctl32.dll", NULL, 0); /* version 6 by the manifest; a full path would give 5.82 */
    const INITCOMMONCONTROLSEX wanted = {sizeof wanted, ICC_LISTVIEW_CLASSES | ICC_PROGRESS_CLASS | ICC_STANDARD_CLASSES};
    wizard_controls *c = &wizard_comctl;
    return wizard_bind(module, "InitCommonControlsEx", &c->init) && wizard_bind(module, "TaskDialogIndirect", &c->task_dialog) &&
           wizard_bind(module, "ImageList_Create", &c->list_create) && wizard_bind(module, "ImageList_Add", &c->list_add) &&
           wizard_bind(module, "ImageList_Destroy", &c->list_destroy) && c->init(&wanted);
}

/* ---- language ---- */

cs_language wizard_language(const char *lang) {
    wchar_t tags[512];
    ULONG count = 0, units = sizeof tags / sizeof tags[0];
    cs_buffer tag = {0};
    if (lang) return cs_language_of_tag(lang);
    if (!GetUserPreferredUILanguages(MUI_LANGUAGE_NAME, &count, tags, &units) || !count) return CS_ENGLISH;
    cs_wtf8_from_utf16(&tag, (const uint16_t *)tags, wcslen(tags));
    cs_language language = cs_language_of_tag(cs_buffer_string(&tag));
    cs_buffer_free(&tag);
    return language;
}

/* ---- questions ---- */

static const wchar_t *widen(cs_buffer *units, cs_phrase phrase, cs_language language) {
    const wchar_t *text = common_wide(units, cs_phrase_text(phrase, language));
    return text ? text : L"";
}

static HRESULT CALLBACK on_question(HWND window, UINT notice, WPARAM wide, LPARAM argument, LONG_PTR ctx) {
    wizard *w = (wizard *)ctx;
    (void)wide, (void)argument;
    if (notice == TDN_CREATED) w->question = window;
    if (notice == TDN_DESTROYED) w->question = NULL;
    return S_OK;
}

void wizard_drop_question(wizard *w) {
    if (w->question) SendMessageW(w->question, TDM_CLICK_BUTTON, IDCANCEL, 0);
}

/* One question; its caption and the texts of its two buttons are phrases. config: what is its own. What Enter means is in it.
 * *choice: the radio button, where there are any. False: no, or the dialog cannot be had and *failed says so. */
static bool ask(wizard *w, const cs_phrase phrases[5], TASKDIALOGCONFIG config, int *choice, bool *failed) {
    cs_buffer units[5] = {{0}};
    const wchar_t *texts[5];
    int answer = IDCANCEL;
    for (int i = 0; i < 5; i++) texts[i] = widen(&units[i], phrases[i], w->language);
    const TASKDIALOG_BUTTON buttons[] = {{IDYES, texts[3]}, {IDCANCEL, texts[4]}};
    config.cbSize = sizeof config;
    config.hwndParent = w->window;
    config.dwFlags = TDF_ALLOW_DIALOG_CANCELLATION | TDF_POSITION_RELATIVE_TO_WINDOW;
    config.pszWindowTitle = texts[0];
    config.pszMainInstruction = texts[1];
    config.pszContent = texts[2];
    config.cButtons = 2;
    config.pButtons = buttons;
    config.pfCallback = on_question;
    config.lpCallbackData = (LONG_PTR)w;
    *failed = FAILED(wizard_comctl.task_dialog(&config, &answer, choice, NULL));
    w->question = NULL;
    for (int i = 0; i < 5; i++) cs_buffer_free(&units[i]);
    return !*failed && answer == IDYES;
}

bool wizard_ask(wizard *w, cs_phrase question, cs_phrase more, cs_phrase yes, cs_phrase no) {
    const cs_phrase phrases[5] = {CS_SAY_CAPTION, question, more, yes, no};
    bool failed = false;
    bool answer = ask(w, phrases, (TASKDIALOGCONFIG){.nDefaultButton = IDCANCEL}, NULL, &failed);
    if (!failed) return answer;
    cs_buffer title = {0}, text = {0};
    const wchar_t *caption = widen(&title, CS_SAY_CAPTION, w->language), *said = widen(&text, question, w->language);
    int button = MessageBoxW(w->window, said, caption, MB_YESNO | MB_ICONQUESTION | MB_DEFBUTTON2);
    cs_buffer_free(&title);
    cs_buffer_free(&text);
    return button == IDYES;
}

size_t wizard_choose(wizard *w, const cs_strings *items, cs_phrase question, cs_phrase more) {
    enum { FIRST = 100 };
    const cs_phrase phrases[5] = {CS_SAY_CAPTION, question, more, CS_SAY_GO_ON, CS_SAY_CANCEL};
    cs_buffer *wide = cs_alloc(items->count + 1, sizeof *wide);
    TASKDIALOG_BUTTON *choices = cs_alloc(items->count + 1, sizeof *choices);
    bool chosen = false, failed;
    int choice = FIRST;
    if (wide && choices) {
        for (size_t i = 0; i < items->count; i++) {
            const wchar_t *text = common_wide(&wide[i], items->items[i]);
            choices[i] = (TASKDIALOG_BUTTON){FIRST + (int)i, text ? text : L""};
        }
        const TASKDIALOGCONFIG config = {
            .nDefaultButton = IDYES, .cRadioButtons = (UINT)items->count, .pRadioButtons = choices, .nDefaultRadioButton = FIRST};
        chosen = ask(w, phrases, config, &choice, &failed);
        for (size_t i = 0; i < items->count; i++) cs_buffer_free(&wide[i]);
    }
    cs_free(wide);
    cs_free(choices);
    return chosen && choice >= FIRST ? (size_t)(choice - FIRST) : items->count;
}

/* ---- a file ---- */

static void append_filter(cs_buffer *out, cs_phrase phrase, cs_language language, const wchar_t *pattern) {
    cs_buffer units = {0};
    const wchar_t *text = widen(&units, phrase, language);
    cs_buffer_append(out, text, (wcslen(text) + 1) * sizeof *text);
    cs_buffer_append(out, pattern, (wcslen(pattern) + 1) * sizeof *pattern);
    cs_buffer_free(&units);
}

bool wizard_choose_archive(wizard *w, cs_buffer *path) {
    BOOL(WINAPI * choose)(OPENFILENAMEW *) = NULL;
    cs_buffer filter = {0};
    wchar_t *file = cs_alloc(PATH_UNITS, sizeof *file);
    HMODULE module = LoadLibraryExW(L"comdlg32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    append_filter(&filter, CS_SAY_FILTER_ZIP, w->language, L"*.zip");
    append_filter(&filter, CS_SAY_FILTER_ALL, w->language, L"*.*");
    cs_buffer_append(&filter, L"", sizeof(wchar_t));
    OPENFILENAMEW ask = {.lStructSize = sizeof ask,
                         .hwndOwner = w->window,
                         .lpstrFilter = (const wchar_t *)(const void *)filter.data,
                         .lpstrFile = file,
                         .nMaxFile = PATH_UNITS,
                         .Flags = OFN_FILEMUSTEXIST | OFN_NOCHANGEDIR | OFN_DONTADDTORECENT | OFN_HIDEREADONLY | OFN_EXPLORER};
    bool chosen = file && !filter.failed && wizard_bind(module, "GetOpenFileNameW", &choose) && choose(&ask);
    cs_buffer_clear(path);
    if (chosen) cs_wtf8_from_utf16(path, (const uint16_t *)file, wcslen(file));
    cs_buffer_free(&filter);
    cs_free(file);
    return chosen && path->size && !path->failed;
}

/* Through the Explorer that runs: a browser does not get the rights of an elevated window. */
void wizard_open(wizard *w, const char *path) {
    wchar_t explorer[MAX_PATH + 16];
    cs_buffer quoted = {0}, wide = {0};
    UINT size = GetWindowsDirectoryW(explorer, MAX_PATH);
    cs_buffer_format(&quoted, "\"%s\"", path);
    const wchar_t *words = common_wide(&wide, cs_buffer_string(&quoted));
    if (size && size < MAX_PATH && words) {
        memcpy(explorer + size, L"\\explorer.exe", sizeof L"\\explorer.exe");
        ShellExecuteW(w->window, L"open", explorer, words, NULL, SW_SHOWNORMAL);
    }
    cs_buffer_free(&quoted);
    cs_buffer_free(&wide);
}

/* ---- the clipboard ---- */

bool wizard_copy(wizard *w, const char *text) {
    cs_buffer lines = {0}, wide = {0};
    for (const char *p = text; *p; p++) {
        if (*p == '\n') cs_buffer_append(&lines, "\r", 1);
        cs_buffer_append(&lines, p, 1);
    }
    const wchar_t *units = common_wide(&wide, cs_buffer_string(&lines));
    HGLOBAL memory = units ? GlobalAlloc(GMEM_MOVEABLE, wide.size) : NULL;
    void *place = memory ? GlobalLock(memory) : NULL;
    if (place) memcpy(place, units, wide.size);
    if (place) GlobalUnlock(memory);
    bool open = place && OpenClipboard(w->window);
    bool taken = open && EmptyClipboard() && SetClipboardData(CF_UNICODETEXT, memory);
    if (open) CloseClipboard();
    if (memory && !taken) GlobalFree(memory);
    cs_buffer_free(&lines);
    cs_buffer_free(&wide);
    return taken;
}

/* ---- programs that run ---- */

void wizard_running_programs(cs_buffer *out) {
    static const wchar_t *const known[] = {L"pycharm64.exe", L"Code.exe",   L"devenv.exe",     L"jupyter-notebook.exe",
                                           L"clion64.exe",   L"idea64.exe", L"spyder.exe",     L"WindowsTerminal.exe",
                                           L"cmd.exe",       L"pwsh.exe",   L"powershell.exe", L"python.exe"};
    enum { COUNT = sizeof known / sizeof known[0] };
    bool seen[COUNT] = {false};
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (all == INVALID_HANDLE_VALUE) return;
    for (BOOL more = Process32FirstW(all, &entry); more; more = Process32NextW(all, &entry))
        for (size_t i = 0; i < COUNT; i++)
            seen[i] = seen[i] || CompareStringOrdinal(entry.szExeFile, -1, known[i], -1, TRUE) == CSTR_EQUAL;
    CloseHandle(all);
    for (size_t i = 0; i < COUNT; i++) {
        if (!seen[i]) continue;
        if (out->size) cs_buffer_text(out, ", ");
        cs_wtf8_from_utf16(out, (const uint16_t *)known[i], wcslen(known[i]));
    }
}
