/* probe_main.c: cudnn-probe, run as a child with a deadline. Loads cuDNN as any program would, by bare name through the search
 * order of Windows, which it leaves as it is, and prints one JSON object. It refuses to do so with an administrator's rights,
 * because what PATH leads to is other people's code, unless told to (/selftest-as:current). */
#include <string.h>

#include "common.h"
#include "cudnn_setup/json.h"
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

typedef struct probe {
    cs_json_writer json;
    const cs_fs *fs;
    uint64_t version; /* 0: unknown */
    bool failed;
    cs_buffer message; /* what is wrong, for people */
} probe;

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

static void put_failure(probe *p, const char *name, uint32_t code) {
    loader_reason reason;
    loader_explain(p->fs, name, code, &reason);
    cs_json_put_uint(&p->json, "code", code);
    if (reason.file.size) cs_json_put_text(&p->json, "because_of", reason.file.data);
    if (reason.needed_by.size) cs_json_put_text(&p->json, "needed_by", reason.needed_by.data);
    cs_json_put_text(&p->json, "text", cs_buffer_string(&reason.text));
    if (!p->message.size) cs_buffer_format(&p->message, "%s cannot be loaded: %s", name, cs_buffer_string(&reason.text));
    loader_reason_free(&reason);
    p->failed = true;
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

static int verdict(probe *p) {
    if (p->failed) return PROBE_NOT_LOADED;
    if (p->version) return PROBE_LOADED;
    cs_buffer_format(&p->message, "all parts load, but %s has no cudnnGetVersion", shim);
    return PROBE_NO_VERSION;
}

/* Prints the object and gives code back, or PROBE_FAILED when it could not be made. */
static int finish(probe *p, int code) {
    cs_json_put_uint(&p->json, "exit", (uint64_t)code);
    if (p->version) cs_json_put_uint(&p->json, "cudnn_version", p->version);
    if (code != PROBE_LOADED) cs_json_put_text(&p->json, "error", cs_buffer_string(&p->message));
    cs_json_end(&p->json, '}');
    common_streams streams;
    if (cs_json_finish(&p->json, NULL) != CS_OK || p->message.failed || !common_streams_open(&streams, false))
        code = PROBE_FAILED;
    else
        common_write(&streams, false, p->json.out->data, p->json.out->size);
    cs_buffer_free(p->json.out);
    cs_buffer_free(&p->message);
    return code;
}

int wmain(void) {
    common_guard(false);
    cs_host host = common_host();
    cs_strings words = {0};
    cs_options options = {0};
    cs_error error = {0};
    cs_buffer out = {0};
    probe p = {.json = {.out = &out, .layout = CS_JSON_PRETTY, .lossy = true}, .fs = host.fs};
    cs_status status = common_arguments(&words, &error);
    if (!status) status = cs_options_parse(CS_PROGRAM_PROBE, (const char *const *)words.items, words.count, &options, &error);
    cs_strings_free(&words);
    cs_json_begin(&p.json, NULL, '{');
    cs_json_put_uint(&p.json, "stage", 2);
    if (status) {
        char text[2048];
        cs_error_text(&error, text, sizeof text);
        cs_buffer_text(&p.message, text);
        return finish(&p, PROBE_USAGE);
    }
    if (host.system->is_administrator(host.system->ctx) && !options.selftest_as_current) {
        cs_buffer_text(&p.message, "not run with administrator rights: what PATH leads to is other people's code");
        return finish(&p, PROBE_REFUSED);
    }
    load_parts(&p);
    put_needs(&p);
    return finish(&p, verdict(&p));
}
