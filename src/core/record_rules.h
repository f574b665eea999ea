/* record_rules.h: what both sides of a record have to agree on. Private to the record's own files, the session and their tests.
 */
#ifndef CUDNN_SETUP_RECORD_RULES_H
#define CUDNN_SETUP_RECORD_RULES_H

#include "cudnn_setup/json.h"
#include "cudnn_setup/record.h"

enum {
    CS_RECORD_MAX_STACK = 64,
    CS_RECORD_MAX_MOVES = 256,
    CS_RECORD_MAX_BLOBS = 4096, /* parked rows, cleanup names */
    CS_RECORD_MAX_PATH = 32767,
    CS_RECORD_MAX_TEXT = 256,
    CS_RECORD_MAX_VALUE = 1024 * 1024,
    CS_RECORD_NUMBERS = 100
};

extern const char *const cs_kind_names[5];
extern const char *const cs_area_names[2];
extern const char *const cs_variable_names[3];
extern const char *const cs_trust_names[4];

/* 32 lower-case hex digits. */
bool cs_txid_valid(const char *text);
/* bin/x.dll, include/x.h, lib/x64/x.lib or x.txt, x being a plain name. */
bool cs_target_valid(const char *target);
/* A folder that such a target can need: bin, include, lib, lib/x64. */
bool cs_target_folder_valid(const char *folder);
/* "C:\..." or "/...": absolute, local, no "." or "..", no trailing separator except a root's. */
bool cs_tree_path_valid(const char *path);
bool cs_blob_equal(const cs_blob *a, const cs_blob *b);

/* The rules that hold between fields; the reader and the writer both end with it. CS_E_FORMAT with the place. */
cs_status cs_record_check(const char *name, const cs_record *record, cs_error *error);

/* ---- the seal: {"format":1,"sha256":"<64 digits>", ... with the hash taken over the bytes with 64 zeros in its place ---- */
/* Begins the root object with its two first keys, the hash still zeros. */
void cs_seal_begin(cs_json_writer *writer);
/* Puts the hash into the finished text. CS_E_TOO_BIG above CS_RECORD_MAX_BYTES. */
cs_status cs_seal_end(const char *name, cs_buffer *out, cs_error *error);
/* CS_E_UNSUPPORTED for a newer format, CS_E_FORMAT for a wrong hash or anything else that is not sealed. */
cs_status cs_seal_check(const char *name, const char *bytes, size_t size, cs_error *error);

#endif
