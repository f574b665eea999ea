/* late.c: libraries that are loaded when needed, and questions about the process that several parts ask. */
#include "win32.h"

#include <sddl.h>
#include <stdio.h>

cs_procedure cs_late(const wchar_t *library, const char *name) {
    HMODULE module = LoadLibraryExW(library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return module ? (cs_procedure)GetProcAddress(module, name) : NULL;
}

cs_status cs_fail_last(cs_error *error, const char *operation, const char *path) {
    return cs_fail_win32(error, GetLastError(), operation, path);
}

const char *cs_wine_version(void) {
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    const char *(*version)(void) = ntdll ? (const char *(*)(void))(cs_procedure)GetProcAddress(ntdll, "wine_get_version") : NULL;
    return version ? version() : NULL;
}

cs_status cs_sid_text(PSID sid, char out[CS_SID_TEXT], cs_error *error) {
    wchar_t *wide = NULL;
    cs_buffer text = {0};
    out[0] = '\0';
    if (!ConvertSidToStringSidW(sid, &wide)) return cs_fail_last(error, "security", NULL);
    cs_narrow(&text, wide);
    LocalFree(wide);
    cs_status status = cs_buffer_check(&text, error);
    if (status == CS_OK) snprintf(out, CS_SID_TEXT, "%s", text.data);
    cs_buffer_free(&text);
    return status;
}

bool cs_own_sid(char out[CS_SID_TEXT]) {
    union {
        TOKEN_USER user;
        BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } info;
    DWORD size;
    HANDLE token;
    out[0] = '\0';
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return false;
    bool done =
        GetTokenInformation(token, TokenUser, &info, sizeof info, &size) && cs_sid_text(info.user.User.Sid, out, NULL) == CS_OK;
    CloseHandle(token);
    return done;
}

static bool is_member(WELL_KNOWN_SID_TYPE which) {
    BYTE sid[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof sid;
    BOOL member = FALSE;
    return CreateWellKnownSid(which, NULL, sid, &size) && CheckTokenMembership(NULL, sid, &member) && member;
}

bool cs_is_administrator(void) { return is_member(WinBuiltinAdministratorsSid) || is_member(WinLocalSystemSid); }
