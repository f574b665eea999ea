/* pages_ready.c: the first page: will it work on this computer? */
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/path.h"
#include "pages_internal.h"

typedef struct maker {
    const cs_survey *m;
    cs_language language;
    cs_page *page;
    bool told; /* the reason why nothing can be installed stands in a row */
} maker;

#define TEXT(phrase) cs_phrase_text(phrase, k->language)

/* The dry run's own words. */
static const char *detail(const maker *k) { return cs_buffer_string(&k->m->outcome.message); }

static void say_path(const maker *k, cs_buffer *out, cs_phrase phrase, const char *path) {
    cs_buffer visible = {0};
    page_text(&visible, path);
    cs_say(out, phrase, k->language, "path", cs_buffer_string(&visible), NULL);
    cs_buffer_free(&visible);
}

static void say_reason(const maker *k, cs_buffer *out, cs_phrase phrase, cs_status status, const char *reason) {
    cs_buffer visible = {0};
    page_told(&visible, reason, k->language);
    cs_say(out, phrase, k->language, "detail", cs_buffer_string(&visible), "cuda", k->m->manifest.cuda, "meaning",
           cs_say_exit(cs_exit_code(status), k->language), NULL);
    cs_buffer_free(&visible);
}

static void say_detail(const maker *k, cs_buffer *out, cs_phrase phrase) { say_reason(k, out, phrase, k->m->status, detail(k)); }

/* ---- archive ---- */

static void judge_trust(const maker *k, cs_page_row *row) {
    static const struct {
        cs_mark mark;
        cs_phrase phrase;
    } rows[] = {[CS_TRUST_NONE] = {CS_MARK_NOTE, CS_SAY_ARCHIVE_NOT_LOOKED},
                [CS_TRUST_PINNED] = {CS_MARK_OK, CS_SAY_ARCHIVE_PINNED},
                [CS_TRUST_SEALED] = {CS_MARK_OK, CS_SAY_ARCHIVE_SEALED},
                [CS_TRUST_UNVERIFIED] = {CS_MARK_WARNING, CS_SAY_ARCHIVE_UNVERIFIED}};
    const cs_trust *trust = &k->m->outcome.trust;
    bool sample = trust->sample && trust->kind != CS_TRUST_NONE;
    row->mark = sample ? CS_MARK_WARNING : rows[trust->kind].mark;
    if (trust->kind != CS_TRUST_NONE) cs_buffer_text(&row->means, k->m->manifest.version);
    say_path(k, &row->sentence, sample ? CS_SAY_ARCHIVE_SAMPLE : rows[trust->kind].phrase, k->m->archive);
}

static bool is_archive_fault(cs_status status) { return status == CS_E_ARCHIVE_OPEN || status == CS_E_ARCHIVE_BAD; }

static cs_phrase archive_fault(cs_status status) {
    return status == CS_E_ARCHIVE_BAD ? CS_SAY_ARCHIVE_WRONG : CS_SAY_ARCHIVE_SHUT;
}

/* What is installed needs no archive, and a wrong one is no fault of it. */
static void judge_for_repair(const maker *k, cs_page_row *row, const char *wanted) {
    const cs_survey *m = k->m;
    row->mark = m->archive && !is_archive_fault(m->repair_status) ? CS_MARK_OK : CS_MARK_NOTE;
    cs_buffer_text(&row->means, TEXT(CS_SAY_MEANS_FOR_REPAIR));
    if (m->status != CS_E_DIFFERS)
        cs_buffer_text(&row->sentence, TEXT(CS_SAY_ARCHIVE_NOT_NEEDED));
    else if (!m->archive)
        cs_say(&row->sentence, CS_SAY_ARCHIVE_ABSENT, k->language, "name", wanted, NULL);
    else if (is_archive_fault(m->repair_status))
        say_reason(k, &row->sentence, archive_fault(m->repair_status), m->repair_status, cs_buffer_string(&m->repair_message));
    else
        say_path(k, &row->sentence, CS_SAY_ARCHIVE_FOR_REPAIR, m->archive);
}

