/* frameworks_table.h: the compatibility table (manifests/frameworks.json): what each release of a framework brings or wants.
 *
 * All text is UTF-8. */
#ifndef CUDNN_SETUP_FRAMEWORKS_TABLE_H
#define CUDNN_SETUP_FRAMEWORKS_TABLE_H

#include "cudnn_setup/frameworks.h"

/* One kind of release. Texts are owned; NULL: not known, or not asked for. */
typedef struct cs_table_row {
    char *from, *below; /* releases: from the one up to, but without, the other */
    char *tag;          /* that the version has to end in: "cu101" */
    char *cuda, *cudnn, *loads;
    cs_serves serves;
} cs_table_row;

enum { CS_TABLE_MAX_FRAMEWORKS = 64, CS_TABLE_MAX_ROWS = 16, CS_TABLE_MAX_NAMES = 8 };

typedef struct cs_table_framework {
    char *name;
    cs_strings distributions; /* in pip's normal form */
    cs_strings own;           /* folders below site-packages, with '/' */
    cs_table_row *rows;
    size_t row_count;
} cs_table_framework;

/* Starts as {0}. */
typedef struct cs_frameworks_table {
    char *cudnn, *cuda; /* of the package: "8.0.3", "10.1" */
    cs_table_framework *items;
    size_t count;
} cs_frameworks_table;

/* CS_E_FORMAT with the place, CS_E_TOO_BIG, CS_E_NO_MEMORY. */
cs_status cs_frameworks_table_parse(const char *name, const char *bytes, size_t size, cs_frameworks_table *out, cs_error *error);
void cs_frameworks_table_free(cs_frameworks_table *table);

/* The table that is built in: index 0; NULL beyond. */
const char *cs_frameworks_embedded(size_t index, size_t *size);

/* The framework of a distribution's name, in whatever form ("Torch", "onnxruntime_gpu"); NULL: it is not in the table. */
const cs_table_framework *cs_frameworks_table_find(const cs_frameworks_table *table, const char *distribution);
/* The first row that fits the version; NULL: none. */
const cs_table_row *cs_frameworks_table_row(const cs_table_framework *framework, const char *version);

/* Appends what is to be said of a framework whose fields are filled. */
void cs_frameworks_say(const cs_frameworks_table *table, const cs_framework *framework, cs_language language, cs_buffer *out);

#endif
