/* record.h: the journal and the receipts as data, and their strict JSON form. One file format under three names: `journal`
 * becomes `committed` and then `head` by renames, bytes unchanged. See docs/transaction.md. */
#ifndef CUDNN_SETUP_RECORD_H
#define CUDNN_SETUP_RECORD_H

#include "cudnn_setup/archive.h"
#include "cudnn_setup/fs.h"
#include "cudnn_setup/registry.h"

enum { CS_ID_HEX = 32, CS_RECORD_FORMAT = 1, CS_RECORD_MAX_BYTES = 8 * 1024 * 1024, CS_RECORD_MAX_BELOW = 16 };

typedef enum cs_kind { CS_KIND_INSTALL, CS_KIND_UNINSTALL, CS_KIND_ROLLBACK, CS_KIND_REPAIR, CS_KIND_FORGET } cs_kind;
typedef enum cs_area { CS_AREA_NEW, CS_AREA_OLD } cs_area;

/* A private file in B: <tree>\.cudnn-setup\<txid>\{new,old}\NN. */
typedef struct cs_blob {
    char txid[CS_ID_HEX + 1];
    cs_area area;
    unsigned number; /* row number in that transaction's manifest, 0 to 99 */
} cs_blob;

/* One rename without replace between a private and a public name. */
typedef struct cs_move {
    bool to_private; /* T -> old; false: new or old -> T */
    cs_blob blob;
    char *target;      /* owned; manifest target with '/' */
    cs_file_info info; /* of the file that moves: id decides, attributes and times are put back when it returns to T */
    uint8_t sha256[CS_SHA256_SIZE]; /* its content: checked before it moves */
} cs_move;

typedef enum cs_variable { CS_VARIABLE_PATH, CS_VARIABLE_CUDA_PATH, CS_VARIABLE_CUDA_PATH_V10_1 } cs_variable;

/* One environment value of HKLM that the transaction changes. */
typedef struct cs_reg_change {
    cs_variable variable;
    char *name;            /* owned; as the registry spells it ("Path") */
    cs_reg_value old, now; /* now: what we write; never equal to old */
    size_t index;          /* PATH only: position of our entry */
    /* Receipts only: where old was written by another installation of ours, what that one had found, what the one before that had
     * found, and so on. An old value whose writer is gone by the time of the undo is no value to go back to. */
    cs_reg_value *below;
    size_t below_count; /* at most CS_RECORD_MAX_BELOW */
} cs_reg_change;

/* One of the package's files in a receipt. */
typedef struct cs_receipt_row {
    char *target;    /* owned */
    unsigned number; /* row number: names new\NN and old\NN of the receipt's txid */
    uint64_t size;
    uint8_t sha256[CS_SHA256_SIZE];
    bool ours;        /* we placed it; false: it was already right: verified, never undone */
    bool had_old;     /* a file stood there before: kept as old\NN */
    char *old_target; /* owned; target as that file was spelled, where letters differ in case; NULL: as target */
    cs_file_info old; /* its size, attributes and times */
    uint8_t old_sha256[CS_SHA256_SIZE];
} cs_receipt_row;

typedef struct cs_receipt {
    char txid[CS_ID_HEX + 1];
    int64_t time;            /* FILETIME of the commit's preparation */
    char *product, *version; /* owned */
    uint32_t cudnn_version;
    cs_trust trust;
    cs_receipt_row *rows;
    size_t row_count;
    cs_reg_change *regs;
    size_t reg_count;
    cs_strings folders; /* folders we created, relative, parents first */
} cs_receipt;

/* An old file that no receipt needs any more but that may not be dropped: somebody else's file stands at its target. */
typedef struct cs_parked {
    cs_blob blob;
    char *target; /* owned */
    uint8_t sha256[CS_SHA256_SIZE];
} cs_parked;

typedef struct cs_record {
    char tree_id[CS_ID_HEX + 1];
    char *tree_path; /* owned */
    /* Identity of the folder at tree_path where it is not tree_id: a tree that was made anew at the same path and is known under
     * its first identity (never doubled). "" otherwise. */
    char folder_id[CS_ID_HEX + 1];
    uint64_t volume; /* serial number of the tree's volume, as in file ids; 0: unknown */
    char txid[CS_ID_HEX + 1];
    cs_kind kind;
    cs_move *moves; /* pass 1 (to_private) before pass 2 */
    size_t move_count;
    cs_strings folders;  /* to be created by this transaction, relative, parents first */
    cs_reg_change *regs; /* CUDA_PATH* before PATH */
    size_t reg_count;
    cs_receipt *stack; /* the whole new stack, oldest first */
    size_t stack_count;
    cs_parked *parked; /* everything parked after this transaction */
    size_t parked_count;
    cs_blob *cleanup; /* private files to drop once the commit is durable */
    size_t cleanup_count;
} cs_record;

void cs_record_free(cs_record *record);
void cs_receipt_free(cs_receipt *receipt);
cs_status cs_receipt_copy(cs_receipt *out, const cs_receipt *from, cs_error *error);

/* Canonical JSON: starts {"format":1,"sha256":"<of the bytes with 64 zeros in this place>", ...}. Replaces out. CS_E_TOO_BIG. */
cs_status cs_record_write(const cs_record *record, cs_buffer *out, cs_error *error);
/* Strict: own hash, closed key lists, closed value lists, patterns, bounds. CS_E_FORMAT names the place; CS_E_UNSUPPORTED for a
 * newer format. *out starts as {0} and is empty again on failure. */
cs_status cs_record_read(const char *name, const char *bytes, size_t size, cs_record *out, cs_error *error);

#endif
