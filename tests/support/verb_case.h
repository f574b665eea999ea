/* verb_case.h: a machine in memory with a CUDA 10.1 toolkit and small packages, on which the verbs run as in a program. */
#ifndef VERB_CASE_H
#define VERB_CASE_H

#include "cudnn_setup/operations.h"
#include "memory_host.h"

#define VERB_TREE    "C:\\CUDA\\v10.1"
#define VERB_MEDIA   "C:\\media"
#define VERB_P       "C:\\Program Files\\cudnn-setup"
#define VERB_ENTRIES CS_KEY_UNINSTALL "\\cudnn-setup-"

enum { VERB_ROWS = 6 };
extern const char *const verb_targets[VERB_ROWS]; /* with '/', in the manifest's order */

typedef struct verb_case {
    memory_host *machine;
    const cs_host *host;
    cs_events events;
    cs_options options; /* the case frees none of its strings */
    cs_outcome outcome;
    cs_buffer told;        /* one line per step, note and warning: "warning id: text" */
    unsigned cancel_after; /* cancelled() answers true from this call on; 0: never */
    unsigned asked;
    bool not_a_sample; /* what the next packages say of themselves */
} verb_case;

/* VERB_TREE is a toolkit named by CUDA_PATH_V10_1; the program is VERB_MEDIA\cudnn-setup.exe; nothing is installed. */
void verb_case_begin(verb_case *c);
void verb_case_end(verb_case *c);

/* Writes VERB_MEDIA\<name>.zip and its manifest VERB_MEDIA\<name>.json. The files' content is made from tag: packages with the
 * same tag are the same; the licence is the same in all. sealed: the manifest has each file's size and hash instead. */
void verb_case_package(verb_case *c, const char *name, const char *version, unsigned cudnn_version, const char *tag, bool sealed);
/* The content that a package puts at a target. Lives until the next call. */
const char *verb_case_content(const char *tag, size_t row);

/* Runs a verb with c->options and returns the exit code. The outcome and what was told are those of this run. */
int verb_case_run(verb_case *c, cs_operation verb);
/* Installs the package of that name with c->options. */
int verb_case_install(verb_case *c, const char *name);

bool verb_case_told(const verb_case *c, const char *text);
/* The state of a target in the outcome; "" if it is not there. */
const char *verb_case_state(const verb_case *c, const char *target);
/* Puts a file with this text into the tree (target with '/'), and what a file there holds (NULL: absent). */
void verb_case_put(verb_case *c, const char *target, const char *text);
const char *verb_case_get(verb_case *c, const char *target);

/* Everything that an installation may touch except P: the tree and the registry. Owned by the caller: free(). */
char *verb_case_dump(verb_case *c);
/* Nothing of ours is left but P\logs and P\state\lock. */
void verb_case_assert_clean(verb_case *c);
/* No file is open any more. */
void verb_case_assert_closed(const verb_case *c);

#endif
