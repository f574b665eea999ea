#include "cudnn_setup/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct status_row {
    const char *text;
    int exit_code;
} status_row;

static const status_row status_rows[CS_STATUS_COUNT] = {
    [CS_OK] = {"done", CS_EXIT_OK},
    [CS_E_NOT_FOUND] = {"not found", CS_EXIT_FAILED},
    [CS_E_EXISTS] = {"the name is taken", CS_EXIT_FAILED},
    [CS_E_ACCESS] = {"access denied", CS_EXIT_FAILED},
    [CS_E_SHARING] = {"in use by another program", CS_EXIT_FAILED},
    [CS_E_MAPPED] = {"loaded by a running program", CS_EXIT_FAILED},
    [CS_E_NOT_EMPTY] = {"the folder is not empty", CS_EXIT_FAILED},
    [CS_E_NO_SPACE] = {"not enough disk space", CS_EXIT_NO_SPACE},
    [CS_E_NO_MEMORY] = {"out of memory", CS_EXIT_FAILED},
    [CS_E_IO] = {"read or write failed", CS_EXIT_FAILED},
    [CS_E_UNSUPPORTED] = {"not supported here", CS_EXIT_FAILED},
    [CS_E_NAME] = {"not a usable name", CS_EXIT_FAILED},
    [CS_E_REPARSE] = {"a link where none is allowed", CS_EXIT_FAILED},
    [CS_E_SYSTEM] = {"system error", CS_EXIT_FAILED},
    [CS_E_FORMAT] = {"malformed", CS_EXIT_FAILED},
    [CS_E_TOO_BIG] = {"too big", CS_EXIT_FAILED},
    [CS_E_CHANGED] = {"changed by somebody else meanwhile", CS_EXIT_FAILED},
    [CS_E_USAGE] = {"bad command line", CS_EXIT_USAGE},
    [CS_E_RIGHTS] = {"administrator rights are needed", CS_EXIT_RIGHTS},
    [CS_E_CANCELLED] = {"cancelled", CS_EXIT_CANCELLED},
    [CS_E_FAILED] = {"failed", CS_EXIT_FAILED},
    [CS_E_PENDING] = {"interrupted work is pending", CS_EXIT_PENDING},
    [CS_E_NOTHING] = {"nothing of ours is installed", CS_EXIT_NOTHING},
    [CS_E_BUSY] = {"another run is at work", CS_EXIT_BUSY},
    [CS_E_ARCHIVE_OPEN] = {"the archive cannot be opened", CS_EXIT_ARCHIVE_OPEN},
    [CS_E_ARCHIVE_BAD] = {"not the expected archive", CS_EXIT_ARCHIVE_BAD},
    [CS_E_PLATFORM] = {"this system is not supported", CS_EXIT_PLATFORM},
    [CS_E_NEWER] = {"a newer cuDNN is installed", CS_EXIT_NEWER},
    [CS_E_TOOLKIT] = {"no usable CUDA 10.1 toolkit", CS_EXIT_TOOLKIT},
    [CS_E_IN_USE] = {"files are in use", CS_EXIT_FAILED},
    [CS_E_DIFFERS] = {"differs from what was installed", CS_EXIT_DIFFERS},
};

typedef struct code_row {
    uint32_t code;
    cs_status status;
} code_row;

