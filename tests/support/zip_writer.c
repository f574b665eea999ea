#include "zip_writer.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { BLOCK = 128 * 1024, DOS_DATE = 0x5138 /* 2020-09-24 */, DOS_TIME = 0x6000 /* 12:00 */ };

/* ---- output ---- */

static void *grown(void *memory, size_t *capacity, size_t need) {
    if (need <= *capacity) return memory;
    size_t size = *capacity ? *capacity : 4096;
    while (size < need) size *= 2;
    void *larger = realloc(memory, size);
    if (larger) *capacity = size;
    return larger;
}

void zip_raw(zip_writer *writer, const void *bytes, size_t size) {
    if (writer->failed || size == 0) return;
    if (writer->file) {
        if (fwrite(bytes, 1, size, writer->file) != size) writer->failed = true;
    } else {
        unsigned char *data = grown(writer->data, &writer->capacity, (size_t)writer->position + size);
        if (!data) {
            writer->failed = true;
            return;
        }
        writer->data = data;
        memcpy(data + writer->position, bytes, size);
    }
    writer->position += size;
}

/* Overwrites what was written earlier. */
static void patch(zip_writer *writer, uint64_t at, const void *bytes, size_t size) {
    if (writer->failed) return;
    if (!writer->file) {
        memcpy(writer->data + at, bytes, size);
        return;
    }
    if (fseek(writer->file, (long)at, SEEK_SET) != 0 || fwrite(bytes, 1, size, writer->file) != size ||
        fseek(writer->file, 0, SEEK_END) != 0)
        writer->failed = true;
}

/* A small record put together field by field. */
typedef struct record {
    unsigned char bytes[128];
    size_t size;
} record;

static void put(record *out, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) out->bytes[out->size++] = (unsigned char)(value >> (8 * i));
}

static uint32_t low32(uint64_t value, bool zip64) { return zip64 ? 0xFFFFFFFFu : (uint32_t)value; }

/* ---- entries ---- */

typedef struct written {
    uint64_t offset, size, compressed;
    uint32_t crc;
    uint16_t flags;
} written;

static size_t name_size(const zip_entry *entry, const char *name) {
    if (entry->empty_name) return 0;
    return entry->name_size && name == entry->name ? entry->name_size : strlen(name);
}

static uint16_t version_needed(const zip_entry *entry) {
    if (entry->zip64) return 45;
    return entry->method == ZIP_LZMA || entry->method == ZIP_ZSTD ? 63 : 20;
}

static void local_header(record *out, const zip_entry *entry, const written *w, size_t names, bool known) {
    size_t extra = (entry->zip64 ? 20u : 0u) + entry->extra_size;
    put(out, 0x04034B50, 4);
    put(out, version_needed(entry), 2);
    put(out, w->flags, 2);
    put(out, (uint64_t)entry->method, 2);
    put(out, DOS_TIME, 2);
    put(out, DOS_DATE, 2);
    put(out, known ? w->crc : 0, 4);
    put(out, known || entry->zip64 ? low32(w->compressed, entry->zip64) : 0, 4);
    put(out, known || entry->zip64 ? low32(w->size, entry->zip64) : 0, 4);
    put(out, names, 2);
    put(out, extra, 2);
}

static void zip64_extra(record *out, const written *w) {
    put(out, 0x0001, 2);
    put(out, 16, 2);
    put(out, w->size, 8);
    put(out, w->compressed, 8);
}

