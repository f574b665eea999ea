/* gpus.h: asks the driver which GPUs there are, in a process of its own: `cudnn-setup /gpus`. Loads nvcuda.dll from System32 and
 * nothing else; prints one JSON object (survey.h). */
#ifndef CUDNN_SETUP_INSTALLER_GPUS_H
#define CUDNN_SETUP_INSTALLER_GPUS_H

#include "common.h"

#define GPUS_WORD "/gpus"

enum { GPUS_DEADLINE_MS = 20000 };

bool gpus_is(const cs_strings *words);
/* The asked process. */
int gpus_run(void);
/* The asking side: starts it as a user without administrator rights. out: what it printed; empty if it could not. */
void gpus_ask(const cs_host *host, cs_buffer *out);

#endif
