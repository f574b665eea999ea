#include "cudnn_setup/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/driver.h"
#include "cudnn_setup/environment.h"
#include "cudnn_setup/text.h"

void cs_machine_free(cs_machine *machine) {
    cs_buffer_free(&machine->driver);
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_free(&machine->driver_sentence[i]);
        cs_buffer_free(&machine->gpu_sentence[i]);
    }
    *machine = (cs_machine){0};
}

/* "418.96" before "430.00"; both are two numbers. */
static int compare_dotted(const char *a, const char *b) {
    char *after_a, *after_b;
    unsigned long left = strtoul(a, &after_a, 10), right = strtoul(b, &after_b, 10);
    if (left != right) return left < right ? -1 : 1;
    left = *after_a ? strtoul(after_a + 1, NULL, 10) : 0;
    right = *after_b ? strtoul(after_b + 1, NULL, 10) : 0;
    return left < right ? -1 : left > right;
}

static void say(cs_buffer sentence[CS_LANGUAGE_COUNT], const char *english, const char *chinese) {
    const char *const texts[CS_LANGUAGE_COUNT] = {[CS_ENGLISH] = english, [CS_CHINESE] = chinese};
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) {
        cs_buffer_clear(&sentence[i]);
        cs_buffer_text(&sentence[i], texts[i]);
    }
}

/* ---- the driver ---- */

static bool has_driver_file(const cs_host *host) {
    cs_buffer folder = {0};
    bool there = host->system->folder(host->system->ctx, CS_FOLDER_SYSTEM, &folder, NULL) == CS_OK;
    if (there) cs_buffer_format(&folder, "%cnvcuda.dll", host->fs->separator);
    there = there && cs_fs_exists(host->fs, cs_buffer_string(&folder));
    cs_buffer_free(&folder);
    return there;
}

static void say_driver(const cs_manifest *m, cs_machine *out) {
    cs_buffer *const sentence = out->driver_sentence;
    const char *driver = cs_buffer_string(&out->driver);
    say(sentence, "", "");
    if (out->driver_fit == CS_FIT_ABSENT) {
        say(sentence, "There is no NVIDIA driver on this machine: cuDNN has nothing to run on.",
            "此计算机上没有 NVIDIA 驱动程序：cuDNN 没有可供运行的 GPU。");
    } else if (out->driver_fit == CS_FIT_BAD) {
        cs_buffer_format(
            &sentence[CS_ENGLISH],
            "The NVIDIA driver %s is too old: CUDA %s needs %s or newer. cuDNN can be installed, but it will not work "
            "before the driver is updated.",
            driver, m->cuda, m->driver_min);
        cs_buffer_format(&sentence[CS_CHINESE],
                         "NVIDIA 驱动程序 %s 太旧：CUDA %s 需要 %s 或更新版本。可以安装 cuDNN，但更新驱动程序之前无法使用。",
                         driver, m->cuda, m->driver_min);
    } else if (out->driver_fit == CS_FIT_GOOD) {
        cs_buffer_format(&sentence[CS_ENGLISH], "NVIDIA driver %s; CUDA %s needs %s or newer.", driver, m->cuda, m->driver_min);
        cs_buffer_format(&sentence[CS_CHINESE], "NVIDIA 驱动程序 %s；CUDA %s 需要 %s 或更新版本。", driver, m->cuda,
                         m->driver_min);
    } else if (*driver) { /* the package does not say what it needs */
        cs_buffer_format(&sentence[CS_ENGLISH], "NVIDIA driver %s.", driver);
        cs_buffer_format(&sentence[CS_CHINESE], "NVIDIA 驱动程序 %s。", driver);
    } else {
        say(sentence, "The version of the NVIDIA driver cannot be read.", "无法读取 NVIDIA 驱动程序的版本。");
    }
}

void cs_machine_read_driver(const cs_host *host, const cs_manifest *manifest, cs_machine *out) {
    cs_buffer_clear(&out->driver);
    bool known = cs_driver_version(host, &out->driver);
    if (!known)
        out->driver_fit = has_driver_file(host) ? CS_FIT_UNKNOWN : CS_FIT_ABSENT;
    else if (!manifest->driver_min)
        out->driver_fit = CS_FIT_UNKNOWN;
    else
        out->driver_fit = compare_dotted(out->driver.data, manifest->driver_min) < 0 ? CS_FIT_BAD : CS_FIT_GOOD;
    say_driver(manifest, out);
}

