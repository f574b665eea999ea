#include <string.h>

#include "cudnn_setup/pe.h"
#include "cudnn_setup/search_order.h"
#include "cudnn_setup/text.h"

const char *cs_search_kind_text(cs_search_kind kind) {
    static const char *const texts[] = {
        [CS_SEARCH_PROGRAM] = "program's folder", [CS_SEARCH_SYSTEM] = "System32",
        [CS_SEARCH_SYSTEM_16] = "System",         [CS_SEARCH_WINDOWS] = "Windows",
        [CS_SEARCH_CURRENT] = "current folder",   [CS_SEARCH_MACHINE_PATH] = "machine PATH",
        [CS_SEARCH_USER_PATH] = "user PATH",
    };
    return texts[kind];
}

static const char *state_text(cs_search_state state) {
    switch (state) {
    case CS_SEARCH_ABSENT:
        return "no such folder";
    case CS_SEARCH_NETWORK:
        return "on the network: not opened";
    case CS_SEARCH_UNUSABLE:
        return "the loader cannot use it as written";
    case CS_SEARCH_REPEATED:
        return "the same folder as above";
    case CS_SEARCH_REFUSED:
        return "cannot be read";
    case CS_SEARCH_ANOTHERS:
        return "of another account than the user's at the desktop: not looked into";
    case CS_SEARCH_OPEN:
        return "differs from program to program";
    default:
        return "";
    }
}

static void report_dll(const cs_search_dll *dll, cs_buffer *out) {
    cs_buffer_text(out, dll->first ? "      * " : "        ");
    cs_text_visible(out, dll->name);
    if (dll->status == CS_E_FORMAT)
        cs_buffer_text(out, "  not a sound DLL (error 193 for whoever loads it)");
    else if (dll->status != CS_OK)
        cs_buffer_format(out, "  cannot be read: %s", cs_status_text(dll->status));
    else if (dll->has_version)
        cs_buffer_format(out, "  %u.%u.%u.%u", dll->version[0], dll->version[1], dll->version[2], dll->version[3]);
    else
        cs_buffer_text(out, "  no version resource");
    if (dll->status == CS_OK && dll->machine != CS_PE_MACHINE_X64)
        cs_buffer_text(out, "  not for x64 (error 193 for 64-bit programs)");
    cs_buffer_text(out, dll->first ? "\n" : "  hidden by an earlier one\n");
}

static void report_place(const cs_search_place *place, size_t number, cs_buffer *out) {
    cs_buffer_format(out, "%3u  %-16s  ", (unsigned)number, cs_search_kind_text(place->kind));
    if (place->written && place->path && strcmp(place->written, place->path) != 0) {
        cs_text_visible(out, place->written);
        cs_buffer_text(out, " = ");
    }
    if (place->path) cs_text_visible(out, place->path);
    if (place->state != CS_SEARCH_SEEN) cs_buffer_format(out, "%s(%s)", place->path ? "  " : "", state_text(place->state));
    if (place->doubtful) cs_buffer_text(out, "  (names a variable that may stay unexpanded)");
    cs_buffer_text(out, "\n");
    for (size_t i = 0; i < place->count; i++) report_dll(&place->dlls[i], out);
}

void cs_search_order_report(const cs_search_order *order, cs_buffer *out) {
    size_t copies = 0;
    for (size_t i = 0; i < order->count; i++) {
        report_place(&order->items[i], i + 1, out);
        copies += order->items[i].count;
    }
    if (order->account == CS_ACCOUNT_ALONE)
        cs_buffer_text(out, "Nobody is at a desktop that can be seen from here: the user PATH is that of the account this "
                            "program runs under.\n");
    if (order->account == CS_ACCOUNT_OTHER)
        cs_buffer_text(out, "The user PATH is that of the account this program runs under. The user at the desktop is another "
                            "one, whose own PATH cannot be seen from here.\n");
    if (copies)
        cs_buffer_format(out, "%u cuDNN and CUDA %s; * is the one that a new program loads\n", (unsigned)copies,
                         copies == 1 ? "library" : "libraries");
    else
        cs_buffer_text(out, "No cuDNN and no CUDA library is found on the way.\n");
}
