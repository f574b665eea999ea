/* ISA-L behind zlib's interface against zlib itself: same bytes, same counts, same verdicts, on sound, cut, damaged and hand-made
 * streams, in blocks of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/buffer.h"
#include "skip.h"

#ifdef CS_TEST_ISAL
#include "isal_inflate.h"

typedef struct outcome {
    int code; /* the first that is not Z_OK */
    size_t size;
    uLong taken;
} outcome;

enum { ROOM = 1 << 20 }; /* of any stream here, unpacked, and a block more */
static unsigned char unpacked[2][ROOM];

static int call(bool isal, z_stream *stream) { return isal ? cs_isal_inflate(stream) : inflate(stream, Z_NO_FLUSH); }

/* As libarchive does it: the rest of a block comes again alone, the next block only when it is used up. */
static outcome decode(bool isal, const unsigned char *in, size_t size, size_t in_block, size_t out_block) {
    z_stream stream = {0};
    outcome result = {0};
    size_t offered = 0;
    union {
        const unsigned char *in;
        unsigned char *out;
    } at = {in};
    assert_int_equal(isal ? cs_isal_inflate_init(&stream, -15) : inflateInit2(&stream, -15), Z_OK);
    while (result.code == Z_OK) {
        if (!stream.avail_in) {
            stream.next_in = at.out + offered;
            stream.avail_in = (uInt)(size - offered < in_block ? size - offered : in_block);
            offered += stream.avail_in;
        }
        assert_true(result.size + out_block <= ROOM);
        stream.next_out = unpacked[isal] + result.size;
        stream.avail_out = (uInt)out_block;
        result.code = call(isal, &stream);
        result.size = stream.total_out;
    }
    result.taken = stream.total_in;
    assert_int_equal(isal ? cs_isal_inflate_end(&stream) : inflateEnd(&stream), Z_OK);
    return result;
}

static unsigned long compared;
static unsigned long verdicts[3]; /* sound, damaged, cut */

static void compare(const unsigned char *in, size_t size, size_t in_block, size_t out_block) {
    outcome a = decode(false, in, size, in_block, out_block), b = decode(true, in, size, in_block, out_block);
    if (a.code != b.code) {
        print_error("zlib says %d, ISA-L %d, for %u bytes in blocks of %u to %u:", a.code, b.code, (unsigned)size,
                    (unsigned)in_block, (unsigned)out_block);
        for (size_t i = 0; i < size && i < 400; i++) print_error("%02x", in[i]);
        print_error("\n");
    }
    assert_int_equal(a.code, b.code);
    if (a.code == Z_STREAM_END) {
        assert_int_equal(a.size, b.size);
        assert_int_equal(a.taken, b.taken);
        assert_memory_equal(unpacked[0], unpacked[1], a.size);
    }
    compared++;
    verdicts[a.code == Z_STREAM_END ? 0 : a.code == Z_DATA_ERROR ? 1 : 2]++;
}

static uint32_t seed;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u, seed >> 8; }

enum { KINDS = 5 };

static void fill(unsigned char *bytes, size_t size, int kind) {
    static const char words[] = "the quick brown fox jumps over the lazy dog and cudnn64_8.dll ";
    for (size_t i = 0; i < size; i++) switch (kind) {
        case 0:
            bytes[i] = (unsigned char)next();
            break;
        case 1:
            bytes[i] = 0;
            break;
        case 2:
            bytes[i] = (unsigned char)words[(i + (next() % 50 == 0)) % (sizeof words - 1)];
            break;
        case 3:
            bytes[i] = (unsigned char)(next() % 3 ? 'a' + next() % 4 : next());
            break;
        default:
            bytes[i] = i > 40000 && next() % 100 ? bytes[i - 32768 + next() % 3] : (unsigned char)(next() % 17);
        }
}

/* A raw stream of size bytes of that kind; the caller frees. */
static unsigned char *make(size_t size, int kind, int level, int strategy, size_t *out_size) {
    unsigned char *bytes = malloc(size + 1);
    fill(bytes, size, kind);
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, level, Z_DEFLATED, -15, 8, strategy), Z_OK);
    size_t room = size + size / 8 + 1000;
    unsigned char *out = malloc(room);
    stream.next_in = bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *out_size = stream.total_out;
    deflateEnd(&stream);
    free(bytes);
    return out;
}

