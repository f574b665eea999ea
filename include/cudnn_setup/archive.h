/* archive.h: the ZIP: opened once, judged, and unpacked through a sink. Reads with libarchive's ZIP reader only; no path is ever
 * built from an entry's name: names only select manifest rows. */
#ifndef CUDNN_SETUP_ARCHIVE_H
#define CUDNN_SETUP_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/manifest.h"

typedef struct cs_archive cs_archive;

typedef enum cs_trust_kind { CS_TRUST_NONE, CS_TRUST_PINNED, CS_TRUST_SEALED, CS_TRUST_UNVERIFIED } cs_trust_kind;

/* What a run's trust rests on; printed by every run, kept in the receipt. */
typedef struct cs_trust {
    cs_trust_kind kind;
    bool sample;
    bool has_archive_sha256;
    uint8_t archive_sha256[CS_SHA256_SIZE];
    uint8_t manifest_sha256[CS_SHA256_SIZE];
} cs_trust;

/* "pinned", "sealed", "unverified", "none". */
const char *cs_trust_text(cs_trust_kind kind);
/* What has to stand behind the name of everything that rests on it: "", " (sample)", " (unverified copy)", or both in one. */
const char *cs_trust_mark(const cs_trust *trust);

/* What unpacking found for one manifest row. */
typedef struct cs_staged {
    uint64_t size;
    uint32_t crc32;
    uint8_t sha256[CS_SHA256_SIZE];
} cs_staged;

/* Where unpacked bytes go. Calls for one row come in order begin, write..., end and never overlap; rows come in any order, and
 * where the system has threads, from several at once: a row's calls, too, may come from two. A status other than CS_OK stops
 * everything. */
typedef struct cs_sink {
    void *ctx;
    cs_status (*begin)(void *ctx, size_t row, uint64_t size, cs_error *error);
    cs_status (*write)(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error);
    cs_status (*end)(void *ctx, size_t row, const cs_staged *staged, cs_error *error);
} cs_sink;

/* Opens the file of an archive for reading, and gives its size in bytes; the caller closes it. CS_E_ARCHIVE_OPEN, with a sentence
 * that says what keeps it shut, for whatever is no file that can be read. */
cs_status cs_archive_open_file(const cs_host *host, const char *path, cs_file **file, uint64_t *size, cs_error *error);

/* Opens the file, denying writers for as long as it is open. CS_E_ARCHIVE_OPEN (with the system's reason) if it cannot. */
cs_status cs_archive_open(const cs_host *host, const char *path, cs_archive **out, cs_error *error);
void cs_archive_close(cs_archive *archive);
uint64_t cs_archive_size(const cs_archive *archive);

/* Decides what the trust in this archive rests on, before the ZIP reader sees a byte. Sealed manifest: CS_TRUST_SEALED without
 * hashing. Else the whole file is hashed: the manifest's hash gives CS_TRUST_PINNED; anything else is CS_E_ARCHIVE_BAD, with
 * the archive named where it is known (wrong_archives, HTML, gzip, ...), unless accept_unverified, which gives
 * CS_TRUST_UNVERIFIED (never for a known wrong archive). */
cs_status cs_archive_judge(cs_archive *archive, const cs_manifest *manifest, bool accept_unverified, cs_trust *out,
                           cs_error *error);

/* Bytes that unpacking would write, from the ZIP's own directory; the same refusals as unpacking has before its first byte, and
 * nothing is unpacked. Call after cs_archive_judge. */
cs_status cs_archive_measure(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, uint64_t *total,
                             cs_error *error);

/* Unpacks every manifest row into sink and fills staged[manifest->file_count]. Refuses the whole ZIP (CS_E_ARCHIVE_BAD) for a
 * missing, doubled, oversized, encrypted, linked or oddly named entry, a CRC error, or, under a sealed manifest, another size or
 * hash (naming the known wrong archive if its hash is one). Of several faults the first in the file is told, whatever the
 * number of threads. Entries that no row names are added to extras (may be NULL) and not
 * read. Checks for cancellation at least every 256 KiB. Call after cs_archive_judge.
 *
 * Names are compared without ASCII case, with '\\' as '/', below one folder that all rows share. Unless the archive is pinned,
 * the file must be one plain ZIP from its first byte to its last: entries back to back, each described alike in its own header
 * and in the directory, only stored or deflated, no ZIP64. Bounds: 4096 entries, names of 512 bytes, and where the manifest gives
 * no sizes 2 GiB for a file and 8 GiB in all. */
cs_status cs_archive_extract(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, const cs_sink *sink,
                             cs_staged *staged, cs_strings *extras, cs_error *error);

/* The further checks that an unverified copy has to pass, on the staged files: open_row gives each file's path. x64 PE files with
 * version resources and header macros that say this version, import libraries for those DLLs, no broken or foreign signature. */
cs_status cs_archive_check_unverified(const cs_host *host, const cs_manifest *manifest, const char *const *staged_paths,
                                      cs_error *error);

#endif
