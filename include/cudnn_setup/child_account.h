/* child_account.h: under which account a child may run that loads what PATH names: never with rights that it need not have. */
#ifndef CUDNN_SETUP_CHILD_ACCOUNT_H
#define CUDNN_SETUP_CHILD_ACCOUNT_H

#include <stdbool.h>

typedef enum cs_child_account {
    CS_CHILD_SELF,          /* this process's own token */
    CS_CHILD_SHELL_USER,    /* who sits at the desktop */
    CS_CHILD_LOCAL_SERVICE, /* NT AUTHORITY\LocalService */
    CS_CHILD_NONE
} cs_child_account;

typedef enum cs_child_try {
    CS_CHILD_STARTED,
    CS_CHILD_ABSENT, /* there is no such account here, or it is an administrator's as well */
    CS_CHILD_FAILED  /* the child could not be started under it */
} cs_child_try;

typedef struct cs_child_starter {
    void *ctx;
    cs_child_try (*start)(void *ctx, cs_child_account account); /* never asked for CS_CHILD_NONE */
} cs_child_starter;

/* Without administrator rights, or where the caller asked for its own account in words (as_current): that one and no other. Else
 * the shell user's, then LocalService. Returns the account under which it started, or CS_CHILD_NONE; *failed: one was there,
 * but the child could not be started under it. */
cs_child_account cs_child_start(const cs_child_starter *starter, bool administrator, bool as_current, bool *failed);

/* "this user", "shell user", "LocalService"; "" for none. A literal. */
const char *cs_child_account_text(cs_child_account account);

#endif