static void row_archive(maker *k) {
    const cs_survey *m = k->m;
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_ARCHIVE, CS_MARK_NOTE);
    const char *wanted = m->manifest.archive_names.count ? m->manifest.archive_names.items[0] : "cudnn*.zip";
    bool failed = is_archive_fault(m->status);
    if (m->archive)
        page_path(&row->found, cs_path_name(m->archive), CS_PAGE_WIDE);
    else
        cs_buffer_text(&row->found, TEXT(CS_SAY_NONE));
    if (m->status == CS_E_PENDING) {
        cs_buffer_text(&row->sentence, TEXT(CS_SAY_ARCHIVE_NOT_LOOKED));
    } else if (m->same_package) {
        judge_for_repair(k, row, wanted);
    } else if (!m->archive) {
        row->mark = CS_MARK_BAD;
        k->told = k->told || failed;
        page_path(&row->means, wanted, CS_PAGE_MEANS_WIDTH);
        cs_say(&row->sentence, CS_SAY_ARCHIVE_ABSENT, k->language, "name", wanted, NULL);
    } else if (failed) {
        row->mark = CS_MARK_BAD;
        k->told = true;
        cs_buffer_text(&row->means, TEXT(m->status == CS_E_ARCHIVE_BAD ? CS_SAY_MEANS_WRONG : CS_SAY_MEANS_SHUT));
        say_detail(k, &row->sentence, archive_fault(m->status));
    } else {
        judge_trust(k, row);
    }
}

/* ---- CUDA ---- */

/* Chosen here, or named by /cuda: nothing else was looked at then. */
static const cs_toolkit_candidate *named_toolkit(const cs_survey *m) {
    return m->toolkits.count == 1 && m->toolkits.items[0].source == CS_TOOLKIT_OPTION ? m->toolkits.items : NULL;
}

static void say_candidate(const maker *k, cs_buffer *out, cs_phrase phrase, const cs_toolkit_candidate *one) {
    cs_buffer path = {0}, reason = {0};
    page_text(&path, one->path[0] ? one->path : cs_toolkit_source_text(one->source));
    page_told(&reason, one->reason, k->language);
    cs_say(out, phrase, k->language, "path", cs_buffer_string(&path), "reason", cs_buffer_string(&reason), "cuda",
           k->m->manifest.cuda, NULL);
    cs_buffer_free(&path);
    cs_buffer_free(&reason);
}

static void say_no_toolkit(const maker *k, cs_page_row *row) {
    const cs_toolkits *all = &k->m->toolkits;
    const cs_toolkit_candidate *named = named_toolkit(k->m);
    if (named) {
        page_path(&row->found, named->path, CS_PAGE_WIDE);
        say_candidate(k, &row->sentence, CS_SAY_CUDA_REFUSED, named);
        return;
    }
    cs_buffer_text(&row->found, TEXT(CS_SAY_NONE));
    cs_say(&row->sentence, CS_SAY_CUDA_ABSENT, k->language, "cuda", k->m->manifest.cuda, NULL);
    for (size_t i = 0; i < all->count; i++) {
        cs_buffer_text(&row->sentence, "\n");
        say_candidate(k, &row->sentence, CS_SAY_CUDA_LOOKED, &all->items[i]);
    }
}

static void row_cuda(maker *k) {
    const cs_toolkits *all = &k->m->toolkits;
    const cs_toolkit_candidate *chosen = all->chosen < all->count ? &all->items[all->chosen] : NULL;
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_CUDA, CS_MARK_OK);
    if (chosen) {
        page_path(&row->found, chosen->path, CS_PAGE_WIDE);
        cs_buffer_text(&row->means, chosen->version ? chosen->version : k->m->manifest.cuda);
        if (!chosen->trusted) row->mark = CS_MARK_WARNING;
        cs_phrase right = k->m->same_package ? CS_SAY_CUDA_HOLDS : CS_SAY_CUDA_RIGHT,
                  shared = k->m->same_package ? CS_SAY_CUDA_HOLDS_SHARED : CS_SAY_CUDA_SHARED;
        say_path(k, &row->sentence, chosen->trusted ? right : shared, chosen->path);
        return;
    }
    row->mark = CS_MARK_BAD;
    k->told = k->told || k->m->status == CS_E_TOOLKIT;
    cs_buffer_text(&row->means, k->m->manifest.cuda);
    say_no_toolkit(k, row);
}

