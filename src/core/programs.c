#include "cudnn_setup/programs.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"
#include "engine.h"

enum { ASIDE_HEX = 16, PROGRAM_MAX_BYTES = 64 * 1024 * 1024 };

static const char *const program_names[] = {CS_PROGRAM_NAME_SETUP, CS_PROGRAM_NAME_DOCTOR, CS_PROGRAM_NAME_PROBE};
enum { PROGRAM_COUNT = sizeof program_names / sizeof program_names[0] };

/* A program's bytes: a resource, or this program's own file, read once. */
typedef struct source {
    const char *name;
    const void *bytes;
    size_t size;
} source;

cs_status cs_programs_path(const cs_session *session, const char *name, cs_buffer *out, cs_error *error) {
    return cs_path_join(out, session->host->fs->separator, session->programs, name, error);
}

bool cs_programs_is_aside(const char *name) {
    if (strlen(name) != 1 + ASIDE_HEX + 4 || name[0] != '~' || strcmp(name + 1 + ASIDE_HEX, ".old") != 0) return false;
    return strspn(name + 1, "0123456789abcdef") == ASIDE_HEX;
}

static cs_status aside_path(const cs_session *session, cs_buffer *out, cs_error *error) {
    const cs_system *system = session->host->system;
    uint8_t bytes[ASIDE_HEX / 2];
    char hex[ASIDE_HEX + 1], name[ASIDE_HEX + 8];
    cs_status status = system->random(system->ctx, bytes, sizeof bytes, error);
    if (status != CS_OK) return status;
    cs_hex(bytes, sizeof bytes, hex);
    snprintf(name, sizeof name, "~%s.old", hex);
    return cs_programs_path(session, name, out, error);
}

/* The engine's file calls, with its retries, on files outside every tree. Without an error to fill they try once only. */
static cs_engine files_of(const cs_session *session) { return (cs_engine){.host = session->host, .fs = session->host->fs}; }

/* Removes one file of ours by its closed name; absent is done. */
static cs_status remove_file(const cs_session *session, const char *path, cs_error *error) {
    cs_engine files = files_of(session);
    return cs_engine_drop(&files, path, NULL, error);
}

typedef struct leftovers {
    cs_strings names;
    cs_error *error;
} leftovers;

static cs_status note_leftover(void *ctx, const char *name, const cs_file_info *info) {
    leftovers *found = ctx;
    bool ours = cs_programs_is_aside(name);
    for (size_t i = 0; i < PROGRAM_COUNT && !ours; i++) {
        size_t size = strlen(program_names[i]);
        ours = strncmp(name, program_names[i], size) == 0 && strcmp(name + size, ".tmp") == 0;
    }
    if (!ours || info->kind != CS_FILE_REGULAR) return CS_OK;
    return cs_strings_add(&found->names, name, found->error);
}

/* What earlier runs left directly in P. A file that cannot go yet (it runs) waits for the next run. */
static void sweep(const cs_session *session) {
    const cs_fs *fs = session->host->fs;
    leftovers found = {0};
    cs_buffer path = {0};
    fs->list(fs->ctx, session->programs, note_leftover, &found, NULL);
    for (size_t i = 0; i < found.names.count; i++)
        if (cs_programs_path(session, found.names.items[i], &path, NULL) == CS_OK) remove_file(session, path.data, NULL);
    cs_strings_free(&found.names);
    cs_buffer_free(&path);
}

/* ---- ensuring ---- */

static cs_status hash_path(const cs_fs *fs, const char *path, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    cs_file *file = NULL;
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_WATCH, &file, error);
    if (status == CS_OK) status = cs_sha256_file(fs, file, digest, NULL, NULL, NULL, error);
    fs->close(fs->ctx, file);
    return status;
}

static bool is_newer(const uint16_t a[4], const uint16_t b[4]) {
    for (size_t i = 0; i < 4; i++)
        if (a[i] != b[i]) return a[i] > b[i];
    return false;
}

