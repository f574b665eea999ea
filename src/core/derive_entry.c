#include "derive_entry.h"

#include <stdio.h>
#include <string.h>

#include "cudnn_setup/programs.h"

/* Source: Microsoft, "Uninstall Registry Key" (Windows Installer documentation). A closed list: these are written and removed,
 * and no others. */
typedef enum field {
    FIELD_NAME,
    FIELD_VERSION,
    FIELD_PUBLISHER,
    FIELD_LOCATION,
    FIELD_DATE,
    FIELD_ICON,
    FIELD_UNINSTALL,
    FIELD_QUIET_UNINSTALL,
    FIELD_SIZE,
    FIELD_NO_MODIFY,
    FIELD_NO_REPAIR,
    FIELD_COMMENTS,
    FIELD_COUNT
} field;

static const char *const field_names[FIELD_COUNT] = {
    [FIELD_NAME] = "DisplayName",          [FIELD_VERSION] = "DisplayVersion",
    [FIELD_PUBLISHER] = "Publisher",       [FIELD_LOCATION] = "InstallLocation",
    [FIELD_DATE] = "InstallDate",          [FIELD_ICON] = "DisplayIcon",
    [FIELD_UNINSTALL] = "UninstallString", [FIELD_QUIET_UNINSTALL] = "QuietUninstallString",
    [FIELD_SIZE] = "EstimatedSize",        [FIELD_NO_MODIFY] = "NoModify",
    [FIELD_NO_REPAIR] = "NoRepair",        [FIELD_COMMENTS] = "Comments",
};

cs_status cs_derive_entry_key(const char *tree_id, cs_buffer *out, cs_error *error) {
    cs_buffer_clear(out);
    cs_buffer_format(out, "%s\\" CS_DERIVE_ENTRY_PREFIX "%s", CS_KEY_UNINSTALL, tree_id);
    return cs_buffer_check(out, error);
}

/* "cuDNN 8.0.3.33 for CUDA 10.1"; the CUDA version stands in the manifest that was kept with the receipt. */
static void append_name(const cs_session *session, const cs_record *head, const cs_receipt *top, cs_buffer *out) {
    cs_manifest manifest = {0};
    cs_buffer_format(out, "%s %s", top->product, top->version);
    if (cs_session_kept_manifest(session, head->tree_id, top->trust.manifest_sha256, &manifest, NULL) == CS_OK)
        cs_buffer_format(out, " for CUDA %s", manifest.cuda);
    cs_manifest_free(&manifest);
    cs_buffer_text(out, cs_trust_mark(&top->trust));
}

static void append_date(int64_t time, cs_buffer *out) {
    char text[24];
    cs_time_text(time, text); /* 2026-11-30T... */
    cs_buffer_format(out, "%.4s%.2s%.2s", text, text + 5, text + 8);
}

static cs_status field_text(const cs_session *session, const cs_record *head, field which, cs_buffer *out, cs_error *error) {
    const cs_receipt *top = &head->stack[head->stack_count - 1];
    cs_buffer program = {0};
    cs_status status = cs_programs_path(session, CS_PROGRAM_NAME_SETUP, &program, error);
    if (status != CS_OK) return status;
    cs_buffer_clear(out);
    switch (which) {
    case FIELD_NAME:
        append_name(session, head, top, out);
        break;
    case FIELD_VERSION:
        cs_buffer_text(out, top->version);
        break;
    case FIELD_PUBLISHER:
        cs_buffer_text(out, "cudnn-setup project");
        break;
    case FIELD_LOCATION:
        cs_buffer_text(out, head->tree_path);
        break;
    case FIELD_DATE:
        append_date(top->time, out);
        break;
    case FIELD_ICON:
        cs_buffer_text(out, program.data);
        break;
    case FIELD_UNINSTALL:
        cs_buffer_format(out, "\"%s\" /uninstall /tree:%s", program.data, head->tree_id);
        break;
    case FIELD_QUIET_UNINSTALL:
        cs_buffer_format(out, "\"%s\" /uninstall /tree:%s /quiet", program.data, head->tree_id);
        break;
    case FIELD_COMMENTS:
        cs_buffer_format(out, "Placed by cudnn-setup. %s itself is NVIDIA's, under NVIDIA's licence.", top->product);
        break;
    default:
        break;
    }
    cs_buffer_free(&program);
    return cs_buffer_check(out, error);
}

/* Kilobytes of the package's files. */
static uint32_t estimated_size(const cs_receipt *top) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < top->row_count; i++) bytes += top->rows[i].size;
    uint64_t kilobytes = (bytes + 1023) / 1024;
    return kilobytes > UINT32_MAX ? UINT32_MAX : (uint32_t)kilobytes;
}

