#include "cudnn_setup/log.h"

#include <string.h>

#include "cudnn_setup/outfile.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "engine.h"

bool cs_log_is_name(const char *name, const char *extension) {
    static const char digits[] = "0123456789";
    if (strspn(name, digits) != 8 || name[8] != 'T' || strspn(name + 9, digits) != 6 || strncmp(name + 15, "Z-", 2) != 0)
        return false;
    const char *verb = name + 17;
    size_t size = strspn(verb, "abcdefghijklmnopqrstuvwxyz-");
    if (size < 2 || size > 20 || verb[0] == '-' || verb[size - 1] != '-') return false;
    const char *pid = verb + size;
    size_t count = strspn(pid, digits);
    return count >= 1 && count <= 10 && strcmp(pid + count, extension) == 0;
}

/* "20261130T023333Z-install-4711.log": the colons of the usual form are no file name. */
static void append_name(const cs_host *host, const char *verb, cs_buffer *out) {
    char time[32];
    cs_time_text(host->system->now(host->system->ctx), time);
    for (const char *p = time; *p; p++)
        if (*p != '-' && *p != ':') cs_buffer_append(out, p, 1);
    cs_buffer_format(out, "-%s-%u.log", verb, (unsigned)host->system->process_id(host->system->ctx));
}

/* A folder of ours on the way to P\logs: made if absent; one that is there must be a plain folder of administrators alone. */
static cs_status own_folder(const cs_host *host, const char *path, bool elevated, cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_status status = fs->make_folder(fs->ctx, path, CS_FOLDER_INHERIT, error);
    if (status != CS_E_EXISTS) return status;
    cs_file_info info;
    status = fs->stat(fs->ctx, path, &info, error);
    if (!status && info.kind != CS_FILE_FOLDER) status = cs_fail(error, CS_E_REPARSE, "log", path, "not a plain folder");
    if (status || !elevated) return status;
    cs_security security = {0};
    char why[256];
    status = fs->security(fs->ctx, path, &security, error);
    if (!status && !cs_security_ours(&security, why, sizeof why)) status = cs_fail(error, CS_E_ACCESS, "log", path, "%s", why);
    cs_security_free(&security);
    return status;
}

static cs_status own_folders(const cs_host *host, bool elevated, cs_buffer *out, cs_error *error) {
    const cs_system *system = host->system;
    cs_buffer base = {0};
    cs_status status = system->folder(system->ctx, elevated ? CS_FOLDER_PROGRAM_FILES : CS_FOLDER_LOCAL_APPDATA, &base, error);
    if (!status) status = cs_path_join(out, host->fs->separator, cs_buffer_string(&base), CS_NAME_PROGRAMS, error);
    if (!status) status = own_folder(host, out->data, elevated, error);
    if (!status) status = cs_path_join(&base, host->fs->separator, out->data, "logs", error);
    if (!status) status = own_folder(host, base.data, elevated, error);
    if (!status) {
        cs_buffer_free(out);
        *out = base;
        return CS_OK;
    }
    cs_buffer_free(&base);
    return status;
}

typedef struct found_names {
    const char *extension;
    cs_strings names;
} found_names;

static cs_status note_name(void *ctx, const char *name, const cs_file_info *info) {
    found_names *found = ctx;
    if (info->kind != CS_FILE_REGULAR || !cs_log_is_name(name, found->extension)) return CS_OK;
    return cs_strings_add(&found->names, name, NULL);
}

/* One that stays, because somebody reads it, is looked at again next time: no run waits for it. */
static void remove_file(const cs_host *host, const char *folder, const char *name) {
    cs_engine files = {.host = host, .fs = host->fs, .impatient = true};
    cs_buffer path = {0};
    if (cs_path_join(&path, host->fs->separator, folder, name, NULL) == CS_OK) cs_engine_drop(&files, path.data, NULL, NULL);
    cs_buffer_free(&path);
}

/* Names begin with the time: the smallest is the oldest. keep is how many may stay. */
static void prune(const cs_host *host, const char *folder, const char *extension, size_t keep) {
    found_names found = {.extension = extension};
    if (host->fs->list(host->fs->ctx, folder, note_name, &found, NULL) == CS_OK)
        for (size_t left = found.names.count; left > keep; left--) {
            size_t oldest = 0;
            for (size_t i = 1; i < left; i++)
                if (strcmp(found.names.items[i], found.names.items[oldest]) < 0) oldest = i;
            remove_file(host, folder, found.names.items[oldest]);
            char *gone = found.names.items[oldest];
            found.names.items[oldest] = found.names.items[left - 1];
            found.names.items[left - 1] = gone;
        }
    cs_strings_free(&found.names);
}

