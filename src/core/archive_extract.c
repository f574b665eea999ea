/* Several workers unpack at once, each with a reader and a hash of its own, all from the one open file. Whatever their number,
 * the outcome is the same: the same files, and of several faults in the archive the one that stands first in it.
 *
 * There is one worker more than processors, but no more seats than processors: who waits for a flush leaves its seat to another.
 * Without that the one too many would push the others' blocks out of the cache. */
#include "archive_internal.h"

#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/workers.h"

enum {
    BLOCK = 256 * 1024,          /* libarchive's, of inflated data */
    LEND_FROM = 8 * 1024 * 1024, /* bytes: files that are worth a second thread */
    WAIT_MS = 1                  /* for a seat, or for a file to join */
};

typedef struct worker worker;

/* One unpacking: what the workers share. */
typedef struct unpack {
    const cs_archive *archive;
    const cs_manifest *manifest;
    const cs_zip_directory *directory;
    const cs_sink *sink;
    cs_staged *staged;
    cs_zip_work work;
    worker *workers;
    unsigned count;
    bool alone;                 /* one worker, in the caller's thread: it tells the progress itself */
    cs_meter meter;             /* for the caller's thread */
    bool cancelled;             /* the same */
    _Atomic(const char *) file; /* at work */
    atomic_size_t next;         /* batch */
    atomic_size_t faulty;       /* the first item that is known to be damaged: what lies behind it is not wanted any more */
    atomic_bool stop;           /* cancelled, or something failed that is no fault of the archive's */
    atomic_bool wrong;          /* a row's hash is not the sealed one: from now on nothing more is written */
    atomic_uint_least64_t done; /* bytes */
    atomic_uint busy;           /* workers that may still lend their file */
    atomic_uint seats;          /* free ones */
    bool is_wrong[CS_MANIFEST_MAX_FILES];
} unpack;

enum { SLOTS = 2 };

/* The data of one file on its way. A worker without work of its own may join the worker that has it: then one inflates, and the
 * other hashes and writes the blocks that it is handed, in their order. */
typedef struct passage {
    size_t item;
    uint64_t promised, read;      /* bytes */
    size_t sizes[SLOTS];          /* of the blocks in the slots; block n is in slot n % SLOTS */
    atomic_uint_least64_t handed; /* blocks put into a slot */
    atomic_uint_least64_t taken;  /* blocks taken out again */
    atomic_bool over;             /* no more is handed */
    atomic_bool failed;           /* nor taken: error says why */
    cs_status status;             /* of whoever takes them */
    cs_error error;
} passage;

typedef enum loan { LOAN_NONE, LOAN_OPEN, LOAN_TAKEN, LOAN_RETURNED } loan;

struct worker {
    unpack *u;
    cs_zip_reader *reader;
    cs_sha256 *hash;
    void *slots[SLOTS]; /* one NULL: lends nothing */
    passage way;
    bool seated;
    atomic_int lent;  /* loan */
    cs_status status; /* of the first item that failed here */
    size_t item;
    cs_error error;  /* of that item */
    cs_error fresh;  /* of the one at work */
    cs_error unread; /* the reader's own */
};

static cs_status refuse_row(const worker *w, cs_error *error, const char *item, const char *reason) {
    return cs_fail(error, CS_E_ARCHIVE_BAD, "unpack", w->u->archive->path, "%s: %s", item, reason);
}

static bool writes(unpack *u) { return !atomic_load(&u->wrong); }

/* Told by the caller's thread only. */
static void watch(void *arg) {
    unpack *u = arg;
    u->meter.file = atomic_load(&u->file);
    if (cs_meter_step(&u->meter, atomic_load(&u->done)) != CS_E_CANCELLED) return;
    u->cancelled = true;
    atomic_store(&u->stop, true);
}

/* CS_E_CANCELLED, without an error text, where going on is of no use. */
static cs_status may_go_on(worker *w, size_t item) {
    if (w->u->alone) watch(w->u);
    return atomic_load(&w->u->stop) || item > atomic_load(&w->u->faulty) ? CS_E_CANCELLED : CS_OK;
}

