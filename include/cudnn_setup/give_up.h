/* give_up.h: the way out for a tree whose records cannot be read or believed, on an explicit order only. */
#ifndef CUDNN_SETUP_GIVE_UP_H
#define CUDNN_SETUP_GIVE_UP_H

#include "cudnn_setup/transaction.h"

/* Moves the tree's records (head, journal, committed, undone, manifests) as they are to P\state\given-up\<tree>-NN, a new folder,
 * so that the tree is known no more. Nothing is deleted, and nothing outside P\state is touched: the files in the tree, their
 * undo data in .cudnn-setup and the environment stay. Moving the files back by hand undoes it. where receives the folder's path.
 * CS_E_ FAILED with what to do, and nothing done, where a folder or a link stands for a record. Needs the lock. */
cs_status cs_session_give_up(cs_session *session, const char *tree_id, cs_buffer *where, cs_error *error);

#endif
