/* Archives that are not what they should be: hostile names, links, doubles, other methods, wrong packages, and things that are
 * no ZIP at all. They reach the reader through a sealed manifest, which means nothing vouches for their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_case.h"

enum { ROWS = 5 };

static void assert_contains(const char *text, const char *part) {
    if (strstr(text, part)) return;
    print_error("\"%s\" is not in \"%s\"\n", part, text);
    fail();
}

/* A sealed run over a ZIP under construction. Ends the writer. */
typedef struct hostile {
    package pack;
    cs_manifest manifest;
    zip_writer writer;
    unsigned char *zip;
    size_t size;
    archive_run run;
} hostile;

static void start(hostile *h, size_t rows) {
    memset(h, 0, sizeof *h);
    package_init(&h->pack, rows);
    package_manifest(&h->pack, SEALED, NULL, 0, NULL, 0, &h->manifest);
    zip_begin(&h->writer, NULL);
}

static cs_status finish(hostile *h, const zip_ending *ending) {
    zip_end(&h->writer, ending);
    assert_true(zip_close(&h->writer, &h->zip, &h->size));
    archive_run_init(&h->run, h->zip, h->size);
    return archive_run_go(&h->run, &h->manifest);
}

static void end(hostile *h) {
    assert_int_equal(memory_host_open_files(h->run.host), 0);
    archive_run_free(&h->run);
    cs_manifest_free(&h->manifest);
    package_free(&h->pack);
    free(h->zip);
}

/* The whole package with one more entry, which must refuse it before anything is written. */
static void assert_entry_refused(const zip_entry *entry, const char *part) {
    for (int first = 0; first <= 1; first++) {
        hostile h;
        start(&h, ROWS);
        if (first) zip_add(&h.writer, entry);
        package_add(&h.pack, &h.writer, &(package_shape){.root = "cuda/"});
        if (!first) zip_add(&h.writer, entry);
        if (finish(&h, NULL) != CS_E_ARCHIVE_BAD) print_error("accepted: %s\n", entry->name);
        assert_int_equal(h.run.status, CS_E_ARCHIVE_BAD);
        assert_int_equal(cs_exit_code(h.run.status), 1620);
        assert_int_equal(h.run.begun, 0);
        assert_contains(h.run.message, part);
        end(&h);
    }
}

static void assert_name_refused(const char *name, const char *part) {
    assert_entry_refused(&(zip_entry){.name = name, .bytes = "x", .size = 1}, part);
}

/* ---- Z01: names that lead out ---- */

static void test_archive_z01_parent_folders(void **state) {
    (void)state;
    static const char *const names[] = {"cuda/../../x.dll", "..\\x",     "cuda\\..\\..\\x", "..",       "cuda/..",
                                        "cuda/bin/..\\x",   "../cuda/x", "./../x",          "cuda/../", "\xD0\x5C..\\x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "leads out of the archive");
}

static void test_archive_z01_parent_folder_in_the_place_of_a_row(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.root = "../"});
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "leads out of the archive");
    end(&h);
}

/* ---- Z02: absolute names ---- */

