#include "cudnn_setup/diagnose.h"

#include <string.h>

#include "doctor.h"

typedef struct check {
    const char *title;
    cs_status (*look)(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);
    bool decides; /* its outcome names the tree, the trust and the files of the whole diagnosis */
} check;

static cs_status look_at_files(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_host quiet = *host; /* what it would tell on the way stands in the report */
    quiet.events = NULL;
    cs_status status = cs_verify(&quiet, options, outcome);
    for (size_t i = 0; i < outcome->file_count; i++)
        if (strcmp(outcome->files[i].state, "ok") != 0)
            cs_buffer_format(report, "%s: %s\n", outcome->files[i].target, outcome->files[i].state);
    return status;
}

static cs_status look_at_order(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    return cs_doctor_search(host, options->cuda, report, outcome);
}

static cs_status look_for_trouble(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    return cs_doctor_findings(host, options->cuda, report, outcome);
}

static cs_status look_at_frameworks(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    (void)options;
    return cs_doctor_frameworks(host, report, outcome);
}

static const check checks[] = {
    {"CUDA toolkit", cs_detect, false},
    {"Installation", cs_show_status, false},
    {"Files and registry", look_at_files, true},
    {"What a new program finds", look_at_order, false},
    {"Copies and variables", look_for_trouble, false},
    {"Frameworks on this machine", look_at_frameworks, false},
};

/* Nothing installed is no fault of the machine; everything else that is not in order is. */
static int verdict(cs_status status) {
    if (status == CS_OK) return CS_DIAGNOSIS_HEALTHY;
    return status == CS_E_NOTHING || status == CS_E_RIGHTS || status == CS_E_BUSY ? CS_DIAGNOSIS_WARNINGS : CS_DIAGNOSIS_BROKEN;
}

static void take(cs_outcome *out, cs_outcome *from) {
    cs_buffer message = out->message;
    *out = *from;
    *from = (cs_outcome){0};
    cs_buffer_free(&out->message);
    out->message = message;
}

static int run_check(const check *one, const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    static const char *const words[] = {"OK", "NOTE", "BROKEN"};
    cs_outcome part = {0};
    cs_buffer text = {0};
    cs_emit(host->events, CS_EVENT_DETAIL, "diagnose.check", "%s", one->title);
    int result = verdict(one->look(host, options, &text, &part));
    cs_buffer_format(report, "%s%s: %s\n", report->size ? "\n" : "", one->title, words[result]);
    if (part.message.size) cs_buffer_format(report, "%s\n", cs_buffer_string(&part.message));
    cs_buffer_text(report, cs_buffer_string(&text));
    if (text.size && text.data[text.size - 1] != '\n') cs_buffer_text(report, "\n");
    if (text.failed) report->failed = true;
    if (one->decides) take(outcome, &part);
    cs_outcome_free(&part);
    cs_buffer_free(&text);
    return result;
}

/* "broken: CUDA toolkit, Files and registry". */
static void name_checks(const int *results, int wanted, const char *before, cs_buffer *out) {
    bool any = false;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (results[i] != wanted) continue;
        cs_buffer_format(out, "%s%s", any ? ", " : before, checks[i].title);
        any = true;
    }
    if (any) cs_buffer_text(out, ".");
}

int cs_diagnose(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    static const char *const sentences[] = {"Everything that was looked at is in order.",
                                            "Nothing is broken, but there is something to know.", "Something is broken."};
    static const cs_result outcomes[] = {CS_RESULT_DONE, CS_RESULT_DONE, CS_RESULT_DIFFERS};
    int worst = CS_DIAGNOSIS_HEALTHY, results[sizeof checks / sizeof checks[0]];
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        results[i] = run_check(&checks[i], host, options, report, outcome);
        if (results[i] > worst) worst = results[i];
    }
    cs_buffer_text(report, "\nGood to know\n");
    cs_doctor_explain(host, options->cuda, report);
    outcome->result = outcomes[worst];
    cs_buffer_clear(&outcome->message);
    cs_buffer_text(&outcome->message, sentences[worst]);
    name_checks(results, CS_DIAGNOSIS_BROKEN, " Broken: ", &outcome->message);
    name_checks(results, CS_DIAGNOSIS_WARNINGS, " To know: ", &outcome->message);
    return worst;
}