/* Source: winerror.h. The names are in the comments because the core does not include Windows headers. */
static const code_row win32_rows[] = {
    {0, CS_OK},
    {2, CS_E_NOT_FOUND},      /* ERROR_FILE_NOT_FOUND */
    {3, CS_E_NOT_FOUND},      /* ERROR_PATH_NOT_FOUND */
    {5, CS_E_ACCESS},         /* ERROR_ACCESS_DENIED */
    {8, CS_E_NO_MEMORY},      /* ERROR_NOT_ENOUGH_MEMORY */
    {14, CS_E_NO_MEMORY},     /* ERROR_OUTOFMEMORY */
    {17, CS_E_UNSUPPORTED},   /* ERROR_NOT_SAME_DEVICE */
    {19, CS_E_ACCESS},        /* ERROR_WRITE_PROTECT */
    {23, CS_E_IO},            /* ERROR_CRC */
    {32, CS_E_SHARING},       /* ERROR_SHARING_VIOLATION */
    {33, CS_E_SHARING},       /* ERROR_LOCK_VIOLATION */
    {38, CS_E_IO},            /* ERROR_HANDLE_EOF */
    {39, CS_E_NO_SPACE},      /* ERROR_HANDLE_DISK_FULL */
    {50, CS_E_UNSUPPORTED},   /* ERROR_NOT_SUPPORTED */
    {53, CS_E_NOT_FOUND},     /* ERROR_BAD_NETPATH */
    {67, CS_E_NOT_FOUND},     /* ERROR_BAD_NET_NAME */
    {80, CS_E_EXISTS},        /* ERROR_FILE_EXISTS */
    {112, CS_E_NO_SPACE},     /* ERROR_DISK_FULL */
    {123, CS_E_NAME},         /* ERROR_INVALID_NAME */
    {145, CS_E_NOT_EMPTY},    /* ERROR_DIR_NOT_EMPTY */
    {161, CS_E_NAME},         /* ERROR_BAD_PATHNAME */
    {183, CS_E_EXISTS},       /* ERROR_ALREADY_EXISTS */
    {206, CS_E_NAME},         /* ERROR_FILENAME_EXCED_RANGE */
    {267, CS_E_NOT_FOUND},    /* ERROR_DIRECTORY */
    {1018, CS_E_SYSTEM},      /* ERROR_KEY_DELETED */
    {1117, CS_E_IO},          /* ERROR_IO_DEVICE */
    {1224, CS_E_MAPPED},      /* ERROR_USER_MAPPED_FILE */
    {1223, CS_E_CANCELLED},   /* ERROR_CANCELLED */
    {1314, CS_E_ACCESS},      /* ERROR_PRIVILEGE_NOT_HELD */
    {4390, CS_E_UNSUPPORTED}, /* ERROR_NOT_A_REPARSE_POINT */
};

static const code_row errno_rows[] = {
    {0, CS_OK},
    {ENOENT, CS_E_NOT_FOUND},
    {ENOTDIR, CS_E_NOT_FOUND},
    {EACCES, CS_E_ACCESS},
    {EPERM, CS_E_ACCESS},
    {EROFS, CS_E_ACCESS},
    {EEXIST, CS_E_EXISTS},
    {ENOTEMPTY, CS_E_NOT_EMPTY},
    {ENOSPC, CS_E_NO_SPACE},
    {ENOMEM, CS_E_NO_MEMORY},
    {EIO, CS_E_IO},
    {EBUSY, CS_E_SHARING},
    {EAGAIN, CS_E_SHARING},
    {ELOOP, CS_E_REPARSE},
    {ENAMETOOLONG, CS_E_NAME},
    {EINVAL, CS_E_NAME},
    {EXDEV, CS_E_UNSUPPORTED},
    {ENOSYS, CS_E_UNSUPPORTED},
};

static cs_status find_code(const code_row *rows, size_t count, uint32_t code) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].code == code) return rows[i].status;
    return CS_E_SYSTEM;
}

cs_status cs_status_from_win32(uint32_t code) { return find_code(win32_rows, sizeof win32_rows / sizeof win32_rows[0], code); }

cs_status cs_status_from_errno(int code) {
    return find_code(errno_rows, sizeof errno_rows / sizeof errno_rows[0], (uint32_t)code);
}

/* Keeps both ends of a path that is too long for the field: the drive and the file name are what people look for. */
static void copy_path(char *out, const char *path) {
    size_t size = strlen(path);
    if (size < CS_ERROR_PATH) {
        memcpy(out, path, size + 1);
        return;
    }
    size_t half = (CS_ERROR_PATH - 4) / 2;
    memcpy(out, path, half);
    memcpy(out + half, "...", 3);
    memcpy(out + half + 3, path + size - half, half + 1);
}

static void set_error(cs_error *error, cs_status status, uint32_t code, const char *operation, const char *path) {
    if (!error) return;
    error->status = status;
    error->system = code;
    error->operation = operation;
    error->path[0] = '\0';
    error->detail[0] = '\0';
    if (path) copy_path(error->path, path);
}

cs_status cs_fail(cs_error *error, cs_status status, const char *operation, const char *path, const char *format, ...) {
    set_error(error, status, 0, operation, path);
    if (error && format) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->detail, sizeof error->detail, format, arguments);
        va_end(arguments);
    }
    return status;
}

cs_status cs_fail_win32(cs_error *error, uint32_t code, const char *operation, const char *path) {
    cs_status status = cs_status_from_win32(code);
    if (status == CS_OK) status = CS_E_SYSTEM; /* a call that failed without a code has still failed */
    set_error(error, status, code, operation, path);
    return status;
}