static void test_archive_z02_absolute(void **state) {
    (void)state;
    static const char *const names[] = {"\\x",        "/x", "\\\\server\\s\\x", "\\\\?\\C:\\x", "//?/", "//server/share/x",
                                        "\\??\\C:\\x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "is an absolute path");
}

static void test_archive_z02_drives(void **state) {
    (void)state;
    static const char *const names[] = {"C:\\x", "C:x", "c:/x", "cuda/C:/x", "Z:"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "holds ':'");
}

/* ---- Z03: names that Windows understands otherwise ---- */

static void test_archive_z03_devices(void **state) {
    (void)state;
    static const char *const names[] = {"CON",          "nul.dll",     "COM1.lib",    "cuda/bin/aux", "lpt9.txt",
                                        "cuda/PRN/x.h", "CONIN$",      "conout$.txt", "COM0",         "COM\xC2\xB9.txt",
                                        "nul .txt",     "cuda\\Con.h", "clock$"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "is that of a device");
}

static void test_archive_z03_trailing_dots_and_blanks(void **state) {
    (void)state;
    static const char *const names[] = {"x.dll.", "x.dll ", "cuda./x", "cuda /x", "...", "cuda/. /x", "x. . ."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "ends in a dot or a blank");
}

static void test_archive_z03_streams(void **state) {
    (void)state;
    assert_name_refused("a:b", "holds ':'");
    assert_name_refused("cuda/bin/cudnn64_8.dll::$DATA", "holds ':'");
}

static void test_archive_z03_signs_and_controls(void **state) {
    (void)state;
    static const char *const signs[] = {"a?b", "a*b", "a<b", "a>b", "a\"b", "a|b"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) assert_name_refused(signs[i], "does not allow in names");
    assert_name_refused("a\nb", "control character");
    assert_name_refused("a\x7F"
                        "b",
                        "control character");
    assert_entry_refused(&(zip_entry){.name = "cuda/x.dll\0.txt", .name_size = 15}, "control character");
}

static void test_archive_z03_empty_parts_long_names_false_utf8(void **state) {
    (void)state;
    char name[601];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_name_refused("cuda//x", "has an empty part");
    assert_name_refused("cuda/\\x", "has an empty part");
    assert_name_refused(name, "is too long");
    assert_entry_refused(&(zip_entry){.name = "\xC0\xAF.txt", .flags = ZIP_FLAG_UTF8}, "is said to be UTF-8 and is not");
}

/* ---- Z04: what is no file ---- */

static void test_archive_z04_symbolic_link(void **state) {
    (void)state;
    zip_entry entry = {.name = "cuda/x", .bytes = "../../y", .size = 7, .host = ZIP_HOST_UNIX, .external = 0120777u << 16};
    assert_entry_refused(&entry, "is a symbolic link");
    entry.host = ZIP_HOST_DOS;
    assert_entry_refused(&entry, "is a symbolic link");
}

static void test_archive_z04_hard_link_and_reparse_point(void **state) {
    (void)state;
    static const char field[4 + 14] = {0x6E, 0x75, 14}; /* the ASi UNIX field, which can name a link's target */
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .extra = field, .extra_size = sizeof field}, "may be a link");
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .external = ZIP_ATTRIBUTE_REPARSE}, "is a link (a reparse point)");
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .host = ZIP_HOST_UNIX, .external = 0010644u << 16},
                         "is neither a file nor a folder");
}

static void test_archive_z04_folder_where_a_file_is_due(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.without = 2});
    char name[128];
    snprintf(name, sizeof name, "%s/", package_source(&h.pack, 1));
    zip_add_folder(&h.writer, name);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "1 of 5 files are folders in the ZIP: bin/cudnn64_8.dll");
    assert_int_equal(h.run.begun, 0);
    end(&h);
}

static void test_archive_z04_file_where_a_folder_is_due(void **state) {
    (void)state;
    assert_name_refused("cuda/bin", "make one name both a file and a folder");
    assert_name_refused("cuda", "make one name both a file and a folder");
    assert_name_refused("CUDA/BIN", "make one name both a file and a folder");
}

/* ---- Z05: doubled names ---- */

static void test_archive_z05_same_name(void **state) {
    (void)state;
    assert_name_refused("cuda/bin/cudnn64_8.dll", "have the same name");
    assert_name_refused("cuda\\bin\\cudnn64_8.dll", "have the same name");
}

static void test_archive_z05_same_name_in_other_case(void **state) {
    (void)state;
    assert_name_refused("cuda/bin/CUDNN64_8.DLL", "have the same name");
    assert_name_refused("Cuda/Bin/cudnn64_8.dll", "have the same name");
}

