/* Somebody acts between the crash and the recovery: replaces, deletes or makes a file, puts an identical copy in a file's place,
 * edits PATH. What is theirs stays theirs, and everything else is as if they had not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_inside.h"

typedef enum act { ACT_REPLACE, ACT_DELETE, ACT_CREATE, ACT_COPY_OF_NEW, ACT_COPY_OF_OLD, ACT_EDIT_PATH, ACTS } act;

static const char *const act_names[ACTS] = {"replace",     "delete", "create", "copy of the new one", "copy of the old one",
                                            "edit of PATH"};

#define THIRD_ENTRY "C:\\third"

typedef struct deed {
    act act;
    unsigned row;
    uint16_t target, theirs; /* path; the file that is somebody else's now, 0: none */
    uint16_t removed;        /* the file that they took away, 0: none */
} deed;

/* ---- acting ---- */

static uint16_t target_path(unsigned row) {
    char text[256];
    snprintf(text, sizeof text, CRASH_TREE "\\%s", crash_target(row));
    for (char *at = text; *at; at++)
        if (*at == '/') *at = '\\';
    return crash_path(text);
}

static uint16_t path_slot(void) { return crash_slot(CS_HKLM, CS_KEY_ENVIRONMENT, "Path"); }

/* PATH with one entry more at its end. */
static uint16_t with_third(uint16_t value) {
    cs_reg_value old = {0}, fresh = {0};
    cs_buffer text = {0};
    if (!crash_value_get(value, &old)) abort();
    if (old.present && cs_reg_value_to_text(&old, &text, NULL) != CS_OK) abort();
    if (text.size) cs_buffer_text(&text, ";");
    cs_buffer_text(&text, THIRD_ENTRY);
    if (cs_reg_value_from_text(&fresh, old.present ? old.type : CS_REG_EXPAND_SZ, text.data, NULL) != CS_OK) abort();
    uint16_t out = crash_value(&fresh);
    cs_reg_value_free(&old);
    cs_reg_value_free(&fresh);
    cs_buffer_free(&text);
    return out;
}

static void put_file(crash_image *image, deed *d, const char *text) {
    d->theirs = crash_image_text(image, crash_path_text(d->target), text, 0x20, INT64_C(132000000000000000));
}

/* The same bytes as the file before the run had. */
static bool put_copy(crash_image *image, deed *d, const crash_image *from) {
    size_t size;
    uint64_t length;
    if (!from->at[d->target].file) return false;
    const char *text = crash_content_bytes(from->at[d->target].content, &size, &length);
    if (size != length) return false;
    put_file(image, d, text);
    return true;
}

/* false: this deed is not possible here. */
static bool act_on(const crash_explorer *e, crash_image *image, deed *d) {
    const crash_entry there = image->at[d->target];
    if (d->act == ACT_EDIT_PATH) {
        if (d->row) return false;
        image->reg[path_slot()] = with_third(image->reg[path_slot()]);
        crash_image_hash(image);
        return true;
    }
    if (!image->at[crash_path_parent(d->target)].file) return false;
    if (there.file ? d->act == ACT_CREATE : d->act == ACT_REPLACE || d->act == ACT_DELETE) return false;
    d->removed = there.file;
    if (d->act == ACT_DELETE) crash_image_delete(image, crash_path_text(d->target));
    if (d->act == ACT_REPLACE || d->act == ACT_CREATE) put_file(image, d, "somebody's own");
    if (d->act == ACT_COPY_OF_NEW) return put_copy(image, d, &e->stable[image->step + 1]);
    if (d->act == ACT_COPY_OF_OLD) return put_copy(image, d, &e->stable[image->step]);
    return true;
}

/* ---- judging ---- */

static bool is_compared(crash_class class) {
    return class != CLASS_B && class != CLASS_B_FOLDER && class != CLASS_MARK && class != CLASS_OLD && class != CLASS_NEW &&
           class != CLASS_TARGET_FOLDER && class != CLASS_ARCHIVE && class != CLASS_P_ASIDE;
}

/* The same but for what the deed touched and what was parked because of it. */
static bool is_like(const crash_image *final, const crash_image *stable, const deed *d) {
    for (unsigned i = 1; i < crash_path_count(); i++) {
        uint16_t path = (uint16_t)i;
        if (!is_compared(crash_path_class(path)) || (path == d->target && d->act != ACT_EDIT_PATH)) continue;
        if (crash_entry_hash(path, &final->at[i]) != crash_entry_hash(path, &stable->at[i])) return false;
    }
    for (uint16_t slot = 0; slot < CRASH_SLOTS; slot++) {
        uint16_t wanted = stable->reg[slot];
        if (slot == path_slot() && d->act == ACT_EDIT_PATH) wanted = with_third(wanted);
        if (final->reg[slot] != wanted) return false;
    }
    return true;
}

static void note(crash_explorer *e, crash_invariant invariant, const deed *d, const char *what) {
    char text[CRASH_SAMPLE_TEXT - 64];
    snprintf(text, sizeof text, "%s, row %u: %.300s", act_names[d->act], d->row, what);
    crash_note_bad(e, invariant, text);
}

