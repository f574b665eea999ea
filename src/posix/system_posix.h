/* system_posix.h: what the parts of the POSIX system seam share. Included by src/posix only. */
#ifndef CUDNN_SETUP_SYSTEM_POSIX_H
#define CUDNN_SETUP_SYSTEM_POSIX_H

#include "cudnn_setup/system.h"

cs_status cs_posix_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error); /* run_posix.c */
cs_status cs_posix_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error);
uint64_t cs_posix_ticks(void *ctx); /* monotonic milliseconds */

/* Threads (threads_posix.c). */
unsigned cs_posix_together(void *ctx, const cs_team *team);

#endif
