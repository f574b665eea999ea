/* diagnose.h: what cudnn-doctor says when it is asked nothing in particular: the checks one after another, and a verdict. */
#ifndef CUDNN_SETUP_DIAGNOSE_H
#define CUDNN_SETUP_DIAGNOSE_H

#include "cudnn_setup/operations.h"

enum { CS_DIAGNOSIS_HEALTHY = 0, CS_DIAGNOSIS_WARNINGS = 1, CS_DIAGNOSIS_BROKEN = 2 };

/* Runs the checks: toolkit, installation, verification, search order. Appends their text to report and returns the worst of
 * their verdicts, which is the exit code. Changes nothing. */
int cs_diagnose(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);

/* What a DLL, or every DLL of a folder (options->dll), needs by its import tables, and where a new program would find each:
 * appended to report. Loads nothing. CS_E_NOT_FOUND if there is no such file or folder. */
cs_status cs_show_needs(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);

/* The proof once more, of what is installed: files, loading, GPU. The worst of the stages is the exit code, as above; a failure
 * to look at all is one of setup's codes. Refused with administrator rights unless options->selftest_as_current. */
int cs_doctor_probe(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);

#endif
