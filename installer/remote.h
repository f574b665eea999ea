/* remote.h: the verbs as the window runs them: those that change something are done by a worker with an administrator's rights,
 * the others here. */
#ifndef CUDNN_SETUP_INSTALLER_REMOTE_H
#define CUDNN_SETUP_INSTALLER_REMOTE_H

#include "common.h"

extern const cs_app_verb remote_verbs[];
extern const size_t remote_verb_count;

/* The window that Windows' question about rights belongs to; NULL: none. */
void remote_set_window(HWND window);

#endif
