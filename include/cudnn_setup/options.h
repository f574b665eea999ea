/* options.h: the command line as data, from one table that also prints /? (docs: README, "Command line"). */
#ifndef CUDNN_SETUP_OPTIONS_H
#define CUDNN_SETUP_OPTIONS_H

#include <stdbool.h>

#include "cudnn_setup/buffer.h"

typedef enum cs_program { CS_PROGRAM_SETUP, CS_PROGRAM_DOCTOR, CS_PROGRAM_PROBE } cs_program;

typedef enum cs_verb {
    CS_VERB_INSTALL,
    CS_VERB_UNINSTALL,
    CS_VERB_ROLLBACK,
    CS_VERB_REPAIR,
    CS_VERB_RECOVER,
    CS_VERB_FORGET, /* setup, changing */
    CS_VERB_VERIFY,
    CS_VERB_STATUS,
    CS_VERB_HELP, /* both, read-only */
    CS_VERB_DIAGNOSE,
    CS_VERB_SEAL,
    CS_VERB_DETECT,
    CS_VERB_SEARCH_ORDER,
    CS_VERB_NEEDS, /* doctor */
    CS_VERB_PROBE  /* probe */
} cs_verb;

typedef enum cs_ui { CS_UI_FULL, CS_UI_PASSIVE, CS_UI_QUIET } cs_ui;
typedef enum cs_env_mode { CS_ENV_ALL, CS_ENV_PATH, CS_ENV_NONE } cs_env_mode;
typedef enum cs_selftest { CS_SELFTEST_AUTO, CS_SELFTEST_REQUIRE, CS_SELFTEST_SKIP } cs_selftest;

/* Strings are owned, UTF-8; NULL: not given. */
typedef struct cs_options {
    cs_program program;
    cs_verb verb;
    bool verb_given;
    cs_ui ui;
    char *archive, *cuda, *manifest, *log, *json, *lang, *tree, *report, *out, *dll;
    cs_env_mode env;
    bool cudapath_take;
    cs_selftest selftest;
    bool selftest_as_current;
    bool stage_gpu;    /* the probe: compute on the GPU; otherwise it only loads */
    bool stage_device; /* ... or only asks the driver which GPUs there are */
    bool inuse_aside;
    bool unverified_accept;
    bool force, dryrun, norestart;
} cs_options;

/* arguments without the program's own name. CS_E_USAGE with the word and what is wrong with it: then json, log, report, ui and
 * the verb are kept as far as they can be told, so that the failure can be reported where it was asked for. Freed all the same.
 */
cs_status cs_options_parse(cs_program program, const char *const *arguments, size_t count, cs_options *out, cs_error *error);
void cs_options_free(cs_options *options);
/* The other way: the words that give these options again, in one spelling: "/install", "/quiet", "/archive:C:\\x.zip". What
 * counts without being said is left out, but for the verb. Appends to out. */
cs_status cs_options_words(const cs_options *options, cs_strings *out, cs_error *error);
/* The text of /?. */
void cs_options_help(cs_program program, cs_buffer *out);
const char *cs_verb_text(cs_verb verb); /* "install" */

#endif
