/* crash_tables.h: the results as the tables of docs/transaction.md, in its form (`./dev crash --table`). */
#ifndef CRASH_TABLES_H
#define CRASH_TABLES_H

#include "crash_jobs.h"

/* States by scenario and model, all environments together, with operations and images. */
void crash_table_scenarios(const crash_job *jobs, size_t count);
/* One line for a whole check; the first call begins the table. */
void crash_table_check(const char *name, const crash_job *jobs, size_t count);
void crash_table_mutants(const crash_job *jobs, size_t count);

#endif
