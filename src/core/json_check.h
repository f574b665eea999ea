/* json_check.h: the checker that sees raw JSON before cJSON does. Private to json.c and its tests. */
#ifndef CUDNN_SETUP_JSON_CHECK_H
#define CUDNN_SETUP_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "cudnn_setup/status.h"

/* Checks that bytes are one JSON value as json.h describes it. *found_lone: escapes of lone surrogates were seen (allowed by
 * lone_surrogates). CS_E_FORMAT with line and column. Allocates nothing. */
cs_status cs_json_check(const char *name, const char *bytes, size_t size, bool lone_surrogates, bool *found_lone,
                        cs_error *error);

/* Copies checked bytes, with rewrite turning each escape of a lone surrogate into its three bytes of WTF-8 (never longer than the
 * escape). Returns the size written; out holds at least size bytes. */
size_t cs_json_copy(const char *bytes, size_t size, char *out, bool rewrite);

#endif
