/* pathlist.h: edits of a PATH value as pure functions on its raw bytes and type. Every byte that is not our entry stays. */
#ifndef CUDNN_SETUP_PATHLIST_H
#define CUDNN_SETUP_PATHLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "cudnn_setup/registry.h"

enum {
    CS_PATH_LIMIT_UNITS = 32766, /* UTF-16 units without the terminator: above, refuse */
    CS_PATH_WARN_UNITS = 2047    /* above, some old programs cut: warn */
};

/* How a folder named in PATH is compared with ours. */
typedef struct cs_pathlist_folder {
    const char *path; /* our folder, literal, with its drive letter: "C:\\...\\v10.1\\bin" */
    void *ctx;
    /* Value of a machine variable for %NAME% (CUDA_PATH, ProgramFiles, ...), itself not expanded; replaces out. CS_E_NOT_FOUND
     * leaves it unexpanded. NULL: none. */
    cs_status (*variable)(void *ctx, const char *name, cs_buffer *out);
    /* *out: Windows has surely set the variable before it expands PATH (its own ones and REG_SZ values). An entry that needs
     * another one may stay unexpanded and is not usable. NULL: all are. */
    cs_status (*settled)(void *ctx, const char *name, bool *out);
    /* The local path with 8.3 names, junctions and subst resolved; any failure: compare as text. NULL: never. */
    cs_status (*real_path)(void *ctx, const char *path, cs_buffer *out);
} cs_pathlist_folder;

/* One entry of a PATH value. The two questions (docs/environment.md, "Names and usable") have different answers for
 * `"C:\\...\\bin"`: the shell strips quotes, the loader does not. */
typedef struct cs_pathlist_entry {
    char *text;  /* owned, UTF-8, as written (with quotes, blanks, %...%) */
    bool ours;   /* it names our folder, in whatever spelling */
    bool usable; /* the loader can use it as it is: not quoted, no blanks around it, expands fully */
} cs_pathlist_entry;

typedef struct cs_pathlist {
    cs_pathlist_entry *items;
    size_t count;
} cs_pathlist;

/* Splits at ';' outside quotes; a quote without a partner is an ordinary character. An absent or empty value gives no entries,
 * "a;" gives "a" and "". folder NULL: nothing is ours. Terminators at the end, none or several, are not part of any entry.
 * CS_E_FORMAT for a type that is not a string, an odd byte count or an embedded NUL followed by text. */
cs_status cs_pathlist_parse(const cs_reg_value *value, const cs_pathlist_folder *folder, cs_pathlist *out, cs_error *error);
void cs_pathlist_free(cs_pathlist *list);

typedef enum cs_pathlist_place { CS_PATH_FRONT, CS_PATH_END } cs_pathlist_place;

/* out = old with our entry added (type, other bytes and terminator kept; an absent value becomes REG_EXPAND_SZ, an absent or
 * empty one gets one terminator). changed is false, and out a copy, if a usable entry of ours is there already. index receives
 * the entry's position. CS_E_TOO_BIG with the numbers beyond the limit; CS_E_FORMAT as above; CS_E_NAME if PATH cannot carry our
 * folder (a ';' or '"' in its name, or a '%...%' that Windows would expand). On failure nothing may be written. out starts
 * empty; the caller frees it. */
cs_status cs_pathlist_add(const cs_reg_value *old, const cs_pathlist_folder *folder, cs_pathlist_place place, cs_reg_value *out,
                          size_t *index, bool *changed, cs_error *error);

/* The undo rule (transaction, registry): what the value has to become, given what it is now, what it was before us (old) and what
 * we wrote (written). current = written: old; current = old: unchanged; else one surplus entry of ours is removed, or one missing
 * is inserted at index, and everything else stays. changed says whether out differs from current. Works both for undoing an
 * addition and for undoing a removal; an addition is only ever undone by removing, a removal by inserting. The same failures as
 * cs_pathlist_add: then current has to stay as it is. */
cs_status cs_pathlist_undo(const cs_reg_value *current, const cs_reg_value *old, const cs_reg_value *written,
                           const cs_pathlist_folder *folder, size_t index, cs_reg_value *out, bool *changed, cs_error *error);

/* Expands %NAME% in text once, as Windows does for a REG_EXPAND_SZ value: what is not a known name stays. Replaces out.
 * complete (may be NULL): false if a %NAME% stayed, or needed a variable that is not settled. */
cs_status cs_pathlist_expand(const cs_pathlist_folder *folder, const char *text, cs_buffer *out, bool *complete, cs_error *error);

/* True if both texts name the same place for Windows as far as text alone can tell: ASCII case, '/', quotes, blanks at the ends,
 * trailing separators and dots, "." and "..", a \\?\ or \\.\ prefix. Nothing is expanded or opened. */
bool cs_pathlist_same_text(const char *a, const char *b);

/* True for \\server\share, //server/share, \\?\UNC\... and every other path that names no drive letter of its own but starts
 * with two separators: never to be opened. */
bool cs_pathlist_is_network(const char *text);

#endif
