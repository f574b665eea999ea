/* proof_probe.c: stages 2 and 3: cudnn-probe.exe in a process of its own for each, and what its answer and its end say. */
#include <inttypes.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/programs.h"
#include "proof_internal.h"

/* ---- the answer of stage 2 ---- */

/* "" where it is absent or null. */
static const char *text_or_empty(const cs_json_at *object, const char *key) {
    cs_json_reader lenient = {.name = "probe"};
    cs_json_at at = cs_json_maybe(object, key);
    if (!at.node) return "";
    at.reader = &lenient;
    const char *text = cs_json_text(at, 0, 4096);
    return lenient.status == CS_OK ? text : "";
}

static bool in_folder(const cs_fs *fs, const char *path, const char *folder) {
    cs_buffer parent = {0};
    bool inside = cs_path_parent(&parent, path, NULL) == CS_OK && parent.size && proof_same_folder(fs, parent.data, folder);
    cs_buffer_free(&parent);
    return inside;
}

static void judge_modules(const cs_fs *fs, const cs_json_at *root, uint32_t wanted, const char *bin, cs_proof_stage *stage) {
    cs_json_at modules = cs_json_maybe(root, "modules");
    cs_facts facts = {0};
    size_t ours = 0;
    cs_buffer elsewhere = {0};
    if (modules.node)
        for (cs_json_at item = {0}; cs_json_each(&modules, &item);) {
            const char *name = text_or_empty(&item, "name"), *path = text_or_empty(&item, "path");
            if (!cs_text_starts_with(name, "cudnn")) continue;
            if (in_folder(fs, path, bin))
                ours++;
            else if (!elsewhere.size)
                cs_buffer_text(&elsewhere, path);
        }
    uint64_t version = cs_json_uint(cs_json_get(root, "cudnn_version"), UINT32_MAX);
    cs_facts_set(&facts, CS_FACT_CULPRIT, "%s", elsewhere.size ? elsewhere.data : "it names no module of cuDNN");
    cs_facts_set(&facts, CS_FACT_VERSION, "%" PRIu64, version);
    cs_facts_set(&facts, CS_FACT_WANTED, "%" PRIu32, wanted);
    cs_facts_set(&facts, CS_FACT_PARTS, "%zu", ours);
    cs_facts_set(&facts, CS_FACT_FOLDER, "%s", bin);
    cs_proof_stage_set(stage,
                       elsewhere.size      ? CS_GPU_LOADED_ELSEWHERE
                       : version != wanted ? CS_GPU_OTHER_VERSION
                       : !ours             ? CS_GPU_NO_ANSWER
                                           : CS_GPU_LOADED,
                       &facts);
    cs_buffer_free(&elsewhere);
    cs_facts_free(&facts);
}

/* The probe's own words: it saw the files. Without a verdict that is known here its sentence is all there is. */
static void take_words(const cs_json_at *root, cs_proof_stage *stage) {
    const char *const sentences[] = {text_or_empty(root, "error"), text_or_empty(root, "chinese")};
    stage->known = true;
    if (!cs_gpu_verdict_of_name(text_or_empty(root, "verdict"), &stage->verdict) ||
        cs_verdict_kind_of(stage->verdict) != CS_VERDICT_FAILED)
        stage->verdict = CS_GPU_NOT_LOADED;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_clear(&stage->sentence[i]);
        cs_buffer_text(&stage->sentence[i], *sentences[i] ? sentences[i] : sentences[CS_ENGLISH]);
    }
}

