/* fs_posix.h: what the parts of the POSIX file seam share. Included by src/posix only. */
#ifndef CUDNN_SETUP_FS_POSIX_H
#define CUDNN_SETUP_FS_POSIX_H

#include <sys/stat.h>

#include "cudnn_setup/fs.h"

struct cs_file {
    int fd;
    char *path; /* owned: the name under which the file was opened or to which it was renamed last */
    cs_open_mode mode;
};

/* Kinds of access, for the emulation of Windows share modes. */
enum { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_DELETE = 4, ACCESS_ALL = 7 };

/* Declares what this descriptor does with the file and what it lets others do meanwhile, as Windows would judge it:
 * CS_E_SHARING if another descriptor stands against it. Holds as long as the descriptor. */
cs_status cs_posix_share(int fd, unsigned access, unsigned denied, const char *path, cs_error *error);
/* True if no other descriptor of the seam has the file open at all. */
bool cs_posix_unshared(int fd);

/* A copy of path without separators at its end, freed with cs_free; NULL with *error filled. */
char *cs_posix_path(const char *path, const char *operation, cs_error *error);
void cs_posix_info(const struct stat *from, cs_file_info *out);

/* The file of this very program, for reading; path is what messages call it. */
cs_status cs_posix_program_file(const char *path, cs_file **out, cs_error *error);

/* By-path half of the seam (fs_posix_path.c). */
cs_status cs_posix_stat(void *ctx, const char *path, cs_file_info *out, cs_error *error);
cs_status cs_posix_make_folder(void *ctx, const char *path, cs_folder_security security, cs_error *error);
cs_status cs_posix_remove_folder(void *ctx, const char *path, cs_error *error);
cs_status cs_posix_list(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error);
cs_status cs_posix_sync_folder(void *ctx, const char *path, cs_error *error);
cs_status cs_posix_volume(void *ctx, const char *path, cs_volume *out, cs_error *error);
cs_status cs_posix_security(void *ctx, const char *path, cs_security *out, cs_error *error);
cs_status cs_posix_real_path(void *ctx, const char *path, cs_buffer *out, cs_error *error);

#endif
