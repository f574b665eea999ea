/* engine.h: what the parts of the engine share: one tree at work under the session's lock. Private to src/core.
 *
 * Names follow docs/transaction.md: S is the tree's folder in P\state, B its .cudnn-setup folder, T its targets. */
#ifndef CUDNN_SETUP_ENGINE_H
#define CUDNN_SETUP_ENGINE_H

#include "cudnn_setup/transaction.h"

/* A folder held open, so that nobody can rename or replace it while we work below it. */
typedef struct cs_guard {
    char *path; /* owned */
    cs_file *handle;
    cs_file_id id;
} cs_guard;

typedef struct cs_engine {
    cs_session *session;
    const cs_host *host;
    const cs_fs *fs;
    const char *tree_id;      /* borrowed */
    const char *tree_path;    /* borrowed; NULL: unknown (a torn intent), and then nothing was made there */
    char txid[CS_ID_HEX + 1]; /* whose `mark` is flushed for T; "" : none */
    cs_guard *guards;
    size_t guard_count;
    bool impatient; /* a name could not be dropped: later ones are tried once only */
} cs_engine;

cs_engine cs_engine_start(cs_session *session, const char *tree_id, const char *tree_path, const char *txid);
void cs_engine_end(cs_engine *engine);

/* ---- paths; each replaces out ---- */
#define CS_NAME_PRIVATE ".cudnn-setup"
/* S, or one of its names. name NULL: S itself. */
cs_status cs_engine_state_path(const cs_session *session, const char *tree_id, const char *name, cs_buffer *out, cs_error *error);
/* B, B\txid, B\txid\name; txid or name may be NULL. */
cs_status cs_engine_private_path(const cs_host *host, const char *tree_path, const char *txid, const char *name, cs_buffer *out,
                                 cs_error *error);
cs_status cs_engine_target_path(const cs_engine *engine, const char *target, cs_buffer *out, cs_error *error);

/* ---- guards (engine_guards.c) ---- */
/* Holds the folder and every folder from the tree's root down to it. CS_E_NOT_FOUND if one is absent, CS_E_REPARSE if one is a
 * link. relative: below the tree, with '/'; "" is the root. */
cs_status cs_engine_guard(cs_engine *engine, const char *relative, cs_error *error);
/* The folders of every target, private file and new folder of the record. missing_ok: an absent one is left out (recovery), and
 * nothing is held of a tree that is gone or away; a link at its path is CS_E_REPARSE if files would have to move. */
cs_status cs_engine_guard_record(cs_engine *engine, const cs_record *record, bool missing_ok, cs_error *error);
/* Every held folder is still the one under its name. */
cs_status cs_engine_guards_check(cs_engine *engine, cs_error *error);
/* Lets one folder, or all of them, go. */
void cs_engine_unguard(cs_engine *engine, const char *path);
void cs_engine_unguard_all(cs_engine *engine);
/* True if the tree's root is held: false means that the tree is gone. */
bool cs_engine_has_tree(const cs_engine *engine);
/* The held folders pass to the session, or back from it. What the receiver held is let go. */
void cs_session_unhold(cs_session *session);
void cs_engine_give_guards(cs_engine *engine);
void cs_engine_take_guards(cs_engine *engine);
/* Where the tree is. A folder that is absent from a drive that is present was deleted or moved; with its drive absent, or another
 * drive under its letter, nothing is known. */
typedef enum cs_tree_state {
    CS_TREE_HERE,
    CS_TREE_GONE,
    CS_TREE_LINK, /* a link or a file stands at its path: what is behind it is not the tree */
    CS_TREE_AWAY
} cs_tree_state;
/* record: says which volume; NULL, or a record that does not know it: any volume will do. */
cs_status cs_engine_find_tree(cs_engine *engine, const cs_record *record, cs_tree_state *state, cs_error *error);

/* ---- files (engine_files.c): the seam with the retries for virus scanners ---- */
/* True, after a pause of half a second, if the call that ended so is worth another try. *tries starts as 0 and counts the pauses:
 * there are ten. */
bool cs_engine_again(const cs_host *host, cs_status status, const cs_error *error, unsigned *tries);
cs_status cs_engine_open(cs_engine *engine, const char *path, cs_open_mode mode, cs_file **out, cs_error *error);
cs_status cs_engine_rename(cs_engine *engine, cs_file *file, const char *path, bool replace, cs_error *error);
/* Opens a regular file for moving. CS_E_NOT_FOUND; CS_E_REPARSE for anything but a file. */
cs_status cs_engine_open_file(cs_engine *engine, const char *path, cs_file **out, cs_file_info *info, cs_error *error);
/* CS_OK with present false when absent; any kind of thing counts as there. */
cs_status cs_engine_stat(cs_engine *engine, const char *path, bool *present, cs_file_info *info, cs_error *error);
cs_status cs_engine_make_folder(cs_engine *engine, const char *path, cs_error *error);
cs_status cs_engine_set_info(cs_engine *engine, cs_file *file, const cs_file_info *info, cs_error *error);
cs_status cs_engine_inherit(cs_engine *engine, cs_file *file, cs_error *error);
/* Deletes a regular file; absent is CS_OK. id NULL: whatever file it is; else another file stays and is CS_OK. */
cs_status cs_engine_drop(cs_engine *engine, const char *path, const cs_file_id *id, cs_error *error);
/* Removes the folder if it is empty; absent, and not empty because something is in it, are CS_OK. CS_E_NOT_EMPTY: nothing is in
 * it but what is being deleted. */
