/* document_table.h: tables of the documentation that are computed by tests, so that they cannot say what the code does not do. */
#ifndef DOCUMENT_TABLE_H
#define DOCUMENT_TABLE_H

#include "cudnn_setup/buffer.h"
#include "event_recorder.h"

/* Shown as T, so that the tables stay narrow. */
#define TABLE_TREE     "C:\\CUDA\\v10.1"
#define TABLE_STANDARD "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1"

/* Append to a cell: a text; a text as code ("empty" for ""), control characters shown; the ids of the warnings, each once, in the
 * order in which they were said. */
void table_short(const char *text, cs_buffer *out);
void table_code(const char *text, cs_buffer *out);
void table_said(const event_recorder *events, cs_buffer *out);

/* Fails unless the tables stand word for word in the document at path, between "<!-- computed by MARK -->" and "<!-- end -->".
 * Frees tables. CUDNN_SETUP_STATES=FILE writes them there, for copying. */
void table_check(const char *path, const char *mark, cs_buffer *tables);

#endif
