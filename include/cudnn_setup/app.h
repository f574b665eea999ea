/* app.h: a whole run of one of the programs: command line, log, the verb, JSON, report, last words. What is different on each
 * system, and between a console and a window, is in the front. */
#ifndef CUDNN_SETUP_APP_H
#define CUDNN_SETUP_APP_H

#include "cudnn_setup/operations.h"
#include "cudnn_setup/result.h"

/* What a run says when it ends. Nothing is owned. */
typedef struct cs_app_end {
    int exit_code;
    const cs_options *options; /* NULL: the command line could not be read */
    const char *message;       /* a sentence for people; "" after /? */
    const char *report;        /* text for people of /? and of the verbs that only look; "" otherwise */
    const char *log;           /* path; "": there is none */
    /* NULL after /?: what the /json result is made from. */
    const cs_outcome *outcome;
    const cs_result_view *result;
} cs_app_end;

/* Any function may be NULL, except absolute. Text is UTF-8 as it came: the front makes it visible (console.h does). */
typedef struct cs_app_front {
    void *ctx;
    const char *version; /* of the program; NULL: unknown */
    /* A path from the command line made absolute (current folder; "C:x"; GetFullPathNameW). Replaces out. */
    cs_status (*absolute)(void *ctx, const char *path, cs_buffer *out, cs_error *error);
    void (*begin)(void *ctx, const cs_options *options); /* before the first event */
    void (*event)(void *ctx, const cs_event *event);
    bool (*confirm)(void *ctx, const cs_options *options); /* asked before a verb changes anything, CS_UI_FULL only */
    bool (*cancelled)(void *ctx);
    void (*end)(void *ctx, const cs_app_end *end);
} cs_app_front;

/* Which verb does what: exactly one of the functions is set. */
typedef struct cs_app_verb {
    cs_verb verb;
    bool changes; /* needs an administrator unless /dryrun */
    cs_operation operation;
    cs_status (*look)(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);
    /* The same with an exit code of its own: the diagnosis. */
    int (*judge)(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);
} cs_app_verb;

/* The verbs of the programs, from operations.h and diagnose.h. */
extern const cs_app_verb cs_app_verbs[];
extern const size_t cs_app_verb_count;

/* Runs one command line from its words (without the program's own name) to its exit code, with this table of verbs. host->events
 * is not used: the run makes its own and hands every event to the log, the warnings of the result, and the front. */
int cs_app_run_verbs(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                     const cs_app_front *front, const cs_app_verb *verbs, size_t verb_count);

/* The same with cs_app_verbs. */
int cs_app_run(const cs_host *host, cs_program program, const char *const *arguments, size_t count, const cs_app_front *front);

/* Whether the command line can be understood and the files that it names for output may be written: what cs_app_run would refuse
 * before its work. Writes nothing. Of front only absolute is used. */
bool cs_app_accepts(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                    const cs_app_front *front);

/* A run that was ended before it began, as by closing the window: /json and /report are written where the command line names
 * them, with this status (CS_OK is result "already") and message; nothing else is done, and there is no log. */
int cs_app_run_unbegun(const cs_host *host, cs_program program, const char *const *arguments, size_t count,
                       const cs_app_front *front, cs_status status, const char *message);

#endif
