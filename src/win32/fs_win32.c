/* fs_win32.c: the file seam on Windows, open files. */
#include "win32.h"

#include <stddef.h>
#include <string.h>

#include "cudnn_setup/host.h"

typedef struct mode_row {
    DWORD access, share, disposition, flags;
} mode_row;

/* A guard must list: Windows ignores the share mode of handles that only read attributes. */
static const mode_row mode_rows[] = {
    [CS_OPEN_READ] = {GENERIC_READ, FILE_SHARE_READ, OPEN_EXISTING, 0},
    [CS_OPEN_WATCH] = {GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, OPEN_EXISTING, 0},
    [CS_OPEN_MOVE] = {GENERIC_READ | DELETE | FILE_WRITE_ATTRIBUTES, FILE_SHARE_READ, OPEN_EXISTING, 0},
    [CS_OPEN_CREATE] = {GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ, CREATE_NEW, FILE_ATTRIBUTE_NORMAL},
    [CS_OPEN_UPDATE] = {GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_ALWAYS,
                        FILE_ATTRIBUTE_NORMAL | FILE_FLAG_WRITE_THROUGH},
    [CS_OPEN_LOCK] = {GENERIC_READ | GENERIC_WRITE, 0, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_WRITE_THROUGH},
    [CS_OPEN_APPEND] = {FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE, FILE_SHARE_READ, OPEN_ALWAYS,
                        FILE_ATTRIBUTE_NORMAL},
    [CS_OPEN_FOLDER] = {FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS},
};