static cs_status take_block(worker *w, const void *bytes, size_t size, cs_error *error) {
    unpack *u = w->u;
    size_t item = w->way.item, row = u->work.rows[item];
    cs_staged *staged = &u->staged[row];
    staged->crc32 = (uint32_t)crc32(staged->crc32, bytes, (uInt)size);
    staged->size += size;
    atomic_fetch_add(&u->done, size);
    cs_status status = cs_sha256_update(w->hash, bytes, size, error);
    if (status == CS_OK && writes(u)) status = u->sink->write(u->sink->ctx, row, bytes, size, error);
    return status == CS_OK ? may_go_on(w, item) : status;
}

/* ---- seats ---- */

static bool try_seat(worker *w) {
    unsigned free_seats = atomic_load(&w->u->seats);
    while (free_seats && !w->seated) w->seated = atomic_compare_exchange_weak(&w->u->seats, &free_seats, free_seats - 1);
    return w->seated;
}

/* Without one only where all is over: whoever has one leaves it after a file, whatever became of that. */
static void take_seat(worker *w) {
    const cs_system *system = w->u->archive->host->system;
    while (!w->u->alone && !atomic_load(&w->u->stop) && !try_seat(w)) system->sleep(system->ctx, WAIT_MS);
}

static void leave_seat(worker *w) {
    if (w->seated) atomic_fetch_add(&w->u->seats, 1);
    w->seated = false;
}

/* ---- the data of one file, by one worker or two ---- */

static void pause_a_little(const worker *w) {
    const cs_system *system = w->u->archive->host->system;
    system->sleep(system->ctx, 0); /* there is one: only threads wait for each other */
}

/* The next block; *size 0: the end. Refused at the first byte beyond the size that was promised. */
static cs_status read_block(worker *w, const void **bytes, size_t *size, cs_error *error) {
    passage *way = &w->way;
    const char *name = w->u->manifest->files[w->u->work.rows[way->item]].source;
    uint64_t offset = 0;
    cs_status status = cs_zip_reader_block(w->reader, name, bytes, size, &offset);
    if (status != CS_OK) *error = w->unread;
    if (status != CS_OK || *size == 0) return status;
    if (offset != way->read) return refuse_row(w, error, name, "its data has holes");
    if (*size > way->promised - way->read)
        return refuse_row(w, error, name, "it unpacks to more bytes than the archive says: stopped there");
    way->read += *size;
    return CS_OK;
}

/* Puts a block where whoever has joined takes it, a large one in pieces. False: nothing is taken any more. */
static bool hand_block(worker *w, const unsigned char *bytes, size_t size) {
    passage *way = &w->way;
    for (size_t done = 0; done < size;) {
        uint64_t number = atomic_load(&way->handed);
        size_t slot = number % SLOTS, piece = size - done < BLOCK ? size - done : BLOCK;
        while (number - atomic_load(&way->taken) == SLOTS && !atomic_load(&way->failed)) pause_a_little(w);
        if (atomic_load(&way->failed)) return false;
        memcpy(w->slots[slot], bytes + done, piece);
        way->sizes[slot] = piece;
        atomic_store(&way->handed, number + 1);
        done += piece;
    }
    return true;
}

/* For whoever has joined: all blocks, until no more are handed. */
static void take_blocks(worker *owner) {
    passage *way = &owner->way;
    for (uint64_t number = 0; way->status == CS_OK; number++) {
        while (atomic_load(&way->handed) == number) {
            if (atomic_load(&way->over) && atomic_load(&way->handed) == number) return;
            pause_a_little(owner);
        }
        way->status = take_block(owner, owner->slots[number % SLOTS], way->sizes[number % SLOTS], &way->error);
        atomic_store(&way->taken, number + 1);
    }
    atomic_store(&way->failed, true);
}

/* Ends the loan and waits for whoever has taken it. */
static void call_back(worker *w) {
    int open = LOAN_OPEN;
    atomic_store(&w->way.over, true);
    if (!atomic_compare_exchange_strong(&w->lent, &open, LOAN_NONE))
        while (open != LOAN_NONE && atomic_load(&w->lent) != LOAN_RETURNED) pause_a_little(w);
    atomic_store(&w->lent, LOAN_NONE);
}

