/* selftest.h: does cuDNN compute right on this machine's GPU? Binds to the CUDA runtime and to cuDNN while running, tries every
 * forward algorithm on several shapes and one call of every other kind, so that each part of cuDNN is really loaded and used, and
 * compares all of it with a reference in double precision. Runs in a process of its own: libraries may crash or hang.
 *
 * All text is UTF-8. Nothing here changes the environment, the search order or a file. */
#ifndef CUDNN_SETUP_SELFTEST_H
#define CUDNN_SETUP_SELFTEST_H

#include "cudnn_setup/json.h"
#include "cudnn_setup/loader.h"
#include "cudnn_setup/verdict.h"

/* What came out: see verdict.h. */

typedef enum cs_gpu_outcome {
    CS_GPU_RIGHT,
    CS_GPU_UNSUPPORTED,  /* the library does not offer this algorithm for this shape: no fault */
    CS_GPU_NO_ROOM,      /* its workspace is larger than the test allows: not tried */
    CS_GPU_LACKING,      /* a sample's library has no such function: not tried */
    CS_GPU_WRONG,        /* beyond the limit */
    CS_GPU_NOT_A_NUMBER, /* NaN or infinity in the result */
    CS_GPU_UNTOUCHED,    /* part of the output was never written */
    CS_GPU_OVERRUN,      /* wrote past the end of the output */
    CS_GPU_FAILED,       /* a call failed: status */
    CS_GPU_OUTCOME_COUNT
} cs_gpu_outcome;

const char *cs_gpu_outcome_name(cs_gpu_outcome outcome); /* "unsupported" */

typedef enum cs_gpu_type { CS_GPU_FP32, CS_GPU_FP16 } cs_gpu_type;

typedef struct cs_gpu_shape {
    const char *name;
    int n, c, h, w; /* input */
    int k, r, s;    /* filters: count, height, width */
    int pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, groups;
    bool backward; /* backward data and backward filter too */
} cs_gpu_shape;

/* The shapes that are tried unless the options name others. */
const cs_gpu_shape *cs_gpu_default_shapes(size_t *count);

/* One call: which, how right, how fast. */
typedef struct cs_gpu_run {
    const char *operation; /* "convolution-forward": a literal */
    const char *part;      /* the part of cuDNN 8 that does it: "cnn_infer" */
    const char *shape;     /* name of the shape: lives as long as the shapes do */
    const char *algorithm; /* "" where there is no choice */
    cs_gpu_type type;
    cs_gpu_outcome outcome;
    int status;         /* what the library answered; 0: success */
    const char *call;   /* the function that answered it; NULL: none failed */
    double error;       /* |result - reference| / |reference|, Euclidean norms; the worst of all outputs and calls */
    double worst;       /* largest single deviation / root mean square of the reference */
    double limit;       /* of error; a single deviation may be CS_GPU_WORST_FACTOR times as large */
    uint64_t workspace; /* bytes */
    uint64_t first_ns;  /* the first call, to its end on the GPU: choosing, loading and compiling code included */
    uint64_t later_ns;  /* median of the later calls */
    unsigned later;     /* how many there were */
} cs_gpu_run;

enum { CS_GPU_WORST_FACTOR = 16, CS_GPU_NAME = 256, CS_GPU_MAX_DEVICES = 16 };

typedef struct cs_gpu_device {
    int ordinal; /* among the visible ones */
    char name[CS_GPU_NAME];
    int major, minor;                   /* compute capability */
    uint64_t memory_free, memory_total; /* bytes; 0: could not be asked */
    cs_gpu_verdict fit;                 /* CS_GPU_PASSED: usable; else why not */
    int status;                         /* what the runtime answered, if that is why */
} cs_gpu_device;

typedef struct cs_gpu_report {
    cs_gpu_verdict verdict;
    cs_buffer sentence; /* for people, in English; never empty after cs_selftest_run unless memory ran out */
    cs_buffer chinese;  /* the same in Chinese */
    cs_buffer culprit;  /* the library, part or function that is missing or failed; "" : none */
    uint32_t system;    /* the loader's code for the culprit; 0: none */
    int status;         /* what the culprit answered */
    /* versions; 0: not known */
    uint64_t cudnn_version;   /* 8003 */
    uint64_t cudnn_built_for; /* cudnnGetCudartVersion: 10010 */
    int runtime_version;      /* cudaRuntimeGetVersion: 10010 */
    int driver_cuda;          /* cudaDriverGetVersion: the newest CUDA that the driver serves */
    cs_buffer cudnn_path, runtime_path, driver_path;
    char *visible_devices; /* CUDA_VISIBLE_DEVICES; NULL: not set */
    char *driver_version;  /* "418.96"; NULL: not known */
    cs_gpu_device devices[CS_GPU_MAX_DEVICES];
    size_t device_count;
    int device;  /* index of the one used; -1: none */
    bool sample; /* the library is this project's sample */
    cs_gpu_run *runs;
    size_t run_count;
} cs_gpu_report;

typedef struct cs_selftest_options {
    const cs_loader *loader;
    const char *visible_devices; /* the value of CUDA_VISIBLE_DEVICES, which the runtime itself obeys; NULL: not set */
    const char *driver_version;  /* as its files say; NULL: not known */
    bool sample;                 /* the library is known to be this project's sample, which also says so itself
                                    (CS_SAMPLE_MARK): only its functions are demanded */
    uint64_t seed;               /* of the random data; 0: the usual one */
    unsigned later_calls;        /* 0: the usual number */
    const cs_gpu_shape *shapes;  /* NULL: the usual ones; must outlive the result */
    size_t shape_count;
} cs_selftest_options;

/* A function that this project's sample exports and no library of NVIDIA's does: what has it computes on the CPU. */
#define CS_SAMPLE_MARK "cudnnSetupSampleOnTheCpu"

/* Asks the driver alone which GPUs there are: names and capabilities of devices[], driver_cuda, visible_devices. No CUDA and no
 * cuDNN need be there, and no context is made. The verdict is CS_GPU_PASSED if there is a device, else why there is none; fit of
 * a device is left CS_GPU_PASSED. *out as below. */
bool cs_selftest_devices(const cs_selftest_options *options, cs_gpu_report *out);

/* Runs it all and fills *out, which needs no initialisation and is freed with cs_selftest_free. Returns true for CS_GPU_PASSED
 * and CS_GPU_SAMPLE. Stops at the first call that fails; wrong results do not stop it. */
bool cs_selftest_run(const cs_selftest_options *options, cs_gpu_report *out);
void cs_selftest_free(cs_gpu_report *selftest); /* accepts a zeroed one */

/* The whole result as one object. key: NULL for the root. Numbers with a fraction are strings ("1.53e-07"), times are
 * nanoseconds. */
void cs_selftest_put_json(cs_json_writer *writer, const char *key, const cs_gpu_report *selftest);

#endif
