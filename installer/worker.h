/* worker.h: this program as the window's worker: without a window, told what to do by its command line, telling what happens
 * through a pipe, and hearing one word: cancel. */
#ifndef CUDNN_SETUP_INSTALLER_WORKER_H
#define CUDNN_SETUP_INSTALLER_WORKER_H

#include "common.h"

/* The first word of a worker's command line: "/worker:<id of the pipe>:<window's process>:<handle of the archive, or 0>", numbers
 * in hexadecimal. */
#define WORKER_WORD "/worker:"

bool worker_is(const cs_strings *words);
/* Runs the rest of the words; the exit code. */
int worker_run(const cs_strings *words);

#endif
