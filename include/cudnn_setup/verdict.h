/* verdict.h: everything that can come out of loading and trying cuDNN, as one table: a stable name, what it means for the run,
 * whom it blames, and in English and Simplified Chinese what happened and what to do. docs/verdicts.md lists the names with the
 * test of each.
 *
 * All text is UTF-8. */
#ifndef CUDNN_SETUP_VERDICT_H
#define CUDNN_SETUP_VERDICT_H

#include "cudnn_setup/buffer.h"

typedef enum cs_gpu_verdict {
    CS_GPU_PASSED,
    CS_GPU_SAMPLE, /* everything right, but computed on the CPU by a sample: never "GPU works" */
    CS_GPU_LOADED, /* all parts load: what the second stage comes to */
    /* the installation: what does not load, and why */
    CS_GPU_CUDNN_ABSENT,
    CS_GPU_PART_MISSING,
    CS_GPU_RUNTIME_ABSENT,
    CS_GPU_DEPENDENCY_ABSENT, /* 126: something that a part needs; named from import tables */
    CS_GPU_NEWER_PART,        /* 126: zlibwapi.dll is absent, which only cuDNN 8.3 and newer need */
    CS_GPU_OTHER_MACHINE,     /* 193: a DLL for another processor */
    CS_GPU_DAMAGED,           /* 193: no DLL, or a damaged one */
    CS_GPU_ACCESS_DENIED,     /* 5 */
    CS_GPU_FUNCTION_ABSENT,   /* 127: a DLL on the way lacks what another imports from it */
    CS_GPU_NOT_LOADED,        /* any other error of the loader */
    CS_GPU_LOADED_ELSEWHERE,  /* a part came from another folder than the tree's */
    CS_GPU_OTHER_VERSION,     /* cudnnGetVersion is not the package's */
    CS_GPU_SYMBOL_MISSING,    /* a library lacks a function that it must have: another version, or damaged */
    CS_GPU_PARTS_MIXED,       /* the parts of cuDNN are of different versions */
    CS_GPU_RUNTIME_MIXED,     /* cuDNN was built for another CUDA than the runtime that was found */
    /* the machine */
    CS_GPU_NO_DRIVER,
    CS_GPU_DRIVER_TOO_OLD,
    CS_GPU_DRIVER_MISMATCH, /* parts of the driver of different versions, usually until a restart */
    CS_GPU_DRIVER_BROKEN,
    CS_GPU_NO_DEVICE,
    CS_GPU_DEVICE_HIDDEN, /* CUDA_VISIBLE_DEVICES leaves none */
    CS_GPU_DEVICE_TOO_NEW,
    CS_GPU_DEVICE_TOO_OLD,
    CS_GPU_DEVICE_UNSERVED, /* the library itself says that it has no code for this GPU */
    CS_GPU_DEVICE_BUSY,     /* compute mode: exclusive and taken, or prohibited */
    CS_GPU_MEMORY_TAKEN,
    CS_GPU_WATCHDOG,  /* the system ended a kernel that ran too long */
    CS_GPU_NO_MEMORY, /* of this process */
    /* the work */
    CS_GPU_NOT_INITIALIZED, /* cudnnCreate failed and nothing above explains it */
    CS_GPU_EXECUTION_FAILED,
    CS_GPU_WRONG_RESULT,
    CS_GPU_NO_ALGORITHM, /* not one forward algorithm for a shape */
    /* the process that tried it */
    CS_GPU_HUNG,      /* did not end by the deadline, and was ended */
    CS_GPU_CRASHED,   /* ended by an exception, such as 0xC0000005 */
    CS_GPU_GAVE_UP,   /* 0xC0000409: a library ended the process; cuDNN does so when a part does not fit */
    CS_GPU_NO_ANSWER, /* it ended without a readable answer */
    CS_GPU_REFUSED,   /* it would have had administrator rights */
    CS_GPU_NO_ACCOUNT,
    CS_GPU_NOT_RUN, /* it could not be started */
    CS_GPU_VERDICT_COUNT
} cs_gpu_verdict;