static const int levels[] = {0, 1, 6, 9};
static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};

static void test_isal_inflate_sound_streams_in_all_blocks(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 300, 5000, 70000, 400000};
    static const size_t in_blocks[] = {1, 3, 4096, 131072}, out_blocks[] = {1, 100, 4096, 262144};
    seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t l = 0; l < 4; l++)
                for (size_t t = 0; t < 4; t++) {
                    size_t size;
                    unsigned char *stream = make(sizes[s], kind, levels[l], strategies[t], &size);
                    for (size_t i = 0; i < 4; i++) {
                        size_t o = (s + l + t + i) % 4;
                        if (sizes[s] > 5000 && (in_blocks[i] < 4096 || out_blocks[o] < 100)) continue;
                        compare(stream, size, in_blocks[i], out_blocks[o]);
                    }
                    free(stream);
                }
    assert_int_equal(verdicts[0], compared);
}

/* The stream's end is found exactly, whatever follows it. */
static void test_isal_inflate_leaves_what_follows(void **state) {
    (void)state;
    seed = 2;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t l = 0; l < 4; l++) {
            size_t size;
            unsigned char *stream = make(3000, kind, levels[l], Z_DEFAULT_STRATEGY, &size);
            unsigned char *longer = malloc(size + 64);
            memcpy(longer, stream, size);
            for (size_t extra = 0; extra < 64; extra++) {
                longer[size + extra] = (unsigned char)next();
                outcome b = decode(true, longer, size + extra + 1, 1 + next() % 5000, 1 + next() % 5000);
                assert_int_equal(b.code, Z_STREAM_END);
                assert_int_equal(b.taken, size);
                assert_int_equal(b.size, 3000);
            }
            free(longer);
            free(stream);
        }
}

static void test_isal_inflate_cut_anywhere(void **state) {
    (void)state;
    seed = 3;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t l = 0; l < 4; l++)
            for (size_t t = 0; t < 4; t++) {
                size_t size;
                unsigned char *stream = make(400, kind, levels[l], strategies[t], &size);
                for (size_t cut = 0; cut < size; cut++)
                    compare(stream, cut, cut % 2 ? 131072 : 1 + cut % 9, cut % 3 ? 262144 : 50);
                free(stream);
            }
    assert_true(verdicts[2] > 1000);
}

static void test_isal_inflate_every_bit_flipped(void **state) {
    (void)state;
    unsigned long damaged = verdicts[1];
    seed = 4;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t t = 0; t < 4; t++) {
            size_t size;
            unsigned char *stream = make(kind == 1 ? 9000 : 350, kind, 9, strategies[t], &size);
            for (size_t bit = 0; bit < size * 8; bit++) {
                stream[bit / 8] ^= (unsigned char)(1 << bit % 8);
                compare(stream, size, bit % 2 ? 131072 : 1 + bit % 11, bit % 3 ? 262144 : 64);
                stream[bit / 8] ^= (unsigned char)(1 << bit % 8);
            }
            free(stream);
        }
    assert_true(verdicts[1] > damaged + 1000);
}

static void test_isal_inflate_large_streams_damaged(void **state) {
    (void)state;
    seed = 5;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t size;
        unsigned char *stream = make(150000, kind, 6, Z_DEFAULT_STRATEGY, &size);
        for (int n = 0; n < 60; n++) {
            size_t at = next() % size;
            unsigned char old = stream[at];
            stream[at] = (unsigned char)next();
            compare(stream, size, 131072, 262144);
            stream[at] = old;
        }
        free(stream);
    }
}

static void test_isal_inflate_noise(void **state) {
    (void)state;
    unsigned char bytes[200];
    seed = 6;
    for (int n = 0; n < 20000; n++) {
        size_t size = 1 + next() % sizeof bytes;
        for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)next();
        bytes[0] = (unsigned char)((bytes[0] & ~7) | (n % 8)); /* every type of block, last or not */
        compare(bytes, size, n % 2 ? 131072 : 1 + next() % 20, 262144);
    }
}

