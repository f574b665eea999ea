/* drive_fs.h: a file seam that shows folders of a POSIX seam as drives with Windows names: C: is a folder, Z: the whole file
 * system. With it the product runs on real files under Linux with the paths that it has on Windows. Letters stay different from
 * capitals, unlike there. */
#ifndef DRIVE_FS_H
#define DRIVE_FS_H

#include "cudnn_setup/fs.h"

typedef struct drive_fs {
    cs_fs seam; /* ctx is this object, which must not move */
    const cs_fs *inner;
    char *root; /* owned; what C: shows */
} drive_fs;

/* root: absolute, without links and trailing '/'. */
cs_status drive_fs_init(drive_fs *drives, const cs_fs *inner, const char *root, cs_error *error);
void drive_fs_free(drive_fs *drives);

/* "C:\\a\\b" to "<root>/a/b", "Z:\\a" to "/a"; CS_E_NAME for anything else. Replaces out. */
cs_status drive_fs_inside(const drive_fs *drives, const char *path, cs_buffer *out, cs_error *error);
/* The way back. Replaces out. */
cs_status drive_fs_outside(const drive_fs *drives, const char *path, cs_buffer *out, cs_error *error);

#endif
