/* share_posix.c: Windows share modes on Linux, between programs that use this seam. Each kind of access and each denial has
 * one byte far behind the end of any file; whoever has it holds a shared record lock on that byte (open file description
 * locks: they end with the descriptor, also after a kill). Two opens at the same moment may both be refused, never both let in.
 */
#define _GNU_SOURCE
#include "fs_posix.h"

#include <errno.h>
#include <fcntl.h>

static const off_t access_base = (off_t)1 << 62;
static const off_t denied_base = ((off_t)1 << 62) + 8;

static struct flock one_byte(short type, off_t at) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

static bool hold(int fd, off_t at) {
    struct flock lock = one_byte(F_RDLCK, at);
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* True if another descriptor holds the byte; an error counts as held. */
static bool held_by_other(int fd, off_t at) {
    struct flock lock = one_byte(F_WRLCK, at);
    return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

cs_status cs_posix_share(int fd, unsigned access, unsigned denied, const char *path, cs_error *error) {
    for (unsigned i = 0; i < 3; i++) {
        if (access & 1u << i && !hold(fd, access_base + i)) return cs_fail_errno(error, errno, "share", path);
        if (denied & 1u << i && !hold(fd, denied_base + i)) return cs_fail_errno(error, errno, "share", path);
    }
    for (unsigned i = 0; i < 3; i++)
        if ((access & 1u << i && held_by_other(fd, denied_base + i)) || (denied & 1u << i && held_by_other(fd, access_base + i)))
            return cs_fail_errno(error, EBUSY, "open", path);
    return CS_OK;
}

bool cs_posix_unshared(int fd) {
    for (unsigned i = 0; i < 3; i++)
        if (held_by_other(fd, access_base + i) || held_by_other(fd, denied_base + i)) return false;
    return true;
}
