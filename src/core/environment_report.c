/* environment_report.c: what there is to say of a PATH before it is written. Changes nothing and decides nothing. */
#include <string.h>

#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"
#include "environment_values.h"

/* Entries for our folder that the loader cannot use. */
static cs_status report_twins(const cs_host *host, const char *bin, const cs_reg_value *now, cs_error *error) {
    cs_variables machine = {host, false};
    cs_pathlist_folder folder = cs_variables_folder(&machine, bin);
    cs_pathlist list;
    cs_status status = cs_pathlist_parse(now, &folder, &list, error);
    if (status != CS_OK) return status;
    for (size_t i = 0; i < list.count; i++) {
        cs_buffer text = {0};
        if (!list.items[i].ours || list.items[i].usable) continue;
        cs_text_visible(&text, list.items[i].text);
        cs_emit(host->events, CS_EVENT_WARNING, "path.quoted-twin",
                "PATH has an entry for this folder that Windows' loader cannot use (quotes, blanks or a variable that may "
                "stay unexpanded); it is left alone: %s",
                cs_buffer_string(&text));
        cs_buffer_free(&text);
    }
    cs_pathlist_free(&list);
    return CS_OK;
}

static void show_version(const cs_search_dll *dll, cs_buffer *out) {
    if (dll->has_version)
        cs_buffer_format(out, " (version %u.%u.%u.%u)", dll->version[0], dll->version[1], dll->version[2], dll->version[3]);
    else
        cs_buffer_text(out, " (no version in it)");
}

static bool is_cudnn(const char *name) {
    for (const char *start = "cudnn"; *start; start++, name++)
        if ((*name | 32) != *start) return false;
    return true;
}

/* The library of cuDNN 8 in a place: the one that programs name if it is there, else any part. */
static const cs_search_dll *cudnn_in(const cs_search_place *place) {
    const cs_search_dll *found = NULL;
    for (size_t i = 0; i < place->count; i++) {
        const cs_search_dll *dll = &place->dlls[i];
        if (cs_text_equal_ascii_case(dll->name, "cudnn64_8.dll")) return dll;
        if (is_cudnn(dll->name) && cs_text_ends_with_ascii_case(dll->name, "64_8.dll")) found = dll;
    }
    return found;
}

static void report_cudnn(const cs_host *host, const cs_search_place *place) {
    const cs_search_dll *dll = cudnn_in(place);
    cs_buffer folder = {0}, version = {0};
    if (!dll) return;
    cs_text_visible(&folder, place->path);
    show_version(dll, &version);
    cs_emit(host->events, CS_EVENT_WARNING, "path.other-cudnn-first",
            "%s holds another %s%s and comes before this toolkit in the search order (%s): programs will load that one",
            cs_buffer_string(&folder), dll->name, cs_buffer_string(&version), cs_search_kind_text(place->kind));
    cs_buffer_free(&folder);
    cs_buffer_free(&version);
}

/* CUDA's own libraries in our bin that an earlier place hides: 10.2 has a cublas64_10.dll as well. */
static void report_cuda(const cs_host *host, const cs_search_order *order, const cs_search_place *ours) {
    for (size_t i = 0; i < ours->count; i++) {
        const cs_search_place *place = NULL;
        const cs_search_dll *dll = &ours->dlls[i], *first;
        if (dll->first || is_cudnn(dll->name)) continue; /* those are said above */
        first = cs_search_order_first(order, dll->name, &place);
        cs_buffer folder = {0}, version = {0};
        cs_text_visible(&folder, place->path);
        show_version(first, &version);
        cs_emit(host->events, CS_EVENT_WARNING, "path.other-cuda-first",
                "%s holds another %s%s and comes before this toolkit in the search order (%s): programs will load that one",
                cs_buffer_string(&folder), first->name, cs_buffer_string(&version), cs_search_kind_text(place->kind));
        cs_buffer_free(&folder);
        cs_buffer_free(&version);
    }
}

cs_status cs_environment_report_path(const cs_host *host, const char *bin, const cs_reg_value *now, cs_error *error) {
    cs_search_order order;
    cs_error reason = {0};
    cs_status status = report_twins(host, bin, now, error);
    if (status != CS_OK) return status;
    status = cs_search_order_plan(host, now, &order, &reason);
    if (status == CS_E_NO_MEMORY) return cs_fail(error, status, "plan PATH", NULL, NULL);
    if (status != CS_OK) { /* nothing depends on it */
        cs_emit(host->events, CS_EVENT_DETAIL, "", "What comes first in the search order cannot be told: %s",
                cs_status_text(status));
        return CS_OK;
    }
    size_t ours = cs_search_order_find(host, &order, bin);
    for (size_t i = 0; i < ours; i++) report_cudnn(host, &order.items[i]);
    if (ours < order.count) report_cuda(host, &order, &order.items[ours]);
    cs_search_order_free(&order);
    return CS_OK;
}
