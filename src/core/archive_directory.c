#include "archive_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Source for every number here: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification" 6.3.10, section 4. */
enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    TAIL = 65535 + END_SIZE,
    FLAG_ENCRYPTED = 0x0001,
    FLAG_DESCRIPTOR = 0x0008,
    FLAG_STRONG = 0x0040,
    FLAG_UTF8 = 0x0800,
    FLAG_MASKED = 0x2000,
    METHOD_STORED = 0,
    METHOD_DEFLATE = 8,
    EXTRA_ZIP64 = 0x0001,
    EXTRA_UNIX = 0x000D,
    EXTRA_ASI_UNIX = 0x756E,
    EXTRA_UNICODE_PATH = 0x7075,
    DOS_FOLDER = 0x10,
    DOS_REPARSE = 0x400
};

static uint64_t little(const uint8_t *bytes, size_t width) {
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static uint16_t u16(const uint8_t *bytes) { return (uint16_t)little(bytes, 2); }
static uint32_t u32(const uint8_t *bytes) { return (uint32_t)little(bytes, 4); }

typedef struct reader {
    const cs_archive *archive;
    bool strict;
    cs_zip_directory *out;
    cs_error *error;
    uint64_t count, at, size; /* of the directory, as the end record says; at counts from the file's first byte */
    uint64_t shift;           /* bytes before the ZIP that its offsets do not know of */
} reader;

static cs_status bad(const reader *r, const char *reason) {
    return cs_fail(r->error, CS_E_ARCHIVE_BAD, "read", r->archive->path, "%s", reason);
}

static cs_status bad_entry(const reader *r, const char *name, const char *reason) {
    cs_buffer visible = {0};
    cs_text_visible(&visible, name);
    cs_status status = cs_buffer_check(&visible, r->error);
    if (status == CS_OK)
        status = cs_fail(r->error, CS_E_ARCHIVE_BAD, "read", r->archive->path, "the entry \"%.300s\" %s",
                         cs_buffer_string(&visible), reason);
    cs_buffer_free(&visible);
    return status;
}

/* ---- the end record ---- */

/* ZIP64: the true numbers stand in a record of its own, found through a locator right before the ordinary one. */
static cs_status read_end64(reader *r, const uint8_t *locator) {
    uint8_t end[END64_SIZE];
    uint64_t at = little(locator + 8, 8);
    if (r->strict) return bad(r, "it uses ZIP64 records, which no cuDNN package needs");
    if (r->archive->size < END64_SIZE || at > r->archive->size - END64_SIZE) return bad(r, "its ZIP64 record is out of bounds");
    cs_status status = cs_archive_read(r->archive, at, end, sizeof end, r->error);
    if (status != CS_OK) return status;
    if (u32(end) != 0x06064B50) return bad(r, "its ZIP64 record is damaged");
    r->count = little(end + 32, 8);
    r->size = little(end + 40, 8);
    r->at = little(end + 48, 8);
    return CS_OK;
}

/* end: the record; position: where in the file it stands; before: its bytes' number of predecessors in the same block. */
static cs_status parse_end(reader *r, const uint8_t *end, uint64_t position, size_t before) {
    if (before >= LOCATOR_SIZE && u32(end - LOCATOR_SIZE) == 0x07064B50) return read_end64(r, end - LOCATOR_SIZE);
    if (u16(end + 4) != 0 || u16(end + 6) != 0 || u16(end + 8) != u16(end + 10)) return bad(r, "it is one part of several");
    r->count = u16(end + 10);
    r->size = u32(end + 12);
    r->at = u32(end + 16);
    if (r->size > position || r->at > position - r->size) return bad(r, "its directory is out of bounds");
    r->shift = position - r->size - r->at;
    if (r->strict && r->shift) return bad(r, "it holds bytes that do not belong to the ZIP");
    r->at += r->shift;
    return CS_OK;
}

static cs_status find_end(reader *r, const uint8_t *tail, size_t size) {
    bool followed = false;
    for (size_t i = size < END_SIZE ? 0 : size - END_SIZE + 1; i-- > 0;) {
        if (u32(tail + i) != 0x06054B50) continue;
        size_t comment = u16(tail + i + 20), rest = size - i - END_SIZE;
        if (comment == rest || (!r->strict && comment < rest)) return parse_end(r, tail + i, r->archive->size - size + i, i);
        followed = true;
    }
    return bad(r, followed ? "bytes follow the end of the ZIP, or its end is cut off"
                           : "the ZIP has no end: it was cut off, the download was not finished");
}

static cs_status read_end(reader *r) {
    size_t size = r->archive->size < TAIL ? (size_t)r->archive->size : TAIL;
    uint8_t *tail = cs_alloc(size + 1, 1);
    if (!tail) return cs_fail(r->error, CS_E_NO_MEMORY, "read", r->archive->path, NULL);
    cs_status status = cs_archive_read(r->archive, r->archive->size - size, tail, size, r->error);
    if (status == CS_OK) status = find_end(r, tail, size);
    cs_free(tail);
    if (status != CS_OK) return status;
    if (r->count == 0) return bad(r, "the ZIP is empty");
    if (r->count > CS_ZIP_MAX_ENTRIES || r->size > CS_ZIP_MAX_DIRECTORY)
        return bad(r, "it holds far more entries than a cuDNN package");
    if (r->at > r->archive->size || r->size > r->archive->size - r->at) return bad(r, "its directory is out of bounds");
    return CS_OK;
}

/* ---- extra fields ---- */

/* Sizes and offset of 0xFFFFFFFF stand in the ZIP64 field instead, in this order, each only if needed. */
static const char *take_zip64(const uint8_t *field, size_t size, cs_zip_entry *entry) {
    uint64_t *const values[] = {&entry->size, &entry->compressed, &entry->offset};
    for (size_t i = 0; i < 3; i++) {
        if (*values[i] != 0xFFFFFFFF) continue;
        if (size < 8) return "has a damaged ZIP64 field";
        *values[i] = little(field, 8);
        field += 8;
        size -= 8;
    }
    return NULL;
}

/* Version 1, a CRC of the plain name, and the name in UTF-8: a second name that some programs prefer. */
static bool names_another(const uint8_t *field, size_t size, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] >= 0x80) return false; /* the second name is there for these */
    return size < 5 || size - 5 != length || memcmp(field + 5, name, length) != 0;
}

