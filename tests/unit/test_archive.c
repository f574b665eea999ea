/* The archive that is as it should be: judged by its pinned hash, by a sealed manifest, or accepted unverified; in every layout
 * that a ZIP tool may give it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_case.h"

enum { ALL = 31 };

static void assert_contains(const char *text, const char *part) {
    if (strstr(text, part)) return;
    print_error("\"%s\" is not in \"%s\"\n", part, text);
    fail();
}

/* ---- trust ---- */

static void test_archive_pinned_hash_gives_trust_and_exact_bytes(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, ALL);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/"}, &size);
    package_manifest(&pack, PINNED, zip, size, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
    assert_int_equal(run.trust.kind, CS_TRUST_PINNED);
    assert_true(run.trust.has_archive_sha256);
    assert_memory_equal(run.trust.archive_sha256, manifest.archive_sha256, CS_SHA256_SIZE);
    assert_memory_equal(run.trust.manifest_sha256, manifest.sha256, CS_SHA256_SIZE);
    assert_true(archive_run_exact(&run, &pack));
    assert_int_equal(run.extras.count, 0);
    assert_int_equal(memory_host_open_files(run.host), 0);
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

static void test_archive_sealed_manifest_judges_without_hashing(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, ALL);
    unsigned char *zip = package_zip(&pack, &(package_shape){.root = "cuda/"}, &size);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
    assert_int_equal(run.trust.kind, CS_TRUST_SEALED);
    assert_false(run.trust.has_archive_sha256);
    assert_true(archive_run_exact(&run, &pack));
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

static void test_archive_unknown_hash_is_refused_with_origin(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, 4);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, PINNED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    assert_int_equal(archive_run_go(&run, &manifest), CS_E_ARCHIVE_BAD);
    assert_int_equal(run.begun, 0);
    assert_contains(run.message, "nothing vouches for it");
    assert_contains(run.message, "/unverified:accept");
    assert_contains(run.message, "Take right.zip from NVIDIA's cuDNN archive, \"cuDNN v8.0.3 for CUDA 10.1\"");
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

static void test_archive_unverified_is_accepted_when_asked(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, ALL);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, PINNED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    run.accept_unverified = true;
    assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
    assert_int_equal(run.trust.kind, CS_TRUST_UNVERIFIED);
    assert_true(run.trust.has_archive_sha256);
    assert_true(archive_run_exact(&run, &pack));
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

static void test_archive_trust_has_a_word_for_each_kind(void **state) {
    (void)state;
    assert_string_equal(cs_trust_text(CS_TRUST_NONE), "none");
    assert_string_equal(cs_trust_text(CS_TRUST_PINNED), "pinned");
    assert_string_equal(cs_trust_text(CS_TRUST_SEALED), "sealed");
    assert_string_equal(cs_trust_text(CS_TRUST_UNVERIFIED), "unverified");
}

static void test_archive_without_trust_is_not_unpacked(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    cs_archive *archive = NULL;
    cs_error error = {0};
    size_t size;
    package_init(&pack, 2);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, PINNED, zip, size, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    cs_sink sink = {0};
    cs_trust none = {0};
    assert_int_equal(cs_archive_open(memory_host_seam(run.host), "C:\\Downloads\\package.zip", &archive, &error), CS_OK);
    assert_int_equal(cs_archive_size(archive), size);
    assert_int_equal(cs_archive_extract(archive, &manifest, &none, &sink, run.staged, NULL, &error), CS_E_ARCHIVE_BAD);
    cs_archive_close(archive);
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

/* ---- opening ---- */

static void test_archive_open_says_why_it_cannot(void **state) {
    (void)state;
    cs_archive *archive = NULL;
    cs_error error = {0};
    memory_host *host = memory_host_new();
    assert_int_equal(cs_archive_open(memory_host_seam(host), "C:\\none.zip", &archive, &error), CS_E_ARCHIVE_OPEN);
    assert_null(archive);
    assert_int_equal(error.system, 2);
    assert_string_equal(error.path, "C:\\none.zip");
    assert_contains(error.detail, "there is no such file");
    assert_int_equal(cs_exit_code(error.status), 1619);
    assert_int_equal(cs_archive_open(memory_host_seam(host), "C:\\Windows", &archive, &error), CS_E_ARCHIVE_OPEN);
    assert_contains(error.detail, "this is a folder");
    assert_null(archive);
    assert_int_equal(memory_host_open_files(host), 0);
    memory_host_free(host);
}

static void test_archive_open_denies_writers(void **state) {
    (void)state;
    cs_archive *archive = NULL;
    memory_host *host = memory_host_new();
    memory_host_text(host, "C:\\a.zip", "x");
    assert_int_equal(cs_archive_open(memory_host_seam(host), "C:\\a.zip", &archive, NULL), CS_OK);
    assert_null(memory_host_hold(host, "C:\\a.zip", CS_OPEN_UPDATE));
    assert_false(memory_host_delete(host, "C:\\a.zip"));
    cs_archive_close(archive);
    assert_true(memory_host_delete(host, "C:\\a.zip"));
    memory_host_free(host);
}

static void test_archive_open_for_writing_elsewhere_is_reported(void **state) {
    (void)state;
    cs_archive *archive = NULL;
    cs_error error = {0};
    memory_host *host = memory_host_new();
    memory_host_text(host, "C:\\a.zip", "x");
    cs_file *held = memory_host_hold(host, "C:\\a.zip", CS_OPEN_UPDATE);
    assert_non_null(held);
    assert_int_equal(cs_archive_open(memory_host_seam(host), "C:\\a.zip", &archive, &error), CS_E_ARCHIVE_OPEN);
    assert_int_equal(error.system, 32);
    assert_contains(error.detail, "another program is writing to it");
    memory_host_seam(host)->fs->close(memory_host_seam(host)->fs->ctx, held);
    memory_host_free(host);
}

static void test_archive_path_with_unicode_and_signs(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, 3);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    static const char *const names[] = {
        "\xE6\x9D\xA8\xE5\xAD\x90\xE9\x94\x90\\cudnn \xE5\x8C\x85.zip", "\xEB\x94\x94\xEB\xB2\x84\xEA\xB7\xB8\\cudnn.zip",
        "\xE3\x83\x86\xE3\x82\xB9\xE3\x83\x88\\\xF0\x9F\x98\x80.zip", "e\xCC\x81 [1] & % ! ^ ' ; =.zip"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        archive_run_init(&run, zip, size);
        run.name = names[i];
        snprintf(path, sizeof path, "C:\\Downloads\\%s", names[i]);
        assert_true(memory_host_file(run.host, path, zip, size));
        assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
        assert_true(archive_run_exact(&run, &pack));
        archive_run_free(&run);
    }
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

/* ---- layouts ---- */

/* The ZIP in this shape unpacks to exact bytes under a sealed manifest and under a pinned one. */
static void assert_shape(const package_shape *shape) {
    package pack;
    size_t size;
    package_init(&pack, ALL);
    unsigned char *zip = package_zip(&pack, shape, &size);
    for (int trust = PINNED; trust <= SEALED; trust++) {
        archive_run run;
        cs_manifest manifest = {0};
        package_manifest(&pack, (manifest_trust)trust, zip, size, NULL, 0, &manifest);
        archive_run_init(&run, zip, size);
        if (archive_run_go(&run, &manifest) != CS_OK) print_error("%s\n", run.message);
        assert_int_equal(run.status, CS_OK);
        assert_true(archive_run_exact(&run, &pack));
        assert_int_equal(run.extras.count, 0);
        archive_run_free(&run);
        cs_manifest_free(&manifest);
    }
    free(zip);
    package_free(&pack);
}

static void test_archive_top_folder_cuda(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/"});
}

static void test_archive_top_folder_none(void **state) {
    (void)state;
    assert_shape(&(package_shape){0});
}

static void test_archive_top_folder_another(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cudnn-10.1-windows10-x64-v8.0.3.33/"});
}

static void test_archive_top_folder_nested(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "my downloads/cudnn/cuda/", .folders = false});
}

