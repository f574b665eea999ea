/* preflight.h: what must hold before anything is changed. Each check is read-only and says what is wrong and what to do. */
#ifndef CUDNN_SETUP_PREFLIGHT_H
#define CUDNN_SETUP_PREFLIGHT_H

#include "cudnn_setup/outcome.h"
#include "cudnn_setup/plan.h"

/* CS_E_PLATFORM unless this is Windows 10 or later on an x64 processor (Wine counts as the Windows it says it is). */
cs_status cs_preflight_platform(const cs_host *host, cs_error *error);

/* CS_E_RIGHTS unless the process has administrator rights. */
cs_status cs_preflight_rights(const cs_host *host, cs_error *error);

/* The tree's volume: local fixed NTFS, or ReFS with a warning; anything else is CS_E_UNSUPPORTED, or with force a warning that
 * says that a crash in the middle is not covered. */
cs_status cs_preflight_volume(const cs_host *host, const char *tree_path, bool force, cs_error *error);

/* CS_E_NO_SPACE with both numbers unless need bytes, and a little more, are free on the tree's volume. */
cs_status cs_preflight_space(const cs_host *host, const char *tree_path, uint64_t need, cs_error *error);

/* The version of the cuDNN of this major version in the tree, as CUDNN_VERSION counts (8003): the higher of what
 * include\cudnn_version.h and the version resource of bin\cudnn64_<major>.dll say; 0: none, or unknown. */
uint32_t cs_preflight_present_version(const cs_host *host, const char *tree_path, uint32_t cudnn_version);

/* CS_E_NEWER if a newer cuDNN of the same major version is in the tree; with force a warning. Unknown is not newer. */
cs_status cs_preflight_newer(const cs_host *host, const char *tree_path, const cs_manifest *manifest, bool force,
                             cs_error *error);

/* Running programs that hold one of the package's DLLs while the plan moves any DLL: CS_E_IN_USE with their names, or warnings
 * with aside. Fills outcome->in_use. Finding them is optional: a failure to find out is a warning. */
cs_status cs_preflight_in_use(const cs_host *host, const cs_plan *plan, bool aside, cs_outcome *outcome, cs_error *error);

#endif
