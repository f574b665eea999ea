/* wizard_actions.c: what a button does: looking again, the words of a run, questions, texts to read. */
#include "wizard_internal.h"

#include "cudnn_setup/path.h"

void wizard_go(wizard *w, cs_window_event event) { w->at = cs_window_next(w->at, event); }

void wizard_start_look(wizard *w) {
    wizard_go(w, CS_WINDOW_AGAIN);
    cs_page_ready(NULL, w->language, &w->page);
    wizard_show_page(w);
    if (!w->gpus_wanted) wizard_ask_gpus(w);
    w->gpus_wanted = true;
    wizard_look(w);
}

void wizard_show_ready(wizard *w) {
    cs_page_ready(w->survey, w->language, &w->page);
    wizard_show_page(w);
}

/* The tree that the first page speaks of. */
static const char *chosen_tree(const wizard *w) {
    const cs_toolkits *all = w->survey ? &w->survey->toolkits : NULL;
    return all && all->chosen < all->count ? all->items[all->chosen].path : NULL;
}

/* The words of a run: the command line's options where they belong to the verb, and what was chosen here. */
static bool make_words(wizard *w, cs_verb verb) {
    bool places = verb == CS_VERB_INSTALL || verb == CS_VERB_REPAIR;
    cs_options plan = *w->options; /* borrowed strings */
    const char *tree = w->survey ? chosen_tree(w) : w->cuda,
               *archive = w->survey && w->survey->archive ? w->survey->archive : w->archive;
    cs_options all = {.program = w->options->program, .verb = verb, .verb_given = true};
    cs_strings_free(&w->words);
    all.lang = (char *)(uintptr_t)(w->language == CS_CHINESE ? "zh-CN" : "en");
    all.log = plan.log, all.json = plan.json, all.report = plan.report, all.norestart = plan.norestart;
    all.tree = plan.tree, all.cuda = plan.cuda;
    if (w->cuda) all.tree = NULL; /* another was chosen than the command line's */
    if (tree && !all.tree) all.cuda = (char *)(uintptr_t)tree;
    if (places) {
        all.archive = archive ? (char *)(uintptr_t)archive : plan.archive;
        all.manifest = plan.manifest;
        all.selftest = plan.selftest;
        all.selftest_as_current = plan.selftest_as_current;
    }
    if (verb == CS_VERB_PROBE) all.selftest_as_current = plan.selftest_as_current;
    if (verb == CS_VERB_INSTALL) {
        all.env = plan.env;
        all.unverified_accept = plan.unverified_accept || w->unverified;
        all.cudapath_take = plan.cudapath_take || IsDlgButtonChecked(w->window, IDC_CUDA_PATH) == BST_CHECKED;
        if (all.env != CS_ENV_ALL) all.cudapath_take = false;
    }
    if (verb != CS_VERB_VERIFY && verb != CS_VERB_PROBE && verb != CS_VERB_RECOVER && verb != CS_VERB_FORGET)
        all.inuse_aside = plan.inuse_aside;
    if (verb != CS_VERB_VERIFY && verb != CS_VERB_PROBE && verb != CS_VERB_RECOVER) all.force = plan.force;
    if (verb == CS_VERB_RECOVER) all.cuda = all.tree = NULL;
    if (verb == CS_VERB_PROBE) all.program = CS_PROGRAM_DOCTOR;
    w->program = all.program;
    w->verb = verb;
    return cs_options_words(&all, &w->words, NULL) == CS_OK;
}

bool wizard_changes(const wizard *w) { return w->verb != CS_VERB_VERIFY && w->verb != CS_VERB_PROBE; }

static void begin(wizard *w) {
    static const wchar_t no_reason[] = L"";
    cs_buffer reason = {0};
    const wchar_t *why = common_wide(&reason, cs_phrase_text(CS_SAY_SHUTDOWN_REASON, w->language));
    wizard_go(w, CS_WINDOW_START);
    wizard_show_working(w);
    if (wizard_changes(w)) ShutdownBlockReasonCreate(w->window, why ? why : no_reason);
    cs_buffer_free(&reason);
    if (!wizard_start_run(w)) PostMessageW(w->window, MESSAGE_ENDED, 0, 0);
}

