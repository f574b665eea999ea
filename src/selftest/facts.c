/* facts.c: what the sentence about a test may speak of. */
#include <inttypes.h>

#include "gpu.h"

static const char *const outcomes[CS_GPU_OUTCOME_COUNT] = {
    [CS_GPU_RIGHT] = "right",         [CS_GPU_UNSUPPORTED] = "unsupported",
    [CS_GPU_NO_ROOM] = "no-room",     [CS_GPU_LACKING] = "lacking",
    [CS_GPU_WRONG] = "wrong",         [CS_GPU_NOT_A_NUMBER] = "not-a-number",
    [CS_GPU_UNTOUCHED] = "untouched", [CS_GPU_OVERRUN] = "overrun",
    [CS_GPU_FAILED] = "failed",
};

const char *cs_gpu_outcome_name(cs_gpu_outcome outcome) {
    return (unsigned)outcome < CS_GPU_OUTCOME_COUNT ? outcomes[outcome] : "unknown";
}

/* CUDA's numbers are 1000 * major + 10 * minor. */
static void set_cuda(cs_facts *facts, cs_fact fact, uint64_t version) {
    cs_facts_set(facts, fact, "CUDA %" PRIu64 ".%" PRIu64, version / 1000, version % 1000 / 10);
}

/* What a fact says in words where nothing has a name of its own. */
typedef enum word { A_GPU, A_CALL, ANY_SHAPE, NOT_A_NUMBER, UNTOUCHED, OVERRUN, DIFFERS, WORD_COUNT } word;

static const char *const words[WORD_COUNT][CS_LANGUAGE_COUNT] = {
    [A_GPU] = {"the GPU", "该 GPU"},
    [A_CALL] = {"A call", "某个调用"},
    [ANY_SHAPE] = {"any shape", "任何形状"},
    [NOT_A_NUMBER] = {"is not a number in places", "部分结果不是数"},
    [UNTOUCHED] = {"was not written completely", "结果没有写全"},
    [OVERRUN] = {"went past the end of its memory", "写到了所给内存之外"},
    [DIFFERS] = {"differs from the reference", "与参考结果不符"},
};

/* Of the device that a sentence is about: the one used, else the first. */
static void set_device(const cs_gpu_report *s, cs_language language, cs_facts *facts) {
    const cs_gpu_device *device = s->device_count ? &s->devices[s->device >= 0 ? s->device : 0] : NULL;
    cs_facts_set(facts, CS_FACT_DEVICE, "%s", device && device->name[0] ? device->name : words[A_GPU][language]);
    if (!device) return;
    cs_facts_set(facts, CS_FACT_CAPABILITY, "%d.%d", device->major, device->minor);
    if (!device->memory_total) return;
    cs_facts_set(facts, CS_FACT_FREE, "%" PRIu64, device->memory_free >> 20);
    cs_facts_set(facts, CS_FACT_TOTAL, "%" PRIu64, device->memory_total >> 20);
}

static void set_versions(const cs_gpu_report *s, cs_facts *facts) {
    set_cuda(facts, CS_FACT_DRIVER_CUDA, s->driver_cuda > 0 ? (uint64_t)s->driver_cuda : 0);
    set_cuda(facts, CS_FACT_RUNTIME, s->runtime_version > 0 ? (uint64_t)s->runtime_version : 0);
    set_cuda(facts, CS_FACT_BUILT_FOR, s->cudnn_built_for);
    cs_facts_set(facts, CS_FACT_RUNTIME_PATH, "%s", cs_buffer_string(&s->runtime_path));
    if (s->driver_version) cs_facts_set(facts, CS_FACT_DRIVER, "%s", s->driver_version);
    if (s->visible_devices) cs_facts_set(facts, CS_FACT_VISIBLE, "%s", s->visible_devices);
    /* NVIDIA, CUDA Toolkit release notes, table of driver versions: 10.1 (10.1.105) */
    if (s->runtime_version == 10010) cs_facts_set(facts, CS_FACT_DRIVER_NEEDED, "418.96");
}