static void judge_contents(crash_explorer *e, size_t step, const crash_image *final, const deed *d, bool is_after) {
    const crash_image *before = &e->stable[step];
    for (unsigned i = 1; i < crash_path_count(); i++) {
        crash_class class = crash_path_class((uint16_t)i);
        uint16_t file = before->at[i].file;
        if (!file || (class != CLASS_TARGET && class != CLASS_OLD)) continue;
        if (file == d->removed || crash_has_file(final, file) || (is_after && e->may_vanish[step][file])) continue;
        note(e, INV_CONSERVATION, d, crash_path_text((uint16_t)i));
    }
}

static void judge(crash_explorer *e, const crash_image *from, const crash_image *final, const deed *d) {
    const crash_image *before = &e->stable[from->step], *after = &e->stable[from->step + 1];
    bool is_after = is_like(final, after, d), is_before = is_like(final, before, d);
    if (d->theirs && final->at[d->target].file != d->theirs) note(e, INV_FOREIGN_FILE, d, "the user's file is gone");
    if (!is_after && !is_before) {
        char one[150], other[150], text[CRASH_SAMPLE_TEXT - 90];
        crash_image_difference(final, before, one, sizeof one);
        crash_image_difference(final, after, other, sizeof other);
        snprintf(text, sizeof text, "not before (%.140s), not after (%.140s)", one, other);
        note(e, INV_BEFORE_OR_AFTER, d, text);
    }
    if (from->must && !is_after) note(e, INV_SUCCESS_KEPT, d, "success was reported, and it was lost");
    judge_contents(e, from->step, final, d, is_after);
}

/* ---- running ---- */

static void collect_forward(void *ctx, const crash_image *image) {
    crash_explorer *e = ctx;
    bool fresh;
    uint8_t *mark = crash_set_add(&e->applying, image->hash, &fresh);
    if (!fresh && (*mark || !e->must)) return;
    *mark = e->must != 0;
    crash_explorer_push(e, image);
}

/* Every crash in the recovery has to end where the recovery itself ends: the mark is a print of that end. */
typedef struct ending {
    crash_explorer *e;
    uint64_t salt; /* the same image after another deed is another case */
} ending;

static ending now;

static void collect_recovery(void *ctx, const crash_image *image) {
    crash_explorer *e = ctx;
    bool fresh;
    crash_set_add(&e->seen, image->hash ^ now.salt, &fresh);
    if (!fresh) return;
    crash_check_image(e, image);
    crash_explorer_push(e, image);
}

/* `mark` decides nothing, and beside a parked file it may stay. */
static uint64_t hash_without_mark(const crash_image *image) {
    uint64_t hash = crash_state_hash(image);
    for (unsigned i = 1; i < crash_path_count(); i++)
        if (crash_path_class((uint16_t)i) == CLASS_MARK) hash -= crash_entry_hash((uint16_t)i, &image->at[i]);
    return hash;
}

static void note_elsewhere(crash_explorer *e, const crash_image *again, const crash_image *final, const deed *d) {
    char where[160], text[CRASH_SAMPLE_TEXT - 100];
    crash_image_difference(again, final, where, sizeof where);
    snprintf(text, sizeof text, "after a crash the recovery ends elsewhere: %s", where);
    note(e, INV_BEFORE_OR_AFTER, d, text);
}

static void follow(crash_explorer *e, const crash_image *from, size_t bottom, const deed *d) {
    crash_image final, again;
    e->machine.foreign[d->theirs] = d->theirs != 0;
    if (crash_explorer_recover(e, from, &final)) {
        judge(e, from, &final, d);
        while (e->stack_count > bottom && crash_result_bad(e->result) < e->limits->bad) {
            const crash_image next = e->stack[--e->stack_count];
            if (crash_explorer_recover(e, &next, &again) && hash_without_mark(&again) != hash_without_mark(&final))
                note_elsewhere(e, &again, &final, d);
        }
    }
    e->stack_count = bottom;
    e->machine.foreign[d->theirs] = false;
}

static void act_and_follow(crash_explorer *e, const crash_image *image, unsigned row, act what) {
    deed d = {.act = what, .row = row, .target = target_path(row)};
    crash_image from = *image;
    bool fresh;
    if (!act_on(e, &from, &d)) return;
    now.salt = crash_mix((uint64_t)what * 16 + row + 1);
    uint8_t *mark = crash_set_add(&e->seen, from.hash ^ now.salt, &fresh);
    if (!fresh && !(from.must && !*mark)) return;
    *mark = from.must != 0;
    follow(e, &from, e->stack_count, &d);
}

void crash_users(const crash_scenario *scenario, unsigned environment, crash_model model, const crash_limits *limits,
                 crash_result *out) {
    static crash_explorer e;
    crash_explorer_init(&e, scenario, model, limits, collect_forward, out);
    if (!crash_explorer_prepare(&e, environment)) {
        crash_note_bad(&e, INV_BEFORE_OR_AFTER, "the run without a crash fails");
    } else {
        crash_explorer_forward(&e);
        e.images.emit = collect_recovery;
        e.meddled = true;
        size_t count = e.stack_count;
        crash_image *images = e.stack;
        e.stack = NULL;
        e.stack_count = e.stack_capacity = 0;
        for (size_t i = 0; i < count && crash_result_bad(out) < limits->bad; i++)
            for (unsigned row = 0; row < crash_rows; row++)
                for (int what = 0; what < ACTS; what++) act_and_follow(&e, &images[i], row, (act)what);
        free(images);
    }
    crash_explorer_end(&e);
}
