/* document_table.h: tables of the documentation that are computed by tests, so that they cannot say what the code does not do. */
#ifndef DOCUMENT_TABLE_H
#define DOCUMENT_TABLE_H

#include "cudnn_setup/buffer.h"
#include "event_recorder.h"
#include "memory_host.h"

/* Shown as T, so that the tables stay narrow. */
#define TABLE_TREE     "C:\\CUDA\\v10.1"
#define TABLE_V11      "C:\\CUDA\\v11.1"
#define TABLE_STANDARD "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"

/* Where each row begins: CUDA 10.1.243 at TABLE_TREE and behind the link C:\link, another 10.1 at C:\two\v10.1, 11.1 with a cuDNN
 * of its own at TABLE_V11, an empty folder C:\empty, a second local drive D:, and no PATH. */
typedef struct table_machine {
    memory_host *machine;
    const cs_host *host;
    event_recorder events;
} table_machine;

void table_machine_begin(table_machine *m);
void table_machine_end(table_machine *m);
/* A variable of the machine. */
void table_machine_set(table_machine *m, const char *name, uint32_t type, const char *text);

/* Append to a cell: a text; a text as code ("empty" for ""), control characters shown; the ids of the warnings, each once, in the
 * order in which they were said. */
void table_short(const char *text, cs_buffer *out);
void table_code(const char *text, cs_buffer *out);
void table_said(const event_recorder *events, cs_buffer *out);

/* Fails unless the tables stand word for word in the document at path, between "<!-- computed by MARK -->" and "<!-- end -->".
 * Frees tables. CUDNN_SETUP_STATES=FILE writes them there, for copying. */
void table_check(const char *path, const char *mark, cs_buffer *tables);

#endif