cs_status cs_engine_remove_if_empty(cs_engine *engine, const char *path, cs_error *error);
/* Writes a new file, flushed. */
cs_status cs_engine_write_file(cs_engine *engine, const char *path, const void *bytes, size_t size, cs_file **keep_open,
                               cs_error *error);

/* ---- durability (engine_sync.c). A flush is never retried. ---- */
/* Makes B\txid\mark, the file of ours whose flush flushes the tree's volume. */
cs_status cs_engine_make_mark(cs_engine *engine, cs_error *error);
/* sync(T): `mark`, then every held folder of the tree. Nothing to do when the tree is gone. */
cs_status cs_engine_sync_tree(cs_engine *engine, cs_error *error);
/* sync(S): `lock`, then S. */
cs_status cs_engine_sync_state(cs_engine *engine, cs_error *error);
cs_status cs_engine_flush_environment(cs_engine *engine, cs_error *error);
/* CS_E_UNSUPPORTED where the record changes values and the host has no registry. */
cs_status cs_engine_needs_registry(const cs_engine *engine, const cs_record *record, cs_error *error);

/* ---- the state folder (engine_state.c) ---- */
typedef struct cs_state_names {
    bool journal, committed, undone, head, intent, temporary;
} cs_state_names;

cs_status cs_engine_state_names(cs_engine *engine, cs_state_names *out, cs_error *error);
/* What S holds. */
typedef struct cs_tree_records {
    cs_state_names names;
    cs_record pending; /* journal, committed or undone */
    cs_record head;
} cs_tree_records;

/* Reads head and what is pending, and finds them whole and consistent (session_check.c): at most one is pending, its transaction
 * is not one that the head knows, every row is a file of its receipt's manifest, and every move a row. A failure names the file
 * and what is wrong; then nothing of the tree may be touched. To be freed in any case. */
cs_status cs_engine_load_records(cs_engine *engine, cs_tree_records *out, cs_error *error);
void cs_tree_records_free(cs_tree_records *records);
/* Reads journal, committed, undone or head; its tree id must be that of the folder. */
cs_status cs_engine_read_record(const cs_session *session, const char *tree_id, const char *name, cs_record *out,
                                cs_error *error);
/* from -> to within S, by handle. A full disk: `reserve` is given up and the rename tried again. An error although the file now
 * has its new name counts as done: what counts is which name exists. */
cs_status cs_engine_rename_state(cs_engine *engine, const char *from, const char *to, bool replace, cs_error *error);
cs_status cs_engine_drop_state(cs_engine *engine, const char *name, cs_error *error);
cs_status cs_engine_make_state(cs_engine *engine, cs_error *error);
/* `intent`: the tree's path, for as long as something may lie in B that no record names. */
cs_status cs_engine_write_intent(cs_engine *engine, cs_error *error);
/* CS_E_NOT_FOUND: none. A torn one is CS_E_FORMAT: nothing was made under it yet. */
cs_status cs_engine_read_intent(const cs_session *session, const char *tree_id, cs_buffer *path, cs_error *error);

/* ---- the steps ---- */
/* Steps 11 and 12. A name that cannot be dropped stays listed and is not a failure. */
cs_status cs_engine_clean(cs_engine *engine, const cs_record *record, cs_error *error);
/* What a head still lists is tried again; an empty stack's head goes when nothing is left of it. What fails waits. */
void cs_engine_clean_head(cs_engine *engine, const cs_record *head);
/* Section 3, steps 2 to 5: from `journal`, or from `undone` if that is what is there. */
cs_status cs_engine_undo(cs_engine *engine, const cs_record *record, cs_error *error);
cs_status cs_engine_finish_undone(cs_engine *engine, const cs_record *record, cs_error *error);
/* Drops what no record names: in B, kept manifests, `reserve`, `intent`, and S itself when it is empty. head may be NULL. */
cs_status cs_engine_collect(cs_engine *engine, const cs_record *head, cs_error *error);
/* ... and what of it fails is left to a later run, with a line in the log. */
void cs_engine_collect_quietly(cs_engine *engine, const cs_record *head);

#endif