bool cs_proof_read_probe(const cs_fs *fs, const char *bytes, size_t size, uint32_t wanted, const char *bin_path,
                         cs_proof_stage *stage) {
    const cs_json_limits limits = {.max_bytes = 1024 * 1024, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_error error = {0};
    cs_json_reader reader = {.name = "the probe's answer", .error = &error};
    bool told = false;
    if (cs_json_parse("the probe's answer", bytes, size, &limits, &json, &error) == CS_OK) {
        cs_json_at root = cs_json_root(&reader, json);
        told = *text_or_empty(&root, "error");
        if (told)
            take_words(&root, stage);
        else
            judge_modules(fs, &root, wanted, bin_path, stage);
    }
    if (!json || (reader.status != CS_OK && !told)) {
        cs_facts facts = {0};
        cs_facts_set(&facts, CS_FACT_CULPRIT, "%s", error.detail);
        cs_proof_stage_set(stage, CS_GPU_NO_ANSWER, &facts);
        cs_facts_free(&facts);
    }
    cs_json_free(json);
    return stage->verdict == CS_GPU_LOADED;
}

/* ---- the process ---- */

/* An elevated run starts the probe in another account, whose own values nobody here knows. */
static bool is_own_account(const cs_run *run) {
    return run->options->selftest_as_current || !run->host->system->is_administrator(run->host->system->ctx);
}

static cs_status find_probe(cs_run *run, cs_buffer *program, cs_error *error) {
    cs_status status = cs_programs_path(&run->session, CS_PROGRAM_NAME_PROBE, program, error);
    if (status == CS_OK && !cs_fs_exists(run->host->fs, program->data))
        status = cs_fail(error, CS_E_NOT_FOUND, "run", program->data, NULL);
    return status;
}

static cs_status run_probe(cs_run *run, bool gpu, cs_child_result *result, cs_error *error) {
    const cs_host *host = run->host;
    const bool current = run->options->selftest_as_current;
    const char *arguments[2];
    size_t count = 0;
    cs_strings environment = {0};
    cs_buffer program = {0};
    if (gpu) arguments[count++] = "/stage:gpu";
    if (current) arguments[count++] = "/selftest-as:current";
    cs_status status = find_probe(run, &program, error);
    if (status == CS_OK) status = cs_environment_for_child(host, is_own_account(run), &environment, error);
    if (status == CS_OK) {
        const cs_child child = {.program = program.data,
                                .arguments = arguments,
                                .argument_count = count,
                                .environment = (const char *const *)environment.items,
                                .environment_count = environment.count,
                                .deadline_ms = CS_PROOF_DEADLINE_MS,
                                .as_current = current};
        status = host->system->run(host->system->ctx, &child, result, error);
    }
    cs_strings_free(&environment);
    cs_buffer_free(&program);
    return status;
}

/* The exit code of a process that ended by an exception, or that a library ended as cuDNN does when a part does not fit.
 * Source: Microsoft, "NTSTATUS Values": errors begin with binary 11. */
static bool is_exception(uint32_t code) { return code >> 30 == 3; }
static const uint32_t fail_fast = 0xC0000409; /* STATUS_STACK_BUFFER_OVERRUN, which is what abort and fail-fast end with */

/* What the process's end alone says; false where its answer has to be read. */
static bool judge_end(cs_status status, const cs_child_result *result, cs_proof_stage *stage) {
    cs_facts facts = {0};
    bool told = true;
    cs_gpu_verdict verdict = CS_GPU_NO_ANSWER;
    cs_facts_set(&facts, CS_FACT_SECONDS, "%d", CS_PROOF_DEADLINE_MS / 1000);
    cs_facts_set(&facts, CS_FACT_CODE, "0x%08" PRIX32, result->exit_code);
    if (status != CS_OK) {
        cs_facts_set(&facts, CS_FACT_CULPRIT, "%s", cs_status_text(status));
        verdict = CS_GPU_NOT_RUN;
    } else if (result->refused) {
        verdict = CS_GPU_NO_ACCOUNT;
    } else if (result->timed_out) {
        verdict = CS_GPU_HUNG;
    } else if (result->exit_code == CS_PROOF_PROBE_REFUSED) {
        verdict = CS_GPU_REFUSED;
    } else if (is_exception(result->exit_code)) {
        verdict = result->exit_code == fail_fast ? CS_GPU_GAVE_UP : CS_GPU_CRASHED;
    } else {
        told = false;
    }
    if (told) cs_proof_stage_set(stage, verdict, &facts);
    cs_facts_free(&facts);
    return told;
}

/* Tells what came of a stage; false if it failed. */
static bool tell(cs_run *run, const char *name, const cs_proof_stage *stage, const char *account, char **slot) {
    cs_buffer text = {0};
    cs_verdict_kind kind = cs_verdict_kind_of(stage->verdict);
    bool warn = kind == CS_VERDICT_FAILED || kind == CS_VERDICT_UNFIT;
    const char *advice = cs_verdict_advice(stage->verdict, CS_ENGLISH);
    cs_proof_stage_text(stage, CS_ENGLISH, &text);
    if (account && text.size && text.data[text.size - 1] == '.') text.data[--text.size] = '\0';
    if (account) cs_buffer_format(&text, " (as %s%s)", account, is_own_account(run) ? "" : ", machine values only");
    proof_keep(slot, &text);
    cs_emit(run->host->events, warn ? CS_EVENT_WARNING : CS_EVENT_NOTE, "proof", "%s: %s%s%s", name, cs_buffer_string(&text),
            warn && *advice ? " " : "", warn ? advice : "");
    cs_buffer_free(&text);
    return kind != CS_VERDICT_FAILED;
}

static cs_proof_detail *detail_of(cs_run *run) {
    if (!run->outcome->proof) run->outcome->proof = cs_alloc(1, sizeof *run->outcome->proof);
    return run->outcome->proof;
}

/* ---- the stages ---- */

bool proof_load(cs_run *run, const char *bin, const cs_receipt *receipt, bool *loaded) {
    cs_proof_detail *detail = detail_of(run);
    cs_child_result result = {0};
    cs_error error = {0};
    if (!detail) return true;
    if (run->options->selftest_as_current)
        cs_emit(run->host->events, CS_EVENT_WARNING, "proof.as-current",
                "/selftest-as:current: the proof loads what PATH names with this account's rights.");
    cs_status status = run->host->registry ? run_probe(run, false, &result, &error) : CS_E_UNSUPPORTED;
    if (!judge_end(status, &result, &detail->loading))
        cs_proof_read_probe(run->host->fs, cs_buffer_string(&result.output), result.output.size, receipt->cudnn_version, bin,
                            &detail->loading);
    if (detail->loading.verdict == CS_GPU_NO_ACCOUNT || detail->loading.verdict == CS_GPU_REFUSED)
        proof_look(run, receipt, &detail->loading);
    bool ran = status == CS_OK && !result.refused;
    bool passed = tell(run, "Proof 2, loading", &detail->loading, ran ? result.account : NULL, &run->outcome->proof_loading);
    *loaded = detail->loading.verdict == CS_GPU_LOADED;
    cs_buffer_free(&result.output);
    return passed;
}

/* A package that is called a sample never says that a GPU works, whatever its library is. */
static void call_it_a_sample(cs_proof_detail *detail, const cs_receipt *receipt) {
    if (!receipt->trust.sample || detail->gpu.verdict != CS_GPU_PASSED) return;
    detail->gpu.verdict = CS_GPU_SAMPLE;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_clear(&detail->gpu.sentence[i]);
        cs_buffer_text(&detail->gpu.sentence[i], i == CS_ENGLISH ? "this package is a sample" : "这是示例软件包");
    }
}