/* ---- the GPUs ---- */

enum { MAX_TEXT = 256, MAX_ANSWER = 64 * 1024 };

static cs_gpu_verdict judge_device(const cs_manifest *m, const char *capability) {
    if (m->compute_max && compare_dotted(capability, m->compute_max) > 0) return CS_GPU_DEVICE_TOO_NEW;
    if (m->compute_min && compare_dotted(capability, m->compute_min) < 0) return CS_GPU_DEVICE_TOO_OLD;
    return CS_GPU_PASSED;
}

/* "7.5": two plain numbers. */
static bool read_capability(const char *text, int *major, int *minor) {
    size_t first = strspn(text, "0123456789");
    size_t second = text[first] == '.' ? strspn(text + first + 1, "0123456789") : 0;
    if (!first || first > 3 || !second || second > 3 || text[first + 1 + second]) return false;
    *major = (int)strtol(text, NULL, 10);
    *minor = (int)strtol(text + first + 1, NULL, 10);
    return true;
}

static void read_device(const cs_json_at *item, const cs_manifest *m, cs_machine *out) {
    cs_json_at capability = cs_json_get(item, "capability");
    const char *name = cs_json_text(cs_json_get(item, "name"), 0, CS_GPU_NAME - 1), *text = cs_json_text(capability, 1, 15);
    cs_gpu_device *device = &out->devices[out->device_count];
    *device = (cs_gpu_device){.ordinal = (int)out->device_count};
    if (!read_capability(text, &device->major, &device->minor)) {
        cs_json_bad(&capability, "is no compute capability");
        return;
    }
    memcpy(device->name, name, strlen(name) + 1);
    device->fit = judge_device(m, text);
    out->device_count++;
}

/* The one that the sentence is about: the first that fits, else the first. */
static const cs_gpu_device *best(const cs_machine *machine) {
    for (size_t i = 0; i < machine->device_count; i++)
        if (machine->devices[i].fit == CS_GPU_PASSED) return &machine->devices[i];
    return machine->device_count ? &machine->devices[0] : NULL;
}

static void say_device(const cs_manifest *m, const cs_gpu_device *device, cs_machine *out) {
    const char *name = device->name[0] ? device->name : "GPU";
    cs_buffer *const sentence = out->gpu_sentence;
    const char *least = m->compute_min ? m->compute_min : "?", *most = m->compute_max ? m->compute_max : "?";
    say(sentence, "", "");
    cs_buffer_format(&sentence[CS_ENGLISH], "%s has compute capability %d.%d; CUDA %s serves %s to %s.", name, device->major,
                     device->minor, m->cuda, least, most);
    cs_buffer_format(&sentence[CS_CHINESE], "%s 的计算能力为 %d.%d；CUDA %s 支持 %s 至 %s。", name, device->major, device->minor,
                     m->cuda, least, most);
    if (device->fit == CS_GPU_DEVICE_TOO_NEW) {
        cs_buffer_text(&sentence[CS_ENGLISH],
                       " This GPU needs a newer CUDA with its own cuDNN: installing this one will not help.");
        cs_buffer_text(&sentence[CS_CHINESE], "此 GPU 需要更新的 CUDA 及其对应的 cuDNN：安装此版本没有帮助。");
    } else if (device->fit == CS_GPU_DEVICE_TOO_OLD) {
        cs_buffer_text(&sentence[CS_ENGLISH], " This GPU needs an older CUDA: installing this cuDNN will not help.");
        cs_buffer_text(&sentence[CS_CHINESE], "此 GPU 需要更旧的 CUDA：安装此 cuDNN 没有帮助。");
    }
}

static void unknown(cs_machine *out) {
    out->device_count = 0;
    out->gpu_fit = CS_FIT_UNKNOWN;
    say(out->gpu_sentence, "Which GPUs there are could not be found out.", "无法查明有哪些 GPU。");
}