/* Writes a piece of the content, deflated or as it is. */
static void content_piece(zip_writer *writer, z_stream *deflater, unsigned char *out, const unsigned char *in, size_t size,
                          bool last, uint64_t *compressed) {
    if (!deflater) {
        zip_raw(writer, in, size);
        *compressed += size;
        return;
    }
    deflater->next_in = (unsigned char *)(uintptr_t)in; /* zlib's type lacks const */
    deflater->avail_in = (uInt)size;
    do {
        deflater->next_out = out;
        deflater->avail_out = BLOCK;
        if (deflate(deflater, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) writer->failed = true;
        size_t made = BLOCK - deflater->avail_out;
        zip_raw(writer, out, made);
        *compressed += made;
    } while (deflater->avail_out == 0 && !writer->failed);
}

static void content(zip_writer *writer, const zip_entry *entry, written *w) {
    unsigned char *in = malloc(BLOCK), *out = malloc(BLOCK);
    z_stream stream = {0}, *deflater = NULL;
    w->crc = (uint32_t)crc32(0, NULL, 0);
    int level = entry->level ? entry->level : Z_DEFAULT_COMPRESSION;
    if (!in || !out)
        writer->failed = true;
    else if (entry->method == ZIP_DEFLATE) {
        if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK)
            deflater = &stream;
        else
            writer->failed = true;
    }
    uint64_t done = 0;
    do {
        size_t size = entry->size - done < BLOCK ? (size_t)(entry->size - done) : BLOCK;
        if (writer->failed) break;
        const unsigned char *piece = in;
        if (entry->produce)
            entry->produce(entry->produce_ctx, done, in, size);
        else if (size)
            piece = (const unsigned char *)entry->bytes + done;
        if (size) w->crc = (uint32_t)crc32(w->crc, piece, (uInt)size);
        done += size;
        content_piece(writer, deflater, out, piece, size, done == entry->size, &w->compressed);
    } while (done < entry->size);
    w->size = entry->size;
    if (deflater) deflateEnd(deflater);
    free(in);
    free(out);
}

static void remember(zip_writer *writer, const void *bytes, size_t size) {
    unsigned char *directory = grown(writer->directory, &writer->directory_capacity, writer->directory_size + size);
    if (!directory) {
        writer->failed = true;
        return;
    }
    writer->directory = directory;
    if (size) memcpy(directory + writer->directory_size, bytes, size);
    writer->directory_size += size;
}

static void central_record(zip_writer *writer, const zip_entry *entry, const written *w) {
    record head = {{0}, 0}, extra = {{0}, 0};
    size_t names = name_size(entry, entry->name);
    if (entry->zip64) zip64_extra(&extra, w);
    put(&head, 0x02014B50, 4);
    put(&head, (uint64_t)version_needed(entry) | (uint64_t)entry->host << 8, 2);
    put(&head, version_needed(entry), 2);
    put(&head, w->flags, 2);
    put(&head, (uint64_t)entry->method, 2);
    put(&head, DOS_TIME, 2);
    put(&head, DOS_DATE, 2);
    put(&head, w->crc, 4);
    put(&head, low32(w->compressed, entry->zip64), 4);
    put(&head, low32(w->size, entry->zip64), 4);
    put(&head, names, 2);
    put(&head, extra.size + entry->extra_size, 2);
    put(&head, 0, 2); /* comment */
    put(&head, 0, 2); /* disk */
    put(&head, 0, 2); /* internal attributes */
    put(&head, entry->external, 4);
    put(&head, w->offset - writer->base, 4);
    remember(writer, head.bytes, head.size);
    remember(writer, entry->name, names);
    remember(writer, extra.bytes, extra.size);
    remember(writer, entry->extra, entry->extra_size);
    writer->count++;
}

static void descriptor(zip_writer *writer, const zip_entry *entry, const written *w) {
    record tail = {{0}, 0};
    size_t width = entry->zip64 ? 8 : 4;
    if (!entry->no_signature) put(&tail, 0x08074B50, 4);
    put(&tail, w->crc, 4);
    put(&tail, w->compressed, width);
    put(&tail, w->size, width);
    zip_raw(writer, tail.bytes, tail.size);
}

