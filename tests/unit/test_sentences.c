#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/sentences.h"
#include "cudnn_setup/text.h"

static void assert_chinese(const char *english, const char *chinese) {
    cs_buffer said = {0};
    if (!cs_sentence_chinese(&said, english)) fail_msg("not known: %s", english);
    assert_string_equal(cs_buffer_string(&said), chinese);
    cs_buffer_free(&said);
}

static void assert_unknown(const char *english) {
    cs_buffer said = {0};
    cs_buffer_text(&said, "before ");
    if (cs_sentence_chinese(&said, english)) fail_msg("%s became %s", english, said.data);
    assert_string_equal(said.data, "before ");
    cs_say_sentence(&said, english, CS_CHINESE);
    assert_string_equal(said.data + strlen("before "), english);
    cs_buffer_free(&said);
}

/* ---- formats, read a second time ---- */

static size_t conversion_size(const char *at) {
    size_t size = 1 + strspn(at + 1, "-+#.*0123456789hlzjtI");
    return at[size] && strchr("sduxXc", at[size]) ? size + 1 : 0;
}

static size_t count_fields(const char *format) {
    size_t count = 0;
    while ((format = strchr(format, '%')) != NULL) {
        size_t size = conversion_size(format);
        count += size > 0;
        format += size ? size : 1;
    }
    return count;
}

/* How the Chinese treats the field: '}' as it is, else its marker; '\0': it does not have it. */
static char marker_of(const char *chinese, size_t field) {
    char text[24];
    snprintf(text, sizeof text, "{%zu", field);
    const char *at = strstr(chinese, text);
    return at ? at[strlen(text)] : '\0';
}

static void test_sentences_have_the_same_fields_in_both_languages(void **state) {
    (void)state;
    const cs_sentence *row;
    for (size_t i = 0; (row = cs_sentence_at(i)) != NULL; i++) {
        size_t fields = count_fields(row->english);
        for (size_t f = 1; f <= fields; f++)
            if (!marker_of(row->chinese, f)) fail_msg("{%zu} is missing: %s", f, row->chinese);
        if (marker_of(row->chinese, fields + 1) || fields > 9) fail_msg("more fields than in English: %s", row->chinese);
        for (const char *at = row->chinese; (at = strchr(at, '{')) != NULL; at++)
            if (at[1] < '1' || at[1] > '9' || !strchr("}*,;/?#!", at[2]) || (at[2] != '}' && at[3] != '}'))
                fail_msg("not a field: %s", at);
    }
    assert_true(cs_sentence_at(500) != NULL);
}

/* Names of files, options and products, and what stands in them. */
static const char *const names[] = {"Administrators",
                                    "CPU",
                                    "CUDA",
                                    "Debian",
                                    "DLL",
                                    "GPU",
                                    "ID",
                                    "JSON",
                                    "LINUX",
                                    "Linux",
                                    "MB",
                                    "MZ",
                                    "MiB",
                                    "NTFS",
                                    "NUL",
                                    "NVIDIA",
                                    "PATH",
                                    "PDF",
                                    "PE",
                                    "POWER",
                                    "RAR",
                                    "RPM",
                                    "SHA",
                                    "SYSTEM",
                                    "System",
                                    "System32",
                                    "UTF",
                                    "Unicode",
                                    "Windows",
                                    "Wine",
                                    "ZIP",
                                    "Zip",
                                    "bin",
                                    "bzip2",
                                    "cuDNN",
                                    "cudnn",
                                    "deflate",
                                    "folder",
                                    "for",
                                    "gzip",
                                    "kB",
                                    "GB",
                                    "TB",
                                    "PB",
                                    "EB",
                                    "libarchive",
                                    "new",
                                    "old",
                                    "setup",
                                    "tar",
                                    "true",
                                    "false",
                                    "x64",
                                    "xz",
                                    "tgz",
                                    "schema",
                                    "size",
                                    "sha256",
                                    "files",
                                    "folder",
                                    "tree",
                                    "seal",
                                    "needs",
                                    "ZIP",
                                    "FILE",
                                    "txid",
                                    "path",
                                    "journal",
                                    "committed",
                                    "undone",
                                    "compute",
                                    "min",
                                    "wrong",
                                    "archives",
                                    "version",
                                    "txt",
                                    "DOS",
                                    "CRC",
                                    "Version",
                                    "HTML",
                                    "cuda",
                                    "state",
                                    "given",
                                    "up",
                                    "up",
                                    "zip",
                                    "doctor",
                                    "dll",
                                    "bcrypt",
                                    "wintrust",
                                    "file"};

