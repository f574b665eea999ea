/* wizard_com.c: what the window asks of Windows through COM: a folder, the progress in the taskbar, names for screen readers. */
#include "wizard_internal.h"

#include <oleacc.h>
#include <shlobj.h>
#include <shobjidl.h>
#include <string.h>

#include "cudnn_setup/text.h"

/* ---- COM, loaded when it is wanted ---- */

typedef struct com {
    HRESULT(WINAPI *begin)(void *, DWORD);
    HRESULT(WINAPI *create)(const GUID *, IUnknown *, DWORD, const GUID *, void **);
    void(WINAPI *release)(void *);
} com;

static bool load(com *c) {
    HMODULE module = LoadLibraryExW(L"ole32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return wizard_bind(module, "CoInitializeEx", &c->begin) && wizard_bind(module, "CoCreateInstance", &c->create) &&
           wizard_bind(module, "CoTaskMemFree", &c->release);
}

void wizard_begin_com(void) {
    com c;
    if (load(&c)) c.begin(NULL, COINIT_APARTMENTTHREADED);
}

static void *create(const GUID *class_id, const GUID *interface_id) {
    com c;
    void *made = NULL;
    if (!load(&c)) return NULL;
    c.begin(NULL, COINIT_APARTMENTTHREADED);
    return SUCCEEDED(c.create(class_id, NULL, CLSCTX_INPROC_SERVER, interface_id, &made)) ? made : NULL;
}

/* ---- a folder ---- */

/* Source: Microsoft, shobjidl_core.h. */
static const GUID open_dialog_class = {0xDC1C5A9C, 0xE88A, 0x4DDE, {0xA5, 0xA1, 0x60, 0xF8, 0x2A, 0x20, 0xAE, 0xF7}};
static const GUID open_dialog_interface = {0xD57C7288, 0xD4AD, 0x4768, {0xBE, 0x02, 0x9D, 0x96, 0x95, 0x32, 0xD9, 0x60}};

static void take_item(IShellItem *item, cs_buffer *path) {
    com c;
    wchar_t *name = NULL;
    if (!load(&c) || FAILED(item->lpVtbl->GetDisplayName(item, SIGDN_FILESYSPATH, &name)) || !name) return;
    cs_wtf8_from_utf16(path, (const uint16_t *)name, wcslen(name));
    c.release(name);
}

/* False: there is no such dialog here. */
static bool ask_modern(wizard *w, const wchar_t *title, cs_buffer *path) {
    enum { WANTED = FOS_PICKFOLDERS | FOS_FORCEFILESYSTEM | FOS_PATHMUSTEXIST | FOS_NOCHANGEDIR | FOS_DONTADDTORECENT };
    FILEOPENDIALOGOPTIONS options = 0;
    IShellItem *item = NULL;
    IFileOpenDialog *dialog = create(&open_dialog_class, &open_dialog_interface);
    if (!dialog) return false;
    bool ready = SUCCEEDED(dialog->lpVtbl->GetOptions(dialog, &options)) &&
                 SUCCEEDED(dialog->lpVtbl->SetOptions(dialog, options | WANTED));
    if (ready) dialog->lpVtbl->SetTitle(dialog, title);
    if (ready && SUCCEEDED(dialog->lpVtbl->Show(dialog, w->window)) && SUCCEEDED(dialog->lpVtbl->GetResult(dialog, &item))) {
        take_item(item, path);
        item->lpVtbl->Release(item);
    }
    dialog->lpVtbl->Release(dialog);
    return ready;
}

/* The older dialog: paths of MAX_PATH at most, which a toolkit's has to be anyway. */
static void ask_older(wizard *w, const wchar_t *title, cs_buffer *path) {
    PIDLIST_ABSOLUTE(WINAPI * browse)(BROWSEINFOW *) = NULL;
    BOOL(WINAPI * name_of)(PCIDLIST_ABSOLUTE, wchar_t *) = NULL;
    wchar_t name[MAX_PATH] = L"";
    com c;
    HMODULE module = LoadLibraryExW(L"shell32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!load(&c) || !wizard_bind(module, "SHBrowseForFolderW", &browse) ||
        !wizard_bind(module, "SHGetPathFromIDListW", &name_of))
        return;
    BROWSEINFOW ask = {
        .hwndOwner = w->window, .lpszTitle = title, .ulFlags = BIF_RETURNONLYFSDIRS | BIF_USENEWUI | BIF_NONEWFOLDERBUTTON};
    PIDLIST_ABSOLUTE chosen = browse(&ask);
    if (chosen && name_of(chosen, name)) cs_wtf8_from_utf16(path, (const uint16_t *)name, wcslen(name));
    c.release(chosen);
}

bool wizard_choose_folder(wizard *w, cs_phrase title, cs_buffer *path) {
    cs_buffer wide = {0};
    const wchar_t *units = common_wide(&wide, cs_phrase_text(title, w->language));
    cs_buffer_clear(path);
    if (!ask_modern(w, units ? units : L"", path)) ask_older(w, units ? units : L"", path);
    cs_buffer_free(&wide);
    return path->size && !path->failed;
}

/* ---- names for screen readers ---- */

/* A control without a text of its own is called by this where it has no label that says it. Source: Microsoft, Active
 * Accessibility, Direct Annotation; UI Automation takes the name over. */
void wizard_name_control(HWND control, const char *name) {
    static const GUID class_id = {0xB5F8350B, 0x0548, 0x48B1, {0xA6, 0xEE, 0x88, 0xBD, 0x00, 0xB4, 0xA5, 0xE7}};
    static const GUID interface_id = {0x6E26E776, 0x04F0, 0x495D, {0x80, 0xE4, 0x33, 0x30, 0x35, 0x2E, 0x31, 0x69}};
    static const MSAAPROPID name_id = {0x608D3DF8, 0x8128, 0x4AA7, {0xA4, 0x28, 0xF5, 0x5E, 0x49, 0x26, 0x72, 0x91}};
    static IAccPropServices *services;
    static bool asked;
    cs_buffer wide = {0};
    const wchar_t *units = common_wide(&wide, name);
    if (!asked) services = create(&class_id, &interface_id);
    asked = true;
    if (services && units) services->lpVtbl->SetHwndPropStr(services, control, (DWORD)OBJID_CLIENT, CHILDID_SELF, name_id, units);
    cs_buffer_free(&wide);
}

/* ---- the taskbar ---- */

static ITaskbarList3 *make_taskbar(void) {
    static const GUID class_id = {0x56FDF344, 0xFD6D, 0x11D0, {0x95, 0x8A, 0x00, 0x60, 0x97, 0xC9, 0xA0, 0x90}};
    static const GUID interface_id = {0xEA1AFB91, 0x9E28, 0x4B86, {0x90, 0xE9, 0x9E, 0x9F, 0x8A, 0x5E, 0xEF, 0xAF}};
    ITaskbarList3 *bar = create(&class_id, &interface_id);
    return bar && SUCCEEDED(bar->lpVtbl->HrInit(bar)) ? bar : NULL;
}

void wizard_taskbar(wizard *w, int share) {
    static ITaskbarList3 *bar;
    static bool asked;
    if (!asked) bar = make_taskbar();
    asked = true;
    if (!bar) return;
    bar->lpVtbl->SetProgressState(bar, w->window, share == -2 ? TBPF_NOPROGRESS : share < 0 ? TBPF_INDETERMINATE : TBPF_NORMAL);
    if (share >= 0) bar->lpVtbl->SetProgressValue(bar, w->window, (ULONGLONG)share, 1000);
}
