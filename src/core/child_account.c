#include "cudnn_setup/child_account.h"

cs_child_account cs_child_start(const cs_child_starter *starter, bool administrator, bool as_current, bool *failed) {
    static const cs_child_account own[] = {CS_CHILD_SELF, CS_CHILD_NONE};
    static const cs_child_account lesser[] = {CS_CHILD_SHELL_USER, CS_CHILD_LOCAL_SERVICE, CS_CHILD_NONE};
    *failed = false;
    for (const cs_child_account *each = administrator && !as_current ? lesser : own; *each != CS_CHILD_NONE; each++) {
        cs_child_try result = starter->start(starter->ctx, *each);
        if (result == CS_CHILD_STARTED) return *each;
        if (result == CS_CHILD_FAILED) *failed = true;
    }
    return CS_CHILD_NONE;
}

const char *cs_child_account_text(cs_child_account account) {
    static const char *const texts[] = {[CS_CHILD_SELF] = "this user",
                                        [CS_CHILD_SHELL_USER] = "shell user",
                                        [CS_CHILD_LOCAL_SERVICE] = "LocalService",
                                        [CS_CHILD_NONE] = ""};
    return texts[account];
}
