/* archive_internal.h: what the archive's files share. A ZIP is opened and judged in archive.c, told what it is in
 * archive_identify.c, its directory read in archive_directory.c, the entries matched with manifest rows in archive_select.c by
 * the rules for names in archive_names.c, dealt out in archive_work.c, and their data unpacked by libarchive (archive_reader.c)
 * in archive_extract.c. */
#ifndef CUDNN_SETUP_ARCHIVE_INTERNAL_H
#define CUDNN_SETUP_ARCHIVE_INTERNAL_H

#include "cudnn_setup/archive.h"
#include "cudnn_setup/progress.h"

struct cs_archive {
    const cs_host *host;
    cs_file *file;
    char *path;
    uint64_t size;
};

/* Bounds on what an archive may hold. A package has 31 entries and a few folders. */
#ifdef CS_BENCH_BOUNDS
enum { CS_ZIP_MAX_ENTRIES = 65535, CS_ZIP_MAX_DIRECTORY = 16 * 1024 * 1024, CS_ZIP_MAX_NAME = 512 };
#else
enum { CS_ZIP_MAX_ENTRIES = 4096, CS_ZIP_MAX_DIRECTORY = 4 * 1024 * 1024, CS_ZIP_MAX_NAME = 512 };
#endif
/* Where the manifest gives no sizes. */
static const uint64_t CS_ZIP_MAX_FILE = UINT64_C(2) << 30;
static const uint64_t CS_ZIP_MAX_TOTAL = UINT64_C(8) << 30;

/* ---- archive.c ---- */

/* Reads exactly size bytes at offset; CS_E_IO if the file is shorter. */
cs_status cs_archive_read(const cs_archive *archive, uint64_t offset, void *bytes, size_t size, cs_error *error);

/* ---- archive_hash.c ---- */

/* SHA-256 of the whole archive, with progress. */
cs_status cs_archive_hash(const cs_archive *archive, uint8_t digest[CS_SHA256_SIZE], cs_error *error);

/* ---- archive_identify.c ---- */

/* Refuses what is not a ZIP by its first bytes, with what it is and what to do; CS_OK for a ZIP. */
cs_status cs_archive_check_content(const cs_archive *archive, const cs_manifest *manifest, cs_error *error);
/* Refuses a known wrong archive by its hash; CS_OK for any other. */
cs_status cs_archive_check_known_wrong(const cs_archive *archive, const cs_manifest *manifest,
                                       const uint8_t digest[CS_SHA256_SIZE], cs_error *error);
/* The refusal of a ZIP that nothing vouches for. */
cs_status cs_archive_refuse_unknown(const cs_archive *archive, const cs_manifest *manifest, const uint8_t digest[CS_SHA256_SIZE],
                                    cs_error *error);
/* Appends where the right archive comes from: one sentence. */
void cs_archive_origin(const cs_manifest *manifest, cs_buffer *out);

/* ---- archive_names.c ---- */

/* Why a name refuses the whole ZIP, as a literal that continues "the name of an entry ..."; NULL: none. flagged_utf8: the
 * entry says that its name is UTF-8. */
const char *cs_entry_name_fault(const char *raw, size_t size, bool flagged_utf8);
/* The name with '/' between components, without a leading "./" and a trailing '/': owned by the caller; NULL: no memory. Call
 * only for names without a fault. */
char *cs_entry_name_normal(const char *raw, size_t size);
/* Appends the form in which two names are the same on a file system that ignores case: folded letters, lookalikes of ASCII as
 * ASCII, and byte 1 for '/' so that a folder's content sorts right behind it. */
void cs_entry_name_key(cs_buffer *out, const char *name);

/* ---- archive_directory.c ---- */

typedef struct cs_zip_entry {
    char *name; /* owned, normal form */
    bool folder;
    uint16_t made_by, flags, method;
    uint32_t crc32, external;
    uint64_t compressed, size;
    uint64_t offset; /* of the local header in the file */
} cs_zip_entry;

