/* setup_main.c: cudnn-setup, without a console of its own: quiet for deployment tools, as the recovery service, with a window for
 * people, and as that window's worker. */
#include <string.h>

#include "common.h"
#include "cudnn_setup/phrases.h"
#include "cudnn_setup/sentences.h"
#include "cudnn_setup/text.h"
#include "gpus.h"
#include "service.h"
#include "session_end.h"
#include "wizard.h"
#include "worker.h"

typedef struct setup {
    common_streams streams;
    cs_console console;
    bool has_streams;
    bool no_window; /* asked for on the command line, or nobody could see it */
    cs_language language;
} setup;

/* A box on the desktop of a service or a scheduled task waits for ever. */
static bool desktop_is_seen(void) {
    USEROBJECTFLAGS flags = {0};
    HWINSTA station = GetProcessWindowStation();
    return station && GetUserObjectInformationW(station, UOI_FLAGS, &flags, sizeof flags, NULL) && (flags.dwFlags & WSF_VISIBLE);
}

/* What follows the marks of an option; a word that is none as it is. */
static const char *option_text(const char *word) { return word + strspn(word, "/-"); }

/* The rule holds for a command line that cannot be read, too; so does that of the language. */
static bool asks_for_silence(const cs_strings *words) {
    static const char *const silent[] = {"quiet", "passive"};
    for (size_t i = 0; i < words->count; i++) {
        const char *word = option_text(words->items[i]);
        for (size_t k = 0; k < sizeof silent / sizeof silent[0]; k++)
            if (word != words->items[i] && cs_text_equal_ascii_case(word, silent[k])) return true;
    }
    return false;
}

static cs_language language_of(const cs_strings *words) {
    enum { NAME = 4 };
    const char *tag = NULL;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = option_text(words->items[i]);
        char name[NAME + 1] = {0};
        if (word == words->items[i] || strcspn(word, ":=") != NAME) continue;
        memcpy(name, word, NAME);
        if (!cs_text_equal_ascii_case(name, "lang")) continue;
        tag = word[NAME] ? word + NAME + 1 : i + 1 < words->count ? words->items[i + 1] : NULL;
    }
    return wizard_language(tag);
}

static void add_visible(cs_buffer *out, const char *text) {
    for (const char *p = text; *p;) {
        size_t size = strcspn(p, "\n");
        cs_buffer line = {0};
        cs_buffer_append(&line, p, size);
        cs_text_visible(out, cs_buffer_string(&line));
        cs_buffer_text(out, "\n");
        cs_buffer_free(&line);
        p += size + (p[size] != '\0');
    }
}

static void show(const cs_app_end *end, cs_language language) {
    cs_buffer said = {0}, text = {0}, wide = {0}, title = {0};
    cs_say_sentence(&said, end->message, language);
    add_visible(&text, cs_buffer_string(&said));
    if (end->report[0]) add_visible(&text, end->report);
    if (end->log[0]) {
        cs_buffer_format(&text, "\n%s: ", cs_phrase_text(CS_SAY_RESULT_LOG, language));
        add_visible(&text, end->log);
    }
    UINT icon = end->exit_code == CS_EXIT_OK ? MB_ICONINFORMATION : MB_ICONWARNING;
    const wchar_t *shown = common_wide(&wide, cs_buffer_string(&text));
    const wchar_t *caption = common_wide(&title, cs_phrase_text(CS_SAY_CAPTION, language));
    MessageBoxW(NULL, shown ? shown : L"Not enough memory to say what happened.", caption, MB_OK | icon | MB_SETFOREGROUND);
    cs_buffer_free(&said);
    cs_buffer_free(&text);
    cs_buffer_free(&wide);
    cs_buffer_free(&title);
}

static bool is_look(const cs_options *options) {
    return options->dryrun || options->verb == CS_VERB_HELP || options->verb == CS_VERB_STATUS || options->verb == CS_VERB_VERIFY;
}

