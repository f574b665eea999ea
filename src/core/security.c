#include "cudnn_setup/security.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/buffer.h"

/* Source of the numbers: winnt.h. */
enum {
    RIGHT_ADD_FILE = 0x2,
    RIGHT_ADD_FOLDER = 0x4,
    RIGHT_DELETE_CHILD = 0x40,
    RIGHT_DELETE = 0x10000,
    RIGHT_WRITE_DAC = 0x40000,
    RIGHT_WRITE_OWNER = 0x80000,
    RIGHT_GENERIC_ALL = 0x10000000,
    RIGHT_GENERIC_WRITE = 0x40000000
};

/* List, read, execute, their attributes, READ_CONTROL, SYNCHRONIZE, GENERIC_EXECUTE, GENERIC_READ: what changes nothing. */
static const uint32_t harmless_rights = 0x1u | 0x8u | 0x20u | 0x80u | 0x20000u | 0x100000u | 0x20000000u | 0x80000000u;

enum { ACE_INHERIT_ONLY = 8 };

void cs_security_free(cs_security *security) {
    cs_free(security->aces);
    *security = (cs_security){0};
}

static const char trusted_installer[] = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

bool cs_security_is_administrative(const cs_security *security, const char *sid) {
    return strcmp(sid, "S-1-5-18") == 0 || strcmp(sid, "S-1-5-32-544") == 0 || strcmp(sid, trusted_installer) == 0 ||
           (security->self[0] && strcmp(sid, security->self) == 0);
}

/* Entries for whoever creates or owns a thing: the owner is judged for himself, and only those who may add things create. */
static bool is_placeholder(const char *sid) {
    return strcmp(sid, "S-1-3-0") == 0 || strcmp(sid, "S-1-3-1") == 0 || strcmp(sid, "S-1-3-4") == 0;
}

static const char *right_name(uint32_t mask) {
    if (mask & RIGHT_GENERIC_ALL) return "do everything";
    if (mask & RIGHT_WRITE_DAC) return "change access rights";
    if (mask & RIGHT_WRITE_OWNER) return "take ownership";
    if (mask & RIGHT_DELETE) return "delete it";
    if (mask & RIGHT_DELETE_CHILD) return "delete what is in it";
    if (mask & (RIGHT_ADD_FILE | RIGHT_GENERIC_WRITE)) return "write";
    if (mask & RIGHT_ADD_FOLDER) return "append or add folders";
    return "change attributes";
}

/* No ordinary account has any of these rights. Denials are not counted: they depend on order and groups, and ignoring them only
 * makes the answer stricter. */
static bool nobody_may(const cs_security *security, uint32_t rights, bool inherit_only_counts, char *why, size_t why_size) {
    if (!cs_security_is_administrative(security, security->owner)) {
        snprintf(why, why_size, "its owner is %s", security->owner[0] ? security->owner : "unknown");
        return false;
    }
    if (security->null_dacl) {
        snprintf(why, why_size, "it has no access list: everybody may do everything");
        return false;
    }
    for (size_t i = 0; i < security->count; i++) {
        const cs_ace *ace = &security->aces[i];
        if (!ace->allow || !(ace->mask & rights)) continue;
        if (ace->flags & ACE_INHERIT_ONLY && !inherit_only_counts) continue;
        if (cs_security_is_administrative(security, ace->sid) || is_placeholder(ace->sid)) continue;
        snprintf(why, why_size, "%s may %s", ace->sid, right_name(ace->mask & rights));
        return false;
    }
    if (why_size) why[0] = '\0';
    return true;
}

bool cs_security_ours(const cs_security *security, char *why, size_t why_size) {
    return nobody_may(security, ~harmless_rights, true, why, why_size);
}

/* In the tree's own folders an inherit-only entry counts: it becomes the access list of the files that we place there. */
bool cs_security_trusted(const cs_security *security, bool parent, char *why, size_t why_size) {
    uint32_t rights = RIGHT_DELETE | RIGHT_DELETE_CHILD | RIGHT_WRITE_DAC | RIGHT_WRITE_OWNER | RIGHT_GENERIC_ALL;
    if (!parent) rights |= RIGHT_ADD_FILE | RIGHT_ADD_FOLDER | RIGHT_GENERIC_WRITE;
    return nobody_may(security, rights, !parent, why, why_size);
}
