#include "cudnn_setup/app.h"
#include "cudnn_setup/diagnose.h"

const cs_app_verb cs_app_verbs[] = {
    {.verb = CS_VERB_INSTALL, .changes = true, .operation = cs_install},
    {.verb = CS_VERB_UNINSTALL, .changes = true, .operation = cs_uninstall},
    {.verb = CS_VERB_ROLLBACK, .changes = true, .operation = cs_rollback},
    {.verb = CS_VERB_REPAIR, .changes = true, .operation = cs_repair},
    {.verb = CS_VERB_RECOVER, .changes = true, .operation = cs_recover},
    {.verb = CS_VERB_FORGET, .changes = true, .operation = cs_forget},
    {.verb = CS_VERB_VERIFY, .operation = cs_verify},
    {.verb = CS_VERB_STATUS, .look = cs_show_status},
    {.verb = CS_VERB_SEAL, .operation = cs_seal},
    {.verb = CS_VERB_DETECT, .look = cs_detect},
    {.verb = CS_VERB_SEARCH_ORDER, .look = cs_show_search_order},
    {.verb = CS_VERB_NEEDS, .look = cs_show_needs},
    {.verb = CS_VERB_DIAGNOSE, .judge = cs_diagnose},
    {.verb = CS_VERB_PROBE, .judge = cs_doctor_probe},
};

const size_t cs_app_verb_count = sizeof cs_app_verbs / sizeof cs_app_verbs[0];

int cs_app_run(const cs_host *host, cs_program program, const char *const *arguments, size_t count, const cs_app_front *front) {
    return cs_app_run_verbs(host, program, arguments, count, front, cs_app_verbs, cs_app_verb_count);
}
