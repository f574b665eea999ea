/* pathlist_case.h: a machine as tables (variables, links) and PATH values as text, for the tests of pathlist. */
#ifndef PATHLIST_CASE_H
#define PATHLIST_CASE_H

#include "cudnn_setup/pathlist.h"

#define TREE "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"
#define BIN  TREE "\\bin"

/* BIN on that machine: %ProgramFiles%, %CUDA_PATH% and others are known, %LATE% is a REG_EXPAND_SZ; D:\link is a junction to the
 * tree, S: is subst. */
extern const cs_pathlist_folder ours;
extern unsigned pathlist_case_network; /* how often a network path was asked to be resolved */

/* A value with this many terminators; the caller frees it. */
cs_reg_value value_of(uint32_t type, const char *text, size_t terminators);
/* Fails the running test unless value is exactly that. */
void assert_value(const cs_reg_value *value, uint32_t type, const char *text, size_t terminators);

#endif