/* ---- driver and GPU: nothing of them stops an installation ---- */

static cs_mark mark_of(cs_fit fit) {
    static const cs_mark marks[] = {[CS_FIT_UNKNOWN] = CS_MARK_NOTE,
                                    [CS_FIT_GOOD] = CS_MARK_OK,
                                    [CS_FIT_ABSENT] = CS_MARK_NOTE,
                                    [CS_FIT_BAD] = CS_MARK_WARNING};
    return marks[fit];
}

static void row_driver(maker *k) {
    const cs_machine *machine = &k->m->machine;
    const char *least = k->m->manifest.driver_min;
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_DRIVER, mark_of(machine->driver_fit));
    cs_buffer_text(&row->found, machine->driver.size ? machine->driver.data
                                                     : TEXT(machine->driver_fit == CS_FIT_ABSENT ? CS_SAY_NONE : CS_SAY_UNKNOWN));
    if (least) cs_say(&row->means, CS_SAY_AT_LEAST, k->language, "least", least, NULL);
    page_text(&row->sentence, cs_buffer_string(&machine->driver_sentence[k->language]));
}

/* Of several the first that is served; else the first. */
static const cs_gpu_device *best_gpu(const cs_machine *machine) {
    for (size_t i = 0; i < machine->device_count; i++)
        if (machine->devices[i].fit == CS_GPU_PASSED) return &machine->devices[i];
    return machine->device_count ? &machine->devices[0] : NULL;
}

static void row_gpu(maker *k) {
    const cs_survey *m = k->m;
    const cs_gpu_device *gpu = best_gpu(&m->machine);
    bool no_driver = !gpu && m->machine.driver_fit == CS_FIT_ABSENT; /* then there was nobody to be asked */
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_GPU,
                                no_driver       ? CS_MARK_NOTE
                                : m->gpus_asked ? mark_of(m->machine.gpu_fit)
                                                : CS_MARK_BUSY);
    if (m->manifest.compute_min && m->manifest.compute_max)
        cs_say(&row->means, CS_SAY_RANGE, k->language, "least", m->manifest.compute_min, "most", m->manifest.compute_max, NULL);
    if (gpu) {
        page_text(&row->found, gpu->name[0] ? gpu->name : "GPU");
        cs_buffer_format(&row->found, ", %d.%d", gpu->major, gpu->minor);
    } else {
        bool none = no_driver || m->machine.gpu_fit == CS_FIT_ABSENT;
        cs_buffer_text(&row->found, TEXT(none ? CS_SAY_NONE : !m->gpus_asked ? CS_SAY_BEING_READ : CS_SAY_UNKNOWN));
    }
    const cs_buffer *said = no_driver ? m->machine.driver_sentence : m->machine.gpu_sentence;
    page_text(&row->sentence, cs_buffer_string(&said[k->language]));
}

/* ---- the cuDNN that is there ---- */

static size_t count_state(const cs_outcome *outcome, const char *state) {
    size_t count = 0;
    for (size_t i = 0; i < outcome->file_count; i++) count += strcmp(outcome->files[i].state, state) == 0;
    return count;
}

