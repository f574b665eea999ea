/* fs_posix.c: the file seam on Linux, open files. Behaves as Windows where a test can tell the difference: share modes, flushes
 * that need write access, read-only files that can be neither deleted nor replaced. */
#define _GNU_SOURCE
#include "fs_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cudnn_setup/host.h"

typedef struct mode_row {
    int flags;
    unsigned access, denied;
} mode_row;

static const mode_row mode_rows[] = {
    [CS_OPEN_READ] = {O_RDONLY, ACCESS_READ, ACCESS_WRITE | ACCESS_DELETE},
    [CS_OPEN_WATCH] = {O_RDONLY, ACCESS_READ, 0},
    [CS_OPEN_MOVE] = {O_RDONLY, ACCESS_READ | ACCESS_DELETE, ACCESS_WRITE | ACCESS_DELETE},
    [CS_OPEN_CREATE] = {O_RDWR | O_CREAT | O_EXCL, ACCESS_ALL, ACCESS_WRITE | ACCESS_DELETE},
    [CS_OPEN_UPDATE] = {O_RDWR | O_CREAT | O_DSYNC, ACCESS_READ | ACCESS_WRITE, ACCESS_DELETE},
    [CS_OPEN_LOCK] = {O_RDWR | O_CREAT | O_DSYNC, ACCESS_READ | ACCESS_WRITE, ACCESS_ALL},
    [CS_OPEN_APPEND] = {O_RDWR | O_CREAT | O_APPEND, ACCESS_WRITE, ACCESS_WRITE | ACCESS_DELETE},
    [CS_OPEN_FOLDER] = {O_RDONLY | O_DIRECTORY, ACCESS_READ, ACCESS_DELETE},
};

static bool can_write(const cs_file *file) { return (mode_rows[file->mode].flags & O_ACCMODE) == O_RDWR; }
static bool can_delete(const cs_file *file) { return file->mode == CS_OPEN_MOVE || file->mode == CS_OPEN_CREATE; }

char *cs_posix_path(const char *path, const char *operation, cs_error *error) {
    if (!path || path[0] != '/') {
        cs_fail(error, CS_E_NAME, operation, path, "not an absolute path");
        return NULL;
    }
    char *copy = cs_strdup(path);
    if (!copy) {
        cs_fail(error, CS_E_NO_MEMORY, operation, path, NULL);
        return NULL;
    }
    size_t size = strlen(copy);
    while (size > 1 && copy[size - 1] == '/') copy[--size] = '\0';
    return copy;
}

/* The right kind of thing for the mode, and nobody against it. */
static cs_status admit(const cs_file *file, cs_error *error) {
    struct stat st;
    if (fstat(file->fd, &st) != 0) return cs_fail_errno(error, errno, "open", file->path);
    if (file->mode != CS_OPEN_FOLDER && S_ISDIR(st.st_mode)) return cs_fail_errno(error, EACCES, "open", file->path);
    if (file->mode != CS_OPEN_FOLDER && !S_ISREG(st.st_mode))
        return cs_fail(error, CS_E_UNSUPPORTED, "open", file->path, "not a regular file");
    return cs_posix_share(file->fd, mode_rows[file->mode].access, mode_rows[file->mode].denied, file->path, error);
}

static cs_status open_failed(const cs_file *file, int code, cs_error *error) {
    struct stat st; /* O_DIRECTORY answers ENOTDIR before O_NOFOLLOW can answer ELOOP */
    if (code == ENOTDIR && lstat(file->path, &st) == 0 && S_ISLNK(st.st_mode)) code = ELOOP;
    if (code == EISDIR) code = EACCES; /* as Windows answers */
    return cs_fail_errno(error, code, "open", file->path);
}

static void fs_close(void *ctx, cs_file *file) {
    (void)ctx;
    if (!file) return;
    if (file->fd >= 0) close(file->fd);
    cs_free(file->path);
    cs_free(file);
}