static bool is_name(const char *word, size_t size) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == size && memcmp(names[i], word, size) == 0) return true;
    return false;
}

/* "/cuda:DIR", "CUDA_PATH", "CUDNN_MAJOR", "ZIP64": an option, or capitals with a mark or a digit. */
static bool is_option_or_symbol(const char *text, const char *word, size_t size) {
    const char *start = word;
    while (start > text && start[-1] > ' ' && start[-1] > 0 && !strchr("{}", start[-1])) start--;
    if (*start == '/' || *start == '\\' || *start == '.') return true;
    for (size_t i = 0; i < size; i++)
        if (word[i] == '_' || (word[i] >= '0' && word[i] <= '9')) return true;
    return false;
}

static bool is_word_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void test_sentences_are_chinese_but_for_names(void **state) {
    (void)state;
    const cs_sentence *row;
    for (size_t i = 0; (row = cs_sentence_at(i)) != NULL; i++) {
        const char *text = row->chinese;
        size_t size = strlen(text);
        assert_true(size && cs_utf8_valid(text, size));
        if (text[size - 1] == ' ') fail_msg("a blank at the end: %s|", text);
        for (const char *at = text; *at;) {
            size_t word = 0;
            while (is_word_part(at[word])) word++;
            bool number = word == strspn(at, "0123456789");
            if (word > 1 && !number && !is_name(at, word) && !is_option_or_symbol(text, at, word))
                fail_msg("%.*s is English: %s", (int)word, at, text);
            at += word ? word : 1;
        }
    }
}

/* ---- every row, filled in ---- */

typedef struct sample {
    const char *text;                  /* of a field that is shown as it is */
    const char *known, *known_chinese; /* of one that is looked up */
    const char *number;
} sample;

static const sample samples[] = {
    {"C:\\Program Files (x86)\\a b\\v10.1", "access denied", "拒绝访问", "7"},
    {"\\\\server\\share\\100% of it\\%s%n.zip", "in use by another program", "正被其他程序使用", "0"},
    {"D:\\压缩包：下载（1）\\文件。zip", "out of memory", "内存不足", "18446744073709551615"},
    {"a:b(c)", "the folder does not exist", "文件夹不存在", "31"},
    {"x", "not a folder", "不是文件夹", "1"},
};

typedef struct field {
    bool number;
    bool joined; /* follows another field at once */
    char marker;
} field;

/* Of field 1 and so on. */
static void fields_of(const cs_sentence *row, field *out) {
    size_t count = 0;
    const char *last = NULL;
    for (const char *at = row->english; (at = strchr(at, '%')) != NULL;) {
        size_t size = conversion_size(at);
        if (size) {
            count++;
            out[count] = (field){!strchr("sc", at[size - 1]), at == last, marker_of(row->chinese, count)};
        }
        at += size ? size : 1;
        last = at;
    }
}

/* The field's value: as it stands in English, or as it is said in Chinese. */
static void put_field(const field *f, const sample *s, bool chinese, cs_buffer *out) {
    const char *known = f->joined ? (chinese ? "（示例）" : " (sample)") : chinese ? s->known_chinese : s->known;
    if (f->number)
        cs_buffer_text(out, s->number);
    else if (f->marker == '!')
        cs_buffer_text(out, "python3.exe");
    else if (f->marker == '}' || f->marker == '?' || f->marker == '#')
        cs_buffer_text(out, *s->text || f->marker != '#' ? s->text : "x");
    else
        cs_buffer_text(out, known);
    if (f->marker == ',') cs_buffer_text(out, chinese ? "，不存在" : ", not found");
    if (f->marker == ';') cs_buffer_text(out, chinese ? "；不存在" : "; not found");
    if (f->marker == '/') cs_buffer_text(out, chinese ? "\n不存在" : "\nnot found");
}

static void fill_english(const cs_sentence *row, const sample *s, cs_buffer *out) {
    field fields[10];
    size_t count = 0;
    fields_of(row, fields);
    for (const char *at = row->english; *at;) {
        size_t size = *at == '%' ? conversion_size(at) : 0;
        if (size)
            put_field(&fields[++count], s, false, out);
        else
            cs_buffer_append(out, at, 1);
        at += size ? size : *at == '%' && at[1] == '%' ? 2 : 1;
    }
}

static void fill_chinese(const cs_sentence *row, const sample *s, cs_buffer *out) {
    field fields[10];
    fields_of(row, fields);
    for (const char *at = row->chinese; *at; at++) {
        if (*at != '{') {
            cs_buffer_append(out, at, 1);
            continue;
        }
        put_field(&fields[at[1] - '0'], s, true, out);
        at += strcspn(at, "}");
    }
}

