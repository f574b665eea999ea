/* make_icon OUT.ico: draws the programs' icon, an arrow that goes down into a chip. Shapes are tests on points of the unit
 * square, sampled 4 x 4 to a pixel; only additions, multiplications and comparisons, so that every machine draws the same bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SAMPLES 4

struct colour {
    int r, g, b;
};

static const int sizes[] = {16, 20, 24, 32, 48, 64, 128};
#define SIZE_COUNT (sizeof sizes / sizeof sizes[0])

static bool in_box(double x, double y, double left, double top, double right, double bottom) {
    return x >= left && x < right && y >= top && y < bottom;
}

static bool in_chip(double x, double y) {
    const double low = 0.14, high = 0.86, radius = 0.12;
    if (!in_box(x, y, low, low, high, high)) return false;
    double dx = x < low + radius ? low + radius - x : x > high - radius ? x - (high - radius) : 0;
    double dy = y < low + radius ? low + radius - y : y > high - radius ? y - (high - radius) : 0;
    return dx * dx + dy * dy <= radius * radius;
}

static bool in_pin(double x, double y) {
    for (int i = 0; i < 3; i++) {
        double middle = 0.30 + 0.20 * i;
        if (in_box(x, y, 0.03, middle - 0.045, 0.97, middle + 0.045)) return true;
        if (in_box(x, y, middle - 0.045, 0.50, middle + 0.045, 0.97)) return true;
    }
    return false;
}

static bool in_arrow(double x, double y) {
    double side = x < 0.5 ? 0.5 - x : x - 0.5;
    if (in_box(x, y, 0.42, 0.02, 0.58, 0.44)) return true;
    if (y >= 0.42 && y < 0.66 && side < 0.66 - y) return true;
    return in_box(x, y, 0.28, 0.71, 0.72, 0.77);
}

/* Whether the point is drawn at all, and in which colour. */
static bool colour_at(double x, double y, struct colour *colour) {
    static const struct colour arrow = {61, 214, 140}, chip = {33, 44, 56}, pin = {120, 134, 148};
    if (in_arrow(x, y)) return *colour = arrow, true;
    if (in_chip(x, y)) return *colour = chip, true;
    if (in_pin(x, y)) return *colour = pin, true;
    return false;
}

static void put(FILE *file, int bytes, uint32_t value) {
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xff), file);
}

static void write_pixel(FILE *file, int column, int row, int size) {
    int hits = 0;
    struct colour sum = {0, 0, 0};
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        struct colour one;
        double x = (column + (i % SAMPLES + 0.5) / SAMPLES) / size, y = (row + (i / SAMPLES + 0.5) / SAMPLES) / size;
        if (!colour_at(x, y, &one)) continue;
        hits++;
        sum.r += one.r, sum.g += one.g, sum.b += one.b;
    }
    int divisor = hits ? hits : 1;
    put(file, 1, (uint32_t)(sum.b / divisor));
    put(file, 1, (uint32_t)(sum.g / divisor));
    put(file, 1, (uint32_t)(sum.r / divisor));
    put(file, 1, (uint32_t)(hits * 255 / (SAMPLES * SAMPLES)));
}

static uint32_t mask_bytes(int size) { return (uint32_t)((size + 31) / 32 * 4 * size); }

static uint32_t image_bytes(int size) { return 40 + (uint32_t)(size * size) * 4 + mask_bytes(size); }

/* A 32-bit bitmap without file header: pixels from the bottom row up, then an empty mask, since alpha says it all. */
static void write_image(FILE *file, int size) {
    put(file, 4, 40);
    put(file, 4, (uint32_t)size);
    put(file, 4, (uint32_t)size * 2);
    put(file, 2, 1);
    put(file, 2, 32);
    for (int i = 0; i < 6; i++) put(file, 4, 0);
    for (int row = size - 1; row >= 0; row--)
        for (int column = 0; column < size; column++) write_pixel(file, column, row, size);
    for (uint32_t i = 0; i < mask_bytes(size); i++) put(file, 1, 0);
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!file) {
        fputs("usage: make_icon OUT.ico\n", stderr);
        return 2;
    }
    put(file, 2, 0);
    put(file, 2, 1);
    put(file, 2, SIZE_COUNT);
    uint32_t offset = 6 + 16 * SIZE_COUNT;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        put(file, 1, (uint32_t)sizes[i]);
        put(file, 1, (uint32_t)sizes[i]);
        put(file, 2, 0);
        put(file, 2, 1);
        put(file, 2, 32);
        put(file, 4, image_bytes(sizes[i]));
        put(file, 4, offset);
        offset += image_bytes(sizes[i]);
    }
    for (size_t i = 0; i < SIZE_COUNT; i++) write_image(file, sizes[i]);
    bool failed = ferror(file) != 0;
    return (fclose(file) != 0 || failed) ? 1 : 0;
}