static void judge_installed(const maker *k, cs_page_row *row) {
    const cs_survey *m = k->m;
    bool differs = m->status == CS_E_DIFFERS;
    row->mark = m->status == CS_OK ? CS_MARK_OK : differs ? CS_MARK_FAULT : CS_MARK_NOTE;
    cs_buffer_text(&row->means, TEXT(differs ? CS_SAY_MEANS_DIFFERS : CS_SAY_MEANS_INSTALLED));
    if (differs)
        page_say_different(&row->sentence, &m->outcome, k->language);
    else
        cs_buffer_text(&row->sentence, TEXT(m->status == CS_OK ? CS_SAY_CUDNN_OURS : CS_SAY_CUDNN_UNREAD));
    if (differs && !row->sentence.size) page_told(&row->sentence, detail(k), k->language); /* a value, or the folder itself */
    const cs_trust *trust = &m->outcome.trust;
    if (!trust->sample && trust->kind != CS_TRUST_UNVERIFIED) return;
    if (row->mark == CS_MARK_OK) row->mark = CS_MARK_WARNING;
    if (!differs) {
        cs_buffer_clear(&row->means);
        cs_buffer_text(&row->means, TEXT(trust->sample ? CS_SAY_MEANS_SAMPLE : CS_SAY_MEANS_UNVERIFIED));
    }
    cs_buffer_format(&row->sentence, "\n%s", TEXT(trust->sample ? CS_SAY_CUDNN_SAMPLE : CS_SAY_CUDNN_UNVERIFIED));
}

static void row_cudnn(maker *k) {
    const cs_survey *m = k->m;
    char number[24];
    size_t same = count_state(&m->outcome, "same"), replaced = count_state(&m->outcome, "replaced");
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_CUDNN, CS_MARK_OK);
    cs_phrase sentence = CS_SAY_CUDNN_NONE, means = CS_SAY_MEANS_NEW;
    cs_buffer_text(&row->found, m->present ? m->present : TEXT(CS_SAY_NONE));
    if (m->same_package) {
        judge_installed(k, row);
        return;
    }
    if (m->status == CS_E_PENDING) {
        row->mark = CS_MARK_NOTE;
        cs_buffer_text(&row->sentence, TEXT(CS_SAY_CUDNN_PENDING));
        return;
    }
    if (m->status == CS_E_NEWER) {
        sentence = m->installed ? CS_SAY_CUDNN_NEWER_OURS : CS_SAY_CUDNN_NEWER;
        means = CS_SAY_MEANS_KEPT;
        row->mark = CS_MARK_BAD;
        k->told = true;
    } else if (m->status == CS_OK && replaced) {
        sentence = m->present && m->present[0] != '8' ? CS_SAY_CUDNN_SEVEN : CS_SAY_CUDNN_EIGHT;
        means = CS_SAY_MEANS_REPLACED;
        row->mark = CS_MARK_WARNING;
    } else if (same) {
        sentence = CS_SAY_CUDNN_SAME;
        means = CS_SAY_MEANS_KEPT;
        row->mark = CS_MARK_NOTE;
    } else if (m->present) {
        sentence = m->present[0] != '8' ? CS_SAY_CUDNN_SEVEN : CS_SAY_CUDNN_EIGHT;
        means = CS_SAY_MEANS_REPLACED;
        row->mark = CS_MARK_WARNING;
    }
    snprintf(number, sizeof number, "%zu", same);
    cs_buffer_text(&row->means, TEXT(means));
    cs_say(&row->sentence, sentence, k->language, "version", m->present ? m->present : TEXT(CS_SAY_UNKNOWN), "count", number,
           NULL);
}

/* ---- frameworks ---- */

static void rows_frameworks(maker *k) {
    static const struct {
        cs_mark mark;
        cs_phrase means;
    } rows[CS_SERVES_COUNT] = {[CS_SERVES_YES] = {CS_MARK_OK, CS_SAY_SERVES_YES},
                               [CS_SERVES_NO] = {CS_MARK_WARNING, CS_SAY_SERVES_NO},
                               [CS_SERVES_OWN] = {CS_MARK_NOTE, CS_SAY_SERVES_OWN},
                               [CS_SERVES_NONE] = {CS_MARK_NOTE, CS_SAY_SERVES_NONE},
                               [CS_SERVES_UNKNOWN] = {CS_MARK_NOTE, CS_SAY_SERVES_UNKNOWN}};
    enum { KEPT = 2 }; /* rows for what stops it */
    const cs_frameworks *all = &k->m->frameworks;
    for (size_t i = 0; i < all->count && k->page->row_count + KEPT < CS_PAGE_ROWS; i++) {
        const cs_framework *one = &all->items[i];
        cs_page_row *row = page_row(k->page, CS_SAY_UNKNOWN, rows[one->serves].mark);
        if (one->name) row->name = one->name;
        page_text(&row->found, one->version ? one->version : TEXT(CS_SAY_UNKNOWN));
        cs_buffer_text(&row->means, TEXT(rows[one->serves].means));
        page_text(&row->sentence, cs_buffer_string(&one->sentence[k->language]));
        if (!one->folder) continue;
        cs_buffer_text(&row->sentence, "\n");
        page_text(&row->sentence, one->folder);
    }
}

