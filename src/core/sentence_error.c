/* sentence_error.c: what cs_error_text and cs_error_sentence (status.c) compose, taken apart in the same way and said in Chinese.
 * The system's own error texts are never shown, in either language: a code has its number and one of our words. */
#include "sentence_table.h"

/* What follows "cannot ", and what is said around its path. */
typedef struct call_words {
    const char *english, *before, *after;
} call_words;

static const call_words calls[] = {
    {"begin work in", "在", "中开始工作"},
    {"check", "检查", ""},
    {"check the signature of", "检查", "的签名"},
    {"check the volume of", "检查", "所在的卷"},
    {"copy", "复制", ""},
    {"copy registry change", "复制注册表更改", ""},
    {"delete value", "删除注册表值", ""},
    {"edit PATH", "修改 PATH", ""},
    {"expand", "展开变量", ""},
    {"find", "找到", ""},
    {"find CUDA", "查找 CUDA", ""},
    {"find a folder of Windows", "找到 Windows 的文件夹", ""},
    {"find our own program", "找到本程序自身", ""},
    {"find out which programs are running", "查明哪些程序正在运行", ""},
    {"find the folder of Windows", "找到 Windows 文件夹", ""},
    {"find the real path of", "确定", "的真实路径"},
    {"finish the change of", "完成对", "的更改"},
    {"flush", "将", "写入磁盘"},
    {"flush key", "将注册表项写入磁盘", ""},
    {"fold", "合并", "的记录"},
    {"forget", "删除", "的撤销数据"},
    {"get random numbers", "获取随机数", ""},
    {"give up", "放弃记录", ""},
    {"hash", "计算 SHA-256", ""},
    {"have Windows delete", "让 Windows 删除", ""},
    {"hold open", "保持打开", ""},
    {"list", "列出", "的内容"},
    {"load", "加载", ""},
    {"lock", "锁定", ""},
    {"look at", "查看", ""},
    {"look at the volume of", "查看", "所在的卷"},
    {"look for", "查找", ""},
    {"look for frameworks", "查找框架", ""},
    {"look for the archive in", "查找压缩包", ""},
    {"look through the search order", "查看搜索顺序", ""},
    {"make a full path of", "确定", "的完整路径"},
    {"make folder", "创建文件夹", ""},
    {"make room for", "为", "预留空间"},
    {"make the pipe", "创建管道", ""},
    {"open", "打开", ""},
    {"open key", "打开注册表项", ""},
    {"open our own program", "打开本程序自身", ""},
    {"open the pipe", "打开管道", ""},
    {"own environment", "读取自身的环境变量", ""},
    {"plan", "制定计划", ""},
    {"plan PATH", "规划 PATH", ""},
    {"plan environment", "规划环境变量", ""},
    {"prove", "验证", ""},
    {"read", "读取", ""},
    {"read PATH", "读取 PATH", ""},
    {"read a registry value", "读取注册表值", ""},
    {"read access rights", "读取访问权限", ""},
    {"read environment", "读取环境变量", ""},
    {"read the access rights of", "读取", "的访问权限"},
    {"read the command line", "读取命令行", ""},
    {"read the computer's name", "读取计算机名", ""},
    {"read the name of", "读取", "的名称"},
    {"read value", "读取注册表值", ""},
    {"read what this program carries:", "读取本程序自带的", ""},
    {"recover", "恢复", ""},
    {"remove", "删除", ""},
    {"remove folder", "删除文件夹", ""},
    {"remove key", "删除注册表项", ""},
    {"rename", "重命名", ""},
    {"repair", "修复", ""},
    {"roll back", "回退", ""},
    {"run", "运行", ""},
    {"set the access rights of", "设置", "的访问权限"},
    {"set the times and attributes of", "设置", "的时间和属性"},
    {"set up the recovery service", "注册恢复服务", ""},
    {"take back", "撤回", ""},
    {"tell running programs", "通知正在运行的程序", ""},
    {"undo", "撤销", ""},
    {"unpack", "解压", ""},
    {"verify", "校验", ""},
    {"write", "写入", ""},
    {"write JSON", "写出 JSON", ""},
    {"write a log", "写入日志", ""},
    {"write value", "写入注册表值", ""},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void put(cs_buffer *out, slice text) { cs_buffer_append(out, text.at, text.size); }

static void take_back(cs_buffer *out, size_t start) {
    if (out->data) out->data[out->size = start] = '\0';
}

/* "PATH: REASON" behind the words, or ": REASON" alone. */
static bool say_call(sentence_search *s, const call_words *words, slice rest, cs_buffer *out) {
    size_t start = out->size;
    for (size_t i = 0; i + 2 < rest.size && !sentence_spent(s); i++) {
        if (rest.at[i] != ':' || rest.at[i + 1] != ' ') continue;
        cs_buffer_format(out, "无法%s", words->before);
        if (i) cs_buffer_text(out, " ");
        if (i > 1) put(out, (slice){rest.at + 1, i - 1}); /* the blank behind the words */
        if (i && words->after[0]) cs_buffer_text(out, " ");
        if (i) cs_buffer_text(out, words->after);
        cs_buffer_text(out, "：");
        if ((i == 0 || rest.at[0] == ' ') && sentence_row(s, slice_from(rest, i + 2), out)) return true;
        take_back(out, start);
    }
    return false;
}

/* Of two calls that fit the one with more words is meant: "look at the volume of" is no "look at". */
static bool say_calls(sentence_search *s, slice text, cs_buffer *out) {
    for (size_t size = text.size; size > 0; size--)
        for (size_t i = 0; i < CALLS && (size == text.size || text.at[size] == ' ' || text.at[size] == ':'); i++)
            if (strlen(calls[i].english) == size && slice_starts(text, calls[i].english, size) &&
                say_call(s, &calls[i], slice_from(text, size), out))
                return true;
    return false;
}

/* A path, or a name in one word; anything else that stands before a colon is a sentence, and has to be known. */
static bool is_name(slice text) {
    size_t word = text.size;
    bool separated = false;
    for (size_t i = 0; i < text.size; i++) {
        if (i < word && text.at[i] == ' ') word = i;
        if (text.at[i] == ' ' && i && text.at[i - 1] == ':') return false; /* no path of Windows has that */
        separated = separated || (i < word && (text.at[i] == '\\' || text.at[i] == '/'));
    }
    return word && (separated || word == text.size);
}

bool sentence_name(sentence_search *s, slice text, cs_buffer *out) {
    enum { LONGEST_KNOWN = 40 };
    if (!is_name(text)) return text.size <= LONGEST_KNOWN && sentence_row(s, text, out);
    put(out, text);
    return true;
}

/* "NAME: REASON"; a name may have one before it: "ARCHIVE: ENTRY: REASON". */
static bool say_named(sentence_search *s, slice text, cs_buffer *out) {
    size_t start = out->size;
    if (sentence_row(s, text, out)) return true;
    for (size_t i = 1; i + 2 < text.size && !sentence_spent(s); i++) {
        if (text.at[i] != ':' || text.at[i + 1] != ' ') continue;
        bool named = sentence_name(s, (slice){text.at, i}, out);
        cs_buffer_text(out, "：");
        s->depth++;
        named = named && say_named(s, slice_from(text, i + 2), out);
        s->depth--;
        if (named) return true;
        take_back(out, start);
    }
    return false;
}

static bool say_plain(sentence_search *s, slice text, cs_buffer *out) {
    static const char cannot[] = "cannot ";
    if (slice_starts(text, cannot, sizeof cannot - 1) && say_calls(s, slice_from(text, sizeof cannot - 1), out)) return true;
    return say_named(s, text, out);
}

/* " (5)" at the end: the system's code. */
static size_t number_size(slice text) {
    size_t at = text.size && text.at[text.size - 1] == ')' ? text.size - 1 : 0, digits = 0;
    while (at && text.at[at - 1] >= '0' && text.at[at - 1] <= '9') at--, digits++;
    return digits && at >= 3 && text.at[at - 1] == '(' && text.at[at - 2] == ' ' ? text.size - (at - 2) : 0;
}

bool sentence_error(sentence_search *s, slice text, cs_buffer *out) {
    size_t number = number_size(text);
    if (say_plain(s, text, out)) return true;
    if (!number || !say_plain(s, (slice){text.at, text.size - number}, out)) return false;
    cs_buffer_text(out, "（");
    put(out, (slice){text.at + text.size - number + 2, number - 3});
    cs_buffer_text(out, "）");
    return true;
}

bool sentence_of_error(sentence_search *s, slice text, cs_buffer *out) {
    if (text.size < 2 || text.at[text.size - 1] != '.') return false;
    slice body = {text.at, text.size - 1};
    bool good = sentence_error(s, body, out);
    if (!good && body.at[0] >= 'A' && body.at[0] <= 'Z') { /* the capital may be the sentence's */
        cs_buffer small = {0};
        put(&small, body);
        if (!small.failed) {
            small.data[0] = (char)(small.data[0] - 'A' + 'a');
            s->copied++;
            good = sentence_error(s, (slice){small.data, small.size}, out);
            s->copied--;
        }
        cs_buffer_free(&small);
    }
    if (good) cs_buffer_text(out, "。");
    return good;
}
