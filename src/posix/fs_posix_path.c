/* fs_posix_path.c: the file seam on Linux, by path. */
#define _GNU_SOURCE
#include "fs_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

static int64_t to_filetime(struct timespec time) {
    return (int64_t)time.tv_sec * 10000000 + time.tv_nsec / 100 + 116444736000000000; /* 1601 to 1970 */
}

void cs_posix_info(const struct stat *from, cs_file_info *out) {
    *out = (cs_file_info){.links = (uint32_t)from->st_nlink, .size = (uint64_t)from->st_size};
    out->kind = S_ISREG(from->st_mode)   ? CS_FILE_REGULAR
                : S_ISDIR(from->st_mode) ? CS_FILE_FOLDER
                : S_ISLNK(from->st_mode) ? CS_FILE_REPARSE
                                         : CS_FILE_OTHER;
    out->attributes = S_ISDIR(from->st_mode) ? 0x10u : from->st_mode & S_IWUSR ? 0x80u : 0x1u;
    out->id.volume = (uint64_t)from->st_dev;
    for (size_t i = 0; i < 8; i++) out->id.id[i] = (uint8_t)((uint64_t)from->st_ino >> 8 * i);
    out->accessed = to_filetime(from->st_atim);
    out->written = to_filetime(from->st_mtim);
    out->created = out->written; /* stat has no birth time; nothing can put one back either */
}

static cs_status checked_path(const char *path, const char *operation, char **out, cs_error *error) {
    *out = cs_posix_path(path, operation, error);
    if (*out) return CS_OK;
    return path && path[0] == '/' ? CS_E_NO_MEMORY : CS_E_NAME;
}

cs_status cs_posix_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error) {
    (void)ctx;
    char *clean;
    cs_status status = checked_path(path, "stat", &clean, error);
    if (status != CS_OK) return status;
    struct stat st;
    if (lstat(clean, &st) != 0)
        status = cs_fail_errno(error, errno, "stat", clean);
    else
        cs_posix_info(&st, out);
    cs_free(clean);
    return status;
}

cs_status cs_posix_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error) {
    (void)ctx;
    char *clean;
    cs_status status = checked_path(path, "make folder", &clean, error);
    if (status != CS_OK) return status;
    if (mkdir(clean, security == CS_FOLDER_STATE ? 0700 : 0777) != 0) status = cs_fail_errno(error, errno, "make folder", clean);
    cs_free(clean);
    return status;
}

/* Opens a folder without following a link in the last component. */
static cs_status open_folder(const char *path, const char *operation, int *fd, cs_error *error) {
    struct stat st;
    char *clean;
    cs_status status = checked_path(path, operation, &clean, error);
    if (status != CS_OK) return status;
    *fd = open(clean, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0) {
        int code = errno;
        if (code == ENOTDIR && lstat(clean, &st) == 0 && S_ISLNK(st.st_mode)) code = ELOOP;
        status = cs_fail_errno(error, code, operation, clean);
    }
    cs_free(clean);
    return status;
}

cs_status cs_posix_remove_folder(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    int fd;
    cs_status status = open_folder(path, "remove folder", &fd, error);
    if (status != CS_OK) return status;
    status = cs_posix_share(fd, ACCESS_DELETE, 0, path, error);
    if (status == CS_OK && rmdir(path) != 0) status = cs_fail_errno(error, errno, "remove folder", path);
    close(fd);
    return status;
}

cs_status cs_posix_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error) {
    (void)ctx;
    int fd;
    cs_status status = open_folder(path, "list", &fd, error);
    if (status != CS_OK) return status;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        status = cs_fail_errno(error, errno, "list", path);
        close(fd);
        return status;
    }
    while (status == CS_OK) {
        errno = 0;
        struct dirent *found = readdir(folder);
        if (!found) {
            if (errno) status = cs_fail_errno(error, errno, "list", path);
            break;
        }
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
        struct stat st;
        cs_file_info info;
        if (fstatat(fd, found->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno != ENOENT) status = cs_fail_errno(error, errno, "list", path); /* gone meanwhile: not there */
            continue;
        }
        cs_posix_info(&st, &info);
        status = entry(entry_ctx, found->d_name, &info);
    }
    closedir(folder);
    return status;
}

cs_status cs_posix_sync_folder(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    int fd;
    cs_status status = open_folder(path, "sync folder", &fd, error);
    if (status != CS_OK) return status;
    /* EINVAL and ENOTSUP: a file system that cannot, as fs.h allows. */
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) status = cs_fail_errno(error, errno, "sync folder", path);
    close(fd);
    return status;
}

