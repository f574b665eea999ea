/* Sample: nvcuda.dll, the driver's own library: the few functions that the self-test asks. Its version resource carries the
 * number of the driver. */
#include <string.h>

#include "sample.h"

#ifndef SAMPLE_MAJOR
#define SAMPLE_MAJOR 7
#define SAMPLE_MINOR 5
#endif
#ifndef SAMPLE_COUNT
#define SAMPLE_COUNT 1
#endif

SAMPLE_EXPORT int cuInit(unsigned flags);
SAMPLE_EXPORT int cuDriverGetVersion(int *version);
SAMPLE_EXPORT int cuDeviceGet(int *device, int ordinal);
SAMPLE_EXPORT int cuDeviceGetName(char *name, int size, int device);
SAMPLE_EXPORT int cuDeviceGetCount(int *count);
SAMPLE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags) {
    (void)flags;
    return 0;
}

int cuDriverGetVersion(int *version) {
    *version = 10000;
    return 0;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    if (size > 0) {
        strncpy(name, "Sample GPU", (size_t)size - 1);
        name[size - 1] = '\0';
    }
    return 0;
}

int cuDeviceGetCount(int *count) {
    *count = SAMPLE_COUNT;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == 75 ? SAMPLE_MAJOR : attribute == 76 ? SAMPLE_MINOR : 0; /* the capability's two numbers */
    return 0;
}
