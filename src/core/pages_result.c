/* pages_result.c: the third page: how a run ended, what it means, what to do next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/proof_detail.h"
#include "pages_internal.h"

typedef struct maker {
    const cs_ending *e;
    cs_language language;
    cs_page *page;
} maker;

#define TEXT(phrase) cs_phrase_text(phrase, k->language)

static bool starts(const char *text, const char *with) { return text && strncmp(text, with, strlen(with)) == 0; }

/* ---- the proof ---- */

static cs_mark mark_of(const char *told) {
    return starts(told, "passed") ? CS_MARK_OK : starts(told, "failed") ? CS_MARK_FAULT : CS_MARK_NOTE;
}

static cs_phrase word_of(const char *told) {
    return starts(told, "passed") ? CS_SAY_STAGE_PASSED : starts(told, "failed") ? CS_SAY_STAGE_FAILED : CS_SAY_STAGE_SKIPPED;
}

/* What follows "passed: "; nothing where the word is all that is said. */
static const char *after_word(const char *told) {
    const char *colon = strstr(told, ": ");
    bool alone = strcmp(told, "passed") == 0 || strcmp(told, "failed") == 0 || strcmp(told, "skipped") == 0;
    return colon ? colon + 2 : alone ? "" : told;
}

/* The list shows the beginning of what the explanation says. */
static void show_sentence(cs_page_row *row) {
    page_capital(&row->sentence);
    cs_buffer_clear(&row->found);
    cs_buffer_append(&row->found, cs_buffer_string(&row->sentence), strcspn(cs_buffer_string(&row->sentence), "\n"));
}

/* Its own sentence in this language where the run had one; else the words of the result. */
static void say_stage(const maker *k, cs_page_row *row, const cs_proof_stage *stage, const char *told) {
    bool known = stage && stage->known;
    if (known && stage->sentence[k->language].size)
        page_text(&row->sentence, stage->sentence[k->language].data);
    else
        page_told(&row->sentence, after_word(told), k->language);
    const char *advice = known ? cs_verdict_advice(stage->verdict, k->language) : "";
    if (*advice) cs_buffer_format(&row->sentence, "%s%s", row->sentence.size ? "\n" : "", advice);
    if (known && cs_verdict_kind_of(stage->verdict) == CS_VERDICT_UNFIT) row->mark = CS_MARK_WARNING;
}

static void show_told(const maker *k, cs_page_row *row, const char *told) {
    if (row->sentence.size)
        show_sentence(row);
    else
        cs_buffer_text(&row->found, TEXT(word_of(told)));
}

static void row_stage(const maker *k, cs_phrase name, const cs_proof_stage *stage, const char *told) {
    if (!told) return;
    cs_page_row *row = page_row(k->page, name, mark_of(told));
    say_stage(k, row, stage, told);
    show_told(k, row, told);
}

/* "1.9 s", "44.0 ms", "40 µs". */
static void say_duration(cs_buffer *out, uint64_t ns) {
    enum { US = 1000, MS = 1000000, TENTH = 100000000 };
    if (ns >= (uint64_t)TENTH * 10)
        cs_buffer_format(out, "%u.%u s", (unsigned)(ns / TENTH / 10), (unsigned)(ns / TENTH % 10));
    else if (ns >= MS)
        cs_buffer_format(out, "%u.%u ms", (unsigned)(ns / MS), (unsigned)(ns / (MS / 10) % 10));
    else
        cs_buffer_format(out, "%u µs", (unsigned)(ns / US));
}

