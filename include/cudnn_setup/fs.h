/* fs.h: the seam to files. Implementations: src/win32, src/posix, and the tests' own (in memory, failing, crashing).
 *
 * Paths are absolute UTF-8 (WTF-8 where Windows hands over what is not UTF-16) with the separator of the implementation, and
 * never carry the \\?\ prefix: win32 adds it. No function follows a reparse point or symbolic link in the last component.
 * No function retries, logs or guesses: the core decides. Times are FILETIMEs: 100 ns units since 1601-01-01 UTC. */
#ifndef CUDNN_SETUP_FS_H
#define CUDNN_SETUP_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/security.h"
#include "cudnn_setup/status.h"

typedef struct cs_file cs_file; /* an open file or folder; ends with close */

/* Identity of a file on its volume (FILE_ID_INFO; st_dev and st_ino on POSIX). Survives renames, not copies. */
typedef struct cs_file_id {
    uint64_t volume;
    uint8_t id[16];
} cs_file_id;

bool cs_file_id_equal(const cs_file_id *a, const cs_file_id *b);

typedef enum cs_file_kind { CS_FILE_REGULAR, CS_FILE_FOLDER, CS_FILE_REPARSE, CS_FILE_OTHER } cs_file_kind;

typedef struct cs_file_info {
    cs_file_kind kind;
    cs_file_id id;
    uint64_t size;       /* bytes */
    uint32_t attributes; /* FILE_ATTRIBUTE_* as Windows numbers them; POSIX gives 0x80 (normal), 0x1 (read-only), 0x10 (folder) */
    uint32_t links;      /* hard links */
    int64_t created, accessed, written;
} cs_file_info;

typedef enum cs_open_mode {
    CS_OPEN_READ,   /* existing file; read; others may read, nobody may write or delete while it is open */
    CS_OPEN_WATCH,  /* existing file; read; others may do anything: for files that are not ours to lock */
    CS_OPEN_MOVE,   /* existing file; read, delete, write attributes; others may only read. Allows rename, remove, set_info */
    CS_OPEN_CREATE, /* must not exist; read, write, delete, write attributes; others may only read. Default inherited rights */
    CS_OPEN_UPDATE, /* created if absent; read, write, write-through; others may read and write: `mark`, and files of ours */
    CS_OPEN_LOCK,   /* created if absent; read, write, write-through; share 0: nobody else can open it */
    CS_OPEN_APPEND, /* created if absent; every write goes to the end; others may read: logs */
    CS_OPEN_FOLDER  /* existing folder; list; others may read and write but not rename or delete it: a guard */
} cs_open_mode;

typedef struct cs_volume {
    char guid_path[64];  /* "\\?\Volume{...}\", "" if not surely local; on POSIX "posix:<device number>" */
    char filesystem[32]; /* "NTFS", "ReFS", ... */
    bool local_fixed;    /* a fixed disk of this machine; false behind a symbolic link, wherever it leads (Windows) */
    uint64_t free_bytes; /* for this caller */
} cs_volume;

typedef enum cs_folder_security {
    CS_FOLDER_INHERIT, /* what the parent hands down */
    CS_FOLDER_STATE    /* O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA), given in the creating call */
} cs_folder_security;

/* Called once per entry with its bare name; anything but CS_OK ends the listing and is returned. A listing does not know links
 * (0), and on ReFS not the whole id: what decides by them asks info or stat. */
typedef cs_status (*cs_list_entry)(void *ctx, const char *name, const cs_file_info *info);

typedef struct cs_fs {
    void *ctx;
    char separator;

    /* ---- open files ---- */
    cs_status (*open)(void *ctx, const char *path, cs_open_mode mode, cs_file **out, cs_error *error);
    void (*close)(void *ctx, cs_file *file); /* accepts NULL */
    /* Reads up to size bytes at offset; *got < size only at the end of the file. */
    cs_status (*read)(void *ctx, cs_file *file, uint64_t offset, void *bytes, size_t size, size_t *got, cs_error *error);
    /* Writes all bytes at offset (ignored by CS_OPEN_APPEND). */
    cs_status (*write)(void *ctx, cs_file *file, uint64_t offset, const void *bytes, size_t size, cs_error *error);
    /* Sets the length, reserving the space where the system can. */
    cs_status (*set_size)(void *ctx, cs_file *file, uint64_t size, cs_error *error);
    cs_status (*flush)(void *ctx, cs_file *file, cs_error *error);
    cs_status (*info)(void *ctx, cs_file *file, cs_file_info *out, cs_error *error);
    /* Renames the open file (CS_OPEN_MOVE or CS_OPEN_CREATE) to new_path on the same volume. replace false: CS_E_EXISTS if the
     * name is taken. The handle stays usable. */
    cs_status (*rename)(void *ctx, cs_file *file, const char *new_path, bool replace, cs_error *error);
    /* Deletes the open file (by handle; the name is gone when the handle is closed). */
    cs_status (*remove)(void *ctx, cs_file *file, cs_error *error);
    /* Puts attributes and the three times back. */
    cs_status (*set_info)(void *ctx, cs_file *file, const cs_file_info *info, cs_error *error);
    /* Gives the file the access rights its present parent hands down, in place of those it was created with. */
    cs_status (*inherit_security)(void *ctx, cs_file *file, cs_error *error);

    /* ---- by path ---- */
    cs_status (*stat)(void *ctx, const char *path, cs_file_info *out, cs_error *error);
    cs_status (*make_folder)(void *ctx, const char *path, cs_folder_security security, cs_error *error);   /* CS_E_EXISTS */
    cs_status (*remove_folder)(void *ctx, const char *path, cs_error *error);                              /* empty only */
    cs_status (*list)(void *ctx, const char *path, cs_list_entry entry, void *entry_ctx, cs_error *error); /* no "." or ".." */
    /* Flushes the folder's own entry list; what a file system answers that cannot (1, 5, 50, 87) counts as done. */
    cs_status (*sync_folder)(void *ctx, const char *path, cs_error *error);
    cs_status (*volume)(void *ctx, const char *path, cs_volume *out, cs_error *error);
    /* Owner and access list of a file or folder; out is filled and must be freed with cs_security_free. */
    cs_status (*security)(void *ctx, const char *path, cs_security *out, cs_error *error);
    /* The path with 8.3 names, junctions, subst drives and case resolved, for comparing; the thing must exist and be local
     * (network paths are never opened: CS_E_UNSUPPORTED). Replaces out. */
    cs_status (*real_path)(void *ctx, const char *path, cs_buffer *out, cs_error *error);
} cs_fs;

/* Conveniences built on the seam; no policy. */
cs_status cs_fs_read_all(const cs_fs *fs, const char *path, size_t limit, cs_buffer *out, cs_error *error); /* CS_E_TOO_BIG */
bool cs_fs_exists(const cs_fs *fs, const char *path); /* any kind; an error other than "not found" counts as there */

#endif
