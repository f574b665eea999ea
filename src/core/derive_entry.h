/* derive_entry.h: the entries in Apps & Features, one per CUDA tree. */
#ifndef CUDNN_SETUP_DERIVE_ENTRY_H
#define CUDNN_SETUP_DERIVE_ENTRY_H

#include "cudnn_setup/derive.h"

/* Writes what differs in the entry of the head's tree; the head has at least one receipt. */
cs_status cs_derive_entry_write(const cs_session *session, const cs_record *head, cs_error *error);

/* Removes the entries of all other trees: our values by name, then the key if it is empty. */
cs_status cs_derive_entry_drop_others(const cs_session *session, const cs_strings *installed, cs_error *error);

#endif
