/* toolkit_judge.h: looking into one folder that somebody calls a CUDA toolkit. Private to toolkit and environment. */
#ifndef CS_TOOLKIT_JUDGE_H
#define CS_TOOLKIT_JUDGE_H

#include "cudnn_setup/toolkit.h"

/* The longest file that is placed in a toolkit's bin, and how long its full name may be for the loader. */
#define CS_TOOLKIT_LONGEST "bin\\cudnn_adv_infer64_8.dll"
enum { CS_LOADER_MAX_PATH = 259 }; /* MAX_PATH without its terminator: longer names need the long path policy */

/* out = the folder that the text names: without quotes, blanks, a \\?\ prefix and trailing separators, with the seam's
 * separator. Returns NULL, or a clause that says why it can name none ("it is a network folder", "it is not a full path ...").
 * Opens nothing. Replaces out; without memory out->failed is set and the clause says nothing. */
const char *cs_toolkit_clean(const cs_host *host, const char *text, cs_buffer *out);

typedef enum cs_presence {
    CS_PRESENCE_ABSENT, /* no such folder */
    CS_PRESENCE_EMPTY,  /* a folder without a CUDA toolkit */
    CS_PRESENCE_OTHER,  /* bin holds nvcc.exe or some cudart64_*.dll */
    CS_PRESENCE_WANTED, /* bin holds the wanted cudart */
    CS_PRESENCE_UNKNOWN /* it is on the network, or cannot be read */
} cs_presence;

/* path: as cs_toolkit_clean gives it. CS_E_NO_MEMORY is the only failure: then *out says nothing. */
cs_status cs_toolkit_presence(const cs_host *host, const char *path, const char *cudart, cs_presence *out, cs_error *error);

/* Judges the folder candidate->path by what is in it; fills usable, version and reason, and path with the resolved one. cuda:
 * "10.1". CS_E_NO_MEMORY is the only failure. */
cs_status cs_toolkit_judge(const cs_host *host, const char *cuda, cs_toolkit_candidate *candidate, cs_error *error);

/* Emits the warnings about a toolkit that is taken: a nested copy of cuDNN, no version.txt. */
void cs_toolkit_warn(const cs_host *host, const cs_toolkit_candidate *candidate);

/* Fills trusted and untrusted_why for a usable candidate: threats of planted or swapped files. */
cs_status cs_toolkit_judge_trust(const cs_host *host, cs_toolkit_candidate *candidate, cs_error *error);

#endif
