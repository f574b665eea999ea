#include "archive_internal.h"

#include <stdio.h>
#include <string.h>

const char *cs_trust_text(cs_trust_kind kind) {
    switch (kind) {
    case CS_TRUST_PINNED:
        return "pinned";
    case CS_TRUST_SEALED:
        return "sealed";
    case CS_TRUST_UNVERIFIED:
        return "unverified";
    case CS_TRUST_NONE:
        break;
    }
    return "none";
}

const char *cs_trust_mark(const cs_trust *trust) {
    if (trust->kind == CS_TRUST_UNVERIFIED) return trust->sample ? " (sample, unverified copy)" : " (unverified copy)";
    return trust->sample ? " (sample)" : "";
}

/* What keeps an archive shut, and what to do about it. */
static const char *why_shut(cs_status reason) {
    switch (reason) {
    case CS_E_NOT_FOUND:
        return "there is no such file";
    case CS_E_ACCESS:
        return "access denied; the account that runs this must be able to read it (on a share, for SYSTEM, that is the "
               "computer's "
               "own account)";
    case CS_E_SHARING:
        return "another program is writing to it; wait until the download or copy is finished";
    case CS_E_NAME:
        return "that is no path of a file";
    case CS_E_REPARSE:
        return "it is a link; give the path of the ZIP itself";
    default:
        return cs_status_text(reason);
    }
}

/* The sentence and the system's code, under the status that says "the archive cannot be opened". */
static cs_status cannot_open(cs_error *error, const char *path, cs_status reason) {
    if (reason == CS_E_NO_MEMORY) return cs_fail(error, reason, "open", path, NULL);
    char detail[CS_ERROR_DETAIL];
    uint32_t system = error ? error->system : 0;
    snprintf(detail, sizeof detail, "%.600s", error && error->detail[0] ? error->detail : why_shut(reason));
    cs_fail(error, CS_E_ARCHIVE_OPEN, "open", path, "the archive cannot be opened: %s", detail);
    if (error) error->system = system;
    return CS_E_ARCHIVE_OPEN;
}

cs_status cs_archive_open_file(const cs_host *host, const char *path, cs_file **file, uint64_t *size, cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_file_info info;
    cs_error ignored = {0};
    *file = NULL;
    /* A folder cannot be opened as a file, and "access denied" would tell nobody why. */
    bool other = fs->stat(fs->ctx, path, &info, &ignored) == CS_OK && info.kind == CS_FILE_FOLDER;
    cs_status status = other ? CS_OK : fs->open(fs->ctx, path, CS_OPEN_READ, file, error);
    if (status == CS_OK && !other) status = fs->info(fs->ctx, *file, &info, error);
    if (status != CS_OK) return cannot_open(error, path, status);
    if (info.kind == CS_FILE_FOLDER)
        return cs_fail(error, CS_E_ARCHIVE_OPEN, "open", path, "this is a folder: give the path of the ZIP itself");
    if (info.kind != CS_FILE_REGULAR)
        return cs_fail(error, CS_E_ARCHIVE_OPEN, "open", path, "this is no file: give the path of the ZIP itself");
    *size = info.size;
    return CS_OK;
}

cs_status cs_archive_open(const cs_host *host, const char *path, cs_archive **out, cs_error *error) {
    *out = NULL;
    cs_archive *archive = cs_alloc(1, sizeof *archive);
    char *copy = cs_strdup(path);
    if (!archive || !copy) {
        cs_free(archive);
        cs_free(copy);
        return cs_fail(error, CS_E_NO_MEMORY, "open", path, NULL);
    }
    archive->host = host;
    archive->path = copy;
    cs_status status = cs_archive_open_file(host, path, &archive->file, &archive->size, error);
    if (status != CS_OK) {
        cs_archive_close(archive);
        return status;
    }
    *out = archive;
    return CS_OK;
}

void cs_archive_close(cs_archive *archive) {
    if (!archive) return;
    archive->host->fs->close(archive->host->fs->ctx, archive->file);
    cs_free(archive->path);
    cs_free(archive);
}

uint64_t cs_archive_size(const cs_archive *archive) { return archive->size; }

cs_status cs_archive_read(const cs_archive *archive, uint64_t offset, void *bytes, size_t size, cs_error *error) {
    size_t got = 0;
    const cs_fs *fs = archive->host->fs;
    cs_status status = fs->read(fs->ctx, archive->file, offset, bytes, size, &got, error);
    if (status == CS_OK && got != size)
        status = cs_fail(error, CS_E_IO, "read", archive->path, "the file became shorter while it was read");
    return status;
}

cs_status cs_archive_judge(cs_archive *archive, const cs_manifest *manifest, bool accept_unverified, cs_trust *out,
                           cs_error *error) {
    *out = (cs_trust){.kind = CS_TRUST_NONE, .sample = manifest->sample};
    memcpy(out->manifest_sha256, manifest->sha256, CS_SHA256_SIZE);
    if (manifest->sealed) {
        out->kind = CS_TRUST_SEALED;
        return CS_OK;
    }
    cs_status status = cs_archive_hash(archive, out->archive_sha256, error);
    if (status != CS_OK) return status;
    out->has_archive_sha256 = true;
    if (manifest->has_archive_sha256 && memcmp(out->archive_sha256, manifest->archive_sha256, CS_SHA256_SIZE) == 0) {
        out->kind = CS_TRUST_PINNED;
        return CS_OK;
    }
    status = cs_archive_check_known_wrong(archive, manifest, out->archive_sha256, error);
    if (status == CS_OK) status = cs_archive_check_content(archive, manifest, error);
    if (status != CS_OK) return status;
    if (!accept_unverified) return cs_archive_refuse_unknown(archive, manifest, out->archive_sha256, error);
    out->kind = CS_TRUST_UNVERIFIED;
    return CS_OK;
}
