#include "cudnn_setup/proof.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/environment.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/search_order.h"

static void keep(char **slot, const cs_buffer *text) {
    cs_free(*slot);
    *slot = cs_strdup(cs_buffer_string(text));
}

static bool tell(cs_run *run, const char *stage, char **slot, const cs_buffer *text) {
    bool failed = cs_text_starts_with(cs_buffer_string(text), "failed");
    keep(slot, text);
    cs_emit(run->host->events, failed ? CS_EVENT_WARNING : CS_EVENT_NOTE, "proof", "%s: %s", stage, cs_buffer_string(text));
    return !failed;
}

/* ---- stage 1: files ---- */

static bool is_library(const cs_receipt_row *row) {
    return cs_text_starts_with(row->target, "bin/") && cs_text_ends_with_ascii_case(row->target, ".dll");
}

/* What stands at the end of every link on the way. */
static bool identify(const cs_fs *fs, const char *path, cs_file_info *out) {
    cs_buffer real = {0};
    bool known =
        fs->real_path(fs->ctx, path, &real, NULL) == CS_OK && real.size && fs->stat(fs->ctx, real.data, out, NULL) == CS_OK;
    cs_buffer_free(&real);
    return known;
}

/* A folder has many names (8.3, junctions, drives made by subst); its identity is one. */
static bool same_folder(const cs_fs *fs, const char *a, const char *b) {
    cs_file_info left, right;
    return identify(fs, a, &left) && identify(fs, b, &right) && cs_file_id_equal(&left.id, &right.id);
}

/* Everything else named cudnn* on the way is listed: what another program's folder or a later entry holds explains surprises. */
static void list_others(const cs_run *run, const cs_search_order *order, const char *bin) {
    for (size_t i = 0; i < order->count; i++) {
        const cs_search_place *place = &order->items[i];
        if (place->state != CS_SEARCH_SEEN || !place->path || same_folder(run->host->fs, place->path, bin)) continue;
        for (size_t j = 0; j < place->count; j++)
            if (cs_text_starts_with(place->dlls[j].name, "cudnn"))
                cs_emit(run->host->events, CS_EVENT_NOTE, "proof.other", "Also on the way: %s in %s (%s)", place->dlls[j].name,
                        place->path, cs_search_kind_text(place->kind));
    }
}

/* What stage 1 compares with. */
typedef struct proving {
    const char *bin;
    const cs_receipt *receipt;
    const cs_record *placed;
} proving;

static const cs_move *find_move(const cs_record *placed, const char *target) {
    for (size_t i = 0; i < placed->move_count; i++)
        if (!placed->moves[i].to_private && strcmp(placed->moves[i].target, target) == 0) return &placed->moves[i];
    return NULL;
}

/* The file that is found is the one that was placed; a file that this run did not move was hashed where it stands. */
static bool is_placed(const cs_run *run, const proving *p, const char *folder, const cs_receipt_row *row) {
    const cs_fs *fs = run->host->fs;
    const cs_move *move = find_move(p->placed, row->target);
    const char *name = cs_path_name(row->target);
    cs_buffer path = {0}, own = {0};
    cs_file_info found, standing;
    bool known = cs_path_join(&path, fs->separator, folder, name, NULL) == CS_OK &&
                 cs_path_join(&own, fs->separator, p->bin, name, NULL) == CS_OK && identify(fs, path.data, &found) &&
                 fs->stat(fs->ctx, own.data, &standing, NULL) == CS_OK;
    cs_buffer_free(&path);
    cs_buffer_free(&own);
    return known && found.kind == CS_FILE_REGULAR && found.size == row->size &&
           cs_file_id_equal(&found.id, move ? &move->info.id : &standing.id);
}

static void judge_files(const cs_run *run, const cs_search_order *order, const proving *p, cs_buffer *text) {
    const cs_receipt *receipt = p->receipt;
    const char *bin = p->bin;
    size_t found = 0;
    for (size_t i = 0; i < receipt->row_count; i++) {
        const cs_search_place *place = NULL;
        if (!is_library(&receipt->rows[i])) continue;
        const char *name = cs_path_name(receipt->rows[i].target);
        const cs_search_dll *first = cs_search_order_first(order, name, &place);
        if (!first) {
            cs_buffer_format(text, "failed: a new program does not find %s; %s is not in its PATH", name, bin);
            return;
        }
        if (!place->path || !same_folder(run->host->fs, place->path, bin)) {
            cs_buffer_format(text, "failed: a new program finds %s in %s (%s) before the one in %s", name,
                             place->path ? place->path : "another folder", cs_search_kind_text(place->kind), bin);
            return;
        }
        if (!is_placed(run, p, place->path, &receipt->rows[i])) {
            cs_buffer_format(text, "failed: %s in %s is not the file that was placed there", name, bin);
            return;
        }
        found++;
    }
    cs_buffer_format(text, "passed: a new program finds all %zu DLLs in %s", found, bin);
}

