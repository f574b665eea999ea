/* Records that somebody tampered with, thousands of ways, each with a hash that fits: whatever the verbs then do, they touch only
 * P, S and B by their closed names and the targets of the manifests, change only the three environment values and their own entry
 * in Apps & Features, and lose no content that is not ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/record.h"
#include "verb_case.h"

#define SECOND "C:\\second"
#define OTHER  "C:\\other"

enum { ROUNDS = 1000 };

/* ---- a generator whose runs can be repeated ---- */

static uint64_t seed_state;

static uint32_t next(uint32_t bound) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed_state >> 33) % bound;
}

/* ---- the machine ---- */

typedef struct start {
    verb_case c;
    char first[CS_ID_HEX + 1], second[CS_ID_HEX + 1];
} start;

/* Two installations, the first over an older cuDNN and in two levels, and files of CUDA's and of other people. */
static void begin(start *s) {
    verb_case *c = &s->c;
    verb_case_begin(c);
    memory_host_text(c->machine, SECOND "\\bin\\cudart64_101.dll", "the CUDA runtime");
    memory_host_text(c->machine, SECOND "\\version.txt", "CUDA Version 10.1.243\n");
    verb_case_put(c, "include/cudnn.h", "older header");
    verb_case_put(c, "bin/cudnn64_7.dll", "cuDNN 7, not ours");
    verb_case_put(c, "bin/cublas64_10.dll", "cuBLAS");
    verb_case_put(c, "include/cuda.h", "CUDA's header");
    verb_case_put(c, "lib/x64/cudart.lib", "CUDA's library");
    verb_case_put(c, "EULA.txt", "CUDA's licence");
    memory_host_text(c->machine, OTHER "\\bin\\cudnn64_8.dll", "another program's cuDNN");
    memory_host_text(c->machine, OTHER "\\include\\cudnn.h", "another program's header");
    memory_host_text(c->machine, "C:\\Windows\\System32\\kernel32.dll", "Windows");
    verb_case_package(c, "p802", "8.0.2.39", 8002, "802", false);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(verb_case_install(c, "p802"), 0);
    assert_int_equal(verb_case_install(c, "p803"), 0);
    snprintf(s->first, sizeof s->first, "%s", c->outcome.tree_id);
    c->options.cuda = SECOND;
    assert_int_equal(verb_case_install(c, "p803"), 0);
    snprintf(s->second, sizeof s->second, "%s", c->outcome.tree_id);
    c->options.cuda = NULL;
}

static void state_path(const start *s, const char *name, char out[256]) {
    snprintf(out, 256, VERB_P "\\state\\%s\\%s", s->first, name);
}

/* ---- what may be touched ---- */

typedef struct watch {
    bool bad;
    char operation[32], path[512];
} watch;

static bool starts(const char *text, const char *prefix) {
    size_t size = strlen(prefix);
    for (size_t i = 0; i < size; i++)
        if (!text[i] || (text[i] | 0x20) != (prefix[i] | 0x20)) return false;
    return true;
}

static bool is_target(const char *relative) {
    for (size_t i = 0; i < VERB_ROWS; i++) {
        char target[128];
        snprintf(target, sizeof target, "%s", verb_targets[i]);
        for (char *p = target; *p; p++)
            if (*p == '/') *p = '\\';
        if (cs_text_equal_ascii_case(relative, target)) return true;
    }
    return false;
}

static bool is_hex(const char *text, size_t size) { return strspn(text, "0123456789abcdef") >= size; }

/* "", "<txid>", "<txid>\mark", "\archive", "\new", "\old", "\new\NN", "\old\NN" after ".cudnn-setup". */
static bool is_private(const char *rest) {
    if (!*rest) return true;
    if (*rest++ != '\\' || !is_hex(rest, 32)) return false;
    rest += 32;
    if (!*rest || !strcmp(rest, "\\mark") || !strcmp(rest, "\\archive")) return true;
    if (!starts(rest, "\\new") && !starts(rest, "\\old")) return false;
    rest += 4;
    return !*rest || (*rest == '\\' && strlen(rest) == 3 && strspn(rest + 1, "0123456789") == 2);
}

