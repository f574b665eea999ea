#include "session_end.h"

#include "common.h"

static LRESULT CALLBACK on_message(HWND window, UINT message, WPARAM wide, LPARAM argument) {
    if (message == WM_QUERYENDSESSION) return TRUE;
    if (message != WM_ENDSESSION || !wide) return DefWindowProcW(window, message, wide, argument);
    common_ask_cancel();
    Sleep(INFINITE); /* the process may be ended as soon as this returns */
    return 0;
}

/* Top-level, because a message-only window is not asked; never shown. */
static DWORD WINAPI listen(void *unused) {
    (void)unused;
    static const wchar_t name[] = L"cudnn-setup session end";
    WNDCLASSW kind = {.lpfnWndProc = on_message, .hInstance = GetModuleHandleW(NULL), .lpszClassName = name};
    MSG message;
    if (!RegisterClassW(&kind) || !CreateWindowExW(0, name, name, 0, 0, 0, 0, 0, NULL, NULL, kind.hInstance, NULL)) return 0;
    while (GetMessageW(&message, NULL, 0, 0) > 0) DispatchMessageW(&message);
    return 0;
}

void session_end_hear(void) {
    HANDLE thread = CreateThread(NULL, 0, listen, NULL, 0, NULL);
    if (thread) CloseHandle(thread);
}
