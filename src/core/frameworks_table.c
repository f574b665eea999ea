#include "cudnn_setup/frameworks_table.h"

#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/json.h"
#include "cudnn_setup/text.h"

enum { MAX_BYTES = 256 * 1024, MAX_TEXT = 120 };

static const char *const serves_names[CS_SERVES_COUNT] = {[CS_SERVES_YES] = "yes",
                                                          [CS_SERVES_NO] = "no",
                                                          [CS_SERVES_OWN] = "own",
                                                          [CS_SERVES_NONE] = "none",
                                                          [CS_SERVES_UNKNOWN] = "unknown"};

const char *cs_serves_name(cs_serves serves) {
    return (unsigned)serves < CS_SERVES_COUNT ? serves_names[serves] : serves_names[CS_SERVES_UNKNOWN];
}

static void free_framework(cs_table_framework *framework) {
    for (size_t i = 0; i < framework->row_count; i++) {
        cs_table_row *row = &framework->rows[i];
        char *const texts[] = {row->from, row->below, row->tag, row->cuda, row->cudnn, row->loads};
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) cs_free(texts[t]);
    }
    cs_free(framework->rows);
    cs_free(framework->name);
    cs_strings_free(&framework->distributions);
    cs_strings_free(&framework->own);
}

void cs_frameworks_table_free(cs_frameworks_table *table) {
    for (size_t i = 0; i < table->count; i++) free_framework(&table->items[i]);
    cs_free(table->items);
    cs_free(table->cudnn);
    cs_free(table->cuda);
    *table = (cs_frameworks_table){0};
}

/* ---- reading ---- */

static char *maybe_text(const cs_json_at *object, const char *key) {
    cs_json_at at = cs_json_maybe(object, key);
    return at.node ? cs_json_text_copy(at, 1, MAX_TEXT) : NULL;
}

static void read_names(const cs_json_at *object, const char *key, bool needed, cs_strings *out) {
    cs_json_at list = needed ? cs_json_get(object, key) : cs_json_maybe(object, key);
    if (!list.node) return;
    cs_json_count(&list, 1, CS_TABLE_MAX_NAMES);
    for (cs_json_at item = {0}; cs_json_each(&list, &item);) {
        const char *text = cs_json_text(item, 1, MAX_TEXT);
        if (object->reader->status == CS_OK && cs_strings_add(out, text, NULL) != CS_OK) cs_json_no_memory(object->reader);
    }
}

static void read_row(const cs_json_at *item, cs_table_row *row) {
    static const char *const keys[] = {"from", "below", "tag", "cuda", "cudnn", "loads", "serves"};
    cs_json_keys(item, keys, sizeof keys / sizeof keys[0]);
    row->from = maybe_text(item, "from");
    row->below = maybe_text(item, "below");
    row->tag = maybe_text(item, "tag");
    row->cuda = maybe_text(item, "cuda");
    row->cudnn = maybe_text(item, "cudnn");
    row->loads = maybe_text(item, "loads");
    row->serves = (cs_serves)cs_json_choice(cs_json_get(item, "serves"), serves_names, CS_SERVES_COUNT);
}

static void read_framework(const cs_json_at *item, cs_table_framework *out) {
    static const char *const keys[] = {"name", "distributions", "own", "rows"};
    cs_json_keys(item, keys, sizeof keys / sizeof keys[0]);
    out->name = cs_json_text_copy(cs_json_get(item, "name"), 1, MAX_TEXT);
    read_names(item, "distributions", true, &out->distributions);
    read_names(item, "own", false, &out->own);
    cs_json_at rows = cs_json_get(item, "rows");
    size_t count = cs_json_count(&rows, 1, CS_TABLE_MAX_ROWS);
    out->rows = count ? cs_alloc(count, sizeof *out->rows) : NULL;
    if (count && !out->rows) cs_json_no_memory(item->reader);
    for (cs_json_at row = {0}; out->row_count < count && cs_json_each(&rows, &row);) read_row(&row, &out->rows[out->row_count++]);
}