cs_status cs_fail_errno(cs_error *error, int code, const char *operation, const char *path) {
    cs_status status = cs_status_from_errno(code);
    if (status == CS_OK) status = CS_E_SYSTEM;
    set_error(error, status, (uint32_t)code, operation, path);
    return status;
}

const char *cs_status_text(cs_status status) {
    if ((int)status < 0 || status >= CS_STATUS_COUNT) return "unknown status";
    return status_rows[status].text;
}

int cs_exit_code(cs_status status) {
    if ((int)status < 0 || status >= CS_STATUS_COUNT) return CS_EXIT_FAILED;
    return status_rows[status].exit_code;
}

/* What the short names of the calls mean to people, after "cannot"; the others are verbs already. */
static const char *words_of(const char *operation) {
    static const char *const rows[][2] = {{"SDDL", "read access rights"},
                                          {"SHA-256", "hash"},
                                          {"Windows folder", "find the folder of Windows"},
                                          {"begin", "begin work in"},
                                          {"broadcast", "tell running programs"},
                                          {"commit", "finish the change of"},
                                          {"computer name", "read the computer's name"},
                                          {"delete at restart", "have Windows delete"},
                                          {"full path", "make a full path of"},
                                          {"hold", "hold open"},
                                          {"holders", "find out which programs are running"},
                                          {"info", "look at"},
                                          {"inherit security", "set the access rights of"},
                                          {"known folder", "find a folder of Windows"},
                                          {"log", "write a log"},
                                          {"output file", "write"},
                                          {"program file", "open our own program"},
                                          {"program path", "find our own program"},
                                          {"random", "get random numbers"},
                                          {"real path", "find the real path of"},
                                          {"recovery service", "set up the recovery service"},
                                          {"registry value", "read a registry value"},
                                          {"resource", "read what this program carries:"},
                                          {"search order", "look through the search order"},
                                          {"security", "read the access rights of"},
                                          {"service", "set up the recovery service"},
                                          {"set info", "set the times and attributes of"},
                                          {"set size", "make room for"},
                                          {"signature", "check the signature of"},
                                          {"stat", "look at"},
                                          {"sync folder", "flush"},
                                          {"value name", "read the name of"},
                                          {"volume", "look at the volume of"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i][0], operation) == 0) return rows[i][1];
    return operation;
}

/* A call of the system that failed, not a verdict on the run as a whole. */
static bool is_of_a_call(cs_status status) {
    return status < CS_E_USAGE && status != CS_E_NO_SPACE && status != CS_E_UNSUPPORTED;
}

/* "C:\x: what is wrong with it", "/json C:\x: ...", "cannot read PATH: ...", or the sentence alone. */
static void detailed_text(const cs_error *error, const char *number, char *text, unsigned size) {
    const char *operation = error->operation ? error->operation : "";
    size_t path = strlen(error->path);
    const char *colon = path && error->path[path - 1] == ':' ? " " : ": "; /* an option is quoted with its own colon */
    if (path)
        snprintf(text, size, "%s%s%s%s%s%s", operation[0] == '/' ? operation : "", operation[0] == '/' ? " " : "", error->path,
                 colon, error->detail, number);
    else if (*operation && is_of_a_call(error->status))
        snprintf(text, size, "cannot %s: %s%s", words_of(operation), error->detail, number);
    else
        snprintf(text, size, "%s%s", error->detail, number);
}

void cs_error_text(const cs_error *error, char *text, unsigned size) {
    char number[16] = "";
    if (error->system) snprintf(number, sizeof number, " (%" PRIu32 ")", error->system);
    if (error->detail[0])
        detailed_text(error, number, text, size);
    else if (error->operation)
        snprintf(text, size, "cannot %s%s%s: %s%s", words_of(error->operation), error->path[0] ? " " : "", error->path,
                 cs_status_text(error->status), number);
    else
        snprintf(text, size, "%s%s%s%s", error->path, error->path[0] ? ": " : "", cs_status_text(error->status), number);
}

void cs_error_sentence(const cs_error *error, char *text, unsigned size) {
    cs_error_text(error, text, size);
    size_t length = strlen(text);
    /* A path, an option and the name of a program are left as they are written. */
    bool names_first = (error->path[0] && strncmp(text, "cannot ", 7) != 0) || strncmp(text, "cudnn-", 6) == 0;
    if (!names_first && text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
    if (length && length + 1 < size && text[length - 1] != '.') memcpy(text + length, ".", 2);
}
