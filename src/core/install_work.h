/* install_work.h: what an installation holds while it works; install.c decides, install_package.c gets the files. */
#ifndef CUDNN_SETUP_INSTALL_WORK_H
#define CUDNN_SETUP_INSTALL_WORK_H

#include "cudnn_setup/package.h"
#include "cudnn_setup/verb.h"

typedef struct cs_install_work {
    cs_run run;
    cs_manifest manifest;
    cs_tree_place place;
    size_t known; /* index in run.trees; == run.trees.count: a new tree */
    bool trusted; /* the tree: threat rule 3 */
    cs_environment_plan environment;
    cs_archive *archive;
    cs_trust trust;
    char txid[CS_ID_HEX + 1];
    bool begun;      /* B of txid exists */
    bool rows_right; /* the files are as the newest receipt says, and the package is the same: nothing to unpack */
    bool only[CS_MANIFEST_MAX_FILES]; /* repair: the manifest rows to unpack */
    bool repairing;
    cs_stage stage;
    bool staged;
    cs_plan plan;
} cs_install_work;

/* The head of the tree; NULL: nothing installed. */
const cs_record *cs_install_head(const cs_install_work *work);

/* Finds, opens and judges the archive, and checks the space for what it unpacks. */
cs_status cs_install_get_archive(cs_install_work *work);

/* Programs into P, intent and B, where only the environment changes. */
cs_status cs_install_begin(cs_install_work *work);

/* Programs into P, intent, B, and every row unpacked (in a dry run: read and hashed, nothing written). */
cs_status cs_install_stage(cs_install_work *work);

/* Loads the receipts as they are now and proves what the newest one says is installed. False only if the proof was required and
 * failed; *index is then the tree's place in run.trees. */
bool cs_install_proved(cs_install_work *work, size_t *index);

/* Closes the archive and removes the copy of it that was made. */
void cs_install_drop_archive(cs_install_work *work);

/* Frees what the work holds. */
void cs_install_end(cs_install_work *work);

/* Drops what was staged when nothing was journaled. */
void cs_install_abandon(cs_install_work *work);

#endif