static void read_table(const cs_json_at *root, cs_frameworks_table *out) {
    static const char *const keys[] = {"schema", "cudnn", "cuda", "frameworks"};
    cs_json_at schema = cs_json_get(root, "schema");
    cs_json_keys(root, keys, sizeof keys / sizeof keys[0]);
    if (cs_json_uint(schema, CS_JSON_MAX_UINT) != 1) cs_json_bad(&schema, "is not 1");
    out->cudnn = cs_json_text_copy(cs_json_get(root, "cudnn"), 1, MAX_TEXT);
    out->cuda = cs_json_text_copy(cs_json_get(root, "cuda"), 1, MAX_TEXT);
    cs_json_at list = cs_json_get(root, "frameworks");
    size_t count = cs_json_count(&list, 1, CS_TABLE_MAX_FRAMEWORKS);
    out->items = count ? cs_alloc(count, sizeof *out->items) : NULL;
    if (count && !out->items) cs_json_no_memory(root->reader);
    for (cs_json_at item = {0}; out->items && out->count < count && cs_json_each(&list, &item);)
        read_framework(&item, &out->items[out->count++]);
}

cs_status cs_frameworks_table_parse(const char *name, const char *bytes, size_t size, cs_frameworks_table *out, cs_error *error) {
    const cs_json_limits limits = {.max_bytes = MAX_BYTES};
    cs_json *json = NULL;
    cs_json_reader reader = {.name = name, .error = error};
    cs_status status = cs_json_parse(name, bytes, size, &limits, &json, error);
    if (status == CS_OK) {
        cs_json_at root = cs_json_root(&reader, json);
        read_table(&root, out);
        status = reader.status;
    }
    cs_json_free(json);
    if (status != CS_OK) cs_frameworks_table_free(out);
    return status;
}

/* ---- finding ---- */

/* Both in pip's normal form: no case, and '-', '_' and '.' are one. Source: PEP 503. */
static bool same_distribution(const char *a, const char *b) {
    for (;; a++, b++) {
        char left = *a == '_' || *a == '.' ? '-' : *a, right = *b == '_' || *b == '.' ? '-' : *b;
        if (left >= 'A' && left <= 'Z') left = (char)(left | 32);
        if (right >= 'A' && right <= 'Z') right = (char)(right | 32);
        if (left != right) return false;
        if (!left) return true;
    }
}

const cs_table_framework *cs_frameworks_table_find(const cs_frameworks_table *table, const char *distribution) {
    for (size_t i = 0; i < table->count; i++)
        for (size_t d = 0; d < table->items[i].distributions.count; d++)
            if (same_distribution(table->items[i].distributions.items[d], distribution)) return &table->items[i];
    return NULL;
}

/* The numbers of "2.2.0rc1" and "2.2.0" are the same; what is not there counts as 0. */
static int compare_versions(const char *a, const char *b) {
    while (*a || *b) {
        char *after_a = (char *)(uintptr_t)a, *after_b = (char *)(uintptr_t)b;
        unsigned long left = *a >= '0' && *a <= '9' ? strtoul(a, &after_a, 10) : 0;
        unsigned long right = *b >= '0' && *b <= '9' ? strtoul(b, &after_b, 10) : 0;
        if (left != right) return left < right ? -1 : 1;
        a = *after_a == '.' && after_a[1] >= '0' && after_a[1] <= '9' ? after_a + 1 : "";
        b = *after_b == '.' && after_b[1] >= '0' && after_b[1] <= '9' ? after_b + 1 : "";
    }
    return 0;
}

/* The tag stands behind '+', or is a post-release of its own. */
static bool has_tag(const char *version, const char *tag) {
    const char *local = strchr(version, '+'), *post = strstr(version, ".post");
    return (local && strcmp(local + 1, tag) == 0) || (post && strcmp(post + 1, tag) == 0);
}

