/* system_win32.c: the system seam on Windows: folders, clock, process, resources. Larger topics have files of their own. */
#include "win32.h"

#include <bcrypt.h>
#include <knownfolders.h>
#include <shlobj.h>
#include <stdio.h>

#include "cudnn_setup/host.h"

static cs_status known_folder(const KNOWNFOLDERID *id, cs_buffer *out, cs_error *error) {
    wchar_t *path = NULL;
    HRESULT result = SHGetKnownFolderPath(id, KF_FLAG_DONT_VERIFY, NULL, &path);
    cs_status status = CS_OK;
    if (FAILED(result)) {
        status = cs_fail(error, CS_E_SYSTEM, "known folder", NULL, NULL);
        if (error) error->system = (uint32_t)result;
    } else {
        cs_buffer_clear(out);
        cs_narrow_path(out, path);
        status = cs_buffer_check(out, error);
    }
    CoTaskMemFree(path);
    return status;
}

static cs_status windows_folder(UINT(WINAPI *ask)(LPWSTR, UINT), cs_buffer *out, cs_error *error) {
    wchar_t path[MAX_PATH];
    UINT size = ask(path, MAX_PATH);
    if (size == 0 || size >= MAX_PATH) return cs_fail_last(error, "Windows folder", NULL);
    cs_buffer_clear(out);
    cs_narrow_path(out, path);
    return cs_buffer_check(out, error);
}

static cs_status sys_folder(void *ctx, cs_folder which, cs_buffer *out, cs_error *error) {
    (void)ctx;
    switch (which) {
    case CS_FOLDER_PROGRAM_FILES:
        return known_folder(&FOLDERID_ProgramFilesX64, out, error);
    case CS_FOLDER_LOCAL_APPDATA:
        return known_folder(&FOLDERID_LocalAppData, out, error);
    case CS_FOLDER_DOWNLOADS:
        return known_folder(&FOLDERID_Downloads, out, error);
    case CS_FOLDER_SYSTEM:
        return windows_folder(GetSystemDirectoryW, out, error);
    case CS_FOLDER_WINDOWS:
        return windows_folder(GetSystemWindowsDirectoryW, out, error);
    }
    return cs_fail(error, CS_E_NAME, "known folder", NULL, NULL);
}

