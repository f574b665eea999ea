/* Every call of the seam fails, before and after doing its work, once and for good, with every code that can come; and every
 * allocation. What the run reports and what it leaves have to agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_inside.h"

/* Source of the numbers: winerror.h. */
static const uint32_t file_codes[] = {5, 32, 33, 112, 1224, 23, 2, 3, 19, 1117, 145, 183};
static const uint32_t registry_codes[] = {5, 1018};
enum { FILE_CODES = sizeof file_codes / sizeof file_codes[0], REGISTRY_CODES = 2 };

static bool is_flush(const char *operation) { return strstr(operation, "flush") != NULL || strstr(operation, "sync") != NULL; }

static void note(crash_explorer *e, crash_invariant invariant, const cs_error *error, const char *text) {
    char line[CRASH_SAMPLE_TEXT - 200], message[160];
    cs_error_text(error, message, sizeof message);
    snprintf(line, sizeof line, "%.100s (%.90s)", text, message);
    crash_note_bad(e, invariant, line);
}

/* The targets and the environment: what a user sees. */
static bool is_public_same(const crash_image *a, const crash_image *b) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (crash_path_class((uint16_t)i) == CLASS_TARGET &&
            crash_entry_hash((uint16_t)i, &a->at[i]) != crash_entry_hash((uint16_t)i, &b->at[i]))
            return false;
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++)
        if (crash_slot_is_environment(slot) && a->reg[slot] != b->reg[slot]) return false;
    return true;
}

/* After, but for the ids of files: a fault on the way can make a run create one more. The records name ids, so of them only the
 * presence is compared. Where the planning could not see what a path means (nor, without
 * memory, look), it may leave a value alone. */
static bool is_after(const crash_image *final, const crash_image *after, const crash_fault *fault, char *where, size_t size) {
    bool judged = fault->at && strcmp(fault->operation, "real path") != 0;
    bool emptied = fault->code != 145; /* a folder that was said to be not empty may stay, empty */
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_class class = crash_path_class((uint16_t)i);
        crash_entry a = final->at[i], b = after->at[i];
        bool record = class == CLASS_HEAD || class == CLASS_P_STATUS;
        snprintf(where, size, "%.100s %u %u", crash_path_text((uint16_t)i), a.content, b.content);
        if (class == CLASS_B || class == CLASS_B_FOLDER) {
            if (emptied && !a.file != !b.file) return false;
            continue;
        }
        if (!a.file != !b.file) return false;
        if (record || !a.file) continue;
        a.file = b.file = 1;
        if (crash_entry_hash((uint16_t)i, &a) != crash_entry_hash((uint16_t)i, &b)) return false;
    }
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++) {
        snprintf(where, size, "%.100s %u %u", crash_slot_text(slot), final->reg[slot], after->reg[slot]);
        if (final->reg[slot] != after->reg[slot] && (judged || !crash_slot_is_environment(slot))) return false;
    }
    return true;
}

static void judge_message(crash_explorer *e, const crash_fault *fault, cs_status status, const cs_error *error) {
    char line[2048];
    int code = cs_exit_code(status);
    if (code != 112 && code != 1603 && code != 1604 && code != 1618)
        note(e, INV_SUCCESS_KEPT, error, "an exit code that is not for this");
    cs_error_text(error, line, sizeof line);
    const char *name = strrchr(fault->path, '\\');
    name = name ? name + 1 : fault->path;
    /* The call that failed may be one of a rename's two ends; the message names either. */
    if (fault->at && *name && !error->path[0] && !strstr(line, name))
        note(e, INV_SUCCESS_KEPT, error, "the message names no path");
}

/* After the run, and after the next one has recovered. */
static void judge(crash_explorer *e, cs_status status, const cs_error *error) {
    const crash_fault fault = e->machine.fault;
    const crash_image *before = &e->stable[0], *after = &e->stable[1];
    crash_image left, final;
    if (crash_machine_open_files(&e->machine)) note(e, INV_BEFORE_OR_AFTER, error, "files stay open");
    bool may_retry = fault.code == 5 || fault.code == 32 || fault.code == 33;
    if (e->machine.slept_ms && (!may_retry || is_flush(fault.operation))) note(e, INV_ORDER, error, "retried, and must not be");
    crash_machine_save(&e->machine, &left);
    crash_machine_load(&e->machine, &left);
    cs_error later = {0};
    if (crash_verb_run(&e->machine, CRASH_RECOVER, 1, NULL, &later) != CS_OK)
        note(e, INV_BEFORE_OR_AFTER, &later, "the next run cannot recover");
    crash_machine_save(&e->machine, &final);
    char difference[150];
    bool is_before = final.hash == before->hash, done = is_after(&final, after, &fault, difference, sizeof difference);
    char where[150];
    crash_image_difference(&final, before, where, sizeof where);
    if (status == CS_OK && !done) note(e, INV_SUCCESS_KEPT, error, difference);
    if (status != CS_OK) judge_message(e, &fault, status, error);
    if (status == CS_E_PENDING && !is_before && !done) note(e, INV_BEFORE_OR_AFTER, error, where);
    if (status == CS_OK || status == CS_E_PENDING) return;
    if (!is_public_same(&left, before)) note(e, INV_SUCCESS_KEPT, error, "failed, and not everything is as before");
    if (!is_before) note(e, INV_BEFORE_OR_AFTER, error, where);
}

