/* holders_win32.c: which running programs hold a file: the Restart Manager, then every process's module list (the Restart
 * Manager knows nothing in Wine, and may be turned off by policy). */
#include "win32.h"

#include <psapi.h>
#include <restartmanager.h>
#include <string.h>
#include <tlhelp32.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"

enum { PATH_UNITS = 32768 };

static cs_status add_once(cs_holders *out, DWORD pid, const wchar_t *name, const char *path, cs_error *error) {
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].pid == pid && cs_text_equal_ascii_case(out->items[i].module, path)) return CS_OK;
    cs_buffer text = {0};
    cs_narrow(&text, name);
    cs_status status = cs_buffer_check(&text, error);
    if (status == CS_OK) status = cs_holders_add(out, pid, cs_path_name(cs_buffer_string(&text)), path, error);
    cs_buffer_free(&text);
    return status;
}

/* ---- Restart Manager ---- */

typedef DWORD(WINAPI *rm_start_fn)(DWORD *, DWORD, WCHAR *);
typedef DWORD(WINAPI *rm_register_fn)(DWORD, UINT, LPCWSTR *, UINT, RM_UNIQUE_PROCESS *, UINT, LPCWSTR *);
typedef DWORD(WINAPI *rm_list_fn)(DWORD, UINT *, UINT *, RM_PROCESS_INFO *, LPDWORD);
typedef DWORD(WINAPI *rm_end_fn)(DWORD);

typedef struct manager {
    rm_start_fn start;
    rm_register_fn add;
    rm_list_fn list;
    rm_end_fn end;
} manager;

static bool load_manager(manager *rm) {
    static const wchar_t library[] = L"rstrtmgr.dll";
    rm->start = (rm_start_fn)cs_late(library, "RmStartSession");
    rm->add = (rm_register_fn)cs_late(library, "RmRegisterResources");
    rm->list = (rm_list_fn)cs_late(library, "RmGetList");
    rm->end = (rm_end_fn)cs_late(library, "RmEndSession");
    return rm->start && rm->add && rm->list && rm->end;
}

/* The image name where the process can be asked, else the manager's own words for it. */
static cs_status add_process(cs_holders *out, const RM_PROCESS_INFO *info, const char *path, cs_error *error) {
    wchar_t image[1024];
    DWORD size = sizeof image / sizeof *image, pid = info->Process.dwProcessId;
    if (pid == GetCurrentProcessId()) return CS_OK;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    bool named = process && QueryFullProcessImageNameW(process, 0, image, &size);
    if (process) CloseHandle(process);
    return add_once(out, pid, named ? image : info->strAppName, path, error);
}

/* The processes that the manager knows for the session's file. What it cannot answer is an empty list. Freed with cs_free. */
static cs_status list_processes(const manager *rm, DWORD session, RM_PROCESS_INFO **out, UINT *count, cs_error *error) {
    enum { TRIES = 4, ROOM = 16 };
    DWORD reasons, code = ERROR_MORE_DATA;
    UINT needed = ROOM;
    *out = NULL;
    for (int i = 0; i < TRIES && code == ERROR_MORE_DATA; i++) {
        cs_free(*out);
        *count = needed + ROOM; /* more may have started meanwhile */
        *out = cs_alloc(*count, sizeof **out);
        if (!*out) return cs_fail(error, CS_E_NO_MEMORY, "holders", NULL, NULL);
        code = rm->list(session, &needed, count, *out, &reasons);
    }
    if (code != ERROR_SUCCESS) *count = 0;
    return CS_OK;
}

/* One session per file: the manager does not say which of several files a process holds. What it cannot answer is left to the
 * module lists. */
static cs_status ask_manager(const manager *rm, const char *path, cs_holders *out, cs_error *error) {
    DWORD session;
    UINT count = 0;
    RM_PROCESS_INFO *found = NULL;
    WCHAR key[CCH_RM_SESSION_KEY + 1] = L"";
    cs_status status = CS_OK;
    wchar_t *wide = cs_wide(path, "holders", error);
    if (!wide) return error->status;
    if (rm->start(&session, 0, key) == ERROR_SUCCESS) {
        const wchar_t *files[] = {wide};
        if (rm->add(session, 1, files, 0, NULL, 0, NULL) == ERROR_SUCCESS)
            status = list_processes(rm, session, &found, &count, error);
        for (UINT i = 0; status == CS_OK && i < count; i++) status = add_process(out, &found[i], path, error);
        rm->end(session);
    }
    cs_free(found);
    cs_free(wide);
    return status;
}

