#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

void fuzz_broken(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}
