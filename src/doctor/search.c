#include "cudnn_setup/pe.h"
#include "cudnn_setup/search_order.h"
#include "doctor.h"

static const char shim[] = "cudnn64_8.dll";

static void say_version(const cs_search_dll *dll, cs_buffer *out) {
    if (dll->has_version)
        cs_buffer_format(out, "version %u.%u.%u.%u", dll->version[0], dll->version[1], dll->version[2], dll->version[3]);
    else
        cs_buffer_text(out, "no version in it");
}

static cs_status judge(const cs_search_order *order, cs_outcome *outcome) {
    const cs_search_place *place = NULL;
    const cs_search_dll *dll = cs_search_order_first(order, shim, &place);
    cs_buffer *out = &outcome->message;
    if (!dll) {
        cs_buffer_format(out, "A new program finds no %s.", shim);
        return CS_E_NOTHING;
    }
    cs_buffer_format(out, "A new program finds %s in %s (%s, ", shim, place->path ? place->path : "?",
                     cs_search_kind_text(place->kind));
    say_version(dll, out);
    cs_buffer_text(out, ").");
    if (!dll->status && dll->machine == CS_PE_MACHINE_X64) return CS_OK;
    cs_buffer_text(out, dll->status == CS_E_FORMAT ? " It is no sound DLL."
                        : dll->status              ? " It cannot be read."
                                                   : " It is not for x64.");
    return CS_E_DIFFERS;
}

cs_status cs_doctor_search(const cs_host *host, cs_buffer *report, cs_outcome *outcome) {
    cs_search_order order = {0};
    cs_status status = cs_search_order_read(host, NULL, &order, &outcome->error);
    if (!status) {
        cs_search_order_report(&order, report);
        status = judge(&order, outcome);
    }
    cs_search_order_free(&order);
    return status;
}

/* Whoever asks for the order is answered, whatever it is. */
cs_status cs_show_search_order(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    (void)options;
    cs_status status = cs_doctor_search(host, report, outcome);
    if (status == CS_E_NOTHING || status == CS_E_DIFFERS) status = CS_OK;
    outcome->status = status;
    outcome->result = status ? CS_RESULT_FAILED : CS_RESULT_DONE;
    return status;
}