/* Every block of one entry. What fails where they are taken comes before what fails where they are read: that is further on. */
static cs_status copy_data(worker *w, size_t item, uint64_t promised) {
    passage *way = &w->way;
    const void *bytes = NULL;
    size_t size = 1;
    cs_status status = CS_OK;
    *way = (passage){.item = item, .promised = promised};
    if (w->slots[0] && w->slots[1] && promised >= LEND_FROM) atomic_store(&w->lent, LOAN_OPEN);
    while (status == CS_OK && size) {
        status = read_block(w, &bytes, &size, &w->fresh);
        if (status != CS_OK || !size) break;
        if (atomic_load(&w->lent) < LOAN_TAKEN)
            status = take_block(w, bytes, size, &w->fresh);
        else if (!hand_block(w, bytes, size))
            break;
    }
    call_back(w);
    if (way->status != CS_OK) w->fresh = way->error;
    return way->status != CS_OK ? way->status : status;
}

/* A worker without work of its own joins those that still have a large file, as long as there may be any. The seat comes first:
 * who has lent a file waits in its own for whoever took it. */
static void join_others(worker *w) {
    unpack *u = w->u;
    const cs_system *system = u->archive->host->system;
    while (atomic_load(&u->busy) && !atomic_load(&u->stop)) {
        for (unsigned i = 0; i < u->count && try_seat(w); i++) {
            worker *owner = &u->workers[i];
            int open = LOAN_OPEN;
            if (!atomic_compare_exchange_strong(&owner->lent, &open, LOAN_TAKEN)) continue;
            take_blocks(owner);
            atomic_store(&owner->lent, LOAN_RETURNED);
        }
        leave_seat(w);
        system->sleep(system->ctx, WAIT_MS);
    }
}

static cs_status end_file(worker *w, size_t row) {
    unpack *u = w->u;
    leave_seat(w);
    cs_status status = u->sink->end(u->sink->ctx, row, &u->staged[row], &w->fresh);
    take_seat(w);
    return status;
}

static cs_status copy_item(worker *w, size_t item) {
    unpack *u = w->u;
    size_t row = u->work.rows[item];
    const cs_zip_entry *entry = &u->directory->entries[u->work.entries[item]];
    const cs_manifest_file *file = &u->manifest->files[row];
    cs_staged *staged = &u->staged[row];
    *staged = (cs_staged){.crc32 = (uint32_t)crc32(0, NULL, 0)};
    atomic_store(&u->file, file->target);
    cs_status status = writes(u) ? u->sink->begin(u->sink->ctx, row, entry->size, &w->fresh) : CS_OK;
    if (status == CS_OK) status = copy_data(w, item, entry->size);
    if (status == CS_OK) status = cs_sha256_finish(w->hash, staged->sha256, &w->fresh);
    if (status != CS_OK) return status;
    if (staged->size != entry->size)
        return refuse_row(w, &w->fresh, file->source, "it unpacks to fewer bytes than the archive says");
    if (staged->crc32 != entry->crc32)
        return refuse_row(w, &w->fresh, file->source, "its CRC is wrong. The archive is damaged: download it again");
    if (u->manifest->sealed && memcmp(staged->sha256, file->sha256, CS_SHA256_SIZE) != 0) {
        u->is_wrong[row] = true;
        atomic_store(&u->wrong, true);
    }
    return writes(u) ? end_file(w, row) : CS_OK;
}

/* ---- dealing out, and what failed ---- */

static void lower(atomic_size_t *value, size_t to) {
    size_t now = atomic_load(value);
    while (to < now && !atomic_compare_exchange_weak(value, &now, to)) continue;
}

/* Of several faults the first in the archive counts, so the workers before it go on. Anything else (the disk, the memory) ends
 * all at once. */
static void note_failure(worker *w, size_t item, cs_status status) {
    if (status == CS_E_CANCELLED) return; /* no fault of this item's */
    if (w->status == CS_OK || item < w->item) {
        w->status = status;
        w->item = item;
        w->error = w->fresh;
    }
    if (status == CS_E_ARCHIVE_BAD)
        lower(&w->u->faulty, item);
    else
        atomic_store(&w->u->stop, true);
}