typedef enum cs_gpu_blame {
    CS_GPU_BLAME_NOBODY,
    CS_GPU_BLAME_INSTALLATION, /* the files of cuDNN or CUDA */
    CS_GPU_BLAME_MACHINE,      /* GPU, driver, session, other programs: cuDNN may be installed well */
    CS_GPU_BLAME_UNKNOWN       /* computing went wrong: driver, hardware or library */
} cs_gpu_blame;

/* What it is for the run: the words that a stage's result begins with, and whether it is told as a warning. */
typedef enum cs_verdict_kind {
    CS_VERDICT_PASSED,
    CS_VERDICT_SKIPPED, /* nothing to try it on here: no fault, no warning */
    CS_VERDICT_UNFIT,   /* "skipped" as well, but people should know: this machine cannot use what was installed, as it is */
    CS_VERDICT_FAILED   /* with /selftest:require the installation is taken back */
} cs_verdict_kind;

typedef enum cs_language { CS_ENGLISH, CS_CHINESE, CS_LANGUAGE_COUNT } cs_language;

/* What sentences may speak of; each is a text, empty where it is not known. */
typedef enum cs_fact {
    CS_FACT_DEVICE,
    CS_FACT_CAPABILITY,
    CS_FACT_FREE, /* MiB */
    CS_FACT_TOTAL,
    CS_FACT_DRIVER,        /* "418.96" */
    CS_FACT_DRIVER_CUDA,   /* "CUDA 10.0": the newest that the driver serves */
    CS_FACT_DRIVER_NEEDED, /* "418.96" */
    CS_FACT_RUNTIME,       /* "CUDA 10.1" */
    CS_FACT_RUNTIME_PATH,
    CS_FACT_BUILT_FOR,
    CS_FACT_VISIBLE, /* CUDA_VISIBLE_DEVICES */
    CS_FACT_CULPRIT, /* a file, part or function */
    CS_FACT_NEEDED_BY,
    CS_FACT_FUNCTION,
    CS_FACT_CODE, /* the system's error, or the exit code of a process */
    CS_FACT_STATUS,
    CS_FACT_COUNT_RIGHT,
    CS_FACT_PERCENT, /* of its limit: the worst error */
    CS_FACT_RUN,     /* operation, shape, algorithm and type of a call */
    CS_FACT_OUTCOME,
    CS_FACT_ERROR,
    CS_FACT_LIMIT,
    CS_FACT_COUNT_WRONG,
    CS_FACT_COUNT_RUNS,
    CS_FACT_FOLDER,
    CS_FACT_PARTS,   /* how many */
    CS_FACT_VERSION, /* what cudnnGetVersion says */
    CS_FACT_WANTED,  /* what it should say */
    CS_FACT_SECONDS,
    CS_FACT_COUNT
} cs_fact;

typedef struct cs_facts {
    cs_buffer values[CS_FACT_COUNT];
} cs_facts;

void cs_facts_set(cs_facts *facts, cs_fact fact, const char *format, ...) CS_PRINTF(3, 4); /* replaces */
void cs_facts_free(cs_facts *facts);

const char *cs_gpu_verdict_name(cs_gpu_verdict verdict); /* "driver-too-old"; "unknown" for a number that is none */
/* False if there is no verdict of this name. */
bool cs_gpu_verdict_of_name(const char *name, cs_gpu_verdict *out);
cs_gpu_blame cs_gpu_blame_of(cs_gpu_verdict verdict);
const char *cs_gpu_blame_name(cs_gpu_blame blame); /* "machine" */
cs_verdict_kind cs_verdict_kind_of(cs_gpu_verdict verdict);

/* Appends what happened. facts may be NULL. */
void cs_verdict_say(cs_gpu_verdict verdict, cs_language language, const cs_facts *facts, cs_buffer *out);
/* What to do about it; "" where there is nothing to be done. Lives for ever. */
const char *cs_verdict_advice(cs_gpu_verdict verdict, cs_language language);
/* The sentence before its facts are put in, for tests and translators: {fact}, and [what is left out unless all its facts are
 * known]. */
const char *cs_verdict_pattern(cs_gpu_verdict verdict, cs_language language);
const char *cs_fact_name(cs_fact fact); /* "driver_cuda" */

#endif