static void test_archive_z05_same_name_after_folding(void **state) {
    (void)state;
    static const char *const names[] = {
        "cuda/b\xC4\xB1n/cudnn64_8.dll",     /* dotless i */
        "cuda/bin/\xEF\xBD\x83udnn64_8.dll", /* full-width c */
        "cuda/bin/cudnn64_8\xE2\x80\xA4"
        "dll", /* one dot leader */
        "cuda/bin/cudnn\xE2\x80\x8B"
        "64_8.dll",                                /* zero width space */
        "cuda/NVIDIA_\xC5\xBFLA_cuDNN_Support.txt" /* long s */
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_name_refused(names[i], "have the same name");
}

static void test_archive_z05_doubled_extra_in_other_case(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    zip_add_bytes(&h.writer, "\xC3\x89T\xC3\x89.txt", "a", 1);
    zip_add_bytes(&h.writer, "\xC3\xA9t\xC3\xA9.txt", "b", 1);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "have the same name");
    end(&h);
}

static void test_archive_z05_lookalike_alone_does_not_replace_a_row(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.without = 2});
    zip_add_bytes(&h.writer, "bin/\xEF\xBD\x83udnn64_8.dll", h.pack.content[1].data, h.pack.content[1].size);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "4 of 5 files are in it; missing: bin/cudnn64_8.dll");
    end(&h);
}

static void test_archive_z05_whole_package_twice(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.root = "a/"});
    package_add(&h.pack, &h.writer, &(package_shape){.root = "b/"});
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "holds the whole package 2 times");
    end(&h);
}

static void test_archive_z05_two_entries_share_data(void **state) {
    (void)state;
    assert_entry_refused(&(zip_entry){.name = "cuda/other.txt", .central_only = true}, "");
    assert_entry_refused(&(zip_entry){.name = "cuda/x.txt", .local_name = "cuda/y.txt"}, "has another name in its own header");
}

/* ---- Z07: other kinds of ZIP ---- */

static void test_archive_z07_encrypted(void **state) {
    (void)state;
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .flags = ZIP_FLAG_ENCRYPTED}, "is encrypted");
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .flags = ZIP_FLAG_ENCRYPTED | ZIP_FLAG_STRONG}, "is encrypted");
}

static void test_archive_z07_other_methods(void **state) {
    (void)state;
    static const int methods[] = {ZIP_LZMA, ZIP_ZSTD, 12, 9, 1, 99};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        assert_entry_refused(&(zip_entry){.name = "cuda/x", .bytes = "x", .size = 1, .method = methods[i]},
                             "is packed by another method than deflate");
}

static void test_archive_z07_zip64_entry(void **state) {
    (void)state;
    assert_entry_refused(&(zip_entry){.name = "cuda/x", .bytes = "x", .size = 1, .zip64 = true}, "uses ZIP64");
}

static void assert_ending_refused(const zip_ending *ending, const char *part) {
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    assert_int_equal(finish(&h, ending), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, part);
    assert_int_equal(h.run.begun, 0);
    end(&h);
}

static void test_archive_z07_zip64_end(void **state) {
    (void)state;
    assert_ending_refused(&(zip_ending){.zip64 = true}, "ZIP64 records");
}

static void test_archive_z07_false_end_record(void **state) {
    (void)state;
    assert_ending_refused(&(zip_ending){.count_lie = 1}, "directory is damaged");
    assert_ending_refused(&(zip_ending){.count_lie = -1}, "holds more than it says");
    assert_ending_refused(&(zip_ending){.count_lie = -ROWS}, "is empty");
    assert_ending_refused(&(zip_ending){.count_lie = 60000}, "far more entries");
    assert_ending_refused(&(zip_ending){.offset_lie = 1}, "out of bounds");
    assert_ending_refused(&(zip_ending){.offset_lie = -1}, "do not belong to the ZIP");
    assert_ending_refused(&(zip_ending){.size_lie = 1}, "out of bounds");
    assert_ending_refused(&(zip_ending){.size_lie = -1}, "do not belong to the ZIP");
    assert_ending_refused(&(zip_ending){.disk = 1}, "one part of several");
    assert_ending_refused(&(zip_ending){.comment = "abc", .comment_size = 3, .comment_size_lie = 1}, "bytes follow the end");
    assert_ending_refused(&(zip_ending){.comment = "abc", .comment_size = 3, .comment_size_lie = -1}, "bytes follow the end");
}

