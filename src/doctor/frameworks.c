/* frameworks.c: the frameworks on this machine, and whether 8.0.3 serves them. */
#include "cudnn_setup/frameworks.h"

#include "doctor.h"

static size_t count_of(const cs_frameworks *found, cs_serves serves) {
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) count += found->items[i].serves == serves;
    return count;
}

/* One that is not served is something to know, not a fault: it can live beside one that is. */
cs_status cs_doctor_frameworks(const cs_host *host, cs_buffer *report, cs_outcome *outcome) {
    cs_frameworks found = {0};
    cs_buffer *out = &outcome->message;
    cs_status status = cs_frameworks_find(host, &found, &outcome->error);
    if (status == CS_OK) {
        size_t unserved = count_of(&found, CS_SERVES_NO);
        cs_frameworks_tell(&found, CS_ENGLISH, report);
        if (found.count)
            cs_buffer_format(out, "%zu found in %zu Python environments; %zu of them cannot use cuDNN 8.0.3 for CUDA 10.1.",
                             found.count, found.folders.count, unserved);
        else
            cs_buffer_format(out, "None that is known here, in %zu Python environments.", found.folders.count);
        if (found.skipped) cs_buffer_format(out, " Places not looked into (on the network, or too many): %zu.", found.skipped);
        status = unserved ? CS_E_NOTHING : CS_OK;
    }
    cs_frameworks_free(&found);
    return status;
}