static int compare_times(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* First calls are slow because they warm up: said, so that nobody takes them for a fault. */
static void say_figures(const maker *k, const cs_proof_detail *detail, cs_buffer *out) {
    cs_buffer first = {0}, later = {0};
    uint64_t slowest = 0, *times = detail->call_count ? cs_alloc(detail->call_count, sizeof *times) : NULL;
    size_t timed = 0;
    for (size_t i = 0; times && i < detail->call_count; i++) {
        const cs_proof_call *call = &detail->calls[i];
        if (!call->outcome || strcmp(call->outcome, "right") != 0 || !call->later_ns) continue;
        if (call->first_ns > slowest) slowest = call->first_ns;
        times[timed++] = call->later_ns;
    }
    if (timed) {
        qsort(times, timed, sizeof *times, compare_times);
        say_duration(&first, slowest);
        say_duration(&later, times[timed / 2]);
        cs_buffer_text(out, "\n");
        cs_say(out, CS_SAY_FIGURES, k->language, "first", cs_buffer_string(&first), "later", cs_buffer_string(&later), NULL);
    }
    cs_free(times);
    cs_buffer_free(&first);
    cs_buffer_free(&later);
}

static void row_found(const maker *k) {
    const cs_outcome *o = k->e->outcome;
    if (!o->proof_files) return;
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_FILES, mark_of(o->proof_files));
    if (row->mark != CS_MARK_OK) {
        page_told(&row->sentence, after_word(o->proof_files), k->language);
        show_told(k, row, o->proof_files);
        return;
    }
    cs_buffer folder = {0};
    page_text(&folder, o->tree_path ? o->tree_path : "");
    cs_buffer_text(&folder, "\\bin");
    cs_say(&row->sentence, CS_SAY_FOUND_FIRST, k->language, "folder", cs_buffer_string(&folder), NULL);
    show_sentence(row);
    cs_buffer_free(&folder);
}

static void rows_proof(const maker *k) {
    const cs_outcome *o = k->e->outcome;
    const cs_proof_detail *detail = o->proof;
    row_found(k);
    row_stage(k, CS_SAY_RESULT_LOADING, detail ? &detail->loading : NULL, o->proof_loading);
    row_stage(k, CS_SAY_RESULT_GPU, detail ? &detail->gpu : NULL, o->proof_gpu);
    if (o->proof_gpu && detail && detail->gpu.known && detail->gpu.verdict == CS_GPU_PASSED)
        say_figures(k, detail, &k->page->rows[k->page->row_count - 1].sentence);
}

/* ---- what was changed ---- */

static size_t count(const cs_outcome *outcome, const char *state) {
    size_t found = 0;
    for (size_t i = 0; i < outcome->file_count; i++) found += strcmp(outcome->files[i].state, state) == 0;
    return found;
}

static void say_count(const maker *k, cs_buffer *out, cs_phrase phrase, size_t number) {
    char text[24];
    cs_buffer tree = {0};
    snprintf(text, sizeof text, "%zu", number);
    page_text(&tree, k->e->outcome->tree_path ? k->e->outcome->tree_path : "");
    if (out->size) cs_buffer_text(out, " ");
    cs_say(out, phrase, k->language, "count", text, "tree", cs_buffer_string(&tree), NULL);
    cs_buffer_free(&tree);
}

static void row_files(const maker *k) {
    const cs_outcome *o = k->e->outcome;
    size_t removed = count(o, "removed"), restored = count(o, "restored"), all = o->file_count;
    if (!all) return;
    cs_buffer sentence = {0};
    bool undoing = k->e->verb == CS_VERB_UNINSTALL || k->e->verb == CS_VERB_ROLLBACK;
    if (k->e->exit_code == CS_EXIT_DIFFERS)
        page_say_different(&sentence, o, k->language);
    else if (k->e->exit_code == CS_EXIT_OK && undoing) {
        say_count(k, &sentence, CS_SAY_FILES_REMOVED, removed);
        if (restored) say_count(k, &sentence, CS_SAY_FILES_RESTORED, restored);
    } else if (k->e->exit_code == CS_EXIT_OK) {
        bool nothing = k->e->verb == CS_VERB_VERIFY || o->result == CS_RESULT_ALREADY;
        say_count(k, &sentence, nothing ? CS_SAY_FILES_RIGHT : CS_SAY_FILES_ALL, all);
    }
    if (sentence.size) {
        cs_page_row *row = page_row(k->page, CS_SAY_RESULT_CHANGED, k->e->exit_code ? CS_MARK_WARNING : CS_MARK_OK);
        row->sentence = sentence;
        show_sentence(row);
    }
}

/* ---- failures ---- */

/* Nothing was changed, or what was is taken back, unless the code says otherwise. */
static bool is_as_before(int code) { return code != CS_EXIT_OK && code != CS_EXIT_PENDING && code != CS_EXIT_DIFFERS; }

/* Its exit codes 0 to 2 are findings; any other is that of a run that failed. */
static bool is_finding(const cs_ending *e) { return e->verb == CS_VERB_PROBE && e->exit_code <= 2; }

