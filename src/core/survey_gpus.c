/* survey_gpus.c: the answer about GPUs, written by a process of its own and read by the window. */
#include "cudnn_setup/json.h"
#include "cudnn_setup/survey.h"

enum { MAX_TEXT = 256, MAX_GPUS = 64, MAX_ANSWER = 64 * 1024 };

void cs_survey_put_gpus(cs_buffer *out, const cs_survey_gpu *gpus, size_t count) {
    cs_json_writer json = {.out = out, .layout = CS_JSON_COMPACT, .lossy = true};
    cs_json_begin(&json, NULL, '{');
    cs_json_begin(&json, "devices", '[');
    for (size_t i = 0; i < count; i++) {
        cs_json_begin(&json, NULL, '{');
        cs_json_put_text(&json, "name", gpus[i].name);
        cs_json_put_text(&json, "capability", gpus[i].capability);
        cs_json_end(&json, '}');
    }
    cs_json_end(&json, ']');
    cs_json_end(&json, '}');
    cs_json_finish(&json, NULL);
}

void cs_survey_take_gpus(cs_survey *machine, const char *bytes, size_t size) {
    const cs_json_limits limits = {.max_bytes = MAX_ANSWER, .lone_surrogates = true};
    cs_json *json = NULL;
    cs_json_reader reader = {.name = "the driver's answer"};
    machine->gpus_asked = true;
    if (cs_json_parse(reader.name, bytes, size, &limits, &json, NULL) != CS_OK) return;
    cs_json_at root = cs_json_root(&reader, json), devices = cs_json_get(&root, "devices");
    size_t count = cs_json_count(&devices, 0, MAX_GPUS);
    machine->gpus = count ? cs_alloc(count, sizeof *machine->gpus) : NULL;
    for (cs_json_at item = {0}; machine->gpus && machine->gpu_count < count && cs_json_each(&devices, &item);) {
        cs_survey_gpu *gpu = &machine->gpus[machine->gpu_count++];
        gpu->name = cs_json_text_copy(cs_json_get(&item, "name"), 0, MAX_TEXT);
        gpu->capability = cs_json_text_copy(cs_json_get(&item, "capability"), 1, MAX_TEXT);
        if (!gpu->name || !gpu->capability) break;
    }
    if (reader.status != CS_OK || (machine->gpu_count && !machine->gpus[machine->gpu_count - 1].capability)) {
        for (size_t i = 0; i < machine->gpu_count; i++) {
            cs_free(machine->gpus[i].name);
            cs_free(machine->gpus[i].capability);
        }
        cs_free(machine->gpus);
        machine->gpus = NULL;
        machine->gpu_count = 0;
    }
    cs_json_free(json);
}
