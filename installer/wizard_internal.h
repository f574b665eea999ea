/* wizard_internal.h: what the window's files share. wizard.c: the dialog and its messages; wizard_actions.c: what a button does;
 * wizard_pages.c: pages into controls; wizard_layout.c: places and sizes; wizard_marks.c: the marks; wizard_jobs.c: the threads;
 * wizard_shell.c: task dialogs, files, clipboard; wizard_text.c: texts to read; wizard_com.c: what takes COM. */
#ifndef CUDNN_SETUP_INSTALLER_WIZARD_INTERNAL_H
#define CUDNN_SETUP_INSTALLER_WIZARD_INTERNAL_H

#include "common.h"

#include <commctrl.h>

#include "cudnn_setup/pages.h"
#include "wizard_ids.h"

enum { OFFERS = 17, OFFER_BOX = 10 }; /* bits of cs_offer; the box is no button */

/* Messages of the threads; the second argument is owned by the receiver. */
enum {
    MESSAGE_LOOKED = WM_APP + 1, /* cs_survey * */
    MESSAGE_GPUS,                /* cs_machine * */
    MESSAGE_EVENT,               /* wizard_event * */
    MESSAGE_ENDED,               /* wizard_end * */
    MESSAGE_LICENCE,             /* cs_buffer * */
    MESSAGE_FIRST                /* begin with the command line's own verb */
};

/* An event, copied. */
typedef struct wizard_event {
    cs_event_kind kind;
    char *id, *text;
    cs_progress progress; /* its texts are those above */
} wizard_event;
void wizard_event_free(wizard_event *event);

/* How a run ended. */
typedef struct wizard_end {
    cs_page page;
    int exit_code;
    cs_buffer report; /* path of the HTML report; empty: none */
} wizard_end;
void wizard_end_free(wizard_end *end);

typedef struct wizard {
    HWND window, text_window, question; /* NULL: not shown */
    const cs_options *options;
    cs_host host;
    cs_language language;
    bool elevated;
    cs_stage_of_window at;
    cs_page page;
    cs_survey *survey;
    cs_survey *read_survey; /* whose licence a thread is reading: kept until it has; NULL: none */
    cs_machine *gpus;       /* the answer that came before the survey; NULL: none yet */
    bool gpus_wanted;       /* they were asked for */
    bool unverified;        /* the copy in archive, or found, was accepted in words */
    cs_strings listed;      /* the toolkits in the list, as they stand there, with their whole paths */
    char *archive, *cuda;   /* owned; chosen in the window; NULL: as the command line says */
    /* The run. */
    cs_verb verb;
    cs_strings words;
    cs_program program;
    volatile LONG cancel;
    volatile LONG look_number; /* of the newest look: an older one's answer is dropped */
    HANDLE thread;
    int exit_code;
    cs_buffer report;
    HFONT font, heading_font;
    HIMAGELIST marks;
    bool filling; /* the list is being filled: its notices mean nothing */
} wizard;

/* ---- wizard_pages.c ---- */
void wizard_show_rows(wizard *w);    /* of w->page again, with the keyboard and the selection where they are */
void wizard_show_page(wizard *w);    /* w->page, as first or third page */
void wizard_show_working(wizard *w); /* the second */
void wizard_show_event(wizard *w, const wizard_event *event);
void wizard_show_selection(wizard *w);
void wizard_fill_toolkits(wizard *w);
void wizard_set_cell(wizard *w, int row, int column, const char *text);
void wizard_set_text(HWND window, int control, const char *text); /* UTF-8, "\n" line ends */
bool wizard_offers(const wizard *w, unsigned offer);
int wizard_control_of(unsigned offer);

