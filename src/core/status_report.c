#include <inttypes.h>
#include <stdio.h>

#include "cudnn_setup/levels.h"
#include "cudnn_setup/plan.h"
#include "cudnn_setup/verb.h"

static void append_trust(const cs_trust *trust, cs_buffer *out) {
    char hex[CS_SHA256_HEX + 1];
    if (trust->kind == CS_TRUST_UNVERIFIED)
        cs_buffer_text(out, "unverified copy: nobody vouches for it");
    else if (trust->kind == CS_TRUST_PINNED)
        cs_buffer_text(out, "pinned archive");
    else
        cs_buffer_format(out, "%s manifest", cs_trust_text(trust->kind));
    if (trust->sample) cs_buffer_text(out, ", a sample");
    cs_hex(trust->has_archive_sha256 ? trust->archive_sha256 : trust->manifest_sha256, CS_SHA256_SIZE, hex);
    cs_buffer_format(out, ", SHA-256 of the %s %s", trust->has_archive_sha256 ? "archive" : "manifest", hex);
}

static void append_receipt(const cs_receipt *receipt, bool newest, bool oldest, cs_buffer *out) {
    char time[24];
    size_t ours = 0, kept = 0;
    for (size_t i = 0; i < receipt->row_count; i++) {
        ours += receipt->rows[i].ours;
        kept += receipt->rows[i].ours && receipt->rows[i].had_old;
    }
    cs_time_text(receipt->time, time);
    cs_buffer_format(out, "  %s %s %s, %s\n",
                     newest   ? "now: "
                     : oldest ? "first:"
                              : "then:",
                     receipt->product, receipt->version, time);
    cs_buffer_text(out, "    trust: ");
    append_trust(&receipt->trust, out);
    cs_buffer_format(out, "\n    files: %zu of %zu placed, %zu were already right\n", ours, receipt->row_count,
                     receipt->row_count - ours);
    cs_buffer_format(out, "    undo data: %zu older files, %" PRIu64 " bytes\n", kept, cs_levels_size(receipt));
    for (size_t i = 0; i < receipt->reg_count; i++) cs_buffer_format(out, "    environment: %s\n", receipt->regs[i].name);
}

static void append_parked(const cs_record *head, cs_buffer *out) {
    for (size_t i = 0; i < head->parked_count; i++)
        cs_buffer_format(out,
                         "  kept aside: the older %s is .cudnn-setup\\%s\\old\\%02u, because it was no longer ours to replace\n",
                         head->parked[i].target, head->parked[i].blob.txid, head->parked[i].blob.number);
}

/* A head lists what was to be dropped; most of it went with the same run. */
static size_t still_to_drop(const cs_host *host, const cs_record *head) {
    size_t count = 0;
    for (size_t i = 0; i < head->cleanup_count; i++) count += cs_plan_blob_exists(host, head->tree_path, &head->cleanup[i]);
    return count;
}

static void append_tree(const cs_host *host, const cs_known_tree *known, cs_buffer *out) {
    const cs_record *head = &known->head;
    cs_buffer_format(out, "%s\n  id %s\n", head->tree_path, known->id);
    for (size_t i = head->stack_count; i-- > 0;) append_receipt(&head->stack[i], i + 1 == head->stack_count, i == 0, out);
    append_parked(head, out);
    size_t waiting = still_to_drop(host, head);
    if (waiting) cs_buffer_format(out, "  waiting to be dropped (files): %zu; each later run tries again\n", waiting);
    if (known->pending != CS_PENDING_NONE) cs_buffer_text(out, "  interrupted work is pending: cudnn-setup /recover goes on\n");
}

/* What cannot be read is shown with its way out; by the readable copies it is no more than a line. */
static void append_blocked(const cs_known_trees *trees, cs_buffer *out) {
    for (size_t i = 0; i < trees->blocked_count; i++) {
        const cs_blocked_tree *one = &trees->blocked[i];
        cs_buffer_format(out, "%s\n  id %s\n  %s: %s\n", one->path ? one->path : "(a CUDA tree)", one->id, one->error.path,
                         one->error.detail[0] ? one->error.detail : cs_status_text(one->error.status));
    }
}

/* The tree of the outcome is the first one; the report has them all. */
static cs_status describe(cs_run *run, cs_buffer *report, size_t *installed) {
    cs_status status = CS_OK;
    *installed = 0;
    for (size_t i = 0; i < run->trees.count && status == CS_OK; i++) {
        const cs_known_tree *known = &run->trees.items[i];
        append_tree(run->host, known, report);
        if (!known->head.stack_count || (*installed)++) continue;
        cs_tree tree = {.path = known->head.tree_path};
        for (size_t j = 0; j < sizeof tree.id; j++) tree.id[j] = known->id[j];
        status = cs_run_set_tree(run, &tree);
        run->outcome->trust = cs_trees_top(&known->head)->trust;
    }
    return status == CS_OK ? cs_buffer_check(report, &run->error) : status;
}

static cs_status tell(cs_run *run, cs_buffer *report) {
    size_t installed = 0;
    cs_status status = describe(run, report, &installed);
    if (status != CS_OK) return status;
    append_blocked(&run->trees, report);
    if (run->trees.readable_only)
        cs_buffer_text(report, "Read from the readable copy; an administrator sees the records themselves.\n");
    status = cs_run_refuse_pending(run);
    if (status == CS_OK && run->trees.blocked_count && (!run->trees.readable_only || !installed))
        status = cs_trees_refuse_blocked(&run->trees, 0, &run->error);
    if (status != CS_OK) return status;
    if (!installed)
        return cs_fail(&run->error, CS_E_NOTHING, NULL, NULL, "cudnn-setup has not installed anything on this machine");
    cs_run_say(run, "cuDNN is installed in %zu CUDA tree%s by cudnn-setup.", installed, installed == 1 ? "" : "s");
    return CS_OK;
}

cs_status cs_show_status(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_run run;
    cs_status status = cs_run_begin_reading(&run, host, options, outcome);
    if (status == CS_OK) status = tell(&run, report);
    return cs_run_end(&run, status);
}
