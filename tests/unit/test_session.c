#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/hash.h"
#include "engine_fixture.h"

#define P "C:\\Program Files\\cudnn-setup"

static void test_session_makes_its_folders_and_takes_the_lock(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_session session, second;
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_string_equal(session.programs, P);
    assert_string_equal(session.state, P "\\state");
    assert_true(session.created_programs && session.created_state);
    assert_true(memory_host_exists(m, P "\\state\\lock"));
    assert_int_equal(cs_session_open(memory_host_seam(m), &second, &error), CS_E_BUSY);
    assert_int_equal(cs_exit_code(CS_E_BUSY), 1618);
    assert_null(second.programs);
    cs_session_close(&session);
    assert_int_equal(cs_session_open(memory_host_seam(m), &second, &error), CS_OK);
    assert_false(second.created_programs || second.created_state);
    cs_session_close(&second);
    assert_int_equal(memory_host_open_files(m), 0);
    memory_host_free(m);
}

/* Holds the lock, and lets it go at the second look. */
typedef struct short_hold {
    cs_file *file;
    unsigned looks;
} short_hold;

static void let_go(void *ctx, memory_host *m, const char *operation, const char *path) {
    short_hold *hold = ctx;
    if (strcmp(operation, "open lock") != 0 || strstr(path, "lock") == NULL || ++hold->looks < 2) return;
    memory_host_seam(m)->fs->close(memory_host_seam(m)->fs->ctx, hold->file);
    hold->file = NULL;
}

static void test_session_lock_outlasts_a_scanner(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_session session;
    cs_error error = {0};
    memory_host_text(m, P "\\state\\lock", ".");
    short_hold hold = {.file = memory_host_hold(m, P "\\state\\lock", CS_OPEN_READ)};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_E_BUSY);
    assert_in_range(memory_host_system(m)->slept_ms, 1, 1000); /* another run is told at once */
    memory_host_hook(m, let_go, &hold);
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(hold.looks, 2);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_session_state_folder_is_for_administrators(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_fs *fs = memory_host_seam(m)->fs;
    cs_session session;
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    cs_security security = {0};
    assert_int_equal(fs->security(fs->ctx, P "\\state", &security, &error), CS_OK);
    assert_string_equal(security.owner, "S-1-5-32-544");
    assert_int_equal(security.count, 2);
    cs_security_free(&security);
    cs_session_close(&session);
    memory_host_free(m);
}

static void expect_refused(const char *path, const char *sddl) {
    memory_host *m = memory_host_new();
    cs_session session;
    cs_error error = {0};
    memory_host_folder(m, P "\\state");
    memory_host_security(m, path, sddl);
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_E_FAILED);
    assert_int_equal(cs_exit_code(error.status), 1603); /* not 740: it would start itself again and again */
    assert_string_equal(error.path, path);
    assert_false(memory_host_exists(m, P "\\state\\lock"));
    assert_int_equal(memory_host_open_files(m), 0);
    memory_host_free(m);
}

static void test_session_refuses_folders_that_others_can_write(void **state) {
    (void)state;
    expect_refused(P, "O:BAG:SYD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;BU)");
    expect_refused(P "\\state", "O:BAG:SYD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;BU)");
    expect_refused(P "\\state", "O:S-1-5-21-1-2-3-1001G:SYD:(A;OICI;FA;;;SY)");
}

static void test_session_refuses_links(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_session session;
    cs_error error = {0};
    memory_host_folder(m, "C:\\elsewhere\\state");
    memory_host_link(m, P, "C:\\elsewhere");
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_E_REPARSE);
    assert_false(memory_host_exists(m, "C:\\elsewhere\\state\\lock"));
    memory_host_free(m);
}