/* ---- headers of dynamic blocks, made by hand ---- */

typedef struct bits {
    unsigned char bytes[4000];
    size_t count;
} bits;

static void put(bits *b, uint32_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++, b->count++)
        if (value >> i & 1) b->bytes[b->count / 8] |= (unsigned char)(1 << b->count % 8);
}

/* A last block whose code lengths are given one by one, told by a complete code of 16 lengths with 4 bits each. */
static void begin_block(bits *b, const unsigned char *lengths, unsigned literals, unsigned distances) {
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    *b = (bits){0};
    put(b, 1, 1);
    put(b, 2, 2);
    put(b, literals - 257, 5);
    put(b, distances - 1, 5);
    put(b, 15, 4);
    for (int i = 0; i < 19; i++) put(b, order[i] < 16 ? 4 : 0, 3);
    for (unsigned i = 0; i < literals + distances; i++)
        for (int bit = 3; bit >= 0; bit--) put(b, lengths[i] >> bit & 1, 1); /* Huffman codes go from the top bit */
}

static void compare_bits(bits *b, unsigned noise_bytes) {
    for (unsigned i = 0; i < noise_bytes; i++) put(b, next() & 255, 8);
    compare(b->bytes, (b->count + 7) / 8, 131072, 262144);
    compare(b->bytes, (b->count + 7) / 8, 1, 7);
}

/* Lengths that make a complete code of count symbols out of some, by splitting leaves at random. */
static void random_code(unsigned char *lengths, unsigned count, unsigned used, unsigned longest) {
    memset(lengths, 0, count);
    unsigned leaves = 1;
    unsigned char leaf[320] = {0};
    while (leaves < used) {
        unsigned at = next() % leaves;
        if (leaf[at] >= longest) continue;
        leaf[at]++;
        leaf[leaves++] = leaf[at];
    }
    for (unsigned i = 0; i < leaves; i++) {
        unsigned symbol = next() % count;
        while (lengths[symbol]) symbol = (symbol + 1) % count;
        lengths[symbol] = leaf[i];
    }
}

/* Complete codes, and the same with one length changed: over-subscribed or incomplete. */
static void test_isal_inflate_random_codes(void **state) {
    (void)state;
    bits b;
    unsigned char lengths[320];
    seed = 7;
    for (int n = 0; n < 6000; n++) {
        unsigned literals = 257 + next() % 30, distances = 1 + next() % 30;
        random_code(lengths, literals, 2 + next() % 200, 15);
        random_code(lengths + literals, distances, 1 + next() % distances, 15);
        if (n % 3 && !lengths[256]) { /* mostly with an end of block */
            unsigned symbol = 0;
            while (!lengths[symbol]) symbol++;
            lengths[256] = lengths[symbol];
            lengths[symbol] = 0;
        }
        if (n % 4 == 1) lengths[next() % (literals + distances)] = (unsigned char)(next() % 16);
        if (n % 16 == 2) lengths[literals + next() % distances] = 0;
        begin_block(&b, lengths, literals, distances);
        compare_bits(&b, 60);
    }
}

static void test_isal_inflate_codes_with_few_symbols(void **state) {
    (void)state;
    bits b;
    seed = 8;
    for (unsigned end = 0; end < 4; end++)                 /* length of the end of block */
        for (unsigned literal = 0; literal < 4; literal++) /* of the only other literal or length */
            for (unsigned one = 0; one < 4; one++)         /* of two distances */
                for (unsigned two = 0; two < 4; two++)
                    for (unsigned which = 0; which < 3; which++) { /* literal, shortest match, longest */
                        unsigned char lengths[320] = {0};
                        lengths[256] = (unsigned char)end;
                        lengths[which == 0 ? 'x' : which == 1 ? 257 : 285] = (unsigned char)literal;
                        lengths[286] = (unsigned char)one;
                        lengths[287] = (unsigned char)two;
                        begin_block(&b, lengths, 286, 2);
                        compare_bits(&b, 6);
                    }
}

