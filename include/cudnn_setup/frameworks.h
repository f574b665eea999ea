/* frameworks.h: which frameworks the Python environments of this machine hold, what each brings or wants of CUDA and cuDNN, and
 * whether the package serves it. Reads files and the registry only: runs no Python, loads nothing, opens no network folder, and
 * stops at fixed bounds. What is known of a framework stands in manifests/frameworks.json; what is not known is not made up.
 *
 * All text is UTF-8. */
#ifndef CUDNN_SETUP_FRAMEWORKS_H
#define CUDNN_SETUP_FRAMEWORKS_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/verdict.h"

/* Whether the package serves a framework. */
typedef enum cs_serves {
    CS_SERVES_YES,
    CS_SERVES_NO,      /* it was built for another cuDNN or another CUDA */
    CS_SERVES_OWN,     /* it brings a cuDNN of its own and does not look at this one */
    CS_SERVES_NONE,    /* it computes on the CPU only and needs no cuDNN */
    CS_SERVES_UNKNOWN, /* nobody of this project knows what this release wants */
    CS_SERVES_COUNT
} cs_serves;

const char *cs_serves_name(cs_serves serves); /* "yes", "no", "own", "none", "unknown" */

/* One framework in one environment. Texts are owned; NULL: not known. */
typedef struct cs_framework {
    char *name;         /* "PyTorch" */
    char *distribution; /* as pip calls it: "torch" */
    char *version;      /* "1.8.1+cu101" */
    char *folder;       /* the site-packages folder that holds it */
    char *cuda;         /* that it was built for: "10.1" */
    char *cudnn;        /* that it wants or brings: "7.6" */
    char *loads;        /* the DLL that it asks for: "cudnn64_7.dll" */
    char *found;        /* a cuDNN that lies in its own folders: "torch\lib\cudnn64_7.dll, version 7.6.5.0" */
    cs_serves serves;
    cs_buffer sentence[CS_LANGUAGE_COUNT]; /* what it means for the user, one or two sentences */
} cs_framework;

/* Starts as {0}. */
typedef struct cs_frameworks {
    cs_framework *items; /* by folder in the order of finding, then by name */
    size_t count;
    cs_strings folders; /* the site-packages folders that were looked into */
    size_t skipped;     /* environments that were not looked into: on the network, or beyond the bounds */
} cs_frameworks;

/* Looks into the environments that PATH (as a new process has it), the registry (PEP 514), conda's list, pip's folders for one
 * user, the Store's Python and, without administrator rights, VIRTUAL_ENV and CONDA_PREFIX name. What cannot be read is passed
 * over. CS_E_NO_MEMORY; CS_E_FORMAT if the built-in table is damaged. */
cs_status cs_frameworks_find(const cs_host *host, cs_frameworks *out, cs_error *error);
/* The same for one site-packages folder; appends. */
cs_status cs_frameworks_look(const cs_host *host, const char *site_packages, cs_frameworks *out, cs_error *error);
void cs_frameworks_free(cs_frameworks *frameworks);

/* Appends one line for each, in that language, what the file system says made visible. */
void cs_frameworks_tell(const cs_frameworks *frameworks, cs_language language, cs_buffer *out);

#endif