static bool lacks_user(const cs_ending *e) {
    const char *operation = e->outcome->error.operation;
    return e->verb == CS_VERB_PROBE && e->exit_code == CS_EXIT_USAGE && operation && strcmp(operation, "probe") == 0;
}

/* What was found unfinished and what became of it, in the run's own words. */
static void row_recovered(const maker *k) {
    bool tells = k->e->verb == CS_VERB_RECOVER || k->e->verb == CS_VERB_FORGET;
    if (!tells || k->e->exit_code != CS_EXIT_OK || !k->e->outcome->message.size) return;
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_CHANGED, CS_MARK_OK);
    page_told(&row->sentence, k->e->outcome->message.data, k->language);
    show_sentence(row);
}

static void row_detail(const maker *k) {
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_DETAIL, CS_MARK_FAULT);
    if (k->e->exit_code == CS_EXIT_CANCELLED) row->mark = CS_MARK_NOTE;
    if (k->e->exit_code == CS_EXIT_DIFFERS) row->mark = CS_MARK_WARNING;
    page_told(&row->sentence, cs_buffer_string(&k->e->outcome->message), k->language);
    show_sentence(row);
}

static void rows_failure(const maker *k) {
    bool wanted = k->e->exit_code == CS_EXIT_CANCELLED; /* then where it was stopped is the least of it */
    if (k->e->exit_code == CS_EXIT_OK || is_finding(k->e)) return;
    if (!wanted) row_detail(k);
    if (k->e->exit_code != CS_EXIT_DIFFERS) {
        bool before = is_as_before(k->e->exit_code);
        cs_page_row *row = page_row(k->page, CS_SAY_RESULT_NOW, before ? CS_MARK_OK : CS_MARK_WARNING);
        cs_buffer_text(&row->sentence, TEXT(before ? CS_SAY_AS_BEFORE : CS_SAY_NOT_AS_BEFORE));
        show_sentence(row);
    }
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_NEXT, CS_MARK_NOTE);
    cs_buffer_text(&row->sentence,
                   lacks_user(k->e) ? TEXT(CS_SAY_RIGHTS_TEST_NEXT) : cs_say_exit_advice(k->e->exit_code, k->language));
    show_sentence(row);
    if (wanted) row_detail(k);
}

/* ---- what follows ---- */

/* What a row of its own tells already. */
static bool is_told(const char *id) { return strcmp(id, "proof") == 0; }

static void rows_warnings(const maker *k) {
    for (size_t i = 0; k->e->warnings && i < k->e->warnings->count; i++) {
        const cs_warning *warning = &k->e->warnings->items[i];
        if (is_told(warning->id) || k->page->row_count + 3 > CS_PAGE_ROWS) continue;
        cs_page_row *row = page_row(k->page, CS_SAY_RESULT_WARNING, CS_MARK_WARNING);
        page_told(&row->sentence, warning->text, k->language);
        show_sentence(row);
    }
}

static void row_console(const maker *k) {
    const cs_ending *e = k->e;
    bool changed = e->outcome->value_count && e->exit_code == CS_EXIT_OK && e->outcome->result == CS_RESULT_DONE;
    if (!changed || e->verb == CS_VERB_VERIFY || e->verb == CS_VERB_PROBE) return;
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_NEXT, CS_MARK_NOTE);
    cs_buffer_text(&row->sentence, TEXT(CS_SAY_NEW_CONSOLE));
    if (e->programs && *e->programs) {
        row->mark = CS_MARK_WARNING;
        cs_buffer_text(&row->sentence, "\n");
        cs_say(&row->sentence, CS_SAY_RESTART_PROGRAMS, k->language, "names", e->programs, NULL);
    }
    show_sentence(row);
}

static void row_log(const maker *k) {
    if (!k->e->log || !*k->e->log) return;
    cs_page_row *row = page_row(k->page, CS_SAY_RESULT_LOG, CS_MARK_NOTE);
    page_path(&row->found, k->e->log, CS_PAGE_WIDE);
    page_text(&row->sentence, k->e->log);
}

/* ---- the heading ---- */

