/* twin_main.c: cudnn-setup or cudnn-doctor as a Linux program, on a small Windows that lies below $CUDNN_SETUP_ROOT: C: is the
 * folder `c`, the registry the file `registry`, the recovery service the file `service`, deletes at restart the file `restart`.
 * The whole job then runs under sanitizers and debuggers, on real files, with Windows paths. Never installed. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudnn_setup/app.h"
#include "cudnn_setup/console.h"
#include "cudnn_setup/posix.h"
#include "drive_fs.h"
#include "file_registry.h"

static const char *root;

static void path_of(char *out, size_t size, const char *name) { snprintf(out, size, "%s/%s", root, name); }

static cs_status set_service(void *ctx, bool on, const char *program, cs_error *error) {
    (void)ctx;
    char path[4096];
    path_of(path, sizeof path, "service");
    if (!on) return remove(path) == 0 || access(path, F_OK) != 0 ? CS_OK : cs_fail(error, CS_E_IO, "service", path, NULL);
    FILE *file = fopen(path, "w");
    if (!file) return cs_fail(error, CS_E_IO, "service", path, NULL);
    fprintf(file, "\"%s\" /recover /quiet\n", program);
    return fclose(file) == 0 ? CS_OK : cs_fail(error, CS_E_IO, "service", path, NULL);
}

static bool has_service(void *ctx) {
    (void)ctx;
    char path[4096];
    path_of(path, sizeof path, "service");
    return access(path, F_OK) == 0;
}

static cs_status broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error) {
    (void)ctx, (void)deadline_ms, (void)error;
    *out = CS_BROADCAST_NEXT_SIGN_IN;
    return CS_OK;
}

static cs_status delete_at_restart(void *ctx, const char *name, cs_error *error) {
    (void)ctx;
    char path[4096];
    path_of(path, sizeof path, "restart");
    FILE *file = fopen(path, "a");
    if (!file) return cs_fail(error, CS_E_IO, "delete at restart", name, NULL);
    fprintf(file, "%s\n", name);
    return fclose(file) == 0 ? CS_OK : cs_fail(error, CS_E_IO, "delete at restart", name, NULL);
}

static bool is_administrator(void *ctx) {
    (void)ctx;
    return !getenv("CUDNN_SETUP_TWIN_USER");
}

static void platform(void *ctx, cs_platform *out) {
    (void)ctx;
    *out = (cs_platform){.windows_10 = true, .x64 = true, .text = "twin on Linux"};
}

static drive_fs drives;

static cs_status folder(void *ctx, cs_folder which, cs_buffer *out, cs_error *error) {
    (void)ctx;
    static const char *const folders[] = {[CS_FOLDER_PROGRAM_FILES] = "C:\\Program Files",
                                          [CS_FOLDER_LOCAL_APPDATA] = "C:\\Users\\user\\AppData\\Local",
                                          [CS_FOLDER_DOWNLOADS] = "C:\\Users\\user\\Downloads",
                                          [CS_FOLDER_SYSTEM] = "C:\\Windows\\System32",
                                          [CS_FOLDER_WINDOWS] = "C:\\Windows"};
    cs_buffer_clear(out);
    cs_buffer_text(out, folders[which]);
    return cs_buffer_check(out, error);
}

static cs_status program_path(void *ctx, cs_buffer *out, cs_error *error) {
    cs_buffer inside = {0};
    cs_status status = cs_system_real()->program_path(ctx, &inside, error);
    if (!status) status = drive_fs_outside(&drives, cs_buffer_string(&inside), out, error);
    cs_buffer_free(&inside);
    return status;
}

/* The current folder is on Z:. */
static cs_status absolute(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_buffer_clear(out);
    if (path[0] && path[1] == ':') {
        cs_buffer_text(out, path);
        return cs_buffer_check(out, error);
    }
    char *here = getcwd(NULL, 0);
    cs_buffer inside = {0};
    cs_buffer_format(&inside, "%s/%s", here ? here : "", path);
    cs_status status = drive_fs_outside(&drives, cs_buffer_string(&inside), out, error);
    cs_buffer_free(&inside);
    free(here);
    return status;
}

static void write_stream(void *ctx, bool to_error, const char *text, size_t size) {
    (void)ctx;
    fwrite(text, 1, size, to_error ? stderr : stdout);
}

static void on_begin(void *ctx, const cs_options *options) { cs_console_begin(ctx, options); }
static void on_event(void *ctx, const cs_event *event) { cs_console_event(ctx, event); }
static void on_end(void *ctx, const cs_app_end *end) { cs_console_end(ctx, end); }

/* For the bound on memory: the peak resident size in KiB, into the file that the variable names. Not from getrusage, whose peak
 * includes what the parent held before it started this program. */
static void tell_memory(void) {
    const char *path = getenv("CUDNN_SETUP_TWIN_MEMORY");
    FILE *status = path ? fopen("/proc/self/status", "r") : NULL;
    if (!status) return;
    char line[256];
    long peak = 0;
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0) peak = strtol(line + 6, NULL, 10);
    fclose(status);
    FILE *file = fopen(path, "w");
    if (!file) return;
    fprintf(file, "%ld\n", peak);
    fclose(file);
}

int main(int count, char **words) {
    root = getenv("CUDNN_SETUP_ROOT");
    cs_error error = {0};
    umask(022); /* "Program Files" belongs to its owner alone, whatever the shell's habit */
    char path[4096];
    char *drive = root ? realpath(root, NULL) : NULL;
    if (drive) snprintf(path, sizeof path, "%s/c", drive);
    if (!drive || cs_system_posix_set_root(path, &error) != CS_OK ||
        drive_fs_init(&drives, cs_fs_real(), path, &error) != CS_OK) {
        fprintf(stderr, "CUDNN_SETUP_ROOT must name a folder that holds a folder c\n");
        free(drive);
        return CS_EXIT_USAGE;
    }
    free(drive);
    path_of(path, sizeof path, "registry");
    file_registry *registry = file_registry_open(path);
    if (!registry) return CS_EXIT_FAILED;
    cs_system system = *cs_system_real();
    system.set_recovery_service = set_service;
    system.recovery_service = has_service;
    system.broadcast_environment = broadcast;
    system.delete_at_restart = delete_at_restart;
    system.is_administrator = is_administrator;
    system.platform = platform;
    system.folder = folder;
    system.program_path = program_path;
    cs_host host = {.fs = &drives.seam, .registry = file_registry_seam(registry), .system = &system};
    cs_console console = {.write = write_stream};
    cs_app_front front = {.ctx = &console, .absolute = absolute, .begin = on_begin, .event = on_event, .end = on_end};
    int code = cs_app_run(&host, TWIN_PROGRAM, (const char *const *)words + 1, (size_t)(count > 0 ? count - 1 : 0), &front);
    file_registry_close(registry);
    drive_fs_free(&drives);
    tell_memory();
    /* A shell sees eight bits of it; the tests read the whole number from the result. */
    return code;
}