static bool is_tree_name(const char *relative) {
    static const char *const folders[] = {"", "bin", "include", "lib", "lib\\x64"};
    if (starts(relative, ".cudnn-setup")) return is_private(relative + strlen(".cudnn-setup"));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (cs_text_equal_ascii_case(relative, folders[i])) return true;
    return is_target(relative);
}

static bool is_state_name(const char *rest) {
    static const char *const names[] = {"",     "journal", "journal.tmp", "committed", "undone",
                                        "head", "intent",  "reserve",     "manifests"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(rest, names[i]) == 0) return true;
    return starts(rest, "manifests\\") && is_hex(rest + 10, 64) && strcmp(rest + 74, ".json") == 0;
}

static bool is_program_name(const char *rest) {
    if (!*rest || starts(rest, "\\cudnn-") || starts(rest, "\\status") || starts(rest, "\\~")) return true;
    if (!starts(rest, "\\state")) return false;
    rest += strlen("\\state");
    if (!*rest || !strcmp(rest, "\\lock") || starts(rest, "\\given-up")) return true;
    return is_hex(rest + 1, 32) && (!rest[33] || is_state_name(rest + 34));
}

static bool may_change_value(const char *path) {
    const char *name = path + strlen(CS_KEY_ENVIRONMENT "\\");
    if (starts(path, CS_KEY_ENVIRONMENT "\\"))
        return cs_text_equal_ascii_case(name, "Path") || !strcmp(name, "CUDA_PATH") || !strcmp(name, "CUDA_PATH_V10_1");
    return starts(path, VERB_ENTRIES) || !strcmp(path, CS_KEY_UNINSTALL) || !strcmp(path, CS_KEY_SERVICES) ||
           !strcmp(path, CS_KEY_ENVIRONMENT);
}

/* A record whose path leads to a folder that is not its tree finds none of its files there: our own folder is all there can be.
 */
static bool may_change(const char *operation, const char *path) {
    static const char *const trees[] = {VERB_TREE, SECOND}, *const others[] = {OTHER, "C:\\Windows\\System32"};
    if (starts(operation, "reg")) return may_change_value(path);
    if (starts(path, VERB_P)) return is_program_name(path + strlen(VERB_P));
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(trees[i]);
        if (starts(path, trees[i]) && (!path[size] || path[size] == '\\')) return is_tree_name(path[size] ? path + size + 1 : "");
    }
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(others[i]);
        if (starts(path, others[i]) && starts(path + size, "\\.cudnn-setup"))
            return is_private(path + size + strlen("\\.cudnn-setup"));
        if (starts(path, others[i])) return strcmp(operation, "sync folder") == 0; /* a flush changes nothing */
    }
    return false;
}

static void check_line(watch *w, const char *line, size_t size) {
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)size, line);
    char *path = strstr(text, " C:\\");
    if (!path) path = strstr(text, " SYSTEM\\");
    if (!path) path = strstr(text, " SOFTWARE\\");
    if (!path) return;
    *path++ = '\0';
    char *arrow = strstr(path, " -> ");
    if (arrow) *arrow = '\0';
    bool good = may_change(text, path) && (!arrow || may_change(text, arrow + 4));
    if (good || w->bad) return;
    w->bad = true;
    snprintf(w->operation, sizeof w->operation, "%.31s", text);
    snprintf(w->path, sizeof w->path, "%.500s", arrow ? arrow + 4 : path);
}

static void check_trace(watch *w, const char *trace) {
    for (const char *line = trace; *line;) {
        size_t size = strcspn(line, "\n");
        check_line(w, line, size);
        line += size + (line[size] == '\n');
    }
}

/* ---- tampering ---- */

#define OPENING "{\"format\":1,\"sha256\":\""

static void seal(char *text) {
    uint8_t digest[CS_SHA256_SIZE];
    char hex[CS_SHA256_HEX + 1];
    size_t at = strlen(OPENING);
    if (strlen(text) < at + CS_SHA256_HEX) return;
    memset(text + at, '0', CS_SHA256_HEX);
    assert_int_equal(cs_sha256_bytes(text, strlen(text), digest, NULL), CS_OK);
    cs_hex(digest, sizeof digest, hex);
    memcpy(text + at, hex, CS_SHA256_HEX);
}