static void local_part(zip_writer *writer, const zip_entry *entry, written *w) {
    const char *name = entry->local_name ? entry->local_name : entry->name;
    size_t names = name_size(entry, name);
    record head = {{0}, 0}, extra = {{0}, 0};
    w->offset = writer->position;
    local_header(&head, entry, w, names, false);
    if (entry->zip64) zip64_extra(&extra, w);
    zip_raw(writer, head.bytes, head.size);
    zip_raw(writer, name, names);
    zip_raw(writer, extra.bytes, extra.size);
    zip_raw(writer, entry->extra, entry->extra_size);
    content(writer, entry, w);
    if (entry->lie_size) w->size = entry->size_lie;
    if (entry->lie_compressed) w->compressed = entry->compressed_lie;
    if (entry->lie_crc) w->crc = entry->crc_lie;
    if (entry->descriptor) {
        descriptor(writer, entry, w);
        return;
    }
    head.size = extra.size = 0;
    local_header(&head, entry, w, names, true);
    patch(writer, w->offset, head.bytes, head.size);
    if (entry->zip64) {
        zip64_extra(&extra, w);
        patch(writer, w->offset + head.size + names, extra.bytes, extra.size);
    }
}

void zip_add(zip_writer *writer, const zip_entry *entry) {
    written w = {.flags = (uint16_t)(entry->flags | (entry->descriptor ? 0x0008 : 0))};
    if (entry->central_only)
        w.offset = writer->base;
    else
        local_part(writer, entry, &w);
    if (!entry->local_only) central_record(writer, entry, &w);
}

void zip_add_bytes(zip_writer *writer, const char *name, const void *bytes, size_t size) {
    zip_entry entry = {.name = name, .bytes = bytes, .size = size, .method = ZIP_DEFLATE};
    zip_add(writer, &entry);
}

void zip_add_folder(zip_writer *writer, const char *name) {
    zip_entry entry = {.name = name, .external = ZIP_ATTRIBUTE_FOLDER};
    zip_add(writer, &entry);
}

/* ---- begin and end ---- */

void zip_begin(zip_writer *writer, FILE *file) { *writer = (zip_writer){.file = file}; }

static void zip64_end(zip_writer *writer, uint64_t directory_at, const zip_ending *ending) {
    record end = {{0}, 0};
    uint64_t end_at = writer->position - writer->base;
    uint64_t count = (uint64_t)((int64_t)writer->count + ending->count_lie);
    put(&end, 0x06064B50, 4);
    put(&end, 44, 8);
    put(&end, 45, 2);
    put(&end, 45, 2);
    put(&end, 0, 4);
    put(&end, 0, 4);
    put(&end, count, 8);
    put(&end, count, 8);
    put(&end, writer->directory_size, 8);
    put(&end, directory_at, 8);
    put(&end, 0x07064B50, 4);
    put(&end, 0, 4);
    put(&end, end_at, 8);
    put(&end, 1, 4);
    zip_raw(writer, end.bytes, end.size);
}

void zip_end(zip_writer *writer, const zip_ending *ending) {
    static const zip_ending ordinary = {0};
    if (!ending) ending = &ordinary;
    uint64_t at = writer->position - writer->base;
    zip_raw(writer, writer->directory, writer->directory_size);
    if (ending->zip64) zip64_end(writer, at, ending);
    uint64_t count = ending->zip64 ? 0xFFFF : (uint64_t)((int64_t)writer->count + ending->count_lie);
    record end = {{0}, 0};
    put(&end, 0x06054B50, 4);
    put(&end, ending->disk, 2);
    put(&end, ending->disk, 2);
    put(&end, count, 2);
    put(&end, count, 2);
    put(&end, low32((uint64_t)((int64_t)writer->directory_size + ending->size_lie), ending->zip64), 4);
    put(&end, low32((uint64_t)((int64_t)at + ending->offset_lie), ending->zip64), 4);
    put(&end, (uint64_t)((int64_t)ending->comment_size + ending->comment_size_lie), 2);
    zip_raw(writer, end.bytes, end.size);
    zip_raw(writer, ending->comment, ending->comment_size);
}

bool zip_close(zip_writer *writer, unsigned char **data, size_t *size) {
    bool good = !writer->failed;
    free(writer->directory);
    if (data && good) {
        *data = writer->data;
        *size = (size_t)writer->position;
    } else {
        free(writer->data);
        if (data) *data = NULL;
        if (data) *size = 0;
    }
    *writer = (zip_writer){0};
    return good;
}
