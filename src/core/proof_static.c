/* proof_static.c: what can be said of loading where nothing may be loaded: the import tables of the parts, followed through the
 * folders in which a new process looks. */
#include "cudnn_setup/loader_reason.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/search_order.h"
#include "proof_internal.h"

typedef struct looking {
    const cs_host *host;
    const cs_search_order *order;
} looking;

static const cs_search_place *find_place(const looking *l, const char *name, cs_buffer *path) {
    return cs_search_order_locate(l->host, l->order, name, path);
}

static bool find(void *ctx, const char *name, cs_buffer *path) { return find_place(ctx, name, path) != NULL; }

/* Windows' own DLLs need nothing that has to be looked for. */
static bool is_windows_own(void *ctx, const char *name) {
    cs_buffer path = {0};
    const cs_search_place *place = find_place(ctx, name, &path);
    cs_buffer_free(&path);
    if (!place || cs_text_starts_with(name, "cu")) return false;
    return place->kind == CS_SEARCH_SYSTEM || place->kind == CS_SEARCH_SYSTEM_16 || place->kind == CS_SEARCH_WINDOWS;
}

static bool is_library(const cs_receipt_row *row) {
    return cs_text_starts_with(row->target, "bin/") && cs_text_ends_with_ascii_case(row->target, ".dll");
}

/* True if a part could not load; the stage then says why. Two looks, since nothing is loaded that could say what is wrong: at
 * the files, and, as for the loader's 127, at the functions that they take from each other. */
static bool blame(const looking *l, const char *name, cs_proof_stage *stage) {
    enum { NO_CODE = 0, PROC_NOT_FOUND = 127 };
    const cs_loader_view view = {.ctx = (void *)(uintptr_t)l, .find = find, .is_loaded = is_windows_own};
    cs_loader_reason reason;
    cs_loader_explain(l->host->fs, &view, name, NO_CODE, &reason);
    bool bad = reason.verdict != CS_GPU_NOT_LOADED;
    if (!bad) {
        cs_loader_reason_free(&reason);
        cs_loader_explain(l->host->fs, &view, name, PROC_NOT_FOUND, &reason);
        bad = reason.function.size > 0;
    }
    if (bad) {
        cs_facts facts = {0};
        cs_loader_reason_facts(&reason, 0, &facts);
        cs_facts_set(&facts, CS_FACT_CODE, "%s", "");
        cs_proof_stage_set(stage, reason.verdict, &facts);
        cs_facts_free(&facts);
    }
    cs_loader_reason_free(&reason);
    return bad;
}

void proof_look(cs_run *run, const cs_receipt *receipt, cs_proof_stage *stage) {
    cs_search_order order = {0};
    const looking l = {.host = run->host, .order = &order};
    size_t looked = 0;
    bool bad = cs_search_order_read(run->host, NULL, &order, NULL) != CS_OK;
    for (size_t i = 0; i < receipt->row_count && !bad; i++) {
        if (!is_library(&receipt->rows[i])) continue;
        looked++;
        bad = blame(&l, cs_path_name(receipt->rows[i].target), stage);
    }
    if (!bad && looked) {
        cs_facts facts = {0};
        cs_facts_set(&facts, CS_FACT_PARTS, "%zu", looked);
        cs_proof_stage_set(stage, stage->verdict, &facts);
        cs_facts_free(&facts);
    }
    cs_search_order_free(&order);
}
