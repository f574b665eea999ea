#include "verb_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/sentences.h"
#include "zip_writer.h"

const char *const verb_targets[VERB_ROWS] = {"bin/cudnn64_8.dll", "bin/cudnn_ops_infer64_8.dll",
                                             "include/cudnn.h",   "include/cudnn_version.h",
                                             "lib/x64/cudnn.lib", "NVIDIA_SLA_cuDNN_Support.txt"};

static const char *const roles[VERB_ROWS] = {"dll", "dll", "header", "header", "lib", "licence"};

const char *verb_case_content(const char *tag, size_t row) {
    static char text[256];
    if (row == 5)
        snprintf(text, sizeof text, "the licence, the same in every package\n");
    else
        snprintf(text, sizeof text, "%s as in package %s\n", verb_targets[row], tag);
    return text;
}

static void on_event(void *ctx, const cs_event *event) {
    static const char *const kinds[] = {"step", "progress", "note", "detail", "warning"};
    verb_case *c = ctx;
    if (event->kind != CS_EVENT_PROGRESS) cs_buffer_format(&c->told, "%s %s: %s\n", kinds[event->kind], event->id, event->text);
}

static bool on_cancelled(void *ctx) {
    verb_case *c = ctx;
    return c->cancel_after && ++c->asked >= c->cancel_after;
}

void verb_case_begin(verb_case *c) {
    *c = (verb_case){.machine = memory_host_new()};
    c->host = memory_host_seam(c->machine);
    c->events = (cs_events){.ctx = c, .emit = on_event, .cancelled = on_cancelled};
    memory_host_events(c->machine, &c->events);
    memory_host_text(c->machine, VERB_TREE "\\bin\\cudart64_101.dll", "the CUDA runtime");
    memory_host_text(c->machine, VERB_TREE "\\version.txt", "CUDA Version 10.1.243\n");
    memory_host_folder(c->machine, VERB_TREE "\\include");
    memory_host_folder(c->machine, VERB_TREE "\\lib\\x64");
    memory_host_reg_text(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_SZ, VERB_TREE);
    memory_host_text(c->machine, VERB_MEDIA "\\cudnn-setup.exe", "setup itself");
    memory_host_resource(c->machine, CS_PROGRAM_NAME_DOCTOR, "the doctor", 10);
    memory_host_resource(c->machine, CS_PROGRAM_NAME_PROBE, "the probe", 9);
    memory_system *system = memory_host_system(c->machine);
    snprintf(system->program_path, sizeof system->program_path, "%s", VERB_MEDIA "\\cudnn-setup.exe");
    system->administrator = true;
    c->options = (cs_options){.verb = CS_VERB_INSTALL, .ui = CS_UI_QUIET, .selftest = CS_SELFTEST_SKIP};
}

void verb_case_end(verb_case *c) {
    cs_outcome_free(&c->outcome);
    cs_buffer_free(&c->told);
    memory_host_free(c->machine);
}

/* ---- packages ---- */

static void hex_of(const void *bytes, size_t size, char out[CS_SHA256_HEX + 1]) {
    uint8_t digest[CS_SHA256_SIZE];
    assert_int_equal(cs_sha256_bytes(bytes, size, digest, NULL), CS_OK);
    cs_hex(digest, sizeof digest, out);
}

static void write_manifest(verb_case *c, const char *name, const char *version, unsigned number, const char *tag, bool sealed,
                           const char *archive_hex) {
    cs_buffer json = {0};
    char path[128];
    cs_buffer_format(&json,
                     "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"%s\", \"cudnn_version\": %u, \"cuda\": \"10.1\",",
                     version, number);
    cs_buffer_format(&json, " \"sample\": %s,", c->not_a_sample ? "false" : "true");
    cs_buffer_format(&json, " \"archive\": {\"names\": [\"%s.zip\"], \"sha256\": \"%s\"}, \"files\": [", name, archive_hex);
    for (size_t i = 0; i < VERB_ROWS; i++) {
        cs_buffer_format(&json, "%s{\"source\": \"%s\", \"target\": \"%s\", \"kind\": \"%s\"", i ? ", " : "", verb_targets[i],
                         verb_targets[i], roles[i]);
        if (sealed) {
            char hex[CS_SHA256_HEX + 1];
            const char *content = verb_case_content(tag, i);
            hex_of(content, strlen(content), hex);
            cs_buffer_format(&json, ", \"size\": %u, \"sha256\": \"%s\"", (unsigned)strlen(content), hex);
        }
        cs_buffer_text(&json, "}");
    }
    cs_buffer_text(&json, "], \"driver_min\": \"418.96\", \"compute_min\": \"3.0\", \"compute_max\": \"7.5\"}");
    snprintf(path, sizeof path, VERB_MEDIA "\\%s.json", name);
    assert_true(memory_host_file(c->machine, path, json.data, json.size));
    cs_buffer_free(&json);
}

void verb_case_package(verb_case *c, const char *name, const char *version, unsigned cudnn_version, const char *tag,
                       bool sealed) {
    zip_writer writer;
    unsigned char *data = NULL;
    size_t size = 0;
    char entry[128], path[128], hex[CS_SHA256_HEX + 1];
    zip_begin(&writer, NULL);
    for (size_t i = 0; i < VERB_ROWS; i++) {
        const char *content = verb_case_content(tag, i);
        snprintf(entry, sizeof entry, "cuda/%s", verb_targets[i]);
        zip_add_bytes(&writer, entry, content, strlen(content));
    }
    zip_end(&writer, NULL);
    assert_true(zip_close(&writer, &data, &size));
    snprintf(path, sizeof path, VERB_MEDIA "\\%s.zip", name);
    assert_true(memory_host_file(c->machine, path, data, size));
    hex_of(data, size, hex);
    free(data);
    write_manifest(c, name, version, cudnn_version, tag, sealed, hex);
}

