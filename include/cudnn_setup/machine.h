/* machine.h: whether this machine's driver and GPUs are ones that the package serves: said before anything is installed. The
 * driver's version is read from its file; the GPUs are asked of the driver by cudnn-probe (/stage:device) in a process of its
 * own, which loads nothing but nvcuda.dll from System32: no CUDA and no cuDNN need be there.
 *
 * All text is UTF-8. */
#ifndef CUDNN_SETUP_MACHINE_H
#define CUDNN_SETUP_MACHINE_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/manifest.h"
#include "cudnn_setup/selftest.h"

typedef enum cs_fit {
    CS_FIT_UNKNOWN, /* it could not be asked, or the manifest says nothing */
    CS_FIT_GOOD,
    CS_FIT_ABSENT, /* no NVIDIA driver, no GPU: nothing to run on, but nothing wrong either */
    CS_FIT_BAD     /* the driver is too old, or CUDA has no code for any of the GPUs */
} cs_fit;

enum { CS_MACHINE_DEADLINE_MS = 20000 };

/* Starts as {0}. */
typedef struct cs_machine {
    cs_buffer driver; /* "456.71"; empty: none, or none that can be read */
    cs_fit driver_fit;
    cs_gpu_device devices[CS_GPU_MAX_DEVICES]; /* as the driver names them; fit of each: CS_GPU_PASSED, _DEVICE_TOO_NEW, ... */
    size_t device_count;
    cs_fit gpu_fit;                                                                /* of the best of them */
    cs_buffer driver_sentence[CS_LANGUAGE_COUNT], gpu_sentence[CS_LANGUAGE_COUNT]; /* never empty after the calls below */
} cs_machine;

/* The driver, from its file; the GPUs stay unknown. Runs and loads nothing. */
void cs_machine_read_driver(const cs_host *host, const cs_manifest *manifest, cs_machine *out);
/* The GPUs, from what cudnn-probe /stage:device printed; false if that cannot be read (then they are unknown). */
bool cs_machine_read_devices(const char *bytes, size_t size, const cs_manifest *manifest, cs_machine *out);
/* Runs the cudnn-probe.exe of that path for it, with a deadline of CS_MACHINE_DEADLINE_MS, without administrator rights unless
 * as_current; false, with the GPUs unknown, if it gives no answer. */
bool cs_machine_ask(const cs_host *host, const char *probe, bool as_current, const cs_manifest *manifest, cs_machine *out);
void cs_machine_free(cs_machine *machine);

#endif
