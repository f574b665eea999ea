/* pipe.h: one end of the pipe between window and worker: writes that cannot last for ever, reads that can be waited for. */
#ifndef CUDNN_SETUP_INSTALLER_PIPE_H
#define CUDNN_SETUP_INSTALLER_PIPE_H

#include "common.h"

enum { PIPE_ID_HEX = 32, PIPE_BLOCK = 64 * 1024 };

typedef struct pipe_end {
    HANDLE pipe;       /* overlapped */
    HANDLE read_event; /* set when a read has ended */
    HANDLE write_event;
    OVERLAPPED reading, writing;
    bool pending; /* a read is under way */
    bool mute;    /* a write has failed: nothing is written any more */
    char block[PIPE_BLOCK];
} pipe_end;

/* L"\\.\pipe\cudnn-setup-<id>". */
enum { PIPE_NAME_UNITS = 64 };
void pipe_name(const char *id, wchar_t out[PIPE_NAME_UNITS]);

/* The window's end: made new (a name that is taken is an error), one client, none from another machine, for this account,
 * administrators and SYSTEM. */
cs_status pipe_make(pipe_end *end, const char *id, cs_error *error);
/* The worker's end. process: who must have made it. */
cs_status pipe_open(pipe_end *end, const char *id, DWORD process, cs_error *error);
void pipe_close(pipe_end *end);

/* Waits for the client; wait: also ends the waiting when it is set (the worker's process). False: it did not come in time, or it
 * is not this process. */
bool pipe_await_client(pipe_end *end, DWORD process, HANDLE wait, DWORD timeout_ms);

/* Writes all of it within timeout_ms, or mutes the end. */
void pipe_write(pipe_end *end, const void *bytes, size_t size, DWORD timeout_ms);

typedef enum pipe_answer { PIPE_NOTHING, PIPE_BYTES, PIPE_ENDED } pipe_answer;
/* Appends what comes within timeout_ms. ENDED: the other side is gone. */
pipe_answer pipe_read(pipe_end *end, cs_buffer *out, DWORD timeout_ms);

#endif