/* ---- what else stops it ---- */

static void row_in_use(maker *k) {
    const cs_holders *holders = &k->m->outcome.in_use;
    cs_buffer names = {0};
    if (k->m->status != CS_E_IN_USE || !holders->count) return;
    cs_page_row *row = page_row(k->page, CS_SAY_ROW_PROGRAMS, CS_MARK_BAD);
    for (size_t i = 0; i < holders->count; i++) {
        size_t before = 0;
        while (before < i && holders->items[before].pid != holders->items[i].pid) before++;
        if (before < i) continue;
        if (names.size) cs_buffer_text(&names, ", ");
        page_text(&names, holders->items[i].name);
        cs_buffer_format(&names, " (%u)", (unsigned)holders->items[i].pid);
    }
    cs_elide(&row->found, cs_buffer_string(&names), CS_PAGE_WIDE);
    cs_buffer_text(&row->means, TEXT(CS_SAY_MEANS_CLOSE));
    cs_say(&row->sentence, CS_SAY_IN_USE, k->language, "names", cs_buffer_string(&names), NULL);
    cs_buffer_free(&names);
    k->told = true;
}

static void row_refusal(maker *k) {
    if (k->m->status == CS_OK || k->told || (k->m->same_package && k->m->status == CS_E_DIFFERS)) return;
    bool installing = !k->m->same_package;
    cs_page_row *row =
        page_row(k->page, installing ? CS_SAY_ROW_RUN : CS_SAY_ROW_CHECK, installing ? CS_MARK_BAD : CS_MARK_FAULT);
    cs_elide(&row->found, cs_say_exit(cs_exit_code(k->m->status), k->language), CS_PAGE_WIDE);
    if (k->m->status != CS_E_PENDING) {
        say_detail(k, &row->sentence, CS_SAY_REFUSED);
        return;
    }
    page_told(&row->sentence, detail(k), k->language);
    page_capital(&row->sentence);
    cs_buffer_format(&row->sentence, "\n%s", TEXT(CS_SAY_ASK_RECOVER_MORE));
}

/* ---- heading, and what is offered ---- */

static void choose_row(cs_page *page) {
    static const cs_mark order[] = {CS_MARK_BAD, CS_MARK_FAULT, CS_MARK_WARNING, CS_MARK_NOTE};
    page->selected = 0;
    for (size_t o = 0; o < sizeof order / sizeof order[0]; o++)
        for (size_t i = 0; i < page->row_count; i++)
            if (page->rows[i].mark == order[o]) {
                page->selected = i;
                return;
            }
}

static void select_name(cs_page *page, cs_phrase name) {
    for (size_t i = 0; i < page->row_count; i++)
        if (page->rows[i].name == cs_phrase_text(name, page->language)) page->selected = i;
}

