/* probe_main.c: cudnn-probe, run as a child with a deadline. Loads cuDNN as any program would, by bare name through the search
 * order of Windows, which it leaves as it is, or computes with it, and prints one JSON object. It refuses to do so with an
 * administrator's rights, because what PATH leads to is other people's code, unless told to (/selftest-as:current). */
#include "common.h"
#include "cudnn_setup/text.h"
#include "probe.h"

/* Prints the object and gives code back, or PROBE_FAILED when it could not be made. */
static int finish(probe *p, int code) {
    cs_json_put_uint(&p->json, "exit", (uint64_t)code);
    cs_json_put_text(&p->json, "verdict", cs_gpu_verdict_name(p->verdict));
    if (p->version) cs_json_put_uint(&p->json, "cudnn_version", p->version);
    if (p->message.size) cs_json_put_text(&p->json, "error", cs_buffer_string(&p->message));
    if (p->chinese.size) cs_json_put_text(&p->json, "chinese", cs_buffer_string(&p->chinese));
    cs_json_end(&p->json, '}');
    common_streams streams;
    if (cs_json_finish(&p->json, NULL) != CS_OK || p->message.failed || !common_streams_open(&streams, false))
        code = PROBE_FAILED;
    else
        common_write(&streams, false, p->json.out->data, p->json.out->size);
    cs_buffer_free(p->json.out);
    cs_buffer_free(&p->message);
    cs_buffer_free(&p->chinese);
    return code;
}

int wmain(void) {
    common_guard(false);
    cs_host host = common_host();
    cs_strings words = {0};
    cs_options options = {0};
    cs_error error = {0};
    cs_buffer out = {0};
    probe p = {.json = {.out = &out, .layout = CS_JSON_PRETTY, .lossy = true}, .host = &host, .verdict = CS_GPU_NOT_RUN};
    cs_status status = common_arguments(&words, &error);
    if (!status) status = cs_options_parse(CS_PROGRAM_PROBE, (const char *const *)words.items, words.count, &options, &error);
    cs_strings_free(&words);
    cs_json_begin(&p.json, NULL, '{');
    cs_json_put_uint(&p.json, "stage", options.stage_device ? 0 : options.stage_gpu ? 3 : 2);
    if (status) {
        char text[2048];
        cs_error_text(&error, text, sizeof text);
        cs_buffer_text(&p.message, text);
        return finish(&p, PROBE_USAGE);
    }
    if (host.system->is_administrator(host.system->ctx) && !options.selftest_as_current) {
        cs_buffer_text(&p.message, "not run with administrator rights: what PATH leads to is other people's code");
        p.verdict = CS_GPU_REFUSED;
        return finish(&p, PROBE_REFUSED);
    }
    return finish(&p, options.stage_device ? probe_devices(&p) : options.stage_gpu ? probe_compute(&p) : probe_load(&p));
}
