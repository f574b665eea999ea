/* fuzz_seeds.c: a fuzz target without a fuzzer: every seed, every truncation of it, and a fixed number of mutants, the same on
 * every machine. Finds what is cheap to find, in a second, with any compiler.
 *
 *   fuzz_NAME_seeds [MUTANTS]         runs; the last line is "N passed, 0 failed"
 *   fuzz_NAME_seeds --write FOLDER    writes the seeds for libFuzzer */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { USUAL_MUTANTS = 4000, MOST_TRUNCATIONS = 2048, MOST_BYTES = 1 << 20 };

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* At its exact size on the heap, so that a sanitizer sees every byte read beyond. */
static void try_input(const void *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* One change: a byte, a bit, a number of 2 or 4 bytes that tempts, a stretch copied, a stretch dropped. */
static size_t mutate(uint8_t *bytes, size_t size, uint64_t *state) {
    static const uint32_t tempting[] = {0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x1000};
    if (!size) return 0;
    size_t at = (size_t)(next_random(state) % size), from = (size_t)(next_random(state) % size);
    size_t length = (size_t)(next_random(state) % 32) + 1;
    uint32_t number = tempting[next_random(state) % (sizeof tempting / sizeof tempting[0])];
    switch (next_random(state) % 6) {
    case 0:
        bytes[at] = (uint8_t)next_random(state);
        return size;
    case 1:
        bytes[at] ^= (uint8_t)(1u << (next_random(state) % 8));
        return size;
    case 2:
    case 3:
        for (size_t i = 0; i < 4 && at + i < size; i++) bytes[at + i] = (uint8_t)(number >> (8 * i));
        return size;
    case 4:
        if (length > size - at) length = size - at;
        if (length > size - from) length = size - from;
        memmove(bytes + at, bytes + from, length);
        return size;
    default:
        if (length > size - at) length = size - at;
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    }
}

static uint64_t run_seed(const cs_buffer *seed, size_t index, unsigned long mutants) {
    uint64_t state = index + 1, count = 1;
    size_t step = seed->size / MOST_TRUNCATIONS + 1;
    try_input(seed->data, seed->size);
    for (size_t size = 0; size < seed->size; size += step, count++) try_input(seed->data, size);
    uint8_t *bytes = malloc(seed->size ? seed->size : 1);
    if (!bytes) abort();
    for (unsigned long i = 0; i < mutants; i++, count++) {
        size_t size = seed->size;
        if (size) memcpy(bytes, seed->data, size);
        for (uint64_t changes = next_random(&state) % 4 + 1; changes; changes--) size = mutate(bytes, size, &state);
        try_input(bytes, size);
    }
    free(bytes);
    return count;
}

static int write_seed(const char *folder, size_t index, const cs_buffer *seed) {
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-%zu", folder, index);
    FILE *file = fopen(path, "wb");
    int failed = !file || fwrite(seed->data, 1, seed->size, file) != seed->size;
    if (file && fclose(file) != 0) failed = 1;
    if (failed) fprintf(stderr, "%s was not written\n", path);
    return failed;
}

int main(int count, char **words) {
    bool write = count == 3 && strcmp(words[1], "--write") == 0;
    unsigned long mutants = count == 2 ? strtoul(words[1], NULL, 10) : USUAL_MUTANTS;
    uint64_t inputs = 0;
    int failed = 0;
    for (size_t i = 0;; i++) {
        cs_buffer seed = {0};
        if (!fuzz_seed(i, &seed)) break;
        if (seed.failed || seed.size > MOST_BYTES) return 2;
        if (write)
            failed |= write_seed(words[2], i, &seed);
        else
            inputs += run_seed(&seed, i, mutants);
        cs_buffer_free(&seed);
    }
    if (!write) printf("%" PRIu64 " inputs\n1 passed, 0 failed\n", inputs);
    return failed;
}
