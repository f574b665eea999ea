/* What people do between two runs, and what every verb then answers: the table of docs/undo.md ("Between two runs"), which
 * a test compares with these rows. Each cell is an exit code and, where it differs from the plain case, words that
 * the answer must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cudnn_setup/hash.h"
#include "cudnn_setup/record.h"
#include "document_table.h"
#include "verb_case.h"

#define ENV    CS_HKLM, CS_KEY_ENVIRONMENT
#define BIN    VERB_TREE "\\bin"
#define D_TREE "D:\\CUDA\\v10.1"

typedef struct scene {
    verb_case c;
    char id[CS_ID_HEX + 1];
    char *older_head; /* of the first level */
    const char *tree;
} scene;

/* ---- setting ---- */

static void head_path(const scene *s, const char *name, char out[256]) {
    snprintf(out, 256, VERB_P "\\state\\%s\\%s", s->id, name);
}

static void put(scene *s, const char *relative, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s\\%s", s->tree, relative);
    assert_true(memory_host_text(s->c.machine, path, text));
}

static int install(scene *s, const char *name) {
    s->c.options.cuda = (char *)(uintptr_t)s->tree;
    int code = verb_case_install(&s->c, name);
    s->c.options.cuda = NULL;
    return code;
}

/* Two levels, 8.0.2 and 8.0.3, over an older header. */
static void begin(scene *s, bool other_drive) {
    char path[256];
    verb_case *c = &s->c;
    verb_case_begin(c);
    s->tree = other_drive ? D_TREE : VERB_TREE;
    if (other_drive) {
        const cs_volume volume = {
            .guid_path = "\\\\?\\Volume{d}\\", .filesystem = "NTFS", .local_fixed = true, .free_bytes = 1u << 30};
        memory_host_volume(c->machine, "D:", &volume);
        put(s, "bin\\cudart64_101.dll", "the CUDA runtime");
        put(s, "version.txt", "CUDA Version 10.1.243\n");
        memory_host_reg_text(c->machine, ENV, "CUDA_PATH_V10_1", CS_REG_SZ, D_TREE);
    }
    memory_host_reg_text(c->machine, ENV, "Path", CS_REG_EXPAND_SZ, "C:\\tools;C:\\more");
    put(s, "include\\cudnn.h", "older header");
    verb_case_package(c, "p802", "8.0.2.39", 8002, "802", false);
    verb_case_package(c, "p803", "8.0.3.33", 8003, "803", false);
    assert_int_equal(install(s, "p802"), 0);
    snprintf(s->id, sizeof s->id, "%s", c->outcome.tree_id);
    head_path(s, "head", path);
    s->older_head = cs_strdup(memory_host_content(c->machine, path));
    assert_int_equal(install(s, "p803"), 0);
}

static void end(scene *s) {
    cs_free(s->older_head);
    verb_case_end(&s->c);
}

/* ---- what people do ---- */

static void nothing(scene *s) { (void)s; }

static void set_path(scene *s, const char *text) { memory_host_reg_text(s->c.machine, ENV, "Path", CS_REG_EXPAND_SZ, text); }
static void path_moved(scene *s) { set_path(s, "C:\\tools;C:\\more;" BIN); }
static void path_respelled(scene *s) { set_path(s, "c:/cuda/V10.1/bin/;C:\\tools;C:\\more"); }
static void path_removed(scene *s) { set_path(s, "C:\\tools;C:\\more"); }
static void path_doubled(scene *s) { set_path(s, BIN ";C:\\tools;" BIN ";C:\\more"); }
static void path_extended(scene *s) { set_path(s, "C:\\new;" BIN ";C:\\tools;C:\\more;C:\\newer"); }

static void file_replaced(scene *s) { put(s, "bin\\cudnn64_8.dll", "a person's own DLL"); }
static void file_deleted(scene *s) { assert_true(memory_host_delete(s->c.machine, VERB_TREE "\\bin\\cudnn64_8.dll")); }

static void files_deleted(scene *s) {
    for (size_t i = 0; i < VERB_ROWS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s\\%s", s->tree, verb_targets[i]);
        for (char *p = path; *p; p++)
            if (*p == '/') *p = '\\';
        assert_true(memory_host_delete(s->c.machine, path));
    }
}

static void tree_deleted(scene *s) { assert_true(memory_host_delete(s->c.machine, VERB_TREE)); }
static void tree_moved(scene *s) { assert_true(memory_host_move(s->c.machine, VERB_TREE, "C:\\elsewhere")); }
static void drive_away(scene *s) { memory_host_unplug(s->c.machine, "D:", true); }