const cs_table_row *cs_frameworks_table_row(const cs_table_framework *framework, const char *version) {
    for (size_t i = 0; i < framework->row_count; i++) {
        const cs_table_row *row = &framework->rows[i];
        if (row->from && compare_versions(version, row->from) < 0) continue;
        if (row->below && compare_versions(version, row->below) >= 0) continue;
        if (row->tag && !has_tag(version, row->tag)) continue;
        return row;
    }
    return NULL;
}

/* ---- saying ---- */

static void say_wants(const cs_framework *f, const char *and, cs_buffer *out) {
    if (f->cuda) cs_buffer_format(out, " CUDA %s", f->cuda);
    if (f->cudnn) cs_buffer_format(out, "%s cuDNN %s", f->cuda ? and : "", f->cudnn);
}

static void say_english(const cs_frameworks_table *t, const cs_framework *f, cs_buffer *out) {
    switch (f->serves) {
    case CS_SERVES_YES:
        cs_buffer_text(out, " was built for");
        say_wants(f, " and", out);
        cs_buffer_text(out, ": this package serves it.");
        return;
    case CS_SERVES_NO:
        cs_buffer_text(out, " was built for");
        say_wants(f, " and", out);
        if (f->loads) cs_buffer_format(out, " and loads %s", f->loads);
        cs_buffer_format(out, ": cuDNN %s for CUDA %s does not serve it.", t->cudnn, t->cuda);
        return;
    case CS_SERVES_OWN:
        cs_buffer_text(out, " brings a cuDNN of its own");
        if (f->found) cs_buffer_format(out, " (%s)", f->found);
        cs_buffer_format(out, " and does not use %s.", t->cudnn);
        return;
    case CS_SERVES_NONE:
        cs_buffer_text(out, " computes on the CPU only and needs no cuDNN.");
        return;
    default:
        cs_buffer_text(out, ": which cuDNN this release wants is not known here");
        if (f->cuda) cs_buffer_format(out, "; it was built for CUDA %s", f->cuda);
        cs_buffer_text(out, ". Its documentation says.");
    }
}

static void say_chinese(const cs_frameworks_table *t, const cs_framework *f, cs_buffer *out) {
    switch (f->serves) {
    case CS_SERVES_YES:
        cs_buffer_text(out, " 是为");
        say_wants(f, " 和", out);
        cs_buffer_text(out, " 构建的：此软件包适用。");
        return;
    case CS_SERVES_NO:
        cs_buffer_text(out, " 是为");
        say_wants(f, " 和", out);
        cs_buffer_text(out, " 构建的");
        if (f->loads) cs_buffer_format(out, "，会加载 %s", f->loads);
        cs_buffer_format(out, "：用于 CUDA %s 的 cuDNN %s 不适用。", t->cuda, t->cudnn);
        return;
    case CS_SERVES_OWN:
        cs_buffer_text(out, " 自带 cuDNN");
        if (f->found) cs_buffer_format(out, "（%s）", f->found);
        cs_buffer_format(out, "，不使用 %s。", t->cudnn);
        return;
    case CS_SERVES_NONE:
        cs_buffer_text(out, " 只用 CPU 计算，不需要 cuDNN。");
        return;
    default:
        cs_buffer_text(out, "：此处不知道这一版本需要哪个 cuDNN");
        if (f->cuda) cs_buffer_format(out, "；它是为 CUDA %s 构建的", f->cuda);
        cs_buffer_text(out, "。请查看其文档。");
    }
}

void cs_frameworks_say(const cs_frameworks_table *table, const cs_framework *framework, cs_language language, cs_buffer *out) {
    cs_buffer_format(out, "%s %s", framework->name, framework->version);
    if (language == CS_CHINESE)
        say_chinese(table, framework, out);
    else
        say_english(table, framework, out);
}
