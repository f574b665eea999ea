/* verdict_table.h: one row for each verdict. Private to verdict*.c. */
#ifndef CUDNN_SETUP_SELFTEST_VERDICT_TABLE_H
#define CUDNN_SETUP_SELFTEST_VERDICT_TABLE_H

#include "cudnn_setup/verdict.h"

typedef struct verdict_row {
    const char *name;
    cs_verdict_kind kind;
    cs_gpu_blame blame;
    const char *sentence[CS_LANGUAGE_COUNT];
    const char *advice[CS_LANGUAGE_COUNT];
} verdict_row;

extern const verdict_row verdict_rows[CS_GPU_VERDICT_COUNT];

#endif
