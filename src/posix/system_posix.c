/* system_posix.c: the system seam on Linux. What Linux does not have (services, broadcasts, deletes at restart) answers
 * CS_E_UNSUPPORTED: a test that needs it brings its own. */
#define _GNU_SOURCE
#include "fs_posix.h"
#include "system_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/posix.h"

static cs_buffer root_folder;

static const char *const folder_names[] = {[CS_FOLDER_PROGRAM_FILES] = "Program Files",
                                           [CS_FOLDER_LOCAL_APPDATA] = "Users/user/AppData/Local",
                                           [CS_FOLDER_DOWNLOADS] = "Users/user/Downloads",
                                           [CS_FOLDER_SYSTEM] = "Windows/System32",
                                           [CS_FOLDER_WINDOWS] = "Windows"};

/* Creates every folder of relative below the root. */
static cs_status make_path(const char *root, const char *relative, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = CS_OK;
    for (const char *end = relative; status == CS_OK && *end;) {
        end += strcspn(end, "/");
        cs_buffer_clear(&path);
        cs_buffer_format(&path, "%s/%.*s", root, (int)(end - relative), relative);
        status = cs_buffer_check(&path, error);
        if (status == CS_OK && mkdir(path.data, 0755) != 0 && errno != EEXIST)
            status = cs_fail_errno(error, errno, "make folder", path.data);
        end += *end == '/';
    }
    cs_buffer_free(&path);
    return status;
}

cs_status cs_system_posix_set_root(const char *root, cs_error *error) {
    if (!root || root[0] != '/') return cs_fail(error, CS_E_NAME, "set root", root, "not an absolute path");
    for (size_t i = 0; i < sizeof folder_names / sizeof folder_names[0]; i++) {
        cs_status status = make_path(root, folder_names[i], error);
        if (status != CS_OK) return status;
    }
    cs_buffer copy = {0};
    cs_buffer_text(&copy, root);
    cs_status status = cs_buffer_check(&copy, error);
    if (status != CS_OK) return status;
    cs_buffer_free(&root_folder);
    root_folder = copy;
    return CS_OK;
}

static cs_status need_root(cs_error *error) {
    if (root_folder.size) return CS_OK;
    const char *root = getenv("CUDNN_SETUP_ROOT");
    if (!root) return cs_fail(error, CS_E_UNSUPPORTED, "known folder", NULL, "set CUDNN_SETUP_ROOT: Linux has no known folders");
    return cs_system_posix_set_root(root, error);
}

static cs_status sys_folder(void *ctx, cs_folder which, cs_buffer *out, cs_error *error) {
    (void)ctx;
    cs_status status = need_root(error);
    return status == CS_OK ? cs_path_join(out, '/', root_folder.data, folder_names[which], error) : status;
}

static int64_t sys_now(void *ctx) {
    (void)ctx;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 10000000 + time.tv_nsec / 100 + 116444736000000000; /* 1601 to 1970 */
}

static bool sys_local_offset(void *ctx, int64_t filetime, int32_t *minutes) {
    (void)ctx;
    time_t seconds = (time_t)((filetime - 116444736000000000) / 10000000);
    struct tm local;
    if (!localtime_r(&seconds, &local)) return false;
    *minutes = (int32_t)(local.tm_gmtoff / 60);
    return true;
}

