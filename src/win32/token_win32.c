/* token_win32.c: accounts under which an elevated program may run a child without its own rights. */
#include "run_win32.h"

/* True if the token, as an impersonation copy, counts as an administrator. An error counts as one. */
static bool has_administrator_rights(HANDLE token) {
    BYTE administrators[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof administrators;
    HANDLE copy;
    BOOL member = TRUE;
    if (!CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, administrators, &size)) return true;
    if (!DuplicateTokenEx(token, TOKEN_QUERY, NULL, SecurityIdentification, TokenImpersonation, &copy)) return true;
    if (!CheckTokenMembership(copy, administrators, &member)) member = TRUE;
    CloseHandle(copy);
    return member;
}

/* The user at the desktop. With UAC turned off the shell itself is elevated, and that is no help. */
HANDLE cs_shell_user_token(void) {
    DWORD pid = 0;
    HANDLE token = NULL, primary = NULL;
    HWND shell = GetShellWindow();
    if (shell) GetWindowThreadProcessId(shell, &pid);
    HANDLE process = pid ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid) : NULL;
    if (!process) return NULL;
    if (OpenProcessToken(process, TOKEN_DUPLICATE | TOKEN_QUERY, &token)) {
        if (!has_administrator_rights(token))
            DuplicateTokenEx(token,
                             TOKEN_QUERY | TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT | TOKEN_ADJUST_SESSIONID,
                             NULL, SecurityImpersonation, TokenPrimary, &primary);
        CloseHandle(token);
    }
    CloseHandle(process);
    return primary;
}

/* Only the system itself may do this; for an administrator it fails. */
HANDLE cs_local_service_token(void) {
    HANDLE token = NULL;
    if (!LogonUserW(L"LocalService", L"NT AUTHORITY", NULL, LOGON32_LOGON_SERVICE, LOGON32_PROVIDER_DEFAULT, &token)) return NULL;
    if (has_administrator_rights(token)) {
        CloseHandle(token);
        return NULL;
    }
    return token;
}
