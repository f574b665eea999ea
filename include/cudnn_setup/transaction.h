/* transaction.h: the engine. Everything that changes the machine goes through a session and one of these calls. The steps and
 * their numbers are those of docs/transaction.md. */
#ifndef CUDNN_SETUP_TRANSACTION_H
#define CUDNN_SETUP_TRANSACTION_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/record.h"

/* P's name in Program Files. */
#define CS_NAME_PROGRAMS "cudnn-setup"

/* P, P\state and the machine's lock. Paths are owned, UTF-8, with the seam's separator. */
typedef struct cs_session {
    const cs_host *host;
    char *programs;                       /* P */
    char *state;                          /* P\state */
    cs_file *lock;                        /* held; NULL in a read-only session */
    bool created_programs, created_state; /* by this run: removed again if nothing is installed at its end */
    /* The tree's root and the folders of B that are staged into: held from cs_transaction_begin until commit or abandon. */
    struct cs_guard *held;
    size_t held_count;
    bool registry_written; /* by undoing or finishing: programs have to be told that the environment changed */
    /* What cs_session_recover left. */
    cs_strings set_aside;          /* ids of the trees whose records cannot be read, are damaged, or are a newer cudnn-setup's */
    unsigned finished, taken_back; /* interrupted changes, by what became of them */
    bool unfinished; /* interrupted work whose records are whole could not be finished: nothing else may be changed */
} cs_session;

/* Step 0 without the recovery: creates P, P\state and `lock` if absent, checks who can write to them, takes the lock.
 * CS_E_BUSY if another run holds it. */
cs_status cs_session_open(const cs_host *host, cs_session *out, cs_error *error);
/* For read-only verbs: creates nothing, takes no lock. CS_E_NOTHING if there is no P\state. */
cs_status cs_session_open_reading(const cs_host *host, cs_session *out, cs_error *error);
void cs_session_close(cs_session *session);

/* A CUDA tree. */
typedef struct cs_tree {
    char id[CS_ID_HEX + 1];
    char *path;      /* owned; no trailing separator */
    char volume[64]; /* GUID path */
    cs_file_id root;
} cs_tree;

/* Identity of the folder at path: id = first 32 hex digits of SHA-256(volume GUID path, a zero byte, the 16 id bytes). */
cs_status cs_tree_open(const cs_host *host, const char *path, cs_tree *out, cs_error *error);
void cs_tree_free(cs_tree *tree);

/* The ids of all trees that have state in P\state, sorted. */
cs_status cs_session_trees(const cs_session *session, cs_strings *out, cs_error *error);

typedef enum cs_pending { CS_PENDING_NONE, CS_PENDING_JOURNAL, CS_PENDING_COMMITTED, CS_PENDING_UNDONE } cs_pending;

/* The present stack of a tree: `committed` if there, else `head`. CS_E_NOTHING if neither is. pending may be NULL. */
cs_status cs_session_head(const cs_session *session, const char *tree_id, cs_record *out, cs_pending *pending, cs_error *error);

/* Step 3, first part: writes `intent`, creates B with `mark` and new\ (and old\), and holds these folders and the tree's root
 * until cs_transaction_commit, cs_transaction_abandon or the session's end: what is staged by path lands there and nowhere else.
 * A tree that was opened as a folder must still be there: CS_E_CHANGED, CS_E_REPARSE. One that was located as gone (its volume
 * is "") gets no B. */
cs_status cs_transaction_begin(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error);

/* Drops B\archive, the copy that cs_stage_archive made, below the held folders. Absent, or nothing held: CS_OK. */
cs_status cs_transaction_drop_archive(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error);

/* Keeps the manifest's bytes as manifests\<sha256>.json (flushed; before F3). */
cs_status cs_session_keep_manifest(cs_session *session, const char *tree_id, const cs_manifest *manifest, cs_error *error);
cs_status cs_session_kept_manifest(const cs_session *session, const char *tree_id, const uint8_t sha256[CS_SHA256_SIZE],
                                   cs_manifest *out, cs_error *error);

/* Full path of a private file. Replaces out. */
cs_status cs_blob_path(const cs_host *host, const char *tree_path, const cs_blob *blob, cs_buffer *out, cs_error *error);

/* Steps 4 to 12: checks everything against the record once more (CS_E_CHANGED: nothing done, plan again), makes the journal
 * durable, applies, commits, cleans. On failure before the commit everything is undone and the error returned; if the undo cannot
 * be finished, or the commit's flush failed: CS_E_PENDING. */
cs_status cs_transaction_commit(cs_session *session, const cs_tree *tree, const cs_record *record, cs_error *error);

/* Drops what cs_transaction_begin and staging made, when nothing was journaled (cancelled, failed, nothing to do). */
cs_status cs_transaction_abandon(cs_session *session, const cs_tree *tree, const char *txid, cs_error *error);

/* Section 3 over every tree: finishes or undoes whatever was interrupted and collects what no record names. did_work says whether
 * anything was pending. CS_E_PENDING if something cannot be finished now. Without session->unfinished that is only because trees
 * were set aside: nothing of theirs is touched, cs_transaction_begin refuses them with CS_E_PENDING, and a run that is about
 * another tree goes on. */
cs_status cs_session_recover(cs_session *session, bool *did_work, cs_error *error);
bool cs_session_is_set_aside(const cs_session *session, const char *tree_id);

#endif
