/* verdict.c: the names of the verdicts, whom they blame, and their sentences. */
#include "gpu.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct verdict_row {
    const char *name;
    cs_gpu_blame blame;
} verdict_row;

static const verdict_row rows[CS_GPU_VERDICT_COUNT] = {
    [CS_GPU_PASSED] = {"passed", CS_GPU_BLAME_NOBODY},
    [CS_GPU_SAMPLE] = {"sample", CS_GPU_BLAME_NOBODY},
    [CS_GPU_CUDNN_ABSENT] = {"cudnn-absent", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_PART_MISSING] = {"part-missing", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_RUNTIME_ABSENT] = {"runtime-absent", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_SYMBOL_MISSING] = {"symbol-missing", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_PARTS_MIXED] = {"parts-mixed", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_RUNTIME_MIXED] = {"runtime-mixed", CS_GPU_BLAME_INSTALLATION},
    [CS_GPU_NO_DRIVER] = {"no-driver", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DRIVER_TOO_OLD] = {"driver-too-old", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DRIVER_MISMATCH] = {"driver-mismatch", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DRIVER_BROKEN] = {"driver-broken", CS_GPU_BLAME_MACHINE},
    [CS_GPU_NO_DEVICE] = {"no-device", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DEVICE_HIDDEN] = {"device-hidden", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DEVICE_TOO_NEW] = {"device-too-new", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DEVICE_TOO_OLD] = {"device-too-old", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DEVICE_UNSERVED] = {"device-unserved", CS_GPU_BLAME_MACHINE},
    [CS_GPU_DEVICE_BUSY] = {"device-busy", CS_GPU_BLAME_MACHINE},
    [CS_GPU_MEMORY_TAKEN] = {"memory-taken", CS_GPU_BLAME_MACHINE},
    [CS_GPU_WATCHDOG] = {"watchdog", CS_GPU_BLAME_MACHINE},
    [CS_GPU_NOT_INITIALIZED] = {"not-initialized", CS_GPU_BLAME_UNKNOWN},
    [CS_GPU_EXECUTION_FAILED] = {"execution-failed", CS_GPU_BLAME_UNKNOWN},
    [CS_GPU_WRONG_RESULT] = {"wrong-result", CS_GPU_BLAME_UNKNOWN},
    [CS_GPU_NO_ALGORITHM] = {"no-algorithm", CS_GPU_BLAME_UNKNOWN},
    [CS_GPU_NO_MEMORY] = {"no-memory", CS_GPU_BLAME_MACHINE},
};

static const char *const outcomes[CS_GPU_OUTCOME_COUNT] = {
    [CS_GPU_RIGHT] = "right",         [CS_GPU_UNSUPPORTED] = "unsupported",
    [CS_GPU_NO_ROOM] = "no-room",     [CS_GPU_LACKING] = "lacking",
    [CS_GPU_WRONG] = "wrong",         [CS_GPU_NOT_A_NUMBER] = "not-a-number",
    [CS_GPU_UNTOUCHED] = "untouched", [CS_GPU_OVERRUN] = "overrun",
    [CS_GPU_FAILED] = "failed",
};

static bool is_known(cs_gpu_verdict verdict) { return (unsigned)verdict < CS_GPU_VERDICT_COUNT; }

const char *cs_gpu_verdict_name(cs_gpu_verdict verdict) { return is_known(verdict) ? rows[verdict].name : "unknown"; }
cs_gpu_blame cs_gpu_blame_of(cs_gpu_verdict verdict) { return is_known(verdict) ? rows[verdict].blame : CS_GPU_BLAME_UNKNOWN; }

const char *cs_gpu_outcome_name(cs_gpu_outcome outcome) {
    return (unsigned)outcome < CS_GPU_OUTCOME_COUNT ? outcomes[outcome] : "unknown";
}

/* The device that a sentence is about: the one used, else the first. */
static const cs_gpu_device *subject(const cs_selftest *out) {
    static const cs_gpu_device none = {.name = "the GPU"};
    if (!out->device_count) return &none;
    return &out->devices[out->device >= 0 ? out->device : 0];
}

static const char *name_of(const cs_gpu_device *device) { return device->name[0] ? device->name : "the GPU"; }

/* CUDA's numbers are 1000 * major + 10 * minor. */
static void cuda_number(cs_buffer *text, uint64_t version) {
    cs_buffer_format(text, "CUDA %" PRIu64 ".%" PRIu64, version / 1000, version % 1000 / 10);
}