/* Junk before, between and behind. counted: the offsets know of it. */
static void assert_junk_refused(bool before, bool between, bool behind, bool counted, const char *part) {
    hostile h;
    static const char junk[] = "PK\3\4 these bytes belong to no entry";
    start(&h, ROWS);
    if (before) zip_raw(&h.writer, junk, sizeof junk);
    if (before && !counted) h.writer.base = sizeof junk;
    package_add(&h.pack, &h.writer, NULL);
    if (between) zip_raw(&h.writer, junk, sizeof junk);
    zip_end(&h.writer, NULL);
    if (behind) zip_raw(&h.writer, junk, sizeof junk);
    assert_true(zip_close(&h.writer, &h.zip, &h.size));
    archive_run_init(&h.run, h.zip, h.size);
    assert_int_equal(archive_run_go(&h.run, &h.manifest), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, part);
    end(&h);
}

static void test_archive_z07_junk(void **state) {
    (void)state;
    assert_junk_refused(true, false, false, false, "do not belong to the ZIP");
    assert_junk_refused(true, false, false, true, "do not belong to the ZIP");
    assert_junk_refused(false, true, false, false, "bytes between its entries");
    assert_junk_refused(false, false, true, false, "bytes follow the end");
}

static void test_archive_z07_several_ends(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    zip_end(&h.writer, NULL);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD); /* the directory and its end a second time */
    assert_contains(h.run.message, "bytes between its entries");
    end(&h);

    start(&h, ROWS); /* an end record inside the comment of the true one */
    package_add(&h.pack, &h.writer, NULL);
    static const char inner[22] = "PK\5\6";
    assert_int_equal(finish(&h, &(zip_ending){.comment = inner, .comment_size = sizeof inner}), CS_E_ARCHIVE_BAD);
    end(&h);
}

static void test_archive_z07_data_that_the_directory_hides(void **state) {
    (void)state;
    assert_entry_refused(&(zip_entry){.name = "cuda/hidden.dll", .bytes = "MZ", .size = 2, .local_only = true}, "it holds bytes");
}

static void test_archive_z07_empty_zip(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "the ZIP is empty");
    end(&h);
}

static void test_archive_z07_empty_name(void **state) {
    (void)state;
    assert_entry_refused(&(zip_entry){.name = "", .empty_name = true, .bytes = "x", .size = 1}, "it is empty");
}

static void test_archive_z07_second_name_in_an_extra_field(void **state) {
    (void)state;
    static const char field[] = "\x75\x70\x0A\x00\x01\0\0\0\0other"; /* Info-ZIP's Unicode path, 0x7075 */
    assert_entry_refused(&(zip_entry){.name = "cuda/x.txt", .extra = field, .extra_size = sizeof field - 1}, "has two names");
}

/* What a sealed manifest refuses, a pinned hash takes: the bytes are the published ones. */
static void assert_pinned_takes(hostile *h, const zip_ending *ending) {
    zip_end(&h->writer, ending);
    assert_true(zip_close(&h->writer, &h->zip, &h->size));
    cs_manifest_free(&h->manifest);
    package_manifest(&h->pack, PINNED, h->zip, h->size, NULL, 0, &h->manifest);
    archive_run_init(&h->run, h->zip, h->size);
    if (archive_run_go(&h->run, &h->manifest) != CS_OK) print_error("%s\n", h->run.message);
    assert_int_equal(h->run.status, CS_OK);
    assert_true(archive_run_exact(&h->run, &h->pack));
    end(h);
}

static void test_archive_z07_pinned_hash_decides_alone(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    assert_pinned_takes(&h, &(zip_ending){.zip64 = true});
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    zip_add(&h.writer, &(zip_entry){.name = "x", .bytes = "x", .size = 1, .zip64 = true, .method = ZIP_DEFLATE});
    assert_pinned_takes(&h, NULL);
    start(&h, ROWS);
    zip_raw(&h.writer, "MZ a self-extractor", 19);
    h.writer.base = 19;
    package_add(&h.pack, &h.writer, NULL);
    assert_pinned_takes(&h, NULL);
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, NULL);
    zip_raw(&h.writer, "between", 7);
    assert_pinned_takes(&h, NULL);
}

