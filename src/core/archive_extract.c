#include "archive_internal.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "cudnn_setup/hash.h"

enum { BLOCK = 128 * 1024 };

/* libarchive's view of the open file: its own position, so that several readers can share one handle. */
typedef struct source {
    const cs_archive *archive;
    uint64_t position;
    cs_status status; /* of the last failed read; then error tells */
    cs_error *error;
    uint8_t block[BLOCK];
} source;

static la_ssize_t source_read(struct archive *reader, void *ctx, const void **bytes) {
    source *s = ctx;
    const cs_fs *fs = s->archive->host->fs;
    size_t got = 0;
    *bytes = s->block;
    if (s->position >= s->archive->size) return 0;
    s->status = fs->read(fs->ctx, s->archive->file, s->position, s->block, BLOCK, &got, s->error);
    if (s->status != CS_OK) {
        archive_set_error(reader, EIO, "read failed");
        return ARCHIVE_FATAL;
    }
    s->position += got;
    return (la_ssize_t)got;
}

static la_int64_t source_seek(struct archive *reader, void *ctx, la_int64_t offset, int whence) {
    source *s = ctx;
    (void)reader;
    la_int64_t size = (la_int64_t)s->archive->size;
    la_int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_END ? size : (la_int64_t)s->position;
    if (offset < -base || offset > size - base) return ARCHIVE_FATAL;
    s->position = (uint64_t)(base + offset);
    return base + offset;
}

static la_int64_t source_skip(struct archive *reader, void *ctx, la_int64_t request) {
    source *s = ctx;
    (void)reader;
    uint64_t left = s->archive->size > s->position ? s->archive->size - s->position : 0;
    uint64_t step = request < 0 ? 0 : (uint64_t)request < left ? (uint64_t)request : left;
    s->position += step;
    return (la_int64_t)step;
}

/* One unpacking. */
typedef struct unpack {
    const cs_archive *archive;
    const cs_manifest *manifest;
    const cs_zip_directory *directory;
    const cs_zip_selection *selection;
    const cs_sink *sink;
    cs_staged *staged;
    cs_error *error;
    struct archive *reader;
    source *source;
    cs_sha256 *hash;
    cs_meter meter;
    uint64_t done;
    cs_name_list wrong; /* rows whose hash is not the sealed one; from the first on nothing more is written */
} unpack;

/* What libarchive's failure means: a read error of the file, a lack of memory, or a damaged ZIP. */
static cs_status reader_failed(unpack *u, const char *item) {
    if (u->source->status != CS_OK) return u->source->status; /* the error is filled */
    const char *text = archive_error_string(u->reader);
    /* libarchive gives no number where inflate cannot start; with these arguments it is memory that is missing. */
    if (archive_errno(u->reader) == ENOMEM || (text && strstr(text, "initialize ZIP decompression")))
        return cs_fail(u->error, CS_E_NO_MEMORY, "unpack", u->archive->path, NULL);
    return cs_fail(u->error, CS_E_ARCHIVE_BAD, "unpack", u->archive->path,
                   "%s: %.200s. The archive is damaged: download it again", item, text ? text : "unreadable");
}

static cs_status refuse_row(unpack *u, const char *item, const char *reason) {
    return cs_fail(u->error, CS_E_ARCHIVE_BAD, "unpack", u->archive->path, "%s: %s", item, reason);
}

static cs_status open_reader(unpack *u) {
    u->source = cs_alloc(1, sizeof *u->source);
    u->reader = archive_read_new();
    if (!u->source || !u->reader) return cs_fail(u->error, CS_E_NO_MEMORY, "unpack", u->archive->path, NULL);
    u->source->archive = u->archive;
    u->source->error = u->error;
    if (archive_read_support_format_zip_seekable(u->reader) != ARCHIVE_OK ||
        archive_read_set_read_callback(u->reader, source_read) != ARCHIVE_OK ||
        archive_read_set_seek_callback(u->reader, source_seek) != ARCHIVE_OK ||
        archive_read_set_skip_callback(u->reader, source_skip) != ARCHIVE_OK ||
        archive_read_set_callback_data(u->reader, u->source) != ARCHIVE_OK || archive_read_open1(u->reader) != ARCHIVE_OK)
        return reader_failed(u, "the ZIP");
    return CS_OK;
}

