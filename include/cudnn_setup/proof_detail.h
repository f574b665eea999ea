/* proof_detail.h: what the stages of the proof found, beyond one sentence each: for the /json result, the HTML report and the
 * window. */
#ifndef CUDNN_SETUP_PROOF_DETAIL_H
#define CUDNN_SETUP_PROOF_DETAIL_H

#include "cudnn_setup/json.h"
#include "cudnn_setup/verdict.h"

/* One computation that the GPU stage tried. Texts are owned, as the probe wrote them. */
typedef struct cs_proof_call {
    char *operation, *shape, *type, *algorithm;
    char *outcome; /* "right", "unsupported", ... (cs_gpu_outcome_name) */
    char *error;   /* "1.234e-07"; NULL: nothing was computed */
    char *limit;
    uint64_t workspace; /* bytes */
    uint64_t first_ns, later_ns;
} cs_proof_call;

typedef struct cs_proof_stage {
    bool known; /* it ran, or is known why it did not */
    cs_gpu_verdict verdict;
    cs_buffer sentence[CS_LANGUAGE_COUNT];
} cs_proof_stage;

/* Texts are owned; NULL, and 0 for numbers: not known. */
typedef struct cs_proof_detail {
    cs_proof_stage loading, gpu;
    uint64_t cudnn, built_for, runtime, driver_cuda; /* 8003, 10010, 10010, 10020 */
    char *driver;                                    /* "418.96" */
    char *device, *capability;                       /* of the device that was used */
    uint64_t memory_free, memory_total;              /* bytes */
    char *visible_devices;                           /* CUDA_VISIBLE_DEVICES */
    cs_proof_call *calls;
    size_t call_count;
} cs_proof_detail;

void cs_proof_detail_free(cs_proof_detail *detail); /* accepts NULL; frees *detail itself as well */

/* Sets the stage to a verdict with its sentences. facts may be NULL. */
void cs_proof_stage_set(cs_proof_stage *stage, cs_gpu_verdict verdict, const cs_facts *facts);
/* "passed: ...", "skipped: ..." or "failed: ..." in that language; English is what results and logs hold. Appends. */
void cs_proof_stage_text(const cs_proof_stage *stage, cs_language language, cs_buffer *out);

/* Reads what the probe printed for stage 3. False, with the stage CS_GPU_NO_ANSWER, if it cannot be read. */
bool cs_proof_read_gpu(const char *bytes, size_t size, cs_proof_detail *detail);

/* Puts the keys "verdicts", "machine" and "calls" into the open object. detail may be NULL. */
void cs_proof_put_json(cs_json_writer *json, const cs_proof_detail *detail);
/* Appends the part of the HTML report: the machine, a chart of first and later calls, a table of every computation. */
void cs_proof_put_html(const cs_proof_detail *detail, cs_language language, cs_buffer *out);

#endif