/* /env:none asks for a PATH that does not lead to the tree; that it does not is no failure. */
static bool excuse(const cs_run *run, cs_buffer *text) {
    static const char failed[] = "failed: ";
    const char *found = cs_buffer_string(text);
    if (run->options->env != CS_ENV_NONE || !cs_text_starts_with(found, failed)) return false;
    cs_buffer excused = {0};
    cs_buffer_format(&excused, "skipped: /env:none; %s", found + sizeof failed - 1);
    cs_buffer_free(text);
    *text = excused;
    return true;
}

/* *reached: false where PATH was left alone and does not lead to the tree, so that nothing can be loaded by name. */
static bool prove_files(cs_run *run, const proving *p, bool *reached) {
    cs_search_order order = {0};
    cs_buffer text = {0};
    cs_error error = {0};
    if (!run->host->registry) {
        cs_buffer_text(&text, "skipped: there is no registry here");
    } else if (cs_search_order_read(run->host, NULL, &order, &error) != CS_OK) {
        cs_buffer_format(&text, "skipped: the search order cannot be read (%s)", cs_status_text(error.status));
    } else {
        judge_files(run, &order, p, &text);
        list_others(run, &order, p->bin);
        *reached = !excuse(run, &text);
    }
    bool passed = tell(run, "Proof 1, files", &run->outcome->proof_files, &text);
    cs_search_order_free(&order);
    cs_buffer_free(&text);
    return passed;
}

/* ---- stage 2: loading ---- */

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
    bool inside = cs_path_parent(&parent, path, NULL) == CS_OK && parent.size && same_folder(fs, parent.data, folder);
    cs_buffer_free(&parent);
    return inside;
}

static void judge_modules(const cs_fs *fs, const cs_json_at *root, uint32_t wanted, const char *bin, cs_buffer *text) {
    cs_json_at modules = cs_json_maybe(root, "modules");
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
    if (elsewhere.size)
        cs_buffer_format(text, "failed: a part was loaded from elsewhere: %s", elsewhere.data);
    else if (version != wanted)
        cs_buffer_format(text, "failed: cudnnGetVersion() is %u, not %u", (unsigned)version, (unsigned)wanted);
    else if (!ours)
        cs_buffer_text(text, "failed: the probe named no module of cuDNN");
    else
        cs_buffer_format(text, "passed: %zu parts loaded from %s, cudnnGetVersion() is %u", ours, bin, (unsigned)version);
    cs_buffer_free(&elsewhere);
}

