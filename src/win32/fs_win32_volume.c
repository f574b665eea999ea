/* fs_win32_volume.c: which volume a path is on, and what a path is called when links, short names and subst are resolved. */
#include "win32.h"

#include <stdio.h>
#include <string.h>

enum { PATH_UNITS = 32768 };

/* "\\?\C:\" to "C:\": the volume functions want roots without the prefix. Volume GUID paths keep it. */
static const wchar_t *bare_root(const wchar_t *root) {
    return wcsncmp(root, L"\\\\?\\", 4) == 0 && root[4] && root[5] == L':' ? root + 4 : root;
}

static void copy_text(char *out, size_t size, const wchar_t *from) {
    cs_buffer text = {0};
    cs_narrow(&text, from);
    snprintf(out, size, "%s", cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static cs_status describe(const wchar_t *root, const char *path, cs_volume *out, cs_error *error) {
    wchar_t name[64], filesystem[32];
    ULARGE_INTEGER free_bytes;
    if (GetVolumeNameForVolumeMountPointW(root, name, sizeof name / sizeof *name)) {
        copy_text(out->guid_path, sizeof out->guid_path, name);
        out->local_fixed = GetDriveTypeW(root) == DRIVE_FIXED;
    } /* a network share or a subst drive has no name of that kind: neither counts as a disk of this machine */
    if (!GetVolumeInformationW(root, NULL, 0, NULL, NULL, NULL, filesystem, sizeof filesystem / sizeof *filesystem) ||
        !GetDiskFreeSpaceExW(root, &free_bytes, NULL, NULL))
        return cs_fail_last(error, "volume", path);
    copy_text(out->filesystem, sizeof out->filesystem, filesystem);
    out->free_bytes = free_bytes.QuadPart;
    return CS_OK;
}

static bool is_network(const wchar_t *wide) {
    if (wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0) return true;
    wchar_t root[4] = {wide[4], L':', L'\\', 0};
    return GetDriveTypeW(root) == DRIVE_REMOTE;
}

/* A symbolic link may lead to a share, and opening through it would send credentials there: such a link is refused unless it can
 * be seen to stay here. Junctions cannot leave the machine. */
static cs_status check_component(const wchar_t *prefix, const char *path, cs_error *error) {
    WIN32_FIND_DATAW found;
    HANDLE search = FindFirstFileExW(prefix, FindExInfoBasic, &found, FindExSearchNameMatch, NULL, 0);
    if (search == INVALID_HANDLE_VALUE) return cs_fail_last(error, "real path", path);
    FindClose(search);
    if (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT && found.dwReserved0 == IO_REPARSE_TAG_SYMLINK)
        return cs_fail(error, CS_E_UNSUPPORTED, "real path", path, "a symbolic link, which may lead to a network path");
    return CS_OK;
}

static cs_status check_components(wchar_t *wide, const char *path, cs_error *error) {
    cs_status status = CS_OK;
    for (wchar_t *at = wide + 7; status == CS_OK && *at;) { /* behind \\?\C:\ */
        at += wcscspn(at, L"\\");
        wchar_t held = *at;
        *at = L'\0';
        status = check_component(wide, path, error);
        *at = held;
        if (held) at++;
    }
    return status;
}

static cs_status final_path(const wchar_t *wide, const char *path, cs_buffer *out, cs_error *error) {
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) return cs_fail_last(error, "real path", path);
    wchar_t *real = cs_alloc(PATH_UNITS, sizeof *real);
    DWORD size = real ? GetFinalPathNameByHandleW(handle, real, PATH_UNITS, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS) : 0;
    DWORD code = GetLastError();
    CloseHandle(handle);
    cs_status status = CS_OK;
    if (!real)
        status = cs_fail(error, CS_E_NO_MEMORY, "real path", path, NULL);
    else if (size == 0 || size >= PATH_UNITS)
        status = cs_fail_win32(error, size ? ERROR_FILENAME_EXCED_RANGE : code, "real path", path);
    else {
        cs_buffer_clear(out);
        cs_narrow_path(out, real);
        status = cs_buffer_check(out, error);
    }
    cs_free(real);
    return status;
}

cs_status cs_win32_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide_path(path, "real path", error);
    if (!wide) return error->status;
    cs_status status = is_network(wide) ? cs_fail(error, CS_E_UNSUPPORTED, "real path", path, "network paths are not opened")
                                        : check_components(wide, path, error);
    if (status == CS_OK) status = final_path(wide, path, out, error);
    cs_free(wide);
    return status;
}

/* By its real path where there is one: a subst drive has no volume of its own, the folder behind it has. */
static cs_status volume_of(const char *path, cs_volume *out, cs_error *error) {
    wchar_t *wide = cs_wide_path(path, "volume", error);
    if (!wide) return error->status;
    wchar_t *root = cs_alloc(PATH_UNITS, sizeof *root);
    cs_status status = CS_OK;
    if (!root)
        status = cs_fail(error, CS_E_NO_MEMORY, "volume", path, NULL);
    else if (GetFileAttributesW(wide) == INVALID_FILE_ATTRIBUTES || !GetVolumePathNameW(wide, root, PATH_UNITS))
        status = cs_fail_last(error, "volume", path);
    else
        status = describe(bare_root(root), path, out, error);
    cs_free(root);
    cs_free(wide);
    return status;
}

cs_status cs_win32_volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    cs_error local;
    cs_buffer real = {0};
    if (!error) error = &local;
    *out = (cs_volume){0};
    cs_status status = cs_win32_real_path(ctx, path, &real, error);
    if (status == CS_OK)
        status = volume_of(real.data, out, error);
    else if (status == CS_E_UNSUPPORTED) {
        /* On the network, or behind a symbolic link, which may lead there: what is found is at best the link's own disk. */
        status = volume_of(path, out, error);
        out->local_fixed = false;
        out->guid_path[0] = '\0';
    }
    cs_buffer_free(&real);
    return status;
}