static const char *extra_fault(const reader *r, const uint8_t *extra, size_t size, const char *name, cs_zip_entry *entry) {
    while (size >= 4) {
        unsigned id = u16(extra);
        size_t length = u16(extra + 2);
        if (length > size - 4) break;
        const uint8_t *field = extra + 4;
        const char *fault = NULL;
        if (id == EXTRA_ZIP64) fault = r->strict ? "uses ZIP64, which no cuDNN package needs" : take_zip64(field, length, entry);
        if (id == EXTRA_ASI_UNIX || (id == EXTRA_UNIX && length > 12)) fault = "may be a link";
        if (r->strict && id == EXTRA_UNICODE_PATH && names_another(field, length, name)) fault = "has two names";
        if (fault) return fault;
        extra += 4 + length;
        size -= 4 + length;
    }
    return r->strict && size ? "has a damaged extra field" : NULL;
}

/* ---- the directory ---- */

/* What kind of thing the attributes say it is, by the system that made the entry. */
static const char *kind_fault(cs_zip_entry *entry) {
    unsigned system = entry->made_by >> 8, mode = entry->external >> 16 & 0170000;
    bool unix_mode = system == 3 || system == 19; /* UNIX, macOS */
    if (mode == 0120000) return "is a symbolic link";
    if (unix_mode && mode && mode != 0100000 && mode != 0040000) return "is neither a file nor a folder";
    if (entry->external & DOS_REPARSE && !unix_mode) return "is a link (a reparse point)";
    if (unix_mode ? mode == 0040000 : (entry->external & DOS_FOLDER) != 0) entry->folder = true;
    return NULL;
}

