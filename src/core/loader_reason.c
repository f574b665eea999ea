#include "cudnn_setup/loader_reason.h"

#include <inttypes.h>
#include <string.h>

#include "cudnn_setup/pe.h"
#include "cudnn_setup/text.h"

enum { MAX_FILES = 512, MAX_DEPTH = 32 };
enum { WINDOWS_ACCESS_DENIED = 5, WINDOWS_PROC_NOT_FOUND = 127 }; /* Microsoft, "System Error Codes" */

typedef struct walk {
    const cs_fs *fs;
    const cs_loader_view *view;
    cs_strings seen;
    cs_strings found; /* full paths of what was found on the way, the DLL itself first */
    cs_loader_reason *out;
} walk;

void cs_loader_reason_free(cs_loader_reason *reason) {
    cs_buffer_free(&reason->file);
    cs_buffer_free(&reason->needed_by);
    cs_buffer_free(&reason->function);
    reason->verdict = CS_GPU_NOT_LOADED;
}

/* Names that the loader resolves without a file. Source: Microsoft, "Windows API sets". */
static bool is_api_set(const char *name) {
    char head[5] = {0};
    memcpy(head, name, strlen(name) < 4 ? strlen(name) : 4);
    return cs_text_equal_ascii_case(head, "api-") || cs_text_equal_ascii_case(head, "ext-");
}

static bool is_seen(walk *w, const char *name) {
    for (size_t i = 0; i < w->seen.count; i++)
        if (cs_text_equal_ascii_case(w->seen.items[i], name)) return true;
    return w->seen.count >= MAX_FILES || cs_strings_add(&w->seen, name, NULL) != CS_OK;
}

static bool blame(walk *w, cs_gpu_verdict verdict, const char *file, const char *parent) {
    w->out->verdict = verdict;
    cs_buffer_text(&w->out->file, file);
    cs_buffer_text(&w->out->needed_by, parent);
    return true;
}

static bool judge(walk *w, const char *name, const char *parent, unsigned depth);

static bool judge_file(walk *w, const char *path, const char *parent, unsigned depth) {
    cs_pe pe = {0};
    cs_status status = cs_pe_read(w->fs, path, CS_PE_IMPORTS, &pe, NULL);
    bool bad = false;
    if (status == CS_E_FORMAT || status == CS_E_TOO_BIG)
        bad = blame(w, CS_GPU_DAMAGED, path, parent);
    else if (status)
        bad = blame(w, CS_GPU_ACCESS_DENIED, path, parent);
    else if (pe.machine != CS_PE_MACHINE_X64)
        bad = blame(w, CS_GPU_OTHER_MACHINE, path, parent);
    for (size_t i = 0; i < pe.imports.count && !bad; i++) bad = judge(w, pe.imports.items[i], path, depth + 1);
    cs_pe_free(&pe);
    return bad;
}

/* An absent file that was asked for by name: the library itself, or a part of it. */
static cs_gpu_verdict absent(const char *name, const char *parent) {
    if (*parent) return cs_text_equal_ascii_case(name, "zlibwapi.dll") ? CS_GPU_NEWER_PART : CS_GPU_DEPENDENCY_ABSENT;
    return cs_text_starts_with(name, "cudnn_") ? CS_GPU_PART_MISSING : CS_GPU_CUDNN_ABSENT;
}

/* True once something is to blame. */
static bool judge(walk *w, const char *name, const char *parent, unsigned depth) {
    if (depth > MAX_DEPTH || is_api_set(name) || w->view->is_loaded(w->view->ctx, name) || is_seen(w, name)) return false;
    cs_buffer path = {0};
    bool bad;
    if (!w->view->find(w->view->ctx, name, &path)) {
        bad = blame(w, absent(name, parent), name, parent);
    } else {
        cs_strings_add(&w->found, path.data, NULL);
        bad = judge_file(w, path.data, parent, depth);
    }
    cs_buffer_free(&path);
    return bad;
}

/* ---- 127: every file is there, but one lacks what another imports from it ---- */

static bool exports(const cs_fs *fs, const char *path, const char *function) {
    cs_pe pe = {0};
    bool has = cs_pe_read(fs, path, CS_PE_EXPORTS, &pe, NULL) != CS_OK; /* what cannot be read is not blamed */
    for (size_t i = 0; i < pe.exports.count && !has; i++) has = strcmp(pe.exports.items[i], function) == 0;
    cs_pe_free(&pe);
    return has;
}

/* Of Windows' own DLLs many exports lead elsewhere and none is in question: looked at are those of cuDNN and CUDA. */
static bool is_of_interest(const char *dll) { return cs_text_starts_with(dll, "cu") || cs_text_starts_with(dll, "nv"); }

static bool judge_function(walk *w, const char *importer, const char *import) {
    const char *mark = strchr(import, '!');
    cs_buffer dll = {0}, path = {0};
    bool bad = false;
    cs_buffer_append(&dll, import, (size_t)(mark - import));
    if (is_of_interest(cs_buffer_string(&dll)) && w->view->find(w->view->ctx, cs_buffer_string(&dll), &path) &&
        !exports(w->fs, cs_buffer_string(&path), mark + 1)) {
        bad = blame(w, CS_GPU_FUNCTION_ABSENT, cs_buffer_string(&path), importer);
        cs_buffer_text(&w->out->function, mark + 1);
    }
    cs_buffer_free(&dll);
    cs_buffer_free(&path);
    return bad;
}

static bool judge_functions(walk *w, const char *path) {
    cs_pe pe = {0};
    bool bad = false;
    if (cs_pe_read(w->fs, path, CS_PE_FUNCTIONS, &pe, NULL) == CS_OK)
        for (size_t i = 0; i < pe.functions.count && !bad; i++) bad = judge_function(w, path, pe.functions.items[i]);
    cs_pe_free(&pe);
    return bad;
}

/* Nothing wrong is to be seen in any file: the code itself has to do. */
static void judge_code(walk *w, const char *name, uint32_t code) {
    if (code == WINDOWS_PROC_NOT_FOUND) {
        for (size_t i = 0; i < w->found.count; i++)
            if (judge_functions(w, w->found.items[i])) return;
    }
    const char *file = w->found.count ? w->found.items[0] : name;
    blame(w,
          code == WINDOWS_PROC_NOT_FOUND  ? CS_GPU_FUNCTION_ABSENT
          : code == WINDOWS_ACCESS_DENIED ? CS_GPU_ACCESS_DENIED
                                          : CS_GPU_NOT_LOADED,
          file, "");
}

void cs_loader_explain(const cs_fs *fs, const cs_loader_view *view, const char *name, uint32_t code, cs_loader_reason *out) {
    *out = (cs_loader_reason){.verdict = CS_GPU_NOT_LOADED};
    walk w = {.fs = fs, .view = view, .out = out};
    if (!judge(&w, name, "", 0)) judge_code(&w, name, code);
    cs_strings_free(&w.seen);
    cs_strings_free(&w.found);
}

void cs_loader_reason_facts(const cs_loader_reason *reason, uint32_t code, cs_facts *facts) {
    cs_facts_set(facts, CS_FACT_CULPRIT, "%s", cs_buffer_string(&reason->file));
    cs_facts_set(facts, CS_FACT_NEEDED_BY, "%s", cs_buffer_string(&reason->needed_by));
    cs_facts_set(facts, CS_FACT_FUNCTION, "%s", cs_buffer_string(&reason->function));
    cs_facts_set(facts, CS_FACT_CODE, "%" PRIu32, code);
}