void wizard_run_verb(wizard *w, cs_verb verb) {
    if (make_words(w, verb)) begin(w);
}

/* ---- questions before a change ---- */

bool wizard_choose_tree(wizard *w, cs_verb verb) {
    bool open = verb == CS_VERB_UNINSTALL || verb == CS_VERB_ROLLBACK || verb == CS_VERB_REPAIR || verb == CS_VERB_VERIFY;
    cs_strings trees = {0};
    size_t index = 0;
    if (!open || w->options->tree || w->options->cuda) return true;
    cs_survey_installed(&w->host, w->options, &trees);
    if (trees.count > 1) index = wizard_choose(w, &trees, CS_SAY_ASK_WHICH, CS_SAY_ASK_WHICH_MORE);
    bool chosen = trees.count < 2 || index < trees.count;
    if (trees.count > 1 && chosen) w->cuda = cs_strdup(trees.items[index]);
    cs_strings_free(&trees);
    return chosen;
}

bool wizard_confirm(wizard *w, cs_verb verb) {
    static const struct {
        cs_verb verb;
        cs_phrase question, more, yes;
    } rows[] = {{CS_VERB_UNINSTALL, CS_SAY_ASK_UNINSTALL, CS_SAY_ASK_UNINSTALL_MORE, CS_SAY_UNINSTALL},
                {CS_VERB_ROLLBACK, CS_SAY_ASK_ROLL_BACK, CS_SAY_ASK_ROLL_BACK_MORE, CS_SAY_ROLL_BACK},
                {CS_VERB_REPAIR, CS_SAY_ASK_REPAIR, CS_SAY_ASK_REPAIR_MORE, CS_SAY_REPAIR},
                {CS_VERB_RECOVER, CS_SAY_ASK_RECOVER, CS_SAY_ASK_RECOVER_MORE, CS_SAY_GO_ON},
                {CS_VERB_FORGET, CS_SAY_ASK_FORGET, CS_SAY_ASK_FORGET_MORE, CS_SAY_GO_ON}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].verb == verb) return wizard_ask(w, rows[i].question, rows[i].more, rows[i].yes, CS_SAY_KEEP);
    return true;
}

static void ask_and_run(wizard *w, cs_verb verb) {
    if (wizard_confirm(w, verb)) wizard_run_verb(w, verb);
}

/* ---- what a button does ---- */

void wizard_set_archive(wizard *w, const char *path) {
    char *copy = cs_strdup(path);
    if (!copy) return;
    cs_free(w->archive);
    w->archive = copy;
    w->unverified = false; /* it was said of another file */
    wizard_start_look(w);
}

void wizard_set_cuda(wizard *w, const char *path) {
    char *copy = cs_strdup(path);
    if (!copy) return;
    cs_free(w->cuda);
    w->cuda = copy;
    wizard_start_look(w);
}

/* A folder that was refused is not asked for again: what is found without it may have come since. */
static void check_again(wizard *w) {
    if (!chosen_tree(w)) {
        cs_free(w->cuda);
        w->cuda = NULL;
    }
    wizard_start_look(w);
}

static void choose_toolkit(wizard *w) {
    cs_buffer path = {0};
    if (wizard_choose_folder(w, CS_SAY_FOLDER_TITLE, &path)) wizard_set_cuda(w, path.data);
    cs_buffer_free(&path);
}

static void choose_archive(wizard *w) {
    cs_buffer path = {0};
    if (wizard_choose_archive(w, &path)) wizard_set_archive(w, path.data);
    cs_buffer_free(&path);
}

static void show_changes(wizard *w) {
    cs_buffer text = {0};
    cs_page_changes(w->survey, w->language, &text);
    wizard_show_text(w, cs_phrase_text(CS_SAY_CHANGES_TITLE, w->language), cs_buffer_string(&text), false);
    cs_buffer_free(&text);
}

