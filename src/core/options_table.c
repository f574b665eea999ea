#include "options_table.h"

#define IN(program) (1u << CS_PROGRAM_##program)
#define BOTH        (IN(SETUP) | IN(DOCTOR))
#define EACH        (BOTH | IN(PROBE))
#define V(verb)     (1ul << CS_VERB_##verb)

#define PLACING  (V(INSTALL) | V(REPAIR))
#define MOVING   (PLACING | V(ROLLBACK) | V(UNINSTALL))
#define CHANGING (MOVING | V(RECOVER) | V(FORGET))
#define READING  (V(VERIFY) | V(STATUS) | V(PROBE) | V(DIAGNOSE) | V(SEAL) | V(DETECT) | V(SEARCH_ORDER) | V(NEEDS))
#define OF_TREE  (V(UNINSTALL) | V(ROLLBACK) | V(REPAIR) | V(FORGET) | V(VERIFY) | V(STATUS) | V(PROBE))
#define ALL      (CHANGING | READING)

static void set_quiet(cs_options *o, size_t choice) { o->ui = choice ? CS_UI_FULL : CS_UI_QUIET; }
static void set_passive(cs_options *o, size_t choice) { o->ui = choice ? CS_UI_FULL : CS_UI_PASSIVE; }
static void set_norestart(cs_options *o, size_t choice) { o->norestart = choice == 0; }
static void set_force(cs_options *o, size_t choice) { o->force = choice == 0; }
static void set_dryrun(cs_options *o, size_t choice) { o->dryrun = choice == 0; }
static void set_unverified(cs_options *o, size_t choice) { o->unverified_accept = choice == 0; }
static void set_as_current(cs_options *o, size_t choice) { o->selftest_as_current = choice == 0; }
static void set_stage(cs_options *o, size_t choice) {
    o->stage_gpu = choice == 1;
    o->stage_device = choice == 2;
}
static void set_cudapath(cs_options *o, size_t choice) { o->cudapath_take = choice == 1; }
static void set_inuse(cs_options *o, size_t choice) { o->inuse_aside = choice == 1; }
static void set_env(cs_options *o, size_t choice) {
    static const cs_env_mode modes[] = {CS_ENV_ALL, CS_ENV_PATH, CS_ENV_NONE};
    o->env = modes[choice];
}
static void set_selftest(cs_options *o, size_t choice) {
    static const cs_selftest modes[] = {CS_SELFTEST_AUTO, CS_SELFTEST_REQUIRE, CS_SELFTEST_SKIP};
    o->selftest = modes[choice];
}

#define VERB(group, name, programs, verb, help)                                                                                  \
    { group, name, OPTION_VERB, NULL, programs, V(verb), 0, NULL, help }
#define FLAG(group, name, programs, verbs, set, help)                                                                            \
    { group, name, OPTION_FLAG, NULL, programs, verbs, 0, set, help }
#define CHOICE(group, name, words, programs, verbs, set, help)                                                                   \
    { group, name, OPTION_CHOICE, words, programs, verbs, 0, set, help }