uint64_t cs_posix_ticks(void *ctx) {
    (void)ctx;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void sys_sleep(void *ctx, uint32_t milliseconds) {
    (void)ctx;
    if (!milliseconds) {
        sched_yield(); /* nanosleep(0) takes as long as its timer's slack, some 50 us */
        return;
    }
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

static cs_status sys_random(void *ctx, void *bytes, size_t size, cs_error *error) {
    (void)ctx;
    for (size_t done = 0; done < size;) {
        ssize_t n = getrandom((char *)bytes + done, size - done, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cs_fail_errno(error, errno, "random", NULL);
        done += (size_t)n;
    }
    return CS_OK;
}

static uint32_t sys_process_id(void *ctx) {
    (void)ctx;
    return (uint32_t)getpid();
}

static unsigned sys_processors(void *ctx) {
    (void)ctx;
    cpu_set_t ours;
    int n = sched_getaffinity(0, sizeof ours, &ours) == 0 ? CPU_COUNT(&ours) : 1;
    return n > 0 ? (unsigned)n : 1;
}

static bool sys_is_administrator(void *ctx) {
    (void)ctx;
    return geteuid() == 0;
}

static const char *sys_wine_version(void *ctx) {
    (void)ctx;
    return NULL;
}

static void sys_platform(void *ctx, cs_platform *out) {
    (void)ctx;
    struct utsname name;
    *out = (cs_platform){0};
    if (uname(&name) != 0) return;
    out->x64 = strcmp(name.machine, "x86_64") == 0;
    snprintf(out->text, sizeof out->text, "%.30s %.60s %.30s", name.sysname, name.release, name.machine);
}

static cs_status sys_computer_name(void *ctx, cs_buffer *out, cs_error *error) {
    (void)ctx;
    struct utsname name;
    if (uname(&name) != 0) return cs_fail_errno(error, errno, "computer name", NULL);
    cs_buffer_clear(out);
    cs_buffer_text(out, name.nodename);
    return cs_buffer_check(out, error);
}

static cs_status sys_program_path(void *ctx, cs_buffer *out, cs_error *error) {
    (void)ctx;
    char *path = realpath("/proc/self/exe", NULL);
    if (!path) return cs_fail_errno(error, errno, "program path", NULL);
    cs_buffer_clear(out);
    cs_buffer_text(out, path);
    free(path);
    return cs_buffer_check(out, error);
}

/* The kernel leads to the file itself, whatever its name is by now. */
static cs_status sys_program_file(void *ctx, cs_file **out, cs_error *error) {
    cs_buffer path = {0};
    cs_status status = sys_program_path(ctx, &path, error);
    *out = NULL;
    if (status == CS_OK) status = cs_posix_program_file(path.data, out, error);
    cs_buffer_free(&path);
    return status;
}

/* The mapping is never undone: a resource lives as long as the process. */
static cs_status sys_resource(void *ctx, const char *name, const void **bytes, size_t *size, cs_error *error) {
    (void)ctx;
    cs_buffer path = {0};
    struct stat st = {0};
    if (need_root(NULL) != CS_OK || strchr(name, '/')) return cs_fail(error, CS_E_NOT_FOUND, "resource", name, NULL);
    cs_buffer_format(&path, "%s/resources/%s", root_folder.data, name);
    cs_status status = cs_buffer_check(&path, error);
    int fd = status == CS_OK ? open(path.data, O_RDONLY | O_CLOEXEC) : -1;
    if (status == CS_OK && (fd < 0 || fstat(fd, &st) != 0)) status = cs_fail_errno(error, errno, "resource", path.data);
    if (status == CS_OK) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) status = cs_fail_errno(error, errno, "resource", path.data);
        *bytes = map;
        *size = (size_t)st.st_size;
    }
    if (fd >= 0) close(fd);
    cs_buffer_free(&path);
    return status;
}

static cs_status sys_set_recovery_service(void *ctx, bool on, const char *program, cs_error *error) {
    (void)ctx;
    if (!on) return CS_OK; /* there is none */
    return cs_fail(error, CS_E_UNSUPPORTED, "recovery service", program, "there are no Windows services on Linux");
}

static bool sys_recovery_service(void *ctx) {
    (void)ctx;
    return false;
}

static cs_account sys_account(void *ctx) {
    (void)ctx;
    return CS_ACCOUNT_ALONE;
}

static cs_status sys_own_variable(void *ctx, const char *name, cs_buffer *out, cs_error *error) {
    (void)ctx;
    const char *value = getenv(name);
    if (!value) return cs_fail(error, CS_E_NOT_FOUND, "own environment", name, NULL);
    cs_buffer_clear(out);
    cs_buffer_text(out, value);
    return cs_buffer_check(out, error);
}

static cs_status sys_broadcast(void *ctx, uint32_t deadline_ms, cs_broadcast *out, cs_error *error) {
    (void)ctx, (void)deadline_ms;
    *out = CS_BROADCAST_NEXT_SIGN_IN;
    return cs_fail(error, CS_E_UNSUPPORTED, "broadcast", NULL, "there are no window messages on Linux");
}

static cs_status sys_delete_at_restart(void *ctx, const char *path, cs_error *error) {
    (void)ctx;
    return cs_fail(error, CS_E_UNSUPPORTED, "delete at restart", path, "Linux does not do this");
}

static cs_status sys_signature(void *ctx, const char *path, cs_signature *out, cs_error *error) {
    (void)ctx;
    *out = CS_SIGNATURE_NONE;
    return cs_fail(error, CS_E_UNSUPPORTED, "signature", path, "only Windows judges Authenticode signatures");
}

const cs_system *cs_system_real(void) {
    static const cs_system system = {
        .folder = sys_folder,
        .now = sys_now,
        .local_offset = sys_local_offset,
        .ticks = cs_posix_ticks,
        .sleep = sys_sleep,
        .random = sys_random,
        .process_id = sys_process_id,
        .processors = sys_processors,
        .together = cs_posix_together,
        .is_administrator = sys_is_administrator,
        .wine_version = sys_wine_version,
        .platform = sys_platform,
        .computer_name = sys_computer_name,
        .program_path = sys_program_path,
        .program_file = sys_program_file,
        .resource = sys_resource,
        .set_recovery_service = sys_set_recovery_service,
        .recovery_service = sys_recovery_service,
        .account = sys_account,
        .own_variable = sys_own_variable,
        .broadcast_environment = sys_broadcast,
        .holders = cs_posix_holders,
        .delete_at_restart = sys_delete_at_restart,
        .run = cs_posix_run,
        .signature = sys_signature,
    };
    return &system;
}

/* Linux has no registry; tests bring one in memory. */
const cs_registry *cs_registry_real(void) { return NULL; }
