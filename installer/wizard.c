/* wizard.c: the dialog: what a key, a click or a thread's message does. */
#include "wizard.h"

#include <shellapi.h>
#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/text.h"
#include "remote.h"
#include "wizard_internal.h"

enum { END_MS = 30000 };

/* ---- from page to page ---- */

static void on_ended(wizard *w, wizard_end *end) {
    wizard_drop_question(w); /* there is nothing to stop any more */
    ShutdownBlockReasonDestroy(w->window);
    wizard_taskbar(w, -2);
    wizard_go(w, CS_WINDOW_ENDED);
    w->exit_code = end ? end->exit_code : CS_EXIT_FAILED;
    if (w->options->ui == CS_UI_PASSIVE || !end) {
        wizard_end_free(end);
        DestroyWindow(w->window);
        return;
    }
    cs_page_free(&w->page);
    w->page = end->page;
    end->page = (cs_page){0};
    cs_buffer_free(&w->report);
    w->report = end->report;
    end->report = (cs_buffer){0};
    wizard_end_free(end);
    wizard_show_page(w);
}

static void cancel(wizard *w) {
    InterlockedExchange(&w->cancel, 1);
    wizard_go(w, CS_WINDOW_CLOSE);
    wizard_set_text(w->window, IDC_STEP, cs_phrase_text(wizard_changes(w) ? CS_SAY_STOPPING : CS_SAY_STOPPING_LOOK, w->language));
    wizard_set_text(w->window, IDC_FILE, "");
    wizard_set_text(w->window, IDC_AMOUNT, "");
    EnableWindow(GetDlgItem(w->window, IDCANCEL), FALSE);
}

static void close(wizard *w) {
    if (w->at == CS_AT_STOPPING) return;
    if (w->at != CS_AT_WORKING) {
        wizard_go(w, CS_WINDOW_CLOSE);
        DestroyWindow(w->window);
        return;
    }
    bool asks = w->options->ui != CS_UI_PASSIVE && wizard_changes(w); /* else there is nothing to put back */
    if (asks && !wizard_ask(w, CS_SAY_ASK_STOP, CS_SAY_ASK_STOP_MORE, CS_SAY_STOP, CS_SAY_GO_ON)) return;
    if (w->at == CS_AT_WORKING) cancel(w); /* it may have ended while the question stood there */
}

static void on_command(wizard *w, int control, int notice) {
    if (control == IDCANCEL)
        close(w);
    else if (control == IDC_TOOLKITS && notice == CBN_SELENDOK)
        wizard_on_toolkit(w);
    else if (control >= IDC_OFFER && control < IDC_OFFER + OFFERS && notice == BN_CLICKED)
        wizard_on_offer(w, 1u << (control - IDC_OFFER));
}

/* ---- what threads have ---- */

static void free_survey(cs_survey *survey) {
    if (survey) cs_survey_free(survey);
    cs_free(survey);
}

static void free_gpus(wizard *w) {
    if (w->gpus) cs_machine_free(w->gpus);
    cs_free(w->gpus);
    w->gpus = NULL;
}

/* The answer is kept: the next look makes a new survey. */
static void give_gpus(wizard *w) {
    cs_machine copy = {0};
    if (!w->gpus) return;
    memcpy(copy.devices, w->gpus->devices, sizeof copy.devices);
    copy.device_count = w->gpus->device_count;
    copy.gpu_fit = w->gpus->gpu_fit;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++)
        cs_buffer_text(&copy.gpu_sentence[i], cs_buffer_string(&w->gpus->gpu_sentence[i]));
    cs_survey_take_gpus(w->survey, &copy);
}

static void on_looked(wizard *w, LONG number, cs_survey *survey) {
    if (number != w->look_number || w->at != CS_AT_LOOKING) {
        cs_survey_free(survey);
        cs_free(survey);
        return;
    }
    if (w->survey != w->read_survey) free_survey(w->survey);
    w->survey = survey;
    give_gpus(w);
    wizard_go(w, CS_WINDOW_LOOKED);
    wizard_fill_toolkits(w);
    wizard_show_ready(w);
}

static void on_gpus(wizard *w, cs_machine *answer) {
    free_gpus(w);
    w->gpus = answer;
    if (!w->survey) return;
    give_gpus(w);
    if (w->at != CS_AT_READY) return;
    cs_page_ready(w->survey, w->language, &w->page);
    wizard_show_rows(w);
}

static void on_licence(wizard *w, cs_buffer *text) {
    if (w->read_survey != w->survey) free_survey(w->read_survey);
    w->read_survey = NULL;
    if (w->text_window) wizard_set_text(w->text_window, IDC_TEXT, cs_buffer_string(text));
    cs_buffer_free(text);
    cs_free(text);
}

