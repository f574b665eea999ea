#include "common.h"

#include <shellapi.h>
#include <string.h>

#include "cudnn_setup/text.h"

_Static_assert(sizeof(wchar_t) == sizeof(uint16_t), "UTF-16 here");

/* A crash is still reported, but nobody is asked: a window of Windows Error Reporting would stop a quiet run for ever. Not
 * every system has the function. */
static void report_without_windows(void) {
    enum { NO_UI = 0x20 }; /* WER_FAULT_REPORTING_NO_UI, werapi.h */
    typedef HRESULT(WINAPI * set_flags)(DWORD);
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    FARPROC address = kernel ? GetProcAddress(kernel, "WerSetFlags") : NULL;
    set_flags set = NULL;
    memcpy(&set, &address, sizeof set);
    if (set) set(NO_UI);
}

void common_guard(bool system_dlls_only) {
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    report_without_windows();
    if (system_dlls_only) SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
}

cs_host common_host(void) { return (cs_host){.fs = cs_fs_real(), .registry = cs_registry_real(), .system = cs_system_real()}; }

void common_hold_program(void) {
    cs_host host = common_host();
    cs_file *file = NULL;
    if (host.system->program_file(host.system->ctx, &file, NULL) == CS_OK) host.fs->close(host.fs->ctx, file);
}

cs_status common_arguments(cs_strings *out, cs_error *error) {
    int count = 0;
    wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
    if (!words) return cs_fail_win32(error, GetLastError(), "read the command line", NULL);
    cs_status status = CS_OK;
    for (int i = 1; !status && i < count; i++) {
        cs_buffer word = {0};
        cs_wtf8_from_utf16(&word, (const uint16_t *)words[i], wcslen(words[i]));
        status = cs_buffer_check(&word, error);
        if (!status) status = cs_strings_add(out, cs_buffer_string(&word), error);
        cs_buffer_free(&word);
    }
    LocalFree(words);
    return status;
}

const wchar_t *common_wide(cs_buffer *out, const char *text) {
    cs_buffer_clear(out);
    if (!cs_utf16le_from_wtf8(out, text, strlen(text))) return NULL;
    cs_buffer_append(out, L"", sizeof(wchar_t));
    return out->failed ? NULL : (const wchar_t *)(const void *)out->data;
}

cs_status common_absolute(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_buffer wide = {0}, full = {0};
    cs_status status = CS_OK;
    const wchar_t *name = common_wide(&wide, path);
    if (!name) status = cs_fail(error, wide.failed ? CS_E_NO_MEMORY : CS_E_NAME, "full path", path, NULL);
    /* The size that the system asks for may grow when another thread changes the current folder: there is none here. */
    DWORD need = status ? 0 : GetFullPathNameW(name, 0, NULL, NULL);
    if (!status && !need) status = cs_fail_win32(error, GetLastError(), "full path", path);
    wchar_t *units = status ? NULL : cs_alloc(need, sizeof *units);
    if (!status && !units) status = cs_fail(error, CS_E_NO_MEMORY, "full path", path, NULL);
    if (!status) {
        DWORD size = GetFullPathNameW(name, need, units, NULL);
        if (!size || size >= need)
            status = cs_fail_win32(error, GetLastError(), "full path", path);
        else
            cs_wtf8_from_utf16(&full, (const uint16_t *)units, size);
    }
    if (!status) status = cs_buffer_check(&full, error);
    cs_free(units);
    cs_buffer_free(&wide);
    if (status) {
        cs_buffer_free(&full);
        return status;
    }
    cs_buffer_free(out);
    *out = full;
    return CS_OK;
}

static volatile LONG cancel_asked;

void common_ask_cancel(void) { InterlockedExchange(&cancel_asked, 1); }

/* When the console's window is closed, the process is ended as soon as this returns, or after about five seconds: time for the
 * run to stop at its next safe point and to take back what it changed. What is not done by then is left to the journal. */
static BOOL WINAPI on_control(DWORD control) {
    common_ask_cancel();
    if (control != CTRL_C_EVENT && control != CTRL_BREAK_EVENT) Sleep(INFINITE); /* until the program ends */
    return TRUE;
}

void common_hear_cancel(void) { SetConsoleCtrlHandler(on_control, TRUE); }

bool common_cancelled(void *ctx) {
    (void)ctx;
    return InterlockedCompareExchange(&cancel_asked, 0, 0) != 0;
}