static void assert_round_trip(const cs_sentence *row, const sample *s) {
    cs_buffer english = {0}, chinese = {0};
    fill_english(row, s, &english);
    fill_chinese(row, s, &chinese);
    cs_buffer said = {0};
    if (!cs_sentence_chinese(&said, cs_buffer_string(&english))) fail_msg("not known: %s", cs_buffer_string(&english));
    if (strcmp(cs_buffer_string(&said), cs_buffer_string(&chinese)) != 0)
        fail_msg("%s:\n%s\nand not\n%s", cs_buffer_string(&english), cs_buffer_string(&said), cs_buffer_string(&chinese));
    cs_buffer_free(&english);
    cs_buffer_free(&chinese);
    cs_buffer_free(&said);
}

static void test_sentences_come_back_with_their_fields(void **state) {
    (void)state;
    const cs_sentence *row;
    for (size_t i = 0; (row = cs_sentence_at(i)) != NULL; i++)
        for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++) assert_round_trip(row, &samples[k]);
}

/* Of a kilobyte, and of none; but an archive or a product has a name. */
static void test_sentences_take_long_and_empty_fields(void **state) {
    (void)state;
    char text[1025];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const sample large = {text, "access denied", "拒绝访问", "31"}, empty = {"", "access denied", "拒绝访问", "31"};
    const cs_sentence *row;
    for (size_t i = 0; (row = cs_sentence_at(i)) != NULL; i++) {
        assert_round_trip(row, &large);
        bool named = strncmp(row->english, "this is %", 9) == 0 || strstr(row->english, "%s%s");
        if (row->english[0] != '%' && !named) assert_round_trip(row, &empty);
    }
}

/* ---- what cs_error_text composes ---- */

static void error_chinese(const cs_error *error, const char *chinese, const char *sentence) {
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    cs_error_text(error, text, sizeof text);
    assert_chinese(text, chinese);
    cs_error_sentence(error, text, sizeof text);
    assert_chinese(text, sentence);
}

static void test_sentences_of_every_status_and_call(void **state) {
    (void)state;
    static const char *const paths[] = {"", "C:\\Program Files\\x:y (x86)\\压缩包.zip", "bin\\cudnn64_8.dll", "PATH"};
    static const char *const operations[] = {NULL,       "rename",       "stat", "volume",           "SHA-256", "set info",
                                             "security", "known folder", "hold", "recovery service", "open key"};
    char text[CS_ERROR_PATH + CS_ERROR_DETAIL + 256];
    for (int status = CS_E_NOT_FOUND; status < CS_STATUS_COUNT; status++)
        for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++)
            for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++)
                for (uint32_t system = 0; system < 64; system += 32) {
                    cs_error error = {0};
                    cs_fail(&error, (cs_status)status, operations[o], paths[p], NULL);
                    error.system = system;
                    cs_buffer said = {0};
                    cs_error_sentence(&error, text, sizeof text);
                    if (!cs_sentence_chinese(&said, text)) fail_msg("not known: %s", text);
                    assert_true(strstr(said.data, paths[p]) != NULL);
                    assert_int_equal(strstr(said.data, "无法") == said.data,
                                     operations[o] != NULL || (status == CS_E_ARCHIVE_OPEN && !*paths[p]));
                    assert_int_equal(strstr(said.data, "（32）。") != NULL, system == 32);
                    cs_buffer_free(&said);
                }
}

