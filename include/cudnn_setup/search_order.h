/* search_order.h: where a new process looks for DLLs, and which cuDNN and CUDA libraries it finds there, in that order.
 * Source: Microsoft, "Dynamic-link library search order" (unpackaged programs, safe search mode). */
#ifndef CUDNN_SETUP_SEARCH_ORDER_H
#define CUDNN_SETUP_SEARCH_ORDER_H

#include "cudnn_setup/host.h"

typedef enum cs_search_kind {
    CS_SEARCH_PROGRAM,   /* the folder of the program's own file */
    CS_SEARCH_SYSTEM,    /* System32 */
    CS_SEARCH_SYSTEM_16, /* Windows\System */
    CS_SEARCH_WINDOWS,
    CS_SEARCH_CURRENT, /* the folder the program is started in */
    CS_SEARCH_MACHINE_PATH,
    CS_SEARCH_USER_PATH
} cs_search_kind;

typedef enum cs_search_state {
    CS_SEARCH_SEEN,     /* looked into */
    CS_SEARCH_ABSENT,   /* no such folder */
    CS_SEARCH_NETWORK,  /* not opened */
    CS_SEARCH_UNUSABLE, /* the loader cannot use it: quotes, blanks at an end, a relative or unexpanded name */
    CS_SEARCH_REPEATED, /* the same folder as an earlier place */
    CS_SEARCH_REFUSED,  /* it cannot be read */
    CS_SEARCH_ANOTHERS, /* in the PATH of another account than the user's at the desktop: not looked into */
    CS_SEARCH_OPEN      /* differs from program to program: the program's and the current folder */
} cs_search_state;

/* One cudnn*.dll, cudart64_*.dll or cublas*.dll. */
typedef struct cs_search_dll {
    char *name;       /* owned; as the folder spells it */
    bool first;       /* no earlier place has this name */
    cs_status status; /* of reading it: CS_E_FORMAT is no DLL */
    bool has_version;
    uint16_t version[4]; /* file version */
    uint16_t machine;    /* CS_PE_MACHINE_X64, ... */
} cs_search_dll;

typedef struct cs_search_place {
    cs_search_kind kind;
    cs_search_state state;
    char *written;       /* owned; the entry as PATH has it; NULL for other places */
    char *path;          /* owned; expanded; NULL if it is not known here */
    char *real;          /* owned; path without 8.3 names, junctions and subst; "" if that is not to be had */
    bool doubtful;       /* it needs a variable that Windows may not have set in time: it may stay unexpanded */
    cs_search_dll *dlls; /* owned; sorted by name */
    size_t count;
} cs_search_place;

typedef struct cs_search_order {
    cs_search_place *items; /* in the order in which Windows looks */
    size_t count;
    cs_account account; /* whose the user's PATH is */
} cs_search_order;

/* program_folder: of the program in question, or NULL for any. PATH is read from the registry: the machine's, then the present
 * user's, expanded as for a new process; this process's own PATH is not asked. Opens no network folder and loads nothing. */
cs_status cs_search_order_read(const cs_host *host, const char *program_folder, cs_search_order *out, cs_error *error);
/* The same with another value for the machine's PATH, of raw bytes and type: what it will be. */
cs_status cs_search_order_plan(const cs_host *host, const cs_reg_value *machine_path, cs_search_order *out, cs_error *error);
void cs_search_order_free(cs_search_order *order);

/* The DLL of this name that a new process would load, and where (place may be NULL); NULL if there is none. */
const cs_search_dll *cs_search_order_first(const cs_search_order *order, const char *name, const cs_search_place **place);

/* The place in which a new program finds a file of this bare name, whatever its kind, and its full path (replaces path); NULL if
 * it finds none. */
const cs_search_place *cs_search_order_locate(const cs_host *host, const cs_search_order *order, const char *name,
                                              cs_buffer *path);

/* The place of a folder, by its resolved path, else by its text; order->count if it is in none. */
size_t cs_search_order_find(const cs_host *host, const cs_search_order *order, const char *folder);

/* "System32", "machine PATH", ... */
const char *cs_search_kind_text(cs_search_kind kind);
/* Appends the report: one line per place, one per DLL, the winner of each name marked. Nothing in it can move a cursor. */
void cs_search_order_report(const cs_search_order *order, cs_buffer *out);

#endif
