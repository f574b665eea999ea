#include <string.h>

#include "cudnn_setup/plan.h"
#include "cudnn_setup/text.h"
#include "cudnn_setup/value_diff.h"
#include "cudnn_setup/wording.h"

static cs_status text_of(const cs_reg_value *value, cs_buffer *out, const char **text, cs_error *error) {
    *text = NULL;
    if (!value->present) return CS_OK;
    cs_status status = cs_reg_value_to_text(value, out, error);
    if (status == CS_E_FORMAT) { /* a number where a string should be */
        cs_buffer_clear(out);
        cs_value_show(out, value);
        status = cs_buffer_check(out, error);
    }
    *text = cs_buffer_string(out);
    return status;
}

static cs_status report_value(const cs_plan *plan, const cs_host *host, const cs_reg_change *change, cs_outcome *outcome,
                              cs_error *error) {
    cs_buffer old_text = {0}, new_text = {0};
    const char *before = NULL, *after = NULL;
    cs_status status = text_of(&change->old, &old_text, &before, error);
    if (status == CS_OK) status = text_of(&change->now, &new_text, &after, error);
    if (status == CS_OK)
        status = cs_outcome_add_value(outcome, change->name, change->now.present ? change->now.type : change->old.type, before,
                                      after, error);
    if (status == CS_OK)
        status = cs_value_diff_make(host, plan->record.tree_path, change, &outcome->values[outcome->value_count - 1].diff, error);
    cs_buffer_free(&old_text);
    cs_buffer_free(&new_text);
    return status;
}

cs_status cs_plan_report(const cs_plan *plan, const cs_host *host, bool done, cs_outcome *outcome, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < plan->row_count && status == CS_OK; i++) {
        const char *state = plan->rows[i].state;
        status = cs_outcome_add_file(outcome, plan->rows[i].target, done && strcmp(state, "new") == 0 ? "placed" : state, error);
    }
    for (size_t i = 0; i < plan->record.reg_count && status == CS_OK; i++)
        status = report_value(plan, host, &plan->record.regs[i], outcome, error);
    return status;
}

/* ---- for people ---- */

static void tell_files(const cs_plan *plan, cs_buffer *out) {
    for (size_t i = 0; i < plan->row_count; i++) {
        const cs_plan_row *row = &plan->rows[i];
        cs_buffer_format(out, "  %-9s ", row->state);
        cs_text_visible(out, row->target);
        cs_buffer_text(out, strcmp(row->state, "kept") == 0      ? ", changed by somebody\n"
                            : strcmp(row->state, "missing") == 0 ? ", not there any more\n"
                            : row->note                          ? ", see the warning\n"
                                                                 : "\n");
    }
}

static void tell_values(const cs_plan *plan, const cs_host *host, cs_buffer *out) {
    if (!plan->record.reg_count) {
        cs_buffer_text(out, "Environment: no value changes.\n");
        return;
    }
    cs_buffer_text(out, "Environment of the machine, - before and + after:\n");
    for (size_t i = 0; i < plan->record.reg_count; i++)
        cs_value_change_say(out, host, plan->record.tree_path, &plan->record.regs[i], "  ", false);
}

/* What is written anew; files that go back are only renamed. */
static uint64_t space_needed(const cs_plan *plan) {
    const cs_record *record = &plan->record;
    const cs_receipt *top = record->stack_count ? &record->stack[record->stack_count - 1] : NULL;
    uint64_t need = 0;
    if (!top || (record->kind != CS_KIND_INSTALL && record->kind != CS_KIND_REPAIR)) return 0;
    for (size_t i = 0; i < plan->row_count; i++) {
        if (strcmp(plan->rows[i].state, "same") == 0) continue;
        for (size_t j = 0; j < top->row_count; j++)
            if (strcmp(top->rows[j].target, plan->rows[i].target) == 0) need += top->rows[j].size;
    }
    return need;
}

static void tell_space(const cs_plan *plan, const cs_host *host, cs_buffer *out) {
    cs_volume volume = {0};
    uint64_t need = space_needed(plan);
    if (!need) return;
    cs_buffer_text(out, "Disk space: ");
    cs_say_bytes(out, need);
    cs_buffer_text(out, " of files would be written");
    if (host->fs->volume(host->fs->ctx, plan->record.tree_path, &volume, NULL) == CS_OK) {
        cs_buffer_text(out, ", ");
        cs_say_bytes(out, volume.free_bytes);
        cs_buffer_text(out, " are free");
    }
    cs_buffer_text(out, ".\n");
}

/* What people find out only afterwards: programs name the file that they were built for. */
static void tell_names(const cs_plan *plan, cs_buffer *out) {
    const cs_record *record = &plan->record;
    if (record->kind != CS_KIND_INSTALL || !record->stack_count) return;
    unsigned major = (unsigned)(record->stack[record->stack_count - 1].cudnn_version / 1000);
    cs_buffer_format(
        out, "Programs will find cudnn64_%u.dll; one that asks for cudnn64_%u.dll needs cuDNN %u, which can lie beside it.\n",
        major, major - 1, major - 1);
}

static void tell_holders(const cs_holders *holders, cs_buffer *out) {
    if (!holders->count) return;
    cs_buffer_text(out, "Programs that have these files loaded:\n");
    for (size_t i = 0; i < holders->count; i++) {
        cs_buffer_text(out, "  ");
        cs_text_visible(out, holders->items[i].name);
        cs_buffer_format(out, " (process %u): ", (unsigned)holders->items[i].pid);
        cs_text_visible(out, holders->items[i].module);
        cs_buffer_text(out, "\n");
    }
}

void cs_plan_tell(const cs_plan *plan, const cs_host *host, cs_outcome *outcome) {
    cs_buffer *out = &outcome->plan;
    cs_buffer_clear(out);
    cs_buffer_text(out, "Plan for ");
    cs_text_visible(out, plan->record.tree_path);
    cs_buffer_text(out, "\n");
    tell_files(plan, out);
    tell_values(plan, host, out);
    tell_space(plan, host, out);
    tell_names(plan, out);
    tell_holders(&outcome->in_use, out);
}
