/* platform.h: what tests need of a platform beyond the seam. */
#ifndef TEST_PLATFORM_H
#define TEST_PLATFORM_H

#include "temp_folder.h"

/* Gives the real system seam its known folders: below folder on POSIX, which has none; nothing to do on Windows. */
void platform_known_folders(temp_folder *folder);

/* The program's arguments in UTF-8, without the program itself. main's argv loses characters on Windows. */
void platform_arguments(int argc, char **argv, cs_strings *out);

/* Standard output and input without any conversion of line ends. */
void platform_binary_output(void);

/* True if whoever started this program asked for its first window to be hidden. Always true where there are no windows. */
bool platform_started_hidden(void);

/* A handle on a Windows service, which keeps a deleted one alive until it is released. NULL: there is none. */
void *platform_hold_service(const char *name);
void platform_release_service(void *service);

#endif
