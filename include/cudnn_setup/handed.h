/* handed.h: a file that another process of ours has open, read in this one: the window hands its archive to the worker. Windows
 * only. */
#ifndef CUDNN_SETUP_HANDED_H
#define CUDNN_SETUP_HANDED_H

#include "cudnn_setup/fs.h"

/* The handle of an open file as a number, for another process to copy; it ends with cs_fs.close. */
uint64_t cs_handed_value(const cs_file *file);

/* Copies the handle out of the process, for reading only, and gives a seam on which path is that file, whatever stands under this
 * name for this process; every other path is the system's own. What is not surely the very file that path names on a local fixed
 * volume counts as lying elsewhere, so that it is copied before it is used. CS_E_ARCHIVE_OPEN if the handle cannot be copied or
 * is no file on a disk. Once per process; lives as long as it. */
cs_status cs_handed_take(uint32_t process, uint64_t value, const char *path, const cs_fs **out, cs_error *error);

#endif
