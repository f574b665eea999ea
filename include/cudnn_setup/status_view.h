/* status_view.h: what /status knows, as data: the records, what lies in the trees, what the registry holds now, and what undoing
 * would do. Gathered without changing anything; one damaged record never hides the others. */
#ifndef CUDNN_SETUP_STATUS_VIEW_H
#define CUDNN_SETUP_STATUS_VIEW_H

#include "cudnn_setup/json.h"
#include "cudnn_setup/plan.h"
#include "cudnn_setup/value_diff.h"
#include "cudnn_setup/verb.h"

/* How a value that a receipt wrote stands now. */
typedef enum cs_value_fate {
    CS_VALUE_WRITTEN,    /* as we wrote it */
    CS_VALUE_EDITED,     /* PATH only: somebody edited it, and our folder is in it */
    CS_VALUE_BEFORE,     /* as before us */
    CS_VALUE_OTHER,      /* something else: another value, or a PATH without our folder */
    CS_VALUE_REPLACED,   /* a newer receipt, of this tree or another, wrote it again */
    CS_VALUE_UNREADABLE, /* not known */
    CS_VALUE_FATES
} cs_value_fate;

/* "as-written", "edited", "as-before", "other", "rewritten", "unreadable". */
const char *cs_value_fate_word(cs_value_fate fate);

typedef struct cs_status_value {
    const cs_reg_change *change; /* in the receipt */
    cs_value_diff diff;
    cs_value_fate fate;
    bool has_place;
    size_t place;     /* of our entry in PATH now, from 0 */
    cs_reg_value now; /* owned; meaningful unless REPLACED or UNREADABLE */
} cs_status_value;

/* One receipt. */
typedef struct cs_status_level {
    const cs_receipt *receipt; /* in the tree's head */
    bool builtin;              /* judged by the manifest that this program carries */
    size_t ours, already;
    size_t undo_files, undo_absent; /* old files that it names; of these not there any more */
    uint64_t undo_bytes;            /* of those that are there */
    cs_status_value *values;
    size_t value_count;
} cs_status_level;

typedef enum cs_status_what {
    CS_PRIVATE_PARKED,   /* an old file that may not be put back, since somebody else's stands there */
    CS_PRIVATE_UNNAMED,  /* an old file that no record names */
    CS_PRIVATE_WAITING,  /* is dropped by the next changing run */
    CS_PRIVATE_LEFTOVER, /* of an interrupted unpacking; the next changing run drops it */
    CS_PRIVATE_COUNT
} cs_status_what;

/* A file in <tree>\.cudnn-setup. */
typedef struct cs_status_file {
    cs_status_what what;
    char *path;   /* owned, full */
    char *target; /* owned; NULL: not known */
    bool there;
    uint64_t size;
} cs_status_file;

/* Unfinished work of a tree. */
typedef struct cs_status_work {
    const char *name; /* a literal: "journal", "committed", "undone", "intent" */
    bool readable;
    cs_kind kind; /* with readable, not of an intent */
    bool has_time;
    int64_t time; /* when it was written */
    size_t files, values;
    char *path;    /* owned; the tree it is about; NULL: not known */
    char *problem; /* owned; why it cannot be read; NULL: it can */
} cs_status_work;

/* What an undoing verb would do now. */
typedef struct cs_status_effect {
    bool asked; /* false: nothing to undo, or not looked for */
    cs_plan plan;
    size_t restored, removed, kept, missing, same;
    char *problem; /* owned; why it cannot be told, or would be refused; NULL: the plan counts */
} cs_status_effect;

typedef enum cs_status_folder {
    CS_STATUS_HERE,
    CS_STATUS_GONE,
    CS_STATUS_LINK,    /* a link or a file in its place */
    CS_STATUS_AWAY,    /* the drive is not there, or another one under its letter */
    CS_STATUS_STRANGE, /* another folder at the same path */
    CS_STATUS_UNKNOWN,
    CS_STATUS_FOLDERS
} cs_status_folder;

typedef struct cs_status_tree {
    cs_known_tree known; /* id and record; an empty record if there is none or it cannot be read */
    bool has_record;
    char *problem; /* owned; NULL: the record was read */
    cs_status problem_status;
    bool has_time;
    int64_t time; /* of the last finished change */
    cs_status_folder folder;
    cs_status_work *works;
    size_t work_count;
    cs_status_level *levels; /* newest first */
    size_t level_count;
    cs_status_file *files;
    size_t file_count;
    char *private_problem; /* owned; why the private folder could not be looked through; NULL: it was, or is not there */
    cs_status_effect rollback, uninstall; /* rollback: only where it differs from uninstall */
} cs_status_tree;

typedef struct cs_status_view {
    const cs_host *host; /* borrowed: knows the time zone */
    cs_status_tree *trees;
    size_t tree_count;
    bool copy;           /* read from the readable copies: the records are for administrators */
    bool service;        /* the recovery service is registered */
    bool running;        /* another run is at work now */
    cs_strings not_seen; /* sentences */
} cs_status_view;

/* Fills out from what the run's session can read; tree and cuda of the options choose one tree (CS_E_NOTHING if none fits).
 * effects: also what rollback and uninstall would do, which hashes every file. Failures to read one thing are in the view; only
 * lack of memory, or a folder of records that cannot be listed, is one of this call. */
cs_status cs_status_gather(cs_run *run, bool effects, cs_status_view *out);
void cs_status_view_free(cs_status_view *view); /* accepts NULL content */

/* The parts of gathering, each in a file of its own. */
cs_status cs_status_gather_records(cs_run *run, cs_status_view *out);
cs_status cs_status_gather_levels(cs_run *run, const cs_status_view *view, cs_status_tree *tree);
/* Where the tree's folder is. */
cs_status cs_status_gather_folder(cs_run *run, cs_status_tree *tree);
cs_status cs_status_gather_private(cs_run *run, cs_status_tree *tree);
cs_status cs_status_gather_effects(cs_run *run, cs_status_tree *tree);

/* For people. Appends. */
void cs_status_say(const cs_status_view *view, cs_buffer *out);

/* Only the unfinished work, tree by tree; of a view that has its records. Appends. */
void cs_status_say_pending(const cs_status_view *view, cs_buffer *out);

/* For machines: "recovery_service", "running", "not_seen" and "installations" of the result. */
void cs_status_put(const cs_status_view *view, cs_json_writer *json);

/* What the trust of a receipt rests on, for people: "the archive whose SHA-256 the built-in manifest names (...)". Appends. */
void cs_status_say_trust(cs_buffer *out, const cs_trust *trust, bool builtin);

#endif
