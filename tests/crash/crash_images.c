#include "crash_images.h"

#include <stdlib.h>
#include <string.h>

enum { DIRTY_MAX = 3, SAMPLES = 160 };

/* One enumeration: ops are applied to `image` and taken back again, the hash follows. */
typedef struct walk {
    crash_images *owner;
    crash_machine *machine;
    crash_image image;
    const crash_op *ops[CRASH_PENDING];
    size_t count;
    size_t forced; /* this one is in every image; count: none is */
    uint16_t dirty[CRASH_PENDING];
    size_t dirty_count;
} walk;

static void tell(walk *w) {
    w->owner->raw++;
    w->owner->emit(w->owner->ctx, &w->image);
}

/* ---- data ---- */

static void set_content(walk *w, uint16_t path, uint16_t content) {
    crash_entry *entry = &w->image.at[path];
    w->image.hash -= crash_entry_hash(path, entry);
    entry->content = content;
    w->image.hash += crash_entry_hash(path, entry);
}

static void choose_data(walk *w, const uint16_t *paths, size_t count) {
    if (!count) {
        tell(w);
        return;
    }
    uint16_t path = paths[0], old = w->image.at[path].content, file = w->image.at[path].file;
    uint16_t fresh = w->machine->now.at[w->machine->where[file]].content;
    uint16_t choices[4] = {old, fresh, crash_content_torn(fresh), crash_content_zero(fresh)};
    /* A third and fourth dirty file are only torn: their combinations say nothing new. */
    size_t options = count > DIRTY_MAX ? 1 : 4;
    if (options == 1) choices[0] = crash_content_torn(fresh);
    for (size_t i = 0; i < options; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++) known = known || choices[k] == choices[i];
        if (known) continue;
        set_content(w, path, choices[i]);
        choose_data(w, paths + 1, count - 1);
    }
    set_content(w, path, old);
}

static void leaf(walk *w) {
    uint16_t paths[CRASH_PENDING];
    size_t count = 0;
    if (!w->dirty_count) {
        tell(w);
        return;
    }
    for (unsigned i = 1; i < crash_path_count(); i++)
        for (size_t k = 0; w->image.at[i].file && k < w->dirty_count; k++)
            if (w->image.at[i].file == w->dirty[k]) paths[count++] = (uint16_t)i;
    choose_data(w, paths, count);
}

static bool nobody_reads(uint16_t path) {
    crash_class class = crash_path_class(path);
    return class == CLASS_MARK || class == CLASS_LOCK || class == CLASS_RESERVE;
}

static void find_dirty(walk *w) {
    for (unsigned i = 1; i < crash_path_count(); i++) {
        const crash_entry *entry = &w->machine->now.at[i];
        if (!entry->file || crash_is_folder(entry) || nobody_reads((uint16_t)i)) continue;
        if (w->machine->dur_content[entry->file] != entry->content && w->dirty_count < CRASH_PENDING)
            w->dirty[w->dirty_count++] = entry->file;
    }
}

/* ---- names and values ---- */

typedef struct saved {
    crash_entry a, b;
    uint64_t hash;
    uint16_t reg;
} saved;

static saved apply(walk *w, const crash_op *op) {
    crash_image *image = &w->image;
    saved before = {.hash = image->hash};
    if (op->kind == OP_REG) {
        before.reg = image->reg[op->a];
        image->hash -= crash_reg_hash(op->a, image->reg[op->a]);
        image->reg[op->a] = op->meta;
        image->hash += crash_reg_hash(op->a, op->meta);
        return before;
    }
    before.a = image->at[op->a];
    before.b = image->at[op->b];
    image->hash -= crash_entry_hash(op->a, &before.a);
    if (op->b != op->a) image->hash -= crash_entry_hash(op->b, &before.b);
    crash_change(image, op);
    if (op->kind == OP_MAKE && op->meta != CRASH_META_FOLDER) image->at[op->a].content = w->machine->dur_content[op->file];
    image->hash += crash_entry_hash(op->a, &image->at[op->a]);
    if (op->b != op->a) image->hash += crash_entry_hash(op->b, &image->at[op->b]);
    return before;
}

static void take_back(walk *w, const crash_op *op, const saved *before) {
    if (op->kind == OP_REG) {
        w->image.reg[op->a] = before->reg;
    } else {
        w->image.at[op->a] = before->a;
        w->image.at[op->b] = before->b;
    }
    w->image.hash = before->hash;
}

/* Every subset that keeps what it needs. derived_open: no write to SOFTWARE was left out yet. */
static void subsets(walk *w, size_t index, bool derived_open) {
    if (index == w->count) {
        leaf(w);
        return;
    }
    const crash_op *op = w->ops[index];
    bool derived = op->log == LOG_SOFTWARE;
    if (index != w->forced) subsets(w, index + 1, derived_open && !derived);
    if ((derived && !derived_open) || !crash_may_apply(&w->image, op)) return;
    saved before = apply(w, op);
    subsets(w, index + 1, derived_open);
    take_back(w, op, &before);
}