/* The reader and the running hash are in an unknown state after a failure. */
static cs_status renew(worker *w) {
    if (!w->hash) {
        cs_status status = cs_sha256_new(&w->hash, &w->fresh);
        if (status != CS_OK) return status;
    }
    if (!w->reader) w->reader = cs_zip_reader_new(w->u->archive, w->u->directory, &w->unread);
    return w->reader ? CS_OK : cs_fail(&w->fresh, CS_E_NO_MEMORY, "unpack", w->u->archive->path, NULL);
}

static void drop(worker *w) {
    cs_zip_reader_free(w->reader);
    cs_sha256_free(w->hash);
    w->reader = NULL;
    w->hash = NULL;
}

static void copy_batch(worker *w, const cs_zip_batch *batch) {
    size_t item = batch->first;
    if (atomic_load(&w->u->stop) || item > atomic_load(&w->u->faulty)) return;
    cs_status status = renew(w);
    if (status == CS_OK) {
        status = cs_zip_reader_start(w->reader, w->u->work.entries + item, batch->count);
        if (status != CS_OK) w->fresh = w->unread;
    }
    for (; status == CS_OK && item < batch->first + batch->count; item++) {
        status = cs_zip_reader_next(w->reader);
        if (status != CS_OK) w->fresh = w->unread;
        if (status == CS_OK) status = copy_item(w, item);
        if (status != CS_OK) break;
    }
    if (status == CS_OK) return;
    note_failure(w, item, status);
    drop(w);
}

static void run_worker(void *arg, unsigned index) {
    unpack *u = arg;
    worker *w = &u->workers[index];
    atomic_fetch_add(&u->busy, 1); /* here and not for all at once: a thread may be missing */
    for (size_t i = 0; i < SLOTS && !u->alone; i++) w->slots[i] = cs_alloc(BLOCK, 1);
    take_seat(w);
    for (size_t next; (next = atomic_fetch_add(&u->next, 1)) < u->work.batch_count;) copy_batch(w, &u->work.batches[next]);
    leave_seat(w);
    drop(w);
    atomic_fetch_sub(&u->busy, 1);
    if (!u->alone) join_others(w);
    for (size_t i = 0; i < SLOTS; i++) cs_free(w->slots[i]);
}

static void run_alone(void *arg) {
    unpack *u = arg;
    u->alone = true;
}

static cs_status first_failure(const unpack *u, cs_error *error) {
    if (u->cancelled) return cs_fail(error, CS_E_CANCELLED, "unpack", u->archive->path, NULL);
    const worker *first = NULL;
    for (unsigned i = 0; i < u->count; i++) {
        const worker *w = &u->workers[i];
        if (w->status != CS_OK && (!first || w->item < first->item)) first = w;
    }
    if (!first) return CS_OK;
    if (error) *error = first->error;
    return first->status;
}

static cs_status refuse_wrong(const unpack *u, cs_error *error) {
    cs_name_list names = {0};
    for (size_t i = 0; i < u->work.count; i++) {
        if (!u->is_wrong[u->work.rows[i]]) continue;
        const char *source = u->manifest->files[u->work.rows[i]].source;
        cs_name_list_add(&names, source);
        cs_emit(u->archive->host->events, CS_EVENT_DETAIL, "archive.hash", "other content than the manifest's: %s", source);
    }
    cs_status status = CS_OK;
    if (names.count) {
        const char *text = cs_name_list_text(&names);
        status = names.text.failed ? cs_fail(error, CS_E_NO_MEMORY, "unpack", u->archive->path, NULL)
                                   : cs_fail(error, CS_E_ARCHIVE_BAD, "unpack", u->archive->path,
                                             "%zu of %zu files have another SHA-256 than the manifest says: %s", names.count,
                                             u->manifest->file_count, text);
    }
    cs_buffer_free(&names.text);
    return status;
}