#define TEXT(group, name, value, programs, verbs, help)                                                                          \
    { group, #name, OPTION_TEXT, value, programs, verbs, offsetof(cs_options, name), NULL, help }

const option_row option_rows[] = {
    VERB(GROUP_CHANGE, "install", IN(SETUP), INSTALL, "put cuDNN into the CUDA toolkit (when no verb is given)"),
    VERB(GROUP_CHANGE, "uninstall", IN(SETUP), UNINSTALL, "take everything of ours out again and put back what was there"),
    VERB(GROUP_CHANGE, "rollback", IN(SETUP), ROLLBACK, "undo the newest installation only"),
    VERB(GROUP_CHANGE, "repair", IN(SETUP), REPAIR, "put files back that are missing or were changed"),
    VERB(GROUP_CHANGE, "recover", IN(SETUP), RECOVER, "finish or undo an interrupted run"),
    VERB(GROUP_CHANGE, "forget", IN(SETUP), FORGET, "drop the undo data of all but the newest two installations"),
    VERB(GROUP_LOOK, "verify", BOTH, VERIFY, "compare every file and registry value with what was installed"),
    VERB(GROUP_LOOK, "status", BOTH, STATUS,
         "what is installed, since when, on what trust, what is pending, what undoing would do"),
    VERB(GROUP_LOOK, "seal", IN(DOCTOR), SEAL, "write a manifest with the hash of every file: seal ZIP /out:FILE"),
    VERB(GROUP_LOOK, "detect", IN(DOCTOR), DETECT, "which CUDA toolkits there are and which one is taken, with the reasons"),
    VERB(GROUP_LOOK, "search-order", IN(DOCTOR), SEARCH_ORDER, "which cudnn64_8.dll a new program finds first"),
    VERB(GROUP_LOOK, "needs", IN(DOCTOR), NEEDS, "which DLLs a DLL, or each in a folder, needs, and where they are: needs FILE"),
    VERB(GROUP_LOOK, "probe", IN(DOCTOR), PROBE, "let a new program load cuDNN and compute with it, as this user"),
    VERB(GROUP_LOOK, "?", BOTH, HELP, "this text"),

    TEXT(GROUP_WHAT, archive, "ZIP", BOTH, V(INSTALL) | V(REPAIR) | V(SEAL), "NVIDIA's archive; a dropped .zip is taken as it"),
    TEXT(GROUP_WHAT, cuda, "DIR", BOTH, OF_TREE | V(INSTALL) | V(DETECT) | V(SEARCH_ORDER) | V(DIAGNOSE),
         "the CUDA 10.1 folder, instead of the one that is found"),
    {GROUP_WHAT, "tree", OPTION_ID, "ID", BOTH, OF_TREE | V(INSTALL), offsetof(cs_options, tree), NULL,
     "an installation by the id that /status shows"},
    TEXT(GROUP_WHAT, manifest, "FILE", BOTH, V(INSTALL) | V(REPAIR) | V(SEAL),
         "judge the archive by this manifest, not the built-in one"),
    CHOICE(GROUP_WHAT, "unverified", "accept", IN(SETUP), V(INSTALL), set_unverified,
           "take a copy that nothing vouches for; it is called unverified ever after"),
    TEXT(GROUP_WHAT, dll, "FILE", IN(DOCTOR), V(NEEDS), "the DLL or the folder that needs looks at"),
    TEXT(GROUP_WHAT, out, "FILE", IN(DOCTOR), V(SEAL), "where seal writes the manifest"),

    FLAG(GROUP_HOW, "dryrun", IN(SETUP), CHANGING, set_dryrun, "only say what would be done; needs no administrator"),
    CHOICE(GROUP_HOW, "env", "all|path|none", IN(SETUP), V(INSTALL), set_env, "which of PATH and CUDA_PATH to set (all)"),
    CHOICE(GROUP_HOW, "cudapath", "keep|take", IN(SETUP), V(INSTALL), set_cudapath,
           "keep CUDA_PATH when it names another working toolkit, or take it (keep)"),
    CHOICE(GROUP_HOW, "selftest", "auto|require|skip", IN(SETUP), PLACING, set_selftest,
           "prove the result; require: a failed proof undoes the install (auto)"),
    CHOICE(GROUP_HOW, "selftest-as", "current", EACH, PLACING | V(PROBE), set_as_current,
           "prove it with these rights even if elevated: for throw-away images only"),
    CHOICE(GROUP_HOW, "stage", "loading|gpu|device", IN(PROBE), V(PROBE), set_stage,
           "load every part, compute on the GPU, or only name the GPUs (loading)"),
    CHOICE(GROUP_HOW, "inuse", "fail|aside", IN(SETUP), MOVING, set_inuse,
           "when programs hold the files: stop, or rename under them (fail)"),
    FLAG(GROUP_HOW, "force", IN(SETUP), MOVING | V(FORGET), set_force,
         "over a newer cuDNN, on another file system, with the drive away; forget: all that is kept"),
    FLAG(GROUP_HOW, "norestart", IN(SETUP), ALL, set_norestart, "accepted; no restart is ever made"),

    FLAG(GROUP_OUTPUT, "quiet", BOTH, ALL, set_quiet, "no window and no question, ever"),
    FLAG(GROUP_OUTPUT, "passive", IN(SETUP), ALL, set_passive, "progress only, no question"),
    TEXT(GROUP_OUTPUT, log, "FILE", BOTH, ALL, "the log goes here; %COMPUTERNAME% is replaced"),
    TEXT(GROUP_OUTPUT, json, "FILE", BOTH, ALL, "the result as one JSON object"),
    TEXT(GROUP_OUTPUT, report, "FILE", BOTH, ALL, "the HTML report goes here, not beside the log"),
    CHOICE(GROUP_OUTPUT, "lang", "en|zh-CN", BOTH, ALL | V(HELP), NULL, "language of the window"),
};

const size_t option_row_count = sizeof option_rows / sizeof option_rows[0];
