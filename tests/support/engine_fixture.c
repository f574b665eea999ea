#include "engine_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/derive.h"
#include "cudnn_setup/environment.h"
#include "cudnn_setup/hash.h"
#include "cudnn_setup/path.h"

#define TX_FIRST  "11111111111111111111111111111111"
#define TX_SECOND "22222222222222222222222222222222"
#define TX_THIRD  "33333333333333333333333333333333"

static const char *const targets[] = {"bin/cudnn64_8.dll", "include/cudnn.h", "lib/x64/cudnn.lib",
                                      "NVIDIA_SLA_cuDNN_Support.txt"};
enum { TARGETS = sizeof targets / sizeof targets[0] };

const char *fixture_name(fixture_scenario scenario) {
    static const char *const names[] = {"fresh", "over ours", "uninstall", "rollback", "repair", "gone"};
    return names[scenario];
}

static void *must(void *memory) {
    if (!memory) abort();
    return memory;
}

/* ---- a planner in small ---- */

typedef struct planner {
    const cs_host *host;
    cs_session session;
    cs_tree tree;
    cs_record record, head;
    bool begun;
    cs_error *error;
} planner;

static cs_status grow(void **items, size_t count, size_t size, cs_error *error) {
    void *more = cs_realloc(*items, count + 1, size);
    if (!more) return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    *items = more;
    memset((char *)more + count * size, 0, size);
    return CS_OK;
}

static cs_status look(planner *p, const char *path, bool *there, cs_file_info *info, uint8_t sha256[CS_SHA256_SIZE]) {
    const cs_fs *fs = p->host->fs;
    cs_file *file = NULL;
    cs_status status = fs->open(fs->ctx, path, CS_OPEN_READ, &file, p->error);
    *there = status == CS_OK;
    if (status == CS_E_NOT_FOUND) return CS_OK;
    if (status != CS_OK) return status;
    status = fs->info(fs->ctx, file, info, p->error);
    if (status == CS_OK) status = cs_sha256_file(fs, file, sha256, NULL, NULL, NULL, p->error);
    fs->close(fs->ctx, file);
    return status;
}

static cs_status add_move(planner *p, bool away, const char *txid, cs_area area, unsigned number, const char *target,
                          const cs_file_info *info, const uint8_t sha256[CS_SHA256_SIZE]) {
    cs_status status = grow((void **)&p->record.moves, p->record.move_count, sizeof(cs_move), p->error);
    if (status != CS_OK) return status;
    cs_move *move = &p->record.moves[p->record.move_count++];
    *move = (cs_move){.to_private = away, .blob = {.area = area, .number = number}, .target = cs_strdup(target), .info = *info};
    memcpy(move->blob.txid, txid, CS_ID_HEX + 1);
    memcpy(move->sha256, sha256, CS_SHA256_SIZE);
    return move->target ? CS_OK : cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
}

static cs_status add_cleanup(planner *p, const char *txid, unsigned number) {
    cs_status status = grow((void **)&p->record.cleanup, p->record.cleanup_count, sizeof(cs_blob), p->error);
    if (status != CS_OK) return status;
    cs_blob *blob = &p->record.cleanup[p->record.cleanup_count++];
    *blob = (cs_blob){.area = CS_AREA_OLD, .number = number};
    memcpy(blob->txid, txid, CS_ID_HEX + 1);
    return CS_OK;
}

/* Pass 1 goes before pass 2. */
static int by_pass(const void *a, const void *b) {
    const cs_move *one = a, *two = b;
    if (one->to_private != two->to_private) return one->to_private ? -1 : 1;
    return (int)one->blob.number - (int)two->blob.number;
}

static void order_moves(planner *p) {
    if (p->record.move_count) qsort(p->record.moves, p->record.move_count, sizeof(cs_move), by_pass);
}

/* Takes away what stands at a target, if anything does. */
static cs_status plan_away(planner *p, unsigned number, bool *there, cs_file_info *info, uint8_t sha256[CS_SHA256_SIZE]) {
    cs_buffer path = {0};
    cs_status status = cs_path_join(&path, '\\', p->tree.path, targets[number], p->error);
    if (status == CS_OK) status = look(p, path.data, there, info, sha256);
    if (status == CS_OK && *there) status = add_move(p, true, p->record.txid, CS_AREA_OLD, number, targets[number], info, sha256);
    cs_buffer_free(&path);
    return status;
}

