#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verb_case.h"

#define PLANNED(c, text)                                                                                                         \
    do {                                                                                                                         \
        const char *plan = cs_buffer_string(&(c)->outcome.plan);                                                                 \
        if (!strstr(plan, text)) fail_msg("not in the plan: %s\n%s", text, plan);                                                \
    } while (0)

static void begin(verb_case *c) {
    verb_case_begin(c);
    verb_case_put(c, "include/cudnn.h", "older header");
    verb_case_put(c, "NVIDIA_SLA_cuDNN_Support.txt", verb_case_content("803", 5));
    memory_host_reg_text(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\a\nb;;C:\\\xE2\x80\xAEtxt");
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
}

static void test_plan_tell_an_installation(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    c.options.dryrun = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    PLANNED(&c, "Plan for " VERB_TREE "\n  new       bin/cudnn64_8.dll\n");
    PLANNED(&c, "  replaced  include/cudnn.h\n");
    PLANNED(&c, "  same      NVIDIA_SLA_cuDNN_Support.txt\n");
    PLANNED(&c, "Environment of the machine, - before and + after:\n  CUDA_PATH (REG_SZ, new):\n    + " VERB_TREE "\n");
    PLANNED(&c, "  Path (REG_EXPAND_SZ):\n    + [0] " VERB_TREE "\\bin   <- ours\n      [1] C:\\a\\u{a}b\n      [2] (empty)\n"
                "      [3] C:\\\\u{202e}txt\n");
    PLANNED(&c, "Disk space: ");
    PLANNED(&c, " of files would be written, ");
    PLANNED(&c, "Programs will find cudnn64_8.dll; one that asks for cudnn64_7.dll needs cuDNN 7, ");
    assert_null(strstr(cs_buffer_string(&c.outcome.plan), "Programs that have"));
    assert_int_equal(c.outcome.value_count, 2);
    const cs_value_diff *diff = &c.outcome.values[1].diff;
    assert_true(diff->list);
    assert_int_equal(diff->count, 4);
    assert_int_equal(diff->items[0].mark, '+');
    assert_true(diff->items[0].ours);
    assert_string_equal(diff->items[1].text, "C:\\a\nb");
    verb_case_end(&c);
}

static void test_plan_tell_without_the_environment(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    c.options.dryrun = true;
    c.options.env = CS_ENV_NONE;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    PLANNED(&c, "Environment: no value changes.\n");
    assert_int_equal(c.outcome.value_count, 0);
    c.options.env = CS_ENV_PATH;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    PLANNED(&c, "  Path (REG_EXPAND_SZ):\n");
    assert_null(strstr(cs_buffer_string(&c.outcome.plan), "CUDA_PATH"));
    verb_case_end(&c);
}

static void test_plan_tell_undoing_with_programs_in_the_way(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    assert_string_equal(cs_buffer_string(&c.outcome.plan), "");
    cs_holders_add(&memory_host_system(c.machine)->holders, 77, "python.exe", VERB_TREE "\\bin\\cudnn64_8.dll", NULL);
    c.options.dryrun = true;
    static const cs_operation verbs[] = {cs_uninstall, cs_rollback};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        assert_int_equal(verb_case_run(&c, verbs[i]), 1603);
        PLANNED(&c, "  removed   bin/cudnn64_8.dll\n");
        PLANNED(&c, "  restored  include/cudnn.h\n");
        PLANNED(&c, "    - [0] " VERB_TREE "\\bin   <- ours\n");
        PLANNED(&c, "Programs that have these files loaded:\n  python.exe (process 77): " VERB_TREE "\\bin\\cudnn64_8.dll\n");
        assert_null(strstr(cs_buffer_string(&c.outcome.plan), "Disk space"));
    }
    verb_case_end(&c);
}

static void test_plan_tell_a_repair_and_what_others_changed(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    verb_case_put(&c, "bin/cudnn64_8.dll", "somebody's");
    c.options.dryrun = true;
    char archive[] = VERB_MEDIA "\\p803.zip";
    c.options.archive = archive;
    assert_int_equal(verb_case_run(&c, cs_repair), 0);
    c.options.archive = NULL;
    PLANNED(&c, "  restored  bin/cudnn64_8.dll");
    PLANNED(&c, "  same      include/cudnn.h\n");
    PLANNED(&c, "Disk space: ");
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    PLANNED(&c, "  kept      bin/cudnn64_8.dll, changed by somebody\n");
    verb_case_end(&c);
}

static void test_plan_tell_says_what_could_not_be_seen(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    memory_host_system(c.machine)->administrator = false;
    c.options.dryrun = true;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    PLANNED(&c, "Not seen without administrator rights: programs of other accounts that have files loaded.\n");
    memory_host_system(c.machine)->administrator = true;
    c.options.dryrun = false;
    assert_int_equal(verb_case_install(&c, "p803"), 0);
    memory_host_system(c.machine)->administrator = false;
    memory_host_fail_on(c.machine, "list", "\\cudnn-setup\\state", MEMORY_BEFORE, 5);
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    PLANNED(&c, "  removed   bin/cudnn64_8.dll\n");
    PLANNED(&c, "Not seen without administrator rights: the records themselves");
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_tell_an_installation),
        cmocka_unit_test(test_plan_tell_without_the_environment),
        cmocka_unit_test(test_plan_tell_undoing_with_programs_in_the_way),
        cmocka_unit_test(test_plan_tell_a_repair_and_what_others_changed),
        cmocka_unit_test(test_plan_tell_says_what_could_not_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
