/* proof.h: does a new program find and load what was placed? Stage 1 looks at files in Windows' search order; stage 2 lets
 * cudnn-probe.exe load everything in a process of its own; stage 3 (GPU) is not part of this version and says so. */
#ifndef CUDNN_SETUP_PROOF_H
#define CUDNN_SETUP_PROOF_H

#include "cudnn_setup/verb.h"

enum { CS_PROOF_DEADLINE_MS = 60000, CS_PROOF_PROBE_REFUSED = 3 /* the probe's exit code: it had administrator rights */ };

/* placed: what this run moved into the tree; what it moved is known by its identity, the rest by what stands in the tree. Runs
 * the stages that can run and fills outcome->proof_*: "passed...", "skipped: why", "failed: why". False only if a stage that
 * could run failed. Changes nothing and never fails by itself. */
bool cs_proof_run(cs_run *run, const char *tree_path, const cs_receipt *receipt, const cs_record *placed);

/* Reads what the probe printed: one JSON object
 * {"stage":2,"cudnn_version":8003,"modules":[{"name":...,"path":...}],"error":null}. wanted: the version the package is;
 * bin_path: the folder that the parts must come from, by whatever name the loader knows it. text receives "passed: ..." or
 * "failed: ...". */
bool cs_proof_read_probe(const cs_fs *fs, const char *bytes, size_t size, uint32_t wanted, const char *bin_path, cs_buffer *text);

#endif
