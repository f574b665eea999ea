#include "cudnn_setup/toolkit.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "toolkit_judge.h"
#include "variables.h"

static void candidate_free(cs_toolkit_candidate *candidate) {
    cs_free(candidate->path);
    cs_free(candidate->version);
    cs_free(candidate->reason);
    cs_free(candidate->untrusted_why);
    *candidate = (cs_toolkit_candidate){0};
}

void cs_toolkits_free(cs_toolkits *toolkits) {
    for (size_t i = 0; i < toolkits->count; i++) candidate_free(&toolkits->items[i]);
    cs_free(toolkits->items);
    *toolkits = (cs_toolkits){0};
}

const char *cs_toolkit_source_text(cs_toolkit_source source) {
    static const char *const texts[] = {
        [CS_TOOLKIT_OPTION] = "/cuda",
        [CS_TOOLKIT_CUDA_PATH_V] = "CUDA_PATH_V10_1",
        [CS_TOOLKIT_REGISTRY_KEY] = "CUDA's registry key",
        [CS_TOOLKIT_CUDA_PATH] = "CUDA_PATH",
        [CS_TOOLKIT_DEFAULT] = "the default folder",
    };
    return texts[source];
}

static bool listed(const cs_toolkits *toolkits, const char *path) {
    for (size_t i = 0; i < toolkits->count; i++)
        if (cs_text_equal_ascii_case(toolkits->items[i].path, path)) return true;
    return false;
}

/* Judges path and appends it, unless the same folder is there under an earlier source. */
static cs_status add(const cs_host *host, const char *cuda, cs_toolkit_source source, const char *path, cs_toolkits *out,
                     cs_error *error) {
    cs_toolkit_candidate candidate = {.source = source, .path = cs_strdup(path)};
    cs_status status = candidate.path ? CS_OK : cs_fail(error, CS_E_NO_MEMORY, "find CUDA", NULL, NULL);
    if (status == CS_OK) status = cs_toolkit_judge(host, cuda, &candidate, error);
    if (status == CS_OK && candidate.usable) status = cs_toolkit_judge_trust(host, &candidate, error);
    if (status == CS_OK && !listed(out, candidate.path)) {
        cs_toolkit_candidate *items = cs_realloc(out->items, out->count + 1, sizeof *items);
        if (items) {
            out->items = items;
            items[out->count++] = candidate;
            return CS_OK;
        }
        status = cs_fail(error, CS_E_NO_MEMORY, "find CUDA", NULL, NULL);
    }
    candidate_free(&candidate);
    return status;
}

static cs_status add_value(const cs_host *host, const char *cuda, cs_toolkit_source source, const char *key, const char *name,
                           cs_toolkits *out, cs_error *error) {
    cs_variables machine = {host, false};
    cs_buffer text = {0};
    bool present;
    cs_status status = cs_variables_read(&machine, CS_HKLM, key, name, &text, &present, error);
    if (status == CS_OK && present) status = add(host, cuda, source, cs_buffer_string(&text), out, error);
    cs_buffer_free(&text);
    return status;
}

static cs_status add_default(const cs_host *host, const char *cuda, cs_toolkits *out, cs_error *error) {
    cs_buffer folder = {0}, relative = {0}, path = {0};
    cs_status status = host->system->folder(host->system->ctx, CS_FOLDER_PROGRAM_FILES, &folder, error);
    cs_buffer_format(&relative, "NVIDIA GPU Computing Toolkit/CUDA/v%s", cuda);
    if (status == CS_OK) status = cs_buffer_check(&relative, error);
    if (status == CS_OK) status = cs_path_join(&path, host->fs->separator, folder.data, relative.data, error);
    if (status == CS_OK) status = add(host, cuda, CS_TOOLKIT_DEFAULT, path.data, out, error);
    cs_buffer_free(&folder);
    cs_buffer_free(&relative);
    cs_buffer_free(&path);
    return status;
}

/* The places that CUDA's installer writes, surest first: CUDA_PATH follows whichever toolkit came last. */
static cs_status add_machine(const cs_host *host, const char *cuda, cs_toolkits *out, cs_error *error) {
    char name[32], key[128];
    snprintf(name, sizeof name, "CUDA_PATH_V%s", cuda);
    for (char *p = name; *p; p++)
        if (*p == '.') *p = '_';
    snprintf(key, sizeof key, "%s\\v%s", CS_KEY_CUDA, cuda);
    cs_status status = add_value(host, cuda, CS_TOOLKIT_CUDA_PATH_V, CS_KEY_ENVIRONMENT, name, out, error);
    if (status == CS_OK) status = add_value(host, cuda, CS_TOOLKIT_REGISTRY_KEY, key, "InstallDir", out, error);
    if (status == CS_OK) status = add_value(host, cuda, CS_TOOLKIT_CUDA_PATH, CS_KEY_ENVIRONMENT, "CUDA_PATH", out, error);
    if (status == CS_OK) status = add_default(host, cuda, out, error);
    return status;
}

cs_status cs_toolkit_detect(const cs_host *host, const char *cuda, const char *option, cs_toolkits *out, cs_error *error) {
    *out = (cs_toolkits){0};
    cs_status status = option ? add(host, cuda, CS_TOOLKIT_OPTION, option, out, error) : add_machine(host, cuda, out, error);
    if (status != CS_OK) {
        cs_toolkits_free(out);
        return status;
    }
    while (out->chosen < out->count && !out->items[out->chosen].usable) out->chosen++;
    if (out->chosen < out->count) cs_toolkit_warn(host, &out->items[out->chosen]);
    return CS_OK;
}

void cs_toolkits_explain(const cs_toolkits *toolkits, cs_buffer *out) {
    for (size_t i = 0; i < toolkits->count; i++) {
        const cs_toolkit_candidate *candidate = &toolkits->items[i];
        const char *what = i == toolkits->chosen ? "taken" : candidate->usable ? "usable, but not first" : "not usable";
        const char *source = cs_toolkit_source_text(candidate->source);
        cs_buffer path = {0}, reason = {0};
        cs_text_visible(&path, candidate->path);
        cs_text_visible(&reason, candidate->reason);
        if (path.size)
            cs_buffer_format(out, "  %s (%s): %s, %s", path.data, source, what, cs_buffer_string(&reason));
        else
            cs_buffer_format(out, "  %s: %s, %s", source, what, cs_buffer_string(&reason));
        if (path.failed || reason.failed) out->failed = true;
        cs_buffer_free(&path);
        cs_buffer_free(&reason);
        if (candidate->usable && !candidate->trusted) {
            cs_buffer_text(out, ", and not trusted, because ");
            cs_text_visible(out, candidate->untrusted_why ? candidate->untrusted_why : "");
        }
        cs_buffer_text(out, "\n");
    }
    if (!toolkits->count) cs_buffer_text(out, "  no place names a CUDA toolkit");
    if (!toolkits->count) cs_buffer_text(out, "\n");
}
