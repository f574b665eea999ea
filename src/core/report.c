#include <inttypes.h>

#include "cudnn_setup/proof_detail.h"
#include "cudnn_setup/result.h"
#include "cudnn_setup/sentences.h"
#include "cudnn_setup/text.h"
#include "report_html.h"

/* Text for a page: first what could move or hide text, then what a browser would read as markup. */
void report_escaped(cs_buffer *out, const char *text) {
    cs_buffer visible = {0};
    for (const char *p = text; *p;) { /* line breaks are no danger inside <pre> and blanks elsewhere */
        size_t size = 0;
        while (p[size] && p[size] != '\n' && p[size] != '\r') size++;
        cs_buffer part = {0};
        cs_buffer_append(&part, p, size);
        cs_text_visible(&visible, cs_buffer_string(&part));
        if (part.failed) out->failed = true;
        cs_buffer_free(&part);
        p += size;
        if (*p == '\n') cs_buffer_append(&visible, "\n", 1);
        if (*p) p++;
    }
    for (const char *p = cs_buffer_string(&visible); *p; p++) switch (*p) {
        case '&':
            cs_buffer_text(out, "&amp;");
            break;
        case '<':
            cs_buffer_text(out, "&lt;");
            break;
        case '>':
            cs_buffer_text(out, "&gt;");
            break;
        case '"':
            cs_buffer_text(out, "&quot;");
            break;
        case '\'':
            cs_buffer_text(out, "&#39;");
            break;
        default:
            cs_buffer_append(out, p, 1);
        }
    if (visible.failed) out->failed = true;
    cs_buffer_free(&visible);
}

void report_element(cs_buffer *out, const char *name, const char *text) {
    cs_buffer_format(out, "<%s>", name);
    report_escaped(out, text ? text : "");
    cs_buffer_format(out, "</%s>", name);
}

static void table_begin(cs_buffer *out, const char *title, const char *const *heads, size_t count) {
    report_element(out, "h2", title);
    cs_buffer_text(out, "\n<table>\n<tr>");
    for (size_t i = 0; i < count; i++) report_element(out, "th", heads[i]);
    cs_buffer_text(out, "</tr>\n");
}

static void table_row(cs_buffer *out, const char *const *cells, size_t count) {
    cs_buffer_text(out, "<tr>");
    for (size_t i = 0; i < count; i++) report_element(out, "td", cells[i]);
    cs_buffer_text(out, "</tr>\n");
}

/* The page's own words in both languages, of which one is taken. */
#define SAY(english, chinese) (language == CS_CHINESE ? (chinese) : (english))

#define CELLS(...)           ((const char *const[]){__VA_ARGS__})
#define HEADS(title, n, ...) table_begin(out, title, CELLS(__VA_ARGS__), n)
#define ROW(n, ...)          table_row(out, CELLS(__VA_ARGS__), n)
#define TABLE_END()          cs_buffer_text(out, "</table>\n")

static void head(const cs_result_view *view, cs_buffer *out) {
    cs_buffer_text(out, CS_RESULT_HTML_START
                   "<style>body{font:15px/1.5 \"Segoe UI\",sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
                   "h1{font-size:1.5em}h2{font-size:1.2em}table{border-collapse:collapse}td,th{border:1px solid #bbb;"
                   "padding:.2em .6em;text-align:left;overflow-wrap:anywhere}th,td:first-child{white-space:nowrap}"
                   ".wide{overflow-x:auto}.wide td,.wide th{white-space:nowrap;font-size:.85em;padding:.1em "
                   ".4em}svg{max-width:100%;height:auto}"
                   "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:1em}</style>\n<title>");
    report_escaped(out, view->program);
    cs_buffer_text(out, " ");
    report_escaped(out, view->no_verb ? "(no verb)" : cs_verb_text(view->verb));
    cs_buffer_text(out, "</title>\n</head>\n");
    cs_buffer message = {0};
    const char *english = cs_buffer_string(&view->outcome->message);
    bool chinese = view->language == CS_CHINESE && cs_sentence_chinese(&message, english);
    cs_buffer_text(out, view->language != CS_CHINESE ? "<body>\n<h1>"
                        : chinese                    ? "<body lang=\"zh-CN\">\n<h1>"
                                                     : "<body lang=\"zh-CN\">\n<h1 lang=\"en\">");
    report_escaped(out, chinese ? cs_buffer_string(&message) : english);
    cs_buffer_text(out, "</h1>\n");
    if (message.failed) out->failed = true;
    cs_buffer_free(&message);
}

static void proof_row(cs_buffer *out, const char *what, const char *text, const cs_proof_stage *stage, cs_language language) {
    cs_buffer chinese = {0};
    if (!text) return;
    if (language == CS_CHINESE && stage && stage->known) cs_proof_stage_text(stage, language, &chinese);
    if (!chinese.size) cs_say_sentence(&chinese, text, language);
    ROW(2, what, chinese.size ? chinese.data : text);
    cs_buffer_free(&chinese);
}