static int64_t sys_now(void *ctx) {
    (void)ctx;
    FILETIME time;
    GetSystemTimePreciseAsFileTime(&time);
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

static bool sys_local_offset(void *ctx, int64_t filetime, int32_t *minutes) {
    (void)ctx;
    FILETIME utc = {.dwLowDateTime = (DWORD)filetime, .dwHighDateTime = (DWORD)((uint64_t)filetime >> 32)}, local;
    SYSTEMTIME there, here;
    if (!FileTimeToSystemTime(&utc, &there) || !SystemTimeToTzSpecificLocalTime(NULL, &there, &here) ||
        !SystemTimeToFileTime(&there, &utc) || !SystemTimeToFileTime(&here, &local))
        return false;
    int64_t ticks = (int64_t)((uint64_t)local.dwHighDateTime << 32 | local.dwLowDateTime) -
                    (int64_t)((uint64_t)utc.dwHighDateTime << 32 | utc.dwLowDateTime);
    *minutes = (int32_t)(ticks / 600000000);
    return true;
}

static uint64_t sys_ticks(void *ctx) {
    (void)ctx;
    return GetTickCount64();
}

static void sys_sleep(void *ctx, uint32_t milliseconds) {
    (void)ctx;
    Sleep(milliseconds);
}

static cs_status sys_random(void *ctx, void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    typedef NTSTATUS(WINAPI * random_fn)(BCRYPT_ALG_HANDLE, PUCHAR, ULONG, ULONG);
    random_fn generate = (random_fn)cs_late(L"bcrypt.dll", "BCryptGenRandom");
    if (!generate) return cs_fail(error, CS_E_UNSUPPORTED, "random", NULL, "bcrypt.dll cannot be loaded");
    if (size > 0xFFFFFFFF) return cs_fail(error, CS_E_TOO_BIG, "random", NULL, NULL);
    NTSTATUS code = generate(NULL, bytes, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    if (code >= 0) return CS_OK;
    cs_status status = cs_fail(error, CS_E_SYSTEM, "random", NULL, NULL);
    if (error) error->system = (uint32_t)code;
    return status;
}

static uint32_t sys_process_id(void *ctx) {
    (void)ctx;
    return GetCurrentProcessId();
}

static unsigned sys_processors(void *ctx) {
    (void)ctx;
    SYSTEM_INFO info;
    GetNativeSystemInfo(&info);
    return info.dwNumberOfProcessors ? info.dwNumberOfProcessors : 1;
}

static bool sys_is_administrator(void *ctx) {
    (void)ctx;
    return cs_is_administrator();
}

static const char *sys_wine_version(void *ctx) {
    (void)ctx;
    return cs_wine_version();
}

/* An x64 program on ARM64 is told that the processor is x64 by every older function. */
static bool processor_is_x64(void) {
    typedef BOOL(WINAPI * machine_fn)(HANDLE, USHORT *, USHORT *);
    machine_fn ask = (machine_fn)cs_late(L"kernel32.dll", "IsWow64Process2"); /* from Windows 10 1511 on */
    USHORT process, native;
    SYSTEM_INFO info;
    if (ask && ask(GetCurrentProcess(), &process, &native)) return native == IMAGE_FILE_MACHINE_AMD64;
    GetNativeSystemInfo(&info);
    return info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64;
}

void cs_win32_platform(void *ctx, cs_platform *out) {
    (void)ctx;
    typedef LONG(WINAPI * version_fn)(OSVERSIONINFOEXW *);
    version_fn ask = (version_fn)cs_late(L"ntdll.dll", "RtlGetVersion"); /* GetVersionEx answers by the manifest */
    OSVERSIONINFOEXW version = {.dwOSVersionInfoSize = sizeof version};
    *out = (cs_platform){.x64 = processor_is_x64()};
    if (!ask || ask(&version) < 0) return;
    const char *wine = cs_wine_version();
    out->build = version.dwBuildNumber;
    out->windows_10 = version.dwMajorVersion >= 10;
    snprintf(out->text, sizeof out->text, "%s%.40s%sWindows %lu.%lu.%lu%s %s", wine ? "Wine " : "", wine ? wine : "",
             wine ? " as " : "", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber,
             version.wProductType == VER_NT_WORKSTATION ? "" : " Server", out->x64 ? "x64" : "not x64");
}

static cs_status sys_computer_name(void *ctx, cs_buffer *out, cs_error *error) {
    (void)ctx;
    wchar_t name[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD size = sizeof name / sizeof *name;
    if (!GetComputerNameW(name, &size)) return cs_fail_last(error, "computer name", NULL);
    cs_buffer_clear(out);
    cs_narrow(out, name);
    return cs_buffer_check(out, error);
}

static cs_status sys_resource(void *ctx, const char *name, const void **bytes, size_t *size, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide(name, "resource", error);
    if (!wide) return error->status;
    HRSRC found = FindResourceW(NULL, wide, RT_RCDATA);
    cs_free(wide);
    HGLOBAL loaded = found ? LoadResource(NULL, found) : NULL;
    if (!loaded) return cs_fail(error, CS_E_NOT_FOUND, "resource", name, NULL);
    *bytes = LockResource(loaded);
    *size = SizeofResource(NULL, found);
    return CS_OK;
}

static cs_status sys_delete_at_restart(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide_path(path, "delete at restart", error);
    if (!wide) return error->status;
    cs_status status =
        MoveFileExW(wide, NULL, MOVEFILE_DELAY_UNTIL_REBOOT) ? CS_OK : cs_fail_last(error, "delete at restart", path);
    cs_free(wide);
    return status;
}

const cs_system *cs_system_real(void) {
    static const cs_system system = {
        .folder = sys_folder,
        .now = sys_now,
        .local_offset = sys_local_offset,
        .ticks = sys_ticks,
        .sleep = sys_sleep,
        .random = sys_random,
        .process_id = sys_process_id,
        .processors = sys_processors,
        .together = cs_win32_together,
        .is_administrator = sys_is_administrator,
        .wine_version = sys_wine_version,
        .platform = cs_win32_platform,
        .computer_name = sys_computer_name,
        .program_path = cs_win32_program_path,
        .program_file = cs_win32_program_file,
        .resource = sys_resource,
        .set_recovery_service = cs_win32_set_recovery_service,
        .recovery_service = cs_win32_recovery_service,
        .account = cs_win32_account,
        .own_variable = cs_win32_own_variable,
        .broadcast_environment = cs_win32_broadcast,
        .holders = cs_win32_holders,
        .delete_at_restart = sys_delete_at_restart,
        .run = cs_win32_run,
        .signature = cs_win32_signature,
    };
    return &system;
}