/* ---- Z08: other sets of files ---- */

static void test_archive_z08_thirty_of_thirty_one(void **state) {
    (void)state;
    for (size_t row = 0; row < 31; row++) {
        hostile h;
        char part[256];
        start(&h, 31);
        package_add(&h.pack, &h.writer, &(package_shape){.root = "cuda/", .without = row + 1});
        assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
        snprintf(part, sizeof part, "30 of 31 files are in it; missing: %s", package_source(&h.pack, row));
        assert_contains(h.run.message, part);
        assert_int_equal(h.run.begun, 0);
        end(&h);
    }
}

static void test_archive_z08_nothing_of_it(void **state) {
    (void)state;
    hostile h;
    start(&h, 31);
    zip_add_bytes(&h.writer, "readme.txt", "hello", 5);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "0 of 31 files are in it; missing: NVIDIA_SLA_cuDNN_Support.txt, bin/cudnn64_8.dll");
    assert_contains(h.run.message, " more");
    end(&h);
}

static void test_archive_z08_right_names_wrong_content(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    h.pack.content[1].data[5] ^= 1; /* the manifest keeps the old hash */
    h.pack.content[3].data[5] ^= 1;
    package_add(&h.pack, &h.writer, NULL);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "2 of 5 files have another SHA-256 than the manifest says: ");
    assert_contains(h.run.message, package_source(&h.pack, 1));
    assert_contains(h.run.message, package_source(&h.pack, 3));
    assert_int_equal(h.run.ended, 1); /* nothing is written from the first wrong one on */
    end(&h);
}

static void test_archive_z08_right_names_wrong_size(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    cs_buffer_text(&h.pack.content[2], "more");
    package_add(&h.pack, &h.writer, NULL);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "1 of 5 files have another size than the manifest says: ");
    assert_contains(h.run.message, package_source(&h.pack, 2));
    assert_int_equal(h.run.begun, 0);
    end(&h);
}

static void test_archive_z08_right_content_wrong_name(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.without = 2});
    zip_add_bytes(&h.writer, "bin/cudnn64_7.dll", h.pack.content[1].data, h.pack.content[1].size);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "missing: bin/cudnn64_8.dll");
    end(&h);
}

static void test_archive_z08_rows_below_different_folders(void **state) {
    (void)state;
    hostile h;
    char name[128];
    start(&h, ROWS);
    package_add(&h.pack, &h.writer, &(package_shape){.root = "a/", .without = 2});
    snprintf(name, sizeof name, "b/%s", package_source(&h.pack, 1));
    zip_add_bytes(&h.writer, name, h.pack.content[1].data, h.pack.content[1].size);
    assert_int_equal(finish(&h, NULL), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "missing: bin/cudnn64_8.dll");
    end(&h);
}

static void test_archive_z08_extra_is_reported_and_not_written(void **state) {
    (void)state;
    hostile h;
    start(&h, 31);
    zip_add_bytes(&h.writer, "cuda/lib/Win32/cudnn.lib", "32 bits", 7);
    package_add(&h.pack, &h.writer, &(package_shape){.root = "cuda/", .folders = true});
    zip_add_bytes(&h.writer, "\xCB\xB5\xC3\xF7.txt", "GBK", 3);
    assert_int_equal(finish(&h, NULL), CS_OK);
    assert_true(archive_run_exact(&h.run, &h.pack));
    assert_int_equal(h.run.extras.count, 2);
    assert_string_equal(h.run.extras.items[0], "cuda/lib/Win32/cudnn.lib");
    assert_true(cs_utf8_valid(h.run.extras.items[1], strlen(h.run.extras.items[1])));
    end(&h);
}

/* ---- Z11: another archive, or none ---- */

