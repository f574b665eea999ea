/* crash_images.h: what a power cut can leave of a machine at this moment. */
#ifndef CRASH_IMAGES_H
#define CRASH_IMAGES_H

#include "crash_store.h"

/* One possible image; its hash is set. It is changed again after the call: copy what is to be kept. */
typedef void (*crash_emit)(void *ctx, const crash_image *image);

typedef struct crash_images {
    crash_machine *machine;
    crash_emit emit;
    void *ctx;
    size_t limit;   /* subsets are complete up to so many pending changes, and a fixed sample above */
    bool sampled;   /* there was a sample since the last complete enumeration */
    uint64_t raw;   /* images told */
    uint64_t holes; /* enumerations that were samples */
} crash_images;

/* Tells the images that the operation (one that crash_hook got) made possible. last NULL: all that are possible now. */
void crash_images_after(crash_images *images, const crash_op *last);

/* A set of 64-bit hashes with two marks each. */
typedef struct crash_set {
    uint64_t *keys;
    uint8_t *marks;
    size_t count, capacity;
} crash_set;

/* The marks of key, which is added with none; *fresh says whether it was not there. */
uint8_t *crash_set_add(crash_set *set, uint64_t key, bool *fresh);
bool crash_set_has(const crash_set *set, uint64_t key);
void crash_set_free(crash_set *set);

#endif