static cs_status stage(planner *p, unsigned number, const char *content) {
    const cs_fs *fs = p->host->fs;
    cs_blob blob = {.area = CS_AREA_NEW, .number = number};
    cs_buffer path = {0};
    cs_file *file = NULL;
    cs_file_info info = {0};
    uint8_t sha256[CS_SHA256_SIZE];
    memcpy(blob.txid, p->record.txid, sizeof blob.txid);
    cs_status status = cs_blob_path(p->host, p->tree.path, &blob, &path, p->error);
    if (status == CS_OK) status = fs->open(fs->ctx, path.data, CS_OPEN_CREATE, &file, p->error);
    if (status == CS_OK) status = fs->write(fs->ctx, file, 0, content, strlen(content), p->error);
    if (status == CS_OK) status = fs->flush(fs->ctx, file, p->error);
    if (status == CS_OK) status = fs->info(fs->ctx, file, &info, p->error);
    if (status == CS_OK) status = cs_sha256_bytes(content, strlen(content), sha256, p->error);
    fs->close(fs->ctx, file);
    if (status == CS_OK) status = add_move(p, false, p->record.txid, CS_AREA_NEW, number, targets[number], &info, sha256);
    cs_buffer_free(&path);
    return status;
}

/* Our folder in front of PATH, once; the tree in the other one. */
static cs_status new_value(planner *p, cs_reg_change *change) {
    static const char bin[] = FIXTURE_TREE "\\bin;";
    cs_buffer text = {0}, old = {0};
    if (change->variable != CS_VARIABLE_PATH) return cs_reg_value_from_text(&change->now, CS_REG_SZ, FIXTURE_TREE, p->error);
    cs_status status = cs_reg_value_to_text(&change->old, &old, p->error);
    if (status == CS_OK && !strstr(cs_buffer_string(&old), bin)) cs_buffer_text(&text, bin);
    cs_buffer_text(&text, cs_buffer_string(&old));
    if (status == CS_OK) status = cs_buffer_check(&text, p->error);
    if (status == CS_OK) status = cs_reg_value_from_text(&change->now, CS_REG_EXPAND_SZ, cs_buffer_string(&text), p->error);
    cs_buffer_free(&text);
    cs_buffer_free(&old);
    return status;
}

static cs_status plan_regs(planner *p, cs_receipt *receipt) {
    const cs_registry *registry = p->host->registry;
    cs_reg_change path = {.variable = CS_VARIABLE_PATH, .name = cs_strdup("Path")};
    cs_reg_change cuda = {.variable = CS_VARIABLE_CUDA_PATH_V10_1, .name = cs_strdup("CUDA_PATH_V10_1")};
    cs_reg_change *both[] = {&cuda, &path};
    cs_status status = path.name && cuda.name ? CS_OK : cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    for (size_t i = 0; i < 2 && status == CS_OK; i++) {
        status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, both[i]->name, &both[i]->old, p->error);
        if (status == CS_OK) status = new_value(p, both[i]);
        if (status == CS_OK && cs_reg_value_equal(&both[i]->old, &both[i]->now)) continue; /* already so */
        if (status == CS_OK) status = grow((void **)&receipt->regs, receipt->reg_count, sizeof(cs_reg_change), p->error);
        if (status == CS_OK) status = cs_reg_change_copy(&receipt->regs[receipt->reg_count], both[i], p->error);
        if (status == CS_OK) receipt->reg_count++;
        if (status == CS_OK) status = grow((void **)&p->record.regs, p->record.reg_count, sizeof(cs_reg_change), p->error);
        if (status == CS_OK) status = cs_reg_change_copy(&p->record.regs[p->record.reg_count], both[i], p->error);
        if (status == CS_OK) p->record.reg_count++;
    }
    cs_reg_change_free(&path);
    cs_reg_change_free(&cuda);
    return status;
}

static cs_status plan_row(planner *p, cs_receipt *receipt, unsigned number, const char *content) {
    cs_file_info info = {0};
    uint8_t sha256[CS_SHA256_SIZE] = {0};
    bool there = false;
    cs_receipt_row *row = &receipt->rows[number];
    *row = (cs_receipt_row){.target = cs_strdup(targets[number]), .number = number, .size = strlen(content), .ours = true};
    receipt->row_count = number + 1;
    if (!row->target) return cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_status status = cs_sha256_bytes(content, strlen(content), row->sha256, p->error);
    if (status == CS_OK) status = plan_away(p, number, &there, &info, sha256);
    row->had_old = there;
    row->old = info;
    memcpy(row->old_sha256, sha256, sizeof sha256);
    return status == CS_OK ? stage(p, number, content) : status;
}