static void test_archive_top_folder_non_ascii(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "\xE4\xB8\x8B\xE8\xBD\xBD/cuda/", .flags = ZIP_FLAG_UTF8});
    assert_shape(&(package_shape){.root = "\xCF\xC2\xD4\xD8/"}); /* the same word in GBK, without the flag */
}

static void test_archive_current_folder_prefix(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "./", .folders = true});
    assert_shape(&(package_shape){.root = "./cuda/", .folders = true});
}

static void test_archive_backslashes(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .backslash = true});
    assert_shape(&(package_shape){.root = "cuda/", .backslash = true, .folders = true});
}

static void test_archive_folder_entries(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .folders = true});
}

static void test_archive_data_descriptors(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .descriptors = true});
    assert_shape(&(package_shape){.root = "cuda/", .descriptors = true, .no_signature = true});
}

static void test_archive_stored(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .stored = true});
}

static void test_archive_other_order(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .reversed = true, .folders = true});
}

static void test_archive_other_case(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .upper_case = true});
}

static void test_archive_made_on_unix(void **state) {
    (void)state;
    assert_shape(&(package_shape){.root = "cuda/", .host = ZIP_HOST_UNIX, .external = 0100644u << 16});
}

static void test_archive_comment_at_the_end(void **state) {
    (void)state;
    package pack;
    archive_run run;
    zip_writer writer;
    cs_manifest manifest = {0};
    unsigned char *zip;
    size_t size;
    package_init(&pack, 5);
    zip_begin(&writer, NULL);
    package_add(&pack, &writer, NULL);
    zip_end(&writer, &(zip_ending){.comment = "from a download site", .comment_size = 20});
    assert_true(zip_close(&writer, &zip, &size));
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
    assert_true(archive_run_exact(&run, &pack));
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

/* ---- progress, cancelling ---- */

typedef struct watcher {
    unsigned events, asked, cancel_at;
    uint64_t last_done, total;
} watcher;

static void watch(void *ctx, const cs_event *event) {
    watcher *w = ctx;
    if (event->kind != CS_EVENT_PROGRESS) return;
    w->events++;
    w->last_done = event->progress.done;
    w->total = event->progress.total;
}

static bool cancels(void *ctx) {
    watcher *w = ctx;
    return w->cancel_at && ++w->asked >= w->cancel_at;
}

static void test_archive_progress_reaches_the_total(void **state) {
    (void)state;
    package pack;
    archive_run run;
    cs_manifest manifest = {0};
    watcher w = {0};
    size_t size, total = 0;
    package_init(&pack, ALL);
    for (size_t row = 0; row < ALL; row++) total += pack.content[row].size;
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, SEALED, NULL, 0, NULL, 0, &manifest);
    archive_run_init(&run, zip, size);
    run.events = (cs_events){.ctx = &w, .emit = watch};
    assert_int_equal(archive_run_go(&run, &manifest), CS_OK);
    assert_int_equal(w.total, total);
    assert_int_equal(w.last_done, total);
    assert_in_range(w.events, 1, 2); /* the clock in memory stands still: the first and the last */
    archive_run_free(&run);
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

static void test_archive_cancelled_while_hashing_or_unpacking(void **state) {
    (void)state;
    package pack;
    cs_manifest manifest = {0};
    size_t size;
    package_init(&pack, 5);
    unsigned char *zip = package_zip(&pack, NULL, &size);
    package_manifest(&pack, PINNED, zip, size, NULL, 0, &manifest);
    for (unsigned at = 1; at <= 4; at++) {
        archive_run run;
        watcher w = {.cancel_at = at};
        archive_run_init(&run, zip, size);
        run.events = (cs_events){.ctx = &w, .cancelled = cancels};
        assert_int_equal(archive_run_go(&run, &manifest), CS_E_CANCELLED);
        assert_int_equal(run.error.status, CS_E_CANCELLED);
        assert_int_equal(run.ended, at < 3 ? 0 : at - 2); /* one question while hashing, then one for each small file */
        assert_int_equal(memory_host_open_files(run.host), 0);
        archive_run_free(&run);
    }
    cs_manifest_free(&manifest);
    free(zip);
    package_free(&pack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_pinned_hash_gives_trust_and_exact_bytes),
        cmocka_unit_test(test_archive_sealed_manifest_judges_without_hashing),
        cmocka_unit_test(test_archive_unknown_hash_is_refused_with_origin),
        cmocka_unit_test(test_archive_unverified_is_accepted_when_asked),
        cmocka_unit_test(test_archive_trust_has_a_word_for_each_kind),
        cmocka_unit_test(test_archive_without_trust_is_not_unpacked),
        cmocka_unit_test(test_archive_open_says_why_it_cannot),
        cmocka_unit_test(test_archive_open_denies_writers),
        cmocka_unit_test(test_archive_open_for_writing_elsewhere_is_reported),
        cmocka_unit_test(test_archive_path_with_unicode_and_signs),
        cmocka_unit_test(test_archive_top_folder_cuda),
        cmocka_unit_test(test_archive_top_folder_none),
        cmocka_unit_test(test_archive_top_folder_another),
        cmocka_unit_test(test_archive_top_folder_nested),
        cmocka_unit_test(test_archive_top_folder_non_ascii),
        cmocka_unit_test(test_archive_current_folder_prefix),
        cmocka_unit_test(test_archive_backslashes),
        cmocka_unit_test(test_archive_folder_entries),
        cmocka_unit_test(test_archive_data_descriptors),
        cmocka_unit_test(test_archive_stored),
        cmocka_unit_test(test_archive_other_order),
        cmocka_unit_test(test_archive_other_case),
        cmocka_unit_test(test_archive_made_on_unix),
        cmocka_unit_test(test_archive_comment_at_the_end),
        cmocka_unit_test(test_archive_progress_reaches_the_total),
        cmocka_unit_test(test_archive_cancelled_while_hashing_or_unpacking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