static bool writes(const unpack *u) { return u->wrong.count == 0; }

static cs_status take_block(unpack *u, size_t row, const void *bytes, size_t size) {
    cs_staged *staged = &u->staged[row];
    staged->crc32 = (uint32_t)crc32(staged->crc32, bytes, (uInt)size);
    staged->size += size;
    u->done += size;
    cs_status status = cs_sha256_update(u->hash, bytes, size, u->error);
    if (status == CS_OK && writes(u)) status = u->sink->write(u->sink->ctx, row, bytes, size, u->error);
    if (status != CS_OK) return status;
    status = cs_meter_step(&u->meter, u->done);
    return status == CS_OK ? CS_OK : cs_fail(u->error, status, "unpack", u->archive->path, NULL);
}

/* Every block of one entry; stops at the first byte beyond the size that was promised. */
static cs_status copy_data(unpack *u, size_t row, uint64_t size) {
    const char *item = u->manifest->files[row].source;
    for (;;) {
        const void *bytes = NULL;
        size_t got = 0;
        la_int64_t offset = 0;
        int result = archive_read_data_block(u->reader, &bytes, &got, &offset);
        if (result == ARCHIVE_EOF) return CS_OK;
        if (result != ARCHIVE_OK) return reader_failed(u, item);
        if (got == 0) continue;
        if (offset < 0 || (uint64_t)offset != u->staged[row].size) return refuse_row(u, item, "its data has holes");
        if (got > size - u->staged[row].size)
            return refuse_row(u, item, "it unpacks to more bytes than the archive says: stopped there");
        cs_status status = take_block(u, row, bytes, got);
        if (status != CS_OK) return status;
    }
}

static cs_status copy_row(unpack *u, size_t row, const cs_zip_entry *entry) {
    const cs_manifest_file *file = &u->manifest->files[row];
    cs_staged *staged = &u->staged[row];
    *staged = (cs_staged){.crc32 = (uint32_t)crc32(0, NULL, 0)};
    u->meter.file = file->target;
    cs_status status = writes(u) ? u->sink->begin(u->sink->ctx, row, entry->size, u->error) : CS_OK;
    if (status == CS_OK) status = copy_data(u, row, entry->size);
    if (status == CS_OK) status = cs_sha256_finish(u->hash, staged->sha256, u->error);
    if (status != CS_OK) return status;
    if (staged->size != entry->size) return refuse_row(u, file->source, "it unpacks to fewer bytes than the archive says");
    if (staged->crc32 != entry->crc32)
        return refuse_row(u, file->source, "its CRC is wrong. The archive is damaged: download it again");
    if (u->manifest->sealed && memcmp(staged->sha256, file->sha256, CS_SHA256_SIZE) != 0) {
        cs_name_list_add(&u->wrong, file->source);
        cs_emit(u->archive->host->events, CS_EVENT_DETAIL, "archive.hash", "other content than the manifest's: %s", file->source);
    }
    return writes(u) ? u->sink->end(u->sink->ctx, row, staged, u->error) : CS_OK;
}

static size_t row_of_entry(const unpack *u, size_t entry) {
    size_t row = 0;
    while (row < u->manifest->file_count && u->selection->entry_of_row[row] != entry) row++;
    return row;
}

/* libarchive delivers the entries in the order of their place in the file, which is the directory's order here. CRC and size of
 * the directory's entry are compared with what was unpacked, so the two readers cannot mean different entries. */
static cs_status copy_rows(unpack *u) {
    size_t rows = 0;
    for (size_t e = 0; e < u->directory->count && rows < u->manifest->file_count; e++) {
        struct archive_entry *ignored = NULL;
        int result = archive_read_next_header(u->reader, &ignored);
        if (result == ARCHIVE_EOF) return refuse_row(u, "the ZIP", "it ends before its last entry");
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return reader_failed(u, "the ZIP"); /* a warning: a name's encoding */
        size_t row = row_of_entry(u, e);
        if (row == u->manifest->file_count) continue;
        cs_status status = copy_row(u, row, &u->directory->entries[e]);
        if (status != CS_OK) return status;
        rows++;
    }
    return CS_OK;
}

