#include "cudnn_setup/registry.h"

#include <string.h>

#include "cudnn_setup/text.h"

void cs_reg_value_free(cs_reg_value *value) {
    cs_free(value->bytes);
    *value = (cs_reg_value){0};
}

cs_status cs_reg_value_copy(cs_reg_value *out, const cs_reg_value *from, cs_error *error) {
    uint8_t *bytes = NULL;
    if (from->size) {
        bytes = cs_alloc(from->size, 1);
        if (!bytes) return cs_fail(error, CS_E_NO_MEMORY, "registry value", NULL, NULL);
        memcpy(bytes, from->bytes, from->size);
    }
    *out = *from;
    out->bytes = bytes;
    return CS_OK;
}

bool cs_reg_value_equal(const cs_reg_value *a, const cs_reg_value *b) {
    if (!a->present || !b->present) return a->present == b->present;
    return a->type == b->type && a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

cs_status cs_reg_value_from_text(cs_reg_value *out, uint32_t type, const char *text, cs_error *error) {
    cs_buffer bytes = {0};
    bool valid = cs_utf16le_from_wtf8(&bytes, text, strlen(text));
    cs_buffer_append(&bytes, "\0", 2);
    cs_status status = valid ? cs_buffer_check(&bytes, error) : cs_fail(error, CS_E_FORMAT, "registry value", NULL, "not UTF-8");
    if (status != CS_OK) {
        cs_buffer_free(&bytes);
        return status;
    }
    *out = (cs_reg_value){.present = true, .type = type, .bytes = (uint8_t *)bytes.data, .size = bytes.size};
    return CS_OK;
}

cs_status cs_reg_value_to_text(const cs_reg_value *value, cs_buffer *out, cs_error *error) {
    if (!value->present || (value->type != CS_REG_SZ && value->type != CS_REG_EXPAND_SZ))
        return cs_fail(error, CS_E_FORMAT, "registry value", NULL, value->present ? "type %u is not a string" : "absent",
                       (unsigned)value->type);
    size_t count = value->size / 2; /* the odd byte of a damaged value is no character */
    uint16_t *units = cs_alloc(count + 1, sizeof *units);
    if (!units) return cs_fail(error, CS_E_NO_MEMORY, "registry value", NULL, NULL);
    size_t used = 0;
    for (; used < count; used++) {
        units[used] = (uint16_t)(value->bytes[2 * used] | value->bytes[2 * used + 1] << 8);
        if (!units[used]) break;
    }
    cs_buffer_clear(out);
    cs_wtf8_from_utf16(out, units, used);
    cs_free(units);
    return cs_buffer_check(out, error);
}
