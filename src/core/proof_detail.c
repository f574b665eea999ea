#include "cudnn_setup/proof_detail.h"

#include <string.h>

#include "cudnn_setup/text.h"

static void forget_calls(cs_proof_detail *detail) {
    for (size_t i = 0; i < detail->call_count; i++) {
        cs_proof_call *call = &detail->calls[i];
        char *const texts[] = {call->operation, call->shape, call->type, call->algorithm,
                               call->outcome,   call->error, call->limit};
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) cs_free(texts[t]);
    }
    cs_free(detail->calls);
    detail->calls = NULL;
    detail->call_count = 0;
}

void cs_proof_detail_free(cs_proof_detail *detail) {
    if (!detail) return;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_free(&detail->loading.sentence[i]);
        cs_buffer_free(&detail->gpu.sentence[i]);
    }
    forget_calls(detail);
    char *const texts[] = {detail->driver, detail->device, detail->capability, detail->visible_devices};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) cs_free(texts[t]);
    cs_free(detail);
}

void cs_proof_stage_set(cs_proof_stage *stage, cs_gpu_verdict verdict, const cs_facts *facts) {
    stage->known = true;
    stage->verdict = verdict;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_clear(&stage->sentence[i]);
        cs_verdict_say(verdict, (cs_language)i, facts, &stage->sentence[i]);
    }
}

void cs_proof_stage_text(const cs_proof_stage *stage, cs_language language, cs_buffer *out) {
    static const char *const words[][CS_LANGUAGE_COUNT] = {[CS_VERDICT_PASSED] = {"passed: ", "通过："},
                                                           [CS_VERDICT_SKIPPED] = {"skipped: ", "已跳过："},
                                                           [CS_VERDICT_UNFIT] = {"skipped: ", "已跳过："},
                                                           [CS_VERDICT_FAILED] = {"failed: ", "失败："}};
    cs_buffer_text(out, words[cs_verdict_kind_of(stage->verdict)][language]);
    cs_buffer_text(out, cs_buffer_string(&stage->sentence[language]));
}

/* ---- reading the probe's answer ---- */

enum { MAX_TEXT = 4096, MAX_CALLS = 4096, MAX_ANSWER = 1024 * 1024 };

static char *maybe_text(const cs_json_at *object, const char *key) {
    cs_json_at at = cs_json_maybe(object, key);
    return at.node ? cs_json_text_copy(at, 0, MAX_TEXT) : NULL;
}

static uint64_t maybe_number(const cs_json_at *object, const char *key) {
    cs_json_at at = cs_json_maybe(object, key);
    return at.node ? cs_json_uint(at, CS_JSON_MAX_UINT) : 0;
}

static void read_call(const cs_json_at *item, cs_proof_call *call) {
    call->operation = cs_json_text_copy(cs_json_get(item, "operation"), 1, MAX_TEXT);
    call->shape = cs_json_text_copy(cs_json_get(item, "shape"), 0, MAX_TEXT);
    call->type = cs_json_text_copy(cs_json_get(item, "type"), 1, MAX_TEXT);
    call->algorithm = cs_json_text_copy(cs_json_get(item, "algorithm"), 0, MAX_TEXT);
    call->outcome = cs_json_text_copy(cs_json_get(item, "outcome"), 1, MAX_TEXT);
    call->error = maybe_text(item, "error");
    call->limit = maybe_text(item, "limit");
    call->workspace = maybe_number(item, "workspace");
    call->first_ns = maybe_number(item, "first_ns");
    call->later_ns = maybe_number(item, "later_ns");
}

static void read_calls(const cs_json_at *gpu, cs_proof_detail *detail) {
    cs_json_at runs = cs_json_get(gpu, "runs");
    size_t count = cs_json_count(&runs, 0, MAX_CALLS);
    detail->calls = count ? cs_alloc(count, sizeof *detail->calls) : NULL;
    if (count && !detail->calls) cs_json_no_memory(gpu->reader);
    for (cs_json_at item = {0}; detail->call_count < count && cs_json_each(&runs, &item);)
        read_call(&item, &detail->calls[detail->call_count++]);
}

/* The device that was used; of a machine where none could be, the first. */
static void read_device(const cs_json_at *gpu, cs_proof_detail *detail) {
    cs_json_at devices = cs_json_get(gpu, "devices");
    cs_json_count(&devices, 0, MAX_CALLS);
    for (cs_json_at item = {0}; cs_json_each(&devices, &item);) {
        bool used = cs_json_bool(cs_json_get(&item, "used"));
        if (detail->device && !used) continue;
        cs_free(detail->device);
        cs_free(detail->capability);
        detail->device = cs_json_text_copy(cs_json_get(&item, "name"), 0, MAX_TEXT);
        detail->capability = cs_json_text_copy(cs_json_get(&item, "capability"), 1, MAX_TEXT);
        detail->memory_free = maybe_number(&item, "memory_free");
        detail->memory_total = maybe_number(&item, "memory_total");
        if (used) return;
    }
}

