/* proof_internal.h: what the stages of the proof share. Private to proof*.c. */
#ifndef CUDNN_SETUP_PROOF_INTERNAL_H
#define CUDNN_SETUP_PROOF_INTERNAL_H

#include "cudnn_setup/proof.h"

void proof_keep(char **slot, const cs_buffer *text); /* replaces the outcome's text */

/* A folder has many names (8.3, junctions, drives made by subst); its identity is one. */
bool proof_same_folder(const cs_fs *fs, const char *a, const char *b);

/* Stage 2, in a process of its own. False if it failed; *loaded: it passed. */
bool proof_load(cs_run *run, const char *bin, const cs_receipt *receipt, bool *loaded);
/* Where no process may load anything: what import tables say. The stage, which says so, learns that nothing is missing, or
 * becomes what is. */
void proof_look(cs_run *run, const cs_receipt *receipt, cs_proof_stage *stage);
/* Stage 3, in another. False if it failed. */
bool proof_compute(cs_run *run, const cs_receipt *receipt);

#endif
