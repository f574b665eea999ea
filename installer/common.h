/* common.h: what the three Windows programs share: words, paths, standard streams, guards. UTF-16 at the edge, UTF-8 inside. */
#ifndef CUDNN_SETUP_INSTALLER_COMMON_H
#define CUDNN_SETUP_INSTALLER_COMMON_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "cudnn_setup/app.h"
#include "cudnn_setup/console.h"

/* First thing in a program: no error boxes; with system_dlls_only no DLL comes from anywhere but System32 (setup and doctor;
 * never the probe, which must see what any program sees). */
void common_guard(bool system_dlls_only);

/* Right after it: the file that this program runs from is held, so that what is copied from it later is what runs. A failure
 * shows when the file is asked for. */
void common_hold_program(void);

/* The words of this process's command line without the program's name, as WTF-8. */
cs_status common_arguments(cs_strings *out, cs_error *error);

/* cs_app_front.absolute. */
cs_status common_absolute(void *ctx, const char *path, cs_buffer *out, cs_error *error);

/* UTF-16 with a terminator in out->data (replaced), from WTF-8; NULL if the bytes are not WTF-8 or memory is short. */
const wchar_t *common_wide(cs_buffer *out, const char *text);

/* Standard output and error: a console (UTF-16) or whatever they were redirected to (UTF-8, lines end in CR LF). */
typedef struct common_stream {
    HANDLE handle; /* NULL: there is none */
    bool console;
} common_stream;

typedef struct common_streams {
    common_stream out, error;
} common_streams;

/* attach: a program with the windows subsystem borrows its parent's console when nothing was redirected. False: neither stream
 * is there. */
bool common_streams_open(common_streams *streams, bool attach);
/* cs_console.write, with the streams as ctx. */
void common_write(void *streams, bool to_error, const char *text, size_t size);

/* From now on Ctrl+C, Ctrl+Break, and closing the console (or the session, where the system tells a console's programs) ask for
 * cancellation. */
void common_hear_cancel(void);
/* The same, from any thread. */
void common_ask_cancel(void);
/* cs_app_front.cancelled. */
bool common_cancelled(void *ctx);

/* The seam of this machine. */
cs_host common_host(void);

#endif
