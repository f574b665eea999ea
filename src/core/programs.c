#include "cudnn_setup/programs.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"

enum { ASIDE_HEX = 16, COPY_BLOCK = 64 * 1024 };

static const char *const program_names[] = {CS_PROGRAM_NAME_SETUP, CS_PROGRAM_NAME_DOCTOR, CS_PROGRAM_NAME_PROBE};
enum { PROGRAM_COUNT = sizeof program_names / sizeof program_names[0] };

/* Where a program's bytes come from: a file (setup itself) or memory (a resource). */
typedef struct source {
    const char *name;
    char *path; /* owned; NULL: memory */
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

/* Removes one file of ours by its closed name; absent is done. */
static cs_status remove_file(const cs_fs *fs, const char *path, cs_error *error) {
    cs_file *file = NULL;
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_MOVE, &file, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status == CS_OK) status = fs->remove(fs->ctx, file, error);
    fs->close(fs->ctx, file);
    return status;
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
        if (cs_programs_path(session, found.names.items[i], &path, NULL) == CS_OK) remove_file(fs, path.data, NULL);
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

static cs_status hash_source(const cs_fs *fs, const source *from, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    return from->path ? hash_path(fs, from->path, digest, error) : cs_sha256_bytes(from->bytes, from->size, digest, error);
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
        cs_status status = from->path ? cs_pe_read(fs, from->path, CS_PE_VERSION, &ours, NULL)
                                      : cs_pe_parse(from->name, from->bytes, from->size, CS_PE_VERSION, &ours, NULL);
        newer = status == CS_OK && ours.has_version && is_newer(there.file_version, ours.file_version);
    }
    cs_pe_free(&there);
    cs_pe_free(&ours);
    return newer;
}

static cs_status copy_file(const cs_fs *fs, const char *from, cs_file *to, cs_error *error) {
    cs_file *file = NULL;
    char *block = cs_alloc(COPY_BLOCK, 1);
    if (!block) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_status status = fs->open(fs->ctx, from, CS_OPEN_READ, &file, error);
    uint64_t offset = 0;
    for (size_t got = COPY_BLOCK; status == CS_OK && got == COPY_BLOCK; offset += got) {
        got = 0;
        status = fs->read(fs->ctx, file, offset, block, COPY_BLOCK, &got, error);
        if (status == CS_OK && got) status = fs->write(fs->ctx, to, offset, block, got, error);
    }
    fs->close(fs->ctx, file);
    cs_free(block);
    return status;
}

/* Renames what stands at path to ~<16 hex>.old; absent is done. The name it got is left in aside ("" if there was none). */
static cs_status move_aside(const cs_session *session, const char *path, cs_buffer *aside, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_file *file = NULL;
    cs_buffer_clear(aside);
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_MOVE, &file, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status == CS_OK) status = aside_path(session, aside, error);
    if (status == CS_OK) status = fs->rename(fs->ctx, file, aside->data, false, error);
    fs->close(fs->ctx, file);
    return status;
}

/* Writes NAME.tmp, flushes it, and gives it the name; what stood there runs on under its aside name. */
static cs_status write_program(const cs_session *session, const source *from, const char *path, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    cs_file *file = NULL;
    cs_buffer temporary = {0}, aside = {0};
    cs_buffer_format(&temporary, "%s.tmp", path);
    cs_status status = cs_buffer_check(&temporary, error);
    if (status == CS_OK) status = remove_file(fs, temporary.data, error);
    if (status == CS_OK) status = fs->open(fs->ctx, temporary.data, CS_OPEN_CREATE, &file, error);
    if (status == CS_OK)
        status =
            from->path ? copy_file(fs, from->path, file, error) : fs->write(fs->ctx, file, 0, from->bytes, from->size, error);
    if (status == CS_OK) status = fs->flush(fs->ctx, file, error);
    if (status == CS_OK) status = move_aside(session, path, &aside, error);
    if (status == CS_OK) status = fs->rename(fs->ctx, file, path, false, error);
    fs->close(fs->ctx, file);
    if (status == CS_OK && aside.size) remove_file(fs, aside.data, NULL); /* a running one waits for a later run */
    cs_buffer_free(&temporary);
    cs_buffer_free(&aside);
    return status;
}

static bool same_file(const cs_fs *fs, const char *a, const char *b) {
    cs_file_info left = {0}, right = {0};
    return fs->stat(fs->ctx, a, &left, NULL) == CS_OK && fs->stat(fs->ctx, b, &right, NULL) == CS_OK &&
           cs_file_id_equal(&left.id, &right.id);
}

static cs_status ensure_program(const cs_session *session, const source *from, cs_error *error) {
    const cs_fs *fs = session->host->fs;
    uint8_t there[CS_SHA256_SIZE], wanted[CS_SHA256_SIZE];
    cs_buffer path = {0};
    cs_status status = cs_programs_path(session, from->name, &path, error);
    bool done = status == CS_OK && from->path && same_file(fs, from->path, path.data);
    if (status == CS_OK && !done) status = hash_source(fs, from, wanted, error);
    if (status == CS_OK && !done && hash_path(fs, path.data, there, NULL) == CS_OK) {
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

static cs_status ensure_setup(const cs_session *session, cs_error *error) {
    const cs_system *system = session->host->system;
    cs_buffer own = {0};
    cs_status status = system->program_path(system->ctx, &own, error);
    const source from = {.name = CS_PROGRAM_NAME_SETUP, .path = own.data};
    if (status == CS_OK) status = ensure_program(session, &from, error);
    cs_buffer_free(&own);
    return status;
}

cs_status cs_programs_ensure(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
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

cs_status cs_programs_collect(cs_session *session, cs_error *error) {
    const cs_host *host = session->host;
    cs_status first = CS_OK;
    cs_buffer own = {0}, path = {0};
    if (host->system->program_path(host->system->ctx, &own, NULL) != CS_OK) cs_buffer_clear(&own);
    sweep(session);
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        cs_error one = {0};
        cs_status status = cs_programs_path(session, program_names[i], &path, &one);
        bool running = status == CS_OK && own.size && same_file(host->fs, own.data, path.data);
        if (status == CS_OK && !running) {
            status = remove_file(host->fs, path.data, &one);
            running = status == CS_E_ACCESS || status == CS_E_MAPPED; /* another instance of it runs */
        }
        if (running) status = retire(session, path.data, &one);
        if (status != CS_OK && first == CS_OK) {
            first = status;
            if (error) *error = one;
        }
    }
    cs_buffer_free(&own);
    cs_buffer_free(&path);
    return first;
}
