/* memory_host.h: a whole machine in memory behind the cs_host seam, for tests.
 *
 * Windows-like: separator '\\', names compared without ASCII case, file ids that survive renames and are never used twice, share
 * modes enforced, delete on close, read-only files that cannot be deleted. A new machine has the volume C: with
 * "C:\Program Files", "C:\Windows\System32" and a user's folders, and the environment key with a PATH.
 *
 * Every call of the seam is counted and can be traced, hooked, or made to fail, before or after doing its work. Nothing here
 * allocates through cs_alloc except what the seam hands over to its caller, so that failing allocations strike only the product.
 * Paths in this header are absolute, with '\\'. */
#ifndef MEMORY_HOST_H
#define MEMORY_HOST_H

#include "cudnn_setup/host.h"

typedef struct memory_host memory_host;

memory_host *memory_host_new(void);
/* A second machine in the same state; no open files, faults, hooks or trace. */
memory_host *memory_host_clone(const memory_host *from);
void memory_host_free(memory_host *host);
/* The seam. events is NULL until memory_host_events; the struct lives as long as the machine. */
const cs_host *memory_host_seam(memory_host *host);
void memory_host_events(memory_host *host, const cs_events *events);

/* ---- files: these act like another program and are neither counted nor traced ---- */
void memory_host_folder(memory_host *host, const char *path); /* with all its parents */
/* Creates the file (and its folders) or replaces it by a new one with a new id; false if an open handle forbids it. */
bool memory_host_file(memory_host *host, const char *path, const void *bytes, size_t size);
bool memory_host_text(memory_host *host, const char *path, const char *text);
/* The content as text; NULL if there is no such file. Lives until the file changes. */
const char *memory_host_content(memory_host *host, const char *path);
bool memory_host_exists(memory_host *host, const char *path);
bool memory_host_info(memory_host *host, const char *path, cs_file_info *out);
bool memory_host_set_info(memory_host *host, const char *path, uint32_t attributes, int64_t created, int64_t written);
/* Changes one byte in place: same id. */
void memory_host_flip(memory_host *host, const char *path, size_t offset);
bool memory_host_delete(memory_host *host, const char *path);                   /* file, link or whole folder */
bool memory_host_move(memory_host *host, const char *path, const char *target); /* file or folder, keeps its id */
void memory_host_link(memory_host *host, const char *path, const char *target); /* a junction or symbolic link */
void memory_host_short_name(memory_host *host, const char *path, const char *name);
void memory_host_security(memory_host *host, const char *path, const char *sddl); /* until told: owned by Administrators */
void memory_host_map(memory_host *host, const char *path, bool mapped); /* a loaded image: can be renamed, not deleted */
/* Another program holds it open; ends with cs_fs.close. NULL if share modes forbid it. */
cs_file *memory_host_hold(memory_host *host, const char *path, cs_open_mode mode);
/* The volume of a drive ("C:" or "D:"), made if it is not there: also beside an unplugged one, as another disk. */
void memory_host_volume(memory_host *host, const char *drive, const cs_volume *volume);
void memory_host_unplug(memory_host *host, const char *drive,
                        bool unplugged);             /* the drive is not there, with all that is on it */
void memory_host_full(memory_host *host, bool full); /* no space: creating and growing fail with 112 */
/* One line per file and folder below path, sorted: name, attributes, times, size, content. Owned by the caller: free(). */
char *memory_host_dump(memory_host *host, const char *path);

/* ---- registry: not counted either ---- */
void memory_host_reg_text(memory_host *host, cs_hive hive, const char *key, const char *name, uint32_t type, const char *text);
void memory_host_reg_bytes(memory_host *host, cs_hive hive, const char *key, const char *name, uint32_t type, const void *bytes,
                           size_t size);
void memory_host_reg_delete(memory_host *host, cs_hive hive, const char *key, const char *name);
/* Text of a string value, up to its first NUL; NULL if absent. Lives until the next call. */
const char *memory_host_reg_get(memory_host *host, cs_hive hive, const char *key, const char *name);
/* One line per value, "HKLM key|name|type|hex", and per key, sorted. Owned by the caller: free(). */
char *memory_host_reg_dump(memory_host *host);

/* ---- system ---- */
typedef struct memory_system {
    int64_t now;           /* FILETIME; sleep moves it on */
    int32_t local_minutes; /* local time is ahead of UTC by */
    bool frozen;           /* ... unless this is set: retries leave no trace in file times */
    bool administrator;
    cs_account account;
    const char *own_path;        /* PATH in this process's own environment; NULL: none. Borrowed */
    const char *own_virtual_env; /* VIRTUAL_ENV there */
    const char *wine_version;
    cs_platform platform;
    const char *computer_name;
    char program_path[512];
    char program_held[512]; /* the program_path of the file that runs; memory_host_start_program, or the first to ask */
    cs_file_id program_id;
    bool service;              /* the recovery service */
    char service_program[512]; /* what it was last turned on with */
    unsigned broadcasts;
    uint32_t broadcast_deadline_ms; /* of the last one */
    cs_broadcast broadcast_answer;
    uint32_t slept_ms;
    cs_strings restart_deletes;
    cs_holders holders; /* what cs_system.holders reports for those whose module is asked about */
    /* Answers cs_system.run; NULL: CS_E_UNSUPPORTED. */
    cs_status (*run)(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error);
    void *run_ctx;
    /* Answers cs_system.signature; NULL: CS_E_UNSUPPORTED. */
    cs_status (*signature)(void *ctx, const char *path, cs_signature *out, cs_error *error);
    void *signature_ctx;
} memory_system;

memory_system *memory_host_system(memory_host *host);
/* The file that is at path now runs, whatever is there later. */
void memory_host_start_program(memory_host *host, const char *path);
void memory_host_resource(memory_host *host, const char *name, const void *bytes, size_t size);

/* ---- watching and failing the calls of the seam ---- */
typedef enum memory_when { MEMORY_BEFORE, MEMORY_AFTER } memory_when; /* the work is not done, or done and reported as failed */
typedef enum memory_span {
    MEMORY_ONCE,
    MEMORY_FOR_GOOD, /* this operation on this path, every time */
    MEMORY_KILL      /* every call from then on (except close): the process has ended */
} memory_span;

unsigned long memory_host_calls(const memory_host *host); /* since the machine was made or memory_host_restart */
/* Call number n, counted from now (1 = the next), fails with the Win32 code. */
void memory_host_fail_at(memory_host *host, unsigned long n, memory_when when, memory_span span, uint32_t code);
/* Fails every call of the operation ("rename", "reg write", ...) whose path ends with suffix, from now on. */
void memory_host_fail_on(memory_host *host, const char *operation, const char *suffix, memory_when when, uint32_t code);
bool memory_host_failed(const memory_host *host); /* a fault has struck */
/* Ends all faults and hooks, and counts from 0 again. Returns the number of files still open. */
size_t memory_host_restart(memory_host *host);
/* Called before each call; may use the functions above. NULL ends it. */
typedef void (*memory_hook)(void *ctx, memory_host *host, const char *operation, const char *path);
void memory_host_hook(memory_host *host, memory_hook hook, void *ctx);
/* Records "operation path" of each call that can change something; memory_host_trace_text is "" until then. */
void memory_host_trace(memory_host *host, bool on);
const char *memory_host_trace_text(const memory_host *host);
size_t memory_host_open_files(const memory_host *host);

#endif
