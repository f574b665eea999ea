#include "pipe.h"

#include <sddl.h>
#include <stdio.h>
#include <string.h>

void pipe_name(const char *id, wchar_t out[PIPE_NAME_UNITS]) {
    static const wchar_t start[] = L"\\\\.\\pipe\\cudnn-setup-";
    size_t at = sizeof start / sizeof start[0] - 1;
    memcpy(out, start, sizeof start);
    for (size_t i = 0; i < PIPE_ID_HEX && id[i] && at + 1 < PIPE_NAME_UNITS; i++) out[at++] = (wchar_t)(unsigned char)id[i];
    out[at] = L'\0';
}

static bool make_events(pipe_end *end) {
    end->read_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    end->write_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    return end->read_event && end->write_event;
}

/* "D:P(A;;GA;;;<this account>)(A;;GRGW;;;BA)(A;;GA;;;SY)": the worker may be another account's administrator. */
static bool describe(SECURITY_ATTRIBUTES *out) {
    union {
        TOKEN_USER user;
        BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } info;
    wchar_t *sid = NULL, text[256];
    HANDLE token;
    DWORD size;
    bool done = false;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return false;
    if (GetTokenInformation(token, TokenUser, &info, sizeof info, &size) && ConvertSidToStringSidW(info.user.User.Sid, &sid)) {
        _snwprintf(text, 255, L"D:P(A;;GA;;;%ls)(A;;GRGW;;;BA)(A;;GA;;;SY)", sid);
        text[255] = L'\0';
        done = ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &out->lpSecurityDescriptor, NULL);
        LocalFree(sid);
    }
    CloseHandle(token);
    return done;
}

cs_status pipe_make(pipe_end *end, const char *id, cs_error *error) {
    wchar_t name[PIPE_NAME_UNITS];
    SECURITY_ATTRIBUTES rights = {.nLength = sizeof rights};
    pipe_name(id, name);
    if (!make_events(end) || !describe(&rights)) return cs_fail_win32(error, GetLastError(), "make the pipe", NULL);
    end->pipe = CreateNamedPipeW(name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                 PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BLOCK,
                                 PIPE_BLOCK, 0, &rights);
    DWORD code = GetLastError();
    LocalFree(rights.lpSecurityDescriptor);
    return end->pipe == INVALID_HANDLE_VALUE ? cs_fail_win32(error, code, "make the pipe", NULL) : CS_OK;
}

cs_status pipe_open(pipe_end *end, const char *id, DWORD process, cs_error *error) {
    wchar_t name[PIPE_NAME_UNITS];
    ULONG server = 0;
    pipe_name(id, name);
    if (!make_events(end)) return cs_fail_win32(error, GetLastError(), "open the pipe", NULL);
    end->pipe = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                            FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    if (end->pipe == INVALID_HANDLE_VALUE) return cs_fail_win32(error, GetLastError(), "open the pipe", NULL);
    if (GetNamedPipeServerProcessId(end->pipe, &server) && server == process) return CS_OK;
    return cs_fail(error, CS_E_ACCESS, "open the pipe", NULL, "another process than the window made it");
}

void pipe_close(pipe_end *end) {
    if (end->pipe && end->pipe != INVALID_HANDLE_VALUE) {
        CancelIoEx(end->pipe, NULL);
        DWORD ignored;
        if (end->pending) GetOverlappedResult(end->pipe, &end->reading, &ignored, TRUE);
        CloseHandle(end->pipe);
    }
    if (end->read_event) CloseHandle(end->read_event);
    if (end->write_event) CloseHandle(end->write_event);
    end->pipe = end->read_event = end->write_event = NULL;
    end->pending = false;
}

bool pipe_await_client(pipe_end *end, DWORD process, HANDLE wait, DWORD timeout_ms) {
    HANDLE both[] = {end->read_event, wait};
    DWORD ignored;
    ULONG client = 0;
    end->reading = (OVERLAPPED){.hEvent = end->read_event};
    ResetEvent(end->read_event);
    BOOL done = ConnectNamedPipe(end->pipe, &end->reading);
    DWORD code = done ? ERROR_PIPE_CONNECTED : GetLastError();
    if (code == ERROR_IO_PENDING) {
        if (WaitForMultipleObjects(2, both, FALSE, timeout_ms) != WAIT_OBJECT_0) {
            CancelIoEx(end->pipe, &end->reading);
            GetOverlappedResult(end->pipe, &end->reading, &ignored, TRUE);
            return false;
        }
        if (!GetOverlappedResult(end->pipe, &end->reading, &ignored, FALSE)) return false;
    } else if (code != ERROR_PIPE_CONNECTED) {
        return false;
    }
    return GetNamedPipeClientProcessId(end->pipe, &client) && client == process;
}

static bool write_some(pipe_end *end, const char *bytes, size_t size, DWORD timeout_ms, DWORD *written) {
    end->writing = (OVERLAPPED){.hEvent = end->write_event};
    ResetEvent(end->write_event);
    if (WriteFile(end->pipe, bytes, (DWORD)size, NULL, &end->writing) || GetLastError() == ERROR_IO_PENDING) {
        bool late = WaitForSingleObject(end->write_event, timeout_ms) != WAIT_OBJECT_0;
        if (late) CancelIoEx(end->pipe, &end->writing);
        return GetOverlappedResult(end->pipe, &end->writing, written, TRUE) && !late;
    }
    return false;
}

void pipe_write(pipe_end *end, const void *bytes, size_t size, DWORD timeout_ms) {
    const char *at = bytes;
    while (size && !end->mute) {
        DWORD written = 0;
        if (!write_some(end, at, size < PIPE_BLOCK ? size : PIPE_BLOCK, timeout_ms, &written) || !written) end->mute = true;
        at += written;
        size -= written;
    }
}

static bool start_read(pipe_end *end) {
    end->reading = (OVERLAPPED){.hEvent = end->read_event};
    ResetEvent(end->read_event);
    end->pending = ReadFile(end->pipe, end->block, sizeof end->block, NULL, &end->reading) || GetLastError() == ERROR_IO_PENDING;
    return end->pending;
}

pipe_answer pipe_read(pipe_end *end, cs_buffer *out, DWORD timeout_ms) {
    DWORD got = 0;
    if (!end->pending && !start_read(end)) return PIPE_ENDED;
    if (WaitForSingleObject(end->read_event, timeout_ms) != WAIT_OBJECT_0) return PIPE_NOTHING;
    end->pending = false;
    if (!GetOverlappedResult(end->pipe, &end->reading, &got, FALSE) || !got) return PIPE_ENDED;
    cs_buffer_append(out, end->block, got);
    return PIPE_BYTES;
}
