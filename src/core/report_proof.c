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

/* Both languages of a text, of which one is taken. */
#define SAY(english, chinese) (language == CS_CHINESE ? (chinese) : (english))

static void memory_row(cs_language language, const cs_proof_detail *detail, cs_buffer *out) {
    cs_buffer text = {0};
    const uint64_t available = detail->memory_free >> 20, total = detail->memory_total >> 20;
    if (!detail->memory_total) return;
    if (language == CS_CHINESE)
        cs_buffer_format(&text, "共 %" PRIu64 " MiB，可用 %" PRIu64 " MiB", total, available);
    else
        cs_buffer_format(&text, "%" PRIu64 " of %" PRIu64 " MiB free", available, total);
    row(out, SAY("Memory", "显存"), cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void machine(const cs_proof_detail *detail, cs_language language, cs_buffer *out) {
    cs_buffer text = {0};
    report_element(out, "h2", SAY("What the proof ran on", "验证所用的环境"));
    cs_buffer_text(out, "\n<table>\n");
    known(out, SAY("Device", "设备"), detail->device);
    known(out, SAY("Compute capability", "计算能力"), detail->capability);
    memory_row(language, detail, out);
    known(out, SAY("Driver", "显卡驱动"), detail->driver);
    cuda_row(out, SAY("The driver serves up to", "驱动最高支持"), detail->driver_cuda);
    cuda_row(out, SAY("CUDA runtime", "CUDA 运行库"), detail->runtime);
    cs_buffer_format(&text, "%" PRIu64, detail->cudnn);
    if (detail->cudnn) row(out, "cudnnGetVersion()", cs_buffer_string(&text));
    cuda_row(out, SAY("cuDNN was built for", "cuDNN 对应的版本"), detail->built_for);
    known(out, "CUDA_VISIBLE_DEVICES", detail->visible_devices);
    cs_buffer_text(out, "</table>\n");
    cs_buffer_free(&text);
}

/* Nanoseconds as people read them: three digits. */
static void duration(cs_buffer *out, uint64_t ns) {
    static const char *const units[] = {"\xC2\xB5s", "ms", "s"};
    double value = (double)ns / 1e3;
    size_t unit = 0;
    for (; unit < 2 && value >= 999.5; unit++) value /= 1e3;
    cs_buffer_format(out, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

/* What the probe calls the outcome, in Chinese; "" for a word that is not known. */
static const char *chinese_outcome(const char *outcome) {
    static const char *const words[][2] = {{"right", "正确"},         {"unsupported", "不支持"}, {"no-room", "显存不足"},
                                           {"lacking", "示例没有"},   {"wrong", "错误"},         {"not-a-number", "不是数"},
                                           {"untouched", "没有写全"}, {"overrun", "写出界外"},   {"failed", "失败"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], outcome) == 0) return words[i][1];
    return "";
}

static void cell_time(cs_buffer *out, uint64_t ns) {
    cs_buffer_text(out, "<td>");
    if (ns) duration(out, ns);
    cs_buffer_text(out, "</td>");
}

static void computations(const cs_proof_detail *detail, cs_language language, cs_buffer *out) {
    static const char *const heads[][CS_LANGUAGE_COUNT] = {
        {"Operation", "操作"}, {"Shape", "形状"}, {"Type", "类型"},           {"Algorithm", "算法"},      {"Outcome", "结果"},
        {"Error", "误差"},     {"Limit", "限值"}, {"First call", "首次调用"}, {"Later calls", "后续调用"}};
    report_element(out, "h2", SAY("Every computation", "全部计算"));
    cs_buffer_text(out, "\n<div class=\"wide\"><table>\n<tr>");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) report_element(out, "th", heads[i][language]);
    cs_buffer_text(out, "</tr>\n");
    for (size_t i = 0; i < detail->call_count; i++) {
        const cs_proof_call *c = &detail->calls[i];
        const char *said = language == CS_CHINESE ? chinese_outcome(c->outcome) : "";
        const char *const cells[] = {c->operation, c->shape, c->type, c->algorithm, *said ? said : c->outcome,
                                     c->error,     c->limit};
        cs_buffer_text(out, "<tr>");
        for (size_t t = 0; t < sizeof cells / sizeof cells[0]; t++) report_element(out, "td", cells[t] ? cells[t] : "");
        cell_time(out, c->first_ns);
        cell_time(out, c->later_ns);
        cs_buffer_text(out, "</tr>\n");
    }
    cs_buffer_text(out, "</table></div>\n");
}

/* ---- the chart: two bars for each algorithm of the forward convolution, on a logarithmic scale with its decades marked ---- */

enum { BARS_AT = 200, BARS_WIDTH = 440, ROW_HEIGHT = 34, AXIS_HEIGHT = 22, MAX_ALGORITHMS = 16 };
#define DARK  "#1b5e20"
#define LIGHT "#81c784"

typedef struct scale {
    int first, last; /* decades: powers of ten of nanoseconds */
} scale;

static int place(const scale *s, double ns) {
    double at = (log10(ns) - s->first) / (s->last - s->first);
    return at <= 0 ? 1 : at >= 1 ? BARS_WIDTH : (int)(at * BARS_WIDTH) + 1;
}

/* From a decade below the shortest to the one above the longest, so that no bar is without a length. */
static scale fit(const cs_proof_call *const *calls, size_t count) {
    uint64_t shortest = UINT64_MAX, longest = 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t times[] = {calls[i]->first_ns, calls[i]->later_ns};
        for (size_t t = 0; t < 2; t++) {
            if (times[t] < shortest) shortest = times[t];
            if (times[t] > longest) longest = times[t];
        }
    }
    scale s = {(int)floor(log10((double)shortest)), (int)ceil(log10((double)longest))};
    if (s.first > 0 && log10((double)shortest) - s.first < 0.1) s.first--;
    if (s.last <= s.first) s.last = s.first + 1;
    return s;
}

static void axis(const scale *s, int height, cs_buffer *out) {
    for (int decade = s->first; decade <= s->last; decade++) {
        int x = BARS_AT + (decade - s->first) * BARS_WIDTH / (s->last - s->first);
        cs_buffer_format(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ccc\"/>", x, AXIS_HEIGHT - 4, x, height);
        cs_buffer_format(out, "<text x=\"%d\" y=\"12\" text-anchor=\"middle\" fill=\"#555\">", x);
        if (decade < 3) /* below a microsecond; no clock tells more */
            cs_buffer_format(out, "%.0f ns", pow(10, decade));
        else
            cs_buffer_format(out, "%.0f %s", pow(10, decade % 3), decade < 6 ? "\xC2\xB5s" : decade < 9 ? "ms" : "s");
        cs_buffer_text(out, "</text>\n");
    }
}

static void bar(cs_buffer *out, const scale *s, int y, uint64_t ns, const char *colour) {
    int width = place(s, (double)ns);
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

/* What the chart shows, in a sentence that is true of these numbers. */
static void explain(const cs_proof_call *const *chosen, size_t count, cs_language language, cs_buffer *out) {
    double most = 1;
    cs_buffer text = {0};
    for (size_t i = 0; i < count; i++)
        if ((double)chosen[i]->first_ns / (double)chosen[i]->later_ns > most)
            most = (double)chosen[i]->first_ns / (double)chosen[i]->later_ns;
    if (most < 2)
        cs_buffer_text(&text, SAY("Here the first call of an algorithm (dark) takes about as long as the later ones (light).",
                                  "此处每种算法的首次调用（深色）与后续调用（浅色）耗时相近。"));
    else if (language == CS_CHINESE)
        cs_buffer_format(&text,
                         "首次调用某种算法（深色）时，cuDNN 要选择并加载其代码（预热）：此处最多为后续调用（浅色）的 %.0f "
                         "倍。每个程序只需付出一次，首次运行较慢属正常，不是故障。",
                         most);
    else
        cs_buffer_format(
            &text,
            "In the first call of an algorithm (dark) cuDNN chooses and loads its code, the warm-up: here it takes up "
            "to %.0f times as long as the later ones (light). Every program pays that once; a slow first call is no "
            "fault.",
            most);
    cs_buffer_text(&text, SAY(" Each mark of the scale is ten times the one before.", "刻度每格为前一格的十倍。"));
    report_element(out, "p", cs_buffer_string(&text));
    cs_buffer_free(&text);
}

static void chart(const cs_proof_detail *detail, cs_language language, cs_buffer *out) {
    const cs_proof_call *chosen[MAX_ALGORITHMS];
    size_t count = choose(detail, chosen);
    if (!count) return;
    const scale s = fit(chosen, count);
    const int width = BARS_AT + BARS_WIDTH + 80, height = (int)count * ROW_HEIGHT + AXIS_HEIGHT + 6;
    const char *title = SAY("First and later calls", "首次调用与后续调用");
    report_element(out, "h2", title);
    cs_buffer_text(out, "\n");
    explain(chosen, count, language, out);
    cs_buffer_format(out,
                     "\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"12\" role=\"img\" aria-label=\"%s\">\n",
                     width, height, width, height, title);
    axis(&s, height - 6, out);
    for (size_t i = 0; i < count; i++) {
        int y = (int)i * ROW_HEIGHT + AXIS_HEIGHT;
        cs_buffer_format(out, "<text x=\"0\" y=\"%d\">", y + 18);
        report_escaped(out, chosen[i]->algorithm);
        cs_buffer_text(out, "</text>\n");
        bar(out, &s, y, chosen[i]->first_ns, DARK);
        bar(out, &s, y + 14, chosen[i]->later_ns, LIGHT);
    }
    cs_buffer_text(out, "</svg>\n");
}

void cs_proof_put_html(const cs_proof_detail *detail, cs_language language, cs_buffer *out) {
    if (!detail) return;
    const cs_proof_stage *const stages[] = {&detail->loading, &detail->gpu};
    for (size_t i = 0; i < 2; i++) {
        const char *advice = stages[i]->known ? cs_verdict_advice(stages[i]->verdict, language) : "";
        if (*advice) report_element(out, "p", advice);
    }
    if (!detail->runtime && !detail->cudnn) return;
    machine(detail, language, out);
    if (!detail->call_count) return;
    chart(detail, language, out);
    computations(detail, language, out);
}
