/* engine_fixture.h: transactions in small, on a machine in memory: enough of a planner to drive the engine through an
 * installation, an installation over another, uninstall, roll-back and repair. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "cudnn_setup/transaction.h"
#include "memory_host.h"

#define FIXTURE_TREE    "D:\\CUDA [x] & 10.1" /* not on the volume of P */
#define FIXTURE_STATE   "C:\\Program Files\\cudnn-setup\\state"
#define FIXTURE_DLL     FIXTURE_TREE "\\bin\\cudnn64_8.dll"
#define FIXTURE_HEADER  FIXTURE_TREE "\\include\\cudnn.h"
#define FIXTURE_LIB     FIXTURE_TREE "\\lib\\x64\\cudnn.lib"
#define FIXTURE_LICENCE FIXTURE_TREE "\\NVIDIA_SLA_cuDNN_Support.txt"

typedef enum fixture_scenario {
    FIXTURE_FRESH,     /* a header of an older cuDNN is there, lib\x64 is not */
    FIXTURE_OVER_OURS, /* a second installation over the first */
    FIXTURE_UNINSTALL, /* of the first */
    FIXTURE_ROLLBACK,  /* of the second */
    FIXTURE_REPAIR,    /* of a damaged file and a deleted one */
    FIXTURE_GONE,      /* uninstall after the tree was deleted */
    FIXTURE_SCENARIOS
} fixture_scenario;

const char *fixture_name(fixture_scenario scenario);
/* The machine before the scenario's transaction. */
memory_host *fixture_machine(fixture_scenario scenario);
/* Lock, recover, plan, stage, commit; gives up what was staged on a failure before the journal. */
cs_status fixture_run(memory_host *m, fixture_scenario scenario, cs_error *error);
/* Lock, recover. */
cs_status fixture_recover(memory_host *m, bool *did_work, cs_error *error);
/* Everything that a transaction may change, for comparing: the tree, the environment, P\state without the lock. free(). */
char *fixture_state(memory_host *m);
/* The tree without .cudnn-setup, and the environment: what a user sees. free(). */
char *fixture_public(memory_host *m);
/* A whole record as the first installation makes it, without any machine. */
void fixture_record(cs_record *out);

#endif
