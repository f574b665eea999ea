/* outfile.h: the files that a command line names for us to write: log, JSON, report. An administrator's run must not be led to
 * another file by a name, a link or a door left open. */
#ifndef CUDNN_SETUP_OUTFILE_H
#define CUDNN_SETUP_OUTFILE_H

#include <stdbool.h>

#include "cudnn_setup/host.h"

/* text with every %COMPUTERNAME% (any case) replaced by the name that the system gives; nothing else is expanded. Replaces out.
 */
cs_status cs_outfile_expand(const cs_system *system, const char *text, cs_buffer *out, cs_error *error);

/* The rule about names, on text alone: absolute (a drive or a share), no \\?\ or \\.\ prefix, no stream, no device, no "." or
 * "..", no component that ends in a dot or a blank, no character that no file name holds. CS_E_NAME with the reason. With
 * separator '/' (not Windows): absolute, no "." or "..", a name at the end. */
cs_status cs_outfile_check(char separator, const char *path, cs_error *error);

/* Opens path for appending. elevated: every folder on the way is held open and must be a folder, not a link; a file that is there
 * already must be one file with one name and, unless it lies on a share, belong to SYSTEM, Administrators or TrustedInstaller.
 * Never creates a folder, never truncates. */
cs_status cs_outfile_append(const cs_fs *fs, const char *path, bool elevated, cs_file **out, cs_error *error);

/* Writes the bytes as a new file beside path and renames it over path (a link at path is replaced, never followed). elevated: the
 * folders as above. On failure path is as before. */
cs_status cs_outfile_replace(const cs_host *host, const char *path, bool elevated, const void *bytes, size_t size,
                             cs_error *error);

/* What may be replaced: nothing there, an empty file, or one that starts with `start` (an earlier result of ours). start NULL
 * asks for a log to append to: any text. CS_E_USAGE for every other file, which is left alone; what cannot be opened is for the
 * writing itself to report. */
cs_status cs_outfile_check_present(const cs_fs *fs, const char *path, const char *start, cs_error *error);

/* CS_E_USAGE if the folder of path does not exist: none is ever made for an output file. */
cs_status cs_outfile_check_folder(const cs_fs *fs, const char *path, cs_error *error);

#endif
