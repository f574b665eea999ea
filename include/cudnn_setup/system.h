/* system.h: the seam to everything of the system that is neither file nor registry value. */
#ifndef CUDNN_SETUP_SYSTEM_H
#define CUDNN_SETUP_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/fs.h"

#define CS_RECOVERY_SERVICE "cudnn-setup-recover" /* the service's name */

typedef enum cs_folder {
    CS_FOLDER_PROGRAM_FILES, /* FOLDERID_ProgramFilesX64; P is "cudnn-setup" below it */
    CS_FOLDER_LOCAL_APPDATA, /* FOLDERID_LocalAppData */
    CS_FOLDER_DOWNLOADS,
    CS_FOLDER_SYSTEM, /* System32 */
    CS_FOLDER_WINDOWS
} cs_folder;

typedef struct cs_platform {
    uint32_t build;  /* Windows build number, e.g. 19045; 0 on POSIX */
    bool windows_10; /* version 10.0 or later (server editions too) */
    bool x64;        /* the processor itself is x64 (an emulating ARM64 is not) */
    char text[128];  /* "Windows 10.0.19045 x64", "Wine 8.0 as Windows ..." */
} cs_platform;

/* A program that holds one of our files. */
typedef struct cs_holder {
    uint32_t pid;
    char *name;   /* owned: image name such as "python.exe" */
    char *module; /* owned: the path it holds */
} cs_holder;

typedef struct cs_holders {
    cs_holder *items;
    size_t count;
} cs_holders;

void cs_holders_free(cs_holders *holders);
cs_status cs_holders_add(cs_holders *holders, uint32_t pid, const char *name, const char *module, cs_error *error);

typedef enum cs_broadcast { CS_BROADCAST_SENT, CS_BROADCAST_SOME_HUNG, CS_BROADCAST_NEXT_SIGN_IN } cs_broadcast;

/* Whose HKCU this process sees. */
typedef enum cs_account {
    CS_ACCOUNT_DESKTOP, /* of the user at the desktop */
    CS_ACCOUNT_OTHER,   /* of another account than that user's: elevated with an administrator's password, or a service's */
    CS_ACCOUNT_ALONE    /* nobody is at a desktop that this process could see */
} cs_account;

/* A child process: program is a full path; arguments[0] is not repeated. environment: "NAME=value" strings, or NULL for ours. */
typedef struct cs_child {
    const char *program;
    const char *const *arguments;
    size_t argument_count;
    const char *const *environment;
    size_t environment_count;
    const char *folder;   /* current folder; NULL: System32 */
    uint32_t deadline_ms; /* the child and its children are ended after this */
    bool as_current;      /* keep this token even if elevated (/selftest-as:current); else an unelevated one is needed */
} cs_child;

typedef struct cs_child_result {
    uint32_t exit_code;
    bool timed_out;
    bool refused;        /* no unelevated token could be had: nothing ran */
    const char *account; /* "this user", "shell user", "LocalService": a literal */
    cs_buffer output;    /* what it wrote to standard output, at most 1 MiB */
} cs_child_result;

/* What an embedded Authenticode signature is worth. */
typedef enum cs_signature {
    CS_SIGNATURE_NONE,   /* unsigned */
    CS_SIGNATURE_NVIDIA, /* intact, trusted by this system, and the signer's certificate names NVIDIA Corporation */
    CS_SIGNATURE_OTHER,  /* intact, but somebody else's or not trusted by this system */
    CS_SIGNATURE_BROKEN  /* the file was changed after it was signed, or the signature cannot be read */
} cs_signature;

/* Work for several threads at once. */
typedef struct cs_team {
    void *arg;
    void (*work)(void *arg, unsigned index); /* in each thread, once; index < count */
    void (*wait)(void *arg);                 /* in the calling thread, every CS_TEAM_WAIT_MS while the others work */
    unsigned count;                          /* at most CS_TEAM_MAX */
} cs_team;

enum { CS_TEAM_WAIT_MS = 40, CS_TEAM_MAX = 16 };

typedef struct cs_system {
    void *ctx;
    cs_status (*folder)(void *ctx, cs_folder which, cs_buffer *out, cs_error *error); /* by API, never by environment */
    int64_t (*now)(void *ctx);                                                        /* FILETIME, UTC */
    /* Minutes that local time is ahead of UTC at that moment, summer time included; false: not known. NULL: nobody knows. */
    bool (*local_offset)(void *ctx, int64_t filetime, int32_t *minutes);
    uint64_t (*ticks)(void *ctx);                    /* monotonic milliseconds */
    void (*sleep)(void *ctx, uint32_t milliseconds); /* 0: gives the processor to another thread that waits for it, if any */
    cs_status (*random)(void *ctx, void *bytes, size_t size, cs_error *error); /* the system's generator */
    uint32_t (*process_id)(void *ctx);
    unsigned (*processors)(void *ctx);
    /* Runs team->work in up to team->count new threads, waits for all of them, and returns how many there were: a thread that
     * could not be made is left out, so work must not count on any but itself. 0: nothing ran. NULL: there are no threads, as in
     * memory, where every run must be the same step by step. */
    unsigned (*together)(void *ctx, const cs_team *team);
    cs_account (*account)(void *ctx);
    /* A variable in this process's own environment: only for the doctor, to compare with the registry. CS_E_NOT_FOUND. */
    cs_status (*own_variable)(void *ctx, const char *name, cs_buffer *out, cs_error *error);
    bool (*is_administrator)(void *ctx);    /* CheckTokenMembership(Administrators); true for SYSTEM */
    const char *(*wine_version)(void *ctx); /* "8.0", or NULL on a real Windows */
    void (*platform)(void *ctx, cs_platform *out);
    cs_status (*computer_name)(void *ctx, cs_buffer *out, cs_error *error);
    cs_status (*program_path)(void *ctx, cs_buffer *out, cs_error *error); /* this program's own file */
    /* The file that this program runs from, opened for reading; the caller closes it with the file seam. It is held from the
     * first call on (a program's first act): others may rename it, nobody may write to it, and what stands under its name by now
     * is no matter. */
    cs_status (*program_file)(void *ctx, cs_file **out, cs_error *error);
    /* An embedded resource ("cudnn-doctor.exe", "cudnn-probe.exe"); the bytes live as long as the process. CS_E_NOT_FOUND. */
    cs_status (*resource)(void *ctx, const char *name, const void **bytes, size_t *size, cs_error *error);

    /* The temporary recovery service. program: full path in P. On an off service, turning off is CS_OK. */
    cs_status (*set_recovery_service)(void *ctx, bool on, const char *program, cs_error *error);
    bool (*recovery_service)(void *ctx);
    /* WM_SETTINGCHANGE "Environment", bounded over all windows. */
    cs_status (*broadcast_environment)(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error);
    /* Which running programs hold these files: Restart Manager where it works, else the module lists. Appends to out. */
    cs_status (*holders)(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error);
    cs_status (*delete_at_restart)(void *ctx, const char *path, cs_error *error);
    /* Runs a child in a job with a deadline and no error boxes. */
    cs_status (*run)(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error);
    /* Judges the embedded signature of a file: without network (no revocation checks, no retrieval) and without windows.
     * CS_E_UNSUPPORTED where the system cannot tell (POSIX, tests in memory). */
    cs_status (*signature)(void *ctx, const char *path, cs_signature *out, cs_error *error);
} cs_system;

#endif