static cs_status number_value(uint32_t number, cs_reg_value *out, cs_error *error) {
    *out = (cs_reg_value){.present = true, .type = CS_REG_DWORD, .bytes = cs_alloc(4, 1), .size = 4};
    if (!out->bytes) {
        *out = (cs_reg_value){0};
        return cs_fail(error, CS_E_NO_MEMORY, NULL, NULL, NULL);
    }
    for (unsigned i = 0; i < 4; i++) out->bytes[i] = (uint8_t)(number >> 8 * i);
    return CS_OK;
}

static cs_status field_value(const cs_session *session, const cs_record *head, field which, cs_reg_value *out, cs_error *error) {
    if (which == FIELD_SIZE) return number_value(estimated_size(&head->stack[head->stack_count - 1]), out, error);
    if (which == FIELD_NO_MODIFY || which == FIELD_NO_REPAIR) return number_value(1, out, error);
    cs_buffer text = {0};
    cs_status status = field_text(session, head, which, &text, error);
    if (status == CS_OK) status = cs_reg_value_from_text(out, CS_REG_SZ, cs_buffer_string(&text), error);
    cs_buffer_free(&text);
    return status;
}

cs_status cs_derive_entry_write(const cs_session *session, const cs_record *head, cs_error *error) {
    const cs_registry *registry = session->host->registry;
    cs_buffer key = {0};
    bool wrote = false;
    if (!registry) return CS_OK;
    cs_status status = cs_derive_entry_key(head->tree_id, &key, error);
    for (unsigned i = 0; i < FIELD_COUNT && status == CS_OK; i++) {
        cs_reg_value wanted = {0}, present = {0};
        status = field_value(session, head, (field)i, &wanted, error);
        if (status == CS_OK) status = registry->read(registry->ctx, CS_HKLM, key.data, field_names[i], &present, error);
        if (status == CS_OK && !cs_reg_value_equal(&wanted, &present)) {
            status = registry->write(registry->ctx, CS_HKLM, key.data, field_names[i], &wanted, error);
            wrote = true;
        }
        cs_reg_value_free(&wanted);
        cs_reg_value_free(&present);
    }
    if (status == CS_OK && wrote) status = registry->flush(registry->ctx, CS_HKLM, key.data, error);
    cs_buffer_free(&key);
    return status;
}

/* ---- dropping ---- */

typedef struct entry_list {
    const cs_strings *installed;
    cs_strings others;
    cs_error *error;
} entry_list;

static cs_status note_entry(void *ctx, const char *name) {
    entry_list *list = ctx;
    size_t prefix = strlen(CS_DERIVE_ENTRY_PREFIX);
    if (strncmp(name, CS_DERIVE_ENTRY_PREFIX, prefix) != 0) return CS_OK;
    const char *id = name + prefix;
    if (strlen(id) != CS_ID_HEX || strspn(id, "0123456789abcdef") != CS_ID_HEX) return CS_OK;
    for (size_t i = 0; i < list->installed->count; i++)
        if (strcmp(list->installed->items[i], id) == 0) return CS_OK;
    return cs_strings_add(&list->others, id, list->error);
}

static cs_status drop_entry(const cs_registry *registry, const char *tree_id, cs_error *error) {
    const cs_reg_value absent = {0};
    cs_buffer key = {0};
    cs_status status = cs_derive_entry_key(tree_id, &key, error);
    for (unsigned i = 0; i < FIELD_COUNT && status == CS_OK; i++)
        status = registry->write(registry->ctx, CS_HKLM, key.data, field_names[i], &absent, error);
    if (status == CS_OK) status = registry->remove_empty_key(registry->ctx, CS_HKLM, key.data, error);
    if (status == CS_E_NOT_EMPTY) status = CS_OK; /* somebody added a value of theirs */
    cs_buffer_free(&key);
    return status;
}

cs_status cs_derive_entry_drop_others(const cs_session *session, const cs_strings *installed, cs_error *error) {
    const cs_registry *registry = session->host->registry;
    entry_list list = {.installed = installed, .error = error};
    if (!registry) return CS_OK;
    cs_status status = registry->list_keys(registry->ctx, CS_HKLM, CS_KEY_UNINSTALL, note_entry, &list, error);
    if (status == CS_E_NOT_FOUND) status = CS_OK;
    for (size_t i = 0; i < list.others.count && status == CS_OK; i++) status = drop_entry(registry, list.others.items[i], error);
    if (status == CS_OK && list.others.count) status = registry->flush(registry->ctx, CS_HKLM, CS_KEY_UNINSTALL, error);
    cs_strings_free(&list.others);
    return status;
}
