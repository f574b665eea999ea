#include <string.h>

#include "cudnn_setup/plan.h"

static cs_status text_of(const cs_reg_value *value, cs_buffer *out, const char **text, cs_error *error) {
    *text = NULL;
    if (!value->present) return CS_OK;
    cs_status status = cs_reg_value_to_text(value, out, error);
    *text = cs_buffer_string(out);
    return status;
}

cs_status cs_plan_report(const cs_plan *plan, bool done, cs_outcome *outcome, cs_error *error) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < plan->row_count && status == CS_OK; i++) {
        const char *state = plan->rows[i].state;
        status = cs_outcome_add_file(outcome, plan->rows[i].target, done && strcmp(state, "new") == 0 ? "placed" : state, error);
    }
    cs_buffer old_text = {0}, new_text = {0};
    for (size_t i = 0; i < plan->record.reg_count && status == CS_OK; i++) {
        const cs_reg_change *change = &plan->record.regs[i];
        const char *before, *after;
        status = text_of(&change->old, &old_text, &before, error);
        if (status == CS_OK) status = text_of(&change->now, &new_text, &after, error);
        if (status == CS_OK)
            status = cs_outcome_add_value(outcome, change->name, change->now.present ? change->now.type : change->old.type,
                                          before, after, error);
    }
    cs_buffer_free(&old_text);
    cs_buffer_free(&new_text);
    return status;
}

static size_t entry_length(const char *text) {
    size_t size = strcspn(text, ";\"");
    while (text[size] == '"') { /* a ';' between quotes does not separate */
        size++;
        size += strcspn(text + size, "\"");
        if (text[size] == '"') size++;
        size += strcspn(text + size, ";\"");
    }
    return size;
}

static size_t count_entry(const char *list, const char *entry, size_t size) {
    size_t count = 0;
    for (const char *at = list; *at;) {
        size_t length = entry_length(at);
        if (length == size && memcmp(at, entry, size) == 0) count++;
        at += length + (at[length] == ';');
    }
    return count;
}

/* One line per entry that only one side has. */
static void tell_entries(const cs_host *host, const char *name, char mark, const char *list, const char *other) {
    for (const char *at = list; *at;) {
        size_t length = entry_length(at);
        if (length && count_entry(other, at, length) < count_entry(list, at, length))
            cs_emit(host->events, CS_EVENT_NOTE, "plan.entry", "  %s %c %.*s", name, mark, (int)length, at);
        at += length + (at[length] == ';');
    }
}

static void tell_change(const cs_host *host, const cs_reg_change *change) {
    cs_buffer old_text = {0}, new_text = {0};
    const char *before = NULL, *after = NULL;
    if (text_of(&change->old, &old_text, &before, NULL) == CS_OK && text_of(&change->now, &new_text, &after, NULL) == CS_OK) {
        cs_emit(host->events, CS_EVENT_NOTE, "plan.value", "  %s: %s -> %s", change->name, before ? before : "(absent)",
                after ? after : "(absent)");
        if (change->variable == CS_VARIABLE_PATH) {
            tell_entries(host, change->name, '-', before ? before : "", after ? after : "");
            tell_entries(host, change->name, '+', after ? after : "", before ? before : "");
        }
    }
    cs_buffer_free(&old_text);
    cs_buffer_free(&new_text);
}

void cs_plan_tell(const cs_plan *plan, const cs_host *host) {
    cs_emit(host->events, CS_EVENT_NOTE, "plan.tree", "Plan for %s:", plan->record.tree_path);
    for (size_t i = 0; i < plan->row_count; i++) {
        const cs_plan_row *row = &plan->rows[i];
        cs_emit(host->events, CS_EVENT_NOTE, "plan.file", "  %s: %s%s%s", row->target, row->state, row->note ? ": " : "",
                row->note ? row->note : "");
    }
    for (size_t i = 0; i < plan->record.reg_count; i++) tell_change(host, &plan->record.regs[i]);
    if (!cs_plan_changes(plan)) cs_emit(host->events, CS_EVENT_NOTE, "plan.nothing", "  nothing to change");
}
