/* loader_error.h: why a DLL did not load, from the import tables of what the loader would have found: names the file that is
 * absent or wrong, not the one that needs it. Loads nothing. */
#ifndef CUDNN_SETUP_INSTALLER_LOADER_ERROR_H
#define CUDNN_SETUP_INSTALLER_LOADER_ERROR_H

#include "cudnn_setup/host.h"

typedef enum loader_fault {
    LOADER_UNKNOWN,      /* nothing wrong was found */
    LOADER_ABSENT,       /* 126: file is nowhere on the way */
    LOADER_UNREADABLE,   /* 5: file cannot be opened */
    LOADER_NOT_A_DLL,    /* 193: damaged, or no program file at all */
    LOADER_OTHER_MACHINE /* 193: for another processor */
} loader_fault;

typedef struct loader_reason {
    loader_fault fault;
    cs_buffer file;      /* bare name if absent, else full path */
    cs_buffer needed_by; /* full path of the file that imports it; "" for the DLL itself */
    cs_buffer text;      /* a sentence */
} loader_reason;

void loader_reason_free(loader_reason *reason);

/* name: the bare name given to LoadLibrary; code: what it answered (126, 127, 193, 5, ...). */
void loader_explain(const cs_fs *fs, const char *name, uint32_t code, loader_reason *out);

#endif
