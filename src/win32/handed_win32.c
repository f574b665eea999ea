#include "cudnn_setup/handed.h"

#include <string.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/text.h"
#include "win32.h"

static struct {
    cs_fs fs;
    HANDLE handle;
    char *path;
} handed;

uint64_t cs_handed_value(const cs_file *file) { return (uint64_t)(uintptr_t)file->handle; }

static bool is_handed(const char *path) { return handed.path && cs_text_equal_ascii_case(path, handed.path); }

static cs_status open_handed(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    HANDLE self = GetCurrentProcess(), copy = NULL;
    if (!is_handed(path)) return cs_fs_real()->open(ctx, path, mode, out, error);
    *out = NULL;
    if (mode != CS_OPEN_READ && mode != CS_OPEN_WATCH) return cs_fail_win32(error, ERROR_ACCESS_DENIED, "open", path);
    cs_file *file = cs_alloc(1, sizeof *file);
    char *name = cs_strdup(path);
    cs_status status = file && name ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, "open", path, NULL);
    if (status == CS_OK && !DuplicateHandle(self, handed.handle, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
        status = cs_fail_last(error, "open", path);
    if (status != CS_OK) {
        cs_free(file);
        cs_free(name);
        return status;
    }
    *file = (cs_file){.handle = copy, .path = name, .mode = CS_OPEN_READ};
    *out = file;
    return CS_OK;
}

static cs_status stat_handed(void *ctx, const char *path, cs_file_info *out, cs_error *error) {
    return is_handed(path) ? cs_win32_info(handed.handle, path, out, error) : cs_win32_stat(ctx, path, out, error);
}

/* The same file by its name, or somewhere that nobody here can judge. */
static cs_status volume_handed(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    cs_file_info open, named;
    if (!is_handed(path)) return cs_win32_volume(ctx, path, out, error);
    bool same = cs_win32_info(handed.handle, path, &open, NULL) == CS_OK && cs_win32_stat(ctx, path, &named, NULL) == CS_OK &&
                cs_file_id_equal(&open.id, &named.id) && cs_win32_volume(ctx, path, out, NULL) == CS_OK;
    if (!same) *out = (cs_volume){0};
    return CS_OK;
}

static bool debug_privilege(void) {
    TOKEN_PRIVILEGES wanted = {.PrivilegeCount = 1};
    HANDLE token;
    wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
    if (!LookupPrivilegeValueW(NULL, L"SeDebugPrivilege", &wanted.Privileges[0].Luid)) return false;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &token)) return false;
    bool done = AdjustTokenPrivileges(token, FALSE, &wanted, 0, NULL, NULL) && GetLastError() == ERROR_SUCCESS;
    CloseHandle(token);
    return done;
}

/* An administrator of another account than the window's needs the privilege. */
static HANDLE open_process(uint32_t process) {
    HANDLE handle = OpenProcess(PROCESS_DUP_HANDLE, FALSE, process);
    return handle || !debug_privilege() ? handle : OpenProcess(PROCESS_DUP_HANDLE, FALSE, process);
}

static cs_status refuse(const char *path, cs_error *error) {
    cs_error system;
    cs_fail_win32(&system, GetLastError(), NULL, path);
    cs_fail(error, CS_E_ARCHIVE_OPEN, "open", path, "the window's handle cannot be used (%u)", (unsigned)system.system);
    return CS_E_ARCHIVE_OPEN;
}

cs_status cs_handed_take(uint32_t process, uint64_t value, const char *path, const cs_fs **out, cs_error *error) {
    HANDLE owner = open_process(process);
    if (!owner) return refuse(path, error);
    BOOL copied = DuplicateHandle(owner, (HANDLE)(uintptr_t)value, GetCurrentProcess(), &handed.handle,
                                  FILE_READ_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE, FALSE, 0);
    DWORD code = GetLastError();
    CloseHandle(owner);
    SetLastError(code);
    if (!copied) return refuse(path, error);
    FILE_STANDARD_INFO info;
    if (GetFileType(handed.handle) != FILE_TYPE_DISK ||
        !GetFileInformationByHandleEx(handed.handle, FileStandardInfo, &info, sizeof info) || info.Directory)
        return cs_fail(error, CS_E_ARCHIVE_OPEN, "open", path, "this is not a file on a disk");
    handed.path = cs_strdup(path);
    if (!handed.path) return cs_fail(error, CS_E_NO_MEMORY, "open", path, NULL);
    handed.fs = *cs_fs_real();
    handed.fs.open = open_handed;
    handed.fs.stat = stat_handed;
    handed.fs.volume = volume_handed;
    *out = &handed.fs;
    return CS_OK;
}
