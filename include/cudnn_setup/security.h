/* security.h: access rights as data, and the rules over them as pure functions (so that they can be tested with real Windows
 * descriptors on any system). */
#ifndef CUDNN_SETUP_SECURITY_H
#define CUDNN_SETUP_SECURITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/status.h"

enum { CS_SID_TEXT = 192 };

typedef struct cs_ace {
    bool allow;            /* access-allowed; false: access-denied */
    uint8_t flags;         /* OBJECT_INHERIT 1, CONTAINER_INHERIT 2, NO_PROPAGATE 4, INHERIT_ONLY 8, INHERITED 16 */
    uint32_t mask;         /* ACCESS_MASK */
    char sid[CS_SID_TEXT]; /* "S-1-5-32-544" */
} cs_ace;

typedef struct cs_security {
    char owner[CS_SID_TEXT];
    bool null_dacl; /* no access list at all: everybody may do everything */
    cs_ace *aces;   /* owned */
    size_t count;
    char self[CS_SID_TEXT]; /* set only under Wine: the process's own SID, which then counts as Administrators */
} cs_security;

void cs_security_free(cs_security *security);

/* Parses the owner and DACL of an SDDL string (what Windows prints for files: O:, G:, D: with plain, object and conditional
 * entries, SID aliases and S-1-... forms, hex masks and right letters). For tests and for the rule's documentation. */
cs_status cs_security_from_sddl(const char *sddl, cs_security *out, cs_error *error);

/* True if the account is SYSTEM, Administrators, TrustedInstaller, or what counts as them here (self). */
bool cs_security_is_administrative(const cs_security *security, const char *sid);

/* True if only SYSTEM, Administrators, TrustedInstaller (and CREATOR OWNER entries, which grant nothing here) can change the
 * object and own it. Used for our own folders. On false, why names the SID and the right. */
bool cs_security_ours(const cs_security *security, char *why, size_t why_size);

/* True if no ordinary account may plant or swap anything through this folder: no delete, write-DAC, write-owner, add-file,
 * add-subfolder; with parent = true (a folder above the tree's root) delete-child in place of add-*. */
bool cs_security_trusted(const cs_security *security, bool parent, char *why, size_t why_size);

#endif