static void show_licence(wizard *w) {
    cs_buffer title = {0};
    wizard_read_licence(w);
    cs_say(&title, CS_SAY_LICENCE_TITLE, w->language, "name", cs_path_name(w->survey->archive), NULL);
    wizard_show_text(w, cs_buffer_string(&title), cs_phrase_text(CS_SAY_LICENCE_READING, w->language), true);
    cs_buffer_free(&title);
}

void wizard_show_guide(wizard *w) {
    cs_buffer text = {0};
    const void *document = NULL;
    size_t size = 0;
    if (w->host.system->resource(w->host.system->ctx, "guide.md", &document, &size, NULL) == CS_OK)
        cs_page_guide(document, size, w->language, &text);
    cs_buffer_format(&text, "\n%s\n\n", cs_phrase_text(CS_SAY_GUIDE_OPTIONS, w->language));
    cs_options_help(CS_PROGRAM_SETUP, &text);
    wizard_show_text(w, cs_phrase_text(CS_SAY_GUIDE, w->language), cs_buffer_string(&text), true);
    cs_buffer_free(&text);
}

void wizard_copy_page(wizard *w) {
    cs_buffer text = {0};
    cs_page_copy(&w->page, &text);
    if (wizard_copy(w, cs_buffer_string(&text)))
        wizard_set_text(w->window, wizard_control_of(CS_OFFER_COPY), cs_phrase_text(CS_SAY_COPIED, w->language));
    cs_buffer_free(&text);
}

static void accept_unverified(wizard *w) {
    if (!wizard_ask(w, CS_SAY_ASK_UNVERIFIED, CS_SAY_ASK_UNVERIFIED_MORE, CS_SAY_USE_IT, CS_SAY_CANCEL)) return;
    w->unverified = true;
    wizard_start_look(w);
}

void wizard_on_offer(wizard *w, unsigned offer) {
    if (!wizard_offers(w, offer)) return;
    switch (offer) {
    case CS_OFFER_INSTALL:
        wizard_run_verb(w, CS_VERB_INSTALL);
        break;
    case CS_OFFER_CHECK_AGAIN:
        check_again(w);
        break;
    case CS_OFFER_ARCHIVE:
        choose_archive(w);
        break;
    case CS_OFFER_TOOLKIT:
        choose_toolkit(w);
        break;
    case CS_OFFER_CHANGES:
        show_changes(w);
        break;
    case CS_OFFER_LICENCE:
        show_licence(w);
        break;
    case CS_OFFER_VERIFY:
        wizard_run_verb(w, CS_VERB_VERIFY);
        break;
    case CS_OFFER_REPAIR:
        ask_and_run(w, CS_VERB_REPAIR);
        break;
    case CS_OFFER_ROLL_BACK:
        ask_and_run(w, CS_VERB_ROLLBACK);
        break;
    case CS_OFFER_UNINSTALL:
        ask_and_run(w, CS_VERB_UNINSTALL);
        break;
    case CS_OFFER_TEST:
        wizard_run_verb(w, CS_VERB_PROBE);
        break;
    case CS_OFFER_TRY_AGAIN:
        begin(w);
        break;
    case CS_OFFER_REPORT:
        wizard_open(w, cs_buffer_string(&w->report));
        break;
    case CS_OFFER_UNVERIFIED:
        accept_unverified(w);
        break;
    case CS_OFFER_RECOVER:
        wizard_run_verb(w, CS_VERB_RECOVER);
        break;
    case CS_OFFER_COPY:
        wizard_copy_page(w);
        break;
    default:
        break;
    }
}

void wizard_on_toolkit(wizard *w) {
    LRESULT at = SendDlgItemMessageW(w->window, IDC_TOOLKITS, CB_GETCURSEL, 0, 0);
    if (at >= 0 && (size_t)at < w->listed.count) wizard_set_cuda(w, w->listed.items[at]);
}
