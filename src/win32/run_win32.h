/* run_win32.h: the parts of running a child. Included by src/win32 only. */
#ifndef CUDNN_SETUP_RUN_WIN32_H
#define CUDNN_SETUP_RUN_WIN32_H

#include "win32.h"

/* The command line that CommandLineToArgvW and the C runtime take apart into program and arguments again; freed with cs_free. */
wchar_t *cs_command_line(const cs_child *child, cs_error *error);
/* The environment as one sorted block, freed with cs_free; NULL with CS_OK if the child inherits ours. */
cs_status cs_environment_block(const cs_child *child, wchar_t **out, cs_error *error);

/* Primary tokens of accounts without administrator rights; NULL if there is none. Closed with CloseHandle. */
HANDLE cs_shell_user_token(void);
HANDLE cs_local_service_token(void);

#endif
