/* loader_error.h: what the loader of this process would find, for cs_loader_explain. Loads nothing. */
#ifndef CUDNN_SETUP_INSTALLER_LOADER_ERROR_H
#define CUDNN_SETUP_INSTALLER_LOADER_ERROR_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/loader_reason.h"

/* cs_loader_explain with this process's own search order. */
void loader_explain(const cs_fs *fs, const char *name, uint32_t code, cs_loader_reason *out);

#endif