static void test_sentences_of_errors(void **state) {
    (void)state;
    cs_error error = {0};
    cs_fail(&error, CS_E_SHARING, "rename", "C:\\a b\\x.dll", NULL);
    error.system = 32;
    error_chinese(&error, "无法重命名 C:\\a b\\x.dll：正被其他程序使用（32）",
                  "无法重命名 C:\\a b\\x.dll：正被其他程序使用（32）。");
    cs_fail(&error, CS_E_IO, "set info", "C:\\x", NULL);
    error_chinese(&error, "无法设置 C:\\x 的时间和属性：读写失败", "无法设置 C:\\x 的时间和属性：读写失败。");
    cs_fail(&error, CS_E_SYSTEM, "random", NULL, NULL);
    error_chinese(&error, "无法获取随机数：系统错误", "无法获取随机数：系统错误。");
    cs_fail(&error, CS_E_ARCHIVE_BAD, "unpack", "C:\\my zips\\a.zip", "%s: %s", "bin/x.dll", "its data has holes");
    error_chinese(&error, "C:\\my zips\\a.zip：bin/x.dll：其数据有空洞", "C:\\my zips\\a.zip：bin/x.dll：其数据有空洞。");
    cs_fail(&error, CS_E_FORMAT, "read", "manifest.json", "%.300s%s%s", "files[3].size", ": ", "must be a number");
    error_chinese(&error, "manifest.json：files[3].size：必须是数字", "manifest.json：files[3].size：必须是数字。");
    cs_fail(&error, CS_E_NOT_FOUND, "write", NULL, "there is no registry here");
    error_chinese(&error, "无法写入：这里没有注册表", "无法写入：这里没有注册表。");
    cs_fail(&error, CS_E_PENDING, NULL, NULL, "run /recover first");
    error_chinese(&error, "请先运行 /recover", "请先运行 /recover。");
    cs_fail(&error, CS_E_ARCHIVE_OPEN, "open", "D:\\a.zip", "the archive cannot be opened: %s", "there is no such file");
    error.system = 2;
    error_chinese(&error, "D:\\a.zip：无法打开压缩包：没有这个文件（2）", "D:\\a.zip：无法打开压缩包：没有这个文件（2）。");
}

/* ---- several in one ---- */

static void test_sentences_that_continue_others(void **state) {
    (void)state;
    assert_chinese("Cannot rename C:\\a b: in use by another program (32). Close the program that uses it, then try again. "
                   "Everything is as before.",
                   "无法重命名 C:\\a b：正被其他程序使用（32）。请关闭使用它的程序，然后重试。一切与之前相同。");
    assert_chinese("The log goes to its usual place, since it cannot be written where /log says: cannot write a log C:\\l.txt: "
                   "access denied (5)",
                   "日志无法写到 /log 指定的位置，改写到默认位置：无法写入日志 C:\\l.txt：拒绝访问（5）");
    assert_chinese(
        "C:\\a.zip: by its name this is cudnn-11.zip (right cuDNN, wrong CUDA: this is cuDNN 8.0.3.33 for CUDA 11.0); its "
        "SHA-256 00ff is not a known one. Take c.zip from NVIDIA's cuDNN archive, \"cuDNN v8.0.3 for CUDA 10.1\". "
        "Nothing was changed.",
        "C:\\a.zip：从文件名看，这是 cudnn-11.zip（cuDNN 版本正确，CUDA 版本不对：用于 CUDA 11.0 的 cuDNN 8.0.3.33）；其 "
        "SHA-256 00ff 不是已知的值。请从 NVIDIA 的 cuDNN 归档页面（“cuDNN v8.0.3 for CUDA 10.1”）下载 c.zip。未作任何更改。");
    assert_chinese(
        "There is no usable CUDA 10.1 toolkit:\n  C:\\v11.1 (CUDA_PATH): not usable, it is a toolkit of another version: "
        "bin holds cudart64_110.dll, not cudart64_101.dll; a folder \"cuda\" lies in it, from a copy of cuDNN one level too "
        "deep: it is used by nothing\n  /cuda: not usable, it is empty\nInstall CUDA 10.1, or name its folder with "
        "/cuda:DIR. Nothing was changed.",
        "没有可用的 CUDA 10.1 工具包：\n  C:\\v11.1（CUDA_PATH）：不可用，它是其他版本的工具包：bin 中是 "
        "cudart64_110.dll，而不是 "
        "cudart64_101.dll；其中有一个“cuda”文件夹，是多了一层的 cuDNN 副本：没有程序使用它\n  /cuda：不可用，它为空\n"
        "请安装 CUDA 10.1，或用 /cuda:DIR 指定其文件夹。未作任何更改。");
}

