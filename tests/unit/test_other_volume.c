/* Another disk under the drive letter of a tree: it is not the tree's, whatever the last change of the tree was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "verb_case.h"

#define TREE "D:\\CUDA\\v10.1"

static const cs_volume disk = {.guid_path = "\\\\?\\Volume{11111111-1111-1111-1111-111111111111}\\",
                               .filesystem = "NTFS",
                               .local_fixed = true,
                               .free_bytes = 1 << 30};
static const cs_volume other_disk = {.guid_path = "\\\\?\\Volume{99999999-9999-9999-9999-999999999999}\\",
                                     .filesystem = "NTFS",
                                     .local_fixed = true,
                                     .free_bytes = 1 << 30};

/* Installed on D:, and then a repair of the environment alone: the newest record moves no file. */
static void begin(verb_case *c) {
    verb_case_begin(c);
    memory_host_volume(c->machine, "D:", &disk);
    memory_host_text(c->machine, TREE "\\bin\\cudart64_101.dll", "the CUDA runtime");
    memory_host_text(c->machine, TREE "\\version.txt", "CUDA Version 10.1.243\n");
    memory_host_text(c->machine, TREE "\\include\\cudnn.h", "an older header");
    memory_host_folder(c->machine, TREE "\\lib\\x64");
    verb_case_package(c, "one", "8.0.3.33", 8003, "one", false);
    c->options.cuda = (char *)TREE;
    assert_int_equal(verb_case_install(c, "one"), 0);
    memory_host_reg_delete(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "CUDA_PATH");
    memory_host_reg_text(c->machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\Windows");
    assert_int_equal(verb_case_run(c, cs_repair), 0);
    c->options.cuda = NULL;
}

static void test_other_volume_is_not_a_deleted_tree(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    memory_host_unplug(c.machine, "D:", true);
    memory_host_volume(c.machine, "D:", &other_disk);
    assert_int_equal(verb_case_run(&c, cs_uninstall), CS_EXIT_FAILED);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "drive"));
    memory_host_unplug(c.machine, "D:", false);
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    assert_string_equal(memory_host_content(c.machine, TREE "\\include\\cudnn.h"), "an older header");
    assert_false(memory_host_exists(c.machine, TREE "\\.cudnn-setup"));
    verb_case_end(&c);
}

/* The same disk without the tree: it was deleted, and nothing is lost by going on. */
static void test_other_volume_deleted_tree_is_gone(void **state) {
    (void)state;
    verb_case c;
    begin(&c);
    assert_true(memory_host_delete(c.machine, "D:\\CUDA"));
    assert_int_equal(verb_case_run(&c, cs_uninstall), 0);
    verb_case_assert_clean(&c);
    verb_case_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_volume_is_not_a_deleted_tree),
        cmocka_unit_test(test_other_volume_deleted_tree_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
