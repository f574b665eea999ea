/* twin_main.c: cudnn-setup or cudnn-doctor as a Linux program, with a small Windows made of folders below $CUDNN_SETUP_ROOT: the
 * registry is the file `registry`, the recovery service the file `service`, deletes at restart the file `restart`. The whole job
 * then runs under sanitizers and debuggers, on real files. Never installed; refuses to run without a root. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudnn_setup/app.h"
#include "cudnn_setup/console.h"
#include "cudnn_setup/posix.h"
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

/* The volume under the root stands for C:. */
static cs_status volume(void *ctx, const char *path, cs_volume *out, cs_error *error) {
    cs_status status = cs_fs_real()->volume(ctx, path, out, error);
    snprintf(out->filesystem, sizeof out->filesystem, "NTFS");
    out->local_fixed = true;
    return status;
}

static cs_status absolute(void *ctx, const char *path, cs_buffer *out, cs_error *error) {
    (void)ctx;
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    cs_buffer_clear(out);
    cs_buffer_format(out, "%s%s%s", folder ? folder : "", folder ? "/" : "", path);
    free(folder);
    return cs_buffer_check(out, error);
}

static void write_stream(void *ctx, bool to_error, const char *text, size_t size) {
    (void)ctx;
    fwrite(text, 1, size, to_error ? stderr : stdout);
}

static void on_begin(void *ctx, const cs_options *options) { cs_console_begin(ctx, options); }
static void on_event(void *ctx, const cs_event *event) { cs_console_event(ctx, event); }
static void on_end(void *ctx, const cs_app_end *end) { cs_console_end(ctx, end); }

/* For the bound on memory: the peak resident size in KiB, into the file that the variable names. */
static void tell_memory(void) {
    const char *path = getenv("CUDNN_SETUP_TWIN_MEMORY");
    struct rusage usage;
    FILE *file = path && getrusage(RUSAGE_SELF, &usage) == 0 ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", usage.ru_maxrss);
    fclose(file);
}

int main(int count, char **words) {
    root = getenv("CUDNN_SETUP_ROOT");
    cs_error error = {0};
    umask(022); /* "Program Files" belongs to its owner alone, whatever the shell's habit */
    if (!root || cs_system_posix_set_root(root, &error) != CS_OK) {
        fprintf(stderr, "CUDNN_SETUP_ROOT must name an existing folder, absolute\n");
        return CS_EXIT_USAGE;
    }
    char path[4096];
    path_of(path, sizeof path, "registry");
    file_registry *registry = file_registry_open(path);
    if (!registry) return CS_EXIT_FAILED;
    cs_fs fs = *cs_fs_real();
    fs.volume = volume;
    cs_system system = *cs_system_real();
    system.set_recovery_service = set_service;
    system.recovery_service = has_service;
    system.broadcast_environment = broadcast;
    system.delete_at_restart = delete_at_restart;
    system.is_administrator = is_administrator;
    system.platform = platform;
    cs_host host = {.fs = &fs, .registry = file_registry_seam(registry), .system = &system};
    cs_console console = {.write = write_stream};
    cs_app_front front = {.ctx = &console, .absolute = absolute, .begin = on_begin, .event = on_event, .end = on_end};
    int code = cs_app_run(&host, TWIN_PROGRAM, (const char *const *)words + 1, (size_t)(count > 0 ? count - 1 : 0), &front);
    file_registry_close(registry);
    tell_memory();
    /* A shell sees eight bits of it; the tests read the whole number from the result. */
    return code;
}
