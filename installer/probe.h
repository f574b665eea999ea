/* probe.h: the exit codes of cudnn-probe, which only its parents see, and its stages. */
#ifndef CUDNN_SETUP_INSTALLER_PROBE_H
#define CUDNN_SETUP_INSTALLER_PROBE_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/verdict.h"

enum {
    PROBE_LOADED = 0,     /* every part, and cudnnGetVersion answered */
    PROBE_NOT_LOADED = 1, /* a part did not load */
    PROBE_NO_VERSION = 2, /* all loaded, but the shim does not say its version */
    PROBE_REFUSED = 3,    /* administrator rights, and not told to use them */
    PROBE_USAGE = 4,
    PROBE_FAILED = 5, /* the answer could not be made or written */
    PROBE_OTHER = 6   /* the GPU stage ran and came to another verdict than passed */
};

typedef struct probe {
    cs_json_writer json;
    const cs_host *host;
    uint64_t version; /* 0: unknown */
    cs_gpu_verdict verdict;
    cs_buffer message, chinese; /* what is wrong, for people; empty: nothing */
} probe;

/* Loads every part by bare name, puts what came into the open object of p->json, and returns the exit code. */
int probe_load(probe *p);
/* Runs the self-test, on a thread of its own; the same. */
int probe_compute(probe *p);
/* Asks the driver which GPUs there are; the same. */
int probe_devices(probe *p);

#endif