static cs_status plan_folders(planner *p, cs_receipt *receipt) {
    static const char *const folders[] = {"lib", "lib/x64"};
    cs_status status = CS_OK;
    for (size_t i = 0; i < 2 && status == CS_OK; i++) {
        cs_buffer path = {0};
        status = cs_path_join(&path, '\\', p->tree.path, folders[i], p->error);
        if (status == CS_OK && !cs_fs_exists(p->host->fs, path.data)) {
            status = cs_strings_add(&p->record.folders, folders[i], p->error);
            if (status == CS_OK) status = cs_strings_add(&receipt->folders, folders[i], p->error);
        }
        cs_buffer_free(&path);
    }
    return status;
}

static cs_status copy_stack(planner *p, size_t keep) {
    cs_status status = CS_OK;
    for (size_t i = 0; i < keep && status == CS_OK; i++) {
        status = grow((void **)&p->record.stack, p->record.stack_count, sizeof(cs_receipt), p->error);
        if (status == CS_OK) status = cs_receipt_copy(&p->record.stack[i], &p->head.stack[i], p->error);
        if (status == CS_OK) p->record.stack_count++;
    }
    return status;
}

static cs_status plan_install(planner *p, const char *version) {
    cs_status status = copy_stack(p, p->head.stack_count);
    if (status == CS_OK) status = grow((void **)&p->record.stack, p->record.stack_count, sizeof(cs_receipt), p->error);
    if (status != CS_OK) return status;
    cs_receipt *receipt = &p->record.stack[p->record.stack_count++];
    memcpy(receipt->txid, p->record.txid, sizeof receipt->txid);
    receipt->product = cs_strdup("cuDNN");
    receipt->version = cs_strdup(version);
    receipt->rows = cs_alloc(TARGETS, sizeof *receipt->rows);
    receipt->trust = (cs_trust){.kind = CS_TRUST_SEALED, .sample = true};
    if (!receipt->product || !receipt->version || !receipt->rows) return cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    status = plan_folders(p, receipt);
    for (unsigned i = 0; i < TARGETS && status == CS_OK; i++) {
        char content[64];
        snprintf(content, sizeof content, "file %u of %s", i, version);
        status = plan_row(p, receipt, i, content);
    }
    return status == CS_OK ? plan_regs(p, receipt) : status;
}

static cs_status undo_regs(planner *p, const cs_receipt *receipt) {
    const cs_registry *registry = p->host->registry;
    cs_status status = CS_OK;
    for (size_t i = 0; i < receipt->reg_count && status == CS_OK; i++) {
        cs_reg_change change = {.variable = receipt->regs[i].variable, .index = receipt->regs[i].index};
        bool changed = false;
        change.name = cs_strdup(receipt->regs[i].name);
        if (!change.name) status = cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
        if (status == CS_OK)
            status = registry->read(registry->ctx, CS_HKLM, CS_KEY_ENVIRONMENT, change.name, &change.old, p->error);
        if (status == CS_OK)
            status =
                cs_environment_undo_value(p->host, p->tree.path, &receipt->regs[i], &change.old, &change.now, &changed, p->error);
        if (status == CS_OK && changed) {
            status = grow((void **)&p->record.regs, p->record.reg_count, sizeof(cs_reg_change), p->error);
            if (status == CS_OK) status = cs_reg_change_copy(&p->record.regs[p->record.reg_count], &change, p->error);
            if (status == CS_OK) p->record.reg_count++;
        }
        cs_reg_change_free(&change);
    }
    return status;
}