static void one_subset(walk *w, const bool *in) {
    const crash_image base = w->image;
    bool derived_open = true, possible = true;
    for (size_t i = 0; i < w->count && possible; i++) {
        bool derived = w->ops[i]->log == LOG_SOFTWARE, wanted = in[i] || i == w->forced;
        if (wanted && (!derived || derived_open) && crash_may_apply(&w->image, w->ops[i]))
            apply(w, w->ops[i]);
        else
            possible = i != w->forced, derived_open = derived_open && !derived;
    }
    if (possible) leaf(w);
    w->image = base;
}

/* Prefixes, all but one, one alone, and a fixed choice of others. */
static void sample(walk *w) {
    bool in[CRASH_PENDING];
    uint64_t random = w->count;
    w->owner->holes++;
    for (size_t k = 0; k <= w->count; k++) {
        for (size_t i = 0; i < w->count; i++) in[i] = i < k;
        one_subset(w, in);
    }
    for (size_t k = 0; k < w->count; k++) {
        for (size_t i = 0; i < w->count; i++) in[i] = i != k;
        one_subset(w, in);
        for (size_t i = 0; i < w->count; i++) in[i] = i == k;
        one_subset(w, in);
    }
    for (size_t k = 0; k < SAMPLES; k++) {
        for (size_t i = 0; i < w->count; i++) {
            random = crash_mix(random);
            in[i] = random & 1;
        }
        one_subset(w, in);
    }
}

/* A prefix of each log; the log of the forced change in full. */
static void prefixes(walk *w, crash_log log) {
    if (log == CRASH_LOGS) {
        leaf(w);
        return;
    }
    const crash_op *forced = w->forced < w->count ? w->ops[w->forced] : NULL;
    bool whole = forced && forced->log == log;
    const crash_op *done[CRASH_PENDING];
    saved before[CRASH_PENDING];
    size_t count = 0;
    if (!whole) prefixes(w, (crash_log)(log + 1));
    for (size_t i = 0; i < w->count; i++) {
        if (w->ops[i]->log != log || !crash_may_apply(&w->image, w->ops[i])) continue;
        done[count] = w->ops[i];
        before[count] = apply(w, w->ops[i]);
        count++;
        if (!whole || w->ops[i] == forced) prefixes(w, (crash_log)(log + 1));
    }
    while (count--) take_back(w, done[count], &before[count]);
}

void crash_images_after(crash_images *images, const crash_op *last) {
    static walk w; /* large, and there is one machine in a process */
    crash_machine *machine = images->machine;
    bool prefix = machine->model == CRASH_N || machine->model == CRASH_N1;
    bool flush = last && last->kind == OP_FLUSH;
    /* What a flush leaves possible was possible before it. */
    if (flush && (!images->sampled || machine->pending_count > images->limit)) return;
    if (last && last->kind == OP_DATA && nobody_reads(last->a)) return;
    w.owner = images;
    w.machine = machine;
    w.image = machine->durable;
    w.count = machine->pending_count;
    for (size_t i = 0; i < w.count; i++) w.ops[i] = &machine->pending[i];
    w.forced = last && !flush && last->kind != OP_DATA ? w.count - 1 : w.count;
    w.dirty_count = 0;
    find_dirty(&w);
    crash_image_hash(&w.image);
    if (prefix) {
        prefixes(&w, LOG_S);
    } else if (w.count <= images->limit) {
        subsets(&w, 0, true);
        if (flush) images->sampled = false;
    } else {
        images->sampled = true;
        sample(&w);
    }
}

/* ---- sets ---- */

static size_t slot_of(const crash_set *set, uint64_t key) {
    size_t at = (size_t)crash_mix(key) & (set->capacity - 1);
    while (set->keys[at] && set->keys[at] != key) at = (at + 1) & (set->capacity - 1);
    return at;
}

static void grow(crash_set *set) {
    crash_set larger = {.capacity = set->capacity ? 2 * set->capacity : 4096};
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    larger.marks = calloc(larger.capacity, 1);
    if (!larger.keys || !larger.marks) abort();
    for (size_t i = 0; i < set->capacity; i++) {
        if (!set->keys[i]) continue;
        size_t at = slot_of(&larger, set->keys[i]);
        larger.keys[at] = set->keys[i];
        larger.marks[at] = set->marks[i];
    }
    larger.count = set->count;
    crash_set_free(set);
    *set = larger;
}

uint8_t *crash_set_add(crash_set *set, uint64_t key, bool *fresh) {
    if (2 * set->count >= set->capacity) grow(set);
    if (!key) key = 1; /* 0 is an empty place */
    size_t at = slot_of(set, key);
    *fresh = !set->keys[at];
    if (*fresh) {
        set->keys[at] = key;
        set->count++;
    }
    return &set->marks[at];
}

bool crash_set_has(const crash_set *set, uint64_t key) { return set->capacity && set->keys[slot_of(set, key ? key : 1)] != 0; }

void crash_set_free(crash_set *set) {
    free(set->keys);
    free(set->marks);
    *set = (crash_set){0};
}
