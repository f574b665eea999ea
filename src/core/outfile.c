#include "cudnn_setup/outfile.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"

enum { MAX_DEPTH = 64 };

cs_status cs_outfile_expand(const cs_system *system, const char *text, cs_buffer *out, cs_error *error) {
    static const char variable[] = "%COMPUTERNAME%";
    cs_buffer_clear(out);
    cs_buffer name = {0};
    for (const char *p = text; *p;) {
        char head[sizeof variable];
        snprintf(head, sizeof head, "%s", p);
        if (!cs_text_equal_ascii_case(head, variable)) {
            cs_buffer_append(out, p++, 1);
            continue;
        }
        cs_status status = system->computer_name(system->ctx, &name, error);
        if (status) {
            cs_buffer_free(&name);
            return status;
        }
        cs_buffer_append(out, name.data, name.size);
        p += sizeof variable - 1;
    }
    cs_buffer_free(&name);
    return cs_buffer_check(out, error);
}

#define BAD(path, ...) cs_fail(error, CS_E_NAME, "output file", path, __VA_ARGS__)

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Size of "C:\", "\\server\share\" or "/"; 0: not absolute. */
static size_t root_size(char separator, const char *path) {
    if (separator == '/') return path[0] == '/';
    if (is_letter(path[0]) && path[1] == ':' && path[2] == separator) return 3;
    if (path[0] != separator || path[1] != separator) return 0;
    size_t server = strcspn(path + 2, "\\"), size = 2 + server;
    if (!server || !path[size]) return 0;
    size_t share = strcspn(path + size + 1, "\\");
    size += 1 + share;
    return share && path[size] ? size + 1 : 0;
}

static cs_status check_component(char separator, const char *path, const char *name, size_t size, cs_error *error) {
    char copy[256];
    if (!size) return BAD(path, "an empty name between two separators or at the end");
    if (size >= sizeof copy) return BAD(path, "a name of more than %d bytes", (int)sizeof copy - 1);
    memcpy(copy, name, size);
    copy[size] = '\0';
    if (strcmp(copy, ".") == 0 || strcmp(copy, "..") == 0) return BAD(path, "\"%s\" in the path", copy);
    if (separator == '/') return CS_OK;
    if (strchr(copy, ':')) return BAD(path, "a stream (\":\") is not a file");
    if (strpbrk(copy, "/*?\"<>|")) return BAD(path, "no file name holds one of / * ? \" < > |");
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)copy[i] < 0x20) return BAD(path, "a control character in the name");
    if (copy[size - 1] == '.' || copy[size - 1] == ' ') return BAD(path, "a name that ends in a dot or a blank");
    if (cs_path_device_name(copy)) return BAD(path, "\"%s\" is a device", copy);
    return CS_OK;
}

cs_status cs_outfile_check(char separator, const char *path, cs_error *error) {
    if (separator == '\\' && (cs_text_starts_with(path, "\\\\?\\") || cs_text_starts_with(path, "\\\\.\\")))
        return BAD(path, "a device path (\\\\?\\ or \\\\.\\)");
    size_t at = root_size(separator, path);
    if (!at) return BAD(path, "not a full path");
    for (;;) {
        const char *end = strchr(path + at, separator);
        size_t size = end ? (size_t)(end - path) - at : strlen(path + at);
        cs_status status = check_component(separator, path, path + at, size, error);
        if (status || !end) return status;
        at += size + 1;
    }
}

/* Handles on the folders from the root down to the one that holds the file: while they are open nobody swaps one for a link. */
typedef struct guards {
    const cs_fs *fs;
    cs_file *items[MAX_DEPTH];
    size_t count;
} guards;

static void release(guards *held) {
    while (held->count) held->fs->close(held->fs->ctx, held->items[--held->count]);
}

static cs_status hold_one(guards *held, const char *folder, cs_error *error) {
    const cs_fs *fs = held->fs;
    if (held->count == MAX_DEPTH) return BAD(folder, "more than %d folders deep", MAX_DEPTH);
    cs_file *file;
    cs_status status = fs->open(fs->ctx, folder, CS_OPEN_FOLDER, &file, error);
    if (status) return status;
    held->items[held->count++] = file;
    cs_file_info info;
    status = fs->info(fs->ctx, file, &info, error);
    if (!status && info.kind != CS_FILE_FOLDER)
        status = cs_fail(error, CS_E_REPARSE, "output file", folder, "not a plain folder");
    return status;
}

static cs_status hold(guards *held, const char *path, cs_error *error) {
    char separator = held->fs->separator;
    size_t root = root_size(separator, path), at = root;
    cs_buffer folder = {0};
    cs_status status;
    do {
        cs_buffer_clear(&folder);
        cs_buffer_append(&folder, path, at > root ? at - 1 : at);
        status = cs_buffer_check(&folder, error);
        if (!status) status = hold_one(held, folder.data, error);
        const char *end = strchr(path + at, separator);
        at = end ? (size_t)(end - path) + 1 : 0;
    } while (!status && at);
    cs_buffer_free(&folder);
    if (status) release(held);
    return status;
}

