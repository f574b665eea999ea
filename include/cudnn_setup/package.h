/* package.h: which manifest and which archive a run works with. */
#ifndef CUDNN_SETUP_PACKAGE_H
#define CUDNN_SETUP_PACKAGE_H

#include "cudnn_setup/archive.h"
#include "cudnn_setup/options.h"

/* The manifest of /manifest: (path not NULL; its SHA-256 is told), else the program's own. A manifest that lies beside the
 * program or the archive is never read, and a sample's manifest counts only where it was named. */
cs_status cs_package_manifest(const cs_host *host, const char *path, cs_manifest *out, cs_error *error);

/* True if a manifest with this SHA-256 is built into this program; every other one came through /manifest, or with another
 * version of it. */
bool cs_package_is_builtin(const uint8_t manifest_sha256[CS_SHA256_SIZE]);

/* Archives to try, best first: the one that was named, and nothing else; otherwise beside the program those that the manifest
 * names, then any cudnn*.zip, by name; then, in an interactive run without administrator rights, the same in Downloads.
 * CS_E_ARCHIVE_OPEN, saying where was looked, if there is none. */
cs_status cs_package_find(const cs_host *host, const cs_options *options, const cs_manifest *manifest, cs_strings *out,
                          cs_error *error);

/* Opens and judges the candidates in turn; the first that passes is it. One candidate: its own error; several: the first one's,
 * and a note for each. open may copy the file first and gives the path to use (NULL: as it is). */
typedef cs_status (*cs_package_fetch)(void *ctx, const char *path, cs_buffer *out, cs_error *error);
cs_status cs_package_open(const cs_host *host, const cs_options *options, const cs_manifest *manifest,
                          const cs_strings *candidates, cs_package_fetch fetch, void *ctx, cs_archive **out, cs_trust *trust,
                          cs_error *error);

#endif
