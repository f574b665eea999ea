/* Which call can fail how, and what has to hold after any failure. */
#include "crash_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Source of the numbers: winerror.h. */
static const uint32_t file_codes[] = {5, 32, 33, 112, 1224, 23, 2, 3, 19, 1117, 145, 183};
static const uint32_t registry_codes[] = {5, 1018};
enum { FILE_CODES = sizeof file_codes / sizeof file_codes[0], REGISTRY_CODES = 2, RETRIES = 10, RETRY_MS = 500 };

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

/* Reading the archive, block by block: any of its failures is like the others. */
static bool is_archive(const crash_fault *struck) { return strstr(struck->path, "\\media\\") != NULL; }

static crash_fault try_one(crash_explorer *e, unsigned long number, uint32_t code, unsigned how, crash_try try, void *ctx) {
    const crash_fault fault = {.at = number, .after = how & 1, .for_good = how & 2, .code = code};
    crash_fault struck = try(e, &fault, ctx);
    if (struck.struck) e->result->operations++;
    return struck;
}

void crash_fail_calls(crash_explorer *e, unsigned long first, bool all, crash_try try, void *ctx) {
    for (unsigned long number = first;; number++) {
        crash_fault struck = try_one(e, number, 5, 0, try, ctx);
        if (!struck.struck || crash_result_bad(e->result) >= e->limits->bad) return;
        bool registry = is_registry(struck.operation);
        size_t count = registry ? REGISTRY_CODES : FILE_CODES;
        for (size_t i = 0; i < count; i++) {
            uint32_t code = registry ? registry_codes[i] : file_codes[i];
            /* Without much time a call gets some of the codes; its neighbours get the others. */
            if (!all && !registry && ((i + number + e->stage) % 4 || is_archive(&struck))) continue;
            for (unsigned how = 0; how < 4 && (registry || can_come(struck.operation, code)); how++)
                try_one(e, number, code, how, try, ctx);
        }
    }
}

/* An allocation more than the run needs never fails: then all have had their turn. */
void crash_fail_allocations(crash_explorer *e, void (*run)(crash_explorer *e, void *ctx), void *ctx) {
    for (unsigned long number = 1; number < 1000000; number++) {
        char what[64];
        snprintf(what, sizeof what, "allocation %lu", number);
        e->label = what;
        e->failed_allocation = number;
        run(e, ctx);
        e->label = NULL;
        if (!e->failed_allocation || crash_result_bad(e->result) >= e->limits->bad) break;
        e->result->operations++;
    }
    e->failed_allocation = 0;
}

/* ---- comparing ---- */

bool crash_is_public_same(const crash_image *a, const crash_image *b) {
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (crash_path_class((uint16_t)i) == CLASS_TARGET &&
            crash_entry_hash((uint16_t)i, &a->at[i]) != crash_entry_hash((uint16_t)i, &b->at[i]))
            return false;
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++)
        if (crash_slot_is_environment(slot) && a->reg[slot] != b->reg[slot]) return false;
    return true;
}

/* Where the planning could not see what a path means or who can write there, the environment may be left as it was, or our entry
 * stands at the end instead of the front: the safe choice, and it is said. */
static bool judges_by(const crash_fault *fault) {
    static const char *const looks[] = {"real path", "stat", "security"};
    return !fault->at || is_one_of(fault->operation, looks, sizeof looks / sizeof looks[0]);
}

/* A fault on the way can make a run create a file more: of ids, and of the records that name them, only the presence is
 * compared. */
