/* environment_below.c: values that several installations of ours have written one over the other. Each receipt knows what it
 * found; where that was another installation's value, it knows what lay below that too, so that the trees can be uninstalled in
 * any order and the value that was there before all of them comes back. */
#include "environment_values.h"

static bool has_text(const cs_reg_value *value) {
    return value->present && value->size >= 2 && (value->bytes[0] || value->bytes[1]);
}

static const cs_reg_change *change_to(const cs_receipt *receipt, cs_variable variable, const cs_reg_value *value) {
    for (size_t i = 0; i < receipt->reg_count; i++)
        if (receipt->regs[i].variable == variable && cs_reg_value_equal(&receipt->regs[i].now, value)) return &receipt->regs[i];
    return NULL;
}

const cs_reg_change *cs_environment_writer(const cs_receipt *const *receipts, size_t count, cs_variable variable,
                                           const cs_reg_value *value) {
    const cs_reg_change *found = NULL;
    int64_t time = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const cs_reg_change *change = receipts[i]->time >= time ? change_to(receipts[i], variable, value) : NULL;
        if (!change) continue;
        found = change;
        time = receipts[i]->time;
    }
    return found;
}

const cs_reg_value *cs_environment_old(const cs_reg_change *change, const cs_receipt *const *others, size_t count) {
    const cs_reg_value *value = &change->old;
    for (size_t i = 0; i < change->below_count && !cs_environment_writer(others, count, change->variable, value); i++)
        value = &change->below[i];
    return value;
}

/* below = what the writer of change->old had found, then what lay below that. */
static cs_status note(cs_reg_change *change, const cs_reg_change *writer, cs_error *error) {
    size_t count = writer->below_count + 1 < CS_RECORD_MAX_BELOW ? writer->below_count + 1 : CS_RECORD_MAX_BELOW;
    change->below = cs_alloc(count, sizeof *change->below);
    if (!change->below) return cs_fail(error, CS_E_NO_MEMORY, "plan environment", NULL, NULL);
    cs_status status = CS_OK;
    for (size_t i = 0; i < count && status == CS_OK; i++) {
        status = cs_reg_value_copy(&change->below[i], i ? &writer->below[i - 1] : &writer->old, error);
        if (status == CS_OK) change->below_count++;
    }
    return status;
}

cs_status cs_environment_note_below(cs_environment_plan *plan, const cs_receipt *const *receipts, size_t count, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < plan->count && status == CS_OK; i++) {
        cs_reg_change *change = &plan->changes[i];
        const cs_reg_change *writer = cs_environment_writer(receipts, count, change->variable, &change->old);
        /* An entry of PATH is taken out whatever surrounds it; only a PATH that was nothing before cannot be told from "". */
        bool needed = change->variable != CS_VARIABLE_PATH || (writer && (writer->below_count || !has_text(&writer->old)));
        if (!writer || !needed || change->below_count) continue;
        status = note(change, writer, error);
    }
    return status;
}
