/* run_posix.c: a child with a deadline in its own process group, and who maps a file. */
#define _GNU_SOURCE
#include "system_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudnn_setup/path.h"

enum { OUTPUT_LIMIT = 1 << 20 };

extern char **environ;

/* NULL-ended copy of the pointers, with first in front if it is given. */
static const char **vector(const char *first, const char *const *items, size_t count) {
    const char **all = cs_alloc(count + 2, sizeof *all);
    size_t n = 0;
    if (!all) return NULL;
    if (first) all[n++] = first;
    for (size_t i = 0; i < count; i++) all[n++] = items[i];
    return all;
}

static cs_status spawn(const cs_child *child, int output, pid_t *pid, cs_error *error) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    const char **arguments = vector(child->program, child->arguments, child->argument_count);
    const char **environment = child->environment ? vector(NULL, child->environment, child->environment_count) : NULL;
    cs_status status = CS_OK;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!code) code = posix_spawn_file_actions_addchdir_np(&actions, child->folder ? child->folder : "/");
    if (!code) code = posix_spawnattr_setpgroup(&attributes, 0);
    if (!code) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!arguments || (child->environment && !environment)) code = ENOMEM;
    /* posix_spawn's char *const[] is a promise not to write, which C cannot say of what the pointers lead to. */
    union {
        const char **in;
        char *const *out;
    } argv = {arguments}, envp = {environment};
    if (!code) code = posix_spawn(pid, child->program, &actions, &attributes, argv.out, environment ? envp.out : environ);
    if (code) status = cs_fail_errno(error, code, "run", child->program);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    cs_free(arguments);
    cs_free(environment);
    return status;
}

/* Reads until the pipe ends (true) or the deadline is over (false). What exceeds the limit is read and dropped. */
static bool drain(int fd, uint64_t deadline, cs_buffer *output) {
    char block[4096];
    for (;;) {
        uint64_t now = cs_posix_ticks(NULL);
        if (now >= deadline) return false;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int left = deadline - now > 1000 ? 1000 : (int)(deadline - now);
        if (poll(&wait, 1, left) <= 0) continue;
        ssize_t n = read(fd, block, sizeof block);
        if (n <= 0) return true;
        size_t room = OUTPUT_LIMIT - output->size;
        cs_buffer_append(output, block, (size_t)n < room ? (size_t)n : room);
    }
}

static bool await(pid_t pid, uint64_t deadline, int *code) {
    for (;;) {
        pid_t done = waitpid(pid, code, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR)) return true;
        if (cs_posix_ticks(NULL) >= deadline) return false;
        usleep(2000);
    }
}

cs_status cs_posix_run(void *ctx, const cs_child *child, cs_child_result *result, cs_error *error) {
    (void)ctx;
    *result = (cs_child_result){.account = "this user"};
    if (geteuid() == 0 && !child->as_current) { /* no other account is known to run it under */
        result->refused = true;
        return CS_OK;
    }
    int ends[2] = {-1, -1}, code = 0;
    pid_t pid = -1;
    if (pipe2(ends, O_CLOEXEC) != 0) return cs_fail_errno(error, errno, "run", child->program);
    cs_status status = spawn(child, ends[1], &pid, error);
    close(ends[1]);
    if (status == CS_OK) {
        uint64_t deadline = cs_posix_ticks(NULL) + child->deadline_ms;
        result->timed_out = !drain(ends[0], deadline, &result->output) || !await(pid, deadline, &code);
        kill(-pid, SIGKILL); /* grandchildren too, as the job does on Windows */
        if (result->timed_out) waitpid(pid, &code, 0);
        result->exit_code = WIFEXITED(code) ? (uint32_t)WEXITSTATUS(code) : 128u + (uint32_t)WTERMSIG(code);
        status = cs_buffer_check(&result->output, error);
    }
    close(ends[0]);
    return status;
}

/* The path of a line of /proc/<pid>/maps, or NULL. */
static char *mapped_path(char *line) {
    char *path = strchr(line, '/');
    if (path) path[strcspn(path, "\n")] = '\0';
    return path;
}

static cs_status look_at_process(const char *pid, const char *const *paths, size_t count, cs_holders *out, cs_error *error) {
    char name[64], line[8192], image[512];
    cs_status status = CS_OK;
    snprintf(name, sizeof name, "/proc/%.20s/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps) return CS_OK; /* gone, or not ours to look into */
    snprintf(name, sizeof name, "/proc/%.20s/exe", pid);
    ssize_t size = readlink(name, image, sizeof image - 1);
    image[size > 0 ? size : 0] = '\0';
    char previous[8192] = "";
    while (status == CS_OK && fgets(line, sizeof line, maps)) {
        char *path = mapped_path(line);
        if (!path || strcmp(path, previous) == 0) continue;
        for (size_t i = 0; i < count && status == CS_OK; i++)
            if (strcmp(path, paths[i]) == 0)
                status = cs_holders_add(out, (uint32_t)strtoul(pid, NULL, 10), cs_path_name(image), path, error);
        snprintf(previous, sizeof previous, "%s", path);
    }
    fclose(maps);
    return status;
}

cs_status cs_posix_holders(void *ctx, const char *const *paths, size_t count, cs_holders *out, cs_error *error) {
    (void)ctx;
    DIR *processes = opendir("/proc");
    if (!processes) return cs_fail_errno(error, errno, "holders", "/proc");
    cs_status status = CS_OK;
    for (struct dirent *entry; status == CS_OK && (entry = readdir(processes));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') status = look_at_process(entry->d_name, paths, count, out, error);
    closedir(processes);
    return status;
}