static void log_calls(const cs_events *events, const cs_proof_detail *detail) {
    for (size_t i = 0; i < detail->call_count; i++) {
        const cs_proof_call *c = &detail->calls[i];
        cs_emit(events, CS_EVENT_DETAIL, "proof.call",
                "%s, %s, %s, %s: %s, error %s, limit %s, first %" PRIu64 " us, later %" PRIu64 " us", c->operation, c->shape,
                c->type, c->algorithm, c->outcome, c->error ? c->error : "-", c->limit ? c->limit : "-", c->first_ns / 1000,
                c->later_ns / 1000);
    }
}

bool proof_compute(cs_run *run, const cs_receipt *receipt) {
    cs_proof_detail *detail = run->outcome->proof;
    cs_child_result result = {0};
    cs_error error = {0};
    cs_status status = run_probe(run, true, &result, &error);
    if (!judge_end(status, &result, &detail->gpu) &&
        cs_proof_read_gpu(cs_buffer_string(&result.output), result.output.size, detail))
        call_it_a_sample(detail, receipt);
    log_calls(run->host->events, detail);
    bool ran = status == CS_OK && !result.refused;
    bool passed = tell(run, "Proof 3, GPU", &detail->gpu, ran ? result.account : NULL, &run->outcome->proof_gpu);
    cs_buffer_free(&result.output);
    return passed;
}
