/* run_win32.c: a child in a job of its own, with a deadline, without error boxes, and never with more rights than asked. */
#include "run_win32.h"

#include <string.h>

#include "cudnn_setup/child_account.h"

enum { OUTPUT_LIMIT = 1 << 20, POLL_MS = 10 };

/* Everything a start needs; empty fields are NULL. */
typedef struct launch {
    wchar_t *program, *command, *folder, *environment;
    HANDLE job, output, child_output, nothing;
    LPPROC_THREAD_ATTRIBUTE_LIST attributes;
    PROCESS_INFORMATION process;
    DWORD failure; /* of the last start under another account */
} launch;

static void close_handle(HANDLE handle) {
    if (handle && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
}

static void end_launch(launch *l) {
    if (l->attributes) DeleteProcThreadAttributeList(l->attributes);
    cs_free(l->attributes);
    close_handle(l->process.hThread);
    close_handle(l->process.hProcess);
    close_handle(l->job); /* ends what the child left running */
    close_handle(l->output);
    close_handle(l->child_output);
    close_handle(l->nothing);
    cs_free(l->program);
    cs_free(l->command);
    cs_free(l->folder);
    cs_free(l->environment);
}

static cs_status prepare_texts(launch *l, const cs_child *child, cs_error *error) {
    wchar_t *checked = cs_wide_path(child->program, "run", error);
    if (!checked) return error->status;
    cs_free(checked);
    l->program = cs_wide(child->program, "run", error);
    l->command = l->program ? cs_command_line(child, error) : NULL;
    if (!l->command) return error->status;
    if (child->folder) {
        l->folder = cs_wide(child->folder, "run", error);
        if (!l->folder) return error->status;
    } else {
        l->folder = cs_alloc(MAX_PATH, sizeof *l->folder);
        if (!l->folder) return cs_fail(error, CS_E_NO_MEMORY, "run", child->program, NULL);
        if (!GetSystemDirectoryW(l->folder, MAX_PATH)) return cs_fail_last(error, "run", child->program);
    }
    return cs_environment_block(child, &l->environment, error);
}

static bool make_job(launch *l) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    l->job = CreateJobObjectW(NULL, NULL);
    return l->job && SetInformationJobObject(l->job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

static bool make_pipe(launch *l) {
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    if (!CreatePipe(&l->output, &l->child_output, &inherited, 65536)) return false;
    if (!SetHandleInformation(l->output, HANDLE_FLAG_INHERIT, 0)) return false;
    l->nothing =
        CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
    return l->nothing != INVALID_HANDLE_VALUE;
}

/* The child inherits these two handles and no other that happens to be inheritable. */
static bool make_handle_list(launch *l, HANDLE handles[2]) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    LPPROC_THREAD_ATTRIBUTE_LIST list = cs_alloc(size, 1);
    if (!list) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return false;
    }
    if (!InitializeProcThreadAttributeList(list, 1, 0, &size)) {
        cs_free(list);
        return false;
    }
    l->attributes = list;
    handles[0] = l->child_output;
    handles[1] = l->nothing;
    return UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles, 2 * sizeof *handles, NULL, NULL);
}

static const DWORD create_flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT;

/* token NULL: our own. The secondary logon service, which an administrator without the privilege to assign tokens needs, takes
 * no handle list but hands on the standard handles only, and gives the child a console of its own whatever CREATE_NO_WINDOW says:
 * that one starts hidden. */
static bool create(launch *l, HANDLE token, bool other_desktop) {
    wchar_t no_desktop[] = L"";
    STARTUPINFOEXW start = {
        .StartupInfo = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES | STARTF_FORCEOFFFEEDBACK | STARTF_USESHOWWINDOW}};
    start.StartupInfo.wShowWindow = SW_HIDE;
    start.lpAttributeList = l->attributes;
    start.StartupInfo.hStdInput = l->nothing;
    start.StartupInfo.hStdOutput = l->child_output;
    start.StartupInfo.hStdError = l->nothing;
    if (other_desktop) start.StartupInfo.lpDesktop = no_desktop;
    DWORD flags = create_flags | EXTENDED_STARTUPINFO_PRESENT;
    if (!token)
        return CreateProcessW(l->program, l->command, NULL, NULL, TRUE, flags, l->environment, l->folder, &start.StartupInfo,
                              &l->process);
    if (CreateProcessAsUserW(token, l->program, l->command, NULL, NULL, TRUE, flags, l->environment, l->folder,
                             &start.StartupInfo, &l->process))
        return true;
    if (GetLastError() != ERROR_PRIVILEGE_NOT_HELD) return false;
    start.StartupInfo.cb = sizeof start.StartupInfo;
    return CreateProcessWithTokenW(token, 0, l->program, l->command, create_flags, l->environment, l->folder, &start.StartupInfo,
                                   &l->process);
}