/* verdict: why the driver names none. */
static void conclude(cs_gpu_verdict verdict, const char *visible, const cs_manifest *m, cs_machine *out) {
    const cs_gpu_device *device = best(out);
    if (device) {
        out->gpu_fit = device->fit == CS_GPU_PASSED ? CS_FIT_GOOD : CS_FIT_BAD;
        if (!m->compute_min && !m->compute_max) out->gpu_fit = CS_FIT_UNKNOWN;
        say_device(m, device, out);
        return;
    }
    cs_facts facts = {0};
    cs_facts_set(&facts, CS_FACT_VISIBLE, "%s", visible);
    out->gpu_fit = verdict == CS_GPU_NO_DRIVER || verdict == CS_GPU_NO_DEVICE ? CS_FIT_ABSENT
                   : verdict == CS_GPU_DEVICE_HIDDEN                          ? CS_FIT_BAD
                                                                              : CS_FIT_UNKNOWN;
    for (int i = 0; i < CS_LANGUAGE_COUNT; i++) cs_buffer_clear(&out->gpu_sentence[i]);
    for (int i = 0; i < CS_LANGUAGE_COUNT && out->gpu_fit != CS_FIT_UNKNOWN; i++)
        cs_verdict_say(verdict, (cs_language)i, &facts, &out->gpu_sentence[i]);
    if (out->gpu_fit == CS_FIT_UNKNOWN) unknown(out);
    cs_facts_free(&facts);
}

bool cs_machine_read_devices(const char *bytes, size_t size, const cs_manifest *manifest, cs_machine *out) {
    const cs_json_limits limits = {.max_bytes = MAX_ANSWER, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_error error = {0};
    cs_json_reader reader = {.name = "the probe's answer", .error = &error};
    out->device_count = 0;
    if (cs_json_parse("the probe's answer", bytes, size, &limits, &json, &error) == CS_OK) {
        cs_json_at root = cs_json_root(&reader, json), gpu = cs_json_get(&root, "gpu");
        cs_json_at devices = cs_json_get(&gpu, "devices"), name = cs_json_get(&gpu, "verdict");
        cs_json_at visible = cs_json_maybe(&gpu, "visible_devices");
        cs_gpu_verdict verdict = CS_GPU_NO_ANSWER;
        if (!cs_gpu_verdict_of_name(cs_json_text(name, 1, MAX_TEXT), &verdict)) cs_json_bad(&name, "no such verdict is known");
        cs_json_count(&devices, 0, CS_GPU_MAX_DEVICES);
        for (cs_json_at item = {0}; cs_json_each(&devices, &item);) read_device(&item, manifest, out);
        conclude(verdict, visible.node ? cs_json_text(visible, 0, 4096) : "", manifest, out);
    }
    bool read = json && reader.status == CS_OK;
    cs_json_free(json);
    if (!read) unknown(out);
    return read;
}

bool cs_machine_ask(const cs_host *host, const char *probe, bool as_current, const cs_manifest *manifest, cs_machine *out) {
    const char *const arguments[] = {"/stage:device", "/selftest-as:current"};
    bool own = as_current || !host->system->is_administrator(host->system->ctx);
    cs_strings environment = {0};
    cs_child_result result = {0};
    bool answered = cs_fs_exists(host->fs, probe) && cs_environment_for_child(host, own, &environment, NULL) == CS_OK;
    if (answered) {
        const cs_child child = {.program = probe,
                                .arguments = arguments,
                                .argument_count = as_current ? 2 : 1,
                                .environment = (const char *const *)environment.items,
                                .environment_count = environment.count,
                                .deadline_ms = CS_MACHINE_DEADLINE_MS,
                                .as_current = as_current};
        answered = host->system->run(host->system->ctx, &child, &result, NULL) == CS_OK && !result.refused && !result.timed_out;
    }
    if (answered)
        answered = cs_machine_read_devices(cs_buffer_string(&result.output), result.output.size, manifest, out);
    else
        unknown(out);
    cs_buffer_free(&result.output);
    cs_strings_free(&environment);
    return answered;
}