static cs_status usual_path(const cs_host *host, const char *verb, bool elevated, cs_buffer *out, cs_error *error) {
    cs_buffer folder = {0}, name = {0};
    cs_status status = own_folders(host, elevated, &folder, error);
    if (!status) {
        prune(host, folder.data, ".log", CS_LOG_KEPT - 1);
        prune(host, folder.data, ".html", CS_LOG_KEPT - 1);
        append_name(host, verb, &name);
        status = cs_buffer_check(&name, error);
    }
    if (!status) status = cs_path_join(out, host->fs->separator, folder.data, name.data, error);
    cs_buffer_free(&folder);
    cs_buffer_free(&name);
    return status;
}

cs_status cs_log_open(const cs_host *host, const char *verb, const char *given, cs_log *out, cs_error *error) {
    *out = (cs_log){.host = host, .elevated = host->system->is_administrator(host->system->ctx)};
    cs_buffer path = {0};
    cs_status status = CS_OK;
    if (given) {
        cs_buffer_text(&path, given);
        status = cs_buffer_check(&path, error);
    } else {
        status = usual_path(host, verb, out->elevated, &path, error);
    }
    if (!status) out->path = cs_strdup(path.data);
    if (!status && !out->path) status = cs_fail(error, CS_E_NO_MEMORY, "log", NULL, NULL);
    if (!status) status = cs_outfile_append(host->fs, path.data, out->elevated, &out->file, error);
    cs_buffer_free(&path);
    if (status) {
        cs_free(out->path);
        *out = (cs_log){.host = host, .elevated = out->elevated};
    }
    return status;
}

/* One line of text, without its line break, as one line of the log. */
static void add_line(const cs_log *log, cs_buffer *out, const char *time, const char *kind, const char *id, const char *text,
                     size_t size) {
    cs_buffer line = {0};
    cs_buffer_append(&line, text, size);
    cs_buffer_format(out, "%s %-8s", time, kind);
    if (id[0]) cs_buffer_format(out, "[%s] ", id);
    cs_text_visible(out, cs_buffer_string(&line));
    cs_buffer_text(out, log->host->fs->separator == '\\' ? "\r\n" : "\n");
    if (line.failed) out->failed = true;
    cs_buffer_free(&line);
}

void cs_log_write(cs_log *log, const char *kind, const char *id, const char *text) {
    if (!log->file || log->lost) return;
    const cs_fs *fs = log->host->fs;
    char time[32];
    cs_time_text(log->host->system->now(log->host->system->ctx), time);
    cs_buffer out = {0};
    for (const char *p = text;;) {
        size_t size = strcspn(p, "\n"), kept = size && p[size - 1] == '\r' ? size - 1 : size;
        add_line(log, &out, time, kind, id, p, kept);
        if (!p[size] || !p[size + 1]) break;
        p += size + 1;
    }
    cs_status status = cs_buffer_check(&out, &log->error);
    if (!status) status = fs->write(fs->ctx, log->file, 0, out.data, out.size, &log->error);
    log->lost = status != CS_OK;
    cs_buffer_free(&out);
}

void cs_log_event(cs_log *log, const cs_event *event) {
    static const char *const kinds[] = {
        [CS_EVENT_STEP] = "step", [CS_EVENT_NOTE] = "note", [CS_EVENT_DETAIL] = "detail", [CS_EVENT_WARNING] = "warning"};
    if (event->kind == CS_EVENT_PROGRESS) return;
    cs_log_write(log, kinds[event->kind], event->id ? event->id : "", event->text);
}

cs_status cs_log_close(cs_log *log, cs_error *error) {
    cs_status status = CS_OK;
    if (log->file) {
        const cs_fs *fs = log->host->fs;
        if (!log->lost) log->lost = fs->flush(fs->ctx, log->file, &log->error) != CS_OK;
        fs->close(fs->ctx, log->file);
    }
    if (log->lost) {
        status = log->error.status;
        if (error) *error = log->error;
    }
    cs_free(log->path);
    *log = (cs_log){.host = log->host};
    return status;
}

cs_status cs_log_beside(const cs_log *log, const char *extension, cs_buffer *out, cs_error *error) {
    if (!log->path) return cs_fail(error, CS_E_NOT_FOUND, "log", NULL, "there is no log to lie beside");
    size_t size = strlen(log->path);
    if (cs_text_ends_with_ascii_case(log->path, ".log")) size -= strlen(".log");
    cs_buffer_clear(out);
    cs_buffer_append(out, log->path, size);
    cs_buffer_text(out, extension);
    return cs_buffer_check(out, error);
}