/* The n-th of a key's values, with its quotes if it has any; NULL: fewer. */
static char *find_value(char *text, const char *key, uint32_t n, size_t *size) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    char *at = text + strlen(OPENING) + CS_SHA256_HEX;
    for (at = strstr(at, quoted); at && n; n--) at = strstr(at + 1, quoted);
    if (!at) return NULL;
    at += strlen(quoted);
    *size = *at == '"' ? strcspn(at + 1, "\"") + 2 : strcspn(at, ",}]");
    return at;
}

static uint32_t count_values(char *text, const char *key) {
    size_t size;
    uint32_t n = 0;
    while (find_value(text, key, n, &size)) n++;
    return n;
}

/* A new text with the value replaced. Takes text over. */
static char *replace(char *text, char *at, size_t size, const char *value) {
    size_t before = (size_t)(at - text), more = strlen(value), all = strlen(text);
    char *out = malloc(all - size + more + 1);
    assert_non_null(out);
    memcpy(out, text, before);
    memcpy(out + before, value, more);
    memcpy(out + before + more, at + size, all - before - size + 1);
    free(text);
    return out;
}

/* Puts another value of the same record, or one of the pool, in a value's place. */
static char *spoil_value(char *text, const char *key, const char *const *pool, size_t pool_count) {
    uint32_t count = count_values(text, key);
    size_t size = 0, other_size = 0;
    char value[700];
    if (!count) return text;
    uint32_t n = next(count);
    if (next(2) || !pool_count) {
        const char *other = find_value(text, key, next(count), &other_size);
        snprintf(value, sizeof value, "%.*s", (int)(other_size < 690 ? other_size : 0), other);
        if (!value[0]) return text;
    } else {
        snprintf(value, sizeof value, "%s", pool[next((uint32_t)pool_count)]);
    }
    char *at = find_value(text, key, n, &size);
    return replace(text, at, size, value);
}

#define POOL(...) ((const char *const[]){__VA_ARGS__}), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

/* Room for two digits a byte, two quotes and the terminator. */
static void quoted_hex(const uint8_t *bytes, size_t size, char *out) {
    out[0] = '"';
    cs_hex(bytes, size, out + 1);
    out[2 * size + 1] = '"';
    out[2 * size + 2] = '\0';
}

/* Lower-case hex in quotes of what a file on the machine holds. */
static void hash_of(memory_host *m, const char *path, char out[CS_SHA256_HEX + 3]) {
    const char *content = memory_host_content(m, path);
    uint8_t digest[CS_SHA256_SIZE];
    assert_int_equal(cs_sha256_bytes(content, strlen(content), digest, NULL), CS_OK);
    quoted_hex(digest, sizeof digest, out);
}

static void id_of(memory_host *m, const char *path, char out[40]) {
    cs_file_info info;
    assert_true(memory_host_info(m, path, &info));
    quoted_hex(info.id.id, sizeof info.id.id, out);
}

/* A row of its own kind: it names another file, with that file's own hash. */
static char *spoil_row(char *text, const char *target, const char *hash) {
    uint32_t count = count_values(text, "target");
    size_t size = 0;
    if (!count) return text;
    char *at = find_value(text, "target", next(count), &size);
    size_t place = (size_t)(at - text);
    text = replace(text, at, size, target);
    at = strstr(text + place, "\"sha256\":\"");
    return at ? replace(text, at + strlen("\"sha256\":"), CS_SHA256_HEX + 2, hash) : text;
}