static cs_status undo_row(planner *p, const cs_receipt *receipt, const cs_receipt_row *row) {
    cs_file_info info = {0};
    uint8_t sha256[CS_SHA256_SIZE];
    bool there = false;
    cs_buffer path = {0};
    cs_status status = plan_away(p, row->number, &there, &info, sha256);
    if (status == CS_OK && there) status = add_cleanup(p, p->record.txid, row->number);
    if (status == CS_OK && row->had_old) {
        cs_blob blob = {.area = CS_AREA_OLD, .number = row->number};
        memcpy(blob.txid, receipt->txid, sizeof blob.txid);
        status = cs_blob_path(p->host, p->tree.path, &blob, &path, p->error);
        if (status == CS_OK) status = look(p, path.data, &there, &info, sha256);
        if (status == CS_OK && there)
            status = add_move(p, false, receipt->txid, CS_AREA_OLD, row->number, row->target, &info, sha256);
    }
    cs_buffer_free(&path);
    return status;
}

static cs_status plan_undo(planner *p, bool gone) {
    const cs_receipt *receipt = &p->head.stack[p->head.stack_count - 1];
    cs_status status = copy_stack(p, p->head.stack_count - 1);
    for (size_t i = 0; i < receipt->row_count && status == CS_OK && !gone; i++) status = undo_row(p, receipt, &receipt->rows[i]);
    return status == CS_OK ? undo_regs(p, receipt) : status;
}

static cs_status plan_repair(planner *p) {
    const cs_receipt *receipt = &p->head.stack[p->head.stack_count - 1];
    cs_status status = copy_stack(p, p->head.stack_count);
    for (unsigned i = 0; i < 2 && status == CS_OK; i++) {
        cs_file_info info;
        uint8_t sha256[CS_SHA256_SIZE];
        bool there = false;
        char content[64];
        snprintf(content, sizeof content, "file %u of %s", i, receipt->version);
        status = plan_away(p, i, &there, &info, sha256);
        if (status == CS_OK && there) status = add_cleanup(p, p->record.txid, i);
        if (status == CS_OK) status = stage(p, i, content);
    }
    return status;
}

/* ---- running ---- */

static cs_status locate(planner *p, fixture_scenario scenario) {
    if (scenario != FIXTURE_GONE) return cs_tree_open(p->host, FIXTURE_TREE, &p->tree, p->error);
    cs_strings trees = {0};
    cs_status status = cs_session_trees(&p->session, &trees, p->error);
    if (status == CS_OK && trees.count == 1) {
        memcpy(p->tree.id, trees.items[0], sizeof p->tree.id);
        p->tree.path = cs_strdup(FIXTURE_TREE);
        if (!p->tree.path) status = cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    } else if (status == CS_OK) {
        status = cs_fail(p->error, CS_E_NOTHING, NULL, NULL, NULL);
    }
    cs_strings_free(&trees);
    return status;
}

