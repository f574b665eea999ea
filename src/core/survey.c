#include "cudnn_setup/survey.h"

#include <string.h>

#include "cudnn_setup/cudnn_header.h"
#include "cudnn_setup/package.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/preflight.h"
#include "cudnn_setup/verb.h"

enum { HEADER_LIMIT = 1024 * 1024 };

/* ---- listening to the dry run ---- */

typedef struct listener {
    const cs_events *next;
    cs_survey *machine;
    const cs_strings *candidates;
    size_t tried;
} listener;

static void on_event(void *ctx, const cs_event *event) {
    listener *l = ctx;
    if (event->kind == CS_EVENT_WARNING) cs_warnings_add(&l->machine->warnings, event->id, event->text, NULL);
    if (event->kind == CS_EVENT_STEP && strcmp(event->id, "archive") == 0) l->tried++;
    if (l->next && l->next->emit) l->next->emit(l->next->ctx, event);
}

static bool on_cancelled(void *ctx) { return cs_cancelled(((listener *)ctx)->next); }

/* ---- the parts ---- */

char *cs_survey_header_version(const cs_host *host, const char *tree) {
    static const char *const headers[] = {"include/cudnn_version.h", "include/cudnn.h"};
    cs_buffer path = {0}, text = {0}, version = {0};
    uint32_t parts[3];
    char *found = NULL;
    for (size_t i = 0; i < 2 && !found; i++) {
        cs_buffer_clear(&text);
        if (cs_path_join(&path, host->fs->separator, tree, headers[i], NULL) != CS_OK ||
            cs_fs_read_all(host->fs, path.data, HEADER_LIMIT, &text, NULL) != CS_OK ||
            !cs_cudnn_header_version(cs_buffer_string(&text), text.size, parts))
            continue;
        cs_buffer_format(&version, "%u.%u.%u", (unsigned)parts[0], (unsigned)parts[1], (unsigned)parts[2]);
        found = cs_strdup(cs_buffer_string(&version));
    }
    cs_buffer_free(&path);
    cs_buffer_free(&text);
    cs_buffer_free(&version);
    return found;
}

/* The headers say it; of a tree without them the library does. */
static void find_present(const cs_host *host, const char *tree, cs_survey *out) {
    out->present = cs_survey_header_version(host, tree);
    uint32_t number = out->present ? 0 : cs_preflight_present_version(host, tree, out->manifest.cudnn_version);
    cs_buffer text = {0};
    if (number) cs_buffer_format(&text, "%u.%u.%u", number / 1000, number % 1000 / 100, number % 100);
    if (text.size) out->present = cs_strdup(text.data);
    cs_buffer_free(&text);
}

/* What the records say of the tree; where they cannot be read, nothing. */
static void find_installed(const cs_host *host, const cs_options *options, const char *tree, cs_survey *out) {
    cs_run run;
    cs_outcome ignored = {0};
    cs_status status = cs_run_begin_reading(&run, host, options, &ignored);
    size_t index = status == CS_OK ? cs_trees_find(host, &run.trees, tree) : 0;
    if (status == CS_OK && index < run.trees.count) {
        const cs_record *head = &run.trees.items[index].head;
        const cs_receipt *top = cs_trees_top(head);
        out->installed = top != NULL;
        out->levels = head->stack_count;
        out->same_package = top && top->cudnn_version == out->manifest.cudnn_version;
    }
    cs_run_end(&run, status);
    cs_outcome_free(&ignored);
}

void cs_survey_installed(const cs_host *host, const cs_options *options, cs_strings *out) {
    cs_run run;
    cs_outcome ignored = {0};
    cs_host quiet = *host;
    quiet.events = NULL;
    cs_status status = cs_run_begin_reading(&run, &quiet, options, &ignored);
    for (size_t i = 0; status == CS_OK && i < run.trees.count; i++)
        if (run.trees.items[i].head.stack_count) status = cs_strings_add(out, run.trees.items[i].head.tree_path, NULL);
    cs_run_end(&run, status);
    cs_outcome_free(&ignored);
}