static char *spoil_once(start *s, char *text) {
    memory_host *m = s->c.machine;
    char blas_hash[CS_SHA256_HEX + 3], seven_hash[CS_SHA256_HEX + 3], blas_id[40], seven_id[40], second[40];
    hash_of(m, VERB_TREE "\\bin\\cublas64_10.dll", blas_hash);
    hash_of(m, VERB_TREE "\\bin\\cudnn64_7.dll", seven_hash);
    id_of(m, VERB_TREE "\\bin\\cublas64_10.dll", blas_id);
    id_of(m, VERB_TREE "\\bin\\cudnn64_7.dll", seven_id);
    snprintf(second, sizeof second, "\"%s\"", s->second);
    switch (next(15)) {
    case 14:
        return next(2) ? spoil_row(text, "\"bin/cublas64_10.dll\"", blas_hash)
                       : spoil_row(text, "\"bin/cudnn64_7.dll\"", seven_hash);
    case 0:
    case 1:
        return spoil_value(text, "target",
                           POOL("\"bin/cublas64_10.dll\"", "\"bin/cudnn64_7.dll\"", "\"include/cuda.h\"", "\"EULA.txt\"",
                                "\"lib/x64/cudart.lib\"", "\"bin/../../other/bin/cudnn64_8.dll\"", "\"../other/EULA.txt\"",
                                "\"C:/other/bin/cudnn64_8.dll\"", "\"bin/CUDNN64_8.DLL\"", "\"bin/cudnn64_8.dll:x.dll\""));
    case 2:
        return spoil_value(text, "sha256", POOL(blas_hash, seven_hash));
    case 3:
        return spoil_value(text, "id", POOL(blas_id, seven_id));
    case 4:
        return spoil_value(text, "path",
                           POOL("\"C:\\\\second\"", "\"C:\\\\other\"", "\"C:\\\\Windows\\\\System32\"", "\"C:\\\\\"",
                                "\"C:\\\\CUDA\\\\v10.1\\\\..\\\\..\\\\other\"", "\"\\\\\\\\server\\\\share\""));
    case 5:
        return spoil_value(text, "txid", POOL("\"0123456789abcdef0123456789abcdef\"", "\"..\""));
    case 6:
        return spoil_value(text, next(2) ? "tree" : "folder", POOL(second));
    case 7:
        return spoil_value(text, "number", POOL("0", "5", "99", "100", "-1", "1.5"));
    case 8:
        return spoil_value(text, next(2) ? "away" : "ours", POOL("true", "false"));
    case 9:
        return spoil_value(text, "area", POOL("\"new\"", "\"old\"", "\"..\""));
    case 10:
        return spoil_value(text, next(2) ? "name" : "variable", POOL("\"ComSpec\"", "\"PATH\"", "\"CUDA_PATH\"", "\"Path\""));
    case 11:
        return spoil_value(text, next(2) ? "bytes" : "type", POOL("\"4300\"", "\"\"", "7", "2"));
    case 12:
        return spoil_value(text, next(2) ? "kind" : "size", POOL("\"uninstall\"", "\"repair\"", "\"6\"", "\"17\""));
    default:
        text[strlen(OPENING) + CS_SHA256_HEX + next((uint32_t)(strlen(text) - strlen(OPENING) - CS_SHA256_HEX))] =
            (char)(32 + next(95));
        return text;
    }
}

/* ---- the rounds ---- */

static const struct {
    const char *path, *content;
} others[] = {
    {VERB_TREE "\\bin\\cudnn64_7.dll", "cuDNN 7, not ours"},
    {VERB_TREE "\\bin\\cublas64_10.dll", "cuBLAS"},
    {VERB_TREE "\\include\\cuda.h", "CUDA's header"},
    {VERB_TREE "\\lib\\x64\\cudart.lib", "CUDA's library"},
    {VERB_TREE "\\EULA.txt", "CUDA's licence"},
    {VERB_TREE "\\bin\\cudart64_101.dll", "the CUDA runtime"},
    {OTHER "\\bin\\cudnn64_8.dll", "another program's cuDNN"},
    {OTHER "\\include\\cudnn.h", "another program's header"},
    {"C:\\Windows\\System32\\kernel32.dll", "Windows"},
};

/* A run on a copy of the machine. Returns the exit code. */
static int run_on_copy(start *s, memory_host *machine, cs_operation verb) {
    verb_case *c = &s->c;
    c->machine = machine;
    c->host = memory_host_seam(machine);
    memory_host_events(machine, &c->events);
    c->options.tree = verb == cs_recover ? NULL : s->first;
    int code = verb_case_run(c, verb);
    c->options.tree = NULL;
    return code;
}

typedef struct tally {
    size_t refused, done, failed;
} tally;

static void check_round(start *s, const watch *w, unsigned round, const char *text) {
    bool good = !w->bad;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *content = memory_host_content(s->c.machine, others[i].path);
        if (content && strcmp(content, others[i].content) == 0) continue;
        print_error("round %u: %s is not as it was\n", round, others[i].path);
        good = false;
    }
    if (w->bad) print_error("round %u: %s %s\n", round, w->operation, w->path);
    if (!good) print_error("%s\n%s\n", cs_buffer_string(&s->c.outcome.message), text);
    assert_true(good);
}

