#include "gpus.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/survey.h"

enum { MOST = 16, NAME = 256 };

/* Source: NVIDIA, CUDA Driver API: CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR. */
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

typedef struct driver {
    int(WINAPI *init)(unsigned flags);
    int(WINAPI *count)(int *count);
    int(WINAPI *get)(int *device, int ordinal);
    int(WINAPI *name)(char *name, int size, int device);
    int(WINAPI *attribute)(int *value, int attribute, int device);
} driver;

/* Not by a cast from one function type to another: the compiler is right to mistrust that. */
static bool bind(HMODULE module, const char *name, void *slot) {
    FARPROC address = GetProcAddress(module, name);
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

static bool load(driver *d) {
    HMODULE module = LoadLibraryExW(L"nvcuda.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    return module && bind(module, "cuInit", &d->init) && bind(module, "cuDeviceGetCount", &d->count) &&
           bind(module, "cuDeviceGet", &d->get) && bind(module, "cuDeviceGetName", &d->name) &&
           bind(module, "cuDeviceGetAttribute", &d->attribute);
}

bool gpus_is(const cs_strings *words) { return words->count == 1 && strcmp(words->items[0], GPUS_WORD) == 0; }

int gpus_run(void) {
    static char names[MOST][NAME], capabilities[MOST][16];
    cs_survey_gpu gpus[MOST];
    driver d = {0};
    int count = 0;
    size_t found = 0;
    if (!load(&d) || d.init(0) != 0 || d.count(&count) != 0) return 1;
    for (int i = 0; i < count && i < MOST; i++) {
        int device = 0, major = 0, minor = 0;
        if (d.get(&device, i) != 0 || d.attribute(&major, ATTRIBUTE_MAJOR, device) != 0 ||
            d.attribute(&minor, ATTRIBUTE_MINOR, device) != 0)
            continue;
        if (d.name(names[found], NAME - 1, device) != 0) names[found][0] = '\0';
        snprintf(capabilities[found], sizeof capabilities[found], "%d.%d", major, minor);
        gpus[found] = (cs_survey_gpu){.name = names[found], .capability = capabilities[found]};
        found++;
    }
    cs_buffer out = {0};
    common_streams streams;
    cs_survey_put_gpus(&out, gpus, found);
    common_streams_open(&streams, false);
    if (!out.failed) common_write(&streams, false, cs_buffer_string(&out), out.size);
    cs_buffer_free(&out);
    return 0;
}

void gpus_ask(const cs_host *host, cs_buffer *out) {
    static const char *const words[] = {GPUS_WORD};
    const cs_system *system = host->system;
    cs_buffer program = {0};
    cs_child_result result = {0};
    if (system->program_path(system->ctx, &program, NULL) == CS_OK) {
        const cs_child child = {
            .program = program.data, .arguments = words, .argument_count = 1, .deadline_ms = GPUS_DEADLINE_MS};
        if (system->run(system->ctx, &child, &result, NULL) == CS_OK && !result.refused && !result.timed_out &&
            result.exit_code == 0)
            cs_buffer_append(out, cs_buffer_string(&result.output), result.output.size);
    }
    cs_buffer_free(&result.output);
    cs_buffer_free(&program);
}
