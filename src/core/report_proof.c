/* report_proof.c: the proof in the HTML report: what it ran on, how long first and later calls took, and every computation. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cudnn_setup/proof_detail.h"
#include "report_html.h"

/* ---- tables ---- */

static void row(cs_buffer *out, const char *what, const char *value) {
    cs_buffer_text(out, "<tr>");
    report_element(out, "td", what);
    report_element(out, "td", value);
    cs_buffer_text(out, "</tr>\n");
}

static void known(cs_buffer *out, const char *what, const char *value) {
    if (value && *value) row(out, what, value);
}

/* CUDA's numbers are 1000 * major + 10 * minor. */
static void cuda_row(cs_buffer *out, const char *what, uint64_t version) {
    cs_buffer text = {0};
    if (!version) return;
    cs_buffer_format(&text, "CUDA %" PRIu64 ".%" PRIu64, version / 1000, version % 1000 / 10);
    row(out, what, cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void machine(const cs_proof_detail *detail, cs_buffer *out) {
    cs_buffer text = {0};
    report_element(out, "h2", "What the proof ran on");
    cs_buffer_text(out, "\n<table>\n");
    known(out, "Device", detail->device);
    known(out, "Compute capability", detail->capability);
    if (detail->memory_total) {
        cs_buffer_format(&text, "%" PRIu64 " of %" PRIu64 " MiB free", detail->memory_free >> 20, detail->memory_total >> 20);
        row(out, "Memory", cs_buffer_string(&text));
    }
    known(out, "Driver", detail->driver);
    cuda_row(out, "The driver serves up to", detail->driver_cuda);
    cuda_row(out, "CUDA runtime", detail->runtime);
    cs_buffer_clear(&text);
    cs_buffer_format(&text, "%" PRIu64, detail->cudnn);
    if (detail->cudnn) row(out, "cudnnGetVersion()", cs_buffer_string(&text));
    cuda_row(out, "cuDNN was built for", detail->built_for);
    known(out, "CUDA_VISIBLE_DEVICES", detail->visible_devices);
    cs_buffer_text(out, "</table>\n");
    cs_buffer_free(&text);
}

/* Nanoseconds as people read them. */
static void duration(cs_buffer *out, uint64_t ns) {
    if (ns < 1000000)
        cs_buffer_format(out, "%.1f \xC2\xB5s", (double)ns / 1e3);
    else if (ns < 1000000000)
        cs_buffer_format(out, "%.1f ms", (double)ns / 1e6);
    else
        cs_buffer_format(out, "%.2f s", (double)ns / 1e9);
}

static void cell_time(cs_buffer *out, uint64_t ns) {
    cs_buffer_text(out, "<td>");
    if (ns) duration(out, ns);
    cs_buffer_text(out, "</td>");
}

static void computations(const cs_proof_detail *detail, cs_buffer *out) {
    static const char *const heads[] = {"Operation", "Shape", "Type",       "Algorithm",  "Outcome",
                                        "Error",     "Limit", "First call", "Later calls"};
    report_element(out, "h2", "Every computation");
    cs_buffer_text(out, "\n<table>\n<tr>");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) report_element(out, "th", heads[i]);
    cs_buffer_text(out, "</tr>\n");
    for (size_t i = 0; i < detail->call_count; i++) {
        const cs_proof_call *c = &detail->calls[i];
        const char *const cells[] = {c->operation, c->shape, c->type, c->algorithm, c->outcome, c->error, c->limit};
        cs_buffer_text(out, "<tr>");
        for (size_t t = 0; t < sizeof cells / sizeof cells[0]; t++) report_element(out, "td", cells[t] ? cells[t] : "");
        cell_time(out, c->first_ns);
        cell_time(out, c->later_ns);
        cs_buffer_text(out, "</tr>\n");
    }
    cs_buffer_text(out, "</table>\n");
}

/* ---- the chart: two bars for each algorithm of the forward convolution, on a logarithmic scale ---- */

enum { BARS_AT = 210, BARS_WIDTH = 400, ROW_HEIGHT = 34, MAX_ALGORITHMS = 16 };
static const double shortest = 1e3, longest = 1e10; /* nanoseconds: 1 microsecond to 10 seconds */

static int bar_width(uint64_t ns) {
    double at = log10((double)ns / shortest) / log10(longest / shortest);
    return at <= 0 ? 1 : at >= 1 ? BARS_WIDTH : (int)(at * BARS_WIDTH) + 1;
}

static void bar(cs_buffer *out, int y, uint64_t ns, const char *colour) {
    int width = bar_width(ns);
    cs_buffer_format(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">", BARS_AT, y,
                     width, colour, BARS_AT + width + 6, y + 11);
    duration(out, ns);
    cs_buffer_text(out, "</text>\n");
}

/* The slowest first call of each algorithm: the one that had to load and choose. */
static size_t choose(const cs_proof_detail *detail, const cs_proof_call *chosen[MAX_ALGORITHMS]) {
    size_t count = 0;
    for (size_t i = 0; i < detail->call_count; i++) {
        const cs_proof_call *c = &detail->calls[i];
        if (strcmp(c->operation, "convolution-forward") != 0 || !c->first_ns || !c->later_ns) continue;
        size_t at = 0;
        while (at < count && strcmp(chosen[at]->algorithm, c->algorithm) != 0) at++;
        if (at == MAX_ALGORITHMS) continue;
        if (at == count)
            chosen[count++] = c;
        else if (c->first_ns > chosen[at]->first_ns)
            chosen[at] = c;
    }
    return count;
}

static void chart(const cs_proof_detail *detail, cs_buffer *out) {
    const cs_proof_call *chosen[MAX_ALGORITHMS];
    size_t count = choose(detail, chosen);
    if (!count) return;
    report_element(out, "h2", "First and later calls");
    cs_buffer_text(out, "\n");
    report_element(
        out, "p",
        "The first call of an algorithm (dark) is slower than the later ones (light), often a hundred times and more: cuDNN is "
        "loading and choosing its code then, which every program pays once and which is no fault.");
    cs_buffer_format(out,
                     "\n<svg width=\"%d\" height=\"%d\" font-size=\"12\" role=\"img\" aria-label=\"First and later calls of each "
                     "algorithm\">\n",
                     BARS_AT + BARS_WIDTH + 90, (int)count * ROW_HEIGHT + 10);
    for (size_t i = 0; i < count; i++) {
        int y = (int)i * ROW_HEIGHT + 4;
        cs_buffer_format(out, "<text x=\"0\" y=\"%d\">", y + 18);
        report_escaped(out, chosen[i]->algorithm);
        cs_buffer_text(out, "</text>\n");
        bar(out, y, chosen[i]->first_ns, "#1b5e20");
        bar(out, y + 14, chosen[i]->later_ns, "#81c784");
    }
    cs_buffer_text(out, "</svg>\n");
}

void cs_proof_put_html(const cs_proof_detail *detail, cs_buffer *out) {
    if (!detail) return;
    const cs_proof_stage *const stages[] = {&detail->loading, &detail->gpu};
    for (size_t i = 0; i < 2; i++) {
        const char *advice = stages[i]->known ? cs_verdict_advice(stages[i]->verdict, CS_ENGLISH) : "";
        if (*advice) report_element(out, "p", advice);
    }
    if (!detail->runtime && !detail->cudnn) return;
    machine(detail, out);
    if (!detail->call_count) return;
    chart(detail, out);
    computations(detail, out);
}
