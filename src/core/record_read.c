#include <string.h>

#include "record_rules.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Room for the items of an array, from the right kind of place; NULL with a recorded failure or when there are none. */
static void *room_for(const cs_json_at *array, size_t max, size_t item_size, size_t *count) {
    *count = cs_json_count(array, 0, max);
    if (!*count) return NULL;
    void *items = cs_alloc(*count, item_size);
    if (!items) {
        *count = 0;
        cs_json_no_memory(array->reader);
    }
    return items;
}

static void read_id(cs_json_at at, char out[CS_ID_HEX + 1]) {
    const char *text = cs_json_text(at, CS_ID_HEX, CS_ID_HEX);
    memcpy(out, text, strlen(text) + 1);
    if (*text && !cs_txid_valid(text)) cs_json_bad(&at, "not 32 lower-case hex digits");
}

static void read_blob(const cs_json_at *at, cs_blob *out) {
    read_id(cs_json_get(at, "txid"), out->txid);
    out->area = (cs_area)cs_json_choice(cs_json_get(at, "area"), cs_area_names, COUNT(cs_area_names));
    out->number = (unsigned)cs_json_uint(cs_json_get(at, "number"), CS_RECORD_NUMBERS - 1);
}

static char *read_target(cs_json_at at) {
    char *text = cs_json_text_copy(at, 1, CS_RECORD_MAX_TEXT);
    if (text && !cs_target_valid(text)) cs_json_bad(&at, "not a target that we may touch");
    return text;
}

static void read_times(const cs_json_at *at, cs_file_info *out) {
    out->kind = CS_FILE_REGULAR;
    out->links = 1;
    out->size = cs_json_decimal(cs_json_get(at, "size"));
    out->attributes = (uint32_t)cs_json_uint(cs_json_get(at, "attributes"), UINT32_MAX);
    out->created = cs_json_signed_decimal(cs_json_get(at, "created"));
    out->accessed = cs_json_signed_decimal(cs_json_get(at, "accessed"));
    out->written = cs_json_signed_decimal(cs_json_get(at, "written"));
}

static void read_move(const cs_json_at *at, cs_move *out) {
    static const char *const keys[] = {"away", "txid",       "area",    "number",   "target",  "volume", "id",
                                       "size", "attributes", "created", "accessed", "written", "sha256"};
    cs_json_keys(at, keys, COUNT(keys));
    out->to_private = cs_json_bool(cs_json_get(at, "away"));
    read_blob(at, &out->blob);
    out->target = read_target(cs_json_get(at, "target"));
    read_times(at, &out->info);
    out->info.id.volume = cs_json_decimal(cs_json_get(at, "volume"));
    cs_json_hex(cs_json_get(at, "id"), out->info.id.id, sizeof out->info.id.id);
    cs_json_hex(cs_json_get(at, "sha256"), out->sha256, sizeof out->sha256);
}

static void read_moves(cs_json_at array, cs_record *out) {
    out->moves = room_for(&array, CS_RECORD_MAX_MOVES, sizeof *out->moves, &out->move_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) read_move(&item, &out->moves[i++]);
}

static void read_folders(cs_json_at array, cs_strings *out) {
    cs_json_count(&array, 0, 8);
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) {
        const char *text = cs_json_text(item, 1, CS_RECORD_MAX_TEXT);
        if (!*text) return;
        if (!cs_target_folder_valid(text)) cs_json_bad(&item, "not a folder that we may make");
        if (cs_strings_add(out, text, NULL) != CS_OK) cs_json_no_memory(item.reader);
    }
}

static void read_value(cs_json_at at, cs_reg_value *out) {
    static const char *const keys[] = {"type", "bytes"};
    if (!at.node) return;
    cs_json_keys(&at, keys, COUNT(keys));
    out->present = true;
    out->type = (uint32_t)cs_json_uint(cs_json_get(&at, "type"), UINT32_MAX);
    cs_json_hex_bytes(cs_json_get(&at, "bytes"), CS_RECORD_MAX_VALUE, &out->bytes, &out->size);
}

