#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "cudnn_setup/text.h"
#include "path_maker.h"

unsigned long path_maker_cases;

unsigned long path_maker_wanted(void) {
    const char *text = getenv("CUDNN_SETUP_PROPERTY_CASES");
    unsigned long count = text ? strtoul(text, NULL, 10) : 0;
    return count ? count : 20000;
}

void path_maker_report(void) { print_message("%lu property cases\n", path_maker_cases); }

/* Source: Sebastiano Vigna, SplitMix64 (public domain reference). */
static uint64_t random_state;

static uint64_t next_random(void) {
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void path_maker_seed(uint64_t seed) { random_state = seed; }
size_t path_maker_below(size_t bound) { return (size_t)(next_random() % bound); }

static cs_status variable(void *ctx, const char *name, cs_buffer *out) {
    (void)ctx;
    const char *value = cs_text_equal_ascii_case(name, "ProgramFiles") ? "C:\\Program Files"
                        : cs_text_equal_ascii_case(name, "CUDA_PATH")  ? "%ProgramFiles%\\CUDA\\v10.1"
                                                                       : NULL;
    if (!value) return CS_E_NOT_FOUND;
    cs_buffer_clear(out);
    cs_buffer_text(out, value);
    return CS_OK;
}

static cs_status real_path(void *ctx, const char *path, cs_buffer *out) {
    (void)ctx;
    if (!cs_text_equal_ascii_case(path, OURS) && !cs_text_equal_ascii_case(path, "C:\\PROGRA~1\\CUDA\\v10.1\\bin"))
        return CS_E_NOT_FOUND;
    cs_buffer_clear(out);
    cs_buffer_text(out, OURS);
    return CS_OK;
}

const cs_pathlist_folder path_maker_ours = {OURS, NULL, variable, NULL, real_path};
const cs_pathlist_folder path_maker_other = {OTHER, NULL, variable, NULL, NULL};
const cs_pathlist_folder path_maker_third = {THIRD, NULL, variable, NULL, NULL};

const char *const path_maker_entries[] = {
    "C:\\Windows\\system32",
    "%SystemRoot%",
    "%ProgramFiles%\\Git\\cmd",
    "",
    "\"C:\\a;b\"",
    " D:\\blanks ",
    "\\\\server\\share\\bin",
    "relative",
    "C:\\\xC3\xA4\xE4\xB8\xAD\xF0\x9F\x98\x80",
    (OTHER "2"),
    "C:\\lone\xED\xA0\x80",
    "%NOBODY%\\bin",
    OURS,
    (OURS "\\"),
    "c:/program files/cuda/V10.1/bin",
    ("\"" OURS "\""),
    "%ProgramFiles%\\CUDA\\v10.1\\bin",
    "%CUDA_PATH%\\bin",
    "C:\\PROGRA~1\\CUDA\\v10.1\\bin",
    (OURS " "),
};
_Static_assert(sizeof path_maker_entries / sizeof path_maker_entries[0] == PATH_MAKER_ENTRIES, "the entries are counted");

static const char *const pieces[] = {
    "\"", ";", ";;", " ", "%", "%CUDA_PATH%", "\\bin", OURS, "C:", "a", "\xED\xA0\x80", "\xED\xB0\x80", "/", ".", "\xC3\x9F"};

cs_reg_value path_maker_value(uint32_t type, const cs_buffer *text, size_t terminators) {
    cs_buffer bytes = {0};
    if (!cs_utf16le_from_wtf8(&bytes, cs_buffer_string(text), text->size)) cs_buffer_clear(&bytes);
    for (size_t i = 0; i < terminators; i++) cs_buffer_append(&bytes, "\0", 2);
    assert_false(bytes.failed);
    return (cs_reg_value){true, type, (uint8_t *)bytes.data, bytes.size};
}

uint32_t path_maker_type(void) { return path_maker_below(3) ? CS_REG_EXPAND_SZ : CS_REG_SZ; }

static size_t any_terminators(void) { return path_maker_below(8) ? 1 : path_maker_below(3); }

cs_reg_value path_maker_list(size_t most, size_t kinds) {
    cs_buffer text = {0};
    size_t count = path_maker_below(most + 1);
    for (size_t i = 0; i < count; i++) {
        if (i) cs_buffer_text(&text, ";");
        cs_buffer_text(&text, path_maker_entries[path_maker_below(kinds)]);
    }
    cs_reg_value value = path_maker_value(path_maker_type(), &text, any_terminators());
    cs_buffer_free(&text);
    return value;
}

cs_reg_value path_maker_wild(void) {
    cs_buffer text = {0};
    for (size_t i = path_maker_below(14); i; i--)
        cs_buffer_text(&text, pieces[path_maker_below(sizeof pieces / sizeof pieces[0])]);
    cs_reg_value value = path_maker_value(path_maker_type(), &text, any_terminators());
    cs_buffer_free(&text);
    return value;
}

cs_reg_value path_maker_any(void) {
    if (path_maker_below(200) == 0) return (cs_reg_value){0};
    return path_maker_below(2) ? path_maker_wild() : path_maker_list(9, PATH_MAKER_ENTRIES);
}

cs_pathlist_place path_maker_place(void) { return path_maker_below(2) ? CS_PATH_FRONT : CS_PATH_END; }

void path_maker_fail(unsigned long number, const char *what, const cs_reg_value *value) {
    cs_buffer hex = {0};
    for (size_t i = 0; i < value->size; i++) cs_buffer_format(&hex, "%02x", value->bytes[i]);
    fail_msg("case %lu: %s: type %u, bytes %s", number, what, (unsigned)value->type, cs_buffer_string(&hex));
}
