/* win32.h: what the parts of the Windows seam share. Included by src/win32 only: UTF-16 and <windows.h> live here. */
#ifndef CUDNN_SETUP_WIN32_H
#define CUDNN_SETUP_WIN32_H

#ifndef UNICODE
#define UNICODE
#endif
#ifndef _UNICODE
#define _UNICODE
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "cudnn_setup/fs.h"
#include "cudnn_setup/system.h"

/* ---- UTF-16 (utf16.c) ---- */

/* A NUL-terminated copy of WTF-8 text, freed with cs_free; NULL with *error filled (CS_E_NAME if it is not WTF-8). */
wchar_t *cs_wide(const char *text, const char *operation, cs_error *error);
/* The same for a path, checked (absolute, only '\\', no "." or "..", no stream, no device) and with \\?\ or \\?\UNC\ in front.
 * A separator at the end goes, except that of a drive's root. */
wchar_t *cs_wide_path(const char *path, const char *operation, cs_error *error);
/* Appends UTF-16 as WTF-8. */
void cs_narrow(cs_buffer *out, const wchar_t *text);
void cs_narrow_units(cs_buffer *out, const wchar_t *text, size_t count);
/* Appends a path without its \\?\ or \\?\UNC\ prefix. */
void cs_narrow_path(cs_buffer *out, const wchar_t *path);

/* ---- system libraries that are not linked statically (late.c) ---- */

typedef void (*cs_procedure)(void);
/* The procedure of a library in System32, which stays loaded; NULL if either is missing. Cast to its true type. */
cs_procedure cs_late(const wchar_t *library, const char *name);

/* The error of a failed call, from GetLastError. */
cs_status cs_fail_last(cs_error *error, const char *operation, const char *path);

const char *cs_wine_version(void);      /* "8.0", or NULL */
bool cs_own_sid(char out[CS_SID_TEXT]); /* the process's user */
cs_status cs_sid_text(PSID sid, char out[CS_SID_TEXT], cs_error *error);
bool cs_is_administrator(void);

/* ---- files (fs_win32*.c) ---- */

struct cs_file {
    HANDLE handle;
    char *path; /* owned: where it was opened or renamed to last */
    cs_open_mode mode;
};

cs_status cs_win32_info(HANDLE handle, const char *path, cs_file_info *out, cs_error *error);
/* Opens without following a link in the last component and refuses one that is there. */
cs_status cs_win32_open(const char *path, DWORD access, DWORD share, DWORD disposition, DWORD flags, const char *operation,
                        HANDLE *out, cs_error *error);

/* True in Wine if the path is a link of the system below, which handles do not show. Always false on Windows. */
bool cs_win32_wine_link(const wchar_t *wide);

cs_status cs_win32_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error);
cs_status cs_win32_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error);
cs_status cs_win32_remove_folder(void *ctx, const char *path, cs_error *error);
cs_status cs_win32_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error);
cs_status cs_win32_sync_folder(void *ctx, const char *path, cs_error *error);
cs_status cs_win32_volume(void *ctx, const char *path, cs_volume *out, cs_error *error);
cs_status cs_win32_security(void *ctx, const char *path, cs_security *out, cs_error *error);
cs_status cs_win32_inherit_security(void *ctx, cs_file *file, cs_error *error);
cs_status cs_win32_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error);

/* ---- system (one file per topic) ---- */

cs_status cs_win32_set_recovery_service(void *ctx, bool on, const char *program, cs_error *error);
bool cs_win32_recovery_service(void *ctx);
cs_status cs_win32_broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error);
cs_status cs_win32_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error);
cs_status cs_win32_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error);
cs_status cs_win32_signature(void *ctx, const char *path, cs_signature *out, cs_error *error);
cs_account cs_win32_account(void *ctx);
cs_status cs_win32_own_variable(void *ctx, const char *name, cs_buffer *out, cs_error *error);
void cs_win32_platform(void *ctx, cs_platform *out);
cs_status cs_win32_program_path(void *ctx, cs_buffer *out, cs_error *error);
cs_status cs_win32_program_file(void *ctx, cs_file **out, cs_error *error);

/* Threads (threads_win32.c). */
unsigned cs_win32_together(void *ctx, const cs_team *team);

#endif