static const char *flags_fault(const reader *r, const cs_zip_entry *entry) {
    if (entry->flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED)) return "is encrypted";
    if (r->strict && entry->method != METHOD_STORED && entry->method != METHOD_DEFLATE)
        return "is packed by another method than deflate";
    if (r->strict && entry->method == METHOD_STORED && entry->size != entry->compressed) return "has sizes that contradict";
    return NULL;
}

static cs_status take_entry(reader *r, const uint8_t *record, const char *name, size_t name_size, cs_zip_entry *entry) {
    *entry = (cs_zip_entry){.made_by = u16(record + 4),
                            .flags = u16(record + 8),
                            .method = u16(record + 10),
                            .crc32 = u32(record + 16),
                            .compressed = u32(record + 20),
                            .size = u32(record + 24),
                            .external = u32(record + 38),
                            .offset = u32(record + 42)};
    char shown[CS_ZIP_MAX_NAME + 1];
    size_t shown_size = name_size > CS_ZIP_MAX_NAME ? CS_ZIP_MAX_NAME : name_size;
    memcpy(shown, name, shown_size);
    shown[shown_size] = '\0';
    const char *fault = cs_entry_name_fault(name, name_size, (entry->flags & FLAG_UTF8) != 0);
    if (fault) {
        char reason[96];
        snprintf(reason, sizeof reason, "has a hostile name: it %s", fault);
        return bad_entry(r, shown, reason);
    }
    entry->folder = name[name_size - 1] == '/' || name[name_size - 1] == '\\';
    fault = kind_fault(entry);
    if (!fault) fault = extra_fault(r, record + CENTRAL_SIZE + name_size, u16(record + 30), shown, entry);
    if (!fault) fault = flags_fault(r, entry);
    if (!fault && r->strict && u16(record + 34) != 0) fault = "lies in another part";
    if (fault) return bad_entry(r, shown, fault);
    entry->name = cs_entry_name_normal(name, name_size);
    entry->offset += r->shift;
    return entry->name ? CS_OK : cs_fail(r->error, CS_E_NO_MEMORY, "read", r->archive->path, NULL);
}

static cs_status walk(reader *r, const uint8_t *bytes) {
    size_t at = 0, size = (size_t)r->size;
    while (r->out->count < r->count) {
        if (size - at < CENTRAL_SIZE || u32(bytes + at) != 0x02014B50) return bad(r, "its directory is damaged");
        size_t name = u16(bytes + at + 28), whole = CENTRAL_SIZE + name + u16(bytes + at + 30) + u16(bytes + at + 32);
        if (whole > size - at) return bad(r, "its directory is damaged");
        cs_status status =
            take_entry(r, bytes + at, (const char *)bytes + at + CENTRAL_SIZE, name, &r->out->entries[r->out->count]);
        if (status != CS_OK) return status;
        r->out->count++;
        at += whole;
    }
    return at == size || !r->strict ? CS_OK : bad(r, "its directory holds more than it says");
}

static cs_status read_directory(reader *r) {
    uint8_t *bytes = cs_alloc((size_t)r->size + 1, 1);
    r->out->entries = cs_alloc((size_t)r->count, sizeof *r->out->entries);
    if (!bytes || !r->out->entries) {
        cs_free(bytes);
        return cs_fail(r->error, CS_E_NO_MEMORY, "read", r->archive->path, NULL);
    }
    cs_status status = cs_archive_read(r->archive, r->at, bytes, (size_t)r->size, r->error);
    if (status == CS_OK) status = walk(r, bytes);
    cs_free(bytes);
    return status;
}

