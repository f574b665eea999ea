/* phrase_table.h: the phrases themselves, by language. Private to phrases.c. */
#ifndef CUDNN_SETUP_PHRASE_TABLE_H
#define CUDNN_SETUP_PHRASE_TABLE_H

#include "cudnn_setup/phrases.h"

typedef struct phrase_row {
    const char *text[CS_LANGUAGE_COUNT];
} phrase_row;

extern const phrase_row phrase_rows[CS_PHRASE_COUNT];

#endif
