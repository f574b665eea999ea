#include "cudnn_setup/stage.h"

#include <inttypes.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "engine_mutants.h"

enum { COPY_BLOCK = 256 * 1024 };

/* Room that stays free beside the file: the journal, the reserve and the file system's own bookkeeping. */
static const uint64_t spare_bytes = 4 * 1024 * 1024;

void cs_stage_start(cs_stage *stage, const cs_host *host, const char *tree_path, const char *txid, const cs_manifest *manifest) {
    *stage = (cs_stage){.host = host, .tree_path = tree_path, .manifest = manifest};
    memcpy(stage->txid, txid, sizeof stage->txid);
    for (size_t i = 0; i < manifest->file_count; i++) stage->wanted[i] = true;
}

static cs_status row_path(const cs_stage *stage, size_t row, cs_buffer *out, cs_error *error) {
    cs_blob blob = {.area = CS_AREA_NEW, .number = (unsigned)row};
    memcpy(blob.txid, stage->txid, sizeof blob.txid);
    return cs_blob_path(stage->host, stage->tree_path, &blob, out, error);
}

static cs_status no_space(const cs_stage *stage, size_t row, uint64_t size, cs_error *error) {
    cs_volume volume = {0};
    stage->host->fs->volume(stage->host->fs->ctx, stage->tree_path, &volume, NULL);
    return cs_fail(error, CS_E_NO_SPACE, "make room for", stage->manifest->files[row].target,
                   "%" PRIu64 " bytes are needed for this file and %" PRIu64 " are free on the CUDA tree's volume; nothing was "
                   "changed",
                   size + spare_bytes, volume.free_bytes);
}

static cs_status begin_row(void *ctx, size_t row, uint64_t size, cs_error *error) {
    cs_stage *stage = ctx;
    const cs_fs *fs = stage->host->fs;
    if (!stage->wanted[row]) return CS_OK;
    cs_volume volume = {0};
    cs_status status = fs->volume(fs->ctx, stage->tree_path, &volume, error);
    if (status != CS_OK) return status;
    if (volume.free_bytes < size + spare_bytes) return no_space(stage, row, size, error);
    cs_buffer path = {0};
    status = row_path(stage, row, &path, error);
    if (status == CS_OK) status = fs->open(fs->ctx, path.data, CS_OPEN_CREATE, &stage->files[row], error);
    if (status == CS_OK) status = fs->set_size(fs->ctx, stage->files[row], size, error);
    if (status == CS_E_NO_SPACE) status = no_space(stage, row, size, error);
    cs_buffer_free(&path);
    return status;
}

static cs_status write_row(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    cs_stage *stage = ctx;
    const cs_fs *fs = stage->host->fs;
    if (!stage->wanted[row]) return CS_OK;
    cs_status status = fs->write(fs->ctx, stage->files[row], stage->offsets[row], bytes, size, error);
    if (status == CS_E_NO_SPACE) return no_space(stage, row, size, error);
    stage->offsets[row] += size;
    return status;
}

static cs_status end_row(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    cs_stage *stage = ctx;
    const cs_fs *fs = stage->host->fs;
    if (!stage->wanted[row]) return CS_OK;
    if (stage->offsets[row] != staged->size)
        return cs_fail(error, CS_E_IO, "write", stage->manifest->files[row].target, "not all of its bytes were written");
    cs_status status = CS_MUTANT(STAGED_UNFLUSHED) ? CS_OK : fs->flush(fs->ctx, stage->files[row], error);
    if (status == CS_OK) status = fs->info(fs->ctx, stage->files[row], &stage->infos[row], error);
    fs->close(fs->ctx, stage->files[row]);
    stage->files[row] = NULL;
    return status;
}

cs_sink cs_stage_sink(cs_stage *stage) { return (cs_sink){.ctx = stage, .begin = begin_row, .write = write_row, .end = end_row}; }

cs_status cs_stage_unpack(cs_stage *stage, cs_archive *archive, const cs_trust *trust, cs_strings *extras, cs_error *error) {
    const cs_sink sink = cs_stage_sink(stage);
    return cs_archive_extract(archive, stage->manifest, trust, &sink, stage->staged, extras, error);
}

void cs_stage_end(cs_stage *stage) {
    for (size_t i = 0; i < CS_MANIFEST_MAX_FILES; i++) {
        if (stage->files[i]) stage->host->fs->close(stage->host->fs->ctx, stage->files[i]);
        stage->files[i] = NULL;
    }
}

bool cs_stage_is_solid(const cs_volume *volume) {
    return volume->local_fixed && (strcmp(volume->filesystem, "NTFS") == 0 || strcmp(volume->filesystem, "ReFS") == 0);
}

static cs_status copy_blocks(const cs_host *host, cs_file *from, cs_file *to, cs_error *error) {
    const cs_fs *fs = host->fs;
    char *block = cs_alloc(COPY_BLOCK, 1);
    if (!block) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_status status = CS_OK;
    uint64_t offset = 0;
    for (size_t got = COPY_BLOCK; status == CS_OK && got == COPY_BLOCK; offset += got) {
        got = 0;
        status = fs->read(fs->ctx, from, offset, block, COPY_BLOCK, &got, error);
        if (status == CS_OK && got) status = fs->write(fs->ctx, to, offset, block, got, error);
        if (status == CS_OK && cs_cancelled(host->events)) status = cs_fail(error, CS_E_CANCELLED, "copy", NULL, NULL);
    }
    cs_free(block);
    return status == CS_OK ? fs->flush(fs->ctx, to, error) : status;
}

static cs_status copy_archive(const cs_host *host, const char *source, const char *target, cs_error *error) {
    const cs_fs *fs = host->fs;
    cs_file *from = NULL, *to = NULL;
    uint64_t size = 0;
    cs_status status = cs_archive_open_file(host, source, &from, &size, error);
    if (status == CS_OK) status = fs->open(fs->ctx, target, CS_OPEN_CREATE, &to, error);
    if (status == CS_OK) status = copy_blocks(host, from, to, error);
    fs->close(fs->ctx, from);
    fs->close(fs->ctx, to);
    return status;
}

cs_status cs_stage_archive(const cs_host *host, const char *tree_path, const char *txid, const char *source, cs_buffer *out,
                           bool *copied, cs_error *error) {
    cs_volume volume = {0};
    *copied = false;
    cs_buffer_clear(out);
    if (host->fs->volume(host->fs->ctx, source, &volume, NULL) == CS_OK && cs_stage_is_solid(&volume)) {
        cs_buffer_text(out, source);
        return cs_buffer_check(out, error);
    }
    cs_buffer name = {0};
    cs_buffer_format(&name, ".cudnn-setup/%s/archive", txid);
    cs_status status = cs_buffer_check(&name, error);
    if (status == CS_OK) status = cs_path_join(out, host->fs->separator, tree_path, name.data, error);
    cs_buffer_free(&name);
    if (status != CS_OK) return status;
    cs_emit(host->events, CS_EVENT_NOTE, "archive.copied",
            "The archive is not on a local NTFS or ReFS disk: it is copied to %s "
            "and the copy is used.",
            out->data);
    *copied = true;
    return copy_archive(host, source, out->data, error);
}
