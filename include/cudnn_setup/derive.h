/* derive.h: what follows from the receipts and is computed again at the end of every run and recovery: the entries in Apps &
 * Features, the recovery service, P\status\<tree>.json, and whether our programs stay in P. Nothing here decides anything. */
#ifndef CUDNN_SETUP_DERIVE_H
#define CUDNN_SETUP_DERIVE_H

#include "cudnn_setup/transaction.h"

/* "SOFTWARE\...\Uninstall\cudnn-setup-<tree>": prefix of the key's last part. */
#define CS_DERIVE_ENTRY_PREFIX "cudnn-setup-"

/* Brings all of it in line with the heads in P\state; writes only what differs and flushes what it wrote. Goes on after a failure
 * and returns the first one: the caller makes a warning of it. The session must hold the lock. Idempotent, safe to interrupt. */
cs_status cs_derive(cs_session *session, cs_error *error);

/* The registry key of a tree's entry in Apps & Features. Replaces out. */
cs_status cs_derive_entry_key(const char *tree_id, cs_buffer *out, cs_error *error);

/* The record in P\status\<tree>.json: readable by everybody, written by administrators only; for read-only verbs that may not
 * look into P\state. CS_E_NOTHING if there is none. */
cs_status cs_derive_read_status(const cs_session *session, const char *tree_id, cs_record *out, cs_error *error);

/* The ids of all trees that have a status file, sorted. */
cs_status cs_derive_status_trees(const cs_session *session, cs_strings *out, cs_error *error);

#endif
