/* log.h: the log of a run: UTF-8, one line per event, each with its UTC time. A log that fails never stops the run. */
#ifndef CUDNN_SETUP_LOG_H
#define CUDNN_SETUP_LOG_H

#include "cudnn_setup/host.h"

enum { CS_LOG_KEPT = 20 };

typedef struct cs_log {
    const cs_host *host;
    cs_file *file; /* NULL: not open */
    char *path;    /* owned; NULL: not open */
    bool elevated;
    bool lost;      /* a line could not be written */
    cs_error error; /* why: the first failure */
} cs_log;

/* Opens the log. given: the checked, expanded, absolute path of /log, or NULL for the usual place:
 *   elevated    Program Files\cudnn-setup\logs\<UTC>-<verb>-<pid>.log: both folders are made if absent, and must be plain folders
 *               that only administrators can write to;
 *   otherwise   LocalAppData\cudnn-setup\logs\ with the same name.
 * There the newest CS_LOG_KEPT logs and reports stay; only names of exactly that form are ever deleted. Elevated is what
 * host->system says. *out starts as {0}; on failure it stays closed, and everything below accepts it. */
cs_status cs_log_open(const cs_host *host, const char *verb, const char *given, cs_log *out, cs_error *error);

/* Appends one line: time, kind, [id], text; control and direction characters are shown as \u{...}. Line breaks in text become
 * lines of their own. */
void cs_log_write(cs_log *log, const char *kind, const char *id, const char *text);
void cs_log_event(cs_log *log, const cs_event *event); /* everything but progress */

/* Flushes and closes. The first failure since the opening, or CS_OK. */
cs_status cs_log_close(cs_log *log, cs_error *error);

/* True for <UTC>-<verb>-<pid><extension>, such as 20261130T023333Z-install-4711.log. */
bool cs_log_is_name(const char *name, const char *extension);

/* The path for a file beside the log: its path with extension in place of ".log". Replaces out. */
cs_status cs_log_beside(const cs_log *log, const char *extension, cs_buffer *out, cs_error *error);

#endif