/* Here an absent value has a place of its own: {}. */
static void read_below(cs_json_at array, cs_reg_change *out) {
    if (!array.node) return;
    out->below = room_for(&array, CS_RECORD_MAX_BELOW, sizeof *out->below, &out->below_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item) && i < out->below_count; i++) {
        static const char *const keys[] = {"type", "bytes"};
        cs_json_keys(&item, keys, COUNT(keys));
        if (cs_json_maybe(&item, "type").node || cs_json_maybe(&item, "bytes").node) read_value(item, &out->below[i]);
    }
}

static void read_reg(const cs_json_at *at, cs_reg_change *out) {
    static const char *const keys[] = {"variable", "name", "old", "now", "index", "below"};
    cs_json_keys(at, keys, COUNT(keys));
    out->variable = (cs_variable)cs_json_choice(cs_json_get(at, "variable"), cs_variable_names, COUNT(cs_variable_names));
    out->name = cs_json_text_copy(cs_json_get(at, "name"), 1, CS_RECORD_MAX_TEXT);
    read_value(cs_json_maybe(at, "old"), &out->old);
    read_value(cs_json_maybe(at, "now"), &out->now);
    out->index = (size_t)cs_json_uint(cs_json_get(at, "index"), UINT16_MAX);
    read_below(cs_json_maybe(at, "below"), out);
}

static void read_regs(cs_json_at array, cs_reg_change **out, size_t *count) {
    *out = room_for(&array, COUNT(cs_variable_names), sizeof **out, count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) read_reg(&item, &(*out)[i++]);
}

static void read_trust(cs_json_at at, cs_trust *out) {
    static const char *const keys[] = {"kind", "sample", "archive_sha256", "manifest_sha256"};
    cs_json_keys(&at, keys, COUNT(keys));
    out->kind = (cs_trust_kind)cs_json_choice(cs_json_get(&at, "kind"), cs_trust_names, COUNT(cs_trust_names));
    out->sample = cs_json_bool(cs_json_get(&at, "sample"));
    cs_json_at archive = cs_json_maybe(&at, "archive_sha256");
    out->has_archive_sha256 = archive.node != NULL;
    if (archive.node) cs_json_hex(archive, out->archive_sha256, sizeof out->archive_sha256);
    cs_json_hex(cs_json_get(&at, "manifest_sha256"), out->manifest_sha256, sizeof out->manifest_sha256);
}

static void read_row(const cs_json_at *at, cs_receipt_row *out) {
    static const char *const keys[] = {"target", "number", "size", "sha256", "ours", "old"};
    static const char *const old_keys[] = {"size", "attributes", "created", "accessed", "written", "sha256", "target"};
    cs_json_keys(at, keys, COUNT(keys));
    out->target = read_target(cs_json_get(at, "target"));
    out->number = (unsigned)cs_json_uint(cs_json_get(at, "number"), CS_RECORD_NUMBERS - 1);
    out->size = cs_json_decimal(cs_json_get(at, "size"));
    cs_json_hex(cs_json_get(at, "sha256"), out->sha256, sizeof out->sha256);
    out->ours = cs_json_bool(cs_json_get(at, "ours"));
    cs_json_at old = cs_json_maybe(at, "old");
    out->had_old = old.node != NULL;
    if (!old.node) return;
    cs_json_keys(&old, old_keys, COUNT(old_keys));
    read_times(&old, &out->old);
    cs_json_hex(cs_json_get(&old, "sha256"), out->old_sha256, sizeof out->old_sha256);
    cs_json_at spelled = cs_json_maybe(&old, "target");
    if (spelled.node) out->old_target = read_target(spelled);
}

static void read_receipt(const cs_json_at *at, cs_receipt *out) {
    static const char *const keys[] = {"txid", "time", "product", "version", "cudnn_version", "trust", "rows", "regs", "folders"};
    cs_json_keys(at, keys, COUNT(keys));
    read_id(cs_json_get(at, "txid"), out->txid);
    out->time = cs_json_signed_decimal(cs_json_get(at, "time"));
    out->product = cs_json_text_copy(cs_json_get(at, "product"), 1, CS_RECORD_MAX_TEXT);
    out->version = cs_json_text_copy(cs_json_get(at, "version"), 1, CS_RECORD_MAX_TEXT);
    out->cudnn_version = (uint32_t)cs_json_uint(cs_json_get(at, "cudnn_version"), UINT32_MAX);
    read_trust(cs_json_get(at, "trust"), &out->trust);
    cs_json_at rows = cs_json_get(at, "rows");
    out->rows = room_for(&rows, CS_MANIFEST_MAX_FILES, sizeof *out->rows, &out->row_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&rows, &item);) read_row(&item, &out->rows[i++]);
    read_regs(cs_json_get(at, "regs"), &out->regs, &out->reg_count);
    read_folders(cs_json_get(at, "folders"), &out->folders);
}