static void test_sentences_with_lists(void **state) {
    (void)state;
    assert_chinese(
        "2 of 31 files and 1 environment value differ from what was installed: bin\\a.dll missing, include\\b c.h differs, "
        "PATH differs, and more. cudnn-setup /repair puts that right. A missing DLL is often in an antivirus program's "
        "quarantine: look there first.",
        "31 个文件中的 2 个和 1 个环境变量与安装时不同：bin\\a.dll（缺失），include\\b c.h（不同），PATH（不同），其余略。"
        "cudnn-setup /repair 可以修复。缺失的 DLL 往往在杀毒软件的隔离区中：请先到那里查看。");
    assert_chinese(
        "C:\\CUDA\\v10.1: programs hold files of this tree: python.exe (process 7) with a.dll, b.dll and 3 more; t (1).exe "
        "(process 9) with a.dll; and 2 more programs. Close them and try again, or use /inuse:aside. Nothing was changed.",
        "C:\\CUDA\\v10.1：有程序正在使用此工具包的文件：python.exe（进程 7，使用 a.dll, b.dll 等，另有 3 个）；t "
        "(1).exe（进程 9，使用 a.dll）；以及另外 2 个程序。请关闭后重试，或使用 /inuse:aside。未作任何更改。");
    assert_chinese("cuDNN 8.0.3.33 for CUDA 10.1 (sample) is installed in C:\\CUDA\\v10.1: 29 files placed, 2 replaced.",
                   "cuDNN 8.0.3.33（用于 CUDA 10.1）（示例）已安装到 C:\\CUDA\\v10.1：29 个文件已放入，2 个文件被替换。");
    assert_chinese(
        "cuDNN 8.0.3.33 (sample) would be uninstalled from C:\\v 10: 5 files removed, 1 left alone, since somebody changed it "
        "after us. Nothing was changed. cuDNN 8.0.2.39 would be in place again.",
        "将从 C:\\v 10 卸载 cuDNN 8.0.3.33（示例）：5 个文件已删除，1 个文件因安装后被更改而保留。未作任何更改。cuDNN "
        "8.0.2.39 将重新就位。");
    assert_chinese("1 interrupted change was taken back: everything is as before. Nothing is pending any more.",
                   "已撤回 1 项被中断的更改：一切与之前相同。没有尚未处理的操作了。");
}

/* ---- what is not known, and what is meant to do harm ---- */

static void test_sentences_not_known_stay_as_they_are(void **state) {
    (void)state;
    assert_unknown("");
    assert_unknown("Something that nobody wrote down");
    assert_unknown("Something that nobody wrote down: access denied (5).");
    assert_unknown("Something that nobody wrote down. Nothing was changed.");
    assert_unknown("Not everything could be tidied up; a later run does it: nobody knows this");
    assert_unknown("cannot frobnicate C:\\x: access denied");
    assert_unknown("cannot read C:\\x: nobody knows this (5)");
    assert_unknown("C:\\x: nobody knows this");
    assert_unknown("C:\\x.json: stack[0].kind: must be one of a, b. Somebody wrote something more. Nothing was changed.");
    assert_unknown("%s %zu %n {1} {2*}");
    cs_buffer said = {0};
    cs_say_sentence(&said, "access denied", CS_ENGLISH);
    assert_string_equal(said.data, "access denied");
    cs_buffer_free(&said);
}

static void test_sentences_take_anything_in_bounded_time(void **state) {
    (void)state;
    static const char *const parts[] = {
        ": ",      "a: ",          ". ",  "; ", ", ", " ",   "not found, ",     "not found: ", "(5)",
        "cannot ", "cannot read ", "no ", "1 ", "%s", "{1}", "access denied. ", "\n",          "\xff"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (size_t size = 64; size <= 16384; size *= 16) {
            cs_buffer text = {0}, said = {0};
            while (text.size < size) cs_buffer_text(&text, parts[i]);
            cs_sentence_chinese(&said, text.data);
            cs_buffer_free(&text);
            cs_buffer_free(&said);
        }
}

static void test_sentences_survive_lack_of_memory(void **state) {
    (void)state;
    static const char english[] = "Cannot rename C:\\a: access denied (5). Nothing was changed.";
    for (unsigned long n = 1; n < 60; n++) {
        cs_buffer said = {0};
        cs_alloc_fail_at(n);
        bool good = cs_sentence_chinese(&said, english);
        cs_alloc_fail_at(0);
        if (good && !said.failed) assert_string_equal(said.data, "无法重命名 C:\\a：拒绝访问（5）。未作任何更改。");
        cs_buffer_free(&said);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences_have_the_same_fields_in_both_languages),
        cmocka_unit_test(test_sentences_are_chinese_but_for_names),
        cmocka_unit_test(test_sentences_come_back_with_their_fields),
        cmocka_unit_test(test_sentences_take_long_and_empty_fields),
        cmocka_unit_test(test_sentences_of_every_status_and_call),
        cmocka_unit_test(test_sentences_of_errors),
        cmocka_unit_test(test_sentences_that_continue_others),
        cmocka_unit_test(test_sentences_with_lists),
        cmocka_unit_test(test_sentences_not_known_stay_as_they_are),
        cmocka_unit_test(test_sentences_take_anything_in_bounded_time),
        cmocka_unit_test(test_sentences_survive_lack_of_memory),
    };
    return cmocka_run_group_tests_name("sentences", tests, NULL, NULL);
}
