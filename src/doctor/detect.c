#include "cudnn_setup/operations.h"
#include "cudnn_setup/toolkit.h"

static cs_status conclude(const cs_toolkits *toolkits, cs_outcome *outcome) {
    if (toolkits->chosen == toolkits->count) {
        cs_buffer_text(&outcome->message, "There is no usable CUDA 10.1 toolkit.");
        return cs_fail(&outcome->error, CS_E_TOOLKIT, NULL, NULL, NULL);
    }
    const cs_toolkit_candidate *taken = &toolkits->items[toolkits->chosen];
    cs_buffer_format(&outcome->message, "The CUDA toolkit is %s (%s).", taken->path,
                     taken->version ? taken->version : "version unknown");
    outcome->tree_path = cs_strdup(taken->path);
    return outcome->tree_path ? CS_OK : cs_fail(&outcome->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
}

cs_status cs_detect(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_toolkits toolkits = {0};
    cs_status status = cs_toolkit_detect(host, "10.1", options->cuda, &toolkits, &outcome->error);
    if (!status) {
        cs_toolkits_explain(&toolkits, report);
        status = conclude(&toolkits, outcome);
    }
    cs_toolkits_free(&toolkits);
    outcome->status = status;
    outcome->result = status ? CS_RESULT_FAILED : CS_RESULT_DONE;
    return status;
}
