/* The rules over access rights, with descriptors as Windows 10 prints them (icacls /save, Get-Acl .Sddl). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/security.h"

#define TI "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

static const char volume_root[] = "O:" TI "G:" TI "D:PAI(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)(A;OICI;FA;;;SY)"
                                  "(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";
static const char program_files[] =
    "O:" TI "G:" TI "D:PAI(A;;FA;;;" TI ")(A;CIIO;GA;;;" TI ")(A;;0x1301bf;;;SY)(A;OICIIO;GA;;;SY)(A;;0x1301bf;;;BA)"
    "(A;OICIIO;GA;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICIIO;GA;;;CO)(A;;0x1200a9;;;AC)(A;OICIIO;GXGR;;;AC)"
    "(A;;0x1200a9;;;S-1-15-2-2)(A;OICIIO;GXGR;;;S-1-15-2-2)";
static const char cuda_folder[] = "O:BAG:S-1-5-21-1004336348-1177238915-682003330-513D:AI(A;ID;FA;;;" TI ")(A;CIIOID;GA;;;" TI ")"
                                  "(A;ID;FA;;;SY)(A;OICIIOID;GA;;;SY)(A;ID;FA;;;BA)(A;OICIIOID;GA;;;BA)(A;ID;0x1200a9;;;BU)"
                                  "(A;OICIIOID;GXGR;;;BU)(A;OICIIOID;GA;;;CO)(A;ID;0x1200a9;;;AC)(A;OICIIOID;GXGR;;;AC)";
static const char second_drive[] = "O:SYG:SYD:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;;0x1301bf;;;AU)(A;OICIIO;SDGXGWGR;;;AU)"
                                   "(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)";
static const char folder_on_second_drive[] = "O:BAG:SYD:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;ID;0x1301bf;;;AU)"
                                             "(A;OICIIOID;SDGXGWGR;;;AU)(A;OICIID;0x1200a9;;;BU)";
static const char state_folder[] = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";

typedef struct verdict {
    bool ours, trusted, trusted_parent;
    char why[256];
} verdict;

static verdict judge(const char *sddl) {
    cs_security security;
    cs_error error = {0};
    verdict out;
    assert_int_equal(cs_security_from_sddl(sddl, &security, &error), CS_OK);
    out.ours = cs_security_ours(&security, out.why, sizeof out.why);
    out.trusted_parent = cs_security_trusted(&security, true, out.why, sizeof out.why);
    out.trusted = cs_security_trusted(&security, false, out.why, sizeof out.why);
    cs_security_free(&security);
    return out;
}

static void test_security_volume_root_is_a_trusted_parent_only(void **state) {
    (void)state;
    verdict v = judge(volume_root);
    assert_true(v.trusted_parent);
    assert_false(v.trusted);
    assert_string_equal(v.why, "S-1-5-11 may delete it"); /* what its children inherit */
    assert_false(v.ours);
}

static void test_security_program_files_is_trusted_and_ours(void **state) {
    (void)state;
    verdict v = judge(program_files);
    assert_true(v.trusted_parent);
    assert_true(v.trusted);
    assert_true(v.ours);
    assert_string_equal(v.why, "");
}

static void test_security_cuda_folder_is_trusted(void **state) {
    (void)state;
    verdict v = judge(cuda_folder);
    assert_true(v.trusted);
    assert_true(v.trusted_parent);
    assert_true(v.ours);
}

static void test_security_second_drive_is_not_trusted(void **state) {
    (void)state;
    verdict v = judge(second_drive);
    assert_false(v.trusted_parent);
    assert_false(v.trusted);
    assert_string_equal(v.why, "S-1-5-11 may delete it");
    v = judge(folder_on_second_drive);
    assert_false(v.trusted_parent);
    assert_false(v.trusted);
}

static void test_security_state_folder_is_ours(void **state) {
    (void)state;
    assert_true(judge(state_folder).ours);
    assert_true(judge("O:SYD:P(A;OICI;FA;;;SY)").ours);
    assert_true(judge("O:" TI "D:P(A;OICI;FA;;;BA)").ours);
}

