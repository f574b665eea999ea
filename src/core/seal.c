#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/verb.h"

/* Nothing is kept: the reader's own size and hash of each row are what a sealed manifest is made of. */
static cs_status drop_begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    (void)ctx, (void)row, (void)size, (void)error;
    return CS_OK;
}

static cs_status drop_write(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    (void)ctx, (void)row, (void)bytes, (void)size, (void)error;
    return CS_OK;
}

static cs_status drop_end(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    (void)ctx, (void)row, (void)staged, (void)error;
    return CS_OK;
}

static cs_status write_new(const cs_host *host, const char *path, const cs_buffer *bytes, cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_file *file = NULL;
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_CREATE, &file, error);
    if (status == CS_E_EXISTS)
        return cs_fail(error, CS_E_FAILED, "write", path, "a file of this name is there and is left alone: give another name");
    if (status != CS_OK) return status;
    status = fs->write(fs->ctx, file, 0, bytes->data, bytes->size, error);
    if (status == CS_OK) status = fs->flush(fs->ctx, file, error);
    if (status != CS_OK) fs->remove(fs->ctx, file, NULL);
    fs->close(fs->ctx, file);
    return status;
}

static cs_status check_options(cs_run *run, const cs_manifest *manifest) {
    if (!run->options->out)
        return cs_fail(&run->error, CS_E_USAGE, "seal", NULL, "say with /out: where the sealed manifest goes");
    if (manifest->sealed)
        return cs_fail(&run->error, CS_E_USAGE, "seal", run->options->manifest,
                       "this manifest is sealed already; sealing starts from one that names the archive's hash");
    if (!manifest->has_archive_sha256)
        return cs_fail(&run->error, CS_E_USAGE, "seal", run->options->manifest, "this manifest does not name the archive's hash");
    return CS_OK;
}

static cs_status seal_archive(cs_run *run, const cs_manifest *manifest, cs_archive *archive, cs_buffer *out) {
    const cs_sink sink = {.begin = drop_begin, .write = drop_write, .end = drop_end};
    cs_staged staged[CS_MANIFEST_MAX_FILES];
    memset(staged, 0, sizeof staged);
    cs_emit(run->host->events, CS_EVENT_STEP, "unpack", "Taking the hash of each file");
    cs_status status = cs_archive_extract(archive, manifest, &run->outcome->trust, &sink, staged, NULL, &run->error);
    if (status == CS_OK) status = cs_manifest_seal(manifest, staged, out, &run->error);
    for (size_t i = 0; i < manifest->file_count && status == CS_OK; i++)
        status = cs_outcome_add_file(run->outcome, manifest->files[i].target, "ok", &run->error);
    return status;
}

static cs_status seal(cs_run *run, cs_manifest *manifest, cs_archive **archive, cs_buffer *out) {
    cs_strings candidates = {0};
    cs_options strict = *run->options; /* borrowed strings */
    strict.unverified_accept = false;  /* only an archive that passed the manifest's own hash is sealed */
    cs_status status = cs_package_manifest(run->host, run->options->manifest, manifest, &run->error);
    if (status == CS_OK) status = check_options(run, manifest);
    if (status == CS_OK) status = cs_package_find(run->host, run->options, manifest, &candidates, &run->error);
    if (status == CS_OK)
        status =
            cs_package_open(run->host, &strict, manifest, &candidates, NULL, NULL, archive, &run->outcome->trust, &run->error);
    if (status == CS_OK) cs_run_tell_trust(run, &run->outcome->trust);
    if (status == CS_OK) status = seal_archive(run, manifest, *archive, out);
    if (status == CS_OK) status = write_new(run->host, run->options->out, out, &run->error);
    cs_strings_free(&candidates);
    return status;
}

cs_status cs_seal(const cs_host *host, const cs_options *options, cs_outcome *outcome) {
    cs_run run = {.host = host, .options = options, .outcome = outcome, .session = {.host = host}};
    cs_manifest manifest = {0};
    cs_archive *archive = NULL;
    cs_buffer out = {0};
    cs_status status = seal(&run, &manifest, &archive, &out);
    if (status == CS_OK)
        cs_run_say(&run, "%s holds the size and SHA-256 of all %zu files of %s %s for CUDA %s%s.", options->out,
                   manifest.file_count, manifest.product, manifest.version, manifest.cuda, manifest.sample ? " (sample)" : "");
    cs_archive_close(archive);
    cs_manifest_free(&manifest);
    cs_buffer_free(&out);
    return cs_run_end(&run, status);
}
