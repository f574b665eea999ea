/* account_win32.c: whose registry and environment this process sees. */
#include "win32.h"

#include <string.h>

/* The user of a process as text; false if that cannot be told. */
static bool process_sid(HANDLE process, char out[CS_SID_TEXT]) {
    _Alignas(TOKEN_USER) BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    DWORD size = 0;
    HANDLE token;
    if (!OpenProcessToken(process, TOKEN_QUERY, &token)) return false;
    TOKEN_USER *user = (void *)bytes;
    bool known =
        GetTokenInformation(token, TokenUser, user, sizeof bytes, &size) && cs_sid_text(user->User.Sid, out, NULL) == CS_OK;
    CloseHandle(token);
    return known;
}

/* The shell runs as the user at the desktop, also where this process was elevated as somebody else. */
cs_account cs_win32_account(void *ctx) {
    (void)ctx;
    DWORD pid = 0;
    char own[CS_SID_TEXT], theirs[CS_SID_TEXT];
    HWND shell = GetShellWindow();
    if (shell) GetWindowThreadProcessId(shell, &pid);
    HANDLE process = pid ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid) : NULL;
    if (!process) return CS_ACCOUNT_ALONE;
    bool known = process_sid(process, theirs) && process_sid(GetCurrentProcess(), own);
    CloseHandle(process);
    if (!known) return CS_ACCOUNT_ALONE;
    return strcmp(own, theirs) == 0 ? CS_ACCOUNT_DESKTOP : CS_ACCOUNT_OTHER;
}

cs_status cs_win32_own_variable(void *ctx, const char *name, cs_buffer *out, cs_error *error) {
    (void)ctx;
    enum { UNITS = 32768 }; /* no variable is longer */
    wchar_t *wide = cs_wide(name, "own environment", error), *value = cs_alloc(UNITS, sizeof *value);
    cs_status status = wide && value ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, "own environment", name, NULL);
    if (status == CS_OK) {
        SetLastError(ERROR_SUCCESS);
        DWORD size = GetEnvironmentVariableW(wide, value, UNITS);
        if (size >= UNITS || (!size && GetLastError() != ERROR_SUCCESS))
            status = cs_fail(error, CS_E_NOT_FOUND, "own environment", name, NULL);
    }
    if (status == CS_OK) {
        cs_buffer_clear(out);
        cs_narrow(out, value);
        status = cs_buffer_check(out, error);
    }
    cs_free(wide);
    cs_free(value);
    return status;
}
