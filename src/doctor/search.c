#include "cudnn_setup/path.h"
#include "cudnn_setup/pe.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"
#include "cudnn_setup/toolkit.h"
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

/* Where the bin of the toolkit that was asked about stands in the order. */
static void place_toolkit(const cs_host *host, const cs_search_order *order, const char *bin, cs_buffer *out) {
    size_t at = cs_search_order_find(host, order, bin);
    const cs_search_place *first = NULL;
    cs_search_order_first(order, shim, &first);
    if (at == order->count)
        cs_buffer_format(out, " %s is not in the search order: new programs find nothing in it.", bin);
    else if (first == &order->items[at])
        cs_buffer_format(out, " That is the toolkit in question.");
    else if (first && first < &order->items[at])
        cs_buffer_format(out, " %s comes later, as place %u: its own %s is hidden.", bin, (unsigned)at + 1, shim);
    else
        cs_buffer_format(out, " %s is place %u, but holds no %s.", bin, (unsigned)at + 1, shim);
}

/* /cuda: asks about one toolkit; what is none cannot be asked about. *bin stays empty without /cuda:. */
static cs_status find_toolkit(const cs_host *host, const char *cuda, cs_buffer *bin, cs_outcome *outcome) {
    cs_toolkits toolkits = {0};
    if (!cuda) return CS_OK;
    cs_host quiet = *host;
    quiet.events = NULL;
    cs_status status = cs_toolkit_detect(&quiet, "10.1", cuda, &toolkits, &outcome->error);
    if (status == CS_OK && toolkits.chosen == toolkits.count) {
        cs_buffer_format(&outcome->message, "%s is no usable CUDA 10.1 toolkit: %s.", toolkits.items[0].path,
                         toolkits.items[0].reason);
        status = cs_fail(&outcome->error, CS_E_TOOLKIT, NULL, NULL, NULL);
    }
    if (status == CS_OK)
        status = cs_path_join(bin, host->fs->separator, toolkits.items[toolkits.chosen].path, "bin", &outcome->error);
    cs_toolkits_free(&toolkits);
    return status;
}

cs_status cs_doctor_search(const cs_host *host, const char *cuda, cs_buffer *report, cs_outcome *outcome) {
    cs_search_order order = {0};
    cs_buffer bin = {0};
    cs_status status = find_toolkit(host, cuda, &bin, outcome);
    if (status == CS_OK) status = cs_search_order_read(host, NULL, &order, &outcome->error);
    if (status == CS_OK) {
        cs_search_order_report(&order, report);
        status = judge(&order, outcome);
        if (bin.size) place_toolkit(host, &order, bin.data, &outcome->message);
    }
    cs_search_order_free(&order);
    cs_buffer_free(&bin);
    return status;
}

/* Whoever asks for the order is answered, whatever it is. */
cs_status cs_show_search_order(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome) {
    cs_status status = cs_doctor_search(host, options->cuda, report, outcome);
    if (status == CS_E_NOTHING || status == CS_E_DIFFERS) status = CS_OK;
    outcome->status = status;
    outcome->result = status ? CS_RESULT_FAILED : CS_RESULT_DONE;
    return status;
}