static int by_offset(const void *a, const void *b) {
    uint64_t left = ((const cs_zip_entry *)a)->offset, right = ((const cs_zip_entry *)b)->offset;
    return left < right ? -1 : left > right;
}

/* ---- one plain ZIP from its first byte to its last ---- */

/* The local header must say what the directory says; *end is where the entry's data ends. */
static cs_status check_local(const reader *r, const cs_zip_entry *entry, uint64_t *end) {
    uint8_t head[LOCAL_SIZE + CS_ZIP_MAX_NAME];
    if (entry->offset > r->at || r->at - entry->offset < LOCAL_SIZE) return bad_entry(r, entry->name, "is out of bounds");
    size_t space = r->at - entry->offset < sizeof head ? (size_t)(r->at - entry->offset) : sizeof head;
    cs_status status = cs_archive_read(r->archive, entry->offset, head, space, r->error);
    if (status != CS_OK) return status;
    size_t name = u16(head + 26);
    if (u32(head) != 0x04034B50 || name > space - LOCAL_SIZE) return bad_entry(r, entry->name, "has a damaged header");
    char *normal = cs_entry_name_normal((const char *)head + LOCAL_SIZE, name);
    if (!normal) return cs_fail(r->error, CS_E_NO_MEMORY, "read", r->archive->path, NULL);
    bool same = memchr(head + LOCAL_SIZE, 0, name) == NULL && strcmp(normal, entry->name) == 0;
    cs_free(normal);
    if (!same) return bad_entry(r, entry->name, "has another name in its own header");
    same = u16(head + 6) == entry->flags && u16(head + 8) == entry->method;
    if (!(entry->flags & FLAG_DESCRIPTOR))
        same = same && u32(head + 14) == entry->crc32 && u32(head + 18) == entry->compressed && u32(head + 22) == entry->size;
    if (!same) return bad_entry(r, entry->name, "is described differently in its own header");
    *end = entry->offset + LOCAL_SIZE + name + u16(head + 28) + entry->compressed;
    return CS_OK;
}

/* Entries stand back to back; behind the data of some comes a descriptor of three numbers, with or without a signature. */
static cs_status check_layout(const reader *r) {
    uint64_t end = 0;
    for (size_t i = 0; i < r->out->count; i++) {
        const cs_zip_entry *entry = &r->out->entries[i];
        uint64_t next = i + 1 < r->out->count ? entry[1].offset : r->at;
        if (i == 0 && entry->offset != 0) return bad(r, "it holds bytes that do not belong to the ZIP");
        cs_status status = check_local(r, entry, &end);
        if (status != CS_OK) return status;
        if (end > next) return bad_entry(r, entry->name, "overlaps what follows it");
        bool described = (entry->flags & FLAG_DESCRIPTOR) != 0;
        if (described ? next - end != 12 && next - end != 16 : next != end) return bad(r, "it holds bytes between its entries");
    }
    return CS_OK;
}

cs_status cs_zip_directory_read(const cs_archive *archive, bool strict, cs_zip_directory *out, cs_error *error) {
    *out = (cs_zip_directory){0};
    reader r = {.archive = archive, .strict = strict, .out = out, .error = error};
    cs_status status = read_end(&r);
    if (status == CS_OK) status = read_directory(&r);
    if (status == CS_OK) {
        qsort(out->entries, out->count, sizeof *out->entries, by_offset);
        for (size_t i = 1; i < out->count && status == CS_OK; i++)
            if (out->entries[i].offset == out->entries[i - 1].offset)
                status = bad_entry(&r, out->entries[i].name, "shares its data with another");
    }
    out->end = r.at;
    if (status == CS_OK && strict) status = check_layout(&r);
    if (status != CS_OK) cs_zip_directory_free(out);
    return status;
}

void cs_zip_directory_free(cs_zip_directory *directory) {
    for (size_t i = 0; i < directory->count; i++) cs_free(directory->entries[i].name);
    cs_free(directory->entries);
    *directory = (cs_zip_directory){0};
}
