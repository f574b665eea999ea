/* options_table.h: the table behind options.h, private to options.c and help.c: what is accepted is what /? shows. */
#ifndef CUDNN_SETUP_OPTIONS_TABLE_H
#define CUDNN_SETUP_OPTIONS_TABLE_H

#include <stddef.h>

#include "cudnn_setup/options.h"

typedef enum option_kind {
    OPTION_VERB,   /* what to do */
    OPTION_FLAG,   /* no value */
    OPTION_CHOICE, /* one of the words in `value`, separated by '|' */
    OPTION_TEXT,   /* any text */
    OPTION_ID      /* 32 hex digits */
} option_kind;

typedef enum option_group {
    GROUP_CHANGE, /* verbs that change the machine */
    GROUP_LOOK,   /* verbs that only look */
    GROUP_WHAT,
    GROUP_HOW,
    GROUP_OUTPUT,
    GROUP_COUNT
} option_group;

typedef struct option_row {
    option_group group;
    const char *name;
    option_kind kind;
    const char *value;                               /* as /? shows it; for OPTION_CHOICE also what is accepted; NULL: none */
    unsigned programs;                               /* bits: 1 << cs_program */
    unsigned long verbs;                             /* bits: 1 << cs_verb; for OPTION_VERB the verb itself */
    size_t offset;                                   /* of the char * in cs_options, for OPTION_TEXT and OPTION_ID */
    void (*set)(cs_options *options, size_t choice); /* for OPTION_FLAG (choice 0) and OPTION_CHOICE */
    const char *help;
} option_row;

extern const option_row option_rows[];
extern const size_t option_row_count;

#endif
