/* The load configuration of setup and doctor. DependentLoadFlags = LOAD_LIBRARY_SEARCH_SYSTEM32: Windows resolves the program's
 * own static imports in System32 alone, before any of our code runs; a DLL planted beside the program is not looked at.
 * GNU ld fills no load configuration directory, so pe_finish finds this block by the marker in front of it. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* IMAGE_LOAD_CONFIG_DIRECTORY64 up to and with SEHandlerCount, spelt out since older winnt.h call the field Reserved1. What
 * follows there serves Control Flow Guard, which gcc has not. Zero means "as usual" everywhere else. */
struct load_config {
    uint32_t size;
    uint8_t time_stamp_to_csd_version[74];
    uint16_t dependent_load_flags;
    uint64_t edit_list, security_cookie, seh_table, seh_count;
};

static_assert(offsetof(struct load_config, dependent_load_flags) == 78, "layout of the load configuration");
static_assert(sizeof(struct load_config) == 112, "layout of the load configuration");

__attribute__((used)) static const struct {
    char marker[16];
    struct load_config config;
} load_config = {
    .marker = {'c', 'u', 'd', 'n', 'n', '-', 's', 'e', 't', 'u', 'p', ':', 'l', 'o', 'a', 'd'},
    .config = {.size = sizeof(struct load_config), .dependent_load_flags = 0x0800},
};
