#include "archive_internal.h"

#include <archive.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK = 128 * 1024,
    /* PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.12 and 4.3.16; the name of each entry is one letter here. */
    CENTRAL_SIZE = 46,
    RECORD_SIZE = CENTRAL_SIZE + 1,
    END_SIZE = 22,
    MAX_AT_ONCE = 4096
};

/* What the reader is shown must be describable without ZIP64. */
static const uint64_t max_view = 0xFFFF0000;

struct cs_zip_reader {
    const cs_archive *archive;
    const cs_zip_directory *directory;
    cs_error *error;
    struct archive *libarchive;
    cs_status status;    /* of the last failed read of the file; then error tells */
    uint64_t base, data; /* the view: data bytes of the file from base on, then the directory made here */
    uint64_t position;   /* in the view */
    unsigned char *tail; /* owned: that directory */
    size_t tail_size, tail_room;
    unsigned char block[BLOCK];
};

/* ---- what libarchive is shown ---- */

static unsigned char *put(unsigned char *at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) at[i] = (unsigned char)(value >> 8 * i);
    return at + width;
}

static unsigned char *put_entry(unsigned char *at, const cs_zip_entry *entry, uint64_t base) {
    at = put(at, 0x02014B50, 4);
    at = put(at, entry->made_by, 2);
    at = put(at, 20, 2); /* version needed: Deflate */
    at = put(at, entry->flags, 2);
    at = put(at, entry->method, 2);
    at = put(at, 0, 4); /* time and date */
    at = put(at, entry->crc32, 4);
    at = put(at, entry->compressed, 4);
    at = put(at, entry->size, 4);
    at = put(at, 1, 2); /* size of the name */
    at = put(at, 0, 8); /* sizes of extra field and comment, disk, internal attributes */
    at = put(at, entry->external, 4);
    at = put(at, entry->offset - base, 4);
    *at = 'f';
    return at + 1;
}

static void put_end(unsigned char *at, size_t count, uint64_t offset) {
    at = put(at, 0x06054B50, 4);
    at = put(at, 0, 4); /* disks */
    at = put(at, count, 2);
    at = put(at, count, 2);
    at = put(at, count * RECORD_SIZE, 4);
    at = put(at, offset, 4);
    put(at, 0, 2); /* size of the comment */
}

static cs_status too_large(const cs_zip_reader *r) {
    return cs_fail(r->error, CS_E_ARCHIVE_BAD, "unpack", r->archive->path, "an entry is larger than any cuDNN file");
}

static uint64_t end_of(const cs_zip_directory *directory, const cs_archive *archive, size_t entry) {
    uint64_t end = entry + 1 < directory->count ? directory->entries[entry + 1].offset : directory->end;
    return end > directory->entries[entry].offset ? end : archive->size;
}

static cs_status make_view(cs_zip_reader *r, const size_t *entries, size_t count) {
    const cs_zip_entry *all = r->directory->entries;
    size_t size = count * RECORD_SIZE + END_SIZE;
    if (count == 0 || count > MAX_AT_ONCE) return too_large(r);
    if (size > r->tail_room) {
        unsigned char *larger = cs_realloc(r->tail, size, 1);
        if (!larger) return cs_fail(r->error, CS_E_NO_MEMORY, "unpack", r->archive->path, NULL);
        r->tail = larger;
        r->tail_room = size;
    }
    r->base = all[entries[0]].offset;
    r->data = end_of(r->directory, r->archive, entries[count - 1]) - r->base;
    if (r->data > max_view) return too_large(r);
    unsigned char *at = r->tail;
    for (size_t i = 0; i < count; i++) {
        const cs_zip_entry *entry = &all[entries[i]];
        if (entry->compressed > max_view || entry->size > max_view) return too_large(r);
        at = put_entry(at, entry, r->base);
    }
    put_end(at, count, r->data);
    r->tail_size = size;
    r->position = 0;
    return CS_OK;
}

static uint64_t view_size(const cs_zip_reader *r) { return r->data + r->tail_size; }

static la_ssize_t view_read(struct archive *libarchive, void *ctx, const void **bytes) {
    cs_zip_reader *r = ctx;
    const cs_fs *fs = r->archive->host->fs;
    if (r->position >= r->data) {
        uint64_t done = r->position - r->data;
        *bytes = r->tail + done;
        r->position = view_size(r);
        return (la_ssize_t)(r->tail_size - done);
    }
    size_t want = r->data - r->position < BLOCK ? (size_t)(r->data - r->position) : BLOCK, got = 0;
    *bytes = r->block;
    r->status = fs->read(fs->ctx, r->archive->file, r->base + r->position, r->block, want, &got, r->error);
    if (r->status == CS_OK && got != want)
        r->status = cs_fail(r->error, CS_E_IO, "read", r->archive->path, "the file became shorter while it was read");
    if (r->status != CS_OK) {
        archive_set_error(libarchive, EIO, "read failed");
        return ARCHIVE_FATAL;
    }
    r->position += got;
    return (la_ssize_t)got;
}

