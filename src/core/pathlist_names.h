/* pathlist_names.h: which folder a PATH entry names, and whether the loader can use the entry. Private to pathlist. */
#ifndef CS_PATHLIST_NAMES_H
#define CS_PATHLIST_NAMES_H

#include "cudnn_setup/pathlist.h"

/* Our folder, prepared for many comparisons. Starts as {0}. */
typedef struct cs_folder_match {
    const cs_pathlist_folder *folder; /* NULL: nothing is ours */
    cs_buffer canonical;              /* "" if the folder is no absolute path */
    cs_buffer real;                   /* canonical form of the resolved path; "" if it could not be resolved */
} cs_folder_match;

cs_status cs_folder_match_begin(const cs_pathlist_folder *folder, cs_folder_match *out, cs_error *error);
void cs_folder_match_end(cs_folder_match *match);

/* Both answers for one entry as written in a value of this type. */
cs_status cs_folder_match_entry(const cs_folder_match *match, uint32_t type, const char *text, bool *ours, bool *usable,
                                cs_error *error);

/* Replaces out with the form in which paths are compared: no quotes, blanks or prefix, '\\' only, "." and ".." resolved, no
 * trailing separator but in "C:\\". "" if text is no absolute path (relative, "C:x", "\\x", a device). */
void cs_path_canonical(cs_buffer *out, const char *text);

#endif
