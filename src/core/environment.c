#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "environment_cuda.h"

/* What one planning run works on. */
typedef struct planner {
    const cs_host *host;
    const char *tree_path;
    cs_environment_plan *plan;
    cs_variables machine;
    cs_buffer bin; /* our folder in PATH */
} planner;

/* ---- CUDA_PATH and CUDA_PATH_V10_1 ---- */

/* HKCU values win over ours for the user who runs this; other users' cannot be seen from here. */
static cs_status report_override(const planner *p, cs_variable variable, cs_error *error) {
    const cs_registry *registry = p->host->registry;
    cs_reg_value value = {0};
    cs_buffer why = {0}, text = {0};
    cs_cuda_value answer = CS_CUDA_RIGHT;
    if (p->host->system->account(p->host->system->ctx) == CS_ACCOUNT_OTHER) return CS_OK; /* said once, for all of them */
    cs_status status =
        registry->read(registry->ctx, CS_HKCU, CS_KEY_USER_ENVIRONMENT, cs_environment_new_name(variable), &value, error);
    if (status == CS_OK && value.present)
        status = cs_environment_judge_cuda(p->host, p->tree_path, &value, true, &answer, &why, error);
    if (status == CS_OK && answer != CS_CUDA_RIGHT) {
        cs_environment_show(&value, &text);
        cs_emit(p->host->events, CS_EVENT_WARNING, "user.overrides",
                "The user's own %s (%s) overrides the machine's, which names this toolkit: programs of this user will not see it",
                cs_environment_label(variable), cs_buffer_string(&text));
    }
    cs_reg_value_free(&value);
    cs_buffer_free(&why);
    cs_buffer_free(&text);
    return status;
}

static void tell(const planner *p, cs_variable variable, cs_cuda_value answer, const cs_reg_value *old, const char *why,
                 bool write) {
    const char *label = cs_environment_label(variable);
    cs_buffer text = {0};
    cs_environment_show(old, &text);
    if (!write && answer == CS_CUDA_RIGHT)
        cs_emit(p->host->events, CS_EVENT_DETAIL, "", "%s is right: %s", label, cs_buffer_string(&text));
    else if (!write)
        cs_emit(p->host->events, CS_EVENT_WARNING, "cudapath.kept",
                "%s names another toolkit (%s: %s) and is kept; /cudapath:take makes it name %s", label, cs_buffer_string(&text),
                why, p->tree_path);
    else if (answer == CS_CUDA_SAME || answer == CS_CUDA_OTHER || answer == CS_CUDA_UNKNOWN)
        cs_emit(p->host->events, CS_EVENT_WARNING, "cudapath.taken", "%s named %s and will name %s; uninstalling brings it back",
                label, cs_buffer_string(&text), p->tree_path);
    else
        cs_emit(p->host->events, CS_EVENT_NOTE, "", "%s will name %s (now: %s%s%s)", label, p->tree_path, cs_buffer_string(&text),
                strcmp(why, cs_buffer_string(&text)) == 0 ? "" : "; ", strcmp(why, cs_buffer_string(&text)) == 0 ? "" : why);
    cs_buffer_free(&text);
}

/* take: write even where it names another working toolkit. */
static cs_status plan_cuda(const planner *p, cs_variable variable, bool take, cs_error *error) {
    char *name = NULL;
    cs_reg_value old = {0}, now = {0};
    cs_buffer why = {0};
    cs_cuda_value answer = CS_CUDA_BROKEN;
    cs_status status = cs_environment_read(p->host, variable, &name, &old, error);
    if (status == CS_OK) status = cs_environment_judge_cuda(p->host, p->tree_path, &old, false, &answer, &why, error);
    bool foreign = answer == CS_CUDA_OTHER || answer == CS_CUDA_UNKNOWN;
    bool write = answer != CS_CUDA_RIGHT && (take || !foreign);
    if (status == CS_OK) tell(p, variable, answer, &old, cs_buffer_string(&why), write);
    /* REG_SZ, as CUDA's own installer writes it: then %CUDA_PATH% inside PATH is expanded in every order. */
    if (status == CS_OK && write) status = cs_reg_value_from_text(&now, CS_REG_SZ, p->tree_path, error);
    if (status == CS_OK && write) status = cs_environment_add_change(p->plan, variable, name, &old, &now, 0, error);
    if (status == CS_OK && (write || answer == CS_CUDA_RIGHT)) status = report_override(p, variable, error);
    cs_free(name);
    cs_reg_value_free(&old);
    cs_reg_value_free(&now);
    cs_buffer_free(&why);
    return status;
}

