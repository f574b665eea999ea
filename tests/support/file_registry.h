/* file_registry.h: a registry that outlives the process: the one in memory, read from a text file and written back to it with
 * every change, so that a run that is ended half-way leaves what it had written. One line per value, "HKLM key|name|type|hex",
 * sorted, so that two files can be compared. */
#ifndef FILE_REGISTRY_H
#define FILE_REGISTRY_H

#include "cudnn_setup/registry.h"

typedef struct file_registry file_registry;

/* path: read if it exists, else the registry is empty. NULL (with a word on standard error) if it cannot be read. */
file_registry *file_registry_open(const char *path);
void file_registry_close(file_registry *registry);
const cs_registry *file_registry_seam(const file_registry *registry);

#endif
