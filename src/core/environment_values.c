#include "environment_values.h"

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"

static const char *const labels[] = {"PATH", "CUDA_PATH", "CUDA_PATH_V10_1"};
static const char *const new_names[] = {"Path", "CUDA_PATH", "CUDA_PATH_V10_1"};

const char *cs_environment_label(cs_variable variable) { return labels[variable]; }
const char *cs_environment_new_name(cs_variable variable) { return new_names[variable]; }

cs_status cs_environment_read(const cs_host *host, cs_variable variable, char **name, cs_reg_value *out, cs_error *error) {
    const cs_registry *registry = host->registry;
    cs_buffer spelling = {0};
    *name = NULL;
    *out = (cs_reg_value){0};
    if (!registry) return cs_fail(error, CS_E_UNSUPPORTED, "read environment", NULL, "this system has no registry");
    cs_status status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, new_names[variable], out, error);
    if (status != CS_OK) return status;
    status = out->present
                 ? registry->value_name(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, new_names[variable], &spelling, error)
                 : CS_OK;
    if (status == CS_OK && !(*name = cs_strdup(out->present ? cs_buffer_string(&spelling) : new_names[variable])))
        status = cs_fail(error, CS_E_NO_MEMORY, "read environment", NULL, NULL);
    cs_buffer_free(&spelling);
    if (status != CS_OK) cs_reg_value_free(out);
    return status;
}

cs_status cs_environment_bin(const cs_host *host, const char *tree_path, cs_buffer *out, cs_error *error) {
    return cs_path_join(out, host->fs->separator, tree_path, "bin", error);
}

void cs_reg_change_free(cs_reg_change *change) {
    cs_free(change->name);
    cs_reg_value_free(&change->old);
    cs_reg_value_free(&change->now);
    for (size_t i = 0; i < change->below_count; i++) cs_reg_value_free(&change->below[i]);
    cs_free(change->below);
    *change = (cs_reg_change){0};
}

static cs_status copy_below(cs_reg_change *out, const cs_reg_change *from, cs_error *error) {
    cs_status status = CS_OK;
    if (!from->below_count) return CS_OK;
    out->below = cs_alloc(from->below_count, sizeof *out->below);
    if (!out->below) return cs_fail(error, CS_E_NO_MEMORY, "copy registry change", NULL, NULL);
    for (size_t i = 0; i < from->below_count && status == CS_OK; i++) {
        status = cs_reg_value_copy(&out->below[i], &from->below[i], error);
        if (status == CS_OK) out->below_count++;
    }
    return status;
}

cs_status cs_reg_change_copy(cs_reg_change *out, const cs_reg_change *from, cs_error *error) {
    *out = (cs_reg_change){.variable = from->variable, .index = from->index};
    cs_status status = cs_reg_value_copy(&out->old, &from->old, error);
    if (status == CS_OK) status = cs_reg_value_copy(&out->now, &from->now, error);
    if (status == CS_OK) status = copy_below(out, from, error);
    if (status == CS_OK && from->name && !(out->name = cs_strdup(from->name)))
        status = cs_fail(error, CS_E_NO_MEMORY, "copy registry change", NULL, NULL);
    if (status != CS_OK) cs_reg_change_free(out);
    return status;
}

void cs_environment_plan_free(cs_environment_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) cs_reg_change_free(&plan->changes[i]);
    cs_free(plan->changes);
    *plan = (cs_environment_plan){0};
}

cs_status cs_environment_add_change(cs_environment_plan *plan, cs_variable variable, const char *name, const cs_reg_value *old,
                                    const cs_reg_value *now, size_t index, cs_error *error) {
    if (cs_reg_value_equal(old, now)) return CS_OK;
    cs_reg_change *changes = cs_realloc(plan->changes, plan->count + 1, sizeof *changes);
    if (!changes) return cs_fail(error, CS_E_NO_MEMORY, "plan environment", NULL, NULL);
    plan->changes = changes;
    const cs_reg_change from = {
        .variable = variable, .name = (char *)(uintptr_t)name, .old = *old, .now = *now, .index = index}; /* borrowed */
    cs_status status = cs_reg_change_copy(&changes[plan->count], &from, error);
    if (status == CS_OK) plan->count++;
    return status;
}

void cs_environment_show(const cs_reg_value *value, cs_buffer *out) {
    cs_buffer text = {0};
    cs_buffer_clear(out);
    if (!value->present)
        cs_buffer_text(out, "absent");
    else if (value->type != CS_REG_SZ && value->type != CS_REG_EXPAND_SZ)
        cs_buffer_format(out, "a value of type %u, which is no string", (unsigned)value->type);
    else if (cs_reg_value_to_text(value, &text, NULL) == CS_OK)
        cs_text_visible(out, cs_buffer_string(&text));
    cs_buffer_free(&text);
}
