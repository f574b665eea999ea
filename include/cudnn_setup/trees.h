/* trees.h: the CUDA trees that we know from P\state (or, where that may not be read, from P\status), and choosing one of them.
 * Trees are found by our records, never by detection: the folder itself may be gone. */
#ifndef CUDNN_SETUP_TREES_H
#define CUDNN_SETUP_TREES_H

#include "cudnn_setup/options.h"
#include "cudnn_setup/transaction.h"

typedef struct cs_known_tree {
    char id[CS_ID_HEX + 1];
    cs_record head; /* an empty stack: nothing installed, but something is parked or waits to be dropped */
    cs_pending pending;
} cs_known_tree;

/* A tree whose records are there and cannot be read or believed. Nothing of it is touched; the others are not concerned. */
typedef struct cs_blocked_tree {
    char id[CS_ID_HEX + 1];
    char *path;     /* owned; where the tree is, by P\\status or by a record that can be read; NULL: unknown */
    cs_error error; /* the file, what is wrong with it, and the way out */
} cs_blocked_tree;

typedef struct cs_known_trees {
    cs_known_tree *items;
    size_t count;
    cs_blocked_tree *blocked;
    size_t blocked_count;
    bool readable_only; /* read from P\status: whether work is pending is known for the machine, not for the tree */
    bool pending;       /* interrupted work somewhere, in a tree that is not blocked */
} cs_known_trees;

/* Loads every known tree; one that cannot be read is among the blocked, and no failure. session may be a reading one; a session
 * without P\state gives none. */
cs_status cs_trees_load(const cs_session *session, cs_known_trees *out, cs_error *error);
void cs_trees_free(cs_known_trees *trees);

/* How the folder of a known tree stands. */
typedef struct cs_tree_place {
    cs_tree tree;                  /* id is that of our records */
    char folder_id[CS_ID_HEX + 1]; /* of the folder that stands there now; "" where that is tree.id, or gone */
    bool gone;                     /* no such folder, or a link or a file in its place */
    bool away;                     /* gone, and so is its drive, or another one has its letter: nothing is known of it */
    bool strangers;                /* another folder stands at the path: its files are not ours */
} cs_tree_place;

/* path: NULL takes the recorded one, and a link or a file there counts as gone (with a warning): there is nothing of ours to take
 * back behind it. At a given path, where files are to go, it is CS_E_REPARSE. */
cs_status cs_tree_locate(const cs_host *host, const cs_known_tree *known, const char *path, cs_tree_place *out, cs_error *error);
void cs_tree_place_free(cs_tree_place *place);

/* The tree that has something installed and is meant by /tree:, /cuda:, or by being the only one. CS_E_NOTHING if there is none;
 * CS_E_USAGE with the ids if there are several and nothing was said; CS_E_PENDING with the way out if it is a blocked one. A
 * blocked tree counts among the several: nobody knows what is installed there. */
cs_status cs_trees_choose(const cs_host *host, const cs_known_trees *trees, const cs_options *options, size_t *index,
                          cs_error *error);

/* The known tree of a folder: by its identity, else by its recorded path. trees->count: none. */
size_t cs_trees_find(const cs_host *host, const cs_known_trees *trees, const char *path);

/* Every receipt of every tree but for the newest skip_depth of the tree with the id skip (NULL: none). *out is owned by the
 * caller (cs_free) and borrows from trees; NULL if there are none. */
cs_status cs_trees_receipts(const cs_known_trees *trees, const char *skip, size_t skip_depth, const cs_receipt ***out,
                            size_t *count, cs_error *error);

/* The blocked tree of a folder, by its identity or by what is known of its path; trees->blocked_count: none. */
size_t cs_trees_find_blocked(const cs_host *host, const cs_known_trees *trees, const char *path);

/* CS_E_PENDING with what the blocked tree's own error says. */
cs_status cs_trees_refuse_blocked(const cs_known_trees *trees, size_t index, cs_error *error);

/* The newest receipt; NULL: nothing installed. */
const cs_receipt *cs_trees_top(const cs_record *head);

#endif
