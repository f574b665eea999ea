/* session_end.h: log-off and shutdown, heard by a program that has no console and shows no window. */
#ifndef CUDNN_SETUP_INSTALLER_SESSION_END_H
#define CUDNN_SETUP_INSTALLER_SESSION_END_H

/* From now on the end of the session asks for cancellation, and is held up until the program has ended or the system ends it
 * (after about five seconds): what was begun is taken back, or else left to its journal and the recovery service. A session that
 * goes on after all, because another program refused, cancels nothing. Where no window can be made nothing is heard, and the
 * program is ended like any other. */
void session_end_hear(void);

#endif