/* Source: statfs(2). remote: not on a disk of this machine. */
static const struct {
    uint64_t magic;
    const char *name;
    bool remote;
} filesystems[] = {
    {0xEF53, "ext4", false},        {0x9123683E, "btrfs", false}, {0x58465342, "xfs", false},  {0x01021994, "tmpfs", false},
    {0x794C7630, "overlay", false}, {0x6969, "nfs", true},        {0xFE534D42, "smb2", true},  {0xFF534D42, "cifs", true},
    {0x65735546, "fuse", true},     {0x5346544E, "NTFS", false},  {0x7366746E, "NTFS", false}, {0x01021997, "9p", true},
    {0x2FC12FC1, "zfs", false},     {0xF2F52010, "f2fs", false},
};

cs_status cs_posix_volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    (void)ctx;
    struct stat st;
    struct statfs fs;
    *out = (cs_volume){0};
    if (!path || path[0] != '/') return cs_fail(error, CS_E_NAME, "volume", path, "not an absolute path");
    if (stat(path, &st) != 0 || statfs(path, &fs) != 0) return cs_fail_errno(error, errno, "volume", path);
    snprintf(out->guid_path, sizeof out->guid_path, "posix:%" PRIu64, (uint64_t)st.st_dev);
    snprintf(out->filesystem, sizeof out->filesystem, "%" PRIx64, (uint64_t)fs.f_type);
    out->local_fixed = true;
    for (size_t i = 0; i < sizeof filesystems / sizeof filesystems[0]; i++)
        if (filesystems[i].magic == (uint64_t)fs.f_type) {
            snprintf(out->filesystem, sizeof out->filesystem, "%s", filesystems[i].name);
            out->local_fixed = !filesystems[i].remote;
        }
    out->free_bytes = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
    return CS_OK;
}

/* Samba's SIDs for Unix users and groups; root is to Linux what SYSTEM is to Windows. */
static void user_sid(uid_t user, char sid[CS_SID_TEXT]) {
    if (user == 0)
        snprintf(sid, CS_SID_TEXT, "S-1-5-18");
    else
        snprintf(sid, CS_SID_TEXT, "S-1-22-1-%u", (unsigned)user);
}

/* Permission bits as a Windows mask. In a folder "w" adds and deletes entries, except that the sticky bit keeps those of others;
 * only the owner changes rights. Source of the numbers: winnt.h. */
static uint32_t to_mask(unsigned bits, bool folder, bool owner, bool sticky) {
    uint32_t mask = 0x120088; /* SYNCHRONIZE, READ_CONTROL, FILE_READ_EA, FILE_READ_ATTRIBUTES */
    if (bits & 4) mask |= 0x1;
    if (bits & 1) mask |= 0x20;
    if (bits & 2) mask |= 0x116; /* write or add file, append or add folder, write EA, write attributes */
    if (bits & 2 && folder && (owner || !sticky)) mask |= 0x40;
    if (owner) mask |= 0xD0000; /* DELETE, WRITE_DAC, WRITE_OWNER */
    return mask;
}

cs_status cs_posix_security(void *ctx, const char *path, cs_security *out, cs_error *error) {
    (void)ctx;
    cs_file_info ignored;
    struct stat st;
    *out = (cs_security){0};
    cs_status status = cs_posix_stat(NULL, path, &ignored, error);
    if (status != CS_OK) return status;
    if (lstat(path, &st) != 0) return cs_fail_errno(error, errno, "security", path);
    out->aces = cs_alloc(3, sizeof *out->aces);
    if (!out->aces) return cs_fail(error, CS_E_NO_MEMORY, "security", path, NULL);
    out->count = 3;
    bool folder = S_ISDIR(st.st_mode), sticky = st.st_mode & S_ISVTX;
    user_sid(st.st_uid, out->owner);
    user_sid(geteuid(), out->self);
    user_sid(st.st_uid, out->aces[0].sid);
    snprintf(out->aces[1].sid, CS_SID_TEXT, "S-1-22-2-%u", (unsigned)st.st_gid);
    snprintf(out->aces[2].sid, CS_SID_TEXT, "S-1-1-0");
    for (unsigned i = 0; i < 3; i++) {
        out->aces[i].allow = true;
        out->aces[i].mask = to_mask((unsigned)st.st_mode >> 3 * (2 - i) & 7u, folder, i == 0, sticky);
    }
    return CS_OK;
}

cs_status cs_posix_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    if (!path || path[0] != '/') return cs_fail(error, CS_E_NAME, "real path", path, "not an absolute path");
    char *real = realpath(path, NULL);
    if (!real) return cs_fail_errno(error, errno, "real path", path);
    cs_buffer_clear(out);
    cs_buffer_text(out, real);
    free(real);
    return cs_buffer_check(out, error);
}
