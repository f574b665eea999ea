/* pages_internal.h: what the makers of pages share. */
#ifndef CUDNN_SETUP_PAGES_INTERNAL_H
#define CUDNN_SETUP_PAGES_INTERNAL_H

#include "cudnn_setup/pages.h"

void page_start(cs_page *page, cs_language language);
/* A new row, with the phrase of its name; the last one again when there is no room for more. */
cs_page_row *page_row(cs_page *page, cs_phrase name, cs_mark mark);
/* Appends text with what could move or hide it made visible, line breaks kept. */
void page_text(cs_buffer *out, const char *text);
/* What the core says in its own words (the detail of a failure, a warning), for a page: in its language, visible, and without the
 * advice that names options of a command line, unless it is nothing else. Appends. */
void page_told(cs_buffer *out, const char *english, cs_language language);
/* A sentence that begins with a plain word gets its capital letter; names of files and functions stay. */
void page_capital(cs_buffer *text);
/* The same as page_text, with its middle left out where it is long. */
void page_path(cs_buffer *out, const char *path, size_t width);
/* "Not as installed: bin/a.dll, include/b.h." from what verify found; nothing where no file differs. Appends. */
void page_say_different(cs_buffer *out, const cs_outcome *outcome, cs_language language);

#endif