/* Wine opens what a Unix link leads to; only by path does it show as a reparse point. A drive's root is one there. */
bool cs_win32_wine_link(const wchar_t *wide) {
    if (!cs_wine_version() || wcslen(wide) <= 7) return false;
    DWORD attributes = GetFileAttributesW(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

/* Only disk files and folders, and no link. */
static cs_status admit(HANDLE handle, const wchar_t *wide, bool folder, const char *operation, const char *path,
                       cs_error *error) {
    FILE_ATTRIBUTE_TAG_INFO tag;
    if (GetFileType(handle) != FILE_TYPE_DISK) return cs_fail(error, CS_E_UNSUPPORTED, operation, path, "not a file on a disk");
    if (!GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag))
        return cs_fail_last(error, operation, path);
    if (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT || cs_win32_wine_link(wide))
        return cs_fail(error, CS_E_REPARSE, operation, path, NULL);
    if (folder && !(tag.FileAttributes & FILE_ATTRIBUTE_DIRECTORY)) return cs_fail_win32(error, ERROR_DIRECTORY, operation, path);
    return CS_OK;
}

cs_status cs_win32_open(const char *path, DWORD access, DWORD share, DWORD disposition, DWORD flags, const char *operation,
                        HANDLE *out, cs_error *error) {
    *out = INVALID_HANDLE_VALUE;
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide_path(path, operation, error);
    if (!wide) return error->status;
    HANDLE handle = CreateFileW(wide, access, share, NULL, disposition, flags | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    cs_status status = handle == INVALID_HANDLE_VALUE
                           ? cs_fail_last(error, operation, path)
                           : admit(handle, wide, flags & FILE_FLAG_BACKUP_SEMANTICS, operation, path, error);
    cs_free(wide);
    if (status == CS_OK)
        *out = handle;
    else if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    return status;
}

static void fs_close(void *ctx, cs_file *file) {
    (void)ctx;
    if (!file) return;
    if (file->handle != INVALID_HANDLE_VALUE) CloseHandle(file->handle);
    cs_free(file->path);
    cs_free(file);
}

/* Windows lets a read-only file's attributes be written. Wine asks Unix for write access to the file, which only root gets for a
 * read-only one; setting attributes works there without having asked. */
static DWORD wanted_access(cs_open_mode mode) {
    DWORD access = mode_rows[mode].access;
    return cs_wine_version() ? access & ~(DWORD)FILE_WRITE_ATTRIBUTES : access;
}

static cs_status fs_open(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    *out = NULL;
    const mode_row *row = &mode_rows[mode];
    cs_file *file = cs_alloc(1, sizeof *file);
    char *copy = cs_strdup(path);
    if (!file || !copy) {
        cs_free(file);
        cs_free(copy);
        return cs_fail(error, path ? CS_E_NO_MEMORY : CS_E_NAME, "open", path, NULL);
    }
    *file = (cs_file){.path = copy, .mode = mode};
    cs_status status =
        cs_win32_open(path, wanted_access(mode), row->share, row->disposition, row->flags, "open", &file->handle, error);
    if (status == CS_OK)
        *out = file;
    else
        fs_close(ctx, file);
    return status;
}

/* Windows judges by the handle's access; Wine lets any handle rename and answers other codes: so the mode is asked first. */
static cs_status need(bool has, const char *operation, const cs_file *file, cs_error *error) {
    return has ? CS_OK : cs_fail_win32(error, ERROR_ACCESS_DENIED, operation, file->path);
}

static bool can_write(const cs_file *file) { return mode_rows[file->mode].access & GENERIC_WRITE; }
static bool can_delete(const cs_file *file) { return mode_rows[file->mode].access & DELETE; }

enum { BLOCK_LIMIT = 1 << 24 }; /* one ReadFile or WriteFile; their size is a DWORD */

static OVERLAPPED at_offset(uint64_t offset) {
    OVERLAPPED at = {0};
    at.Offset = (DWORD)(offset & 0xFFFFFFFFu);
    at.OffsetHigh = (DWORD)(offset >> 32);
    return at;
}

static cs_status fs_read(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    (void)ctx;
    *got = 0;
    while (*got < size) {
        DWORD want = size - *got < BLOCK_LIMIT ? (DWORD)(size - *got) : BLOCK_LIMIT, n = 0;
        OVERLAPPED at = at_offset(offset + *got);
        if (!ReadFile(file->handle, (char *)bytes + *got, want, &n, &at)) {
            if (GetLastError() == ERROR_HANDLE_EOF) break;
            return cs_fail_last(error, "read", file->path);
        }
        if (n == 0) break;
        *got += n;
    }
    return CS_OK;
}

static cs_status fs_write(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    for (size_t done = 0; done < size;) {
        DWORD want = size - done < BLOCK_LIMIT ? (DWORD)(size - done) : BLOCK_LIMIT, n = 0;
        OVERLAPPED at = at_offset(file->mode == CS_OPEN_APPEND ? UINT64_MAX : offset + done); /* all ones: the end */
        if (!WriteFile(file->handle, (const char *)bytes + done, want, &n, &at)) return cs_fail_last(error, "write", file->path);
        if (n == 0) return cs_fail(error, CS_E_IO, "write", file->path, "nothing could be written");
        done += n;
    }
    return CS_OK;
}

/* A file system that does not know how to reserve space, as opposed to one that has none. */
static bool cannot_reserve(DWORD code) {
    return code == ERROR_CALL_NOT_IMPLEMENTED || code == ERROR_NOT_SUPPORTED || code == ERROR_INVALID_FUNCTION ||
           code == ERROR_INVALID_PARAMETER;
}

static cs_status fs_set_size(void *ctx, cs_file *file, uint64_t size, cs_error *error) {
    (void)ctx;
    FILE_ALLOCATION_INFO allocation = {.AllocationSize.QuadPart = (LONGLONG)size};
    LARGE_INTEGER end = {.QuadPart = (LONGLONG)size};
    cs_status status = need(can_write(file), "set size", file, error);
    if (status != CS_OK) return status;
    if (size && !SetFileInformationByHandle(file->handle, FileAllocationInfo, &allocation, sizeof allocation) &&
        !cannot_reserve(GetLastError()))
        return cs_fail_last(error, "set size", file->path);
    if (!SetFilePointerEx(file->handle, end, NULL, FILE_BEGIN) || !SetEndOfFile(file->handle))
        return cs_fail_last(error, "set size", file->path);
    return CS_OK;
}

static cs_status fs_flush(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    return FlushFileBuffers(file->handle) ? CS_OK : cs_fail_last(error, "flush", file->path);
}

static cs_status fs_info(void *ctx, cs_file *file, cs_file_info *out, cs_error *error) {
    (void)ctx;
    return cs_win32_info(file->handle, file->path, out, error);
}

static cs_status rename_handle(cs_file *file, const wchar_t *target, const char *new_path, bool replace, cs_error *error) {
    size_t bytes = wcslen(target) * sizeof *target;
    size_t size = offsetof(FILE_RENAME_INFO, FileName) + bytes + sizeof *target;
    FILE_RENAME_INFO *info = cs_alloc(size, 1);
    if (!info) return cs_fail(error, CS_E_NO_MEMORY, "rename", new_path, NULL);
    info->ReplaceIfExists = replace;
    info->FileNameLength = (DWORD)bytes;
    memcpy(info->FileName, target, bytes);
    BOOL done = SetFileInformationByHandle(file->handle, FileRenameInfo, info, (DWORD)size);
    DWORD code = GetLastError();
    cs_free(info);
    return done ? CS_OK : cs_fail_win32(error, code, "rename", new_path);
}

static cs_status fs_rename(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    cs_status status = need(can_delete(file), "rename", file, error);
    if (status != CS_OK) return status;
    wchar_t *target = cs_wide_path(new_path, "rename", error);
    if (!target) return error->status;
    char *copy = cs_strdup(new_path);
    status =
        copy ? rename_handle(file, target, new_path, replace, error) : cs_fail(error, CS_E_NO_MEMORY, "rename", new_path, NULL);
    cs_free(target);
    if (status != CS_OK) {
        cs_free(copy);
        return status;
    }
    cs_free(file->path);
    file->path = copy;
    return CS_OK;
}

/* Windows answers "access denied" for a read-only file and for one that runs; only its inner status tells them apart. */
static cs_status remove_failed(cs_file *file, DWORD code, LONG inner, cs_error *error) {
    static const LONG cannot_delete = (LONG)0xC0000121; /* STATUS_CANNOT_DELETE */
    FILE_ATTRIBUTE_TAG_INFO tag;
    cs_status status = cs_fail_win32(error, code, "remove", file->path);
    if (status == CS_E_ACCESS && inner == cannot_delete &&
        GetFileInformationByHandleEx(file->handle, FileAttributeTagInfo, &tag, sizeof tag) &&
        !(tag.FileAttributes & FILE_ATTRIBUTE_READONLY)) {
        status = CS_E_MAPPED;
        if (error) error->status = status;
    }
    return status;
}

static cs_status fs_remove(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    FILE_DISPOSITION_INFO gone = {.DeleteFile = TRUE};
    cs_status status = need(can_delete(file), "remove", file, error);
    if (status != CS_OK) return status;
    LONG(WINAPI * last_status)(void) = (LONG(WINAPI *)(void))cs_late(L"ntdll.dll", "RtlGetLastNtStatus");
    if (SetFileInformationByHandle(file->handle, FileDispositionInfo, &gone, sizeof gone)) return CS_OK;
    LONG inner = last_status ? last_status() : 0;
    return remove_failed(file, GetLastError(), inner, error);
}

/* What SetFileInformationByHandle can put back; the others (compressed, sparse, ...) are set by other means or not at all. */
static const DWORD settable = FILE_ATTRIBUTE_READONLY | FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ARCHIVE |
                              FILE_ATTRIBUTE_TEMPORARY | FILE_ATTRIBUTE_OFFLINE | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED;

static cs_status fs_set_info(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error) {
    (void)ctx;
    FILE_BASIC_INFO basic = {0};
    cs_status status = need(can_delete(file), "set info", file, error);
    if (status != CS_OK) return status;
    basic.CreationTime.QuadPart = info->created; /* 0 leaves a time as it is */
    basic.LastAccessTime.QuadPart = info->accessed;
    basic.LastWriteTime.QuadPart = info->written;
    basic.FileAttributes = info->attributes & settable;
    if (!basic.FileAttributes) basic.FileAttributes = FILE_ATTRIBUTE_NORMAL; /* 0 would leave them */
    if (!SetFileInformationByHandle(file->handle, FileBasicInfo, &basic, sizeof basic))
        return cs_fail_last(error, "set info", file->path);
    return CS_OK;
}

const cs_fs *cs_fs_real(void) {
    static const cs_fs fs = {
        .separator = '\\',
        .open = fs_open,
        .close = fs_close,
        .read = fs_read,
        .write = fs_write,
        .set_size = fs_set_size,
        .flush = fs_flush,
        .info = fs_info,
        .rename = fs_rename,
        .remove = fs_remove,
        .set_info = fs_set_info,
        .inherit_security = cs_win32_inherit_security,
        .stat = cs_win32_stat,
        .make_folder = cs_win32_make_folder,
        .remove_folder = cs_win32_remove_folder,
        .list = cs_win32_list,
        .sync_folder = cs_win32_sync_folder,
        .volume = cs_win32_volume,
        .security = cs_win32_security,
        .real_path = cs_win32_real_path,
    };
    return &fs;
}
