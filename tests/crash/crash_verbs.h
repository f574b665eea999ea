/* crash_verbs.h: the verbs in small, from the shipped parts: plans, programs, engine, derived state. Only the archive is replaced
 * by contents in memory. */
#ifndef CRASH_VERBS_H
#define CRASH_VERBS_H

#include "crash_store.h"

typedef enum crash_verb {
    CRASH_INSTALL_802,
    CRASH_INSTALL_803,
    CRASH_UNINSTALL,
    CRASH_ROLLBACK,
    CRASH_REPAIR,
    CRASH_RECOVER
} crash_verb;

enum { CRASH_ROWS_MAX = 4 };
extern unsigned crash_rows; /* 3 or 4; before the first call */
const char *crash_target(unsigned row);
/* The content of a row in "8.0.2" or "8.0.3". */
const char *crash_row_text(const char *version, unsigned row);

/* The first status that failed, as the program would report it. *done, if not NULL: set when the engine has reported success.
 * error may be NULL. seed: decides the transaction's id. */
cs_status crash_verb_run(crash_machine *machine, crash_verb verb, uint64_t seed, bool *done, cs_error *error);

#endif
