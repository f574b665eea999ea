/* probe_gpu.c: stage 3, the self-test in this process; and the question which GPUs there are, of the driver alone. */
#include "common.h"
#include "cudnn_setup/driver.h"
#include "cudnn_setup/selftest.h"
#include "cudnn_setup/text.h"
#include "probe.h"

/* Reserved, not used: of what a driver does on the stack of the thread that calls it nothing is promised, and where CUDA is not
 * Windows' own (Wine with bridge libraries) it expects the 8 MiB and more that it has at home. The program's own threads keep the
 * usual size, so that loading is measured as any program has it. */
enum { STACK_BYTES = 64 * 1024 * 1024 };

typedef struct computing {
    cs_selftest_options options;
    cs_gpu_report result;
    bool (*work)(const cs_selftest_options *options, cs_gpu_report *out);
} computing;

static DWORD WINAPI compute(void *ctx) {
    computing *c = ctx;
    c->work(&c->options, &c->result);
    return 0;
}

/* NULL: not set. An empty value is one. */
static const char *variable(const wchar_t *name, cs_buffer *out) {
    enum { UNITS = 32768 };
    wchar_t *text = cs_alloc(UNITS, sizeof *text);
    SetLastError(ERROR_SUCCESS);
    DWORD size = text ? GetEnvironmentVariableW(name, text, UNITS) : 0;
    bool set = text && (size || GetLastError() == ERROR_SUCCESS) && size < UNITS;
    if (set) cs_wtf8_from_utf16(out, (const uint16_t *)text, size);
    cs_free(text);
    return set ? cs_buffer_string(out) : NULL;
}

static int run(probe *p, bool (*work)(const cs_selftest_options *options, cs_gpu_report *out)) {
    const cs_loader loader = cs_loader_system();
    cs_buffer visible = {0}, driver = {0};
    computing c = {.work = work, .options = {.loader = &loader, .visible_devices = variable(L"CUDA_VISIBLE_DEVICES", &visible)}};
    if (cs_driver_version(p->host, &driver)) c.options.driver_version = cs_buffer_string(&driver);
    HANDLE thread = CreateThread(NULL, STACK_BYTES, compute, &c, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    int code = PROBE_FAILED;
    p->verdict = CS_GPU_NO_MEMORY;
    if (thread) {
        WaitForSingleObject(thread, INFINITE);
        CloseHandle(thread);
        p->verdict = c.result.verdict;
        code = p->verdict == CS_GPU_PASSED || p->verdict == CS_GPU_SAMPLE ? PROBE_LOADED : PROBE_OTHER;
        cs_selftest_put_json(&p->json, "gpu", &c.result);
        cs_selftest_free(&c.result);
    }
    cs_buffer_free(&visible);
    cs_buffer_free(&driver);
    return code;
}

int probe_compute(probe *p) { return run(p, cs_selftest_run); }

int probe_devices(probe *p) { return run(p, cs_selftest_devices); }