bool cs_proof_read_probe(const cs_fs *fs, const char *bytes, size_t size, uint32_t wanted, const char *bin_path,
                         cs_buffer *text) {
    const cs_json_limits limits = {.max_bytes = 1024 * 1024, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_error error = {0};
    if (cs_json_parse("the probe's answer", bytes, size, &limits, &json, &error) != CS_OK) {
        cs_buffer_format(text, "failed: the probe gave no readable answer (%s)", error.detail);
        return false;
    }
    size_t start = text->size;
    cs_json_reader reader = {.name = "the probe's answer", .error = &error};
    cs_json_at root = cs_json_root(&reader, json);
    const char *reason = text_or_empty(&root, "error");
    if (*reason)
        cs_buffer_format(text, "failed: %s", reason);
    else
        judge_modules(fs, &root, wanted, bin_path, text);
    if (reader.status != CS_OK && !*reason) {
        text->size = start;
        cs_buffer_format(text, "failed: the probe gave no readable answer (%s)", error.detail);
    }
    cs_json_free(json);
    return cs_text_starts_with(cs_buffer_string(text) + start, "passed");
}

/* An elevated run starts the probe in another account, whose own values nobody here knows. */
static bool is_own_account(const cs_run *run) {
    return run->options->selftest_as_current || !run->host->system->is_administrator(run->host->system->ctx);
}

static cs_status run_probe(cs_run *run, cs_child_result *result, cs_error *error) {
    static const char *const as_current[] = {"/selftest-as:current"};
    const cs_host *host = run->host;
    cs_strings environment = {0};
    cs_buffer program = {0};
    cs_status status = cs_programs_path(&run->session, CS_PROGRAM_NAME_PROBE, &program, error);
    if (status == CS_OK && !cs_fs_exists(host->fs, program.data))
        status = cs_fail(error, CS_E_NOT_FOUND, "run", program.data, NULL);
    bool current = run->options->selftest_as_current;
    if (status == CS_OK) status = cs_environment_for_child(host, is_own_account(run), &environment, error);
    if (status == CS_OK) {
        if (current)
            cs_emit(host->events, CS_EVENT_WARNING, "proof.as-current",
                    "/selftest-as:current: the proof loads what PATH names with this account's rights.");
        const cs_child child = {.program = program.data,
                                .arguments = as_current,
                                .argument_count = current ? 1 : 0,
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

static bool prove_loading(cs_run *run, const char *bin, const cs_receipt *receipt) {
    cs_child_result result = {0};
    cs_buffer text = {0};
    cs_error error = {0};
    cs_status status = run->host->registry ? run_probe(run, &result, &error) : CS_E_UNSUPPORTED;
    if (status != CS_OK)
        cs_buffer_format(&text, "skipped: the probe could not be run (%s)", cs_status_text(status));
    else if (result.refused)
        cs_buffer_text(&text, "skipped: there is no account without administrator rights to run it in");
    else if (result.timed_out)
        cs_buffer_format(&text, "failed: the probe did not end within %d s", CS_PROOF_DEADLINE_MS / 1000);
    else if (result.exit_code == CS_PROOF_PROBE_REFUSED)
        cs_buffer_text(&text, "skipped: the probe would have run with administrator rights, which it refuses");
    else
        cs_proof_read_probe(run->host->fs, cs_buffer_string(&result.output), result.output.size, receipt->cudnn_version, bin,
                            &text);
    if (status == CS_OK && !result.refused && result.account)
        cs_buffer_format(&text, " (as %s%s)", result.account, is_own_account(run) ? "" : ", machine values only");
    bool passed = tell(run, "Proof 2, loading", &run->outcome->proof_loading, &text);
    cs_buffer_free(&result.output);
    cs_buffer_free(&text);
    return passed;
}

/* ---- all of it ---- */

static void skip(cs_run *run, const char *why) {
    char **const slots[] = {&run->outcome->proof_files, &run->outcome->proof_loading, &run->outcome->proof_gpu};
    cs_buffer text = {0};
    cs_buffer_format(&text, "skipped: %s", why);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) keep(slots[i], &text);
    cs_buffer_free(&text);
}

bool cs_proof_run(cs_run *run, const char *tree_path, const cs_receipt *receipt, const cs_record *placed) {
    if (run->options->selftest == CS_SELFTEST_SKIP) {
        skip(run, "/selftest:skip");
        return true;
    }
    cs_buffer bin = {0}, text = {0};
    if (cs_path_join(&bin, run->host->fs->separator, tree_path, "bin", NULL) != CS_OK) {
        skip(run, "out of memory");
        cs_buffer_free(&bin);
        return true;
    }
    cs_emit(run->host->events, CS_EVENT_STEP, "proof", "Checking that a new program finds and loads it");
    const proving p = {.bin = bin.data, .receipt = receipt, .placed = placed};
    bool reached = true;
    bool files = prove_files(run, &p, &reached);
    bool loading = !reached || prove_loading(run, bin.data, receipt);
    if (!reached) {
        cs_buffer_text(&text, "skipped: /env:none; PATH does not lead to this tree");
        tell(run, "Proof 2, loading", &run->outcome->proof_loading, &text);
        cs_buffer_clear(&text);
    }
    cs_buffer_text(&text, receipt->trust.sample ? "skipped: this is a sample; it never runs on a GPU"
                                                : "skipped: this version has no GPU stage");
    keep(&run->outcome->proof_gpu, &text);
    cs_buffer_free(&text);
    cs_buffer_free(&bin);
    return files && loading;
}