static void read_stack(cs_json_at array, cs_record *out) {
    out->stack = room_for(&array, CS_RECORD_MAX_STACK, sizeof *out->stack, &out->stack_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) read_receipt(&item, &out->stack[i++]);
}

static void read_parked(cs_json_at array, cs_record *out) {
    static const char *const keys[] = {"txid", "area", "number", "target", "sha256"};
    out->parked = room_for(&array, CS_RECORD_MAX_BLOBS, sizeof *out->parked, &out->parked_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) {
        cs_parked *parked = &out->parked[i++];
        cs_json_keys(&item, keys, COUNT(keys));
        read_blob(&item, &parked->blob);
        parked->target = read_target(cs_json_get(&item, "target"));
        cs_json_hex(cs_json_get(&item, "sha256"), parked->sha256, sizeof parked->sha256);
    }
}

static void read_cleanup(cs_json_at array, cs_record *out) {
    static const char *const keys[] = {"txid", "area", "number"};
    out->cleanup = room_for(&array, CS_RECORD_MAX_BLOBS, sizeof *out->cleanup, &out->cleanup_count);
    size_t i = 0;
    for (cs_json_at item = {0}; cs_json_each(&array, &item);) {
        cs_json_keys(&item, keys, COUNT(keys));
        read_blob(&item, &out->cleanup[i++]);
    }
}

static void read_body(const cs_json_at *root, cs_record *out) {
    static const char *const keys[] = {"format", "sha256", "tree",    "path", "folder", "volume", "txid",
                                       "kind",   "moves",  "folders", "regs", "stack",  "parked", "cleanup"};
    cs_json_keys(root, keys, COUNT(keys));
    cs_json_at folder = cs_json_maybe(root, "folder");
    if (folder.node) read_id(folder, out->folder_id);
    cs_json_at volume = cs_json_maybe(root, "volume");
    if (volume.node) out->volume = cs_json_decimal(volume);
    read_id(cs_json_get(root, "tree"), out->tree_id);
    out->tree_path = cs_json_text_copy(cs_json_get(root, "path"), 1, CS_RECORD_MAX_PATH);
    read_id(cs_json_get(root, "txid"), out->txid);
    out->kind = (cs_kind)cs_json_choice(cs_json_get(root, "kind"), cs_kind_names, COUNT(cs_kind_names));
    read_moves(cs_json_get(root, "moves"), out);
    read_folders(cs_json_get(root, "folders"), &out->folders);
    read_regs(cs_json_get(root, "regs"), &out->regs, &out->reg_count);
    read_stack(cs_json_get(root, "stack"), out);
    read_parked(cs_json_get(root, "parked"), out);
    read_cleanup(cs_json_get(root, "cleanup"), out);
}

cs_status cs_record_read(const char *name, const char *bytes, size_t size, cs_record *out, cs_error *error) {
    *out = (cs_record){0};
    cs_status status = cs_seal_check(name, bytes, size, error);
    if (status != CS_OK) return status;
    const cs_json_limits limits = {.max_bytes = CS_RECORD_MAX_BYTES, .lone_surrogates = true};
    cs_json *json = NULL;
    status = cs_json_parse(name, bytes, size, &limits, &json, error);
    if (status != CS_OK) return status;
    cs_json_reader reader = {.name = name, .error = error};
    cs_json_at root = cs_json_root(&reader, json);
    read_body(&root, out);
    cs_json_free(json);
    status = reader.status;
    if (status == CS_OK) status = cs_record_check(name, out, error);
    if (status != CS_OK) cs_record_free(out);
    return status;
}
