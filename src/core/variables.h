/* variables.h: what %NAME% stands for in a value of the registry, without ever asking this process's own environment. Private to
 * pathlist's users. */
#ifndef CS_VARIABLES_H
#define CS_VARIABLES_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/pathlist.h"

typedef struct cs_variables {
    const cs_host *host;
    bool user; /* the user's variables too (HKCU); false: the machine's alone */
} cs_variables;

/* The callbacks of cs_pathlist_folder; ctx is a cs_variables. Order: Windows' own (SystemRoot, ProgramFiles, ...), the user's,
 * the machine's. */
cs_status cs_variables_get(void *ctx, const char *name, cs_buffer *out);
cs_status cs_variables_settled(void *ctx, const char *name, bool *out);
cs_status cs_variables_real_path(void *ctx, const char *path, cs_buffer *out);

/* A folder to compare with, over these variables. path stays the caller's. */
cs_pathlist_folder cs_variables_folder(cs_variables *variables, const char *path);

/* Expands text as a REG_EXPAND_SZ value for a new process: its names, and the names inside their values once more, as on a
 * machine where the order of the values is lucky. Replaces out. */
cs_status cs_variables_expand(cs_variables *variables, const char *text, cs_buffer *out, cs_error *error);

/* Reads a string value, expanded if it is a REG_EXPAND_SZ. *present false: absent, or no string. Replaces out. */
cs_status cs_variables_read(cs_variables *variables, cs_hive hive, const char *key, const char *name, cs_buffer *out,
                            bool *present, cs_error *error);

#endif
