/* zip_writer.h: writes ZIP files for tests and samples, well-formed ones and every malformed one that a test can ask for.
 * Streams to a FILE (seekable, binary) or into memory; memory use does not grow with the content.
 * Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification" 6.3.10. */
#ifndef TESTS_ZIP_WRITER_H
#define TESTS_ZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ZIP_STORED = 0, ZIP_DEFLATE = 8, ZIP_LZMA = 14, ZIP_ZSTD = 93 };
enum { ZIP_FLAG_ENCRYPTED = 0x0001, ZIP_FLAG_STRONG = 0x0040, ZIP_FLAG_UTF8 = 0x0800 };
enum { ZIP_HOST_DOS = 0, ZIP_HOST_UNIX = 3 };
enum { ZIP_ATTRIBUTE_FOLDER = 0x10, ZIP_ATTRIBUTE_REPARSE = 0x400 };

/* Fills out with size bytes of the content that starts at offset. */
typedef void (*zip_produce)(void *ctx, uint64_t offset, void *out, size_t size);

/* One entry. Zeroed fields mean the ordinary thing. */
typedef struct zip_entry {
    const char *name;
    size_t name_size; /* 0: strlen(name); otherwise the name may hold any bytes, zero included */
    bool empty_name;  /* a name of no bytes at all */
    const void *bytes;
    uint64_t size;
    zip_produce produce; /* instead of bytes */
    void *produce_ctx;
    int method; /* ZIP_STORED, ZIP_DEFLATE, or any other: stored under that number */
    int level;  /* of deflate; 0: the library's default */

    bool descriptor;        /* sizes and CRC follow the data */
    bool no_signature;      /* the descriptor without its optional signature */
    uint16_t flags;         /* added to the flags */
    uint8_t host;           /* ZIP_HOST_... that made the entry */
    uint32_t external;      /* external attributes: DOS in the low half, UNIX mode in the high half */
    bool zip64;             /* sizes in a ZIP64 extra field */
    const void *extra;      /* further extra field bytes, in both headers */
    size_t extra_size;      /* at most 60000 */
    const char *local_name; /* another name in the local header; NULL: the same */
    bool central_only;      /* a directory record without a local header: points at the first entry */
    bool local_only;        /* data that the directory does not mention */
    bool lie_size, lie_crc, lie_compressed;
    uint64_t size_lie;
    uint64_t compressed_lie;
    uint32_t crc_lie;
} zip_entry;

/* The end of the file. Zeroed: ordinary. */
typedef struct zip_ending {
    const void *comment;
    size_t comment_size;
    int comment_size_lie; /* added to the size the record claims */
    bool zip64;           /* a ZIP64 end record and locator, and the ordinary record full of FF */
    int count_lie;        /* added to the number of entries */
    int64_t offset_lie;   /* added to the directory's offset */
    int64_t size_lie;     /* added to the directory's size */
    uint16_t disk;
} zip_ending;

typedef struct zip_writer {
    FILE *file;          /* NULL: into memory */
    unsigned char *data; /* memory output, owned */
    size_t capacity;
    uint64_t position;
    uint64_t base; /* subtracted from every offset written: junk before the archive that offsets do not know of */
    unsigned char *directory;
    size_t directory_size, directory_capacity;
    unsigned count;
    bool failed;
} zip_writer;

/* file: open for binary reading and writing, empty; NULL: memory. */
void zip_begin(zip_writer *writer, FILE *file);
void zip_add(zip_writer *writer, const zip_entry *entry);
/* An ordinary deflated entry. */
void zip_add_bytes(zip_writer *writer, const char *name, const void *bytes, size_t size);
void zip_add_folder(zip_writer *writer, const char *name); /* name ends in '/' */
/* Bytes of no entry. */
void zip_raw(zip_writer *writer, const void *bytes, size_t size);
/* Writes the directory and the end record; NULL: ordinary. The same writer can go on and write another end. */
void zip_end(zip_writer *writer, const zip_ending *ending);
/* False if anything failed. Frees all but the memory output, which then belongs to the caller (free). */
bool zip_close(zip_writer *writer, unsigned char **data, size_t *size);

#endif
