/* survey.h: what there is to know about this computer before cuDNN is installed: what the window's first page shows. Looking
 * changes nothing, takes no lock and writes no log. */
#ifndef CUDNN_SETUP_SURVEY_H
#define CUDNN_SETUP_SURVEY_H

#include "cudnn_setup/frameworks.h"
#include "cudnn_setup/machine.h"
#include "cudnn_setup/manifest.h"
#include "cudnn_setup/operations.h"
#include "cudnn_setup/result.h"
#include "cudnn_setup/toolkit.h"

/* Strings are owned; NULL: not known, or not there. */
typedef struct cs_survey {
    cs_manifest manifest; /* empty where status says that it cannot be read */
    char *archive;        /* the one that was or would be taken */
    cs_toolkits toolkits;
    cs_machine machine; /* the driver; the GPUs once they were asked */
    bool gpus_asked;
    cs_frameworks frameworks; /* of the Python environments here */
    char *present;            /* version of the cuDNN that stands in the tree: "7.6.5" */
    /* Of the tree that would be changed: something of ours is installed there, and whether it is this package. */
    bool installed, same_package;
    size_t levels;       /* installations on top of each other */
    char *other_toolkit; /* CUDA_PATH names this working toolkit, and would keep it */
    /* The dry run of an installation; of a tree where this package is installed, what comparing it with its record gives, and
     * where that differs, what a dry run of the repair says. */
    cs_status repair_status;
    cs_buffer repair_message;
    bool accepts_unverified;  /* as the options said */
    bool could_be_unverified; /* the archive is refused, and accepting it unverified would let it be tried */
    cs_status status;
    cs_outcome outcome;
    cs_warnings warnings;
} cs_survey;

/* Looks. options: those of an installation (archive, cuda, manifest, ...; dryrun is set here). host->events hears the steps and
 * progress, and may cancel (status CS_E_CANCELLED). *out starts as {0} and is freed in every case. */
void cs_survey_look(const cs_host *host, const cs_options *options, cs_survey *out);
void cs_survey_free(cs_survey *machine);

/* Takes over what the driver answered about GPUs (cs_machine_ask), and frees the rest of it. */
void cs_survey_take_gpus(cs_survey *survey, cs_machine *answer);

/* "7.6.5" from cudnn_version.h, or cudnn.h before version 8, in the tree; NULL: none, or it does not say. Owned by the caller. */
char *cs_survey_header_version(const cs_host *host, const char *tree);

/* The CUDA folders where something of ours is installed, as far as the records can be read. Adds to out. */
void cs_survey_installed(const cs_host *host, const cs_options *options, cs_strings *out);

/* The licence text of the judged archive, which is read from the file that is open there: one row of the package alone is
 * unpacked, in memory. Replaces out; CS_E_FORMAT if the package has none. */
cs_status cs_survey_licence(const cs_host *host, const cs_survey *machine, cs_buffer *out, cs_error *error);

#endif