static void on_drop(wizard *w, HDROP drop) {
    enum { UNITS = 32768 };
    wchar_t *path = cs_alloc(UNITS, sizeof *path);
    cs_buffer text = {0};
    if (path && w->at == CS_AT_READY && DragQueryFileW(drop, 0, path, UNITS)) {
        cs_wtf8_from_utf16(&text, (const uint16_t *)path, wcslen(path));
        wizard_set_archive(w, cs_buffer_string(&text));
    }
    DragFinish(drop);
    cs_buffer_free(&text);
    cs_free(path);
}

/* ---- the dialog ---- */

static void on_start(wizard *w, HWND window) {
    cs_buffer wide = {0};
    w->window = window;
    remote_set_window(window);
    const wchar_t *caption = common_wide(&wide, cs_phrase_text(CS_SAY_CAPTION, w->language));
    HICON icon = LoadIconW(GetModuleHandleW(NULL), MAKEINTRESOURCEW(1));
    SetWindowTextW(window, caption ? caption : L"");
    SendMessageW(window, WM_SETICON, ICON_BIG, (LPARAM)icon);
    SendMessageW(window, WM_SETICON, ICON_SMALL, (LPARAM)icon);
    cs_buffer_free(&wide);
    wizard_fit_screen(w);
    wizard_make_fonts(w);
    wizard_make_marks(w);
    wizard_set_text(window, IDC_TOOLKITS_LABEL, cs_phrase_text(CS_SAY_TOOLKIT_LIST, w->language));
    if (w->options->ui == CS_UI_PASSIVE || w->options->verb != CS_VERB_INSTALL) {
        w->at = CS_AT_READY;
        wizard_show_page(w);
        PostMessageW(window, MESSAGE_FIRST, 0, 0);
        return;
    }
    w->at = CS_AT_READY;
    wizard_start_look(w);
}

/* A verb of the command line other than installing: asked, then done; /passive asks nothing. */
static void on_first(wizard *w) {
    bool passive = w->options->ui == CS_UI_PASSIVE;
    if (passive || (wizard_choose_tree(w, w->options->verb) && wizard_confirm(w, w->options->verb))) {
        wizard_run_verb(w, w->options->verb);
    } else {
        w->exit_code = CS_EXIT_CANCELLED;
        DestroyWindow(w->window);
    }
}

static bool on_session(wizard *w, UINT message, WPARAM wide) {
    bool busy = w->at == CS_AT_WORKING || w->at == CS_AT_STOPPING;
    if (message == WM_QUERYENDSESSION) {
        SetWindowLongPtrW(w->window, DWLP_MSGRESULT, !busy || !wizard_changes(w));
        return true;
    }
    if (wide && busy) {
        InterlockedExchange(&w->cancel, 1);
        wizard_await(w, END_MS);
    }
    return true;
}

static bool on_message(wizard *w, UINT message, WPARAM wide, LPARAM argument) {
    switch (message) {
    case WM_COMMAND:
        on_command(w, LOWORD(wide), HIWORD(wide));
        return true;
    case MESSAGE_FIRST:
        on_first(w);
        return true;
    case WM_NOTIFY:
        if (((const NMHDR *)argument)->code == LVN_ITEMCHANGED) wizard_show_selection(w);
        return false;
    case WM_CLOSE:
        close(w);
        return true;
    case WM_DROPFILES:
        on_drop(w, (HDROP)wide);
        return true;
    case WM_SYSCOLORCHANGE:
    case WM_THEMECHANGED:
        SendDlgItemMessageW(w->window, IDC_ROWS, WM_SYSCOLORCHANGE, 0, 0);
        wizard_make_marks(w);
        return true;
    case WM_QUERYENDSESSION:
    case WM_ENDSESSION:
        return on_session(w, message, wide);
    case WM_DESTROY:
        PostQuitMessage(0);
        return true;
    case MESSAGE_LOOKED:
        on_looked(w, (LONG)wide, (cs_survey *)argument);
        return true;
    case MESSAGE_GPUS:
        on_gpus(w, (cs_machine *)argument);
        return true;
    case MESSAGE_LICENCE:
        on_licence(w, (cs_buffer *)argument);
        return true;
    case MESSAGE_EVENT:
        if (w->at == CS_AT_WORKING || w->at == CS_AT_STOPPING) wizard_show_event(w, (wizard_event *)argument);
        wizard_event_free((wizard_event *)argument);
        return true;
    case MESSAGE_ENDED:
        on_ended(w, (wizard_end *)argument);
        return true;
    default:
        return false;
    }
}

