/* environment_cuda.h: what CUDA_PATH names, and whether it is right for a tree. Private to environment. */
#ifndef CS_ENVIRONMENT_CUDA_H
#define CS_ENVIRONMENT_CUDA_H

#include "environment_values.h"

typedef enum cs_cuda_value {
    CS_CUDA_RIGHT,   /* names the tree in a form that every program can use */
    CS_CUDA_TREE,    /* names the tree, but quoted, with blanks, a trailing '\', or in need of expansion that may not happen */
    CS_CUDA_SAME,    /* names another folder with a toolkit of this version */
    CS_CUDA_OTHER,   /* names another working toolkit */
    CS_CUDA_UNKNOWN, /* names something that was not looked at: a network folder, or one that cannot be read */
    CS_CUDA_BROKEN   /* absent, empty, damaged, relative, or a folder without a toolkit */
} cs_cuda_value;

/* why receives a clause for people ("the folder does not exist"). Replaces why. */
cs_status cs_environment_judge_cuda(const cs_host *host, const char *tree_path, const cs_reg_value *value, bool user,
                                    cs_cuda_value *out, cs_buffer *why, cs_error *error);

#endif
