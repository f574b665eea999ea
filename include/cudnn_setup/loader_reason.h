/* loader_reason.h: why a DLL did not load, from the import tables of what the loader would have found: names the file that is
 * absent or wrong, not the one that needs it. Loads nothing. */
#ifndef CUDNN_SETUP_LOADER_REASON_H
#define CUDNN_SETUP_LOADER_REASON_H

#include "cudnn_setup/fs.h"
#include "cudnn_setup/verdict.h"

/* What the loader of one process sees. */
typedef struct cs_loader_view {
    void *ctx;
    bool (*find)(void *ctx, const char *name, cs_buffer *path); /* the file that it would take for a bare name */
    bool (*is_loaded)(void *ctx, const char *name);             /* in this process already */
} cs_loader_view;

typedef struct cs_loader_reason {
    cs_gpu_verdict
        verdict;         /* CS_GPU_CUDNN_ABSENT, CS_GPU_PART_MISSING, CS_GPU_DEPENDENCY_ABSENT, CS_GPU_NEWER_PART,
                            CS_GPU_OTHER_MACHINE, CS_GPU_DAMAGED, CS_GPU_ACCESS_DENIED, CS_GPU_FUNCTION_ABSENT or CS_GPU_NOT_LOADED */
    cs_buffer file;      /* bare name if absent, else full path; never empty unless memory ran out */
    cs_buffer needed_by; /* full path of the file that imports it; "" for the DLL itself */
    cs_buffer function;  /* of CS_GPU_FUNCTION_ABSENT, where it was found out */
} cs_loader_reason;

/* name: the bare name given to LoadLibrary; code: what it answered (126, 127, 193, 5, ...). Replaces *out, which is freed with
 * cs_loader_reason_free. */
void cs_loader_explain(const cs_fs *fs, const cs_loader_view *view, const char *name, uint32_t code, cs_loader_reason *out);
void cs_loader_reason_free(cs_loader_reason *reason);
/* For its sentence. */
void cs_loader_reason_facts(const cs_loader_reason *reason, uint32_t code, cs_facts *facts);

#endif