static void test_isal_inflate_counts_out_of_range(void **state) {
    (void)state;
    bits b;
    seed = 9;
    for (unsigned literals = 257; literals <= 288; literals++)
        for (unsigned distances = 1; distances <= 32; distances++) {
            unsigned char lengths[320] = {0};
            lengths[0] = lengths[256] = 1;
            lengths[literals] = 1;
            begin_block(&b, lengths, literals, distances);
            compare_bits(&b, 4);
        }
}

/* Codes for the code lengths themselves: every number of them, at random. */
static void test_isal_inflate_code_length_codes(void **state) {
    (void)state;
    bits b;
    seed = 10;
    for (int n = 0; n < 20000; n++) {
        unsigned count = 4 + next() % 16;
        b = (bits){0};
        put(&b, 1, 1);
        put(&b, 2, 2);
        put(&b, next() % 32, 5);
        put(&b, next() % 32, 5);
        put(&b, count - 4, 4);
        for (unsigned i = 0; i < count; i++) put(&b, next() % 3 ? next() % 6 : 0, 3);
        compare_bits(&b, 80);
    }
}

/* Fixed codes: literals, then a match at every distance around what has been written. */
static void put_fixed_match(bits *b, unsigned distance_symbol, unsigned extra_bits, uint32_t extra) {
    put(b, 0x40, 7); /* length 3: symbol 257, code 0000001 */
    for (int bit = 4; bit >= 0; bit--) put(b, distance_symbol >> bit & 1, 1);
    put(b, extra, extra_bits);
}

static void test_isal_inflate_distances_beyond_the_start(void **state) {
    (void)state;
    bits b;
    for (unsigned written = 0; written < 40; written++)
        for (unsigned symbol = 0; symbol < 32; symbol++) {
            unsigned extra_bits = symbol < 2 ? 0 : symbol / 2 - 1;
            if (symbol >= 30) extra_bits = 0;
            b = (bits){0};
            put(&b, 1, 1);
            put(&b, 1, 2);
            for (unsigned i = 0; i < written; i++) put(&b, 0x0C, 8); /* literal 0: code 00110000 */
            put_fixed_match(&b, symbol, extra_bits, symbol % 3 ? 0 : (1u << extra_bits) - 1);
            put(&b, 0, 7); /* end of block */
            compare(b.bytes, (b.count + 7) / 8, 131072, 262144);
            compare(b.bytes, (b.count + 7) / 8, 1, 1);
        }
}

static void test_isal_inflate_stored_blocks(void **state) {
    (void)state;
    seed = 11;
    for (int n = 0; n < 3000; n++) {
        unsigned char bytes[300] = {0};
        size_t size = 0;
        for (unsigned block = next() % 4 + 1; block--;) {
            unsigned length = next() % 50, check = length ^ 0xFFFF;
            if (next() % 20 == 0) check ^= 1u << next() % 16;
            bytes[size++] = (unsigned char)((block == 0) | (next() & 0xF8)); /* type 0; the rest of the byte says nothing */
            bytes[size++] = (unsigned char)length;
            bytes[size++] = 0;
            bytes[size++] = (unsigned char)check;
            bytes[size++] = (unsigned char)(check >> 8);
            for (unsigned i = 0; i < length; i++) bytes[size++] = (unsigned char)next();
        }
        size_t cut = next() % 3 ? size : next() % (size + 1);
        compare(bytes, cut, 1 + next() % 60, 1 + next() % 60);
        compare(bytes, cut, 131072, 262144);
    }
}

/* ---- the rest of the interface ---- */