bool crash_is_after(const crash_explorer *e, const crash_image *image, const crash_image *after, const crash_fault *fault,
                    char *where, size_t size) {
    bool judged = !judges_by(fault) || !crash_has_warned(e);
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_class class = crash_path_class((uint16_t)i);
        crash_entry a = image->at[i], b = after->at[i];
        snprintf(where, size, "%.100s %u %u", crash_path_text((uint16_t)i), a.content, b.content);
        if (class == CLASS_P_ASIDE) continue; /* part of no state */
        if (!a.file != !b.file) return false;
        if (class == CLASS_HEAD || class == CLASS_P_STATUS || !a.file) continue;
        a.file = b.file = 1;
        if (crash_entry_hash((uint16_t)i, &a) != crash_entry_hash((uint16_t)i, &b)) return false;
    }
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++) {
        snprintf(where, size, "%.100s %u %u", crash_slot_text(slot), image->reg[slot], after->reg[slot]);
        if (image->reg[slot] != after->reg[slot] && (judged || !crash_slot_is_environment(slot))) return false;
    }
    return true;
}

/* ---- judging ---- */

bool crash_has_warned(const crash_explorer *e) { return e->told.warnings > e->usual_warnings; }

void crash_note_fault(crash_explorer *e, crash_invariant invariant, const crash_told *told, const char *text) {
    char line[CRASH_SAMPLE_TEXT - 200];
    snprintf(line, sizeof line, "%.90s (%.100s)", text, told->message);
    crash_note_bad(e, invariant, line);
}

static bool is_flush(const char *operation) { return strstr(operation, "flush") != NULL || strstr(operation, "sync") != NULL; }

/* The lock has a rule of its own: another run holds it longer than any scanner. */
static void judge_retries(crash_explorer *e, const crash_told *told) {
    const crash_machine *m = &e->machine;
    const crash_fault *fault = &m->fault;
    bool transient = fault->code == 5 || fault->code == 32 || fault->code == 33;
    if (fault->hasty && is_flush(fault->operation)) crash_note_fault(e, INV_REPORT, told, "a flush was tried again");
    if (m->denied) return;
    if (m->slept_ms && (!transient || is_flush(fault->operation)))
        crash_note_fault(e, INV_REPORT, told, "retried, and must not be");
    if (m->longest_row > RETRIES) crash_note_fault(e, INV_REPORT, told, "retried more than ten times");
    bool lock = strcmp(fault->operation, "open lock") == 0;
    if (m->longest_row && fault->for_good && !fault->after && !lock && m->longest_row != RETRIES && m->longest_row != 1)
        crash_note_fault(e, INV_REPORT, told, "retried, and not ten times");
    if (m->slept_ms % RETRY_MS && !lock) crash_note_fault(e, INV_REPORT, told, "a pause is not half a second");
}

void crash_judge_leaks(crash_explorer *e) {
    if (crash_machine_open_files(&e->machine)) crash_note_bad(e, INV_REPORT, "files stay open");
    if (cs_alloc_live != e->allocated) crash_note_bad(e, INV_REPORT, "memory stays allocated");
    judge_retries(e, &e->told);
}

static bool is_documented(int code) {
    static const int codes[] = {112, 1602, 1603, 1604, 1618, 1619, 1620, 1642};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] == code) return true;
    return false;
}

/* The last name of the path, or that of what it is in: a rename, a listing and a private file have two ends. */
static bool names_path(const char *message, const char *path) {
    const char *name = strrchr(path, '\\');
    if (!name || !name[1]) return !*path || strstr(message, path) != NULL;
    if (strstr(message, name + 1)) return true;
    for (unsigned i = 0; i < crash_rows; i++) /* a staged file goes by its target */
        if (strstr(message, crash_target(i))) return true;
    return strstr(message, CRASH_TREE) != NULL || strstr(message, CRASH_P) != NULL || strstr(message, CRASH_STATE) != NULL;
}

void crash_judge_message(crash_explorer *e, cs_status status, const crash_fault *fault, const crash_told *told) {
    if (!is_documented(cs_exit_code(status))) crash_note_fault(e, INV_REPORT, told, "an exit code that is not for this");
    if (!told->message[0]) crash_note_fault(e, INV_REPORT, told, "no message");
    if (told->error.status != status) crash_note_fault(e, INV_REPORT, told, "the error is not that of the exit code");
    bool memory = told->error.status == CS_E_NO_MEMORY || !fault->at;
    if (!memory && !names_path(told->message, fault->path)) crash_note_fault(e, INV_REPORT, told, "the message names no path");
}
