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

/* Trees as Windows leaves them. trusted: as the tree's own folder; parent: as a folder above it. */
static const struct {
    const char *what, *sddl;
    bool trusted, parent;
    const char *why; /* of the first of the two that is not trusted */
} trees[] = {
    {"Program Files of Windows 10", program_files, true, true, ""},
    {"CUDA's folder in Program Files", cuda_folder, true, true, ""},
    {"root of C: of Windows 10", volume_root, false, true, "S-1-5-11 may delete it"},
    {"a folder that an administrator made in C:\\ (modify for Authenticated Users is inherited)",
     "O:BAG:S-1-5-21-1-2-3-513D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)"
     "(A;OICIIOID;SDGXGWGR;;;AU)",
     false, false, "S-1-5-11 may delete it"},
    {"the same, made by an ordinary user",
     "O:S-1-5-21-1-2-3-1001G:S-1-5-21-1-2-3-513D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)", false, false,
     "its owner is S-1-5-21-1-2-3-1001"},
    {"root of a second drive (Authenticated Users may modify)", second_drive, false, false, "S-1-5-11 may delete it"},
    {"a folder on it", folder_on_second_drive, false, false, "S-1-5-11 may delete it"},
    {"root of a second drive formatted by Windows 7 and later with Everyone",
     "O:SYG:SYD:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;;0x1200a9;;;WD)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;BU)(A;CIIO;DC;;;BU)", false,
     true, "S-1-5-32-545 may append or add folders"},
    {"ProgramData (users may make folders, and own what they make)",
     "O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;BU)(A;CI;0x120116;;;BU)", false, true,
     "S-1-5-32-545 may write"},
    {"a user's profile", "O:SYG:SYD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;S-1-5-21-1-2-3-1001)", false, false,
     "S-1-5-21-1-2-3-1001 may change access rights"},
    {"CREATOR OWNER alone beside administrators", "O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICIIO;FA;;;CO)(A;OICIIO;FA;;;CG)", true, true,
     ""},
    {"OWNER RIGHTS", "O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)", true, true, ""},
    {"inherit-only write for users: it becomes that of the files we place", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICIIO;0x1301bf;;;BU)",
     false, true, "S-1-5-32-545 may delete it"},
    {"a denial after the grant", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;BU)(D;OICI;FA;;;BU)", false, false,
     "S-1-5-32-545 may change access rights"},
    {"a denial before the grant", "O:BAD:PAI(D;OICI;FA;;;BU)(A;OICI;FA;;;BU)(A;OICI;FA;;;BA)", false, false,
     "S-1-5-32-545 may change access rights"},
    {"nothing but denials", "O:BAD:PAI(D;OICI;FA;;;BU)(D;OICI;FA;;;WD)", true, true, ""},
    {"no access list", "O:BAG:SYD:NO_ACCESS_CONTROL", false, false, "it has no access list: everybody may do everything"},
    {"an empty access list: nobody but the owner", "O:BAG:SYD:PAI", true, true, ""},
    {"an object entry", "O:BAD:PAI(A;;FA;;;BA)(OA;OICI;0x1301bf;bf967aba-0de6-11d0-a285-00aa003049e2;;AU)", false, false,
     "S-1-5-11 may delete it"},
    {"a denying object entry", "O:BAD:PAI(A;;FA;;;BA)(OD;OICI;FA;bf967aba-0de6-11d0-a285-00aa003049e2;;AU)", true, true, ""},
    {"a conditional entry", "O:BAD:PAI(A;;FA;;;BA)(XA;OICI;0x1301bf;;;AU;((@User.a == 1) && (@User.b == 2)))", false, false,
     "S-1-5-11 may delete it"},
    {"a conditional denial", "O:BAD:PAI(A;;FA;;;BA)(XD;OICI;FA;;;AU;(@User.a == 1))", true, true, ""},
    {"Everyone may read", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;WD)", true, true, ""},
    {"a service account may write", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;NS)", false, false, "S-1-5-20 may delete it"},
    {"another service's account may write", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;S-1-5-80-1-2-3-4-5)", false, false,
     "S-1-5-80-1-2-3-4-5 may change access rights"},
    {"app packages may write", "O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;GW;;;AC)", false, true, "S-1-15-2-1 may write"},
    {"TrustedInstaller owns it", "O:" TI "G:" TI "D:PAI(A;OICI;FA;;;" TI ")(A;OICI;0x1200a9;;;BU)", true, true, ""},
    {"delete-child for users, and nothing else", "O:BAD:PAI(A;OICI;FA;;;BA)(A;;DT;;;BU)", false, false,
     "S-1-5-32-545 may delete what is in it"},
};

static void test_security_trees_of_windows(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        cs_security security;
        cs_error error = {0};
        char why[2][256];
        if (cs_security_from_sddl(trees[i].sddl, &security, &error)) fail_msg("%s: %s", trees[i].what, error.detail);
        bool trusted = cs_security_trusted(&security, false, why[0], sizeof why[0]);
        bool parent = cs_security_trusted(&security, true, why[1], sizeof why[1]);
        if (trusted != trees[i].trusted || parent != trees[i].parent)
            fail_msg("%s: trusted %d (%s), as a parent %d (%s)", trees[i].what, trusted, why[0], parent, why[1]);
        if (strcmp(why[0], trees[i].why) != 0) fail_msg("%s: %s", trees[i].what, why[0]);
        cs_security_free(&security);
    }
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
                                      "O:BAD:(AU;;FA;;;BA)",
                                      "O:BAD:(XA;;FA;;;BA)",
                                      "O:BAD:(XA;;FA;;;BA;(a)",
                                      "O:BAD:(A;;FA;;;BA;(a))",
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
        cmocka_unit_test(test_security_trees_of_windows),
        cmocka_unit_test(test_security_own_account_counts_under_wine_only),
        cmocka_unit_test(test_security_sddl_is_read_exactly),
        cmocka_unit_test(test_security_malformed_sddl_is_refused),
        cmocka_unit_test(test_security_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