static cs_status refuse_wrong(unpack *u) {
    if (u->wrong.count == 0) return CS_OK;
    const char *names = cs_name_list_text(&u->wrong);
    if (u->wrong.text.failed) return cs_fail(u->error, CS_E_NO_MEMORY, "unpack", u->archive->path, NULL);
    return cs_fail(u->error, CS_E_ARCHIVE_BAD, "unpack", u->archive->path,
                   "%zu of %zu files have another SHA-256 than the manifest says: %s", u->wrong.count, u->manifest->file_count,
                   names);
}

static cs_status run(unpack *u) {
    cs_status status = cs_sha256_new(&u->hash, u->error);
    if (status == CS_OK) status = open_reader(u);
    if (status == CS_OK) status = copy_rows(u);
    if (status == CS_OK) status = refuse_wrong(u);
    if (u->reader) archive_read_free(u->reader);
    cs_free(u->source);
    cs_sha256_free(u->hash);
    cs_buffer_free(&u->wrong.text);
    return status;
}

static cs_status extract(cs_archive *archive, const cs_manifest *manifest, bool strict, const cs_sink *sink, cs_staged *staged,
                         cs_strings *extras, cs_error *error) {
    cs_zip_directory directory = {0};
    cs_zip_selection selection;
    cs_status status = strict ? cs_archive_check_content(archive, manifest, error) : CS_OK;
    if (status == CS_OK) status = cs_zip_directory_read(archive, strict, &directory, error);
    if (status == CS_OK) status = cs_zip_select(archive, &directory, manifest, &selection, extras, error);
    if (status == CS_OK) {
        unpack u = {.archive = archive,
                    .manifest = manifest,
                    .directory = &directory,
                    .selection = &selection,
                    .sink = sink,
                    .staged = staged,
                    .error = error,
                    .meter = {.host = archive->host, .step = "unpack", .total = selection.total}};
        status = run(&u);
    }
    cs_zip_directory_free(&directory);
    return status;
}

/* A sealed manifest refused it: now the archive's hash is worth its time, to name a known wrong one. */
static cs_status name_refused(const cs_archive *archive, const cs_manifest *manifest, cs_error *error) {
    uint8_t digest[CS_SHA256_SIZE];
    cs_error other = {0};
    cs_status status = cs_archive_hash(archive, digest, &other);
    if (status == CS_OK) status = cs_archive_check_known_wrong(archive, manifest, digest, &other);
    if (status != CS_E_ARCHIVE_BAD && status != CS_E_CANCELLED) return CS_E_ARCHIVE_BAD; /* the first reason stands */
    if (error) *error = other;
    return status;
}

cs_status cs_archive_measure(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, uint64_t *total,
                             cs_error *error) {
    bool strict = trust->kind != CS_TRUST_PINNED;
    cs_zip_directory directory = {0};
    cs_zip_selection selection = {0};
    cs_status status = strict ? cs_archive_check_content(archive, manifest, error) : CS_OK;
    if (status == CS_OK) status = cs_zip_directory_read(archive, strict, &directory, error);
    if (status == CS_OK) status = cs_zip_select(archive, &directory, manifest, &selection, NULL, error);
    *total = selection.total;
    cs_zip_directory_free(&directory);
    if (status == CS_E_ARCHIVE_BAD && trust->kind == CS_TRUST_SEALED) status = name_refused(archive, manifest, error);
    return status;
}

cs_status cs_archive_extract(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, const cs_sink *sink,
                             cs_staged *staged, cs_strings *extras, cs_error *error) {
    if (trust->kind == CS_TRUST_NONE) return cs_fail(error, CS_E_ARCHIVE_BAD, "unpack", archive->path, "nothing vouches for it");
    cs_status status = extract(archive, manifest, trust->kind != CS_TRUST_PINNED, sink, staged, extras, error);
    if (status == CS_E_ARCHIVE_BAD && trust->kind == CS_TRUST_SEALED) status = name_refused(archive, manifest, error);
    return status;
}