static cs_status plan(planner *p, fixture_scenario scenario) {
    static const cs_kind kinds[] = {CS_KIND_INSTALL,  CS_KIND_INSTALL, CS_KIND_UNINSTALL,
                                    CS_KIND_ROLLBACK, CS_KIND_REPAIR,  CS_KIND_UNINSTALL};
    static const char *const txids[] = {TX_FIRST, TX_SECOND, TX_SECOND, TX_THIRD, TX_SECOND, TX_SECOND};
    memcpy(p->record.tree_id, p->tree.id, sizeof p->record.tree_id);
    memcpy(p->record.txid, txids[scenario], sizeof p->record.txid);
    p->record.kind = kinds[scenario];
    p->record.tree_path = cs_strdup(p->tree.path);
    if (!p->record.tree_path) return cs_fail(p->error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    cs_status status = cs_session_head(&p->session, p->tree.id, &p->head, NULL, p->error);
    if (status == CS_E_NOTHING && scenario == FIXTURE_FRESH) status = CS_OK;
    if (status == CS_OK) p->begun = true;
    if (status == CS_OK) status = cs_transaction_begin(&p->session, &p->tree, p->record.txid, p->error);
    if (status != CS_OK) return status;
    if (scenario == FIXTURE_FRESH) status = plan_install(p, "8.0.2");
    if (scenario == FIXTURE_OVER_OURS) status = plan_install(p, "8.0.3");
    if (scenario == FIXTURE_UNINSTALL || scenario == FIXTURE_ROLLBACK) status = plan_undo(p, false);
    if (scenario == FIXTURE_GONE) status = plan_undo(p, true);
    if (scenario == FIXTURE_REPAIR) status = plan_repair(p);
    order_moves(p);
    return status;
}

cs_status fixture_run(memory_host *m, fixture_scenario scenario, cs_error *error) {
    planner p = {.host = memory_host_seam(m), .error = error};
    bool did_work;
    cs_status status = cs_session_open(p.host, &p.session, error);
    if (status == CS_OK) status = cs_session_recover(&p.session, &did_work, error);
    if (status == CS_OK) status = locate(&p, scenario);
    if (status == CS_OK) status = plan(&p, scenario);
    if (status == CS_OK) status = cs_transaction_commit(&p.session, &p.tree, &p.record, error);
    if (status != CS_OK && status != CS_E_PENDING && p.begun) cs_transaction_abandon(&p.session, &p.tree, p.record.txid, NULL);
    if (p.session.lock) cs_derive(&p.session, NULL); /* as every verb does at its end; a failure is a warning there */
    cs_record_free(&p.record);
    cs_record_free(&p.head);
    cs_tree_free(&p.tree);
    cs_session_close(&p.session);
    return status;
}

cs_status fixture_recover(memory_host *m, bool *did_work, cs_error *error) {
    cs_session session;
    cs_status status = cs_session_open(memory_host_seam(m), &session, error);
    if (status == CS_OK) {
        status = cs_session_recover(&session, did_work, error);
        cs_session_close(&session);
    }
    return status;
}

/* ---- machines ---- */

static void must_run(memory_host *m, fixture_scenario scenario) {
    cs_error error = {0};
    if (fixture_run(m, scenario, &error) == CS_OK) return;
    char text[1024];
    cs_error_text(&error, text, sizeof text);
    fprintf(stderr, "fixture %s: %s\n", fixture_name(scenario), text);
    abort();
}

memory_host *fixture_machine(fixture_scenario scenario) {
    memory_host *m = memory_host_new();
    const cs_volume d = {.guid_path = "\\\\?\\Volume{00000000-0000-0000-0000-00000000000d}\\",
                         .filesystem = "NTFS",
                         .local_fixed = true,
                         .free_bytes = UINT64_C(1) << 40};
    memory_host_volume(m, "D:", &d);
    memory_host_system(m)->frozen = true;
    memory_host_text(m, FIXTURE_TREE "\\bin\\cudart64_101.dll", "cudart");
    memory_host_text(m, FIXTURE_HEADER, "an older header");
    memory_host_set_info(m, FIXTURE_HEADER, 0x21, INT64_C(131000000000000000), INT64_C(131100000000000000));
    if (scenario == FIXTURE_FRESH) return m;
    must_run(m, FIXTURE_FRESH);
    if (scenario == FIXTURE_ROLLBACK) must_run(m, FIXTURE_OVER_OURS);
    if (scenario == FIXTURE_REPAIR) {
        memory_host_text(m, FIXTURE_DLL, "damaged");
        memory_host_delete(m, FIXTURE_HEADER);
    }
    if (scenario == FIXTURE_GONE) memory_host_delete(m, FIXTURE_TREE);
    memory_host_restart(m);
    return m;
}

/* ---- comparing ---- */

typedef struct text_out {
    char *text;
    size_t size;
} text_out;

static void put_lines(text_out *out, char *lines, const char *wanted, const char *unwanted) {
    for (char *line = lines; *line;) {
        char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) + 1 : strlen(line);
        char *copy = must(calloc(size + 1, 1));
        memcpy(copy, line, size);
        if ((!wanted || strstr(copy, wanted)) && (!unwanted || strncmp(copy, unwanted, strlen(unwanted)) != 0)) {
            out->text = must(realloc(out->text, out->size + size + 1));
            memcpy(out->text + out->size, copy, size + 1);
            out->size += size;
        }
        free(copy);
        line += size;
    }
    free(lines);
}

char *fixture_state(memory_host *m) {
    text_out out = {must(calloc(1, 1)), 0};
    put_lines(&out, memory_host_dump(m, FIXTURE_TREE), NULL, NULL);
    put_lines(&out, memory_host_reg_dump(m), CS_KEY_ENVIRONMENT, NULL);
    put_lines(&out, memory_host_dump(m, FIXTURE_STATE), NULL, "lock ");
    return out.text;
}

char *fixture_public(memory_host *m) {
    text_out out = {must(calloc(1, 1)), 0};
    put_lines(&out, memory_host_dump(m, FIXTURE_TREE), NULL, ".cudnn-setup");
    put_lines(&out, memory_host_reg_dump(m), CS_KEY_ENVIRONMENT, NULL);
    return out.text;
}

