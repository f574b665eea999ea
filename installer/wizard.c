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

static void go(wizard *w, cs_window_event event) { w->at = cs_window_next(w->at, event); }

static void look(wizard *w) {
    go(w, CS_WINDOW_AGAIN);
    cs_page_ready(NULL, w->language, &w->page);
    wizard_show_page(w);
    wizard_look(w);
}

static void show_ready(wizard *w) {
    cs_page_ready(w->survey, w->language, &w->page);
    wizard_show_page(w);
}

/* The tree that the first page speaks of. */
static const char *chosen_tree(const wizard *w) {
    const cs_toolkits *all = w->survey ? &w->survey->toolkits : NULL;
    return all && all->chosen < all->count ? all->items[all->chosen].path : NULL;
}

/* The words of a run: the command line's options where they belong to the verb, and what was chosen here. */
static bool make_words(wizard *w, cs_verb verb) {
    bool places = verb == CS_VERB_INSTALL || verb == CS_VERB_REPAIR;
    cs_options plan = *w->options; /* borrowed strings */
    const char *tree = chosen_tree(w), *archive = w->survey && w->survey->archive ? w->survey->archive : w->archive;
    cs_options all = {.program = w->options->program, .verb = verb, .verb_given = true};
    cs_strings_free(&w->words);
    all.lang = (char *)(uintptr_t)(w->language == CS_CHINESE ? "zh-CN" : "en");
    all.log = plan.log, all.json = plan.json, all.report = plan.report, all.norestart = plan.norestart;
    all.tree = plan.tree, all.cuda = plan.cuda;
    if (tree && !plan.tree) all.cuda = (char *)(uintptr_t)tree;
    if (places) {
        all.archive = archive ? (char *)(uintptr_t)archive : plan.archive;
        all.manifest = plan.manifest;
        all.selftest = plan.selftest;
        all.selftest_as_current = plan.selftest_as_current;
    }
    if (verb == CS_VERB_PROBE) all.selftest_as_current = plan.selftest_as_current;
    if (verb == CS_VERB_INSTALL) {
        all.env = plan.env;
        all.unverified_accept = plan.unverified_accept;
        all.cudapath_take = plan.cudapath_take || IsDlgButtonChecked(w->window, IDC_CUDA_PATH) == BST_CHECKED;
        if (all.env != CS_ENV_ALL) all.cudapath_take = false;
    }
    if (verb != CS_VERB_VERIFY && verb != CS_VERB_PROBE && verb != CS_VERB_RECOVER && verb != CS_VERB_FORGET)
        all.inuse_aside = plan.inuse_aside;
    if (verb != CS_VERB_VERIFY && verb != CS_VERB_PROBE && verb != CS_VERB_RECOVER) all.force = plan.force;
    if (verb == CS_VERB_RECOVER) all.cuda = all.tree = NULL;
    if (verb == CS_VERB_PROBE) all.program = CS_PROGRAM_DOCTOR;
    w->program = all.program;
    w->verb = verb;
    return cs_options_words(&all, &w->words, NULL) == CS_OK;
}

static void begin(wizard *w) {
    static const wchar_t no_reason[] = L"";
    cs_buffer reason = {0};
    const wchar_t *why = common_wide(&reason, cs_phrase_text(CS_SAY_SHUTDOWN_REASON, w->language));
    go(w, CS_WINDOW_START);
    wizard_show_working(w);
    ShutdownBlockReasonCreate(w->window, why ? why : no_reason);
    cs_buffer_free(&reason);
    if (!wizard_start_run(w)) PostMessageW(w->window, MESSAGE_ENDED, 0, 0);
}

static void run(wizard *w, cs_verb verb) {
    if (make_words(w, verb)) begin(w);
}

static void on_ended(wizard *w, wizard_end *end) {
    ShutdownBlockReasonDestroy(w->window);
    wizard_taskbar(w, -2);
    go(w, CS_WINDOW_ENDED);
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
    go(w, CS_WINDOW_CLOSE);
    wizard_set_text(w->window, IDC_STEP, cs_phrase_text(CS_SAY_STOPPING, w->language));
    EnableWindow(GetDlgItem(w->window, IDCANCEL), FALSE);
}