static void test_session_reading_creates_nothing(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_session session;
    cs_error error = {0};
    memory_host_trace(m, true);
    assert_int_equal(cs_session_open_reading(memory_host_seam(m), &session, &error), CS_E_NOTHING);
    assert_string_equal(memory_host_trace_text(m), "");
    memory_host_free(m);

    m = fixture_machine(FIXTURE_OVER_OURS);
    cs_session writer;
    cs_strings trees;
    cs_record head;
    cs_pending pending;
    assert_int_equal(cs_session_open(memory_host_seam(m), &writer, &error), CS_OK);
    assert_int_equal(cs_session_open_reading(memory_host_seam(m), &session, &error), CS_OK); /* beside a run at work */
    assert_null(session.lock);
    assert_int_equal(cs_session_trees(&session, &trees, &error), CS_OK);
    assert_int_equal(trees.count, 1);
    assert_int_equal(cs_session_head(&session, trees.items[0], &head, &pending, &error), CS_OK);
    assert_int_equal(pending, CS_PENDING_NONE);
    assert_string_equal(head.stack[0].version, "8.0.2");
    cs_record_free(&head);
    cs_strings_free(&trees);
    cs_session_close(&session);
    cs_session_close(&writer);
    memory_host_free(m);
}

static void test_session_lists_trees_only(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_session session;
    cs_strings trees;
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    memory_host_folder(m, P "\\state\\ffffffffffffffffffffffffffffffff");
    memory_host_folder(m, P "\\state\\00000000000000000000000000000000");
    memory_host_folder(m, P "\\state\\0000000000000000000000000000000G");
    memory_host_folder(m, P "\\state\\short");
    memory_host_text(m, P "\\state\\11111111111111111111111111111111", "a file");
    assert_int_equal(cs_session_trees(&session, &trees, &error), CS_OK);
    assert_int_equal(trees.count, 2);
    assert_string_equal(trees.items[0], "00000000000000000000000000000000");
    assert_string_equal(trees.items[1], "ffffffffffffffffffffffffffffffff");
    cs_record head;
    assert_int_equal(cs_session_head(&session, trees.items[0], &head, NULL, &error), CS_E_NOTHING);
    cs_strings_free(&trees);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_session_head_of_another_tree_is_refused(void **state) {
    (void)state;
    memory_host *m = fixture_machine(FIXTURE_OVER_OURS);
    cs_session session;
    cs_strings trees;
    cs_record head;
    cs_error error = {0};
    char from[512], to[512];
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_session_trees(&session, &trees, &error), CS_OK);
    snprintf(from, sizeof from, P "\\state\\%s\\head", trees.items[0]);
    snprintf(to, sizeof to, P "\\state\\%s\\head", "ffffffffffffffffffffffffffffffff");
    memory_host_text(m, to, memory_host_content(m, from));
    assert_int_equal(cs_session_head(&session, "ffffffffffffffffffffffffffffffff", &head, NULL, &error), CS_E_FORMAT);
    cs_strings_free(&trees);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_session_tree_id_follows_the_folder(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    const cs_host *host = memory_host_seam(m);
    cs_tree tree, moved, other;
    cs_error error = {0};
    memory_host_folder(m, "C:\\CUDA\\v10.1");
    memory_host_folder(m, "C:\\CUDA\\v10.2");
    assert_int_equal(cs_tree_open(host, "C:\\CUDA\\v10.1\\", &tree, &error), CS_OK);
    assert_string_equal(tree.path, "C:\\CUDA\\v10.1");

    char bytes[64 + 1 + 16] = "", hex[CS_SHA256_HEX + 1];
    size_t size = strlen(tree.volume) + 1;
    uint8_t digest[CS_SHA256_SIZE];
    memcpy(bytes, tree.volume, size);
    memcpy(bytes + size, tree.root.id, 16);
    assert_int_equal(cs_sha256_bytes(bytes, size + 16, digest, &error), CS_OK);
    cs_hex(digest, sizeof digest, hex);
    hex[CS_ID_HEX] = '\0';
    assert_string_equal(tree.id, hex);

    assert_true(memory_host_move(m, "C:\\CUDA\\v10.1", "C:\\CUDA\\moved"));
    assert_int_equal(cs_tree_open(host, "C:\\CUDA\\moved", &moved, &error), CS_OK);
    assert_string_equal(tree.id, moved.id);
    assert_int_equal(cs_tree_open(host, "C:\\CUDA\\v10.2", &other, &error), CS_OK);
    assert_string_not_equal(tree.id, other.id);
    cs_tree_free(&tree);
    cs_tree_free(&moved);
    cs_tree_free(&other);
    memory_host_free(m);
}

static void test_session_tree_must_be_a_folder(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_tree tree;
    cs_error error = {0};
    memory_host_text(m, "C:\\file", "x");
    memory_host_folder(m, "C:\\real");
    memory_host_link(m, "C:\\link", "C:\\real");
    assert_int_equal(cs_tree_open(memory_host_seam(m), "C:\\file", &tree, &error), CS_E_REPARSE);
    assert_int_equal(cs_tree_open(memory_host_seam(m), "C:\\link", &tree, &error), CS_E_REPARSE);
    assert_int_equal(cs_tree_open(memory_host_seam(m), "C:\\absent", &tree, &error), CS_E_NOT_FOUND);
    assert_null(tree.path);
    memory_host_free(m);
}

static void test_session_blob_path(void **state) {
    (void)state;
    memory_host *m = memory_host_new();
    cs_blob blob = {.txid = "0123456789abcdef0123456789abcdef", .area = CS_AREA_OLD, .number = 7};
    cs_buffer path = {0};
    cs_error error = {0};
    assert_int_equal(cs_blob_path(memory_host_seam(m), "C:\\CUDA", &blob, &path, &error), CS_OK);
    assert_string_equal(path.data, "C:\\CUDA\\.cudnn-setup\\0123456789abcdef0123456789abcdef\\old\\07");
    blob.area = CS_AREA_NEW;
    blob.number = 99;
    assert_int_equal(cs_blob_path(memory_host_seam(m), "C:\\CUDA", &blob, &path, &error), CS_OK);
    assert_string_equal(path.data, "C:\\CUDA\\.cudnn-setup\\0123456789abcdef0123456789abcdef\\new\\99");
    cs_buffer_free(&path);
    memory_host_free(m);
}

/* ---- kept manifests ---- */

static void test_session_keeps_manifests(void **state) {
    (void)state;
    static const char id[] = "0123456789abcdef0123456789abcdef";
    memory_host *m = memory_host_new();
    cs_session session;
    cs_manifest manifest = {0}, kept = {0};
    cs_error error = {0};
    size_t size = 0;
    const char *bytes = cs_manifest_embedded(0, &size);
    char hex[CS_SHA256_HEX + 1], path[512];
    assert_int_equal(cs_manifest_parse("embedded", bytes, size, &manifest, &error), CS_OK);
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_session_kept_manifest(&session, id, manifest.sha256, &kept, &error), CS_E_NOT_FOUND);
    memory_host_trace(m, true);
    assert_int_equal(cs_session_keep_manifest(&session, id, &manifest, &error), CS_OK);
    assert_non_null(strstr(memory_host_trace_text(m), "flush"));
    assert_int_equal(cs_session_kept_manifest(&session, id, manifest.sha256, &kept, &error), CS_OK);
    assert_string_equal(kept.version, manifest.version);
    cs_manifest_free(&kept);

    memory_host_trace(m, true);
    assert_int_equal(cs_session_keep_manifest(&session, id, &manifest, &error), CS_OK);
    assert_string_equal(memory_host_trace_text(m), ""); /* never replaced */

    cs_hex(manifest.sha256, CS_SHA256_SIZE, hex);
    snprintf(path, sizeof path, P "\\state\\%s\\manifests\\%s.json", id, hex);
    memory_host_text(m, path, "{"); /* torn */
    assert_int_equal(cs_session_kept_manifest(&session, id, manifest.sha256, &kept, &error), CS_E_FORMAT);
    assert_int_equal(cs_session_keep_manifest(&session, id, &manifest, &error), CS_OK);
    assert_int_equal(cs_session_kept_manifest(&session, id, manifest.sha256, &kept, &error), CS_OK);
    cs_manifest_free(&kept);

    bool did_work; /* no receipt names it: it is collected, and its folders with it */
    assert_int_equal(cs_session_recover(&session, &did_work, &error), CS_OK);
    assert_false(did_work);
    assert_false(memory_host_exists(m, P "\\state\\0123456789abcdef0123456789abcdef"));
    cs_manifest_free(&manifest);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_session_begin_and_abandon_leave_nothing(void **state) {
    (void)state;
    static const char txid[] = "abcdefabcdefabcdefabcdefabcdefab";
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    char *before = fixture_state(m);
    cs_session session;
    cs_tree tree;
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_tree_open(memory_host_seam(m), FIXTURE_TREE, &tree, &error), CS_OK);
    assert_int_equal(cs_transaction_begin(&session, &tree, "../../../../Windows", &error), CS_E_NAME);
    assert_int_equal(cs_transaction_begin(&session, &tree, txid, &error), CS_OK);
    memory_host_text(m, FIXTURE_TREE "\\.cudnn-setup\\abcdefabcdefabcdefabcdefabcdefab\\new\\00", "staged");
    memory_host_text(m, FIXTURE_TREE "\\.cudnn-setup\\abcdefabcdefabcdefabcdefabcdefab\\archive", "a copy");
    assert_int_equal(cs_transaction_abandon(&session, &tree, txid, &error), CS_OK);
    char *after = fixture_state(m);
    assert_string_equal(before, after);
    free(before);
    free(after);
    cs_tree_free(&tree);
    cs_session_close(&session);
    memory_host_free(m);
}

