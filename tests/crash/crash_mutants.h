/* crash_mutants.h: which fault the engine has now; one in a process. */
#ifndef CRASH_MUTANTS_H
#define CRASH_MUTANTS_H

#include "engine_mutants.h"

const char *crash_mutant_name(cs_mutant mutant);

#endif
