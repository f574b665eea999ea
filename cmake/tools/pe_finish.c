#include "pe_finish.h"

#include <string.h>

enum {
    FILE_RELOCS_STRIPPED = 0x0001,
    FILE_REMOVABLE_RUN_FROM_SWAP = 0x0400,
    FILE_NET_RUN_FROM_SWAP = 0x0800,
    DLL_HIGH_ENTROPY_VA = 0x0020,
    DLL_DYNAMIC_BASE = 0x0040,
    DLL_NX_COMPAT = 0x0100,
    DLL_TERMINAL_SERVER_AWARE = 0x8000,
    DIRECTORY_LOAD_CONFIG = 10,
};

static uint32_t get(const uint8_t *p, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)p[i] << (8 * i);
    return value;
}

static void put(uint8_t *p, int bytes, uint32_t value) {
    for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(value >> (8 * i));
}

uint32_t pe_finish_checksum(const uint8_t *image, size_t size, size_t field) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i += 2) {
        uint32_t word = image[i];
        if (i + 1 < size) word |= (uint32_t)image[i + 1] << 8;
        if (i >= field && i < field + 4) word = 0;
        sum += word;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum + (uint32_t)size;
}

/* A section's bytes in the file, and where they are loaded. */
struct extent {
    size_t start, end;
    uint32_t address;
};

/* The section .rdata: constants, and so the load configuration. Elsewhere (an embedded program among the resources) another
 * program's marker may lie. */
static bool find_constants(const uint8_t *sections, size_t count, size_t size, struct extent *out) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *section = sections + 40 * i;
        size_t virtual_size = get(section + 8, 4), raw_size = get(section + 16, 4), raw = get(section + 20, 4);
        size_t held = virtual_size < raw_size ? virtual_size : raw_size;
        if (memcmp(section, ".rdata\0\0", 8) != 0) continue;
        if (raw > size || held > size - raw) return false;
        *out = (struct extent){raw, raw + held, get(section + 12, 4)};
        return true;
    }
    return false;
}

/* Where the one marker lies between start and end, with room for what it marks; 0 for none, SIZE_MAX for several. */
static size_t find_marker(const uint8_t *image, size_t start, size_t end) {
    size_t found = 0, need = PE_FINISH_MARKER_SIZE + PE_FINISH_LOAD_CONFIG_SIZE;
    for (size_t i = start; end - i >= need; i++) {
        if (memcmp(image + i, PE_FINISH_MARKER, PE_FINISH_MARKER_SIZE) != 0) continue;
        if (found) return SIZE_MAX;
        found = i;
    }
    return found;
}

static const char *point_at_load_config(uint8_t *image, size_t size, uint8_t *directory, const uint8_t *sections, size_t count) {
    struct extent constants;
    if (!find_constants(sections, count, size, &constants)) return "no section .rdata within the file";
    size_t marker = find_marker(image, constants.start, constants.end);
    if (marker == 0) return "no marked load configuration";
    if (marker == SIZE_MAX) return "several marked load configurations";
    size_t block = marker + PE_FINISH_MARKER_SIZE;
    if (get(image + block, 4) != PE_FINISH_LOAD_CONFIG_SIZE) return "the marked load configuration has another size";
    put(directory, 4, constants.address + (uint32_t)(block - constants.start));
    put(directory + 4, 4, PE_FINISH_LOAD_CONFIG_SIZE);
    return NULL;
}

const char *pe_finish(uint8_t *image, size_t size, bool load_config) {
    if (size < 64 || image[0] != 'M' || image[1] != 'Z') return "no DOS header";
    size_t pe = get(image + 60, 4);
    if (size < 24 || pe > size - 24 || memcmp(image + pe, "PE\0\0", 4) != 0) return "no PE header";
    uint8_t *file = image + pe + 4, *optional = file + 20;
    if (get(file, 2) != 0x8664) return "not an x64 program";
    size_t sections = get(file + 2, 2), optional_size = get(file + 16, 2), after = size - (pe + 24);
    if (optional_size < 112 + 16 * 8 || optional_size > after) return "the optional header is cut short";
    if ((after - optional_size) / 40 < sections) return "the section table is cut short";
    if (get(optional, 2) != 0x20b) return "not PE32+";
    if (get(optional + 108, 4) <= DIRECTORY_LOAD_CONFIG) return "too few data directories";

    uint32_t flags = get(file + 18, 2), dll_flags = get(optional + 70, 2);
    uint32_t wanted = DLL_HIGH_ENTROPY_VA | DLL_DYNAMIC_BASE | DLL_NX_COMPAT;
    if ((flags & FILE_RELOCS_STRIPPED) || (dll_flags & wanted) != wanted) return "linked without ASLR, high entropy or DEP";
    put(file + 18, 2, flags | FILE_REMOVABLE_RUN_FROM_SWAP | FILE_NET_RUN_FROM_SWAP);
    put(optional + 70, 2, dll_flags | DLL_TERMINAL_SERVER_AWARE);
    if (load_config) {
        uint8_t *directory = optional + 112 + 8 * DIRECTORY_LOAD_CONFIG;
        const char *wrong = point_at_load_config(image, size, directory, optional + optional_size, sections);
        if (wrong) return wrong;
    }
    put(optional + 64, 4, pe_finish_checksum(image, size, pe + 24 + 64));
    return NULL;
}
