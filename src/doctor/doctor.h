/* doctor.h: what the doctor's own files share. */
#ifndef CUDNN_SETUP_DOCTOR_H
#define CUDNN_SETUP_DOCTOR_H

#include "cudnn_setup/operations.h"

/* The search order as text, and a judgement of the cudnn64_8.dll that comes first: CS_OK, CS_E_NOTHING if there is none,
 * CS_E_DIFFERS if no x64 program can load it; any other status: the order could not be read. The sentence is in
 * outcome->message. cuda (may be NULL): the toolkit that is asked about, whose place in the order is said; CS_E_TOOLKIT with the
 * reason if it is none. */
cs_status cs_doctor_search(const cs_host *host, const char *cuda, cs_buffer *report, cs_outcome *outcome);

/* What programs are known to stumble over, one line each: CS_OK if there is nothing, CS_E_NOTHING if there is something to know,
 * CS_E_DIFFERS if something is broken; any other status: it could not be found out. cuda as above. */
cs_status cs_doctor_findings(const cs_host *host, const char *cuda, cs_buffer *report, cs_outcome *outcome);

/* The frameworks in the machine's Python environments, one line each: CS_OK, CS_E_NOTHING if the package does not serve one of
 * them; any other status: it could not be found out. Runs no Python. */
cs_status cs_doctor_frameworks(const cs_host *host, cs_buffer *report, cs_outcome *outcome);

/* Appends answers to what people ask most. cuda as above. */
void cs_doctor_explain(const cs_host *host, const char *cuda, cs_buffer *out);

#endif