static void tamper(start *s, memory_host *base, const char *name, unsigned round, tally *t) {
    static const cs_operation verbs[] = {cs_uninstall, cs_rollback, cs_repair, cs_recover, cs_forget, cs_verify};
    char path[256];
    watch w = {0};
    memory_host *copy = memory_host_clone(base);
    seed_state = round * 7919u + 17;
    for (unsigned i = 0; i < 5; i++) next(2);
    s->c.machine = copy;
    state_path(s, name, path);
    const char *content = memory_host_content(copy, path);
    size_t size = strlen(content) + 1;
    char *text = malloc(size); /* spoiling replaces it */
    assert_non_null(text);
    memcpy(text, content, size);
    for (uint32_t n = 1 + next(3); n; n--) text = spoil_once(s, text);
    seal(text);
    assert_true(memory_host_text(copy, path, text));
    memory_host_trace(copy, true);
    int code = run_on_copy(s, copy, verbs[next(6)]);
    check_trace(&w, memory_host_trace_text(copy));
    check_round(s, &w, round, text);
    t->refused += code == 1604;
    t->done += code == 0;
    t->failed += code != 0 && code != 1604;
    free(text);
    memory_host_free(copy);
}

static void test_between_tampered_heads_touch_nothing_of_others(void **state) {
    (void)state;
    start s;
    tally t = {0};
    begin(&s);
    memory_host *base = s.c.machine;
    for (unsigned round = 0; round < ROUNDS; round++) tamper(&s, base, "head", round, &t);
    /* Both kinds are well represented: the rounds say something. */
    assert_true(t.refused > ROUNDS / 10 && t.done > ROUNDS / 10);
    s.c.machine = base;
    verb_case_end(&s.c);
}

static void end_after_first_arrival(void *ctx, memory_host *m, const char *operation, const char *path) {
    bool *ended = ctx;
    const char *arrow = strcmp(operation, "rename") == 0 ? strstr(path, " -> ") : NULL;
    if (*ended || !arrow || strstr(arrow, ".cudnn-setup") || strstr(arrow, VERB_P)) return;
    *ended = true;
    memory_host_fail_at(m, 3, MEMORY_BEFORE, MEMORY_KILL, 1);
}

/* The journal of an uninstallation, or of an installation, that ended in the midst of its second pass. */
static void tamper_journals(bool install) {
    start s;
    tally t = {0};
    bool ended = false;
    begin(&s);
    memory_host *base = s.c.machine;
    memory_host_hook(base, end_after_first_arrival, &ended);
    s.c.options.tree = install ? NULL : s.first;
    s.c.options.cuda = install ? VERB_TREE : NULL;
    cs_buffer_clear(&s.c.told);
    cs_outcome_free(&s.c.outcome);
    if (install) {
        s.c.options.archive = VERB_MEDIA "\\p802.zip", s.c.options.manifest = VERB_MEDIA "\\p802.json";
        cs_install(s.c.host, &s.c.options, &s.c.outcome);
        s.c.options.archive = s.c.options.manifest = NULL;
    } else {
        cs_uninstall(s.c.host, &s.c.options, &s.c.outcome);
    }
    s.c.options.cuda = NULL;
    assert_true(ended);
    memory_host_restart(base);
    for (unsigned round = 0; round < ROUNDS / 2; round++) tamper(&s, base, "journal", round, &t);
    assert_true(t.refused > ROUNDS / 20 && t.done + t.failed > ROUNDS / 20);
    s.c.machine = base;
    verb_case_end(&s.c);
}

static void test_between_tampered_journals_of_an_uninstall_touch_nothing_of_others(void **state) {
    (void)state;
    tamper_journals(false);
}

static void test_between_tampered_journals_of_an_install_touch_nothing_of_others(void **state) {
    (void)state;
    tamper_journals(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_tampered_heads_touch_nothing_of_others),
        cmocka_unit_test(test_between_tampered_journals_of_an_uninstall_touch_nothing_of_others),
        cmocka_unit_test(test_between_tampered_journals_of_an_install_touch_nothing_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
