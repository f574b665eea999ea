/* value_diff.h: an environment value before and after a change, side by side and entry by entry: for /dryrun, /status and the
 * result. */
#ifndef CUDNN_SETUP_VALUE_DIFF_H
#define CUDNN_SETUP_VALUE_DIFF_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/json.h"
#include "cudnn_setup/record.h"

typedef struct cs_value_entry {
    char mark;    /* '+' only after, '-' only before, ' ' in both */
    size_t index; /* from 0: its place after, or before for '-' */
    char *text;   /* owned; as written, "" for an empty entry */
    bool ours;    /* names the tree's bin */
} cs_value_entry;

/* Starts as {0}. */
typedef struct cs_value_diff {
    cs_value_entry *items; /* in order: common entries once, what goes before what comes */
    size_t count;
    bool list; /* PATH, split at ';' as the loader does; false: one value, and an index means nothing */
} cs_value_diff;

/* What is not a string, or a PATH that cannot be split, is one entry that describes it in brackets. host: to know the entries of
 * the tree's bin in every spelling; without a registry only by their text. */
cs_status cs_value_diff_make(const cs_host *host, const char *tree_path, const cs_reg_change *change, cs_value_diff *out,
                             cs_error *error);
void cs_value_diff_free(cs_value_diff *diff);

/* "REG_SZ", "REG_EXPAND_SZ", ..., "type 9". Appends. */
void cs_value_type(cs_buffer *out, uint32_t type);

/* The value for people: its text, "(absent)", "(REG_DWORD, 4 bytes: no text)". Appends, visible. */
void cs_value_show(cs_buffer *out, const cs_reg_value *value);

/* One line per entry, each after indent: mark, index in brackets, text, and which one is ours. only_changes leaves common ones
 * out. Appends; every character visible. */
void cs_value_diff_say(cs_buffer *out, const cs_value_diff *diff, const char *indent, bool only_changes);

/* Heading and lines: "PATH (REG_EXPAND_SZ):" with a change of type said, then the entries. */
void cs_value_change_say(cs_buffer *out, const cs_host *host, const char *tree_path, const cs_reg_change *change,
                         const char *indent, bool only_changes);

/* "entries" of a list in the open object; nothing where it is no list. */
void cs_value_put_entries(cs_json_writer *json, const cs_value_diff *diff);

#endif