typedef struct cs_zip_directory {
    cs_zip_entry *entries; /* by offset, the order in which the reader delivers them */
    size_t count;
    uint64_t end; /* where the directory begins: the last byte of any data lies before it */
} cs_zip_directory;

/* Reads the ZIP's directory. strict (nothing vouches for the bytes): the file must be one plain ZIP from its first byte to its
 * last: no gap, no overlap, no second reading, no ZIP64, only stored and deflated entries. CS_E_ARCHIVE_BAD with the reason. */
cs_status cs_zip_directory_read(const cs_archive *archive, bool strict, cs_zip_directory *out, cs_error *error);
void cs_zip_directory_free(cs_zip_directory *directory);

/* ---- archive_select.c ---- */

/* Which entry belongs to which row. */
typedef struct cs_zip_selection {
    size_t entry_of_row[CS_MANIFEST_MAX_FILES];
    uint64_t total; /* bytes of all rows */
} cs_zip_selection;

/* Finds every row below one common folder, refuses doubled names, wrong kinds and wrong sizes; the rest goes to extras. */
cs_status cs_zip_select(const cs_archive *archive, const cs_zip_directory *directory, const cs_manifest *manifest,
                        cs_zip_selection *out, cs_strings *extras, cs_error *error);

/* A list of names for a message, cut where the message would become too long. Starts as {0}. */
typedef struct cs_name_list {
    cs_buffer text;
    size_t count, shown;
} cs_name_list;
void cs_name_list_add(cs_name_list *list, const char *name);
/* The list as text, "a, b and 3 more". */
const char *cs_name_list_text(cs_name_list *list);

/* ---- archive_reader.c ---- */

/* libarchive's ZIP reader over some neighbouring entries. It is shown the file's bytes from the first of them to the end of the
 * last, and behind those a directory of our own with just these entries, as we read and judged them. So a worker can begin
 * anywhere without libarchive reading the whole directory again, and the two readers cannot mean different entries. */
typedef struct cs_zip_reader cs_zip_reader;

/* error: where the reader's failures go. NULL: no memory. */
cs_zip_reader *cs_zip_reader_new(const cs_archive *archive, const cs_zip_directory *directory, cs_error *error);
void cs_zip_reader_free(cs_zip_reader *reader); /* accepts NULL */
/* Begins anew with the count entries, by their numbers in the directory, ascending. CS_E_ARCHIVE_BAD where more than 4 GiB lie
 * between the first and the last. */
cs_status cs_zip_reader_start(cs_zip_reader *reader, const size_t *entries, size_t count);
/* The next of them; item names it in failures ("the ZIP"). */
cs_status cs_zip_reader_next(cs_zip_reader *reader);
/* The next block of its data, which follows at offset; *size 0: there is no more. Lives until the next call. */
cs_status cs_zip_reader_block(cs_zip_reader *reader, const char *item, const void **bytes, size_t *size, uint64_t *offset);

/* ---- archive_work.c ---- */

/* Entries that one worker unpacks in one go, since opening a reader has its price too. */
typedef struct cs_zip_batch {
    size_t first, count; /* of the items */
    uint64_t size;       /* unpacked */
} cs_zip_batch;

/* What is to be unpacked: the entries that rows name, in the order of the file, and how they are dealt out. */
typedef struct cs_zip_work {
    size_t *entries; /* numbers in the directory */
    size_t *rows;    /* of the same items */
    size_t count;
    cs_zip_batch *batches; /* in the order of the file; by size, largest first, once cs_zip_work_by_size was called */
    size_t batch_count;
} cs_zip_work;

cs_status cs_zip_work_plan(const cs_zip_directory *directory, const cs_zip_selection *selection, size_t row_count,
                           cs_zip_work *out, cs_error *error);
void cs_zip_work_by_size(cs_zip_work *work);
void cs_zip_work_free(cs_zip_work *work);

#endif
