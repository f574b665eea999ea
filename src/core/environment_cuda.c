#include "environment_cuda.h"

#include <string.h>

#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "pathlist_names.h"
#include "toolkit_judge.h"

/* A string without odd bytes and without text behind a NUL. */
static cs_status check_form(const cs_reg_value *value, bool *sound, cs_error *error) {
    cs_pathlist list;
    cs_status status = cs_pathlist_parse(value, NULL, &list, error);
    *sound = status == CS_OK;
    if (status == CS_OK) cs_pathlist_free(&list);
    return status == CS_E_FORMAT ? CS_OK : status;
}

/* Does the text name the tree, and in a form to be left alone? A trailing '\' is not: in "%CUDA_PATH%" it swallows the quote. */
static cs_status names_tree(cs_variables *variables, const char *tree_path, uint32_t type, const char *text, bool *names,
                            bool *right, cs_error *error) {
    cs_pathlist_folder folder = cs_variables_folder(variables, tree_path);
    cs_folder_match match;
    cs_status status = cs_folder_match_begin(&folder, &match, error);
    if (status != CS_OK) return status;
    status = cs_folder_match_entry(&match, type, text, names, right, error);
    size_t size = strlen(text);
    if (size && (text[size - 1] == '\\' || text[size - 1] == '/')) *right = false;
    cs_folder_match_end(&match);
    return status;
}

static cs_status judge_folder(const cs_host *host, const char *path, cs_cuda_value *out, cs_buffer *why, cs_error *error) {
    static const struct {
        cs_cuda_value answer;
        const char *why;
    } rows[] = {
        [CS_PRESENCE_ABSENT] = {CS_CUDA_BROKEN, "the folder does not exist"},
        [CS_PRESENCE_EMPTY] = {CS_CUDA_BROKEN, "there is no CUDA toolkit in that folder"},
        [CS_PRESENCE_OTHER] = {CS_CUDA_OTHER, "another working toolkit"},
        [CS_PRESENCE_WANTED] = {CS_CUDA_SAME, "another toolkit of this version"},
        [CS_PRESENCE_UNKNOWN] = {CS_CUDA_UNKNOWN, "the folder cannot be looked at"},
    };
    cs_buffer clean = {0};
    cs_presence presence = CS_PRESENCE_UNKNOWN;
    const char *refusal = cs_toolkit_clean(host, path, &clean);
    cs_status status = cs_buffer_check(&clean, error);
    if (status == CS_OK && refusal) {
        cs_buffer_text(why, refusal);
        *out = cs_pathlist_is_network(path) ? CS_CUDA_UNKNOWN : CS_CUDA_BROKEN;
    } else if (status == CS_OK) {
        status = cs_toolkit_presence(host, clean.data, "cudart64_101.dll", &presence, error);
        cs_buffer_text(why, rows[presence].why);
        *out = rows[presence].answer;
    }
    cs_buffer_free(&clean);
    return status;
}

cs_status cs_environment_judge_cuda(const cs_host *host, const char *tree_path, const cs_reg_value *value, bool user,
                                    cs_cuda_value *out, cs_buffer *why, cs_error *error) {
    cs_variables variables = {host, user};
    cs_buffer text = {0}, expanded = {0};
    bool names = false, right = false, sound = false;
    *out = CS_CUDA_BROKEN;
    cs_buffer_clear(why);
    cs_status status = check_form(value, &sound, error);
    if (status != CS_OK || !sound || !value->present) {
        cs_buffer_text(why, value->present ? "not a sound string" : "absent");
        goto out;
    }
    status = cs_reg_value_to_text(value, &text, error);
    if (status == CS_OK) status = names_tree(&variables, tree_path, value->type, cs_buffer_string(&text), &names, &right, error);
    if (status != CS_OK) goto out;
    if (names) {
        *out = right ? CS_CUDA_RIGHT : CS_CUDA_TREE;
        cs_buffer_text(why, right ? "right already" : "names the tree, but not in a form that every program can use");
        goto out;
    }
    if (value->type == CS_REG_EXPAND_SZ)
        status = cs_variables_expand(&variables, cs_buffer_string(&text), &expanded, error);
    else
        cs_buffer_text(&expanded, cs_buffer_string(&text));
    if (status == CS_OK) status = cs_buffer_check(&expanded, error);
    if (status == CS_OK) status = judge_folder(host, cs_buffer_string(&expanded), out, why, error);
out:
    if (status == CS_OK) status = cs_buffer_check(why, error);
    cs_buffer_free(&text);
    cs_buffer_free(&expanded);
    return status;
}
