/* findings.h: what the doctor finds out from the libraries on the way and from the machine's variables. Private to the doctor. */
#ifndef CUDNN_SETUP_FINDINGS_H
#define CUDNN_SETUP_FINDINGS_H

#include "cudnn_setup/manifest.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/toolkit.h"

/* What the findings are made from, and how bad the worst is. */
typedef struct cs_scene {
    const cs_host *host;
    cs_search_order order;
    cs_toolkits toolkits;
    cs_strings parts; /* the names of the package's DLLs, cudnn64_8.dll among them */
    cs_buffer bin;    /* the chosen toolkit's; empty: none */
    cs_buffer *report;
    size_t notes, faults;
} cs_scene;

/* One line each. A note is something to know; a fault is something that programs stumble over. */
void cs_scene_note(cs_scene *scene, const char *format, ...) CS_PRINTF(2, 3);
void cs_scene_fault(cs_scene *scene, const char *format, ...) CS_PRINTF(2, 3);

/* Copies of cuDNN in the search order: several, incomplete, mixed, renamed, in Windows' own folders. */
void cs_find_copies(cs_scene *scene);
/* PATH as it is for this process and for new ones, CUDA_PATH, headers of another version, stray copies, Store Python. */
void cs_find_machine(cs_scene *scene);

/* Whether a file of this name is in a folder. */
bool cs_scene_has(const cs_scene *scene, const char *folder, const char *name);

/* Answers to what people ask most, some only where the machine gives cause. bin (NULL: none) is named where it helps. */
void cs_explain(const cs_host *host, const char *bin, cs_buffer *out);

#endif
