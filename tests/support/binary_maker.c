#include "binary_maker.h"

#include <stdlib.h>
#include <string.h>

void put16(uint8_t *p, unsigned value) {
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

void put32(uint8_t *p, uint32_t value) {
    put16(p, value & 0xFFFF);
    put16(p + 2, value >> 16);
}

uint8_t *pe_at(uint8_t *file, uint32_t rva) { return file + PE_RAW + (rva - PE_RVA); }

void pe_put_directory(uint8_t *file, unsigned index, uint32_t rva, uint32_t size) {
    put32(file + PE_OPTIONAL + 112 + 8 * index, rva);
    put32(file + PE_OPTIONAL + 116 + 8 * index, size);
}

void pe_put_name(uint8_t *file, uint32_t rva, const char *name) { memcpy(pe_at(file, rva), name, strlen(name) + 1); }

static void put_headers(uint8_t *file) {
    memcpy(file, "MZ", 2);
    put32(file + 60, 0x80);
    memcpy(file + 0x80, "PE\0\0", 4);
    put16(file + 0x84, CS_PE_MACHINE_X64);
    put16(file + 0x86, 1);
    put16(file + 0x94, 240);
    put16(file + 0x96, 0x2022);
    put16(file + PE_OPTIONAL, 0x20B);
    put32(file + PE_OPTIONAL + 24, PE_BASE);
    put32(file + PE_OPTIONAL + 60, PE_RAW);
    put32(file + PE_OPTIONAL + 108, 16);
    memcpy(file + PE_SECTION, ".all", 5);
    put32(file + PE_SECTION + 8, 0x600);
    put32(file + PE_SECTION + 12, PE_RVA);
    put32(file + PE_SECTION + 16, 0x600);
    put32(file + PE_SECTION + 20, PE_RAW);
}

static void put_tables(uint8_t *file) {
    pe_put_directory(file, 0, PE_EXPORTS, 40);
    put32(pe_at(file, PE_EXPORTS + 24), 2);
    put32(pe_at(file, PE_EXPORTS + 32), PE_EXPORTS + 0x40);
    put32(pe_at(file, PE_EXPORTS + 0x40), PE_EXPORTS + 0x50);
    put32(pe_at(file, PE_EXPORTS + 0x44), PE_EXPORTS + 0x60);
    pe_put_name(file, PE_EXPORTS + 0x50, "first");
    pe_put_name(file, PE_EXPORTS + 0x60, "second");
    pe_put_directory(file, 1, PE_IMPORTS, 60);
    put32(pe_at(file, PE_IMPORTS + 12), PE_IMPORTS + 0x50);
    put32(pe_at(file, PE_IMPORTS + 32), PE_IMPORTS + 0x70);
    pe_put_name(file, PE_IMPORTS + 0x50, "KERNEL32.dll");
    pe_put_name(file, PE_IMPORTS + 0x70, "cublas64_10.dll");
    pe_put_directory(file, 13, PE_DELAY, 96);
    put32(pe_at(file, PE_DELAY), 1);
    put32(pe_at(file, PE_DELAY + 4), PE_DELAY + 0x70);
    put32(pe_at(file, PE_DELAY + 36), PE_BASE + PE_DELAY + 0x80); /* the old form: an address */
    pe_put_name(file, PE_DELAY + 0x70, "new.dll");
    pe_put_name(file, PE_DELAY + 0x80, "old.dll");
}

static void put_version(uint8_t *file) {
    static const char key[] = "VS_VERSION_INFO";
    pe_put_directory(file, 2, PE_RESOURCES, 0x100);
    put16(pe_at(file, PE_RESOURCES + 14), 2); /* two types: an icon group and the version */
    put32(pe_at(file, PE_RESOURCES + 16), 14);
    put32(pe_at(file, PE_RESOURCES + 20), 0x80000000u + 0x80);
    put32(pe_at(file, PE_RESOURCES + 24), 16);
    put32(pe_at(file, PE_RESOURCES + 28), 0x80000000u + 0x20);
    put16(pe_at(file, PE_RESOURCES + 0x20 + 14), 1);
    put32(pe_at(file, PE_RESOURCES + 0x20 + 20), 0x80000000u + 0x40);
    put16(pe_at(file, PE_RESOURCES + 0x40 + 14), 1);
    put32(pe_at(file, PE_RESOURCES + 0x40 + 20), 0x60);
    put32(pe_at(file, PE_RESOURCES + 0x60), PE_VERSION_INFO);
    put32(pe_at(file, PE_RESOURCES + 0x64), 92);
    uint8_t *info = pe_at(file, PE_VERSION_INFO);
    put16(info, 92);
    put16(info + 2, 52);
    for (size_t i = 0; i < sizeof key; i++) put16(info + 6 + 2 * i, (unsigned char)key[i]);
    put32(info + 40, 0xFEEF04BD);
    put32(info + 48, 8u << 16 | 0);
    put32(info + 52, 3u << 16 | 33);
    put32(info + 56, 10u << 16 | 1);
    put32(info + 60, 243u << 16 | 7);
}

uint8_t *pe_make_headers(void) {
    uint8_t *file = cs_alloc(PE_SIZE, 1);
    if (!file) abort();
    put_headers(file);
    return file;
}

uint8_t *pe_make_dll(void) {
    uint8_t *file = pe_make_headers();
    put_tables(file);
    put_version(file);
    return file;
}

uint8_t *pe_make_linked(const char *dll, const char *function, const char *exported) {
    uint8_t *file = pe_make_headers();
    if (dll) {
        pe_put_directory(file, 1, PE_IMPORTS, 40);
        put32(pe_at(file, PE_IMPORTS), PE_IMPORTS + 0x40);
        put32(pe_at(file, PE_IMPORTS + 12), PE_IMPORTS + 0x60);
        put32(pe_at(file, PE_IMPORTS + 0x40), PE_IMPORTS + 0x9E); /* hint, then the name */
        pe_put_name(file, PE_IMPORTS + 0x60, dll);
        pe_put_name(file, PE_IMPORTS + 0xA0, function);
    }
    if (exported) {
        pe_put_directory(file, 0, PE_EXPORTS, 40);
        put32(pe_at(file, PE_EXPORTS + 24), 1);
        put32(pe_at(file, PE_EXPORTS + 32), PE_EXPORTS + 0x40);
        put32(pe_at(file, PE_EXPORTS + 0x40), PE_EXPORTS + 0x50);
        pe_put_name(file, PE_EXPORTS + 0x50, exported);
    }
    return file;
}

void library_begin(cs_buffer *out) {
    cs_buffer_clear(out);
    cs_buffer_text(out, "!<arch>\n");
}

void library_member(cs_buffer *out, const char *name, const void *bytes, size_t size) {
    cs_buffer_format(out, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, size);
    cs_buffer_append(out, bytes, size);
    if (size & 1) cs_buffer_text(out, "\n");
}

void library_short(cs_buffer *out, unsigned machine, const char *symbol, const char *dll) {
    uint8_t header[20] = {0, 0, 0xFF, 0xFF};
    cs_buffer member = {0};
    put16(header + 6, machine);
    put32(header + 12, (uint32_t)(strlen(symbol) + strlen(dll) + 2));
    cs_buffer_append(&member, header, sizeof header);
    cs_buffer_append(&member, symbol, strlen(symbol) + 1);
    cs_buffer_append(&member, dll, strlen(dll) + 1);
    library_member(out, "member/", member.data, member.size);
    cs_buffer_free(&member);
}

void library_object(cs_buffer *out, unsigned machine, const char *section, const void *bytes, size_t size) {
    uint8_t header[60] = {0};
    cs_buffer member = {0};
    put16(header, machine);
    put16(header + 2, 1);
    memcpy(header + 20, section, strlen(section));
    put32(header + 36, (uint32_t)size);
    put32(header + 40, sizeof header);
    cs_buffer_append(&member, header, sizeof header);
    cs_buffer_append(&member, bytes, size);
    library_member(out, "member/", member.data, member.size);
    cs_buffer_free(&member);
}