static cs_status fs_open(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    *out = NULL;
    cs_file *file = cs_alloc(1, sizeof *file);
    if (!file) return cs_fail(error, CS_E_NO_MEMORY, "open", path, NULL);
    file->fd = -1;
    file->mode = mode;
    cs_status status = CS_E_NO_MEMORY;
    file->path = cs_posix_path(path, "open", error);
    if (!file->path) {
        status = path && path[0] == '/' ? CS_E_NO_MEMORY : CS_E_NAME;
        goto out;
    }
    file->fd = open(file->path, mode_rows[mode].flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    status = file->fd < 0 ? open_failed(file, errno, error) : admit(file, error);
out:
    if (status == CS_OK)
        *out = file;
    else
        fs_close(ctx, file);
    return status;
}

cs_status cs_posix_program_file(const char *path, cs_file **out, cs_error *error) {
    cs_file *file = cs_alloc(1, sizeof *file);
    char *copy = cs_strdup(path);
    int fd = file && copy ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        cs_status status = file && copy ? cs_fail_errno(error, errno, "program file", path)
                                        : cs_fail(error, CS_E_NO_MEMORY, "program file", path, NULL);
        cs_free(file);
        cs_free(copy);
        return status;
    }
    *file = (cs_file){.fd = fd, .path = copy, .mode = CS_OPEN_WATCH};
    *out = file;
    return CS_OK;
}

