/* bench_unpack: the product's path from the archive to the staged files, or one part of that work alone, for measuring.
 *
 *   bench_unpack all     ARCHIVE MANIFEST FOLDER [workers=N] [flush] [quiet]   judge, unpack, hash, write below FOLDER
 *   bench_unpack archive ARCHIVE                  SHA-256 of the archive
 *   bench_unpack inflate ARCHIVE                  libarchive's ZIP reader: inflate and CRC-32, nothing else
 *   bench_unpack hash    BYTES                    SHA-256 of as many bytes from one block in the cache
 *   bench_unpack write   BYTES FOLDER             as many bytes from one block into a preallocated file
 *   bench_unpack tell    COUNT                    as many questions whether it is time to tell the progress
 *
 * workers=N instead of as many as the processors deserve; flush: files are flushed as in an installation; quiet: nobody listens
 * to the progress. Prints "name value" lines: times in milliseconds. */
#include <archive.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/package.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/progress.h"
#include "cudnn_setup/stage.h"
#include "cudnn_setup/workers.h"
#include "platform.h"

enum { BLOCK = 256 * 1024 };

static cs_fs fs;
static cs_system machine;
static cs_events listener;
static cs_host host;
static unsigned forced_workers, progress_events;

static cs_status check(cs_status status, const cs_error *error) {
    char text[2048];
    if (status == CS_OK) return status;
    cs_error_text(error, text, sizeof text);
    fprintf(stderr, "bench_unpack: %s\n", text);
    exit(1);
}

static uint64_t now(void) { return machine.ticks(machine.ctx); }

static cs_status no_flush(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx, (void)file, (void)error;
    return CS_OK;
}

static unsigned chosen_processors(void *ctx) {
    (void)ctx;
    return forced_workers - 1;
}

static void listen(void *ctx, const cs_event *event) {
    (void)ctx;
    if (event->kind == CS_EVENT_PROGRESS) progress_events++;
}

static void make_folder(const char *path) {
    cs_error error = {0};
    cs_status status = fs.make_folder(fs.ctx, path, CS_FOLDER_INHERIT, &error);
    if (status != CS_E_EXISTS) check(status, &error);
}

/* FOLDER\.cudnn-setup\<txid>\new, where a transaction's unpacked files lie. */
static void make_stage_folders(const char *folder, const char *txid) {
    static const char *const parts[] = {"", "/.cudnn-setup", NULL, "/new"};
    cs_buffer path = {0};
    cs_buffer_text(&path, folder);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cs_buffer_format(&path, "%s%s", parts[i] ? parts[i] : "/", parts[i] ? "" : txid);
        for (size_t k = 0; k < path.size; k++)
            if (path.data[k] == '/') path.data[k] = fs.separator;
        make_folder(cs_buffer_string(&path));
    }
    cs_buffer_free(&path);
}

static void run_all(const char *path, const char *manifest_path, const char *folder) {
    static cs_stage stage;
    static const char txid[] = "00000000000000000000000000000000";
    cs_manifest manifest = {0};
    cs_archive *archive = NULL;
    cs_trust trust;
    cs_error error = {0};
    uint64_t total = 0, start = now();
    check(cs_package_manifest(&host, manifest_path, &manifest, &error), &error);
    check(cs_archive_open(&host, path, &archive, &error), &error);
    check(cs_archive_judge(archive, &manifest, false, &trust, &error), &error);
    uint64_t judged = now();
    check(cs_archive_measure(archive, &manifest, &trust, &total, &error), &error);
    make_stage_folders(folder, txid);
    cs_stage_start(&stage, &host, folder, txid, &manifest);
    check(cs_stage_unpack(&stage, archive, &trust, NULL, &error), &error);
    uint64_t unpacked = now();
    printf("judge_ms %" PRIu64 "\nunpack_ms %" PRIu64 "\nbytes %" PRIu64 "\nentries %zu\nevents %u\ntrust %s\n", judged - start,
           unpacked - judged, total, manifest.file_count, progress_events, cs_trust_text(trust.kind));
    cs_stage_end(&stage);
    cs_archive_close(archive);
    cs_manifest_free(&manifest);
}

static void hash_archive(const char *path) {
    cs_file *file = NULL;
    cs_error error = {0};
    uint8_t digest[CS_SHA256_SIZE];
    uint64_t size = 0;
    check(cs_archive_open_file(&host, path, &file, &size, &error), &error);
    check(cs_sha256_file(&fs, file, digest, NULL, NULL, NULL, &error), &error);
    fs.close(fs.ctx, file);
    printf("bytes %" PRIu64 "\n", size);
}

