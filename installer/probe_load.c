/* probe_load.c: stage 2: every part of cuDNN loads, where each came from, and what its version is. */
#include <string.h>

#include "common.h"
#include "cudnn_setup/text.h"
#include "loader_error.h"
#include "probe.h"

static const char shim[] = "cudnn64_8.dll";

/* The shim first: it loads the others by bare name when they are first used. Then what they need from CUDA. */
static const char *const parts[] = {shim,
                                    "cudnn_ops_infer64_8.dll",
                                    "cudnn_ops_train64_8.dll",
                                    "cudnn_cnn_infer64_8.dll",
                                    "cudnn_cnn_train64_8.dll",
                                    "cudnn_adv_infer64_8.dll",
                                    "cudnn_adv_train64_8.dll"};
static const char *const needs[] = {"cudart64_101.dll", "cublas64_10.dll", "cublasLt64_10.dll"};

static void append_module_path(cs_buffer *out, HMODULE module) {
    enum { UNITS = 32768 };
    wchar_t *path = cs_alloc(UNITS, sizeof *path);
    DWORD size = path ? GetModuleFileNameW(module, path, UNITS) : 0;
    cs_wtf8_from_utf16(out, (const uint16_t *)path, size);
    cs_free(path);
}

static void put_path(probe *p, HMODULE module) {
    cs_buffer path = {0};
    append_module_path(&path, module);
    cs_json_put_text(&p->json, "path", cs_buffer_string(&path));
    cs_buffer_free(&path);
}

/* The first failure is the one to tell: the others follow from it. */
static void put_failure(probe *p, const char *name, uint32_t code) {
    cs_loader_reason reason;
    cs_facts facts = {0};
    cs_buffer text = {0};
    loader_explain(p->host->fs, name, code, &reason);
    cs_loader_reason_facts(&reason, code, &facts);
    cs_verdict_say(reason.verdict, CS_ENGLISH, &facts, &text);
    cs_json_put_uint(&p->json, "code", code);
    cs_json_put_text(&p->json, "verdict", cs_gpu_verdict_name(reason.verdict));
    if (reason.file.size) cs_json_put_text(&p->json, "because_of", reason.file.data);
    if (reason.needed_by.size) cs_json_put_text(&p->json, "needed_by", reason.needed_by.data);
    if (reason.function.size) cs_json_put_text(&p->json, "function", reason.function.data);
    cs_json_put_text(&p->json, "text", cs_buffer_string(&text));
    if (!p->message.size) {
        p->verdict = reason.verdict;
        cs_buffer_text(&p->message, cs_buffer_string(&text));
        cs_verdict_say(reason.verdict, CS_CHINESE, &facts, &p->chinese);
    }
    cs_buffer_free(&text);
    cs_facts_free(&facts);
    cs_loader_reason_free(&reason);
}

static HMODULE load(probe *p, const char *name) {
    cs_buffer wide = {0};
    const wchar_t *text = common_wide(&wide, name);
    HMODULE module = text ? LoadLibraryW(text) : NULL;
    DWORD code = module ? 0 : GetLastError();
    cs_json_begin(&p->json, NULL, '{');
    cs_json_put_text(&p->json, "name", name);
    cs_json_put_bool(&p->json, "loaded", module != NULL);
    if (module)
        put_path(p, module);
    else
        put_failure(p, name, code);
    cs_json_end(&p->json, '}');
    cs_buffer_free(&wide);
    return module;
}

typedef size_t(WINAPI *version_function)(void);

/* Not by a cast from one function type to another: the compiler is right to mistrust that. */
static version_function find_version(HMODULE module) {
    FARPROC address = GetProcAddress(module, "cudnnGetVersion");
    version_function function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

static void load_parts(probe *p) {
    cs_json_begin(&p->json, "modules", '[');
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        HMODULE module = load(p, parts[i]);
        if (i || !module) continue;
        version_function get_version = find_version(module);
        if (get_version) p->version = get_version();
    }
    cs_json_end(&p->json, ']');
}

/* What the parts brought with them. */
static void put_needs(probe *p) {
    cs_json_begin(&p->json, "needs", '[');
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        cs_buffer wide = {0};
        const wchar_t *text = common_wide(&wide, needs[i]);
        HMODULE module = text ? GetModuleHandleW(text) : NULL;
        cs_json_begin(&p->json, NULL, '{');
        cs_json_put_text(&p->json, "name", needs[i]);
        cs_json_put_bool(&p->json, "loaded", module != NULL);
        if (module) put_path(p, module);
        cs_json_end(&p->json, '}');
        cs_buffer_free(&wide);
    }
    cs_json_end(&p->json, ']');
}

int probe_load(probe *p) {
    p->verdict = CS_GPU_LOADED;
    load_parts(p);
    put_needs(p);
    if (p->message.size) return PROBE_NOT_LOADED;
    if (p->version) return PROBE_LOADED;
    cs_facts facts = {0};
    cs_facts_set(&facts, CS_FACT_CULPRIT, "cudnnGetVersion");
    p->verdict = CS_GPU_SYMBOL_MISSING;
    cs_verdict_say(p->verdict, CS_ENGLISH, &facts, &p->message);
    cs_verdict_say(p->verdict, CS_CHINESE, &facts, &p->chinese);
    cs_facts_free(&facts);
    return PROBE_NO_VERSION;
}
