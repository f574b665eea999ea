/* pages.h: what the window's pages say and offer, as data: made from what is known of the machine and from how a run ended. No
 * window is needed to make or to test a page. docs/architecture.md, "The window".
 *
 * All text is UTF-8 in the page's language; control and direction characters of file names are made visible. */
#ifndef CUDNN_SETUP_PAGES_H
#define CUDNN_SETUP_PAGES_H

#include "cudnn_setup/survey.h"
#include "cudnn_setup/phrases.h"

/* A mark is a shape and a word, never a colour alone. */
typedef enum cs_mark {
    CS_MARK_OK,
    CS_MARK_NOTE,
    CS_MARK_WARNING,
    CS_MARK_BAD,   /* it stops the installation */
    CS_MARK_FAULT, /* where nothing is to be installed: something is not right */
    CS_MARK_BUSY,
    CS_MARK_COUNT
} cs_mark;

const char *cs_mark_text(cs_mark mark, cs_language language);

enum { CS_PAGE_ROWS = 16, CS_PAGE_MEANS_WIDTH = 32, CS_PAGE_WIDE = 60 };

typedef struct cs_page_row {
    const char *name; /* a phrase, or a framework's name in the survey */
    cs_buffer found;  /* long paths elided in the middle */
    cs_buffer means;
    cs_mark mark;
    cs_buffer sentence; /* whole paths */
} cs_page_row;

/* What a page offers; a window shows a button for each. */
typedef enum cs_offer {
    CS_OFFER_INSTALL = 1 << 0,
    CS_OFFER_CHECK_AGAIN = 1 << 1,
    CS_OFFER_ARCHIVE = 1 << 2,
    CS_OFFER_CHANGES = 1 << 3,
    CS_OFFER_LICENCE = 1 << 4,
    CS_OFFER_VERIFY = 1 << 5,
    CS_OFFER_REPAIR = 1 << 6,
    CS_OFFER_ROLL_BACK = 1 << 7,
    CS_OFFER_UNINSTALL = 1 << 8,
    CS_OFFER_TEST = 1 << 9,
    CS_OFFER_CUDA_PATH = 1 << 10, /* the check box */
    CS_OFFER_TRY_AGAIN = 1 << 11,
    CS_OFFER_REPORT = 1 << 12,
    CS_OFFER_COPY = 1 << 13,
    CS_OFFER_RECOVER = 1 << 14,
    CS_OFFER_UNVERIFIED = 1 << 15, /* the second step for a copy that nothing vouches for: never the first */
    CS_OFFER_TOOLKIT = 1 << 16     /* a folder of CUDA that is chosen here */
} cs_offer;

/* Starts as {0}. */
typedef struct cs_page {
    cs_language language;
    cs_buffer heading, line;
    cs_page_row rows[CS_PAGE_ROWS];
    size_t row_count;
    size_t selected;  /* the row that matters most */
    unsigned offers;  /* cs_offer bits */
    unsigned primary; /* of these the one that Enter means; 0: closing */
} cs_page;

void cs_page_free(cs_page *page);

/* The first page. machine NULL: it is still being looked at. installed and the right package: the page of what can be done with
 * an installation. Replaces out. */
void cs_page_ready(const cs_survey *machine, cs_language language, cs_page *out);

/* How a run ended. Nothing is owned. */
typedef struct cs_ending {
    cs_verb verb;
    int exit_code;
    const cs_outcome *outcome;
    const cs_warnings *warnings; /* may be NULL */
    const char *log;             /* path; "": none */
    const char *version;         /* of the package: "8.0.3.33" */
    const char *programs;        /* names of running programs that keep the old environment; "" or NULL: none */
} cs_ending;

/* The third page. Replaces out. */
void cs_page_result(const cs_ending *ending, cs_language language, cs_page *out);

/* The heading of the second page: "Installing cuDNN 8.0.3". */
void cs_page_doing(cs_buffer *out, cs_verb verb, const char *version, cs_language language);
/* What a step is called: by its id; text where the id is not known. */
const char *cs_page_step(const char *id, const char *text, cs_language language);

/* What an installation would change, file by file and value by value. Appends. */
void cs_page_changes(const cs_survey *machine, cs_language language, cs_buffer *out);
/* The page as text, for copying: heading, rows with their sentences. Appends. */
void cs_page_copy(const cs_page *page, cs_buffer *out);

/* A document of the project (Markdown as docs/deployment.md uses it: headings, paragraphs, lists, tables of two columns, blocks
 * of commands) as plain text, its tables 80 columns wide, after a line in the page's language that says whom it is for. Appends.
 */
void cs_page_guide(const char *document, size_t size, cs_language language, cs_buffer *out);

/* "8.0.3" from "8.0.3.33". Appends. */
void cs_page_version(cs_buffer *out, const char *version);

/* ---- small forms ---- */

/* Text of more than width columns loses its middle: "C:\Users\…\cudnn.zip". A character of East Asian writing is two columns
 * wide; none is ever cut. At least the start and the end stay, so width is at least 3. Appends. */
void cs_elide(cs_buffer *out, const char *text, size_t width);
void cs_elide_end(cs_buffer *out, const char *text, size_t width); /* the same for its end: "cuDNN goes into…" */
size_t cs_text_columns(const char *text);

/* Thousandths done of a step's work; -1: not known. */
int cs_progress_share(const cs_progress *progress);
/* "421.0 MB of 696.9 MB · 610.2 MB/s · about 1 s left", or "12 of 31 files". Appends; nothing where no amount is known. */
void cs_progress_say(const cs_progress *progress, cs_language language, cs_buffer *out);

/* ---- from page to page ---- */

typedef enum cs_stage_of_window {
    CS_AT_LOOKING,
    CS_AT_READY,
    CS_AT_WORKING,
    CS_AT_STOPPING,
    CS_AT_RESULT,
    CS_AT_END
} cs_stage_of_window;
typedef enum cs_window_event {
    CS_WINDOW_LOOKED, /* looking has ended */
    CS_WINDOW_START,  /* a button that begins work */
    CS_WINDOW_ENDED,  /* the work has ended */
    CS_WINDOW_AGAIN,  /* look again */
    CS_WINDOW_CLOSE   /* Cancel, Esc, Close, the X */
} cs_window_event;

/* Where the window is after the event. What does not fit changes nothing. */
cs_stage_of_window cs_window_next(cs_stage_of_window at, cs_window_event event);

#endif