static void inflate_only(const char *path) {
    struct archive *reader = archive_read_new();
    struct archive_entry *entry;
    uint64_t total = 0;
    int result = reader && archive_read_support_format_zip_seekable(reader) == ARCHIVE_OK
                     ? archive_read_open_filename(reader, path, BLOCK / 2)
                     : ARCHIVE_FATAL;
    while (result == ARCHIVE_OK && (result = archive_read_next_header(reader, &entry)) == ARCHIVE_OK) {
        const void *bytes;
        size_t size;
        la_int64_t offset;
        while ((result = archive_read_data_block(reader, &bytes, &size, &offset)) == ARCHIVE_OK) total += size;
        if (result == ARCHIVE_EOF) result = ARCHIVE_OK;
    }
    if (result != ARCHIVE_EOF) {
        fprintf(stderr, "bench_unpack: %s: %s\n", path, reader ? archive_error_string(reader) : "no memory");
        exit(1);
    }
    archive_read_free(reader);
    printf("bytes %" PRIu64 "\n", total);
}

static char *block(void) {
    char *bytes = malloc(BLOCK);
    if (!bytes) exit(1);
    for (size_t i = 0; i < BLOCK; i++) bytes[i] = (char)(i * 2654435761u >> 13);
    return bytes;
}

static void hash_only(uint64_t total) {
    cs_sha256 *hash;
    cs_error error = {0};
    uint8_t digest[CS_SHA256_SIZE];
    char *bytes = block();
    check(cs_sha256_new(&hash, &error), &error);
    for (uint64_t done = 0; done < total; done += BLOCK) check(cs_sha256_update(hash, bytes, BLOCK, &error), &error);
    check(cs_sha256_finish(hash, digest, &error), &error);
    cs_sha256_free(hash);
    free(bytes);
}

static void write_only(uint64_t total, const char *folder) {
    cs_file *file;
    cs_error error = {0};
    cs_buffer path = {0};
    char *bytes = block();
    make_folder(folder);
    check(cs_path_join(&path, fs.separator, folder, "written", &error), &error);
    check(fs.open(fs.ctx, path.data, CS_OPEN_CREATE, &file, &error), &error);
    check(fs.set_size(fs.ctx, file, total, &error), &error);
    for (uint64_t done = 0; done < total; done += BLOCK) check(fs.write(fs.ctx, file, done, bytes, BLOCK, &error), &error);
    fs.close(fs.ctx, file);
    cs_buffer_free(&path);
    free(bytes);
}

static void tell_only(uint64_t count) {
    cs_meter meter = {.host = &host, .step = "unpack", .file = "file", .total = count + 1};
    for (uint64_t done = 0; done < count; done++) check(cs_meter_step(&meter, done), NULL);
}

/* The peak of resident memory, since this program began. A parent sees its own memory in what the system reports of a child. */
static void print_peak(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0) printf("peak_kib %ld\n", strtol(line + 6, NULL, 10));
    if (status) fclose(status);
}

static void take_options(const cs_strings *words) {
    for (size_t i = 4; i < words->count; i++) {
        const char *word = words->items[i];
        if (strncmp(word, "workers=", 8) == 0) {
            forced_workers = (unsigned)strtoul(word + 8, NULL, 10);
            machine.processors = chosen_processors;
            if (forced_workers < 2) machine.together = NULL;
        }
        if (strcmp(word, "flush") == 0) fs.flush = cs_fs_real()->flush;
        if (strcmp(word, "quiet") == 0) host.events = NULL;
    }
    printf("workers %u\n", cs_workers_for(&machine, CS_MANIFEST_MAX_FILES));
}

int main(int argc, char **argv) {
    cs_strings words = {0};
    platform_arguments(argc, argv, &words);
    const char *word = words.count ? words.items[0] : "";
    fs = *cs_fs_real();
    fs.flush = no_flush;
    machine = *cs_system_real();
    listener = (cs_events){.emit = listen};
    host = (cs_host){.fs = &fs, .system = &machine, .events = &listener};
    if (strcmp(word, "all") == 0 && words.count >= 4) {
        take_options(&words);
        run_all(words.items[1], words.items[2], words.items[3]);
    } else if (strcmp(word, "archive") == 0 && words.count == 2)
        hash_archive(words.items[1]);
    else if (strcmp(word, "inflate") == 0 && words.count == 2)
        inflate_only(words.items[1]);
    else if (strcmp(word, "hash") == 0 && words.count == 2)
        hash_only(strtoull(words.items[1], NULL, 10));
    else if (strcmp(word, "write") == 0 && words.count == 3)
        write_only(strtoull(words.items[1], NULL, 10), words.items[2]);
    else if (strcmp(word, "tell") == 0 && words.count == 2)
        tell_only(strtoull(words.items[1], NULL, 10));
    else {
        fprintf(stderr, "usage: see the head of tests/bench/bench_unpack.c\n");
        return 2;
    }
    cs_strings_free(&words);
    print_peak();
    return 0;
}
