/* broadcast_win32.c: tells every top-level window that the environment changed. HWND_BROADCAST waits for each hung window in
 * turn; here several threads share the list of windows, each call has a short limit, and the whole has a deadline. */
#include "win32.h"

enum { WORKERS = 16, CALL_LIMIT_MS = 500 };

typedef struct target {
    HWND window;
} target;

/* Shared with threads that may still sit in a call when the deadline is over: whoever is last frees it. */
typedef struct round {
    target *targets;
    LONG count;
    LONG volatile next, answered, users;
    ULONGLONG deadline;
} round;

static void let_go(round *r) {
    if (InterlockedDecrement(&r->users)) return;
    cs_free(r->targets);
    cs_free(r);
}

static BOOL CALLBACK collect(HWND window, LPARAM param) {
    round *r = (round *)param;
    DWORD process = 0;
    GetWindowThreadProcessId(window, &process);
    if (process == GetCurrentProcessId()) return TRUE; /* our own wait for this call to end */
    if (r->count % 256 == 0) {
        target *grown = cs_realloc(r->targets, (size_t)r->count + 256, sizeof *grown);
        if (!grown) {
            SetLastError(ERROR_NOT_ENOUGH_MEMORY);
            return FALSE;
        }
        r->targets = grown;
    }
    r->targets[r->count++].window = window;
    return TRUE;
}

static DWORD WINAPI worker(void *param) {
    round *r = param;
    for (;;) {
        LONG i = InterlockedIncrement(&r->next) - 1;
        ULONGLONG now = GetTickCount64();
        if (i >= r->count || now >= r->deadline) break;
        UINT limit = r->deadline - now < CALL_LIMIT_MS ? (UINT)(r->deadline - now) : CALL_LIMIT_MS;
        DWORD_PTR result;
        SetLastError(0);
        if (SendMessageTimeoutW(r->targets[i].window, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG, limit,
                                &result) ||
            GetLastError() == ERROR_INVALID_WINDOW_HANDLE) /* closed meanwhile */
            InterlockedIncrement(&r->answered);
    }
    let_go(r);
    return 0;
}

static cs_status start_and_wait(round *r, cs_broadcast *out, cs_error *error) {
    HANDLE threads[WORKERS];
    DWORD started = 0;
    for (; started < WORKERS && (LONG)started < r->count; started++) {
        InterlockedIncrement(&r->users);
        threads[started] = CreateThread(NULL, 0, worker, r, 0, NULL);
        if (!threads[started]) {
            InterlockedDecrement(&r->users);
            break;
        }
    }
    if (r->count && !started) return cs_fail_last(error, "broadcast", NULL);
    ULONGLONG now = GetTickCount64();
    if (started) WaitForMultipleObjects(started, threads, TRUE, now < r->deadline ? (DWORD)(r->deadline - now) : 0);
    for (DWORD i = 0; i < started; i++) CloseHandle(threads[i]);
    *out = r->answered == r->count ? CS_BROADCAST_SENT : CS_BROADCAST_SOME_HUNG;
    return CS_OK;
}

/* Services have session 0, where nobody's windows are. */
static bool in_session_0(void) {
    DWORD session = 0;
    return ProcessIdToSessionId(GetCurrentProcessId(), &session) && session == 0;
}

cs_status cs_win32_broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error) {
    (void)ctx;
    *out = CS_BROADCAST_NEXT_SIGN_IN;
    if (in_session_0()) return CS_OK;
    round *r = cs_alloc(1, sizeof *r);
    if (!r) return cs_fail(error, CS_E_NO_MEMORY, "broadcast", NULL, NULL);
    r->users = 1;
    r->deadline = GetTickCount64() + deadline_ms;
    cs_status status = EnumWindows(collect, (LPARAM)r) ? start_and_wait(r, out, error) : cs_fail_last(error, "broadcast", NULL);
    let_go(r);
    return status;
}