/* True only if both carry a version and the one in P is the higher: an unreadable file in P is replaced. */
static bool present_is_newer(const cs_fs *fs, const source *from, const char *present) {
    cs_pe there = {0}, ours = {0};
    bool newer = cs_pe_read(fs, present, CS_PE_VERSION, &there, NULL) == CS_OK && there.has_version;
    if (newer) {
        cs_status status = cs_pe_parse(from->name, from->bytes, from->size, CS_PE_VERSION, &ours, NULL);
        newer = status == CS_OK && ours.has_version && is_newer(there.file_version, ours.file_version);
    }
    cs_pe_free(&there);
    cs_pe_free(&ours);
    return newer;
}

/* Renames what stands at path to new_path; absent is CS_E_NOT_FOUND. */
static cs_status rename_path(cs_engine *files, const char *path, const char *new_path, cs_error *error) {
    cs_file *file = NULL;
    cs_status status = cs_engine_open(files, path, CS_OPEN_MOVE, &file, error);
    if (status == CS_OK) status = cs_engine_rename(files, file, new_path, false, error);
    files->fs->close(files->fs->ctx, file);
    return status;
}

/* Renames what stands at path to ~<16 hex>.old; absent is done. The name it got is left in aside ("" if there was none). */
static cs_status move_aside(const cs_session *session, const char *path, cs_buffer *aside, cs_error *error) {
    cs_engine files = files_of(session);
    cs_status status = aside_path(session, aside, error);
    if (status == CS_OK) status = rename_path(&files, path, aside->data, error);
    if (status != CS_OK) cs_buffer_clear(aside);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

/* P is never left without a program that it had: uninstalling needs it. */
static void put_back(cs_engine *files, const char *aside, const char *path) {
    cs_error error = {0};
    if (rename_path(files, aside, path, &error) == CS_OK) return;
    char text[512];
    cs_error_text(&error, text, sizeof text);
    cs_emit(files->host->events, CS_EVENT_WARNING, "program.aside", "the program that was %s is now %s: %s", path, aside, text);
}

/* Gives the new file the name; what stood there runs on under its aside name, or gets its name back. */
static cs_status take_name(const cs_session *session, cs_file *file, const char *path, cs_error *error) {
    cs_engine files = files_of(session);
    cs_buffer aside = {0};
    cs_status status = move_aside(session, path, &aside, error);
    if (status == CS_OK) {
        status = cs_engine_rename(&files, file, path, false, error);
        if (aside.size && status == CS_OK) remove_file(session, aside.data, NULL); /* a running one waits for a later run */
        if (aside.size && status != CS_OK) put_back(&files, aside.data, path);
    }
    cs_buffer_free(&aside);
    return status;
}

/* Writes NAME.tmp, flushes it, and gives it the name. */
static cs_status write_program(const cs_session *session, const source *from, const char *path, cs_error *error) {
    cs_engine files = files_of(session);
    const cs_fs *fs = files.fs;
    cs_file *file = NULL;
    cs_buffer temporary = {0};
    cs_buffer_format(&temporary, "%s.tmp", path);
    cs_status status = cs_buffer_check(&temporary, error);
    if (status == CS_OK) status = remove_file(session, temporary.data, error);
    if (status == CS_OK) status = cs_engine_open(&files, temporary.data, CS_OPEN_CREATE, &file, error);
    if (status == CS_OK) status = fs->write(fs->ctx, file, 0, from->bytes, from->size, error);
    if (status == CS_OK) status = fs->flush(fs->ctx, file, error);
    if (status == CS_OK) status = take_name(session, file, path, error);
    fs->close(fs->ctx, file);
    cs_buffer_free(&temporary);
    return status;
}

static cs_status ensure_program(const cs_session *session, const source *from, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    uint8_t there[CS_SHA256_SIZE], wanted[CS_SHA256_SIZE];
    cs_buffer path = {0};
    cs_status status = cs_programs_path(session, from->name, &path, error);
    bool done = false;
    if (status == CS_OK) status = cs_sha256_bytes(from->bytes, from->size, wanted, error);
    if (status == CS_OK && hash_path(fs, path.data, there, NULL) == CS_OK) {
        done = memcmp(there, wanted, sizeof there) == 0;
        if (!done && present_is_newer(fs, from, path.data)) {
            cs_emit(session->host->events, CS_EVENT_NOTE, "program.newer", "%s is newer than this one and stays.", path.data);
            done = true;
        }
    }
    if (status == CS_OK && !done) status = write_program(session, from, path.data, error);
    cs_buffer_free(&path);
    return status;
}

/* What runs, not what stands under its name: hashed and copied from one handle and one reading. Freed with cs_free. */
static cs_status read_own(const cs_host *host, cs_file *file, source *out, cs_error *error) {
    cs_file_info info;
    size_t got = 0;
    cs_status status = host->fs->info(host->fs->ctx, file, &info, error);
    if (status != CS_OK) return status;
    if (info.size > PROGRAM_MAX_BYTES) return cs_fail(error, CS_E_TOO_BIG, "read", out->name, NULL);
    void *bytes = cs_alloc((size_t)info.size + 1, 1);
    if (!bytes) return cs_fail(error, CS_E_NO_MEMORY, "read", out->name, NULL);
    status = host->fs->read(host->fs->ctx, file, 0, bytes, (size_t)info.size, &got, error);
    if (status != CS_OK) {
        cs_free(bytes);
        return status;
    }
    out->bytes = bytes;
    out->size = got;
    return CS_OK;
}

static bool is_file_at(const cs_fs *fs, cs_file *file, const char *path) {
    cs_file_info here = {0}, there = {0};
    return fs->info(fs->ctx, file, &here, NULL) == CS_OK && fs->stat(fs->ctx, path, &there, NULL) == CS_OK &&
           cs_file_id_equal(&here.id, &there.id);
}

static cs_status ensure_setup(const cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    cs_file *own = NULL;
    cs_buffer path = {0};
    source from = {.name = CS_PROGRAM_NAME_SETUP};
    cs_status status = cs_programs_path(session, from.name, &path, error);
    if (status == CS_OK) status = host->system->program_file(host->system->ctx, &own, error);
    if (status == CS_OK && !is_file_at(host->fs, own, path.data)) {
        status = read_own(host, own, &from, error);
        if (status == CS_OK) status = ensure_program(session, &from, error);
        cs_free((void *)from.bytes);
    }
    host->fs->close(host->fs->ctx, own);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_programs_ensure(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    cs_error unused = {0};
    if (!error) error = &unused;
    sweep(session);
    cs_status status = ensure_setup(session, error);
    for (size_t i = 1; i < PROGRAM_COUNT && status == CS_OK; i++) {
        source from = {.name = program_names[i]};
        status = host->system->resource(host->system->ctx, from.name, &from.bytes, &from.size, error);
        if (status == CS_E_NOT_FOUND) {
            cs_emit(host->events, CS_EVENT_WARNING, "program.missing", "This build does not carry %s; it was not placed in %s.",
                    from.name, session->programs);
            status = CS_OK;
        } else if (status == CS_OK) {
            status = ensure_program(session, &from, error);
        }
    }
    return status == CS_OK ? host->fs->sync_folder(host->fs->ctx, session->programs, error) : status;
}

/* ---- collecting ---- */

/* The running copy cannot be deleted: it gets a name that means nothing, and that name goes at the next restart. */
static cs_status retire(const cs_session *session, const char *path, cs_error *error) {
    const cs_system *system = session->host->system;
    cs_buffer aside = {0};
    cs_status status = move_aside(session, path, &aside, error);
    if (status == CS_OK && aside.size) status = system->delete_at_restart(system->ctx, aside.data, error);
    cs_buffer_free(&aside);
    return status;
}

/* error: of this one program. */
static cs_status collect_one(const cs_session *session, const char *name, cs_file *own, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_buffer path = {0};
    cs_status status = cs_programs_path(session, name, &path, error);
    bool running = status == CS_OK && own && is_file_at(fs, own, path.data);
    if (status == CS_OK && !running) {
        status = remove_file(session, path.data, error);
        running = status == CS_E_ACCESS || status == CS_E_MAPPED; /* another instance of it runs */
    }
    if (running) status = retire(session, path.data, error);
    cs_buffer_free(&path);
    return status;
}

cs_status cs_programs_collect(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    cs_status first = CS_OK;
    cs_file *own = NULL;
    if (host->system->program_file(host->system->ctx, &own, NULL) != CS_OK) own = NULL;
    sweep(session);
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        cs_error one = {0};
        cs_status status = collect_one(session, program_names[i], own, &one);
        if (status != CS_OK && first == CS_OK) {
            first = status;
            if (error) *error = one;
        }
    }
    host->fs->close(host->fs->ctx, own);
    return first;
}
