/* temp_folder.h: a scratch folder with a name of its own, on the real file system of either platform. Failures end the test. */
#ifndef TEMP_FOLDER_H
#define TEMP_FOLDER_H

#include "cudnn_setup/host.h"

typedef struct temp_folder {
    char *path;       /* absolute, the seam's separator */
    cs_strings paths; /* what temp_path gave out */
} temp_folder;

/* Creates "<temp>/cudnn-setup-test-<random><suffix>"; suffix may be "" or characters that are hard on programs. */
void temp_folder_make(temp_folder *folder, const char *suffix);
/* Removes it with everything in it, read-only files and links too (never what a link leads to). */
void temp_folder_remove(temp_folder *folder);
/* folder + relative, whose '/' become the separator. Lives as long as the folder. */
const char *temp_path(temp_folder *folder, const char *relative);

void temp_make_folder(const char *path);
/* Creates the file, which must not exist. */
void temp_write(const char *path, const void *bytes, size_t size);
void temp_write_text(const char *path, const char *text);
/* Asserts that the file holds exactly this text. */
void temp_assert_text(const char *path, const char *text);
void temp_assert_absent(const char *path);

/* Makes a symbolic link to the folder target. False if this system cannot: skip the test. In Wine it is a link of the system
 * below, which Wine shows as a reparse point. */
bool temp_link(const char *target, const char *link);
bool temp_unlink(const char *link);

#endif