static void head_install(maker *k) {
    char number[24];
    size_t known = 0, bad = 0;
    cs_page *page = k->page;
    for (size_t i = 0; i < page->row_count; i++) {
        known += page->rows[i].mark == CS_MARK_WARNING;
        bad += page->rows[i].mark == CS_MARK_BAD;
    }
    snprintf(number, sizeof number, "%zu", known);
    cs_phrase line = k->m->status != CS_OK ? bad > 1 ? CS_SAY_BLOCKED_MORE : CS_SAY_BLOCKED
                     : known == 0          ? CS_SAY_READY
                     : known == 1          ? CS_SAY_READY_ONE
                                           : CS_SAY_READY_MORE;
    cs_say(&page->line, line, k->language, "count", number, NULL);
    page->offers = CS_OFFER_ARCHIVE | CS_OFFER_TOOLKIT | CS_OFFER_COPY;
    if (k->m->status == CS_OK) {
        page->primary = CS_OFFER_INSTALL;
        page->offers |= CS_OFFER_INSTALL | CS_OFFER_CHANGES;
        if (k->m->archive && k->m->outcome.trust.kind != CS_TRUST_NONE) page->offers |= CS_OFFER_LICENCE;
        if (k->m->other_toolkit) page->offers |= CS_OFFER_CUDA_PATH;
    } else {
        page->primary = is_archive_fault(k->m->status)                        ? CS_OFFER_ARCHIVE
                        : k->m->status == CS_E_TOOLKIT && named_toolkit(k->m) ? CS_OFFER_TOOLKIT
                                                                              : CS_OFFER_CHECK_AGAIN;
        page->offers |= CS_OFFER_CHECK_AGAIN;
        if (k->m->could_be_unverified) page->offers |= CS_OFFER_UNVERIFIED;
    }
    if (k->m->installed) page->offers |= CS_OFFER_UNINSTALL | CS_OFFER_ROLL_BACK;
}

/* Which of the two it becomes is in its records: nothing is to be chosen here. */
static void head_pending(maker *k) {
    cs_buffer_text(&k->page->line, TEXT(CS_SAY_PENDING));
    k->page->offers = CS_OFFER_RECOVER | CS_OFFER_CHECK_AGAIN | CS_OFFER_COPY;
    k->page->primary = CS_OFFER_RECOVER;
}

static void head_already(maker *k) {
    char number[24];
    bool right = k->m->status == CS_OK, differs = k->m->status == CS_E_DIFFERS;
    cs_page *page = k->page;
    snprintf(number, sizeof number, "%zu", k->m->outcome.file_count);
    cs_say(&page->line,
           right     ? CS_SAY_ALREADY
           : differs ? CS_SAY_ALREADY_DIFFERS
                     : CS_SAY_ALREADY_UNREAD,
           k->language, "count", number, NULL);
    page->offers = CS_OFFER_VERIFY | CS_OFFER_REPAIR | CS_OFFER_UNINSTALL | CS_OFFER_TEST | CS_OFFER_TOOLKIT | CS_OFFER_COPY;
    if (k->m->levels > 1) page->offers |= CS_OFFER_ROLL_BACK; /* with one level it is what uninstalling is */
    if (!right) page->offers |= CS_OFFER_ARCHIVE | CS_OFFER_CHECK_AGAIN;
    page->primary = differs ? CS_OFFER_REPAIR : CS_OFFER_VERIFY;
}

void cs_page_ready(const cs_survey *machine, cs_language language, cs_page *out) {
    cs_buffer version = {0};
    page_start(out, language);
    if (!machine) {
        cs_buffer_text(&out->heading, cs_phrase_text(CS_SAY_CAPTION, language));
        cs_buffer_text(&out->line, cs_phrase_text(CS_SAY_LOOKING, language));
        return;
    }
    maker k = {.m = machine, .language = language, .page = out};
    if (machine->manifest.version) {
        cs_page_version(&version, machine->manifest.version);
        cs_say(&out->heading, machine->same_package ? CS_SAY_HEADING_ALREADY : CS_SAY_HEADING, language, "version",
               cs_buffer_string(&version), "cuda", machine->manifest.cuda, NULL);
        row_archive(&k);
        row_cuda(&k);
        row_driver(&k);
        row_gpu(&k);
        if (machine->status != CS_E_TOOLKIT) row_cudnn(&k); /* else there is no place for one */
        rows_frameworks(&k);
        row_in_use(&k);
    } else {
        cs_buffer_text(&out->heading, cs_phrase_text(CS_SAY_CAPTION, language));
    }
    row_refusal(&k);
    if (machine->status == CS_E_PENDING)
        head_pending(&k);
    else if (machine->same_package)
        head_already(&k);
    else
        head_install(&k);
    choose_row(out);
    if (machine->same_package && out->primary == CS_OFFER_VERIFY) select_name(out, CS_SAY_ROW_CUDNN);
    cs_buffer_free(&version);
}