static void test_isal_inflate_reset_starts_anew(void **state) {
    (void)state;
    size_t size;
    unsigned char out[2000];
    seed = 12;
    unsigned char *stream = make(1000, 2, 6, Z_DEFAULT_STRATEGY, &size);
    z_stream z = {0};
    assert_int_equal(cs_isal_inflate_init(&z, -15), Z_OK);
    for (int round = 0; round < 4; round++) {
        stream[round % 2 ? 0 : 200] ^= round % 2 ? 7 : 0; /* sound, damaged, sound, damaged */
        z.next_in = stream;
        z.avail_in = (uInt)size;
        z.next_out = out;
        z.avail_out = sizeof out;
        int code = cs_isal_inflate(&z);
        assert_int_equal(code, round % 2 ? Z_DATA_ERROR : Z_STREAM_END);
        if (round % 2) assert_int_equal(cs_isal_inflate(&z), Z_DATA_ERROR);
        stream[round % 2 ? 0 : 200] ^= round % 2 ? 7 : 0;
        assert_int_equal(cs_isal_inflate_reset(&z), Z_OK);
        assert_int_equal(z.total_in, 0);
        assert_int_equal(z.total_out, 0);
    }
    assert_int_equal(cs_isal_inflate_end(&z), Z_OK);
    assert_int_equal(cs_isal_inflate_end(&z), Z_STREAM_ERROR);
    free(stream);
}

static void test_isal_inflate_wrong_use_is_refused(void **state) {
    (void)state;
    z_stream z = {0}, copy;
    unsigned char byte = 0;
    assert_int_equal(cs_isal_inflate_init(&z, 15), Z_STREAM_ERROR); /* wrappers */
    assert_int_equal(cs_isal_inflate_init(&z, 31), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate_init(&z, -8), Z_STREAM_ERROR); /* a small window would have to be held */
    assert_int_equal(cs_isal_inflate_init(NULL, -15), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate(NULL), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate(&z), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate_reset(&z), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate_init(&z, -15), Z_OK);
    assert_int_equal(cs_isal_inflate(&z), Z_STREAM_ERROR); /* nowhere to write */
    z.next_out = &byte;
    z.avail_out = 1;
    assert_int_equal(cs_isal_inflate(&z), Z_BUF_ERROR); /* nothing to read: as zlib, no damage */
    copy = z;
    assert_int_equal(cs_isal_inflate(&copy), Z_STREAM_ERROR);
    assert_int_equal(cs_isal_inflate_end(&z), Z_OK);
    cs_alloc_fail_at(1);
    assert_int_equal(cs_isal_inflate_init(&z, -15), Z_MEM_ERROR);
    cs_alloc_fail_at(0);
}

static void test_isal_inflate_crc(void **state) {
    (void)state;
    unsigned char bytes[5000];
    seed = 13;
    assert_int_equal(cs_isal_crc32(7, NULL, 0), crc32(7, NULL, 0));
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)next();
    for (uInt size = 0; size < sizeof bytes; size += size < 600 ? 1 : 97) {
        uLong start = next();
        assert_int_equal(cs_isal_crc32(start, bytes + size % 7, size - size % 7),
                         crc32(start, bytes + size % 7, size - size % 7));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isal_inflate_sound_streams_in_all_blocks),
        cmocka_unit_test(test_isal_inflate_leaves_what_follows),
        cmocka_unit_test(test_isal_inflate_cut_anywhere),
        cmocka_unit_test(test_isal_inflate_every_bit_flipped),
        cmocka_unit_test(test_isal_inflate_large_streams_damaged),
        cmocka_unit_test(test_isal_inflate_noise),
        cmocka_unit_test(test_isal_inflate_random_codes),
        cmocka_unit_test(test_isal_inflate_codes_with_few_symbols),
        cmocka_unit_test(test_isal_inflate_counts_out_of_range),
        cmocka_unit_test(test_isal_inflate_code_length_codes),
        cmocka_unit_test(test_isal_inflate_distances_beyond_the_start),
        cmocka_unit_test(test_isal_inflate_stored_blocks),
        cmocka_unit_test(test_isal_inflate_reset_starts_anew),
        cmocka_unit_test(test_isal_inflate_wrong_use_is_refused),
        cmocka_unit_test(test_isal_inflate_crc),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%lu streams compared: %lu sound, %lu damaged, %lu cut\n", compared, verdicts[0], verdicts[1], verdicts[2]);
    return failed;
}

#else

static void test_isal_inflate_is_built_in(void **state) {
    (void)state;
    SKIP("this build inflates with zlib: ./dev deps makes ISA-L");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_isal_inflate_is_built_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