static void test_archive_z11_known_wrong_named_by_hash(void **state) {
    (void)state;
    for (int trust = PINNED; trust <= SEALED; trust++) {
        for (int accept = 0; accept <= 1; accept++) {
            hostile h;
            start(&h, 31);
            cs_manifest_free(&h.manifest);
            package_add(&h.pack, &h.writer, &(package_shape){.root = "cuda/", .without = 3});
            zip_end(&h.writer, NULL);
            assert_true(zip_close(&h.writer, &h.zip, &h.size));
            package_manifest(&h.pack, (manifest_trust)trust, NULL, 0, h.zip, h.size, &h.manifest);
            archive_run_init(&h.run, h.zip, h.size);
            h.run.accept_unverified = accept;
            assert_int_equal(archive_run_go(&h.run, &h.manifest), CS_E_ARCHIVE_BAD);
            assert_contains(h.run.message, "this is wrong.zip (the wrong one for this test). Take right.zip from NVIDIA");
            assert_int_equal(h.run.begun, 0);
            end(&h);
        }
    }
}

static void test_archive_z11_named_by_its_file_name_only_as_a_hint(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    cs_manifest_free(&h.manifest);
    package_add(&h.pack, &h.writer, NULL);
    zip_end(&h.writer, NULL);
    assert_true(zip_close(&h.writer, &h.zip, &h.size));
    package_manifest(&h.pack, PINNED, NULL, 0, NULL, 0, &h.manifest);
    archive_run_init(&h.run, h.zip, h.size);
    h.run.name = "WRONG.zip";
    assert_true(memory_host_file(h.run.host, "C:\\Downloads\\WRONG.zip", h.zip, h.size));
    assert_int_equal(archive_run_go(&h.run, &h.manifest), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "by its name this is wrong.zip");
    assert_contains(h.run.message, "is not a known one");
    end(&h);
}

typedef struct content_row {
    const char *bytes;
    size_t size;
    const char *part;
} content_row;

#define BYTES(text) (text), sizeof(text) - 1

static void test_archive_z11_what_is_no_zip_is_named(void **state) {
    (void)state;
    static char tar[512], zeros[1000];
    memcpy(tar + 257, "ustar", 5);
    static const content_row rows[] = {
        {BYTES(""), "an empty file"},
        {BYTES("<!DOCTYPE html>\n<html><head><title>Log in</title>"), "a web page saved under the archive's name"},
        {BYTES("\xEF\xBB\xBF\r\n  <HTML lang=en>"), "a web page"},
        {BYTES("<?xml version=\"1.0\"?><Error><Code>AccessDenied"), "a web page"},
        {BYTES("\x1F\x8B\x08\0\0\0\0\0"), "a gzip file"},
        {BYTES("7z\xBC\xAF\x27\x1C\0\4"), "a 7-Zip archive"},
        {BYTES("Rar!\x1A\x07\x01\0"), "a RAR archive"},
        {BYTES("\xFD\x37zXZ\0\0"), "an xz file"},
        {BYTES("BZh91AY&SY"), "a bzip2 file"},
        {tar, sizeof tar, "a tar archive"},
        {BYTES("MZ\x90\0\3\0\0\0"), "a Windows program"},
        {BYTES("%PDF-1.7"), "a PDF document"},
        {zeros, sizeof zeros, "a file of zeros"},
        {BYTES("404: Not Found"), "a text file"},
        {BYTES("\x01\x02\x03\x04"), "not a ZIP"},
        {BYTES("PK"), "a text file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int trust = PINNED; trust <= SEALED; trust++) {
            hostile h;
            start(&h, ROWS);
            cs_manifest_free(&h.manifest);
            zip_close(&h.writer, &h.zip, &h.size);
            package_manifest(&h.pack, (manifest_trust)trust, NULL, 0, NULL, 0, &h.manifest);
            archive_run_init(&h.run, rows[i].bytes, rows[i].size);
            h.run.accept_unverified = true;
            assert_int_equal(archive_run_go(&h.run, &h.manifest), CS_E_ARCHIVE_BAD);
            assert_contains(h.run.message, rows[i].part);
            assert_contains(h.run.message, "Take right.zip from NVIDIA's cuDNN archive");
            end(&h);
        }
    }
}