static bool warned(const cs_survey *machine, const char *id) {
    for (size_t i = 0; i < machine->warnings.count; i++)
        if (strcmp(machine->warnings.items[i].id, id) == 0) return true;
    return false;
}

/* Whose value CUDA_PATH is now, where the plan would keep it. */
static void find_other_toolkit(const cs_host *host, cs_survey *out) {
    cs_reg_value value = {0};
    cs_buffer text = {0};
    bool other = warned(out, "cudapath.kept") || warned(out, "cudapath.taken");
    if (other && host->registry->read(host->registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH", &value, NULL) == CS_OK &&
        value.present && cs_reg_value_to_text(&value, &text, NULL) == CS_OK)
        out->other_toolkit = cs_strdup(cs_buffer_string(&text));
    cs_reg_value_free(&value);
    cs_buffer_free(&text);
}

void cs_survey_take_gpus(cs_survey *survey, cs_machine *answer) {
    cs_machine *m = &survey->machine;
    memcpy(m->devices, answer->devices, sizeof m->devices);
    m->device_count = answer->device_count;
    m->gpu_fit = answer->gpu_fit;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_free(&m->gpu_sentence[i]);
        m->gpu_sentence[i] = answer->gpu_sentence[i];
        answer->gpu_sentence[i] = (cs_buffer){0};
    }
    survey->gpus_asked = true;
    cs_machine_free(answer);
}

/* ---- all of it ---- */

static cs_status try_archives(const cs_host *host, const cs_options *options, const cs_strings *candidates,
                              cs_operation operation, cs_outcome *outcome, cs_survey *out) {
    listener l = {.next = host->events, .machine = out, .candidates = candidates};
    const cs_events events = {.ctx = &l, .emit = on_event, .cancelled = on_cancelled};
    cs_host heard = *host;
    heard.events = &events;
    cs_status status = operation(&heard, options, outcome);
    size_t at = l.tried && status == CS_OK ? l.tried - 1 : 0; /* of several, the last that was tried passed */
    if (at < candidates->count) out->archive = cs_strdup(candidates->items[at]);
    return status;
}

/* A readable ZIP with the package's files, and no known wrong one. */
static bool could_be_unverified(const cs_host *host, const cs_survey *machine) {
    cs_archive *archive = NULL;
    cs_trust trust = {0};
    uint64_t total = 0;
    if (machine->status != CS_E_ARCHIVE_BAD || machine->accepts_unverified || !machine->archive) return false;
    bool could = cs_archive_open(host, machine->archive, &archive, NULL) == CS_OK &&
                 cs_archive_judge(archive, &machine->manifest, true, &trust, NULL) == CS_OK &&
                 trust.kind == CS_TRUST_UNVERIFIED &&
                 cs_archive_measure(archive, &machine->manifest, &trust, &total, NULL) == CS_OK;
    cs_archive_close(archive);
    return could;
}

/* An archive is wanted only where something has to be put right. */
static void look_at_installed(const cs_host *host, const cs_options *options, const char *tree, const cs_strings *candidates,
                              cs_survey *out) {
    cs_outcome repair = {0};
    cs_options named = *options; /* borrowed strings */
    named.verb = CS_VERB_VERIFY;
    named.dryrun = false;
    named.tree = NULL;
    named.cuda = (char *)(uintptr_t)tree;
    out->status = cs_verify(host, &named, &out->outcome);
    named.verb = CS_VERB_REPAIR;
    named.dryrun = true;
    if (out->status == CS_E_DIFFERS)
        out->repair_status = try_archives(host, &named, candidates, cs_repair, &repair, out);
    else if (candidates->count)
        out->archive = cs_strdup(candidates->items[0]);
    cs_buffer_text(&out->repair_message, cs_buffer_string(&repair.message));
    cs_outcome_free(&repair);
}

static void refuse(cs_survey *out, cs_status status, const cs_error *error) {
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    out->status = out->outcome.status = status;
    out->outcome.result = CS_RESULT_FAILED;
    cs_error_sentence(error, text, sizeof text);
    cs_buffer_text(&out->outcome.message, text);
}