static void test_session_collecting_leaves_foreign_names_alone(void **state) {
    (void)state;
    static const char txid[] = "abcdefabcdefabcdefabcdefabcdefab";
#define B FIXTURE_TREE "\\.cudnn-setup\\abcdefabcdefabcdefabcdefabcdefab"
    memory_host *m = fixture_machine(FIXTURE_FRESH);
    cs_session session;
    cs_tree tree;
    cs_error error = {0};
    assert_int_equal(cs_session_open(memory_host_seam(m), &session, &error), CS_OK);
    assert_int_equal(cs_tree_open(memory_host_seam(m), FIXTURE_TREE, &tree, &error), CS_OK);
    assert_int_equal(cs_transaction_begin(&session, &tree, txid, &error), CS_OK);
    memory_host_text(m, B "\\new\\notes.txt", "somebody's");
    memory_host_text(m, B "\\old\\00", "somebody's old file");
    memory_host_text(m, FIXTURE_TREE "\\.cudnn-setup\\keep.txt", "somebody's");
    memory_host_text(m, "D:\\victim", "precious");
    memory_host_link(m, B "\\new\\05", "D:\\victim");
    assert_int_equal(cs_transaction_abandon(&session, &tree, txid, &error), CS_OK);
    assert_true(memory_host_exists(m, B "\\new\\notes.txt"));
    assert_true(memory_host_exists(m, B "\\old\\00"));
    assert_true(memory_host_exists(m, FIXTURE_TREE "\\.cudnn-setup\\keep.txt"));
    assert_true(memory_host_exists(m, B "\\new\\05"));
    assert_true(memory_host_exists(m, "D:\\victim"));
    assert_false(memory_host_exists(m, B "\\mark"));
    cs_tree_free(&tree);
    cs_session_close(&session);
    memory_host_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_makes_its_folders_and_takes_the_lock),
        cmocka_unit_test(test_session_lock_outlasts_a_scanner),
        cmocka_unit_test(test_session_state_folder_is_for_administrators),
        cmocka_unit_test(test_session_refuses_folders_that_others_can_write),
        cmocka_unit_test(test_session_refuses_links),
        cmocka_unit_test(test_session_reading_creates_nothing),
        cmocka_unit_test(test_session_lists_trees_only),
        cmocka_unit_test(test_session_head_of_another_tree_is_refused),
        cmocka_unit_test(test_session_tree_id_follows_the_folder),
        cmocka_unit_test(test_session_tree_must_be_a_folder),
        cmocka_unit_test(test_session_blob_path),
        cmocka_unit_test(test_session_keeps_manifests),
        cmocka_unit_test(test_session_begin_and_abandon_leave_nothing),
        cmocka_unit_test(test_session_collecting_leaves_foreign_names_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