typedef struct copier {
    scene *s;
    char from[512], to[512];
} copier;

/* As a backup does it: every file and folder anew. */
static cs_status copy_entry(void *ctx, const char *name, const cs_file_info *info) {
    const copier *c = ctx;
    copier inner = {.s = c->s};
    snprintf(inner.from, sizeof inner.from, "%.250s\\%.250s", c->from, name);
    snprintf(inner.to, sizeof inner.to, "%.250s\\%.250s", c->to, name);
    if (info->kind != CS_FILE_FOLDER) {
        assert_true(memory_host_text(c->s->c.machine, inner.to, memory_host_content(c->s->c.machine, inner.from)));
        return CS_OK;
    }
    memory_host_folder(c->s->c.machine, inner.to);
    const cs_fs *fs = c->s->c.host->fs;
    return fs->list(fs->ctx, inner.from, copy_entry, &inner, NULL);
}

static void copy_folder(scene *s, const char *from, const char *to) {
    copier c = {.s = s};
    const cs_fs *fs = s->c.host->fs;
    snprintf(c.from, sizeof c.from, "%s", from);
    snprintf(c.to, sizeof c.to, "%s", to);
    memory_host_folder(s->c.machine, to);
    assert_int_equal(fs->list(fs->ctx, from, copy_entry, &c, NULL), CS_OK);
}

static void tree_copied(scene *s) {
    tree_moved(s);
    copy_folder(s, "C:\\elsewhere", VERB_TREE);
}

static void cuda_reinstalled(scene *s) {
    tree_deleted(s);
    put(s, "bin\\cudart64_101.dll", "the CUDA runtime");
    put(s, "version.txt", "CUDA Version 10.1.243\n");
    set_path(s, BIN ";" VERB_TREE "\\libnvvp;C:\\tools;C:\\more");
}

static void older_records(scene *s) {
    char path[256];
    head_path(s, "head", path);
    assert_true(memory_host_text(s->c.machine, path, s->older_head));
}

static void state_deleted(scene *s) { assert_true(memory_host_delete(s->c.machine, VERB_P "\\state")); }

static void head_emptied(scene *s) {
    char path[256];
    head_path(s, "head", path);
    assert_true(memory_host_text(s->c.machine, path, ""));
}

static void journal_planted(scene *s) {
    char path[256];
    head_path(s, "head", path);
    char *copy = cs_strdup(memory_host_content(s->c.machine, path));
    head_path(s, "journal", path);
    assert_true(memory_host_text(s->c.machine, path, copy));
    cs_free(copy);
}

static void state_copied(scene *s) {
    char from[256];
    snprintf(from, sizeof from, VERB_P "\\state\\%s", s->id);
    copy_folder(s, from, VERB_P "\\state\\0123456789abcdef0123456789abcdef");
}

/* A receipt edited by hand, its hash made to fit again: in the newest receipt's part of the text. */
static void edit_receipt(scene *s, const char *from, const char *to) {
    enum { AT = 22 };
    char path[256], hex[CS_SHA256_HEX + 1];
    uint8_t digest[CS_SHA256_SIZE];
    head_path(s, "head", path);
    cs_buffer text = {0};
    const char *old = memory_host_content(s->c.machine, path), *stack = strstr(old, "\"stack\":");
    const char *at = stack ? strstr(strstr(stack, "8.0.3.33"), from) : NULL;
    assert_non_null(at);
    cs_buffer_append(&text, old, (size_t)(at - old));
    cs_buffer_text(&text, to);
    cs_buffer_text(&text, at + strlen(from));
    memset(text.data + AT, '0', CS_SHA256_HEX);
    assert_int_equal(cs_sha256_bytes(text.data, text.size, digest, NULL), CS_OK);
    cs_hex(digest, sizeof digest, hex);
    memcpy(text.data + AT, hex, CS_SHA256_HEX);
    assert_true(memory_host_text(s->c.machine, path, text.data));
    cs_buffer_free(&text);
}

static void receipt_target(scene *s) { edit_receipt(s, "bin/cudnn_ops_infer64_8.dll", "bin/cudart64_101.dll"); }
static void receipt_escape(scene *s) { edit_receipt(s, "bin/cudnn_ops_infer64_8.dll", "bin/../../../other.dll"); }