static cs_phrase install_heading(const cs_outcome *o) {
    if (starts(o->proof_files, "failed") || starts(o->proof_loading, "failed") || starts(o->proof_gpu, "failed"))
        return CS_SAY_DONE_INSTALL_FAULT;
    if (o->trust.sample) return CS_SAY_DONE_INSTALL_SAMPLE;
    if (o->trust.kind == CS_TRUST_UNVERIFIED) return CS_SAY_DONE_INSTALL_UNVERIFIED;
    return starts(o->proof_gpu, "passed") ? CS_SAY_DONE_INSTALL_WORKS : CS_SAY_DONE_INSTALL;
}

static cs_phrase done_heading(const cs_ending *e) {
    switch (e->verb) {
    case CS_VERB_UNINSTALL:
        return CS_SAY_DONE_UNINSTALL;
    case CS_VERB_ROLLBACK:
        return CS_SAY_DONE_ROLL_BACK;
    case CS_VERB_REPAIR:
        return CS_SAY_DONE_REPAIR;
    case CS_VERB_RECOVER:
        return CS_SAY_DONE_RECOVER;
    case CS_VERB_FORGET:
        return CS_SAY_DONE_FORGET;
    case CS_VERB_VERIFY:
        return CS_SAY_DONE_VERIFY;
    default:
        return install_heading(e->outcome);
    }
}

static cs_phrase test_heading(int code) {
    return code == 0 ? CS_SAY_DONE_TEST : code == 1 ? CS_SAY_UNFIT_TEST : CS_SAY_FAULT_TEST;
}

static void head(const maker *k) {
    const cs_ending *e = k->e;
    cs_buffer version = {0};
    bool test = is_finding(e);
    cs_page_version(&version, e->version ? e->version : "");
    if (test)
        cs_buffer_text(&k->page->heading, TEXT(test_heading(e->exit_code)));
    else if (lacks_user(e))
        cs_buffer_text(&k->page->heading, TEXT(CS_SAY_RIGHTS_TEST));
    else if (e->exit_code == CS_EXIT_OK)
        cs_say(&k->page->heading, done_heading(e), k->language, "version", cs_buffer_string(&version), NULL);
    else
        cs_buffer_text(&k->page->heading, cs_say_exit(e->exit_code, k->language));
    if (!test && is_as_before(e->exit_code))
        cs_buffer_text(&k->page->line, TEXT(CS_SAY_AS_BEFORE));
    else if (!test && e->exit_code != CS_EXIT_OK)
        cs_buffer_text(&k->page->line, cs_say_exit_advice(e->exit_code, k->language));
    else if (e->outcome->tree_path)
        page_path(&k->page->line, e->outcome->tree_path, CS_PAGE_WIDE);
    cs_buffer_free(&version);
}

static void offer(const maker *k) {
    cs_page *page = k->page;
    page->offers = CS_OFFER_COPY;
    if (k->e->log && *k->e->log) page->offers |= CS_OFFER_REPORT;
    if (k->e->exit_code == CS_EXIT_DIFFERS) page->offers |= CS_OFFER_REPAIR;
    if (k->e->exit_code != CS_EXIT_OK && k->e->exit_code != CS_EXIT_DIFFERS && k->e->verb != CS_VERB_PROBE)
        page->offers |= CS_OFFER_TRY_AGAIN;
    if (k->e->exit_code == CS_EXIT_ARCHIVE_OPEN || k->e->exit_code == CS_EXIT_ARCHIVE_BAD) page->offers |= CS_OFFER_ARCHIVE;
    if (k->e->exit_code == CS_EXIT_TOOLKIT || k->e->exit_code == CS_EXIT_NEWER) page->offers |= CS_OFFER_TOOLKIT;
    page->primary = 0;
    if (k->e->verb == CS_VERB_RECOVER && k->e->exit_code == CS_EXIT_OK) { /* what was to be done before it is still to be done */
        page->offers |= CS_OFFER_CHECK_AGAIN;
        page->primary = CS_OFFER_CHECK_AGAIN;
    }
    for (size_t i = page->row_count; i-- > 0;)
        if (page->rows[i].mark == CS_MARK_FAULT) page->selected = i;
}

void cs_page_result(const cs_ending *ending, cs_language language, cs_page *out) {
    page_start(out, language);
    maker k = {.e = ending, .language = language, .page = out};
    head(&k);
    row_recovered(&k);
    rows_failure(&k);
    row_files(&k);
    rows_proof(&k);
    row_console(&k);
    rows_warnings(&k);
    row_log(&k);
    offer(&k);
}
