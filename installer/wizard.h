/* wizard.h: the window: three pages that show what pages.h says. docs/architecture.md, "The window". */
#ifndef CUDNN_SETUP_INSTALLER_WIZARD_H
#define CUDNN_SETUP_INSTALLER_WIZARD_H

#include "common.h"
#include "cudnn_setup/verdict.h"

/* Runs the window for a command line that was read already; *code: the exit code of what was done last (CS_EXIT_CANCELLED if
 * nothing was). False: no window can be made here, and nothing was done. */
bool wizard_run(const cs_options *options, int *code);

/* The language of windows: /lang's value, or what the user's Windows says where lang is NULL. */
cs_language wizard_language(const char *lang);

#endif