static void receipt_hash(scene *s) {
    uint8_t digest[CS_SHA256_SIZE];
    char hex[CS_SHA256_HEX + 1];
    const char *content = verb_case_content("803", 0);
    assert_int_equal(cs_sha256_bytes(content, strlen(content), digest, NULL), CS_OK);
    cs_hex(digest, sizeof digest, hex);
    char other[CS_SHA256_HEX + 1];
    snprintf(other, sizeof other, "%s", hex);
    other[0] = other[0] == '0' ? '1' : '0';
    edit_receipt(s, hex, other);
}

static cs_status note_folder(void *ctx, const char *name, const cs_file_info *info) {
    return info->kind == CS_FILE_FOLDER ? cs_strings_add(ctx, name, NULL) : CS_OK;
}

static void each_old(scene *s, void (*act)(memory_host *m, const char *path)) {
    cs_strings txids = {0};
    const cs_fs *fs = s->c.host->fs;
    assert_int_equal(fs->list(fs->ctx, VERB_TREE "\\.cudnn-setup", note_folder, &txids, NULL), CS_OK);
    for (size_t i = 0; i < txids.count; i++)
        for (unsigned n = 0; n < VERB_ROWS; n++) {
            char path[256];
            snprintf(path, sizeof path, VERB_TREE "\\.cudnn-setup\\%s\\old\\%02u", txids.items[i], n);
            if (memory_host_exists(s->c.machine, path)) act(s->c.machine, path);
        }
    cs_strings_free(&txids);
}

static void delete_file(memory_host *m, const char *path) { assert_true(memory_host_delete(m, path)); }
static void flip_file(memory_host *m, const char *path) { memory_host_flip(m, path, 0); }
static void undo_emptied(scene *s) { each_old(s, delete_file); }
static void undo_damaged(scene *s) { each_old(s, flip_file); }

/* ---- the table ---- */

typedef enum column { VERIFY, STATUS, UNINSTALL, ROLLBACK, REPAIR, INSTALL, RECOVER, FORGET, COLUMNS } column;

static const char *const titles[COLUMNS] = {"/verify", "/status",       "/uninstall", "/rollback",
                                            "/repair", "install again", "/recover",   "/forget"};
static const cs_operation verbs[COLUMNS] = {[VERIFY] = cs_verify, [UNINSTALL] = cs_uninstall, [ROLLBACK] = cs_rollback,
                                            [REPAIR] = cs_repair, [RECOVER] = cs_recover,     [FORGET] = cs_forget};

#define PATHS_OTHERS "C:\\tools;C:\\more"

typedef struct row {
    const char *what;
    void (*act)(scene *s);
    int codes[COLUMNS];
    const char *words[COLUMNS]; /* in the message, the report or a warning of that verb */
    const char *path_after;     /* PATH after /uninstall; NULL: as before everything */
    const char *then;           /* for people: what happens, and what to do */
    bool other_drive;
} row;

#define SAME                                                                                                                     \
    { 0, 0, 0, 0, 0, 0, 0, 0 }
#define DIFFER                                                                                                                   \
    { 13, 0, 0, 0, 0, 0, 0, 0 }
#define BLOCK                                                                                                                    \
    { 1604, 1604, 1604, 1604, 1604, 1604, 1604, 1604 }
#define WAY "/forget /force /tree:"