static void summary(const cs_result_view *view, cs_buffer *out) {
    const cs_language language = view->language;
    const cs_proof_detail *proof = view->outcome->proof;
    const cs_outcome *outcome = view->outcome;
    cs_buffer text = {0};
    HEADS(SAY("Run", "运行"), 2, SAY("What", "项目"), SAY("Value", "内容"));
    cs_buffer_format(&text, "%s%s%s /%s%s", view->program, view->version ? " " : "", view->version ? view->version : "",
                     view->no_verb ? "(no verb)" : cs_verb_text(view->verb), view->dryrun ? " /dryrun" : "");
    ROW(2, SAY("Program", "程序"), cs_buffer_string(&text));
    cs_buffer_clear(&text);
    cs_buffer_format(&text, "%s, exit code %d", cs_result_text(outcome->result), view->exit_code);
    ROW(2, SAY("Result", "结果"), cs_buffer_string(&text));
    cs_buffer_clear(&text);
    cs_buffer_format(&text, "%s, %" PRIu64 " ms", view->time, view->ms);
    ROW(2, SAY("Time", "时间"), cs_buffer_string(&text));
    if (outcome->tree_path) ROW(2, SAY("CUDA toolkit", "CUDA 工具包"), outcome->tree_path);
    if (outcome->tree_id) ROW(2, SAY("Installation", "安装编号"), outcome->tree_id);
    if (outcome->trust.kind != CS_TRUST_NONE) {
        cs_buffer_clear(&text);
        cs_buffer_format(&text, "%s%s", cs_trust_text(outcome->trust.kind),
                         outcome->trust.kind == CS_TRUST_UNVERIFIED ? " copy"
                         : outcome->trust.sample                    ? ", a sample"
                                                                    : "");
        ROW(2, SAY("Trust", "信任依据"), cs_buffer_string(&text));
    }
    proof_row(out, SAY("Proof: files", "验证：文件"), outcome->proof_files, NULL, language);
    proof_row(out, SAY("Proof: loading", "验证：加载"), outcome->proof_loading, proof ? &proof->loading : NULL, language);
    proof_row(out, SAY("Proof: GPU", "验证：GPU"), outcome->proof_gpu, proof ? &proof->gpu : NULL, language);
    if (view->log[0]) ROW(2, SAY("Log", "日志"), view->log);
    TABLE_END();
    if (text.failed) out->failed = true;
    cs_buffer_free(&text);
}

static void lists(const cs_result_view *view, cs_buffer *out) {
    const cs_language language = view->language;
    const cs_outcome *outcome = view->outcome;
    if (view->warnings->count) HEADS(SAY("Warnings", "警告"), 2, "Id", SAY("Text", "内容"));
    for (size_t i = 0; i < view->warnings->count; i++) {
        cs_buffer said = {0};
        cs_say_sentence(&said, view->warnings->items[i].text, language);
        ROW(2, view->warnings->items[i].id, cs_buffer_string(&said));
        cs_buffer_free(&said);
    }
    if (view->warnings->count) TABLE_END();
    if (outcome->in_use.count)
        HEADS(SAY("Programs that hold the files", "占用文件的程序"), 3, SAY("Process", "进程"), SAY("Name", "名称"),
              SAY("File", "文件"));
    for (size_t i = 0; i < outcome->in_use.count; i++) {
        cs_buffer pid = {0};
        cs_buffer_format(&pid, "%" PRIu32, outcome->in_use.items[i].pid);
        ROW(3, cs_buffer_string(&pid), outcome->in_use.items[i].name, outcome->in_use.items[i].module);
        cs_buffer_free(&pid);
    }
    if (outcome->in_use.count) TABLE_END();
    if (outcome->file_count) HEADS(SAY("Files", "文件"), 2, SAY("File", "文件"), SAY("State", "状态"));
    for (size_t i = 0; i < outcome->file_count; i++) ROW(2, outcome->files[i].target, outcome->files[i].state);
    if (outcome->file_count) TABLE_END();
    if (outcome->value_count)
        HEADS(SAY("Registry", "注册表"), 4, SAY("Value", "值"), SAY("Type", "类型"), SAY("Before", "之前"), SAY("After", "之后"));
    for (size_t i = 0; i < outcome->value_count; i++) {
        const cs_outcome_value *value = &outcome->values[i];
        ROW(4, value->name, value->type, value->old_text ? value->old_text : SAY("(absent)", "（不存在）"),
            value->new_text ? value->new_text : SAY("(absent)", "（不存在）"));
    }
    if (outcome->value_count) TABLE_END();
}

cs_status cs_result_html(const cs_result_view *view, cs_buffer *out, cs_error *error) {
    const cs_language language = view->language;
    cs_buffer_clear(out);
    head(view, out);
    summary(view, out);
    cs_proof_put_html(view->outcome->proof, view->language, out);
    lists(view, out);
    if (view->report[0]) {
        report_element(out, "h2", SAY("Findings", "检查结果"));
        cs_buffer_text(out, "\n");
        report_element(out, "pre", view->report);
        cs_buffer_text(out, "\n");
    }
    cs_buffer_text(out, "</body>\n</html>\n");
    return cs_buffer_check(out, error);
}
