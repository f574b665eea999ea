/* undo_data.h: whether what uninstall and rollback would put back is still there. Only looks. */
#ifndef CUDNN_SETUP_UNDO_DATA_H
#define CUDNN_SETUP_UNDO_DATA_H

#include "cudnn_setup/trees.h"

typedef struct cs_undo_data {
    size_t files; /* old files that the receipts name */
    uint64_t bytes;
    size_t missing, damaged; /* of them: not there; there with another size, or (hash) another content */
    size_t unknown;          /* cannot be looked at, perhaps only by this account */
    cs_buffer names;         /* the first few that are missing or damaged, with what is wrong */
} cs_undo_data;

/* hash: compare contents too, not only presence and size. Free with cs_undo_data_free in any case. */
cs_status cs_undo_data_look(const cs_host *host, const char *tree_path, const cs_record *head, bool hash, cs_undo_data *out,
                            cs_error *error);
void cs_undo_data_free(cs_undo_data *data);

#endif
