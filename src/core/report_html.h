/* report_html.h: pieces of the HTML report. Private to report*.c. */
#ifndef CUDNN_SETUP_REPORT_HTML_H
#define CUDNN_SETUP_REPORT_HTML_H

#include "cudnn_setup/buffer.h"

/* Text for a page: nothing in it can be markup, or move or hide other text. */
void report_escaped(cs_buffer *out, const char *text);
/* One element with that text. */
void report_element(cs_buffer *out, const char *name, const char *text);

#endif
