/* The seam's file calls with the one retry rule: access denied (5), sharing violation (32) and lock violation (33) are what a
 * virus scanner or an indexer causes for a moment; everything else is an answer. */
#include "engine.h"
#include "engine_mutants.h"

enum { RETRIES = 10, RETRY_MS = 500, READ_ONLY = 0x1 };

static bool is_transient(const cs_error *error) {
    if (!error) return false;
    bool kind = error->status == CS_E_ACCESS || error->status == CS_E_SHARING;
    return kind && (error->system == 5 || error->system == 32 || error->system == 33);
}

bool cs_engine_again(const cs_host *host, cs_status status, const cs_error *error, unsigned *tries) {
    if (status == CS_OK || !is_transient(error) || *tries >= RETRIES) return false;
    ++*tries;
    host->system->sleep(host->system->ctx, RETRY_MS);
    return true;
}

static bool again(const cs_engine *engine, cs_status status, const cs_error *error, unsigned *tries) {
    return !engine->impatient && cs_engine_again(engine->host, status, error, tries);
}

cs_status cs_engine_open(cs_engine *engine, const char *path, cs_open_mode mode, cs_file **out, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->open(fs->ctx, path, mode, out, error);
    while (again(engine, status, error, &tries));
    return status;
}

cs_status cs_engine_rename(cs_engine *engine, cs_file *file, const char *path, bool replace, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->rename(fs->ctx, file, path, replace, error);
    while (again(engine, status, error, &tries));
    return status;
}

cs_status cs_engine_set_info(cs_engine *engine, cs_file *file, const cs_file_info *info, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->set_info(fs->ctx, file, info, error);
    while (again(engine, status, error, &tries));
    return status;
}

cs_status cs_engine_inherit(cs_engine *engine, cs_file *file, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->inherit_security(fs->ctx, file, error);
    while (again(engine, status, error, &tries));
    return status;
}

static cs_status expect_file(const char *path, const cs_file_info *info, cs_error *error) {
    if (info->kind == CS_FILE_REGULAR) return CS_OK;
    return cs_fail(error, CS_E_REPARSE, "open", path, "a link, a folder or something else stands where a file is due");
}

cs_status cs_engine_open_file(cs_engine *engine, const char *path, cs_file **out, cs_file_info *info, cs_error *error) {
    const cs_fs *fs = engine->fs;
    bool present = false;
    /* A folder cannot be opened as a file: the system calls that "access denied", as it does a scanner's short hold. */
    cs_status status = cs_engine_stat(engine, path, &present, info, error);
    if (status == CS_OK && !present) return cs_fail(error, CS_E_NOT_FOUND, "open", path, NULL);
    if (status == CS_OK) status = expect_file(path, info, error);
    if (status == CS_OK) status = cs_engine_open(engine, path, CS_OPEN_MOVE, out, error);
    if (status != CS_OK) return status;
    status = fs->info(fs->ctx, *out, info, error);
    if (status == CS_OK) status = expect_file(path, info, error);
    if (status == CS_OK) return CS_OK;
    fs->close(fs->ctx, *out);
    *out = NULL;
    return status;
}

cs_status cs_engine_stat(cs_engine *engine, const char *path, bool *present, cs_file_info *info, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->stat(fs->ctx, path, info, error);
    while (again(engine, status, error, &tries));
    *present = status == CS_OK;
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

cs_status cs_engine_make_folder(cs_engine *engine, const char *path, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->make_folder(fs->ctx, path, CS_FOLDER_INHERIT, error);
    while (again(engine, status, error, &tries));
    return status;
}

/* A read-only file cannot be deleted. It is about to go, so nobody misses the attribute, unless the file has another name too. */
static cs_status make_writable(cs_engine *engine, cs_file *file, const cs_file_info *info, cs_error *error) {
    if (!(info->attributes & READ_ONLY) || info->links > 1) return CS_OK;
    cs_file_info changed = *info;
    changed.attributes &= ~(uint32_t)READ_ONLY;
    return cs_engine_set_info(engine, file, &changed, error);
}

cs_status cs_engine_drop(cs_engine *engine, const char *path, const cs_file_id *id, cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_file *file = NULL;
    cs_file_info info;
    cs_status status = cs_engine_open_file(engine, path, &file, &info, error);
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    if (id && !cs_file_id_equal(id, &info.id)) {
        fs->close(fs->ctx, file);
        cs_emit(engine->host->events, CS_EVENT_WARNING, "private.foreign",
                "%s is not the file that we put there; it is left alone", path);
        return CS_OK;
    }
    status = make_writable(engine, file, &info, error);
    unsigned tries = 0;
    if (status == CS_OK) {
        do status = fs->remove(fs->ctx, file, error);
        while (again(engine, status, error, &tries));
    }
    fs->close(fs->ctx, file);
    return status;
}

typedef struct contents {
    cs_engine *engine;
    const char *folder;
    bool any; /* something is really there */
} contents;

/* A file whose deletion waits for somebody's handle is still listed and cannot be looked at any more. */
static cs_status find_any(void *ctx, const char *name, const cs_file_info *info) {
    contents *found = ctx;
    const cs_fs *fs = found->engine->fs;
    cs_buffer path = {0};
    cs_file_info ignored;
    (void)info;
    if (found->any) return CS_OK;
    cs_buffer_format(&path, "%s%c%s", found->folder, fs->separator, name);
    cs_status status = cs_buffer_check(&path, NULL);
    if (status == CS_OK) found->any = fs->stat(fs->ctx, path.data, &ignored, NULL) == CS_OK;
    cs_buffer_free(&path);
    return status;
}

/* "Not empty" counts only if something is in it: else the folder would stay for good, and nobody would come back for it. */
static cs_status confirm_not_empty(cs_engine *engine, const char *path, cs_error *error) {
    contents found = {.engine = engine, .folder = path};
    cs_status status = engine->fs->list(engine->fs->ctx, path, find_any, &found, error);
    if (status == CS_E_NOT_FOUND || (status == CS_OK && found.any)) return CS_OK;
    if (status != CS_OK) return status;
    return cs_fail(error, CS_E_NOT_EMPTY, "remove folder", path,
                   "the system says that it is not empty, and nothing is in it: a deletion waits for another program");
}

cs_status cs_engine_remove_if_empty(cs_engine *engine, const char *path, cs_error *error) {
    const cs_fs *fs = engine->fs;
    unsigned tries = 0;
    cs_status status;
    do status = fs->remove_folder(fs->ctx, path, error);
    while (again(engine, status, error, &tries));
    if (status == CS_E_NOT_EMPTY) return confirm_not_empty(engine, path, error);
    return status == CS_E_NOT_FOUND ? CS_OK : status;
}

cs_status cs_engine_write_file(cs_engine *engine, const char *path, const void *bytes, size_t size, cs_file **keep_open,
                               cs_error *error) {
    const cs_fs *fs = engine->fs;
    cs_file *file = NULL;
    cs_status status = cs_engine_open(engine, path, CS_OPEN_CREATE, &file, error);
    if (status != CS_OK) return status;
    status = fs->write(fs->ctx, file, 0, bytes, size, error);
    if (status == CS_OK && !(keep_open && CS_MUTANT(JOURNAL_UNFLUSHED))) status = fs->flush(fs->ctx, file, error);
    if (status == CS_OK && keep_open)
        *keep_open = file;
    else
        fs->close(fs->ctx, file);
    return status;
}