/* A file that was there before: appended to only if it is nobody's trap. On a share the owner's SID says nothing here. */
static cs_status check_existing(const cs_fs *fs, cs_file *file, const char *path, cs_error *error) {
    cs_file_info info;
    cs_status status = fs->info(fs->ctx, file, &info, error);
    if (status) return status;
    if (info.kind != CS_FILE_REGULAR) return cs_fail(error, CS_E_REPARSE, "output file", path, "not a plain file");
    if (info.links != 1) return cs_fail(error, CS_E_REPARSE, "output file", path, "the file has %u names", (unsigned)info.links);
    if (fs->separator == '\\' && path[0] == '\\') return CS_OK;
    cs_security security = {0};
    status = fs->security(fs->ctx, path, &security, error);
    if (!status && !cs_security_is_administrative(&security, security.owner))
        status =
            cs_fail(error, CS_E_ACCESS, "output file", path, "the file belongs to %s, not to an administrator", security.owner);
    cs_security_free(&security);
    return status;
}

cs_status cs_outfile_append(const cs_fs *fs, const char *path, bool elevated, cs_file **out, cs_error *error) {
    *out = NULL;
    guards held = {.fs = fs};
    cs_status status = cs_outfile_check(fs->separator, path, error);
    if (!status && elevated) status = hold(&held, path, error);
    if (!status) status = fs->open(fs->ctx, path, CS_OPEN_APPEND, out, error);
    if (!status && elevated) status = check_existing(fs, *out, path, error);
    if (status && *out) {
        fs->close(fs->ctx, *out);
        *out = NULL;
    }
    release(&held);
    return status;
}

static cs_status write_beside(const cs_host *host, const char *path, const char *beside, const void *bytes, size_t size,
                              cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_file *file;
    cs_status status = fs->open(fs->ctx, beside, CS_OPEN_CREATE, &file, error);
    if (status) return status;
    status = fs->write(fs->ctx, file, 0, bytes, size, error);
    if (!status) status = fs->flush(fs->ctx, file, error);
    if (!status) status = fs->rename(fs->ctx, file, path, true, error);
    if (status) fs->remove(fs->ctx, file, NULL); /* the file of ours; the first error is the one that counts */
    fs->close(fs->ctx, file);
    return status;
}

cs_status cs_outfile_replace(const cs_host *host, const char *path, bool elevated, const void *bytes, size_t size,
                             cs_error *error) {
    guards held = {.fs = host->fs};
    cs_buffer beside = {0};
    uint8_t random[8];
    char digits[2 * sizeof random + 1];
    cs_status status = cs_outfile_check(host->fs->separator, path, error);
    if (!status) status = host->system->random(host->system->ctx, random, sizeof random, error);
    if (!status) {
        cs_hex(random, sizeof random, digits);
        cs_buffer_format(&beside, "%s.%s.tmp", path, digits);
        status = cs_buffer_check(&beside, error);
    }
    if (!status && elevated) status = hold(&held, path, error);
    if (!status) status = write_beside(host, path, beside.data, bytes, size, error);
    release(&held);
    cs_buffer_free(&beside);
    return status;
}

cs_status cs_outfile_check_folder(const cs_fs *fs, const char *path, cs_error *error) {
    cs_buffer folder = {0};
    cs_file_info info;
    cs_status status = cs_path_parent(&folder, path, error);
    if (status == CS_OK && fs->stat(fs->ctx, folder.data, &info, NULL) == CS_E_NOT_FOUND)
        status = cs_fail(error, CS_E_USAGE, NULL, path, "there is no folder %s", folder.data);
    cs_buffer_free(&folder);
    return status;
}

cs_status cs_outfile_check_present(const cs_fs *fs, const char *path, const char *start, cs_error *error) {
    char bytes[512];
    size_t wanted = start ? strlen(start) : sizeof bytes, got = 0;
    cs_file *file = NULL;
    if (fs->open(fs->ctx, path, CS_OPEN_WATCH, &file, NULL) != CS_OK) return CS_OK;
    cs_status status = fs->read(fs->ctx, file, 0, bytes, wanted < sizeof bytes ? wanted : sizeof bytes, &got, NULL);
    fs->close(fs->ctx, file);
    if (status != CS_OK || got == 0) return CS_OK;
    if (start ? got == wanted && memcmp(bytes, start, wanted) == 0 : !memchr(bytes, 0, got)) return CS_OK;
    return cs_fail(error, CS_E_USAGE, NULL, path, "another file stands there, and it is left alone: %s",
                   start ? "it is no earlier result of this program" : "it is no text that a log could be appended to");
}
