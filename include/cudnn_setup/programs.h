/* programs.h: our own programs in P = Program Files\cudnn-setup. Derived: ensured before a journal exists, collected after the
 * last tree. */
#ifndef CUDNN_SETUP_PROGRAMS_H
#define CUDNN_SETUP_PROGRAMS_H

#include "cudnn_setup/transaction.h"

#define CS_PROGRAM_NAME_SETUP  "cudnn-setup.exe"
#define CS_PROGRAM_NAME_DOCTOR "cudnn-doctor.exe"
#define CS_PROGRAM_NAME_PROBE  "cudnn-probe.exe"

/* Step 2: setup copies its own file, doctor and probe come from its resources; each as NAME.tmp (bytes only), flushed, the old
 * one renamed aside, renamed. The same bytes, or a newer version (PE version resource) already there: left alone. A missing
 * resource is a warning, anything else an error. Full path of the setup program: cs_programs_path. */
cs_status cs_programs_ensure(cs_session *session, cs_error *error);

/* Removes the three programs and what earlier runs left (NAME.tmp, ~<16 hex>.old). A program that runs is renamed to
 * ~<16 hex>.old and that name is scheduled for deletion at the next restart. */
cs_status cs_programs_collect(cs_session *session, cs_error *error);

/* P\NAME. Replaces out. */
cs_status cs_programs_path(const cs_session *session, const char *name, cs_buffer *out, cs_error *error);

/* True for ~<16 lower-case hex>.old, the only form of name that is ever removed from P besides the programs' own. */
bool cs_programs_is_aside(const char *name);

#endif
