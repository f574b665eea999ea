/* service_win32.c: the temporary service that finishes interrupted work at the next start of Windows. */
#include "win32.h"

#include <string.h>

static const wchar_t service_name[] = L"" CS_RECOVERY_SERVICE;
static const wchar_t display_name[] = L"cuDNN setup: finish interrupted work";

/* "<program>" /recover /quiet: quoted, no path among the arguments. */
static wchar_t *command_of(const char *program, cs_error *error) {
    wchar_t *checked = cs_wide_path(program, "recovery service", error); /* refuses quotes among other things */
    if (!checked) return NULL;
    cs_free(checked);
    cs_buffer command = {0};
    cs_buffer_format(&command, "\"%s\" /recover /quiet", program);
    wchar_t *wide = cs_buffer_check(&command, error) == CS_OK ? cs_wide(command.data, "recovery service", error) : NULL;
    cs_buffer_free(&command);
    return wide;
}

static bool create_or_change(SC_HANDLE manager, const wchar_t *command) {
    SC_HANDLE service = CreateServiceW(manager, service_name, display_name, SERVICE_CHANGE_CONFIG, SERVICE_WIN32_OWN_PROCESS,
                                       SERVICE_AUTO_START, SERVICE_ERROR_NORMAL, command, NULL, NULL, NULL, NULL, NULL);
    BOOL done = service != NULL;
    if (!service && GetLastError() == ERROR_SERVICE_EXISTS) {
        service = OpenServiceW(manager, service_name, SERVICE_CHANGE_CONFIG);
        done = service && ChangeServiceConfigW(service, SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START, SERVICE_ERROR_NORMAL,
                                               command, NULL, NULL, NULL, L"LocalSystem", NULL, display_name);
    }
    DWORD code = GetLastError();
    if (service) CloseServiceHandle(service);
    SetLastError(code);
    return done;
}

static cs_status turn_on(SC_HANDLE manager, const char *program, cs_error *error) {
    wchar_t *command = command_of(program, error);
    if (!command) return error->status;
    cs_status status = create_or_change(manager, command) ? CS_OK : cs_fail_last(error, "recovery service", program);
    cs_free(command);
    return status;
}

/* A service that is marked for deletion lives on until the last handle on it is closed, somebody's list of services included: it
 * is disabled first, and so is never found as one that is still to run. */
static bool disable_and_delete(SC_HANDLE service) {
    bool disabled = ChangeServiceConfigW(service, SERVICE_NO_CHANGE, SERVICE_DISABLED, SERVICE_NO_CHANGE, NULL, NULL, NULL, NULL,
                                         NULL, NULL, NULL) != 0;
    if (!disabled && GetLastError() != ERROR_SERVICE_MARKED_FOR_DELETE) return false;
    return DeleteService(service) || GetLastError() == ERROR_SERVICE_MARKED_FOR_DELETE;
}

static cs_status turn_off(SC_HANDLE manager, cs_error *error) {
    SC_HANDLE service = OpenServiceW(manager, service_name, DELETE | SERVICE_CHANGE_CONFIG);
    if (!service) {
        if (GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST) return CS_OK;
        return cs_fail_last(error, "recovery service", NULL);
    }
    cs_status status = disable_and_delete(service) ? CS_OK : cs_fail_last(error, "recovery service", NULL);
    CloseServiceHandle(service);
    return status;
}

cs_status cs_win32_set_recovery_service(void *ctx, bool on, const char *program, cs_error *error) {
    (void)ctx;
    cs_error local;
    if (!error) error = &local;
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT | (on ? SC_MANAGER_CREATE_SERVICE : 0));
    if (!manager) return cs_fail_last(error, "recovery service", program);
    cs_status status = on ? turn_on(manager, program, error) : turn_off(manager, error);
    CloseServiceHandle(manager);
    return status;
}

/* True only for one that Windows will start: one that is disabled waits for its deletion. */
static bool starts_by_itself(SC_HANDLE service) {
    union {
        QUERY_SERVICE_CONFIGW config;
        BYTE bytes[8192]; /* the most that a configuration can take */
    } answer;
    DWORD size = 0;
    return !QueryServiceConfigW(service, &answer.config, sizeof answer, &size) || answer.config.dwStartType == SERVICE_AUTO_START;
}

/* A service that may not be looked at is there. */
bool cs_win32_recovery_service(void *ctx) {
    (void)ctx;
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
    if (!manager) return false;
    SC_HANDLE service = OpenServiceW(manager, service_name, SERVICE_QUERY_CONFIG);
    bool there = service ? starts_by_itself(service) : GetLastError() == ERROR_ACCESS_DENIED;
    if (service) CloseServiceHandle(service);
    CloseServiceHandle(manager);
    return there;
}
