/* selftest_json.c: the result as data for other programs. */
#include <stdio.h>

#include "cudnn_setup/selftest.h"

static void put_fraction(cs_json_writer *w, const char *key, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.3e", value);
    cs_json_put_text(w, key, text);
}

static void put_known(cs_json_writer *w, const char *key, const cs_buffer *text) {
    if (text->size) cs_json_put_text(w, key, text->data);
}

/* Statuses and ordinals are never negative in what the libraries document; what is not documented is told as text. */
static void put_number(cs_json_writer *w, const char *key, int value) {
    char text[16];
    if (value >= 0) {
        cs_json_put_uint(w, key, (uint64_t)value);
        return;
    }
    snprintf(text, sizeof text, "%d", value);
    cs_json_put_text(w, key, text);
}

static void put_versions(cs_json_writer *w, const cs_gpu_report *s) {
    cs_json_begin(w, "versions", '{');
    cs_json_put_uint(w, "cudnn", s->cudnn_version);
    cs_json_put_uint(w, "cudnn_built_for", s->cudnn_built_for);
    put_number(w, "runtime", s->runtime_version);
    put_number(w, "driver_cuda", s->driver_cuda);
    if (s->driver_version) cs_json_put_text(w, "driver", s->driver_version);
    put_known(w, "cudnn_path", &s->cudnn_path);
    put_known(w, "runtime_path", &s->runtime_path);
    put_known(w, "driver_path", &s->driver_path);
    cs_json_end(w, '}');
}

static void put_device(cs_json_writer *w, const cs_gpu_device *device, bool used) {
    char capability[32];
    snprintf(capability, sizeof capability, "%d.%d", device->major, device->minor);
    cs_json_begin_line(w, NULL, '{');
    put_number(w, "ordinal", device->ordinal);
    cs_json_put_text(w, "name", device->name);
    cs_json_put_text(w, "capability", capability);
    cs_json_put_uint(w, "memory_free", device->memory_free);
    cs_json_put_uint(w, "memory_total", device->memory_total);
    cs_json_put_text(w, "fit", cs_gpu_verdict_name(device->fit));
    if (device->status) put_number(w, "status", device->status);
    cs_json_put_bool(w, "used", used);
    cs_json_end(w, '}');
}

static void put_run(cs_json_writer *w, const cs_gpu_run *run) {
    cs_json_begin_line(w, NULL, '{');
    cs_json_put_text(w, "operation", run->operation);
    cs_json_put_text(w, "part", run->part);
    cs_json_put_text(w, "shape", run->shape);
    cs_json_put_text(w, "type", run->type == CS_GPU_FP16 ? "fp16" : "fp32");
    cs_json_put_text(w, "algorithm", run->algorithm);
    cs_json_put_text(w, "outcome", cs_gpu_outcome_name(run->outcome));
    if (run->status) put_number(w, "status", run->status);
    if (run->call) cs_json_put_text(w, "call", run->call);
    cs_json_put_uint(w, "workspace", run->workspace);
    if (run->first_ns) {
        put_fraction(w, "error", run->error);
        put_fraction(w, "worst", run->worst);
        put_fraction(w, "limit", run->limit);
        cs_json_put_uint(w, "first_ns", run->first_ns);
        cs_json_put_uint(w, "later_ns", run->later_ns);
        cs_json_put_uint(w, "later_calls", run->later);
    }
    cs_json_end(w, '}');
}

void cs_selftest_put_json(cs_json_writer *w, const char *key, const cs_gpu_report *s) {
    cs_json_begin(w, key, '{');
    cs_json_put_text(w, "verdict", cs_gpu_verdict_name(s->verdict));
    cs_json_put_text(w, "blame", cs_gpu_blame_name(cs_gpu_blame_of(s->verdict)));
    cs_json_put_text(w, "sentence", cs_buffer_string(&s->sentence));
    cs_json_put_text(w, "chinese", cs_buffer_string(&s->chinese));
    cs_json_put_bool(w, "sample", s->sample);
    put_known(w, "culprit", &s->culprit);
    if (s->system) cs_json_put_uint(w, "system", s->system);
    if (s->status) put_number(w, "status", s->status);
    put_versions(w, s);
    if (s->visible_devices) cs_json_put_text(w, "visible_devices", s->visible_devices);
    cs_json_begin(w, "devices", '[');
    for (size_t i = 0; i < s->device_count; i++) put_device(w, &s->devices[i], (int)i == s->device);
    cs_json_end(w, ']');
    cs_json_begin(w, "runs", '[');
    for (size_t i = 0; i < s->run_count; i++) put_run(w, &s->runs[i]);
    cs_json_end(w, ']');
    cs_json_end(w, '}');
}