static cs_status run(crash_explorer *e, crash_verb verb, const crash_fault *fault, cs_error *error) {
    crash_machine_load(&e->machine, &e->stable[0]);
    crash_explorer_watch(e, true, 0);
    e->machine.hook = NULL; /* no power cuts here */
    e->machine.fault = *fault;
    e->result->runs++;
    return crash_verb_run(&e->machine, verb, crash_step_seed(0), NULL, error);
}

static bool fail_call(crash_explorer *e, crash_verb verb, unsigned long number, uint32_t code, unsigned how, char *operation) {
    const crash_fault fault = {.at = number, .after = how & 1, .for_good = how & 2, .code = code};
    char what[700];
    cs_error error = {0};
    e->label = e->machine.fault.path;
    cs_status status = run(e, verb, &fault, &error);
    e->label = NULL;
    const crash_fault struck = e->machine.fault;
    if (!struck.struck) return false;
    snprintf(operation, sizeof struck.operation, "%s", struck.operation);
    snprintf(what, sizeof what, "%s %u %s%s %.200s", struck.operation, code, fault.after ? "after" : "before",
             fault.for_good ? " for good" : "", struck.path);
    e->label = what;
    e->result->operations++;
    judge(e, status, &error);
    e->label = NULL;
    return true;
}

static bool is_one_of(const char *operation, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(operation, names[i]) == 0) return true;
    return false;
}

/* Answers that the system can give for this call. "Not found" for a thing that is there, and "taken" for a name that is free,
 * are no failures but untruths: a program cannot act rightly on them, except where the name was made a moment ago. */
static bool can_come(const char *operation, uint32_t code) {
    static const char *const looks[] = {"open read", "open watch", "open move", "open folder",  "stat", "list",
                                        "security",  "volume",     "real path", "known folder", "info", "read"};
    static const char *const names[] = {"rename", "create", "make folder"};
    static const char *const growing[] = {"create", "open update", "open lock", "write", "set size", "rename", "make folder"};
    static const char *const images[] = {"remove", "write", "set size"};
    bool look = is_one_of(operation, looks, sizeof looks / sizeof looks[0]);
    switch (code) {
    case 2:
    case 3:
        return !look && strncmp(operation, "remove", 6) != 0 && strcmp(operation, "resource") != 0;
    case 183:
        return is_one_of(operation, names, 1);
    case 145:
        return strcmp(operation, "remove folder") == 0;
    case 112:
        return is_one_of(operation, growing, sizeof growing / sizeof growing[0]);
    case 1224:
        return is_one_of(operation, images, sizeof images / sizeof images[0]);
    case 19:
        return !look;
    default:
        return true;
    }
}

static bool is_registry(const char *operation) { return strncmp(operation, "reg ", 4) == 0; }

static void fail_calls(crash_explorer *e, crash_verb verb, bool all) {
    for (unsigned long number = 1;; number++) {
        char operation[sizeof e->machine.fault.operation];
        if (!fail_call(e, verb, number, 5, 0, operation)) return;
        bool registry = is_registry(operation);
        size_t count = registry ? REGISTRY_CODES : FILE_CODES;
        for (size_t i = 0; i < count; i++) {
            uint32_t code = registry ? registry_codes[i] : file_codes[i];
            /* Without much time a call gets some of the codes; its neighbours get the others. */
            if (!all && !registry && i % 3 != number % 3) continue;
            for (unsigned how = 0; how < 4 && (registry || can_come(operation, code)); how++)
                fail_call(e, verb, number, code, how, operation);
        }
    }
}

/* An allocation more than the run needs never fails: then all have had their turn. */
static void fail_allocations(crash_explorer *e, crash_verb verb) {
    const crash_fault none = {0};
    for (unsigned long number = 1; number < 1000000; number++) {
        char what[64];
        cs_error error = {0};
        cs_alloc_fail_at(number);
        cs_status status = run(e, verb, &none, &error);
        void *probe = cs_alloc(1, 1); /* the numbers go up by one: the first that did not strike strikes here */
        bool struck = probe != NULL;
        cs_free(probe);
        cs_alloc_fail_at(0);
        if (!struck) return;
        snprintf(what, sizeof what, "allocation %lu", number);
        e->label = what;
        e->result->operations++;
        judge(e, status, &error);
        e->label = NULL;
    }
}

void crash_faults(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits, bool all,
                  crash_result *out) {
    static crash_explorer e;
    crash_explorer_init(&e, model, limits, NULL, out);
    if (crash_explorer_prepare(&e, scenario, environment)) {
        e.meddled = true;
        fail_calls(&e, scenario->steps[0], all);
        fail_allocations(&e, scenario->steps[0]);
    } else {
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a fault fails");
    }
    crash_explorer_end(&e);
}