void cs_survey_look(const cs_host *host, const cs_options *options, cs_survey *out) {
    cs_host quiet = *host;
    cs_options dry = *options; /* borrowed strings */
    cs_strings candidates = {0};
    cs_error error = {0};
    quiet.events = NULL;
    dry.verb = CS_VERB_INSTALL;
    dry.dryrun = true;
    out->accepts_unverified = options->unverified_accept;
    cs_status status = cs_package_manifest(&quiet, options->manifest, &out->manifest, &error);
    if (status == CS_OK) cs_machine_read_driver(&quiet, &out->manifest, &out->machine);
    if (status == CS_OK) status = cs_toolkit_detect(&quiet, out->manifest.cuda, options->cuda, &out->toolkits, &error);
    if (status != CS_OK) {
        refuse(out, status, &error);
        return;
    }
    const char *tree = NULL;
    if (out->toolkits.chosen < out->toolkits.count) {
        tree = out->toolkits.items[out->toolkits.chosen].path;
        find_present(&quiet, tree, out);
        find_installed(&quiet, &dry, tree, out);
    }
    cs_package_find(&quiet, options, &out->manifest, &candidates, NULL); /* none: the dry run says so */
    cs_frameworks_find(&quiet, &out->frameworks, NULL);                  /* what cannot be found out is not told */
    if (out->same_package)
        look_at_installed(host, &dry, tree, &candidates, out);
    else
        out->status = try_archives(host, &dry, &candidates, cs_install, &out->outcome, out);
    out->could_be_unverified = could_be_unverified(host, out);
    find_other_toolkit(&quiet, out);
    cs_strings_free(&candidates);
}

void cs_survey_free(cs_survey *machine) {
    cs_manifest_free(&machine->manifest);
    cs_toolkits_free(&machine->toolkits);
    cs_outcome_free(&machine->outcome);
    cs_warnings_free(&machine->warnings);
    cs_buffer_free(&machine->repair_message);
    cs_free(machine->archive);
    cs_machine_free(&machine->machine);
    cs_frameworks_free(&machine->frameworks);
    cs_free(machine->present);
    cs_free(machine->other_toolkit);
    *machine = (cs_survey){0};
}

/* ---- the licence ---- */

static cs_status take_begin(void *ctx, size_t row, uint64_t size, cs_error *error) {
    enum { MOST = 1024 * 1024 };
    (void)ctx, (void)row;
    return size <= MOST ? CS_OK : cs_fail(error, CS_E_TOO_BIG, "read", "the licence", "it is too long to be a licence");
}

static cs_status take_bytes(void *ctx, size_t row, const void *bytes, size_t size, cs_error *error) {
    (void)row;
    cs_buffer_append(ctx, bytes, size);
    return cs_buffer_check(ctx, error);
}

static cs_status take_end(void *ctx, size_t row, const cs_staged *staged, cs_error *error) {
    (void)ctx, (void)row, (void)staged, (void)error;
    return CS_OK;
}

cs_status cs_survey_licence(const cs_host *host, const cs_survey *machine, cs_buffer *out, cs_error *error) {
    cs_manifest one = machine->manifest; /* borrowed, but for its rows: of these the licence only */
    cs_archive *archive = NULL;
    cs_staged staged = {0};
    size_t row = 0;
    const cs_sink sink = {.ctx = out, .begin = take_begin, .write = take_bytes, .end = take_end};
    cs_host quiet = *host;
    quiet.events = NULL;
    while (row < one.file_count && one.files[row].role != CS_ROLE_LICENCE) row++;
    if (row == one.file_count || !machine->archive)
        return cs_fail(error, CS_E_FORMAT, "read", "the licence", "there is none in the package");
    one.files += row;
    one.file_count = 1;
    cs_buffer_clear(out);
    cs_status status = cs_archive_open(&quiet, machine->archive, &archive, error);
    if (status == CS_OK) status = cs_archive_extract(archive, &one, &machine->outcome.trust, &sink, &staged, NULL, error);
    cs_archive_close(archive);
    return status;
}
