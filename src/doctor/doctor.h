/* doctor.h: what the doctor's own files share. */
#ifndef CUDNN_SETUP_DOCTOR_H
#define CUDNN_SETUP_DOCTOR_H

#include "cudnn_setup/operations.h"

/* The search order as text, and a judgement of the cudnn64_8.dll that comes first: CS_OK, CS_E_NOTHING if there is none,
 * CS_E_DIFFERS if no x64 program can load it; any other status: the order could not be read. The sentence is in
 * outcome->message. cuda (may be NULL): the toolkit that is asked about, whose place in the order is said; CS_E_TOOLKIT with the
 * reason if it is none. */
cs_status cs_doctor_search(const cs_host *host, const char *cuda, cs_buffer *report, cs_outcome *outcome);

#endif
