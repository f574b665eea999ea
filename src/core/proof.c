#include "cudnn_setup/proof.h"

#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/search_order.h"
#include "proof_internal.h"

void proof_keep(char **slot, const cs_buffer *text) {
    cs_free(*slot);
    *slot = cs_strdup(cs_buffer_string(text));
}

static bool tell(cs_run *run, const char *stage, char **slot, const cs_buffer *text) {
    bool failed = cs_text_starts_with(cs_buffer_string(text), "failed");
    proof_keep(slot, text);
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

bool proof_same_folder(const cs_fs *fs, const char *a, const char *b) {
    cs_file_info left, right;
    return identify(fs, a, &left) && identify(fs, b, &right) && cs_file_id_equal(&left.id, &right.id);
}

/* Everything else named cudnn* on the way is listed: what another program's folder or a later entry holds explains surprises. */
static void list_others(const cs_run *run, const cs_search_order *order, const char *bin) {
    for (size_t i = 0; i < order->count; i++) {
        const cs_search_place *place = &order->items[i];
        if (place->state != CS_SEARCH_SEEN || !place->path || proof_same_folder(run->host->fs, place->path, bin)) continue;
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

/* Whether it finds all of it; text says what it finds. */
static bool judge_files(const cs_run *run, const cs_search_order *order, const proving *p, cs_buffer *text) {
    const cs_receipt *receipt = p->receipt;
    const char *bin = p->bin;
    size_t found = 0;
    for (size_t i = 0; i < receipt->row_count; i++) {
        const cs_search_place *place = NULL;
        if (!is_library(&receipt->rows[i])) continue;
        const char *name = cs_path_name(receipt->rows[i].target);
        const cs_search_dll *first = cs_search_order_first(order, name, &place);
        if (!first) {
            cs_buffer_format(text, "a new program does not find %s; %s is not in its PATH", name, bin);
            return false;
        }
        if (!place->path || !proof_same_folder(run->host->fs, place->path, bin)) {
            const char *kind = cs_search_kind_text(place->kind);
            if (place->path)
                cs_buffer_format(text, "a new program finds %s in %s (%s) before the one in %s", name, place->path, kind, bin);
            else
                cs_buffer_format(text, "a new program finds %s in another folder (%s) before the one in %s", name, kind, bin);
            return false;
        }
        if (!is_placed(run, p, place->path, &receipt->rows[i])) {
            cs_buffer_format(text, "%s in %s is not the file that was placed there", name, bin);
            return false;
        }
        found++;
    }
    cs_buffer_format(text, "a new program finds all %zu DLLs in %s", found, bin);
    return true;
}

/* /env:none asks for a PATH that does not lead to the tree; that it does not is no failure. *reached: false then. */
static void say_files(const cs_run *run, bool found, const char *what, cs_buffer *text, bool *reached) {
    *reached = found || run->options->env != CS_ENV_NONE;
    if (found)
        cs_buffer_format(text, "passed: %s", what);
    else if (*reached)
        cs_buffer_format(text, "failed: %s", what);
    else
        cs_buffer_format(text, "skipped: /env:none; %s", what);
}

/* *reached: false where PATH was left alone and does not lead to the tree, so that nothing can be loaded by name. */
static bool prove_files(cs_run *run, const proving *p, bool *reached) {
    cs_search_order order = {0};
    cs_buffer text = {0}, what = {0};
    cs_error error = {0};
    if (!run->host->registry) {
        cs_buffer_text(&text, "skipped: there is no registry here");
    } else if (cs_search_order_read(run->host, NULL, &order, &error) != CS_OK) {
        cs_buffer_format(&what, "the search order cannot be read (%s)", cs_status_text(error.status));
        cs_buffer_format(&text, "skipped: %s", cs_buffer_string(&what));
    } else {
        bool found = judge_files(run, &order, p, &what);
        list_others(run, &order, p->bin);
        say_files(run, found, cs_buffer_string(&what), &text, reached);
    }
    if (what.failed) text.failed = true;
    cs_buffer_free(&what);
    bool passed = tell(run, "Proof 1, files", &run->outcome->proof_files, &text);
    cs_search_order_free(&order);
    cs_buffer_free(&text);
    return passed;
}

/* ---- all of it ---- */

static void skip(char **slot, const char *why) {
    cs_buffer text = {0};
    cs_buffer_format(&text, "skipped: %s", why);
    proof_keep(slot, &text);
    cs_buffer_free(&text);
}

static void skip_all(cs_run *run, const char *why) {
    skip(&run->outcome->proof_files, why);
    skip(&run->outcome->proof_loading, why);
    skip(&run->outcome->proof_gpu, why);
}

/* What does not load cannot compute. */
static bool prove_rest(cs_run *run, const char *bin, const cs_receipt *receipt) {
    bool loaded = false;
    if (!proof_load(run, bin, receipt, &loaded)) {
        skip(&run->outcome->proof_gpu, "it does not load");
        return false;
    }
    if (loaded) return proof_compute(run, receipt);
    skip(&run->outcome->proof_gpu, "it was not loaded");
    return true;
}

bool cs_proof_run(cs_run *run, const char *tree_path, const cs_receipt *receipt, const cs_record *placed) {
    if (run->options->selftest == CS_SELFTEST_SKIP) {
        skip_all(run, "/selftest:skip");
        return true;
    }
    cs_buffer bin = {0};
    if (cs_path_join(&bin, run->host->fs->separator, tree_path, "bin", NULL) != CS_OK) {
        skip_all(run, "out of memory");
        cs_buffer_free(&bin);
        return true;
    }
    cs_emit(run->host->events, CS_EVENT_STEP, "proof", "Checking that a new program finds it, loads it and computes with it");
    const proving p = {.bin = bin.data, .receipt = receipt, .placed = placed};
    bool reached = true;
    bool files = prove_files(run, &p, &reached), rest = true;
    if (reached) {
        rest = prove_rest(run, bin.data, receipt);
    } else {
        skip(&run->outcome->proof_loading, "/env:none; PATH does not lead to this tree");
        skip(&run->outcome->proof_gpu, "/env:none; PATH does not lead to this tree");
    }
    cs_buffer_free(&bin);
    return files && rest;
}
