/* pe_finish [--load-config] PROGRAM: finishes a linked program in place (pe_finish.h). */
#include "pe_finish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)end);
        if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file) fclose(file);
    *size = bytes ? (size_t)end : 0;
    return bytes;
}

static int write_all(const char *path, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    size_t written = fwrite(bytes, 1, size, file);
    return (fclose(file) == 0) && written == size;
}

int main(int argc, char **argv) {
    bool load_config = argc == 3 && strcmp(argv[1], "--load-config") == 0;
    if (argc != 2 && !load_config) {
        fputs("usage: pe_finish [--load-config] PROGRAM\n", stderr);
        return 2;
    }
    const char *path = argv[argc - 1], *wrong = "cannot be read";
    size_t size = 0;
    uint8_t *image = read_all(path, &size);
    if (image) wrong = pe_finish(image, size, load_config);
    if (!wrong && !write_all(path, image, size)) wrong = "cannot be written";
    free(image);
    if (wrong) fprintf(stderr, "pe_finish: %s: %s\n", path, wrong);
    return wrong ? 1 : 0;
}