static INT_PTR CALLBACK on_dialog(HWND window, UINT message, WPARAM wide, LPARAM argument) {
    if (message == WM_INITDIALOG) {
        SetWindowLongPtrW(window, DWLP_USER, argument);
        on_start((wizard *)argument, window);
        return FALSE; /* the focus is set already */
    }
    wizard *w = (wizard *)GetWindowLongPtrW(window, DWLP_USER);
    return w && on_message(w, message, wide, argument);
}

/* ---- keys that belong to the whole window ---- */

static bool copies_itself(HWND focus) {
    DWORD first = 0, last = 0;
    wchar_t kind[16] = L"";
    GetClassNameW(focus, kind, 16);
    if (CompareStringOrdinal(kind, -1, L"Edit", -1, TRUE) != CSTR_EQUAL) return false;
    SendMessageW(focus, EM_GETSEL, (WPARAM)&first, (LPARAM)&last);
    return last > first;
}

static bool is_whole_key(wizard *w, const MSG *message) {
    if (message->message != WM_KEYDOWN || GetForegroundWindow() != w->window) return false;
    if (message->wParam == VK_F1) {
        wizard_show_guide(w);
        return true;
    }
    if (message->wParam == VK_RETURN && w->at == CS_AT_LOOKING) return true; /* whatever has the focus: docs/window.md */
    if (message->wParam != 'C' || GetKeyState(VK_CONTROL) >= 0 || copies_itself(GetFocus())) return false;
    if (wizard_offers(w, CS_OFFER_COPY)) wizard_copy_page(w);
    return true;
}

/* The window is laid out for one resolution; on a screen with another Windows scales it whole. */
static void be_system_aware(void) {
    typedef HANDLE(WINAPI * set_context)(HANDLE);
    HMODULE user = GetModuleHandleW(L"user32.dll");
    FARPROC address = user ? GetProcAddress(user, "SetThreadDpiAwarenessContext") : NULL;
    set_context set = NULL;
    memcpy(&set, &address, sizeof set);
    if (set) set((HANDLE)(intptr_t)-2); /* DPI_AWARENESS_CONTEXT_SYSTEM_AWARE */
}

static void free_wizard(wizard *w) {
    if (w->survey != w->read_survey) free_survey(w->survey); /* what a thread still reads ends with the process */
    cs_page_free(&w->page);
    cs_strings_free(&w->words);
    cs_strings_free(&w->listed);
    free_gpus(w);
    cs_buffer_free(&w->report);
    cs_free(w->archive);
    cs_free(w->cuda);
    if (w->heading_font) DeleteObject(w->heading_font);
    if (w->marks) wizard_comctl.list_destroy(w->marks);
}

/* /json and /report are written on every exit, also on one before any run. */
static void tell_unbegun(const wizard *w, int code) {
    const cs_app_front front = {.version = CUDNN_SETUP_VERSION, .absolute = common_absolute};
    cs_strings words = {0};
    bool closed = code == CS_EXIT_OK;
    if (w->words.count || (!w->options->json && !w->options->report)) return;
    if (cs_options_words(w->options, &words, NULL) == CS_OK)
        cs_app_run_unbegun(
            &w->host, CS_PROGRAM_SETUP, (const char *const *)words.items, words.count, &front, closed ? CS_OK : CS_E_CANCELLED,
            closed ? "This version is installed already, and every file is right. The window was closed, and nothing was changed."
                   : "Cancelled before anything was begun. Nothing was changed.");
    cs_strings_free(&words);
}

bool wizard_run(const cs_options *options, int *code) {
    static wizard w; /* threads that look may outlive the window */
    MSG message;
    be_system_aware();
    if (!wizard_shell_begin()) return false;
    w = (wizard){
        .options = options, .host = common_host(), .language = wizard_language(options->lang), .exit_code = CS_EXIT_CANCELLED};
    w.elevated = w.host.system->is_administrator(w.host.system->ctx);
    HWND window = CreateDialogParamW(GetModuleHandleW(NULL), MAKEINTRESOURCEW(IDD_WIZARD), NULL, on_dialog, (LPARAM)&w);
    if (!window) return false;
    ShowWindow(window, SW_SHOWNORMAL);
    SetForegroundWindow(window);
    while (GetMessageW(&message, NULL, 0, 0) > 0)
        if (!is_whole_key(&w, &message) && !IsDialogMessageW(window, &message)) {
            TranslateMessage(&message);
            DispatchMessageW(&message);
        }
    InterlockedIncrement(&w.look_number);
    wizard_await(&w, END_MS);
    bool installed = w.survey && w.survey->same_package && w.survey->status == CS_OK;
    *code = w.exit_code == CS_EXIT_CANCELLED && installed && w.at == CS_AT_END && !w.words.count ? CS_EXIT_OK : w.exit_code;
    tell_unbegun(&w, *code);
    free_wizard(&w);
    return true;
}
