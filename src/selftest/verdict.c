/* verdict.c: the table of verdicts read, and its sentences filled in. */
#include "cudnn_setup/verdict.h"

#include <stdarg.h>
#include <string.h>

#include "verdict_table.h"

static const char *const fact_names[CS_FACT_COUNT] = {
    [CS_FACT_DEVICE] = "device",       [CS_FACT_CAPABILITY] = "capability",
    [CS_FACT_FREE] = "free",           [CS_FACT_TOTAL] = "total",
    [CS_FACT_DRIVER] = "driver",       [CS_FACT_DRIVER_CUDA] = "driver_cuda",
    [CS_FACT_RUNTIME] = "runtime",     [CS_FACT_DRIVER_NEEDED] = "driver_needed",
    [CS_FACT_BUILT_FOR] = "built_for", [CS_FACT_RUNTIME_PATH] = "runtime_path",
    [CS_FACT_VISIBLE] = "visible",     [CS_FACT_CULPRIT] = "culprit",
    [CS_FACT_NEEDED_BY] = "needed_by", [CS_FACT_CODE] = "code",
    [CS_FACT_STATUS] = "status",       [CS_FACT_COUNT_RIGHT] = "right",
    [CS_FACT_PERCENT] = "percent",     [CS_FACT_RUN] = "run",
    [CS_FACT_OUTCOME] = "outcome",     [CS_FACT_ERROR] = "error",
    [CS_FACT_LIMIT] = "limit",         [CS_FACT_COUNT_WRONG] = "wrong",
    [CS_FACT_COUNT_RUNS] = "runs",     [CS_FACT_FOLDER] = "folder",
    [CS_FACT_PARTS] = "parts",         [CS_FACT_VERSION] = "version",
    [CS_FACT_FUNCTION] = "function",   [CS_FACT_WANTED] = "wanted",
    [CS_FACT_SECONDS] = "seconds",
};

static const char *const blame_names[] = {[CS_GPU_BLAME_NOBODY] = "nobody",
                                          [CS_GPU_BLAME_INSTALLATION] = "installation",
                                          [CS_GPU_BLAME_MACHINE] = "machine",
                                          [CS_GPU_BLAME_UNKNOWN] = "unknown"};

static bool is_known(cs_gpu_verdict verdict) { return (unsigned)verdict < CS_GPU_VERDICT_COUNT; }

const char *cs_gpu_verdict_name(cs_gpu_verdict verdict) { return is_known(verdict) ? verdict_rows[verdict].name : "unknown"; }

bool cs_gpu_verdict_of_name(const char *name, cs_gpu_verdict *out) {
    for (int i = 0; i < CS_GPU_VERDICT_COUNT; i++)
        if (strcmp(verdict_rows[i].name, name) == 0) {
            *out = (cs_gpu_verdict)i;
            return true;
        }
    return false;
}

cs_gpu_blame cs_gpu_blame_of(cs_gpu_verdict verdict) {
    return is_known(verdict) ? verdict_rows[verdict].blame : CS_GPU_BLAME_UNKNOWN;
}

const char *cs_gpu_blame_name(cs_gpu_blame blame) { return blame_names[blame]; }

cs_verdict_kind cs_verdict_kind_of(cs_gpu_verdict verdict) {
    return is_known(verdict) ? verdict_rows[verdict].kind : CS_VERDICT_FAILED;
}

const char *cs_verdict_pattern(cs_gpu_verdict verdict, cs_language language) {
    return is_known(verdict) ? verdict_rows[verdict].sentence[language] : "";
}

const char *cs_verdict_advice(cs_gpu_verdict verdict, cs_language language) {
    return is_known(verdict) ? verdict_rows[verdict].advice[language] : "";
}

const char *cs_fact_name(cs_fact fact) { return fact_names[fact]; }

/* ---- facts ---- */

void cs_facts_set(cs_facts *facts, cs_fact fact, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    cs_buffer_clear(&facts->values[fact]);
    cs_buffer_vformat(&facts->values[fact], format, arguments);
    va_end(arguments);
}

void cs_facts_free(cs_facts *facts) {
    for (int i = 0; i < CS_FACT_COUNT; i++) cs_buffer_free(&facts->values[i]);
}

/* The fact that {...} at `at` names, and the end of that; "" for none. */
static const char *fact_at(const cs_facts *facts, const char *at, const char **end) {
    const char *name = at + 1, *close = strchr(at, '}');
    *end = close ? close + 1 : at + strlen(at);
    if (!close || !facts) return "";
    size_t size = (size_t)(close - name);
    for (int i = 0; i < CS_FACT_COUNT; i++)
        if (strlen(fact_names[i]) == size && memcmp(fact_names[i], name, size) == 0) return cs_buffer_string(&facts->values[i]);
    return "";
}

/* All facts of a part in brackets are known. */
static bool is_complete(const cs_facts *facts, const char *at, const char *stop) {
    for (const char *end; at < stop; at = end) {
        end = at + 1;
        if (*at == '{' && !*fact_at(facts, at, &end)) return false;
    }
    return true;
}

void cs_verdict_say(cs_gpu_verdict verdict, cs_language language, const cs_facts *facts, cs_buffer *out) {
    for (const char *at = cs_verdict_pattern(verdict, language), *end; *at; at = end) {
        end = at + 1;
        if (*at == '[') {
            const char *close = strchr(at, ']');
            if (close && !is_complete(facts, at, close)) end = close + 1;
        } else if (*at == '{') {
            cs_buffer_text(out, fact_at(facts, at, &end));
        } else if (*at != ']') {
            cs_buffer_append(out, at, 1);
        }
    }
}