static void read_sentence(const cs_json_at *gpu, const char *key, cs_buffer *out) {
    cs_buffer_clear(out);
    cs_buffer_text(out, cs_json_text(cs_json_get(gpu, key), 1, MAX_TEXT));
}

static void read_gpu(const cs_json_at *gpu, cs_proof_detail *detail) {
    cs_json_at name = cs_json_get(gpu, "verdict"), versions = cs_json_get(gpu, "versions");
    detail->gpu.known = true;
    if (!cs_gpu_verdict_of_name(cs_json_text(name, 1, MAX_TEXT), &detail->gpu.verdict))
        cs_json_bad(&name, "no such verdict is known");
    read_sentence(gpu, "sentence", &detail->gpu.sentence[CS_ENGLISH]);
    read_sentence(gpu, "chinese", &detail->gpu.sentence[CS_CHINESE]);
    detail->cudnn = maybe_number(&versions, "cudnn");
    detail->built_for = maybe_number(&versions, "cudnn_built_for");
    detail->runtime = maybe_number(&versions, "runtime");
    detail->driver_cuda = maybe_number(&versions, "driver_cuda");
    detail->driver = maybe_text(&versions, "driver");
    detail->visible_devices = maybe_text(gpu, "visible_devices");
    read_device(gpu, detail);
    read_calls(gpu, detail);
}

bool cs_proof_read_gpu(const char *bytes, size_t size, cs_proof_detail *detail) {
    const cs_json_limits limits = {.max_bytes = MAX_ANSWER, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_error error = {0};
    cs_json_reader reader = {.name = "the probe's answer", .error = &error};
    if (cs_json_parse("the probe's answer", bytes, size, &limits, &json, &error) == CS_OK) {
        cs_json_at root = cs_json_root(&reader, json), gpu = cs_json_get(&root, "gpu");
        read_gpu(&gpu, detail);
    }
    cs_json_free(json);
    if (json && reader.status == CS_OK) return true;
    forget_calls(detail); /* the last one may be half read */
    cs_facts facts = {0};
    cs_facts_set(&facts, CS_FACT_CULPRIT, "%s", error.detail);
    cs_proof_stage_set(&detail->gpu, CS_GPU_NO_ANSWER, &facts);
    cs_facts_free(&facts);
    return false;
}

/* ---- the /json result ---- */

static void put_known(cs_json_writer *json, const char *key, const char *text) {
    if (text) cs_json_put_text(json, key, text);
}

static void put_number(cs_json_writer *json, const char *key, uint64_t value) {
    if (value) cs_json_put_uint(json, key, value);
}

static void put_machine(cs_json_writer *json, const cs_proof_detail *detail) {
    cs_json_begin(json, "machine", '{');
    put_known(json, "device", detail->device);
    put_known(json, "capability", detail->capability);
    put_number(json, "memory_free", detail->memory_free);
    put_number(json, "memory_total", detail->memory_total);
    put_known(json, "driver", detail->driver);
    put_number(json, "driver_cuda", detail->driver_cuda);
    put_number(json, "runtime", detail->runtime);
    put_number(json, "cudnn", detail->cudnn);
    put_number(json, "cudnn_built_for", detail->built_for);
    put_known(json, "visible_devices", detail->visible_devices);
    cs_json_end(json, '}');
}

static void put_call(cs_json_writer *json, const cs_proof_call *call) {
    cs_json_begin_line(json, NULL, '{');
    cs_json_put_text(json, "operation", call->operation);
    cs_json_put_text(json, "shape", call->shape);
    cs_json_put_text(json, "type", call->type);
    cs_json_put_text(json, "algorithm", call->algorithm);
    cs_json_put_text(json, "outcome", call->outcome);
    put_known(json, "error", call->error);
    put_known(json, "limit", call->limit);
    put_number(json, "first_ns", call->first_ns);
    put_number(json, "later_ns", call->later_ns);
    cs_json_end(json, '}');
}

void cs_proof_put_json(cs_json_writer *json, const cs_proof_detail *detail) {
    if (!detail) return;
    cs_json_begin(json, "verdicts", '{');
    if (detail->loading.known) cs_json_put_text(json, "loading", cs_gpu_verdict_name(detail->loading.verdict));
    if (detail->gpu.known) cs_json_put_text(json, "gpu", cs_gpu_verdict_name(detail->gpu.verdict));
    cs_json_end(json, '}');
    if (!detail->runtime && !detail->cudnn) return; /* nothing was tried on the GPU */
    put_machine(json, detail);
    cs_json_begin(json, "calls", '[');
    for (size_t i = 0; i < detail->call_count; i++) put_call(json, &detail->calls[i]);
    cs_json_end(json, ']');
}