static word word_of(cs_gpu_outcome outcome) {
    switch (outcome) {
    case CS_GPU_NOT_A_NUMBER:
        return NOT_A_NUMBER;
    case CS_GPU_UNTOUCHED:
        return UNTOUCHED;
    case CS_GPU_OVERRUN:
        return OVERRUN;
    default:
        return DIFFERS;
    }
}

static void set_wrong(const cs_gpu_run *first, cs_language language, size_t wrong, size_t count, cs_facts *facts) {
    cs_facts_set(facts, CS_FACT_RUN, "%s (%s%s%s, %s)", first->operation, first->shape, first->algorithm[0] ? ", " : "",
                 first->algorithm, first->type == CS_GPU_FP16 ? "fp16" : "fp32");
    cs_facts_set(facts, CS_FACT_OUTCOME, "%s", words[word_of(first->outcome)][language]);
    cs_facts_set(facts, CS_FACT_ERROR, "%.3g", first->error);
    cs_facts_set(facts, CS_FACT_LIMIT, "%.3g", first->limit);
    cs_facts_set(facts, CS_FACT_COUNT_WRONG, "%zu", wrong);
    cs_facts_set(facts, CS_FACT_COUNT_RUNS, "%zu", count);
}

static void set_runs(const cs_gpu_report *s, cs_language language, cs_facts *facts) {
    const cs_gpu_run *first = NULL;
    size_t right = 0, wrong = 0;
    double worst = 0;
    for (size_t i = 0; i < s->run_count; i++) {
        const cs_gpu_run *run = &s->runs[i];
        if (run->outcome >= CS_GPU_WRONG) {
            if (!first) first = run;
            wrong++;
        } else if (run->outcome == CS_GPU_RIGHT) {
            right++;
            if (run->error / run->limit > worst) worst = run->error / run->limit;
        }
    }
    cs_facts_set(facts, CS_FACT_COUNT_RIGHT, "%zu", right);
    cs_facts_set(facts, CS_FACT_PERCENT, "%.0f", worst * 100);
    if (first) set_wrong(first, language, wrong, s->run_count, facts);
}

/* A wrong result is told by its call; what is to blame is known only where there was no call. */
static void set_culprit(const cs_gpu_report *s, cs_language language, cs_facts *facts) {
    const char *culprit = cs_buffer_string(&s->culprit);
    bool told_by_call = s->verdict == CS_GPU_WRONG_RESULT && facts->values[CS_FACT_RUN].size;
    if (!*culprit && s->verdict == CS_GPU_EXECUTION_FAILED) culprit = words[A_CALL][language];
    if (!*culprit && s->verdict == CS_GPU_NO_ALGORITHM) culprit = words[ANY_SHAPE][language];
    cs_facts_set(facts, CS_FACT_CULPRIT, "%s", told_by_call ? "" : culprit);
    cs_facts_set(facts, CS_FACT_STATUS, "%d", s->status);
    if (s->system) cs_facts_set(facts, CS_FACT_CODE, "%" PRIu32, s->system);
}

static void set_all(const cs_gpu_report *selftest, cs_language language, cs_facts *facts) {
    set_device(selftest, language, facts);
    set_versions(selftest, facts);
    set_runs(selftest, language, facts);
    set_culprit(selftest, language, facts);
}

void gpu_say(cs_gpu_report *out) {
    cs_buffer *sentences[CS_LANGUAGE_COUNT] = {[CS_ENGLISH] = &out->sentence, [CS_CHINESE] = &out->chinese};
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_facts facts = {0};
        set_all(out, (cs_language)i, &facts);
        cs_verdict_say(out->verdict, (cs_language)i, &facts, sentences[i]);
        cs_facts_free(&facts);
    }
}
