/* fuzz.h: a fuzz target: one reader of bytes that anybody may have written, and the sound inputs from which mutation starts. A
 * target is one file, linked with libFuzzer (`./dev fuzz`) or with fuzz_seeds.c (a short fixed run, part of the tests). */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"

/* libFuzzer's entry: reads the bytes; aborts where a promise of the reader is broken. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Appends seed number index, the same bytes every time; false past the last. */
bool fuzz_seed(size_t index, cs_buffer *out);

/* The promise that a failure names its kind: CS_OK or one of the reader's own refusals, never more. */
#define FUZZ_EXPECT(condition) ((condition) ? (void)0 : fuzz_broken(#condition, __FILE__, __LINE__))
void fuzz_broken(const char *condition, const char *file, int line);

#endif
