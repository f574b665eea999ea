#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "pathlist_case.h"

typedef struct pair {
    const char *name, *value;
    bool unsettled;
} pair;

static const pair variables[] = {
    {"ProgramFiles", "C:\\Program Files", false},
    {"SystemRoot", "C:\\Windows", false},
    {"CUDA_PATH", TREE, false},
    {"LATE", TREE, true}, /* a REG_EXPAND_SZ value */
    {"NESTED", "%ProgramFiles%\\NVIDIA GPU Computing Toolkit\\CUDA\\v10.1", false},
    {"LOOP", "%LOOP%%LOOP%", false},
    {"QUOTED", "\"" TREE "\"", false},
};

static const pair links[] = {
    {BIN, BIN, false},
    {"C:\\PROGRA~1\\NVIDIA~1\\CUDA\\v10.1\\bin", BIN, false},
    {"D:\\link\\bin", BIN, false},
    {"S:\\bin", BIN, false},
    {"D:\\", "D:\\", false},
    {"S:\\", TREE, false},
    {"c:\\program files\\nvidia gpu computing toolkit\\cuda\\v10.1\\BIN", BIN, false},
};

unsigned pathlist_case_network;

static cs_status variable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (!cs_text_equal_ascii_case(variables[i].name, name)) continue;
        cs_buffer_clear(out);
        cs_buffer_text(out, variables[i].value);
        return CS_OK;
    }
    return CS_E_NOT_FOUND;
}

static cs_status settled(void *ctx, const char *name, bool *out) {
    (void)ctx;
    *out = true;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (cs_text_equal_ascii_case(variables[i].name, name)) *out = !variables[i].unsettled;
    return CS_OK;
}

static cs_status real_path(void *ctx, const char *path, cs_buffer *out) {
    (void)ctx;
    if (cs_text_starts_with(path, "\\\\")) pathlist_case_network++;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        if (!cs_text_equal_ascii_case(links[i].name, path)) continue;
        cs_buffer_clear(out);
        cs_buffer_text(out, links[i].value);
        return CS_OK;
    }
    return CS_E_NOT_FOUND;
}

const cs_pathlist_folder ours = {BIN, NULL, variable, settled, real_path};

cs_reg_value value_of(uint32_t type, const char *text, size_t terminators) {
    cs_buffer bytes = {0};
    assert_true(cs_utf16le_from_wtf8(&bytes, text, strlen(text)));
    for (size_t i = 0; i < terminators; i++) cs_buffer_append(&bytes, "\0", 2);
    assert_false(bytes.failed);
    return (cs_reg_value){true, type, (uint8_t *)bytes.data, bytes.size};
}

void assert_value(const cs_reg_value *value, uint32_t type, const char *text, size_t terminators) {
    cs_reg_value expected = value_of(type, text, terminators);
    assert_true(value->present);
    assert_int_equal(value->type, type);
    assert_int_equal(value->size, expected.size);
    if (expected.size) assert_memory_equal(value->bytes, expected.bytes, expected.size);
    cs_reg_value_free(&expected);
}