static la_int64_t view_seek(struct archive *libarchive, void *ctx, la_int64_t offset, int whence) {
    cs_zip_reader *r = ctx;
    (void)libarchive;
    la_int64_t size = (la_int64_t)view_size(r);
    la_int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_END ? size : (la_int64_t)r->position;
    if (offset < -base || offset > size - base) return ARCHIVE_FATAL;
    r->position = (uint64_t)(base + offset);
    return base + offset;
}

static la_int64_t view_skip(struct archive *libarchive, void *ctx, la_int64_t request) {
    cs_zip_reader *r = ctx;
    (void)libarchive;
    uint64_t left = view_size(r) - r->position;
    uint64_t step = request < 0 ? 0 : (uint64_t)request < left ? (uint64_t)request : left;
    r->position += step;
    return (la_int64_t)step;
}

/* ---- reading ---- */

/* What libarchive's failure means: a read error of the file, a lack of memory, or a damaged ZIP. */
static cs_status failed(cs_zip_reader *r, const char *item) {
    if (r->status != CS_OK) return r->status; /* the error is filled */
    const char *text = archive_error_string(r->libarchive);
    /* libarchive gives no number where inflate cannot start; with these arguments it is memory that is missing. */
    if (archive_errno(r->libarchive) == ENOMEM || (text && strstr(text, "initialize ZIP decompression")))
        return cs_fail(r->error, CS_E_NO_MEMORY, "unpack", r->archive->path, NULL);
    return cs_fail(r->error, CS_E_ARCHIVE_BAD, "unpack", r->archive->path,
                   "%s: %.200s. The archive is damaged: download it again", item, text ? text : "unreadable");
}

cs_zip_reader *cs_zip_reader_new(const cs_archive *archive, const cs_zip_directory *directory, cs_error *error) {
    cs_zip_reader *r = cs_alloc(1, sizeof *r);
    if (!r) return NULL;
    r->archive = archive;
    r->directory = directory;
    r->error = error;
    return r;
}

void cs_zip_reader_free(cs_zip_reader *r) {
    if (!r) return;
    if (r->libarchive) archive_read_free(r->libarchive);
    cs_free(r->tail);
    cs_free(r);
}

cs_status cs_zip_reader_start(cs_zip_reader *r, const size_t *entries, size_t count) {
    cs_status status = make_view(r, entries, count);
    if (status != CS_OK) return status;
    if (r->libarchive) archive_read_free(r->libarchive);
    r->libarchive = archive_read_new();
    if (!r->libarchive) return cs_fail(r->error, CS_E_NO_MEMORY, "unpack", r->archive->path, NULL);
    /* The CRC is checked by whoever takes the blocks, against the directory as we read it; once is enough. */
    if (archive_read_support_format_zip_seekable(r->libarchive) != ARCHIVE_OK ||
        archive_read_set_format_option(r->libarchive, "zip", "ignorecrc32", "1") != ARCHIVE_OK ||
        archive_read_set_read_callback(r->libarchive, view_read) != ARCHIVE_OK ||
        archive_read_set_seek_callback(r->libarchive, view_seek) != ARCHIVE_OK ||
        archive_read_set_skip_callback(r->libarchive, view_skip) != ARCHIVE_OK ||
        archive_read_set_callback_data(r->libarchive, r) != ARCHIVE_OK || archive_read_open1(r->libarchive) != ARCHIVE_OK)
        return failed(r, "the ZIP");
    return CS_OK;
}

cs_status cs_zip_reader_next(cs_zip_reader *r) {
    struct archive_entry *ignored = NULL;
    int result = archive_read_next_header(r->libarchive, &ignored);
    if (result == ARCHIVE_EOF)
        return cs_fail(r->error, CS_E_ARCHIVE_BAD, "unpack", r->archive->path, "the ZIP: it ends before its last entry");
    return result == ARCHIVE_OK || result == ARCHIVE_WARN ? CS_OK : failed(r, "the ZIP"); /* a warning: a name's encoding */
}

cs_status cs_zip_reader_block(cs_zip_reader *r, const char *item, const void **bytes, size_t *size, uint64_t *offset) {
    la_int64_t at = 0;
    int result;
    *size = 0;
    do result = archive_read_data_block(r->libarchive, bytes, size, &at);
    while (result == ARCHIVE_OK && *size == 0);
    if (result == ARCHIVE_EOF) {
        *size = 0;
        return CS_OK;
    }
    if (result != ARCHIVE_OK) return failed(r, item);
    *offset = at < 0 ? UINT64_MAX : (uint64_t)at;
    return CS_OK;
}
