/* fake_cuda.h: a CUDA runtime, a driver and a cuDNN that compute on the CPU, in float, by the definitions, and that misbehave on
 * demand. Device memory is ordinary memory, so that the address sanitizer watches what the test does with it. For tests only. */
#ifndef CUDNN_SETUP_TESTS_FAKE_CUDA_H
#define CUDNN_SETUP_TESTS_FAKE_CUDA_H

#include "../../src/selftest/abi.h"
#include "cudnn_setup/selftest.h"

enum { FAKE_DEVICES = 4 };

typedef enum fake_wrong {
    FAKE_RIGHT,
    FAKE_ONE_NUMBER, /* one number of the result is off by its typical size */
    FAKE_SMALL,      /* every number is off by 1 in 1000 */
    FAKE_NAN,        /* one number is not a number */
    FAKE_INFINITE,
    FAKE_NOTHING,   /* writes nothing at all */
    FAKE_TRUNCATED, /* leaves the last number out */
    FAKE_TOO_MUCH   /* writes one number past the end */
} fake_wrong;

typedef struct fake_device {
    int major, minor, mode;
    size_t available, total;
    int set_status;    /* of cudaSetDevice */
    int memory_status; /* of cudaMemGetInfo */
} fake_device;

/* How it behaves; plain data that tests change after fake_cuda_begin. Names are compared as text; NULL: none. */
typedef struct fake_cuda {
    const char *absent;      /* library that cannot be loaded */
    cs_status absent_status; /* and how */
    uint32_t absent_system;
    const char *missing; /* function that its library lacks */
    const char *failing; /* function that answers failing_status ... */
    int failing_status;
    unsigned failing_after; /* ... after so many good answers */
    unsigned failing_times; /* 0: for ever */
    fake_wrong wrong;
    const char *wrong_in;  /* the function whose results are wrong */
    unsigned wrong_after;  /* after so many right results */
    unsigned algorithms;   /* forward: bit n, algorithm n is offered */
    int unsupported;       /* what is answered for the others */
    bool claims_workspace; /* lets the workspace question pass and the call itself say that it is unsupported */
    size_t workspace;      /* bytes that every algorithm asks for */
    bool refuses_fma;
    int device_count, count_status;
    fake_device devices[FAKE_DEVICES];
    int runtime_version, driver_cuda;
    size_t cudnn_version, built_for;
    int math; /* the last math type that was set */
    /* counted */
    int current; /* device */
    unsigned live_memory, live_objects, open_libraries, calls;
    uint64_t clock;
} fake_cuda;

extern fake_cuda fake;

/* A machine on which all is well: one device of capability 7.5 with 8 GiB, CUDA 10.1, cuDNN 8003, four algorithms. */
void fake_cuda_begin(void);
const cs_loader *fake_cuda_loader(void);

/* ---- for the files of the fake ---- */

/* The status that the function is to answer now; counts the call. */
int fake_answer(const char *function);
/* Spoils a result as it is told to. capacity: numbers that fit, the guard behind the result included. */
void fake_finish(const char *function, void *result, int type, const float *values, size_t count);
float fake_number(const void *numbers, int type, size_t i);

#define FAKE_DECLARE(result, name, need, parameters) result fake_##name parameters;
CUDA_DRIVER_FUNCTIONS(FAKE_DECLARE)
CUDA_RUNTIME_FUNCTIONS(FAKE_DECLARE)
CUDNN_FUNCTIONS(FAKE_DECLARE)

#endif