/* ---- wizard_actions.c ---- */
void wizard_go(wizard *w, cs_window_event event);
void wizard_start_look(wizard *w);
void wizard_show_ready(wizard *w);
void wizard_run_verb(wizard *w, cs_verb verb);
bool wizard_confirm(wizard *w, cs_verb verb);
bool wizard_choose_tree(wizard *w, cs_verb verb); /* where the command line leaves it open; false: none is meant */
bool wizard_changes(const wizard *w);             /* the run that is at work is one that changes something */
void wizard_set_archive(wizard *w, const char *path);
void wizard_set_cuda(wizard *w, const char *path);
void wizard_show_guide(wizard *w);
void wizard_copy_page(wizard *w);
void wizard_on_offer(wizard *w, unsigned offer);
void wizard_on_toolkit(wizard *w);

/* ---- wizard_layout.c ---- */
void wizard_make_fonts(wizard *w);
void wizard_lay_out(wizard *w);
void wizard_fit_screen(const wizard *w); /* a window larger than its screen would have its buttons outside */
void wizard_size_columns(wizard *w);     /* and shortens what does not fit into them */
/* Text that is wider than so many pixels loses its middle, or its end. Appends. */
void wizard_elide(const wizard *w, cs_buffer *out, const char *text, int pixels, bool middle);
int wizard_text_width(const wizard *w, const char *text);
int wizard_width(const wizard *w); /* of the controls that go from margin to margin, in pixels */

/* ---- wizard_marks.c ---- */
void wizard_make_marks(wizard *w); /* the image list, in the system's colours of now */
int wizard_mark_width(const wizard *w);

/* ---- wizard_jobs.c ---- */
void wizard_look(wizard *w);
void wizard_ask_gpus(wizard *w);
/* Starts the run that w->program, w->words and w->verb say; false: no thread could be made. */
bool wizard_start_run(wizard *w);
void wizard_read_licence(wizard *w); /* of w->survey, unless a thread is reading already */
void wizard_await(wizard *w, DWORD timeout_ms);

/* ---- wizard_shell.c ---- */

/* Common controls 6, by the manifest, loaded when a window is wanted: a run without one needs no such library. */
typedef struct wizard_controls {
    BOOL(WINAPI *init)(const INITCOMMONCONTROLSEX *);
    HRESULT(WINAPI *task_dialog)(const TASKDIALOGCONFIG *, int *, int *, BOOL *);
    HIMAGELIST(WINAPI *list_create)(int, int, UINT, int, int);
    int(WINAPI *list_add)(HIMAGELIST, HBITMAP, HBITMAP);
    BOOL(WINAPI *list_destroy)(HIMAGELIST);
} wizard_controls;
extern wizard_controls wizard_comctl;

bool wizard_shell_begin(void);                                  /* false: there are none */
bool wizard_bind(HMODULE module, const char *name, void *slot); /* slot: a function pointer */
/* A question with a verb on each button; true: yes. Enter means no. */
bool wizard_ask(wizard *w, cs_phrase question, cs_phrase more, cs_phrase yes, cs_phrase no);
/* One of the items, by its index; items->count: none. Enter goes on with the one that is marked, and changes nothing yet. */
size_t wizard_choose(wizard *w, const cs_strings *items, cs_phrase question, cs_phrase more);
void wizard_drop_question(wizard *w); /* the question that is shown, if one is, is answered with no */
bool wizard_choose_archive(wizard *w, cs_buffer *path);
bool wizard_copy(wizard *w, const char *text); /* to the clipboard */
void wizard_open(wizard *w, const char *path);
/* Names of running programs that keep the environment they were started with: consoles, editors, notebooks. */
void wizard_running_programs(cs_buffer *out);

/* ---- wizard_text.c ---- */
/* columns: it is laid out in columns, and shown in a font of one width. */
void wizard_show_text(wizard *w, const char *title, const char *text, bool columns);

/* ---- wizard_com.c ---- */
void wizard_begin_com(void); /* in a thread that asks the shell for something */
bool wizard_choose_folder(wizard *w, cs_phrase title, cs_buffer *path);
void wizard_name_control(HWND control, const char *name);
/* share: thousandths; -1: at work, not known; -2: nothing any more. */
void wizard_taskbar(wizard *w, int share);

#endif
