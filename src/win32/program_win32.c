/* program_win32.c: the file that this program runs from. */
#include "win32.h"

enum { PATH_UNITS = 32768 };

cs_status cs_win32_program_path(void *ctx, cs_buffer *out, cs_error *error) {
    (void)ctx;
    wchar_t *path = cs_alloc(PATH_UNITS, sizeof *path);
    if (!path) return cs_fail(error, CS_E_NO_MEMORY, "program path", NULL, NULL);
    DWORD size = GetModuleFileNameW(NULL, path, PATH_UNITS);
    cs_status status = CS_OK;
    if (size == 0 || size >= PATH_UNITS)
        status = cs_fail_last(error, "program path", NULL);
    else {
        cs_buffer_clear(out);
        cs_narrow_path(out, path);
        status = cs_buffer_check(out, error);
    }
    cs_free(path);
    return status;
}

/* Never closed: the name may be given to another file while we run, and this handle still leads to ours. Others may rename and
 * delete it, as they may any running program; writing to it is refused. */
static HANDLE held;

static cs_status hold(const char *path, cs_error *error) {
    if (held) return CS_OK;
    HANDLE handle;
    cs_status status =
        cs_win32_open(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, OPEN_EXISTING, 0, "program file", &handle, error);
    if (status == CS_OK && InterlockedCompareExchangePointer(&held, handle, NULL)) CloseHandle(handle);
    return status;
}

static cs_status copy_of_held(const char *path, cs_file **out, cs_error *error) {
    HANDLE process = GetCurrentProcess();
    cs_file *file = cs_alloc(1, sizeof *file);
    char *copy = cs_strdup(path);
    HANDLE handle = NULL;
    cs_status status = file && copy ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, "program file", path, NULL);
    if (status == CS_OK && !DuplicateHandle(process, held, process, &handle, 0, FALSE, DUPLICATE_SAME_ACCESS))
        status = cs_fail_last(error, "program file", path);
    if (status != CS_OK) {
        cs_free(file);
        cs_free(copy);
        return status;
    }
    *file = (cs_file){.handle = handle, .path = copy, .mode = CS_OPEN_READ};
    *out = file;
    return CS_OK;
}

cs_status cs_win32_program_file(void *ctx, cs_file **out, cs_error *error) {
    cs_buffer path = {0};
    *out = NULL;
    cs_status status = cs_win32_program_path(ctx, &path, error);
    if (status == CS_OK) status = hold(path.data, error);
    if (status == CS_OK) status = copy_of_held(path.data, out, error);
    cs_buffer_free(&path);
    return status;
}