static cs_status fs_read(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error) {
    (void)ctx;
    *got = 0;
    while (*got < size) {
        ssize_t n = pread(file->fd, (char *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cs_fail_errno(error, errno, "read", file->path);
        if (n == 0) break;
        *got += (size_t)n;
    }
    return CS_OK;
}

static cs_status fs_write(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    if (!can_write(file)) return cs_fail_errno(error, EACCES, "write", file->path);
    for (size_t done = 0; done < size;) {
        const char *from = (const char *)bytes + done;
        ssize_t n = file->mode == CS_OPEN_APPEND ? write(file->fd, from, size - done)
                                                 : pwrite(file->fd, from, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cs_fail_errno(error, errno, "write", file->path);
        if (n == 0) return cs_fail(error, CS_E_IO, "write", file->path, "nothing could be written");
        done += (size_t)n;
    }
    return CS_OK;
}

static cs_status fs_set_size(void *ctx, cs_file *file, uint64_t size, cs_error *error) {
    (void)ctx;
    if (!can_write(file)) return cs_fail_errno(error, EACCES, "set size", file->path);
    /* Reserving is an extra that not every file system has; a full disk is an answer. */
    if (size && fallocate(file->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
        return cs_fail_errno(error, errno, "set size", file->path);
    if (ftruncate(file->fd, (off_t)size) != 0) return cs_fail_errno(error, errno, "set size", file->path);
    return CS_OK;
}

static cs_status fs_flush(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    if (!can_write(file)) return cs_fail_errno(error, EACCES, "flush", file->path); /* as FlushFileBuffers */
    if (fsync(file->fd) != 0) return cs_fail_errno(error, errno, "flush", file->path);
    return CS_OK;
}

static cs_status fs_info(void *ctx, cs_file *file, cs_file_info *out, cs_error *error) {
    (void)ctx;
    struct stat st;
    if (fstat(file->fd, &st) != 0) return cs_fail_errno(error, errno, "info", file->path);
    cs_posix_info(&st, out);
    return CS_OK;
}

/* Linux has no rename or delete by descriptor: the name is checked to be the open file's right before. */
static cs_status name_is_ours(const cs_file *file, const char *operation, cs_error *error) {
    struct stat by_name, by_fd;
    if (!can_delete(file)) return cs_fail_errno(error, EACCES, operation, file->path);
    if (fstat(file->fd, &by_fd) != 0 || lstat(file->path, &by_name) != 0)
        return cs_fail_errno(error, errno, operation, file->path);
    if (by_fd.st_dev != by_name.st_dev || by_fd.st_ino != by_name.st_ino)
        return cs_fail(error, CS_E_CHANGED, operation, file->path, "the name no longer leads to the open file");
    return CS_OK;
}

/* A file that Windows would not let a rename replace: read-only, a folder, or open. */
static cs_status may_replace(const char *path, cs_error *error) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT ? CS_OK : cs_fail_errno(error, errno, "rename", path);
    struct stat st;
    bool fine = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & S_IWUSR && cs_posix_unshared(fd);
    close(fd);
    return fine ? CS_OK : cs_fail_errno(error, EACCES, "rename", path);
}

static cs_status fs_rename(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error) {
    (void)ctx;
    cs_status status = name_is_ours(file, "rename", error);
    if (status != CS_OK) return status;
    char *target = cs_posix_path(new_path, "rename", error);
    if (!target) return new_path && new_path[0] == '/' ? CS_E_NO_MEMORY : CS_E_NAME;
    status = replace ? may_replace(target, error) : CS_OK;
    if (status == CS_OK && renameat2(AT_FDCWD, file->path, AT_FDCWD, target, replace ? 0 : RENAME_NOREPLACE) != 0)
        status = errno == EINVAL ? cs_fail(error, CS_E_UNSUPPORTED, "rename", target, "no rename without replacing here")
                                 : cs_fail_errno(error, errno, "rename", target);
    if (status != CS_OK) {
        cs_free(target);
        return status;
    }
    cs_free(file->path);
    file->path = target;
    return CS_OK;
}

static cs_status fs_remove(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    cs_status status = name_is_ours(file, "remove", error);
    if (status != CS_OK) return status;
    struct stat st;
    if (fstat(file->fd, &st) != 0) return cs_fail_errno(error, errno, "remove", file->path);
    if (!(st.st_mode & S_IWUSR)) return cs_fail_errno(error, EACCES, "remove", file->path);
    if (unlink(file->path) != 0) return cs_fail_errno(error, errno, "remove", file->path);
    return CS_OK;
}

static struct timespec to_timespec(int64_t filetime) {
    if (!filetime) return (struct timespec){.tv_nsec = UTIME_OMIT}; /* as FILE_BASIC_INFO: 0 leaves it */
    int64_t since = filetime - 116444736000000000;                  /* 1601 to 1970 */
    return (struct timespec){.tv_sec = since / 10000000, .tv_nsec = since % 10000000 * 100};
}

/* The creation time cannot be set on Linux and stays. */
static cs_status fs_set_info(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error) {
    (void)ctx;
    if (!can_delete(file)) return cs_fail_errno(error, EACCES, "set info", file->path);
    struct stat st;
    if (fstat(file->fd, &st) != 0) return cs_fail_errno(error, errno, "set info", file->path);
    mode_t mode = st.st_mode & 07777;
    mode = info->attributes & 1 ? mode & (mode_t) ~(S_IWUSR | S_IWGRP | S_IWOTH) : mode | S_IWUSR;
    if (fchmod(file->fd, mode) != 0) return cs_fail_errno(error, errno, "set info", file->path);
    struct timespec times[2] = {to_timespec(info->accessed), to_timespec(info->written)};
    if (futimens(file->fd, times) != 0) return cs_fail_errno(error, errno, "set info", file->path);
    return CS_OK;
}

/* On Linux a file takes nothing from the folder it is renamed into, so what it was created with is what it would get there. */
static cs_status fs_inherit_security(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    return can_delete(file) ? CS_OK : cs_fail_errno(error, EACCES, "inherit security", file->path);
}

const cs_fs *cs_fs_real(void) {
    static const cs_fs fs = {
        .separator = '/',
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
        .inherit_security = fs_inherit_security,
        .stat = cs_posix_stat,
        .make_folder = cs_posix_make_folder,
        .remove_folder = cs_posix_remove_folder,
        .list = cs_posix_list,
        .sync_folder = cs_posix_sync_folder,
        .volume = cs_posix_volume,
        .security = cs_posix_security,
        .real_path = cs_posix_real_path,
    };
    return &fs;
}