static cs_status run(unpack *u, cs_error *error) {
    const cs_system *system = u->archive->host->system;
    u->count = cs_workers_for(system, u->work.batch_count);
    u->workers = cs_alloc(u->count, sizeof *u->workers);
    if (!u->workers) return cs_fail(error, CS_E_NO_MEMORY, "unpack", u->archive->path, NULL);
    for (unsigned i = 0; i < u->count; i++) u->workers[i].u = u;
    if (u->count > 1) {
        cs_zip_work_by_size(&u->work);
        atomic_init(&u->seats, system->processors(system->ctx));
    }
    const cs_team team = {.arg = u, .work = run_worker, .wait = watch, .count = u->count};
    cs_workers_run(system, &team, run_alone);
    cs_status wrong = refuse_wrong(u, error), status = first_failure(u, error);
    if (status == CS_OK && !u->alone) cs_meter_tell(&u->meter, atomic_load(&u->done)); /* the last one */
    return status == CS_OK ? wrong : status;
}

static cs_status extract(cs_archive *archive, const cs_manifest *manifest, bool strict, const cs_sink *sink, cs_staged *staged,
                         cs_strings *extras, cs_error *error) {
    cs_zip_directory directory = {0};
    cs_zip_selection selection;
    cs_status status = strict ? cs_archive_check_content(archive, manifest, error) : CS_OK;
    if (status == CS_OK) status = cs_zip_directory_read(archive, strict, &directory, error);
    if (status == CS_OK) status = cs_zip_select(archive, &directory, manifest, &selection, extras, error);
    if (status == CS_OK) {
        unpack u = {.archive = archive,
                    .manifest = manifest,
                    .directory = &directory,
                    .sink = sink,
                    .staged = staged,
                    .meter = {.host = archive->host, .step = "unpack", .total = selection.total}};
        atomic_init(&u.faulty, SIZE_MAX);
        status = cs_zip_work_plan(&directory, &selection, manifest->file_count, &u.work, error);
        if (status == CS_OK) status = run(&u, error);
        cs_zip_work_free(&u.work);
        cs_free(u.workers);
    }
    cs_zip_directory_free(&directory);
    return status;
}

/* A sealed manifest refused it: now the archive's hash is worth its time, to name a known wrong one. */
static cs_status name_refused(const cs_archive *archive, const cs_manifest *manifest, cs_error *error) {
    uint8_t digest[CS_SHA256_SIZE];
    cs_error other = {0};
    cs_status status = cs_archive_hash(archive, digest, &other);
    if (status == CS_OK) status = cs_archive_check_known_wrong(archive, manifest, digest, &other);
    if (status != CS_E_ARCHIVE_BAD && status != CS_E_CANCELLED) return CS_E_ARCHIVE_BAD; /* the first reason stands */
    if (error) *error = other;
    return status;
}

cs_status cs_archive_measure(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, uint64_t *total,
                             cs_error *error) {
    bool strict = trust->kind != CS_TRUST_PINNED;
    cs_zip_directory directory = {0};
    cs_zip_selection selection = {0};
    cs_status status = strict ? cs_archive_check_content(archive, manifest, error) : CS_OK;
    if (status == CS_OK) status = cs_zip_directory_read(archive, strict, &directory, error);
    if (status == CS_OK) status = cs_zip_select(archive, &directory, manifest, &selection, NULL, error);
    *total = selection.total;
    cs_zip_directory_free(&directory);
    if (status == CS_E_ARCHIVE_BAD && trust->kind == CS_TRUST_SEALED) status = name_refused(archive, manifest, error);
    return status;
}

cs_status cs_archive_extract(cs_archive *archive, const cs_manifest *manifest, const cs_trust *trust, const cs_sink *sink,
                             cs_staged *staged, cs_strings *extras, cs_error *error) {
    if (trust->kind == CS_TRUST_NONE) return cs_fail(error, CS_E_ARCHIVE_BAD, "unpack", archive->path, "nothing vouches for it");
    cs_status status = extract(archive, manifest, trust->kind != CS_TRUST_PINNED, sink, staged, extras, error);
    if (status == CS_E_ARCHIVE_BAD && trust->kind == CS_TRUST_SEALED) status = name_refused(archive, manifest, error);
    return status;
}