static cs_child_try start_as(void *ctx, cs_child_account account) {
    launch *l = ctx;
    if (account == CS_CHILD_SELF) return create(l, NULL, false) ? CS_CHILD_STARTED : CS_CHILD_FAILED;
    bool service = account == CS_CHILD_LOCAL_SERVICE;
    HANDLE token = service ? cs_local_service_token() : cs_shell_user_token();
    if (!token) return CS_CHILD_ABSENT;
    bool done = create(l, token, service);
    l->failure = GetLastError();
    CloseHandle(token);
    SetLastError(l->failure);
    return done ? CS_CHILD_STARTED : CS_CHILD_FAILED;
}

/* Starts under the first account that is allowed and can; false, with *refused if there is none at all. */
static bool start_child(launch *l, const cs_child *child, cs_child_result *result) {
    const cs_child_starter starter = {.ctx = l, .start = start_as};
    bool failed = false;
    cs_child_account account = cs_child_start(&starter, cs_is_administrator(), child->as_current, &failed);
    if (account != CS_CHILD_NONE) {
        result->account = cs_child_account_text(account);
        return true;
    }
    result->refused = !failed;
    if (failed && l->failure) SetLastError(l->failure);
    return false;
}

/* Reads what is there. False when the pipe has ended. */
static bool drain(launch *l, cs_buffer *output) {
    char block[4096];
    DWORD there = 0, got = 0;
    while (PeekNamedPipe(l->output, NULL, 0, NULL, &there, NULL)) {
        if (!there) return true;
        if (!ReadFile(l->output, block, sizeof block, &got, NULL)) return false;
        size_t room = OUTPUT_LIMIT - output->size; /* the rest is read and dropped, or the child would wait */
        cs_buffer_append(output, block, got < room ? got : room);
    }
    return false;
}

static cs_status await(launch *l, const cs_child *child, cs_child_result *result, cs_error *error) {
    ULONGLONG end = GetTickCount64() + child->deadline_ms;
    bool ended = false;
    while (!ended && !result->timed_out) {
        ended = WaitForSingleObject(l->process.hProcess, POLL_MS) == WAIT_OBJECT_0;
        drain(l, &result->output);
        result->timed_out = !ended && GetTickCount64() >= end;
    }
    if (result->timed_out) {
        TerminateJobObject(l->job, ERROR_TIMEOUT);
        WaitForSingleObject(l->process.hProcess, 5000);
        drain(l, &result->output);
    }
    DWORD code = 0;
    if (!GetExitCodeProcess(l->process.hProcess, &code)) return cs_fail_last(error, "run", child->program);
    result->exit_code = code;
    return cs_buffer_check(&result->output, error);
}

static cs_status launch_and_wait(launch *l, const cs_child *child, cs_child_result *result, cs_error *error) {
    HANDLE handles[2];
    cs_status status = prepare_texts(l, child, error);
    if (status != CS_OK) return status;
    if (!make_job(l) || !make_pipe(l) || !make_handle_list(l, handles)) return cs_fail_last(error, "run", child->program);
    UINT mode = SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX); /* the child inherits it */
    bool started = start_child(l, child, result);
    DWORD code = GetLastError();
    SetErrorMode(mode);
    if (result->refused) return CS_OK;
    if (!started) return cs_fail_win32(error, code, "run", child->program);
    if (!AssignProcessToJobObject(l->job, l->process.hProcess) || ResumeThread(l->process.hThread) == (DWORD)-1) {
        code = GetLastError();
        TerminateProcess(l->process.hProcess, code);
        return cs_fail_win32(error, code, "run", child->program);
    }
    close_handle(l->child_output); /* ours; the child's keeps the pipe open */
    l->child_output = NULL;
    return await(l, child, result, error);
}

cs_status cs_win32_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    (void)ctx;
    launch l = {0};
    cs_error local;
    if (!error) error = &local;
    *result = (cs_child_result){.account = "this user"};
    cs_status status = launch_and_wait(&l, child, result, error);
    end_launch(&l);
    return status;
}