/* ---- a record without a machine ---- */

static void fixture_blob(cs_blob *blob, const char *txid, cs_area area, unsigned number) {
    *blob = (cs_blob){.area = area, .number = number};
    memcpy(blob->txid, txid, CS_ID_HEX + 1);
}

void fixture_record(cs_record *out) {
    *out = (cs_record){.kind = CS_KIND_INSTALL};
    memcpy(out->tree_id, "0123456789abcdef0123456789abcdef", CS_ID_HEX + 1);
    memcpy(out->txid, TX_SECOND, CS_ID_HEX + 1);
    out->tree_path = must(cs_strdup("C:\\Programme \xC3\xA4\xED\xA0\x80\\v10.1"));
    out->moves = must(cs_alloc(2, sizeof *out->moves));
    out->move_count = 2;
    fixture_blob(&out->moves[0].blob, TX_SECOND, CS_AREA_OLD, 3);
    out->moves[0].to_private = true;
    out->moves[0].target = must(cs_strdup("include/cudnn.h"));
    out->moves[0].info = (cs_file_info){.kind = CS_FILE_REGULAR,
                                        .id = {UINT64_C(0xFEDCBA9876543210), {1, 2, 3, 255}},
                                        .size = UINT64_C(0xFFFFFFFFFFFFFFFF),
                                        .attributes = 0xFFFFFFFF,
                                        .links = 1,
                                        .created = INT64_MIN,
                                        .accessed = -1,
                                        .written = INT64_MAX};
    memset(out->moves[0].sha256, 0xAB, CS_SHA256_SIZE);
    fixture_blob(&out->moves[1].blob, TX_SECOND, CS_AREA_NEW, 3);
    out->moves[1].target = must(cs_strdup("include/cudnn.h"));
    out->moves[1].info = (cs_file_info){.kind = CS_FILE_REGULAR, .links = 1};
    if (cs_strings_add(&out->folders, "lib", NULL) != CS_OK || cs_strings_add(&out->folders, "lib/x64", NULL) != CS_OK) abort();
    out->regs = must(cs_alloc(1, sizeof *out->regs));
    out->reg_count = 1;
    out->regs[0] = (cs_reg_change){.variable = CS_VARIABLE_PATH, .name = must(cs_strdup("pAtH")), .index = 7};
    out->regs[0].old = (cs_reg_value){.present = true, .type = 77, .bytes = must(cs_alloc(3, 1)), .size = 3};
    out->regs[0].now = (cs_reg_value){.present = true, .type = CS_REG_EXPAND_SZ};
    out->stack = must(cs_alloc(1, sizeof *out->stack));
    out->stack_count = 1;
    cs_receipt *receipt = &out->stack[0];
    memcpy(receipt->txid, TX_FIRST, CS_ID_HEX + 1);
    receipt->time = INT64_C(132500000000000001);
    receipt->product = must(cs_strdup("cuDNN"));
    receipt->version = must(cs_strdup("8.0.3.33"));
    receipt->cudnn_version = 8003;
    receipt->trust = (cs_trust){.kind = CS_TRUST_UNVERIFIED, .has_archive_sha256 = true, .archive_sha256 = {9}};
    receipt->rows = must(cs_alloc(2, sizeof *receipt->rows));
    receipt->row_count = 2;
    receipt->rows[0] = (cs_receipt_row){.target = must(cs_strdup("bin/cudnn64_8.dll")),
                                        .number = 0,
                                        .size = 5,
                                        .ours = true,
                                        .had_old = true,
                                        .old = {.kind = CS_FILE_REGULAR, .links = 1, .size = 4, .written = 17}};
    receipt->rows[1] = (cs_receipt_row){.target = must(cs_strdup("lib/x64/cudnn.lib")), .number = 99, .size = 6};
    out->parked = must(cs_alloc(1, sizeof *out->parked));
    out->parked_count = 1;
    fixture_blob(&out->parked[0].blob, TX_THIRD, CS_AREA_OLD, 42);
    out->parked[0].target = must(cs_strdup("NVIDIA_SLA_cuDNN_Support.txt"));
    out->cleanup = must(cs_alloc(1, sizeof *out->cleanup));
    out->cleanup_count = 1;
    fixture_blob(&out->cleanup[0], TX_SECOND, CS_AREA_OLD, 3);
}