static const row rows[] = {
    {"nothing", nothing, SAME, {0}, NULL, "", false},
    {"our entry in PATH moved", path_moved, SAME, {0}, NULL, "uninstall takes it out wherever it is", false},
    {"our entry respelled", path_respelled, SAME, {0}, NULL, "known by what it names, not by its spelling", false},
    {"our entry removed",
     path_removed,
     DIFFER,
     {[VERIFY] = "Path differs"},
     NULL,
     "`/repair` or installing again puts it back; uninstall has nothing to take out",
     false},
    {"our entry there twice",
     path_doubled,
     SAME,
     {0},
     "C:\\tools;" BIN ";C:\\more",
     "uninstall takes one out: the other one is somebody else's",
     false},
    {"other entries added", path_extended, SAME, {0}, "C:\\new;" PATHS_OTHERS ";C:\\newer", "they stay", false},
    {"a DLL replaced by a person",
     file_replaced,
     DIFFER,
     {[VERIFY] = "bin/cudnn64_8.dll differs",
      [UNINSTALL] = "left alone",
      [ROLLBACK] = "left alone",
      [REPAIR] = "kept aside in .cudnn-setup"},
     NULL,
     "uninstall and rollback leave it and keep what stood there before; `/repair` keeps it aside and says where",
     false},
    {"a file deleted",
     file_deleted,
     DIFFER,
     {[VERIFY] = "bin/cudnn64_8.dll missing"},
     NULL,
     "`/repair` puts it back; uninstall and rollback put back what stood there before",
     false},
    {"all files deleted", files_deleted, DIFFER, {[VERIFY] = "6 of 6"}, NULL, "the same", false},
    {"the CUDA tree deleted",
     tree_deleted,
     {13, 0, 0, 1603, 1603, 1642, 0, 1603},
     {[VERIFY] = "CUDA tree is gone",
      [STATUS] = "not there",
      [UNINSTALL] = "is gone",
      [ROLLBACK] = "/uninstall",
      [REPAIR] = "is gone"},
     NULL,
     "uninstall cleans PATH, the entry in Apps & Features and our own files",
     false},
    {"the CUDA tree moved elsewhere",
     tree_moved,
     {13, 0, 0, 1603, 1603, 1642, 0, 1603},
     {[VERIFY] = "CUDA tree is gone", [UNINSTALL] = "is gone"},
     NULL,
     "the same; installing with `/cuda:` its new path knows it again by its identity, and the undo data with it",
     false},
    {"the CUDA tree copied back, or restored from a backup",
     tree_copied,
     {13, 0, 0, 1603, 1603, 0, 0, 0},
     {[VERIFY] = "another folder",
      [UNINSTALL] = "no file was removed",
      [ROLLBACK] = "another folder",
      [REPAIR] = "install cuDNN again",
      [INSTALL] = "uninstalling will leave"},
     BIN ";" PATHS_OTHERS,
     "its files count as somebody else's: uninstall says so, leaves them and PATH, and drops our records; "
     "installing again renews the records",
     false},
    {"the tree's drive away",
     drive_away,
     {13, 0, 1603, 1603, 1603, 1642, 0, 1603},
     {[VERIFY] = "connect it first",
      [UNINSTALL] = "connect it",
      [ROLLBACK] = "connect it",
      [REPAIR] = "connect it",
      [FORGET] = "connect it"},
     D_TREE "\\bin;" PATHS_OTHERS,
     "connect it; `/uninstall /force` gives up what lies on it",
     true},
    {"CUDA installed again at the same path",
     cuda_reinstalled,
     {13, 0, 0, 1603, 1603, 0, 0, 0},
     {[VERIFY] = "another folder", [UNINSTALL] = "CUDA was installed again"},
     BIN ";" VERB_TREE "\\libnvvp;" PATHS_OTHERS,
     "installing again is a fresh start under the same id; uninstall leaves PATH, which is CUDA's by now",
     false},
    {"an older copy of the records put back",
     older_records,
     DIFFER,
     {[VERIFY] = "no record names", [STATUS] = "8.0.2.39", [UNINSTALL] = "left alone", [REPAIR] = "kept aside"},
     NULL,
     "newer files count as changed by somebody: left and said; their undo data is kept and named. Put the newer records back, or "
     "install again",
     false},
    {"all of `P\\state` deleted",
     state_deleted,
     {1605, 1605, 1605, 1605, 1605, 0, 0, 1605},
     {[VERIFY] = "warning state.lost", [UNINSTALL] = "warning state.lost", [INSTALL] = "uninstalling will leave"},
     BIN ";" PATHS_OTHERS,
     "nothing can be undone any more: said by name; installing again is a new start that says what it found",
     false},
    {"`head` emptied or damaged",
     head_emptied,
     BLOCK,
     {[VERIFY] = "\\head", [STATUS] = WAY, [UNINSTALL] = WAY, [RECOVER] = WAY, [INSTALL] = WAY},
     BIN ";" PATHS_OTHERS,
     "this tree alone is left alone; put `head` back, or give the record up",
     false},
    {"a finished journal planted",
     journal_planted,
     BLOCK,
     {[UNINSTALL] = "change that is finished", [RECOVER] = WAY},
     BIN ";" PATHS_OTHERS,
     "the same; move the file away",
     false},
    {"a state folder copied under another id",
     state_copied,
     {1604, 1604, 1639, 1639, 1639, 0, 1604, 1639},
     {[VERIFY] = "another tree's record", [UNINSTALL] = "cannot be read", [INSTALL] = "warning state.unreadable"},
     BIN ";" PATHS_OTHERS,
     "the real one works when it is named by `/tree:` or `/cuda:`; move the copy away",
     false},
    {"a receipt's row names another file",
     receipt_target,
     BLOCK,
     {[UNINSTALL] = "bin/cudart64_101.dll, which is none of"},
     BIN ";" PATHS_OTHERS,
     "as for a damaged `head`",
     false},
    {"a receipt's row names a path outside",
     receipt_escape,
     BLOCK,
     {[UNINSTALL] = "not a target that we may touch"},
     BIN ";" PATHS_OTHERS,
     "as for a damaged `head`",
     false},
    {"a receipt's hash edited",
     receipt_hash,
     {13, 0, 0, 0, 1620, 0, 0, 0},
     {[VERIFY] = "bin/cudnn64_8.dll differs", [UNINSTALL] = "left alone", [REPAIR] = "another file than the one installed"},
     NULL,
     "the file counts as changed by somebody; installing again makes a right receipt",
     false},
    {"undo data deleted",
     undo_emptied,
     SAME,
     {[VERIFY] = "6 are missing", [STATUS] = "not there any more", [UNINSTALL] = "undo.old-damaged"},
     NULL,
     "uninstall takes our files out and cannot put the older ones back: said by `/verify`, `/status` and uninstall",
     false},
    {"undo data damaged",
     undo_damaged,
     SAME,
     {[VERIFY] = "6 damaged", [UNINSTALL] = "undo.old-damaged"},
     NULL,
     "the same; what is left of the old files stays in `.cudnn-setup`",
     false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static int run(scene *s, column verb, cs_buffer *report) {
    cs_buffer_clear(report);
    if (verb == INSTALL) return install(s, "p803");
    if (verb != STATUS) return verb_case_run(&s->c, verbs[verb]);
    cs_outcome_free(&s->c.outcome);
    cs_buffer_clear(&s->c.told);
    s->c.options.verb = CS_VERB_STATUS;
    int code = cs_exit_code(cs_show_status(s->c.host, &s->c.options, report, &s->c.outcome));
    s->c.options.verb = CS_VERB_INSTALL;
    return code;
}

static bool is_said(const scene *s, const cs_buffer *report, const char *words) {
    return strstr(cs_buffer_string(&s->c.outcome.message), words) || strstr(cs_buffer_string(&s->c.told), words) ||
           strstr(cs_buffer_string(report), words);
}

/* Nothing that is nobody's business of ours was lost in any of these. */
static void assert_rest(scene *s, const row *r, column v) {
    const char *path = memory_host_reg_get(s->c.machine, ENV, "Path");
    if (v == UNINSTALL) assert_string_equal(path, r->path_after ? r->path_after : PATHS_OTHERS);
    if (r->act == file_replaced && v != REPAIR && v != INSTALL)
        assert_string_equal(verb_case_get(&s->c, "bin/cudnn64_8.dll"), "a person's own DLL");
    if (r->act == file_replaced) {
        char *tree = memory_host_dump(s->c.machine, VERB_TREE);
        assert_non_null(strstr(tree, "a person's own DLL"));
        free(tree);
    }
    if (r->act == tree_copied && v != INSTALL) assert_non_null(verb_case_get(&s->c, "bin/cudnn64_8.dll"));
    if (!r->other_drive && r->act != tree_deleted && r->act != tree_moved)
        assert_string_equal(verb_case_get(&s->c, "bin/cudart64_101.dll"), "the CUDA runtime");
}

static void check_cell(const row *r, column v) {
    scene s;
    cs_buffer report = {0};
    begin(&s, r->other_drive);
    r->act(&s);
    int code = run(&s, v, &report);
    bool said = !r->words[v] || is_said(&s, &report, r->words[v]);
    if (code != r->codes[v] || !said)
        print_error("%s, %s: %d, and %d is due; '%s' is due\n%s\n%s%s\n", r->what, titles[v], code, r->codes[v],
                    r->words[v] ? r->words[v] : "", cs_buffer_string(&s.c.outcome.message), cs_buffer_string(&s.c.told),
                    cs_buffer_string(&report));
    assert_int_equal(code, r->codes[v]);
    assert_true(said);
    assert_rest(&s, r, v);
    cs_buffer_free(&report);
    end(&s);
}

static void test_between_matrix_of_what_people_do_and_what_is_answered(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        for (column v = 0; v < COLUMNS; v++) check_cell(&rows[i], v);
}

/* Moved, and installed into by its new path: the same installation, with its undo data. */
static void test_between_matrix_a_moved_tree_is_known_again(void **state) {
    (void)state;
    scene s;
    begin(&s, false);
    tree_moved(&s);
    s.tree = "C:\\elsewhere";
    assert_int_equal(install(&s, "p803"), 0);
    assert_string_equal(s.c.outcome.tree_id, s.id);
    assert_int_equal(verb_case_run(&s.c, cs_verify), 0);
    assert_int_equal(verb_case_run(&s.c, cs_uninstall), 0);
    assert_string_equal(memory_host_content(s.c.machine, "C:\\elsewhere\\include\\cudnn.h"), "older header");
    assert_false(memory_host_exists(s.c.machine, "C:\\elsewhere\\bin\\cudnn64_8.dll"));
    assert_string_equal(memory_host_reg_get(s.c.machine, ENV, "Path"), PATHS_OTHERS);
    assert_null(memory_host_reg_get(s.c.machine, ENV, "CUDA_PATH"));
    end(&s);
}

/* ---- an interrupted unpacking ---- */

static void end_while_unpacking(void *ctx, memory_host *m, const char *operation, const char *path) {
    unsigned *files = ctx;
    if (strcmp(operation, "create") == 0 && strstr(path, "\\new\\") && ++*files == 3)
        memory_host_fail_at(m, 1, MEMORY_BEFORE, MEMORY_KILL, 1);
}

static void test_between_matrix_leftovers_of_a_killed_unpacking_are_told_and_dropped(void **state) {
    (void)state;
    verb_case c;
    unsigned files = 0;
    cs_buffer report = {0};
    verb_case_begin(&c);
    char *before = verb_case_dump(&c);
    verb_case_package(&c, "p803", "8.0.3.33", 8003, "803", false);
    c.options.archive = VERB_MEDIA "\\p803.zip", c.options.manifest = VERB_MEDIA "\\p803.json";
    memory_host_hook(c.machine, end_while_unpacking, &files);
    cs_install(c.host, &c.options, &c.outcome);
    c.options.archive = c.options.manifest = NULL;
    memory_host_restart(c.machine);
    assert_int_equal(files, 3);
    c.options.dryrun = true;
    assert_int_equal(verb_case_run(&c, cs_recover), 0);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "would be dropped"));
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    c.options.dryrun = false;
    cs_outcome_free(&c.outcome);
    c.options.verb = CS_VERB_STATUS;
    assert_int_equal(cs_exit_code(cs_show_status(c.host, &c.options, &report, &c.outcome)), 1605);
    assert_non_null(strstr(cs_buffer_string(&report), ".cudnn-setup"));
    assert_int_equal(verb_case_run(&c, cs_recover), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_DONE);
    assert_non_null(strstr(cs_buffer_string(&c.outcome.message), "that an interrupted run had unpacked were dropped"));
    assert_int_equal(verb_case_run(&c, cs_recover), 0);
    assert_int_equal(c.outcome.result, CS_RESULT_ALREADY);
    char *after = verb_case_dump(&c);
    assert_string_equal(before, after);
    free(before), free(after);
    cs_buffer_free(&report);
    verb_case_end(&c);
}

static void test_between_matrix_stands_in_the_document(void **state) {
    (void)state;
    cs_buffer table = {0};
    cs_buffer_text(&table, "| between two runs |");
    for (column v = 0; v < COLUMNS; v++) cs_buffer_format(&table, " %s |", titles[v]);
    cs_buffer_text(&table, " what happens, and what to do |\n|---|");
    for (column v = 0; v < COLUMNS; v++) cs_buffer_text(&table, "---|");
    cs_buffer_text(&table, "---|\n");
    for (size_t i = 1; i < ROWS; i++) {
        cs_buffer_format(&table, "| %s |", rows[i].what);
        for (column v = 0; v < COLUMNS; v++) cs_buffer_format(&table, " %d |", rows[i].codes[v]);
        cs_buffer_format(&table, " %s |\n", rows[i].then);
    }
    table_check(CS_TEST_DOCS "/undo.md", "tests/unit/test_between_matrix.c", &table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_matrix_of_what_people_do_and_what_is_answered),
        cmocka_unit_test(test_between_matrix_stands_in_the_document),
        cmocka_unit_test(test_between_matrix_a_moved_tree_is_known_again),
        cmocka_unit_test(test_between_matrix_leftovers_of_a_killed_unpacking_are_told_and_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