static void close(wizard *w) {
    if (w->at == CS_AT_STOPPING) return;
    if (w->at != CS_AT_WORKING) {
        go(w, CS_WINDOW_CLOSE);
        DestroyWindow(w->window);
        return;
    }
    bool passive = w->options->ui == CS_UI_PASSIVE;
    if (!passive && !wizard_ask(w, CS_SAY_ASK_STOP, CS_SAY_ASK_STOP_MORE, CS_SAY_STOP, CS_SAY_GO_ON)) return;
    if (w->at == CS_AT_WORKING) cancel(w); /* it may have ended while the question stood there */
}

/* ---- questions before a change ---- */

static bool confirm(wizard *w, cs_verb verb) {
    static const struct {
        cs_verb verb;
        cs_phrase question, more, yes;
    } rows[] = {{CS_VERB_UNINSTALL, CS_SAY_ASK_UNINSTALL, CS_SAY_ASK_UNINSTALL_MORE, CS_SAY_UNINSTALL},
                {CS_VERB_ROLLBACK, CS_SAY_ASK_ROLL_BACK, CS_SAY_ASK_ROLL_BACK_MORE, CS_SAY_ROLL_BACK},
                {CS_VERB_REPAIR, CS_SAY_ASK_REPAIR, CS_SAY_ASK_REPAIR_MORE, CS_SAY_REPAIR},
                {CS_VERB_RECOVER, CS_SAY_ASK_RECOVER, CS_SAY_ASK_RECOVER_MORE, CS_SAY_GO_ON},
                {CS_VERB_FORGET, CS_SAY_ASK_FORGET, CS_SAY_ASK_FORGET_MORE, CS_SAY_GO_ON}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].verb == verb) return wizard_ask(w, rows[i].question, rows[i].more, rows[i].yes, CS_SAY_KEEP);
    return true;
}

static void ask_and_run(wizard *w, cs_verb verb) {
    if (confirm(w, verb)) run(w, verb);
}

/* ---- what a button does ---- */

static void set_archive(wizard *w, const char *path) {
    char *copy = cs_strdup(path);
    if (!copy) return;
    cs_free(w->archive);
    w->archive = copy;
    look(w);
}

static void choose_archive(wizard *w) {
    cs_buffer path = {0};
    if (wizard_choose_archive(w, &path)) set_archive(w, path.data);
    cs_buffer_free(&path);
}

static void show_changes(wizard *w) {
    cs_buffer text = {0}, title = {0};
    cs_page_changes(w->survey, w->language, &text);
    cs_say(&title, CS_SAY_DOING_INSTALL, w->language, "version", w->survey->manifest.version, NULL);
    wizard_show_text(w, cs_buffer_string(&title), cs_buffer_string(&text));
    cs_buffer_free(&text);
    cs_buffer_free(&title);
}

static void show_licence(wizard *w) {
    wizard_read_licence(w);
    wizard_show_text(w, w->survey->archive, cs_phrase_text(CS_SAY_LICENCE_READING, w->language));
}

