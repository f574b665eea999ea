#include "crash_verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/operations.h"
#include "zip_writer.h"

#define MEDIA "C:\\media"

unsigned crash_rows = 3;

/* ---- the packages ---- */

static const char *const targets[CRASH_ROWS_MAX] = {"bin/cudnn64_8.dll", "include/cudnn.h", "lib/x64/cudnn.lib",
                                                    "NVIDIA_SLA_cuDNN_Support.txt"};
static const char *const roles[CRASH_ROWS_MAX] = {"dll", "header", "lib", "licence"};

const char *crash_target(unsigned row) { return targets[row]; }

const char *crash_row_text(const char *version, unsigned row) {
    static char texts[16][32];
    static unsigned next;
    char *text = texts[next++ % 16];
    snprintf(text, sizeof texts[0], "%s row %u", version, row);
    return text;
}

static void must(bool good) {
    if (!good) abort();
}

static void hex_of(const void *bytes, size_t size, char out[CS_SHA256_HEX + 1]) {
    uint8_t digest[CS_SHA256_SIZE];
    must(cs_sha256_bytes(bytes, size, digest, NULL) == CS_OK);
    cs_hex(digest, sizeof digest, out);
}

static void put_manifest(crash_image *image, const char *version, const char *archive_hex) {
    cs_buffer json = {0};
    char path[64];
    cs_buffer_format(&json,
                     "{\"schema\": 1, \"product\": \"cuDNN\", \"version\": \"%s.33\", \"cudnn_version\": %u, \"cuda\": \"10.1\", "
                     "\"sample\": true, \"archive\": {\"names\": [\"%s.zip\"], \"sha256\": \"%s\"}, \"files\": [",
                     version, strcmp(version, "8.0.3") == 0 ? 8003u : 8002u, version, archive_hex);
    for (unsigned i = 0; i < crash_rows; i++) {
        const char *text = crash_row_text(version, i);
        char hex[CS_SHA256_HEX + 1];
        hex_of(text, strlen(text), hex);
        cs_buffer_format(&json, "%s{\"source\": \"%s\", \"target\": \"%s\", \"kind\": \"%s\", \"size\": %u, \"sha256\": \"%s\"}",
                         i ? ", " : "", targets[i], targets[i], roles[i], (unsigned)strlen(text), hex);
    }
    cs_buffer_text(&json, "]}");
    must(!json.failed);
    snprintf(path, sizeof path, MEDIA "\\%s.json", version);
    crash_image_file(image, path, json.data, json.size);
    cs_buffer_free(&json);
}

static void put_package(crash_image *image, const char *version) {
    zip_writer writer;
    unsigned char *data = NULL;
    size_t size = 0;
    char entry[128], path[64], hex[CS_SHA256_HEX + 1];
    zip_begin(&writer, NULL);
    for (unsigned i = 0; i < crash_rows; i++) {
        const char *text = crash_row_text(version, i);
        snprintf(entry, sizeof entry, "cuda/%s", targets[i]);
        zip_add_bytes(&writer, entry, text, strlen(text));
    }
    zip_end(&writer, NULL);
    must(zip_close(&writer, &data, &size));
    snprintf(path, sizeof path, MEDIA "\\%s.zip", version);
    crash_image_file(image, path, data, size);
    hex_of(data, size, hex);
    free(data);
    put_manifest(image, version, hex);
}

void crash_put_packages(crash_image *image) {
    put_package(image, "8.0.2");
    put_package(image, "8.0.3");
}

/* ---- running ---- */

typedef struct listener {
    crash_machine *machine;
    crash_told *told;
    unsigned asked; /* since the step at which somebody cancels */
    bool counting;
} listener;

static void on_event(void *ctx, const cs_event *event) {
    listener *l = ctx;
    /* A name in `cleanup` that cannot go now is told of in the log alone: programs that still run are the usual reason. */
    if (event->kind == CS_EVENT_WARNING || strcmp(event->id, "clean.later") == 0) l->told->warnings++;
    if (event->kind != CS_EVENT_STEP) return;
    if (strcmp(event->id, "clean") == 0) l->told->durable = true;
    if (strcmp(event->id, "undo") == 0) l->told->undo_call = l->machine->calls + 1;
    if (l->machine->cancel_step && strcmp(event->id, l->machine->cancel_step) == 0) l->counting = true;
}

static bool on_cancelled(void *ctx) {
    listener *l = ctx;
    return l->counting && ++l->asked >= l->machine->cancel_after;
}

static cs_status operate(const cs_host *host, crash_verb verb, cs_options *options, cs_outcome *outcome) {
    static const char *const archives[] = {MEDIA "\\8.0.2.zip", MEDIA "\\8.0.3.zip"};
    static const char *const manifests[] = {MEDIA "\\8.0.2.json", MEDIA "\\8.0.3.json"};
    options->cuda = (char *)(verb & CRASH_ON_OTHER ? CRASH_OTHER_TREE : CRASH_TREE);
    switch (verb & CRASH_VERB_MASK) {
    case CRASH_INSTALL_802:
    case CRASH_INSTALL_803:
        options->archive = (char *)archives[verb & 1];
        options->manifest = (char *)manifests[verb & 1];
        return cs_install(host, options, outcome);
    case CRASH_UNINSTALL:
        return cs_uninstall(host, options, outcome);
    case CRASH_ROLLBACK:
        return cs_rollback(host, options, outcome);
    case CRASH_REPAIR:
        options->archive = (char *)archives[1]; /* scenarios repair 8.0.3 */
        return cs_repair(host, options, outcome);
    default:
        options->cuda = NULL;
        return cs_recover(host, options, outcome);
    }
}

cs_status crash_verb_run(crash_machine *machine, crash_verb verb, uint64_t seed, crash_told *told) {
    crash_told unused;
    listener l = {.machine = machine, .told = told ? told : &unused};
    const cs_events events = {.ctx = &l, .emit = on_event, .cancelled = on_cancelled};
    const cs_host host = {.fs = &machine->fs, .registry = &machine->registry, .system = &machine->system, .events = &events};
    cs_options options = {.ui = CS_UI_QUIET, .selftest = CS_SELFTEST_SKIP, .verb_given = true};
    cs_outcome outcome = {0};
    *l.told = (crash_told){0};
    machine->random = seed;
    crash_start_program(machine, verb & CRASH_FROM_P ? CRASH_P "\\cudnn-setup.exe" : CRASH_DOWNLOADED);
    cs_status status = operate(&host, verb, &options, &outcome);
    l.told->error = outcome.error;
    snprintf(l.told->message, sizeof l.told->message, "%s", cs_buffer_string(&outcome.message));
    cs_outcome_free(&outcome);
    crash_start_program(machine, NULL);
    return status;
}