static void test_security_foreign_owner_is_refused(void **state) {
    (void)state;
    verdict v = judge("O:S-1-5-21-1-2-3-1001G:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
    assert_false(v.ours);
    assert_false(v.trusted);
    assert_false(v.trusted_parent);
    assert_string_equal(v.why, "its owner is S-1-5-21-1-2-3-1001");
    assert_false(judge("D:(A;;FA;;;SY)").ours); /* no owner at all */
}

static void test_security_null_list_is_refused_and_empty_list_is_not(void **state) {
    (void)state;
    verdict v = judge("O:BAG:SYD:NO_ACCESS_CONTROL");
    assert_false(v.ours);
    assert_false(v.trusted);
    assert_false(v.trusted_parent);
    assert_non_null(strstr(v.why, "no access list"));
    assert_false(judge("O:BAG:SY").ours);
    assert_true(judge("O:BAG:SYD:P").ours);
}

static void test_security_denial_makes_nothing_trusted(void **state) {
    (void)state;
    assert_false(judge("O:BAD:(D;;FA;;;BU)(A;;FA;;;BU)").trusted);
    assert_true(judge("O:BAD:(D;OICI;FA;;;BU)(A;OICI;FA;;;BA)").trusted);
}

static void test_security_inherit_only_counts_for_what_we_place(void **state) {
    (void)state;
    verdict v = judge("O:BAD:(A;OICI;FA;;;BA)(A;OICIIO;0x1301bf;;;BU)");
    assert_true(v.trusted_parent);
    assert_false(v.trusted);
    assert_false(v.ours);
}

static void test_security_creator_owner_grants_nothing_here(void **state) {
    (void)state;
    assert_true(judge("O:BAD:(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)(A;;FA;;;OW)").ours);
    assert_true(judge("O:BAD:(A;OICI;FA;;;BA)(A;OICI;FA;;;CO)").trusted);
}

static void test_security_each_dangerous_right(void **state) {
    (void)state;
    static const struct {
        const char *right;
        bool trusted, parent;
    } rows[] = {{"SD", false, false}, {"WD", false, false}, {"WO", false, false},     {"DT", false, false},
                {"GA", false, false}, {"0x2", false, true}, {"LC", false, true},      {"GW", false, true},
                {"FA", false, false}, {"FX", true, true},   {"FR", true, true},       {"GR", true, true},
                {"GX", true, true},   {"RC", true, true},   {"0x1200a9", true, true}, {"WPLORC", true, true},
                {"0x100", true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char sddl[80];
        snprintf(sddl, sizeof sddl, "O:BAD:(A;;%s;;;WD)", rows[i].right);
        verdict v = judge(sddl);
        assert_int_equal(v.trusted, rows[i].trusted);
        assert_int_equal(v.trusted_parent, rows[i].parent);
    }
    assert_false(judge("O:BAD:(A;;0x100;;;WD)").ours); /* attributes of our own folder are ours too */
}

static void test_security_own_account_counts_under_wine_only(void **state) {
    (void)state;
    cs_security security;
    char why[128];
    static const char sddl[] = "O:S-1-5-21-0-0-0-1000D:(A;OICI;FA;;;S-1-5-21-0-0-0-1000)(A;OICI;0x1200a9;;;WD)";
    assert_int_equal(cs_security_from_sddl(sddl, &security, NULL), CS_OK);
    assert_false(cs_security_ours(&security, why, sizeof why));
    snprintf(security.self, sizeof security.self, "%s", "S-1-5-21-0-0-0-1000");
    assert_true(cs_security_ours(&security, why, sizeof why));
    snprintf(security.self, sizeof security.self, "%s", "S-1-5-21-0-0-0-1001");
    assert_false(cs_security_ours(&security, why, sizeof why));
    cs_security_free(&security);
}

static void test_security_sddl_is_read_exactly(void **state) {
    (void)state;
    cs_security security;
    assert_int_equal(cs_security_from_sddl("O:BAG:SYD:PARAI(D;OICINP;0x120116;;;BU)(A;IOID;SDGXGWGR;;;S-1-5-11)S:(AU;SA;FA;;;WD)",
                                           &security, NULL),
                     CS_OK);
    assert_string_equal(security.owner, "S-1-5-32-544");
    assert_int_equal(security.count, 2);
    assert_false(security.null_dacl);
    assert_false(security.aces[0].allow);
    assert_int_equal(security.aces[0].flags, 1 | 2 | 4);
    assert_int_equal(security.aces[0].mask, 0x120116);
    assert_string_equal(security.aces[0].sid, "S-1-5-32-545");
    assert_true(security.aces[1].allow);
    assert_int_equal(security.aces[1].flags, 8 | 16);
    assert_int_equal(security.aces[1].mask, 0xE0010000u);
    assert_string_equal(security.aces[1].sid, "S-1-5-11");
    cs_security_free(&security);
}

static void test_security_malformed_sddl_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"X:BA",
                                      "O",
                                      "O:",
                                      "O:ZZ",
                                      "O:S-1-x",
                                      "O:BAD:(A;;FA;;;BA",
                                      "O:BAD:(A;;FA;;BA)",
                                      "O:BAD:(A;;FA;;;BA;)",
                                      "O:BAD:(OA;;FA;;;BA)",
                                      "O:BAD:(A;XX;FA;;;BA)",
                                      "O:BAD:(A;;ZZ;;;BA)",
                                      "O:BAD:(A;;F;;;BA)",
                                      "O:BAD:(A;;0xg;;;BA)",
                                      "O:BAD:(A;;0x123456789;;;BA)",
                                      "O:BAD:(A;;FA;{guid};;BA)",
                                      "O:BAD:(A;;FA;;;)",
                                      "O:BAD:(A;;FA;;;BA)junk"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cs_security security;
        cs_error error = {0};
        assert_int_equal(cs_security_from_sddl(bad[i], &security, &error), CS_E_FORMAT);
        assert_string_equal(error.operation, "SDDL");
        assert_null(security.aces);
    }
}

static void test_security_out_of_memory(void **state) {
    (void)state;
    cs_security security;
    cs_alloc_fail_at(2);
    assert_int_equal(cs_security_from_sddl(state_folder, &security, NULL), CS_E_NO_MEMORY);
    cs_alloc_fail_at(0);
    assert_null(security.aces);
    assert_int_equal(security.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_security_volume_root_is_a_trusted_parent_only),
        cmocka_unit_test(test_security_program_files_is_trusted_and_ours),
        cmocka_unit_test(test_security_cuda_folder_is_trusted),
        cmocka_unit_test(test_security_second_drive_is_not_trusted),
        cmocka_unit_test(test_security_state_folder_is_ours),
        cmocka_unit_test(test_security_foreign_owner_is_refused),
        cmocka_unit_test(test_security_null_list_is_refused_and_empty_list_is_not),
        cmocka_unit_test(test_security_denial_makes_nothing_trusted),
        cmocka_unit_test(test_security_inherit_only_counts_for_what_we_place),
        cmocka_unit_test(test_security_creator_owner_grants_nothing_here),
        cmocka_unit_test(test_security_each_dangerous_right),
        cmocka_unit_test(test_security_own_account_counts_under_wine_only),
        cmocka_unit_test(test_security_sddl_is_read_exactly),
        cmocka_unit_test(test_security_malformed_sddl_is_refused),
        cmocka_unit_test(test_security_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
