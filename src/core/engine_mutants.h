/* engine_mutants.h: the engine's own faults, one at a time, for the crash explorer (tests/crash): each leaves out one thing that
 * the protocol rests on, and the explorer has to see it. Nothing of this is in the product: there CS_MUTANT is false. */
#ifndef CUDNN_SETUP_ENGINE_MUTANTS_H
#define CUDNN_SETUP_ENGINE_MUTANTS_H

typedef enum cs_mutant {
    CS_MUTANT_NONE,
    CS_MUTANT_JOURNAL_UNFLUSHED,     /* the journal gets its name before its bytes are on the disk */
    CS_MUTANT_JOURNAL_NAME_UNSYNCED, /* changes begin before its name is */
    CS_MUTANT_STAGED_UNFLUSHED,
    CS_MUTANT_BARRIER_MISSING,    /* in both directions */
    CS_MUTANT_TREE_UNSYNCED,      /* before the commit */
    CS_MUTANT_REGISTRY_UNFLUSHED, /* before the commit */
    CS_MUTANT_COMMIT_UNSYNCED,    /* before anything is dropped */
    CS_MUTANT_UNDO_TREE_UNSYNCED, /* at the end of an undo */
    CS_MUTANT_UNDO_REGISTRY_UNFLUSHED,
    CS_MUTANT_UNDO_BY_CONTENT,  /* a file is ours if it has our bytes */
    CS_MUTANT_NO_FILE_IDS,      /* a file is ours if it has our name */
    CS_MUTANT_NO_PATH_MERGE,    /* PATH goes back only if nobody else changed it */
    CS_MUTANT_NO_UNDONE_MARKER, /* `new` is dropped while the journal stands */
    CS_MUTANT_NO_IDS_NO_MARKER, /* neither of the two */
    CS_MUTANT_RESERVE_KEPT,     /* "no space" is an answer, whatever lies in reserve */
    CS_MUTANT_UNDO_REPLACES,    /* an old file comes back over whatever stands at its target */
    CS_MUTANT_RECOVERY_CREATES, /* a file */
    CS_MUTANT_OTHER_NAME,       /* a file under a name that is not on the list */
    CS_MUTANT_RESTLESS,         /* recovery writes though there is nothing to do */
    CS_MUTANT_FLUSH_RETRIED,
    CS_MUTANT_WARNING_MISSING,   /* nothing is said of tidying up that is not finished */
    CS_MUTANT_PENDING_HIDDEN,    /* an undo that is not finished is reported as done */
    CS_MUTANT_SERVICE_UNFLUSHED, /* its program goes while a crash could bring the service back */
    CS_MUTANTS
} cs_mutant;

#ifdef CS_ENGINE_MUTANTS
extern cs_mutant cs_engine_mutant;
#define CS_MUTANT(name) (cs_engine_mutant == CS_MUTANT_##name)
#else
#define CS_MUTANT(name) false
#endif

#endif
