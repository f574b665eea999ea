/* The hash of the whole archive comes before anything may be read of it, so nothing else can use the processors meanwhile: at
 * least one thread reads the next block while the other hashes this one. */
#include <stdatomic.h>
#include <string.h>

#include "archive_internal.h"
#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/workers.h"

enum { BLOCK = 256 * 1024, READERS = 2 };

typedef struct relay {
    const cs_archive *archive;
    cs_meter meter;             /* for the caller's thread */
    bool cancelled;             /* the same */
    cs_sha256 *hash;            /* of whose turn it is */
    atomic_uint_least64_t next; /* block to be read */
    atomic_uint_least64_t turn; /* block to be hashed */
    atomic_bool stop;
    cs_status status[READERS];
    cs_error error[READERS];
} relay;

static uint64_t bytes_before(const relay *r, uint64_t block) {
    return block < r->archive->size / BLOCK ? block * BLOCK : r->archive->size;
}

static void watch(void *arg) {
    relay *r = arg;
    if (cs_meter_step(&r->meter, bytes_before(r, atomic_load(&r->turn))) != CS_E_CANCELLED) return;
    r->cancelled = true;
    atomic_store(&r->stop, true);
}

/* Whoever has an earlier block is at work on it, so the turn comes. False: it is all over. */
static bool wait_for_turn(relay *r, uint64_t block) {
    const cs_system *system = r->archive->host->system;
    while (atomic_load(&r->turn) != block && !atomic_load(&r->stop)) system->sleep(system->ctx, 0);
    return !atomic_load(&r->stop);
}

static cs_status read_and_hash(relay *r, uint64_t block, void *bytes, cs_error *error) {
    uint64_t start = block * BLOCK, left = r->archive->size - start;
    size_t size = left < BLOCK ? (size_t)left : BLOCK;
    cs_status status = cs_archive_read(r->archive, start, bytes, size, error);
    if (status != CS_OK || !wait_for_turn(r, block)) return status;
    status = cs_sha256_update(r->hash, bytes, size, error);
    if (status == CS_OK) atomic_store(&r->turn, block + 1);
    return status;
}

static void run_reader(void *arg, unsigned index) {
    relay *r = arg;
    void *bytes = cs_alloc(BLOCK, 1);
    cs_status status = bytes ? CS_OK : cs_fail(&r->error[index], CS_E_NO_MEMORY, "hash", r->archive->path, NULL);
    while (status == CS_OK && !atomic_load(&r->stop)) {
        uint64_t block = atomic_fetch_add(&r->next, 1);
        if (block * BLOCK >= r->archive->size) break;
        status = read_and_hash(r, block, bytes, &r->error[index]);
    }
    cs_free(bytes);
    r->status[index] = status;
    if (status != CS_OK) atomic_store(&r->stop, true);
}

static cs_status run_relay(relay *r, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    const cs_team team = {.arg = r, .work = run_reader, .wait = watch, .count = READERS};
    const cs_system *system = r->archive->host->system;
    cs_status status = cs_sha256_new(&r->hash, error);
    if (status == CS_OK && system->together(system->ctx, &team) == 0) status = CS_E_UNSUPPORTED; /* no thread could be had */
    for (unsigned i = 0; i < READERS && status == CS_OK; i++) {
        status = r->status[i];
        if (status != CS_OK && error) *error = r->error[i];
    }
    if (status == CS_OK && r->cancelled) status = CS_E_CANCELLED;
    if (status == CS_OK) status = cs_sha256_finish(r->hash, digest, error);
    if (status == CS_OK) cs_meter_tell(&r->meter, r->archive->size);
    cs_sha256_free(r->hash);
    return status;
}

static cs_status hash_step(void *ctx, uint64_t done) { return cs_meter_step(ctx, done); }

cs_status cs_archive_hash(const cs_archive *archive, uint8_t digest[CS_SHA256_SIZE], cs_error *error) {
    const cs_meter meter = {
        .host = archive->host, .step = "archive", .file = cs_path_name(archive->path), .total = archive->size};
    cs_status status = CS_E_UNSUPPORTED;
    if (archive->size > BLOCK && cs_workers_for(archive->host->system, READERS) == READERS) {
        relay r = {.archive = archive, .meter = meter};
        status = run_relay(&r, digest, error);
    }
    if (status == CS_E_UNSUPPORTED) {
        cs_meter alone = meter;
        status = cs_sha256_file(archive->host->fs, archive->file, digest, NULL, hash_step, &alone, error);
    }
    return status == CS_E_CANCELLED ? cs_fail(error, status, "hash", archive->path, NULL) : status;
}
