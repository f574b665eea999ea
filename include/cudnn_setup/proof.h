/* proof.h: does a new program find, load and compute with what was placed? Stage 1 looks at files in Windows' search order;
 * stages 2 and 3 are cudnn-probe.exe in a process of its own each: it loads every part, then computes and compares with a
 * reference. */
#ifndef CUDNN_SETUP_PROOF_H
#define CUDNN_SETUP_PROOF_H

#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/verb.h"

enum {
    CS_PROOF_DEADLINE_MS = 60000, /* for each of the last two stages; the process and its children are ended then */
    CS_PROOF_PROBE_REFUSED = 3    /* the probe's exit code: it had administrator rights */
};

/* placed: what this run moved into the tree; what it moved is known by its identity, the rest by what stands in the tree. Runs
 * the stages that can run and fills outcome->proof_* ("passed...", "skipped: why", "failed: why") and outcome->proof. False only
 * if a stage that could run failed. Changes nothing and never fails by itself. */
bool cs_proof_run(cs_run *run, const char *tree_path, const cs_receipt *receipt, const cs_record *placed);

/* Said before anything is changed, as a warning where the machine cannot use the package, as a note otherwise; nothing that
 * cannot be found out is told. The driver from its file, for every run; the GPUs by the probe, once it is in P, unless
 * /selftest:skip. */
void cs_proof_tell_driver(cs_run *run, const cs_manifest *manifest);
void cs_proof_tell_gpus(cs_run *run, const cs_manifest *manifest);

/* Reads what the probe printed for stage 2: one JSON object
 * {"stage":2,"cudnn_version":8003,"modules":[{"name":...,"path":...}],"verdict":...,"error":null}. wanted: the version the
 * package is; bin_path: the folder that the parts must come from, by whatever name the loader knows it. True for CS_GPU_LOADED.
 */
bool cs_proof_read_probe(const cs_fs *fs, const char *bytes, size_t size, uint32_t wanted, const char *bin_path,
                         cs_proof_stage *stage);

#endif
