/* service.h: the same work as a Windows service, when the service manager started this process. */
#ifndef CUDNN_SETUP_INSTALLER_SERVICE_H
#define CUDNN_SETUP_INSTALLER_SERVICE_H

#include <stdbool.h>

/* Runs work(ctx) in the service "cudnn-setup-recover" and stores what it returned. False: the service manager did not start this
 * process (error 1063), and nothing ran. */
bool service_run(int (*work)(void *ctx), void *ctx, int *code);

#endif
