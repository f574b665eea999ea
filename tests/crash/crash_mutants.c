/* The engine's mutants by name, and the switch. */
#include "crash_mutants.h"

cs_mutant cs_engine_mutant = CS_MUTANT_NONE;

const char *crash_mutant_name(cs_mutant mutant) {
    static const char *const names[CS_MUTANTS] = {
        [CS_MUTANT_NONE] = "none",
        [CS_MUTANT_JOURNAL_UNFLUSHED] = "journal not flushed before it gets its name",
        [CS_MUTANT_JOURNAL_NAME_UNSYNCED] = "journal's name not synced before the changes",
        [CS_MUTANT_STAGED_UNFLUSHED] = "staged data not flushed",
        [CS_MUTANT_BARRIER_MISSING] = "no barrier between the two passes",
        [CS_MUTANT_TREE_UNSYNCED] = "tree not synced before the commit",
        [CS_MUTANT_REGISTRY_UNFLUSHED] = "no RegFlushKey before the commit",
        [CS_MUTANT_COMMIT_UNSYNCED] = "commit not synced before the cleaning",
        [CS_MUTANT_UNDO_TREE_UNSYNCED] = "tree not synced at the end of an undo",
        [CS_MUTANT_UNDO_REGISTRY_UNFLUSHED] = "no RegFlushKey at the end of an undo",
        [CS_MUTANT_UNDO_BY_CONTENT] = "undo decides by content",
        [CS_MUTANT_NO_FILE_IDS] = "no file ids",
        [CS_MUTANT_NO_PATH_MERGE] = "no PATH merge",
        [CS_MUTANT_NO_UNDONE_MARKER] = "no undone marker",
        [CS_MUTANT_NO_IDS_NO_MARKER] = "neither ids nor the undone marker",
        [CS_MUTANT_RESERVE_KEPT] = "reserve not given up on a full disk",
        [CS_MUTANT_UNDO_REPLACES] = "undo replaces what stands at a target",
        [CS_MUTANT_RECOVERY_CREATES] = "recovery creates a file",
        [CS_MUTANT_OTHER_NAME] = "a name that is not on the list",
        [CS_MUTANT_RESTLESS] = "recovery writes with nothing to do",
        [CS_MUTANT_FLUSH_RETRIED] = "a failed flush is tried again",
        [CS_MUTANT_WARNING_MISSING] = "no warning of what was not tidied up",
        [CS_MUTANT_PENDING_HIDDEN] = "an unfinished undo reported as done",
        [CS_MUTANT_SERVICE_UNFLUSHED] = "no RegFlushKey before the service's program goes",
    };
    return names[mutant];
}
