/* pages_progress.c: how far a run is, and the way from page to page. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/wording.h"
#include "pages_internal.h"

enum { SECOND_MS = 1000, MINUTE = 60 };

int cs_progress_share(const cs_progress *progress) {
    if (!progress->total) return -1;
    if (progress->done >= progress->total) return 1000;
    return (int)((double)progress->done / (double)progress->total * 1000.0);
}

static void say_left(uint64_t ms, cs_language language, cs_buffer *out) {
    char number[24];
    uint64_t seconds = (ms - 1) / SECOND_MS + 1;
    bool minutes = seconds >= 2 * MINUTE;
    snprintf(number, sizeof number, "%" PRIu64, minutes ? (seconds + MINUTE - 1) / MINUTE : seconds);
    cs_say(out, minutes ? CS_SAY_LEFT_MINUTES : CS_SAY_LEFT_SECONDS, language, "seconds", number, "minutes", number, NULL);
}

static void say_files(const cs_progress *progress, cs_language language, cs_buffer *out) {
    char done[24], total[24];
    snprintf(done, sizeof done, "%" PRIu64, progress->done);
    snprintf(total, sizeof total, "%" PRIu64, progress->total);
    cs_say(out, CS_SAY_AMOUNT_FILES, language, "done", done, "total", total, NULL);
}

static void say_bytes(const cs_progress *progress, cs_language language, cs_buffer *out) {
    cs_buffer done = {0}, total = {0}, rate = {0};
    cs_say_bytes(&done, progress->done);
    cs_say_bytes(&total, progress->total);
    cs_say(out, CS_SAY_AMOUNT, language, "done", cs_buffer_string(&done), "total", cs_buffer_string(&total), NULL);
    if (progress->rate && progress->done < progress->total) {
        cs_say_bytes(&rate, progress->rate);
        cs_buffer_text(out, " · ");
        cs_say(out, CS_SAY_RATE, language, "rate", cs_buffer_string(&rate), NULL);
    }
    cs_buffer_free(&done);
    cs_buffer_free(&total);
    cs_buffer_free(&rate);
}

void cs_progress_say(const cs_progress *progress, cs_language language, cs_buffer *out) {
    if (!progress->total) return;
    if (progress->counts_files)
        say_files(progress, language, out);
    else
        say_bytes(progress, language, out);
    if (progress->left_ms == CS_TIME_UNKNOWN || !progress->left_ms || progress->done >= progress->total) return;
    cs_buffer_text(out, " · ");
    say_left(progress->left_ms, language, out);
}

const char *cs_page_step(const char *id, const char *text, cs_language language) {
    static const struct {
        const char *id;
        cs_phrase phrase;
    } steps[] = {{"programs", CS_SAY_STEP_PROGRAMS}, {"archive", CS_SAY_STEP_ARCHIVE}, {"unpack", CS_SAY_STEP_UNPACK},
                 {"check", CS_SAY_STEP_CHECK},       {"plan", CS_SAY_STEP_CHECK},      {"journal", CS_SAY_STEP_JOURNAL},
                 {"apply", CS_SAY_STEP_APPLY},       {"files", CS_SAY_STEP_FILES},     {"registry", CS_SAY_STEP_REGISTRY},
                 {"commit", CS_SAY_STEP_COMMIT},     {"clean", CS_SAY_STEP_CLEAN},     {"undo", CS_SAY_STEP_UNDO},
                 {"verify", CS_SAY_STEP_VERIFY},     {"proof", CS_SAY_STEP_PROOF}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(steps[i].id, id) == 0) return cs_phrase_text(steps[i].phrase, language);
    return text;
}

void cs_page_doing(cs_buffer *out, cs_verb verb, const char *version, cs_language language) {
    static const cs_phrase doing[] = {[CS_VERB_INSTALL] = CS_SAY_DOING_INSTALL,    [CS_VERB_UNINSTALL] = CS_SAY_DOING_UNINSTALL,
                                      [CS_VERB_ROLLBACK] = CS_SAY_DOING_ROLL_BACK, [CS_VERB_REPAIR] = CS_SAY_DOING_REPAIR,
                                      [CS_VERB_RECOVER] = CS_SAY_DOING_RECOVER,    [CS_VERB_FORGET] = CS_SAY_DOING_FORGET,
                                      [CS_VERB_VERIFY] = CS_SAY_DOING_VERIFY};
    cs_buffer shorter = {0};
    cs_page_version(&shorter, version);
    cs_say(out, (size_t)verb < sizeof doing / sizeof doing[0] ? doing[verb] : CS_SAY_DOING_TEST, language, "version",
           cs_buffer_string(&shorter), NULL);
    cs_buffer_free(&shorter);
}

cs_stage_of_window cs_window_next(cs_stage_of_window at, cs_window_event event) {
    switch (event) {
    case CS_WINDOW_LOOKED:
        return at == CS_AT_LOOKING ? CS_AT_READY : at;
    case CS_WINDOW_START:
        return at == CS_AT_READY || at == CS_AT_RESULT ? CS_AT_WORKING : at;
    case CS_WINDOW_ENDED:
        return at == CS_AT_WORKING || at == CS_AT_STOPPING ? CS_AT_RESULT : at;
    case CS_WINDOW_AGAIN:
        return at == CS_AT_READY || at == CS_AT_RESULT ? CS_AT_LOOKING : at;
    case CS_WINDOW_CLOSE:
        return at == CS_AT_WORKING ? CS_AT_STOPPING : at == CS_AT_STOPPING ? CS_AT_STOPPING : CS_AT_END;
    }
    return at;
}
