/* options_words.c: a command line made from options. */
#include <string.h>

#include "cudnn_setup/options.h"

typedef struct words {
    cs_strings *out;
    cs_error *error;
    cs_status status;
} words;

static void add(words *w, const char *name, const char *value) {
    cs_buffer word = {0};
    cs_buffer_format(&word, "/%s%s%s", name, value ? ":" : "", value ? value : "");
    if (w->status == CS_OK) w->status = cs_buffer_check(&word, w->error);
    if (w->status == CS_OK) w->status = cs_strings_add(w->out, word.data, w->error);
    cs_buffer_free(&word);
}

static void add_text(words *w, const char *name, const char *value) {
    if (value) add(w, name, value);
}

static void add_if(words *w, bool set, const char *name, const char *value) {
    if (set) add(w, name, value);
}

cs_status cs_options_words(const cs_options *o, cs_strings *out, cs_error *error) {
    static const char *const env[] = {"all", "path", "none"}, *const selftest[] = {"auto", "require", "skip"};
    words w = {.out = out, .error = error};
    if (o->verb != CS_VERB_DIAGNOSE && (o->program == CS_PROGRAM_SETUP || o->verb_given)) add(&w, cs_verb_text(o->verb), NULL);
    add_if(&w, o->ui == CS_UI_QUIET, "quiet", NULL);
    add_if(&w, o->ui == CS_UI_PASSIVE, "passive", NULL);
    add_text(&w, "archive", o->archive);
    add_text(&w, "cuda", o->cuda);
    add_text(&w, "tree", o->tree);
    add_text(&w, "manifest", o->manifest);
    add_text(&w, "out", o->out);
    add_if(&w, o->env != CS_ENV_ALL, "env", env[o->env]);
    add_if(&w, o->cudapath_take, "cudapath", "take");
    add_if(&w, o->selftest != CS_SELFTEST_AUTO, "selftest", selftest[o->selftest]);
    add_if(&w, o->selftest_as_current, "selftest-as", "current");
    add_if(&w, o->stage_gpu, "stage", "gpu");
    add_if(&w, o->inuse_aside, "inuse", "aside");
    add_if(&w, o->unverified_accept, "unverified", "accept");
    add_if(&w, o->force, "force", NULL);
    add_if(&w, o->dryrun, "dryrun", NULL);
    add_if(&w, o->norestart, "norestart", NULL);
    add_text(&w, "log", o->log);
    add_text(&w, "json", o->json);
    add_text(&w, "report", o->report);
    add_text(&w, "lang", o->lang);
    return w.status;
}