static void test_archive_z11_unfinished_download_is_named(void **state) {
    (void)state;
    hostile h;
    start(&h, ROWS);
    cs_manifest_free(&h.manifest);
    package_add(&h.pack, &h.writer, NULL);
    zip_end(&h.writer, NULL);
    assert_true(zip_close(&h.writer, &h.zip, &h.size));
    package_manifest(&h.pack, PINNED, NULL, 0, NULL, 0, &h.manifest);
    archive_run_init(&h.run, h.zip, h.size / 2);
    assert_int_equal(archive_run_go(&h.run, &h.manifest), CS_E_ARCHIVE_BAD);
    assert_contains(h.run.message, "the download was not finished");
    end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_z01_parent_folders),
        cmocka_unit_test(test_archive_z01_parent_folder_in_the_place_of_a_row),
        cmocka_unit_test(test_archive_z02_absolute),
        cmocka_unit_test(test_archive_z02_drives),
        cmocka_unit_test(test_archive_z03_devices),
        cmocka_unit_test(test_archive_z03_trailing_dots_and_blanks),
        cmocka_unit_test(test_archive_z03_streams),
        cmocka_unit_test(test_archive_z03_signs_and_controls),
        cmocka_unit_test(test_archive_z03_empty_parts_long_names_false_utf8),
        cmocka_unit_test(test_archive_z04_symbolic_link),
        cmocka_unit_test(test_archive_z04_hard_link_and_reparse_point),
        cmocka_unit_test(test_archive_z04_folder_where_a_file_is_due),
        cmocka_unit_test(test_archive_z04_file_where_a_folder_is_due),
        cmocka_unit_test(test_archive_z05_same_name),
        cmocka_unit_test(test_archive_z05_same_name_in_other_case),
        cmocka_unit_test(test_archive_z05_same_name_after_folding),
        cmocka_unit_test(test_archive_z05_doubled_extra_in_other_case),
        cmocka_unit_test(test_archive_z05_lookalike_alone_does_not_replace_a_row),
        cmocka_unit_test(test_archive_z05_whole_package_twice),
        cmocka_unit_test(test_archive_z05_two_entries_share_data),
        cmocka_unit_test(test_archive_z07_encrypted),
        cmocka_unit_test(test_archive_z07_other_methods),
        cmocka_unit_test(test_archive_z07_zip64_entry),
        cmocka_unit_test(test_archive_z07_zip64_end),
        cmocka_unit_test(test_archive_z07_false_end_record),
        cmocka_unit_test(test_archive_z07_junk),
        cmocka_unit_test(test_archive_z07_several_ends),
        cmocka_unit_test(test_archive_z07_data_that_the_directory_hides),
        cmocka_unit_test(test_archive_z07_empty_zip),
        cmocka_unit_test(test_archive_z07_empty_name),
        cmocka_unit_test(test_archive_z07_second_name_in_an_extra_field),
        cmocka_unit_test(test_archive_z07_pinned_hash_decides_alone),
        cmocka_unit_test(test_archive_z08_thirty_of_thirty_one),
        cmocka_unit_test(test_archive_z08_nothing_of_it),
        cmocka_unit_test(test_archive_z08_right_names_wrong_content),
        cmocka_unit_test(test_archive_z08_right_names_wrong_size),
        cmocka_unit_test(test_archive_z08_right_content_wrong_name),
        cmocka_unit_test(test_archive_z08_rows_below_different_folders),
        cmocka_unit_test(test_archive_z08_extra_is_reported_and_not_written),
        cmocka_unit_test(test_archive_z11_known_wrong_named_by_hash),
        cmocka_unit_test(test_archive_z11_named_by_its_file_name_only_as_a_hint),
        cmocka_unit_test(test_archive_z11_what_is_no_zip_is_named),
        cmocka_unit_test(test_archive_z11_unfinished_download_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