/* ---- module lists ---- */

typedef struct wanted {
    const char *const *paths;
    size_t count;
    cs_file_info *files; /* identity of each; kind CS_FILE_OTHER where there is none */
} wanted;

/* The same text, or another name of the same file. Network paths are not opened. */
static bool is_file(const wanted *w, size_t i, const char *module) {
    cs_file_info info;
    if (cs_text_equal_ascii_case(module, w->paths[i])) return true;
    if (w->files[i].kind == CS_FILE_OTHER || module[0] == '\\') return false;
    if (!cs_text_equal_ascii_case(cs_path_name(module), cs_path_name(w->paths[i]))) return false;
    return cs_win32_stat(NULL, module, &info, NULL) == CS_OK && cs_file_id_equal(&info.id, &w->files[i].id);
}

/* Snapshots cut paths at 260 units; the process itself knows the whole. */
static cs_status module_path(HANDLE process, const MODULEENTRY32W *entry, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    wchar_t *path = cs_alloc(PATH_UNITS, sizeof *path);
    if (!path) return cs_fail(error, CS_E_NO_MEMORY, "holders", NULL, NULL);
    bool long_name = wcslen(entry->szExePath) >= MAX_PATH - 1 && process;
    if (long_name && K32GetModuleFileNameExW(process, entry->hModule, path, PATH_UNITS))
        cs_narrow_path(out, path);
    else
        cs_narrow_path(out, entry->szExePath);
    cs_free(path);
    return cs_buffer_check(out, error);
}

static HANDLE snapshot_modules(DWORD pid) {
    for (int i = 0; i < 8; i++) {
        HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE | TH32CS_SNAPMODULE32, pid);
        if (snapshot != INVALID_HANDLE_VALUE || GetLastError() != ERROR_BAD_LENGTH) return snapshot; /* it was loading just now */
    }
    return INVALID_HANDLE_VALUE;
}

static cs_status look_at_process(const PROCESSENTRY32W *running, const wanted *w, cs_holders *out, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    HANDLE snapshot = snapshot_modules(running->th32ProcessID);
    if (snapshot == INVALID_HANDLE_VALUE) return CS_OK; /* a protected process, or gone */
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, running->th32ProcessID);
    MODULEENTRY32W entry = {.dwSize = sizeof entry};
    for (BOOL more = Module32FirstW(snapshot, &entry); more && status == CS_OK; more = Module32NextW(snapshot, &entry)) {
        status = module_path(process, &entry, &path, error);
        for (size_t i = 0; i < w->count && status == CS_OK; i++)
            if (is_file(w, i, cs_buffer_string(&path)))
                status = add_once(out, running->th32ProcessID, running->szExeFile, w->paths[i], error);
    }
    if (process) CloseHandle(process);
    CloseHandle(snapshot);
    cs_buffer_free(&path);
    return status;
}

static cs_status look_at_all(const wanted *w, cs_holders *out, cs_error *error) {
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (snapshot == INVALID_HANDLE_VALUE) return cs_fail_last(error, "holders", NULL);
    cs_status status = CS_OK;
    PROCESSENTRY32W running = {.dwSize = sizeof running};
    for (BOOL more = Process32FirstW(snapshot, &running); more && status == CS_OK; more = Process32NextW(snapshot, &running))
        if (running.th32ProcessID && running.th32ProcessID != GetCurrentProcessId())
            status = look_at_process(&running, w, out, error);
    CloseHandle(snapshot);
    return status;
}

cs_status cs_win32_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error) {
    (void)ctx;
    manager rm;
    cs_error local;
    if (!error) error = &local;
    wanted w = {.paths = paths, .count = count, .files = cs_alloc(count + 1, sizeof(cs_file_info))};
    if (!w.files) return cs_fail(error, CS_E_NO_MEMORY, "holders", NULL, NULL);
    cs_status status = CS_OK;
    bool managed = load_manager(&rm);
    for (size_t i = 0; i < count && status == CS_OK; i++) {
        if (cs_win32_stat(NULL, paths[i], &w.files[i], NULL) != CS_OK) w.files[i].kind = CS_FILE_OTHER;
        if (managed && w.files[i].kind != CS_FILE_OTHER) status = ask_manager(&rm, paths[i], out, error);
    }
    if (status == CS_OK) status = look_at_all(&w, out, error);
    cs_free(w.files);
    return status;
}
