/* frameworks_internal.h: what the files that look for frameworks share. */
#ifndef CUDNN_SETUP_FRAMEWORKS_INTERNAL_H
#define CUDNN_SETUP_FRAMEWORKS_INTERNAL_H

#include "cudnn_setup/frameworks_table.h"

/* Bounds of one look at a machine. */
enum { FRAMEWORKS_MAX_FOLDERS = 64, FRAMEWORKS_MAX_ENTRIES = 20000, FRAMEWORKS_MAX_FOUND = 256 };

typedef struct frameworks_search {
    const cs_host *host;
    const cs_frameworks_table *table;
    cs_frameworks *out;
    cs_strings seen; /* resolved paths of the folders */
} frameworks_search;

/* Adds what a site-packages folder holds, unless it was looked into before. Only lack of memory is an error. */
cs_status frameworks_look(frameworks_search *search, const char *site_packages);

#endif
