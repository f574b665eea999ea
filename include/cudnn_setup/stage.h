/* stage.h: where unpacked files go: B\new\NN on the tree's own volume, each created new, preallocated, and flushed. */
#ifndef CUDNN_SETUP_STAGE_H
#define CUDNN_SETUP_STAGE_H

#include "cudnn_setup/archive.h"
#include "cudnn_setup/transaction.h"

typedef struct cs_stage {
    const cs_host *host;
    const char *tree_path; /* borrowed */
    const cs_manifest *manifest;
    char txid[CS_ID_HEX + 1];
    bool wanted[CS_MANIFEST_MAX_FILES];        /* rows to write; the others are read, checked and dropped */
    cs_file *files[CS_MANIFEST_MAX_FILES];     /* open while their row is unpacked */
    uint64_t offsets[CS_MANIFEST_MAX_FILES];   /* bytes written */
    cs_file_info infos[CS_MANIFEST_MAX_FILES]; /* of each finished row: its id is what the journal names */
    cs_staged staged[CS_MANIFEST_MAX_FILES];   /* filled by cs_stage_unpack */
} cs_stage;

/* Prepares a stage for every row; the caller may clear wanted[] of some. tree_path and manifest must outlive it. */
void cs_stage_start(cs_stage *stage, const cs_host *host, const char *tree_path, const char *txid, const cs_manifest *manifest);

/* Unpacks the judged archive into new\NN (the folder exists: cs_transaction_begin) and fills staged and infos. CS_E_NO_SPACE with
 * the numbers, CS_E_CANCELLED, or what cs_archive_extract says. What was written stays: cs_transaction_abandon drops it. */
cs_status cs_stage_unpack(cs_stage *stage, cs_archive *archive, const cs_trust *trust, cs_strings *extras, cs_error *error);

/* Where cs_stage_unpack puts the bytes; for whoever has them from elsewhere. Such a caller fills staged itself. */
cs_sink cs_stage_sink(cs_stage *stage);

/* Closes what is still open; accepts a zeroed stage. */
void cs_stage_end(cs_stage *stage);

/* Copies an archive that does not lie on a local fixed NTFS or ReFS volume to B\archive, and gives that path; elsewhere out is
 * source itself and copied is false. */
cs_status cs_stage_archive(const cs_host *host, const char *tree_path, const char *txid, const char *source, cs_buffer *out,
                           bool *copied, cs_error *error);

/* True for a local fixed NTFS or ReFS volume: the only ones whose files nobody swaps behind an open handle. */
bool cs_stage_is_solid(const cs_volume *volume);

#endif
