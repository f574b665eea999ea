/* host.h: the outside world as one bundle, passed to everything in the core. */
#ifndef CUDNN_SETUP_HOST_H
#define CUDNN_SETUP_HOST_H

#include "cudnn_setup/events.h"
#include "cudnn_setup/fs.h"
#include "cudnn_setup/registry.h"
#include "cudnn_setup/system.h"

typedef struct cs_host {
    const cs_fs *fs;
    const cs_registry *registry;
    const cs_system *system;
    const cs_events *events; /* may be NULL */
} cs_host;

/* The real ones: src/win32/host_win32.c on Windows, src/posix/host_posix.c elsewhere (no registry: NULL). */
const cs_fs *cs_fs_real(void);
const cs_registry *cs_registry_real(void);
const cs_system *cs_system_real(void);

#endif
