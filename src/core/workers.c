#include "cudnn_setup/workers.h"

#include <stdatomic.h>
#include <stdlib.h>

unsigned cs_workers_for(const cs_system *system, size_t jobs) {
    if (!system || !system->together || jobs < 2) return 1;
    unsigned count = system->processors(system->ctx) + 1;
    if (count > CS_TEAM_MAX) count = CS_TEAM_MAX;
    return count < jobs ? count : (unsigned)jobs;
}

void cs_workers_run(const cs_system *system, const cs_team *team, void (*alone)(void *arg)) {
    if (team->count > 1 && system->together(system->ctx, team) > 0) return;
    alone(team->arg);
    team->work(team->arg, 0);
}

/* ---- the same job for many things ---- */

typedef struct thing {
    size_t index;
    uint64_t size;
    cs_status status;
    cs_error error;
} thing;

struct cs_each {
    cs_meter *meter; /* for the caller's thread */
    cs_each_job job;
    void *ctx;
    thing *things; /* in the order of the work */
    size_t count;
    bool alone, cancelled;
    _Atomic(const char *) file;
    atomic_size_t next;
    atomic_size_t failed; /* the first index that failed; count: none */
    atomic_bool stop;
    atomic_uint_least64_t done;
};

static void watch(void *arg) {
    cs_each *each = arg;
    each->meter->file = atomic_load(&each->file);
    if (cs_meter_step(each->meter, atomic_load(&each->done)) != CS_E_CANCELLED) return;
    each->cancelled = true;
    atomic_store(&each->stop, true);
}

cs_status cs_each_done(cs_each *each, uint64_t bytes, const char *file) {
    if (file) atomic_store(&each->file, file);
    atomic_fetch_add(&each->done, bytes);
    if (each->alone) watch(each);
    return atomic_load(&each->stop) ? CS_E_CANCELLED : CS_OK;
}

typedef struct hashing {
    cs_each *each;
    const char *name;
    uint64_t told;
} hashing;

static cs_status tell(void *ctx, uint64_t done) {
    hashing *h = ctx;
    uint64_t more = done - h->told;
    h->told = done;
    return cs_each_done(h->each, more, h->name);
}

cs_status cs_each_sha256(cs_each *each, const char *name, const cs_fs *fs, cs_file *file, uint8_t digest[CS_SHA256_SIZE],
                         cs_error *error) {
    hashing h = {.each = each, .name = name};
    return cs_sha256_file(fs, file, digest, NULL, each ? tell : NULL, &h, error);
}

static void run_each(void *arg, unsigned index) {
    cs_each *each = arg;
    (void)index;
    for (size_t next; (next = atomic_fetch_add(&each->next, 1)) < each->count && !atomic_load(&each->stop);) {
        thing *t = &each->things[next];
        size_t first = atomic_load(&each->failed);
        if (t->index > first) continue;
        t->status = each->job(each->ctx, t->index, each, &t->error);
        if (t->status == CS_OK || t->status == CS_E_CANCELLED) continue;
        while (t->index < first && !atomic_compare_exchange_weak(&each->failed, &first, t->index)) continue;
    }
}

static void run_alone(void *arg) { ((cs_each *)arg)->alone = true; }

static int by_size(const void *a, const void *b) {
    const thing *left = a, *right = b;
    if (left->size != right->size) return left->size > right->size ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static cs_status outcome_of(const cs_each *each, cs_error *error) {
    size_t failed = atomic_load(&each->failed);
    for (size_t i = 0; i < each->count; i++) {
        if (each->things[i].index != failed) continue;
        if (error) *error = each->things[i].error;
        return each->things[i].status;
    }
    return CS_OK;
}

cs_status cs_workers_each(cs_meter *meter, size_t count, const uint64_t *sizes, cs_each_job job, void *ctx, cs_error *error) {
    const cs_system *system = meter->host->system;
    cs_each each = {.meter = meter, .job = job, .ctx = ctx, .count = count};
    if (!count) return CS_OK;
    each.things = cs_alloc(count, sizeof *each.things);
    if (!each.things) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++) each.things[i] = (thing){.index = i, .size = sizes ? sizes[i] : 0};
    atomic_init(&each.failed, count);
    unsigned workers = cs_workers_for(system, count);
    if (workers > 1 && sizes) qsort(each.things, count, sizeof *each.things, by_size);
    const cs_team team = {.arg = &each, .work = run_each, .wait = watch, .count = workers};
    cs_workers_run(system, &team, run_alone);
    cs_status status = each.cancelled ? cs_fail(error, CS_E_CANCELLED, NULL, NULL, NULL) : outcome_of(&each, error);
    cs_free(each.things);
    return status;
}
