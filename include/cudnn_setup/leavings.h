/* leavings.h: what lies in a tree's .cudnn-setup folder that no record names. Only looks. */
#ifndef CUDNN_SETUP_LEAVINGS_H
#define CUDNN_SETUP_LEAVINGS_H

#include "cudnn_setup/transaction.h"

typedef struct cs_leavings {
    /* Unpacked by a run that ended before its change began: the next changing run drops it. */
    size_t files;
    uint64_t bytes;
    /* Older files in `old` of a transaction that no record knows (the records were deleted, or an older copy of them was put
     * back): never dropped. */
    size_t kept_files;
    uint64_t kept_bytes;
} cs_leavings;

/* head: the records of the tree; NULL: there are none. A folder that is absent or no folder has nothing. */
cs_status cs_leavings_look(const cs_host *host, const char *tree_path, const cs_record *head, cs_leavings *out, cs_error *error);

/* Every place that the session's records know, with what was found there (nothing is told too): the path of each tree, and the
 * one of an intent. A tree with interrupted work, or one whose records cannot be believed, is left out. each: anything but CS_OK
 * ends it and is returned. */
typedef cs_status (*cs_leavings_each)(void *ctx, const char *tree_path, const cs_leavings *found);
cs_status cs_leavings_find(const cs_session *session, cs_leavings_each each, void *ctx, cs_error *error);

#endif