/* ---- PATH ---- */

static void report_length(const planner *p, const cs_reg_value *now) {
    size_t units = now->size / 2;
    while (units && !now->bytes[2 * units - 1] && !now->bytes[2 * units - 2]) units--;
    if (units > CS_PATH_WARN_UNITS)
        cs_emit(p->host->events, CS_EVENT_WARNING, "path.long",
                "PATH will have %llu characters; some old programs cut it beyond %d. Nothing is cut here",
                (unsigned long long)units, (int)CS_PATH_WARN_UNITS);
}

/* A PATH that cannot take our entry: an error where PATH is at fault, a warning where the folder's name is. */
static cs_status cannot_add(const planner *p, cs_status status, const cs_error *reason, cs_error *error) {
    if (status == CS_E_NAME) {
        cs_emit(p->host->events, CS_EVENT_WARNING, "path.cannot-name",
                "%s is not added to PATH: %s. Programs have to be told of the folder in another way", cs_buffer_string(&p->bin),
                reason->detail);
        return CS_OK;
    }
    if (status == CS_E_FORMAT || status == CS_E_TOO_BIG)
        return cs_fail(error, status, "plan PATH", NULL, "%s. PATH is left as it is; /env:none installs without touching it",
                       reason->detail);
    if (error) *error = *reason;
    return status;
}

static cs_status plan_path(planner *p, bool trusted, cs_error *error) {
    char *name = NULL;
    cs_reg_value old = {0}, now = {0};
    cs_error reason = {0};
    size_t index = 0;
    bool changed = false;
    cs_pathlist_folder folder = cs_variables_folder(&p->machine, p->bin.data);
    cs_status status = cs_environment_read(p->host, CS_VARIABLE_PATH, &name, &old, error);
    if (status == CS_OK) {
        status = cs_pathlist_add(&old, &folder, trusted ? CS_PATH_FRONT : CS_PATH_END, &now, &index, &changed, &reason);
        if (status != CS_OK) status = cannot_add(p, status, &reason, error);
    }
    if (status == CS_OK && changed) {
        status = cs_environment_add_change(p->plan, CS_VARIABLE_PATH, name, &old, &now, index, error);
        if (!trusted)
            cs_emit(p->host->events, CS_EVENT_WARNING, "path.untrusted-tree",
                    "Ordinary users can write to %s, so it is added at PATH's end and not in front", p->tree_path);
        report_length(p, &now);
    } else if (status == CS_OK && now.present) {
        cs_emit(p->host->events, CS_EVENT_DETAIL, "", "PATH has %s already (entry %llu)", p->bin.data,
                (unsigned long long)index + 1);
    }
    if (status == CS_OK && now.present) status = cs_environment_report_path(p->host, p->bin.data, &now, error);
    cs_free(name);
    cs_reg_value_free(&old);
    cs_reg_value_free(&now);
    return status;
}

cs_status cs_environment_plan_install(const cs_host *host, const char *tree_path, bool trusted, cs_env_mode mode,
                                      bool take_cuda_path, cs_environment_plan *out, cs_error *error) {
    *out = (cs_environment_plan){0};
    if (mode == CS_ENV_NONE) return CS_OK;
    planner p = {.host = host, .tree_path = tree_path, .plan = out, .machine = {host, false}};
    cs_status status = cs_environment_bin(host, tree_path, &p.bin, error);
    if (status == CS_OK && mode == CS_ENV_ALL) {
        status = plan_cuda(&p, CS_VARIABLE_CUDA_PATH, take_cuda_path, error);
        /* Its name says which toolkit it means: it is made right whatever it holds. */
        if (status == CS_OK) status = plan_cuda(&p, CS_VARIABLE_CUDA_PATH_V10_1, true, error);
    }
    if (status == CS_OK) status = plan_path(&p, trusted, error);
    if (status == CS_OK && host->system->account(host->system->ctx) == CS_ACCOUNT_OTHER)
        cs_emit(host->events, CS_EVENT_NOTE, "user.not-seen",
                "The user at the desktop is another one than the account that this runs under: whether that user's own PATH "
                "or CUDA_PATH overrides the machine's cannot be seen from here");
    if (status != CS_OK) cs_environment_plan_free(out);
    cs_buffer_free(&p.bin);
    return status;
}
