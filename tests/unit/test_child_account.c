/* Under which account the probe runs: what Wine, which has one account only, cannot show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "cudnn_setup/child_account.h"

typedef struct machine {
    cs_child_try own, shell, service; /* what starting under each comes to */
    char tried[32];                   /* one letter for each try */
} machine;

static cs_child_try start(void *ctx, cs_child_account account) {
    machine *m = ctx;
    static const char letters[] = {'o', 's', 'l'};
    size_t size = strlen(m->tried);
    assert_true(account < CS_CHILD_NONE && size + 1 < sizeof m->tried);
    m->tried[size] = letters[account];
    return account == CS_CHILD_SELF ? m->own : account == CS_CHILD_SHELL_USER ? m->shell : m->service;
}

static void expect(machine m, bool administrator, bool as_current, cs_child_account account, bool failed, const char *tried) {
    const cs_child_starter starter = {.ctx = &m, .start = start};
    bool one_failed;
    assert_int_equal(cs_child_start(&starter, administrator, as_current, &one_failed), account);
    assert_int_equal(one_failed, failed);
    assert_string_equal(m.tried, tried);
}

#define YES CS_CHILD_STARTED
#define NO  CS_CHILD_ABSENT
#define BAD CS_CHILD_FAILED

static void test_account_of_an_ordinary_user(void **state) {
    (void)state;
    expect((machine){YES, YES, YES, ""}, false, false, CS_CHILD_SELF, false, "o");
    expect((machine){BAD, YES, YES, ""}, false, false, CS_CHILD_NONE, true, "o"); /* no other account is tried */
}

static void test_account_of_an_administrator(void **state) {
    (void)state;
    expect((machine){YES, YES, YES, ""}, true, false, CS_CHILD_SHELL_USER, false, "s");
    expect((machine){YES, NO, YES, ""}, true, false, CS_CHILD_LOCAL_SERVICE, false, "sl"); /* nobody signed in */
    expect((machine){YES, BAD, YES, ""}, true, false, CS_CHILD_LOCAL_SERVICE, true, "sl");
    expect((machine){YES, NO, NO, ""}, true, false, CS_CHILD_NONE, false, "sl");
    expect((machine){YES, BAD, NO, ""}, true, false, CS_CHILD_NONE, true, "sl");
}

static void test_account_asked_for_in_words(void **state) {
    (void)state;
    expect((machine){YES, YES, YES, ""}, true, true, CS_CHILD_SELF, false, "o");
    expect((machine){BAD, YES, YES, ""}, true, true, CS_CHILD_NONE, true, "o");
}

/* Whatever the machine: an administrator's own token is used only if asked for. */
static void test_account_never_has_rights_unasked(void **state) {
    (void)state;
    for (int i = 0; i < 27; i++) {
        machine m = {(cs_child_try)(i % 3), (cs_child_try)(i / 3 % 3), (cs_child_try)(i / 9), ""};
        const cs_child_starter starter = {.ctx = &m, .start = start};
        bool failed;
        assert_int_not_equal(cs_child_start(&starter, true, false, &failed), CS_CHILD_SELF);
        assert_null(strchr(m.tried, 'o'));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_account_of_an_ordinary_user),
        cmocka_unit_test(test_account_of_an_administrator),
        cmocka_unit_test(test_account_asked_for_in_words),
        cmocka_unit_test(test_account_never_has_rights_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