static void say_right(const cs_selftest *out, cs_buffer *text) {
    size_t right = 0;
    double worst = 0;
    for (size_t i = 0; i < out->run_count; i++) {
        if (out->runs[i].outcome != CS_GPU_RIGHT) continue;
        right++;
        if (out->runs[i].error / out->runs[i].limit > worst) worst = out->runs[i].error / out->runs[i].limit;
    }
    cs_buffer_format(text, "all %zu computations that were compared are right (the worst error is %.0f %% of its limit)", right,
                     worst * 100);
}

static void say_loading(const cs_selftest *out, cs_buffer *text) {
    if (out->system) cs_buffer_format(text, " (error %u)", (unsigned)out->system);
}

static void say_driver_too_old(const cs_selftest *out, cs_buffer *text) {
    cs_buffer_text(text, "The NVIDIA driver");
    if (out->driver_version) cs_buffer_format(text, " %s", out->driver_version);
    cs_buffer_text(text, " is too old: it serves ");
    cuda_number(text, out->driver_cuda > 0 ? (uint64_t)out->driver_cuda : 0);
    cs_buffer_text(text, ", and ");
    cuda_number(text, out->runtime_version > 0 ? (uint64_t)out->runtime_version : 0);
    cs_buffer_text(text, " is installed");
    if (out->runtime_version == 10010) cs_buffer_text(text, ", which needs driver 418.96 or newer on Windows");
    cs_buffer_text(text, ". cuDNN itself may be in order.");
}

static void say_memory(const cs_gpu_device *device, cs_buffer *text) {
    cs_buffer_format(text, "%s has too little free memory", name_of(device));
    if (device->memory_total)
        cs_buffer_format(text, ": %" PRIu64 " of %" PRIu64 " MiB are free, other programs have the rest.",
                         device->memory_free >> 20, device->memory_total >> 20);
    else
        cs_buffer_text(text, " even to be asked how much: other programs have it.");
}

static void say_device(const cs_selftest *out, cs_buffer *text) {
    const cs_gpu_device *device = subject(out);
    const char *name = name_of(device);
    switch (out->verdict) {
    case CS_GPU_DEVICE_TOO_NEW:
        cs_buffer_format(
            text,
            "%s has compute capability %d.%d, and CUDA 10.1 has no code for GPUs newer than 7.5: it needs CUDA 11 or "
            "newer, and installing cuDNN for CUDA 10.1 again will not help.",
            name, device->major, device->minor);
        break;
    case CS_GPU_DEVICE_TOO_OLD:
        cs_buffer_format(text, "%s has compute capability %d.%d, and CUDA 10.1 serves 3.0 and newer only.", name, device->major,
                         device->minor);
        break;
    case CS_GPU_DEVICE_UNSERVED:
        cs_buffer_format(text, "The libraries have no code for %s (compute capability %d.%d); %s answered %d.", name,
                         device->major, device->minor, out->culprit.size ? out->culprit.data : "the runtime", out->status);
        break;
    case CS_GPU_DEVICE_BUSY:
        cs_buffer_format(text, "%s is in a compute mode that keeps this program out, or another program has it to itself.", name);
        break;
    case CS_GPU_WATCHDOG:
        cs_buffer_format(text, "The system ended work on %s that took too long; another program may be keeping it busy.", name);
        break;
    default:
        say_memory(device, text);
        break;
    }
}

static const char *outcome_sentence(cs_gpu_outcome outcome) {
    switch (outcome) {
    case CS_GPU_NOT_A_NUMBER:
        return "is not a number in places";
    case CS_GPU_UNTOUCHED:
        return "was not written completely";
    case CS_GPU_OVERRUN:
        return "went past the end of its memory";
    default:
        return "differs from the reference";
    }
}

static void say_wrong(const cs_selftest *out, cs_buffer *text) {
    size_t wrong = 0;
    const cs_gpu_run *first = NULL;
    for (size_t i = 0; i < out->run_count; i++)
        if (out->runs[i].outcome >= CS_GPU_WRONG) {
            if (!first) first = &out->runs[i];
            wrong++;
        }
    if (!first) {
        cs_buffer_format(text, "%s gave an impossible answer.", cs_buffer_string(&out->culprit));
        return;
    }
    cs_buffer_format(text,
                     "The result of %s (%s%s%s, %s) %s: relative error %.3g, at most %.3g is allowed; %zu of %zu are wrong.",
                     first->operation, first->shape, first->algorithm[0] ? ", " : "", first->algorithm,
                     first->type == CS_GPU_FP16 ? "fp16" : "fp32", outcome_sentence(first->outcome), first->error, first->limit,
                     wrong, out->run_count);
}

