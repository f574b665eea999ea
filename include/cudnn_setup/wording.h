/* wording.h: the small forms that sentences for people share. Everything appends to out. */
#ifndef CUDNN_SETUP_WORDING_H
#define CUDNN_SETUP_WORDING_H

#include "cudnn_setup/host.h"

/* "no files", "1 file", "31 files". */
void cs_say_count(cs_buffer *out, size_t count, const char *one, const char *many);

/* One part of a list such as "29 placed, 2 replaced": nothing for 0, with a comma where out is not empty. what follows the
 * number. */
void cs_say_part(cs_buffer *out, size_t count, const char *what);

/* "2 of 31 files and 1 environment value", "2 of 31 files", "1 environment value"; nothing where nothing is counted. */
void cs_say_files_and_values(cs_buffer *out, size_t files, size_t all, size_t values);

/* "512 bytes", "12.3 kB", "402.1 MB", "1.2 GB": powers of 1000, as disks are sold. */
void cs_say_bytes(cs_buffer *out, uint64_t bytes);

/* "2026-11-30 02:33:33 UTC (2026-11-30 10:33:33 here, UTC+08:00)" from a FILETIME; without the bracket where the system does not
 * tell its time zone, or where it is UTC. */
void cs_say_time(cs_buffer *out, const cs_host *host, int64_t filetime);

/* "2026-11-30T10:33:33+08:00" for machines; false, and nothing said, where the time zone is not known. */
bool cs_say_local_time(cs_buffer *out, const cs_host *host, int64_t filetime);

#endif
