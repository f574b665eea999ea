/* status.h: the one status type, and the error that says what was tried, on which path, and what the system answered. */
#ifndef CUDNN_SETUP_STATUS_H
#define CUDNN_SETUP_STATUS_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
/* C's own formats on Windows too: mingw's stdio provides them under -std=c11. */
#define CS_PRINTF(format_at, first_at) __attribute__((format(gnu_printf, format_at, first_at)))
#elif defined(__clang__)
#define CS_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define CS_PRINTF(format_at, first_at)
#endif

/* What happened. The first group describes a single system call, the second a whole run; cs_exit_code() maps both. */
typedef enum cs_status {
    CS_OK = 0,
    CS_E_NOT_FOUND, /* file, folder, key or value absent */
    CS_E_EXISTS,    /* the name is taken; nothing was replaced */
    CS_E_ACCESS,    /* access denied (may be a virus scanner: retried) */
    CS_E_SHARING,   /* another program has it open or locked (retried) */
    CS_E_MAPPED,    /* a mapped image: cannot be deleted or written while it runs */
    CS_E_NOT_EMPTY, /* folder not empty */
    CS_E_NO_SPACE,  /* disk full */
    CS_E_NO_MEMORY,
    CS_E_IO,          /* the device failed, or data ended early */
    CS_E_UNSUPPORTED, /* the system or the file system cannot do this */
    CS_E_NAME,        /* not a usable name or path */
    CS_E_REPARSE,     /* a link or other reparse point where none is allowed */
    CS_E_SYSTEM,      /* any other system error; see cs_error.system */

    CS_E_FORMAT,       /* malformed JSON, record or manifest */
    CS_E_TOO_BIG,      /* a bound of ours was exceeded */
    CS_E_CHANGED,      /* somebody changed it between the plan and the act */
    CS_E_USAGE,        /* bad command line: 1639 */
    CS_E_RIGHTS,       /* administrator rights are needed: 740 */
    CS_E_CANCELLED,    /* 1602 */
    CS_E_FAILED,       /* failed and everything is as before: 1603 */
    CS_E_PENDING,      /* interrupted work is pending: 1604 */
    CS_E_NOTHING,      /* nothing of ours is installed: 1605 */
    CS_E_BUSY,         /* another run holds the lock: 1618 */
    CS_E_ARCHIVE_OPEN, /* the archive cannot be opened: 1619 */
    CS_E_ARCHIVE_BAD,  /* not the expected package, or damaged: 1620 */
    CS_E_PLATFORM,     /* unsupported Windows or processor: 1633 */
    CS_E_NEWER,        /* a newer cuDNN is in the tree: 1638 */
    CS_E_TOOLKIT,      /* no usable CUDA toolkit: 1642 */
    CS_E_IN_USE,       /* running programs hold the files: 1603, with their names */
    CS_E_DIFFERS,      /* verify: something differs from the receipt: 13 */
    CS_STATUS_COUNT
} cs_status;

/* Exit codes of cudnn-setup and of the verbs that cudnn-doctor shares with it; docs/exit-codes.md explains each. */
typedef enum cs_exit {
    CS_EXIT_OK = 0,
    CS_EXIT_DIFFERS = 13,
    CS_EXIT_NO_SPACE = 112,
    CS_EXIT_RIGHTS = 740,
    CS_EXIT_CANCELLED = 1602,
    CS_EXIT_FAILED = 1603,
    CS_EXIT_PENDING = 1604,
    CS_EXIT_NOTHING = 1605,
    CS_EXIT_BUSY = 1618,
    CS_EXIT_ARCHIVE_OPEN = 1619,
    CS_EXIT_ARCHIVE_BAD = 1620,
    CS_EXIT_PLATFORM = 1633,
    CS_EXIT_NEWER = 1638,
    CS_EXIT_USAGE = 1639,
    CS_EXIT_TOOLKIT = 1642
} cs_exit;

enum { CS_ERROR_PATH = 1024, CS_ERROR_DETAIL = 768 };

/* An error, by value: holds no memory. A zeroed cs_error is "no error". All text is UTF-8. */
typedef struct cs_error {
    cs_status status;
    uint32_t system;              /* Win32 code, or errno on POSIX; 0: none */
    const char *operation;        /* what was tried: a literal such as "rename"; NULL: none */
    char path[CS_ERROR_PATH];     /* on what; longer paths are elided in the middle; "" : none */
    char detail[CS_ERROR_DETAIL]; /* a sentence for people; "" : none */
} cs_error;

/* Fills *error (which may be NULL) and returns status, so that callers can write `return cs_fail(...)`.
 * operation: a literal. path: UTF-8 or NULL. format: printf style, NULL for no sentence. Keeps error->system as 0. */
cs_status cs_fail(cs_error *error, cs_status status, const char *operation, const char *path, const char *format, ...)
    CS_PRINTF(5, 6);

/* The same for a system code: the status comes from the table for Win32 codes ... */
cs_status cs_fail_win32(cs_error *error, uint32_t code, const char *operation, const char *path);
/* ... or for errno values. */
cs_status cs_fail_errno(cs_error *error, int code, const char *operation, const char *path);

/* The one table: Win32 error code (source: winerror.h) to status. Unknown codes are CS_E_SYSTEM; 0 is CS_OK. */
cs_status cs_status_from_win32(uint32_t code);
cs_status cs_status_from_errno(int code);

/* Stable lower-case name such as "sharing violation"; never NULL. */
const char *cs_status_text(cs_status status);

/* The documented exit code for a status. System-level failures (access, I/O, ...) are 1603. */
int cs_exit_code(cs_status status);

/* One line for people, to stand inside a sentence: "cannot rename C:\x: in use by another program (32)", or with a sentence of
 * its own "C:\x: sentence". Writes at most size bytes with the terminator. */
void cs_error_text(const cs_error *error, char *text, unsigned size);
/* The same as a sentence: with a capital letter, where it does not begin with a name, and a full stop. */
void cs_error_sentence(const cs_error *error, char *text, unsigned size);

#endif
