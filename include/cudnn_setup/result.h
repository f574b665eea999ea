/* result.h: the /json object and the HTML report, both made from the outcome. docs/result.schema.json describes the object. */
#ifndef CUDNN_SETUP_RESULT_H
#define CUDNN_SETUP_RESULT_H

#include "cudnn_setup/outcome.h"
#include "cudnn_setup/verdict.h"

enum { CS_RESULT_SCHEMA = 1 };

typedef struct cs_warning {
    char *id, *text; /* owned */
} cs_warning;

typedef struct cs_warnings {
    cs_warning *items;
    size_t count;
} cs_warnings;

cs_status cs_warnings_add(cs_warnings *warnings, const char *id, const char *text, cs_error *error);
void cs_warnings_free(cs_warnings *warnings);

/* Everything that a finished run has to say. Nothing is owned. */
typedef struct cs_result_view {
    const char *program; /* "cudnn-setup" */
    const char *version; /* of the program; NULL: unknown */
    cs_verb verb;
    bool no_verb; /* the command line could not be understood, and no verb was seen on it */
    bool dryrun;
    cs_language language; /* of the HTML page; what stands in /json stays English */
    int exit_code;
    const cs_outcome *outcome;
    const cs_warnings *warnings;
    const char *report; /* text for people of a verb that only looks; "" otherwise */
    const char *log;    /* path; "": there is none */
    const char *time;   /* UTC, as in the log */
    uint64_t ms;
} cs_result_view;

/* "cudnn-setup", "cudnn-doctor", "cudnn-probe". */
const char *cs_program_text(cs_program program);

/* One JSON object, UTF-8, laid out for people. Facts that are not known are absent. Replaces out. */
cs_status cs_result_json(const cs_result_view *view, cs_buffer *out, cs_error *error);

/* A page that stands alone: no script, no link, nothing fetched (Content-Security-Policy default-src 'none'), everything escaped
 * and control and direction characters shown as \u{...}. Replaces out. */
cs_status cs_result_html(const cs_result_view *view, cs_buffer *out, cs_error *error);

/* How every result starts: by this an earlier one is known, so that nothing else is ever replaced. */
#define CS_RESULT_JSON_START "{\n  \"schema\": 1,\n  \"program\": \"cudnn-"
#define CS_RESULT_HTML_START                                                                                                     \
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"                                                    \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"

#endif