static void show_guide(wizard *w) {
    cs_buffer text = {0};
    cs_options_help(CS_PROGRAM_SETUP, &text);
    wizard_show_text(w, cs_phrase_text(CS_SAY_GUIDE, w->language), cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void copy_page(wizard *w) {
    cs_buffer text = {0};
    cs_page_copy(&w->page, &text);
    wizard_copy(w, cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void on_offer(wizard *w, unsigned offer) {
    if (!wizard_offers(w, offer)) return;
    switch (offer) {
    case CS_OFFER_INSTALL:
        run(w, CS_VERB_INSTALL);
        break;
    case CS_OFFER_CHECK_AGAIN:
        look(w);
        break;
    case CS_OFFER_ARCHIVE:
        choose_archive(w);
        break;
    case CS_OFFER_CHANGES:
        show_changes(w);
        break;
    case CS_OFFER_LICENCE:
        show_licence(w);
        break;
    case CS_OFFER_VERIFY:
        run(w, CS_VERB_VERIFY);
        break;
    case CS_OFFER_REPAIR:
        ask_and_run(w, CS_VERB_REPAIR);
        break;
    case CS_OFFER_ROLL_BACK:
        ask_and_run(w, CS_VERB_ROLLBACK);
        break;
    case CS_OFFER_UNINSTALL:
        ask_and_run(w, CS_VERB_UNINSTALL);
        break;
    case CS_OFFER_TEST:
        run(w, CS_VERB_PROBE);
        break;
    case CS_OFFER_TRY_AGAIN:
        begin(w);
        break;
    case CS_OFFER_REPORT:
        wizard_open(w, cs_buffer_string(&w->report));
        break;
    case CS_OFFER_COPY:
        copy_page(w);
        break;
    default:
        break;
    }
}

static void on_toolkit(wizard *w) {
    HWND box = GetDlgItem(w->window, IDC_TOOLKITS);
    LRESULT at = SendMessageW(box, CB_GETCURSEL, 0, 0), size = at < 0 ? -1 : SendMessageW(box, CB_GETLBTEXTLEN, (WPARAM)at, 0);
    wchar_t *text = size < 0 ? NULL : cs_alloc((size_t)size + 1, sizeof *text);
    cs_buffer path = {0};
    if (text && SendMessageW(box, CB_GETLBTEXT, (WPARAM)at, (LPARAM)text) > 0)
        cs_wtf8_from_utf16(&path, (const uint16_t *)text, wcslen(text));
    cs_free(text);
    if (path.size) {
        cs_free(w->cuda);
        w->cuda = cs_strdup(path.data);
        look(w);
    }
    cs_buffer_free(&path);
}

static void on_command(wizard *w, int control, int notice) {
    if (control == IDCANCEL)
        close(w);
    else if (control == IDC_TOOLKITS && notice == CBN_SELENDOK)
        on_toolkit(w);
    else if (control >= IDC_OFFER && control < IDC_OFFER + OFFERS && notice == BN_CLICKED)
        on_offer(w, 1u << (control - IDC_OFFER));
}

/* ---- what threads have ---- */

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
    if (w->survey) {
        cs_survey_free(w->survey);
        cs_free(w->survey);
    }
    w->survey = survey;
    give_gpus(w);
    go(w, CS_WINDOW_LOOKED);
    wizard_fill_toolkits(w);
    show_ready(w);
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
        set_archive(w, cs_buffer_string(&text));
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
    wizard_make_fonts(w);
    wizard_make_marks(w);
    wizard_set_text(window, IDC_TOOLKITS_LABEL, cs_phrase_text(CS_SAY_TOOLKIT_LIST, w->language));
    if (w->options->ui == CS_UI_PASSIVE || w->options->verb != CS_VERB_INSTALL) {
        w->at = CS_AT_READY;
        wizard_show_page(w);
        PostMessageW(window, WM_COMMAND, MAKEWPARAM(IDOK, BN_CLICKED), 0);
        return;
    }
    w->at = CS_AT_READY;
    wizard_ask_gpus(w);
    look(w);
}

/* A verb of the command line other than installing: asked, then done; /passive asks nothing. */
static void on_first(wizard *w) {
    bool passive = w->options->ui == CS_UI_PASSIVE;
    if (passive || confirm(w, w->options->verb)) {
        run(w, w->options->verb);
    } else {
        w->exit_code = CS_EXIT_CANCELLED;
        DestroyWindow(w->window);
    }
}

static bool on_session(wizard *w, UINT message, WPARAM wide) {
    bool busy = w->at == CS_AT_WORKING || w->at == CS_AT_STOPPING;
    if (message == WM_QUERYENDSESSION) {
        SetWindowLongPtrW(w->window, DWLP_MSGRESULT, !busy);
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
        if (LOWORD(wide) == IDOK)
            on_first(w);
        else
            on_command(w, LOWORD(wide), HIWORD(wide));
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
        SendDlgItemMessageW(w->window, IDC_ROWS, message, wide, argument);
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
        show_guide(w);
        return true;
    }
    if (message->wParam != 'C' || GetKeyState(VK_CONTROL) >= 0 || copies_itself(GetFocus())) return false;
    if (wizard_offers(w, CS_OFFER_COPY)) copy_page(w);
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
    if (w->survey) cs_survey_free(w->survey);
    cs_free(w->survey);
    cs_page_free(&w->page);
    cs_strings_free(&w->words);
    free_gpus(w);
    cs_buffer_free(&w->report);
    cs_free(w->archive);
    cs_free(w->cuda);
    if (w->heading_font) DeleteObject(w->heading_font);
    if (w->marks) wizard_comctl.list_destroy(w->marks);
}

bool wizard_run(const cs_options *options, int *code) {
    static wizard w; /* threads that look may outlive the window */
    MSG message;
    be_system_aware();
    if (!wizard_shell_begin()) return false;
    w = (wizard){.options = options, .host = common_host(), .language = wizard_language(options), .exit_code = CS_EXIT_CANCELLED};
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
    bool installed = w.survey && w.survey->same_package;
    *code = w.exit_code == CS_EXIT_CANCELLED && installed && w.at == CS_AT_END && !w.words.count ? CS_EXIT_OK : w.exit_code;
    free_wizard(&w);
    return true;
}
