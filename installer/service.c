#include "service.h"

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include "cudnn_setup/system.h"

static wchar_t service_name[] = L"" CS_RECOVERY_SERVICE;

/* The service manager's callbacks carry no context: one service, one process. */
static struct {
    SERVICE_STATUS_HANDLE handle;
    int (*work)(void *ctx);
    void *ctx;
    int *code;
} service;

/* No control is accepted: recovery is short, and safe to interrupt by ending the process. */
static DWORD WINAPI on_control(DWORD control, DWORD type, void *data, void *ctx) {
    (void)type, (void)data, (void)ctx;
    return control == SERVICE_CONTROL_INTERROGATE ? NO_ERROR : ERROR_CALL_NOT_IMPLEMENTED;
}

static void report(DWORD state, int code) {
    SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS, .dwCurrentState = state};
    status.dwWin32ExitCode = code ? ERROR_SERVICE_SPECIFIC_ERROR : NO_ERROR;
    status.dwServiceSpecificExitCode = (DWORD)code;
    SetServiceStatus(service.handle, &status);
}

static void WINAPI service_main(DWORD count, wchar_t **words) {
    (void)count, (void)words;
    service.handle = RegisterServiceCtrlHandlerExW(service_name, on_control, NULL);
    report(SERVICE_RUNNING, 0);
    *service.code = service.work(service.ctx);
    report(SERVICE_STOPPED, *service.code);
}

bool service_run(int (*work)(void *ctx), void *ctx, int *code) {
    SERVICE_TABLE_ENTRYW table[] = {{service_name, service_main}, {NULL, NULL}};
    service.work = work;
    service.ctx = ctx;
    service.code = code;
    return StartServiceCtrlDispatcherW(table) != 0;
}
