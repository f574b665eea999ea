#include "cudnn_setup/console.h"

#include <string.h>

#include "cudnn_setup/text.h"

/* Text may come from file names, registry values and archives; line breaks are ours. */
static void print(cs_console *console, bool to_error, const char *before, const char *text) {
    cs_buffer out = {0};
    for (const char *p = text; *p;) {
        size_t size = strcspn(p, "\n");
        cs_buffer line = {0};
        cs_buffer_append(&line, p, size);
        cs_buffer_text(&out, before);
        cs_text_visible(&out, cs_buffer_string(&line));
        cs_buffer_text(&out, "\n");
        if (line.failed) out.failed = true;
        cs_buffer_free(&line);
        p += size + (p[size] != '\0');
    }
    if (out.failed) {
        static const char lost[] = "out of memory\n";
        console->write(console->ctx, true, lost, sizeof lost - 1);
    } else if (out.size) {
        console->write(console->ctx, to_error, out.data, out.size);
    }
    cs_buffer_free(&out);
}

void cs_console_begin(cs_console *console, const cs_options *options) { console->quiet = options->ui == CS_UI_QUIET; }

void cs_console_event(cs_console *console, const cs_event *event) {
    if (console->quiet) return;
    if (event->kind == CS_EVENT_STEP) print(console, false, "", event->text);
    if (event->kind == CS_EVENT_NOTE) print(console, false, "  ", event->text);
    if (event->kind == CS_EVENT_WARNING) print(console, true, "warning: ", event->text);
}

void cs_console_end(cs_console *console, const cs_app_end *end) {
    bool failed = end->exit_code != CS_EXIT_OK;
    print(console, false, "", end->report);
    if (end->message[0] && (failed || !console->quiet)) print(console, failed, "", end->message);
    if (failed && end->log[0]) print(console, true, "Log: ", end->log);
}
