#include <string.h>

#include "common.h"
#include "cudnn_setup/text.h"

enum { CONSOLE_UNITS = 4096 }; /* older consoles refuse long writes */

static common_stream standard(DWORD which) {
    DWORD mode;
    HANDLE handle = GetStdHandle(which);
    if (!handle || handle == INVALID_HANDLE_VALUE || GetFileType(handle) == FILE_TYPE_UNKNOWN)
        return (common_stream){NULL, false};
    return (common_stream){handle, GetConsoleMode(handle, &mode) != 0};
}

/* The parent's prompt stands on the line already: begin a new one. */
static bool attach_parent(common_streams *streams) {
    if (!AttachConsole(ATTACH_PARENT_PROCESS)) return false;
    HANDLE console =
        CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (console == INVALID_HANDLE_VALUE) return false;
    streams->out = streams->error = (common_stream){console, true};
    common_write(streams, false, "\n", 1);
    return true;
}

bool common_streams_open(common_streams *streams, bool attach) {
    streams->out = standard(STD_OUTPUT_HANDLE);
    streams->error = standard(STD_ERROR_HANDLE);
    if (!streams->out.handle && !streams->error.handle) return attach && attach_parent(streams);
    if (!streams->out.handle) streams->out = streams->error;
    if (!streams->error.handle) streams->error = streams->out;
    return true;
}

static void write_console(HANDLE console, const char *text, size_t size) {
    cs_buffer units = {0};
    if (cs_utf16le_from_wtf8(&units, text, size) && !units.failed) {
        const wchar_t *p = (const wchar_t *)(const void *)units.data;
        size_t left = units.size / sizeof *p;
        while (left) {
            DWORD written = 0, now = left > CONSOLE_UNITS ? CONSOLE_UNITS : (DWORD)left;
            if (!WriteConsoleW(console, p, now, &written, NULL) || !written) break;
            p += written;
            left -= written;
        }
    }
    cs_buffer_free(&units);
}

static void write_bytes(HANDLE handle, const char *text, size_t size) {
    while (size) {
        DWORD written = 0, now = size > 65536 ? 65536 : (DWORD)size;
        if (!WriteFile(handle, text, now, &written, NULL) || !written) return; /* nobody reads any more */
        text += written;
        size -= written;
    }
}

static void write_lines(HANDLE handle, const char *text, size_t size) {
    cs_buffer out = {0};
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n') cs_buffer_append(&out, "\r", 1);
        cs_buffer_append(&out, text + i, 1);
    }
    if (out.failed)
        write_bytes(handle, text, size);
    else
        write_bytes(handle, out.data, out.size);
    cs_buffer_free(&out);
}

void common_write(void *streams, bool to_error, const char *text, size_t size) {
    const common_streams *both = streams;
    const common_stream *stream = to_error ? &both->error : &both->out;
    if (!stream->handle || !size) return;
    if (stream->console)
        write_console(stream->handle, text, size);
    else
        write_lines(stream->handle, text, size);
}