static void on_begin(void *ctx, const cs_options *options) {
    if (!is_look(options) && !options->dryrun) session_end_hear();
    cs_console_begin(&((setup *)ctx)->console, options);
}

static void on_event(void *ctx, const cs_event *event) {
    setup *s = ctx;
    if (s->has_streams) cs_console_event(&s->console, event);
}

/* What was asked for in a console is answered there, and so is a bad command line; a change that a person started ends with a
 * box. */
static void on_end(void *ctx, const cs_app_end *end) {
    setup *s = ctx;
    if (s->has_streams) cs_console_end(&s->console, end);
    bool bad_line = !end->options || end->exit_code == CS_EXIT_USAGE;
    if (s->no_window || (s->has_streams && (bad_line || is_look(end->options)))) return;
    show(end, s->language);
}

/* Where no window can be made nobody can be asked, and nothing is changed without being asked. */
static bool on_confirm(void *ctx, const cs_options *options) {
    (void)options;
    return ((setup *)ctx)->no_window;
}

static void make_absolute(char **path) {
    cs_buffer absolute = {0};
    if (*path && common_absolute(NULL, *path, &absolute, NULL) == CS_OK) {
        cs_free(*path);
        *path = cs_strdup(cs_buffer_string(&absolute));
    }
    cs_buffer_free(&absolute);
}

/* A change that a person asked for has a window; so has /passive, where anybody could see it. What would be refused is refused
 * before one opens. */
static bool run_window(const cs_strings *words, int *code) {
    const cs_app_front front = {.absolute = common_absolute};
    const cs_host host = common_host();
    cs_options options;
    bool done = false;
    if (!cs_app_accepts(&host, CS_PROGRAM_SETUP, (const char *const *)words->items, words->count, &front)) return false;
    if (cs_options_parse(CS_PROGRAM_SETUP, (const char *const *)words->items, words->count, &options, NULL) == CS_OK &&
        options.ui != CS_UI_QUIET && !is_look(&options) && desktop_is_seen()) {
        make_absolute(&options.archive);
        make_absolute(&options.cuda);
        make_absolute(&options.manifest);
        done = wizard_run(&options, code);
    }
    cs_options_free(&options);
    return done;
}

static int run_words(void *ctx) {
    const cs_strings *words = ctx;
    int code;
    if (gpus_is(words)) return gpus_run(words);
    if (worker_is(words)) return worker_run(words);
    if (run_window(words, &code)) return code;
    setup s = {0};
    s.has_streams = common_streams_open(&s.streams, true);
    s.console = (cs_console){.ctx = &s.streams, .write = common_write};
    s.no_window = asks_for_silence(words) || !desktop_is_seen();
    s.language = language_of(words);
    cs_app_front front = {.ctx = &s,
                          .version = CUDNN_SETUP_VERSION,
                          .absolute = common_absolute,
                          .begin = on_begin,
                          .event = on_event,
                          .confirm = on_confirm,
                          .cancelled = common_cancelled,
                          .end = on_end};
    cs_host host = common_host();
    return cs_app_run(&host, CS_PROGRAM_SETUP, (const char *const *)words->items, words->count, &front);
}

/* The recovery service is registered with exactly these words, and no service has a desktop that people see. Asking the service
 * manager where there is no service costs seconds on some systems. */
static bool may_be_service(const cs_strings *words) {
    return words->count == 2 && !desktop_is_seen() && strcmp(words->items[0], "/recover") == 0 &&
           strcmp(words->items[1], "/quiet") == 0;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the system header names them in its own style. */
int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, PWSTR line, int show_command) {
    (void)instance, (void)previous, (void)line, (void)show_command;
    common_guard(true);
    common_hold_program();
    common_hear_cancel();
    cs_strings words = {0};
    int code = CS_EXIT_FAILED;
    if (common_arguments(&words, NULL) == CS_OK)
        if (!may_be_service(&words) || !service_run(run_words, &words, &code)) code = run_words(&words);
    cs_strings_free(&words);
    return code;
}
