/* crash_verbs.h: the shipped verbs (operations.h) on a machine of the explorer: command line's options in, outcome out. */
#ifndef CRASH_VERBS_H
#define CRASH_VERBS_H

#include "crash_store.h"

typedef enum crash_verb {
    CRASH_INSTALL_802,
    CRASH_INSTALL_803,
    CRASH_UNINSTALL,
    CRASH_ROLLBACK,
    CRASH_REPAIR,
    CRASH_RECOVER,
    CRASH_VERB_MASK = 15,
    CRASH_FROM_P = 16,  /* the program that runs is the copy in P, as Apps & Features and the recovery service start it */
    CRASH_ON_OTHER = 32 /* on CRASH_OTHER_TREE */
} crash_verb;

/* What a run told. */
typedef struct crash_told {
    bool durable;            /* the engine has said that the change is final: from now on only After will do */
    unsigned warnings;       /* events of that kind */
    unsigned long undo_call; /* number of the machine's first call after the run began to take its changes back; 0: it did not */
    cs_error error;          /* of the outcome; zero: none */
    char message[1536];      /* the outcome's one sentence */
} crash_told;

enum { CRASH_ROWS_MAX = 4 };
extern unsigned crash_rows; /* 3 or 4; before the first call */
const char *crash_target(unsigned row);
/* The content of a row in "8.0.2" or "8.0.3". */
const char *crash_row_text(const char *version, unsigned row);

/* The two packages, archive and manifest, as files of the machine. */
void crash_put_packages(crash_image *image);

/* The outcome's status. seed: decides the transaction's id. told may be NULL. */
cs_status crash_verb_run(crash_machine *machine, crash_verb verb, uint64_t seed, crash_told *told);

#endif
