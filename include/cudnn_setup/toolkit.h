/* toolkit.h: finding the CUDA 10.1 toolkit for a machine-wide installation. Never reads the caller's environment, runs nothing.
 */
#ifndef CUDNN_SETUP_TOOLKIT_H
#define CUDNN_SETUP_TOOLKIT_H

#include "cudnn_setup/host.h"

typedef enum cs_toolkit_source {
    CS_TOOLKIT_OPTION,       /* /cuda: */
    CS_TOOLKIT_CUDA_PATH_V,  /* HKLM CUDA_PATH_V10_1 */
    CS_TOOLKIT_REGISTRY_KEY, /* HKLM\SOFTWARE\NVIDIA Corporation\GPU Computing Toolkit\CUDA\v10.1 InstallDir */
    CS_TOOLKIT_CUDA_PATH,    /* HKLM CUDA_PATH */
    CS_TOOLKIT_DEFAULT       /* Program Files\NVIDIA GPU Computing Toolkit\CUDA\v10.1 */
} cs_toolkit_source;

typedef struct cs_toolkit_candidate {
    cs_toolkit_source source;
    char *path; /* owned; real drive letter, no trailing separator */
    bool usable;
    char *version;       /* owned; from version.txt ("10.1.243"); NULL: unknown */
    char *reason;        /* owned; one sentence: why usable or not */
    bool trusted;        /* no ordinary user can write to it or swap a folder above it */
    char *untrusted_why; /* owned; NULL if trusted */
} cs_toolkit_candidate;

typedef struct cs_toolkits {
    cs_toolkit_candidate *items; /* in order of preference; the same folder appears once, under its first source */
    size_t count;
    size_t chosen; /* index of the first usable one; == count: none */
} cs_toolkits;

/* option: the /cuda: value or NULL; with it, nothing else is considered. cuda: "10.1". CS_OK even if none is usable: the caller
 * turns that into CS_E_TOOLKIT with the reasons (cs_toolkits_explain). */
cs_status cs_toolkit_detect(const cs_host *host, const char *cuda, const char *option, cs_toolkits *out, cs_error *error);
void cs_toolkits_free(cs_toolkits *toolkits);
const char *cs_toolkit_source_text(cs_toolkit_source source);
/* Appends one line per candidate: where it was named, what is in it, why it was taken or not. */
void cs_toolkits_explain(const cs_toolkits *toolkits, cs_buffer *out);

#endif
