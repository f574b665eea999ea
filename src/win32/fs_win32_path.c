/* fs_win32_path.c: the file seam on Windows, by path. */
#include "win32.h"

#include <sddl.h>
#include <string.h>

static const DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static cs_file_kind kind_of(DWORD attributes) {
    if (attributes & FILE_ATTRIBUTE_REPARSE_POINT) return CS_FILE_REPARSE;
    return attributes & FILE_ATTRIBUTE_DIRECTORY ? CS_FILE_FOLDER : CS_FILE_REGULAR;
}

/* FAT and some network file systems know no 128-bit identity; theirs is the older volume serial number and index. */
static bool read_id(HANDLE handle, cs_file_id *out) {
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION old;
    *out = (cs_file_id){0};
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        out->volume = id.VolumeSerialNumber;
        memcpy(out->id, &id.FileId, sizeof out->id);
        return true;
    }
    if (!GetFileInformationByHandle(handle, &old)) return false;
    out->volume = old.dwVolumeSerialNumber;
    memcpy(out->id, &old.nFileIndexLow, 4);
    memcpy(out->id + 4, &old.nFileIndexHigh, 4);
    return true;
}

cs_status cs_win32_info(HANDLE handle, const char *path, cs_file_info *out, cs_error *error) {
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    *out = (cs_file_info){0};
    if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
        !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) || !read_id(handle, &out->id))
        return cs_fail_last(error, "info", path);
    out->kind = kind_of(basic.FileAttributes);
    out->size = standard.Directory ? 0 : (uint64_t)standard.EndOfFile.QuadPart;
    out->attributes = basic.FileAttributes;
    out->links = standard.NumberOfLinks;
    out->created = basic.CreationTime.QuadPart;
    out->accessed = basic.LastAccessTime.QuadPart;
    out->written = basic.LastWriteTime.QuadPart;
    return CS_OK;
}

cs_status cs_win32_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide_path(path, "stat", error);
    if (!wide) return error->status;
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, share_all, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    cs_status status =
        handle == INVALID_HANDLE_VALUE ? cs_fail_last(error, "stat", path) : cs_win32_info(handle, path, out, error);
    if (status == CS_OK && cs_win32_wine_link(wide)) out->kind = CS_FILE_REPARSE;
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    cs_free(wide);
    return status;
}

static const wchar_t state_sddl[] = L"O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";

cs_status cs_win32_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes};
    wchar_t *wide = cs_wide_path(path, "make folder", error);
    if (!wide) return error->status;
    BOOL done = security == CS_FOLDER_INHERIT || ConvertStringSecurityDescriptorToSecurityDescriptorW(
                                                     state_sddl, SDDL_REVISION_1, &attributes.lpSecurityDescriptor, NULL);
    done = done && CreateDirectoryW(wide, security == CS_FOLDER_STATE ? &attributes : NULL);
    cs_status status = done ? CS_OK : cs_fail_last(error, "make folder", path);
    if (attributes.lpSecurityDescriptor) LocalFree(attributes.lpSecurityDescriptor);
    cs_free(wide);
    return status;
}

/* By handle, so that a link put there meanwhile is refused and not removed. */
cs_status cs_win32_remove_folder(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    HANDLE handle;
    FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
    cs_status status = cs_win32_open(path, DELETE | FILE_READ_ATTRIBUTES | SYNCHRONIZE, share_all, OPEN_EXISTING,
                                     FILE_FLAG_BACKUP_SEMANTICS, "remove folder", &handle, error);
    if (status != CS_OK) return status;
    if (!SetFileInformationByHandle(handle, FileDispositionInfo, &gone, sizeof gone))
        status = cs_fail_last(error, "remove folder", path);
    CloseHandle(handle);
    return status;
}

static bool is_dots(const wchar_t *name, DWORD bytes) {
    return (bytes == 2 && name[0] == L'.') || (bytes == 4 && name[0] == L'.' && name[1] == L'.');
}

/* links stays 0 in a listing: the system does not say it there. */
static cs_status give_entry(const FILE_ID_BOTH_DIR_INFO *found, uint64_t volume, cs_list_entry entry, void *entry_ctx,
                            cs_error *error) {
    cs_buffer name = {0};
    cs_file_info info = {.kind = kind_of(found->FileAttributes),
                         .id.volume = volume,
                         .attributes = found->FileAttributes,
                         .created = found->CreationTime.QuadPart,
                         .accessed = found->LastAccessTime.QuadPart,
                         .written = found->LastWriteTime.QuadPart};
    if (info.kind != CS_FILE_FOLDER) info.size = (uint64_t)found->EndOfFile.QuadPart;
    memcpy(info.id.id, &found->FileId, sizeof found->FileId);
    cs_narrow_units(&name, found->FileName, found->FileNameLength / sizeof(wchar_t));
    cs_status status = cs_buffer_check(&name, error);
    if (status == CS_OK) status = entry(entry_ctx, cs_buffer_string(&name), &info);
    cs_buffer_free(&name);
    return status;
}

enum { LIST_BLOCK = 65536 };

static cs_status list_handle(HANDLE handle, const char *path, void *block, cs_list_entry entry, void *entry_ctx,
                             cs_error *error) {
    cs_file_id folder;
    cs_status status = CS_OK;
    if (!read_id(handle, &folder)) return cs_fail_last(error, "list", path);
    while (status == CS_OK) {
        if (!GetFileInformationByHandleEx(handle, FileIdBothDirectoryInfo, block, LIST_BLOCK)) {
            DWORD code = GetLastError();
            return code == ERROR_NO_MORE_FILES || code == ERROR_FILE_NOT_FOUND ? CS_OK : cs_fail_win32(error, code, "list", path);
        }
        for (const char *at = block; status == CS_OK;) {
            const FILE_ID_BOTH_DIR_INFO *found = (const void *)at;
            if (!is_dots(found->FileName, found->FileNameLength))
                status = give_entry(found, folder.volume, entry, entry_ctx, error);
            if (!found->NextEntryOffset) break;
            at += found->NextEntryOffset;
        }
    }
    return status;
}

cs_status cs_win32_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error) {
    (void)ctx;
    HANDLE handle;
    cs_status status = cs_win32_open(path, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES | SYNCHRONIZE, share_all, OPEN_EXISTING,
                                     FILE_FLAG_BACKUP_SEMANTICS, "list", &handle, error);
    if (status != CS_OK) return status;
    void *block = cs_alloc(LIST_BLOCK, 1);
    status =
        block ? list_handle(handle, path, block, entry, entry_ctx, error) : cs_fail(error, CS_E_NO_MEMORY, "list", path, NULL);
    cs_free(block);
    CloseHandle(handle);
    return status;
}

/* What file systems answer that cannot flush a folder; the same from a file's flush is a failure. */
static bool cannot_flush_folder(DWORD code) {
    return code == ERROR_INVALID_FUNCTION || code == ERROR_ACCESS_DENIED || code == ERROR_NOT_SUPPORTED ||
           code == ERROR_INVALID_PARAMETER;
}

cs_status cs_win32_sync_folder(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    HANDLE handle;
    cs_status status =
        cs_win32_open(path, GENERIC_WRITE, share_all, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, "sync folder", &handle, error);
    if (status != CS_OK) return status;
    if (!FlushFileBuffers(handle) && !cannot_flush_folder(GetLastError())) status = cs_fail_last(error, "sync folder", path);
    CloseHandle(handle);
    return status;
}
