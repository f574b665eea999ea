/* selftest_posix.c: runs the self-test with this machine's libraries and prints a table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/selftest.h"

enum { LINE = 512 };

/* "580.159.04" from "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ..."; "" if there is no such file. */
static void read_driver_version(char *version, size_t size) {
    char line[LINE];
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    version[0] = '\0';
    if (!file) return;
    if (fgets(line, sizeof line, file)) {
        for (char *word = line; *word; word++) {
            size_t length = strspn(word, "0123456789.");
            if (length >= 6 && length < size && word[-(word > line)] == ' ' && memchr(word, '.', length)) {
                memcpy(version, word, length);
                version[length] = '\0';
                break;
            }
        }
    }
    fclose(file);
}

static void print_head(const cs_gpu_report *s) {
    printf("cuDNN %" PRIu64 " (built for CUDA %" PRIu64 ")  %s\n", s->cudnn_version, s->cudnn_built_for,
           cs_buffer_string(&s->cudnn_path));
    printf("runtime %d  %s\n", s->runtime_version, cs_buffer_string(&s->runtime_path));
    printf("driver %s, serves CUDA %d  %s\n", s->driver_version ? s->driver_version : "?", s->driver_cuda,
           cs_buffer_string(&s->driver_path));
    if (s->visible_devices) printf("CUDA_VISIBLE_DEVICES=%s\n", s->visible_devices);
    for (size_t i = 0; i < s->device_count; i++) {
        const cs_gpu_device *d = &s->devices[i];
        printf("device %d%s: %s, capability %d.%d, %" PRIu64 " of %" PRIu64 " MiB free, %s\n", d->ordinal,
               (int)i == s->device ? " (used)" : "", d->name, d->major, d->minor, d->memory_free >> 20, d->memory_total >> 20,
               cs_gpu_verdict_name(d->fit));
    }
}

static void print_runs(const cs_gpu_report *s) {
    printf("%-29s %-9s %-22s %-5s %-21s %-12s %10s %9s %9s %10s %10s %9s\n", "operation", "part", "shape", "type", "algorithm",
           "outcome", "workspace", "error", "worst", "limit", "first us", "later us");
    for (size_t i = 0; i < s->run_count; i++) {
        const cs_gpu_run *r = &s->runs[i];
        printf("%-29s %-9s %-22s %-5s %-21s %-12s %10" PRIu64, r->operation, r->part, r->shape,
               r->type == CS_GPU_FP16 ? "fp16" : "fp32", r->algorithm, cs_gpu_outcome_name(r->outcome), r->workspace);
        if (r->first_ns)
            printf(" %9.2e %9.2e %10.1e %10.1f %9.1f", r->error, r->worst, r->limit, (double)r->first_ns / 1000,
                   (double)r->later_ns / 1000);
        else if (r->status)
            printf(" status %d", r->status);
        putchar('\n');
    }
}

static int write_json(const cs_gpu_report *s, const char *path) {
    cs_buffer text = {0};
    cs_error error = {0};
    cs_json_writer writer = {.out = &text, .layout = CS_JSON_PRETTY, .lossy = true};
    cs_selftest_put_json(&writer, NULL, s);
    FILE *file = cs_json_finish(&writer, &error) == CS_OK ? fopen(path, "w") : NULL;
    int failed = !file || fwrite(text.data, 1, text.size, file) != text.size;
    if (file && fclose(file) != 0) failed = 1;
    if (failed) fprintf(stderr, "%s was not written\n", path);
    cs_buffer_free(&text);
    return failed;
}

typedef struct words_of {
    const char *json;
    uint64_t seed;
    bool quick; /* each call twice only: for tools that slow everything down */
} words_of;

static bool read_words(int count, char **words, words_of *out) {
    for (int i = 1; i < count; i += 2) {
        char *end = NULL;
        if (strcmp(words[i], "--quick") == 0) {
            out->quick = true;
            i--;
            continue;
        }
        if (i + 1 == count) return false;
        if (strcmp(words[i], "--json") == 0) {
            out->json = words[i + 1];
        } else if (strcmp(words[i], "--seed") == 0) {
            out->seed = strtoull(words[i + 1], &end, 10);
            if (!*words[i + 1] || *end) return false;
        } else {
            return false;
        }
    }
    return true;
}

int main(int count, char **words) {
    char driver[32];
    words_of given = {0};
    if (!read_words(count, words, &given)) {
        fprintf(stderr, "usage: selftest_posix [--quick] [--seed NUMBER] [--json FILE]\n");
        return 2;
    }
    read_driver_version(driver, sizeof driver);
    const cs_loader loader = cs_loader_system();
    const cs_selftest_options options = {.loader = &loader,
                                         .seed = given.seed,
                                         .later_calls = given.quick ? 1 : 0,
                                         .visible_devices = getenv("CUDA_VISIBLE_DEVICES"),
                                         .driver_version = driver[0] ? driver : NULL};
    cs_gpu_report selftest;
    bool passed = cs_selftest_run(&options, &selftest);
    print_head(&selftest);
    print_runs(&selftest);
    printf("%s: %s\n", cs_gpu_verdict_name(selftest.verdict), cs_buffer_string(&selftest.sentence));
    int failed = given.json ? write_json(&selftest, given.json) : 0;
    cs_selftest_free(&selftest);
    return failed ? 2 : passed ? 0 : 1;
}
