/* levels.h: how many steps back are kept.
 *
 * A receipt is one step back. The newest two always keep their undo data, so two roll-backs are possible; the oldest receipt
 * keeps its own, because it holds what stood there before us and is what uninstall brings back. What lies between holds only what
 * we placed ourselves and is folded away when a further installation is stacked: the two oldest receipts become one that goes
 * from the newer one's files to the older one's old files. Two receipts whose old files cannot be named by one transaction id are
 * left as they are. /forget drops the oldest step's undo data too, on request: uninstall then removes our files and has nothing
 * to bring back. */
#ifndef CUDNN_SETUP_LEVELS_H
#define CUDNN_SETUP_LEVELS_H

#include "cudnn_setup/transaction.h"

enum { CS_LEVELS_KEPT = 2 };

/* Folds the record's stack to at most CS_LEVELS_KEPT + 1 receipts where it can, and adds the private files that nothing needs any
 * more to its cleanup. */
cs_status cs_levels_fold(cs_record *record, cs_error *error);

/* Drops the undo data of every receipt below the newest CS_LEVELS_KEPT: its rows had nothing before, its old files go to cleanup.
 * dropped counts them. */
cs_status cs_levels_forget(cs_record *record, size_t *dropped, cs_error *error);

/* Bytes of undo data that a receipt's rows name. */
uint64_t cs_levels_size(const cs_receipt *receipt);

#endif