static void say_mixed(const cs_selftest *out, cs_buffer *text) {
    cs_buffer_text(text, "cuDNN was built for ");
    cuda_number(text, out->cudnn_built_for);
    cs_buffer_text(text, ", but the runtime that was found is of ");
    cuda_number(text, (uint64_t)out->runtime_version);
    cs_buffer_format(text, " (%s).", cs_buffer_string(&out->runtime_path));
}

static void say_installation(const cs_selftest *out, cs_buffer *text) {
    const char *culprit = cs_buffer_string(&out->culprit);
    switch (out->verdict) {
    case CS_GPU_CUDNN_ABSENT:
        cs_buffer_format(text, "A new program cannot load %s", culprit);
        say_loading(out, text);
        cs_buffer_text(text, ".");
        break;
    case CS_GPU_PART_MISSING:
        cs_buffer_format(text, "cuDNN's part %s cannot be loaded", culprit);
        say_loading(out, text);
        cs_buffer_text(text, "; without it cuDNN ends the program that uses it.");
        break;
    case CS_GPU_RUNTIME_ABSENT:
        cs_buffer_format(text, "The CUDA runtime %s cannot be loaded", culprit);
        say_loading(out, text);
        cs_buffer_text(text, ": the CUDA toolkit is not installed, or PATH does not lead to it.");
        break;
    case CS_GPU_PARTS_MIXED:
        cs_buffer_format(text, "The part %s is not of the same version as cuDNN's main library: files of two versions are mixed.",
                         culprit);
        break;
    case CS_GPU_RUNTIME_MIXED:
        say_mixed(out, text);
        break;
    default:
        cs_buffer_format(text, "The function %s is missing: the library is of another version, or damaged.", culprit);
        break;
    }
}

static void say_driver(const cs_selftest *out, cs_buffer *text) {
    switch (out->verdict) {
    case CS_GPU_NO_DRIVER:
        cs_buffer_text(text, "There is no NVIDIA driver on this machine. cuDNN itself may be in order.");
        break;
    case CS_GPU_DRIVER_TOO_OLD:
        say_driver_too_old(out, text);
        break;
    case CS_GPU_DRIVER_MISMATCH:
        cs_buffer_format(text, "Parts of the NVIDIA driver are of different versions (error %d): restart the machine.",
                         out->status);
        break;
    case CS_GPU_DRIVER_BROKEN:
        cs_buffer_format(text,
                         "The NVIDIA driver does not start (%s answered %d): restart the machine, then reinstall the driver.",
                         cs_buffer_string(&out->culprit), out->status);
        break;
    case CS_GPU_DEVICE_HIDDEN:
        cs_buffer_format(text, "CUDA_VISIBLE_DEVICES is set to \"%s\", which leaves no GPU visible.",
                         out->visible_devices ? out->visible_devices : "");
        break;
    default:
        cs_buffer_text(text, "The NVIDIA driver finds no GPU that it serves.");
        break;
    }
}

static void say_work(const cs_selftest *out, cs_buffer *text) {
    const char *culprit = cs_buffer_string(&out->culprit);
    switch (out->verdict) {
    case CS_GPU_NOT_INITIALIZED:
        cs_buffer_format(text, "cuDNN could not start on %s (%s answered %d) and nothing that was looked at explains it.",
                         name_of(subject(out)), culprit, out->status);
        break;
    case CS_GPU_WRONG_RESULT:
        say_wrong(out, text);
        break;
    case CS_GPU_NO_ALGORITHM:
        cs_buffer_format(text, "cuDNN offers no algorithm for %s on %s.", *culprit ? culprit : "any shape",
                         name_of(subject(out)));
        break;
    case CS_GPU_NO_MEMORY:
        cs_buffer_text(text, "The test ran out of memory.");
        break;
    default:
        cs_buffer_format(text, "%s failed on %s (error %d).", *culprit ? culprit : "A call", name_of(subject(out)), out->status);
        break;
    }
}

void gpu_say(cs_selftest *out) {
    cs_buffer *text = &out->sentence;
    if (out->verdict == CS_GPU_PASSED) {
        cs_buffer_format(text, "cuDNN computes right on %s: ", name_of(subject(out)));
        say_right(out, text);
        cs_buffer_text(text, ".");
    } else if (out->verdict == CS_GPU_SAMPLE) {
        cs_buffer_text(text, "This is a sample, computed on the CPU; no GPU was used: ");
        say_right(out, text);
        cs_buffer_text(text, ".");
    } else if (out->verdict < CS_GPU_NO_DRIVER) {
        say_installation(out, text);
    } else if (out->verdict < CS_GPU_DEVICE_TOO_NEW) {
        say_driver(out, text);
    } else if (out->verdict < CS_GPU_NOT_INITIALIZED) {
        say_device(out, text);
    } else {
        say_work(out, text);
    }
}