/* ---- running ---- */

/* A sentence that differs from one that was looked up in hexadecimal digits only, or not at all, is not looked up again: it
 * costs milliseconds, and some tests hear the same thousands of times. */
static bool was_said(const char *text) {
    enum { KEPT = 4096 };
    static uint64_t kept[KEPT];
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *p = text; *p; p++) hash = (hash ^ (uint8_t)(strchr("0123456789abcdef", *p) ? '0' : *p)) * 1099511628211u;
    uint64_t *place = &kept[hash % KEPT];
    bool known = *place == hash;
    *place = hash;
    return known;
}

static void assert_chinese(const char *text) {
    cs_buffer said = {0};
    if (was_said(text)) return;
    if (!cs_sentence_chinese(&said, text)) fail_msg("there is no Chinese for: %s", text);
    cs_buffer_free(&said);
}

/* Whatever a run says to people can be said in a Chinese window, but for the proof, which has its sentences in two languages. */
static void assert_can_be_said(const verb_case *c) {
    static const char warning[] = "warning ", proof[] = "warning proof:";
    cs_strings lines = {0};
    if (!c->host->events) return; /* memory is made to run out: half of a sentence may be missing */
    for (const char *at = cs_buffer_string(&c->told); *at;) {
        size_t size = strcspn(at, "\n");
        cs_buffer line = {0};
        cs_buffer_append(&line, at, size);
        assert_int_equal(cs_strings_add(&lines, cs_buffer_string(&line), NULL), CS_OK);
        cs_buffer_free(&line);
        at += size + (at[size] != '\0');
    }
    for (size_t i = 0; i < lines.count; i++)
        if (strncmp(lines.items[i], warning, sizeof warning - 1) == 0 && strncmp(lines.items[i], proof, sizeof proof - 1) != 0)
            assert_chinese(strstr(lines.items[i], ": ") + 2);
    assert_chinese(c->outcome.message.data);
    cs_strings_free(&lines);
}

int verb_case_run(verb_case *c, cs_operation verb) {
    cs_outcome_free(&c->outcome);
    cs_buffer_clear(&c->told);
    c->asked = 0;
    memory_host_system(c->machine)->now += 10000000; /* a second later */
    cs_status status = verb(c->host, &c->options, &c->outcome);
    assert_int_equal(status, c->outcome.status);
    assert_true(c->outcome.message.size > 0);
    assert_can_be_said(c);
    verb_case_assert_closed(c);
    return cs_exit_code(status);
}

int verb_case_install(verb_case *c, const char *name) {
    char archive[128], manifest[128];
    snprintf(archive, sizeof archive, VERB_MEDIA "\\%s.zip", name);
    snprintf(manifest, sizeof manifest, VERB_MEDIA "\\%s.json", name);
    c->options.archive = archive;
    c->options.manifest = manifest;
    int code = verb_case_run(c, cs_install);
    c->options.archive = c->options.manifest = NULL;
    return code;
}

bool verb_case_told(const verb_case *c, const char *text) { return strstr(cs_buffer_string(&c->told), text) != NULL; }

const char *verb_case_state(const verb_case *c, const char *target) {
    for (size_t i = 0; i < c->outcome.file_count; i++)
        if (strcmp(c->outcome.files[i].target, target) == 0) return c->outcome.files[i].state;
    return "";
}

static void tree_path(const char *target, char out[160]) {
    snprintf(out, 160, VERB_TREE "\\%s", target);
    for (char *p = out; *p; p++)
        if (*p == '/') *p = '\\';
}

void verb_case_put(verb_case *c, const char *target, const char *text) {
    char path[160];
    tree_path(target, path);
    assert_true(memory_host_text(c->machine, path, text));
}

const char *verb_case_get(verb_case *c, const char *target) {
    char path[160];
    tree_path(target, path);
    return memory_host_content(c->machine, path);
}

/* ---- comparing ---- */

char *verb_case_dump(verb_case *c) {
    char *tree = memory_host_dump(c->machine, "C:\\CUDA"), *registry = memory_host_reg_dump(c->machine);
    size_t size = strlen(tree) + strlen(registry) + 2;
    char *both = malloc(size);
    assert_non_null(both);
    snprintf(both, size, "%s\n%s", tree, registry);
    free(tree);
    free(registry);
    return both;
}

static cs_status note_name(void *ctx, const char *name, const cs_file_info *info) {
    (void)info;
    cs_buffer_format(ctx, "%s ", name);
    return CS_OK;
}

static void assert_holds(verb_case *c, const char *folder, const char *names) {
    cs_buffer found = {0};
    cs_status status = c->host->fs->list(c->host->fs->ctx, folder, note_name, &found, NULL);
    if (status != CS_E_NOT_FOUND) assert_string_equal(cs_buffer_string(&found), names);
    cs_buffer_free(&found);
}

void verb_case_assert_clean(verb_case *c) {
    assert_holds(c, VERB_P, "state ");
    assert_holds(c, VERB_P "\\state", "lock ");
    assert_false(memory_host_exists(c->machine, VERB_TREE "\\.cudnn-setup"));
    assert_false(memory_host_system(c->machine)->service);
}

void verb_case_assert_closed(const verb_case *c) { assert_int_equal(memory_host_open_files(c->machine), 0); }
